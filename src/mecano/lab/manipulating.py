"""The host of the skills `pick` and `place`: one arm, its gripper and a camera of a robot.

It acts by what the camera sees and the motors feel. Of a simulation it knows no more than of a real
robot: it holds the parts alone, and motions are not looked at ahead for collisions, because that
look knows where everything truly is. A touch on the way still ends a motion, as it would by the
current of the motors.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.devices import CameraDevice
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose2
from mecano.lab.drawing import Drawing
from mecano.parts.arm import Arm
from mecano.parts.gripper import HOLDING_GAP, Gripper
from mecano.parts.motions import Motion
from mecano.parts.results import MotionResult, Outcome
from mecano.perception.tabletop import TableView, view_table
from mecano.robots.description import RobotDescription
from mecano.skills.manipulation.grasps import Grasp
from mecano.skills.manipulation.hand import GRAVITY, HandShape
from mecano.skills.manipulation.host import GripReading, MoveReport
from mecano.skills.manipulation.occupancy import occupied
from mecano.skills.manipulation.outcomes import PickResult, PlaceResult, Reason
from mecano.skills.manipulation.pick import pick
from mecano.skills.manipulation.place import can_place, place

NEAR_ENOUGH = 0.004
"""A motion whose joints did not settle is taken as done this near to its goal [m]."""
STILL = 0.25
"""Rest before a look and before torques are read [s]."""
SAMPLES = 20
"""Torques that are averaged."""
PRESSING = 0.15
"""Fingers that are kept apart and press with this share of their force hold something. Just before
they are closed as far as they go, their servo no longer gives all of it."""
FEELS = 8
"""Ticks in which the fingers feel whether they hold something."""
OWN = 0.065
"""Points this near to the arm's own bones are of the arm [m]."""
USABLE = 0.95
"""Share of a motor's torque that may be used to hold still."""


