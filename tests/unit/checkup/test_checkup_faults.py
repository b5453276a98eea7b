"""A description against its model, at rest: each fault is named."""

import shutil
from dataclasses import replace

import pytest

from mecano import robots
from mecano.checkup import check_robot
from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.dh import DHChain

ARM = "open_manipulator_x"


def codes(report) -> set[str]:
    return {each.code for each in report.findings if each.severity != "note"}


@pytest.fixture
def arm():
    return robots.get(ARM)


def with_joint(robot, number: int, **changes):
    """Return the robot with another row of its DH table."""
    chain = robot.chain()
    rows = list(chain.dh.joints)
    rows[number] = replace(rows[number], **changes)
    dh = replace(chain.dh, joints=tuple(rows))
    assert isinstance(dh, DHChain)
    return replace(robot, chains={**robot.chains, chain.name: replace(chain, dh=dh)})


def with_servo(robot, joint: str, **changes):
    return replace(robot, servos={**robot.servos, joint: replace(robot.servos[joint], **changes)})


def test_wrong_link_length_shows_in_the_tool_frame(arm):
    row = arm.chain().dh.joints[2]
    assert codes(check_robot(with_joint(arm, 2, a=row.a + 1e-4), seconds=0.0)) >= {"tool-frame"}


def test_table_and_model_of_different_range(arm):
    row = arm.chain().dh.joints[1]
    report = check_robot(with_joint(arm, 1, upper=row.upper + 0.5), seconds=0.0)
    assert "limits-differ" in codes(report)


def test_posture_outside_the_limits(arm):
    chain = arm.chain()
    wild = replace(chain, postures={**chain.postures, "wild": (9.0,) * len(chain.joint_names)})
    report = check_robot(replace(arm, chains={chain.name: wild}), seconds=0.0)
    assert "posture-outside-limits" in codes(report)


def test_weak_motor_is_named_with_both_torques(arm):
    joint = arm.chain().joint_names[1]
    report = check_robot(with_servo(arm, joint, torque=0.01), seconds=0.0)
    found = next(each for each in report.findings if each.code == "effort-weak")
    assert joint in found.where and "0.01 N m" in found.message


def test_missing_servo_is_named(arm):
    joint = arm.chain().joint_names[0]
    servos = {name: servo for name, servo in arm.servos.items() if name != joint}
    assert "servo-missing" in codes(check_robot(replace(arm, servos=servos), seconds=0.0))


def test_parts_that_the_model_lacks_are_named(arm):
    chain = arm.chain()
    gripper = replace(arm.gripper, joint="no_such_joint")
    report = check_robot(replace(arm, grippers={chain.name: gripper}), seconds=0.0)
    found = next(each for each in report.findings if each.code == "part-missing")
    assert "no_such_joint" in found.message and "gripper_sub" in found.message


def folder_with(tmp_path, text: str, model: str | None = None):
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "description.py").write_text(text)
    if model is not None:
        (folder / "model.xml").write_text(model)
    return folder


def test_broken_description_is_a_finding(tmp_path):
    report = check_robot(folder_with(tmp_path, "DESCRIPTION = 1/0"))
    assert codes(report) == {"description-broken"} and report.rest.max_speed is None


BALANCING = """
from pathlib import Path
from mecano.robots.description import RobotDescription

DESCRIPTION = RobotDescription(
    name="pole", title="A pole", summary="Stands until it falls.", folder=Path(__file__).parent,
    chains={}, model="model.xml", floating="pole", scene="empty",
)
"""


def pole(radius: float) -> str:
    return (
        f'<mujoco><worldbody><body name="pole" pos="0 0 0.5" euler="3 0 0"><geom type="box" '
        f'size="{radius} {radius} 0.5" mass="1"/></body></worldbody></mujoco>'
    )


def test_what_falls_over_is_named(tmp_path):
    report = check_robot(folder_with(tmp_path, BALANCING, pole(0.005)))
    assert "falls-over" in codes(report)
    found = next(each for each in report.findings if each.code == "falls-over")
    assert "degrees" in found.message


def test_what_stands_is_not_called_fallen(tmp_path):
    report = check_robot(folder_with(tmp_path, BALANCING, pole(0.2)))
    assert report.ok, report.findings


def test_model_that_does_not_compile_is_a_finding(tmp_path):
    report = check_robot(folder_with(tmp_path, BALANCING, "<mujoco><nonsense/></mujoco>"))
    assert codes(report) == {"model-broken"}


def test_model_that_is_missing_is_a_finding(tmp_path):
    assert codes(check_robot(folder_with(tmp_path, BALANCING))) == {"model-broken"}


def test_model_in_millimetres_is_named(tmp_path):
    text = pole(0.2).replace('pos="0 0 0.5"', 'pos="0 0 500"').replace("0.2 0.2 0.5", "200 200 500")
    report = check_robot(folder_with(tmp_path, BALANCING, text), seconds=0.0)
    assert "units-millimetres" in codes(report)


def test_folder_of_the_catalogue_is_checked_like_its_name(tmp_path, arm):
    shutil.copytree(arm.folder, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    assert check_robot(tmp_path / "copy", seconds=0.5).ok


def test_what_is_not_there_is_a_usage_error(tmp_path):
    with pytest.raises(InvalidInput, match="no file"):
        check_robot(tmp_path / "gone.urdf")
    with pytest.raises(InvalidInput, match="no file"):
        check_robot("some/where/robot")
    with pytest.raises(UnknownName, match="open_manipulator_x"):
        check_robot("open_manipulator")


def test_progress_goes_up_to_the_end(arm):
    seen = []
    check_robot(arm, seconds=0.5, tell=lambda done, total: seen.append(done / total))
    assert seen == sorted(seen) and seen[-1] == 1.0
