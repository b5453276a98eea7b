"""`mecano mesh`: what is in a mesh file, and a hull, fewer triangles or a scene made of it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.catalog import AsJson

if TYPE_CHECKING:
    from mecano.world.meshes import MassProperties, Mesh, Shape

LARGE = 10.0
"""A part larger than this was probably not drawn in metres [m]."""
SIZES = {"box": "half edges", "cylinder": "radius x half length", "sphere": "radius"}


def mesh(
    file: Annotated[Path, typer.Argument(help="STL (binary or text) or OBJ file.")],
    scale: Annotated[
        float, typer.Option(help="Metres in one unit of the file; 0.001 for millimetres.")
    ] = 1.0,
    hull: Annotated[bool, typer.Option("--hull", help="Take its convex hull.")] = False,
    triangles: Annotated[
        int | None, typer.Option(help="Simplify to at most this many triangles.")
    ] = None,
    density: Annotated[
        float | None, typer.Option(help="Of the material [kg/m3]: gives mass and inertia.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the result, in metres: .obj or .stl.")
    ] = None,
    mjcf: Annotated[
        Path | None,
        typer.Option(help="Write a scene with the part (.xml); loose if it has a density."),
    ] = None,
    fit: Annotated[
        str | None,
        typer.Option(
            help="What is touched in that scene: box, cylinder, sphere; or else the hull."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a mesh; scale it, take its hull, simplify it, write it, make a scene of it.

    Example: mecano mesh bracket.stl --scale 0.001 --triangles 500 --density 1240 --mjcf bracket.xml
    """
    from mecano.world import meshes

    _check_wishes(triangles, fit, mjcf)
    _check_outputs(file, out, mjcf)
    original = result = _read(file, scale, hull=hull)
    distance = None
    if triangles is not None:
        result, distance = _simplify(original, triangles, hull=hull)
    around = _hull(result, needed=mjcf is not None)
    mass = None if density is None else _mass(result, around, density)
    shape = None if fit is None else meshes.fit(result, fit)
    written = _write(result, out, mjcf, shape, mass)
    _suspect_millimetres(result)
    facts = {"file": str(file)} | _facts(result, around, mass) | _extras(distance, shape)
    facts["written"] = [str(each) for each in written]
    if as_json:
        print(json.dumps(facts))
    else:
        _print(facts, density)


def _check_wishes(triangles: int | None, fit: str | None, mjcf: Path | None) -> None:
    """Refuse what cannot be done, before anything takes time."""
    from mecano.core.errors import InvalidInput, UnknownName
    from mecano.world.meshes import FITS, MIN_TRIANGLES

    if fit is not None and mjcf is None:
        raise InvalidInput("--fit is for the scene; add --mjcf FILE.xml")
    if fit is not None and fit not in FITS:
        raise UnknownName("fit", fit, FITS)
    if triangles is not None and triangles < MIN_TRIANGLES:
        raise InvalidInput(f"--triangles is {triangles}, expected {MIN_TRIANGLES} or more")


def _check_outputs(file: Path, out: Path | None, mjcf: Path | None) -> None:
    """Refuse names that would make a mess, before anything takes time."""
    from mecano.core.errors import InvalidInput
    from mecano.world.meshes import WRITABLE, scene_files

    if out is not None and out.suffix.lower() not in WRITABLE:
        raise InvalidInput(f"--out {out}: it must end in .obj or .stl")
    if mjcf is not None and mjcf.suffix.lower() != ".xml":
        raise InvalidInput(f"--mjcf {mjcf}: it must end in .xml")
    written = [] if out is None else [out]
    written += [] if mjcf is None else scene_files(mjcf, hull=True)
    for each in written:
        if each.resolve() == file.resolve():
            raise InvalidInput(f"{each} would be written over the original; choose another name")
        if not each.absolute().parent.is_dir():
            raise InvalidInput(
                f"cannot write {each}: there is no folder {each.parent}; make it first"
            )


def _read(file: Path, scale: float, *, hull: bool) -> "Mesh":
    """Return what is in the file, or its hull, in metres."""
    from mecano.core.notices import slow_notice
    from mecano.world import meshes

    with slow_notice(f"reading {file}"):
        mesh = meshes.read(file).scaled(scale)
    return mesh.hull() if hull else mesh


def _simplify(original: "Mesh", triangles: int, *, hull: bool) -> "tuple[Mesh, float]":
    """Return a mesh of fewer triangles, convex if a hull is wanted, and how far it is off [m]."""
    from mecano.cli.progress import progress
    from mecano.core.notices import say, slow_notice
    from mecano.world import meshes

    count = len(original.triangles)
    if triangles >= count:
        say(f"the mesh has {count:,} triangles; nothing to simplify")
    with slow_notice(f"simplifying {count:,} triangles"):
        result = meshes.simplify(original, triangles)
    with slow_notice("measuring the distance"), progress("measuring") as tell:
        result = result.hull() if hull else result
        return result, meshes.largest_distance(original, result, tell=tell)


def _hull(mesh: "Mesh", *, needed: bool) -> "Mesh | None":
    """Return the hull; a flat mesh has none, which is an error where it is needed."""
    from mecano.core.errors import InvalidInput
    from mecano.core.notices import slow_notice

    try:
        with slow_notice("working out the hull"):
            return mesh.hull()
    except InvalidInput:
        if needed:
            raise
        return None


