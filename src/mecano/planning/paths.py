"""Paths as curves measured by arc length: segments, arcs and splines through oriented points.

`PathCurve` is where an object shall go, continuously; when it is where is the matter of
`speed_profiles`. (`core.messages.Path` is something else: a list of poses, as ROS has it.)
On the floor a path has headings, and none given means along the tangent. In space it has full
orientations, or none: then only the position is asked for.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.planning.path_facings import (
    AgainstTangent,
    AlongTangent,
    Free,
    Headings,
    Quaternions,
    one_facing,
    unwrapped,
)
from mecano.planning.path_input import MEETING, Point, read_frame, read_points, require_apart
from mecano.planning.path_parts import SMOOTH, Kink, Part, PathPoint, kink_between
from mecano.planning.path_shapes import (
    Arc,
    PlanarOrSpatial,
    Segments,
    Spline,
    bend_to_the_left,
    place_text,
)

KINDS = ("polyline", "spline", "circle")
MOST_SAMPLES = 1_000_000


@dataclass(frozen=True, eq=False)
class PathCurve:
    """A path. Immutable: build it by `through` or `circle`, join paths by `+`.

    Before its start an open path stands at the start, past its end at the end; a closed one goes
    round again.
    """

    parts: tuple["Part", ...]
    closed: bool = False

    @classmethod
    def through(
        cls,
        points: Iterable[Point],
        *,
        kind: str = "spline",
        closed: bool = False,
        heading: float | None = None,
        quaternion: ArrayLike | None = None,
    ) -> "PathCurve":
        """Return the path through points.

        Args:
            points: All of one sort: `Pose2` or (x, y) on the floor, `Pose` or (x, y, z) in space
                [m]. Headings go from point to point the short way and at a rate without jumps,
                orientations in space at a constant rate.
            kind: "polyline" for segments; "spline" for a cubic spline over the length of the
                chords, with a continuous curvature.
            closed: Come back to the first point, which is given once.
            heading: On the floor, keep this one all the way [rad], for points without their own.
            quaternion: The same in space, wxyz.
        """
        if kind not in KINDS[:2]:
            hint = "; take PathCurve.circle" if kind == "circle" else ""
            raise InvalidInput(
                f"kind is {kind!r}, allowed for a path through points: {', '.join(KINDS[:2])}{hint}"
            )
        places, orientations = read_points(points)
        require_apart(places, closed)
        if closed:
            places = np.vstack([places, places[:1]])
            if orientations is not None:
                orientations = np.concatenate([orientations, orientations[:1]])
        shape = Segments(places) if kind == "polyline" else Spline(places, closed)
        if orientations is None:
            facing = one_facing(places.shape[1], heading, quaternion)
        elif heading is not None or quaternion is not None:
            raise InvalidInput(
                "the points have orientations and the path has one for all of them; "
                "give the points without, or leave out heading and quaternion"
            )
        elif places.shape[1] == 2:
            facing = Headings(shape.breaks, unwrapped(orientations))
        else:
            facing = Quaternions(shape.breaks, orientations)
        return cls((Part(shape, facing),), closed)

    @classmethod
    def circle(
        cls,
        center: Point,
        radius: float,
        *,
        start: float = 0.0,
        sweep: float = math.tau,
        heading: float | None = None,
        quaternion: ArrayLike | None = None,
    ) -> "PathCurve":
        """Return a circle or an arc of one.

        Args:
            center: (x, y) or `Pose2` on the floor; (x, y, z) for a level circle in space, `Pose`
                for one in the x-y plane of that pose.
            radius: [m].
            start: Where on the circle it begins, from the x axis of the centre [rad].
            sweep: How far it goes, negative for clockwise [rad]; whole turns make it closed.
            heading: On the floor, keep this one; None looks along the tangent [rad].
            quaternion: In space, keep this one; None leaves the orientation free.
        """
        radius = finite_number(radius, name="radius of the circle [m]")
        start = finite_number(start, name="start of the circle [rad]")
        sweep = finite_number(sweep, name="sweep of the circle [rad]")
        if radius < MEETING:
            raise InvalidInput(f"radius of the circle is {radius:g} m, give a positive one")
        if radius * abs(sweep) < MEETING:
            raise InvalidInput(f"sweep of the circle is {sweep:g} rad, give one that is not zero")
        frame = read_frame(center)
        planar = isinstance(frame, Pose2)
        x, y = frame.rotation_matrix().T[:2]
        first = math.cos(start) * x + math.sin(start) * y
        second = math.copysign(1.0, sweep) * (math.cos(start) * y - math.sin(start) * x)
        middle = np.array([frame.x, frame.y]) if isinstance(frame, Pose2) else frame.position
        arc = Arc(middle, first, second, radius, abs(sweep))
        closed = abs(math.remainder(sweep, math.tau)) < 1e-9
        return cls((Part(arc, one_facing(2 if planar else 3, heading, quaternion)),), closed)

    @cached_property
    def _starts(self) -> Array:
        """Arc lengths at which the parts begin, and the end."""
        return np.concatenate([[0.0], np.cumsum([part.shape.length for part in self.parts])])

    @property
    def length(self) -> float:
        """[m]."""
        return float(self._starts[-1])

    @property
    def planar(self) -> bool:
        """Whether it lies on the floor, and not in space."""
        return self.parts[0].shape.dimensions == 2

    @property
    def oriented(self) -> bool:
        """Whether it says how an object on it is turned; on the floor it always does."""
        return not isinstance(self.parts[0].facing, Free)

    @cached_property
    def breaks(self) -> Array:
        """Arc lengths of the control points, with start and end [m]."""
        pairs = zip(self.parts, self._starts[:-1], strict=True)
        rows = [part.shape.breaks[1:] + start for part, start in pairs]
        breaks = np.concatenate([[0.0], *rows])
        breaks[-1] = self.length
        return breaks

    def at(self, s: ArrayLike) -> PathPoint:
        """Return the place, or places, at arc lengths of any shape [m]."""
        s = read_only(s, name="arc length s [m]")
        if self.closed:
            inside = np.where((s < 0.0) | (s > self.length), np.mod(s, self.length), s)
        else:
            inside = np.clip(s, 0.0, self.length)
        flat = inside.ravel()
        part_of = np.searchsorted(self._starts[1:-1], flat, side="right")
        found = [
            (part_of == i, part.at(flat[part_of == i] - self._starts[i]))
            for i, part in enumerate(self.parts)
        ]

        def merged(name: str) -> Array:
            first = getattr(found[0][1], name)
            out = np.empty((flat.size, *first.shape[1:]))
            for mask, point in found:
                out[mask] = getattr(point, name)
            return out.reshape(inside.shape + first.shape[1:])

        return PathPoint(
            s=inside,
            position=merged("position"),
            tangent=merged("tangent"),
            bending=merged("bending"),
            orientation=merged("orientation") if self.oriented else None,
            turning=merged("turning") if self.oriented else None,
        )

    def pose(self, s: float) -> PlanarOrSpatial:
        """Return the pose at an arc length [m]."""
        return self.at(s).pose

    def curvature(self, s: ArrayLike) -> Array:
        """Return 1 / radius [1/m]; on the floor positive to the left. Corners do not count."""
        point = self.at(s)
        if self.planar:
            return bend_to_the_left(point.tangent, point.bending)
        return np.linalg.norm(point.bending, axis=-1)

    @cached_property
    def kinks(self) -> tuple[Kink, ...]:
        """Corners and jumps of the orientation, in order; a closed path may have one at its end."""
        found = []
        for i, (part, start) in enumerate(zip(self.parts, self._starts[:-1], strict=True)):
            found += [kink_between(s + start, a, b) for s, a, b in part.corners()]
            following = self.parts[(i + 1) % len(self.parts)]
            if i + 1 < len(self.parts) or self.closed:
                ends = part.at(np.array([part.shape.length])), following.at(np.zeros(1))
                found.append(kink_between(float(self._starts[i + 1]), *ends))
        return tuple(k for k in found if max(k.angle, np.linalg.norm(k.turn)) > SMOOTH)

    def marks(self, step: float) -> Array:
        """Return arc lengths at most `step` apart that hold all control points [m]."""
        step = finite_number(step, name="step along the path [m]")
        if step <= 0.0:
            raise InvalidInput(f"step along the path is {step:g} m, give a positive one")
        if self.length / step > MOST_SAMPLES:
            raise InvalidInput(
                f"a step of {step:g} m along {self.length:g} m makes more than {MOST_SAMPLES} "
                f"points; give a step above {self.length / MOST_SAMPLES:g} m"
            )
        counts = np.ceil(np.diff(self.breaks) / step - 1e-9).astype(int)
        spans = zip(self.breaks[:-1], self.breaks[1:], np.maximum(counts, 1), strict=True)
        rows = [np.linspace(a, b, n, endpoint=False) for a, b, n in spans]
        return np.concatenate([*rows, [self.length]])

    def sample(self, step: float) -> Array:
        """Return positions at most `step` [m] apart, corners included, to draw. Shape (n, 2|3)."""
        return self.at(self.marks(step)).position

    def reversed(self) -> "PathCurve":
        """Return the way back. Given orientations stay; along the tangent, they turn round."""
        return PathCurve(tuple(part.reversed() for part in self.parts[::-1]), self.closed)

    @property
    def along_its_tangent(self) -> bool:
        """Whether its headings are those of the tangent all the way, and none is given."""
        return self.planar and all(isinstance(part.facing, AlongTangent) for part in self.parts)

    def facing_along(self, *, backwards: bool = False) -> "PathCurve":
        """Return the same places with the headings of the tangent, or against it."""
        if not self.planar:
            raise InvalidInput("only a path on the floor has headings along its tangent")
        facing = AgainstTangent() if backwards else AlongTangent()
        return PathCurve(tuple(Part(part.shape, facing) for part in self.parts), self.closed)

    def moved(self, pose: PlanarOrSpatial) -> "PathCurve":
        """Return the path, given in a frame, as seen from where that frame has the pose."""
        if isinstance(pose, Pose2) != self.planar:
            here, wanted = ("on the floor", "Pose2") if self.planar else ("in space", "Pose")
            raise InvalidInput(
                f"a path {here} is moved by a {wanted}, not by a {type(pose).__name__}"
            )
        return PathCurve(tuple(part.moved(pose) for part in self.parts), self.closed)

    def __add__(self, other: "PathCurve") -> "PathCurve":
        """Return this path and then the other, which begins where this one ends."""
        if not isinstance(other, PathCurve):
            return NotImplemented
        if self.planar != other.planar:
            raise InvalidInput("a path on the floor and one in space cannot be joined")
        if self.oriented != other.oriented:
            raise InvalidInput(
                "a path with orientations and one without cannot be joined; give both or none"
            )
        end, start = self.at(self.length).position, other.at(0.0).position
        gap = float(np.linalg.norm(end - start))
        if gap > MEETING:
            raise InvalidInput(
                f"the paths do not meet: one ends at {place_text(end)}, the next begins at "
                f"{place_text(start)}, {gap:.4g} m away (allowed {MEETING:g} m); move one of them"
            )
        return PathCurve(self.parts + other.parts)
