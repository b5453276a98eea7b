"""The laboratory and the hall: the sheets' measures, nothing in each other, room for the robots."""

import mujoco
import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from mecano.core.messages.maps import FREE
from mecano.lab.scene_paths import scene_paths
from mecano.world import assemble
from mecano.world.floor_plan import floor_plan

MADAR, CRUMB = 0.45, 0.18
"""Radii that the robots need [m]: the fact sheets."""


@pytest.fixture(scope="module")
def laboratory():
    return assemble([], scene="laboratory").compile()


@pytest.fixture(scope="module")
def hall():
    return assemble([], scene="hall").compile()


def size(model, name: str) -> np.ndarray:
    return 2.0 * model.geom(name).size


def clearance(model, height: float) -> np.ndarray:
    """Return how far the tour is from everything at a height, point by point [m]."""
    plan = floor_plan(model, height, resolution=0.02)
    far = np.asarray(distance_transform_edt(plan.data == FREE)) * plan.resolution
    path = scene_paths(model)["tour"]
    points = np.asarray(path.at(np.linspace(0.0, path.length, 1500)).position)[:, :2]
    cells = plan.world_to_cell(points)
    return far[cells[:, 0], cells[:, 1]]


@pytest.mark.parametrize("height", [0.152, 0.45, 0.755, 1.0])
def test_madar_has_room_all_along_its_tour(laboratory, height):
    assert clearance(laboratory, height).min() > MADAR + 0.08


def test_crumb_has_room_all_along_its_tour(hall):
    assert clearance(hall, 0.3).min() > CRUMB + 0.2


@pytest.mark.parametrize("scene", ["laboratory", "hall"])
def test_nothing_is_in_something_else(scene, request):
    model = request.getfixturevalue(scene)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    solid = (model.geom_contype != 0) & (model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE)
    geoms, inside = np.flatnonzero(solid), []
    for i, a in enumerate(geoms):
        for b in geoms[i + 1 :]:
            if model.geom_bodyid[a] == model.geom_bodyid[b]:
                continue
            reach = model.geom_rbound[a] + model.geom_rbound[b]
            if np.linalg.norm(data.geom_xpos[a] - data.geom_xpos[b]) > reach:
                continue
            if mujoco.mj_geomDistance(model, data, int(a), int(b), 0.1, None) < -1e-4:
                inside.append((model.geom(a).name, model.geom(b).name))
    assert not inside


def test_the_laboratory_has_the_measures_of_the_sheet(laboratory):
    # Fact sheet of MADAR, section 12, and base.experiments.lab.
    np.testing.assert_allclose(size(laboratory, "big_table_windows_top")[:2], [0.995, 1.195])
    np.testing.assert_allclose(size(laboratory, "small_table_collserola_top")[:2], [0.995, 0.895])
    np.testing.assert_allclose(size(laboratory, "desk_mediterrani_bessos_top")[:2], [1.6, 0.8])
    np.testing.assert_allclose(size(laboratory, "steel_cupboard_1"), [0.42, 0.91, 1.95])
    assert size(laboratory, "wall_north")[2] == pytest.approx(3.1)
    windows = [g for g in range(laboratory.ngeom) if laboratory.geom(g).name[:-1] == "window_"]
    assert len(windows) == 8
    np.testing.assert_allclose(size(laboratory, "window_3")[[0, 2]], [1.311, 1.95])
    np.testing.assert_allclose(size(laboratory, "door_leaf")[0], 1.01, atol=0.02)
    chess = laboratory.body("chess_table").pos
    np.testing.assert_allclose(chess[:2], [(3.691 + 4.686) / 2, (4.82 + 6.015) / 2], atol=1e-3)
    np.testing.assert_allclose(laboratory.site("mount").pos[:2], [1.95, 7.86])


def test_a_lidar_of_the_laboratory_sees_legs_fronts_and_the_recess_of_the_door(laboratory):
    plan = floor_plan(laboratory, 0.152)
    seen = plan.values_at(
        np.array([
            [3.746, 4.875],  # a leg of the chess table
            [0.545, 5.3],  # the front of a shelf
            [0.215, 4.5],  # the wall ...
            [0.135, 7.5],  # ... and the leaf of the door, 0.08 m behind it
        ])
    )  # fmt: skip
    assert (seen == 100).all()
    assert plan.values_at([4.19, 5.4]) == FREE  # below the chess table


def test_the_hall_has_the_measures_of_the_sheet(hall):
    # Fact sheet of CRUMB, section 9 item 2: 2.5 m high, 0.2 m thick.
    walls = [g for g in range(hall.ngeom) if hall.geom(g).name.startswith("wall_")]
    for wall in walls:
        across = 2.0 * hall.geom_size[wall, :2].min()
        assert across == pytest.approx(0.2) and 2.0 * hall.geom_size[wall, 2] == pytest.approx(2.5)
    plan = floor_plan(hall, 0.3)
    door = [plan.values_at([1.0, y]) == FREE for y in (-0.15, -0.05, 0.87, 0.95)]
    assert door == [False, True, True, False]
    gap = [plan.values_at([7.78, y]) == FREE for y in (0.08, 0.2, 1.0, 1.12)]
    assert gap == [False, True, True, False]
    np.testing.assert_allclose(hall.site("mount").pos, 0.0)
