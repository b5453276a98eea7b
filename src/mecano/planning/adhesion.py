"""The adhesion budget of a climbing robot: does it keep holding if one cup lets go?

A robot on its cups is held by more forces than balance can tell: legs press against each other, and
these inner forces decide which cup breaks. So the forecast starts from the present state, where the
servos (or sensors in the cups) tell every force, and takes one support away. The tips of the others
stay where they are, and at a pose of the body

    q_i   = the leg's closed form, on its present branch
    tau_i = clip(stiffness (command - q_i) + fed - damping dq_i/dt, +-limit) - drag dq_i/dt
    F_i   = J_i^-T (bias_i - tau_i)     the force on the tip; bias holds the weight of the links

What is left over of these forces and all weights moves the body. `adhesion_kernel` follows it step
by step while it swings past its new balance, then finds the balance itself by Newton's method: six
equations for six numbers. A cup is judged by the worst moment, the present one included. What the
present forces leave unexplained (a payload, the springs of the cups' joints) is kept as it is.

What is not in it: surfaces and stops that legs run into, legs that still move at the release, and
the moment that a cup carries.

**Forces** are what a surface does to a cup, in newtons and in the body's frame, as the bonds of
`actuators.Cups` tell them: on a floor they point upwards, and they carry the weight together, the
cups' own included. Against the surface's outward normal a force is the cup's pull (negative where
the cup is pressed on), and the rest is its shear.

Legs are numbered from 0 in arrays and from 1 in sentences, as on the robot.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.compiled import first_call_notice
from mecano.core.errors import InvalidInput
from mecano.core.grips import GripLaw
from mecano.kinematics.legs import LegChain

FACTOR = 1.0
"""By which forecast changes of forces are stretched; tuned with `tasks.release_cases`, where 1.03
and more only added false alarms."""
NARROWEST = 0.04
"""Cups that hold must not lie closer to one line than this [m]."""


@dataclass(frozen=True, eq=False)
class LegWeights:
    """Where the mass of a robot with legs is."""

    masses: Array
    """Of coxa, thigh, shin and cup of each leg [kg]. What turns with the shin belongs to it. Shape
    (n, 4)."""
    centres: Array
    """Of these, in the body's frame while all joints are at zero [m]. Shape (n, 4, 3)."""
    body_mass: float
    """Of what does not move with a leg [kg]."""
    body_centre: Array
    """Of that, in the body's frame [m]. Shape (3,)."""
    body_inertia: Array
    """Of that, about its centre, in the axes of the body's frame [kg m2]. Shape (3, 3)."""

    def __post_init__(self) -> None:
        masses = read_only(self.masses, name="LegWeights.masses", shape=(None, 4))
        shape = (len(masses), 4, 3)
        object.__setattr__(self, "masses", masses)
        shapes = {"centres": shape, "body_centre": (3,), "body_inertia": (3, 3)}
        for name, wanted in shapes.items():
            checked = read_only(getattr(self, name), name=f"LegWeights.{name}", shape=wanted)
            object.__setattr__(self, name, checked)
        finite_number(self.body_mass, name="LegWeights.body_mass", lower=0.0)
        if (masses < 0.0).any():
            raise InvalidInput(f"a mass is negative: {masses.min():g} kg")

    @property
    def total(self) -> float:
        """The mass of the robot [kg]."""
        return float(self.masses.sum() + self.body_mass)


class ReleaseReason(StrEnum):
    """Why a release is safe or not."""

    HOLDS = "holds"
    OVERLOAD = "overload"
    """A cup would be loaded past its limit."""
    TOO_FEW = "too few cups"
    COLLINEAR = "cups in line"
    NO_BALANCE = "no balance"
    """The legs that are left would give way, or the search found no stable pose."""
    SINGULAR = "singular leg"
    """A leg is straight or above its hip's axis: its force cannot be told from its torques."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseForecast:
    """What would happen if one cup let go. Arrays have a row per leg, zero for free ones."""

    leg: int
    """Which would let go, from 0."""
    safe: bool
    reason: ReleaseReason
    message: str
    """In words, with numbers."""
    utilisation: Array
    """Share of its grip that each cup would need at the worst moment; 1 breaks."""
    pull: Array
    """Away from the surface at that moment [N]; negative is a push."""
    shear: Array
    """Along the surface at that moment [N]."""
    before: Array
    """Forces on the cups now, in the body's frame [N]. Shape (n, 3)."""
    first: int | None = None
    """The cup that would break first, from 0."""
    after: Array | None = None
    """Forces in the new balance, in the body's present frame [N], (n, 3); None without one."""
    moved: Array | None = None
    """How far the body would sink [m] and turn [rad, rotation vector], in its present frame."""

    @property
    def margin(self) -> float:
        """What is left of the worst cup's grip: negative if it breaks. No forecast has none."""
        if self.reason in (ReleaseReason.HOLDS, ReleaseReason.OVERLOAD):
            return float(1.0 - self.utilisation.max())
        return float("-inf")


