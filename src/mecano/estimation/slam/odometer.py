"""What odometry went from one keyframe to the next, and how far it can be trusted."""

from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from mecano.core.arrays import Array
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose

WINDOW = 4.0
"""The search reaches so many standard deviations of odometry to each side."""
LEAST_WINDOW = (0.2, 0.1)
"""And at least so far [m], [rad]."""
MOST_WINDOW = (2.0, 1.0)
"""And at most [m], [rad]."""
LOST = (1.0, 0.5)
"""Deviation of a step in which odometry jumped [m], [rad] (EST)."""
REACH = 1.2
"""The base may have gone so many times as far as odometry says, in any direction."""
MOST_REACH = (3.0, 1.6)
"""But no further than this from one keyframe to the next [m], [rad]."""
FADING_DOUBT = 0.9
"""Odometry that was wrong may be wrong again where no scan tells: right after, its distance is as
uncertain as it is long; after each keyframe that is this much less."""
BY_GYRO = 0.02
"""Deviation of the turn, per turn, below which it is a gyro's: wheels that slip do not turn it."""
NOTICED = 0.1
"""Distances below are within the search around what odometry says [m]."""
FADING = 0.98
"""What the longest step so far counts after each further one."""
DOUBT = 3.0
"""A match that fits poorly has so many times the deviation."""


HEADING = np.array([0.0, 0.0, 1.0])
"""What of a step is its turn."""


@dataclass(frozen=True, eq=False)
class Step:
    """What odometry went, and how far it can be trusted."""

    moved: Array
    """x, y [m], yaw [rad], seen from where it began. Shape (3,)."""
    off: float
    """Deviation of the way [m]."""
    skid: float
    """Deviation of the turn [rad]."""
    sign: float = 1.0
    """-1 if wheels are taken to count backwards as forwards, 0 if they turned in vain."""
    hidden: float = 0.0
    """Further deviation of the way, where no scan tells whether odometry is wrong again [m]."""
    by_gyro: bool = False
    """Whether the turn was measured by a gyro."""

    def unknown(self, distance: float, turn: float) -> "Step":
        """Return a step of which only the range is known: it may be none, or any up to these.

        A heading by a gyro stays known: what is wrong with wheels is not wrong with it.
        """
        off = max(self.off, distance)
        if self.by_gyro:
            return replace(self, moved=self.moved * HEADING, off=off, hidden=0.0)
        return Step(np.zeros(3), off, max(self.skid, turn), sign=self.sign)

    @property
    def window(self) -> tuple[float, float]:
        """How far to search to each side [m], [rad]."""
        return (
            min(max(WINDOW * self.off, LEAST_WINDOW[0]), MOST_WINDOW[0]),
            min(max(WINDOW * self.skid, LEAST_WINDOW[1]), MOST_WINDOW[1]),
        )

    @property
    def information(self) -> Array:
        """Inverse covariance. Shape (3, 3)."""
        known = np.zeros((3, 3))
        known[0, 0] = known[1, 1] = (self.off + self.hidden) ** -2
        known[2, 2] = self.skid**-2
        return known


class Odometer:
    """Adds up what odometry went since the last keyframe.

    What it learns while driving: how far steps reach, and whether odometry was wrong lately. How
    exact it is was learned too, from what sure matches said; on logs whose odometry errs now and
    then rather than always, that trusted it too much (tried, worse).
    """

    def __init__(self, settings: SlamSettings) -> None:
        self._settings = settings
        self._moved = self._before = self._last = np.zeros(3)
        self._way = self._turn = 0.0
        self._usual_way, self._usual_turn = 0.0, 0.0
        self._suspicion = 0.0
        self._jumped = False

    def reset(self) -> None:
        """Begin anew: the keyframe is here."""
        self._moved = self._before = self._last = np.zeros(3)
        self._way = self._turn = 0.0
        self._jumped = False

    def correct(self, ahead: Array) -> None:
        """Take what a match found for what odometry should have said since the keyframe.

        Args:
            ahead: The base seen from the last keyframe. Shape (3,).
        """
        self._moved = ahead
        self._way, self._turn = hypot(ahead[0], ahead[1]), abs(ahead[2])
        self._jumped = False

    def learn(self, ahead: Array, *, doubted: bool) -> None:
        """Note a step from one keyframe to the next.

        Args:
            ahead: As it was matched. Shape (3,).
            doubted: Whether odometry was found to be wrong.
        """
        self._suspicion = 1.0 if doubted else FADING_DOUBT * self._suspicion
        self._usual_way = max(FADING * self._usual_way, hypot(ahead[0], ahead[1]))
        self._usual_turn = max(FADING * self._usual_turn, abs(ahead[2]))

    @property
    def reach(self) -> tuple[float, float]:
        """How far the base may be from the last keyframe, whatever odometry says [m], [rad].

        As far as odometry went, or as steps were lately.
        """
        way = max(self._way, self._usual_way)
        turn = max(self._turn, self._usual_turn)
        return min(REACH * way + LEAST_WINDOW[0], MOST_REACH[0]), min(
            REACH * turn + LEAST_WINDOW[1], MOST_REACH[1]
        )

    def go(self, moved: Array) -> None:
        """Add a step, seen from where it began; one that no base can drive counts as none."""
        way = hypot(moved[0], moved[1])
        if way > self._settings.jump:
            self._jumped = True
            return
        self._before, self._last = self._moved, moved
        self._moved = compose(self._moved, moved)
        self._way += way
        self._turn += abs(moved[2])

    @property
    def step(self) -> Step:
        """All steps as one; their deviations grow with way and turn, not with their number."""
        settings = self._settings
        off = settings.odometry_floor + settings.slip * self._way
        skid = settings.odometry_floor + settings.skid * self._turn
        skid += settings.skid_by_way * self._way
        if self._jumped:
            off, skid = max(off, LOST[0]), max(skid, LOST[1])
        return Step(
            self._moved, off, skid, hidden=self._suspicion * self._way,
            by_gyro=settings.skid <= BY_GYRO and not self._jumped,
        )  # fmt: skip

    @property
    def faulty(self) -> tuple[Step, ...]:
        """What the base did if wheels count without sign, or turn while it is blocked.

        Both for the last reading alone and for all since the keyframe. None where that is hardly
        different from what odometry says.
        """
        step = self.step
        found = []
        for before, last in ((self._before, self._last), (np.zeros(3), self._moved)):
            if hypot(last[0], last[1]) < NOTICED:
                continue
            for sign in (-1.0, 0.0):
                moved = compose(before, last * np.array([sign, sign, 1.0]))
                found.append(replace(step, moved=moved, sign=sign))
            if not before.any():
                break
        return tuple(found)
