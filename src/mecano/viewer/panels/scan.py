"""What the LIDARs see: their fused scan as points in the plane that they scan."""

import numpy as np

from mecano.lab.robot import Robot
from mecano.viewer.panels.panel import BAD, Desk, line
from mecano.viewer.samples import Sample, ScanSample

COLOUR = (224, 49, 49)
POINT_SIZE = 0.025
"""Across a point [m]."""


class ScanPanel:
    """Draws the points at which the beams of all LIDARs end, whenever there is a new scan."""

    def __init__(self, desk: Desk, robot: Robot, *, several: bool) -> None:
        """Begin with nothing; `several` robots are told apart by name."""
        self.name = robot.name
        self._drawn: ScanSample | None = None
        self.points = desk.server.scene.add_point_cloud(
            f"/scan/{robot.name}", np.zeros((1, 3), np.float32), COLOUR, point_size=POINT_SIZE,
            point_shape="circle", point_shading="flat", precision="float32", visible=False,
        )  # fmt: skip
        self._shown = desk.server.gui.add_checkbox(
            f"scan of {robot.name}" if several else "scan of the LIDARs", initial_value=True,
            hint="where the beams end, fused into one scan around the base",
        )  # fmt: skip
        self._text = desk.server.gui.add_html("")
        desk.changes(self._shown, self._toggle)

    def _toggle(self) -> None:
        if not self._shown.value:
            self._drawn, self.points.visible = None, False  # it is drawn anew when it comes back

    def draw(self, sample: Sample) -> None:
        """Draw the points, if there is a new scan."""
        scan = sample.scans[self.name]
        if not self._shown.value or scan is self._drawn:
            return
        self._drawn = scan
        if len(scan.points):
            self.points.points = scan.points.astype(np.float32)
        if self.points.visible != bool(len(scan.points)):
            self.points.visible = bool(len(scan.points))

    def update(self, sample: Sample) -> None:
        """Draw, and say which LIDAR is silent."""
        self.draw(sample)
        gaps = sample.scans[self.name].gaps
        self._text.content = "".join(line(gap, BAD) for gap in gaps)
