"""Commands that move legs and switch cups."""

from math import degrees, inf, pi

from mecano.core.errors import UnknownName
from mecano.operate.console.context import Context
from mecano.operate.console.replies import Action, Reply, Status
from mecano.operate.console.texts import floats, joint_text, point_text
from mecano.operate.console.words import ANGLE, FRACTION, LENGTH, pick, read_target
from mecano.operate.steering import Steering, switch_cup
from mecano.parts.leg import Leg
from mecano.parts.results import MotionResult
from mecano.parts.walks import WalkResult

LONGEST = 10.0
"""Walks of more are a slip of the keyboard [m]."""


def walk(context: Context, words: list[str]) -> Action:
    """Walk a distance, in a direction, in a gait."""
    words, gait = _gait(context, words)
    distance = LENGTH.read(words[0], "distance", 0.0, LONGEST)
    direction = ANGLE.read(words[1], "way", -2 * pi, 2 * pi) if len(words) > 1 else 0.0

    def go() -> Reply:
        _take_hold(context)
        steering = _steering(context, gait)
        return _walked(
            context,
            context.robot.legs.walk(distance, direction=direction, gait=gait, speed=steering.speed),
        )

    return go


def turn(context: Context, words: list[str]) -> Action:
    """Turn on the spot by an angle."""
    words, gait = _gait(context, words)
    angle = ANGLE.read(words[0], "angle", -10 * pi, 10 * pi)

    def go() -> Reply:
        _take_hold(context)
        rate = _steering(context, gait).turn
        result = context.robot.legs.walk(
            speed=0.0, turn=rate if angle >= 0.0 else -rate, time=abs(angle) / rate, gait=gait
        )
        return _walked(context, result)

    return go


def _gait(context: Context, words: list[str]) -> tuple[list[str], str]:
    """Return the words without the name of a gait at their end, and that or the first gait."""
    gaits = Steering(context.robot.legs).gaits
    if len(words) > 1 and words[-1][:1].isalpha():
        return words[:-1], pick(words[-1], "gait", gaits)
    return words, gaits[0]


def _steering(context: Context, gait: str) -> Steering:
    """Return the speeds of a gait, as the user wants them."""
    steering = Steering(context.robot.legs)
    steering.set_gait(gait)
    steering.part = context.speed
    return steering


def _take_hold(context: Context) -> None:
    """Give cups that are on a moment to take hold: at the beginning none does yet."""
    cups = context.robot.cups

    def settled() -> bool:
        return bool((cups.holding == cups.drive.signal).all())

    context.robot.session.wait_until(settled, timeout=0.1)


def _walked(context: Context, result: WalkResult) -> Reply:
    data = {
        "outcome": str(result.outcome),
        "distance": result.distance,
        "turned": result.turned,
        "duration": result.duration,
        "peak": result.peak,
    }
    status = Status.DONE if result.reached else Status.FAILED
    return Reply(status=status, lines=(result.message,), data=context.state() | data)


# --- single legs


def leg(context: Context, words: list[str]) -> Action:
    """Move the tip of a leg to a point or the leg into a posture, or read it."""
    chosen = _leg(context, words[0])
    if len(words) == 1:
        return lambda: Reply(lines=tuple(leg_lines(chosen)), data=context.state())
    if len(words) == 2:
        name = pick(words[1], "posture", chosen.chain.postures)
        return lambda: _moved(context, chosen, chosen.move_joints(name, speed=context.speed))
    point, _ = read_target(words[1:])
    return lambda: _moved(context, chosen, chosen.move_to(point, speed=context.speed))


def leg_lines(chosen: Leg) -> list[str]:
    """Return where a leg is: its tip, and its joints."""
    joints = zip(chosen.chain.dh.joints, chosen.position, strict=True)
    return [
        f"leg {chosen.number}    tip {point_text(chosen.tip)}, in the body's frame",
        *(f"  {joint.name} {joint_text(value, joint.unit)}" for joint, value in joints),
    ]


def _leg(context: Context, word: str) -> Leg:
    return context.robot.legs[_number(context, word, "leg")]


