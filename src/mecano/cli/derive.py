"""`mecano derive`: the kinematics of a robot derived step by step, in symbols."""

import math
import re
import textwrap
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from mecano.cli.catalog import ChainName, Robot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from mecano.core.arrays import Array
    from mecano.kinematics.chain import Chain
    from mecano.kinematics.symbolic import Derivation, Step
    from mecano.robots import RobotDescription

LONG = 60
"""Cells with more characters than this are sentences."""


def derive(
    robot: Robot,
    chain: ChainName = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="Q1,Q2,..", help="Also show all numbers at this posture."),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX (needs amsmath).")] = False,
    errata: Annotated[
        bool, typer.Option("--errata/--no-errata", help="End with the paper's errata.")
    ] = True,
) -> None:
    """Derive the kinematics of a robot step by step: table, matrices, position, inverse, errata.

    Example: mecano derive open_manipulator_x --at 0,-1.05,0.35,0.7
    """
    from rich.console import Console

    from mecano import robots
    from mecano.kinematics.symbolic import derive_chain

    description = robots.get(robot)
    arm = description.chain(chain)
    q = None if at is None else _posture(at, arm)
    with Console(stderr=True).status(f"deriving the kinematics of {robot}"):
        derivation = derive_chain(arm)
    page = LatexPage() if latex else ScreenPage(Console())
    page.title(f"{description.title}: chain '{arm.name}'")
    tell_forward(page, derivation, q)
    tell_inverse(page, derivation, robot, q)
    tell_singular_postures(page, derivation, q)
    if errata:
        tell_errata(page, description)


Page: TypeAlias = "ScreenPage | LatexPage"
"""Where the story is written. Both have the same methods."""


def _posture(text: str, arm: "Chain") -> "Array":
    from mecano.core.errors import InvalidInput

    try:
        values = [float(value) for value in re.split(r"[,\s]+", text.strip(", "))]
    except ValueError:
        raise InvalidInput(
            f"--at takes joint values with commas, such as 0,0.5; got '{text}'"
        ) from None
    return arm.dh.check(values)


# --- the story ----------------------------------------------------------------------------------


def tell_forward(page: Page, derivation: "Derivation", q: "Array | None") -> None:
    """Write sections 1 to 4: table, steps, products, position function."""
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
    import sympy

    if derivation.base != sympy.eye(4):
        page.say("Frame 0 in the base frame of the robot:")
        page.matrix("T_base_0", derivation.base)
    if derivation.tool != sympy.eye(4):
        page.say("The tool in the last frame:")
        page.matrix(f"T_{n}_tool", derivation.tool)

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

    page.heading("3 Products and closed form")
    page.say("Multiply from the left. Angles about parallel axes add up.")
    for i, product in enumerate(derivation.products[1:], 2):
        page.matrix(f"T0{i}", product, _numbers(derivation, product, q))

    page.heading("4 Position function P(q)")
    page.say("The tool in the base frame of the robot: the last column of T_base_0 T0n T_n_tool.")
    for name, expression in zip("xyz", derivation.position, strict=True):
        page.equation(name, expression, number=_number(derivation, expression, q))
    if derivation.omega is not None:
        remark = "pitch of the tool (the attack angle), positive nose down"
        number = _number(derivation, derivation.omega, q)
        page.equation("omega", derivation.omega, remark=remark, number=number)


def tell_inverse(page: Page, derivation: "Derivation", robot: str, q: "Array | None") -> None:
    """Write section 5: the closed-form inverse, or that there is none."""
    page.heading("5 Inverse")
    if not derivation.inverse_steps:
        page.say(
            "This chain has no closed form here. Its inverse is found numerically, by damped least "
            f"squares: mecano ik {robot} X Y Z"
        )
        return
    turret = derivation.omega is not None
    given = "x, y, z and omega" if turret else "x and y"
    signs = "For s = +1 and -1, and for e = +1 and -1" if turret else "For e = +1 and -1"
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


def tell_singular_postures(page: Page, derivation: "Derivation", q: "Array | None") -> None:
    """Write section 6: where the Jacobian loses a direction."""
    import sympy

    page.heading("6 Singular postures")
    names = "x, y, z and omega" if derivation.omega is not None else "x, y and z"
    page.say(f"J is the derivative of {names} by the joint variables.")
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


def tell_errata(page: Page, description: "RobotDescription") -> None:
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


def _is_condition(expression: Any) -> bool:
    import sympy

    return isinstance(expression, sympy.core.relational.Relational | sympy.And)


