"""The private names of viser and mjviser that the view needs, all in one file.

pyproject.toml bounds both libraries to the versions that these were read in (viser 1.1, mjviser
0.0.14): who lifts a bound looks here.
"""

from typing import Any

import numpy as np
import viser
from mjviser import ViserMujocoScene
from viser._messages import SceneNodeUpdateMessage

from mecano.core.arrays import Array


def mesh_groups(scene: ViserMujocoScene) -> list[Any]:
    """Return what draws the bodies: each has `body_ids` and a `handle`."""
    return scene._mesh_groups


def show_groups(scene: ViserMujocoScene) -> None:
    """Draw the groups of geoms that `geom_groups_visible` names."""
    scene._sync_visibilities()


def place_copies(handle: viser.BatchedGlbHandle, poses: Array) -> None:
    """Place copies of a mesh. Setting the handle's two properties takes four times as long.

    Args:
        handle: Of the mesh.
        poses: Position and quaternion of each copy. Shape (n, 7).
    """
    positions, turns = poses[:, :3].astype(np.float32), poses[:, 3:].astype(np.float32)
    props = handle._impl.props
    props.batched_positions, props.batched_wxyzs = positions, turns
    update = {"batched_positions": positions, "batched_wxyzs": turns}
    handle._impl.api._queue_scene_message(SceneNodeUpdateMessage(handle._impl.name, update))
