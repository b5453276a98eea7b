"""Sessions that are recorded while a person drives: `--record`."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mecano.lab.robot import Robot


def recorded(robot: "Robot", folder: Path | None) -> AbstractContextManager[object]:
    """Record a robot into a new folder while the block runs, if a folder is given."""
    if folder is None:
        return nullcontext()
    from mecano.record.recorder import Recorder

    return Recorder(robot, folder)
