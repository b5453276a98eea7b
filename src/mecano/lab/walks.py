"""A walk in progress, and how it ended."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.lab.results import Outcome
from mecano.planning.gaits import Gait, moved
from mecano.skills.walking import Footwork, Senses, Walker

if TYPE_CHECKING:
    from mecano.lab.legs import Legs


@dataclass(frozen=True, eq=False, kw_only=True)
class WalkResult:
    """How a walk ended."""

    outcome: Outcome
    distance: float
    """How far the body got along its way, by leg odometry [m]."""
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
    def reached(self) -> bool:
        """True if it ended where it should."""
        return self.outcome is Outcome.REACHED

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


class Walk:
    """The handle of a walk: ask it, wait for it, stop it."""

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
        self.legs, self.gait = legs, gait
        self.direction, self.limit, self.time = direction, distance, time
        self.result: WalkResult | None = None
        self.started = legs.session.time
        twist = np.array([fast * math.cos(direction), fast * math.sin(direction), turn])
        footholds = legs.footholds(height)
        lift = finite_number(lift, name="lift [m]", lower=0.005, upper=0.08)
        _check_steps(legs, gait, footholds, twist, lift)
        holding = legs.cups.holding
        if np.count_nonzero(holding) < 3:
            raise InvalidInput(
                f"a walk needs at least 3 feet that hold, there are {np.count_nonzero(holding)}; "
                "switch the cups on: robot.cups.attach()"
            )
        self.walker = Walker(
            legs.kinematics, gait, footholds, tick=legs.tick, q=legs.position,
            commanded=legs.commanded, holding=holding, footwork=Footwork(lift=lift),
            scatter=self._scatter(scatter),
        )  # fmt: skip
        self.walker.go(twist)
        self._turned_before = legs.attitude.rotation.T
        legs.cups.forget_peaks()

    def _scatter(self, spread: float) -> Callable[[], Array] | None:
        """Return what gives the errors of footholds, with this spread [m]."""
        if finite_number(spread, name="scatter [m]", lower=0.0, upper=0.02) == 0.0:
            return None
        rng = self.legs.session.random.get("footholds")
        return lambda: spread * rng.standard_normal(2)

    @property
    def done(self) -> bool:
        """True when the walk has ended, in whatever way."""
        return self.result is not None

    def wait(self, timeout: float | None = None) -> WalkResult | None:
        """Let time pass until it has ended; return the result, or None at the timeout [s]."""
        self.legs.session.wait_until(lambda: self.done, timeout=timeout)
        return self.result

    def stop(self) -> None:
        """End it: feet in the air land, and the legs hold."""
        if not self.done:
            self.walker.finish()
            self._outcome = Outcome.STOPPED

    _outcome = Outcome.REACHED

    def abandon(self) -> None:
        """End it on the spot; the session goes back to another time."""
        if not self.done:
            self._end(Outcome.STOPPED)

    @property
    def gone(self) -> float:
        """How far the body got along its way, by leg odometry [m]."""
        return float(self._along() @ self.walker.odometry.position[:2])

    def _along(self) -> Array:
        return np.array([math.cos(self.direction), math.sin(self.direction)])

    def step(self, now: float) -> None:
        """Do one tick."""
        legs, walker = self.legs, self.walker
        straight = float(self._along() @ walker.reference[:2])
        if (self.limit is not None and straight >= self.limit) or (
            self.time is not None and now - self.started >= self.time
        ):
            walker.finish()
        orders = walker.step(
            Senses(
                q=legs.position,
                holding=legs.cups.holding,
                distance=legs.cups.distance,
                may_release=legs.cups.objection,
                yaw=self._heading(),
            )
        )
        for leg in orders.off:
            legs.cups.drive.switch(leg, False)
        for leg in orders.on:
            legs.cups.drive.switch(leg, True)
        legs.commanded = orders.q
        if walker.done:
            self._end(Outcome.BLOCKED if walker.problem else self._outcome)

    def _heading(self) -> float | None:
        """Return how far the body has turned since the start, by the IMU [rad]."""
        if not self.legs.uses_imu:
            return None
        R = self._turned_before @ self.legs.attitude.rotation
        return math.atan2(R[1, 0], R[0, 0])

    def _end(self, outcome: Outcome) -> None:
        walker, cups = self.walker, self.legs.cups
        odometry = walker.odometry
        across = np.array([-math.sin(self.direction), math.cos(self.direction)])
        turns = abs(walker.reference[2]) > 1e-9
        self.result = WalkResult(
            outcome=outcome,
            distance=self.gone,
            aside=0.0 if turns else float(across @ odometry.position[:2]),
            turned=odometry.yaw,
            duration=self.legs.session.time - self.started,
            waited=walker.waited,
            peak=float(cups.peaks.max()),
            cause=walker.problem,
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
                raise InvalidInput(
                    f"leg {bad[0] + 1} cannot make this step: {1000 * long:.0f} mm to each side of "
                    f"its foothold, lifted by {1000 * up:.0f} mm; walk slower, turn slower, lift "
                    "less, or take another height"
                )
