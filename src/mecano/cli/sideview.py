"""A drawing of an arm for the terminal, in dots of 2 x 4 per character."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mecano.kinematics.chain import Chain

DOT_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""Which bit of a braille character stands for the dot in this row and column."""
BLANK = 0x2800
THICKNESS = np.array([0.0, 0.002])
"""A link is drawn as two lines this far apart [m]."""


class Canvas:
    """A sheet of dots with metres on both axes, the same scale in both."""

    def __init__(
        self, low: tuple[float, float], high: tuple[float, float], *, columns: int
    ) -> None:
        """Make a sheet from `low` to `high` (across, up) [m] that is `columns` characters wide."""
        self.low, self.scale = np.array(low), 2 * columns / (high[0] - low[0])
        rows = int(np.ceil((high[1] - low[1]) * self.scale / 4))
        self.dots = np.zeros((4 * rows, 2 * columns), bool)

    def line(self, start: np.ndarray, end: np.ndarray) -> None:
        """Draw a straight line between two points [m]."""
        steps = 1 + int(2 * np.abs(np.subtract(end, start)).max() * self.scale)
        self.points(np.linspace(start, end, steps))

    def points(self, points: np.ndarray) -> None:
        """Set the dots at points [m]; what lies off the sheet is left out. Shape (n, 2)."""
        column, up = ((np.asarray(points) - self.low) * self.scale).astype(int).T
        row = self.dots.shape[0] - 1 - up
        on = (row >= 0) & (row < self.dots.shape[0]) & (column >= 0) & (column < self.dots.shape[1])
        self.dots[row[on], column[on]] = True

    def codes(self) -> np.ndarray:
        """Return the braille characters as numbers, one per character cell."""
        height, width = self.dots.shape
        cells = self.dots.reshape(height // 4, 4, width // 2, 2).transpose(0, 2, 1, 3)
        return BLANK + (cells * DOT_BITS).sum(axis=(2, 3))


def _outline(dots: np.ndarray) -> np.ndarray:
    """Return the edge of a cloud of dots, with the small holes of sampling closed first."""
    filled = ~_grown(~_grown(dots))
    return filled & _grown(~filled)


def _grown(dots: np.ndarray) -> np.ndarray:
    """Return the dots and their eight neighbours."""
    around = np.pad(dots, 1)
    height, width = dots.shape
    shifts = [(i, j) for i in range(3) for j in range(3)]
    return np.any([around[i : i + height, j : j + width] for i, j in shifts], axis=0)


def side_view(
    chain: "Chain",
    postures: list,
    *,
    heading: float = 0.0,
    columns: int = 50,
    seed: int = 0,
    ascii_only: bool = False,
) -> str:
    """Return the arm in one or more postures, seen from the side, over the points it can reach.

    `heading` is the direction that points to the right in the drawing, an azimuth [rad].
    The result carries rich markup: the edge of the reach is dim, the arm is bold. For terminals
    that cannot show dots, `ascii_only` draws with # and a full stop.
    """
    rng = np.random.default_rng(seed)
    q = rng.uniform(chain.dh.lower, chain.dh.upper, (40_000, len(chain.joint_names)))
    q[:, 0] = 0.0
    reach = chain.forward(q)[:, :3, 3][:, [0, 2]]
    onto = np.array([[np.cos(heading), 0.0], [np.sin(heading), 0.0], [0.0, 1.0]])
    low, high = reach.min(axis=0) - 0.02, reach.max(axis=0) + 0.02
    behind = Canvas(tuple(low), tuple(high), columns=columns)
    behind.points(reach)
    behind.dots = _outline(behind.dots)
    arm = Canvas(tuple(low), tuple(high), columns=columns)
    for posture in postures:
        frames = chain.dh.joint_frames(posture)[:, :3, 3] @ onto
        corners = np.vstack([[0.0, 0.0], frames])
        for start, end in pairwise(corners):
            arm.line(start, end)
            arm.line(start + THICKNESS, end + THICKNESS)
    lines = []
    for dim, bold in zip(behind.codes(), arm.codes(), strict=True):
        cells = (
            f"[bold cyan]{_sign(b, '#', ascii_only)}[/]"
            if b != BLANK
            else f"[dim]{_sign(d, '.', ascii_only)}[/]"
            for d, b in zip(dim, bold, strict=True)
        )
        lines.append("".join(cells))
    return "\n".join(lines)


def _sign(code: int, mark: str, ascii_only: bool) -> str:
    """Return the character of a cell: its dots, or a mark where there are any."""
    if not ascii_only:
        return chr(code)
    return mark if code != BLANK else " "
