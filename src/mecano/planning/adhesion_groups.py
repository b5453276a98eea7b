"""The adhesion budget of a gait: do the other cups hold while a group of legs is in the air?

The legs of a group are taken away one after the other, each from the balance that the one before
left: `AdhesionModel.release` for every leg, with the forces of that balance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.planning.adhesion import AdhesionModel, ReleaseForecast, ReleaseReason
from mecano.planning.gaits import Gait


@dataclass(frozen=True, kw_only=True, eq=False)
class LiftForecast:
    """What would happen if several legs were in the air together."""

    legs: tuple[int, ...]
    """Those that hold now and would let go, numbers from 1."""
    worst: ReleaseForecast
    """Of the leg at which a cup is loaded most, or the first that is not safe."""

    @property
    def safe(self) -> bool:
        """Whether all other cups would hold."""
        return self.worst.safe

    @property
    def share(self) -> float:
        """Largest share of a cup's hold that would be used; 1 breaks."""
        return float(self.worst.utilisation.max())

    @property
    def message(self) -> str:
        """In words, with numbers."""
        named = ", ".join(map(str, self.legs))
        lifting = f"lifting leg{'s' * (len(self.legs) > 1)} {named}"
        if self.worst.reason in (ReleaseReason.HOLDS, ReleaseReason.OVERLOAD):
            cup = int(np.argmax(self.worst.utilisation)) + 1
            return f"{lifting} would load cup {cup} to {100 * self.share:.0f} % of its hold"
        return f"{lifting}: {self.worst.message}"


def lifted_together(gait: Gait) -> tuple[tuple[int, ...], ...]:
    """Return which legs of a gait are in the air at the same time; numbers from 1."""
    count, overlap = len(gait.groups), int(np.ceil(gait.slots - 1e-9))
    return tuple(
        tuple(leg for k in range(overlap) for leg in gait.groups[(i + k) % count])
        for i in range(count)
    )


def foresee_lift(
    model: AdhesionModel, legs: Iterable[int], *, holding: Mask, forces: Array,
    then: Array | Sequence[Any], **state: Any,
) -> LiftForecast | None:  # fmt: skip
    """Forecast what happens if several legs let go one after the other; None if none of them holds.

    Args:
        model: Of the robot.
        legs: Numbers from 1.
        holding: Which cups hold now.
        forces: On the cups now, in the body's frame [N]. Shape (n, 3).
        then: Where the servos of each leg are told to go when it lets go [rad]; a row with NaN
            leaves them. Shape (n, joints).
        state: As `AdhesionModel.release` takes it: q, command, gravity, normals, fed.
    """
    held, released, worst = np.array(holding, bool), [], None
    for leg in legs:
        if not held[leg - 1]:
            continue
        goal = np.asarray(then[leg - 1])
        found = model.release(
            leg - 1, holding=held, forces=forces, then=goal if np.isfinite(goal).all() else None,
            **state,
        )  # fmt: skip
        released.append(leg)
        if worst is None or not found.safe or found.utilisation.max() > worst.utilisation.max():
            worst = found
        if not found.safe:
            break
        assert found.after is not None  # a safe release comes to rest
        forces, held[leg - 1] = found.after, False
    return None if worst is None else LiftForecast(legs=tuple(released), worst=worst)


def worst_lift(model: AdhesionModel, gait: Gait, state: Mapping[str, Any]) -> LiftForecast | None:
    """Return the forecast of the group of a gait that loads a cup most, or the first unsafe one."""
    worst = None
    for legs in lifted_together(gait):
        found = foresee_lift(model, legs, **state)
        if found is not None and (worst is None or not found.safe or found.share > worst.share):
            worst = found
        if worst is not None and not worst.safe:
            break
    return worst
