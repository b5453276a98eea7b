"""The hand a user programs: postures, grasps that close by one number, fingers that are stopped."""

from dataclasses import dataclass
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.devices import JointSensor, Servos
from mecano.core.errors import InvalidInput
from mecano.parts.handle import Handle
from mecano.parts.part import JointedPart
from mecano.parts.results import Ended, Outcome
from mecano.planning.trajectories import Bounds, JointMove
from mecano.robots.hands import HandFacts
from mecano.session.session import Session

RAMP = 0.1
"""Time from rest to full speed [s], and again that for the acceleration itself (EST)."""
STILL = 0.05
"""A joint slower than this is at rest [rad/s]."""
REST_TICKS = 5
"""All must be so for this many ticks in a row."""
LATEST = 2.0
"""Fingers that still move this long after they should be there are waited for no more [s]."""
SHORT = 0.06
"""A joint that rests this far from where it was sent is held up by something [rad]: friction alone
leaves 0.02 rad."""


@dataclass(frozen=True, kw_only=True)
class HandResult(Ended):
    """How a motion of a hand ended."""

    outcome: Outcome
    duration: float
    """[s]."""
    joint_error: float
    """Largest distance of a joint from its goal [rad]."""
    stopped: tuple[str, ...]
    """Fingers that something holds up: those that grasp."""
    torque: float
    """Largest torque of a motor [N m]."""

    @property
    def failed(self) -> bool:
        """True if the fingers neither arrived nor grasp something."""
        grasps = self.outcome is Outcome.STOPPED and bool(self.stopped)
        return not (self.reached or grasps)

    @property
    def message(self) -> str:
        """The result in one sentence."""
        held = f", {' and '.join(self.stopped)} held up" if self.stopped else ""
        return (
            f"{self.outcome} after {self.duration:.2f} s, {self.joint_error:.3f} rad from the "
            f"goal{held}, {self.torque:.2f} N m at most"
        )


class HandMotion(Handle[HandResult]):
    """A motion of a hand."""

    def __init__(self, hand: "Hand", move: JointMove) -> None:
        """Begin now, along a motion of all joints."""
        super().__init__(hand.session)
        self.hand, self.move, self.started = hand, move, hand.session.time
        self._at_rest = 0

    def halt(self) -> None:
        """End it here; fingers that press go on pressing."""
        if not self.done:
            self.hand.stop()

    def step(self, now: float) -> None:
        """Send the fingers on, and look whether they are at rest."""
        passed = now - self.started + self.hand.tick
        self.hand.send(*self.move.at(passed))
        moving = passed < self.move.duration or np.abs(self.hand.velocity).max() > STILL
        self._at_rest = 0 if moving else self._at_rest + 1
        if self._at_rest >= REST_TICKS:
            self.end(Outcome.REACHED)
        elif passed > self.move.duration + LATEST:
            self.end(Outcome.TIMED_OUT)

    def end(self, outcome: Outcome) -> None:
        """Give the motion its result; fingers that are held up have not reached."""
        hand = self.hand
        stopped = hand.stopped
        if outcome is Outcome.REACHED and stopped:
            outcome = Outcome.STOPPED
        self.finish(
            HandResult(
                outcome=outcome,
                duration=hand.session.time - self.started,
                joint_error=float(np.abs(hand.commanded - hand.position).max()),
                stopped=stopped,
                torque=float(np.abs(hand.effort).max()),
            )
        )


