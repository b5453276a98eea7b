"""Serial chains as Denavit-Hartenberg tables, in the standard or the modified convention.

Both conventions are one product of constant matrices and motions along z:

    T_base_tool = K0 @ Z(q1) @ K1 @ Z(q2) @ ... @ Z(qn) @ Kn

where Z turns about z (revolute) or moves along z (prismatic). The constants are computed once,
so forward kinematics, link frames and the Jacobian are the same few lines for every chain, for
one posture or for many over the leading axes.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from mecano.core.errors import InvalidInput, JointLimitViolated, UnknownName
from mecano.kinematics.dh_fast import kernels
from mecano.kinematics.transforms import Array, rotation_x, rotation_y, rotation_z, translation


@dataclass(frozen=True, kw_only=True)
class DHJoint:
    """One row of the table and the range of its joint variable.

    The joint variable is added to `theta` (revolute) or to `d` (prismatic), so those two hold the
    offsets: the pose we call zero is rarely the DH zero.
    """

    name: str
    theta: float = 0.0
    """Turn about z [rad]."""
    d: float = 0.0
    """Move along z [m]."""
    a: float = 0.0
    """Move along x: the link length [m]."""
    alpha: float = 0.0
    """Turn about x: the link twist [rad]."""
    beta: float = 0.0
    """Small turn about y after the twist [rad], for axes that are parallel but for an error; there
    `d` is ill-defined (Hayati and Mirmirani, 1985). Zero in every textbook's table."""
    kind: Literal["revolute", "prismatic"] = "revolute"
    lower: float = -np.pi
    """Smallest allowed value [rad or m]."""
    upper: float = np.pi
    """Largest allowed value [rad or m]."""

    def __post_init__(self) -> None:
        numbers = (self.theta, self.d, self.a, self.alpha, self.beta, self.lower, self.upper)
        if not all(map(isfinite, numbers)) or self.lower > self.upper:
            raise InvalidInput(
                f"the row of {self.name} is {numbers}: its numbers must be finite, and the lower "
                "limit not above the upper one"
            )

    @property
    def unit(self) -> str:
        """The unit of the joint variable."""
        return "rad" if self.kind == "revolute" else "m"


