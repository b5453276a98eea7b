"""The model made ready to drive: motors, tools, pairs left out, a floor below."""

from itertools import combinations
from xml.etree import ElementTree as ET

import numpy as np

from mecano.core.poses import Pose, quaternion_from_matrix
from mecano.importing import mjcf_text
from mecano.importing.contacts import Contacts
from mecano.importing.draft import LEAST_INERTIA, LEAST_MASS, Draft
from mecano.importing.drives import Drive
from mecano.importing.mjcf_text import add, body_named, placed, section
from mecano.importing.structure import Structure
from mecano.importing.tree import Tree
from mecano.importing.wheel_search import FoundBase
from mecano.kinematics.transforms import rotation_z

ON_FLOOR = 0.002
"""A root frame this near to the floor, below the wheels, is the frame of the base [m]."""
HANGING = 0.2
"""Clearance below a robot that hangs by its root [m]."""
FOOTPRINT = "base_footprint"


def add_motors(draft: Draft, drives: dict[str, Drive], structure: Structure) -> None:
    """Add an actuator for every driven joint, and what its rotor weighs."""
    joints = {each.get("name"): each for each in draft.xml.iter("joint") if each.get("name")}
    actuator = section(draft.xml, "actuator")
    for drive in drives.values():
        joints[drive.joint].set("armature", mjcf_text.number(drive.armature))
        add(actuator, "position", name=drive.joint, joint=drive.joint, kp=drive.kp, kv=drive.kd,
            forcerange=[-drive.effort, drive.effort])  # fmt: skip
    for each in draft.followers:
        leader = drives.get(each.leader)
        if leader is not None and "armature" not in joints[each.joint].attrib:
            share = max(0.1 * leader.armature, 1e-4)
            joints[each.joint].set("armature", mjcf_text.number(share))
    for name in structure.passive:
        if "damping" not in joints[name].attrib:
            joints[name].set("damping", "0.1")
            joints[name].set("armature", "0.001")
    coupled = [f for gripper in structure.grippers.values() for f in gripper.coupled]
    for each in coupled:
        add(section(draft.xml, "equality"), "joint", name=f"{each.joint}_follows",
            joint1=each.joint, joint2=each.leader, polycoef=[each.offset, each.multiplier, 0, 0, 0],
            solref="0.004 1", solimp="0.99 0.999 0.001")  # fmt: skip
        joints[each.joint].set("armature", joints[each.leader].get("armature", "0.01"))


def add_tools(draft: Draft, structure: Structure) -> None:
    """Add the site of every chain's tool."""
    arms = [chain for chain in structure.chains]
    for chain in arms:
        T = chain.tool.T_body_tool
        name = "tool" if len(arms) == 1 else f"{chain.name}_tool"
        pose = Pose(T[:3, 3], quaternion_from_matrix(T[:3, :3]))
        for site in [each for each in draft.xml.iter("site") if each.get("name") == name]:
            site.set("name", f"{name}_of_file")
        add(body_named(draft.xml, chain.tool.body), "site", name=name, **placed(pose))


def add_tips(draft: Draft, structure: Structure) -> None:
    """Add the site of every finger tip of a hand."""
    taken = {each.get("name") for each in draft.xml.iter("site")}
    for name, hand in structure.hands.items():
        for finger in hand.fingers:
            site = tip_site(name, finger.name)
            for each in draft.xml.iter("site") if site in taken else ():
                if each.get("name") == site:
                    each.set("name", f"{site}_of_file")
            add(body_named(draft.xml, finger.bodies[-1]), "site", name=site,
                pos=np.round(finger.place, 6))  # fmt: skip


def tip_site(hand: str, finger: str) -> str:
    """Return the name of the site at a finger's tip."""
    return f"{hand}_{finger}_tip"


def add_exclusions(draft: Draft, contacts: Contacts, structure: Structure) -> None:
    """Leave out pairs that always touch, or may by the file; in a gripper only pads touch."""
    there = {
        frozenset((each.get("body1", ""), each.get("body2", "")))
        for each in draft.xml.iter("exclude")
    }
    linkages = {
        frozenset(pair)
        for gripper in structure.grippers.values()
        for pair in combinations(gripper.bodies, 2)
        if not set(pair) <= set(gripper.pads)
    }
    pairs = draft.pairs | contacts.neighbours | contacts.always | contacts.at_home | linkages
    pairs -= there
    if pairs:
        contact = section(draft.xml, "contact")
        for one, other in sorted(tuple(sorted(pair)) for pair in pairs):
            add(contact, "exclude", body1=one, body2=other)


def set_on_floor(draft: Draft, tree: Tree, structure: Structure, *, hang: bool) -> str:
    """Put the root onto the floor, under it a frame for a base on wheels; return the free body.

    The tree must be in the posture to begin in.
    """
    root = body_named(draft.xml, draft.root)
    still = [b for b in range(1, tree.model.nbody) if int(tree.model.body_weldid[b]) == 0]
    if structure.free and float(tree.model.body_mass[still].sum()) <= 0.0:
        add(root, "inertial", pos="0 0 0", mass=LEAST_MASS, diaginertia=[LEAST_INERTIA] * 3)
    low = tree.lowest()
    lift = _lift(tree, structure, low, hang=hang)
    base = structure.base
    if base is None:
        if abs(lift) > 1e-9:
            root.set("pos", mjcf_text.numbers([0.0, 0.0, lift]))
        return draft.root
    middle = base.middle
    floor = float(np.mean([wheel.centre[2] - wheel.radius for wheel in base.wheels]))
    if max(abs(middle[0]), abs(middle[1]), abs(floor)) < ON_FLOOR and not base.heading:
        return draft.root
    world = draft.xml.find("worldbody")
    assert world is not None
    taken = {body.get("name") for body in draft.xml.iter("body")}
    name = FOOTPRINT if FOOTPRINT not in taken else f"{FOOTPRINT}_floor"
    footprint = ET.Element("body", name=name)
    world.remove(root)
    world.append(footprint)
    footprint.append(root)
    R = rotation_z(-base.heading)[:3, :3]
    root.set("pos", mjcf_text.numbers(R @ [-middle[0], -middle[1], -floor]))
    if base.heading:
        root.set("quat", mjcf_text.numbers(quaternion_from_matrix(R)))
    draft.findings.note("origin-moved", f"link {draft.root} ({draft.file.name})",
                        _moved(draft.root, name, base, floor))  # fmt: skip
    return name


def _moved(root: str, frame: str, base: FoundBase, floor: float) -> str:
    """Return where the origin of a base is now, seen from where the file has it."""
    x, y, _ = 1e3 * base.middle
    turned = f", turned by {np.degrees(base.heading):.0f} degrees" if base.heading else ""
    return (
        f"the robot's origin is not that of {root}, but {frame}: on the floor in the middle of its "
        f"wheels, at {x:.0f}, {y:.0f}, {1e3 * floor:.0f} mm of {root}{turned}. Poses of the robot, "
        f"odometry and the tool poses of chains that begin at {root} are in {frame}"
    )


def _lift(tree: Tree, structure: Structure, low: float, *, hang: bool) -> float:
    """Return how high the root must be above the floor [m]."""
    if structure.free:
        return -low
    if hang:
        return HANGING - low
    still = [b for b in range(1, tree.model.nbody) if int(tree.model.body_weldid[b]) == 0]
    lift = max(0.0, -tree.lowest(still)) if tree.geoms(still) else 0.0
    return HANGING - low if low + lift < -1e-3 else lift
