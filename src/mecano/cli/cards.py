"""What runs look like in the terminal: a card for one, a table for several, and a count of all."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mecano.tasks.experiment import RunResult


def show_runs(results: "list[RunResult]") -> None:
    """Print a card for one run, or a table for several."""
    from rich.console import Console
    from rich.table import Table

    if len(results) == 1:
        show_card(results[0])
        return
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    console = Console(width=max(Console().width, sum(len(name) + 4 for name in names) + 40))
    table = Table("seed", "success", *names, "state hash", box=None, pad_edge=False)
    for result in results:
        values = [str(result.metrics.get(name, "-")) for name in names]
        table.add_row(str(result.seed), _mark(result.success), *values, result.state_hash)
    console.print(table)


def show_card(result: "RunResult", folder: str | None = None) -> None:
    """Print the result card of one run, and where it was recorded."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in result.metrics.items():
        table.add_row(name.replace("_", " "), str(value))
    what = "took" if result.real else "simulated"
    table.add_row(what, f"{result.sim_time_s:.2f} s in {result.wall_time_s:.2f} s")
    table.add_row("seed, state hash", f"{result.seed}, {result.state_hash}")
    if result.remark:
        table.add_row("remark", result.remark)
    if folder is not None:
        table.add_row("record", folder)
    colour = "green" if result.success else "red"
    title = f"{result.experiment}: {_mark(result.success)}"
    Console().print(Panel(table, title=title, border_style=colour, expand=False))
    if result.report:
        print(result.report)


def _mark(success: bool) -> str:
    return "[green]success[/]" if success else "[red]failed[/]"


def show_summary(counts: dict[str, Any]) -> None:
    """Print the success rate and its interval."""
    low, high = counts["interval_95"]
    print(
        f"{counts['successes']} of {counts['runs']} succeeded: "
        f"{100 * counts['success_rate']:.1f} %, "
        f"95 % interval {100 * low:.1f} to {100 * high:.1f} %"
    )
