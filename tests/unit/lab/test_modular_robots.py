"""Robots from leg modules: four and eight legs stand, walk and climb by the code of ROMERIN."""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mecano
from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.chain import Chain
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.legs import LegChain
from mecano.lab.robot import Place, Robot, connect_all
from mecano.parts.results import MotionResult
from mecano.parts.walks import Walk, WalkResult
from mecano.planning.gaits import GAITS
from mecano.robots.modular import LegMount, assemble_legs, both_sides
from mecano.robots.romerin.leg import A1_16, LEG

EXAMPLES = Path(__file__).parents[3] / "examples"
FOUR, EIGHT = "modular_quadruped", "modular_octopod"


@cache
def shared(name: str, scene: str) -> Robot:
    return mecano.connect(str(EXAMPLES / name), scene=scene)


def ended(answer: Any) -> WalkResult:
    assert isinstance(answer, WalkResult)
    return answer


def fresh(name: str, scene: str = "empty") -> Robot:
    robot = shared(name, scene)
    robot.reset()
    robot.wait(0.2)
    return robot


@pytest.mark.slow
@pytest.mark.parametrize(("name", "legs"), [(FOUR, 4), (EIGHT, 8)])
@pytest.mark.parametrize("scene", ["empty", "wall"])
def test_robot_stands_on_all_its_cups(name, legs, scene):
    robot = fresh(name, scene)
    before = robot.truth.body_pose(f"{name}/body_link").position
    robot.wait(1.0)
    assert robot.name == name and len(robot.legs) == len(robot.cups) == legs
    assert robot.cups.holding.all()
    after = robot.truth.body_pose(f"{name}/body_link").position
    assert np.linalg.norm(after - before) < 5e-4
    assert robot.cups.margins.min() > 0.8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "scene", "gait", "most"),
    [
        (FOUR, "empty", None, 0.2),
        (FOUR, "wall", "wave", 0.45),
        (EIGHT, "empty", None, 0.2),
        (EIGHT, "wall", "tetrapod", 0.6),
        (EIGHT, "wall", "ripple", 0.5),
    ],
)
def test_robot_walks_straight_and_tears_no_foot_off(name, scene, gait, most):
    robot = fresh(name, scene)
    body = f"{name}/body_link"
    start = robot.truth.body_pose(body)
    result = ended(robot.legs.walk(0.1, gait=gait))
    assert result.reached, result.message
    T = (start.inverse() @ robot.truth.body_pose(body)).matrix()
    assert T[0, 3] == pytest.approx(0.1, abs=0.006)
    assert abs(T[1, 3]) < 0.002 and abs(math.atan2(T[1, 0], T[0, 0])) < math.radians(0.5)
    assert result.peak < most and robot.cups.holding.all()


@pytest.mark.slow
def test_gaits_are_those_of_the_number_of_legs():
    four, eight = fresh(FOUR), fresh(EIGHT)
    assert list(four.legs.gaits) == ["wave"]
    assert list(eight.legs.gaits) == ["wave", "ripple", "tetrapod"]
    with pytest.raises(UnknownName, match="no gait named 'tripod'; known gaits: wave"):
        four.legs.walk(0.1, gait="tripod")
    with pytest.raises(InvalidInput, match=r"'tripod' moves legs .* has legs 1 to 8"):
        eight.legs.walk(0.1, gait=GAITS["tripod"])


@pytest.mark.slow
def test_four_legs_walk_on_no_three_feet():
    robot = fresh(FOUR)
    assert robot.cups.release(1).done
    robot.wait(0.1)
    with pytest.raises(InvalidInput, match=r"cups 1 do not hold, so every step would leave 2 feet"):
        robot.legs.walk(0.1)


@pytest.mark.slow
def test_corner_without_a_path_is_refused():
    with pytest.raises(InvalidInput, match="no path through a corner is known"):
        fresh(EIGHT).legs.cross_corner(0.3)


