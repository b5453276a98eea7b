"""A robot put together from leg modules: a body, and where the legs are mounted on it.

from mecano.robots.modular import BoxBody, LegMount, assemble_legs, both_sides
from mecano.robots.romerin.leg import LEG

DESCRIPTION = assemble_legs(
    "quadruped", __file__, LEG, BoxBody(size=(0.16, 0.12, 0.05), mass=0.5),
    both_sides(LegMount(0.08, 0.06, 45), LegMount(-0.08, 0.06, 135)),
)
"""

from collections.abc import Sequence
from functools import partial
from math import radians
from pathlib import Path

from mecano.core.errors import InvalidInput
from mecano.robots.description import RobotDescription
from mecano.robots.leg_modules import LegModule, LegMount, MountedLeg
from mecano.robots.leg_modules import both_sides as both_sides
from mecano.robots.legged import ImuFacts, LeggedBody
from mecano.robots.modular_mjcf import BoxBody, modular_mjcf, root_name

IMU = ImuFacts(  # figures of a consumer MEMS part, EST
    gyro="imu_gyro",
    accelerometer="imu_accelerometer",
    rate=250.0,
    turn_noise=radians(0.1),
    turn_bias=radians(1.0) / 60.0,  # 1 deg per minute after a calibration at rest
    acceleration_noise=0.03,
)
TICK = 0.004
"""Time between two control cycles [s]."""


def assemble_legs(
    name: str,
    folder: str | Path,
    module: LegModule,
    body: BoxBody | str | Path,
    mounts: Sequence[LegMount],
    *,
    depth: float | None = None,
    footholds: dict[float, tuple[tuple[float, float], ...]] | None = None,
    groups: tuple[tuple[int, ...], ...] = (),
    title: str = "",
) -> RobotDescription:
    """Return the description and model of a body on legs.

    Everything else of a description (limits, cameras, an arm on its back) is changed with
    `dataclasses.replace`.

    Args:
        name: Of the robot.
        folder: Of the robot, or a file in it: `__file__`.
        module: The leg.
        body: A box, or an MJCF file in the folder: a whole model with one root body, or what is in
            that body (`mujocoinclude`). It needs a site `imu`.
        mounts: Where the legs are, an even number of them, at least 4, numbered round the body: see
            `both_sides`.
        depth: Of the tips below the hips while standing [m]; None takes the module's.
        footholds: Where the tips stand in the body's frame, leg by leg, by the depth of the tips
            below the hips [m]; None puts them straight before their hips.
        groups: Legs that step together in the alternating gait; empty takes every second one.
        title: The name people use; empty makes one.
    """
    if len(mounts) < 4 or len(mounts) % 2:
        raise InvalidInput(
            f"'{name}' has {len(mounts)} legs; legs come in pairs, and at least 4 are needed to "
            "keep three feet down: both_sides(LegMount(...), LegMount(...))"
        )
    depth = module.depth if depth is None else depth
    where = Path(folder).resolve()
    where = where if where.is_dir() else where.parent
    legs = tuple(
        MountedLeg(module=module, mount=each, number=number, depth=depth)
        for number, each in enumerate(mounts, start=1)
    )
    if footholds is None:
        depths = sorted({*module.reach, depth})
        footholds = {each: tuple(leg.foothold(each) for leg in legs) for each in depths}
    shape = body if isinstance(body, BoxBody) else (where / body).resolve()
    return RobotDescription(
        name=name,
        title=title or f"{name}, {len(legs)} legs with suction cups",
        summary=f"A body on {len(legs)} leg modules of {len(legs[0].joints)} servos.",
        folder=where,
        chains={leg.name: leg.chain for leg in legs},
        mjcf=partial(modular_mjcf, name, module, legs, shape),
        servos={joint: module.servo for leg in legs for joint in leg.joints},
        limits=module.motion,
        legged=LeggedBody(
            frame=root_name(shape),
            height=depth + module.foot_height,
            legs=tuple(leg.facts for leg in legs),
            groups=groups,
            tip_height=module.foot_height,
            footholds={module.foot_height + each: row for each, row in footholds.items()},
            torque=module.torque,
            integral=module.integral,
            imu=IMU,
        ),
        scene="empty",
        tick=TICK,
        facts=_fact_lines(module, legs, depth),
    )


def _fact_lines(module: LegModule, legs: Sequence[MountedLeg], depth: float) -> dict[str, str]:
    """Return lines for `mecano info`."""
    servos, springs = (len(names) for names in (legs[0].joints, legs[0].passive_joints))
    servo, (pull, shear, _) = module.servo, module.law.parameters
    thigh, shin = 1000 * module.thigh, 1000 * module.shin
    return {
        "legs": f"{len(legs)}; thigh {thigh:.1f} mm, shin {shin:.1f} mm to the foot's joints",
        "joints": f"{len(legs) * servos} with servos, {len(legs) * springs} with springs",
        "servos": f"{servo.model}, {servo.torque:g} N m, {servo.speed:g} rad/s",
        "cups": f"radius {1000 * module.foot_radius:.0f} mm; hold {pull:g} N pull, "
        f"{shear:g} N shear",
        "stand": f"body {1000 * (depth + module.foot_height):.0f} mm above the floor",
    }
