"""Where `mecano derive` writes: a page on the screen or one in LaTeX, with the same methods."""

import re
import textwrap
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console

    from mecano.core.arrays import Array

Page: TypeAlias = "ScreenPage | LatexPage"
"""Where the story is written. Both have the same methods."""
LONG = 60
"""Cells with more characters than this are sentences."""
_SIGNS = {"phi": "φ", "pi": "π", "omega": "ω", "rho": "ρ", "theta": "θ", "alpha": "α"}
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


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
        from rich.table import Column, Table

        cells = [[self._line(cell) for cell in row] for row in rows]
        sentences = any(len(cell) > LONG for row in cells for cell in row)
        table = Table(
            *(Column(self._line(name), overflow="fold") for name in header),
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
            rows = ("  ".join(f"{_fixed(v, 5):>9}" for v in row) for row in numbers)
            self._lines((f"[{row} ]" for row in rows), 2 * self.indent)
        self._gap()

    def equation(
        self, name: str, expression: Any, *, remark: str = "", number: float | None = None
    ) -> None:
        """Write an equation, and below it its number and why."""
        self._formula(name, expression, self.indent)
        notes = [] if number is None else [f"= {_fixed(number, 6)}"]
        text = "   ".join([*notes, remark] if remark else notes)
        wrapped = textwrap.wrap(text, self.console.width - 8, drop_whitespace=True)
        self._lines(wrapped, 3 * self.indent, style="dim")

    def _formula(self, name: str, expression: Any, indent: str) -> None:
        """Write `name = expression` in two dimensions if that fits, else on lines that wrap."""
        import sympy

        condition = _is_condition(expression)
        left = name + ": " if condition else self._line(sympy.Symbol(name)) + " = "
        block = self._pretty(expression).splitlines()
        if len(block) > 1 and not condition and name.isidentifier():
            equation = sympy.Eq(sympy.Symbol(name), expression, evaluate=False)
            block = self._pretty(equation).splitlines()
        else:
            block = [left + block[0]] if len(block) == 1 else []
        if block and max(map(len, block)) + len(indent) <= self.console.width:
            self._lines(block, indent)
            return
        hanging = indent + " " * len(left)
        wrapped = textwrap.wrap(
            left + self._line(expression),
            self.console.width,
            initial_indent=indent,
            subsequent_indent=hanging,
        )
        self._lines(wrapped, "")

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
            rows = [" & ".join(_fixed(v, 5) for v in row) for row in numbers]
            values = r" = \begin{bmatrix}" + r" \\ ".join(rows) + r"\end{bmatrix}"
        head, _, low = name.partition("_") if "_" in name else (name[0], "", name[1:])
        subscript = "_{" + low.replace("_", r"\,") + "}" if low else ""
        print(rf"\[ {head}{subscript} = {sympy.latex(M)}{values} \]")

    def equation(
        self, name: str, expression: Any, *, remark: str = "", number: float | None = None
    ) -> None:
        """Write a displayed equation with its remark as text."""
        import sympy

        values = "" if number is None else f" = {_fixed(number, 6)}"
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


def _fixed(value: float, digits: int) -> str:
    """Return a number with fixed digits, and zero without a minus."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _is_condition(expression: Any) -> bool:
    import sympy

    return isinstance(expression, sympy.core.relational.Relational | sympy.And)
