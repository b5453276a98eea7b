"""The gripper: how wide, how hard, holding or not, and a cube that is really carried."""

import numpy as np
import pytest
from lab_helpers import (
    GRASP,
    PITCH,
    arm_on_table,
    gripped,
    gripping,
    moved,
    pick_cube,
    tool_in_base,
)

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose
from mecano.lab.robot import Robot

NAN = float("nan")


@pytest.fixture
def robot() -> Robot:
    return arm_on_table()


def pad_gap(robot: Robot) -> float:
    """Return the true distance between the pads [m]."""
    left, right = (
        robot.world.site_pose(f"{robot.name}/finger_{side}_pad").position
        for side in ("left", "right")
    )
    return float(np.linalg.norm(left - right))


# --- widths


def test_it_opens_and_closes_as_far_as_it_goes(robot):
    facts = robot.gripper.facts
    assert gripped(robot.gripper.close()).width == pytest.approx(0.022, abs=5e-4)
    assert gripped(robot.gripper.open()).width == pytest.approx(0.080, abs=5e-4)
    assert facts.width(facts.closed) == pytest.approx(0.022)
    assert facts.width(facts.open) == pytest.approx(0.080)


@pytest.mark.parametrize("width", [0.03, 0.05, 0.07])
def test_it_goes_to_a_width_by_truth(robot, width):
    result = gripped(robot.gripper.move(width))
    assert result.width == pytest.approx(width, abs=5e-4)
    assert pad_gap(robot) == pytest.approx(width, abs=5e-4)


def test_both_fingers_move_alike(robot):
    robot.gripper.move(0.05)
    values = [
        robot.world.data.joint(f"{robot.name}/{j}").qpos[0] for j in ("gripper", "gripper_sub")
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-4)


@pytest.mark.parametrize("width", [0.0, 0.021, 0.081, -0.05, NAN, "wide"])
@pytest.mark.parametrize("way", ["move", "open"])
def test_a_width_it_does_not_have_is_refused(robot, width, way):
    before = robot.state_hash()
    with pytest.raises(InvalidInput, match="width"):
        getattr(robot.gripper, way)(width)
    assert robot.state_hash() == before


@pytest.mark.parametrize("force", [0.0, -5.0, NAN, 31.0, 1e9])
@pytest.mark.parametrize("way", ["close", "move"])
def test_a_force_it_does_not_have_is_refused(robot, force, way):
    before = robot.state_hash()
    width = {"move": [0.03], "close": []}[way]
    with pytest.raises(InvalidInput, match="force"):
        getattr(robot.gripper, way)(*width, force=force)
    assert robot.state_hash() == before


# --- holding


def test_closing_on_nothing_is_not_holding(robot):
    result = gripped(robot.gripper.close(force=15.0))
    assert not result.holding and not robot.gripper.holding
    assert "holding nothing" in result.message


def test_opening_is_not_holding(robot):
    robot.gripper.close()
    assert not gripped(robot.gripper.open()).holding


@pytest.mark.parametrize("force", [5.0, 15.0, 30.0])
def test_closing_on_the_cube_is_holding_with_the_commanded_force(robot, force):
    x, y, _ = robot.truth.body_pose("cube").position
    robot.arm.move_to([x, y, 0.10], pitch=PITCH)
    robot.arm.move_line([x, y, GRASP])
    result = gripped(robot.gripper.close(force=force))
    assert result.holding and robot.gripper.holding
    assert result.force == pytest.approx(force, rel=0.1)
    assert result.width == pytest.approx(0.030, abs=1.5e-3)


@pytest.mark.parametrize("force", [5.0, 15.0, 30.0])
def test_the_pads_truly_press_with_the_commanded_force(robot, force):
    x, y, _ = robot.truth.body_pose("cube").position
    robot.arm.move_to([x, y, 0.10], pitch=PITCH)
    robot.arm.move_line([x, y, GRASP])
    robot.gripper.close(force=force)
    robot.wait(0.5)
    for finger in ("left", "right"):
        name = f"{robot.name}/gripper_{finger}_link"
        pressed = sum(
            c.force for c in robot.world.contacts() if {c.body_1, c.body_2} == {"cube", name}
        )
        assert pressed == pytest.approx(force, rel=0.1)


