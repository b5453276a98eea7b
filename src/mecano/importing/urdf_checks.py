"""What looks wrong in a URDF although it can be read: sizes, units, masses, meshes, names."""

import math
from collections.abc import Callable

import numpy as np

from mecano.importing.findings import Finding, Findings
from mecano.importing.inertia import Solid, principal, solid_of, together
from mecano.importing.mesh_facts import MAX_CHECKED_BYTES, MeshFacts, mesh_facts
from mecano.importing.urdf_model import MOVING, Joint, Link, Shape, UrdfRobot

MAX_EXTENT = 20.0
"""No link of a robot is longer; a part drawn in millimetres is [m]."""
MIN_EXTENT = 2e-4
"""A mesh that is smaller was scaled once too often [m]."""
DENSITIES = (50.0, 25_000.0)
"""Of parts: hollow sheet metal or foam to tungsten [kg/m3]."""
LEAST_CHECKED_MASS = 0.02
"""Lighter links are frames and screws; their density says nothing [kg]."""
MAX_TRIANGLES = 500_000
MAX_TURNS = 4.0
"""A revolute joint with a wider range is probably given in degrees [turns]."""
GYRATION = (0.004, 2.0)
"""Radius of gyration of a part, as a share of the diagonal of the box around it."""
MILLIMETRES = 1000.0
Tell = Callable[[int, int], None]


def check_urdf(robot: UrdfRobot, *, tell: Tell | None = None) -> tuple[Finding, ...]:
    """Return what looks wrong; meshes are read.

    Args:
        robot: As `parse_urdf` or `read_urdf` gives it.
        tell: Is given how many links were checked, of how many.
    """
    findings = Findings()
    upright = _used_upright(robot)
    parts = [robot] if robot.strays is None else [robot, robot.strays]
    links = [link for part in parts for link in part.links.values()]
    for number, link in enumerate(links):
        _check_shapes(robot, link, upright, findings)
        _check_mass(robot, link, findings)
        if tell is not None:
            tell(number + 1, len(links))
    for joint in [joint for part in parts for joint in part.joints.values()]:
        _check_joint(robot, joint, findings)
    _check_whole(robot, findings)
    _check_names(robot, findings)
    return tuple(findings)


# --- links ------------------------------------------------------------------------------------


def _used_upright(robot: UrdfRobot) -> set[str]:
    """Return the meshes that are used somewhere without being mirrored."""
    return {
        shape.geometry.reference
        for link in robot.links.values()
        for shape in (*link.visuals, *link.collisions)
        if math.prod(shape.geometry.scale) > 0.0
    }


def _check_shapes(robot: UrdfRobot, link: Link, upright: set[str], findings: Findings) -> None:
    for use, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for shape in shapes:
            where = f"link {link.name} ({robot.file.name}:{shape.line or link.line})"
            if shape.geometry.kind == "mesh":
                _check_mesh(shape, where, upright, findings)
            elif max(shape.geometry.size) > MAX_EXTENT:
                findings.warn(
                    "units-millimetres", where,
                    f"<{shape.geometry.kind}> of {max(shape.geometry.size):g} m; sizes are metres, "
                    "this one looks like millimetres",
                )  # fmt: skip
            if np.abs(shape.origin.position).max() > MAX_EXTENT:
                findings.warn(
                    "units-millimetres", where,
                    f"<{use}> lies {np.abs(shape.origin.position).max():g} m from its link; xyz is "
                    "in metres, this looks like millimetres",
                )  # fmt: skip


