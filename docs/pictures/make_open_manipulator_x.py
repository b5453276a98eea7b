"""Draw docs/pictures/open_manipulator_x_*.png: the arm on a table, and a close-up of its hand.

Run it from the root of the checkout:
    MUJOCO_GL=egl .venv/bin/python docs/pictures/make_open_manipulator_x.py
"""

from pathlib import Path

import mujoco
import numpy as np
from matplotlib.image import imsave

from mecano import robots

WIDTH, HEIGHT = 1200, 800
SCENE = """
<mujoco>
  <visual>
    <global offwidth="2400" offheight="1600" fovy="35"/>
    <quality shadowsize="8192" offsamples="8"/>
    <headlight ambient="0.34 0.34 0.35" diffuse="0.34 0.34 0.34" specular="0.2 0.2 0.2"/>
    <map znear="0.01" shadowclip="0.6"/>
  </visual>
  <statistic center="0 0 0.1" extent="0.5"/>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1="0.93 0.95 0.97" rgb2="0.62 0.68 0.75"
      width="512" height="3072"/>
    <texture name="checker" type="2d" builtin="checker" rgb1="0.55 0.58 0.62" rgb2="0.42 0.45 0.50"
      width="512" height="512"/>
    <material name="floor" texture="checker" texrepeat="12 12" reflectance="0.05"/>
    <material name="table" rgba="0.64 0.58 0.50 1" specular="0.2" shininess="0.3"/>
    <material name="plate" rgba="0.44 0.45 0.47 1" specular="0.4" shininess="0.5"/>
  </asset>
  <worldbody>
    <light type="directional" pos="0.6 -0.7 1.4" dir="-0.45 0.5 -1" diffuse="0.52 0.51 0.5"
      specular="0.5 0.5 0.5" castshadow="true"/>
    <light type="directional" pos="-0.8 -0.4 0.9" dir="0.7 0.4 -0.7" diffuse="0.16 0.17 0.2"
      castshadow="false"/>
    <light type="directional" pos="0.8 0.8 0.9" dir="-0.7 -0.8 -0.5" diffuse="0.28 0.28 0.28"
      castshadow="false"/>
    <geom type="plane" size="3 3 0.1" pos="0 0 -0.758" material="floor"/>
    <geom type="box" size="0.32 0.24 0.0125" pos="0.1 0 -0.0205" material="table"/>
    <geom type="box" size="0.175 0.15 0.004" pos="0.1 0 -0.004" material="plate"/>
  </worldbody>
</mujoco>
"""
SHOTS = {
    "arm": {"lookat": (0.075, 0.0, 0.115), "distance": 0.5, "azimuth": 132.0, "elevation": -17.0},
    "hand": {"lookat": (0.125, 0.0, 0.162), "distance": 0.29, "azimuth": 150.0, "elevation": -26.0},
}


def main() -> None:
    """Draw both pictures."""
    arm = robots.get("open_manipulator_x")
    model, data = stage(arm.folder / "model.xml", arm.chain().postures["home"])
    hidden = mujoco.MjvOption()
    hidden.geomgroup[3] = 0
    for name, view in SHOTS.items():
        camera = mujoco.MjvCamera()
        camera.lookat[:] = view["lookat"]
        camera.distance, camera.azimuth = view["distance"], view["azimuth"]
        camera.elevation = view["elevation"]
        with mujoco.Renderer(model, 2 * HEIGHT, 2 * WIDTH) as renderer:
            renderer.update_scene(data, camera, hidden)
            picture = renderer.render().reshape(HEIGHT, 2, WIDTH, 2, 3).mean(axis=(1, 3))
        file = Path(__file__).with_name(f"open_manipulator_x_{name}.png")
        imsave(file, picture.astype(np.uint8))


def stage(file: Path, posture: tuple[float, ...]) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Put the arm on the table, in a posture."""
    scene = mujoco.MjSpec.from_string(SCENE)
    scene.attach(
        mujoco.MjSpec.from_file(str(file)), prefix="arm/", frame=scene.worldbody.add_frame()
    )
    model = scene.compile()
    data = mujoco.MjData(model)
    for number, angle in enumerate(posture, start=1):
        data.joint(f"arm/joint{number}").qpos = angle
    mujoco.mj_forward(model, data)
    return model, data


if __name__ == "__main__":
    main()
