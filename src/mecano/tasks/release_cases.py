"""Releases of one cup, forecast and then done: how good is the adhesion budget?

Each case puts ROMERIN on a plane in a random posture, with gravity from anywhere, cups that hold on
and legs that press against each other. The forecast is asked, then one cup is released suddenly and
physics tells. The servos give what they can for long (1.5 N m, written into the actuators' force
range). Bonds are unbreakable meanwhile, so that loads can be read past their limits; a
**fall** is a cup whose load (median of five steps) passes its limit within 1.1 s. At the release
the servos of the leg are told to lift it: a leg that goes on pressing is another question.

The model of the forecast knows nothing of the payload: it finds it in the forces.
"""

from dataclasses import dataclass
from math import acos, atan2, cos, degrees, pi, radians, sin

import mujoco
import numpy as np

from mecano import robots
from mecano.actuators.suction import Cups
from mecano.core.arrays import Array
from mecano.core.randomness import RandomStreams
from mecano.planning.adhesion import AdhesionModel, LegWeights, ReleaseForecast
from mecano.robots.romerin.description import CHAINS, CUP_HEIGHT
from mecano.world.assembly import Placement, assemble
from mecano.world.leg_weights import leg_weights
from mecano.world.world import World

PREFIX = "r/"
GRAVITY = 9.81
SURFACES = ("floor", "wall", "ceiling", "inclined")
SETTLE, WATCH = 1.0, 1.1
"""How long a case comes to rest before the release, and is watched after it [s]."""
LIFTED = 0.1
"""After this the released leg should be off the plane [s]."""
AT_REST = 0.03
"""Largest joint rate before a release [rad/s]; cases that still move are drawn anew."""
NEAR = 0.05
"""Cases whose worst cup comes this close to its limit are counted apart: a coin may decide them."""
LIFT, FIRST_LIFT = 0.025, 0.01
"""Of legs that do not hold, and of the leg that is released, at once [m]."""
HARD_SHARE, MOST_HOLDS = 0.75, 0.6
"""Of cases drawn where falls are frequent; and of cases that hold, the others are not kept."""
TRIES = 200
"""Situations drawn per case, at most."""
KP, KD = 4, 6
"""Where `actuator_gainprm` of a dcmotor has the gains of its controller. Back-EMF does not brake:
the engine compensates it, as a driver that controls the current does."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Situation:
    """What is drawn for a case."""

    surface: str
    gravity: Array
    """Seen from the plane, whose normal is z [m/s2]."""
    height: float
    """Of the body above the tips [m]."""
    turn: Array
    """Rotation matrix of the body on the plane."""
    tips: Array
    """In the plane's frame [m]. Shape (n, 3)."""
    holding: np.ndarray
    released: int
    """From 0."""
    preload: float
    """Spread of the command offsets [rad]."""
    offsets: Array
    """Of the commands [rad]. Shape (n, 3)."""
    payload: float
    """Share of the robot's mass."""
    payload_at: Array
    """In the body's frame [m]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseCase:
    """One release: what was forecast and what happened."""

    number: int
    situation: Situation
    forecast: ReleaseForecast
    peaks: Array
    """Largest share of its grip that each cup needed; zero for those that did not hold."""
    force_errors: Array
    """Of the forecast balance, per cup that holds on [N]; empty if there is none."""
    servo_errors: Array
    """Of the forces that the servos tell before the release, per cup [N]."""
    saturated: bool
    """Whether a servo was at its torque limit, before or after."""
    touched: tuple[str, ...]
    """What met the plane or another leg later than 0.1 s after the release: the forecast knows no
    contacts."""

    @property
    def fell(self) -> bool:
        """Whether a cup passed its limit."""
        return bool(self.peaks.max() > 1.0)

    @property
    def worst(self) -> float:
        """Largest share of a grip that was needed."""
        return float(self.peaks.max())

    @property
    def near(self) -> bool:
        """Whether it was too close to the limit to be judged."""
        return abs(self.worst - 1.0) <= NEAR

    @property
    def false_safe(self) -> bool:
        """Whether it was called safe and fell."""
        return self.forecast.safe and self.fell

    @property
    def false_alarm(self) -> bool:
        """Whether it was called unsafe and held."""
        return not self.forecast.safe and not self.fell

    @property
    def named(self) -> bool | None:
        """Whether the worst cup was forecast; None where no loads were."""
        used = self.forecast.utilisation
        return None if not used.any() else int(np.argmax(used)) == int(np.argmax(self.peaks))

    def row(self) -> dict[str, object]:
        """Return its numbers by name, for a table."""
        situation, forecast = self.situation, self.forecast
        errors = self.force_errors
        return {
            "case": self.number,
            "surface": situation.surface,
            "cups": int(situation.holding.sum()),
            "released": situation.released + 1,
            "height_mm": round(1000 * situation.height, 1),
            "tilt_deg": round(degrees(acos(min(1.0, situation.turn[2, 2]))), 2),
            "preload_rad": situation.preload,
            "payload_percent": round(100 * situation.payload, 1),
            "forecast": forecast.reason.value,
            "forecast_worst": round(float(forecast.utilisation.max()), 4),
            "worst": round(self.worst, 4),
            "worst_cup": int(np.argmax(self.peaks)) + 1,
            "worst_named": self.named,
            "fell": self.fell,
            "near": self.near,
            "saturated": self.saturated,
            "touched": " ".join(self.touched),
            "force_error_n": round(float(errors.max()), 3) if len(errors) else None,
            "servo_error_n": round(float(self.servo_errors.max()), 3),
        }


class ReleaseRig:
    """ROMERIN on a plane, to be set to one situation after the other."""

    def __init__(self, *, factor: float | None = None) -> None:
        """Build the world once; `factor` replaces that of the forecast."""
        self.robot = robots.get("romerin")
        assert self.robot.legged is not None
        self.legged = self.robot.legged
        self.world = World(
            assemble([Placement(robot=self.robot, prefix=PREFIX)], changes=[_free_body])
        )
        self.chains = [CHAINS[leg.chain] for leg in self.legged.legs]
        self.cups = Cups(self.world, [leg.cup for leg in self.legged.legs], prefix=PREFIX)
        self.cups.unbreakable = True
        self._touched: set[str] = set()
        self.world.after_step.append(self._look)
        model = self.world.model
        names = [[PREFIX + name for name in chain.dh.names] for chain in self.chains]
        self._qpos = np.array([[model.joint(n).qposadr[0] for n in row] for row in names])
        self._qvel = np.array([[model.joint(n).dofadr[0] for n in row] for row in names])
        actuators = np.array([[model.actuator(n).id for n in row] for row in names])
        self._actuators, self._inputs = actuators, model.actuator_ctrladr[actuators]
        self._tibias = [model.joint(row[2]).bodyid[0] for row in names]
        self._lower = np.array([chain.dh.lower for chain in self.chains])
        self._upper = np.array([chain.dh.upper for chain in self.chains])
        self._springs = np.array(
            [[model.joint(PREFIX + n).qposadr[0] for n in leg.springs] for leg in self.legged.legs]
        )
        self._root = model.body(PREFIX + self.legged.frame).id
        self._free = int(model.jnt_qposadr[model.body_jntadr[self._root]])
        self._nominal = model.body_mass[self._root], model.body_ipos[self._root].copy()
        self._inertia = model.body_inertia[self._root].copy()
        self.mass = float(model.body_subtreemass[self._root])
        gains = model.actuator_gainprm[actuators]
        more = {} if factor is None else {"factor": factor}
        self.model = AdhesionModel(
            self.chains,
            LegWeights(*leg_weights(model, self.robot, prefix=PREFIX)),
            stiffness=gains[..., KP],
            torque_limit=self.legged.torque,
            damping=gains[..., KD],
            drag=model.dof_damping[self._qvel],
            armature=model.dof_armature[self._qvel],
            laws=[leg.cup.law for leg in self.legged.legs],
            **more,
        )

    # --- a situation

    def draw(self, rng: np.random.Generator, *, hard: bool) -> Situation | None:
        """Draw a situation, or None if its footholds cannot be reached.

        Hard ones are those in which falls are frequent: four cups, ceilings and walls, large
        preload, payload.
        """
        surface = str(rng.choice(SURFACES, p=[0.0, 0.3, 0.5, 0.2] if hard else None))
        height = rng.uniform(0.06, 0.13)
        tilt, about = radians(7.0) * np.sqrt(rng.uniform()), rng.uniform(0.0, 2 * pi)
        turn = _rotation(tilt * np.array([cos(about), sin(about), 0.0]))
        radius, angle = 0.03 * np.sqrt(rng.uniform(size=6)), rng.uniform(0.0, 2 * pi, 6)
        known = sorted(self.legged.footholds)
        tips = self.legged.stance(float(np.clip(height + CUP_HEIGHT, known[0], known[-1])))
        tips[:, 0] += radius * np.cos(angle)
        tips[:, 1] += radius * np.sin(angle)
        count = 4 if hard else int(rng.choice([4, 5, 6]))
        holding = np.zeros(6, bool)
        holding[rng.choice(6, count, replace=False)] = True
        tips[:, 2] = CUP_HEIGHT + np.where(holding, 0.0, LIFT)
        preload = float(rng.choice([0.05, 0.1] if hard else [0.0, 0.02, 0.05, 0.1]))
        situation = Situation(
            surface=surface,
            gravity=_gravity(surface, rng),
            height=height,
            turn=turn,
            tips=tips,
            holding=holding,
            released=int(rng.choice(np.flatnonzero(holding))),
            preload=preload,
            offsets=np.where(holding[:, None], preload * rng.standard_normal((6, 3)), 0.0),
            payload=rng.uniform(0.1, 0.2) if hard else rng.uniform(0.0, 0.2),
            payload_at=np.array([rng.uniform(-0.08, 0.01), rng.uniform(-0.03, 0.03), 0.05]),
        )
        return situation if self._postures(situation) is not None else None

    def _postures(self, situation: Situation) -> Array | None:
        """Return the joint values with all tips in their places, or None if one is out of reach."""
        place = np.array([0.0, 0.0, situation.height + CUP_HEIGHT])
        found = []
        for chain, tip in zip(self.chains, situation.tips, strict=True):
            ways = chain.leg.solve(*((tip - place) @ situation.turn))
            if "up" not in ways:
                return None
            found.append(ways["up"])
        return np.array(found)

    def place(self, situation: Situation) -> bool:
        """Put the robot there and let it come to rest; False if it does not hold or not rest."""
        world, model, data = self.world, self.world.model, self.world.data
        for cup in range(6):
            self.cups.switch(cup, False)
        world.reset()
        self._load(situation)
        model.opt.gravity[:] = situation.gravity
        limit = self.legged.torque
        model.actuator_forcerange[self._actuators.ravel()] = -limit, limit
        q = self._postures(situation)
        assert q is not None
        free = self._free
        data.qpos[free : free + 3] = 0.0, 0.0, situation.height + CUP_HEIGHT
        mujoco.mju_mat2Quat(data.qpos[free + 3 : free + 7], situation.turn.ravel())
        data.qpos[self._qpos] = q
        self._lay_cups_flat()
        mujoco.mj_forward(model, data)
        if self._touching():
            return False
        for cup in np.flatnonzero(situation.holding):
            self.cups.switch(int(cup), True)
        data.ctrl[:] = 0.0
        data.ctrl[self._inputs] = q
        world.step(1)
        if not (self.cups.holding == situation.holding).all():
            return False
        data.ctrl[self._inputs] = np.clip(q + situation.offsets, self._lower, self._upper)
        world.step(round(SETTLE / world.timestep))
        return bool(np.abs(data.qvel).max() < AT_REST) and not data.ncon

    def _load(self, situation: Situation) -> None:
        """Put the payload on the body."""
        model, root = self.world.model, self._root
        mass, centre = self._nominal
        extra = situation.payload * self.mass
        total = mass + extra
        arm = situation.payload_at - centre
        model.body_mass[root] = total
        model.body_ipos[root] = (mass * centre + extra * situation.payload_at) / total
        reduced = mass * extra / total
        model.body_inertia[root] = self._inertia + reduced * (arm @ arm - arm**2)
        mujoco.mj_setConst(model, self.world.data)

    def _lay_cups_flat(self) -> None:
        """Turn each cup about the middle joint of its wrist, as flat to the plane as that goes."""
        data = self.world.data
        mujoco.mj_kinematics(self.world.model, data)
        for tibia, springs in zip(self._tibias, self._springs, strict=True):
            down = -data.xmat[tibia].reshape(3, 3)[2]
            data.qpos[springs] = 0.0, atan2(down[2], down[1]), 0.0

    def _look(self) -> None:
        """Keep what touches, by name of the robot's body."""
        model, data = self.world.model, self.world.data
        for i in range(data.ncon):
            for geom in data.contact[i].geom:
                body = model.geom_bodyid[geom]
                if body:
                    self._touched.add(model.body(body).name.removeprefix(PREFIX))

    def _touching(self) -> bool:
        """Tell whether anything but a cup touches; cups do until they hold."""
        model, data = self.world.model, self.world.data
        for i in range(data.ncon):
            bodies = [model.geom_bodyid[g] for g in data.contact[i].geom]
            names = [model.body(b).name for b in bodies]
            if not any(name.endswith("_cup") for name in names):
                return True
        return False

    # --- forecast and truth

    @property
    def q(self) -> Array:
        """Joint values of the legs [rad]. Shape (n, 3)."""
        return self.world.data.qpos[self._qpos]

    def body_turn(self) -> Array:
        """Return the rotation matrix of the body in the world."""
        mujoco.mj_kinematics(self.world.model, self.world.data)
        return self.world.data.xmat[self._root].reshape(3, 3).copy()

    def forces(self) -> Array:
        """Return the forces on the cups in the body's frame [N], as the bonds tell them."""
        return self.cups.forces() @ self.body_turn()

    def forecast(self, situation: Situation, *, measured: bool = False) -> ReleaseForecast:
        """Ask what the release would do; `measured` starts from the forces of the bonds."""
        R = self.body_turn()
        return self.model.release(
            situation.released,
            q=self.q,
            command=self.world.data.ctrl[self._inputs],
            gravity=situation.gravity @ R,
            normals=R[2],
            holding=situation.holding,
            forces=self.forces() if measured else None,
            then=self._lifted(situation.released),
        )

    def _lifted(self, leg: int) -> Array:
        """Return joint values with the tip of a leg a little further from the plane than now."""
        chain, q = self.chains[leg], self.q[leg]
        tip = chain.tip(q) + FIRST_LIFT * self.body_turn()[2]
        return np.array(chain.leg.solve(*tip).get("up", q))

    def release(self, situation: Situation) -> Array:
        """Release the cup and return the largest share that each other cup needs of its grip."""
        cup = situation.released
        self.world.data.ctrl[self._inputs[cup]] = self._lifted(cup)
        self.cups.switch(cup, False)
        self.cups.forget_peaks()
        self.world.step(round(LIFTED / self.world.timestep))
        self._touched.clear()
        self.world.step(round((WATCH - LIFTED) / self.world.timestep))
        peaks = self.cups.peaks[:, 0].copy()
        peaks[~situation.holding] = 0.0
        peaks[cup] = 0.0
        return peaks

    def run(self, number: int, situation: Situation) -> ReleaseCase | None:
        """Make a case of a situation; None if the robot does not even hold before the release."""
        if not self.place(situation):
            return None
        self.cups.sample()
        if self.cups.share.max() >= 1.0:
            return None
        before_turn, limited = self.body_turn(), self._saturated()
        forecast = self.forecast(situation)
        told = self.forces()
        servo_errors = np.linalg.norm(told - forecast.before, axis=1)[situation.holding]
        peaks = self.release(situation)
        left = situation.holding.copy()
        left[situation.released] = False
        after, errors = self.cups.forces() @ before_turn, np.zeros(0)
        if forecast.after is not None:
            errors = np.linalg.norm(after - forecast.after, axis=1)[left]
        return ReleaseCase(
            number=number,
            situation=situation,
            forecast=forecast,
            peaks=peaks,
            force_errors=errors,
            servo_errors=servo_errors,
            saturated=limited or self._saturated(),
            touched=tuple(sorted(self._touched)),
        )

    def _saturated(self) -> bool:
        torques = self.world.data.actuator_force[self._actuators]
        return bool(np.abs(torques).max() > 0.999 * self.legged.torque)


