"""Building expressions the way Spark does: implicit casts inserted, special forms spelled out.

Front ends call these with whatever the user wrote; what comes back is typed and needs no
further cast, or `IllFormedError` says what does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import assert_never

from veer.analysis.determinism import require_repeatable
from veer.analysis.run_times import require_plain
from veer.errors import IllFormedError, UnsupportedError
from veer.frontends.zoned import (
    is_zoneless,
    require_zoneless,
    require_zoneless_frame,
    zoned_call,
    zoned_cast,
)
from veer.functions.arithmetic import EXACT
from veer.functions.casts import holds_decimals, keeps_values
from veer.functions.registry import (
    Argument,
    aggregate_function,
    canonical_name,
    over_function,
    scalar_function,
)
from veer.functions.sessions import (
    aggregate_meaning,
    cast_meaning,
    function_in,
    is_opaque_under,
    keeps_meaning_without_ansi,
    legacy_function,
)
from veer.functions.traits import Coercion, Shown
from veer.functions.typing import (
    DATETIMES,
    cast_to,
    common_type,
    decimal_of,
    wider_decimal,
)
from veer.functions.zone_rules import UTC_ZONE
from veer.model import conditions
from veer.model.expr import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Expr,
    Frame,
    InList,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    OuterColumn,
    OverCall,
    SortKey,
    arguments,
)
from veer.model.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    AtomicType,
    BinaryType,
    BooleanType,
    CastMode,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    IntegralType,
    MapType,
    NullType,
    NumericType,
    StringType,
    StructType,
    TimestampType,
    YearMonthIntervalType,
    holds_map,
)
from veer.model.walk import parts
from veer.settings import SPARK_4_0, SPARK_4_1, SPARK_4_2, current

INTERVALS = (DayTimeIntervalType, YearMonthIntervalType)


def cast(expr: Expr, type_: DataType, mode: CastMode | None = None) -> Expr:
    """The expression as a value of the type; itself if it is one already.

    Without a mode the cast is one of the session in which is read.
    """
    if expr.type == type_:
        return expr
    if not (can_cast_in_session if mode is None else can_cast)(expr.type, type_):
        raise IllFormedError(f"cannot cast {expr.type} to {type_}")
    if isinstance(expr, Literal) and expr.value is None:
        return Literal(None, type_)
    meant, zone = mode or cast_meaning(expr.type, type_), current().zone
    if zone != UTC_ZONE and not is_zoneless(expr.type, type_):
        return require_plain(zoned_cast(expr, type_, meant, zone))
    return require_plain(Cast(expr, type_, meant))


def implicit(expr: Expr, type_: DataType) -> Expr:
    """The cast Spark inserts by itself; integer constants take a wider type directly."""
    if (
        isinstance(expr, Literal)
        and isinstance(expr.type, IntegralType)
        and isinstance(expr.value, int)
    ):
        if isinstance(type_, DecimalType):
            # Exact, however many digits: Python's default context would round at 28 of them.
            exact = Decimal(expr.value).quantize(Decimal(1).scaleb(-type_.scale), context=EXACT)
            return Literal(exact, type_)
        if isinstance(type_, IntegralType):
            return Literal(expr.value, type_)
        if str(type_) == "double":
            return Literal(float(expr.value), type_)
    return cast(expr, type_)


def can_cast(given: DataType, target: DataType) -> bool:
    """Whether an explicit ANSI cast between the types exists."""
    match given, target:
        case (NullType(), _):
            return True
        case _ if given == target:
            return True
        case (ArrayType(a), ArrayType(b)):
            return can_cast(a, b)
        case (MapType(), MapType()):
            return can_cast(given.key, target.key) and can_cast(given.value, target.value)
        case (StructType(a), StructType(b)):
            return len(a) == len(b) and all(
                can_cast(x, y) for (_, x), (_, y) in zip(a, b, strict=True)
            )
        case (_, StringType()):
            return True
    groups = (  # types, and those they are cast to
        (StringType, object),
        (NumericType, (NumericType, type(BOOLEAN), type(TIMESTAMP))),
        (type(BOOLEAN), NumericType),
        (type(DATE), tuple(type(t) for t in DATETIMES)),
        (type(TIMESTAMP), (NumericType, *(type(t) for t in DATETIMES))),
        (type(DATETIMES[1]), tuple(type(t) for t in DATETIMES)),
        (DayTimeIntervalType, DayTimeIntervalType),
        (YearMonthIntervalType, YearMonthIntervalType),
    )
    atomic = not isinstance(target, ArrayType | MapType | StructType)
    return atomic and any(
        isinstance(given, source) and isinstance(target, targets) for source, targets in groups
    )


def can_cast_in_session(given: DataType, target: DataType) -> bool:
    """Whether a cast that says no mode exists in the session in which is read."""
    if current().ansi:
        return can_cast(given, target)
    match given, target:
        case ArrayType(a), ArrayType(b):
            return can_cast_in_session(a, b)
        case MapType(), MapType():
            keys = can_cast_in_session(given.key, target.key) and keeps_values(
                given.key, target.key
            )
            return keys and can_cast_in_session(given.value, target.value)
        case StructType(a), StructType(b):
            pairs = zip(a, b, strict=False)
            return len(a) == len(b) and all(can_cast_in_session(x, y) for (_, x), (_, y) in pairs)
        case _:
            return can_cast(given, target) or _could_once_cast(given, target)


def _could_once_cast(given: DataType, target: DataType) -> bool:
    """Whether a cast exists without ANSI alone."""
    match given, target:
        case DateType(), NumericType() | BooleanType():
            return True
        case (TimestampType(), BooleanType()) | (BooleanType(), TimestampType()):
            return True
        case _:
            return isinstance(given, IntegralType) and isinstance(target, BinaryType)


# -- calls -------------------------------------------------------------------------------------


def call(name: str, *args: Expr) -> Expr:
    """A scalar function applied to arguments, which are cast as its typing rule says."""
    function = canonical_name(name)
    if function in ABBREVIATIONS:
        return ABBREVIATIONS[function](*args)
    coercion = scalar_function(function).coercion
    match coercion:
        case Coercion.ONE_STEP:
            return plain_call(function, *args)
        case Coercion.DIVISION:
            return divide(function, *args)
        case Coercion.ATTEMPT:
            return attempt(function, *args)
        case _:
            assert_never(coercion)


def plain_call(function: str, *args: Expr) -> Expr:
    """A function of exactly that name applied to arguments, each cast in one step."""
    entry = scalar_function(function)
    resolved = entry.resolve(arguments(args))
    coerced = tuple(implicit(a, t) for a, t in zip(args, resolved.arguments, strict=True))
    shown = leave_out_defaults(entry.shown, coerced)
    called, settings = Call(function, shown, resolved.result), current()
    if is_opaque_under(settings, function):
        return OpaqueCall(settings.identity(function), shown, resolved.result)
    meant = meant_call(called, resolved.arguments, legacy=not settings.ansi)
    return meant if settings.zone == UTC_ZONE else require_plain(zoned_call(meant, settings.zone))


def meant_call(call: Call, types: Sequence[DataType], *, legacy: bool) -> Call:
    """What a call means in the session that is read, which may be one without ANSI; in UTC."""
    settings = current()
    if call.function == "map" and settings.last_key_wins:
        _check_keys(call.args)
    meant = function_in(settings.spark, call.function, [a.type for a in call.args])
    same = meant != call.function or keeps_meaning_without_ansi(settings, call.function)
    if legacy and not same:
        meant = legacy_function(call.function, types, call.type)
    return call if meant == call.function else replace(call, function=meant)


def _check_keys(args: Sequence[Expr]) -> None:
    """Refuse a map that may be given a key twice, where that does not fail but the last one wins.

    Which value it has then depends on the optimizer: of `map(1, a, 1, b)[1]` Spark makes `a`, though
    the last should win, and of `size(map(1, a, 1, b))` two.
    """
    keys = args[::2]
    values = {key.value for key in keys if isinstance(key, Literal)}
    if len(keys) > 1 and len(values) < len(keys):
        raise UnsupportedError(
            "map with keys that may be equal, under spark.sql.mapKeyDedupPolicy=LAST_WIN"
        )


def leave_out_defaults(shown: Shown, args: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The arguments without the last ones that only say what holds without them.

    `split(s, ',', -1)` and `split(s, ',')` are one call: Spark fills in what is not written.
    """
    while len(args) > shown.least and 0 < len(args) - shown.least <= len(shown.defaults):
        last, default = args[-1], shown.defaults[len(args) - shown.least - 1]
        if not isinstance(last, Literal) or _constant_text(last) != default:
            break
        args = args[:-1]
    return args


