"""The grasp card: does the gripper hold a cube by friction alone, shaken in three axes?

Seeds 0 to 11 are the card: cubes of 25, 30, 35 and 40 mm with 20, 60 and 100 g. Later seeds draw
both at random in that range. The arm stands on a plate that swings on springs, 2 m/s2 in each axis.
"""

import math

import mujoco
import numpy as np

from mecano.core.poses import Pose
from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Score
from mecano.tasks.steps import first_problem, held, moved

SIZES = (0.025, 0.030, 0.035, 0.040)
MASSES = (0.02, 0.06, 0.10)
PITCH, ABOVE, GRASP_HEIGHT = 1.45, 0.10, 0.026
GRIP = 15.0
"""Force of each finger [N]."""
ACCELERATION = 2.0
"""Amplitude of the shaking in each axis [m/s2]."""
SHAKE_TIME = 20.0
FREQUENCIES = (1.7, 2.0, 2.3)
"""Of the plate's springs, x, y, z [Hz]."""
PLATE_MASS = 200.0
MAX_SLIP = 0.0005
"""How far the cube may move in the hand [m]."""


def cube_of(rng: np.random.Generator, seed_index: int | None) -> tuple[float, float]:
    """Return edge [m] and mass [kg]: a field of the card, or a random one."""
    if seed_index is not None and seed_index < len(SIZES) * len(MASSES):
        return SIZES[seed_index % len(SIZES)], MASSES[seed_index // len(SIZES)]
    return float(rng.uniform(SIZES[0], SIZES[-1])), float(rng.uniform(MASSES[0], MASSES[-1]))


def cube_change(edge: float, mass: float):
    """Return the change that gives the scene's cube this size and mass."""

    def change(spec: mujoco.MjSpec) -> None:
        body, geom = spec.body("cube"), spec.geom("cube")
        geom.size, geom.mass = [edge / 2] * 3, mass
        body.pos = [*body.pos[:2], edge / 2 - 5e-5]

    return change


def vary(rng: np.random.Generator, seed: int) -> list:
    """Put the cube of this seed into the scene."""
    return [cube_change(*cube_of(rng, seed))]


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Grasp, lift, shake, measure, release."""
    world = robot.world
    cube = world.model.body("cube")
    metrics: dict = {
        "edge_mm": round(2000 * float(world.model.geom("cube").size[0]), 3),
        "mass_g": round(1000 * float(cube.mass[0]), 3),
        "welds": count_welds(world.model),
    }
    problem = pick(robot, GRIP)
    if problem is not None:
        return Score(success=False, metrics=metrics, remark=problem)
    robot.wait(0.3)
    watch = HandWatch(robot)
    shake(robot, watch)
    metrics |= {
        "grip_force_n": round(robot.gripper.force, 2),
        "slip_mm": round(1000 * watch.slip, 4),
        "tilt_deg": round(math.degrees(watch.tilt), 3),
        "shaking_m_s2": round(min(watch.accelerations), 3),
    }
    held = robot.gripper.holding and watch.slip < 0.01
    released = release(robot)
    metrics |= {"held": held, "release_time_s": round(released, 3)}
    success = bool(
        held and watch.slip <= MAX_SLIP and math.isfinite(released) and metrics["welds"] == 0
    )
    remark = "" if success else f"slip {1000 * watch.slip:.2f} mm, held {held}"
    return Score(success=success, metrics=metrics, remark=remark)


def pick(robot: Robot, force: float) -> str | None:
    """Take the cube from its place and lift it; return what went wrong, if anything."""
    arm, gripper = robot.arm, robot.gripper
    x, y, _ = robot.truth.body_pose("cube").position
    return first_problem(
        (
            lambda: moved(arm.move_to([x, y, ABOVE], pitch=PITCH)),
            lambda: moved(arm.move_line([x, y, GRASP_HEIGHT])),
            lambda: held(gripper.close(force=force)),
            lambda: moved(arm.move_line([x, y, ABOVE])),
        )
    )


class HandWatch:
    """Follows the cube in the hand, tick by tick."""

    def __init__(self, robot: Robot) -> None:
        """Begin with the cube where it is in the hand now."""
        self.robot = robot
        self.start = self.pose_in_hand()
        self.slip = self.tilt = 0.0
        self._velocities: list[np.ndarray] = []

    def pose_in_hand(self) -> Pose:
        """Return the pose of the cube seen from the tool."""
        truth = self.robot.truth
        return truth.tool_pose().inverse() @ truth.body_pose("cube")

    def look(self, robot: Robot) -> None:
        """Take note of this tick."""
        now = self.pose_in_hand()
        self.slip = max(self.slip, now.distance_to(self.start))
        self.tilt = max(self.tilt, now.angle_to(self.start))
        self._velocities.append(robot.world.data.body("plate").cvel[3:].copy())

    @property
    def accelerations(self) -> list[float]:
        """Amplitude of the plate's acceleration in x, y, z, over the second half [m/s2]."""
        velocity = np.array(self._velocities)
        rate = np.diff(velocity[len(velocity) // 2 :], axis=0) / self.robot.arm.tick
        return [float(v) for v in np.sqrt(2.0) * rate.std(axis=0)]


def shake(robot: Robot, watch: HandWatch, seconds: float = SHAKE_TIME) -> None:
    """Push the plate into swing, keep the swing at its size, and watch."""
    world = robot.world
    start = robot.time
    joints = [world.model.joint(f"shake_{axis}") for axis in "xyz"]
    places = [joint.qposadr[0] for joint in joints]
    speeds = [joint.dofadr[0] for joint in joints]
    motors = world.model.actuator_ctrladr[[world.index("actuator", f"shake_{a}") for a in "xyz"]]
    omega = 2.0 * math.pi * np.array(FREQUENCIES)
    wanted = 1.03 * ACCELERATION / omega  # speed in the middle of a swing, and what friction takes

    def drive(robot: Robot) -> None:
        velocity = world.data.qvel[speeds]
        size = np.hypot(velocity, omega * world.data.qpos[places])
        at_rest = np.cos(omega * (robot.time - start))
        along = np.where(size > 0.01, velocity / np.maximum(size, 0.01), at_rest)
        world.data.ctrl[motors] = np.clip(20.0 * PLATE_MASS * (wanted - size) * along, -500, 500)
        watch.look(robot)

    behaviour = robot.run(drive)
    robot.wait(1.0 + seconds)
    behaviour.stop()


def release(robot: Robot) -> float:
    """Open the fingers; return when the cube has left the hand, infinity if it has not [s]."""
    before = robot.truth.body_pose("cube").position[2]
    began = robot.time
    robot.gripper.open(wait=False)
    fallen = robot.session.wait_until(
        lambda: robot.truth.body_pose("cube").position[2] < before - 0.02, timeout=2.0
    )
    return robot.time - began if fallen else math.inf


def count_welds(model: mujoco.MjModel) -> int:
    """Return how many constraints could glue the cube to the hand: there must be none."""
    gluing = (mujoco.mjtEq.mjEQ_WELD, mujoco.mjtEq.mjEQ_CONNECT)
    return int(np.isin(model.eq_type, gluing).sum())


EXPERIMENT = Experiment(
    name="open_manipulator_x/grasp-card",
    title="hold cubes of 25-40 mm and 20-100 g for 20 s, shaken with 2 m/s2 in three axes",
    robot="open_manipulator_x",
    scene="shaker",
    vary=vary,
    run=run,
    settings={"physics.timestep": 0.001},
)
