"""The grasp card of the Widow-X on CRUMB: a box that `pick` took is held while all is shaken.

The robot looks, picks, and then stands on a plate that swings on springs, 2 m/s2 in each axis, for
60 s. Seeds 0 to 8 are the card: boxes of 19, 24 and 29 mm with 0.25, 0.5 and 1 kg; later seeds draw
both at random in that range. Slip, tilt and the release are judged from outside.
"""

import math

import mujoco
import numpy as np

from mecano.core.errors import InvalidInput
from mecano.lab.robot import Robot
from mecano.tasks.experiment import Experiment, Metric, Score
from mecano.tasks.grasp_card import ACCELERATION, HandWatch, count_welds, release, shake

WIDTHS = (0.0193, 0.0242, 0.0290)
"""Of the box between the fingers [m]."""
MASSES = (0.25, 0.5, 1.0)
"""[kg]."""
MAX_SLIP = 0.005
"""How far the box may creep in the hand in the whole time [m]: half of what a place tolerates."""
GRAVITY = 9.81
"""[m/s2]."""


def box_of(rng: np.random.Generator, seed: int) -> tuple[float, float]:
    """Return width [m] and mass [kg]: a field of the card, or a random one."""
    if seed < len(WIDTHS) * len(MASSES):
        return WIDTHS[seed % len(WIDTHS)], MASSES[seed // len(WIDTHS)]
    return float(rng.uniform(WIDTHS[0], WIDTHS[-1])), float(rng.uniform(MASSES[0], MASSES[-1]))


def vary(rng: np.random.Generator, seed: int) -> list:
    """Put the box of this seed into the scene."""
    width, mass = box_of(rng, seed)

    def change(spec: mujoco.MjSpec) -> None:
        shape = spec.geom("cube")
        shape.size, shape.mass = [shape.size[0], 0.5 * width, shape.size[2]], mass

    return [change]


def check(hold: str) -> None:
    """Raise unless the time to hold makes sense."""
    if not hold.isdecimal() or not 1 <= int(hold) <= 600:
        raise InvalidInput(f"hold is '{hold}', allowed 1 to 600 s")


def run(robot: Robot, rng: np.random.Generator, *, hold: str = "60") -> Score:
    """Pick, shake, measure, release."""
    model = robot.world.model
    metrics: dict[str, Metric] = {
        "width_mm": round(2000 * float(model.geom("cube").size[1]), 2),
        "mass_g": round(1000 * float(model.body("cube").mass[0]), 1),
        "welds": count_welds(model),
    }
    picked = robot.manipulation.pick("red")
    robot.camera.close()  # what draws must be freed before another one is opened
    metrics["felt_mass_g"] = round(1000 * picked.mass, 1)
    if not picked.reached:
        return Score(success=False, metrics=metrics, remark=picked.message)
    robot.wait(0.5)
    watch = HandWatch(robot)
    shake(robot, watch, float(hold))
    force = robot.gripper.force
    metrics |= {
        "grip_force_n": round(force, 2),
        "friction_margin": round(friction_margin(robot, force), 2),
        "slip_mm": round(1000 * watch.slip, 4),
        "tilt_deg": round(math.degrees(watch.tilt), 3),
        "shaking_m_s2": round(min(watch.accelerations), 3),
    }
    held = robot.gripper.holding and watch.slip < 0.01
    released = release(robot)
    metrics |= {"held": held, "release_time_s": round(released, 3)}
    success = bool(held and watch.slip <= MAX_SLIP and math.isfinite(released))
    remark = "" if success else f"slip {1000 * watch.slip:.2f} mm, held {held}"
    return Score(success=success and not metrics["welds"], metrics=metrics, remark=remark)


def friction_margin(robot: Robot, force: float) -> float:
    """Return what friction could hold over what it must: above 1 the grasp is closed by force.

    Two pads that face each other hold 2 mu F across; gravity and the shaking, at worst all along
    the pads, ask for m (g + a).
    """
    model, data = robot.world.model, robot.world.data
    box = model.body("cube").id
    touching = [
        float(data.contact[i].friction[0])
        for i in range(data.ncon)
        if box in model.geom_bodyid[data.contact[i].geom]
    ]
    mass = float(model.body("cube").mass[0])
    worst = mass * (GRAVITY + math.sqrt(3.0) * ACCELERATION)
    return 2.0 * min(touching, default=0.0) * force / worst


EXPERIMENT = Experiment(
    name="crumb/grasp-card",
    title="hold boxes of 19-29 mm and 0.25-1 kg for 60 s, shaken with 2 m/s2 in three axes",
    robot="crumb_mast",
    scene="shaker_crumb",
    vary=vary,
    run=run,
    settings={"physics.timestep": 0.001},
    options={"hold": "60"},
    hints={"hold": "how long it is shaken [s], 1 to 600"},
    check=check,
)
