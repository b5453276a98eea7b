"""A small arm as MJCF, and ways to damage it: the doctor must name each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ARM = """<mujoco model="small_arm">
  <compiler angle="radian" autolimits="true" meshdir="assets"/>
  <asset><mesh name="foot" file="foot.obj"/></asset>
  <worldbody>
    <body name="base">
      <geom type="mesh" mesh="foot" contype="0" conaffinity="0" group="2"/>
      <geom type="cylinder" size=".08 .04" mass="3"/>
      <body name="upper" pos="0 0 0.1">
        <inertial mass="1.5" pos="0 0 0.15" diaginertia="0.0116 0.0116 0.0007"/>
        <joint name="shoulder" axis="0 1 0" range="-2 2" armature="0.1" damping="1"/>
        <geom type="capsule" fromto="0 0 .08 0 0 .22" size=".03"/>
        <body name="fore" pos="0 0 0.3">
          <inertial mass="0.8" pos="0 0 0.12" diaginertia="0.0043 0.0043 0.0003"/>
          <joint name="elbow" axis="0 1 0" range="-2 2" armature="0.1" damping="1"/>
          <geom type="capsule" fromto="0 0 .06 0 0 .2" size=".025"/>
          <body name="hand" pos="0 0 0.25">
            <inertial mass="0.2" pos="0 0 0.02" diaginertia="1e-4 1e-4 1e-4"/>
            <joint name="wrist" axis="0 0 1" range="-3 3" armature="0.05" damping="0.5"/>
            <geom type="box" size=".03 .04 .015" pos="0 0 .02"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="shoulder" joint="shoulder" kp="500" kv="50" forcerange="-60 60"/>
    <position name="elbow" joint="elbow" kp="300" kv="30" forcerange="-40 40"/>
    <position name="wrist" joint="wrist" kp="50" kv="5" forcerange="-10 10"/>
  </actuator>
  <keyframe><key name="home" qpos="0.3 0.5 0"/></keyframe>
