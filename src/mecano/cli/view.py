"""`mecano view`: a robot in the browser, to look at and to move by hand."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from viser import ViserServer

    from mecano.record.recording import Recording

Port = Annotated[
    int | None, typer.Option(help="Port of the page; default: the first free from 8080 on.")
]
Host = Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 lets other machines in.")]
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="Open the page in your browser.")
]


def view(
    robot: Annotated[str, typer.Argument(help="Name of a robot, see `mecano list`.")],
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
    from mecano import robots
    from mecano.core.errors import InvalidInput
    from mecano.lab.robot import connect
    from mecano.viewer.server import close_server, open_server
    from mecano.viewer.viewer import Viewer

    if robots.get(robot).model is None:
        raise InvalidInput(f"'{robot}' has no body to show; its kinematics: mecano derive {robot}")
    with ExitStack() as stack:
        connected = stack.enter_context(
            connect(robot, scene=scene, seed=seed, noise=noise, start=posture)
        )
        server = open_server(host=host, port=port)
        stack.callback(close_server, server)
        if record is not None:
            from mecano.record.recorder import Recorder

            stack.enter_context(Recorder(connected, record))
        announce(server, browser=browser)
        stack.enter_context(Viewer(connected, server=server))
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
    from mecano.viewer.server import close_server, open_server

    recording = Recording.open(folder)
    for note in recording.notes:
        typer.secho(note, fg="yellow", err=True)
    recording.model()  # if it cannot be shown, say so before a page opens
    server = open_server(host=host, port=port)
    try:
        announce(server, browser=browser)
        _replay(server, recording)
    finally:
        close_server(server)


def _replay(server: "ViserServer", recording: "Recording") -> None:
    from mecano.viewer.replay import Replay

    with Replay(recording, server=server):
        typer.echo("Ctrl-C ends it")
        until_interrupted()


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

    typer.echo(f"view: {address(server)}", err=err)
    return browser and open_browser(address(server))
