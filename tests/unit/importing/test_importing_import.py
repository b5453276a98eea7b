"""Whole imports: a folder that can be connected to, moved, driven; nothing half written."""

import json
import shutil
import subprocess
from pathlib import Path

import mujoco
import numpy as np
import pytest
from robot_files import arm_urdf, cart_urdf, dog_urdf, write_menagerie, write_urdf
from typer.testing import CliRunner

import mecano
import mecano.lab.settings
from mecano.cli.app import app
from mecano.core.errors import InvalidInput
from mecano.importing import UnreadableRobot, import_robot
from mecano.parts.results import MotionResult
from mecano.world import Placement, World, assemble
from mecano.world.chain_frames import chain_frame


@pytest.fixture(scope="module")
def arm_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arm")
    import_robot(write_urdf(folder, arm_urdf()), folder / "six_arm")
    return folder / "six_arm"


def largest_difference(robot) -> float:
    """Return how far the tables are from the model, over random postures."""
    world = World(assemble([Placement(robot=robot, prefix="r/")], scene="empty"))
    rng, worst = np.random.default_rng(0), 0.0
    for chain in robot.chains.values():
        first = None
        for q in rng.uniform(chain.dh.lower, chain.dh.upper, (50, len(chain.joint_names))):
            for name, value in zip(chain.joint_names, q, strict=True):
                world.data.joint(f"r/{name}").qpos[0] = value
            mujoco.mj_kinematics(world.model, world.data)
            site = world.data.site(f"r/{robot.tool_site(chain.name)}")
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = site.xmat.reshape(3, 3), site.xpos
            base = T @ np.linalg.inv(chain.forward(q))
            first = base if first is None else first
            worst = max(worst, float(np.abs(base - first).max()))
    return worst


def test_table_of_an_imported_arm_is_that_of_its_model(arm_folder):
    robot = mecano.robots.get(arm_folder)
    assert largest_difference(robot) < 1e-9
    assert robot.chain().solver == "ur"


def test_closed_form_finds_random_postures_again(arm_folder):
    chain = mecano.robots.get(arm_folder).chain()
    rng = np.random.default_rng(3)
    for q in rng.uniform(chain.dh.lower, chain.dh.upper, (200, 6)):
        T = chain.forward(q)
        quaternion = mecano.core.poses.quaternion_from_matrix(T[:3, :3])
        found = chain.inverse(T[:3, 3], quaternion=quaternion, start=q)
        assert min(np.abs(np.asarray(each) - q).max() for each in found.solutions) < 1e-6


def test_imported_arm_moves_and_grips(arm_folder):
    with mecano.connect(arm_folder) as robot:
        assert robot.name == "six_arm"
        goal = robot.arm.position + 0.2
        result = robot.arm.move_joints(goal)
        assert isinstance(result, MotionResult) and result.outcome == "reached"
        robot.wait(0.5)
        np.testing.assert_allclose(robot.arm.position, goal, atol=2e-3)
        robot.gripper.close()
        assert robot.gripper.width < 0.005
        robot.gripper.open()
        assert robot.gripper.width == pytest.approx(0.06, abs=0.002)


def test_description_is_formatted_and_marks_its_guesses(arm_folder):
    file = arm_folder / "description.py"
    text = file.read_text()
    assert "# guessed:" in text and len(text.splitlines()) <= 110
    ruff = shutil.which("ruff")
    if ruff is not None:
        subprocess.run([ruff, "format", "--check", "--isolated", "--line-length", "100", file],
                       check=True, capture_output=True)  # fmt: skip


def test_cart_drives_straight_and_turns_as_far_as_it_should(tmp_path):
    import_robot(write_urdf(tmp_path, cart_urdf(4)), tmp_path / "cart")
    with mecano.connect(tmp_path / "cart") as robot:
        start = robot.truth.base_pose()
        robot.base.move(0.5)
        there = robot.truth.base_pose()
        assert there.x - start.x == pytest.approx(0.5, abs=0.02) and abs(there.y) < 0.01
        robot.base.turn(1.0)
        turned = robot.truth.base_pose().yaw - there.yaw
        assert turned == pytest.approx(1.0, abs=0.1)


@pytest.mark.slow
def test_dog_stands_on_its_legs(tmp_path):
    imported = import_robot(write_urdf(tmp_path, dog_urdf()), tmp_path / "dog")
    assert imported.description.floating == "trunk"
    with mecano.connect(tmp_path / "dog") as robot:
        before = robot.truth.body_pose("dog/trunk").position[2]
        robot.wait(3.0)
        after = robot.truth.body_pose("dog/trunk")
        assert before > 0.2 and after.position[2] > 0.9 * before
        assert abs(after.rotation_matrix()[2, 2]) > 0.98


@pytest.mark.parametrize("what", ["folder", "scene.xml", "mixed_arm.xml"])
def test_menagerie_folder_keeps_its_actuators(tmp_path, what):
    source = write_menagerie(tmp_path / "maker_mixed_arm")
    source = source if what == "folder" else source / what
    imported = import_robot(source, tmp_path / "out")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "model.xml"))
    names = [model.actuator(i).name for i in range(model.nactuator)]
    assert names == ["j1", "j2", "j3", "j4", "j5", "finger1"]
    assert model.njnt == 7 and not (model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE).any()
    chain = imported.description.chain()
    assert chain.postures["home"] == (0.1, -0.4, 0.9, 0.5, 0.0)
    assert imported.structure.grippers["arm"].joint == "finger1"
    assert largest_difference(imported.description) < 1e-9


