"""A motion of several arms as one: its handle, its result, and what each arm has of it."""

from collections.abc import Mapping
from typing import Any

from mecano.parts.arm import Arm
from mecano.parts.handle import Handle
from mecano.parts.motions import FinishedMotion, Motion
from mecano.parts.results import Ended, MotionResult, Outcome
from mecano.planning.trajectories import Sample, Trajectory


class TogetherResult(Ended):
    """How a motion of several arms ended."""

    def __init__(self, each: Mapping[str, MotionResult]) -> None:
        """Join the results; what went wrong first counts."""
        self.each = dict(each)
        wrong = [r for r in each.values() if not r.reached and r.outcome is not Outcome.STOPPED]
        first = wrong[0] if wrong else next(iter(each.values()))
        stopped = any(not result.reached for result in each.values())
        self.outcome = first.outcome if wrong or not stopped else Outcome.STOPPED

    @property
    def message(self) -> str:
        """The result in one sentence."""
        texts = {name: result.message for name, result in self.each.items()}
        if len(set(texts.values())) == 1:  # refused together
            return next(iter(texts.values()))
        return "; ".join(f"{name}: {text}" for name, text in texts.items())


class Together(Handle[TogetherResult]):
    """A motion of several arms: if one must stop, all do."""

    def __init__(self, motions: Mapping[str, Motion]) -> None:
        """Join the handles of the arms."""
        super().__init__(next(iter(motions.values())).session)
        self.motions = dict(motions)

    @property
    def result(self) -> TogetherResult | None:
        """How it ended; None before."""
        results = {name: motion.result for name, motion in self.motions.items()}
        if any(result is None for result in results.values()):
            return None
        return TogetherResult({name: result for name, result in results.items() if result})

    def halt(self) -> None:
        """End it here: the arms brake and hold."""
        for motion in self.motions.values():
            motion.halt()

    def watch(self) -> None:
        """Stop the others when one arm had to."""
        ended = [motion.result for motion in self.motions.values() if motion.result is not None]
        if any(not r.reached and r.outcome is not Outcome.TIMED_OUT for r in ended):
            self.halt()


class Columns:
    """Some joints of a motion of more."""

    def __init__(self, whole: Trajectory, columns: slice) -> None:
        """Take the motion of all."""
        self.whole, self.columns, self.duration = whole, columns, whole.duration

    def at(self, time: float) -> Sample:
        """Return the sample at a time since the start."""
        position, velocity = self.whole.at(time)
        return position[self.columns], velocity[self.columns]


def refused(arms: Mapping[str, Arm], **numbers: Any) -> Together:
    """Return the handle of a motion that did not begin."""
    result = MotionResult(**numbers)
    return Together({name: FinishedMotion(arm, result) for name, arm in arms.items()})
