"""Docking by range: any heading, either side, noise averaged, and honest when it cannot."""

from math import cos, pi, sin

import mujoco
import numpy as np
import pytest

import mecano
from mecano.core.errors import InvalidInput, UnknownName
from mecano.lab.docking import dock, docking


def table_at(side: str, gap: float, heading: float):
    """Return a change: the robot looks along a heading, a table stands beside it [m], [rad]."""

    def change(spec):
        sign = 1.0 if side == "left" else -1.0
        off = 0.1785 + gap + 0.2
        x, y = -sin(heading) * sign * off, cos(heading) * sign * off
        spec.worldbody.add_geom(
            name="table", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.5, 0.2, 0.05], pos=[x, y, 0.05],
            quat=[cos(heading / 2), 0, 0, sin(heading / 2)],
        )  # fmt: skip
        spec.body("youbot/base_footprint").quat = [cos(heading / 2), 0, 0, sin(heading / 2)]

    return change


def stand(side="right", gap=0.3, heading=0.0, **options):
    return mecano.connect(
        "youbot", scene="empty", changes=[table_at(side, gap, heading)], **options
    )


@pytest.mark.parametrize("heading", [0.0, 0.6, pi / 2, -2.5])
@pytest.mark.parametrize("side", ["left", "right"])
def test_it_docks_at_any_heading_by_the_side_that_sees(heading, side):
    with stand(side, 0.3, heading) as robot:
        result = dock(robot, 0.1, readings=5)
        true = robot.ranges[side].read(clean=True).range
    assert result.docked and result.side == side
    assert result.before == pytest.approx(0.3, abs=0.001)
    assert true == pytest.approx(0.1, abs=0.001) and result.after == pytest.approx(true, abs=1e-4)


@pytest.mark.parametrize("gap", [0.05, 0.1, 0.45])
def test_it_backs_off_stays_or_comes_near(gap):
    with stand(gap=gap) as robot:
        result = dock(robot, 0.1, readings=5)
        assert result.docked and robot.ranges["right"].read(clean=True).range == pytest.approx(
            0.1, abs=0.001
        )
        assert result.corrections == (0 if gap == 0.1 else 1)


@pytest.mark.slow
def test_noise_is_averaged_away():
    errors = []
    for seed in range(4):
        with stand(noise=True, seed=seed) as robot:
            assert dock(robot, 0.1).docked
            errors.append(robot.ranges["right"].read(clean=True).range - 0.1)
    assert np.abs(errors).max() < 0.002


def test_readings_have_the_noise_of_the_facts():
    with stand(noise=True) as robot:
        readings = []
        for _ in range(1000):
            robot.wait(0.02)
            readings.append(robot.ranges["right"].read().range)
        clean = robot.ranges["right"].read(clean=True).range
    assert np.std(readings) == pytest.approx(0.005, rel=0.1)
    assert np.mean(readings) == pytest.approx(clean, abs=0.0006)


def test_nothing_in_sight_is_said():
    with mecano.connect("youbot", scene="empty") as robot:
        before = robot.truth.base_pose()
        result = dock(robot, 0.1, readings=5)
        assert not result.docked and "no sensor sees anything within 0.5 m" in result.message
        assert abs(robot.truth.base_pose().x - before.x) < 1e-4


def test_a_side_that_sees_nothing_is_not_taken():
    with stand("right") as robot:
        assert not dock(robot, 0.1, side="left", readings=5).docked


def test_a_table_that_goes_away_on_the_way_is_noticed():
    with stand("right", 0.3) as robot:
        geom = robot.world.index("geom", "table")

        def vanish(session):
            if session.time > 0.6:
                robot.world.model.geom_pos[geom] = [50.0, 50.0, 0.0]

        robot.session.observers.append(vanish)
        result = dock(robot, 0.1, readings=5)
        assert not result.docked and "lost sight" in result.message


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"distance": -0.1}, InvalidInput, "distance to dock at"),
        ({"distance": 0.9}, InvalidInput, "distance to dock at"),
        ({"distance": 0.1, "side": "front"}, UnknownName, "left, right"),
        ({"distance": 0.1, "readings": 0}, InvalidInput, "readings"),
        ({"distance": 0.1, "tolerance": 0.0}, InvalidInput, "tolerance"),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, says):
    with mecano.connect("youbot", scene="empty") as robot, pytest.raises(error, match=says):
        dock(robot, options.pop("distance"), **options)


def test_a_robot_without_such_sensors_is_told_so():
    with (
        mecano.connect("crumb", scene="empty") as robot,
        pytest.raises(InvalidInput, match="no range sensors"),
    ):
        dock(robot, 0.1)


def test_a_ray_does_not_see_its_own_robot():
    with mecano.connect("youbot", scene="empty") as robot:
        robot.arm.move_joints("pre_grasp")
        assert not robot.ranges["left"].detects


def test_docking_in_a_script():
    class Docks(mecano.Script):
        def thread(self):
            self.result = yield docking(self.robot, 0.1, readings=5)

    with stand("left") as robot:
        script = mecano.attach(robot, Docks())
        robot.wait(script, timeout=20.0)
        assert script.result.docked and script.result.side == "left"


def test_a_base_that_cannot_come_nearer_says_that_something_is_in_the_way():
    with stand("right", 0.3) as robot:
        robot.base.turn_to(0.35)
        result = dock(robot, 0.02, readings=5)
        assert not result.docked and result.cause
