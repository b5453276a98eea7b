"""The control interface of the thesis on ROMERIN, as a thin layer over `robot.legs`.

Names and calls are those of the thesis: millimetres and degrees, legs counted from 1; no call
waits. Time passes by `robot.wait`, and commands given between two ticks land together.

    robot = mecano.connect("romerin")
    api = RomerinAPI(robot)
    api.setGripper(2, 0)
    api.moveLeg(2, [25, 250], -40)  # or api.moveLeg(2, [25, 250, -40]); 1, or -1 out of reach
    robot.wait(1.0)

What is different: forward and inverse kinematics are right (the errata of the description list what
was not), a target out of reach or outside a joint's range is refused and explained instead of the
old one being sent again, and `getJointPosition` answers at once. As in the thesis, nothing looks
whether the robot would fall, and legs whose cups hold may be moved: they move the body.
"""

import math
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.arrays import Array, finite_number, read_only
from mecano.core.errors import InvalidInput
from mecano.core.notices import say
from mecano.kinematics.legs import LegChain
from mecano.lab.robot import Robot
from mecano.robots.romerin.api_slew import Slew, slew_of

UNCHANGED = -1
"""In the place of a speed: leave it as it is."""
DONE, FAILED = 1, -1
"""What calls of `RomerinAPI` return."""
PER_LEG = 4
"""Names that the constructor takes for each leg: three motors and the signal of the cup."""


class ElbowPos(StrEnum):
    """How the knee bends. The thesis defines one pair of these names and uses the other."""

    ElbowUp = "up"
    ElbowDown = "down"
    ElbUp = "up"
    ElbDown = "down"


def motor_name(joint: int, leg: int) -> str:
    """Return how the thesis's scene calls a motor."""
    return f"Motor{joint}_{leg}"


def cup_signal(leg: int) -> str:
    """Return the signal that switches a cup in the thesis's scene."""
    return f"RomerinSuctionPad_{leg}_active"


def thesis_names(legs: int = 6) -> list[str]:
    """Return the names that the thesis's constructor takes, in their order."""
    return [
        name
        for leg in range(1, legs + 1)
        for name in (*(motor_name(joint, leg) for joint in (1, 2, 3)), cup_signal(leg))
    ]


class Joint:
    """One motor, in degrees."""

    def __init__(self, robot: Robot, name: str | None = None) -> None:
        """Take the robot; the motor is named here or by `setJointHandle`."""
        self._slew, self._place = slew_of(robot), None
        self.reason = ""
        """Why the last command was refused; empty if it was not."""
        self.clientID = 0
        if name is not None:
            self.setJointHandle(name)

    def setClientID(self, clientID: int) -> None:
        """Keep a client id; there is no connection that it could name."""
        self.clientID = _client_id(clientID)

    def setJointHandle(self, name: str) -> None:
        """Choose the motor, by the thesis's name (`Motor1_3`: motor 1 of leg 3) or by ours."""
        known = _joint_names(self._slew)
        if name not in known:
            raise InvalidInput(
                f"no motor is called {name!r}; motors are called Motor1_1 to Motor3_6: first the "
                "motor of the leg (1 hip, 2 femur, 3 tibia), then the leg"
            )
        self._place = known[name]

    def setJointPosition(self, degrees: float) -> bool:
        """Give the motor a target [deg]; return False, and do nothing, outside its range."""
        leg, joint = self._chosen()
        value = finite_number(degrees, name="angle [deg]")
        self.reason = _outside(self._slew, leg, [joint], [value])
        if not self.reason:
            self._slew.send(leg, [joint], [math.radians(value)])
        return _tell(self.reason)

    def getJointPosition(self) -> float:
        """Return the angle by the encoder [deg]."""
        leg, joint = self._chosen()
        return math.degrees(self._slew.legs.position[leg, joint])

    def setJointVelocity(self, speed: float) -> None:
        """Set how fast the target moves [rad/s]; -1 leaves it. It does not command a velocity.

        What is more than the servo can do counts as that.
        """
        leg, joint = self._chosen()
        if speed == UNCHANGED:
            return
        cap = finite_number(speed, name="speed cap [rad/s], or -1 to leave it,", lower=0.0)
        self._slew.limit(leg, joint, cap)

    def _chosen(self) -> tuple[int, int]:
        if self._place is None:
            raise InvalidInput("this joint has no motor yet: call setJointHandle('Motor1_1') first")
        return self._place


