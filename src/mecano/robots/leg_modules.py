"""A leg as a module: its facts once, and where each copy of it is mounted on a body.

A body with any number of such legs is put together by `robots.modular.assemble_legs`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import cos, radians, sin
from pathlib import Path

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.core.grips import GripLaw
from mecano.kinematics.legs import LegChain, leg_table, mount
from mecano.robots.description import MotionLimits, Servo
from mecano.robots.legged import CupFacts, Leg

Range = tuple[float, float]


@dataclass(frozen=True)
class LegMjcf:
    """One mounted leg as lines of MJCF."""

    bodies: tuple[str, ...]
    """To be put into the root body: its links, and what of it is fixed there."""
    exclusions: tuple[tuple[str, str], ...]
    """Pairs of bodies that do not collide."""
    actuators: tuple[str, ...]
    bonds: tuple[str, ...]
    """Equality constraints that stand for the hold of its foot."""


@dataclass(frozen=True, kw_only=True)
class LegModule:
    """What all legs of a kind have in common.

    The leg's frame stands on the hip's axis: y away from the body, z up. Joint 1 turns about z,
    joints 2 and 3 tilt; joints with springs follow, then the foot.
    """

    coxa: tuple[float, float, float]
    """Joint 2 in the leg's frame at zero [m]: beside the hip's axis (to +x or -x, as the leg is
    mounted), out, up."""
    thigh: float
    """Joint 2 to joint 3 [m]."""
    shin_parts: tuple[float, ...]
    """Joint 3 to the first spring, and on to the tip, where the springs' axes cross [m]."""
    limits_deg: tuple[Range, Range, Range]
    """Of joints 1 to 3; a mount may narrow those of joint 1."""
    rest_deg: tuple[float, float]
    """Joints 2 and 3 in the posture `rest`."""
    springs: int
    """Number of joints with springs between the tip and the foot."""
    foot_height: float
    """From the tip to the face of the foot [m]."""
    foot_radius: float
    """[m]."""
    proximity: float
    """The foot takes hold of what is within this distance of its face [m]."""
    law: GripLaw
    """What the foot holds."""
    servo: Servo
    torque: float
    """What a servo is allowed to give for long [N m]."""
    integral: float
    """See `LeggedBody.integral` [N m/(rad s)]."""
    motion: MotionLimits
    reach: dict[float, float]
    """How far from the hip's axis the tip stands, by the depth of the tip below the hip [m]. 30 mm
    around such a point, and 25 mm above, all joints are inside their limits."""
    depth: float
    """Of the tip below the hip while standing, unless another one is chosen [m]."""
    hip_mass: float
    """What of each leg is fixed to the body, the servo of joint 1 [kg]."""
    setup: Path
    """MJCF file with the classes, materials and meshes that `mjcf` uses."""
    mjcf: "Callable[[MountedLeg, str], LegMjcf]"
    """Writes a mounted leg, given the name of the root body."""

    @property
    def shin(self) -> float:
        """Joint 3 to the tip [m]."""
        return sum(self.shin_parts)


@dataclass(frozen=True)
class LegMount:
    """Where a leg is mounted on a body, and what differs from leg to leg."""

    x: float
    """Axis of joint 1 in the body's frame: x forward, y left, hips at height zero [m]."""
    y: float
    heading_deg: float
    """Where the leg points at joint values zero: 0 forward, 90 to the left."""
    side: int = 1
    """+1 where joint 2 lies towards the leg's +x, to the right seen along it; -1 opposite."""
    hip_limits_deg: Range | None = None
    """Of joint 1; None takes the module's."""
    rest_deg: float = 0
    """Joint 1 in the posture `rest`."""
    foothold: tuple[float, float] | None = None
    """Tip in the body's frame while standing [m]; None takes the module's reach, straight out."""
    place: str = ""
    """In words, such as front left."""

    def __post_init__(self) -> None:
        for name in ("x", "y", "heading_deg"):
            finite_number(getattr(self, name), name=f"{name} of a leg's mount")
        if self.side not in (1, -1):
            raise InvalidInput(f"side of a leg's mount is {self.side!r}, allowed: 1, -1")

    @property
    def yaw_deg(self) -> float:
        """Turn of the leg's frame about z; its y axis points where the leg does."""
        return self.heading_deg - 90

    def mirrored(self) -> "LegMount":
        """Return the mount on the other side of the body."""
        limits, foothold = self.hip_limits_deg, self.foothold
        return replace(
            self,
            y=-self.y,
            heading_deg=(360 - self.heading_deg) % 360,
            side=-self.side,
            hip_limits_deg=None if limits is None else (0 - limits[1], 0 - limits[0]),
            rest_deg=0 - self.rest_deg,
            foothold=None if foothold is None else (foothold[0], -foothold[1]),
            place=self.place.replace("left", "right"),
        )


