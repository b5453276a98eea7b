"""What is logged of a robot and of the world, and in which bytes.

A tick only gathers numbers (`sample`); the samples of many ticks become messages together, which
costs a third of doing it tick by tick. `Recording` reads them back with the same layouts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.messages import LaserScan, TransformStamped
from mecano.core.poses import Pose
from mecano.core.poses.rotations import quaternion_from_matrix
from mecano.lab.listening import Listening
from mecano.lab.robot import Robot
from mecano.lab.scanners import Scanner
from mecano.record.base_channels import BaseChannels
from mecano.record.leg_channels import LegChannels, LegSample, described_cups, joints_per_row
from mecano.record.navigation_channels import NavigationChannels
from mecano.topics.layouts import (
    Layout,
    joint_state_layout,
    numbers_layout,
    pack_poses,
    pack_transforms,
    pose_layout,
    transforms_layout,
)
from mecano.topics.tables import (
    CUP_CHANGES,
    JOINT_COMMANDS,
    JOINT_STATES,
    SCAN,
    STATE,
    STATIC_FRAMES,
    TOOL_POSE,
    TRANSFORMS,
    TYPES,
    WHOLE,
    robot_topic,
)
from mecano.world.mirror import Mirror
from mecano.world.world import World

BASE = "base"
"""Frame of the tool's pose."""


@dataclass(frozen=True)
class Column:
    """Messages of one topic, one per tick."""

    topic: str
    type_name: str
    messages: list[bytes]


@dataclass(frozen=True, eq=False)
class JointSample:
    """What is kept of a robot in a tick."""

    stamp: float
    """Of the readings [s]."""
    readings: list[tuple[float, Array, Array, Array]]
    target: list[Array]
    speed: list[Array]
    messages: list[tuple[str, Any]]
    """What is new on other topics: (topic, message)."""
    legs: LegSample | None = None


class RobotChannels:
    """What is logged of one robot."""

    def __init__(self, robot: Robot, *, alone: bool) -> None:
        """Find the robot's encoders and lay out its messages once."""
        self.robot = robot
        self._parts = [part for part, _ in robot.parts.jointed]
        self._sensors = robot.encoders
        self.names = tuple(name for sensor in self._sensors for name in sensor.names)
        self.units = joint_units(robot)
        self._legs = LegChannels(robot) if "cups" in robot.parts else None
        self._alone, self._layouts = alone, robot_layouts(self.names)
        self._base: BaseChannels | None = None
        self._scanned: dict[str, float] = {}
        self._heard: LaserScan | None = None
        self._navigation = NavigationChannels()

    def sample(self, *, slow: bool = False) -> JointSample:
        """Return what the encoders read and what the joints were told.

        Args:
            slow: Whether what comes less often is due too.
        """
        target = [part.targets().copy() for part in self._parts]
        speed = [part.target_speeds().copy() for part in self._parts]
        readings = [sensor.reading for sensor in self._sensors]
        stamp = readings[0][0] if readings else 0.0
        legs = None if self._legs is None else self._legs.sample()
        return JointSample(stamp, readings, target, speed, self._new_messages(slow), legs)

    def _new_messages(self, slow: bool) -> list[tuple[str, Any]]:
        """Return what base and cups have to say that is new, and now and then all parts."""
        messages: list[tuple[str, Any]] = []
        if "base" in self.robot.parts:
            messages += self._packets()
            messages += self._scans() if self.robot.lidars else self._cut_scans()
        if self._legs is not None:
            messages += [(CUP_CHANGES, change) for change in self._legs.new_changes()]
        messages += self._navigation.messages(self.robot.navigation)
        if slow and ("base" in self.robot.parts or self._legs is not None):
            messages.append((WHOLE, self.robot.state()))
        return [
            (robot_topic(topic, self.robot.name, alone=self._alone), message)
            for topic, message in messages
        ]

    def _packets(self) -> list[tuple[str, Any]]:
        """Return what the base says, if it has sent a new packet."""
        if self._base is None:
            self._base = BaseChannels(self.robot)
        return self._base.packets()

    def _scans(self) -> list[tuple[str, Any]]:
        """Return the scans that are new, and one of all LIDARs once in their period."""
        lidars = self.robot.lidars
        new = [n for n, lidar in lidars.items() if self._scanned.get(n) != lidar.stamp]
        if not new:
            return []
        self._scanned |= {name: lidars[name].stamp for name in new}
        each = [(lidars[name].facts.topic, lidars[name].read()) for name in new]
        first = next((name for name, lidar in lidars.items() if lidar.enabled), None)
        return [*each, (SCAN, self.robot.scan().scan)] if first in new else each

    def _cut_scans(self) -> list[tuple[str, Any]]:
        """Return the scan that an estimator had cut out of a depth picture, if it is new.

        Nobody cuts scans but an estimator: a picture that nobody looks at is not drawn. Where they
        are cut on the base comes with the first.
        """
        listening = self.robot.estimator
        if not isinstance(listening, Listening):
            return []
        scan = listening.scan
        if scan is None or scan is self._heard:
            return []
        first, self._heard = self._heard is None, scan
        return [*(self._mount(listening.scanner, scan) if first else []), (SCAN, scan)]

    def _mount(self, scanner: Scanner, scan: LaserScan) -> list[tuple[str, Any]]:
        """Return where the frame of a scan is on the base."""
        x, y, yaw = scanner.mount.x, scanner.mount.y, scanner.mount.yaw
        mount = TransformStamped(
            stamp=scan.stamp, frame=self.robot.base.facts.frame, child_frame=scan.frame,
            transform=Pose.from_xyz_rpy([x, y, scanner.height], [0.0, 0.0, yaw]),
        )  # fmt: skip
        return [(STATIC_FRAMES, (mount,))]

    def columns(self, times: Array, samples: Sequence[JointSample]) -> list[Column]:
        """Return the messages of some ticks."""
        if not self._sensors:
            return []
        stamps = np.array([sample.stamp for sample in samples])
        read = [_stacked([[r[1:][i] for r in s.readings] for s in samples]) for i in range(3)]
        told = _stacked([s.target for s in samples]), _stacked([s.speed for s in samples])
        columns = [
            self._column(JOINT_STATES, self._layouts[JOINT_STATES].pack(stamps, *read)),
            self._column(JOINT_COMMANDS, self._layouts[JOINT_COMMANDS].pack(times, *told)),
        ]
        if self.robot.arms:  # of the first: there is one topic for it
            chain = self.robot.arms.first.chain
            first = self.names.index(chain.joint_names[0])
            T = chain.forward(read[0][:, first : first + len(chain.joint_names)])
            turned = quaternion_from_matrix(T[:, :3, :3])
            poses = pack_poses(self._layouts[TOOL_POSE], stamps, T[:, :3, 3], turned)
            columns.append(self._column(TOOL_POSE, poses))
        if self._legs is not None:
            legs = [sample.legs for sample in samples if sample.legs is not None]
            columns += [self._column(*each) for each in self._legs.columns(times, legs)]
        return columns

    def _column(self, topic: str, messages: list[bytes]) -> Column:
        name = robot_topic(topic, self.robot.name, alone=self._alone)
        return Column(name, TYPES[topic], messages)


