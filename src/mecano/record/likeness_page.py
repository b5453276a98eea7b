"""`likeness.html`: a comparison as one page that needs nothing else, plots included."""

import base64
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from mecano.core.arrays import Array
from mecano.record.estimators import Friction
from mecano.record.likeness_result import JointLikeness, Likeness, Quantity, Tracking

PAGE = "likeness.html"
TARGET, RUN_A, RUN_B = "#8a94a6", "#1f4e9c", "#d9731a"
MOST_POINTS = 2500
"""More points per line are not seen."""
SHOWN = {
    "s": ("ms", 1000.0, 1),
    "rad": ("mrad", 1000.0, 2),
    "m": ("mm", 1000.0, 2),
    "N m": ("mN m", 1000.0, 1),
    "N m s/rad": ("mN m s/rad", 1000.0, 1),
}
"""How a unit is shown: name, factor, digits."""
TITLES = {
    "delay": "delay",
    "offset": "offset at rest",
    "hysteresis": "dead zone at rest",
    "coulomb": "Coulomb friction",
    "viscous": "viscous friction",
}
STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #1d2430;
  background: #f4f6f9; margin: 0; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 34px 0 10px; }
.lead { color: #566072; margin: 0 0 18px; }
.runs span { display: inline-block; margin-right: 22px; }
.dot { display: inline-block; width: 11px; height: 11px; border-radius: 50%;
  margin-right: 6px; }
.card { background: #fff; border: 1px solid #e0e5ec; border-radius: 10px; padding: 16px 18px;
  margin: 12px 0; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: #566072; border-bottom: 2px solid #e0e5ec; }
th, td { padding: 5px 10px; white-space: nowrap; } td.n, th.n { text-align: right; }
tr.first td { border-top: 1px solid #e0e5ec; }
.chip { border-radius: 9px; padding: 1px 10px; font-size: 13px; font-weight: 600; }
.alike { background: #e1f3e6; color: #1b6b36; } .differs { background: #fde6d8; color: #9c4310; }
.note { color: #7a5a12; font-size: 14px; margin: 4px 0; }
img { width: 100%; display: block; }
pre { white-space: pre-wrap; background: #f4f6f9; padding: 12px 14px;
  border-radius: 8px;
  font: 13.5px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; margin: 8px 0; }
footer { color: #7a8496; font-size: 13px; margin-top: 30px; }
"""


def write_page(likeness: Likeness, file: Path) -> None:
    """Write the comparison as a page."""
    file.write_text(page(likeness), encoding="utf-8")


def page(likeness: Likeness) -> str:
    """Return the comparison as HTML."""
    joints = "".join(_joint(each) for each in likeness.joints)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Likeness report</title><style>{STYLE}</style></head><body><main>"
        f"{_heading(likeness)}{_summary(likeness)}{_proposals(likeness)}{joints}{FOOTER}"
        "</main></body></html>\n"
    )


FOOTER = (
    "<footer>Differences are B minus A, with 95 % intervals of the fit (noise; for the delay also "
    "what two ways of estimating disagree by). Friction also makes a joint lag, so a delay counts "
    "from one tick on. Efforts are read at the end of a tick, when a joint has come nearer to its "
    "target: that lowers the viscous friction of a simulated run, to below zero if it has little, "
    "and cancels if B reads its efforts at the same moment. docs/compare.md says what else cannot "
    "be told apart.</footer>"
)


def _heading(likeness: Likeness) -> str:
    count = sum(bool(joint.differing) for joint in likeness.joints)
    verdict = "The runs are alike." if likeness.alike else f"{count} joints differ."
    program = (
        "" if likeness.program is None else f"commanded motions agree by {likeness.program:.3f}"
    )
    runs = "".join(
        f'<span><i class="dot" style="background:{color}"></i><b>{letter}</b> {escape(title)} '
        f"<code>{escape(run)}</code></span>"
        for letter, color, title, run in zip(
            "AB", (RUN_A, RUN_B), likeness.titles, likeness.runs, strict=True
        )
    )
    return (
        f'<h1>Likeness report</h1><p class="lead">{verdict} Tick {1000 * likeness.tick:g} ms; '
        f'{program}.</p><p class="runs">{runs}</p>'
    )


def _summary(likeness: Likeness) -> str:
    head = "".join(
        f"<th{' class=n' if i > 1 else ''}>{name}</th>"
        for i, name in enumerate(("joint", "quantity", "A", "B", "B - A", "95 %", "unit"))
    )
    rows = "".join(_rows(joint) for joint in likeness.joints)
    return f'<h2>Summary</h2><div class="card"><table><tr>{head}<th></th></tr>{rows}</table></div>'


def _rows(joint: JointLikeness) -> str:
    rows = []
    a, b = joint.tracking
    if a is not None and b is not None:
        unit, scale, digits = SHOWN[joint.unit]
        cells = [f"{scale * x:.{digits}f}" for x in (a.rms, b.rms, b.rms - a.rms)]
        rows.append(_row("tracking error, RMS", [*cells, "", unit], ""))
    for quantity in joint.quantities.values():
        rows.append(_row(TITLES[quantity.name], shown(quantity), _chip(quantity)))
    if not rows:
        rows.append(_row(escape("; ".join(joint.missing)), [""] * 5, ""))
    first = rows[0].replace("<tr>", '<tr class="first">', 1)
    named = first.replace("<td></td>", f"<td><b>{escape(joint.joint)}</b></td>", 1)
    return named + "".join(rows[1:])


def _row(name: str, cells: list[str], chip: str) -> str:
    numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
    return f"<tr><td></td><td>{name}</td>{numbers}<td>{chip}</td></tr>"


def shown(quantity: Quantity) -> list[str]:
    """Return A, B, difference, half of its 95 % interval, and unit as texts."""
    unit, scale, digits = SHOWN[quantity.unit]
    return [
        f"{scale * quantity.a:.{digits}f}",
        f"{scale * quantity.b:.{digits}f}",
        f"{scale * quantity.difference:+.{digits}f}",
        f"± {scale * quantity.half_width:.{digits}f}",
        unit,
    ]


def _chip(quantity: Quantity) -> str:
    word = "differs" if quantity.differs else "alike"
    return f'<span class="chip {word}">{word}</span>'


def _proposals(likeness: Likeness) -> str:
    proposals, parts = likeness.proposals, []
    if proposals.toml:
        parts.append(
            "<p>Save this as <code>like_b.toml</code> for "
            '<code>connect(..., settings="like_b.toml")</code>:</p>'
            f"<pre>{escape(proposals.toml)}</pre>"
            f"<p>Or run with:</p><pre>{escape(proposals.flags)}</pre>"
        )
    if proposals.words:
        items = "".join(f"<li>{escape(word)}</li>" for word in proposals.words)
        parts.append(f"<ul>{items}</ul>")
    content = "".join(parts) or "<p>Nothing need be changed.</p>"
    return f'<h2>Proposed changes</h2><div class="card">{content}</div>'


def _joint(joint: JointLikeness) -> str:
    notes = "".join(f'<p class="note">{escape(each)}</p>' for each in joint.missing)
    words = [_tracking_words(joint)]
    if not joint.quantities:
        return f"<h2>{escape(joint.joint)}</h2>{notes}"
    picture = base64.b64encode(_picture(joint)).decode()
    image = f'<img alt="{escape(joint.joint)} in both runs" src="data:image/png;base64,{picture}">'
    text = "".join(f'<p class="lead">{word}</p>' for word in words if word)
    return f'<h2>{escape(joint.joint)}</h2>{text}{notes}<div class="card">{image}</div>'


def _tracking_words(joint: JointLikeness) -> str:
    unit, scale, digits = SHOWN[joint.unit]

    def told(tracking: Tracking | None) -> str:
        if tracking is None:
            return "not known"
        return f"{scale * tracking.rms:.{digits}f} (at most {scale * tracking.largest:.{digits}f})"

    a, b = joint.tracking
    return (
        f"Tracking error, RMS: A {told(a)}, B {told(b)} {unit}; "
        f"B from A, aligned: {told(joint.apart)} {unit}."
    )


def _picture(joint: JointLikeness) -> bytes:
    """Draw one joint: values, errors, and friction if there is one."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.6), dpi=130, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(2, 2, width_ratios=(2.0, 1.0), height_ratios=(1.3, 1.0))
    values = figure.add_subplot(grid[0, 0])
    errors = figure.add_subplot(grid[1, 0], sharex=values)
    _draw_curves(values, errors, joint)
    _draw_friction(figure.add_subplot(grid[:, 1]), joint.friction)
    stream = BytesIO()
    figure.savefig(stream, format="png")
    return stream.getvalue()


def _draw_curves(values: Any, errors: Any, joint: JointLikeness) -> None:
    pick = slice(None, None, max(1, len(joint.curves[0]) // MOST_POINTS))
    times, target, a, b = (each[pick] for each in joint.curves)
    unit, scale, _ = SHOWN[joint.unit]
    values.plot(times, target, color=TARGET, linewidth=3.0, alpha=0.55, label="target")
    values.plot(times, a, color=RUN_A, linewidth=1.2, label="A")
    values.plot(times, b, color=RUN_B, linewidth=1.2, label="B")
    values.set_ylabel(f"value [{joint.unit}]")
    values.legend(ncols=3, frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0))
    values.tick_params(labelbottom=False)
    for real, color in ((a, RUN_A), (b, RUN_B)):
        errors.plot(times, scale * (real - target), color=color, linewidth=1.0)
    errors.set_ylabel(f"real - target [{unit}]")
    errors.set_xlabel("time in A [s]")
    for axis in (values, errors):
        axis.grid(alpha=0.25)
        axis.spines[["top", "right"]].set_visible(False)


def _draw_friction(axis: Any, frictions: tuple[Friction | None, Friction | None]) -> None:
    axis.set_title("friction: effort without the load", fontsize=10)
    for friction, color, letter in zip(frictions, (RUN_A, RUN_B), "AB", strict=True):
        if friction is None:
            axis.text(0.5, 0.5, "not estimated", transform=axis.transAxes, ha="center")
            axis.set_axis_off()
            return
        pick = slice(None, None, max(1, len(friction.velocity) // 600))
        dots = {"color": color, "markersize": 2.2, "alpha": 0.35}
        axis.plot(friction.velocity[pick], 1000 * friction.torque[pick], "o", mew=0, **dots)
        for side in (-1.0, 1.0):
            speeds = _side(friction.velocity, side)
            line = side * friction.coulomb.value + friction.viscous.value * speeds
            label = letter if side > 0 else None
            axis.plot(speeds, 1000 * line, color=color, linewidth=2.0, label=label)
    axis.axhline(0.0, color="black", linewidth=0.6)
    axis.set_xlabel("velocity [rad/s]")
    axis.set_ylabel("friction [mN m]")
    axis.legend(frameon=False, loc="upper left")
    axis.grid(alpha=0.25)
    axis.spines[["top", "right"]].set_visible(False)


def _side(velocity: Array, side: float) -> Array:
    own = velocity[np.sign(velocity) == side]
    return np.array([own.min(), own.max()])
