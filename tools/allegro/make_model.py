"""Write right.xml, left.xml and drives.xml: two hands from one table."""

from tools.mjcf import body, document, element, inertial, numbers, place, short

from mecano.robots.allegro.description import (
    DAMPING,
    FINGER_NAMES,
    GAIN,
    LINKS,
    PALM_MASS,
    PALM_MIDDLE,
    PALM_SIZE,
    SIDES,
    TIP_MASS,
    TIP_RADIUS,
    TIP_X,
    HandLink,
    Vector,
)

CONTROLLER = f"{GAIN:g} 1e-9 {DAMPING:g} 0 0.01 12"
MESHES = {
    0: "root", 1: "proximal", 2: "middle", 3: "distal",
    12: "thumb_root", 13: "thumb_pivot", 14: "thumb_proximal", 15: "thumb_distal",
}  # fmt: skip


def mirrored(vector: Vector, side: str) -> Vector:
    """Return a place on a hand: the left one is the mirror image in y."""
    x, y, z = vector
    return vector if side == "right" else (x, -y + 0.0, z)


def box_inertia(mass: float, size: Vector) -> tuple[float, ...]:
    """Return the moments of a box about its middle [kg m2]."""
    x, y, z = (edge**2 for edge in size)
    return mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12


def visual(mesh: str, material: str, name: str = "", more: str = "") -> str:
    """Return a drawn geom."""
    named = f'name="{name}" ' if name else ""
    return (
        f'<geom {named}class="allegro_visual" mesh="allegro_{mesh}" '
        f'material="allegro_{material}"{more}/>'
    )


def solid(name: str, size: Vector, middle: Vector) -> str:
    """Return a box that collides."""
    half = [edge / 2 for edge in size]
    return (
        f'<geom name="{name}_collision" class="allegro_collision" '
        f'size="{short(*half)}" pos="{short(*middle)}"/>'
    )


def link_lines(link: HandLink, side: str) -> list[str]:
    """Return a link with all that it carries."""
    name = f"link_{link.number}"
    roll, pitch, yaw = link.rpy
    rpy = link.rpy if side == "right" else (-roll + 0.0, pitch, -yaw + 0.0)
    sign = -1.0 if side == "left" and link.mirrors else 1.0
    axis = [sign * value + 0.0 for value in link.axis]
    middle = mirrored(link.middle, side)
    number = link.number if link.number > 11 else link.number % 4
    more = "_left" if side == "left" and number == 12 else ""
    content: list[str | list[str]] = [
        inertial(link.mass, middle, box_inertia(link.mass, link.size)),
        f'<joint name="joint_{link.number}" class="allegro_joint" axis="{short(*axis)}" '
        f'range="{numbers(*link.range)}" damping="{link.damping:g}" '
        f'frictionloss="{link.friction:g}"/>',
        visual(MESHES[number] + more, "black", name),
        solid(name, link.size, middle),
    ]
    if number in (1, 2, 3, 14, 15):
        content.append(visual("knuckle", "metal"))
    if link.tip is not None:
        finger = FINGER_NAMES[link.number // 4]
        moment = 0.4 * TIP_MASS * TIP_RADIUS**2
        content.append(
            body(
                f'name="{name}_tip"{place((TIP_X, 0.0, link.tip))}',
                inertial(TIP_MASS, (0, 0, 0), (moment,) * 3),
                visual("tip", "white", f"{name}_tip"),
                visual("tip_neck", "dark"),
                f'<geom name="{name}_tip_collision" class="allegro_tip" size="{TIP_RADIUS}"/>',
                f'<site name="{finger}_tip" class="allegro_site"/>',
            )
        )
    content += [link_lines(next_link, side) for next_link in LINKS if next_link.parent == name]
    return body(f'name="{name}"{place(mirrored(link.pos, side), rpy)}', *content)


def hand_lines(side: str, at: str = "", *tail: str) -> list[str]:
    """Return the bodies of a hand.

    Args:
        side: Right or left.
        at: Where the palm is in what carries the hand, as attributes.
        tail: More lines of the palm.
    """
    roots = [link_lines(link, side) for link in LINKS if link.parent == "base_hand_link"]
    return body(
        f'name="base_hand_link"{at}',
        inertial(PALM_MASS, PALM_MIDDLE, box_inertia(PALM_MASS, PALM_SIZE)),
        visual("palm", "black", "palm"),
        visual("palm_plate", "dark"),
        visual("palm_screws", "metal"),
        solid("palm", PALM_SIZE, PALM_MIDDLE),
        *tail,
        *roots,
    )


def excluded() -> list[tuple[str, str]]:
    """Return pairs of bodies whose boxes always overlap: two links apart, and palm and roots.

    The latter are neighbours, which the engine leaves out itself unless the hand is bolted down.
    """
    parent = {f"link_{link.number}": link.parent for link in LINKS}
    for link in LINKS:
        if link.tip is not None:
            parent[f"link_{link.number}_tip"] = f"link_{link.number}"
    roots = [(palm, one) for one, palm in parent.items() if palm == "base_hand_link"]
    return [*roots, *((parent[parent[one]], one) for one in parent if parent[one] in parent)]


def drives_xml() -> str:
    """Return the text of drives.xml."""
    lines = [
        "<!-- Allegro hand: exclusions and motors. make_model.py writes this: change that. -->"
    ]
    lines += element(
        "contact",
        [
            "<!-- Neighbours, and those two links apart (sheet of the scenes, 4.4). -->",
            *(f'<exclude body1="{one}" body2="{other}"/>' for one, other in excluded()),
        ],
    )
    lines += element(
        "actuator",
        [
            "<!-- Inputs: position, velocity, torque. controller = kp ki kd slewmax Imax Vmax,",
            "     in torque: kp 3, kd 0.1 (sheet of the scenes, 4.4, EST), no integral. -->",
            *(
                f'<dcmotor name="joint_{link.number}" class="allegro_motor" '
                f'joint="joint_{link.number}" controller="{CONTROLLER}"/>'
                for link in LINKS
            ),
        ],
    )
    return "\n".join([*element("mujocoinclude", lines), ""])


def hand_xml(side: str) -> str:
    """Return the text of a hand's own model file."""
    return document(
        f"Allegro hand, the {side} one, alone.",
        f"allegro_{side}",
        [
            '<compiler angle="radian" autolimits="true"/>',
            '<visual><headlight ambient="0.5 0.5 0.5" diffuse="0.7 0.7 0.7"/></visual>',
            '<include file="../allegro/setup.xml"/>',
            *element("worldbody", hand_lines(side)),
            '<include file="../allegro/drives.xml"/>',
        ],
    )


def files() -> dict[str, str]:
    """Return the text of every file this script writes."""
    return {"drives.xml": drives_xml(), **{f"{side}.xml": hand_xml(side) for side in SIDES}}
