"""Robots as files, for tests of the import: an arm, a cart, a quadruped, an arm as MJCF."""

import re
from math import cos, sin
from pathlib import Path

INERTIAL = (
    '<inertial><origin xyz="{0} {1} {2}"/><mass value="{3}"/>'
    '<inertia ixx="{4}" iyy="{4}" izz="{4}" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def _shape(geometry: str, xyz: str = "0 0 0", rpy: str = "0 0 0") -> str:
    inside = f'<origin xyz="{xyz}" rpy="{rpy}"/><geometry>{geometry}</geometry>'
    return f"<visual>{inside}</visual><collision>{inside}</collision>"


def _link(name: str, mass: float, com: tuple[float, float, float], shapes: str = "") -> str:
    inertial = INERTIAL.format(*com, mass, max(0.004 * mass, 1e-5)) if mass else ""
    return f'<link name="{name}">{inertial}{shapes}</link>'


def _joint(
    name: str, kind: str, parent: str, child: str, xyz: str, axis: str, *,
    rpy: str = "0 0 0", limit: str = 'lower="-2.5" upper="2.5" effort="100" velocity="2"',
    more: str = "",
) -> str:  # fmt: skip
    limits = "" if kind == "fixed" else f"<limit {limit}/>"
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>{limits}{more}</joint>'
    )


def arm_urdf() -> str:
    """Return six joints as UR places them, a tool frame and a gripper with a mimic joint."""
    tube = '<cylinder radius="0.04" length="0.25"/>'
    box = '<box size="0.08 0.08 0.08"/>'
    finger = '<box size="0.02 0.01 0.06"/>'
    foot = _shape('<cylinder radius="0.08" length="0.08"/>', "0 0 0.04")
    turned = "-1.5707963267948966 0 0"
    slide = 'lower="0" upper="0.03" effort="40" velocity="0.1"'
    small = 'lower="-3" upper="3" effort="30" velocity="3"'
    return "".join([
        '<robot name="six_arm">',
        _link("base_link", 4, (0, 0, 0.04), foot),
        _link("shoulder", 3, (0, 0, 0), _shape(box)),
        _link("upper", 4, (0, 0.12, 0.2), _shape(tube, "0 0.12 0.2")),
        _link("fore", 2, (0, 0, 0.15), _shape(tube, "0 0 0.18")),
        _link("wrist_1", 1, (0, 0, 0), _shape(box)),
        _link("wrist_2", 1, (0, 0, 0), _shape(box)),
        _link("wrist_3", 0.3, (0, 0, 0)),
        _link("tool0", 0, (0, 0, 0)),
        _link("left_finger", 0.05, (0, 0, 0.03), _shape(finger, "0 0.005 0.03")),
        _link("right_finger", 0.05, (0, 0, 0.03), _shape(finger, "0 -0.005 0.03")),
        _joint("pan", "revolute", "base_link", "shoulder", "0 0 0.15", "0 0 1"),
        _joint("lift", "revolute", "shoulder", "upper", "0 0 0", "0 1 0"),
        _joint("elbow", "revolute", "upper", "fore", "0 0 0.42", "0 1 0"),
        _joint("w1", "revolute", "fore", "wrist_1", "0 0 0.39", "0 1 0", limit=small),
        _joint("w2", "revolute", "wrist_1", "wrist_2", "0 0.11 0", "0 0 1", limit=small),
        _joint("w3", "revolute", "wrist_2", "wrist_3", "0 0 0.09", "0 1 0", limit=small),
        _joint("tool", "fixed", "wrist_3", "tool0", "0 0.08 0", "0 0 1", rpy=turned),
        _joint("grip", "prismatic", "tool0", "left_finger", "0 0 0.02", "0 1 0", limit=slide),
        _joint("grip_2", "prismatic", "tool0", "right_finger", "0 0 0.02", "0 -1 0", limit=slide,
               more='<mimic joint="grip"/>'),
        "</robot>",
    ])  # fmt: skip


