"""Climbing as an experiment: options, a short climb, the corner, files."""

from functools import cache

import numpy as np
import pytest

from mecano.core.errors import InvalidInput, UnknownName
from mecano.tasks import climb, corner, release_card
from mecano.tasks.climb import heading_of, number
from mecano.tasks.experiment import Experiment, RunResult, Score, run_experiment

SHORT = {"distance": "0.03", "gait": "tripod"}


@cache
def short() -> RunResult:
    return run_experiment(climb.EXPERIMENT, seed=2, noise=True, options=SHORT)


# Options


@pytest.mark.parametrize(
    ("text", "degrees"),
    [("forward", 0), ("up", 0), ("left", 90), ("backward", 180), ("down", 180), ("right", -90),
     ("45", 45), ("-30.5", -30.5)],
)  # fmt: skip
def test_directions_have_names_and_degrees(text, degrees):
    assert np.degrees(heading_of(text)) == pytest.approx(degrees)


def test_number_is_read_or_explained():
    assert number("0.5", "distance [m]", upper=3.0) == 0.5
    with pytest.raises(InvalidInput, match=r"distance \[m\] is 'far', expected 0 to 3"):
        number("far", "distance [m]", upper=3.0)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"surface": "roof"}, UnknownName, "no surface named 'roof'; .*floor, wall, ceiling"),
        ({"gait": "trot"}, UnknownName, "no gait named 'trot'"),
        ({"direction": "north"}, UnknownName, "no direction named 'north'; .*forward.*up, down"),
        ({"direction": "nan"}, InvalidInput, "direction"),
        ({"distance": "far"}, InvalidInput, "distance .m. is 'far'"),
        ({"distance": "9"}, InvalidInput, "distance"),
        ({"zero": "much"}, InvalidInput, "zero .deg. is 'much'"),
        ({"colour": "red"}, UnknownName, "romerin/climb: no option named 'colour'"),
    ],
)
def test_wrong_options_of_climb_are_explained(options, error, message):
    with pytest.raises(error, match=message):
        run_experiment(climb.EXPERIMENT, options=options)


@pytest.mark.parametrize("name", ["imu", "errors"])
def test_option_that_is_neither_yes_nor_no_is_explained(name):
    options = {"distance": "0.03", name: "maybe"}
    with pytest.raises((InvalidInput, UnknownName), match=name):
        run_experiment(climb.EXPERIMENT, options=options)


def test_wrong_goal_of_corner_is_explained():
    with pytest.raises(UnknownName, match="no goal named 'roof'; known goals: wall, ceiling"):
        run_experiment(corner.EXPERIMENT, options={"to": "roof"})


@pytest.mark.parametrize("options", [{"cases": "many"}, {"cases": "-1"}, {"draw": "x"}])
def test_wrong_options_of_the_release_card_are_explained(options):
    with pytest.raises(InvalidInput, match=next(iter(options))):
        run_experiment(release_card.EXPERIMENT, options=options)


# What varies


def test_masses_springs_and_lips_vary_with_the_seed():
    import mecano

    def drawn(seed: int) -> tuple[float, float, float]:
        changes = climb.vary(np.random.default_rng(seed), seed)
        model = mecano.connect("romerin", scene="wall", changes=changes).world.model
        own = model.body_rootid == model.body("romerin/body_link").id
        stiffness = float(np.atleast_1d(model.joint("romerin/leg_1_joint_5").stiffness)[0])
        friction = float(model.geom("romerin/leg_1_cup_lip_collision").friction[0])
        return float(model.body_mass[own].sum()), stiffness, friction

    rows = np.array([drawn(seed) for seed in range(4)])
    low, high = [0.95 * 2.4, 0.03, 0.1], [1.05 * 2.4, 0.08, 0.3]
    assert (rows >= np.array(low) - 1e-9).all() and (rows <= np.array(high) + 1e-9).all()
    assert (np.ptp(rows, axis=0) > 0.0).all()
    assert drawn(1) == drawn(1)