def _number(context: Context, word: str, kind: str) -> int:
    known = [str(number) for number in range(1, len(context.robot.legs) + 1)]
    if word not in known:
        raise UnknownName(kind, word, known)
    return int(word)


def _moved(context: Context, chosen: Leg, result: MotionResult) -> Reply:
    status = Status.DONE if result.reached else Status.FAILED
    data = context.state() | {"outcome": str(result.outcome), "tip": floats(chosen.tip)}
    return Reply(status=status, lines=(f"leg {chosen.number}: {result.message}",), data=data)


# --- cups


def cup(context: Context, words: list[str]) -> Action:
    """Switch a cup on or off, or say what it carries."""
    number = _number(context, words[0], "cup")
    if len(words) == 1:
        return lambda: Reply(lines=(cup_line(context, number),), data=context.state())
    order = pick(words[1], "order", ("on", "off", "force"))

    def switch() -> Reply:
        cups = context.robot.cups
        if order == "on":
            result = cups.attach(number)[0]
            status = Status.DONE if result.done else Status.FAILED
            return Reply(status=status, lines=(result.reason or cup_line(context, number),))
        result = switch_cup(context.robot, number, False, force=order == "force")
        status = Status.DONE if result.done else Status.FAILED
        return Reply(status=status, lines=(result.message,))

    return switch


def cups(context: Context, words: list[str]) -> Action:
    """Say what all cups carry."""
    numbers = range(1, len(context.robot.cups) + 1)
    return lambda: Reply(
        lines=tuple(cup_line(context, number) for number in numbers), data=context.state()
    )


def cup_line(context: Context, number: int) -> str:
    """Return what a cup does and carries, or how far the surface before it is."""
    chosen = context.robot.cups[number]
    if chosen.holding:
        return (
            f"cup {number}    {chosen.state}, {chosen.pull:.1f} N pull, {chosen.shear:.1f} N "
            f"shear, {100 * chosen.margin:.0f} % left"
        )
    far = chosen.distance
    seen = "no surface before it" if far == inf else f"surface {1000 * far:.0f} mm away"
    return f"cup {number}    {chosen.state}, {seen}"


# --- questions


def where(context: Context, words: list[str]) -> Action:
    """Tell where legs and cups are, and the time."""

    def tell() -> Reply:
        tips = [f"leg {leg.number}    tip {point_text(leg.tip)}" for leg in context.robot.legs]
        held = [cup_line(context, leg.number) for leg in context.robot.legs]
        lines = (*tips, *held, f"time     {context.robot.time:.2f} s")
        return Reply(lines=lines, data=context.state())

    return tell


def limits(context: Context, words: list[str]) -> Action:
    """Tell what legs, gaits and cups can do."""

    def tell() -> Reply:
        legs, steering = context.robot.legs, Steering(context.robot.legs)
        lines = []
        for each in legs:
            ranges = zip(each.chain.dh.lower, each.chain.dh.upper, strict=True)
            told = ", ".join(f"{degrees(low):.0f} to {degrees(high):.0f}" for low, high in ranges)
            lines.append(f"leg {each.number}    joints {told} deg")
        for gait in steering.gaits:
            steering.set_gait(gait)
            lines.append(f"{gait:8} up to {1000 * steering.speed:.1f} mm/s")
        low, high = steering.heights
        lines.append(f"height   {1000 * low:.0f} to {1000 * high:.0f} mm above the surface")
        for pull, shear, _ in {law.parameters for law in context.robot.cups.drive.laws}:
            lines.append(f"cups     hold {pull:g} N pull, {shear:g} N shear")
        return Reply(lines=tuple(lines))

    return tell


def speed(context: Context, words: list[str]) -> Action:
    """Set or show how fast it moves."""
    wanted = FRACTION.read(words[0], "speed", 0.01, 1.0) if words else None

    def change() -> Reply:
        context.speed = context.speed if wanted is None else wanted
        gait = Steering(context.robot.legs).gaits[0]
        pace = 1000 * _steering(context, gait).speed
        text = f"speed {context.speed:.0%}: {gait} at {pace:.1f} mm/s"
        return Reply(lines=(text,), data={"speed": context.speed})

    return change
