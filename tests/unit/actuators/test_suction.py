"""Cups that hold: what they find, what they carry, when they let go. The physics is the witness."""

from functools import cache
from typing import Any

import mujoco
import numpy as np
import pytest

import mecano
from mecano.actuators.suction import Cups
from mecano.core.devices import CupState, Miss
from mecano.core.grips import Magnet, Suction, utilisation
from mecano.lab.robot import Robot

G = 9.81
LEG = 2
"""The leg most tests are done with: middle left, its foot at (-0.06, 0.205) on the floor."""
FOOT = np.array([-0.06, 0.205])
BODY = "romerin/body_link"
UP = np.array([0.0, 0.0, 0.03])
CUP = f"romerin/leg_{LEG}_cup"


@cache
def shared(scene: str) -> Robot:
    return mecano.connect("romerin", scene=scene)


def fresh(scene: str) -> Robot:
    """A robot in its first moment, cups as they were delivered."""
    robot = shared(scene)
    robot.reset()
    robot.world.data.xfrc_applied[:] = 0.0
    robot.cups.unbreakable = robot.cups.reattach = False
    robot.cups.set_law(Suction())
    robot.cups.forget_peaks()
    return robot


@pytest.fixture
def floor() -> Robot:
    return fresh("empty")


@pytest.fixture
def wall() -> Robot:
    return fresh("wall")


def lift(robot: Robot, leg: int = LEG, by: float = 0.02) -> None:
    """Switch a cup off and take its foot off the surface."""
    robot.cups.release(leg, force=True)
    answer: Any = robot.legs[leg].move_to(robot.legs[leg].tip + np.array([0.0, 0.0, by]))
    assert answer.reached


def push(robot: Robot, force: np.ndarray, body: str = CUP) -> None:
    """Push a body at its origin, in world axes [N], until told otherwise."""
    data, which = robot.world.data, robot.world.index("body", body)
    arm = data.xpos[which] - data.xipos[which]  # the engine pushes at the centre of mass
    data.xfrc_applied[which] = [*force, *np.cross(arm, force)]


def pull_slowly(robot: Robot, way: np.ndarray, most: float, rate: float = 20.0) -> float:
    """Pull at the cup, more and more; return the force at which it let go, or the largest one."""
    force, drive = 0.0, robot.cups.drive
    while force < most and drive.holding[LEG - 1]:
        force += rate * robot.world.timestep
        push(robot, force * way)
        robot.world.step()
    return force


def mass(robot: Robot) -> float:
    model = robot.world.model
    own = model.body_rootid == model.body(BODY).id
    return float(model.body_mass[own].sum())


# --- states


def test_cups_hold_from_the_first_moment(floor):
    assert floor.time == 0.0 and floor.cups.holding.all()
    assert [event.what for event in floor.cups.events] == ["bond"] * 6


def test_cup_that_is_switched_off_is_off(floor):
    floor.cups.drive.switch(LEG - 1, False)
    assert floor.cups[LEG].state is CupState.OFF
    assert not floor.cups.drive.signal[LEG - 1] and floor.cups.holding.sum() == 5


def test_cup_with_nothing_near_searches_on(floor):
    lift(floor)
    floor.cups.drive.switch(LEG - 1, True)
    floor.wait(0.2)
    assert floor.cups[LEG].state is CupState.SEARCHING and floor.cups.drive.signal[LEG - 1]
    assert floor.cups.drive.ahead(LEG - 1).miss is Miss.NOTHING_NEAR


@pytest.mark.parametrize("height", [0.001, 0.005, 0.0069, 0.0071, 0.012, 0.05])
def test_distance_is_told_and_7_mm_is_near_enough(floor, height):
    drive, data = floor.cups.drive, floor.world.data
    data.joint("romerin/free").qpos[2] += height
    mujoco.mj_forward(floor.world.model, data)
    seal = drive.seal(LEG - 1)
    assert seal.distance == pytest.approx(height, abs=5e-5)  # it has settled a little
    assert (seal.miss is None) == (height <= 0.007)
    np.testing.assert_allclose(seal.normal, [0, 0, 1], atol=1e-9)


def test_distance_is_infinite_before_nothing(floor):
    data = floor.world.data
    data.joint("romerin/free").qpos[3:7] = 0.0, 1.0, 0.0, 0.0  # on its back, cups to the sky
    mujoco.mj_forward(floor.world.model, data)
    assert floor.cups.drive.seal(LEG - 1).distance == np.inf


