"""Several hands on one thing: they keep their places on it, press it, and move it together.

A hold has a frame, as if the thing were its body. Every tick the frame's pose gives the poses of
the tools, and the inverse kinematics the joints. The frame rides on the robot, or stays where it is
in the world while the base moves. The hands press by what their motors tell (`Arm.force`): they
come nearer to each other until the force is there, and go on keeping it.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Literal, cast, overload

import numpy as np

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.poses import Pose, Pose2, wrap_angle
from mecano.kinematics.ik import IKReason, IKResult
from mecano.parts.arm import Arm
from mecano.parts.hold_tasks import HoldResult, HoldTask, Opening, Squeeze, Way
from mecano.parts.motions import Motion
from mecano.parts.results import Outcome
from mecano.world.robot_model import Touch

if TYPE_CHECKING:
    from mecano.parts.base import Base
    from mecano.parts.drives import Following

NEARING = 0.03
"""How fast hands come nearer to each other that do not press yet [m/s]."""
YIELD = 4e-4
"""How fast they come nearer per missing force [m/s per N]: an arm's hand gives way by some
0.2 mm/N, so this closes the gap with 2 1/s."""
TOUCH = 0.1
"""Hands that press with less than this part of the force have not met anything yet."""
SMOOTHED = 0.05
"""Time constant of the measured force [s]: the motors' torques shake while the arm moves."""
JUMP = 0.2
"""A change of a joint in one tick that means another branch [rad]."""
HARDLY = 2e-3
"""An orientation that is off by less than this is not what is wrong [rad]."""
SLOWEST = 0.01
"""A way that joints can only do at less than this part of its speed ends."""
CLOSE, STILL = 0.02, 0.02
"""Joints are at rest this near to their commands [rad], slower than this [rad/s]: hands that press
stay behind by their force."""


class Held(Motion):
    """In the place of an arm's own motion while a hold has it: the hold commands it."""

    def step(self, now: float) -> None:
        """Leave it to the hold."""


