"""A base like the Clearpath Jackal of the BARN Challenge, made of plain shapes, as typed facts.

Source keys: BC = the BARN Challenge's own files (footprint of its costmap, start, goal); JK =
jackal/jackal, control.yaml of its driver and its description; HK = data sheet of the Hokuyo
UST-10LX; EST = estimate.
"""

from math import pi, radians
from pathlib import Path

from mecano.kinematics.wheels import differential
from mecano.robots.description import RobotDescription
from mecano.robots.lidars import LidarFacts
from mecano.robots.mobile import (
    BaseLimits,
    GyroFacts,
    OdometryTrust,
    WheelCounter,
    WheeledBase,
)

LENGTH, WIDTH = 0.42, 0.33
"""Of the outline on the floor, wheels included [m] (BC)."""

BASE = WheeledBase(
    layout=differential(radius=0.098, separation=0.262, names=("wheel_left", "wheel_right")),
    limits=BaseLimits(
        speed=2.0,  # JK
        turn=4.0,  # JK
        acceleration=4.0,  # EST: JK allows 20, the tyres on the floor do not
        braking=4.0,
        turn_acceleration=16.0,  # EST: JK allows 25
        turn_braking=16.0,
        wheel_speed=26.0,  # 2 m/s and 4.2 rad/s at once
    ),
    counter=WheelCounter(per_tick=2.0 * pi / 4096, modulo=65536),  # EST
    rate=50.0,  # JK
    watchdog=0.25,  # JK
    odometry_trust=OdometryTrust(
        distance=0.02, turn=0.006, turn_per_distance=0.002, floor=0.0003
    ),  # EST: as for other bases with a gyro
    gyro=GyroFacts(
        site="imu",
        resolution=radians(0.00875),
        heading_resolution=radians(0.01),
        noise=2.6e-3,
        bias=radians(0.05),  # EST: what is left after it was trimmed at rest
        wander=radians(0.005),  # EST
        scale=0.005,  # EST
    ),
    lidars=(
        LidarFacts(
            name="lidar",
            site="front_laser",
            reach=radians(135.0),  # BC, HK
            step=radians(0.375),  # BC: 720 beams
            rate=25.0,  # HK scans at 40 Hz; the control cycle reads 25
            nearest=0.06,
            furthest=10.0,  # HK
            noise=0.010,  # EST: HK states below 30 mm over all ranges; BC has 1 mm
            offset=0.005,
            offset_limit=0.015,
        ),
    ),
)

DESCRIPTION = RobotDescription(
    name="barn_base",
    title="Base of the BARN benchmark, like a Clearpath Jackal",
    summary="Two driven wheels, gyro, a LIDAR of 270 degrees; 0.42 x 0.33 m, up to 2 m/s.",
    folder=Path(__file__).parent,
    chains={},
    model="model.xml",
    base=BASE,
    scene="empty",
    tick=0.02,
    facts={
        "outline": "0.42 x 0.33 m",
        "mass": "17 kg",
        "wheels": "radius 98 mm, 262 mm apart",
        "speed": "2.0 m/s, 4.0 rad/s; 4 m/s2, 16 rad/s2",
        "lidar": "270 deg, 721 beams, 25 Hz, 0.06 to 10 m, sigma 10 mm",
    },
    sources=(
        "the BARN Challenge (Daffan/the-barn-challenge): footprint, start, goal, LIDAR",
        "jackal/jackal: speeds, mass, wheel radius",
        "Hokuyo UST-10LX data sheet: range, field of view",
    ),
)
