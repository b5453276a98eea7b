"""`import_robot`: a robot's folder from a URDF, xacro or MJCF file."""

import copy
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mecano import robots
from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.importing import contacts as touching
from mecano.importing.contacts import Contacts, look_at_contacts
from mecano.importing.convert import Collision, convert
from mecano.importing.describe import Described, DescribedHand, description_text
from mecano.importing.draft import Draft
from mecano.importing.dressing import (
    add_exclusions,
    add_motors,
    add_tips,
    add_tools,
    set_on_floor,
)
from mecano.importing.drives import Drive, drives_of
from mecano.importing.files import read_xml
from mecano.importing.findings import Finding
from mecano.importing.folders import check_folder
from mecano.importing.hand_search import FoundHand
from mecano.importing.mjcf_source import add_couplings, read_mjcf
from mecano.importing.mjcf_text import identifier
from mecano.importing.readme import readme_text
from mecano.importing.skid_track import turn_on_the_spot
from mecano.importing.stances import stance
from mecano.importing.standing import fallen
from mecano.importing.structure import FoundChain, Structure, find_structure
from mecano.importing.tree import Joint, Tree
from mecano.importing.urdf import read_urdf
from mecano.importing.wheel_build import build_wheels
from mecano.importing.wheel_search import FoundBase
from mecano.kinematics.dh import DHChain
from mecano.kinematics.dh_fit import fit_dh
from mecano.robots.description import RobotDescription

