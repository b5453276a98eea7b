"""`mecano shell`: a robot by typed commands, at the keyboard or from a script."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.catalog import AsJson, Robot
from mecano.cli.remarks import complain, mention
from mecano.core.notices import Tone, say

if TYPE_CHECKING:
    from prompt_toolkit.history import History

    from mecano.operate.console import Console, Reply
    from mecano.robots.description import RobotDescription

LARGEST_STEP = 0.5
"""A real joint that moves further than this is asked for [rad]."""
PROMPT = "mecano> "


def shell(
    robot: Robot,
    real: Annotated[
        str | None, typer.Option(metavar="PORT", help="The real arm on this serial port.")
    ] = None,
    scene: Annotated[
        str | None, typer.Option(help="Name of a scene, or an MJCF file; default: the robot's own.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything random in the run.", min=0)] = 0,
    script: Annotated[
        str | None, typer.Option(metavar="FILE|-", help="Run these lines; - is the standard input.")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(help="TOML file with changed physics, gains and limits.")
    ] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Go on after a line of a script that fails.")
    ] = False,
    step: Annotated[
        float | None,
        typer.Option(
            help="With --real: ask before longer moves, in rad (0.5 if not given).", min=0.0
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With --real: never ask.")] = False,
    limp: Annotated[
        bool, typer.Option("--limp", help="With --real: let the motors go at the end.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Move arms or legs by commands: goto, open, walk, cup, where; `help` lists them all.

    Lines come from the keyboard, from --script or through a pipe. A script stops at its first
    failing line. Exit code 0 if all went well, 1 if a motion failed, 2 if a line is wrong (a file
    is checked before the arm moves), 130 after Ctrl-C.

    Example: mecano shell open_manipulator_x
    """
    from mecano.core.errors import InvalidInput
    from mecano.lab.robot import connect
    from mecano.operate.console import console_for

    if real is None and (limp or yes or step is not None):
        raise InvalidInput("--step, --yes and --limp are for a real robot; give --real PORT too")
    lines = None if script in (None, "-") else _read(Path(str(script)))
    with connect(
        robot, real=real, scene=scene, seed=seed, settings=settings, limp=limp
    ) as connected:
        console = console_for(connected)
        at_keyboard = script is None and sys.stdin.isatty()
        if real is not None and not yes:
            console.ask = _ask if at_keyboard else _decline
            console.largest_step = LARGEST_STEP if step is None else step
        code = 0
        if at_keyboard:
            show = _show_json if as_json else _show
            greeting = _greeting(connected.description, real, scene)
            _talk(console, _keyboard(console), show, greeting)
        elif lines is not None:
            code = _play(console, lines, str(script), keep_going, as_json, checked=not keep_going)
        else:
            code = _play(console, sys.stdin, "stdin", keep_going, as_json)
    if code:
        raise typer.Exit(code)


def _ask(text: str) -> bool:
    """Ask the user whether a large motion shall be made."""
    try:
        return typer.confirm(f"{text}. Go?", default=False, err=True)
    except typer.Abort:  # Ctrl-C is a no
        return False


def _decline(text: str) -> bool:
    """Refuse a large motion where nobody can be asked."""
    mention(f"{text}: nobody can be asked; --yes allows it, or raise --step")
    return False


# --- scripts


