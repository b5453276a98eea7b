"""Misspelt elements and attributes of a URDF: they are ignored silently by everyone else."""

from difflib import get_close_matches

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


def check_spelling(root: Element, findings: Findings) -> None:
    """Add a finding for each element or attribute that is nearly, but not quite, a known one."""
    if root.tag != "robot":
        return
    unknown: dict[str, Element] = {}
    strange: dict[str, Element] = {}
    waiting = [(root, "robot")]
    while waiting:
        element, owner = waiting.pop()
        children, attributes = KNOWN[element.tag]
        for name in element.attributes:
            if name in attributes or ":" in name or name.startswith("xmlns"):
                continue
            if not _misspelt_attribute(element, name, attributes, owner, findings):
                strange.setdefault(f"{name} of <{element.tag}>", element)
        for child in element.children:
            named = child.attributes.get("name", "")
            below = f"{child.tag} {named}" if element is root else owner
            if child.tag in children:
                if child.tag not in FREE and child.tag in KNOWN:
                    waiting.append((child, below))
            elif ":" not in child.tag and not _misspelt(child, children, below, findings):
                unknown.setdefault(f"<{child.tag}> in <{element.tag}>", child)
    if strange:
        first = next(iter(strange.values()))
        findings.note(
            "attribute-unknown", first.place,
            f"attributes that are not URDF's own are ignored: {', '.join(list(strange)[:8])}",
        )  # fmt: skip
    if unknown:
        first = next(iter(unknown.values()))
        findings.note(
            "element-unknown", first.place,
            f"elements that are not URDF's own are ignored: {', '.join(list(unknown)[:8])}",
        )  # fmt: skip


def _misspelt(child: Element, known: tuple[str, ...], owner: str, findings: Findings) -> bool:
    guess = get_close_matches(child.tag.lower(), known, n=1, cutoff=0.75)
    if guess:
        findings.error(
            "element-misspelt", f"{owner} ({child.place})",
            f"<{child.tag}> is unknown and was ignored; did you mean <{guess[0]}>?",
        )  # fmt: skip
    return bool(guess)


def _misspelt_attribute(
    element: Element, name: str, known: tuple[str, ...], owner: str, findings: Findings
) -> bool:
    guess = get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    if not guess or guess[0] in element.attributes:
        return False
    findings.error(
        "attribute-misspelt", f"{owner} ({element.place})",
        f"<{element.tag}> has the unknown attribute '{name}', which was ignored; "
        f"did you mean '{guess[0]}'?",
    )  # fmt: skip
    return True
