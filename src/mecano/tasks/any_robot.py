"""Experiments for any robot that has the parts they need: `mecano run ROBOT/reach`."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mecano.core.errors import InvalidInput
from mecano.parts.part import MissingPart
from mecano.robots.description import RobotDescription
from mecano.tasks import any_programs as programs
from mecano.tasks.experiment import Experiment, Score


@dataclass(frozen=True, kw_only=True)
class AnyRobot:
    """An experiment without a robot of its own."""

    title: str
    run: Callable[..., Score]
    needs: tuple[str, ...] = ()
    """Kinds of parts that the robot must have."""
    scene: str | None = None
    """None takes the robot's own."""
    options: dict[str, str] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)

    def fits(self, robot: RobotDescription) -> bool:
        """Tell whether a robot has the parts."""
        return robot.has_model and set(self.needs) <= set(part_kinds(robot))

    def on(self, robot: RobotDescription, source: str, label: str, name: str) -> Experiment:
        """Return it with a robot; raise if a part is missing.

        Args:
            robot: The description.
            source: What `connect` finds the robot by.
            label: The robot's name in the name of the experiment.
            name: Of the experiment.
        """
        has = part_kinds(robot)
        for part in self.needs:
            if part not in has:
                why = f"the experiment '{name}' needs it"
                raise MissingPart(label, part, has, why, near=())
        if not robot.has_model:
            raise InvalidInput(f"'{label}' has no model to simulate, so there is nothing to run")
        return Experiment(
            name=f"{label}/{name}", title=self.title, robot=source,
            scene=self.scene or robot.scene,
            run=self.run, options=self.options, hints=self.hints,
        )  # fmt: skip


def part_kinds(robot: RobotDescription) -> tuple[str, ...]:
    """Return the kinds of parts that a description has."""
    has = {
        "legs": robot.legged or _standing_legs(robot),
        "cups": robot.legged,
        "arm": robot.arms,
        "gripper": robot.grippers,
        "hand": robot.hands,
        "base": robot.base,
    }
    return tuple(kind for kind, there in has.items() if there)


def _standing_legs(robot: RobotDescription) -> list[str]:
    """Return the chains that are legs without cups."""
    return [name for name in robot.arms if robot.chains[name].role == "leg"]


ANY_ROBOT = {
    "hold": AnyRobot(
        title="hold the home posture; how far joints and body move",
        run=programs.hold,
        options={"seconds": "5"},
        hints={"seconds": "how long [s]"},
    ),
    "reach": AnyRobot(
        title="move the tool of each arm to random poses, measured by ground truth",
        run=programs.reach,
        needs=("arm",),
        options={"targets": "5", "tolerance_mm": "5"},
        hints={"targets": "poses per arm", "tolerance_mm": "max error of the tool [mm]"},
    ),
    "grip": AnyRobot(
        title="open and close each gripper",
        run=programs.grip,
        needs=("gripper",),
        options={"tolerance_mm": "2"},
        hints={"tolerance_mm": "max error of the width [mm]"},
    ),
    "drive": AnyRobot(
        title="go straight, turn, strafe if it can; odometry against ground truth",
        run=programs.drive,
        needs=("base",),
        scene="empty",
        options={"distance": "1.0", "tolerance_mm": "50", "tolerance_deg": "5"},
        hints={
            "distance": "straight on and back [m]",
            "tolerance_mm": "max error of odometry [mm]",
            "tolerance_deg": "max error of its heading [deg]",
        },
    ),
    "walk": AnyRobot(
        title="walk straight on, measured by ground truth",
        run=programs.walk,
        needs=("legs",),
        scene="empty",
        options={"distance": "0.2"},
        hints={"distance": "how far [m]"},
    ),
}
"""Experiments for any robot, by name."""