def _constant_text(literal: Literal) -> str:
    if literal.value is None:
        return "NULL"
    return str(literal.value).lower() if isinstance(literal.value, bool) else str(literal.value)


def _constant_or_cast(expr: Expr, type_: DataType) -> Expr:
    """An argument of an aggregate as Spark casts it; a decimal constant becomes a double one."""
    if isinstance(expr, Literal) and isinstance(expr.value, Decimal) and type_ == DOUBLE:
        return Literal(float(expr.value), DOUBLE)
    return implicit(expr, type_)


def aggregate_call(
    name: str, args: Sequence[Expr], *, distinct: bool = False, where: Expr | None = None
) -> AggregateCall:
    """An aggregate function applied to arguments."""
    function = canonical_name(name)
    if distinct and any(holds_map(a.type) for a in args):
        raise UnsupportedError(
            f"{function} of DISTINCT maps, of which the order of keys is left out"
        )
    args = _numbers_of_moments(function, args)
    resolved = aggregate_function(function).resolve(arguments(tuple(args)))
    coerced = tuple(_constant_or_cast(a, t) for a, t in zip(args, resolved.arguments, strict=True))
    coerced = leave_out_defaults(aggregate_function(function).shown, coerced)
    meant = aggregate_meaning(function, resolved.arguments, resolved.result)
    if current().zone != UTC_ZONE:
        require_zoneless(function, resolved.arguments, current().zone)
    return AggregateCall(meant, coerced, resolved.result, distinct, where)


