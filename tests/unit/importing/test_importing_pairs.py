"""Two damages in one file: both are named in one pass, and `--fix` repairs what was named."""

import contextlib
import json
from itertools import combinations, islice

import pytest
from mjcf_samples import ARM as ARM_MJCF
from mjcf_samples import FOOT
from robot_files import dog_urdf, propeller_arm_urdf, write_urdf
from test_importing_repair import REPAIRS
from urdf_samples import ARM, DAMAGES, Damage, in_joint, in_link, write_arm

from mecano.cli.app import main
from mecano.importing.findings import UnreadableRobot
from mecano.importing.repair import repair_urdf
from mecano.importing.urdf import parse_urdf, read_urdf
from mecano.importing.urdf_checks import check_urdf
from mecano.importing.urdf_repair import simulatable

OF_THE_MODEL = {"self-collision", "effort-weak"}
"""Found by simulating, not by reading."""
SEEN_THROUGH_MESH = {"mesh-empty", "mesh-unreadable", "mesh-open", "units-millimetres", "mesh-tiny"}
"""What only a mesh that can be read shows."""
NATURAL = {
    "mesh missing": SEEN_THROUGH_MESH, "package missing": SEEN_THROUGH_MESH,
    "mesh of another case": SEEN_THROUGH_MESH, "mesh on the internet": SEEN_THROUGH_MESH,
    "mesh empty": SEEN_THROUGH_MESH, "mesh file of no bytes": SEEN_THROUGH_MESH,
    "mesh broken": SEEN_THROUGH_MESH,
    "mesh in millimetres": {"inertia-size"},  # the shape is as large as the inertia then
    "mass zero": {"units-millimetres"}, "mass NaN": {"units-millimetres"},  # inertia against mass
    "mass of a locomotive": {"units-millimetres"},
    "two links of one name": {"link-two-parents", "link-loop"},  # the link in question is gone
    "link without a name": {"link-two-parents", "link-loop"},
    "joint without a child": {"link-two-parents", "link-loop"},  # the circle is open
    "unknown parent": {"link-loop"}, "a link on itself": {"link-two-parents"},
    "two joints of one name": {"link-unknown", "link-loop"},
    "mimic of itself": {"mimic-fixed"}, "mimic of nobody": {"mimic-loop", "mimic-fixed"},
}  # fmt: skip
"""What a damage takes away from another: there is nothing left of it to be found."""


def span(damage: Damage) -> tuple[int, int]:
    """Return the part of the text that a damage changes: first and last character."""
    harmed = damage.harm(ARM)
    same = next((i for i, (a, b) in enumerate(zip(ARM, harmed, strict=False)) if a != b), len(ARM))
    back = zip(reversed(ARM[same:]), reversed(harmed[same:]), strict=False)
    return same, len(ARM) - next((i for i, (a, b) in enumerate(back) if a != b), 0)


def independent(one: Damage, other: Damage) -> bool:
    """Tell whether two damages change different parts of the text, and both leave most of it."""
    (start, end), (first, last) = span(one), span(other)
    small = max(end - start, last - first) < len(ARM) // 3
    return small and (end < first or last < start) and not (one.mesh and other.mesh)


def pairs() -> list[tuple[Damage, Damage]]:
    whole = [each for each in DAMAGES if len(each.harm(ARM)) > 0.7 * len(ARM)]
    known = [each for each in whole if each.code not in OF_THE_MODEL | {"xml-entities"}]
    return [(a, b) for a, b in combinations(known, 2) if independent(a, b)]


def codes_of(folder, text: str, *meshes) -> set[str]:
    file = write_arm(folder, text)
    for harm in meshes:
        if harm is not None:
            harm(folder / "meshes" / "fore.stl")
    try:
        robot = parse_urdf(file)
    except UnreadableRobot as error:
        return {each.code for each in error.findings}
    found = (*robot.findings, *simulatable(robot)[1], *check_urdf(robot))
    return {each.code for each in found}


def hidden(folder, chosen) -> list[str]:
    """Return which damages are not named beside another."""
    lost = []
    for one, other in chosen:
        # from the end of the text, so that the other's place stays what it was
        later, earlier = sorted((one, other), key=span, reverse=True)
        try:
            text = earlier.harm(later.harm(ARM))
        except AssertionError:
            continue
        found = codes_of(folder, text, one.mesh, other.mesh)
        for hides, damage in ((one, other), (other, one)):
            if damage.code not in found | NATURAL.get(hides.name, set()):
                lost.append(f"'{hides.name}' hides '{damage.name}' ({damage.code})")
    return lost


def test_most_damages_can_be_combined():
    assert len(pairs()) > 1000


def test_no_damage_hides_another_in_a_sample_of_pairs(tmp_path):
    assert hidden(tmp_path, islice(pairs(), 0, None, 12)) == []


