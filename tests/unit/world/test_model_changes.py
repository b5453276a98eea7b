"""Bodies of a model changed by name: what was asked for changes, nothing else."""

import mujoco
import numpy as np
import pytest

from mecano.core.errors import MecanoError
from mecano.world.model_changes import change_model, check_model_changes

MODEL = """
<mujoco>
  <worldbody>
    <body name="cube_1" pos="1 2 3"><freejoint/><geom name="c1" type="box" size=".1 .2 .3"/></body>
    <body name="cube_2"><freejoint/><geom name="c2" type="sphere" size=".1" mass="2"/></body>
    <body name="robot/arm">
      <joint/><inertial pos="0 0 0" mass="3" diaginertia=".1 .2 .3"/>
      <geom name="a" size=".1" friction=".5 .01 .001"/>
    </body>
  </worldbody>
</mujoco>
"""


def changed(**changes: float) -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(MODEL)
    change_model(spec, check_model_changes({k.replace("__", "."): v for k, v in changes.items()}))
    return spec.compile()


PLAIN = changed()


@pytest.mark.parametrize("name", ["cube_1", "cube_2", "robot/arm"])
def test_a_factor_scales_mass_and_inertia_alike(name):
    body, before = changed(**{f"{name}.mass_factor": 2.5}).body(name), PLAIN.body(name)
    assert body.mass == pytest.approx(2.5 * before.mass)
    assert body.inertia == pytest.approx(2.5 * before.inertia)


@pytest.mark.parametrize("name", ["cube_1", "cube_2", "robot/arm"])
def test_a_mass_is_what_it_is_set_to(name):
    assert changed(**{f"{name}.mass": 0.7}).body(name).mass == pytest.approx(0.7)


def test_a_star_stands_for_all_such_bodies():
    model = changed(**{"cube_*.mass_factor": 3.0})
    assert model.body_mass == pytest.approx([0, 3, 3, 1] * PLAIN.body_mass)


def test_friction_is_set_or_scaled():
    assert changed(**{"robot/arm.friction": 0.9}).geom("a").friction.tolist() == [0.9, 0.01, 0.001]
    scaled = changed(**{"robot/arm.friction_factor": 2.0}).geom("a").friction
    assert scaled == pytest.approx([1.0, 0.02, 0.002])


def test_a_size_scales_about_the_origin_of_the_body():
    assert changed(**{"cube_1.size_factor": 1.5}).geom("c1").size == pytest.approx(
        [0.15, 0.3, 0.45]
    )


def test_a_body_is_moved_and_turned():
    model = changed(**{"cube_1.x_offset": -0.5, "cube_1.z_offset": 0.1, "cube_1.yaw_offset": 1.0})
    assert model.body("cube_1").pos == pytest.approx([0.5, 2.0, 3.1])
    assert model.body("cube_1").quat == pytest.approx([np.cos(0.5), 0, 0, np.sin(0.5)])


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("cube_1", 1.0, "BODY.QUANTITY"),
        ("cube_1.weight", 1.0, "mass"),
        ("cube_1.mass_factor", 0.0, "mass_factor"),
        ("cube_1.mass", float("nan"), "mass"),
        ("cube_1.mass", "heavy", "mass"),
        ("cube_9.mass", 1.0, "did you mean"),
    ],
)
def test_nonsense_is_refused_in_words(key, value, says):
    with pytest.raises(MecanoError, match=says):
        changed(**{key: value})
