"""Scores a run of youbot/transport by what really happens: where cube and base are.

The robot's own program never asks this (a test).
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mecano.core.poses import Pose, Pose2
from mecano.lab.robot import Robot
from mecano.session.session import Session
from mecano.tasks.experiment import Metric, Score

HOME = Pose2(1.5, 4.0, math.pi / 2)
"""Where the robot is set down, about, and comes back to."""
STAND_OFF = 0.1
"""How far the tables are from the ray sensors in the end [m]."""
IN_PLACE = 0.010
"""How far from its goal the cube may end [m]; sheet of the scenes."""
STAND_OFF_WITHIN = 0.002
"""How far the base may be from the stand-off while the arm works [m]; sheet of the youBot."""
HOME_WITHIN = 0.45, math.radians(10.0)
"""How far from home the base may end [m], [rad]. It comes 8.5 m by its wheels alone, so by the
declared slip (one sigma) 0.14 m to the side, for shares of 0.3 % of each wheel turn it by 4 mrad
per metre, and 0.04 m ahead, for 0.5 % of all; this is three sigma of both."""
LIFTED = 0.05
"""The cube must have been lifted this far off the first table [m]."""
UPRIGHT = math.radians(20.0)
"""It may lean no further on its way [rad]: the hand holds it by two sides and may let it swing."""
ON_FLOOR = 0.02
"""The bottom of a cube that lies on the floor is lower than this [m]; tables are 0.1 high."""
EVERY = 5
"""So many ticks lie between two looks."""


@dataclass
class Judge:
    """Watches a run, tick by tick."""

    robot: Robot
    highest: float = -math.inf
    """Of the cube's middle [m]."""
    leaned: float = 0.0
    """The furthest it leaned [rad]."""
    fell_at: float | None = None
    """When it came to lie on the floor [s]."""
    gaps: list[float] = field(default_factory=list)
    """True distances of the ray while the arm was away from home, one per table [m]."""

    def __post_init__(self) -> None:
        model = self.robot.world.model
        self._half = float(model.geom("cube").size[2])
        self._began = self._cube().position.copy()
        self._working = False

    def __enter__(self) -> "Judge":
        """Begin to watch."""
        self.robot.session.observers.append(self.look)
        return self

    def __exit__(self, *_: Any) -> None:
        """Watch no longer."""
        self.robot.session.observers.remove(self.look)

    def _cube(self) -> Pose:
        return self.robot.truth.body_pose("cube")

    def look(self, session: Session) -> None:
        """Note how the cube is."""
        if session.ticks % EVERY:
            return
        cube = self._cube()
        self.highest = max(self.highest, float(cube.position[2]))
        self.leaned = max(self.leaned, leaning(cube))
        if self.fell_at is None and cube.position[2] - self._half < ON_FLOOR:
            self.fell_at = session.time
        self._note_gap()

    def _note_gap(self) -> None:
        """Note the true stand-off when the arm begins to work at a table."""
        arm = self.robot.arm
        low = arm.chain.forward(arm.commanded)[2, 3] < 0.13
        if low and not self._working:
            self.gaps.append(self.robot.ranges["right"].read(clean=True).range)
        self._working = low

    def score(self, problem: str | None, told: dict[str, Metric], *, docks: int) -> Score:
        """Return how the run went.

        Args:
            problem: What the robot said went wrong, if something did.
            told: What the robot measured.
            docks: How many tables it docked at.
        """
        cube, goal = self._cube(), self.robot.truth.place("goal")
        off = float(np.hypot(*(cube.position[:2] - goal[:2])))
        home = HOME.inverse() @ self.robot.truth.base_pose()
        gaps = [gap - STAND_OFF for gap in (self.gaps[:1] + self.gaps[-1:])][:docks]
        metrics: dict[str, Metric] = {
            "place_error_mm": round(1000.0 * off, 2),
            **told,
            **{f"stand_off_error_{n}_mm": round(1000.0 * g, 3) for n, g in enumerate(gaps, 1)},
            "lifted_mm": round(1000.0 * (self.highest - float(self._began[2])), 1),
            "tilt_deg": round(math.degrees(self.leaned), 1),
            "home_error_mm": round(1000.0 * math.hypot(home.x, home.y), 2),
            "home_turn_deg": round(math.degrees(home.yaw), 2),
            "total_time_s": round(self.robot.time, 2),
        }
        if self.fell_at is not None:
            fell = f"the cube fell to the floor at {self.fell_at:.1f} s"
            problem = fell if problem is None else f"{fell}; the robot said: {problem}"
        problem = problem or self._verdict(off, home, gaps)
        return Score(success=problem is None, metrics=metrics, remark=problem or "")

    def _verdict(self, off: float, home: Pose2, gaps: list[float]) -> str | None:
        """Return what is not as it should be at the end, if anything."""
        touched = self._touched()
        if "table_2" not in touched:
            return f"the cube lies on {' and '.join(sorted(touched)) or 'nothing'}, not on table 2"
        if off > IN_PLACE:
            return (
                f"the cube is {1000 * off:.1f} mm from its goal, allowed {1000 * IN_PLACE:.0f} mm"
            )
        for number, gap in enumerate(gaps, 1):
            if abs(gap) > STAND_OFF_WITHIN:
                return (
                    f"at table {number} the base stood {1000 * gap:+.1f} mm from its stand-off, "
                    f"allowed {1000 * STAND_OFF_WITHIN:.0f} mm"
                )
        if self.highest - float(self._began[2]) < LIFTED:
            return f"the cube was lifted by {1000 * (self.highest - self._began[2]):.0f} mm only"
        if self.leaned > UPRIGHT:
            return f"the cube leaned by {math.degrees(self.leaned):.0f} degrees on its way"
        if math.hypot(home.x, home.y) > HOME_WITHIN[0] or abs(home.yaw) > HOME_WITHIN[1]:
            away = f"{math.hypot(home.x, home.y):.2f} m and {math.degrees(home.yaw):.0f} degrees"
            return f"the base ended {away} from home, allowed {HOME_WITHIN[0]:g} m and 10 degrees"
        return None

    def _touched(self) -> set[str]:
        """Return the bodies that the cube touches now."""
        pairs = [{c.body_1, c.body_2} for c in self.robot.world.contacts()]
        return {name for pair in pairs if "cube" in pair for name in pair - {"cube"}}


def leaning(pose: Pose) -> float:
    """Return how far a body leans out of the vertical of its nearest axis [rad]."""
    upright = float(np.abs(pose.rotation_matrix()[2]).max())
    return math.acos(min(1.0, upright))
