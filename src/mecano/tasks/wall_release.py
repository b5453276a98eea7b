"""The wall test of the thesis on ROMERIN: cup after cup is switched off until the robot falls.

It hangs on a wall, head up, in the thesis's rest posture. Cups 4, 6, 5 and 1 are released at 13,
20, 27 and 34 s, whatever is foreseen; then two are left, and they cannot hold it. Pull and shear of
all cups are written down for 40 s. `sweep=yes` repeats it, shortened, for other postures, torque
limits, masses and gains.
"""

from functools import partial
from pathlib import Path

import numpy as np

from mecano.core.arrays import finite_number
from mecano.core.devices import CupEvent
from mecano.core.errors import UnknownName
from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.tasks.wall_record import LAST_CUPS, Hanging, Releases, hang, most, write_csv
from mecano.tasks.wall_sweep import MASS, set_servos, tell_sweep, try_out, variants, write_sweep

RELEASES: Releases = ((13.0, 4), (20.0, 6), (27.0, 5), (34.0, 1))
RECORDED = 40.0
"""Length of the record [s]; the thesis's, like the releases."""
RIGID = (0.17, 0.22, 0.36, 0.62)
"""Largest shear before each release as a part of the weight, fact sheet 9.3: a rigid body on ball
joints of one compliance."""
TRIAL = (13.7, 14.0, 15.5, 20.8)
"""Largest shear before each release in the fact sheet's own trial [N]."""
GRAVITY = 9.81
"""[m/s2]."""


def run(robot: Robot, rng: np.random.Generator, *, torque: str, gain: str, sweep: str) -> Score:
    """Do the wall test, and compare it with the thesis.

    Args:
        robot: On the wall.
        rng: Not used, nothing is drawn.
        torque: Limit of the servos [N m].
        gain: Of their position [N m/rad].
        sweep: "yes" also tries the variants.
    """
    if sweep not in ("yes", "no"):
        raise UnknownName("value of sweep", sweep, ("yes", "no"))
    limit = finite_number(torque, name="torque [N m]", lower=0.1, upper=2.45)  # type: ignore[arg-type]
    set_servos(robot, limit, finite_number(gain, name="gain [N m/rad]", lower=1.0, upper=100.0))  # type: ignore[arg-type]
    found = hang(robot, RELEASES, RECORDED)
    swept = {each: try_out(each) for each in variants()} if sweep == "yes" else {}
    problem = judge(found)
    products = {"wall.csv": partial(write_csv, found), "wall.png": partial(_draw, found)}
    if swept:
        products["sweep.csv"] = partial(write_sweep, swept)
    return Score(
        success=not problem,
        metrics=measure(found),
        remark=problem,
        report="\n\n".join([tell(found), *([tell_sweep(swept)] if swept else [])]),
        products=products,
    )


def judge(found: Hanging) -> str:
    """Return in what it differs from the thesis; empty if the order of events is the same."""
    if found.early:
        first = found.early[0]
        return f"cup {first.cup} broke at {first.time:.2f} s, before the last release"
    if not found.in_order:
        broke = ", ".join(str(each.cup) for each in found.breaks) or "none"
        return f"after the last release cups 2 and 3 should break, broken: {broke}"
    if found.floor is None:
        return "the robot did not reach the floor"
    if not found.rises():
        return "a release did not raise the largest shear of the remaining cups"
    return ""


def measure(found: Hanging) -> dict[str, Metric]:
    """Return the figures of a test."""
    metrics: dict[str, Metric] = {"breaks_before_last_release": len(found.early)}
    for i, (_, leg) in enumerate(found.releases):
        for name, loads in (("shear", found.shear), ("pull", found.pull)):
            before, after = found.largest(loads, i)
            metrics[f"{name}_before_release_of_{leg}_n"] = round(before, 2)
            metrics[f"{name}_after_release_of_{leg}_n"] = round(after, 2)
    held = found.times < found.last_release
    metrics["largest_shear_before_last_release_n"] = round(most(found.shear[held]), 2)
    metrics["largest_pull_before_last_release_n"] = round(most(found.pull[held]), 2)
    for each in found.breaks:
        metrics[f"cup_{each.cup}_break_s"] = round(each.time, 3)
        metrics[f"cup_{each.cup}_break_cause"] = found.cause(each)
        metrics[f"cup_{each.cup}_break_shear_n"] = round(each.shear, 1)
        metrics[f"cup_{each.cup}_break_pull_n"] = round(each.pull, 1)
        metrics[f"cup_{each.cup}_break_after_knock"] = found.knock(each) is not None
    if found.floor is not None:
        metrics["floor_s"] = round(found.floor, 3)
    return metrics


