"""A user's path-following law: used in the place of ours, and tried out like ours."""

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, hypot, pi, sin
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import StageFailed
from mecano.core.poses import Pose2, wrap_angle
from mecano.stages.ik_stage import Check, Verdict
from mecano.stages.user_stage import UserStage

Speeds = tuple[float, float, float]
PERIOD = 0.02
"""Between two calls, when it is tried out [s]."""
SPEED = 0.25
"""Of the target [m/s]."""
SECONDS = 12.0
"""How long each path is followed [s]."""
SETTLED = 6.0
"""From then on the base must be on the path [s]."""
NEAR, ALIGNED = 0.005, 0.035
"""How near to its target that is [m], [rad]."""


@dataclass(frozen=True)
class StageController:
    """A tracking law, see `control.laws.TrackingLaw`, that asks a user's function."""

    stage: UserStage
    limits: Speeds
    """Max speeds of the base: forward, left [m/s], turn [rad/s]; left is 0 if it cannot strafe."""
    speed: Callable[[], Speeds]
    """Returns the speeds of the base now."""

    def command(self, target: Pose2, target_twist: Any, actual: Pose2) -> Array:
        """Return the twist (vx, vy, wz) that the function answers."""
        twist = [0.0] * 3 if target_twist is None else np.asarray(target_twist, float).tolist()
        answer = self.stage.call(
            [actual.x, actual.y, actual.yaw], [target.x, target.y, target.yaw], twist,
            list(self.speed()), list(self.limits),
        )  # fmt: skip
        return twist_of(answer, self.stage, strafes=self.limits[1] > 0.0)


def twist_of(value: Any, stage: UserStage, *, strafes: bool) -> Array:
    """Return a stage's answer as a twist, or say what is wrong with it."""

    def wrong(problem: str) -> StageFailed:
        wanted = "three numbers: forward, left [m/s], turn [rad/s]"
        return StageFailed(stage.contract.name, stage.source, f"{problem}; it must return {wanted}")

    if value is None:
        raise wrong("returned None (is a `return` missing?)")
    try:
        twist = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise wrong(f"returned {value!r}"[:200]) from None
    if twist.shape != (3,):
        raise wrong(f"returned numbers of shape {twist.shape}")
    if not np.isfinite(twist).all():
        raise wrong(f"returned {twist.tolist()}")
    if not strafes and abs(twist[1]) > 1e-9:
        raise wrong(f"returned {twist[1]:g} m/s to the left for a base that cannot strafe")
    return twist


# --- trying it out


@dataclass(frozen=True)
class Trial:
    """A path, a start and a base on which the function is tried."""

    name: str
    bend: float
    """Of the path [1/m]: 0 is straight on."""
    start: Pose2
    """Of the base, seen from the beginning of the path, which is at the origin."""
    limits: Speeds
    backwards: bool = False
    heading: float = 0.0
    """Of the beginning of the path [rad]."""

    def target(self, time: float) -> tuple[Pose2, Speeds]:
        """Return where to be at a time [s], and how that moves."""
        v = -SPEED if self.backwards else SPEED
        turned = v * self.bend * time
        if self.bend:
            x, y = sin(turned) / self.bend, (1.0 - cos(turned)) / self.bend
        else:
            x, y = v * time, 0.0
        pose = Pose2(0.0, 0.0, self.heading) @ Pose2(x, y, turned)
        return pose, (v * cos(pose.yaw), v * sin(pose.yaw), v * self.bend)


@dataclass
class _Driven:
    """A base without mass that drives as commanded, within its limits."""

    pose: Pose2
    speed: Speeds = (0.0, 0.0, 0.0)

    def step(self, twist: Array, limits: Speeds) -> None:
        vx, vy, wz = (
            min(max(float(value), -most), most) for value, most in zip(twist, limits, strict=True)
        )
        self.speed = vx, vy, wz
        half = self.pose.yaw + 0.5 * PERIOD * wz
        self.pose = Pose2(
            self.pose.x + PERIOD * (vx * cos(half) - vy * sin(half)),
            self.pose.y + PERIOD * (vx * sin(half) + vy * cos(half)),
            self.pose.yaw + PERIOD * wz,
        )


