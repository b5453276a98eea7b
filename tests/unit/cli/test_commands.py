"""The contract of the command line: keys, numbers, exit codes, one clear line for bad input."""

import math

import numpy as np
import pytest

from mecano import robots
from mecano.kinematics.ik import IKReason

ARM = "open_manipulator_x"
CHAIN = robots.get(ARM).chain()


def test_fk_prints_the_documented_keys(mecano):
    answer = mecano("fk", ARM, 0, -1.0, 1.0, 0, "--json")
    assert answer.code == 0
    assert set(answer.json) == {"position", "quaternion", "pitch", "frame", "chain"}
    assert answer.json["frame"] == "base_link" and answer.json["chain"] == "arm"


def test_fk_of_the_zero_posture_is_the_published_point(mecano):
    pose = mecano("fk", ARM, 0, 0, 0, 0, "--json").json
    assert pose["position"] == pytest.approx([0.286, 0.0, 0.2045], abs=1e-9)
    assert pose["quaternion"] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-9)
    assert pose["pitch"] == pytest.approx(0.0, abs=1e-9)


def test_pitch_is_positive_when_the_nose_is_down(mecano):
    assert mecano("fk", ARM, 0, 0, 0, 0.5, "--json").json["pitch"] == pytest.approx(0.5)


def test_fk_of_an_arm_that_rolls_its_hand_prints_the_roll(mecano):
    pose = mecano("fk", "widowx", 0, 0.4, 0.4, -1.57, 2.0, "--json").json
    assert (pose["pitch"], pose["roll"]) == pytest.approx((1.57, 2.0))
    assert "114.59 deg, about the nose" in mecano("fk", "widowx", 0, 0.4, 0.4, -1.57, 2.0).out


def test_ik_takes_a_roll(mecano):
    answer = mecano(
        "ik", "widowx", 0.2432, 0, 0.12, "--pitch", 1.2, "--roll", "-0.5", "--all", "--json"
    )
    assert answer.code == 0
    assert answer.json["solutions"][0] == pytest.approx(
        [0, 5e-5, -0.070541, -1.129408, -0.5], abs=1e-6
    )
    assert answer.json["nearest"]["roll"] == -0.5


def test_orientation_that_is_not_possible_tells_the_nearest_roll(mecano):
    answer = mecano("ik", "widowx", 0.2, 0.1, 0.2, "--quaternion", 1, 0, 0, 0)
    assert answer.code == 1
    assert "vertical plane of heading 26.6 deg" in answer.out
    assert "at pitch 0.0000 rad and roll 0.0000 rad, 0.0 mm away" in answer.out


def test_chain_with_the_papers_constants_is_selectable(mecano):
    reach = [
        mecano("fk", "widowx", 0, 0, 0, 0, 0, "--chain", chain, "--json").json["position"][0]
        for chain in ("arm", "arm_paper")
    ]
    paper = 0.1528 * math.cos(1.2496) + 0.1423 + 0.1221
    assert reach == pytest.approx([0.33728, paper], abs=1e-9)


def test_ik_prints_the_documented_keys(mecano):
    answer = mecano("ik", ARM, 0.1, 0.1, 0.2, "--pitch", 0, "--json")
    assert answer.code == 0
    assert set(answer.json) == {
        "reached", "solutions", "reason", "message", "shortfall_mm", "nearest",
        "frame", "chain",
    }  # fmt: skip
    assert set(answer.json["nearest"]) == {"position", "pitch", "joints"}
    assert answer.json["reason"] is None and answer.json["shortfall_mm"] == 0.0


def test_ik_finds_the_published_solution(mecano):
    answer = mecano("ik", ARM, 0.1, 0.1, 0.2, "--pitch", 0, "--json").json
    assert answer["solutions"][0] == pytest.approx(
        [0.849141, -1.146170, 0.740823, 0.405347], abs=1e-6
    )


def test_negative_numbers_are_numbers(mecano):
    answer = mecano("ik", ARM, -0.1, "-.1", "-1e-1", "--pitch", "-0.1", "--json")
    assert answer.code in (0, 1)
    assert answer.json["nearest"]["joints"]


def test_ik_of_fk_gives_the_joints_back(mecano):
    pose = mecano("fk", ARM, 0.3, -0.8, 0.5, 0.9, "--json").json
    answer = mecano("ik", ARM, *pose["position"], "--pitch", pose["pitch"], "--all", "--json").json
    assert np.abs(np.array(answer["solutions"]) - [0.3, -0.8, 0.5, 0.9]).max(axis=1).min() < 1e-9


def test_ik_of_a_quaternion_gives_the_joints_back(mecano):
    pose = mecano("fk", ARM, 0.3, -0.8, 0.5, 0.9, "--json").json
    answer = mecano(
        "ik", ARM, *pose["position"], "--quaternion", *pose["quaternion"], "--json"
    ).json
    assert answer["solutions"][0] == pytest.approx([0.3, -0.8, 0.5, 0.9], abs=1e-6)


