"""Ways on the floor and in space: the paths of the scene, and where a base really drove."""

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.core.poses import Pose
from mecano.lab.robot import Robot
from mecano.viewer.panels.panel import BAD, Desk, Panel, line
from mecano.viewer.panels.plots import COLOURS
from mecano.viewer.samples import Sample
from mecano.viewer.sampling import TRAIL_SECONDS, arms_of

STEP, MOST_PIECES = 0.02, 1000
"""Paths are drawn in pieces of this length [m], longer ones in this many."""
ABOVE_FLOOR, TRAIL_ABOVE = 0.005, 0.008
"""So high over the floor they are drawn [m]; the way really driven lies over the path."""
TRAIL_COLOUR = (73, 80, 87)


def add_paths(desk: Desk, robots: dict[str, Robot]) -> list[Panel]:
    """Return a panel for the paths of the scene, none if it has none; say if they are faulty."""
    try:
        paths = next(iter(robots.values())).paths
    except MecanoError as error:  # a robot can be watched without
        desk.server.gui.add_html(line(str(error), BAD))
        return []
    return [PathsPanel(desk, robots)] if paths else []


class PathsPanel:
    """Draws the paths of the scene: flat ones on the floor, others from the foot of the arm."""

    def __init__(self, desk: Desk, robots: dict[str, Robot]) -> None:
        """Draw every path with its name."""
        first = next(iter(robots.values()))
        self._arm = next((name for bot in robots.values() for name in arms_of(bot)), None)
        """Whose frame paths in space are in; None takes the world's."""
        self._base = np.eye(4)
        scene = desk.server.scene
        self._hand = scene.add_frame("/paths/hand", show_axes=False)
        self.lines, self.labels = {}, {}
        height = _floor_height(first) + ABOVE_FLOOR
        for number, (name, path) in enumerate(first.paths.items()):
            points = path.sample(max(STEP, path.length / MOST_PIECES))
            if path.planar:
                points = np.column_stack((points, np.full(len(points), height)))
            node = f"/paths/floor/{name}" if path.planar else f"/paths/hand/{name}"
            self.lines[name] = scene.add_line_segments(
                node, _pieces(points), _rgb(COLOURS[number % len(COLOURS)]),
                thickness=3.0, thickness_units="screen",
            )  # fmt: skip
            middle = points[len(points) // 2]  # ends of paths often meet
            self.labels[name] = scene.add_label(f"{node}/name", name, position=middle)
        self._shown = desk.server.gui.add_checkbox("paths of the scene", initial_value=True)
        desk.changes(self._shown, self._toggle)

    def _toggle(self) -> None:
        for drawn in (*self.lines.values(), *self.labels.values()):
            drawn.visible = self._shown.value

    def update(self, sample: Sample) -> None:
        """Take paths of the hand along with the robot."""
        if self._arm is None:
            return
        base = sample.arms[self._arm].base
        if np.abs(base - self._base).max() > 1e-3:
            self._base, pose = base, Pose.from_matrix(base)
            self._hand.position, self._hand.wxyz = pose.position, pose.quaternion


class TrailPanel:
    """Draws where a base or a body on legs really was in the last minute."""

    def __init__(self, desk: Desk, robot: Robot, *, several: bool) -> None:
        """Begin with nothing; `several` robots are told apart by name."""
        self.name = robot.name
        went = "driven" if "base" in robot.parts else "walked"
        self._drawn = np.zeros((0, 3))
        self.line = desk.server.scene.add_line_segments(
            f"/trail/{robot.name}", np.zeros((1, 2, 3), np.float32), TRAIL_COLOUR,
            thickness=2.0, thickness_units="screen", visible=False,
        )  # fmt: skip
        self._shown = desk.server.gui.add_checkbox(
            f"way of {robot.name}" if several else f"way {went}", initial_value=True,
            hint=f"where it really was in the last {TRAIL_SECONDS:g} s",
        )  # fmt: skip
        desk.changes(self._shown, self._toggle)

    def _toggle(self) -> None:
        if not self._shown.value:
            self._drawn = np.zeros((0, 3))  # it is drawn anew when it comes back
        self.line.visible = len(self._drawn) > 1

    def update(self, sample: Sample) -> None:
        """Draw it again where it changed."""
        points = sample.trail(self.name)
        if not self._shown.value or np.array_equal(points, self._drawn):
            return
        self._drawn = points
        if len(points) > 1:
            self.line.points = _pieces(points + np.array([0.0, 0.0, TRAIL_ABOVE]))
        if self.line.visible != (len(points) > 1):
            self._toggle()


def _pieces(points: Array) -> np.ndarray:
    """Return the pieces between points, as the page draws them. Shape (n - 1, 2, 3)."""
    return np.stack((points[:-1], points[1:]), axis=1).astype(np.float32)


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return red, green, blue


def _floor_height(robot: Robot) -> float:
    """Return how high the first floor of the scene lies in the world [m]."""
    model = robot.world.model
    planes = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE)
    return float(robot.world.data.geom_xpos[planes[0], 2]) if len(planes) else 0.0
