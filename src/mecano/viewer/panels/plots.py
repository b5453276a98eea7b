"""Live plots of the last seconds: targets against what the robot does."""

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from viser import uplot

from mecano.kinematics.chain import Chain
from mecano.kinematics.joint_names import short_joint_names
from mecano.lab.robot import Robot
from mecano.viewer.panels.panel import Desk
from mecano.viewer.samples import Sample
from mecano.viewer.sampling import RATE

SECONDS = 10.0
"""How far back the plots go [s]."""
GREY = "#adb5bd"
COLOURS = (
    "#1971c2", "#e8590c", "#2b8a3e", "#9c36b5", "#c92a2a", "#0b7285",
    "#74c0fc", "#ffa94d", "#8ce99a", "#e599f7", "#ff8787", "#66d9e8",
)  # fmt: skip


class PlotsPanel:
    """One plot of a chosen joint, and one of the errors of all."""

    def __init__(self, desk: Desk, robots: dict[str, Robot]) -> None:
        """Make plots for every joint of arms and legs, and the grippers."""
        self.desk = desk
        self.names = _names(robots)
        self._rows: deque[np.ndarray] = deque(maxlen=int(SECONDS * RATE))
        gui = desk.server.gui
        self._chosen = gui.add_dropdown("plot", self.names)
        desk.changes(self._chosen, self._redraw)
        still = np.zeros(2)
        self._pair = gui.add_uplot(
            (np.arange(2.0), still, still, still),
            (_time(), _curve("target", GREY, 3.0), _curve("real", COLOURS[0], 1.5), _room()),
            **_STYLE, aspect=1.5,
        )  # fmt: skip
        gui.add_html(legend("", ("target", "real"), (GREY, COLOURS[0])))
        colours = [COLOURS[i % len(COLOURS)] for i in range(len(self.names))]
        curves = [_curve(n, c, 1.5) for n, c in zip(self.names, colours, strict=True)]
        self._errors = gui.add_uplot(
            (np.arange(2.0),) + (still,) * (len(self.names) + 1),
            (_time(), *curves, _room()),
            **_STYLE, aspect=1.5,
        )  # fmt: skip
        short = [name.partition(" [")[0] for name in self.names]
        gui.add_html(legend("target - real [mrad, mm]:", short, colours))
        self._updates = 0

    def update(self, sample: Sample) -> None:
        """Take the sample in; draw every other time."""
        row = np.array([sample.time, *_values(sample)])
        if self._rows and row[0] < self._rows[-1][0]:
            self._rows.clear()  # the run was reset
        while self._rows and self._rows[0][0] < row[0] - SECONDS:
            self._rows.popleft()
        if not self._rows or row[0] > self._rows[-1][0]:
            self._rows.append(row)
            self._updates += 1
            if self._updates % 2 == 0:
                self._redraw()

    def _redraw(self) -> None:
        if not self._rows:
            return
        rows = np.array(self._rows)
        n = len(self.names)
        targets, reals = rows[:, 1 : n + 1], rows[:, n + 1 :]
        i = self.names.index(self._chosen.value)
        pair = [targets[:, i].copy(), reals[:, i].copy()]
        self._pair.data = (rows[:, 0].copy(), *pair, _around(pair))
        errors = [1000.0 * (targets[:, k] - reals[:, k]) for k in range(n)]
        self._errors.data = (rows[:, 0].copy(), *errors, _around(errors))


def _names(robots: dict[str, Robot]) -> tuple[str, ...]:
    """Return what is plotted, in the order of `_values`, with units."""
    many = len(robots) > 1
    names = [
        f"{f'{name} ' if many else ''}{joint} [{unit}]"
        for part in ("arm", "legs")
        for name, robot in robots.items()
        for chain in _chains(robot, part)
        for joint, unit in _joints(robot, chain, part)
    ]
    grippers = [
        f"{f'{name} ' if many else ''}{gripper.name} width [m]"
        for name, robot in robots.items()
        for gripper in robot.grippers.values()
    ]
    return (*names, *grippers)


def _chains(robot: Robot, part: str) -> list[Chain]:
    """Return the chain of the arm, or those of the legs; none if there is no such part."""
    if part == "arm":
        return [arm.chain for arm in robot.arms.values()]
    return [leg.chain for leg in robot.legs] if "cups" in robot.parts else []


def _joints(robot: Robot, chain: Chain, part: str) -> list[tuple[str, str]]:
    """Return names and units of the joints; where there are several arms, after that of theirs."""
    units = [joint.unit for joint in chain.dh.joints]
    if part == "legs":
        return list(zip(chain.joint_names, units, strict=True))
    side = f"{chain.name} " if len(robot.arms) > 1 else ""
    return [(side + n, u) for n, u in zip(short_joint_names(chain), units, strict=True)]


def has_curves(robots: dict[str, Robot]) -> bool:
    """Tell whether there is anything to plot."""
    return bool(_names(robots))


def _values(sample: Sample) -> list[float]:
    """Return all targets, then all real values."""
    limbs, hands = (*sample.arms.values(), *sample.legs.values()), sample.grippers.values()
    targets = [v for limb in limbs for v in limb.target] + [hand.target for hand in hands]
    reals = [v for limb in limbs for v in limb.real] + [hand.real for hand in hands]
    return targets + reals


def _time() -> uplot.Series:
    return uplot.Series(label="time [s]")


def _curve(label: str, colour: str, width: float) -> uplot.Series:
    return uplot.Series(label=label, stroke=colour, width=width)


def _room() -> uplot.Series:
    """Return a curve that is not seen: it keeps room around curves that stand still."""
    return _curve("", "transparent", 0.0)


def _around(curves: list[np.ndarray]) -> np.ndarray:
    low, high = min(c.min() for c in curves), max(c.max() for c in curves)
    room = max(0.1 * (high - low), 0.01 * max(abs(low), abs(high)), 1e-3)
    around = np.full(len(curves[0]), low - room)
    around[len(around) // 2 :] = high + room
    return around


def legend(text: str, names: Sequence[str], colours: Sequence[str]) -> str:
    """Return a line that says which curve is which."""
    marks = "".join(
        f'<span style="color:{colour};padding-left:0.7em">&#9644; {name}</span>'
        for name, colour in zip(names, colours, strict=True)
    )
    return f'<div style="font-size:0.72em;padding:0 0.9em 0.6em 0.9em">{text}{marks}</div>'


_STYLE: dict[str, Any] = {
    "scales": {"x": uplot.Scale(time=False, auto=True), "y": uplot.Scale(auto=True)},
    "axes": (uplot.Axis(), uplot.Axis(size=55)),
    "legend": uplot.Legend(show=False),
    "padding": (14, 24, 0, 0),
}
