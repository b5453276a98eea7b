"""Where the tool can get to: points, with the direction of the nose, or spheres; and their hull."""

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose
from mecano.kinematics.workspace import Workspace, sample_workspace
from mecano.parts.arm import Arm
from mecano.viewer.panels.panel import Desk, line
from mecano.viewer.samples import Sample

SAMPLES = 6000
NORMALS = 1500
"""How many of the points get a line for the direction of the nose."""
NORMAL_LENGTH = 0.02
"""[m]"""
SHAPES = ("off", "points", "points and directions", "spheres")


class WorkspacePanel:
    """Draws the workspace of an arm, sampled when it is first asked for."""

    def __init__(
        self, desk: Desk, name: str, arm: Arm, base: Array, *, folded: bool = False
    ) -> None:
        """Take an arm, see `arms_of`; `base` is the 4x4 pose of its base in the world."""
        self._base = base
        self.desk, self.arm, self.name = desk, arm, name
        self.root = f"/workspace/{name}"
        self._workspace: Workspace | None = None
        gui, pose = desk.server.gui, Pose.from_matrix(base)
        self._frame = desk.server.scene.add_frame(
            self.root, show_axes=False, position=pose.position, wxyz=pose.quaternion
        )
        side = f" {name.split('/')[1]}" if "/" in name else ""
        with gui.add_folder(f"Workspace of the{side} arm", expand_by_default=not folded):
            self._shape = gui.add_dropdown("show", SHAPES)
            self._hull = gui.add_checkbox("convex hull", initial_value=False)
            self._text = gui.add_html("")
        desk.changes(self._shape, self._draw_points)
        desk.changes(self._hull, self._draw_hull)
        self._drawn: list = []
        self._hull_drawn = None

    def _sampled(self) -> Workspace:
        if self._workspace is None:
            rng = np.random.default_rng(0)
            self._workspace = sample_workspace(self.arm.chain.dh, samples=SAMPLES, rng=rng)
            low, high = self._workspace.extent
            spans = ", ".join(
                f"{axis} {a:.2f} to {b:.2f} m" for axis, a, b in zip("xyz", low, high, strict=True)
            )
            self._text.content = line(
                f"{SAMPLES} postures inside the limits, in the base frame: {spans}; "
                f"hull {1000 * self._workspace.hull_volume:.0f} litres"
            )
        return self._workspace

    def _draw_points(self) -> None:
        for drawn in self._drawn:
            drawn.remove()
        self._drawn = []
        shape, scene = self._shape.value, self.desk.server.scene
        if shape == "off":
            return
        space = self._sampled()
        colours = _colours(space.points[:, 2])
        if shape == "spheres":
            self._drawn.append(_spheres(scene, f"{self.root}/spheres", space.points, colours))
            return
        self._drawn.append(
            scene.add_point_cloud(
                f"{self.root}/points", space.points.astype(np.float32), colours,
                point_size=0.003, point_shape="circle",
            )
        )  # fmt: skip
        if shape == "points and directions":
            begins = space.points[:NORMALS]
            ends = begins + NORMAL_LENGTH * space.directions[:NORMALS]
            self._drawn.append(
                scene.add_line_segments(
                    f"{self.root}/directions", np.stack([begins, ends], axis=1),
                    colors=(240, 140, 0), thickness=1.5, thickness_units="screen",
                )
            )  # fmt: skip

    def _draw_hull(self) -> None:
        if self._hull_drawn is not None:
            self._hull_drawn.remove()
            self._hull_drawn = None
        hull = self._sampled().hull if self._hull.value else None
        if hull is not None:
            self._hull_drawn = self.desk.server.scene.add_mesh_simple(
                f"{self.root}/hull", self._sampled().points[hull.vertices].astype(np.float32),
                _renumbered(hull), color=(80, 150, 230), opacity=0.25, side="double",
                cast_shadow=False, receive_shadow=False,
            )  # fmt: skip

    def update(self, sample: Sample) -> None:
        """Stay at the arm, if it is carried about."""
        base = sample.arms[self.name].base
        if np.abs(base - self._base).max() > 1e-3:
            self._base, pose = base, Pose.from_matrix(base)
            self._frame.position, self._frame.wxyz = pose.position, pose.quaternion


def _renumbered(hull) -> Array:
    """Return the triangles of a hull by the numbers of its own corners."""
    number = {vertex: i for i, vertex in enumerate(hull.vertices)}
    return np.vectorize(number.__getitem__)(hull.simplices).astype(np.uint32)


def _colours(heights: Array) -> np.ndarray:
    """Return colours from blue (low) over green to yellow (high)."""
    share = (heights - heights.min()) / max(float(np.ptp(heights)), 1e-9)
    stops = np.array([[40, 60, 160], [30, 150, 140], [250, 210, 60]], float)
    colours = [np.interp(share, [0.0, 0.5, 1.0], stops[:, i]) for i in range(3)]
    return np.stack(colours, axis=1).astype(np.uint8)


def _spheres(scene, name: str, points: Array, colours: np.ndarray):
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=1, radius=0.004)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))
    return scene.add_batched_meshes_simple(
        name, ball.vertices, ball.faces, batched_wxyzs=turns, batched_positions=points,
        batched_colors=colours, lod="off", cast_shadow=False, receive_shadow=False,
    )  # fmt: skip
