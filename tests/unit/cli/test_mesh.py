"""`mecano mesh`: facts with units, files that load again, and one line for what is wrong."""

from itertools import product

import mujoco
import numpy as np
import pytest

from mecano.world import meshes
from mecano.world.meshes import Mesh

CORNERS = np.array(list(product((0.0, 1.0), repeat=3)))


def box_in_mm(file, *, keep: int = 12):
    """Write a box of 60 x 40 x 30 mm, drawn in millimetres, with some of its triangles."""
    hull = Mesh(CORNERS * (60.0, 40.0, 30.0), np.array([[0, 1, 2]])).hull()
    meshes.write(Mesh(hull.vertices, hull.triangles[:keep]), file)
    return file


@pytest.fixture
def part(tmp_path):
    return box_in_mm(tmp_path / "part.stl")


def test_facts_have_units(mecano, part):
    answer = mecano("mesh", part, "--scale", 0.001, "--density", 1240)
    assert answer.code == 0
    for text in (
        "triangles  12", "vertices   8", "0.06 x 0.04 x 0.03 m", "closed     yes", "72 cm3",
        "0.08928 kg, at 1240 kg/m3", "(0.03, 0.02, 0.015) m", "kg m2",
    ):  # fmt: skip
        assert text in answer.out
    assert answer.err == ""


def test_json_has_the_numbers(mecano, part):
    facts = mecano("mesh", part, "--scale", 0.001, "--density", 1000, "--json").json
    assert facts["closed"] is True and facts["open_edges"] == 0 and facts["written"] == []
    assert facts["volume_m3"] == pytest.approx(7.2e-5)
    assert facts["mass_kg"] == pytest.approx(0.072)
    wanted = 0.072 / 12 * np.array([0.04**2 + 0.03**2, 0.06**2 + 0.03**2, 0.06**2 + 0.04**2])
    assert np.diag(facts["inertia_kg_m2"]) == pytest.approx(wanted)


def test_without_a_density_there_is_no_mass(mecano, part):
    assert mecano("mesh", part, "--json").json["mass_kg"] is None


def test_millimetres_are_suspected(mecano, part):
    assert "--scale 0.001" in mecano("mesh", part).err


@pytest.mark.parametrize("name", ["out.obj", "out.stl"])
def test_what_is_written_is_in_metres(mecano, part, tmp_path, name):
    mecano("mesh", part, "--scale", 0.001, "--out", tmp_path / name)
    again = mecano("mesh", tmp_path / name, "--json").json
    assert again["size_m"] == pytest.approx([0.06, 0.04, 0.03])


def test_simplified_says_how_far_it_is_from_the_original(mecano, tmp_path):
    points = np.random.default_rng(1).normal(size=(300, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    meshes.write(Mesh(points, np.array([[0, 1, 2]])).hull(), tmp_path / "ball.stl")
    answer = mecano("mesh", tmp_path / "ball.stl", "--triangles", 100)
    assert "triangles  100" in answer.out and "mm at most from the original" in answer.out


def test_a_simplified_hull_is_still_convex(mecano, tmp_path):
    points = np.random.default_rng(1).normal(size=(300, 3))
    meshes.write(Mesh(points, np.arange(300).reshape(-1, 3)), tmp_path / "cloud.stl")
    facts = mecano("mesh", tmp_path / "cloud.stl", "--hull", "--triangles", 30, "--json").json
    assert facts["triangles"] <= 30 and facts["closed"]
    assert facts["volume_m3"] == pytest.approx(facts["hull_volume_m3"])


@pytest.mark.parametrize("fit", [(), ("--fit", "box"), ("--fit", "cylinder"), ("--fit", "sphere")])
def test_a_scene_of_the_part_takes_a_robot(mecano, part, tmp_path, fit):
    scene = tmp_path / "bench.xml"
    answer = mecano("mesh", part, "--scale", 0.001, "--density", 1000, "--mjcf", scene, *fit)
    assert answer.code == 0 and str(scene) in answer.out
    tree = mecano("scene", scene, "--robot", "open_manipulator_x", "--json").json["tree"]
    body = next(each for each in tree["bodies"] if each["name"] == "bench")
    seen, touched = body["shapes"]
    assert body["mass_kg"] == 0.072 and body["joints"] == ["bench"]
    assert seen["renderable"] and not seen["respondable"]
    assert touched["respondable"] and not touched["renderable"]
    assert touched["kind"] == (fit[1] if fit else "mesh")


def test_an_open_mesh_weighs_what_its_hull_does(mecano, tmp_path):
    part = box_in_mm(tmp_path / "open.stl", keep=11)
    answer = mecano("mesh", part, "--scale", 0.001, "--density", 1000, "--mjcf", tmp_path / "a.xml")
    assert "closed     no, 3 edges" in answer.out and "0.072 kg" in answer.out
    assert "those of its hull" in answer.err
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "a.xml"))
    assert model.body("a").mass[0] == pytest.approx(0.072)


