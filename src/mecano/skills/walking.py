"""A walk over one surface: a gait that is guarded, closed in a loop, and keeps level.

The clock of the gait waits for feet that are late. The wanted pose of the body follows the way that
was asked for, parallel to the plane through the feet and at its height; so the way is straight
where an open loop bends.
"""

from collections.abc import Callable

import numpy as np

from mecano.core.arrays import Array, Mask
from mecano.kinematics.leg_set import LegSet
from mecano.planning.gaits import Gait, moved
from mecano.skills.stepping import Footwork, Phase, Senses, Stepper, StepTimes

ACCELERATION, TURN_ACCELERATION = 0.05, 0.5
"""Of the body [m/s2], [rad/s2]."""
PLANE_EVERY = 8
"""The plane of the feet is looked for once in so many ticks."""
LEVELLING = 1.0
"""How fast the wanted pose comes to the plane of the feet [1/s]."""


class Walker(Stepper):
    """One walk, from its first step to its last."""

    def __init__(
        self, legs: LegSet, gait: Gait, footholds: Array, *, tick: float, q: Array,
        commanded: Array, holding: Mask, footwork: Footwork | None = None,
        scatter: Callable[[], Array] | None = None,
    ) -> None:  # fmt: skip
        """Begin standing, see `Stepper`.

        Args:
            legs: The kinematics.
            gait: Who steps when.
            footholds: Where the tips stand in the middle of their stance, in the body's frame [m].
                Their height is the one the body is brought to. Shape (legs, 3).
            tick: Time between two steps [s].
            q: Measured joint values [rad]. Shape (legs, joints).
            commanded: Joint values commanded so far [rad].
            holding: Which feet hold.
            footwork: How feet swing and land.
            scatter: Gives the error of the next foothold, x and y [m]; None makes none.
        """
        times = StepTimes(shed=gait.shed, swing=gait.swing, load=gait.load)
        super().__init__(
            legs, times, tick=tick, q=q, commanded=commanded, holding=holding, footwork=footwork
        )
        self.gait, self.footholds, self._scatter = gait, footholds, scatter
        self.clock = 0.0
        """Time of the gait; it stands still while a foot is late [s]."""
        self.waited = 0.0
        """How long the clock stood still in all [s]."""
        self.speed = np.zeros(3)
        """Of the body now: forward, to the left [m/s], turning [rad/s]."""
        self.asked = np.zeros(3)
        """The speed that is asked for."""
        self.reference = np.zeros(3)
        """Where the body should be by what was asked for: x, y [m], yaw [rad]."""
        self.gone = 0.0
        """How far the body should be along its way, bends included [m]."""
        self._due, self._begun = gait.starts(), np.zeros(len(q))
        self._wishes = self._goals.copy()
        """Where feet were to go at first, before they looked for another place [m]."""
        self._middle = self.odometry.anchors[holding].mean(axis=0)
        self._height, self._until_plane = -float(footholds[:, 2].mean()), 0

    @property
    def braking(self) -> float:
        """How far the body goes on until it has come to rest [m]."""
        return float(self.speed[:2] @ self.speed[:2]) / (2.0 * ACCELERATION)

    def go(self, twist: Array) -> None:
        """Walk with this speed from now on: forward, to the left [m/s], turning [rad/s]."""
        self.asked = np.array(twist, float)

    def finish(self) -> None:
        """Come to rest: feet in the air land, no other lets go."""
        super().finish()
        self.asked = np.zeros(3)

    def freeze(self, why: str) -> None:
        """End the walk because something is wrong."""
        super().freeze(why)
        self.speed = np.zeros(3)

    @property
    def done(self) -> bool:
        """True when the walk has ended and all feet that can hold do."""
        return super().done and not self.speed.any()

    # --- what a stepper asks for

    def plan(self, senses: Senses, late: bool) -> None:
        """Let the clock and the body go on, unless a foot is late; begin the steps that are due."""
        late |= any(
            self.clock >= self._begun[leg] + self.gait.slot
            for leg, phase in enumerate(self.phases)
            if phase in (Phase.SWING, Phase.LANDING)
        )
        if late:
            self.waited += self.tick
        else:
            self._advance()
        self._level(self.carrying(senses.holding))
        if self.asked.any() and not self.ending:
            for leg, phase in enumerate(self.phases):
                due = self._due[leg] + self.steps[leg] * self.gait.cycle
                if phase is Phase.STANCE and self.clock >= due:
                    self.begin(leg)
                    self._begun[leg] = self.clock

    def foothold(self, leg: int) -> tuple[Array, Array]:
        """Step ahead by half of the way that the body makes until the leg's next step."""
        until = self.gait.swing + self.gait.landing
        ahead = moved(self.footholds, self.asked, until + 0.5 * self.gait.stance)[leg, :2]
        x, y = ahead if self._scatter is None else ahead + self._scatter()
        c, s = np.cos(self.reference[2]), np.sin(self.reference[2])
        here = self.odometry.position
        point = np.array([here[0] + c * x - s * y, here[1] + s * x + c * y, 0.0])
        self._wishes[leg] = self._on_plane(point)
        return self._wishes[leg].copy(), self._ups[leg].copy()

    def another(self, leg: int) -> Array:
        """Step on towards the middle of the leg's own range, and past it."""
        way = self.odometry.place(self.footholds[leg]) - self._wishes[leg]
        far = float(np.linalg.norm(way[:2]))
        aside = way / far if far > 1e-6 else np.array([-1.0, 0.0, 0.0])
        return self._on_plane(self._wishes[leg] + self._tries[leg] * self.footwork.aside * aside)

    # --- the body

    def _advance(self) -> None:
        """Let the clock go on, and the body with it."""
        self.clock += self.tick
        most = np.array([ACCELERATION, ACCELERATION, TURN_ACCELERATION]) * self.tick
        self.speed = self.speed + np.clip(self.asked - self.speed, -most, most)
        vx, vy, wz = self.speed
        middle = self.reference[2] + 0.5 * wz * self.tick
        c, s = np.cos(middle), np.sin(middle)
        shift = self.tick * np.array([c * vx - s * vy, s * vx + c * vy, wz])
        self.reference = self.reference + shift
        self.gone += self.tick * float(np.hypot(vx, vy))
        self.shift(np.array([shift[0], shift[1], 0.0]), np.array([0.0, 0.0, shift[2]]))

    def _level(self, carrying: Mask) -> None:
        """Bring the wanted pose to the plane through the feet, at the height of the footholds."""
        self._until_plane -= 1
        if self._until_plane <= 0 and np.count_nonzero(carrying) >= 3:
            self._ups[:], self._middle = self.odometry.plane(carrying)
            self._until_plane = PLANE_EVERY
        normal, part = self._ups[0], LEVELLING * self.tick
        x, y, yaw = self.reference
        height = self._on_plane(self.odometry.position)[2] + self._height
        rise = part * (height - self.wanted_position[2])
        self.wanted_position = np.array([x, y, self.wanted_position[2] + rise])
        up = self.wanted_rotation[:, 2]
        up = up + part * (normal - up)
        ahead = np.array([np.cos(yaw), np.sin(yaw), 0.0])
        self.wanted_rotation = _upright(up, ahead)

    def _on_plane(self, point: Array) -> Array:
        """Return a point moved along z into the plane of the feet."""
        normal, middle = self._ups[0], self._middle
        drop = (normal[:2] @ (point[:2] - middle[:2])) / normal[2]
        return np.array([point[0], point[1], middle[2] - drop])


def _upright(up: Array, ahead: Array) -> Array:
    """Return the rotation with this z axis, whose x axis points ahead. Shape (3, 3)."""
    z = up / np.sqrt(up @ up)
    x = ahead - (ahead @ z) * z
    x = x / np.sqrt(x @ x)
    y = np.array([z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]])
    return np.column_stack([x, y, z])
