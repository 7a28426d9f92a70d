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

from veer.gui import rows as gui_rows
from veer.gui.knime.cells import NUMBERS, SYSTEM, as_text, cell_type
from veer.gui.knime.columns import chosen, free_name, model_of
from veer.gui.knime.config import text
from veer.gui.reading import Outputs, Step
from veer.ir import expr as ex, types as ty
from veer.read import coercion

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
OF_TEXTS: dict[str, ty.DataType] = {
    **dict.fromkeys(
        _words(
            "join joinSep replace replaceChars replaceUmlauts regexReplace regexMatcher substr upperCase"
            " lowerCase capitalize uncapitalize strip stripStart stripEnd removeChars removeDuplicates"
            " removeDiacritic reverse padLeft padRight string toEmpty urlEncode urlDecode"
            " md5Checksum xmlEncode"
        ),
        ty.STRING,
    ),
    **dict.fromkeys(
        _words("length indexOf lastIndexOf indexOfChars count countChars compare"), ty.INT
    ),
    "toInt": ty.INT,
    "toDouble": ty.DOUBLE,
    "toLong": ty.LONG,
}
JAVA_TYPES = {
    "java.lang.String": ty.STRING,
    "java.lang.Integer": ty.INT,
    "java.lang.Long": ty.LONG,
    "java.lang.Double": ty.DOUBLE,
}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'"}


@final
class _Maths(Transformer[Token, Any]):
    """From a parsed formula to a double; null stands for what is not finite, too."""

    def __init__(self, rows: gui_rows.Rows) -> None:
        super().__init__()
        self.rows = rows
        self.columns: dict[str, gui_rows.Value] = {}

    def column(self, parts: list[Token]) -> ex.Expr:
        name = str(parts[0])[1:-1]
        value = self.rows.column(name)
        self.columns[name] = value
        if not value.known:
            return gui_rows.unknown_call(SYSTEM, "number", value, type_=ty.DOUBLE).expr
        gui_rows.require(value.type in NUMBERS, f"{name!r} is not a number")
        return coercion.implicit(value.expr, ty.DOUBLE)

    def number(self, parts: list[Token]) -> ex.Expr:
        return ex.Literal(float(parts[0]), ty.DOUBLE)

    def plus(self, parts: list[ex.Expr]) -> ex.Expr:
        return coercion.arithmetic("+", *parts)

    def minus(self, parts: list[ex.Expr]) -> ex.Expr:
        return coercion.arithmetic("-", *parts)

    def times(self, parts: list[ex.Expr]) -> ex.Expr:
        return coercion.arithmetic("*", *parts)

    def negative(self, parts: list[ex.Expr]) -> ex.Expr:
        if isinstance(parts[0], ex.Literal):
            return ex.Literal(-parts[0].value, ty.DOUBLE)
        return coercion.call("negative", parts[0])

    def divided(self, parts: list[ex.Expr]) -> ex.Expr:
        """Division by zero is not finite, and neither is what is made of that by + - * /."""
        above, below = parts
        _require_finite(below)
        if isinstance(below, ex.Literal) and below.value != 0:
            return coercion.arithmetic("/", above, below)
        zero = ex.Literal(0.0, ty.DOUBLE)
        is_zero = ex.And(tuple(coercion.compare(op, below, zero) for op in ("<=", ">=")))
        return ex.Case(
            ((is_zero, ex.Literal(None, ty.DOUBLE)),), coercion.arithmetic("/", above, below)
        )

    def modulo(self, parts: list[ex.Expr]) -> ex.Expr:
        return self._unknown("%", parts)

    def power(self, parts: list[ex.Expr]) -> ex.Expr:
        return self._unknown("^", parts)

    def call(self, parts: list[Any]) -> ex.Expr:
        name, *args = parts
        gui_rows.require(str(name) in OF_NUMBERS, f"the function {name}")
        return self._unknown(str(name), args)

    def _unknown(self, name: str, args: list[ex.Expr]) -> ex.Expr:
        for arg in args:
            _require_finite(arg)
        return gui_rows.unknown_call(
            SYSTEM, name, *(gui_rows.Value(a) for a in args), type_=ty.DOUBLE
        ).expr


def _require_finite(expr: ex.Expr) -> None:
    """Refuse a part that divides where infinite is not the same as missing."""
    if "Case(" in repr(expr):
        raise gui_rows.NotModelled("a quotient inside of a function or divisor")


def read_maths(rows: gui_rows.Rows, formula: str) -> gui_rows.Value:
    """What a mathematical formula gives for a row."""
    reader = _Maths(rows)
    result: ex.Expr = _transformed(MATH, formula, reader)
    unfit: list[ex.Expr] = [ex.IsNull(value.expr) for value in reader.columns.values()]
    # To Spark NaN is greater than any number, so that these are true of all that is not finite.
    unfit += [
        coercion.compare(">", result, ex.Literal(LARGEST, ty.DOUBLE)),
        coercion.compare("<", result, ex.Literal(-LARGEST, ty.DOUBLE)),
    ]
    return gui_rows.Value(ex.Case(((ex.Or(tuple(unfit)), ex.Literal(None, ty.DOUBLE)),), result))


