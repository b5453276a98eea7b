import json

import pytest

from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.poses import Pose2
from mecano.estimation.localization.settings import ALIASES, MADAR_PAPER, AmclSettings


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
    assert "gui_publish_rate is kept" in notes
    assert "transform_tolerance" in notes


def test_shares_that_do_not_add_up_are_told():
    table = {**MADAR_PAPER, "laser_model_type": "beam"}
    assert "add up to 1.1" in "\n".join(AmclSettings.from_table(table).notes)


def test_presets_are_named():
    assert AmclSettings.preset("madar_paper").laser_max_beams == 180
    assert AmclSettings.preset("amcl").laser_max_beams == 30
    assert AmclSettings.preset().recovers
    with pytest.raises(UnknownName, match="madar_paper"):
        AmclSettings.preset("madar")


@pytest.mark.parametrize("name", sorted(ALIASES))
def test_short_names_mean_the_long_ones(name):
    value = "diff" if name == "robot_model_type" else 7 if name == "max_beams" else 0.3
    assert getattr(AmclSettings.from_table({name: value}), ALIASES[name]) == value


def test_ros2_names_of_models_are_understood():
    table = {"robot_model_type": "nav2_amcl::OmniMotionModel"}
    assert AmclSettings.from_table(table).odom_model_type == "omni-corrected"


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
        ({"min_particle": 5}, "min_particles"),
        ({"min_particles": "many"}, "min_particles"),
        ({"min_particles": 10.5}, "whole number"),
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
