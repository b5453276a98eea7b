"""Feet that step one after the other: shed, let go, swing, land, take hold, take the load.

What makes it work on walls and ceilings, in the order of importance (measured on a prototype and on
this robot, see docs/romerin.md):

1. A foot that takes hold is anchored where it really is (`LegOdometry`), not where it was planned.
2. Feet land slowly and are at rest when they are switched on.
3. A leg sheds its load before it lets go, and takes it slowly after it took hold.
4. The wanted pose of the body is corrected by what the odometry says of the real one.

A `Stepper` knows how. Who steps when and where to, and where the body shall be, is the business of
its children.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.core.poses import wrap_angle
from mecano.estimation.attitude import rotation_of
from mecano.estimation.leg_odometry import LegOdometry, fit_pose
from mecano.kinematics.leg_set import LegSet
from mecano.planning.gaits import swing_point


class Phase(IntEnum):
    """What a leg is doing."""

    STANCE = 0
    SHED = 1
    SWING = 2
    LANDING = 3
    LOST = 4
    """Its foot does not hold and nothing can be done about it."""


@dataclass(frozen=True, kw_only=True)
class Footwork:
    """How feet swing and land, and how the body is corrected."""

    lift: float = 0.025
    """Height of a swing [m]."""
    clearance: float = 0.010
    """A foot comes down slowly from here on [m]."""
    descent: float = 0.05
    """How fast [m/s]."""
    touching: float = 0.003
    """A foot stops to come down when the surface is this near [m] ..."""
    patience: float = 0.4
    """... or when it has been coming down for so long [s] ..."""
    settling: float = 0.06
    """... and is switched on after so long at rest [s]: a moving leg that is held jerks."""
    smoothing: float = 0.02
    """Readings of the joints are smoothed over this time [s]."""
    deepest: float = 0.012
    """A foot that is this far below the plane of the others finds no surface [m]."""
    void: float = 0.015
    """A foot that should touch has nothing under it if the surface is further than this [m]."""
    holding_on: float = 0.1
    """A foot that does not hold so long after it was switched on tries elsewhere [s]."""
    tries: int = 3
    """So often a foot looks for another place, if it does not hold."""
    aside: float = 0.02
    """How far from the last place [m]."""
    correction: float = 0.6
    """How fast errors of the body's pose are taken out [1/s]."""
    heading: float = 0.5
    """How fast a measured heading is believed [1/s]."""
    furthest: float = 0.015
    """The wanted pose leads the real one by this at most [m]."""
    waiting: float = 4.0
    """So long a leg waits for leave to let go before the walk ends [s]."""
    astray: float = 0.2
    """A joint this far from its command does not follow [rad] ..."""
    off: float = 0.035
    """One this far from its command [rad] ..."""
    powerless: float = 0.02
    """... that gives less torque than this is broken [N m]; ..."""
    astray_for: float = 0.3
    """... if it lasts so long [s]."""


@dataclass(frozen=True, eq=False)
class Senses:
    """What the walker is told in a tick."""

    q: Array
    """Measured joint values [rad]. Shape (legs, joints)."""
    effort: Array
    """Torques of the servos [N m]. Shape (legs, joints)."""
    holding: Mask
    """Which feet hold. Shape (legs,)."""
    distance: Callable[[int], float]
    """How far the surface is from a foot along its axis [m]; legs count from 0."""
    may_release: Callable[[int, Mask], str]
    """Why a foot may not let go, given which ones hold; an empty text if it may."""
    yaw: float | None = None
    """Heading since the start from another source [rad]; None without one."""


@dataclass(eq=False)
class Orders:
    """What the walker wants in a tick."""

    q: Array
    """Joint values [rad]. Shape (legs, joints)."""
    on: list[int] = field(default_factory=list)
    """Feet to switch on; legs count from 0."""
    off: list[int] = field(default_factory=list)
    """Feet to switch off."""


@dataclass(frozen=True, kw_only=True)
class StepTimes:
    """How long the parts of a step take."""

    shed: float
    """A leg sheds its load in this time before it lets go [s]."""
    swing: float
    """It is in the air for this time before it comes down slowly [s]."""
    load: float
    """It takes its load in this time after it took hold [s]."""


