"""When the compiled kernels of `dh_kernel` are used for single postures.

They are equal to the numpy code bit for bit, so it does not matter at which call they take over.
Loading them takes about half a second (some ten seconds where nothing is cached on disk, with a
notice), so they are loaded once that has paid: after as many calls as numpy does in that time.
`prepare` loads them at once, for programs with a deadline to meet in every cycle.

The equality is checked on this machine when they are loaded. If it fails (a BLAS that adds up in
another order), numpy goes on being used.
"""

import sys
from types import ModuleType

import numpy as np

CALLS_TO_PAY = 20_000
"""Single postures after which the kernels are loaded."""
CALLS_TO_PAY_LESS = 4_000
"""The same where the compiler is loaded already for something else."""


class _Kernels:
    """The kernels once they are loaded, and how often they would have been used before."""

    module: ModuleType | None = None
    calls = 0
    refused = False


def kernels() -> ModuleType | None:
    """Return the kernels if they are loaded or it pays to load them now, else None."""
    if _Kernels.module is None and not _Kernels.refused:
        _Kernels.calls += 1
        if _Kernels.calls >= CALLS_TO_PAY_LESS and (
            "numba" in sys.modules or _Kernels.calls >= CALLS_TO_PAY
        ):
            prepare()
    return _Kernels.module


def prepare() -> bool:
    """Load the kernels now; return False if this machine's numpy does not agree with them."""
    if _Kernels.module is None and not _Kernels.refused:
        from mecano.core.compiled import first_call_notice
        from mecano.kinematics import dh_kernel

        with first_call_notice(dh_kernel.forward):
            if _agree(dh_kernel):
                _Kernels.module = dh_kernel
            else:
                _Kernels.refused = True
    return not _Kernels.refused


def _agree(kernel: ModuleType) -> bool:
    """Tell whether kernels and numpy give the same bits for a chain that has everything."""
    from mecano.kinematics.dh import DHChain, DHJoint

    rng = np.random.default_rng(0)
    chain = DHChain(
        joints=tuple(
            DHJoint(
                name=f"joint{i}", theta=theta, d=d, a=a, alpha=alpha,
                kind="prismatic" if i == 3 else "revolute",
            )
            for i, (theta, d, a, alpha) in enumerate(rng.uniform(-1.0, 1.0, (6, 4)).tolist())
        )
    )  # fmt: skip
    for q in rng.uniform(-3.0, 3.0, (40, 6)):
        numbers = chain.kernel_arguments(q)
        pairs = (
            (kernel.forward(*numbers), chain.forward_by_numpy(q)),
            (kernel.joint_frames(*numbers), chain.joint_frames_by_numpy(q)),
            (
                kernel.jacobian(*numbers).T,
                chain.jacobian_from_frames_by_numpy(chain.joint_frames_by_numpy(q)),
            ),
        )
        if any(ours.tobytes() != theirs.tobytes() for ours, theirs in pairs):
            return False
    return True
