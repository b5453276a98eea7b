"""A motion that shows what an arm's servos do, to be run in simulation and on the real robot.

All joints swing at four speeds and rest at every turn. Each place in the middle is reached from
below and from above, so that what depends on the way there (friction, play) can be told from what
does not (a wrong zero). The timetable is fixed: it does not wait for a joint that comes late.
`mecano compare` reads the two recordings.
"""

import numpy as np

from mecano.core.arrays import Array
from mecano.lab.robot import Robot
from mecano.parts.results import MotionResult, Outcome
from mecano.tasks.experiment import Experiment, Score

CENTER = (0.0, -0.5, 0.1, -0.2)
"""Middle of the swings [rad]: all joints are far from their limits, the hand is above the floor."""
SWING = (0.9, 0.6, 0.65, 0.8)
"""How far each joint swings to both sides [rad]."""
PATTERNS = ((1, 1, -1, 1), (-1, 1, -1, -1), (1, 1, 1, -1), (-1, 1, -1, 1))
"""Which way each joint goes first, one row per speed: no two joints always move alike."""
SPEEDS = (0.35, 0.55, 0.8, 1.0)
"""Fractions of the arm's speed."""
REST = 0.6
"""Time at rest after each motion, in which friction can be seen to hold the joints [s]."""


def postures(pattern: Array) -> list[Array]:
    """Return one round: from one end to the other and back, with a stop in the middle each way."""
    way = (-1.0, 0.2, 1.0, 0.2, -1.0)
    return [np.array(CENTER) + step * pattern * np.array(SWING) for step in way]


def run(robot: Robot, rng: np.random.Generator) -> Score:
    """Swing through all rounds and say which motions arrived."""
    results: list[MotionResult] = []
    for speed, pattern in zip(SPEEDS, PATTERNS, strict=True):
        for goal in postures(np.array(pattern, float)):
            results.append(_swing(robot, goal, speed))
            if results[-1].outcome in (Outcome.BLOCKED, Outcome.COLLIDED):
                return _score(results, f"the way is not free: {results[-1].message}")
    missed = [result for result in results if not result.reached]
    return _score(results, missed[0].message if missed else "")


def _swing(robot: Robot, goal: Array, speed: float) -> MotionResult:
    """Move and rest for a time that does not depend on how well the arm follows."""
    motion = robot.arm.move_joints(goal, speed=speed, wait=False)
    trajectory = getattr(motion, "trajectory", None)
    if trajectory is not None:
        robot.wait(trajectory.duration + REST)
    if motion.result is None:
        motion.end(Outcome.TIMED_OUT)
    return motion.wait()


def _score(results: list[MotionResult], remark: str) -> Score:
    arrived = sum(result.reached for result in results)
    worst = max(result.joint_error for result in results)
    return Score(
        success=not remark,
        metrics={
            "motions": len(results),
            "arrived": arrived,
            "worst_joint_error_mrad": round(1000 * worst, 3),
        },
        remark=remark,
    )


EXPERIMENT = Experiment(
    name="open_manipulator_x/identify",
    title="all joints swing at four speeds with rests, to compare simulation and real arm",
    robot="open_manipulator_x",
    scene="empty",
    run=run,
)