@pytest.mark.slow
def test_no_damage_hides_another_in_all_pairs(tmp_path):
    assert hidden(tmp_path, pairs()) == []


TYPE = in_joint("shoulder", 'type="revolute"', 'type="swivelling"')
ELEMENT = in_link("upper", "<inertial>(.*)</inertial>", r"<inertal>\1</inertal>")


@pytest.mark.parametrize(
    ("first", "damage"),
    [
        *((TYPE, name) for name in (
            "axis not unit", "axis zero", "limits reversed", "limits zero", "effort zero",
            "effort missing", "effort negative", "velocity zero", "damping negative",
        )),
        *((ELEMENT, name) for name in (
            "inertia zero", "inertia triangle", "inertia negative", "mass negative", "mass zero",
            "mass NaN", "centre of mass outside",
        )),
    ],
)  # fmt: skip
def test_what_is_wrong_inside_a_wrong_word_is_named(tmp_path, first, damage):
    harm = next(each for each in DAMAGES if each.name == damage)
    found = codes_of(tmp_path, first(harm.harm(ARM)))
    assert harm.code in found and found & {"joint-type", "element-misspelt"}


def test_joints_and_links_outside_the_tree_are_checked(tmp_path):
    text = in_joint("elbow", '<parent link="upper"/>', '<parent link="nobody"/>')(ARM)
    text = in_joint("elbow", 'xyz="0 1 0"', 'xyz="0 7 0"')(text)
    text = in_joint("shoulder", 'lower="-1.5" upper="1.5"', 'lower="2" upper="-2"')(text)
    text = in_link("upper", 'ixx="0.0116"', 'ixx="-1"')(text)
    expected = {"link-unknown", "axis-not-unit", "limit-reversed", "inertia-not-positive"}
    assert expected <= codes_of(tmp_path, text)


@pytest.mark.parametrize("names", [*combinations(REPAIRS, 2)], ids="+".join)
def test_what_is_repaired_was_named_and_all_of_it_in_one_pass(tmp_path, names):
    text, wanted = ARM, set()
    for harm, code in (REPAIRS[name] for name in names):
        try:
            text = harm(text)
        except AssertionError:
            pytest.skip("both damage the same words")
        wanted.add(code)
    file = write_arm(tmp_path, text)
    named = {(each.code, each.where.split(" (")[0]) for each in read_urdf(file).findings}
    assert wanted <= {code for code, _ in named}
    repair = repair_urdf(file)
    assert {(line.code, line.where) for line in repair.lines} <= named
    assert repair.file is not None and read_urdf(repair.file).findings == ()
    assert repair_urdf(repair.file).lines == ()


def test_a_value_of_a_misspelt_attribute_is_repaired_at_once(tmp_path):
    text = in_joint("shoulder", '<axis xyz="0 1 0"/>', '<axiss xyz="0 2,5 0"/>')(ARM)
    text = in_joint("elbow", 'lower="-2.0" upper="2.0"', 'lowerr="2,0" upper="-2,0"')(text)
    file = write_arm(tmp_path, text)
    repair = repair_urdf(file)
    assert repair.file is not None
    fixed = repair.file.read_text()
    assert '<axis xyz="0 1 0"/>' in fixed and 'lower="-2.0" upper="2.0"' in fixed
    assert read_urdf(repair.file).findings == ()


# --- import and doctor say the same


def said(capsys, *words) -> list[dict]:
    with contextlib.suppress(SystemExit):
        main([*map(str, words), "--json"])
    return json.loads(capsys.readouterr().out)["findings"]


def files(folder):
    """Yield a clean arm, a damaged one, a quadruped, an arm as MJCF and what is no robot."""
    yield write_arm(folder / "clean")
    text = REPAIRS["axis"][0](in_joint("elbow", 'effort="20"', 'effort="0.1"')(ARM))
    yield write_arm(folder / "damaged", text)
    for name, urdf in (("dog", dog_urdf()), ("arm", propeller_arm_urdf())):
        (folder / name).mkdir()
        yield write_urdf(folder / name, urdf)
    (folder / "mjcf" / "assets").mkdir(parents=True)
    (folder / "mjcf" / "assets" / "foot.obj").write_text(FOOT)
    (folder / "mjcf" / "arm.xml").write_text(ARM_MJCF)
    yield folder / "mjcf" / "arm.xml"
    (folder / "none.urdf").write_text('<robot name="none"/>')
    yield folder / "none.urdf"


def test_import_and_check_robot_report_the_same_findings(tmp_path, capsys):
    for number, file in enumerate(files(tmp_path)):
        imported = said(capsys, "import", file, "--out", tmp_path / f"out_{number}")
        assert imported == said(capsys, "check-robot", file), file
