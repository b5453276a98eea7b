"""Write legs.xml and drives.xml: six legs from one table."""

from collections.abc import Sequence
from math import cos, radians, sin

import numpy as np
from tools.mjcf import Vector, numbers

from mecano.robots.romerin.description import (
    CHAINS,
    COXA_BESIDE,
    COXA_OUT,
    CUP_HEIGHT,
    CUP_RADIUS,
    FEMUR,
    LEGGED,
    LEGS,
    RISE,
    TIBIA,
    TIBIA_PARTS,
    LegFacts,
)

Lump = tuple[float, Vector, Vector]
"""Mass [kg], middle and size [m] of a box."""

UPRIGHT, LYING = "0.5 0.5 0.5 0.5", "0.70710678118654757 0 0.70710678118654757 0"
TO_Y = "0.70710678118654757 -0.70710678118654757 0 0"
"""Turns z to the leg's y."""
TO_TIP = "0.70710678118654757 0 0 0.70710678118654757"
"""Turns x to the leg's y: the frame of the chain's tip."""
SPRING_RANGES = (radians(90), radians(60), radians(90))  # EST


def short(*values: float) -> str:
    """Return numbers with six digits, for what is estimated anyway."""
    return " ".join(f"{round(value, 9) + 0.0:.6g}" for value in values)


def inertial(*lumps: Lump) -> str:
    """Return the inertial element of boxes."""
    masses = np.array([mass for mass, _, _ in lumps])
    middles = np.array([middle for _, middle, _ in lumps])
    com = masses @ middles / masses.sum()
    tensor = np.zeros((3, 3))
    for mass, middle, size in lumps:
        square = np.array(size) ** 2
        away = np.array(middle) - com
        tensor += mass * (np.diag(square.sum() - square) / 12)
        tensor += mass * (away @ away * np.eye(3) - np.outer(away, away))
    inertia = (*tensor.diagonal(), tensor[0, 1], tensor[0, 2], tensor[1, 2])
    return (
        f'<inertial pos="{short(*com)}" mass="{short(masses.sum())}" '
        f'fullinertia="{" ".join(f"{value + 0.0:.5g}" for value in inertia)}"/>'
    )


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


def motor_joint(leg: LegFacts, index: int, axis: str) -> str:
    """Return a joint with a servo."""
    row = CHAINS[leg.name].dh.joints[index]
    return (
        f'<joint name="{row.name}" class="romerin_joint" axis="{axis}" '
        f'range="{numbers(row.lower, row.upper)}"/>'
    )


def leg_lines(leg: LegFacts) -> list[str]:
    """Return the lines of one leg, indented from zero."""
    name, number, beside = leg.name, leg.number, leg.side * COXA_BESIDE
    yaw = radians(leg.yaw_deg) / 2
    hip = (*leg.hip, 0.0)
    turn = numbers(*(round(v, 17) for v in (cos(yaw), 0.0, 0.0, sin(yaw))))
    middle = (beside, COXA_OUT, RISE - 0.013)
    lip = (CUP_HEIGHT - 0.005, CUP_HEIGHT)
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
                *servo(f"{name}_servo_2", (beside, COXA_OUT, RISE), UPRIGHT),
                solid(f"{name}_coxa", (0.02025, 0.016, 0.025), middle),
            ],
        ),
        (
            f'<body name="{name}_femur" pos="{numbers(beside, COXA_OUT, RISE)}">',
            [
                inertial(
                    (0.060, (0, FEMUR - 0.013, 0), (0.0405, 0.05, 0.032)),
                    (0.015, (0, 0.025, 0), (0.045, 0.06, 0.024)),
                ),
                motor_joint(leg, 1, "1 0 0"),
                visual("femur_bracket", "metal", name=f"{name}_femur_bracket"),
                visual("femur_holes", "hole"),
                visual("femur_cable", "rubber"),
                *servo(f"{name}_servo_3", (0, FEMUR, 0), LYING),
                solid(f"{name}_femur_fork", (0.0228, 0.026, 0.012), (0, 0.014, 0)),
                solid(f"{name}_femur_servo", (0.0212, 0.025, 0.016), (0, FEMUR - 0.013, 0)),
            ],
        ),
        (
            f'<body name="{name}_tibia" pos="{numbers(0, FEMUR, 0)}">',
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
                site(f"tip_{number}", TIBIA, TO_TIP),
            ],
        ),
        (
            f'<body name="{name}_wrist" pos="{numbers(0, TIBIA_PARTS[0], 0)}">',
            [
                inertial((0.010, (0, 0.022, 0), (0.036, 0.045, 0.016))),
                spring(leg.passive_joints[0], "0 1 0", SPRING_RANGES[0]),
                visual("wrist", "metal", name=f"{name}_wrist_fork"),
                visual("wrist_pins", "screw"),
                solid(f"{name}_wrist", (0.0206, 0.018, 0.008), (0, 0.035, 0)),
            ],
        ),
        (
            f'<body name="{name}_cup" pos="{numbers(0, TIBIA_PARTS[1], 0)}">',
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
                round_solid(f"{name}_cup_lip", CUP_RADIUS, lip, "romerin_lip"),
                "<!-- In the middle of the cup's face; z out of the cup. -->",
                site(f"cup_{number}", CUP_HEIGHT, TO_Y),
            ],
        ),
    ]  # fmt: skip
    lines = [f"<!-- Leg {number}, {leg.place}. The hip's servo belongs to the body. -->"]
    case = solid(f"{name}_hip", (0.016, 0.025, 0.02025), (0, -0.013, 0))
    lines += servo(f"{name}_servo_1", hip, turn, case)
    for depth, (opening, content) in enumerate(bodies):
        lines += ["  " * depth + opening, *("  " * (depth + 1) + line for line in content)]
    return lines + ["  " * depth + "</body>" for depth in reversed(range(len(bodies)))]


