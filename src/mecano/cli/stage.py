"""`mecano check-stage`: what is right and wrong with a user's own function."""

import json
from typing import Annotated

import typer

from mecano.cli.catalog import AsJson, ChainName


def check_stage(
    stage: Annotated[str, typer.Argument(help="Kind of stage: ik.")],
    source: Annotated[str, typer.Argument(help="Your function: student.py:solve or module:solve.")],
    robot: Annotated[str, typer.Option(help="The robot it is for.")] = "open_manipulator_x",
    chain: ChainName = None,
    samples: Annotated[int, typer.Option(help="Random poses to try it on.", min=1)] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the random poses.", min=0)] = 0,
    time_limit: Annotated[
        float, typer.Option(help="Longest time one call may take (s).", min=0.01, max=3600.0)
    ] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Judge your own function like ours, and say in plain words what is wrong with it.

    An ik stage is a function solve(x, y, z, pitch) that returns a list of joint vectors.
    Exit code 0 if it passes, 1 if it does not, 2 if it cannot be loaded.

    Example: mecano check-stage ik student.py:solve
    """
    from mecano.cli.progress import progress
    from mecano.importing.sources import find_robot
    from mecano.stages.user_stage import UserStage, contract, judge

    arm = find_robot(robot).chain(chain)
    with (
        UserStage(stage, source, call_limit=time_limit) as user_stage,
        progress(f"trying {source}") as advance,
    ):
        verdict = judge(user_stage, arm, samples=samples, seed=seed, on_progress=advance)
    if as_json:
        checks = [{"claim": c.claim, "held": c.held, "detail": c.detail} for c in verdict.checks]
        answer = {"stage": stage, "source": source, "robot": robot, "passed": verdict.passed}
        print(json.dumps(answer | {"checks": checks, "hint": verdict.hint}))
    else:
        for check in verdict.checks:
            mark, colour = ("ok   ", "green") if check.held else ("wrong", "red")
            typer.echo(typer.style(mark, fg=colour) + f"  {check.claim}: {check.detail}")
        if verdict.hint:
            typer.echo(typer.style("hint ", fg="yellow") + f"  {verdict.hint}")
        if not verdict.passed:
            rule = contract(stage)
            typer.echo(f"rule   {rule.function}: given {rule.given}; it returns {rule.returns}")
        typer.echo("passed" if verdict.passed else "not passed")
    if not verdict.passed:
        raise typer.Exit(1)