class AdhesionModel:
    """Legs, weights, servos and grips of a climbing robot, and what follows from them."""

    def __init__(
        self,
        legs: Sequence[LegChain],
        weights: LegWeights,
        *,
        stiffness: ArrayLike,
        torque_limit: ArrayLike,
        damping: ArrayLike,
        drag: ArrayLike,
        armature: ArrayLike,
        laws: GripLaw | Sequence[GripLaw],
        factor: float = FACTOR,
        narrowest: float = NARROWEST,
    ) -> None:
        """Read the measures of the legs.

        Args:
            legs: Chains from the body to the tips, where the cups' passive joints cross.
            weights: Masses of the same legs and of the body.
            stiffness: Of the servos [N m/rad]; a number, or shape (n, 3).
            torque_limit: Of the servos [N m]; a number, or shape (n, 3).
            damping: Of the servos, inside that limit [N m s/rad]; a number, or shape (n, 3).
            drag: Of the joints, whatever the servos do [N m s/rad]; a number, or shape (n, 3).
            armature: Inertia of the rotors, seen from the joints [kg m2]; a number, or (n, 3).
            laws: When the cups let go: one for all, or one per leg.
            factor: By which forecast changes of forces are stretched, for safety.
            narrowest: Least distance of the holding cups from a common line [m].
        """
        n = len(legs)
        if len(weights.masses) != n:
            raise InvalidInput(f"{n} legs, but weights of {len(weights.masses)}")
        self.legs, self.weights = tuple(legs), weights
        self.factor = finite_number(factor, name="factor", lower=1.0)
        self.narrowest = finite_number(narrowest, name="narrowest", lower=0.0)
        self._servos = np.hstack([
            _spread(stiffness, n, "stiffness"), _spread(torque_limit, n, "torque_limit"),
            _spread(damping, n, "damping"), _spread(drag, n, "drag"),
            _spread(armature, n, "armature"),
        ])  # fmt: skip
        self.set_laws(laws)
        geometry = np.array([_measures(leg) for leg in legs])
        self._robot = (
            np.hstack([geometry, weights.masses, _along_links(legs, weights.centres)]),
            np.array([weights.body_mass, *weights.body_centre]),
            weights.body_inertia.copy(),
        )

    def set_laws(self, laws: GripLaw | Sequence[GripLaw]) -> None:
        """Give the cups laws: one for all, or one per leg."""
        n = len(self.legs)
        grips = list(laws) if isinstance(laws, Sequence) else [laws] * n
        if len(grips) != n:
            raise InvalidInput(f"{n} legs, but {len(grips)} laws of grip")
        self._grips = np.array([grip.parameters for grip in grips], float)

    def forces(
        self,
        q: ArrayLike,
        command: ArrayLike,
        *,
        gravity: ArrayLike,
        holding: ArrayLike | None = None,
        fed: ArrayLike = 0.0,
    ) -> Array:
        """Return the forces on the cups as the servos tell them, in the body's frame [N]. (n, 3).

        Args:
            q: Measured joint values [rad]. Shape (n, 3).
            command: Where the servos are told to go [rad]. Shape (n, 3).
            gravity: In the body's frame [m/s2]: (0, 0, -9.81) for a level robot on a floor.
            holding: Which cups hold; None means all. The others have none.
            fed: Torque that is fed to the servos besides [N m].

        Raises:
            InvalidInput: A holding leg is straight or above its hip's axis.
        """
        state = self._state(q, command, fed, gravity, holding)
        found, singular, _ = self._look_first(*state, state[3])
        if singular >= 0:
            raise InvalidInput(self._singular(singular))
        return found

    def release(
        self,
        leg: int,
        *,
        q: ArrayLike,
        command: ArrayLike,
        gravity: ArrayLike,
        normals: ArrayLike,
        holding: ArrayLike | None = None,
        fed: ArrayLike = 0.0,
        forces: ArrayLike | None = None,
        then: ArrayLike | None = None,
    ) -> ReleaseForecast:
        """Forecast what happens if the cup of one leg lets go, suddenly.

        The leg must not press on its surface afterwards: the forecast takes it for lifted. Tell its
        servos, at the release, to lift it or to stay where they are.

        Args:
            leg: Which one, from 0. It must hold.
            q: Measured joint values [rad]. Shape (n, 3).
            command: Where the servos are told to go [rad]. Shape (n, 3).
            gravity: In the body's frame [m/s2].
            normals: Of the surfaces under the cups, pointing to the robot, in the body's frame. One
                for all, or shape (n, 3).
            holding: Which cups hold now; None means all.
            fed: Torque that is fed to the servos besides [N m].
            forces: Measured on the cups, in the body's frame [N], shape (n, 3); None takes those
                that the servos tell. A leg at a stop, or of unknown stiffness, needs a sensor.
            then: Where the servos of the leg are told to go from the release on [rad], shape (3,);
                None leaves them as they are.
        """
        state = self._state(q, command, fed, gravity, holding)
        angles, servos, g, held = state
        n = len(self.legs)
        if not 0 <= leg < n or not held[leg]:
            raise InvalidInput(f"leg {leg + 1} does not hold, so it cannot be released")
        left = held.copy()
        left[leg] = False
        before, singular, width = self._look_first(*state, left)
        if forces is not None:
            before = np.where(held[:, None], read_only(forces, name="forces", shape=(n, 3)), 0.0)
        refusal = self._refusal(left, width, singular)
        if refusal is not None:
            return self._refused(leg, *refusal, before)
        from mecano.planning.adhesion_kernel import let_go, swing

        judge = (self._grips, _unit(normals, left), self.factor)
        if then is not None:
            servos[leg, :3] = read_only(then, name="then", shape=(3,))
        with first_call_notice(swing):
            rests, moved, after, swung = let_go(
                self._robot, servos, held, angles, g, before, leg, *judge
            )
        if not rests and swung[:, 0].max() < 1.0:
            words = f"releasing leg {leg + 1}: the legs that are left find no balance and give way"
            return self._refused(leg, ReleaseReason.NO_BALANCE, words, before)
        rest = (after, moved) if rests else None
        return self._judged(leg, before, swung, rest)

    def _state(self, q, command, fed, gravity, holding):
        """Return the checked arguments as the kernel wants them."""
        n = len(self.legs)
        angles = np.array(read_only(q, name="q", shape=(n, 3)))
        wanted = np.array(read_only(command, name="command", shape=(n, 3)))
        g = np.array(read_only(gravity, name="gravity", shape=(3,)))
        held = np.ones(n, bool) if holding is None else np.array(holding, bool)
        if held.shape != (n,):
            raise InvalidInput(f"holding has shape {held.shape}, expected ({n},)")
        servos = np.hstack([wanted, _spread(fed, n, "fed"), self._servos])
        return angles, servos, g, held

    def _look_first(self, angles, servos, g, held, left):
        from mecano.planning.adhesion_kernel import look_first, measure

        with first_call_notice(measure):
            return look_first(self._robot, servos, held, angles, g, left)

    def _refusal(
        self, left: np.ndarray, width: float, singular: int
    ) -> tuple[ReleaseReason, str] | None:
        """Return why nothing is forecast, if so."""
        if left.sum() < 3:
            words = f"{left.sum()} cups would be left to hold, at least 3 are needed"
            return ReleaseReason.TOO_FEW, words
        if width < self.narrowest:
            numbers = ", ".join(str(i + 1) for i in np.flatnonzero(left))
            words = (
                f"the cups left, {numbers}, lie within {1000 * width:.0f} mm of one line, "
                f"{1000 * self.narrowest:.0f} mm are needed: the body would swing about it"
            )
            return ReleaseReason.COLLINEAR, words
        if singular >= 0:
            return ReleaseReason.SINGULAR, self._singular(singular)
        return None

    def _singular(self, leg: int) -> str:
        return (
            f"leg {leg + 1} is straight or above its hip's axis: its force cannot be told from its "
            "torques; bend it"
        )

    def _refused(self, leg: int, reason: ReleaseReason, message: str, before) -> ReleaseForecast:
        nothing = np.zeros(len(self.legs))
        return ReleaseForecast(
            leg=leg, safe=False, reason=reason, message=message, utilisation=nothing,
            pull=nothing, shear=nothing, before=before,
        )  # fmt: skip

    def _judged(self, leg, before, swung, rest) -> ReleaseForecast:
        """Compare the largest loads, while the body swings or at rest, with what the cups hold."""
        used, pull, shear, _ = np.ascontiguousarray(swung.T)
        after, moved = rest or (None, None)
        worst = int(np.argmax(used))
        safe = bool(used[worst] < 1.0)
        words = (
            f"releasing leg {leg + 1} {'is safe' if safe else 'is not safe'}: the cup of leg "
            f"{worst + 1} would come to {100 * used[worst]:.0f} % of its grip "
            f"(pull {pull[worst]:.1f} N of {self._grips[worst, 0]:.1f}, "
            f"shear {shear[worst]:.1f} N of {self._grips[worst, 1]:.1f})"
        )
        return ReleaseForecast(
            leg=leg, safe=safe, reason=ReleaseReason.HOLDS if safe else ReleaseReason.OVERLOAD,
            message=words, utilisation=used, pull=pull, shear=shear, before=before, after=after,
            first=None if safe else worst, moved=moved,
        )  # fmt: skip

    def utilisation(self, pull: Array, shear: Array) -> Array:
        """Return the share of each cup's grip that a pull and a shear need [N]. Shape (n,)."""
        most_pull, most_shear, adds_up = self._grips.T
        along, across = np.maximum(pull, 0.0) / most_pull, shear / most_shear
        return np.where(adds_up > 0.0, along + across, np.maximum(along, across))


