"""Topics and services of a robot inside this program, under the names that the real robot has.

`TopicHub` is where servers for ROS programs plug in, and it is of use without them: a program that
publishes `/mobile_base/commands/velocity` and listens to `/odom` runs here as it stands.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import floor
from typing import Any

from mecano.bridge.navigation_readings import NAVIGATION_READINGS, navigation_of
from mecano.bridge.services import Handler, ask, handler_of
from mecano.core.arrays import finite_number
from mecano.core.errors import InvalidInput, UnknownName
from mecano.core.messages import (
    JointControl,
    JointState,
    Joy,
    Odometry,
    PoseStamped,
    TransformStamped,
    Twist,
)
from mecano.core.notices import say
from mecano.core.poses import Pose2
from mecano.lab.robot import Robot, in_open_session
from mecano.operate.gamepad import Gamepad
from mecano.session.session import Session
from mecano.topics.codec import BY_NAME, CODECS, AsDriver, encode
from mecano.topics.navigation_table import navigation_topics
from mecano.topics.robot_tables import Topic, table_of
from mecano.topics.services import TRIGGER, TYPES, Service, services_of

EARLY = 1e-6
"""A message is due this much before its time, against round-off [s]."""


class Subscription:
    """Somebody who is told of every message of a topic."""

    def __init__(self, topic: Topic, tell: Callable[[Any], None]) -> None:
        """Tell a function."""
        self.topic, self.tell = topic, tell
        self._last = -1

    def due(self, now: float) -> bool:
        """Tell whether it is time for the next message, by the rate of the topic."""
        count = floor((now + EARLY) * self.topic.rate)
        fresh, self._last = count != self._last, count
        return fresh


class TopicHub:
    """Commands, readings and services of a robot. Use it in a `with` block, or call `close`.

    Messages are those of `mecano.core.messages`; a single number is a float, an empty message is
    None.
    """

    def __init__(self, robot: Robot) -> None:
        """Open the topics of a robot; see `mecano topics ROBOT`."""
        in_open_session(robot)
        self.robot = robot
        self.table = table_of(robot.description)
        self.topics = {
            topic.name: topic
            for topic in (*self.table.topics, *navigation_topics(robot.description))
            if not (robot.real and topic.simulated)
        }
        self.services = {
            service.name: service
            for service in services_of(robot.description)
            if not (robot.real and service.simulated)
        }
        self._handlers = {
            name: handler_of(robot, service) for name, service in self.services.items()
        }
        self._subscriptions: list[Subscription] = []
        self._goal: dict[str, float] = {}
        """Where the joints of the arm were told to go, one by one."""
        self._rates: dict[str, float] = {}
        """How fast single wheels were told to turn [rad/s]."""
        self._pad: Gamepad | None = None
        robot.session.observers.append(self._observe)

    def publish(self, name: str, message: Any) -> None:
        """Send a command to the robot, at once."""
        topic = self._find(name, "in")
        self._require_open()
        wanted = self._kind(topic)
        if isinstance(message, int) and not isinstance(message, bool):
            message = float(message)
        if type(message) is not wanted:
            raise InvalidInput(
                f"{name} takes a {wanted.__name__} ({topic.type_name}), "
                f"got {type(message).__name__}"
            )
        with self.robot.session.lock:
            COMMANDS[topic.what](self, topic.of, message)

    def _kind(self, topic: Topic) -> type:
        """Return the class of the messages of a topic."""
        form = self.table.message(topic.type_name)
        if form is not None:
            return form.ours
        codec = BY_NAME[topic.type_name]
        return next(kind for kind, each in CODECS.items() if each is codec)

    def encode(self, name: str, message: Any) -> tuple[str, bytes]:
        """Return the ROS type of a topic and the bytes that a program of ROS gets for a message.

        A message of which the robot's own driver has another form is encoded in that form.
        """
        if not isinstance(name, str) or name not in self.topics:
            raise UnknownName("topic", name, self.topics)
        form = self.table.message(self.topics[name].type_name)
        return encode(message if form is None else AsDriver(message, form))

    def latest(self, name: str) -> Any:
        """Return what a topic says now."""
        topic = self._find(name, "out")
        with self.robot.session.lock:
            return READINGS[topic.what](self.robot, topic.of)

    def subscribe(self, name: str, tell: Callable[[Any], None]) -> Subscription:
        """Call a function with every message of a topic, at the topic's rate."""
        if not callable(tell):
            raise InvalidInput(
                f"{name}: a listener is a function that takes a message, got {tell!r}"
            )
        subscription = Subscription(self._find(name, "out"), tell)
        with self.robot.session.lock:
            self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Call it no more."""
        with self.robot.session.lock:
            self._subscriptions = [s for s in self._subscriptions if s is not subscription]

    def call(self, name: str, request: Any = None) -> Any:
        """Ask a service and return its answer.

        Args:
            name: One of `services`.
            request: What its type asks for: nothing, or True or False for a `SetBool`.

        Returns:
            None for `Empty`, an `Answer` for `Trigger` and `SetBool`, the map for `GetMap`.
        """
        if not isinstance(name, str) or name not in self.services:
            raise UnknownName("service", name, self.services)
        self._require_open()
        with self.robot.session.lock:
            return ask(name, self.services[name].type_name, self._handlers[name], request)

    def offer(self, name: str, handler: Handler, *, type_name: str = TRIGGER) -> None:
        """Let a function answer a service of your own; who calls it waits for the answer.

        Args:
            name: Begins with a slash, and no other service has it.
            handler: Takes the request and returns the answer.
            type_name: One of `std_srvs/srv/Empty`, `Trigger`, `SetBool`, `nav_msgs/srv/GetMap`.
        """
        if not isinstance(type_name, str) or type_name not in TYPES:
            raise UnknownName("type of a service", type_name, TYPES)
        text = isinstance(name, str)
        if not text or not name.startswith("/") or name in self.services:
            fault = "is taken" if text and name in self.services else "does not begin with a slash"
            raise InvalidInput(f"service {name!r} {fault}; choose another name, like /my_service")
        if not callable(handler):
            raise InvalidInput(f"{name}: what answers is a function of a request, got {handler!r}")
        self.services[name] = Service(name=name, type_name=type_name, what="offered")
        self._handlers[name] = handler

    def _require_open(self) -> None:
        if self._observe not in self.robot.session.observers:
            raise InvalidInput("these topics were closed; make another TopicHub to go on")

    def close(self) -> None:
        """Tell nobody any more."""
        with self.robot.session.lock:
            self._subscriptions.clear()
            if self._observe in self.robot.session.observers:
                self.robot.session.observers.remove(self._observe)

    def __enter__(self) -> "TopicHub":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _find(self, name: str, way: str) -> Topic:
        topic = self.topics.get(name) if isinstance(name, str) else None
        if topic is None or topic.way != way:
            kind = "command topic" if way == "in" else "reading topic"
            known = [t.name for t in self.topics.values() if t.way == way]
            raise UnknownName(kind, name, known)
        return topic

    def _observe(self, session: Session) -> None:
        """Tell those whose message is due; one that fails is told no more."""
        for subscription in tuple(self._subscriptions):
            if not subscription.due(session.time):
                continue
            topic = subscription.topic
            message = READINGS[topic.what](self.robot, topic.of)
            try:
                subscription.tell(message)
            except Exception as error:
                self._subscriptions.remove(subscription)
                fault = f"{type(error).__name__}: {error}"
                say(f"a listener of {topic.name} raised {fault}; it is not called again")

    def _move_joint(self, joint: str, value: float) -> None:
        """Send one joint on its way; the others go on to where they were told to go.

        The way is not looked at beforehand: joints are told one after the other, and only all
        together make a posture. The arm still stops before it touches something.
        """
        robot = self.robot
        facts = robot.gripper.facts
        if joint == facts.joint:
            low, high = sorted((facts.open, facts.closed))
            value = finite_number(value, name=f"{joint} [m]", lower=low, upper=high)
            robot.gripper.move(facts.width(value), wait=False)
            return
        arm, names = robot.arm, robot.arm.chain.joint_names
        if arm.motion is None or arm.motion.done:
            self._goal = dict(zip(names, arm.commanded.tolist(), strict=True))
        self._goal[joint] = value
        arm.move_joints([self._goal[name] for name in names], wait=False, check=False)

    def _drive(self, _: str, message: Twist) -> None:
        (forward, left, _), (_, _, turn) = message.linear.tolist(), message.angular.tolist()
        self.robot.base.drive(forward, turn, left=left)

    def _drive_freely(self, _: str, message: Twist) -> None:
        self._rates = {}
        self.robot.base.drive_twist(message)

    def _turn_wheel(self, wheel: str, rate: float) -> None:
        """Let one wheel turn at a rate [rad/s]; the others go on as they were told."""
        base = self.robot.base
        if base.at_rest():
            self._rates = {}
        rate = finite_number(rate, name=f"rate of {wheel} [rad/s]")
        self._rates[wheel] = rate
        rates = [self._rates.get(name, 0.0) for name in base.facts.layout.names]
        base.drive_twist(Twist.planar(*base.facts.layout.twist(rates).tolist()))

    def _press(self, _: str, message: Joy) -> None:
        self._pad = self._pad or Gamepad(self.robot)
        self._pad.press(message)

    def _move_arm(self, name: str, message: JointState) -> None:
        """Send an arm to joint values; joints that are not named stay where they were told to be.

        The way is not looked at beforehand: who sends values online sends many.
        """
        arm = self.robot.arms[name]
        goal = _filled(message, arm.chain.joint_names, arm.commanded.tolist())
        arm.move_joints(goal, wait=False, check=False)

    def _move_hand(self, name: str, message: JointState) -> None:
        hand = self.robot.hands[name]
        hand.move(_filled(message, hand.facts.joints, hand.commanded.tolist()), wait=False)

    def _move_gripper(self, _: str, width: float) -> None:
        """Open or close the gripper to a width between its pads [m]."""
        self.robot.gripper.move(width, wait=False)

    def _pose_hand(self, name: str, posture: str) -> None:
        words = self.table.words.get("hand posture", {})
        known = {**words, **{own: own for own in self.robot.hands[name].facts.postures}}
        if posture not in known:
            raise UnknownName("posture of a hand", posture, known)
        self.robot.hands[name].move(known[posture], wait=False)

    def _reset_odometry(self, _: str, message: None) -> None:
        self.robot.base.reset_odometry()

    def _go_to(self, _: str, message: PoseStamped) -> None:
        navigation_of(self.robot).go_to(Pose2.from_pose(message.pose), wait=False)

    def _cancel_goal(self, _: str, message: None) -> None:
        navigation_of(self.robot).cancel()


COMMANDS: dict[str, Callable[[TopicHub, str, Any], None]] = {
    "joint": TopicHub._move_joint,
    "velocity": TopicHub._drive,
    "reset odometry": TopicHub._reset_odometry,
    "free velocity": TopicHub._drive_freely,
    "wheel": TopicHub._turn_wheel,
    "gamepad": TopicHub._press,
    "arm": TopicHub._move_arm,
    "gripper": TopicHub._move_gripper,
    "hand": TopicHub._move_hand,
    "hand posture": TopicHub._pose_hand,
    "goal": TopicHub._go_to,
    "cancel goal": TopicHub._cancel_goal,
}
"""What a command does, by `Topic.what`."""


def _filled(message: JointState, names: Sequence[str], now: list[float]) -> list[float]:
    """Return goals of all joints [rad]: those that a message names, the others as they are."""
    if len(message.position) != len(message.name):
        raise InvalidInput(
            f"{len(message.position)} positions for {len(message.name)} joints; each needs one"
        )
    goal = dict(zip(names, now, strict=True))
    for joint, value in zip(message.name, message.position.tolist(), strict=True):
        if joint not in goal:
            raise UnknownName("joint", joint, names)
        goal[joint] = value
    return list(goal.values())


def _joint_control(robot: Robot, joint: str) -> JointControl:
    arm = robot.arm
    i = arm.chain.joint_names.index(joint)
    reading = robot.encoders[0].read()
    return JointControl(
        stamp=reading.stamp,
        target=float(arm.commanded[i]),
        position=float(reading.position[i]),
        velocity=float(reading.velocity[i]),
        effort=float(reading.effort[i]),
        period=robot.session.backend.tick,
    )


def _true_pose(robot: Robot, _: str) -> PoseStamped:
    body = f"{robot.name}/{robot.description.free_body}"
    return PoseStamped(stamp=robot.time, frame="world", pose=robot.truth.body_pose(body))


def _odometry(robot: Robot, frame: str) -> Odometry:
    """Return odometry of a frame; an empty name is the base's own."""
    odometry = robot.base.odometry()
    return replace(odometry, child_frame=frame) if frame else odometry


