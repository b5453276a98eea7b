"""What a robot is, as typed facts: chains, joints, limits, named postures, sources, errata."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.calibration import CalibrationAngle as CalibrationAngle
from mecano.kinematics.chain import Chain
from mecano.robots.hands import HandFacts
from mecano.robots.legged import LeggedBody
from mecano.robots.mobile import CameraFacts, WheeledBase

EFFORT_NOISE = 0.0025
"""Spread of an effort that is told by a motor's current, as a share of the largest one. EST: two
units of current of an XM430, 2.69 mA of 2.3 A."""


@dataclass(frozen=True, kw_only=True)
class Erratum:
    """One mistake or gap of the paper a robot comes from, and what is right."""

    where: str
    """Section, table or equation of the paper."""
    printed: str
    """What stands there."""
    correct: str
    """What must stand there."""
    evidence: str
    """The number that shows it."""


@dataclass(frozen=True, kw_only=True)
class Servo:
    """What the motor of a joint can do."""

    model: str
    torque: float
    """Stall torque [N m]."""
    speed: float
    """Speed without load [rad/s]."""
    resolution: float
    """One tick of the encoder [rad]."""
    effort_noise: float = EFFORT_NOISE
    """Spread of a noisy effort, as a share of the stall torque."""


@dataclass(frozen=True, kw_only=True)
class ServoWire:
    """How a servo of the bus moves a joint: value = (tick - zero) * per_tick."""

    joint: str
    id: int
    """Of the servo on the bus, 0 to 252."""
    per_tick: float
    """What one tick of the encoder is at the joint [rad or m]; negative if they turn oppositely."""
    zero: int = 2048
    """Tick at which the joint's value is zero."""
    mode: int = 3
    """Operating mode the joint is driven in: 3 position, 5 position with limited current."""
    reverse: bool = False
    """True if the sign of `per_tick` holds with the servo's reverse bit set (drive mode, bit 0)."""

    def value(self, tick: float) -> float:
        """Return the joint's value at a tick [rad or m]."""
        return (tick - self.zero) * self.per_tick

    def tick(self, value: float) -> int:
        """Return the tick nearest to a joint's value [rad or m]."""
        return self.zero + round(value / self.per_tick)


@dataclass(frozen=True, kw_only=True)
class MotionLimits:
    """How fast a chain moves unless a user asks for less; the same for all of its joints."""

    velocity: float
    """[rad/s]."""
    acceleration: float
    """[rad/s2]."""
    jerk: float
    """[rad/s3]."""
    tool_velocity: float
    """Of the tool on a straight line [m/s]."""
    tool_acceleration: float
    """[m/s2]."""


@dataclass(frozen=True, kw_only=True)
class Gripper:
    """A parallel gripper: one joint that is driven, and others that follow it."""

    joint: str
    """The driven joint."""
    followers: tuple[str, ...] = ()
    """Joints that take the value of the driven one, by a constraint of the model."""
    open: float
    """Joint value when open [m or rad]."""
    closed: float
    """Joint value when closed as far as it goes [m or rad]."""
    width_at_zero: float
    """Distance between the pads at joint value zero [m]."""
    width_per_value: float = 2.0
    """Change of that distance per joint value [m/m or m/rad]: 2 for two sliding fingers."""
    max_force: float
    """Of each finger [N]."""
    speed: float
    """Of each finger [m/s]."""
    resolution: float
    """One tick of the servo's encoder at the finger [m or rad]."""
    unit: str = "m"
    """Of the driven joint: "m" for sliding fingers, "rad" for turning ones."""
    bodies: tuple[str, ...]
    """The fingers; they may touch loose objects."""
    tip: float = 0.010
    """The fingertips are this far beyond the tool point, along the nose [m]."""
    pad: float = 0.030
    """Length of the pads, back from the tips [m]."""
    palm: float = 0.030
    """The palm is this far behind the tool point [m]."""
    half: float = 0.015
    """Half of the palm's thickness, in the plane of the nose [m]."""

    def width(self, value: float) -> float:
        """Return the distance between the pads at a joint value [m]."""
        return self.width_at_zero + self.width_per_value * value

    def value(self, width: float) -> float:
        """Return the joint value at which the pads are this far apart [m or rad]."""
        if self.width_per_value == 0.0:
            raise InvalidInput(
                f"the opening of the gripper on {self.joint} does not change with its joint "
                "(width_per_value is 0), so it cannot be sent to a width; correct its description"
            )
        return (width - self.width_at_zero) / self.width_per_value


