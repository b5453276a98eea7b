"""`mecano check-stage`: what is right and wrong with a user's own function."""

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer

from mecano.cli.catalog import AsJson, ChainName

DEFAULT_ROBOTS = {"controller": "crumb"}
"""For which robot a stage is tried if none is named, where that is not the usual arm."""
SUBJECTS: dict[str, Callable[[Any, str | None], tuple[Any, ...]]] = {
    "ik": lambda robot, chain: (robot.chain(chain),),
    "controller": lambda robot, chain: (robot.base,),
    "planner": lambda robot, chain: (),
}
"""What of a robot each kind of stage is judged on."""


def check_stage(
    stage: Annotated[str, typer.Argument(help="Kind of stage: ik, controller or planner.")],
    source: Annotated[str, typer.Argument(help="Your function: student.py:solve or module:solve.")],
    robot: Annotated[
        str | None,
        typer.Option(help="The robot it is for; default: open_manipulator_x, crumb to drive."),
    ] = None,
    chain: ChainName = None,
    samples: Annotated[int, typer.Option(help="Random poses or maps to try it on.", min=1)] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the random poses.", min=0)] = 0,
    time_limit: Annotated[
        float, typer.Option(help="Longest time one call may take (s).", min=0.01, max=3600.0)
    ] = 2.0,
    as_json: AsJson = False,
) -> None:
    """Evaluate your own function like ours, and say in plain words what is wrong with it.

    An ik stage is a function solve(x, y, z, pitch) that returns a list of joint vectors, a
    controller stage follow(pose, target, target_twist, speed, limits) that returns three speeds, a
    planner stage plan(cost, start, goal) that returns a list of cells.
    Exit code 0 if it passes, 1 if it does not, 2 if it cannot be loaded.

    Example: mecano check-stage ik student.py:solve
    """
    from mecano.cli.progress import progress
    from mecano.importing.sources import find_robot
    from mecano.stages.user_stage import UserStage, contract, judge

    robot = robot or DEFAULT_ROBOTS.get(stage, "open_manipulator_x")
    subject = SUBJECTS[contract(stage).name](find_robot(robot), chain)
    with (
        UserStage(stage, source, call_limit=time_limit) as user_stage,
        progress(f"trying {source}") as advance,
    ):
        verdict = judge(user_stage, *subject, samples=samples, seed=seed, on_progress=advance)
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