def turret_urdf(*, axis: str = "0 1 0", rolls: bool = False, tcp: str = "") -> str:
    """Return an arm that stands upright at zero: pan, three tilts, perhaps a roll; two fingers.

    Args:
        axis: That the tilts turn about.
        rolls: Whether a fifth joint rolls the hand about its nose.
        tcp: Roll, pitch and yaw of a frame with that name between the fingers [rad]; "" for none.
    """
    finger = '<box size="0.02 0.01 0.08"/>'
    foot = _shape('<cylinder radius="0.08" length="0.1"/>', "0 0 0.05")
    slide = 'lower="0" upper="0.04" effort="40" velocity="0.2"'
    hand = "hand" if rolls else "l4"
    parts = [
        '<robot name="turret_arm">',
        _link("base", 3, (0, 0, 0.05), foot),
        *(_link(f"l{i}", 1, (0, 0, 0.05)) for i in range(1, 5)),
        _joint("pan", "revolute", "base", "l1", "0 0 0.1", "0 0 1"),
        _joint("lift", "revolute", "l1", "l2", "0 0 0.15", axis),
        _joint("elbow", "revolute", "l2", "l3", "0 0 0.35", axis),
        _joint("wrist", "revolute", "l3", "l4", "0 0 0.3", axis),
        _link("left", 0.05, (0, 0.005, 0.04), _shape(finger, "0 0.005 0.04")),
        _link("right", 0.05, (0, -0.005, 0.04), _shape(finger, "0 -0.005 0.04")),
        _joint("grip", "prismatic", hand, "left", "0 0 0.1", "0 1 0", limit=slide),
        _joint("grip_2", "prismatic", hand, "right", "0 0 0.1", "0 -1 0", limit=slide,
               more='<mimic joint="grip"/>'),
    ]  # fmt: skip
    if rolls:
        parts += [
            _link("hand", 0.3, (0, 0, 0.03)),
            _joint("roll", "revolute", "l4", "hand", "0 0 0.05", "0 0 1"),
        ]
    if tcp:
        parts += [
            _link("tcp", 0, (0, 0, 0)),
            _joint("at_tcp", "fixed", hand, "tcp", "0 0 0.17", "0 0 1", rpy=tcp),
        ]
    return "".join([*parts, "</robot>"])


def cart_urdf(wheels: int = 4) -> str:
    """Return a cart on two wheels and a caster, or on four wheels that do not steer."""
    tyre = _shape('<cylinder radius="0.1" length="0.06"/>', rpy="1.5707963267948966 0 0")
    ends = (0.2, -0.2) if wheels == 4 else (0.0,)
    parts = [
        '<robot name="cart">',
        _link("base_link", 20, (0, 0, 0.05), _shape('<box size="0.6 0.4 0.15"/>', "0 0 0.1")),
    ]
    for x in ends:
        for side, y in (("left", 0.27), ("right", -0.27)):
            name = f"{'front' if x > 0 else 'rear'}_{side}"
            parts += [
                _link(f"{name}_wheel", 1, (0, 0, 0), tyre),
                _joint(f"{name}_wheel_joint", "continuous", "base_link", f"{name}_wheel",
                       f"{x} {y} 0", "0 1 0", limit='effort="20" velocity="15"'),
            ]  # fmt: skip
    if wheels == 2:
        for x in (0.25, -0.25):
            end = "front" if x > 0 else "back"
            parts += [
                _link(f"{end}_caster", 0.2, (0, 0, 0), _shape('<sphere radius="0.03"/>')),
                _joint(f"{end}_caster_joint", "continuous", "base_link", f"{end}_caster",
                       f"{x} 0 -0.07", "0 1 0"),
            ]  # fmt: skip
    return "".join([*parts, "</robot>"])


