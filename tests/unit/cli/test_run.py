"""`mecano run` and `mecano evaluate`: the contract, exit codes, bad input."""

import json
from pathlib import Path

import pytest

CUBE = "open_manipulator_x/move-cube"
FAST = "open_manipulator_x/overweight"

QUICK = '''
"""A program of a user."""

def run(robot):
    return robot.arm.move_joints([0.1, -1.0, 1.0, 0.0]).reached
'''


@pytest.fixture
def quick(tmp_path):
    file = tmp_path / "quick.py"
    file.write_text(QUICK)
    return file


def test_a_run_answers_with_the_documented_keys(mecano):
    answer = mecano("run", FAST, "--json")
    assert answer.code == 0
    assert {
        "experiment", "success", "seed", "state_hash", "metrics", "sim_time_s", "wall_time_s",
    } <= set(answer.json)  # fmt: skip
    assert answer.json["success"] is True and answer.json["experiment"] == FAST


def test_several_runs_answer_with_a_summary(mecano, quick):
    answer = mecano("run", quick, "--runs", 3, "--seed", 5, "--json").json
    assert [run["seed"] for run in answer["runs"]] == [5, 6, 7]
    assert answer["summary"]["success_rate"] == 1.0
    assert answer["summary"]["interval_95"][0] < 0.9


def test_the_same_seed_gives_the_same_hash(mecano, quick):
    hashes = {mecano("run", quick, "--noise", "--json").json["state_hash"] for _ in range(2)}
    assert len(hashes) == 1


def test_noise_changes_what_the_sensors_read(mecano, tmp_path):
    file = tmp_path / "reads.py"
    file.write_text(
        "from mecano.tasks import Score\n"
        "def run(robot):\n"
        "    robot.wait(0.1)\n"
        "    return Score(success=True, metrics={'v': float(robot.arm.velocity[1])})\n"
    )
    clean = mecano("run", file, "--json").json["metrics"]["v"]
    noisy = mecano("run", file, "--noise", "--json").json["metrics"]["v"]
    assert clean != noisy and abs(clean - noisy) < 0.2


def test_a_failed_run_exits_1(mecano, tmp_path):
    (tmp_path / "fails.py").write_text("def run(robot):\n    return False\n")
    answer = mecano("run", tmp_path / "fails.py", "--json")
    assert answer.code == 1 and answer.json["success"] is False


def test_settings_can_be_changed(mecano, quick):
    slow = mecano("run", quick, "--set", "motion.velocity=0.05", "--json").json["sim_time_s"]
    assert slow > mecano("run", quick, "--json").json["sim_time_s"] + 0.5


@pytest.mark.slow
def test_evaluate_writes_evidence_that_can_be_rechecked(mecano, tmp_path):
    file = tmp_path / "evidence.json"
    assert mecano("evaluate", FAST, "--runs", 2, "--jobs", 1, "--save", file).code == 0
    report = json.loads(file.read_text())
    assert report["summary"]["runs"] == 2 and len(report["runs"][0]["state_hash"]) == 16
    answer = mecano("evaluate", FAST, "--recheck", file, "--jobs", 1)
    assert answer.code == 0 and "1 of 1 repeated bit for bit" in answer.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "open_manipulator_x/mov-cube"), ("did you mean", CUBE)),
        (("run", "nowhere.py"), ("no file nowhere.py",)),
        (("run", FAST, "--set", "physics.timestep"), ("KEY=VALUE",)),
        (("run", FAST, "--set", "physics.timestep=1"), ("physics.timestep", "0.01")),
        (("run", FAST, "--set", "physics.step=0.001"), ("physics.timestep",)),
        (("run", FAST, "--set", "joints.joint9.kp=3"), ("joint9", "joint1")),
        (("run", FAST, "--view", "--runs", "2"), ("one run", "--runs")),
        (("run", FAST, "--speed", "2"), ("--speed", "--view")),
        (("run", FAST, "--limp"), ("--limp", "--real")),
        (("run", FAST, "--rounds", "2"), (f"{FAST}: no option named 'rounds'", "options: none")),
        (("evaluate", FAST, "--recheck", "none.json"), ("cannot read none.json",)),
    ],
)
def test_bad_input_is_one_clear_line(fails_cleanly, words, says):
    fails_cleanly(*words, says=says)


def test_a_user_file_that_does_not_load_is_one_clear_line(fails_cleanly, tmp_path):
    (tmp_path / "broken.py").write_text("1 / 0\n")
    fails_cleanly("run", tmp_path / "broken.py", says=("ZeroDivisionError",))


@pytest.mark.parametrize("answer", ["42", "'yes'", "[1]", "nothing"])
def test_an_answer_that_means_nothing_is_one_clear_line(fails_cleanly, tmp_path, answer):
    (tmp_path / "odd.py").write_text(
        f"def run(robot):\n    return {'' if answer == 'nothing' else answer}\n"
    )
    fails_cleanly("run", tmp_path / "odd.py", says=(f"returned {answer}", "True or False"))


def test_a_program_that_raises_is_one_clear_line(fails_cleanly, tmp_path):
    (tmp_path / "raises.py").write_text("def run(robot):\n    return 1 / 0\n")
    fails_cleanly("run", tmp_path / "raises.py", says=("ZeroDivisionError", "line 2"))


@pytest.mark.slow
def test_a_program_that_raises_in_many_processes_is_one_clear_line(fails_cleanly, tmp_path):
    (tmp_path / "raises.py").write_text("def run(robot):\n    return 1 / 0\n")
    words = ("evaluate", tmp_path / "raises.py", "--runs", 3, "--jobs", 2)
    fails_cleanly(*words, says=("ZeroDivisionError", "line 2"))


def test_a_users_own_ik_moves_the_arm(mecano, tmp_path):
    example = Path(__file__).parents[3] / "examples" / "01_my_own_ik.py"
    (tmp_path / "moves.py").write_text(
        "def run(robot):\n    return robot.arm.move_to([0.2, 0.05, 0.15], pitch=0.5).reached\n"
    )
    assert mecano("run", tmp_path / "moves.py", "--use", f"ik={example}:solve").code == 0


def test_a_users_ik_that_fails_is_one_clear_line(fails_cleanly, tmp_path):
    (tmp_path / "bad.py").write_text("def solve(*pose):\n    return 1 / 0\n")
    (tmp_path / "moves.py").write_text(
        "def run(robot):\n    return robot.arm.move_to([0.2, 0.05, 0.15], pitch=0.5).reached\n"
    )
    fails_cleanly(
        "run", tmp_path / "moves.py", "--use", f"ik={tmp_path / 'bad.py'}:solve",
        says=("ZeroDivisionError",),
    )  # fmt: skip
