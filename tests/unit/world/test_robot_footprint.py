"""The outline on the floor: convex, around everything, and following the posture."""

import mujoco
import numpy as np
import pytest
from scipy.spatial import ConvexHull

import mecano
from mecano.core.errors import InvalidInput, UnknownName
from mecano.world.footprint import Footprint

ARM = """
<mujoco><worldbody><body name="base"><freejoint/>
  <geom type="cylinder" size="0.2 0.1"/>
  <body name="arm" pos="0 0 0.3"><joint name="turn" axis="0 0 1"/>
    <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/>
  </body></body></worldbody></mujoco>
"""


def inside(points: np.ndarray, outline: np.ndarray, slack: float) -> bool:
    hull = ConvexHull(outline)
    return bool((hull.equations[:, :2] @ points.T + hull.equations[:, 2:] <= slack).all())


def area(outline: np.ndarray) -> float:
    x, y = outline.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


@pytest.fixture
def arm() -> Footprint:
    return Footprint(mujoco.MjModel.from_xml_string(ARM), "base", ["turn"])


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.1])
def test_a_turned_arm_turns_its_outline(arm, angle):
    outline = arm.outline({"turn": angle})
    tip = 0.55 * np.array([np.cos(angle), np.sin(angle)])
    assert np.linalg.norm(outline, axis=1).max() == pytest.approx(0.55, rel=0.02)
    assert inside(tip[None], outline, 1e-3)
    assert area(outline) > 0.0  # counter-clockwise


def test_a_margin_widens_it_on_all_sides(arm):
    narrow, wide = (arm.outline({"turn": 0.3}, margin=m) for m in (0.0, 0.1))
    assert inside(narrow, wide, -0.09)
    assert np.linalg.norm(wide, axis=1).max() == pytest.approx(0.65, rel=0.02)


def test_it_stays_where_the_robot_is(arm):
    arm._data.qpos[:2] = 3.0, -2.0
    np.testing.assert_allclose(arm.outline({"turn": 0.0}).max(axis=0)[0], 0.55, rtol=0.02)


@pytest.mark.parametrize(
    ("posture", "margin", "error", "text"),
    [
        ({"bend": 0.1}, 0.0, UnknownName, "turn"),
        ({"turn": np.nan}, 0.0, InvalidInput, "turn"),
        ({"turn": 0.0}, -0.1, InvalidInput, "margin"),
    ],
)
def test_wrong_input_is_said(arm, posture, margin, error, text):
    with pytest.raises(error, match=text):
        arm.outline(posture, margin=margin)


def test_arms_that_reach_out_make_it_larger():
    robot = mecano.connect("madar", start="home")
    folded = robot.footprint()
    assert np.linalg.norm(folded, axis=1).max() < 0.45
    robot = mecano.connect("madar", start="carry")
    reaching = robot.footprint()
    assert area(reaching) > 1.1 * area(folded)
    mirrored = reaching * [1.0, -1.0]
    assert inside(mirrored, reaching, 2e-3)
    assert inside(reaching, mirrored, 2e-3)


def test_every_point_of_the_robot_is_inside():
    robot = mecano.connect("madar", start="carry")
    outline, model, data = robot.footprint(), robot.world.model, robot.world.data
    mujoco.mj_kinematics(model, data)
    own = np.flatnonzero(model.geom_contype | model.geom_conaffinity)
    places = [data.geom_xpos[g][:2] for g in own if model.geom(g).name != "floor"]
    assert inside(np.array(places), outline, 1e-6)


def test_a_robot_that_is_bolted_down_has_none():
    robot = mecano.connect("open_manipulator_x")
    with pytest.raises(InvalidInput, match="bolted down"):
        robot.footprint()
