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

from veer.frontends import coercion
from veer.frontends.gui.rows import NotModelled, Rows, Value, constant, require, unknown_call
from veer.frontends.knime.cells import (
    NUMBERS,
    SYSTEM,
    compare,
    is_true,
    matches_expression,
    matches_wildcards,
)
from veer.model.expr import And, Case, Expr, IsNull, Literal, Not, Or
from veer.model.types import BOOLEAN, DOUBLE, INT, STRING

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

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self.rows = rows

    def rule(self, parts: list[Any]) -> tuple[Expr, Value]:
        condition, outcome = parts
        return condition, outcome

    def disjunction(self, parts: list[Expr]) -> Expr:
        return Or(tuple(parts))

    def conjunction(self, parts: list[Expr]) -> Expr:
        return And(tuple(parts))

    def exclusive(self, parts: list[Expr]) -> Expr:
        first, *others = parts
        for other in others:
            first = Not(coercion.compare("=", first, other))
        return first

    def negate(self, parts: list[Expr]) -> Expr:
        return Not(parts[0])

    def missing(self, parts: list[Token]) -> Expr:
        return IsNull(self.rows.column(parts[0][1:-1]).expr)

    def compare(self, parts: list[Any]) -> Expr:
        left, op, right = parts
        condition = is_true(compare(str(op), left, right, "rule"))
        if "=" not in op or isinstance(left.expr, Literal) or isinstance(right.expr, Literal):
            return condition
        # Missing values are equal unless they are missing for different reasons.
        both = And((IsNull(left.expr), IsNull(right.expr)))
        unknown = unknown_call(SYSTEM, "missing for the same reason", left, right, type_=BOOLEAN)
        return Case(((both, is_true(unknown.expr)),), condition)

    def like(self, parts: list[Value]) -> Expr:
        text, pattern = parts
        return is_true(matches_wildcards(_required_text(text), _constant_text(pattern)))

    def matches(self, parts: list[Value]) -> Expr:
        text, pattern = parts
        return is_true(matches_expression(_required_text(text), _constant_text(pattern), ""))

    def among(self, parts: list[Value]) -> Expr:
        value, *options = parts
        for option in options:
            require(isinstance(option.expr, Literal), "IN with a column")
        return coercion.disjunction([is_true(compare("=", value, o, "rule")) for o in options])

    def holds(self, parts: list[Value]) -> Expr:
        value = parts[0]
        require(value.known and value.type == BOOLEAN, "a condition that is not boolean")
        return is_true(value.expr)

    def column(self, parts: list[Token]) -> Value:
        value = self.rows.column(parts[0][1:-1])
        if value.known and value.type == BOOLEAN:
            return Value(is_true(value.expr))  # a missing truth value is false
        return value

    def text(self, parts: list[Token]) -> Value:
        return constant(str(parts[0])[1:-1], STRING)

    def pattern(self, parts: list[Token]) -> Value:
        raise NotModelled("a pattern between slashes")

    def number(self, parts: list[Token]) -> Value:
        written = str(parts[0])
        if written.lstrip("-").isdecimal() and -(1 << 31) <= int(written[:20]) < 1 << 31:
            return constant(int(written), INT)
        return constant(float(written), DOUBLE)

    def true(self, _: list[Any]) -> Value:
        return constant(True, BOOLEAN)

    def false(self, _: list[Any]) -> Value:
        return constant(False, BOOLEAN)


def _required_text(value: Value) -> Value:
    require(value.known and value.type == STRING, "a pattern for what is no text")
    return value


def _constant_text(value: Value) -> str:
    if isinstance(value.expr, Literal) and isinstance(value.expr.value, str):
        return value.expr.value
    raise NotModelled("a pattern that is no constant")


def parse_rules(rows: Rows, lines: Sequence[str]) -> list[tuple[Expr, Value]]:
    """The conditions and outcomes of rules; comments and empty lines are passed over."""
    rules = []
    for line in lines:
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        require(len(line) <= LONGEST, "a rule that is too long")
        require("$$" not in line, "a rule with flow variables or places of rows")
        try:
            rules.append(_Reader(rows).transform(PARSER.parse(line)))
        except VisitError as error:
            raise error.orig_exc from None
        except (LarkError, RecursionError):
            raise NotModelled(f"not understood: {line[:60]!r}") from None
    require(bool(rules), "no rules")
    return rules


def outcome(rules: Sequence[tuple[Expr, Value]]) -> Value:
    """What the rules give, in the type that all outcomes have in common."""
    outcomes = [value for _, value in rules]
    require(all(value.known for value in outcomes), "an outcome of unknown type")
    types = {value.type for value in outcomes}
    if len(types) == 1:
        type_ = types.pop()
    elif types <= set(NUMBERS) and DOUBLE in types:
        type_ = DOUBLE
    else:
        raise NotModelled("outcomes of different types")
    branches = tuple((when, coercion.implicit(value.expr, type_)) for when, value in rules)
    return Value(Case(branches, Literal(None, type_)))