class Manipulator:
    """Picks and places with one arm; `robot.manipulation` makes it."""

    def __init__(
        self, arm: Arm, gripper: Gripper, camera: CameraDevice, description: RobotDescription,
        drawn: Drawing, footprint: Callable[[], Array] | None,
    ) -> None:  # fmt: skip
        """Join the parts.

        Args:
            arm: Moves the hand.
            gripper: Of that arm.
            camera: Sees the table; bolted to what carries the arm.
            description: Of the robot.
            drawn: Where the camera is.
            footprint: Outline of the robot on the floor in the frame of its base, for one that
                drives; None for a bolted one.
        """
        self.arm, self.gripper, self.camera = arm, gripper, camera
        self.chain, self.tower = arm.chain, description.tower
        self.held: PickResult | None = None
        """What is held, since the last pick that succeeded."""
        self.view: TableView | None = None
        """What was seen last."""
        self.listeners: list[Callable[[TableView | None], None]] = []
        """Told of every look."""
        facts = gripper.facts
        self.hand = HandShape(
            opening=facts.width(facts.open), closing=facts.width(facts.closed),
            max_force=facts.max_force, tip=facts.tip, pad=facts.pad, palm=facts.palm,
            half=facts.half,
        )  # fmt: skip
        self._facts, self._drawn, self._footprint = description, drawn, footprint
        self._table = description.table
        self.T_arm_base = Pose2.from_pose(drawn.T_arm_base)
        """The base on the floor, seen from the arm."""

    # --- what users call

    def pick(
        self, what: str = "", *, to: ArrayLike | None = None, line: float | None = None,
        tries: int = 3, view: TableView | None = None,
    ) -> PickResult:  # fmt: skip
        """Take an object from the table; the result says what is held, or why nothing is.

        Args:
            what: Its colour in a word ("red"); "" takes the largest object.
            to: Where it shall go later, so that a grasp is chosen that reaches there as well: x
                and y in the arm's base frame [m].
            line: Where its side along the fingers shall point there [rad]; None is away from the
                arm.
            tries: How often it looks again after a miss.
            view: What was just seen; None looks first.
        """
        if not isinstance(what, str):
            raise InvalidInput(f"pick takes the colour of an object as a text, got {what!r}")
        if not isinstance(tries, int) or isinstance(tries, bool) or not 1 <= tries <= 20:
            raise InvalidInput(f"tries is {tries!r}, allowed 1 to 20")
        goal = None if to is None else self._point(to)
        start = self.joints()
        accept = None if goal is None else lambda g: can_place(self, g, goal, line, start)
        view = self.look() if view is None else view
        refusal = None if goal is None else occupied(self, view, what, goal, line)
        result = refusal or pick(self, what, tries=tries, accept=accept, view=view)
        self.held = result if result.reached else None
        self.arm.session.raise_if_failed(result)
        return result

    def place(self, at: ArrayLike, *, line: float | None = None) -> PlaceResult:
        """Put down what the last pick holds, by contact, and look whether it stands there.

        Args:
            at: Point on the table for its middle: x and y in the arm's base frame [m].
            line: Where its side along the fingers shall point [rad]; None is away from the arm.
        """
        goal = self._point(at)
        if line is not None:
            line = finite_number(line, name="direction of a placed object [rad]")
        if self.held is None:
            result = PlaceResult(
                reason=Reason.NOTHING_HELD, text="nothing is held; pick something first"
            )
        else:
            result = place(self, self.held, goal, line)
            self.held = None
        self.arm.session.raise_if_failed(result)
        return result

    @staticmethod
    def _point(at: ArrayLike) -> Array:
        try:
            point = np.asarray(at, float)
        except (TypeError, ValueError, OverflowError):
            point = np.empty(0)
        if point.shape not in ((2,), (3,)) or not np.isfinite(point).all():
            raise InvalidInput(f"a place is x and y in the arm's base frame [m], got {at!r}")
        return point[:2]

    # --- what the skills need: see `mecano.skills.manipulation.host.Host`

    def look(self) -> TableView | None:
        """Bring the arm out of sight and look at the table; None if no table is seen."""
        posture = "look" if "look" in self.chain.postures else "home"
        self._end(self.arm.move_joints(posture, check=False, wait=False))
        self.arm.session.run_for(STILL)  # the newest picture is from after the arm came to rest
        shot = self.camera.read()
        view = view_table(
            shot.colour, shot.depth, shot.info, self._drawn.T_arm_camera, table=self._table,
            own=self._own,
        )  # fmt: skip
        self.view = view
        for listener in self.listeners:
            listener(view)
        return view

    def go(self, grasp: Grasp, rise: float = 0.0, *, line: bool, speed: float = 1.0) -> MoveReport:
        """Bring the hand so much above a hold [m]."""
        point = grasp.tool(self.chain, rise, self.hand.tip)
        begin = self.arm.move_line if line else self.arm.move_to
        how = {"pitch": grasp.pitch, "roll": grasp.roll, "speed": speed, "check": False}
        return self._report(self._end(begin(point, wait=False, **how)))

    def lower(self, grasp: Grasp, rise: float, *, force: float) -> MoveReport:
        """Go down in a line until something pushes back with a force [N]."""
        point = grasp.tool(self.chain, rise, self.hand.tip)
        result = self.arm.move_until_contact(point, force=force, pitch=grasp.pitch, roll=grasp.roll)
        return replace(self._report(result), touched=result.outcome is Outcome.CONTACT)

    def open(self) -> None:
        """Open the fingers."""
        self.gripper.open()

    def close(self, force: float) -> GripReading:
        """Close the fingers until something is in the way, and press with a force [N]."""
        self.gripper.close(force=force)
        return self.grip()

    def grip(self) -> GripReading:
        """Return what the gripper feels, over some ticks.

        What turns between the fingers until it lies along them is held, though they still move: so
        width and force tell, not speed.
        """
        hand, session = self.gripper, self.arm.session
        readings = []
        for _ in range(FEELS):
            session.run_for(self.arm.tick)
            readings.append((hand.width, hand.force))
        width, force = (float(v) for v in np.median(readings, axis=0))
        target, limit = hand.memory()
        apart = 0.5 * (width - hand.facts.width(target)) > HOLDING_GAP
        return GripReading(width=width, force=force, holding=apart and force > PRESSING * limit)

    def joints(self) -> Array:
        """Return the joint values by the encoders [rad]."""
        return self.arm.position.copy()

    def torques(self) -> Array:
        """Return the torques of the resting motors, averaged [N m]."""
        session = self.arm.session
        session.run_for(STILL)
        total = np.zeros(len(self.arm.commanded))
        for _ in range(SAMPLES):
            session.run_for(self.arm.tick)
            total += self.arm.effort
        return total / SAMPLES

    def overload(self, grasp: Grasp, rise: float, mass: float) -> str | None:
        """Return which motor could not hold a mass [kg] there, with the numbers."""
        point = grasp.tool(self.chain, rise, self.hand.tip)
        answer = self.chain.inverse(
            point, pitch=grasp.pitch, roll=grasp.roll, start=self.arm.commanded
        )
        if not answer.reached:
            return None
        q = answer.solutions[0]
        up = self.chain.dh.jacobian(q)[2]
        needed = np.abs(self.arm.dynamics.gravity_torque(q) + up * mass * GRAVITY)
        for name, torque in zip(self.chain.joint_names, needed.tolist(), strict=True):
            most = self._facts.servos[name].torque
            if torque > USABLE * most:
                return f"{name} would need {torque:.1f} N m to hold it, it has {most:.1f}"
        return None

    def carry(self, mass: float) -> None:
        """Tell the motors what the hand carries [kg]."""
        self.arm.payload = mass

    # --- helpers

    def _end(self, motion: Motion) -> MotionResult:
        """Let time pass until a motion has ended; a skill decides itself what a failure means."""
        self.arm.session.wait_until(lambda: motion.done, timeout=None)
        assert motion.result is not None
        return motion.result

    @staticmethod
    def _report(result: MotionResult) -> MoveReport:
        near = result.outcome is Outcome.TIMED_OUT and result.position_error < NEAR_ENOUGH
        return MoveReport(
            reached=result.reached or near, touched=result.outcome is Outcome.COLLIDED,
            short=result.position_error, text=result.message,
        )  # fmt: skip

    def _own(self, points: Array) -> np.ndarray:
        """Tell which points are of the robot itself, by its encoders and its drawing."""
        frames = self.chain.dh.joint_frames(self.joints())
        bones = [np.asarray(self.chain.dh.base)[:3, 3] * [1.0, 1.0, 0.0], *frames[:, :3, 3]]
        tip = frames[-1, :3, 3] + self.hand.tip * frames[-1, :3, 0]
        mine = np.zeros(points.shape[:-1], bool)
        for one, other in pairwise(bones):
            mine |= _near_segment(points, one, other, OWN)
        mine |= _near_segment(points, bones[-2], tip, OWN + 0.5 * self.hand.opening)
        if self._footprint is not None:
            mine |= _inside(self._footprint(), self._drawn, points)
        return mine


def _near_segment(points: Array, one: Array, other: Array, radius: float) -> np.ndarray:
    way = other - one
    size = float(way @ way)
    share = np.clip(((points - one) @ way) / max(size, 1e-12), 0.0, 1.0)
    with np.errstate(invalid="ignore"):
        return np.linalg.norm(points - one - share[..., None] * way, axis=-1) < radius


def _inside(outline: Array, drawn: Drawing, points: Array) -> np.ndarray:
    """Tell which points lie over a convex outline in the frame of the base."""
    T = drawn.T_arm_base.matrix()
    corners = outline @ T[:2, :2].T + T[:2, 3]
    inside = np.ones(points.shape[:-1], bool)
    for one, other in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge = other - one
        off = points[..., :2] - one
        with np.errstate(invalid="ignore"):
            inside &= edge[0] * off[..., 1] - edge[1] * off[..., 0] > 0.0
    return inside
