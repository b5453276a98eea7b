"""What a motion has to say when it has ended."""

from collections.abc import Iterable
from typing import Any

from mecano.kinematics.ik import IKResult
from mecano.operate.console.context import Context
from mecano.operate.console.replies import Reply, Status
from mecano.operate.console.texts import floats
from mecano.parts.results import MotionResult, Outcome


def motion_reply(context: Context, result: MotionResult, explained: Iterable[str] = ()) -> Reply:
    """Say in one line how a motion ended, after the lines that explain it."""
    data = context.state() | {
        "outcome": str(result.outcome),
        "duration": float(result.duration),
        "position_error": float(result.position_error),
        "joint_error": float(result.joint_error),
    }
    if result.ik is not None and not result.ik.reached:
        data |= why(result.ik)
    status = Status.DONE if result.reached else Status.FAILED
    return Reply(status=status, lines=(*explained, _outcome(context, result)), data=data)


def why(answer: IKResult) -> dict[str, Any]:
    """Return why a pose is out of reach, as plain values."""
    return {
        "reason": str(answer.reason),
        "message": answer.message,
        "shortfall": float(answer.shortfall),
        "nearest": {
            "position": floats(answer.nearest.position),
            "pitch": float(answer.nearest.pitch),
            "joints": floats(answer.nearest.joints),
        },
    }


def _outcome(context: Context, result: MotionResult) -> str:
    if result.pair is not None:
        return _touch(context, result, result.pair)
    if result.ik is not None and result.outcome is Outcome.LINE_BROKEN:
        jump = "the joints would have to jump to another branch"
        reason = jump if result.ik.reached else result.ik.message
        return f"unreachable: the end is in reach, but on the straight line {reason}; use goto"
    if result.ik is not None:
        return f"unreachable: {result.ik.message}; nearest: {context.nearest(result.ik)}"
    off = f"{result.position_error * 1000:.1f} mm and {result.joint_error:.4f} rad off the goal"
    pose, duration = context.pose_text(), f"{result.duration:.2f} s"
    if result.reached:
        return f"reached {pose}, in {duration}, {off}"
    advice = "; try a lower speed" if result.outcome is Outcome.TIMED_OUT else ""
    return f"{result.outcome} at {pose} after {duration}, {off}{advice}"


def _touch(context: Context, result: MotionResult, pair: tuple[str, str]) -> str:
    one, other = context.named(pair)
    if result.outcome is Outcome.BLOCKED:
        return (
            f"blocked: {one} would touch {other}, {1000 * result.overlap:.1f} mm inside it, so the "
            "arm did not move; "
            "go by a point between, or choose another pitch"
        )
    return (
        f"{result.outcome}: {one} touched {other} after {result.duration:.2f} s, stopped "
        f"at {context.pose_text()}; go back the way it came"
    )
