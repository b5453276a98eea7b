"""Experiments of any robot, and of a robot's own folder: `mecano run ROBOT/EXPERIMENT`."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mecano import robots, tasks
from mecano.cli.app import app
from mecano.core.errors import InvalidInput, UnknownName, UserCodeFailed
from mecano.parts.part import MissingPart
from mecano.tasks.any_robot import ANY_ROBOT

EXAMPLES = Path(__file__).parents[3] / "examples"
HUSKY = EXAMPLES / "husky_ur10" / "robot"


@pytest.fixture
def own(tmp_path):
    """Return a function that makes a robot's folder with an `experiments.py`."""

    def make(text: str) -> Path:
        folder = tmp_path / "mine"
        shutil.copytree(HUSKY, folder)
        (folder / "experiments.py").write_text(text)
        return folder

    return make


@pytest.mark.parametrize("name", ["hold", "reach", "grip", "drive"])
def test_a_robots_folder_runs_what_fits_its_parts(name):
    result = tasks.run_experiment(tasks.get(f"{HUSKY}/{name}"), seed=1)
    assert result.success, result.remark
    assert result.experiment == f"husky_ur10/{name}"


def test_a_cart_that_tips_over_its_axle_does_not_hold(tmp_path):
    wheel = """<link name="{0}"><inertial><mass value=".5"/>
      <inertia ixx=".002" iyy=".003" izz=".002" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin rpy="1.5708 0 0"/><geometry>
      <cylinder radius=".1" length=".04"/></geometry></collision></link>
      <joint name="{0}_joint" type="continuous"><parent link="chassis"/><child link="{0}"/>
      <origin xyz="0 {1} 0"/><axis xyz="0 1 0"/><limit effort="5" velocity="10"/></joint>"""
    file = tmp_path / "cart.urdf"
    file.write_text(
        """<robot name="cart"><link name="chassis"><inertial><origin xyz=".1 0 .05"/>
        <mass value="5"/><inertia ixx=".03" iyy=".08" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><origin xyz=".1 0 .05"/><geometry><box size=".4 .24 .05"/></geometry>
        </collision></link>"""
        + wheel.format("left_wheel", 0.16) + wheel.format("right_wheel", -0.16) + "</robot>"
    )  # fmt: skip
    result = tasks.run_experiment(tasks.get(f"{file}/hold"))
    assert not result.success and "its body turned by" in result.remark
    assert float(result.metrics["body_turned_deg"]) > 15.0


@pytest.mark.parametrize("robot", ["open_manipulator_x", "crumb", "madar_base", "romerin"])
def test_robots_of_the_catalogue_hold_their_posture(robot):
    result = tasks.run_experiment(tasks.get(f"{robot}/hold"), options={"seconds": 1})
    assert result.success, result.remark


def test_a_base_that_strafes_is_tried_sideways_too():
    metrics = tasks.run_experiment(tasks.get("madar_base/drive")).metrics
    assert float(metrics["strafe_error_mm"]) < 1.0
    assert "strafe_error_mm" not in tasks.run_experiment(tasks.get("crumb/drive")).metrics


def test_the_same_seed_reaches_for_the_same_poses_bit_for_bit():
    first, again, other = (
        tasks.run_experiment(tasks.get("open_manipulator_x/reach"), seed=seed).state_hash
        for seed in (3, 3, 4)
    )
    assert first == again != other


def test_legs_walk():
    experiment = tasks.get(f"{EXAMPLES / 'modular_quadruped'}/walk")
    result = tasks.run_experiment(experiment, options={"distance": 0.05})
    assert result.success, result.remark
    assert float(result.metrics["distance_error_mm"]) < 5.0


def test_a_robot_that_does_not_do_it_fails_with_a_remark():
    result = tasks.run_experiment(tasks.get("crumb/drive"), options={"tolerance_mm": 0.01})
    assert not result.success
    assert "odometry is" in result.remark
    assert "allowed 0.01 mm" in result.remark


def test_a_missing_part_is_named():
    with pytest.raises(MissingPart) as error:
        tasks.get(f"{HUSKY}/walk")
    assert str(error.value) == (
        "husky_ur10 has no legs (the experiment 'walk' needs it); it has: arm, gripper, base"
    )


@pytest.mark.parametrize("name", sorted(ANY_ROBOT))
def test_an_experiment_of_any_robot_asks_for_the_robot(name):
    with pytest.raises(InvalidInput, match=f"mecano run ROBOT/{name}"):
        tasks.get(name)


def test_a_robot_alone_lists_its_experiments():
    with pytest.raises(
        InvalidInput, match=r"is a robot; its experiments: crumb/drive-test, .*grip"
    ):
        tasks.get("crumb")
    with pytest.raises(InvalidInput, match=f"{HUSKY}/hold, {HUSKY}/reach"):
        tasks.get(str(HUSKY))


def test_a_misspelt_experiment_of_a_robot_suggests_the_near_one():
    with pytest.raises(UnknownName, match=r"did you mean 'crumb/drive'\?"):
        tasks.get("crumb/driv")


