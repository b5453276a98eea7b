"""`mecano.connect`: a robot to program, simulated or real."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, cast

from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.belief import Estimator
from mecano.core.devices import CameraDevice, ImuDevice, JointSensor, LidarSensor, RangeSensor
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import RobotState
from mecano.core.named import Named
from mecano.core.poses import Pose, Pose2
from mecano.importing.sources import Source, find_robot, robot_label
from mecano.lab.building import build, make_world
from mecano.lab.checks import (
    check_flags,
    checked_changes,
    checked_scene,
    checked_seed,
    checked_settings,
)
from mecano.lab.postures import refuse_overlaps, set_posture, settle
from mecano.lab.robot_text import missing_attribute, robot_text
from mecano.lab.settings import Settings
from mecano.lab.simulated import SimulatedBackend, Truth
from mecano.lab.simulated_devices import SimulatedDevices
from mecano.lab.wheel_slip import add_declared_slip
from mecano.lab.whole import whole_state
from mecano.parts.arm import Arm
from mecano.parts.arms import Arms
from mecano.parts.base import Base
from mecano.parts.cups import Cups
from mecano.parts.gripper import Gripper
from mecano.parts.hand import Hand
from mecano.parts.handle import Handle
from mecano.parts.legs import Legs
from mecano.parts.part import MissingPart, Parts
from mecano.parts.standing_legs import StandingLegs
from mecano.robots.description import RobotDescription
from mecano.session.behaviours import Behaviour
from mecano.session.session import LONGEST, OnFailure, Session, Snapshot
from mecano.world.assembly import Change, Placement
from mecano.world.clearance import Clearance
from mecano.world.footprint import Footprint
from mecano.world.world import World

if TYPE_CHECKING:
    from mecano.core.messages import OccupancyGrid
    from mecano.estimation.scan_fusion import FusedScan
    from mecano.lab.exploring import ExplorationResult
    from mecano.lab.listening import Listening
    from mecano.lab.locating import LiveLocalization
    from mecano.lab.manipulating import Manipulator
    from mecano.lab.mapping import LiveMapping
    from mecano.lab.navigating import LiveNavigation
    from mecano.lab.pose_sources import PoseSource
    from mecano.planning.navigation.contract import GlobalPlanner, LocalPlanner
    from mecano.planning.paths import PathCurve
    from mecano.robots.calibration import Calibration
    from mecano.skills.manipulation.outcomes import PickResult, PlaceResult
    from mecano.skills.navigation.parameters import NavigatorParameters
    from mecano.skills.navigation.ros_parameters import RosParameters


SomeSettings = Settings | Mapping[str, Any] | str | Path | None
"""Changed settings, as `connect` takes them."""


class Robot:
    """A robot with the parts its description names. Use it in a `with` block."""

    parts: Parts
    """All parts by name, in one order: recorder, view, shell and topics iterate over them."""
    arms: Arms
    """Its arms by name, and what they do together. Legs, torso and head of an imported robot are
    moved in the same way and come after the arms; `chain.role` says which is which."""
    cameras: "dict[str, CameraDevice]"
    """Its cameras, by name."""
    ranges: "dict[str, RangeSensor]"
    """Sensors that measure a distance, by name."""
    lidars: "dict[str, LidarSensor]"
    """Its scanners, by name; `scan` makes one scan of all."""
    truth: Truth
    """Simulation only: ground truth."""
    world: World
    """The physics itself, to push things and read anything; of a real robot only a shadow that
    shows what its encoders read."""
    real: bool = False
    family: str = "simulated"
    """Kind of its devices: simulated, replayed, or those of a real robot."""
    estimator: Estimator | None = None
    """What maps or locates while it drives, if something does; the view draws its estimate."""
    navigation: "LiveNavigation | None" = None
    """What drives it to goals, inside the `with` block of `start_navigation`."""
    global_planner: "GlobalPlanner | None" = None
    """Plans in the place of ours where `start_navigation` names none (`--use planner=...`)."""

    def __init__(self, description: RobotDescription, session: Session, name: str) -> None:
        """Make a robot without parts; `connect` adds them."""
        self.description, self.session, self.name = description, session, name
        self.parts, self.arms = Parts(name), Arms(self._clearance)
        self.cameras, self.ranges = Named("camera"), Named("range sensor")
        self.lidars = Named("LIDAR")
        self._imu: ImuDevice | None = None
        session.robots.add(name)

    def add_arm(self, arm: Arm) -> None:
        """Give it one more arm."""
        self.parts.add(arm)
        self.arms[arm.name] = arm
        if len(self.arms) == 1:
            self.session.steppers.append(self.arms)

    def add_imu(self, imu: ImuDevice | None) -> None:
        """Give it its inertial sensor."""
        self._imu = imu

    def __repr__(self) -> str:
        return robot_text(self)

    # --- parts; a missing one raises `MissingPart`, which says what there is

    if not TYPE_CHECKING:  # a type checker shall go on to report names that are not there

        def __getattr__(self, name: str) -> NoReturn:
            """Raise for what it does not have; a property whose part is missing ends here, too."""
            if name.startswith("_") or "parts" not in self.__dict__:
                raise AttributeError(f"'Robot' object has no attribute '{name}'")
            raise missing_attribute(self, name)

    @property
    def arm(self) -> Arm:
        """The first of its arms; a leg, a torso or a head is none, `arms` has them by name."""
        for part in self.parts.of(Arm):
            if part.chain.role == "arm":
                return part
        why = self.parts.absent.get(Arm.kind, "")
        raise MissingPart(self.name, Arm.kind, tuple(self.parts), why)

    @property
    def gripper(self) -> Gripper:
        """The first of its grippers."""
        return self.parts.first(Gripper)

    @property
    def grippers(self) -> dict[str, Gripper]:
        """Its grippers, by the name of the arm that carries them."""
        return Named("gripper", {part.arm: part for part in self.parts.of(Gripper)})

    @property
    def hand(self) -> Hand:
        """The first of its hands with fingers."""
        return self.parts.first(Hand)

    @property
    def hands(self) -> dict[str, Hand]:
        """Its hands with fingers, by the name of the arm that carries them."""
        return Named("hand", {part.arm: part for part in self.parts.of(Hand)})

    @property
    def base(self) -> Base:
        """Its wheeled base."""
        return self.parts.first(Base)

    @property
    def legs(self) -> Legs:
        """All of its legs: with cups `Legs`, on plain feet `StandingLegs`, which also has single
        legs, `tips` and `walk`.
        """
        for part in self.parts.of(StandingLegs):
            return cast(Legs, part)
        return self.parts.first(Legs)

    @property
    def cups(self) -> Cups:
        """The cups of its feet."""
        return self.parts.first(Cups)

    @property
    def imu(self) -> ImuDevice:
        """Its inertial sensor."""
        if self._imu is None:
            raise MissingPart(self.name, "imu", tuple(self.parts))
        return self._imu

    @property
    def has_imu(self) -> bool:
        """Whether it has an inertial sensor of its own."""
        return self._imu is not None

    @property
    def camera(self) -> CameraDevice:
        """The first of its cameras."""
        for camera in self.cameras.values():
            return camera
        raise MissingPart(self.name, "camera", tuple(self.parts))

    @property
    def encoders(self) -> list[JointSensor]:
        """Encoders of all parts that have joints, in the order of the parts."""
        return [encoders for _, encoders in self.parts.jointed]

    def _clearance(self) -> Clearance:
        own = self.description
        return Clearance.of_robot(self.world.model, own, prefix=f"{self.name}/", chains=own.arms)

    @property
    def time(self) -> float:
        """Time of its session [s]."""
        return self.session.time

    @property
    def real_time(self) -> float:
        """Real time since its session began, whatever the pace [s]."""
        return self.session.wall.now()

    def state(self, *, clean: bool = False) -> RobotState:
        """Return the state of the whole robot in one message; `clean` is it without noise."""
        with self.session.lock:
            return whole_state(self, clean=clean)

    def scan(self, *, deskew: bool = False, clean: bool = False, bins: int = 720) -> "FusedScan":
        """Return what all LIDARs see, as one scan around the base at the newest time.

        Args:
            deskew: Place every beam where the base was when it was measured.
            clean: Take readings without noise.
            bins: Directions of the scan, 360 to 720.
        """
        from mecano.lab.lidars import fused_scan

        return fused_scan(self, deskew=deskew, clean=clean, bins=bins)

    def start_mapping(self) -> "LiveMapping":
        """Return what builds a map of all scans from now on; use it in a `with` block."""
        from mecano.lab.mapping import LiveMapping

        return LiveMapping(self)

    def explore(
        self,
        mapping: "LiveMapping",
        *,
        max_time: float = 1800.0,
        shortest: float = 0.4,
        on_progress: Callable[[float, int], None] | None = None,
    ) -> "ExplorationResult":
        """Drive to the frontiers of the map that is being built, until it is closed.

        Args:
            mapping: What `start_mapping` returned, inside of its `with` block.
            max_time: It ends after this time [s].
            shortest: Frontiers shorter than this are left alone [m].
            on_progress: Told every few seconds of the known area [m2] and of frontiers left.
        """
        from mecano.lab.exploring import explore

        return explore(self, mapping, max_time=max_time, shortest=shortest, on_progress=on_progress)

    def start_localization(
        self,
        grid: "OccupancyGrid | str | Path",
        *,
        start: Pose2 | None = None,
        start_deviation: tuple[float, float] = (0.1, 0.1),
    ) -> "LiveLocalization":
        """Start localization in a map, by all scans from now on; use it in a `with` block.

        Args:
            grid: The map, or the YAML file of one.
            start: Where the base is in the map; None if it may be anywhere.
            start_deviation: How uncertain that is: standard deviations [m], [rad].
        """
        from mecano.lab.locating import LiveLocalization

        return LiveLocalization(self, grid, start=start, start_deviation=start_deviation)

    def start_navigation(
        self,
        grid: "OccupancyGrid | str | Path | None" = None,
        *,
        pose: "str | Listening | PoseSource" = "ground truth",
        start: Pose2 | None = None,
        stations: Mapping[str, Pose2] | None = None,
        planner: "str | GlobalPlanner" = "",
        controller: "str | LocalPlanner" = "",
        parameters: "NavigatorParameters | RosParameters | str | Path | None" = None,
        talk: bool = True,
    ) -> "LiveNavigation":
        """Start navigation to poses and named stations; use it in a `with` block.

        Args:
            grid: The map, or the YAML file of one; None drives in what the scanner sees.
            pose: Where poses come from: what `start_localization` returned, "odometry", or "ground
                truth" of a simulation.
            start: Of odometry, in the map.
            stations: Named poses in the map.
            planner: Name of a global planner, or an object of your own; empty takes ours.
            controller: Name of a local planner, or an object of your own; empty takes ours.
            parameters: Of the navigator, or the YAML file of move_base or Nav2; None takes ours.
            talk: Print what changes, with the time of the session.
        """
        from mecano.lab.navigating import LiveNavigation

        return LiveNavigation(
            self, grid, pose=pose, start=start, stations=stations, planner=planner,
            controller=controller, parameters=parameters, talk=talk,
        )  # fmt: skip

    @cached_property
    def manipulation(self) -> "Manipulator":
        """Its first arm with a gripper, and the camera that sees the table: pick and place."""
        from mecano.lab.drawing import drawing
        from mecano.lab.manipulating import Manipulator

        gripper = self.gripper
        arm = self.arms[gripper.arm]
        name = next(iter(self.cameras), None)
        if name is None:
            raise MissingPart(
                self.name, "camera", tuple(self.parts), "pick and place look before they act; "
                "robots with a camera over their table: crumb_mast, open_manipulator_x_camera",
            )  # fmt: skip
        facts = next(each for each in self.description.cameras if each.name == name)
        drawn = drawing(self.description, arm.chain.name, facts.camera)
        outline = None if self.description.free_body is None else self.footprint
        return Manipulator(arm, gripper, self.cameras[name], self.description, drawn, outline)

    def pick(
        self, what: str = "", *, to: ArrayLike | None = None, line: float | None = None,
        tries: int = 3,
    ) -> "PickResult":  # fmt: skip
        """Take an object from the table by sight and touch; see `Manipulator.pick`."""
        return self.manipulation.pick(what, to=to, line=line, tries=tries)

    def place(self, at: ArrayLike, *, line: float | None = None) -> "PlaceResult":
        """Put down what the last pick holds; see `Manipulator.place`."""
        return self.manipulation.place(at, line=line)

    def footprint(
        self, *, margin: float = 0.0, arms: Mapping[str, ArrayLike] | None = None
    ) -> Array:
        """Return what it covers of the floor in its posture by the encoders: a convex outline.

        Args:
            margin: Widen it by this much on all sides [m].
            arms: Joint values of some arms by their names, in the place of those they have [rad].

        Returns:
            Corners in the frame of its base, counter-clockwise [m]. Shape (k, 2).
        """
        prefix = f"{self.name}/"
        posture = {
            prefix + name: float(value)
            for part in self.encoders
            for name, value in zip(part.names, part.position, strict=True)
        }
        if arms is not None and not isinstance(arms, Mapping):
            raise InvalidInput(f"arms is {arms!r}, expected joint values by the names of arms")
        for name, values in (arms or {}).items():
            arm = self.arms[name]
            joints = zip(arm.chain.dh.names, arm.posture(values).tolist(), strict=True)
            posture |= {prefix + joint: value for joint, value in joints}
        return self._footprint.outline(posture, margin=margin)

    @cached_property
    def _footprint(self) -> Footprint:
        frame = self.description.free_body
        if frame is None:
            raise InvalidInput(f"{self.name} is bolted down: it covers no floor as it moves")
        prefix = f"{self.name}/"
        joints = [prefix + name for part in self.encoders for name in part.names]
        return Footprint(self.world.model, prefix + frame, joints)

    @cached_property
    def paths(self) -> "dict[str, PathCurve]":
        """Paths that the scene brings along, by name."""
        from mecano.lab.scene_paths import scene_paths

        return Named("path of the scene", scene_paths(self.world.model))

    def wait(self, *what: Any, timeout: float | None = None) -> bool:
        """Let time pass: `wait(0.5)` for seconds, `wait(a, b)` until handles are done.

        Returns False if the timeout [s] came first.
        """
        if len(what) == 1 and isinstance(what[0], int | float):
            seconds = finite_number(what[0], name="time to wait [s]", lower=0.0, upper=LONGEST)
            self.session.run_for(seconds)
            return True
        for each in what:
            if not hasattr(each, "done"):
                raise InvalidInput(f"wait() takes seconds, or handles of motions, not {each!r}")
        done = self.session.wait_until(lambda: all(w.done for w in what), timeout=timeout)
        for each in what if done else ():
            if isinstance(each, Handle):
                each.wait()  # it has ended; this raises if it failed and `on_failure` says so
        return done

    def run(self, behaviour: Callable[["Robot"], Any]) -> Behaviour:
        """Attach a behaviour: a function for every tick, or a generator that waits by yield."""
        if not callable(behaviour):
            raise InvalidInput(
                f"run() takes a function of the robot, or a generator function, got {behaviour!r}"
            )
        attached = Behaviour(behaviour, self)
        with self.session.commanding():
            self.session.behaviours.append(attached)
        return attached

    def stop(self) -> None:
        """Stop the motions of this robot and hold."""
        with self.session.lock:
            for part in self.parts.values():
                part.stop()

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


def by_name(robots: Robot | dict[str, Robot]) -> dict[str, Robot]:
    """Return one robot, or all robots of a session, by their names."""
    named = {robots.name: robots} if isinstance(robots, Robot) else robots
    if not isinstance(named, dict) or not named or not _are_robots(named.values()):
        raise InvalidInput(
            f"expected a robot from mecano.connect, or the robots from connect_all, got {robots!r}"
        )
    if len({id(robot.session) for robot in named.values()}) > 1:
        raise InvalidInput("the robots must be of one session: make them with mecano.connect_all")
    return named


def _are_robots(robots: Iterable[object]) -> bool:
    return all(isinstance(robot, Robot) for robot in robots)


def in_open_session(robots: Robot | dict[str, Robot]) -> dict[str, Robot]:
    """Return one robot, or all of a session, by name, for what observes them from now on."""
    named = by_name(robots)
    next(iter(named.values())).session.require_open()
    return named


@dataclass(frozen=True)
class Place:
    """Which robot, and where it stands; None takes the next mount of the scene."""

    robot: Source
    pose: Pose | None = None


def connect(
    robot: Source,
    *,
    real: str | None = None,
    scene: str | Path | None = None,
    seed: int = 0,
    noise: bool = False,
    settings: SomeSettings = None,
    changes: Sequence[Change] = (),
    start: str = "home",
    on_failure: OnFailure = "report",
    limp: bool = False,
    calibration: "Calibration | bool | None" = None,
    variant: str | None = None,
    wheels: str | None = None,
    level: str | None = None,
) -> Robot:
    """Return a robot, ready to program: a simulated one, or the real one on a port.

    Args:
        robot: Name (see `mecano list`), folder of a robot, URDF, xacro or MJCF file (imported once,
            see `mecano import`), or a `RobotDescription`.
        real: Serial port of the real robot, such as `/dev/ttyUSB0`; None simulates it.
        scene: Name of a scene, or path of an MJCF file; by default the robot's own in simulation,
            and nothing but the floor around a real robot.
        seed: Of everything random in the run.
        noise: Let sensors err and wheels slip as the description says.
        settings: Changed physics, gains and limits: a TOML file, a `Settings`, or values by name
            such as `{"physics.timestep": 0.001}`.
        changes: Functions that edit the scene's model before it is compiled.
        start: Named posture in which the arm begins; a real one begins where it is.
        on_failure: What calls that wait for a motion do if it does not reach its goal: "report"
            returns its result, "raise" raises `MotionFailed`, which carries the result.
        limp: At the end let a real robot's motors go, instead of holding where it is.
        calibration: Of the arm: one at hand, True for the one that `mecano calibrate` stored,
            False for none. None takes the stored one for a real robot, if there is one.
        variant: Another model of it, where there is a choice: "rollers" of the youBot, "mast" of
            CRUMB, "elements", "kinematic" or "base" of MADAR; None takes the robot itself.
        wheels: Deprecated, as `level`: the older names of `variant`.
        level: See `wheels`.
    """
    asked = next((each for each in (variant, wheels, level) if each is not None), None)
    robot = _variant(robot, asked)
    description = find_robot(robot)
    check_flags(noise=noise, limp=limp)
    if real is not None:
        from mecano.lab.real_robot import connect_real

        if not isinstance(real, str) or not real:
            raise InvalidInput(f"real is {real!r}, expected a serial port such as '/dev/ttyUSB0'")
        return connect_real(
            robot, real, scene=scene or "empty", seed=seed, settings=settings, changes=changes,
            on_failure=on_failure, limp=limp, calibration=calibration,
        )  # fmt: skip
    name = robot_label(robot, description)
    connected = connect_all(
        {name: Place(description)},
        scene=description.scene if scene is None else scene,
        seed=seed,
        noise=noise,
        settings=settings,
        changes=changes,
        start=start,
        on_failure=on_failure,
        calibration=calibration or False,
    )
    return connected[name]


def _variant(robot: Source, variant: str | None) -> Source:
    """Return the name of the robot that is this one with another model."""
    if variant is None:
        return robot
    variants = find_robot(robot).variants
    if not isinstance(variant, str) or variant not in variants:
        raise UnknownName(f"variant of {robot}", str(variant), variants)
    return variants[variant]


def _check_places(places: Any) -> None:
    """Raise unless these are robots by name."""
    if not isinstance(places, dict) or not places:
        raise InvalidInput(
            f"the robots are {places!r}, expected at least one by name, such as "
            '{"left": Place("crumb"), "right": Place("youbot")}'
        )
    for name, place in places.items():
        if not isinstance(name, str) or not name or "/" in name:
            raise InvalidInput(f"a robot may not be called {name!r}; use letters, digits and _")
        if not isinstance(place, Place):
            raise InvalidInput(f"robot '{name}' is {place!r}, expected a mecano.Place")
        if place.pose is not None and not isinstance(place.pose, Pose):
            raise InvalidInput(f"robot '{name}' stands at {place.pose!r}, expected a mecano.Pose")


def connect_all(
    places: dict[str, Place],
    *,
    scene: str | Path = "table",
    seed: int = 0,
    noise: bool = False,
    settings: SomeSettings = None,
    changes: Sequence[Change] = (),
    start: str = "home",
    on_failure: OnFailure = "report",
    calibration: "Calibration | bool" = False,
) -> dict[str, Robot]:
    """Return several simulated robots in one world and one session, by name. See `connect`."""
    _check_places(places)
    check_flags(noise=noise)
    scene, seed, changes = checked_scene(scene), checked_seed(seed), checked_changes(changes)
    chosen = checked_settings(settings)
    placements = {
        name: Placement(robot=find_robot(place.robot), prefix=f"{name}/", pose=place.pose)
        for name, place in places.items()
    }
    world = make_world(list(placements.values()), scene, chosen, changes)
    backend = SimulatedBackend(world, tick=min(p.robot.tick for p in placements.values()))
    for placement in placements.values():
        set_posture(world, placement, start)
    world.mark_initial()
    refuse_overlaps(world, list(placements))
    session = Session(backend, seed=seed, on_failure=on_failure)
    connected = {}
    for name, placement in placements.items():
        robot = Robot(placement.robot, session, name)
        robot.truth = Truth(world, placement.prefix, placement.robot)
        random = session.random if noise else None
        devices = SimulatedDevices(backend, placement.robot, placement.prefix, random=random)
        connected[name] = build(robot, devices, chosen, calibration=calibration)
        if noise:
            add_declared_slip(connected[name])
    if any(placement.robot.legged is not None for placement in placements.values()):
        settle(backend)
    world.mark_initial()
    session.mark_initial()
    return connected
