"""What a session looks like at one instant: all that the panels of the view are told."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.belief import Belief
from mecano.core.messages import BaseReport, NavigationStatus
from mecano.core.poses import Pose2


@dataclass(frozen=True, eq=False)
class ArmSample:
    """What an arm does at one instant."""

    target: Array
    """Joint values commanded [rad]."""
    real: Array
    """Joint values by the encoders [rad]."""
    base: Array
    """Pose of the arm's foot in the world. Shape (4, 4)."""


@dataclass(frozen=True, eq=False)
class GripperSample:
    """What a gripper does at one instant."""

    target: float
    """Width it was sent to [m]."""
    real: float
    """Width by the encoder [m]."""
    force: float
    """Of each finger [N]."""
    holding: bool


@dataclass(frozen=True, eq=False)
class HandSample:
    """What a hand with fingers does at one instant."""

    target: Array
    """Joint values commanded, finger by finger [rad]."""
    real: Array
    """Joint values by the encoders [rad]."""
    moving: bool
    """True while it is on its way."""
    stopped: tuple[str, ...]
    """Fingers that rest short of where they were sent: something holds them up."""
    torque: float
    """Largest of a motor [N m]."""


@dataclass(frozen=True, eq=False)
class BaseSample:
    """What a base does at one instant."""

    pose: Pose2
    """Where it believes to be."""
    speed: tuple[float, float, float]
    """Forward, to the left [m/s] and turning [rad/s], as commanded now."""
    report: BaseReport
    trail: Array
    """Where it really was in the last minute, oldest first [m]. Shape (n, 3)."""


@dataclass(frozen=True, eq=False)
class LegsSample:
    """What legs do at one instant."""

    target: Array
    """Joint values commanded, leg after leg [rad]."""
    real: Array
    """Joint values by the encoders [rad]."""
    walk: str
    """What the walk does or how the last one ended, in a sentence; empty before the first."""
    trail: Array
    """Where the body really was in the last minute, oldest first [m]. Shape (n, 3)."""


@dataclass(frozen=True, eq=False)
class CupsSample:
    """What cups do and carry at one instant. Arrays have one row per cup."""

    states: tuple[str, ...]
    pull: Array
    """[N]."""
    shear: Array
    """[N]."""
    margin: Array
    """How much of what each can hold is left, from 1 to 0."""
    places: Array
    """Middles of their faces in the world [m]. Shape (cups, 3)."""
    turns: Array
    """Axes of their faces in the world, z out of the foot. Shape (cups, 3, 3)."""


@dataclass(frozen=True, eq=False)
class RangeSample:
    """What a range sensor sees at one instant."""

    origin: Array
    """Where the ray begins, in the world [m]. Shape (3,)."""
    direction: Array
    """Unit vector along it. Shape (3,)."""
    range: float
    """Distance as measured [m]; infinite if nothing is in sight."""
    detects: bool


@dataclass(frozen=True, eq=False)
class ScanSample:
    """What all LIDARs of a robot saw, fused into one scan."""

    points: Array
    """Where they met something, in the world [m]. Shape (n, 3)."""
    gaps: tuple[str, ...]
    """LIDARs that have nothing new to say, in sentences."""


@dataclass(frozen=True, eq=False)
class NavigationSample:
    """What a navigator does at one instant, in the frame of its map."""

    status: NavigationStatus
    plan: Array
    """The path that is driven [m]. Shape (n, 2)."""
    trajectory: Array
    """What the controller expects to drive next [m]. Shape (n, 2)."""
    footprint: Array
    """What planner and controller keep clear, at the estimated pose, closed [m]. Shape (n, 2)."""
    cost: NDArray[np.uint8]
    """Costmap of the whole map, with what was seen: 0 free, 253 too near, 254 obstacle, 255
    unknown. Shape (height, width)."""
    resolution: float
    """Side of its cells [m]."""
    corner: tuple[float, float]
    """Outer corner of its cell (0, 0) [m]."""
    origin: Pose2
    """Where the frame of the map lies in the scene."""

    @property
    def has_goal(self) -> bool:
        """Whether there is a goal to drive to."""
        return self.status.state in ("planning", "controlling", "recovering", "lost")


@dataclass(frozen=True, eq=False)
class Sample:
    """A session at one instant."""

    time: float
    state: Array
    arms: dict[str, ArmSample] = field(default_factory=dict)
    """By `sampling.arms_of`."""
    grippers: dict[str, GripperSample] = field(default_factory=dict)
    bases: dict[str, BaseSample] = field(default_factory=dict)
    ranges: dict[str, dict[str, RangeSample]] = field(default_factory=dict)
    """By the name of the robot and of the sensor; only of robots that have some."""
    legs: dict[str, LegsSample] = field(default_factory=dict)
    cups: dict[str, CupsSample] = field(default_factory=dict)
    hands: dict[str, dict[str, HandSample]] = field(default_factory=dict)
    """By the name of the robot and of the hand; only of robots that have some."""
    scans: dict[str, ScanSample] = field(default_factory=dict)
    """The same one until there is a new scan."""
    beliefs: dict[str, Belief] = field(default_factory=dict)
    """Of robots that map or locate; the same one until it is asked for anew."""
    navigations: dict[str, NavigationSample] = field(default_factory=dict)
    """Of robots that navigate; the same one until it is asked for anew."""
    outlines: dict[str, Array] = field(default_factory=dict)
    """What bases cover of the floor: corners in the world, the first again at the end [m].
    Shape (n, 3); the same one until it is computed anew."""

    def trail(self, robot: str) -> Array:
        """Return where the base or the body on legs of a robot was [m]. Shape (n, 3)."""
        return (self.bases.get(robot) or self.legs[robot]).trail
