"""Every public method of a robot's parts, called with nonsense: a clear error or a valid result."""

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mecano
from mecano.core import notices
from mecano.core.errors import MecanoError
from mecano.parts.drives import Drive
from mecano.session.session import BlockedInTick, SessionClosed

NAN, INF, HUGE = float("nan"), float("inf"), 1e300
BAD: list[Any] = [
    None, "", "nonsense", b"bytes", NAN, INF, -INF, HUGE, -HUGE, -1, 10**400, True, 3.5, [], [[]],
    [1, 2], [[1.0, 2.0], [3.0]], [NAN] * 3, [INF] * 4, [HUGE] * 5, ["a", "b", "c"], {}, {"a": 1},
    {1: 2}, set(), object(), object, (), (1,), np.zeros((2, 3)), np.array(["x"]), 1j,
    lambda: None, lambda *a: None, lambda *a: (NAN, NAN), Path("x"), mecano.Pose2(),
    mecano.Pose([0.0, 0.0, 0.0]), range(3),
]  # fmt: skip
ROBOTS = ("open_manipulator_x", "crumb", "youbot", "madar", "romerin")
OF_THE_TICK = {
    # Called by the session, by the builder, or by other parts: not by a user's program.
    "step", "recall", "memory", "send", "take_up", "brake", "freeze", "foresee", "would_touch",
    "look_around", "touched", "begin", "look", "postures", "add_arm", "hold_position", "tell",
    "require_free", "command", "objection", "tick", "sense", "undisturbed", "mark_initial",
    "start_background", "come_to_rest", "raise_if_failed", "solve", "require_open",
}  # fmt: skip
ENDS_THE_ROBOT = {"close"}
DICTIONARY = set(dir(dict))
SAMPLES: dict[str, Any] = {
    "posture": "home", "position": [0.2, 0.0, 0.2], "distance": 0.01, "angle": 0.01, "wheel": "a",
    "ticks": 1, "number": 1, "colour": "red", "seconds": 0.01, "velocity": 0.1, "width": 0.02,
    "leg": 1, "joint": 1, "name": "/odom", "tell": lambda message: None,
    "handler": lambda request: None, "message": None,
    "ahead": 0.4, "done": lambda: True, "holding": np.ones(6, bool), "heading": 0.1,
    "pose": mecano.Pose2(), "twist": mecano.Twist.planar(0.0, 0.0, 0.0), "subscription": None,
}  # fmt: skip


def parts(robot: mecano.Robot) -> Iterator[tuple[str, Any]]:
    """Yield what a user programs of a robot."""
    yield "robot", robot
    yield "session", robot.session
    yield "arms", robot.arms
    if robot.name in ("crumb", "madar"):  # the others have no topics of their own
        yield "hub", mecano.TopicHub(robot)
    for name in ("arm", "gripper", "base", "legs", "cups"):
        if hasattr(robot, name):
            yield name, getattr(robot, name)
    if hasattr(robot, "legs"):
        yield "leg", robot.legs[1]
        yield "cup", robot.cups[1]
    for hand in robot.hands.values():
        yield "hand", hand
        break


