"""The same arm in other people's libraries. A library that is not installed gives None."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from mecano.kinematics.transforms import Array
from mecano.robots.open_manipulator_x import description as omx

ARM = omx.ARM

EAIK_NUDGE = 1e-8
"""Shift of EAIK's shoulder [m]. EAIK takes axes 1 and 2 for intersecting below 1e-9 m, and the
solver it then picks returns no right answer for this arm; above, it picks one that does."""


def named(title: str, package: str, remark: str = "") -> str:
    """Return a library's name; if it is installed, with its version and a remark."""
    try:
        return f"{title} {version(package)}{remark}"
    except PackageNotFoundError:
        return title


@cache
def eaik() -> Any | None:
    """Return the arm as EAIK's axes and offsets in the zero posture."""
    try:
        from eaik.IK_HP import HPRobot
    except ImportError:
        return None
    frames = ARM.dh.joint_frames(np.zeros(4)).round(12)
    axes, points = frames[:4, :3, 2], frames[:, :3, 3]
    offsets = np.diff(points, axis=0, prepend=np.zeros((1, 3)))
    offsets[1, 0] += EAIK_NUDGE
    offsets[2, 0] -= EAIK_NUDGE
    return HPRobot(axes, offsets)


def eaik_is_right(postures: Array) -> bool:
    """Tell whether EAIK finds every posture again from its pose, to 1e-5 rad."""
    robot = eaik()
    assert robot is not None
    for q, T in zip(postures, ARM.forward(postures), strict=True):
        found = robot.IK(T).Q
        if not len(found):
            return False
        off = np.angle(np.exp(1j * (found - q)))  # whole turns aside
        if np.abs(off).max(axis=1).min() > 1e-5:
            return False
    return True


@cache
def toolbox() -> Any | None:
    """Return the arm as elementary transforms of the Robotics Toolbox, with our limits."""
    try:
        from roboticstoolbox import ET, ETS
    except ImportError:
        return None
    x, _, z = omx.BASE_OFFSET
    turn, lift, curl, nod = (
        np.array(limits) for limits in zip(ARM.dh.lower, ARM.dh.upper, strict=True)
    )
    return ETS(
        [
            ET.tx(x), ET.tz(z), ET.Rz(qlim=turn), ET.tz(omx.SHOULDER_HEIGHT),
            ET.Ry(qlim=lift), ET.tx(omx.ELBOW_X), ET.tz(omx.ELBOW_Z),
            ET.Ry(qlim=curl), ET.tx(omx.FOREARM), ET.Ry(qlim=nod), ET.tx(omx.HAND),
        ]
    )  # fmt: skip


def call(library: Any | None, function: Callable[[Any], object]) -> Callable[[], object] | None:
    """Return a call of `function` on a library's arm, or None if the library is missing."""
    return None if library is None else lambda: function(library)
