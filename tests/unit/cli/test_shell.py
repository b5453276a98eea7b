"""`mecano shell`: scripts in this process, and a session at a real terminal."""

import io
import json
import sys

import pytest
import typer

from mecano.cli import app as command_line
from mecano.cli.shell import _show, _talk, shell
from mecano.lab import robot as lab
from mecano.operate.console import Console


@pytest.fixture
def run(mecano, monkeypatch):
    """Run the shell: `run("--json", lines="where")` gives it the lines through a pipe."""
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    app.command(context_settings=command_line.NUMBERS)(shell)
    app.callback()(lambda: None)
    monkeypatch.setattr(command_line, "app", app)

    def run(*words, lines: str = "", robot: str = "open_manipulator_x"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        return mecano("shell", robot, *words)

    return run


@pytest.fixture
def script(tmp_path):
    def write(text: str) -> str:
        file = tmp_path / "moves.txt"
        file.write_text(text, encoding="utf-8")
        return str(file)

    return write


def test_script_runs_to_its_end(run, script):
    answer = run("--script", script("# a remark\n\nhome\ngoto 0.2 0 0.12 30deg; where\n"))
    assert answer.code == 0 and answer.err == ""
    assert "> goto 0.2 0 0.12 30deg\nreached (0." in answer.out
    assert "time " in answer.out


def test_file_written_by_windows_is_read(run, tmp_path):
    file = tmp_path / "moves.txt"
    file.write_bytes("\ufeffspeed 50%\r\nwhere\r\n".encode())
    assert run("--script", file).code == 0


def test_script_may_come_through_a_pipe(run):
    assert "speed 50%" in run(lines="speed 50%\n").out
    assert "speed 50%" in run("--script", "-", lines="speed 50%").out


def test_failed_motion_ends_a_script_with_1(run):
    answer = run(lines="speed 0.5\ngoto 1 1 1\nwhere\n")
    assert answer.code == 1
    assert answer.err.startswith("mecano: stdin line 2: unreachable: ")
    assert "> where" not in answer.out


def test_wrong_line_in_a_pipe_ends_with_2(run):
    answer = run(lines="speed 0.5\ngoto here\nwhere\n")
    assert answer.code == 2
    assert answer.err.startswith("mecano: stdin line 2: goto takes x y z [pitch]")
    assert "> speed 0.5" in answer.out and "> where" not in answer.out


def test_file_is_checked_before_anything_moves(run, script):
    file = script("home\ngotoo 1\nwhere\njoints 9 9 9 9\n")
    answer = run("--script", file)
    assert answer.code == 2 and answer.out == ""
    first, second = answer.err.splitlines()
    assert first.startswith(f"mecano: {file} line 2: no command 'gotoo'; did you mean 'goto'?")
    assert second.startswith(f"mecano: {file} line 4: joint1 is 9 rad, allowed are ")


def test_keep_going_runs_the_rest(run, script):
    answer = run("--keep-going", "--script", script("goto 1 1 1\nspeed 0.5\n"))
    assert answer.code == 1 and "> speed 0.5" in answer.out


def test_keep_going_ends_with_the_worst_code(run, script):
    answer = run("--keep-going", "--script", script("gotoo\ngoto 1 1 1\nspeed 0.5\n"))
    assert answer.code == 2 and len(answer.err.splitlines()) == 2


def test_exit_ends_a_script(run):
    answer = run(lines="speed\nexit\nnonsense\n")
    assert answer.code == 0 and "nonsense" not in answer.out


def test_json_is_one_object_per_command(run):
    answer = run("--json", lines="goto 0.2 0 0.12 0.5; where\n")
    moved, where = (json.loads(line) for line in answer.out.splitlines())
    assert moved["ok"] and moved["status"] == "done"
    assert moved["command"] == "goto 0.2 0 0.12 0.5"
    assert moved["data"]["outcome"] == "reached"
    assert where["data"]["position"] == pytest.approx([0.2, 0, 0.12], abs=0.004)
    assert where["time"] == moved["time"] > 0


def test_json_tells_a_failure_on_both_channels(run):
    answer = run("--json", lines="goto 1 1 1\n")
    assert answer.code == 1 and "mecano: stdin line 1" in answer.err
    assert answer.json["status"] == "failed" and answer.json["data"]["reason"] == "too_far"


def test_ctrl_c_stops_the_arm_and_ends_with_130(run, monkeypatch):
    connect, robots = lab.connect, []

    def press_ctrl_c(session):
        if session.time > 0.3:
            session.observers.clear()
            raise KeyboardInterrupt

    def connect_and_press(*words, **options):
        robot = connect(*words, **options)
        robot.session.observers.append(press_ctrl_c)
        robots.append(robot)
        return robot

    monkeypatch.setattr(lab, "connect", connect_and_press)
    answer = run(lines="joint joint1 2\nwhere\n")
    assert answer.code == 130
    assert answer.err.startswith("mecano: stopped at (")
    assert "> where" not in answer.out
    assert 0.01 < robots[0].arm.position[0] < 1.9


def test_scene_and_settings_are_used(run, tmp_path):
    file = tmp_path / "slow.toml"
    file.write_text("[motion]\nvelocity = 1.0\n")
    answer = run("--scene", "empty", "--settings", file, lines="limits; scene\n")
    assert "joints   up to 1 rad/s" in answer.out
    assert "cube" not in answer.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--script", "nowhere.txt"), "cannot read the script nowhere.txt: No such file"),
        (("--scene", "moon"), "no scene named 'moon'"),
        (("--settings", "nowhere.toml"), "cannot read nowhere.toml"),
    ],
)
def test_what_cannot_be_found_ends_with_2(run, words, says):
    answer = run(*words)
    assert answer.code == 2 and answer.err.startswith(f"mecano: {says}")


