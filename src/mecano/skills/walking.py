"""A gait that is guarded: a foot lets go only if the others will hold, and lands until it holds.

What makes it work on walls and ceilings, in the order of importance (measured on a prototype and on
this robot, see docs/romerin.md):

1. A foot that takes hold is anchored where it really is (`LegOdometry`), not where it was planned.
2. Feet land slowly, and the clock of the gait waits for a foot that is late.
3. The body is kept parallel to the plane through its feet, at its height.
4. A leg sheds its load before it lets go, and takes it slowly after it took hold.

The body's wanted pose follows the way that was asked for; what the odometry (and, if there is one,
a heading from elsewhere) says of the real pose corrects it, so that the way is straight.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from mecano.core.arrays import Array
from mecano.core.poses import wrap_angle
from mecano.estimation.attitude import rotation_of
from mecano.estimation.leg_odometry import LegOdometry, fit_pose
from mecano.kinematics.leg_set import LegSet
from mecano.planning.gaits import Gait, moved, swing_point


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
    tries: int = 3
    """So often a foot looks for another place, if it does not hold."""
    aside: float = 0.02
    """How far from the last place [m]."""
    acceleration: float = 0.05
    """Of the body [m/s2]."""
    turn_acceleration: float = 0.5
    """[rad/s2]."""
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
    astray_for: float = 0.3
    """... if it lasts so long [s]."""


@dataclass(frozen=True, eq=False)
class Senses:
    """What the walker is told in a tick."""

    q: Array
    """Measured joint values [rad]. Shape (legs, 3)."""
    holding: Array
    """Which feet hold. Shape (legs,)."""
    distance: Callable[[int], float]
    """How far the surface is from a foot along its axis [m]; legs count from 0."""
    may_release: Callable[[int, Array], str]
    """Why a foot may not let go, given which ones hold; an empty text if it may."""
    yaw: float | None = None
    """Heading since the start from another source [rad]; None without one."""


@dataclass(eq=False)
class Orders:
    """What the walker wants in a tick."""

    q: Array
    """Joint values [rad]. Shape (legs, 3)."""
    on: list[int] = field(default_factory=list)
    """Feet to switch on; legs count from 0."""
    off: list[int] = field(default_factory=list)
    """Feet to switch off."""


class Walker:
    """One walk, from its first step to its last. `step` it once per tick."""

    def __init__(
        self, legs: LegSet, gait: Gait, footholds: Array, *, tick: float, q: Array,
        commanded: Array, holding: Array, footwork: Footwork | None = None,
        scatter: Callable[[], Array] | None = None,
    ) -> None:  # fmt: skip
        """Begin standing.

        Args:
            legs: The kinematics.
            gait: Who steps when.
            footholds: Where the tips stand in the middle of their stance, in the body's frame [m].
                Their height is the one the body is brought to. Shape (legs, 3).
            tick: Time between two steps [s].
            q: Measured joint values [rad]. Shape (legs, 3).
            commanded: Joint values commanded so far [rad].
            holding: Which feet hold.
            footwork: How feet swing and land.
            scatter: Gives the error of the next foothold, x and y [m]; None makes none.
        """
        self._scatter = scatter
        self.legs, self.gait, self.footholds, self.tick = legs, gait, footholds, tick
        self.footwork = footwork or Footwork()
        n = len(q)
        tips = legs.tips(q)
        self.odometry = LegOdometry(tips)
        self.clock = 0.0
        """Time of the gait; it stands still while a foot is late [s]."""
        self.speed = np.zeros(3)
        """Of the body now: forward, to the left [m/s], turning [rad/s]."""
        self.wanted = np.zeros(3)
        """The speed that is asked for."""
        self.reference = np.zeros(3)
        """Where the body should be by what was asked for: x, y [m], yaw [rad]."""
        self.waited = 0.0
        """How long the clock stood still in all [s]."""
        self.problem = ""
        """Why the walk ended early; empty if it did not."""
        self.phases = [Phase.STANCE if holds else Phase.LOST for holds in holding]
        self.steps = np.zeros(n, int)
        """How often each leg has stepped."""
        self._ending = False
        self._starts, self._begun = gait.starts(), np.zeros(n)
        self._age = np.zeros(n)
        self._points = tips.copy()
        """Where tips swing from, in the surface's frame."""
        self._goals = tips.copy()
        self._tries = np.zeros(n, int)
        self._signal = np.array(holding, bool)
        self._strayed, self._refused = 0.0, 0.0
        self._command, self._q = np.array(commanded, float), np.array(q, float)
        self._touched = np.full(n, np.inf)
        """How deep a foot had come down when it touched [m]."""
        told = legs.tips(self._command)
        self._rotation, self._position = fit_pose(told[holding], tips[holding])
        self._offsets = told - self._in_body(tips)
        self._fading = np.full(n, gait.load)
        self._seen = np.zeros(n, int)
        """How often the place of a foot that has just taken hold was measured; 0 if it is known."""
        self._plane = np.array([0.0, 0.0, 1.0]), tips[holding].mean(axis=0)

    # --- what it is told

    def go(self, twist: Array) -> None:
        """Walk with this speed from now on: forward, to the left [m/s], turning [rad/s]."""
        self.wanted = np.array(twist, float)

    def finish(self) -> None:
        """Come to rest: feet in the air land, no other lets go."""
        self.wanted = np.zeros(3)
        self._ending = True

    def freeze(self, why: str) -> None:
        """End the walk because something is wrong; the first reason stands."""
        self.problem = self.problem or why
        self.speed[:] = 0.0
        self.finish()

    @property
    def done(self) -> bool:
        """True when the walk has ended and all feet that can hold do."""
        settled = all(phase in (Phase.STANCE, Phase.LOST) for phase in self.phases)
        return self._ending and settled and not self.speed.any()

    # --- the tick

    def step(self, senses: Senses) -> Orders:
        """Do one tick."""
        self._q += (senses.q - self._q) * (self.tick / (self.footwork.smoothing + self.tick))
        tips = self.legs.tips(self._q)
        self._notice(senses, tips)
        self.odometry.update(tips, self._carrying(senses.holding))
        if senses.yaw is not None:
            off = wrap_angle(senses.yaw - self.odometry.yaw)
            self.odometry.turn_by(self.footwork.heading * self.tick * off)
        self._average_anchors(tips)
        orders = Orders(self._command)
        late = self._run_phases(senses, tips, orders)
        if late:
            self.waited += self.tick
        else:
            self._advance(senses.holding)
        self._correct(senses.holding)
        self._order_joints(tips, orders)
        self._watch_joints(senses.q)
        return orders

    def _carrying(self, holding: Array) -> Array:
        """Return which legs carry the body at places that are known."""
        carrying = holding & np.array([phase <= Phase.SHED for phase in self.phases])
        known = carrying & (self._seen == 0)
        return known if np.count_nonzero(known) >= 3 else carrying

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
                self._land(leg, self.odometry.anchors[leg])

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
        self._fading[leg] = self.gait.load
        self._age[leg] = 0.0

    def _run_phases(self, senses: Senses, tips: Array, orders: Orders) -> bool:
        """Let every leg go on with its step; return whether one of them is late."""
        self._age += self.tick
        late = False
        holding = senses.holding.copy()
        for leg in range(len(tips)):
            phase = self.phases[leg]
            if phase is Phase.STANCE:
                self._maybe_begin(leg)
            elif phase is Phase.SHED:
                late |= self._maybe_release(leg, senses, holding, tips, orders)
            elif phase is Phase.SWING:
                if self._age[leg] >= self.gait.swing:
                    self._land(leg, self._goals[leg])
            elif phase is Phase.LANDING:
                self._touch_down(leg, senses, orders)
            if phase in (Phase.SWING, Phase.LANDING):
                late |= self.clock >= self._begun[leg] + self.gait.slot
        return late

    def _maybe_begin(self, leg: int) -> None:
        due = self._starts[leg] + self.steps[leg] * self.gait.cycle
        if self.clock >= due and not self._ending and self.wanted.any():
            self.phases[leg], self._age[leg] = Phase.SHED, 0.0
            self._begun[leg] = self.clock
            self._tries[leg] = 0

    def _maybe_release(
        self, leg: int, senses: Senses, holding: Array, tips: Array, orders: Orders
    ) -> bool:
        """Let go, once the load is shed and if the others will hold; return whether it waits."""
        if self._ending:
            self._carry(leg)
            return False
        if self._age[leg] < self.gait.shed:
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
        self._points[leg] = self.odometry.place(tips[leg])
        self._goals[leg] = self._next_foothold(leg)
        self.phases[leg], self._age[leg] = Phase.SWING, 0.0
        return False

    def _next_foothold(self, leg: int) -> Array:
        """Return where a leg steps to: ahead by half of the way the body makes until its next."""
        gait = self.gait
        until = gait.swing + gait.landing
        ahead = moved(self.footholds, self.wanted, until + 0.5 * gait.stance)[leg]
        x, y = ahead[:2] if self._scatter is None else ahead[:2] + self._scatter()
        yaw = self.reference[2]
        c, s = np.cos(yaw), np.sin(yaw)
        here = self.odometry.position
        point = np.array([here[0] + c * x - s * y, here[1] + s * x + c * y, 0.0])
        return self._on_plane(point)

    def _on_plane(self, point: Array) -> Array:
        """Return a point moved along z into the plane of the feet."""
        normal, middle = self._plane
        lift = -(normal[:2] @ (point[:2] - middle[:2])) / normal[2]
        return np.array([point[0], point[1], middle[2] + lift])

    def _land(self, leg: int, goal: Array) -> None:
        self.phases[leg], self._age[leg] = Phase.LANDING, 0.0
        self._goals[leg], self._touched[leg] = goal, np.inf

    def _touch_down(self, leg: int, senses: Senses, orders: Orders) -> None:
        """Stop a foot when it touches, then switch it on; if it does not hold, try elsewhere."""
        work, age = self.footwork, self._age[leg]
        if age < 1.5 * self.tick:
            orders.off.append(leg)  # one that was torn off must be switched off first
        elif np.isinf(self._touched[leg]):
            if senses.distance(leg) <= work.touching or age > work.patience:
                self._touched[leg] = min(age * work.descent, work.clearance + work.deepest)
                self._age[leg] = 2.0 * self.tick
        elif age > work.settling and not self._signal[leg]:
            orders.on.append(leg)
            self._signal[leg] = True
        elif age > work.settling + 0.1:
            self._try_elsewhere(leg, orders)

    def _try_elsewhere(self, leg: int, orders: Orders) -> None:
        """Lift a foot that found nothing to hold on to, and put it down nearer to the body."""
        orders.off.append(leg)
        self._signal[leg] = False
        self._tries[leg] += 1
        if self._tries[leg] > self.footwork.tries:
            self.freeze(f"leg {leg + 1} found nothing to hold on to")
            self.phases[leg] = Phase.LOST
            return
        home = self.odometry.place(self.footholds[leg])
        way = home - self._goals[leg]
        far = float(np.linalg.norm(way[:2]))
        step = self.footwork.aside * (way / far if far > 1e-6 else np.array([-1.0, 0.0, 0.0]))
        self._points[leg] = self._goals[leg]
        self._goals[leg] = self._on_plane(self._goals[leg] + step)
        self.phases[leg], self._age[leg] = Phase.SWING, 0.0

    # --- the body

    def _advance(self, holding: Array) -> None:
        """Let the clock go on, and the body with it."""
        self.clock += self.tick
        work = self.footwork
        most = np.array([work.acceleration, work.acceleration, work.turn_acceleration]) * self.tick
        self.speed = self.speed + np.clip(self.wanted - self.speed, -most, most)
        vx, vy, wz = self.speed
        x, y, yaw = self.reference
        middle = yaw + 0.5 * wz * self.tick
        c, s = np.cos(middle), np.sin(middle)
        shift = self.tick * np.array([c * vx - s * vy, s * vx + c * vy])
        self.reference = np.array([x + shift[0], y + shift[1], yaw + wz * self.tick])
        self._position = self._position + np.array([shift[0], shift[1], 0.0])
        self._rotation = rotation_of(np.array([0.0, 0.0, wz * self.tick])) @ self._rotation

    def _correct(self, holding: Array) -> None:
        """Move the wanted pose so that the real one comes to the way, the height and the level."""
        carrying = self._carrying(holding)
        if np.count_nonzero(carrying) < 3:
            return
        normal, under = self.odometry.plane(carrying)
        middle = self.odometry.anchors[carrying].mean(axis=0)
        self._plane = normal, middle
        gain = self.footwork.correction * self.tick
        here, turned = self.odometry.position, self.odometry.rotation
        height = under - self.footholds[:, 2].mean()
        error = np.array([*self.reference[:2], height]) - here
        position = self._position + gain * error
        lead = position - here
        far = float(np.linalg.norm(lead))
        if far > self.footwork.furthest:
            position = here + lead * (self.footwork.furthest / far)
        self._position = position
        up = turned[:, 2]
        turn = wrap_angle(self.reference[2] - self.odometry.yaw)
        tilt = np.array(
            [up[1] * normal[2] - up[2] * normal[1], up[2] * normal[0] - up[0] * normal[2], turn]
        )
        self._rotation = rotation_of(gain * tilt) @ self._rotation

    def _in_body(self, points: Array) -> Array:
        """Return points of the surface's frame as the wanted pose sees them."""
        return (points - self._position) @ self._rotation

    # --- the joints

    def _order_joints(self, tips: Array, orders: Orders) -> None:
        self._fading = np.maximum(self._fading - self.tick, 0.0)
        fade = (self._fading / self.gait.load)[:, None]
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
            part = min(age / self.gait.shed, 1.0)
            return standing + part * (tip - standing)
        normal = self._plane[0]
        above = self._goals[leg] + work.clearance * normal
        if phase is Phase.SWING:
            part = min(age / self.gait.swing, 1.0)
            point = swing_point(self._points[leg], above, normal, work.lift, part)
        elif phase is Phase.LANDING:
            depth = min(work.descent * age, work.clearance + work.deepest)
            if np.isfinite(self._touched[leg]):
                depth = self._touched[leg]
            point = above - depth * normal
        else:
            point = self._goals[leg] + work.lift * normal
        return self.odometry.seen(point)

    def _watch_joints(self, q: Array) -> None:
        """End the walk if a joint does not follow."""
        off = np.abs(self._command - q)
        self._strayed = self._strayed + self.tick if off.max() > self.footwork.astray else 0.0
        if self._strayed > self.footwork.astray_for and not self.problem:
            leg, joint = np.unravel_index(int(off.argmax()), off.shape)
            self.freeze(
                f"joint {joint + 1} of leg {leg + 1} does not follow: "
                f"{np.degrees(off.max()):.0f} deg from its command"
            )
