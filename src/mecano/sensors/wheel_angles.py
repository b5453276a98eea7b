"""How far the wheels of a base have turned."""

from collections.abc import Sequence

import mujoco

from mecano.world.world import World

DRAWN = "_turn"
"""A ball wheel `left` is drawn by a body on a hinge `left_turn`."""


class WheelAngles:
    """Angles of driven wheels: those of their hinges.

    A ball that is driven about one axis and free about another has no angle to read. After every
    step its rate is given to the hinge of what is drawn of it, so that the wheel is seen turning,
    and the hinge's angle, which is part of the world's state, is the encoder's.
    """

    def __init__(self, world: World, names: Sequence[str], *, prefix: str) -> None:
        """Look up joints and motors; both have the names of the wheels."""
        model, data = world.model, world.data
        joints = [model.joint(prefix + name) for name in names]
        if any(int(joint.type[0]) == mujoco.mjtJoint.mjJNT_BALL for joint in joints):
            joints = [model.joint(prefix + name + DRAWN) for name in names]
            motors = [world.index("actuator", prefix + name) for name in names]
            rates = [int(joint.dofadr[0]) for joint in joints]
            self._driven = tuple(zip(rates, motors, strict=True))
            # Views of memory: for a few plain numbers, after every step, faster than arrays.
            self._speeds = memoryview(data.qvel)
            self._motor_speeds = memoryview(data.actuator_velocity)
            world.after_step.append(self._turn)
        self._values = memoryview(data.qpos)
        self._places = [int(joint.qposadr[0]) for joint in joints]

    def _turn(self) -> None:
        speeds, motor_speeds = self._speeds, self._motor_speeds
        for rate, motor in self._driven:
            speeds[rate] = motor_speeds[motor]

    def read(self) -> list[float]:
        """Return the angles since the start [rad]; they do not wrap."""
        values = self._values
        return [values[place] for place in self._places]