def _valued(letter) -> str:
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
    pitch = 0.0 if derivation.omega is None else float(derivation.evaluate(derivation.omega, q))
    followed = [
        (branch, derivation.follow_inverse(point, pitch, s=branch[0], e=branch[1]))
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
    for branch, numbers in _solutions(derivation, q):
        values = [numbers[str(symbol)] for symbol in derivation.q]
        over = [
            f"{joint.name} over by {excess:.3f}"
            for joint, value in zip(derivation.chain.joints, values, strict=True)
            if (excess := max(value - joint.upper, joint.lower - value)) > 1e-9
        ]
        texts = (f"{value:.5f}" for value in values)
        rows.append((_signs(branch, turret), *texts, ", ".join(over) or "inside"))
    return rows


# --- on the screen ------------------------------------------------------------------------------


class ScreenPage:
    """Writes for a terminal or a file of any width; nothing is cut off."""

    indent = "  "

    def __init__(self, console: "Console") -> None:
        self.console = console
        self.unicode = console.encoding.startswith("utf")
        self.after_gap = False

    def title(self, text: str) -> None:
        """Write the title."""
        self._lines(textwrap.wrap(text, self.console.width), "", style="bold")

    def heading(self, text: str) -> None:
        """Begin a section."""
        self._gap()
        self._lines([text], "", style="bold cyan")
        self._gap()

    def say(self, text: str) -> None:
        """Write a paragraph, with an empty line before and after it."""
        self._gap()
        self._lines(textwrap.wrap(text, self.console.width), "")
        self._gap()

    def table(self, header: "Sequence[Any]", rows: "Iterable[Sequence[Any]]") -> None:
        """Write a table; long cells are wrapped."""
        from rich import box
        from rich.table import Table

        cells = [[self._line(cell) for cell in row] for row in rows]
        sentences = any(len(cell) > LONG for row in cells for cell in row)
        table = Table(
            *map(self._line, header),
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            show_lines=sentences,
        )
        for row in cells:
            table.add_row(*row)
        self.console.print(table, markup=False, highlight=False)
        self.after_gap = False
        self._gap()

    def matrix(self, name: str, M: Any, numbers: "Array | None" = None) -> None:
        """Write a matrix whole, or its turn and shift apart, or entry by entry: what fits."""
        self._lines([f"{name} ="])
        if self._fits(pretty := self._pretty(M)):
            self._lines(pretty.splitlines(), 2 * self.indent)
        elif M.shape == (4, 4) and self._fits(turn := self._pretty(M[:3, :3])):
            self._lines(["rotation"], 2 * self.indent)
            self._lines(turn.splitlines(), 2 * self.indent)
            self._lines(["position"], 2 * self.indent)
            for axis, entry in zip("xyz", M[:3, 3], strict=True):
                self._formula(axis, entry, 2 * self.indent)
        else:
            for i, j in ((i, j) for i in range(M.rows) for j in range(M.cols)):
                if M[i, j] not in (0, 1) or i == j:
                    self._formula(f"[{i + 1},{j + 1}]", M[i, j], 2 * self.indent)
            self._lines(["all other entries are 0"], 2 * self.indent)
        if numbers is not None:
            self._lines(["in numbers"])
            rows = ("  ".join(f"{round(v, 5) + 0.0:9.5f}" for v in row) for row in numbers)
            self._lines((f"[{row} ]" for row in rows), 2 * self.indent)
        self._gap()

    def equation(
        self, name: str, expression: Any, *, remark: str = "", number: float | None = None
    ) -> None:
        """Write an equation, and below it its number and why."""
        self._formula(name, expression, self.indent)
        notes = [] if number is None else [f"= {round(number, 6) + 0.0:.6f}"]
        text = "   ".join([*notes, remark] if remark else notes)
        wrapped = textwrap.wrap(text, self.console.width - 8, drop_whitespace=True)
        self._lines(wrapped, 3 * self.indent, style="dim")

    def _formula(self, name: str, expression: Any, indent: str) -> None:
        """Write `name = expression` in two dimensions if that fits, else on lines that wrap."""
        import sympy

        condition = _is_condition(expression)
        if condition:
            left, joiner = name, ": "
        else:
            left, joiner = self._line(sympy.Symbol(name)), " = "
        block = self._pretty(expression).splitlines()
        if len(block) > 1 and not condition and name.isidentifier():
            block = self._pretty(
                sympy.Eq(sympy.Symbol(name), expression, evaluate=False)
            ).splitlines()
        else:
            block = [left + joiner + block[0]] if len(block) == 1 else []
        if block and max(map(len, block)) + len(indent) <= self.console.width:
            self._lines(block, indent)
            return
        line = left + joiner + self._line(expression)
        hanging = indent + " " * (len(left) + len(joiner))
        width = self.console.width
        self._lines(
            textwrap.wrap(line, width, initial_indent=indent, subsequent_indent=hanging), ""
        )

    def _fits(self, block: str) -> bool:
        return max(map(len, block.splitlines())) + 2 * len(self.indent) <= self.console.width

    def _lines(self, lines: "Iterable[str]", indent: str | None = None, *, style: str = "") -> None:
        indent = self.indent if indent is None else indent
        for line in lines:
            text = (indent + line).rstrip()
            self.console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)
            self.after_gap = False

    def _gap(self) -> None:
        """Leave one empty line, never two."""
        if not self.after_gap:
            self.console.print()
        self.after_gap = True

    def _pretty(self, expression: Any) -> str:
        import sympy

        return sympy.pretty(expression, use_unicode=self.unicode, wrap_line=False)

    def _line(self, expression: Any) -> str:
        """Return an expression on one line; text stays as it is."""
        if isinstance(expression, str):
            return expression
        text = str(expression)
        if not self.unicode:
            return text
        for word, sign in _SIGNS.items():
            text = re.sub(rf"\b{word}(?=\d*\b)", sign, text)
        text = re.sub(
            r"\b([A-Za-z\u0370-\u03ff]+)(\d+)\b", lambda m: m[1] + m[2].translate(_LOW), text
        )
        return text.replace("**2", "²").replace("*", "⋅")


