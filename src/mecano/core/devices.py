"""What a sensor and an actuator are, whether simulated, real, replayed or remote.

A program that relies only on what stands here runs on all four. Devices need not inherit from
these protocols: having the members is enough.
"""

from typing import Protocol, TypeVar, runtime_checkable

Reading_co = TypeVar("Reading_co", covariant=True)
Command_contra = TypeVar("Command_contra", contravariant=True)


@runtime_checkable
class Sensor(Protocol[Reading_co]):
    """Something that measures, and gives messages of one type.

    `isinstance` asks only whether the members are there, not which message they carry.
    """

    @property
    def name(self) -> str:
        """What the sensor is called on its robot, for example "lidar"; unique there."""
        ...

    @property
    def rate(self) -> float:
        """How often a new sample comes, nominally [Hz]."""
        ...

    def read(self) -> Reading_co:
        """Return the newest sample, at once.

        It never waits for the device and never changes its state, so reading twice between two
        samples gives the same message: tell a new sample by its `stamp`. The stamp is the time
        of measurement, not of reading. A session has the first sample of every sensor before
        its first tick; reading before that, or after the device was lost, raises a
        `MecanoError`, never a made-up value.
        """
        ...


@runtime_checkable
class Actuator(Protocol[Command_contra]):
    """Something that acts, and takes messages of one type.

    `isinstance` asks only whether the members are there, not which message they take.
    """

    @property
    def name(self) -> str:
        """What the actuator is called on its robot, for example "base"; unique there."""
        ...

    def command(self, message: Command_contra) -> None:
        """Ask for something, at once.

        It takes effect at the next tick and holds until the next command or `stop`, unless the
        device has a watchdog and says so. Of two commands within a tick the last one counts.

        Raises:
            InvalidInput: The message holds NaN or does not fit the device. Nothing happens then.
            JointLimitViolated: A joint would leave its range. Nothing happens then either.
        """
        ...

    def stop(self) -> None:
        """Bring it to rest where it is, safely; may be called at any time, and twice.

        A base stands still, an arm holds its joints, a suction cup keeps holding: rest never
        means letting go.
        """
        ...
