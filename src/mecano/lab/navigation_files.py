"""Parameter files of move_base and Nav2, for `start_navigation(parameters="nav2_params.yaml")`."""

from pathlib import Path
from typing import Any

from mecano.core.errors import InvalidInput
from mecano.core.notices import say
from mecano.skills.navigation.ros_parameters import RosParameters, read_ros_parameters

LARGEST = 1_000_000
"""Of a parameter file [bytes]."""


def load_navigation_parameters(path: str | Path) -> RosParameters:
    """Return what a parameter file says; names in it that mean nothing here are reported.

    Args:
        path: YAML file of move_base (one of its files, or all joined) or of Nav2.

    Raises:
        InvalidInput: It cannot be read, or a value is wrong; it says which.
    """
    path = Path(path)
    found = read_ros_parameters(_read(path), path.name)
    if found.unused:
        say(
            f"{path.name}: {len(found.unused)} parameters mean nothing here and are not used: "
            + ", ".join(found.unused)
        )
    return found


def _read(path: Path) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        if path.stat().st_size > LARGEST:
            raise InvalidInput(f"{path} is larger than {LARGEST} bytes: no parameter file")
        return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidInput(f"there is no parameter file {path}") from None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InvalidInput(f"the parameter file {path} cannot be read: {why}") from None
    except (YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"the parameter file {path} is broken YAML: {reason}") from None
