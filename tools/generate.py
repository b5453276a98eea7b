"""Write the generated files of the robots: meshes and model files, from the scripts beside this.

    python -m tools.generate               writes those of all robots
    python -m tools.generate ur5 madar     of some
    python -m tools.generate --check       changes nothing, exits with 1 if a file differs

A mesh whose file already holds the same surface is left as it is: the order in which the hull
of flat faces is cut into triangles depends on the version of numpy, and models must stay the same
bit by bit.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
from tools.solids import Solid, obj_text, obj_text_in_millimetres

TOOLS = Path(__file__).parent
ROBOTS = TOOLS.parent / "src" / "mecano" / "robots"
NAMES = tuple(sorted(folder.parent.name for folder in TOOLS.glob("*/make_meshes.py")))
IN_MILLIMETRES = ("open_manipulator_x",)
"""Robots whose model files scale their meshes."""
SAME = 1e-9
"""Vertices that differ by less are the same, in the unit of the file."""
SAME_SURFACE = 1e-3
"""Share by which area and volume may differ: with rounded vertices, flat faces are not quite flat,
and then they depend a little on how the face is cut."""


def generated(robot: str) -> dict[Path, str]:
    """Return the text of every generated file of a robot."""
    write = obj_text_in_millimetres if robot in IN_MILLIMETRES else obj_text
    drawn = import_module(f"tools.{robot}.make_meshes").meshes()
    texts = {ROBOTS / robot / "assets" / f"{name}.obj": write(drawn[name]) for name in drawn}
    if (TOOLS / robot / "make_model.py").exists():
        files = import_module(f"tools.{robot}.make_model").files()
        texts |= {ROBOTS / robot / name: text for name, text in files.items()}
    return texts


def is_current(file: Path, text: str) -> bool:
    """Return whether a file holds this text, or as a mesh the same surface."""
    if not file.exists():
        return False
    found = file.read_text(encoding="utf-8")
    if found == text or file.suffix != ".obj":
        return found == text
    one, other = _solid(found), _solid(text)
    if one.vertices.shape != other.vertices.shape or one.faces.shape != other.faces.shape:
        return False
    return np.allclose(one.vertices, other.vertices, rtol=0.0, atol=SAME) and np.allclose(
        _measures(one), _measures(other), rtol=SAME_SURFACE, atol=0.0
    )


def _solid(text: str) -> Solid:
    """Return what is in an OBJ file of ours."""
    rows = [line.split() for line in text.splitlines()]
    vertices = np.array([row[1:] for row in rows if row[0] == "v"], float)
    return Solid(vertices, np.array([row[1:] for row in rows if row[0] == "f"], int) - 1)


def _measures(solid: Solid) -> tuple[float, float]:
    """Return area and volume."""
    a, b, c = np.moveaxis(solid.vertices[solid.faces], 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    return float(area), float((a * np.cross(b, c)).sum() / 6)


def main(words: Sequence[str]) -> int:
    """Write or check the files; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.generate", description=__doc__)
    parser.add_argument("robots", nargs="*", metavar="robot", help=", ".join(NAMES))
    parser.add_argument("--check", action="store_true", help="change nothing")
    options = parser.parse_args(words)
    unknown = set(options.robots) - set(NAMES)
    if unknown:
        parser.error(f"no scripts for {', '.join(sorted(unknown))}; known: {', '.join(NAMES)}")
    old = 0
    for robot in options.robots or NAMES:
        for file, text in generated(robot).items():
            if is_current(file, text):
                continue
            old += 1
            print(f"{'differs' if options.check else 'written'}: {file.relative_to(TOOLS.parent)}")
            if not options.check:
                file.write_text(text, encoding="utf-8")
    return 1 if old and options.check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
