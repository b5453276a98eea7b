"""Driving a robot by single keys: the base, the legs, the joints of the arms, gripper and hands.

The keys are those of Turtlebot's teleoperation (i, m, j, l, k) and of the CRUMB paper's (1 to 5 and
q, w, e, r, t for the joints, z and x for the gripper).
"""

from collections.abc import Callable
from dataclasses import dataclass

from mecano.core.errors import JointLimitViolated
from mecano.lab.robot import Robot
from mecano.operate.steering import Steering, switch_cup

JOINT_STEP = 0.2
"""What one key turns a joint by [rad]; the paper's."""
FASTER = 1.1
"""What one key changes the speeds by."""
HIGHER = 0.005
"""What one key changes the height of a walking body by [m]."""
HOLD = 0.7
"""The base drives on for this long after a key [s]: a held key repeats sooner, the first time after
up to 0.66 s (X11's default), so only a key that is held keeps it going."""
UP, DOWN = "1234567", "qwertyu"


@dataclass(frozen=True)
class Key:
    """One key and what it does."""

    key: str
    what: str
    do: Callable[[], str]
    """Acts at once and says what it did."""


class Teleop:
    """Keys for a robot, as far as it has the parts."""

    def __init__(self, robot: Robot, *, safety_zone: bool = False) -> None:
        """Make the keys of its parts; nothing moves yet.

        Args:
            robot: Which is driven.
            safety_zone: Let its base stop before what its sensors see, if it has any.
        """
        self.robot = robot
        self.keys: dict[str, Key] = {}
        self._alarms: set[str] = set()
        self._way, self._pressed_at = (0.0, 0.0, 0.0), 0.0
        self._posture = 0
        if "base" in robot.parts:
            limits = robot.base.facts.limits
            self.speed, self.turn = 0.3 * limits.speed, 0.3 * limits.turn
            self._add_base()
            if safety_zone and robot.base.guard is not None:
                robot.base.safety_zone = True
        if "cups" in robot.parts:
            self.steering = Steering(robot.legs)
            self._told = len(robot.cups.events)
            self._add_legs()
        if robot.arms:
            self.arm = next(iter(robot.arms))
            self._add_arm()
        if robot.grippers:
            self._add("z", "open the gripper", lambda: self._grip(opens=True))
            self._add("x", "close the gripper", lambda: self._grip(opens=False))

    def press(self, key: str) -> str:
        """Do what a key stands for and say what that was; unknown keys stop the robot."""
        found = self.keys.get(key.lower())
        if found is not None:
            return found.do()
        self.robot.stop()
        self._way = (0.0, 0.0, 0.0)
        return self.steering.stop() if "cups" in self.robot.parts else "stopped"

    def hold(self) -> None:
        """Take the last driving key as pressed again, as the repeats of a held key do."""
        self._pressed_at = self.robot.time
        self.keep()

    def keep(self) -> None:
        """Command the base's speeds again while its key is held, and stop it after; call it often.

        Legs begin a new walk here, when the one before it has ended.
        """
        if any(self._way):
            if self.robot.time - self._pressed_at < HOLD:
                self._ask()
            else:
                self._way = (0.0, 0.0, 0.0)
                self.robot.base.stop("its key was released")
        if "cups" in self.robot.parts:
            with self.robot.session.lock:
                self.steering.keep()

    def new_alarm(self) -> str:
        """Return what has come into the robot's way since it was last asked; empty if nothing."""
        if "cups" in self.robot.parts:
            return self._new_break() or self.steering.news()
        if "base" not in self.robot.parts:
            return ""
        report = self.robot.base.report()
        alarms = {
            *(f"the {side} bumper is pressed" for side in report.bumpers),
            *(f"the {side} cliff sensor sees no floor" for side in report.cliffs),
            *(f"{wheel} hangs in the air" for wheel in report.wheel_drops),
        }
        fresh, self._alarms = alarms - self._alarms, alarms
        return "; ".join(sorted(fresh))

    def help(self) -> str:
        """Return all keys, one per line."""
        lines = [f"  {key.key}  {key.what}" for key in self.keys.values()]
        hold = ["  hold a key to keep driving"] if "base" in self.robot.parts else []
        return "\n".join([*lines, *hold, "  any other key stops, Ctrl-C ends"])

    def _add(self, key: str, what: str, do: Callable[[], str]) -> None:
        self.keys[key] = Key(key, what, do)

    # --- base

    def _add_base(self) -> None:
        ways = [
            ("i", "drive forward", 1, 0, 0), ("m", "drive back", -1, 0, 0),
            ("j", "turn left", 0, 0, 1), ("l", "turn right", 0, 0, -1),
            ("u", "drive forward and left", 1, 0, 1), ("o", "drive forward and right", 1, 0, -1),
            ("k", "stop the base", 0, 0, 0),
        ]  # fmt: skip
        if "strafe" not in self.robot.base.facts.layout.missing:
            ways += [("h", "strafe left", 0, 1, 0), ("n", "strafe right", 0, -1, 0)]
        for key, what, *way in ways:
            self._add(key, what, lambda way=way: self._drive(*way))
        self._add("+", "10 % faster", lambda: self._change(FASTER))
        self._add("-", "10 % slower", lambda: self._change(1.0 / FASTER))

    def _drive(self, ahead: int, left: int, around: int) -> str:
        self._way = (ahead * self.speed, left * self.speed, around * self.turn)
        self._pressed_at = self.robot.time
        if not any(self._way):
            self.robot.base.stop()
            return "base stops"
        self._ask()
        aside = f"{self._way[1]:+.2f} m/s left, " if left else ""
        return f"{self._way[0]:+.2f} m/s, {aside}{self._way[2]:+.2f} rad/s"

    def _ask(self) -> None:
        speed, left, turn = self._way
        self.robot.base.drive(speed, turn, left=left)

    def _change(self, factor: float) -> str:
        limits = self.robot.base.facts.limits
        self.speed = min(self.speed * factor, limits.speed)
        self.turn = min(self.turn * factor, limits.turn)
        return f"speeds now {self.speed:.2f} m/s and {self.turn:.2f} rad/s"

    # --- legs

    def _add_legs(self) -> None:
        for key, way in (("i", "forward"), ("m", "back"), ("h", "left"), ("n", "right"),
                         ("j", "turn left"), ("l", "turn right")):  # fmt: skip
            what = way if way.startswith("turn") else f"walk {way}"
            self._add(key, what, lambda way=way: self._walk(way))
        self._add("k", "stop walking", self.steering.stop)
        self._add("g", f"next gait of {', '.join(self.steering.gaits)}", self._next_gait)
        self._add("+", "10 % faster, from the next walk on", lambda: self._change_pace(FASTER))
        self._add("-", "10 % slower", lambda: self._change_pace(1.0 / FASTER))
        self._add("r", "body higher, from the next walk on", lambda: self._raise(HIGHER))
        self._add("f", "body lower", lambda: self._raise(-HIGHER))
        for cup in self.robot.cups:
            number = cup.number
            self._add(f"{number}", f"cup {number} on or off", lambda n=number: self._switch(n))

    def _walk(self, way: str) -> str:
        with self.robot.session.lock:
            return self.steering.go(way)

    def _next_gait(self) -> str:
        gaits = self.steering.gaits
        self.steering.set_gait(gaits[(gaits.index(self.steering.gait) + 1) % len(gaits)])
        return f"{self.steering.gait} from the next walk on"

    def _change_pace(self, factor: float) -> str:
        steering = self.steering
        steering.part = min(steering.part * factor, 1.0)
        return f"speeds now {1000 * steering.speed:.1f} mm/s and {steering.turn:.3f} rad/s"

    def _raise(self, step: float) -> str:
        steering = self.steering
        height = self.robot.legs.facts.height if steering.height is None else steering.height
        low, high = steering.heights
        steering.set_height(min(max(height + step, low), high))
        return f"body {1000 * (steering.height or 0.0):.0f} mm high from the next walk on"

    def _switch(self, number: int) -> str:
        drive = self.robot.cups.drive
        return switch_cup(self.robot, number, not drive.signal[number - 1]).message

    def _new_break(self) -> str:
        """Return which cups were torn off since this was last asked."""
        events = self.robot.cups.events
        fresh, self._told = events[self._told :], len(events)
        return "; ".join(
            f"cup {e.cup} was torn off: {e.pull:.1f} N pull, {e.shear:.1f} N shear"
            for e in fresh
            if e.what == "break"
        )

    # --- arm

    def _add_arm(self) -> None:
        several = len(self.robot.arms) > 1
        for i, name in enumerate(self.robot.arms.first.chain.joint_names[: len(UP)]):
            for key, sign in ((UP[i], 1.0), (DOWN[i], -1.0)):
                if key in self.keys:
                    continue
                which = f"joint {i + 1} of the chosen arm" if several else name
                what = f"{which} by {sign * JOINT_STEP:+.1f} rad"
                self._add(key, what, lambda i=i, sign=sign: self._turn_joint(i, sign))

        if several:
            self._add("a", f"choose the arm: {', '.join(self.robot.arms)}", self._next_arm)
        postures = self._postures
        if several and postures:
            what = f"all arms to the next posture of {', '.join(postures)}"
            self._add("p", what, self._next_posture)
        if self.robot.hands:
            self._add("z", "open the hand of the chosen arm", lambda: self._move_hand("open"))
            self._add("x", "close it: power grasp", lambda: self._move_hand("power"))
            self._add("c", "close it: pinch", lambda: self._move_hand("pinch"))

    @property
    def _postures(self) -> tuple[str, ...]:
        """Postures that all arms have."""
        first, *others = (arm.chain.postures for arm in self.robot.arms.values())
        return tuple(name for name in first if all(name in other for other in others))

    def _next_arm(self) -> str:
        names = list(self.robot.arms)
        self.arm = names[(names.index(self.arm) + 1) % len(names)]
        return f"{self.arm} arm chosen"

    def _next_posture(self) -> str:
        postures = self._postures
        self._posture = (self._posture + 1) % len(postures)
        name = postures[self._posture]
        motion = self.robot.arms.move_free(name, wait=False)
        result = getattr(motion, "result", None)
        return f"arms to {name}" if result is None else result.message

    def _move_hand(self, posture: str) -> str:
        if self.arm not in self.robot.hands:
            return f"the {self.arm} arm has no hand"
        self.robot.hands[self.arm].move(posture, wait=False)
        return f"{self.arm} hand: {posture}"

    def _turn_joint(self, joint: int, sign: float) -> str:
        arm = self.robot.arms[self.arm]
        goal = arm.commanded.copy()
        goal[joint] += sign * JOINT_STEP
        name = arm.chain.joint_names[joint]
        try:
            motion = arm.move_joints(goal, wait=False)
        except JointLimitViolated as error:
            return str(error)
        result = getattr(motion, "result", None)
        return f"{name} to {goal[joint]:+.2f} rad" if result is None else result.message

    def _grip(self, *, opens: bool) -> str:
        if opens:
            self.robot.gripper.open(wait=False)
            return "gripper opens"
        self.robot.gripper.close(wait=False)
        return "gripper closes"