def dog_urdf() -> str:
    """Return a body on four legs of three joints each."""
    leg = '<cylinder radius="0.02" length="0.18"/>'
    parts = [
        '<robot name="dog">',
        _link("trunk", 8, (0, 0, 0), _shape('<box size="0.5 0.2 0.1"/>')),
    ]
    for end, x in (("front", 0.2), ("hind", -0.2)):
        for side, y in (("left", 0.13), ("right", -0.13)):
            n = f"{end}_{side}"
            parts += [
                _link(f"{n}_hip", 0.5, (0, 0, 0)),
                _link(f"{n}_thigh", 0.8, (0, 0, -0.1), _shape(leg, "0 0 -0.1")),
                _link(f"{n}_shin", 0.3, (0, 0, -0.1), _shape(leg, "0 0 -0.1")),
                _link(f"{n}_foot", 0.05, (0, 0, 0), _shape('<sphere radius="0.025"/>')),
                _joint(f"{n}_roll", "revolute", "trunk", f"{n}_hip", f"{x} {y} 0", "1 0 0"),
                _joint(f"{n}_pitch", "revolute", f"{n}_hip", f"{n}_thigh", "0 0 0", "0 1 0"),
                _joint(f"{n}_knee", "revolute", f"{n}_thigh", f"{n}_shin", "0 0 -0.2", "0 1 0"),
                _joint(f"{n}_ankle", "fixed", f"{n}_shin", f"{n}_foot", "0 0 -0.2", "0 0 1"),
            ]
    return "".join([*parts, "</robot>"])


ARM_MJCF = """<mujoco model="mixed_arm">
  <compiler angle="radian" autolimits="true" meshdir="assets"/>
  <option integrator="implicitfast"/>
  <default>
    <default class="arm">
      <joint armature="0.1" damping="1" axis="0 1 0" range="-2.5 2.5"/>
      <general biastype="affine" ctrlrange="-2.5 2.5" forcerange="-80 80"/>
      <default class="finger"><joint axis="0 1 0" type="slide" range="0 0.04"/></default>
      <default class="collision"><geom group="3" type="capsule" size="0.03"/></default>
    </default>
  </default>
  <asset><mesh file="foot.obj"/></asset>
  <worldbody>
    <light name="top" pos="0 0 2"/>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="cube" pos="1 0 0.02"><freejoint/><geom type="box" size=".02 .02 .02"/></body>
    <body name="link0" childclass="arm">
      <geom type="mesh" mesh="foot" contype="0" conaffinity="0" group="2"/>
      <body name="link1" pos="0 0 0.2">
        <inertial mass="3" pos="0 0 0" diaginertia="0.02 0.02 0.02"/>
        <joint name="j1" axis="0 0 1"/>
        <geom class="collision" fromto="0 0 -0.08 0 0 0"/>
        <body name="link2" pos="0 0 0.05">
          <inertial mass="2" pos="0 0 0.15" diaginertia="0.02 0.02 0.02"/>
          <joint name="j2"/>
          <geom class="collision" fromto="0 0 0.08 0 0 0.22"/>
          <body name="link3" pos="0 0 0.3">
            <inertial mass="2" pos="0 0 0.1" diaginertia="0.01 0.01 0.01"/>
            <joint name="j3"/>
            <geom class="collision" fromto="0 0 0.08 0 0 0.17"/>
            <body name="link4" pos="0 0 0.25">
              <inertial mass="1" pos="0 0 0.03" diaginertia="0.005 0.005 0.005"/>
              <joint name="j4"/>
              <body name="link5" pos="0 0 0.08">
                <inertial mass="0.5" pos="0 0 0" diaginertia="0.002 0.002 0.002"/>
                <joint name="j5" axis="0 0 1"/>
                <body name="left_finger" pos="0 0 0.03">
                  <inertial mass="0.02" pos="0 0 0.02" diaginertia="2e-6 2e-6 1e-6"/>
                  <joint name="finger1" class="finger"/>
                  <geom class="collision" type="box" size="0.01 0.004 0.02" pos="0 0.004 0.03"/>
                </body>
                <body name="right_finger" pos="0 0 0.03" quat="0 0 0 1">
                  <inertial mass="0.02" pos="0 0 0.02" diaginertia="2e-6 2e-6 1e-6"/>
                  <joint name="finger2" class="finger"/>
                  <geom class="collision" type="box" size="0.01 0.004 0.02" pos="0 0.004 0.03"/>
                </body>
              </body>
            </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="split">
      <joint joint="finger1" coef="0.5"/><joint joint="finger2" coef="0.5"/>
    </fixed>
  </tendon>
  <equality><joint joint1="finger1" joint2="finger2" solref="0.005 1"/></equality>
  <include file="motors.xml"/>
  <sensor><actuatorpos name="read" actuator="first"/></sensor>
  <keyframe>
    <key name="home" qpos="1 0 0.02 1 0 0 0 0.1 -0.4 0.9 0.5 0 0.04 0.04"/>
  </keyframe>
</mujoco>
"""
MOTORS_MJCF = """<mujocoinclude>
  <actuator>
    <general class="arm" name="first" joint="j1" gainprm="2000" biasprm="0 -2000 -200"/>
    <position class="arm" name="second" joint="j2" kp="3000" kv="300" forcerange="-80 80"/>
    <motor name="third" joint="j3" gear="40" ctrlrange="-2 2"/>
    <velocity name="fourth" joint="j4" kv="100" forcerange="-60 60"/>
    <intvelocity name="fifth" joint="j5" kp="500" actrange="-2.5 2.5" forcerange="-20 20"/>
    <general class="arm" name="hand" tendon="split" forcerange="-60 60" ctrlrange="0 255"
      gainprm="0.01568627451 0 0" biasprm="0 -100 -10"/>
  </actuator>
</mujocoinclude>
"""
FOOT_OBJ = """v 0 0 0
v 0.1 0 0
v 0 0.1 0
v 0 0 0.1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""


def write_urdf(folder: Path, text: str, name: str = "robot.urdf") -> Path:
    """Write a URDF file and return it."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def write_menagerie(folder: Path) -> Path:
    """Write a folder as Menagerie has them: robot, scene, an include, assets; return it."""
    (folder / "assets").mkdir(parents=True)
    (folder / "assets" / "foot.obj").write_text(FOOT_OBJ)
    (folder / "mixed_arm.xml").write_text(ARM_MJCF)
    (folder / "motors.xml").write_text(MOTORS_MJCF)
    (folder / "scene.xml").write_text(
        '<mujoco model="scene"><include file="mixed_arm.xml"/><worldbody>'
        '<geom name="ground" type="plane" size="0 0 1"/></worldbody></mujoco>'
    )
    return folder


