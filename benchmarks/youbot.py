"""What the youBot costs: a tick of its session beside the physics alone, for both wheel models.

The robot drives in a circle on an empty floor at 100 Hz, five physics steps of 2 ms per tick, with
noise on all sensors, rays included.
"""

from crumb import beside_physics
from mecano.core.results import BenchRow
from mecano.lab.robot import connect


def session_youbot() -> BenchRow:
    """A tick with ball wheels."""
    return _row("session_youbot", "balls")


def session_youbot_rollers() -> BenchRow:
    """A tick with twelve rollers on each wheel."""
    return _row("session_youbot_rollers", "rollers")


ROWS = (session_youbot, session_youbot_rollers)


def _row(name: str, wheels: str) -> BenchRow:
    with (
        connect("youbot", scene="empty", noise=True, wheels=wheels) as robot,
        connect("youbot", scene="empty", noise=True, wheels=wheels) as other,
    ):
        return beside_physics(name, robot, other, look=lambda: None)
