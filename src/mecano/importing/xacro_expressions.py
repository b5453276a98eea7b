"""Evaluates the expressions of xacro files without letting them out of their box.

The library's own check looks at the outermost names only, so `${(lambda: ().__class__)()}` and
`$(eval open('/etc/passwd').read())` get through it. Here every attribute of an expression goes
through `_attribute`, which knows numbers, text, lists, dictionaries and xacro's own name spaces and
refuses everything else; builtins are those that xacro lists, without `vars` and `type`.
"""

import ast
import string
from collections.abc import Mapping, Sequence
from typing import Any

import xacro
from xacro import substitution_args

PLAIN = (bool, int, float, complex, str, list, tuple, dict, set, frozenset, range)
"""Values of expressions; their public methods can do no harm."""
MAX_EXPRESSION = 10_000
"""Characters."""
_HOOK = "__attribute__"


class RefusedExpression(Exception):
    """An expression asks for something that no robot's file needs."""


class _Guard(ast.NodeTransformer):
    """Replaces `a.b` by a checked call and refuses names with two underscores in front."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        hook = ast.Name(id=_HOOK, ctx=ast.Load())
        call = ast.Call(func=hook, args=[node.value, ast.Constant(node.attr)], keywords=[])
        return ast.copy_location(call, node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id.startswith("__"):
            raise RefusedExpression(f"the name '{node.id}' is not allowed in an expression")
        return node


class _Formatter(string.Formatter):
    """`str.format` with the same check of attributes."""

    def get_field(
        self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Any, str | int]:
        if "." in field_name or "[" in field_name:
            raise RefusedExpression("format() takes no attributes or items; put them outside")
        return super().get_field(field_name, args, kwargs)


def evaluate(expression: str, names: Any) -> Any:
    """Return the value of an expression.

    Args:
        expression: Python, as xacro has it between `${` and `}`.
        names: Table of the names it may use; it gets empty builtins, as Python would add all of
            its own.
    """
    if len(expression) > MAX_EXPRESSION:
        raise RefusedExpression(f"an expression has {len(expression)} characters")
    tree = ast.parse(expression.strip(), "<expression>", "eval")
    guarded = ast.fix_missing_locations(_Guard().visit(tree))
    dict.__setitem__(names, "__builtins__", {})
    return eval(compile(guarded, "<expression>", "eval"), names)


def guard_xacro() -> None:
    """Make the library evaluate its expressions by `evaluate`."""
    symbols: Any = xacro._global_symbols
    symbols[_HOOK] = _attribute
    python = symbols["python"]
    dict.pop(python, "vars", None)
    dict.__setitem__(python, "type", _type_of)

    def safe_eval(expr: str, globals: Any, locals: Any = None) -> Any:
        return evaluate(expr, globals)

    def eval_command(expression: str, context: dict[str, Any]) -> str:
        arguments = context.get("arg", {})
        names = {
            name: substitution_args.convert_value(value, "auto")
            for name, value in arguments.items()
        }
        names |= {
            name: value
            for name, value in substitution_args._eval_dict.items()
            if not name.startswith("_")
        }
        names |= {name: symbols[name] for name in ("list", "dict", "map", "str", "float", "int")}
        names["arg"] = lambda name: substitution_args.convert_value(arguments[name], "auto")
        names[_HOOK] = _attribute
        return str(evaluate(expression, names))

    xacro.safe_eval = safe_eval
    substitution_args._eval = eval_command


def _attribute(value: Any, name: str) -> Any:
    """Return an attribute that an expression may see."""
    if name.startswith("_"):
        raise RefusedExpression(f"the attribute '{name}' is not allowed in an expression")
    if isinstance(value, xacro.NameSpace):
        try:
            return value[name]
        except KeyError:
            raise NameError(f"name '{name}' is not defined") from None
    if isinstance(value, str) and name in ("format", "format_map"):
        return lambda *args, **kwargs: _Formatter().vformat(value, args, kwargs)
    if isinstance(value, dict) and not hasattr(dict, name):
        return xacro.YamlDictWrapper(value)[name]
    if isinstance(value, PLAIN):
        return getattr(value, name)
    raise RefusedExpression(
        f"'.{name}' of a {type(value).__name__} is not allowed in an expression; allowed are "
        "numbers, text, lists and dictionaries"
    )


def _type_of(value: Any) -> type:
    if type(value) in PLAIN:
        return type(value)
    raise RefusedExpression(f"type() of a {type(value).__name__} is not allowed in an expression")
