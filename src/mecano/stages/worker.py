"""The process in which a user's stage runs: arguments in, answers out, a line of JSON each.

Started by `UserStage` as `python stage_worker.py SOURCE`. It imports nothing of Mecano, so it
starts fast. Whatever the user's code prints goes to stderr, so that it cannot mix with the answers.
"""

import importlib
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEFAULT_NAME = "solve"


class LoadFailed(Exception):
    """The source names nothing that can be called."""


def load(source: str) -> Callable[..., Any]:
    """Import the function that `file.py:name` or `module:name` stands for."""
    place, colon, name = source.rpartition(":")
    if not colon or name.endswith(".py"):
        place, name = source, DEFAULT_NAME
    if not place or not name:
        raise LoadFailed("names no function; give a file.py:name or module:name")
    if place.endswith(".py"):
        file = Path(place).resolve()
        if not file.is_file():
            raise LoadFailed(f"was not found: there is no file {place}")
        sys.path.insert(0, str(file.parent))
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            if not place.startswith(error.name or "?"):
                raise
            raise LoadFailed(
                f"was not found: {error}; give a file.py:name or module:name"
            ) from None
    function = getattr(module, name, None)
    if not callable(function):
        there = [n for n, v in vars(module).items() if callable(v) and not n.startswith("_")][:10]
        raise LoadFailed(
            f"has no function '{name}'; the functions there are: {', '.join(there) or 'none'}"
        )
    return function


def describe(error: BaseException) -> str:
    """Say what was raised and in which line of the user's code."""
    text = (
        f"raised {type(error).__name__}: {error}"
        if str(error)
        else f"raised {type(error).__name__}"
    )
    if isinstance(error, SyntaxError):
        return text  # it names its place itself
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and not frame.filename.startswith("<frozen")
    ]
    if not frames:
        return text
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"


def plain(value: Any) -> Any:
    """Turn numpy arrays and numbers into lists and floats, for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__}")


def serve(source: str) -> None:
    """Load the stage and answer calls until the caller goes away."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # prints of the user's code

    def answer(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message, default=plain) + "\n")
        answers.flush()

    try:
        function = load(source)
    except LoadFailed as error:
        return answer({"problem": str(error)})
    except Exception as error:  # any error of the user's module is theirs to see, on one line
        return answer({"problem": f"could not be imported: it {describe(error)}"})
    answer({"value": None})
    for line in sys.stdin:
        try:
            value = function(*json.loads(line))
        except Exception as error:  # the same for a call
            answer({"problem": describe(error)})
            continue
        try:
            answer({"value": value})
        except (TypeError, ValueError, RecursionError) as error:
            answer({"problem": f"returned something that is not numbers: {error}"})
    return None


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file: the user's imports must not find our modules in it
    serve(sys.argv[1])