def stl(corners) -> bytes:
    """Return a binary STL of triangles (m, 3, 3)."""
    corners = np.asarray(corners, dtype="<f4")
    records = b"".join(bytes(12) + each.tobytes() + bytes(2) for each in corners)
    return bytes(80) + np.uint32(len(corners)).tobytes() + records


BROKEN = {
    "empty.stl": (b"", "cut off"),
    "short.stl": (b"abc", "cut off"),
    "cut.stl": (stl(np.eye(3)[None])[:-20], "1 triangles need 134 bytes, it has 114"),
    "none.stl": (stl(np.zeros((0, 3, 3))), "no triangles"),
    "nan.stl": (
        stl([[[0, 0, 0], [1, np.nan, 0], [0, 1, 0]]]),
        "triangle 1: a corner is at (1, nan",
    ),
    "far.stl": (stl([[[0, 0, 0], [1e30, 0, 0], [0, 1, 0]]]), "up to 1e+09"),
    "point.stl": (stl(np.ones((4, 3, 3))), "none of its 4 triangles has an area"),
    "line.stl": (stl([[[0, 0, 0], [1, 0, 0], [2, 0, 0]]]), "none of its 1 triangles has an area"),
    "text.stl": (b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "endsolid"),
    "words.stl": (b"solid a\nfacet\nouter loop\nvertex 0 a 0\nendsolid", "line 4"),
    "two.stl": (b"solid a\nvertex 0 0 0\nvertex 1 0 0\nendfacet\nendsolid", "broken"),
    "empty.obj": (b"", "no triangles"),
    "index.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: corner '4'"),
    "zero.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "line 4: corner '0'"),
    "pair.obj": (b"v 0 0 0\nv 1 0 0\nf 1 2\n", "three corners, has 2"),
    "word.obj": (b"v 0 0 \xff\n", "line 1"),
    "part.dae": (b"<xml/>", "no COLLADA"),
    "part.step": (b"ISO-10303-21;", ".stl, .obj, .dae, .ply"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_one_line(fails_cleanly, tmp_path, name):
    data, says = BROKEN[name]
    (tmp_path / name).write_bytes(data)
    fails_cleanly("mesh", tmp_path / name, says=(name, says))


def test_a_missing_file_and_a_folder_are_one_line(fails_cleanly, tmp_path):
    fails_cleanly("mesh", tmp_path / "no.stl", says=("no.stl", "No such file"))
    (tmp_path / "folder.stl").mkdir()
    fails_cleanly("mesh", tmp_path / "folder.stl", says=("folder.stl", "directory"))


def test_a_flat_mesh_is_measured_but_has_no_hull(mecano, fails_cleanly, tmp_path):
    flat = tmp_path / "flat.stl"
    flat.write_bytes(stl([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]))
    assert "none, the mesh is flat" in mecano("mesh", flat).out
    fails_cleanly("mesh", flat, "--hull", says=("flat", "no convex hull"))
    fails_cleanly("mesh", flat, "--mjcf", tmp_path / "a.xml", says=("flat", "no convex hull"))
    fails_cleanly("mesh", flat, "--density", 1000, says=("3 open edges",))
    assert not (tmp_path / "a.xml").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--triangles", 3), "4 or more"),
        (("--triangles", -7), "4 or more"),
        (("--triangles", "many"), "--triangles"),
        (("--scale", 0), "scale"),
        (("--scale", "nan"), "scale"),
        (("--density", -1), "density [kg/m3]"),
        (("--fit", "box"), "--mjcf"),
        (("--fit", "cone", "--mjcf", "a.xml"), "box, cylinder, sphere"),
        (("--out", "part.dae"), ".obj or .stl"),
        (("--out", "no/such/part.obj"), "no/such"),
        (("--mjcf", "part.urdf"), ".xml"),
        (("--simplify", 3), "--triangles"),
    ],
)
def test_a_wrong_option_is_one_line(fails_cleanly, part, monkeypatch, words, says):
    monkeypatch.chdir(part.parent)
    fails_cleanly("mesh", part, *words, says=(says,))


def test_the_original_is_never_written_over(fails_cleanly, part, tmp_path):
    before = part.read_bytes()
    fails_cleanly("mesh", part, "--out", part, says=("over the original",))
    seen = box_in_mm(tmp_path / "a_visual.obj")
    fails_cleanly("mesh", seen, "--mjcf", tmp_path / "a.xml", says=("over the original",))
    assert part.read_bytes() == before


def test_more_triangles_than_there_are_changes_nothing(mecano, part):
    answer = mecano("mesh", part, "--scale", 0.001, "--triangles", 10**12)
    assert answer.code == 0 and "nothing to simplify" in answer.err
    assert "triangles  12" in answer.out
