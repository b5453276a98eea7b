"""`mecano emulate`: a serial port with a simulated arm behind it."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from mecano.cli.remarks import mention


def emulate(
    robot: Annotated[str, typer.Argument(help="Robot: name (see `mecano list`), folder or file.")],
    scene: Annotated[str, typer.Option(help="Name of a scene, or an MJCF file.")] = "table",
    posture: Annotated[str, typer.Option(help="Posture in which the arm begins.")] = "home",
    seed: Annotated[int, typer.Option(help="Random seed of the faults.", min=0)] = 0,
    fault: Annotated[
        list[str] | None,
        typer.Option(
            help="What goes wrong: lost=, crc=, late= with a share of the packets; dead=, alive=, "
            "overload=, duplicate= with an id; voltage= with volts; unplug; replug. "
            "With @seconds: later. Again for more."
        ),
    ] = None,
    baud: Annotated[int, typer.Option(help="Speed of the servos, bits per second.")] = 1_000_000,
    wire_time: Annotated[
        bool,
        typer.Option(
            "--wire-time/--no-wire-time", help="Take the time that bytes need on a real wire."
        ),
    ] = True,
    link: Annotated[
        Path | None, typer.Option(help="A fixed name for the port (symbolic link).")
    ] = None,
) -> None:
    """Emulate a robot's servo bus on a virtual serial port, for programs of the real one.

    The motors are off at first, as on the real arm, so it sinks.

    Example: mecano emulate open_manipulator_x --link /tmp/arm --fault overload=12@5
    """
    from mecano.bridge.dynamixel.arm import EmulatedArm
    from mecano.cli.view import until_interrupted

    arm = EmulatedArm(
        robot,
        scene=scene,
        start=posture,
        seed=seed,
        faults=fault or [],
        baud=baud,
        wire_time=wire_time,
        link=link,
    )
    with arm, suppress(KeyboardInterrupt):
        typer.echo(f"port: {arm.port}")
        mention(
            f"servos {', '.join(map(str, arm.servos))} at {baud} bit/s. In another terminal:\n"
            f"  mecano doctor {arm.port}\n"
            f"  mecano shell {robot} --real {arm.port}\n"
            "Ctrl-C ends it"
        )
        until_interrupted()