def _numbers_of_moments(function: str, args: Sequence[Expr]) -> Sequence[Expr]:
    """Without ANSI timestamps are added as seconds."""
    if current().ansi or function not in ("sum", "avg"):
        return args
    return [cast(a, DOUBLE) if a.type == TIMESTAMP else a for a in args]


def over_call(
    name: str,
    args: Sequence[Expr],
    partition: Sequence[Expr] = (),
    order: Sequence[SortKey] = (),
    frame: Frame | None = None,
    *,
    ignore_nulls: bool = False,
    where: Expr | None = None,
) -> OverCall:
    """A window function; without a frame, Spark's default: up to the current peers, or all rows."""
    function = canonical_name(name)
    if where is not None and current().spark < SPARK_4_2:
        raise IllFormedError(
            f"Spark {current().spark} has no FILTER over a window; it came with {SPARK_4_2}"
        )
    args = _numbers_of_moments(function, args)
    resolved = over_function(function).resolve(arguments(tuple(args)))
    coerced = tuple(_constant_or_cast(a, t) for a, t in zip(args, resolved.arguments, strict=True))
    if function == "median" and (order or frame is not None):
        raise IllFormedError("median: neither ORDER BY nor a frame may stand in its window")
    if function == "mode" and coerced[1:] != (Literal(True, BOOLEAN),):
        raise UnsupportedError("mode over a window, where which of tied values it gives is unknown")
    default = Frame("range", None, 0) if order else Frame("rows", None, None)
    meant = aggregate_meaning(function, resolved.arguments, resolved.result)
    if current().zone != UTC_ZONE:
        require_zoneless(function, resolved.arguments, current().zone)
        require_zoneless_frame(order, frame, current().zone)
    return OverCall(
        meant,
        leave_out_defaults(over_function(function).shown, coerced),
        resolved.result,
        tuple(partition),
        tuple(order),
        frame or default,
        ignore_nulls,
        where,
    )


# -- operators ---------------------------------------------------------------------------------


