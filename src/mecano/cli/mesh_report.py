"""What `mecano mesh` says about meshes: facts as plain values, and lines with units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mecano.world.meshes import MassProperties, Mesh, ScenePart, Shape, merged

SIZES = {"box": "half edges", "cylinder": "radius x half length", "sphere": "radius"}


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """A mesh after all that was asked for."""

    mesh: Mesh
    hull: Mesh | None
    """None of a flat mesh."""
    mass: MassProperties | None
    """None without a density."""
    distance: float | None
    """Largest distance from the original, if it was simplified [m]."""


def facts(results: Sequence[Result], scene: Sequence[ScenePart]) -> dict[str, Any]:
    """Return what is measured, as plain values; what there is not is null.

    Of several parts the numbers are those of all together, and `parts` has those of each.
    """
    if len(results) == 1:
        found = _measured(results[0])
    else:
        found = _together(results) | {"parts": [_measured(each) for each in results]}
    if len(scene) == 1 and isinstance(scene[0].touched, Shape):
        found["fit"] = _fit(scene[0].touched)
    pieces = [len(part.touched) for part in scene if isinstance(part.touched, tuple)]
    return found | {"pieces": sum(pieces)} if pieces else found


def _measured(result: Result) -> dict[str, Any]:
    mesh, mass = result.mesh, result.mass
    low, high = mesh.bounds
    found: dict[str, Any] = {
        "triangles": len(mesh.triangles),
        "vertices": len(mesh.vertices),
        "size_m": (high - low).tolist(),
        "lower_m": low.tolist(),
        "upper_m": high.tolist(),
        "closed": mesh.closed,
        "open_edges": mesh.open_edges,
        "area_m2": mesh.area,
        "volume_m3": mesh.volume if mesh.closed else None,
        "hull_volume_m3": None if result.hull is None else result.hull.volume,
        "mass_kg": None if mass is None else mass.mass,
        "centre_m": None if mass is None else mass.centre.tolist(),
        "inertia_kg_m2": None if mass is None else mass.inertia.tolist(),
    }
    return found if result.distance is None else found | {"distance_m": result.distance}


def _together(results: Sequence[Result]) -> dict[str, Any]:
    """Return the numbers of several parts as one; hull and mass are sums."""
    whole = Result(
        mesh=merged([each.mesh for each in results]), hull=None, mass=None, distance=None
    )
    found = _measured(whole)
    del found["centre_m"], found["inertia_kg_m2"]
    hulls = [each.hull.volume for each in results if each.hull is not None]
    masses = [each.mass.mass for each in results if each.mass is not None]
    found["hull_volume_m3"] = sum(hulls) if len(hulls) == len(results) else None
    found["mass_kg"] = sum(masses) if len(masses) == len(results) else None
    distances = [each.distance for each in results if each.distance is not None]
    return found | {"distance_m": max(distances)} if distances else found


def _fit(shape: Shape) -> dict[str, Any]:
    return {
        "kind": shape.kind, "size_m": list(shape.size), "position_m": shape.position.tolist(),
        "axes": shape.axes.tolist(), "volume_m3": shape.volume,
    }  # fmt: skip


def show(facts: dict[str, Any], density: float | None) -> None:
    """Print a line for each fact, with its unit, and for each file written."""
    _show_size(facts)
    hull = facts["hull_volume_m3"]
    if facts["volume_m3"] is not None:
        _line("volume", _volume(facts["volume_m3"]))
    _line("hull", "none, the mesh is flat" if hull is None else _volume(hull))
    if facts["mass_kg"] is not None:
        _line("mass", f"{facts['mass_kg']:.6g} kg, at {density:g} kg/m3")
    if facts.get("centre_m") is not None:
        _show_inertia(facts)
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
    if "pieces" in facts:
        _line("fit", f"{facts['pieces']} convex pieces")
    for number, part in enumerate(facts.get("parts", [])):
        _show_part(number, part)
    for each in facts["written"]:
        print(each)


def _show_size(facts: dict[str, Any]) -> None:
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


def _show_inertia(facts: dict[str, Any]) -> None:
    _line("centre", f"({_numbers(facts['centre_m'])}) m")
    rounding = 1e-12 * max(map(max, facts["inertia_kg_m2"]))
    for name, row in zip(("inertia", "", ""), facts["inertia_kg_m2"], strict=True):
        values = (0.0 if abs(value) < rounding else value for value in row)
        _line(name, " ".join(f"{value:11.4e}" for value in values) + " kg m2")


def _show_part(number: int, part: dict[str, Any]) -> None:
    size = " x ".join(f"{value:.4g}" for value in part["size_m"])
    words = [f"{part['triangles']:,} triangles", f"{size} m"]
    words.append("closed" if part["closed"] else f"{part['open_edges']:,} open edges")
    if part["mass_kg"] is not None:
        words.append(f"{part['mass_kg']:.4g} kg")
    _line(f"part {number}", ", ".join(words))


def _line(name: str, text: str) -> None:
    print(f"{name:10} {text}")


def _numbers(values: list[float], between: str = ", ") -> str:
    return between.join(f"{value:.6g}" for value in values)


def _volume(cubic_metres: float) -> str:
    return f"{cubic_metres:.6g} m3 ({1e6 * cubic_metres:.6g} cm3)"
