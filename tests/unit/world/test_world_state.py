"""The state of a world: stepping, snapshots, reset, hash, and no NaN in it."""

import numpy as np
import pytest

from mecano import robots
from mecano.world import Placement, World, WorldBroken, assemble

ARM = robots.get("open_manipulator_x")


def make_world() -> World:
    return World(assemble([Placement(robot=ARM, prefix="arm/")], scene="table"))


def stir(world: World, seed: int = 0) -> None:
    """Command something different in every step."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        world.data.ctrl[:] = rng.uniform(-0.3, 0.3, len(world.data.ctrl))
        world.step(5)


def everything(world: World) -> dict[str, np.ndarray]:
    data, model = world.data, world.model
    state = {name: getattr(data, name) for name in ("qpos", "qvel", "act", "ctrl", "time")}
    derived = {name: getattr(data, name) for name in ("xpos", "xquat", "site_xpos", "cvel")}
    fields = ("actuator_gainprm", "actuator_biasprm", "actuator_forcerange", "geom_contype")
    return {
        name: np.array(value)
        for name, value in (state | derived | {f: getattr(model, f) for f in fields}).items()
    }


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name], err_msg=name)


# --- stepping


def test_time_advances_by_whole_steps():
    world = make_world()
    world.step(7)
    assert world.time == pytest.approx(7 * world.timestep)


def test_many_steps_at_once_are_the_same_as_one_by_one():
    one, other = make_world(), make_world()
    one.step(50)
    for _ in range(50):
        other.step()
    assert one.state_hash() == other.state_hash()


def test_two_worlds_with_the_same_commands_are_equal_to_the_bit():
    hashes = set()
    for _ in range(3):
        world = make_world()
        stir(world)
        hashes.add(world.state_hash())
    assert len(hashes) == 1


# --- snapshot, restore, reset


def test_reset_restores_everything():
    world = make_world()
    fresh, first_hash = everything(world), world.state_hash()
    stir(world)
    world.model.actuator_gainprm[:] *= 2.0
    world.model.actuator_biasprm[:] += 1.0
    world.model.actuator_forcerange[:] = -1.0, 1.0
    world.model.geom_contype[:] = 0
    world.data.xfrc_applied[:] = 0.1
    world.data.qfrc_applied[:] = 0.1
    world.reset()
    assert_same(fresh, everything(world))
    assert world.state_hash() == first_hash
    assert not world.data.xfrc_applied.any() and not world.data.qfrc_applied.any()


def test_a_world_after_reset_repeats_its_history():
    world = make_world()
    stir(world)
    first = world.state_hash()
    world.reset()
    stir(world)
    assert world.state_hash() == first


def test_reset_goes_to_the_marked_state():
    world = make_world()
    stir(world)
    world.mark_initial()
    marked = everything(world)
    stir(world, seed=1)
    world.reset()
    assert_same(marked, everything(world))


def test_restore_brings_the_very_state_back():
    world = make_world()
    stir(world)
    snapshot, before = world.snapshot(), world.state_hash()
    stir(world, seed=1)
    assert world.state_hash() != before
    world.restore(snapshot)
    assert world.state_hash() == before


def test_the_future_after_restore_is_the_future_there_was():
    world = make_world()
    stir(world)
    snapshot = world.snapshot()
    stir(world, seed=1)
    future = world.state_hash()
    world.restore(snapshot)
    stir(world, seed=1)
    assert world.state_hash() == future


def test_a_snapshot_does_not_change_with_the_world():
    world = make_world()
    snapshot = world.snapshot()
    kept = world.state()
    stir(world)
    world.model.actuator_gainprm[:] = 0.5
    assert snapshot.data.qpos is not world.data.qpos
    world.restore(snapshot)
    np.testing.assert_array_equal(world.state(), kept)
    assert not (snapshot.mutable[0] == 0.5).all()


def test_a_snapshot_restores_gains_that_were_rewritten():
    world = make_world()
    world.model.actuator_gainprm[0, 4] = 3.0
    snapshot = world.snapshot()
    world.model.actuator_gainprm[0, 4] = 9.0
    world.model.actuator_forcerange[-1] = -2.0, 2.0
    world.restore(snapshot)
    assert world.model.actuator_gainprm[0, 4] == 3.0
    assert world.model.actuator_forcerange[-1].tolist() == [-60.0, 60.0]


# --- hash


def test_the_hash_repeats_while_nothing_changes():
    world = make_world()
    stir(world)
    assert len({world.state_hash() for _ in range(5)}) == 1


def test_asking_for_the_hash_changes_nothing():
    one, other = make_world(), make_world()
    for _ in range(20):
        one.step()
        one.state_hash()
        other.step()
    assert one.state_hash() == other.state_hash()


@pytest.mark.parametrize("field", ["qpos", "qvel", "act", "ctrl", "xfrc_applied", "qfrc_applied"])
def test_one_bit_of_the_state_changes_the_hash(field):
    world = make_world()
    stir(world)
    before = world.state_hash()
    values = getattr(world.data, field).reshape(-1)
    values[3] = np.nextafter(values[3], np.inf)
    assert world.state_hash() != before


@pytest.mark.parametrize("field", ["actuator_gainprm", "actuator_biasprm", "actuator_forcerange"])
def test_one_bit_of_a_rewritten_gain_changes_the_hash(field):
    world = make_world()
    before = world.state_hash()
    values = getattr(world.model, field)
    values[1, 1] = np.nextafter(values[1, 1], np.inf)
    assert world.state_hash() != before


def test_the_hash_is_sixteen_hex_digits():
    digits = make_world().state_hash()
    assert len(digits) == 16 and set(digits) <= set("0123456789abcdef")


# --- no NaN


def all_finite(world: World) -> bool:
    return bool(
        all(np.isfinite(v).all() for v in everything(world).values())
        and np.isfinite(world.state()).all()
    )


@pytest.mark.parametrize("field", ["ctrl", "qpos", "qvel", "xfrc_applied", "qfrc_applied", "act"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_step_never_leaves_a_number_that_is_not_finite(field, value):
    world = make_world()
    world.step(10)
    getattr(world.data, field).reshape(-1)[-1] = value
    with pytest.raises(WorldBroken):
        world.step(5)
    assert all_finite(world)


def test_a_broken_world_is_back_at_its_start():
    world = make_world()
    start = world.state_hash()
    world.step(100)
    world.data.qfrc_applied[7] = np.nan
    with pytest.raises(WorldBroken, match=r"near 0\.2\d\d s.*reset"):
        world.step(5)
    assert world.state_hash() == start


def test_a_broken_world_can_go_on_after_its_reset():
    world = make_world()
    world.data.qfrc_applied[7] = np.nan
    with pytest.raises(WorldBroken):
        world.step()
    world.step(100)
    assert all_finite(world)
