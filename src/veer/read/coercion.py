"""Building expressions the way Spark does: implicit casts inserted, special forms spelled out.

Front ends call these with whatever the user wrote; what comes back is typed and needs no
further cast, or `IllFormedError` says what does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import assert_never

from veer.errors import IllFormedError, UnsupportedError
from veer.facts.determinism import require_repeatable
from veer.facts.run_times import require_plain
from veer.functions import registry, sessions, typing
from veer.functions.arithmetic import EXACT
from veer.functions.casts import holds_decimals, keeps_values
from veer.functions.traits import Coercion, Shown
from veer.functions.zone_rules import UTC_ZONE
from veer.ir import conditions, expr as ex, types as ty
from veer.ir.types import NULL
from veer.ir.walk import parts
from veer.read import zoned_expressions
from veer.settings import SPARK_4_0, SPARK_4_1, SPARK_4_2, current

INTERVALS = (ty.DayTimeIntervalType, ty.YearMonthIntervalType)


def cast(expr: ex.Expr, type_: ty.DataType, mode: ty.CastMode | None = None) -> ex.Expr:
    """The expression as a value of the type; itself if it is one already.

    Without a mode the cast is one of the session in which is read.
    """
    if expr.type == type_:
        return expr
    if not (can_cast_in_session if mode is None else can_cast)(expr.type, type_):
        raise IllFormedError(f"cannot cast {expr.type} to {type_}")
    if isinstance(expr, ex.Literal) and expr.value is None:
        return ex.Literal(None, type_)
    meant, zone = mode or sessions.cast_meaning(expr.type, type_), current().zone
    if zone != UTC_ZONE and not zoned_expressions.is_zoneless(expr.type, type_):
        return require_plain(zoned_expressions.zoned_cast(expr, type_, meant, zone))
    return require_plain(ex.Cast(expr, type_, meant))


def implicit(expr: ex.Expr, type_: ty.DataType) -> ex.Expr:
    """The cast Spark inserts by itself; integer constants take a wider type directly."""
    if (
        isinstance(expr, ex.Literal)
        and isinstance(expr.type, ty.IntegralType)
        and isinstance(expr.value, int)
    ):
        if isinstance(type_, ty.DecimalType):
            # Exact, however many digits: Python's default context would round at 28 of them.
            exact = Decimal(expr.value).quantize(Decimal(1).scaleb(-type_.scale), context=EXACT)
            return ex.Literal(exact, type_)
        if isinstance(type_, ty.IntegralType):
            return ex.Literal(expr.value, type_)
        if str(type_) == "double":
            return ex.Literal(float(expr.value), type_)
    return cast(expr, type_)


def can_cast(given: ty.DataType, target: ty.DataType) -> bool:
    """Whether an explicit ANSI cast between the types exists."""
    match given, target:
        case (ty.NullType(), _):
            return True
        case _ if given == target:
            return True
        case (ty.ArrayType(a), ty.ArrayType(b)):
            return can_cast(a, b)
        case (ty.MapType(), ty.MapType()):
            return can_cast(given.key, target.key) and can_cast(given.value, target.value)
        case (ty.StructType(a), ty.StructType(b)):
            return len(a) == len(b) and all(
                can_cast(x, y) for (_, x), (_, y) in zip(a, b, strict=True)
            )
        case (_, ty.StringType()):
            return True
    groups = (  # types, and those they are cast to
        (ty.StringType, object),
        (ty.NumericType, (ty.NumericType, type(ty.BOOLEAN), type(ty.TIMESTAMP))),
        (type(ty.BOOLEAN), ty.NumericType),
        (type(ty.DATE), tuple(type(t) for t in typing.DATETIMES)),
        (type(ty.TIMESTAMP), (ty.NumericType, *(type(t) for t in typing.DATETIMES))),
        (type(typing.DATETIMES[1]), tuple(type(t) for t in typing.DATETIMES)),
        (ty.DayTimeIntervalType, ty.DayTimeIntervalType),
        (ty.YearMonthIntervalType, ty.YearMonthIntervalType),
    )
    atomic = not isinstance(target, ty.ArrayType | ty.MapType | ty.StructType)
    return atomic and any(
        isinstance(given, source) and isinstance(target, targets) for source, targets in groups
    )


def can_cast_in_session(given: ty.DataType, target: ty.DataType) -> bool:
    """Whether a cast that says no mode exists in the session in which is read."""
    if current().ansi:
        return can_cast(given, target)
    match given, target:
        case ty.ArrayType(a), ty.ArrayType(b):
            return can_cast_in_session(a, b)
        case ty.MapType(), ty.MapType():
            keys = can_cast_in_session(given.key, target.key) and keeps_values(
                given.key, target.key
            )
            return keys and can_cast_in_session(given.value, target.value)
        case ty.StructType(a), ty.StructType(b):
            pairs = zip(a, b, strict=False)
            return len(a) == len(b) and all(can_cast_in_session(x, y) for (_, x), (_, y) in pairs)
        case _:
            return can_cast(given, target) or _could_once_cast(given, target)


def _could_once_cast(given: ty.DataType, target: ty.DataType) -> bool:
    """Whether a cast exists without ANSI alone."""
    match given, target:
        case ty.DateType(), ty.NumericType() | ty.BooleanType():
            return True
        case (ty.TimestampType(), ty.BooleanType()) | (ty.BooleanType(), ty.TimestampType()):
            return True
        case _:
            return isinstance(given, ty.IntegralType) and isinstance(target, ty.BinaryType)


# -- calls -------------------------------------------------------------------------------------


def call(name: str, *args: ex.Expr) -> ex.Expr:
    """A scalar function applied to arguments, which are cast as its typing rule says."""
    function = registry.canonical_name(name)
    if function in ABBREVIATIONS:
        return ABBREVIATIONS[function](*args)
    coercion = registry.scalar_function(function).coercion
    match coercion:
        case Coercion.ONE_STEP:
            return plain_call(function, *args)
        case Coercion.DIVISION:
            return divide(function, *args)
        case Coercion.ATTEMPT:
            return attempt(function, *args)
        case _:
            assert_never(coercion)


def plain_call(function: str, *args: ex.Expr) -> ex.Expr:
    """A function of exactly that name applied to arguments, each cast in one step."""
    entry = registry.scalar_function(function)
    resolved = entry.resolve(ex.arguments(args))
    coerced = tuple(implicit(a, t) for a, t in zip(args, resolved.arguments, strict=True))
    shown = leave_out_defaults(entry.shown, coerced)
    called, settings = ex.Call(function, shown, resolved.result), current()
    if sessions.is_opaque_under(settings, function):
        return ex.OpaqueCall(settings.identity(function), shown, resolved.result)
    meant = meant_call(called, resolved.arguments, legacy=not settings.ansi)
    return (
        meant
        if settings.zone == UTC_ZONE
        else require_plain(zoned_expressions.zoned_call(meant, settings.zone))
    )


def meant_call(call: ex.Call, types: Sequence[ty.DataType], *, legacy: bool) -> ex.Call:
    """What a call means in the session that is read, which may be one without ANSI; in UTC."""
    settings = current()
    if call.function == "map" and settings.last_key_wins:
        _check_keys(call.args)
    meant = sessions.function_in(settings.spark, call.function, [a.type for a in call.args])
    same = meant != call.function or sessions.keeps_meaning_without_ansi(settings, call.function)
    if legacy and not same:
        meant = sessions.legacy_function(call.function, types, call.type)
    return call if meant == call.function else replace(call, function=meant)


def _check_keys(args: Sequence[ex.Expr]) -> None:
    """Refuse a map that may be given a key twice, where that does not fail but the last one wins.

    Which value it has then depends on the optimizer: of `map(1, a, 1, b)[1]` Spark makes `a`, though
    the last should win, and of `size(map(1, a, 1, b))` two.
    """
    keys = args[::2]
    values = {key.value for key in keys if isinstance(key, ex.Literal)}
    if len(keys) > 1 and len(values) < len(keys):
        raise UnsupportedError(
            "map with keys that may be equal, under spark.sql.mapKeyDedupPolicy=LAST_WIN"
        )


def leave_out_defaults(shown: Shown, args: tuple[ex.Expr, ...]) -> tuple[ex.Expr, ...]:
    """The arguments without the last ones that only say what holds without them.

    `split(s, ',', -1)` and `split(s, ',')` are one call: Spark fills in what is not written.
    """
    while len(args) > shown.least and 0 < len(args) - shown.least <= len(shown.defaults):
        last, default = args[-1], shown.defaults[len(args) - shown.least - 1]
        if not isinstance(last, ex.Literal) or _constant_text(last) != default:
            break
        args = args[:-1]
    return args


def _constant_text(literal: ex.Literal) -> str:
    if literal.value is None:
        return "NULL"
    return str(literal.value).lower() if isinstance(literal.value, bool) else str(literal.value)


def _constant_or_cast(expr: ex.Expr, type_: ty.DataType) -> ex.Expr:
    """An argument of an aggregate as Spark casts it; a decimal constant becomes a double one."""
    if isinstance(expr, ex.Literal) and isinstance(expr.value, Decimal) and type_ == ty.DOUBLE:
        return ex.Literal(float(expr.value), ty.DOUBLE)
    return implicit(expr, type_)


def aggregate_call(
    name: str, args: Sequence[ex.Expr], *, distinct: bool = False, where: ex.Expr | None = None
) -> ex.AggregateCall:
    """An aggregate function applied to arguments."""
    function = registry.canonical_name(name)
    if distinct and any(ty.holds_map(a.type) for a in args):
        raise UnsupportedError(
            f"{function} of DISTINCT maps: the order of their keys is not modelled"
        )
    args = _numbers_of_moments(function, args)
    resolved = registry.aggregate_function(function).resolve(ex.arguments(tuple(args)))
    coerced = tuple(_constant_or_cast(a, t) for a, t in zip(args, resolved.arguments, strict=True))
    coerced = leave_out_defaults(registry.aggregate_function(function).shown, coerced)
    meant = sessions.aggregate_meaning(function, resolved.arguments, resolved.result)
    if current().zone != UTC_ZONE:
        zoned_expressions.require_zoneless(function, resolved.arguments, current().zone)
    return ex.AggregateCall(meant, coerced, resolved.result, distinct, where)


def _numbers_of_moments(function: str, args: Sequence[ex.Expr]) -> Sequence[ex.Expr]:
    """Without ANSI timestamps are added as seconds."""
    if current().ansi or function not in ("sum", "avg"):
        return args
    return [cast(a, ty.DOUBLE) if a.type == ty.TIMESTAMP else a for a in args]


def over_call(
    name: str,
    args: Sequence[ex.Expr],
    partition: Sequence[ex.Expr] = (),
    order: Sequence[ex.SortKey] = (),
    frame: ex.Frame | None = None,
    *,
    ignore_nulls: bool = False,
    where: ex.Expr | None = None,
) -> ex.OverCall:
    """A window function; without a frame, Spark's default: up to the current peers, or all rows."""
    function = registry.canonical_name(name)
    if where is not None and current().spark < SPARK_4_2:
        raise IllFormedError(
            f"Spark {current().spark} has no FILTER over a window; it came with {SPARK_4_2}"
        )
    args = _numbers_of_moments(function, args)
    resolved = registry.over_function(function).resolve(ex.arguments(tuple(args)))
    coerced = tuple(_constant_or_cast(a, t) for a, t in zip(args, resolved.arguments, strict=True))
    if function == "median" and (order or frame is not None):
        raise IllFormedError("median: neither ORDER BY nor a frame may stand in its window")
    if function == "mode" and coerced[1:] != (ex.Literal(True, ty.BOOLEAN),):
        raise UnsupportedError("mode over a window: Spark may give any of the most frequent values")
    default = ex.Frame("range", None, 0) if order else ex.Frame("rows", None, None)
    meant = sessions.aggregate_meaning(function, resolved.arguments, resolved.result)
    if current().zone != UTC_ZONE:
        zoned_expressions.require_zoneless(function, resolved.arguments, current().zone)
        zoned_expressions.require_zoneless_frame(order, frame, current().zone)
    return ex.OverCall(
        meant,
        leave_out_defaults(registry.over_function(function).shown, coerced),
        resolved.result,
        tuple(partition),
        tuple(order),
        frame or default,
        ignore_nulls,
        where,
    )


