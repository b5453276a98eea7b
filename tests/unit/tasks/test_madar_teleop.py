"""A drive by a recorded gamepad or keys."""

from dataclasses import replace

import pytest

from mecano.core.errors import InvalidInput, UnknownName
from mecano.tasks import get, run_experiment
from mecano.tasks.madar_teleop import JOY_FILE, read_joy

HEAD = "time_s,axis_0,axis_1,axis_2,axis_3,button_0,button_1,button_2,button_3,button_4"


def base_only():
    return replace(get("madar/teleop"), robot="madar_base")


def test_our_script_is_a_whole_one():
    messages = read_joy(JOY_FILE)
    assert len(messages) > 10 and len(messages[0].axes) == 6 and len(messages[0].buttons) == 8
    assert messages[-1].stamp == 20.0 and not messages[-1].axes.any()


def test_a_file_of_ones_own_drives_the_base(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text(f"{HEAD}\n0,0,1,0,0,0,0,0,0,1\n1.5,0,0,0,0,0,0,0,0,1\n")
    result = run_experiment(base_only(), options={"file": str(file)})
    assert result.success and result.metrics["end_x_m"] == pytest.approx(0.45, abs=0.01)
    assert "drives" in result.report and "by odometry" in result.report
    for name, write in result.products.items():
        write(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no row"),
        ("a,b\n1,2\n", "line 2"),
        (f"{HEAD}\n0,0,2.0,0,0,0,0,0,0,1\n", "line 2.*-1 to 1"),
        (f"{HEAD}\n1,0,0,0,0,0,0,0,0,1\n0.5,0,0,0,0,0,0,0,0,1\n", "line 3.*earlier"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, text, says):
    file = tmp_path / "mine.csv"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=says):
        read_joy(file)


def test_options_that_make_no_sense_are_refused():
    with pytest.raises(UnknownName, match="gamepad, keyboard"):
        run_experiment(base_only(), options={"input": "thoughts"})
    with pytest.raises(InvalidInput, match="cannot be read"):
        run_experiment(base_only(), options={"file": "nowhere.csv"})


@pytest.mark.slow
@pytest.mark.parametrize("by", ["gamepad", "keyboard"])
def test_both_scripts_succeed(by):
    experiment = get("madar/teleop") if by == "keyboard" else base_only()
    result = run_experiment(experiment, options={"input": by})
    assert result.success, result.remark
    assert float(result.metrics["way_m"]) > 0.5
