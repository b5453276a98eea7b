"""What the bonds of cups carry, read from the solver's rows after a step; compiled."""

import numpy as np

from mecano.core.compiled import compiled


@compiled
def _turned(rotations, body, vector, out):
    """Turn a vector of a body's frame into world axes."""
    for i in range(3):
        out[i] = 0.0
        for j in range(3):
            out[i] += rotations[body, 3 * i + j] * vector[j]


@compiled
def read_bonds(rows, owner, force, cup_of, held, cups, rotations, normals, faces, scale, samples):
    """Read pull, shear, moment and force of each bonded cup, one sample each.

    Args:
        rows: Number of equality rows of the solver; they come first.
        owner: Equality of each row.
        force: Of each row.
        cup_of: Cup of each equality, -1 for others.
        held: Body that each cup holds on to, -1 if it does not hold.
        cups: Bodies of the cups.
        rotations: Of all bodies, row-wise. Shape (bodies, 9).
        normals: Of the surfaces in the frames of the held bodies. Shape (cups, 3).
        faces: From the origin of each cup's body to its face [m]. Shape (cups, 3).
        scale: From a row of the moment to N m.
        samples: Written: pull, shear [N], moment about the face [N m], force in world axes [N].
            Shape (cups, 6).
    """
    normal, arm = np.zeros(3), np.zeros(3)
    row = 0
    while row < rows:
        cup = cup_of[owner[row]]
        if cup < 0 or held[cup] < 0:
            row += 1
            continue
        _turned(rotations, held[cup], normals[cup], normal)
        _turned(rotations, cups[cup], faces[cup], arm)
        fx, fy, fz = force[row], force[row + 1], force[row + 2]
        pull = -(normal[0] * fx + normal[1] * fy + normal[2] * fz)
        square = fx * fx + fy * fy + fz * fz - pull * pull
        mx = scale * force[row + 3] - arm[1] * fz + arm[2] * fy
        my = scale * force[row + 4] - arm[2] * fx + arm[0] * fz
        mz = scale * force[row + 5] - arm[0] * fy + arm[1] * fx
        sample = samples[cup]
        sample[0] = pull
        sample[1] = np.sqrt(max(square, 0.0))
        sample[2] = np.sqrt(mx * mx + my * my + mz * mz)
        sample[3] = fx
        sample[4] = fy
        sample[5] = fz
        row += 6


@compiled
def judge(held, samples, window, count, laws, peel, medians, share, peaks):
    """Keep the newest samples and say how much of each cup's hold is used up by their medians.

    Args:
        held: See `read_bonds`.
        samples: See `read_bonds`.
        window: Newest pulls, shears and moments, one after the other. Shape (cups, 3, 5).
        count: Samples since each cup took hold, counted here.
        laws: Largest pull, largest shear, and 1 where the two add up. Shape (cups, 3).
        peel: Pull that a moment is worth [1/m]; zero where it does not count. Shape (cups,).
        medians: Of pull, shear and moment, written once there are enough samples.
        share: What is used up, written.
        peaks: Largest share, pull, shear and moment so far, raised.

    Returns:
        Whether a cup holds more than it can.
    """
    size = window.shape[2]
    broke = False
    for cup in range(len(count)):
        if held[cup] < 0:
            continue
        for which in range(3):
            window[cup, which, count[cup] % size] = samples[cup, which]
        count[cup] += 1
        if count[cup] < size:
            continue
        for which in range(3):
            medians[cup, which] = _median(window[cup, which])
        pulled = (max(medians[cup, 0], 0.0) + peel[cup] * medians[cup, 2]) / laws[cup, 0]
        sheared = medians[cup, 1] / laws[cup, 1]
        share[cup] = pulled + sheared if laws[cup, 2] > 0.0 else max(pulled, sheared)
        peaks[cup, 0] = max(peaks[cup, 0], share[cup])
        peaks[cup, 1] = max(peaks[cup, 1], medians[cup, 0])
        peaks[cup, 2] = max(peaks[cup, 2], medians[cup, 1])
        peaks[cup, 3] = max(peaks[cup, 3], medians[cup, 2])
        broke = broke or share[cup] > 1.0
    return broke


@compiled
def _median(values):
    """Return the middle one of an odd number of values."""
    half = len(values) // 2
    for i in range(len(values)):
        below = level = 0
        for j in range(len(values)):
            below += values[j] < values[i]
            level += values[j] == values[i]
        if below <= half < below + level:
            return values[i]
    return np.nan
