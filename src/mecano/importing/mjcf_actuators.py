"""The actuators of an MJCF file: named like the joints they drive, with what they can give."""

import mujoco
import numpy as np

from mecano.actuators.plain_servos import is_plain, is_servo
from mecano.importing.draft import Follower, Motor
from mecano.importing.mjcf_text import Element

JOINTS = ("joint", "jointinparent")


class Actuators:
    """Reads and renames the actuators of a model."""

    def __init__(self, xml: Element, model: mujoco.MjModel) -> None:
        """Look at a model as XML and compiled; the XML's actuators get the names of their joints.

        Args:
            xml: Without its scene.
            model: With it.
        """
        self._xml, self._model = xml, model
        self._tendons = {
            each.get("name"): each for section in xml.findall("tendon") for each in section
        }
        self.motors: dict[str, Motor] = {}
        """By joint, in the order of the tree; a tendon stands for its first joint."""
        self.replaced: dict[str, str] = {}
        """What the actuator of a joint was, where it cannot hold a position and became a motor."""
        found = self._rename()
        order = [j.get("name", "") for w in xml.findall("worldbody") for j in w.iter("joint")]
        self.motors = {name: found[name] for name in order if name in found}
        self.followers = self._followers()

    def _rename(self) -> dict[str, Motor]:
        found: dict[str, Motor] = {}
        renamed: dict[str, str] = {}
        for section in self._xml.findall("actuator"):
            for each in sorted(section, key=self._is_useless):
                joint = self._joint(each)
                if joint is None:
                    continue
                if joint not in found and each.get("tendon") is None and self._is_useless(each):
                    self._make_motor(each, joint)
                old, new = each.get("name", ""), joint
                if joint in found:
                    new = f"{joint}_{len(renamed) + 1}"
                else:
                    found[joint] = self._motor(each)
                each.set("name", new)
                renamed[old] = new
        for sensor in [s for section in self._xml.findall("sensor") for s in section]:
            name = sensor.get("actuator")
            if name in renamed:
                sensor.set("actuator", renamed[name])
        return found

    def _number(self, actuator: Element) -> int:
        name = actuator.get("name", "")
        return mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_ACTUATOR, name)

    def _is_useless(self, actuator: Element) -> bool:
        """Tell whether an actuator cannot be made a servo: a muscle, a damper, a varying gain."""
        number = self._number(actuator)
        return number >= 0 and not (is_plain(self._model, number) or is_servo(self._model, number))

    def _make_motor(self, actuator: Element, joint: str) -> None:
        kept = {"name": actuator.get("name", ""), "joint": joint}
        self.replaced[joint] = actuator.tag
        actuator.tag = "motor"
        actuator.attrib.clear()
        actuator.attrib.update(kept)

    def _joint(self, actuator: Element) -> str | None:
        """Return the joint that an actuator drives; of a tendon the first one."""
        for key in JOINTS:
            if actuator.get(key):
                return actuator.get(key)
        tendon = self._tendons.get(actuator.get("tendon"))
        first = None if tendon is None else tendon.find("joint")
        return None if first is None else first.get("joint")

    def _motor(self, actuator: Element) -> Motor:
        """Return what an actuator can give at its joint, by the compiled model."""
        model = self._model
        number = self._number(actuator)
        if number < 0 or self._is_useless(actuator):
            return Motor(effort=None, speed=None)
        gear = abs(float(model.actuator_gear[number, 0]))
        limits = []
        if model.actuator_forcelimited[number]:
            limits.append(float(np.abs(model.actuator_forcerange[number]).max()))
        first = int(model.actuator_ctrladr[number])
        no_bias = int(model.actuator_biastype[number]) == int(mujoco.mjtBias.mjBIAS_NONE)
        if no_bias and model.actuator_ctrllimited[first]:
            most = float(np.abs(model.actuator_ctrlrange[first]).max())
            limits.append(most * abs(float(model.actuator_gainprm[number, 0])))
        joint = int(model.actuator_trnid[number, 0])
        on_joint = int(model.actuator_trntype[number]) == int(mujoco.mjtTrn.mjTRN_JOINT)
        if on_joint and model.jnt_actfrclimited[joint]:
            limits.append(float(np.abs(model.jnt_actfrcrange[joint]).max()) / max(gear, 1e-9))
        return Motor(
            effort=min(limits) * gear if limits else None, speed=self._speed(number, first, gear)
        )

    def _speed(self, number: int, control: int, gear: float) -> float | None:
        """Return how fast a `velocity` actuator may be told to turn its joint [rad/s or m/s]."""
        model = self._model
        _, kp, kv = -model.actuator_biasprm[number, :3]
        if kp > 0.0 or kv <= 0.0 or not model.actuator_ctrllimited[control]:
            return None
        most = float(np.abs(model.actuator_ctrlrange[control]).max())
        return most * abs(float(model.actuator_gainprm[number, 0])) / float(kv) / max(gear, 1e-9)

    def _followers(self) -> tuple[Follower, ...]:
        """Return joints that equality constraints tie to others, the driven one leading."""
        found: list[Follower] = []
        taken: set[str] = set()
        for section in self._xml.findall("equality"):
            for each in section.findall("joint"):
                one, other = each.get("joint1", ""), each.get("joint2", "")
                if not other or each.get("active") == "false":
                    continue
                factors = [float(word) for word in each.get("polycoef", "0 1").split()]
                offset, slope = (*factors, 0.0, 0.0)[:2]
                if one in self.motors and other not in self.motors and slope:
                    one, other, offset, slope = other, one, -offset / slope, 1.0 / slope
                if one not in taken and one not in self.motors:
                    taken.add(one)
                    found.append(Follower(joint=one, leader=other, multiplier=slope, offset=offset))
        return tuple(found)
