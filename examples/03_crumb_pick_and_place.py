"""CRUMB moves boxes: the experiment with your own moves, and one move programmed by hand.

    python examples/03_crumb_pick_and_place.py
    python examples/03_crumb_pick_and_place.py "B>C A>B"     # other moves

The same from the command line: mecano run crumb/pick-and-place --moves "B>C A>B"
"""

import math
import sys

import mecano
from mecano import InvalidInput, tasks

PITCH = math.radians(60.0)  # the hand leans: straight down it could not lift a box over another
ABOVE, GRASP = 0.2086, 0.0936  # heights of the tool above the arm's foot [m]


def over(radius: float, azimuth: float, height: float) -> list[float]:
    """Return the tool point above a place, as the arm sees it; the tips are 6 mm further out."""
    radius -= 0.006
    return [radius * math.cos(azimuth), radius * math.sin(azimuth), height]


def move_by_hand(robot: mecano.Robot) -> bool:
    """Take the red box from place A to place C."""
    A, C = (0.2238, math.radians(91.59)), (0.2432, 0.0)
    arm, gripper = robot.arm, robot.gripper
    gripper.open()
    arm.move_to(over(*A, ABOVE), pitch=PITCH)
    arm.move_line(over(*A, GRASP), pitch=PITCH)
    grip = gripper.close(force=15.0)
    print(grip.message)
    arm.move_line(over(*A, ABOVE), pitch=PITCH)
    arm.move_to(over(*C, ABOVE), pitch=PITCH)
    arm.move_line(over(*C, GRASP + 0.001), pitch=PITCH)
    gripper.open()
    end = arm.move_line(over(*C, ABOVE), pitch=PITCH)
    print(end.message)
    return grip.holding and end.reached


def run_the_experiment(moves: str) -> bool:
    """Let the experiment do and judge some moves."""
    result = tasks.run_experiment(
        tasks.get("crumb/pick-and-place"), seed=1, noise=True, options={"moves": moves}
    )
    print(f"{moves}: {'done' if result.success else result.remark}, {result.metrics}")
    return result.success


if __name__ == "__main__":
    with mecano.connect("crumb", scene="pick_and_place") as robot:
        moved = move_by_hand(robot)
    asked = sys.argv[1] if len(sys.argv) > 1 else "A>C B>A"
    try:
        done = run_the_experiment(asked)
    except InvalidInput as error:  # for example a move into a place that is taken
        sys.exit(str(error))
    sys.exit(0 if moved and done else 1)
