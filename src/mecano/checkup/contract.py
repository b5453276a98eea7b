"""A robot's description against its model: every part is there, limits and tool frames agree."""

from collections.abc import Iterable, Mapping, Sequence

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.importing.findings import Findings
from mecano.kinematics.chain import Chain
from mecano.robots.description import Gripper, RobotDescription
from mecano.world.assembly import load_robot
from mecano.world.followers import following_value

POSTURES = 20
"""Random postures in which the tool frame is compared."""
TOOL_ERROR = 1e-6
"""Of the tool frame between table and model [m, and of rotation matrices]."""
LIMIT_ERROR = 2e-3
"""Between the range of a table and the model's [rad or m]."""
OPENING_ERROR = 2e-3
"""By this much more than its fingers travel a gripper may open by its description [m]."""
MAX_EXTENT = 20.0
"""No robot is larger [m]."""


def compile_model(robot: RobotDescription, findings: Findings) -> mujoco.MjModel | None:
    """Return the robot's own model, or None with a finding if the engine refuses it."""
    if not robot.has_model:
        findings.note(
            "model-none", robot.name, "has no model, so only its kinematics can be checked"
        )
        return None
    name = robot.model or f"model of {robot.name}"
    if robot.model is not None and not (robot.folder / robot.model).is_file():
        findings.error("model-broken", name, f"'{robot.model}' is not in {robot.folder}")
        return None
    try:
        return load_robot(robot).compile()
    except (ValueError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())
        findings.error("model-broken", name, f"MuJoCo cannot compile it: {reason}")
        return None


def check_contract(robot: RobotDescription, model: mujoco.MjModel, findings: Findings) -> bool:
    """Add what a description says and its model does not have, or has otherwise.

    Returns:
        Whether all parts are there, so that the model can be compared further.
    """
    missing = _check_parts(robot, model, findings)
    missing |= _check_postures(robot, findings)
    _check_sizes(robot, model, findings)
    if missing:
        return False  # what follows would stumble over the same
    for name in robot.arms:
        chain = robot.chains[name]
        _check_tool(chain, model, robot.tool_site(name), findings)
        _check_solver(chain, findings)
    _check_limits(robot, model, findings)
    _check_openings(robot, model, findings)
    _check_drives(robot, model, findings)
    return True


def _check_parts(robot: RobotDescription, model: mujoco.MjModel, findings: Findings) -> bool:
    missing = False
    for kind, owner, names in _named_parts(robot):
        known = _names(model, kind)
        for name in names:
            if name not in known:
                missing = True
                findings.error(
                    "part-missing", f"{owner} ({robot.model})",
                    f"the description names the {kind} '{name}', which the model does not have; "
                    f"it has: {_few(known)}",
                )  # fmt: skip
    return missing


def _named_parts(robot: RobotDescription) -> Iterable[tuple[str, str, tuple[str, ...]]]:
    """Yield kind, owner and names of all that a description expects in its model."""
    for name, chain in robot.chains.items():
        yield "joint", f"chain {name}", chain.joint_names
    for name in robot.arms:
        yield "site", f"chain {name}", (robot.tool_site(name),)
    for name, gripper in robot.grippers.items():
        yield "joint", f"gripper of {name}", (gripper.joint, *gripper.followers)
        yield "body", f"gripper of {name}", gripper.bodies
    for name, hand in robot.hands.items():
        yield "joint", f"hand {name}", hand.joints
        yield "body", f"hand {name}", hand.bodies
        yield "site", f"hand {name}", hand.tips
    if robot.base is not None:
        yield "body", "base", (robot.base.frame,)
        yield "joint", "wheels of the base", tuple(robot.base.layout.names)
    if robot.legged is not None:
        yield "body", "legs", (robot.legged.frame, *(leg.cup.body for leg in robot.legged.legs))
        yield "site", "legs", tuple(leg.cup.site for leg in robot.legged.legs)
        yield "joint", "legs", tuple(name for leg in robot.legged.legs for name in leg.springs)
    if robot.floating is not None:
        yield "body", "root", (robot.floating,)


def _check_postures(robot: RobotDescription, findings: Findings) -> bool:
    """Tell whether a posture has too few or many values."""
    broken = False
    for name, chain in robot.chains.items():
        limits = list(zip(chain.dh.lower, chain.dh.upper, strict=True))
        broken |= _check_values(
            f"chain {name}", chain.joint_names, limits, chain.postures, findings
        )
        if robot.model is not None and chain.postures and "home" not in chain.postures:
            findings.warn(
                "posture-home", f"chain {name}", "has no posture 'home' to begin in; add one"
            )
        for joint in chain.joint_names if robot.model is not None else ():
            if joint not in robot.servos:
                findings.error(
                    "servo-missing", f"joint {joint}",
                    f"of chain {name} has no entry in `servos`, so it cannot be driven",
                )  # fmt: skip
    for name, hand in robot.hands.items():
        broken |= _check_values(f"hand {name}", hand.joints, hand.limits, hand.postures, findings)
    return broken


