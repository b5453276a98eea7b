"""Mesh files of others: DAE and PLY, limits, traps; simplified, in pieces, split, merged."""

import importlib.util

import mujoco
import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput, MissingExtra
from mecano.world import meshes
from mecano.world.meshes import Mesh, checks, decomposing

BOX = trimesh.creation.box()
CUBE = Mesh(np.asarray(BOX.vertices, dtype=float), np.asarray(BOX.faces, dtype=np.int64))
"""Edges of 1, its middle in the origin."""

GEOMETRY = '<instance_geometry url="#g">{material}</instance_geometry>'
BIND = (
    "<bind_material><technique_common>"
    '<instance_material symbol="m" target="#{name}"/></technique_common></bind_material>'
)
EFFECT = (
    '<effect id="{name}-e"><profile_COMMON><technique sid="t"><lambert><diffuse>'
    "<color>{rgb} 1</color></diffuse></lambert></technique></profile_COMMON></effect>"
)
MATERIAL = '<material id="{name}"><instance_effect url="#{name}-e"/></material>'


def dae(nodes: str, *, unit: str = '<unit meter="1"/>', library: str = "", colours=()) -> str:
    """Return a COLLADA document with the cube as geometry `g`, and `nodes` in its scene."""
    points = " ".join(f"{value:g}" for value in CUBE.vertices.ravel())
    faces = " ".join(map(str, CUBE.triangles.ravel()))
    effects = "".join(EFFECT.format(name=name, rgb=rgb) for name, rgb in colours)
    materials = "".join(MATERIAL.format(name=name) for name, _ in colours)
    return f"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{unit}<up_axis>Z_UP</up_axis></asset>
<library_effects>{effects}</library_effects><library_materials>{materials}</library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="{CUBE.vertices.size}">{points}</float_array>
<technique_common><accessor source="#a" count="{len(CUBE.vertices)}" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles count="{len(CUBE.triangles)}" material="m">
<input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles>
</mesh></geometry></library_geometries>
<library_nodes>{library}</library_nodes>
<library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""


def node(inside: str, *, matrix=None, name: str = "n") -> str:
    """Return a node of a DAE."""
    values = np.eye(4) if matrix is None else matrix
    text = " ".join(f"{value!r}" for value in np.asarray(values, dtype=float).ravel().tolist())
    return f'<node id="{name}"><matrix>{text}</matrix>{inside}</node>'


def place(scale: float | tuple[float, float, float] = 1.0, shift=(0.0, 0.0, 0.0)):
    """Return a 4x4 matrix."""
    matrix = np.diag([*np.broadcast_to(scale, 3), 1.0])
    matrix[:3, 3] = shift
    return matrix


PLAIN = GEOMETRY.format(material="")

units = st.sampled_from([1.0, 0.01, 0.001, 0.0254])


@given(unit=units, scale=st.floats(0.1, 10.0), x=st.floats(-5.0, 5.0))
@settings(max_examples=25)
def test_a_dae_has_its_unit_and_its_nodes_applied(tmp_path_factory, unit, scale, x):
    file = tmp_path_factory.mktemp("dae") / "a.dae"
    inner = node(PLAIN, matrix=place(scale), name="inner")
    text = dae(node(inner, matrix=place(shift=(x, 0, 1))), unit=f'<unit meter="{unit}"/>')
    file.write_text(text)
    mesh = meshes.read(file)
    assert mesh.closed and mesh.volume == pytest.approx((unit * scale) ** 3, rel=1e-5)
    low, high = mesh.bounds
    np.testing.assert_allclose((low + high) / 2, np.array([x, 0.0, 1.0]) * unit, atol=1e-5 * unit)


def test_a_dae_without_a_unit_is_in_metres(tmp_path):
    (tmp_path / "a.dae").write_text(dae(node(PLAIN), unit=""))
    assert meshes.read(tmp_path / "a.dae").volume == pytest.approx(1.0)


def test_a_mirrored_node_keeps_its_faces_outward(tmp_path):
    (tmp_path / "a.dae").write_text(dae(node(PLAIN, matrix=place((-1.0, 1.0, 1.0)))))
    found = meshes.load(tmp_path / "a.dae")
    assert found.mesh.volume == pytest.approx(1.0) and found.remarks == ()