def methods(thing: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public methods of a part, and the setters of its properties."""
    skipped = OF_THE_TICK | ENDS_THE_ROBOT | (DICTIONARY if isinstance(thing, dict) else set())
    for name, member in inspect.getmembers(type(thing)):
        if name.startswith("_") or name in skipped:
            continue
        if isinstance(member, property):
            if member.fset is not None:
                yield name, partial(setattr, thing, name)
        elif callable(member) and not isinstance(member, type):
            yield name, getattr(thing, name)


def calls(function: Callable[..., Any]) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Yield arguments of a method with nonsense in one place, the rest as it should be."""
    if isinstance(function, partial):  # a setter
        yield from (([value], {}) for value in BAD)
        return
    signature = inspect.signature(function).parameters
    needed = {
        name: SAMPLES.get(name)
        for name, facts in signature.items()
        if facts.default is facts.empty and facts.kind is not facts.VAR_POSITIONAL
    }
    if "wait" in signature:  # time passes afterwards, a little
        needed["wait"] = False
    if "timeout" in signature:
        needed["timeout"] = 0.01
    for name, facts in signature.items():
        for value in BAD if facts.annotation is not bool else ():  # any value is true or false
            if facts.kind is facts.VAR_POSITIONAL:
                yield [value], needed
            else:
                yield [], needed | {name: value}


def attempt(robot: mecano.Robot, label: str, call: Callable[[], Any], problems: list[str]) -> None:
    """Make a call and let time pass; note what is neither an answer nor a clear error."""
    try:
        call()
        robot.session.run_for(0.02)
    except BlockedInTick:
        problems.append(f"{label}: waits inside a tick")
    except MecanoError as error:
        if not str(error).strip():
            problems.append(f"{label}: an error without words")
    except Exception as error:
        problems.append(f"{label}: {type(error).__name__}: {error}")
    if not np.isfinite(robot.world.data.qpos).all():
        problems.append(f"{label}: the world is not finite")


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_nonsense_is_refused_in_words_or_harmless(name, capsys):
    problems: list[str] = []
    robot = mecano.connect(name, scene="empty")
    try:
        start = robot.snapshot()
        for part, thing in list(parts(robot)):
            for method, function in methods(thing):
                for given, named in calls(function):
                    label = f"{part}.{method}({given or ''}{named or ''})"[:160]
                    attempt(robot, label, lambda: function(*given, **named), problems)  # noqa: B023
                robot.restore(start)
                robot.session.on_failure = "report"
    finally:
        robot.close()
    capsys.readouterr()
    assert not problems, f"{len(problems)} problems:\n" + "\n".join(problems)


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, {"a": 5}], ids=repr)
@pytest.mark.parametrize("watch", [mecano.Viewer, mecano.TopicHub, mecano.scripts_of])
def test_what_watches_a_robot_takes_nothing_else(watch, value):
    with pytest.raises(MecanoError, match="expected a robot from"):
        watch(value)


@pytest.mark.parametrize("value", [None, 5, [], "a\0b", "/proc/none/none"], ids=repr)
def test_a_recorder_takes_a_folder(value):
    robot = mecano.connect("open_manipulator_x")
    with pytest.raises(MecanoError, match="run folder"):
        mecano.Recorder(robot, value)
    with pytest.raises(MecanoError, match="run folder"):
        mecano.Recording.open(value)


CONNECT: dict[str, list[Any]] = {
    "scene": [5, "", [], "moon", "none.xml", "a\0.xml", NAN],
    "seed": ["x", None, -1, 1.5, True, NAN, [1]],
    "noise": [None, "yes", 5],
    "settings": [5, [], "none.toml", "a\0b", {1: 2}, {"a": 1}, {"physics": 5}, {"motion.x": 1}],
    "changes": [5, None, "x", [5], [None], lambda: None, [lambda spec: 1 / 0]],
    "start": [5, None, [], "hoem"],
    "on_failure": [5, None, "explode", [], np.zeros(3)],
    "limp": [None, 5],
    "calibration": [5, "x", True],
    "variant": [5, [], "none"],
    "real": [5, "", []],
}


@pytest.mark.parametrize(
    ("name", "value"), [(n, v) for n, values in CONNECT.items() for v in values]
)
def test_connect_refuses_nonsense_in_words(name, value, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # no calibration of this machine's user
    given = {"variant": value} if name == "variant" else {name: value}
    with pytest.raises(MecanoError):
        mecano.connect("crumb" if name == "variant" else "open_manipulator_x", **given)


@pytest.mark.parametrize("robot", [None, 5, "", "crum", [], {}, NAN, b"crumb", object()])
def test_connect_refuses_what_is_no_robot(robot):
    with pytest.raises(MecanoError):
        mecano.connect(robot, scene="empty")


PLACE: Any = mecano.Place


@pytest.mark.parametrize(
    "places",
    [None, [], 5, {}, {"": mecano.Place("crumb")}, {"a/b": mecano.Place("crumb")}, {"a": "crumb"},
     {5: mecano.Place("crumb")}, {"a": PLACE("crumb", 5)}, {"a": PLACE(None)}],
    ids=repr,
)  # fmt: skip
def test_connect_all_refuses_what_are_no_robots_by_name(places):
    with pytest.raises(MecanoError):
        mecano.connect_all(places, scene="empty")


# --- robots in one place


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("open_manipulator_x", "open_manipulator_x", 0.0), ("crumb", "youbot", 0.2)],
)
def test_two_robots_in_one_place_are_refused(one, other, apart):
    places = {
        "left": mecano.Place(one, mecano.Pose([0.0, 0.0, 0.0])),
        "right": mecano.Place(other, mecano.Pose([apart, 0.0, 0.0])),
    }
    with pytest.raises(MecanoError, match=r"'(left|right)' and '(left|right)' overlap.*\d+ mm in"):
        mecano.connect_all(places, scene="empty")


