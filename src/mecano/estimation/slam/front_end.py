"""Where each scan was taken, by the map of the last keyframes."""

from dataclasses import dataclass, replace

import numpy as np

from mecano.core.arrays import Array
from mecano.estimation.slam.clouds import Cloud
from mecano.estimation.slam.edges import in_axes_of, in_axes_of_map
from mecano.estimation.slam.field import Field
from mecano.estimation.slam.free_space import contradiction, seen_before
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.odometer import DOUBT, LEAST_WINDOW, Odometer, Step
from mecano.estimation.slam.scan_matching import Found, Match, refine, search
from mecano.estimation.slam.settings import SlamSettings
from mecano.estimation.slam.single_poses import compose, relative

FEWEST, MANY = 10, 40
"""Returns that a scan needs to be matched, and to be believed against odometry."""
MATURE = 3
"""Keyframes of a map that is believed against odometry: a single scan fits best onto itself."""
POOR = 0.3
"""Share of returns that must find a partner; below, odometry alone counts."""
DOUBTFUL = 0.5
"""A match with a lower score counts less."""
BETTER = 0.1
"""A place elsewhere within reach is looked at if its score is that much higher."""
FAULTY, AGAIN, SLACK = 0.15, 0.02, 0.05
"""A mistake of wheels is believed if the scan fits that much better, of 2; right after the same one
that much; scores that are so much lower are not worth sliding. Of 17,000 steps through random
buildings none was wrongly doubted by this, and 95 % of 465 mistakes were noticed."""
EXCELLENT, LESS_CLEAR = 1.75, 0.09
"""A scan that fits less, of 2, must be better by so much more: logs with a scan per metre see less
of the same walls."""
UNDISPUTED = 0.04
"""Share of returns that may contradict where such a mistake leads to."""
UNKNOWN = (1e3, 1e3)
"""Deviation of a step of which nothing is known [m], [rad]."""
WITNESSES = 3
"""Keyframes that are asked whether free space contradicts a place."""
ONLOOKERS = 6
"""Keyframes that tell what is known."""
TOLERATED = 0.06
"""Share of returns that may contradict a place that is taken instead: things move."""
EVIDENCE, OVERWHELMING = 0.11, 0.38
"""By how much a place must be better, in score and in returns that contradict it together; and
where nothing else is asked."""
CONVINCING, REFUTED = 0.72, 0.10
"""And it must fit so well by itself, or be contradicted by so much less."""
ROOM = 3.0
"""The local map is drawn with so much room around it [m]."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Where a scan was taken."""

    pose: Array
    """x, y [m], yaw [rad] in the map. Shape (3,)."""
    information: Array | None
    """Of the match, along the axes of the map; None if odometry alone counts. Shape (3, 3)."""
    step: Step
    """What odometry is taken to know of it."""
    doubted: bool = False
    """Whether odometry was found to be wrong: the scan fits much better elsewhere."""


@dataclass(frozen=True, eq=False)
class Fit:
    """How a scan fits where a step leads to."""

    step: Step
    found: Found
    match: Match
    doubted: bool = False

    @property
    def fitness(self) -> float:
        """By the search and by the share of returns on lines, 0 to 2."""
        return self.found.score + self.match.share


NOWHERE = Match(np.zeros(3), np.zeros((3, 3)), 0.0, 0.0)


