"""The vocabulary of the registry: what may be known of a function besides its Python meaning.

Each trait has a default that claims nothing: without a trait a function is uninterpreted to the
solver, is not computed beforehand, distinguishes 0.0 from -0.0, and so on. Packages
that act on a trait do so by a closed `match` or ask one of the questions below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias, final

from veer.ir.types import DataType
from veer.settings import SparkVersion

Types = Sequence[DataType]
Meaning = Callable[[Types, DataType], Callable[..., Any]]


class SchemaNulls(Enum):
    """When Spark's schemas call the result of a function nullable.

    That is a rule of Spark's analyzer, not a fact: `i % 2` of a column that is never null is
    "nullable" in a schema, though it never is. Without a rule it is unknown what the schema says.
    """

    ANY = "if an argument is"
    ALL = "if all arguments are"
    ALWAYS = "always"
    NEVER = "never"
    FIRST = "if the first argument is"


class Domain(Enum):
    """On which non-null arguments a function has a value; on others it fails the run (ANSI)."""

    TOTAL = "on all"
    PARTIAL = "not on all"
    NONZERO_DIVISOR = "not on all, but wherever it divides by a constant other than zero"
    QUOTIENT = "likewise, if the quotient fits into the type of the result"
    BIT_PLACE = "not on all, but at every constant place within the number"
    PATTERN = "not on all, but wherever the pattern is a constant that Spark accepts"


class SolverMeaning(Enum):
    """What the solver knows of a scalar function; `prove/solver/arithmetic.py` says for which types."""

    UNINTERPRETED = "some function of its arguments"
    SUM = "a + b"
    DIFFERENCE = "a - b"
    PRODUCT = "a * b"
    QUOTIENT = "a / b, exact"
    WHOLE_QUOTIENT = "a / b, truncated toward zero"
    REMAINDER = "of the truncated quotient, with the sign of the dividend"
    MODULUS = "the remainder that is not negative, for a divisor above zero"
    NEGATION = "-a"
    IDENTITY = "a"
    MAGNITUDE = "a without its sign"
    LOW_BITS = "the number that the low bits of a stand for"
    WRAPPED_SUM = "the low bits of a + b"
    WRAPPED_DIFFERENCE = "the low bits of a - b"
    WRAPPED_PRODUCT = "the low bits of a * b"
    WRAPPED_NEGATION = "the low bits of -a"
    WRAPPED_MAGNITUDE = "the low bits of a without its sign"
    BIT = "one binary digit of a number"
    DAYS_LATER = "a date so many days later"
    DAYS_EARLIER = "a date so many days earlier"
    DAYS_BETWEEN = "the number of days from the second date to the first"
    MONTHS_LATER = "a date so many months later"
    INTERVAL_LATER = "a date or timestamp later by an interval"
    TIME_BETWEEN = "the time from the second moment to the first"
    YEAR = "the year of a date, which grows with the date"
    QUARTER = "the quarter of a date"
    MONTH = "the month of a date"
    DAY_OF_MONTH = "the day of a date in its month"
    DAY_OF_YEAR = "the day of a date in its year"
    DAY_OF_WEEK = "the day of a date in its week, Sunday being 1"
    WEEKDAY = "the day of a date in its week, Monday being 0"
    LAST_DAY = "the last day of the month of a date"
    HOUR = "the hour of a timestamp"
    MINUTE = "the minute of a timestamp in its hour"
    SECOND = "the second of a timestamp in its minute"
    TRUNCATED_DATE = "the first day of the year, month or week of a date"
    TRUNCATED_MOMENT = "the beginning of the year, day or hour of a timestamp"
    DATE_OF_PARTS = "the date of a year, a month and a day"
    TEXT_OF_MOMENT = "a moment written by a pattern"
    SECONDS = "seconds since 1970"
    PREFIX = "whether a text begins with another"
    FIRST_PRESENT = "the first argument that is not null"
    GREATEST = "the greatest argument that is not null"
    LEAST = "the least argument that is not null"

    @property
    def is_linear(self) -> bool:
        """Whether an application to linear terms is one that solvers decide."""
        return self in _LINEAR

    @property
    def is_linear_by_constant(self) -> bool:
        """Whether that holds if at least one of the arguments is a constant."""
        return self in _LINEAR_BY_CONSTANT


_LINEAR = frozenset(
    {SolverMeaning.SUM, SolverMeaning.DIFFERENCE, SolverMeaning.NEGATION, SolverMeaning.IDENTITY}
    | {SolverMeaning.MAGNITUDE, SolverMeaning.FIRST_PRESENT}
)
_LINEAR_BY_CONSTANT = frozenset(
    {SolverMeaning.PRODUCT, SolverMeaning.QUOTIENT}
    | {SolverMeaning.WHOLE_QUOTIENT, SolverMeaning.REMAINDER}
)


class Folding(Enum):
    """Whether an application to constants may be replaced by the value Python computes."""

    NEVER = "the value may differ from Spark's"
    SETTLED = "for types whose values are written one way in every time zone, floats excluded"
    IEEE = "for floats as well: IEEE 754 fixes the result to the last digit"


class Evaluation(Enum):
    """Which arguments are computed, and in which order: what is not computed cannot fail."""

    IN_ORDER = "from left to right, up to the first null if the function is null then"
    UNTIL_PRESENT = "from left to right, up to the first that is not null"
    SECOND_IF_NAN = "the second argument only where the first is NaN"
    DIVISOR_FIRST = "the divisor before the dividend, which a null divisor hides"
    TRIED_DIVISOR_FIRST = "likewise; a divisor of zero hides the dividend, too"
    UNIT_FIRST = "nothing at all where the unit is a constant that does not exist"


class Coercion(Enum):
    """How front ends cast the arguments to the types of the typing rule."""

    ONE_STEP = "each in one step"
    DIVISION = "text beside an integer is read as an integer first"
    ATTEMPT = "text is read by TRY_CAST; computed values must be numbers"


class TextUse(Enum):
    """What a function does with texts; decides which texts the refuter tries on it."""

    LIKE = "matches a pattern of % and _"
    LIKE_ANY_CASE = "matches a pattern of % and _ whatever the letter case"
    REGEX = "matches a regular expression"
    PART = "asks whether a text begins with, ends with or holds another"
    PLACE = "gives the place of a text in another"
    CUT = "cuts or fills up to a length"
    LENGTH = "gives the length"
    LETTER_CASE = "changes all letters to one case"
    CAPITALS = "changes the case of some letters"
    TRIM = "takes away what stands at the ends"
    CHANGE = "replaces or rearranges parts"
    NUMBER = "reads a number as Python does, or asks whether there is one"
    CHARACTERS = "asks of what sort all characters are"
    DATE = "reads a date as Python does, or asks whether there is one"


class FoldMeaning(Enum):
    """What the prover knows of an aggregate function."""

    UNINTERPRETED = "some function of the bag of its arguments"
    SUM = "the sum"
    COUNT = "how many rows have no null argument"
    COUNT_IF = "how many rows have a true argument"
    AVERAGE = "the mean"
    MINIMUM = "the least value"
    MAXIMUM = "the greatest value"
    ALL = "whether all are true: the least truth value"
    ANY = "whether one is true: the greatest truth value"


class Adding(Enum):
    """In what an aggregate function adds, which decides where the order of rows shows."""

    NOTHING = "it does not add"
    VALUES = "its arguments as they are: the order shows where these are floats"
    DOUBLES = "doubles, whatever its arguments: the order shows beyond 53 bits, too"
    MIDDLE = "the two values in the middle: the order shows in the sign of a zero"


class OverMeaning(Enum):
    """What the prover knows of a window function that is no aggregate function."""

    UNINTERPRETED = "some function of the ordered partition"
    ROW_NUMBER = "the number of rows up to this one"
    RANK = "one more than the number of rows before the peers of this one"
    DENSE_RANK = "the number of peer groups up to this one"
    EARLIER = "a value of a row some places before"
    LATER = "a value of a row some places after"


class Claim(Enum):
    """What a function has or has not; a claim that is not made does not hold. Values are fields."""

    TYPED = "typed"  # the meaning is given the types of arguments and result first
    KEEPS_VALUES = "keeps_values"  # hands on values of any type without looking into them
    IGNORES_ZERO_SIGN = "ignores_zero_sign"  # gives equal results for 0.0 and -0.0, or two zeros
    BY_PATTERN = "by_pattern"  # reads or writes times by a pattern
    IGNORES_DUPLICATES = "ignores_duplicates"
    IGNORES_ORDER = "ignores_order"
    IGNORES_NULLS = "ignores_nulls"  # rows in which its argument is null
    EMPTY_HAS_VALUE = "empty_has_value"  # such as 0 or [] when no row counts; else that is null
    PRESENT_OF_PRESENT = "present_of_present"  # not null where one of the values is not
    CHOOSES_BY_ROUNDING = "chooses_by_rounding"  # a choice for the order of additions alone
    SETTLED_BY_FLAG = "settled_by_flag"  # a choice, unless its last argument is the constant true
    COUNTS_ROWS = "counts_rows"  # its result tells how many rows there are
    READS_FRAME = "reads_frame"
    READS_ORDER_ALONE = "reads_order_alone"  # no arguments; Catalyst lists the sort keys instead
    NEVER_NULL = "never_null"
    SHOWS_ADDRESSES = "shows_addresses"  # in memory, of arguments that have no text of their own
    IN_CAPITALS = "in_capitals"  # how Spark shows the name of a function that it alone understands


# -- what depends on the session ---------------------------------------------------------------


class WithoutAnsi(Enum):
    """What a function that may fail means in a session without ANSI; without a rule it is refused."""

    SAME = "the same: it fails in both modes, or never on what Spark computes with"
    WRAPPED = "whole numbers keep their low bits; decimals are null where 38 digits are too few"
    ROUNDED = "whole numbers keep their low bits; decimals of 38 digits are refused"
    CUT = "of doubles, the largest whole number for those beyond"
    ATTEMPT = "its attempt, which gives null"
    NULL = "null where it fails; of maps the same"
    READ = "null where it fails; in sessions in which old times fail, some texts fail"
    OTHER = "a function of its own"


class ZoneUse(Enum):
    """What the session's time zone is to a function; one of timestamps without a rule is refused."""

    SAME = "nothing: it hands timestamps on or compares them"
    SHOWN = "it asks what clocks show at its timestamps"
    ARGUMENT = "it is a function of the zone, too"
    READ = "it is a function of the zone where it reads a text"


