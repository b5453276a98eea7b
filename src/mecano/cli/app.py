"""The `mecano` command and its exit codes: 0 done, 1 the robot could not, 2 asked wrongly."""

import sys
from typing import Annotated

import typer

from mecano.cli import bench, catalog, demo, derive, ik, reach, run, shell, stage, tour

NUMBERS = {"ignore_unknown_options": True}
"""Lets -0.1 be a number and not an unknown option."""

app = typer.Typer(
    help="Five complete robots in simulation, programmed exactly like the real ones.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(demo.demo)
app.command("list")(catalog.list_all)
app.command()(catalog.info)
app.command(context_settings=NUMBERS)(reach.fk)
app.command(context_settings=NUMBERS)(ik.ik)
app.command()(reach.workspace)
app.command(context_settings=NUMBERS)(derive.derive)
app.command("check-stage")(stage.check_stage)
app.command()(bench.bench)
app.command()(run.run)
app.command()(run.evaluate)
app.command(context_settings=NUMBERS)(shell.shell)
app.command()(tour.tour)


def _version(asked: bool) -> None:
    if asked:
        from mecano import __version__

        print(f"mecano {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and stop.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Five complete robots in simulation, programmed exactly like the real ones."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command and end the process with its exit code."""
    try:
        app(arguments)
    except KeyboardInterrupt:
        typer.secho("mecano: stopped", fg="yellow", err=True)
        sys.exit(130)
    except Exception as error:
        from mecano.core.errors import MecanoError  # here, because numpy comes with it

        if not isinstance(error, MecanoError):
            raise
        typer.secho(f"mecano: {error}", fg="red", err=True)
        sys.exit(2)
