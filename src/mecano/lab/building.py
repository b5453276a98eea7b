"""The one builder: gives a robot the parts of its description, on the devices of a family."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mecano.core.errors import InvalidInput, UnknownName
from mecano.kinematics.chain import Chain
from mecano.lab.families import DeviceFamily
from mecano.lab.settings import Settings
from mecano.parts.arm import Arm
from mecano.parts.base import Base
from mecano.parts.cups import Cups
from mecano.parts.foot import Foot
from mecano.parts.gripper import Gripper
from mecano.parts.hand import Hand
from mecano.parts.legs import Legs
from mecano.parts.part import SensorPart
from mecano.parts.standing_legs import StandingLegs
from mecano.robots.description import MotionLimits, RobotDescription
from mecano.robots.description_checks import check_facts, leg_chains
from mecano.robots.legged import LeggedBody
from mecano.robots.mobile import WheeledBase
from mecano.world.assembly import Change, Placement, assemble
from mecano.world.mass_centre import MassCentre
from mecano.world.robot_model import RobotModel
from mecano.world.world import World

if TYPE_CHECKING:
    from mecano.lab.robot import Robot
    from mecano.robots.calibration import Calibration


def make_world(
    placements: Sequence[Placement],
    scene: str | Path,
    settings: Settings,
    changes: Sequence[Change],
) -> World:
    """Return a world with robots in a scene."""
    for placement in placements:
        check_facts(placement.robot)
    spec = assemble(placements, scene=scene, physics=settings.physics, changes=changes)
    settings.apply(spec)
    return World(spec)


def calibrated(
    chain: Chain, description: RobotDescription, calibration: "Calibration | bool | None"
) -> Chain:
    """Return a chain as it was measured on the user's own arm, see `connect`."""
    from mecano.robots.calibration import Calibration, load, owner_of

    if calibration is False:
        return chain
    if calibration is None or calibration is True:
        stored = load(owner_of(description))
        if stored is None and calibration is True:
            raise InvalidInput(
                f"no calibration of {description.name} is stored; make one with: mecano calibrate"
            )
        return chain if stored is None else stored.apply(chain)
    if not isinstance(calibration, Calibration):
        raise InvalidInput(
            f"calibration is {calibration!r}, expected a Calibration, True, False or None"
        )
    return calibration.apply(chain)


def motion_limits(
    description: RobotDescription, settings: Settings, chain: str | None = None
) -> MotionLimits:
    """Return how fast an arm moves; the servos must be able to."""
    limits = description.chain_limits.get(chain or "", description.limits)
    assert limits is not None
    motion = settings.motion(limits)
    names = description.servos
    if chain in description.chain_limits:
        names = description.chain(chain).joint_names
    fastest = min(description.servos[name].speed for name in names)
    if motion.velocity > fastest:
        raise InvalidInput(
            f"motion.velocity is {motion.velocity:g} rad/s, the servos reach {fastest:g} rad/s"
        )
    return motion


def build(
    robot: "Robot",
    devices: DeviceFamily,
    settings: Settings,
    *,
    calibration: "Calibration | bool | None" = False,
) -> "Robot":
    """Give a robot its parts, as far as description and family have them; return it."""
    Builder(robot, devices, settings).build(calibration)
    return robot


