"""A way for joints from one posture to another on which nothing is touched.

First the straight way. Where that is blocked, two trees of free postures grow towards each other,
one from the start, one from all goals together, until they meet (RRT-Connect, Kuffner and LaValle,
ICRA 2000). The path is then made short. What is free tells a function; this file knows no robot.

Steps between two postures that are looked at are measured as the sum of the ways of all joints,
each times its weight. With a robot's levers for weights [m/rad] this sum bounds the way of every
point of the robot: a motion that was looked at in steps of twice the distance that is kept from
all obstacles is free in between as well.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput

IsFree = Callable[[Array], bool]
"""Whether all postures of some rows are free. Shape (k, n)."""
Describe = Callable[[Array], str]
"""A sentence about what is in the way at one posture. Shape (n,)."""

STRIDE = 16
"""A tree grows by this many steps at a time."""
NEAR_SHARE = 0.5
"""Part of the random postures drawn from around start and goals, the others from everywhere. Joints
that turn by two whole turns would lead the trees astray otherwise."""
NEAR = 0.15
"""How far "around" goes, as part of the range of each joint."""


class FreeMotionReason(StrEnum):
    """Why there is no path. The codes are stable: scripts may rely on them."""

    START_OUTSIDE = "start_outside"
    """The start lies outside the joint limits."""
    START_BLOCKED = "start_blocked"
    """Something touches at the start already."""
    GOALS_OUTSIDE = "goals_outside"
    """All goals lie outside the joint limits."""
    GOALS_BLOCKED = "goals_blocked"
    """Something touches at every goal inside the limits."""
    NOT_FOUND = "not_found"
    """The trees did not meet in the tries they had; there may be a way or none."""
    OUT_OF_TIME = "out_of_time"
    """The same, and it was the clock that ended it: another run may get further."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FreeMotion:
    """A path on which nothing is touched, or why there is none."""

    path: Array | None
    """Postures to go through in straight lines, start and goal included. Shape (k, n)."""
    goal: int | None = None
    """Which goal the path ends at."""
    reason: FreeMotionReason | None = None
    """Why there is no path."""
    explanation: str = ""
    """The same as a sentence, with what is in the way."""
    direct: bool = False
    """True if the straight way was free."""
    tries: int = 0
    """How often the trees grew."""
    nodes: int = 0
    """Postures in both trees."""
    looks: int = 0
    """Postures that the function was asked about, at most."""
    seconds: float = 0.0
    """What it took [s]; differs from run to run, nothing else does."""

    @property
    def found(self) -> bool:
        """Tell whether there is a path."""
        return self.path is not None


def plan_free_motion(
    start: ArrayLike,
    goals: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    is_free: IsFree,
    *,
    seed: int | np.random.Generator,
    resolution: float,
    weights: ArrayLike | None = None,
    max_tries: int = 5000,
    time_limit: float = 60.0,
    shortcuts: int = 100,
    describe: Describe | None = None,
) -> FreeMotion:
    """Find a short path from a posture to one of some goals on which every posture is free.

    The same seed gives the same path, unless `time_limit` ends the search. Joints are plain
    intervals: a turn by two whole turns is another posture.

    Args:
        start: Where the joints are [rad or m]. Shape (n,).
        goals: Where they may end; all branches of the inverse kinematics at once, say. Shape (n,)
            or (g, n). Those that are outside the limits or blocked are left out.
        lower: Least value of each joint, finite. Shape (n,).
        upper: Highest value of each joint. Shape (n,).
        is_free: Tells whether all postures of some rows are free. It is asked about the middle of
            a way first, since that is blocked most often.
        seed: Of all random choices.
        resolution: Step between two postures that are looked at: the sum over all joints of weight
            times way. In metres if the weights are levers.
        weights: What a unit of each joint counts, above zero. None counts all joints alike.
        max_tries: The trees grow this often, at most.
        time_limit: Safety net for slow functions [s]; ends the search with `OUT_OF_TIME`.
        shortcuts: How often to try to make the path shorter; zero leaves it as the trees met.
        describe: Says what is in the way at a posture, for `explanation`.
    """
    from mecano.planning.shortcuts import shorten

    began = time.perf_counter()
    space = JointSpace.checked(lower, upper, is_free, resolution=resolution, weights=weights)
    start = read_only(start, name="start", shape=(space.size,))
    rows = np.atleast_2d(read_only(goals, name="goals"))
    if rows.ndim != 2 or rows.shape[1] != space.size or not len(rows):
        raise InvalidInput(
            f"goals have shape {np.shape(goals)}, expected rows of {space.size} joint values"
        )
    if max_tries < 0 or shortcuts < 0:
        raise InvalidInput(f"max_tries is {max_tries}, shortcuts {shortcuts}; allowed: 0 or more")
    finite_number(time_limit, name="time_limit [s]", lower=0.0)
    rng = np.random.default_rng(seed)

    refusal, usable = _look_at_ends(space, start, rows, describe)
    if refusal is not None:
        return _finished(refusal, space, began)
    for goal in usable[np.argsort(space.distances(rows[usable], start), kind="stable")]:
        if space.connects(start, rows[goal]):
            path = np.array([start, rows[goal]])
            return _finished(FreeMotion(path=path, goal=int(goal), direct=True), space, began)

    found = _grow_trees(space, start, rows, usable, rng, max_tries, began + time_limit)
    if found.path is not None and shortcuts:
        shorter = shorten(found.path, space, rng=rng, attempts=shortcuts)
        found = FreeMotion(path=shorter, goal=found.goal, tries=found.tries, nodes=found.nodes)
    return _finished(found, space, began)


