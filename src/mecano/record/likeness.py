"""Two runs of one program side by side: how alike a simulated and another arm are.

Run A is the reference, most often the simulation; run B is the real arm, an emulated one or a log.
What is compared is the behaviour of the joints: tracking error, delay, offset at rest, friction.
All differences are B minus A.
"""

from collections.abc import Callable

import numpy as np

from mecano.core.errors import InvalidInput
from mecano.record.alignment import Alignment, align
from mecano.record.estimators import Estimate, Friction, NotEstimated
from mecano.record.likeness_result import JointLikeness, Likeness, Quantity, Tracking
from mecano.record.proposals import propose
from mecano.record.recording import Recording
from mecano.record.signals import Signals, joint_signals

SAME_PROGRAM = 0.8
"""Likeness of the commanded motions below which two runs are not of one program."""
LEAST_MOTION = {"rad": 0.1, "m": 0.005}
"""How far a joint must move to be judged, by its unit."""
RESOLUTION = {"offset": {"rad": 0.0015, "m": 0.0005}, "coulomb": 0.005, "viscous": 0.005}
"""Smaller differences do not matter: a tick of an XM430, its unit of current, and 5 mN m s/rad."""
SURE = 1.96
"""Standard errors on both sides of a 95 % interval."""
IDENTIFY = "mecano run open_manipulator_x/identify"


def compare(a: Recording, b: Recording) -> Likeness:
    """Compare two runs of the same program.

    Raises:
        InvalidInput: The runs are of different robots or programs, or nothing moved enough.
    """
    names = _common_robots(a, b)
    tick = float(np.median(np.diff(a.times))) if len(a.times) > 1 else 0.0
    if min(len(a.times), len(b.times)) < 100 or tick <= 0.0:
        raise InvalidInput(f"a run is shorter than 100 ticks, too short to compare; run {IDENTIFY}")
    signals = {name: (joint_signals(a, name, tick), joint_signals(b, name, tick)) for name in names}
    _require_motion(signals)
    alignments = {name: _aligned(*pair) for name, pair in signals.items()}
    joints = [
        _compare_joint(name, joint, *signals[name], alignments[name])
        for name in names
        for joint in signals[name][0].names
        if joint in signals[name][1].names
    ]
    if not joints:
        raise InvalidInput(f"{a.folder} and {b.folder} have no joint in common")
    found = [each for each in alignments.values() if each is not None]
    return Likeness(
        runs=(str(a.folder), str(b.folder)),
        titles=(_title(a), _title(b)),
        tick=tick,
        program=min((each.likeness for each in found), default=None),
        shift=found[0].shift if found else 0.0,
        joints=tuple(joints),
        proposals=propose(joints, {name: pair[0].losses for name, pair in signals.items()}),
    )


def _common_robots(a: Recording, b: Recording) -> list[str]:
    kinds_a, kinds_b = a.header["robots"], b.header["robots"]
    common = [name for name, kind in kinds_a.items() if kinds_b.get(name) == kind]
    if not common:
        told = [", ".join(sorted(set(kinds.values()))) for kinds in (kinds_a, kinds_b)]
        raise InvalidInput(
            f"the runs are of different robots: {a.folder} of {told[0]}, {b.folder} of {told[1]}"
        )
    return common


def _require_motion(signals: dict[str, tuple[Signals, Signals]]) -> None:
    """Refuse runs in which no joint moved enough in both."""
    lazy = []
    for pair in signals.values():
        for joint in pair[0].names:
            moves = [each.range_of(joint) for each in pair if joint in each.names]
            least = LEAST_MOTION[pair[0].unit_of(joint)]
            if len(moves) == 2 and min(moves) >= least:
                return
            lazy.append(f"{joint} {min(moves):.3f} {pair[0].unit_of(joint)}")
    raise InvalidInput(
        f"too little motion to compare anything ({', '.join(lazy)}); run {IDENTIFY} in both"
    )


def _aligned(a: Signals, b: Signals) -> Alignment | None:
    joints = [joint for joint in a.names if joint in b.names]
    targets = [np.stack([each.target(joint) for joint in joints], axis=1) for each in (a, b)]
    if not all(np.isfinite(each).any() for each in targets):
        return None
    found = align(a.times, targets[0], b.times, targets[1])
    if found is not None and found.likeness < SAME_PROGRAM:
        raise InvalidInput(
            f"{a.folder} and {b.folder} are not runs of one program: their commanded motions agree "
            f"by {max(found.likeness, 0.0):.2f}, at least {SAME_PROGRAM} is needed"
        )
    return found


