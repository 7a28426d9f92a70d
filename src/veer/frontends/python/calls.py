"""What Python functions call: builtins, methods of texts, `re`, `math`, helpers of the project."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import re
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from veer.dataflow.expr import Call, Case, Cast, Compare, InList, Literal
from veer.dataflow.types import BOOLEAN, INT, LONG
from veer.frontends.python.branches import Raised, State, Takes, Tree
from veer.frontends.python.source import Definition, Missing, definition_of
from veer.frontends.python.values import (
    NONE,
    NUMBERS,
    Constant,
    Items,
    NotRead,
    Symbol,
    Value,
    as_float,
    as_int,
    called,
    lifted,
    negated,
    number,
    summed,
)

if TYPE_CHECKING:
    from veer.frontends.python.reading import _Reader

SCALARS = (bool, int, float, str, type(None), date)
MOST_ITEMS = 100
MOST_BITS = 256
LONGEST = 10_000
# Computed while reading when all arguments are constants.
COMPUTED = (
    enumerate, zip, range, sorted, reversed, list, tuple, dict, set, frozenset,
    len, min, max, sum, abs, round, str, int, float, bool, any, all,
)  # fmt: skip
CONSTANT_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        [
            "upper",
            "lower",
            "strip",
            "lstrip",
            "rstrip",
            "title",
            "capitalize",
            "split",
            "join",
            "replace",
            "startswith",
            "endswith",
            "format",
            "zfill",
            "find",
            "count",
            "isdigit",
            "isalpha",
            "isalnum",
            "casefold",
            "removeprefix",
            "removesuffix",
        ]
    ),
    dict: frozenset({"get", "keys", "values", "items"}),
    tuple: frozenset({"index", "count"}),
    list: frozenset({"index", "count"}),
}
UNARY = frozenset(["upper", "lower", "title", "capitalize", "swapcase", "casefold"])
ASKED = frozenset(
    [
        "isdigit",
        "isalpha",
        "isalnum",
        "isnumeric",
        "isdecimal",
        "isspace",
        "isupper",
        "islower",
        "istitle",
    ]
)
STRIPPED = frozenset(["strip", "lstrip", "rstrip"])
FOUND = frozenset(["find", "rfind", "count", "index"])
ENDS = frozenset(["startswith", "endswith"])
REMOVED = frozenset(["removeprefix", "removesuffix"])
MATCHED = frozenset(["match", "search", "fullmatch"])
KINDS = {int: ("int", "bool"), bool: ("bool",), float: ("float",), str: ("str",), date: ("date",)}


# -- constants ---------------------------------------------------------------------------------


def is_scalar(value: Any) -> bool:
    return type(value) in SCALARS


def plain(value: Any) -> Any:
    """The value, if nothing but numbers, texts and collections of such are in it."""
    if is_scalar(value) or type(value) is range:
        return value
    if type(value) in (tuple, list, set, frozenset) and len(value) <= LONGEST:
        for item in value:
            plain(item)
        return value
    if type(value) is dict and len(value) <= LONGEST:
        for key, item in value.items():
            plain(key)
            plain(item)
        return value
    raise NotRead(f"a {type(value).__name__}")


OPERATIONS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def operated(op: ast.operator, a: Any, b: Any) -> Any:
    """`a op b` of constants, of bounded size."""
    plain(a), plain(b)
    if type(op) not in OPERATIONS:
        raise NotRead(f"the operator {type(op).__name__}")
    for side in (a, b):
        if isinstance(side, int) and side.bit_length() > MOST_BITS:
            raise NotRead("a number of too many bits")
        if isinstance(side, str | tuple | list) and len(side) > LONGEST:
            raise NotRead("a constant of too many items")
    sizes = [side for side in (a, b) if isinstance(side, int) and abs(side) > 100]
    if isinstance(op, ast.Pow) and sizes:
        raise NotRead("a power")
    if isinstance(op, ast.Mult) and sizes and not all(isinstance(s, int | float) for s in (a, b)):
        raise NotRead("a repetition")
    if isinstance(op, ast.Mod) and isinstance(a, str):
        raise NotRead("formatting with %")
    return OPERATIONS[type(op)](a, b)


def ordered(sign: str, a: Any, b: Any) -> bool:
    """A comparison of constants."""
    compare = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign]
    return bool(compare(plain(a), plain(b)))


def rounds(value: Value) -> list[Value]:
    """The items a loop or an assignment goes over."""
    if isinstance(value, Items):
        return list(value.items)
    if isinstance(value, Symbol):
        raise NotRead("a loop over a value of the row")
    found = plain(value.value)
    if isinstance(found, set | frozenset) and len(found) > 1:
        raise NotRead("a loop over a set, in no order")
    if found is None or isinstance(found, bool | int | float | date):
        raise NotRead("a loop over no collection")
    return [Constant(item) for item in found]


def module_definition(tree: ast.Module) -> Definition:
    """The last function of a text, among the helpers and constants defined in it."""
    names: dict[str, Any] = {}
    last: ast.FunctionDef | None = None

    def lookup(name: str) -> Any:
        if name in names:
            return names[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise Missing(name)

    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name, decorator_list=[]):
                defaults = tuple(_literal(d) for d in statement.args.defaults)
                keywords = tuple(
                    (a.arg, _literal(d))
                    for a, d in zip(
                        statement.args.kwonlyargs, statement.args.kw_defaults, strict=True
                    )
                    if d is not None
                )
                found: Any = Definition(statement, lookup, defaults, keywords)
                last = statement
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found = _literal(value)
            case ast.Import(names=[ast.alias(name="re" | "math" as name, asname=None)]):
                found = {"re": re, "math": math}[name]
            case ast.Expr(value=ast.Constant()):
                continue
            case _:
                raise NotRead(f"the statement {type(statement).__name__} beside functions")
        if name in names:
            raise NotRead(f"{name!r} is defined twice")
        names[name] = found
    if last is None:
        raise NotRead("no function is defined")
    definition = names[last.name]
    assert isinstance(definition, Definition)
    return definition


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise NotRead("a constant that is computed") from None


# -- calls, attributes, subscripts -------------------------------------------------------------


def follow(reader: _Reader, node: ast.expr, state: State, then: Takes) -> Tree:
    """A call, an attribute or a subscript."""
    match node:
        case ast.Subscript(value=base, slice=ast.Slice() as part):
            return _sliced(reader, base, part, state, then)
        case ast.Subscript(value=base, slice=index):
            return reader.values(
                [base, index], state, lambda vs, s: _item(reader, vs[0], vs[1], s, then)
            )
        case ast.Attribute(value=base, attr=name):
            return reader.value(base, state, lambda v, s: _attribute(reader, v, name, s, then))
        case ast.Call(func=ast.Name(id="any" | "all" as word), args=[made], keywords=[]) if (
            isinstance(made, ast.GeneratorExp | ast.ListComp) and word not in state.names
        ):
            return _quantified(reader, word == "any", made, state, then)
        case ast.Call(func=function, args=args, keywords=keywords):
            if any(isinstance(a, ast.Starred) for a in args) or any(
                k.arg is None for k in keywords
            ):
                raise NotRead("a variable number of arguments")
            names = [str(k.arg) for k in keywords]
            nodes = [*args, *(k.value for k in keywords)]
            if isinstance(function, ast.Attribute):
                return reader.values(
                    [function.value, *nodes],
                    state,
                    lambda vs, s: _method(reader, vs[0], function.attr, vs[1:], names, s, then),
                )
            return reader.values(
                [function, *nodes],
                state,
                lambda vs, s: _called(reader, vs[0], vs[1:], names, s, then),
            )
        case _:
            raise NotRead(f"the expression {type(node).__name__}")


def _quantified(
    reader: _Reader,
    is_any: bool,
    made: ast.GeneratorExp | ast.ListComp,
    state: State,
    then: Takes,
) -> Tree:
    """`any(...)` or `all(...)` over constants, one after the other."""
    if len(made.generators) != 1 or made.generators[0].ifs or made.generators[0].is_async:
        raise NotRead("a comprehension of several parts")
    source, names = made.generators[0], state.names
    if isinstance(made, ast.ListComp):
        raise NotRead("a list of conditions, all of which are computed")

    def over(left: Sequence[Value], s: State) -> Tree:
        if not left:
            return then(Constant(not is_any), s.within(names))
        decided = lambda t: then(Constant(is_any), t.within(names))  # noqa: E731
        going = lambda t: over(left[1:], t.within(names))  # noqa: E731
        yes, no = (decided, going) if is_any else (going, decided)
        return reader.bind(source.target, left[0], s, lambda t: reader.truth(made.elt, t, yes, no))

    return reader.value(source.iter, state, lambda v, s: over(rounds(v), s))


def _attribute(reader: _Reader, base: Value, name: str, state: State, then: Takes) -> Tree:
    if isinstance(base, Constant) and isinstance(base.value, types.ModuleType):
        if not hasattr(base.value, name):
            return Raised()
        return then(Constant(getattr(base.value, name)), state)
    if isinstance(base, Symbol) and base.kind == "date" and name in ("year", "month", "day"):
        return reader.known(
            base,
            state,
            lambda v, s: then(
                replace(
                    Symbol(Cast(Call(name, (lifted(v).expr,), INT), LONG), "int"),
                    low=0,
                    high=9999,
                ),
                s,
            ),
        )
    raise NotRead(f"the attribute {name}")


def _item(reader: _Reader, base: Value, index: Value, state: State, then: Takes) -> Tree:
    """`base[index]`"""
    if isinstance(base, Constant) and isinstance(index, Constant):
        return reader.constant(lambda: plain(base.value)[plain(index.value)], state, then)
    if isinstance(base, Items) and isinstance(index, Constant) and type(index.value) is int:
        if not -len(base.items) <= index.value < len(base.items):
            return Raised()
        return then(base.items[index.value], state)
    if isinstance(base, Constant) and isinstance(base.value, dict):
        return _looked_up(reader, base.value, index, state, then, lambda _: Raised())
    if not isinstance(base, Symbol) or base.kind not in ("str", "texts"):
        raise NotRead("a subscript")
    function = "python.at" if base.kind == "str" else "python.item"
    return _known(
        reader, [base, index], ("str", "texts"), ("int", "bool"), state,
        lambda args, s: then(called(function, "str", args[0], as_int(args[1])), s),
    )  # fmt: skip


def _known(
    reader: _Reader,
    values: Sequence[Value],
    first: tuple[str, ...],
    others: tuple[str, ...],
    state: State,
    then: Callable[[list[Symbol], State], Tree],
) -> Tree:
    """Values that are not None and of the right kinds; Python fails on others."""

    def collect(left: Sequence[Value], made: list[Symbol], s: State) -> Tree:
        if not left:
            return then(made, s)
        return reader.known(left[0], s, lambda v, t: check(v, left[1:], made, t))

    def check(value: Value, left: Sequence[Value], made: list[Symbol], s: State) -> Tree:
        symbol = lifted(value)
        if symbol.kind not in (others if made else first):
            return Raised()
        return collect(left, [*made, symbol], s)

    return collect(values, [], state)


def _sliced(reader: _Reader, base: ast.expr, part: ast.Slice, state: State, then: Takes) -> Tree:
    """`base[i:j]`"""
    ends = [n for n in (part.lower, part.upper) if n is not None]
    step = part.step
    backwards = ast.unparse(step) == "-1" if step is not None else False
    if step is not None and (not backwards or ends):
        raise NotRead("a slice with steps")

    def made(values: list[Value], s: State) -> Tree:
        if all(isinstance(v, Constant) for v in values):
            found = [v.value for v in values if isinstance(v, Constant)]
            low = found[1] if part.lower is not None else None
            high = found[-1] if part.upper is not None else None
            cut = slice(low, high, -1 if backwards else None)
            return reader.constant(lambda: plain(found[0])[cut], s, then)
        function = "reversed" if backwards else ""
        if not function:
            function = {(True, True): "slice", (True, False): "from", (False, True): "until"}.get(
                (part.lower is not None, part.upper is not None), ""
            )
        if not function:
            return then(values[0], s)
        if not isinstance(values[0], Symbol | Constant) or lifted(values[0]).kind == "texts":
            raise NotRead("a slice of a list")
        return _known(
            reader, values, ("str",), ("int",), s,
            lambda args, t: then(called(f"python.{function}", "str", *args), t),
        )  # fmt: skip

    return reader.values([base, *ends], state, made)


def _looked_up(
    reader: _Reader, table: dict[Any, Any], key: Value, state: State, then: Takes, missing: Any
) -> Tree:
    """What a constant dict holds for a key of the row."""
    plain(table)
    if len(table) > MOST_ITEMS:
        raise NotRead("a dict of too many items")

    def over(left: list[tuple[Any, Any]], s: State) -> Tree:
        if not left:
            tree: Tree = missing(s)
            return tree
        (wanted, value), rest = left[0], left[1:]

        def decided(v: Value, t: State) -> Tree:
            assert isinstance(v, Constant)
            return then(Constant(value), t) if v.value else over(rest, t)

        return reader.equal(key, Constant(wanted), s, decided)

    return over(list(table.items()), state)


def contained(reader: _Reader, a: Value, b: Value, state: State, then: Takes, wanted: bool) -> Tree:
    """`a in b`, or `a not in b`."""
    if isinstance(a, Constant) and isinstance(b, Constant):
        return reader.constant(lambda: (plain(a.value) in plain(b.value)) is wanted, state, then)
    if isinstance(b, Symbol) or (isinstance(b, Constant) and isinstance(b.value, str)):
        function = "contains"
        if isinstance(b, Symbol) and b.kind == "texts":
            function = "member"
            if not isinstance(a, Symbol) or a.kind != "str" or a.nullable:
                raise NotRead("a search in a list")
            return reader._said(called("python.member", "bool", a, b).expr, state, then, wanted)
        return _known(
            reader, [b, a], ("str",), ("str",), state,
            lambda args, s: reader._said(
                called(f"python.{function}", "bool", *args).expr, s, then, wanted
            ),
        )  # fmt: skip
    items = rounds(b) if not isinstance(b, Constant) else [Constant(v) for v in _options(b.value)]
    if len(items) > LONGEST:
        raise NotRead("a collection of too many items")
    if isinstance(a, Symbol) and isinstance(b, Constant) and a.kind in ("str", "int"):
        return _listed(
            reader, a, [i.value for i in items if isinstance(i, Constant)], state, then, wanted
        )
    if len(items) > MOST_ITEMS:
        raise NotRead("a collection of too many items")

    def over(left: Sequence[Value], s: State) -> Tree:
        if not left:
            return then(Constant(not wanted), s)

        def decided(v: Value, t: State) -> Tree:
            assert isinstance(v, Constant)
            return then(Constant(wanted), t) if v.value else over(left[1:], t)

        return reader.equal(a, left[0], s, decided)

    return over(items, state)


def _options(value: Any) -> list[Any]:
    found = plain(value)
    if found is None or isinstance(found, bool | int | float | date):
        raise NotRead("a search in no collection")
    return list(found)


def _listed(
    reader: _Reader, a: Symbol, options: list[Any], state: State, then: Takes, wanted: bool
) -> Tree:
    """A text or whole number in a constant collection."""
    if a.kind == "str":
        fitting = [Literal(o, a.expr.type) for o in options if type(o) is str]
    else:
        wholes = [int(o) for o in options if isinstance(o, bool | int | float) and o == o // 1]
        fitting = [number(o) for o in wholes if -(1 << 63) <= o < 1 << 63]
    none = Constant((None in options) is wanted)
    if not fitting:
        return reader.unless_none(
            a, state, lambda s: then(none, s), lambda _, s: then(Constant(not wanted), s)
        )
    unique = tuple(sorted(set(fitting), key=lambda o: repr(o.value)))
    condition = InList(a.expr, unique) if len(unique) > 1 else Compare("=", a.expr, unique[0])
    return reader.unless_none(
        a,
        state,
        lambda s: then(none, s),
        lambda _, s: reader._said(condition, s, then, wanted),
    )


# -- functions ---------------------------------------------------------------------------------


def _called(
    reader: _Reader,
    function: Value,
    args: Sequence[Value],
    names: Sequence[str],
    state: State,
    then: Takes,
) -> Tree:
    """A function applied to values, the last of which have names."""
    if not isinstance(function, Constant):
        raise NotRead("a call of a value of the row")
    callee = function.value
    places = list(args[: len(args) - len(names)])
    named = dict(zip(names, args[len(places) :], strict=True))
    definition = callee if isinstance(callee, Definition) else None
    if definition is None and type(callee) is types.FunctionType and _is_own(callee):
        definition = definition_of(callee)
        if definition is None:
            raise NotRead(f"the source of {callee.__name__} is not to be had")
    if definition is not None:
        return reader.call(definition, places, named, state, then)
    if named:
        raise NotRead("a builtin with named arguments")
    if any(callee is c for c in COMPUTED) and all(isinstance(a, Constant) for a in args):
        values = [plain(a.value) for a in args if isinstance(a, Constant)]
        return reader.constant(lambda: _materialized(callee, values), state, then)
    for known, followed in FUNCTIONS:
        if callee is known:
            return followed(reader, places, state, then)
    raise NotRead(f"a call of {getattr(callee, '__name__', type(callee).__name__)}")


def _is_own(function: types.FunctionType) -> bool:
    return function.__module__ not in ("re", "math")


def _materialized(function: Any, values: list[Any]) -> Any:
    if function is range and any(abs(v) > LONGEST for v in values if isinstance(v, int)):
        raise NotRead("a long range")
    found = function(*values)
    return list(found) if function in (enumerate, zip, reversed) else found


def _one(args: Sequence[Value]) -> Value:
    if len(args) != 1:
        raise NotRead("a builtin with other than one argument")
    return args[0]


def _len(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    value = _one(args)
    if isinstance(value, Items):
        return then(Constant(len(value.items)), state)
    return _known(
        reader, [value], ("str", "texts"), (), state,
        lambda a, s: then(replace(called("python.len", "int", a[0]), low=0, high=1 << 31), s),
    )  # fmt: skip


def _str(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    return reader.text(_one(args), state, then)


def _bool(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    return reader.is_true(
        _one(args),
        state,
        lambda s: then(Constant(True), s),
        lambda s: then(Constant(False), s),
    )


def _int(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    def made(a: list[Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            return then(called("python.trunc", "int", a[0]), s)
        if a[0].kind == "str":
            return then(called("python.int", "int", a[0]), s)
        return then(as_int(a[0]), s)

    return _known(reader, [_one(args)], (*NUMBERS, "str"), (), state, made)


def _float(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    def made(a: list[Symbol], s: State) -> Tree:
        if a[0].kind == "str":
            return then(called("python.float", "float", a[0]), s)
        return then(as_float(a[0]), s)

    return _known(reader, [_one(args)], (*NUMBERS, "str"), (), state, made)


def _abs(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    def made(a: list[Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            return then(called("abs", "float", a[0]), s)
        whole = as_int(a[0])
        turned = Case(((Compare("<", whole.expr, number(0)), negated(whole).expr),), whole.expr)
        found = Symbol(turned, "int")
        if whole.low is not None and whole.high is not None:
            found = replace(found, low=0, high=max(abs(whole.low), abs(whole.high)))
        return then(found, s)

    return _known(reader, [_one(args)], NUMBERS, (), state, made)


def _round(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    if len(args) == 2 and not (isinstance(args[1], Constant) and type(args[1].value) is int):
        raise NotRead("a rounding to a place of the row")

    def made(a: list[Symbol], s: State) -> Tree:
        if a[0].kind == "float":
            if len(a) == 2:
                return then(called("python.round_to", "float", *a), s)
            return then(called("python.round", "int", a[0]), s)
        if len(a) == 2 and (a[1].low is None or a[1].low < 0):
            raise NotRead("a rounding of whole numbers to tens")
        return then(as_int(a[0]), s)

    return _known(reader, args[:2], NUMBERS, ("int",), state, made)


def _extreme(sign: str) -> Callable[[_Reader, Sequence[Value], State, Takes], Tree]:
    """`min` or `max`: an item replaces the best so far if it is better."""

    def followed(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
        items = rounds(args[0]) if len(args) == 1 else list(args)
        if not items:
            return Raised()

        def over(best: Value, left: Sequence[Value], s: State) -> Tree:
            if not left:
                return then(best, s)

            def decided(v: Value, t: State) -> Tree:
                assert isinstance(v, Constant)
                return over(left[0] if v.value else best, left[1:], t)

            return reader.ordered(sign, left[0], best, s, decided)

        return over(items[0], items[1:], state)

    return followed


def _isinstance(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    if len(args) != 2 or not isinstance(args[1], Constant) or isinstance(args[0], Items):
        raise NotRead("isinstance")
    wanted = args[1].value if isinstance(args[1].value, tuple) else (args[1].value,)
    if not all(any(w is k for k in (*KINDS, type(None))) for w in wanted):
        raise NotRead("isinstance of other than plain types")
    value = args[0]
    if isinstance(value, Constant):
        return reader.constant(lambda: isinstance(plain(value.value), wanted), state, then)
    kinds = {kind for w in wanted for kind in KINDS.get(w, ())}
    return reader.unless_none(
        value,
        state,
        lambda s: then(Constant(type(None) in wanted), s),
        lambda v, s: then(Constant(lifted(v).kind in kinds), s),
    )


def _rounded(name: str) -> Callable[[_Reader, Sequence[Value], State, Takes], Tree]:
    def followed(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
        def made(a: list[Symbol], s: State) -> Tree:
            if a[0].kind == "float":
                return then(called(f"python.{name}", "int", a[0]), s)
            return then(as_int(a[0]), s)

        return _known(reader, [_one(args)], NUMBERS, (), state, made)

    return followed


def _isnan(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    return _known(
        reader, [_one(args)], NUMBERS, (), state,
        lambda a, s: reader._said(
            Call("isnan", (as_float(a[0]).expr,), BOOLEAN), s, then, True
        ),
    )  # fmt: skip


def _matched(method: str) -> Callable[[_Reader, Sequence[Value], State, Takes], Tree]:
    def followed(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
        if len(args) not in (2, 3) or not isinstance(args[0], Constant):
            raise NotRead("a regular expression that is not constant")
        pattern = _flagged(args[0].value, args[2:])
        return _known(
            reader, [args[1]], ("str",), (), state,
            lambda a, s: then(_match(method, pattern, a[0]), s),
        )  # fmt: skip

    return followed


def _match(method: str, pattern: str, subject: Symbol) -> Symbol:
    """True, or null for None: what a match is read as."""
    found = called(f"python.re_{method}", "bool", lifted(Constant(pattern)), subject)
    return Symbol(
        Case(((found.expr, Literal(True, BOOLEAN)),), Literal(None, BOOLEAN)), "match", True
    )


def _flagged(pattern: Any, flags: Sequence[Value]) -> str:
    """A pattern with its flags written into it."""
    if isinstance(pattern, re.Pattern):
        if flags or not isinstance(pattern.pattern, str):
            raise NotRead("flags beside a compiled pattern")
        given, pattern = pattern.flags & ~re.UNICODE, pattern.pattern
    else:
        found = flags[0] if flags else Constant(0)
        if not isinstance(pattern, str) or not isinstance(found, Constant):
            raise NotRead("a pattern that is no text")
        given = int(found.value) & ~re.UNICODE
    if not given:
        return str(pattern)
    if given & ~(re.IGNORECASE | re.MULTILINE | re.DOTALL) or pattern.startswith("(?"):
        raise NotRead("flags of a regular expression")
    letters = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"))
    return f"(?{''.join(letter for flag, letter in letters if given & flag)}){pattern}"


def _substituted(reader: _Reader, args: Sequence[Value], state: State, then: Takes) -> Tree:
    if len(args) != 3 or not all(isinstance(a, Constant) for a in args[:2]):
        raise NotRead("a substitution that is not constant")
    pattern, new = (a.value for a in args[:2] if isinstance(a, Constant))
    if not isinstance(new, str):
        raise NotRead("a substitution by a function")
    fixed = [lifted(Constant(_flagged(pattern, ()))), lifted(Constant(new))]
    return _known(
        reader, [args[2]], ("str",), (), state,
        lambda a, s: then(called("python.re_sub", "str", *fixed, a[0]), s),
    )  # fmt: skip


FUNCTIONS: tuple[tuple[Any, Callable[[_Reader, Sequence[Value], State, Takes], Tree]], ...] = (
    (len, _len),
    (str, _str),
    (bool, _bool),
    (int, _int),
    (float, _float),
    (abs, _abs),
    (round, _round),
    (min, _extreme("<")),
    (max, _extreme(">")),
    (isinstance, _isinstance),
    (math.floor, _rounded("floor")),
    (math.ceil, _rounded("ceil")),
    (math.trunc, _rounded("trunc")),
    (math.isnan, _isnan),
    (re.match, _matched("match")),
    (re.search, _matched("search")),
    (re.fullmatch, _matched("fullmatch")),
    (re.sub, _substituted),
)


# -- methods -----------------------------------------------------------------------------------


def _method(
    reader: _Reader,
    base: Value,
    name: str,
    args: Sequence[Value],
    names: Sequence[str],
    state: State,
    then: Takes,
) -> Tree:
    """`base.name(args)`"""
    if isinstance(base, Constant) and isinstance(base.value, types.ModuleType):
        if not hasattr(base.value, name):
            return Raised()
        return _called(reader, Constant(getattr(base.value, name)), args, names, state, then)
    if names:
        raise NotRead("a method with named arguments")
    if isinstance(base, Constant) and isinstance(base.value, re.Pattern):
        if name == "sub" and len(args) == 2:
            return _substituted(reader, [base, *args], state, then)
        if name in MATCHED and len(args) == 1:
            return _matched(name)(reader, [base, *args], state, then)
        raise NotRead(f"the method {name} of a pattern")
    if isinstance(base, Constant) and isinstance(base.value, dict) and name == "get":
        default = args[1] if len(args) > 1 else NONE
        return _looked_up(reader, base.value, args[0], state, then, lambda s: then(default, s))
    if isinstance(base, Constant) and all(isinstance(a, Constant) for a in args):
        if name not in CONSTANT_METHODS.get(type(base.value), frozenset()):
            raise NotRead(f"the method {name}")
        values = [plain(a.value) for a in args if isinstance(a, Constant)]
        found = getattr(plain(base.value), name)
        return reader.constant(lambda: _counted(found(*values)), state, then)
    if isinstance(base, Items):
        raise NotRead(f"the method {name} of a list")
    return reader.known(base, state, lambda v, s: _of_text(reader, lifted(v), name, args, s, then))


def _counted(value: Any) -> Any:
    return value if is_scalar(value) else list(value)


def _of_text(
    reader: _Reader, base: Symbol, name: str, args: Sequence[Value], state: State, then: Takes
) -> Tree:
    """A method of a text."""
    if base.kind != "str":
        raise NotRead(f"the method {name} of a {base.kind}")

    def made(kind: str, *values: Value) -> Tree:
        return _known(
            reader, [base, *values], ("str",), ("str",), state,
            lambda a, s: then(called(f"python.{name}", kind, *a), s),
        )  # fmt: skip

    if name in STRIPPED and list(args) in ([], [NONE]):
        return made("str")
    if name in UNARY and not args:
        return made("str")
    if name in ASKED and not args:
        return reader._said(called(f"python.{name}", "bool", base).expr, state, then, True)
    if name in FOUND and len(args) == 1:
        return made("int", *args)
    if name in STRIPPED | REMOVED and len(args) == 1:
        return made("str", *args)
    if name == "replace" and len(args) == 2:
        return made("str", *args)
    if name in ENDS and len(args) == 1:
        return _ends(reader, base, name, args[0], state, then)
    if name == "zfill" and len(args) == 1:
        return _known(
            reader, [base, *args], ("str",), ("int",), state,
            lambda a, s: then(called("python.zfill", "str", *a), s),
        )  # fmt: skip
    if name == "split" and list(args) in ([], [NONE]):
        return then(called("python.words", "texts", base), state)
    if name == "split" and len(args) == 1:
        return made("texts", *args)
    if name == "join" and len(args) == 1:
        return _joined(reader, base, args[0], state, then)
    raise NotRead(f"the method {name}")


def _ends(
    reader: _Reader, base: Symbol, name: str, wanted: Value, state: State, then: Takes
) -> Tree:
    """`startswith` or `endswith`, of a text or of any of several."""
    options = [wanted]
    if isinstance(wanted, Constant) and isinstance(wanted.value, tuple):
        options = [Constant(v) for v in wanted.value]

    def over(left: Sequence[Value], s: State) -> Tree:
        if not left:
            return then(Constant(False), s)

        def one(a: list[Symbol], t: State) -> Tree:
            found = called(f"python.{name}", "bool", base, a[0]).expr
            return reader.branch(
                found, t, lambda u: then(Constant(True), u), lambda u: over(left[1:], u)
            )

        return _known(reader, [left[0]], ("str",), (), s, one)

    return over(options, state)


def _joined(reader: _Reader, base: Symbol, items: Value, state: State, then: Takes) -> Tree:
    """`base.join(items)`"""
    if isinstance(items, Symbol) and items.kind == "texts":
        return then(called("python.join", "str", base, items), state)
    parts = rounds(items)
    if not parts:
        return then(Constant(""), state)

    def made(a: list[Symbol], s: State) -> Tree:
        found = a[0]
        for part in a[1:]:
            found = summed(summed(found, base), part)
        return then(found, s)

    return _known(reader, parts, ("str",), ("str",), state, made)


def formatted(reader: _Reader, value: Value, spec: str, state: State, then: Takes) -> Tree:
    """A value in an f-string with a format."""
    if any(int(n) > 200 for n in re.findall(r"\d+", spec)):
        raise NotRead("a wide format")
    if isinstance(value, Constant):
        return reader.constant(lambda: format(plain(value.value), spec), state, then)

    def made(v: Value, s: State) -> Tree:
        symbol = lifted(v)
        kind = {"str": "text", "int": "int", "float": "float"}.get(symbol.kind)
        if kind is None:
            raise NotRead(f"a format of a {symbol.kind}")
        return then(called(f"python.format_{kind}", "str", symbol, lifted(Constant(spec))), s)

    return reader.known(value, state, made)


__all__ = [
    "contained",
    "follow",
    "formatted",
    "is_scalar",
    "module_definition",
    "operated",
    "ordered",
    "plain",
    "rounds",
]
