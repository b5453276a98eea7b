"""Contacts of a robot with its surroundings, counted by the physics, and how near it came."""

from dataclasses import dataclass
from math import hypot, inf
from types import TracebackType

import mujoco
import numpy as np

from mecano.lab.people import People
from mecano.lab.robot import Robot

MOVING = 0.05
"""A base that is slower stands [m/s], by the task."""
APART = 0.5
"""Contacts of one pair within this time are one [s]."""

FAR = 2.0
"""Distances of people are measured while their middle is nearer than this to the base [m]."""


@dataclass(frozen=True)
class Touching:
    """Robot and something else began to touch."""

    time: float
    """[s]."""
    robot: str
    """Body of the robot."""
    other: str
    """Body that it touched."""
    speed: float
    """Of the base just before [m/s]."""


class ContactWatch:
    """Looks at every step of the physics while it is open. Use it in a `with` block."""

    def __init__(self, robot: Robot, people: People | None = None) -> None:
        """Take a simulated robot.

        Args:
            robot: With wheels.
            people: Those whose distance is kept.
        """
        self._robot, self._people = robot, people
        model = robot.world.model
        frame = robot.world.index("body", f"{robot.name}/{robot.description.free_body}")
        self._own = model.body_rootid[model.geom_bodyid] == model.body_rootid[frame]
        collides = (model.geom_contype | model.geom_conaffinity) != 0
        self._shapes = np.flatnonzero(self._own & collides).tolist()
        self._persons = [robot.world.index("geom", p) for p in people.names] if people else []
        self._floor = model.geom_type == int(mujoco.mjtGeom.mjGEOM_PLANE)
        joint = int(model.body_jntadr[frame])
        self._dof = int(model.jnt_dofadr[joint])
        self._speed = 0.0
        self._last: dict[tuple[int, int], float] = {}
        self.touches: list[Touching] = []
        """All contacts with anything but the floor."""
        self.person_gap = inf
        """Smallest distance between the shapes of robot and people [m]; infinite beyond `FAR`."""
        self.gaps: list[float] = []
        """The same of every person."""

    def __enter__(self) -> "ContactWatch":
        """Begin to look."""
        self._robot.world.after_step.append(self._look)
        if self._people is not None:
            self.gaps = [inf] * len(self._people.walks)
            self._robot.session.observers.append(self._measure)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Look no longer."""
        self._robot.world.after_step.remove(self._look)
        if self._people is not None:
            self._robot.session.observers.remove(self._measure)

    @property
    def moving(self) -> list[Touching]:
        """Contacts that began while the base was moving."""
        return [touch for touch in self.touches if touch.speed > MOVING]

    def _look(self) -> None:
        data = self._robot.world.data
        before, velocity = self._speed, data.qvel[self._dof : self._dof + 2]
        self._speed = hypot(velocity[0], velocity[1])
        if not data.ncon:
            return
        pairs = data.contact.geom[data.contact.dist <= 0.0]
        own = self._own[pairs]
        mixed = pairs[(own[:, 0] != own[:, 1]) & ~self._floor[pairs].any(axis=1)]
        for pair in mixed.tolist():
            self._note(pair, before)

    def _note(self, pair: list[int], speed: float) -> None:
        model, now = self._robot.world.model, self._robot.world.time
        mine, other = pair if self._own[pair[0]] else pair[::-1]
        bodies = int(model.geom_bodyid[mine]), int(model.geom_bodyid[other])
        fresh = now - self._last.get(bodies, -inf) > APART
        self._last[bodies] = now
        if fresh:
            own, others = (model.body(body).name for body in bodies)
            self.touches.append(Touching(now, own, others, speed))

    def _measure(self, session: object) -> None:
        assert self._people is not None
        model, data = self._robot.world.model, self._robot.world.data
        here = self._robot.truth.base_pose()
        for i, (x, y) in enumerate(self._people.positions()):
            if hypot(x - here.x, y - here.y) > FAR:
                continue
            person = self._persons[i]
            gap = min(
                mujoco.mj_geomDistance(model, data, own, person, FAR, None) for own in self._shapes
            )
            self.gaps[i] = min(self.gaps[i], gap)
            self.person_gap = min(self.person_gap, gap)
