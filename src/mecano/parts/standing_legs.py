"""Legs that stand on feet without cups: a crawl over level floor, and single legs."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, overload

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.parts.arm import Arm
from mecano.parts.crawls import CrawlHandle, CrawlResult
from mecano.parts.foot import Foot
from mecano.parts.part import Part
from mecano.planning.crawl import FEWEST
from mecano.session.session import Session

STRIDE, LIFT = 0.25, 0.12
"""Step and height of a step, in parts of the height of the centre of mass above the feet."""
JOINTS = 3
"""Of a leg that can put its foot anywhere around it."""


class StandingLegs(Part):
    """All legs of a robot that stands on its feet: `legs[1]` or `legs["lf_leg"]` is one of them.

    Each leg is an `Arm` part, moved by its joints or its foot; `walk` crawls over level floor, one
    leg at a time, the centre of mass always above the other feet.
    """

    kind = name = "legs"

    def __init__(
        self, session: Session, feet: Sequence[Foot], mass: Callable[[], Array], *, weight: float,
        tick: float, fixed: str = "",
    ) -> None:  # fmt: skip
        """Join the legs. `mecano.connect` does this.

        Args:
            session: Its session.
            feet: The legs.
            mass: Gives the centre of mass in the frame of the body [m].
            weight: Of the whole robot [N].
            tick: Of the session [s].
            fixed: Why the robot cannot walk, if it hangs or is bolted down.
        """
        self.session, self.feet, self.mass, self.tick = session, tuple(feet), mass, tick
        self.weight, self._fixed = weight, fixed
        self.walking: CrawlHandle | None = None
        """The walk in progress, or the last one."""
        session.steppers.append(self)

    def __getitem__(self, which: int | str) -> Arm:
        names = [foot.arm.name for foot in self.feet]
        if isinstance(which, int | np.integer) and 1 <= which <= len(names):
            return self.feet[which - 1].arm
        if which in names:
            return self.feet[names.index(str(which))].arm
        raise InvalidInput(
            f"there is no leg {which!r}; name one of {', '.join(names)}, or a number from 1 to "
            f"{len(names)}"
        )

    def __iter__(self) -> Iterator[Arm]:
        return iter([foot.arm for foot in self.feet])

    def __len__(self) -> int:
        return len(self.feet)

    def summary(self) -> str:
        """Return the legs in a line."""
        return f"{len(self)} legs that stand on feet without cups: {self._names()}"

    def _names(self) -> str:
        return ", ".join(foot.arm.name for foot in self.feet)

    @property
    def tips(self) -> Array:
        """Where the feet are in the body's frame, by the encoders [m]. Shape (legs, 3)."""
        return np.array([foot.at(foot.arm.position) for foot in self.feet])

    @property
    def height(self) -> float:
        """How high the centre of mass is above the feet, as they stand now [m]."""
        return float(self.mass()[2] - np.mean(self.tips[:, 2]))

    @overload
    def walk(
        self, distance: float | None = None, *, direction: float = ..., turn: float = ...,
        speed: float | None = ..., lift: float | None = ..., time: float | None = ...,
        wait: Literal[True] = True,
    ) -> CrawlResult: ...  # fmt: skip
    @overload
    def walk(
        self, distance: float | None = None, *, direction: float = ..., turn: float = ...,
        speed: float | None = ..., lift: float | None = ..., time: float | None = ...,
        wait: Literal[False],
    ) -> CrawlHandle: ...  # fmt: skip
    def walk(
        self, distance: float | None = None, *, direction: float = 0.0, turn: float = 0.0,
        speed: float | None = None, lift: float | None = None, time: float | None = None,
        wait: bool = True,
    ) -> CrawlResult | CrawlHandle:  # fmt: skip
        """Crawl over level floor, one leg at a time.

        Args:
            distance: How far [m]; None walks for `time`.
            direction: Which way, seen from the body: 0 is forward, to the left positive [rad].
            turn: How fast it turns on the way [rad/s]; with `speed=0` on the spot.
            speed: On average [m/s]; None is as fast as the legs crawl.
            lift: How high feet are lifted [m]; None takes an eighth of the height of its
                centre of mass.
            time: How long [s], where no distance is given.
            wait: Let time pass until it has ended, and return the result; else return a handle.

        Raises:
            InvalidInput: It cannot be walked: too few legs, a robot that hangs, a leg that does not
                reach, or no distance and no time.
        """
        self._require_walkable()
        if distance is not None:
            distance = finite_number(distance, name="distance to walk [m]", lower=0.0)
        if time is not None:
            time = finite_number(time, name="time to walk [s]", lower=0.0)
        if distance is None and time is None:
            raise InvalidInput("how far? give a distance [m] or a time [s]")
        direction = finite_number(direction, name="direction [rad]")
        turn = finite_number(turn, name="turn [rad/s]")
        if speed is not None:
            speed = finite_number(speed, name="speed of the walk [m/s]", lower=0.0)
        height = self.height
        if lift is None:
            lift = LIFT * height
        lift = finite_number(lift, name="lift [m]", lower=0.002, upper=0.5 * height)
        with self.session.commanding():
            for arm in self:
                arm.stop()
            way = np.array([math.cos(direction), math.sin(direction)])
            handle = CrawlHandle(
                self, way=way, turn=turn, speed=speed, distance=distance, time=time,
                stride=STRIDE * height, lift=lift,
            )  # fmt: skip
            self.walking = handle
        return handle.wait() if wait else handle

    def _require_walkable(self) -> None:
        """Raise unless the robot can crawl."""
        if self._fixed:
            raise InvalidInput(f"the robot cannot walk: {self._fixed}; its legs: {self._names()}")
        if len(self) < FEWEST:
            raise InvalidInput(
                f"a static walk needs at least {FEWEST} legs, one in the air and three that "
                f"stand; this robot has {len(self)}: {self._names()}. Balancing on two feet is not "
                f"in Mecano; single legs move: robot.legs['{self.feet[0].arm.name}'].move_joints"
            )
        simple = [foot.arm for foot in self.feet if len(foot.arm.chain.joint_names) < JOINTS]
        if simple:
            count = len(simple[0].chain.joint_names)
            raise InvalidInput(
                f"a crawl moves the body forward and aside over its feet, which takes {JOINTS} "
                f"joints per leg; {simple[0].name} has {count}"
            )
        if self.walking is not None and not self.walking.done:
            raise InvalidInput("the robot is walking already; stop that walk first")

    # --- inside the tick

    def step(self, now: float) -> None:
        """Run the walk."""
        if self.walking is not None and not self.walking.done:
            self.walking.step(now)

    def stop(self) -> None:
        """End the walk; the foot in the air lands first."""
        if self.walking is not None:
            self.walking.halt()

    def at_rest(self) -> bool:
        """Tell whether nothing is commanded to move."""
        return self.walking is None or self.walking.done

    def memory(self) -> Any:
        """Return nothing: each leg remembers itself."""
        return None

    def recall(self, memory: Any) -> None:
        """End the walk; the legs go back by themselves."""
        del memory
        if self.walking is not None:
            self.walking.abandon()