class JointSpace:
    """The postures inside limits, what is free of them, and how finely one must look."""

    def __init__(
        self, lower: Array, upper: Array, is_free: IsFree, resolution: float, weights: Array
    ) -> None:
        """Keep them; `checked` looks whether they make sense."""
        self.lower, self.upper, self.weights = lower, upper, weights
        self.resolution = resolution
        self.size = len(lower)
        self.looks = 0
        """Postures asked about so far, at most."""
        self._is_free = is_free

    @classmethod
    def checked(
        cls,
        lower: ArrayLike,
        upper: ArrayLike,
        is_free: IsFree,
        *,
        resolution: float,
        weights: ArrayLike | None = None,
    ) -> "JointSpace":
        """Return the space, or say what is wrong with its numbers."""
        lower = read_only(lower, name="lower", shape=(None,))
        upper = read_only(upper, name="upper", shape=(len(lower),))
        if not len(lower) or (lower > upper).any():
            raise InvalidInput(
                f"lower is {lower.tolist()}, upper {upper.tolist()}; "
                "each joint needs lower <= upper"
            )
        ones = np.ones(len(lower))
        weights = read_only(
            ones if weights is None else weights, name="weights", shape=(len(lower),)
        )
        if (weights <= 0.0).any():
            raise InvalidInput(f"weights are {weights.tolist()}, allowed above 0")
        if finite_number(resolution, name="resolution") <= 0.0:
            raise InvalidInput(f"resolution is {resolution:g}, allowed above 0")
        return cls(lower, upper, is_free, float(resolution), weights)

    def free(self, rows: Array) -> bool:
        """Tell whether all of some postures are free. Shape (k, n)."""
        self.looks += len(rows)
        return bool(self._is_free(rows))

    def inside(self, q: Array) -> bool:
        """Tell whether a posture keeps the joint limits."""
        return bool(((q >= self.lower) & (q <= self.upper)).all())

    def distances(self, rows: Array, q: Array) -> Array:
        """Return how far postures are from one, each joint by its weight. Shape (k,)."""
        return np.linalg.norm((rows - q) * self.weights, axis=1)

    def steps(self, one: Array, other: Array) -> int:
        """Return how many steps the resolution asks for between two postures."""
        way = float(self.weights @ np.abs(other - one))
        return max(1, int(np.ceil(way / self.resolution - 1e-9)))

    def connects(self, one: Array, other: Array) -> bool:
        """Tell whether the straight way between two free postures is free."""
        steps = self.steps(one, other)
        if steps == 1:
            return True
        return self.free(one + _middle_first(steps)[:, None] * (other - one))


_ORDERS: dict[int, Array] = {}


def _middle_first(steps: int) -> Array:
    """Return the inner parts of a way, the middle first, then the quarters, and so on."""
    if steps not in _ORDERS:
        inner = np.arange(1, steps)
        width = steps.bit_length()
        turned = [int(f"{i * 2**width // steps:0{width}b}"[::-1], 2) for i in inner]
        _ORDERS[steps] = inner[np.argsort(turned, kind="stable")] / steps
    return _ORDERS[steps]


def _look_at_ends(
    space: JointSpace, start: Array, goals: Array, describe: Describe | None
) -> tuple[FreeMotion | None, np.ndarray]:
    """Return what is wrong with start and goals if anything is, and the goals that can be used."""
    none = np.empty(0, int)

    def refused(reason: FreeMotionReason, text: str) -> tuple[FreeMotion, np.ndarray]:
        return FreeMotion(path=None, reason=reason, explanation=text), none

    def what(q: Array) -> str:
        return (describe(q) if describe is not None else "") or "the function says so"

    if not space.inside(start):
        return refused(FreeMotionReason.START_OUTSIDE, f"the start {_outside(space, start)}")
    if not space.free(start[None]):
        return refused(
            FreeMotionReason.START_BLOCKED,
            f"the start is not free: {what(start)}; move away from it first",
        )
    inside = np.array([i for i, goal in enumerate(goals) if space.inside(goal)], int)
    if not len(inside):
        more = f" (the first of {len(goals)}; no other is inside)" if len(goals) > 1 else ""
        text = f"the goal{more} {_outside(space, goals[0])}"
        return refused(FreeMotionReason.GOALS_OUTSIDE, text)
    usable = np.array([i for i in inside if space.free(goals[i][None])], int)
    if not len(usable):
        more = f" (the first of {len(inside)}; no other is either)" if len(inside) > 1 else ""
        text = f"the goal{more} is not free: {what(goals[inside[0]])}; choose another goal"
        return refused(FreeMotionReason.GOALS_BLOCKED, text)
    return None, usable


