"""The MJCF of one leg of ROMERIN, wherever it is mounted.

Frames: x beside the leg, y along it, z up; all parallel while the leg is stretched out. Masses EST,
with servos of 60 g: coxa 70 g, femur 75 g, tibia 25 g (15 g and the 10 g that turn about it), cup
with its turbine 65 g. The meshes are drawn for the measures in `leg.py`.
"""

from collections.abc import Sequence
from math import cos, radians, sin

from mecano.robots.leg_modules import LegMjcf, MountedLeg
from mecano.robots.modular_mjcf import Vector, inertial, numbers, short

UPRIGHT, LYING = "0.5 0.5 0.5 0.5", "0.70710678118654757 0 0.70710678118654757 0"
TO_Y = "0.70710678118654757 -0.70710678118654757 0 0"
"""Turns z to the leg's y."""
TO_TIP = "0.70710678118654757 0 0 0.70710678118654757"
"""Turns x to the leg's y: the frame of the chain's tip."""
SPRING_RANGES = (radians(90), radians(60), radians(90))  # EST
CONTROLLER = "20 1e-9 0.35 0 0.0125 12"
"""Of the servos: kp ki kd slewmax Imax Vmax, in torque; drives.xml says why."""
BOND = 'active="false" solref="0.004 1" torquescale="0.1"'
"""Of the hold of a cup; drives.xml says why."""


def visual(mesh: str, material: str, *, name: str = "") -> str:
    """Return a drawn geom."""
    named = f'name="{name}" ' if name else ""
    return (
        f'<geom {named}class="romerin_visual" mesh="romerin_{mesh}" material="romerin_{material}"/>'
    )


def servo(name: str, pos: Sequence[float], quat: str, *more: str) -> list[str]:
    """Return a drawn servo whose horns are at a point, and what else is in its frame."""
    drawn = [
        visual("servo_case", "servo", name=f"{name}_case"),
        visual("servo_horns", "horn", name=f"{name}_horns"),
        visual("servo_screws", "screw"),
        visual("servo_label", "orange"),
        *more,
    ]
    opening = f'<frame pos="{short(*pos)}" quat="{quat}">'
    return [opening, *(f"  {line}" for line in drawn), "</frame>"]


def solid(name: str, size: Vector, pos: Vector) -> str:
    """Return a box that collides."""
    return (
        f'<geom name="{name}_collision" class="romerin_collision" '
        f'size="{short(*size)}" pos="{short(*pos)}"/>'
    )


def round_solid(name: str, radius: float, y: tuple[float, float], kind: str) -> str:
    """Return a cylinder about y that collides."""
    return (
        f'<geom name="{name}_collision" class="{kind}" '
        f'size="{short(radius, (y[1] - y[0]) / 2)}" pos="{short(0, (y[0] + y[1]) / 2, 0)}"/>'
    )


def site(name: str, y: float, quat: str) -> str:
    """Return a site on the y axis of a body."""
    return f'<site name="{name}" class="romerin_site" pos="{numbers(0, y, 0)}" quat="{quat}"/>'


def spring(name: str, axis: str, reach: float) -> str:
    """Return a passive joint."""
    return (
        f'<joint name="{name}" class="romerin_spring" axis="{axis}" '
        f'range="{numbers(-reach, reach)}"/>'
    )


def motor_joint(leg: MountedLeg, index: int, axis: str) -> str:
    """Return a joint with a servo."""
    row = leg.chain.dh.joints[index]
    return (
        f'<joint name="{row.name}" class="romerin_joint" axis="{axis}" '
        f'range="{numbers(row.lower, row.upper)}"/>'
    )


