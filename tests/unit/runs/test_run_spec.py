"""A spec says everything about a run: written, read, repeated; nonsense is refused in words."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mecano
from mecano.core.errors import InvalidInput, MecanoError
from mecano.runs.spec import RunSpec
from mecano.runs.spec_files import spec_from_json, spec_from_toml, spec_to_json, spec_to_toml

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
words = texts.filter(lambda text: "\0" not in text)
values = st.one_of(
    words, st.booleans(), st.integers(-(2**40), 2**40), st.lists(words, max_size=3),
    st.floats(allow_nan=False, allow_infinity=False),
)  # fmt: skip
specs = st.builds(
    RunSpec,
    words,
    robot=st.none() | words,
    scene=st.none() | words,
    seed=st.integers(0, 2**40),
    noise=st.none() | st.booleans(),
    options=st.dictionaries(words, values, max_size=3),
    settings=st.dictionaries(words, values, max_size=3),
    stages=st.dictionaries(words, words, max_size=2),
    record=st.none() | words,
)


@given(spec=specs)
def test_json_gives_the_same_spec_again(spec):
    assert spec_from_json(json.loads(json.dumps(spec_to_json(spec)))) == spec


@given(spec=specs)
def test_toml_gives_the_same_spec_again(spec):
    assert spec_from_toml(spec_to_toml(spec)) == spec


@pytest.mark.parametrize("name", ["spec.toml", "spec.json"])
def test_a_file_gives_the_same_spec_again(name, tmp_path):
    spec = RunSpec("crumb/map", seed=3, options={"slip": 0.5}, settings={"physics.timestep": 0.001})
    spec.save(tmp_path / name)
    assert RunSpec.load(tmp_path / name) == spec


def test_settings_in_toml_may_be_sections():
    spec = spec_from_toml('experiment = "crumb/map"\n[settings.physics]\ntimestep = 0.001\n')
    assert spec.settings == {"physics.timestep": 0.001}


def test_numbers_of_numpy_become_plain():
    spec = RunSpec("a").replace(
        seed=np.int64(3), options={"x": np.float64(0.5), "y": (np.int32(1), 2)}
    )
    assert json.dumps(spec.to_json()) and spec.seed == 3 and spec.options == {"x": 0.5, "y": [1, 2]}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seed": -1}, "whole number"),
        ({"seed": True}, "whole number"),
        ({"seed": 1.5}, "whole number"),
        ({"noise": "yes"}, "noise"),
        ({"options": [1]}, "options"),
        ({"settings": {1: 2}}, "settings"),
        ({"limp": True}, "limp"),
        ({"record": 5}, "record"),
        ({"scene": ""}, "scene"),
        ({"sede": 3}, "seed"),
    ],
)
def test_nonsense_is_refused_in_words(changes, says):
    with pytest.raises(MecanoError, match=says):
        RunSpec("crumb/map").replace(**changes)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "experiment"),
        ("experiment = 5", "experiment"),
        ("experiment = [", "TOML"),
        ('experiment = "crumb/map"\nformat = 99', "format 99"),
        ('experiment = "crumb/map"\nsede = 3', "seed"),
    ],
)
def test_a_file_that_is_no_spec_is_refused_by_name(text, says, tmp_path):
    file = tmp_path / "spec.toml"
    file.write_text(text)
    with pytest.raises(MecanoError, match=says):
        RunSpec.load(file)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot read"):
        RunSpec.load(tmp_path / "none.toml")


def test_a_run_is_recorded_and_its_folder_repeats_it(tmp_path):
    spec = RunSpec("open_manipulator_x/hold", seed=2, noise=True, record=str(tmp_path / "run"))
    first = mecano.run(spec)
    assert first.success and first.folder == Path(tmp_path / "run")
    assert first.record.header["seed"] == 2
    again = mecano.run(RunSpec.from_folder(tmp_path / "run"))
    assert again.hash == first.hash and again.folder is None
    with pytest.raises(InvalidInput, match="not recorded"):
        _ = again.record


def test_the_command_of_a_spec_repeats_it():
    spec = RunSpec(
        "reach", robot="youbot", seed=4, noise=False, settings={"physics.timestep": 0.001}
    )
    assert spec.command == (
        "mecano run reach --robot youbot --seed 4 --no-noise --set physics.timestep=0.001 "
        "--no-record"
    )


def test_a_scene_can_be_chosen(tmp_path):
    scene = tmp_path / "plain.xml"
    scene.write_text('<mujoco><worldbody><geom type="plane" size="2 2 .1"/></worldbody></mujoco>')
    spec = RunSpec("crumb/hold", scene=str(scene), record=str(tmp_path / "run"))
    made = mecano.run(spec)
    assert RunSpec.from_folder(tmp_path / "run").scene == str(scene)
    assert made.hash != mecano.run(spec.replace(scene=None, record=None)).hash


def test_what_is_no_spec_is_refused():
    with pytest.raises(InvalidInput, match="RunSpec"):
        mecano.run(5)  # type: ignore[arg-type]