@pytest.mark.slow
def test_same_seed_gives_the_same_walk():
    hashes = []
    for _ in range(2):
        with mecano.connect(str(EXAMPLES / FOUR), seed=3, noise=True) as robot:
            robot.legs.walk(0.03)
            hashes.append(robot.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.slow
def test_four_and_six_legs_walk_in_one_world():
    from mecano.core.poses import Pose

    places = {
        "a": Place(str(EXAMPLES / FOUR), Pose(np.array([0.0, 0.6, 0.0]))),
        "b": Place("romerin", Pose(np.array([0.0, -0.6, 0.0]))),
    }
    both = connect_all(places, scene="empty")
    walks = [robot.legs.walk(0.04, wait=False) for robot in both.values()]
    both["a"].wait(*walks)
    assert all(isinstance(walk, Walk) and walk.result.reached for walk in walks)


# A robot on legs with an arm

MAST = """<mujoco><compiler angle="radian" autolimits="true"/>
  <worldbody><body name="body_link">
    <inertial pos="0 0 0" mass="0.8" diaginertia="0.001 0.002 0.002"/>
    <geom name="trunk" type="box" size="0.07 0.05 0.025" mass="0"/><site name="imu"/>
    <body name="upper" pos="0 0 0.05">
      <joint name="arm_1" axis="0 0 1" range="-2 2" armature="0.005" damping="0.05"/>
      <geom type="capsule" fromto="0.02 0 0 0.08 0 0" size="0.008" mass="0.03"/>
      <body name="fore" pos="0.1 0 0">
        <joint name="arm_2" axis="0 0 1" range="-2 2" armature="0.005" damping="0.05"/>
        <geom type="capsule" fromto="0.02 0 0 0.06 0 0" size="0.008" mass="0.02"/>
        <site name="tool" pos="0.08 0 0"/>
      </body>
    </body>
  </body></worldbody>
  <contact><exclude body1="body_link" body2="upper"/><exclude body1="upper" body2="fore"/></contact>
  <actuator>
    <dcmotor name="arm_1" class="a1_16" joint="arm_1" controller="20 1e-9 0.35 0 0.0125 12"/>
    <dcmotor name="arm_2" class="a1_16" joint="arm_2" controller="20 1e-9 0.35 0 0.0125 12"/>
  </actuator>
</mujoco>"""


@pytest.mark.slow
def test_arm_of_a_robot_on_legs_moves_beside_its_legs(tmp_path):
    (tmp_path / "trunk.xml").write_text(MAST)
    mounts = both_sides(LegMount(0.075, 0.055, 45), LegMount(-0.075, 0.055, 135))
    walker = assemble_legs("porter", tmp_path, LEG, "trunk.xml", mounts)
    rows = (DHJoint(name="arm_1", d=0.05, a=0.1, lower=-2, upper=2),
            DHJoint(name="arm_2", a=0.08, lower=-2, upper=2))  # fmt: skip
    arm = Chain(name="arm", dh=DHChain(joints=rows), postures={"home": (0.3, -0.6)})
    robot = replace(
        walker,
        chains=walker.chains | {"arm": arm},
        servos=walker.servos | dict.fromkeys(arm.joint_names, A1_16),
    )
    assert robot.arms == ("arm",) and robot.tool_site("arm") == "tool"
    (connected,) = connect_all({"porter": Place(robot)}, scene="empty").values()
    with connected as porter:
        assert porter.cups.holding.all()
        assert isinstance(porter.arm.move_joints([1.0, 0.5]), MotionResult)
        np.testing.assert_allclose(porter.arm.position, [1.0, 0.5], atol=0.01)
        result = ended(porter.legs.walk(0.02))
        assert result.reached, result.message
        assert abs(porter.arm.position[0] - 1.0) < 0.02


# Legs of another kind


def test_leg_of_four_joints_is_refused_by_the_closed_form_with_their_names():
    romerin = robots.get("romerin")
    leg = romerin.chain("leg_1")
    more = DHJoint(name="leg_1_joint_4", a=0.02, lower=-1, upper=1)
    dh = replace(leg.dh, joints=(*leg.dh.joints, more))
    postures = {name: (*q, 0.0) for name, q in leg.postures.items()}
    long = replace(
        romerin, chains=romerin.chains | {"leg_1": LegChain(name="leg_1", dh=dh, postures=postures)}
    )
    with pytest.raises(
        InvalidInput, match=r"legs of 3 turning joints, this one has 4: leg_1_joint_1"
    ):
        connect_all({"long": Place(long)}, scene="empty")


def test_leg_without_a_closed_form_is_refused():
    romerin = robots.get("romerin")
    leg = romerin.chain("leg_1")
    plain = Chain(name="leg_1", dh=leg.dh, postures=leg.postures)
    other = replace(romerin, chains=romerin.chains | {"leg_1": plain})
    with pytest.raises(InvalidInput, match=r"must be LegChains.* 1 of 6 are not"):
        connect_all({"other": Place(other)}, scene="empty")
