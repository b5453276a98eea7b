"""What cups on a wall carry while one after the other is released: the record of the wall test."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array
from mecano.core.devices import CupEvent
from mecano.lab.robot import Robot
from mecano.session.session import Session

Releases = Sequence[tuple[float, int]]
"""When which cup is switched off [s]."""
KNOCK = 0.05
"""A cup that hits the wall so long before another one breaks has knocked it off [s]."""
LAST_CUPS = (2, 3)
"""They break in the thesis, both by shear."""
BEFORE = 0.1
"""Loads before a release are those of this long before it [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Hanging:
    """A robot on a wall, from the first to the last sample."""

    times: Array
    """[s]. Shape (n,)."""
    pull: Array
    """Of each cup, medians of five [N]; NaN where it does not hold. Shape (n, 6)."""
    shear: Array
    """The same along the wall."""
    height: Array
    """Of the body above the floor [m]. Shape (n,)."""
    touching: np.ndarray
    """Which cups touch the wall without holding on to it. Shape (n, 6)."""
    limits: tuple[float, float]
    """Pull and shear at which a cup breaks [N]."""
    releases: Releases
    breaks: tuple[CupEvent, ...]
    floor: float | None
    """When the robot reached the floor [s]; None if it did not."""

    @property
    def last_release(self) -> float:
        """[s]."""
        return self.releases[-1][0]

    @property
    def early(self) -> tuple[CupEvent, ...]:
        """Breaks before the last release; the thesis has none."""
        return tuple(each for each in self.breaks if each.time < self.last_release)

    @property
    def in_order(self) -> bool:
        """Whether nothing broke before the last release, and the two last cups after it."""
        return not self.early and {each.cup for each in self.breaks} == set(LAST_CUPS)

    def loads(self, loads: Array, time: float) -> Array:
        """Return loads of the cups shortly before a time [s]; NaN where a cup does not hold."""
        return loads[max(0, int(np.searchsorted(self.times, time - BEFORE)) - 1)]

    def largest(self, loads: Array, number: int) -> tuple[float, float]:
        """Return the largest load [N] of the cups that stay, before and after a release.

        After is when it has settled, shortly before the next release; after the last one it is what
        the cups carried when they broke. `number` counts from 0.
        """
        gone = [leg - 1 for _, leg in self.releases[: number + 1]]
        before = self.loads(loads, self.releases[number][0]).copy()
        before[gone] = np.nan
        if number + 1 < len(self.releases):
            after = most(self.loads(loads, self.releases[number + 1][0]))
        else:
            torn = [each.shear if loads is self.shear else each.pull for each in self.breaks]
            after = max(most(loads[self.times > self.last_release]), *torn, 0.0)
        return most(before), after

    def rises(self) -> bool:
        """Tell whether each release made the largest shear of the remaining cups rise."""
        pairs = [self.largest(self.shear, i) for i in range(len(self.releases))]
        return all(after > before for before, after in pairs)

    def cause(self, event: CupEvent) -> str:
        """Return what broke a cup."""
        causes = [
            name
            for name, load, limit in zip(
                ("pull", "shear"), (event.pull, event.shear), self.limits, strict=True
            )
            if load > limit
        ]
        return " and ".join(causes)

    def knock(self, event: CupEvent) -> int | None:
        """Return the leg that swung against the wall just before a cup broke, if one did."""
        begin, end = np.searchsorted(self.times, (event.time - KNOCK, event.time - 1e-6))
        struck = self.touching[begin:end].any(axis=0) & ~self.touching[max(0, begin - 1)]
        torn = [each.cup - 1 for each in self.breaks if event.time - KNOCK < each.time]
        struck[torn] = False  # these touch because they have just come off
        return int(np.argmax(struck)) + 1 if struck.any() else None


def most(loads: Array) -> float:
    """Return the largest load, 0 if no cup holds."""
    return float(np.nanmax(loads, initial=0.0))


class Log:
    """Writes down the loads at every tick; an observer of the session."""

    def __init__(self, robot: Robot) -> None:
        """Watch a robot in a scene with a floor."""
        self.robot = robot
        self.rows: list[tuple[float, ...]] = []
        self.floor: float | None = None
        self._body = robot.world.index("body", f"{robot.name}/{robot.legs.facts.frame}")
        self._floor = robot.world.index("geom", "floor")
        self._lips = np.array(
            [robot.world.index("geom", f"{robot.name}/{cup.lip}") for cup in robot.legs.facts.cups]
        )
        self._touched = np.zeros(len(self._lips), bool)

    def __call__(self, session: Session) -> None:
        """Add a row: time, pull, shear, which cups touched, height."""
        drive, data = self.robot.cups.drive, self.robot.world.data
        loads = np.where(drive.holding[:, None], drive.loads[:, :2], np.nan)
        pairs = data.contact.geom
        height = data.xpos[self._body, 2]
        # Cups are read before a tick and contacts are those after it: these are of the tick before.
        self.rows.append((drive.stamp, *loads[:, 0], *loads[:, 1], *self._touched, height))
        self._touched = np.isin(self._lips, pairs)
        if self.floor is None and (pairs == self._floor).any():
            self.floor = session.time

    def result(self, releases: Releases) -> Hanging:
        """Return all that was seen."""
        rows, cups = np.array(self.rows), self.robot.cups
        pull, shear, touching = np.split(rows[:, 1:-1], 3, axis=1)
        most_pull, most_shear, _ = cups.drive.laws[0].parameters
        return Hanging(
            times=rows[:, 0], pull=pull, shear=shear, touching=touching > 0.0,
            height=rows[:, -1], limits=(most_pull, most_shear), releases=releases,
            breaks=tuple(each for each in cups.events if each.what == "break"), floor=self.floor,
        )  # fmt: skip


def hang(robot: Robot, releases: Releases, seconds: float) -> Hanging:
    """Release cups at their times, whatever is foreseen, and watch for so long in all [s]."""
    log = Log(robot)
    robot.session.observers.append(log)
    try:
        for time, leg in releases:
            robot.wait(max(0.0, time - robot.time))
            robot.cups.release(leg, force=True)
        robot.wait(max(0.0, seconds - robot.time))
    finally:
        robot.session.observers.remove(log)
    return log.result(releases)


def write_csv(found: Hanging, path: Path) -> None:
    """Write the loads of all cups over time; nan where a cup does not hold."""
    count = found.pull.shape[1]
    names = [f"cup_{i + 1}_{load}_n" for load in ("pull", "shear") for i in range(count)]
    np.savetxt(
        path,
        np.column_stack([found.times, found.pull, found.shear, found.height]),
        delimiter=",",
        fmt=["%.3f", *["%.4f"] * (2 * count), "%.5f"],
        header=",".join(["time_s", *names, "height_m"]),
        comments="",
    )
