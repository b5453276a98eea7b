"""From one surface to the next: where the feet go while the body turns through an inner corner.

Given is a way of the body, as poses close to each other, and the surfaces. A foothold is good at a
pose if the leg reaches it inside its limits, its shin stands steep enough on the surface, and the
foot keeps away from the edge. The body goes on for as long as all feet stay good; then the legs
whose feet would not be good any more step, one after the other, to where they can stay longest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import radians

import numpy as np

from mecano.core.arrays import Array, Mask, finite_number
from mecano.core.errors import InvalidInput
from mecano.kinematics.legs import BRANCHES, LegChain, LegSolver

LIFT = 0.02
"""Legs must be able to lift their feet by this where they stand [m]."""
BENDS = tuple(
    (hip, raised, knee)
    for knee in (0, -30, 30, -60)
    for raised in (0, 30, 60, 90)
    for hip in (0, -30, 30)
)
"""How legs bend in the middle of a swing, besides going from one posture to the next; in the order
they are tried [deg]."""
KNEE, TIP = 2, 4
"""Which of a leg's marks these are, see `_marks`."""
SAMPLES = 24
"""Points of a swing."""
NEAR_ENOUGH = 0.008
"""Feet this near to their places need not step [m]."""
PATIENCE = 3
"""A neighbour steps aside if that is worth so many poses."""
UP = BRANCHES.index("up")
"""Legs keep their knees up, off the surface, so that they can go on walking."""


@dataclass(frozen=True, eq=False)
class Surface:
    """A plane to stand on, in the frame of the plan."""

    point: Array
    """On it [m]."""
    normal: Array
    """Towards the robot, of length 1."""


@dataclass(frozen=True, eq=False)
class BodyPose:
    """Where the body is."""

    rotation: Array
    position: Array
    """[m]."""


@dataclass(frozen=True, eq=False)
class FootStep:
    """A leg steps."""

    leg: int
    """From 0."""
    point: Array
    """Where its tip goes [m]."""
    normal: Array
    """Of the surface there."""
    swing: Array
    """The way of the tip there, as points at even times [m]. Shape (n, 3)."""


Action = BodyPose | FootStep
"""What a plan consists of."""


@dataclass(frozen=True, kw_only=True)
class FootRules:
    """What makes a foothold good."""

    steep: float = radians(33.0)
    """Shins lean by this from the normal at most [rad]."""
    landing: float = radians(33.0)
    """And by this where they land [rad]."""
    edge: float = 0.055
    """The middle of a foot is this far from other surfaces at least [m]."""
    spare: float = radians(2.0)
    """Joints keep this far from their limits [rad]."""
    side: float = 0.04
    """Feet keep this far from the middle of the body, each on its own side [m]."""
    apart: float = 0.055
    """Legs keep this distance from their neighbours, from middle to middle [m]."""
    grid: float = 0.015
    """Footholds are looked for this close to each other [m]."""
    reach: float = 0.36
    """As far from the body's middle as footholds are looked for [m]."""


def corner_way(
    stations: Sequence[tuple[float, float, float]], *, step: float = radians(1.5)
) -> list[BodyPose]:
    """Return a way through an inner corner as poses close to each other.

    Args:
        stations: Pitch, nose up [rad], and the body's place [m]: x towards the second surface, z
            off the first, seen from the edge.
        step: Pitch between two poses, at most [rad]; and 5 mm.
    """
    way = []
    for (a, x, z), (b, u, w) in pairwise(stations):
        count = max(int(np.ceil(max(abs(b - a) / step, np.hypot(u - x, w - z) / 0.005))), 1)
        parts = np.linspace(0.0, 1.0, count + 1)[(1 if way else 0) :]
        way += [_pitched(a + t * (b - a), x + t * (u - x), z + t * (w - z)) for t in parts]
    return way


def _pitched(pitch: float, x: float, z: float) -> BodyPose:
    c, s = np.cos(pitch), np.sin(pitch)
    R = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    return BodyPose(R, np.array([x, 0.0, z]))


