"""Finds the files a robot refers to: package://, model://, file://, $(find ...), relative paths."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

CONTENT_FOLDERS = (
    "urdf", "xacro", "robots", "robot", "srdf", "model", "models", "description", "mjcf", "sdf",
)  # fmt: skip
"""A file in a folder of this name belongs to the folder above it."""
MESH_SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".msh", ".glb", ".gltf", ".off", ".3mf")
ROS_PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "GAZEBO_MODEL_PATH")
"""Environment variables that name folders with packages."""
MAX_LISTED = 500
"""Folders with more entries than this are not searched for packages."""
_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """What became of a reference."""

    file: Path | None
    """Where it was found; None if it was not."""
    looked: tuple[str, ...] = ()
    """Where it was looked for, in order."""
    hint: str = ""
    """What is there instead: another spelling or another suffix."""
    other: Path | None = None
    """A file beside the missing one whose name differs in case or suffix only, or by a letter."""
    guessed: bool = False
    """Found, but not where the reference says."""
    outside: bool = False
    """It lies outside the robot's folder and the packages that are known."""


def home_of(file: Path) -> Path:
    """Return the folder a robot's file belongs to: its package, or where it lies."""
    folder = file.resolve().parent
    for above in (folder, *list(folder.parents)[:4]):
        if (above / "package.xml").is_file():
            return above
    if folder.name.lower() in CONTENT_FOLDERS and folder.parent != folder:
        return folder.parent
    return folder


class Packages:
    """The packages that a robot's file may refer to."""

    def __init__(
        self, file: Path, folders: Iterable[Path] = (), *, allow_outside: bool = False
    ) -> None:
        """Prepare the search.

        Args:
            file: The robot's file; its own folder and those above it are searched.
            folders: Packages, or folders with packages, that the user named; searched first.
            allow_outside: Files anywhere may be included.
        """
        self.file = file.resolve()
        self.given = tuple(folder.resolve() for folder in folders)
        self.allow_outside = allow_outside
        self.home = home_of(self.file)
        self._found: dict[str, tuple[Path | None, tuple[str, ...]]] = {}

    def find(self, name: str) -> Path | None:
        """Return the folder of a package, or None."""
        return self._find(name)[0]

    def looked(self, name: str) -> tuple[str, ...]:
        """Return where a package was looked for."""
        return self._find(name)[1]

    def may_include(self, file: Path) -> bool:
        """Return whether a file lies in the robot's folder or in a package that was found."""
        found = [folder for folder, _ in self._found.values() if folder is not None]
        real = file.resolve()
        return self.allow_outside or any(
            real.is_relative_to(folder.resolve()) for folder in (self.home, *self.given, *found)
        )

    def resolve(self, reference: str, *, start: Path | None = None) -> Resolved:
        """Return the file that a reference of the robot's file means.

        Args:
            reference: As it is written: "package://ur_description/meshes/base.stl".
            start: Folder that relative paths start from; the robot's file's own by default.
        """
        start = start or self.file.parent
        scheme, _, rest = reference.partition("://")
        rest = unquote(rest)
        if not _ or len(scheme) < 2:
            return self._checked([start / _slashes(reference)], reference)
        if scheme == "file":
            rest = rest.removeprefix("localhost") if rest.startswith("localhost/") else rest
            path = Path(_slashes(rest))
            places = [path] if path.is_absolute() else [start / path]
            return self._checked(places, reference)
        if scheme in ("package", "model"):
            name, _, inside = _slashes(rest).lstrip("/").partition("/")
            folder, looked = self._find(name)
            if folder is not None:
                return self._checked([folder / inside], inside)
            return self._without_package(inside, looked)
        return Resolved(file=None, hint=f"'{scheme}://' is never fetched; copy the file")

    def _checked(self, places: list[Path], reference: str) -> Resolved:
        for place in places:
            if _is_file(place):
                real = place.resolve()
                return Resolved(file=real, outside=not self.may_include(real))
        looked = tuple(str(place) for place in places)
        other = next((found for place in places if (found := _similar(place))), None)
        if other is not None:
            hint = f"there is '{other.name}'"
            return Resolved(file=None, looked=looked, hint=hint, other=other)
        elsewhere = self._by_tail(Path(_slashes(reference)))
        return elsewhere or Resolved(file=None, looked=looked)

    def _without_package(self, inside: str, looked: tuple[str, ...]) -> Resolved:
        """Look for a file by its path inside a package whose folder has another name."""
        found = self._by_tail(Path(inside))
        if found is not None:
            return found
        return Resolved(file=None, looked=looked, hint="the package is not there")

    def _by_tail(self, inside: Path) -> Resolved | None:
        """Return the file whose path ends like the reference, in or above the robot's folder."""
        parts = [part for part in inside.parts if part not in ("..", ".", "/")]
        for above in (*self.given, self.file.parent, *list(self.file.parents)[1:4]):
            for skip in range(max(len(parts) - 1, 1)):
                place = above.joinpath(*parts[skip:])
                if _is_file(place):
                    return Resolved(file=place.resolve(), guessed=True)
        return None

    def _find(self, name: str) -> tuple[Path | None, tuple[str, ...]]:
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> tuple[Path | None, tuple[str, ...]]:
        if not name or "/" in name or name in (".", ".."):
            return None, ()
        looked: list[str] = []
        for folder in self._places():
            looked.append(str(folder))
            if folder.name == name or _package_name(folder) == name:
                return folder, tuple(looked)
            for inside in (folder / name, folder / "share" / name):
                if _is_folder(inside):
                    return inside, tuple(looked)
            for inside in _packages_in(folder):
                if _package_name(inside) == name:
                    return inside, tuple(looked)
        return None, tuple(looked)

    def _places(self) -> list[Path]:
        named = [
            Path(word)
            for variable in ROS_PATHS
            for word in os.environ.get(variable, "").split(os.pathsep)
            if word
        ]
        above = list(self.file.parents)[:-1][:8]
        return list(dict.fromkeys([*self.given, *above, *named]))


def _slashes(path: str) -> str:
    return unquote(path).replace("\\", "/")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, with a zero, or in a forbidden folder
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _entries(folder: Path) -> list[Path]:
    try:
        entries = list(folder.iterdir())
    except (OSError, ValueError):
        return []
    return sorted(entries) if len(entries) <= MAX_LISTED else []


@lru_cache(maxsize=256)
def _packages_in(folder: Path) -> tuple[Path, ...]:
    return tuple(each for each in _entries(folder) if (each / "package.xml").is_file())


@lru_cache(maxsize=1024)
def _package_name(folder: Path) -> str | None:
    try:
        with (folder / "package.xml").open("rb") as file:
            found = _NAME.search(file.read(20_000))
    except (OSError, ValueError):
        return None
    return found[1].decode("utf-8", "replace") if found else None


def _similar(place: Path) -> Path | None:
    """Return a file beside the missing one: other case, other suffix, or nearly the same name."""
    present = {each.name: each for each in _entries(place.parent) if _is_file(each)}
    for name, each in present.items():
        if name.lower() == place.name.lower():
            return each
    for name, each in present.items():
        if Path(name).stem.lower() == place.stem.lower() and each.suffix.lower() in MESH_SUFFIXES:
            return each
    guess = get_close_matches(place.name, present, n=1, cutoff=0.8)
    return present[guess[0]] if guess else None
