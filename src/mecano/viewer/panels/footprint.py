"""What a robot covers of the floor in its posture: an outline that a planner keeps clear."""

import numpy as np

from mecano.core.arrays import Array
from mecano.lab.robot import Robot
from mecano.viewer.panels.panel import Desk
from mecano.viewer.samples import Sample

ABOVE_FLOOR = 0.006
"""So high over the floor it is drawn [m]: between the paths of a scene and the way driven."""
COLOUR = (25, 113, 194)
NOTICED = 1e-3
"""Outlines of as many corners that moved by less are not sent to the pages [m]."""


class FootprintPanel:
    """Draws the outline of a robot and all that it carries, as seen from above."""

    def __init__(self, desk: Desk, robot: Robot, *, several: bool) -> None:
        """Begin with nothing; `several` robots are told apart by name."""
        self.name = robot.name
        self._seen = self._drawn = np.zeros((0, 3))
        self.line = desk.server.scene.add_line_segments(
            f"/footprint/{robot.name}", np.zeros((1, 2, 3), np.float32), COLOUR,
            thickness=2.5, thickness_units="screen", visible=False,
        )  # fmt: skip
        self._shown = desk.server.gui.add_checkbox(
            f"footprint of {robot.name}" if several else "footprint", initial_value=True,
            hint="what the robot covers of the floor in its posture",
        )  # fmt: skip
        desk.changes(self._shown, self._toggle)

    def _toggle(self) -> None:
        if not self._shown.value:
            self._seen = self._drawn = np.zeros((0, 3))  # it is drawn anew when it comes back
            self.line.visible = False

    def draw(self, sample: Sample) -> None:
        """Draw the outline, if it is another one."""
        outline = sample.outlines[self.name]
        if not self._shown.value or outline is self._seen:
            return
        self._seen = outline
        if _differs(outline, self._drawn):
            self._drawn = outline
            raised = outline + np.array([0.0, 0.0, ABOVE_FLOOR])
            self.line.points = np.stack((raised[:-1], raised[1:]), axis=1).astype(np.float32)
        if not self.line.visible:
            self.line.visible = True

    def update(self, sample: Sample) -> None:
        """Draw the outline, if it is another one."""
        self.draw(sample)


def _differs(outline: Array, other: Array) -> bool:
    """Tell whether the difference of two outlines can be seen."""
    return outline.shape != other.shape or bool(np.abs(outline - other).max() > NOTICED)
