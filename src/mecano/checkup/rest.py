"""A robot left alone in its home posture: it must hold it, stand, and come to rest."""

from collections.abc import Callable

import mujoco
import numpy as np

from mecano.checkup.report import Rest
from mecano.checkup.standing import Standing
from mecano.core.arrays import Array
from mecano.core.errors import MecanoError
from mecano.importing.findings import Findings
from mecano.lab.robot import Robot
from mecano.world.world import WorldBroken

STILL = 0.05
"""Slower than this is at rest [rad/s, m/s]."""
LAST = 1.0
"""Speeds count in the last part of the time [s]."""
SAG = 0.10
"""A joint that is further than this from its home at the end is not held [rad or m]."""
Tell = Callable[[int, int], None]


def check_rest(
    robot: Robot,
    findings: Findings,
    *,
    seconds: float = 5.0,
    posture: str = "home",
    tell: Tell | None = None,
) -> Rest:
    """Let a robot hold the posture it begins in and say how it went.

    Args:
        robot: Just connected, in simulation.
        findings: Get what is wrong.
        seconds: How long [s].
        posture: What that posture is called.
        tell: Is given how much is done, of how much.
    """
    watch = _Watch(robot, posture)
    session, step = robot.session, max(robot.session.backend.tick, 0.01)
    steps = max(round(seconds / step), 1)
    fastest = 0.0
    try:
        for number in range(steps):
            session.run_for(step)
            watch.observe()
            if (steps - number) * step <= LAST + 1e-9:
                fastest = max(fastest, watch.speed())
            if tell is not None:
                tell(number + 1, steps)
    except WorldBroken as error:
        findings.error(
            "physics-broken", watch.name,
            f"{error}. Look for tiny inertias, stiff gains or shapes inside each other",
        )  # fmt: skip
        return Rest(seconds=seconds, max_speed=None)
    except MecanoError as error:
        findings.error("rest-refused", watch.name, f"cannot be simulated: {error}")
        return Rest(seconds=seconds, max_speed=None)
    watch.judge(findings, seconds, fastest)
    return Rest(seconds=seconds, max_speed=round(fastest, 6))


class _Watch:
    """Compares a robot with how it began."""

    def __init__(self, robot: Robot, posture: str) -> None:
        self._posture = f"the {posture} posture"
        self.name, self._prefix = robot.description.name, f"{robot.name}/"
        self._world = world = robot.world
        model = world.model
        self._joints = [
            joint for joint in range(model.njnt)
            if model.joint(joint).name.startswith(self._prefix)
        ]  # fmt: skip
        self._dofs = np.concatenate(
            [np.zeros(0, int)] + [_dofs(model, joint) for joint in self._joints]
        )
        free = robot.description.free_body
        body = None if free is None else world.index("body", self._prefix + free)
        self._standing = None if body is None else Standing(world, body, self._prefix)
        wheels = () if robot.description.base is None else robot.description.base.layout.names
        springs = [
            name
            for leg in (robot.description.legged.legs if robot.description.legged else ())
            for name in leg.springs
        ]
        passive = {self._prefix + name for name in (*wheels, *springs)}
        self._held = [
            joint for joint in self._joints
            if model.jnt_type[joint] >= int(mujoco.mjtJoint.mjJNT_SLIDE)
            and model.joint(joint).name not in passive
            and _is_driven(model, joint)
        ]  # fmt: skip
        self._start = self._values()

    def speed(self) -> float:
        """Return how fast the fastest of its joints is, and its body [rad/s, m/s]."""
        if not len(self._dofs):
            return 0.0
        return float(np.abs(self._world.data.qvel[self._dofs]).max())

    def observe(self) -> None:
        """Remember how far it tilts now."""
        if self._standing is not None:
            self._standing.observe()

    def judge(self, findings: Findings, seconds: float, fastest: float) -> None:
        """Say what went wrong."""
        fell = self._standing is not None and self._standing.report(findings, seconds)
        if not fell:
            self._sag(findings, seconds)
            if fastest > STILL:
                findings.warn(
                    "moves-at-rest", f"joint {self._fastest()}",
                    f"still moves at {fastest:.3g} rad/s or m/s after {seconds:g} s in "
                    f"{self._posture}, rest is below {STILL:g}; look at gains, "
                    "damping and contacts",
                )  # fmt: skip

    def _sag(self, findings: Findings, seconds: float) -> None:
        off = self._values() - self._start
        for joint, value in zip(self._held, off, strict=True):
            if abs(value) > SAG:
                name = self._world.model.joint(joint).name.removeprefix(self._prefix)
                findings.warn(
                    "posture-not-held", f"joint {name}",
                    f"is {abs(value):.3g} rad or m away from {self._posture} after "
                    f"{seconds:g} s; its motor is too weak or its gain too small",
                )  # fmt: skip

    def _values(self) -> Array:
        addresses = [int(self._world.model.jnt_qposadr[joint]) for joint in self._held]
        return self._world.data.qpos[addresses].copy()

    def _fastest(self) -> str:
        model, speeds = self._world.model, np.abs(self._world.data.qvel)
        dof = self._dofs[int(np.argmax(speeds[self._dofs]))]
        return model.joint(int(model.dof_jntid[dof])).name.removeprefix(self._prefix)


def _dofs(model: mujoco.MjModel, joint: int) -> np.ndarray:
    count = {0: 6, 1: 3}.get(int(model.jnt_type[joint]), 1)
    return model.jnt_dofadr[joint] + np.arange(count)


def _is_driven(model: mujoco.MjModel, joint: int) -> bool:
    drives = model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT)
    return bool((drives & (model.actuator_trnid[:, 0] == joint)).any())
