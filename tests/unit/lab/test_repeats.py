"""A law of every robot: what follows a restored snapshot is what followed the instant itself.

The first future is not restored: only what is going on is let go of, as a restore does. So all that
a restore brings back is compared with what it was, to the bit: state and what sensors read.
"""

import hashlib

import numpy as np
import pytest

import mecano
from mecano import robots
from mecano.lab.robot import Robot

SIMULATED = [name for name in (*robots.ROBOTS, *robots.PARTS) if robots.get(name).has_model]
INSTANTS = 3
"""So many instants of a run are gone back to."""
TICKS = 40
"""So long is what follows them."""


def let_go(robot: Robot) -> None:
    """End motions and behaviours as a restore does, and touch nothing else."""
    robot.session.behaviours.clear()
    for stepper in robot.session.steppers:
        stepper.recall(stepper.memory())


def stir(robot: Robot, rng: np.random.Generator) -> None:
    """Give every part something to do."""
    for arm in robot.arms.values() if robot.arms else ():
        joints = arm.chain.dh.joints
        near = arm.position + rng.uniform(-0.3, 0.3, len(joints))
        near = np.clip(near, [j.lower for j in joints], [j.upper for j in joints])
        arm.move_joints(near, check=False, wait=False)
    for gripper in robot.grippers.values():
        (gripper.close if rng.random() < 0.5 else gripper.open)(wait=False)
    for hand in robot.hands.values():
        hand.move("power" if rng.random() < 0.5 else "flat", wait=False)
    if "base" in robot.parts:
        robot.base.drive(rng.uniform(-0.2, 0.2), rng.uniform(-0.3, 0.3))
    if "legs" in robot.parts and robot.legs.walking is None:
        robot.legs.walk(0.02, wait=False)


def future(robot: Robot) -> str:
    """Return a text of what follows: states, and what encoders, cups and bases read."""
    stir(robot, np.random.default_rng(7))
    digest = hashlib.sha256()
    for _ in range(TICKS):
        robot.session.tick()
        digest.update(robot.state_hash().encode())
        for arm in robot.arms.values():
            digest.update(arm.effort.tobytes())
        if "cups" in robot.parts:
            digest.update(repr(robot.cups.read()).encode())
        if "base" in robot.parts:
            digest.update(repr((robot.base.pose, robot.base.report)).encode())
    return digest.hexdigest()


def check(robot: Robot, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(INSTANTS):
        stir(robot, rng)
        for _ in range(int(rng.integers(5, 60))):
            robot.session.tick()
        kept = robot.snapshot()
        let_go(robot)
        first = future(robot)
        robot.restore(kept)
        assert future(robot) == first
        robot.restore(kept)
        assert future(robot) == first


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("name", SIMULATED)
def test_a_restored_snapshot_goes_on_bit_for_bit(name, noise):
    with mecano.connect(name, noise=noise, seed=3) as robot:
        check(robot, seed=sum(name.encode()))


def test_a_walk_after_a_restore_is_the_same_walk():
    with mecano.connect("romerin", noise=True, seed=1) as robot:
        robot.legs.walk(0.03)
        kept = robot.snapshot()
        futures = []
        for _ in range(2):
            robot.legs.walk(0.02)
            futures.append(robot.state_hash())
            robot.restore(kept)
        assert futures[0] == futures[1]


def test_a_squeeze_after_a_restore_is_the_same_squeeze():
    with mecano.connect("madar", scene="carry", seed=1) as robot:
        place = robot.truth.place("pick")
        robot.base.go_to(mecano.Pose2(place[0] - 0.625, place[1], 0.0), speed=0.25)
        robot.base.drive(0.05)
        robot.wait(0.21)
        kept = robot.snapshot()
        let_go(robot)
        futures = []
        for _ in range(2):
            hold = robot.arms.hold(mecano.Pose([0.625, 0.0, place[2]]))
            hold.squeeze(20.0)
            futures.append((robot.state_hash(), hold.pressing))
            robot.restore(kept)
        assert futures[0] == futures[1]