# Runs


@pytest.mark.slow
def test_short_climb_on_the_wall_succeeds():
    result = run_experiment(climb.EXPERIMENT, options={"distance": "0.06", "errors": "no"})
    assert result.success, result.remark
    figures = result.metrics
    assert 55.0 < float(figures["distance_mm"]) < 70.0
    assert abs(float(figures["aside_mm"])) < 2.0 and abs(float(figures["off_surface_mm"])) < 5.0
    assert figures["breaks"] == 0 and float(figures["peak_share_percent"]) < 80.0
    assert int(figures["steps"]) >= 5


def test_climb_with_errors_and_noise_succeeds():
    assert short().success, short().remark


def test_same_seed_climbs_bit_for_bit_the_same_way():
    again = run_experiment(climb.EXPERIMENT, seed=2, noise=True, options=SHORT)
    assert again.state_hash == short().state_hash and again.metrics == short().metrics


def test_bonds_are_written_as_a_table(tmp_path):
    assert list(short().products) == ["bonds.csv"]
    short().products["bonds.csv"](tmp_path / "bonds.csv")
    lines = (tmp_path / "bonds.csv").read_text().splitlines()
    assert lines[0] == "time [s],leg,what,on,pull [N],shear [N],moment [N m]"
    rows = [line.split(",") for line in lines[1:]]
    assert all(len(row) == 7 and row[3] == "wall" for row in rows)
    assert [row[2] for row in rows[:6]] == ["bond"] * 6
    assert {row[2] for row in rows} == {"bond", "release"}
    times = [float(row[0]) for row in rows]
    assert times == sorted(times)


def test_metrics_are_plain_values():
    assert {type(value) for value in short().metrics.values()} <= {int, float, bool, str}


def test_report_puts_the_run_beside_the_thesis():
    report = short().report
    assert "thesis" in report and "breaks at 15 N" in report
    assert f"{short().metrics['peak_pull_n']} N" in report


def test_walk_that_falls_is_no_success():
    """A robot whose cups are too weak for the ceiling."""
    from mecano.core.grips import Suction

    def weaken(robot) -> None:
        robot.cups.set_law(Suction(pull=5.0, shear=10.0))

    with pytest.raises(InvalidInput, match="at least 3 feet must hold"):
        run_experiment(
            climb.EXPERIMENT, options=SHORT | {"surface": "ceiling"}, watch=weaken, seed=1
        )


def test_score_without_products_has_none():
    def run(robot, rng) -> Score:
        return Score(success=True)

    bare = Experiment(name="romerin/bare", title="", robot="romerin", scene="empty", run=run)
    result = run_experiment(bare)
    assert result.products == {} and result.report == "" and "products" not in result.to_json()


def test_few_cases_make_a_release_card(tmp_path):
    result = run_experiment(release_card.EXPERIMENT, options={"cases": "3"})
    assert result.metrics["cases"] == 3 and "balanced accuracy" in result.report
    for name, write in result.products.items():
        write(tmp_path / name)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["releases.json", "releases.md"]


@pytest.mark.slow
def test_robot_steps_from_the_floor_to_the_wall():
    result = run_experiment(corner.EXPERIMENT)
    assert result.success, result.remark
    figures = result.metrics
    assert figures["breaks"] == 0 and float(figures["peak_share_percent"]) < 100.0
    assert float(figures["end_x_mm"]) == pytest.approx(-125.0, abs=6.0)  # its height off the wall
    assert float(figures["end_height_mm"]) > 450.0


@pytest.mark.slow
@pytest.mark.parametrize("surface", ["floor", "ceiling"])
def test_climb_succeeds_on_other_surfaces(surface):
    result = run_experiment(
        climb.EXPERIMENT, seed=1, noise=True, options={"distance": "0.1", "surface": surface}
    )
    assert result.success, result.remark
