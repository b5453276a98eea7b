"""Writes the description of an imported robot: Python that a person reads and corrects."""

from dataclasses import dataclass

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import quaternion_from_matrix
from mecano.importing.draft import MODEL, Draft
from mecano.importing.dressing import tip_site
from mecano.importing.drives import Drive
from mecano.importing.hand_search import FoundHand
from mecano.importing.mjcf_text import identifier
from mecano.importing.python_text import angle, comment
from mecano.importing.structure import FoundChain, Structure
from mecano.importing.wheel_build import WheelMotor
from mecano.importing.wheel_text import base_lines
from mecano.kinematics.dh import DHChain, DHJoint

SPEED_SHARE, MAX_SPEED = 0.5, 2.0
"""Motions use this share of a joint's speed, and no more than this [rad/s or m/s]."""


@dataclass(frozen=True, kw_only=True)
class DescribedHand:
    """What a description says of a hand beside its fingers."""

    limits: tuple[tuple[float, float], ...]
    stiffness: float
    damping: float
    torque: float
    speed: float
    postures: dict[str, tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Described:
    """All that a description is written from."""

    draft: Draft
    structure: Structure
    tables: dict[str, DHChain]
    """By chain."""
    postures: dict[str, dict[str, tuple[float, ...]]]
    """By chain, then by name."""
    hands: dict[str, DescribedHand]
    drives: dict[str, Drive]
    wheels: dict[str, WheelMotor]
    free_body: str
    name: str
    title: str


def description_text(robot: Described) -> str:
    """Return the text of `description.py`; `ruff format` leaves it as it is."""
    structure, lines = robot.structure, _head(robot)
    for chain in structure.chains:
        lines += ["", *_chain(robot, chain)]
    if structure.chains:
        lines += ["", *_servos(robot), "", *_limits(robot)]
    for chain, gripper in structure.grippers.items():
        drive = robot.drives[gripper.joint]
        per_value = (gripper.width_open - gripper.width_closed) / (gripper.open - gripper.closed)
        lines += [
            "",
            f"# guessed: {gripper.reason}; widths measured on the model.",
            f"{_constant(chain, 'gripper')} = Gripper(",
            f"    joint={_text(gripper.joint)},",
            *_items("    followers=", [_text(j) for j in gripper.followers]),
            f"    open={angle(gripper.open)},",
            f"    closed={angle(gripper.closed)},",
            f"    width_at_zero={_round(gripper.width_open - per_value * gripper.open)},",
            f"    width_per_value={_round(per_value)},",
            f"    max_force={_round(drive.effort / max(abs(per_value), 1e-3))},",
            f"    speed={_round(min(drive.speed, 0.1 if drive.slides else 2.0))},",
            "    resolution=1e-5,",
            *([] if drive.slides else ['    unit="rad",']),
            *_items("    bodies=", [_text(b) for b in gripper.bodies]),
            ")",
        ]
    for name, hand in structure.hands.items():
        lines += ["", *_hand(name, hand, robot.hands[name])]
    if structure.base is not None:
        moved = [each.message for each in robot.draft.findings if each.code == "origin-moved"]
        lines += [
            "", *base_lines(structure.base, robot.wheels, robot.free_body, "".join(moved[:1]))
        ]  # fmt: skip
    return "\n".join([*lines, "", *_description(robot), ""])


def _hand(name: str, hand: FoundHand, facts: DescribedHand) -> list[str]:
    lines = [
        *comment(f"guessed: a hand, {hand.reason}."),
        f"{_constant(name, 'hand')} = HandFacts(",
        f"    name={_text(name)},",
        f"    palm={_text(hand.palm)},",
        "    fingers=(",
    ]
    for finger in hand.fingers:
        lines += [
            "        Finger(",
            f"            name={_text(finger.name)},",
            *_items("            joints=", [_text(each) for each in finger.joints]),
            *_items("            bodies=", [_text(each) for each in finger.bodies]),
            f"            tip={_text(tip_site(name, finger.name))},",
            "        ),",
        ]
    lines += [
        "    ),",
        *_items("    limits=", [f"({angle(low)}, {angle(high)})" for low, high in facts.limits]),
        f"    stiffness={_round(facts.stiffness)},",
        f"    damping={_round(facts.damping)},",
        f"    torque={_round(facts.torque)},",
        f"    speed={_round(facts.speed)},",
        "    resolution=2 * pi / 2**14,",
        "    rate=100.0,",
        "    postures={",
    ]
    for posture, values in facts.postures.items():
        lines += _items(f"        {_text(posture)}: ", [angle(value) for value in values])
    return [*lines, "    },", ")"]


def _head(robot: Described) -> list[str]:
    structure, source = robot.structure, robot.draft.file.name
    chains, grippers = structure.chains, structure.grippers
    angles = any("pi" in line for chain in chains for line in _chain(robot, chain))
    angles = angles or bool(chains or structure.hands) or structure.base is not None
    lines = [
        f'"""{robot.title}, imported from {source}. Lines marked `guessed` are to be checked."""',
        "",
        *(["from math import pi"] if angles else []),
        "from pathlib import Path",
        "",
    ]
    imports = []
    if chains:
        imports += [
            "from mecano.core.poses import Pose",
            "from mecano.kinematics.chain import Chain",
            "from mecano.kinematics.dh import DHChain, DHJoint",
        ]
    if structure.base is not None:
        imports.append("from mecano.kinematics.wheels import Wheel, WheelLayout")
    names = ["RobotDescription"]
    names += ["MotionLimits", "Servo"] if chains else []
    names += ["Gripper"] if grippers else []
    imports.append(f"from mecano.robots.description import {', '.join(sorted(names))}")
    if structure.hands:
        imports.append("from mecano.robots.hands import Finger, HandFacts")
    if structure.base is not None:
        imports.append("from mecano.robots.mobile import BaseLimits, WheelCounter, WheeledBase")
    if chains:
        imports += [
            "",
            "",
            "def joint(name, theta, d, a, alpha, lower, upper, **more):",
            '    """Return a row of a table: angles in radians, lengths in metres."""',
            '    numbers = {"theta": theta, "d": d, "a": a, "alpha": alpha}',
            "    return DHJoint(name=name, lower=lower, upper=upper, **numbers, **more)",
            "",
            "",
            "def limits(speed):",
            '    """Return how fast a chain moves, from its full speed [rad/s or m/s]."""',
            "    return MotionLimits(",
            "        velocity=speed,",
            "        acceleration=4 * speed,",
            "        jerk=40 * speed,",
            "        tool_velocity=0.25,",
            "        tool_acceleration=0.8,",
            "    )",
            "",
        ]
    return lines + imports


def _chain(robot: Described, chain: FoundChain) -> list[str]:
    table = robot.tables[chain.name]
    where = "" if chain.base == robot.free_body else f" Its base is {chain.base}."
    constant = _constant(chain.name)
    lines = [
        *comment(f"guessed: {chain.kind}, {chain.reason}; tool: {chain.tool.reason}.{where}"),
        "# fmt: off",
        f"{constant}_TABLE = DHChain(",
        "    # name, theta, d, a, alpha, lower, upper",
        "    joints=(",
        *(f"        {_row(row)}," for row in table.joints),
        "    ),",
        f"    base={_pose(table.base)},",
        f"    tool={_pose(table.tool)},",
        ")",
        "# fmt: on",
        f"{constant} = Chain(",
        f"    name={_text(chain.name)},",
        f"    dh={constant}_TABLE,",
        "    postures={",
    ]
    for name, values in robot.postures[chain.name].items():
        numbers = [angle(value) for value in values]
        lines += _items(f"        {_text(name)}: ", numbers)
    role = [] if chain.kind == "arm" else [f"    role={_text(chain.kind)},"]
    return [*lines, "    },", *role, ")"]


def _servos(robot: Described) -> list[str]:
    joints = [joint for chain in robot.structure.chains for joint in chain.joints]
    guessed = sorted({d.guessed for j in joints if (d := robot.drives[j]).guessed})
    lines = [
        "# Torque [N m or N] and speed [rad/s or m/s] of every motor"
        + (f"; guessed where the file has none: {', '.join(guessed)}." if guessed else "."),
        "# fmt: off",
        "MOTORS = {",
    ]
    for name in joints:
        drive = robot.drives[name]
        lines.append(f"    {_text(name)}: ({_round(drive.effort)}, {_round(drive.speed)}),")
    return [
        *lines,
        "}",
        "# fmt: on",
        "SERVOS = {",
        "    # guessed: one tick of the encoders",
        '    name: Servo(model="imported", torque=torque, speed=speed, resolution=2 * pi / 2**17)',
        "    for name, (torque, speed) in MOTORS.items()",
        "}",
    ]


def _limits(robot: Described) -> list[str]:
    """Return how fast each chain moves: half of the speed of its slowest joint."""
    lines = ["# guessed: half of what the slowest motor can.", "LIMITS = {"]
    for chain in robot.structure.chains:
        slowest = min(robot.drives[joint].speed for joint in chain.joints)
        speed = min(SPEED_SHARE * slowest, MAX_SPEED)
        lines.append(f"    {_text(chain.name)}: limits({_round(speed)}),")
    return [*lines, "}"]


def _description(robot: Described) -> list[str]:
    structure = robot.structure
    chains = structure.chains
    lines = [
        "DESCRIPTION = RobotDescription(",
        f"    name={_text(robot.name)},",
        f"    title={_text(robot.title)},",
        f"    summary={_text(_summary(structure))},",
        "    folder=Path(__file__).parent,",
        *_items("    chains=", [f"{_text(c.name)}: {_constant(c.name)}" for c in chains], "{}"),
        f"    model={_text(MODEL)},",
    ]
    if chains:
        lines += [
            "    servos=SERVOS,",
            f"    limits=LIMITS[{_text(chains[0].name)}],",
            "    chain_limits=LIMITS,",
            "    feeds_weight=True,",
        ]
    if structure.grippers:
        items = [f"{_text(c)}: {_constant(c, 'gripper')}" for c in structure.grippers]
        lines += _items("    grippers=", items, "{}")
    if structure.hands:
        items = [f"{_text(c)}: {_constant(c, 'hand')}" for c in structure.hands]
        lines += _items("    hands=", items, "{}")
    if structure.base is not None:
        lines.append("    base=BASE,")
    elif structure.free:
        lines.append(f"    floating={_text(robot.free_body)},  # guessed: {structure.why_free}")
    return [
        *lines,
        '    scene="empty",',
        *_items("    sources=", [_text(robot.draft.file.name)]),
        ")",
    ]


def _summary(structure: Structure) -> str:
    parts = [
        f"{each.name} of {len(each.joints)} joint{'s' if len(each.joints) > 1 else ''}"
        for each in structure.chains[:6]
    ]
    if len(structure.chains) > 6:
        parts.append(f"{len(structure.chains) - 6} more chains")
    if structure.base is not None:
        parts.append(f"a {structure.base.kind} base")
    parts += _counted("gripper", len(structure.grippers))
    parts += [f"a hand of {len(each.fingers)} fingers" for each in structure.hands.values()]
    text = ", ".join(parts) or "one body"
    return f"Imported: {text}."


def _counted(what: str, count: int) -> list[str]:
    return [] if not count else [f"a {what}" if count == 1 else f"{count} {what}s"]


# --- text


def _row(row: DHJoint) -> str:
    numbers = [row.theta, row.d, row.a, row.alpha, row.lower, row.upper]
    written = ", ".join(angle(value) for value in numbers)
    more = "" if row.kind == "revolute" else ', kind="prismatic"'
    more += "" if row.beta == 0.0 else f", beta={angle(row.beta)}"
    return f"joint({_text(row.name)}, {written}{more})"


def _pose(T: Array) -> str:
    """Return a frame as position and quaternion."""
    quaternion = quaternion_from_matrix(T[:3, :3])
    quaternion = quaternion * (-1.0 if quaternion[0] < 0.0 else 1.0)
    place = ", ".join(angle(value) for value in T[:3, 3])
    turn = ", ".join(repr(float(np.round(value, 15) + 0.0)) for value in quaternion)
    return f"Pose(({place}), ({turn})).matrix()"


def _items(begin: str, items: list[str], brackets: str = "()") -> list[str]:
    """Return items in brackets, in one line if they fit, as `ruff format` does."""
    left, right = brackets
    comma = "," if brackets == "()" and len(items) == 1 else ""
    line = f"{begin}{left}{', '.join(items)}{comma}{right},"
    if len(line) <= 100:
        return [line]
    indent = " " * (len(begin) - len(begin.lstrip()))
    return [f"{begin}{left}", *(f"{indent}    {item}," for item in items), f"{indent}{right},"]


def _round(value: float) -> str:
    return repr(float(f"{value:.4g}"))


def _text(value: str) -> str:
    """Return a text in double quotes, as `ruff format` writes it."""
    written = repr(value)
    if written.startswith("'") and '"' not in written:
        return f'"{written[1:-1]}"'
    return written


def _constant(name: str, suffix: str = "") -> str:
    return identifier(f"{name}_{suffix}" if suffix else name, otherwise="chain").upper()
