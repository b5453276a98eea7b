"""Maps as ROS's map_server and Nav2 keep them: a picture of the cells and a YAML file about it.

The picture's top row is the far end of y. Dark is occupied: a pixel p means an occupancy of
(255 - p) / 255, or of p / 255 with `negate`. In the mode `trinary` that becomes occupied, free or
unknown by two thresholds, in `scale` the values between stay, in `raw` the pixel is the value.
"""

import gzip
import os
import warnings
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.messages.maps import FREE, OCCUPIED, UNKNOWN
from mecano.core.poses import Pose2

Picture = Literal["pgm", "png"]
Mode = Literal["trinary", "scale", "raw"]
BLACK, WHITE, GREY = 0, 254, 205
"""Pixels of occupied, free and unknown cells, as map_saver writes them."""
OCCUPIED_FROM, FREE_BELOW = 0.65, 0.196
"""Thresholds of ROS 1. With Nav2's 0.25 a grey pixel, (255 - 205) / 255 = 0.196, would be free."""
MOST_CELLS = 64_000_000
"""A picture may have so many pixels."""


@dataclass(frozen=True, kw_only=True)
class _About:
    """What the YAML file of a map says."""

    image: Path
    resolution: float
    origin: Pose2
    negate: bool
    occupied: float
    free: float
    mode: Mode


def save_map(grid: OccupancyGrid, path: str | Path, *, picture: Picture = "pgm") -> Path:
    """Write a map; a run that is killed meanwhile leaves the one that was there.

    Args:
        grid: Cells of 65 and more are written as occupied, of 19 and less as free.
        path: Of the YAML file; the picture goes beside it. `.yaml` is added if it is missing.
        picture: Kind of the picture.

    Returns:
        The YAML file.

    Raises:
        InvalidInput: The folder cannot be made or not be written to.
    """
    from PIL import Image

    if picture not in get_args(Picture):
        raise InvalidInput(f"no picture of kind '{picture}'; a map is saved as pgm or png")
    path = Path(path)
    about = path if path.suffix in (".yaml", ".yml") else path.with_name(f"{path.name}.yaml")
    image = about.with_suffix(f".{picture}")
    pixels = np.full(grid.data.shape, GREY, dtype=np.uint8)
    pixels[grid.data >= 100.0 * OCCUPIED_FROM] = BLACK
    pixels[(grid.data >= FREE) & (grid.data < 100.0 * FREE_BELOW)] = WHITE
    packed = BytesIO()
    Image.fromarray(pixels[::-1]).save(packed, format="PPM" if picture == "pgm" else "PNG")
    origin = ", ".join(f"{round(n, 9) + 0.0:.9g}" for n in (*_xy(grid), grid.origin.yaw))
    text = (
        f"image: {image.name}\n"
        "mode: trinary\n"
        f"resolution: {grid.resolution:.9g}\n"
        f"origin: [{origin}]\n"
        "negate: 0\n"
        f"occupied_thresh: {OCCUPIED_FROM}\n"
        f"free_thresh: {FREE_BELOW}\n"
    )
    _replace({image: packed.getvalue(), about: text.encode()})
    return about


def load_map(path: str | Path) -> OccupancyGrid:
    """Read a map from its YAML file; the picture may also be packed, as `map.pgm.gz`.

    Raises:
        InvalidInput: A file is missing or broken, or what it says makes no sense.
    """
    if not isinstance(path, str | Path):
        raise InvalidInput(f"the map is {path!r}, expected its YAML file")
    path = Path(path)
    about = _read_about(path)
    pixels, opaque = _read_picture(path, about.image)
    data = _cells(pixels, opaque, about)[::-1]
    return OccupancyGrid(frame="map", resolution=about.resolution, origin=about.origin, data=data)


def _xy(grid: OccupancyGrid) -> tuple[float, float]:
    return grid.origin.x, grid.origin.y


