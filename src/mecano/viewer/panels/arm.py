"""The arm: a slider per joint, named postures, and a point to go to."""

import math

import numpy as np
import viser

from mecano.core.arrays import Array
from mecano.kinematics.joint_names import short_joint_names
from mecano.parts.arm import Arm
from mecano.parts.motions import Motion
from mecano.viewer.panels.panel import BAD, GOOD, PLAIN, Desk, line
from mecano.viewer.samples import ArmSample, Sample


class ArmPanel:
    """Moves an arm and shows where its joints are."""

    def __init__(self, desk: Desk, name: str, arm: Arm, *, folded: bool = False) -> None:
        """Make controls for every joint, posture and task coordinate of an arm, see `arms_of`.

        Args:
            desk: The page.
            name: Of the arm among all robots.
            arm: To move.
            folded: Show only titles at first; a click unfolds them.
        """
        self.desk, self.name, self.arm, self.folded = desk, name, arm, folded
        self._shown: Array | None = None
        """The targets last put on the sliders by us."""
        self._said: Motion | None = None
        self._handed: Motion | None = None
        self.answer = desk.server.gui.add_html("")
        with self.folder("Arm"):
            self._add_joints()
        with self.folder("Go to"):
            self._add_goto()

    def titled(self, what: str) -> str:
        """Return a title that tells this arm from the others of its robot."""
        return f"{what}, {self.name.split('/')[1]}" if "/" in self.name else what

    def folder(self, what: str) -> viser.GuiFolderHandle:
        """Add a folder of controls of this arm."""
        gui = self.desk.server.gui
        return gui.add_folder(self.titled(what), expand_by_default=not self.folded)

    # --- joints

    def _add_joints(self) -> None:
        gui = self.desk.server.gui
        self.sliders = []
        joints, names = self.arm.chain.dh.joints, short_joint_names(self.arm.chain)
        for joint, name, value in zip(joints, names, self.arm.commanded, strict=True):
            slider = gui.add_slider(
                f"{name} [{joint.unit}]",
                min=_inward(joint.lower, up=True),
                max=_inward(joint.upper, up=False),
                step=0.001,
                initial_value=round(float(value), 3),
                hint=f"target of {joint.name}: {joint.lower:.3f} to {joint.upper:.3f} {joint.unit}",
            )
            self.desk.commands(slider, joint.name, self._move_joints)
            self.sliders.append(slider)
        self._bars = gui.add_html("")
        self._posture = gui.add_button_group("posture", tuple(self.arm.chain.postures))
        self.desk.commands(self._posture, "posture", self._move_to_posture)

    def _move_joints(self) -> None:
        self._shown = None  # if it is refused, the sliders go back to the target
        goal = [slider.value for slider in self.sliders]
        self._start(self.arm.move_joints(goal, wait=False))

    def _move_to_posture(self) -> None:
        self._start(self.arm.move_joints(self._posture.value, wait=False))

    # --- go to a point

    def _add_goto(self) -> None:
        gui = self.desk.server.gui
        tool = self.arm.pose().position.round(3)
        self._point = gui.add_vector3("point [m]", tuple(tool), step=0.005)
        self._pitch = gui.add_number("pitch [deg]", round(math.degrees(self.arm.pitch()), 1),
                                     step=1.0, hint="nose down is positive")  # fmt: skip
        self._free = gui.add_checkbox("any pitch", initial_value=False)
        self._straight = gui.add_checkbox("straight line", initial_value=False)
        self._go = gui.add_button_group("hand", ("go", "stop"))
        self.desk.commands(self._go, "go to", self._go_or_stop)
        self.desk.locks(self._point, self._pitch, self._free, self._straight)

    def _go_or_stop(self) -> None:
        if self._go.value == "stop":
            self.arm.session.stop_all()
            return
        pitch = None if self._free.value else math.radians(self._pitch.value)
        move = self.arm.move_line if self._straight.value else self.arm.move_to
        self._start(move(self._point.value, pitch=pitch, wait=False))

    def _start(self, motion: Motion) -> None:
        self._handed, self._said = motion, None

    def say(self, text: str, colour: str = PLAIN) -> None:
        """Show an answer above the controls."""
        self.answer.content = line(text, colour)

    # --- what it does

    def update(self, sample: Sample) -> None:
        """Show where the joints are, follow with the sliders, and say how a motion ended."""
        arm = sample.arms[self.name]
        self._bars.content = _bars(self.arm, arm)
        self._follow_with_sliders(arm)
        motion = self._handed
        if motion is not None and motion.done and motion is not self._said:
            self._said, self._shown = motion, None  # a refused target leaves the sliders
            assert motion.result is not None
            self.say(motion.result.message, GOOD if motion.result.reached else BAD)

    def _follow_with_sliders(self, arm: ArmSample) -> None:
        """Keep the sliders at the target while something else than a slider moves the arm."""
        busy = self.arm.motion is not None and not self.arm.motion.done
        if self._handed is not None and self._handed is self.arm.motion and busy:
            return  # a person may have the slider in hand
        if self.desk.mail.waiting:
            return  # somebody moved a slider just now; that must not be lost
        if self._shown is None or np.abs(arm.target - self._shown).max() > 5e-4:
            self._shown = arm.target.copy()
            for slider, value in zip(self.sliders, arm.target, strict=True):
                slider.value = float(np.clip(round(float(value), 3), slider.min, slider.max))


def _inward(limit: float, *, up: bool) -> float:
    """Round a limit to a step of the slider that is still inside."""
    return (math.ceil if up else math.floor)(limit * 1000) / 1000


def _bars(arm: Arm, sample: ArmSample) -> str:
    """Return the joints as bars: a ring for the target, a dot for where the joint is."""
    rows, names = [], short_joint_names(arm.chain)
    wide = 0.56 * max(map(len, names))
    joints = zip(arm.chain.dh.joints, names, sample.target, sample.real, strict=True)
    for joint, name, target, real in joints:
        span, real = joint.upper - joint.lower, round(real, 3) + 0.0  # no minus zero
        ring, dot = (100.0 * (v - joint.lower) / span for v in (target, real))
        value = f"{real:+.3f} {joint.unit}"
        if joint.unit == "rad":
            value += f" ({math.degrees(real):+.1f}&deg;)"
        rows.append(
            f'<div style="display:flex;align-items:center;gap:0.5em">'
            f'<span style="width:{wide:.1f}em">{name}</span>'
            f'<span style="position:relative;flex:1;height:3px;background:#dee2e6">'
            f'<span style="position:absolute;left:calc({ring:.1f}% - 5.5px);top:-4px;width:11px;'
            f'height:11px;border:2px solid #adb5bd;border-radius:50%"></span>'
            f'<span style="position:absolute;left:calc({dot:.1f}% - 3.5px);top:-2px;width:7px;'
            f'height:7px;background:#1971c2;border-radius:50%"></span></span>'
            f'<span style="width:9.5em;text-align:right">{value}</span></div>'
        )
    return (
        '<div style="font-size:0.72em;padding:0.2em 0.9em;line-height:1.7">'
        '<div style="color:#868e96">real (dot), target (ring)</div>' + "".join(rows) + "</div>"
    )
