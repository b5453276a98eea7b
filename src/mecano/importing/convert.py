"""From a URDF robot to a model of MuJoCo: bodies, joints, shapes, followers; nothing guessed yet.

Every link is a body, those on fixed joints too, so that all frames keep their names. What is drawn
(group 2) and what collides (group 3) are apart. All numbers are the file's own.
"""

from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

import numpy as np

from mecano.core.poses import matrix_from_quaternion, quaternion_from_matrix
from mecano.importing.draft import ASSETS, LEAST_INERTIA, LEAST_MASS, Draft, Follower, Grip, Motor
from mecano.importing.findings import Findings
from mecano.importing.mesh_assets import MeshAssets
from mecano.importing.mjcf_text import (
    Element,
    UniqueNames,
    add,
    identifier,
    numbers,
    placed,
)
from mecano.importing.urdf_model import MOVING, Joint, Link, Shape, UrdfRobot

Collision = Literal["hull", "decompose", "none"]
GREY = (0.7, 0.7, 0.72, 1.0)
"""Of shapes without a colour."""
HULL_VERTICES = 64
"""Of a collision shape, at most: more cost time and change nothing that is felt."""
LEAST_MOMENT = 1e-9
"""A moment of inertia smaller than this, beside the largest, is zero."""
PLANAR = ("x", "y", "yaw")


def convert(robot: UrdfRobot, folder: Path, *, collision: Collision = "hull") -> Draft:
    """Return the model of a URDF robot; its meshes are written into the folder."""
    return _Converter(robot, folder, collision).draft()


