"""The `mecano` command and its exit codes: 0 done, 1 the robot could not, 2 usage error."""

import sys
from typing import Annotated, Any, NoReturn

import typer

from mecano.cli import (
    bench,
    calibrate,
    catalog,
    check_robot,
    compare,
    demo,
    derive,
    doctor,
    emulate,
    evaluate,
    ik,
    import_robot,
    localize,
    map,
    mesh,
    picture,
    reach,
    records,
    run,
    scene,
    shell,
    slam,
    stage,
    sweep,
    teleop,
    tour,
    view,
)
from mecano.cli.remarks import complain, warn

UsageError: Any = typer.BadParameter.__bases__[0]
"""What typer raises for words it cannot make sense of."""
STOPPED = 130
"""Exit code after Ctrl-C."""
NUMBERS = {"ignore_unknown_options": True}
"""Lets -0.1 be a number and not an unknown option."""

app = typer.Typer(
    help="Complete robots in simulation, programmed exactly like the real ones.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command()(demo.demo)
app.command("list")(catalog.list_all)
app.command()(catalog.info)
app.command()(catalog.topics)
app.command()(scene.scene)
app.command()(mesh.mesh)
app.command(context_settings=NUMBERS)(reach.fk)
app.command(context_settings=NUMBERS)(ik.ik)
app.command()(reach.workspace)
app.command(context_settings=NUMBERS)(derive.derive)
app.command("check-stage")(stage.check_stage)
app.command("import")(import_robot.import_robot)
app.command("check-robot")(check_robot.check_robot)
app.command()(bench.bench)
app.command()(calibrate.calibrate)
app.command()(view.view)
app.command()(view.replay)
app.command()(teleop.teleop)
app.command("map", context_settings=NUMBERS)(map.map_place)
app.command()(picture.picture)
app.command()(emulate.emulate)
app.command()(run.run)
app.command()(evaluate.evaluate)
app.command()(sweep.sweep)
app.command()(records.plot)
app.command()(records.rerun)
app.command()(compare.compare)
app.command(context_settings=NUMBERS)(slam.slam)
app.command(context_settings=NUMBERS)(localize.localize)
app.command(context_settings=NUMBERS)(shell.shell)
app.command()(doctor.doctor)
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
    """Complete robots in simulation, programmed exactly like the real ones."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command and end the process with its exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    try:
        code = app(words, standalone_mode=False, prog_name="mecano")
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    except UsageError as error:
        _refuse(_in_one_line(error, words))
    except Exception as error:
        from mecano.core.errors import MecanoError  # here, because numpy comes with it

        if isinstance(error.__cause__, KeyboardInterrupt):  # Ctrl-C inside an import
            warn("mecano: stopped")
            sys.exit(STOPPED)
        if "environment variable MUJOCO_GL" in str(error):  # the engine refuses to be imported
            _refuse(f"{error}; unset it, or set it to egl, osmesa or disable")
        if not isinstance(error, MecanoError):
            raise
        _refuse(str(error), code=error.exit_code)
    if code == STOPPED:
        warn("mecano: stopped")
    sys.exit(code)


def _refuse(message: str, *, code: int = 2) -> NoReturn:
    complain(message)
    sys.exit(code)


def _in_one_line(error: Any, words: list[str]) -> str:
    """Say what is wrong with the words of a command; a misspelt option is named first."""
    from mecano.core.errors import UnknownName

    context = error.ctx
    if context is None:
        return error.format_message()
    if not words:
        print(context.get_help())
        sys.exit(0)
    known = [name for p in context.command.params for name in (*p.opts, *p.secondary_opts)]
    options = [name for name in known if name.startswith("--")] + ["--help"]
    used = [word.split("=")[0] for word in words if word.startswith("--")]
    wrong = [word for word in used if word not in options]
    if wrong and context.parent is not None:
        return str(UnknownName("option", wrong[0], options))
    text = error.format_message().rstrip(".")
    return f"{text[0].lower()}{text[1:]}; see: {context.command_path} --help"
