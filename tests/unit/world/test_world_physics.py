"""The physics settings: what stands without being asked, and what may be asked."""

import mujoco
import pytest
from mujoco import mjtCone, mjtIntegrator, mjtSolver

from mecano.core.errors import InvalidInput
from mecano.world import PhysicsSettings, World, assemble


def test_the_measured_settings_stand_in_a_world_nobody_configured():
    option = World(assemble([], scene="empty")).model.opt
    assert option.integrator == mjtIntegrator.mjINT_DISCRETE
    assert option.solver == mjtSolver.mjSOL_NEWTON
    assert option.cone == mjtCone.mjCONE_ELLIPTIC
    assert option.impratio == 100.0
    assert option.timestep == 0.002
    assert option.iterations == 100
    assert option.gravity.tolist() == [0.0, 0.0, -9.81]


def test_every_setting_can_be_overridden():
    settings = PhysicsSettings(
        timestep=0.001, integrator="implicitfast", solver="cg", iterations=7, cone="pyramidal",
        impratio=10.0, gravity=1.62,
    )  # fmt: skip
    option = World(assemble([], scene="empty", physics=settings)).model.opt
    assert option.timestep == 0.001
    assert option.integrator == mjtIntegrator.mjINT_IMPLICITFAST
    assert option.solver == mjtSolver.mjSOL_CG
    assert option.iterations == 7
    assert option.cone == mjtCone.mjCONE_PYRAMIDAL
    assert option.impratio == 10.0
    assert option.gravity[2] == -1.62


@pytest.mark.parametrize(
    ("table", "kind"),
    [("INTEGRATORS", mjtIntegrator), ("SOLVERS", mjtSolver), ("CONES", mjtCone)],
)
def test_the_names_are_the_engines_own(table, kind):
    from mecano.world import physics

    prefix = {"INTEGRATORS": "mjINT_", "SOLVERS": "mjSOL_", "CONES": "mjCONE_"}[table]
    for name, number in getattr(physics, table).items():
        assert int(getattr(kind, prefix + name.upper())) == number


def test_a_scene_cannot_bring_physics_of_its_own(tmp_path):
    scene = tmp_path / "own.xml"
    scene.write_text('<mujoco><option timestep="0.009" integrator="Euler"/></mujoco>')
    assert World(assemble([], scene=scene)).model.opt.timestep == 0.002


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("timestep", 0.0),
        ("timestep", -0.002),
        ("timestep", 0.5),
        ("timestep", float("nan")),
        ("iterations", 0),
        ("impratio", 0.0),
        ("impratio", float("inf")),
        ("gravity", -9.81),
        ("gravity", float("nan")),
        ("integrator", "verlet"),
        ("solver", "Newton"),
        ("cone", ""),
    ],
)
def test_a_bad_value_is_refused_by_name_and_value(key, value):
    with pytest.raises(InvalidInput) as caught:
        PhysicsSettings(**{key: value})
    assert f"physics.{key}" in str(caught.value)
    assert str(value) in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [("timestep", "fast"), ("timestep", {}), ("iterations", 2.5), ("integrator", ["discrete"])],
)
def test_a_value_of_the_wrong_kind_is_refused_as_bad_input(key, value):
    with pytest.raises(InvalidInput, match=f"physics.{key}"):
        assemble([], physics=PhysicsSettings(**{key: value}))


def test_a_falling_body_keeps_its_energy():
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="stone", pos=[0, 0, 10])
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.05, 0, 0], mass=0.5)
    PhysicsSettings().apply(spec.option)
    world = World(spec)
    world.step(250)
    height, speed = world.data.qpos[2], world.data.qvel[2]
    assert 9.81 * height + speed**2 / 2 == pytest.approx(98.1, rel=1e-3)