_SIGNS = {"phi": "φ", "pi": "π", "omega": "ω", "theta": "θ", "alpha": "α"}
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


# --- in LaTeX -----------------------------------------------------------------------------------


class LatexPage:
    """Writes a fragment to paste into a document that loads amsmath."""

    def title(self, text: str) -> None:
        """Write the title."""
        print(rf"\section*{{{_escaped(text)}}}")

    def heading(self, text: str) -> None:
        """Begin a section."""
        print(f"\n\\subsection*{{{_escaped(text)}}}\n")

    def say(self, text: str) -> None:
        """Write a paragraph."""
        print(_escaped(text) + "\n")

    def table(self, header: "Sequence[Any]", rows: "Iterable[Sequence[Any]]") -> None:
        """Write a table, or a list where the cells are sentences."""
        rows = [[self._cell(cell) for cell in row] for row in rows]
        if any(len(cell) > LONG and not cell.startswith("$") for row in rows for cell in row):
            print(r"\begin{itemize}")
            for row in rows:
                pairs = zip(header, row, strict=True)
                print(r"\item " + "; ".join(f"{name}: {cell}" for name, cell in pairs))
            print(r"\end{itemize}")
            return
        print(rf"\begin{{tabular}}{{{'l' * len(header)}}}")
        for row in [[self._cell(cell) for cell in header], *rows]:
            print(" & ".join(row) + r" \\")
        print("\\end{tabular}\n")

    def matrix(self, name: str, M: Any, numbers: "Array | None" = None) -> None:
        """Write `name = M`, and the numbers as a second equality."""
        import sympy

        values = ""
        if numbers is not None:
            rows = [" & ".join(f"{round(v, 5) + 0.0:.5f}" for v in row) for row in numbers]
            values = r" = \begin{bmatrix}" + r" \\ ".join(rows) + r"\end{bmatrix}"
        head, _, low = name.partition("_") if "_" in name else (name[0], "", name[1:])
        subscript = "_{" + low.replace("_", r"\,") + "}" if low else ""
        print(rf"\[ {head}{subscript} = {sympy.latex(M)}{values} \]")

    def equation(
        self, name: str, expression: Any, *, remark: str = "", number: float | None = None
    ) -> None:
        """Write a displayed equation with its remark as text."""
        import sympy

        values = "" if number is None else f" = {round(number, 6) + 0.0:.6f}"
        words = rf" \quad\text{{({_escaped(remark)})}}" if remark else ""
        if _is_condition(expression):
            left = rf"\text{{{_escaped(name)}:}}\quad "
        else:
            left = (r"\det J" if name == "det J" else sympy.latex(sympy.Symbol(name))) + " = "
        print(rf"\[ {left}{sympy.latex(expression)}{values}{words} \]")

    @staticmethod
    def _cell(cell: Any) -> str:
        import sympy

        return _escaped(cell) if isinstance(cell, str) else f"${sympy.latex(cell)}$"


def _escaped(text: str) -> str:
    """Return text with the characters that LaTeX reads as commands put in their place."""
    special = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}", "<": "$<$", ">": "$>$"}
    return re.sub(r"[\\&%$#_{}~^<>]", lambda m: special.get(m[0], "\\" + m[0]), text)