def _stacked(rows: Sequence[Sequence[Array]]) -> Array:
    """Return the parts of each row side by side. Shape (n, numbers)."""
    return np.hstack([np.array(parts) for parts in zip(*rows, strict=True)])


def joint_units(robot: Robot) -> tuple[str, ...]:
    """Return the units of the joints that a robot's encoders read."""
    return tuple(unit for part, _ in robot.parts.jointed for unit in part.units)


def robot_layouts(names: Sequence[str]) -> dict[str, Layout]:
    """Return the layouts of the messages of a robot with these joints."""
    return {
        JOINT_STATES: joint_state_layout(names),
        JOINT_COMMANDS: joint_state_layout(names, effort=False),
        TOOL_POSE: pose_layout(BASE),
    }


class WorldChannels:
    """What is logged of the world: its state, and now and then where its bodies are."""

    def __init__(self, world: World) -> None:
        """Lay out the messages; poses are computed in a mirror, so the world is left alone."""
        self._mirror = Mirror(world.model)
        model = world.model
        self._moving = np.flatnonzero(model.body_weldid)
        names = [model.body(i).name or f"body {i}" for i in self._moving]
        self._state = numbers_layout(len(world.state()))
        self._transforms = transforms_layout("world", names) if names else None

    def states(self, states: Array) -> Column:
        """Return the states of some ticks. Shape (n, size)."""
        return Column(STATE, TYPES[STATE], self._state.pack(np.zeros(len(states)), states))

    def transforms(self, times: Array, states: Array) -> Column:
        """Return where every moving body was in the world; without any, no messages."""
        if self._transforms is None or not len(states):
            return Column(TRANSFORMS, TYPES[TRANSFORMS], [])
        positions, quaternions = [], []
        for state in states:
            self._mirror.show(state)
            positions.append(self._mirror.data.xpos[self._moving])
            quaternions.append(self._mirror.data.xquat[self._moving])
        packed = pack_transforms(
            self._transforms, times, np.array(positions), np.array(quaternions)
        )
        return Column(TRANSFORMS, TYPES[TRANSFORMS], packed)


def described(channels: Mapping[str, RobotChannels]) -> dict[str, Any]:
    """Return what the header says of robots, joints and cups."""
    cups = {n: described_cups(c.robot) for n, c in channels.items() if "cups" in c.robot.parts}
    return {
        "robots": {name: each.robot.description.name for name, each in channels.items()},
        "joints": {
            name: {
                "names": list(each.names),
                "units": list(each.units),
                "per_row": joints_per_row(each.robot) if "cups" in each.robot.parts else 1,
            }
            for name, each in channels.items()
        },
        **({"cups": cups} if cups else {}),
    }
