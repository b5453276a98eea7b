"""One whole run of each robot, by the experiment that shows it best: what `make test` must hold."""

import pytest

from mecano import robots, tasks

RUNS = {
    "open_manipulator_x": ("open_manipulator_x/move-cube", {}),
    "crumb": ("crumb/pick-and-place", {"moves": "A>C"}),
    "youbot": ("youbot/transport", {}),
    "romerin": ("romerin/climb", {"distance": "0.1"}),
    "madar": ("madar/teleop", {}),
}
"""Experiment and options of the robots that a user is shown first."""


@pytest.mark.parametrize("robot", RUNS)
def test_a_whole_run_succeeds(robot):
    name, options = RUNS[robot]
    result = tasks.run_experiment(tasks.get(name), options=options)
    assert result.success, result.remark
    assert result.sim_time_s > 1.0


def test_no_robot_is_left_out():
    """Every robot has a run, or is a variant of one that has."""
    experiments = {name.split("/")[0] for name in tasks.EXPERIMENTS}
    assert set(RUNS) <= experiments
    variants = {name for name in experiments if name.startswith(tuple(f"{r}_" for r in RUNS))}
    assert experiments - variants == set(RUNS) and experiments <= set(robots.ROBOTS)
