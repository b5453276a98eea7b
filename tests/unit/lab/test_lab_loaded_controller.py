"""A controller as a loadable unit: a user's file brings it, and it drives joints by torque."""

import numpy as np

import mecano

FILE = '''
import numpy as np
import mecano


class Springs(mecano.Script):
    """Holds every joint at a goal with a spring and a damper, by torque."""

    goal = np.array([0.4, -0.6, 0.5, 0.3])

    def actuation(self):
        arm = self.robot.arm
        torque = 4.0 * (self.goal - arm.position) - 0.4 * arm.joints().velocity
        arm.command_torque(np.clip(torque, -arm.max_torque, arm.max_torque))
'''


def test_a_controller_from_a_file_moves_the_joints(tmp_path):
    file = tmp_path / "springs.py"
    file.write_text(FILE)
    with mecano.connect("open_manipulator_x") as robot:
        springs = mecano.load_scripts(file)["Springs"]()
        mecano.attach(robot, springs)
        robot.wait(4.0)
        np.testing.assert_allclose(robot.arm.position, springs.goal, atol=0.1)  # pyright: ignore[reportAttributeAccessIssue]
        springs.stop()
        robot.arm.stop()
        held = robot.arm.position.copy()
        robot.wait(1.0)
        np.testing.assert_allclose(robot.arm.position, held, atol=0.05)