def two_colours() -> str:
    """Return two cubes, the larger one red."""
    red = node(GEOMETRY.format(material=BIND.format(name="red")), matrix=place(2.0), name="a")
    blue = node(GEOMETRY.format(material=BIND.format(name="blue")), matrix=place(1.0, (5, 0, 0)))
    return dae(red + blue, colours=[("red", "1 0 0"), ("blue", "0 0 1")])


def test_a_dae_of_two_colours_is_cut_by_colour(tmp_path):
    (tmp_path / "a.dae").write_text(two_colours())
    found = dict(meshes.load(tmp_path / "a.dae").colours)
    assert set(found) == {(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)}
    assert found[1.0, 0.0, 0.0, 1.0].volume == pytest.approx(8.0)
    assert found[0.0, 0.0, 1.0, 1.0].volume == pytest.approx(1.0)


def test_a_file_without_materials_is_one_mesh_of_no_colour(tmp_path):
    (tmp_path / "a.dae").write_text(dae(node(PLAIN)))
    found = meshes.load(tmp_path / "a.dae")
    assert found.colours == ((None, found.mesh),)


def test_a_broken_material_costs_the_colour_only(tmp_path):
    text = two_colours().replace('id="blue-e"', 'id="other"')
    (tmp_path / "a.dae").write_text(text)
    found = meshes.load(tmp_path / "a.dae")
    assert found.mesh.volume == pytest.approx(9.0)
    assert "without its colours" in found.remarks[0]


@pytest.mark.parametrize("encoding", ["ascii", "binary"])
def test_a_ply_is_read(tmp_path, encoding):
    (tmp_path / "a.ply").write_bytes(BOX.export(file_type="ply", encoding=encoding))
    assert meshes.read(tmp_path / "a.ply").volume == pytest.approx(1.0)


def doubling(levels: int) -> str:
    """Return a DAE whose nodes each place the one before twice."""
    library = node(PLAIN, name="n0")
    for level in range(1, levels):
        library += node(2 * f'<instance_node url="#n{level - 1}"/>', name=f"n{level}")
    return dae(node(f'<instance_node url="#n{levels - 1}"/>', name="root"), library=library)


TRAPS = {
    "doubling": (doubling(40), "places more than 10,000 bodies"),
    "circle": (
        dae(node('<instance_node url="#c"/>', name="r"),
            library=node('<instance_node url="#c"/>', name="c")),
        "broken",
    ),
    "entity": (dae(node(PLAIN)).replace(
        "<COLLADA", '<!DOCTYPE a [<!ENTITY b "c">]><COLLADA', 1), "entities"),
    "empty scene": (dae(""), "no triangles"),
    "cut off": (dae(node(PLAIN))[:-300], "broken"),
    "no numbers": (dae(node(PLAIN)).replace("0.5", "many"), r"no triangles \(.*Corrupted"),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_in_a_dae_is_one_clear_error(tmp_path, name):
    text, says = TRAPS[name]
    (tmp_path / "a.dae").write_text(text)
    with pytest.raises(InvalidInput, match=says):
        meshes.load(tmp_path / "a.dae")


def test_a_few_nodes_that_place_each_other_are_read(tmp_path):
    (tmp_path / "a.dae").write_text(doubling(3))
    assert len(meshes.load(tmp_path / "a.dae").mesh.triangles) == 4 * 12


@given(data=st.binary(max_size=300), kind=st.sampled_from([".stl", ".obj", ".dae", ".ply"]))
@settings(max_examples=100)
def test_rubbish_is_refused_with_the_name_of_the_file(tmp_path_factory, data, kind):
    file = tmp_path_factory.mktemp("rubbish") / f"a{kind}"
    file.write_bytes({".dae": b"<COLLADA", ".ply": b"ply\n"}.get(kind, b"") + data)
    with pytest.raises(InvalidInput, match=f"a{kind}"):
        meshes.load(file)


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path):
    with (tmp_path / "a.stl").open("wb") as stream:
        stream.truncate(checks.MAX_FILE_BYTES + 1)  # takes no space on the disk
    with pytest.raises(InvalidInput, match="200 MB; export it with fewer triangles"):
        meshes.load(tmp_path / "a.stl")


def bumpy(turns: int = 5) -> Mesh:
    """Return a closed surface of 20 * 4**turns triangles."""
    ball = trimesh.creation.icosphere(turns)
    points = np.asarray(ball.vertices) * (1.0 + 0.1 * np.sin(7.0 * ball.vertices[:, :1]))
    return Mesh(points, np.asarray(ball.faces, dtype=np.int64))


