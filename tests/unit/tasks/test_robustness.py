"""An experiment under one change at a time: what is changed, and what is counted."""

import math

import numpy as np
import pytest

from mecano import robots, tasks
from mecano.core.errors import InvalidInput
from mecano.tasks.experiment import RunResult
from mecano.tasks.robustness import CELLS, Disturbance, _row, disturbed, robustness
from mecano.world.assembly import Placement, assemble

CUBE = "open_manipulator_x/move-cube"


def model(disturbance, name=CUBE, seed=3):
    """Return the model of an experiment's world under a disturbance."""
    experiment = disturbed(tasks.get(name), disturbance)
    changes = experiment.vary(np.random.default_rng(seed), seed)
    robot = robots.get(experiment.robot)
    placed = [Placement(robot=robot, prefix=f"{experiment.robot}/")]
    return assemble(placed, scene=experiment.scene, changes=changes).compile()


@pytest.fixture(scope="module")
def nominal():
    return model(Disturbance("nominal"))


def test_a_larger_cube_stands_on_the_table_as_before(nominal):
    larger = model(Disturbance("size", 1.2))
    edge = nominal.geom("cube").size[0]
    assert larger.geom("cube").size[0] == pytest.approx(1.2 * edge)
    assert larger.body("cube").pos[2] - 1.2 * edge == pytest.approx(
        nominal.body("cube").pos[2] - edge
    )
    assert larger.body("cube").mass[0] == pytest.approx(nominal.body("cube").mass[0])


@pytest.mark.parametrize(("kind", "value"), [("mass", 3.0), ("friction", 0.6)])
def test_factors_multiply(nominal, kind, value):
    changed = model(Disturbance(kind, value))
    read = {"mass": lambda m: m.body("cube").mass[0], "friction": lambda m: m.geom("cube").friction}
    np.testing.assert_allclose(read[kind](changed), value * np.asarray(read[kind](nominal)))


def test_a_robot_that_stands_off_takes_its_camera_along(nominal):
    off = model(Disturbance("base", 0.05))
    for body in ("link1", "camera_stand_link"):
        moved = (
            off.body(f"open_manipulator_x_camera/{body}").pos
            - nominal.body(f"open_manipulator_x_camera/{body}").pos
        )
        assert np.linalg.norm(moved) == pytest.approx(0.05)


def test_a_turned_robot_turns_on_the_spot(nominal):
    turned = model(Disturbance("turn", 5.0))
    name = "open_manipulator_x_camera/link1"
    np.testing.assert_allclose(turned.body(name).pos, nominal.body(name).pos, atol=1e-12)
    assert abs(2.0 * math.asin(turned.body(name).quat[3])) == pytest.approx(math.radians(5.0))


def test_cells_have_names_with_units():
    names = [cell.name for cell in CELLS]
    assert len(set(names)) == len(names)
    assert {"nominal", "size x0.8", "base 5 cm off", "base 5 deg turned"} <= set(names)


def run(seed, success, remark="", moves=0):
    return RunResult(
        experiment=CUBE, success=success, seed=seed, state_hash="", metrics={"moves": moves},
        sim_time_s=1.0, wall_time_s=1.0, remark=remark,
    )  # fmt: skip


def test_a_refusal_before_anything_moved_is_no_failure():
    runs = [run(0, True, moves=3), run(1, False, "too_wide: 50 mm"), run(2, False, "lost: it fell"),
            run(3, False, "too_wide: 50 mm", moves=1)]  # fmt: skip
    row = _row(Disturbance("size", 1.2), runs)
    assert (row["successes"], row["refused"], row["failures"]) == (1, 1, 2)
    assert row["said"]["too_wide: 50 mm"] == 2 and row["seeds_without_success"] == [1, 2, 3]


def test_an_experiment_without_objects_is_refused():
    with pytest.raises(InvalidInput, match=r"does not say which objects"):
        robustness("crumb/drive-test", [0])
