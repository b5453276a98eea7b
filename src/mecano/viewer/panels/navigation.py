"""What a navigator does: its state in words, and plan, costmap, footprint and trajectory drawn."""

from mecano.lab.robot import Robot
from mecano.viewer.navigation import PARTS, NavigationLayer
from mecano.viewer.panels.panel import Desk, line
from mecano.viewer.samples import NavigationSample, Sample


class NavigationPanel:
    """Draws navigation into the scene while there is some; until then the page has none of it."""

    def __init__(self, desk: Desk, robot: Robot, *, several: bool) -> None:
        """Begin with nothing; `several` robots are told apart by name."""
        self.name = robot.name
        self.layer = NavigationLayer(desk.server, robot.name)
        title = f"navigation of {robot.name}" if several else "navigation"
        self.folder = desk.server.gui.add_folder(title, visible=False)
        with self.folder:
            self.text = desk.server.gui.add_html("")
            boxes = {part: desk.server.gui.add_checkbox(part, initial_value=True) for part in PARTS}
        for part, box in boxes.items():
            desk.changes(box, lambda part=part, box=box: self._toggle(part, box.value))
        self._drawn: NavigationSample | None = None

    def _toggle(self, part: str, shown: bool) -> None:
        self.layer.shown[part] = shown
        self._drawn = None  # it is drawn anew

    def draw(self, sample: Sample) -> None:
        """Draw what the navigator does, if it is something else."""
        navigation = sample.navigations.get(self.name)
        if navigation is self._drawn:
            return
        self._drawn = navigation
        self.layer.draw(navigation)

    def update(self, sample: Sample) -> None:
        """Draw, and say how it goes."""
        self.draw(sample)
        navigation = sample.navigations.get(self.name)
        if self.folder.visible != (navigation is not None):
            self.folder.visible = navigation is not None
        if navigation is not None:
            self.text.content = line(in_words(navigation))


def in_words(navigation: NavigationSample) -> str:
    """Return the state of a navigator in a sentence."""
    status = navigation.status
    words = [f"{status.state}: {status.text}"]
    if status.recoveries:
        words.append(f"{status.recoveries} recoveries")
    if status.speed_limit >= 0.0:
        words.append(f"at most {status.speed_limit:.2f} m/s beside what moves")
    words.append(f"pose within {status.position_error:.2f} m")
    return "; ".join(words)
