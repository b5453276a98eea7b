"""Scripts on objects: their rounds in the tick, threads, messages, errors, ends, and files."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from lab_helpers import ARM, arm_on_table, started

import mecano
from mecano.core.errors import InvalidInput, UnknownName, WorldBroken
from mecano.core.poses import Frame, Pose
from mecano.kinematics import DLSSettings, TipFollower
from mecano.lab.robot import Robot
from mecano.operate import script_host
from mecano.operate.script_files import ScriptFileBroken, load_scripts
from mecano.operate.script_host import MAILBOX, ScriptFailed
from mecano.operate.scripts import Script, attach, scripts_of
from mecano.parts.results import Outcome
from mecano.session.session import BlockedInTick

GOAL = [1.0, -0.5, 0.5, 0.3]


@pytest.fixture
def robot() -> Iterator[Robot]:
    with arm_on_table(seed=3) as robot:
        yield robot


class Diary(Script):
    """Writes down what is called, and when."""

    def __init__(self, diary: list | None = None) -> None:
        self.diary = [] if diary is None else diary

    def note(self, what: str) -> None:
        self.diary.append((self.name, what, round(self.time, 3)))

    def init(self) -> None:
        self.note("init")

    def sensing(self) -> None:
        self.note("sensing")

    def actuation(self) -> None:
        self.note("actuation")

    def cleanup(self) -> None:
        self.note("cleanup")

    def thread(self):
        while True:
            self.note("thread")
            yield


# --- the rounds of a tick


def test_all_callbacks_run_in_their_order(robot):
    script = attach(robot, Diary(), to="cube")
    assert script.diary == []
    robot.wait(0.02)
    script.stop()
    assert [what for _, what, _ in script.diary] == [
        "init", "sensing", "thread", "actuation",
        "sensing", "thread", "actuation",
        "cleanup",
    ]  # fmt: skip


def test_in_every_round_scripts_come_in_the_order_of_attachment(robot):
    diary = []
    for name in ("b", "a", "c"):
        attach(robot, Diary(diary), name=name)
    robot.wait(0.01)
    assert [(what, name) for name, what, _ in diary] == [
        (what, name) for what in ("init", "sensing", "thread", "actuation") for name in "bac"
    ]


def test_sensing_comes_before_the_motions_and_actuation_after_the_behaviours(robot, monkeypatch):
    diary = []
    step, advance = robot.arm.step, robot.session.backend.advance
    monkeypatch.setattr(robot.arm, "step", lambda now: (diary.append("motion"), step(now)))
    monkeypatch.setattr(
        robot.session.backend, "advance", lambda: (diary.append("physics"), advance())
    )
    robot.run(lambda r: diary.append("behaviour"))

    class Order(Script):
        def sensing(self):
            diary.append("sensing")

        def actuation(self):
            diary.append("actuation")

    attach(robot, Order())
    robot.wait(0.01)
    assert diary == ["sensing", "motion", "behaviour", "actuation", "physics"]


def test_a_script_attached_in_a_tick_begins_in_the_next(robot):
    diary = []

    class Parent(Script):
        def init(self):
            attach(self.robot, Diary(diary), name="child")

    attach(robot, Parent())
    robot.wait(0.02)
    assert diary[0] == ("child", "init", 0.01)


def test_a_script_that_does_nothing_leaves_the_run_as_it_is():
    def run(*scripts: Script) -> str:
        with arm_on_table(seed=2, noise=True) as robot:
            for script in scripts:
                attach(robot, script)
            robot.arm.move_joints(GOAL)
            return robot.state_hash()

    assert run() == run(Diary())


# --- what a script knows


def test_a_script_knows_its_object_robot_and_time(robot):
    script = attach(robot, Diary(), to="cube")
    robot.wait(0.03)
    assert (script.name, script.object.name, script.object.kind) == ("Diary", "cube", "body")
    assert script.robot is robot
    assert (script.time, script.tick) == (pytest.approx(0.03), pytest.approx(0.01))
    true = robot.truth.body_pose("cube")
    assert script.object.pose().is_close(true)


def test_a_script_finds_sites_too(robot):
    script = attach(robot, Diary())
    place = script.find("place_2")
    assert place.kind == "site"
    np.testing.assert_allclose(place.pose().position, robot.truth.place("place_2"))


def test_without_an_object_a_script_belongs_to_the_world(robot):
    assert attach(robot, Diary()).object.name == "world"


def test_a_class_may_say_what_its_scripts_belong_to(robot):
    class OnCube(Script):
        on = "cube"

    assert attach(robot, OnCube()).object.name == "cube"
    assert attach(robot, OnCube(), to="table").object.name == "table"


def test_of_several_robots_it_gets_the_one_its_object_is_part_of():
    arms = mecano.connect_all({"a": mecano.Place(ARM), "b": mecano.Place(ARM)})
    try:
        assert attach(arms, Diary(), to="b/link3").robot is arms["b"]
        script = attach(arms, Diary(), to="cube")
        assert script.robot is arms["a"] and script.robots == arms
    finally:
        for arm in arms.values():
            arm.close()


def test_what_needs_a_scene_says_so_before_there_is_one():
    with pytest.raises(InvalidInput, match="belongs to no scene yet"):
        Diary().send("gripper", 1)


# --- threads


def test_a_thread_waits_for_seconds_conditions_and_handles(robot):
    seen = []

    class Routine(Script):
        def thread(self):
            yield 0.1
            seen.append(round(self.time, 3))
            yield lambda: self.time > 0.195
            seen.append(round(self.time, 3))
            motion = started(self.robot.arm.move_joints(GOAL, wait=False))
            yield motion
            assert motion.result is not None
            seen.append(motion.result.outcome)

    script = attach(robot, Routine())
    assert robot.wait(script, timeout=10.0)
    assert seen == [0.1, 0.2, Outcome.REACHED]


def test_a_script_may_have_any_number_of_threads(robot):
    seen = []

    class Many(Script):
        def init(self):
            self.start(self.count, "a", 0.02)
            self.start(self.count, "b", 0.03)

        def count(self, name, pause):
            for _ in range(2):
                yield pause
                seen.append((name, round(self.time, 3)))

    assert robot.wait(attach(robot, Many()), timeout=1.0)
    assert seen == [("a", 0.02), ("b", 0.03), ("a", 0.04), ("b", 0.06)]


def test_a_thread_can_wait_for_one_that_it_started(robot):
    seen = []

    class Parent(Script):
        def thread(self):
            yield self.start(self.child)
            seen.append("parent")

        def child(self):
            yield 0.05
            seen.append("child")

    assert robot.wait(attach(robot, Parent()), timeout=1.0)
    assert seen == ["child", "parent"]


def test_a_routine_can_be_made_of_others(robot):
    seen = []

    class Parts(Script):
        def thread(self):
            seen.append((yield from self.part(1)))
            seen.append((yield self.part(2)))

        def part(self, number):
            yield 0.01
            return number

    assert robot.wait(attach(robot, Parts()), timeout=1.0)
    assert seen == [1, 2]


def test_a_script_ends_with_its_threads_if_it_has_nothing_else_to_do(robot):
    ended = []

    class Short(Script):
        def thread(self):
            yield 0.05

        def cleanup(self):
            ended.append(round(self.time, 3))

    attach(robot, Short())
    robot.wait(0.2)
    assert ended == [0.05]


def test_a_script_that_still_acts_outlives_its_thread(robot):
    acted = []

    class Acts(Script):
        def thread(self):
            yield 0.01

        def actuation(self):
            acted.append(self.time)

    script = attach(robot, Acts())
    robot.wait(0.05)
    assert len(acted) == 5 and not script.done


def test_a_script_with_neither_threads_nor_callbacks_stays(robot):
    class Paints(Script):
        def init(self):
            self.began = True

    script = attach(robot, Paints())
    robot.wait(0.05)
    assert script.began and not script.done


def test_running_the_scripts_ends_with_the_last_thread(robot):
    class Sleeps(Script):
        def __init__(self, seconds):
            self.seconds = seconds

        def thread(self):
            yield self.seconds

    attach(robot, Sleeps(0.05))
    attach(robot, Sleeps(0.12))
    attach(robot, Script())
    assert scripts_of(robot).run()
    assert robot.time == pytest.approx(0.13)


def test_running_the_scripts_ends_at_the_timeout(robot):
    attach(robot, Diary())
    assert not scripts_of(robot).run(timeout=0.05)


def test_a_script_ends_the_run(robot):
    class Ends(Script):
        def actuation(self):
            if self.time > 0.095:
                self.end_run()

    attach(robot, Diary())
    attach(robot, Ends())
    assert scripts_of(robot).run(timeout=1.0)
    assert robot.time == pytest.approx(0.11)


# --- messages


class Gripper(Script):
    """Non-threaded: does what the mailbox says, and answers in the same one."""

    def actuation(self):
        wish = self.receive("gripper")
        if wish is not None:
            self.send("gripper", f"{wish} done")


class Asks(Script):
    def __init__(self):
        self.answers = []

    def thread(self):
        for wish in ("open", "close"):
            self.send("gripper", wish)
            self.answers.append((yield self.message("gripper")))


@pytest.mark.parametrize("order", [(Gripper, Asks), (Asks, Gripper)], ids=["before", "after"])
def test_one_mailbox_serves_both_directions(robot, order):
    scripts = [attach(robot, kind()) for kind in order]
    asks = next(script for script in scripts if isinstance(script, Asks))
    assert robot.wait(asks, timeout=1.0)
    assert asks.answers == ["open done", "close done"]
    assert robot.time == pytest.approx(0.03)  # a message of a thread is acted on in the same tick


def test_messages_arrive_in_the_order_they_were_sent(robot):
    script = attach(robot, Diary())
    for number in range(5):
        scripts_of(robot).send("box", number)
    assert [script.receive("box") for _ in range(6)] == [0, 1, 2, 3, 4, None]


def test_a_script_does_not_receive_its_own_messages(robot):
    a, b = attach(robot, Diary(), name="a"), attach(robot, Diary(), name="b")
    a.send("box", 1)
    assert a.receive("box", "nothing") == "nothing"
    assert b.receive("box") == 1


def test_the_users_program_talks_to_scripts(robot):
    attach(robot, Gripper())
    scripts_of(robot).send("gripper", "open")
    robot.wait(0.02)
    assert scripts_of(robot).receive("gripper") == "open done"


def test_waiting_for_a_message_ends_at_the_timeout(robot):
    got = []

    class Waits(Script):
        def thread(self):
            got.append((yield self.message("never", timeout=0.05, default="late")))
            got.append(round(self.time, 3))

    assert robot.wait(attach(robot, Waits()), timeout=1.0)
    assert got == ["late", 0.05]


def test_a_full_mailbox_loses_the_oldest_and_says_so_once(robot, capsys):
    script = attach(robot, Diary())
    for number in range(MAILBOX + 5):
        scripts_of(robot).send("box", number)
    assert script.receive("box") == 5
    assert scripts_of(robot).waiting("box", receiver=script.name) == MAILBOX - 1
    assert capsys.readouterr().err.count("mailbox 'box' is full") == 1


def test_signals_are_shared(robot):
    a, b = attach(robot, Diary()), attach(robot, Diary())
    a.signals["speed"] = 0.2
    assert b.signals["speed"] == 0.2
    assert b.signals.get("colour") is None


def test_an_unknown_signal_lists_those_there_are(robot):
    script = attach(robot, Diary())
    script.signals["speed"] = 0.2
    with pytest.raises(UnknownName, match="known signals: speed; did you mean 'speed'"):
        script.signals["sped"]


def test_what_a_script_prints_is_kept_with_its_time(robot, capsys):
    class Says(Script):
        def thread(self):
            yield 0.5
            self.print("cube at", 3)

    assert robot.wait(attach(robot, Says()), timeout=1.0)
    assert capsys.readouterr().out == "[   0.50 s] Says: cube at 3\n"
    (line,) = scripts_of(robot).lines
    assert (line.script, line.text) == ("Says", "cube at 3")


# --- errors


class Clumsy(Script):
    """Raises in one of its callbacks."""

    def __init__(self, where: str) -> None:
        self.where, self.cleaned = where, 0

    def trip(self, here: str) -> None:
        if here == self.where:
            raise ZeroDivisionError("odd")  # the line

    def init(self):
        self.trip("init")

    def sensing(self):
        self.trip("sensing")

    def actuation(self):
        self.trip("actuation")

    def thread(self):
        yield 0.05
        self.trip("thread")

    def cleanup(self):
        self.cleaned += 1
        self.trip("cleanup")


LINE = Clumsy.trip.__code__.co_firstlineno + 2
every_place = pytest.mark.parametrize("where", ["init", "sensing", "actuation", "thread"])


@every_place
def test_a_script_that_raises_is_reported_with_name_object_callback_and_line(robot, where):
    script = attach(robot, Clumsy(where), to="cube", name="blinker")
    with pytest.raises(ScriptFailed) as caught:
        robot.wait(1.0)
    failure = caught.value
    assert (failure.script, failure.object, failure.callback) == ("blinker", "cube", where)
    assert str(failure) == (
        f"{where}() of script 'blinker' on 'cube' raised ZeroDivisionError: odd "
        f"(test_lab_scripts.py, line {LINE}); the robot was stopped"
    )
    assert isinstance(failure.__cause__, ZeroDivisionError)
    assert script.done and script.cleaned == 1
    assert scripts_of(robot).failures == [failure]


@every_place
def test_a_script_whose_errors_are_only_reported_leaves_the_others_running(robot, capsys, where):
    script = attach(robot, Clumsy(where), to="cube", on_error="report")
    other = attach(robot, Diary())
    handle = started(robot.arm.move_joints(GOAL, wait=False))
    robot.wait(handle)
    assert handle.result is not None and handle.result.outcome is Outcome.REACHED
    assert script.done and script.cleaned == 1 and not other.done
    said = capsys.readouterr().err
    assert f"{where}() of script 'Clumsy' on 'cube' raised" in said
    assert f"line {LINE}); the script was stopped" in said
    assert [f.callback for f in scripts_of(robot).failures] == [where]


def test_a_script_that_raises_stops_the_robot(robot):
    handle = started(robot.arm.move_joints(GOAL, wait=False))
    attach(robot, Clumsy("thread"))
    with pytest.raises(ScriptFailed):
        robot.wait(handle)
    assert handle.result is not None and handle.result.outcome is Outcome.STOPPED


def test_after_a_failure_the_other_scripts_can_go_on(robot):
    attach(robot, Clumsy("actuation"))
    other = attach(robot, Diary())
    with pytest.raises(ScriptFailed):
        robot.wait(0.1)
    robot.wait(0.05)
    assert [what for _, what, _ in other.diary].count("actuation") == 5


def test_an_error_in_cleanup_is_reported_and_ends_nothing_else(robot, capsys):
    script = attach(robot, Clumsy("cleanup"))
    robot.wait(0.01)
    script.stop()
    assert script.done
    assert (
        "cleanup() of script 'Clumsy' on 'world' raised ZeroDivisionError"
        in capsys.readouterr().err
    )
    robot.wait(0.01)


def test_our_own_errors_are_told_with_the_script_too(robot):
    class Wrong(Script):
        def thread(self):
            yield
            self.robot.arm.move_joints([9.0, 0.0, 0.0, 0.0], wait=False)

    attach(robot, Wrong())
    with pytest.raises(ScriptFailed, match=r"thread\(\) of script 'Wrong'.*JointLimitViolated"):
        robot.wait(0.1)


@pytest.mark.parametrize("where", ["init", "sensing", "actuation", "thread"])
def test_a_call_that_waits_is_refused(robot, where):
    class Waits(Clumsy):
        def trip(self, here):
            if here == self.where:
                self.robot.wait(0.1)

    attach(robot, Waits(where))
    with pytest.raises(ScriptFailed, match="BlockedInTick") as caught:
        robot.wait(0.1)
    assert isinstance(caught.value.error, BlockedInTick)


@pytest.mark.parametrize("end", [Robot.reset, Robot.close, lambda r: scripts_of(r)["Waits"].stop()])
def test_a_call_that_waits_is_refused_in_cleanup_between_two_ticks(robot, capsys, end):
    class Waits(Script):
        def cleanup(self):
            self.robot.wait(0.1)

    attach(robot, Waits())
    robot.wait(0.01)
    end(robot)
    assert "BlockedInTick" in capsys.readouterr().err


def test_a_slow_callback_is_reported_once_and_not_stopped(robot, capsys, monkeypatch):
    monkeypatch.setattr(script_host, "SLOW", 0.001)

    class Slow(Script):
        calls = 0

        def sensing(self):
            self.calls += 1
            time.sleep(0.002)

    script = attach(robot, Slow(), to="cube")
    robot.wait(0.05)
    said = capsys.readouterr().err
    assert script.calls == 5
    assert said.count("sensing() of script 'Slow' on 'cube' took") == said.count("\n") == 1


def test_an_error_in_the_background_reaches_who_waits(robot):
    robot.session.start_background(speed=50.0)
    attach(robot, Clumsy("thread"))
    with pytest.raises(ScriptFailed, match="odd"):
        robot.wait(5.0)


# --- ends, and going back


def test_a_stopped_script_does_nothing_more(robot):
    script = attach(robot, Diary())
    robot.wait(0.02)
    script.stop()
    script.stop()
    script.diary.clear()
    robot.wait(0.02)
    assert script.diary == [] and script.done


def test_a_script_that_stops_itself_does_not_act_in_that_tick(robot):
    class Once(Diary):
        def sensing(self):
            self.stop()

    script = attach(robot, Once())
    robot.wait(0.05)
    assert [what for _, what, _ in script.diary] == ["init", "cleanup"]


def test_a_script_that_never_began_has_nothing_to_clean_up(robot):
    script = attach(robot, Diary())
    script.stop()
    robot.wait(0.01)
    assert script.diary == [] and script.done


@pytest.mark.parametrize("end", [Robot.close, Robot.reset, lambda r: r.restore(r.snapshot())])
def test_closing_and_going_back_end_scripts_with_their_cleanup(robot, end):
    script = attach(robot, Diary())
    robot.wait(0.02)
    script.diary.clear()
    end(robot)
    assert script.diary == [("Diary", "cleanup", 0.02)]  # while the world is still as it was
    assert script.done and scripts_of(robot).names == ()


def test_leaving_the_with_block_cleans_up():
    with arm_on_table() as robot:
        script = attach(robot, Diary())
        robot.wait(0.01)
    assert script.diary[-1][1] == "cleanup"


def test_reset_empties_mail_and_signals(robot):
    scripts_of(robot).send("box", 1)
    scripts_of(robot).signals["speed"] = 1
    robot.reset()
    assert scripts_of(robot).receive("box") is None
    assert scripts_of(robot).signals == {}


def test_an_error_in_cleanup_does_not_keep_the_session_from_going_back(robot, capsys):
    attach(robot, Clumsy("cleanup"))
    second = attach(robot, Diary())
    robot.wait(0.02)
    robot.reset()
    assert robot.time == 0.0 and second.done
    assert "cleanup() of script 'Clumsy'" in capsys.readouterr().err


def test_a_broken_world_ends_scripts(robot):
    script = attach(robot, Diary())
    robot.wait(0.02)
    robot.world.data.xfrc_applied[:] = 1e12
    with pytest.raises(WorldBroken):
        robot.wait(0.1)
    assert script.done and script.diary[-1][1] == "cleanup"


def test_a_script_may_send_the_session_back_to_its_beginning(robot):
    class Again(Script):
        def thread(self):
            yield 0.05
            self.robot.reset()

    attach(robot, Again())
    other = attach(robot, Diary())
    robot.wait(0.03)
    for _ in range(5):
        robot.session.tick()
    assert other.done and robot.time < 0.05


def test_a_script_that_has_ended_can_be_attached_again(robot):
    script = attach(robot, Diary())
    robot.wait(0.01)
    robot.reset()
    script.diary.clear()
    assert attach(robot, script) is script
    robot.wait(0.01)
    assert [what for _, what, _ in script.diary] == ["init", "sensing", "thread", "actuation"]


class Shakes(Script):
    """Pushes its object about at random."""

    def actuation(self):
        body = self.robot.world.index("body", self.object.name)
        self.robot.world.data.xfrc_applied[body, :2] = self.random.normal(scale=0.05, size=2)


def shaken(robot: Robot) -> str:
    attach(robot, Shakes(), to="cube")
    robot.wait(0.3)
    return robot.state_hash()


def test_a_script_repeats_with_the_seed():
    def run(seed: int) -> str:
        with arm_on_table(seed=seed) as robot:
            return shaken(robot)

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_a_script_attached_anew_after_a_reset_repeats_its_run(robot):
    first = shaken(robot)
    robot.reset()
    assert shaken(robot) == first


def test_a_script_attached_anew_after_a_restore_repeats_its_run(robot):
    robot.wait(0.1)
    kept = robot.snapshot()
    first = shaken(robot)
    robot.restore(kept)
    assert shaken(robot) == first


def test_random_numbers_of_a_script_do_not_depend_on_other_scripts(robot):
    alone = attach(robot, Diary(), name="me").random.normal()
    robot.reset()
    attach(robot, Diary(), name="other").random.normal()
    assert attach(robot, Diary(), name="me").random.normal() == alone


def test_scripts_of_one_class_have_their_own_names_and_numbers(robot):
    a, b = attach(robot, Diary()), attach(robot, Diary())
    assert (a.name, b.name) == ("Diary", "Diary 2")
    assert a.random.normal() != b.random.normal()
    assert scripts_of(robot)["Diary 2"] is b


# --- mistakes at attaching


def test_a_wrong_object_lists_the_right_ones(robot):
    with pytest.raises(UnknownName, match=r"no object named 'cub'.*did you mean 'cube'"):
        attach(robot, Diary(), to="cub")


def test_a_wrong_script_name_lists_the_right_ones(robot):
    attach(robot, Diary())
    with pytest.raises(UnknownName, match="known scripts: Diary"):
        scripts_of(robot)["Dairy"]


def test_a_class_in_the_place_of_a_script_is_refused(robot):
    with pytest.raises(InvalidInput, match=r"write Diary\(\)"):
        attach(robot, Diary)  # pyright: ignore[reportArgumentType]


def test_something_else_in_the_place_of_a_script_is_refused(robot):
    with pytest.raises(InvalidInput, match=r"takes a mecano\.Script"):
        attach(robot, lambda r: None)  # pyright: ignore[reportArgumentType]


def test_a_script_cannot_be_in_two_places(robot):
    script = attach(robot, Diary())
    with pytest.raises(InvalidInput, match="attached already"):
        attach(robot, script, to="cube")


def test_a_name_that_is_taken_is_refused(robot):
    attach(robot, Diary(), name="a")
    with pytest.raises(InvalidInput, match="named 'a' already"):
        attach(robot, Diary(), name="a")


def test_a_callback_that_yields_is_refused(robot):
    class Confused(Script):
        def actuation(self):  # pyright: ignore[reportIncompatibleMethodOverride]
            yield 0.5

    with pytest.raises(InvalidInput, match=r"actuation\(\) of script 'Confused' has a yield"):
        attach(robot, Confused())


def test_a_thread_without_a_yield_is_refused(robot):
    class Confused(Script):
        def thread(self):
            return None

    with pytest.raises(InvalidInput, match=r"thread\(\) of script 'Confused' has no yield"):
        attach(robot, Confused())


def test_starting_what_is_no_thread_is_refused(robot):
    script = attach(robot, Diary())
    with pytest.raises(InvalidInput, match="function with a yield in it, note has none"):
        script.start(script.note)  # pyright: ignore[reportArgumentType]


def test_another_answer_to_errors_is_refused(robot):
    with pytest.raises(InvalidInput, match="allowed: raise, report"):
        attach(robot, Diary(), on_error="ignore")  # pyright: ignore[reportArgumentType]


# --- files


FILE = """
from dataclasses import dataclass
import helper
from mecano import Script


