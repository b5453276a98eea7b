"""What every command works on: the robot, the user's wishes, and questions about both."""

import math
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mecano.core.arrays import Array
from mecano.core.errors import InvalidInput
from mecano.kinematics.ik import IKResult
from mecano.kinematics.joint_names import short_joint_names
from mecano.lab.robot import Robot
from mecano.lab.simulated import SimulatedBackend
from mecano.operate.console.replies import Reply, Status
from mecano.operate.console.texts import angle_text, floats, joint_text, point_text, rounded
from mecano.parts.arm import Arm
from mecano.parts.gripper import Gripper
from mecano.planning.trajectories import JointMove
from mecano.world.world import World

LABEL = 8
"""Letters that a label before a value has at least."""


class Way(NamedTuple):
    """What is known of the way to a posture before the arm takes it."""

    text: str
    duration: float
    """[s]."""
    pair: tuple[str, str] | None
    """Two bodies that would touch."""

    @property
    def free(self) -> bool:
        """True if nothing would touch."""
        return self.pair is None


class Context:
    """One robot, with a speed, the verbose switch and the history."""

    commands: ClassVar[tuple[Any, ...]] = ()
    """The words it understands, see `table.Command`."""
    notes: ClassVar[tuple[str, ...]] = ()
    """What there is to know about all of them."""

    def __init__(self, robot: Robot) -> None:
        """Take a robot."""
        self.robot = robot
        self.speed = 1.0
        """Fraction of the arm's own speed."""
        self.verbose = False
        self.ask: Callable[[str], bool] | None = None
        """Asked before a large motion; None moves without asking."""
        self.largest_step = 0.5
        """A joint may move this far without a question [rad]."""
        self.history: list[str] = []
        self.arm_name = next(iter(robot.arms), "")
        """The arm that commands are for; empty if there is none."""

    @property
    def arm(self) -> Arm:
        """The arm that commands are for."""
        return self.robot.arms[self.arm_name]

    @property
    def gripper_or_none(self) -> Gripper | None:
        """The robot's gripper, if it has one."""
        return next(iter(self.robot.grippers.values()), None)

    @property
    def gripper(self) -> Gripper:
        """The robot's gripper, or an error that says there is none."""
        gripper = self.gripper_or_none
        if gripper is None:
            raise InvalidInput(f"{self.robot.name} has no gripper")
        return gripper

    @property
    def world(self) -> World:
        """The simulated world, or an error on a real robot."""
        backend = self.robot.session.backend
        if not isinstance(backend, SimulatedBackend):
            raise InvalidInput("only a simulation knows where everything is")
        return backend.world

    # --- where it is

    def pose_text(self) -> str:
        """Return where the tool is, with units."""
        arm = self.arm
        return f"{point_text(arm.pose().position)}, pitch {angle_text(arm.pitch())}"

    def joint_lines(self) -> list[str]:
        """Return a line for each joint, with units."""
        arm = self.arm
        rows = zip(self.joint_labels(), arm.chain.dh.joints, arm.position, strict=True)
        return [f"{label} {joint_text(value, joint.unit)}" for label, joint, value in rows]

    def joint_labels(self) -> list[str]:
        """Return the names of the joints in their shortest form, all of one width."""
        names = short_joint_names(self.arm.chain)
        wide = max(LABEL, *map(len, names))
        return [f"{name:{wide}}" for name in names]

    def state(self) -> dict[str, Any]:
        """Return where the robot is, as plain values."""
        arm, gripper = self.arm, self.gripper_or_none
        state: dict[str, Any] = {
            "joints": dict(zip(arm.chain.joint_names, floats(arm.position), strict=True)),
            "position": floats(arm.pose().position),
            "pitch": float(arm.pitch()),
            "time": float(self.robot.time),
        }
        if gripper is not None:
            state |= {"gripper_width": gripper.width, "holding": gripper.holding}
        return state

    def interrupt(self) -> Reply:
        """Stop everything, let the arm come to rest and say where."""
        self.robot.stop()
        arms = self.robot.arms.values()
        self.robot.session.wait_until(
            lambda: all(np.abs(arm.velocity).max() < 0.01 for arm in arms), timeout=1.0
        )
        line = f"stopped at {self.pose_text()}, time {self.robot.time:.2f} s"
        return Reply(status=Status.FAILED, lines=(line,), data=self.state())

    # --- where it could go

    def declined(self, goal: Array | None) -> Reply | None:
        """Ask before a large motion to joint values; return a reply if it shall not be made."""
        if self.ask is None or goal is None:
            return None
        arm = self.arm
        way = np.abs(goal - arm.commanded)
        worst = int(way.argmax())
        text = f"{arm.chain.joint_names[worst]} moves by {way[worst]:.2f} rad"
        if way[worst] <= self.largest_step or self.ask(text):
            return None
        line = f"not moved: {text}, more than {self.largest_step:g} rad, and nobody agreed"
        return Reply(status=Status.FAILED, lines=(line,), data=self.state())

    def solve(self, point: Array, pitch: float | None) -> IKResult:
        """Solve the inverse kinematics as the arm itself would; nothing moves."""
        arm = self.arm
        if pitch is None:
            return arm.chain.inverse(point, start=arm.commanded)
        return arm.solve(point, pitch, arm.commanded)

    def way(self, q: Array) -> Way:
        """Say whether the way to a posture is free; nothing moves."""
        arm = self.arm
        plan = JointMove(arm.commanded, q, arm.bounds.scaled(self.speed))
        touch = arm.foresee(plan)
        if touch is None:
            return Way(f"way free, {plan.duration:.2f} s", plan.duration, None)
        one, other = self.named(touch.pair)
        return Way(f"way blocked: {one} would touch {other}", plan.duration, touch.pair)

    def named(self, pair: tuple[str, str]) -> tuple[str, str]:
        """Return the names of two bodies, the arm's own first and without its prefix."""
        prefix = f"{self.robot.name}/"
        own_first = sorted(pair, key=lambda name: not name.startswith(prefix))
        one, other = (name.removeprefix(prefix) for name in own_first)
        return one, other

    def nearest(self, answer: IKResult) -> str:
        """Return the command that goes to the nearest pose that can be reached."""
        chain, near, here = self.arm.chain, answer.nearest, self.arm.commanded

        def inside(margin: float) -> Array:
            return np.clip(near.joints, chain.dh.lower + margin, chain.dh.upper - margin)

        poses = [(*near.position, near.pitch)]
        for margin in (0.002, 0.01):  # in a corner of two limits: a little inside both
            q = inside(margin)
            poses.append((*chain.forward(q)[:3, 3], chain.pitch(q)))
        for pose, digits in product(poses, (3, 4)):
            for x, y, z, pitch in _ways_to_round(pose, digits):
                if chain.inverse([x, y, z], pitch=pitch, start=here).reached:
                    return f"goto {x:g} {y:g} {z:g} {pitch:g}"
        return "joints " + " ".join(f"{rounded(value, 4):g}" for value in inside(1e-4))


def _ways_to_round(values: Iterable[float], digits: int) -> list[tuple[float, ...]]:
    """Return the ways to round numbers up or down, the nearest first."""
    scaled = [round(float(value) * 10**digits, 6) for value in values]
    ways = product(*(sorted({math.floor(value), math.ceil(value)}) for value in scaled))
    nearest_first = sorted(ways, key=lambda way: math.dist(way, scaled))
    return [tuple(step / 10**digits for step in way) for way in nearest_first]
