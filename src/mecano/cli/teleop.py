"""`mecano teleop`: drive a robot with the keyboard or a gamepad."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.recording import recorded
from mecano.cli.view import Browser, Port, show

if TYPE_CHECKING:
    from mecano.lab.robot import Robot
    from mecano.operate.teleop import Teleop

REFRESH = 0.2
"""How often the base is told again while no key comes [s]; its watchdog waits 0.6 s."""
PAD_HELP = """\
  left stick   drive and strafe, while LB is held
  right stick  turn, while LB is held
  A, B         open, close the hands
  Ctrl-C ends"""
STOPPING, LANDING = 2.0, 10.0
"""How long a robot is given to come to rest at the end, and feet in the air to land [s]."""
BETWEEN = 0.3
"""How long a key from a pipe acts before the next one is read [s]."""


def teleop(
    robot: Annotated[str, typer.Argument(help="Robot: name (see `mecano list`), folder or file.")],
    scene: Annotated[
        str | None,
        typer.Option(help="A scene or MJCF file; default: an empty floor for robots that drive."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the noise.", min=0)] = 0,
    noise: Annotated[
        bool, typer.Option("--noise/--no-noise", help="Noise on the sensors.")
    ] = False,
    reflex: Annotated[
        bool, typer.Option("--reflex", help="Back off when a bumper is hit.")
    ] = False,
    safety_zone: Annotated[
        bool,
        typer.Option(
            "--safety-zone/--no-safety-zone",
            help="Slow down and stop the base before what its sensors see.",
        ),
    ] = True,
    record: Annotated[Path | None, typer.Option(help="Record it into this new folder.")] = None,
    gamepad: Annotated[
        Path | None,
        typer.Option(help="Drive with a gamepad: its device, such as /dev/input/js0."),
    ] = None,
    view: Annotated[bool, typer.Option("--view/--no-view", help="Show it in the browser.")] = True,
    port: Port = None,
    browser: Browser = True,
) -> None:
    """Drive a robot with keyboard or gamepad: base, legs, arms, hands. Ctrl-C ends it.

    Example: mecano teleop crumb
    """
    from mecano.hardware.joystick import Joystick
    from mecano.importing.sources import find_robot
    from mecano.lab.robot import connect
    from mecano.operate.gamepad import Gamepad
    from mecano.operate.teleop import Teleop

    if scene is None and find_robot(robot).base is not None:
        scene = "empty"  # to have room: the robot's own scene may be full of tables
    with ExitStack() as stack:
        pad = None if gamepad is None else stack.enter_context(Joystick(gamepad))
        connected = stack.enter_context(connect(robot, scene=scene, seed=seed, noise=noise))
        if "base" in connected.parts:
            connected.base.reflex = reflex
        keys = Teleop(connected, safety_zone=safety_zone)
        stack.enter_context(recorded(connected, record))
        if view:
            show(connected, stack, port=port, browser=browser)
        driver = keys if pad is None else Gamepad(connected)
        connected.session.start_background()
        typer.echo(keys.help() if pad is None else PAD_HELP)
        said = stack.enter_context(pressed_keys()) if pad is None else pad.messages(every=REFRESH)
        drive(connected, driver, keys, said)
        connected.stop()
        connected.session.come_to_rest(timeout=LANDING if "legs" in connected.parts else STOPPING)
        _tell_end(connected)
        connected.session.close()


def drive(connected: "Robot", driver: Any, keys: "Teleop", said: Iterable[Any]) -> None:
    """Do what is said, and say what comes of it, until Ctrl-C or the end of the input.

    Args:
        connected: Driven in the background.
        driver: Takes what is said: the keys, or a gamepad.
        keys: Knows of alarms.
        said: Keys or messages of a gamepad; empty ones keep the last command alive.
    """
    try:
        for word in said:
            if word and (answer := driver.press(word)):
                typer.echo(f"{connected.time:7.2f} s  {answer}")
            driver.keep()
            if alarm := keys.new_alarm():
                typer.echo(f"{connected.time:7.2f} s  {alarm}")
            if connected.session.failure is not None:
                raise connected.session.failure
    except KeyboardInterrupt:
        typer.echo("")


def _tell_end(connected: "Robot") -> None:
    """Say where it believes to be, and what its feet do."""
    if "base" in connected.parts:
        pose = connected.base.pose
        typer.echo(f"odometry: x {pose.x:+.3f} m, y {pose.y:+.3f} m, heading {pose.yaw:+.3f} rad")
    if "cups" in connected.parts:
        held = sum(cup.holding for cup in connected.cups)
        typer.echo(f"{held} of {len(connected.cups)} cups hold")
        walk = connected.legs.walking
        if walk is not None and walk.result is not None:
            typer.echo(f"the last walk: {walk.result.message}")


@contextmanager
def pressed_keys() -> Iterator[Iterator[str]]:
    """Give the keys as they are pressed, and an empty text now and then while none is."""
    if not sys.stdin.isatty():
        yield _piped()
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield _typed()
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _typed() -> Iterator[str]:
    import select

    while True:
        ready, _, _ = select.select([sys.stdin], [], [], REFRESH)
        if not ready:
            yield ""
            continue
        key = sys.stdin.read(1)
        if not key:
            return
        yield key


def _piped() -> Iterator[str]:
    """Give the keys of a pipe or file, each with a little time to act."""
    import time

    for key in sys.stdin.read():
        if not key.isspace():
            yield key
            time.sleep(BETWEEN)
