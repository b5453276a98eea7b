"""Where the tool can get to: sampled postures, their hull, their volume."""

from math import pi

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.workspace import CHUNK, Workspace, sample_workspace
from mecano.robots.open_manipulator_x.description import TABLE
from mecano.robots.two_link.description import ARM as TWO_LINK

# Three sliding joints along x, y and z: its workspace is a box of 0.4 x 0.3 x 0.2 m.
GANTRY = DHChain(
    joints=(
        DHJoint(name="up", kind="prismatic", lower=0.0, upper=0.2),
        DHJoint(name="side", kind="prismatic", lower=0.0, upper=0.3, alpha=-pi / 2, theta=pi / 2),
        DHJoint(name="forward", kind="prismatic", lower=0.0, upper=0.4, alpha=pi / 2),
    ),
    convention="modified",
)


def random_generator(seed: int = 60) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_points_are_where_the_postures_bring_the_tool():
    workspace = sample_workspace(TABLE, samples=500, rng=random_generator())
    poses = TABLE.forward(workspace.joints)
    np.testing.assert_allclose(workspace.points, poses[:, :3, 3], atol=1e-15)
    np.testing.assert_allclose(workspace.directions, poses[:, :3, 0], atol=1e-15)


def test_postures_are_inside_the_limits():
    joints = sample_workspace(TABLE, samples=5000, rng=random_generator()).joints
    assert (joints >= TABLE.lower).all()
    assert (joints <= TABLE.upper).all()


def test_same_seed_gives_the_same_postures():
    first, again = (sample_workspace(TABLE, samples=100, rng=random_generator()) for _ in range(2))
    np.testing.assert_array_equal(first.joints, again.joints)


def test_more_postures_than_one_batch_are_all_there():
    workspace = sample_workspace(TABLE, samples=CHUNK + 7, rng=random_generator())
    assert len(workspace.points) == CHUNK + 7
    np.testing.assert_allclose(workspace.points[-1], TABLE.forward(workspace.joints[-1])[:3, 3])


def test_grid_has_every_combination_of_values():
    workspace = sample_workspace(TWO_LINK.dh, grid=5)
    expected = {
        (a, b) for a in np.linspace(-pi, pi, 5) for b in np.linspace(-0.9 * pi, 0.9 * pi, 5)
    }
    assert {tuple(q) for q in workspace.joints} == expected


def test_filter_keeps_only_free_postures():
    workspace = sample_workspace(
        TABLE, samples=2000, rng=random_generator(), is_free=lambda q: q[0] > 0.0
    )
    assert (workspace.joints[:, 0] > 0.0).all()
    assert workspace.rejected == 2000 - len(workspace.points)
    assert 800 < workspace.rejected < 1200


def test_filter_that_refuses_everything_is_an_error_with_the_number():
    with pytest.raises(InvalidInput, match="refused all 50 postures"):
        sample_workspace(TABLE, samples=50, rng=random_generator(), is_free=lambda _: False)


def test_progress_ends_at_the_whole():
    calls = []
    sample_workspace(
        TABLE,
        samples=2 * CHUNK + 5,
        rng=random_generator(),
        on_progress=lambda *call: calls.append(call),
    )
    total = 2 * CHUNK + 5
    assert calls == [(CHUNK, total), (2 * CHUNK, total), (total, total)]


def test_extent_of_a_gantry_is_its_box():
    extent = sample_workspace(GANTRY, grid=2).extent
    np.testing.assert_allclose(extent, [(0.0, 0.0, 0.0), (0.4, 0.3, 0.2)], atol=1e-12)


def test_hull_of_a_gantry_has_the_volume_of_its_box():
    workspace = sample_workspace(GANTRY, grid=3)
    assert workspace.hull_volume == pytest.approx(0.2 * 0.3 * 0.4, rel=1e-9)


def test_volume_of_a_gantry_is_that_of_its_box():
    workspace = sample_workspace(GANTRY, samples=60_000, rng=random_generator())
    assert workspace.volume(cell=0.05) == pytest.approx(0.024, rel=0.35)
    assert workspace.volume(cell=0.02) == pytest.approx(0.024, rel=0.15)


def test_volume_counts_a_cell_once():
    points = np.array(
        [[0.001, 0.001, 0.001], [0.002, 0.003, 0.004], [0.031, 0.0, 0.0], [-0.001, 0, 0]]
    )
    workspace = Workspace(np.zeros((4, 1)), points, points, 0)
    assert workspace.volume(cell=0.01) == pytest.approx(3e-6)


def test_volume_is_not_larger_than_that_of_the_hull():
    workspace = sample_workspace(TABLE, samples=20_000, rng=random_generator())
    assert 0.0 < workspace.volume(cell=0.01) < workspace.hull_volume


def test_flat_workspace_has_no_volume():
    workspace = sample_workspace(TWO_LINK.dh, samples=200, rng=random_generator())
    assert workspace.hull is None
    assert workspace.hull_volume == 0.0


def test_reach_of_two_links_is_a_ring():
    radii = np.linalg.norm(sample_workspace(TWO_LINK.dh, grid=41).points, axis=-1)
    assert radii.max() == pytest.approx(0.5, abs=1e-9)
    # The elbow stops at 0.9 pi, a little before the folded arm of 0.1 m.
    folded = np.sqrt(0.3**2 + 0.2**2 + 2 * 0.3 * 0.2 * np.cos(0.9 * pi))
    assert radii.min() == pytest.approx(folded, abs=1e-9)


def test_random_postures_need_a_generator():
    with pytest.raises(InvalidInput, match=r"pass rng=np.random.default_rng\(seed\)"):
        sample_workspace(TABLE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 0}, "0 samples asked for, allowed 1 to 20,000,000"),
        ({"grid": 1}, "at least 2 values per joint, got 1"),
        ({"grid": 100}, "100 values for 4 joints make 100,000,000 postures, at most 20,000,000"),
    ],
)
def test_impossible_sampling_says_its_number(options, message):
    with pytest.raises(InvalidInput, match=message):
        sample_workspace(TABLE, rng=random_generator(), **options)


@pytest.mark.parametrize("cell", [0.0, -0.01, float("nan")])
def test_cell_without_size_is_refused(cell):
    workspace = sample_workspace(TABLE, samples=10, rng=random_generator())
    with pytest.raises(InvalidInput, match="cell must be positive"):
        workspace.volume(cell)
