"""Programs that solve the environments by their observations and actions alone."""

from collections.abc import Iterator
from math import atan2, hypot

import numpy as np

from mecano.gym.arm_scene import PERIOD
from mecano.robots.open_manipulator_x.description import ARM, LIMITS

SETPOINT = slice(8, 12)
PITCHES = (1.45, 1.55, 1.35, 1.7, 1.2, 1.0, 0.8)


def play(env, seed, script):
    """Play an episode; return its last info and how many steps it took."""
    observation, info = env.reset(seed=seed)
    actions, steps, over = script(observation), 0, False
    action = next(actions)
    while not over:
        observation, _, terminated, truncated, info = env.step(action)
        steps, over = steps + 1, terminated or truncated
        if not over:
            try:
                action = actions.send(observation)
            except StopIteration:
                break
    return info, steps


def posture(point, start, pitches=PITCHES):
    """Return joint values for a point, the first pitch that the arm can take."""
    for pitch in pitches:
        found = ARM.inverse(point, pitch=pitch, start=start)
        if found.reached:
            return found.solutions[0]
    raise AssertionError(f"out of reach: {point}")


def joints_to(q, observation, *, speed=0.5, rest=0, more=()) -> Iterator:
    """Yield actions until the setpoints are at a posture, and for some steps at rest."""
    while True:
        off = q - observation[SETPOINT]
        if np.abs(off).max() < 1e-3:
            if rest == 0:
                return observation
            rest -= 1
        action = off / (LIMITS.velocity * PERIOD)
        action *= min(1.0, speed / max(np.abs(action).max(), 1e-9))
        observation = yield np.array([*action, *more], np.float32)


def line_to(points, observation, **how) -> Iterator:
    """Yield actions through points, each by the posture nearest to the one before."""
    for point in points:
        q = posture(point, observation[SETPOINT])
        observation = yield from joints_to(q, observation, **how)
    return observation


def between(a, b, count):
    return [a + (b - a) * k / count for k in range(1, count + 1)]


def above(point, height):
    return np.array([point[0], point[1], height])


def reach(observation):
    goal = observation[15:18].astype(float)
    q = ARM.inverse(goal, start=observation[SETPOINT]).solutions[0]
    yield from joints_to(q, observation, speed=1.0, rest=1000)


def push(observation):
    """Push in small steps, each from behind the cube as it lies now towards the goal."""
    cube, goal = observation[15:18].astype(float), observation[18:21].astype(float)
    along = (goal - cube) / hypot(*(goal - cube)[:2])
    begin, end = above(cube - 0.05 * along, 0.03), above(goal, 0.03)
    observation = yield from line_to([above(begin, 0.08), begin], observation)
    for point in between(begin, end, 24):
        if (goal - observation[15:18]) @ along < 0.004:
            break
        observation = yield from line_to([point], observation, speed=0.3, rest=3)
    yield from joints_to(observation[SETPOINT], observation, rest=5)


def pick_and_place(observation):
    cube, goal = observation[16:19].astype(float), observation[23:26].astype(float)
    high, low, end = above(cube, 0.1), above(cube, 0.026), above(goal, goal[2] + 0.011)
    over = above(goal, max(0.1, end[2]))
    observation = yield from line_to([high, *between(high, low, 4)], observation, more=(1.0,))
    observation = yield from line_to([low], observation, rest=35, more=(-1.0,))
    held = [*between(low, high, 3), over, *between(over, end, 4)]
    observation = yield from line_to(held, observation, more=(-1.0,))
    yield from line_to([end], observation, rest=10, more=(-1.0,))


def dock(observation):
    """Go along the ray of the sensor that sees something, by averaged readings; then stand."""
    left = observation[0] < observation[1]
    side, mean, stands = (1.0 if left else -1.0), float(min(observation[:2])), False
    while True:
        mean += (1.0 if not stands else 0.2) * (float(min(observation[:2])) - mean)
        off = mean - float(observation[2])
        stands = abs(off) < (0.005 if stands else 0.003)
        near = 0.0 if stands else np.clip(side * 5.0 * off, -1.0, 1.0)
        observation = yield np.array([0.0, near, 0.0], np.float32)


def drive(observation):
    """Turn to the goal, or to the free direction nearest to it."""
    directions = np.radians(-135.0 + 7.5 * (np.arange(36) + 0.5))
    while True:
        ranges, goal = observation[:36], observation[36:38]
        wanted, far = atan2(goal[1], goal[0]), hypot(*goal)
        width = np.arcsin(np.clip(0.32 / np.maximum(ranges, 0.33), 0.0, 1.0))
        apart = np.abs(directions[:, None] - directions[None])
        blocked = ((ranges < min(far, 1.2)) & (apart < width)).any(axis=1)
        heading = wanted
        if blocked[np.argmin(np.abs(directions - wanted))]:
            costs = np.abs(directions - wanted) + 10.0 * blocked
            heading = float(directions[np.argmin(costs)])
        speed = 0.7 * max(0.0, 1.0 - abs(heading) / 0.8)
        observation = yield np.array([speed, np.clip(1.5 * heading, -1.0, 1.0)], np.float32)
