"""`mecano check-robot`: the contract of its JSON, exit codes, and the report people read."""

import json
import subprocess
import sys

import pytest
from urdf_samples import ARM, in_joint, write_arm

from mecano.cli.app import main

LINE = ARM[: ARM.index('<axis xyz="0 1 0"')].count("\n") + 1
"""Of the axis of the shoulder."""


@pytest.fixture
def command(capsys):
    def run(*words) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["check-robot", *map(str, words)])
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


def test_json_has_the_keys_of_the_contract(tmp_path, command):
    file = write_arm(tmp_path, in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 2 0"')(ARM))
    code, out, _ = command(file, "--json", "--seconds", 0.5)
    report = json.loads(out)
    assert code == 1
    assert list(report) == ["robot", "ok", "findings", "rest"]
    assert list(report["rest"]) == ["seconds", "max_speed"]
    assert list(report["findings"][0]) == ["code", "severity", "where", "message"]
    assert report["findings"][0]["where"] == f"joint shoulder (arm.urdf:{LINE})"


def test_clean_robot_ends_with_zero(tmp_path, command):
    code, out, _ = command(write_arm(tmp_path))
    assert code == 0 and "small_arm: ok (nothing found; held for 5 s" in out


def test_notes_alone_leave_a_robot_clean(tmp_path, command):
    file = write_arm(tmp_path, in_joint("wrist", 'lower="-3.0"', 'lower="0.5"')(ARM))
    code, out, _ = command(file, "--seconds", 0.5)
    assert code == 0 and "zero-outside-limits" in out and "1 note" in out


def test_catalogue_name_is_checked(command):
    code, out, _ = command("open_manipulator_x", "--json", "--seconds", 0.5)
    assert code == 0 and json.loads(out)["findings"] == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file-empty"),
        (b"\x00\x01", "file-binary"),
        (b"hello", "not-xml"),
        (b"<a", "xml-syntax"),
    ],
)
def test_unreadable_file_is_a_report_and_not_a_usage_error(tmp_path, command, content, code):
    file = tmp_path / "robot.urdf"
    file.write_bytes(content)
    exit_code, out, err = command(file, "--json")
    report = json.loads(out)
    assert exit_code == 1 and not report["ok"] and report["rest"]["max_speed"] is None
    assert [each["code"] for each in report["findings"]] == [code]
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ("gone.urdf",),
        ("no_such_robot",),
        ("crumb", "--nonsense"),
        ("crumb", "--arg", "novalue"),
        ("crumb", "--package", "/no/such/folder"),
        ("crumb", "--seconds", "-1"),
        ("crumb", "--seconds", "nan"),
        (),
    ],
)
def test_usage_errors_end_with_two_and_one_line(command, words):
    code, out, err = command(*words)
    assert code == 2 and out == "" and err.count("\n") == 1
    assert err.startswith("mecano: ")


def test_fix_writes_a_copy_and_says_what_it_did(tmp_path, command):
    file = write_arm(tmp_path, in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 2 0"')(ARM))
    code, out, _ = command(file, "--fix", "--seconds", 0.5)
    assert code == 0
    assert f"line {LINE}, joint shoulder: axis of length 2 made 1: '0 2 0' -> '0 1 0'" in out
    assert (tmp_path / "arm.fixed.urdf").read_text() == ARM


def test_fix_in_json_lists_the_changes(tmp_path, command):
    file = write_arm(tmp_path, in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 2 0"')(ARM))
    _, out, _ = command(file, "--fix", "--in-place", "--json", "--seconds", 0)
    fixed = json.loads(out)["fixed"]
    assert fixed["file"] == str(file) and file.read_text() == ARM
    assert fixed["changes"][0]["before"] == "0 2 0" and fixed["changes"][0]["line"] == LINE


def test_fix_of_what_is_no_urdf_changes_nothing(command):
    code, out, _ = command("open_manipulator_x", "--fix", "--seconds", 0)
    assert code == 0 and "only URDF files are repaired" in out


def test_markup_in_names_is_shown_as_it_is(tmp_path, command):
    file = write_arm(tmp_path, ARM.replace('"upper"', '"[bold]upper[/bold]"'))
    code, out, _ = command(file, "--seconds", 0)
    assert code == 1 and "[bold]upper[/bold]" in out


@pytest.mark.slow
def test_xacro_arguments_reach_the_file(tmp_path, command):
    text = ARM.replace("<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ').replace(
        'value="1.5"', 'value="$(arg mass)"'
    )
    file = tmp_path / "arm.urdf.xacro"
    write_arm(tmp_path)
    file.write_text(text)
    code, out, _ = command(file, "--json", "--seconds", 0)
    assert code == 1 and "--arg mass:=VALUE" in json.loads(out)["findings"][0]["message"]
    assert command(file, "--arg", "mass:=1.5", "--seconds", 0)[0] == 0


@pytest.mark.slow
def test_whole_command_in_a_process_of_its_own(tmp_path):
    file = write_arm(tmp_path, ARM[: len(ARM) // 2])
    done = subprocess.run(
        [sys.executable, "-m", "mecano", "check-robot", str(file), "--json"],
        capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1 and done.stderr == ""
    assert json.loads(done.stdout)["findings"][0]["code"] == "xml-syntax"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["arm.urdf", "meshes"]
