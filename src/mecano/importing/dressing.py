"""The model made ready to drive: motors, tools, wheels that roll, pairs left out, a floor below.

Wheels become ellipsoids, which touch the floor in one point: with cylinders a spin is degrees off.
Casters slide without friction. Both as in our own models (robots/kobuki/setup.xml).

Wheels of skid-steered bases scrub sideways in every turn. On hard tyres with friction 1 a rigid
robot hops from wheel to wheel and turns by a fifth of what its wheels say; with softer tyres,
friction 0.5 and the inertia of geared motors it keeps its wheels down and turns by about 0.9 of it.
Chosen by a sweep over one robot (examples/husky_ur10, 92 kg): others are to be measured.
"""

from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose, quaternion_from_matrix
from mecano.importing import mjcf_text
from mecano.importing.contacts import Contacts
from mecano.importing.draft import Draft
from mecano.importing.drives import Drive
from mecano.importing.mjcf_text import Element, add, body_named, placed, section
from mecano.importing.structure import Structure
from mecano.importing.tree import Tree
from mecano.importing.wheel_search import FoundBase, FoundWheel

ON_FLOOR = 0.002
"""A root frame this near to the floor, below the wheels, is the frame of the base [m]."""
HANGING = 0.2
"""Clearance below a robot that hangs by its root [m]."""
WHEEL_SATURATION = 0.2
"""Error of rate at which a wheel's motor gives all its torque [rad/s]."""
WHEEL_GRIP = 1.0
"""Friction of wheels; a motor stronger than what this can carry only spins its wheel."""
SKID_FRICTION = 0.5
"""Of tyres that scrub: rubber on a smooth floor, sliding."""
SKID_SOLREF = "0.02 1"
"""Of tyres that scrub: pneumatic ones, that keep all wheels on the floor."""
FOOTPRINT = "base_footprint"


@dataclass(frozen=True, kw_only=True)
class WheelMotor:
    """The motor of a wheel."""

    torque: float
    """[N m]."""
    speed: float
    """[rad/s]."""


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


def add_exclusions(draft: Draft, contacts: Contacts) -> None:
    """Leave out pairs that always touch, or may by the file."""
    there = {
        frozenset((each.get("body1", ""), each.get("body2", "")))
        for each in draft.xml.iter("exclude")
    }
    pairs = (draft.pairs | contacts.neighbours | contacts.always | contacts.at_home) - there
    if pairs:
        contact = section(draft.xml, "contact")
        for one, other in sorted(tuple(sorted(pair)) for pair in pairs):
            add(contact, "exclude", body1=one, body2=other)


def add_wheels(draft: Draft, tree: Tree, base: FoundBase) -> dict[str, WheelMotor]:
    """Make wheels and casters roll; return the motors of the wheels, by joint."""
    actuator, motors = section(draft.xml, "actuator"), {}
    mass = float(tree.model.body_mass.sum())
    for wheel in base.wheels:
        body = body_named(draft.xml, wheel.body)
        for geom in [g for b in body.iter("body") for g in b.findall("geom")]:
            if geom.get("class") == "collision":
                geom.set("contype", "0")
                geom.set("conaffinity", "0")
        skids = base.kind == "skid-steered"
        _add_tyre(body, tree, wheel, skids=skids)
        said = draft.motors[wheel.joint]
        carried = WHEEL_GRIP * 9.81 * mass * wheel.radius / len(base.wheels)
        torque = carried if not said.effort else min(said.effort, (1 + skids) * carried)
        speed = said.speed if said.speed and said.speed < 100.0 else 1.0 / wheel.radius
        motors[wheel.joint] = WheelMotor(torque=torque, speed=speed)
        joint = next(j for j in body.findall("joint") if j.get("name") == wheel.joint)
        joint.attrib.pop("frictionloss", None)
        joint.attrib.pop("range", None)
        armature = float(np.clip(0.002 * torque, 0.001, 0.1))
        if skids:  # a gear makes the rotor as heavy as what the wheel pushes
            armature = mass * wheel.radius**2 / len(base.wheels)
        joint.set("armature", mjcf_text.number(armature))
        add(actuator, "velocity", name=wheel.joint, joint=wheel.joint,
            kv=float(f"{torque / WHEEL_SATURATION:.4g}"), ctrlrange=[-2 * speed, 2 * speed],
            forcerange=[-float(f"{torque:.4g}"), float(f"{torque:.4g}")])  # fmt: skip
    for name in base.casters:
        for body in draft.xml.iter("body"):
            for joint in body.findall("joint"):
                if joint.get("name") == name:
                    joint.set("damping", "0.01")
                    joint.set("armature", "0.001")
                    _slide(body)
    return motors


