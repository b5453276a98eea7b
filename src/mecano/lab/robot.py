"""`mecano.connect`: a robot to program, simulated or real."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano import robots
from mecano.actuators.servos import GripperServo, Servos
from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose
from mecano.kinematics.chain import Chain
from mecano.lab.arm import Arm
from mecano.lab.devices import Joints
from mecano.lab.gripper import Gripper
from mecano.lab.session import Behaviour, Session, Snapshot
from mecano.lab.settings import Settings
from mecano.lab.simulated import SimulatedBackend, Truth, carried_body
from mecano.robots.description import MotionLimits, RobotDescription
from mecano.sensors.encoders import JointEncoders
from mecano.world.assembly import Change, Placement, assemble
from mecano.world.robot_model import Carried, RobotModel, Touch
from mecano.world.world import World

if TYPE_CHECKING:
    from mecano.lab.calibration import Calibration


class Robot:
    """A robot with the parts its description names. Use it in a `with` block."""

    arm: Arm
    gripper: Gripper
    truth: Truth
    """Simulation only: where things really are."""
    world: World
    """The physics itself, to push things and read anything; of a real robot only a shadow that
    shows what its encoders read."""
    real: bool = False
    encoders: list[Joints]
    """All joint encoders, the arm's first."""

    def __init__(self, description: RobotDescription, session: Session, name: str) -> None:
        """Make a robot without parts; `connect` adds them."""
        self.description, self.session, self.name = description, session, name
        session.robots.add(name)

    @property
    def time(self) -> float:
        """Time of its session [s]."""
        return self.session.time

    def wait(self, *what: Any, timeout: float | None = None) -> bool:
        """Let time pass: `wait(0.5)` for seconds, `wait(a, b)` until handles are done.

        Returns False if the timeout [s] came first.
        """
        if len(what) == 1 and isinstance(what[0], int | float):
            self.session.run_for(finite_number(what[0], name="time to wait [s]", lower=0.0))
            return True
        for each in what:
            if not hasattr(each, "done"):
                raise InvalidInput(f"wait() takes seconds, or handles of motions, not {each!r}")
        return self.session.wait_until(lambda: all(w.done for w in what), timeout=timeout)

    def run(self, behaviour: Callable[["Robot"], Any]) -> Behaviour:
        """Attach a behaviour: a function for every tick, or a generator that waits by yield."""
        attached = Behaviour(behaviour, self)
        with self.session.lock:
            self.session.behaviours.append(attached)
        return attached

    def stop(self) -> None:
        """Stop the motions of this robot and hold."""
        with self.session.lock:
            self.arm.stop()
            if hasattr(self, "gripper"):
                self.gripper.stop()

    def reset(self) -> None:
        """Go back to the beginning of the session, everything included."""
        self.session.reset()

    def snapshot(self) -> Snapshot:
        """Return the state of the session; `restore` goes back to it."""
        return self.session.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot: world, commands, randomness; motions in progress end."""
        self.session.restore(snapshot)

    def state_hash(self) -> str:
        """Return a short text that differs when any bit of the world's state does."""
        return self.world.state_hash()

    def close(self) -> None:
        """Leave the session; it ends when no robot is left in it."""
        self.session.robots.discard(self.name)
        if not self.session.robots:
            self.session.close()

    def __enter__(self) -> "Robot":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self.session.come_to_rest()
        self.close()


class SimulatedSurroundings:
    """Everything around a simulated robot is known."""

    def __init__(self, world: World) -> None:
        """Look at a world."""
        self.world = world

    def refresh(self, model: RobotModel) -> Carried | None:
        """Put the world's state into the model; return what the hand carries."""
        model.look_at(self.world.data)
        return carried_body(self.world, model)

    def touched(self, model: RobotModel) -> Touch | None:
        """Return two bodies that touch now and should not."""
        return model.unwanted_contact(self.world.data, 0.0)


