"""Contact settings that the robots need of a scene, and what a scene has instead.

The wheels, casters and feet of the robots were measured on shapes with `solref="0.004 1"`.
MuJoCo's default, 0.02, is softer: a wheel then sinks in deeper than a caster, loses its load and
slides. CRUMB slides 28 to 45 mm per turn of 90 degrees that way (posture `look`), and its odometry
reports nothing; with 0.004 it is 0.01 mm. So shapes of a scene that are left at MuJoCo's default
get ours, and a notice names them. Other values of the user stay; a notice says so if wheels slide
on them.
"""

from collections.abc import Iterable, Iterator, Sequence

import mujoco

from mecano.core.notices import say_once
from mecano.world.physics import PhysicsSettings

ENGINE_DEFAULT = (0.02, 1.0)
"""`solref` of a shape that says nothing: time constant [s], damping ratio."""
SOFTEST = 0.012
"""Time constant times damping ratio up to which wheels keep their load [s]. Measured: CRUMB in
posture `look` slides 0.1 mm per turn of 90 degrees at 0.012, 0.3 mm at 0.015, 30 mm at 0.02."""
LOWEST_STIFFNESS = 2e4
"""The same of a `solref` given as -stiffness, -damping [1/s2]: 0.1 mm, at half of it 6 mm."""
WIDEST_MARGIN = 0.005
"""Of a floor [m]: with 1 mm all is well, with 10 mm CRUMB turns no more than 0.1 degrees."""
NAMED = 6
"""Names in a notice, at most."""


def set_contacts(
    spec: mujoco.MjSpec, prefixes: Sequence[str], physics: PhysicsSettings, *, scene: str
) -> None:
    """Give shapes of a scene the contact settings that robots need, and say what was done.

    Args:
        spec: The scene with its robots.
        prefixes: Of the robots; their shapes stay as they are.
        physics: Has the time constant for shapes at MuJoCo's default.
        scene: How notices call the scene.
    """
    shapes = [shape for shape in spec.geoms if _collides(shape) and not _owned(shape, prefixes)]
    ours = physics.contact_time, 1.0
    plain = [s for s in shapes if tuple(s.solref) == ENGINE_DEFAULT] if ours[0] < 0.02 else []
    for shape in plain:
        shape.solref = ours
    if plain:
        say_once(
            f'scene {scene}: {_named(plain)} had MuJoCo\'s default contacts (solref "0.02 1"), '
            f'on which wheels slide; set to "{ours[0]:g} 1" (physics.contact_time = 0.02 keeps '
            "the default)"
        )
    for text, found in _slippery(shapes).items():
        say_once(f"scene {scene}: {_named(found)} {text}")


def _slippery(shapes: Iterable[mujoco.MjsGeom]) -> dict[str, list[mujoco.MjsGeom]]:
    """Return the shapes that were set otherwise in a way that wheels slide on, by what it is."""
    found: dict[str, list[mujoco.MjsGeom]] = {}
    for shape in shapes:
        for text in _complaints(shape):
            found.setdefault(text, []).append(shape)
    return found


def _complaints(shape: mujoco.MjsGeom) -> Iterator[str]:
    """Yield what is wrong with a shape that robots may stand on."""
    if _moves(shape):
        return
    time, ratio = shape.solref
    soft = time * ratio > SOFTEST if time > 0.0 else -time < LOWEST_STIFFNESS
    if soft:
        yield (
            f'has solref "{time:g} {ratio:g}", softer than the contacts that the robots were '
            'measured on: wheels may slide unnoticed by odometry; wanted "0.004 1"'
        )
    if shape.priority > 0:
        yield (
            f"has contact priority {shape.priority}, so casters, bumpers and fingers lose their "
            "own friction on it: wheels may slide or stand still; wanted priority 0"
        )
    if shape.condim > 3:
        yield (
            f"has condim {shape.condim}: friction against turning on the spot lets wheels slide "
            "by millimetres; wanted condim 3 on floors (4 is for objects to grasp)"
        )
    if shape.margin > WIDEST_MARGIN:
        yield (
            f"has a margin of {1000 * shape.margin:g} mm, which lifts what stands on it: wheels "
            f"may slide or stand still; wanted at most {1000 * WIDEST_MARGIN:g} mm"
        )


def _collides(shape: mujoco.MjsGeom) -> bool:
    return bool(shape.contype or shape.conaffinity)


def _owned(shape: mujoco.MjsGeom, prefixes: Sequence[str]) -> bool:
    """Tell whether a shape is of a robot."""
    names = [shape.name, *(body.name for body in _bodies(shape))]
    return any(name.startswith(prefix) for name in names for prefix in prefixes)


def _moves(shape: mujoco.MjsGeom) -> bool:
    return any(len(body.joints) or body.mocap for body in _bodies(shape))


def _bodies(shape: mujoco.MjsGeom) -> Iterator[mujoco.MjsBody]:
    """Yield the body of a shape and what carries it."""
    body = shape.parent
    while body is not None:
        yield body
        body = body.parent


def _named(shapes: Sequence[mujoco.MjsGeom]) -> str:
    """Return the names of shapes; one without is called by its body."""
    names = list(
        dict.fromkeys(shape.name or f"a shape of '{shape.parent.name}'" for shape in shapes)
    )
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
