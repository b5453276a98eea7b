"""The quick check of one leg against the engine's contacts on the whole robot."""

from dataclasses import replace
from functools import cache

import mujoco
import numpy as np
import pytest

from mecano import robots
from mecano.core.errors import InvalidInput, UnknownName
from mecano.world.leg_collisions import FREE, UNSURE, LegCollisions

ROMERIN = robots.get("romerin")


@cache
def leg(number: int) -> LegCollisions:
    return LegCollisions(ROMERIN, f"leg_{number}")


def postures(number: int, count: int) -> np.ndarray:
    table = ROMERIN.chain(f"leg_{number}").dh
    return np.random.default_rng(number).uniform(table.lower, table.upper, (count, 3))


class Engine:
    """The whole robot, free in the air, with five legs that stand."""

    def __init__(self, number: int) -> None:
        spec = mujoco.MjSpec.from_file(str(ROMERIN.folder / str(ROMERIN.model)))
        spec.body("body_link").add_freejoint()
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        for chain in ROMERIN.chains.values():
            for joint, value in zip(chain.joint_names, chain.postures["stand"], strict=True):
                self.data.joint(joint).qpos = value
        names = ROMERIN.chain(f"leg_{number}").joint_names
        self.positions = [self.model.joint(name).qposadr[0] for name in names]

    def touched(self, q: np.ndarray) -> set[str]:
        """Names of all bodies that touch another one."""
        self.data.qpos[self.positions] = q
        mujoco.mj_forward(self.model, self.data)
        geoms = self.data.contact.geom.ravel()
        return {self.model.body(n).name for n in self.model.geom_bodyid[geoms]}

    def collides(self, postures: np.ndarray) -> np.ndarray:
        return np.array([bool(self.touched(q)) for q in postures])


@pytest.mark.parametrize(("number", "count"), [(3, 5000), (1, 1500), (5, 1500)])
def test_every_answer_is_that_of_the_whole_robot_in_the_engine(number, count):
    q = postures(number, count)
    expected = Engine(number).collides(q)
    assert 0.05 < expected.mean() < 0.3
    np.testing.assert_array_equal(leg(number).collides(q), expected)


def test_answers_agree_where_touching_begins():
    engine, q = Engine(3), postures(3, 600)
    touches = leg(3).collides(q)
    free, hit = q[~touches][:40], q[touches][:40]
    for _ in range(26):  # down to a few nanometres on either side
        middle = 0.5 * (free + hit)
        inside = engine.collides(middle)
        np.testing.assert_array_equal(leg(3).collides(middle), inside)
        free = np.where(inside[:, None], free, middle)
        hit = np.where(inside[:, None], middle, hit)
    assert np.abs(free - hit).max() < 1e-7


def test_obstacle_is_a_body_that_the_leg_touches():
    engine, q = Engine(3), postures(3, 1000)
    found = leg(3).obstacles(q)
    for posture, body in zip(q[found != FREE], found[found != FREE], strict=True):
        assert leg(3).body_name(body) in engine.touched(posture)


def test_engine_is_asked_for_few_postures():
    assert np.mean(leg(3)._ask_kernel(postures(3, 2000)) == UNSURE) < 0.05


@pytest.mark.parametrize("number", range(1, 7))
def test_leg_that_stands_is_free(number):
    assert not leg(number).collides([ROMERIN.chain(f"leg_{number}").postures["stand"]]).any()


def test_mirrored_legs_have_mirrored_collisions():
    q = postures(3, 2000)
    mirrored = q * (-1.0, 1.0, 1.0)
    np.testing.assert_array_equal(leg(3).collides(q), leg(4).collides(mirrored))


def test_corners_of_other_parts_stay_where_they_are():
    still = leg(3).joints_above == 0
    one, other = (leg(3).corners(q) for q in postures(3, 2))
    np.testing.assert_array_equal(one[still], other[still])
    assert not np.allclose(one[~still], other[~still])


def test_corners_surround_the_tip():
    for q in postures(3, 20):
        cup = leg(3).corners(q)[leg(3).joints_above == 3].reshape(-1, 3)
        tip = ROMERIN.chain("leg_3").forward(q)[:3, 3]
        assert (cup.min(axis=0) < tip).all()
        assert (tip < cup.max(axis=0)).all()


def test_progress_is_told_to_the_end(monkeypatch):
    monkeypatch.setattr("mecano.world.leg_collisions.CHUNK", 100)
    told = []
    leg(3).collides(postures(3, 250), on_progress=lambda done, total: told.append((done, total)))
    assert told == [(100, 250), (200, 250), (250, 250)]


def test_chunks_do_not_change_the_answer(monkeypatch):
    q = postures(3, 500)
    whole = leg(3).obstacles(q)
    monkeypatch.setattr("mecano.world.leg_collisions.CHUNK", 7)
    np.testing.assert_array_equal(leg(3).obstacles(q), whole)


@pytest.mark.parametrize("q", [[0.0, 0.0, 0.0], [[0.0, 0.0]], [[0.0, 0.0, np.nan]]])
def test_postures_that_are_none_are_explained(q):
    with pytest.raises(InvalidInput, match="rows of 3 finite joint values"):
        leg(3).collides(q)


def test_unknown_posture_lists_the_known_ones():
    with pytest.raises(UnknownName, match="stand"):
        LegCollisions(ROMERIN, "leg_3", posture="sit")


def test_other_legs_that_collide_are_named():
    chain = ROMERIN.chains["leg_1"]
    into_leg_2 = postures(1, 300)[leg(1).collides(postures(1, 300))][0]
    bent = replace(chain, postures={"stand": tuple(into_leg_2)})
    robot = replace(ROMERIN, chains=ROMERIN.chains | {"leg_1": bent})
    with pytest.raises(InvalidInput, match=r"touches .* whatever leg_3 does"):
        LegCollisions(robot, "leg_3")


def test_robot_without_a_model_is_explained():
    with pytest.raises(InvalidInput, match="has no model"):
        LegCollisions(replace(ROMERIN, model=None, mjcf=None), "leg_3")
