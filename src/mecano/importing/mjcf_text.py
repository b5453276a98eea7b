"""MJCF as an XML tree that is written with all digits: MuJoCo's own writer keeps six of them."""

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from mecano.core.poses import Pose

Element = ET.Element
ROUND_OFF = 1e-12
"""Numbers smaller than this, beside others of about 1, are rounding errors."""


def numbers(values: Iterable[float]) -> str:
    """Return numbers as MJCF writes them, with every digit that matters."""
    return " ".join(number(value) for value in values)


def number(value: float) -> str:
    """Return one number, as short as it can be read back exactly."""
    value = float(value)
    if abs(value) < ROUND_OFF:
        return "0"
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def add(parent: Element, tag: str, **attributes: object) -> Element:
    """Add an element; what is None or an empty text is left out, and numbers are written."""
    written = {}
    for key, value in attributes.items():
        if value is None or (isinstance(value, str) and not value):
            continue
        if isinstance(value, (int, float, np.floating)) and not isinstance(value, bool):
            written[key] = str(value) if isinstance(value, int) else number(float(value))
        elif isinstance(value, str):
            written[key] = value
        elif isinstance(value, bool):
            written[key] = "true" if value else "false"
        else:
            written[key] = numbers(np.asarray(value, float).ravel())
    return ET.SubElement(parent, tag, written)


def placed(pose: Pose) -> dict[str, object]:
    """Return `pos` and `quat` of an element, left out where they are zero."""
    found: dict[str, object] = {}
    if np.abs(pose.position).max() > ROUND_OFF:
        found["pos"] = pose.position
    if np.abs(pose.quaternion[1:]).max() > ROUND_OFF:
        found["quat"] = pose.quaternion
    return found


def section(root: Element, tag: str) -> Element:
    """Return the section of a model, added at its end if it is not there."""
    found = root.find(tag)
    return ET.SubElement(root, tag) if found is None else found


def body_named(root: Element, name: str) -> Element:
    """Return the body with a name."""
    return next(each for each in root.iter("body") if each.get("name") == name)


def parents(root: Element) -> dict[Element, Element]:
    """Return the parent of every element."""
    return {child: parent for parent in root.iter() for child in parent}


def write(root: Element, file: Path) -> None:
    """Write a model, indented by two spaces."""
    ET.indent(root)
    file.write_text(ET.tostring(root, encoding="unicode") + "\n", encoding="utf-8")


def identifier(name: str, *, otherwise: str = "robot") -> str:
    """Return a name as Python and file names have it: small letters, digits and _."""
    text = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return text if text and not text[0].isdigit() else f"{otherwise}_{text}".rstrip("_")


class UniqueNames:
    """Names that MuJoCo can tell apart, without the `/` that stands after a robot's prefix."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Begin with the names that are taken."""
        self._taken = set(taken)

    def __call__(self, name: str) -> str:
        """Return the name, or with a number behind it if there is one already."""
        wanted = name.replace("/", "_").strip() or "unnamed"
        found, count = wanted, 1
        while found in self._taken:
            count += 1
            found = f"{wanted}_{count}"
        self._taken.add(found)
        return found