def plan_corner(
    chains: Sequence[LegChain], stations: Sequence[tuple[float, float, float]], feet: Array,
    ahead: float, *, height: float, tip_height: float, home: Array | None = None,
    rules: FootRules | None = None,
) -> list[Action]:  # fmt: skip
    """Return steps and moves from a surface to the one ahead, at a right angle to it.

    Args:
        chains: The legs.
        stations: The way of the body, see `corner_way`; it begins where the body stands.
        feet: Where the tips are in the body's frame [m]. Shape (legs, 3).
        ahead: How far that surface is from the body's middle [m].
        height: Of the body's plane above the surface it stands on [m].
        tip_height: Of a tip above the surface that its foot stands on [m].
        home: Where the tips shall be in the body's frame at the start and the end [m].
        rules: What makes a foothold good.

    Returns:
        The plan in the frame of the body as it stands now.
    """
    first = (0.0, -finite_number(ahead, name="distance ahead [m]", lower=0.2, upper=0.6), height)
    way = corner_way([first, *stations])
    start = way[0].position
    surfaces = [
        Surface(np.zeros(3), np.array([0.0, 0.0, 1.0])),
        Surface(np.zeros(3), np.array([-1.0, 0.0, 0.0])),
    ]
    plan = plan_transition(
        chains, way, surfaces, feet + start, tip_height=tip_height, home=home, rules=rules
    )
    return [
        FootStep(action.leg, action.point - start, action.normal, action.swing - start)
        if isinstance(action, FootStep)
        else BodyPose(action.rotation, action.position - start)
        for action in plan
    ]


def plan_transition(
    chains: Sequence[LegChain],
    way: Sequence[BodyPose],
    surfaces: Sequence[Surface],
    feet: Array,
    *,
    tip_height: float,
    home: Array | None = None,
    rules: FootRules | None = None,
) -> list[Action]:
    """Return steps and moves that bring the body along its way.

    Args:
        chains: The legs, in the order in which they stand round the body.
        way: Poses of the body; it stands at the first.
        surfaces: To step on.
        feet: Where the tips are now [m]. Shape (legs, 3).
        tip_height: Of a tip above the surface that its foot stands on [m].
        home: Where the tips shall be in the body's frame at the start and the end [m]; None leaves
            them where they come to be.
        rules: What makes a foothold good.

    Raises:
        InvalidInput: There is no foothold for a leg at some pose; the message says which.
    """
    rules = rules or FootRules()
    searches = [_Search(chain, way, surfaces, tip_height, rules) for chain in chains]
    stands = [search.stand(foot) for search, foot in zip(searches, feet, strict=True)]
    actions: list[Action] = []
    if home is not None:
        actions += _go_home(searches, stands, home, 0)
    now = 0
    while now < len(way) - 1:
        for leg in np.argsort([stand.until for stand in stands]):
            if stands[leg].until > now:
                continue
            steps = _steps_for(int(leg), searches, stands, now)
            if not steps:
                place = np.round(1000 * way[now].position).tolist()
                raise InvalidInput(
                    f"leg {leg + 1} finds no foothold while the body is at {place} mm from the "
                    f"edge, {now} of {len(way)} poses on its way; begin at another distance"
                )
            for each, stand in steps:
                beside = _neighbours(stands, each)
                swing, _ = searches[each].swing(now, stands[each], stand, beside)
                stands[each] = stand
                actions.append(FootStep(each, stand.point, stand.normal, swing))
        then = min(stand.until for stand in stands)
        actions += way[now + 1 : then + 1]
        now = then
    return actions if home is None else actions + _go_home(searches, stands, home, now)


def _go_home(
    searches: "Sequence[_Search]", stands: "list[_Stand]", home: Array, now: int
) -> "list[FootStep]":
    """Return steps that bring all feet to their places at a pose, the freest one first."""
    pose, left, steps = searches[0].way[now], set(range(len(stands))), []
    goals = home @ pose.rotation.T + pose.position
    while left:
        tries = []
        for leg in left:
            there = searches[leg].stand(goals[leg])
            swing, room = searches[leg].swing(now, stands[leg], there, _neighbours(stands, leg))
            tries.append((room, leg, there, swing))
        _, leg, there, swing = max(tries, key=lambda each: each[0])
        left.remove(leg)
        if np.linalg.norm(there.point - stands[leg].point) > NEAR_ENOUGH:
            stands[leg] = there
            steps.append(FootStep(leg, there.point, there.normal, swing))
    return steps


def _neighbours(stands: "Sequence[_Stand]", leg: int) -> "list[_Stand]":
    """Return how the legs beside a leg stand."""
    return [stands[(leg + 1) % len(stands)], stands[leg - 1]]


