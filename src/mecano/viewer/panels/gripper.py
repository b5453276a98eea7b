"""The gripper: how far apart the pads shall be, how hard they press, and what they hold."""

from mecano.parts.gripper import Gripper
from mecano.viewer.panels.panel import GOOD, PLAIN, Desk, line
from mecano.viewer.samples import Sample


class GripperPanel:
    """Opens and closes a gripper."""

    def __init__(self, desk: Desk, name: str, gripper: Gripper) -> None:
        """Make controls from the gripper's facts."""
        self.desk, self.name, self.gripper = desk, name, gripper
        facts, gui = gripper.facts, desk.server.gui
        with gui.add_folder(gripper.name.capitalize()):
            self._ends = least, most = facts.width(facts.closed), facts.width(facts.open)
            self._width = gui.add_slider(
                "width [mm]", min=round(1000 * least, 1), max=round(1000 * most, 1), step=0.5,
                initial_value=round(1000 * gripper.width, 1),
            )  # fmt: skip
            self._force = gui.add_slider(
                "force [N]", min=1.0, max=facts.max_force, step=0.5,
                initial_value=round(facts.max_force / 2, 1), hint="of each finger, at most",
            )  # fmt: skip
            self._fingers = gui.add_button_group("fingers", ("open", "close"))
            self._text = gui.add_html("")
        desk.commands(self._width, gripper.name, self._move)
        desk.commands(self._fingers, gripper.name, self._open_or_close)
        desk.locks(self._force)
        self._target = gripper.width

    def _move(self) -> None:
        least, most = self._ends  # the slider's are rounded
        self._target = min(max(self._width.value / 1000, least), most)
        self.gripper.move(self._target, force=self._force.value, wait=False)

    def _open_or_close(self) -> None:
        if self._fingers.value == "open":
            self.gripper.open(wait=False)
        else:
            self.gripper.close(force=self._force.value, wait=False)

    def update(self, sample: Sample) -> None:
        """Show width, force and whether something is held."""
        now = sample.grippers[self.name]
        held = "holds something" if now.holding else "holds nothing"
        self._text.content = line(
            f"pads {now.real * 1000:.1f} mm apart, {now.force:.1f} N per finger, {held}",
            GOOD if now.holding else PLAIN,
        )
        if abs(now.target - self._target) > 1e-4 and not self.desk.mail.waiting:
            # something else than the slider moved it
            self._target = now.target
            self._width.value = min(max(1000 * now.target, self._width.min), self._width.max)
