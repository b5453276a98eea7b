"""`mecano picture`: stills and videos of robots and of recorded runs."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from mecano.cli.remarks import warn

if TYPE_CHECKING:
    from mecano.core.arrays import Array
    from mecano.record.recording import Recording
    from mecano.record.video import Video
    from mecano.world.mirror import Mirror
    from mecano.world.rendering import Picture, Renderer
    from mecano.world.views import View

TURN = 6.0
"""A turntable goes round once in this time [s]."""
STILLS = (".png", ".jpg")


def picture(
    what: Annotated[str, typer.Argument(help="A robot, see `mecano list`, or a run folder.")],
    out: Annotated[
        Path | None, typer.Option(help="Write the picture here; .png or .jpg.", show_default=False)
    ] = None,
    video: Annotated[
        Path | None,
        typer.Option(help="Write a video here; .mp4 or .gif. A robot turns, a run goes by."),
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="Width and height in pixels: 1280x720 if not given.")
    ] = None,
    view: Annotated[
        str, typer.Option(help="From where: corner, front, side or top.", show_default=True)
    ] = "corner",
    azimuth: Annotated[
        float | None,
        typer.Option(help="Heading in which the camera looks, in degrees; 0 is along x."),
    ] = None,
    elevation: Annotated[
        float | None, typer.Option(help="How far up it looks, in degrees; -90 is straight down.")
    ] = None,
    distance: Annotated[
        float | None, typer.Option(help="How far away it stands, in metres.")
    ] = None,
    scene: Annotated[
        str | None, typer.Option(help="Scene to draw a robot in: its own if not given.")
    ] = None,
    posture: Annotated[
        str | None, typer.Option(help="Named posture of a robot: 'home' if not given.")
    ] = None,
    shapes: Annotated[
        str, typer.Option(help="What to draw: visual, collision or inertia.")
    ] = "visual",
    at: Annotated[
        float | None, typer.Option(help="Moment of a run in seconds: its end if not given.")
    ] = None,
    fps: Annotated[float, typer.Option(help="Pictures per second of a video.")] = 30.0,
    speed: Annotated[float, typer.Option(help="Of a video of a run; 2 is twice as fast.")] = 1.0,
) -> None:
    """Draw a picture, or a video, of a robot or of a recorded run. Needs no display.

    Example: mecano picture open_manipulator_x --view side --out arm.png
    """
    from mecano.record.folder import HEADER
    from mecano.record.video import check_fps

    camera = _Camera(view, azimuth, elevation, distance, _parse_size(size), shapes)
    camera.check()
    check_fps(fps)
    folder = Path(what)
    if (folder / HEADER).is_file():
        if scene is not None or posture is not None:
            _refuse("--scene and --posture are for robots; a run folder has its own")
        _draw_run(folder, camera, out, video, at=at, fps=fps, speed=speed)
    else:
        if at is not None or speed != 1.0:
            _refuse(f"--at and --speed are for run folders, and '{what}' is none")
        _draw_robot(what, camera, out, video, scene, posture or "home", fps)


@dataclass(frozen=True)
class _Camera:
    """What the options say about how to draw; angles in degrees, as typed."""

    name: str
    azimuth: float | None
    elevation: float | None
    distance: float | None
    size: tuple[int, int] | None
    shapes: str

    def check(self) -> None:
        """Raise for what could not be drawn, before anything is loaded."""
        from mecano.core.arrays import finite_number
        from mecano.core.errors import UnknownName
        from mecano.world.rendering import SHAPES, check_size
        from mecano.world.views import named_angles

        named_angles(self.name)
        if self.shapes not in SHAPES:
            raise UnknownName("shape", self.shapes, SHAPES)
        if self.size is not None:
            check_size(self.size)
        limits = {"azimuth": (-3600, 3600), "elevation": (-90, 90), "distance": (0.001, 10000)}
        for option, (lower, upper) in limits.items():
            value = getattr(self, option)
            if value is not None:
                finite_number(value, name=f"--{option}", lower=lower, upper=upper)

    def view(self, mirror: "Mirror", points: "Array") -> "View":
        """Return the view in which these points fill the picture, changed as the options say.

        Where a wall would hide them, the camera stands on another side.
        """
        from dataclasses import replace

        from mecano.world.rendering import aspect_of
        from mecano.world.views import field_of_view, frame, named_angles

        azimuth, elevation = named_angles(self.name)
        azimuth = azimuth if self.azimuth is None else math.radians(self.azimuth)
        elevation = elevation if self.elevation is None else math.radians(self.elevation)
        lens = {"aspect": aspect_of(self.size), "fovy": field_of_view(mirror)}
        framed = frame(points, azimuth=azimuth, elevation=elevation, **lens)
        if self.azimuth is None and self.elevation is None:
            azimuth, elevation = _seen_angles(mirror, framed, points)
            framed = frame(points, azimuth=azimuth, elevation=elevation, **lens)
        return framed if self.distance is None else replace(framed, distance=self.distance)


def _seen_angles(mirror: "Mirror", view: "View", points: "Array") -> tuple[float, float]:
    """Return azimuth and elevation at which no wall hides the points [rad]."""
    from mecano.world.sight import hidden_share, seen_from

    offset = view.eye() - view.look_at
    if hidden_share(mirror, view.eye(), points) == 0.0:
        return view.azimuth, view.elevation
    x, y, z = -seen_from(mirror, offset, points)
    level = math.hypot(x, y)
    straight = level < 1e-6 * view.distance  # down or up: there is no heading
    return view.azimuth if straight else math.atan2(y, x), math.atan2(z, level)


def _draw_robot(
    name: str,
    camera: _Camera,
    out: Path | None,
    video: Path | None,
    scene: str | None,
    posture: str,
    fps: float,
) -> None:
    from mecano.record.video import check_video_path
    from mecano.world.views import outline

    mirror = _robot_mirror(name, scene, posture)
    if out is None and video is None:
        out = Path(f"{name}.png")
    if out is not None:
        _check_still(out)
    if video is not None:
        check_video_path(video)
    if out is not None:
        _write_still(out, mirror, camera, camera.view(mirror, outline(mirror)))
    if video is not None:
        drawn = _write_turntable(video, mirror, camera, fps)
        _tell(video, drawn, remark=out is None)


def _robot_mirror(name: str, scene: str | None, posture: str) -> "Mirror":
    from mecano import connect, robots
    from mecano.core.errors import InvalidInput, UnknownName
    from mecano.world.mirror import Mirror

    path = Path(name)
    if name not in robots.known() and not path.is_file():
        if path.is_dir() and not (path / robots.FILE).is_file() and not any(path.glob("*.xml")):
            raise InvalidInput(
                f"{name} is no run folder: it has no run.json; nor is it a robot's folder"
            )
        if not path.is_dir():
            raise UnknownName("robot or run folder", name, robots.ROBOTS)
    with connect(name, scene=scene, start=posture) as robot:
        mirror = Mirror(robot.world.model)
        mirror.show(robot.world.state())
    return mirror


def _draw_run(
    folder: Path,
    camera: _Camera,
    out: Path | None,
    video: Path | None,
    *,
    at: float | None,
    fps: float,
    speed: float,
) -> None:
    from mecano.cli.progress import progress
    from mecano.record.recording import Recording
    from mecano.record.video import check_video_path, frame_rows, outline_of_run, record_video
    from mecano.world.mirror import Mirror
    from mecano.world.views import outline

    if out is None and video is None:
        out = folder / "picture.png"
    if out is not None:
        _check_still(out)
    if video is not None:
        check_video_path(video)
    recording = Recording.open(folder)
    row = _row_at(recording, at)
    frame_rows(recording.times, fps=fps, speed=speed)  # complain before the work
    mirror = Mirror(recording.model())
    if out is not None:
        mirror.show(recording.states[row])
        _write_still(out, mirror, camera, camera.view(mirror, outline(mirror)))
    if video is not None:
        with progress(f"drawing {video.name}") as advance:
            made = record_video(
                recording,
                video,
                view=camera.view(mirror, outline_of_run(mirror, recording)),
                size=camera.size,
                fps=fps,
                speed=speed,
                shapes=camera.shapes,
                progress=advance,
            )
        _tell(video, made, remark=out is None)


def _row_at(recording: "Recording", at: float | None) -> int:
    """Return the last row that was recorded nearest to a moment."""
    import numpy as np

    from mecano.core.arrays import finite_number
    from mecano.core.errors import InvalidInput

    times = recording.times
    if not len(times):
        raise InvalidInput(f"the recording in {recording.folder} is empty")
    if at is None:
        return len(times) - 1
    finite_number(at, name="--at [s]", lower=float(times.min()), upper=float(times.max()))
    gaps = np.abs(times - at)
    return int(np.flatnonzero(gaps <= gaps.min() + 1e-9)[-1])


def _write_still(path: Path, mirror: "Mirror", camera: _Camera, view: "View") -> None:
    from PIL import Image

    from mecano.core.errors import InvalidInput
    from mecano.world.rendering import open_renderer

    with open_renderer(mirror, size=camera.size, shapes=camera.shapes) as renderer:
        pixels = renderer.render(mirror, view)
    try:
        Image.fromarray(pixels).save(path, optimize=True, quality=92)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise InvalidInput(f"cannot write {path}: {error.strerror or error}") from None
    _tell(path, renderer)


def _write_turntable(path: Path, mirror: "Mirror", camera: _Camera, fps: float) -> "Renderer":
    """Write a video of a camera that goes round the robot once; return what drew it."""
    from dataclasses import replace

    import numpy as np

    from mecano.world.rendering import open_renderer
    from mecano.world.views import outline

    points = outline(mirror)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    angles = np.linspace(0.0, math.tau, 24, endpoint=False)
    turned = [(points - middle) @ _about_z(angle) + middle for angle in angles]
    view = camera.view(mirror, np.concatenate(turned))
    count = round(TURN * fps)
    with open_renderer(mirror, size=camera.size, shapes=camera.shapes, smooth=False) as renderer:

        def frames() -> "Iterator[Picture]":
            for i in range(count):
                turn = view.azimuth + math.tau * i / count
                yield renderer.render(mirror, replace(view, azimuth=turn))

        _write_frames(path, frames(), count, fps)
    return renderer


def _about_z(angle: float) -> "Array":
    import numpy as np

    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def _write_frames(path: Path, frames: "Iterator[Picture]", count: int, fps: float) -> None:
    from mecano.cli.progress import progress
    from mecano.record.video import write_video

    with progress(f"drawing {path.name}") as advance:

        def counted() -> "Iterator[Picture]":
            for done, pixels in enumerate(frames, start=1):
                yield pixels
                advance(done, count)

        write_video(path, counted(), fps=fps)


def _check_still(path: Path) -> None:
    from mecano.core.errors import InvalidInput
    from mecano.record.video import check_folder_of

    if path.suffix.lower() not in STILLS:
        raise InvalidInput(f"'{path}' is no picture file; its name must end with .png or .jpg")
    check_folder_of(path)


def _parse_size(text: str | None) -> tuple[int, int] | None:
    """Read 1280x720."""
    from mecano.core.errors import InvalidInput

    if text is None:
        return None
    width, times, height = text.lower().partition("x")
    if not (times and width.isdecimal() and height.isdecimal() and len(text) < 24):
        raise InvalidInput(f"--size is '{text}', expected width x height, for example 1280x720")
    return int(width), int(height)


def _tell(path: Path, drawn: "Renderer | Video", *, remark: bool = True) -> None:
    """Say what was written and how, and on stderr what a user should know about that."""
    if drawn.remark and remark:
        warn(drawn.remark)
    size = path.stat().st_size / 1000
    print(f"wrote {path}: {drawn.width}x{drawn.height}, {size:.0f} kB, by {drawn.kind}")


def _refuse(message: str) -> NoReturn:
    from mecano.core.errors import InvalidInput

    raise InvalidInput(message)
