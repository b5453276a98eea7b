"""How the thesis's interface to ROMERIN moves joints: at a speed of their own, without waiting."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.lab.robot import Robot
from mecano.parts.leg import LegMotion


class SpeedLimited:
    """A move in which each joint goes at its own speed until it is there; as `JointMove`."""

    def __init__(self, start: Array, target: Array, speed: Array) -> None:
        """Take joint values [rad] and speeds [rad/s]; a joint of speed 0 stays where it is."""
        self._start, self.target, self._speed = start.copy(), target.copy(), speed.copy()
        way = np.abs(target - start)
        moves = way > 0.0
        with np.errstate(divide="ignore"):
            self.duration = float((way[moves] / speed[moves]).max(initial=0.0))

    def at(self, time: float) -> tuple[Array]:
        """Return the joint values at a time [s]."""
        far = self._speed * max(time, 0.0)
        return (self._start + np.clip(self.target - self._start, -far, far),)


class Slew:
    """Sends targets to the legs of a robot, under a cap of speed for each joint.

    One per robot, which all users of this interface share.
    """

    def __init__(self, robot: Robot) -> None:
        """Take a robot on legs."""
        if "legs" not in robot.parts:
            raise InvalidInput(
                f"'{robot.name}' has no legs; connect to one that has: mecano.connect('romerin')"
            )
        self.legs, self.session = robot.legs, robot.session
        servos = robot.description.servos
        self.fastest = np.array(
            [[servos[joint].speed for joint in leg.chain.joint_names] for leg in self.legs]
        )
        """What the servos can do [rad/s]. Shape (legs, 3)."""
        self.speed = self.fastest.copy()
        """Caps of the speed [rad/s]. Shape (legs, 3)."""

    def target(self, leg: int) -> Array:
        """Return where the joints of a leg are going [rad]; legs count from 0."""
        move: Any = self._move(leg)
        return self.legs.commanded[leg] if move is None else move.target

    def send(self, leg: int, joints: Sequence[int], values: Sequence[float]) -> None:
        """Give joints of a leg targets [rad]; leg and joints count from 0."""
        with self.session.lock:
            walk = self.legs.walking
            if walk is not None and not walk.done:
                raise InvalidInput("the robot is walking; stop the walk before moving a leg")
            goal = self.target(leg).copy()
            goal[list(joints)] = values
            self._go(leg, goal)

    def limit(self, leg: int, joint: int, speed: float) -> None:
        """Set a cap [rad/s], also of a motion that is going on."""
        with self.session.lock:
            self.speed[leg, joint] = min(speed, float(self.fastest[leg, joint]))
            if self.moving(leg):
                self._go(leg, self.target(leg))

    def moving(self, leg: int) -> bool:
        """Tell whether a target of this interface is still on its way."""
        return self._move(leg) is not None

    def _move(self, leg: int) -> Any:
        """Return the move of this interface that a leg is making, if it is."""
        motion = self.legs[leg + 1].motion
        if motion is None or motion.done or not isinstance(motion.move, SpeedLimited):
            return None
        return motion.move

    def _go(self, leg: int, goal: Array) -> None:
        """Begin a motion of the leg; one whose cup holds may move too, and moves the body."""
        moved = self.legs[leg + 1]
        if moved.motion is not None:
            moved.motion.stop()
        move: Any = SpeedLimited(moved.commanded, goal, self.speed[leg])
        moved.motion = LegMotion(moved, move, None)


_SLEWS: "WeakKeyDictionary[Robot, Slew]" = WeakKeyDictionary()


def slew_of(robot: Any) -> Slew:
    """Return what moves a robot's joints for this interface; all its users share it."""
    if not isinstance(robot, Robot):
        raise InvalidInput(
            f"expected a robot from mecano.connect('romerin'), got {robot!r}; the thesis's form "
            "needs one, too: RomerinAPI(*names, client_id, robot=robot)"
        )
    if robot not in _SLEWS:
        _SLEWS[robot] = Slew(robot)
    return _SLEWS[robot]
