"""What formulas mean, in expressions of Spark.

Null in Alteryx is a value that equals itself: `=` is Spark's `<=>`, `!=` its negation, and nothing
is less or greater than null. Comparisons are thus true or false, never null. A number with null is
null, a text with null is the text. What is not known surely is an opaque function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, final

from veer.functions.registry import Kind
from veer.gui import rows as gui_rows
from veer.gui.alteryx import formulas, numbers
from veer.gui.alteryx.columns import column, want_all
from veer.gui.alteryx.storing import is_ascii
from veer.ir import expr as ex, types as ty
from veer.ir.nullability import is_nullable
from veer.read import coercion

DEEPEST = 120  # formulas inside of formulas
SYSTEM = numbers.SYSTEM
TRUE, FALSE = ex.Literal(True, ty.BOOLEAN), ex.Literal(False, ty.BOOLEAN)

# The types that functions give which are not looked into.
RESULTS: dict[str, ty.DataType] = {
    **dict.fromkeys(
        [
            "datetimeformat",
            "decomposeunicodefordatabase",
            "getword",
            "left",
            "lowercase",
            "padleft",
            "padright",
            "regex_replace",
            "replace",
            "replacechar",
            "replacefirst",
            "reversestring",
            "right",
            "striphtml",
            "stripquotes",
            "substring",
            "titlecase",
            "tostring",
            "trim",
            "trimleft",
            "trimright",
            "uppercase",
            "uuidcreate",
        ],
        ty.STRING,
    ),
    **dict.fromkeys(
        [
            "abs",
            "acos",
            "asin",
            "atan",
            "average",
            "ceil",
            "cos",
            "countwords",
            "datetimediff",
            "exp",
            "findstring",
            "floor",
            "length",
            "log",
            "log10",
            "mod",
            "pow",
            "rand",
            "randint",
            "regex_countmatches",
            "round",
            "sin",
            "sqrt",
            "tan",
            "tonumber",
        ],
        ty.DOUBLE,
    ),
    **dict.fromkeys(
        [
            "contains",
            "endswith",
            "fileexists",
            "isempty",
            "isinteger",
            "isnumber",
            "isstring",
            "regex_match",
            "startswith",
        ],
        ty.BOOLEAN,
    ),
}
KINDS = {
    "datetimestart": Kind.RUN_CONSTANT,
    "datetimetoday": Kind.RUN_CONSTANT,
    "datetimenow": Kind.CHOICE,
    "datetimenowprecise": Kind.CHOICE,
    "rand": Kind.CHOICE,
    "randint": Kind.CHOICE,
    "uuidcreate": Kind.CHOICE,
}


RANDOM = re.compile(r"rand|[ug]uid|now", re.IGNORECASE)  # in names of functions that choose


def may_choose(settings: Mapping[str, Any]) -> bool:
    """Whether settings hold a formula that may give something else each time."""
    called = re.findall(r"(\w+)\s*\(", str(settings.get("configuration")))
    return any(RANDOM.search(name) for name in called)


@final
class Meaning:
    """Formulas over the columns of a table."""

    def __init__(
        self, rows: gui_rows.Rows, constants: Mapping[str, Sequence[Any]] | None = None
    ) -> None:
        self.rows, self.constants = rows, constants or {}
        self.depth = 0
        self.truths: set[ex.Expr] = set()  # conditions that are never null, though they look so

    def of(self, formula: str) -> gui_rows.Value:
        """The value of a formula."""
        tree = formulas.parse(formula)
        # A constant of the workflow is no column, nor is [#1] of a question.
        want_all(self.rows, (n for n in formulas.fields_of(tree) if not re.match(r"\w+\.|#", n)))
        return self.value(tree)

    def condition_of(self, formula: str) -> ex.Expr:
        """A formula that is true or false."""
        return self.condition(self.of(formula))

    def value(self, tree: formulas.Tree) -> gui_rows.Value:
        """The value of a part of a formula."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise gui_rows.NotModelled("a formula nested too deeply")
        try:
            match tree:
                case formulas.Number(text):
                    return numbers.number(text)
                case formulas.Text(text):
                    return gui_rows.Value(ex.Literal(text, ty.STRING))
                case formulas.FieldOf(name):
                    return self.field(name)
                case formulas.Operation(op, args):
                    return self.operation(op, args)
                case formulas.Choice(branches, otherwise):
                    pairs = [(self.truth(when), self.value(then)) for when, then in branches]
                    return self.choice(pairs, self.value(otherwise))
                case formulas.CallOf(name, args):
                    return self.call(name, args)
        finally:
            self.depth -= 1

    def field(self, name: str) -> gui_rows.Value:
        """A column, or a constant of the workflow."""
        if name.lower() in self.constants:
            text, is_number = self.constants[name.lower()]
            if is_number:
                return self.value(formulas.parse(text))
            return gui_rows.Value(ex.Literal(text, ty.STRING))
        if name.lower().startswith("engine."):
            call = gui_rows.unknown_call(SYSTEM, name.lower(), type_=ty.STRING)
            return _of_kind(call, Kind.RUN_CONSTANT)
        if re.match(r"(user|question)\.", name, re.IGNORECASE) or re.match(r"#\d+$", name):
            raise gui_rows.NotModelled(f"the value of [{name}] is not told")
        return column(self.rows, name)

    # -- truth ---------------------------------------------------------------------------------

    def never_null(self, expr: ex.Expr) -> bool:
        """Whether a value is surely there."""
        return not is_nullable(expr, self.rows.schema)

    def truth(self, tree: formulas.Tree) -> ex.Expr:
        """A part of a formula as a condition."""
        return self.condition(self.value(tree))

    def condition(self, value: gui_rows.Value) -> ex.Expr:
        """A value as a condition, which is never null."""
        if not value.known or value.type != ty.BOOLEAN:
            value = gui_rows.unknown_call(SYSTEM, "truth", value, type_=ty.BOOLEAN)
        if value.expr in self.truths or self.never_null(value.expr):
            return value.expr
        return ex.Compare("<=>", value.expr, TRUE) if _is_unknown(value) else self._present(value)

    def _present(self, value: gui_rows.Value) -> ex.Expr:
        """A boolean; its meaning in Alteryx is not known if it is null."""
        null = gui_rows.unknown_call(SYSTEM, "truth of null", type_=ty.BOOLEAN).expr
        return ex.Case(((ex.IsNull(value.expr), ex.Compare("<=>", null, TRUE)),), value.expr)

    def true_or_false(self, expr: ex.Expr) -> gui_rows.Value:
        """A condition that is never null, whatever its parts look like."""
        self.truths.add(expr)
        return gui_rows.Value(expr)

    # -- operators -----------------------------------------------------------------------------

    def operation(self, op: str, args: Sequence[formulas.Tree]) -> gui_rows.Value:
        """An operator applied to its arguments."""
        match op:
            case "and":
                return self.true_or_false(ex.And(tuple(self.truth(a) for a in args)))
            case "or":
                return self.true_or_false(ex.Or(tuple(self.truth(a) for a in args)))
            case "not":
                return self.negation(self.value(args[0]))
            case "neg":
                return self.negative(self.value(args[0]))
            case "in":
                return self.within([self.value(a) for a in args])
            case _ if " " in op:
                parts = [gui_rows.Value(self.truth(a)) for a in args]
                return gui_rows.unknown_call(SYSTEM, op, *parts, type_=ty.BOOLEAN)
        a, b = (self.value(arg) for arg in args)
        if op in ("+", "-", "*", "/"):
            return self.arithmetic(op, a, b)
        return self.compare(op, a, b)

    def negation(self, value: gui_rows.Value) -> gui_rows.Value:
        """NOT, of conditions alone: whether `NOT a = b` is `(NOT a) = b` is not known."""
        if not value.known or value.type != ty.BOOLEAN:
            raise gui_rows.NotModelled("NOT of something that is not a condition")
        return self.true_or_false(ex.Not(self.condition(value)))

    def negative(self, value: gui_rows.Value) -> gui_rows.Value:
        """A number with its sign turned."""
        match value.expr:
            case ex.Literal(int() | float() as number, type_):
                return gui_rows.Value(ex.Literal(-number, type_))
        if not numbers.is_number(value):
            return gui_rows.unknown_call(SYSTEM, "-", value)
        return numbers.arithmetic("*", gui_rows.Value(ex.Literal(-1, ty.LONG)), value)

    def arithmetic(self, op: str, a: gui_rows.Value, b: gui_rows.Value) -> gui_rows.Value:
        """`+ - * /` of numbers, and `+` of texts."""
        if numbers.is_number(a) and numbers.is_number(b):
            return numbers.arithmetic(op, a, b)
        if op == "+" and all(v.known and v.type == ty.STRING for v in (a, b)):
            return self.joined(a, b)
        return gui_rows.unknown_call(SYSTEM, op, a, b)

    def joined(self, a: gui_rows.Value, b: gui_rows.Value) -> gui_rows.Value:
        """Two texts concatenated; null counts as empty, but the result of two nulls is not known."""
        texts = [
            v.expr
            if self.never_null(v.expr)
            else coercion.call("coalesce", v.expr, ex.Literal("", ty.STRING))
            for v in (a, b)
        ]
        result = coercion.call("concat", *texts)
        if any(self.never_null(v.expr) for v in (a, b)):
            return gui_rows.Value(result)
        both = ex.And((ex.IsNull(a.expr), ex.IsNull(b.expr)))
        unknown = gui_rows.unknown_call(SYSTEM, "null + null", type_=ty.STRING).expr
        return gui_rows.Value(ex.Case(((both, unknown),), result))

    def within(self, values: Sequence[gui_rows.Value]) -> gui_rows.Value:
        """`a IN (b, c)`: equal to one of them."""
        sought, options = values[0], values[1:]
        texts = all(v.known and v.type == ty.STRING for v in values)
        if texts and all(_has_no_case(o.expr) for o in options):
            listed = ex.InList(sought.expr, tuple(dict.fromkeys(o.expr for o in options)))
            if self.never_null(sought.expr):
                return gui_rows.Value(listed)
            return self.true_or_false(ex.And((ex.Not(ex.IsNull(sought.expr)), listed)))
        equal = [self.compare("=", sought, option).expr for option in options]
        return self.true_or_false(equal[0] if len(equal) == 1 else ex.Or(tuple(equal)))

    def compare(self, op: str, a: gui_rows.Value, b: gui_rows.Value) -> gui_rows.Value:
        """A comparison, which is true or false whatever is compared."""
        if op == "!=":
            return self.true_or_false(ex.Not(self.compare("=", a, b).expr))
        if op in (">", ">="):
            return self.compare({">": "<", ">=": "<="}[op], b, a)
        for null, other in ((a, b), (b, a)):
            if null.known and null.type == ty.NULL:
                return gui_rows.Value(ex.IsNull(other.expr) if op != "<" else FALSE)
        return self.true_or_false(self._compared(op, a, b))

    def _compared(self, op: str, a: gui_rows.Value, b: gui_rows.Value) -> ex.Expr:
        unknown = gui_rows.unknown_call(SYSTEM, op, *_ordered(op, a, b), type_=ty.BOOLEAN).expr
        decided = ex.Compare("<=>", unknown, TRUE)
        comparison = self._of_values(op, a, b)
        if comparison is None:
            return decided
        checks, compared = comparison
        nulls = [ex.IsNull(e) for e in (a.expr, b.expr) if not self.never_null(e)]
        if isinstance(compared, ex.Compare) and op == "=" and nulls and not checks:
            return replace(compared, op="<=>")
        at_null: ex.Expr = ex.And(tuple(nulls)) if len(nulls) == 2 and op != "<" else FALSE
        if checks:
            known: list[tuple[ex.Expr, ex.Expr]] = [(coercion.conjunction(checks), compared)]
            if nulls:
                known.insert(0, (gui_rows.any_of(nulls), at_null))
            return ex.Case(tuple(known), decided)
        present = ex.And((*(ex.Not(null) for null in nulls), compared)) if nulls else compared
        return present if at_null == FALSE else ex.Or((at_null, present))

    def _of_values(
        self, op: str, a: gui_rows.Value, b: gui_rows.Value
    ) -> tuple[list[ex.Expr], ex.Expr] | None:
        """The comparison of values that are not null, and what must hold for it to be known."""
        if not (a.known and b.known):
            return None
        if numbers.is_number(a) and numbers.is_number(b):
            return numbers.compare(op, a, b)
        x, y = _as_date(a.expr, b.type), _as_date(b.expr, a.type)
        if x.type != y.type or x.type not in (ty.STRING, ty.BOOLEAN, ty.DATE, ty.TIMESTAMP_NTZ):
            return None
        if x.type in (ty.STRING, ty.BOOLEAN) and op != "=":
            return None  # texts are in an order of their own
        return case_checks(x, y), ex.Compare(op, x, y)

    # -- choices -------------------------------------------------------------------------------

    def choice(
        self, branches: Sequence[tuple[ex.Expr, gui_rows.Value]], otherwise: gui_rows.Value
    ) -> gui_rows.Value:
        """The value of the first branch whose condition is true."""
        results = [*(value for _, value in branches), otherwise]
        alike = _of_one_type(results)
        if alike is None:
            conditions = [gui_rows.Value(when) for when, _ in branches]
            return gui_rows.unknown_call(SYSTEM, "if", *conditions, *results)
        exprs = [value.expr for value in alike]
        cases = tuple((when, e) for (when, _), e in zip(branches, exprs, strict=False))
        chosen = ex.Case(cases, exprs[-1])
        if all(expr in self.truths or expr in (TRUE, FALSE) for expr in exprs):
            return self.true_or_false(chosen)
        return gui_rows.Value(chosen, all(value.known for value in alike))

    # -- functions -----------------------------------------------------------------------------

    def call(self, name: str, args: Sequence[formulas.Tree]) -> gui_rows.Value:
        """A function: with the meaning of Spark where that is the same, else unknown."""
        if name == "iif" and len(args) == 3:
            when, then, otherwise = args
            return self.choice([(self.truth(when), self.value(then))], self.value(otherwise))
        return self.apply(name, [self.value(a) for a in args])

    def apply(self, name: str, values: Sequence[gui_rows.Value]) -> gui_rows.Value:
        """A function of values."""
        known = FUNCTIONS.get(name)
        result = known(self, values) if known is not None else None
        return result if result is not None else self.unknown(name, values)

    def unknown(self, name: str, values: Sequence[gui_rows.Value]) -> gui_rows.Value:
        """A function that is not looked into."""
        call = gui_rows.unknown_call(SYSTEM, name, *values, type_=RESULTS.get(name))
        return _of_kind(call, KINDS.get(name, Kind.CHOICE if RANDOM.search(name) else Kind.PURE))

    def switch(self, values: Sequence[gui_rows.Value]) -> gui_rows.Value | None:
        """The result beside the first case that equals the value, else the default."""
        if len(values) < 4 or len(values) % 2:
            return None
        sought, default, *cases = values
        pairs = [
            (self.compare("=", sought, when).expr, then)
            for when, then in zip(cases[::2], cases[1::2], strict=True)
        ]
        return self.choice(pairs, default)

    def is_empty(self, values: Sequence[gui_rows.Value]) -> gui_rows.Value | None:
        """Whether a text is null or empty."""
        (value,) = values
        if not value.known or value.type != ty.STRING:
            return None
        empty = ex.Compare("=", value.expr, ex.Literal("", ty.STRING))
        if self.never_null(value.expr):
            return gui_rows.Value(empty)
        return self.true_or_false(ex.Or((ex.IsNull(value.expr), empty)))

    def is_null(self, values: Sequence[gui_rows.Value]) -> gui_rows.Value | None:
        """Whether a value is null."""
        return gui_rows.Value(ex.IsNull(values[0].expr)) if len(values) == 1 else None

    def of_ascii(
        self, function: str, unknown: str, values: Sequence[gui_rows.Value]
    ) -> gui_rows.Value | None:
        """A function of text whose letters are the same in both systems; not of null."""
        if not values or not values[0].known or values[0].type != ty.STRING:
            return None
        result = coercion.call(function, *(v.expr for v in values))
        if isinstance(result.type, ty.IntegralType):
            result = coercion.cast(result, ty.LONG)
        otherwise = gui_rows.unknown_call(SYSTEM, unknown, *values, type_=result.type).expr
        return gui_rows.Value(ex.Case(((is_ascii(values[0].expr), result),), otherwise))

    def part(self, function: str, values: Sequence[gui_rows.Value]) -> gui_rows.Value | None:
        """The first or last characters of a text, as many as a constant says."""
        if len(values) != 2 or not _is_count(values[1].expr):
            return None
        return self.of_ascii(function, function, values)

    def replaced(self, values: Sequence[gui_rows.Value]) -> gui_rows.Value | None:
        """A text with all occurrences of a constant replaced by another one."""
        if len(values) != 3 or not all(v.known and v.type == ty.STRING for v in values):
            return None
        if not all(isinstance(v.expr, ex.Literal) for v in values[1:]) or not _text(values[1]):
            return None
        return self.of_present("replace", values)

    def contained(self, function: str, values: Sequence[gui_rows.Value]) -> gui_rows.Value | None:
        """Whether a text contains a constant; case counts only where a third argument says so."""
        if len(values) != 3 or values[2].expr != ex.Literal(0, values[2].type):
            return None
        text, part, _ = values
        if not all(v.known and v.type == ty.STRING for v in (text, part)) or not _text(part):
            return None
        result = self.of_present(function, (text, part))
        return gui_rows.Value(ex.Compare("<=>", result.expr, TRUE))

    def of_present(self, function: str, values: Sequence[gui_rows.Value]) -> gui_rows.Value:
        """A function that is the same unless its first argument is null."""
        result = coercion.call(function, *(v.expr for v in values))
        if self.never_null(values[0].expr):
            return gui_rows.Value(result)
        otherwise = gui_rows.unknown_call(SYSTEM, function, *values, type_=result.type).expr
        return gui_rows.Value(ex.Case(((ex.Not(ex.IsNull(values[0].expr)), result),), otherwise))

    def to_string(self, values: Sequence[gui_rows.Value]) -> gui_rows.Value | None:
        """A text as it is, a whole number in its digits."""
        if len(values) != 1 or not (numbers.is_whole(values[0]) or _is_text(values[0])):
            return None
        (value,) = values
        result = coercion.cast(value.expr, ty.STRING)
        if self.never_null(value.expr):
            return gui_rows.Value(result)
        otherwise = gui_rows.unknown_call(SYSTEM, "tostring", value, type_=ty.STRING).expr
        return gui_rows.Value(ex.Case(((ex.Not(ex.IsNull(value.expr)), result),), otherwise))


