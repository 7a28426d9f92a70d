"""The vocabulary of the registry: what may be known of a function besides its Python meaning.

Each trait has a default that claims nothing: a function that does not say otherwise is
uninterpreted to the solver, is not computed beforehand, tells 0.0 from -0.0, and so on. Packages
that act on a trait do so by a closed `match` or ask one of the questions below.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, final


class Domain(Enum):
    """On which non-null arguments a function has a value; on others it fails the run (ANSI)."""

    TOTAL = "on all"
    PARTIAL = "not on all"
    NONZERO_DIVISOR = "not on all, but wherever it divides by a constant other than zero"
    QUOTIENT = "likewise, if the quotient fits into the type of the result"
    BIT_PLACE = "not on all, but at every constant place within the number"
    PATTERN = "not on all, but wherever the pattern is a constant that Spark accepts"


class SolverMeaning(Enum):
    """What the solver knows of a scalar function; `smt/arithmetic.py` says for which types."""

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
    WRAPPED_SUM = "a + b, of which the low bits are kept"
    WRAPPED_DIFFERENCE = "a - b, likewise"
    WRAPPED_PRODUCT = "a * b, likewise"
    WRAPPED_NEGATION = "-a, likewise"
    WRAPPED_MAGNITUDE = "a without its sign, likewise"
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
