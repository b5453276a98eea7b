"""Pictures of an environment, by the renderer of `world`."""

import mujoco
import numpy as np

from mecano.core.arrays import Array
from mecano.world.mirror import Mirror
from mecano.world.rendering import Picture, Renderer, open_renderer
from mecano.world.views import View, view_of
from mecano.world.world import STATE

GOAL_COLOUR = 0.1, 0.75, 0.3, 0.6
SIZE = 480, 360
"""Width and height in pixels."""


class Pictures:
    """Draws states of a model from one view; opens the renderer at the first picture."""

    def __init__(self, model: mujoco.MjModel, *, view: View | None = None) -> None:
        """Look at a model; without a view the robots fill the picture as they stand first."""
        self._model, self._view = model, view
        self._mirror: Mirror | None = None
        self._renderer: Renderer | None = None

    def draw(self, data: mujoco.MjData, *, goal: Array | None = None) -> Picture:
        """Return a picture of a state; the site named `goal` is drawn where the goal is [m]."""
        if self._mirror is None:
            self._mirror = Mirror(self._model)
        mirror = self._mirror
        if goal is not None:
            number = mirror.model.site("goal").id
            mirror.model.site_pos[number], mirror.model.site_sameframe[number] = goal, 0
        state = np.empty(mirror.state_size)
        mujoco.mj_getState(self._model, data, state, STATE)
        mirror.show(state)
        if self._renderer is None:
            self._renderer = open_renderer(mirror, size=SIZE, smooth=False)
            self._view = self._view or view_of(mirror, aspect=SIZE[0] / SIZE[1])
        assert self._view is not None
        return self._renderer.render(mirror, self._view)

    def close(self) -> None:
        """Give back what it draws with. A second call does nothing."""
        if self._renderer is not None:
            self._renderer.close()
        self._renderer = self._mirror = None


def add_goal(spec: mujoco.MjSpec, *, radius: float) -> None:
    """Add a mark to a scene that shows the goal in pictures; it touches nothing."""
    spec.worldbody.add_site(name="goal", size=[radius] * 3, rgba=GOAL_COLOUR)
