"""Specs of runs in JSON and TOML, both ways, and from the folder of a recorded run."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from mecano.core.errors import InvalidInput, UnknownName
from mecano.runs.spec import FORMAT, TABLES, RunSpec

LARGEST = 1_000_000
"""No file of a spec is longer [bytes]."""


def spec_to_json(spec: RunSpec) -> dict[str, Any]:
    """Return a spec as plain values: what was chosen, without what is left as it is."""
    chosen = {each.name: getattr(spec, each.name) for each in fields(spec)}
    default = {each.name: _default(each) for each in fields(spec)}
    return {"format": FORMAT} | {
        name: value for name, value in chosen.items() if value != default[name]
    }


def spec_from_json(values: Any) -> RunSpec:
    """Return the spec that plain values say.

    Raises:
        InvalidInput: They are no spec, of a later format, or hold what makes no sense.
    """
    if not isinstance(values, Mapping) or "experiment" not in values:
        raise InvalidInput('a run needs at least {"experiment": "crumb/map"}')
    values = dict(values)
    written = values.pop("format", FORMAT)
    if written != FORMAT or isinstance(written, bool):
        raise InvalidInput(f"the spec has format {written!r}, known: {FORMAT}; update Mecano")
    known = [each.name for each in fields(RunSpec)]
    for name in values:
        if name not in known:
            raise UnknownName("field of a run", str(name), known)
    return RunSpec(**values)


def spec_to_toml(spec: RunSpec) -> str:
    """Return a spec as TOML."""
    values = spec_to_json(spec)
    tables = {name: values.pop(name) for name in TABLES if name in values}
    lines = [f"{name} = {_value(value)}" for name, value in values.items()]
    for name, table in tables.items():
        lines += ["", f"[{name}]"]
        lines += [f"{_text(key)} = {_value(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def spec_from_toml(text: str) -> RunSpec:
    """Return the spec that TOML says; sections of settings may be tables of their own."""
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"the spec is not TOML: {error}") from None
    for name in ("settings", "model"):
        if isinstance(values.get(name), dict):
            values[name] = _dotted(values[name])
    return spec_from_json(values)


def save_spec(spec: RunSpec, file: str | Path) -> None:
    """Write a spec as TOML or JSON, by the ending of the file's name."""
    path = _spec_file(file)
    text = spec_to_toml(spec)
    if path.suffix == ".json":
        text = json.dumps(spec_to_json(spec), indent=1, ensure_ascii=False) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from None


def load_spec(file: str | Path) -> RunSpec:
    """Read a spec from a TOML or JSON file.

    Raises:
        InvalidInput: The file cannot be read, or holds no spec; it says which file.
    """
    path = _spec_file(file)
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidInput(f"{path} has more than {LARGEST} bytes, which no spec has")
        text = path.read_text(encoding="utf-8")
        return spec_from_json(json.loads(text)) if path.suffix == ".json" else spec_from_toml(text)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:  # no JSON, no UTF-8
        raise InvalidInput(f"{path} is no spec of a run: {error}") from None


def spec_of_folder(folder: str | Path) -> RunSpec:
    """Return what a recorded run was made from, so that it can be repeated.

    Raises:
        InvalidInput: It is no run folder, or the run cannot be repeated; it says why.
    """
    from mecano.record.folder import as_path
    from mecano.record.header import read_header, require_repeatable

    folder = as_path(folder)
    header = read_header(folder)
    require_repeatable(header, folder)
    return spec_of_header(header)


def spec_of_header(header: Mapping[str, Any]) -> RunSpec:
    """Return what a run was made from, by the header of its record."""
    file = header.get("settings_file")
    settings = {} if file is None else _dotted(tomllib.loads(file))
    return RunSpec(
        header["experiment"], seed=header["seed"], noise=header["noise"],
        scene=header.get("scene_chosen"), settings=settings | header["settings"],
        model=header.get("model", {}), stages=header["stages"], options=header.get("options", {}),
        real=header.get("real"),
    )  # fmt: skip


def _spec_file(file: str | Path) -> Path:
    if not isinstance(file, str | Path) or Path(file).suffix not in (".toml", ".json"):
        raise InvalidInput(f"the file of a spec is {file!r}, expected NAME.toml or NAME.json")
    return Path(file)


def _default(each: Any) -> Any:
    return each.default_factory() if each.default_factory is not MISSING else each.default


def _dotted(table: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return nested tables as one, with names such as `physics.timestep`."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _dotted(value, f"{before}{key}.")
        else:
            flat[f"{before}{key}"] = value
    return flat


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    """Return a plain value in TOML, which writes texts, numbers and lists as JSON does."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(_value(each) for each in value)}]"
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise InvalidInput(f"{value!r} cannot be written to a file of a spec") from None
