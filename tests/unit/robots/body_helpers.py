"""What tests of robots' bodies share."""

import re

import mujoco


def geoms_named(model: mujoco.MjModel, pattern: str) -> list[int]:
    """Geoms whose whole name matches."""
    return [g for g in range(model.ngeom) if re.fullmatch(pattern, model.geom(g).name)]


def touching(model: mujoco.MjModel, data: mujoco.MjData) -> set[tuple[str, str]]:
    """Pairs of bodies in contact, without prefix; the floor and its wheels aside."""
    bodies = model.geom_bodyid
    pairs = (sorted((bodies[c.geom1], bodies[c.geom2])) for c in data.contact)
    names = ((model.body(a).name, model.body(b).name) for a, b in pairs if a > 0)
    return {(a.removeprefix("r/"), b.removeprefix("r/")) for a, b in names}
