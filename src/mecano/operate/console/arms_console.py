"""The console of a robot with several arms, or with hands in the place of grippers."""

import dataclasses
from typing import Any

from mecano.core.errors import InvalidInput
from mecano.operate.console import asking, control
from mecano.operate.console.console import Console
from mecano.operate.console.context import Context
from mecano.operate.console.replies import Action, Reply, Status
from mecano.operate.console.table import ARM_COMMANDS, GENERAL, NOTES, Command
from mecano.operate.console.texts import floats
from mecano.operate.console.words import FRACTION, pick
from mecano.parts.hand import Hand, HandResult
from mecano.parts.results import Outcome

GRASPS = ("power", "pinch")
"""Postures that a hand closes towards."""


def hand_of(context: Context) -> Hand:
    """Return the hand on the arm that commands are for, or say that there is none."""
    hands = context.robot.hands
    if not hands:
        raise InvalidInput(f"{context.robot.name} has no hands")
    if context.arm_name not in hands:
        raise InvalidInput(
            f"the {context.arm_name} arm has no hand; hands are on: {', '.join(hands)}"
        )
    return hands[context.arm_name]


def choose_arm(context: Context, words: list[str]) -> Action:
    """Choose the arm that commands are for; what is read after this is for it."""
    if words:
        context.arm_name = pick(words[0], "arm", context.robot.arms)
    name = context.arm_name

    def choose() -> Reply:
        if words:
            context.arm_name = name
        others = [f"{each} arm" for each in context.robot.arms if each != context.arm_name]
        other = f"; there is also the {', the '.join(others)}" if others else ""
        text = f"commands are for the {context.arm_name} arm at {context.pose_text()}{other}"
        return Reply(lines=(text,), data=context.state())

    return choose


def both(context: Context, words: list[str]) -> Action:
    """Move all arms to a posture of this name, to arrive together."""
    arms = context.robot.arms
    shared = [
        name
        for name in next(iter(arms.values())).chain.postures
        if all(name in arm.chain.postures for arm in arms.values())
    ]
    name = pick(words[0], "shared posture", shared)

    def go() -> Reply:
        for each in arms:  # a long way of any arm is asked for
            declined = _declined(context, each, name)
            if declined is not None:
                return declined
        result = arms.move_joints(name, speed=context.speed)
        status = Status.DONE if result.reached else Status.FAILED
        data = context.state() | {"outcome": str(result.outcome)}
        return Reply(status=status, lines=(result.message,), data=data)

    return go


def _declined(context: Context, arm: str, posture: str) -> Reply | None:
    chosen, context.arm_name = context.arm_name, arm
    try:
        return context.declined(context.arm.posture(posture))
    finally:
        context.arm_name = chosen


def open_hand(context: Context, words: list[str]) -> Action:
    """Open the hand on the chosen arm."""
    hand_of(context)
    return lambda: _hand_reply(context, hand_of(context).open(speed=context.speed))


def close_hand(context: Context, words: list[str]) -> Action:
    """Close the hand on the chosen arm, all of the way to a grasp or a share of it."""
    known = hand_of(context).facts.postures
    words = list(words)
    grasp = GRASPS[0]
    if words and words[-1][:1].isalpha():
        grasp = pick(words.pop(), "grasp", [name for name in GRASPS if name in known])
    if len(words) > 1:
        raise InvalidInput(f"close takes [share] [grasp], got '{' '.join(words)}'; close 60% pinch")
    share = FRACTION.read(words[0], "share of the way", 0.0, 1.0) if words else 1.0
    return lambda: _hand_reply(
        context, hand_of(context).close(share, grasp=grasp, speed=context.speed)
    )


def move_hand(context: Context, words: list[str]) -> Action:
    """Move the hand on the chosen arm to a posture, or tell where it is."""
    known = hand_of(context).facts.postures
    if not words:
        return lambda: Reply(lines=(hand_line(context), _listed(known)), data=context.state())
    posture = pick(words[0], "hand posture", known)
    return lambda: _hand_reply(context, hand_of(context).move(posture, speed=context.speed))


