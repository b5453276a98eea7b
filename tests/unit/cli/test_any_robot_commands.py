"""Every command that takes a robot's name takes its folder, a URDF and an MJCF file as well."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import mecano as package
from mecano import robots
from mecano.robots import calibration as kept

EXAMPLES = Path(__file__).parents[3] / "examples"
HUSKY = EXAMPLES / "husky_ur10"
SOURCES = ("robot", "husky_ur10.urdf", "robot/model.xml")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Imports of the files, made once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_folders(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("MECANO_CACHE", str(cache))
    monkeypatch.setenv("MECANO_CALIBRATION", str(tmp_path / "calibration"))
    monkeypatch.setenv("MECANO_RUNS", "off")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "words",
    [
        ("info", "{}"),
        ("info", "{}", "--json"),
        ("info", "{}/reach"),
        ("topics", "{}"),
        ("fk", "{}", 0, -1.2, 1.4, -1.2, -1.57, 0),
        ("ik", "{}", 0.95, 0.1, 0.53, "--pitch", 1.5708),
        ("workspace", "{}", "--samples", 100),
        ("calibrate", "{}", "--show"),
        ("calibrate", "{}", "--suggest", 3),
        ("scene", "empty", "--robot", "{}"),
        ("run", "{}/hold", "-o", "seconds=0.2"),
        ("evaluate", "hold", "--robot", "{}", "--runs", 1, "-o", "seconds=0.2"),
    ],
    ids=lambda words: " ".join(map(str, words[:2])),
)
def test_a_command_takes_a_folder_and_files(mecano, words, source):
    answer = mecano(*(str(word).format(HUSKY / source) for word in words))
    assert answer.code == 0, answer.err
    assert answer.out


@pytest.mark.parametrize("source", SOURCES)
def test_what_the_robot_lacks_is_said_by_its_own_name(fails_cleanly, source):
    robot = HUSKY / source
    fails_cleanly("emulate", robot, says=("'husky_ur10' has no servos on a bus",))
    fails_cleanly("map", robot, says=("husky_ur10 has neither LIDAR nor depth camera",))
    fails_cleanly("run", f"{robot}/walk", says=("husky_ur10 has no legs", "arm, gripper, base"))
    fails_cleanly("doctor", "/dev/null", "--robot", robot, says=("no driver for servos",))


def test_a_robots_folder_is_no_scene(fails_cleanly):
    robot = HUSKY / "robot"
    fails_cleanly("scene", robot, says=(f"mecano scene empty --robot {robot}",))


def test_a_robot_that_is_put_together_by_code_is_viewed(mecano, monkeypatch):
    monkeypatch.setattr("mecano.cli.view.until_interrupted", lambda: None)
    answer = mecano("view", EXAMPLES / "modular_quadruped", "--no-browser")
    assert answer.code == 0, answer.err
    assert "view: http" in answer.out


def test_an_own_robot_has_its_own_calibration():
    folder = HUSKY / "robot"
    owner = kept.owner_of(robots.get(folder))
    found = kept.Calibration(
        robot=owner, chain="arm", offsets={"elbow": 0.01}, when=datetime.now(UTC), points=9,
        rms_mm=0.5,
    )  # fmt: skip
    with pytest.raises(package.MecanoError, match="no calibration of husky_ur10 is stored"):
        package.connect(folder, calibration=True)
    assert found.save() == kept.folder() / "husky_ur10.toml"
    with package.connect(folder, calibration=True) as robot:
        assert robot.arm.chain.dh.joints[2].theta == pytest.approx(0.01)
    assert kept.forget(owner)
