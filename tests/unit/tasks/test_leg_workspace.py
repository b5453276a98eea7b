"""The workspace of a leg: figures of the fact sheet, laws of the cloud, options, files."""

from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName
from mecano.tasks.leg_workspace import (
    EXPERIMENT,
    LegWorkspace,
    explore,
    hull_normals,
    measure,
    run,
    tell,
    write_cloud_csv,
)
from mecano.tasks.leg_workspace_picture import draw

ROMERIN = robots.get("romerin")
ROBOT = cast(Any, SimpleNamespace(description=ROMERIN))


@cache
def cloud(seed: int = 0, samples: int = 4000, leg: int = 3) -> LegWorkspace:
    return explore(ROMERIN, np.random.default_rng(seed), samples=samples, leg=leg)


def score(**options: str):
    chosen: dict[str, Any] = dict(EXPERIMENT.chosen(options))
    return run(ROBOT, np.random.default_rng(0), **chosen)


# Fact sheet, 9.4


@pytest.mark.slow
def test_limits_alone_give_the_hull_of_the_fact_sheet():
    figures = measure(cloud(samples=46_000))
    assert figures["limits_hull_volume_m3"] == pytest.approx(0.0270, abs=0.0001)
    assert figures["limits_hull_area_m2"] == pytest.approx(0.459, abs=0.001)


def test_limits_alone_give_the_box_of_the_fact_sheet():
    found = cloud(samples=46_000)
    expected = [[-191, -99, -175], [236, 236, 212]]
    np.testing.assert_allclose(1000 * found.box(found.tried), expected, atol=5.0)


@pytest.mark.parametrize("leg", range(1, 7))
def test_collisions_make_the_hull_smaller(leg):
    found = cloud(leg=leg)
    assert 0.5 * found.tried.hull_volume < found.free.hull_volume < found.tried.hull_volume


def test_collisions_leave_fewer_cells():
    figures = measure(cloud())
    assert cast(float, figures["cells_volume_l"]) < cast(float, figures["limits_cells_volume_l"])


def test_grid_of_the_paper_has_216_postures():
    figures = score(grid="6").metrics
    assert figures["samples"] == 216
    assert cast(float, figures["hull_volume_l"]) < cast(float, figures["limits_hull_volume_l"])


# The cloud


def test_same_seed_gives_the_same_cloud():
    again = explore(ROMERIN, np.random.default_rng(0), samples=4000)
    assert cloud().free.points.tobytes() == again.free.points.tobytes()
    assert cloud().obstacles.tobytes() == again.obstacles.tobytes()


def test_other_seed_gives_another_cloud():
    assert not np.array_equal(cloud(0).tried.points, cloud(1).tried.points)


def test_free_and_refused_postures_are_all_postures():
    found = cloud()
    assert len(found.free.points) + found.free.rejected == len(found.tried.points)
    assert sum(found.touched().values()) == pytest.approx(found.collision_share)


def test_neighbours_and_body_are_what_leg_3_runs_into():
    assert set(cloud().touched()) == {"leg_2", "leg_4", "body_link"}


def test_normals_point_out_of_the_hull():
    free = cloud().free
    normals = hull_normals(free)
    assert free.hull is not None
    corners = np.flatnonzero(normals.any(axis=1))
    np.testing.assert_array_equal(corners, np.sort(free.hull.vertices))
    np.testing.assert_allclose(np.linalg.norm(normals[corners], axis=1), 1.0)
    outwards = free.points[corners] - free.points.mean(axis=0)
    assert (np.sum(normals[corners] * outwards, axis=1) > 0.0).all()


# The experiment


def test_run_succeeds_with_plain_numbers():
    answer = score(samples="2000")
    assert answer.success
    assert answer.metrics["samples"] == 2000
    assert {type(value) for value in answer.metrics.values()} <= {int, float}


def test_report_compares_with_the_fact_sheet():
    assert "limits only, in a trial     27.00" in score(samples="2000").report


def test_report_of_another_leg_has_no_fact_sheet():
    assert "fact sheet" not in tell(cloud(leg=2))


def test_run_tells_its_progress():
    told = []
    options: dict[str, Any] = dict(EXPERIMENT.chosen({"samples": "500"}))
    run(ROBOT, np.random.default_rng(0), progress=lambda done, total: told.append(done), **options)
    assert told[-1] == 500


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": "99"}, "samples is '99', allowed: 100 to 1,000,000"),
        ({"samples": "many"}, "samples is 'many'"),
        ({"samples": "-500"}, "samples is '-500'"),
        ({"samples": "1e5"}, "samples is '1e5'"),
        ({"samples": "9000000"}, "allowed: 100 to 1,000,000"),
        ({"grid": "2"}, "grid is '2', allowed: 3 to 100 or 0"),
        ({"grid": "101"}, "grid is '101'"),
        ({"grid": "six"}, "grid is 'six'"),
    ],
)
def test_bad_options_are_explained(options, message):
    with pytest.raises(InvalidInput, match=message):
        score(**options)


@pytest.mark.parametrize("leg", ["0", "7", "three"])
def test_unknown_leg_lists_the_legs(leg):
    with pytest.raises(UnknownName, match="1, 2, 3, 4, 5, 6"):
        score(leg=leg)


# Files


def test_products_are_a_table_and_a_picture():
    assert list(score(samples="500").products) == ["workspace.csv", "workspace.png"]


def test_csv_holds_the_cloud_with_units(tmp_path):
    write_cloud_csv(cloud(), tmp_path / "cloud.csv")
    table = np.genfromtxt(tmp_path / "cloud.csv", delimiter=",", names=True)
    joints = [f"leg_3_joint_{i}_rad" for i in (1, 2, 3)]
    names = [*joints, "x_m", "y_m", "z_m", "on_hull", "normal_x", "normal_y", "normal_z"]
    assert list(table.dtype.names or ()) == names
    points = np.column_stack([table[name] for name in ("x_m", "y_m", "z_m")])
    np.testing.assert_allclose(points, cloud().free.points, atol=1e-9)
    assert table["on_hull"].sum() == hull_normals(cloud().free).any(axis=1).sum()


@pytest.mark.parametrize("leg", [3, 6])
def test_picture_is_drawn(tmp_path, leg):
    draw(cloud(samples=500, leg=leg), tmp_path / "workspace.png")
    assert (tmp_path / "workspace.png").stat().st_size > 50_000
