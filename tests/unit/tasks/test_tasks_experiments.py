"""Experiments: by name and from a user's file, the same run for the same seed."""

from dataclasses import replace
from typing import Any

import pytest

from mecano import tasks
from mecano.core.errors import InvalidInput, MecanoError, UnknownName
from mecano.tasks.evaluation import run_many, summary, wilson

MOVE_CUBE = "open_manipulator_x/move-cube"


def written(folder, text: str, name: str = "mine.py") -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


# --- by name


@pytest.mark.parametrize("name", sorted(tasks.EXPERIMENTS))
def test_every_experiment_of_the_table_exists_under_its_name(name):
    experiment = tasks.get(name)
    assert experiment.name == name
    assert experiment.title and experiment.robot.startswith(name.split("/")[0])


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownName, match=r"move-cube.*did you mean"):
        tasks.get("open_manipulator_x/move-cub")


# --- what a run is asked for


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"seed": -1}, "the seed is -1, expected a whole number"),
        ({"seed": 1.5}, r"the seed is 1\.5"),
        ({"changes": [print]}, r"expected settings by name.*Experiment\.vary"),
        ({"changes": {3: 4}}, "expected settings by name"),
        ({"options": ["A>C"]}, "expected values by name"),
        ({"options": {"moves": [("A", "C")]}}, "option moves is .* such as 'A>C B>A C>B'"),
        ({"options": {"rounds": 0}}, "rounds is '0', allowed 1 to 100"),
        ({"options": {"rounds": 1.5}}, r"rounds is '1\.5', allowed 1 to 100"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(asked, said):
    with pytest.raises(InvalidInput, match=said):
        tasks.run_experiment(tasks.get("crumb/pick-and-place"), **asked)


def test_a_name_in_the_place_of_an_experiment_is_refused_with_the_way_out():
    name: Any = MOVE_CUBE
    with pytest.raises(InvalidInput, match=r"tasks\.get"):
        tasks.run_experiment(name)


def test_options_may_be_numbers_lists_and_yes_or_no():
    given = {"moves": ["A>C", "B>A"], "rounds": 2}
    chosen = tasks.get("crumb/pick-and-place").chosen(given)
    assert chosen == {"moves": "A>C B>A", "rounds": "2"}
    assert tasks.get("youbot/transport").chosen({"texts": False}) == {"texts": "no"}


def test_an_unknown_option_names_the_experiment_and_its_options():
    with pytest.raises(UnknownName, match=r"pick-and-place: no option .*options: moves, rounds"):
        tasks.get("crumb/pick-and-place").chosen({"colour": "blue"})


# --- move-cube


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_cube_goes_through_its_places(seed):
    result = tasks.run_experiment(tasks.get(MOVE_CUBE), seed=seed)
    assert result.success, result.remark
    assert result.seed == seed and result.experiment == MOVE_CUBE
    worst = result.metrics["worst_error_mm"]
    assert isinstance(worst, float) and worst < 10.0
    assert result.sim_time_s > 5.0


def test_a_run_repeats_bit_for_bit():
    first, again = (tasks.run_experiment(tasks.get(MOVE_CUBE), seed=1) for _ in range(2))
    assert first.state_hash == again.state_hash
    assert first.metrics == again.metrics and first.sim_time_s == again.sim_time_s


@pytest.mark.slow
def test_another_seed_is_another_run():
    first, other = (tasks.run_experiment(tasks.get(MOVE_CUBE), seed=s) for s in (0, 1))
    assert first.state_hash != other.state_hash


@pytest.mark.slow
def test_changed_settings_reach_the_run():
    result = tasks.run_experiment(tasks.get(MOVE_CUBE), changes={"motion.velocity": 1.0})
    fast = tasks.run_experiment(tasks.get(MOVE_CUBE))
    assert result.sim_time_s > fast.sim_time_s


def test_an_unknown_setting_is_refused_before_anything_runs():
    with pytest.raises(UnknownName, match=r"physics\.timestep"):
        tasks.run_experiment(tasks.get(MOVE_CUBE), changes={"physics.step": 1.0})


def test_a_cube_that_is_not_there_is_a_failure_with_its_reason():
    def no_cube(rng, seed):
        def away(spec):
            spec.body("cube").pos = [0.165, -1.129, 0.015]

        return [away]

    experiment = replace(tasks.get(MOVE_CUBE), vary=no_cube)
    result = tasks.run_experiment(experiment)
    assert not result.success
    assert "not_found: no object is seen on the table" in result.remark
    assert result.to_json()["remark"] == result.remark


def test_the_answer_is_the_contract():
    answer = tasks.run_experiment(tasks.get(MOVE_CUBE), seed=2).to_json()
    assert list(answer) == [
        "experiment", "success", "seed", "state_hash", "metrics", "sim_time_s", "wall_time_s",
    ]  # fmt: skip


def test_a_watcher_sees_the_robot_and_changes_nothing():
    seen = []

    def watch(robot):
        robot.session.observers.append(lambda session: seen.append(robot.truth.tool_pose()))

    watched = tasks.run_experiment(tasks.get(MOVE_CUBE), seed=1, watch=watch)
    alone = tasks.run_experiment(tasks.get(MOVE_CUBE), seed=1)
    assert len(seen) > 500
    assert watched.state_hash == alone.state_hash


# --- a user's file


def test_a_file_with_a_function_is_an_experiment(tmp_path):
    source = '"""My first program.\n\nMore."""\ndef run(robot):\n    return robot.time == 0.0\n'
    experiment = tasks.get(written(tmp_path, source))
    assert experiment.name == "mine" and experiment.title == "My first program."
    result = tasks.run_experiment(experiment)
    assert result.success and len(result.state_hash) == 16


@pytest.mark.parametrize(("answer", "success"), [("True", True), ("False", False)])
def test_what_the_function_returns_is_the_outcome(tmp_path, answer, success):
    experiment = tasks.get(written(tmp_path, f"def run(robot):\n    return {answer}\n"))
    assert tasks.run_experiment(experiment).success is success


def test_a_function_that_returns_nothing_has_not_succeeded(tmp_path):
    experiment = tasks.get(written(tmp_path, "def run(robot):\n    robot.wait(0.1)\n"))
    with pytest.raises(InvalidInput, match=r"run\(\) in mine.py returned nothing; return True or"):
        tasks.run_experiment(experiment)


def test_a_whole_experiment_that_returns_nothing_has_not_succeeded():
    bare: Any = lambda robot, rng: None  # noqa: E731
    experiment = tasks.Experiment(
        name="me/bare", title="", robot="open_manipulator_x", scene="empty", run=bare
    )
    with pytest.raises(InvalidInput, match=r"me/bare returned None; return a mecano.tasks.Score"):
        tasks.run_experiment(experiment)


def test_a_file_may_draw_from_the_generator(tmp_path):
    source = (
        "from mecano.tasks import Score\n"
        "def run(robot, rng):\n"
        "    return Score(success=True, metrics={'drawn': float(rng.random())})\n"
    )
    experiment = tasks.get(written(tmp_path, source))
    one, same, other = (tasks.run_experiment(experiment, seed=s) for s in (4, 4, 5))
    assert one.metrics == same.metrics != other.metrics


def test_a_file_may_hold_a_whole_experiment(tmp_path):
    source = (
        "from mecano.tasks import Experiment, Score\n"
        "EXPERIMENT = Experiment(name='me/wave', title='wave', robot='open_manipulator_x',\n"
        "    scene='empty', run=lambda robot, rng: Score(success=True),\n"
        "    settings={'physics.timestep': 0.001})\n"
    )
    result = tasks.run_experiment(tasks.get(written(tmp_path, source)))
    assert result.experiment == "me/wave" and result.success


def test_a_file_may_choose_its_robot_and_its_scene(tmp_path):
    source = (
        'ROBOT = "crumb"\nSCENE = "empty"\n'
        "def run(robot):\n    return robot.description.name == 'crumb'\n"
    )
    experiment = tasks.get(written(tmp_path, source))
    assert (experiment.robot, experiment.scene) == ("crumb", "empty")
    assert tasks.run_experiment(experiment).success


def test_a_robot_without_a_scene_stands_in_its_own(tmp_path):
    experiment = tasks.get(written(tmp_path, 'ROBOT = "crumb"\ndef run(robot): pass\n'))
    assert experiment.scene == "pick_and_place"
    experiment = tasks.get(written(tmp_path, "def run(robot): pass\n"))
    assert (experiment.robot, experiment.scene) == ("open_manipulator_x", "table")


def test_a_scene_file_is_looked_for_beside_the_program(tmp_path):
    (tmp_path / "mine.xml").write_text("<mujoco><worldbody/></mujoco>")
    experiment = tasks.get(written(tmp_path, 'SCENE = "mine.xml"\ndef run(robot): pass\n'))
    assert experiment.scene == str(tmp_path / "mine.xml")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ROBOT = 'crum'", r"ROBOT in mine\.py: no robot named 'crum'.*did you mean 'crumb'"),
        ("ROBOT = 3", r"ROBOT in mine\.py is 3, expected a name"),
        ("ROBOT = 'widowx'", "'widowx', which has no model.*open_manipulator_x, crumb"),
        ("SCENE = 'emty'", r"SCENE in mine\.py: no scene named 'emty'.*did you mean 'empty'"),
        ("SCENE = 'none.xml'", r"SCENE in mine\.py: there is no scene file none\.xml"),
        ("SCENE = None", r"SCENE in mine\.py is None, expected a name"),
    ],
)
def test_a_choice_that_is_none_is_refused_with_the_choices(tmp_path, line, said):
    with pytest.raises(InvalidInput, match=said):
        tasks.get(written(tmp_path, f"{line}\ndef run(robot): pass\n"))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def run(robot:\n", "SyntaxError"),
        ("import no_such_library\n", "no_such_library"),
        ("x = 1\n", "neither an EXPERIMENT nor a function run"),
        ("raise SystemExit(3)\n", "could not be imported"),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path, source, said):
    with pytest.raises(InvalidInput, match=said) as caught:
        tasks.get(written(tmp_path, source))
    assert "mine.py" in str(caught.value)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(InvalidInput, match=r"nowhere\.py"):
        tasks.get(str(tmp_path / "nowhere.py"))


