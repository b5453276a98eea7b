"""`mecano demo`: a finished experiment, at once."""

from typing import Annotated

import typer

from mecano.cli.view import Browser, Port, Wait

EXPERIMENT = "crumb/pick-and-place"


def demo(
    seed: Annotated[int, typer.Option(help="Another seed, other boxes.", min=0)] = 0,
    view: Annotated[bool, typer.Option("--view/--no-view", help="Show it in the browser.")] = True,
    keep: Annotated[
        bool, typer.Option("--keep", help="Stay up after the end, even without a page.")
    ] = False,
    port: Port = None,
    browser: Browser = True,
    wait: Wait = True,
) -> None:
    """Let CRUMB move boxes into the free one of three places, in physics, and score it.

    The page opens in your browser if there is one, and the demo waits for it. It ends by itself:
    after the result card, as soon as no page is open.

    Example: mecano demo
    """
    from mecano import robots
    from mecano.cli.cards import show_card
    from mecano.cli.viewing import ViewedRun
    from mecano.runs.run import run
    from mecano.runs.spec import RunSpec

    spec = RunSpec(EXPERIMENT, seed=seed)
    experiment = spec.find()
    robot = robots.get(experiment.robot)
    typer.echo(f"{robot.title}: {experiment.title}, friction grasps, seed {seed}")
    if not view:
        result = run(spec, watch=tell).result
        show_card(result)
    else:
        with ViewedRun(
            experiment.title, port=port, browser=browser, keep=keep, wait=wait
        ) as viewed:
            result = run(spec, watch=tell, viewed=viewed).result
            show_card(result)
            viewed.finish(result)
    typer.echo("more: mecano view crumb, mecano teleop crumb, mecano tour, mecano list")
    if not result.success:
        raise typer.Exit(1)


def tell(robot) -> None:
    """Print what the robot does, each time something changes."""
    shown = {}

    def look(session) -> None:
        for part in (robot.arm, robot.gripper):
            motion = part.motion
            if motion is not None and motion.done and shown.get(part) is not motion:
                shown[part] = motion
                name = "arm    " if part is robot.arm else "gripper"
                typer.echo(f"{session.time:6.2f} s  {name}  {motion.result.message}")

    robot.session.observers.append(look)
