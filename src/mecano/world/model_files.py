"""The model of one robot: read from its file, or as its description writes it."""

from difflib import get_close_matches
from pathlib import Path

import mujoco

from mecano.core.errors import InvalidInput, MecanoError, UserCodeFailed
from mecano.robots.description import RobotDescription
from mecano.robots.description_checks import named_in_model

LISTED = 12
"""So many names are listed in a message."""


class BrokenModel(InvalidInput, ValueError):
    """A robot's model is missing, is no MJCF, or lacks what its description names."""


def load_robot(robot: RobotDescription) -> mujoco.MjSpec:
    """Return the model of a robot alone, from its file or as its description writes it.

    Raises:
        BrokenModel: There is no such file, or it is no MJCF; or a mesh or texture is missing.
        UserCodeFailed: The function of the description that writes the model raised.
    """
    if robot.model is not None:
        file = Path(robot.folder) / robot.model
        if not file.is_file():
            raise BrokenModel(
                f"'{robot.name}': its model {file} is not there; put it back, or name another "
                f"file in description.py (model={robot.model!r})"
            )
        spec = _parsed(f"'{robot.name}': {file}", lambda: mujoco.MjSpec.from_file(str(file)))
        _check_assets(robot, spec, file)
        return spec
    if robot.mjcf is not None:
        text = _written(robot)
        where = f"'{robot.name}': what mjcf() of its description writes"
        return _parsed(where, lambda: mujoco.MjSpec.from_string(text))
    raise InvalidInput(
        f"'{robot.name}' has no model to simulate, only kinematics: `mecano fk`, `mecano ik`"
    )


def _written(robot: RobotDescription) -> str:
    assert robot.mjcf is not None
    try:
        text = robot.mjcf()
    except MecanoError:
        raise
    except (Exception, SystemExit) as error:  # a user's own code: anything can be wrong with it
        raise UserCodeFailed(f"mjcf() of '{robot.name}'", error, stopped=False) from error
    if not isinstance(text, str):
        raise BrokenModel(f"'{robot.name}': mjcf() returned {text!r}, expected MJCF text")
    return text


def _parsed(where: str, parse) -> mujoco.MjSpec:
    try:
        spec = parse()
    except (ValueError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())
        raise BrokenModel(f"{where} is no model that MuJoCo can read: {reason}") from None
    if len(spec.bodies) < 2:  # the world is one
        raise BrokenModel(f"{where} has no bodies, so there is no robot in it")
    return spec


def _check_assets(robot: RobotDescription, spec: mujoco.MjSpec, file: Path) -> None:
    """Raise if a file that the model names is missing or empty."""
    folders = {"mesh": (spec.meshes, spec.meshdir), "texture": (spec.textures, spec.texturedir)}
    for kind, (assets, folder) in folders.items():
        for asset in assets:
            if not asset.file or asset.file in spec.assets:
                continue
            path = file.parent / folder / asset.file
            if not path.is_file():
                raise BrokenModel(
                    f"'{robot.name}': {kind} '{asset.name or asset.file}' of {file.name} is the "
                    f"file {path}, which is not there; `mecano check-robot` lists all that is "
                    "missing"
                )
            if path.stat().st_size == 0:
                raise BrokenModel(f"'{robot.name}': the {kind} file {path} is empty")


def check_names(robot: RobotDescription, spec: mujoco.MjSpec) -> None:
    """Raise unless a model has the joints, bodies, sites and cameras that a description names."""
    model = "its model" if robot.model is None else robot.model
    kinds = {
        "joint": spec.joints, "body": spec.bodies, "site": spec.sites, "camera": spec.cameras
    }  # fmt: skip
    known = {kind: [each.name for each in elements] for kind, elements in kinds.items()}
    for kind, owner, names in named_in_model(robot):
        for name in names:
            if name in known[kind]:
                continue
            near = get_close_matches(name, known[kind], n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise BrokenModel(
                f"'{robot.name}': {model} has no {kind} '{name}', which the description names for "
                f"{owner}; it has: {_few(known[kind])}{hint}"
            )


def _few(names: list[str]) -> str:
    named = [name for name in names if name and name != "world"]
    more = f" and {len(named) - LISTED} more" if len(named) > LISTED else ""
    return (", ".join(named[:LISTED]) or "none") + more
