"""The youBot's routine: whole, repeatable, and honest when the cube is lost."""

from dataclasses import replace

import numpy as np
import pytest

from mecano import tasks
from mecano.tasks import run_experiment
from mecano.tasks.transport import EXPERIMENT, STAND_OFF, vary
from mecano.tasks.wheel_card import DRIVES


@pytest.mark.slow
@pytest.mark.parametrize("noise", [False, True])
def test_the_cube_comes_to_the_other_table_and_the_stand_off_is_met(noise):
    result = run_experiment(EXPERIMENT, seed=3, noise=noise)
    assert result.success, result.remark
    numbers = {name: float(value) for name, value in result.metrics.items()}
    assert numbers["place_error_mm"] < 10.0 and numbers["home_error_mm"] < 450.0
    assert numbers["lifted_mm"] > 50.0 and numbers["tilt_deg"] < 20.0
    for number in (1, 2):
        assert abs(numbers[f"stand_off_error_{number}_mm"]) < 2.0
        assert numbers[f"distance_{number}_after_m"] == pytest.approx(STAND_OFF, abs=0.001)


@pytest.mark.slow
def test_a_cube_that_is_not_there_is_said_and_nothing_hangs():
    def away(spec):
        spec.body("cube").pos = [-0.95, 1.4, 0.115]  # on the table, far from where it should be

    result = run_experiment(replace(EXPERIMENT, vary=lambda rng, seed: [away]), seed=0)
    assert not result.success and "no cube between the fingers" in result.remark
    assert "after 4 tries" in result.remark and result.sim_time_s < 130.0


@pytest.mark.slow
def test_a_cube_that_falls_from_the_tray_is_the_reason():
    thrown = []

    def watch(robot):
        def throw(session):
            cube = robot.world.data.joint("cube")
            moving = abs(robot.base.speed[0]) > 0.2 and session.time > 70.0
            if moving and cube.qpos[2] > 0.16 and not thrown:
                thrown.append(session.time)
                cube.qvel[:3] = [0.0, 2.0, 1.0]

        robot.session.observers.append(throw)

    result = run_experiment(EXPERIMENT, seed=3, watch=watch)
    assert thrown and not result.success
    assert "fell to the floor" in result.remark and "no cube between the fingers" in result.remark


def test_what_varies_stays_within_what_a_blind_robot_can_take():
    class Body:
        def __init__(self, pos):
            self.pos, self.quat = np.array(pos, float), [1.0, 0.0, 0.0, 0.0]
            self.name = "cube"

    class Spec:
        def __init__(self):
            self.base, self.cube = Body([0, 0, 0]), Body([-0.6325, 1.195, 0.115])
            self.base.name = "youbot/base_footprint"
            self.bodies = [self.base]

        def body(self, name):
            return {"cube": self.cube}[name]

    rows = []
    for seed in range(200):
        spec = Spec()
        for change in vary(np.random.default_rng(seed), seed):
            change(spec)
        robot, cube = spec.base, spec.cube
        turns = [2 * np.degrees(np.arctan2(b.quat[3], b.quat[0])) for b in (robot, cube)]
        rows.append([*robot.pos[:2], *(cube.pos[:2] - [-0.6325, 1.195]), *turns])
    most = np.abs(rows).max(axis=0)
    np.testing.assert_array_less(most, [0.05, 0.05, 0.010, 0.006, 5.0, 15.0])
    np.testing.assert_array_less([0.045, 0.045, 0.009, 0.005, 4.5, 13.5], most)


# --- the wheel card


@pytest.mark.slow
def test_balls_keep_the_bars_of_the_card():
    result = run_experiment(tasks.get("youbot/wheel-card"))
    assert result.success, result.remark
    for name in DRIVES:
        assert float(result.metrics.get(f"{name}_path_error_percent", 0.0)) < 0.3
        assert float(result.metrics.get(f"{name}_yaw_error_percent", 0.0)) < 0.1


@pytest.mark.slow
def test_rollers_lose_sideways_as_real_ones_do():
    metrics = run_experiment(tasks.get("youbot_rollers/wheel-card")).metrics
    assert 0.3 < float(metrics["sideways_path_error_percent"]) < 5.0
    assert float(metrics["forward_path_error_percent"]) < 1.0