def arithmetic(op: str, left: Expr, right: Expr) -> Expr:
    """`left op right` for + and -, which also move dates, and for * / % div."""
    a, b = left.type, right.type
    if op in ("+", "-"):
        if (
            not current().ansi
            and STRING in (a, b)
            and isinstance(b if a == STRING else a, INTERVALS)
        ):
            raise UnsupportedError("text and an interval in a session without ANSI")
        if a in DATETIMES and isinstance(b, INTERVALS):
            delta = right if op == "+" else call("negative", right)
            return call("add_interval", left, delta)
        if b in DATETIMES and isinstance(a, INTERVALS) and op == "+":
            return call("add_interval", right, left)
        if (
            current().spark < SPARK_4_1
            and DATE in (a, b)
            and (b == NULL or (a == NULL and op == "+"))
        ):
            return Literal(None, DATE)
        if op == "+" and {a, b} in ({DATE, NULL}, {TIMESTAMP, NULL}):
            return Literal(None, TIMESTAMP)
        if op == "+" and {a, b} == {TIMESTAMP_NTZ, NULL}:
            return Literal(None, TIMESTAMP_NTZ)
        if a == DATE and isinstance(b, IntegralType):
            return call("date_add" if op == "+" else "date_sub", left, right)
        if b == DATE and isinstance(a, IntegralType) and op == "+":
            return call("date_add", right, left)
        if op == "-" and (a in DATETIMES or b in DATETIMES):
            if STRING in (a, b) and not current().ansi:
                raise UnsupportedError("text in a difference of dates in a session without ANSI")
            if {a, b} == {TIMESTAMP, TIMESTAMP_NTZ}:  # what clocks show is compared
                left, right = cast(left, TIMESTAMP_NTZ), cast(right, TIMESTAMP_NTZ)
            wanted = a if a in DATETIMES else b
            return call("subtract_moments", *(implicit_moment(e, wanted) for e in (left, right)))
    return call(op, left, right)


def divide(function: str, left: Expr, right: Expr) -> Expr:
    """Division: under ANSI text beside an integer is read as an integer first, then made a double."""
    beside = {type(left.type), type(right.type)}
    if not current().ansi and beside == {NullType, DecimalType}:
        # Always null, of a type that depends on which of Spark's rules comes first.
        raise UnsupportedError("NULL divided by a decimal, or a decimal by NULL")
    if current().ansi and (left.type == STRING) != (right.type == STRING):
        type_ = common_type(arguments((left, right)))
        left, right = (implicit(e, type_) if e.type == STRING else e for e in (left, right))
    return plain_call(function, left, right)


def attempt(function: str, left: Expr, right: Expr) -> Expr:
    """TRY_ADD and its like: on numbers only overflow gives null, else any failure inside does."""
    if not all(isinstance(e.type, NumericType) for e in (left, right)):
        if not all(isinstance(e, Column | OuterColumn | Literal) for e in (left, right)):
            raise UnsupportedError(f"{function} of computed values that are no numbers")
        if any(e.type in DATETIMES or isinstance(e.type, INTERVALS) for e in (left, right)):
            raise UnsupportedError(f"{function} of dates, timestamps or intervals")
        type_ = common_type(arguments((left, right)))
        left, right = (
            cast(e, type_, CastMode.TRY) if e.type == STRING and not isinstance(e, Literal) else e
            for e in (left, right)
        )
    if any(isinstance(e.type, DecimalType) for e in (left, right)):
        constants = (e.arg if isinstance(e, Cast) else e for e in (left, right) if e.type != INT)
        if any(isinstance(c, Literal) and isinstance(c.type, IntegralType) for c in constants):
            # Spark takes just the digits of a constant, of which nobody knows here how it was written.
            raise UnsupportedError(
                f"{function} of a decimal and an integer constant of another type"
            )
    return plain_call(function, left, right)


def implicit_moment(expr: Expr, type_: DataType) -> Expr:
    """Text or NULL beside a moment is read as one."""
    return cast(expr, type_) if isinstance(expr.type, StringType | NullType) else expr


def compare(op: str, left: Expr, right: Expr) -> Expr:
    """`left op right`, both sides cast to their common type."""
    if op in ("!=", "<>"):
        # As in Spark, where != is no operator of its own: null where = is null.
        return Not(compare("=", left, right))
    if not current().ansi and _is_truth_beside_number(left, right):
        return _compare_truth(op, left, right)
    if op not in ("=", "<=>") and (_is_beyond(left, right) or _is_beyond(right, left)):
        # Spark takes it for true or false beforehand, also where the integer is null.
        raise UnsupportedError("an integer compared with a decimal beyond all integers")
    type_ = comparison_type(arguments((left, right)))
    return Compare(op, implicit(left, type_), implicit(right, type_))


