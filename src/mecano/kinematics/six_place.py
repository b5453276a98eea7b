"""Where a posture brings the tool of any arm with six turning joints, from its table."""

from collections.abc import Sequence

import numpy as np

from mecano.kinematics.dh import DHChain
from mecano.kinematics.six_motion import Placed


def place_by_table(chain: DHChain, q: Sequence[float]) -> Placed:
    """Return the arm at joint values `q`, in the base frame; its triad are the tool's axes."""
    frames = chain.joint_frames(np.asarray(q))
    R = frames[6, :3, :3].T.tolist()
    axes, points = frames[:6, :3, 2].tolist(), frames[:, :3, 3].tolist()
    *joints, tool = map(tuple, points)
    return Placed(tool, joints[5], tuple(map(tuple, R)), tuple(map(tuple, axes)), tuple(joints))  # type: ignore[arg-type]
