"""Timing in turns: ours, the peer's, ours, the peer's, so that a busy moment hits both."""

from collections.abc import Callable
from timeit import Timer

ROUND = 0.005
"""How long a round takes, unless one call takes longer [s]. Short rounds have a better chance of
passing between two disturbances than long ones."""

Call = Callable[[], object]


def compare(ours: Call, peer: Call | None, *, rounds: int = 60) -> tuple[float, float | None]:
    """Return the least time of one call on each side [s]; None for a peer that is missing.

    The minimum is the least disturbed by other processes. Rounds last equally long on both sides,
    so that neither is disturbed more. Each side is called once before the clock runs: nothing is
    compiled or read from disk inside a round.
    """
    sides = [Timer(call) for call in (ours, peer) if call is not None]
    once = [min(side.repeat(repeat=3, number=1)) for side in sides]
    numbers = [max(1, round(max(ROUND, *once) / seconds)) for seconds in once]
    times = [
        [side.timeit(number) / number for side, number in zip(sides, numbers, strict=True)]
        for _ in range(rounds)
    ]
    best = [min(column) for column in zip(*times, strict=True)]
    return best[0], best[1] if peer is not None else None