def _is_beyond(one: Expr, other: Expr) -> bool:
    """Whether an integer is beside a decimal constant that no integer reaches."""
    if not isinstance(one.type, IntegralType) or not isinstance(other, Literal):
        return False
    return isinstance(other.value, Decimal) and not -(1 << 63) <= other.value <= (1 << 63) - 1


def is_truth_by_number(left: Expr, right: Expr) -> bool:
    """Whether without ANSI a boolean is compared with a constant number: Spark shows `p = 1` as `p`."""
    constant = any(
        isinstance(e, Literal) and isinstance(e.type, NumericType) for e in (left, right)
    )
    return constant and not current().ansi and _is_truth_beside_number(left, right)


def _is_truth_beside_number(left: Expr, right: Expr) -> bool:
    pairs = ((left.type, right.type), (right.type, left.type))
    return any(a == BOOLEAN and isinstance(b, NumericType) for a, b in pairs)


def _compare_truth(op: str, left: Expr, right: Expr) -> Expr:
    """A boolean equal to a number, without ANSI: true is 1, in the type of the number."""
    if op not in ("=", "<=>"):
        raise IllFormedError(f"{left.type} {op} {right.type}: no common type")
    number = right.type if left.type == BOOLEAN else left.type
    if isinstance(number, DecimalType) and number.precision == number.scale:
        raise UnsupportedError(f"a truth value compared with a {number}, which cannot hold 1")
    return Compare(op, cast(left, number), cast(right, number))


def comparison_type(args: Sequence[Argument]) -> DataType:
    """The type two operands are compared in; an integer constant takes just its own digits."""
    a, b = args
    if not current().ansi:
        return _legacy_comparison_type(a, b)
    for x, y in ((a, b), (b, a)):
        if isinstance(x.type, DecimalType) and isinstance(y.type, IntegralType):
            return wider_decimal(x.type, decimal_of(y))
    return common_type(args)


def _legacy_comparison_type(a: Argument, b: Argument) -> DataType:
    """Without ANSI: text becomes what it is compared with, beside a decimal with a fraction a double."""
    for x, y in ((a, b), (b, a)):
        if isinstance(x.type, StringType) and isinstance(y.type, AtomicType):
            whole = current().spark >= SPARK_4_0  # whether text may be read as a whole decimal
            if isinstance(y.type, DecimalType) and (y.type.scale > 0 or not whole):
                return DOUBLE
            if not isinstance(y.type, (StringType, *INTERVALS)):
                return y.type
        if isinstance(x.type, DecimalType) and isinstance(y.type, IntegralType):
            return wider_decimal(x.type, decimal_of(y))
    nested = isinstance(a.type, ArrayType | StructType) and a.type != b.type
    if nested and (holds_decimals(a.type) or holds_decimals(b.type)):
        raise UnsupportedError(f"{a.type} compared with {b.type} in a session without ANSI")
    return common_type((a, b), promote=False)


def in_list(arg: Expr, options: Sequence[Expr]) -> Expr:
    """`arg IN (options)`."""
    if not options:
        return in_nothing(arg)
    type_ = common_type(arguments((arg, *options)))
    return InList(implicit(arg, type_), tuple(implicit(o, type_) for o in options))


def in_nothing(arg: Expr) -> Expr:
    """`arg IN ()`, as `isin([])` gives it: false; null for null without ANSI and before Spark 4.0."""
    never = Literal(False, BOOLEAN)
    if current().ansi and current().spark >= SPARK_4_0:
        return never
    return Case(((IsNull(arg), Literal(None, BOOLEAN)),), never)


def check_sought(args: Sequence[Expr]) -> None:
    """Refuse a constant that may be null before IN with a subquery, where Spark differs.

    Under ANSI since 4.0 it is never in nothing; else the optimizer makes it null beforehand.
    """
    if current().ansi and current().spark >= SPARK_4_0:
        return
    for arg in args:
        known = isinstance(arg, Literal) and arg.value is not None
        if not known and not any(isinstance(p, Column | OuterColumn) for p in parts(arg)):
            raise UnsupportedError("a constant that may be null before IN with a subquery")


