"""Wheels of imported bases, as they are simulated.

Wheels become ellipsoids, which touch the floor in one point: with cylinders a spin is degrees off.
Casters, and shapes of the body that touch the floor beside the wheels, slide without friction. Both
as in our own models (robots/kobuki/setup.xml).

Wheels of skid-steered bases scrub sideways in every turn. On hard tyres with friction 1 a rigid
robot hops from wheel to wheel and turns by a fifth of what its wheels say; with softer tyres,
friction 0.5 and the inertia of geared motors it keeps its wheels down and turns by about 0.9 of it.

Mecanum and omni wheels become balls that roll in all directions and are driven in one, that of
their rollers' axes: see robots/youbot/model.xml. What is drawn of them turns on a hinge of its own.
"""

from dataclasses import dataclass

import numpy as np

from mecano.core.poses import Pose, quaternion_from_matrix
from mecano.importing import mjcf_text
from mecano.importing.draft import Draft
from mecano.importing.mjcf_text import Element, add, body_named, parents, placed, section
from mecano.importing.tree import Tree
from mecano.importing.wheel_search import CASTER, FoundBase, FoundWheel

WHEEL_SATURATION = 0.2
"""Error of rate at which a wheel's motor gives all its torque [rad/s]."""
BALL_SATURATION = 1.0
"""The same for balls: a servo at its limit makes them hop (robots/youbot/model.xml)."""
BALL_ARMATURE = 0.005
"""[kg m2], as in our own models."""
DRAWN_MASS = 1e-3
"""Of what is drawn of a ball wheel [kg]; the ball has the rest."""
WHEEL_GRIP = 1.0
"""Friction of wheels; a motor stronger than what this can carry only spins its wheel."""
SKID_FRICTION = 0.5
"""Of tyres that scrub: rubber on a smooth floor, sliding."""
SKID_SOLREF = "0.02 1"
"""Of tyres that scrub: pneumatic ones, that keep all wheels on the floor."""
ON_FLOOR = 0.004
"""Shapes of the body that end this near above the floor slide on it [m]."""


@dataclass(frozen=True, kw_only=True)
class WheelMotor:
    """The motor of a wheel."""

    torque: float
    """[N m]."""
    speed: float
    """[rad/s]."""


def build_wheels(draft: Draft, tree: Tree, base: FoundBase) -> dict[str, WheelMotor]:
    """Make wheels and casters roll; return the motors of the wheels, by joint.

    Shapes of files with actuators of their own stay as they are, and so do rollers that are links.
    """
    motors = {wheel.joint: _motor(draft, tree, base, wheel) for wheel in base.wheels}
    for wheel in base.wheels:
        own = draft.keeps_actuators and (wheel.rollers is None or wheel.rollers.joints)
        own = own or wheel.ball
        if wheel.ball:
            _name_drawing(draft, tree, wheel)
        if own:
            _keep(draft, wheel, motors[wheel.joint])
        elif wheel.rollers is not None:
            _make_ball(draft, tree, wheel, motors[wheel.joint])
        else:
            _make_wheel(draft, tree, base, wheel, motors[wheel.joint])
    if not draft.keeps_actuators:
        _let_casters_slide(draft, tree, base)
    return motors


def _motor(draft: Draft, tree: Tree, base: FoundBase, wheel: FoundWheel) -> WheelMotor:
    """Return what a wheel's motor gives: no more than its grip can carry, unless it scrubs."""
    said = draft.motors[wheel.joint]
    carried = WHEEL_GRIP * 9.81 * float(tree.model.body_mass.sum()) * wheel.radius
    carried = max(carried / len(base.wheels), 1e-3)
    skids = base.kind == "skid-steered"
    torque = carried if not said.effort else min(said.effort, (1 + skids) * carried)
    speed = said.speed if said.speed and said.speed < 100.0 else 1.0 / wheel.radius
    if draft.keeps_actuators:
        own = _own(draft, wheel)
        top = own.get("ctrlrange", "").split()
        torque = said.effort or carried
        speed = abs(float(top[-1])) if own.tag == "velocity" and top else 1.0 / wheel.radius
    return WheelMotor(torque=float(f"{torque:.4g}"), speed=speed)


