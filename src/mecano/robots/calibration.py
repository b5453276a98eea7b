"""What was measured on one's own robot, kept in a file of the user and put into its table.

One TOML file per robot, in the folder that MECANO_CALIBRATION names, else in
`~/.config/mecano/calibration` (XDG_CONFIG_HOME is honoured; on Windows %APPDATA%):

    robot = "open_manipulator_x"
    chain = "arm"
    what = "both"
    when = 2026-01-31T12:00:00+00:00
    points = 10
    rms_mm = 0.8

    [offsets]                 # rad, added to the reading of a joint
    joint1 = 0.012

    [angles]                  # rad, in the place of the description's value
    phi = 1.391

The description's own numbers hold for all that a file does not name.
"""

import json
import os
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import pi
from pathlib import Path
from typing import Any, get_args

from numpy.typing import ArrayLike

from mecano import robots
from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.kinematics.calibration import (
    CalibrationAngle,
    CalibrationFit,
    What,
    calibrate,
    turned,
)
from mecano.kinematics.chain import Chain

FOLDER = "MECANO_CALIBRATION"
"""The environment variable that names the folder."""
KEYS = ("robot", "chain", "what", "when", "points", "rms_mm", "offsets", "angles")
DOUBTFUL_RMS_MM = 10.0
"""Points that fit no better than this are in a wrong unit, frame or order [mm]."""
DOUBTFUL_TURN = 0.35
"""Zeros are rarely off by more than this [rad] (20 deg)."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Zero offsets and constant angles of one robot, and how they were found."""

    robot: str
    chain: str
    offsets: dict[str, float] = field(default_factory=dict)
    """By joint, added to its reading [rad]."""
    angles: dict[str, float] = field(default_factory=dict)
    """By name, in the place of the description's value [rad]."""
    what: What = "both"
    """What the last fit asked for."""
    when: datetime
    """Of the last fit, with its time zone."""
    points: int
    """How many points the last fit used."""
    rms_mm: float
    """How far its points lie from the calibrated arm, root mean square [mm]."""

    def __post_init__(self) -> None:
        chain = robots.get(self.robot).chain(self.chain)
        turning = [joint.name for joint in chain.dh.joints if joint.kind == "revolute"]
        known = [angle.name for angle in angles_of(self.robot, chain)]
        for kind, values, names in (
            ("joint", self.offsets, turning),
            ("angle", self.angles, known),
        ):
            for name, value in values.items():
                if name not in names:
                    raise UnknownName(kind, name, names)
                finite_number(value, name=f"{kind} {name} [rad]", lower=-pi, upper=pi)
        if self.what not in get_args(What):
            raise UnknownName("calibration", self.what, get_args(What))
        if self.when.tzinfo is None:
            raise InvalidInput(f"the time {self.when} has no time zone; add one, such as +00:00")
        finite_number(self.points, name="points", lower=1)
        finite_number(self.rms_mm, name="rms_mm", lower=0.0)

    def apply(self, chain: Chain) -> Chain:
        """Return the chain with the calibrated table: its solver is calibrated with it.

        Joint values stay what the encoders read, so limits and named postures stay as they are.
        """
        if chain.name != self.chain:
            raise InvalidInput(
                f"this calibration is of {self.robot} chain '{self.chain}', not of '{chain.name}'"
            )
        angles = angles_of(self.robot, chain)
        changes = {a.name: self.angles[a.name] - a.value for a in angles if a.name in self.angles}
        table = turned(chain.dh, offsets=self.offsets, changes=changes, angles=angles)
        return replace(chain, dh=table)

    def save(self) -> Path:
        """Write it to the user's file, in the place of what was there; return the file."""
        file = file_of(self.robot, self.chain)
        rough = file.with_name(f"{file.name}.{os.getpid()}.part")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            rough.write_text(self._as_toml(), encoding="utf-8")
            rough.replace(file)  # in one step: no reader sees half a file
        except OSError as error:
            with suppress(OSError):
                rough.unlink(missing_ok=True)
            raise InvalidInput(
                f"cannot write {file}: {error.strerror}; set {FOLDER} to a folder of yours"
            ) from None
        return file

    def _as_toml(self) -> str:
        lines = [
            "# Written by `mecano calibrate`. Angles in radians.",
            f"robot = {json.dumps(self.robot)}",
            f"chain = {json.dumps(self.chain)}",
            f"what = {json.dumps(self.what)}",
            f"when = {self.when.isoformat(timespec='seconds')}",
            f"points = {self.points}",
            f"rms_mm = {float(self.rms_mm)!r}",
        ]
        for section, values in (("offsets", self.offsets), ("angles", self.angles)):
            lines += ["", f"[{section}]"]
            lines += [f"{json.dumps(name)} = {float(value)!r}" for name, value in values.items()]
        return "\n".join(lines) + "\n"


def folder() -> Path:
    """Return the folder of the calibrations; it need not exist yet."""
    if chosen := os.environ.get(FOLDER):
        return Path(chosen)
    try:
        if os.name == "nt":
            base = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
        else:
            base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    except RuntimeError:
        raise InvalidInput(f"no home folder is known here; set {FOLDER} to a folder") from None
    return base / "mecano" / "calibration"


