"""`mecano view`: a robot in the browser, to look at and to move by hand."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.recording import recorded
from mecano.cli.remarks import mention, warn

if TYPE_CHECKING:
    from viser import ViserServer

    from mecano.lab.robot import Robot

Port = Annotated[
    int | None, typer.Option(help="Port of the page; default: the first free from 8080 on.")
]
Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the page in your browser.")
]

Wait = Annotated[
    bool, typer.Option("--wait/--no-wait", help="Start when the page is open (or after a minute).")
]


def view(
    robot: Annotated[str, typer.Argument(help="Robot: name (see `mecano list`), folder or file.")],
    scene: Annotated[
        str | None, typer.Option(help="Name of a scene, or an MJCF file; default: the robot's own.")
    ] = None,
    posture: Annotated[str, typer.Option(help="Posture in which the arm begins.")] = "home",
    seed: Annotated[int, typer.Option(help="Seed of the noise.", min=0)] = 0,
    noise: Annotated[
        bool, typer.Option("--noise/--no-noise", help="Noise on the sensors.")
    ] = False,
    record: Annotated[Path | None, typer.Option(help="Record it into this new folder.")] = None,
    port: Port = None,
    host: Host = "127.0.0.1",
    browser: Browser = True,
) -> None:
    """Look at a robot in the browser: move its joints, drag its hand, see how it is made.

    Example: mecano view open_manipulator_x
    """
    from mecano.core.errors import InvalidInput
    from mecano.importing.sources import find_robot
    from mecano.lab.robot import connect
    from mecano.viewer.viewer import Viewer

    if not find_robot(robot).has_model:
        raise InvalidInput(f"'{robot}' has no body to show; its kinematics: mecano derive {robot}")
    with (
        connect(robot, scene=scene, seed=seed, noise=noise, start=posture) as connected,
        opened_server(host=host, port=port) as server,
        recorded(connected, record),
    ):
        announce(server, browser=browser)
        with Viewer(connected, server=server):
            connected.session.start_background()
            typer.echo("Ctrl-C ends it")
            until_interrupted()
            connected.session.close()


def replay(
    folder: Annotated[Path, typer.Argument(help="Run folder, see `mecano run --record`.")],
    port: Port = None,
    host: Host = "127.0.0.1",
    browser: Browser = True,
) -> None:
    """Show a recorded run in the browser again, with a time line. What a crash left is repaired.

    Example: mecano replay runs/2026-11-16_120000_open_manipulator_x_move-cube_seed0
    """
    from mecano.record.recording import Recording
    from mecano.viewer.replay import Replay

    recording = Recording.open(folder)
    for note in recording.notes:
        warn(note)
    recording.model()  # if it cannot be shown, say so before a page opens
    with opened_server(host=host, port=port) as server:
        announce(server, browser=browser)
        with Replay(recording, server=server):
            typer.echo("Ctrl-C ends it")
            until_interrupted()


def show(connected: "Robot", stack: ExitStack, *, port: int | None, browser: bool) -> None:
    """Show a robot in the browser while it is driven, in real time."""
    from mecano.viewer.viewer import Viewer

    server = stack.enter_context(opened_server(port=port))
    announce(server, browser=browser)
    stack.enter_context(Viewer(connected, server=server))


@contextmanager
def opened_server(*, port: int | None, host: str = "127.0.0.1") -> "Iterator[ViserServer]":
    """Serve a page until the block ends."""
    from mecano.viewer.server import close_server, open_server

    server = open_server(host=host, port=port)
    try:
        yield server
    finally:
        close_server(server)


def until_interrupted() -> None:
    """Stay until somebody presses Ctrl-C."""
    from threading import Event

    try:
        while not Event().wait(1.0):
            pass
    except KeyboardInterrupt:
        typer.echo("")


def announce(server: "ViserServer", *, browser: bool, err: bool = False) -> bool:
    """Say where the page is and open it; return False if no browser could be opened."""
    from mecano.viewer.browser import open_browser
    from mecano.viewer.server import address

    (mention if err else print)(f"view: {address(server)}")
    return browser and open_browser(address(server))
