"""Changes of a model by name and number: another mass, friction, size or place of a body.

    {"cube_1.mass_factor": 1.5, "table_*.friction": 0.6, "crumb/wheel_*.size_factor": 1.01}

Names are those of bodies, as `mecano info` and the view show them; `*` stands for any text.
"""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from math import isnan
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName

Edit = Callable[[mujoco.MjsBody, float], None]


def check_model_changes(changes: Mapping[str, Any]) -> dict[str, float]:
    """Return changes with plain numbers.

    Raises:
        InvalidInput: A name has no quantity, or a value is no number that it can have.
        UnknownName: There is no such quantity.
    """
    checked = {}
    for key, value in changes.items():
        name, dot, quantity = key.rpartition(".")
        if not dot or not name:
            raise InvalidInput(
                f"the change '{key}' of the model names no body and quantity; write "
                "BODY.QUANTITY, such as 'cube.mass_factor'"
            )
        if quantity not in QUANTITIES:
            raise UnknownName("body quantity", quantity, QUANTITIES)
        lower = -1e3 if quantity.endswith("_offset") else 1e-9
        checked[key] = finite_number(value, name=key, lower=lower, upper=1e6)
    return checked


def change_model(spec: mujoco.MjSpec, changes: Mapping[str, float]) -> None:
    """Change the bodies of a model.

    Raises:
        UnknownName: No body has such a name.
        InvalidInput: A body cannot be changed so.
    """
    bodies = [body for body in spec.bodies if body.name and body is not spec.worldbody]
    for key, value in changes.items():
        pattern, _, quantity = key.rpartition(".")
        found = [body for body in bodies if fnmatchcase(body.name, pattern)]
        if not found:
            raise UnknownName("body", pattern, [body.name for body in bodies])
        for body in found:
            QUANTITIES[quantity](body, value)


def _scale_mass(body: mujoco.MjsBody, factor: float) -> None:
    """Scale mass and inertia: of the body's own numbers, or of the shapes that they come from."""
    if body.explicitinertial:
        body.mass *= factor
        body.inertia = np.asarray(body.inertia) * factor
        body.fullinertia = np.asarray(body.fullinertia) * factor
        return
    for geom in body.geoms:
        if isnan(geom.mass):
            geom.density *= factor
        else:
            geom.mass *= factor


def _set_mass(body: mujoco.MjsBody, mass: float) -> None:
    now = _mass(body)
    if now <= 0.0:
        raise InvalidInput(f"the body '{body.name}' has no mass of its own to change")
    _scale_mass(body, mass / now)


def _mass(body: mujoco.MjsBody) -> float:
    """Return the mass of a body [kg]: its own number, or that of its shapes."""
    if body.explicitinertial:
        return float(body.mass)
    alone = mujoco.MjSpec()
    for geom in body.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
            raise InvalidInput(
                f"the mass of '{body.name}' comes from a mesh; change it by mass_factor"
            )
        alone.worldbody.add_body().add_geom(
            type=geom.type, size=geom.size, fromto=geom.fromto, mass=geom.mass, density=geom.density
        )
    return float(alone.compile().body_mass.sum())


def _scale_friction(body: mujoco.MjsBody, factor: float) -> None:
    for geom in body.geoms:
        geom.friction = np.asarray(geom.friction) * factor


def _set_friction(body: mujoco.MjsBody, sliding: float) -> None:
    for geom in body.geoms:
        geom.friction = [sliding, *np.asarray(geom.friction)[1:]]


def _scale_size(body: mujoco.MjsBody, factor: float) -> None:
    """Scale shapes about the body's origin; masses that are given as such stay."""
    for geom in body.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
            raise InvalidInput(f"the size of '{body.name}' cannot be changed: it is a mesh")
        geom.size = np.asarray(geom.size) * factor
        geom.pos = np.asarray(geom.pos) * factor
        geom.fromto = np.asarray(geom.fromto) * factor
    for site in body.sites:
        site.pos = np.asarray(site.pos) * factor


def _move(axis: int) -> Edit:
    def edit(body: mujoco.MjsBody, offset: float) -> None:
        position = np.array(body.pos)
        position[axis] += offset
        body.pos = position

    return edit


def _turn(body: mujoco.MjsBody, angle: float) -> None:
    turned = np.zeros(4)
    about_z = np.array([np.cos(angle / 2.0), 0.0, 0.0, np.sin(angle / 2.0)])
    mujoco.mju_mulQuat(turned, about_z, np.asarray(body.quat))
    body.quat = turned


QUANTITIES: dict[str, Edit] = {
    "mass": _set_mass,
    "mass_factor": _scale_mass,
    "friction": _set_friction,
    "friction_factor": _scale_friction,
    "size_factor": _scale_size,
    "x_offset": _move(0),
    "y_offset": _move(1),
    "z_offset": _move(2),
    "yaw_offset": _turn,
}
"""What can be changed: mass [kg], sliding friction, factors, offsets in the parent [m], [rad]."""
