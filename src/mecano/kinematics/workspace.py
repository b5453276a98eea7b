"""Where the tool can get to: sampled postures, the points they reach, their hull and volume."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain
from mecano.kinematics.transforms import Array

CHUNK = 20_000
"""Postures per batch: enough to be fast, few enough to report progress and save memory."""
MOST = 20_000_000
"""Postures in all: more would fill the memory of a small machine."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """Postures inside the limits and the tool poses they give."""

    joints: Array
    """Postures [rad or m]. Shape (n, joints)."""
    points: Array
    """Tool points in the base frame [m]. Shape (n, 3)."""
    directions: Array
    """Where the tool's nose points. Shape (n, 3), unit vectors."""
    rejected: int
    """Postures that the collision filter refused."""

    @property
    def extent(self) -> Array:
        """Smallest and largest x, y, z [m]. Shape (2, 3)."""
        return np.array([self.points.min(axis=0), self.points.max(axis=0)])

    @cached_property
    def hull(self):
        """The convex hull of the points (`scipy.spatial.ConvexHull`), or None for a flat cloud."""
        from scipy.spatial import ConvexHull, QhullError

        try:
            return ConvexHull(self.points)
        except QhullError:
            return None

    @property
    def hull_volume(self) -> float:
        """Volume of the convex hull [m3]: an upper bound, it counts holes and hollows too."""
        return 0.0 if self.hull is None else float(self.hull.volume)

    def volume(self, cell: float = 0.02) -> float:
        """Return the volume of the cells that hold at least one point [m3]; zero for a flat cloud.

        Args:
            cell: Edge of a cell [m]. Smaller cells need more samples, or they count as empty.
        """
        if not 0.0 < cell < np.inf:
            raise InvalidInput(f"cell must be positive and finite, got {cell} m")
        if self.hull is None:
            return 0.0
        occupied = np.unique(np.floor(self.points / cell).astype(np.int64), axis=0)
        return float(len(occupied) * cell**3)


def sample_workspace(
    chain: DHChain,
    *,
    samples: int = 20_000,
    rng: np.random.Generator | None = None,
    grid: int | None = None,
    is_free: Callable[[Array], bool] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Workspace:
    """Sample postures inside the joint limits and keep those that are free.

    Args:
        chain: The arm or leg.
        samples: Number of random postures. Not used with `grid`.
        rng: Source of the random postures; needed unless `grid` is given.
        grid: Take this many values per joint, limits included, instead of random postures.
        is_free: Collision filter, called with one posture (n,); None keeps all.
        on_progress: Called with (postures done, postures in all) after each batch.
    """
    if grid is not None:
        postures = _grid_postures(chain, grid)
    elif rng is None:
        raise InvalidInput("random postures need a generator: pass rng=np.random.default_rng(seed)")
    elif not 1 <= samples <= MOST:
        raise InvalidInput(f"{samples:,} samples asked for, allowed 1 to {MOST:,}")
    else:
        postures = rng.uniform(chain.lower, chain.upper, (samples, len(chain.joints)))

    kept = []
    for begin in range(0, len(postures), CHUNK):
        batch = postures[begin : begin + CHUNK]
        if is_free is not None:
            batch = batch[np.fromiter((bool(is_free(q)) for q in batch), bool, len(batch))]
        kept.append(batch)
        if on_progress is not None:
            on_progress(min(begin + CHUNK, len(postures)), len(postures))
    joints = np.concatenate(kept)
    if not len(joints):
        raise InvalidInput(f"the collision filter refused all {len(postures)} postures")
    poses = np.concatenate(
        [chain.forward(joints[i : i + CHUNK]) for i in range(0, len(joints), CHUNK)]
    )
    return Workspace(joints, poses[:, :3, 3], poses[:, :3, 0], len(postures) - len(joints))


def _grid_postures(chain: DHChain, values: int) -> Array:
    if values < 2:
        raise InvalidInput(f"a grid needs at least 2 values per joint, got {values}")
    count = values ** len(chain.joints)
    if count > MOST:
        raise InvalidInput(
            f"{values} values for {len(chain.joints)} joints make {count:,} postures, at most "
            f"{MOST:,} are allowed; use fewer values or random samples"
        )
    axes = [np.linspace(joint.lower, joint.upper, values) for joint in chain.joints]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(chain.joints))