Tell = Callable[[int, int], None]
STEPS = 6
"""Of an import, for a bar of progress."""
OFF_CENTRE = 0.1
"""A base that turns about a point this share of its track off the middle of its wheels says so."""
FINGER_SPEED = 3.0
"""Fingers of hands move no faster unless a user says so [rad/s]."""
FOOT = 0.1
"""What is bolted down ends within this of the floor: the foot of an arm [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Imported:
    """A robot that was imported."""

    description: RobotDescription
    folder: Path
    chains: dict[str, tuple[tuple[str, ...], str]]
    """Joints and kind of the solver, by chain."""
    structure: Structure
    findings: tuple[Finding, ...]


def import_robot(
    file: str | Path,
    out: str | Path,
    *,
    arguments: Mapping[str, str] | None = None,
    packages: Sequence[Path] = (),
    collision: Collision = "hull",
    name: str | None = None,
    free: bool | None = None,
    force: bool = False,
    allow_outside: bool = False,
    tell: Tell | None = None,
) -> Imported:
    """Make a robot's folder of a URDF, xacro or MJCF file, or of a Menagerie folder.

    The folder is made beside its place and moved there when it is complete: nothing half written
    is ever there.

    Args:
        file: The robot's file; a folder is searched for the robot's MJCF file.
        out: The folder to make.
        arguments: Of xacro files.
        packages: Packages, or folders with packages, that `package://` may mean.
        collision: What collides of a mesh: its convex hull, convex pieces (coacd), or nothing.
        name: Of the robot; None takes that of the file.
        free: Whether it moves freely on the floor; None guesses.
        force: Replace the folder if it is there.
        allow_outside: Let the file include files outside its folder and packages.
        tell: Is given how much is done, of how much.

    Raises:
        UnreadableRobot: Nothing can be made of the file; its `findings` say why.
    """
    source, out = Path(file), Path(out)
    robots.check_length(source)
    robots.check_length(out)
    if collision not in ("hull", "decompose", "none"):
        raise InvalidInput(f"collision is {collision!r}, allowed: hull, decompose, none")
    if not source.exists():
        raise InvalidInput(f"there is no file {source}; name a URDF, xacro or MJCF file")
    if source.is_dir():
        check_folder(source)
    _check_place(out, force)
    if name is not None and identifier(name) != name:
        raise InvalidInput(
            f"a robot cannot be called '{name}'; use small letters, digits and _, "
            f"such as '{identifier(name)}'"
        )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise InvalidInput(
            f"the folder {str(out)[:200]} cannot be made: {error.strerror}; name another one"
        ) from error
    try:
        draft = _draft(
            source, work, arguments=arguments or {}, packages=packages, collision=collision,
            allow_outside=allow_outside,
        )  # fmt: skip
        made = _Import(draft, name or draft.name, tell or (lambda done, total: None))
        structure = made.build(free)
        _put_in_place(work, out, force)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    description = robots.get(out)
    chains = {chain: (each.joint_names, each.solver) for chain, each in description.chains.items()}
    return Imported(
        description=description, folder=out.resolve(), chains=chains, structure=structure,
        findings=draft.findings.sorted(),
    )  # fmt: skip


def _draft(
    source: Path,
    work: Path,
    *,
    arguments: Mapping[str, str],
    packages: Sequence[Path],
    collision: Collision,
    allow_outside: bool,
) -> Draft:
    """Return what the file says, as a model."""
    if source.is_dir() or read_xml(source)[0].tag in ("mujoco", "mujocoinclude"):
        return read_mjcf(source, work, allow_outside=allow_outside)
    robot = read_urdf(source, arguments=arguments, packages=packages, allow_outside=allow_outside)
    return convert(robot, work, collision=collision)


@dataclass(eq=False)
class _Import:
    """One import, from the draft to the files."""

    draft: Draft
    name: str
    tell: Tell

    def build(self, free: bool | None) -> Structure:
        """Write model, description and README into the draft's folder."""
        draft = self.draft
        self.tell(1, STEPS)
        tree = Tree(draft.compile())
        contacts = self._contacts(tree, free)
        self.tell(2, STEPS)
        structure = find_structure(draft, tree, contacts.home, free=free)
        untouched = copy.deepcopy(draft.xml)
        described = self._write(tree, contacts, structure, hang=False)
        self.tell(3, STEPS)
        if structure.free and structure.base is None and free is None:
            why = fallen(draft.folder)
            if why:
                draft.xml = copy.deepcopy(untouched)
                bent = stance(tree, structure, contacts.home)
                upright = replace(contacts, home=bent, reason="legs bent, feet below the hips")
                described = self._write(tree, upright, structure, hang=False)
                if not fallen(draft.folder):
                    contacts, why = upright, ""
            if why:
                draft.xml = untouched
                structure = find_structure(draft, tree, contacts.home, free=False, hung=True)
                draft.findings.warn(
                    "falls-over", draft.file.name,
                    f"{why}; it is hung up by its root {draft.root}. Give a posture in which it "
                    "stands (SRDF group_state \"standing\"), or import it with --floating",
                )  # fmt: skip
                described = self._write(tree, contacts, structure, hang=True)
        self.tell(4, STEPS)
        if structure.base is not None and structure.base.kind == "skid-steered":
            structure, described = self._with_track(structure, structure.base, described)
        self.tell(5, STEPS)
        self._note(contacts, structure)
        readme = readme_text(described, contacts, draft.findings.sorted())
        (draft.folder / "README.md").write_text(readme, encoding="utf-8")
        self.tell(STEPS, STEPS)
        return structure

    def _with_track(
        self, structure: Structure, base: FoundBase, described: Described
    ) -> tuple[Structure, Described]:
        """Turn the robot on the spot and write the track that it turns by."""
        turned = turn_on_the_spot(self.draft.folder)
        if turned is None:
            self.draft.findings.warn(
                "base-does-not-turn", self.draft.file.name,
                "its wheels turn and it does not; the track of its base is a guess, look at the "
                "torque of its wheels and at what touches the floor beside them",
            )  # fmt: skip
            return structure, described
        if abs(turned.centre) > OFF_CENTRE * turned.track:
            self.draft.findings.note(
                "turns-off-centre", self.draft.file.name,
                f"turns about a point {abs(turned.centre):.2g} m "
                f"{'before' if turned.centre > 0.0 else 'behind'} the middle of its wheels, where "
                "its weight lies; odometry of the wheels alone does not see that way",
            )  # fmt: skip
        base = replace(base, track=turned.track, measured=turned.how)
        structure = replace(structure, base=base)
        described = replace(described, structure=replace(described.structure, base=structure.base))
        text = description_text(described)
        (self.draft.folder / robots.FILE).write_text(text, encoding="utf-8")
        return structure, described

    def _contacts(self, tree: Tree, free: bool | None) -> Contacts:
        """Look at contacts; an arm that is bolted to the floor begins above it."""
        still = [b for b in range(1, tree.model.nbody) if int(tree.model.body_weldid[b]) == 0]
        low = tree.lowest(still) if tree.geoms(still) else np.inf
        stands = find_structure(self.draft, tree, {}, free=free).free
        bolted = abs(low) < FOOT and not stands
        return look_at_contacts(self.draft, tree, keep_above=min(low, 0.0) if bolted else None)

    def _write(
        self, tree: Tree, contacts: Contacts, structure: Structure, *, hang: bool
    ) -> Described:
        draft = self.draft
        wheels = {}
        drives = drives_of(draft, tree, structure)
        if draft.keeps_actuators:
            coupled = [f for gripper in structure.grippers.values() for f in gripper.coupled]
            add_couplings(draft.xml, tuple(coupled))
        else:
            add_motors(draft, drives, structure)
        if structure.base is not None:
            wheels = build_wheels(draft, tree, structure.base)
        add_tools(draft, structure)
        add_tips(draft, structure)
        add_exclusions(draft, contacts, structure)
        free_body = set_on_floor(draft, tree, structure, hang=hang)
        structure = _in_frame(structure, free_body, draft.root)
        model = draft.compile()
        placed = Tree(model)
        tables = {each.name: _table(placed, each) for each in structure.chains}
        described = Described(
            draft=draft,
            structure=structure,
            tables=tables,
            postures={
                each.name: self._postures(each, tables[each.name], contacts)
                for each in structure.chains
            },
            hands={
                name: _hand(placed, hand, contacts, drives)
                for name, hand in structure.hands.items()
            },
            drives=drives,
            wheels=wheels,
            free_body=free_body,
            name=self.name,
            title=self.name.replace("_", " "),
        )
        (draft.folder / robots.FILE).write_text(description_text(described), encoding="utf-8")
        return described

    def _postures(
        self, chain: FoundChain, table: DHChain, contacts: Contacts
    ) -> dict[str, tuple[float, ...]]:
        """Return the named postures of a chain, those outside its limits left out."""
        limits = [(row.lower, row.upper) for row in table.joints]
        home = [contacts.home[joint] for joint in chain.joints]
        found = {"home": _rounded(home, limits)}
        for name, values in self.draft.states.items():
            key = identifier(name, otherwise="posture")
            if key in found or not all(joint in values for joint in chain.joints):
                continue
            posture = [values[joint] for joint in chain.joints]
            inside = [low <= v <= high for v, (low, high) in zip(posture, limits, strict=True)]
            if all(inside):
                found[key] = _rounded(posture, limits)
        return found

    def _note(self, contacts: Contacts, structure: Structure) -> None:
        findings, where = self.draft.findings, self.draft.file.name
        if contacts.always:
            findings.note(
                "always-touching", where,
                f"{_listed(contacts.always)} touch in nearly all of {touching.SAMPLES} random "
                "postures; they are left out of collisions",
            )  # fmt: skip
        if contacts.at_home:
            findings.warn(
                "self-collision", where,
                f"{_listed(contacts.at_home)} touch in the posture to begin in "
                f"({contacts.reason}); they are left out of collisions, correct the shapes",
            )  # fmt: skip
        if structure.passive:
            findings.note("joint-passive", where, f"nothing drives {', '.join(structure.passive)}")


