"""Finding a base again that is not where it is tracked, without leaving it for a look-alike.

While scans fit badly, a second population looks for the base everywhere in the map. Both are moved
by the same odometry and weighed by the same scans, and the evidence of both is added up: what a
population that was spread over the whole map predicted of each scan, against what the tracked one
did. The search has to make up for all the places that it has tried. It replaces the tracked
population once it is more likely, in one place, and fits as scans usually do.
"""

from math import exp, hypot, log, pi

import numpy as np

from mecano.core.poses import Pose2
from mecano.estimation.localization.likelihood_field import DistanceField
from mecano.estimation.localization.population import Likelihood, Population, promising
from mecano.estimation.localization.settings import AmclSettings

CARRIED = 0.01
"""How likely a base was carried away, where scans stop fitting (EST)."""
SHARE = 0.9
"""Of the search's weight that must be in one cluster,"""
ODDS = 20.0
"""and how many times more likely it must be than the tracked population."""
CERTAIN = 40.0
"""Beyond these log odds it may fit worse than scans usually do: people may stand there too."""
UPDATES = 3
"""Scans that it has been weighed by, at least."""
NEW_DISTANCE = 0.5
"""After so much of the drive [m], or a turn by its field of view, a scan is evidence of its own.
Furniture that was moved contradicts the map in every scan of it: until then they count in part."""
HOPELESS = -20.0
"""A search whose log odds are below this begins anew."""
FULL = 10.0
"""A scan of so many independent beams moves the averages as AMCL's do; a narrower one less."""


class FitWatch:
    """Follows how well scans fit, slowly and fast, as augmented MCL does."""

    def __init__(self, settings: AmclSettings) -> None:
        """Begin without a scan."""
        self._settings = settings
        self.slow = self.fast = 0.0
        """Averages of the likelihood of a typical beam, where people may hide walls."""
        self.usual = self.last = 0.0
        """The same by the likelihood field, on average and of the newest scan."""

    def note(self, plain: float | None, occluded: float, independent: float) -> None:
        """Take the likelihood of a typical beam of a scan.

        Args:
            plain: By the likelihood field; None if the map knows nothing of what it sees.
            occluded: Where people may hide walls.
            independent: So many independent beams the scan counts for.
        """
        s, part = self._settings, min(1.0, independent / FULL)
        plain = self.last if plain is None else plain
        if not self.slow:
            self.slow = self.fast = occluded
            self.usual = plain
        if not self.poor or occluded > self.slow:  # a lost base does not learn to like it
            self.slow += s.recovery_alpha_slow * part * (occluded - self.slow)
            self.usual += s.recovery_alpha_slow * part * (plain - self.usual)
        self.fast += s.recovery_alpha_fast * part * (occluded - self.fast)
        self.last = plain

    @property
    def good(self) -> float:
        """A scan that fits better than this fits as scans usually do, people and all."""
        return (1.0 - self._settings.recovery_band) * self.slow

    @property
    def poor(self) -> bool:
        """Whether scans have stopped fitting."""
        return self.fast < self.good


class Recovery:
    """A second population, while the scans do not fit the tracked one."""

    def __init__(
        self,
        field: DistanceField,
        settings: AmclSettings,
        rng: np.random.Generator,
        *,
        field_of_view: float = 2.0 * pi,
    ) -> None:
        """Begin without a search.

        Args:
            field: Of the map.
            settings: Of the filter.
            rng: Source of randomness.
            field_of_view: Of the scanner [rad].
        """
        self._field, self._settings, self._rng = field, settings, rng
        self._view, self._new = field_of_view, 0.0
        self.search: Population | None = None
        """It may be anywhere; None while the scans fit."""
        self.log_odds = 0.0
        """Of the search against the tracked population."""
        self._updates = 0

    def stop(self) -> None:
        """End the search."""
        self.search = None

    @property
    def doubt(self) -> float:
        """How likely the base is where the search has it, not where it is tracked."""
        return 0.0 if self.search is None else 1.0 / (1.0 + exp(-max(self.log_odds, -700.0)))

    def move(self, step: Pose2) -> None:
        """Move the search by a step of odometry."""
        self._new += hypot(step.x, step.y) / NEW_DISTANCE + abs(step.yaw) / self._view
        if self.search is not None:
            self.search.move(step, self._settings, self._rng)

    def look(
        self, watch: FitWatch, likelihood: Likelihood, tracked: Population
    ) -> Population | None:
        """Take in a scan; return the population that takes over from the tracked one, if one does.

        Args:
            watch: Of how well scans fit the tracked population, this one included.
            likelihood: Of the scan.
            tracked: The tracked population.
        """
        new, self._new = min(1.0, self._new), 0.0
        if not watch.poor:
            self.stop()
            return None
        evidence = tracked.evidence(likelihood.occluded(tracked.poses))
        if self.search is None or self.log_odds < HOPELESS:
            self._begin(likelihood, evidence)
            return None
        found = self.search.weigh(likelihood.occluded(self.search.poses))
        self.log_odds += new * (found - evidence)
        self._updates += 1
        best = self.search.best()
        fits = self.log_odds > CERTAIN or self._fits(likelihood, watch)
        self.search.resample(self._settings, self._rng)
        if self._updates < UPDATES or self.log_odds < log(ODDS) or best.weight < SHARE or not fits:
            return None
        population, self.search = self.search, None
        return population

    def _fits(self, likelihood: Likelihood, watch: FitWatch) -> bool:
        """Tell whether the scan fits the search's best particle as well as scans usually do."""
        assert self.search is not None
        top = self.search.poses[[np.argmax(self.search.weights)]]
        return likelihood.quality(top) > watch.good

    def _begin(self, likelihood: Likelihood, evidence: float) -> None:
        self.search, found = self.anywhere(likelihood)
        self.log_odds = log(CARRIED) + found - evidence
        self._updates = 1

    def anywhere(self, likelihood: Likelihood) -> tuple[Population, float]:
        """Return particles where a scan fits, all over the map, and the log of its evidence."""
        s = self._settings
        count = max(s.candidates, s.max_particles)
        candidates = self._field.draw(count, self._rng)
        volume = self._field.volume / count
        return promising(candidates, volume, likelihood, s.max_particles, self._rng)
