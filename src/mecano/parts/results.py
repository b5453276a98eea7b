"""How motions end: values, not exceptions, each with a reason code and the numbers."""

from dataclasses import dataclass
from enum import StrEnum
from math import degrees

from mecano.kinematics.ik import IKResult


class Outcome(StrEnum):
    """How a motion ended. The codes are stable."""

    REACHED = "reached"
    UNREACHABLE = "unreachable"
    """The inverse kinematics has no solution; the result holds its explanation."""
    LINE_BROKEN = "line_broken"
    """The goal can be reached, but not in a straight line from here."""
    BLOCKED = "blocked"
    """A collision was foreseen; the arm did not move."""
    CONTACT = "contact"
    """A guarded motion felt what it was feeling for, and holds there."""
    COLLIDED = "collided"
    """The arm touched something on the way and stopped."""
    STOPPED = "stopped"
    """Someone stopped it."""
    REPLACED = "replaced"
    """Another motion took its place."""
    TIMED_OUT = "timed_out"
    """The joints did not come to rest at the goal in time."""
    ABORTED = "aborted"
    """The navigator gave the goal up; the result says why."""
    LOST = "lost"
    """Localization was lost; the base stopped."""


class Ended:
    """What all results of motions have in common."""

    outcome: Outcome

    @property
    def reached(self) -> bool:
        """True if it ended where it should."""
        return self.outcome is Outcome.REACHED

    @property
    def failed(self) -> bool:
        """True if a program that counts on it must not go on; see `connect(on_failure=...)`."""
        return self.outcome not in (Outcome.REACHED, Outcome.CONTACT)


@dataclass(frozen=True, eq=False, kw_only=True)
class MotionResult(Ended):
    """How a motion of the arm ended."""

    outcome: Outcome
    duration: float = 0.0
    """How long it took [s]."""
    joint_error: float = 0.0
    """Largest distance of a joint from its goal at the end [rad]."""
    position_error: float = 0.0
    """Distance of the tool from its goal at the end, by the encoders [m]."""
    pair: tuple[str, str] | None = None
    """With a collision: the two bodies."""
    overlap: float = 0.0
    """With a collision foreseen: how far they would be inside each other when first looked at
    [m]."""
    ik: IKResult | None = None
    """With an unreachable target or a broken line: why."""
    broken_at: float = 0.0
    """With a broken line: how far along it, from 0 to 1."""
    cause: str = ""
    """Why there is no way around what is in the way, where one was looked for."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        if self.cause:
            return f"{self.outcome}: {self.cause}"
        if self.outcome is Outcome.UNREACHABLE and self.ik is not None:
            return f"unreachable: {self.ik.message}"
        if self.outcome is Outcome.LINE_BROKEN and self.ik is not None:
            jump = "the arm would have to jump to another branch"
            why = jump if self.ik.reached else self.ik.message
            return f"line_broken: after {100 * self.broken_at:.0f} % of the way {why}"
        if self.pair is not None:
            one, other = self.pair
            if self.outcome is not Outcome.BLOCKED:
                return f"{self.outcome}: {one} touched {other}"
            return f"blocked: {one} would touch {other}, {1000 * self.overlap:.1f} mm inside it"
        return (
            f"{self.outcome} after {self.duration:.2f} s, "
            f"{self.position_error * 1000:.1f} mm and {self.joint_error:.4f} rad from the goal"
        )


@dataclass(frozen=True, kw_only=True)
class GripResult:
    """How a motion of the gripper ended."""

    width: float
    """Distance between the pads [m]."""
    force: float
    """What each finger pushes with [N]."""
    holding: bool
    """True if something keeps the fingers apart against that force."""
    duration: float
    """[s]."""

    @property
    def failed(self) -> bool:
        """False: fingers that meet something, or nothing, are no failure."""
        return False

    @property
    def message(self) -> str:
        """The result in one sentence."""
        held = "holding something" if self.holding else "holding nothing"
        return f"{held}, pads {self.width * 1000:.1f} mm apart, {self.force:.1f} N per finger"


@dataclass(frozen=True, kw_only=True)
class DriveResult(Ended):
    """How a move or turn of the base ended."""

    outcome: Outcome
    goal: float
    """How far it should go [m, or rad for a turn]."""
    gone: float
    """How far it got, by odometry."""
    turned: bool
    """True for a turn."""
    duration: float
    """[s]."""
    cause: str = ""
    """What ended it, if it was not the goal."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        unit = "rad" if self.turned else "m"
        why = f": {self.cause}" if self.cause else ""
        return (
            f"{self.outcome} after {self.duration:.2f} s, "
            f"{self.gone:.3f} of {self.goal:.3f} {unit}{why}"
        )


@dataclass(frozen=True)
class FollowResult(Ended):
    """How a base that followed a target ended."""

    outcome: Outcome
    duration: float
    """[s]."""
    lag: float
    """The furthest that it was from its target on the way, by odometry [m]."""
    position_error: float
    """At the end, by odometry [m]."""
    heading_error: float
    """[rad]."""
    remarks: tuple[str, ...] = ()
    """Where it went slower than asked, and why."""
    cause: str = ""
    """What ended it, if it was not the goal."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        why = f": {self.cause}" if self.cause else ""
        off = f"{1000 * self.position_error:.1f} mm and {degrees(self.heading_error):.2f} deg off"
        behind = f"{1000 * self.lag:.1f} mm behind at most"
        return f"{self.outcome} after {self.duration:.2f} s, {off}, {behind}{why}"