class _Converter:
    """One conversion."""

    def __init__(self, robot: UrdfRobot, folder: Path, collision: Collision) -> None:
        self.robot, self.folder, self.collision = robot, folder, collision
        self.findings = Findings(robot.findings)
        self.assets = MeshAssets(folder, self.findings)
        bodies = UniqueNames(["world"])
        self.bodies = {link: bodies(link) for link in robot.links}
        joints = UniqueNames()
        self.joints = {joint: joints(joint) for joint in robot.joints}
        self.geoms = UniqueNames()
        self.solid = {name: link.collisions for name, link in robot.links.items()}
        if collision != "none" and not any(self.solid.values()):
            self.solid = {name: link.visuals for name, link in robot.links.items()}
            if any(self.solid.values()):
                self.findings.warn(
                    "collision-missing", robot.file.name,
                    "has no collision shapes, so it would fall through the floor; the hulls of "
                    "what is drawn are taken",
                )  # fmt: skip
        self.motors: dict[str, Motor] = {}
        self.children: dict[str, list[Joint]] = {link: [] for link in robot.links}
        for joint in robot.joints.values():
            self.children[joint.parent].append(joint)

    def draft(self) -> Draft:
        root_link, free = self._root()
        xml = _frame_of_model(identifier(self.robot.name))
        world = ET.SubElement(xml, "worldbody")
        self._add_body(world, self.robot.links[root_link], None)
        asset = xml.find("asset")
        assert asset is not None
        for each in self.assets.written:
            hull = each.name.endswith("_hull") or "_hull_" in each.name
            shape: dict[str, object] = (
                {"maxhullvert": HULL_VERTICES} if hull else {"inertia": "shell"}
            )
            add(asset, "mesh", name=each.name, file=each.file, **shape)
        if not self.assets.written:
            xml.remove(asset)
        followers = self._followers(xml)
        srdf = self.robot.srdf
        return Draft(
            name=identifier(self.robot.name),
            file=self.robot.file,
            folder=self.folder,
            xml=xml,
            root=self.bodies[root_link],
            motors=self.motors,
            followers=followers,
            states={} if srdf is None else self._states(srdf.states),
            groups={} if srdf is None else self._groups(),
            pairs=frozenset() if srdf is None else self._pairs(srdf.disabled_pairs),
            grips={
                self.bodies[link]: Grip(
                    direction=each.direction,
                    body=self.bodies[each.frame],
                    along=each.along,
                    across=each.across,
                )
                for link, each in self.robot.friction.items()
            },
            free=free,
            findings=self.findings,
        )

    # --- the tree

    def _root(self) -> tuple[str, bool | None]:
        """Return the link that the model begins with, and whether the file says that it is free.

        A root that only carries a floating joint is the world of that file.
        """
        root, hanging = self.robot.root, self.children[self.robot.root]
        link = self.robot.links[root]
        if len(hanging) == 1 and hanging[0].kind == "floating" and not link.visuals:
            return hanging[0].child, True
        return root, None

    def _add_body(self, parent: Element, link: Link, joint: Joint | None) -> None:
        name = self.bodies[link.name]
        body = add(parent, "body", name=name, **({} if joint is None else placed(joint.origin)))
        moving = joint is not None and joint.kind not in ("fixed", "floating")
        self._add_inertial(body, link, moving)
        if joint is not None:
            self._add_joint(body, joint)
        for number, shape in enumerate(link.visuals):
            self._add_visual(body, link, shape, number)
        for number, shape in enumerate(self.solid[link.name] if self.collision != "none" else ()):
            self._add_collision(body, link, shape, number)
        for child in self.children[link.name]:
            self._add_body(body, self.robot.links[child.child], child)

    def _add_inertial(self, body: Element, link: Link, moving: bool) -> None:
        inertial = link.inertial
        if inertial is not None and inertial.mass > 0.0:
            R = matrix_from_quaternion(inertial.origin.quaternion)
            inertia = R @ inertial.inertia @ R.T
            moments, axes = np.linalg.eigh(0.5 * (inertia + inertia.T))
            pos, mass = numbers(inertial.origin.position), inertial.mass
            if moments[0] > max(LEAST_MOMENT * moments[2], 1e-10):
                full = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
                add(body, "inertial", pos=pos, mass=mass, fullinertia=full)
            else:  # a point or a rod: the engine takes zero moments only along their own axes
                axes = axes * np.sign(np.linalg.det(axes))
                add(body, "inertial", pos=pos, mass=mass, quat=quaternion_from_matrix(axes),
                    diaginertia=numbers(np.maximum(moments, 0.0)))  # fmt: skip
        elif moving and not self._weighs(link.name):
            add(body, "inertial", pos="0 0 0", mass=LEAST_MASS, diaginertia=[LEAST_INERTIA] * 3)
            self.findings.note(
                "mass-added", f"link {link.name} ({self.robot.file.name}:{link.line})",
                f"moves and has no mass; given {LEAST_MASS:g} kg, so that it can be simulated",
            )  # fmt: skip

    def _weighs(self, link: str) -> bool:
        """Tell whether a link or what is fixed to it has a mass."""
        inertial = self.robot.links[link].inertial
        if inertial is not None and inertial.mass > 0.0:
            return True
        fixed = (each.child for each in self.children[link] if each.kind in ("fixed", "floating"))
        return any(self._weighs(each) for each in fixed)

    def _add_joint(self, body: Element, joint: Joint) -> None:
        name = self.joints[joint.name]
        where = f"joint {joint.name} ({self.robot.file.name}:{joint.line})"
        if joint.kind == "floating":
            self.findings.warn(
                "joint-floating", where,
                "is a floating joint inside the robot; only its root can float, so it is fixed",
            )  # fmt: skip
        elif joint.kind == "planar":
            self._add_planar(body, joint)
        elif joint.kind in MOVING:
            kind = "slide" if joint.kind == "prismatic" else "hinge"
            limit = joint.limit
            bounded = (
                joint.kind != "continuous"
                and limit is not None
                and limit.lower is not None
                and limit.upper is not None
                and limit.lower < limit.upper
            )
            span = [limit.lower, limit.upper] if bounded and limit is not None else None
            add(body, "joint", name=name, type=kind, axis=joint.axis, range=span,
                damping=joint.damping or None, frictionloss=joint.friction or None)  # fmt: skip
            if joint.mimic is None:
                self.motors[name] = _motor(joint)

    def _add_planar(self, body: Element, joint: Joint) -> None:
        """Add two slides in the plane and a hinge about its normal."""
        normal = np.asarray(joint.axis, float)
        first = np.linalg.svd(normal[None])[2][1]
        axes = zip(PLANAR, (first, np.cross(normal, first), normal), strict=True)
        for suffix, axis in axes:
            name = f"{self.joints[joint.name]}_{suffix}"
            kind = "hinge" if suffix == "yaw" else "slide"
            add(body, "joint", name=name, type=kind, axis=axis)
            self.motors[name] = _motor(joint)

    def _followers(self, xml: Element) -> tuple[Follower, ...]:
        found = tuple(
            Follower(
                joint=self.joints[joint.name],
                leader=self.joints[joint.mimic.joint],
                multiplier=joint.mimic.multiplier,
                offset=joint.mimic.offset,
            )
            for joint in self.robot.joints.values()
            if joint.mimic is not None and joint.kind in MOVING and joint.mimic.joint in self.joints
        )
        if found:
            equality = ET.SubElement(xml, "equality")
            for each in found:
                add(equality, "joint", name=f"{each.joint}_follows", joint1=each.joint,
                    joint2=each.leader, polycoef=[each.offset, each.multiplier, 0, 0, 0],
                    solref="0.004 1", solimp="0.99 0.999 0.001")  # fmt: skip
        return found

    # --- shapes

    def _add_visual(self, body: Element, link: Link, shape: Shape, number: int) -> None:
        geometry, where = shape.geometry, self._where(link, shape)
        if geometry.kind == "mesh":
            if geometry.file is None:
                return
            assets = self.assets.visual(geometry.file, geometry.scale, where)
            for each in assets:
                own = each.rgba if len(assets) > 1 else shape.rgba or each.rgba
                name = self.geoms(f"{link.name}_{number}")
                add(body, "geom", name=name, **{"class": "visual"}, type="mesh", mesh=each.name,
                    rgba=_seen(own), **placed(shape.origin))  # fmt: skip
        else:
            name = self.geoms(f"{link.name}_{number}")
            add(body, "geom", name=name, **{"class": "visual"}, **_primitive(shape),
                rgba=_seen(shape.rgba), **placed(shape.origin))  # fmt: skip

    def _add_collision(self, body: Element, link: Link, shape: Shape, number: int) -> None:
        geometry, where = shape.geometry, self._where(link, shape)
        if geometry.kind != "mesh":
            name = self.geoms(f"{link.name}_{number}_collision")
            add(body, "geom", name=name, **{"class": "collision"}, **_primitive(shape),
                **placed(shape.origin))  # fmt: skip
        elif geometry.file is not None:
            make = self.assets.pieces if self.collision == "decompose" else self.assets.hull
            for each in make(geometry.file, geometry.scale, where):
                name = self.geoms(f"{link.name}_{number}_collision")
                add(body, "geom", name=name, **{"class": "collision"}, type="mesh", mesh=each.name,
                    **placed(shape.origin))  # fmt: skip

    def _where(self, link: Link, shape: Shape) -> str:
        return f"link {link.name} ({self.robot.file.name}:{shape.line or link.line})"

    # --- what the SRDF says, in our names

    def _states(self, states: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        return {
            name: {self.joints[j]: value for j, value in values.items() if j in self.joints}
            for name, values in states.items()
        }

    def _pairs(self, pairs: frozenset[frozenset[str]]) -> frozenset[frozenset[str]]:
        known = [pair for pair in pairs if len(pair) == 2 and pair <= self.bodies.keys()]
        return frozenset(frozenset(self.bodies[each] for each in pair) for pair in known)

    def _groups(self) -> dict[str, tuple[str, ...]]:
        srdf = self.robot.srdf
        assert srdf is not None
        found: dict[str, tuple[str, ...]] = {}
        above = {joint.child: joint for joint in self.robot.joints.values()}
        for name, group in srdf.groups.items():
            joints = [j for j in group.joints if j in self.joints]
            joints += [above[link].name for link in group.links if link in above]
            for base, tip in group.chains:
                path: list[str] = []
                while tip in above and tip != base:
                    path.append(above[tip].name)
                    tip = above[tip].parent
                joints += path[::-1]
            moving = [j for j in joints if self.robot.joints[j].kind in MOVING]
            found[name] = tuple(self.joints[j] for j in dict.fromkeys(moving))
        return {name: joints for name, joints in found.items() if joints}


def _frame_of_model(name: str) -> Element:
    """Return a model without bodies: settings, defaults and light, as our own models have them."""
    xml = Element("mujoco", model=name)
    add(xml, "compiler", angle="radian", autolimits="true", meshdir=ASSETS)
    light = add(add(xml, "visual"), "headlight", ambient="0.5 0.5 0.5", diffuse="0.7 0.7 0.7")
    assert light is not None
    default = add(xml, "default")
    add(default, "site", group=4, size=0.005, rgba="0.9 0.2 0.2 1")
    visual = add(default, "default", **{"class": "visual"})
    add(visual, "geom", group=2, contype=0, conaffinity=0, mass=0)
    solid = add(default, "default", **{"class": "collision"})
    add(solid, "geom", group=3, mass=0, rgba="0.2 0.6 0.9 0.4", solref="0.004 1")
    add(xml, "asset")
    return xml


def _primitive(shape: Shape) -> dict[str, object]:
    """Return type and size of a box, sphere, cylinder or capsule; MuJoCo has half lengths."""
    kind, size = shape.geometry.kind, shape.geometry.size
    if kind == "box":
        return {"type": kind, "size": [0.5 * each for each in size]}
    if kind == "sphere":
        return {"type": kind, "size": [size[0]]}
    return {"type": kind, "size": [size[0], 0.5 * size[1]]}


def _motor(joint: Joint) -> Motor:
    limit = joint.limit
    return Motor(
        effort=None if limit is None else limit.effort,
        speed=None if limit is None else limit.velocity,
    )


def _seen(rgba: tuple[float, float, float, float] | None) -> list[float]:
    red, green, blue, opacity = GREY if rgba is None else rgba
    return [round(each, 4) for each in (red, green, blue, opacity if opacity > 0.0 else 1.0)]
