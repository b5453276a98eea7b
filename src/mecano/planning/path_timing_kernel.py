"""The highest speeds along a path of joints inside limits, compiled.

The path is cut into cells in which its bending is constant. With x the square of the speed along
it and u the acceleration along it, constant in a cell, every joint's acceleration is linear in x
and u, and within a cell it is largest at one of the cell's ends. A pass backwards finds the highest
x at each node from which the end can still be reached at rest, a pass forwards takes the highest u
(Pham and Pham, "A new approach to time-optimal path parameterization", IEEE T-RO 2018).
"""

from math import inf

from mecano.core.compiled import compiled

HALVINGS = 40
"""Of the interval in which the highest speed is looked for."""
ROUND_OFF = 1e-12
"""By this part the least acceleration may be above the highest and still be the same."""


@compiled
def fastest(lengths, before, after, bending, acceleration, ceilings, squares):
    """Write the squares of the speeds at the nodes.

    Args:
        lengths: Of the cells. Shape (m,).
        before: Tangents at the left ends. Shape (m, n).
        after: Tangents at the right ends. Shape (m, n).
        bending: How the tangent changes with the length. Shape (m, n).
        acceleration: Of the joints, at most. Shape (n,).
        ceilings: Squares of the speeds at the nodes, at most; zero asks for rest. Shape (m + 1,).
        squares: The answer. Shape (m + 1,).
    """
    m = len(lengths)
    squares[m] = 0.0
    for i in range(m - 1, -1, -1):
        cell = lengths[i], before[i], after[i], bending[i], acceleration, squares[i + 1]
        low, high = 0.0, ceilings[i]
        if _highest(high, cell)[0]:
            low = high
        else:
            for _ in range(HALVINGS):
                middle = 0.5 * (low + high)
                if _highest(middle, cell)[0]:
                    low = middle
                else:
                    high = middle
        squares[i] = low
    squares[0] = 0.0
    for i in range(m):
        x = squares[i]
        cell = lengths[i], before[i], after[i], bending[i], acceleration, squares[i + 1]
        u = _highest(x, cell)[1]
        squares[i + 1] = min(squares[i + 1], max(0.0, x + 2.0 * lengths[i] * u))


@compiled
def _highest(x, cell):
    """Return whether a cell can be gone through from x, and the highest acceleration along it."""
    h, before, after, bending, acceleration, following = cell
    least, most = -x / (2.0 * h), (following - x) / (2.0 * h)
    for j in range(len(acceleration)):
        a = acceleration[j]
        # At the left end: -a <= before u + bending x <= a.
        low, high = _between(before[j], bending[j] * x, a)
        least, most = max(least, low), min(most, high)
        # At the right end x has become x + 2 h u.
        low, high = _between(after[j] + 2.0 * h * bending[j], bending[j] * x, a)
        least, most = max(least, low), min(most, high)
    if least <= most:
        return True, most
    if least == inf or most == -inf:
        return False, 0.0
    return least - most <= ROUND_OFF * (abs(least) + abs(most)), 0.5 * (least + most)


@compiled
def _between(slope, offset, bound):
    """Return the interval of u in which |slope u + offset| stays within a bound."""
    if abs(slope) < 1e-14:
        return (-inf, inf) if abs(offset) <= bound else (inf, -inf)
    one, other = (-bound - offset) / slope, (bound - offset) / slope
    return min(one, other), max(one, other)
