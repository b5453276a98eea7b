"""`run.json`: what a recording is of, and all that is needed to repeat it."""

import hashlib
import json
import platform
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeGuard

from mecano.core.errors import InvalidInput
from mecano.core.machine import blas_kernel, machine
from mecano.record.folder import HEADER
from mecano.record.migrations import FORMAT, migrate
from mecano.record.robot_facts import FOLDERS, ODOMETRY

KINDS = ("experiment", "session")
LIBRARIES = ("mecano", "mujoco", "numpy", "ruckig")
NEEDED = {
    "kind": str,
    "robots": dict,
    "joints": dict,
    "seed": int,
    "tick_s": float,
    "versions": dict,
    FOLDERS: dict,
    ODOMETRY: dict,
}
"""Keys without which a recording cannot be read, and what they hold."""
NEEDED_TO_REPEAT = {
    "experiment": str,
    "noise": bool,
    "settings": dict,
    "stages": dict,
    "files": dict,
}
"""The same for a run that can be repeated."""


def session_header(*, title: str = "", seed: int = 0, **more: Any) -> dict[str, Any]:
    """Return the header of a recording that a program or a person drives.

    What the recorder knows itself (robots, joints, tick) it adds.
    """
    return {
        "format": FORMAT,
        "kind": "session",
        "title": title,
        "seed": seed,
        **more,
        "versions": versions(),
        "machine": machine(),
        "blas": blas_kernel(),
        "python": platform.python_version(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "touched": False,
    }


def experiment_header(
    *,
    experiment: str,
    title: str,
    scene: str,
    seed: int,
    noise: bool,
    changes: Mapping[str, Any] | None = None,
    settings_file: str | None = None,
    stages: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
    scene_chosen: str | None = None,
    model: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Return the header of a run of an experiment, from which it can be repeated.

    Args:
        experiment: Name, or path of the user's file.
        title: What it does.
        scene: Name or path.
        seed: Of the run.
        noise: Whether the sensors had noise.
        changes: Changed settings, by dotted name.
        settings_file: A TOML file with changed settings; its text is kept.
        stages: The user's own functions, `{"ik": "student.py:solve"}`.
        options: Of the experiment, as the user chose them.
        scene_chosen: The scene, if the user chose another than the experiment's.
        model: Changed bodies, see `mecano.world.model_changes`.
    """
    sources = {stage: _absolute(source) for stage, source in (stages or {}).items()}
    named = _absolute(experiment)
    own = [Path(source.rpartition(":")[0]) for source in sources.values()] + [Path(named)]
    text = None if settings_file is None else Path(settings_file).read_text(encoding="utf-8")
    details = {
        "experiment": named,
        "scene": scene,
        **({"scene_chosen": scene_chosen} if scene_chosen else {}),
        **({"model": dict(model)} if model else {}),
        "noise": noise,
        "settings": dict(changes or {}),
        "settings_file": text,
        "stages": sources,
        "options": dict(options or {}),
        "files": {str(file): digest(file) for file in own if file.suffix == ".py"},
    }
    return session_header(title=title, seed=seed, **details) | {"kind": "experiment"}


def _absolute(source: str) -> str:
    """Return the name of a user's file as it is found from any folder; other names stay."""
    file, colon, function = source.partition(".py")
    if not colon:
        return source
    return f"{Path(f'{file}.py').absolute()}{function}"


def digest(file: Path) -> str | None:
    """Return the SHA-256 of a file, or None if it cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return None


def versions() -> dict[str, str]:
    """Return the versions of the libraries that a run depends on."""
    return {library: version(library) for library in LIBRARIES}


def read_header(folder: Path) -> dict[str, Any]:
    """Return the header of a run folder, as the present format has it.

    Raises:
        InvalidInput: There is no such folder, or its header is missing, broken or of another
            format.
    """
    file = folder / HEADER
    if not folder.is_dir():
        if folder.is_file():
            raise InvalidInput(f"{folder} is a file; give the run folder, {folder.parent}")
        raise InvalidInput(f"there is no run folder {folder}")
    try:
        header = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        inside = sorted(str(each.parent) for each in folder.glob(f"*/{HEADER}"))
        hint = f"; it holds {len(inside)}: give one of them, such as {inside[0]}" if inside else ""
        raise InvalidInput(f"{folder} is no run folder: it has no {HEADER}{hint}") from None
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    except ValueError as error:
        raise InvalidInput(f"{file} is damaged, so nothing can be done with it: {error}") from None
    if not isinstance(header, dict) or "format" not in header:
        raise InvalidInput(f"{file} is not the header of a recording: it has no format")
    try:
        header = migrate(header)
    except InvalidInput as error:
        raise InvalidInput(f"{file} cannot be read: {error}") from None
    _check(header, file)
    return header


def _check(header: dict[str, Any], file: Path) -> None:
    _check_kinds(header, NEEDED, file)
    if header["kind"] not in KINDS or header["robots"].keys() != header["joints"].keys():
        raise InvalidInput(f"{file} is damaged: its kind or its robots make no sense")
    for robot, joints in header["joints"].items():
        known = joints if isinstance(joints, dict) else {}
        names, units = known.get("names"), known.get("units")
        if not (_are_texts(names) and _are_texts(units) and len(names) == len(units)):
            raise InvalidInput(f"{file} is damaged: the joints of {robot} make no sense")


def _check_kinds(header: dict[str, Any], kinds: dict[str, type], file: Path) -> None:
    for key, kind in kinds.items():
        value = header.get(key)
        if not isinstance(value, kind):
            raise InvalidInput(
                f"{file} is damaged: {key} is {value!r}, expected a value of type {kind.__name__}"
            )


def _are_texts(values: Any) -> TypeGuard[list[str]]:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def require_repeatable(header: dict[str, Any], folder: Path) -> None:
    """Refuse a recording that cannot be repeated from its header, saying why."""
    if header.get("real"):
        raise InvalidInput(
            f"{folder} was recorded on a real robot; lay it beside a simulated run of the same "
            "program with: mecano compare"
        )
    if header["kind"] != "experiment":
        raise InvalidInput(
            f"{folder} is the record of a session that a person or a program drove, so there is "
            "no experiment to repeat; replay it, or run the program again"
        )
    if header.get("touched"):
        raise InvalidInput(f"{folder} cannot be repeated: {touched(header.get('touches', []))}")
    _check_kinds(header, NEEDED_TO_REPEAT, folder / HEADER)


def touched(touches: list[dict[str, Any]]) -> str:
    """Say what a person did in a run that a program drove."""
    what = ", ".join(f"{touch.get('what')} at {touch.get('time_s')} s" for touch in touches)
    return "a person took the controls" + (f" ({what})" if what else "")


def write_json(file: Path, value: dict[str, Any]) -> None:
    """Write plain values as a file that people can read too, or none at all."""
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    try:
        file.write_text(text, encoding="utf-8")
    except OSError:
        with suppress(OSError):
            file.unlink()
        raise
