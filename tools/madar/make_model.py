"""Write the models of MADAR: wheels, arms with hands, and the files that put them together.

MuJoCo's `<attach>` puts a model into a body of the file that has it, so it cannot put a hand onto
an arm that is attached itself. Therefore each arm is written with its hand as one model, from the
tables of both, and `model.xml` attaches two of them, as `left_` and `right_`.
"""

from math import cos, pi, sin

from tools.allegro.make_model import hand_lines
from tools.madar import wheel_shapes
from tools.mjcf import body, document, element, inertial, numbers, place, short
from tools.ur5.make_model import arm_lines

from mecano.robots.madar.description import (
    ADAPTER,
    ARM_MOUNTS,
    BASE,
    HAND_MOUNTS,
    TOOL_IN_HAND,
    WHEEL_ANGLES,
    WHEEL_DISTANCE,
    WHEEL_RADIUS,
    WHEEL_SPEED,
)

TOOL_QUATS = {"right": "0.5 -0.5 -0.5 -0.5", "left": "0.5 0.5 -0.5 0.5"}
"""The tool's x is the hand's z, along the fingers. Its z is to the thumb: the hand's y on the
right, its -y on the left."""
WHEELS = BASE.layout.names
WHEEL_MASS = 10.214
"""0.214 + 2 x (3 + 1 + 1) kg, the paper's table A.1 with the shaft of its figure A.3."""
DRAWING_MASS = 0.001
# Elements of a wheel: name, mesh, where, turned, mass, com z, moments. Wheel frame: x outwards.
ELEMENTS = (
    ("main_wheel_top", "zone", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 3.0, 0.0468, (5e-3, 5e-3, 9e-3)),
    ("main_wheel_bottom", "zone", (0.0, 0.0, 0.0), (pi, 0.0, 0.0), 3.0, 0.0468, (5e-3, 5e-3, 9e-3)),
    ("mini_wheel_top", "mini", (0.0, 0.0, 0.07), (pi / 2, 0.0, 0.0), 1.0, 0.0,
     (2.55e-4, 2.55e-4, 1.61e-4)),
    ("mini_wheel_bottom", "mini", (0.0, 0.0, -0.07), (pi / 2, 0.0, 0.0), 1.0, 0.0,
     (2.55e-4, 2.55e-4, 1.61e-4)),
    ("base_wheel_top", "medium", (0.0, -0.07, 0.0), (0.0, 0.0, 0.0), 1.0, 0.0,
     (5.9e-5, 5.9e-5, 8.7e-5)),
    ("base_wheel_bottom", "medium", (0.0, 0.07, 0.0), (0.0, 0.0, 0.0), 1.0, 0.0,
     (5.9e-5, 5.9e-5, 8.7e-5)),
)  # fmt: skip
CHASSIS_YAW = -pi / 2