def _listed(known: dict[str, Any]) -> str:
    return f"postures: {', '.join(known)}"


def _hand_reply(context: Context, result: HandResult) -> Reply:
    held_up = result.outcome is Outcome.STOPPED and bool(result.stopped)
    status = Status.DONE if result.reached or held_up else Status.FAILED  # held up: it grasps
    data = {"outcome": str(result.outcome), "stopped": list(result.stopped)}
    text = f"{context.arm_name} hand: {result.message}"
    return Reply(status=status, lines=(text,), data=context.state() | data)


def hand_line(context: Context) -> str:
    """Return which fingers are held up."""
    stopped = hand_of(context).stopped
    held = f"{', '.join(stopped)} held up" if stopped else "no finger held up"
    return f"hand     {held}"


def where(context: Context, words: list[str]) -> Action:
    """Tell joints, tool, hand and time of the chosen arm."""
    told = asking.where(context, words)

    def tell() -> Reply:
        reply = told()
        lines = (f"arm      {context.arm_name}", *reply.lines[:-1])
        if context.arm_name in context.robot.hands:
            lines = (*lines, hand_line(context))
        return dataclasses.replace(reply, lines=(*lines, reply.lines[-1]))

    return tell


def _postures_of_hand(context: Context) -> list[str]:
    return list(hand_of(context).facts.postures)


HAND_COMMANDS = (
    Command(
        "arm", "[NAME]", "choose the arm that commands are for, or tell which it is", choose_arm,
        (0, 1), "arm left", ("a",), lambda context: context.robot.arms,
    ),
    Command(
        "both", "POSTURE", "move all arms to a posture, to arrive together", both, (1,),
        "both ready", choices=lambda context: context.arm.chain.postures,
    ),
    Command("open", "", "open the hand", open_hand, example="open", aliases=("o",)),
    Command(
        "close", "[share] [grasp]", "close the hand, or a share of the way", close_hand,
        (0, 1, 2), "close 60% pinch", ("c", "grip"), lambda _: GRASPS, (
            "Grasps: power (if not said) and pinch. Fingers stop at what they meet and press.",
        ),
    ),
    Command(
        "hand", "[POSTURE]", "move the hand to a posture, or tell where it is", move_hand,
        (0, 1), "hand flat", choices=_postures_of_hand,
    ),
    Command(
        "where", "", "joints, tool, hand and time", where, example="where",
        aliases=("w", "getpos", "g"),
    ),
    Command("limits", "", "what joints and tool can do", asking.limits, example="limits"),
    Command(
        "speed", "[fraction]", "set or show how fast arms and hands move", control.speed, (0, 1),
        "speed 50%",
    ),
)  # fmt: skip
"""Words in the place of those for a gripper, and for choosing an arm."""
ARMS_NOTES = (
    "Commands are for one arm and its hand, `arm left` chooses another; points are in base_link.",
    *NOTES,
)


class ArmsConsole(Console):
    """Commands for one arm of several, and the hand on it."""

    commands = (
        *HAND_COMMANDS,
        *(each for each in ARM_COMMANDS if each.name not in {new.name for new in HAND_COMMANDS}),
        *GENERAL,
    )
    notes = ARMS_NOTES

    def state(self) -> dict[str, Any]:
        """Return where the chosen arm and its hand are, as plain values."""
        state = {"arm": self.arm_name} | super().state()
        hand = self.robot.hands.get(self.arm_name)
        if hand is not None:
            joints = dict(zip(hand.facts.joints, floats(hand.position), strict=True))
            state |= {"hand": joints, "stopped": list(hand.stopped)}
        return state

    def status_line(self) -> str:
        """Return the chosen arm, its pose and the time in one line."""
        return f"{self.arm_name} arm  {super().status_line()}"
