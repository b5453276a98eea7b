"""One program, three robots: simulated, emulated and real.

    python examples/02_sim_or_real.py                    # simulated
    mecano emulate open_manipulator_x                    # prints a port, for example /dev/pts/3
    python examples/02_sim_or_real.py /dev/pts/3         # the emulated arm behind that port
    python examples/02_sim_or_real.py /dev/ttyUSB0       # the real arm

The program knows nothing of the difference: it moves, it grips, it says how that went.
"""

import sys

import mecano
from mecano import MecanoError


def program(robot: mecano.Robot) -> bool:
    """Wave, reach down, close the gripper, and come home."""
    results = [
        robot.arm.move_joints([0.4, -0.8, 0.6, 0.3]),
        robot.arm.move_joints([-0.4, -0.8, 0.6, 0.3]),
        robot.arm.move_to([0.20, 0.0, 0.12], pitch=1.2),
        robot.arm.move_line([0.20, 0.0, 0.08]),
    ]
    grip = robot.gripper.close(force=8.0)
    robot.gripper.open()
    results.append(robot.arm.home())
    for result in results:
        print(result.message)
    print(grip.message)
    return all(result.reached for result in results)


if __name__ == "__main__":
    port = sys.argv[1] if len(sys.argv) > 1 else None
    try:
        with mecano.connect("open_manipulator_x", real=port, scene="empty") as robot:
            sys.exit(0 if program(robot) else 1)
    except MecanoError as error:  # no port, no answer, a pulled cable: each says the way out
        sys.exit(f"{type(error).__name__}: {error}")
