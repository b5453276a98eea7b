"""A plan of steps and moves, done one after the other: over to another surface."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.kinematics.leg_set import LegSet
from mecano.planning.corners import Action, BodyPose, FootStep
from mecano.skills.stepping import Footwork, Senses, Stepper, StepTimes

SPEED, TURN = 0.015, np.radians(4.0)
"""Of the body between two poses, at most [m/s], [rad/s]."""
TIMES = StepTimes(shed=0.4, swing=1.5, load=0.4)


class Transition(Stepper):
    """Does a plan; legs step while the body rests, the body moves on all feet."""

    def __init__(
        self, legs: LegSet, actions: Sequence[Action], *, tick: float, q: Array, commanded: Array,
        holding: Mask, footwork: Footwork | None = None,
    ) -> None:  # fmt: skip
        """Begin standing, see `Stepper`; the plan is in the frame of the body as it stands now."""
        super().__init__(
            legs, TIMES, tick=tick, q=q, commanded=commanded, holding=holding, footwork=footwork
        )
        self._left = deque(actions)
        self._step: FootStep | None = None
        self._move: tuple[int, Array, Array] | None = None
        """How many ticks it goes on, and by how much in each [m], [rad]."""

    def plan(self, senses: Senses, late: bool) -> None:
        """Go on with what is going on, or take the next action."""
        if self.ending or self.stepping():
            return
        if self._move is not None:
            ticks, shift, turn = self._move
            self.shift(shift, turn)
            self._move = (ticks - 1, shift, turn) if ticks > 1 else None
        elif not self._left:
            self.finish()
        elif self._loaded():
            action = self._left.popleft()
            if isinstance(action, FootStep):
                self._step = action
                self.begin(action.leg)
            else:
                self._begin_move(action)

    def _loaded(self) -> bool:
        """Tell whether all feet have taken their load."""
        return not self._fading.any()

    def _begin_move(self, pose: BodyPose) -> None:
        way = pose.position - self.wanted_position
        turn = _turn_between(self.wanted_rotation, pose.rotation)
        time = max(np.linalg.norm(way) / SPEED, np.linalg.norm(turn) / TURN, self.tick)
        ticks = int(np.ceil(time / self.tick))
        self._move = ticks, way / ticks, turn / ticks

    def foothold(self, leg: int) -> tuple[Array, Array]:
        """Step where the plan says."""
        assert self._step is not None
        return self._step.point, self._step.normal

    def swing(self, leg: int, above: Array, part: float) -> Array:
        """Go the way that the plan found; a second try goes straight."""
        if self._tries[leg] or self._step is None:
            return super().swing(leg, above, part)
        way = self._step.swing
        place = part * part * (3.0 - 2.0 * part) * (len(way) - 1)
        before = min(int(place), len(way) - 2)
        point = way[before] + (place - before) * (way[before + 1] - way[before])
        left = (1.0 - part) ** 4 * (self._starts[leg] - way[0])
        return point + left + part**4 * (above - way[-1])

    def another(self, leg: int) -> Array:
        """Try once more, a little towards the body."""
        towards = self.odometry.position - self._goals[leg]
        towards = towards - (towards @ self._ups[leg]) * self._ups[leg]
        return self._goals[leg] + 0.01 * towards / np.linalg.norm(towards)

    def freeze(self, why: str) -> None:
        """End because something is wrong."""
        super().freeze(why)
        self._left.clear()
        self._move = None


def _turn_between(start: Array, end: Array) -> Array:
    """Return the vector about which one rotation must turn to become the other [rad]."""
    E = end @ start.T
    axis = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
    sine = float(np.linalg.norm(axis))
    return axis if sine < 1e-9 else axis * (np.arcsin(min(sine, 1.0)) / sine)