@pytest.mark.parametrize("name", ["b.obj", "b.stl"])
def test_a_simplified_file_loads_in_the_engine_with_all_its_faces(tmp_path, name):
    fine = bumpy()
    meshes.write(fine, tmp_path / "a.stl")
    coarse = meshes.simplify(meshes.read(tmp_path / "a.stl").scaled(0.01), 2000)
    meshes.write(coarse, tmp_path / name)
    assert len(fine.triangles) == 20480 and len(coarse.triangles) <= 2000 and coarse.closed
    assert coarse.volume == pytest.approx(1e-6 * fine.volume, rel=0.01)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" file="{tmp_path / name}"/></asset>'
        '<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    assert model.mesh_facenum[0] == len(coarse.triangles)


def test_faces_that_repeat_each_other_do_not_stop_the_simplification():
    fine = bumpy(4)
    thick = meshes.merged([fine, Mesh(1.0001 * fine.vertices, fine.triangles[:, ::-1])])
    assert len(meshes.simplify(meshes.joined(thick.corners), 100).triangles) <= 100


def test_a_negative_scale_mirrors_and_keeps_the_faces_outward():
    assert bumpy(2).scaled((1.0, -2.0, 3.0)).volume == pytest.approx(6.0 * bumpy(2).volume)


@pytest.mark.parametrize("scale", [0.0, float("nan"), (1.0, 0.0, 1.0), (1.0, 2.0), (1, 2, "x")])
def test_a_scale_that_is_none_is_refused(scale):
    with pytest.raises(InvalidInput, match="scale"):
        CUBE.scaled(scale)


def ell() -> Mesh:
    """Return two boxes that make an L, volume 3."""
    return Mesh(
        np.array([(x, y, z) for z in (0.0, 1.0)
                  for x, y in ((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))], dtype=float),
        np.array([(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 5, 4),
                  (6, 7, 8), (6, 8, 9), (6, 9, 10), (6, 10, 11),
                  *((i, (i + 1) % 6, 6 + (i + 1) % 6) for i in range(6)),
                  *((i, 6 + (i + 1) % 6, 6 + i) for i in range(6))]),
    )  # fmt: skip


@pytest.mark.slow
def test_pieces_are_convex_and_fill_the_shape():
    found = meshes.decompose(ell())
    assert len(found) >= 2 and all(each.closed for each in found)
    assert sum(each.volume for each in found) == pytest.approx(3.0, rel=0.05)
    for one, other in zip(found, meshes.decompose(ell()), strict=True):
        np.testing.assert_array_equal(one.vertices, other.vertices)


def test_without_the_library_the_error_has_the_install_line(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'mecano\[decompose\]'"):
        meshes.decompose(CUBE)


def test_a_decomposition_that_takes_too_long_is_given_up():
    with pytest.raises(InvalidInput, match=r"took longer than 0\.01 s"):
        meshes.decompose(ell(), time_limit=0.01)


def test_a_decomposition_that_fails_is_explained(monkeypatch):
    monkeypatch.setattr(decomposing, "_WORK", "raise SystemExit('no memory')")
    with pytest.raises(InvalidInput, match="failed: no memory"):
        meshes.decompose(ell())


def test_mass_of_an_open_mesh_is_that_of_its_hull():
    whole, opened = CUBE, Mesh(CUBE.vertices, CUBE.triangles[:-1])
    assert not meshes.mass_properties(whole).of_hull
    found = meshes.mass_properties(opened, 500.0)
    assert found.of_hull and found.mass == pytest.approx(500.0)
    np.testing.assert_allclose(found.inertia, np.eye(3) * 500.0 / 6.0, atol=1e-9)


shifts = st.lists(st.integers(-20, 20), min_size=1, max_size=5, unique=True)


@given(shifts=shifts)
@settings(max_examples=25)
def test_what_is_merged_is_split_again(shifts):
    parts = [Mesh(CUBE.vertices * (1 + i) / 10 + (x, 0, 0), CUBE.triangles)
             for i, x in enumerate(shifts)]  # fmt: skip
    found = meshes.split(meshes.merged(parts))
    assert len(found) == len(parts) and all(each.closed for each in found)
    wanted = sorted((part.volume for part in parts), reverse=True)
    assert [each.volume for each in found] == pytest.approx(wanted)


def test_nothing_cannot_be_merged():
    with pytest.raises(InvalidInput, match="no meshes"):
        meshes.merged([])
