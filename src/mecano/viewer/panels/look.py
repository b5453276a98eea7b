"""What lies over the scene: frames, inertia boxes, collision shapes, contacts."""

from mecano.viewer.panels.panel import Desk, line
from mecano.viewer.samples import Sample
from mecano.viewer.stage import FRAMES, LOOKS, Stage


class LookPanel:
    """Chooses what is drawn. It never touches the run."""

    def __init__(self, desk: Desk, stage: Stage) -> None:
        """Make a control for every layer of the stage."""
        gui = desk.server.gui
        look = gui.add_dropdown("robot", LOOKS)
        desk.changes(look, lambda: stage.set_look(look.value))
        frames = gui.add_dropdown("frames", tuple(FRAMES))
        desk.changes(frames, lambda: stage.set_frames(frames.value))
        inertia = gui.add_checkbox(
            "inertia boxes", initial_value=False,
            hint="for each body the box of the same mass and inertia; hide the robot to see all",
        )  # fmt: skip
        desk.changes(inertia, lambda: stage.set_inertia(inertia.value))
        contacts = gui.add_checkbox(
            "contacts and forces", initial_value=False, hint="where things touch, and how hard"
        )
        desk.changes(contacts, lambda: stage.set_contacts(contacts.value))
        gui.add_html(line("Axes: x red, y green, z blue. Lengths in metres."))

    def update(self, sample: Sample) -> None:
        """Nothing to bring up to date."""