def tell(found: Hanging) -> str:
    """Return the table of loads before each release, and what happened, beside the thesis."""
    lines = [
        "Before the release      shear of cups 1 to 6 [N]               largest   rigid   trial",
    ]
    for (time, leg), rigid, trial in zip(found.releases, RIGID, TRIAL, strict=True):
        shear = found.loads(found.shear, time)
        cells = "".join("     -" if np.isnan(load) else f"{load:6.1f}" for load in shear)
        lines.append(
            f"{time:5.1f} s, leg {leg}      {cells}   {most(shear):8.1f}"
            f"{rigid * MASS * GRAVITY:8.1f}{trial:8.1f}"
        )
    lines.append(
        "rigid: a rigid body on equal springs. trial: an earlier model, in which the shears of "
        "six cups add up to three times the weight: its legs strain against each other."
    )
    lines += [_rise(found, i) for i in range(len(found.releases))]
    lines += [_break(found, each) for each in found.breaks]
    if found.floor is None:
        lines.append(f"The robot does not reach the floor within {found.times[-1]:.1f} s.")
    else:
        lines.append(f"{found.floor:5.2f} s, the robot reaches the floor")
    return "\n".join([*lines, _verdict(found)])


def _rise(found: Hanging, number: int) -> str:
    """Return what a release did to the shear of the remaining cups."""
    time, leg = found.releases[number]
    before, after = found.largest(found.shear, number)
    rise = f"largest shear of the others {before:.1f} N -> {after:.1f} N"
    text = f"{time:5.1f} s, leg {leg} lets go: {rise}"
    if number + 1 == len(found.releases):
        return f"{text} at most, until they break"
    then = found.loads(found.shear, found.releases[number + 1][0])
    now = found.loads(found.shear, time)
    stay = ~np.isnan(now) & ~np.isnan(then)
    stay[leg - 1] = False
    return f"{text}; it rises in {int((then > now)[stay].sum())} of {int(stay.sum())} cups"


def _break(found: Hanging, event: CupEvent) -> str:
    """Return how a cup broke off."""
    most_pull, most_shear = found.limits
    leg = found.knock(event)
    knocked = f"; just before, the loose cup of leg {leg} knocks against the wall" if leg else ""
    return (
        f"{event.time:5.2f} s, cup {event.cup} breaks by {found.cause(event)}: shear "
        f"{event.shear:.1f} of {most_shear:g} N, pull {event.pull:.1f} of {most_pull:g} N{knocked}"
    )


def _verdict(found: Hanging) -> str:
    causes = {each.cup: found.cause(each) for each in found.breaks}
    if not found.in_order:
        return "The thesis: nothing breaks before 34 s, then cups 2 and 3 do. Not so here."
    same = [f"cup {cup}" for cup in LAST_CUPS if "shear" in causes[cup]]
    other = [f"cup {cup} by pull" for cup in LAST_CUPS if "shear" not in causes[cup]]
    text = "As in the thesis nothing breaks before the last release, then cups 2 and 3 do and it "
    text += "falls. The thesis has both above 30 N of shear"
    if not other:
        return f"{text}; so it is here."
    return f"{text}; here {' and '.join([*(f'{each} by shear' for each in same), *other])}."


def _draw(found: Hanging, path: Path) -> None:
    from mecano.tasks.romerin_plots import draw_cups

    draw_cups(found, path)


EXPERIMENT = Experiment(
    name="romerin/wall-release",
    title="hang on a wall and let go cup by cup, until it falls",
    robot="romerin",
    scene="wall",
    start="rest",
    run=run,
    options={"torque": "1.5", "gain": "20", "sweep": "no"},
    hints={
        "torque": "N m: limit of the servos",
        "gain": "N m/rad of the servos",
        "sweep": "yes or no: also other masses, gains, torques and postures",
    },
)