def test_two_robots_side_by_side_are_no_overlap():
    places = {
        "left": mecano.Place("open_manipulator_x", mecano.Pose([0.0, 0.0, 0.0])),
        "right": mecano.Place("open_manipulator_x", mecano.Pose([0.0, 0.4, 0.0])),
    }
    assert set(mecano.connect_all(places, scene="empty")) == {"left", "right"}


# --- a closed robot, snapshots of others


@pytest.mark.parametrize(
    "use",
    [
        mecano.Viewer,
        mecano.TopicHub,
        lambda robot: mecano.Recorder(robot, "never_made"),
        lambda robot: robot.run(lambda _: None),
        lambda robot: robot.arm.home(),
        lambda robot: robot.wait(0.1),
    ],
)
def test_a_closed_robot_is_neither_watched_nor_moved(use):
    robot = mecano.connect("open_manipulator_x")
    robot.close()
    with pytest.raises(MecanoError, match="this robot was closed"):
        use(robot)
    assert not Path("never_made").exists()


COMMANDS = {
    "drive", "drive_twist", "drive_for", "set_led", "reset_odometry", "command_velocity",
    "command_torque", "command_impedance", "follow", "attach", "release", "hold", "stand",
    "snapshot", "restore", "reset", "run", "follow_target", "publish",
}  # fmt: skip
"""What is refused on a closed robot, besides all that has a `wait`."""


def goals(robot: mecano.Robot, thing: Any) -> dict[str, Any]:
    """Return arguments that a part of an open robot would take."""
    joints = getattr(thing, "commanded", np.zeros(3))
    path = mecano.PathCurve.through([[0.2, 0.0, 0.2], [0.2, 0.05, 0.2]])
    return SAMPLES | {
        "goal": joints, "goals": {}, "torque": joints, "velocity": 0 * joints, "path": path,
        "behaviour": lambda robot: None, "target": lambda time: None, "duration": 0.1,
        "speed": 0.1, "turn": 0.1, "snapshot": robot.session._initial,
    }  # fmt: skip


@pytest.mark.parametrize("name", ROBOTS)
def test_a_closed_robot_takes_no_command(name):
    robot = mecano.connect(name, scene="empty")
    things = list(parts(robot))
    robot.close()
    refused, accepted = 0, []
    for part, thing in things:
        for method, function in methods(thing):
            signature = (
                {} if isinstance(function, partial) else inspect.signature(function).parameters
            )
            if "wait" not in signature and method not in COMMANDS:
                continue
            samples = goals(robot, thing)
            given = {n: samples.get(n) for n, p in signature.items() if p.default is p.empty}
            if "wait" in signature:
                given["wait"] = False
            try:
                function(**given)
                accepted.append(f"{part}.{method}")
            except MecanoError as error:  # else something was wrong with it that came first
                refused += isinstance(error, SessionClosed)
    assert accepted == [] and refused >= 8


def test_a_snapshot_of_another_session_is_refused():
    one, other = (mecano.connect("open_manipulator_x") for _ in range(2))
    with pytest.raises(MecanoError, match="snapshot\\(\\) of the same session"):
        one.restore(other.snapshot())


# --- degrees in the place of radians


@pytest.fixture
def said(monkeypatch, capsys):
    monkeypatch.setattr(notices, "_SAID", set())
    return lambda: capsys.readouterr().err


def test_a_turn_by_many_turns_asks_whether_degrees_were_meant(said):
    robot = mecano.connect("crumb", scene="empty")
    for _ in range(2):
        handle = robot.base.turn(90, wait=False)
        assert isinstance(handle, Drive)
        assert handle.goal == 90.0
    assert said() == (
        "mecano: base.turn: 90 rad is 14.3 turns; angles are in radians: if degrees were meant, "
        "write math.radians(90)\n"
    )


def test_a_few_turns_need_no_question(said):
    robot = mecano.connect("crumb", scene="empty")
    robot.base.turn(4.0 * np.pi, wait=False)
    robot.base.turn(-np.pi, wait=False)
    assert said() == ""


def test_headings_and_pitches_ask_too(said):
    robot = mecano.connect("youbot", scene="empty")
    robot.base.turn_to(90, wait=False)
    assert "base.turn_to: 90 rad" in said()
    robot.arm.move_to([0.3, 0.0, 0.2], pitch=45, wait=False)
    assert "pitch of the tool: 45 rad" in said()
    with pytest.raises(MecanoError, match="asked for 90"):
        robot.arm.move_joints([90, 0, 0, 0, 0])