def _own(draft: Draft, wheel: FoundWheel) -> Element:
    """Return the actuator of a wheel that the file brings."""
    return next(e for e in section(draft.xml, "actuator") if e.get("name") == wheel.joint)


def _keep(draft: Draft, wheel: FoundWheel, motor: WheelMotor) -> None:
    """Make the file's own actuator keep a rate, if it does not."""
    own = _own(draft, wheel)
    if own.tag == "velocity":
        return
    section(draft.xml, "actuator").remove(own)
    if wheel.ball:
        gear = own.get("gear", "1")
        _drive(draft, wheel, motor, BALL_SATURATION, jointinparent=wheel.joint, gear=gear)
    else:
        _drive(draft, wheel, motor, WHEEL_SATURATION, joint=wheel.joint)
    draft.findings.note(
        "actuator-replaced", f"actuator of {wheel.joint} ({draft.file.name})",
        f"is a {own.tag}; the base needs wheels that keep a rate, so it is a velocity "
        f"actuator now, with at most {motor.torque:g} N m",
    )  # fmt: skip


def _drive(
    draft: Draft, wheel: FoundWheel, motor: WheelMotor, saturation: float, **on: object
) -> None:
    add(section(draft.xml, "actuator"), "velocity", name=wheel.joint, **on,
        kv=float(f"{motor.torque / saturation:.4g}"), ctrlrange=[-2 * motor.speed, 2 * motor.speed],
        forcerange=[-motor.torque, motor.torque])  # fmt: skip


def _make_wheel(
    draft: Draft, tree: Tree, base: FoundBase, wheel: FoundWheel, motor: WheelMotor
) -> None:
    """Give a plain wheel a round tyre and a motor that keeps a rate."""
    body, skids = body_named(draft.xml, wheel.body), base.kind == "skid-steered"
    _touch_nothing(body)
    _add_tyre(body, tree, wheel, skids=skids)
    joint = next(j for j in body.findall("joint") if j.get("name") == wheel.joint)
    joint.attrib.pop("frictionloss", None)
    joint.attrib.pop("range", None)
    armature = float(np.clip(0.002 * motor.torque, 0.001, 0.1))
    if skids:  # a gear makes the rotor as heavy as what the wheel pushes
        mass = float(tree.model.body_mass.sum())
        armature = mass * wheel.radius**2 / len(base.wheels)
    joint.set("armature", mjcf_text.number(armature))
    _drive(draft, wheel, motor, WHEEL_SATURATION, joint=wheel.joint)


def _make_ball(draft: Draft, tree: Tree, wheel: FoundWheel, motor: WheelMotor) -> None:
    """Put a driven ball beside a wheel with rollers; the wheel itself is only drawn."""
    assert wheel.rollers is not None
    drawn = body_named(draft.xml, wheel.body)
    parent = parents(draft.xml)[drawn]
    number = tree.model.body(wheel.body).id
    mass = float(tree.model.body_subtreemass[number])
    for body in list(drawn.iter("body")):
        for part in [*body.findall("inertial"), *body.findall("joint")]:
            if part.tag == "inertial" or part.get("name") in wheel.rollers.joints:
                body.remove(part)
    _touch_nothing(drawn)
    small = DRAWN_MASS * wheel.radius**2
    add(drawn, "inertial", pos="0 0 0", mass=DRAWN_MASS, diaginertia=[small] * 3)
    joint = next(j for j in drawn.findall("joint") if j.get("name") == wheel.joint)
    for key in ("frictionloss", "range", "damping"):
        joint.attrib.pop(key, None)
    joint.set("name", f"{wheel.joint}_turn")
    joint.set("armature", "0.001")
    carrier = int(tree.model.body_parentid[number])
    R, place = tree.data.xmat[carrier].reshape(3, 3), tree.data.xpos[carrier]
    ball = add(parent, "body", name=f"{wheel.body}_ball",
               pos=mjcf_text.numbers(R.T @ (wheel.centre - place)))  # fmt: skip
    heavy = max(mass - DRAWN_MASS, DRAWN_MASS)
    moment = 0.4 * heavy * wheel.radius**2
    add(ball, "inertial", pos="0 0 0", mass=heavy, diaginertia=[moment] * 3)
    add(ball, "joint", name=wheel.joint, type="ball", armature=BALL_ARMATURE)
    add(ball, "geom", name=f"{wheel.body}_ball", type="sphere", size=wheel.radius, group=3, mass=0,
        rgba="0.3 0.8 0.3 0.4", friction="1 0.005 0.0001", solref="0.004 1")  # fmt: skip
    if draft.keeps_actuators:
        section(draft.xml, "actuator").remove(_own(draft, wheel))
    grip = wheel.direction + wheel.rollers.angle
    axle = np.array([-np.sin(grip), np.cos(grip), 0.0]) / np.cos(wheel.rollers.angle)
    _drive(draft, wheel, motor, BALL_SATURATION, jointinparent=wheel.joint,
           gear=np.round(R.T @ axle, 12))  # fmt: skip