def pull_and_shear(forces: Array, normals: Array) -> tuple[Array, Array]:
    """Split forces on cups by the outward normals of their surfaces [N]. Shape (n, 3) in."""
    push = np.sum(forces * normals, axis=1)
    return -push, np.linalg.norm(forces - push[:, None] * normals, axis=1)


def _spread(values: ArrayLike, n: int, name: str) -> Array:
    """Return a number per joint, from one for all or from a table."""
    try:
        return np.broadcast_to(np.asarray(values, float), (n, 3)).copy()
    except ValueError:
        raise InvalidInput(
            f"{name} has shape {np.shape(values)}, expected a number or ({n}, 3)"
        ) from None


def _unit(normals: ArrayLike, needed: np.ndarray) -> Array:
    """Return normals of length one, a row per leg; those that are not needed may be zero."""
    rows = _spread(normals, len(needed), "normals")
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    if not (lengths[needed] > 1e-9).all() or not np.isfinite(lengths).all():
        raise InvalidInput("a normal has no direction; give one vector per leg, out of its surface")
    return rows / np.maximum(lengths, 1e-9)[:, None]


def _measures(chain: LegChain) -> list[float]:
    leg = chain.leg
    return [
        leg.axis_x, leg.axis_y, leg.beside, leg.coxa, leg.height, leg.thigh, leg.shin, *leg.signs,
        *leg.offsets,
    ]  # fmt: skip


