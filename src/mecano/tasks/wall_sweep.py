"""The wall test for other postures, torque limits, masses and gains, on a short schedule."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from mecano.lab.robot import Robot, connect
from mecano.tasks.wall_record import Hanging, Releases, hang, most
from mecano.world.assembly import Change

MASS = 2.40
"""Of the model [kg]."""
RELEASES: Releases = ((1.5, 4), (3.0, 6), (4.5, 5), (6.0, 1))
RECORDED = 8.0
"""Length of the record [s]. Loads have settled 1 s after a release."""
POSTURES, TORQUES = ("rest", "home"), (1.5, 2.45)
MASSES, GAINS = (2.2, 2.4, 2.6, 2.7), (12.0, 15.0, 20.0, 30.0)


@dataclass(frozen=True, kw_only=True)
class Variant:
    """What the sweep changes."""

    posture: str
    torque: float
    """Limit of the servos [N m]."""
    mass: float
    """Of the robot; what is more or less is in its body [kg]."""
    gain: float
    """Of the servos' position [N m/rad]."""


def variants() -> Iterator[Variant]:
    """Yield them all."""
    for posture, torque, mass, gain in product(POSTURES, TORQUES, MASSES, GAINS):
        yield Variant(posture=posture, torque=torque, mass=mass, gain=gain)


def heavier(mass: float) -> Change:
    """Return a change of the scene that gives the robot another mass [kg], in its body."""

    def change(spec: Any) -> None:
        body = spec.body("romerin/body_link")
        new = body.mass + mass - MASS
        body.inertia, body.mass = np.array(body.inertia) * new / body.mass, new

    return change


def try_out(variant: Variant) -> Hanging:
    """Do the test with another robot, on the short schedule."""
    with connect(
        "romerin", scene="wall", start=variant.posture, changes=[heavier(variant.mass)]
    ) as robot:
        set_servos(robot, variant.torque, variant.gain)
        return hang(robot, RELEASES, RECORDED)


def set_servos(robot: Robot, torque: float, gain: float) -> None:
    """Give all servos a torque limit [N m] and a gain of position [N m/rad]."""
    drives = robot.legs.drives
    drives.limit_torque(torque)
    drives.set_gains(np.full(len(drives.names), gain))


def marks(found: Hanging) -> str:
    """Return the breaks in short: `3s* 2p` is cup 3 by shear after a knock, then cup 2 by pull.

    A `!` marks a break before the last release.
    """
    texts = []
    for each in found.breaks:
        early = "!" if each.time < found.last_release else ""
        knock = "*" if found.knock(each) else ""
        texts.append(f"{early}{each.cup}{found.cause(each)[:1]}{knock}")
    return " ".join(texts) or "holds"


def tell_sweep(swept: dict[Variant, Hanging]) -> str:
    """Return which variants keep the thesis's order of events."""
    lines = ["posture  torque  mass  " + "".join(f"gain {gain:<9g}" for gain in GAINS)]
    for posture, torque, mass in product(POSTURES, TORQUES, MASSES):
        cells = [
            marks(swept[Variant(posture=posture, torque=torque, mass=mass, gain=gain)])
            for gain in GAINS
        ]
        row = f"{posture:<9}{torque:<8g}{mass:<6g}" + "".join(f"{cell:<14}" for cell in cells)
        lines.append(row.rstrip())
    kept = sum(found.in_order for found in swept.values())
    both = sum(
        found.in_order and all("shear" in found.cause(each) for each in found.breaks)
        for found in swept.values()
    )
    return "\n".join(
        [
            *lines,
            "3s 2p: cup 3 breaks by shear, then cup 2 by pull. !: before the fourth release. "
            "*: just after a loose cup knocked against the wall.",
            f"The thesis's order (nothing before the fourth release, then cups 2 and 3) in {kept} "
            f"of {len(swept)} variants, both cups by shear in {both}.",
        ]
    )


def write_sweep(swept: dict[Variant, Hanging], path: Path) -> None:
    """Write one row per variant, with the breaks counted from the last release on [s]."""
    lines = ["posture,torque_nm,mass_kg,gain_nm_per_rad,in_order,breaks,largest_shear_before_n"]
    for variant, found in swept.items():
        breaks = "; ".join(
            f"cup {each.cup} {each.time - found.last_release:+.3f} s shear {each.shear:.1f} N "
            f"pull {each.pull:.1f} N"
            for each in found.breaks
        )
        shear = most(found.loads(found.shear, found.last_release))
        lines.append(
            f"{variant.posture},{variant.torque:g},{variant.mass:g},{variant.gain:g},"
            f"{'yes' if found.in_order else 'no'},{breaks},{shear:.2f}"
        )
    path.write_text("\n".join(lines) + "\n", "utf-8")