def test_a_wrong_option_is_refused_with_its_name():
    with pytest.raises(InvalidInput, match="option seconds is 'long', expected a number"):
        tasks.run_experiment(tasks.get("crumb/hold"), options={"seconds": "long"})


def test_only_what_fits_is_listed():
    assert tasks.experiments_of(robots.get("madar_base")) == ("hold", "drive")
    assert tasks.experiments_of(robots.get("romerin")) == ("hold", "walk")
    assert tasks.experiments_of(robots.get("two_link")) == ()  # kinematics only


# --- experiments.py of a robot's folder


def test_a_function_of_the_folder_is_an_experiment(own):
    folder = own(
        'SCENE = "empty"\n'
        "def bow(robot, rng):\n"
        '    """Bow with the arm. And more."""\n'
        '    moved = robot.arm.move_joints("stretched")\n'
        '    return {"seconds": moved.duration, "draw": float(rng.random())}\n'
        'EXPERIMENTS = {"bow": bow}\n'
    )
    experiment = tasks.get(f"{folder}/bow")
    assert (experiment.name, experiment.title) == ("husky_ur10/bow", "Bow with the arm. And more")
    result = tasks.run_experiment(experiment)
    assert result.success
    assert float(result.metrics["seconds"]) > 0.5
    assert tasks.experiments_of(robots.get(folder))[0] == "bow"


def test_an_experiment_object_keeps_its_options_and_gets_the_folders_robot(own):
    folder = own(
        "from mecano.tasks import Experiment, Score\n"
        "def run(robot, rng, far='0.2'):\n"
        "    return Score(success=robot.base.move(float(far)).reached, metrics={'far': far})\n"
        "EXPERIMENTS = {'go': Experiment(name='x', title='Go', robot='x', scene='empty', run=run,\n"
        "                                options={'far': '0.2'})}\n"
    )
    result = tasks.run_experiment(tasks.get(f"{folder}/go"), options={"far": 0.3})
    assert result.success
    assert result.metrics == {"far": "0.3"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must define EXPERIMENTS"),
        ("EXPERIMENTS = [1]", "must define EXPERIMENTS"),
        ("EXPERIMENTS = {'a': 1}", r"EXPERIMENTS\['a'\] of .* is 1, expected a function"),
        ("EXPERIMENTS = {'a/b': print}", "'a/b', expected a word"),
        ("SCENE = 'emty'\nEXPERIMENTS = {'a': lambda robot: True}", "did you mean 'empty'"),
    ],
)
def test_a_wrong_table_is_refused(own, text, said):
    with pytest.raises(InvalidInput, match=said):
        tasks.get(f"{own(text)}/a")


def test_a_file_that_raises_is_named_with_its_line(own):
    with pytest.raises(UserCodeFailed, match=r"ZeroDivisionError.*\(experiments.py, line 2\)"):
        tasks.get(f"{own(chr(10) + '1 / 0')}/a")


def test_an_own_experiment_without_an_answer_is_an_error(own):
    experiment = tasks.get(f"{own('EXPERIMENTS = dict(a=lambda robot: None)')}/a")
    with pytest.raises(InvalidInput, match=r"experiment 'a' of .*experiments.py returned nothing"):
        tasks.run_experiment(experiment)


def test_a_users_file_finds_the_robot_beside_it(tmp_path):
    shutil.copytree(HUSKY, tmp_path / "mine")
    file = tmp_path / "test.py"
    file.write_text('ROBOT = "mine"\ndef run(robot):\n    return robot.name == "husky_ur10"\n')
    assert tasks.run_experiment(tasks.get(str(file))).success


# --- the command


def run(*words: str) -> tuple[int, str]:
    answer = CliRunner().invoke(app, ["run", *words, "--no-record", "--json"])
    if isinstance(answer.exception, Exception):
        return 2, str(answer.exception)
    return answer.exit_code, answer.stdout


@pytest.mark.parametrize("source", ["robot", "husky_ur10.urdf", "robot/model.xml"])
def test_the_command_takes_a_folder_or_a_file(source, tmp_path, monkeypatch):
    monkeypatch.setenv("MECANO_CACHE", str(tmp_path))
    robot = EXAMPLES / "husky_ur10" / source
    code, said = run("hold", "--robot", str(robot), "-o", "seconds=0.5")
    assert code == 0
    assert json.loads(said)["experiment"] == "husky_ur10/hold"


def test_the_robot_of_a_named_experiment_is_not_exchanged():
    code, said = run("crumb/drive-test", "--robot", "youbot")
    assert code == 2
    assert "is chosen by the name before the slash" in said


def test_a_record_of_a_folders_experiment_is_repeated_from_elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES / "husky_ur10")
    words = ["run", "robot/hold", "-o", "seconds=0.5", "--record", str(tmp_path / "run")]
    assert CliRunner().invoke(app, words).exit_code == 0
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(app, ["rerun", str(tmp_path / "run")])
    assert answer.exit_code == 0, answer.output
    assert "repeated bit for bit" in answer.stdout


def test_lists_have_the_experiments_of_any_robot():
    told = CliRunner().invoke(app, ["info", "crumb/reach"]).stdout
    assert "targets=5" in told
    assert "ROBOT/reach" in CliRunner().invoke(app, ["list"]).stdout
