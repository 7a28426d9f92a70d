"""Spark's data types, without nullability: that belongs to columns, not to types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, final

from veer.errors import ParseError


@dataclass(frozen=True, slots=True)
class DataType:
    """A type of values; `str()` gives Spark's DDL spelling."""

    def __str__(self) -> str:
        return SPELLING[type(self)]


class AtomicType(DataType):
    """A type Spark compares, sorts and groups directly."""

    __slots__ = ()


class NumericType(AtomicType):
    """Integers, decimals and floating point numbers."""

    __slots__ = ()


class IntegralType(NumericType):
    """The four integer types."""

    __slots__ = ()


class FractionalType(NumericType):
    """Decimal, float and double."""

    __slots__ = ()


@final
@dataclass(frozen=True, slots=True)
class NullType(DataType):
    """The type of an untyped NULL."""


@final
@dataclass(frozen=True, slots=True)
class BooleanType(AtomicType):
    """True and false; null is not a value but the absence of one."""


@final
@dataclass(frozen=True, slots=True)
class ByteType(IntegralType):
    """8-bit signed integers."""


@final
@dataclass(frozen=True, slots=True)
class ShortType(IntegralType):
    """16-bit signed integers."""


@final
@dataclass(frozen=True, slots=True)
class IntegerType(IntegralType):
    """32-bit signed integers."""


@final
@dataclass(frozen=True, slots=True)
class LongType(IntegralType):
    """64-bit signed integers."""


@final
@dataclass(frozen=True, slots=True)
class FloatType(FractionalType):
    """IEEE single precision; held as Python floats rounded to 32 bits."""


@final
@dataclass(frozen=True, slots=True)
class DoubleType(FractionalType):
    """IEEE double precision."""


@final
@dataclass(frozen=True, slots=True)
class DecimalType(FractionalType):
    """Exact decimals of `precision` digits, `scale` of them after the point."""

    precision: int = 10
    scale: int = 0

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})"


@final
@dataclass(frozen=True, slots=True)
class StringType(AtomicType):
    """UTF-8 text compared byte by byte (Spark's default collation)."""


@final
@dataclass(frozen=True, slots=True)
class BinaryType(AtomicType):
    """Byte strings."""


@final
@dataclass(frozen=True, slots=True)
class DateType(AtomicType):
    """Days of the proleptic Gregorian calendar."""


@final
@dataclass(frozen=True, slots=True)
class TimestampType(AtomicType):
    """Instants in microseconds, shown in the session's time zone."""


@final
@dataclass(frozen=True, slots=True)
class TimestampNtzType(AtomicType):
    """Local date and time in microseconds, without time zone."""


@final
@dataclass(frozen=True, slots=True)
class DayTimeIntervalType(AtomicType):
    """Durations in microseconds, shown from field `first` to field `last`."""

    first: str = "day"
    last: str = "second"

    def __str__(self) -> str:
        tail = "" if self.first == self.last else f" to {self.last}"
        return f"interval {self.first}{tail}"


@final
@dataclass(frozen=True, slots=True)
class YearMonthIntervalType(AtomicType):
    """Durations in months, shown from field `first` to field `last`."""

    first: str = "year"
    last: str = "month"

    def __str__(self) -> str:
        tail = "" if self.first == self.last else f" to {self.last}"
        return f"interval {self.first}{tail}"


@final
@dataclass(frozen=True, slots=True)
class CalendarIntervalType(DataType):
    """Spark's legacy interval of months, days and microseconds; not ordered."""


@final
@dataclass(frozen=True, slots=True)
class ArrayType(DataType):
    """Sequences of `element`, nulls allowed."""

    element: DataType

    def __str__(self) -> str:
        return f"array<{self.element}>"


@final
@dataclass(frozen=True, slots=True)
class MapType(DataType):
    """Associations; neither comparable nor groupable in Spark."""

    key: DataType
    value: DataType

    def __str__(self) -> str:
        return f"map<{self.key},{self.value}>"


