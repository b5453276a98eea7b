"""What a navigator reports: its state, its goal and how far that is."""

from dataclasses import dataclass, field

from mecano.core.errors import InvalidInput
from mecano.core.messages.stamped import Stamped, fix_number
from mecano.core.poses import Pose2

NAVIGATION_STATES = (
    "idle", "planning", "controlling", "recovering", "lost", "reached", "aborted", "cancelled",
)  # fmt: skip
"""What a navigator can be doing; the last three are how a goal ends."""


@dataclass(frozen=True, eq=False, kw_only=True)
class NavigationStatus(Stamped):
    """State of a navigator at one instant, in the frame of the map."""

    state: str
    """One of `NAVIGATION_STATES`."""
    text: str = ""
    """The same in a sentence, with numbers."""
    recovery: str = ""
    """While it recovers: which recovery behaviour runs."""
    recoveries: int = 0
    """How many were run for this goal so far."""
    goal_name: str = ""
    """Of the station, if the goal has a name."""
    goal: Pose2 = field(default_factory=Pose2)
    """[m], [rad]; the origin without a goal."""
    pose: Pose2 = field(default_factory=Pose2)
    """Estimated pose of the base [m], [rad]."""
    position_error: float = 0.0
    """Stated error of the pose, one sigma [m]."""
    distance_left: float = 0.0
    """Along the path [m]."""
    speed_limit: float = -1.0
    """While something moves near the base: how fast it may drive [m/s]; below 0 without limit."""

    def __post_init__(self) -> None:
        """Refuse unknown states and numbers that are not finite."""
        super().__post_init__()
        if self.state not in NAVIGATION_STATES:
            raise InvalidInput(
                f"NavigationStatus.state is {self.state!r}, allowed: {', '.join(NAVIGATION_STATES)}"
            )
        for number in ("position_error", "distance_left", "speed_limit"):
            fix_number(self, number)
