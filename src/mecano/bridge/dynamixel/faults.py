"""What goes wrong on a real bus, on demand: by chance, at once, or at a given time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.randomness import RandomStreams

RATES = ("lost", "crc", "late")
"""Happen to a share of the packets."""
SERVOS = ("dead", "alive", "overload", "duplicate")
"""Happen to a servo."""
CABLE = ("unplug", "replug")
KINDS = (*RATES, *SERVOS, "voltage", *CABLE)
LATE = 0.06
"""How late a late answer is: later than the vendor's library waits [s]."""
NOMINAL = 12.0
"""Voltage of the supply [V]."""
_WORD = re.compile(r"(?P<kind>[a-z]+)(=(?P<value>[0-9.]+))?(@(?P<at>[0-9.]+))?")


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong, and when."""

    kind: str
    """One of `KINDS`."""
    value: float = 0.0
    """Share of the packets, id of the servo, or volts; nothing for the cable."""
    at: float = 0.0
    """Time after the start [s]."""

    @staticmethod
    def parse(word: str) -> "Fault":
        """Read `lost=0.01`, `dead=13`, `overload=12@5` or `unplug@10`."""
        match = _WORD.fullmatch(word)
        if match is None or (match["kind"] in KINDS and _wrong(match)):
            raise InvalidInput(
                f"fault '{word}' is not understood; allowed are lost=, crc=, late= with a share "
                "from 0 to 1; dead=, alive=, overload=, duplicate= with an id; voltage= with "
                "volts; unplug, replug; each with @seconds for later, as in overload=12@5"
            )
        if match["kind"] not in KINDS:
            raise UnknownName("fault", match["kind"], KINDS)
        return Fault(match["kind"], float(match["value"] or 0), float(match["at"] or 0))


def _wrong(match: re.Match[str]) -> bool:
    """Tell whether the numbers of a word do not go with its kind."""
    try:
        value = None if match["value"] is None else float(match["value"])
        float(match["at"] or 0)
    except ValueError:
        return True
    if match["kind"] in CABLE:
        return value is not None
    if value is None:
        return True
    if match["kind"] in RATES:
        return value > 1.0
    return match["kind"] in SERVOS and (value != int(value) or value > 252)


class Faults:
    """The state of what goes wrong. Change it at any time, from any thread."""

    def __init__(self, plan: Sequence[Fault | str] = (), *, seed: int = 0) -> None:
        """Take what shall happen, as faults or as their words."""
        self.lost = self.crc = self.late = 0.0
        """Shares of the packets that lose a byte, arrive with a flipped bit, or arrive late."""
        self.dead: set[int] = set()
        """Ids that do not answer any more."""
        self.duplicate: set[int] = set()
        """Ids that two servos answer to."""
        self.overloaded: set[int] = set()
        """Ids that shall report an overload, once."""
        self.supply = NOMINAL
        """Voltage of the power supply [V]."""
        self.plugged = True
        """False while the cable to the computer is out."""
        faults = [Fault.parse(each) if isinstance(each, str) else each for each in plan]
        self._plan = sorted(faults, key=lambda fault: fault.at)
        self._random = RandomStreams(seed).get("faults")

    def advance(self, time: float) -> None:
        """Let happen what was planned until then [s]."""
        while self._plan and self._plan[0].at <= time:
            self.happen(self._plan.pop(0))

    def happen(self, fault: Fault | str) -> None:
        """Let something go wrong now."""
        fault = Fault.parse(fault) if isinstance(fault, str) else fault
        if fault.kind in RATES:
            setattr(self, fault.kind, fault.value)
        elif fault.kind == "voltage":
            self.supply = fault.value
        elif fault.kind in CABLE:
            self.plugged = fault.kind == "replug"
        elif fault.kind == "alive":
            self.dead.discard(int(fault.value))
        else:
            sets = {"dead": self.dead, "duplicate": self.duplicate, "overload": self.overloaded}
            sets[fault.kind].add(int(fault.value))

    # --- what happens to bytes on the wire

    def spoil(self, data: bytes) -> bytes:
        """Return the bytes of a packet as they arrive."""
        if self.lost and self._random.random() < self.lost:
            place = int(self._random.integers(len(data)))
            data = data[:place] + data[place + 1 :]
        if self.crc and data and self._random.random() < self.crc:
            place = int(self._random.integers(min(7, len(data) - 1), len(data)))
            flipped = data[place] ^ 1 << int(self._random.integers(8))
            data = data[:place] + bytes([flipped]) + data[place + 1 :]
        return data

    def garble(self, data: bytes) -> bytes:
        """Return what is heard when two servos talk at once: a wire pulled down by either."""
        other = self._random.integers(256, size=len(data), dtype=np.uint8)
        return (np.frombuffer(data, dtype=np.uint8) & other).tobytes()

    def delay(self) -> float:
        """Return by how much an answer comes too late [s]."""
        return LATE if self.late and self._random.random() < self.late else 0.0