def _check_mesh(shape: Shape, where: str, upright: set[str], findings: Findings) -> None:
    geometry = shape.geometry
    # A left part that is the right one's mirror image is meant so.
    if math.prod(geometry.scale) < 0.0 and geometry.reference not in upright:
        scale = " ".join(f"{value:g}" for value in geometry.scale)
        findings.warn(
            "mesh-mirrored", where,
            f"scale {scale} mirrors the mesh (left-handed axes), and other simulators show it "
            "inside out; export the mirrored part and write a positive scale",
        )  # fmt: skip
    if geometry.file is None:
        return  # said when the file was read
    facts = mesh_facts(geometry.file)
    name = geometry.file.name
    if facts.problem:
        code = "mesh-empty" if _is_empty(facts) else "mesh-unreadable"
        code = "mesh-huge" if facts.bytes > MAX_CHECKED_BYTES else code
        findings.error(code, where, f"mesh {name}: {facts.problem}; it is left out")
        return
    extent = float((np.abs(geometry.scale) * (facts.high - facts.low)).max())
    if extent > MAX_EXTENT:
        findings.warn(
            "units-millimetres", where,
            f"mesh {name} is {extent:.0f} m long; it was probably drawn in millimetres, write "
            'scale="0.001 0.001 0.001"',
        )  # fmt: skip
    elif extent < MIN_EXTENT:
        findings.warn(
            "mesh-tiny", where,
            f"mesh {name} is {1e3 * extent:.3g} mm long; its scale is probably applied twice",
        )  # fmt: skip
    if facts.triangles > MAX_TRIANGLES:
        findings.warn(
            "mesh-huge", where,
            f"mesh {name} has {facts.triangles} triangles, more than {MAX_TRIANGLES}; reduce it "
            "with `mecano mesh`",
        )  # fmt: skip


def _is_empty(facts: MeshFacts) -> bool:
    return facts.bytes == 0 or "no triangles" in facts.problem or "empty" in facts.problem


def _check_mass(robot: UrdfRobot, link: Link, findings: Findings) -> None:
    inertial = link.inertial
    if inertial is None:
        return
    where = f"link {link.name} ({robot.file.name}:{inertial.line or link.line})"
    solids = [together(map(solid_of, shapes)) for shapes in (link.collisions, link.visuals)]
    known = [solid for solid in solids if solid is not None]
    if not known:
        return
    mass = abs(inertial.mass)  # a wrong sign is said elsewhere
    if mass >= LEAST_CHECKED_MASS:
        densities = [mass / solid.volume for solid in known]
        if max(densities) < DENSITIES[0] or min(densities) > DENSITIES[1]:
            density = max(densities) if max(densities) < DENSITIES[0] else min(densities)
            volume = mass / density
            findings.warn(
                "mass-volume", where,
                f"{mass:g} kg in {1e3 * volume:.3g} litres is {density:.3g} kg/m3; parts have "
                f"{DENSITIES[0]:g} to {DENSITIES[1]:g} kg/m3. Check mass, scale and units",
            )  # fmt: skip
    size = max(solid.diagonal for solid in known)
    moments = principal(inertial.inertia)
    if moments[0] > 0.0 and mass >= LEAST_CHECKED_MASS:
        _check_gyration(mass, float(moments[2]), size, where, findings)
    outside = min(_outside(solid, inertial.origin.position) for solid in known)
    if outside > 0.5 * size:
        findings.warn(
            "centre-outside", where,
            f"its centre of mass lies {outside:.3g} m outside its shapes, which are {size:.3g} m "
            "large; check the <origin> of <inertial> (metres, in the frame of the link)",
        )  # fmt: skip


def _check_gyration(
    mass: float, moment: float, size: float, where: str, findings: Findings
) -> None:
    radius = math.sqrt(moment / mass)
    share = radius / size if size > 0.0 else 0.0
    if share > 0.05 * MILLIMETRES:
        findings.warn(
            "units-millimetres", where,
            f"inertia {moment:.3g} kg m2 with {mass:g} kg belongs to a body {2 * radius:.3g} m "
            f"large, its shapes have {size:.3g} m; it looks like kg mm2 or g mm2",
        )  # fmt: skip
    elif share > GYRATION[1] or (share < GYRATION[0] and size < MAX_EXTENT):
        much = "large" if share > GYRATION[1] else "small"
        findings.warn(
            "inertia-size", where,
            f"inertia {moment:.3g} kg m2 is too {much} for {mass:g} kg in shapes of {size:.3g} m "
            f"(radius of gyration {radius:.3g} m); compute it from the shapes",
        )  # fmt: skip


def _outside(solid: Solid, point: np.ndarray) -> float:
    return float(np.linalg.norm(point - np.clip(point, solid.low, solid.high)))


# --- joints -----------------------------------------------------------------------------------