def _compare_joint(
    robot: str, joint: str, a: Signals, b: Signals, alignment: Alignment | None
) -> JointLikeness:
    unit, missing, quantities = a.unit_of(joint), [], {}
    pair = (a, b)
    targets, reals = [each.target(joint) for each in pair], [each.real(joint) for each in pair]
    there = a.times if alignment is None else alignment.other_time(a.times)
    real_b = np.interp(there, b.times, reals[1], left=np.nan, right=np.nan)
    apart = None if alignment is None else Tracking.of(real_b - reals[0])
    frictions: tuple[Friction | None, Friction | None] = (None, None)
    moved, least = [each.range_of(joint) for each in pair], LEAST_MOTION[unit]
    if alignment is None:
        missing.append("no targets were recorded (speeds or torques): no tracking, delay, offset")
    if min(moved) < least:
        run, hint = "AB"[int(np.argmin(moved))], f"; run {IDENTIFY}" if unit == "rad" else ""
        missing.append(f"it moved {min(moved):.3f} {unit} in {run}, {least:g} is needed{hint}")
    else:
        if alignment is not None:
            _try(missing, "delay", lambda: quantities.update(_delay(joint, a, b)))
            _try(missing, "offset", lambda: quantities.update(_rest(joint, unit, a, b)))
            if "offset" in quantities and "hysteresis" not in quantities:
                missing.append("it came to its rests from one side: friction is in the offset")
        results: list[Friction] = []
        _try(missing, "friction", lambda: results.extend(s.friction(joint) for s in pair))
        if len(results) == 2:
            frictions = (results[0], results[1])
            quantities.update(_friction(*results))
    return JointLikeness(
        robot=robot,
        joint=joint,
        unit=unit,
        tracking=(Tracking.of(reals[0] - targets[0]), Tracking.of(reals[1] - targets[1])),
        apart=apart,
        quantities=quantities,
        missing=tuple(missing),
        curves=(a.times, targets[0], reals[0], real_b),
        friction=frictions,
    )


def _try(missing: list[str], what: str, estimate: Callable[[], None]) -> None:
    """Estimate something, or say why not."""
    try:
        estimate()
    except NotEstimated as why:
        missing.append(f"no {what}: {why}")


def _delay(joint: str, a: Signals, b: Signals) -> dict[str, Quantity]:
    """Compare delays; the interval also covers what two ways of estimating disagree by."""
    one, two = a.delay(joint), b.delay(joint)
    disagreement = (two.correlation - one.correlation) - (two.fit.value - one.fit.value)
    noise = _half_width(one.fit, two.fit)
    value = Quantity(
        name="delay",
        unit="s",
        a=one.fit.value,
        b=two.fit.value,
        half_width=float(np.hypot(noise, disagreement)),
        resolution=a.tick,  # friction makes a joint lag too, by up to that: see docs/compare.md
    )
    return {"delay": value}


def _rest(joint: str, unit: str, a: Signals, b: Signals) -> dict[str, Quantity]:
    one, two = a.rest(joint), b.rest(joint)
    pairs: dict[str, tuple[Estimate | None, Estimate | None]] = {
        "offset": (one.offset, two.offset),
        "hysteresis": (one.hysteresis, two.hysteresis),
    }
    resolution = RESOLUTION["offset"][unit]
    return {
        name: _quantity(name, unit, first, second, resolution)
        for name, (first, second) in pairs.items()
        if first is not None and second is not None
    }


def _friction(one: Friction, two: Friction) -> dict[str, Quantity]:
    return {
        "coulomb": _quantity("coulomb", "N m", one.coulomb, two.coulomb, RESOLUTION["coulomb"]),
        "viscous": _quantity(
            "viscous", "N m s/rad", one.viscous, two.viscous, RESOLUTION["viscous"]
        ),
    }


def _quantity(name: str, unit: str, a: Estimate, b: Estimate, resolution: float) -> Quantity:
    return Quantity(
        name=name, unit=unit, a=a.value, b=b.value, half_width=_half_width(a, b),
        resolution=resolution,
    )  # fmt: skip


def _half_width(a: Estimate, b: Estimate) -> float:
    return SURE * float(np.hypot(a.error, b.error))


def _title(recording: Recording) -> str:
    header = recording.header
    return str(header.get("experiment") or header.get("title") or recording.folder.name)
