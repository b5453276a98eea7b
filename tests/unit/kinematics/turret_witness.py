"""Turret arms solved a second way: the corrected formula of the paper, and brute force.

Nothing here calls the solvers under test. An arm is described by its measures, from which both the
DH chain under test and the answers it must agree with are made. Everything is vectorised over
targets, so thousands can be checked.

Angles of the plane of the arm are positive downwards; a plane angle is sign * joint + offset.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import hypot, pi

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import rotation_x, rotation_z, translation

Array = NDArray[np.float64]
TURN = 2.0 * pi


@dataclass(frozen=True, kw_only=True, eq=False)
class Measures:
    """A turret arm as a ruler would find it."""

    axis: tuple[float, float] = (0.0, 0.0)
    shoulder_r: float = 0.0
    shoulder_z: float = 0.0
    lengths: tuple[float, float, float]
    tool_angle: float = 0.0
    """Direction of the line wrist-tool against the pitch."""
    signs: tuple[int, int, int, int] = (1, 1, 1, 1)
    offsets: tuple[float, float, float, float]
    lower: tuple[float, float, float, float]
    upper: tuple[float, float, float, float]

    def with_limits(self, lower: tuple[float, ...], upper: tuple[float, ...]) -> "Measures":
        return replace(self, lower=lower, upper=upper)

    @cached_property
    def plane_limits(self) -> tuple[Array, Array]:
        """Lower and upper limits of the plane angles."""
        ends = np.array([self.lower, self.upper]) * self.signs + self.offsets
        return ends.min(axis=0), ends.max(axis=0)

    @property
    def annulus(self) -> tuple[float, float]:
        """How near to the shoulder and how far from it the wrist can be."""
        l2, l3, _ = self.lengths
        return abs(l2 - l3), l2 + l3

    def forward(self, q: Array) -> tuple[Array, Array]:
        """Return the points (..., 3) and the pitches (...) of the tool."""
        heading, upper, bend, wrist = np.moveaxis(np.asarray(q) * self.signs + self.offsets, -1, 0)
        nose = upper + bend + wrist
        rho, z = self._in_plane(upper, bend, nose)
        x, y = self.axis[0] + rho * np.cos(heading), self.axis[1] + rho * np.sin(heading)
        return np.stack([x, y, z], axis=-1), wrap(nose - self.tool_angle)

    def _in_plane(self, upper: Array, bend: Array, nose: Array | float) -> tuple[Array, Array]:
        """Return the signed distance of the tool from the turning axis, and its height."""
        l2, l3, l4 = self.lengths
        rho = l2 * np.cos(upper) + l3 * np.cos(upper + bend) + l4 * np.cos(nose)
        down = l2 * np.sin(upper) + l3 * np.sin(upper + bend) + l4 * np.sin(nose)
        return self.shoulder_r + rho, self.shoulder_z - down

    # --- the closed form, as the paper writes it with its errata corrected ---------------------

    def wrists(self, points: Array, pitches: Array) -> tuple[Array, Array, Array]:
        """Return (heading, out, down) of the wrist from the shoulder, front and back: (n, 2)."""
        _, _, l4 = self.lengths
        side = np.array([1.0, -1.0])
        X, Y = (points[:, :2] - self.axis).T[..., None]
        nose = (np.asarray(pitches) + self.tool_angle)[:, None]
        heading = np.arctan2(side * Y, side * X)
        out = side * np.hypot(X, Y) - self.shoulder_r - l4 * np.cos(nose)
        down = self.shoulder_z - points[:, 2:] - l4 * np.sin(nose) + 0.0 * side
        return heading, out, down

    def branches(self, points: Array, pitches: Array, slack: float = 0.0) -> Array:
        """Return the joints (n, 4, 4) of all four branches without limits, NaN where none is.

        Args:
            points: Shape (n, 3).
            pitches: Shape (n,).
            slack: How far over 1 a cosine may be before it counts as out of reach.
        """
        l2, l3, _ = self.lengths
        nose = (np.asarray(pitches) + self.tool_angle)[:, None]
        heading, out, down = self.wrists(points, pitches)
        distance = np.hypot(out, down)
        with np.errstate(invalid="ignore", divide="ignore"):
            cosine = (distance**2 + l2**2 - l3**2) / (2.0 * l2 * distance)
            cosine = np.where(np.abs(cosine) <= 1.0 + slack, np.clip(cosine, -1.0, 1.0), np.nan)
            corner = np.arccos(cosine)
        found = []
        for elbow in (1.0, -1.0):
            upper = np.arctan2(down, out) + elbow * corner
            second = np.arctan2(down - l2 * np.sin(upper), out - l2 * np.cos(upper))
            found.append(np.stack([heading, upper, second - upper, nose - second], axis=-1))
        angles = np.concatenate(found, axis=1)
        angles[np.isnan(angles).any(axis=-1)] = np.nan
        return (angles - self.offsets) * self.signs

    def into_range(self, q: Array) -> Array:
        """Return the joints, whole turns aside, at the first value above the lower limit."""
        lower = np.array(self.lower) - 1e-9
        return lower + (q - lower) % TURN

    def excesses(self, q: Array) -> Array:
        """Return by how much each joint misses its range, whole turns aside; 0 inside."""
        turned = np.asarray(q)[..., None] + TURN * np.arange(-3, 4)
        over = np.maximum(
            turned - np.array(self.upper)[:, None], np.array(self.lower)[:, None] - turned
        )
        return np.maximum(over, 0.0).min(axis=-1)

    def inside(self, q: Array, tolerance: float = 1e-9) -> NDArray[np.bool_]:
        """Tell for each posture whether its joints, whole turns aside, are inside the limits."""
        lower, upper = np.array(self.lower) - tolerance, np.array(self.upper) + tolerance
        with np.errstate(invalid="ignore"):
            return np.all((q - lower) % TURN <= upper - lower, axis=-1)

    def solutions(
        self, points: Array, pitches: Array, tolerance: float = 1e-9, slack: float = 0.0
    ) -> Array:
        """Return `branches` with those outside the limits set to NaN."""
        q = self.branches(points, pitches, slack)
        q[~self.inside(q, tolerance)] = np.nan
        return q

    def forms(self, points: Array, pitches: Array) -> NDArray[np.bool_]:
        """Tell for each pose whether the links could form it without limits."""
        _, out, down = self.wrists(points, pitches)
        distance = np.hypot(out, down)
        nearest, farthest = self.annulus
        return np.any((nearest <= distance) & (distance <= farthest), axis=-1)

    def reaches(
        self, points: Array, pitches: Array, tolerance: float = 1e-9, slack: float = 0.0
    ) -> NDArray[np.bool_]:
        """Tell for each pose whether a branch inside the limits reaches it."""
        reached = self.forms(points, pitches) | (slack > 0.0)
        some = np.flatnonzero(reached)
        q = self.solutions(points[some], pitches[some], tolerance, slack)
        reached[some] = ~np.isnan(q[..., 0]).all(axis=-1)
        return reached

    # --- brute force ---------------------------------------------------------------------------

    def seen_from_planes(self, points: Array) -> list[tuple[Array, Array, Array]]:
        """Return (rho, z, beside) of each point in the allowed plane that suits it best.

        First for tools in front of the turning axis, then for tools behind it: the tool's distance
        to the point grows with the angle between its plane and the point's, wherever it is.
        """
        low, high = self.plane_limits[0][0], self.plane_limits[1][0]
        X, Y = (points[:, :2] - self.axis).T
        radius, azimuth = np.hypot(X, Y), np.arctan2(Y, X)
        seen = []
        for behind in (0.0, pi):
            turned = (azimuth + behind)[:, None] + TURN * np.arange(-3, 4)
            gap = np.maximum(np.maximum(turned - high, low - turned), 0.0).min(axis=-1)
            flip = -1.0 if behind else 1.0
            seen.append((flip * radius * np.cos(gap), points[:, 2], radius * np.sin(gap)))
        return seen

    def tools_at_pitch(self, pitch: float, n_upper: int = 200, n_bend: int = 150) -> Array:
        """Return (rho, z) of a grid of all postures inside the limits at a pitch. Shape (n, 2)."""
        (_, low2, low3, low4), (_, high2, high3, high4) = self.plane_limits
        tools = [np.empty((0, 2))]
        for nose in pitch + self.tool_angle + TURN * np.arange(-3, 4):
            first, last = max(low2, nose - high4 - high3), min(high2, nose - low4 - low3)
            if first > last:
                continue
            upper = np.linspace(first, last, n_upper)[:, None]
            least = np.maximum(low3, nose - high4 - upper)
            most = np.minimum(high3, nose - low4 - upper)
            bend = least + (most - least) * np.linspace(0.0, 1.0, n_bend)
            tools.append(np.stack(self._in_plane(upper, bend, nose), axis=-1).reshape(-1, 2))
        return np.concatenate(tools)

    def tools_at_any_pitch(self, n: tuple[int, int, int] = (70, 50, 70)) -> Array:
        """Return (rho, z) of a grid of all postures inside the limits. Shape (n, 2)."""
        low, high = self.plane_limits
        upper, bend, wrist = np.meshgrid(
            *(np.linspace(*ends) for ends in zip(low[1:], high[1:], n, strict=True)), indexing="ij"
        )
        return np.stack(self._in_plane(upper, bend, upper + bend + wrist), axis=-1).reshape(-1, 2)

    def grid_distances(self, tools: Array, points: Array) -> Array:
        """Return the distance of each point to the nearest tool of a grid, at the best heading."""
        in_front = tools[:, 0] >= 0.0
        distances = np.full(len(points), np.inf)
        for some, (rho, z, beside) in zip(
            (in_front, ~in_front), self.seen_from_planes(points), strict=True
        ):
            if some.any():
                off, _ = KDTree(tools[some]).query(np.stack([rho, z], axis=-1))
                distances = np.minimum(distances, np.hypot(off, beside))
        return distances

    def grid_pitches(self, points: Array, asked: Array, steps: int) -> Array:
        """Return for each point how far the nearest reaching pitch of a grid is from the asked one.

        The grid contains the asked pitch. Infinity where no pitch of the grid reaches the point.
        """
        turns = TURN * np.arange(steps) / steps
        turns = np.minimum(turns, TURN - turns) * np.where(turns > pi, -1.0, 1.0)
        nearest = np.full(len(points), np.inf)
        for turn in sorted(turns, key=abs):
            open_ones = np.flatnonzero(np.isinf(nearest))
            reached = self.reaches(points[open_ones], asked[open_ones] + turn)
            nearest[open_ones[reached]] = abs(turn)
        return nearest


def wrap(angle: Array) -> Array:
    """Bring angles to [-pi, pi)."""
    return (angle + pi) % TURN - pi


# The joint origins of the vendor's URDF (branch noetic, open_manipulator.urdf.xacro).
_PHI = float(np.arctan2(0.128, 0.024))
OPEN_MANIPULATOR_X = Measures(
    axis=(0.012, 0.0),
    shoulder_z=0.017 + 0.0595,
    lengths=(hypot(0.024, 0.128), 0.124, 0.126),
    offsets=(0.0, -_PHI, _PHI, 0.0),
    lower=(-0.9 * pi, -0.57 * pi, -0.3 * pi, -0.57 * pi),
    upper=(0.9 * pi, 0.5 * pi, 0.44 * pi, 0.65 * pi),
)
# The limits of the vendor's ROS 2 model (branch main), inside which the arm can be straight.
ROS2_LIMITS = {
    "joint1": (-pi, pi),
    "joint2": (-1.5, 1.5),
    "joint3": (-1.5, 1.4),
    "joint4": (-1.7, 1.97),
}
OPEN_MANIPULATOR_X_ROS2 = OPEN_MANIPULATOR_X.with_limits(
    tuple(low for low, _ in ROS2_LIMITS.values()), tuple(high for _, high in ROS2_LIMITS.values())
)


def random_turret(rng: np.random.Generator) -> tuple[Measures, DHChain]:
    """Return a turret arm with its axes flipped at random, and the DH chain of the same arm.

    The base stands anywhere, upright or hanging, the shoulder is in front of the turning axis or
    behind it, and the tool is not in line with the last link.
    """
    base_flip, *flips = rng.choice([1, -1], 4)
    x, y, z = rng.uniform(-0.2, 0.2, 3)
    yaw = rng.uniform(-pi, pi)
    lift, shoulder_r = rng.uniform(0.05, 0.2), rng.uniform(-0.08, 0.08)
    lengths = rng.uniform(0.08, 0.2, 3)
    thetas = rng.uniform(-1.5, 1.5, 4)
    tool_turn = rng.uniform(-0.5, 0.5)
    lower, upper = rng.uniform(-2.6, -0.7, 4), rng.uniform(0.7, 2.6, 4)

    # A first twist of -90 deg lays axis 2 on +y, which tilts the arm down; one of +90 deg on -y.
    signs = base_flip * np.array([1, flips[0], flips[0] * flips[1], flips[0] * flips[1] * flips[2]])
    twists = (-flips[0] * pi / 2, 0.0 if flips[1] > 0 else pi, 0.0 if flips[2] > 0 else pi, 0.0)
    rows = zip(thetas, (lift, 0, 0, 0), (shoulder_r, *lengths), twists, lower, upper, strict=True)
    chain = DHChain(
        joints=tuple(
            DHJoint(name=f"joint{i + 1}", theta=theta, d=d, a=a, alpha=alpha, lower=low, upper=high)
            for i, (theta, d, a, alpha, low, high) in enumerate(rows)
        ),
        base=translation(x, y, z) @ rotation_z(yaw) @ rotation_x(0.0 if base_flip > 0 else pi),
        tool=rotation_z(-tool_turn) @ rotation_x(signs[3] * pi / 2),
    )
    offsets = signs * thetas
    offsets[0] += yaw
    measures = Measures(
        axis=(x, y),
        shoulder_r=shoulder_r,
        shoulder_z=z + base_flip * lift,
        lengths=tuple(lengths.tolist()),
        tool_angle=signs[3] * tool_turn,
        signs=tuple(signs.tolist()),
        offsets=tuple(offsets.tolist()),
        lower=tuple(lower.tolist()),
        upper=tuple(upper.tolist()),
    )
    return measures, chain
