"""What a gamepad's sticks and buttons do."""

from dataclasses import dataclass, field

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages.stamped import Stamped, empty, fix_array


@dataclass(frozen=True, eq=False, kw_only=True)
class Joy(Stamped):
    """Sticks and buttons of a gamepad, as ROS's joy node tells them."""

    axes: Array = field(default_factory=empty)
    """Of sticks and triggers, from -1 to 1: left and up are positive. Shape (n,)."""
    buttons: tuple[int, ...] = ()
    """1 while pressed, else 0."""

    def __post_init__(self) -> None:
        """Refuse numbers that no stick or button gives."""
        super().__post_init__()
        fix_array(self, "axes", shape=np.shape(self.axes) if np.ndim(self.axes) == 1 else (0,))
        if len(self.axes) and np.abs(self.axes).max() > 1.0:
            raise InvalidInput(f"Joy.axes are {self.axes.tolist()}, allowed from -1 to 1")
        if any(button not in (0, 1) for button in self.buttons):
            raise InvalidInput(f"Joy.buttons are {self.buttons}, allowed: 0, 1")
        object.__setattr__(self, "buttons", tuple(int(button) for button in self.buttons))
