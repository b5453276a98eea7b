"""What a robot that maps or locates believes: its map, scan, way, closed loops and particles."""

from mecano.core.belief import Belief
from mecano.lab.robot import Robot
from mecano.viewer.belief import PARTS, BeliefLayer
from mecano.viewer.panels.panel import Desk, line
from mecano.viewer.samples import Sample


class BeliefPanel:
    """Draws a belief into the scene as soon as there is one; until then the page has none of it."""

    def __init__(self, desk: Desk, robot: Robot, *, several: bool) -> None:
        """Begin with nothing; `several` robots are told apart by name."""
        self.name = robot.name
        self.layer = BeliefLayer(desk.server, robot.name)
        title = f"what {robot.name} believes" if several else "what the robot believes"
        self._folder = desk.server.gui.add_folder(title, visible=False)
        with self._folder:
            self._text = desk.server.gui.add_html("")
            boxes = {part: desk.server.gui.add_checkbox(part, initial_value=True) for part in PARTS}
        for part, box in boxes.items():
            desk.changes(box, lambda part=part, box=box: self._toggle(part, box.value))
        self._drawn: Belief | None = None

    def _toggle(self, part: str, shown: bool) -> None:
        self.layer.shown[part] = shown
        self._drawn = None  # it is drawn anew

    def draw(self, sample: Sample) -> None:
        """Draw the belief, if it is another one."""
        belief = sample.beliefs.get(self.name)
        if belief is self._drawn:
            return
        self._drawn = belief
        if belief is not None:
            self.layer.place(belief.origin)
        self.layer.draw(belief)

    def update(self, sample: Sample) -> None:
        """Draw, and say how it goes."""
        self.draw(sample)
        belief = sample.beliefs.get(self.name)
        if self._folder.visible != (belief is not None):
            self._folder.visible = belief is not None
        if belief is not None:
            self._text.content = line(belief.text)