def case_checks(x: ex.Expr, y: ex.Expr) -> list[ex.Expr]:
    """What must hold for it to be known whether two values are equal.

    Whether texts that differ in case alone are equal is told in two ways.
    """
    if x.type != ty.STRING or _has_no_case(x) or _has_no_case(y):
        return []
    equal = ex.Compare("=", x, y)
    return [ex.Or((equal, ex.Not(ex.Compare("=", _lower(x), _lower(y)))))]


def _lower(expr: ex.Expr) -> ex.Expr:
    match expr:
        case ex.Literal(str() as text) if text.isascii():
            return ex.Literal(text.lower(), ty.STRING)
    return coercion.call("lower", expr)


def _has_no_case(expr: ex.Expr) -> bool:
    """Whether it is a constant text, of digits or signs alone, that equals only itself."""
    match expr:
        case ex.Literal(str() as text):
            return text.isascii() and text.lower() == text.upper()
    return False


def _is_unknown(value: gui_rows.Value) -> bool:
    return isinstance(value.expr, ex.OpaqueCall)


def _is_text(value: gui_rows.Value) -> bool:
    return value.known and value.type == ty.STRING


def _text(value: gui_rows.Value) -> str:
    """A constant text; nothing if it is none."""
    if isinstance(value.expr, ex.Literal) and isinstance(value.expr.value, str):
        return value.expr.value
    return ""


