"""Expressions as z3 terms, exactly or as uninterpreted functions of their arguments.

A value is a pair (is null, value), the value being junk where it is null. A truth value is the
pair (is true, is false). Sorts:

    integers, dates, timestamps, intervals   Int (ANSI arithmetic takes its mathematical value)
    decimals                                 Real, while nothing rounds
    strings, binary                          Real: any countable order embeds into the reals, so
                                             what no reals satisfy no strings satisfy; literals
                                             are placed in their order, and nothing is computed
    doubles, floats                          their own sort with a rank that orders them: 0.0 and
                                             -0.0 share a rank, NaN has the greatest
    everything else                          its own sort without order

Outside its domain an operation has some value, the same for the same arguments in both versions.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from itertools import islice, pairwise, permutations
from typing import Any, NamedTuple, assert_never

import z3

from veer.analysis.failures import can_fail
from veer.errors import UnsupportedError
from veer.functions.registry import Kind, Nulls, scalar_function
from veer.functions.traits import SolverMeaning
from veer.model.expr import (
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Exists,
    Expr,
    GetField,
    InList,
    InQuery,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    Or,
    OuterColumn,
    RowColumn,
    ScalarQuery,
    Symbol,
)
from veer.model.nullability import gives_null
from veer.model.pprint import show_variable
from veer.model.types import (
    BinaryType,
    BooleanType,
    ByteType,
    CastMode,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    IntegralType,
    LongType,
    NullType,
    ShortType,
    StringType,
    TimestampNtzType,
    TimestampType,
    YearMonthIntervalType,
    has_floats,
)
from veer.smt.exact import (
    EXACT_DOUBLE,
    MOST_SCALE,
    Dyadic,
    holds_exactly,
    is_exact_negation,
    is_exact_product,
    is_exact_sum,
    is_few_days,
    is_positive,
)
from veer.smt.formula import (
    ADDED,
    MULTIPLIED,
    SAME,
    All,
    Formula,
    Holds,
    No,
    Same,
    SameCount,
    Some,
    Variable,
)

INTEGERS = (
    IntegralType,
    DateType,
    TimestampType,
    TimestampNtzType,
    DayTimeIntervalType,
    YearMonthIntervalType,
)
RANGES: dict[type[DataType], int] = {ByteType: 7, ShortType: 15, IntegerType: 31, LongType: 63}
MOST_REORDERED = 3  # factors of a product that is known to be the same in every order
EXTREMES = (SolverMeaning.GREATEST, SolverMeaning.LEAST)
# What doubles compute without rounding while the result is short enough.
EXACT_ON_DYADICS = (SolverMeaning.SUM, SolverMeaning.DIFFERENCE, SolverMeaning.PRODUCT)
INFINITY_RANK, NAN_RANK = 10**400, 10**401


class Value(NamedTuple):
    """A nullable value; `value` is junk where `null` holds."""

    null: z3.BoolRef
    value: Any


class Truth(NamedTuple):
    """A three-valued truth value; null where neither holds."""

    true: z3.BoolRef
    false: z3.BoolRef


@dataclass
class Encoder:
    """Terms of one question, in one context."""

    context: z3.Context

    def __post_init__(self) -> None:
        self._values: dict[int, tuple[Expr, Value]] = {}
        self._truths: dict[int, tuple[Expr, Truth]] = {}
        self._sorts: dict[str, Any] = {}
        self._functions: dict[tuple[Any, ...], Any] = {}
        self._texts: dict[type, dict[Any, Any]] = {StringType: {}, BinaryType: {}}
        self._doubles: dict[tuple[str, str], Any] = {}
        self._integers: set[int] = set()
        self._years: list[tuple[Any, Any]] = []  # dates and their years
        self._factors: dict[int, tuple[Any, list[Any]]] = {}  # of a product, which is kept alive
        self.variables: dict[Variable, Value] = {}
        self._names: set[str] = set()  # of variables
        self.facts: list[Any] = []  # what holds of the terms made
        self.yes = z3.BoolVal(True, self.context)
        self.no = z3.BoolVal(False, self.context)

    # -- formulas ------------------------------------------------------------------------------

    def formula(self, formula: Formula) -> Any:
        """A formula as a z3 Boolean."""
        match formula:
            case Holds(condition):
                return self.truth(condition).true
            case Same(left, right):
                return self.same(left, right)
            case All(parts):
                return self._and(*map(self.formula, parts))
            case Some(parts):
                return self._or(*map(self.formula, parts))
            case No(part):
                return self._not(self.formula(part))
            case SameCount(left, right):
                return self._count(left) == self._count(right)
            case _:
                assert_never(formula)

    def order_facts(self) -> list[Any]:
        """The literals used, in their order; they are distinct."""
        facts = []
        for type_, literals in self._texts.items():
            keyed = sorted(literals, key=str.encode if type_ is StringType else None)
            for low, high in pairwise(keyed):
                facts.append(literals[low] < literals[high])
        return facts + self._year_facts()

    def _year_facts(self) -> list[Any]:
        """Where the years begin that the question speaks of."""
        named = {n + d for n in self._integers for d in (0, 1) if 1 <= n + d <= dt.MAXYEAR}
        return [
            (year >= n) == (date >= dt.date(n, 1, 1).toordinal())
            for date, year in self._years
            for n in sorted(named)
        ]

    def same(self, left: Expr, right: Expr) -> Any:
        """Whether two values are the same, null included; representation-exact."""
        a, b = self.value(left), self.value(right)
        if isinstance(left.type, NullType) or isinstance(right.type, NullType):
            return self._and(a.null, b.null)
        if a.value.sort() != b.value.sort():
            raise UnsupportedError(f"{left.type} against {right.type}")
        if isinstance(left.type, DecimalType) and left.type != right.type:
            raise UnsupportedError(f"{left.type} against {right.type}")
        both = self._and(self._not(a.null), self._not(b.null), self._equal(a.value, b.value))
        return self._or(self._and(a.null, b.null), both)

    def _count(self, parts: tuple[Formula, ...]) -> Any:
        one, zero = z3.IntVal(1, self.context), z3.IntVal(0, self.context)
        return z3.Sum([zero, zero, *(z3.If(self.formula(p), one, zero) for p in parts)])

    # -- truth values --------------------------------------------------------------------------

    def truth(self, expr: Expr) -> Truth:
        """A Boolean expression as a truth value."""
        known = self._truths.get(id(expr))
        if known is None:
            known = (expr, self._truth(expr))
            self._truths[id(expr)] = known
        return known[1]

    def _truth(self, expr: Expr) -> Truth:
        match expr:
            case And(args):
                parts = [self.truth(a) for a in args]
                return Truth(
                    self._and(*(p.true for p in parts)), self._or(*(p.false for p in parts))
                )
            case Or(args):
                parts = [self.truth(a) for a in args]
                return Truth(
                    self._or(*(p.true for p in parts)), self._and(*(p.false for p in parts))
                )
            case Not(arg):
                true, false = self.truth(arg)
                return Truth(false, true)
            case IsNull(arg):
                null = self.value(arg).null
                return Truth(null, self._not(null))
            case Compare(op, left, right):
                return self._compare(op, left, right)
            case InList(arg, options):
                return self.truth(Or(tuple(Compare("=", arg, o) for o in options)))
            case OpaqueCall(identity, (left, right)) if identity == SAME:
                is_same = self.same(left, right)
                return Truth(is_same, self._not(is_same))
            case _:
                null, value = self.value(expr)
                return Truth(
                    self._and(self._not(null), value), self._and(self._not(null), self._not(value))
                )

    def _compare(self, op: str, left: Expr, right: Expr) -> Truth:
        a, b = self.value(left), self.value(right)
        if isinstance(left.type, NullType):
            return Truth(self.yes, self.no) if op == "<=>" else Truth(self.no, self.no)
        holds = self._related(op, left.type, a.value, b.value)
        both = self._and(self._not(a.null), self._not(b.null))
        if op == "<=>":
            same = self._or(self._and(a.null, b.null), self._and(both, holds))
            return Truth(same, self._not(same))
        return Truth(self._and(both, holds), self._and(both, self._not(holds)))

    def _related(self, op: str, type_: DataType, a: Any, b: Any) -> Any:
        """Two values that are not null, compared as Spark compares them."""
        if isinstance(type_, FloatType | DoubleType):
            a, b = self.rank(type_, a), self.rank(type_, b)
        elif isinstance(type_, BooleanType):
            one, zero = z3.IntVal(1, self.context), z3.IntVal(0, self.context)
            if op in ("=", "<=>"):
                return self._equal(a, b)
            a, b = z3.If(a, one, zero), z3.If(b, one, zero)
        elif not self._is_ordered(type_):
            if op in ("=", "<=>") and not has_floats(type_):
                return self._equal(a, b)
            # A greater-than is a less-than the other way round; nothing else is known.
            if op in (">", ">="):
                op, a, b = {">": "<", ">=": "<="}[op], b, a
            name = "=" if op == "<=>" else op
            return self._function(("compare", name, str(type_)), (a, b), self._sort_named(BOOL))
        match op:
            case "=" | "<=>":
                return self._equal(a, b)
            case "<":
                return a < b
            case "<=":
                return a <= b
            case ">":
                return a > b
            case _:
                return a >= b

    # -- values --------------------------------------------------------------------------------

    def value(self, expr: Expr) -> Value:
        """An expression as a nullable value."""
        known = self._values.get(id(expr))
        if known is None:
            known = (expr, self._value(expr))
            self._values[id(expr)] = known
        return known[1]

    def _value(self, expr: Expr) -> Value:
        match expr:
            case RowColumn() | Symbol():
                return self._variable(expr)
            case Literal(value, type_):
                return self._literal(value, type_)
            case And() | Or() | Not() | Compare() | IsNull() | InList():
                true, false = self.truth(expr)
                return Value(self._and(self._not(true), self._not(false)), true)
            case Case(branches, otherwise):
                null, value = self.value(otherwise)
                is_junk = otherwise == Literal(None, otherwise.type)
                for when, then in reversed(branches):
                    taken, arm = self.truth(when).true, self.value(then)
                    null = z3.If(taken, arm.null, null)
                    value = arm.value if is_junk else z3.If(taken, arm.value, value)
                    is_junk = is_junk and then == Literal(None, then.type)
                return Value(null, value)
            case Cast():
                return self._cast(expr)
            case Call():
                return self._call(expr)
            case OpaqueCall(identity, args, type_, kind):
                if identity == SAME:
                    return Value(self.no, self.truth(expr).true)
                if identity in (ADDED, MULTIPLIED):
                    return Value(self.no, self._exact(identity, args, type_))
                if kind in (Kind.CHOICE, Kind.PARTITION):
                    raise UnsupportedError(f"{identity} is not a function of its arguments")
                return self._uninterpreted(("opaque", identity), args, type_, Nulls.CUSTOM)
            case GetField(arg, name):
                return self._uninterpreted(("field", name), (arg,), expr.type, Nulls.PROPAGATE)
            case Column() | OuterColumn() | Exists() | InQuery() | ScalarQuery():
                raise UnsupportedError(f"{type(expr).__name__} is not a value of one row")
            case _:
                assert_never(expr)

    def _variable(self, variable: Variable) -> Value:
        """A free constant, one for each variable of the question."""
        value = self.variables.get(variable)
        if value is None:
            value = self.variables[variable] = self._free_constant(variable)
        return value

    def _free_constant(self, variable: Variable) -> Value:
        name, type_ = show_variable(variable), variable.type
        if name in self._names:
            # Two variables under one name would be one constant: equal, though nothing says so.
            raise UnsupportedError(f"{name} has two types")
        self._names.add(name)
        null = z3.Bool(f"{name} null", self.context) if variable.nullable else self.no
        if isinstance(type_, NullType):
            null = self.yes
        value = z3.Const(name, self._sort(type_))
        if isinstance(type_, DecimalType):
            digits = z3.Int(f"{name} digits", self.context)
            self.facts.append(value * 10**type_.scale == z3.ToReal(digits))
        return Value(null, value)

    def _literal(self, value: Any, type_: DataType) -> Value:
        if value is None:
            return Value(self.yes, self._junk(type_))
        return Value(self.no, self._constant(value, type_))

    def _constant(self, value: Any, type_: DataType) -> Any:
        match type_:
            case BooleanType():
                return z3.BoolVal(bool(value), self.context)
            case IntegralType():
                self._integers.add(int(value))
                return z3.IntVal(int(value), self.context)
            case DateType() if isinstance(value, dt.date):
                return z3.IntVal(value.toordinal(), self.context)
            case TimestampType() | TimestampNtzType() if isinstance(value, dt.datetime):
                since = value.replace(tzinfo=None) - dt.datetime(1970, 1, 1)
                return z3.IntVal(since // dt.timedelta(microseconds=1), self.context)
            case DayTimeIntervalType() if isinstance(value, dt.timedelta):
                return z3.IntVal(value // dt.timedelta(microseconds=1), self.context)
            case YearMonthIntervalType() if isinstance(value, int):
                return z3.IntVal(value, self.context)
            case DecimalType() if isinstance(value, Decimal):
                numerator, denominator = value.as_integer_ratio()
                return z3.Q(numerator, denominator, self.context)
            case StringType() | BinaryType():
                texts = self._texts[type(type_)]
                if value not in texts:
                    texts[value] = z3.Const(f"literal {value!r}", self._sort(type_))
                return texts[value]
            case FloatType() | DoubleType():
                return self._double(value, type_)
            case _:
                name = f"literal {type_} {value!r}"
                return z3.Const(name, self._sort(type_))

    def _double(self, value: float, type_: DataType) -> Any:
        text = repr(value)
        double = self._doubles.get((str(type_), text))
        if double is None:
            double = z3.Const(f"literal {type_} {text}", self._sort(type_))
            if math.isnan(value):
                rank = z3.RealVal(NAN_RANK, self.context)
            elif math.isinf(value):
                rank = z3.RealVal(INFINITY_RANK if value > 0 else -INFINITY_RANK, self.context)
            else:
                rank = z3.Q(*value.as_integer_ratio(), self.context)
            self.facts.append(self.rank(type_, double) == rank)
            for (other, _), constant in self._doubles.items():
                if other == str(type_):
                    self.facts.append(double != constant)
            self._doubles[str(type_), text] = double
        return double

    def text_literals(self) -> dict[str, Any]:
        """The string literals met, with their terms."""
        return self._texts[StringType]

    def rank(self, type_: DataType, value: Any) -> Any:
        """Where a float stands in Spark's order; its number, where it is finite."""
        return self._function(("rank", str(type_)), (value,), z3.RealSort(self.context))

    # -- functions -----------------------------------------------------------------------------

    def _call(self, call: Call) -> Value:
        function = scalar_function(call.function)
        if function.kind in (Kind.CHOICE, Kind.PARTITION):
            raise UnsupportedError(f"{call.function} is not a function of its arguments")
        meaning = function.solver
        if meaning is SolverMeaning.FIRST_PRESENT:
            return self._first_present(call.args)
        if meaning in EXTREMES and self._is_ordered(call.type):
            return self._extreme(call.args, greatest=meaning is SolverMeaning.GREATEST)
        exact = self._arithmetic(call, meaning)
        if exact is not None:
            nulls = [self.value(a).null for a in call.args]
            return Value(self._or(*nulls), exact)
        value = self._uninterpreted(("call", call.function), call.args, call.type, function.nulls)
        if meaning is SolverMeaning.YEAR and isinstance(call.args[0].type, DateType):
            self._years.append((self.value(call.args[0]).value, value.value))
        if isinstance(call.type, DoubleType):
            known = self._dyadic(call)
            if known is not None:
                exact = self.rank(call.type, value.value) == known.number
                self.facts.append(z3.Implies(self._and(*known.given), exact))
        return value

    def _dyadic(self, expr: Expr) -> Dyadic | None:
        """The number a double is, if nothing in its computation can have been rounded."""
        match expr:
            case Cast(arg, DoubleType()) if isinstance(
                arg.type, IntegerType | ShortType | ByteType
            ):
                size = 2 ** RANGES[type(arg.type)]
                value = self.value(arg).value
                return Dyadic(z3.ToReal(value), size, 0, (value >= -size, value < size))
            case Literal(float() as value, DoubleType()) if math.isfinite(value):
                above, below = value.as_integer_ratio()
                scale = below.bit_length() - 1
                literal = Dyadic(z3.Q(above, below, self.context), abs(above), scale, ())
                return literal if abs(above) <= EXACT_DOUBLE and scale <= MOST_SCALE else None
            case Call(function, (left, right), DoubleType()):
                meaning = scalar_function(function).solver
                if meaning is SolverMeaning.QUOTIENT:
                    return self._dyadic_quotient(left, right)
                if meaning not in EXACT_ON_DYADICS:
                    return None
                a, b = self._dyadic(left), self._dyadic(right)
                return None if a is None or b is None else a.combined(meaning, b)
            case _:
                return None

    def _dyadic_quotient(self, left: Expr, right: Expr) -> Dyadic | None:
        """A number divided by a power of two."""
        match right:
            case Literal(float() as by) if by >= 1 and math.frexp(by)[0] == 0.5:
                a = self._dyadic(left)
                scale = math.frexp(by)[1] - 1
                if a is None or a.scale + scale > MOST_SCALE:
                    return None
                return Dyadic(a.number / int(by), a.most, a.scale + scale, a.given)
            case _:
                return None

    def _first_present(self, args: Sequence[Expr]) -> Value:
        """The first of the arguments that is not null."""
        null, value = self.value(args[-1])
        for arg in reversed(args[:-1]):
            first = self.value(arg)
            null, value = self._and(first.null, null), z3.If(first.null, value, first.value)
        return Value(null, value)

    def _extreme(self, args: Sequence[Expr], *, greatest: bool) -> Value:
        """The greatest or least of the arguments that are not null."""
        null, value = self.value(args[0])
        for arg in args[1:]:
            other = self.value(arg)
            beyond = other.value > value if greatest else other.value < value
            taken = self._and(self._not(other.null), self._or(null, beyond))
            null, value = self._and(null, other.null), z3.If(taken, other.value, value)
        return Value(null, value)

    def _arithmetic(self, call: Call, meaning: SolverMeaning) -> Any:
        """Integer and exact decimal arithmetic; None for what is not computed here."""
        types = (call.type, *(a.type for a in call.args))
        if not call.args:
            return None
        if all(isinstance(t, IntegralType | DateType) for t in types):
            return self._of_integers(call, meaning)
        if all(isinstance(t, DecimalType) for t in types):
            return self._of_decimals(call, meaning)
        return None

    def _of_integers(self, call: Call, meaning: SolverMeaning) -> Any:
        """A function of whole numbers or days; None where its meaning is not linear arithmetic."""
        first, *rest = (self.value(a).value for a in call.args)
        second = rest[0] if rest else None
        match meaning:
            case SolverMeaning.SUM:
                return first + second
            case SolverMeaning.DIFFERENCE | SolverMeaning.DAYS_BETWEEN:
                return first - second
            case SolverMeaning.PRODUCT:
                return self._product(first, second)
            case SolverMeaning.NEGATION:
                return -first
            case SolverMeaning.IDENTITY:
                return first
            case SolverMeaning.MAGNITUDE:
                return z3.If(first < 0, -first, first)
            case SolverMeaning.MODULUS:
                return first % second if is_positive(call.args[1]) else None
            case SolverMeaning.DAYS_LATER:
                return first + second if is_few_days(call.args[1]) else None
            case SolverMeaning.DAYS_EARLIER:
                return first - second if is_few_days(call.args[1]) else None
            case SolverMeaning.WHOLE_QUOTIENT | SolverMeaning.REMAINDER:
                return self._division(call.function, meaning, first, second)
            case SolverMeaning.BIT:
                if can_fail(call):
                    return None
                # The solver's division rounds down, as shifting does.
                size = z3.IntVal(2 ** z3.simplify(second).as_long(), self.context)
                return (first / size) % 2
            case (
                SolverMeaning.UNINTERPRETED
                | SolverMeaning.QUOTIENT
                | SolverMeaning.YEAR
                | SolverMeaning.FIRST_PRESENT
                | SolverMeaning.GREATEST
                | SolverMeaning.LEAST
            ):
                return None
            case _:
                assert_never(meaning)

    def _of_decimals(self, call: Call, meaning: SolverMeaning) -> Any:
        """A function of decimals where nothing rounds, else None."""
        args = [self.value(a).value for a in call.args]
        if meaning is SolverMeaning.SUM and is_exact_sum(call):
            return args[0] + args[1]
        if meaning is SolverMeaning.DIFFERENCE and is_exact_sum(call):
            return args[0] - args[1]
        if meaning is SolverMeaning.PRODUCT and is_exact_product(call):
            return self._product(args[0], args[1])
        if meaning is SolverMeaning.NEGATION and is_exact_negation(call):
            return -args[0]
        return None

    def _exact(self, identity: str, args: tuple[Expr, ...], type_: DataType) -> Any:
        """A sum or product of numbers, without rounding."""
        values = [self.value(a).value for a in args]
        if isinstance(type_, DecimalType):
            values = [z3.ToReal(v) if z3.is_int(v) else v for v in values]
        if identity == MULTIPLIED:
            return reduce(self._product, values)
        return values[0] if len(values) == 1 else z3.Sum(values)

    def _product(self, a: Any, b: Any) -> Any:
        """Polynomials multiplied out; a product of unknowns is a function of them in one order."""
        expanded = z3.simplify(a * b, som=True)
        terms = expanded.children() if z3.is_add(expanded) else [expanded]
        monomials = [self._monomial(term) for term in terms]
        return monomials[0] if len(monomials) == 1 else z3.Sum(monomials)

    def _monomial(self, term: Any) -> Any:
        """A constant times a product of unknowns."""
        factors: list[Any] = []
        for factor in term.children() if z3.is_mul(term) else [term]:
            factors += self._factors.get(factor.get_id(), (factor, [factor]))[1]
        known = [f for f in factors if z3.is_int_value(f) or z3.is_rational_value(f)]
        unknown = sorted(
            (f for f in factors if not any(f is k for k in known)), key=lambda f: f.get_id()
        )
        if len(unknown) < 2:
            return z3.Product(factors) if len(factors) > 1 else factors[0]
        product = reduce(self._multiplied, unknown)
        if product.get_id() not in self._factors:
            self._factors[product.get_id()] = (product, unknown)
            if len(unknown) <= MOST_REORDERED:
                for order in islice(permutations(unknown), 1, None):
                    self.facts.append(self._equal(product, reduce(self._multiplied, order)))
        return z3.Product([*known, product]) if known else product

    def _multiplied(self, a: Any, b: Any) -> Any:
        return self._function(("product", str(a.sort())), (a, b), a.sort())

    def _division(self, function: str, meaning: SolverMeaning, a: Any, b: Any) -> Any:
        """Division of integers truncates toward zero, its remainder has the dividend's sign."""
        b = z3.simplify(b)
        if not z3.is_int_value(b) or b.as_long() == 0:
            return self._function(("divide", function), (a, b), z3.IntSort(self.context))
        size = z3.IntVal(abs(b.as_long()), self.context)
        quotient = z3.If(a >= 0, a / size, -((-a) / size))
        if meaning is SolverMeaning.REMAINDER:
            return a - quotient * size
        return quotient if b.as_long() > 0 else -quotient

    def _cast(self, cast: Cast) -> Value:
        given, target = cast.arg.type, cast.type
        null, value = self.value(cast.arg)
        if isinstance(given, NullType):
            return Value(self.yes, self._junk(target))
        if given == target:
            return Value(null, value)
        if isinstance(given, IntegralType) and isinstance(target, IntegralType):
            return self._between_integers(cast, null, value)
        if isinstance(target, DecimalType) and holds_exactly(given, target):
            if isinstance(given, IntegralType):
                value = z3.ToReal(value)
            return Value(null, value)
        converted = self._uninterpreted(
            ("cast", cast.mode.value),
            (cast.arg,),
            target,
            Nulls.STRICT
            if cast.mode is CastMode.ANSI and not gives_null(given, target)
            else Nulls.PROPAGATE,
        )
        if isinstance(given, IntegralType) and isinstance(target, DoubleType):
            small = self._and(value >= -EXACT_DOUBLE, value <= EXACT_DOUBLE)
            exact = self.rank(target, converted.value) == z3.ToReal(value)
            self.facts.append(z3.Implies(small, exact))
            converted = Value(null, converted.value)
        return converted

    def _between_integers(self, cast: Cast, null: Any, value: Any) -> Value:
        given, target = RANGES[type(cast.arg.type)], RANGES[type(cast.type)]
        if given <= target:
            return Value(null, value)
        fits = self._and(value >= -(2**target), value < 2**target)
        if cast.mode is CastMode.TRY:
            return Value(self._or(null, self._not(fits)), value)
        other = self._function(
            ("narrowed", cast.mode.value, target), (value,), z3.IntSort(self.context)
        )
        return Value(null, z3.If(fits, value, other))

    def _uninterpreted(
        self, name: tuple[str, ...], args: tuple[Expr, ...], type_: DataType, nulls: Nulls
    ) -> Value:
        """Some function of the arguments, null as its null rule says."""
        key = (*name, *(str(a.type) for a in args), str(type_))
        given = [self.value(a) for a in args]
        any_null = self._or(*(g.null for g in given))
        if nulls in (Nulls.STRICT, Nulls.PROPAGATE):
            terms = tuple(g.value for g in given)
        else:
            # Junk under a null must not tell equal arguments apart.
            terms = tuple(
                term
                for g, a in zip(given, args, strict=True)
                for term in (g.null, z3.If(g.null, self._junk(a.type), g.value))
            )
        value = self._function(("value", *key), terms, self._sort(type_))
        if nulls is Nulls.STRICT:
            return Value(any_null, value)
        if nulls is Nulls.NEVER:
            return Value(self.no, value)
        own = self._function(("null", *key), terms, self._sort_named(BOOL))
        return Value(self._or(any_null, own) if nulls is Nulls.PROPAGATE else own, value)

    def _function(self, key: tuple[Any, ...], args: tuple[Any, ...], result: Any) -> Any:
        function = self._functions.get(key)
        if function is None:
            name = " ".join(map(str, key))
            sorts = [a.sort() for a in args]
            function = z3.Function(name, *sorts, result) if args else z3.Const(name, result)
            self._functions[key] = function
        return function(*args) if args else function

    # -- sorts ---------------------------------------------------------------------------------

    def _is_ordered(self, type_: DataType) -> bool:
        return isinstance(type_, (*INTEGERS, DecimalType, StringType, BinaryType))

    def _sort(self, type_: DataType) -> Any:
        if isinstance(type_, BooleanType | NullType):
            return self._sort_named(BOOL)
        if isinstance(type_, INTEGERS):
            return z3.IntSort(self.context)
        if isinstance(type_, DecimalType | StringType | BinaryType):
            return z3.RealSort(self.context)
        return self._sort_named(f"type {type_}")

    def _sort_named(self, name: str) -> Any:
        if name not in self._sorts:
            sort = z3.BoolSort(self.context) if name == BOOL else z3.DeclareSort(name, self.context)
            self._sorts[name] = sort
        return self._sorts[name]

    def _junk(self, type_: DataType) -> Any:
        return z3.Const(f"junk {self._sort(type_)}", self._sort(type_))

    # -- Boolean terms, made without the checks of z3's own constructors -------------------------

    def _and(self, *parts: Any) -> Any:
        kept = []
        for part in parts:
            if part is self.no:
                return self.no
            if part is not self.yes:
                kept.append(part)
        if len(kept) < 2:
            return kept[0] if kept else self.yes
        return self._made(z3.Z3_mk_and(self.context.ref(), len(kept), self._array(kept)))

    def _or(self, *parts: Any) -> Any:
        kept = []
        for part in parts:
            if part is self.yes:
                return self.yes
            if part is not self.no:
                kept.append(part)
        if len(kept) < 2:
            return kept[0] if kept else self.no
        return self._made(z3.Z3_mk_or(self.context.ref(), len(kept), self._array(kept)))

    def _not(self, part: Any) -> Any:
        if part is self.yes:
            return self.no
        if part is self.no:
            return self.yes
        return self._made(z3.Z3_mk_not(self.context.ref(), part.as_ast()))

    def _equal(self, a: Any, b: Any) -> Any:
        return self._made(z3.Z3_mk_eq(self.context.ref(), a.as_ast(), b.as_ast()))

    def _array(self, parts: list[Any]) -> Any:
        array = (z3.Ast * len(parts))()
        for i, part in enumerate(parts):
            array[i] = part.as_ast()
        return array

    def _made(self, ast: Any) -> Any:
        return z3.BoolRef(ast, self.context)


BOOL = "bool"