class Builder:
    """Joins the facts of a description with the devices of a family."""

    def __init__(self, robot: "Robot", devices: DeviceFamily, settings: Settings) -> None:
        """Take what is joined; nothing is built yet."""
        self.robot, self.devices, self.settings = robot, devices, settings
        self.facts, self.session = robot.description, robot.session
        self.prefix, self.tick = f"{robot.name}/", devices.backend.tick

    def build(self, calibration: "Calibration | bool | None") -> None:
        """Add all parts, in the order that everybody iterates in."""
        robot, facts = self.robot, self.facts
        robot.world, robot.real = self.devices.world, self.devices.real
        robot.family = self.devices.name
        if facts.legged is not None:
            self._add_legs(facts.legged)
        for name in facts.arms:
            chain = self.settings.limited(facts.chain(name))
            self._add_arm(calibrated(chain, facts, calibration))
        self._add_standing_legs()
        for arm in facts.grippers:
            self._add_gripper(arm)
        for arm in facts.hands:
            self._add_hand(arm)
        if facts.base is not None:
            self._add_base(facts.base)
        self._add_cameras()
        self._list_sensors()
        if "base" in robot.parts:
            from mecano.lab.safety import add_zone

            add_zone(robot)

    def _list_sensors(self) -> None:
        """Add the sensors to the list of parts, after all that moves."""
        robot = self.robot
        found: list[tuple[str, str, Any]] = []
        if robot.has_imu:
            found.append(("IMU", "imu", robot.imu))
        tables = {"camera": robot.cameras, "LIDAR": robot.lidars, "range sensor": robot.ranges}
        found += [(kind, name, each) for kind, t in tables.items() for name, each in t.items()]
        for kind, name, device in found:
            says_kind = name.lower().startswith(kind.lower()) and name not in robot.parts
            robot.parts.add(SensorPart(kind, name if says_kind else f"{kind} {name}", device))

    def _missing(self, part: str) -> None:
        self.robot.parts.absent[part] = f"its {self.devices.name} devices have none"

    def _resolution(self, joints: Sequence[str]) -> np.ndarray:
        return np.array([self.facts.servos[joint].resolution for joint in joints])

    def _add_arm(self, chain: Chain) -> None:
        facts = self.facts
        model = RobotModel(self.robot.world.model, facts, prefix=self.prefix, chain=chain.name)
        devices = self.devices.arm(chain, model, self._resolution(chain.joint_names))
        if devices is None:
            return self._missing("arm")
        arm = Arm(
            self.session,
            chain,
            motion_limits(facts, self.settings, chain.name),
            max_torque=min(facts.servos[joint].torque for joint in chain.joint_names),
            joints=devices.joints,
            drives=devices.servos,
            model=model,
            surroundings=self.devices.surroundings,
            tick=self.tick,
            feeds_weight=facts.feeds_weight,
        )
        self.robot.add_arm(arm)
        return None

    def _add_gripper(self, arm: str) -> None:
        facts = self.facts.grippers[arm]
        devices = self.devices.gripper(facts)
        if devices is None:
            return self._missing("gripper")
        name = "gripper" if len(self.facts.grippers) == 1 else f"{arm} gripper"
        gripper = Gripper(
            self.session, facts, arm=arm, name=name, joint=devices.joint, drive=devices.drive
        )
        self.robot.parts.add(gripper)
        return None

    def _add_hand(self, arm: str) -> None:
        facts = self.facts.hands[arm]
        devices = self.devices.hand(facts)
        if devices is None:
            return self._missing("hand")
        hand = Hand(
            self.session, facts, arm=arm, joints=devices.joints, drives=devices.servos,
            tick=self.tick,
        )  # fmt: skip
        self.robot.parts.add(hand)
        return None

    def _add_legs(self, facts: LeggedBody) -> None:
        chains = leg_chains(self.facts)
        names = [joint for chain in chains for joint in chain.joint_names]
        devices = self.devices.legs(facts, chains, self._resolution(names))
        if devices is None:
            return self._missing("legs")
        cups = Cups(self.session, devices.cups)
        imu = None if facts.imu is None else self.devices.imu(facts.imu)
        self.robot.add_imu(imu)
        legs = Legs(
            self.session, facts, chains, motion_limits(self.facts, self.settings),
            joints=devices.joints, drives=devices.servos, cups=cups, imu=imu,
            adhesion=devices.adhesion, tick=self.tick,
        )  # fmt: skip
        self.robot.parts.add(legs)
        self.robot.parts.add(cups)
        return None

    def _add_standing_legs(self) -> None:
        """Join chains that are legs, and have no cups, to what walks on them."""
        robot, facts = self.robot, self.facts
        legs = [arm for arm in robot.arms.values() if arm.chain.role == "leg"]
        if not legs or facts.legged is not None:
            return
        centre = MassCentre(robot.world.model, legs[0].chain.joint_names[0], self.prefix)

        def mass() -> np.ndarray:
            return centre(
                {
                    name: float(value)
                    for _, sensor in robot.parts.jointed
                    for name, value in zip(sensor.names, sensor.position, strict=True)
                }
            )

        mass()
        feet = [
            Foot(arm, centre.frame(site) @ _inverse(arm), *centre.sole(site))
            for arm, site in [(arm, facts.tool_site(arm.name)) for arm in legs]
        ]
        fixed = "" if facts.floating else "it hangs or is bolted down by its root"
        legs_part = StandingLegs(
            self.session, feet, mass, weight=centre.weight, tick=self.tick, fixed=fixed
        )
        robot.parts.add(legs_part)

    def _add_base(self, facts: WheeledBase) -> None:
        devices = self.devices.base(facts)
        if devices is None:
            return self._missing("base")
        base = Base(
            self.session, facts, devices.sensors, devices.wheels, light=devices.light,
            dynamics=devices.dynamics,
        )  # fmt: skip
        self.robot.parts.add(base)
        self.robot.arms.base = base
        for ranges in facts.ranges:
            finder = self.devices.range_sensor(ranges)
            if finder is not None:
                self.robot.ranges[ranges.name] = finder
        for scanner in facts.lidars:
            lidar = self.devices.lidar(scanner)
            if lidar is not None:
                self.robot.lidars[scanner.name] = lidar
        return None

    def _add_cameras(self) -> None:
        known = [facts.name for facts in self.facts.cameras]
        unknown = self.settings.camera_changes.keys() - set(known)
        if unknown:
            raise UnknownName("camera", min(unknown), known)
        for facts in self.facts.cameras:
            camera = self.devices.camera(self.settings.camera(facts))
            if camera is None:
                self._missing("camera")
            else:
                self.robot.cameras[facts.name] = camera


def _inverse(arm: Arm) -> np.ndarray:
    """Return the base of an arm's table, seen from its tool as it is now. Shape (4, 4)."""
    return np.linalg.inv(arm.chain.forward(arm.position))
