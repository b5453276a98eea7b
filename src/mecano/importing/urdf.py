"""Reads a URDF or xacro file into dataclasses, with a finding for everything odd in it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mecano.importing.files import Element, parse_xml, read_text
from mecano.importing.findings import Findings
from mecano.importing.packages import Packages
from mecano.importing.srdf import srdf_of
from mecano.importing.urdf_friction import directed_friction
from mecano.importing.urdf_joints import JointReader
from mecano.importing.urdf_links import LinkReader
from mecano.importing.urdf_model import Geometry as Geometry
from mecano.importing.urdf_model import Inertial as Inertial
from mecano.importing.urdf_model import Joint as Joint
from mecano.importing.urdf_model import Limit as Limit
from mecano.importing.urdf_model import Link as Link
from mecano.importing.urdf_model import Mimic as Mimic
from mecano.importing.urdf_model import Shape as Shape
from mecano.importing.urdf_model import UrdfRobot as UrdfRobot
from mecano.importing.urdf_repair import simulatable
from mecano.importing.urdf_spelling import check_spelling
from mecano.importing.urdf_tree import check_mimic, one_tree
from mecano.importing.xacro_files import expand_xacro, is_xacro


def read_urdf(
    file: Path,
    *,
    arguments: Mapping[str, str] | None = None,
    packages: Sequence[Path] = (),
    allow_outside: bool = False,
) -> UrdfRobot:
    """Read a robot that can be simulated wherever there is one sensible way to repair the file.

    Args:
        file: URDF or xacro.
        arguments: Of xacro files (`name:=value`).
        packages: Packages, or folders with packages, that `package://` and `$(find)` may mean.
        allow_outside: Let xacro include files outside the robot's folder and its packages.

    Returns:
        The robot; `findings` says what is wrong with the file and what was taken instead.

    Raises:
        UnreadableRobot: Nothing can be made of the file; its `findings` say why.
    """
    robot = parse_urdf(file, arguments=arguments, packages=packages, allow_outside=allow_outside)
    repaired, findings = simulatable(robot)
    return replace(repaired, findings=(*robot.findings, *findings))


def parse_urdf(
    file: Path,
    *,
    arguments: Mapping[str, str] | None = None,
    packages: Sequence[Path] = (),
    allow_outside: bool = False,
) -> UrdfRobot:
    """Read a robot as its file has it; masses, inertias and limits are not repaired."""
    file = Path(file)
    text, noticed = read_text(file)
    findings = Findings(noticed)
    known = Packages(file, packages, allow_outside=allow_outside)
    root = parse_xml(text, file)
    includes: tuple[Path, ...] = ()
    if is_xacro(root, file):
        root, includes, noticed = expand_xacro(file, arguments=arguments or {}, packages=known)
        findings.extend(noticed)
    elif arguments:
        findings.warn(
            "xacro-argument", file.name,
            f"is no xacro file, so the arguments {', '.join(arguments)} change nothing",
        )  # fmt: skip
    if root.tag != "robot":
        kind = {"mujoco": "an MJCF file", "sdf": "an SDF file"}.get(root.tag, "no URDF")
        findings.error(
            "not-urdf", f"{root.file.name}:{root.line}",
            f"its root is <{root.tag}>, a URDF has <robot>; this is {kind}",
        )  # fmt: skip
        raise findings.unreadable()
    robot = _robot(root, file, known, findings)
    return replace(robot, includes=includes, findings=tuple(findings))


def _robot(root: Element, file: Path, packages: Packages, findings: Findings) -> UrdfRobot:
    check_spelling(root, findings)
    reader, joint_reader = LinkReader(packages, findings), JointReader(findings)
    for material in root.all("material"):
        colour = reader.colour(material, owner=f"material {material.attributes.get('name', '')}")
        if colour is not None:
            reader.materials.setdefault(material.attributes.get("name", ""), colour)
    for element in root.walk():  # a colour may be given inside one link and used in the next
        if element.tag == "material" and element.first("color") is not None:
            name = element.attributes.get("name", "")
            if name and name not in reader.materials:
                colour = reader.colour(element, owner=f"material {name}")
                if colour is not None:
                    reader.materials[name] = colour
    links = [reader.link(each) for each in root.all("link")]
    joints = [joint_reader.joint(each) for each in root.all("joint")]
    named, connected, top = one_tree(links, joints, findings, file=file.name)
    used = {id(each) for each in (*named.values(), *connected.values())}
    strays = tuple(joint for joint in joints if id(joint) not in used)
    connected = check_mimic(connected, strays, findings, file=file.name)
    name = root.attributes.get("name", "")
    if not name:
        name = file.name.split(".")[0]
        findings.warn(
            "name-missing", f"robot ({root.place})", f"<robot> has no name; '{name}' was taken"
        )
    srdf, noticed = srdf_of(file, name, set(connected), set(named))
    findings.extend(noticed)
    return UrdfRobot(
        name=name,
        links=named,
        joints=connected,
        root=top,
        file=file,
        srdf=srdf,
        friction=directed_friction(root, set(named)),
        stray_links=tuple(link for link in links if id(link) not in used),
        stray_joints=strays,
        actuated=frozenset(
            each.attributes.get("name", "")
            for transmission in root.all("transmission")
            for each in transmission.all("joint")
        ),
    )
