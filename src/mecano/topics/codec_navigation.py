"""The state of a navigator as a message; ROS has actions for it, so it is defined here."""

from typing import Any

from mecano.core import messages
from mecano.core.poses import Pose2
from mecano.topics.fields import from_header, from_pose, to_header, to_pose
from mecano.topics.store import make

STATUS = "mecano_msgs/msg/NavigationStatus"
DEFINITIONS = {
    STATUS: """
# state: idle, planning, controlling, recovering, lost, reached, aborted, cancelled
# position_error: one sigma [m]; distance_left [m]; speed_limit [m/s], below 0 without limit
std_msgs/Header header
string state
string text
string recovery
uint32 recoveries
string goal_name
geometry_msgs/Pose goal
geometry_msgs/Pose pose
float64 position_error
float64 distance_left
float64 speed_limit
""",
}
PLAIN = (
    "state", "text", "recovery", "recoveries", "goal_name", "position_error", "distance_left",
    "speed_limit",
)  # fmt: skip


def to_status(message: messages.NavigationStatus) -> Any:
    """Return the state of a navigator."""
    plain = {name: getattr(message, name) for name in PLAIN}
    poses = {name: to_pose(getattr(message, name).to_pose()) for name in ("goal", "pose")}
    return make(STATUS, header=to_header(message), **plain, **poses)


def from_status(ros: Any) -> messages.NavigationStatus:
    """Return the state of a navigator."""
    fields: dict[str, Any] = {name: getattr(ros, name) for name in PLAIN}
    fields |= {name: Pose2.from_pose(from_pose(getattr(ros, name))) for name in ("goal", "pose")}
    fields["recoveries"] = int(fields["recoveries"])
    return messages.NavigationStatus(**from_header(ros.header), **fields)