def by_name(robots: Robot | dict[str, Robot]) -> dict[str, Robot]:
    """Return one robot, or all robots of a session, by their names."""
    named = {robots.name: robots} if isinstance(robots, Robot) else robots
    if not isinstance(named, dict) or not all(isinstance(r, Robot) for r in named.values()):
        raise InvalidInput(
            f"expected a robot from mecano.connect, or the robots from connect_all, got {robots!r}"
        )
    if len({id(robot.session) for robot in named.values()}) != 1:
        raise InvalidInput("the robots must be of one session: make them with mecano.connect_all")
    return named


@dataclass(frozen=True)
class Place:
    """Which robot, and where it stands; None takes the next mount of the scene."""

    robot: str
    pose: Pose | None = None


def connect(
    robot: str,
    *,
    real: str | None = None,
    scene: str | Path | None = None,
    seed: int = 0,
    noise: bool = False,
    settings: Settings | str | Path | None = None,
    changes: Sequence[Change] = (),
    start: str = "home",
    limp: bool = False,
    calibration: "Calibration | bool | None" = None,
) -> Robot:
    """Return a robot, ready to program: a simulated one, or the real one on a port.

    Args:
        robot: Name, see `mecano list`.
        real: Serial port of the real robot, such as `/dev/ttyUSB0`; None simulates it.
        scene: Name of a scene, or path of an MJCF file; by default a table in simulation, and
            nothing but the floor around a real robot.
        seed: Of everything random in the run.
        noise: Put noise on the sensors.
        settings: Changed physics, gains and limits; a `Settings` or a TOML file.
        changes: Functions that edit the scene's model before it is compiled.
        start: Named posture in which the arm begins; a real one begins where it is.
        limp: At the end let a real robot's motors go, instead of holding where it is.
        calibration: Of the arm: one at hand, True for the one that `mecano calibrate` stored,
            False for none. None takes the stored one for a real robot, if there is one.
    """
    if real is not None:
        from mecano.lab.real_robot import connect_real

        return connect_real(
            robot, real, scene=scene or "empty", seed=seed, settings=settings, changes=changes,
            limp=limp, calibration=calibration,
        )  # fmt: skip
    connected = connect_all(
        {robot: Place(robot)},
        scene=scene or "table",
        seed=seed,
        noise=noise,
        settings=settings,
        changes=changes,
        start=start,
        calibration=calibration or False,
    )
    return connected[robot]


def connect_all(
    places: dict[str, Place],
    *,
    scene: str | Path = "table",
    seed: int = 0,
    noise: bool = False,
    settings: Settings | str | Path | None = None,
    changes: Sequence[Change] = (),
    start: str = "home",
    calibration: "Calibration | bool" = False,
) -> dict[str, Robot]:
    """Return several simulated robots in one world and one session, by name. See `connect`."""
    if not places:
        raise InvalidInput("at least one robot is needed")
    for name in places:
        if not name or "/" in name:
            raise InvalidInput(f"a robot may not be called '{name}'; use letters, digits and _")
    chosen = settings if isinstance(settings, Settings) else Settings.load(settings)
    placements = {
        name: Placement(robot=robots.get(place.robot), prefix=f"{name}/", pose=place.pose)
        for name, place in places.items()
    }
    world = make_world(list(placements.values()), scene, chosen, changes)
    backend = SimulatedBackend(world, tick=min(p.robot.tick for p in placements.values()))
    for placement in placements.values():
        _set_posture(world, placement, start)
    world.mark_initial()
    session = Session(backend, seed=seed)
    connected = {
        name: _build(session, backend, placement, name, chosen, noise, calibration)
        for name, placement in placements.items()
    }
    world.mark_initial()
    session.mark_initial()
    return connected


def make_world(
    placements: Sequence[Placement],
    scene: str | Path,
    settings: Settings,
    changes: Sequence[Change],
) -> World:
    """Return a world with robots in a scene."""
    spec = assemble(placements, scene=scene, physics=settings.physics, changes=changes)
    settings.apply(spec)
    return World(spec)


