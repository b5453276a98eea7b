"""Four, six and eight legs of one module walk on floor, wall and ceiling by the same code.

Run it from the root of the project: python examples/04_legs_of_modules.py [distance in metres]
"""

import math
import sys
from pathlib import Path

import mecano

HERE = Path(__file__).parent
ROBOTS = str(HERE / "modular_quadruped"), "romerin", str(HERE / "modular_octopod")


def walk(name: str, scene: str, gait: str, distance: float) -> str:
    """Walk forward; return what came of it, by ground truth."""
    with mecano.connect(name, scene=scene) as robot:
        body = f"{robot.name}/body_link"
        start = robot.truth.body_pose(body)
        result = robot.legs.walk(distance, gait=gait)
        T = (start.inverse() @ robot.truth.body_pose(body)).matrix()
        ahead, aside = 1000 * T[0, 3], 1000 * T[1, 3]
        heading = math.degrees(math.atan2(T[1, 0], T[0, 0]))
        return (
            f"{len(robot.legs):4} {scene:8} {gait:9} {ahead:7.1f} {aside:6.1f} {heading:8.2f} "
            f"{1000 * result.speed:6.1f} {100 * result.peak:5.0f}  {result.outcome}"
        )


def main() -> None:
    """Walk with every robot, on every surface, in every gait it has."""
    distance = float(sys.argv[1]) if len(sys.argv) > 1 else 0.3
    print("legs surface  gait      ahead   aside  heading  speed  cups")
    print("                         [mm]    [mm]    [deg] [mm/s]   [%]")
    for name in ROBOTS:
        with mecano.connect(name) as robot:
            gaits = tuple(robot.legs.gaits)
        for scene in ("empty", "wall", "ceiling"):
            for gait in gaits:
                print(walk(name, scene, gait, distance), flush=True)


if __name__ == "__main__":
    main()