class FrontEnd:
    """Matches scans to a map of the last keyframes."""

    def __init__(self, keyframes: Keyframes, settings: SlamSettings) -> None:
        self._keyframes, self._settings = keyframes, settings
        self._field: Field | None = None
        self._begun = 0
        self._sign = 1.0

    def forget_map(self) -> None:
        """Draw the local map anew before the next match: keyframes moved."""
        self._field = None

    def extend_map(self, new: int) -> None:
        """Draw a new keyframe into the local map; it lets go of the oldest now and then."""
        if self._field is None:
            return
        full = self._keyframes.first_near(new, share=0.5) > self._begun
        if full or not self._field.add(new, self._keyframes.poses[new]):
            self._field = None

    def place(self, cloud: Cloud, odometer: Odometer, *, dead: bool = False) -> Placed:
        """Return where a scan was taken.

        Odometry is believed unless the scan says otherwise: first it may have made one of the
        mistakes that wheels make, then any within reach.

        Args:
            cloud: Its returns.
            odometer: What odometry went since the last keyframe.
            dead: Odometry says that nothing moved, but the scan changed.
        """
        step, last = odometer.step, self._keyframes.poses[-1]
        if len(cloud) < FEWEST:
            return Placed(compose(last, step.moved), None, step)
        best = self._fit(cloud, step)
        if len(self._keyframes) < MATURE or len(cloud) < MANY:
            return self._placed(best)
        wrong = self._wheels(cloud, best, odometer)
        wrong = self._anywhere(cloud, wrong or best, odometer.reach, dead=dead) or wrong
        if wrong is not None and not self._is_known(cloud, best, wrong):
            wrong = None
        self._sign = 1.0 if wrong is None else wrong.step.sign
        return self._placed(best if wrong is None else replace(wrong, doubted=True))

    def _is_known(self, cloud: Cloud, said: Fit, other: Fit) -> bool:
        """Tell whether a scan also fits better elsewhere by what the last keyframes could see.

        A robot that drives on sees new walls, so it always fits best where it came from; returns
        where nothing is known yet say nothing for or against a pose.
        """
        frames, pose = self._keyframes, said.match.pose
        last = range(max(len(frames) - ONLOOKERS, 0), len(frames))
        known = cloud.where(
            seen_before(cloud, [(frames.store[k], relative(frames.poses[k], pose)) for k in last])
        )
        if len(known) < MANY:
            return False
        here, there = (self._fit(known, fit.step, about=fit.found.pose) for fit in (said, other))
        return there.fitness > here.fitness + SLACK

    def _wheels(self, cloud: Cloud, said: Fit, odometer: Odometer) -> Fit | None:
        """Return a fit of a mistake that wheels make, if a scan fits so much better there.

        Args:
            cloud: The scan.
            said: How it fits where odometry has it.
            odometer: What else it may mean.
        """
        best = None
        for step in odometer.faulty:
            other = self._fit(cloud, step, floor=said.found.score - SLACK)
            enough = AGAIN if step.sign == self._sign else FAULTY
            if other.fitness < EXCELLENT:
                enough += LESS_CLEAR
            if other.fitness < (best or said).fitness + (0.0 if best else enough):
                continue
            if self._contradiction(cloud, other.match.pose) < UNDISPUTED:
                best = other
        return best

    def _placed(self, best: Fit) -> Placed:
        """Return a fit as a place; where it is poor, odometry counts alone."""
        if best.match.share < POOR:
            pose = compose(self._keyframes.poses[-1], best.step.moved)
            return Placed(pose, None, best.step, best.doubted)
        doubt = DOUBT**2 if best.found.score < DOUBTFUL else 1.0
        known = best.match.information / doubt
        return Placed(best.match.pose, known, best.step, best.doubted)

    def _fit(
        self, cloud: Cloud, step: Step, *, floor: float = -1e9, about: Array | None = None
    ) -> Fit:
        """Return how a scan fits near where a step leads to, or near another pose."""
        expected = compose(self._keyframes.poses[-1], step.moved) if about is None else about
        found = search(
            self._local_map(), cloud, expected, deviation=(step.off, step.skid),
            window=step.window if about is None else LEAST_WINDOW, floor=floor,
        )  # fmt: skip
        return self._slid(cloud, step, found)

    def _slid(self, cloud: Cloud, step: Step, found: Found) -> Fit:
        """Return how a scan fits when it is slid onto the lines from where it was found."""
        if found.score < 0.0:
            return Fit(step, found, NOWHERE)
        expected = compose(self._keyframes.poses[-1], step.moved)
        trust = in_axes_of_map(expected[2], step.information)
        match = refine(self._local_map(), cloud, found.pose, expected=expected, trust=trust)
        return Fit(step, found, match)

    def _anywhere(
        self, cloud: Cloud, said: Fit, reach: tuple[float, float], *, dead: bool
    ) -> Fit | None:
        """Return a fit anywhere within reach if it is so much better that odometry is wrong."""
        step = said.step.unknown(*reach)
        window = (reach[0], step.window[1]) if step.by_gyro else reach
        found = search(
            self._local_map(), cloud, compose(self._keyframes.poses[-1], step.moved),
            deviation=UNKNOWN, window=window, floor=said.found.score + (SLACK if dead else BETTER),
        )  # fmt: skip
        if found.score < 0.0 or not (dead or self._is_refuted(cloud, said.found, found)):
            return None
        return self._slid(cloud, step, found)

    def _is_refuted(self, cloud: Cloud, found: Found, other: Found) -> bool:
        """Tell whether another place fits so much better that odometry must be wrong.

        A place can fit by chance where nothing is known yet. Then free space contradicts it, or
        it fits too little.
        """
        here, there = (self._contradiction(cloud, place.pose) for place in (found, other))
        better, freer = other.score - found.score, here - there
        if better + freer > OVERWHELMING:
            return True
        convincing = other.score > CONVINCING or freer > REFUTED
        return better + freer > EVIDENCE and convincing and there <= TOLERATED

    def _contradiction(self, cloud: Cloud, pose: Array) -> float:
        """Return how much the last keyframes contradict that a scan was taken at a pose, 0 to 1."""
        frames = self._keyframes
        shares = [
            contradiction(frames.store[number], cloud, relative(frames.poses[number], pose))
            for number in range(max(len(frames) - WITNESSES, 0), len(frames))
        ]
        return float(np.mean(shares))

    def _local_map(self) -> Field:
        if self._field is None:
            last = len(self._keyframes) - 1
            first = self._keyframes.first_near(last)
            self._field = self._keyframes.field(np.arange(last, first - 1, -1), room=ROOM)
            self._begun = last
        return self._field


def link(keyframes: Keyframes, new: int, placed: Placed) -> None:
    """Add the edge from the keyframe before: what odometry and the match say together.

    One edge, because the match was pulled by odometry already, and because the uncertainty along a
    path is that of both: in a bare corridor the match knows the heading and odometry the distance.

    Args:
        keyframes: With the new one.
        new: Its number.
        placed: Where it was placed.
    """
    measured = relative(keyframes.poses[new - 1], placed.pose)
    known = placed.step.information
    if placed.information is not None:
        known = known + in_axes_of(placed.pose[2], placed.information)
    keyframes.edges.append(new - 1, new, measured, known)
