"""The simulated backend: a MuJoCo world behind the session's tick."""

from math import floor
from typing import Any, Protocol

from mecano.core.arrays import Array
from mecano.core.poses import Pose, Pose2
from mecano.robots.description import RobotDescription
from mecano.sensors.camera import DepthCamera
from mecano.world.robot_model import HAND, LOOSE, Carried, RobotModel
from mecano.world.world import Snapshot, World, site_pose

BASE = "base_footprint"
"""Body of a mobile robot that stands for where it is."""
EARLY = 1e-6
"""A sensor is due this much before its time, against round-off [s]."""


class Sampled(Protocol):
    """A sensor that takes a reading when it is told to.

    One with a `phase`, from 0 to 1, is read by that part of its period later.
    """

    rate: float
    """Readings per second [Hz]."""

    def sample(self) -> None:
        """Take a new reading; it stands until the next one."""
        ...

    def memory(self) -> Any:
        """Return what it must know to go on from here, the reading included."""
        ...

    def recall(self, memory: Any) -> None:
        """Go on from there."""
        ...


class SimulatedBackend:
    """Steps a world by one tick at a time and reads its sensors."""

    def __init__(self, world: World, *, tick: float) -> None:
        """Take a world; `tick` is rounded to whole physics steps [s]."""
        self.world = world
        self.steps = max(1, round(tick / world.timestep))
        self.tick = self.steps * world.timestep
        self.sensors: list[Sampled] = []

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.world.data.time

    def sense(self) -> None:
        """Read every sensor that is due."""
        time = self.time
        now, before = time + EARLY, time - self.tick + EARLY
        rate, phase, due = 0.0, 0.0, False
        for sensor in self.sensors:
            beat = getattr(sensor, "phase", 0.0)
            if sensor.rate != rate or beat != phase:  # neighbours often share both
                rate, phase = sensor.rate, beat
                due = floor(now * rate - phase) != floor(before * rate - phase)
            if due:
                sensor.sample()

    def snapshot(self) -> tuple[Snapshot, list[Any]]:
        """Return the state of the world and of the sensors."""
        return self.world.snapshot(), [sensor.memory() for sensor in self.sensors]

    def restore(self, snapshot: tuple[Snapshot, list[Any]]) -> None:
        """Put the world and the sensors back to a state."""
        world, memories = snapshot
        self.world.restore(world)
        for sensor, memory in zip(self.sensors, memories, strict=True):
            sensor.recall(memory)

    def end(self) -> None:
        """Let go of what the cameras draw with."""
        for sensor in self.sensors:
            if isinstance(sensor, DepthCamera):
                sensor.close()

    def advance(self) -> None:
        """Step the physics by one tick."""
        self.world.step(self.steps)


class Truth:
    """What only a simulation knows: where things really are."""

    def __init__(self, world: World, prefix: str, robot: RobotDescription) -> None:
        """Look at the robot with this prefix in a world."""
        self._world, self._prefix, self._robot = world, prefix, robot

    def tool_pose(self, arm: str | None = None) -> Pose:
        """Return where the tool of an arm is in the world; None is the first arm."""
        chain = self._robot.chain(arm)
        return self._world.site_pose(self._prefix + self._robot.tool_site(chain.name))

    def base_pose(self) -> Pose2:
        """Return where the robot's base is on the floor."""
        base = self._robot.base
        frame = BASE if base is None else base.frame
        return Pose2.from_pose(self._world.body_pose(f"{self._prefix}{frame}"))

    def body_pose(self, name: str) -> Pose:
        """Return where any body of the world is."""
        return self._world.body_pose(name)

    def place(self, name: str) -> Array:
        """Return the point of a place (a site) of the scene, in the world [m]."""
        return self._world.site_pose(name).position

    def state_hash(self) -> str:
        """Return a short text that differs when any bit of the state does."""
        return self._world.state_hash()


def carried_body(world: World, model: RobotModel) -> Carried | None:
    """Return the loose body that both fingers touch now, with its pose in the hand."""
    touched: dict[int, set[int]] = {}
    for i in range(world.data.ncon):
        pair = world.data.contact[i].geom
        owners = model.owner[pair]
        if set(owners.tolist()) == {HAND, LOOSE}:
            finger, loose = (pair[0], pair[1]) if owners[0] == HAND else (pair[1], pair[0])
            body = int(world.model.geom_bodyid[loose])
            touched.setdefault(body, set()).add(int(world.model.geom_bodyid[finger]))
    for body, fingers in touched.items():
        if len(fingers) == 2:
            name = world.model.body(body).name
            tool = site_pose(world.data, model.tool)
            return Carried(name, tool.inverse() @ world.body_pose(name))
    return None