def _along_links(legs: Sequence[LegChain], centres: Array) -> Array:
    """Return centres of mass as seen along their links (n, 12), from places at joints zero."""
    seen = np.empty((len(legs), 12))
    for row, chain, points in zip(seen.reshape(-1, 4, 3), legs, centres, strict=True):
        leg = chain.leg
        heading, raised, knee = leg.offsets
        forward = np.array([np.cos(heading), np.sin(heading), 0.0])
        right, up = np.array([forward[1], -forward[0], 0.0]), np.array([0.0, 0.0, 1.0])
        hip = np.array([leg.axis_x, leg.axis_y, 0.0])
        joint_2 = hip + leg.coxa * forward + leg.beside * right + leg.height * up
        shin = raised + knee
        along_thigh = np.cos(raised) * forward + np.sin(raised) * up
        along_shin = np.cos(shin) * forward + np.sin(shin) * up
        joint_3 = joint_2 + leg.thigh * along_thigh
        tip = joint_3 + leg.shin * along_shin
        origins, alongs = (hip, joint_2, joint_3, tip), (forward, along_thigh, *[along_shin] * 2)
        for k, (origin, along, point) in enumerate(zip(origins, alongs, points, strict=True)):
            row[k] = np.array([along, right, np.cross(right, along)]) @ (point - origin)
    return seen
