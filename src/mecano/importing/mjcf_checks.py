"""Numbers of an MJCF file that the physics engine takes and that make no robot."""

import math
from xml.etree import ElementTree as ET

from mecano.importing.files import Element
from mecano.importing.findings import Findings
from mecano.importing.urdf_numbers import HUGE, short

NUMBERS = frozenset((
    "pos", "quat", "axis", "size", "fromto", "euler", "axisangle", "xyaxes", "zaxis", "scale",
    "mass", "density", "diaginertia", "fullinertia", "damping", "armature", "stiffness",
    "frictionloss", "kp", "kv", "gear", "gainprm", "biasprm", "polycoef", "coef", "qpos", "anchor",
))  # fmt: skip
"""Attributes that hold finite numbers wherever they stand."""


def check_numbers(root: Element, findings: Findings) -> None:
    """Add numbers that are not finite, or too large for a robot in metres."""
    for element in root.walk():
        where = f"{element.tag} {element.attributes.get('name', '')}".strip()
        where = f"{where} ({element.place})"
        for key in NUMBERS & element.attributes.keys():
            text = element.attributes[key]
            values = _values(text)
            written = f"{key}={short(text)}"
            if not all(map(math.isfinite, values)):
                findings.error("number-nonfinite", where, f"{written} is not finite; correct it")
            elif any(abs(value) > HUGE for value in values) and key not in ("gainprm", "biasprm"):
                findings.error(
                    "number-huge", where, f"{written} is larger than {HUGE:g}; use SI units"
                )
        if element.tag == "inertial" and any(
            v < 0 for v in _values(element.attributes.get("mass"))
        ):
            findings.error(
                "mass-negative", where,
                f"has the mass {element.attributes['mass']} kg; a mass is positive",
            )  # fmt: skip


def swap_reversed(joint: ET.Element, file: str, findings: Findings) -> None:
    """Swap the limits of a joint whose lower one is above the upper one."""
    words = joint.get("range", "").split()
    span = _values(joint.get("range"))
    if len(span) == len(words) == 2 and span[0] > span[1]:
        joint.set("range", f"{words[1]} {words[0]}")
        findings.error(
            "limit-reversed", f"joint {joint.get('name', '')} ({file})",
            f"goes from lower {span[0]:g} to upper {span[1]:g}; lower must be below upper. They "
            "were swapped",
        )  # fmt: skip


def _values(text: str | None) -> list[float]:
    """Return the numbers of a text; what is no number is left to the engine to name."""
    found = []
    for word in (text or "").split():
        try:
            found.append(float(word))
        except ValueError:
            continue
    return found