class _Base(Script):
    pass


class Second(_Base):
    on = "cube"


@dataclass
class First(_Base):
    colour: str = helper.COLOUR
"""


def test_scripts_are_loaded_from_a_file_in_its_order(tmp_path, robot):
    (tmp_path / "helper.py").write_text("COLOUR = 'red'\n")
    (tmp_path / "mine.py").write_text(FILE)
    kinds = load_scripts(tmp_path / "mine.py")
    assert list(kinds) == ["Second", "First"]
    script = attach(robot, kinds["Second"]())
    assert (script.object.name, script.name) == ("cube", "Second")
    assert kinds["First"]().colour == "red"  # pyright: ignore[reportAttributeAccessIssue]


def test_a_file_is_read_anew_each_time(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("import mecano\nclass A(mecano.Script): pass\n")
    load_scripts(file)
    file.write_text("import mecano\nclass B(mecano.Script): pass\n")
    assert list(load_scripts(file)) == ["B"]


def test_an_error_in_a_script_from_a_file_names_its_line(tmp_path, robot):
    file = tmp_path / "mine.py"
    file.write_text("import mecano\nclass A(mecano.Script):\n    def init(self):\n        1 / 0\n")
    attach(robot, load_scripts(file)["A"]())
    with pytest.raises(ScriptFailed, match=r"\(mine\.py, line 4\)"):
        robot.wait(0.1)


def test_a_missing_file_lists_those_beside_it(tmp_path):
    (tmp_path / "mine.py").write_text("")
    with pytest.raises(ScriptFileBroken, match=r"there is no script file .*Python files there: m"):
        load_scripts(tmp_path / "mind.py")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("import mecano\nclass A(mecano.Script)\n", r"line 2, is not Python: expected ':'"),
        ("import mecano\n\n1 / 0\n", r"line 3, raised ZeroDivisionError: division by zero"),
        ("import not_there_at_all\n", r"line 1, raised ModuleNotFoundError: No module named"),
        ("import sys\nsys.exit(3)\n", r"line 2, raised SystemExit: 3"),
        ("class A: pass\n", r"defines no script.*mecano\.Script.*classes in it: A"),
        ("from mecano import Script\n", r"defines no script"),
        ("\0", r"mine\.py.*null byte"),
    ],
    ids=["syntax", "raises", "import", "exit", "no script", "only imported", "binary"],
)
def test_a_broken_file_says_what_is_wrong_and_where(tmp_path, text, problem):
    file = tmp_path / "mine.py"
    file.write_text(text)
    with pytest.raises(ScriptFileBroken, match=problem):
        load_scripts(file)


# --- with frames and the tip


class TipFollows(Script):
    """Keeps the tip at a target that hangs on something; see `TipFollower`."""

    def __init__(self, target: Frame) -> None:
        self.target, self.errors = target, []

    def init(self):
        self.base = self.find(f"{self.robot.name}/link1").frame
        self.follower = TipFollower(
            chain=self.robot.arm.chain.dh, settings=DLSSettings(max_iterations=3)
        )

    def actuation(self):
        arm, here = self.robot.arm, self.robot.arm.commanded
        step = self.follower.step(here, self.target.pose_in(self.base))
        arm.send(step.joints, (step.joints - here) / self.tick)
        tip = self.robot.truth.tool_pose()
        self.errors.append(tip.distance_to(self.target.pose_in()))


def test_the_tip_of_a_simulated_arm_follows_a_target_that_moves(robot):
    target = Frame("target", robot.truth.tool_pose())
    center = target.pose.position - [0.02, 0.0, 0.0]

    class Moves(Script):
        def sensing(self):
            angle = 2 * np.pi * self.time / 4.0
            round_it = 0.02 * np.array([np.cos(angle), np.sin(angle), 0.0])
            target.pose = Pose(center + round_it)

    attach(robot, Moves(), to="world")
    follows = attach(robot, TipFollows(target), to=f"{ARM}/link5")
    robot.wait(4.0)
    assert max(follows.errors) < 0.002  # with the sag and lag of the servos


def test_a_target_hung_on_a_body_rides_along_from_where_it_is(robot):
    target = Frame("target", Pose((0.2, 0.0, 0.1)))
    cube = attach(robot, Diary(), to="cube").object
    before = target.pose_in()
    target.attach_to(cube.frame)
    assert target.pose_in().is_close(before)
    seen = target.pose_in(cube.frame)
    robot.world.data.joint("cube").qpos[:3] += [0.05, 0.02, 0.0]
    robot.wait(0.1)
    assert target.pose_in(cube.frame).is_close(seen)
    np.testing.assert_allclose(
        target.pose_in().position, before.position + np.array([0.05, 0.02, 0.0]), atol=0.002
    )
