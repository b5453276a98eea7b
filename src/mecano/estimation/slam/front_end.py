"""Where each scan was taken, by the map of the last keyframes."""

from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from mecano.core.arrays import Array
from mecano.estimation.slam.clouds import Cloud
from mecano.estimation.slam.edges import in_axes_of, in_axes_of_map
from mecano.estimation.slam.evidence import (
    CLOSE,
    EXCELLENT,
    PLENTY,
    REVERSALS,
    SUSPICIOUS,
    Evidence,
    Witnesses,
)
from mecano.estimation.slam.field import Field
from mecano.estimation.slam.keyframes import Keyframes
from mecano.estimation.slam.odometer import DOUBT, LEAST_WINDOW, Odometer, Step, turned
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
BETTER, SLACK = 0.1, 0.05
"""A place elsewhere within reach is looked at if its score is that much higher; a mistake of wheels
if it is no more than this lower."""
ELSEWHERE = (0.15, 0.1)
"""Another place is so far away [m], [rad]; odometry is not wrong by less."""
UNKNOWN = (1e3, 1e3)
"""Deviation of a step of which nothing is known [m], [rad]."""
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
        self._reversals = 0

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
        sign = 1.0 if wrong is None else wrong.step.sign
        self._reversals += sign == -1.0 != self._sign
        self._sign = sign
        return self._placed(best if wrong is None else replace(wrong, doubted=True))

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
            if other.fitness < (best or said).fitness:
                continue
            if self._is_refuted(cloud, said, other):
                best = other
        return best

    def _is_refuted(self, cloud: Cloud, said: Fit, other: Fit) -> bool:
        """Tell whether a scan shows that another place is right, and not the one odometry has."""
        x, y, yaw = other.match.pose - said.match.pose
        if hypot(x, y) < ELSEWHERE[0] and abs(turned(yaw)) < ELSEWHERE[1]:
            return False
        witnesses = Witnesses(self._keyframes, cloud)
        here, there = (witnesses.contradiction(self._placed(fit).pose) for fit in (said, other))
        evidence = Evidence(other.fitness - said.fitness, here - there, there, other.fitness)
        if evidence.is_strong:
            return True
        known = witnesses.known_from(said.match.pose)
        same = other.step.sign == self._sign != 1.0 and evidence.is_the_same_again
        suspicious = said.step.suspicion > SUSPICIOUS
        suspicious |= other.step.sign == -1.0 and self._reversals >= REVERSALS
        silent = suspicious or self._may_be_silent(known, said, other)
        weak = evidence.is_weak(suspicious=suspicious, silent=silent)
        return (same or weak) and self._is_known(known, said, other)

    def _may_be_silent(self, known: Cloud, said: Fit, other: Fit) -> bool:
        """Tell whether odometry may be wrong although free space does not contradict it."""
        x, y, _ = other.match.pose - said.match.pose
        plain = other.step.sign != 1.0 or other.fitness > EXCELLENT
        return plain and hypot(x, y) < CLOSE and len(known) >= PLENTY

    def _is_known(self, known: Cloud, said: Fit, other: Fit) -> bool:
        """Tell whether what earlier keyframes could see also fits better elsewhere."""
        if len(known) < MANY:
            return False
        here, there = (self._fit(known, fit.step, about=fit.found.pose) for fit in (said, other))
        return there.fitness > here.fitness + SLACK

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
            self._local_map(), cloud, expected, deviation=step.deviation,
            window=step.window if about is None else LEAST_WINDOW, floor=floor,
        )  # fmt: skip
        return self._slid(cloud, step, found)

    def _slid(self, cloud: Cloud, step: Step, found: Found) -> Fit:
        """Return how a scan fits when it is slid onto the lines from where it was found."""
        if found.score < 0.0:
            return Fit(step, found, NOWHERE)
        expected = compose(self._keyframes.poses[-1], step.moved)
        step = step.allowing(turned(found.pose[2] - expected[2]))
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
        if found.score < 0.0:
            return None
        other = self._slid(cloud, step, found)
        if dead:
            known = Witnesses(self._keyframes, cloud).known_from(said.match.pose)
            return other if self._is_known(known, said, other) else None
        return other if self._is_refuted(cloud, said, other) else None

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