class Leg:
    """One leg in its own frame: on the hip's axis, y away from the body, z up (thesis: Pata)."""

    def __init__(
        self, motor1: str, motor2: str, motor3: str, cup: str, side: str | None = None,
        rest: float | None = None, clientID: int = 0, *, robot: Robot,
        elbow: str = ElbowPos.ElbowUp,
    ) -> None:  # fmt: skip
        """Bind a leg by the names of its parts.

        Args:
            motor1: Its hip; by the thesis's name or by ours, as the others.
            motor2: Its femur.
            motor3: Its tibia.
            cup: The signal of its cup.
            side: Of joint 2 beside the hip, "towards" the leg's +x or "opposite"; only checked.
            rest: Send the hip to this angle, as the thesis does [deg]; None leaves it.
            clientID: See `Joint.setClientID`.
            robot: Whose leg it is.
            elbow: How its knee bends, unless a call says otherwise.
        """
        self._slew, self._cups = slew_of(robot), robot.cups
        names = (motor1, motor2, motor3)
        self.joints = tuple(Joint(robot, name) for name in names)
        self.number = 1 + self.joints[0]._chosen()[0]
        """From 1 on."""
        _check_names(self.number, (*names, cup), self._slew)
        _check_side(self.number, side, self.chain)
        for joint in self.joints:
            joint.setClientID(clientID)
        self.elbow = _elbow(elbow)
        self.reason = ""
        """Why the last command was refused; empty if it was not."""
        self.angles = np.degrees(self._slew.legs.commanded[self.number - 1])
        """Of the last `getIK_angles` that found some [deg]."""
        self.point = self.getPosition()
        """Of the last `getFK` [mm, and 1]."""
        if rest is not None:
            self.joints[0].setJointPosition(rest)

    @property
    def chain(self) -> LegChain:
        """Its kinematics, in metres and radians and the body's frame."""
        return self._slew.legs[self.number].chain

    def getFK(self, angles: ArrayLike) -> Array:
        """Return where the tip is in the leg's frame at joint values [deg]; `point` keeps it.

        Returns:
            x, y, z [mm] and 1.
        """
        q = np.radians(read_only(angles, name="angles [deg]", shape=(3,)))
        self.point = np.append(1000.0 * self.chain.to_leg(self.chain.tip(q)), 1.0)
        return self.point

    def getIK_angles(self, point: ArrayLike, elbow: str | None = None) -> bool:
        """Find joint values that bring the tip to a point, and store them in `angles`.

        Args:
            point: In the leg's frame [mm]; a fourth number, 1, may follow.
            elbow: How the knee bends; None takes the leg's `elbow`.

        Returns:
            False if there are none; then `angles` stays as it was and `reason` says why.
        """
        bend = self.elbow if elbow is None else _elbow(elbow)
        place = self.chain.to_body(_point(point) / 1000.0)
        ways = self.chain.leg.solve(*place.tolist())
        found = ways.get(bend.value) or ways.get(f"folded_{bend.value}")
        if found is None:
            other = f"it can with the elbow {_other(bend)}" if ways else ""
            why = other or self.chain.inverse(place).message
            self.reason = (
                f"leg {self.number} does not reach this point with elbow {bend.value}: {why}"
            )
        else:
            self.reason, self.angles = "", np.degrees(found)
        return _tell(self.reason)

    def setPosition(self, point: ArrayLike) -> bool:
        """Move the tip to a point of the leg's frame [mm]; False, without motion, out of reach."""
        return self.getIK_angles(point) and self.setAngles(self.angles)

    def getPosition(self) -> Array:
        """Return where the tip is in the leg's frame, by the encoders: x, y, z [mm] and 1."""
        tip = self._slew.legs[self.number].tip
        return np.append(1000.0 * self.chain.to_leg(tip), 1.0)

    def setAngles(self, angles: ArrayLike) -> bool:
        """Give all motors targets [deg]; False, without motion, if one is outside its range."""
        q = read_only(angles, name="angles [deg]", shape=(3,)).tolist()
        self.reason = _outside(self._slew, self.number - 1, range(3), q)
        if not self.reason:
            self._slew.send(self.number - 1, (0, 1, 2), np.radians(q).tolist())
        return _tell(self.reason)

    def setVelocity(self, v1: float, v2: float, v3: float) -> None:
        """Set how fast the targets of the motors move [rad/s]; -1 leaves one as it is."""
        for joint, speed in zip(self.joints, (v1, v2, v3), strict=True):
            joint.setJointVelocity(speed)

    def setGripper(self, state: int) -> None:
        """Switch the cup on (1) or off (0), whatever may fall; on, it takes hold within 7 mm."""
        if state not in (0, 1):
            raise InvalidInput(f"the gripper's state is {state!r}, allowed: 1 (on), 0 (off)")
        with self._slew.session.lock:
            self._cups.drive.switch(self.number - 1, bool(state))

    def getGripper(self) -> int:
        """Return 1 if the cup is switched on; `robot.cups` tells whether it holds."""
        return int(self._cups.drive.signal[self.number - 1])