def wheel_place(index: int) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Return where a wheel is in the chassis, and its turn: its x is its axle, outwards."""
    angle = WHEEL_ANGLES[index] - CHASSIS_YAW
    x, y = WHEEL_DISTANCE * cos(angle), WHEEL_DISTANCE * sin(angle)
    return (round(x, 15) + 0.0, round(y, 15) + 0.0, WHEEL_RADIUS), (0.0, 0.0, angle)


def visual(mesh: str, material: str, more: str = "", name: str = "") -> str:
    """Return a drawn geom."""
    named = f'name="{name}" ' if name else ""
    return (
        f'<geom {named}class="madar_visual" mesh="madar_{mesh}" material="madar_{material}"{more}/>'
    )


def element_visual(number: int, kind: str, mesh: str, where: str = "") -> str:
    """Return an element of a wheel as it is seen."""
    material = "rubber" if mesh == "zone" else "roller"
    return visual(mesh, material, where, f"{kind}_{number}")


def ball_wheel(index: int, *, rolls: bool) -> list[str]:
    """Return a wheel as a ball, and what is seen of it on a hinge of its own.

    Args:
        index: Of the wheel, from zero.
        rolls: Whether the ball touches the floor.
    """
    number, name = index + 1, WHEELS[index]
    pos, rpy = wheel_place(index)
    at = place(pos, rpy)
    mass = WHEEL_MASS - DRAWING_MASS
    ball = [
        inertial(mass, (0, 0, 0), (0.04,) * 3),
        f'<joint name="{name}" type="ball" armature="0.005"/>',
    ]
    if rolls:
        ball.append(
            f'<geom name="wheel_{number}_collision" class="madar_wheel" size="{WHEEL_RADIUS:g}"/>'
        )
    drawing = [
        inertial(DRAWING_MASS, (0, 0, 0), (1e-6,) * 3),
        f'<joint name="{name}_turn" type="hinge" axis="1 0 0" armature="0.001"/>',
        visual("shaft", "plate", name=f"shaft_{number}"),
        *(
            element_visual(number, kind, mesh, place(where, turn))
            for kind, mesh, where, turn, *_ in ELEMENTS
        ),
    ]
    return [
        *body(f'name="wheel_{number}_link"{at}', ball),
        *body(f'name="wheel_{number}_drawing"{at}', drawing),
        visual("drive", "dark", at),
    ]


def element_wheel(index: int) -> list[str]:
    """Return a wheel with its six free elements."""
    number, name = index + 1, WHEELS[index]
    at = place(*wheel_place(index))
    parts = [
        body(
            f'name="{kind}_{number}_link"{place(where, turn)}',
            inertial(mass, (0, 0, com), moments),
            f'<joint name="{name}_{kind}" class="madar_element_joint"/>',
            element_visual(number, kind, mesh),
            f'<geom name="{kind}_{number}_collision" class="madar_element" '
            f'mesh="madar_hard_{mesh}"/>',
        )
        for kind, mesh, where, turn, mass, com, moments in ELEMENTS
    ]
    wheel = body(
        f'name="wheel_{number}_link"{at}',
        inertial(0.214, (0, 0, 0), (1.1655e-4, 1.1214e-4, 9.944e-5)),
        f'<joint name="{name}" type="hinge" axis="1 0 0" armature="0.005"/>',
        visual("shaft", "plate", name=f"shaft_{number}"),
        *parts,
    )
    return [*wheel, visual("drive", "dark", at)]


def arm_with_hand(side: str, *, floats: bool) -> str:
    """Return the text of the model of an arm with its hand.

    Args:
        side: Right or left.
        floats: Whether it weighs nothing.
    """
    radius, length, mass, moments = ADAPTER
    tool = (
        f'<site name="tool" class="allegro_site" pos="{numbers(*TOOL_IN_HAND)}" '
        f'quat="{TOOL_QUATS[side]}"/>'
    )
    adapter = body(
        f'name="hand_adapter_link" pos="{numbers(0, 0, length / 2)}"',
        inertial(mass, (0, 0, 0), moments),
        f'<geom name="hand_adapter" class="ur5_visual" type="cylinder" material="ur5_dark" '
        f'size="{short(radius, length / 2)}"/>',
        f'<geom name="hand_adapter_collision" class="ur5_collision" type="cylinder" '
        f'size="{short(radius, length / 2)}"/>',
        hand_lines(side, place(*HAND_MOUNTS[side]), tool),
    )
    lines = arm_lines(adapter)
    if floats:
        lines = [line.replace("<body ", '<body gravcomp="1" ') for line in lines]
    return document(
        f"UR5 with an adapter and an Allegro hand: the {side} arm of MADAR"
        f"{', without weight' if floats else ''}.",
        f"{side}_arm",
        [
            '<compiler angle="radian" autolimits="true"/>',
            '<include file="../ur5/setup.xml"/>',
            '<include file="../allegro/setup.xml"/>',
            *element("worldbody", lines),
            '<include file="../ur5/drives.xml"/>',
            '<include file="../allegro/drives.xml"/>',
        ],
    )


MOTORS_HEAD = """\
<!-- Rates of the wheels [rad/s], positive by the right hand about the axle, outwards. 2.618 rad/s
         is the drives' 150 000 mdeg/s. kv 100: physics.md 1.5; the torque is EST. -->"""
CARRIAGE_HEAD = """\
<!-- No floor carries this base. Each motor acts on it as a whole, along its row of the inverse
         kinematics, so hard that its rate, which is its wheel's, is what is asked for. The other
         three hold the base level. -->"""


def motors(kind: str) -> list[str]:
    """Return the motors of the wheels: balls, elements or carriage."""
    lines = [CARRIAGE_HEAD if kind == "carriage" else MOTORS_HEAD]
    limits = f'ctrlrange="-{WHEEL_SPEED} {WHEEL_SPEED}"'
    for index, name in enumerate(WHEELS):
        if kind == "balls":
            way = f'jointinparent="{name}" gear="1 0 0" kv="100" forcerange="-60 60"'
        elif kind == "elements":
            way = f'joint="{name}" kv="100" forcerange="-60 60"'
        else:
            x, y, turn = BASE.layout.to_rates[index]
            gear = numbers(*(round(value, 12) + 0.0 for value in (x, y, 0, 0, 0, turn)))
            way = f'site="carriage" gear="{gear}" kv="1e6"'
        lines.append(f'<velocity name="{name}" {way} {limits}/>')
    if kind == "carriage":
        for name, gear in (("z", "0 0 1 0 0 0"), ("roll", "0 0 0 1 0 0"), ("pitch", "0 0 0 0 1 0")):
            lines.append(
                f'<velocity name="carriage_{name}" site="carriage" gear="{gear}" kv="1e8"/>'
            )
    return lines


