"""docs/frames.md: what it says of base frames and tools is what the models have."""

import importlib.util
from pathlib import Path

import mujoco
import numpy as np
import pytest

import mecano
from mecano import robots

SCRIPT = Path(__file__).parents[3] / "docs" / "make_frames.py"


@pytest.fixture(scope="module")
def frames():
    spec = importlib.util.spec_from_file_location("make_frames", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_script_writes(frames):
    written = SCRIPT.with_name("frames.md").read_text(encoding="utf-8")
    assert written == frames.page(), "docs/frames.md is old; run: python docs/make_frames.py"


def test_every_robot_of_the_catalogue_has_a_row(frames):
    page = frames.page()
    for name in robots.ROBOTS:
        assert f"| `{name}` |" in page


@pytest.mark.parametrize("name", [n for n in (*robots.ROBOTS, "ur5") if robots.get(n).arms])
def test_the_arm_frame_stays_where_the_page_says_in_every_posture(frames, name):
    robot, rng = robots.get(name), np.random.default_rng(1)
    model, data = frames.posed(robot)
    frame = frames.robot_frame(robot, model)
    for row in frames.arm_rows(robot):
        chain = robot.chains[row.arm]
        for _ in range(20):
            q = rng.uniform(chain.dh.lower, chain.dh.upper)
            for joint, value in zip(chain.joint_names, q, strict=True):
                data.joint(joint).qpos[0] = value
            mujoco.mj_kinematics(model, data)
            T_robot_tool = row.T_robot_arm @ chain.forward(q)
            np.testing.assert_allclose(
                frames.in_frame(data, frame, row.tool), T_robot_tool, atol=1e-9
            )


@pytest.mark.parametrize("name", ["open_manipulator_x", "crumb", "youbot", "madar"])
def test_the_tool_is_there_when_the_robot_is_connected(frames, name):
    robot = mecano.connect(name, scene="empty")
    for row in frames.arm_rows(robot.description):
        T_world_tool = robot.truth.tool_pose(row.arm).matrix()
        np.testing.assert_allclose(T_world_tool, row.T_robot_arm @ row.T_arm_tool, atol=1e-9)
        stands = robot.arms[row.arm].pose().position
        np.testing.assert_allclose(stands, row.T_arm_tool[:3, 3], atol=2e-3)  # by the encoders