def _check_place(out: Path, force: bool) -> None:
    if not out.name:
        raise InvalidInput(f"--out is {out}; name a folder to make")
    if out.exists() and not force:
        raise InvalidInput(f"{out} is there already; name another folder, or replace it: --force")
    if out.exists() and not (out.is_dir() and _is_ours(out)):
        raise InvalidInput(
            f"{out} is no imported robot, so it is not replaced; remove it, or name another folder"
        )


def _is_ours(folder: Path) -> bool:
    """Tell whether a folder may be replaced: it is empty or holds a robot."""
    return not any(folder.iterdir()) or (folder / robots.FILE).is_file()


def _put_in_place(work: Path, out: Path, force: bool) -> None:
    work.chmod(0o755)
    if not out.exists():
        work.rename(out)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}-old-", dir=out.parent))
    out.rename(old / out.name)
    try:
        work.rename(out)
    except OSError:
        (old / out.name).rename(out)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _in_frame(structure: Structure, frame: str, root: str) -> Structure:
    """Return the structure with chains seen from the frame of a base in the place of its root."""
    chains = tuple(
        replace(each, base=frame) if each.base == root else each for each in structure.chains
    )
    return replace(structure, chains=chains)


def _table(tree: Tree, chain: FoundChain) -> DHChain:
    """Return the DH table of a chain, from its axes with all joints at zero."""
    tree.place({})
    T_world_base = _pose(tree, chain.base)
    T_base_world = np.linalg.inv(T_world_base)
    joints = [tree.by_name[name] for name in chain.joints]
    axes = [T_base_world[:3, :3] @ tree.axis(joint) for joint in joints]
    anchors = [T_base_world[:3, :3] @ tree.anchor(joint) + T_base_world[:3, 3] for joint in joints]
    tool = T_base_world @ _pose(tree, chain.tool.body) @ chain.tool.T_body_tool
    return fit_dh(
        np.array(axes),
        np.array(anchors),
        ["prismatic" if joint.slides else "revolute" for joint in joints],
        chain.joints,
        [_limits(joint) for joint in joints],
        tool,
    )