Pata = Leg
"""The thesis's name."""


class RomerinAPI:
    """All legs; points are in the body's frame, which the thesis calls the world."""

    def __init__(self, *names: Any, robot: Robot | None = None) -> None:
        """Take a robot, or the thesis's 24 names and a client id.

        Args:
            names: A robot alone: `RomerinAPI(robot)`. Or for each leg its three motors and the
                signal of its cup (see `thesis_names`), then a client id: `RomerinAPI(*names, 0,
                robot=robot)`. In the thesis's form the hips are sent to their rest angles.
            robot: For the thesis's form; a client id does not name one here.
        """
        thesis = not (len(names) == 1 and isinstance(names[0], Robot))
        own: Any = robot if thesis else names[0]
        self._slew = slew_of(own)
        self.clientID, self.reason = 0, ""
        """`reason` says why the last command was refused; empty if it was not."""
        count = len(self._slew.legs)
        names = self._without_client(names, count) if thesis else tuple(thesis_names(count))
        rows = [names[PER_LEG * i : PER_LEG * (i + 1)] for i in range(count)]
        for number, row in enumerate(rows, start=1):
            _check_names(number, row, self._slew)
        self._legs = [
            Leg(
                *row,
                rest=_rest(own, i) if thesis else None,
                clientID=self.clientID,
                robot=own,
            )
            for i, row in enumerate(rows)
        ]

    def _without_client(self, names: tuple[Any, ...], legs: int) -> tuple[Any, ...]:
        if len(names) != PER_LEG * legs + 1:
            raise InvalidInput(
                f"RomerinAPI takes a robot, or {PER_LEG * legs} names ({legs} times three motors "
                f"and a cup's signal) and a client id; got {len(names)} values"
            )
        self.clientID = _client_id(names[-1])
        return names[:-1]

    def __iter__(self) -> Iterator[Leg]:
        return iter(self._legs)

    def leg(self, leg: int) -> Leg:
        """Return a leg by its number, from 1 on."""
        if isinstance(leg, bool) or leg not in range(1, len(self._legs) + 1):
            raise InvalidInput(f"there is no leg {leg!r}; legs are 1 to {len(self._legs)}")
        return self._legs[leg - 1]

    def moveLeg(self, leg: int, point: ArrayLike, z: float | None = None) -> int:
        """Move the tip of a leg to a point of the body's frame [mm].

        Args:
            leg: Its number, from 1 on.
            point: x, y, z; or x, y, with z apart.
            z: Height, if it is not in `point`.

        Returns:
            1, or -1 if it is out of reach; then nothing moves, and `reason` says why.
        """
        chosen = self.leg(leg)
        place = _point(point if z is None else [*_pair(point), z])
        in_leg = 1000.0 * chosen.chain.to_leg(place / 1000.0)
        return self._answer(chosen, chosen.setPosition(in_leg))

    def getPosition(self, leg: int) -> Array:
        """Return where the tip of a leg is in the body's frame: x, y, z [mm] and 1."""
        chosen = self.leg(leg)
        return np.append(1000.0 * self._slew.legs[chosen.number].tip, 1.0)

    def setAngles(self, leg: int, angles: ArrayLike) -> int:
        """Give the motors of a leg targets [deg]; return 1, or -1 if one is outside its range."""
        chosen = self.leg(leg)
        return self._answer(chosen, chosen.setAngles(angles))

    def setGripper(self, leg: int, state: int) -> None:
        """Switch the cup of a leg on (1) or off (0), see `Leg.setGripper`."""
        self.leg(leg).setGripper(state)

    def getGripper(self, leg: int) -> int:
        """Return 1 if the cup of a leg is switched on."""
        return self.leg(leg).getGripper()

    @property
    def moving(self) -> bool:
        """Whether a target of this interface is still on its way; our addition."""
        return any(self._slew.moving(leg.number - 1) for leg in self)

    def _answer(self, leg: Leg, done: bool) -> int:
        self.reason = leg.reason
        return DONE if done else FAILED