def test_a_program_that_raises_is_told_with_its_line(tmp_path):
    source = "def run(robot):\n    robot.wait(0.1)\n    return 1 / 0\n"
    with pytest.raises(MecanoError, match=r"ZeroDivisionError.*line 3"):
        tasks.run_experiment(tasks.get(written(tmp_path, source)))


# --- many runs


def test_many_runs_come_in_the_order_of_their_seeds(tmp_path):
    source = "def run(robot, rng):\n    return bool(rng.random() < 0.5)\n"
    name = written(tmp_path, source)
    seeds = [3, 1, 2]
    assert [run.seed for run in run_many(name, seeds)] == seeds


@pytest.mark.slow
def test_runs_side_by_side_are_those_one_after_the_other():
    alone = run_many(MOVE_CUBE, [0, 1, 2], jobs=1)
    together = run_many(MOVE_CUBE, [0, 1, 2], jobs=2)
    assert [run.state_hash for run in alone] == [run.state_hash for run in together]


@pytest.mark.parametrize(("successes", "runs"), [(0, 10), (10, 10), (5, 10), (81, 100), (1, 1)])
def test_the_ends_of_the_interval_solve_wilsons_equation(successes, runs):
    share = successes / runs
    low, high = wilson(successes, runs)
    assert 0.0 <= low <= share + 1e-12 and share - 1e-12 <= high <= 1.0
    for end in (low, high):
        assert (share - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / runs, abs=1e-12)


def test_a_summary_counts_successes_and_spreads(tmp_path):
    source = (
        "from mecano.tasks import Score\n"
        "n = 0\n"
        "def run(robot):\n"
        "    global n\n"
        "    n += 1\n"
        "    return Score(success=n != 2, metrics={'miss_mm': float(n), 'note': 'text'})\n"
    )
    experiment = tasks.get(written(tmp_path, source))
    runs = [tasks.run_experiment(experiment, seed=s) for s in range(3)]
    answer = summary(runs)
    assert answer["runs"] == 3 and answer["successes"] == 2
    assert answer["success_rate"] == pytest.approx(2 / 3)
    assert answer["metrics"] == {"miss_mm": {"min": 1.0, "median": 2.0, "max": 3.0}}


def test_the_median_of_an_even_number_lies_in_the_middle():
    one = tasks.RunResult(
        experiment="x", success=True, seed=0, state_hash="", metrics={"miss_mm": 0.425},
        sim_time_s=1.0, wall_time_s=1.0,
    )  # fmt: skip
    runs = [one, replace(one, metrics={"miss_mm": 1.189}), replace(one, metrics={})]
    assert summary(runs)["metrics"]["miss_mm"]["median"] == pytest.approx(0.807)