@final
class _Texts(Transformer[Token, Any]):
    """From a parsed manipulation to a value."""

    def __init__(self, rows: gui_rows.Rows) -> None:
        super().__init__()
        self.rows = rows
        self.columns: dict[str, gui_rows.Value] = {}

    def column(self, parts: list[Token]) -> gui_rows.Value:
        name = str(parts[0])[1:-1]
        self.columns[name] = self.rows.column(name)
        return self.columns[name]

    def text(self, parts: list[Token]) -> gui_rows.Value:
        written = str(parts[0])[1:-1]
        return gui_rows.constant(re.sub(r"\\(.)", _escape, written, flags=re.DOTALL), ty.STRING)

    def number(self, parts: list[Token]) -> gui_rows.Value:
        number = int(str(parts[0])[:20])
        gui_rows.require(-(1 << 31) <= number < 1 << 31, "a number that is too large")
        return gui_rows.constant(number, ty.INT)

    def call(self, parts: list[Any]) -> gui_rows.Value:
        name, *args = parts
        type_ = OF_TEXTS.get(str(name))
        if type_ is None:
            raise gui_rows.NotModelled(f"the function {name}")
        return gui_rows.unknown_call(SYSTEM, str(name), *args, type_=type_)


def _escape(found: re.Match[str]) -> str:
    if found[1] not in ESCAPES:
        raise gui_rows.NotModelled("an escape in a text")
    return ESCAPES[found[1]]


def read_text(rows: gui_rows.Rows, formula: str, *, missing_as_null: bool) -> gui_rows.Value:
    """What a manipulation of texts gives for a row; missing if a column it reads is, unless asked."""
    reader = _Texts(rows)
    result: gui_rows.Value = _transformed(TEXT, formula, reader)
    if missing_as_null or not reader.columns:
        return result
    unfit = [ex.IsNull(value.expr) for value in reader.columns.values()]
    any_missing: ex.Expr = unfit[0] if len(unfit) == 1 else ex.Or(tuple(unfit))
    return gui_rows.Value(
        ex.Case(((any_missing, ex.Literal(None, result.type)),), result.expr), result.known
    )


def _transformed(parser: Lark, formula: str, reader: Transformer[Token, Any]) -> Any:
    gui_rows.require(len(formula) <= LONGEST, "a formula that is too long")
    gui_rows.require("$$" not in formula, "a formula with flow variables or places of rows")
    try:
        return reader.transform(parser.parse(formula))
    except VisitError as error:
        raise error.orig_exc from None
    except (LarkError, RecursionError):
        raise gui_rows.NotModelled(f"not understood: {formula[:60]!r}") from None


# -- nodes ---------------------------------------------------------------------------------------------


def _placed(step: Step, rows: gui_rows.Rows, value: gui_rows.Value) -> Outputs:
    """The table with a value; what the settings call `append_column` says that one is replaced."""
    model = model_of(step)
    name, replaces = text(model, "replaced_column"), model.get("append_column")
    gui_rows.require(isinstance(replaces, bool), "neither appended nor replaced")
    if replaces is not True:
        return {"1": rows.with_columns({free_name(rows, name): value})}
    rows.column(name)
    return {"1": rows.with_columns({name: value})}


def compute(step: Step) -> Outputs:
    """Math Formula."""
    model, rows = model_of(step), step.input("1")
    value = read_maths(rows, text(model, "expression"))
    if model.get("convert_to_int") is True:
        value = gui_rows.unknown_call(SYSTEM, "whole number", value, type_=ty.INT)
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
    gui_rows.require(returned is None or as_it_is, f"what it gives is made a {returned}")
    return _placed(step, rows, value)


def parse_numbers(step: Step) -> Outputs:
    """String to Number: what text is which number is for KNIME to say."""
    model, rows = model_of(step), step.input("1")
    type_ = cell_type(text(model, "parse_type", "cell_class"))
    if type_ not in (ty.INT, ty.LONG, ty.DOUBLE):
        raise gui_rows.NotModelled("numbers of another type")
    settings = sorted((key, value) for key, value in model.items() if key != "include")
    how = ", ".join(f"{key} {value!r}" for key, value in settings)
    changed: dict[str, gui_rows.Value] = {}
    for name in chosen(rows, model.get("include")):
        value = rows.column(name)
        if value.known and value.type != ty.STRING:
            continue
        gui_rows.require(value.known, "a column of unknown type")
        changed[name] = gui_rows.unknown_call(SYSTEM, f"number ({how})", value, type_=type_)
    return {"1": rows.with_columns(changed) if changed else rows}


def write_numbers(step: Step) -> Outputs:
    """Number to String."""
    model, rows = model_of(step), step.input("1")
    changed: dict[str, gui_rows.Value] = {}
    for name in chosen(rows, model.get("include")):
        value = rows.column(name)
        gui_rows.require(value.known, "a column of unknown type")
        if value.type in NUMBERS or value.type == ty.BOOLEAN:
            gui_rows.require(value.type != ty.BOOLEAN, "a truth value as a number")
            changed[name] = as_text(value)
    return {"1": rows.with_columns(changed) if changed else rows}