@final
@dataclass(frozen=True, slots=True)
class StructType(DataType):
    """Named parts in order."""

    fields: tuple[tuple[str, DataType], ...]

    def __str__(self) -> str:
        inside = ",".join(f"{quote_name(name)}:{type_}" for name, type_ in self.fields)
        return f"struct<{inside}>"


@final
@dataclass(frozen=True, slots=True)
class OpaqueType(DataType):
    """A type Veer does not model (variant, time, collated strings): equal only to itself."""

    name: str

    def __str__(self) -> str:
        return self.name


NULL = NullType()
BOOLEAN = BooleanType()
BYTE, SHORT, INT, LONG = ByteType(), ShortType(), IntegerType(), LongType()
FLOAT, DOUBLE = FloatType(), DoubleType()
STRING, BINARY = StringType(), BinaryType()
DATE, TIMESTAMP, TIMESTAMP_NTZ = DateType(), TimestampType(), TimestampNtzType()
CALENDAR_INTERVAL = CalendarIntervalType()

SPELLING: dict[type[DataType], str] = {
    NullType: "void",
    BooleanType: "boolean",
    ByteType: "tinyint",
    ShortType: "smallint",
    IntegerType: "int",
    LongType: "bigint",
    FloatType: "float",
    DoubleType: "double",
    StringType: "string",
    BinaryType: "binary",
    DateType: "date",
    TimestampType: "timestamp",
    TimestampNtzType: "timestamp_ntz",
    CalendarIntervalType: "interval",
}

INTEGER_BITS: dict[DataType, int] = {BYTE: 8, SHORT: 16, INT: 32, LONG: 64}
INTEGER_DIGITS: dict[DataType, int] = {BYTE: 3, SHORT: 5, INT: 10, LONG: 19}
EXACT_NUMBERS = (IntegralType, DecimalType)

NAMED: dict[str, DataType] = {
    "void": NULL,
    "null": NULL,
    "boolean": BOOLEAN,
    "bool": BOOLEAN,
    "tinyint": BYTE,
    "byte": BYTE,
    "smallint": SHORT,
    "short": SHORT,
    "int": INT,
    "integer": INT,
    "bigint": LONG,
    "long": LONG,
    "float": FLOAT,
    "real": FLOAT,
    "double": DOUBLE,
    "string": STRING,
    "binary": BINARY,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamp_ltz": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP_NTZ,
    "interval": CALENDAR_INTERVAL,
    "decimal": DecimalType(10, 0),
    "dec": DecimalType(10, 0),
    "numeric": DecimalType(10, 0),
}

UNMODELLED = ("variant", "time", "geometry", "geography")
DAY_TIME_FIELDS = ("day", "hour", "minute", "second")
YEAR_MONTH_FIELDS = ("year", "month")
MAX_PRECISION = 38
MAX_NESTING = 64

TOKEN = re.compile(r"\s*(`(?:[^`]|``)*`|[A-Za-z_][A-Za-z_0-9]*|\d+|[<>(),:])")


