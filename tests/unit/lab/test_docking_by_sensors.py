"""Bases dock by what their sensors see, from 10 cm and 10 degrees off, with noise and slip."""

import math

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.lab.post_docking import dock_at_posts
from mecano.lab.side_docking import dock_at_side
from mecano.tasks.carry import DOCK, TABLE, TABLES


def standing(name: str, x: float, y: float, degrees: float):
    """Return a change of the scene that sets a base down on its mount otherwise."""
    half = math.radians(degrees) / 2.0

    def change(spec) -> None:
        body = spec.body(f"{name}/base_footprint")
        body.pos, body.quat = [x, y, 0.0], [math.cos(half), 0.0, 0.0, math.sin(half)]

    return change


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_youbot_docks_at_a_table_by_one_ray(seed):
    dx, dy, turn = np.random.default_rng(seed).uniform(-1.0, 1.0, 3)
    change = standing("youbot", -2.638 + 0.1 * dx, 1.4746 + 0.1 * dy, 180.0 + 10.0 * turn)
    with mecano.connect("youbot", noise=True, seed=seed, changes=[change]) as robot:
        result = dock_at_side(robot, 0.1, beside=-0.167, side="right")
        assert result.docked, result.message
        off = Pose2(-0.324, 1.362, -math.pi / 2).inverse() @ robot.truth.base_pose()
    assert abs(off.y) < 0.002 and abs(off.x) < 0.008 and abs(off.yaw) < 0.012
    assert result.side is not None and result.side.length == pytest.approx(0.8, abs=0.04)


def test_a_ray_that_sees_nothing_says_so():
    with mecano.connect("youbot", scene="empty") as robot:
        result = dock_at_side(robot, 0.1, side="right", search=0.05)
    assert not result.docked and "saw nothing within 0.5 m" in result.message


def test_what_cannot_dock_is_refused_in_words():
    with mecano.connect("youbot", scene="empty") as robot:
        with pytest.raises(UnknownName, match="range sensor"):
            dock_at_side(robot, 0.1, side="front")
        with pytest.raises(InvalidInput, match="distance to dock at"):
            dock_at_side(robot, 2.0, side="right")
        with pytest.raises(InvalidInput, match="no LIDARs"):
            dock_at_posts(robot, TABLE, TABLES[0], DOCK)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_madar_docks_at_a_table_by_its_legs(seed):
    dx, dy, turn = np.random.default_rng(seed).uniform(-1.0, 1.0, 3)
    change = standing("madar_base", 0.1 * dx, 0.1 * dy, 10.0 * turn)
    with mecano.connect(
        "madar_base", scene="carry", noise=True, seed=seed, changes=[change]
    ) as robot:
        result = dock_at_posts(robot, TABLE, TABLES[0], DOCK)
        assert result.docked, result.message
        off = (TABLES[0] @ DOCK).inverse() @ robot.truth.base_pose()
    assert math.hypot(off.x, off.y) < 0.015 and abs(off.yaw) < 0.015


def test_legs_that_are_not_there_are_said():
    with mecano.connect("madar_base", scene="empty", seed=1) as robot:
        result = dock_at_posts(robot, TABLE, TABLES[0], DOCK, scans=2)
    assert not result.docked and "posts" in result.message
