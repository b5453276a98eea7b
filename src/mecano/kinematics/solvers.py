"""Which solver fits a chain: found from its table, not from its name."""

from mecano.kinematics.dh import DHChain
from mecano.kinematics.numerical_solver import NumericalSolver
from mecano.kinematics.six_solver import URSolver, WristSolver
from mecano.kinematics.solver import ClosedForm, Misfit, Solver
from mecano.kinematics.turret_solver import RollingTurretSolver, TurretSolver

FORMS: tuple[type[ClosedForm], ...] = (TurretSolver, RollingTurretSolver, URSolver, WristSolver)
"""Tried in this order."""


def solver_for(dh: DHChain) -> Solver:
    """Return the closed form that fits a chain, or the numerical solver.

    Geometry decides: where the axes lie in the zero posture, for standard and modified tables, any
    base and tool, and joints that turn either way. `kind` and `reason` of the solver say which one
    it is and why, in plain words.
    """
    counts = sorted({form.joints for form in FORMS})
    count = len(dh.joints)
    if count not in counts:
        known = f"{', '.join(map(str, counts[:-1]))} and {counts[-1]}"
        joints = f"{count} joint{'' if count == 1 else 's'}"
        return NumericalSolver(dh, f"{joints}; closed forms exist for {known}")
    for joint in dh.joints:
        if joint.kind != "revolute":
            return NumericalSolver(
                dh, f"joint '{joint.name}' slides; closed forms exist for turning joints"
            )
    reasons = []
    for form in FORMS:
        if form.joints == count:
            try:
                return form.fit(dh)
            except Misfit as misfit:
                reasons.append(f"not {misfit.kind}: {misfit.why}")
    return NumericalSolver(dh, "; ".join(reasons))
