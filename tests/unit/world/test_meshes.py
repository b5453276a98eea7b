"""Meshes of others: hulls, masses, fewer triangles, files, and scenes made of them."""

from itertools import product

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mecano.core.errors import InvalidInput, UnknownName
from mecano.world import meshes, scenes
from mecano.world.meshes import Mesh

CUBE_CORNERS = np.array(list(product((0.0, 1.0), repeat=3)))
CUBE_TRIANGLES = np.array([
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
])  # fmt: skip


def box(x=1.0, y=1.0, z=1.0, *, at=(0.0, 0.0, 0.0)) -> Mesh:
    """Return a box with its lowest corner at a point."""
    return Mesh(CUBE_CORNERS * (x, y, z) + np.array(at), CUBE_TRIANGLES)


def finer(mesh: Mesh, times: int = 1) -> Mesh:
    """Return it with every triangle cut into four."""
    for _ in range(times):
        a, b, c = np.moveaxis(mesh.corners, 1, 0)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        mesh = meshes.joined(np.concatenate([np.stack(part, axis=1) for part in parts]))
    return mesh


def ball(radius: float = 1.0, times: int = 3) -> Mesh:
    """Return a sphere, from an octahedron that was cut finer."""
    points = np.vstack([np.eye(3), -np.eye(3)])
    rough = finer(Mesh(points, OCTAHEDRON), times)
    return Mesh(radius * rough.vertices / np.linalg.norm(rough.vertices, axis=1)[:, None],
                rough.triangles)  # fmt: skip


OCTAHEDRON = np.array(
    [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
)


def ring(sides: int = 24) -> Mesh:
    """Return a closed ring of square section, which is not convex and has a hole."""
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    section = [(0.6, -0.2), (1.0, -0.2), (1.0, 0.2), (0.6, 0.2)]
    points = [(r * np.cos(a), r * np.sin(a), z) for a in angles for r, z in section]
    triangles = []
    for i, k in product(range(sides), range(4)):
        a, b = 4 * i + k, 4 * i + (k + 1) % 4
        c, d = (a + 4) % (4 * sides), (b + 4) % (4 * sides)
        triangles += [(a, c, b), (b, c, d)]
    mesh = Mesh(np.array(points), np.array(triangles))
    return mesh if mesh.volume > 0 else Mesh(mesh.vertices, mesh.triangles[:, ::-1])


def heights_above(hull: Mesh, points) -> float:
    """Return how far a point is outside of any face of a hull at most [m]."""
    normals = meshes.normals_of(hull.corners)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return float(((points[:, None] - hull.corners[None, :, 0]) * normals).sum(axis=2).max())


clouds = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).normal(size=(30, 3)) * (1.0, 0.3, 0.05)
)


@given(points=clouds)
@settings(max_examples=30)
def test_a_hull_holds_every_vertex_and_is_convex(points):
    hull = Mesh(points, np.arange(30).reshape(-1, 3)).hull()
    assert heights_above(hull, points) < 1e-9
    assert heights_above(hull, hull.vertices) < 1e-9


@given(points=clouds)
@settings(max_examples=30)
def test_a_hull_is_closed_with_its_faces_outward(points):
    hull = Mesh(points, np.arange(30).reshape(-1, 3)).hull()
    assert hull.closed and hull.volume > 0.0


@pytest.mark.parametrize("mesh", [box(), finer(box(1, 2, 3), 3), ball(), ring()])
def test_the_hull_of_a_hull_is_the_hull(mesh):
    hull = mesh.hull()
    again = hull.hull()
    assert again.closed
    np.testing.assert_array_equal(np.sort(again.vertices, axis=0), np.sort(hull.vertices, axis=0))
    assert again.volume == pytest.approx(hull.volume, rel=1e-12)


def test_the_hull_of_a_finely_cut_box_has_its_eight_corners():
    hull = finer(box(0.1, 0.2, 0.3), 3).hull()
    assert len(hull.vertices) == 8 and len(hull.triangles) == 12


@given(factor=st.floats(1e-3, 1e3))
def test_scale_changes_the_volume_by_its_third_power(factor):
    mesh = ring()
    assert mesh.scaled(factor).volume == pytest.approx(mesh.volume * factor**3, rel=1e-9)


edges = st.floats(0.01, 2.0)