def file_of(robot: str, chain: str | None = None) -> Path:
    """Return the file of a robot's calibration; chains other than its first have their own."""
    description = robots.get(robot)
    name = description.chain(chain).name
    first = description.chain().name
    stem = robot if robot in robots.known() else description.name
    return folder() / (f"{stem}.toml" if name == first else f"{stem}.{name}.toml")


def owner_of(description: robots.RobotDescription) -> str:
    """Return what a calibration calls its robot: a name that is known, or else its folder."""
    known = description.name in robots.known()
    return description.name if known else str(description.folder)


def load(robot: str, chain: str | None = None) -> Calibration | None:
    """Return the calibration that is kept of a robot, or None; a damaged file raises."""
    file = file_of(robot, chain)
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} is damaged: {error}; {_way_out(robot)}") from None
    try:
        return _from_table(table, robot, robots.get(robot).chain(chain).name)
    except MecanoError as error:
        raise InvalidInput(f"{file} is no calibration: {error}; {_way_out(robot)}") from None


def forget(robot: str, chain: str | None = None) -> bool:
    """Delete the calibration of a robot; False if there was none. A damaged file goes too."""
    file = file_of(robot, chain)
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise InvalidInput(f"cannot delete {file}: {error.strerror}") from None
    return True


def angles_of(robot: str, chain: Chain) -> tuple[CalibrationAngle, ...]:
    """Return the constant angles of a robot that stand in the table of one of its chains."""
    names = chain.joint_names
    return tuple(
        angle for angle in robots.get(robot).angles if all(joint in names for joint in angle.signs)
    )


def fit(
    robot: str,
    readings: ArrayLike,
    points: ArrayLike,
    *,
    what: What = "both",
    chain: str | None = None,
    known: Calibration | None = None,
) -> CalibrationFit:
    """Fit a robot to touched points; what is not asked for is kept from a known calibration.

    The numbers are against the description: fitting again replaces them, it does not add up.

    Args:
        robot: Name.
        readings: Joint readings [rad]. Shape (n, joints).
        points: Tool points in the base frame [m]. Shape (n, 3).
        what: `phi` (the constant angles), `offsets` or `both`.
        chain: Which chain of the robot; None takes its first.
        known: Its offsets hold while angles are fitted, its angles while offsets are.
    """
    arm = robots.get(robot).chain(chain)
    angles = angles_of(robot, arm)
    if known is not None and what != "both":
        kept = replace(known, offsets={}) if what == "offsets" else replace(known, angles={})
        arm = kept.apply(arm)
    return calibrate(arm.dh, readings, points, what=what, angles=angles)


def calibration_from(
    result: CalibrationFit,
    robot: str,
    *,
    when: datetime,
    chain: str | None = None,
    known: Calibration | None = None,
) -> Calibration:
    """Return a fit as a calibration to keep, together with what it took as known."""
    kept = known if result.what != "both" else None
    return Calibration(
        robot=robot,
        chain=robots.get(robot).chain(chain).name,
        offsets=result.offsets or (dict(kept.offsets) if kept else {}),
        angles=result.angles or (dict(kept.angles) if kept else {}),
        what=result.what,
        when=when,
        points=len(result.residuals) - len(result.suspects),
        rms_mm=result.rms_mm,
    )


def doubts(result: CalibrationFit) -> tuple[str, ...]:
    """Return the reasons not to put a fit into use without a second look, one sentence each."""
    found = []
    if result.unidentified:
        found.append(f"the points do not tell {', '.join(result.unidentified)}")
    if result.rms_mm > DOUBTFUL_RMS_MM:
        found.append(
            f"the points still lie {result.rms_mm:.1f} mm off; look at their unit, frame and order"
        )
    for each in result.estimates:
        if abs(each.value - each.old) > DOUBTFUL_TURN:
            found.append(f"{each.name} would change by {each.value - each.old:+.3f} rad")
    return tuple(found)


def _from_table(table: dict[str, Any], robot: str, chain: str) -> Calibration:
    for key in table:
        if key not in KEYS:
            raise UnknownName("key", key, KEYS)
    for key, value in (("robot", robot), ("chain", chain)):
        if table.get(key) != value:
            raise InvalidInput(f"its {key} is {table.get(key)!r}, expected {value!r}")
    if not isinstance(table.get("when"), datetime):
        raise InvalidInput(f"its time 'when' is {table.get('when')!r}, expected a date with time")
    points = table.get("points")
    if not isinstance(points, int) or isinstance(points, bool):
        raise InvalidInput(f"its number of points is {points!r}, expected a whole number")
    return Calibration(
        robot=robot,
        chain=chain,
        offsets=_numbers(table, "offsets"),
        angles=_numbers(table, "angles"),
        what=table.get("what", "both"),
        when=table["when"],
        points=points,
        rms_mm=_number(table.get("rms_mm"), "rms_mm"),
    )


def _numbers(table: dict[str, Any], section: str) -> dict[str, float]:
    values = table.get(section, {})
    if not isinstance(values, dict):
        raise InvalidInput(f"its {section} are {values!r}, expected a section with keys")
    return {name: _number(value, f"{section}.{name}") for name, value in values.items()}


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{name} is {value!r}, expected a number")
    return finite_number(value, name=name)


def _way_out(robot: str) -> str:
    return f"mend it, or delete it with: mecano calibrate {robot} --forget"
