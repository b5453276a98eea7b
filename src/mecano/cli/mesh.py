"""`mecano mesh`: what is in mesh files, and hulls, fewer triangles, parts or a scene made of it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.catalog import AsJson

if TYPE_CHECKING:
    from mecano.cli.mesh_report import Result
    from mecano.world.meshes import MassProperties, Mesh, ScenePart

LARGE = 10.0
"""A part larger than this was probably not drawn in metres [m]."""
MAX_PARTS = 200
"""Files that --split writes; a mesh in more pieces has gaps between its triangles."""
PIECES = "pieces"


def mesh(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="STL, OBJ, DAE or PLY file; several are merged into one."
        ),
    ],
    scale: Annotated[
        float, typer.Option(help="Metres in one unit of the file; 0.001 for millimetres.")
    ] = 1.0,
    split: Annotated[
        bool, typer.Option("--split", help="Take its connected bodies apart, largest first.")
    ] = False,
    hull: Annotated[bool, typer.Option("--hull", help="Take its convex hull.")] = False,
    triangles: Annotated[
        int | None, typer.Option(help="Simplify to at most this many triangles.")
    ] = None,
    density: Annotated[
        float | None, typer.Option(help="Of the material [kg/m3]: gives mass and inertia.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the result, in metres: .obj or .stl; with --split numbered."),
    ] = None,
    mjcf: Annotated[
        Path | None,
        typer.Option(help="Write a scene with the part (.xml); loose if it has a density."),
    ] = None,
    fit: Annotated[
        str | None,
        typer.Option(
            help="What is touched in that scene: box, cylinder, sphere, pieces (convex "
            "decomposition); or else the hull."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure meshes; scale, merge, split, simplify them, take hulls, write them, make a scene.

    Example: mecano mesh bracket.stl --scale 0.001 --triangles 500 --density 1240 --mjcf bracket.xml
    """
    from mecano.cli import mesh_report

    _check_options(triangles, fit, mjcf)
    _check_outputs(files, out, mjcf)
    whole = _read(files, scale)
    parts = _split(whole) if split else (whole,)
    results = [_worked(part, hull, triangles, density, needed=mjcf is not None) for part in parts]
    scene = [] if mjcf is None else _scene_parts(results, mjcf, fit)
    written = _write(results, files, out, mjcf, scene)
    _suspect_millimetres(whole)
    facts = mesh_report.facts(results, scene) | {"written": [str(each) for each in written]}
    facts = {"file": str(files[0]), "files": [str(file) for file in files]} | facts
    if as_json:
        print(json.dumps(facts))
    else:
        mesh_report.show(facts, density)


def _check_options(triangles: int | None, fit: str | None, mjcf: Path | None) -> None:
    """Refuse what cannot be done, before anything takes time."""
    from mecano.core.errors import InvalidInput, UnknownName
    from mecano.world.meshes import FITS, MIN_TRIANGLES

    if fit is not None and mjcf is None:
        raise InvalidInput("--fit is for the scene; add --mjcf FILE.xml")
    if fit is not None and fit not in (*FITS, PIECES):
        raise UnknownName("fit", fit, (*FITS, PIECES))
    if triangles is not None and triangles < MIN_TRIANGLES:
        raise InvalidInput(f"--triangles is {triangles}, expected {MIN_TRIANGLES} or more")


def _check_outputs(files: list[Path], out: Path | None, mjcf: Path | None) -> None:
    """Refuse names that would make a mess, before anything takes time."""
    from mecano.core.errors import InvalidInput
    from mecano.world.meshes import WRITABLE

    if out is not None and out.suffix.lower() not in WRITABLE:
        raise InvalidInput(f"--out {out}: it must end in .obj or .stl")
    if mjcf is not None and mjcf.suffix.lower() != ".xml":
        raise InvalidInput(f"--mjcf {mjcf}: it must end in .xml")
    for each in (out, mjcf):
        if each is not None and not each.absolute().parent.is_dir():
            raise InvalidInput(
                f"cannot write {each}: there is no folder {each.parent}; make it first"
            )
    _keep_originals(files, [each for each in (out, mjcf) if each is not None])


