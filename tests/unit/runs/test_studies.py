"""Studies: which runs they have, and what is refused before the first one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mecano.core.errors import MecanoError
from mecano.runs.sampling import SAMPLINGS, sample
from mecano.runs.sensitivity import sensitivity
from mecano.runs.spec import RunSpec
from mecano.runs.study import Span, Study

RUN = RunSpec("open_manipulator_x/move-cube", seed=10)
VARY = {"model.cube.mass_factor": Span(lower=0.5, upper=2.0, steps=3), "noise": (True, False)}


def test_a_grid_has_every_combination_with_every_seed():
    specs = Study(run=RUN, vary=VARY, seeds=2).specs()
    assert len(specs) == len(Study(run=RUN, vary=VARY, seeds=2)) == 12
    assert len({(s.model["cube.mass_factor"], s.noise, s.seed) for s in specs}) == 12
    assert {spec.seed for spec in specs} == {10, 11}
    assert {spec.model["cube.mass_factor"] for spec in specs} == {0.5, 1.25, 2.0}


@given(sampling=st.sampled_from(SAMPLINGS[1:]), points=st.integers(1, 40), seed=st.integers(0, 99))
def test_samples_lie_in_their_ranges_and_repeat(sampling, points, seed):
    found = sample(VARY, sampling, points, seed)
    assert found == sample(VARY, sampling, points, seed) and len(found) == points
    for point in found:
        assert 0.5 <= float(point["model.cube.mass_factor"]) <= 2.0 and point["noise"] in (
            True,
            False,
        )


def test_a_latin_hypercube_has_one_sample_in_each_slice():
    vary = {"model.cube.mass_factor": Span(lower=0.0, upper=1.0)}
    values = [point["model.cube.mass_factor"] for point in sample(vary, "latin", 20, 3)]
    assert sorted(int(20 * float(value)) for value in values) == list(range(20))


def test_plain_values_give_the_same_study_again():
    study = Study(run=RUN, vary=VARY, sampling="sobol", points=8, seeds=2, seed=4)
    assert Study.from_json(json.loads(json.dumps(study.to_json()))) == study


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"\[run\]"),
        ("[run]\nexperiment='a'\n[rnu]", "section"),
        ("[run]\nexperiment='a'\n[study]\nsampling='magic'", "grid"),
        ("[run]\nexperiment='a'\n[study]\npoints=0", "points"),
        ("[run]\nexperiment='a'\n[study]\nnumber=3", r"field of \[study\]"),
        ("[run]\nexperiment='a'\n[vary]\n'options.x'=[]", "not empty"),
        ("[run]\nexperiment='a'\n[vary]\n'options.x'='y'", "not empty"),
        ("[run]\nexperiment='a'\n[vary]\nweight=[1.0]", "can vary"),
        ("[run]\nexperiment='a'\n[vary]\n'model.c.mass'={from=2.0,to=1.0}", "empty"),
        ("[run]\nexperiment='a'\n[vary]\n'model.c.mass'={from=2.0}", "both ends"),
        ("[run]\nexperiment='a'\noptions={x='1'}\n[vary]\n'options.x'=['1']", "leave one out"),
        ("[run", "TOML"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_in_words(text, says, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(text)
    with pytest.raises(MecanoError, match=says):
        Study.load(file)


def test_tables_in_tables_are_dotted_names(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text("[run]\nexperiment='a'\n[vary.model.cube]\nmass_factor=[1.0, 2.0]\n")
    assert Study.load(file).vary == {"model.cube.mass_factor": (1.0, 2.0)}


# --- what decides success


def test_a_parameter_that_decides_all_has_the_largest_effect():
    values = [0.1 * k for k in range(100)]
    found = sensitivity("x", values, [value > 5.0 for value in values])
    assert found.effect == 1.0 and found.rank_correlation == pytest.approx(0.866, abs=0.01)
    assert [level.runs for level in found.levels] == [20] * 5


def test_texts_have_a_level_each():
    found = sensitivity("gait", ["wave", "tripod"] * 4, [True, False] * 4)
    assert [(level.level, level.successes) for level in found.levels] == [
        ("wave", 4),
        ("tripod", 0),
    ]
    assert found.rank_correlation is None


def test_success_everywhere_has_no_effect():
    assert sensitivity("x", [1.0, 2.0, 3.0], [True] * 3).effect == 0.0