def _replace(files: dict[Path, bytes]) -> None:
    """Write files of a folder under other names first, then put all in their places at once."""
    parts = {file: file.with_name(f".{file.name}.part{os.getpid()}") for file in files}
    folder = next(iter(files)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, data in files.items():
            parts[file].write_bytes(data)
        for file, part in parts.items():
            os.replace(part, file)
    except OSError as error:
        for part in parts.values():
            if part.exists():
                part.unlink()
        raise InvalidInput(
            f"the map cannot be written to {folder}: {error.strerror}; give another folder"
        ) from None


def _read_about(path: Path) -> _About:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if path.is_dir():
        raise InvalidInput(f"{path} is a folder, expected the YAML file of a map")
    try:
        read = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"there is no map {path}") from None
    except OSError as error:
        raise InvalidInput(f"the map {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(
            f"{path} is no YAML file; give the YAML file of a map, not its picture"
        ) from None
    except YAMLError as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"the map {path} is broken YAML: {reason}") from None
    if not isinstance(read, dict):
        raise InvalidInput(f"{path} does not describe a map: expected lines such as 'image: a.pgm'")
    missing = [key for key in ("image", "resolution", "origin") if key not in read]
    if missing:
        raise InvalidInput(f"the map {path} does not say its {', '.join(missing)}")
    return _about(path, read)


def _about(path: Path, read: dict[str, Any]) -> _About:
    def number(key: str, otherwise: float, lower: float, upper: float) -> float:
        return finite_number(
            read.get(key, otherwise), name=f"{key} in {path}", lower=lower, upper=upper
        )

    origin = read["origin"]
    if not isinstance(origin, list) or len(origin) != 3:
        raise InvalidInput(f"origin in {path} is {origin!r}, expected [x, y, yaw] (m, m, rad)")
    x, y, yaw = (
        finite_number(value, name=f"origin in {path}", lower=-1e6, upper=1e6) for value in origin
    )
    mode = read.get("mode", "trinary")
    if mode not in get_args(Mode):
        raise InvalidInput(f"mode in {path} is {mode!r}, allowed {', '.join(get_args(Mode))}")
    free = number("free_thresh", FREE_BELOW, 0.0, 1.0)
    return _About(
        image=path.parent / str(read["image"]),
        resolution=number("resolution", 0.0, 1e-3, 100.0),
        origin=Pose2(x, y, yaw),
        negate=bool(number("negate", 0, 0, 1)),
        occupied=number("occupied_thresh", OCCUPIED_FROM, free, 1.0),
        free=free,
        mode=mode,
    )


def _read_picture(path: Path, image: Path) -> tuple[NDArray[np.uint8], NDArray[np.bool_] | None]:
    """Return the pixels in shades of grey, and which are opaque if the picture says so."""
    from PIL import Image

    try:
        data = _unpacked(path, image)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # told below
            picture = Image.open(BytesIO(data))
        with picture:
            width, height = picture.size
            if not 0 < width * height <= MOST_CELLS:
                raise InvalidInput(
                    f"the picture {image} has {width} by {height} pixels, "
                    f"allowed are {MOST_CELLS} in all"
                )
            opaque = None
            if picture.mode in ("RGBA", "LA", "PA"):
                opaque = np.asarray(picture.getchannel("A")) > 0
            return np.asarray(picture.convert("L")), opaque
    except (OSError, EOFError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise InvalidInput(f"the picture {image} of the map cannot be read: {error}") from None


def _unpacked(path: Path, image: Path) -> bytes:
    packed = image.with_name(f"{image.name}.gz")
    found = next((file for file in (image, packed) if file.is_file()), None)
    if found is None:
        raise InvalidInput(f"the map {path} has no picture: there is no {image}")
    data = found.read_bytes()
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except zlib.error as error:
        raise InvalidInput(f"the picture {found} of the map is damaged: {error}") from None


def _cells(
    pixels: NDArray[np.uint8], opaque: NDArray[np.bool_] | None, about: _About
) -> NDArray[np.int8]:
    if about.mode == "raw":
        return np.where(pixels <= OCCUPIED, pixels.astype(np.int16), UNKNOWN).astype(np.int8)
    occupancy = np.arange(256) / 255.0
    if not about.negate:
        occupancy = occupancy[::-1]
    values = np.full(256, UNKNOWN, dtype=np.int8)
    if about.mode == "scale":
        span = max(about.occupied - about.free, 1e-9)
        values[:] = np.clip(99.0 * (occupancy - about.free) / span, 0.0, 99.0).astype(np.int8)
    values[occupancy < about.free] = FREE
    values[occupancy > about.occupied] = OCCUPIED
    data = values[pixels]
    if opaque is not None and about.mode == "scale":
        data[~opaque] = UNKNOWN
    return data
