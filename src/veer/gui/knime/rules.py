"""KNIME's rules: `$amount$ > 0 AND NOT MISSING $name$ => "yes"`.

A comparison with a missing value is false, except that two missing values may be equal; NaN compares
with nothing else. Conditions are true or false, never missing. The first rule that holds gives the
outcome; if none does it is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, VisitError

from veer.gui import rows as gui_rows
from veer.gui.knime import cells
from veer.gui.knime.cells import compare
from veer.ir import expr as ex, types as ty
from veer.read import coercion

GRAMMAR = r"""
rule: disjunction "=>" operand

?disjunction: exclusive ("OR" exclusive)*
?exclusive: conjunction ("XOR" conjunction)*
?conjunction: negation ("AND" negation)*
?negation: "NOT" negation -> negate
    | "MISSING" COLUMN -> missing
    | "(" disjunction ")"
    | relation
?relation: operand COMPARISON operand -> compare
    | operand "LIKE" operand -> like
    | operand "MATCHES" operand -> matches
    | operand "IN" "(" operand ("," operand)* ")" -> among
    | operand -> holds
operand: COLUMN -> column
    | STRING -> text
    | PATTERN -> pattern
    | NUMBER -> number
    | "TRUE" -> true
    | "FALSE" -> false

COLUMN: /\$[^$]+\$/
STRING: /"[^"]*"/
PATTERN: /\/([^\/\\]|\\.)*\//
NUMBER: /-?(\d+\.?\d*|\.\d+)([eE]-?\d+)?/
COMPARISON: /<=|>=|<|>|=(?!>)/
%import common.WS
%ignore WS
"""
PARSER = Lark(GRAMMAR, parser="lalr", start="rule", maybe_placeholders=False)
LONGEST = 20_000


@final
class _Reader(Transformer[Token, Any]):
    """From a parsed rule to its condition and outcome."""

    def __init__(self, rows: gui_rows.Rows) -> None:
        super().__init__()
        self.rows = rows

    def rule(self, parts: list[Any]) -> tuple[ex.Expr, gui_rows.Value]:
        condition, outcome = parts
        return condition, outcome

    def disjunction(self, parts: list[ex.Expr]) -> ex.Expr:
        return ex.Or(tuple(parts))

    def conjunction(self, parts: list[ex.Expr]) -> ex.Expr:
        return ex.And(tuple(parts))

    def exclusive(self, parts: list[ex.Expr]) -> ex.Expr:
        first, *others = parts
        for other in others:
            first = ex.Not(coercion.compare("=", first, other))
        return first

    def negate(self, parts: list[ex.Expr]) -> ex.Expr:
        return ex.Not(parts[0])

    def missing(self, parts: list[Token]) -> ex.Expr:
        return ex.IsNull(self.rows.column(parts[0][1:-1]).expr)

    def compare(self, parts: list[Any]) -> ex.Expr:
        left, op, right = parts
        condition = cells.is_true(compare(str(op), left, right, "rule"))
        if "=" not in op or isinstance(left.expr, ex.Literal) or isinstance(right.expr, ex.Literal):
            return condition
        # Missing values are equal unless they are missing for different reasons.
        both = ex.And((ex.IsNull(left.expr), ex.IsNull(right.expr)))
        unknown = gui_rows.unknown_call(
            cells.SYSTEM, "missing for the same reason", left, right, type_=ty.BOOLEAN
        )
        return ex.Case(((both, cells.is_true(unknown.expr)),), condition)

    def like(self, parts: list[gui_rows.Value]) -> ex.Expr:
        text, pattern = parts
        return cells.is_true(cells.matches_wildcards(_required_text(text), _constant_text(pattern)))

    def matches(self, parts: list[gui_rows.Value]) -> ex.Expr:
        text, pattern = parts
        return cells.is_true(
            cells.matches_expression(_required_text(text), _constant_text(pattern), "")
        )

    def among(self, parts: list[gui_rows.Value]) -> ex.Expr:
        value, *options = parts
        for option in options:
            gui_rows.require(isinstance(option.expr, ex.Literal), "IN with a column")
        return coercion.disjunction(
            [cells.is_true(compare("=", value, o, "rule")) for o in options]
        )

    def holds(self, parts: list[gui_rows.Value]) -> ex.Expr:
        value = parts[0]
        gui_rows.require(
            value.known and value.type == ty.BOOLEAN, "a condition that is not boolean"
        )
        return cells.is_true(value.expr)

    def column(self, parts: list[Token]) -> gui_rows.Value:
        value = self.rows.column(parts[0][1:-1])
        if value.known and value.type == ty.BOOLEAN:
            return gui_rows.Value(cells.is_true(value.expr))  # a missing truth value is false
        return value

    def text(self, parts: list[Token]) -> gui_rows.Value:
        return gui_rows.constant(str(parts[0])[1:-1], ty.STRING)

    def pattern(self, parts: list[Token]) -> gui_rows.Value:
        raise gui_rows.NotModelled("a pattern between slashes")

    def number(self, parts: list[Token]) -> gui_rows.Value:
        written = str(parts[0])
        if written.lstrip("-").isdecimal() and -(1 << 31) <= int(written[:20]) < 1 << 31:
            return gui_rows.constant(int(written), ty.INT)
        return gui_rows.constant(float(written), ty.DOUBLE)

    def true(self, _: list[Any]) -> gui_rows.Value:
        return gui_rows.constant(True, ty.BOOLEAN)

    def false(self, _: list[Any]) -> gui_rows.Value:
        return gui_rows.constant(False, ty.BOOLEAN)


def _required_text(value: gui_rows.Value) -> gui_rows.Value:
    gui_rows.require(
        value.known and value.type == ty.STRING, "a pattern for something that is not a text"
    )
    return value


def _constant_text(value: gui_rows.Value) -> str:
    if isinstance(value.expr, ex.Literal) and isinstance(value.expr.value, str):
        return value.expr.value
    raise gui_rows.NotModelled("a pattern that is not a constant")


def parse_rules(rows: gui_rows.Rows, lines: Sequence[str]) -> list[tuple[ex.Expr, gui_rows.Value]]:
    """The conditions and outcomes of rules; comments and empty lines are passed over."""
    rules = []
    for line in lines:
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        gui_rows.require(len(line) <= LONGEST, "a rule that is too long")
        gui_rows.require("$$" not in line, "a rule with flow variables or places of rows")
        try:
            rules.append(_Reader(rows).transform(PARSER.parse(line)))
        except VisitError as error:
            raise error.orig_exc from None
        except (LarkError, RecursionError):
            raise gui_rows.NotModelled(f"not understood: {line[:60]!r}") from None
    gui_rows.require(bool(rules), "no rules")
    return rules


def outcome(rules: Sequence[tuple[ex.Expr, gui_rows.Value]]) -> gui_rows.Value:
    """What the rules give, in the type that all outcomes have in common."""
    outcomes = [value for _, value in rules]
    gui_rows.require(all(value.known for value in outcomes), "an outcome of unknown type")
    types = {value.type for value in outcomes}
    if len(types) == 1:
        type_ = types.pop()
    elif types <= set(cells.NUMBERS) and ty.DOUBLE in types:
        type_ = ty.DOUBLE
    else:
        raise gui_rows.NotModelled("outcomes of different types")
    branches = tuple((when, coercion.implicit(value.expr, type_)) for when, value in rules)
    return gui_rows.Value(ex.Case(branches, ex.Literal(None, type_)))
