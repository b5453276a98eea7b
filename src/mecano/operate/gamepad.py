"""Driving a base by a gamepad: messages of its sticks and buttons become a twist.

MADAR's paper drives with a Logitech F710, `/joy` to `/cmd_vel`. Numbers of sticks and buttons are
those of that pad in its mode X, as Linux and ROS's joy node count them.
"""

from dataclasses import dataclass

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.core.messages import Joy
from mecano.lab.robot import Robot


@dataclass(frozen=True, kw_only=True)
class PadLayout:
    """Which stick and which button does what, by their numbers in a `Joy`."""

    left: int = 0
    """Left stick, sideways: the base goes left."""
    forward: int = 1
    """Left stick, up: the base goes forward."""
    turn: int = 3
    """Right stick, sideways: the base turns left. In the pad's mode D it is 2."""
    dead_man: int = 4
    """The base drives only while this button (LB) is held."""
    open: int = 0
    """Opens the hands or the gripper (A)."""
    close: int = 1
    """Closes them (B)."""

    @property
    def axes(self) -> int:
        """So many sticks a message must have."""
        return 1 + max(self.left, self.forward, self.turn)

    @property
    def buttons(self) -> int:
        """So many buttons a message must have."""
        return 1 + max(self.dead_man, self.open, self.close)


F710 = PadLayout()


class Gamepad:
    """Sticks and buttons for a robot with a base."""

    def __init__(
        self, robot: Robot, *, layout: PadLayout = F710, share: float = 1.0, dead_zone: float = 0.05
    ) -> None:
        """Take hold of nothing yet.

        Args:
            robot: With a base.
            layout: Of the pad.
            share: Of the base's limits that a stick at its end asks for, above 0 and up to 1.
            dead_zone: Sticks nearer to their middle than this count as let go.
        """
        if "base" not in robot.parts:
            raise InvalidInput(f"{robot.name} has no base to drive by a gamepad; use the keyboard")
        self.robot, self.layout = robot, layout
        self.share = finite_number(share, name="share of the limits", lower=0.01, upper=1.0)
        self.dead_zone = finite_number(dead_zone, name="dead zone", lower=0.0, upper=0.9)
        self._strafes = "strafe" not in robot.base.facts.layout.missing
        self._way = (0.0, 0.0, 0.0)
        self._held: frozenset[int] = frozenset()

    @property
    def way(self) -> tuple[float, float, float]:
        """What the sticks ask for: forward, to the left [m/s], turning [rad/s]."""
        return self._way

    def press(self, joy: Joy) -> str:
        """Do what a message of the pad says; return what is new, or an empty text."""
        self._check(joy)
        held = frozenset(i for i, button in enumerate(joy.buttons) if button)
        fresh, self._held = held - self._held, held
        said = []
        if self.layout.open in fresh:
            said.append(self._grip(opens=True))
        if self.layout.close in fresh:
            said.append(self._grip(opens=False))
        said.append(self._steer(joy, alive=self.layout.dead_man in held))
        return "; ".join(text for text in said if text)

    def keep(self) -> None:
        """Ask for the same again, before the base's watchdog stops it; call it often."""
        if any(self._way):
            forward, left, turn = self._way
            self.robot.base.drive(forward, turn, left=left)

    def _steer(self, joy: Joy, *, alive: bool) -> str:
        before, limits, layout = self._way, self.robot.base.facts.limits, self.layout
        if alive:
            self._way = (
                self.share * limits.speed * self._stick(joy, layout.forward),
                self.share * limits.speed * self._stick(joy, layout.left) * self._strafes,
                self.share * limits.turn * self._stick(joy, layout.turn),
            )
        else:
            self._way = (0.0, 0.0, 0.0)
        self.keep()
        if any(self._way):
            return "" if any(before) else "drives"
        if not any(before):
            return ""
        self.robot.base.stop()
        return "stops" if alive else "stops: the dead man's button is free"

    def _stick(self, joy: Joy, number: int) -> float:
        """Return how far a stick is out, from -1 to 1; zero within the dead zone."""
        value = float(joy.axes[number])
        over = max(0.0, abs(value) - self.dead_zone) / (1.0 - self.dead_zone)
        return over if value >= 0.0 else -over

    def _grip(self, *, opens: bool) -> str:
        what = [*self.robot.hands.values()]
        if self.robot.grippers:
            what.append(self.robot.gripper)  # type: ignore[arg-type]
        if not what:
            return ""
        for each in what:
            each.open(wait=False) if opens else each.close(wait=False)
        return "hands open" if opens else "hands close"

    def _check(self, joy: Joy) -> None:
        if not isinstance(joy, Joy):
            raise InvalidInput(f"a gamepad takes a Joy, got {joy!r}")
        layout = self.layout
        if len(joy.axes) < layout.axes or len(joy.buttons) < layout.buttons:
            raise InvalidInput(
                f"the pad has {len(joy.axes)} axes and {len(joy.buttons)} buttons, needed are "
                f"{layout.axes} and {layout.buttons}; switch an F710 to mode X, or give another "
                "PadLayout"
            )
