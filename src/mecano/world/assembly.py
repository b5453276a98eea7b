"""Putting robots into a scene: each robot under its own prefix, bolted to a mount of the scene."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco

from mecano.core.errors import InvalidInput, MecanoError
from mecano.core.poses import Pose
from mecano.robots.description import RobotDescription
from mecano.world import scenes
from mecano.world.contacts import set_contacts
from mecano.world.model_files import check_names
from mecano.world.model_files import load_robot as load_robot
from mecano.world.physics import PhysicsSettings


@dataclass(frozen=True, kw_only=True)
class Placement:
    """One robot in a scene."""

    robot: RobotDescription
    prefix: str
    """Put before the name of every part, so that two robots of a kind can share a world."""
    pose: Pose | None = None
    """Where its base goes in the world; None takes the next free mount of the scene."""


Change = Callable[[mujoco.MjSpec], None]


def assemble(
    placements: Sequence[Placement],
    *,
    scene: str | Path = "empty",
    physics: PhysicsSettings | None = None,
    changes: Sequence[Change] = (),
) -> mujoco.MjSpec:
    """Return the model of a scene with robots in it, ready to compile.

    Args:
        placements: The robots; prefixes must differ.
        scene: Name of a scene or path of an MJCF file.
        physics: Settings of the engine; the scene's own are replaced.
        changes: Functions that edit the finished model (add a cube, move a wall).
    """
    prefixes = [placement.prefix for placement in placements]
    if len(set(prefixes)) != len(prefixes):
        raise InvalidInput(f"robots in one world need different prefixes, got {prefixes}")
    spec = scenes.load(scene)
    number = 0
    for placement in placements:
        robot = load_robot(placement.robot)
        check_names(placement.robot, robot)
        number += placement.pose is None
        _place(spec, robot, placement, number)
    chosen = physics or PhysicsSettings()
    chosen.apply(spec.option)
    for change in changes:
        _apply(change, spec)
    set_contacts(spec, prefixes, chosen, scene=Path(scene).name)
    return spec


def _apply(change: Change, spec: mujoco.MjSpec) -> None:
    """Let a user's function edit the scene."""
    try:
        change(spec)
    except MecanoError:
        raise
    except Exception as error:
        name = getattr(change, "__name__", repr(change))
        raise InvalidInput(
            f"the change '{name}' of the scene raised {type(error).__name__}: {error}"
        ) from error


def _place(spec: mujoco.MjSpec, robot: mujoco.MjSpec, placement: Placement, number: int) -> None:
    """Attach a robot at its pose, or at the mount of the scene with its number.

    A robot on wheels or legs is free to move; the others are bolted down.
    """
    free, legged = placement.robot.free_body, placement.robot.legged
    if legged is not None:  # a mount lies in the surface that it stands on
        robot.body(legged.frame).pos = [0.0, 0.0, legged.height]
    name = "mount" if number == 1 else f"mount_{number}"
    site = spec.site(name)
    if placement.pose is not None:
        pose = placement.pose
        frame = spec.worldbody.add_frame(pos=pose.position, quat=pose.quaternion)
        spec.attach(robot, prefix=placement.prefix, frame=frame)
    elif site is not None:
        spec.attach(robot, prefix=placement.prefix, site=site)
    elif number == 1:
        spec.attach(robot, prefix=placement.prefix, frame=spec.worldbody.add_frame())
    else:
        raise InvalidInput(
            f"the scene has no site '{name}' for robot {number}; add one or give the robot a pose"
        )
    if free is not None:
        spec.body(placement.prefix + free).add_freejoint(name=placement.prefix + "free")
