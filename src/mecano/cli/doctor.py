"""`mecano doctor`: what is on a port, what is wrong with it, and what to do."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mecano.cli.catalog import AsJson

if TYPE_CHECKING:
    from mecano.hardware.dynamixel.checkup import Checkup


def doctor(
    port: Annotated[str, typer.Argument(help="Serial port, such as /dev/ttyUSB0.")],
    robot: Annotated[
        str, typer.Option(help="Whose servos should be there.")
    ] = "open_manipulator_x",
    everywhere: Annotated[
        bool, typer.Option("--all", help="Ask all ids, 0 to 252, at all speeds (a minute or two).")
    ] = False,
    reboot: Annotated[
        int | None, typer.Option(help="Start the servo with this id anew; it lets go.", min=0)
    ] = None,
    set_baud: Annotated[
        bool, typer.Option("--set-baud", help="Set servos of another speed to 1 Mbit/s.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the servos on a port with their state; say what is wrong and what to do.

    Nothing moves. Exit code 0 if all is well, 1 if not.

    Example: mecano doctor /dev/ttyUSB0
    """
    from mecano import robots
    from mecano.cli.progress import progress
    from mecano.core.errors import InvalidInput
    from mecano.hardware.dynamixel.bus import Bus
    from mecano.hardware.dynamixel.checkup import examine, set_speed
    from mecano.importing.sources import find_robot

    if reboot is not None:
        with Bus(port) as bus:
            bus.reboot(reboot)
        typer.echo(f"id {reboot} was started anew")
        return
    description = find_robot(robot)
    if not description.wiring:
        known = [name for name in robots.ROBOTS if robots.get(name).wiring]
        raise InvalidInput(
            f"there is no driver for servos of '{robot}' on a port; robots with one: "
            f"{', '.join(known)}"
        )
    with progress(f"asking who is on {port}") as advance:
        checkup = examine(port, description, everywhere=everywhere, on_progress=advance)
    if set_baud:
        for servo in set_speed(port, checkup):
            typer.echo(f"id {servo} now speaks at 1000000 bit/s")
        return
    if as_json:
        print(json.dumps(_plain(checkup)))
    else:
        _show(checkup)
    if checkup.problems:
        raise typer.Exit(1)


def _plain(checkup: "Checkup") -> dict[str, Any]:
    servos = [
        {
            "id": each.id,
            "joint": each.joint,
            "model": each.model,
            "firmware": each.firmware,
            "baud": each.baud,
            "voltage_V": each.voltage,
            "temperature_degC": each.temperature,
            "position_rad": each.position,
            "torque": each.torque,
            "faults": list(each.faults),
        }
        for each in checkup.servos
    ]
    return {"port": checkup.port, "servos": servos, "problems": list(checkup.problems)}


def _show(checkup: "Checkup") -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(width=max(Console().width, 120))
    if checkup.servos:
        table = Table(
            "id", "joint", "model", "firmware", "bit/s", "supply", "temperature", "position",
            "motor", "faults", box=None, pad_edge=False,
        )  # fmt: skip
        for each in checkup.servos:
            table.add_row(
                str(each.id),
                each.joint or "-",
                each.model,
                str(each.firmware),
                str(each.baud),
                f"{each.voltage:.1f} V",
                f"{each.temperature:.0f} degC",
                f"{each.position:+.3f} rad",
                "on" if each.torque else "off",
                ", ".join(each.faults) or "none",
            )
        console.print(table)
    for problem in checkup.problems:
        console.print(f"[yellow]{problem}[/]", highlight=False, soft_wrap=True)
    if not checkup.problems:
        console.print("[green]all is well[/]")
