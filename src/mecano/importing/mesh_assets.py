"""Meshes of a robot's file as assets of its folder: read, scaled, cut by colour, made fewer."""

from dataclasses import dataclass, field
from pathlib import Path

from mecano.core.errors import InvalidInput, MecanoError
from mecano.importing.draft import ASSETS
from mecano.importing.findings import Findings
from mecano.importing.mjcf_text import UniqueNames, identifier
from mecano.world.meshes import Mesh, MeshFile, decompose, load, simplify, write

MAX_TRIANGLES = 200_000
"""Of one mesh; MuJoCo reads no larger STL file."""
MIN_VERTICES = 4
Colour = tuple[float, float, float, float]
Scale = tuple[float, float, float]


@dataclass(frozen=True)
class Asset:
    """A mesh in the folder."""

    name: str
    file: str
    """In the folder of the assets."""
    rgba: Colour | None
    """Of the mesh file's own material."""
    bounds: tuple[tuple[float, ...], tuple[float, ...]]
    """Lowest and highest coordinates [m]."""


@dataclass(eq=False)
class MeshAssets:
    """Writes meshes into `assets/`, each file once, and keeps what was wrong with them."""

    folder: Path
    findings: Findings
    written: list[Asset] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._names = UniqueNames()
        self._read: dict[Path, MeshFile | None] = {}
        self._made: dict[tuple[Path, Scale, str], tuple[Asset, ...]] = {}

    def visual(self, file: Path, scale: Scale, where: str) -> tuple[Asset, ...]:
        """Return the meshes of a file, one for each colour in it; none if it cannot be drawn."""
        return self._once(file, scale, "visual", where)

    def hull(self, file: Path, scale: Scale, where: str) -> tuple[Asset, ...]:
        """Return the convex hull of a file; none if it is flat."""
        return self._once(file, scale, "hull", where)

    def pieces(self, file: Path, scale: Scale, where: str) -> tuple[Asset, ...]:
        """Return convex pieces of a file, by coacd (extra `decompose`)."""
        return self._once(file, scale, "pieces", where)

    def _once(self, file: Path, scale: Scale, use: str, where: str) -> tuple[Asset, ...]:
        key = (file, scale, use)
        if key not in self._made:
            self._made[key] = self._make(file, scale, use, where)
        return self._made[key]

    def _make(self, file: Path, scale: Scale, use: str, where: str) -> tuple[Asset, ...]:
        found = self._load(file, where)
        if found is None:
            return ()
        stem = identifier(file.stem, otherwise="mesh")
        try:
            if use == "visual":
                parts = [(rgba, mesh) for rgba, mesh in found.colours]
            elif use == "hull":
                parts = [(None, found.mesh.scaled(scale).hull())]
            else:
                parts = [(None, piece) for piece in decompose(found.mesh.scaled(scale))]
            if use == "visual":
                parts = [(rgba, _fewer(mesh.scaled(scale))) for rgba, mesh in parts]
        except InvalidInput as error:
            self.findings.warn(
                "mesh-flat", where, f"{file.name} cannot be used as a collision shape: {error}"
            )
            return ()
        suffix = {"visual": "", "hull": "_hull", "pieces": "_piece"}[use]
        usable = [part for part in parts if len(part[1].vertices) >= MIN_VERTICES]
        if not usable:
            self.findings.warn(
                "mesh-tiny", where, f"{file.name} has fewer than 4 vertices and is left out"
            )
        return tuple(self._write(stem + suffix, rgba, mesh) for rgba, mesh in usable)

    def _load(self, file: Path, where: str) -> MeshFile | None:
        if file not in self._read:
            try:
                self._read[file] = load(file)
            except MecanoError as error:
                self._read[file] = None
                self.findings.warn("mesh-unreadable", where, f"{error}; it is left out")
        return self._read[file]

    def _write(self, stem: str, rgba: Colour | None, mesh: Mesh) -> Asset:
        name = self._names(stem)
        folder = self.folder / ASSETS
        folder.mkdir(exist_ok=True)
        write(mesh, folder / f"{name}.stl")
        low, high = mesh.bounds
        bounds = tuple(low.tolist()), tuple(high.tolist())
        asset = Asset(name, f"{name}.stl", rgba, bounds)
        self.written.append(asset)
        return asset


def _fewer(mesh: Mesh) -> Mesh:
    return mesh if len(mesh.triangles) <= MAX_TRIANGLES else simplify(mesh, MAX_TRIANGLES)
