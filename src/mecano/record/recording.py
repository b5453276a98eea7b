"""A recording, read back from its run folder; what a killed run left is repaired."""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.record.columns import CupColumns, JointColumns, read_columns
from mecano.record.folder import LOG, MODEL, RESULT, as_path
from mecano.record.header import read_header
from mecano.record.migrations import CHANGED_TYPES, message_of
from mecano.record.robot_facts import described_robot
from mecano.topics.log import read_log

if TYPE_CHECKING:
    import mujoco

    from mecano.robots.description import RobotDescription


LOG_ENDS = "log_ends_at_s"
CUT_OFF = ("cut_off_at_s", "recording_stopped_at_s", LOG_ENDS)
"""Keys of a result that tell when the record ended though the run went on, or was ended [s]."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Recording:
    """What happened in a run, tick by tick. The first row is how things were before the first."""

    folder: Path
    header: dict[str, Any]
    """What was run, see `record.header`."""
    result: dict[str, Any] | None
    """How it ended; None if it was cut off, or still runs."""
    times: Array
    """Session time of each row [s]. Shape (n,). It goes back where the session was reset."""
    states: Array
    """State of the engine, see `World.state`. Shape (n, size)."""
    joints: dict[str, JointColumns]
    """By robot."""
    tool: dict[str, Array]
    """Where the tool was in the base frame, by the encoders [m]. By robot. Shape (n, 3)."""
    cups: dict[str, CupColumns] = field(default_factory=dict)
    """By robot, of those that have some."""
    notes: tuple[str, ...] = ()
    """What is missing or was repaired, a sentence each."""
    log_problem: str | None = None
    """Where and why the log ends before its end; None for a whole one."""

    @classmethod
    def open(cls, folder: str | Path) -> "Recording":
        """Read a run folder; if the run was cut off, repair the folder first.

        Raises:
            InvalidInput: It is no run folder, or too damaged to be read.
        """
        from mecano.record.repair import repair

        recording = cls.read(folder)
        if recording.result is None or recording.log_problem is not None:
            return repair(recording)
        ends = [recording.result[key] for key in CUT_OFF if key in recording.result]
        return recording.with_notes(*(f"the recording was cut off at {t:.2f} s" for t in ends))

    @classmethod
    def read(cls, folder: str | Path) -> "Recording":
        """Read a run folder as it is, and change nothing in it."""
        folder = as_path(folder)
        header = read_header(folder)
        if not (folder / LOG).is_file():
            raise InvalidInput(f"{folder} has no {LOG}: there is nothing left of this run")
        columns = read_columns(folder / LOG, header["joints"], header.get("cups"))
        result, notes = _read_result(folder / RESULT)
        if np.any(np.diff(columns.times) < 0.0):
            notes += ("the session was set back while it was recorded: times go back",)
        if columns.problem is not None:
            notes += (f"the log is not whole: {columns.problem}",)
        return cls(
            folder=folder,
            header=header,
            result=result,
            times=columns.times,
            states=columns.states,
            joints=columns.joints,
            tool=columns.tool,
            cups=columns.cups,
            notes=notes,
            log_problem=columns.problem,
        )

    def description(self, robot: str | None = None) -> "RobotDescription":
        """Return the description of a recorded robot, of the only one if no name is given.

        Raises:
            InvalidInput: The robot is not of the catalogue, and its folder is not there any more.
        """
        names = list(self.header["robots"])
        if robot is None and len(names) != 1:
            raise InvalidInput(f"say which robot is meant: {', '.join(names)}")
        return described_robot(self.header, robot or names[0])

    def messages(self, *topics: str) -> Iterator[tuple[str, Any]]:
        """Yield topic and message of all that was logged on some topics, in order.

        Records of older formats come as today's would, see `record.migrations`.

        Args:
            topics: For example `/base_report`; none yields all.
        """
        for record in read_log(self.folder / LOG):
            known = not topics or record.topic in topics or record.type_name in CHANGED_TYPES
            if not known:
                continue
            topic, message = message_of(record, self.header)
            if not topics or topic in topics:
                yield topic, message

    @property
    def cut_off(self) -> bool:
        """Whether run or recording were ended from outside: the last moments are missing."""
        return self.result is None or any(key in self.result for key in CUT_OFF)

    def with_notes(self, *notes: str, result: dict[str, Any] | None = None) -> "Recording":
        """Return this recording with more notes and another result."""
        return replace(self, notes=self.notes + notes, result=result or self.result)

    def model(self) -> "mujoco.MjModel":
        """Return the model of the world that was recorded, to show its states in.

        Raises:
            InvalidInput: The file is missing or damaged, or of another version of MuJoCo.
        """
        import mujoco

        recorded = self.header.get("versions", {}).get("mujoco", "an unknown version")
        file = self.folder / MODEL
        try:
            data = np.frombuffer(gzip.decompress(file.read_bytes()), np.uint8)
            return mujoco.MjModel.from_binary_path("model.mjb", {"model.mjb": data.tobytes()})
        except FileNotFoundError:
            raise InvalidInput(f"{self.folder} has no {MODEL}, so it cannot be shown") from None
        except (OSError, EOFError, zlib.error, ValueError, mujoco.FatalError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InvalidInput(
                f"{file} cannot be loaded: {reason}; it was recorded with MuJoCo {recorded}, "
                f"and this is MuJoCo {mujoco.__version__}"
            ) from None


def _read_result(file: Path) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Return the result if there is one that can be read, and a note if it cannot."""
    try:
        result = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None, ()
    except (OSError, ValueError) as error:
        return None, (f"{file.name} cannot be read: {error}",)
    if not isinstance(result, dict):
        return None, (f"{file.name} is not a result",)
    return result, ()
