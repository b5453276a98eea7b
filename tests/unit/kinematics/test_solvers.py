"""Which solver a chain gets, and why."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
import ur_tables
import wrist_tables

from mecano import robots
from mecano.kinematics import Chain, solver_for
from mecano.kinematics.dh import DHChain, DHJoint
from mecano.kinematics.transforms import rotation_x, translation
from mecano.robots.open_manipulator_x.description import ARM as OMX
from mecano.robots.widowx.description import ARM as WIDOWX

FITS = {
    "open_manipulator_x": "turret",
    "open_manipulator_x_camera": "turret",
    "crumb": "rolling_turret",
    "crumb_mast": "rolling_turret",
    "youbot": "rolling_turret",
    "youbot_rollers": "rolling_turret",
    "youbot_laser": "rolling_turret",
    "romerin": "leg",
    "madar": "ur",
    "madar_elements": "ur",
    "madar_kinematic": "ur",
    "madar_base": None,
    "two_link": "numerical",
    "widowx": "rolling_turret",
    "kobuki": None,
    "barn_base": None,
    "ur5": "ur",
    "allegro": None,
}
"""None: it has no chain."""


def turning(n: int) -> DHChain:
    return DHChain(joints=tuple(DHJoint(name=f"j{i}", a=0.1, alpha=0.3) for i in range(n)))


@pytest.mark.parametrize("name", robots.ROBOTS + robots.PARTS)
def test_every_arm_of_the_catalogue_has_the_closed_form_that_fits_it(name):
    kinds = {chain.solver for chain in robots.get(name).chains.values()}
    assert kinds == ({FITS[name]} if FITS[name] else set())


def test_every_solver_says_why_it_was_taken():
    for name in robots.ROBOTS + robots.PARTS:
        for chain in robots.get(name).chains.values():
            assert len(chain.solver_reason) > 20


@pytest.mark.parametrize("name", wrist_tables.ARMS)
def test_arms_whose_last_axes_meet_have_a_spherical_wrist(name):
    solver = solver_for(wrist_tables.ARMS[name])
    assert solver.kind == "spherical_wrist"
    assert solver.reason == "axes 4, 5 and 6 meet in one point"


@pytest.mark.parametrize("name", ur_tables.ARMS)
def test_arms_of_the_ur_kind_are_recognized_wherever_base_and_tool_are(name):
    assert solver_for(ur_tables.ARMS[name]).kind == "ur"


@pytest.mark.parametrize(
    ("chain", "reason"),
    [
        (turning(7), "7 joints; closed forms exist for 4, 5 and 6"),
        (turning(1), "1 joint; closed forms exist for 4, 5 and 6"),
        (
            replace(
                OMX.dh, joints=(*OMX.dh.joints[:3], replace(OMX.dh.joints[3], kind="prismatic"))
            ),
            "joint 'joint4' slides; closed forms exist for turning joints",
        ),
        (replace(OMX.dh, base=rotation_x(0.1)), "not a turret arm: axis 1 must be vertical"),
        (
            replace(OMX.dh, tool=translation(z=0.01) @ OMX.dh.tool),
            "not a turret arm: the tool lies beside the plane of the links, by 10 mm",
        ),
        (
            replace(WIDOWX.dh, tool=WIDOWX.dh.tool @ translation(z=0.01)),
            "not a turret arm that rolls its hand: arm_5_joint must turn about the tool's x axis",
        ),
    ],
)
def test_numerical_solver_says_why_no_closed_form_fits(chain, reason):
    solver = solver_for(chain)
    assert solver.kind == "numerical"
    assert solver.reason.startswith(reason)


def test_wrist_that_misses_its_point_says_by_how_much():
    joints = list(wrist_tables.PUMA.joints)
    joints[3] = replace(joints[3], a=0.0048)
    solver = solver_for(replace(wrist_tables.PUMA, joints=tuple(joints)))
    assert solver.kind == "numerical"
    # Half of the offset: the nearest point to all three axes lies between them.
    assert "not an arm with a spherical wrist: axes 4, 5 and 6 miss a common point by 3.2 mm" in (
        solver.reason
    )
    assert "not an arm of the UR kind: axes 2 and 4 (joint2, joint4) must be parallel" in (
        solver.reason
    )


def test_wrist_on_joints_that_cannot_place_it_is_refused():
    planar = wrist_tables.arm(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.1), (0.3, 0.3, 0.2, 0.0, 0.0, 0.0),
        (0.0, 0.0, pi / 2, -pi / 2, pi / 2, 0.0),
    )  # fmt: skip
    solver = solver_for(planar)
    assert solver.kind == "numerical"
    assert "cannot move the wrist centre in every direction" in solver.reason


@pytest.mark.parametrize("noise", [1e-11, 3.7e-6, 8e-4])
def test_families_are_recognized_in_spite_of_the_noise_of_files(noise):
    for dh, kind in (
        (OMX.dh, "turret"),
        (WIDOWX.dh, "rolling_turret"),
        (ur_tables.ARMS["ur10"], "ur"),
        (wrist_tables.KR6, "spherical_wrist"),
    ):
        joints = tuple(
            replace(joint, alpha=joint.alpha + noise * (-1) ** i)
            for i, joint in enumerate(dh.joints)
        )
        solver = solver_for(replace(dh, joints=joints))
        assert solver.kind == kind
        if noise > 1e-10 and kind != "spherical_wrist":  # its first axes may lie anyhow
            assert "solutions are polished on the exact table" in solver.reason


def test_ur5_finds_each_branch_once_and_near_the_start():
    """Joints of the UR5 turn twice: whole turns are not further solutions."""
    chain = robots.get("ur5").chain()
    rng = np.random.default_rng(3)
    for q in rng.uniform(chain.dh.lower, chain.dh.upper, (30, 6)):
        T = chain.forward(q)
        found = chain.ur.solve(T[:3, 3], T[:3, :3], q)
        assert 2 <= len(found) <= 8
        apart = np.abs((found[:, None] - found[None] + pi) % (2 * pi) - pi).max(axis=-1)
        assert apart[~np.eye(len(found), dtype=bool)].min() > 1e-4
        assert np.abs(found - q).max(axis=1).min() < 1e-6
        np.testing.assert_allclose(chain.forward(found), np.broadcast_to(T, (len(found), 4, 4)),
                                   atol=1e-9)  # fmt: skip


def test_chain_hands_out_the_closed_form_of_a_wrist():
    chain = Chain(name="arm", dh=wrist_tables.PUMA)
    assert chain.wrist.region.size > 0.5
    assert chain.rolls
