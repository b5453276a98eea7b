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


@pytest.fixture
def pair(part, tmp_path):
    """Return two boxes in one file: the part, and one of twice its size beside it."""
    small = meshes.read(part)
    large = Mesh(2.0 * small.vertices + (200.0, 0.0, 0.0), small.triangles)
    meshes.write(meshes.merged([small, large]), tmp_path / "pair.stl")
    return tmp_path / "pair.stl"


def test_several_files_are_merged_into_one(mecano, part, tmp_path):
    box = meshes.read(part)
    other = Mesh(box.vertices + np.array([100.0, 0.0, 0.0]), box.triangles)
    meshes.write(other, tmp_path / "other.obj")
    words = ("--scale", 0.001, "--out", tmp_path / "both.obj", "--json")
    facts = mecano("mesh", part, tmp_path / "other.obj", *words).json
    assert facts["triangles"] == 24 and facts["closed"] and len(facts["files"]) == 2
    assert facts["volume_m3"] == pytest.approx(2 * 7.2e-5)
    assert meshes.read(tmp_path / "both.obj").volume == pytest.approx(2 * 7.2e-5)


def test_split_writes_each_body_the_largest_first(mecano, pair, tmp_path):
    words = ("--scale", 0.001, "--split", "--density", 1000, "--out", tmp_path / "part.obj")
    answer = mecano("mesh", pair, *words)
    assert "part 0     12 triangles, 0.12 x 0.08 x 0.06 m, closed, 0.576 kg" in answer.out
    assert "part 1     12 triangles, 0.06 x 0.04 x 0.03 m, closed, 0.072 kg" in answer.out
    volumes = [meshes.read(tmp_path / f"part_{k}.obj").volume for k in (0, 1)]
    assert volumes == pytest.approx([8 * 7.2e-5, 7.2e-5])


def test_split_numbers_add_up(mecano, pair):
    facts = mecano("mesh", pair, "--scale", 0.001, "--split", "--density", 1000, "--json").json
    for key in ("triangles", "vertices", "area_m2", "volume_m3", "hull_volume_m3", "mass_kg"):
        assert facts[key] == pytest.approx(sum(each[key] for each in facts["parts"]))


def test_a_scene_of_split_parts_has_a_body_for_each_whose_properties_can_be_edited(
    mecano, pair, tmp_path
):
    scene = tmp_path / "set.xml"
    mecano("mesh", pair, "--scale", 0.001, "--split", "--density", 1000, "--mjcf", scene)
    text = scene.read_text()
    assert text.count("<freejoint") == 2
    scene.write_text(text.replace('mass="0.072', 'mass="0.172'))
    tree = mecano("scene", scene, "--json").json["tree"]
    masses = {each["name"]: each["mass_kg"] for each in tree["bodies"]}
    assert masses == {"set_0": 0.576, "set_1": 0.172}


def test_split_parts_keep_their_places_towards_each_other(mecano, pair, tmp_path):
    mecano("mesh", pair, "--scale", 0.001, "--split", "--mjcf", tmp_path / "set.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "set.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    middles = [data.geom(name).xpos for name in ("set_0", "set_1")]
    np.testing.assert_allclose(middles[0] - middles[1], [0.23, 0.02, 0.015], atol=1e-6)


@pytest.mark.slow
def test_a_scene_may_be_touched_as_convex_pieces(mecano, tmp_path):
    lying = Mesh(CORNERS * (0.10, 0.05, 0.05), np.array([[0, 1, 2]])).hull()
    standing = Mesh(CORNERS * (0.05, 0.05, 0.10) + (0.0, 0.0, 0.05), lying.triangles)
    flat = [lying, standing.hull()]
    meshes.write(meshes.merged(flat), tmp_path / "ell.obj")
    scene = tmp_path / "a.xml"
    facts = mecano(
        "mesh", tmp_path / "ell.obj", "--mjcf", scene, "--fit", "pieces", "--density", 500, "--json"
    ).json
    assert facts["pieces"] >= 2
    model = mujoco.MjModel.from_xml_path(str(scene))
    touched = [k for k in range(model.ngeom) if model.geom_group[k] == 3]
    assert len(touched) == facts["pieces"]


def test_a_mesh_in_too_many_pieces_is_not_split(fails_cleanly, tmp_path):
    points = np.random.default_rng(1).normal(size=(900, 3))
    meshes.write(Mesh(points, np.arange(900).reshape(-1, 3)), tmp_path / "soup.obj")
    fails_cleanly("mesh", tmp_path / "soup.obj", "--split", says=("300 pieces", "allowed are 200"))


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
    split = box_in_mm(tmp_path / "b_0.obj")
    words = ("--split", "--out", tmp_path / "b.obj")
    fails_cleanly("mesh", split, part, *words, says=("over the original",))
    assert not (tmp_path / "b_1.obj").exists()
    assert part.read_bytes() == before


def test_more_triangles_than_there_are_changes_nothing(mecano, part):
    answer = mecano("mesh", part, "--scale", 0.001, "--triangles", 10**12)
    assert answer.code == 0 and "nothing to simplify" in answer.err
    assert "triangles  12" in answer.out
