"""Scores a run of madar/carry by what really happens to the box.

The robot's own program never asks this (a test).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import Pose
from mecano.lab.robot import Robot
from mecano.parts.holds import Hold
from mecano.session.session import Session
from mecano.tasks.experiment import Metric, Score

IN_PLACE, UPRIGHT = 0.020, math.radians(3.0)
"""The box must end this near to its place [m], and lean no further [rad]."""
LIFTED = 0.10
"""It must have been lifted this far [m]."""
TILTED = math.radians(10.0)
"""It may lean no further on its way [rad]."""
LOOK_EVERY = 5
"""So many ticks lie between two looks."""


@dataclass
class CarryJudge:
    """Watches a run, tick by tick."""

    robot: Robot
    hold: Callable[[], Hold | None]
    """Returns the hold on the box, if there is one."""
    rows: list[tuple[float, float, float, float, float]] = field(default_factory=list)
    """Time [s]; x, y and height of the box above the floor [m]; force of each hand [N]."""
    leaned: float = 0.0
    """The furthest it leaned on its way [rad]."""
    lifted: Pose | None = None
    """Of the box in the frame of the base, when it was highest for the first time."""
    slipped: float = 0.0
    """The furthest it has moved in the hands since [m]."""
    apart: float = 0.0
    """The furthest the tools were from their places relative to each other, while it was up [m]."""
    fell_at: float | None = None
    """When it came to lie on the floor [s]."""

    def __post_init__(self) -> None:
        self._began = self._box().position.copy()
        self._half = float(self.robot.world.model.geom("box").size[2])
        self.goal = self.robot.truth.place("place")

    def __enter__(self) -> "CarryJudge":
        """Begin to watch."""
        self.robot.session.observers.append(self.look)
        return self

    def __exit__(self, *_: Any) -> None:
        """Watch no longer."""
        self.robot.session.observers.remove(self.look)

    @property
    def table(self) -> Array:
        """All rows, for the drawing. Shape (n, 5)."""
        return np.array(self.rows).reshape(-1, 5)

    def _box(self) -> Pose:
        return self.robot.truth.body_pose("box")

    def look(self, session: Session) -> None:
        """Note how the box is."""
        if session.ticks % LOOK_EVERY:
            return
        box, hold = self._box(), self.hold()
        pressing = 0.0 if hold is None else hold.pressing
        x, y, z = box.position.tolist()
        self.rows.append((session.time, x, y, z, pressing))
        if self.fell_at is None and z - self._half < 0.1:
            self.fell_at = session.time
        if hold is None or z - self._began[2] < LIFTED:
            return
        self.leaned = max(self.leaned, leaning(box))
        self._note_hands(hold, self.robot.truth.base_pose().to_pose().inverse() @ box)

    def _note_hands(self, hold: Hold, box: Pose) -> None:
        """Note how far the box has slipped in the hands, and how well they keep together."""
        if self.lifted is None:
            self.lifted = box
        self.slipped = max(
            self.slipped, float(np.hypot(*(box.position - self.lifted.position)[:2]))
        )
        names = list(self.robot.arms)
        now = [self.robot.truth.tool_pose(name).position for name in names]
        told = [hold.targets()[name].position for name in names]
        apart = np.linalg.norm(now[1] - now[0]) - np.linalg.norm(told[1] - told[0])
        self.apart = max(self.apart, abs(float(apart)))

    def score(self, problem: str | None, told: dict[str, Metric]) -> Score:
        """Return how the run went.

        Args:
            problem: What the robot said went wrong, if something did.
            told: What the robot measured.
        """
        box = self._box()
        off = float(np.hypot(*(box.position[:2] - self.goal[:2])))
        highest = max((row[3] for row in self.rows), default=float(self._began[2]))
        metrics: dict[str, Metric] = {
            "place_error_mm": round(1000.0 * off, 2),
            "yaw_deg": round(math.degrees(float(box.rpy()[2])), 2),
            **told,
            "lifted_mm": round(1000.0 * (highest - float(self._began[2])), 1),
            "slip_mm": round(1000.0 * self.slipped, 2),
            "tilt_deg": round(math.degrees(self.leaned), 2),
            "relative_error_mm": round(1000.0 * self.apart, 2),
            "total_time_s": round(self.robot.time, 2),
        }
        if self.fell_at is not None:
            fell = f"the box fell to the floor at {self.fell_at:.1f} s"
            problem = fell if problem is None else f"{fell}; the robot said: {problem}"
        problem = problem or self._verdict(box, off, highest - float(self._began[2]))
        return Score(success=problem is None, metrics=metrics, remark=problem or "")

    def _verdict(self, box: Pose, off: float, lifted: float) -> str | None:
        """Return what is not as it should be at the end, if anything."""
        touched = self._touched()
        if touched != {"table_2"}:
            return f"the box stands on {' and '.join(sorted(touched)) or 'nothing'}, not on table 2"
        if leaning(box) > UPRIGHT:
            return f"the box leans by {math.degrees(leaning(box)):.1f} degrees on table 2"
        if off > IN_PLACE:
            return (
                f"the box is {1000 * off:.1f} mm from its place, allowed {1000 * IN_PLACE:.0f} mm"
            )
        if lifted < LIFTED:
            return f"the box was lifted by {1000 * lifted:.0f} mm only"
        if self.leaned > TILTED:
            return f"the box leaned by {math.degrees(self.leaned):.1f} degrees on its way"
        return None

    def _touched(self) -> set[str]:
        """Return the bodies that the box touches now."""
        pairs = [{c.body_1, c.body_2} for c in self.robot.world.contacts() if c.depth >= 0.0]
        return {name for pair in pairs if "box" in pair for name in pair - {"box"}}


def leaning(pose: Pose) -> float:
    """Return how far a box leans [rad]."""
    return math.acos(min(1.0, float(pose.rotation_matrix()[2, 2])))
