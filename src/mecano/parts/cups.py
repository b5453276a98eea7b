"""The cups a user programs: on, off, what they carry, and whether one may let go."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.devices import CupDrive, CupEvent, CupState, Miss
from mecano.core.errors import InvalidInput
from mecano.core.grips import GripLaw
from mecano.core.messages import CupStates
from mecano.core.messages.cups import CUP_STATES
from mecano.parts.part import Part
from mecano.planning.adhesion import ReleaseForecast
from mecano.session.session import Session

NOT_YET = "a cup has only just taken hold, so its load is not known yet; wait 0.02 s or more"
LET_GO = (
    "a cup has only just let go, so what the others carry is not known yet; wait 0.02 s or more"
)
AGAIN = 0.02
"""Loads are those without a cup so long after it let go [s]: five readings, and some time to
settle."""
ATTACH_TIME = 0.1
"""How long a cup is given to take hold [s]."""


@dataclass(frozen=True, kw_only=True)
class CupResult:
    """What came of switching a cup."""

    leg: int
    done: bool
    """Whether it holds, or has let go, as was asked for."""
    reason: str = ""
    """Why not."""

    @property
    def message(self) -> str:
        """The result in one sentence."""
        return self.reason or f"leg {self.leg}: done"


class Cup:
    """The cup of one leg."""

    def __init__(self, cups: "Cups", number: int) -> None:
        """Take its place; numbers count from 1."""
        self.cups, self.number = cups, number

    def __repr__(self) -> str:
        loads = f"pull {self.pull:.1f} N, shear {self.shear:.1f} N, margin {self.margin:.2f}"
        return f"<Cup {self.number}: {self.state}, {loads}>"

    @property
    def state(self) -> CupState:
        """Off, searching, holding or broken."""
        return self.cups.drive.state(self.number - 1)

    @property
    def holding(self) -> bool:
        """Whether it holds on to something."""
        return bool(self.cups.drive.holding[self.number - 1])

    @property
    def pull(self) -> float:
        """Load away from the surface, median of five [N]."""
        return float(self.cups.drive.loads[self.number - 1, 0])

    @property
    def shear(self) -> float:
        """Load along the surface, median of five [N]."""
        return float(self.cups.drive.loads[self.number - 1, 1])

    @property
    def moment(self) -> float:
        """Moment about its face, median of five [N m]; it breaks only bonds with `Suction.peel`."""
        return float(self.cups.drive.loads[self.number - 1, 2])

    @property
    def margin(self) -> float:
        """How much of what it can hold is left, from 1 (no load) to 0 (it lets go)."""
        return 1.0 - float(self.cups.drive.share[self.number - 1])

    @property
    def moment_margin(self) -> float:
        """What would be left of its pull if its moment peeled it off over its lip; 0 or less means
        that a real cup would lift its lip. See `Suction.peel`."""
        return 1.0 - float(self.cups.drive.peeled[self.number - 1])

    @property
    def distance(self) -> float:
        """To the surface before it, along its axis [m]; infinite if there is none."""
        return self.cups.distance(self.number - 1)


class Cups(Part):
    """All cups of a robot; `cups[1]` is one of them."""

    kind = name = "cups"

    def __init__(self, session: Session, drive: CupDrive) -> None:
        """Take the devices; `mecano.connect` does this."""
        self.session, self.drive = session, drive
        self._cups = [Cup(self, i + 1) for i in range(len(drive.signal))]
        self.forecast: Callable[[int, Mask], ReleaseForecast]
        """Foresees what a release does, given which cups hold; the legs set it."""
        self.on_law: Callable[[GripLaw], None]
        """Told of other laws; the legs set it."""

    def __getitem__(self, number: int) -> Cup:
        self._check(number)
        return self._cups[number - 1]

    def summary(self) -> str:
        """Return how many hold, in a line."""
        return f"{int(self.holding.sum())} of {len(self)} cups hold"

    def __iter__(self) -> Iterator[Cup]:
        return iter(self._cups)

    def __len__(self) -> int:
        return len(self._cups)

    def _check(self, number: int) -> None:
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not 1 <= number <= len(self._cups):
            raise InvalidInput(
                f"there is no cup {number!r}; cups are numbered like legs, 1 to {len(self._cups)}"
            )

    # --- what they read

    @property
    def holding(self) -> Mask:
        """Which cups hold. Shape (cups,)."""
        return self.drive.holding

    def read(self) -> CupStates:
        """Return what all cups do and carry."""
        pull, shear, moment = self.drive.loads.T
        return CupStates(
            stamp=self.drive.stamp,
            name=tuple(f"cup_{cup.number}" for cup in self),
            state=np.array([CUP_STATES.index(cup.state) for cup in self], float),
            pull=pull, shear=shear, moment=moment, share=self.drive.share,
        )  # fmt: skip

    @property
    def margins(self) -> Array:
        """How much of what each cup can hold is left; 1 for cups without load. Shape (cups,)."""
        return 1.0 - self.drive.share

    @property
    def moment_margins(self) -> Array:
        """`moment_margin` of each cup. Shape (cups,)."""
        return 1.0 - self.drive.peeled

    @property
    def peaks(self) -> Array:
        """Largest share of its hold that each cup used since `forget_peaks`. Shape (cups,)."""
        return self.drive.peaks[:, 0]

    def forget_peaks(self) -> None:
        """Begin anew to look for the largest loads."""
        self.drive.forget_peaks()

    @property
    def events(self) -> list[CupEvent]:
        """All bonds, releases and breaks so far."""
        return self.drive.events

    def distance(self, leg: int) -> float:
        """Return how far the surface before a cup is, along its axis [m]; legs count from 0."""
        self._check(
            leg if isinstance(leg, bool) or not isinstance(leg, int | np.integer) else leg + 1
        )
        return self.drive.distance(leg)

    # --- settings

    @property
    def unbreakable(self) -> bool:
        """Whether cups hold whatever the load; off unless set."""
        return self.drive.unbreakable

    @unbreakable.setter
    def unbreakable(self, on: bool) -> None:
        self.drive.unbreakable = _yes(on, "unbreakable")

    @property
    def reattach(self) -> bool:
        """Whether a cup that broke takes hold again at once, as in the thesis; off unless set."""
        return self.drive.reattach

    @reattach.setter
    def reattach(self, on: bool) -> None:
        self.drive.reattach = _yes(on, "reattach")

    def set_law(self, law: GripLaw) -> None:
        """Put other grippers on all legs: `mecano.core.grips.Magnet()`, or a weaker `Suction`."""
        if not hasattr(law, "parameters"):
            raise InvalidInput(
                f"a law of grips is needed, Suction(...) or Magnet(...), got {law!r}"
            )
        with self.session.commanding():
            self.drive.set_laws([law] * len(self))
            self.on_law(law)

    # --- commands

    def attach(self, legs: int | Iterable[int] | None = None) -> list[CupResult]:
        """Switch cups on and wait until they hold, or say why they do not.

        Args:
            legs: Which; None is all.
        """
        chosen = self._chosen(legs)
        with self.session.commanding():
            for leg in chosen:
                self.drive.switch(leg - 1, True)
        which = np.array(chosen) - 1

        def hold() -> bool:
            holding = self.holding
            return bool(holding[which].all()) and self.drive.loads_known(holding)

        self.session.wait_until(hold, timeout=ATTACH_TIME)
        return [self._attached(leg) for leg in chosen]

    def _attached(self, leg: int) -> CupResult:
        if self.holding[leg - 1]:
            return CupResult(leg=leg, done=True)
        seal = self.drive.ahead(leg - 1)
        within = 1000 * self.drive.proximity(leg - 1)
        if self[leg].state is CupState.BROKEN:
            why = "it was torn off; switch it off and on again"
        elif seal.miss is Miss.EDGE:
            why = "part of its lip meets no surface: an edge, a hole or a corner; step aside"
        elif np.isfinite(seal.distance):
            far = 1000 * seal.distance
            why = f"the nearest surface is {far:.0f} mm away, it takes hold within {within:.0f} mm"
        else:
            why = f"there is no surface before it; it takes hold within {within:.0f} mm"
        return CupResult(leg=leg, done=False, reason=f"cup {leg} is on but does not hold: {why}")

    def release(self, leg: int, *, force: bool = False) -> CupResult:
        """Switch a cup off, unless the robot would fall.

        Args:
            leg: Which one.
            force: Do it whatever is foreseen.
        """
        self._check(leg)
        with self.session.commanding():
            if self.holding[leg - 1] and not force:
                why = self._unknown() or self.objection(leg - 1, self.holding)
                if why:
                    return CupResult(leg=leg, done=False, reason=f"cup {leg} is kept on: {why}")
            self.drive.switch(leg - 1, False)
        return CupResult(leg=leg, done=True)

    def objection(self, leg: int, holding: Mask) -> str:
        """Return why a cup may not let go, given which ones hold; empty if it may.

        `leg` counts from 0.
        """
        if not holding[leg]:
            return ""
        if not self.drive.loads_known(holding):
            return NOT_YET
        foreseen = self.forecast(leg, holding)
        return "" if foreseen.safe else foreseen.message

    def can_release(self, leg: int) -> ReleaseForecast:
        """Foresee what happens if a cup lets go: would the others hold, which would break first?"""
        self._check(leg)
        with self.session.lock:
            self.require_known_loads()
            return self.forecast(leg - 1, self.holding)

    def require_known_loads(self) -> None:
        """Raise if the loads of now are not known, so that nothing can be foreseen."""
        why = self._unknown()
        if why:
            raise InvalidInput(why)

    def _unknown(self) -> str:
        """Return why the loads of now are not known; empty if they are."""
        if not self.drive.loads_known(self.holding):
            return NOT_YET
        last = next((each for each in reversed(self.events) if each.what != "bond"), None)
        fresh = last is not None and self.session.time - last.time < AGAIN - 1e-9
        return LET_GO if fresh else ""

    def _chosen(self, legs: int | Iterable[int] | None) -> list[int]:
        if legs is None:
            return list(range(1, len(self) + 1))
        chosen: list[Any] = [legs]
        if isinstance(legs, Iterable) and not isinstance(legs, str | bytes):
            chosen = list(legs)
        for leg in chosen:
            self._check(leg)
        if not chosen:
            raise InvalidInput(f"no cup is named; there are 1 to {len(self)}, None is all")
        return chosen


def _yes(on: bool, name: str) -> bool:
    if not isinstance(on, bool | np.bool_):
        raise InvalidInput(f"{name} is {on!r}, allowed: True, False")
    return bool(on)
