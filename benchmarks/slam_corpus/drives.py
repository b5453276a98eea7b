"""Drives through random buildings: what odometry and scanner recorded, and the ground truth."""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.drive_log import DriveLog
from slam_corpus.buildings import STYLES, make_plan
from slam_corpus.furniture import Interior
from slam_corpus.odometry_faults import (
    FAULTS,
    Fault,
    WheelNoise,
    drifting,
    scaled_turn,
    steps_of,
    stretches,
    strung,
    unsigned,
)
from slam_corpus.scanners import Scanner, shows_motion
from slam_corpus.tours import TICK, drive_along, make_tour

LONGEST_LOG = 2500
"""Scans of a drive, about [1]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Drive:
    """A drive through a building that exists only as a seed."""

    kind: str
    """Of the building."""
    fault: Fault
    """Of odometry."""
    log: DriveLog
    truth: Array
    """Pose of the base at every scan: x, y [m], yaw [rad]. Shape (scans, 3)."""
    interior: Interior
    visits: Array
    """Which layout of the furniture stood at every scan. Shape (scans,)."""
    scanner: Scanner


def kind_and_fault(number: int) -> tuple[str, Fault]:
    """Return what a drive of a corpus is: kinds in turn, a third without any fault."""
    kind = list(STYLES)[number % len(STYLES)]
    if number % 3 == 0:
        return kind, "none"
    return kind, FAULTS[(number - number // 3 - 1) % len(FAULTS)]


def make_drive(seed: int, number: int, *, length: float | None = None) -> Drive:
    """Return a drive; the same numbers give the same drive, bit for bit.

    Args:
        seed: Of the corpus.
        number: Of the drive, from 0.
        length: Way to drive, about [m]; None draws 150 to 600 m.
    """
    rng = np.random.default_rng([seed, number])
    kind, fault = kind_and_fault(number)
    style = STYLES[kind]
    plan = make_plan(style, rng)
    length = rng.uniform(150.0, 600.0) if length is None else length
    path = drive_along(make_tour(plan, length, 0.6 if fault == "unsigned" else 0.15, rng), rng)
    scanner = Scanner.random(rng, longest=12.0 if kind == "open hall" else 80.0)
    interior = Interior.furnished(plan, style, path, rng)
    recorder = _Recorder(interior, scanner, path, rng)
    if fault != "none":
        recorder.fail(fault)
    return recorder.record(kind, fault, length)


class _Recorder:
    """A path and what odometry says of it, changed by a fault, then recorded."""

    def __init__(
        self, interior: Interior, scanner: Scanner, path: Array, rng: np.random.Generator
    ) -> None:
        self._interior, self._scanner, self._rng = interior, scanner, rng
        self.path, self.visits = path, interior.visits_along(path)
        self.steps = WheelNoise.random(rng).apply(steps_of(path), rng)

    def fail(self, fault: Fault) -> None:
        """Change odometry, and the path where the base is blocked."""
        rng = self._rng
        match fault:
            case "unsigned":
                self.steps = unsigned(self.steps)
            case "turn" if rng.random() < 0.5:
                self.steps = scaled_turn(self.steps, 1.0 + 0.1 * rng.choice([-1.0, 1.0]))
            case "turn":
                self.steps = drifting(self.steps, np.deg2rad(5.0) * rng.choice([-1.0, 1.0]))
            case "frozen":
                for part in self._noticed(rng.uniform(1.5, 5.0), int(rng.integers(1, 4))):
                    self.steps[part] = 0.0
            case "jumps":
                for part in self._noticed(0.5, int(rng.integers(1, 4))):
                    turn = rng.uniform(-np.pi, np.pi) * rng.integers(0, 2)
                    self.steps[part.start] += (*rng.uniform(-8.0, 8.0, 2), turn)
            case "blocked":
                for part in sorted(self._noticed(0.5, 4), key=lambda each: -each.start):
                    self._block(part.start)
            case "none":
                raise ValueError("a drive without a fault does not fail")

    def _block(self, at: int) -> None:
        """Stand still from a tick on while the wheels turn."""
        ticks = int(self._rng.integers(15, 60))
        spin = (self._rng.uniform(0.2, 0.6) * TICK, 0.0, self._rng.uniform(-0.2, 0.2) * TICK)
        self.path = np.insert(self.path, [at] * ticks, self.path[at], axis=0)
        self.visits = np.insert(self.visits, [at] * ticks, self.visits[at])
        self.steps = np.insert(self.steps, [at] * ticks, spin, axis=0)

    def _noticed(self, length: float, count: int) -> list[slice]:
        """Return stretches on which a scanner can notice that odometry is wrong."""
        shown = np.zeros(len(self.steps), dtype=bool)
        sampled = np.arange(0, len(self.steps), 8)
        ranges = self._interior.ranges(
            self._scanner, self.path[sampled], self.visits[sampled], None
        )
        for k, row in zip(sampled.tolist(), ranges, strict=True):
            shown[k : k + 8] = shows_motion(self._scanner.scan(0.0, row))
        return stretches(self.steps, length, count, self._rng, shown)

    def record(self, kind: str, fault: Fault, length: float) -> Drive:
        """Take scans and return the drive in a frame of its own, as odometry began anywhere."""
        rng = self._rng
        odometry = strung(np.array([*rng.uniform(-5, 5, 2), rng.uniform(-3, 3)]), self.steps)
        ticks = self._scan_ticks(max(rng.uniform(0.1, 0.3), length / LONGEST_LOG))
        truth = self.path[ticks]
        visits = self.visits[ticks]
        ranges = self._interior.ranges(self._scanner, truth, visits, rng)
        stamps = 1000.0 + TICK * np.arange(len(odometry), dtype=np.float64)
        log = DriveLog(
            source=f"{kind}, {fault}",
            odometry_stamps=stamps,
            odometry=odometry,
            scans=tuple(map(self._scanner.scan, stamps[ticks].tolist(), ranges)),
            scan_odometry=odometry[ticks],
            mount=self._scanner.mount,
        )
        return Drive(
            kind=kind, fault=fault, log=log, truth=truth, interior=self._interior, visits=visits,
            scanner=self._scanner,
        )  # fmt: skip

    def _scan_ticks(self, spacing: float) -> list[int]:
        """Return when scans are taken: after so much way, true or by odometry, or turn, or 2 s."""
        true = steps_of(self.path)
        way = np.maximum(np.hypot(*true[:, :2].T), np.abs(self.steps[:, 0])).clip(max=spacing)
        turn = np.maximum(np.abs(true[:, 2]), np.abs(self.steps[:, 2]))
        driven = np.cumsum(way / spacing + turn / 0.2 + TICK / 2.0)
        scans = np.flatnonzero(np.diff(np.floor(driven)) > 0.0) + 2
        return [0, *(int(tick) for tick in scans if tick < len(self.path))]
