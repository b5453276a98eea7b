"""Programs as lists of steps: run them in order and stop at the first that goes wrong."""

from collections.abc import Callable, Iterable

from mecano.parts.results import GripResult, MotionResult

Step = Callable[[], str | None]
"""Does something and returns what went wrong, or None."""


def first_problem(steps: Iterable[Step]) -> str | None:
    """Run the steps until one goes wrong; return what it said."""
    return next((problem for step in steps if (problem := step()) is not None), None)


def moved(result: MotionResult) -> str | None:
    """Return why an arm is not where it should be, if it is not."""
    return None if result.reached else result.message


def held(result: GripResult) -> str | None:
    """Return what the gripper says, if it holds nothing."""
    return None if result.holding else f"the gripper closed on nothing: {result.message}"


def opened(result: GripResult) -> str | None:
    """Return what the gripper says, if it did not let go."""
    return f"the gripper did not open: {result.message}" if result.holding else None
