"""The state of a whole robot, gathered from its parts into one message."""

from typing import TYPE_CHECKING

import numpy as np

from mecano.core.messages import Imu, JointState, RobotState

if TYPE_CHECKING:
    from mecano.lab.robot import Robot


def whole_state(robot: "Robot", *, clean: bool = False) -> RobotState:
    """Return what all parts of a robot read now, in one message; `clean` is it without noise."""
    parts = [encoder.read(clean=clean) for encoder in robot.encoders]
    base = robot.base if "base" in robot.parts else None
    report = None
    if base is not None:
        parts.append(base.wheels())
        report = base.report(clean=clean)
    return RobotState(
        stamp=robot.time,
        joints=_joined(robot.time, parts),
        commanded=_commanded(robot),
        odometry=None if base is None else base.odometry(clean=clean),
        base=report,
        imu=_inertia(robot, clean=clean),
        cups=robot.cups.read() if "cups" in robot.parts else None,
    )


def _inertia(robot: "Robot", *, clean: bool) -> Imu | None:
    """Return what the gyro of a base says, or the inertial sensor of a body on legs."""
    if robot.has_imu:
        return robot.imu.read(clean=clean)
    if "base" not in robot.parts or robot.base.report(clean=clean).turn_rate is None:
        return None
    return robot.base.imu(clean=clean)


def _joined(stamp: float, parts: list[JointState]) -> JointState:
    """Return the joints of some parts together; what one part does not measure is zero."""

    def column(what: str) -> np.ndarray:
        columns = [getattr(part, what) for part in parts]
        filled = [
            c if len(c) else np.zeros(len(p.name)) for c, p in zip(columns, parts, strict=True)
        ]
        return np.concatenate(filled) if filled else np.empty(0)

    return JointState(
        stamp=stamp,
        name=tuple(name for part in parts for name in part.name),
        position=column("position"),
        velocity=column("velocity"),
        effort=column("effort"),
    )


def _commanded(robot: "Robot") -> JointState:
    names: tuple[str, ...] = ()
    values: list[float] = []
    for part, encoders in robot.parts.jointed:
        targets = part.targets()
        if np.isfinite(targets).all():
            names += encoders.names
            values += targets.tolist()
    return JointState(stamp=robot.time, name=names, position=np.array(values))
