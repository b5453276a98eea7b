"""Friction that differs with the direction, as Gazebo's elements of a URDF give it to links.

Mecanum wheels are often simulated so: `<mu1>` along `<fdir1>`, and nearly none, `<mu2>`, across it.
"""

import math

from mecano.importing.files import Element
from mecano.importing.urdf_model import Friction


def directed_friction(root: Element, links: set[str]) -> dict[str, Friction]:
    """Return the friction of the links that have a direction of it; what is no number is none."""
    found: dict[str, Friction] = {}
    for gazebo in root.all("gazebo"):
        link = gazebo.attributes.get("reference", "")
        said = {each.tag: each for each in gazebo.walk()}
        if link not in links or "fdir1" not in said:
            continue
        way = _numbers(said["fdir1"].text)
        first = _numbers(said["mu1"].text if "mu1" in said else _text(said, "mu"))
        second = _numbers(_text(said, "mu2"))
        if len(way) != 3 or not any(way) or len(first) != 1 or len(second) != 1:
            continue
        named = [v for k, v in said["fdir1"].attributes.items() if k.endswith("expressed_in")]
        frame = named[0] if named and named[0] in links else link
        found[link] = Friction(
            direction=(way[0], way[1], way[2]), frame=frame, along=first[0], across=second[0]
        )
    return found


def _text(said: dict[str, Element], tag: str) -> str:
    return said[tag].text if tag in said else ""


def _numbers(text: str) -> list[float]:
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        return []
    return values if all(map(math.isfinite, values)) else []