def _odometry_transform(robot: Robot, frame: str) -> tuple[TransformStamped, ...]:
    odometry = _odometry(robot, frame)
    return (
        TransformStamped(
            stamp=odometry.stamp, frame=odometry.frame, child_frame=odometry.child_frame,
            transform=odometry.pose,
        ),
    )  # fmt: skip


READINGS: dict[str, Callable[[Robot, str], Any]] = {
    **NAVIGATION_READINGS,
    "joint control": _joint_control,
    "joints": lambda robot, _: robot.state().joints,
    "whole": lambda robot, _: robot.state(),
    "odometry": _odometry,
    "odometry transform": _odometry_transform,
    "scan": lambda robot, name: robot.lidars[name].read(),
    "whole scan": lambda robot, _: robot.scan().scan,
    "hand": lambda robot, name: robot.hands[name].joints(),
    "core": lambda robot, _: robot.base.report(),
    "imu": lambda robot, _: robot.base.imu(),
    "body imu": lambda robot, _: robot.imu.read(),
    "cups": lambda robot, _: robot.cups.read(),
    "range": lambda robot, name: robot.ranges[name].read(),
    "colour": lambda robot, name: robot.cameras[name].read().colour,
    "depth": lambda robot, name: robot.cameras[name].read().depth,
    "camera info": lambda robot, name: robot.cameras[name].read().info,
    "points": lambda robot, name: robot.cameras[name].read().cloud,
    "true pose": _true_pose,
    "simulated time": lambda robot, _: robot.time,
    "real time": lambda robot, _: robot.real_time,
}
"""What a topic publishes, by `Topic.what`."""
