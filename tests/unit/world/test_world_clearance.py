"""Which postures are free: the same answers as the engine's, with distances and names."""

import mujoco
import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose
from mecano.planning.free_motion import FreeMotionReason, plan_free_motion
from mecano.world import Placement, World, assemble
from mecano.world.clearance import Clearance
from mecano.world.robot_model import Carried, RobotModel

ARM = robots.get("open_manipulator_x")
CHAIN = ARM.chain()
LOWER, UPPER = np.array(CHAIN.dh.lower), np.array(CHAIN.dh.upper)

TWO_ARMS = """
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 0.1" pos="0 0 -1"/>
    <body name="left" pos="-0.5 0 0">
      <joint name="left_1" axis="0 0 1" range="-3 3" limited="true"/>
      <geom type="capsule" fromto="0.1 0 0 0.5 0 0" size="0.05"/>
      <body name="left_2" pos="0.6 0 0">
        <joint name="left_2" axis="0 0 1" range="-3 3" limited="true"/>
        <geom type="sphere" size="0.05"/>
        <site name="left_tool"/>
      </body>
    </body>
    <body name="right" pos="0.5 0 0" euler="0 0 3.141592653589793">
      <joint name="right_1" axis="0 0 1" range="-3 3" limited="true"/>
      <geom type="capsule" fromto="0.1 0 0 0.3 0 0" size="0.05"/>
      <body name="finger" pos="0.35 0 0">
        <joint name="finger" axis="0 0 1"/>
        <geom type="box" size="0.02 0.01 0.01"/>
      </body>
    </body>
    <body name="ball" pos="0 1 0"><freejoint name="ball"/><geom type="sphere" size="0.1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def table() -> World:
    return World(assemble([Placement(robot=ARM, prefix="arm/")], scene="table"))


@pytest.fixture
def arms() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(TWO_ARMS)


def postures(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(LOWER, UPPER, (count, 4))


# --- against the engine


def test_it_says_what_the_robot_model_says(table):
    model = RobotModel(table.model, ARM, prefix="arm/")
    model.look_at(table.data)
    clearance = Clearance.of_robot(table.model, ARM, prefix="arm/", touchable=["cube"])
    clearance.look_at(table.data)
    wanted = [model.collision(q) is None for q in postures(400)]
    assert 0.2 < np.mean(wanted) < 0.8
    np.testing.assert_array_equal(clearance.free(postures(400)), wanted)


@pytest.mark.parametrize("robot", ["youbot", "crumb"])
def test_it_says_so_for_other_arms_too(robot):
    description = robots.get(robot)
    world = World(assemble([Placement(robot=description, prefix="arm/")], scene="empty"))
    model = RobotModel(world.model, description, prefix="arm/")
    model.look_at(world.data)
    clearance = Clearance.of_robot(world.model, description, prefix="arm/")
    clearance.look_at(world.data)
    rows = np.random.default_rng(1).uniform(
        clearance.lower, clearance.upper, (200, len(clearance.joints))
    )
    np.testing.assert_array_equal(clearance.free(rows), [model.collision(q) is None for q in rows])


def test_the_model_asked_about_is_left_as_it_is(table):
    before = table.model.geom_contype.copy(), table.model.opt.o_margin
    Clearance.of_robot(table.model, ARM, prefix="arm/", margin=0.02).free(postures(5))
    np.testing.assert_array_equal(table.model.geom_contype, before[0])
    assert table.model.opt.o_margin == before[1]


def test_free_with_a_margin_is_free_without(table):
    wide = Clearance.of_robot(table.model, ARM, prefix="arm/", margin=0.02)
    tight = Clearance.of_robot(table.model, ARM, prefix="arm/")
    rows = postures(300)
    with_margin, without = wide.free(rows), tight.free(rows)
    assert (without | ~with_margin).all() and without.sum() > with_margin.sum()


# --- distances, by paper and pencil: spheres and capsules on a line


def test_the_distance_between_two_arms_is_told_with_both_names(arms):
    # At zero, left reaches to 0.15 and the finger begins at 0.13: 20 mm inside each other.
    clearance = Clearance(arms, ["left_1", "left_2", "right_1"])
    found = clearance.nearest(np.zeros(3))
    assert found is not None
    assert found.pair == ("left_2", "finger") and found.distance == pytest.approx(-0.02, abs=1e-6)
    assert str(found) == "left_2 is 20.0 mm inside finger"
    assert not clearance.is_free(np.zeros(3))


def test_a_margin_is_kept_to_the_tenth_of_a_millimetre(arms):
    arms.body_pos[arms.body("right").id] = 0.55, 0.0, 0.0  # 30 mm between left_2 and finger
    assert Clearance(arms, ["left_1", "right_1"], margin=0.0299).is_free(np.zeros(2))
    near = Clearance(arms, ["left_1", "right_1"], margin=0.0301)
    assert not near.is_free(np.zeros(2))
    assert near.describe(np.zeros(2)) == (
        "left_2 is 30.0 mm from finger; 30.1 mm must stay between them"
    )
    far = Clearance(arms, ["left_1", "right_1"]).distance(np.zeros(2), within=0.1)
    assert far is not None and far.distance == pytest.approx(0.03, abs=1e-6)
    assert near.describe([1.5, 0.0]) == ""


def test_what_the_joints_do_not_move_against_each_other_does_not_count(arms):
    data = mujoco.MjData(arms)
    data.joint("ball").qpos[:3] = 0.4, 0.0, 0.0  # in the right arm
    clearance = Clearance(arms, ["left_1", "left_2"])
    clearance.look_at(data)
    assert clearance.is_free([1.5, 0.0])


def test_one_hand_may_touch_itself_and_its_thing_but_no_other_hand(arms):
    alone = Clearance(arms, ["left_1", "right_1"], hands=[["left_2", "finger"]])
    assert alone.is_free(np.zeros(2))
    two = Clearance(arms, ["left_1", "right_1"], hands=[["left_2"], ["finger"]])
    assert not two.is_free(np.zeros(2))


def test_no_two_shapes_at_less_than_the_margin_are_missed():
    """The engine's own contacts miss one of a hundred pairs of boxes that are apart."""
    shapes = {
        "box": 'type="box" size="0.1 0.07 0.05"',
        "capsule": 'type="capsule" size="0.05 0.1"',
        "cylinder": 'type="cylinder" size="0.05 0.1"',
        "ellipsoid": 'type="ellipsoid" size="0.05 0.08 0.1"',
    }
    axes = "".join(
        f'<joint name="{kind}{i}" type="{kind}" axis="{" ".join(axis)}"/>'
        for kind in ("slide", "hinge")
        for i, axis in enumerate(("100", "010", "001"))
    )
    rng = np.random.default_rng(5)
    rows = np.hstack([rng.uniform(-0.2, 0.2, (1500, 3)), rng.uniform(-3.0, 3.0, (1500, 3))])
    for shape in shapes.values():
        model = mujoco.MjModel.from_xml_string(
            f"<mujoco><worldbody><geom {shapes['box']}/><body name='b'>{axes}<geom {shape}/></body>"
            "</worldbody></mujoco>"
        )
        names = [model.joint(i).name for i in range(6)]
        found = Clearance(model, names, margin=0.01).free(rows)
        data, true = mujoco.MjData(model), []
        for q in rows:
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
            true.append(mujoco.mj_geomDistance(model, data, 0, 1, 1.0, None))
        np.testing.assert_array_equal(found, np.array(true) >= 0.01)