def keep_wheels(draft: Draft, tree: Tree, base: FoundBase) -> dict[str, WheelMotor]:
    """Return the motors of wheels that the file brings; those that keep no rate are made to.

    Shapes stay as they are in the file.
    """
    mass, motors = float(tree.model.body_mass.sum()), {}
    actuator = section(draft.xml, "actuator")
    for wheel in base.wheels:
        own = next(each for each in actuator if each.get("name") == wheel.joint)
        said = draft.motors[wheel.joint]
        carried = WHEEL_GRIP * 9.81 * mass * wheel.radius / len(base.wheels)
        torque = float(f"{said.effort or carried:.4g}")
        top = own.get("ctrlrange", "").split()
        keeps_rate = own.tag == "velocity"
        speed = abs(float(top[-1])) if keeps_rate and top else 1.0 / wheel.radius
        motors[wheel.joint] = WheelMotor(torque=torque, speed=speed)
        if not keeps_rate:
            actuator.remove(own)
            add(actuator, "velocity", name=wheel.joint, joint=wheel.joint,
                kv=float(f"{torque / WHEEL_SATURATION:.4g}"), ctrlrange=[-2 * speed, 2 * speed],
                forcerange=[-torque, torque])  # fmt: skip
            draft.findings.note(
                "actuator-replaced", f"actuator of {wheel.joint} ({draft.file.name})",
                f"is a {own.tag}; the base needs wheels that keep a rate, so it is a velocity "
                f"actuator now, with at most {torque:g} N m",
            )  # fmt: skip
    return motors


def _add_tyre(body: Element, tree: Tree, wheel: FoundWheel, *, skids: bool) -> None:
    """Add the ellipsoid that touches the floor; tyres that scrub are soft on any floor."""
    number = tree.model.body(wheel.body).id
    R, place = tree.data.xmat[number].reshape(3, 3), tree.data.xpos[number]
    axis = R.T @ tree.axis(tree.by_name[wheel.joint])
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    turn = np.stack([side, np.cross(axis, side), axis], axis=1)
    pose = Pose(R.T @ (wheel.centre - place), quaternion_from_matrix(turn))
    add(body, "geom", name=f"{wheel.body}_tyre", **{"class": "collision"}, type="ellipsoid",
        size=[wheel.radius, wheel.radius, 0.5 * wheel.width],
        friction=f"{SKID_FRICTION if skids else 1} 0.005 0.0001",
        **({"solref": SKID_SOLREF, "priority": "1"} if skids else {}), **placed(pose))  # fmt: skip


def _slide(body: Element) -> None:
    """Let the shapes of a caster touch without friction."""
    for geom in body.iter("geom"):
        if geom.get("class") == "collision":
            geom.set("condim", "1")
            geom.set("priority", "1")


def set_on_floor(draft: Draft, tree: Tree, structure: Structure, *, hang: bool) -> str:
    """Put the root onto the floor, under it a frame for a base on wheels; return the free body.

    The tree must be in the posture to begin in.
    """
    root = body_named(draft.xml, draft.root)
    low = tree.lowest()
    lift = _lift(tree, structure, low, hang=hang)
    base = structure.base
    if base is None:
        if abs(lift) > 1e-9:
            root.set("pos", mjcf_text.numbers([0.0, 0.0, lift]))
        return draft.root
    middle: Array = np.mean([wheel.centre for wheel in base.wheels], axis=0)
    floor = float(np.mean([wheel.centre[2] - wheel.radius for wheel in base.wheels]))
    if max(abs(middle[0]), abs(middle[1]), abs(floor)) < ON_FLOOR:
        return draft.root
    world = draft.xml.find("worldbody")
    assert world is not None
    taken = {body.get("name") for body in draft.xml.iter("body")}
    name = FOOTPRINT if FOOTPRINT not in taken else f"{FOOTPRINT}_floor"
    footprint = ET.Element("body", name=name)
    world.remove(root)
    world.append(footprint)
    footprint.append(root)
    root.set("pos", mjcf_text.numbers([-middle[0], -middle[1], -floor]))
    return name


def _lift(tree: Tree, structure: Structure, low: float, *, hang: bool) -> float:
    """Return how high the root must be above the floor [m]."""
    if structure.free:
        return -low
    if hang:
        return HANGING - low
    still = [b for b in range(1, tree.model.nbody) if int(tree.model.body_weldid[b]) == 0]
    lift = max(0.0, -tree.lowest(still)) if tree.geoms(still) else 0.0
    return HANGING - low if low + lift < -1e-3 else lift