@given(x=edges, y=edges, z=edges, shift=st.floats(-5.0, 5.0))
def test_the_inertia_of_a_box_is_that_of_the_formula(x, y, z, shift):
    found = box(x, y, z, at=(shift, 0.0, -shift)).mass_properties(1000.0)
    mass = 1000.0 * x * y * z
    wanted = mass / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    assert found.mass == pytest.approx(mass, rel=1e-9)
    np.testing.assert_allclose(found.centre, [shift + x / 2, y / 2, z / 2 - shift], atol=1e-9)
    np.testing.assert_allclose(found.inertia, wanted, atol=1e-8 * wanted.max())


def test_the_inertia_of_a_fine_sphere_nears_two_fifths():
    found = ball(0.1, 5).mass_properties(1.0)
    np.testing.assert_allclose(np.diag(found.inertia), 0.4 * found.mass * 0.01, rtol=2e-3)


def test_mass_agrees_with_the_engine(tmp_path):
    mesh = Mesh(ring().vertices @ turn(0.4), ring().triangles).scaled(0.1)
    own = mesh.mass_properties(700.0)
    meshes.write(mesh, tmp_path / "ring.obj")
    (tmp_path / "ring.xml").write_text(
        '<mujoco><asset><mesh name="m" file="ring.obj" inertia="exact"/></asset><worldbody><body>'
        '<freejoint/><geom type="mesh" mesh="m" density="700"/></body></worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "ring.xml"))
    assert model.body_mass[1] == pytest.approx(own.mass, rel=1e-5)
    wanted = np.sort(np.linalg.eigvalsh(own.inertia))
    np.testing.assert_allclose(np.sort(model.body_inertia[1]), wanted, rtol=1e-4)


def turn(angle: float):
    """Return a rotation about all three axes."""
    quaternion = np.array([np.cos(angle), *(np.sin(angle) * np.array([1, 2, 3]) / np.sqrt(14))])
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


@pytest.mark.parametrize("count", [200, 100, 40, 12])
def test_a_simplified_cube_is_exactly_the_cube(count):
    cube = finer(box(), 3)
    fewer = meshes.simplify(cube, count)
    assert len(fewer.triangles) <= count and fewer.closed
    assert fewer.volume == pytest.approx(1.0, abs=1e-12)
    assert meshes.largest_distance(cube, fewer) < 1e-12


def test_a_turned_box_with_the_digits_of_an_stl_stays_the_box():
    fine = finer(box(1, 2, 3), 3)
    mesh = Mesh((fine.vertices @ turn(0.3)).astype(np.float32).astype(float), fine.triangles)
    fewer = meshes.simplify(mesh, 12)
    assert fewer.volume == pytest.approx(6.0, rel=1e-5)


@pytest.mark.parametrize(("count", "percent"), [(500, 1.5), (200, 3.0), (100, 6.0)])
def test_a_simplified_sphere_keeps_its_volume(count, percent):
    sphere = ball(1.0, 4)
    fewer = meshes.simplify(sphere, count)
    assert len(fewer.triangles) <= count and fewer.closed
    assert fewer.volume == pytest.approx(sphere.volume, rel=percent / 100)


@given(count=st.integers(24, 700))
@settings(max_examples=10)
def test_a_closed_mesh_with_a_hole_stays_closed_and_keeps_the_hole(count):
    fewer = meshes.simplify(finer(ring()), count)
    assert fewer.closed and len(fewer.triangles) <= count
    used = len(fewer.triangles) * 3 // 2
    assert len(fewer.vertices) - used + len(fewer.triangles) == 0  # Euler's number of a ring


def test_two_parts_in_a_file_both_stay():
    one, other = finer(box(), 2), finer(box(at=(3.0, 0.0, 0.0)), 2)
    both = Mesh(
        np.vstack([one.vertices, other.vertices]),
        np.vstack([one.triangles, other.triangles + len(one.vertices)]),
    )
    fewer = meshes.simplify(both, 24)
    assert fewer.closed and fewer.volume == pytest.approx(2.0, abs=1e-12)
    with pytest.raises(InvalidInput, match="without tearing or folding"):
        meshes.simplify(both, 4)


def test_the_border_of_an_open_mesh_stays():
    mesh = finer(Mesh(CUBE_CORNERS, CUBE_TRIANGLES[:-2]), 3)
    fewer = meshes.simplify(mesh, 10)
    assert not fewer.closed and fewer.open_edges == 4
    assert meshes.largest_distance(mesh, fewer) < 1e-9


def test_distance_of_two_spheres_is_the_difference_of_their_radii():
    assert meshes.largest_distance(ball(1.0), ball(1.1)) == pytest.approx(0.1, rel=0.02)


def test_distance_of_a_mesh_from_itself_is_zero():
    assert meshes.largest_distance(ring(), finer(ring())) < 1e-12


def test_distance_looks_both_ways():
    small, both = box(), [box(), box(at=(4.0, 0.0, 0.0))]
    large = meshes.joined(np.concatenate([each.corners for each in both]))
    assert meshes.largest_distance(small, large) == pytest.approx(4.0)
    assert meshes.largest_distance(large, small) == pytest.approx(4.0)


@pytest.mark.parametrize("count", [3, 0, -5])
def test_fewer_than_a_tetrahedron_is_refused(count):
    with pytest.raises(InvalidInput, match="4 or more"):
        meshes.simplify(box(), count)


def test_nothing_is_done_where_there_is_little_enough():
    mesh = box()
    assert meshes.simplify(mesh, 12) is mesh


@pytest.mark.parametrize(("name", "digits"), [("a.obj", 0.0), ("a.stl", 1e-7), ("A.STL", 1e-7)])
@pytest.mark.parametrize("mesh", [ring(), ball(0.02), box()])
def test_what_is_written_is_read_again(tmp_path, name, digits, mesh):
    meshes.write(mesh, tmp_path / name)
    again = meshes.read(tmp_path / name)
    np.testing.assert_allclose(again.corners, mesh.corners, rtol=0.0, atol=digits)
    assert again.closed and len(again.vertices) == len(mesh.vertices)


def text_stl(mesh: Mesh) -> str:
    facets = [
        "facet normal 0 0 0\n outer loop\n"
        + "".join(f"  vertex {x!r} {y!r} {z!r}\n" for x, y, z in corners)
        + " endloop\nendfacet\n"
        for corners in mesh.corners.tolist()
    ]
    return "solid part\n" + "".join(facets) + "endsolid part\n"


def test_a_text_stl_is_read(tmp_path):
    (tmp_path / "a.stl").write_text(text_stl(ring()))
    np.testing.assert_array_equal(meshes.read(tmp_path / "a.stl").corners, ring().corners)


def test_a_binary_stl_may_begin_with_solid(tmp_path):
    meshes.write(box(), tmp_path / "a.stl")
    data = (tmp_path / "a.stl").read_bytes()
    (tmp_path / "a.stl").write_bytes(b"solid" + data[5:])
    assert len(meshes.read(tmp_path / "a.stl").triangles) == 12


def test_an_obj_with_polygons_slashes_and_negative_numbers_is_read(tmp_path):
    (tmp_path / "a.obj").write_text(
        "# a square\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n"
        "f 1/1/1 2//1 -2 -1\n"
    )
    mesh = meshes.read(tmp_path / "a.obj")
    assert len(mesh.triangles) == 2 and mesh.area == pytest.approx(1.0)


def test_a_mesh_inside_out_is_turned(tmp_path, capsys):
    meshes.write(Mesh(CUBE_CORNERS, CUBE_TRIANGLES[:, ::-1]), tmp_path / "a.obj")
    assert meshes.read(tmp_path / "a.obj").volume == pytest.approx(1.0)
    assert "inside out" in capsys.readouterr().err


def test_triangles_with_equal_corners_are_left_out(tmp_path, capsys):
    broken = Mesh(CUBE_CORNERS, np.vstack([CUBE_TRIANGLES, [(0, 0, 1), (5, 5, 5)]]))
    meshes.write(broken, tmp_path / "a.stl")
    mesh = meshes.read(tmp_path / "a.stl")
    assert len(mesh.triangles) == 12 and mesh.closed
    assert "2 triangles" in capsys.readouterr().err


def test_one_turned_triangle_makes_a_mesh_not_closed():
    triangles = CUBE_TRIANGLES.copy()
    triangles[0] = triangles[0, ::-1]
    assert Mesh(CUBE_CORNERS, triangles).open_edges == 3


FLAT = Mesh(
    np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]])
)