def _outside(space: JointSpace, q: Array) -> str:
    joint = int(np.argmax(np.maximum(space.lower - q, q - space.upper)))
    return (
        f"has joint {joint + 1} at {q[joint]:.4f}, allowed "
        f"[{space.lower[joint]:.4f}, {space.upper[joint]:.4f}]; choose values inside"
    )


def _finished(motion: FreeMotion, space: JointSpace, began: float) -> FreeMotion:
    return FreeMotion(
        path=motion.path,
        goal=motion.goal,
        reason=motion.reason,
        explanation=motion.explanation,
        direct=motion.direct,
        tries=motion.tries,
        nodes=motion.nodes,
        looks=space.looks,
        seconds=time.perf_counter() - began,
    )


# --- trees


class _Tree:
    """Postures, each with the one it came from; the arrays grow by doubling."""

    def __init__(self, roots: Array, weights: Array) -> None:
        self.size = len(roots)
        self.postures = np.array(roots)
        self._weights = weights
        self._scaled = roots * weights
        self._parents = np.full(len(roots), -1)

    def add(self, q: Array, parent: int) -> int:
        if self.size == len(self.postures):
            more = max(64, self.size)
            self.postures = np.concatenate([self.postures, np.empty((more, len(q)))])
            self._scaled = np.concatenate([self._scaled, np.empty((more, len(q)))])
            self._parents = np.concatenate([self._parents, np.empty(more, int)])
        self.postures[self.size] = q
        self._scaled[self.size] = q * self._weights
        self._parents[self.size] = parent
        self.size += 1
        return self.size - 1

    def nearest(self, q: Array) -> int:
        away = self._scaled[: self.size] - q * self._weights
        return int(np.einsum("ij,ij->i", away, away).argmin())

    def way_to(self, node: int) -> tuple[list[Array], int]:
        """Return the postures from the root to a node, and the number of the root."""
        way = [self.postures[node]]
        while self._parents[node] >= 0:
            node = int(self._parents[node])
            way.append(self.postures[node])
        return way[::-1], node


def _grow_trees(
    space: JointSpace,
    start: Array,
    goals: Array,
    usable: np.ndarray,
    rng: np.random.Generator,
    max_tries: int,
    deadline: float,
) -> FreeMotion:
    first, second = _Tree(start[None], space.weights), _Tree(goals[usable], space.weights)
    low, high = _around(space, np.vstack([start[None], goals[usable]]))
    tree, other, flipped = first, second, False
    for tries in range(1, max_tries + 1):
        nodes = first.size + second.size
        if time.perf_counter() > deadline:
            text = f"no way found in {tries - 1} tries when the time was up; allow more time"
            return FreeMotion(path=None, reason=FreeMotionReason.OUT_OF_TIME, explanation=text,
                              tries=tries - 1, nodes=nodes)  # fmt: skip
        near = rng.random() < NEAR_SHARE
        box = (low, high) if near else (space.lower, space.upper)
        sample = rng.uniform(*box)
        reached = _grow(tree, tree.nearest(sample), sample, space, strides=1)
        if reached is not None:
            goal = tree.postures[reached]
            met = _grow(other, other.nearest(goal), goal, space, strides=None)
            if met is not None and (other.postures[met] == goal).all():
                ends = (met, reached) if flipped else (reached, met)
                there, _ = first.way_to(ends[0])
                back, root = second.way_to(ends[1])
                path = np.array(there + back[-2::-1])
                return FreeMotion(path=path, goal=int(usable[root]), tries=tries,
                                  nodes=first.size + second.size)  # fmt: skip
        if other.size <= tree.size:  # the smaller one grows next
            tree, other, flipped = other, tree, not flipped
    text = (
        f"no way found in {max_tries} tries ({first.size} postures reached from the start, "
        f"{second.size} from the goals); there may be none, or allow more tries"
    )
    return FreeMotion(path=None, reason=FreeMotionReason.NOT_FOUND, explanation=text,
                      tries=max_tries, nodes=first.size + second.size)  # fmt: skip


def _around(space: JointSpace, ends: Array) -> tuple[Array, Array]:
    """Return the box around start and goals that is worth a closer look."""
    aside = NEAR * (space.upper - space.lower)
    return (
        np.maximum(space.lower, ends.min(axis=0) - aside),
        np.minimum(space.upper, ends.max(axis=0) + aside),
    )


def _grow(
    tree: _Tree, node: int, target: Array, space: JointSpace, *, strides: int | None
) -> int | None:
    """Grow from a node straight towards a posture; return the last new node, or None.

    It goes `strides` strides far, or until something is in the way.
    """
    origin = tree.postures[node]
    steps = space.steps(origin, target)
    done, grown = 0, None
    while done < steps and strides != 0:
        last = min(done + STRIDE, steps)
        following = target if last == steps else origin + last / steps * (target - origin)
        if not (space.connects(tree.postures[node], following) and space.free(following[None])):
            break
        node = grown = tree.add(following, node)
        done = last
        strides = None if strides is None else strides - 1
    return grown