def _steps_for(
    leg: int, searches: "Sequence[_Search]", stands: "Sequence[_Stand]", now: int
) -> "list[tuple[int, _Stand]]":
    """Return the step of a leg, if need be after one of a neighbour that is in its way."""
    n = len(stands)
    neighbours = ((leg + 1) % n, (leg - 1) % n)
    alone = searches[leg].best(now, [stands[each] for each in neighbours])
    best = [] if alone is None else [(leg, alone)]
    lasts = now if alone is None else alone.until
    for first in neighbours:
        other = next(each for each in neighbours if each != first)
        beyond = (2 * first - leg) % n
        moved = searches[first].best(now, [stands[beyond]], besides=stands[leg])
        if moved is None:
            continue
        found = searches[leg].best(now, [moved, stands[other]])
        if found is not None and min(found.until, moved.until) > lasts + PATIENCE:
            best, lasts = [(first, moved), (leg, found)], min(found.until, moved.until)
    return best


@dataclass(frozen=True, eq=False)
class _Stand:
    """A foothold of a leg."""

    point: Array
    normal: Array
    until: int
    """The last pose at which it is good."""
    marks: Array
    """Points of the leg at every pose, in the body's frame [m]. Shape (poses, marks, 3)."""


class _Search:
    """All footholds of one leg, and at which poses each is good."""

    def __init__(
        self, chain: LegChain, way: Sequence[BodyPose], surfaces: Sequence[Surface],
        tip_height: float, rules: FootRules,
    ) -> None:  # fmt: skip
        self.leg, self.way, self.rules, self.height = chain.leg, way, rules, tip_height
        self.surfaces = surfaces
        points, normals = [], []
        for surface in surfaces:
            grid = _grid(surface, way, rules) + tip_height * surface.normal
            free = np.sign(self.leg.axis_y) * grid[:, 1] >= rules.side
            for other in surfaces:
                if other is not surface:
                    free &= (grid - other.point) @ other.normal >= rules.edge
            points.append(grid[free])
            normals.append(np.tile(surface.normal, (int(free.sum()), 1)))
        self.points, self.normals = np.concatenate(points), np.concatenate(normals)
        self.lean, self.marks = self._postures(self.points, self.normals)
        ever = np.isfinite(self.lean).any(axis=0)
        self.points, self.normals = self.points[ever], self.normals[ever]
        self.lean, self.marks = self.lean[:, ever], self.marks[:, ever]

    def _postures(self, points: Array, normals: Array) -> tuple[Array, Array]:
        """Return how far shins lean, and marks of the leg, at all poses for some footholds.

        Returns:
            Angles between shin and normal, infinite where the leg does not reach. Shape (poses,
            points); and marks, see `_marks`. Shape (poses, points, 4, 3).
        """
        rows = [self._posture(points, normals, pose) for pose in self.way]
        return np.stack([lean for lean, _ in rows]), np.stack([marks for _, marks in rows])

    def _posture(self, points: Array, normals: Array, pose: BodyPose) -> tuple[Array, Array]:
        leg, spare = self.leg, self.rules.spare
        seen = (points - pose.position) @ pose.rotation
        q = leg.solve_batch(seen)[:, UP]
        low, high = np.array(leg.lower) + spare, np.array(leg.upper) - spare
        with np.errstate(invalid="ignore"):
            inside = np.asarray(((q >= low) & (q <= high)).all(axis=-1))
            lifted = seen + LIFT * (normals @ pose.rotation)
            inside &= np.isfinite(leg.solve_batch(lifted)[:, UP]).all(axis=-1)
            marks = _marks(leg, q)
            along = (marks[:, TIP] - marks[:, KNEE]) / leg.shin
            steep = -np.einsum("ni,ni->n", along, normals @ pose.rotation)
            lean = np.arccos(np.clip(steep, -1.0, 1.0))
        return np.where(inside, lean, np.inf), np.where(inside[:, None, None], marks, np.inf)

    def stand(self, foot: Array) -> _Stand:
        """Return the foothold that a leg has now."""
        heights = [abs((foot - s.point) @ s.normal - self.height) for s in self.surfaces]
        normal = self.surfaces[int(np.argmin(heights))].normal
        lean, marks = self._postures(foot[None], normal[None])
        good = np.append(lean[:, 0] <= self.rules.steep, False)
        return _Stand(foot, normal, max(int(np.argmin(good)) - 1, 0), marks[:, 0])

    def best(
        self, now: int, beside: Sequence[_Stand], *, besides: _Stand | None = None
    ) -> _Stand | None:
        """Return the foothold to step to at a pose: the one that stays good for longest.

        Args:
            now: Number of the pose.
            beside: Neighbours to keep away from.
            besides: A neighbour that is in the way only now.
        """
        start = np.flatnonzero(self.lean[now] <= self.rules.landing)
        if besides is not None:
            start = start[self._clear(start, besides, now)[0]]
        good = self.lean[now:, start] <= self.rules.steep
        for other in beside:
            good &= self._clear(start, other, now)
        last = now + np.argmin(np.vstack([good, np.zeros_like(good[:1])]), axis=0) - 1
        if not len(last) or last.max() <= now:
            return None
        longest = int(last.max())
        leaning = self.lean[now : longest + 1, start].max(axis=0)
        chosen = start[int(np.argmin(np.where(last >= longest, leaning, np.inf)))]
        return _Stand(self.points[chosen], self.normals[chosen], longest, self.marks[:, chosen])

    def swing(
        self, now: int, here: _Stand, there: _Stand, beside: Sequence[_Stand]
    ) -> tuple[Array, float]:
        """Return the way of the tip from one foothold to the next, and how much room it leaves [m].

        Off the surface, over by the joints and on to the surface. Of the ways to bend the leg
        meanwhile it is the first one on which nothing is touched; or, if there is none, the one on
        which the leg keeps furthest away.
        """
        pose = self.way[now]
        ends = np.array([stand.point + LIFT * stand.normal for stand in (here, there)])
        first, last = self.leg.solve_batch((ends - pose.position) @ pose.rotation)[:, UP]
        part = np.linspace(0.0, 1.0, SAMPLES)[:, None]
        best, widest = None, -np.inf
        for bend in BENDS:
            q = (1.0 - part) * first + part * last + np.sin(np.pi * part) * np.radians(bend)
            marks = _marks(self.leg, np.clip(q, self.leg.lower, self.leg.upper))
            points = marks @ pose.rotation.T + pose.position
            room = min(_room(marks, other.marks[now]) for other in beside)
            off = min(float(((points - s.point) @ s.normal).min()) for s in self.surfaces)
            room = min(room, self.rules.apart + off - self.height - 0.5 * LIFT)
            if room > widest:
                best, widest = points[:, TIP], room
            if room >= self.rules.apart:
                break
        assert best is not None
        return np.vstack([here.point, best]), widest

    def _clear(self, which: np.ndarray, other: _Stand, now: int) -> Mask:
        """Tell where a leg at some footholds keeps away from its neighbour.

        Shape (poses from now on, footholds).
        """
        clear = np.ones((len(self.way) - now, len(which)), bool)
        with np.errstate(invalid="ignore"):
            for mark in range(other.marks.shape[1]):
                away = self.marks[now:, which] - other.marks[now:, None, None, mark]
                near = np.einsum("knmi,knmi->knm", away, away).min(axis=2)
                clear &= ~(near < self.rules.apart**2)
        return clear


