"""What a user may change by file: physics, gains, limits. TOML, checked key by key.

[physics]
timestep = 0.001

[motion]
velocity = 1.0            # rad/s

[joints.joint2]
lower = -1.0              # rad
upper = 1.0
kp = 25.0                 # N m/rad
friction = 0.1            # N m, Coulomb
damping = 0.02            # N m s/rad

[cameras.camera]
width = 640               # pixels
height = 480
rate = 30.0               # pictures per second
"""

import tomllib
from dataclasses import dataclass, field, fields, replace
from math import inf
from pathlib import Path
from typing import Any

import mujoco

from mecano.actuators.servos import KD, KI, KP, NO_INTEGRAL
from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.chain import Chain
from mecano.robots.description import MotionLimits
from mecano.robots.mobile import CameraFacts
from mecano.sensors.camera import check_wishes
from mecano.world.physics import PhysicsSettings

GAINS = {"kp": KP, "ki": KI, "kd": KD}
LOSSES = ("friction", "damping")
"""What a joint loses to its gears: Coulomb [N m or N], viscous [N m s/rad or N s/m]."""
SECTIONS = ("physics", "motion", "joints", "cameras")
CAMERA_KEYS = ("width", "height", "rate")
JOINT_KEYS = ("lower", "upper", *GAINS, *LOSSES)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Changes to the defaults."""

    physics: PhysicsSettings = field(default_factory=PhysicsSettings)
    motion_changes: dict[str, float] = field(default_factory=dict)
    joint_changes: dict[str, dict[str, float]] = field(default_factory=dict)
    """By joint name without prefix."""
    camera_changes: dict[str, dict[str, float]] = field(default_factory=dict)
    """By the camera's name: width and height [pixels], rate [Hz]."""

    def __post_init__(self) -> None:
        """Check the kinds; the values are checked where they are used."""
        if not isinstance(self.physics, PhysicsSettings):
            raise InvalidInput(f"physics is {self.physics!r}, expected a PhysicsSettings")
        for name in ("motion_changes", "joint_changes", "camera_changes"):
            if not isinstance(getattr(self, name), dict):
                raise InvalidInput(f"{name} are {getattr(self, name)!r}, expected values by name")

    @classmethod
    def load(cls, file: str | Path | None, changes: dict[str, Any] | None = None) -> "Settings":
        """Read a TOML file and then single changes such as `{"physics.timestep": 0.001}`."""
        table: dict[str, Any] = {}
        if file is not None:
            try:
                table = tomllib.loads(Path(file).read_text(encoding="utf-8"))
            except OSError as error:
                raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
            except ValueError as error:  # no TOML, no UTF-8, or a name that no file can have
                raise InvalidInput(f"{file} is not TOML: {error}") from None
        for key, value in (changes or {}).items():
            *sections, last = key.split(".")
            place = table
            for section in sections:
                place = _table(place.setdefault(section, {}), key)
            place[last] = value
        return cls._from_table(table)

    @classmethod
    def _from_table(cls, table: dict[str, Any]) -> "Settings":
        for section in table:
            if section not in SECTIONS:
                raise UnknownName("setting", section, SECTIONS)
        physics = _known(table.get("physics", {}), PhysicsSettings, "physics")
        motion = _known(table.get("motion", {}), MotionLimits, "motion")
        joints = _table(table.get("joints", {}), "joints")
        for joint, changes in joints.items():
            for key, value in _table(changes, f"joints.{joint}").items():
                if key not in JOINT_KEYS:
                    raise UnknownName("joint setting", f"joints.{joint}.{key}", JOINT_KEYS)
                least = 0.0 if key in (*GAINS, *LOSSES) else -inf
                finite_number(value, name=f"joints.{joint}.{key}", lower=least)
        cameras = _table(table.get("cameras", {}), "cameras")
        wishes: dict[str, dict[str, float]] = {camera: {} for camera in cameras}
        for camera, changes in cameras.items():
            for key, value in _table(changes, f"cameras.{camera}").items():
                if key not in CAMERA_KEYS:
                    raise UnknownName("camera setting", f"cameras.{camera}.{key}", CAMERA_KEYS)
                wishes[camera][key] = finite_number(value, name=f"cameras.{camera}.{key}")
        numbers = {k: finite_number(v, name=f"motion.{k}", lower=1e-6) for k, v in motion.items()}
        return cls(
            physics=PhysicsSettings(**physics),
            motion_changes=numbers,
            joint_changes=joints,
            camera_changes=wishes,
        )

    def camera(self, facts: CameraFacts) -> CameraFacts:
        """Return a camera's facts with the size and rate asked for; raise if it cannot do that."""
        changes = self.camera_changes.get(facts.name, {})
        width, height = (
            changes.get(key, default)
            for key, default in zip(("width", "height"), facts.size, strict=True)
        )
        rate = changes.get("rate", facts.rate)
        check_wishes(facts, width, height, rate)
        return replace(facts, size=(int(width), int(height)), rate=rate)

    def motion(self, limits: MotionLimits) -> MotionLimits:
        """Return a robot's motion limits with the changes."""
        return replace(limits, **self.motion_changes)

    def limited(self, chain: Chain) -> Chain:
        """Return a chain with the changed joint limits; they can only be made narrower."""
        narrower = {}
        for name, changes in self.joint_changes.items():
            if name not in chain.joint_names and changes.keys() & {"lower", "upper"}:
                raise InvalidInput(
                    f"limits of {name} cannot be changed, only those of "
                    f"{', '.join(chain.joint_names)}"
                )
        for joint in chain.dh.joints:
            changes = self.joint_changes.get(joint.name, {})
            lower, upper = changes.get("lower", joint.lower), changes.get("upper", joint.upper)
            if not joint.lower <= lower < upper <= joint.upper:
                raise InvalidInput(
                    f"limits of {joint.name} are [{lower:g}, {upper:g}] {joint.unit}, allowed "
                    f"inside [{joint.lower:.4f}, {joint.upper:.4f}] {joint.unit}"
                )
            narrower[joint.name] = (lower, upper)
        return replace(chain, dh=chain.dh.with_limits(narrower))

    def apply(self, spec: mujoco.MjSpec) -> None:
        """Write the changed gains and losses into the model."""
        names = [actuator.name.rpartition("/")[2] for actuator in spec.actuators]
        for joint, changes in self.joint_changes.items():
            if joint not in names:
                raise UnknownName("joint", joint, dict.fromkeys(names))
            for actuator, name in zip(spec.actuators, names, strict=True):
                for key in sorted(GAINS.keys() & changes.keys()) if name == joint else ():
                    _set_gain(actuator, joint, key, changes[key])
        for joint in spec.joints:
            changes = self.joint_changes.get(joint.name.rpartition("/")[2], {})
            if "friction" in changes:
                joint.frictionloss = changes["friction"]
            if "damping" in changes:
                joint.damping = [changes["damping"], *joint.damping[1:]]