def _mass(mesh: "Mesh", hull: "Mesh | None", density: float) -> "MassProperties":
    """Return the mass of the mesh, or of its hull if it is not closed."""
    from mecano.core.notices import say

    if (mesh.closed and mesh.volume > 0.0) or hull is None:
        return mesh.mass_properties(density)
    say("the mesh is not closed; mass and inertia are those of its hull")
    return hull.mass_properties(density)


def _write(
    mesh: "Mesh",
    out: Path | None,
    mjcf: Path | None,
    shape: "Shape | None",
    mass: "MassProperties | None",
) -> list[Path]:
    """Write the mesh and the scene that are asked for; return the files."""
    from mecano.world import meshes

    written: list[Path] = []
    if out is not None:
        meshes.write(mesh, out)
        written.append(out)
    if mjcf is not None:
        written.extend(meshes.write_scene(mesh, mjcf, shape=shape, mass=mass))
    return written


def _suspect_millimetres(mesh: "Mesh") -> None:
    from mecano.core.notices import say

    largest = float(max(mesh.bounds[1] - mesh.bounds[0]))
    if largest > LARGE:
        say(f"the part is {largest:.4g} m large; if it was drawn in millimetres: --scale 0.001")


def _facts(mesh: "Mesh", hull: "Mesh | None", mass: "MassProperties | None") -> dict[str, Any]:
    """Return what is measured, as plain values; what there is not is null."""
    low, high = mesh.bounds
    return {
        "triangles": len(mesh.triangles),
        "vertices": len(mesh.vertices),
        "size_m": (high - low).tolist(),
        "lower_m": low.tolist(),
        "upper_m": high.tolist(),
        "closed": mesh.closed,
        "open_edges": mesh.open_edges,
        "area_m2": mesh.area,
        "volume_m3": mesh.volume if mesh.closed else None,
        "hull_volume_m3": None if hull is None else hull.volume,
        "mass_kg": None if mass is None else mass.mass,
        "centre_m": None if mass is None else mass.centre.tolist(),
        "inertia_kg_m2": None if mass is None else mass.inertia.tolist(),
    }


def _extras(distance: float | None, shape: "Shape | None") -> dict[str, Any]:
    """Return what only some calls ask for."""
    extras: dict[str, Any] = {} if distance is None else {"distance_m": distance}
    if shape is not None:
        extras["fit"] = {
            "kind": shape.kind, "size_m": list(shape.size), "position_m": shape.position.tolist(),
            "axes": shape.axes.tolist(), "volume_m3": shape.volume,
        }  # fmt: skip
    return extras


def _print(facts: dict[str, Any], density: float | None) -> None:
    """Print a line for each fact, with its unit, and for each file written."""
    low, high = facts["lower_m"], facts["upper_m"]
    rounding = 1e-12 * max(map(abs, low + high))
    low, high = [[0.0 if abs(x) < rounding else x for x in corner] for corner in (low, high)]
    edges = facts["open_edges"]
    _line("triangles", f"{facts['triangles']:,}")
    _line("vertices", f"{facts['vertices']:,}")
    _line("size", f"{_numbers(facts['size_m'], ' x ')} m")
    _line("", f"from ({_numbers(low)}) to ({_numbers(high)}) m")
    _line("closed", "yes" if facts["closed"] else f"no, {edges:,} edges without a right neighbour")
    _line("area", f"{facts['area_m2']:.6g} m2")
    hull = facts["hull_volume_m3"]
    if facts["volume_m3"] is not None:
        _line("volume", _volume(facts["volume_m3"]))
    _line("hull", "none, the mesh is flat" if hull is None else _volume(hull))
    if facts["mass_kg"] is not None:
        _line("mass", f"{facts['mass_kg']:.6g} kg, at {density:g} kg/m3")
        _line("centre", f"({_numbers(facts['centre_m'])}) m")
        rounding = 1e-12 * max(map(max, facts["inertia_kg_m2"]))
        for name, row in zip(("inertia", "", ""), facts["inertia_kg_m2"], strict=True):
            values = (0.0 if abs(value) < rounding else value for value in row)
            _line(name, " ".join(f"{value:11.4e}" for value in values) + " kg m2")
    if "distance_m" in facts:
        _line(
            "distance", f"{round(1000.0 * facts['distance_m'], 6):.4g} mm at most from the original"
        )
    if "fit" in facts:
        found = facts["fit"]
        sizes = _numbers(found["size_m"], " x ")
        _line(
            "fit",
            f"{found['kind']}, {SIZES[found['kind']]} {sizes} m, {_volume(found['volume_m3'])}",
        )
    for each in facts["written"]:
        print(each)


def _line(name: str, text: str) -> None:
    print(f"{name:10} {text}")


def _numbers(values: list[float], between: str = ", ") -> str:
    return between.join(f"{value:.6g}" for value in values)


def _volume(cubic_metres: float) -> str:
    return f"{cubic_metres:.6g} m3 ({1e6 * cubic_metres:.6g} cm3)"
