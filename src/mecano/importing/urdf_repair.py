"""What is taken in the place of numbers of a URDF that cannot be simulated."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mecano.core.poses import Pose
from mecano.importing.findings import Finding, Findings
from mecano.importing.inertia import balanced, likely_inertia, principal, triangle_excess
from mecano.importing.urdf_model import MOVING, Inertial, Joint, Limit, Link, UrdfRobot

LEAST_MOMENT = 1e-9
"""Of a body in the model [kg m2]: a steel ball of 3 mm."""
ROUNDING = 0.01
"""A largest moment that exceeds the sum of the others by less than this share is rounding."""


def simulatable(robot: UrdfRobot) -> tuple[UrdfRobot, tuple[Finding, ...]]:
    """Return a robot whose masses, inertias and limits can be simulated, and what was wrong."""
    findings = Findings()
    links = {name: _link(robot, link, findings) for name, link in robot.links.items()}
    joints = {name: _joint(robot, joint, findings) for name, joint in robot.joints.items()}
    if robot.strays is not None:  # not simulated; what is wrong with them counts all the same
        findings.extend(simulatable(robot.strays)[1])
    return replace(robot, links=links, joints=joints), tuple(findings)


def moves(robot: UrdfRobot, link: str) -> bool:
    """Return whether a link has a moving joint above it, directly or further up."""
    joint = robot.parent_joint(link)
    while joint is not None:
        if joint.kind != "fixed":
            return True
        joint = robot.parent_joint(joint.parent)
    return False


def rigid_mass(robot: UrdfRobot, link: str) -> float:
    """Return the mass of a link and of what is fixed to it below [kg]."""
    total, waiting = 0.0, [link]
    while waiting:
        name = waiting.pop()
        known = robot.links.get(name)
        inertial = None if known is None else known.inertial
        total += 0.0 if inertial is None else max(inertial.mass, 0.0)
        waiting += [each.child for each in robot.children(name) if each.kind == "fixed"]
    return total


def _link(robot: UrdfRobot, link: Link, findings: Findings) -> Link:
    where = f"link {link.name} ({robot.file.name}:{_line(link)})"
    joint = robot.parent_joint(link.name)
    swings = joint is not None and joint.kind in (*MOVING, "planar", "floating")
    inertial = link.inertial
    if inertial is None or inertial.mass == 0.0:
        if swings and rigid_mass(robot, link.name) <= 0.0:
            what = "no <inertial>" if inertial is None else "the mass 0"
            code = "inertial-missing" if inertial is None else "mass-zero"
            findings.error(
                code, where,
                f"is moved by joint '{joint.name if joint else ''}' and has {what}; a body that "
                "moves needs a mass above zero. Give it one, or make the joint fixed",
            )  # fmt: skip
            if inertial is not None:
                _inertial(link, inertial, where, findings.error)
        elif inertial is not None and np.any(inertial.inertia):
            findings.warn("mass-zero", where, "has an inertia but the mass 0; both were left out")
        return replace(link, inertial=None)
    if inertial.mass < 0.0:
        findings.error(
            "mass-negative", where,
            f"has the mass {inertial.mass:g} kg; {-inertial.mass:g} kg was taken, correct the sign",
        )  # fmt: skip
        inertial = replace(inertial, mass=-inertial.mass)
    # A body that is fixed to another is one with it; the other's inertia helps it out.
    report = findings.error if swings else findings.warn
    return replace(link, inertial=_floored(_inertial(link, inertial, where, report)))


def _inertial(
    link: Link, inertial: Inertial, where: str, report: Callable[[str, str, str], None]
) -> Inertial:
    """Return mass and an inertia that a body can have."""
    moments = principal(inertial.inertia)
    shown = ", ".join(f"{moment:.3g}" for moment in moments)
    massless = inertial.mass == 0.0
    instead = (
        "it was left out" if massless else f"that of its shapes with {inertial.mass:g} kg was taken"
    )
    if not np.any(inertial.inertia):
        report(
            "inertia-zero", where,
            f"has {inertial.mass:g} kg and the inertia 0; every moment must be above 0; {instead}",
        )  # fmt: skip
    elif moments[0] <= 0.0:
        report(
            "inertia-not-positive", where,
            f"has the principal moments {shown} kg m2; all must be above 0 (look for a wrong sign "
            f"or an off-diagonal term that is too large); {instead}",
        )  # fmt: skip
    else:
        excess = triangle_excess(inertial.inertia)
        if excess <= 0.0:
            return inertial
        if excess <= ROUNDING:
            return replace(inertial, inertia=balanced(inertial.inertia))
        report(
            "inertia-triangle", where,
            f"has the principal moments {shown} kg m2; the largest may not exceed the sum of the "
            f"others, as no body has such an inertia (it does by {100 * excess:.0f} %); {instead}",
        )  # fmt: skip
    # In the axes of the link, about the centre of mass that the file gives.
    origin = Pose(inertial.origin.position)
    return replace(inertial, origin=origin, inertia=likely_inertia(link, inertial.mass))


def _floored(inertial: Inertial) -> Inertial:
    """Return it with moments that the engine can divide by; no body is that light."""
    missing = LEAST_MOMENT - principal(inertial.inertia)[0]
    if missing <= 0.0:
        return inertial
    return replace(inertial, inertia=inertial.inertia + missing * np.eye(3))


def _joint(robot: UrdfRobot, joint: Joint, findings: Findings) -> Joint:
    if joint.kind not in MOVING:
        return joint
    where = f"joint {joint.name} ({robot.file.name}:{joint.line})"
    if joint.limit is None:
        if joint.kind != "continuous":
            findings.error(
                "limit-missing", where,
                f"is {joint.kind} and has no <limit>; URDF asks for lower, upper, effort and "
                "velocity. It was taken as unlimited",
            )  # fmt: skip
        return joint
    limit = joint.limit
    if joint.kind != "continuous":
        limit = _range(limit, joint, where, findings)
    limit = _strength(limit, where, findings)
    return replace(joint, limit=limit)


def _range(limit: Limit, joint: Joint, where: str, findings: Findings) -> Limit:
    if limit.lower is None and limit.upper is None:
        findings.error(
            "limit-missing", where,
            f"is {joint.kind} and its <limit> has neither lower nor upper, which means 0 to 0; "
            "write them down, or make it continuous. It was taken as unlimited",
        )  # fmt: skip
        return limit
    lower, upper = limit.lower or 0.0, limit.upper or 0.0
    if lower > upper:
        findings.error(
            "limit-reversed", where,
            f"goes from lower {lower:g} to upper {upper:g}; lower must be below upper. They were "
            "swapped",
        )  # fmt: skip
        lower, upper = upper, lower
    elif lower == upper:
        findings.error(
            "limit-zero", where,
            f"goes from {lower:g} to {upper:g}, so it cannot move; widen the range, or make the "
            "joint fixed. It was taken as unlimited",
        )  # fmt: skip
        return replace(limit, lower=None, upper=None)
    return replace(limit, lower=lower, upper=upper)


def _strength(limit: Limit, where: str, findings: Findings) -> Limit:
    for name, unit in (("effort", "N m or N"), ("velocity", "rad/s or m/s")):
        value = getattr(limit, name)
        if value is None:
            findings.warn(
                f"{name}-missing", where,
                f"its <limit> has no {name}; add it in {unit} from the datasheet",
            )  # fmt: skip
        elif value < 0.0:
            findings.error(f"{name}-negative", where, f"{name} {value:g}; {-value:g} was taken")
            limit = replace(limit, **{name: -value})
        elif value == 0.0:
            findings.warn(
                f"{name}-zero", where,
                f"{name} 0, so the joint could not be driven; write the motor's own in {unit}",
            )  # fmt: skip
            limit = replace(limit, **{name: None})
    return limit


def _line(link: Link) -> int:
    return link.line if link.inertial is None else link.inertial.line or link.line
