"""A robot's model against its datasheet: masses, extents, frames, the gap of its gripper."""

import re
from collections.abc import Sequence

import mujoco
import numpy as np
from mujoco import mjtGeom

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UserCodeFailed
from mecano.importing.findings import Findings
from mecano.robots.datasheet import Datasheet, FrameFacts, Link, Shape, sheet_of
from mecano.robots.description import RobotDescription
from mecano.world.followers import following_value

MASS = 1e-3
"""Mass of a link may differ by this share."""
CENTER = 1e-4
"""Its centre of mass by this much [m]."""
INERTIA = 2e-3
"""Its moments of inertia by this share of the largest."""
GAP = 1e-6
"""The gap between the pads may differ by this much [m]."""


def check_datasheet(robot: RobotDescription, model: mujoco.MjModel, findings: Findings) -> None:
    """Add what a robot's `datasheet.py` says and its model has otherwise."""
    try:
        sheet = sheet_of(robot)
    except (UserCodeFailed, InvalidInput) as error:
        findings.error("sheet-broken", f"datasheet of {robot.name}", str(error))
        return
    if sheet is None:
        return
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    _check_masses(sheet, model, findings)
    for name, link in sheet.links.items():
        if _is_known(model, "body", name, findings):
            _check_link(name, link, model, findings)
    for shape in sheet.shapes:
        _check_shape(shape, sheet.shape_tolerance_mm, model, findings)
    for name, frame in sheet.frames.items():
        _check_frame(name, frame, sheet.frame_tolerance, model, data, findings)
    for chain, pads in sheet.pads.items():
        if chain in robot.grippers and all(_is_known(model, "site", pad, findings) for pad in pads):
            _check_gap(robot, chain, pads, model, findings)


def _is_known(model: mujoco.MjModel, kind: str, name: str, findings: Findings) -> bool:
    known = mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name) >= 0
    if not known:
        findings.error(
            "part-missing", f"datasheet, {kind} {name}", f"the model has no {kind} of this name"
        )
    return known


def _check_masses(sheet: Datasheet, model: mujoco.MjModel, findings: Findings) -> None:
    masses = (
        {} if sheet.mass is None else {"whole robot": (sheet.mass, float(model.body_mass.sum()))}
    )
    for name, mass in sheet.assemblies.items():
        if _is_known(model, "body", name, findings):
            masses[f"body {name}"] = mass, float(model.body(name).subtreemass[0])
    for where, (wanted, found) in masses.items():
        if abs(found - wanted) > sheet.mass_tolerance:
            findings.warn(
                "mass-differs", where,
                f"weighs {found:.5g} kg in the model with all that it carries, {wanted:.5g} kg by "
                f"the datasheet, allowed +-{sheet.mass_tolerance:g}",
            )  # fmt: skip


def _check_link(name: str, link: Link, model: mujoco.MjModel, findings: Findings) -> None:
    body = model.body(name)
    mass = float(body.mass[0])
    if abs(mass - link.mass) > MASS * link.mass:
        findings.warn(
            "mass-differs", f"body {name}",
            f"weighs {mass:.5g} kg in the model, {link.mass:.5g} kg by the datasheet",
        )  # fmt: skip
    if link.center is not None and np.abs(body.ipos - link.center).max() > CENTER:
        findings.warn(
            "center-differs", f"body {name}",
            f"has its centre of mass at {_millimetres(body.ipos)} mm in the model, at "
            f"{_millimetres(link.center)} mm by the datasheet",
        )  # fmt: skip
    if link.inertia is not None:
        R = _rotation(body.iquat)
        tensor = R @ np.diag(body.inertia) @ R.T
        found = tensor[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]][: len(link.inertia)]
        if np.abs(found - link.inertia).max() > INERTIA * max(link.inertia):
            findings.warn(
                "inertia-differs", f"body {name}",
                f"has the moments {_numbers(found)} kg m2 in the model, {_numbers(link.inertia)} "
                "by the datasheet",
            )  # fmt: skip


