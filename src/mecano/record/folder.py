"""Run folders: where they go, what they are called, and the names of the files in them."""

import os
import re
from datetime import datetime
from pathlib import Path

from mecano.core.errors import InvalidInput

HEADER = "run.json"
RESULT = "result.json"
MODEL = "model.mjb.gz"
LOG = "log.mcap"
DAMAGED_LOG = "log.damaged.mcap"
JOINTS_TABLE = "joints.csv"
JOINTS_PLOT = "joints.png"
TOOL_PLOT = "tool_path.png"
CUPS_TABLE = "cups.csv"
CUPS_PLOT = "cups.png"
EVENTS_TABLE = "events.csv"

VARIABLE = "MECANO_RUNS"
"""Environment variable with the folder that run folders go into, or "off" for no recording."""

PASSING = "mecano-video-"
"""Names of folders that go when a video is drawn begin so; nobody is told of them."""


def base_folder() -> Path | None:
    """Return where run folders go if nothing else is said; None if recording is turned off."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen.lower() == "off":
        return None
    return Path(chosen) if chosen else Path("runs")


def make_new_folder(base: Path, experiment: str, seed: int, *, now: datetime) -> Path:
    """Make a folder with a name of its own, such as `2026-01-31_120000_move-cube_seed0`."""
    what = re.sub(r"[^\w.-]+", "_", experiment)
    stem = f"{now:%Y-%m-%d_%H%M%S}_{what}_seed{seed}"
    for number in range(1, 10_000):
        folder = base / (stem if number == 1 else f"{stem}_{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise InvalidInput(_refusal(folder, error)) from None
        return folder
    raise InvalidInput(f"{base} has too many folders that begin with {stem}; clear it")


def as_path(folder: str | Path) -> Path:
    """Return a folder as a path, or say that it is none."""
    if not isinstance(folder, str | Path) or "\0" in str(folder):
        raise InvalidInput(f"the run folder is {folder!r}, expected the path of a folder")
    return Path(folder)


def make_named_folder(folder: str | Path) -> Path:
    """Make a folder that somebody asked for by name; one that exists must be empty."""
    folder = as_path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except FileExistsError:
        raise InvalidInput(f"{folder} is a file; give the name of a new folder") from None
    except OSError as error:
        raise InvalidInput(_refusal(folder, error)) from None
    if taken:
        raise InvalidInput(
            f"the folder {folder} exists and is not empty; give another name, or delete it first"
        )
    if not os.access(folder, os.W_OK):
        raise InvalidInput(f"the folder {folder} cannot be written to; give another one")
    return folder


def _refusal(folder: Path, error: OSError) -> str:
    return (
        f"the run folder {folder} cannot be made: {error.strerror}; give another with --record, "
        f"set {VARIABLE}, or do not record with --no-record"
    )
