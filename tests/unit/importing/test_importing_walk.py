"""Imported robots on legs: `robot.legs`, a static crawl by ground truth, and honest refusals."""

import math

import numpy as np
import pytest
from robot_files import dog_urdf, humanoid_urdf, write_urdf

import mecano
from mecano.core.errors import InvalidInput
from mecano.parts.crawls import fit_pose
from mecano.parts.standing_legs import StandingLegs
from mecano.planning.crawl import compose, crawl, depth, placed, seen_from, shares
from mecano.tasks.robot_experiments import experiments_of

FEET = np.array([[0.2, 0.13], [0.2, -0.13], [-0.2, 0.13], [-0.2, -0.13]])


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MECANO_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def dog(tmp_path):
    with mecano.connect(write_urdf(tmp_path, dog_urdf())) as robot:
        yield robot


def truth(robot) -> tuple[np.ndarray, np.ndarray]:
    """Return position and rotation of the body by ground truth."""
    robot.world.refresh_poses()
    body = robot.world.data.body(f"{robot.name}/{robot.description.free_body}")
    return body.xpos.copy(), body.xmat.reshape(3, 3).copy()


def test_legs_are_one_part_with_single_legs_by_name_and_number(dog):
    assert isinstance(dog.legs, StandingLegs) and len(dog.legs) == 4
    assert dog.legs["left_front_leg"] is dog.legs[1] is dog.arms["left_front_leg"]
    assert [leg.name for leg in dog.legs] == list(dog.arms) and "legs" in dog.parts
    with pytest.raises(InvalidInput, match="left_front_leg"):
        dog.legs[5]


def test_tips_are_where_the_model_has_the_feet(dog):
    position, rotation = truth(dog)
    for leg, tip in zip(dog.legs, dog.legs.tips, strict=True):
        foot = dog.world.data.body(
            f"{dog.name}/{leg.name.split('_')[1]}_{leg.name.split('_')[0]}_foot"
        )
        np.testing.assert_allclose(position + rotation @ tip, foot.xpos, atol=2e-4)


@pytest.mark.parametrize(
    ("distance", "direction"),
    [(0.1, 0.0), pytest.param(0.1, math.pi / 2, marks=pytest.mark.slow)],
)
def test_crawl_goes_as_far_as_asked_by_ground_truth(dog, distance, direction):
    start, turned = truth(dog)
    result = dog.legs.walk(distance, direction=direction)
    end, upright = truth(dog)
    moved = turned.T @ (end - start)
    wanted = distance * np.array([math.cos(direction), math.sin(direction)])
    assert result.reached, result.message
    assert np.linalg.norm(moved[:2] - wanted) < 0.05 * distance + 0.005
    assert result.distance == pytest.approx(distance, abs=0.01)
    assert upright[2, 2] > math.cos(math.radians(3.0))


@pytest.mark.slow
def test_turn_on_the_spot_by_ground_truth(dog):
    result = dog.legs.walk(time=10.0, speed=0.0, turn=0.1)
    _, rotation = truth(dog)
    heading = math.atan2(rotation[1, 0], rotation[0, 0])
    assert result.reached and heading == pytest.approx(result.turned, abs=0.05) and heading > 0.7


def test_stopped_walk_lands_its_foot_and_stands(dog):
    walk = dog.legs.walk(1.0, wait=False)
    dog.session.run_for(2.2)
    walk.stop()
    result = walk.wait()
    assert result.outcome == "stopped" and result.steps >= 1
    dog.session.run_for(0.5)
    assert np.ptp(dog.legs.tips[:, 2]) < 0.004  # all feet on the floor
    assert dog.legs.at_rest()


def test_robot_that_is_carried_off_its_feet_is_told(dog):
    walk = dog.legs.walk(1.0, wait=False)
    dog.session.run_for(2.0)
    dog.world.model.opt.gravity[2] = 0.5  # lifts it
    result = walk.wait()
    assert result.outcome == "blocked" and "press on the floor" in result.message


@pytest.mark.slow
def test_same_walk_has_the_same_state(tmp_path):
    hashes = set()
    for _ in range(2):
        with mecano.connect(write_urdf(tmp_path, dog_urdf())) as robot:
            robot.legs.walk(0.05)
            hashes.add(robot.world.state_hash())
    assert len(hashes) == 1


def test_walk_is_an_experiment_of_imported_legs(dog):
    assert "walk" in experiments_of(dog.description)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "how far"),
        ({"distance": -1.0}, "distance"),
        ({"distance": 0.1, "speed": 5.0}, "crawl at up to"),
        ({"distance": 0.1, "speed": 0.0}, "other than 0"),
        ({"distance": 0.1, "lift": 9.0}, "lift"),
        ({"distance": 0.1, "turn": math.nan}, "turn"),
    ],
)
def test_nonsense_is_refused_in_words(dog, how, message):
    with pytest.raises(InvalidInput, match=message):
        dog.legs.walk(**how)


def test_two_legs_say_what_is_missing(tmp_path):
    with mecano.connect(write_urdf(tmp_path, humanoid_urdf())) as robot:
        with pytest.raises(InvalidInput, match=r"at least 4 legs.*has 2|hangs or is bolted"):
            robot.legs.walk(0.1)
        assert len(robot.legs) == 2


def test_legs_of_two_joints_say_so(tmp_path):
    text = dog_urdf().replace('_roll" type="revolute"', '_roll" type="fixed"')
    with (
        mecano.connect(write_urdf(tmp_path, text)) as robot,
        pytest.raises(InvalidInput, match="3 joints per leg"),
    ):
        robot.legs.walk(0.1)


# --- the plan


@pytest.mark.parametrize("travel", [(0.08, 0.0, 0.0), (0.0, 0.06, 0.0), (0.03, 0.02, 0.2)])
def test_mass_is_always_inside_the_standing_feet(travel):
    mass = np.array([0.01, -0.005])
    steps = list(crawl(FEET, mass, np.array(travel), 3, margin=0.03, order=[3, 1, 2, 0]))
    standing = FEET.copy()
    for step in steps:
        others = np.delete(standing, step.leg, axis=0)
        assert depth(others, placed(step.body[1], mass)) == pytest.approx(step.margin)
        assert step.margin > 0.029
        standing[step.leg] = step.foot[1]
    end = np.zeros(3)
    for _ in range(3):
        end = compose(end, np.array(travel))
    np.testing.assert_allclose(seen_from(end, standing), FEET, atol=1e-12)


def test_shares_of_the_weight_balance_it():
    point = np.array([0.03, 0.05])
    for air in (None, 3):
        carried = shares(FEET, point, air)
        assert carried.sum() == pytest.approx(1.0) and carried.min() >= 0.0
        np.testing.assert_allclose(carried @ FEET, point, atol=1e-9)
    assert shares(FEET, point, 3)[3] == 0.0


def test_pose_is_found_again_from_points_seen():
    pose = np.array([0.3, -0.2, 0.7])
    np.testing.assert_allclose(fit_pose(seen_from(pose, FEET), FEET), pose, atol=1e-12)
