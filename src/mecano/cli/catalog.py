"""`mecano list` and `mecano info`: what there is."""

import json
import math
from typing import Annotated

import typer


def number(text: str) -> float:
    """Read a number of the command line, or say which word is none."""
    try:
        return float(text)
    except (TypeError, ValueError):
        raise typer.BadParameter(f"'{text}' is not a number") from None


Robot = Annotated[
    str, typer.Argument(help="Robot or part: name (see `mecano list`), folder or file.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
ChainName = Annotated[
    str | None, typer.Option("--chain", help="Arm or leg, where the robot has several.")
]


def list_all(as_json: AsJson = False) -> None:
    """List robots, parts, scenes and experiments.

    Example: mecano list --json
    """
    from mecano import robots, tasks
    from mecano.tasks.any_robot import ANY_ROBOT
    from mecano.world import scenes

    names = {
        "robots": [name for name in robots.known() if name not in robots.PARTS],
        "parts": list(robots.PARTS),
        "scenes": list(scenes.names()),
        "experiments": list(tasks.EXPERIMENTS),
    }
    if as_json:
        print(json.dumps(names))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("kind", "name", "what it is", box=None, pad_edge=False)
    for kind in ("robots", "parts"):
        for name in names[kind]:
            table.add_row(kind[:-1], name, _title(name))
    for name in names["scenes"]:
        table.add_row("scene", name, scenes.TITLES.get(name, ""))
    for name in names["experiments"]:
        table.add_row("experiment", name, tasks.get(name).title)
    for name, general in ANY_ROBOT.items():
        table.add_row("experiment", f"ROBOT/{name}", general.title)
    Console().print(table)


def _title(name: str) -> str:
    """Return what a robot is; one of a package that fails is listed all the same."""
    from mecano import robots
    from mecano.core.errors import MecanoError

    try:
        return robots.get(name).title
    except MecanoError as error:
        return f"cannot be loaded: {error}"


def topics(robot: Robot, as_json: AsJson = False) -> None:
    """List topics and services of a robot, under the names that the real one has.

    A program uses them with mecano.TopicHub. Example: mecano topics crumb
    """
    from dataclasses import asdict

    from mecano.importing.sources import find_robot
    from mecano.topics.navigation_table import navigation_topics
    from mecano.topics.robot_tables import topics_of
    from mecano.topics.services import services_of

    found = find_robot(robot)
    rows, services = (*topics_of(found), *navigation_topics(found)), services_of(found)
    if as_json:
        print(json.dumps([asdict(row) for row in (*rows, *services)]))
        return
    names, types = (
        max(len(getattr(row, field)) for row in (*rows, *services))
        for field in ("name", "type_name")
    )
    for topic in rows:
        rate = f"{topic.rate:g} Hz" if topic.rate else ""
        only = "  simulation only" if topic.simulated else ""
        line = f"{topic.name:{names}}  {topic.way:3}  {topic.type_name:{types}}  {rate}{only}"
        print(line.rstrip())
    for service in services:
        only = "  simulation only" if service.simulated else ""
        print(f"{service.name:{names}}  ask  {service.type_name:{types}}{only}".rstrip())


def info(robot: Robot, as_json: AsJson = False) -> None:
    """Show a robot's facts: joints, postures, base, grippers, hands; or an experiment's options.

    Example: mecano info open_manipulator_x
    """
    from mecano import tasks
    from mecano.importing.sources import find_robot

    if _is_experiment(robot):
        _tell_experiment(robot, as_json=as_json)
        return
    description = find_robot(robot)
    if as_json:
        print(json.dumps(_as_json(description)))
        return
    from rich.console import Console
    from rich.table import Table

    from mecano.cli.part_facts import part_lines

    console = Console()
    console.print(f"[bold]{description.title}[/]\n{description.summary}\n", highlight=False)
    facts = Table(box=None, show_header=False, pad_edge=False)
    for name, value in description.facts.items():
        facts.add_row(name, value)
    console.print(facts)
    for chain in description.chains.values():
        joints = Table(
            "joint", "kind", "lower", "upper", title=f"chain '{chain.name}'", title_justify="left"
        )
        joints.columns[0].no_wrap = True  # a name that is cut short cannot be typed
        for joint in chain.dh.joints:
            joints.add_row(
                joint.name, joint.kind, *(_limit(v, joint.unit) for v in (joint.lower, joint.upper))
            )
        console.print(joints)
        solver = chain.solver.replace("_", " ")
        console.print(f"inverse kinematics: {solver} ({chain.solver_reason})", highlight=False)
        for name, q in chain.postures.items():
            unit = chain.dh.joints[0].unit
            values = ", ".join(f"{value:.4g}" for value in q)
            console.print(f"posture {name}: {values} {unit}", highlight=False)
    for line in part_lines(description):
        console.print(line, highlight=False)
    if description.has_model:
        named = [
            each.removeprefix(f"{robot}/")
            for each in tasks.EXPERIMENTS
            if each.startswith(f"{robot}/")
        ]
        listed = dict.fromkeys([*named, *tasks.experiments_of(description)])
        console.print(
            f"\nExperiments (mecano run {robot}/NAME): {', '.join(listed)}", highlight=False
        )
    console.print("\nSources: " + "; ".join(description.sources), highlight=False)
    if description.errata:
        count = len(description.errata)
        console.print(f"{count} corrections to the paper: mecano derive {robot}", highlight=False)


def _is_experiment(name: str) -> bool:
    """Tell whether a text is an experiment: of the catalogue, or ROBOT/EXPERIMENT."""
    from pathlib import Path

    from mecano import tasks
    from mecano.tasks.robot_experiments import is_robot

    robot, _, short = name.rpartition("/")
    own = bool(robot and short) and not Path(name).exists() and is_robot(robot)
    return name in tasks.EXPERIMENTS or own


def _tell_experiment(name: str, *, as_json: bool) -> None:
    """Print what an experiment is and what can be chosen."""
    from mecano import tasks

    experiment = tasks.get(name)
    facts = {"name": name, "title": experiment.title, "robot": experiment.robot}
    if as_json:
        print(json.dumps(facts | {"scene": experiment.scene, "options": experiment.options}))
        return
    print(f"{name}: {experiment.title}")
    print(f"robot {experiment.robot}, scene {experiment.scene}")
    if experiment.options:
        print("options, with their defaults:")
    for option, value in experiment.options.items():
        hint = experiment.hints.get(option, "")
        print(f"  -o {option + '=' + value:20}  {hint}".rstrip())


def _limit(value: float, unit: str) -> str:
    return f"{value:.4f} rad ({math.degrees(value):.1f} deg)" if unit == "rad" else f"{value:.4f} m"


def _as_json(description) -> dict:
    from mecano.cli.part_facts import parts_as_json

    return {
        "name": description.name,
        "title": description.title,
        "facts": description.facts,
        "sources": list(description.sources),
        "chains": {
            chain.name: {
                "joints": [
                    {
                        "name": j.name,
                        "kind": j.kind,
                        "lower": j.lower,
                        "upper": j.upper,
                        "unit": j.unit,
                    }
                    for j in chain.dh.joints
                ],
                "solver": chain.solver,
                "solver_reason": chain.solver_reason,
                "postures": {name: list(q) for name, q in chain.postures.items()},
            }
            for chain in description.chains.values()
        },
        **parts_as_json(description),
    }
