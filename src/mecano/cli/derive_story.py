"""What `mecano derive` tells, section by section: from the table to the errata."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mecano.cli.derive_page import Page
    from mecano.core.arrays import Array
    from mecano.kinematics.chain import Chain
    from mecano.kinematics.symbolic import Derivation
    from mecano.kinematics.symbolic_letters import Letter, Step
    from mecano.robots import RobotDescription


def tell_table(page: "Page", derivation: "Derivation") -> None:
    """Write section 1: the frames, the table, and what its letters stand for."""
    import sympy

    chain, n = derivation.chain, len(derivation.q)
    standard = chain.convention == "standard"
    page.heading("1 Frames and DH table")
    page.say(
        "Every joint turns about, or moves along, a z axis. Frame i moves with link i; "
        + ("its z is the axis of the next joint" if standard else "its z is the axis of joint i")
        + f" and its x lies along the common normal ({chain.convention} convention). One row leads "
        "from frame i-1 to frame i."
    )
    rows = zip(range(1, n + 1), chain.names, derivation.table, strict=True)
    page.table(
        ("i", "joint", "theta", "d", "a", "alpha"),
        [(str(i), name, *row) for i, name, row in rows],
    )
    if derivation.letters:
        page.say("The letters, in metres and radians:")
        page.table(
            ("letter", "value"), [(each.symbol, _valued(each)) for each in derivation.letters]
        )
    if derivation.base != sympy.eye(4):
        page.say("Frame 0 in the base frame of the robot:")
        page.matrix("T_base_0", derivation.base)
    if derivation.tool != sympy.eye(4):
        page.say("The tool in the last frame:")
        page.matrix(f"T_{n}_tool", derivation.tool)


def tell_steps(page: "Page", derivation: "Derivation", q: "Array | None") -> None:
    """Write section 2: what one row of the table does, then every step."""
    standard = derivation.chain.convention == "standard"
    page.heading("2 Step matrices")
    page.say(
        "Each row is four simple motions: "
        + (
            "turn by theta about z, move d along z, move a along x, turn by alpha about x. "
            if standard
            else "turn by alpha about x, move a along x, turn by theta about z, move d along z. "
        )
        + "Their product is the motion from frame i-1 to frame i. It turns coordinates of frame i "
        "into those of frame i-1."
    )
    page.matrix("A_i", general_step(standard))
    for i, step in enumerate(derivation.steps):
        page.matrix(f"T{i}{i + 1}", step, _numbers(derivation, step, q))


def tell_products(page: "Page", derivation: "Derivation", q: "Array | None") -> None:
    """Write section 3: the products of the steps, the last one the closed form."""
    page.heading("3 Products and closed form")
    page.say("Multiply from the left. Angles about parallel axes add up.")
    for i, product in enumerate(derivation.products[1:], 2):
        page.matrix(f"T0{i}", product, _numbers(derivation, product, q))


def tell_position(page: "Page", derivation: "Derivation", q: "Array | None") -> None:
    """Write section 4: the position function, and the pitch where there is one."""
    page.heading("4 Position function P(q)")
    page.say("The tool in the base frame of the robot: the last column of T_base_0 T0n T_n_tool.")
    for name, expression in zip("xyz", derivation.position, strict=True):
        page.equation(name, expression, number=_number(derivation, expression, q))
    if derivation.omega is not None:
        remark = "pitch of the tool (the attack angle), positive nose down"
        number = _number(derivation, derivation.omega, q)
        page.equation("omega", derivation.omega, remark=remark, number=number)
    if derivation.rho is not None:
        number = _number(derivation, derivation.rho, q)
        page.equation("rho", derivation.rho, remark="roll about the nose", number=number)


def tell_inverse(
    page: "Page", derivation: "Derivation", robot: str, arm: "Chain", q: "Array | None"
) -> None:
    """Write section 5: the closed-form inverse, or that there is none."""
    page.heading("5 Inverse")
    if arm.solver == "ur":
        page.say(
            "Axes 2, 3 and 4 are parallel, and axes 5 and 6 cross in the wrist centre, so there is "
            "a closed form. The tool gives the wrist centre and axis 6. The wrist centre lies "
            "beside axis 1 by a fixed measure: that leaves two planes, the arm to the left or to "
            "the right. In a plane, axis 5 is at right angles to axis 6 with one of two signs: the "
            "wrist flipped or not. That gives axis 4, which two links must meet: elbow up or down."
        )
        page.say(
            "So there are at most eight solutions, but for whole turns. All of them in numbers: "
            f"mecano ik {robot} X Y Z --chain {arm.name} --all"
        )
        return
    if arm.solver == "spherical_wrist":
        page.say(
            "Axes 4, 5 and 6 meet in one point, the wrist centre, so there is a closed form. The "
            "tool gives the wrist centre, and joints 1, 2 and 3 carry it there in at most four "
            "ways (Pieper). What is left of the orientation is the turn of the wrist, with joint 5 "
            "to one side or to the other."
        )
        page.say(
            "So there are at most eight solutions, but for whole turns. All of them in numbers: "
            f"mecano ik {robot} X Y Z --chain {arm.name} --all"
        )
        return
    if not derivation.inverse_steps:
        page.say(
            f"This chain has no closed form here: {arm.solver_reason}. Its inverse is found "
            f"numerically, by damped least squares: mecano ik {robot} X Y Z"
        )
        return
    _tell_closed_form(page, derivation, q)


def _tell_closed_form(page: "Page", derivation: "Derivation", q: "Array | None") -> None:
    """Write what to compute in which order, and how many solutions that gives."""
    turret = derivation.omega is not None
    given = _task(derivation) if turret else "x and y"
    signs = "For s = +1 and -1, and for e = +1 and -1" if turret else "For e = +1 and -1"
    if derivation.rho is not None:
        page.say(
            "Of a whole orientation with nose a, five joints can give only those with "
            "a_x sin(q1) - a_y cos(q1) = 0: the nose lies in the vertical plane of axis 1 and the "
            "point. Then omega = atan2(-a_z, a_x cos(q1) + a_y sin(q1)), and rho is the turn about "
            "the nose that is left."
        )
    page.say(f"Given {given}. {signs}, compute in this order; bring angles into (-pi, pi].")
    numbers = {}
    if q is not None:
        branch, numbers, distance = _branch_of(derivation, q)
        page.say(
            f"The numbers are those of {_signs(branch, turret)}, which leads back to the posture "
            + ("given." if distance < 1e-6 else "given or, as that is singular, to one like it.")
        )
    for step in derivation.inverse_steps:
        number = numbers.get(step.name) if step.name != "reachable" else None
        page.equation(step.name, step.expression, remark=step.remark, number=number)
    page.say(f"That makes up to {len(derivation.branches)} solutions, and there are no others:")
    if q is None:
        page.table(
            ("signs", "meaning"),
            [(_signs(b, turret), _meaning(b, turret)) for b in derivation.branches],
        )
    else:
        header = ("signs", *derivation.q, "joint limits")
        page.table(header, _all_branches(derivation, q, turret))


def tell_singular_postures(page: "Page", derivation: "Derivation", q: "Array | None") -> None:
    """Write section 6: where the Jacobian loses a direction."""
    import sympy

    page.heading("6 Singular postures")
    page.say(f"J is the derivative of {_task(derivation)} by the joint variables.")
    J = sympy.Matrix([row for row in derivation.jacobian.tolist() if any(row)])
    if len(derivation.q) < 4:
        page.matrix("J", J, _numbers(derivation, J, q))
    if derivation.determinant is None:
        page.say(
            f"It has {J.rows} rows and {J.cols} columns, so no determinant. A posture is singular "
            "where the rank drops; `manipulability(J)` measures how near that is."
        )
        return
    for step in derivation.singularities:
        number = (
            _number(derivation, _full(derivation, step), q) if step.name in ("R", "det J") else None
        )
        page.equation(step.name, step.expression, remark=step.remark, number=number)


def tell_errata(page: "Page", description: "RobotDescription") -> None:
    """Write section 7: what the paper prints and what is right."""
    if not description.errata:
        return
    page.heading("7 Errata of the paper")
    page.table(
        ("where", "printed", "correct", "evidence"),
        [(each.where, each.printed, each.correct, each.evidence) for each in description.errata],
    )


def general_step(standard: bool) -> Any:
    """Return the matrix of one row of the table, in letters."""
    import sympy

    theta, d, a, alpha = sympy.symbols("theta d a alpha")
    turn_z = sympy.rot_ccw_axis3(theta).row_join(sympy.Matrix([0, 0, d]))
    turn_x = sympy.rot_ccw_axis1(alpha).row_join(sympy.Matrix([a, 0, 0]))
    last = sympy.Matrix([[0, 0, 0, 1]])
    along_z, along_x = turn_z.col_join(last), turn_x.col_join(last)
    return along_z * along_x if standard else along_x * along_z


def _task(derivation: "Derivation") -> str:
    if derivation.omega is None:
        return "x, y and z"
    return "x, y, z and omega" if derivation.rho is None else "x, y, z, omega and rho"


def _valued(letter: "Letter") -> str:
    degrees = f" ({math.degrees(letter.value):.3f} deg)" if letter.unit == "rad" else ""
    return f"{letter.value:.7g} {letter.unit}{degrees}"


def _numbers(derivation: "Derivation", M: Any, q: "Array | None") -> "Array | None":
    return None if q is None else derivation.evaluate(M, q)


def _number(derivation: "Derivation", expression: Any, q: "Array | None") -> float | None:
    return None if q is None else float(derivation.evaluate(expression, q))


def _full(derivation: "Derivation", step: "Step") -> Any:
    """Return a step of section 6 without the abbreviation R."""
    return derivation.determinant if step.name == "det J" else step.expression


def _signs(branch: tuple[int, int], turret: bool) -> str:
    return (f"s = {branch[0]:+d}, " if turret else "") + f"e = {branch[1]:+d}"


def _meaning(branch: tuple[int, int], turret: bool) -> str:
    s, e = branch
    if not turret:
        return "the elbow turns left" if e > 0 else "the elbow turns right"
    elbow = "up" if s * e < 0 else "down"
    return (
        f"faces the point, elbow {elbow} if r > 0"
        if s > 0
        else f"over the back, elbow {elbow} if r < 0"
    )


def _solutions(
    derivation: "Derivation", q: "Array"
) -> "list[tuple[tuple[int, int], dict[str, float]]]":
    """Return the steps of every branch that reaches the pose which `q` gives."""
    point = derivation.evaluate(derivation.position, q).ravel()
    pitch, roll = (
        0.0 if angle is None else float(derivation.evaluate(angle, q))
        for angle in (derivation.omega, derivation.rho)
    )
    followed = [
        (branch, derivation.follow_inverse(point, pitch, roll, s=branch[0], e=branch[1]))
        for branch in derivation.branches
    ]
    return [(branch, numbers) for branch, numbers in followed if numbers["reachable"]]


def _branch_of(
    derivation: "Derivation", q: "Array"
) -> tuple[tuple[int, int], dict[str, float], float]:
    """Return the branch that leads back to `q`, its numbers, and how near it comes [rad]."""
    import numpy as np

    from mecano.core.poses import wrap_angle

    def distance(numbers: dict[str, float]) -> float:
        found = np.array([numbers[str(symbol)] for symbol in derivation.q])
        return float(np.abs(wrap_angle(found - q)).max())

    found = [(*solution, distance(solution[1])) for solution in _solutions(derivation, q)]
    return min(found, key=lambda each: each[2])


def _all_branches(derivation: "Derivation", q: "Array", turret: bool) -> "list[tuple[str, ...]]":
    rows = []
    digits = 5 if len(derivation.q) < 5 else 3  # what fits into 60 columns
    for branch, numbers in _solutions(derivation, q):
        values = [numbers[str(symbol)] for symbol in derivation.q]
        over = [
            f"{joint.name} over by {excess:.3f}"
            for joint, value in zip(derivation.chain.joints, values, strict=True)
            if (excess := max(value - joint.upper, joint.lower - value)) > 1e-9
        ]
        texts = (f"{value:.{digits}f}" for value in values)
        rows.append((_signs(branch, turret), *texts, ", ".join(over) or "inside"))
    return rows