def test_all_gives_every_branch_and_without_it_one(mecano):
    point = (0.01, 0.12, 0.34, "--pitch", -1.4, "--json")
    assert len(mecano("ik", ARM, *point).json["solutions"]) == 1
    assert len(mecano("ik", ARM, *point, "--all").json["solutions"]) == 2


def test_start_posture_decides_which_solution_comes_first(mecano):
    point = (0.01, 0.12, 0.34, "--pitch", -1.4, "--json")
    first = mecano("ik", ARM, *point, "--start", "-1.5,-1.6,0,0.2").json["solutions"][0]
    assert first[0] == pytest.approx(-1.5541, abs=1e-3)


def test_a_miss_exits_1_and_explains_itself(mecano):
    answer = mecano("ik", ARM, 0.5, 0, 0.1, "--pitch", 0.3, "--json")
    assert answer.code == 1
    assert answer.json["reached"] is False and answer.json["solutions"] == []
    assert answer.json["reason"] == "too_far" and "mm too far" in answer.json["message"]
    assert answer.json["shortfall_mm"] == pytest.approx(124.587, abs=0.01)
    nearest = answer.json["nearest"]
    reached = CHAIN.forward(nearest["joints"])[:3, 3]
    assert reached.tolist() == pytest.approx(nearest["position"], abs=1e-9)


def test_a_miss_reads_well_without_json(mecano):
    answer = mecano("ik", ARM, 0.05, 0, 0.1, "--pitch", 0)
    assert answer.code == 1
    assert "not reached: joint2 over its limit by 0.656 rad" in answer.out
    assert "nearest" in answer.out and "mm away" in answer.out


def test_every_reason_code_is_in_the_help(mecano):
    text = mecano("ik", "--help").out
    for reason in IKReason:
        assert reason in text


def test_batch_gives_a_list_in_order(mecano, tmp_path):
    file = tmp_path / "poses.csv"
    file.write_text("x,y,z,pitch\n0.1,0.1,0.2,0\n0.5,0,0.1,0\n0.2,0,0.1,\n")
    answer = mecano("ik", ARM, "--batch", file, "--json")
    assert answer.code == 1
    assert [row["reached"] for row in answer.json] == [True, False, True]


def test_list_has_the_documented_keys(mecano):
    names = mecano("list", "--json").json
    assert set(names) == {"robots", "parts", "scenes", "experiments"}
    assert ARM in names["robots"] and "two_link" in names["parts"]
    assert "table" in names["scenes"] and "open_manipulator_x/move-cube" in names["experiments"]


@pytest.mark.parametrize(
    "command", ["list", "info", "fk", "ik", "derive", "workspace", "check-stage", "bench", "mesh"]
)
def test_help_has_an_example(mecano, command):
    answer = mecano(command, "--help")
    assert answer.code == 0
    assert f"mecano {command}" in " ".join(answer.out.replace("│", " ").split())


def test_info_shows_limits_with_units(mecano):
    answer = mecano("info", ARM)
    assert answer.code == 0
    assert "162.0 deg" in answer.out and "rad" in answer.out


def test_workspace_repeats_with_the_same_seed(mecano):
    first = mecano("workspace", ARM, "--samples", 2000, "--seed", 4, "--json").json
    again = mecano("workspace", ARM, "--samples", 2000, "--seed", 4, "--json").json
    assert first == again and 0.1 < first["hull_volume"] < 0.25


def test_workspace_points_are_saved_with_units(mecano, tmp_path):
    assert mecano("workspace", ARM, "--samples", 50, "--save", tmp_path / "p.csv").code == 0
    lines = (tmp_path / "p.csv").read_text().splitlines()
    assert lines[0] == "x_m,y_m,z_m" and len(lines) == 51


def test_workspace_picture_is_written(mecano, tmp_path):
    assert mecano("workspace", ARM, "--samples", 50, "--save", tmp_path / "p.png").code == 0
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_demo_ends_by_itself_with_a_result_card(mecano):
    answer = mecano("demo", "--no-wait")
    assert answer.code == 0 and "success" in answer.out and "worst error mm" in answer.out


def test_tour_ends_by_itself(mecano):
    answer = mecano("tour")
    assert answer.code == 0 and "your turn" in answer.out


def test_version(mecano):
    from mecano import __version__

    assert mecano("--version").out.strip() == f"mecano {__version__}"


