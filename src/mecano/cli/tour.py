"""`mecano tour`: what the kinematics can do, in the terminal."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from mecano.kinematics.chain import Chain


def tour() -> None:
    """Show what the arm's kinematics can do, in a minute of reading.

    Example: mecano tour
    """
    from rich.console import Console

    from mecano import robots
    from mecano.cli.sideview import side_view

    description = robots.get("open_manipulator_x")
    arm = description.chain()
    console = Console(highlight=False)
    console.rule(f"[bold]{description.title}")
    console.print(description.summary)
    console.print("From the side: the home posture over the points the tool can reach.\n")
    console.print(side_view(arm, [arm.postures["home"]], ascii_only=console.options.ascii_only))
    _forward(console, arm)
    _inverse(console, arm)
    _explained(console, arm)
    console.rule("[bold]your turn")
    for command, what in (
        ("mecano ik open_manipulator_x 0.1 0.1 0.2 --pitch 0 --all", "all ways to a pose"),
        ("mecano derive open_manipulator_x", "the mathematics, step by step"),
        ("mecano workspace open_manipulator_x", "how far the arm gets"),
        ("mecano check-stage ik examples/01_my_own_ik.py", "your own solver, judged like ours"),
    ):
        console.print(f"  [bold cyan]{command:58}[/] {what}", soft_wrap=True)


def _forward(console: "Console", arm: "Chain") -> None:
    console.rule("[bold]1  where is the tool?")
    q = arm.postures["home"]
    x, y, z = arm.forward(q)[:3, 3].round(6) + 0.0
    console.print(f"joints {list(q)} rad put the tool at ({x:.4f}, {y:.4f}, {z:.4f}) m,")
    console.print(f"nose {math.degrees(arm.pitch(q)):.1f} deg below the horizontal.")


def _inverse(console: "Console", arm: "Chain") -> None:
    from mecano.cli.sideview import side_view

    console.rule("[bold]2  which joints bring it to a point?")
    target, pitch = (0.01, 0.12, 0.34), -1.4
    result = arm.inverse(target, pitch=pitch)
    console.print(f"point {target} m, pitch {pitch} rad: {result.message}")
    for q in result.solutions:
        console.print("   " + "  ".join(f"{angle:8.4f}" for angle in q) + "  rad")
    console.print("The arm facing the point, and reaching it over its back:\n")
    plain = console.options.ascii_only
    console.print(side_view(arm, list(result.solutions), heading=math.pi / 2, ascii_only=plain))


def _explained(console: "Console", arm: "Chain") -> None:
    console.rule("[bold]3  and if it cannot?")
    for target, pitch in (
        ((0.40, 0.0, 0.10), 0.0),
        ((0.25, 0.0, 0.05), -1.2),
        ((0.05, 0.0, 0.10), 0.0),
    ):
        result = arm.inverse(target, pitch=pitch)
        x, y, z = result.nearest.position.round(6) + 0.0
        console.print(f"point {target} m, pitch {pitch} rad: [yellow]{result.message}[/]")
        console.print(
            f"   nearest at that pitch: ({x:.3f}, {y:.3f}, {z:.3f}) m, "
            f"{result.shortfall * 1000:.1f} mm away"
        )