# --- checks


def _joint_names(slew: Slew) -> dict[str, tuple[int, int]]:
    """Return leg and joint, from 0 on, by the thesis's names and by ours."""
    known = {}
    for leg in slew.legs:
        for joint, ours in enumerate(leg.chain.joint_names):
            place = leg.number - 1, joint
            known[motor_name(joint + 1, leg.number)] = known[ours] = place
    return known


def _check_names(leg: int, names: Sequence[Any], slew: Slew) -> None:
    """Raise unless these are the motors and the cup of a leg."""
    known = _joint_names(slew)
    for joint, name in enumerate(names[:3]):
        if known.get(name) != (leg - 1, joint):
            raise InvalidInput(
                f"motor {joint + 1} of leg {leg} is called {motor_name(joint + 1, leg)!r}, "
                f"got {name!r}; the order is motor 1, 2, 3 and cup of leg 1, then of leg 2, ..."
            )
    signal = cup_signal(leg)
    if names[3] not in (signal, signal.removesuffix("_active"), f"cup_{leg}"):
        raise InvalidInput(f"the cup of leg {leg} has the signal {signal!r}, got {names[3]!r}")


def _check_side(leg: int, side: str | None, chain: LegChain) -> None:
    """Raise unless a leg has its joint 2 on this side of the hip."""
    true = "towards" if chain.leg.beside > 0.0 else "opposite"
    if side not in (None, true):
        raise InvalidInput(f"the coxa of leg {leg} is mounted {true!r}, got {side!r}")


def _rest(robot: Robot, leg: int) -> float:
    """Return the angle of a hip in the rest posture [deg]; legs count from 0."""
    return math.degrees(robot.legs[leg + 1].chain.postures["rest"][0])


def _client_id(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidInput(f"a client id is a whole number from 0 on, got {value!r}")
    if value < 0:
        raise InvalidInput(f"client id {value} means that no connection was made")
    return int(value)


def _outside(slew: Slew, leg: int, joints: Sequence[int], degrees: Sequence[float]) -> str:
    """Return which joint would leave its range; empty if none."""
    dh = slew.legs[leg + 1].chain.dh
    for joint, value in zip(joints, degrees, strict=True):
        low, high = math.degrees(dh.lower[joint]), math.degrees(dh.upper[joint])
        if not low - 1e-6 <= value <= high + 1e-6:
            return (
                f"motor {joint + 1} of leg {leg + 1} asked for {value:.2f} deg, allowed "
                f"[{low:g}, {high:g}] deg"
            )
    return ""


def _point(point: ArrayLike) -> Array:
    """Return x, y, z of a point with or without a 1 behind them [mm]."""
    values = read_only(point, name="point [mm]", shape=(None,))
    if len(values) not in (3, 4) or (len(values) == 4 and values[3] != 1.0):
        raise InvalidInput(f"a point is x, y, z [mm], and perhaps a 1, got {values.tolist()}")
    return values[:3]


def _pair(point: ArrayLike) -> list[float]:
    values = read_only(point, name="x and y [mm]", shape=(None,)).tolist()
    if len(values) != 2:
        raise InvalidInput(f"with z apart, a point is x and y [mm], got {values}")
    return values


def _elbow(elbow: str) -> ElbowPos:
    if elbow not in ("up", "down"):
        raise InvalidInput(f"the elbow is {elbow!r}, allowed: ElbowPos.ElbowUp, ElbowPos.ElbowDown")
    return ElbowPos(elbow)


def _other(elbow: ElbowPos) -> str:
    return "down" if elbow is ElbowPos.ElbowUp else "up"


def _tell(reason: str) -> bool:
    """Return whether there is nothing to complain about; else say it."""
    if reason:
        say(reason)
    return not reason