class Hold:
    """Several arms that keep their tools' places in one frame. Poses are in the base frame."""

    def __init__(self, arms: Mapping[str, Arm], frame: Pose, base: "Base | None") -> None:
        """Take the arms as they are commanded; `frame` is where the thing is [base frame]."""
        if not arms:
            raise InvalidInput("a hold needs at least one arm")
        self.arms, self.frame, self._base = dict(arms), frame, base
        first = next(iter(self.arms.values()))
        self.session, self.tick = first.session, first.tick
        self.places = {
            name: frame.inverse() @ Pose.from_matrix(arm.chain.forward(arm.commanded))
            for name, arm in self.arms.items()
        }
        """Poses of the tools in the frame."""
        middle = np.mean([place.position for place in self.places.values()], axis=0)
        self._inward = {n: _unit(middle - place.position) for n, place in self.places.items()}
        self.wanted, self.pressing, self.nearer = 0.0, 0.0, 0.0
        """What each hand shall press with and does by its motors [N]; how much nearer to the
        middle each one is for it [m]."""
        self.lag, self.ease = 0.0, 1.0
        """Of the worst joint behind its command [rad]; part of the speed that joints can do."""
        self.task: HoldTask | None = None
        self.cause = ""
        """Why it has ended, if not by `end`."""
        self._in_world = False
        self._motions = {name: Held(arm) for name, arm in self.arms.items()}
        self._touching: dict[str, Touch | None] = {}
        for name, motion in self._motions.items():
            self.arms[name].take_up(motion)
            motion.begin(self.time)
            self._touching[name] = self.arms[name].touched()

    @property
    def time(self) -> float:
        """Of the session [s]."""
        return self.session.time

    @property
    def done(self) -> bool:
        """Whether the hold has ended: the arms hold where they are, or do something else."""
        return any(motion.done for motion in self._motions.values())

    # --- what a user asks for

    @overload
    def move_to(
        self,
        position: Array | None = None,
        *,
        quaternion: Array | None = None,
        speed: float = 1.0,
        wait: Literal[True] = True,
    ) -> HoldResult: ...
    @overload
    def move_to(
        self,
        position: Array | None = None,
        *,
        quaternion: Array | None = None,
        speed: float = 1.0,
        wait: Literal[False],
    ) -> HoldTask: ...
    def move_to(
        self, position: Array | None = None, *, quaternion: Array | None = None,
        speed: float = 1.0, wait: bool = True,
    ) -> HoldResult | HoldTask:  # fmt: skip
        """Move the thing straight to a pose; the tools keep their places on it.

        Args:
            position: Of the frame [m]; None keeps it. In the world, if the hold stays there.
            quaternion: Its orientation w x y z; None keeps it.
            speed: Fraction of the tools' own speed, above 0 and up to 1.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        here = self.frame
        goal = Pose(
            here.position if position is None else position,
            here.quaternion if quaternion is None else quaternion,
        )
        part = finite_number(speed, name="speed", lower=1e-3, upper=1.0)
        return self._begin(Way(self, goal, part), wait)

    @overload
    def move_by(
        self,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        *,
        speed: float = 1.0,
        wait: Literal[True] = True,
    ) -> HoldResult: ...
    @overload
    def move_by(
        self,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        *,
        speed: float = 1.0,
        wait: Literal[False],
    ) -> HoldTask: ...
    def move_by(
        self, x: float = 0.0, y: float = 0.0, z: float = 0.0, *, speed: float = 1.0,
        wait: bool = True,
    ) -> HoldResult | HoldTask:  # fmt: skip
        """Move the thing straight by some way [m], as `move_to`."""
        way = [finite_number(value, name="way [m]") for value in (x, y, z)]
        return self.move_to(self.frame.position + np.array(way), speed=speed, wait=wait)

    @overload
    def squeeze(self, force: float, *, wait: Literal[True] = True) -> HoldResult: ...
    @overload
    def squeeze(self, force: float, *, wait: Literal[False]) -> HoldTask: ...
    def squeeze(self, force: float, *, wait: bool = True) -> HoldResult | HoldTask:
        """Press the hands together with this force each [N], and go on pressing."""
        if len(self.arms) < 2:
            raise InvalidInput("one hand cannot squeeze; hold with two arms")
        self.press(force)
        return self._begin(Squeeze(self), wait)

    def press(self, force: float) -> None:
        """Change what the hands press with from now on [N]; 0 stops pressing where they are."""
        self.wanted = finite_number(force, name="force [N]", lower=0.0, upper=150.0)

    @overload
    def open(self, apart: float, *, wait: Literal[True] = True) -> HoldResult: ...
    @overload
    def open(self, apart: float, *, wait: Literal[False]) -> HoldTask: ...
    def open(self, apart: float, *, wait: bool = True) -> HoldResult | HoldTask:
        """Stop pressing, and bring each hand away from the others by some way [m]."""
        way = finite_number(apart, name="way of each hand [m]", lower=0.0, upper=0.5)
        self.press(0.0)
        return self._begin(Opening(self, way), wait)

    def stay_in_world(self, stays: bool = True) -> None:
        """Keep the thing where it is in the world while the base moves, or let it ride again.

        The world is that of the odometry. `frame` and goals then are in it.
        """
        if self._base is None:
            raise InvalidInput("the robot has no base, so world and robot do not move apart")
        if not isinstance(stays, bool):
            raise InvalidInput(f"stays is {stays!r}, allowed: True, False")
        self._require_going()
        with self.session.commanding():
            if stays != self._in_world:
                T_world_base = self._base.pose.to_pose()
                turned = T_world_base if stays else T_world_base.inverse()
                self.frame, self._in_world = turned @ self.frame, stays

    def lead_base(self) -> "Following":
        """Let the base come along from now on, wherever the thing is moved to in the world.

        The thing stays in the world, see `stay_in_world`, and `move_to` may send it as far as the
        base can drive. The base keeps its place below it as well as it can; where it lags, the arms
        make up for it. Stop the handle to let the base stand.
        """
        self.stay_in_world()
        assert self._base is not None
        with self.session.commanding():
            place = Pose2.from_pose(self._base.pose.to_pose().inverse() @ self.frame)
            below = place.inverse()
            before = [Pose2.from_pose(self.frame) @ below]

            def target(passed: float) -> tuple[Pose2, tuple[float, float, float]]:
                wanted, last = Pose2.from_pose(self.frame) @ below, before[0]
                before[0] = wanted
                turn = float(wrap_angle(wanted.yaw - last.yaw))
                moved = (wanted.x - last.x, wanted.y - last.y, turn)
                return wanted, tuple(each / self.tick for each in moved)  # type: ignore[return-value]

            following = self._base.follow_target(target)
        return cast("Following", following)

    def stop(self) -> None:
        """End what is under way; the hands keep their places and go on pressing."""
        if self.task is not None and not self.task.done:
            self.task.end(Outcome.STOPPED)

    def end(self, cause: str = "it was ended") -> None:
        """Let the arms go: they hold where they are, and nothing presses any more."""
        with self.session.lock:
            self._give_up(Outcome.STOPPED, cause)

    def _require_going(self) -> None:
        if self.done:
            why = self.cause or "its arms do something else"
            raise InvalidInput(f"this hold has ended ({why}); begin another one")

    def _begin(self, task: HoldTask, wait: bool) -> HoldResult | HoldTask:
        with self.session.commanding():
            self._require_going()
            if self.task is not None and not self.task.done:
                self.task.end(Outcome.REPLACED)
            self.task = task
        return task.wait() if wait else task

    # --- in the tick

    def step(self, now: float) -> None:
        """Command all arms for this tick."""
        if self.done:
            self._give_up(Outcome.REPLACED, "an arm was told something else")
            return
        if self._hit():
            return
        self._measure()
        if self.task is not None and not self.task.done:
            self.task.step(now)
        self._command()

    def _hit(self) -> bool:
        """End it if an arm touches what it did not touch before."""
        for name, arm in self.arms.items():
            touch = arm.touched()
            if touch is not None and touch.is_new(self._touching[name]):
                for each in self.arms.values():
                    each.freeze()
                self._give_up(Outcome.COLLIDED, f"{touch.pair[0]} touched {touch.pair[1]}")
                return True
        return False

    def _measure(self) -> None:
        """Take in force and lag, and bring the hands nearer if they press too little."""
        arms = self.arms.values()
        self.lag = max(float(np.abs(arm.position - arm.commanded).max()) for arm in arms)
        if self.task is not None and not self.task.done:
            self.task.off_place = max(self.task.off_place, self._off_place())
        if len(self.arms) < 2 or not (self.wanted or self.pressing):
            return
        turn = self.frame_on_robot().rotation_matrix()
        forces = [
            float(arm.force()[:3] @ (turn @ self._inward[name])) for name, arm in self.arms.items()
        ]
        share = min(1.0, self.tick / SMOOTHED)
        self.pressing += share * (float(np.mean(forces)) - self.pressing)
        if self.wanted:
            speed = max(-NEARING, min(NEARING, YIELD * (self.wanted - self.pressing)))
            if self.pressing < TOUCH * self.wanted:
                speed = NEARING
            self.nearer += speed * self.tick

    def frame_on_robot(self) -> Pose:
        """Return the frame in the base frame, as it will be at the end of this tick."""
        if not self._in_world:
            return self.frame
        assert self._base is not None
        ahead = self.time + self.tick - self._base.stamp
        step = Pose2.exp(ahead * np.array(self._base.speed))
        return (self._base.pose @ step).to_pose().inverse() @ self.frame

    def at_rest(self) -> bool:
        """Tell whether all joints rest near their commands."""
        speeds = [float(np.abs(arm.velocity).max()) for arm in self.arms.values()]
        return self.lag < CLOSE and max(speeds) < STILL

    def targets(self) -> dict[str, Pose]:
        """Return where the tools shall be, in the base frame."""
        frame = self.frame_on_robot()
        targets = {}
        for name, place in self.places.items():
            moved = Pose(place.position + self.nearer * self._inward[name], place.quaternion)
            targets[name] = frame @ moved
        return targets

    def _off_place(self) -> float:
        """Return how far tools are from where they were told to be, by the encoders [m]."""
        return max(
            float(np.linalg.norm((arm.chain.forward(arm.position) - told)[:3, 3]))
            for arm in self.arms.values()
            for told in (arm.chain.forward(arm.commanded),)
        )

    def _command(self) -> None:
        joints = {}
        for name, target in self.targets().items():
            arm = self.arms[name]
            answer = arm.chain.inverse(
                target.position, quaternion=tuple(target.quaternion), start=arm.commanded
            )
            if not answer.reached:
                self._give_up(Outcome.UNREACHABLE, _cannot_go_on(name, answer))
                return
            joints[name] = answer.solutions[0]
            if np.abs(joints[name] - arm.commanded).max() > JUMP:
                jump = f"the {name} arm would have to jump to another branch"
                self._give_up(Outcome.LINE_BROKEN, jump)
                return
        over, name, joint, rate = max(self._rates(joints))
        if over > 1.0:
            self._too_fast(f"{joint} of the {name} arm would have to turn at {rate:.1f} rad/s")
            return
        self.ease = min(1.0, 1.05 * self.ease)
        for name, arm in self.arms.items():
            arm.send(joints[name], (joints[name] - arm.commanded) / self.tick)

    def _rates(self, joints: Mapping[str, Array]) -> Iterator[tuple[float, str, str, float]]:
        """Yield the part of its bound that each arm's fastest joint needs, arm, joint and rate."""
        for name, arm in self.arms.items():
            rates = np.abs(joints[name] - arm.commanded) / self.tick
            worst = int(rates.argmax())
            rate = float(rates[worst])
            yield rate / arm.bounds.velocity, name, arm.chain.joint_names[worst], rate

    def _too_fast(self, cause: str) -> None:
        """Go on more slowly, where a way can; else it ends here, before the arms are whipped."""
        self.ease *= 0.5
        if isinstance(self.task, Way) and not self.task.done and self.ease > SLOWEST:
            self.task.undo()
            for arm in self.arms.values():
                arm.send(arm.commanded, np.zeros(len(arm.commanded)))
            return
        stretched = "an arm is stretched out or folded, or the base moves too fast"
        self._give_up(Outcome.UNREACHABLE, f"{cause}: {stretched}")

    def _give_up(self, outcome: Outcome, cause: str) -> None:
        """End the hold and what it does."""
        self.cause = cause
        if self._in_world and outcome is not Outcome.STOPPED and self._base is not None:
            self._base.stop(f"the hold on it ended: {cause}")  # it would go on without the hands
        if self.task is not None and not self.task.done:
            self.task.end(outcome, cause)
        for name, motion in self._motions.items():
            if not motion.done:
                motion.end(outcome)
                if outcome is not Outcome.COLLIDED:
                    self.arms[name].brake()


def _cannot_go_on(name: str, answer: IKResult) -> str:
    """Return why an arm cannot bring its tool where it should be in this tick.

    A tick ago it could. At the end of its reach the tool is missing a hair's breadth then, and any
    other orientation would do: numbers that round to zero tell nobody what is wrong.
    """
    if answer.reason is IKReason.ORIENTATION and answer.excess < HARDLY:
        return (
            f"{name} arm: it is stretched out or folded as far as it goes, so with this "
            "orientation of its hand the tool goes no further; move the thing nearer to the middle "
            "of its reach, or bring the base along"
        )
    return f"{name} arm: {answer.message}"


def _unit(vector: Array) -> Array:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else np.zeros(3)