@dataclass(frozen=True, kw_only=True, eq=False)
class DHChain:
    """A serial chain from a base frame to a tool. Immutable: build another one to change it."""

    joints: tuple[DHJoint, ...]
    convention: Literal["standard", "modified"] = "standard"
    base: Array = field(default_factory=lambda: np.eye(4))
    """`T_base_0`: where the first DH frame sits in the base frame of the robot."""
    tool: Array = field(default_factory=lambda: np.eye(4))
    """`T_n_tool`: where the tool sits in the last DH frame."""

    def __post_init__(self) -> None:
        if self.convention not in ("standard", "modified"):
            raise InvalidInput(
                f"the DH convention is '{self.convention}', allowed: standard, modified"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Joint names, base to tool."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def lower(self) -> Array:
        """Lower limits [rad or m]. Shape (n,)."""
        return np.array([joint.lower for joint in self.joints])

    @cached_property
    def upper(self) -> Array:
        """Upper limits [rad or m]. Shape (n,)."""
        return np.array([joint.upper for joint in self.joints])

    def with_limits(self, limits: dict[str, tuple[float, float]]) -> "DHChain":
        """Return the chain with other limits for the joints named."""
        for name in limits:
            if name not in self.names:
                raise UnknownName("joint", name, self.names)
        joints = tuple(
            replace(joint, lower=limits[joint.name][0], upper=limits[joint.name][1])
            if joint.name in limits
            else joint
            for joint in self.joints
        )
        return replace(self, joints=joints)

    def check(self, q: ArrayLike, *, limits: bool = False) -> Array:
        """Return `q` as an array of finite floats of the right length, or say what is wrong.

        Args:
            q: Joint values. Shape (..., n).
            limits: Also refuse values outside the joint limits.
        """
        try:
            q = np.asarray(q, dtype=float)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidInput(f"joint values must be numbers: {error}") from None
        n = len(self.joints)
        if q.shape == (n,) and not limits and isfinite(sum(q.tolist())):
            return q  # one posture: several times faster than numpy's tests
        if q.ndim == 0 or q.shape[-1] != n:
            given = q.shape[-1] if q.ndim else 1
            raise InvalidInput(f"{given} joint values given, {n} needed: {', '.join(self.names)}")
        if not np.isfinite(q).all():
            raise InvalidInput(f"joint values must be finite, got {q.tolist()}")
        if limits:
            outside = (q < self.lower - 1e-9) | (q > self.upper + 1e-9)
            if outside.any():
                index = tuple(np.argwhere(outside)[0])
                joint = self.joints[index[-1]]
                raise JointLimitViolated(
                    joint.name, float(q[index]), joint.lower, joint.upper, unit=joint.unit
                )
        return q

    def forward(self, q: ArrayLike) -> Array:
        """Return `T_base_tool` at joint values `q`. Shape (..., n) in, (..., 4, 4) out."""
        q = self.check(q)
        if q.ndim == 1 and (fast := kernels()) is not None:
            return fast.forward(*self.kernel_arguments(q))
        return self.forward_by_numpy(q)

    def forward_by_numpy(self, q: Array) -> Array:
        """As `forward` for checked values: batches, and the reference of the compiled kernel."""
        motions = self._joint_motions(q)
        T = np.broadcast_to(self._constants[0], (*q.shape[:-1], 4, 4))
        for i in range(len(self.joints)):
            T = T @ motions[..., i, :, :] @ self._constants[i + 1]
        return T

    def link_frames(self, q: ArrayLike) -> Array:
        """Return `T_base_i` for DH frame 0, each link 1..n, and the tool. Shape (..., n + 2, 4, 4).

        These are the frames of the table; those whose z the joints turn about: `joint_frames`.
        """
        q = self.check(q)
        T = np.broadcast_to(self.base, (*q.shape[:-1], 4, 4))
        frames = [T]
        for i in range(len(self.joints)):
            T = T @ self.step(i, q[..., i])
            frames.append(T)
        return np.stack([*frames, T @ self.tool], axis=-3)

    def joint_frames(self, q: ArrayLike) -> Array:
        """Return the frames whose z axis each joint turns about or moves along, then the tool.

        Shape (..., n + 1, 4, 4), in the base frame.
        """
        q = self.check(q)
        if q.ndim == 1 and (fast := kernels()) is not None:
            return fast.joint_frames(*self.kernel_arguments(q))
        return self.joint_frames_by_numpy(q)

    def joint_frames_by_numpy(self, q: Array) -> Array:
        """As `joint_frames` for checked values: batches, and the reference of the kernel."""
        steps = self._joint_motions(q) @ self._constants[1:]
        frames = np.empty((*q.shape[:-1], len(self.joints) + 1, 4, 4))
        frames[..., 0, :, :] = self._constants[0]
        for i in range(len(self.joints)):
            np.matmul(frames[..., i, :, :], steps[..., i, :, :], out=frames[..., i + 1, :, :])
        return frames

    def step(self, i: int, q_i: ArrayLike) -> Array:
        """Return the step matrix of row `i` of the table (counted from 0) at joint value `q_i`."""
        before, after = _constant_parts(self.joints[i], self.convention)
        alone = DHChain(joints=(self.joints[i],), convention=self.convention)
        return (
            before @ alone._joint_motions(np.asarray(q_i, float)[..., None])[..., 0, :, :] @ after
        )

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the geometric Jacobian of the tool in base axes. Shape (..., 6, n).

        Rows 0-2 are the tool's linear velocity [m/s], rows 3-5 its angular velocity [rad/s], per
        unit of joint velocity.
        """
        q = self.check(q)
        if q.ndim == 1 and (fast := kernels()) is not None:
            return fast.jacobian(*self.kernel_arguments(q)).T
        return self.jacobian_from_frames_by_numpy(self.joint_frames_by_numpy(q))

    def jacobian_from_frames(self, frames: Array) -> Array:
        """Return the Jacobian from `joint_frames`, for callers that have them already."""
        if frames.ndim == 3 and (fast := kernels()) is not None:
            if not frames.flags.carray:
                frames = np.array(frames)
            return fast.jacobian_from_frames(frames, self._is_revolute).T
        return self.jacobian_from_frames_by_numpy(frames)

    def jacobian_from_frames_by_numpy(self, frames: Array) -> Array:
        """As `jacobian_from_frames`: batches, and the reference of the compiled kernel."""
        tool_position = frames[..., -1:, :3, 3]
        axes = frames[..., :-1, :3, 2]
        arms = tool_position - frames[..., :-1, :3, 3]
        revolute = self._is_revolute[:, None]
        linear = np.where(revolute, _cross(axes, arms), axes)
        angular = np.where(revolute, axes, 0.0)
        return np.swapaxes(np.concatenate([linear, angular], axis=-1), -1, -2)

    def kernel_arguments(self, q: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Return what the kernels of `dh_kernel` take for one posture."""
        if not q.flags.carray:  # strided or read-only: another type for the compiler
            q = np.array(q)
        turned = q if self._all_revolute else np.where(self._is_revolute, q, 0.0)
        return self._constants, self._is_revolute, q, np.cos(turned), np.sin(turned)

    @cached_property
    def _all_revolute(self) -> bool:
        return bool(self._is_revolute.all())

    @cached_property
    def _is_revolute(self) -> np.ndarray:
        return np.array([joint.kind == "revolute" for joint in self.joints])

    @cached_property
    def _constants(self) -> Array:
        """The matrices K0 ... Kn between the joint motions. Shape (n + 1, 4, 4)."""
        parts = [_constant_parts(joint, self.convention) for joint in self.joints]
        befores = [before for before, _ in parts] + [self.tool]
        afters = [self.base] + [after for _, after in parts]
        return np.array(afters) @ np.array(befores)

    def _joint_motions(self, q: Array) -> Array:
        """Return Z(q) of every joint. Shape (..., n) in, (..., n, 4, 4) out."""
        Z = np.zeros((*q.shape, 4, 4))
        turned = q if self._all_revolute else np.where(self._is_revolute, q, 0.0)
        c, s = np.cos(turned), np.sin(turned)
        Z[..., 0, 0] = Z[..., 1, 1] = c
        Z[..., 0, 1] = -s
        Z[..., 1, 0] = s
        Z[..., 2, 2] = Z[..., 3, 3] = 1.0
        if turned is not q:
            Z[..., 2, 3] = np.where(self._is_revolute, 0.0, q)
        return Z


def _cross(a: Array, b: Array) -> Array:
    """Return the cross product over the last axis; twice as fast as numpy's for a few vectors."""
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def _constant_parts(joint: DHJoint, convention: str) -> tuple[Array, Array]:
    """Return what stands before and after the joint motion in one step of the table."""
    along_z = rotation_z(joint.theta) @ translation(z=joint.d)
    along_x = translation(x=joint.a) @ rotation_x(joint.alpha)
    if joint.beta:
        along_x = along_x @ rotation_y(joint.beta)
    if convention == "standard":
        return np.eye(4), along_z @ along_x
    return along_x, along_z


def manipulability(J: ArrayLike) -> Array:
    """Return Yoshikawa's measure of dexterity: the volume of the velocity ellipsoid over a ball's.

    It is the product of the singular values: zero in a singular posture. Use the rows of the
    Jacobian that the task needs, in one unit (three linear rows, say). Shape (..., m, n) in.
    """
    return np.prod(np.linalg.svd(np.asarray(J, float), compute_uv=False), axis=-1)


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """The tool velocities that joint velocities of unit length produce."""

    axes: Array
    """Unit vectors as columns, longest first. Shape (m, m)."""
    lengths: Array
    """Half axes [m/s per rad/s for the linear rows]; zero means that direction is lost."""


def manipulability_ellipsoid(J: ArrayLike) -> Ellipsoid:
    """Return the velocity ellipsoid of one Jacobian block. Shape (m, n) in.

    Pass the linear rows `J[:3]` or the angular rows `J[3:]`: the two have different units.
    """
    J = np.asarray(J, float)
    axes, singular_values, _ = np.linalg.svd(J)
    lengths = np.zeros(J.shape[0])
    lengths[: len(singular_values)] = singular_values
    return Ellipsoid(axes=axes, lengths=lengths)
