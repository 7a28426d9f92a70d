"""Math Formula and String Manipulation: `($price$ - $cost$) / 2`, `upperCase($name$)`.

Math Formula computes with doubles; its result is missing where a column it reads is, and where it
would be NaN or infinite. Functions that are not modelled are known by their names; those that look at
more than one row leave the node opaque.
"""

from __future__ import annotations

import re
import sys
from typing import Any, final

from lark import Lark, Token, Transformer
from lark.exceptions import LarkError, VisitError

from veer.frontends import coercion
from veer.frontends.gui.reading import Outputs, Step
from veer.frontends.gui.rows import NotModelled, Rows, Value, constant, require, unknown_call
from veer.frontends.knime.cells import NUMBERS, SYSTEM, as_text, cell_type
from veer.frontends.knime.columns import chosen, free_name, model_of
from veer.frontends.knime.config import text
from veer.model.expr import And, Case, Expr, IsNull, Literal, Or
from veer.model.types import BOOLEAN, DOUBLE, INT, LONG, STRING, DataType

MATH_GRAMMAR = r"""
?sum: product
    | sum "+" product -> plus
    | sum "-" product -> minus
?product: sign
    | product "*" sign -> times
    | product "/" sign -> divided
    | product "%" sign -> modulo
?sign: "-" sign -> negative
    | power
?power: atom
    | atom "^" sign -> power
?atom: COLUMN -> column
    | NUMBER -> number
    | NAME "(" [sum ("," sum)*] ")" -> call
    | "(" sum ")"

COLUMN: /\$[^$]+\$/
NUMBER: /(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/
NAME: /[A-Za-z_]\w*/
%import common.WS
%ignore WS
"""
TEXT_GRAMMAR = r"""
?expression: COLUMN -> column
    | STRING -> text
    | NUMBER -> number
    | NAME "(" [expression ("," expression)*] ")" -> call
    | "(" expression ")"

COLUMN: /\$[^$]+\$/
STRING: /"([^"\\]|\\.)*"/
NUMBER: /-?\d+/
NAME: /[A-Za-z_]\w*/
%import common.WS
%ignore WS
"""
MATH = Lark(MATH_GRAMMAR, parser="lalr", start="sum", maybe_placeholders=False)
TEXT = Lark(TEXT_GRAMMAR, parser="lalr", start="expression", maybe_placeholders=False)
LONGEST = 20_000
LARGEST = sys.float_info.max


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Functions of numbers of one row; others (COL_MEAN, ROWINDEX, rand) look further.
OF_NUMBERS = _words(
    "abs sqrt exp ln log log10 log1p pow min max round floor ceil ceiling sin cos tan asin acos"
    " atan atan2 sinh cosh tanh mod signum int sum average binom roundHalfUp"
)
# Functions of texts of one row, and what they give.
OF_TEXTS: dict[str, DataType] = {
    **dict.fromkeys(
        _words(
            "join joinSep replace replaceChars replaceUmlauts regexReplace regexMatcher substr upperCase"
            " lowerCase capitalize uncapitalize strip stripStart stripEnd removeChars removeDuplicates"
            " removeDiacritic reverse padLeft padRight string toEmpty urlEncode urlDecode"
            " md5Checksum xmlEncode"
        ),
        STRING,
    ),
    **dict.fromkeys(
        _words("length indexOf lastIndexOf indexOfChars count countChars compare"), INT
    ),
    "toInt": INT,
    "toDouble": DOUBLE,
    "toLong": LONG,
}
JAVA_TYPES = {
    "java.lang.String": STRING,
    "java.lang.Integer": INT,
    "java.lang.Long": LONG,
    "java.lang.Double": DOUBLE,
}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'"}


