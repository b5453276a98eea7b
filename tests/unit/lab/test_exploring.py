"""A robot explores two rooms and closes the map; it says why it ended."""

import mujoco
import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.planning.navigation.frontiers import known_area

WALLS = [
    (0.0, -2.0, 4.0, 0.1), (0.0, 2.0, 4.0, 0.1), (-4.0, 0.0, 0.1, 2.0), (4.0, 0.0, 0.1, 2.0),
    (1.0, -1.3, 0.1, 0.7), (1.0, 1.3, 0.1, 0.7),
]  # fmt: skip
"""Two rooms of 5 x 4 and 3 x 4 m with a door of 1.2 m: middle and half sides [m]."""


def with_rooms(spec: mujoco.MjSpec) -> None:
    """Build the walls."""
    for x, y, dx, dy in WALLS:
        box = mujoco.mjtGeom.mjGEOM_BOX
        spec.worldbody.add_geom(type=box, pos=[x, y, 0.5], size=[dx, dy, 0.5])


def explored(seed: int, **how):
    """Let MADAR's base explore; return result, map and state hash."""
    with mecano.connect(
        "madar_base", scene="empty", changes=[with_rooms], noise=True, seed=seed
    ) as robot:
        with robot.start_mapping() as mapping:
            result = robot.explore(mapping, **how)
        return result, mapping.grid(), robot.state_hash()


@pytest.mark.slow
def test_two_rooms_are_explored_until_the_map_is_closed():
    told = []
    result, grid, _ = explored(1, on_progress=lambda area, left: told.append((area, left)))
    assert result.outcome == "closed"
    assert "the map is closed" in result.message
    inside = 4.8 * 3.8 + 2.8 * 3.8
    assert 0.93 * inside < known_area(grid) < 1.05 * inside
    assert result.area == pytest.approx(known_area(grid), rel=0.02)
    assert len(told) > 3 and told[-1][0] >= told[0][0]


@pytest.mark.slow
def test_the_same_seed_explores_the_same():
    assert explored(2, max_time=12.0)[2] == explored(2, max_time=12.0)[2]


def test_time_is_a_reason_to_end():
    result, _, _ = explored(3, max_time=2.0)
    assert result.outcome == "time is up"
    assert "2 s is up" in result.reason


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"max_time": "long"}, "max_time"), ({"max_time": np.nan}, "max_time"),
        ({"shortest": -1.0}, "shortest"), ({"on_progress": 3}, "on_progress"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_in_words(how, says):
    with (
        mecano.connect("madar_base", scene="empty", changes=[with_rooms]) as robot,
        robot.start_mapping() as mapping,
        pytest.raises(InvalidInput, match=says),
    ):
        robot.explore(mapping, **how)


def test_it_needs_the_mapping_of_the_same_robot():
    with (
        mecano.connect("madar_base", scene="empty") as robot,
        pytest.raises(InvalidInput, match="start_mapping"),
    ):
        robot.explore(None)  # type: ignore[arg-type]
