"""Files that are none: each gets a clear line, nothing is executed, nothing half written."""

import os
from itertools import pairwise

import pytest
from urdf_samples import ARM, write_arm

from mecano.importing.files import MAX_BYTES, MAX_DEPTH, parse_xml, read_text, read_xml, xml_bytes
from mecano.importing.findings import UnreadableRobot
from mecano.importing.packages import Packages
from mecano.importing.urdf import parse_urdf, read_urdf

ENTITIES = "".join(f'<!ENTITY {b} "&{a};&{a};">' for a, b in pairwise("abcdefghijk"))
LAUGHS = f'<!DOCTYPE x [<!ENTITY a "ha">{ENTITIES}]><robot name="&k;"><link name="a"/></robot>'
EXTERNAL = b"<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot>&x;</robot>"


def code_of(file) -> str:
    with pytest.raises(UnreadableRobot) as refused:
        read_urdf(file)
    assert len(refused.value.findings[0].message) > 10
    return refused.value.findings[0].code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file-empty"),
        (b"   \n\t ", "file-empty"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "file-binary"),
        (bytes(range(1, 256)) * 10, "not-xml"),
        (b"hello there", "not-xml"),
        (b"<robot><link name='a'></robot>", "xml-syntax"),
        (b"<robot", "xml-syntax"),
        (b"<!-- only a comment -->", "xml-syntax"),
        (LAUGHS.encode(), "xml-entities"),
        (b"<!DOCTYPE r SYSTEM 'file:///etc/passwd'><robot/>", "xml-entities"),
        (EXTERNAL, "xml-entities"),
        (b"<robot>&unknown;</robot>", "xml-syntax"),
        (b"<a>" * (MAX_DEPTH + 1) + b"</a>" * (MAX_DEPTH + 1), "xml-too-deep"),
        (b"<sdf version='1.6'/>", "not-urdf"),
        (b"<robot name='r'/>", "robot-empty"),
        (b"\xff\xfe<\0r\0", "xml-syntax"),
        (b"\xff\xfe<", "file-encoding"),
    ],
)  # fmt: skip
def test_content_that_is_no_robot_is_refused_by_name(tmp_path, content, code):
    file = tmp_path / "robot.urdf"
    file.write_bytes(content)
    assert code_of(file) == code


def test_half_a_gigabyte_is_refused_without_being_read(tmp_path, monkeypatch):
    file = tmp_path / "robot.urdf"
    with file.open("wb") as writer:
        writer.truncate(500_000_000)  # a hole: no disk is used

    def read_bytes(_):
        raise AssertionError("it was read")

    monkeypatch.setattr("pathlib.Path.read_bytes", read_bytes)
    assert code_of(file) == "file-too-large"


def test_folders_pipes_and_missing_files_are_refused(tmp_path):
    assert code_of(tmp_path) == "file-none"
    assert code_of(tmp_path / "missing.urdf") == "file-missing"
    os.mkfifo(tmp_path / "pipe.urdf")
    assert code_of(tmp_path / "pipe.urdf") == "file-none"


def test_limit_of_bytes_holds_exactly(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_bytes(b"<robot/>" + b" " * (MAX_BYTES - 8))
    assert read_text(file)[0].startswith("<robot/>")
    file.write_bytes(b"<robot/>" + b" " * (MAX_BYTES - 7))
    with pytest.raises(UnreadableRobot, match="20 MB"):
        read_text(file)


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [("utf-8", "utf-8"), ("utf-16", "utf-16"), ("latin-1", "ISO-8859-1"), ("utf-8-sig", "utf-8")],
)
def test_declared_encodings_are_read(tmp_path, encoding, declared):
    file = tmp_path / "robot.urdf"
    head = f'<?xml version="1.0" encoding="{declared}"?>'
    text = f'{head}\n<robot name="Müller"><link name="ñ"/></robot>'
    file.write_bytes(text.encode(encoding))
    robot = parse_urdf(file)
    assert robot.name == "Müller" and "ñ" in robot.links
    assert "file-encoding" not in {each.code for each in robot.findings}


def test_text_of_another_encoding_is_read_with_a_finding(tmp_path):
    file = tmp_path / "robot.urdf"
    file.write_bytes(
        '<robot name="a">\n<!-- 90° -->\n<link name="Müller"/></robot>'.encode("cp1252")
    )
    robot = parse_urdf(file)
    found = next(each for each in robot.findings if each.code == "file-encoding")
    assert "line 2" in found.message and "Müller" in robot.links


@pytest.mark.parametrize(
    "name", ["手臂", "рука", "ذراع", "βραχίων", "bras_é", "🦾", "a b", "x" * 300]
)
def test_names_in_any_alphabet_are_kept(tmp_path, name):
    file = write_arm(tmp_path, ARM.replace('"upper"', f'"{name}"'))
    assert name in read_urdf(file).links


