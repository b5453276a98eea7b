"""How strongly a foot holds on to a surface: laws of suction cups, magnets and the like.

A law says how much of what a foot can hold is used up by a load: `pull` away from the surface along
its normal, `shear` along the surface. At 1 it lets go. Pushing never makes it let go.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mecano.core.arrays import Array, finite_number


class GripLaw(Protocol):
    """What a foot can hold."""

    @property
    def parameters(self) -> tuple[float, float, bool]:
        """Largest pull alone [N], largest shear alone [N], and whether the two add up.

        The used share is pull / P + shear / S if they add up, else the larger of the two.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Suction:
    """A suction cup: pull and shear have limits of their own, as in the thesis on ROMERIN.

    A moment does not break its bond there. With `peel` it does: about an axis in the surface a
    moment M lifts the lip on one side as a pull M / peel in the middle would, and adds to it.
    """

    pull: float = 15.0
    """[N]."""
    shear: float = 30.0
    """[N]."""
    peel: float | None = None
    """Lever over which a moment peels it off [m], the radius of its lip; None never does."""

    def __post_init__(self) -> None:
        for name in ("pull", "shear"):
            finite_number(getattr(self, name), name=f"limit of {name} [N]", lower=1e-6)
        if self.peel is not None:
            finite_number(self.peel, name="lever of peeling [m]", lower=1e-4)

    @property
    def parameters(self) -> tuple[float, float, bool]:
        """See `GripLaw`."""
        return self.pull, self.shear, False


@dataclass(frozen=True, kw_only=True)
class Magnet:
    """A magnet on steel: what pulls it off is missing where friction holds it against shear.

    It holds F with F = contact / (1 + gap / reach)^2 across a gap (paint, tilt), and along the
    surface mu (F - pull). So shear / (mu F) + pull / F is what is used up.
    """

    contact: float = 40.0
    """Pull that it holds on bare steel [N]."""
    friction: float = 0.3
    """Of the pole on the surface."""
    gap: float = 0.0
    """Between pole and steel [m]."""
    reach: float = 0.001
    """Gap at which a quarter is left [m]."""

    def __post_init__(self) -> None:
        for name, low in (("contact", 1e-6), ("friction", 1e-6), ("gap", 0.0), ("reach", 1e-9)):
            finite_number(getattr(self, name), name=f"{name} of the magnet", lower=low)

    @property
    def parameters(self) -> tuple[float, float, bool]:
        """See `GripLaw`."""
        held = self.contact / (1.0 + self.gap / self.reach) ** 2
        return held, self.friction * held, True


def utilisation(law: GripLaw, pull: Array | float, shear: Array | float) -> Array:
    """Return how much of what a foot can hold is used up; at 1 it lets go."""
    most_pull, most_shear, adds_up = law.parameters
    pulled, sheared = np.maximum(pull, 0.0) / most_pull, np.asarray(shear) / most_shear
    return pulled + sheared if adds_up else np.maximum(pulled, sheared)


def peeled(law: GripLaw, pull: Array | float, moment: Array | float, lever: float) -> Array:
    """Return how much of what a foot can pull is used up if a moment peels it off over a lever [m].

    At 1 the lip lifts on one side. Whether that breaks the bond says the law, see `Suction.peel`.
    """
    return (np.maximum(pull, 0.0) + np.asarray(moment) / lever) / law.parameters[0]
