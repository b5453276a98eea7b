"""Makes one tree of a URDF's links and joints: names, roots, loops, mimic."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import TypeVar

from mecano.importing.findings import Findings
from mecano.importing.urdf_model import MOVING, Joint, Link, Mimic

Named = TypeVar("Named", Link, Joint)


def one_tree(
    links: list[Link], joints: list[Joint], findings: Findings, *, file: str
) -> tuple[dict[str, Link], dict[str, Joint], str]:
    """Return links and joints by name and the root; what does not fit is left out with a finding.

    Raises:
        UnreadableRobot: There is no link.
    """
    named = _unique(links, "link", findings, file)
    if not named:
        findings.error("robot-empty", file, "has no <link>; a robot needs at least one")
        raise findings.unreadable()
    connected = _connected(_unique(joints, "joint", findings, file), named, findings, file)
    clash = sorted(set(named) & set(connected))
    if clash:
        findings.note(
            "name-shared", f"joint {clash[0]} ({file}:{connected[clash[0]].line})",
            f"link and joint share the name: {', '.join(clash[:5])}; allowed, but easy to confuse",
        )  # fmt: skip
    root = _root(named, connected, findings, file)
    inside = _below(root, connected)
    kept = {name: joint for name, joint in connected.items() if joint.parent in inside}
    return {name: named[name] for name in named if name in inside}, kept, root


def check_mimic(
    joints: dict[str, Joint], strays: Iterable[Joint], findings: Findings, *, file: str
) -> dict[str, Joint]:
    """Return the joints, those with an impossible mimic as independent ones.

    Args:
        joints: Of the tree.
        strays: Other joints of the file, which are checked, too.
        findings: Get what is wrong.
        file: Name of the file.
    """
    result = dict(joints)
    for name, joint in joints.items():
        if _report_mimic(joint, joints, findings, file):
            result[name] = replace(joint, mimic=None)
    everything = {joint.name: joint for joint in (*strays, *joints.values())}
    for joint in strays:
        _report_mimic(joint, everything, findings, file)
    return result


def _report_mimic(joint: Joint, joints: dict[str, Joint], findings: Findings, file: str) -> bool:
    """Add what is wrong with the mimic of a joint; tell whether something is."""
    problems = [] if joint.mimic is None else list(_mimic_problems(joint, joint.mimic, joints))
    where = f"joint {joint.name} ({file}:{joint.line})"
    if joint.mimic is not None and joint.kind not in MOVING:  # no value that could follow
        findings.note("mimic-fixed", where, f"is {joint.kind}, so its <mimic> has no effect")
        return True
    for code, message in problems:
        findings.error(code, where, message)
    return bool(problems)


def _mimic_problems(
    joint: Joint, mimic: Mimic, joints: dict[str, Joint]
) -> Iterator[tuple[str, str]]:
    other = joints.get(mimic.joint)
    if other is None:
        yield (
            "mimic-unknown",
            (
                f"mimics '{mimic.joint}', which is no joint of this robot; "
                "correct the name, or remove <mimic>"
            ),
        )
    elif other.kind not in MOVING:
        yield (
            "mimic-fixed",
            (
                f"mimics '{other.name}', which is {other.kind} and does not move; "
                "name the joint that is driven"
            ),
        )
    if mimic.multiplier == 0.0:
        yield "mimic-zero", "has the multiplier 0, so it never moves; make it fixed, or write 1"
    seen, step = [joint.name], other
    while step is not None:
        if step.name in seen:
            yield (
                "mimic-loop",
                (
                    f"follows itself: {' -> '.join([*seen, step.name])}; "
                    "one joint of them must be the driven one, without <mimic>"
                ),
            )
            return
        seen.append(step.name)
        step = None if step.mimic is None else joints.get(step.mimic.joint)


def _unique(items: list[Named], kind: str, findings: Findings, file: str) -> dict[str, Named]:
    counts = Counter(item.name for item in items)
    result: dict[str, Named] = {}
    for item in items:
        if not item.name:
            findings.error(
                "name-missing", f"{kind} ({file}:{item.line})", f"a <{kind}> has no name; add one"
            )
        elif item.name in result:
            findings.error(
                "name-duplicate", f"{kind} {item.name} ({file}:{item.line})",
                f"{counts[item.name]} {kind}s have this name, the first in line "
                f"{result[item.name].line}; rename one (the first is used)",
            )  # fmt: skip
        else:
            result[item.name] = item
    return result


def _connected(
    joints: dict[str, Joint], links: dict[str, Link], findings: Findings, file: str
) -> dict[str, Joint]:
    """Return the joints between known links, one above each link."""
    result: dict[str, Joint] = {}
    parents: dict[str, Joint] = {}
    for name, joint in joints.items():
        where = f"joint {name} ({file}:{joint.line})"
        missing = [end for end in (joint.parent, joint.child) if end not in links]
        if "" in missing:
            continue  # said when it was read
        if missing:
            guess = get_close_matches(missing[0], links, n=1)
            hint = f"; did you mean '{guess[0]}'?" if guess else ""
            findings.error(
                "link-unknown", where,
                f"connects '{missing[0]}', which is no link of this robot{hint}; "
                "the joint is left out",
            )  # fmt: skip
        elif joint.parent == joint.child:
            findings.error("link-loop", where, f"connects '{joint.parent}' with itself; left out")
        elif joint.child in parents:
            findings.error(
                "link-two-parents", where,
                f"makes '{joint.child}' a child of '{joint.parent}', but joint "
                f"'{parents[joint.child].name}' already makes it one of "
                f"'{parents[joint.child].parent}'; URDF allows trees only. The first is used",
            )  # fmt: skip
        else:
            parents[joint.child] = result[name] = joint
    return result


def _root(links: dict[str, Link], joints: dict[str, Joint], findings: Findings, file: str) -> str:
    parents = {joint.child: joint.parent for joint in joints.values()}
    roots = [name for name in links if name not in parents]
    sizes = {root: len(_below(root, joints)) for root in roots}
    loop = _loop(links, parents)
    if loop:
        findings.error(
            "link-loop", f"link {loop[0]} ({file}:{links[loop[0]].line})",
            f"links form a circle: {' -> '.join([*loop, loop[0]])}; "
            "URDF allows trees only, remove one of the joints",
        )  # fmt: skip
    if not roots:
        findings.error(
            "root-none", file, "every link has a parent, so there is no root; remove one joint"
        )
        raise findings.unreadable()
    root = max(roots, key=lambda name: sizes[name])
    if len(roots) > 1:
        others = [name for name in roots if name != root]
        findings.error(
            "root-several", f"link {others[0]} ({file}:{links[others[0]].line})",
            f"{len(roots)} links have no parent: {_few(roots)}; connect them by (fixed) joints. "
            f"Only the tree of '{root}' is used ({sizes[root]} of {len(links)} links)",
        )  # fmt: skip
    return root


def _loop(links: dict[str, Link], parents: dict[str, str]) -> list[str]:
    """Return the links of one circle, or none."""
    cleared: set[str] = set()
    for start in links:
        path: list[str] = []
        link: str | None = start
        while link is not None and link not in cleared:
            if link in path:
                return path[path.index(link) :][::-1]
            path.append(link)
            link = parents.get(link)
        cleared.update(path)
    return []


def _below(root: str, joints: dict[str, Joint]) -> set[str]:
    children: dict[str, list[str]] = {}
    for joint in joints.values():
        children.setdefault(joint.parent, []).append(joint.child)
    found, waiting = {root}, [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def _few(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown
