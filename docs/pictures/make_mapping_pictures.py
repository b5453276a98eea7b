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

from mecano.core.poses.planar_arrays import poses_at
from mecano.estimation.slam.consistency import path_nees
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


def draw_nees() -> None:
    """Draw how far stretches of paths are off, in units of what was stated."""
    sys.path.insert(0, str(FOLDER.parents[1] / "benchmarks"))
    from slam_corpus.cases import map_log, read_case
    from slam_corpus.drives import make_drive

    logs = ("csail", "acapulco", "belgioioso", "fhw", "infinite-corridor")
    kinds = {"recorded logs": [], "simulated drives": []}
    for name in logs:
        log, path = read_case(DATA / f"{name}.log.gz")
        assert isinstance(path, np.ndarray)
        kinds["recorded logs"].append((map_log(log)[0], path[:, 0], path[:, 1:]))
    for number in (0, 3, 6, 9, 12, 36, 39):  # drives without a fault of odometry
        drive = make_drive(0, number)
        kinds["simulated drives"].append(
            (map_log(drive.log)[0], drive.log.scan_stamps, drive.truth)
        )
    distances = (5.0, 10.0, 20.0, 40.0, 60.0)
    figure, axes = plt.subplots(figsize=(7.0, 3.6), layout="constrained")
    for (kind, runs), colour in zip(kinds.items(), ("#1971c2", "#e8590c"), strict=True):
        means = [
            [
                path_nees(m.graph, poses_at(m.graph.stamps, *known), distance=d).mean()
                for d in distances
            ]
            for m, *known in runs
        ]
        axes.plot(distances, np.array(means).T, "o-", color=colour, linewidth=0.8, markersize=3)
        axes.plot([], [], "o-", color=colour, label=kind)
    axes.axhline(3.0, color="black", linewidth=0.8, linestyle="--", label="exact: 3")
    axes.set(xlabel="length of the stretch [m]", ylabel="mean NEES", yscale="log")
    axes.legend()
    figure.savefig(FOLDER / "mapping_nees.png", dpi=100)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        draw_paths(mapped(folder, str(DATA / "intel.log.gz")))
        keep_map(folder, "mapping_intel.png")
    with TemporaryDirectory() as folder:
        mapped(folder, "--graph", str(DATA / "killian.graph.gz"), "--own-loops")
        keep_map(folder, "mapping_killian.png")
    for name in ("csail", "acapulco", "belgioioso", "fhw", "infinite-corridor"):
        with TemporaryDirectory() as folder:
            mapped(folder, str(DATA / f"{name}.log.gz"))
            keep_map(folder, f"mapping_{name.replace('-', '_')}.png")
    draw_nees()
