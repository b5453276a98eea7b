"""Servos that are told the weight they carry."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput

LEVEL = [0.0, 0.9, 0.9, 0.0, 0.0]
"""The forearm reaches forward."""


@pytest.fixture
def crumb():
    with mecano.connect("crumb", scene="empty") as robot:
        yield robot


def hang(robot, mass: float) -> None:
    """Let a weight pull at the hand [kg]."""
    body = robot.world.index("body", f"{robot.name}/gripper_rail_link")
    robot.world.data.xfrc_applied[body, 2] = -9.81 * mass


def droop(robot, seconds: float = 1.0) -> float:
    """Return how far the hand comes down within a time [m]."""
    before = robot.truth.tool_pose().position[2]
    lowest = before
    for _ in range(round(seconds / 0.02)):
        robot.wait(0.02)
        lowest = min(lowest, robot.truth.tool_pose().position[2])
    return before - lowest


def test_the_arm_stands_where_it_was_told_from_the_first_tick(crumb):
    before = crumb.truth.tool_pose().position
    crumb.wait(1.0)
    assert np.abs(crumb.truth.tool_pose().position - before).max() < 1e-3


def test_a_payload_that_is_told_does_not_pull_the_hand_down(crumb):
    crumb.arm.move_joints(LEVEL)
    crumb.wait(1.0)
    snapshot = crumb.snapshot()
    hang(crumb, 0.5)
    untold = droop(crumb)
    hang(crumb, 0.0)
    crumb.restore(snapshot)
    hang(crumb, 0.5)
    crumb.arm.payload = 0.5
    told = droop(crumb)
    assert untold > 0.008 and told < 0.3 * untold


def test_a_snapshot_remembers_the_payload(crumb):
    crumb.arm.payload = 0.3
    snapshot = crumb.snapshot()
    crumb.arm.payload = 0.0
    crumb.restore(snapshot)
    assert crumb.arm.payload == 0.3


def test_coming_back_from_another_mode_does_not_jerk(crumb):
    crumb.arm.move_joints(LEVEL)
    crumb.arm.command_torque([0.0] * 5)
    crumb.wait(0.5)
    crumb.arm.stop()
    before = crumb.arm.position.copy()
    crumb.wait(1.0)
    assert np.abs(crumb.arm.position - before).max() < 0.02


def test_an_arm_that_is_not_told_its_weight_can_be_told_a_payload():
    with mecano.connect("open_manipulator_x", scene="empty") as robot:
        before = robot.state_hash()
        robot.arm.payload = 0.0
        assert robot.state_hash() == before
        robot.arm.payload = 0.1
        assert robot.state_hash() != before


@pytest.mark.parametrize("mass", [-0.1, 11.0, float("nan")])
def test_an_impossible_payload_is_refused(crumb, mass):
    with pytest.raises(InvalidInput, match="payload"):
        crumb.arm.payload = mass
    assert crumb.arm.payload == 0.0