class Hand(JointedPart):
    """A hand with fingers. Angles in rad, torques in N m, joints finger by finger."""

    kind = "hand"

    def __init__(
        self,
        session: Session,
        facts: HandFacts,
        *,
        arm: str,
        joints: JointSensor,
        drives: Servos,
        tick: float,
    ) -> None:
        """Join the facts with the devices. `mecano.connect` does this."""
        self.session, self.facts, self.tick = session, facts, tick
        self.name, self.arm, self.encoders = f"{arm} hand", arm, joints
        self.motion: HandMotion | None = None
        self._joints, self._drives = joints, drives
        self.commanded = joints.position.copy()
        """The joint values last commanded [rad]."""
        self._speed = np.zeros(len(self.commanded))
        session.steppers.append(self)

    @property
    def units(self) -> tuple[str, ...]:
        """Units of its joints."""
        return ("rad",) * len(self.facts.joints)

    def summary(self) -> str:
        """Return fingers and joints in a line."""
        fingers = ", ".join(finger.name for finger in self.facts.fingers)
        return f"on arm '{self.arm}', {len(self.facts.joints)} joints, fingers {fingers}"

    def targets(self) -> Array:
        """Return the commanded joint positions [rad]."""
        return self.commanded

    @property
    def stopped(self) -> tuple[str, ...]:
        """Fingers that rest short of where they were sent: something is in their way."""
        short = np.abs(self.commanded - self.position) > SHORT
        first = 0
        found = []
        for finger in self.facts.fingers:
            last = first + len(finger.joints)
            if short[first:last].any():
                found.append(finger.name)
            first = last
        return tuple(found)

    @overload
    def move(
        self, goal: ArrayLike | str, *, speed: float = 1.0, wait: Literal[True] = True
    ) -> HandResult: ...
    @overload
    def move(
        self, goal: ArrayLike | str, *, speed: float = 1.0, wait: Literal[False]
    ) -> HandMotion: ...
    def move(
        self, goal: ArrayLike | str, *, speed: float = 1.0, wait: bool = True
    ) -> HandResult | HandMotion:
        """Move all joints to given values [rad], or to a named posture.

        Args:
            goal: Joint values, finger by finger, or a posture: see `facts.postures`.
            speed: Fraction of the hand's own speed, above 0 and up to 1.
            wait: Let time pass until the fingers rest, and return the result; else a handle.
        """
        target = self.facts.posture(goal) if isinstance(goal, str) else self.facts.check(goal)
        own = self.facts.speed
        bounds = Bounds(velocity=own, acceleration=own / RAMP, jerk=own / RAMP**2).scaled(speed)
        with self.session.commanding():
            self._end_motion(Outcome.REPLACED)
            move = JointMove(self.commanded, target, bounds, start_velocity=self._speed)
            motion = self.motion = HandMotion(self, move)
        return motion.wait() if wait else motion

    @overload
    def open(self, *, speed: float = 1.0, wait: Literal[True] = True) -> HandResult: ...
    @overload
    def open(self, *, speed: float = 1.0, wait: Literal[False]) -> HandMotion: ...
    def open(self, *, speed: float = 1.0, wait: bool = True) -> HandResult | HandMotion:
        """Open the hand."""
        return self.move("open", speed=speed, wait=wait)

    @overload
    def close(
        self,
        share: float = 1.0,
        *,
        grasp: str = "power",
        speed: float = 1.0,
        wait: Literal[True] = True,
    ) -> HandResult: ...
    @overload
    def close(
        self, share: float = 1.0, *, grasp: str = "power", speed: float = 1.0, wait: Literal[False]
    ) -> HandMotion: ...
    def close(
        self, share: float = 1.0, *, grasp: str = "power", speed: float = 1.0, wait: bool = True
    ) -> HandResult | HandMotion:
        """Close all fingers together, from open towards a grasp.

        Fingers stop at what they meet and press with up to `facts.torque`: the further they are
        sent inside, the harder.

        Args:
            share: Of the way from open (0) to the grasp (1).
            grasp: Posture to close towards: "power" or "pinch".
            speed: Fraction of the hand's own speed, above 0 and up to 1.
            wait: Let time pass until the fingers rest, and return the result; else a handle.
        """
        share = finite_number(share, name="share of the way", lower=0.0, upper=1.0)
        if grasp == "open":
            grasps = ", ".join(name for name in self.facts.postures if name != "open")
            raise InvalidInput(
                f"hand '{self.facts.name}' cannot close towards 'open'; close towards one of "
                f"{grasps}, or open it by open()"
            )
        return self.move(self.facts.between("open", grasp, share), speed=speed, wait=wait)

    def stop(self) -> None:
        """Hold the fingers where they were sent last; those that press go on pressing."""
        with self.session.lock:
            self.send(self.commanded, np.zeros(len(self.commanded)))
            self._end_motion(Outcome.STOPPED)

    def send(self, position: Array, velocity: Array) -> None:
        """Command the motors for this tick."""
        self.commanded, self._speed = position, velocity
        self._drives.command(position=position, velocity=velocity)

    def _end_motion(self, outcome: Outcome) -> None:
        if self.motion is not None and not self.motion.done:
            self.motion.end(outcome)

    # --- in the tick

    def step(self, now: float) -> None:
        """Run the motion."""
        if self.motion is not None and not self.motion.done:
            self.motion.step(now)

    def at_rest(self) -> bool:
        """Tell whether nothing is commanded to move."""
        return self.motion is None or self.motion.done

    def memory(self) -> tuple[Array, Array]:
        """Return what the hand must know to go on: its commands."""
        return self.commanded, self._speed

    def recall(self, memory: tuple[Array, Array]) -> None:
        """Go on from there; a motion in progress ends."""
        self._end_motion(Outcome.STOPPED)
        self.commanded, self._speed = memory