def wheel_lines(kind: str) -> list[str]:
    """Return the bodies of all wheels."""
    lines = []
    for index in range(len(WHEELS)):
        lines += (
            element_wheel(index) if kind == "elements" else ball_wheel(index, rolls=kind == "balls")
        )
    return lines


def arms_at_mounts() -> list[str]:
    """Return what attaches the arms to the chassis."""
    lines = []
    for side, (pos, rpy) in ARM_MOUNTS.items():
        lines += element(
            f"frame{place(pos, rpy)}",
            [f'<attach model="{side}_arm" body="base_link" prefix="{side}_"/>'],
        )
    return lines


def robot_xml(model: str, comment: str, *, wheels: str, arms: str | None) -> str:
    """Return the text of a main file.

    Args:
        model: Its name.
        comment: What it is.
        wheels: Balls, elements or carriage.
        arms: What the names of the arms' files end with; None leaves the arms out.
    """
    floats = wheels == "carriage"
    lines = [
        '<compiler angle="radian" autolimits="true"/>',
        "<!-- For viewers that show the robot alone; a scene brings its own light. -->",
        '<visual><headlight ambient="0.5 0.5 0.5" diffuse="0.7 0.7 0.7"/></visual>',
        '<include file="../madar/setup.xml"/>',
    ]
    if wheels == "elements":
        lines.append('<include file="../madar/elements.xml"/>')
    if arms is not None:
        lines += element(
            "asset",
            [f'<model name="{s}_arm" file="../madar/arm_{s}{arms}.xml"/>' for s in ARM_MOUNTS],
        )
    chassis = body(
        f'name="chassis"{place((0, 0, 0), (0.0, 0.0, CHASSIS_YAW))}',
        '<include file="../madar/platform.xml"/>',
        wheel_lines(wheels),
        arms_at_mounts() if arms is not None else [],
    )
    if floats:
        chassis = [line.replace("<body ", '<body gravcomp="1" ') for line in chassis]
    site = ['<site name="carriage" class="madar_site"/>'] if floats else []
    lines += element("worldbody", body('name="base_footprint"', site, chassis))
    pairs = []
    if wheels == "elements":
        pairs += [
            ("chassis", f"{kind}_{n}_link") for n in (1, 2, 3) for kind, *_ in ELEMENTS
        ]  # fmt: skip
    if arms is not None:
        pairs += [("chassis", f"{side}_shoulder_link") for side in ARM_MOUNTS]
    if pairs:
        why = "<!-- What overlaps for good: cross bar and shoulders, wheels and platform. -->"
        lines += element(
            "contact", [why, *(f'<exclude body1="{a}" body2="{b}"/>' for a, b in pairs)]
        )
    lines += element("actuator", motors(wheels))
    lines += element(
        "sensor", [f'<actuatorvel name="{name}_rate" actuator="{name}"/>' for name in WHEELS]
    )
    return document(comment, model, lines)


def elements_xml() -> str:
    """Return the text of elements.xml: corners of what collides, so many that a wheel runs true."""
    shapes = {
        "zone": wheel_shapes.zone(rings=12, sides=96),
        "mini": wheel_shapes.barrel(wheel_shapes.MINI, rings=16, sides=48),
        "medium": wheel_shapes.barrel(wheel_shapes.MEDIUM, rings=8, sides=48),
    }
    comment = "<!-- MADAR: hard elements of the wheels. make_model.py writes this: change that. -->"
    meshes = []
    for name, points in shapes.items():
        corners = [" ".join(f"{value / 1000 + 0.0:.5f}" for value in point) for point in points]
        meshes.append(f'<mesh name="madar_hard_{name}" vertex="{"  ".join(corners)}"/>')
    return "\n".join([*element("mujocoinclude", [comment, *element("asset", meshes)]), ""])


ROOT = (
    "Its root body is `base_footprint`, on the floor, x forwards; there is no free joint: whoever "
    "places the robot adds it."
)


def files() -> dict[str, str]:
    """Return the text of every file this script writes."""
    texts = {
        "model.xml": robot_xml(
            "madar", f"MADAR on ball wheels. {ROOT}", wheels="balls", arms=""
        ),
        "model_elements.xml": robot_xml(
            "madar_elements", f"MADAR, every free element of its wheels a body. {ROOT}",
            wheels="elements", arms="",
        ),
        "model_base.xml": robot_xml(
            "madar_base", f"MADAR without arms and hands. {ROOT}", wheels="balls", arms=None
        ),
        "model_kinematic.xml": robot_xml(
            "madar_kinematic", f"MADAR without weight, carried as its wheels say. {ROOT}",
            wheels="carriage", arms="_kinematic",
        ),
    }  # fmt: skip
    texts["elements.xml"] = elements_xml()
    for side in ARM_MOUNTS:
        texts[f"arm_{side}.xml"] = arm_with_hand(side, floats=False)
        texts[f"arm_{side}_kinematic.xml"] = arm_with_hand(side, floats=True)
    return texts
