"""A crawl in progress: the body moves over its feet, a foot swings, and so on; leg odometry."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.parts.handle import Handle
from mecano.parts.results import Ended, Outcome
from mecano.planning.crawl import Step, compose, crawl, placed, seen_from, shares

if TYPE_CHECKING:
    from mecano.parts.standing_legs import StandingLegs

MARGIN = 0.12
"""Of the centre of mass inside the polygon of the standing feet, in parts of the height."""
SHIFT_TIME, SWING_TIME = 0.5, 0.5
"""For moving the body, and a foot, of a robot whose centre of mass is `LEGGED` high [s]."""
LEGGED = 0.3
"""[m]."""
LOST = 0.35
"""A joint that is further than this from its command ends a walk [rad or m]."""
CARRIED = 0.4
"""Feet that press on the floor with less than this share of the weight do not carry the robot."""
CROUCHES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
"""How much lower than it stands a robot walks, in parts of its height: the first that its legs
reach."""
CROUCH_TIME = 1.0
"""[s]."""
SAMPLES = 8
"""Points of each step at which the reach of the legs is checked before a walk."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CrawlResult(Ended):
    """How a crawl ended."""

    outcome: Outcome
    distance: float
    """How far the body got in its direction, by leg odometry [m]."""
    aside: float
    """How far to the left of it, by leg odometry [m]."""
    turned: float
    """[rad]."""
    steps: int
    """How many steps were made."""
    margin: float
    """Least distance of the centre of mass from the edge of the standing feet, as planned [m]."""
    duration: float
    """[s]."""
    cause: str = ""
    """What ended it, if it was not the goal."""

    @property
    def speed(self) -> float:
        """On average [m/s]."""
        return self.distance / self.duration if self.duration > 0.0 else 0.0

    @property
    def peak(self) -> float:
        """Share of a cup's hold that was used up: these feet have none."""
        return 0.0

    @property
    def message(self) -> str:
        """The result in one sentence."""
        why = f": {self.cause}" if self.cause else ""
        return (
            f"{self.outcome} after {self.duration:.1f} s and {self.steps} steps, "
            f"{1000 * self.distance:.0f} mm at {1000 * self.speed:.1f} mm/s, "
            f"{1000 * self.aside:.1f} mm aside, {math.degrees(self.turned):.1f} deg turned{why}"
        )


