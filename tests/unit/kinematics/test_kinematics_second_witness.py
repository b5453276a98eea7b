"""OpenMANIPULATOR-X against MuJoCo, which knows the joint origins and nothing of our DH table."""

from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from mecano.kinematics.ik import pitch_of
from mecano.robots.open_manipulator_x.description import TABLE

# Joint origins and axes of the vendor's URDF (branch noetic, open_manipulator.urdf.xacro).
MODEL = """
<mujoco>
  <worldbody>
    <body pos="0.012 0 0.017"><joint name="joint1" axis="0 0 1"/><geom size="0.01"/>
      <body pos="0 0 0.0595"><joint name="joint2" axis="0 1 0"/><geom size="0.01"/>
        <body pos="0.024 0 0.128"><joint name="joint3" axis="0 1 0"/><geom size="0.01"/>
          <body pos="0.124 0 0"><joint name="joint4" axis="0 1 0"/><geom size="0.01"/>
            <site name="tool" pos="0.126 0 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
POSTURES = np.random.default_rng(10).uniform(-np.pi, np.pi, (1000, 4))


def witnessed() -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield the tool's position, rotation and Jacobian by MuJoCo for each posture."""
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    site = model.site("tool").id
    for q in POSTURES:
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        linear, angular = np.zeros((3, 4)), np.zeros((3, 4))
        mujoco.mj_jacSite(model, data, linear, angular, site)
        position, rotation = data.site_xpos[site].copy(), data.site_xmat[site].reshape(3, 3).copy()
        yield position, rotation, np.concatenate([linear, angular])


@pytest.fixture(scope="module")
def witness() -> tuple[np.ndarray, ...]:
    return tuple(np.array(part) for part in zip(*witnessed(), strict=True))


def test_tool_position_is_the_one_mujoco_finds(witness):
    np.testing.assert_allclose(TABLE.forward(POSTURES)[:, :3, 3], witness[0], atol=1e-9)


def test_tool_rotation_is_the_one_mujoco_finds(witness):
    np.testing.assert_allclose(TABLE.forward(POSTURES)[:, :3, :3], witness[1], atol=1e-9)


def test_jacobian_is_the_one_mujoco_finds(witness):
    np.testing.assert_allclose(TABLE.jacobian(POSTURES), witness[2], atol=1e-9)


def test_pitch_is_the_sum_of_the_tilts_in_the_poses_mujoco_finds(witness):
    pitches = np.array([pitch_of(rotation) for rotation in witness[1]])
    tilts = POSTURES[:, 1:].sum(axis=1)
    np.testing.assert_allclose(np.cos(pitches - tilts), 1.0, atol=1e-12)
