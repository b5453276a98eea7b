"""Motors of imported joints: armature, gains and limits, from what the file says.

armature = 0.002 s2/rad of the motor's effort, within [0.001, 0.1] kg m2: a rotor that its own motor
accelerates by 500 rad/s2. Makers rarely publish it; without it light links on strong motors make
the physics stiff. Models of others have 0.1 for UR and Panda arms.
"""

from dataclasses import dataclass

import mujoco
import numpy as np

from mecano.actuators.gains import pd_gains
from mecano.importing.draft import Draft
from mecano.importing.structure import Structure
from mecano.importing.tree import Joint, Tree

ARMATURE, ARMATURE_RANGE = 0.002, (0.001, 0.1)
SLIDE_ARMATURE_RANGE = (0.01, 10.0)
"""The same for slides [kg]."""
GRAVITY = 9.81
MARGIN = 3.0
"""A motor whose effort the file does not say gives this many times the weight that it lifts."""
TURN_SPEED, SLIDE_SPEED = np.pi, 0.3
"""Where the file does not say [rad/s, m/s]."""
FINGER_DEFLECTION = 0.1
"""Fingers press with all their force this share of their range from where they are sent."""
FINGER_FREQUENCY = 250.0
"""Closed loop of fingers, at most [rad/s]: half a radian in a step of 2 ms."""
MAX_SPEED = 20.0
"""Faster joints are taken as a placeholder [rad/s or m/s]."""


@dataclass(frozen=True, kw_only=True)
class Drive:
    """The motor of a joint, as it is simulated."""

    joint: str
    slides: bool
    effort: float
    """[N m or N]."""
    speed: float
    """[rad/s or m/s]."""
    armature: float
    """[kg m2 or kg]."""
    kp: float
    kd: float
    guessed: str = ""
    """What was not in the file."""


def drives_of(draft: Draft, tree: Tree, structure: Structure) -> dict[str, Drive]:
    """Return the motors of all driven joints, wheels aside, in the posture that the tree is in."""
    model, data = tree.model, tree.data
    mujoco.mj_forward(model, data)
    whole = np.zeros((model.nv, model.nv))
    if model.nv:
        mujoco.mj_fullM(model, data, whole)
    leg_chains = [c for c in structure.chains if c.kind == "leg"]
    legs = {joint for c in leg_chains for joint in c.joints}
    wheels = set() if structure.base is None else {*structure.base.joints, *structure.base.casters}
    coupled = {f.joint for g in structure.grippers.values() for f in g.coupled}
    fingers = {g.joint for g in structure.grippers.values()}
    fingers |= {joint for hand in structure.hands.values() for joint in hand.joints}
    found = {}
    for name, motor in draft.motors.items():
        if name not in tree.by_name or name in wheels or name in coupled:
            continue
        joint = tree.by_name[name]
        guessed = []
        effort, speed = motor.effort, motor.speed
        if effort is None or not 0.0 < effort < 1e6:
            load = _load(tree, joint) / len(leg_chains) if name in legs else 0.0
            effort = max(MARGIN * max(_weight(tree, joint), load), 1.0)
            guessed.append("effort")
        if speed is None or not speed > 0.0:
            speed = SLIDE_SPEED if joint.slides else TURN_SPEED
            guessed.append("speed")
        low, high = SLIDE_ARMATURE_RANGE if joint.slides else ARMATURE_RANGE
        armature = float(np.clip(ARMATURE * effort, low, high))
        dof = int(model.jnt_dofadr[joint.id])
        inertia = float(whole[dof, dof]) + armature
        if name in legs:
            inertia = max(inertia, _rest(tree, joint) / len(leg_chains))
        kp, kd = pd_gains(inertia, effort)
        if name in fingers and not joint.endless:
            kp, kd = _finger_gains(joint.upper - joint.lower, inertia, effort, speed)
        found[name] = Drive(
            joint=name, slides=joint.slides, effort=effort, speed=min(speed, MAX_SPEED),
            armature=armature, kp=_short(kp), kd=_short(kd), guessed=", ".join(guessed),
        )  # fmt: skip
    return found


def _finger_gains(span: float, inertia: float, effort: float, speed: float) -> tuple[float, float]:
    """Return kp and kd of a finger: full force on objects of any width, no hard impact.

    With the gains of an arm's joint a finger 25 mm from where it was sent presses with a third.
    """
    stiffest = inertia * FINGER_FREQUENCY**2
    kp = min(effort / (FINGER_DEFLECTION * max(span, 1e-3)), stiffest)
    return kp, max(2.0 * float(np.sqrt(kp * inertia)), min(effort / speed, kp * span / speed))


def _weight(tree: Tree, joint: Joint) -> float:
    """Return the most that the weight of what a joint moves can ask of it [N m or N]."""
    bodies = tree.bodies_moved(joint)
    masses = tree.model.body_mass[bodies]
    if joint.slides:
        return float(GRAVITY * masses.sum())
    arms = np.linalg.norm(tree.data.xipos[bodies] - tree.anchor(joint), axis=1)
    return float(GRAVITY * (masses * arms).sum())


def _load(tree: Tree, joint: Joint) -> float:
    """Return what the robot's weight asks of a leg's joint with the foot half as far aside as away.

    Feet stand nearly below their hips; knees are bent further out than that [N m or N].
    """
    weight = GRAVITY * float(tree.model.body_mass.sum())
    return weight if joint.slides else 0.5 * tree.reach(joint) * weight


def _rest(tree: Tree, joint: Joint) -> float:
    """Return the inertia about a joint of everything that it does not move: what a leg carries."""
    moved = set(tree.bodies_moved(joint))
    bodies = [b for b in range(1, tree.model.nbody) if b not in moved]
    away = tree.data.xipos[bodies] - tree.anchor(joint)
    axis = tree.axis(joint)
    across = away - np.outer(away @ axis, axis)
    return float((tree.model.body_mass[bodies] * (across**2).sum(axis=1)).sum())


def _short(value: float) -> float:
    """Return a number with four digits: gains are no measurements."""
    return float(f"{value:.4g}")
