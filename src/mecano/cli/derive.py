"""`mecano derive`: the kinematics of a robot derived step by step, in symbols."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from mecano.cli.catalog import ChainName, Robot

if TYPE_CHECKING:
    from mecano.core.arrays import Array
    from mecano.kinematics.chain import Chain


def derive(
    robot: Robot,
    chain: ChainName = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="Q1,Q2,..", help="Also show all numbers at this posture."),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX (needs amsmath).")] = False,
    errata: Annotated[
        bool, typer.Option("--errata/--no-errata", help="End with the paper's errata.")
    ] = True,
) -> None:
    """Derive the kinematics of a robot step by step: table, matrices, position, inverse, errata.

    Example: mecano derive open_manipulator_x --at 0,-1.05,0.35,0.7
    """
    from rich.console import Console

    from mecano.cli import derive_story as story
    from mecano.cli.derive_page import LatexPage, ScreenPage
    from mecano.importing.sources import find_robot
    from mecano.kinematics.symbolic import derive_chain

    description = find_robot(robot)
    arm = description.chain(chain)
    q = None if at is None else _posture(at, arm)
    with Console(stderr=True).status(f"deriving the kinematics of {robot}"):
        derivation = derive_chain(arm)
    page = LatexPage() if latex else ScreenPage(Console())
    page.title(f"{description.title}: chain '{arm.name}'")
    story.tell_table(page, derivation)
    story.tell_steps(page, derivation, q)
    story.tell_products(page, derivation, q)
    story.tell_position(page, derivation, q)
    story.tell_inverse(page, derivation, robot, arm, q)
    story.tell_singular_postures(page, derivation, q)
    if errata:
        story.tell_errata(page, description)


def _posture(text: str, arm: "Chain") -> "Array":
    from mecano.core.errors import InvalidInput

    try:
        values = [float(value) for value in re.split(r"[,\s]+", text.strip(", "))]
    except ValueError:
        raise InvalidInput(
            f"--at takes joint values with commas, such as 0,0.5; got '{text}'"
        ) from None
    return arm.dh.check(values)
