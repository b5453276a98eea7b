"""What CRUMB's cameras see, with and without noise: python docs/pictures/make_crumb_camera.py"""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import mujoco

import mecano

HERE = Path(__file__).parent


def main() -> None:
    """Draw colour and depth of the mast camera and of the Kinect."""
    with mecano.connect(
        "crumb_mast", scene="find_and_place", start="look", noise=True, seed=1
    ) as robot:
        mast = robot.cameras["mast"].read()
    with mecano.connect("crumb", scene="empty", noise=True, seed=1, changes=[furnish]) as robot:
        shots = {"mast": mast, "camera": robot.camera.read()}
    figure, axes = plt.subplots(2, 4, figsize=(13, 5.2), layout="constrained")
    for row, (name, shot) in zip(axes, shots.items(), strict=True):
        title = {"mast": "mast camera", "camera": "Kinect"}[name]
        pictures = (
            ("colour, no noise", shot.clean_colour.data), ("colour, noise", shot.colour.data),
            ("depth, no noise", shot.clean_depth.data), ("depth, noise", shot.depth.data),
        )  # fmt: skip
        low, high = (0.4, 1.2) if name == "mast" else (0.4, 5.0)
        for axis, (what, picture) in zip(row, pictures, strict=True):
            axis.set_axis_off()
            axis.set_title(f"{title}: {what}", fontsize=10)
            if picture.ndim == 3:
                axis.imshow(picture)
            else:
                image = axis.imshow(picture, cmap="viridis", vmin=low, vmax=high)
        figure.colorbar(image, ax=row, label="depth [m]", shrink=0.8)
    figure.savefig(HERE / "crumb_camera.png", dpi=90)


def furnish(spec: mujoco.MjSpec) -> None:
    """Put a wall, a box, a ball and a post before the robot."""
    kinds = mujoco.mjtGeom
    for kind, size, place, colour in (
        (kinds.mjGEOM_BOX, [0.05, 3, 1.2], [4.2, 0, 1.2], [0.75, 0.73, 0.68, 1]),
        (kinds.mjGEOM_BOX, [0.2, 0.2, 0.2], [1.6, 0.5, 0.2], [0.85, 0.2, 0.15, 1]),
        (kinds.mjGEOM_SPHERE, [0.22, 0, 0], [2.2, -0.5, 0.22], [0.2, 0.5, 0.85, 1]),
        (kinds.mjGEOM_CYLINDER, [0.06, 0.5, 0], [1.1, 0.0, 0.5], [0.95, 0.7, 0.1, 1]),
    ):
        spec.worldbody.add_geom(type=kind, size=size, pos=place, rgba=colour)


if __name__ == "__main__":
    main()