def _keep_originals(files: list[Path], written: list[Path]) -> None:
    """Refuse to write over what was read."""
    from mecano.core.errors import InvalidInput

    originals = {file.resolve() for file in files}
    for each in written:
        if each.resolve() in originals:
            raise InvalidInput(f"{each} would be written over the original; choose another name")


def _read(files: list[Path], scale: float) -> "Mesh":
    """Return what is in the files, in metres, as one mesh."""
    from mecano.core.notices import slow_notice
    from mecano.world import meshes

    found = []
    for file in files:
        with slow_notice(f"reading {file}"):
            found.append(meshes.read(file).scaled(scale))
    return found[0] if len(found) == 1 else meshes.merged(found)


def _split(mesh: "Mesh") -> "tuple[Mesh, ...]":
    """Return the connected bodies of a mesh."""
    from mecano.core.errors import InvalidInput
    from mecano.world import meshes

    parts = meshes.split(mesh)
    if len(parts) > MAX_PARTS:
        raise InvalidInput(
            f"the mesh is in {len(parts):,} pieces, allowed are {MAX_PARTS} with --split; its "
            "triangles do not share their corners: export it with joined vertices"
        )
    return parts


def _worked(
    part: "Mesh", hull: bool, triangles: int | None, density: float | None, *, needed: bool
) -> "Result":
    """Return a part after what was asked for, with its hull and its mass."""
    from mecano.cli.mesh_report import Result

    part = part.hull() if hull else part
    distance = None
    if triangles is not None:
        part, distance = _simplify(part, triangles, hull=hull)
    around = _hull(part, needed=needed)
    mass = None if density is None else _mass(part, around, density)
    return Result(mesh=part, hull=around, mass=mass, distance=distance)


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
    from mecano.world import meshes

    if hull is None:
        return mesh.mass_properties(density)
    found = meshes.mass_properties(mesh, density)
    if found.of_hull:
        say("the mesh is not closed; mass and inertia are those of its hull")
    return found


def _scene_parts(results: "list[Result]", mjcf: Path, fit: str | None) -> "list[ScenePart]":
    """Return what is put into the scene: one body for each part."""
    from mecano.core.notices import slow_notice
    from mecano.world import meshes

    parts = []
    for number, each in enumerate(results):
        name = meshes.part_name(mjcf) + (f"_{number}" if len(results) > 1 else "")
        touched = None
        if fit == PIECES:
            with slow_notice("cutting it into convex pieces"):
                touched = meshes.decompose(each.mesh)
        elif fit is not None:
            touched = meshes.fit(each.mesh, fit)
        parts.append(meshes.ScenePart(name=name, mesh=each.mesh, touched=touched, mass=each.mass))
    return parts


def _write(
    results: "list[Result]",
    files: list[Path],
    out: Path | None,
    mjcf: Path | None,
    scene: "list[ScenePart]",
) -> list[Path]:
    """Write the meshes and the scene that are asked for; return the files."""
    from mecano.world import meshes

    outs = [] if out is None else [out]
    if out is not None and len(results) > 1:
        outs = [out.with_name(f"{out.stem}_{k}{out.suffix}") for k in range(len(results))]
    beside = [] if mjcf is None else [f for part in scene for f in meshes.part_files(part, mjcf)]
    _keep_originals(files, [*outs, *beside])
    for result, each in zip(results, outs, strict=False):
        meshes.write(result.mesh, each)
    return outs + ([] if mjcf is None else list(meshes.write_parts(scene, mjcf)))


def _suspect_millimetres(mesh: "Mesh") -> None:
    from mecano.core.notices import say

    largest = float(max(mesh.bounds[1] - mesh.bounds[0]))
    if largest > LARGE:
        say(f"the part is {largest:.4g} m large; if it was drawn in millimetres: --scale 0.001")