def _linkage(side: str, sign: int) -> list[str]:
    """Return one finger of a linkage as Robotiq's: two cranks and a pad that stays upright."""
    bar, pad = '<box size="0.01 0.012 0.05"/>', '<box size="0.02 0.008 0.04"/>'
    follow = '<mimic joint="finger_joint" multiplier="{}"/>'
    mimic = "" if side == "left" else follow.format(1)
    turn = 'lower="0" upper="0.8" effort="20" velocity="2"'
    back = 'lower="-0.9" upper="0.9" effort="20" velocity="2"'
    y, axis = 0.03 * sign, f"{sign} 0 0"
    outer = "finger_joint" if side == "left" else "right_outer_knuckle_joint"
    return [
        _link(f"{side}_outer_knuckle", 0.03, (0, 0, 0.025), _shape(bar, "0 0 0.025")),
        _link(f"{side}_inner_knuckle", 0.03, (0, 0, 0.025), _shape(bar, "0 0 0.025")),
        _link(f"{side}_inner_finger", 0.03, (0, 0, 0.02), _shape(pad, "0 0 0.03")),
        _joint(outer, "revolute", "tool0", f"{side}_outer_knuckle", f"0 {y} 0", axis,
               limit=turn, more=mimic),
        _joint(f"{side}_inner_knuckle_joint", "revolute", "tool0", f"{side}_inner_knuckle",
               f"0 {y / 2} 0.01", axis, limit=turn, more=follow.format(1)),
        _joint(f"{side}_inner_finger_joint", "revolute", f"{side}_outer_knuckle",
               f"{side}_inner_finger", f"0 {y / 3} 0.05", axis, limit=back,
               more=follow.format(-1)),
    ]  # fmt: skip


def arm_with_linkage_urdf() -> str:
    """Return the arm with a gripper whose six joints all follow one motor."""
    text = arm_urdf()
    for name in ("left_finger", "right_finger"):
        text = re.sub(rf'<link name="{name}">.*?</link>', "", text)
    text = re.sub(r'<joint name="grip(_2)?".*?</joint>', "", text)
    return text.replace(
        "</robot>", "".join([*_linkage("left", 1), *_linkage("right", -1)]) + "</robot>"
    )