def test_a_flat_mesh_has_no_hull():
    turned = Mesh(FLAT.vertices @ turn(0.7) + 3.0, FLAT.triangles)
    for mesh in (FLAT, turned):
        with pytest.raises(InvalidInput, match="flat"):
            mesh.hull()


def test_an_open_mesh_has_no_mass():
    with pytest.raises(InvalidInput, match="4 open edges"):
        Mesh(CUBE_CORNERS, CUBE_TRIANGLES[:-2]).mass_properties(1000.0)


@pytest.mark.parametrize("kind", ["box", "cylinder", "sphere"])
@given(points=clouds)
@settings(max_examples=4)
def test_a_fit_holds_every_vertex(kind, points):
    shape = meshes.fit(Mesh(points, np.arange(30).reshape(-1, 3)), kind)
    places = (points - shape.position) @ shape.axes
    size = np.array(shape.size) * (1.0 + 1e-9)
    if kind == "box":
        assert (np.abs(places) <= size).all()
    elif kind == "cylinder":
        assert np.hypot(places[:, 0], places[:, 1]).max() <= size[0]
        assert np.abs(places[:, 2]).max() <= size[1]
    else:
        assert np.linalg.norm(places, axis=1).max() <= size[0]
    assert np.linalg.det(shape.axes) == pytest.approx(1.0)


