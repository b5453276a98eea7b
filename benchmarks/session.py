"""What a tick of the session costs beside the physics it drives: one function per row.

All rows use the arm in an empty scene at 100 Hz, five physics steps of 2 ms per tick.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from unittest.mock import patch

import mujoco
import numpy as np

from mecano.core.results import BenchRow
from mecano.lab.robot import Robot, connect
from timing import Call

TICKS = 50
ROUNDS = 80


def session_hold() -> BenchRow:
    """A tick that reads the joints and holds them, over the physics alone."""
    robot = connect("open_manipulator_x", scene="empty")
    return overhead("session_hold", robot, lambda: None)


def session_move() -> BenchRow:
    """A tick in mid-motion: trajectory, collision watch, commands; over the physics alone."""
    robot = connect("open_manipulator_x", scene="empty")

    def keep_moving() -> None:
        if robot.arm.motion is None or robot.arm.motion.done:
            away = -1.2 if robot.arm.commanded[0] > 0.0 else 1.2
            robot.arm.move_joints([away, -1.0, 1.0, 0.0], wait=False, check=False)

    return overhead("session_move", robot, keep_moving)


ROWS = (session_hold, session_move)


def overhead(name: str, robot: Robot, before: Call) -> BenchRow:
    """Time ticks and a bare loop in turns; count what is not spent inside the physics."""
    steps = round(robot.arm.tick / robot.world.timestep)
    bare = bare_loop(fresh_world(), steps)

    def ticks() -> None:
        for _ in range(TICKS):
            robot.session.tick()

    def loop() -> None:
        for _ in range(TICKS):
            bare()

    ours, peers = [], []
    with physics_stopwatch() as outside:
        for _ in range(ROUNDS):
            before()
            ours.append(outside(ticks))
            peers.append(outside(loop))
    return BenchRow(
        name=name, value=1e6 * min(ours) / TICKS, unit="us",
        peer="bare read-PID-write loop in numpy", peer_value=1e6 * min(peers) / TICKS,
        bar="value < 60 us",
    )  # fmt: skip


@contextmanager
def physics_stopwatch() -> Iterator[Callable[[Call], float]]:
    """Give a function that times a call without what it spends inside `mj_step` [s]."""
    step, spent = mujoco.mj_step, 0.0

    def timed_step(*arguments, **options) -> None:
        nonlocal spent
        began = perf_counter()
        step(*arguments, **options)
        spent += perf_counter() - began

    def outside(call: Call) -> float:
        nonlocal spent
        spent, began = 0.0, perf_counter()
        call()
        return perf_counter() - began - spent

    with patch.object(mujoco, "mj_step", timed_step):
        yield outside


def fresh_world():
    """Return the same world in the hands of no session."""
    return connect("open_manipulator_x", scene="empty").world


def bare_loop(world, steps: int) -> Call:
    """Return the least that a control loop does: read the joints, a PID in numpy, write, step."""
    model, data = world.model, world.data
    names = [f"open_manipulator_x/joint{i}" for i in range(1, 5)]
    positions = np.array([model.joint(name).qposadr[0] for name in names])
    velocities = np.array([model.joint(name).dofadr[0] for name in names])
    torques = model.actuator_ctrladr[[world.index("actuator", name) for name in names]] + 2
    goal, total = data.qpos[positions].copy(), np.zeros(4)

    def tick() -> None:
        error = goal - data.qpos[positions]
        np.add(total, 0.01 * error, out=total)
        data.ctrl[torques] = 0.1 * error + 0.01 * total - 0.01 * data.qvel[velocities]
        mujoco.mj_step(model, data, nstep=steps)

    return tick