def test_every_element_knows_its_line_and_its_bytes(tmp_path):
    file = write_arm(tmp_path)
    root, _ = read_xml(file)
    data = xml_bytes(ARM)
    lines = ARM.splitlines()
    for element in root.walk():
        assert f"<{element.tag}" in lines[element.line - 1]
        assert data[element.start :].startswith(f"<{element.tag}".encode())


def test_blank_lines_before_the_first_element_are_counted(tmp_path):
    root = parse_xml("\n\n<robot>\n<link name='a'/></robot>", tmp_path / "x.urdf")
    assert (root.line, root.children[0].line) == (3, 4)


# --- packages -----------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path):
    """A package with a robot, one whose folder has another name, and one elsewhere."""
    package = tmp_path / "ws" / "arm_description"
    for folder in ("urdf", "meshes"):
        (package / folder).mkdir(parents=True)
    (package / "meshes" / "link.stl").write_text("x")
    (package / "urdf" / "arm.urdf").write_text("<robot/>")
    other = tmp_path / "ws" / "folder_of_another_name"
    (other / "meshes").mkdir(parents=True)
    (other / "meshes" / "hand.dae").write_text("x")
    (other / "package.xml").write_text("<package><name> hand_description </name></package>")
    return tmp_path


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("package://arm_description/meshes/link.stl", "link.stl"),
        ("package:///arm_description/meshes/link.stl", "link.stl"),
        ("model://arm_description/meshes/link.stl", "link.stl"),
        ("package://hand_description/meshes/hand.dae", "hand.dae"),
        ("../meshes/link.stl", "link.stl"),
        ("../meshes\\link.stl", "link.stl"),
        ("package://arm%5Fdescription/meshes/link.stl", "link.stl"),
    ],
)
def test_references_are_found(tree, reference, found):
    packages = Packages(tree / "ws" / "arm_description" / "urdf" / "arm.urdf")
    resolved = packages.resolve(reference)
    assert resolved.file is not None and resolved.file.name == found
    assert not resolved.guessed and not resolved.outside


def test_absolute_references_are_found_and_called_outside(tree, tmp_path):
    mesh = tmp_path / "elsewhere.stl"
    mesh.write_text("x")
    packages = Packages(tree / "ws" / "arm_description" / "urdf" / "arm.urdf")
    assert packages.resolve(f"file://{mesh}").outside
    assert packages.resolve(str(mesh)).outside


def test_package_of_another_name_is_guessed_by_what_it_holds(tree):
    packages = Packages(tree / "ws" / "arm_description" / "urdf" / "arm.urdf")
    resolved = packages.resolve("package://renamed/meshes/link.stl")
    assert resolved.file is not None and resolved.guessed


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("../meshes/Link.STL", "link.stl"),
        ("../meshes/link.dae", "link.stl"),
        ("package://hand_description/meshes/hand.stl", "hand.dae"),
        ("http://example.org/x.stl", "never fetched"),
    ],
)
def test_missing_files_are_explained(tree, reference, hint):
    resolved = Packages(tree / "ws" / "arm_description" / "urdf" / "arm.urdf").resolve(reference)
    assert resolved.file is None and hint in resolved.hint


def test_missing_package_says_where_it_was_looked_for(tree):
    packages = Packages(tree / "ws" / "arm_description" / "urdf" / "arm.urdf")
    resolved = packages.resolve("package://nowhere/meshes/none.stl")
    assert resolved.file is None and str(tree / "ws") in resolved.looked


def test_given_package_folders_are_searched(tree, tmp_path):
    far = tmp_path / "far" / "away"
    (far / "special").mkdir(parents=True)
    (far / "special" / "x.stl").write_text("x")
    file = tree / "ws" / "arm_description" / "urdf" / "arm.urdf"
    reference = "package://special/x.stl"
    assert Packages(file).resolve(reference).file is None
    assert Packages(file, [far]).resolve(reference).file is not None
    assert Packages(file, [far / "special"]).resolve(reference).file is not None


def test_ros_package_path_is_searched(tree, tmp_path, monkeypatch):
    (tmp_path / "ros" / "share" / "special").mkdir(parents=True)
    (tmp_path / "ros" / "share" / "special" / "x.stl").write_text("x")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    file = tree / "ws" / "arm_description" / "urdf" / "arm.urdf"
    assert Packages(file).resolve("package://special/x.stl").file is not None


def test_strange_references_do_no_harm(tree):
    packages = Packages(tree / "ws" / "arm_description" / "urdf" / "arm.urdf")
    for reference in (
        "\0",
        "package://",
        "package:///",
        "package://..",
        "x" * 5000,
        "://",
        "file://",
    ):
        assert packages.resolve(reference).file is None
