"""A page for what has no simulated world: a map that grows from a log."""

import time

import numpy as np
import viser

from mecano.core.belief import Belief
from mecano.core.messages import OccupancyGrid
from mecano.viewer.belief import PARTS, BeliefLayer
from mecano.viewer.page import theme
from mecano.viewer.panels.panel import line
from mecano.viewer.server import address, close_server, open_server

PICTURES_EVERY = 0.1
"""More pictures are not drawn: an estimator on a log is far faster than a person looks [s]."""


class MapPage:
    """Shows what an estimator believes, in the browser. Use it in a `with` block."""

    def __init__(self, title: str, *, server: viser.ViserServer | None = None) -> None:
        """Open a page on the first free port from 8080 on, or in the pages of a server."""
        self.server = server or open_server()
        theme(self.server)
        self.server.scene.set_up_direction("+z")
        self.server.gui.add_html(line(title))
        self._text = self.server.gui.add_html("")
        self._layer = BeliefLayer(self.server, "log")
        self._boxes = {
            part: self.server.gui.add_checkbox(part, initial_value=True) for part in PARTS
        }
        self._due, self._framed = 0.0, 0.0

    @property
    def url(self) -> str:
        """What to type into the browser."""
        return address(self.server)

    def is_watched(self) -> bool:
        """Tell whether a page is open."""
        return bool(self.server._connected_clients)

    def is_due(self) -> bool:
        """Tell whether there should be another picture, so that a belief is worth asking for."""
        return self.is_watched() and time.monotonic() >= self._due

    def show(self, belief: Belief) -> None:
        """Draw a belief, and look at all of its map when it has grown."""
        self._due = time.monotonic() + PICTURES_EVERY
        self._layer.shown = {part: box.value for part, box in self._boxes.items()}
        with self.server.atomic():
            self._layer.draw(belief)
            self._text.content = line(belief.text)
        if belief.grid is not None:
            self._frame(belief.grid)

    def _frame(self, grid: OccupancyGrid) -> None:
        """Look down at all that is known; again when it is half as large again."""
        known = np.argwhere(grid.data >= 0)
        if not len(known):
            return
        first, last = known.min(axis=0), known.max(axis=0)
        size = grid.resolution * float((last - first).max() + 1)
        if size < 1.5 * self._framed:
            return
        self._framed = size
        middle = grid.cell_to_world((first + last) / 2)
        eye = (middle[0], middle[1] - 0.3 * size, 0.8 * size)
        camera = self.server.initial_camera
        camera.position, camera.look_at = eye, (*middle, 0.0)
        for client in self.server.get_clients().values():
            client.camera.position, client.camera.look_at = eye, (*middle, 0.0)

    def close(self) -> None:
        """Take the page away."""
        close_server(self.server)

    def __enter__(self) -> "MapPage":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