def _name_drawing(draft: Draft, tree: Tree, wheel: FoundWheel) -> None:
    """Call the hinge of what is drawn of a ball after it; without one, add it, with no shape."""
    name = f"{wheel.joint}_turn"
    if wheel.drawn:
        for each in draft.xml.iter():
            for key in ("name", "joint", "joint1", "joint2"):
                if each.get(key) == wheel.drawn:
                    each.set(key, name)
        return
    parent = parents(draft.xml)[body_named(draft.xml, wheel.body)]
    carrier = int(tree.model.body_parentid[tree.model.body(wheel.body).id])
    R, place = tree.data.xmat[carrier].reshape(3, 3), tree.data.xpos[carrier]
    drawn = add(parent, "body", name=f"{wheel.body}_drawing",
                pos=mjcf_text.numbers(R.T @ (wheel.centre - place)))  # fmt: skip
    small = DRAWN_MASS * wheel.radius**2
    add(drawn, "inertial", pos="0 0 0", mass=DRAWN_MASS, diaginertia=[small] * 3)
    axle = np.array([-np.sin(wheel.direction), np.cos(wheel.direction), 0.0])
    add(drawn, "joint", name=name, type="hinge", axis=mjcf_text.numbers(R.T @ axle), armature=0.001)


def _touch_nothing(body: Element) -> None:
    """Let the shapes of a body, and of all below it, be drawn only."""
    for geom in body.iter("geom"):
        if geom.get("class") != "visual":
            geom.set("contype", "0")
            geom.set("conaffinity", "0")


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


def _let_casters_slide(draft: Draft, tree: Tree, base: FoundBase) -> None:
    """Let casters roll and slide: on joints, fixed by name, or shapes of the body on the floor."""
    floor = float(np.mean([wheel.centre[2] - wheel.radius for wheel in base.wheels]))
    for body in draft.xml.iter("body"):
        casting = [j for j in body.findall("joint") if j.get("name") in base.casters]
        for joint in casting:
            joint.set("damping", "0.01")
            joint.set("armature", "0.001")
        number = tree.model.body(body.get("name", "")).id if _known(tree, body) else 0
        still = number > 0 and int(tree.model.body_weldid[number]) == 0
        if casting or (still and CASTER.search(body.get("name", ""))):
            _slide(list(body.iter("geom")))
        elif still:
            low = [g for g in body.findall("geom") if _is_low(tree, g, floor)]
            _slide(low)


def _known(tree: Tree, body: Element) -> bool:
    names = {tree.model.body(number).name for number in range(tree.model.nbody)}
    return body.get("name", "") in names


def _is_low(tree: Tree, geom: Element, floor: float) -> bool:
    """Tell whether a shape of the file touches the floor."""
    names = {tree.model.geom(number).name: number for number in range(tree.model.ngeom)}
    number = names.get(geom.get("name", ""))
    return number is not None and float(tree.points(number)[:, 2].min()) < floor + ON_FLOOR


def _slide(geoms: list[Element]) -> None:
    """Let shapes touch without friction."""
    for geom in geoms:
        if geom.get("class") == "collision":
            geom.set("condim", "1")
            geom.set("priority", "1")