@pytest.mark.parametrize(("tilt_deg", "holds"), [(5, True), (10, True), (18, False), (40, False)])
def test_tilted_cup_on_its_rim_holds_up_to_about_14_degrees(floor, tilt_deg, holds):
    """There its middle is 7 mm off the surface: 28 mm times the tangent."""
    tilt, data = np.radians(tilt_deg), floor.world.data
    data.joint(f"romerin/leg_{LEG}_joint_5").qpos += tilt
    data.joint("romerin/free").qpos[2] += 0.028 * np.sin(tilt) - 0.03 * (1 - np.cos(tilt))
    mujoco.mj_forward(floor.world.model, data)
    seal = floor.cups.drive.seal(LEG - 1)
    assert seal.distance == pytest.approx(0.028 * np.tan(tilt), rel=0.06)
    assert (seal.miss is None) == holds


def test_cup_takes_hold_on_its_way_down_once_it_is_near(floor):
    lift(floor)
    floor.cups.drive.switch(LEG - 1, True)
    motion: Any = floor.legs[LEG].move_to(floor.legs[LEG].tip - [0, 0, 0.02], speed=0.1, wait=False)
    floor.session.wait_until(lambda: floor.cups[LEG].holding, timeout=3.0)
    motion.stop()
    assert floor.cups[LEG].state is CupState.HOLDING
    assert floor.cups[LEG].distance == pytest.approx(0.007, abs=5e-4)


# --- edges, holes, steps


def plates(*boxes: tuple[float, float, float, float], drop: float = 0.0):
    """Return a change: boxes (x from, to, y from, to) in the place of the floor [m]."""

    def change(spec: mujoco.MjSpec) -> None:
        spec.geom("floor").pos = [0.0, 0.0, -1.0]
        for i, (a, b, c, d) in enumerate(boxes):
            depth = drop if i else 0.0
            spec.worldbody.add_geom(
                name=f"plate {i}", type=mujoco.mjtGeom.mjGEOM_BOX,
                size=[(b - a) / 2, (d - c) / 2, 0.02],
                pos=[(a + b) / 2, (c + d) / 2, -0.02 - depth],
            )  # fmt: skip

    return change


def on(*changes) -> Cups:
    drive = mecano.connect("romerin", scene="empty", changes=changes).cups.drive
    assert isinstance(drive, Cups)
    return drive


@pytest.mark.parametrize(
    ("beyond", "miss"),
    [(0.03, None), (0.02, Miss.EDGE), (0.005, Miss.EDGE), (-0.005, Miss.NOTHING_NEAR)],
)
def test_edge_of_a_plate_is_not_held(beyond, miss):
    drive = on(plates((-0.5, 0.5, -0.5, FOOT[1] + beyond)))
    assert drive.seal(LEG - 1).miss is miss
    others = np.delete(drive.holding, LEG - 1)
    assert others.all() and drive.holding[LEG - 1] == (miss is None)


def hole(x: float, y: float, r: float):
    """Return a change: a floor with a square hole."""
    return plates(
        (-0.5, x - r, -0.5, 0.5), (x + r, 0.5, -0.5, 0.5),
        (x - r, x + r, -0.5, y - r), (x - r, x + r, y + r, 0.5),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("aside", "miss"), [(0.0, Miss.NOTHING_NEAR), (0.02, Miss.EDGE), (0.045, None)]
)
def test_hole_in_a_plate_is_not_held(aside, miss):
    assert on(hole(FOOT[0] + aside, FOOT[1], 0.012)).seal(LEG - 1).miss is miss


def test_hole_between_two_rays_of_the_rim_is_not_held():
    assert on(hole(FOOT[0], FOOT[1] + 0.028, 0.012)).seal(LEG - 1).miss is Miss.EDGE


def test_hole_between_the_middle_and_the_lip_is_not_held():
    assert on(hole(FOOT[0] + 0.014, FOOT[1], 0.006)).seal(LEG - 1).miss is Miss.EDGE


def test_paint_that_is_only_drawn_does_not_hide_the_surface():
    def paint(spec: mujoco.MjSpec) -> None:
        plates((-0.5, 0.5, -0.5, 0.5))(spec)
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1], contype=0, conaffinity=0
        )

    assert on(paint).holding.all()


def test_plates_that_meet_are_one_surface():
    drive = on(plates((-0.5, 0.5, -0.5, FOOT[1]), (-0.5, 0.5, FOOT[1], 0.5)))
    assert drive.seal(LEG - 1).miss is None


