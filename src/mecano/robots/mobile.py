"""Facts of wheeled bases: wheels, what motors and driver allow, and the sensors on board."""

from dataclasses import dataclass, field, fields
from math import inf

from mecano.core.arrays import finite_number
from mecano.kinematics.drift import Drift
from mecano.kinematics.wheels import WheelLayout
from mecano.robots.lidars import LidarFacts as LidarFacts


@dataclass(frozen=True, kw_only=True)
class BaseLimits:
    """How fast a base drives and turns, as its own driver limits it."""

    speed: float
    """[m/s]."""
    turn: float
    """[rad/s]."""
    acceleration: float
    """[m/s2]."""
    braking: float
    """[m/s2]."""
    turn_acceleration: float
    """[rad/s2]."""
    turn_braking: float
    """[rad/s2]."""
    wheel_speed: float | None = None
    """Fastest rate of a wheel [rad/s]; None is the one that `speed` straight on asks for."""


@dataclass(frozen=True, kw_only=True)
class WheelCounter:
    """What the encoder of a wheel counts."""

    per_tick: float
    """[rad]."""
    modulo: int
    """It begins anew after this many ticks."""
    noise: float = 0.0
    """Spread of a noisy reading [ticks]."""


@dataclass(frozen=True, kw_only=True)
class SlipFacts:
    """How much wheels slip, as shares of what they turn; spreads of one sigma (all EST).

    With these an omni base of MADAR's size errs by 1 to 2 % of its way and 2 degrees per turn, as
    calibrated platforms on hard floors do.
    """

    common: float = 0.005
    """Of all wheels, drawn once per run."""
    own: float = 0.003
    """Of each wheel, drawn once per run."""
    passing: float = 0.008
    """Of each wheel, changing along the way."""
    length: float = 0.2
    """Rim way after which the passing share is another one [m]."""

    def __post_init__(self) -> None:
        for name in ("common", "own", "passing"):
            finite_number(getattr(self, name), name=f"slip: {name}", lower=0.0, upper=0.5)
        finite_number(self.length, name="slip: length [m]", lower=1e-3)

    def times(self, strength: float) -> "SlipFacts":
        """Return wheels that slip so many times as much."""
        strength = finite_number(strength, name="strength of the slip", lower=0.0, upper=20.0)
        return SlipFacts(
            common=strength * self.common,
            own=strength * self.own,
            passing=strength * self.passing,
            length=self.length,
        )


@dataclass(frozen=True, kw_only=True)
class GyroFacts:
    """A gyro that measures how the base turns, and its heading."""

    site: str
    resolution: float
    """One digit of the rate [rad/s]."""
    heading_resolution: float
    """One digit of the heading [rad]."""
    noise: float
    """Spread of one reading of the rate [rad/s]."""
    bias: float
    """Spread of the rate at rest, drawn once per run [rad/s]."""
    wander: float
    """How far the rate at rest wanders [rad/s per root second]."""
    scale: float
    """Spread of the error of scale, drawn once per run."""
    fastest: float = inf
    """It reads no faster turn than this [rad/s]."""


@dataclass(frozen=True, kw_only=True)
class CliffFacts:
    """Sensors that look down and tell where the floor ends."""

    sites: dict[str, str]
    """Site of each, by the name of the sensor; its z axis points to the floor."""
    furthest: float
    """It sees no further [m]."""
    trip: float
    """A floor further away than this is a cliff [m]."""
    noise: float
    """Spread of a reading [m]."""


@dataclass(frozen=True, kw_only=True)
class BatteryFacts:
    """What the battery holds."""

    capacity: float
    """[A h]."""
    full: float
    """[V]."""
    low: float
    """Below this the robot warns [V]."""
    empty: float
    """Below this it stops [V]."""
    standby: float
    """Current at rest [A]."""


