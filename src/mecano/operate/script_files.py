"""Scripts from a user's Python file."""

import hashlib
import sys
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from mecano.core.errors import InvalidInput
from mecano.operate.scripts import Script


class ScriptFileBroken(InvalidInput):
    """A file of scripts is missing, cannot be read as Python, or has no script in it."""


def load_scripts(file: str | Path) -> dict[str, type[Script]]:
    """Return the scripts that a Python file defines, by the names of their classes, in its order.

    The file is run once, as an import would; it may import modules beside it. Names that begin
    with an underscore are left out, so a common base can hide.

    Raises:
        ScriptFileBroken: There is no such file, or it is not Python, or raises, or has no script.
    """
    path = Path(file)
    if not path.is_file():
        beside = sorted(p.name for p in path.parent.glob("*.py")) if path.parent.is_dir() else []
        there = f"; Python files there: {', '.join(beside[:10])}" if beside else ""
        raise ScriptFileBroken(f"there is no script file {path}{there}")
    try:
        code = compile(path.read_bytes(), str(path.resolve()), "exec")
    except SyntaxError as error:
        where = f", line {error.lineno}," if error.lineno else ""
        raise ScriptFileBroken(f"{path}{where} is not Python: {error.msg}") from None
    except (ValueError, OSError) as error:
        raise ScriptFileBroken(f"{path} cannot be read: {error}") from None
    members = _run_file(path.resolve(), code)
    found = {
        name: member
        for name, member in members.items()
        if isinstance(member, type)
        and issubclass(member, Script)
        and member.__module__ == members["__name__"]
        and not name.startswith("_")
    }
    if not found:
        classes = [name for name, member in members.items() if isinstance(member, type)]
        raise ScriptFileBroken(
            f"{path} defines no script: write a class with mecano.Script as its base; "
            f"classes in it: {', '.join(classes) or 'none'}"
        )
    return found


def _run_file(path: Path, code: CodeType) -> dict[str, Any]:
    """Run a file as a module of its own; return what it defines."""
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    module = ModuleType(f"mecano_script_{path.stem}_{digest}")
    module.__file__ = str(path)
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.parent))
    try:
        exec(code, module.__dict__)
    except (Exception, SystemExit) as error:
        if before is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = before
        where = _line_in(path, error)
        raise ScriptFileBroken(f"{path}{where} raised {type(error).__name__}: {error}") from error
    finally:
        with suppress(ValueError):  # the file may have removed it itself
            sys.path.remove(str(path.parent))
    return module.__dict__


def _line_in(path: Path, error: BaseException) -> str:
    """Return the last line of a file on the way to an error."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f", line {line},"