@pytest.mark.parametrize("angle", [0.0, 0.2, 1.1])
def test_the_box_around_a_turned_box_is_that_box(angle):
    mesh = Mesh(box(0.1, 0.1, 0.3).vertices @ turn(angle), CUBE_TRIANGLES)
    shape = meshes.fit(mesh, "box")
    np.testing.assert_allclose(sorted(shape.size), [0.05, 0.05, 0.15], rtol=1e-9)


def test_the_cylinder_around_a_ring_and_the_sphere_around_a_ball():
    assert meshes.fit(ring(), "cylinder").size == pytest.approx((1.0, 0.2))
    assert meshes.fit(ball(0.3), "sphere").size == pytest.approx((0.3,))


def test_an_unknown_fit_lists_the_known():
    with pytest.raises(UnknownName, match="box, cylinder, sphere"):
        meshes.fit(box(), "cone")


@pytest.mark.parametrize("kind", [None, "box", "cylinder", "sphere"])
def test_a_scene_has_the_part_seen_and_touched_apart(tmp_path, kind):
    mesh = ring().scaled(0.1)
    shape = None if kind is None else meshes.fit(mesh, kind)
    own = mesh.mass_properties(1000.0)
    file = meshes.write_scene(mesh, tmp_path / "my ring.xml", shape=shape, mass=own)[0]
    model = scenes.load(file).compile()
    seen, touched = model.geom("my ring_visual"), model.geom("my ring")
    assert (seen.group[0], seen.contype[0], seen.conaffinity[0]) == (2, 0, 0)
    assert (touched.group[0], touched.contype[0]) == (3, 1)
    assert model.body("my ring").mass[0] == pytest.approx(own.mass)
    moments = np.sort(np.linalg.eigvalsh(own.inertia))
    np.testing.assert_allclose(np.sort(model.body("my ring").inertia), moments, rtol=1e-6)


@pytest.mark.parametrize("kind", [None, "box"])
def test_the_part_rests_on_the_floor(tmp_path, kind):
    mesh = finer(box(0.1, 0.06, 0.04, at=(2.0, 1.0, 5.0)))
    shape = None if kind is None else meshes.fit(mesh, kind)
    mass = mesh.mass_properties(1000.0)
    meshes.write_scene(mesh, tmp_path / "a.xml", shape=shape, mass=mass)
    model = scenes.load(tmp_path / "a.xml").compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 500)
    np.testing.assert_allclose(data.xipos[1], [0.35, 0.0, 0.02], atol=1e-3)


@pytest.mark.parametrize("kind", ["box", "cylinder", "sphere"])
@pytest.mark.parametrize("angle", [0.0, 0.5])
def test_a_part_touched_as_a_larger_shape_begins_on_the_floor(tmp_path, kind, angle):
    mesh = Mesh(box(0.1, 0.06, 0.04).vertices @ turn(angle), CUBE_TRIANGLES)
    meshes.write_scene(mesh, tmp_path / "a.xml", shape=meshes.fit(mesh, kind))
    model = scenes.load(tmp_path / "a.xml").compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    gap = mujoco.mj_geomDistance(model, data, 0, model.geom("a").id, 1.0, None)
    assert gap == pytest.approx(0.0, abs=1e-6)


def test_without_a_mass_the_part_is_fixed(tmp_path):
    meshes.write_scene(box(0.1, 0.1, 0.1), tmp_path / "world.xml")
    model = scenes.load(tmp_path / "world.xml").compile()
    assert model.nq == 0 and model.body("part").weldid[0] == 0
