"""`mecano scene`: what is in a scene, as a tree."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.catalog import AsJson

if TYPE_CHECKING:
    import mujoco

SHAPES = {
    0: "plane", 1: "heightfield", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder",
    6: "box", 7: "mesh", 8: "sdf",
}  # fmt: skip
WIDE = 140
"""Columns that a line may need; a narrow terminal wraps it."""
MEASURES = {"sphere": "radius", "cylinder": "radius x length", "capsule": "radius x length"}
SEEN_BY_RAYS = (0, 1, 3)
"""Groups of shapes that range sensors meet."""
DRAWN = (0, 1, 2)
"""Groups of shapes that are drawn."""


def scene(
    name: Annotated[str, typer.Argument(help="Name of a scene, or an MJCF or URDF file.")],
    robot: Annotated[str | None, typer.Option(help="Put this robot into it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a scene as a tree: bodies, shapes, sizes, and what each shape takes part in.

    Example: mecano scene transport
    """
    from mecano import robots
    from mecano.core.errors import InvalidInput
    from mecano.importing.sources import find_robot, robot_label
    from mecano.lab.scene_paths import scene_paths
    from mecano.world.assembly import Placement, assemble

    if name in robots.ROBOTS or (Path(name) / robots.FILE).is_file():
        shown = f"mecano scene {find_robot(name).scene} --robot {name}"
        raise InvalidInput(f"'{name}' is a robot; to see it in a scene: {shown}")
    placed = []
    if robot is not None:
        description = find_robot(robot)
        label = robot_label(robot, description)
        placed = [Placement(robot=description, prefix=f"{label}/")]
    try:
        model = assemble(placed, scene=name).compile()
    except ValueError as error:
        raise InvalidInput(f"the scene does not compile: {' '.join(str(error).split())}") from None
    root = body(model, 0)
    paths = {key: round(path.length, 3) for key, path in scene_paths(model).items()}
    if as_json:
        print(json.dumps({"scene": name, "paths_m": paths, "tree": root}))
        return
    from rich.console import Console
    from rich.tree import Tree

    tree = Tree(name)
    _grow(tree, root)
    for key, length in paths.items():
        tree.add(f"path [bold]{key}[/], {length:g} m")
    console = Console()
    console.width = max(console.width, WIDE)
    console.print(tree)


def body(model: "mujoco.MjModel", number: int) -> dict[str, Any]:
    """Return a body with its shapes and the bodies on it, as plain values."""
    children = [i for i in range(1, model.nbody) if model.body_parentid[i] == number]
    geoms = [i for i in range(model.ngeom) if model.geom_bodyid[i] == number]
    joints = [i for i in range(model.njnt) if model.jnt_bodyid[i] == number]
    return {
        "name": model.body(number).name,
        "mass_kg": round(float(model.body_mass[number]), 4),
        "joints": [model.joint(i).name or "free" for i in joints],
        "shapes": [shape(model, i) for i in geoms],
        "bodies": [body(model, i) for i in children],
    }


def shape(model: "mujoco.MjModel", number: int) -> dict[str, Any]:
    """Return a shape: what it is, and what it takes part in."""
    group, owner = int(model.geom_group[number]), int(model.geom_bodyid[number])
    touches = bool(model.geom_contype[number] or model.geom_conaffinity[number])
    return {
        "name": model.geom(number).name,
        "kind": SHAPES.get(int(model.geom_type[number]), "other"),
        "size_m": _size(int(model.geom_type[number]), _half_size(model, number)),
        "dynamic": bool(model.body_weldid[owner]),
        "respondable": touches,
        "collidable": touches,
        "measurable": touches,
        "detectable": group in SEEN_BY_RAYS,
        "renderable": group in DRAWN and _opacity(model, number) > 0.0,
    }


def _half_size(model: "mujoco.MjModel", number: int) -> list[float]:
    """Return the size of a shape as MJCF has it; a heightfield has the box around it."""
    if int(model.geom_type[number]) != 1:
        return model.geom_size[number].tolist()
    x, y, top, base = model.hfield_size[model.geom_dataid[number]].tolist()
    return [x, y, (top + base) / 2.0]


def _size(kind: int, half: list[float]) -> list[float]:
    """Return full edges, or radius and length; a mesh has the box around it."""
    measures = {
        0: [2 * half[0], 2 * half[1]], 2: [half[0]], 3: [half[0], 2 * half[1]],
        5: [half[0], 2 * half[1]],
    }  # fmt: skip
    return [round(value, 4) for value in measures.get(kind, [2 * value for value in half])]


def _opacity(model: "mujoco.MjModel", number: int) -> float:
    """Return how solid a shape looks; a material counts before the shape's own colour."""
    material = int(model.geom_matid[number])
    colour = model.mat_rgba[material] if material >= 0 else model.geom_rgba[number]
    return float(colour[3])


def _grow(tree: Any, entry: dict[str, Any]) -> None:
    """Add what is in a body to a branch."""
    for item in entry["shapes"]:
        flags = ("dynamic", "respondable", "detectable", "renderable")
        words = ", ".join(flag for flag in flags if item[flag]) or "static"
        size = " x ".join(f"{value:g}" for value in item["size_m"] if value)
        measure = MEASURES.get(item["kind"], "edges")
        tree.add(f"{item['kind']} {item['name'] or '(no name)'}, {measure} {size} m: {words}")
    for inner in entry["bodies"]:
        joints = f", joints {', '.join(inner['joints'])}" if inner["joints"] else ""
        branch = tree.add(f"[bold]{inner['name']}[/], {inner['mass_kg']:g} kg{joints}")
        _grow(branch, inner)
