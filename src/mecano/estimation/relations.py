"""How well a path keeps to relative poses that people have verified.

The measure of the Freiburg SLAM benchmark (Kuemmerle et al. 2009, Autonomous Robots 27, 387-407):
for each listed pair of instants the motion between them in the path is compared with the listed
one. A path that is moved or turned as a whole scores the same, so no frame has to be agreed on.
"""

from dataclasses import asdict, dataclass
from math import degrees
from typing import Any, Literal

import numpy as np

from mecano.core.arrays import Array, Mask, read_only
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses.planar_arrays import poses_at, relative_all
from mecano.estimation.gaps import check_path

Association = Literal["nearest", "interp"]
"""The pose at an instant is that of the nearest stamp, or lies straight between two."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Relations:
    """Motions between pairs of instants."""

    before: Array
    """First instant of each [s]. Shape (n,)."""
    after: Array
    """Second instant [s]. Shape (n,)."""
    motions: Array
    """Pose at the second seen from that at the first: x, y [m], yaw [rad]. Shape (n, 3)."""

    def __post_init__(self) -> None:
        """Check that the arrays fit together."""
        n = len(self.before)
        for name, shape in (("before", (n,)), ("after", (n,)), ("motions", (n, 3))):
            fixed = read_only(getattr(self, name), name=f"Relations.{name}", shape=shape)
            object.__setattr__(self, name, fixed)

    def __len__(self) -> int:
        return len(self.before)


@dataclass(frozen=True)
class Spread:
    """How errors are distributed."""

    mean: float
    std: float
    rms: float
    median: float
    max: float

    @classmethod
    def of(cls, errors: Array) -> "Spread":
        """Return the numbers of some errors, at least one."""
        rms = float(np.sqrt(np.mean(errors**2)))
        return cls(
            float(errors.mean()), float(errors.std()), rms, float(np.median(errors)),
            float(errors.max()),
        )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class RelationErrors:
    """How far a path is off."""

    relations: int
    """In the list."""
    used: Mask
    """Those whose two instants the path covers. Shape (relations,)."""
    translations: Array
    """Of the used ones [m]."""
    rotations: Array
    """Of the used ones, without sign [rad]."""

    @property
    def translation(self) -> Spread:
        """[m]."""
        return Spread.of(self.translations)

    @property
    def rotation_deg(self) -> Spread:
        """[deg], as the published tables have it."""
        return Spread.of(np.degrees(self.rotations))

    def to_json(self) -> dict[str, Any]:
        """Return the numbers by name."""
        return {
            "relations": self.relations,
            "used": int(self.used.sum()),
            "translation_m": asdict(self.translation),
            "rotation_deg": asdict(self.rotation_deg),
        }

    def __str__(self) -> str:
        moved, turned = self.translation, Spread.of(self.rotations)
        return (
            f"{moved.mean:.4f} +- {moved.std:.4f} m, "
            f"{degrees(turned.mean):.2f} +- {degrees(turned.std):.2f} deg "
            f"({int(self.used.sum())} of {self.relations} relations)"
        )


def relation_errors(
    stamps: Array,
    poses: Array,
    relations: Relations,
    *,
    association: Association = "interp",
    max_gap: float = 0.5,
) -> RelationErrors:
    """Compare a path with relations.

    Args:
        stamps: Of the path, rising [s]. Shape (n,), two or more.
        poses: x, y [m], yaw [rad]. Shape (n, 3).
        relations: What people verified.
        association: How the pose at an instant is taken from the path.
        max_gap: Relations with an instant further from any pose of the path are not used [s].

    Raises:
        InvalidInput: The path has fewer than two poses, or covers none of the relations.
    """
    check_path(stamps, poses, "path")
    ends = [_at(when, stamps, poses, association) for when in (relations.before, relations.after)]
    used = (ends[0][1] <= max_gap) & (ends[1][1] <= max_gap)
    if not used.any():
        raise InvalidInput(
            f"the path covers none of the {len(relations)} relations within {max_gap} s; "
            "do they belong to the same log?"
        )
    motions = relative_all(ends[0][0][used], ends[1][0][used])
    errors = relative_all(relations.motions[used], motions)
    return RelationErrors(
        relations=len(relations),
        used=used,
        translations=np.hypot(errors[:, 0], errors[:, 1]),
        rotations=np.abs(errors[:, 2]),
    )


def _at(when: Array, stamps: Array, poses: Array, association: Association) -> tuple[Array, Array]:
    """Return the poses at some instants, and how far the nearest stamp is from each [s]."""
    right = np.clip(np.searchsorted(stamps, when), 1, len(stamps) - 1)
    before, after = np.abs(stamps[right - 1] - when), np.abs(stamps[right] - when)
    gap = np.minimum(before, after)
    match association:
        case "nearest":
            return poses[np.where(after < before, right, right - 1)], gap
        case "interp":
            return poses_at(when, stamps, poses), gap
        case _:
            raise UnknownName("association", association, ("nearest", "interp"))