@pytest.mark.parametrize(
    "drop",
    [
        0.010,
        0.020,
    ],
)
def test_step_down_under_the_lip_is_not_held(drop):
    where = FOOT[1] + 0.01
    drive = on(plates((-0.5, 0.5, -0.5, where), (-0.5, 0.5, where, 0.5), drop=drop))
    assert drive.seal(LEG - 1).miss is Miss.EDGE


def test_foot_of_a_slope_is_not_held():
    def ramp(spec: mujoco.MjSpec) -> None:
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.2, 0.1, 0.01],
            pos=[FOOT[0], FOOT[1] + 0.01 + 0.0866 + 0.005, 0.05 - 0.00866],
            quat=[np.cos(np.pi / 12), np.sin(np.pi / 12), 0, 0],
        )  # fmt: skip

    assert on(ramp).seal(LEG - 1).miss is Miss.EDGE


# --- bonding


@pytest.mark.parametrize("gap", [0.003, 0.006])
def test_cup_does_not_move_when_it_takes_hold(floor, gap):
    lift(floor)
    floor.legs[LEG].move_to(floor.legs[LEG].tip - [0, 0, 0.02 - gap])
    floor.wait(0.5)
    before = floor.truth.body_pose(CUP)
    distance = floor.cups[LEG].distance
    assert 0.0 < distance < 0.007
    floor.cups.drive.switch(LEG - 1, True)
    floor.wait(0.5)
    after = floor.truth.body_pose(CUP)
    assert floor.cups[LEG].holding
    np.testing.assert_allclose(after.position, before.position, atol=1e-4)
    assert floor.cups[LEG].distance == pytest.approx(distance, abs=2e-4)


def test_load_is_known_from_the_fifth_step_on(floor):
    drive = floor.cups.drive
    for cup in range(6):
        drive.switch(cup, False)
        drive.switch(cup, True)
    floor.world.step(5)  # they take hold after the first
    drive.sample()
    assert drive.holding.all() and not drive.loads.any()
    floor.world.step()
    drive.sample()
    assert drive.loads.all(axis=1).all()


# --- statics