def _check_values(
    owner: str,
    joints: Sequence[str],
    limits: Sequence[tuple[float, float]],
    postures: Mapping[str, Sequence[float]],
    findings: Findings,
) -> bool:
    broken = False
    for posture, values in postures.items():
        if len(values) != len(joints):
            broken = True
            findings.error(
                "posture-size", f"{owner}, posture {posture}",
                f"has {len(values)} values for {len(joints)} joints",
            )  # fmt: skip
            continue
        for joint, value, (low, high) in zip(joints, values, limits, strict=True):
            if not low - 1e-6 <= value <= high + 1e-6:
                findings.error(
                    "posture-outside-limits", f"{owner}, posture {posture}",
                    f"joint {joint} at {value:.4g} lies outside {low:.4g} to {high:.4g}",
                )  # fmt: skip
    return broken


def _check_limits(robot: RobotDescription, model: mujoco.MjModel, findings: Findings) -> None:
    for joint, low, high in _ranges(robot, model):
        number = model.joint(joint).id
        if not model.jnt_limited[number]:
            continue
        lower, upper = model.jnt_range[number]
        if low < lower - LIMIT_ERROR or high > upper + LIMIT_ERROR:
            findings.warn(
                "limits-differ", f"joint {joint}",
                f"may go from {low:.4g} to {high:.4g} by its description, the model stops it at "
                f"{lower:.4g} and {upper:.4g}; planned motions would run into the stop",
            )  # fmt: skip


def _check_openings(robot: RobotDescription, model: mujoco.MjModel, findings: Findings) -> None:
    """Compare how far grippers open with how far their fingers can travel inside their limits."""
    for name, gripper in robot.grippers.items():
        ends = [_fingers_at(model, gripper, value) for value in (gripper.closed, gripper.open)]
        bodies = [model.body(body).id for body in gripper.bodies]
        geoms = [g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in bodies]
        travel = max((_travel(model, g, *ends) for g in geoms), default=np.inf)
        opening = abs(gripper.width(gripper.open) - gripper.width(gripper.closed))
        if opening > 2.0 * travel + OPENING_ERROR:
            findings.warn(
                "gripper-opening", f"gripper of {name}",
                f"opens by {1e3 * opening:.0f} mm by its description, and no finger moves further "
                f"than {1e3 * travel:.0f} mm inside its limits; correct the driven joint, `open`, "
                "`closed` and `width_per_value`",
            )  # fmt: skip


def _fingers_at(model: mujoco.MjModel, gripper: Gripper, value: float) -> mujoco.MjData:
    """Return the model with the fingers at a joint value, each stopped at its limits."""
    data = mujoco.MjData(model)
    for joint in (gripper.joint, *gripper.followers):
        number = model.joint(joint).id
        wanted = following_value(model, joint, gripper.joint, value)
        if model.jnt_limited[number]:
            wanted = float(np.clip(wanted, *model.jnt_range[number]))
        data.qpos[model.jnt_qposadr[number]] = wanted
    mujoco.mj_kinematics(model, data)
    return data


def _travel(model: mujoco.MjModel, geom: int, one: mujoco.MjData, other: mujoco.MjData) -> float:
    """Return a bound on how far any point of a shape moves between two postures [m]."""
    moved = float(np.linalg.norm(one.geom_xpos[geom] - other.geom_xpos[geom]))
    turn = one.geom_xmat[geom].reshape(3, 3).T @ other.geom_xmat[geom].reshape(3, 3)
    cosine = float(np.clip(0.5 * (np.trace(turn) - 1.0), -1.0, 1.0))
    return moved + 2.0 * float(np.sqrt(0.5 * (1.0 - cosine))) * float(model.geom_rbound[geom])


def _check_drives(robot: RobotDescription, model: mujoco.MjModel, findings: Findings) -> None:
    """Look for the actuator of every joint that is driven: named like it, or at least moving it."""
    wheels = () if robot.base is None else robot.base.layout.names
    fingers = [gripper.joint for gripper in robot.grippers.values()]
    hands = [joint for hand in robot.hands.values() for joint in hand.joints]
    count = len(model.actuator_trntype)  # `nu` counts inputs, of which an actuator may have several
    named = {model.actuator(number).name: number for number in range(count)}
    at_joint = model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT)
    for joint in dict.fromkeys((*wheels, *robot.servos, *fingers, *hands)):
        moved = model.actuator_trnid[:, 0] == model.joint(joint).id
        number = named.get(joint)
        if not (at_joint & moved).any() if number is None else at_joint[number] > moved[number]:
            findings.error(
                "drive-missing", f"joint {joint}",
                f"no actuator of the model drives it (named like it, or with this joint); it has: "
                f"{_few(tuple(named))}",
            )  # fmt: skip


