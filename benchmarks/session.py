"""What a tick of the session costs beside the physics it drives: one function per row.

All rows use the arm in an empty scene at 100 Hz, five physics steps of 2 ms per tick.
"""

from timeit import Timer

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
    """Time ticks, a bare loop and the raw physics in turns; return what is not physics."""
    steps = round(robot.arm.tick / robot.world.timestep)
    raw_world, bare = fresh_world(), bare_loop(fresh_world(), steps)

    def ticks() -> None:
        before()
        for _ in range(TICKS):
            robot.session.tick()

    def raw() -> None:
        for _ in range(TICKS):
            mujoco.mj_step(raw_world.model, raw_world.data, nstep=steps)

    timers = [Timer(call) for call in (ticks, raw, lambda: [bare() for _ in range(TICKS)])]
    times = [[timer.timeit(1) / TICKS for timer in timers] for _ in range(ROUNDS)]
    session, physics, loop = (1e6 * min(column) for column in zip(*times, strict=True))
    return BenchRow(
        name=name, value=session - physics, unit="us", peer="bare read-PID-write loop in numpy",
        peer_value=loop - physics, bar="value < 60 us",
    )  # fmt: skip


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