@dataclass(frozen=True, kw_only=True)
class RangeFacts:
    """A sensor that measures the distance to what stands before it, along one ray."""

    name: str
    """What users call it on the robot."""
    site: str
    """Where it is in the model; its z axis is the ray."""
    furthest: float
    """It sees no further [m]."""
    noise: float
    """Spread of a reading, one sigma [m]."""
    rate: float
    """Readings per second [Hz]."""


@dataclass(frozen=True, kw_only=True)
class BackOff:
    """What a base does by itself after a bumper was hit or the floor ended, if it may."""

    speeds: dict[str, tuple[float, float, float]]
    """Forward, left [m/s] and turn [rad/s], by the sensor; "center" is for several at once."""
    time: float
    """It goes on for this long after all sensors are free again [s]."""


@dataclass(frozen=True, kw_only=True)
class OdometryTrust:
    """Standard deviations of a base's odometry, by which mapping weighs it against scans."""

    distance: float
    """Of the distance, per distance driven."""
    turn: float
    """Of the turn, per turn."""
    turn_per_distance: float
    """Of the turn, per distance driven [rad/m]."""
    floor: float
    """Between two keyframes, at least: of the distance [m] and, in radians, of the turn."""

    def __post_init__(self) -> None:
        """Refuse what is not a positive number."""
        for each in fields(self):
            name = f"OdometryTrust.{each.name}"
            finite_number(getattr(self, each.name), name=name, lower=1e-9)


@dataclass(frozen=True, kw_only=True)
class WheeledBase:
    """A base on wheels. Names are those of its model."""

    layout: WheelLayout
    """Its wheels are named like their joints and actuators."""
    limits: BaseLimits
    counter: WheelCounter
    rate: float
    """Of the packet with all readings [Hz]."""
    watchdog: float
    """It stops when no command has come for this long [s]."""
    slip: SlipFacts | None = None
    """How far wheels slip and their radii are off, in a simulation with noise; None if not."""
    torque_per_ampere: float | None = None
    """Torque at the wheel for a current of its motor [N m/A]; None if currents are not measured."""
    variances: tuple[float, float, float] | None = None
    """Of x, y [m2] and yaw [rad2], as the driver states them with its odometry."""
    drift: Drift | None = None
    """How its odometry becomes uncertain, where no `variances` are stated."""
    odometry_trust: OdometryTrust | None = None
    """How far mapping trusts its odometry; None trusts it as little as that of wheels alone."""
    velocity_filter: float | None = None
    """Time constant of the speeds of its odometry [s]; None takes those of the last interval."""
    gyro: GyroFacts | None = None
    bumpers: dict[str, str] = field(default_factory=dict)
    """What the names of each bumper's shapes begin with, by the name of the bumper."""
    cliffs: CliffFacts | None = None
    back_off: BackOff | None = None
    """What `Base.reflex` does; None stops only."""
    ranges: tuple[RangeFacts, ...] = ()
    lidars: tuple[LidarFacts, ...] = ()
    battery: BatteryFacts | None = None
    leds: tuple[str, ...] = ()
    """Shapes that light up."""
    led_colours: tuple[str, ...] = ("off", "green", "red")
    """What each can show."""
    buttons: int = 0
    """How many there are."""
    frame: str = "base_footprint"
    """Body of the model that stands for the base; on the floor."""


@dataclass(frozen=True, kw_only=True)
class CameraFacts:
    """A camera that sees colour and depth."""

    name: str
    """What users call it on the robot."""
    camera: str
    """Of the model."""
    frame: str
    """Optical frame of its pictures: x right, y down, z forward."""
    size: tuple[int, int] = (320, 240)
    """Width and height unless asked otherwise [pixels]."""
    largest: tuple[int, int] = (640, 480)
    """[pixels]."""
    rate: float = 10.0
    """Pictures per second unless asked otherwise [Hz]."""
    fastest: float = 30.0
    """[Hz]."""
    nearest: float = 0.45
    """[m]."""
    furthest: float = 5.0
    """[m]."""
    baseline: float = 0.075
    """How far the projector stands to the right of the camera [m]."""
    colour_noise: float = 0.02
    """Spread of a colour, of its full range."""
