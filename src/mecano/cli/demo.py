"""`mecano demo`: a finished experiment, at once."""

from typing import Annotated

import typer

EXPERIMENT = "open_manipulator_x/move-cube"


def demo(
    seed: Annotated[int, typer.Option(help="Another seed, another cube.", min=0)] = 0,
) -> None:
    """Let the arm move a cube through three places and back, in physics, and score it.

    Example: mecano demo
    """
    from mecano import tasks
    from mecano.cli.run import show_card

    experiment = tasks.get(EXPERIMENT)
    typer.echo(f"{experiment.title}: OpenMANIPULATOR-X, friction grasps, seed {seed}")
    result = tasks.run_experiment(experiment, seed=seed, watch=tell)
    show_card(result)
    typer.echo("more: mecano tour, mecano shell open_manipulator_x, mecano list")
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
