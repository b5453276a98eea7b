"""Which mistakes of a URDF have one right answer, and which answer that is."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from mecano.core.poses import matrix_from_quaternion
from mecano.importing.files import Element
from mecano.importing.findings import Findings
from mecano.importing.inertia import likely_inertia, principal, solid_of_link, triangle_excess
from mecano.importing.packages import Packages
from mecano.importing.urdf_joints import joint_kind
from mecano.importing.urdf_links import LinkReader
from mecano.importing.urdf_model import JOINT_KINDS, MOVING
from mecano.importing.urdf_numbers import HUGE, are_numbers, with_points
from mecano.importing.urdf_repair import ROUNDING
from mecano.importing.urdf_spelling import FREE, KNOWN, Misspelling, corrected, sure_word

NUMERIC = {
    "xyz": 3, "rpy": 3, "size": 3, "scale": 3, "rgba": 4, "radius": 1, "length": 1, "value": 1,
    "lower": 1, "upper": 1, "effort": 1, "velocity": 1, "damping": 1, "friction": 1,
    "multiplier": 1, "offset": 1, "ixx": 1, "ixy": 1, "ixz": 1, "iyy": 1, "iyz": 1, "izz": 1,
}  # fmt: skip
"""Attributes with numbers, and how many."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Change:
    """One edit of the text."""

    element: Element
    kind: Literal["value", "attribute-name", "tag", "replace"]
    attribute: str = ""
    code: str
    """Of the finding that says what is wrong."""
    where: str
    what: str
    before: str
    after: str


def changes_of(root: Element, file: Path, packages: Packages) -> list[Change]:
    """Return all repairs of a URDF that have one right answer.

    Each is made in the tree, too, as the reader does, so that the next one starts from it.
    """
    changes = [_respelt(each) for each in corrected(root)[0] if each.sure]
    for item in root.children:
        owner = f"{item.tag} {item.attributes.get('name', '')}".strip()
        for element in _own(item):
            changes += _decimal_commas(element, owner)
            if element.tag == "mesh":
                changes += _mesh_path(element, owner, packages)
        if item.tag == "joint":
            changes += _joint(item, owner)
        if item.tag == "link":
            changes += _inertia(item, owner, packages)
    return changes


def _own(item: Element) -> Iterator[Element]:
    """Yield the elements of a link or joint; others have content that is not URDF's own."""
    if item.tag in FREE:
        return
    waiting = [item]
    while waiting:
        element = waiting.pop()
        yield element
        waiting += [child for child in element.children if child.tag not in FREE]


def _respelt(wrong: Misspelling) -> Change:
    if wrong.kind == "element":
        return Change(
            element=wrong.element, kind="tag", code="element-misspelt", where=wrong.owner,
            what="misspelt element", before=wrong.word, after=wrong.guess,
        )  # fmt: skip
    return Change(
        element=wrong.element, kind="attribute-name", attribute=wrong.word,
        code="attribute-misspelt", where=wrong.owner,
        what=f"misspelt attribute of <{wrong.element.tag}>", before=wrong.word, after=wrong.guess,
    )  # fmt: skip


def _decimal_commas(element: Element, owner: str) -> Iterator[Change]:
    for name, text in list(element.attributes.items()):
        count = NUMERIC.get(name)
        points = "" if count is None or element.tag not in KNOWN else with_points(text, count)
        if points:
            element.attributes[name] = points
            yield Change(
                element=element, kind="value", attribute=name, code="number-invalid", where=owner,
                what="decimal comma", before=text, after=points,
            )  # fmt: skip


def _mesh_path(element: Element, owner: str, packages: Packages) -> Iterator[Change]:
    reference = element.attributes.get("filename", "")
    found = packages.resolve(reference) if reference else None
    if found is None:
        return
    after = ""
    if found.file is not None and found.guessed:
        after = os.path.relpath(found.file, element.file.resolve().parent).replace(os.sep, "/")
    elif found.other is not None:
        after = reference[: len(reference) - len(reference.rpartition("/")[2])] + found.other.name
    if after:
        yield Change(
            element=element, kind="value", attribute="filename",
            code="package-path" if "://" in reference else "mesh-missing", where=owner,
            what="mesh found elsewhere", before=reference, after=after,
        )  # fmt: skip


def _joint(joint: Element, owner: str) -> Iterator[Change]:
    word, kind = joint.attributes.get("type", ""), joint_kind(joint)
    if word and word != kind and kind == sure_word(word, JOINT_KINDS):
        yield Change(
            element=joint, kind="value", attribute="type", code="joint-type", where=owner,
            what="misspelt joint type", before=word, after=kind,
        )  # fmt: skip
    axis = joint.first("axis")
    if axis is not None and are_numbers(axis.attributes.get("xyz", ""), 3):
        values = np.array([float(word) for word in axis.attributes["xyz"].split()])
        length = float(np.linalg.norm(values))
        if 1e-9 < length < HUGE and abs(length - 1.0) > 1e-3 and kind not in ("fixed", "floating"):
            yield Change(
                element=axis, kind="value", attribute="xyz", code="axis-not-unit", where=owner,
                what=f"axis of length {length:.4g} made 1", before=axis.attributes["xyz"],
                after=_numbers(values / length),
            )  # fmt: skip
    limit = joint.first("limit")
    if limit is not None and kind in MOVING and kind != "continuous":
        bounds = [limit.attributes.get(name, "") for name in ("lower", "upper")]
        if all(are_numbers(text, 1) for text in bounds) and float(bounds[0]) > float(bounds[1]):
            for name, before, after in (("lower", *bounds), ("upper", *bounds[::-1])):
                yield Change(
                    element=limit, kind="value", attribute=name, code="limit-reversed",
                    where=owner, what="limits swapped", before=before, after=after,
                )  # fmt: skip


def _inertia(link: Element, owner: str, packages: Packages) -> Iterator[Change]:
    """Compute an impossible inertia from the mass and the shapes of its link."""
    inertial = link.first("inertial")
    element = None if inertial is None else inertial.first("inertia")
    if element is None:
        return
    read = LinkReader(packages, Findings()).link(link)
    solid = solid_of_link(read)
    if read.inertial is None or read.inertial.mass <= 0.0 or solid is None:
        return
    inertia = read.inertial.inertia
    code = (
        "inertia-zero" if not np.any(inertia)
        else "inertia-not-positive" if principal(inertia)[0] <= 0.0
        else "inertia-triangle" if triangle_excess(inertia) > ROUNDING
        else ""
    )  # fmt: skip
    if not code:
        return
    # `likely_inertia` is in the axes of the link; the file's are those of <inertial>.
    R = matrix_from_quaternion(read.inertial.origin.quaternion)
    right = R.T @ likely_inertia(read, read.inertial.mass) @ R
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = right[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    after = " ".join(f'{name}="{value:.9g}"' for name, value in zip(names, values, strict=True))
    before = " ".join(f"{name}={element.attributes.get(name, '')}" for name in names)
    yield Change(
        element=element, kind="replace", code=code, where=owner,
        what=f"inertia of its shapes with {read.inertial.mass:g} kg", before=before,
        after=f"<inertia {after}/>",
    )  # fmt: skip


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value + 0.0:.12g}" for value in values)