def _check_joint(robot: UrdfRobot, joint: Joint, findings: Findings) -> None:
    where = f"joint {joint.name} ({robot.file.name}:{joint.line})"
    offset = float(np.abs(joint.origin.position).max())
    if offset > MAX_EXTENT:
        findings.warn(
            "units-millimetres", where,
            f"lies {offset:g} m from link '{joint.parent}'; xyz is in metres, this looks like "
            "millimetres",
        )  # fmt: skip
    limit = joint.limit
    if joint.kind not in MOVING or limit is None or limit.lower is None or limit.upper is None:
        return
    lower, upper = sorted((limit.lower, limit.upper))
    widest = max(abs(lower), abs(upper))
    if joint.kind == "revolute" and widest > MAX_TURNS * 2.0 * math.pi:
        findings.warn(
            "angle-degrees", where,
            f"goes from {lower:g} to {upper:g} rad, {(upper - lower) / math.tau:.0f} turns; limits "
            "are radians, these look like degrees. A joint without end is continuous",
        )  # fmt: skip
    if joint.kind == "prismatic" and widest > MAX_EXTENT:
        findings.warn(
            "units-millimetres", where,
            f"goes from {lower:g} to {upper:g} m; limits are metres, these look like millimetres",
        )  # fmt: skip
    if lower < upper and not lower <= 0.0 <= upper and joint.kind != "continuous":
        findings.note(
            "zero-outside-limits", where,
            f"its zero lies outside its range {lower:.4g} to {upper:.4g}, so the home posture "
            "cannot be all zeros",
        )  # fmt: skip


# --- the whole --------------------------------------------------------------------------------


def _check_whole(robot: UrdfRobot, findings: Findings) -> None:
    file = robot.file.name
    moving = [joint for joint in robot.joints.values() if joint.kind in MOVING]
    if not robot.joints:
        findings.warn("joints-none", file, f"has {len(robot.links)} link and no joint")
    elif not moving:
        findings.warn("joints-none", file, "has no joint that moves; all are fixed")
    driven = [joint.name for joint in moving if joint.mimic is None]
    if robot.actuated and (without := [name for name in driven if name not in robot.actuated]):
        findings.note(
            "transmission-missing", file,
            f"joints without a <transmission>: {_few(without)}; they are driven all the same",
        )  # fmt: skip
    bare = [link.name for link in robot.links.values() if link.visuals and not link.collisions]
    if bare:
        findings.note(
            "collision-missing", file,
            f"links that are drawn and have no <collision>: {_few(bare)}; nothing touches them",
        )  # fmt: skip
    drawn = [*robot.links.values(), *robot.stray_links]
    shapes = [each for link in drawn for each in (*link.visuals, *link.collisions)]
    files = dict.fromkeys(each.geometry.file for each in shapes if each.geometry.file is not None)
    if leaky := [each.name for each in files if mesh_facts(each).open_edges]:
        findings.note(
            "mesh-open", file,
            f"meshes that are not closed, so that they have no volume: {_few(leaky)}; their convex "
            "hulls collide",
        )  # fmt: skip
    masses = [link.inertial.mass for link in robot.links.values() if link.inertial is not None]
    if not any(masses):  # negative ones are findings of their own
        findings.warn("mass-none", file, "no link has a mass; give each its <inertial>")


def _check_names(robot: UrdfRobot, findings: Findings) -> None:
    file = robot.file.name
    parts = (
        *robot.links.values(), *robot.joints.values(), *robot.stray_links, *robot.stray_joints
    )  # fmt: skip
    names = {each.name: each for each in reversed(parts)}
    odd = [each.name for each in parts if _odd(each.name)]
    if odd:
        first = names[odd[0]]
        shown = ", ".join(repr(sign) for sign in sorted(set().union(*map(_odd, odd))))
        findings.warn(
            "name-characters", f"{odd[0]} ({file}:{first.line})",
            f"names with {shown}: {_few(odd)}; other tools cut names there. Use letters, digits, _",
        )  # fmt: skip
    foreign = [each.name for each in parts if not each.name.isascii()]
    if foreign:
        findings.note(
            "name-characters", file,
            f"names beyond ASCII are kept as they are: {_few(foreign)}",
        )  # fmt: skip


def _odd(name: str) -> set[str]:
    return {sign for sign in name if sign.isspace() or sign in "/\\\"'<>:*?|"}


def _few(names: list[str]) -> str:
    shown = ", ".join(names[:6])
    return f"{shown} and {len(names) - 6} more" if len(names) > 6 else shown
