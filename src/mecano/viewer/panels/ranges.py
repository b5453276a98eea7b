"""Range sensors: their rays in the scene, and what they measure."""

import numpy as np

from mecano.lab.robot import Robot
from mecano.viewer.panels.panel import PLAIN, Desk, line
from mecano.viewer.samples import RangeSample, Sample

RED, YELLOW = (224, 49, 49), (250, 204, 21)
"""Of a ray that sees nothing, and of one that detects something."""
NOTICED = 1e-4
"""Rays that moved by less are not sent to the pages [m]."""


class RangesPanel:
    """Draws the ray of each sensor up to what it sees, else as far as it could see."""

    def __init__(self, desk: Desk, robot: Robot, sample: Sample) -> None:
        """Draw a ray for each range sensor of the robot."""
        self.name = robot.name
        self.furthest = {name: ray.facts.furthest for name, ray in robot.ranges.items()}
        self._ends, self._colours = self._rays(sample)
        self.lines = desk.server.scene.add_line_segments(
            f"/ranges/{self.name}", self._ends, self._colours,
            thickness=3.0, thickness_units="screen",
        )  # fmt: skip
        with desk.server.gui.add_folder("Range sensors"):
            self._text = desk.server.gui.add_html("")

    def update(self, sample: Sample) -> None:
        """Show the rays and the distances."""
        self.draw(sample)
        self._text.content = "".join(
            line(_words(name, ray, self.furthest[name]), PLAIN)
            for name, ray in sample.ranges[self.name].items()
        )

    def draw(self, sample: Sample) -> None:
        """Bring the rays to where the robot is, if that can be seen."""
        ends, colours = self._rays(sample)
        if np.abs(ends - self._ends).max() > NOTICED:
            self.lines.points = self._ends = ends
        if (colours != self._colours).any():
            self.lines.colors = self._colours = colours

    def _rays(self, sample: Sample) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of each ray, and their colours. Shapes (n, 2, 3)."""
        ends, colours = [], []
        for name, ray in sample.ranges[self.name].items():
            length = ray.range if ray.detects else self.furthest[name]
            ends.append((ray.origin, ray.origin + length * ray.direction))
            colours.append([YELLOW if ray.detects else RED] * 2)
        return np.array(ends, np.float32), np.array(colours, np.uint8)


def _words(name: str, ray: RangeSample, furthest: float) -> str:
    if ray.detects:
        return f"{name} {ray.range:.3f} m"
    return f"{name} nothing within {furthest:g} m"