# -- operators ---------------------------------------------------------------------------------


def arithmetic(op: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """`left op right` for + and -, which also move dates, and for * / % div."""
    a, b = left.type, right.type
    if op in ("+", "-"):
        if (
            not current().ansi
            and ty.STRING in (a, b)
            and isinstance(b if a == ty.STRING else a, INTERVALS)
        ):
            raise UnsupportedError("text and an interval in a session without ANSI")
        if a in typing.DATETIMES and isinstance(b, INTERVALS):
            delta = right if op == "+" else call("negative", right)
            return call("add_interval", left, delta)
        if b in typing.DATETIMES and isinstance(a, INTERVALS) and op == "+":
            return call("add_interval", right, left)
        if (
            current().spark < SPARK_4_1
            and ty.DATE in (a, b)
            and (b == NULL or (a == NULL and op == "+"))
        ):
            return ex.Literal(None, ty.DATE)
        if op == "+" and {a, b} in ({ty.DATE, NULL}, {ty.TIMESTAMP, NULL}):
            return ex.Literal(None, ty.TIMESTAMP)
        if op == "+" and {a, b} == {ty.TIMESTAMP_NTZ, NULL}:
            return ex.Literal(None, ty.TIMESTAMP_NTZ)
        if a == ty.DATE and isinstance(b, ty.IntegralType):
            return call("date_add" if op == "+" else "date_sub", left, right)
        if b == ty.DATE and isinstance(a, ty.IntegralType) and op == "+":
            return call("date_add", right, left)
        if op == "-" and (a in typing.DATETIMES or b in typing.DATETIMES):
            if ty.STRING in (a, b) and not current().ansi:
                raise UnsupportedError("text in a difference of dates in a session without ANSI")
            if {a, b} == {ty.TIMESTAMP, ty.TIMESTAMP_NTZ}:  # what clocks show is compared
                left, right = cast(left, ty.TIMESTAMP_NTZ), cast(right, ty.TIMESTAMP_NTZ)
            wanted = a if a in typing.DATETIMES else b
            return call("subtract_moments", *(implicit_moment(e, wanted) for e in (left, right)))
    return call(op, left, right)


def divide(function: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """Division: under ANSI text beside an integer is read as an integer first, then made a double."""
    beside = {type(left.type), type(right.type)}
    if not current().ansi and beside == {ty.NullType, ty.DecimalType}:
        # Always null, of a type that depends on which of Spark's rules comes first.
        raise UnsupportedError("NULL divided by a decimal, or a decimal by NULL")
    if current().ansi and (left.type == ty.STRING) != (right.type == ty.STRING):
        type_ = typing.common_type(ex.arguments((left, right)))
        left, right = (implicit(e, type_) if e.type == ty.STRING else e for e in (left, right))
    return plain_call(function, left, right)


def attempt(function: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """TRY_ADD and its like: on numbers only overflow gives null, else any failure inside does."""
    if not all(isinstance(e.type, ty.NumericType) for e in (left, right)):
        if not all(isinstance(e, ex.Column | ex.OuterColumn | ex.Literal) for e in (left, right)):
            raise UnsupportedError(f"{function} of computed values that are not numbers")
        if any(e.type in typing.DATETIMES or isinstance(e.type, INTERVALS) for e in (left, right)):
            raise UnsupportedError(f"{function} of dates, timestamps or intervals")
        type_ = typing.common_type(ex.arguments((left, right)))
        left, right = (
            cast(e, type_, ty.CastMode.TRY)
            if e.type == ty.STRING and not isinstance(e, ex.Literal)
            else e
            for e in (left, right)
        )
    if any(isinstance(e.type, ty.DecimalType) for e in (left, right)):
        constants = (
            e.arg if isinstance(e, ex.Cast) else e for e in (left, right) if e.type != ty.INT
        )
        if any(
            isinstance(c, ex.Literal) and isinstance(c.type, ty.IntegralType) for c in constants
        ):
            # Spark takes just the digits of a constant, of which nobody knows here how it was written.
            raise UnsupportedError(
                f"{function} of a decimal and an integer constant of another type"
            )
    return plain_call(function, left, right)


def implicit_moment(expr: ex.Expr, type_: ty.DataType) -> ex.Expr:
    """Text or NULL beside a moment is read as one."""
    return cast(expr, type_) if isinstance(expr.type, ty.StringType | ty.NullType) else expr


def compare(op: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """`left op right`, both sides cast to their common type."""
    if op in ("!=", "<>"):
        # As in Spark, where != is no operator of its own: null where = is null.
        return ex.Not(compare("=", left, right))
    if not current().ansi and _is_truth_beside_number(left, right):
        return _compare_truth(op, left, right)
    if op not in ("=", "<=>") and (_is_beyond(left, right) or _is_beyond(right, left)):
        # Spark takes it for true or false beforehand, also where the integer is null.
        raise UnsupportedError("an integer compared with a decimal that no integer reaches")
    type_ = comparison_type(ex.arguments((left, right)))
    return ex.Compare(op, implicit(left, type_), implicit(right, type_))


def _is_beyond(one: ex.Expr, other: ex.Expr) -> bool:
    """Whether an integer is beside a decimal constant that no integer reaches."""
    if not isinstance(one.type, ty.IntegralType) or not isinstance(other, ex.Literal):
        return False
    return isinstance(other.value, Decimal) and not -(1 << 63) <= other.value <= (1 << 63) - 1


def is_truth_by_number(left: ex.Expr, right: ex.Expr) -> bool:
    """Whether without ANSI a boolean is compared with a constant number: Spark shows `p = 1` as `p`."""
    constant = any(
        isinstance(e, ex.Literal) and isinstance(e.type, ty.NumericType) for e in (left, right)
    )
    return constant and not current().ansi and _is_truth_beside_number(left, right)


def _is_truth_beside_number(left: ex.Expr, right: ex.Expr) -> bool:
    pairs = ((left.type, right.type), (right.type, left.type))
    return any(a == ty.BOOLEAN and isinstance(b, ty.NumericType) for a, b in pairs)


def _compare_truth(op: str, left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """A boolean equal to a number, without ANSI: true is 1, in the type of the number."""
    if op not in ("=", "<=>"):
        raise IllFormedError(f"{left.type} {op} {right.type}: no common type")
    number = right.type if left.type == ty.BOOLEAN else left.type
    if isinstance(number, ty.DecimalType) and number.precision == number.scale:
        raise UnsupportedError(f"a truth value compared with a {number}, which cannot hold 1")
    return ex.Compare(op, cast(left, number), cast(right, number))


def comparison_type(args: Sequence[registry.Argument]) -> ty.DataType:
    """The type two operands are compared in; an integer constant takes just its own digits."""
    a, b = args
    if not current().ansi:
        return _legacy_comparison_type(a, b)
    for x, y in ((a, b), (b, a)):
        if isinstance(x.type, ty.DecimalType) and isinstance(y.type, ty.IntegralType):
            return typing.wider_decimal(x.type, typing.decimal_of(y))
    return typing.common_type(args)


def _legacy_comparison_type(a: registry.Argument, b: registry.Argument) -> ty.DataType:
    """Without ANSI: text becomes what it is compared with, beside a decimal with a fraction a double."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x.type, ty.StringType) and isinstance(y.type, ty.AtomicType):
            whole = current().spark >= SPARK_4_0  # whether text may be read as a whole decimal
            if isinstance(y.type, ty.DecimalType) and (y.type.scale > 0 or not whole):
                return ty.DOUBLE
            if not isinstance(y.type, (ty.StringType, *INTERVALS)):
                return y.type
        if isinstance(x.type, ty.DecimalType) and isinstance(y.type, ty.IntegralType):
            return typing.wider_decimal(x.type, typing.decimal_of(y))
    nested = isinstance(a.type, ty.ArrayType | ty.StructType) and a.type != b.type
    if nested and (holds_decimals(a.type) or holds_decimals(b.type)):
        raise UnsupportedError(f"{a.type} compared with {b.type} in a session without ANSI")
    return typing.common_type((a, b), promote=False)


def in_list(arg: ex.Expr, options: Sequence[ex.Expr]) -> ex.Expr:
    """`arg IN (options)`."""
    if not options:
        return in_nothing(arg)
    type_ = typing.common_type(ex.arguments((arg, *options)))
    return ex.InList(implicit(arg, type_), tuple(implicit(o, type_) for o in options))


def in_nothing(arg: ex.Expr) -> ex.Expr:
    """`arg IN ()`, as `isin([])` gives it: false; null for null without ANSI and before Spark 4.0."""
    never = ex.Literal(False, ty.BOOLEAN)
    if current().ansi and current().spark >= SPARK_4_0:
        return never
    return ex.Case(((ex.IsNull(arg), ex.Literal(None, ty.BOOLEAN)),), never)


def check_sought(args: Sequence[ex.Expr]) -> None:
    """Refuse a constant that may be null before IN with a subquery, where Spark differs.

    Under ANSI since 4.0 it is never in nothing; else the optimizer makes it null beforehand.
    """
    if current().ansi and current().spark >= SPARK_4_0:
        return
    for arg in args:
        known = isinstance(arg, ex.Literal) and arg.value is not None
        if not known and not any(isinstance(p, ex.Column | ex.OuterColumn) for p in parts(arg)):
            raise UnsupportedError("a constant that may be null before IN with a subquery")


def conjunction(args: Sequence[ex.Expr]) -> ex.Expr:
    """AND of any number of conditions; true if there are none."""
    # It is AND that casts text to boolean; a condition alone stays what it is.
    return conditions.conjunction([truth(arg) if len(args) > 1 else arg for arg in args])


def disjunction(args: Sequence[ex.Expr]) -> ex.Expr:
    """OR of several conditions."""
    return conditions.disjunction([truth(arg) if len(args) > 1 else arg for arg in args])


def truth(expr: ex.Expr) -> ex.Expr:
    """A condition: boolean as it is, NULL cast, and under ANSI text."""
    if isinstance(expr.type, ty.NullType) or (
        isinstance(expr.type, ty.StringType) and current().ansi
    ):
        return cast(expr, ty.BOOLEAN)
    return expr


def negation(expr: ex.Expr) -> ex.Expr:
    """NOT."""
    return ex.Not(truth(expr))


def case(branches: Sequence[tuple[ex.Expr, ex.Expr]], otherwise: ex.Expr | None) -> ex.Expr:
    """CASE, its results cast to their common type."""
    last = otherwise if otherwise is not None else ex.Literal(None, NULL)
    results = (*(then for _, then in branches), last)
    type_ = typing.common_type(ex.arguments(results))
    return ex.Case(
        tuple((_condition(when), implicit(then, type_)) for when, then in branches),
        implicit(last, type_),
    )


def _condition(when: ex.Expr) -> ex.Expr:
    """What stands after WHEN: unlike in AND and NOT, text is not cast."""
    return cast(when, ty.BOOLEAN) if when.type == NULL else when


def null_if(left: ex.Expr, right: ex.Expr) -> ex.Expr:
    """NULL where both are equal, else `left`."""
    # `left` is evaluated twice, and a random value could differ between the two.
    require_repeatable(left, "NULLIF")
    return case([(compare("=", left, right), ex.Literal(None, left.type))], left)


def second_if_present(arg: ex.Expr, present: ex.Expr, absent: ex.Expr) -> ex.Expr:
    """NVL2."""
    return case([(ex.Not(ex.IsNull(arg)), present)], absent)


def as_text(expr: ex.Expr) -> ex.Expr:
    """The cast to text that functions of text insert for atomic values."""
    return implicit(expr, typing.cast_to(ex.arguments((expr,))[0], ty.STRING, 1))


def to_date(text: ex.Expr, pattern: ex.Expr | None = None) -> ex.Expr:
    """TO_DATE: a cast, unless a pattern says how to read."""
    if text.type in typing.DATETIMES:
        return cast(text, ty.DATE)
    if pattern is None:
        return cast(as_text(text), ty.DATE)
    return call("to_date_by", text, pattern)


def to_timestamp(text: ex.Expr, pattern: ex.Expr | None = None) -> ex.Expr:
    """TO_TIMESTAMP, like `to_date`."""
    if text.type in typing.DATETIMES:
        return cast(text, ty.TIMESTAMP)
    if pattern is None:
        return cast(text if isinstance(text.type, ty.NumericType) else as_text(text), ty.TIMESTAMP)
    return call("to_timestamp_by", text, pattern)


def struct(*args: ex.Expr) -> ex.Expr:
    """STRUCT(a, b): fields named after columns, else col1, col2."""
    parts: list[ex.Expr] = []
    for index, arg in enumerate(args, 1):
        name = getattr(arg, "name", None) or f"col{index}"
        parts += [ex.Literal(name, ty.STRING), arg]
    return call("named_struct", *parts)


# Names of SQL that are no functions of their own but stand for expressions.
ABBREVIATIONS: dict[str, Callable[..., ex.Expr]] = {
    "nvl": lambda a, b: call("coalesce", a, b),
    "ifnull": lambda a, b: call("coalesce", a, b),
    "nvl2": second_if_present,
    "nullif": null_if,
    "if": lambda c, a, b: case([(c, a)], b),
    "iff": lambda c, a, b: case([(c, a)], b),
    "isnull": lambda a: ex.IsNull(a),
    "isnotnull": lambda a: ex.Not(ex.IsNull(a)),
    "to_date": to_date,
    "date": lambda a: cast(a, ty.DATE),
    "to_timestamp": to_timestamp,
    "struct": struct,
    "equal_null": lambda a, b: compare("<=>", a, b),
    "zeroifnull": lambda a: call("coalesce", a, ex.Literal(0, ty.INT)),
    "nullifzero": lambda a: null_if(a, ex.Literal(0, ty.INT)),
    "string": lambda a: cast(a, ty.STRING),
    "int": lambda a: cast(a, ty.INT),
    "not": negation,
}
