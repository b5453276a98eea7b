"""`mecano calibrate`: from a file of touched points to a kept calibration, and every way to err."""

from pathlib import Path

import numpy as np
import pytest

from mecano import robots
from mecano.kinematics.calibration import suggest_points, turned
from mecano.robots import calibration as kept

NAME = "open_manipulator_x"
ROBOT = robots.get(NAME)
ARM = ROBOT.chain().dh
PHI = ROBOT.angles[0].value
POSTURES = suggest_points(ARM, 10, np.random.default_rng(0), angles=ROBOT.angles)
HEADING = "joint1,joint2,joint3,joint4,x,y,z"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """No test writes into the folder of the user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MECANO_CALIBRATION", str(tmp_path / "calibration"))
    return tmp_path / "calibration"


def table(phi: float = 0.03, noise: float = 0.0003, readings=POSTURES, **offsets) -> np.ndarray:
    truth = turned(ARM, offsets=offsets, changes={"phi": phi}, angles=ROBOT.angles)
    points = truth.forward(readings)[:, :3, 3]
    points = points + np.random.default_rng(0).normal(0.0, noise, points.shape)
    return np.hstack([readings, points])


@pytest.fixture
def write(tmp_path):
    """Write rows to a CSV file and return it."""

    def to_file(rows, heading: str = HEADING, name: str = "touched.csv") -> Path:
        lines = [",".join(str(value) for value in row) for row in rows]
        file = tmp_path / name
        file.write_text("\n".join([heading, *lines]) + "\n", encoding="utf-8")
        return file

    return to_file


# --- fit


def test_phi_is_found_and_kept(mecano, write, folder):
    answer = mecano("calibrate", NAME, "--points", write(table()), "--what", "phi")
    assert answer.code == 0, answer.err
    assert "phi" in answer.out and "deg" in answer.out and "rad" in answer.out
    assert "before" in answer.out and "after" in answer.out and "mm RMS" in answer.out
    assert str(folder) in answer.err
    found = kept.load(NAME)
    assert found is not None and found.angles["phi"] == pytest.approx(PHI + 0.03, abs=0.0035)


def test_json_holds_old_new_and_interval(mecano, write):
    answer = mecano("calibrate", NAME, "--points", write(table()), "--what", "phi", "--json")
    (phi,) = answer.json["estimates"]
    assert phi["old"] == PHI and phi["unit"] == "rad"
    assert abs(phi["new"] - PHI - 0.03) < 2 * phi["interval"]
    assert answer.json["rms_before_mm"] > 3.0 > 1.0 > answer.json["rms_mm"]


def test_both_is_what_is_fitted_unless_told(mecano, write):
    answer = mecano("calibrate", NAME, "--points", write(table(joint1=0.02)), "--json")
    names = [each["name"] for each in answer.json["estimates"]]
    assert names == ["phi", "joint1", "joint2", "joint3", "joint4"]
    assert "move every point alike" in answer.json["notes"][0]


def test_nothing_is_kept_if_told_so(mecano, write, folder):
    answer = mecano("calibrate", NAME, "--points", write(table()), "--no-save")
    assert answer.code == 0 and not folder.exists()


def test_old_values_are_those_in_use(mecano, write):
    mecano("calibrate", NAME, "--points", write(table(0.03)), "--what", "phi")
    first = kept.load(NAME)
    answer = mecano("calibrate", NAME, "--points", write(table(0.01)), "--what", "phi", "--json")
    assert first is not None and answer.json["estimates"][0]["old"] == first.angles["phi"]
    assert answer.json["rms_before_mm"] == pytest.approx(2.6, abs=0.5)  # 0.02 rad of 130 mm


def test_other_units_can_be_named_in_the_heading(mecano, write):
    rows = table()
    rows[:, :4] = np.degrees(rows[:, :4])
    rows[:, 4:] *= 1000.0
    heading = "joint1_deg,joint2_deg,joint3 [deg],joint4_deg,x_mm,y_mm,z_mm"
    other = mecano("calibrate", NAME, "--points", write(rows, heading), "--no-save", "--json")
    same = mecano("calibrate", NAME, "--points", write(table()), "--no-save", "--json")
    assert other.json["estimates"][0]["new"] == pytest.approx(
        same.json["estimates"][0]["new"], abs=1e-9
    )


def test_columns_may_stand_in_any_order_beside_others(mecano, write):
    rows = [[f"note {i}", *row[::-1]] for i, row in enumerate(table())]
    heading = "note,z,y,x,joint4,joint3,joint2,joint1"
    answer = mecano("calibrate", NAME, "--points", write(rows, heading), "--json")
    assert answer.code == 0 and answer.json["rms_mm"] < 1.0


def test_semicolons_of_a_spreadsheet_are_read(mecano, write):
    file = write(table())
    file.write_text(file.read_text().replace(",", ";"))
    assert mecano("calibrate", NAME, "--points", file).code == 0


def test_lines_without_a_point_are_left_out(mecano, write):
    rows = [list(row) for row in table()]
    rows[3][4:] = ["", "", ""]
    answer = mecano("calibrate", NAME, "--points", write(rows), "--json")
    assert answer.json["points"] == 9 and "1 lines without x, y, z" in answer.err


def test_wrong_point_is_named(mecano, write):
    rows = table()
    rows[6, 5] += 0.015
    answer = mecano("calibrate", NAME, "--points", write(rows), "--no-save", "--json")
    assert answer.json["suspects"] == [7] and "warning: point 7 lies" in answer.err


def test_points_that_do_not_tell_all_are_not_kept(mecano, write, folder):
    rows = table(readings=np.repeat(POSTURES[:1], 5, axis=0))
    answer = mecano("calibrate", NAME, "--points", write(rows))
    assert answer.code == 1 and "not told" in answer.out and not folder.exists()
    assert "tell only 3 of 4 numbers" in answer.err and "not kept" in answer.err


def test_doubtful_fit_is_kept_if_told_so(mecano, write):
    answer = mecano("calibrate", NAME, "--points", write(table(joint1=0.5)), "--save")
    assert answer.code == 0 and "in spite of doubts" in answer.err
    assert kept.load(NAME) is not None


def test_part_without_a_constant_angle_is_fitted_by_its_offsets(mecano, write):
    arm = robots.get("two_link").chain().dh
    readings = suggest_points(arm, 5, np.random.default_rng(0))
    points = turned(arm, offsets={"joint2": 0.05}).forward(readings)[:, :3, 3]
    file = write(np.hstack([readings, points]), "joint1,joint2,x,y,z")
    answer = mecano("calibrate", "two_link", "--points", file, "--json")
    assert answer.json["estimates"][1]["new"] == pytest.approx(0.05, abs=1e-9)


# --- show, forget, suggest


def test_what_is_kept_is_shown_and_forgotten(mecano, write):
    assert "nothing is kept" in mecano("calibrate", NAME, "--show").out
    mecano("calibrate", NAME, "--points", write(table()))
    shown = mecano("calibrate", NAME, "--show")
    assert "phi" in shown.out and "zero of joint1" in shown.out and "deg" in shown.out
    assert mecano("calibrate", NAME, "--show", "--json").json["calibration"]["points"] == 10
    assert "deleted" in mecano("calibrate", NAME, "--forget").out
    assert mecano("calibrate", NAME, "--forget", "--json").json["forgotten"] is False


def test_suggested_file_needs_only_its_points(mecano, tmp_path):
    file = tmp_path / "postures.csv"
    assert mecano("calibrate", NAME, "--suggest", 10, "--output", file).code == 0
    heading, *lines = file.read_text().splitlines()
    assert heading == "joint1_rad,joint2_rad,joint3_rad,joint4_rad,x_m,y_m,z_m"
    readings = np.array([line.split(",")[:4] for line in lines], dtype=float)
    filled = [",".join(map(str, row)) for row in table(readings=readings)]
    file.write_text("\n".join([heading, *filled]))
    assert mecano("calibrate", NAME, "--points", file).code == 0


def test_suggestion_is_printed_as_csv(mecano):
    answer = mecano("calibrate", NAME, "--suggest", 6)
    assert len(answer.out.splitlines()) == 7 and "collisions are not looked at" in answer.err


# --- bad input


def test_file_that_was_not_filled_in_is_refused(fails_cleanly, write):
    rows = [[*q, "", "", ""] for q in POSTURES]
    fails_cleanly("calibrate", NAME, "--points", write(rows), says=("0 points are too few",))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows[:2], ("2 points are too few", "at least 3")),
        (lambda rows: rows * [1, 1, 1, 1, 1e3, 1e3, 1e3], ("look like millimetres",)),
        (lambda rows: rows * [57.3, 57.3, 57.3, 57.3, 1, 1, 1], ("look like degrees",)),
        (lambda rows: rows + np.eye(7)[4] / 2, ("m from joint1", "the arm reaches 0.440 m")),
        (lambda rows: np.vstack([rows[:1] * np.nan, rows[1:]]), ("line 2: joint1 is 'nan'",)),
    ],
)
def test_points_that_cannot_be_are_refused(fails_cleanly, write, change, says):
    file = write(change(table()))
    fails_cleanly("calibrate", NAME, "--points", file, says=(str(file), *says))


@pytest.mark.parametrize(
    ("heading", "says"),
    [
        ("a,b,c,d,x,y,z", ("no column for joint1, joint2, joint3, joint4",)),
        ("joint1,joint2,joint3,joint4,x,y", ("no column for z",)),
        ("joint1,joint1,joint3,joint4,x,y,z", ("two columns for joint1",)),
        ("joint1_mm,joint2,joint3,joint4,x,y,z", ("'joint1_mm' is in mm, allowed rad or deg",)),
        ("joint1,joint2,joint3,joint4,x_deg,y,z", ("'x_deg' is in deg, allowed m or mm",)),
    ],
)
def test_heading_that_is_wrong_is_told(fails_cleanly, write, heading, says):
    fails_cleanly("calibrate", NAME, "--points", write(table(), heading), says=says)


def test_word_in_the_place_of_a_number_is_told_with_its_line(fails_cleanly, write):
    rows = [list(row) for row in table()]
    rows[2][4] = "far"
    says = ("line 4", "x is 'far', expected a number")
    fails_cleanly("calibrate", NAME, "--points", write(rows), says=says)


def test_point_with_a_missing_coordinate_is_told(fails_cleanly, write):
    rows = [list(row) for row in table()]
    rows[2][5] = ""
    fails_cleanly("calibrate", NAME, "--points", write(rows), says=("line 4", "y is ''"))


def test_file_that_is_not_there_is_told(fails_cleanly, tmp_path):
    file = tmp_path / "none.csv"
    fails_cleanly("calibrate", NAME, "--points", file, says=("cannot read", "No such file"))


def test_empty_file_is_told(fails_cleanly, tmp_path):
    file = tmp_path / "empty.csv"
    file.write_text("\n")
    fails_cleanly("calibrate", NAME, "--points", file, says=("is empty", "joint1, joint2"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "one of --points FILE.csv"),
        (("--show", "--forget"), "one of --points FILE.csv"),
        (("--show", "--output", "x.csv"), "--output goes with --suggest"),
        (("--suggest", 1), "1 postures asked for, allowed 3"),
        (("--suggest", 10, "--what", "all"), "no calibration named 'all'"),
        (("--suggest", 10, "--output", "/no/such/folder/x.csv"), "cannot write"),
    ],
)
def test_questions_that_make_no_sense_are_told(fails_cleanly, words, says):
    fails_cleanly("calibrate", NAME, *words, says=(says,))


def test_part_without_a_constant_angle_says_so(fails_cleanly, write):
    file = write([[0, 1, 0.3, 0.1, 0]] * 4, "joint1,joint2,x,y,z")
    words = ("calibrate", "two_link", "--points", file, "--what", "phi")
    fails_cleanly(*words, says=("no constant angle",))


def test_damaged_calibration_is_told(fails_cleanly, folder):
    folder.mkdir()
    (folder / f"{NAME}.toml").write_text("robot = ")
    fails_cleanly("calibrate", NAME, "--show", says=("is damaged", "--forget"))
