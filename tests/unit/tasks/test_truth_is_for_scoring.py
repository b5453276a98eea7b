"""What acts does not know what is true: by its code, and by a run in which asking raises."""

import ast
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import mecano
from mecano import tasks
from mecano.lab.simulated import Truth

SOURCE = Path(mecano.__file__).parent
ACTING = [
    *sorted((SOURCE / "skills" / "manipulation").glob("*.py")),
    *sorted((SOURCE / "perception").glob("*.py")),
    SOURCE / "lab" / "manipulating.py",
    SOURCE / "tasks" / "seen_moves.py",
]
FORBIDDEN = {"truth", "world", "clean_depth", "clean_colour", "body_pose", "qpos", "mj_data"}
"""Names that lead from a robot or a picture to what only a simulation knows."""
SCORING = ("do_moves", "judge", "place_error", "_upset", "SightScore", "sight_error", "run")


def names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return attributes | {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("file", ACTING, ids=lambda file: file.name)
def test_acting_code_names_nothing_that_only_a_simulation_knows(file):
    assert not names_in(file) & FORBIDDEN


def test_the_camera_pose_of_a_picture_is_not_used():
    """`Shot.pose` is true; the hand goes by its drawing."""
    tree = ast.parse((SOURCE / "lab" / "manipulating.py").read_text(encoding="utf-8"))
    shots = [
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "shot"
    ]
    assert shots and set(shots) == {"colour", "depth", "info"}


@pytest.mark.parametrize("name", ["move_cube", "pick_and_place", "find_and_place"])
def test_in_an_experiment_only_scoring_names_the_truth(name):
    tree = ast.parse((SOURCE / "tasks" / f"{name}.py").read_text(encoding="utf-8"))
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name not in SCORING:
            used = {n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute)}
            assert "truth" not in used, function.name


def asked_by_what_acts() -> bool:
    """Tell whether a file that acts is among the callers."""
    frame, acting = sys._getframe(2), {str(file) for file in ACTING}
    while frame is not None:
        if frame.f_code.co_filename in acting:
            return True
        frame = frame.f_back
    return False


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [("open_manipulator_x/move-cube", {}), ("crumb/pick-and-place", {"moves": "A>C"})],
)
def test_a_run_succeeds_though_asking_for_the_truth_while_acting_raises(monkeypatch, name, options):
    for method in ("body_pose", "base_pose", "tool_pose", "place"):
        honest = getattr(Truth, method)

        def guarded(self, *args, honest=honest):
            assert not asked_by_what_acts(), "acting code asked for the truth"
            return honest(self, *args)

        monkeypatch.setattr(Truth, method, guarded)
    result = tasks.run_experiment(tasks.get(name), seed=4, noise=True, options=options)
    assert result.success, result.remark


@pytest.mark.slow
def test_a_cube_taken_away_in_mid_grasp_is_told_as_that():
    def thief(robot):
        joint = robot.world.data.joint("cube")

        def steal(session):
            tool = robot.truth.tool_pose().position
            if tool[2] < 0.03 and abs(joint.qpos[0]) < 1.0:
                joint.qpos[:3] = 5.0, 5.0, 0.1

        robot.session.observers.append(steal)

    experiment = replace(tasks.get("open_manipulator_x/move-cube"))
    result = tasks.run_experiment(experiment, seed=1, noise=True, watch=thief)
    assert not result.success
    assert result.remark.startswith("taken_away: the object was seen at"), result.remark
