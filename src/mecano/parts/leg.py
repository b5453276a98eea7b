"""One leg that a user programs: its moves and their handles."""

from typing import TYPE_CHECKING, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.legs import BRANCHES, LegChain
from mecano.parts.handle import Handle
from mecano.parts.results import MotionResult, Outcome
from mecano.planning.trajectories import JointMove

if TYPE_CHECKING:
    from mecano.parts.legs import Legs

SETTLED_ANGLE, SETTLED_SPEED, SETTLE_TIME = 0.006, 0.05, 2.0
"""A joint is at its goal within this [rad], at rest below this [rad/s]; it may take this long [s].
One count of the encoder is 0.0056 rad."""


class LegMotion(Handle[MotionResult]):
    """A motion of a leg."""

    def __init__(self, leg: "Leg", move: JointMove | None, result: MotionResult | None) -> None:
        """Make a motion that has not begun, or one that ended before it began."""
        super().__init__(leg.legs.session)
        self.leg, self.move, self.started = leg, move, leg.legs.session.time
        if result is not None:
            self.finish(result)

    def halt(self) -> None:
        """End it here; the leg holds."""
        if not self.done:
            self.end(Outcome.STOPPED)

    def step(self, now: float) -> None:
        """Command the leg for this tick."""
        assert self.move is not None
        elapsed = now - self.started + self.leg.legs.tick
        self.leg.command(self.move.at(elapsed)[0])
        late = elapsed - self.move.duration
        if late > 0.0:
            slow = np.abs(self.leg.velocity).max() < SETTLED_SPEED
            near = np.abs(self.leg.position - self.leg.commanded).max() < SETTLED_ANGLE
            if slow and near:
                self.end(Outcome.REACHED)
            elif late > SETTLE_TIME:
                self.end(Outcome.TIMED_OUT)

    def end(self, outcome: Outcome) -> None:
        """Give the motion its result."""
        leg = self.leg
        self.finish(
            MotionResult(
                outcome=outcome,
                duration=leg.legs.session.time - self.started,
                joint_error=float(np.abs(leg.position - leg.commanded).max()),
                position_error=float(np.linalg.norm(leg.tip - leg.chain.tip(leg.commanded))),
            )
        )


class Leg:
    """One leg. Points are where its tip is, in the body's frame [m]; angles in rad."""

    def __init__(self, legs: "Legs", number: int, chain: LegChain) -> None:
        """Take its place among the legs; numbers count from 1."""
        self.legs, self.number, self.chain = legs, number, chain
        self.motion: LegMotion | None = None

    def __repr__(self) -> str:
        x, y, z = self.tip
        return f"<Leg {self.number}: tip at {x:.3f} {y:.3f} {z:.3f} m in the body's frame>"

    @property
    def position(self) -> Array:
        """Joint values by the encoders [rad]. Shape (joints,)."""
        return self.legs.position[self.number - 1]

    @property
    def velocity(self) -> Array:
        """Joint velocities [rad/s]. Shape (joints,)."""
        return self.legs.velocity[self.number - 1]

    @property
    def commanded(self) -> Array:
        """Joint values last commanded [rad]. Shape (joints,)."""
        return self.legs.commanded[self.number - 1]

    @property
    def tip(self) -> Array:
        """Where the tip is, by the encoders [m]. Shape (3,)."""
        return self.chain.tip(self.position)

    def command(self, q: Array) -> None:
        """Set the joint values to be held from now on [rad]."""
        self.legs.commanded[self.number - 1] = q
        self.legs.tell()

    @overload
    def move_to(
        self,
        point: ArrayLike,
        *,
        branch: str | None = None,
        speed: float = 1.0,
        wait: Literal[True] = True,
    ) -> MotionResult: ...
    @overload
    def move_to(
        self,
        point: ArrayLike,
        *,
        branch: str | None = None,
        speed: float = 1.0,
        wait: Literal[False],
    ) -> LegMotion: ...
    def move_to(
        self, point: ArrayLike, *, branch: str | None = None, speed: float = 1.0, wait: bool = True
    ) -> MotionResult | LegMotion:
        """Move the tip to a point of the body's frame [m].

        Args:
            point: Where to.
            branch: "up" or "down" for the knee, "folded_up" and "folded_down" for a leg folded back
                across its hip; None takes the way that is nearest.
            speed: Fraction of the legs' own speed, above 0 and up to 1.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        if branch is not None and (not isinstance(branch, str) or branch not in BRANCHES):
            raise UnknownName("branch", str(branch), BRANCHES)
        answer = self.chain.inverse(point, start=self.commanded)
        found = answer.solutions
        if branch is not None:
            found = np.array([q for q in found if self.chain.leg.branch(q) == branch])
        if not len(found):
            missed = MotionResult(outcome=Outcome.UNREACHABLE, ik=answer)
            if answer.reached:  # only not with this knee
                ways = {self.chain.leg.branch(q) for q in answer.solutions}
                raise InvalidInput(
                    f"leg {self.number} reaches this point, but not with branch '{branch}'; "
                    f"it can with: {', '.join(sorted(ways))}"
                )
            motion = LegMotion(self, None, missed)
            return motion.wait() if wait else motion
        return self.move_joints(found[0], speed=speed, wait=wait)

    @overload
    def move_joints(
        self, goal: ArrayLike | str, *, speed: float = 1.0, wait: Literal[True] = True
    ) -> MotionResult: ...
    @overload
    def move_joints(
        self, goal: ArrayLike | str, *, speed: float = 1.0, wait: Literal[False]
    ) -> LegMotion: ...
    def move_joints(
        self, goal: ArrayLike | str, *, speed: float = 1.0, wait: bool = True
    ) -> MotionResult | LegMotion:
        """Move the joints to given values [rad], or to a named posture. See `move_to`."""
        if isinstance(goal, str):
            if goal not in self.chain.postures:
                raise UnknownName("posture", goal, self.chain.postures)
            goal = self.chain.postures[goal]
        target = self.chain.dh.check(goal, limits=True)
        with self.legs.session.commanding():
            self.legs.require_free(self.number)
            if self.motion is not None and not self.motion.done:
                self.motion.end(Outcome.REPLACED)
            move = JointMove(self.commanded, target, self.legs.bounds.scaled(speed))
            self.motion = LegMotion(self, move, None)
        motion = self.motion
        return motion.wait() if wait else motion
