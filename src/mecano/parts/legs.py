"""The legs a user programs: standing, walking, stepping over to another surface."""

from collections.abc import Iterator
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, Mask, finite_number, read_only
from mecano.core.devices import ImuDevice, LegSensor, LegServos
from mecano.core.errors import InvalidInput
from mecano.core.notices import ask_about_degrees, slow_notice
from mecano.estimation.attitude import Attitude
from mecano.kinematics.leg_set import LegSet
from mecano.kinematics.legs import LegChain
from mecano.parts.cups import Cups
from mecano.parts.gait_choice import choose_gait
from mecano.parts.leg import Leg
from mecano.parts.part import JointedPart
from mecano.parts.walks import Crossing, CrossingResult, Walk, WalkResult
from mecano.planning.adhesion import AdhesionModel, ReleaseForecast
from mecano.planning.adhesion_groups import LiftForecast, worst_lift
from mecano.planning.corners import plan_corner
from mecano.planning.gaits import Gait, find_gait, gaits_for
from mecano.planning.trajectories import Bounds
from mecano.robots.description import MotionLimits
from mecano.robots.legged import LeggedBody
from mecano.session.session import Session

LIFT = 0.01
"""A foot that lets go is lifted by this much at once [m]; else it would touch again."""
GRAVITY = 9.81
"""[m/s2]."""
HOLDS = "the cup of leg {} holds; switch it off first: robot.cups.release({})"


MOST_RESIDUAL = 0.2
"""Of a controller on top of a gait [rad]: more would tear feet off that hold."""


class WalkOptions(TypedDict, total=False):
    """How the legs walk, see `Legs.walk`."""

    direction: float
    turn: float
    gait: str | Gait | None
    speed: float | None
    height: float | None
    lift: float
    time: float | None
    scatter: float