def hand_urdf(fingers: int = 4, *, on_arm: bool = True) -> str:
    """Return a hand whose fingers have three joints each, at the end of an arm or alone."""
    text = arm_urdf()
    for name in ("left_finger", "right_finger"):
        text = re.sub(rf'<link name="{name}">.*?</link>', "", text)
    text = re.sub(r'<joint name="grip(_2)?".*?</joint>', "", text)
    carrier, parts = "tool0", []
    if not on_arm:
        carrier, text = "plate", '<robot name="four_fingered"></robot>'
        parts.append(_link("plate", 0.5, (0, 0, 0), _shape('<box size="0.1 0.1 0.03"/>')))
    bone = _shape('<box size="0.012 0.012 0.03"/>', "0 0 0.018")
    for number in range(fingers):
        above, turn = carrier, 2 * 3.141592653589793 * number / fingers
        for link in range(3):
            name = f"f{number}_{link}"
            place = (
                f"{0.04 * cos(turn):.6f} {0.04 * sin(turn):.6f} 0.02" if not link else "0 0 0.036"
            )
            rpy = f"0 0 {turn:.6f}" if not link else "0 0 0"
            parts += [
                _link(name, 0.03, (0, 0, 0.018), bone),
                _joint(f"{name}_joint", "revolute", above, name, place, "0 -1 0", rpy=rpy,
                       limit='lower="-0.2" upper="1.4" effort="1" velocity="4"'),
            ]  # fmt: skip
            above = name
    return text.replace("</robot>", "".join(parts) + "</robot>")


def linkage_mjcf(*, on_arm: bool = True) -> str:
    """Return a gripper as Menagerie has Robotiq's 2F-85: cranks, springs, loops closed by connect.

    Each finger is a four-bar: a driver with a coupler, and a spring link with a follower and its
    pad; follower and coupler meet in a point. A tendon over both drivers is driven, 0 to 255.
    """
    fingers = ""
    for side, sign in (("right", 1), ("left", -1)):
        y = 0.03 * sign
        fingers += (
            f'<body name="{side}_driver" pos="0 {y} 0.02">'
            f'<joint name="{side}_driver_joint" axis="{sign} 0 0" range="0 0.7" armature=".002"/>'
            '<geom type="capsule" fromto="0 0 0 0 0 .04" size=".004" mass=".01"/>'
            f'<body name="{side}_coupler" pos="0 0 0.04">'
            f'<joint name="{side}_coupler_joint" axis="{sign} 0 0" range="-1.5 1.5"/>'
            '<geom type="sphere" size=".004" mass=".01"/></body></body>'
            f'<body name="{side}_spring_link" pos="0 {y * 0.5} 0.03">'
            f'<joint name="{side}_spring_link_joint" axis="{sign} 0 0" range="-1 1"/>'
            '<geom type="capsule" fromto="0 0 0 0 0 .04" size=".004" mass=".01"/>'
            f'<body name="{side}_follower" pos="0 0 0.04">'
            f'<joint name="{side}_follower_joint" axis="{sign} 0 0" range="-1 1"/>'
            f'<geom type="box" size=".01 .005 .025" pos="0 {0.01 * sign} 0.03" mass=".02"/>'
            "</body></body>"
        )
    ties = "".join(
        f'<connect body1="{side}_follower" body2="{side}_coupler" anchor="0 {0.015 * sign} -0.01" '
        'solimp="0.95 0.99 0.001" solref="0.005 1"/>'
        for side, sign in (("right", 1), ("left", -1))
    )
    palm = '<geom type="box" size=".03 .04 .015" mass=".4"/>'
    inside = f'<body name="base_mount" pos="0 0 0.05">{palm}{fingers}</body>'
    motors = ""
    if on_arm:
        for number, axis in ((3, "0 1 0"), (2, "0 1 0"), (1, "0 0 1")):
            inside = (
                f'<body name="link{number}" pos="0 0 {0.3 if number > 1 else 0.1}">'
                f'<joint name="j{number}" axis="{axis}" range="-2 2" armature=".1" damping="1"/>'
                '<geom type="capsule" fromto="0 0 .06 0 0 .2" size=".03" mass="1"/>'
                f'<body pos="0 0 {0.25 if number == 3 else 0}">{inside}</body></body>'
            )
            motors = f'<position joint="j{number}" kp="500" kv="50" forcerange="-90 90"/>' + motors
        inside = f'<body name="foot"><geom type="cylinder" size=".06 .04" mass="2"/>{inside}</body>'
    return (
        '<mujoco model="two_finger_gripper"><compiler angle="radian" autolimits="true"/>'
        f"<worldbody>{inside}</worldbody>"
        '<tendon><fixed name="split"><joint joint="right_driver_joint" coef=".5"/>'
        '<joint joint="left_driver_joint" coef=".5"/></fixed></tendon>'
        f'<equality>{ties}<joint joint1="right_driver_joint" joint2="left_driver_joint" '
        'polycoef="0 1 0 0 0" solref="0.005 1"/></equality>'
        f'<actuator>{motors}<general name="fingers" tendon="split" ctrlrange="0 255" '
        'forcerange="-5 5" gainprm="0.2745 0 0" biastype="affine" biasprm="0 -100 -10"/></actuator>'
        "</mujoco>"
    )


