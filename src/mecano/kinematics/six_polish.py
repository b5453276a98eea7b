"""Solutions of a closed form brought onto a table whose axes are not exactly as it takes them.

A file that writes pi/2 as 1.5708 turns axes that should be parallel by 4e-6 rad against each other.
The closed form then solves an arm nearby. Its solutions are starting points for Newton's method on
the table itself, which ends at the solutions of the table in two or three steps.

Where branches meet (elbow stretched, wrist in line) the two arms differ more: a branch of one may
have no counterpart at the same pose. So the closed form is asked for poses around the asked one as
well, as far away as the axes are off, and whatever it finds there is a starting point too. And the
motion that hardly moves the tool is followed (`singular_curve`): more solutions may lie on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Protocol

import numpy as np

from mecano.kinematics.dh import DHChain
from mecano.kinematics.singular_curve import crossings
from mecano.kinematics.six_motion import (
    WITHOUT_END,
    Aim,
    Branches,
    Held,
    Joints,
    Nine,
    Placed,
    SixJointArm,
    Solve,
    aim_at,
)
from mecano.kinematics.six_place import place_by_table
from mecano.kinematics.solver import EXACT
from mecano.kinematics.transforms import Array
from mecano.kinematics.turns import TURN, nearest_turn

REACHED = 1e-11
"""Newton's method ends at this error [m and rad]."""
SETTLING = 5
"""Plain steps after that, at most."""
SETTLED, FAR = 1e-9, 1e-3
"""They end where the next one is smaller or larger than this [rad]."""
KEPT = 1e-9
"""A solution with a larger error than this is none [m and rad]."""
STEPS = 40
ALL = 8
"""No arm of these kinds has more solutions."""
SAME = 1e-6
"""Solutions whose joints differ by less are one [rad]."""
MEETING = 1.5
"""Branches may meet where the least singular value is below this times the root of `off`."""
AROUND = (1.0, 5.0, 25.0)
"""How far the poses around are from the asked one, in units of what the axes are off."""


class InexactArm(SixJointArm, Protocol):
    """A closed form that knows how far the table is from it."""

    @property
    def off(self) -> float:
        """How far axes are from where the closed form takes them to be [rad or m]."""
        ...