def _set_posture(world: World, placement: Placement, posture: str) -> None:
    """Put the arm into a posture and the gripper open, before time begins."""
    known = dict.fromkeys(p for c in placement.robot.chains.values() for p in c.postures)
    if posture not in known:
        raise UnknownName("posture", posture, known)
    for chain in placement.robot.chains.values():
        if posture in chain.postures:
            for joint, value in zip(chain.joint_names, chain.postures[posture], strict=True):
                world.data.joint(placement.prefix + joint).qpos[0] = value
    gripper = placement.robot.gripper
    if gripper is not None:
        for joint in (gripper.joint, gripper.follower):
            world.data.joint(placement.prefix + joint).qpos[0] = gripper.open
        actuator = world.model.actuator(placement.prefix + gripper.joint)
        if actuator.actnum[0]:  # the servo's own idea of where it is on its way
            world.data.act[actuator.actadr[0]] = gripper.open


def calibrated(
    chain: Chain, description: RobotDescription, calibration: "Calibration | bool | None"
) -> Chain:
    """Return a chain as it was measured on the user's own arm, see `connect`."""
    from mecano.lab.calibration import load

    if calibration is False:
        return chain
    if calibration is None or calibration is True:
        stored = load(description.name)
        if stored is None and calibration is True:
            raise InvalidInput(
                f"no calibration of {description.name} is stored; make one with: mecano calibrate"
            )
        return chain if stored is None else stored.apply(chain)
    return calibration.apply(chain)


def motion_limits(description: RobotDescription, settings: Settings) -> MotionLimits:
    """Return how fast the arm moves; the servos must be able to."""
    assert description.limits is not None
    motion = settings.motion(description.limits)
    fastest = min(servo.speed for servo in description.servos.values())
    if motion.velocity > fastest:
        raise InvalidInput(
            f"motion.velocity is {motion.velocity:g} rad/s, the servos reach {fastest:g} rad/s"
        )
    return motion


def _build(
    session: Session,
    backend: SimulatedBackend,
    placement: Placement,
    name: str,
    settings: Settings,
    noise: bool,
    calibration: "Calibration | bool",
) -> Robot:
    """Give a robot its parts, as far as its description has them."""
    description, prefix, world = placement.robot, placement.prefix, backend.world
    robot = Robot(description, session, name)
    robot.truth = Truth(world, prefix)
    robot.world = world
    chain = calibrated(settings.limited(description.chain()), description, calibration)
    names = chain.joint_names
    random = session.random.get(f"{prefix}encoders") if noise else None
    encoders = JointEncoders(
        world,
        names,
        prefix=prefix,
        rate=1.0 / backend.tick,
        resolution=np.array([description.servos[joint].resolution for joint in names]),
        noise=random,
    )
    backend.sensors.append(encoders)
    robot.encoders = [encoders]
    servos = Servos(world, names, prefix=prefix)
    model = RobotModel(world.model, description, prefix=prefix, chain=chain.name)
    servos.carry(model.gravity_torque(encoders.position))
    robot.arm = Arm(
        session,
        chain,
        motion_limits(description, settings),
        max_torque=min(servo.torque for servo in description.servos.values()),
        joints=encoders,
        drives=servos,
        model=model,
        surroundings=SimulatedSurroundings(world),
        tick=backend.tick,
    )
    if description.gripper is not None:
        facts = description.gripper
        finger = JointEncoders(
            world,
            [facts.joint],
            prefix=prefix,
            rate=1.0 / backend.tick,
            resolution=np.array([facts.resolution]),
            noise=random,
        )
        backend.sensors.append(finger)
        robot.encoders.append(finger)
        servo = GripperServo(world, facts.joint, prefix=prefix, max_force=facts.max_force)
        robot.gripper = Gripper(session, facts, joint=finger, drive=servo)
    return robot
