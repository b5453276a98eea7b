"""Robots from wherever a user has them: a name, a folder, a file or a description."""

import hashlib
import os
import re
import sys
from importlib.metadata import version
from pathlib import Path

from mecano import robots
from mecano.core.errors import InvalidInput
from mecano.core.notices import say, slow_notice
from mecano.importing.folders import check_folder, is_models_folder
from mecano.importing.mjcf_text import identifier
from mecano.robots.description import RobotDescription

Source = str | Path | RobotDescription
"""Name of the catalogue or of a plug-in, folder, URDF, xacro or MJCF file, or a description."""
FILES = (".urdf", ".xacro", ".xml", ".mjcf")
REFERENCE = re.compile(rb"""(?:filename|file|meshdir|assetdir)\s*=\s*["']([^"']+)["']""")
"""Files that a robot's file names."""
FORMAT = 4
"""Goes up when the same file makes another folder, so that old ones are not taken."""


def find_robot(source: Source) -> RobotDescription:
    """Return the description of a robot, wherever it is.

    A file is imported into a folder of the user's cache, once for each version of the file and its
    meshes, with a line on stderr that says so.

    Args:
        source: Name, folder, file or description.
    """
    if isinstance(source, RobotDescription):
        return source
    if not isinstance(source, str | Path):
        return robots.get(source)
    robots.check_length(source)
    path = Path(source).expanduser()
    known = isinstance(source, str) and source in robots.known()
    if known or not str(source):
        return robots.get(source)
    if path.is_dir():
        check_folder(path)
    if path.is_file() or is_models_folder(path):
        return _imported(path.resolve())
    if path.suffix.lower() in FILES and not path.is_dir():
        raise InvalidInput(f"there is no file {path}; name a robot's file, its folder or a name")
    return robots.get(path if path.is_dir() else source)


def robot_label(source: Source, description: RobotDescription) -> str:
    """Return what a robot is called in a session: its name in the catalogue, or its own."""
    if isinstance(source, str) and source in robots.known():
        return source
    return identifier(description.name)


def source_of(description: RobotDescription) -> str:
    """Return what `find_robot` finds a robot by again: its name, or else its folder."""
    if description.name in robots.known() and robots.get(description.name) is description:
        return description.name
    return str(description.folder)


def _imported(path: Path) -> RobotDescription:
    from mecano.importing.importer import import_robot

    folder = cache_folder() / f"{identifier(path.stem)}-{_key(path)}"
    if not (folder / robots.FILE).is_file():
        say(f"importing {path.name} into {folder}")
        with slow_notice(f"still importing {path.name}: meshes are converted once"):
            import_robot(path, folder, force=folder.exists())
    return robots.get(folder)


def cache_folder() -> Path:
    """Return where imported robots are kept; MECANO_CACHE names another folder."""
    chosen = os.environ.get("MECANO_CACHE")
    if chosen:
        return Path(chosen) / "robots"
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "mecano" / "robots"


def _key(path: Path) -> str:
    """Return a short text that differs when the file, its meshes or Mecano differ."""
    found = hashlib.sha256(f"{FORMAT} {version('mecano')} {path}".encode())
    files = [path] if path.is_file() else sorted(path.glob("*.xml"))
    for file in files:
        text = file.read_bytes()
        found.update(text)
        for name in sorted(set(REFERENCE.findall(text))):
            reference = name.decode("utf-8", "replace").split("://")[-1]
            beside = file.parent / reference
            if beside.is_file():
                state = beside.stat()
                found.update(f"{reference} {state.st_size} {state.st_mtime_ns}".encode())
    for srdf in sorted((*path.parent.glob("*.srdf"), *path.parent.parent.glob("srdf/*.srdf"))):
        found.update(srdf.read_bytes() if path.is_file() else b"")
    return found.hexdigest()[:16]
