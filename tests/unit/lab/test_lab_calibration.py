"""The calibration of one's own robot: kept in a file, read with care, put into the table."""

import math
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.calibration import suggest_points, turned
from mecano.robots import calibration as kept
from mecano.robots.calibration import Calibration

ROBOT = "open_manipulator_x"
ARM = robots.get(ROBOT).chain()
ANGLES = robots.get(ROBOT).angles
PHI = ANGLES[0].value
NOON = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
FOUND = Calibration(
    robot=ROBOT,
    chain="arm",
    offsets={"joint1": 0.1 / 3, "joint4": -1e-05},
    angles={"phi": PHI + 0.03},
    when=NOON,
    points=10,
    rms_mm=0.8,
)
POSTURES = suggest_points(ARM.dh, 10, np.random.default_rng(0), angles=ANGLES)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    """No test writes into the folder of the user."""
    monkeypatch.delenv("MECANO_CALIBRATION", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path / "AppData"))
    return tmp_path


# --- the file


def test_what_is_saved_is_loaded_bit_for_bit():
    FOUND.save()
    assert kept.load(ROBOT) == FOUND


def test_nothing_kept_is_none():
    assert kept.load(ROBOT) is None


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps it in APPDATA")
def test_file_lies_in_the_config_folder_of_the_user(home, monkeypatch):
    inside = Path("mecano", "calibration", f"{ROBOT}.toml")
    assert kept.file_of(ROBOT) == home / ".config" / inside
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    assert FOUND.save() == home / "xdg" / inside


def test_folder_can_be_chosen(home, monkeypatch):
    monkeypatch.setenv("MECANO_CALIBRATION", str(home / "bench 3"))
    assert FOUND.save() == home / "bench 3" / f"{ROBOT}.toml"


def test_saving_again_replaces_what_was_there(home):
    file = FOUND.save()
    replace(FOUND, points=12).save()
    found = kept.load(ROBOT)
    assert found is not None and found.points == 12
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_forgotten_calibration_is_gone():
    FOUND.save()
    assert kept.forget(ROBOT)
    assert kept.load(ROBOT) is None and not kept.forget(ROBOT)


def test_damaged_file_can_be_forgotten():
    FOUND.save().write_text("[[[")
    assert kept.forget(ROBOT)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('robot = "open_manipulator_x"', 'robot = "two_link"', "its robot is 'two_link'"),
        ('chain = "arm"', 'chain = "leg"', "its chain is 'leg'"),
        ('chain = "arm"', "", "its chain is None"),
        ("points = 10", "points = 'ten'", "its number of points is 'ten'"),
        ("points = 10", "points = 0", "points is 0"),
        ("points = 10", "points = true", "its number of points is True"),
        ("rms_mm = 0.8", "rms_mm = nan", "rms_mm is nan"),
        ("rms_mm = 0.8", "", "rms_mm is None"),
        ("when = 2026-01-31T12:00:00+00:00", "when = 'noon'", "'when' is 'noon'"),
        ("when = 2026-01-31T12:00:00+00:00", "when = 2026-01-31T12:00:00", "has no time zone"),
        ('"joint1"', '"joint9"', "no joint named 'joint9'"),
        ('"phi"', '"psi"', "no angle named 'psi'"),
        ('"joint1" = 0.0333', '"joint1" = 70.0333', "expected a number in"),
        ('"joint4" = -1e-05', '"joint4" = "0.1"', "offsets.joint4 is '0.1', expected a number"),
        ("[offsets]", "[ofsets]", "did you mean 'offsets'?"),
        ("[offsets]", "[[offsets]]", "expected a section"),
        ('what = "both"', 'what = "all"', "no calibration named 'all'"),
        ("points", "points points", "is damaged"),
    ],
)
def test_file_that_is_wrong_is_told_in_one_sentence(old, new, says):
    file = FOUND.save()
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(InvalidInput) as caught:
        kept.load(ROBOT)
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert str(file) in str(caught.value) and "--forget" in str(caught.value)


def test_file_that_is_no_text_is_told():
    FOUND.save().write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="is damaged"):
        kept.load(ROBOT)


