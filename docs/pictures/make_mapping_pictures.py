"""Draw the pictures of docs/mapping.md from the shared logs. Takes two minutes.

Run it from the root of the project: python docs/pictures/make_mapping_pictures.py
It needs the folder ../shared/datasets/slam.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from mecano.record.carmen import read_carmen

FOLDER = Path(__file__).parent
DATA = FOLDER.parents[2] / "shared" / "datasets" / "slam"
WIDTH = 900
"""Of a map in the page [pixels]."""


def mapped(folder: str, *words: str) -> np.ndarray:
    """Run `mecano slam`; return the path. Shape (n, 4)."""
    command = [sys.executable, "-m", "mecano", "slam", *words, "--out", folder]
    subprocess.run(command, check=True)
    return np.loadtxt(Path(folder) / "trajectory.txt")


def keep_map(folder: str, name: str) -> None:
    """Keep the picture of a map, smaller and with few colours."""
    picture = Image.open(Path(folder) / "map_with_path.png").convert("RGB")
    small = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.LANCZOS)
    small.quantize(32).save(FOLDER / name, optimize=True)


def draw_paths(path: np.ndarray) -> None:
    """Draw what the wheels believed beside what the map says."""
    log = read_carmen(DATA / "intel.log.gz")
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.4), layout="constrained")
    for each, poses, title in (
        (axes[0], log.scan_odometry, "by the wheels"),
        (axes[1], path[:, 1:], "by the map"),
    ):
        each.plot(poses[:, 0], poses[:, 1], linewidth=0.7, color="#1971c2")
        each.set(title=title, xlabel="x [m]", ylabel="y [m]", aspect="equal")
    figure.savefig(FOLDER / "mapping_intel_paths.png", dpi=100)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        draw_paths(mapped(folder, str(DATA / "intel.log.gz")))
        keep_map(folder, "mapping_intel.png")
    with TemporaryDirectory() as folder:
        mapped(folder, "--graph", str(DATA / "killian.graph.gz"), "--own-loops")
        keep_map(folder, "mapping_killian.png")
    with TemporaryDirectory() as folder:
        mapped(folder, str(DATA / "csail.log.gz"))
        keep_map(folder, "mapping_csail.png")