@final
class _Maths(Transformer[Token, Any]):
    """From a parsed formula to a double; null stands for what is not finite, too."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self.rows = rows
        self.columns: dict[str, Value] = {}

    def column(self, parts: list[Token]) -> Expr:
        name = str(parts[0])[1:-1]
        value = self.rows.column(name)
        self.columns[name] = value
        if not value.known:
            return unknown_call(SYSTEM, "number", value, type_=DOUBLE).expr
        require(value.type in NUMBERS, f"{name!r} is no number")
        return coercion.implicit(value.expr, DOUBLE)

    def number(self, parts: list[Token]) -> Expr:
        return Literal(float(parts[0]), DOUBLE)

    def plus(self, parts: list[Expr]) -> Expr:
        return coercion.arithmetic("+", *parts)

    def minus(self, parts: list[Expr]) -> Expr:
        return coercion.arithmetic("-", *parts)

    def times(self, parts: list[Expr]) -> Expr:
        return coercion.arithmetic("*", *parts)

    def negative(self, parts: list[Expr]) -> Expr:
        if isinstance(parts[0], Literal):
            return Literal(-parts[0].value, DOUBLE)
        return coercion.call("negative", parts[0])

    def divided(self, parts: list[Expr]) -> Expr:
        """Division by zero is not finite, and neither is what is made of that by + - * /."""
        above, below = parts
        _require_finite(below)
        if isinstance(below, Literal) and below.value != 0:
            return coercion.arithmetic("/", above, below)
        zero = Literal(0.0, DOUBLE)
        is_zero = And(tuple(coercion.compare(op, below, zero) for op in ("<=", ">=")))
        return Case(((is_zero, Literal(None, DOUBLE)),), coercion.arithmetic("/", above, below))

    def modulo(self, parts: list[Expr]) -> Expr:
        return self._unknown("%", parts)

    def power(self, parts: list[Expr]) -> Expr:
        return self._unknown("^", parts)

    def call(self, parts: list[Any]) -> Expr:
        name, *args = parts
        require(str(name) in OF_NUMBERS, f"the function {name}")
        return self._unknown(str(name), args)

    def _unknown(self, name: str, args: list[Expr]) -> Expr:
        for arg in args:
            _require_finite(arg)
        return unknown_call(SYSTEM, name, *(Value(a) for a in args), type_=DOUBLE).expr


def _require_finite(expr: Expr) -> None:
    """Refuse a part that divides where infinite is not the same as missing."""
    if "Case(" in repr(expr):
        raise NotModelled("a quotient inside of a function or divisor")


def read_maths(rows: Rows, formula: str) -> Value:
    """What a mathematical formula gives for a row."""
    reader = _Maths(rows)
    result: Expr = _transformed(MATH, formula, reader)
    unfit: list[Expr] = [IsNull(value.expr) for value in reader.columns.values()]
    # To Spark NaN is greater than any number, so that these are true of all that is not finite.
    unfit += [
        coercion.compare(">", result, Literal(LARGEST, DOUBLE)),
        coercion.compare("<", result, Literal(-LARGEST, DOUBLE)),
    ]
    return Value(Case(((Or(tuple(unfit)), Literal(None, DOUBLE)),), result))


@final
class _Texts(Transformer[Token, Any]):
    """From a parsed manipulation to a value."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self.rows = rows
        self.columns: dict[str, Value] = {}

    def column(self, parts: list[Token]) -> Value:
        name = str(parts[0])[1:-1]
        self.columns[name] = self.rows.column(name)
        return self.columns[name]

    def text(self, parts: list[Token]) -> Value:
        written = str(parts[0])[1:-1]
        return constant(re.sub(r"\\(.)", _escape, written, flags=re.DOTALL), STRING)

    def number(self, parts: list[Token]) -> Value:
        number = int(str(parts[0])[:20])
        require(-(1 << 31) <= number < 1 << 31, "a number that is too large")
        return constant(number, INT)

    def call(self, parts: list[Any]) -> Value:
        name, *args = parts
        type_ = OF_TEXTS.get(str(name))
        if type_ is None:
            raise NotModelled(f"the function {name}")
        return unknown_call(SYSTEM, str(name), *args, type_=type_)