LEGS_HEAD = """\
<!--
    ROMERIN: the six legs, to be put into body_link. make_model.py writes this: change that file.

    Frames: x beside the leg, y along it, z up; all parallel while the leg is stretched out (joints
    zero). Joint 1 about z, 2 and 3 about x. Then springs: joint 4 about the tibia, 5 about the
    leg's x, 6 about the cup (M: with the middle axis across to that, the wrist is singular where
    it matters). Origins T. Masses EST, with servos of 60 g (A1): coxa 70 g, femur 75 g, tibia 25 g
    (15 g and the 10 g that turn about it), cup with its turbine 65 g.
  -->"""

DRIVES_HEAD = (
    "<!-- ROMERIN: exclusions, servos, bonds, sensors. make_model.py writes this: change that. -->"
)

SERVOS_HEAD = """\
<!-- Inputs: position, velocity, torque. controller = kp ki kd slewmax Imax Vmax, in torque:
         kp  EST, M: 20 N m/rad; from 12 to 40 the loads of a climb change by a twentieth at most.
         ki  None (1e-9): in a closed chain of legs integrals fight each other (M: up to 11 % more
             pull). T has PI, gains not given: with ki (gainprm 5) = 40 the integral ends at
             ki Imax = 0.5 N m. Keep ki above 0: without it the integral's state would vanish, and
             the engine stops.
         kd  EST: with the joint's own damping of 0.05 the sheet's 0.4 N m s/rad; the engine's
             dcmotor makes up for back-EMF, so that damps nothing.
         1.5 N m is what the servo can give for long (EST); a climb should not ask for more.
         No ctrlrange: it would clamp velocity and torque with the limits of the position. -->"""

BONDS_HEAD = """\
<!-- The hold of each cup; the world moves it to where a cup takes hold. It gives way to moments, as
         rubber does: 3 deg at 5 N of shear. Stiffer ones (solimp 0.99, torquescale 1) raise the
         loads of a ceiling walk by a third: the springs cannot turn about every axis. -->"""
BOND = 'active="false" solref="0.004 1" torquescale="0.1"'
CUPS = LEGGED.legs

CONTROLLER = "20 1e-9 0.35 0 0.0125 12"


def legs_xml() -> str:
    """Return the text of legs.xml."""
    lines = [line for leg in LEGS for line in leg_lines(leg)]
    return "\n".join(
        ["<mujocoinclude>", f"  {LEGS_HEAD}", *(f"  {line}" for line in lines), ""]
    ) + ("</mujocoinclude>\n")


def drives_xml() -> str:
    """Return the text of drives.xml."""
    pairs = []
    for leg in LEGS:
        coxa, femur, tibia, wrist, cup = (
            f"{leg.name}_{part}" for part in ("coxa", "femur", "tibia", "wrist", "cup")
        )
        pairs += [("body_link", coxa), (coxa, femur), (femur, tibia), (tibia, wrist)]
        pairs += [(wrist, cup), (tibia, cup)]
    lines = ["  " + DRIVES_HEAD, "  <contact>"]
    lines += ["    <!-- Neighbours only; between tibia and cup there is only the small wrist. -->"]
    lines += [f'    <exclude body1="{one}" body2="{other}"/>' for one, other in pairs]
    lines += ["  </contact>", "", "  <actuator>", "    " + SERVOS_HEAD]
    lines += [
        f'    <dcmotor name="{joint}" class="a1_16" joint="{joint}" controller="{CONTROLLER}"/>'
        for leg in LEGS
        for joint in leg.joints
    ]
    lines += ["  </actuator>", "", "  <equality>", "    " + BONDS_HEAD]
    lines += [f'    <weld name="{leg.cup.bond}" body1="{leg.cup.body}" {BOND}/>' for leg in CUPS]
    lines += ["  </equality>", "", "  <sensor>", "    <!-- Our addition, as the site is. -->"]
    lines += ['    <gyro name="imu_gyro" site="imu"/>']
    lines += ['    <accelerometer name="imu_accelerometer" site="imu"/>', "  </sensor>"]
    return "\n".join(["<mujocoinclude>", *lines, "</mujocoinclude>", ""])


def files() -> dict[str, str]:
    """Return the text of every file this script writes."""
    return {"legs.xml": legs_xml(), "drives.xml": drives_xml()}
