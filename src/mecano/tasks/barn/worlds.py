"""Worlds of the BARN benchmark: fields of cylinders, read from a file or made from a seed."""

import gzip
import json
from dataclasses import dataclass
from math import hypot, pi
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.core.randomness import RandomStreams
from mecano.world.assembly import Change

FORMAT = 1
TOP_SPEED = 2.0
"""Of the optimal time [m/s]: rules of the challenge."""
MAX_FIELDS = 300
"""Random fields that are drawn until one has a path through."""
HEIGHT = 1.0
"""Of a cylinder [m]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BarnWorld:
    """One world: where a run starts and ends, and what stands between."""

    number: int
    """Index in the challenge; of a random world, its seed."""
    start: Pose2
    goal: tuple[float, float]
    """[m]."""
    goal_radius: float
    """The goal is reached when the centre of the base is nearer than this [m]."""
    timeout: float
    """[s]."""
    obstacles: Array
    """Centres of the cylinders [m]. Shape (n, 2)."""
    obstacle_radius: float
    """[m]."""
    path_length: float
    """Of the reference path from start to goal [m]."""

    @property
    def optimal_time(self) -> float:
        """Time along the reference path at top speed [s]."""
        return self.path_length / TOP_SPEED

    def as_change(self) -> Change:
        """Return what puts the cylinders into a scene."""

        def add_cylinders(spec: mujoco.MjSpec) -> None:
            size = [self.obstacle_radius, 0.5 * HEIGHT, 0.0]
            for number, (x, y) in enumerate(self.obstacles.tolist()):
                spec.worldbody.add_geom(
                    name=f"cylinder_{number}", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=size,
                    pos=[x, y, 0.5 * HEIGHT], solref=[0.004, 1.0], rgba=[0.55, 0.35, 0.25, 1.0],
                )  # fmt: skip

        return add_cylinders


def load_worlds(file: Path) -> tuple[BarnWorld, ...]:
    """Return the worlds of a JSON file, gzipped or not: `{"format": 1, "worlds": [...]}`."""
    try:
        raw = file.read_bytes()
        table = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(f"cannot read the worlds {file}: {reason}") from None
    except (ValueError, EOFError) as error:
        raise InvalidInput(f"{file} holds no worlds: it is not JSON ({error})") from None
    if not isinstance(table, dict) or table.get("format") != FORMAT or not table.get("worlds"):
        found = table.get("format") if isinstance(table, dict) else type(table).__name__
        raise InvalidInput(
            f"{file} holds no worlds: expected format {FORMAT} with a list 'worlds', got {found!r}"
        )
    return tuple(_world(file, number, each) for number, each in enumerate(table["worlds"]))


def _world(file: Path, place: int, each: Any) -> BarnWorld:
    where = f"{file}, world {place}"
    try:
        start, goal = read_only(each["start"], name=f"{where}: start", shape=(3,)), each["goal"]
        goal = read_only(goal, name=f"{where}: goal [m]", shape=(2,))
        given = each["obstacles"] or np.zeros((0, 2))
        obstacles = read_only(given, name=f"{where}: obstacles [m]", shape=(None, 2))
        numbers = {
            name: finite_number(each[name], name=f"{where}: {name}", lower=1e-3)
            for name in ("goal_radius", "timeout_s", "obstacle_radius", "path_length")
        }
        index = int(each["world"])
    except KeyError as error:
        raise InvalidInput(f"{where}: the field {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{where}: {error}") from None
    return BarnWorld(
        number=index, start=Pose2(*start), goal=(float(goal[0]), float(goal[1])),
        goal_radius=numbers["goal_radius"], timeout=numbers["timeout_s"], obstacles=obstacles,
        obstacle_radius=numbers["obstacle_radius"], path_length=numbers["path_length"],
    )  # fmt: skip


def random_world(seed: int, *, fill: float = 0.13, gap: float = 0.75) -> BarnWorld:
    """Return a field of cylinders made from a seed, between the same walls as the challenge has.

    Cells of 0.15 m are filled at random, smoothed like the challenge's generator does (a cell with
    many filled neighbours fills, one with few empties), and drawn again until a path of the given
    width leads through.

    Args:
        seed: Of the field.
        fill: Share of the cells that are filled at first.
        gap: Width of the narrowest gap on the widest way through [m].
    """
    from mecano.tasks.barn.fields import cylinder_field, shortest_length

    rng = RandomStreams(seed).get("barn field")
    start, goal, radius = Pose2(-2.25, 3.0, 0.5 * pi), (-2.25, 13.0), 0.075
    for _ in range(MAX_FIELDS):
        obstacles = cylinder_field(rng, fill)
        length = shortest_length(obstacles, radius, start, goal, half_width=0.5 * gap)
        if length is not None:
            break
    else:
        raise InvalidInput(
            f"none of {MAX_FIELDS} fields with fill {fill:g} has a path {gap:g} m wide; "
            "fill less (0.13 is as dense as the challenge's) or ask for a narrower gap"
        )
    straight = hypot(goal[0] - start.x, goal[1] - start.y)
    return BarnWorld(
        number=seed, start=start, goal=goal, goal_radius=1.0, timeout=100.0, obstacles=obstacles,
        obstacle_radius=radius, path_length=max(length, straight),
    )  # fmt: skip
