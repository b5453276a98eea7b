"""Parameter files of move_base and Nav2: known names are mapped, wrong values refused."""

import pytest

from mecano.core.errors import InvalidInput
from mecano.lab.navigation_files import load_navigation_parameters
from mecano.skills.navigation.parameters import NavigatorParameters
from mecano.skills.navigation.ros_parameters import read_ros_parameters

MOVE_BASE = """
base_local_planner: dwa_local_planner/DWAPlannerROS
base_global_planner: navfn/NavfnROS
controller_frequency: 10.0
planner_patience: 4
conservative_reset_dist: 2.5
recovery_behavior_enabled: false
shutdown_costmaps: false
DWAPlannerROS:
  max_vel_x: 0.30
  min_vel_x: -0.30
  max_vel_y: 0.25
  max_rot_vel: 0.8
  acc_lim_x: 0.5
  xy_goal_tolerance: 0.08
  vx_samples: 9
  vth_samples: 15
  sim_time: 1.5
  forward_point_distance: 0
global_costmap:
  robot_radius: 0.45
  inflation_layer: {inflation_radius: 0.70}
  obstacle_layer: {observation_sources: scan}
local_costmap:
  inflation_layer: {inflation_radius: 0.55}
NavfnROS: {allow_unknown: true}
"""
NAV2 = """
controller_server:
  ros__parameters:
    use_sim_time: true
    controller_frequency: 20.0
    progress_checker:
      plugin: "nav2_controller::SimpleProgressChecker"
      required_movement_radius: 0.4
      movement_time_allowance: 12.0
    goal_checker: {xy_goal_tolerance: 0.2, yaw_goal_tolerance: 0.3}
    FollowPath:
      plugin: "nav2_mppi_controller::MPPIController"
      time_steps: 30
      batch_size: 400
      vx_max: 0.3
      vx_min: -0.2
      wz_max: 0.8
planner_server:
  ros__parameters:
    GridBased: {plugin: "nav2_navfn_planner/NavfnPlanner", allow_unknown: false}
global_costmap:
  global_costmap:
    ros__parameters:
      footprint: "[[0.3, 0.2], [0.3, -0.2], [-0.3, -0.2], [-0.3, 0.2]]"
      inflation_layer: {inflation_radius: 0.6, cost_scaling_factor: 3.0}
      obstacle_layer: {scan: {obstacle_max_range: 2.0, raytrace_max_range: 2.5}}
"""


@pytest.fixture
def load(tmp_path, capsys):
    """Write a text into a file and load it; returns the parameters and what was said."""

    def load(text: str):
        file = tmp_path / "params.yaml"
        file.write_text(text)
        return load_navigation_parameters(file), capsys.readouterr().err

    return load


def test_files_of_move_base(load):
    found, said = load(MOVE_BASE)
    own = found.navigator
    assert (own.controller_frequency, own.planner_patience, own.conservative_reset_dist) == (
        10.0, 4.0, 2.5,
    )  # fmt: skip
    assert own.recovery_behavior_enabled is False
    assert own.xy_goal_tolerance == 0.08
    assert found.controller == "dwa"
    assert found.limits == {
        "max_vel_x": 0.30, "min_vel_x": -0.30, "max_vel_y": 0.25, "max_vel_theta": 0.8,
        "acc_lim_x": 0.5,
    }  # fmt: skip
    assert found.controller_parameters == {
        "vx_samples": 9, "vth_samples": 15, "sim_time": 1.5, "forward_point_distance": 0,
    }  # fmt: skip
    assert found.costmap == {"robot_radius": 0.45, "inflation_radius": 0.70}
    assert found.allow_unknown is True
    assert set(found.unused) == {
        "shutdown_costmaps", "global_costmap.obstacle_layer.observation_sources",
    }  # fmt: skip
    assert "2 parameters mean nothing here" in said


def test_files_of_nav2(load):
    found, said = load(NAV2)
    own = found.navigator
    assert (own.required_movement_radius, own.movement_time_allowance) == (0.4, 12.0)
    assert (own.xy_goal_tolerance, own.yaw_goal_tolerance) == (0.2, 0.3)
    assert found.controller == "mppi"
    assert found.controller_parameters == {"time_steps": 30, "batch_size": 400}
    assert found.limits == {"max_vel_x": 0.3, "min_vel_x": -0.2, "max_vel_theta": 0.8}
    assert len(found.costmap["footprint"]) == 4
    assert found.costmap["raytrace_max_range"] == 2.5
    assert found.allow_unknown is False
    assert "controller_server.use_sim_time" in said


def test_an_empty_tree_leaves_ours():
    assert read_ros_parameters({}, "a.yaml").navigator == NavigatorParameters()


def test_nav2_writes_decelerations_below_zero():
    assert read_ros_parameters({"decel_lim_x": -2.5}, "a").limits == {"decel_lim_x": 2.5}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("controller_frequency: fast", "controller_frequency"),
        ("controller_frequency: 0", "controller_frequency"),
        ("planner_patience: .nan", "planner_patience"),
        ("DWAPlannerROS: {max_vel_x: [1, 2]}", "DWAPlannerROS.max_vel_x"),
        ("DWAPlannerROS: {max_vel_x: -1}", "DWAPlannerROS.max_vel_x"),
        ("recovery_behavior_enabled: 3", "recovery_behavior_enabled"),
        ("NavfnROS: {allow_unknown: maybe}", "allow_unknown"),
        ("footprint: '[[0, 1], [2'", "footprint"),
        ("footprint: [[1, 2, 3]]", "footprint"),
        ("footprint: __import__('os')", "footprint"),
        ("[1, 2, 3]", "holds no parameters"),
        ("", "holds no parameters"),
        ("a: [1", "broken YAML"),
        ("{a: 1, a: 2}", "broken YAML"),
        ("!!python/object:os.system x", "broken YAML"),
    ],
)
def test_what_is_wrong_is_refused_in_words(load, text, says):
    with pytest.raises(InvalidInput, match=r"params\.yaml") as caught:
        load(text)
    assert says in str(caught.value)


@pytest.mark.parametrize("name", ["none.yaml", ".", "text\0.yaml"])
def test_files_that_cannot_be_read_are_named(tmp_path, name):
    with pytest.raises(InvalidInput):
        load_navigation_parameters(tmp_path / name)


def test_bytes_are_no_parameter_file(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_navigation_parameters(file)