def _escape(found: re.Match[str]) -> str:
    if found[1] not in ESCAPES:
        raise NotModelled("an escape in a text")
    return ESCAPES[found[1]]


def read_text(rows: Rows, formula: str, *, missing_as_null: bool) -> Value:
    """What a manipulation of texts gives for a row; missing if a column it reads is, unless asked."""
    reader = _Texts(rows)
    result: Value = _transformed(TEXT, formula, reader)
    if missing_as_null or not reader.columns:
        return result
    unfit = [IsNull(value.expr) for value in reader.columns.values()]
    any_missing: Expr = unfit[0] if len(unfit) == 1 else Or(tuple(unfit))
    return Value(Case(((any_missing, Literal(None, result.type)),), result.expr), result.known)


def _transformed(parser: Lark, formula: str, reader: Transformer[Token, Any]) -> Any:
    require(len(formula) <= LONGEST, "a formula that is too long")
    require("$$" not in formula, "a formula with flow variables or places of rows")
    try:
        return reader.transform(parser.parse(formula))
    except VisitError as error:
        raise error.orig_exc from None
    except (LarkError, RecursionError):
        raise NotModelled(f"not understood: {formula[:60]!r}") from None


# -- nodes ---------------------------------------------------------------------------------------------


def _placed(step: Step, rows: Rows, value: Value) -> Outputs:
    """The table with a value; what the settings call `append_column` says that one is replaced."""
    model = model_of(step)
    name, replaces = text(model, "replaced_column"), model.get("append_column")
    require(isinstance(replaces, bool), "neither appended nor replaced")
    if replaces is not True:
        return {"1": rows.with_columns({free_name(rows, name): value})}
    rows.column(name)
    return {"1": rows.with_columns({name: value})}


def compute(step: Step) -> Outputs:
    """Math Formula."""
    model, rows = model_of(step), step.input("1")
    value = read_maths(rows, text(model, "expression"))
    if model.get("convert_to_int") is True:
        value = unknown_call(SYSTEM, "whole number", value, type_=INT)
    return _placed(step, rows, value)


def manipulate(step: Step) -> Outputs:
    """String Manipulation."""
    model, rows = model_of(step), step.input("1")
    value = read_text(
        rows,
        text(model, "expression"),
        missing_as_null=model.get("insert_missing_as_null") is True,
    )
    returned = model.get("return_type")
    as_it_is = value.known and JAVA_TYPES.get(str(returned)) == value.type
    require(returned is None or as_it_is, f"what it gives is made a {returned}")
    return _placed(step, rows, value)


def parse_numbers(step: Step) -> Outputs:
    """String to Number: what text is which number is for KNIME to say."""
    model, rows = model_of(step), step.input("1")
    type_ = cell_type(text(model, "parse_type", "cell_class"))
    if type_ not in (INT, LONG, DOUBLE):
        raise NotModelled("numbers of another type")
    settings = sorted((key, value) for key, value in model.items() if key != "include")
    how = ", ".join(f"{key} {value!r}" for key, value in settings)
    changed: dict[str, Value] = {}
    for name in chosen(rows, model.get("include")):
        value = rows.column(name)
        if value.known and value.type != STRING:
            continue
        require(value.known, "a column of unknown type")
        changed[name] = unknown_call(SYSTEM, f"number ({how})", value, type_=type_)
    return {"1": rows.with_columns(changed) if changed else rows}


def write_numbers(step: Step) -> Outputs:
    """Number to String."""
    model, rows = model_of(step), step.input("1")
    changed: dict[str, Value] = {}
    for name in chosen(rows, model.get("include")):
        value = rows.column(name)
        require(value.known, "a column of unknown type")
        if value.type in NUMBERS or value.type == BOOLEAN:
            require(value.type != BOOLEAN, "a truth value as a number")
            changed[name] = as_text(value)
    return {"1": rows.with_columns(changed) if changed else rows}
