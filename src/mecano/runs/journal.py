"""The folder of a sweep: what is studied, and one line per run that has ended.

A line is written and synced as its run ends, so a sweep that is killed goes on where it was.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mecano.core.errors import InvalidInput
from mecano.runs.outcomes import RunOutcome
from mecano.runs.study import Study

STUDY, RUNS, TABLE = "study.json", "runs.jsonl", "runs.parquet"


class Journal:
    """Runs of a study that have ended, on disk."""

    def __init__(self, folder: Path) -> None:
        """Open a folder that `held` has made."""
        self.folder = folder
        self.done: dict[int, RunOutcome] = {}

    @classmethod
    @contextmanager
    def held(cls, folder: Path, study: Study) -> Iterator["Journal"]:
        """Make or open the folder of a study, and keep other sweeps out of it within the block.

        Raises:
            InvalidInput: It cannot be made, belongs to another study, or a sweep works there now.
        """
        from fcntl import LOCK_EX, LOCK_NB, flock

        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise InvalidInput(f"cannot sweep in {folder}: {error.strerror}") from None
        try:
            flock(handle, LOCK_EX | LOCK_NB)
            journal = cls(folder)
            journal._open(study)
            yield journal
        except BlockingIOError:
            raise InvalidInput(
                f"another sweep works in {folder}; wait until it has ended, or give another --out"
            ) from None
        finally:
            os.close(handle)  # gives it free

    def _open(self, study: Study) -> None:
        file, said = self.folder / STUDY, study.to_json()
        if not file.is_file():
            if any(self.folder.iterdir()):
                raise InvalidInput(f"{self.folder} holds other files; give a new folder as --out")
            self._write(file, json.dumps(said, indent=1) + "\n")
            return
        if _read_json(file) != json.loads(json.dumps(said)):
            raise InvalidInput(
                f"{self.folder} holds runs of another study ({file.name} differs); give another "
                "--out, or delete it"
            )
        self._read_runs()

    def _read_runs(self) -> None:
        """Read the runs that have ended; a last line that was cut off is dropped."""
        file = self.folder / RUNS
        if not file.is_file():
            return
        text = file.read_text(encoding="utf-8", errors="replace")
        whole, _, rest = text.rpartition("\n")
        if rest:
            os.truncate(file, len(whole.encode()) + bool(whole))
        for line in whole.splitlines():
            number, outcome = _read_line(line, file)
            self.done[number] = outcome

    def add(self, number: int, outcome: RunOutcome) -> None:
        """Keep how a run ended; when this returns it is on the disk.

        Raises:
            InvalidInput: It cannot be written, such as on a full disk.
        """
        line = json.dumps({"run": number} | outcome.to_json(), default=_number) + "\n"
        self._write(self.folder / RUNS, line, mode="a")
        self.done[number] = outcome

    def _write(self, file: Path, text: str, mode: str = "w") -> None:
        try:
            with file.open(mode, encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
        except OSError as error:
            raise InvalidInput(
                f"cannot write {file}: {error.strerror}; {len(self.done)} runs are kept there: "
                "repair that and start the same sweep again, it goes on"
            ) from None


def _read_json(file: Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read: {error}") from None


def _read_line(line: str, file: Path) -> tuple[int, RunOutcome]:
    try:
        values = json.loads(line)
        return values.pop("run"), RunOutcome(**values)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"{file} is damaged: {error}; delete that line") from None


def _number(value: Any) -> Any:
    """Return a number of numpy as a plain one."""
    return value.item()
