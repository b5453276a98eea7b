"""The hand of the youBot as facts: two fingers that one motor moves apart and together."""

from mecano.robots.description import Gripper

GRIPPER = Gripper(
    joint="gripper_finger_joint_l",
    followers=("gripper_finger_joint_r",),
    open=0.025,  # WB: 50 mm. YD's fingers go to 0.0115, which is 23 mm
    closed=0.0,
    width_at_zero=0.0,  # YD: the fingers meet at zero
    max_force=20.0,  # EST: sheet of the scenes, 3.1. YD has 1 N, WB 100 N
    speed=0.02,  # P 3.3.2: 0.04 m/s between the fingers
    resolution=0.0115 / 66000,  # DRV
    bodies=("gripper_finger_link_l", "gripper_finger_link_r"),
)