def _read(file: Path) -> list[str]:
    """Return the lines of a script."""
    from mecano.core.errors import InvalidInput

    try:
        return file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InvalidInput(f"cannot read the script {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"cannot read the script {file}: it is no text in UTF-8") from None


def _play(
    console: "Console",
    lines: Iterable[str],
    source: str,
    keep_going: bool,
    as_json: bool,
    *,
    checked: bool = False,
) -> int:
    """Run the lines of a script and return the exit code; `checked` reads all of them first."""
    if checked and _wrong_lines(console, lines, source):
        return 2
    code = 0
    try:
        for number, line in enumerate(lines, 1):
            for reply in console.run(line):
                if as_json:
                    _show_json(reply, console)
                else:
                    print(f"> {reply.command}")
                    _print(reply.lines if reply.ok else reply.lines[:-1])
                if not reply.ok:
                    _tell_failure(f"{source} line {number}: {reply.lines[-1]}", reply)
                    code = max(code, 1 if reply.status == "failed" else 2)
                if reply.quit or (code and not keep_going):
                    return code
    except KeyboardInterrupt:
        reply = console.interrupt()
        _tell_failure(reply.text, reply)
        return 130
    except UnicodeDecodeError:
        complain(f"{source} is no text in UTF-8")
        return 2
    return code


def _wrong_lines(console: "Console", lines: Iterable[str], source: str) -> int:
    """Say which lines cannot be understood, and return how many."""
    from mecano.core.errors import MecanoError

    wrong, chosen = 0, console.arm_name
    for number, line in enumerate(lines, 1):
        try:
            console.check(line)
        except MecanoError as error:
            wrong += 1
            complain(f"{source} line {number}: {error}")
    console.arm_name = chosen
    return wrong


# --- the keyboard

Show = Callable[["Reply", "Console"], None]


def _talk(console: "Console", read: Callable[[], str], show: Show, greeting: str) -> None:
    """Take lines from the keyboard until the user leaves."""
    _greet(greeting)
    while True:
        try:
            line = read()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            for reply in console.run(line):
                if reply.clear:
                    _clear()
                    _greet(greeting)
                show(reply, console)
                if reply.quit:
                    return
        except KeyboardInterrupt:
            show(console.interrupt(), console)


def _greeting(robot: "RobotDescription", real: str | None, scene: str | None) -> str:
    """Say who is there, where, and what time does."""
    if real is not None:
        return f"{robot.title}, on {real}. Time passes as it does."
    where = scene or robot.scene
    return f"{robot.title}, in the scene '{where}'. Time stands still between commands."


def _clear() -> None:
    if sys.stdout.isatty():
        print("\033[2J\033[H", end="", flush=True)


def _greet(greeting: str) -> None:
    say(greeting, "title")
    mention("help lists the commands, Tab completes them, Ctrl-C stops a motion, Ctrl-D leaves.")


def _keyboard(console: "Console") -> Callable[[], str]:
    """Return a function that reads a line: with history and completion where a terminal is."""
    if not sys.stdout.isatty():
        return _plain_line
    from prompt_toolkit import PromptSession
    from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
    from prompt_toolkit.completion import Completer, Completion

    class Words(Completer):
        def get_completions(self, document, complete_event):
            text = document.text_before_cursor
            start = len(document.get_word_before_cursor(WORD=True).rpartition(";")[2])
            for word in console.complete(text):
                yield Completion(f"{word} ", start_position=-start, display=word)

    session: PromptSession[str] = PromptSession(
        history=_history(),
        completer=Words(),
        complete_while_typing=False,
        auto_suggest=AutoSuggestFromHistory(),
        bottom_toolbar=console.status_line,
    )
    return lambda: session.prompt(PROMPT)


def _plain_line() -> str:
    typer.echo(PROMPT, nl=False, err=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _history() -> "History":
    """Return the lines of earlier sessions, or an empty history where none can be kept."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "mecano"
    file = folder / "shell_history"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.touch()
        writable = os.access(file, os.R_OK | os.W_OK)
    except OSError:
        writable = False
    return FileHistory(str(file)) if writable else InMemoryHistory()


# --- answers


def _show(reply: "Reply", console: "Console") -> None:
    _print(reply.lines if reply.ok else reply.lines[:-1])
    if not reply.ok:
        say(reply.lines[-1], _tone(reply))


def _show_json(reply: "Reply", console: "Console") -> None:
    answer = {
        "command": reply.command,
        "ok": reply.ok,
        "status": reply.status,
        "text": list(reply.lines),
        "time": console.robot.time,
        "data": reply.data,
    }
    print(json.dumps(answer), flush=True)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
    sys.stdout.flush()


def _tell_failure(text: str, reply: "Reply") -> None:
    say(text, _tone(reply))


def _tone(reply: "Reply") -> Tone:
    return "failure" if reply.status == "failed" else "error"