def conjunction(args: Sequence[Expr]) -> Expr:
    """AND of any number of conditions; true if there are none."""
    # It is AND that casts text to boolean; a condition alone stays what it is.
    return conditions.conjunction([truth(arg) if len(args) > 1 else arg for arg in args])


def disjunction(args: Sequence[Expr]) -> Expr:
    """OR of several conditions."""
    return conditions.disjunction([truth(arg) if len(args) > 1 else arg for arg in args])


def truth(expr: Expr) -> Expr:
    """A condition: boolean as it is, NULL cast, and under ANSI text."""
    if isinstance(expr.type, NullType) or (isinstance(expr.type, StringType) and current().ansi):
        return cast(expr, BOOLEAN)
    return expr


def negation(expr: Expr) -> Expr:
    """NOT."""
    return Not(truth(expr))


def case(branches: Sequence[tuple[Expr, Expr]], otherwise: Expr | None) -> Expr:
    """CASE, its results cast to their common type."""
    last = otherwise if otherwise is not None else Literal(None, NULL)
    results = (*(then for _, then in branches), last)
    type_ = common_type(arguments(results))
    return Case(
        tuple((_condition(when), implicit(then, type_)) for when, then in branches),
        implicit(last, type_),
    )


def _condition(when: Expr) -> Expr:
    """What stands after WHEN: unlike in AND and NOT, text is not cast."""
    return cast(when, BOOLEAN) if when.type == NULL else when


def null_if(left: Expr, right: Expr) -> Expr:
    """NULL where both are equal, else `left`."""
    # `left` is evaluated twice, and a random value could differ between the two.
    require_repeatable(left, "NULLIF")
    return case([(compare("=", left, right), Literal(None, left.type))], left)


def second_if_present(arg: Expr, present: Expr, absent: Expr) -> Expr:
    """NVL2."""
    return case([(Not(IsNull(arg)), present)], absent)


def as_text(expr: Expr) -> Expr:
    """The cast to text that functions of text insert for atomic values."""
    return implicit(expr, cast_to(arguments((expr,))[0], STRING, 1))


def to_date(text: Expr, pattern: Expr | None = None) -> Expr:
    """TO_DATE: a cast, unless a pattern says how to read."""
    if text.type in DATETIMES:
        return cast(text, DATE)
    if pattern is None:
        return cast(as_text(text), DATE)
    return call("to_date_by", text, pattern)


def to_timestamp(text: Expr, pattern: Expr | None = None) -> Expr:
    """TO_TIMESTAMP, like `to_date`."""
    if text.type in DATETIMES:
        return cast(text, TIMESTAMP)
    if pattern is None:
        return cast(text if isinstance(text.type, NumericType) else as_text(text), TIMESTAMP)
    return call("to_timestamp_by", text, pattern)


def struct(*args: Expr) -> Expr:
    """STRUCT(a, b): fields named after columns, else col1, col2."""
    parts: list[Expr] = []
    for index, arg in enumerate(args, 1):
        name = getattr(arg, "name", None) or f"col{index}"
        parts += [Literal(name, STRING), arg]
    return call("named_struct", *parts)


# Names of SQL that are no functions of their own but stand for expressions.
ABBREVIATIONS: dict[str, Callable[..., Expr]] = {
    "nvl": lambda a, b: call("coalesce", a, b),
    "ifnull": lambda a, b: call("coalesce", a, b),
    "nvl2": second_if_present,
    "nullif": null_if,
    "if": lambda c, a, b: case([(c, a)], b),
    "iff": lambda c, a, b: case([(c, a)], b),
    "isnull": lambda a: IsNull(a),
    "isnotnull": lambda a: Not(IsNull(a)),
    "to_date": to_date,
    "date": lambda a: cast(a, DATE),
    "to_timestamp": to_timestamp,
    "struct": struct,
    "equal_null": lambda a, b: compare("<=>", a, b),
    "zeroifnull": lambda a: call("coalesce", a, Literal(0, INT)),
    "nullifzero": lambda a: null_if(a, Literal(0, INT)),
    "string": lambda a: cast(a, STRING),
    "int": lambda a: cast(a, INT),
    "not": negation,
}