def weigh(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the bonds' forces, and of their moments about the centre of mass, with the weight.

    A bond acts at its cup's origin; it carries a moment too, which the rows of the solver tell.
    """
    model, data, drive = robot.world.model, robot.world.data, robot.cups.drive
    centre = data.subtree_com[model.body(BODY).id]
    forces, moment = drive.forces(), np.zeros(3)
    for row in range(0, int(data.ne), 6):
        bond = model.equality(int(data.efc_id[row])).name
        body = bond.replace("cup_", "leg_").replace("_bond", "_cup")
        scale = 0.5 * model.equality(bond).data[10]
        force = data.efc_force[row : row + 3]
        moment += np.cross(data.body(body).xpos - centre, force)
        moment += scale * data.efc_force[row + 3 : row + 6]
    return forces.sum(axis=0) - [0.0, 0.0, mass(robot) * G], moment


def require_balance(robot: Robot) -> None:
    force, moment = weigh(robot)
    weight = mass(robot) * G
    assert np.abs(force).max() < 0.001 * weight
    assert np.abs(moment).max() < 0.001 * weight * 0.1  # at the arm of a decimetre


@pytest.mark.parametrize("scene", ["empty", "wall", "ceiling"])
def test_six_cups_carry_the_weight_and_its_moment(scene):
    robot = fresh(scene)
    robot.wait(1.0)
    require_balance(robot)


def test_five_four_and_three_cups_on_the_wall_carry_the_weight(wall):
    for released in (4, 6, 2):
        lift(wall, released)
        wall.wait(1.2)
        require_balance(wall)
    assert wall.cups.holding.tolist() == [True, False, True, False, True, False]


@pytest.mark.parametrize(("scene", "sign"), [("empty", -1), ("ceiling", 1)])
def test_pull_is_negative_on_the_floor_and_positive_on_the_ceiling(scene, sign):
    robot = fresh(scene)
    robot.wait(0.5)
    assert robot.cups.drive.loads[:, 0].sum() == pytest.approx(sign * mass(robot) * G, rel=0.001)


def test_shear_and_pull_are_the_parts_of_the_force(wall):
    wall.wait(0.5)
    drive = wall.cups.drive
    pull = -np.einsum("ni,ni->n", drive.forces(), drive.normals())
    np.testing.assert_allclose(drive.pull, pull, atol=1e-3)
    np.testing.assert_allclose(
        np.hypot(drive.pull, drive.shear), np.linalg.norm(drive.forces(), axis=1), atol=1e-3
    )
    np.testing.assert_allclose(drive.normals(), np.tile([-1.0, 0.0, 0.0], (6, 1)), atol=1e-9)


def test_in_the_body_forces_on_the_wall_point_forward(wall):
    wall.wait(0.5)
    drive = wall.cups.drive
    told = drive.in_body(drive.forces()).sum(axis=0)
    np.testing.assert_allclose(told, [mass(wall) * G, 0.0, 0.0], atol=0.3)  # it sags by a degree


# --- breaking


def test_cup_breaks_at_15_n_of_pull(wall):
    wall.wait(0.2)
    pull_slowly(wall, np.array([-1.0, 0.0, 0.0]), 25.0)
    event = wall.cups.events[-1]
    assert event.what == "break" and event.cup == LEG and event.body == "wall"
    assert 15.0 < event.pull < 15.1 and event.shear < 30.0


def test_cup_breaks_at_30_n_of_shear(wall):
    wall.wait(0.2)
    pull_slowly(wall, np.array([0.0, 0.0, -1.0]), 50.0)
    event = wall.cups.events[-1]
    assert event.what == "break" and 30.0 < event.shear < 30.1 and event.pull < 15.0


@pytest.mark.parametrize(("steps", "breaks"), [(2, False), (3, True)])
def test_median_of_five_lets_two_spikes_pass_but_not_three(wall, steps, breaks):
    wall.wait(0.2)
    push(wall, np.array([-40.0, 0.0, 0.0]))
    wall.world.step(steps)
    push(wall, np.zeros(3))
    wall.world.step(10)
    assert wall.cups[LEG].holding != breaks


def test_pushing_never_breaks(wall):
    wall.wait(0.2)
    assert pull_slowly(wall, np.array([1.0, 0.0, 0.0]), 100.0, rate=100.0) >= 100.0
    wall.cups.drive.sample()
    assert wall.cups[LEG].holding and wall.cups[LEG].pull < -80.0


def test_unbreakable_cup_holds_three_times_its_limit(wall):
    wall.cups.unbreakable = True
    wall.wait(0.2)
    pull_slowly(wall, np.array([-1.0, 0.0, 0.0]), 45.0, rate=50.0)
    wall.cups.drive.sample()
    assert wall.cups[LEG].holding and wall.cups[LEG].pull > 40.0 and wall.cups[LEG].margin < -1.5


def test_share_is_that_of_the_law(wall):
    wall.wait(0.2)
    drive = wall.cups.drive
    np.testing.assert_allclose(drive.share, utilisation(Suction(), drive.pull, drive.shear))


def broken(robot: Robot) -> Robot:
    robot.wait(0.2)
    pull_slowly(robot, np.array([-1.0, 0.0, 0.0]), 25.0, rate=50.0)
    push(robot, np.zeros(3))
    assert robot.cups[LEG].state is CupState.BROKEN
    return robot


def test_broken_cup_stays_off_though_its_signal_is_on(wall):
    broken(wall).wait(0.3)
    assert wall.cups.drive.signal[LEG - 1] and wall.cups[LEG].state is CupState.BROKEN
    wall.cups.drive.switch(LEG - 1, True)
    wall.wait(0.1)
    assert wall.cups[LEG].state is CupState.BROKEN


def test_broken_cup_holds_again_after_off_and_on(wall):
    broken(wall)
    assert wall.cups.drive.ahead(LEG - 1).miss is None
    wall.cups.drive.switch(LEG - 1, False)
    assert wall.cups[LEG].state is CupState.OFF
    wall.cups.drive.switch(LEG - 1, True)
    wall.wait(0.1)
    assert wall.cups[LEG].state is CupState.HOLDING


def test_cup_of_the_thesis_takes_hold_again_at_once(wall):
    wall.cups.reattach = True
    wall.wait(0.2)
    push(wall, np.array([-20.0, 0.0, 0.0]))
    wall.world.step(40)
    later = [event.what for event in wall.cups.events[6:]]
    assert later[:4] == ["break", "bond", "break", "bond"]
    push(wall, np.zeros(3))
    wall.wait(0.1)
    assert wall.cups[LEG].holding


# --- moving surfaces


def on_a_lift(free: bool) -> Robot:
    """A robot whose leg 2 stands on a plate of its own: moved by hand, or loose."""

    def change(spec: mujoco.MjSpec) -> None:
        rest = (-0.5, -0.13, -0.5, 0.5), (0.01, 0.5, -0.5, 0.5), (-0.13, 0.01, -0.5, 0.14)
        plates(*rest)(spec)
        plate = spec.worldbody.add_body(name="plate", pos=[-0.06, 0.21, -0.01], mocap=not free)
        plate.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.05, 0.01], mass=0.1)
        if free:
            plate.add_freejoint()
            box = mujoco.mjtGeom.mjGEOM_BOX
            spec.worldbody.add_geom(type=box, size=[0.06, 0.06, 0.01], pos=[-0.06, 0.21, -0.03])

    return mecano.connect("romerin", scene="empty", changes=[change])


def test_cup_follows_a_surface_that_moves():
    robot = on_a_lift(free=False)
    robot.wait(0.5)
    assert robot.cups.drive.surface(LEG - 1) == "plate"
    before, data = robot.truth.body_pose(CUP).position, robot.world.data
    for _ in range(125):
        data.mocap_pos[0, 0] += 0.008 / 125
        robot.world.step(2)
    robot.wait(0.3)
    moved = robot.truth.body_pose(CUP).position - before
    np.testing.assert_allclose(moved, [0.008, 0.0, 0.0], atol=3e-4)
    assert robot.cups.holding.all()
    np.testing.assert_allclose(
        robot.cups.drive.forces().sum(axis=0), [0, 0, mass(robot) * G], atol=0.05
    )


def test_cup_lifts_what_is_loose_and_feels_its_weight():
    robot = on_a_lift(free=True)
    robot.wait(0.3)
    assert robot.cups.drive.surface(LEG - 1) == "plate"
    leg = robot.legs[LEG]
    start, up = leg.commanded.copy(), leg.chain.inverse(leg.tip + UP)
    for part in np.linspace(0.0, 1.0, 250):
        leg.command((1 - part) * start + part * up.solutions[0])
        robot.session.tick()
    robot.wait(1.0)
    assert robot.truth.body_pose("plate").position[2] > 0.01
    drive = robot.cups.drive
    force = drive.forces()[LEG - 1]  # of the plate on the cup: its weight, downwards
    np.testing.assert_allclose(force, [0.0, 0.0, -0.1 * G], atol=0.02)
    assert robot.cups.holding.all() and drive.loads[LEG - 1, 0] > 0.5


# --- letting go


def lip(robot: Robot, leg: int) -> int:
    return int(robot.world.model.geom(f"romerin/leg_{leg}_cup_lip_collision").contype[0])


def test_lip_collides_only_while_its_cup_does_not_hold(floor):
    masks = floor.cups.drive._masks[0]
    assert lip(floor, LEG) == 0
    lift(floor)
    assert lip(floor, LEG) == masks[LEG - 1] != 0
    floor.legs[LEG].move_to(floor.legs[LEG].tip - [0, 0, 0.017])
    floor.cups.attach(LEG)
    assert floor.cups[LEG].holding and lip(floor, LEG) == 0


@pytest.mark.parametrize("scene", ["empty", "wall", "ceiling"])
def test_release_does_not_kick_the_leg(scene):
    robot = fresh(scene)
    robot.wait(0.5)
    model, data = robot.world.model, robot.world.data
    dofs = [model.joint(f"romerin/leg_{LEG}_joint_{j}").dofadr[0] for j in (1, 2, 3)]
    robot.cups.release(LEG, force=True)
    fastest = 0.0
    for _ in range(250):
        robot.world.step()
        fastest = max(fastest, float(np.abs(data.qvel[dofs]).max()))
    assert fastest < 0.6  # it sheds its load: 4 N at 0.1 m against 20 N m/rad
    assert np.delete(robot.cups.holding, LEG - 1).all()


def test_robot_on_cups_that_let_go_does_not_sink_through_the_floor(floor):
    floor.wait(0.3)
    before = floor.truth.body_pose(BODY).position[2]
    for leg in range(1, 7):
        floor.cups.release(leg, force=True)
    floor.wait(2.0)
    assert not floor.cups.holding.any()
    assert floor.truth.body_pose(BODY).position[2] == pytest.approx(before, abs=0.008)
    lowest = min(floor.truth.place(f"romerin/cup_{leg}")[2] for leg in range(1, 7))
    assert lowest > -0.006


def test_cups_that_let_go_on_the_ceiling_let_the_robot_fall():
    robot = fresh("ceiling")
    for leg in range(1, 7):
        robot.cups.release(leg, force=True)
    before = robot.truth.body_pose(BODY).position[2]
    robot.wait(0.2)
    fallen = before - robot.truth.body_pose(BODY).position[2]
    assert fallen == pytest.approx(0.5 * G * 0.2**2, rel=0.1)


# --- other grippers


def test_magnets_add_pull_and_shear_up(wall):
    law = Magnet(contact=40.0, friction=0.5)
    wall.cups.set_law(law)
    wall.wait(0.3)
    drive = wall.cups.drive
    np.testing.assert_allclose(drive.share, utilisation(law, drive.pull, drive.shear))
    assert (drive.share > np.maximum(drive.pull, 0.0) / 40.0).all()
    np.testing.assert_allclose(wall.cups.margins, 1.0 - drive.share)


def test_magnets_on_thick_paint_slide_off_the_wall(wall):
    wall.cups.set_law(Magnet(contact=40.0, friction=0.3, gap=0.002))
    wall.wait(0.5)
    assert [event.what for event in wall.cups.events].count("break") == 6
    assert not wall.cups.holding.any()


# --- peaks, events, memory


def test_peaks_keep_the_largest_load(wall):
    wall.wait(0.2)
    pull_slowly(wall, np.array([-1.0, 0.0, 0.0]), 6.0)
    push(wall, np.zeros(3))
    wall.wait(0.3)
    assert wall.cups.drive.peaks[LEG - 1, 1] > wall.cups.drive.loads[LEG - 1, 0] + 5.0
    wall.cups.forget_peaks()
    assert not wall.cups.peaks.any()


def test_events_tell_time_and_load(wall):
    wall.wait(0.5)
    pull = wall.cups[LEG].pull
    wall.cups.release(LEG, force=True)
    event = wall.cups.events[-1]
    assert (event.what, event.cup, event.body) == ("release", LEG, "wall")
    assert event.time == pytest.approx(0.5) and event.pull == pytest.approx(pull, abs=1e-3)


def test_reset_brings_back_cups_that_were_torn_off(wall):
    broken(wall)
    wall.reset()
    assert wall.cups.holding.all() and len(wall.cups.events) == 6
    wall.wait(0.1)
    assert wall.cups.holding.all()


def test_snapshot_brings_back_a_cup_in_the_air(floor):
    lift(floor)
    snapshot = floor.snapshot()
    floor.legs[LEG].move_to(floor.legs[LEG].tip - [0, 0, 0.017])
    floor.cups.attach(LEG)
    assert floor.cups[LEG].holding
    floor.restore(snapshot)
    assert floor.cups[LEG].state is CupState.OFF and lip(floor, LEG) != 0
    assert floor.cups.events[-1].what == "release"
    floor.wait(0.1)
    assert floor.cups.holding.sum() == 5


@pytest.mark.parametrize("off", [(), (LEG,)])
def test_restored_robot_goes_on_bit_for_bit(wall, off):
    for leg in off:
        lift(wall, leg)
    wall.wait(0.3)
    snapshot = wall.snapshot()
    hashes = []
    for _ in range(2):
        wall.restore(snapshot)
        wall.wait(0.4)
        hashes.append(wall.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("off", [(), (LEG,)])
def test_restored_robot_goes_on_as_the_one_that_was_not(wall, off):
    for leg in off:
        lift(wall, leg)
    wall.wait(0.3)
    snapshot = wall.snapshot()
    wall.wait(0.4)
    expected = wall.state_hash()
    wall.restore(snapshot)
    wall.wait(0.4)
    assert wall.state_hash() == expected


def test_restored_world_walks_bit_for_bit_the_same_way(wall):
    wall.wait(0.2)
    snapshot, hashes = wall.snapshot(), []
    for _ in range(2):
        wall.restore(snapshot)
        wall.legs.walk(0.02)
        hashes.append(wall.state_hash())
    assert hashes[0] == hashes[1]


def walked(seed: int, *, observed: bool = False) -> str:
    """Hash after a short walk with noise."""
    robot = mecano.connect("romerin", scene="wall", seed=seed, noise=True)
    if observed:
        robot.run(lambda robot: robot.truth.body_pose(BODY) and robot.cups.distance(2) and None)
    robot.legs.walk(0.02)
    return robot.state_hash()


def test_same_seed_walks_bit_for_bit_the_same_way_whoever_looks():
    assert walked(3) == walked(3, observed=True) != walked(4)
