"""Misspelt elements and attributes of a URDF: they are ignored silently by everyone else.

Those that can only mean one known word are read as that word, so that what is wrong inside them is
found in the same pass; `--fix` writes the same word into the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from mecano.importing.files import Element
from mecano.importing.findings import Findings

_ORIGIN = ("xyz", "rpy")
KNOWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "robot": (
        ("link", "joint", "material", "transmission", "gazebo", "sensor", "ros2_control"),
        ("name", "version"),
    ),
    "link": (("inertial", "visual", "collision"), ("name", "type")),
    "joint": (
        (
            "origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "calibration",
            "safety_controller",
        ),
        ("name", "type"),
    ),
    "inertial": (("origin", "mass", "inertia"), ()),
    "visual": (("origin", "geometry", "material"), ("name",)),
    "collision": (("origin", "geometry", "material", "verbose"), ("name",)),
    "geometry": (("box", "sphere", "cylinder", "capsule", "mesh"), ()),
    "origin": ((), (*_ORIGIN, "quat_xyzw")),
    "mass": ((), ("value",)),
    "inertia": ((), ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")),
    "box": ((), ("size",)),
    "sphere": ((), ("radius",)),
    "cylinder": ((), ("radius", "length")),
    "capsule": ((), ("radius", "length")),
    "mesh": ((), ("filename", "scale")),
    "parent": ((), ("link",)),
    "child": ((), ("link",)),
    "axis": ((), ("xyz",)),
    "limit": ((), ("lower", "upper", "effort", "velocity", "acceleration", "jerk")),
    "mimic": ((), ("joint", "multiplier", "offset")),
    "dynamics": ((), ("damping", "friction")),
    "color": ((), ("rgba",)),
}  # fmt: skip
"""Children and attributes of each element (wiki.ros.org/urdf/XML)."""
FREE = ("gazebo", "transmission", "sensor", "ros2_control", "material")
"""Elements whose content is not URDF's own."""


SURE = 0.8
"""A misspelt word this similar to just one known word is that one."""
LIKELY = {"element": 0.75, "attribute": 0.6}
"""A word this similar to a known one was probably meant to be that."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Misspelling:
    """A word that is nearly, but not quite, a known one."""

    kind: Literal["element", "attribute"]
    element: Element
    """With the right word already, if `sure`."""
    owner: str
    """Link or joint that it belongs to: "joint elbow"."""
    word: str
    guess: str
    sure: bool
    """Whether it was read as the guess."""


def sure_word(word: str, known: tuple[str, ...]) -> str:
    """Return the only known word that a misspelt one can mean; "" if there is none."""
    guess = get_close_matches(word.lower(), known, n=2, cutoff=SURE)
    return guess[0] if len(guess) == 1 else ""


def corrected(root: Element) -> tuple[list[Misspelling], dict[str, Element], dict[str, Element]]:
    """Correct the misspelt words of a URDF in place that can only mean one known word.

    Returns:
        All misspelt words; unknown elements and unknown attributes, that are nothing like known
        ones, each with the first place.
    """
    found: list[Misspelling] = []
    unknown: dict[str, Element] = {}
    strange: dict[str, Element] = {}
    waiting = [(root, "robot")] if root.tag == "robot" else []
    while waiting:
        element, owner = waiting.pop()
        children = KNOWN[element.tag][0]
        for name in _foreign(element):
            wrong = _attribute(element, name, owner)
            if wrong is None:
                strange.setdefault(f"{name} of <{element.tag}>", element)
            else:
                found.append(wrong)
        for child in element.children:
            word, named = child.tag, child.attributes.get("name", "")
            if word not in children and ":" not in word:
                wrong = _element(child, children, owner if element is not root else "")
                if wrong is None:
                    unknown.setdefault(f"<{word}> in <{element.tag}>", child)
                else:
                    found.append(wrong)
            if child.tag in children and child.tag not in FREE and child.tag in KNOWN:
                waiting.append((child, f"{child.tag} {named}" if element is root else owner))
    return found, unknown, strange


def check_spelling(root: Element, findings: Findings) -> None:
    """Add a finding for each misspelt word; `corrected` has read those it is sure of."""
    found, unknown, strange = corrected(root)
    for each in found:
        element, place = each.element, f"{each.owner} ({each.element.place})"
        if each.kind == "element":
            what = f"<{each.word}> is unknown"
            taken = f"; it was read as <{each.guess}>" if each.sure else ""
            asked = "" if each.sure else f" and was ignored; did you mean <{each.guess}>?"
        else:
            what = f"<{element.tag}> has the unknown attribute '{each.word}'"
            taken = f"; it was read as '{each.guess}'" if each.sure else ""
            asked = "" if each.sure else f", which was ignored; did you mean '{each.guess}'?"
        findings.error(f"{each.kind}-misspelt", place, f"{what}{taken}{asked}")
    for words, code, what in (
        (strange, "attribute-unknown", "attributes"), (unknown, "element-unknown", "elements"),
    ):  # fmt: skip
        if words:
            first = next(iter(words.values()))
            findings.note(
                code, first.place,
                f"{what} that are not URDF's own are ignored: {', '.join(list(words)[:8])}",
            )  # fmt: skip


def _foreign(element: Element) -> Iterator[str]:
    """Yield the attributes of an element that URDF does not know."""
    known = KNOWN[element.tag][1]
    for name in list(element.attributes):
        if name not in known and ":" not in name and not name.startswith("xmlns"):
            yield name


def _element(child: Element, known: tuple[str, ...], owner: str) -> Misspelling | None:
    guess = get_close_matches(child.tag.lower(), known, n=1, cutoff=LIKELY["element"])
    if not guess:
        return None
    word, sure = child.tag, sure_word(child.tag, known)
    child.tag = sure or word
    owner = owner or f"{child.tag} {child.attributes.get('name', '')}"
    return Misspelling(
        kind="element", element=child, owner=owner, word=word, guess=sure or guess[0],
        sure=bool(sure),
    )  # fmt: skip


def _attribute(element: Element, name: str, owner: str) -> Misspelling | None:
    known = KNOWN[element.tag][1]
    guess = get_close_matches(name.lower(), known, n=1, cutoff=LIKELY["attribute"])
    if not guess or guess[0] in element.attributes:
        return None
    sure = sure_word(name, known)
    if sure and sure not in element.attributes:
        element.attributes = {
            (sure if key == name else key): value for key, value in element.attributes.items()
        }
        element.written[sure] = name
    return Misspelling(
        kind="attribute", element=element, owner=owner, word=name, guess=sure or guess[0],
        sure=bool(sure),
    )  # fmt: skip