class CrawlHandle(Handle[CrawlResult]):
    """A crawl in progress."""

    def __init__(
        self, legs: "StandingLegs", *, way: Array, turn: float, speed: float | None,
        distance: float | None, time: float | None, stride: float, lift: float,
    ) -> None:  # fmt: skip
        """Plan all steps, check that the legs reach them, and begin."""
        super().__init__(legs.session)
        self.legs, self._way, self._lift = legs, way, lift
        self.started, self._phase_began = legs.session.time, legs.session.time
        slow = math.sqrt(max(legs.height, 0.05) / LEGGED)
        cycle = slow * len(legs) * (SHIFT_TIME + SWING_TIME)
        cycles, travel, cycle = _cycles(way, turn, speed, distance, time, stride, cycle)
        share = SHIFT_TIME / (SHIFT_TIME + SWING_TIME)
        self._times = share * cycle / len(legs), (1.0 - share) * cycle / len(legs)
        self._home = np.array([foot.at(foot.arm.commanded) for foot in legs.feet])
        self._bent_from = [arm.commanded.copy() for arm in legs]
        self._mass = legs.mass()[:2]
        steps = crawl(
            self._home[:, :2], self._mass, travel, cycles,
            margin=MARGIN * legs.height, order=_order(self._home[:, :2], travel),
        )  # fmt: skip
        self._end = np.zeros(3)
        for _ in range(cycles):
            self._end = compose(self._end, travel)
        self._steps = list(steps)
        self._bent = self._crouch(self._steps[: len(legs)])
        self._phases = self._plan()
        self._body, self._standing = np.zeros(3), self._home.copy()
        self._phase: _Phase | None = None
        self._made, self._stopping = 0, False
        self._odometry, self._tracked = np.zeros(3), self._home[:, :2].copy()
        self._landed = [foot.rotation(q) for foot, q in zip(legs.feet, self._bent, strict=True)]
        """How the last links were turned when their feet touched down, in the start's frame."""
        self._before = shares(self._home[:, :2], self._mass)
        """What share of the weight each foot carried at the end of the last phase."""
        self._outcome, self._fallen = Outcome.REACHED, ""

    def _plan(self) -> Iterator["_Phase"]:
        for step in self._steps:
            yield _Phase(step, "shift")
            yield _Phase(step, "swing")

    def halt(self) -> None:
        """End it when the foot in the air has landed."""
        if not self.done:
            self._stopping, self._outcome = True, Outcome.STOPPED

    def abandon(self) -> None:
        """End it on the spot; the session goes back to another time."""
        if not self.done:
            self._finish(Outcome.STOPPED)

    def step(self, now: float) -> None:
        """Do one tick."""
        if self._phase is None and now - self.started < CROUCH_TIME:
            self._bend(smooth((now - self.started + self.legs.tick) / CROUCH_TIME))
            return
        ended = self._phase is None or self._elapsed(now) >= self._duration(self._phase)
        if ended and not self._next(now):
            return
        assert self._phase is not None
        share = smooth(min(self._elapsed(now) / self._duration(self._phase), 1.0))
        self._command(share)
        error = max(float(np.abs(a.position - a.commanded).max()) for a in self.legs)
        if error > LOST:
            cause = f"a joint is {error:.2f} rad or m from its command: fallen, stuck or too weak"
            self._finish(Outcome.BLOCKED, cause)

    def _bend(self, share: float) -> None:
        """Bring the legs to the height of the walk."""
        for number, foot in enumerate(self.legs.feet):
            arm, start = foot.arm, self._bent_from[number]
            q = start + min(share, 1.0) * (self._bent[number] - start)
            load = foot.load(q, min(share, 1.0) * self.legs.weight * self._before[number])
            arm.send(q, (q - arm.commanded) / self.legs.tick, load)

    def _elapsed(self, now: float) -> float:
        return now - self._phase_began + self.legs.tick

    def _duration(self, phase: "_Phase") -> float:
        return self._times[1 if phase.kind == "swing" else 0]

    def _next(self, now: float) -> bool:
        """Go on to the next phase; return False if the walk has ended."""
        before = self._phase
        if before is not None:
            self._before = self._carried(1.0)
            self._body, self._standing = before.done(self._body, self._standing)
            self._made += before.kind == "swing"
            self._measure(before)
        if self._fallen:
            self._finish(Outcome.BLOCKED, self._fallen)
            return False
        self._phase_began = now - self.legs.tick
        if before is not None and before.kind == "last":
            self._finish(self._outcome)
            return False
        on_feet = before is None or before.kind == "swing"
        phase = None if self._stopping and on_feet else next(self._phases, None)
        if phase is None:
            target = self._middle() if self._stopping else self._end
            phase = _Phase(_still(self._body, target), "last")
        self._phase = phase
        return True

    def _middle(self) -> Array:
        """Return where the body is above its feet as it was at the start."""
        off = placed(self._body, self._home[:, :2]) - self._standing[:, :2]
        return self._body - np.append(off.mean(axis=0), 0.0)

    def _command(self, share: float) -> None:
        """Command all legs for a share of the phase.

        Where feet are balls, a foot that stands rolls as its leg turns.
        """
        phase = self._phase
        assert phase is not None
        body, feet = phase.at(share, self._body, self._standing, self._lift)
        air = phase.step.leg if phase.kind == "swing" else -1
        carried = self._carried(share)
        for number, foot in enumerate(self.legs.feet):
            arm = foot.arm
            stays = 1.0 - share if number == air else 1.0
            rolled = stays * self._rolled(number, body, arm.commanded)
            point = np.append(seen_from(body, feet[number, :2] + rolled), feet[number, 2])
            q = foot.joints(point, arm.commanded)
            if q is None:
                self._finish(Outcome.BLOCKED, f"leg {arm.name} does not reach its next point")
                return
            load = foot.load(q, self.legs.weight * carried[number])
            arm.send(q, (q - arm.commanded) / self.legs.tick, load)

    def _carried(self, share: float) -> Array:
        """Return what share of the weight each foot carries; it changes as the body moves."""
        phase, body = self._phase, self._body
        assert phase is not None
        if phase.kind != "swing":
            body = phase.step.body[1]
        air = None if phase.kind == "last" else phase.step.leg
        goal = shares(self._standing[:, :2], placed(body, self._mass), air)
        part = 1.0 if phase.kind == "swing" else share
        return (1.0 - part) * self._before + part * goal

    def _rolled(self, number: int, body: Array, q: Array) -> Array:
        """Return how far a foot rolled since it touched down, in the frame of the start [m]."""
        foot = self.legs.feet[number]
        return foot.rolled(self._landed[number], heading(body) @ foot.rotation(q))

    def _measure(self, phase: "_Phase") -> None:
        """Follow the body by feet that stand, by the encoders; put down the one that swung."""
        tips = np.array(
            [
                foot.at(foot.arm.position)[:2]
                - seen_from(
                    np.append(np.zeros(2), self._odometry[2]),
                    self._rolled(number, self._odometry, foot.arm.position),
                )
                for number, foot in enumerate(self.legs.feet)
            ]
        )
        pressed = sum(foot.pressed() for foot in self.legs.feet)
        if pressed < CARRIED * self.legs.weight:
            self._fallen = (
                f"its feet press on the floor with {pressed:.0f} N, it weighs "
                f"{self.legs.weight:.0f} N: it fell, or lies on something"
            )
        stood = np.arange(len(tips)) != (phase.step.leg if phase.kind == "swing" else -1)
        self._odometry = fit_pose(tips[stood], self._tracked[stood])
        if phase.kind == "swing":
            leg = phase.step.leg
            foot = self.legs.feet[leg]
            self._landed[leg] = heading(self._body) @ foot.rotation(foot.arm.commanded)
            self._tracked[leg] = placed(self._odometry, foot.at(foot.arm.position)[:2])

    def _crouch(self, steps: list[Step]) -> list[Array]:
        """Lower the body until the legs reach a whole cycle; return the joint values of each leg.

        Raises:
            InvalidInput: They reach it at no height.
        """
        level, problem = self._home.copy(), ""
        for share in CROUCHES:
            self._home[:, 2] = level[:, 2] + share * self.legs.height
            starts = [
                foot.bent(point, foot.arm.commanded)
                for foot, point in zip(self.legs.feet, self._home, strict=True)
            ]
            bent = [q for q in starts if q is not None]
            problem = self._short_leg(steps, bent) if len(bent) == len(starts) else problem
            if len(bent) == len(starts) and not problem:
                return bent
        raise InvalidInput(
            f"{problem or 'its legs'} cannot make such a step; walk slower, turn slower, lift "
            "less, or bend the legs first"
        )

    def _short_leg(self, steps: list[Step], q: list[Array]) -> str:
        """Return which leg does not reach a step, from these joint values; "" if all do."""
        body, standing, q = np.zeros(3), self._home.copy(), list(q)
        for phase in [_Phase(step, kind) for step in steps for kind in ("shift", "swing")]:
            for share in np.linspace(0.0, 1.0, SAMPLES):
                at, feet = phase.at(share, body, standing, self._lift)
                seen = np.column_stack([seen_from(at, feet[:, :2]), feet[:, 2]])
                for number, foot in enumerate(self.legs.feet):
                    found = foot.joints(seen[number], q[number])
                    if found is None:
                        long = 1e3 * np.linalg.norm(phase.step.foot[1] - phase.step.foot[0])
                        return f"leg {foot.arm.name} (step {long:.0f} mm)"
                    q[number] = found
            body, standing = phase.done(body, standing)
        return ""

    def _finish(self, outcome: Outcome, cause: str = "") -> None:
        for foot, carried in zip(self.legs.feet, self._before, strict=True):
            q = foot.arm.commanded
            foot.arm.send(q, np.zeros(len(q)), foot.load(q, self.legs.weight * carried))
        along, left = self._way, np.array([-self._way[1], self._way[0]])
        moved = self._odometry[:2]
        self.finish(
            CrawlResult(
                outcome=outcome, distance=float(along @ moved), aside=float(left @ moved),
                turned=float(self._odometry[2]), steps=self._made,
                margin=min((step.margin for step in self._steps), default=0.0),
                duration=self.legs.session.time - self.started, cause=cause,
            )
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Phase:
    """The body moves, a foot swings, or the body moves to the end."""

    step: Step
    kind: str

    def at(self, share: float, body: Array, feet: Array, lift: float) -> tuple[Array, Array]:
        """Return body and feet when a share of the phase is over."""
        if self.kind != "swing":
            return (1.0 - share) * self.step.body[0] + share * self.step.body[1], feet
        feet = feet.copy()
        start, end = self.step.foot
        feet[self.step.leg, :2] = (1.0 - share) * start + share * end
        feet[self.step.leg, 2] += lift * math.sin(math.pi * share)
        return body, feet

    def done(self, body: Array, feet: Array) -> tuple[Array, Array]:
        """Return body and feet after the phase."""
        if self.kind != "swing":
            return self.step.body[1], feet
        feet = feet.copy()
        feet[self.step.leg, :2] = self.step.foot[1]
        return body, feet


def _still(start: Array, end: Array) -> Step:
    """Return a motion of the body in which no foot steps."""
    nowhere = np.zeros(2)
    return Step(0, (start, end), (nowhere, nowhere), math.inf)


def _cycles(
    way: Array, turn: float, speed: float | None, distance: float | None, time: float | None,
    stride: float, cycle: float,
) -> tuple[int, Array, float]:  # fmt: skip
    """Return how many cycles to walk, how far the body goes in each, and how long one takes [s]."""
    fastest = stride / cycle
    if speed is not None and speed > fastest:
        raise InvalidInput(
            f"speed of the walk [m/s] is {speed:g}, these legs crawl at up to {fastest:.3g}"
        )
    mean = fastest if speed is None else speed
    if mean == 0.0 and turn == 0.0:
        raise InvalidInput("a walk needs a speed [m/s] or a turn [rad/s] other than 0")
    if distance is not None and mean > 0.0:
        count = max(math.ceil(distance / stride - 1e-9), 1)
        length = distance / count
        cycle = max(cycle, length / mean)
    else:
        count = max(round((time or cycle) / cycle), 1)
        length = mean * cycle
    return count, np.append(length * way, turn * cycle), cycle


def _order(feet: Array, travel: Array) -> list[int]:
    """Return the order of the legs: side by side, each side from the rear to the front."""
    along = travel[:2] if np.linalg.norm(travel[:2]) > 1e-9 else np.array([1.0, 0.0])
    along = along / np.linalg.norm(along)
    left = np.array([-along[1], along[0]])
    middle = feet.mean(axis=0)
    right_first = [bool((foot - middle) @ left > 0.0) for foot in feet]
    return sorted(range(len(feet)), key=lambda i: (right_first[i], float(feet[i] @ along)))


def fit_pose(seen: Array, known: Array) -> Array:
    """Return the pose, (x, y, heading), from which known points are seen where they are.

    Args:
        seen: Points in the frame of the body [m]. Shape (n, 2).
        known: The same in the frame of the start. Shape (n, 2).
    """
    a, b = seen - seen.mean(axis=0), known - known.mean(axis=0)
    heading = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a * b).sum()))
    pose = np.array([0.0, 0.0, heading])
    pose[:2] = known.mean(axis=0) - placed(pose, seen.mean(axis=0))
    return pose


def heading(pose: Array) -> Array:
    """Return the rotation of a pose, (x, y, heading), about the vertical. Shape (3, 3)."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def smooth(share: float) -> float:
    """Return a share of a motion that begins and ends at rest, without a jump of acceleration."""
    return share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
