"""The result of a run, as a card at the top of the page."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from mecano.viewer.panels.panel import BAD, GOOD, Desk

if TYPE_CHECKING:
    from mecano.tasks.experiment import RunResult


def show_card(desk: Desk, result: "RunResult", record: str | None = None) -> None:
    """Put the card into the page; pages that open later see it too."""
    rows: list[tuple[str, Any]] = [
        (name.replace("_", " "), value) for name, value in result.metrics.items()
    ]
    rows.append(("simulated", f"{result.sim_time_s:.2f} s in {result.wall_time_s:.2f} s"))
    rows.append(("seed, state hash", f"{result.seed}, {result.state_hash}"))
    if result.remark:
        rows.append(("remark", result.remark))
    if record is not None:
        rows.append(("record", record))
    desk.server.gui.add_html(card_html(result.experiment, result.success, rows), order=-1.0)
    for client in desk.server.get_clients().values():
        client.add_notification(
            f"{result.experiment}: {_word(result.success)}",
            "the card is at the top of the panel",
            auto_close_seconds=6.0,
            color="green" if result.success else "red",
        )


def card_html(title: str, success: bool, rows: Sequence[tuple[str, Any]]) -> str:
    """Return a card: a title, whether it went well, and rows of names and values."""
    colour = GOOD if success else BAD
    cells = "".join(
        f'<tr><td style="color:#868e96;padding-right:1em">{escape(name)}</td>'
        f"<td>{escape(str(value))}</td></tr>"
        for name, value in rows
    )
    return (
        f'<div style="margin:0.3em 0.9em 0.8em 0.9em;padding:0.6em 0.8em;border-radius:6px;'
        f'border:2px solid {colour};font-size:0.8em;line-height:1.5">'
        f'<b style="color:{colour}">{escape(title)}: {_word(success)}</b>'
        f"<table>{cells}</table></div>"
    )


def _word(success: bool) -> str:
    return "success" if success else "failed"