def test_folder_that_cannot_be_written_is_told(home, monkeypatch):
    (home / "file").write_text("")
    monkeypatch.setenv("MECANO_CALIBRATION", str(home / "file"))
    with pytest.raises(InvalidInput, match=r"cannot write .* set MECANO_CALIBRATION"):
        FOUND.save()


def test_robot_that_does_not_exist_is_told():
    with pytest.raises(UnknownName, match="no robot named 'r2d2'"):
        kept.load("r2d2")


def test_numbers_that_are_not_finite_cannot_be_kept():
    with pytest.raises(InvalidInput, match=r"joint joint1 .* finite"):
        replace(FOUND, offsets={"joint1": math.nan})


# --- the table


def test_calibrated_table_is_the_truth():
    truth = turned(ARM.dh, offsets=FOUND.offsets, changes={"phi": 0.03}, angles=ANGLES)
    np.testing.assert_allclose(
        FOUND.apply(ARM).forward(POSTURES), truth.forward(POSTURES), atol=1e-12
    )


def test_calibrated_chain_solves_its_own_poses():
    arm = FOUND.apply(ARM)
    assert arm.solver == "turret"
    for q in POSTURES:
        answer = arm.inverse(arm.forward(q)[:3, 3], pitch=arm.pitch(q), start=q)
        assert answer.reached
        np.testing.assert_allclose(answer.solutions[0], q, atol=1e-7)


def test_limits_and_postures_stay_readings():
    arm = FOUND.apply(ARM)
    assert arm.postures == ARM.postures
    np.testing.assert_array_equal(arm.dh.lower, ARM.dh.lower)


def test_empty_calibration_changes_nothing():
    empty = replace(FOUND, offsets={}, angles={})
    np.testing.assert_array_equal(empty.apply(ARM).forward(POSTURES), ARM.forward(POSTURES))


def test_chain_of_another_name_is_refused():
    with pytest.raises(InvalidInput, match="not of 'leg'"):
        FOUND.apply(replace(ARM, name="leg"))


# --- from points to a calibration


def measured(phi: float = 0.03, **offsets: float) -> np.ndarray:
    truth = turned(ARM.dh, offsets=offsets, changes={"phi": phi}, angles=ANGLES)
    return truth.forward(POSTURES)[:, :3, 3]


def test_fit_of_a_robot_becomes_its_calibration():
    points = measured(0.03, joint1=0.02)
    found = kept.calibration_from(kept.fit(ROBOT, POSTURES, points), ROBOT, when=NOON)
    np.testing.assert_allclose(found.apply(ARM).forward(POSTURES)[:, :3, 3], points, atol=1e-9)
    assert found.points == 10 and found.what == "both"


def test_what_is_not_fitted_is_kept():
    known = replace(FOUND, offsets={"joint1": 0.02}, angles={})
    fit = kept.fit(ROBOT, POSTURES, measured(0.03, joint1=0.02), what="phi", known=known)
    found = kept.calibration_from(fit, ROBOT, when=NOON, known=known)
    assert found.angles["phi"] == pytest.approx(PHI + 0.03, abs=1e-9)
    assert found.offsets == {"joint1": 0.02}


def test_fitting_again_does_not_add_up():
    points = measured(0.03, joint1=0.02)
    once = kept.calibration_from(
        kept.fit(ROBOT, POSTURES, points, what="offsets"), ROBOT, when=NOON
    )
    fit = kept.fit(ROBOT, POSTURES, points, what="offsets", known=once)
    again = kept.calibration_from(fit, ROBOT, when=NOON, known=once)
    assert again.offsets == pytest.approx(once.offsets, abs=1e-9)


def test_fit_beyond_doubt_has_no_doubts():
    assert kept.doubts(kept.fit(ROBOT, POSTURES, measured())) == ()


def test_fit_that_turns_a_joint_far_is_doubted():
    fit = kept.fit(ROBOT, POSTURES, measured(0.0, joint1=0.5))
    assert kept.doubts(fit) == ("joint1 would change by +0.500 rad",)


def test_points_in_a_wrong_frame_are_doubted():
    fit = kept.fit(ROBOT, POSTURES, measured() + np.array([0.0, 0.03, 0.03]))
    assert any("unit, frame and order" in doubt for doubt in kept.doubts(fit))
