"""A colour and depth camera. A picture is drawn when somebody looks at it, of its own instant.

Taking a sample only keeps the state of the world, so a camera that nobody reads costs nothing. The
noise of a picture comes from a number drawn when the sample was taken: whether and when it is
looked at changes nothing.
"""

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.core.messages import CameraInfo, Image
from mecano.core.notices import say
from mecano.core.poses import Pose
from mecano.core.shots import Shot
from mecano.robots.mobile import CameraFacts
from mecano.sensors.depth_noise import DepthNoise, Depths
from mecano.world.mirror import Mirror
from mecano.world.rendering import Picture, Renderer, open_renderer
from mecano.world.views import MountedView
from mecano.world.world import World

SMALLEST = 16
"""Fewest pixels of a picture from side to side, and from top to bottom."""
SLOWEST = 0.01
"""Fewest pictures per second [Hz]."""


@dataclass(frozen=True, eq=False)
class Moment:
    """What is kept of an instant until somebody looks."""

    stamp: float
    state: Array
    noise: int | None
    """Seed of the picture's errors; None for none."""


def check_wishes(facts: CameraFacts, width: float, height: float, rate: float) -> None:
    """Raise unless a camera can take pictures of this size [pixels] at this rate [Hz]."""
    most = facts.largest
    right = {
        "width": width == round(width) and SMALLEST <= width <= most[0],
        "height": height == round(height) and SMALLEST <= height <= most[1],
        "rate": SLOWEST <= rate <= facts.fastest,
    }
    if not all(right.values()):
        asked = {"width": width, "height": height, "rate": rate}
        wrong = " and ".join(f"{key} {asked[key]:g}" for key in right if not right[key])
        raise InvalidInput(
            f"camera '{facts.name}' was asked for {wrong}; allowed are a width of {SMALLEST} to "
            f"{most[0]} and a height of {SMALLEST} to {most[1]} whole pixels, and a rate of "
            f"{SLOWEST:g} to {facts.fastest:g} pictures per second"
        )


class DepthCamera:
    """A camera of the model that sees colour and depth."""

    def __init__(
        self,
        world: World,
        facts: CameraFacts,
        *,
        prefix: str,
        noise: np.random.Generator | None,
    ) -> None:
        """Look up the camera.

        Args:
            world: Where it is.
            facts: What it can do, and which size and rate are asked for.
            prefix: Of the robot in the world.
            noise: Source of errors; None sees without.
        """
        self.name, self.facts = f"{prefix}{facts.name}", facts
        check_wishes(facts, *facts.size, facts.rate)
        self.rate, self.size = facts.rate, facts.size
        self._world, self._noise = world, noise
        self._number = world.index("camera", prefix + facts.camera)
        self._errors = DepthNoise(
            nearest=facts.nearest, furthest=facts.furthest, baseline=facts.baseline
        )
        self._studios: dict[int, _Studio] = {}
        self._shot: Shot | None = None
        self.sample()

    def sample(self) -> None:
        """Keep the present moment; the picture is drawn when it is asked for."""
        noise = None if self._noise is None else int(self._noise.integers(2**63))
        self._moment = Moment(self._world.time, self._world.state(), noise)

    @property
    def stamp(self) -> float:
        """Of the newest picture [s]."""
        return self._moment.stamp

    def read(self) -> Shot:
        """Return the newest picture."""
        moment = self._moment
        if self._shot is None or self._shot.stamp != moment.stamp:
            self._shot = self._draw(moment)
        return self._shot

    def memory(self) -> Moment:
        """Return what it must know to go on from here."""
        return self._moment

    def recall(self, memory: Moment) -> None:
        """Go on from there."""
        self._moment, self._shot = memory, None

    def _draw(self, moment: Moment) -> Shot:
        studio = self._studio()
        colour, depth, pose = studio.take(moment.state)
        facts, frame = self.facts, self.facts.frame
        info = CameraInfo.from_field_of_view(
            depth.shape[1], depth.shape[0], studio.fovy, stamp=moment.stamp, frame=frame
        )
        clean = np.where(
            (depth >= facts.nearest) & (depth <= facts.furthest), depth, np.nan
        ).astype(np.float32)
        noisy_colour, noisy = colour, clean
        if moment.noise is not None:
            random = np.random.default_rng(moment.noise)
            noisy = self._errors.apply(depth, float(info.K[0, 0]), random)
            noisy_colour = _grainy(colour, facts.colour_noise, random)
        picture, depths = _labelled(moment.stamp, frame)
        return Shot(
            moment.stamp, picture(noisy_colour), depths(noisy), picture(colour), depths(clean),
            info, pose,
        )  # fmt: skip

    def _studio(self) -> "_Studio":
        """Return what draws in this thread: OpenGL belongs to the thread that opened it."""
        here = threading.get_ident()
        if here not in self._studios:
            self._studios[here] = _Studio(self._world, self._number, self.size, self.facts.name)
        return self._studios[here]

    def close(self) -> None:
        """Give back what draws in this thread."""
        studio = self._studios.pop(threading.get_ident(), None)
        if studio is not None:
            studio.renderer.close()


class _Studio:
    """Draws for one camera in one thread."""

    said = False
    """Whether a user was told that there is no OpenGL."""

    def __init__(self, world: World, number: int, size: tuple[int, int], name: str) -> None:
        self._mirror, self._number = Mirror(world.model), number
        self._mirror.model.light_castshadow[:] = 0  # their map takes most of the time
        self.renderer: Renderer = open_renderer(self._mirror, size=size, smooth=False)
        if self.renderer.remark and not _Studio.said:
            _Studio.said = True
            say(f"{name} {self.renderer.remark}")
        self._view = MountedView(self._mirror, number)
        self.fovy = self._view.fovy(self._mirror)

    def take(self, state: Array) -> tuple[Picture, Depths, Pose]:
        """Return colours, depths and where the camera is in a state of the world."""
        self._mirror.show(state)
        colour = self.renderer.render(self._mirror, self._view)
        depth = self.renderer.render_depth(self._mirror, self._view)
        T = np.eye(4)
        right, up, forward = self._view.axes()
        T[:3, :3], T[:3, 3] = np.stack([forward, -right, up], axis=1), self._view.eye()
        return colour, depth, Pose.from_matrix(T)


def _grainy(colour: Picture, spread: float, random: np.random.Generator) -> Picture:
    """Return a picture with noise on its colours; the spread is of the full range."""
    grain = 255.0 * spread * random.standard_normal(colour.shape, dtype=np.float32)
    return np.clip(colour + grain + 0.5, 0.0, 255.0).astype(np.uint8)


def _labelled(stamp: float, frame: str):
    """Return functions that make messages of colours and of depths."""

    def picture(data: NDArray[np.uint8]) -> Image:
        return Image(stamp=stamp, frame=frame, encoding="rgb8", data=data)

    def depths(data: Depths) -> Image:
        return Image(stamp=stamp, frame=frame, encoding="32FC1", data=data)

    return picture, depths
