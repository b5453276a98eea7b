"""Where a side or a thing on posts is, by points and beams that were made up."""

import math

import numpy as np
import pytest

from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.skills.docking import fit_side
from mecano.skills.posts import Beams, fit_posts

LEGS = ((0.26, 0.46), (-0.26, 0.46), (0.26, -0.46), (-0.26, -0.46))


def side_points(truth: Pose2, rng, *, noise: float = 0.005, count: int = 300) -> np.ndarray:
    """Return points on a side of 0.8 m, noisy across it; `truth` looks out of it."""
    rows = []
    for y in np.linspace(-0.4, 0.4, count):
        at = truth @ Pose2(noise * rng.standard_normal(), float(y), 0.0)
        rows.append([at.x, at.y])
    return np.array(rows)


@pytest.mark.parametrize("seed", range(12))
def test_a_side_is_found_wherever_it_is_and_its_uncertainty_covers_the_error(seed):
    rng = np.random.default_rng(seed)
    x, y, yaw = rng.uniform(-3.0, 3.0, 3)
    truth = Pose2(x, y, yaw)
    before = truth @ Pose2(0.5, 0.1, 0.0)
    side = fit_side(side_points(truth, rng), np.array([before.x, before.y]))
    off = truth.inverse() @ side.middle
    assert abs(off.x) < 0.0015 and abs(off.y) < 0.003
    assert abs(off.yaw) < 4.0 * side.turn_spread < 0.01
    assert side.length == pytest.approx(0.8, abs=0.005)
    assert side.spread == pytest.approx(0.005, rel=0.3)


def test_what_lies_beside_a_side_does_not_turn_it():
    rng = np.random.default_rng(0)
    points = side_points(Pose2(0.0, 0.0, 0.0), rng, noise=0.001)
    stray = np.column_stack([np.full(10, -0.3), np.linspace(0.2, 0.4, 10)])
    side = fit_side(np.concatenate([points, stray]), np.array([1.0, 0.0]))
    assert abs(side.middle.yaw) < 0.003 and abs(side.middle.x) < 0.002


def test_a_base_stands_before_the_side_that_it_saw():
    side = fit_side(np.array([[0.0, -1.0], [0.0, 0.0], [0.0, 1.0]]), np.array([2.0, 0.0]))
    stand = side.standing(0.5, 0.2, math.pi)
    assert (stand.x, stand.y) == pytest.approx((0.5, 0.2)) and abs(stand.yaw) == pytest.approx(
        math.pi
    )


@pytest.mark.parametrize("points", [np.zeros((2, 2)), np.zeros((5, 2)), np.zeros((5, 3))])
def test_points_that_are_no_side_are_refused(points):
    with pytest.raises(InvalidInput, match="a side is found by"):
        fit_side(points, np.zeros(2))


def beams_at(table: Pose2, offsets, rng, *, noise: float = 0.02, scans: int = 20) -> Beams:
    """Return what scanners read of round legs of a table, each off by a length of its own."""
    mounts = ((0.35, 0.0), (-0.175, 0.303), (-0.175, -0.303))
    legs = [(table @ Pose2(x, y, 0.0)) for x, y in LEGS]
    rows = []
    for scanner, mount in enumerate(mounts):
        for angle in np.radians(np.arange(-180.0, 180.0)):
            d = np.array([math.cos(angle), math.sin(angle)])
            near = math.inf
            for leg in legs:
                to = np.array([leg.x, leg.y]) - mount
                along, across = float(d @ to), float(d[0] * to[1] - d[1] * to[0])
                if along > 0.0 and abs(across) < 0.02:
                    near = min(near, along - math.sqrt(0.02**2 - across**2))
            if math.isfinite(near):
                for _ in range(scans):
                    read = near + offsets[scanner] + noise * rng.standard_normal()
                    rows.append([*mount, *d, read, scanner])
    table_of = np.array(rows)
    return Beams(
        origins=table_of[:, :2], directions=table_of[:, 2:4], ranges=table_of[:, 4],
        scanners=table_of[:, 5].astype(int),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_a_table_is_found_by_its_legs_though_the_scanners_are_off(seed):
    rng = np.random.default_rng(seed)
    dx, dy, turn = rng.uniform(-1.0, 1.0, 3)
    truth = Pose2(1.15 + 0.1 * dx, 0.1 * dy, math.radians(10.0) * turn)
    offsets = np.clip(0.02 * rng.standard_normal(3), -0.06, 0.06)
    guess = Pose2(1.15, 0.0, 0.0)
    fit = fit_posts(
        beams_at(truth, offsets, rng), LEGS, guess, half_width=0.02, noise=0.02, offset=0.02
    )
    assert fit is not None and fit.posts >= 2
    off = truth.inverse() @ fit.pose
    assert math.hypot(off.x, off.y) < 0.015 and abs(off.yaw) < 0.015


def test_no_legs_are_said_and_not_made_up():
    rng = np.random.default_rng(0)
    beams = beams_at(Pose2(1.15, 0.0, 0.0), np.zeros(3), rng)
    far = Pose2(4.0, 3.0, 0.0)
    assert fit_posts(beams, LEGS, far, half_width=0.02, noise=0.02, offset=0.02) is None
