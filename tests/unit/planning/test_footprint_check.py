"""Whether an outline touches an obstacle: by the distance field, and by every cell."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.poses import Pose2
from mecano.planning.navigation.costmap import make_costmap
from mecano.planning.navigation.footprint import Footprint
from mecano.planning.navigation.footprint_check import free_poses, is_pose_free

RNG = np.random.default_rng(3)
LETHAL = RNG.random((80, 90)) < 0.01
SHAPES = (
    Footprint.rectangle(0.9, 0.4, centre=0.1),
    Footprint(np.array([[0.5, 0.0], [-0.3, 0.3], [-0.3, -0.3]])),
    Footprint.circle(0.3),
)


def touches(shape: Footprint, pose: Pose2) -> bool:
    """Look at all obstacle cells, one by one."""
    centres = (np.argwhere(LETHAL)[:, ::-1] + 0.5) * 0.05
    local = pose.inverse().transform_points(centres)
    start, end = shape.corners, np.roll(shape.corners, -1, axis=0)
    along = end - start
    left = along[:, 0] * (local[:, None, 1] - start[:, 1]) - along[:, 1] * (
        local[:, None, 0] - start[:, 0]
    )
    return bool((left >= 0.0).all(axis=1).any())


@given(
    kind=st.sampled_from(range(len(SHAPES))),
    x=st.floats(0.01, 4.49), y=st.floats(0.01, 3.99), yaw=st.floats(-3.14, 3.14),
)  # fmt: skip
@settings(max_examples=300)
def test_outline_is_free_exactly_if_no_obstacle_is_inside(kind, x, y, yaw):
    shape, pose = SHAPES[kind], Pose2(x, y, yaw)
    costmap = make_costmap(LETHAL, shape, resolution=0.05)
    assert is_pose_free(costmap, pose) == (not touches(shape, pose))


def test_pose_outside_of_the_costmap_is_not_free():
    costmap = make_costmap(np.zeros((10, 10), bool), SHAPES[0], resolution=0.05)
    assert free_poses(costmap, [[-0.1, 0.2, 0.0], [0.2, 0.2, 0.0]]).tolist() == [False, True]