def run_cases(
    count: int, seed: int, *, hard_share: float = HARD_SHARE, rig: ReleaseRig | None = None
) -> list[ReleaseCase]:
    """Return releases in random situations; the same seed gives the same ones.

    At least two in five are falls: cases that hold are not kept once there are enough of them.

    Args:
        count: How many.
        seed: Of the situations.
        hard_share: Of the cases that are drawn where falls are frequent.
        rig: To use again; None builds one.
    """
    rig, rng = rig or ReleaseRig(), RandomStreams(seed).get("release cases")
    cases: list[ReleaseCase] = []
    for _ in range(TRIES * count):
        if len(cases) == count:
            break
        full = sum(not case.fell for case in cases) >= MOST_HOLDS * count
        situation = rig.draw(rng, hard=full or len(cases) < hard_share * count)
        case = None if situation is None else rig.run(len(cases) + 1, situation)
        if case is not None and (case.fell or not full):
            cases.append(case)
    return cases


def _free_body(spec: mujoco.MjSpec) -> None:
    """Set the robot free, if whoever placed it did not."""
    body = spec.body(PREFIX + "body_link")
    if not any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in body.joints):
        body.add_freejoint(name=PREFIX + "free")


def _gravity(surface: str, rng: np.random.Generator) -> Array:
    """Return gravity as seen from a plane whose normal is z: floor, wall, ceiling or any slope."""
    heading = rng.uniform(0.0, 2 * pi)
    slope = {
        "floor": 0.0, "wall": pi / 2, "ceiling": pi, "inclined": acos(rng.uniform(-1.0, 1.0)),
    }[surface]  # fmt: skip
    along = sin(slope) * np.array([cos(heading), sin(heading)])
    return GRAVITY * np.array([*along, -cos(slope)])


def _rotation(vector: Array) -> Array:
    quaternion, R = np.zeros(4), np.zeros(9)
    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle > 0.0 else np.array([0.0, 0.0, 1.0])
    mujoco.mju_axisAngle2Quat(quaternion, axis, angle)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)
