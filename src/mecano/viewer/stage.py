"""What is seen: the world drawn in the page, its light, the camera, and what lies over it."""

import asyncio

import mujoco
import numpy as np
import viser
from mjviser import ViserMujocoScene
from mjviser.conversions import get_body_name

from mecano.core.arrays import Array
from mecano.viewer.private_names import mesh_groups, place_copies, show_groups
from mecano.world.mirror import Mirror
from mecano.world.sight import seen_from
from mecano.world.world import STATE

COLLISION_GROUP = 3
"""Geoms of this group collide and are hidden; see the models of the robots."""
LOOKS = ("as it looks", "collision shapes", "both", "nothing")
SHADOWS_AFTER = 1.5
"""Shadows come when a page can already be used: without a graphics card they cost a second [s]."""
SEEN = 1e-5
"""Smaller movements are not sent to the pages [m], and as parts of a quaternion."""
CORNERS = 0.6 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
"""Points of a box that must be seen, well inside it, as parts of its half edges."""
ASIDE, FROM_ABOVE = np.array([1.15, -0.9, 0.75]), np.array([0.42, -0.3, 1.05])
"""Where the camera is, in parts of what it sees."""
ROOM = 1.12
"""So many times as long as the box around everything is what the camera sees."""
BESIDE_PANEL = 0.12
"""The camera looks this far to the right, as part of that: the panel covers things there."""
FRAMES = {"none": "None", "bodies": "Body", "sites": "Site"}


class Stage:
    """The world in the page. Only the thread that shows states may touch it."""

    def __init__(self, server: viser.ViserServer, mirror: Mirror) -> None:
        """Draw a world; the first state is the mirror's own."""
        self.server, self.mirror = server, mirror
        self.scene = ViserMujocoScene(server, mirror.model, num_envs=1)
        self.scene.camera_tracking_enabled = False
        scale = mirror.model.vis.scale  # thinner than the engine's own, to see the robot too
        scale.framewidth, scale.framelength = 0.35 * scale.framewidth, 0.5 * scale.framelength
        scale.contactwidth, scale.contactheight = (
            0.3 * scale.contactwidth,
            0.5 * scale.contactheight,
        )
        scale.forcewidth *= 0.5
        self._forces = self._decorated = False
        self._drawn = np.full((mirror.model.nbody, 7), np.nan)
        """Where each body was drawn last; NaN if it is not known."""
        _light(server)
        _floor(server, mirror)
        self.frame_all()
        self.redraw()

    def show(self, state: Array) -> None:
        """Draw a state of the world."""
        self.mirror.show(state, forces=self._forces)
        self.redraw()

    def redraw(self) -> None:
        """Draw what the mirror has."""
        if self._decorated:
            self.scene.update_from_mjdata(self.mirror.data)
            self._drawn[:] = np.nan
        else:
            self._move_bodies()

    def _move_bodies(self) -> None:
        """Move what moved by anything that can be seen. The scene's own update does far more."""
        data = self.mirror.data
        poses = np.hstack((data.xpos, data.xquat))
        moved = ~(np.abs(poses - self._drawn).max(axis=1) <= SEEN)
        self._drawn[moved] = poses[moved]
        with self.server.atomic():
            for group in mesh_groups(self.scene):
                if moved[group.body_ids].any() and group.handle.visible:
                    place_copies(group.handle, poses[group.body_ids])
            for (body, _), handle in self.scene.site_handles_by_group.items():
                if moved[body] and handle.visible:
                    place_copies(handle, poses[[body]])

    def frame_all(self, places: Array | None = None) -> None:
        """Put the camera of new pages where everything that moves is in view, before no wall.

        Args:
            places: Where it will be, too, on the floor [m]; then the camera looks down, over walls.
                Shape (n, 2).
        """
        low, high = _extent(self.mirror)
        direction = ASIDE
        if places is not None:
            low[:2], high[:2] = (
                np.minimum(low[:2], places.min(0)),
                np.maximum(high[:2], places.max(0)),
            )
            direction = FROM_ABOVE
        middle, reach = 0.5 * (low + high), max(ROOM * float(np.linalg.norm(high - low)), 0.2)
        around = middle + 0.5 * (high - low) * CORNERS
        aside = seen_from(self.mirror, reach * direction, around)
        right = np.array([-aside[1], aside[0], 0.0]) / np.hypot(aside[0], aside[1])
        middle = middle + BESIDE_PANEL * reach * right
        self.server.initial_camera.look_at = tuple(middle)
        self.server.initial_camera.position = tuple(middle + aside)
        self.server.initial_camera.fov = 0.8
        self.server.initial_camera.near = 0.02 * reach

    # --- over it

    def set_look(self, look: str) -> None:
        """Draw the robot as it looks, its collision shapes, both or neither."""
        visual = look in ("as it looks", "both")
        collision = look in ("collision shapes", "both")
        groups = self.scene.geom_groups_visible
        groups[1] = groups[2] = visual
        groups[COLLISION_GROUP] = collision
        show_groups(self.scene)
        self._drawn[:] = np.nan  # what comes into view stands where it was when it went
        self.redraw()

    def set_frames(self, which: str) -> None:
        """Draw the axes of bodies or sites."""
        self.scene.frame_mode = FRAMES[which]
        self._decorate()

    def set_inertia(self, shown: bool) -> None:
        """Draw for each body the box with its mass and inertia."""
        self.scene.show_inertia = shown
        self._decorate()

    def set_contacts(self, shown: bool) -> None:
        """Draw where things touch, and how hard."""
        self.scene.show_contact_points = self.scene.show_contact_forces = shown
        self._forces = shown
        self._decorate()

    def _decorate(self) -> None:
        self._decorated = self.scene._any_decor_visible()
        if not self._decorated:
            self.scene.update_from_mjdata(self.mirror.data)  # takes the old ones away
        self.mirror.show(self._state(), forces=True)
        self.redraw()

    def _state(self) -> Array:
        state = np.empty(self.mirror.state_size)
        mujoco.mj_getState(self.mirror.model, self.mirror.data, state, STATE)
        return state


