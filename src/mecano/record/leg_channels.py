"""What is logged of a robot on legs besides its joints: the cups, the IMU, where the body is.

It only copies numbers: asking the world for poses would compute them anew, and a foot that feels
for the surface would see others than without a recorder.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import CupChange
from mecano.core.messages.cups import CUP_STATES
from mecano.lab.robot import Robot
from mecano.parts.cups import CupEvent
from mecano.topics.layouts import cups_layout, imu_layout, pack_poses, pose_layout
from mecano.topics.tables import CUPS, IMU, TRUE_POSE


@dataclass(frozen=True, eq=False)
class LegSample:
    """What is kept of a robot on legs in a tick."""

    stamp: float
    """Of the cups' loads [s]."""
    states: list[int]
    loads: Array
    """Pull [N], shear [N] and moment [N m] of each cup. Shape (cups, 3)."""
    share: Array
    imu: tuple[float, Array, Array] | None
    """Stamp [s], turn rates [rad/s], accelerations [m/s2]."""
    pose: Array
    """Position [m] and quaternion `wxyz` of the body. Shape (7,)."""


class LegChannels:
    """What is logged of one robot on legs, tick by tick."""

    def __init__(self, robot: Robot) -> None:
        """Lay out the messages; what happened to the cups before is not told."""
        self.robot, self.drive = robot, robot.cups.drive
        self.names = cup_names(robot)
        world = robot.world
        body = world.index("body", f"{robot.name}/{robot.legs.facts.frame}")
        first = int(world.model.jnt_qposadr[world.model.body_jntadr[body]])
        self._qpos, self._pose = world.data.qpos, slice(first, first + 7)
        self._imu = robot.imu if robot.has_imu else None
        self._cups_layout, self._pose_layout = cups_layout(self.names), pose_layout("world")
        self._imu_layout = imu_layout("" if self._imu is None else self._imu.read().frame)
        self._known: list[CupEvent] = []  # what happened before is told at first

    def sample(self) -> LegSample:
        """Return what there is now."""
        drive, imu = self.drive, self._imu
        return LegSample(
            stamp=drive.stamp,
            states=[CUP_STATES.index(drive.state(cup)) for cup in range(len(self.names))],
            loads=drive.loads,
            share=drive.share,
            imu=None if imu is None else imu.reading,  # a message takes 100 us to make
            pose=self._qpos[self._pose].copy(),
        )

    def new_changes(self) -> list[CupChange]:
        """Return what has happened to the cups since this was last asked."""
        events, known = self.drive.events, self._known
        same = len(known)
        if len(events) < same or (known and events[same - 1] is not known[-1]):
            pairs = zip(events, known, strict=False)  # the session was set back
            same = next((i for i, (a, b) in enumerate(pairs) if a is not b), len(events))
            same = min(same, len(events))
        if len(events) == same == len(known):
            return []
        self._known = list(events)
        return [cup_change(event) for event in events[same:]]

    def columns(self, times: Array, samples: Sequence[LegSample]) -> list[tuple[str, list[bytes]]]:
        """Return the messages of some ticks, by topic."""
        stamps = np.array([sample.stamp for sample in samples])
        loads = np.array([sample.loads for sample in samples])
        blocks = [np.array([s.states for s in samples], float), *np.moveaxis(loads, 2, 0)]
        blocks.append(np.array([sample.share for sample in samples]))
        poses = np.array([sample.pose for sample in samples])
        turned = pack_poses(self._pose_layout, times, poses[:, :3], poses[:, 3:])
        columns = [(CUPS, self._cups_layout.pack(stamps, *blocks)), (TRUE_POSE, turned)]
        readings = [sample.imu for sample in samples if sample.imu is not None]
        if readings:
            read = [np.array(values) for values in zip(*readings, strict=True)]
            columns.append((IMU, self._imu_layout.pack(*read)))
        return columns


def cup_change(event: CupEvent) -> CupChange:
    """Return something that happened to a cup as a message."""
    return CupChange(
        stamp=event.time, cup=event.cup, what=event.what, body=event.body, pull=event.pull,
        shear=event.shear, moment=event.moment,
    )  # fmt: skip


def joints_per_row(robot: Robot) -> int:
    """Return how many joints are drawn in a row: those of a leg."""
    return len(robot.legs[1].chain.joint_names)


def cup_names(robot: Robot) -> tuple[str, ...]:
    """Return what the cups are called, after their legs."""
    return tuple(f"cup_{cup.number}" for cup in robot.cups)


def described_cups(robot: Robot) -> dict[str, Any]:
    """Return what the header says of the cups: names, and what each holds."""
    limits = [law.parameters for law in robot.cups.drive.laws]
    return {
        "names": list(cup_names(robot)),
        "pull_limit_N": [float(each[0]) for each in limits],
        "shear_limit_N": [float(each[1]) for each in limits],
    }