# --- what is carried, what is tolerated


def test_a_carried_body_moves_along(arms):
    clearance = Clearance(arms, ["left_1", "right_1"], hands=[["left_2"]])
    up = np.array([np.pi / 2, 0.0])
    assert clearance.is_free(up)
    # At zero the ball is at (0.4, 0), where the right arm begins.
    clearance.carry(Carried("ball", Pose([0.3, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])), tool="left_tool")
    assert clearance.is_free(up)
    hit = clearance.nearest([0.0, 0.0])
    assert hit is not None and set(hit.pair) == {"ball", "right"}
    clearance.carry(None)
    clearance.look_at(mujoco.MjData(arms))
    hit = clearance.nearest([0.0, 0.0])
    assert hit is not None and hit.pair == ("left_2", "finger")


def test_only_loose_bodies_are_carried(arms):
    clearance = Clearance(arms, ["left_1"])
    with pytest.raises(InvalidInput, match="'finger' is not loose"):
        clearance.carry(Carried("finger", Pose([0, 0, 0], [1, 0, 0, 0])), tool="left_tool")


def test_pairs_that_are_near_at_the_start_may_stay_near_but_not_touch(arms):
    arms.body_pos[arms.body("right").id] = 0.55, 0.0, 0.0
    clearance = Clearance(arms, ["left_1", "right_1"], margin=0.05)
    assert not clearance.is_free(np.zeros(2))
    clearance.tolerate(np.zeros(2))
    assert clearance.is_free(np.zeros(2))
    arms.body_pos[arms.body("right").id] = 0.5, 0.0, 0.0
    clearance.model.body_pos[arms.body("right").id] = 0.5, 0.0, 0.0  # now they touch
    assert not clearance.is_free(np.zeros(2))
    clearance.tolerate(None)
    assert not clearance.is_free(np.zeros(2))


