"""`--fix`: one right answer or none, the rest of the file untouched, nothing half written."""

# ruff: noqa: E501 (the table of repairs has one line for each)

import difflib

import numpy as np
import pytest
from urdf_samples import ARM, in_joint, in_link, swap, write_arm

from mecano.importing.inertia import principal, triangle_excess
from mecano.importing.repair import repair_urdf
from mecano.importing.urdf import parse_urdf, read_urdf

ZERO = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
REPAIRS = {
    "axis": (in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 3 4"'), "axis-not-unit"),
    "limits": (in_joint("elbow", 'lower="-2.0" upper="2.0"', 'lower="2.0" upper="-2.0"'), "limit-reversed"),
    "inertia zero": (in_link("upper", r"<inertia [^>]*/>", ZERO), "inertia-zero"),
    "inertia sign": (in_link("upper", 'ixx="0.0116"', 'ixx="-0.0116"'), "inertia-not-positive"),
    "comma": (in_joint("elbow", 'xyz="0 0 0.3"', 'xyz="0 0 0,3"'), "number-invalid"),
    "element": (in_link("upper", "<inertial>(.*)</inertial>", r"<inertal>\1</inertal>"), "element-misspelt"),
    "attribute": (in_joint("shoulder", "lower=", "lowr="), "attribute-misspelt"),
    "joint type": (swap('type="revolute"', 'type="revolut"'), "joint-type"),
    "mesh case": (swap("meshes/fore.stl", "meshes/Fore.STL"), "mesh-missing"),
    "mesh suffix": (swap("meshes/fore.stl", "meshes/fore.dae"), "mesh-missing"),
    "mesh place": (swap("meshes/fore.stl", "package://gone/meshes/fore.stl"), "package-path"),
}  # fmt: skip


def codes(file) -> set[str]:
    return {each.code for each in read_urdf(file).findings}


@pytest.mark.parametrize("name", REPAIRS)
def test_what_has_one_right_answer_is_repaired(tmp_path, name):
    harm, code = REPAIRS[name]
    file = write_arm(tmp_path, harm(ARM))
    assert code in codes(file)
    repair = repair_urdf(file)
    assert repair.file == (fixed := tmp_path / "arm.fixed.urdf")
    assert read_urdf(fixed).findings == ()
    assert repair.lines and all(line.before != line.after for line in repair.lines)


@pytest.mark.parametrize("name", REPAIRS)
def test_only_the_lines_in_question_change(tmp_path, name):
    damaged = REPAIRS[name][0](ARM)
    repair = repair_urdf(write_arm(tmp_path, damaged))
    assert repair.file is not None
    fixed = repair.file.read_text().splitlines()
    changed = [line for line in difflib.ndiff(damaged.splitlines(), fixed) if line.startswith("- ")]
    assert 1 <= len(changed) <= 2


def test_the_original_is_left_alone(tmp_path):
    damaged = REPAIRS["axis"][0](ARM)
    file = write_arm(tmp_path, damaged)
    repair_urdf(file)
    assert file.read_text() == damaged
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "arm.fixed.urdf", "arm.urdf", "meshes",
    ]  # fmt: skip


def test_in_place_replaces_the_original(tmp_path):
    file = write_arm(tmp_path, REPAIRS["axis"][0](ARM))
    assert repair_urdf(file, in_place=True).file == file
    np.testing.assert_allclose(parse_urdf(file).joints["shoulder"].axis, [0, 0.6, 0.8])
    assert sorted(each.name for each in tmp_path.iterdir()) == ["arm.urdf", "meshes"]


def test_repairing_twice_changes_nothing_more(tmp_path):
    text = ARM
    for harm, _ in (REPAIRS["axis"], REPAIRS["limits"], REPAIRS["inertia zero"], REPAIRS["comma"]):
        text = harm(text)
    file = write_arm(tmp_path, text)
    assert len(repair_urdf(file, in_place=True).lines) == 5
    again = repair_urdf(file, in_place=True)
    assert again.file is None and again.lines == ()


def test_repaired_inertia_is_that_of_the_shapes(tmp_path):
    repair = repair_urdf(write_arm(tmp_path, REPAIRS["inertia zero"][0](ARM)))
    assert repair.file is not None
    inertial = parse_urdf(repair.file).links["upper"].inertial
    assert inertial is not None
    assert principal(inertial.inertia)[0] > 0.0 and triangle_excess(inertial.inertia) <= 0.0
    radius, length, mass = 0.03, 0.24, 1.5  # of the collision shape
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    np.testing.assert_allclose(np.diag(inertial.inertia)[:2], across, rtol=0.01)


def test_inertia_of_a_turned_frame_is_written_in_that_frame(tmp_path):
    turn = in_link("upper", 'xyz="0 0 0.15"', 'xyz="0 0 0.15" rpy="0 1.5707963267948966 0"')
    damaged = turn(REPAIRS["inertia zero"][0](ARM))
    repair = repair_urdf(write_arm(tmp_path, damaged))
    assert repair.file is not None
    inertial = parse_urdf(repair.file).links["upper"].inertial
    assert inertial is not None
    assert np.argmin(np.diag(inertial.inertia)) == 0  # the cylinder lies along x of that frame


def test_broken_encoding_is_saved_as_utf_8(tmp_path):
    file = write_arm(tmp_path)
    head = '<?xml version="1.0" encoding="ascii"?>'
    file.write_bytes(
        ARM.replace('<?xml version="1.0"?>', head).replace("base", "bäse").encode("cp1252")
    )
    repair = repair_urdf(file)
    assert repair.file is not None and 'encoding="utf-8"' in repair.file.read_text(encoding="utf-8")
    assert "bäse" in read_urdf(repair.file).links


@pytest.mark.parametrize(
    "harm",
    [
        in_link("upper", '<mass value="1.5"/>', '<mass value="0"/>'),
        in_link("upper", '<mass value="1.5"/>', '<mass value="-1.5"/>'),
        swap('<joint name="elbow"', '<joint name="shoulder"'),
        in_joint("shoulder", 'xyz="0 1 0"', 'xyz="0 0 0"'),
        in_joint("shoulder", 'lower="-1.5" upper="1.5"', 'lower="0" upper="0"'),
        swap('scale="1 1 1"', 'scale="1000 1000 1000"'),
        swap('scale="1 1 1"', 'scale="-1 1 1"'),
        swap('<mimic joint="left"', '<mimic joint="right"'),
        lambda text: text,
    ],
)
def test_what_has_no_single_answer_is_left_to_the_person(tmp_path, harm):
    repair = repair_urdf(write_arm(tmp_path, harm(ARM)))
    assert repair.file is None and repair.lines == ()
    assert not (tmp_path / "arm.fixed.urdf").exists()


@pytest.mark.parametrize("text", ["", "<robot", "<mujoco/>", "no xml", "<robot><xacro:x/></robot>"])
def test_what_is_no_urdf_is_not_touched(tmp_path, text):
    file = write_arm(tmp_path, text)
    repair = repair_urdf(file)
    assert repair.file is None and repair.summary
    assert file.read_text() == text


def test_failure_to_write_leaves_nothing_behind(tmp_path, monkeypatch):
    file = write_arm(tmp_path, REPAIRS["axis"][0](ARM))
    before = file.read_text()

    def replace(*_):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", replace)
    with pytest.raises(OSError, match="disk full"):
        repair_urdf(file, in_place=True)
    assert file.read_text() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["arm.urdf", "meshes"]
