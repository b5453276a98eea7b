"""A handle in the scene to drag the hand by; where it cannot follow, the page says why."""

import math

import numpy as np
from viser import LabelHandle, TransformControlsEvent

from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.parts.motions import FollowMotion
from mecano.viewer.panels.arm import ArmPanel
from mecano.viewer.panels.panel import BAD, GOOD, Desk
from mecano.viewer.samples import Sample


class HandlePanel:
    """A handle in the scene that the hand follows; where it cannot, the page says why."""

    def __init__(self, desk: Desk, panel: ArmPanel, base: Array) -> None:
        """Put a handle at the tool; `base` is the 4x4 pose of the arm's base in the world."""
        self.desk, self.name, self.arm, self.panel, self.base = (
            desk, panel.name, panel.arm, panel, base,
        )  # fmt: skip
        size = 0.22 * sum(math.hypot(joint.a, joint.d) for joint in self.arm.chain.dh.joints)
        self.gizmo = desk.server.scene.add_transform_controls(
            f"/handle/{self.name}", scale=size, disable_rotations=True, depth_test=False,
            opacity=0.75, line_width=3.0, position=self._tool(self.arm.commanded),
        )  # fmt: skip
        self.label: LabelHandle | None = None
        """Made when there is something to say: letters take a page half a second to load."""
        self.held = False
        self._let_go_at = 0.0
        self.motion: FollowMotion | None = None
        self.goal, self.pitch = self.arm.pose().position, self.arm.pitch()
        self.gizmo.on_update(self._moved)
        with panel.folder("Drag handle"):
            self._shown = desk.server.gui.add_checkbox("show", initial_value=True)
            desk.changes(self._shown, self._toggle)
            self._free = desk.server.gui.add_checkbox(
                "any pitch", initial_value=True, hint="else the hand keeps its pitch"
            )
        desk.locks(self)

    @property
    def disabled(self) -> bool:
        """True while a program has the arm: the handle is then not shown."""
        return self._disabled

    @disabled.setter
    def disabled(self, disabled: bool) -> None:
        self._disabled = self._shown.disabled = self._free.disabled = disabled
        self.held = self.held and not disabled
        self._toggle()

    def _toggle(self) -> None:
        self.gizmo.visible = self._shown.value and not self._disabled
        self._hush()

    def _tool(self, joints: Array) -> Array:
        return (self.base @ self.arm.chain.forward(joints))[:3, 3]

    async def _moved(self, event: TransformControlsEvent) -> None:
        """Post what a page did with the handle; async, so that the end comes after the moves."""
        action = {"start": self._begin, "end": self._let_go}.get(event.phase, self._drag)
        self.desk.mail.post((id(self), action.__name__), action)

    def _begin(self) -> None:
        self.held, self.pitch = not self._disabled, self.arm.chain.pitch(self.arm.commanded)

    def _let_go(self) -> None:
        self._drag()
        self.held, self._let_go_at = False, self.arm.session.time

    def _drag(self) -> None:
        """Let the hand go after the handle."""
        if self._disabled:
            return
        self.held = True
        self.desk.on_touch("drag handle")
        point = np.append(self.gizmo.position, 1.0)
        goal = np.asarray((np.linalg.inv(self.base) @ point)[:3], np.float64)
        if not self._may_follow(goal):
            return
        self.goal = goal
        if self.motion is None or self.motion.done or self.motion is not self.arm.motion:
            self.motion = self.arm.follow(self._aim)

    def _aim(self, now: float) -> tuple[Array, float]:
        return self.goal, self.pitch

    def _may_follow(self, goal: Array) -> bool:
        """Say why the hand cannot get to a point, if so; return False if it must not even try."""
        pitch = None if self._free.value else self.pitch
        try:
            here = self.arm.commanded
            roll = self.arm.chain.roll(here)
            answer = self.arm.chain.inverse(goal, pitch=pitch, roll=roll, start=here)
        except MecanoError as error:
            self.panel.say(str(error), BAD)
            return False
        joints = answer.solutions[0] if answer.reached else answer.nearest.joints
        pair = self.arm.would_touch(joints)
        if pair is not None:
            self._tell(f"blocked: {pair[0]} would touch {pair[1]}", "blocked")
            return False
        if pitch is None:
            self.pitch = self.arm.chain.pitch(joints)
        if answer.reason is not None:
            short = f"{answer.reason.replace('_', ' ')}: {answer.shortfall * 1000:.0f} mm short"
            self._tell(answer.message, short)
        else:
            self._hush()
            self.panel.say("follows the handle", GOOD)
        return True

    def _tell(self, text: str, label: str) -> None:
        """Say in the panel and at the handle what is in the way."""
        self.panel.say(text, BAD)
        if self.label is None:
            self.label = self.desk.server.scene.add_label(
                f"{self.gizmo.name}/why", label, position=(0.0, 0.0, 1.4 * self.gizmo.scale)
            )
        self.label.text, self.label.visible = label, True

    def _hush(self) -> None:
        if self.label is not None:
            self.label.visible = False

    def update(self, sample: Sample) -> None:
        """End the motion when the hand is there; else stay at the tool."""
        self.base, motion = sample.arms[self.name].base, self.motion
        if motion is not None and motion.done:
            if motion.result is not None and motion.result.pair is not None:
                self.panel.say(motion.result.message, BAD)
            self.motion = None
        elif motion is not None and not self.held and self._at_rest():
            motion.stop()
            self.motion = None
        if self.motion is None and not self.held:
            self._hush()
            tool = self._tool(sample.arms[self.name].target)
            if np.abs(np.asarray(self.gizmo.position) - tool).max() > 2e-4:
                self.gizmo.position = tool

    def _at_rest(self) -> bool:
        waited = self.arm.session.time - self._let_go_at > 0.2
        return waited and float(np.abs(self.arm.speed).max()) < 1e-3