def test_arm_of_five_kinds_of_actuators_moves_in_every_mode(tmp_path):
    folder = write_menagerie(tmp_path / "mixed_arm")
    import_robot(folder, tmp_path / "out")
    with mecano.connect(tmp_path / "out") as robot:
        arm = robot.arm
        goal = arm.position + np.array([0.3, 0.2, -0.2, 0.2, 0.3])
        result = arm.move_joints(goal)
        assert isinstance(result, MotionResult) and result.outcome == "reached"
        robot.wait(0.5)
        np.testing.assert_allclose(arm.position, goal, atol=5e-3)
        arm.command_velocity([0.1, 0.0, 0.0, 0.0, 0.1])
        before = arm.position.copy()
        robot.wait(1.0)
        np.testing.assert_allclose(arm.position - before, [0.1, 0, 0, 0, 0.1], atol=0.02)
        arm.command_torque(np.zeros(5))  # limp but for its weight
        before = arm.position.copy()
        robot.wait(0.3)
        np.testing.assert_allclose(arm.position, before, atol=0.1)
        robot.gripper.close()
        assert robot.gripper.width < 0.005
        robot.gripper.open()
        assert robot.gripper.width == pytest.approx(0.08, abs=0.002)


def test_existing_folder_is_replaced_only_when_asked(tmp_path):
    file = write_urdf(tmp_path, cart_urdf(2))
    import_robot(file, tmp_path / "cart")
    (tmp_path / "cart" / "mine.txt").write_text("x")
    with pytest.raises(InvalidInput, match="--force"):
        import_robot(file, tmp_path / "cart")
    import_robot(file, tmp_path / "cart", force=True)
    assert not (tmp_path / "cart" / "mine.txt").exists()


def test_folder_that_is_no_robot_is_never_replaced(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.tex").write_text("x")
    with pytest.raises(InvalidInput, match="not replaced"):
        import_robot(write_urdf(tmp_path, cart_urdf(2)), tmp_path / "work", force=True)
    assert (tmp_path / "work" / "thesis.tex").exists()


def test_nothing_is_left_behind_by_a_file_that_cannot_be_read(tmp_path):
    (tmp_path / "in").mkdir()
    file = write_urdf(tmp_path / "in", "<robot name='x'>")
    with pytest.raises(UnreadableRobot):
        import_robot(file, tmp_path / "out" / "x")
    assert list((tmp_path / "out").iterdir()) == []


def test_include_outside_the_folder_is_refused(tmp_path):
    folder = write_menagerie(tmp_path / "arm")
    shutil.move(folder / "motors.xml", tmp_path / "motors.xml")
    text = (folder / "mixed_arm.xml").read_text().replace("motors.xml", "../motors.xml")
    (folder / "mixed_arm.xml").write_text(text)
    with pytest.raises(UnreadableRobot, match="outside"):
        import_robot(folder, tmp_path / "out")
    import_robot(folder, tmp_path / "out", allow_outside=True)


def test_command_prints_what_it_made(tmp_path):
    from mecano.cli.app import app

    file, out = write_urdf(tmp_path, arm_urdf()), tmp_path / "arm"
    answer = CliRunner().invoke(app, ["import", str(file), "--out", str(out), "--json"])
    assert answer.exit_code == 0
    plain = json.loads(answer.stdout)
    assert plain["robot"] == "six_arm" and plain["folder"] == str(out)
    assert plain["chains"]["arm"] == {
        "joints": ["pan", "lift", "elbow", "w1", "w2", "w3"], "solver": "ur",
    }  # fmt: skip
    broken = write_urdf(tmp_path, "<robot name='x'/>", "broken.urdf")
    answer = CliRunner().invoke(
        app, ["import", str(broken), "--out", str(tmp_path / "b"), "--json"]
    )
    assert answer.exit_code == 1
    assert json.loads(answer.stdout)["findings"][0]["severity"] == "error"


def test_gains_of_an_imported_arm_can_be_set(arm_folder):
    settings = mecano.lab.settings.Settings.load(None, {"joints.elbow.kp": 500.0})
    with mecano.connect(arm_folder, settings=settings) as robot:
        model = robot.world.model
        stiffness = {n: -model.actuator(f"six_arm/{n}").biasprm[1] for n in ("lift", "elbow")}
    assert stiffness["elbow"] == pytest.approx(500.0) and stiffness["lift"] != 500.0
    settings = mecano.lab.settings.Settings.load(None, {"joints.elbow.ki": 1.0})
    with pytest.raises(InvalidInput, match="no integral"):
        mecano.connect(arm_folder, settings=settings)


def test_fk_and_ik_of_an_imported_robot_name_frame_and_chain(arm_folder):
    chain = next(iter(mecano.robots.get(arm_folder).chains.values()))
    zeros = ["0"] * len(chain.joint_names)
    for words in (["fk", str(arm_folder), *zeros], ["ik", str(arm_folder), "1", "0", "0"]):
        answer = json.loads(CliRunner().invoke(app, [*words, "--json"]).output)
        text = CliRunner().invoke(app, words).output
        assert answer["chain"] == chain.name and answer["frame"] == "base_link"
        assert f"chain {chain.name}" in text and "frame base_link" in text


def test_frame_of_a_chain_on_a_cart_is_that_on_the_floor():
    """The table of a chain on a base begins at the frame between its wheels."""
    robot = mecano.robots.get(Path(__file__).parents[3] / "examples/husky_ur10/robot")
    assert chain_frame(robot, "arm") == "base_footprint"
