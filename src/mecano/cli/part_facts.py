"""Base, grippers and hands of a robot, for `mecano info`."""

from mecano.robots.description import Gripper, RobotDescription
from mecano.robots.hands import HandFacts
from mecano.robots.mobile import WheeledBase


def part_lines(robot: RobotDescription) -> list[str]:
    """Return a line or two for the base, each gripper and each hand."""
    lines = [] if robot.base is None else _base_lines(robot.base)
    for chain, gripper in robot.grippers.items():
        lines.append(_gripper_line(chain, gripper))
    for chain, hand in robot.hands.items():
        lines += _hand_lines(chain, hand)
    return lines


def parts_as_json(robot: RobotDescription) -> dict:
    """Return the same for scripts."""
    return {
        "base": None if robot.base is None else _base_json(robot.base),
        "grippers": {chain: _gripper_json(each) for chain, each in robot.grippers.items()},
        "hands": {chain: _hand_json(each) for chain, each in robot.hands.items()},
    }


def _base_lines(base: WheeledBase) -> list[str]:
    facts = _base_json(base)
    cannot = f", cannot {' or '.join(facts['cannot'])}" if facts["cannot"] else ", holonomic"
    wheels = ", ".join(f"{each['name']} (x {each['x']:.3g}, y {each['y']:.3g}, radius "
                       f"{each['radius']:.3g} m)" for each in facts["wheels"])  # fmt: skip
    return [
        f"base: {len(base.layout.wheels)} wheels{cannot}; up to {base.limits.speed:g} m/s and "
        f"{base.limits.turn:g} rad/s; frame {base.frame}",
        f"wheels: {wheels}",
    ]


def _base_json(base: WheeledBase) -> dict:
    return {
        "frame": base.frame,
        "speed": base.limits.speed,
        "turn": base.limits.turn,
        "cannot": list(base.layout.missing),
        "wheels": [
            {
                "name": wheel.name,
                "x": wheel.x,
                "y": wheel.y,
                "radius": wheel.radius,
                "direction": wheel.direction,
                "roller": wheel.roller,
            }
            for wheel in base.layout.wheels
        ],
    }


def _gripper_line(chain: str, gripper: Gripper) -> str:
    facts = _gripper_json(gripper)
    followers = f", {', '.join(gripper.followers)} follow" if gripper.followers else ""
    return (
        f"gripper of '{chain}': joint {gripper.joint}{followers}; {1e3 * facts['narrowest']:.4g} "
        f"to {1e3 * facts['widest']:.4g} mm between the pads, up to {gripper.max_force:g} N"
    )


def _gripper_json(gripper: Gripper) -> dict:
    return {
        "joint": gripper.joint,
        "followers": list(gripper.followers),
        "unit": gripper.unit,
        "open": gripper.open,
        "closed": gripper.closed,
        "widest": gripper.width(gripper.open),
        "narrowest": gripper.width(gripper.closed),
        "max_force": gripper.max_force,
    }


def _hand_lines(chain: str, hand: HandFacts) -> list[str]:
    fingers = ", ".join(f"{each.name} ({len(each.joints)} joints)" for each in hand.fingers)
    return [
        f"hand of '{chain}': {fingers}; {hand.torque:g} N m, palm {hand.palm}",
        f"postures of the hand: {', '.join(hand.postures)}",
    ]


def _hand_json(hand: HandFacts) -> dict:
    return {
        "palm": hand.palm,
        "fingers": {each.name: list(each.joints) for each in hand.fingers},
        "limits": [list(pair) for pair in hand.limits],
        "torque": hand.torque,
        "postures": {name: list(values) for name, values in hand.postures.items()},
    }