# --- levers


@pytest.mark.parametrize("seed", range(3))
def test_no_point_moves_further_than_the_levers_allow(table, seed):
    clearance = Clearance.of_robot(table.model, ARM, prefix="arm/")
    rng = np.random.default_rng(seed)
    for _ in range(30):
        q, step = rng.uniform(LOWER, UPPER), rng.normal(0.0, 0.05, 4)
        places = []
        for posture in (q, q + step):
            clearance.free(posture)
            places.append(_points(clearance))
        moved = np.linalg.norm(places[1] - places[0], axis=1).max()
        assert 0.0 < moved <= clearance.levers @ np.abs(step) * (1.0 + 1e-9)


def test_levers_do_not_depend_on_the_margin_or_on_questions_before(table):
    wide = Clearance.of_robot(table.model, ARM, prefix="arm/", margin=0.05)
    wide.free(postures(3))
    tight = Clearance.of_robot(table.model, ARM, prefix="arm/")
    np.testing.assert_array_equal(wide.levers, tight.levers)


def _points(clearance: Clearance) -> np.ndarray:
    """Return the corners of the boxes inside all shapes."""
    model, data = clearance.model, clearance.data
    turns = data.geom_xmat.reshape(-1, 3, 3)
    reach = np.where(model.geom_rbound[:, None] > 0, model.geom_rbound[:, None], 0.0) / np.sqrt(3)
    corners = [
        data.geom_xpos + np.einsum("gij,gj->gi", turns, reach * sign)
        for sign in (np.ones(3), -np.ones(3), np.array([1.0, -1.0, 1.0]))
    ]
    collide = (model.geom_contype | model.geom_conaffinity) != 0
    return np.concatenate([corner[collide] for corner in corners])


# --- a plan through it


def test_a_plan_with_steps_of_twice_the_margin_never_touches(table):
    clearance = Clearance.of_robot(table.model, ARM, prefix="arm/", margin=0.01)
    clearance.look_at(table.data)
    exact = Clearance.of_robot(table.model, ARM, prefix="arm/")
    exact.look_at(table.data)
    free = [q for q in postures(60, seed=4) if clearance.is_free(q)]
    found = 0
    for i in range(6):
        motion = plan_free_motion(
            free[2 * i], free[2 * i + 1], LOWER, UPPER, clearance.is_free,
            seed=i, resolution=0.02, weights=clearance.levers, max_tries=200, shortcuts=10,
        )  # fmt: skip
        if motion.path is not None:
            found += 1
            for one, other in zip(motion.path[:-1], motion.path[1:], strict=True):
                assert exact.is_free(one + np.linspace(0.0, 1.0, 100)[:, None] * (other - one))
    assert found >= 5


def test_a_goal_in_the_body_is_refused_with_pair_and_distance(arms):
    clearance = Clearance(arms, ["left_1", "right_1"])
    motion = plan_free_motion(
        [1.0, 0.0], [0.0, 0.0], clearance.lower, clearance.upper, clearance.is_free,
        seed=0, resolution=0.01, weights=clearance.levers, describe=clearance.describe,
    )  # fmt: skip
    assert motion.reason == FreeMotionReason.GOALS_BLOCKED
    assert "left_2 is 20.0 mm inside finger" in motion.explanation


# --- wrong input


def test_wrong_names_and_numbers_are_refused(arms):
    with pytest.raises(UnknownName, match="no joint named 'left_3'"):
        Clearance(arms, ["left_3"])
    with pytest.raises(UnknownName, match="no body named 'thumb'"):
        Clearance(arms, ["left_1"], hands=[["thumb"]])
    with pytest.raises(InvalidInput, match="each once"):
        Clearance(arms, ["left_1", "left_1"])
    with pytest.raises(InvalidInput, match="margin"):
        Clearance(arms, ["left_1"], margin=-0.01)
    with pytest.raises(InvalidInput, match="rows of 1 finite joint values"):
        Clearance(arms, ["left_1"]).is_free([0.0, 1.0])
    with pytest.raises(InvalidInput, match="rows of 1 finite joint values"):
        Clearance(arms, ["left_1"]).is_free([np.nan])