def _hand(
    tree: Tree, hand: FoundHand, contacts: Contacts, drives: dict[str, Drive]
) -> DescribedHand:
    """Return what a description says of a hand: limits, motors and postures."""
    joints = [tree.by_name[name] for name in hand.joints]
    limits = [(-np.pi, np.pi) if j.endless else (j.lower, j.upper) for j in joints]
    motors = [drives[name] for name in hand.joints]
    home = _rounded([contacts.home[name] for name in hand.joints], limits)
    return DescribedHand(
        limits=tuple(limits),
        stiffness=min(motor.kp for motor in motors),
        damping=min(motor.kd for motor in motors),
        torque=min(motor.effort for motor in motors),
        speed=min(min(motor.speed for motor in motors), FINGER_SPEED),
        postures={
            "home": home,
            "open": home,
            "power": _rounded([hand.power[name] for name in hand.joints], limits),
        },
    )


def _limits(joint: Joint) -> tuple[float, float]:
    """Return the limits of a joint; a slide without any gets a metre either way."""
    return (-1.0, 1.0) if joint.slides and joint.endless else (joint.lower, joint.upper)


def _rounded(values: list[float], limits: list[tuple[float, float]]) -> tuple[float, ...]:
    """Return a posture with six decimals, inside the limits."""
    return tuple(
        min(max(round(value, 6), low), high)
        for value, (low, high) in zip(values, limits, strict=True)
    )


def _pose(tree: Tree, body: str) -> Array:
    """Return where a body is in the world. Shape (4, 4)."""
    number = tree.model.body(body).id
    T = np.eye(4)
    T[:3, :3] = tree.data.xmat[number].reshape(3, 3)
    T[:3, 3] = tree.data.xpos[number]
    return T


def _listed(pairs: frozenset[frozenset[str]]) -> str:
    texts = sorted(" and ".join(sorted(pair)) for pair in pairs)
    more = f" and {len(texts) - 6} pairs more" if len(texts) > 6 else ""
    return "; ".join(texts[:6]) + more
