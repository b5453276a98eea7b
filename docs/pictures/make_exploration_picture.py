"""Draw maps that robots explored, with the paths that they drove: docs/pictures/exploration.png.

mecano map madar --explore --seed 1 --out madar
mecano map crumb --explore --seed 1 --out crumb
python docs/pictures/make_exploration_picture.py madar crumb
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from mecano.estimation.maps.files import load_map


def draw(axes, folder: Path) -> None:
    """Draw one map and its path."""
    grid = load_map(folder / "map.yaml")
    shade = np.full(grid.data.shape, 0.8)
    shade[(grid.data >= 0) & (grid.data < 50)] = 1.0
    shade[grid.data >= 50] = 0.0
    width, height = grid.width * grid.resolution, grid.height * grid.resolution
    x, y = grid.origin.x, grid.origin.y
    axes.imshow(
        shade, cmap="gray", vmin=0, vmax=1, origin="lower", extent=(x, x + width, y, y + height)
    )
    if (folder / "trajectory.txt").exists():
        path = np.loadtxt(folder / "trajectory.txt", usecols=(1, 2))
        axes.plot(path[:, 0], path[:, 1], color="tab:blue", linewidth=1.0)
        axes.plot(*path[0], "o", color="tab:green", markersize=5)
        axes.plot(*path[-1], "s", color="tab:red", markersize=5)
    axes.set(title=folder.name, xlabel="x [m]", ylabel="y [m]")


folders = [Path(name) for name in sys.argv[1:]]
figure, all_axes = plt.subplots(1, len(folders), figsize=(5 * len(folders), 5), squeeze=False)
for axes, folder in zip(all_axes[0], folders, strict=True):
    draw(axes, folder)
figure.tight_layout()
figure.savefig(Path(__file__).parent / "exploration.png", dpi=100)
