"""The hand of the Widow-X as facts: two fingers on a rail, moved by one AX-12A."""

from math import radians

from mecano.robots.description import Gripper

RADIANS_PER_METRE = 86.67
"""Turn of the servo per joint value of a finger, linearised (RobotnikAutomation/widowx_arm)."""

GRIPPER = Gripper(
    joint="gripper_1_joint",
    followers=("gripper_2_joint",),
    open=0.0185,  # the paper's simulator: 41.2 mm; Robotnik lets it go to 0.027, beyond the rail
    closed=0.0,
    width_at_zero=0.0042,  # measured on the paper's drawings
    max_force=19.0,  # EST: a fifth of the AX-12A's stall torque at the crank of 7.8 mm, halved
    speed=0.02,  # EST: 100 deg/s, as ArbotiX moves the servo, over 86.67 rad/m
    resolution=radians(300.0) / 1023 / RADIANS_PER_METRE,  # ROBOTIS e-manual: 1024 ticks on 300 deg
    bodies=("gripper_1_link", "gripper_2_link"),
    tip=0.012,  # tool 32.5 mm beyond the rail, tips at 44.5 mm
    pad=0.0335,  # the flat part of the fingers, from 11 to 44.5 mm beyond the rail
    palm=0.0251,  # front of the rail at 121.9 mm from the wrist, the tool at 147 mm
    half=0.015,
)
