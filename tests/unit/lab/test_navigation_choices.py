"""Navigation with parameter files, and with controllers of students, good and hostile."""

import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput
from mecano.core.messages import OccupancyGrid
from mecano.core.poses import Pose2
from mecano.skills.navigation.law_following import LawFollower
from mecano.stages.user_stage import UserStage

GOOD = """
def follow(pose, target, target_twist, speed, limits):
    from math import cos, sin, atan2
    dx, dy = target[0] - pose[0], target[1] - pose[1]
    vx, vy = 2.0 * dx + target_twist[0], 2.0 * dy + target_twist[1]
    c, s = cos(pose[2]), sin(pose[2])
    turn = atan2(sin(target[2] - pose[2]), cos(target[2] - pose[2]))
    left = -s * vx + c * vy
    if limits[1] == 0.0:
        return c * vx + s * vy, 0.0, 2.0 * turn + 3.0 * left
    return c * vx + s * vy, left, 2.0 * turn + target_twist[2]
"""
HOSTILE = {
    "raises": ("    return 1 / 0", "ZeroDivisionError"),
    "hangs": ("    while True: pass", "endless loop"),
    "nan": ("    return float('nan'), 0.0, 0.0", "nan"),
    "nothing": ("    pass", "None"),
    "text": ("    return 'fast'", "fast"),
    "exits": ("    import os; os._exit(3)", "ended"),
    "into a wall": ("    return limits[0], 0.0, 0.0", "steers into an obstacle"),
}


def room() -> OccupancyGrid:
    """Return 6 x 6 m around the origin, with a wall ahead at x = 0.8 m."""
    cells = np.zeros((120, 120), np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = 100
    cells[40:80, 76:78] = 100
    return OccupancyGrid(resolution=0.05, origin=Pose2(-3.0, -3.0), data=cells)


def student(tmp_path, body: str) -> str:
    """Write a controller into a file; return what `--use controller=` takes."""
    file = tmp_path / "student.py"
    text = body if body.startswith("\n") else f"def follow(pose, target, t, speed, limits):\n{body}"
    file.write_text(text)
    return f"{file}:follow"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["madar_base", "crumb"])
def test_a_student_controller_drives_to_a_goal(tmp_path, name):
    with (
        mecano.connect(name, scene="empty") as robot,
        UserStage("controller", student(tmp_path, GOOD)) as stage,
    ):
        robot.base.use_controller(stage)
        goal = Pose2(-1.0, 0.8, 1.0)
        with robot.start_navigation(room(), talk=False) as nav:
            assert isinstance(nav.navigator.controller, LawFollower)
            assert nav.go_to(goal).reached
        assert robot.truth.base_pose().distance_to(goal) < 0.12


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_controller_stops_the_base_and_is_named(tmp_path, name):
    body, says = HOSTILE[name]
    with (
        mecano.connect("madar_base", scene="empty") as robot,
        UserStage("controller", student(tmp_path, body), call_limit=0.5) as stage,
    ):
        robot.base.use_controller(stage)
        with robot.start_navigation(room(), talk=False) as nav:
            result = nav.go_to(Pose2(-1.5, 1.5, 0.0))
        assert result.outcome == "aborted"
        assert says in result.reason
        assert robot.truth.base_pose().x < 0.8 - 0.43, "it is before the wall"


@pytest.mark.slow
def test_a_parameter_file_of_move_base_drives_madar(tmp_path, capsys):
    """Values of MADAR's fact sheet, section 7."""
    file = tmp_path / "madar.yaml"
    file.write_text("""
base_local_planner: dwa_local_planner/DWAPlannerROS
controller_frequency: 20
DWAPlannerROS: {max_vel_x: 0.30, min_vel_x: -0.30, max_vel_y: 0.25, max_vel_theta: 0.8,
  acc_lim_x: 0.5, acc_lim_y: 0.5, acc_lim_theta: 1.0, vx_samples: 9, vy_samples: 9,
  vth_samples: 15, min_vel_trans: 0, forward_point_distance: 0, prune_plan: true}
global_costmap: {robot_radius: 0.45, inflation_layer: {inflation_radius: 0.70}}
""")
    with (
        mecano.connect("madar_base", scene="empty") as robot,
        robot.start_navigation(room(), parameters=file, talk=False) as nav,
    ):
        assert type(nav.navigator.controller).__name__ == "DWA"
        assert nav.navigator.surroundings.footprint.inscribed_radius > 0.45
        assert nav.go_to(Pose2(-0.8, 0.6, 0.0)).reached
    said = capsys.readouterr().err
    assert "DWAPlannerROS.prune_plan" in said
    assert "max_vel_x 0.3 becomes 0.27" in said


@pytest.mark.parametrize("wrong", ["none.yaml", 3, b"x", [], object(), float("nan")])
def test_wrong_parameters_are_refused_in_words(wrong):
    with (
        mecano.connect("madar_base", scene="empty") as robot,
        pytest.raises(InvalidInput, match="parameter"),
    ):
        robot.start_navigation(room(), parameters=wrong)
