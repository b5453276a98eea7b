"""The result of a run, as a card at the top of the page."""

from typing import TYPE_CHECKING

from mecano.viewer.panels.panel import BAD, GOOD, Desk

if TYPE_CHECKING:
    from mecano.tasks.experiment import RunResult


def show_card(desk: Desk, result: "RunResult") -> None:
    """Put the card into the page; pages that open later see it too."""
    colour = GOOD if result.success else BAD
    word = "success" if result.success else "failed"
    rows = [(name.replace("_", " "), str(value)) for name, value in result.metrics.items()]
    rows.append(("simulated", f"{result.sim_time_s:.2f} s in {result.wall_time_s:.2f} s"))
    rows.append(("seed, state hash", f"{result.seed}, {result.state_hash}"))
    if result.remark:
        rows.append(("remark", result.remark))
    cells = "".join(
        f'<tr><td style="color:#868e96;padding-right:1em">{_safe(name)}</td>'
        f"<td>{_safe(value)}</td></tr>"
        for name, value in rows
    )
    card = (
        f'<div style="margin:0.3em 0.9em 0.8em 0.9em;padding:0.6em 0.8em;border-radius:6px;'
        f'border:2px solid {colour};font-size:0.8em;line-height:1.5">'
        f'<b style="color:{colour}">{_safe(result.experiment)}: {word}</b>'
        f"<table>{cells}</table></div>"
    )
    desk.server.gui.add_html(card, order=-1.0)
    for client in desk.server.get_clients().values():
        client.add_notification(
            f"{result.experiment}: {word}", "the card is at the top of the panel",
            auto_close_seconds=6.0, color="green" if result.success else "red",
        )  # fmt: skip


def _safe(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