def test_unknown_robot_ends_with_2(run):
    answer = run(robot="r2d2")
    assert answer.code == 2 and "no robot named 'r2d2'" in answer.err


def test_script_that_is_no_text_ends_with_2(run, tmp_path):
    file = tmp_path / "picture"
    file.write_bytes(b"\xff\xfe\x00")
    answer = run("--script", file)
    assert answer.code == 2 and "no text in UTF-8" in answer.err


# --- at a terminal

PROGRAM = """
import typer
from mecano.cli import app as command_line
from mecano.cli.shell import shell
app = typer.Typer(pretty_exceptions_enable=False, add_completion=False)
app.command(context_settings=command_line.NUMBERS)(shell)
app.callback()(lambda: None)
command_line.app = app
command_line.main()
"""


def test_keyboard_session_goes_on_after_mistakes_and_ctrl_c(capsys):
    steps = iter(["nonsense", KeyboardInterrupt, "goto 1 1 1", "speed 50%", "wait 5", EOFError])

    def read() -> str:
        step = next(steps)
        if isinstance(step, str):
            return step
        raise step

    def press_ctrl_c(session):
        if session.time > 0.3:
            session.observers.clear()
            raise KeyboardInterrupt

    with lab.connect("open_manipulator_x") as robot:
        robot.session.observers.append(press_ctrl_c)
        _talk(Console(robot), read, _show, "an arm")
        assert robot.time < 1.0
    captured = capsys.readouterr()
    assert "speed 50%" in captured.out
    mistakes = ("an arm", "no command 'nonsense'", "unreachable", "stopped at (")
    assert all(words in captured.err for words in mistakes)


@pytest.mark.slow
def test_session_at_a_terminal(tmp_path, monkeypatch):
    pexpect = pytest.importorskip("pexpect")
    pytest.importorskip("prompt_toolkit")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")
    child = pexpect.spawn(
        sys.executable,
        ["-c", PROGRAM, "shell", "open_manipulator_x"],
        timeout=120,  # for a busy machine
        encoding="utf-8",
        dimensions=(40, 200),
    )
    child.expect("mecano>")
    child.send("post\t")
    child.expect("ure")  # Tab finishes the word
    child.send("zero\r")
    child.expect(r"reached \(0\.28")
    child.expect("mecano>")
    child.send("nonsense\r")
    child.expect("no command 'nonsense'")
    child.expect("mecano>")
    child.send("wait 3600\r")
    child.expect_exact("\x1b[?2004l")  # the prompt gives the terminal back, some time after this
    for _ in range(120):  # until then Ctrl-C is a key of the prompt
        child.sendintr()
        if child.expect([r"stopped at \(", pexpect.TIMEOUT], timeout=1) == 0:
            break
    child.expect("mecano>")
    child.sendintr()  # at the prompt it only throws the line away
    child.send("where\r")
    child.expect("time  ")
    child.expect("mecano>")
    child.sendcontrol("d")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "+nonsense" in (tmp_path / "mecano" / "shell_history").read_text()