def _ranges(robot: RobotDescription, model: mujoco.MjModel) -> Iterable[tuple[str, float, float]]:
    """Yield every joint that a description gives a range, of its table or of its fingers."""
    for chain in robot.chains.values():
        yield from zip(chain.joint_names, chain.dh.lower, chain.dh.upper, strict=True)
    for gripper in robot.grippers.values():
        for joint in (gripper.joint, *gripper.followers):
            low, high = sorted(
                following_value(model, joint, gripper.joint, value)
                for value in (gripper.closed, gripper.open)
            )
            yield joint, low, high
    for hand in robot.hands.values():
        yield from (
            (joint, low, high) for joint, (low, high) in zip(hand.joints, hand.limits, strict=True)
        )


def _check_solver(chain: Chain, findings: Findings) -> None:
    """Ask the solver for the tool's pose in every named posture."""
    for name, q in chain.postures.items():
        outside = (np.array(q) < chain.dh.lower - 1e-6) | (np.array(q) > chain.dh.upper + 1e-6)
        if outside.any():
            continue  # a finding already
        result = chain.inverse(chain.forward(q)[:3, 3], start=q)
        if not result.reached:
            findings.warn(
                "solver-misses", f"chain {chain.name}, posture {name}",
                f"inverse kinematics does not find the tool's place there: {result.message}",
            )  # fmt: skip


def _check_tool(chain: Chain, model: mujoco.MjModel, site: str, findings: Findings) -> None:
    """Compare forward kinematics with the model: the base frame they imply must stand still."""
    data = mujoco.MjData(model)
    positions = [int(model.joint(name).qposadr[0]) for name in chain.joint_names]
    rng = np.random.default_rng(0)
    low, high = np.clip((chain.dh.lower, chain.dh.upper), -np.pi, np.pi)
    bases: list[Array] = []
    for _ in range(POSTURES):
        q = rng.uniform(low, high)
        data.qpos[positions] = q
        mujoco.mj_kinematics(model, data)
        T_world_tool = np.eye(4)
        number = model.site(site).id
        T_world_tool[:3, :3] = data.site_xmat[number].reshape(3, 3)
        T_world_tool[:3, 3] = data.site_xpos[number]
        bases.append(T_world_tool @ np.linalg.inv(chain.forward(q)))
    error = float(np.abs(np.array(bases) - bases[0]).max())
    if error > TOOL_ERROR:
        findings.error(
            "tool-frame", f"chain {chain.name}, site {site}",
            f"forward kinematics and model differ by up to {1e3 * error:.3g} mm (or 1e-3 of a "
            f"rotation) in {POSTURES} postures, allowed {1e3 * TOOL_ERROR:g}; check the DH table "
            "and the site",
        )  # fmt: skip


def _check_sizes(robot: RobotDescription, model: mujoco.MjModel, findings: Findings) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    reach = np.abs(data.geom_xpos).max(axis=1) + model.geom_rbound if model.ngeom else np.zeros(1)
    bounded = reach[np.asarray(model.geom_rbound) > 0.0] if model.ngeom else reach
    if len(bounded) and bounded.max() > MAX_EXTENT:
        body = int(model.geom_bodyid[int(np.argmax(reach))])
        findings.warn(
            "units-millimetres", f"body {model.body(body).name} ({robot.model})",
            f"reaches {bounded.max():.0f} m from the robot's origin; lengths are metres, these "
            "look like millimetres",
        )  # fmt: skip
    if float(model.body_mass.sum()) <= 0.0:
        findings.error("mass-none", f"{robot.model}", "no body has a mass")
    for body in range(1, model.nbody):
        small, middle, large = np.sort(model.body_inertia[body])
        if large > (small + middle) * 1.01 + 1e-12:
            findings.error(
                "inertia-triangle", f"body {model.body(body).name} ({robot.model})",
                f"has the principal moments {small:.3g}, {middle:.3g}, {large:.3g} kg m2; the "
                "largest may not exceed the sum of the others",
            )  # fmt: skip


def _names(model: mujoco.MjModel, kind: str) -> tuple[str, ...]:
    count = {"body": model.nbody, "joint": model.njnt, "site": model.nsite}
    accessor = getattr(model, kind)
    return tuple(accessor(number).name for number in range(count[kind]))


def _few(names: tuple[str, ...]) -> str:
    named = [name for name in names if name and name != "world"]
    shown = ", ".join(named[:12]) or "none"
    return f"{shown} and {len(named) - 12} more" if len(named) > 12 else shown


def solver_note(robot: RobotDescription, findings: Findings) -> None:
    """Say which arms have no closed form."""
    for name in robot.arms:
        chain = robot.chains[name]
        solver = getattr(chain, "solver", None)
        if solver == "numerical" and len(chain.joint_names) >= 4:
            findings.note(
                "solver-numerical", f"chain {name}",
                f"no closed form fits, the numerical solver is used ({chain.solver_reason})",
            )  # fmt: skip
