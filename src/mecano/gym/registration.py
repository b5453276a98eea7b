"""Names of the environments, as `gymnasium.make` takes them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium

from mecano.gym.arm_env import ArmEnv
from mecano.gym.arm_tasks import PickAndPlace, Push, Reach
from mecano.gym.arm_vector_env import ArmVectorEnv
from mecano.gym.dock_env import DockEnv
from mecano.gym.drive_env import DriveToGoalEnv
from mecano.gym.wall_env import WallBalanceEnv


@dataclass(frozen=True)
class Entry:
    """One environment."""

    make: Callable[..., Any]
    make_vector: Callable[..., Any] | None = None
    """Of many worlds, one call per step; None leaves it to Gymnasium's own."""


ENVIRONMENTS: dict[str, Entry] = {
    "mecano/OpenManipulatorReach-v0": Entry(partial(ArmEnv, Reach), partial(ArmVectorEnv, Reach)),
    "mecano/OpenManipulatorPush-v0": Entry(partial(ArmEnv, Push), partial(ArmVectorEnv, Push)),
    "mecano/OpenManipulatorPickAndPlace-v0": Entry(
        partial(ArmEnv, PickAndPlace), partial(ArmVectorEnv, PickAndPlace)
    ),
    "mecano/DriveToGoal-v0": Entry(DriveToGoalEnv),
    "mecano/YouBotDock-v0": Entry(DockEnv),
    "mecano/RomerinWallBalance-v0": Entry(WallBalanceEnv),
}
"""All environments, by name."""


def register_all() -> None:
    """Make the environments known to Gymnasium; those that are known already stay."""
    for name, entry in ENVIRONMENTS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry.make, vector_entry_point=entry.make_vector)
