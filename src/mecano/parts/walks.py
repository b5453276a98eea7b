"""A walk in progress, and how it ended."""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.parts.handle import Handle, Result
from mecano.parts.results import Ended, Outcome
from mecano.planning.corners import Action
from mecano.planning.gaits import Gait, moved
from mecano.skills.stepping import Footwork, Senses, Stepper
from mecano.skills.transition import Transition
from mecano.skills.walking import Walker

if TYPE_CHECKING:
    from mecano.parts.legs import Legs


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkResult(Ended):
    """How a walk ended."""

    outcome: Outcome
    distance: float
    """How far the body got along its way, by leg odometry [m]; turning walks by what was asked."""
    aside: float
    """How far from its straight way, by leg odometry [m]; 0 for walks that turn."""
    turned: float
    """[rad]."""
    duration: float
    """[s]."""
    waited: float
    """Of that, waiting for feet that were late [s]."""
    peak: float
    """Largest share of a cup's hold that was used up; at 1 it lets go."""
    cause: str = ""
    """What ended it, if it was not the goal."""

    @property
    def speed(self) -> float:
        """On average [m/s]."""
        return self.distance / self.duration if self.duration > 0.0 else 0.0

    @property
    def message(self) -> str:
        """The result in one sentence."""
        why = f": {self.cause}" if self.cause else ""
        return (
            f"{self.outcome} after {self.duration:.1f} s, {1000 * self.distance:.0f} mm at "
            f"{1000 * self.speed:.1f} mm/s, {1000 * self.aside:.1f} mm aside, "
            f"{math.degrees(self.turned):.2f} deg turned, cups at {100 * self.peak:.0f} % "
            f"at most{why}"
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossingResult(Ended):
    """How a way over to another surface ended."""

    outcome: Outcome
    steps: int
    """How many steps were made."""
    duration: float
    """[s]."""
    peak: float
    """Largest share of a cup's hold that was used up; at 1 it lets go."""
    cause: str = ""
    """What ended it, if it was not the goal."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        why = f": {self.cause}" if self.cause else ""
        return (
            f"{self.outcome} after {self.duration:.1f} s and {self.steps} steps, cups at "
            f"{100 * self.peak:.0f} % at most{why}"
        )


class LegsHandle(Handle[Result]):
    """Something done with all legs."""

    stepper: Stepper

    def __init__(self, legs: "Legs") -> None:
        """Begin now, if enough feet hold."""
        super().__init__(legs.session)
        self.legs, self.started = legs, legs.session.time
        self._outcome = Outcome.REACHED
        self._turned_before = legs.attitude.rotation.T.copy()
        holding = np.count_nonzero(legs.cups.holding)
        if holding < 3:
            raise InvalidInput(
                f"at least 3 feet must hold, there are {holding}; switch the cups on: "
                "robot.cups.attach()"
            )
        legs.cups.forget_peaks()

    def halt(self) -> None:
        """End it: feet in the air land, and the legs hold."""
        if not self.done:
            self.stepper.finish()
            self._outcome = Outcome.STOPPED

    def abandon(self) -> None:
        """End it on the spot; the session goes back to another time."""
        if not self.done:
            self.end(Outcome.STOPPED)

    @abstractmethod
    def end(self, outcome: Outcome) -> None:
        """Give it its result."""

    def step(self, now: float) -> None:
        """Do one tick."""
        legs, cups = self.legs, self.legs.cups
        orders = self.stepper.step(
            Senses(
                q=legs.position, effort=legs.effort, holding=cups.holding, distance=cups.distance,
                may_release=cups.objection, yaw=self.heading(),
            )
        )  # fmt: skip
        for leg in orders.off:
            cups.drive.switch(leg, False)
        for leg in orders.on:
            cups.drive.switch(leg, True)
        legs.commanded = orders.q
        if self.stepper.done:
            self.end(Outcome.BLOCKED if self.stepper.problem else self._outcome)

    def heading(self) -> float | None:
        """Return how far the body has turned since the start, by the IMU [rad]; None without."""
        return None


class Walk(LegsHandle[WalkResult]):
    """A walk over one surface."""

    def __init__(
        self, legs: "Legs", gait: Gait, *, direction: float, turn: float, speed: float | None,
        height: float | None, lift: float, distance: float | None, time: float | None,
        scatter: float = 0.0,
    ) -> None:  # fmt: skip
        """Check that the steps fit, and begin."""
        fast = gait.speed if speed is None else speed
        fast = finite_number(fast, name="speed of the walk [m/s]", lower=0.0)
        direction = finite_number(direction, name="direction [rad]")
        turn = finite_number(turn, name="turn [rad/s]")
        if fast == 0.0 and turn == 0.0:
            raise InvalidInput("a walk needs a speed [m/s] or a turn [rad/s] other than 0")
        super().__init__(legs)
        _check_feet(legs)
        self.gait, self.direction, self.limit, self.time = gait, direction, distance, time
        twist = np.array([fast * math.cos(direction), fast * math.sin(direction), turn])
        footholds = legs.footholds(height)
        lift = finite_number(lift, name="lift [m]", lower=0.005, upper=0.08)
        _check_steps(legs, gait, footholds, twist, lift)
        self.walker = Walker(
            legs.kinematics, gait, footholds, tick=legs.tick, q=legs.position,
            commanded=legs.commanded, holding=legs.cups.holding, footwork=Footwork(lift=lift),
            scatter=self._scatter(scatter),
        )  # fmt: skip
        self.walker.go(twist)
        self.stepper = self.walker

    def _scatter(self, spread: float) -> Callable[[], Array] | None:
        """Return what gives the errors of footholds, with this spread [m]."""
        if finite_number(spread, name="scatter [m]", lower=0.0, upper=0.02) == 0.0:
            return None
        rng = self.legs.session.random.get("footholds")
        return lambda: spread * rng.standard_normal(2)

    @property
    def gone(self) -> float:
        """How far the body got along its way, by leg odometry [m]."""
        if self.walker.reference[2]:
            return self.walker.gone
        return float(self._along() @ self.walker.odometry.position[:2])

    def _along(self) -> Array:
        return np.array([math.cos(self.direction), math.sin(self.direction)])

    def step(self, now: float) -> None:
        """Do one tick; at its goal the walk comes to rest."""
        walker = self.walker
        there = self.limit is not None and walker.gone + walker.braking >= self.limit
        if there or (self.time is not None and now - self.started >= self.time):
            self.walker.finish()
        super().step(now)

    def heading(self) -> float | None:
        """Return how far the body has turned since the start, by the IMU [rad]."""
        if not self.legs.uses_imu:
            return None
        R = self._turned_before @ self.legs.attitude.rotation
        return math.atan2(R[1, 0], R[0, 0])

    def end(self, outcome: Outcome) -> None:
        """Give it its result."""
        walker, cups = self.walker, self.legs.cups
        odometry = walker.odometry
        across = np.array([-math.sin(self.direction), math.cos(self.direction)])
        turns = abs(walker.reference[2]) > 1e-9
        self.finish(
            WalkResult(
                outcome=outcome,
                distance=self.gone,
                aside=0.0 if turns else float(across @ odometry.position[:2]),
                turned=odometry.yaw,
                duration=self.legs.session.time - self.started,
                waited=walker.waited,
                peak=float(cups.peaks.max()),
                cause=walker.problem,
            )
        )


class Crossing(LegsHandle[CrossingResult]):
    """A path over to another surface."""

    def __init__(self, legs: "Legs", actions: Sequence[Action]) -> None:
        """Begin a plan; it is in the frame of the body as it stands now."""
        super().__init__(legs)
        self.stepper = Transition(
            legs.kinematics, actions, tick=legs.tick, q=legs.position, commanded=legs.commanded,
            holding=legs.cups.holding,
        )  # fmt: skip

    def end(self, outcome: Outcome) -> None:
        """Give it its result."""
        self.finish(
            CrossingResult(
                outcome=outcome,
                steps=int(self.stepper.steps.sum()),
                duration=self.legs.session.time - self.started,
                peak=float(self.legs.cups.peaks.max()),
                cause=self.stepper.problem,
            )
        )


def _check_feet(legs: "Legs") -> None:
    """Raise if any step would leave fewer than three feet."""
    holding = legs.cups.holding
    if np.count_nonzero(holding) == 3:
        loose = [number for number, holds in enumerate(holding, start=1) if not holds]
        raise InvalidInput(
            f"cups {', '.join(map(str, loose))} do not hold, so every step would leave 2 feet, at "
            "least 3 are needed; set them down and switch them on: "
            f"robot.cups.attach({loose[0]})"
        )


def _check_steps(legs: "Legs", gait: Gait, footholds: Array, twist: Array, lift: float) -> None:
    """Raise unless every leg reaches both ends of its step, on the surface and lifted."""
    half = 0.5 * gait.stance
    for time in (half, -half):
        ends = moved(footholds, twist, time)
        for up in (0.0, lift):
            q = legs.kinematics.inverse(ends + np.array([0.0, 0.0, up]))
            bad = np.flatnonzero(~np.isfinite(q).all(axis=1))
            if len(bad):
                long = float(np.linalg.norm(ends[bad[0], :2] - footholds[bad[0], :2]))
                lifted = f", lifted by {1000 * up:.0f} mm" if up else ""
                less = ", lift less" if up else ""
                raise InvalidInput(
                    f"leg {bad[0] + 1} cannot make this step: {1000 * long:.0f} mm to each side of "
                    f"its foothold{lifted}; walk slower, turn slower{less}, or take another height"
                )