def propeller_arm_urdf() -> str:
    """Return the six-joint arm with a propeller that shows how its gripper's motor turns.

    The propeller is called `gripper`, turns without end and drives nothing; one of two sliding
    fingers mimics the other with the opposite sign, and neither range holds zero (Trossen's arms).
    """
    arm = arm_urdf()
    blade = _link("propeller", 0.01, (0, 0, 0), _shape('<box size="0.03 0.004 0.004"/>'))
    spin = _joint("gripper", "continuous", "tool0", "propeller", "0 0 0.01", "0 0 1",
                  limit='effort="5" velocity="3"')  # fmt: skip
    arm = arm.replace('lower="0" upper="0.03"', 'lower="0.015" upper="0.037"', 1)
    right = arm.index('<joint name="grip_2"')
    other = arm[right:].replace('axis xyz="0 -1 0"', 'axis xyz="0 1 0"')
    other = other.replace('lower="0" upper="0.03"', 'lower="-0.037" upper="-0.015"')
    other = other.replace('<mimic joint="grip"/>', '<mimic joint="grip" multiplier="-1"/>')
    return arm[:right] + other.replace("</robot>", f"{blade}{spin}</robot>")


def humanoid_urdf(*, named: bool = True, low: bool = False) -> str:
    """Return a trunk with two legs, two arms and a head.

    Args:
        named: Whether joints are called after what they are; else they have numbers.
        low: Whether the arms reach down to the floor.
    """
    rod = '<cylinder radius="0.03" length="0.3"/>'
    trunk = _link("trunk", 10, (0, 0, 0), _shape('<box size="0.2 0.3 0.5"/>'))
    parts = ['<robot name="walker">', trunk]

    def limb(word: str, names: tuple[str, ...], y: float, z: float, length: float) -> None:
        above = "trunk"
        for number, name in enumerate(names):
            link = f"{word}_{number}"
            joint = f"{word}_{name}" if named else f"joint_{len(parts)}"
            place = f"0 {y} {z}" if number == 0 else f"0 0 {-length}"
            axis = "1 0 0" if number == 0 else "0 1 0"
            parts.append(_link(link, 1, (0, 0, -length / 2), _shape(rod, f"0 0 {-length / 2}")))
            parts.append(_joint(joint, "revolute", above, link, place, axis))
            above = link

    for side, y in (("left", 0.1), ("right", -0.1)):
        limb(f"{side}_leg", ("hip_roll", "hip", "knee"), y, -0.25, 0.3)
        limb(f"{side}_arm", ("shoulder_roll", "shoulder", "elbow"), 2.5 * y, 0.2,
             0.45 if low else 0.15)  # fmt: skip
    parts += [
        _link("head", 1, (0, 0, 0.1), _shape('<sphere radius="0.1"/>', "0 0 0.1")),
        _joint("neck" if named else "joint_0", "revolute", "trunk", "head", "0 0 0.25", "0 0 1"),
    ]
    return "".join([*parts, "</robot>"])
