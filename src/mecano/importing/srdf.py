"""SRDF: groups of joints, named postures and pairs of links that may touch."""

from dataclasses import dataclass, field
from pathlib import Path

from mecano.importing.files import Element, read_xml
from mecano.importing.findings import Finding, Findings, UnreadableRobot


@dataclass(frozen=True, kw_only=True)
class Group:
    """A named part of a robot: joints, links or a chain between two links."""

    name: str
    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    chains: tuple[tuple[str, str], ...] = ()
    """(base link, tip link)."""
    groups: tuple[str, ...] = ()
    """Other groups that belong to it."""


@dataclass(frozen=True, kw_only=True)
class Srdf:
    """What an SRDF file says about a robot."""

    file: Path
    robot: str
    groups: dict[str, Group] = field(default_factory=dict)
    states: dict[str, dict[str, float]] = field(default_factory=dict)
    """Joint values [rad or m] by the name of the posture: "home", "half_sitting" ..."""
    disabled_pairs: frozenset[frozenset[str]] = frozenset()
    """Links that may touch."""
    end_effectors: dict[str, str] = field(default_factory=dict)
    """Parent link by the name of the group."""


def srdf_files(file: Path) -> tuple[Path, ...]:
    """Return the SRDF files near a URDF, nearest name first: beside it and in `../srdf`."""
    folders = (file.parent, file.parent / "srdf", file.parent.parent / "srdf")
    found = [
        each for folder in folders if folder.is_dir() for each in sorted(folder.glob("*.srdf"))
    ]
    stem = file.name.split(".")[0]

    def distance(each: Path) -> tuple[bool, bool, int]:
        return (each.stem != stem, not stem.startswith(each.stem), -len(each.stem))

    return tuple(sorted(dict.fromkeys(found), key=distance))


def read_srdf(file: Path) -> tuple[Srdf, tuple[Finding, ...]]:
    """Return what an SRDF file says; unreadable numbers become findings.

    Raises:
        UnreadableRobot: The file is no SRDF.
    """
    root, noticed = read_xml(file)
    findings = Findings(noticed)
    if root.tag != "robot":
        findings.error("not-srdf", file.name, f"its root is <{root.tag}>, an SRDF has <robot>")
        raise findings.unreadable()
    states: dict[str, dict[str, float]] = {}
    for state in root.all("group_state"):
        values = states.setdefault(state.attributes.get("name", ""), {})
        values.update(_values(state, findings))
    srdf = Srdf(
        file=file,
        robot=root.attributes.get("name", ""),
        groups={each.attributes.get("name", ""): _group(each) for each in root.all("group")},
        states=states,
        disabled_pairs=frozenset(
            frozenset((each.attributes.get("link1", ""), each.attributes.get("link2", "")))
            for each in root.all("disable_collisions")
        ),
        end_effectors={
            each.attributes.get("group", ""): each.attributes.get("parent_link", "")
            for each in root.all("end_effector")
        },
    )
    return srdf, tuple(findings)


def srdf_of(
    file: Path, robot: str, joints: set[str], links: set[str]
) -> tuple[Srdf | None, tuple[Finding, ...]]:
    """Return the SRDF that belongs to a robot: same name of file or robot, most known joints."""
    best: tuple[tuple[bool, bool, int], Srdf, tuple[Finding, ...]] | None = None
    for each in srdf_files(file):
        try:
            srdf, findings = read_srdf(each)
        except UnreadableRobot:  # of another robot in that folder, perhaps: only ours would matter
            continue
        if each.stem != file.name.split(".")[0] and srdf.robot.lower() != robot.lower():
            continue
        named = {joint for state in srdf.states.values() for joint in state}
        named |= {joint for group in srdf.groups.values() for joint in group.joints}
        paired = {link for pair in srdf.disabled_pairs for link in pair}
        hits = len(named & joints) - len(named - joints) + len(paired & links)
        stem = file.name.split(".")[0]
        known = (each.stem == stem, stem.startswith(each.stem), hits)
        if best is None or known > best[0]:
            best = (known, srdf, findings)
    return (None, ()) if best is None else (best[1], best[2])


def _group(element: Element) -> Group:
    def names(tag: str) -> tuple[str, ...]:
        return tuple(each.attributes.get("name", "") for each in element.all(tag))

    chains = tuple(
        (each.attributes.get("base_link", ""), each.attributes.get("tip_link", ""))
        for each in element.all("chain")
    )
    return Group(
        name=element.attributes.get("name", ""),
        joints=names("joint"),
        links=names("link"),
        chains=chains,
        groups=names("group"),
    )


def _values(state: Element, findings: Findings) -> dict[str, float]:
    values: dict[str, float] = {}
    for joint in state.all("joint"):
        name, text = joint.attributes.get("name", ""), joint.attributes.get("value", "")
        try:
            numbers = [float(word) for word in text.split()]
        except ValueError:
            numbers = []
        if len(numbers) == 1 and abs(numbers[0]) < 1e6:
            values[name] = numbers[0]
        elif len(numbers) != 7 and not numbers:  # 7: the pose of a floating joint
            findings.warn(
                "srdf-value", f"joint {name} ({joint.place})",
                f"value {text!r} is no number; write it in radians or metres",
            )  # fmt: skip
    return values
