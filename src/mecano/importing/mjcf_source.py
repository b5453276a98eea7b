"""MJCF files and Menagerie folders as drafts: the robot without its scene, its actuators kept."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import mujoco
import numpy as np

from mecano.importing.draft import (
    ASSETS,
    LEAST_INERTIA,
    LEAST_MASS,
    Draft,
    Follower,
    Motor,
)
from mecano.importing.files import parse_xml, read_text
from mecano.importing.findings import Findings, UnreadableRobot
from mecano.importing.folders import SCENE_HINT
from mecano.importing.mjcf_actuators import Actuators
from mecano.importing.mjcf_attached import flattened
from mecano.importing.mjcf_checks import check_numbers, swap_reversed
from mecano.importing.mjcf_text import (
    Element,
    UniqueNames,
    add,
    body_named,
    identifier,
    parents,
)
from mecano.importing.packages import MESH_SUFFIXES

MERGED = (
    "default", "asset", "worldbody", "contact", "equality", "tendon", "actuator", "sensor",
    "keyframe", "custom", "extension", "deformable", "compiler",
)  # fmt: skip
"""Sections that may stand several times in a file, and are one after includes."""
DROPPED = ("option", "size", "visual", "statistic", "keyframe")
"""What belongs to a scene: physics, light, cameras and the start."""
FILES = {"mesh": "meshdir", "hfield": "meshdir", "texture": "texturedir", "skin": "meshdir"}
"""Assets with files, and the setting that says where they are."""
FACES = ("file", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")
DRAWN = (*MESH_SUFFIXES, ".skn", ".png", ".jpg", ".jpeg", ".hdr", ".ktx")
"""How the names of meshes and pictures end."""
NO_MASS = re.compile(r"mass and inertia of moving bodies.*Element name '([^']+)'")
NO_ROBOT = re.compile(r"scene|keyframe|actuators|mjx|_hand$|nohand|cube|texture", re.IGNORECASE)


def robot_file(folder: Path) -> Path:
    """Return the file of a Menagerie folder that is the robot: not the scene around it."""
    files = sorted(folder.glob("*.xml"))
    named = {file.name: file for file in files}
    scene = named.get("scene.xml")
    if scene is not None:
        included = re.findall(r'<include\s+file="([^"]+)"', read_text(scene)[0])
        for name in included:
            if name in named:
                return named[name]
    robots = [file for file in files if not NO_ROBOT.search(file.stem)]
    parts = set(re.split(r"[_\W]", folder.name))
    robots.sort(key=lambda file: (-len(parts & set(re.split(r"[_\W]", file.stem))), file.stem))
    if not robots:
        findings = Findings()
        findings.error("robot-empty", folder.name, "no MJCF file of a robot is in this folder")
        raise findings.unreadable()
    return robots[0]


def read_mjcf(source: Path, work: Path, *, allow_outside: bool = False) -> Draft:
    """Return the robot of an MJCF file; its meshes and textures are copied into the folder.

    Raises:
        UnreadableRobot: The file is broken, or MuJoCo refuses it.
    """
    file = robot_file(source) if source.is_dir() else source
    return _Source(file, work, allow_outside).draft()


class _Source:
    """One file on its way to a draft."""

    def __init__(self, file: Path, work: Path, allow_outside: bool) -> None:
        self.file, self.work, self.allow_outside = file, work, allow_outside
        self.findings = Findings()
        self._origins: dict[Element, Path] = {}
        """The folder of the file that names an asset."""

    def draft(self) -> Draft:
        xml = self._read(self.file, (self.file.resolve(),))
        xml = flattened(xml, self.file, self._include, self.findings)
        _merge(xml)
        self._copy_assets(xml)
        self._name_everything(xml)
        draft = Draft(
            name=identifier(xml.get("model") or self.file.stem), file=self.file,
            folder=self.work, xml=xml, root="", findings=self.findings,
        )  # fmt: skip
        whole = self._compile(draft)  # with its scene: keyframes count its joints
        states = _states(whole)
        draft.root, draft.free = self._take_robot(xml)
        actuators = Actuators(xml, whole)
        draft.followers = actuators.followers
        draft.motors = actuators.motors
        draft.keeps_actuators = bool(actuators.motors)
        for joint, kind in actuators.replaced.items():
            self.findings.warn(
                "actuator-replaced", f"actuator of {joint} ({self.file.name})",
                f"a {kind} cannot hold a position; a motor takes its place",
            )  # fmt: skip
        if not actuators.motors:
            draft.motors = {
                joint.get("name", ""): Motor(effort=None, speed=None)
                for joint in _joints(xml)
                if joint.get("name") not in {each.joint for each in draft.followers}
            }
            self.findings.note(
                "actuators-added", self.file.name, "has no actuators; every joint gets a motor"
            )
        kept = {joint.get("name") for joint in _joints(xml)}
        draft.states = {
            name: {joint: value for joint, value in values.items() if joint in kept}
            for name, values in states.items()
        }
        for tag in DROPPED:
            for each in xml.findall(tag):
                xml.remove(each)
        return draft

    def _compile(self, draft: Draft) -> mujoco.MjModel:
        """Return the model; bodies that move and have no mass get one, as those of a URDF do."""
        given: list[str] = []
        while True:
            try:
                model = draft.compile()
                break
            except UnreadableRobot as error:
                name = NO_MASS.search(error.findings[-1].message)
                if name is None or name[1] in given:
                    raise
                given.append(name[1])
                body = body_named(draft.xml, name[1])
                for old in body.findall("inertial"):
                    body.remove(old)
                add(body, "inertial", pos="0 0 0", mass=LEAST_MASS, diaginertia=[LEAST_INERTIA] * 3)
        if given:
            names = ", ".join(given[:6]) + (f" and {len(given) - 6} more" if given[6:] else "")
            self.findings.note(
                "mass-added", f"{names} ({self.file.name})",
                f"moves and has no mass; given {LEAST_MASS:g} kg, so that it can be simulated",
            )  # fmt: skip
        return model

    # --- reading

    def _read(self, file: Path, above: tuple[Path, ...]) -> Element:
        """Return the tree of a file with everything it includes."""
        text, noticed = read_text(file)
        self.findings.extend(noticed)
        parsed = parse_xml(text, file)
        if parsed.tag not in ("mujoco", "mujocoinclude") and len(above) == 1:
            self.findings.error("not-mjcf", file.name, "its root is not <mujoco>")
            raise self.findings.unreadable()
        wrong = Findings()
        check_numbers(parsed, wrong)
        self.findings.extend(wrong)
        if any(wrong):
            raise self.findings.unreadable()
        root = ET.fromstring(text.lstrip("\ufeff \t\r\n"))  # parse_xml has refused entities
        self._origins |= {each: file.parent for each in root.iter() if each.tag in FILES}
        for joint in root.iter("joint"):
            swap_reversed(joint, file.name, self.findings)
        for parent in list(root.iter()):
            for index, child in reversed(list(enumerate(parent))):
                if child.tag == "include":
                    parent.remove(child)
                    included = self._include(child.get("file", ""), file, above)
                    for offset, each in enumerate(list(included)):
                        parent.insert(index + offset, each)
        return root

    def _include(self, name: str, file: Path, above: tuple[Path, ...]) -> Element:
        place = (self.file.parent / name).resolve()
        if not place.is_file():
            place = (file.parent / name).resolve()
        inside = place.is_relative_to(self.file.parent.resolve())
        if place in above or not place.is_file() or not (inside or self.allow_outside):
            why = (
                "includes itself" if place in above
                else "is not there" if not place.is_file()
                else "lies outside the robot's folder; allow it with --allow-outside"
            )  # fmt: skip
            self.findings.error("include", f"include {name} ({file.name})", f"{name} {why}")
            raise self.findings.unreadable()
        return self._read(place, (*above, place))

    def _copy_assets(self, xml: Element) -> None:
        """Copy meshes and textures, each under a name of its own."""
        compiler = xml.find("compiler")
        if compiler is None:
            compiler = ET.Element("compiler")
            xml.insert(0, compiler)
        strip = compiler.attrib.pop("strippath", "false") == "true"
        common = compiler.attrib.pop("assetdir", "")
        folders = {key: compiler.attrib.pop(key, common) for key in ("meshdir", "texturedir")}
        names = UniqueNames()
        copied: dict[Path, str] = {}
        for asset in xml.findall("asset"):
            for each in asset:
                for key in FACES if each.tag in FILES else ():
                    reference = each.get(key)
                    if reference is None:
                        continue
                    folder = folders[FILES[each.tag]]
                    name = Path(reference).name if strip else reference
                    place = (self.file.parent / folder / name).resolve()
                    beside = (self._origins.get(each, self.file.parent) / folder / name).resolve()
                    if beside.is_file() and not place.is_file():
                        place = beside  # named from the folder of an included file
                    if key == "file" and each.tag != "texture" and each.get("name") is None:
                        each.set("name", Path(reference).stem)
                    if place not in copied:
                        copied[place] = self._copy(place, reference, names)
                    each.set(key, copied[place])
        if copied:
            compiler.set("meshdir", ASSETS)
            compiler.set("texturedir", ASSETS)

    def _copy(self, place: Path, reference: str, names: UniqueNames) -> str:
        inside = place.is_relative_to(self.file.parent.resolve())
        drawn = place.suffix.lower() in DRAWN  # as of a URDF: meshes may lie beside the folder
        if not place.is_file() or not (inside or drawn or self.allow_outside):
            why = (
                f"is not there (looked for {place})" if not place.is_file()
                else "lies outside the robot's folder and is no mesh or picture; allow it with "
                "--allow-outside"
            )  # fmt: skip
            self.findings.error(
                "mesh-missing", f"asset {reference} ({self.file.name})", f"it {why}"
            )
            raise self.findings.unreadable()
        stem = names(identifier(place.stem, otherwise="mesh"))
        folder = self.work / ASSETS
        folder.mkdir(exist_ok=True)
        shutil.copyfile(place, folder / f"{stem}{place.suffix.lower()}")
        return f"{stem}{place.suffix.lower()}"

    def _name_everything(self, xml: Element) -> None:
        """Give bodies and joints that have no name one."""
        for tag, word in (("body", "body"), ("joint", "joint")):
            found = [each for world in xml.findall("worldbody") for each in world.iter(tag)]
            names = UniqueNames(each.get("name", "") for each in found)
            for each in found:
                if not each.get("name"):
                    each.set("name", names(word))
        motors = _actuators(xml)
        names = UniqueNames(each.get("name", "") for each in motors)
        for each in motors:
            if not each.get("name"):
                each.set("name", names("actuator"))

    # --- the robot without its scene

    def _take_robot(self, xml: Element) -> tuple[str, bool | None]:
        """Leave only the robot in the model; return its root, and whether it is free."""
        world = xml.find("worldbody")
        if world is None:
            self.findings.error("robot-empty", self.file.name, "has no <worldbody>")
            raise self.findings.unreadable()
        robots = _robots(world, _driven(xml))
        left_out = []
        for each in list(world):
            robot = each in robots
            shape = each.tag == "geom" and each.get("type") != "plane" and _is_drawn_base(world)
            if not robot and not shape:
                world.remove(each)
                if each.tag == "body":
                    left_out.append(each.get("name", "a body"))
        if left_out:
            names = ", ".join(left_out[:6])
            self.findings.note("scene-left-out", self.file.name, f"left out of the robot: {names}")
        if not len(world):
            self.findings.error(
                "robot-empty", self.file.name,
                "no body in it has joints that turn or slide; free objects are no robot. "
                f"{SCENE_HINT}",
            )  # fmt: skip
            raise self.findings.unreadable()
        _drop_references(xml)
        if len(world) == 1 and world[0].tag == "body":
            root = world[0]
        else:
            taken = {body.get("name") for body in world.iter("body")}
            root = ET.Element("body", name="base" if "base" not in taken else "robot_base")
            for each in list(world):
                world.remove(each)
                root.append(each)
                for joint in [*each.findall("freejoint"), *each.findall("joint")]:
                    if joint.tag == "freejoint" or joint.get("type") == "free":
                        each.remove(joint)  # several in one file stand where they are
            world.append(root)
        free = False
        for joint in [*root.findall("freejoint"), *root.findall("joint")]:
            if joint.tag == "freejoint" or joint.get("type") == "free":
                root.remove(joint)
                free = True
        root.attrib.pop("pos", None)
        return root.get("name", ""), True if free else None


def _merge(xml: Element) -> None:
    """Make one section of those that includes have brought several times."""
    for tag in MERGED:
        found = xml.findall(tag)
        for other in found[1:]:
            first = found[0]
            if tag == "compiler":
                first.attrib.update(other.attrib)
            for each in list(other):
                known = first.find(each.tag) if tag == "default" and each.tag != tag else None
                if known is None:
                    first.append(each)
                else:  # what later defaults say holds
                    known.attrib.update(each.attrib)
            xml.remove(other)


def _joints(xml: Element) -> list[Element]:
    return [
        each
        for world in xml.findall("worldbody")
        for each in world.iter("joint")
        if each.get("type", "hinge") in ("hinge", "slide")
    ]


def _actuators(xml: Element) -> list[Element]:
    return [each for section in xml.findall("actuator") for each in section]


def _driven(xml: Element) -> set[str]:
    """Return the joints that actuators drive, through tendons too."""
    tendons = {each.get("name"): each for section in xml.findall("tendon") for each in section}
    found = set()
    for each in _actuators(xml):
        tendon = tendons.get(each.get("tendon"))
        joints = [] if tendon is None else [j.get("joint") for j in tendon.iter("joint")]
        found |= {each.get("joint"), each.get("jointinparent"), *joints}
    return {name for name in found if name}


def _robots(world: Element, driven: set[str]) -> list[Element]:
    """Return what of the world is the robot: what is driven, or else what has several joints."""
    jointed = {}
    for each in world:
        if each.tag in ("body", "frame", "attach", "replicate") and each.get("mocap") != "true":
            jointed[each] = [
                j.get("name", "") for j in each.iter("joint")
                if j.get("type", "hinge") in ("hinge", "slide")
                or (j.get("type") == "ball" and j.get("name") in driven)
            ]  # fmt: skip
    moved = [each for each, joints in jointed.items() if driven & set(joints)]
    most = max((len(joints) for joints in jointed.values()), default=0)
    return moved or [each for each, joints in jointed.items() if len(joints) >= min(most, 2) > 0]


def _is_drawn_base(world: Element) -> bool:
    """Tell whether shapes of the world may be the foot of a robot: there is no floor."""
    return not any(each.get("type") == "plane" for each in world.findall("geom"))


def _drop_references(xml: Element) -> None:
    """Remove what names bodies or joints that are gone."""
    names = {
        tag: {each.get("name") for each in xml.iter(tag)} | {"world"}
        for tag in ("body", "joint", "geom", "site", "camera")
    }
    keys = {
        "joint": "joint", "joint1": "joint", "joint2": "joint", "body": "body", "body1": "body",
        "body2": "body", "geom1": "geom", "geom2": "geom", "site": "site", "site1": "site",
        "site2": "site", "target": "body", "camera": "camera", "jointinparent": "joint",
        "cranksite": "site", "slidersite": "site", "refsite": "site",
    }  # fmt: skip
    kinds = {"xbody": "body"} | {kind: kind for kind in names}
    above = parents(xml)
    whole = {each: len(each) for section in xml.findall("tendon") for each in section}
    for tag in ("contact", "equality", "sensor", "actuator", "tendon", "worldbody"):
        for section in xml.findall(tag):
            for each in list(section.iter()):
                used = [(each.get(k), kind) for k, kind in keys.items() if k in each.attrib]
                used += [
                    (each.get(f"{k}name"), kinds[each.get(f"{k}type", "")])
                    for k in ("obj", "ref")
                    if each.get(f"{k}type") in kinds
                ]
                gone = [name for name, kind in used if name not in names[kind]]
                if gone and each in above and each is not section:
                    above[each].remove(each)
    _drop_broken_tendons(xml, whole)


def _drop_broken_tendons(xml: Element, whole: dict[Element, int]) -> None:
    """Remove tendons that lead along nothing any more, and what names them.

    A tendon through space that has lost a part of its path would take another one.
    """
    lost = set()
    for section in xml.findall("tendon"):
        for each in list(section):
            broken = each.tag == "spatial" and len(each) < whole[each]
            if broken or not [part for part in each if part.tag != "pulley"]:
                section.remove(each)
                lost.add(each.get("name"))
    for tag in ("actuator", "sensor", "equality"):
        for section in xml.findall(tag):
            for each in list(section):
                if {each.get("tendon"), each.get("tendon1"), each.get("tendon2")} & (lost - {None}):
                    section.remove(each)


def _states(model: mujoco.MjModel) -> dict[str, dict[str, float]]:
    """Return the keyframes as named postures."""
    found: dict[str, dict[str, float]] = {}
    for key in range(model.nkey):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_KEY, key) or f"key_{key}"
        values = {}
        for joint in range(model.njnt):
            if int(model.jnt_type[joint]) in (2, 3):
                value = float(model.key_qpos[key, int(model.jnt_qposadr[joint])])
                values[model.joint(joint).name] = value
        if np.isfinite(list(values.values())).all():
            found[name] = values
    return found


def add_couplings(xml: Element, coupled: tuple[Follower, ...]) -> None:
    """Add the constraints of joints that are made to follow others."""
    section = xml.find("equality")
    if section is None and coupled:
        section = ET.SubElement(xml, "equality")
    for each in coupled:
        assert section is not None
        add(section, "joint", name=f"{each.joint}_follows", joint1=each.joint, joint2=each.leader,
            polycoef=[each.offset, each.multiplier, 0, 0, 0], solref="0.004 1",
            solimp="0.99 0.999 0.001")  # fmt: skip