def _is_count(expr: ex.Expr) -> bool:
    return isinstance(expr, ex.Literal) and isinstance(expr.value, int) and expr.value >= 0


def _of_kind(value: gui_rows.Value, kind: Kind) -> gui_rows.Value:
    assert isinstance(value.expr, ex.OpaqueCall)
    return replace(value, expr=replace(value.expr, kind=kind))


def _ordered(
    op: str, a: gui_rows.Value, b: gui_rows.Value
) -> tuple[gui_rows.Value, gui_rows.Value]:
    """The sides of an equation in one order, whichever way it is written."""
    return (a, b) if op != "=" or repr(a.expr) <= repr(b.expr) else (b, a)


def _as_date(expr: ex.Expr, other: ty.DataType) -> ex.Expr:
    """A constant text beside a date, which is read as one."""
    match expr:
        case ex.Literal(str() as text) if other == ty.DATE and re.fullmatch(
            r"\d{4}-\d\d-\d\d", text
        ):
            try:
                return ex.Literal(date.fromisoformat(text), ty.DATE)
            except ValueError:
                return expr
    return expr


def _of_one_type(values: Sequence[gui_rows.Value]) -> list[gui_rows.Value] | None:
    """Results of a choice in one type; none if they have none in common."""
    if all(not value.known for value in values):
        return list(values)
    if not all(value.known for value in values):
        return None
    types = {value.type for value in values if value.type != ty.NULL}
    if not types:
        return list(values)
    if len(types) == 1:
        (target,) = types
    elif all(isinstance(t, ty.IntegralType) for t in types):
        target = ty.LONG
    elif all(isinstance(t, ty.IntegralType) or t in (ty.DOUBLE, ty.FLOAT) for t in types):
        target = ty.DOUBLE
    else:
        return None
    return [gui_rows.Value(coercion.implicit(value.expr, target)) for value in values]


Known = Callable[[Meaning, Sequence[gui_rows.Value]], gui_rows.Value | None]
FUNCTIONS: dict[str, Known] = {
    "null": lambda _, values: gui_rows.Value(ex.Literal(None, ty.NULL)) if not values else None,
    "isnull": Meaning.is_null,
    "isempty": lambda m, values: m.is_empty(values) if len(values) == 1 else None,
    "switch": Meaning.switch,
    "uppercase": lambda m, v: m.of_ascii("upper", "uppercase", v) if len(v) == 1 else None,
    "lowercase": lambda m, v: m.of_ascii("lower", "lowercase", v) if len(v) == 1 else None,
    "length": lambda m, v: m.of_ascii("length", "length", v) if len(v) == 1 else None,
    "left": lambda m, v: m.part("left", v),
    "right": lambda m, v: m.part("right", v),
    "replace": Meaning.replaced,
    "contains": lambda m, v: m.contained("contains", v),
    "startswith": lambda m, v: m.contained("startswith", v),
    "endswith": lambda m, v: m.contained("endswith", v),
    "tostring": Meaning.to_string,
}