def _light(server: viser.ViserServer) -> None:
    """Light it like a bright room with one lamp that throws shadows."""
    server.scene.configure_default_lights(enabled=False)
    server.scene.configure_environment_map("warehouse", environment_intensity=0.35)
    server.scene.add_light_hemisphere(
        "/light/sky", sky_color=(235, 242, 255), ground_color=(150, 140, 130), intensity=0.9
    )
    _shine(server.scene, shadows=False)

    @server.on_client_connect
    async def _(client: viser.ClientHandle) -> None:
        await asyncio.sleep(SHADOWS_AFTER)
        if client.client_id in server.get_clients():
            _shine(client.scene, shadows=True)


def _shine(scene: viser.SceneApi, *, shadows: bool) -> None:
    """Put the lamp up, or another in its place."""
    scene.add_light_directional(
        "/light/sun", color=(255, 248, 235), intensity=2.2, cast_shadow=shadows,
        position=(0.8, -1.0, 2.0),
    )  # fmt: skip


def _floor(server: viser.ViserServer, mirror: Mirror) -> None:
    """Lay tiles of a tenth of a metre on every floor of the scene, in place of the bare grid."""
    model = mirror.model
    for geom in range(model.ngeom):
        if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
            body = get_body_name(model, model.geom_bodyid[geom])
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, geom)
            server.scene.add_grid(
                f"/fixed_bodies/{body}/{name}", infinite_grid=True, fade_distance=6.0,
                cell_size=0.1, section_size=1.0, cell_color=(216, 221, 227),
                section_color=(185, 193, 202), plane_color=(238, 241, 244), plane_opacity=1.0,
                shadow_opacity=0.25, position=model.geom_pos[geom], wxyz=model.geom_quat[geom],
            )  # fmt: skip


def _extent(mirror: Mirror) -> tuple[Array, Array]:
    """Return the corners of the box around everything that moves, and what it stands on."""
    model, data = mirror.model, mirror.data
    moving = [g for g in range(model.ngeom) if model.body_weldid[model.geom_bodyid[g]] != 0]
    if not moving:
        moving = [g for g in range(model.ngeom) if model.geom_rbound[g] > 0.0]
    if not moving:
        return np.full(3, -0.5), np.full(3, 0.5)
    turns, boxes = data.geom_xmat[moving].reshape(-1, 3, 3), model.geom_aabb[moving]
    centres = data.geom_xpos[moving] + np.einsum("nij,nj->ni", turns, boxes[:, :3])
    halves = np.einsum("nij,nj->ni", np.abs(turns), boxes[:, 3:])
    return (centres - halves).min(axis=0), (centres + halves).max(axis=0)
