"""Videos: of pictures in a row, and of a recorded run as seen by a camera."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.record.recording import Recording
from mecano.world.mirror import Mirror
from mecano.world.rendering import Picture, Renderer, aspect_of, open_renderer
from mecano.world.views import View, field_of_view, frame, named_angles, outline

SUFFIXES = (".mp4", ".gif")
QUALITY = "21"
"""Of H.264: 0 keeps everything, 51 nearly nothing; from about 18 on one sees no difference."""
LOOKS = 40
"""Moments of a run that are looked at to find a view that shows all of it."""


@dataclass(frozen=True, kw_only=True)
class Video:
    """A video that was written, and how it was drawn."""

    path: Path
    frames: int
    width: int
    height: int
    kind: str
    """See `Renderer.kind`."""
    remark: str
    """See `Renderer.remark`."""


Progress = Callable[[int, int], None]
"""Called with the frames done and in all."""


def write_video(path: str | Path, frames: Iterable[Picture], *, fps: float = 30.0) -> int:
    """Write pictures as a video and return how many there were.

    The file appears when it is complete: what is left of a failed one is removed.

    Args:
        path: An .mp4 (H.264, plays everywhere) or a .gif (larger; for web pages).
        frames: Pictures of one size. Odd sizes are made even by repeating the last row or column.
        fps: Pictures per second. The times of a GIF are multiples of 10 ms.

    Raises:
        InvalidInput: Another suffix, no frames, or a file that cannot be written.
    """
    path = Path(path)
    check_video_path(path)
    rate = check_fps(fps)
    partial = path.with_name(f".{path.stem}.partial{path.suffix}")
    write = _write_mp4 if path.suffix.lower() == ".mp4" else _write_gif
    try:
        count = write(partial, _checked(frames), rate)
        os.replace(partial, path)
    except OSError as error:  # those of PyAV too
        raise InvalidInput(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)
    return count


def check_video_path(path: Path) -> None:
    """Raise unless a video can be written there."""
    if path.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"'{path}' is no video file; its name must end with .mp4 or .gif")
    check_folder_of(path)


def check_folder_of(path: Path) -> None:
    """Raise unless a file can be written there: before the work, not after it."""
    if path.is_dir():
        raise InvalidInput(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise InvalidInput(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"cannot write {path}: the folder is not writable")


def check_fps(fps: float) -> Fraction:
    """Return the pictures per second as a fraction, which a video file needs."""
    number = finite_number(fps, name="pictures per second (fps)", lower=1.0, upper=240.0)
    return Fraction(number).limit_denominator(1001)


def record_video(
    recording: Recording,
    path: str | Path,
    *,
    view: View | str = "corner",
    size: tuple[int, int] | None = None,
    fps: float = 30.0,
    speed: float = 1.0,
    shapes: str = "visual",
    gl: bool | None = None,
    progress: Progress | None = None,
) -> Video:
    """Write a video of a recorded run.

    Every frame shows the state at its own simulated time, so the video of a run is always the
    same, however long the run took to compute.

    Args:
        recording: The run.
        path: See `write_video`.
        view: A camera, or the name of one that shows all of the run.
        size: See `open_renderer`.
        fps: Pictures per second.
        speed: Simulated seconds per second of the video.
        shapes: See `open_renderer`.
        gl: See `open_renderer`.
        progress: Called after each frame.
    """
    check_video_path(Path(path))
    rows = frame_rows(recording.times, fps=fps, speed=speed)
    mirror = Mirror(recording.model())
    if isinstance(view, str):
        azimuth, elevation = named_angles(view)
        view = frame(
            outline_of_run(mirror, recording),
            azimuth=azimuth,
            elevation=elevation,
            aspect=aspect_of(size),
            fovy=field_of_view(mirror),
        )
    with open_renderer(mirror, size=size, shapes=shapes, gl=gl, smooth=False) as renderer:
        frames = _frames(renderer, mirror, recording.states, rows, view, progress)
        count = write_video(path, frames, fps=fps)
    return Video(
        path=Path(path),
        frames=count,
        width=renderer.width,
        height=renderer.height,
        kind=renderer.kind,
        remark=renderer.remark,
    )


def frame_rows(times: Array, *, fps: float, speed: float = 1.0) -> list[int]:
    """Return which row of a recording each frame of its video shows.

    Args:
        times: Of the rows [s]. Where they go back, the session was reset; the video goes on.
        fps: Pictures per second.
        speed: Simulated seconds per second of the video.
    """
    if not len(times):
        raise InvalidInput("the recording is empty; there is nothing to show")
    pace = finite_number(speed, name="speed of the video", lower=1e-3, upper=1e3)
    step = pace / float(check_fps(fps))
    played = np.concatenate(([0.0], np.cumsum(np.maximum(np.diff(times), 0.0))))
    moments = step * np.arange(floor(played[-1] / step + 1e-6) + 1)
    return (np.searchsorted(played, moments + 1e-9, side="right") - 1).tolist()


def outline_of_run(mirror: Mirror, recording: Recording) -> Array:
    """Return corners of boxes around robots and loose things all through a run [m]. (n, 3)."""
    some = np.unique(np.linspace(0, len(recording.states) - 1, LOOKS).astype(int))
    return outline(mirror, recording.states[some])


def _frames(
    renderer: Renderer,
    mirror: Mirror,
    states: Array,
    rows: list[int],
    view: View,
    progress: Progress | None,
) -> Iterator[Picture]:
    shown, picture = -1, None
    for done, row in enumerate(rows, start=1):
        if picture is None or row != shown:
            mirror.show(states[row])
            shown, picture = row, renderer.render(mirror, view)
        yield picture
        if progress is not None:
            progress(done, len(rows))


def _checked(frames: Iterable[Picture]) -> Iterator[Picture]:
    """Yield frames with even sides; raise unless they are pictures of one size."""
    shape = None
    for picture in frames:
        shape = shape or picture.shape
        if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
            raise InvalidInput(
                "a frame is an array of uint8 with shape (height, width, 3), "
                f"got {picture.dtype} with shape {picture.shape}"
            )
        if picture.shape != shape:
            raise InvalidInput(
                f"all frames of a video have one size; the first has shape {shape}, "
                f"another one {picture.shape}"
            )
        height, width, _ = shape
        odd = ((0, height % 2), (0, width % 2), (0, 0))
        yield np.pad(picture, odd, mode="edge") if height % 2 or width % 2 else picture
    if shape is None:
        raise InvalidInput("a video needs at least one frame")


def _write_mp4(path: Path, frames: Iterator[Picture], rate: Fraction) -> int:
    import av

    first = next(frames)
    count = 0
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=rate)
        stream.height, stream.width = first.shape[:2]
        stream.pix_fmt = "yuv420p"  # the only one that every player shows
        stream.options = {"crf": QUALITY, "preset": "medium"}
        stream.codec_context.time_base = 1 / rate
        for picture in _chain(first, frames):
            image = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            image.pts, image.time_base = count, 1 / rate
            container.mux(stream.encode(image))
            count += 1
        container.mux(stream.encode(None))
    return count


def _write_gif(path: Path, frames: Iterator[Picture], rate: Fraction) -> int:
    from PIL import Image

    images = [Image.fromarray(picture).quantize(128) for picture in frames]
    ends = [round(100 * (i + 1) / rate) for i in range(len(images))]
    durations = [10 * (b - a) for a, b in zip([0, *ends], ends, strict=False)]
    images[0].save(
        path, save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=False
    )
    return len(images)


def _chain(first: Picture, others: Iterator[Picture]) -> Iterator[Picture]:
    yield first
    yield from others