def both_sides(*left: LegMount) -> tuple[LegMount, ...]:
    """Return mounts on both sides from those on the left, front to rear.

    Numbers then go round the body: left from front to rear, right from rear to front.
    """
    return (*left, *(each.mirrored() for each in reversed(left)))


@dataclass(frozen=True, kw_only=True)
class MountedLeg:
    """One leg of a robot: a module on a mount, with its number and its names."""

    module: LegModule
    mount: LegMount
    number: int
    """From 1, round the body."""
    depth: float
    """Of the tip below the hips while standing [m]."""

    @property
    def name(self) -> str:
        """The name of its chain."""
        return f"leg_{self.number}"

    @property
    def place(self) -> str:
        """In words."""
        return self.mount.place or f"{self.mount.heading_deg:g} deg"

    @property
    def hip(self) -> tuple[float, float]:
        """Axis of joint 1 in the body's frame [m]."""
        return self.mount.x, self.mount.y

    @property
    def side(self) -> int:
        """See `LegMount.side`."""
        return self.mount.side

    @property
    def beside(self) -> float:
        """Joint 2 beside the hip's axis, in the leg's x [m]."""
        return self.side * self.module.coxa[0]

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints with servos, hip to knee."""
        return tuple(f"{self.name}_joint_{i + 1}" for i in range(len(self.module.limits_deg)))

    @property
    def passive_joints(self) -> tuple[str, ...]:
        """The joints with springs, from the tip to the foot."""
        first = len(self.joints) + 1
        return tuple(f"{self.name}_joint_{first + i}" for i in range(self.module.springs))

    def foothold(self, depth: float) -> tuple[float, float]:
        """Return where the tip stands in the body's frame at a depth below the hips [m]."""
        if self.mount.foothold is not None and depth == self.depth:
            return self.mount.foothold
        known = sorted(self.module.reach)
        if depth not in self.module.reach:
            depths = ", ".join(f"{each:g}" for each in known)
            raise InvalidInput(f"depth of the tips is {depth!r} m, allowed: {depths}")
        far, heading = self.module.reach[depth], radians(self.mount.heading_deg)
        return self.mount.x + far * cos(heading), self.mount.y + far * sin(heading)

    @cached_property
    def chain(self) -> LegChain:
        """The chain from the body's frame to the tip, with its postures."""
        module, mounted = self.module, self.mount
        limits_deg = (mounted.hip_limits_deg or module.limits_deg[0], *module.limits_deg[1:])
        _, out, rise = module.coxa
        one, two, three = self.joints
        bare = LegChain(
            name=self.name,
            dh=leg_table(
                (one, two, three),
                [(radians(low), radians(high)) for low, high in limits_deg],
                mount=mount(*self.hip, 0.0, radians(mounted.yaw_deg)),
                coxa=(self.beside, out, rise),
                thigh=module.thigh,
                shin=module.shin,
            ),
        )
        foothold = self.foothold(self.depth)
        found = bare.leg.solve(*foothold, -self.depth)
        if "up" not in found:
            x, y = (round(1000 * value) for value in foothold)
            why = bare.inverse([*foothold, -self.depth]).message
            raise InvalidInput(
                f"leg {self.number} cannot stand at ({x}, {y}) mm, {1000 * self.depth:.0f} mm "
                f"below its hip, with its knee up: {why}; choose another foothold or mount"
            )
        rest = tuple(radians(value) for value in (mounted.rest_deg, *module.rest_deg))
        postures = {
            "home": found["up"],
            "stand": found["up"],
            "rest": rest,
            "zero": (0.0,) * len(self.joints),
        }
        return LegChain(name=self.name, dh=bare.dh, postures=postures)

    @property
    def cup(self) -> CupFacts:
        """Its foot."""
        return CupFacts(
            body=f"{self.name}_cup",
            site=f"cup_{self.number}",
            lip=f"{self.name}_cup_lip_collision",
            bond=f"cup_{self.number}_bond",
            radius=self.module.foot_radius,
            proximity=self.module.proximity,
            law=self.module.law,
        )

    @property
    def facts(self) -> Leg:
        """What the rest of the package knows of it."""
        return Leg(chain=self.name, springs=self.passive_joints, cup=self.cup)
