"""Hands with fingers: named postures, how far a grasp is closed, and which fingers are held up."""

import numpy as np

from mecano.lab.robot import Robot
from mecano.parts.hand import Hand
from mecano.viewer.panels.panel import GOOD, PLAIN, Desk, line
from mecano.viewer.samples import HandSample, Sample

GRASPS = ("power", "pinch")
"""Postures that a hand closes towards."""
ON_THE_WAY = 0.02
"""A target so near to the way from open to a grasp lies on it [rad]."""


class HandsPanel:
    """Moves the hands of a robot, each in a folder of its own; all but the first are folded."""

    def __init__(self, desk: Desk, robot: Robot) -> None:
        """Make controls for every hand."""
        self.name = robot.name
        self.controls = {
            name: HandControls(desk, name, hand, folded=number > 0)
            for number, (name, hand) in enumerate(robot.hands.items())
        }

    def update(self, sample: Sample) -> None:
        """Show what the hands do."""
        for name, controls in self.controls.items():
            controls.show(sample.hands[self.name][name])


class HandControls:
    """Postures, a grasp and how far it is closed."""

    def __init__(self, desk: Desk, name: str, hand: Hand, *, folded: bool) -> None:
        """Make controls from the facts of a hand."""
        self.desk, self.hand = desk, hand
        gui, postures = desk.server.gui, hand.facts.postures
        with gui.add_folder(f"Hand, {name}", expand_by_default=not folded):
            self.posture = gui.add_button_group("fingers", tuple(postures))
            self.grasp = gui.add_dropdown(
                "grasp", tuple(grasp for grasp in GRASPS if grasp in postures),
                hint="posture that the fingers close towards",
            )  # fmt: skip
            self.closed = gui.add_slider(
                "closed [%]", min=0.0, max=100.0, step=1.0, initial_value=0.0,
                hint="of the way from open to the grasp; fingers stop at what they meet",
            )  # fmt: skip
            self._text = gui.add_html("")
        self._shown: np.ndarray | None = None
        """The target that the slider was last set to by us."""
        desk.commands(self.posture, f"{name} hand", self._move)
        desk.commands(self.closed, f"{name} hand", self._close)
        desk.changes(self.grasp, self._forget)
        desk.locks(self.grasp)

    def _move(self) -> None:
        self.hand.move(self.posture.value, wait=False)

    def _close(self) -> None:
        self.hand.close(self.closed.value / 100.0, grasp=self.grasp.value, wait=False)

    def _forget(self) -> None:
        self._shown = None

    def show(self, now: HandSample) -> None:
        """Say what the fingers do, and follow with the slider where something else moves them."""
        told, colour = _told(now)
        self._text.content = line(told, colour)
        if now.moving or self.desk.mail.waiting:
            return  # a person may have the slider in hand
        if self._shown is None or not np.array_equal(now.target, self._shown):
            self._shown = now.target
            share = self._share(now.target)
            if share is not None:
                self.closed.value = float(np.clip(round(100.0 * share), 0.0, 100.0))

    def _share(self, target: np.ndarray) -> float | None:
        """Return how far the way to the grasp leads to a target; None if it does not."""
        start, end = (self.hand.facts.posture(name) for name in ("open", self.grasp.value))
        way = end - start
        share = float((target - start) @ way / (way @ way))
        return share if np.abs(start + share * way - target).max() < ON_THE_WAY else None


def _told(now: HandSample) -> tuple[str, str]:
    """Return what the fingers do in a sentence, and its colour."""
    if now.moving:
        return "moves", PLAIN
    if not now.stopped:
        return f"no finger held up; {now.torque:.2f} N m at most", PLAIN
    return f"held up: {', '.join(now.stopped)}; {now.torque:.2f} N m at most", GOOD