def _check_shape(shape: Shape, tolerance: float, model: mujoco.MjModel, findings: Findings) -> None:
    geoms = [g for g in range(model.ngeom) if re.fullmatch(shape.geoms, model.geom(g).name)]
    links = {model.body(int(model.geom_bodyid[g])).name for g in geoms}
    where = f"geoms {shape.geoms} of {shape.link}"
    if links != {shape.link}:
        findings.error(
            "part-missing", where,
            f"the datasheet names these shapes of {shape.link}, the model has them in: "
            f"{', '.join(sorted(links)) or 'no body'}",
        )  # fmt: skip
        return
    found = extents_mm(model, geoms)
    if np.abs(found - shape.extents_mm).max() > tolerance:
        findings.warn(
            "extents-differ", where,
            f"reach from and to {_numbers(found)} mm (x, y, z) in the model, "
            f"{_numbers(shape.extents_mm)} mm by the datasheet, allowed +-{tolerance:g} mm",
        )  # fmt: skip


def _check_frame(
    name: str,
    frame: FrameFacts,
    tolerance: float,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    findings: Findings,
) -> None:
    for kind in ("site", "body", "camera"):
        if mujoco.mj_name2id(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name) >= 0:
            break
    else:
        findings.error(
            "part-missing", f"datasheet, frame {name}",
            "the model has no site, body or camera of this name",
        )  # fmt: skip
        return
    found = getattr(data, kind)(name)
    axes = found.xmat.reshape(3, 3)
    for what, wanted, value in (
        ("is at", frame.position, found.xpos),
        ("has its x axis along", frame.x, axes[:, 0]),
        ("has its z axis along", frame.z, axes[:, 2]),
    ):
        error = 0.0 if wanted is None else float(np.abs(value - wanted).max())
        if error > tolerance:
            findings.warn(
                "frame-differs", f"{kind} {name}",
                f"{what} {_numbers(value)} with all joints at zero, by the datasheet "
                f"{_numbers(wanted)}: {error:.2g} off, allowed {tolerance:g}",
            )  # fmt: skip


def _check_gap(
    robot: RobotDescription,
    chain: str,
    pads: tuple[str, str],
    model: mujoco.MjModel,
    findings: Findings,
) -> None:
    gripper = robot.grippers[chain]
    data = mujoco.MjData(model)
    for value in np.linspace(gripper.closed, gripper.open, 3):
        for joint in (gripper.joint, *gripper.followers):
            data.joint(joint).qpos = following_value(model, joint, gripper.joint, value)
        mujoco.mj_kinematics(model, data)
        gap = float(np.linalg.norm(data.site(pads[1]).xpos - data.site(pads[0]).xpos))
        if abs(gap - gripper.width(value)) > GAP:
            findings.warn(
                "gripper-gap", f"gripper of {chain}",
                f"its pads are {1e3 * gap:.4g} mm apart in the model at joint value {value:.4g}, "
                f"{1e3 * gripper.width(value):.4g} mm by `width_at_zero` and `width_per_value`",
            )  # fmt: skip


def extents_mm(model: mujoco.MjModel, geoms: Sequence[int]) -> Array:
    """Return extents of some geoms in the frame of their body [mm]: x, y, z, each from and to."""
    points = 1000 * np.vstack([corners(model, geom) for geom in geoms])
    return np.column_stack([points.min(axis=0), points.max(axis=0)]).ravel()


def corners(model: mujoco.MjModel, geom: int) -> Array:
    """Return points in the body's frame whose extents are those of a geom [m]."""
    R, center, size = _rotation(model.geom_quat[geom]), model.geom_pos[geom], model.geom_size[geom]
    kind = int(model.geom_type[geom])
    if kind == mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        return model.mesh_vert[first : first + model.mesh_vertnum[mesh]] @ R.T + center
    if kind == mjtGeom.mjGEOM_CYLINDER:
        reach = size[0] * np.hypot(R[:, 0], R[:, 1]) + size[1] * abs(R[:, 2])
    elif kind == mjtGeom.mjGEOM_CAPSULE:
        reach = size[0] + size[1] * abs(R[:, 2])
    elif kind == mjtGeom.mjGEOM_SPHERE:
        reach = np.full(3, size[0])
    elif kind == mjtGeom.mjGEOM_ELLIPSOID:
        reach = np.linalg.norm(R * size, axis=1)
    else:
        reach = abs(R) @ size
    return np.vstack([center - reach, center + reach])


def _rotation(quaternion: Array) -> Array:
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)


def _millimetres(values: object) -> str:
    return _numbers(1000 * np.asarray(values))


def _numbers(values: object) -> str:
    return ", ".join(f"{value:.4g}" for value in np.asarray(values, float))
