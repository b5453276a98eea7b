"""Kobuki (Yujin Robot), the base of the Turtlebot 2, as typed facts.

Source keys: KB = yujinrobot/kobuki (description, node, safety controller); KC = kobuki_core, the
driver; KD = kobuki_documentation; CALC = computed from those; EST = estimate.
"""

from math import pi, radians
from pathlib import Path

from mecano.kinematics.wheels import differential
from mecano.robots.description import RobotDescription
from mecano.robots.mobile import (
    BackOff,
    BaseLimits,
    BatteryFacts,
    CliffFacts,
    GyroFacts,
    OdometryTrust,
    SlipFacts,
    WheelCounter,
    WheeledBase,
)

BASE = WheeledBase(
    layout=differential(
        radius=0.035, separation=0.230, names=("wheel_left_joint", "wheel_right_joint")
    ),  # KC
    limits=BaseLimits(
        speed=0.70,  # KD
        turn=pi,  # KD, 180 deg/s; the gyro degrades above 110
        acceleration=0.3,  # KC, and the next three
        braking=0.36,
        turn_acceleration=3.5,
        turn_braking=4.2,
    ),
    counter=WheelCounter(per_tick=0.002436916871363930, modulo=65536),  # KC
    rate=50.0,  # KD
    watchdog=0.6,  # KB
    slip=SlipFacts(common=0.003, own=0.001, passing=0.003),  # EST: rubber tyres on a hard floor
    torque_per_ampere=0.540,  # CALC from KD: 10.9 mN m/A through a gear of 6545 to 132
    variances=(0.1, 0.1, 0.05),  # KB
    odometry_trust=OdometryTrust(
        distance=0.02, turn=0.006, turn_per_distance=0.002, floor=0.0003
    ),  # EST: headings by the gyro, which is off by 0.35 % of a turn
    gyro=GyroFacts(
        site="gyro_link",
        resolution=radians(0.00875),  # KD, a digit of the L3G4200D
        heading_resolution=radians(0.01),  # KD
        noise=2.6e-3,  # CALC: 0.03 deg/s per root hertz over 25 Hz
        bias=radians(0.02),  # EST: what is left after the driver has trimmed it at rest
        wander=radians(0.002),  # EST
        fastest=radians(250.0),  # KD, range of the L3G4200D
        scale=0.0035,  # CALC from KD: 0.47, 1.99, 3.18 deg after 0.5, 1.5, 2.5 turns
    ),
    bumpers={"left": "bumper_left", "center": "bumper_center", "right": "bumper_right"},
    cliffs=CliffFacts(
        sites={"left": "cliff_left", "center": "cliff_center", "right": "cliff_right"},
        furthest=0.15,  # KD
        trip=0.04,  # KB, as in its simulator; the sensors sit 31.6 mm above the floor
        noise=0.001,  # EST
    ),
    battery=BatteryFacts(
        capacity=2.2,
        full=16.5,
        low=14.0,
        empty=13.2,  # KD, KC
        standby=0.4,  # EST: three hours of driving, KD
    ),
    leds=("led_1", "led_2"),
    led_colours=("off", "green", "orange", "red"),  # KD
    back_off=BackOff(  # its own safety controller: back, turning away from what was hit
        speeds={"center": (-0.1, 0.0, 0.0), "left": (-0.1, 0.0, -0.4), "right": (-0.1, 0.0, 0.4)},
        time=0.2,  # timeout of that controller in the mux
    ),
    buttons=3,
)

DESCRIPTION = RobotDescription(
    name="kobuki",
    title="Kobuki, the base of the Turtlebot 2",
    summary="Two driven wheels, casters, gyro, bumpers, cliff sensors, wheel drops.",
    folder=Path(__file__).parent,
    chains={},
    model="model.xml",
    base=BASE,
    scene="empty",
    facts={
        "wheels": "radius 35 mm, 230 mm apart",  # KC
        "speed": "0.70 m/s, 180 deg/s",  # KD
        "encoders": "2578.33 ticks per turn of a wheel, 16 bits",  # KC
        "payload": "5 kg",  # KD
        "battery": "14.8 V, 2.2 A h",  # KD
    },
    sources=(
        "yujinrobot/kobuki: positions, masses, safety controller",
        "yujinrobot/kobuki_core: encoders, limits of the driver",
        "kobuki_documentation: protocol, sensors, gyro measurements",
    ),
)