def _set_gain(actuator: mujoco.MjsActuator, joint: str, key: str, value: float) -> None:
    """Write a gain into a `dcmotor`, or into a plain actuator, which has no integral."""
    if actuator.gaintype != mujoco.mjtGain.mjGAIN_FIXED:
        gains = actuator.gainprm
        gains[GAINS[key]] = max(value, NO_INTEGRAL)
        actuator.gainprm = gains
        return
    if key == "ki":
        raise InvalidInput(f"the actuator of {joint} has no integral; change its kp and kd")
    gains, bias = actuator.gainprm, actuator.biasprm
    actuator.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    if key == "kp":
        gains[0] = value
    bias[1 if key == "kp" else 2] = -value
    actuator.gainprm, actuator.biasprm = gains, bias


def _table(value: Any, name: str) -> dict[str, Any]:
    """Return a section of the settings, or say that it must be one."""
    if not isinstance(value, dict):
        raise InvalidInput(f"the setting {name} is {value!r}, expected a section with keys")
    return value


def _known(table: dict[str, Any], kind: type, section: str) -> dict[str, Any]:
    known = [each.name for each in fields(kind)]
    for key in _table(table, section):
        if key not in known:
            raise UnknownName(
                "setting", f"{section}.{key}", [f"{section}.{name}" for name in known]
            )
    return table