class TestBadInput:
    def test_unknown_robot_lists_the_known_ones(self, fails_cleanly):
        fails_cleanly("fk", "open_manipulator", 0, says=("open_manipulator_x", "did you mean"))

    def test_unknown_chain_lists_the_known_ones(self, fails_cleanly):
        fails_cleanly("ik", ARM, 0.1, 0, 0.1, "--chain", "leg3", says=("leg3", "arm"))

    def test_wrong_number_of_joints_names_them(self, fails_cleanly):
        fails_cleanly("fk", ARM, 0, 0, says=("2 joint values", "4", "joint1"))

    @pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
    def test_numbers_must_be_finite(self, fails_cleanly, value):
        fails_cleanly("fk", ARM, 0, 0, 0, value, says=("finite",))
        fails_cleanly("ik", ARM, value, 0, 0, says=("finite",))
        fails_cleanly("ik", ARM, 0.1, 0, 0.1, "--pitch", value, says=("finite",))

    def test_limits_are_refused_with_a_way_out(self, fails_cleanly, mecano):
        fails_cleanly("fk", ARM, 0, 0, 2.5, 0, says=("joint3", "2.5", "1.3823", "--no-limits"))
        assert mecano("fk", ARM, 0, 0, 2.5, 0, "--no-limits").code == 0

    def test_words_for_numbers(self, mecano):
        answer = mecano("fk", ARM, "zero", 0, 0, 0)
        assert answer.code == 2 and "Traceback" not in answer.err

    def test_a_point_needs_three_numbers(self, fails_cleanly):
        fails_cleanly("ik", ARM, 0.1, 0.2, says=("x, y and z",))

    def test_pitch_with_quaternion(self, fails_cleanly):
        fails_cleanly(
            "ik", ARM, 0.1, 0, 0.1, "--pitch", 0, "--quaternion", 1, 0, 0, 0, says=("not both",)
        )

    def test_roll_of_an_arm_that_cannot_roll(self, fails_cleanly):
        fails_cleanly("ik", ARM, 0.1, 0, 0.1, "--roll", 0.5, says=("arm", "leave the roll out"))

    def test_roll_and_quaternion_at_once(self, fails_cleanly):
        fails_cleanly(
            "ik", "widowx", 0.1, 0, 0.1, "--roll", 0, "--quaternion", 1, 0, 0, 0, says=("not both",)
        )

    def test_quaternion_of_zero_length(self, fails_cleanly):
        fails_cleanly("ik", ARM, 0.1, 0, 0.1, "--quaternion", 0, 0, 0, 0, says=("zero",))

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("", "holds no poses"),
            ("x,y,z,pitch\n", "holds no poses"),
            ("0.1,0.1,0.2,0\n0.1,0.1\n", "line 2: 2 values"),
            ("0.1,0.1,0.2,zero\n", "line 1"),
            ("0.1,nan,0.2,0\n", "line 1"),
        ],
    )
    def test_broken_csv_names_the_line(self, fails_cleanly, tmp_path, content, says):
        file = tmp_path / "poses.csv"
        file.write_text(content)
        fails_cleanly("ik", ARM, "--batch", file, says=(says,))

    def test_missing_csv(self, fails_cleanly, tmp_path):
        fails_cleanly(
            "ik", ARM, "--batch", tmp_path / "none.csv", says=("none.csv", "No such file")
        )

    def test_csv_that_is_no_text(self, fails_cleanly, tmp_path):
        (tmp_path / "poses.csv").write_bytes(bytes(range(128, 256)))
        fails_cleanly("ik", ARM, "--batch", tmp_path / "poses.csv", says=("cannot read",))

    def test_batch_with_a_point(self, fails_cleanly, tmp_path):
        fails_cleanly("ik", ARM, 1, 2, 3, "--batch", tmp_path / "p.csv", says=("--batch",))

    def test_unknown_start_posture(self, fails_cleanly):
        fails_cleanly("ik", ARM, 0.1, 0, 0.1, "--start", "hme", says=("home",))

    def test_workspace_file_of_unknown_kind(self, fails_cleanly):
        fails_cleanly("workspace", ARM, "--save", "x.doc", says=(".csv", ".png"))

    def test_workspace_in_a_folder_that_is_not_there(self, fails_cleanly, tmp_path):
        file = tmp_path / "no" / "p.csv"
        fails_cleanly("workspace", ARM, "--samples", 20, "--save", file, says=("cannot write",))

    def test_a_grid_too_large_for_memory(self, fails_cleanly):
        fails_cleanly("workspace", ARM, "--grid", 1000, says=("at most",))

    def test_misspelt_option(self, mecano):
        answer = mecano("ik", ARM, 0.1, 0, 0.1, "--picth", 0.5)
        assert answer.code == 2 and "Traceback" not in answer.err

    def test_missing_extra_gives_the_install_line(self, fails_cleanly, monkeypatch, tmp_path):
        import sys

        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        file = tmp_path / "p.png"
        fails_cleanly(
            "workspace", ARM, "--samples", 20, "--save", file, says=("pip install 'mecano[teach]'",)
        )


def test_free_pitch_is_reported(mecano):
    answer = mecano("ik", ARM, 0.25, 0.1, 0.1, "--json").json
    assert answer["reached"] and "pitch was free" in answer["message"]
    assert math.isclose(answer["nearest"]["pitch"], 0.0, abs_tol=1e-9)


def test_ik_of_one_of_two_arms_gives_the_roll(mecano):
    answer = mecano("ik", "madar", 5, 0.3, 1, "--chain", "left", "--json")
    assert answer.code == 1 and "roll" in answer.json["nearest"]


def test_names_of_joints_are_not_cut_short(mecano):
    assert "right_shoulder_lift_joint" in mecano("info", "madar").out
    assert "shoulder_lift" in mecano("ik", "madar", 0.5, -0.3, 1.0).out