@dataclass(frozen=True, kw_only=True)
class RobotDescription:
    """A robot (or a part that robots share) as facts; no state and no simulator."""

    name: str
    title: str
    """The name people use, with the kind of robot."""
    summary: str
    """One sentence."""
    folder: Path
    """Where its model files and README lie."""
    chains: dict[str, Chain]
    """The kinematic chains a user can address, by name; the first one is the default."""
    angles: tuple[CalibrationAngle, ...] = ()
    """Constant angles in the tables that `mecano calibrate` can find on a real robot."""
    model: str | None = None
    """MJCF file in the folder; None for chains without a body, and where `mjcf` writes it."""
    mjcf: Callable[[], str] | None = None
    """Writes the model as MJCF text, for a robot put together by code. A `model` comes first."""
    servos: dict[str, Servo] = field(default_factory=dict)
    """By joint."""
    wiring: tuple[ServoWire, ...] = ()
    """The servos on the real robot's bus; empty where there is no real one."""
    limits: MotionLimits | None = None
    chain_limits: dict[str, MotionLimits] = field(default_factory=dict)
    """Of single chains, where they differ from `limits`, by the name of the chain."""
    feeds_weight: bool = False
    """Whether the arm's servos are told what the arm weighs in each posture. Those that are not
    find it out by the integral of their own controllers."""
    grippers: dict[str, Gripper] = field(default_factory=dict)
    """Grippers, by the name of the chain that carries them."""
    hands: dict[str, HandFacts] = field(default_factory=dict)
    """Hands with fingers, by the name of the chain that carries them."""
    base: WheeledBase | None = None
    """What it drives on; None for a robot without wheels."""
    legged: LeggedBody | None = None
    """What it walks on; None for a robot without legs."""
    floating: str | None = None
    """Root body of a robot that is free to move and has neither a `base` nor a `legged`."""
    variants: dict[str, str] = field(default_factory=dict)
    """Robots that are this one with another model (of its wheels, of less of it), by what differs;
    the first is the robot itself."""
    cameras: tuple[CameraFacts, ...] = ()
    """The first one is the default."""
    scene: str = "table"
    """Where it stands if nobody says otherwise."""
    tower: float = 0.08
    """Things nearer to the axis of its arm's first joint than this touch the arm's foot [m]."""
    table: float = 0.0
    """Height of the table that its arm works on, above the arm's foot [m]; cameras find it if it
    is up to 60 mm off."""
    tick: float = 0.01
    """Time between two rounds of sensing and acting [s]."""
    facts: dict[str, str] = field(default_factory=dict)
    """Datasheet lines with units, for `mecano info`."""
    errata: tuple[Erratum, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def has_model(self) -> bool:
        """Whether there is a model to simulate."""
        return self.model is not None or self.mjcf is not None

    @property
    def free_body(self) -> str | None:
        """Its body that is free to move in the world; None for a robot that is bolted down."""
        mover = self.base or self.legged
        return self.floating if mover is None else mover.frame

    @property
    def gripper(self) -> Gripper | None:
        """The first of its grippers, or None."""
        return next(iter(self.grippers.values()), None)

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the chains that are arms: those that are no legs.

        A chain of joints that another has is not one more.
        """
        legs = () if self.legged is None else {leg.chain for leg in self.legged.legs}
        arms: dict[str, tuple[str, ...]] = {}
        for name, chain in self.chains.items():
            if name not in legs and chain.joint_names not in arms.values():
                arms[name] = chain.joint_names
        return tuple(arms)

    def tool_site(self, chain: str) -> str:
        """Return the site of the model that is the tool of an arm."""
        return "tool" if len(self.arms) == 1 else f"{chain}_tool"

    def chain(self, name: str | None = None) -> Chain:
        """Return the chain called `name`, or the default one."""
        if not self.chains:
            raise InvalidInput(f"'{self.name}' has no arm, so there is no chain to speak of")
        if name is None:
            return next(iter(self.chains.values()))
        if name not in self.chains:
            raise UnknownName("chain", name, self.chains)
        return self.chains[name]