class Legs(JointedPart):
    """All legs of a robot: `legs[1]` is one of them; standing and walking."""

    kind = name = "legs"

    def __init__(
        self, session: Session, facts: LeggedBody, chains: list[LegChain], limits: MotionLimits, *,
        joints: LegSensor, drives: LegServos, cups: Cups, imu: ImuDevice | None,
        adhesion: AdhesionModel, tick: float,
    ) -> None:  # fmt: skip
        """Join the chains with their devices. `mecano.connect` does this."""
        self.session, self.facts, self.tick, self.encoders = session, facts, tick, joints
        self.bounds = Bounds(
            velocity=limits.velocity, acceleration=limits.acceleration, jerk=limits.jerk
        )
        self.kinematics = LegSet(chains)
        self.cups, self.imu, self.adhesion = cups, imu, adhesion
        cups.forecast, cups.on_law = self.foresee, adhesion.set_laws
        self.attitude = Attitude()
        self.walking: Walk | Crossing | None = None
        """What all legs are doing, or did last."""
        self.uses_imu = imu is not None
        """Whether walks are corrected by the IMU's heading."""
        self._joints = self._sensor = joints
        self.drives = drives
        self._legs = [Leg(self, i, chain) for i, chain in enumerate(chains, start=1)]
        self.commanded = joints.position.reshape(len(chains), -1).copy()
        """Joint values last commanded [rad]. Shape (legs, joints)."""
        self.gaits = gaits_for(len(chains), facts.groups)
        """By name, the slowest first."""
        self.fed = np.zeros(self.commanded.size)
        """Torques that commands bring along [N m]. Shape (joints,)."""
        self.residual: Array | None = None
        """Added to what is commanded, see `set_residual` [rad]. Shape (legs, joints)."""
        self._holding, self._new = b"", True
        """Which feet held when the integrals were chosen, and whether the servos must be told."""
        session.steppers.append(self)

    def __getitem__(self, number: int) -> Leg:
        if not isinstance(number, int | np.integer) or not 1 <= number <= len(self._legs):
            raise InvalidInput(
                f"there is no leg {number!r}; legs are numbered from 1 to {len(self._legs)}"
            )
        return self._legs[number - 1]

    def __iter__(self) -> Iterator[Leg]:
        return iter(self._legs)

    def __len__(self) -> int:
        return len(self._legs)

    # --- what they read

    @property
    def units(self) -> tuple[str, ...]:
        """Units of their joints, leg by leg."""
        return tuple(joint.unit for leg in self for joint in leg.chain.dh.joints)

    def summary(self) -> str:
        """Return legs, joints and cups in a line."""
        held = int(self.cups.holding.sum())
        return (
            f"{len(self)} legs, {self.commanded.size} joints, {held} of {len(self.cups)} cups hold"
        )

    def targets(self) -> Array:
        """Return the commanded joint positions, leg by leg [rad]. Shape (joints,)."""
        return self.commanded.ravel()

    def _arranged(self, values: Array) -> Array:
        """Return values leg by leg. Shape (legs, joints)."""
        return values.reshape(self.commanded.shape)

    @property
    def tips(self) -> Array:
        """Where the tips are in the body's frame, by the encoders [m]. Shape (legs, 3)."""
        return self.kinematics.tips(self.position)

    def gravity(self) -> Array:
        """Return the direction of gravity in the body's frame, by the IMU; down without one."""
        found = self.attitude.gravity
        return np.array([0.0, 0.0, -1.0]) if found is None else found

    def set_zero_errors(self, zeros: ArrayLike) -> None:
        """Simulation only: mount the servos askew by these angles [rad], (legs, joints).

        That is how the robot is built from then on, also after a reset. What they read is too much
        by that, and what they do too little, as on a real robot that was not calibrated.
        """
        off = read_only(zeros, name="zero errors [rad]", shape=self.commanded.shape).ravel()
        self._sensor.zeros = self.drives.zeros = off
        self._new = True

    def set_residual(self, angles: ArrayLike | None) -> None:
        """Add angles to what the servos are commanded, from the next tick on; None adds none.

        For a controller of your own on top of a gait. A walk goes on as planned; a reset ends it.

        Args:
            angles: Of each joint, at most 0.2 either way [rad]. Shape (legs, joints).
        """
        if angles is not None:
            shape = self.commanded.shape
            angles = read_only(angles, name="residual [rad]", shape=shape)
            if float(np.abs(angles).max()) > MOST_RESIDUAL:
                raise InvalidInput(
                    f"a residual is {float(np.abs(angles).max()):.3f} rad, allowed are "
                    f"{MOST_RESIDUAL} rad either way"
                )
        with self.session.commanding():
            self.residual, self._new = angles, True

    def break_servo(self, leg: int, joint: int) -> None:
        """Simulation only: let a servo fail, as without power.

        Args:
            leg: From 1 to the number of legs.
            joint: 1 at the hip, 2, or 3 at the knee.
        """
        names = self[leg].chain.joint_names
        if not isinstance(joint, int | np.integer) or not 1 <= joint <= len(names):
            raise InvalidInput(f"there is no joint {joint!r}; a leg has joints 1 to {len(names)}")
        self.drives.fail(names[joint - 1])

    def foresee(self, leg: int, holding: Mask) -> ReleaseForecast:
        """Foresee what happens if a foot lets go and is lifted.

        Args:
            leg: Counts from 0.
            holding: Which feet hold. Shape (legs,).
        """
        state = self._adhesion_state(holding)
        then = state.pop("then")[leg]
        return self.adhesion.release(leg, then=then if np.isfinite(then).all() else None, **state)

    def foresee_gait(self, gait: str | Gait) -> LiftForecast | None:
        """Foresee the step of a gait, from the present stance, that loads a cup most.

        None if no foot holds. The first group of legs that the other cups would not carry ends the
        search: look at `safe`.
        """
        gait = find_gait(gait, self.gaits)
        return worst_lift(self.adhesion, gait, self._adhesion_state(self.cups.holding))

    def _adhesion_state(self, holding: Mask) -> dict[str, Any]:
        """Return the robot as it stands, as forecasts take it; `then` lifts the feet."""
        drive, q = self.cups.drive, self.position
        normals = drive.in_body(drive.normals())
        lifted = self.kinematics.tips(q) + LIFT * normals
        return {
            "q": q,
            "command": self.commanded,
            "gravity": GRAVITY * self.gravity(),
            "normals": normals,
            "holding": holding,
            "fed": self.fed.reshape(self.commanded.shape),
            "forces": drive.in_body(drive.forces()),
            "then": self.kinematics.inverse(lifted),
        }

    # --- moves

    def stand(self, posture: str = "stand", *, speed: float = 0.3) -> None:
        """Bring all legs that do not hold into a posture, together; not in a walk."""
        with self.session.commanding():
            self._end_motions()
            motions = [
                leg.move_joints(posture, speed=speed, wait=False)
                for leg in self
                if not self.cups.holding[leg.number - 1]
            ]
        self.session.wait_until(lambda: all(m.done for m in motions))  # type: ignore[union-attr]

    def footholds(self, height: float | None = None) -> Array:
        """Return where the tips stand in the body's frame, for a height of the body [m].

        Args:
            height: Of the body's plane above the surface; None is the robot's own.
        """
        return self.facts.stance(height)

    @overload
    def walk(
        self,
        distance: float | None = None,
        *,
        wait: Literal[True] = True,
        **how: Unpack[WalkOptions],
    ) -> "WalkResult": ...
    @overload
    def walk(
        self, distance: float | None = None, *, wait: Literal[False], **how: Unpack[WalkOptions]
    ) -> "Walk": ...
    def walk(
        self,
        distance: float | None = None,
        *,
        direction: float = 0.0,
        turn: float = 0.0,
        gait: str | Gait | None = None,
        speed: float | None = None,
        height: float | None = None,
        lift: float = 0.025,
        time: float | None = None,
        scatter: float = 0.0,
        wait: bool = True,
    ) -> "WalkResult | Walk":
        """Walk over the surface that the feet hold on to: floor, wall or ceiling.

        Args:
            distance: How far [m]; None walks until `time`, or until the handle is stopped.
            direction: Which way, seen from the body: 0 is forward, to the left positive [rad].
            turn: How fast it turns on the way [rad/s]; with `speed=0` on the spot.
            gait: One of `gaits` by name ("tripod", "ripple" or "wave" with six legs), or one of
                your own; None is the wave under a ceiling, where the others leave little to spare,
                or if a foot is loose and the others would not carry the fastest, and else that.
            speed: [m/s]; None takes the gait's.
            height: Of the body's plane above the surface [m]; None is the robot's own.
            lift: How high feet are lifted, the height of a step [m].
            time: How long [s].
            scatter: Put feet down this far from where they were meant to go, at random [m].
            wait: Let time pass until it has ended, and return the result; else return a handle.

        Raises:
            InvalidInput: It cannot be walked: a leg does not reach, or cups do not hold and the
                others would not carry a step of the gait.
        """
        if distance is not None:
            finite_number(distance, name="distance to walk [m]", lower=0.0)
        if time is not None:
            finite_number(time, name="time to walk [s]", lower=0.0)
        if wait and distance is None and time is None:
            raise InvalidInput("how far? give a distance [m] or a time [s], or wait=False")
        ask_about_degrees(finite_number(direction, name="direction [rad]"), "legs.walk, direction")
        with self.session.commanding():
            self._end_motions()
            walk = Walk(
                self, choose_gait(self, gait), direction=direction, turn=turn, speed=speed,
                height=height, lift=lift, distance=distance, time=time, scatter=scatter,
            )  # fmt: skip
            self.walking = walk
        return walk.wait() if wait else walk

    @overload
    def cross_corner(self, ahead: float, *, wait: Literal[True] = True) -> "CrossingResult": ...
    @overload
    def cross_corner(self, ahead: float, *, wait: Literal[False]) -> "Crossing": ...
    def cross_corner(self, ahead: float, *, wait: bool = True) -> "CrossingResult | Crossing":
        """Step from the surface the robot stands on to the one ahead, at a right angle to it.

        Args:
            ahead: How far that surface is from the middle of the body [m].
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        if not self.facts.corner:
            raise InvalidInput(
                "no path through a corner is known for this body; give its description one: "
                "LeggedBody.corner"
            )
        loose = [leg.number for leg in self if not self.cups.holding[leg.number - 1]]
        if loose:
            raise InvalidInput(
                f"cups {', '.join(map(str, loose))} do not hold, and the way through a corner "
                f"needs all feet; set them down and switch them on: robot.cups.attach({loose[0]})"
            )
        with slow_notice("planning the way through the corner"):
            actions = plan_corner(
                self.kinematics.chains, self.facts.corner, self.tips, ahead,
                height=self.facts.tip_height - float(self.tips[:, 2].mean()),
                tip_height=self.facts.tip_height, home=self.footholds(),
            )  # fmt: skip
        with self.session.commanding():
            self._end_motions()
            crossing = Crossing(self, actions)
            self.walking = crossing
        return crossing.wait() if wait else crossing

    def _end_motions(self) -> None:
        """End what single legs do; raise if the robot is walking."""
        if self.walking is not None and not self.walking.done:
            raise InvalidInput("the robot is walking already; stop that walk first")
        for leg in self:
            if leg.motion is not None:
                leg.motion.halt()

    def tell(self) -> None:
        """Note that the servos must be told of changed commands."""
        self._new = True

    def require_free(self, number: int) -> None:
        """Raise unless a leg may be moved on its own."""
        if self.walking is not None and not self.walking.done:
            raise InvalidInput("the robot is walking; stop the walk before moving a leg")
        if self.cups.holding[number - 1]:
            raise InvalidInput(HOLDS.format(number, number))

    # --- inside the tick

    def step(self, now: float) -> None:
        """Run the walk or the motions of single legs, and tell the servos."""
        if self.imu is not None:
            self.attitude.update(
                self.imu.turn_rate, self.imu.acceleration, self.tick, still=self._still()
            )
        moving = not self.at_rest()
        if self.walking is not None and not self.walking.done:
            self.walking.step(now)
        elif moving:
            for leg in self._legs:
                if leg.motion is not None and not leg.motion.done:
                    leg.motion.step(now)
        self._choose_integrals()
        if moving or self._new:
            wanted = self.commanded if self.residual is None else self.commanded + self.residual
            self.drives.command(position=wanted.ravel(), torque=self.fed)
            self._new = False

    def _still(self) -> bool:
        """Tell whether the body is surely at rest: on its feet, and no leg is told to move."""
        return self.at_rest() and bool(np.count_nonzero(self.cups.holding) >= 3)

    def _choose_integrals(self) -> None:
        """Give legs that hang free an integral; feet that hold have none, nor have walks."""
        walks = self.walking is not None and not self.walking.done
        holding = self.cups.holding
        now = holding.tobytes() if not walks else b"walks"
        if now == self._holding:
            return
        self._holding, self._new = now, True
        free = np.repeat(~holding, self.commanded.shape[1]) & (not walks)
        self.fed = np.where(free, 0.0, self.fed)
        self.fed = self.fed + self.drives.integrate(free, self.facts.integral)

    def stop(self) -> None:
        """End walk and motions; feet in the air land first, and all legs hold."""
        for leg in self._legs:
            if leg.motion is not None:
                leg.motion.halt()
        if self.walking is not None:
            self.walking.halt()

    def at_rest(self) -> bool:
        """Tell whether nothing is commanded to move."""
        moving = any(leg.motion is not None and not leg.motion.done for leg in self._legs)
        return not moving and (self.walking is None or self.walking.done)

    def memory(self) -> Any:
        """Return what they must know to go on from here."""
        kept = self.commanded.copy(), self.fed, self.uses_imu, self._holding
        return kept, self.attitude.memory()

    def recall(self, memory: Any) -> None:
        """Go on from there; motions and walks end. The servos' own state is the world's."""
        for leg in self._legs:
            if leg.motion is not None:
                leg.motion.halt()
        if self.walking is not None:
            self.walking.abandon()
        (commanded, self.fed, self.uses_imu, self._holding), attitude = memory
        self.commanded, self.residual, self._new = commanded.copy(), None, True
        self.attitude.recall(attitude)
