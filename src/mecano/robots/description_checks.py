"""Whether a description can be simulated: one clear line for the first mistake found.

`mecano check-robot` lists all mistakes of a robot; this stops `connect` at the first one.
"""

import reprlib
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput
from mecano.kinematics.chain import Chain
from mecano.kinematics.leg_set import LegSet
from mecano.kinematics.legs import LegChain
from mecano.robots.description import Gripper, RobotDescription, Servo
from mecano.robots.hands import HandFacts
from mecano.robots.legged import LeggedBody
from mecano.robots.mobile import CameraFacts, WheeledBase

Named = tuple[str, str, tuple[str, ...]]
"""Kind of element in the model (joint, body, site, camera), what needs it, names."""


def check_kinds(robot: RobotDescription) -> None:
    """Raise unless the fields of a description have the types that they should."""
    _expect(robot, "name", robot.name, str, 'a text such as "my_robot"')
    _expect(robot, "folder", robot.folder, Path, "a path: Path(__file__).parent")
    _expect(robot, "model", robot.model, str | None, 'a file name such as "model.xml", or None')
    if robot.mjcf is not None and not callable(robot.mjcf):
        raise InvalidInput(
            f"'{robot.name}': mjcf is {robot.mjcf!r}, expected a function that returns MJCF text"
        )
    tables = {"chains": Chain, "servos": Servo, "grippers": Gripper, "hands": HandFacts}
    for field, kind in tables.items():
        table = getattr(robot, field)
        example = f'{field} by name, such as {{"arm": {kind.__name__}(...)}}'
        _expect(robot, field, table, dict, example)
        for name, value in table.items():
            _expect(robot, f"{field}[{name!r}]", value, kind, f"a {kind.__name__}(...)")
    _expect(robot, "base", robot.base, WheeledBase | None, "a WheeledBase(...), or None")
    _expect(robot, "legged", robot.legged, LeggedBody | None, "a LeggedBody(...), or None")
    _expect(robot, "cameras", robot.cameras, tuple | list, "a tuple of CameraFacts(...)")
    for number, camera in enumerate(robot.cameras):
        _expect(robot, f"cameras[{number}]", camera, CameraFacts, "a CameraFacts(...)")


def _expect(robot: RobotDescription, field: str, value: object, kind, wanted: str) -> None:
    if not isinstance(value, kind):
        given = " ".join(reprlib.repr(value).split())
        raise InvalidInput(f"'{robot.name}': {field} is {given}, expected {wanted}")


def check_facts(robot: RobotDescription) -> None:
    """Raise unless a description has the numbers that a simulated robot needs."""
    check_kinds(robot)
    if robot.model is None and robot.mjcf is None:
        return  # kinematics only; whoever wants to simulate it is told so
    leg_chains(robot)
    finite_number(robot.tick, name=f"'{robot.name}': tick [s]", lower=1e-4, upper=1.0)
    for name, chain in robot.chains.items():
        _check_postures(robot, f"chain '{name}'", chain.joint_names, chain.postures)
        for joint in chain.joint_names:
            if joint not in robot.servos:
                raise InvalidInput(
                    f"'{robot.name}': joint '{joint}' of chain '{name}' has no entry in servos; "
                    f"servos are given for: {reprlib.repr(list(robot.servos))}"
                )
        if robot.limits is None and name not in robot.chain_limits:
            raise InvalidInput(
                f"'{robot.name}': chain '{name}' has no motion limits; give the description "
                "limits=MotionLimits(...), or chain_limits by the name of the chain"
            )
    for name, hand in robot.hands.items():
        _check_postures(robot, f"hand of '{name}'", hand.joints, hand.postures)
    for joint, servo in robot.servos.items():
        what = f"'{robot.name}': resolution of servo '{joint}' [rad or m]"
        finite_number(servo.resolution, name=what, lower=1e-12)


def leg_chains(robot: RobotDescription) -> list[LegChain]:
    """Return the chains of a robot's legs; raise if the gaits cannot use one of them."""
    legs = () if robot.legged is None else robot.legged.legs
    named = [robot.chain(leg.chain) for leg in legs]
    chains = [chain for chain in named if isinstance(chain, LegChain)]
    if len(chains) < len(named):
        raise InvalidInput(
            f"the legs of '{robot.name}' must be LegChains, whose closed form the gaits "
            f"use; {len(named) - len(chains)} of {len(named)} are not"
        )
    if chains:
        LegSet(chains)  # says so if a leg has no closed form
    return chains


def _check_postures(
    robot: RobotDescription, owner: str, joints: tuple[str, ...], postures: dict
) -> None:
    for posture, values in postures.items():
        if len(values) != len(joints):
            raise InvalidInput(
                f"'{robot.name}': posture '{posture}' of {owner} has {len(values)} values, "
                f"expected {len(joints)}: {', '.join(joints)}"
            )
        if not all(isfinite(value) for value in values):
            raise InvalidInput(
                f"'{robot.name}': posture '{posture}' of {owner} is {tuple(values)}, expected "
                "finite numbers [rad or m]"
            )


def named_in_model(robot: RobotDescription) -> Iterator[Named]:
    """Yield what a description expects in its model: kind, who needs it, names."""
    for name, chain in robot.chains.items():
        yield "joint", f"chain '{name}'", chain.joint_names
    for name in robot.arms:
        yield "site", f"the tool of arm '{name}'", (robot.tool_site(name),)
    for name, gripper in robot.grippers.items():
        yield "joint", f"the gripper of '{name}'", (gripper.joint, *gripper.followers)
        yield "body", f"the gripper of '{name}'", tuple(gripper.bodies)
    for name, hand in robot.hands.items():
        yield "joint", f"the hand of '{name}'", hand.joints
        yield "body", f"the hand of '{name}'", hand.bodies
        yield "site", f"the hand of '{name}'", hand.tips
    if robot.base is not None:
        yield from _named_by_base(robot.base)
    if robot.legged is not None:
        cups = robot.legged.cups
        yield "body", "the legs", (robot.legged.frame, *(cup.body for cup in cups))
        yield "site", "the legs", tuple(cup.site for cup in cups)
        yield "joint", "the legs", tuple(name for leg in robot.legged.legs for name in leg.springs)
    if robot.floating is not None:
        yield "body", "the free root", (robot.floating,)
    yield "camera", "the cameras", tuple(camera.camera for camera in robot.cameras)


def _named_by_base(base: WheeledBase) -> Iterator[Named]:
    yield "body", "the frame of the base", (base.frame,)
    yield "joint", "the wheels of the base", tuple(base.layout.names)
    if base.gyro is not None:
        yield "site", "the gyro of the base", (base.gyro.site,)
    if base.cliffs is not None:
        yield "site", "the cliff sensors of the base", tuple(base.cliffs.sites.values())
    yield "site", "the range sensors of the base", tuple(facts.site for facts in base.ranges)
    yield "site", "the LIDARs of the base", tuple(facts.site for facts in base.lidars)
