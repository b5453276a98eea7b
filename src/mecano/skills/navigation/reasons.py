"""Why a goal was given up, in a sentence for people."""

from collections import Counter
from collections.abc import Sequence
from math import degrees

from mecano.core.poses import Pose2
from mecano.planning.navigation.contract import Plan
from mecano.planning.navigation.footprint import Footprint
from mecano.skills.navigation.inputs import Goal
from mecano.skills.navigation.recoveries import Tried


def why_no_plan(plan: Plan, footprint: Footprint) -> str:
    """Return what the planner found: what is blocked, where, how wide the gap is."""
    reason = plan.reason or f"{plan.outcome}"
    if plan.gap is not None and " wide" not in reason:
        x, y, width = plan.gap
        needed = 2.0 * footprint.inscribed_radius
        reason += (
            f"; it closes at ({x:.2f}, {y:.2f}) m, where the gap is {width:.2f} m wide and the "
            f"base needs {needed:.2f} m"
        )
    return reason


def giving_up(goal: Goal, cause: str, tried: Sequence[Tried], nearest: Pose2 | None) -> str:
    """Return the sentence with which a goal is aborted."""
    parts = [f"gave up on {goal}: {cause}"]
    if tried:
        counted = Counter(str(each.kind) for each in tried)
        listed = [each if n == 1 else f"{each} ({n} times)" for each, n in counted.items()]
        parts.append(f"tried: {', '.join(listed)}")
    if nearest is not None and "nearest" not in cause:
        parts.append(
            f"nearest reachable pose: ({nearest.x:.2f}, {nearest.y:.2f}) m, "
            f"{degrees(nearest.yaw):.0f} deg, {nearest.distance_to(goal.pose):.2f} m from the goal"
        )
    return "; ".join(parts)