def leg_lines(leg: MountedLeg) -> list[str]:
    """Return the lines of one leg, indented from zero."""
    name, number, beside, module = leg.name, leg.number, leg.beside, leg.module
    (_, out, rise), femur = module.coxa, module.thigh
    yaw = radians(leg.mount.yaw_deg) / 2
    hip = (*leg.hip, 0.0)
    turn = numbers(*(round(v, 17) for v in (cos(yaw), 0.0, 0.0, sin(yaw))))
    middle = (beside, out, rise - 0.013)
    lip = (module.foot_height - 0.005, module.foot_height)
    bodies = [
        (
            f'<body name="{name}_coxa" pos="{numbers(*hip)}" quat="{turn}">',
            [
                inertial(
                    (0.060, middle, (0.0405, 0.032, 0.05)),
                    (0.010, (beside / 2, 0.018, 0.0), (0.035, 0.02, 0.045)),
                ),
                motor_joint(leg, 0, "0 0 1"),
                visual("coxa_towards" if leg.side > 0 else "coxa_opposite", "metal",
                       name=f"{name}_coxa_bracket"),
                *servo(f"{name}_servo_2", (beside, out, rise), UPRIGHT),
                solid(f"{name}_coxa", (0.02025, 0.016, 0.025), middle),
            ],
        ),
        (
            f'<body name="{name}_femur" pos="{numbers(beside, out, rise)}">',
            [
                inertial(
                    (0.060, (0, femur - 0.013, 0), (0.0405, 0.05, 0.032)),
                    (0.015, (0, 0.025, 0), (0.045, 0.06, 0.024)),
                ),
                motor_joint(leg, 1, "1 0 0"),
                visual("femur_bracket", "metal", name=f"{name}_femur_bracket"),
                visual("femur_holes", "hole"),
                visual("femur_cable", "rubber"),
                *servo(f"{name}_servo_3", (0, femur, 0), LYING),
                solid(f"{name}_femur_fork", (0.0228, 0.026, 0.012), (0, 0.014, 0)),
                solid(f"{name}_femur_servo", (0.0212, 0.025, 0.016), (0, femur - 0.013, 0)),
            ],
        ),
        (
            f'<body name="{name}_tibia" pos="{numbers(0, femur, 0)}">',
            [
                inertial(
                    (0.006, (0, 0.014, 0), (0.045, 0.028, 0.022)),
                    (0.009, (0, 0.047, 0), (0.02, 0.04, 0.02)),
                ),
                motor_joint(leg, 2, "1 0 0"),
                visual("tibia_bracket", "metal", name=f"{name}_tibia_bracket"),
                visual("shin", "printed", name=f"{name}_tibia_shin"),
                visual("tibia_cable", "rubber"),
                solid(f"{name}_tibia_fork", (0.0228, 0.0198, 0.0115), (0, 0.0083, 0)),
                solid(f"{name}_tibia_shin", (0.012, 0.0197, 0.011), (0, 0.0477, 0)),
                "<!-- The chain's tip: where joints 5 and 6 cross; x along the tibia. -->",
                site(f"tip_{number}", module.shin, TO_TIP),
            ],
        ),
        (
            f'<body name="{name}_wrist" pos="{numbers(0, module.shin_parts[0], 0)}">',
            [
                inertial((0.010, (0, 0.022, 0), (0.036, 0.045, 0.016))),
                spring(leg.passive_joints[0], "0 1 0", SPRING_RANGES[0]),
                visual("wrist", "metal", name=f"{name}_wrist_fork"),
                visual("wrist_pins", "screw"),
                solid(f"{name}_wrist", (0.0206, 0.018, 0.008), (0, 0.035, 0)),
            ],
        ),
        (
            f'<body name="{name}_cup" pos="{numbers(0, module.shin_parts[1], 0)}">',
            [
                inertial((0.045, (0, 0.012, 0), (0.03, 0.02, 0.03)),
                         (0.020, (0, 0.026, 0), (0.048, 0.008, 0.048))),
                spring(leg.passive_joints[1], "1 0 0", SPRING_RANGES[1]),
                spring(leg.passive_joints[2], "0 1 0", SPRING_RANGES[2]),
                visual("cup_bell", "printed", name=f"{name}_cup_bell"),
                visual("cup_turbine", "servo", name=f"{name}_cup_turbine"),
                visual("cup_vents", "orange"),
                visual("cup_lip", "rubber", name=f"{name}_cup_lip"),
                round_solid(f"{name}_cup_turbine", 0.0155, (0.006, 0.025), "romerin_collision_y"),
                round_solid(f"{name}_cup_lip", module.foot_radius, lip, "romerin_lip"),
                "<!-- In the middle of the cup's face; z out of the cup. -->",
                site(f"cup_{number}", module.foot_height, TO_Y),
            ],
        ),
    ]  # fmt: skip
    lines = [f"<!-- Leg {number}, {leg.place}. The hip's servo belongs to the body. -->"]
    case = solid(f"{name}_hip", (0.016, 0.025, 0.02025), (0, -0.013, 0))
    lines += servo(f"{name}_servo_1", hip, turn, case)
    for depth, (opening, content) in enumerate(bodies):
        lines += ["  " * depth + opening, *("  " * (depth + 1) + line for line in content)]
    return lines + ["  " * depth + "</body>" for depth in reversed(range(len(bodies)))]


def write_leg(leg: MountedLeg, root: str) -> LegMjcf:
    """Return a mounted leg as lines of MJCF, given the name of the root body."""
    coxa, femur, tibia, wrist, cup = (
        f"{leg.name}_{part}" for part in ("coxa", "femur", "tibia", "wrist", "cup")
    )
    return LegMjcf(
        bodies=tuple(leg_lines(leg)),
        exclusions=(
            (root, coxa), (coxa, femur), (femur, tibia), (tibia, wrist), (wrist, cup), (tibia, cup),
        ),
        actuators=tuple(
            f'<dcmotor name="{joint}" class="a1_16" joint="{joint}" controller="{CONTROLLER}"/>'
            for joint in leg.joints
        ),
        bonds=(f'<weld name="{leg.cup.bond}" body1="{leg.cup.body}" {BOND}/>',),
    )  # fmt: skip
