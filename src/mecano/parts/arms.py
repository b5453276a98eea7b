"""Arms that move as one: the same time for all, and a look at all of them for collisions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number
from mecano.core.errors import InvalidInput
from mecano.core.named import Named
from mecano.core.notices import slow_notice
from mecano.core.poses import Pose
from mecano.parts.arm import Arm
from mecano.parts.base import Base
from mecano.parts.holds import Hold
from mecano.parts.motions import TrajectoryMotion
from mecano.parts.results import Outcome
from mecano.parts.together import Columns, Together, TogetherResult, refused
from mecano.planning.free_motion import plan_free_motion
from mecano.planning.path_timing import time_free_path
from mecano.planning.trajectories import Bounds, JoinedMove, JointMove, Trajectory
from mecano.world.clearance import Clearance

SIDES = ("lower", "upper")
LOOK_AHEAD = 0.02
"""Time between two postures that are tested for collisions before a motion starts [s]."""


class Arms(Named[Arm]):
    """The arms of a robot by name, and what several of them do together."""

    def __init__(self, clearance: Callable[[], Clearance]) -> None:
        """Begin without arms; `clearance` makes what looks at all of them for collisions."""
        super().__init__("arm")
        self.motion: Together | None = None
        self.held: Hold | None = None
        self.base: Base | None = None
        """What the arms ride on, if it moves."""
        self._make = clearance

    @property
    def first(self) -> Arm:
        """The first of them, whatever its role; there must be one."""
        return next(iter(self.values()))

    @cached_property
    def clearance(self) -> Clearance:
        """Looks at all arms together for collisions."""
        return self._make()

    @overload
    def move_joints(
        self,
        goals: Mapping[str, ArrayLike | str] | str,
        *,
        speed: float = 1.0,
        wait: Literal[True] = True,
        check: bool = True,
    ) -> TogetherResult: ...
    @overload
    def move_joints(
        self,
        goals: Mapping[str, ArrayLike | str] | str,
        *,
        speed: float = 1.0,
        wait: Literal[False],
        check: bool = True,
    ) -> Together: ...
    def move_joints(
        self,
        goals: Mapping[str, ArrayLike | str] | str,
        *,
        speed: float = 1.0,
        wait: bool = True,
        check: bool = True,
    ) -> TogetherResult | Together:
        """Move several arms, to arrive together.

        Args:
            goals: Joint values [rad] or named posture of each arm; one name is for all of them.
            speed: Fraction of the arms' own speed, above 0 and up to 1.
            wait: Let time pass until it has ended, and return the result; else return a handle.
            check: Look for collisions on the way first, of the arms with each other too.
        """
        if isinstance(goals, str):
            goals = dict.fromkeys(self, goals)
        chosen = self._chosen(goals)
        targets = {name: arm.posture(goals[name]) for name, arm in chosen.items()}
        first = next(iter(chosen.values()))
        with first.session.commanding():
            for arm in chosen.values():
                arm.hold_position()
            whole = JointMove(
                np.concatenate([arm.commanded for arm in chosen.values()]),
                np.concatenate(list(targets.values())),
                first.bounds.scaled(speed),
                start_velocity=np.concatenate([arm.speed for arm in chosen.values()]),
            )
            together = self.begin(chosen, whole, check=check)
        return together.wait() if wait else together

    @overload
    def move_free(
        self,
        goals: Mapping[str, Pose | ArrayLike | str] | str,
        *,
        speed: float = 1.0,
        margin: float = 0.01,
        wait: Literal[True] = True,
    ) -> TogetherResult: ...
    @overload
    def move_free(
        self,
        goals: Mapping[str, Pose | ArrayLike | str] | str,
        *,
        speed: float = 1.0,
        margin: float = 0.01,
        wait: Literal[False],
    ) -> Together: ...
    def move_free(
        self,
        goals: Mapping[str, Pose | ArrayLike | str] | str,
        *,
        speed: float = 1.0,
        margin: float = 0.01,
        wait: bool = True,
    ) -> TogetherResult | Together:
        """Move arms around what is in their way, also around each other.

        For a pose all solutions of the inverse kinematics are goals, of all arms in every
        combination; those in which something touches are left out.

        Args:
            goals: Of each arm: a pose of its tool in the base frame, joint values [rad] or a named
                posture; one name is for all arms.
            speed: Fraction of the arms' own speed, above 0 and up to 1.
            margin: Distance to keep from everything on the way [m]. Where start or goal are nearer
                to something, the way may be so too.
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        if isinstance(goals, str):
            goals = dict.fromkeys(self, goals)
        chosen = self._chosen(goals)
        first = next(iter(chosen.values()))
        with first.session.commanding():
            for arm in chosen.values():
                arm.hold_position()
            together = self._begin_free(chosen, goals, speed, margin)
        return together.wait() if wait else together

    def _begin_free(
        self, chosen: Mapping[str, Arm], goals: Mapping[str, Any], speed: float, margin: float
    ) -> Together:
        ends: list[list[Array]] = []
        for name, arm in chosen.items():
            goal = goals[name]
            if not isinstance(goal, Pose):
                ends.append([arm.posture(goal)])
                continue
            answer = arm.solve(
                goal.position, None, arm.commanded, quaternion=tuple(goal.quaternion.tolist())
            )
            if not answer.reached:
                cause = f"{name} arm: {answer.message}" if len(self) > 1 else ""
                return refused(chosen, outcome=Outcome.UNREACHABLE, ik=answer, cause=cause)
            ends.append(list(answer.solutions))
        first = next(iter(chosen.values()))
        brake = JointMove.braking(
            np.concatenate([arm.commanded for arm in chosen.values()]),
            first.bounds,
            start_velocity=np.concatenate([arm.speed for arm in chosen.values()]),
        )
        start = brake.at(brake.duration)[0]
        rows = np.array([np.concatenate(each) for each in product(*ends)])
        plan = self._plan_free(chosen, start, rows, first.bounds.scaled(speed), margin)
        if isinstance(plan, str):
            return refused(chosen, outcome=Outcome.BLOCKED, cause=plan)
        return self.begin(chosen, JoinedMove(brake, plan), check=False)

    def _plan_free(
        self, chosen: Mapping[str, Arm], start: Array, goals: Array, bounds: Bounds, margin: float
    ) -> Trajectory | str:
        """Return a motion of the joints of some arms that touches nothing, or why there is none."""
        look = self.look()
        columns = self._columns(chosen)
        whole = self.postures({})

        def filled(rows: Array) -> Array:
            postures = np.tile(whole, (len(rows), 1))
            postures[:, columns] = rows
            return postures

        margin = finite_number(margin, name="margin [m]", lower=0.001, upper=0.1)
        look.tolerate(filled(start[None]))
        free = look.free(filled(goals))
        if not free.any():
            others = f", nor is any of {len(goals)} others" if len(goals) > 1 else ""
            return f"the goal is not free{others}: {look.describe(filled(goals[:1])[0])}"
        goals = goals[free]
        look.margin = margin
        look.tolerate(filled(np.vstack([start[None], goals])))
        weights = look.levers[columns]
        chains = [arm.chain.dh for arm in chosen.values()]
        lower, upper = (np.concatenate([getattr(c, side) for c in chains]) for side in SIDES)
        session = next(iter(chosen.values())).session
        with slow_notice("looking for a way around what is in the way"):
            found = plan_free_motion(
                start, goals, lower, upper,
                lambda rows: look.is_free(filled(rows)), seed=session.random.get("planning"),
                resolution=2.0 * margin, weights=weights,
                describe=lambda q: look.describe(filled(q[None])[0]),
            )  # fmt: skip
            if found.path is None:
                return found.explanation
            timed = time_free_path(
                found.path, bounds, lambda rows: look.is_free(filled(rows)),
                resolution=2.0 * margin, weights=weights,
            )  # fmt: skip
        return timed.trajectory

    @overload
    def reach(
        self, pose: Pose, *, speed: float = 1.0, margin: float = 0.01, wait: Literal[True] = True
    ) -> TogetherResult: ...
    @overload
    def reach(
        self, pose: Pose, *, speed: float = 1.0, margin: float = 0.01, wait: Literal[False]
    ) -> Together: ...
    def reach(
        self, pose: Pose, *, speed: float = 1.0, margin: float = 0.01, wait: bool = True
    ) -> TogetherResult | Together:
        """Bring a tool to a pose, that of the arm which has the shortest way to it.

        Args:
            pose: In the base frame.
            speed: Fraction of the arm's own speed, above 0 and up to 1.
            margin: Distance to keep from everything on the way [m].
            wait: Let time pass until it has ended, and return the result; else return a handle.
        """
        self._chosen(dict.fromkeys(self))
        if not isinstance(pose, Pose):
            raise InvalidInput(f"reach takes a Pose in the base frame, got {pose!r}")
        ways: list[tuple[float, str]] = []
        missed: list[str] = []
        for name, arm in self.items():
            answer = arm.solve(
                pose.position, None, arm.commanded, quaternion=tuple(pose.quaternion.tolist())
            )
            if answer.reached:
                way = float(np.abs(answer.solutions[0] - arm.commanded).max())
                ways.append((way, name))
            else:
                missed.append(f"{name} arm: {answer.message}")
        if not ways:
            none = refused(self, outcome=Outcome.UNREACHABLE, cause="; ".join(missed))
            return none.wait() if wait else none
        return self.move_free({min(ways)[1]: pose}, speed=speed, margin=margin, wait=wait)

    def _columns(self, chosen: Mapping[str, Arm]) -> np.ndarray:
        """Return where the joints of some arms are among those of all."""
        places, first = [], 0
        for name, arm in self.items():
            last = first + len(arm.commanded)
            if name in chosen:
                places.append(np.arange(first, last))
            first = last
        return np.concatenate(places)

    def begin(self, chosen: Mapping[str, Arm], whole: Trajectory, *, check: bool) -> Together:
        """Start a motion of the joints of some arms, one arm after the other in its columns."""
        pair = self.foresee(chosen, whole) if check else None
        if pair is not None:
            return refused(chosen, outcome=Outcome.BLOCKED, pair=pair[0], overlap=-pair[1])
        motions, first = {}, 0
        for name, arm in chosen.items():
            last = first + len(arm.commanded)
            motions[name] = TrajectoryMotion(arm, Columns(whole, slice(first, last)))
            first = last
        for motion in motions.values():
            motion.arm.take_up(motion)
        self.motion = Together(motions)
        return self.motion

    def foresee(
        self, chosen: Mapping[str, Arm], whole: Trajectory
    ) -> tuple[tuple[str, str], float] | None:
        """Return the first two bodies that would collide, and how far apart they are [m].

        Negative is inside each other. What is in contact before it starts is not counted unless
        it goes deeper.
        """
        look = self.look()
        start = self.postures({})
        look.tolerate(start)
        for time in np.arange(LOOK_AHEAD, whole.duration + LOOK_AHEAD, LOOK_AHEAD):
            near = look.nearest(self.postures(chosen, whole.at(time)[0]))
            if near is not None:
                return near.pair, near.distance
        return None

    def look(self) -> Clearance:
        """Return what looks for collisions, with everything where it is now, and no margin."""
        found = None
        for arm in self.values():
            carried = arm.look_around(self.clearance)
            if carried is not None and found is None:
                found = carried, arm.tool_site
        self.clearance.carry(None if found is None else found[0], tool=found[1] if found else "")
        self.clearance.margin = 0.0
        return self.clearance

    def postures(self, chosen: Mapping[str, Arm], values: Array | None = None) -> Array:
        """Return the joints of all arms: as commanded, but those of some arms as given [rad]."""
        parts, first = [], 0
        for name, arm in self.items():
            if name in chosen and values is not None:
                last = first + len(arm.commanded)
                parts.append(values[first:last])
                first = last
            else:
                parts.append(arm.commanded)
        return np.concatenate(parts)

    def hold(self, frame: Pose | None = None, *, arms: Sequence[str] | None = None) -> Hold:
        """Let arms keep the places of their tools on one thing, to move and press it together.

        Args:
            frame: Where the thing is in the base frame; None is the middle between the tools.
            arms: Names; None takes all.
        """
        names = [arms] if isinstance(arms, str) else self if arms is None else arms
        if not isinstance(names, Iterable) or not all(isinstance(name, str) for name in names):
            raise InvalidInput(f"arms are {arms!r}, expected names of: {', '.join(self)}")
        chosen = self._chosen(dict.fromkeys(names))
        if frame is not None and not isinstance(frame, Pose):
            raise InvalidInput(f"a hold takes a Pose in the base frame, got {frame!r}")
        first = next(iter(chosen.values()))
        with first.session.commanding():
            if self.held is not None:
                self.held.end("another hold began")
            for arm in chosen.values():
                arm.hold_position()
            if frame is None:
                tools = [arm.chain.forward(arm.commanded)[:3, 3] for arm in chosen.values()]
                frame = Pose(np.mean(tools, axis=0))
            self.held = Hold(chosen, frame, self.base)
        return self.held

    def _chosen(self, goals: Mapping[str, object]) -> dict[str, Arm]:
        if not self:
            raise InvalidInput("this robot has no arms")
        if not isinstance(goals, Mapping):
            raise InvalidInput(
                f"goals are given by arm, such as {{'{next(iter(self))}': ...}}, got {goals!r}"
            )
        for name in goals:
            self[name]
        if not goals:
            raise InvalidInput(f"no arm is named; there are: {', '.join(self)}")
        return {name: arm for name, arm in self.items() if name in goals}

    # --- in the tick

    def step(self, now: float) -> None:
        """Stop all arms of a motion when one had to stop."""
        if self.motion is not None:
            self.motion.watch()
            if self.motion.done:
                self.motion = None
        if self.held is not None:
            self.held.step(now)
            if self.held.done:
                self.held = None

    def at_rest(self) -> bool:
        """Tell whether nothing is commanded to move together."""
        quiet = self.held is None or self.held.task is None or self.held.task.done
        return self.motion is None and quiet

    def stop(self) -> None:
        """End what they do together; the arms brake and hold."""
        if self.motion is not None:
            self.motion.halt()
        if self.held is not None:
            self.held.stop()

    def memory(self) -> None:
        """Keep nothing: the arms know their commands."""

    def recall(self, memory: None) -> None:
        """Go on: a motion in progress has ended with the arms' own, and so has a hold."""
        self.motion = self.held = None