def quote_name(name: str) -> str:
    """Spell a column name so that Spark reads it back: in backquotes unless it is plain."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name):
        return name
    return "`" + name.replace("`", "``") + "`"


def is_orderable(type_: DataType) -> bool:
    """Whether Spark can compare, sort and take MIN/MAX of values of the type."""
    match type_:
        case ArrayType(element):
            return is_orderable(element)
        case StructType(fields):
            return all(is_orderable(t) for _, t in fields)
        case MapType() | OpaqueType() | CalendarIntervalType():
            return False
        case _:
            return True


def holds_map(type_: DataType) -> bool:
    """Whether values of the type are maps, or have maps inside."""
    match type_:
        case ArrayType(element):
            return holds_map(element)
        case StructType(fields):
            return any(holds_map(t) for _, t in fields)
        case _:
            return isinstance(type_, MapType)


def is_modelled(type_: DataType) -> bool:
    """Whether Veer knows what values of the type are: no part of it is opaque."""
    match type_:
        case ArrayType(element):
            return is_modelled(element)
        case MapType(key, value):
            return is_modelled(key) and is_modelled(value)
        case StructType(fields):
            return all(is_modelled(t) for _, t in fields)
        case _:
            return not isinstance(type_, OpaqueType)


def shows_addresses(types: Iterable[DataType]) -> bool:
    """Whether a text Java makes of values of these types may hold addresses of objects in memory."""
    return any(not isinstance(t, AtomicType) or isinstance(t, BinaryType) for t in types)


def same_by_value(a: DataType, b: DataType) -> bool:
    """Whether values of two types can be compared as they are: exact numbers, an untyped NULL."""
    exact = isinstance(a, EXACT_NUMBERS) and isinstance(b, EXACT_NUMBERS)
    return a == b or exact or isinstance(a, NullType) or isinstance(b, NullType)


def holding_both(a: DataType, b: DataType) -> DataType | None:
    """The smallest type that holds every value of both types unchanged; None if there is none."""
    if a == b or isinstance(b, NullType):
        return a
    if isinstance(a, NullType):
        return b
    if isinstance(a, IntegralType) and isinstance(b, IntegralType):
        return max(a, b, key=lambda t: INTEGER_BITS[t])
    if not isinstance(a, EXACT_NUMBERS) or not isinstance(b, EXACT_NUMBERS):
        return None
    scale = max(digits(t)[1] for t in (a, b))
    precision = scale + max(digits(t)[0] for t in (a, b))
    return DecimalType(precision, scale) if precision <= MAX_PRECISION else None


def digits(type_: DataType) -> tuple[int, int]:
    """The digits before and after the point that values of an exact type need."""
    if isinstance(type_, DecimalType):
        return type_.precision - type_.scale, type_.scale
    return INTEGER_DIGITS[type_], 0


def has_floats(type_: DataType) -> bool:
    """Whether values of the type hold floating point numbers anywhere."""
    match type_:
        case FloatType() | DoubleType():
            return True
        case ArrayType(element):
            return has_floats(element)
        case MapType(key, value):
            return has_floats(key) or has_floats(value)
        case StructType(fields):
            return any(has_floats(t) for _, t in fields)
        case _:
            return False


def parse_type(text: str) -> DataType:
    """Read a type in Spark's DDL spelling.

    >>> str(parse_type("STRUCT<a: INT, b: ARRAY<DECIMAL(7, 2)>>"))
    'struct<a:int,b:array<decimal(7,2)>>'
    """
    reader = TypeReader(text)
    result: DataType = reader.read()
    reader.end()
    return result


class TypeReader:
    """Recursive descent over the tokens of a type; what is made of them a subclass may decide."""

    def __init__(self, text: str, token: re.Pattern[str] = TOKEN) -> None:
        self.text = text
        tokens: list[str] = []
        at, stripped = 0, text.rstrip()
        while at < len(stripped):
            found = token.match(stripped, at)
            if found is None:
                raise ParseError(f"not a type: {text[:80]!r}")
            tokens.append(found[1])
            at = found.end()
        self.tokens = tokens[::-1]

    def end(self) -> None:
        """Nothing may be left."""
        if self.tokens:
            raise ParseError(f"not a type: {self.text[:80]!r}, unexpected {self.tokens[-1]!r}")

    def next(self) -> str:
        """The next token, taken."""
        if not self.tokens:
            raise ParseError(f"not a type: {self.text[:80]!r} ends too early")
        return self.tokens.pop()

    def expect(self, token: str) -> None:
        """Take the next token, which must be this one, in whatever letter case."""
        if (given := self.next()).lower() != token:
            raise ParseError(f"not a type: {self.text[:80]!r}, expected {token!r}, got {given!r}")

    def take(self, token: str) -> bool:
        """Take the next token if it is this one, in whatever letter case."""
        if self.tokens and self.tokens[-1].lower() == token:
            self.tokens.pop()
            return True
        return False

    def numbers(self) -> list[int]:
        """Numbers in parentheses, as of `decimal(7, 2)`; none if there are no parentheses."""
        if not self.take("("):
            return []
        numbers = [self.number()]
        while self.take(","):
            numbers.append(self.number())
        self.expect(")")
        return numbers

    def number(self) -> int:
        """A whole number."""
        token = self.next()
        if not re.fullmatch(r"[0-9]{1,9}", token):
            raise ParseError(f"not a type: {self.text[:80]!r}, expected a number, got {token!r}")
        return int(token)

    def read(self, depth: int = 0) -> Any:
        """One type; those inside of it are read one level deeper."""
        if depth > MAX_NESTING:
            raise ParseError(f"type nested deeper than {MAX_NESTING}: {self.text[:40]!r}...")
        name = self.next().lower()
        match name:
            case "array":
                self.expect("<")
                element = self.read(depth + 1)
                self.expect(">")
                return self.array(element)
            case "map":
                self.expect("<")
                key = self.read(depth + 1)
                self.expect(",")
                value = self.read(depth + 1)
                self.expect(">")
                return self.map(key, value)
            case "struct":
                self.expect("<")
                return self.struct(self.fields(">", depth + 1))
            case "decimal" | "dec" | "numeric":
                return self.plain(make_decimal(*self.numbers()))
            case "char" | "varchar" | "character":
                return self.bounded_text(name, self.numbers())
            case "interval":
                return self.plain(self.interval())
        if name == "string" and self.take("collate"):
            return self.plain(OpaqueType(f"string collate {self.next().upper()}"))
        if name in NAMED:
            return self.plain(NAMED[name])
        if name in UNMODELLED:
            return self.plain(OpaqueType(name + self.arguments()))
        if not re.fullmatch(r"[a-z_][a-z_0-9]*", name):
            raise ParseError(f"not a type: {self.text[:80]!r}")
        raise ParseError(f"unknown type {name!r}")

    def arguments(self) -> str:
        """Numbers in parentheses as they belong into the name of a type."""
        numbers = self.numbers()
        return f"({','.join(map(str, numbers))})" if numbers else ""

    def fields(self, end: str, depth: int) -> list[Any]:
        """Fields with their types, up to a token that is taken, or the end of the text."""
        fields: list[Any] = []
        while not (self.take(end) if end else not self.tokens):
            if fields:
                self.expect(",")
            name = self.next()
            name = name[1:-1].replace("``", "`") if name.startswith("`") else name
            self.take(":")
            fields.append(self.field(name, self.read(depth)))
        return fields

    def interval(self) -> DataType:
        """The units of an interval, as in `interval day to second`."""
        if not self.tokens or self.tokens[-1].lower() not in DAY_TIME_FIELDS + YEAR_MONTH_FIELDS:
            return CALENDAR_INTERVAL
        first = self.next().lower()
        last = self.next().lower() if self.take("to") else first
        for fields, kind in (
            (DAY_TIME_FIELDS, DayTimeIntervalType),
            (YEAR_MONTH_FIELDS, YearMonthIntervalType),
        ):
            if first in fields and last in fields and fields.index(first) <= fields.index(last):
                return kind(first, last)
        raise ParseError(f"not an interval type: {self.text[:80]!r}")

    # -- what is made of what was read ---------------------------------------------------------

    def array(self, element: Any) -> Any:
        """An array of a type."""
        return ArrayType(element)

    def map(self, key: Any, value: Any) -> Any:
        """A map of two types."""
        return MapType(key, value)

    def struct(self, fields: list[Any]) -> Any:
        """A struct of fields."""
        return StructType(tuple(fields))

    def field(self, name: str, type_: Any) -> Any:
        """A field of a struct."""
        return name, type_

    def bounded_text(self, name: str, numbers: list[int]) -> Any:
        """A text of some length, which Spark cuts or pads when it is stored."""
        return STRING

    def plain(self, type_: DataType) -> Any:
        """A type without others inside."""
        return type_


def make_decimal(precision: int = 10, scale: int = 0) -> DecimalType:
    """A decimal type within Spark's limits."""
    if not (1 <= precision <= MAX_PRECISION and 0 <= scale <= precision):
        raise ParseError(f"decimal({precision},{scale}) is outside Spark's limits")
    return DecimalType(precision, scale)


class CastMode(Enum):
    """What a cast does with a value the target type cannot hold."""

    ANSI = "ansi"  # fails
    TRY = "try"  # gives null
    LEGACY = "legacy"  # gives null or wraps, as Spark did before ANSI
