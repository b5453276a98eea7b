"""`mecano derive` prints a derivation that a student can follow at any width."""

import os
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from mecano.cli.derive import derive
from mecano.core.errors import InvalidInput, UnknownName

pytest.importorskip("sympy")

app = typer.Typer(pretty_exceptions_enable=False)
app.command(context_settings={"ignore_unknown_options": True})(derive)


def run(*arguments: str, columns: int = 80):
    return CliRunner(env={"COLUMNS": str(columns)}).invoke(
        app, list(arguments), catch_exceptions=False
    )


@pytest.fixture(scope="module")
def arm() -> str:
    return run("open_manipulator_x").stdout


def test_sections_come_in_the_order_of_a_derivation(arm):
    assert re.findall(r"^(\d) [A-Z]", arm, re.MULTILINE) == [*"1234567"]


@pytest.mark.parametrize("name", ["T01", "T12", "T23", "T34", "T02", "T03", "T04"])
def test_every_matrix_of_the_paper_is_shown(arm, name):
    assert f"  {name} =\n" in arm


def test_table_shows_letters_with_their_numbers(arm):
    assert re.search(r"2\s+joint2\s+q₂ - φ\s+0\s+L₂\s+0", arm)
    assert re.search(r"φ\s+1\.385448 rad \(79\.380 deg\)", arm)


def test_inverse_is_shown_with_atan2(arm):
    assert "q₁ = atan2(Y⋅s, X⋅s)" in arm
    assert "D ≥ │L₂ - L₃│ ∧ D ≤ L₂ + L₃" in arm


def test_determinant_is_shown(arm):
    assert "det J = L₂⋅L₃⋅R⋅sin(q₃ + φ)" in arm


def test_errata_come_with_their_evidence(arm):
    assert "printed" in arm
    assert "20.8 mm" in arm


def test_errata_can_be_left_out():
    assert "Errata" not in run("open_manipulator_x", "--no-errata").stdout


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("robot", ["open_manipulator_x", "two_link", "widowx"])
def test_no_line_is_wider_than_the_console(robot, columns):
    values = {"two_link": "0.3,-0.8", "widowx": "0.3,-0.8,0.4,0.2,0.1"}
    output = run(robot, f"--at={values.get(robot, '0.3,-0.8,0.4,0.2')}", columns=columns).stdout
    assert max(map(len, output.splitlines())) <= columns
    assert "…" not in output


def test_wide_console_shows_the_closed_form_in_one_matrix():
    output = run("open_manipulator_x", columns=160).stdout
    assert re.search(r"T04 =\n    ⎡cos.*cos\(q₁\)⎤\n", output)


def test_posture_shows_the_numbers_of_every_matrix():
    output = run("open_manipulator_x", "--at", "0,-1.05,0.35,0.7").stdout
    assert output.count("in numbers") == 7
    assert "= 0.133752" in output  # x of the vendor's home posture
    assert "= 0.240890" in output  # z


def test_posture_comes_back_out_of_the_inverse():
    output = run("open_manipulator_x", "--at", "0,-1.05,0.35,0.7").stdout
    assert "s = +1, e = -1, which leads back to the posture given" in " ".join(output.split())
    assert re.search(
        r"s = \+1, e = -1\s+0\.00000\s+-1\.05000\s+0\.35000\s+0\.70000\s+inside", output
    )


def test_arm_that_rolls_its_hand_shows_five_steps_and_their_product():
    text = run("widowx", columns=120).stdout
    for name in ("T01", "T12", "T23", "T34", "T45", "T05"):
        assert f"{name} =" in text
    assert "a_x sin(q1) - a_y cos(q1) = 0" in text.replace("\n", " ")


def test_posture_of_five_joints_comes_back_out_of_the_inverse():
    text = run("widowx", "--at", "0.1,0.4,0.4,-1.57,0.5", columns=120).stdout
    row = next(line for line in text.splitlines() if line.startswith("s = +1, e = -1"))
    assert re.findall(r"-?\d\.\d+", row) == ["0.100", "0.400", "0.400", "-1.570", "0.500"]


def test_singular_posture_is_no_error():
    assert "e = +1" in run("two_link", "--at", "0.7,0").stdout


def test_negative_first_value_is_a_number():
    assert "-0.500000" in run("two_link", "--at", "-0.5,1").stdout


def test_planar_arm_has_no_paper_errata():
    assert "Errata" not in run("two_link").stdout


@pytest.mark.slow
def test_ascii_output_holds_no_other_characters():
    code = "import typer; from mecano.cli.derive import derive; typer.run(derive)"
    done = subprocess.run(
        [sys.executable, "-c", code, "two_link"],
        capture_output=True,
        env={**_environment(), "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert b"cos(q1 + q2)" in done.stdout
    assert done.stderr == b""


def test_latex_is_balanced():
    output = run("open_manipulator_x", "--latex", "--at", "0,-1.05,0.35,0.7").stdout
    assert output.isascii()
    assert output.count(r"\[") == output.count(r"\]") > 20
    assert output.count("{") - output.count(r"\{") == output.count("}") - output.count(r"\}")
    assert r"\phi" in output


def test_wrong_number_of_values_is_named():
    with pytest.raises(InvalidInput, match="3 joint values given, 4 needed"):
        run("open_manipulator_x", "--at", "0,0,0")


def test_words_are_no_joint_values():
    with pytest.raises(InvalidInput, match="takes joint values with commas"):
        run("two_link", "--at", "home")


def test_unknown_chain_lists_the_known_ones():
    with pytest.raises(UnknownName, match="known chains: arm"):
        run("two_link", "--chain", "leg")


def test_importing_the_command_is_light():
    code = "import sys, mecano.cli.derive; print({'sympy', 'numpy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=_environment(), check=True
    )
    assert done.stdout == "set()\n"


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_an_arm_of_the_ur_kind_has_a_closed_form(mecano):
    answer = mecano("derive", "madar", "--chain", "left", "--no-errata")
    assert answer.code == 0
    assert "eight solutions" in answer.out and "--chain left --all" in answer.out
    assert "numerically" not in answer.out