@final
@dataclass(frozen=True, slots=True)
class Older:
    """What a function meant before some Spark, for arguments of some types.

    `meaning` is that of the function `older.name`, which no law of the present one can reach; None
    if it is not modelled.
    """

    before: SparkVersion
    concerns: Callable[[Types], bool]
    meaning: Meaning | None = None
    domain: Domain | None = None  # the present one, if not given


# -- how Spark names a column that is a call ---------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Shown:
    """How Spark shows a call in the name of a column without alias.

    `defaults` stand for arguments left out after the first `least`. Spellings are the name and
    aliases as written: those in `capitals` are shown in capitals, those in `plainly` without
    defaults, those in `renamed` by the registry's name.
    """

    least: int = 0
    defaults: tuple[str, ...] = ()
    capitals: tuple[str, ...] = ()
    plainly: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    over_rows: bool = False  # the frame of a window with an order, unless one is written


AS_WRITTEN = Shown()


# -- how Spark SQL writes a call ---------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Called:
    """`name(a, b)`."""

    name: str


@final
@dataclass(frozen=True, slots=True)
class CalledBackwards:
    """`name(a)`, but `name(b, a)`: of two arguments SQL takes the second first."""

    name: str


@final
@dataclass(frozen=True, slots=True)
class Infix:
    """`(a symbol b)`."""

    symbol: str


@final
@dataclass(frozen=True, slots=True)
class Prefix:
    """`(symbol a)`."""

    symbol: str


@final
@dataclass(frozen=True, slots=True)
class Indexed:
    """`(a)[b]`."""


@final
@dataclass(frozen=True, slots=True)
class PythonOnly:
    """Spark has no such function: a Python function computes it."""


@final
@dataclass(frozen=True, slots=True)
class Converted:
    """`word(a AS type)`."""

    type: str
    word: str = "CAST"


@final
@dataclass(frozen=True, slots=True)
class InZone:
    """As `form` in a session of the time zone that is the last argument, which is not written."""

    form: Called | Infix | Converted


SqlForm: TypeAlias = (
    Called | CalledBackwards | Infix | Prefix | Indexed | Converted | InZone | PythonOnly
)