def judge_controller(
    stage: UserStage,
    base: Any = None,
    *,
    samples: int = 200,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Try a user's controller on paths and starts, and tell what is wrong with it.

    Args:
        stage: The user's function.
        base: Facts of the base it is for (`robots.mobile.WheeledBase`); None is one of 0.7 m/s and
            2 rad/s that cannot strafe.
        samples: Of random starts, a twentieth as many are tried on each path.
        seed: Of these starts.
        on_progress: Called with (trials done, trials in all).
    """
    trials = _trials(_limits(base), max(1, samples // 20), np.random.default_rng(seed))
    checks: dict[str, list[str]] = {trial.name: [] for trial in trials}
    tried: dict[str, int] = dict.fromkeys(checks, 0)
    for done, trial in enumerate(trials):
        try:
            checks[trial.name] += _faults(stage, trial)
        except StageFailed as failure:
            return Verdict((Check("answers with three speeds", False, failure.problem),))
        tried[trial.name] += 1
        if on_progress is not None:
            on_progress(done + 1, len(trials))
    answered = Check("answers with three speeds", True, f"{len(trials)} drives")
    rows = [
        Check(name, not faults, faults[0] if faults else f"{tried[name]} drives")
        for name, faults in checks.items()
    ]
    return Verdict((answered, *rows))


def _limits(base: Any) -> Speeds:
    if base is None:
        return 0.7, 0.0, 2.0
    strafes = "strafe" not in base.layout.missing
    return base.limits.speed, base.limits.speed if strafes else 0.0, base.limits.turn


def _trials(limits: Speeds, count: int, rng: np.random.Generator) -> list[Trial]:
    def start() -> Pose2:
        x, y, yaw = rng.uniform(-1.0, 1.0, 3).tolist()
        return Pose2(0.05 * x, 0.05 * y, 0.3 * yaw)

    def heading() -> float:
        return float(rng.uniform(-pi, pi))

    found = [Trial("keeps to a straight path from its beginning", 0.0, Pose2(), limits)]
    for _ in range(count):
        found += [
            Trial("comes back to a straight path", 0.0, start(), limits, heading=heading()),
            Trial("comes back to a bend to the left", 2.0, start(), limits, heading=heading()),
            Trial("comes back to a bend to the right", -2.0, start(), limits, heading=heading()),
            Trial("comes back to a path driven backwards", 0.0, start(), limits, backwards=True),
        ]
    across = Pose2(0.0, 0.0, 0.3)  # beyond a half turn, where angles jump
    found.append(Trial("turns the short direction", 0.0, across, limits, heading=pi - 0.1))
    return found


def _faults(stage: UserStage, trial: Trial) -> list[str]:
    """Drive once; return what was wrong, with numbers."""
    base = _Driven(Pose2(0.0, 0.0, trial.heading) @ trial.start)
    controller = StageController(stage, trial.limits, lambda: base.speed)
    turned, yaw = 0.0, base.pose.yaw
    worst = (0.0, 0.0)
    for i in range(round(SECONDS / PERIOD)):
        target, twist = trial.target(i * PERIOD)
        base.step(controller.command(target, twist, base.pose), trial.limits)
        turned += abs(wrap_angle(base.pose.yaw - yaw))
        yaw = base.pose.yaw
        if i * PERIOD > SETTLED:
            aim = trial.target((i + 1) * PERIOD)[0]
            error = hypot(base.pose.x - aim.x, base.pose.y - aim.y)
            worst = max(worst[0], error), max(worst[1], abs(wrap_angle(yaw - aim.yaw)))
    at = f"from ({trial.start.x:.3f}, {trial.start.y:.3f}) m, {trial.start.yaw:.3f} rad"
    if worst[0] > NEAR or worst[1] > ALIGNED:
        return [
            f"{at} it is still {1000 * worst[0]:.1f} mm and {worst[1]:.3f} rad away after "
            f"{SETTLED:g} s, allowed {1000 * NEAR:g} mm and {ALIGNED:g} rad"
        ]
    around = abs(SPEED * trial.bend * SECONDS) + 4.0
    if turned > around:
        return [f"{at} it turned by {turned:.1f} rad in all, enough is {around:.1f} rad"]
    return []
