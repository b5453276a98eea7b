"""The log of a run as columns: one row per tick, in plain arrays."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import CupChange
from mecano.core.messages.cups import CUP_STATES
from mecano.record.channels import robot_layouts
from mecano.record.log_picking import PickedLog
from mecano.topics.codec import decode
from mecano.topics.layouts import cups_layout, numbers_layout
from mecano.topics.tables import (
    CUP_CHANGES,
    CUPS,
    JOINT_COMMANDS,
    JOINT_STATES,
    STATE,
    TOOL_POSE,
    TYPES,
    robot_topic,
)

EACH_TICK = (JOINT_STATES, JOINT_COMMANDS, TOOL_POSE, CUPS)
"""What is logged of a robot in every tick and read back, as far as the robot has it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class JointColumns:
    """What the joints of a robot were told and what they did. Arrays have the shape (n, joints)."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    """Of the joint values, "rad" or "m"."""
    target: Array
    """Where they were told to be at the time of the row; NaN while they followed something else."""
    real: Array
    """Where they were then, by the encoders. The last row holds the reading before it."""
    velocity: Array
    """How fast, by the encoders [unit/s]."""
    effort: Array
    """What the motors did [N m or N]."""
    per_row: int = 1
    """Joints that belong together, drawn side by side: those of a leg."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CupColumns:
    """What the cups of a robot did and carried. Arrays have the shape (n, cups)."""

    names: tuple[str, ...]
    times: Array
    """Of the rows [s]. Shape (n,)."""
    state: np.ndarray
    """Numbers of the words in `CUP_STATES`."""
    pull: Array
    """Away from the surfaces, median of five [N]. The last row holds the reading before it."""
    shear: Array
    """Along the surfaces [N]."""
    moment: Array
    """[N m]."""
    share: Array
    """How much of what each cup can hold is used up; at 1 it lets go."""
    limits: Array
    """Largest pull and largest shear of each cup at the start [N]. Shape (cups, 2)."""
    changes: tuple[CupChange, ...] = ()
    """Bonds, releases and breaks, as they happened."""

    @property
    def holding(self) -> np.ndarray:
        """Which cups held on to something."""
        return self.state == CUP_STATES.index("holding")


@dataclass(frozen=True, eq=False, kw_only=True)
class Columns:
    """All that a log says."""

    times: Array
    states: Array
    joints: dict[str, JointColumns]
    tool: dict[str, Array]
    cups: dict[str, CupColumns]
    problem: str | None


def read_columns(
    log: Path, joints: Mapping[str, Any], cups: Mapping[str, Any] | None = None
) -> Columns:
    """Read a log.

    Args:
        log: The file.
        joints: Names and units by robot, as the header has them.
        cups: Names and limits of the cups of robots that have some, as the header has them.

    Raises:
        InvalidInput: There is not even one tick in it.
    """
    alone = len(joints) == 1
    topics = {name: [robot_topic(t, name, alone=alone) for t in EACH_TICK] for name in joints}
    wanted = {STATE, *(t for each in topics.values() for t in each)}
    wanted |= {robot_topic(CUP_CHANGES, name, alone=alone) for name in joints}
    reader = PickedLog(log, lambda topic, type_name: topic in wanted)
    by_topic: dict[str, list[bytes]] = defaultdict(list)
    for record in reader:
        by_topic[record.topic].append(record.data)
    if not by_topic[STATE]:
        why = reader.problem or "it holds no ticks"
        raise InvalidInput(f"nothing can be read from {log}: {why}")
    rows = _whole_ticks(by_topic, [STATE, *(t for each in topics.values() for t in each)])
    states = _states([data for data in by_topic[STATE][:rows]])
    times = states[:, 0].copy()  # the engine's state begins with the time
    tables, tools, feet = {}, {}, {}
    for name, known in joints.items():
        *messages, loads = [by_topic[topic][:rows] for topic in topics[name]]
        tables[name], tool = _robot(known, times, *messages)
        if tool is not None:
            tools[name] = tool
        if loads and name in (cups or {}):
            changes = by_topic[robot_topic(CUP_CHANGES, name, alone=alone)]
            feet[name] = _cups((cups or {})[name], times, loads, changes)
    return Columns(
        times=times, states=states, joints=tables, tool=tools, cups=feet, problem=reader.problem
    )


def _whole_ticks(by_topic: Mapping[str, list[bytes]], topics: Sequence[str]) -> int:
    """Return how many ticks are complete; the last one may lack a message after a break."""
    return min(len(by_topic[topic]) for topic in topics if by_topic.get(topic))


def _states(messages: list[bytes]) -> Array:
    layout = numbers_layout(0)
    count = (len(messages[0]) - len(layout.pattern)) // 8
    _, (states,) = numbers_layout(count).unpack(messages)
    return states


def _robot(
    known: Mapping[str, Any],
    times: Array,
    states: list[bytes],
    commands: list[bytes],
    poses: list[bytes],
) -> tuple[JointColumns, Array | None]:
    """Return the columns of one robot, and the way of its tool if it has one."""
    names, units = tuple(known["names"]), tuple(known["units"])
    empty = np.empty((len(times), 0))
    if not states:
        blank = JointColumns(
            names=names, units=units, target=empty, real=empty, velocity=empty, effort=empty
        )
        return blank, None
    layouts = robot_layouts(names)
    stamps, read = layouts[JOINT_STATES].unpack(states)
    _, (target, _) = layouts[JOINT_COMMANDS].unpack(commands)
    row = _reading_of_row(stamps, times)
    position, velocity, effort = (values[row] for values in read)
    table = JointColumns(
        names=names, units=units, target=target, real=position, velocity=velocity, effort=effort,
        per_row=int(known.get("per_row", 1)),
    )  # fmt: skip
    return table, layouts[TOOL_POSE].unpack(poses)[1][0][row] if poses else None


def _cups(
    known: Mapping[str, Any], times: Array, messages: list[bytes], changes: list[bytes]
) -> CupColumns:
    """Return the columns of one robot's cups."""
    stamps, (state, *loads) = cups_layout(known["names"]).unpack(messages)
    row = _reading_of_row(stamps, times)
    pull, shear, moment, share = (values[row] for values in loads)
    happened = tuple(decode(TYPES[CUP_CHANGES], data) for data in changes)
    return CupColumns(
        names=tuple(known["names"]), times=times, state=state.astype(int), pull=pull, shear=shear,
        moment=moment, share=share, changes=happened,
        limits=np.column_stack([known["pull_limit_N"], known["shear_limit_N"]]),
    )  # fmt: skip


def _reading_of_row(stamps: Array, times: Array) -> np.ndarray:
    """Return for each row the index of the reading that was taken at its time.

    A tick reads its sensors at its beginning and is logged at its end, so the reading of a row
    comes with the next one. Where there is no such reading (the last row, or the session was set
    back) the row keeps its own.
    """
    rows = np.arange(len(times))
    following = np.minimum(rows + 1, len(times) - 1)
    return np.where(np.abs(stamps[following] - times) < 1e-9, following, rows)