</mujoco>
"""
FOOT = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@dataclass(frozen=True)
class Damage:
    """One way to break the file."""

    name: str
    code: str
    """Of the finding that names it."""
    harm: Callable[[str], str | bytes]
    word: str = ""
    """What the finding must say."""
    mesh: str | bytes | None = FOOT
    """What the mesh is; None for none."""


def swap(old: str, new: str, count: int = 1) -> Callable[[str], str]:
    """Return a harm that replaces a text, which must be there."""

    def harm(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, count)

    return harm


LAUGHS = '<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
DEEP = '<body name="d{0}">'
REFUSED = "model-refused"
DAMAGES = [
    Damage("empty", "file-empty", lambda text: ""),
    Damage("only blanks", "file-empty", lambda text: " \n\n "),
    Damage("binary", "file-binary", lambda text: b"MJB\0\1\2\3" * 50),
    Damage("no xml", "not-xml", lambda text: "hello world"),
    Damage("cut off", "xml-syntax", lambda text: text[: len(text) // 2]),
    Damage("quote missing", "xml-syntax", swap('name="upper"', "name=upper")),
    Damage("tag not closed", "xml-syntax", swap("</actuator>", "")),
    Damage("entities", "xml-entities", lambda text: LAUGHS + text),
    Damage(
        "nested too deep",
        "xml-too-deep",
        swap(
            '<body name="hand"', "".join(DEEP.format(i) for i in range(600)) + '<body name="hand"'
        ),
    ),
    Damage("another format", "not-urdf", lambda text: "<sdf version='1.7'><model name='x'/></sdf>"),
    Damage("no worldbody", "robot-empty", lambda text: '<mujoco model="m"/>', "worldbody"),
    Damage("empty worldbody", "robot-empty", lambda text: "<mujoco><worldbody/></mujoco>"),
    Damage(
        "no joints",
        "robot-empty",
        lambda text: '<mujoco><worldbody><body><geom size=".1"/></body></worldbody></mujoco>',
        "joints",
    ),
    Damage(
        "include missing",
        "include",
        swap("<worldbody>", '<include file="gone.xml"/><worldbody>'),
        "is not there",
    ),
    Damage(
        "include of itself",
        "include",
        swap("<worldbody>", '<include file="robot.xml"/><worldbody>'),
        "includes itself",
    ),
    Damage(
        "include outside",
        "include",
        swap("<worldbody>", '<include file="../outside.xml"/><worldbody>'),
        "--allow-outside",
    ),
    Damage("include without a file", "include", swap("<worldbody>", "<include/><worldbody>")),
    Damage("mesh missing", "mesh-missing", swap("foot.obj", "gone.obj"), "gone.obj"),
    Damage("mesh empty", REFUSED, lambda text: text, "foot", mesh=""),
    Damage("mesh is text", REFUSED, lambda text: text, "foot", mesh="hello"),
    Damage("mesh flat", REFUSED, lambda text: text, mesh="v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
    Damage("asset without a file", REFUSED, swap('file="foot.obj"', "")),
    Damage("mesh not in assets", REFUSED, swap('mesh="foot"', 'mesh="boot"'), "boot"),
    Damage("file outside that is no mesh", "mesh-missing", swap("foot.obj", "../../etc.conf")),
    Damage("unknown element", REFUSED, swap('<joint name="elbow"', '<jiont name="elbow"'), "jiont"),
    Damage("unknown attribute", REFUSED, swap("diaginertia=", "diagonal=")),
    Damage("word for a number", REFUSED, swap('pos="0 0 0.3"', 'pos="0 0 high"')),
    Damage("not a number", "number-nonfinite", swap('mass="1.5"', 'mass="nan"')),
    Damage("infinite", "number-nonfinite", swap('pos="0 0 0.3"', 'pos="0 0 inf"')),
    Damage("huge number", "number-huge", swap('pos="0 0 0.3"', 'pos="0 0 1e300"')),
    Damage("too few numbers", REFUSED, swap('pos="0 0 0.3"', 'pos="0 0"')),
    Damage("negative mass", "mass-negative", swap('mass="1.5"', 'mass="-1"')),
    Damage(
        "zero mass",
        "mass-added",
        swap(
            'mass="0.2" pos="0 0 0.02" diaginertia="1e-4 1e-4 1e-4"',
            'mass="0" pos="0 0 0.02" diaginertia="0 0 0"',
        ),
    ),
    Damage(
        "impossible inertia", REFUSED, swap("0.0116 0.0116 0.0007", "0.1 0.001 0.001"), "inertia"
    ),
    Damage("zero axis", REFUSED, swap('axis="0 0 1"', 'axis="0 0 0"'), "axis"),
    Damage("limits reversed", "limit-reversed", swap('range="-3 3"', 'range="3 -3"'), "swapped"),
    Damage("zero size", REFUSED, swap('size=".03 .04 .015"', 'size="0 .04 .015"'), "size"),
    Damage("joint twice", REFUSED, swap('name="elbow" axis', 'name="shoulder" axis'), "shoulder"),
    Damage("body twice", REFUSED, swap('name="fore"', 'name="upper"'), "upper"),
    Damage("actuator of no joint", REFUSED, swap('joint="elbow"', 'joint="knee"'), "knee"),
    Damage("key not finite", "number-nonfinite", swap('qpos="0.3 0.5 0"', 'qpos="nan 0.5 0"')),
    Damage(
        "unknown class",
        REFUSED,
        swap('<joint name="elbow"', '<joint class="nowhere" name="elbow"'),
        "nowhere",
    ),
    Damage(
        "plugin",
        REFUSED,
        swap("<worldbody>", '<extension><plugin plugin="my.secret"/></extension><worldbody>'),
        "my.secret",
    ),
    Damage("millimetres", "units-millimetres", swap('pos="0 0 0.3"', 'pos="0 0 300"')),
    Damage("too weak", "effort-weak", swap('forcerange="-60 60"', 'forcerange="-0.5 0.5"')),
    Damage(
        "no actuators",
        "actuators-added",
        lambda text: text[: text.index("<actuator>")] + "</mujoco>",
    ),
    Damage(
        "inside each other",
        "always-touching",
        swap('size=".03 .04 .015" pos="0 0 .02"', 'size=".2 .2 .2" pos="0 0 -.3"'),
    ),
]


def write_arm(folder: Path, damage: Damage | None = None) -> Path:
    """Write the arm, damaged or not, and return its file."""
    place = folder / "arm"
    (place / "assets").mkdir(parents=True)
    (folder / "outside.xml").write_text("<mujocoinclude/>")
    (folder.parent / "etc.conf").write_text("secret")
    harmed = ARM if damage is None else damage.harm(ARM)
    mesh = FOOT if damage is None else damage.mesh
    if mesh is not None:
        data = mesh.encode() if isinstance(mesh, str) else mesh
        (place / "assets" / "foot.obj").write_bytes(data)
    file = place / "robot.xml"
    file.write_bytes(harmed.encode() if isinstance(harmed, str) else harmed)
    return file