@dataclass(frozen=True, eq=False)
class PolishedArm(Branches):
    """A closed form whose solutions are exact for another table nearby."""

    chain: DHChain
    """The exact table."""
    ideal: InexactArm
    """The closed form of an arm nearby."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the joints."""
        return self.chain.names

    @property
    def lower(self) -> Joints:
        """Limits [rad]."""
        return self.ideal.lower

    @property
    def upper(self) -> Joints:
        """Limits [rad]."""
        return self.ideal.upper

    @property
    def frame(self) -> Array:
        """Searches run in the base frame itself."""
        return np.eye(4)

    @property
    def triad_in_tool(self) -> Array:
        """The tool's own axes."""
        return np.eye(3)

    def make_solver(self, *, limits: bool) -> Solve:
        """Return a solver with the numbers of the arm built in."""
        lower, upper = (self.lower, self.upper) if limits else WITHOUT_END
        return self._solver(lower, upper)

    def place(self, q: Sequence[float]) -> Placed:
        """Return the arm at joint values `q`."""
        return place_by_table(self.chain, q)

    def nearest_at_orientation(self, position: Array, R: Array) -> Held:
        """Return the nearest point with this orientation, as the closed form sees it."""
        return self.ideal.nearest_at_orientation(position, R)

    def within_reach(self, aim: Aim) -> bool:
        """Tell whether some orientation brings the tool to a point, limits aside."""
        R = np.array(aim.triad).T
        return self.ideal.within_reach(aim_at(self.ideal, np.array(aim.tool), R))

    def singular_notes(self, q: Joints) -> list[str]:
        """Say where branches meet."""
        return self.ideal.singular_notes(q)

    def _solver(self, lower: Sequence[float], upper: Sequence[float]) -> Solve:
        def branches(
            point: Sequence[float], rotation: Nine, start: Sequence[float]
        ) -> list[Joints]:
            position, R = np.array(point), np.array(rotation).reshape(3, 3)
            exact: list[Joints] = []
            for seed in self._seeds(position, R, start):
                for q in self._near(seed, position, R):
                    if not _among(q, exact):
                        exact.append(q)
            turned = (tuple(map(nearest_turn, q, start, lower, upper)) for q in exact)
            return [q for q in turned if None not in q]  # type: ignore[misc]

        return branches

    def _seeds(self, position: Array, R: Array, start: Sequence[float]) -> list[Joints]:
        """Return solutions of the closed form at the asked pose, and others at poses around it."""
        solve, off = self.ideal.branches_without_limits, self.ideal.off
        seeds = solve(position.tolist(), R.ravel().tolist(), start)
        for scale in AROUND if len(seeds) < ALL and off > EXACT else ():
            close = 30.0 * scale * off
            for shift, turn in _PERTURBED:
                near = position + scale * off * shift
                turned = (np.eye(3) + scale * off * turn) @ R
                for q in solve(near.tolist(), turned.ravel().tolist(), start):
                    if not _among(q, seeds, close):
                        seeds.append(q)
        return seeds

    def _near(self, seed: Joints, position: Array, R: Array) -> list[Joints]:
        """Return the solutions of the exact table that a solution of the closed form leads to."""
        first = np.array(seed)
        starts = [first]
        _, J = self._miss(first, position, R)
        smallest = float(np.linalg.svd(J, compute_uv=False)[-1])
        if smallest < MEETING * self.ideal.off**0.5:
            miss = partial(self._miss, position=position, R=R)
            starts += crossings(miss, first, fine=0.3 * self.ideal.off**0.5)
        found = (self._newton(q, position, R) for q in starts)
        return [tuple(q.tolist()) for q in found if q is not None]  # type: ignore[misc]

    def _newton(self, seed: Array, position: Array, R: Array) -> Array | None:
        """Return the posture of the exact table that a posture nearby leads to, None if none."""
        q, damping = seed, 0.0
        error, J = self._miss(q, position, R)
        size = float(error @ error)
        for _ in range(STEPS):
            if size <= REACHED**2:
                break
            normal = J.T @ J
            normal.flat[::7] += damping + 1e-15
            step = np.linalg.solve(normal, J.T @ error)
            step *= min(1.0, 0.3 / max(float(np.abs(step).max()), 1e-300))
            error_there, J_there = self._miss(q + step, position, R)
            size_there = float(error_there @ error_there)
            if size_there < size:
                q, error, J = q + step, error_there, J_there
                if size_there > 0.999 * size:
                    break
                size, damping = size_there, 0.1 * damping if damping > 1e-12 else 0.0
            else:
                damping = max(10.0 * damping, 1e-8)
                if damping > 1e2:
                    break
        return self._settled(q, position, R) if size <= KEPT**2 else None

    def _settled(self, q: Array, position: Array, R: Array) -> Array:
        """Return a solution with all its digits, by plain steps of Newton's method.

        Where branches nearly meet, a tool that is 5e-12 m off leaves joints 5e-5 rad off, and the
        way to the solution leads over postures that are further off.
        """
        best, least = q, inf
        for _ in range(SETTLING):
            error, J = self._miss(q, position, R)
            size = float(error @ error)
            if size < least:
                best, least = q, size
            try:
                step = np.linalg.solve(J, error)
            except np.linalg.LinAlgError:  # exactly singular: there is no better one
                return best
            largest = float(np.abs(step).max())
            if largest < SETTLED or largest > FAR:
                return best
            q = q + step
        return best

    def _miss(self, q: Array, position: Array, R: Array) -> tuple[Array, Array]:
        """Return the missing shift and turn, and the Jacobian."""
        frames = self.chain.joint_frames(q)
        R_here = frames[6, :3, :3]
        D = R @ R_here.T
        turn = 0.5 * np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])
        error = np.concatenate([position - frames[6, :3, 3], turn])
        return error, self.chain.jacobian_from_frames(frames)


def _among(q: Sequence[float], others: list[Joints], close: float = SAME) -> bool:
    """Tell whether a posture is one of several, whole turns aside."""
    for other in others:
        for a, b in zip(q, other, strict=True):
            off = abs(a - b) % TURN
            if min(off, TURN - off) > close:
                break
        else:
            return True
    return False


def _perturbed() -> list[tuple[Array, Array]]:
    """Return small shifts with small turns, which together go every way."""
    pairs = []
    for i in range(3):
        for sign in (1.0, -1.0):
            shift, axis = np.zeros(3), np.zeros(3)
            shift[i] = sign
            axis[(i + 1) % 3] = sign
            x, y, z = axis
            pairs.append((shift, np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])))
    return pairs


_PERTURBED = _perturbed()
