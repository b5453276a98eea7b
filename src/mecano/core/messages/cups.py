"""Feet that hold on to surfaces: what they carry, and what happened to them."""

from dataclasses import dataclass

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages.stamped import Stamped, fix_array, fix_number

CUP_STATES = ("off", "searching", "holding", "broken")
"""What a cup can be doing; in a message it is the number of the word, from 0 on."""
LOADS = ("pull", "shear", "moment", "share")


@dataclass(frozen=True, eq=False, kw_only=True)
class CupStates(Stamped):
    """What all cups of a robot do. Arrays have one value per name."""

    name: tuple[str, ...]
    state: Array
    """Numbers of the words in `CUP_STATES`. Newer than the loads by up to one reading."""
    pull: Array
    """Loads away from the surfaces [N]; negative where a cup is pressed on."""
    shear: Array
    """Loads along the surfaces [N]."""
    moment: Array
    """About the cups' faces [N m]."""
    share: Array
    """How much of what each cup can hold is used up; at 1 it lets go."""

    def __post_init__(self) -> None:
        """Check that the lengths agree."""
        super().__post_init__()
        object.__setattr__(self, "name", tuple(self.name))
        for values in ("state", *LOADS):
            fix_array(self, values, shape=(len(self.name),))
        if any(value not in range(len(CUP_STATES)) for value in self.state):
            raise InvalidInput(
                f"CupStates.state is {self.state.tolist()}, allowed are 0 to {len(CUP_STATES) - 1}:"
                f" {', '.join(CUP_STATES)}"
            )

    @property
    def words(self) -> tuple[str, ...]:
        """What each cup is doing, in words."""
        return tuple(CUP_STATES[int(value)] for value in self.state)


@dataclass(frozen=True, eq=False, kw_only=True)
class CupChange(Stamped):
    """A cup took hold, was let go, or was torn off."""

    cup: int
    """Number of the leg, from 1 on."""
    what: str
    """"bond", "release" or "break"."""
    body: str
    """What it holds or held on to."""
    pull: float = 0.0
    """Load at that time: along the normal [N], along the surface [N], and the moment [N m]."""
    shear: float = 0.0
    moment: float = 0.0

    def __post_init__(self) -> None:
        """Refuse numbers that are not finite."""
        super().__post_init__()
        for load in ("pull", "shear", "moment"):
            fix_number(self, load)
