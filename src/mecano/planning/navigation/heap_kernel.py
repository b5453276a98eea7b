"""A binary heap of (key, value) pairs in two arrays, compiled. Equal keys: the smaller value."""

import numpy as np

from mecano.core.compiled import compiled


@compiled
def push(keys, values, count, key, value):
    """Add a pair to the first `count` ones; return the arrays, which may have been enlarged."""
    if count == len(keys):
        more_keys, more_values = np.empty(2 * count, keys.dtype), np.empty(2 * count, values.dtype)
        more_keys[:count], more_values[:count] = keys, values
        keys, values = more_keys, more_values
    k = count
    while k > 0:
        above = (k - 1) >> 1
        if keys[above] < key or (keys[above] == key and values[above] <= value):
            break
        keys[k], values[k] = keys[above], values[above]
        k = above
    keys[k], values[k] = key, value
    return keys, values


@compiled
def pop(keys, values, count):
    """Remove the first of `count` pairs; read it from index 0 before. `count - 1` remain."""
    key, value = keys[count - 1], values[count - 1]
    size, k = count - 1, 0
    while True:
        child = 2 * k + 1
        if child >= size:
            break
        other = child + 1
        if other < size and (
            keys[other] < keys[child]
            or (keys[other] == keys[child] and values[other] < values[child])
        ):
            child = other
        if key < keys[child] or (key == keys[child] and value <= values[child]):
            break
        keys[k], values[k] = keys[child], values[child]
        k = child
    keys[k], values[k] = key, value