class Stepper(ABC):
    """Legs that hold, step and carry a body. `step` it once per tick."""

    def __init__(
        self, legs: LegSet, times: StepTimes, *, tick: float, q: Array, commanded: Array,
        holding: Mask, footwork: Footwork | None = None,
    ) -> None:  # fmt: skip
        """Begin standing.

        Args:
            legs: The kinematics.
            times: Of a step.
            tick: Time between two calls of `step` [s].
            q: Measured joint values [rad]. Shape (legs, joints).
            commanded: Joint values commanded so far [rad].
            holding: Which feet hold.
            footwork: How feet swing and land.
        """
        self.legs, self.times, self.tick = legs, times, tick
        self.footwork = footwork or Footwork()
        n, tips = len(q), legs.tips(q)
        self.odometry = LegOdometry(tips)
        self.problem = ""
        """Why it ended early; empty if it did not."""
        self.phases = [Phase.STANCE if holds else Phase.LOST for holds in holding]
        self.steps = np.zeros(n, int)
        """How often each leg has stepped."""
        self.ending = False
        self.wanted_rotation, self.wanted_position = np.eye(3), np.zeros(3)
        """Where the body should be, in the frame of the odometry."""
        self._age, self._tries = np.zeros(n), np.zeros(n, int)
        self._starts, self._goals = tips.copy(), tips.copy()
        self._lifts, self._ups = (np.tile([0.0, 0.0, 1.0], (n, 1)) for _ in range(2))
        """Normals of the surfaces that feet leave and come to."""
        self._signal, self._touched = np.array(holding, bool), np.full(n, np.inf)
        self._seen = np.zeros(n, int)
        """How often the place of a foot that has just taken hold was measured; 0 if it is known."""
        self._strayed, self._refused = np.zeros(np.shape(q)), 0.0
        self._command, self._q = np.array(commanded, float), np.array(q, float)
        told = legs.tips(self._command)
        self._rotation, self._position = fit_pose(told[holding], tips[holding])
        """The pose that is commanded: the wanted one, and what makes the real one come to it."""
        self._offsets, self._fading = told - self._in_body(tips), np.full(n, times.load)

    # --- for its children

    @abstractmethod
    def plan(self, senses: Senses, late: bool) -> None:
        """Begin steps (`begin`), and move the wanted pose (`shift`), for this tick.

        Args:
            senses: What is known.
            late: Whether a foot still waits for leave to let go.
        """

    @abstractmethod
    def foothold(self, leg: int) -> tuple[Array, Array]:
        """Return where a leg that lets go now shall step to, and the normal there."""

    @abstractmethod
    def another(self, leg: int) -> Array:
        """Return another place to try for a foot that found nothing to hold on to."""

    def swing(self, leg: int, above: Array, part: float) -> Array:
        """Return where a swinging tip is, on its way from `_starts` to a point above its goal."""
        lift, drop = self.footwork.lift * self._lifts[leg], self.footwork.lift * self._ups[leg]
        return swing_point(self._starts[leg], above, lift, drop, part)

    def begin(self, leg: int) -> None:
        """Let a leg that stands begin its step."""
        self.phases[leg], self._age[leg], self._tries[leg] = Phase.SHED, 0.0, 0

    def shift(self, position: Array, turn: Array) -> None:
        """Move the wanted pose, and the commanded one with it.

        Args:
            position: By how much [m].
            turn: About which vector, by its length [rad].
        """
        self.wanted_position = self.wanted_position + position
        self._position = self._position + position
        if turn.any():
            R = rotation_of(turn)
            self.wanted_rotation, self._rotation = R @ self.wanted_rotation, R @ self._rotation

    def stepping(self) -> bool:
        """Tell whether a leg is on its way."""
        return any(phase in (Phase.SHED, Phase.SWING, Phase.LANDING) for phase in self.phases)

    def finish(self) -> None:
        """Come to rest: feet in the air land, no other lets go."""
        self.ending = True

    def freeze(self, why: str) -> None:
        """End because something is wrong; the first reason stands."""
        self.problem = self.problem or why
        self.finish()

    @property
    def done(self) -> bool:
        """True when it has ended and all feet that can hold do."""
        return self.ending and not self.stepping()

    # --- the tick

    def step(self, senses: Senses) -> Orders:
        """Do one tick."""
        self._q += (senses.q - self._q) * (self.tick / (self.footwork.smoothing + self.tick))
        tips = self.legs.tips(self._q)
        self._notice(senses, tips)
        self.odometry.update(tips, self.carrying(senses.holding))
        if senses.yaw is not None:
            self._believe(senses.yaw)
        self._average_anchors(tips)
        orders = Orders(self._command)
        late = self._run_phases(senses, tips, orders)
        self.plan(senses, late)
        self._correct()
        self._order_joints(tips, orders)
        self._watch_joints(senses)
        return orders

    def carrying(self, holding: Mask) -> Mask:
        """Return which legs carry the body at places that are known."""
        carrying = holding & np.array([phase <= Phase.SHED for phase in self.phases])
        known = carrying & (self._seen == 0)
        return known if np.count_nonzero(known) >= 3 else carrying

    def _believe(self, yaw: float) -> None:
        """Turn the odometry towards a heading that was measured otherwise."""
        off = wrap_angle(yaw - self.odometry.yaw)
        self.odometry.turn_by(self.footwork.heading * self.tick * off)

    def _notice(self, senses: Senses, tips: Array) -> None:
        """See which feet have taken hold and which have lost it."""
        for leg, holds in enumerate(senses.holding.tolist()):
            if holds and self.phases[leg] >= Phase.LANDING:
                self.odometry.anchor(leg, tips[leg])
                self._carry(leg)
                self._seen[leg] = 1
                self.steps[leg] += 1
            elif not holds and self.phases[leg] <= Phase.SHED:
                self.freeze(f"the foot of leg {leg + 1} was torn off")
                self._signal[leg] = False
                self._land(leg)

    def _average_anchors(self, tips: Array) -> None:
        """Measure where new feet are for as long as they take their load, and take the mean."""
        for leg in np.flatnonzero(self._seen):
            if self.phases[leg] is not Phase.STANCE or self._fading[leg] <= 0.0:
                self._seen[leg] = 0
                continue
            self._seen[leg] += 1
            place = self.odometry.place(tips[leg])
            self.odometry.anchors[leg] += (place - self.odometry.anchors[leg]) / self._seen[leg]

    def _carry(self, leg: int) -> None:
        """Let a leg carry the body, from its present command on."""
        self.phases[leg] = Phase.STANCE
        told = self.legs.tips(self._command)[leg]
        self._offsets[leg] = told - self._in_body(self.odometry.anchors[leg])
        self._fading[leg] = self.times.load
        self._age[leg] = 0.0

    def _run_phases(self, senses: Senses, tips: Array, orders: Orders) -> bool:
        """Let every leg go on with its step; return whether one waits for leave to let go."""
        self._age += self.tick
        waits = False
        holding = senses.holding.copy()
        for leg, phase in enumerate(self.phases):
            if phase is Phase.SHED:
                waits |= self._maybe_release(leg, senses, holding, tips, orders)
            elif phase is Phase.SWING and self._age[leg] >= self.times.swing:
                self._land(leg)
            elif phase is Phase.LANDING:
                self._touch_down(leg, senses, orders)
        return waits

    def _maybe_release(
        self, leg: int, senses: Senses, holding: Mask, tips: Array, orders: Orders
    ) -> bool:
        """Let go, once the load is shed and if the others will hold; return whether it waits."""
        if self.ending:
            self._carry(leg)
            return False
        if self._age[leg] < self.times.shed:
            return False
        why = senses.may_release(leg, holding)
        if why:
            self._refused += self.tick
            if self._refused > self.footwork.waiting:
                self.freeze(f"leg {leg + 1} may not let go: {why}")
            return True
        self._refused = 0.0
        holding[leg] = False
        orders.off.append(leg)
        self._signal[leg] = False
        self._lifts[leg] = self._ups[leg]
        self._goals[leg], self._ups[leg] = self.foothold(leg)
        self._swing_from(leg, self.odometry.place(tips[leg]))
        return False

    def _swing_from(self, leg: int, start: Array) -> None:
        self._starts[leg] = start
        self.phases[leg], self._age[leg] = Phase.SWING, 0.0

    def _land(self, leg: int) -> None:
        self.phases[leg], self._age[leg] = Phase.LANDING, 0.0
        self._touched[leg] = np.inf

    def _touch_down(self, leg: int, senses: Senses, orders: Orders) -> None:
        """Stop a foot when it touches, then switch it on; if it does not hold, try elsewhere."""
        work, age = self.footwork, self._age[leg]
        if age < 1.5 * self.tick:
            orders.off.append(leg)  # one that was torn off must be switched off first
        elif np.isinf(self._touched[leg]):
            distance = senses.distance(leg)
            if distance > work.void and age * work.descent > work.clearance:
                self._try_elsewhere(leg, orders)  # down already, and nothing is there
            elif distance <= work.touching or age > work.patience:
                self._touched[leg] = min(age * work.descent, work.clearance + work.deepest)
                self._age[leg] = 2.0 * self.tick
        elif age > work.settling and not self._signal[leg]:
            orders.on.append(leg)
            self._signal[leg] = True
        elif age > work.settling + work.holding_on:
            self._try_elsewhere(leg, orders)

    def _try_elsewhere(self, leg: int, orders: Orders) -> None:
        """Lift a foot that found nothing to hold on to, and put it down somewhere else."""
        orders.off.append(leg)
        self._signal[leg] = False
        self._tries[leg] += 1
        if self._tries[leg] > self.footwork.tries:
            self.freeze(f"leg {leg + 1} found nothing to hold on to")
            self.phases[leg] = Phase.LOST
            return
        self._lifts[leg] = self._ups[leg]
        start = self._goals[leg].copy()
        self._goals[leg] = self.another(leg)
        self._swing_from(leg, start)

    # --- the body

    def _correct(self) -> None:
        """Move the commanded pose so that the real one comes to the wanted one."""
        gain = self.footwork.correction * self.tick
        here, turned = self.odometry.position, self.odometry.rotation
        position = self._position + gain * (self.wanted_position - here)
        lead = position - here
        far = float(np.sqrt(lead @ lead))
        if far > self.footwork.furthest:
            position = here + lead * (self.footwork.furthest / far)
        self._position = position
        E = self.wanted_rotation @ turned.T  # small: its antisymmetric part is the turn
        turn = 0.5 * np.array([E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]])
        self._rotation = rotation_of(gain * turn) @ self._rotation

    def _in_body(self, points: Array) -> Array:
        """Return points of the odometry's frame as the commanded pose sees them."""
        return (points - self._position) @ self._rotation

    # --- the joints

    def _order_joints(self, tips: Array, orders: Orders) -> None:
        self._fading = np.maximum(self._fading - self.tick, 0.0)
        fade = (self._fading / self.times.load)[:, None]
        points = self._in_body(self.odometry.anchors) + fade * self._offsets
        for leg, phase in enumerate(self.phases):
            if phase is not Phase.STANCE:
                points[leg] = self._free_point(leg, points[leg], tips[leg])
        q = self.legs.inverse(points)
        self._command = np.where(np.isfinite(q), q, self._command)
        orders.q = self._command

    def _free_point(self, leg: int, standing: Array, tip: Array) -> Array:
        """Return where the tip of a leg that does not carry shall be, in the body's frame."""
        phase, age, work = self.phases[leg], self._age[leg], self.footwork
        if phase is Phase.SHED:
            part = min(age / self.times.shed, 1.0)
            return standing + part * (tip - standing)
        up, goal = self._ups[leg], self._goals[leg]
        above = goal + work.clearance * up
        if phase is Phase.SWING:
            point = self.swing(leg, above, min(age / self.times.swing, 1.0))
        elif phase is Phase.LANDING:
            depth = min(work.descent * age, work.clearance + work.deepest)
            if np.isfinite(self._touched[leg]):
                depth = self._touched[leg]
            point = above - depth * up
        else:
            point = goal + work.lift * up
        return self.odometry.seen(point)

    def _watch_joints(self, senses: Senses) -> None:
        """End if a joint does not follow, or gives no torque although it should."""
        work = self.footwork
        off = np.abs(self._command - senses.q)
        dead = (off > work.off) & (np.abs(senses.effort) < work.powerless)
        wrong = (off > work.astray) | dead
        self._strayed = np.where(wrong, self._strayed + self.tick, 0.0)
        if self._strayed.max() > work.astray_for and not self.problem:
            leg, joint = np.unravel_index(int(self._strayed.argmax()), off.shape)
            what = "gives no torque" if dead[leg, joint] else "does not follow"
            self.freeze(
                f"joint {joint + 1} of leg {leg + 1} {what}: "
                f"{np.degrees(off[leg, joint]):.0f} deg from its command"
            )
