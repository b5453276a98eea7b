"""What a robot's model says, against MuJoCo itself, the kinematics, and paper and pencil."""

import mujoco
import numpy as np
import pytest

from mecano import robots
from mecano.core.poses import Pose
from mecano.robots.description import RobotDescription
from mecano.world import Placement, World, assemble
from mecano.world.robot_model import Carried, RobotModel

ARM: RobotDescription = robots.get("open_manipulator_x")
CHAIN = ARM.chain()
MOUNT = Pose.from_xyz_rpy([0.3, -0.2, 0.1], [0.0, 0.0, 0.7])


def random_rows(count: int, scale: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-scale, scale, (count, 4))


def random_postures(count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.uniform(CHAIN.dh.lower, CHAIN.dh.upper, (count, 4))


@pytest.fixture(scope="module")
def turned() -> RobotModel:
    """The arm on a mount that is moved and turned about the vertical, beside another one."""
    world = World(
        assemble(
            [
                Placement(robot=ARM, prefix="other/"),
                Placement(robot=ARM, prefix="arm/", pose=MOUNT),
            ]
        )
    )
    return RobotModel(world.model, ARM, prefix="arm/")


class Witness:
    """The arm's own file in plain MuJoCo, without friction, contacts or other constraints."""

    def __init__(self) -> None:
        assert ARM.model is not None
        self.model = mujoco.MjModel.from_xml_path(str(ARM.folder / ARM.model))
        self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        self.model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
        self.model.opt.gravity[:] = 0.0, 0.0, -9.81
        self.data = mujoco.MjData(self.model)
        self.dofs = [self.model.joint(name).dofadr[0] for name in CHAIN.joint_names]

    def inverse(self, q, velocity, acceleration) -> np.ndarray:
        data = self.data
        data.qvel[:], data.qacc[:] = 0.0, 0.0
        data.qpos[self.dofs], data.qvel[self.dofs], data.qacc[self.dofs] = q, velocity, acceleration
        mujoco.mj_inverse(self.model, data)
        return data.qfrc_inverse[self.dofs].copy()

    def mass_matrix(self, q) -> np.ndarray:
        self.data.qpos[self.dofs] = q
        mujoco.mj_forward(self.model, self.data)
        full = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return full[np.ix_(self.dofs, self.dofs)]


@pytest.fixture(scope="module")
def witness() -> Witness:
    return Witness()


# --- kinematics


def test_the_tool_is_where_the_chain_puts_it(turned):
    for q in random_postures(50, seed=0):
        wanted = MOUNT.matrix() @ CHAIN.forward(q)
        np.testing.assert_allclose(turned.tool_pose(q).matrix(), wanted, atol=1e-9)


def test_the_jacobian_is_the_chains_turned_by_the_mount(turned):
    R = np.kron(np.eye(2), MOUNT.rotation_matrix())
    for q in random_postures(50, seed=1):
        np.testing.assert_allclose(turned.jacobian(q), R @ CHAIN.dh.jacobian(q), atol=1e-9)


def test_the_jacobian_is_the_slope_of_the_tool_pose(turned):
    h = 1e-6
    for q in random_postures(10, seed=2):
        slope = [
            (turned.tool_pose(q + step).position - turned.tool_pose(q - step).position) / (2 * h)
            for step in h * np.eye(4)
        ]
        np.testing.assert_allclose(turned.jacobian(q)[:3], np.array(slope).T, atol=1e-8)


# --- mass


def test_the_mass_matrix_is_symmetric_and_positive_definite(turned):
    for q in random_postures(50, seed=3):
        M = turned.mass_matrix(q)
        np.testing.assert_allclose(M, M.T, atol=1e-15)
        assert np.linalg.eigvalsh(M).min() > 0.0


def test_the_mass_matrix_is_mujocos_own(turned, witness):
    for q in random_postures(50, seed=4):
        np.testing.assert_allclose(turned.mass_matrix(q), witness.mass_matrix(q), atol=1e-12)


def test_the_mass_matrix_does_not_ask_where_the_base_points(turned):
    for q in random_postures(10, seed=5):
        other = q.copy()
        other[0] += 1.0
        np.testing.assert_allclose(turned.mass_matrix(q), turned.mass_matrix(other), atol=1e-12)


def test_the_mass_matrix_holds_half_the_energy_of_the_motion(turned, witness):
    rows = zip(random_postures(10, seed=6), random_rows(10, 2.0, seed=6), strict=True)
    for q, velocity in rows:
        data = witness.data
        data.qvel[:] = 0.0
        data.qpos[witness.dofs], data.qvel[witness.dofs] = q, velocity
        mujoco.mj_forward(witness.model, data)
        mujoco.mj_energyVel(witness.model, data)
        ours = 0.5 * velocity @ turned.mass_matrix(q) @ velocity
        assert ours == pytest.approx(data.energy[1], rel=1e-9)


# --- torques


def test_gravity_at_zero_is_what_paper_and_pencil_give(turned):
    # Levers of the masses over joint2, joint3 and joint4 with all frames parallel [kg, m].
    link3, link4, link5, finger = 0.13850917, 0.13274562, 0.14327573, 0.032218127
    x3 = 0.010308393
    x4 = 0.024 + 0.09090959
    x5 = 0.024 + 0.124 + 0.044206755
    xf = 0.024 + 0.124 + 0.0817 + 0.0101
    about_2 = link3 * x3 + link4 * x4 + link5 * x5 + 2 * finger * xf
    about_3 = link4 * (x4 - 0.024) + link5 * (x5 - 0.024) + 2 * finger * (xf - 0.024)
    about_4 = link5 * (x5 - 0.148) + 2 * finger * (xf - 0.148)
    # Turning about +y lowers the nose, and so does the weight: the motors pull the other way.
    wanted = -9.81 * np.array([0.0, about_2, about_3, about_4])
    np.testing.assert_allclose(turned.gravity_torque(np.zeros(4)), wanted, atol=1e-9)


def test_gravity_is_the_slope_of_the_potential_energy(turned, witness):
    h = 1e-6
    for q in random_postures(10, seed=7):
        slope = []
        for step in h * np.eye(4):
            height = []
            for side in (q + step, q - step):
                witness.data.qpos[witness.dofs] = side
                mujoco.mj_forward(witness.model, witness.data)
                mujoco.mj_energyPos(witness.model, witness.data)
                height.append(witness.data.energy[0])
            slope.append((height[0] - height[1]) / (2 * h))
        np.testing.assert_allclose(turned.gravity_torque(q), slope, atol=1e-7)


def test_inverse_dynamics_are_mujocos_own(turned, witness):
    rows = zip(
        random_postures(100, seed=8),
        random_rows(100, 4.0, seed=9),
        random_rows(100, 20.0, seed=10),
        strict=True,
    )
    for q, velocity, acceleration in rows:
        ours = turned.inverse_dynamics(q, velocity, acceleration)
        np.testing.assert_allclose(ours, witness.inverse(q, velocity, acceleration), atol=1e-9)


def test_inverse_dynamics_are_mass_coriolis_and_gravity_added(turned):
    for q, velocity in zip(random_postures(20, 11), random_rows(20, 3.0, 11), strict=True):
        acceleration = 5.0 * velocity[::-1]
        parts = (
            turned.mass_matrix(q) @ acceleration
            + turned.coriolis_torque(q, velocity)
            + turned.gravity_torque(q)
        )
        whole = turned.inverse_dynamics(q, velocity, acceleration)
        np.testing.assert_allclose(whole, parts, atol=1e-9)


def test_coriolis_is_zero_at_rest(turned):
    for q in random_postures(10, seed=12):
        np.testing.assert_array_equal(turned.coriolis_torque(q, np.zeros(4)), np.zeros(4))


def test_coriolis_grows_with_the_square_of_the_speed(turned):
    for q, velocity in zip(random_postures(20, 13), random_rows(20, 2.0, 13), strict=True):
        once, thrice = (turned.coriolis_torque(q, k * velocity) for k in (1.0, 3.0))
        np.testing.assert_allclose(thrice, 9.0 * once, atol=1e-12)


def test_asking_the_model_leaves_the_world_alone():
    world = World(assemble([Placement(robot=ARM, prefix="arm/")], scene="table"))
    model = RobotModel(world.model, ARM, prefix="arm/")
    before = world.state_hash()
    q = np.array([0.3, 0.2, 0.1, 0.0])
    model.inverse_dynamics(q, q, q)
    colliding(model, q)
    model.jacobian(q)
    assert world.state_hash() == before


# --- collisions


def colliding(model, q, carried=None) -> tuple[str, str] | None:
    touch = model.collision(q, carried)
    return None if touch is None else touch.pair


@pytest.fixture(scope="module")
def bench() -> tuple[World, RobotModel]:
    world = World(
        assemble(
            [Placement(robot=ARM, prefix="a/"), Placement(robot=ARM, prefix="b/")], scene="table"
        )
    )
    for name, value in zip(CHAIN.joint_names, CHAIN.postures["home"], strict=True):
        world.data.joint(f"b/{name}").qpos[0] = value
    model = RobotModel(world.model, ARM, prefix="a/")
    model.look_at(world.data)
    return world, model


def posture_at(x, y, z, pitch) -> np.ndarray:
    answer = CHAIN.inverse([x, y, z], pitch=pitch)
    assert answer.reached
    return answer.solutions[0]


@pytest.mark.parametrize("name", ["home", "home_gui"])
def test_the_named_rest_postures_are_free(bench, name):
    assert colliding(bench[1], np.array(CHAIN.postures[name])) is None


def test_a_hand_in_the_table_is_foreseen(bench):
    pair = colliding(bench[1], posture_at(0.15, 0.1, 0.005, 1.4))
    assert pair is not None and "table" in pair
    assert any(body.startswith("a/gripper") for body in pair)


def test_a_hand_above_the_table_is_free(bench):
    assert colliding(bench[1], posture_at(0.15, 0.1, 0.04, 1.4)) is None


def test_the_arm_in_its_own_way_is_foreseen(bench):
    pair = colliding(bench[1], np.array([0.65, -0.5, 1.38, 1.97]))
    assert pair is not None and all(body.startswith("a/") for body in pair)


def test_the_other_robot_is_foreseen(bench):
    pair = colliding(bench[1], posture_at(0.33, 0.0, 0.17, 0.0))
    assert pair is not None
    assert {body.split("/")[0] for body in pair} == {"a", "b"}


def test_fingers_may_touch_a_loose_body(bench):
    world, model = bench
    cube = world.body_pose("cube").position
    q = posture_at(cube[0], cube[1], 0.03, 1.4)
    model.data.joint("a/gripper").qpos[0] = model.data.joint("a/gripper_sub").qpos[0] = -0.006
    mujoco.mj_forward(model.model, model.data)
    assert colliding(model, q) is None
    touching = model.data.contact.geom[: model.data.ncon]
    names = {
        frozenset(model.model.body(model.model.geom_bodyid[g]).name for g in p) for p in touching
    }
    assert frozenset({"cube", "a/gripper_left_link"}) in names
    model.look_at(world.data)


def test_links_may_not_touch_a_loose_body(bench):
    world, model = bench
    in_the_wrist = Carried("cube", Pose.from_xyz_rpy([-0.10, 0.0, 0.0]))
    pair = colliding(model, np.array(CHAIN.postures["home"]), in_the_wrist)
    model.look_at(world.data)
    assert pair is not None and "cube" in pair


def test_a_carried_body_moves_with_the_hand(bench):
    world, model = bench
    q = posture_at(0.2, 0.0, 0.2, 0.3)
    grip = Pose.from_xyz_rpy([0.0, 0.0, 0.0], [0.1, 0.0, 0.0])
    colliding(model, q, Carried("cube", grip))
    there = model.data.body("cube")
    wanted = model.tool_pose(q) @ grip
    np.testing.assert_allclose(there.xpos, wanted.position, atol=1e-9)
    model.look_at(world.data)


def test_a_carried_body_may_not_go_through_the_table(bench):
    world, model = bench
    q = posture_at(0.15, 0.1, 0.06, 0.3)
    below = Carried("cube", Pose.from_xyz_rpy([0.02, 0.0, -0.055]))
    pair = colliding(model, q, below)
    model.look_at(world.data)
    assert pair is not None and set(pair) == {"table", "cube"}


def test_a_table_that_carries_the_mount_is_not_part_of_the_arm(tmp_path):
    file = tmp_path / "bench.xml"
    file.write_text(
        """<mujoco><worldbody><body name="bench" pos="0 0 0.5">
        <geom type="box" size="0.5 0.5 0.02" pos="0 0 -0.02"/><site name="mount"/></body>
        <body name="toy" pos="0.3 0.3 0.519"><freejoint/><geom type="box" size=".02 .02 .02"/>
        </body>
        </worldbody></mujoco>"""
    )
    world = World(assemble([Placement(robot=ARM, prefix="a/")], scene=file))
    model = RobotModel(world.model, ARM, prefix="a/")
    model.look_at(world.data)
    assert colliding(model, np.array(CHAIN.postures["home"])) is None
