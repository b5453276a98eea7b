import json

import pytest

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.estimation.localization.amcl_tables import ALIASES
from mecano.estimation.localization.settings import AmclSettings
from mecano.robots.madar.paper import AMCL as MADAR_PAPER


def test_the_table_of_madars_paper_loads_as_it_is():
    settings = AmclSettings.from_table(MADAR_PAPER)
    assert (settings.min_particles, settings.max_particles) == (500, 3000)
    assert settings.odom_model_type == "omni-corrected"
    assert settings.odom_alpha5 == 0.2  # not in the table: AMCL's own
    assert settings.kld_z == 0.99
    assert not settings.recovers
    assert settings.initial_pose == Pose2()
    assert settings.gui_publish_rate == 50.0


def test_what_has_no_meaning_here_is_told():
    notes = "\n".join(AmclSettings.from_table(MADAR_PAPER).notes)
    assert "gui_publish_rate has no effect" in notes
    assert "transform_tolerance" in notes


def test_shares_that_do_not_add_up_are_told():
    table = {**MADAR_PAPER, "laser_model_type": "beam"}
    assert "add up to 1.1" in "\n".join(AmclSettings.from_table(table).notes)


def test_presets_are_named():
    assert AmclSettings.preset("amcl").laser_max_beams == 30
    assert AmclSettings.preset().recovers
    with pytest.raises(UnknownName, match="amcl"):
        AmclSettings.preset("madar")


@pytest.mark.parametrize("name", sorted(ALIASES))
def test_short_names_mean_the_long_ones(name):
    value = "diff" if name == "robot_model_type" else 7 if name == "max_beams" else 0.3
    assert getattr(AmclSettings.from_table({name: value}), ALIASES[name]) == value


def test_ros2_names_of_models_are_understood():
    table = {"robot_model_type": "nav2_amcl::OmniMotionModel"}
    assert AmclSettings.from_table(table).odom_model_type == "omni-corrected"


NAV2 = """
bt_navigator:
  ros__parameters: {use_sim_time: true, odom_topic: /odom}
amcl:
  ros__parameters:
    use_sim_time: true
    alpha1: 0.3
    base_frame_id: "base_footprint"
    beam_skip_distance: 0.5
    do_beamskip: false
    global_frame_id: "map"
    lambda_short: 0.1
    laser_likelihood_max_dist: 2.0
    laser_max_range: 100.0
    laser_model_type: "likelihood_field"
    max_beams: 60
    max_particles: 2000
    min_particles: 400
    pf_err: 0.05
    pf_z: 0.98
    robot_model_type: "nav2_amcl::DifferentialMotionModel"
    save_pose_rate: 0.5
    sigma_hit: 0.2
    tf_broadcast: true
    transform_tolerance: 1.0
    z_hit: 0.5
    z_rand: 0.5
    scan_topic: scan
    map_topic: map
    first_map_only: false
    always_reset_initial_pose: false
    set_initial_pose: true
    initial_pose: {x: 0.5, y: 0.05, z: 0.0, yaw: -2.26}
    qos_overrides: {/tf: {publisher: {depth: 5}}}
"""


def test_a_file_of_nav2_is_understood(tmp_path):
    (tmp_path / "nav2_params.yaml").write_text(NAV2)
    settings = AmclSettings.from_table(tmp_path / "nav2_params.yaml")
    assert settings.initial_pose == Pose2(0.5, 0.05, -2.26)
    assert (settings.min_particles, settings.max_particles) == (400, 2000)
    assert (settings.kld_err, settings.kld_z, settings.odom_alpha1) == (0.05, 0.98, 0.3)
    assert settings.odom_model_type == "diff-corrected"
    notes = "\n".join(settings.notes)
    assert "base_frame_id, global_frame_id have no effect" in notes
    assert "scan_topic, map_topic" in notes


def test_a_start_that_nav2_does_not_set_is_none():
    table = {"set_initial_pose": False, "initial_pose": {"x": 1.0, "yaw": 2.0}}
    settings = AmclSettings.from_table(table)
    assert settings.initial_pose is None
    assert "set_initial_pose is false" in settings.notes[-1]


def test_of_a_launch_file_amcls_node_counts(tmp_path):
    (tmp_path / "a.launch").write_text(
        '<launch><arg name="most" default="900"/>'
        '<node pkg="map_server" type="map_server"><param name="frame_id" value="map"/></node>'
        '<node pkg="amcl" type="amcl"><param name="min_particles" value="300"/>'
        '<param name="max_particles" value="$(arg most)"/>'
        "<rosparam>z_hit: 0.7</rosparam></node></launch>"
    )
    settings = AmclSettings.from_table(tmp_path / "a.launch")
    assert (settings.min_particles, settings.max_particles) == (300, 900)
    assert settings.laser_z_hit == 0.7


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yaml", "amcl:\n  ros__parameters:\n    z_hit: 0.5  # share\n    min_particles: 300\n"),
        ("a.toml", "[amcl]\nz_hit = 0.5\nmin_particles = 300\n"),
        ("a.json", json.dumps({"z_hit": 0.5, "min_particles": 300})),
        (
            "a.launch",
            '<launch><node><param name="z_hit" value="0.5"/>'
            '<param name="min_particles" value="300"/></node></launch>',
        ),
    ],
)
def test_files_of_all_kinds_are_read(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    settings = AmclSettings.from_table(tmp_path / name)
    assert (settings.laser_z_hit, settings.min_particles) == (0.5, 300)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"min_particle": 5}, "known AMCL parameters: min_particles"),
        ({"z_hit": float("nan")}, "^z_hit is nan"),
        ({"odom_alpha1": -1.0}, "alpha1"),
        ({"max_particles": 10**9}, "at most 1000000"),
        ({"min_particles": True}, "expected a number"),
        ({"min_particles": "many"}, "min_particles"),
        ({"min_particles": 10.5}, "whole number"),
        ({"z_hit": None}, "laser_z_hit is None"),
        ({"min_particles": 10, "max_particles": 5}, "must not be smaller"),
        ({"laser_model_type": "sonar"}, "likelihood_field"),
        ({"odom_model_type": "tank"}, "diff-corrected"),
        ({"laser_sigma_hit": float("nan")}, "sigma_hit"),
        ({"laser_z_hit": 0.0, "laser_z_rand": 0.0}, "no reading can be weighed"),
        ({"recovery_alpha_slow": 0.1, "recovery_alpha_fast": 0.01}, "must be larger"),
        ({"independent_beams": 0.0}, "above 0"),
        ({"selective_resampling": "perhaps"}, "true or false"),
    ],
)
def test_what_cannot_be_is_refused(table, says):
    with pytest.raises((InvalidInput, UnknownName), match=says):
        AmclSettings.from_table(table)


@pytest.mark.parametrize("text", ["", "just words\n", "{"])
def test_files_that_are_no_tables_are_refused(tmp_path, text):
    path = tmp_path / ("a.json" if text == "{" else "a.yaml")
    path.write_text(text)
    with pytest.raises(InvalidInput, match="a\\."):
        AmclSettings.from_table(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidInput, match=r"none\.yaml"):
        AmclSettings.from_table(tmp_path / "none.yaml")