def test_the_cube_rises_with_the_hand(robot):
    before = robot.truth.body_pose("cube").position
    result = pick_cube(robot)
    after = robot.truth.body_pose("cube").position
    assert result.holding and robot.gripper.holding
    assert after[2] - before[2] == pytest.approx(0.10 - GRASP, abs=2e-3)


def cube_in_hand(robot: Robot) -> Pose:
    return robot.truth.tool_pose().inverse() @ robot.truth.body_pose("cube")


def test_the_cube_does_not_slip_on_a_straight_way(robot):
    pick_cube(robot)
    before = cube_in_hand(robot)
    x, y = robot.truth.tool_pose().position[:2]
    assert moved(robot.arm.move_line([x, y, 0.16], pitch=1.0)).reached
    assert before.distance_to(cube_in_hand(robot)) < 5e-4
    assert robot.gripper.holding


def test_the_cube_stays_in_a_turning_hand(robot):
    pick_cube(robot)
    before = cube_in_hand(robot)
    assert moved(robot.arm.move_to([0.15, 0.13, 0.14], pitch=1.0)).reached
    # contacts creep outwards while the hand turns: a known law of the engine
    assert before.distance_to(cube_in_hand(robot)) < 3e-3
    assert robot.gripper.holding


def test_the_released_cube_stays_on_the_table(robot):
    pick_cube(robot)
    x, y = robot.truth.place("place_2")[:2]
    assert moved(robot.arm.move_to([x, y, 0.10], pitch=PITCH)).reached
    assert moved(robot.arm.move_line([x, y, GRASP])).reached
    assert not gripped(robot.gripper.open()).holding
    assert moved(robot.arm.move_line([x, y, 0.10])).reached
    cube = robot.truth.body_pose("cube").position
    assert cube[2] == pytest.approx(0.015, abs=5e-4)
    assert np.linalg.norm(cube[:2] - [x, y]) < 5e-3
    assert not robot.gripper.holding


def test_letting_go_in_the_air_drops_the_cube(robot):
    pick_cube(robot)
    robot.gripper.open()
    robot.wait(0.5)
    assert robot.truth.body_pose("cube").position[2] < 0.03
    assert not robot.gripper.holding


def test_a_cube_is_held_without_any_weld(robot):
    pick_cube(robot)
    active = [
        robot.world.model.equality(i).name
        for i in range(robot.world.model.neq)
        if robot.world.data.eq_active[i]
    ]
    assert active == [f"{robot.name}/fingers"]


# --- stopping


def test_stopping_the_robot_does_not_let_go(robot):
    pick_cube(robot)
    robot.stop()
    robot.wait(1.0)
    assert robot.gripper.holding
    assert robot.truth.body_pose("cube").position[2] > 0.07


def test_stopping_while_the_fingers_press_does_not_let_go(robot):
    x, y, _ = robot.truth.body_pose("cube").position
    robot.arm.move_to([x, y, 0.10], pitch=PITCH)
    robot.arm.move_line([x, y, GRASP])
    handle = gripping(robot.gripper.close(force=15.0, wait=False))
    pressed = robot.wait(handle) and handle.result is not None and handle.result.holding
    assert pressed
    robot.gripper.close(force=15.0, wait=False)
    robot.stop()
    robot.wait(0.3)
    assert robot.gripper.force == pytest.approx(15.0, rel=0.1)


def test_stopping_holds_the_fingers_where_they_are(robot):
    handle = gripping(robot.gripper.close(wait=False))
    robot.wait(0.2)
    robot.gripper.stop()
    robot.wait(0.5)
    assert 0.03 < robot.gripper.width < 0.078
    assert handle.done


def test_a_new_motion_of_the_gripper_ends_the_old_one(robot):
    first = gripping(robot.gripper.close(wait=False))
    robot.wait(0.1)
    robot.gripper.open()
    assert first.done


def test_the_gripper_moves_while_the_arm_does(robot):
    grip = gripping(robot.gripper.close(wait=False))
    assert moved(robot.arm.move_joints([0.5, -0.8, 0.6, 0.2])).reached
    robot.wait(grip, timeout=3.0)
    assert grip.result is not None and grip.result.width == pytest.approx(0.022, abs=5e-4)
    assert np.isfinite(tool_in_base(robot)).all()