def _room(marks: Array, others: Array) -> float:
    """Return how near marks of a leg come to those of another [m]."""
    return float(np.linalg.norm(others[None, :, None] - marks[:, None], axis=-1).min())


def _marks(leg: LegSolver, q: Array) -> Array:
    """Return points of legs: joint 2, in the thigh, the knee, in the shin, the tip [m].

    In the body's frame. Shape (n, 3) in, (n, 5, 3) out.
    """
    heading, raised, knee = np.moveaxis(q * np.array(leg.signs) + np.array(leg.offsets), -1, 0)
    c, s = np.cos(heading), np.sin(heading)
    u = np.stack([c, s, np.zeros_like(c)], axis=-1)
    hip = np.array([leg.axis_x, leg.axis_y, leg.height]) + leg.coxa * u
    hip = hip + leg.beside * np.stack([s, -c, np.zeros_like(c)], axis=-1)
    thigh = leg.thigh * (np.cos(raised)[:, None] * u + np.sin(raised)[:, None] * [0.0, 0.0, 1.0])
    shin = raised + knee
    shin = leg.shin * (np.cos(shin)[:, None] * u + np.sin(shin)[:, None] * [0.0, 0.0, 1.0])
    bend = hip + thigh
    return np.stack([hip, hip + 0.5 * thigh, bend, bend + 0.45 * shin, bend + shin], axis=1)


def _grid(surface: Surface, way: Sequence[BodyPose], rules: FootRules) -> Array:
    """Return points of a surface near the way of the body. Shape (n, 3)."""
    n = surface.normal
    along = np.array([0.0, 1.0, 0.0]) if abs(n[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    u = np.cross(along, n)
    v = np.cross(n, u)
    places = np.array([pose.position for pose in way]) - surface.point
    spans = []
    for axis in (u, v):
        ends = places @ axis
        spans.append(np.arange(ends.min() - rules.reach, ends.max() + rules.reach, rules.grid))
    a, b = (each.ravel() for each in np.meshgrid(*spans))
    return surface.point + a[:, None] * u + b[:, None] * v
