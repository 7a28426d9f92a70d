"""Expressions as z3 terms, exactly or as uninterpreted functions of their arguments.

A value is a pair (is null, value), the value being junk where it is null. A truth value is the
pair (is true, is false). Which sort stands for which type is told in `terms`.

Outside its domain an operation has some value, the same for the same arguments in both versions.
What cannot be encoded without assuming too much, such as a function that may choose its result,
raises `UnsupportedError`; the question is then not proven.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never, final

import z3

from veer.errors import UnsupportedError
from veer.expressions.constant_folding import computed as constant
from veer.expressions.exact_arithmetic import keeps_number
from veer.functions.registry import Kind, Nulls, ScalarFunction, scalar_function
from veer.functions.traits import Evaluation, SolverMeaning
from veer.ir import expr as ex, types as ty
from veer.ir.lambdas import PARTS, function_of
from veer.ir.nullability import gives_null
from veer.ir.pprint import show_variable
from veer.prove.solver import formula as solver_formula
from veer.prove.solver.arithmetic import Arithmetic
from veer.prove.solver.arrays import ArrayFacts
from veer.prove.solver.calendar import Calendar
from veer.prove.solver.doubles import EXACT_DOUBLE, Dyadics
from veer.prove.solver.literals import Literals
from veer.prove.solver.terms import Terms, Truth, Value, has_ordered_sort
from veer.prove.solver.texts import TextFacts
from veer.prove.solver.wall_clocks import WallClocks

EXTREMES = (SolverMeaning.GREATEST, SolverMeaning.LEAST)


@final
@dataclass
class Encoder:
    """Encodes the formulas of one question in one z3 context.

    `axioms` must be asserted beside the formulas, when all are encoded. `variables` are those met.
    """

    context: z3.Context

    def __post_init__(self) -> None:
        self.terms = Terms(self.context)
        self.literals = Literals(self.terms)
        self._arithmetic = Arithmetic(self.terms, self._number)
        self._calendar = Calendar(self.terms, self._number)
        self._clocks = WallClocks(self.context)
        self._arrays = ArrayFacts(self.terms, self.value)
        self._texts = TextFacts(lambda text: self.literals.constant(text, ty.STRING))
        self._dyadics = Dyadics(self.context, self._number)
        # By identity, as expressions share parts; with the expression, which keeps its id taken.
        self._values: dict[int, tuple[ex.Expr, Value]] = {}
        self._truths: dict[int, tuple[ex.Expr, Truth]] = {}
        self._formulas: dict[int, tuple[solver_formula.Formula, Any]] = {}
        self._same: dict[tuple[int, int], tuple[ex.Expr, ex.Expr, Any]] = {}
        self.variables: dict[solver_formula.Variable, Value] = {}
        self._names: set[str] = set()  # of variables

    # -- formulas ------------------------------------------------------------------------------

    def formula(self, formula: solver_formula.Formula) -> Any:
        """A formula as a z3 Boolean."""
        entry = self._formulas.get(id(formula))
        if entry is None:
            entry = self._formulas[id(formula)] = (formula, self._formula(formula))
        return entry[1]

    def _formula(self, formula: solver_formula.Formula) -> Any:
        match formula:
            case solver_formula.Holds(condition):
                return self.truth(condition).true
            case solver_formula.Same(left, right):
                return self.same(left, right)
            case solver_formula.All(parts):
                return self.terms.all_of(*map(self.formula, parts))
            case solver_formula.Some(parts):
                return self.terms.any_of(*map(self.formula, parts))
            case solver_formula.No(part):
                return self.terms.negated(self.formula(part))
            case solver_formula.SameCount(left, right):
                return self._count(left) == self._count(right)
            case _:
                assert_never(formula)

    def axioms(self) -> list[Any]:
        """What holds of the terms encoded so far, to be asserted beside them."""
        texts = list(self._texts.axioms(self.literals.strings))
        calendar = self._calendar.axioms(self.literals.integers, self.literals.years)
        arrays = list(self._arrays.axioms())
        clocks = self._clocks.axioms(self.literals.instants, self.literals.days)
        return [*self.terms.axioms, *self.literals.axioms(), *texts, *calendar, *clocks, *arrays]

    def definitions(self) -> list[Any]:
        """What parts of dates are exactly, which helps to find models and costs proofs too much."""
        return list(self._calendar.definitions())

    def same(self, left: ex.Expr, right: ex.Expr) -> Any:
        """Whether two values are the same, null included; representation-exact.

        Only values of one type are the same: 1.0 and 1.00 are one real number and two decimals.
        """
        key = id(left), id(right)
        entry = self._same.get(key)
        if entry is None:
            entry = self._same[key] = (left, right, self._same_values(left, right))
        return entry[2]

    def _same_values(self, left: ex.Expr, right: ex.Expr) -> Any:
        a, b = self.value(left), self.value(right)
        if isinstance(left.type, ty.NullType) or isinstance(right.type, ty.NullType):
            return self.terms.all_of(a.null, b.null)
        if a.value.sort() != b.value.sort():
            raise UnsupportedError(f"{left.type} against {right.type}")
        if isinstance(left.type, ty.DecimalType) and left.type != right.type:
            raise UnsupportedError(f"{left.type} against {right.type}")
        both = self.terms.all_of(
            self.terms.negated(a.null),
            self.terms.negated(b.null),
            self.terms.equal(a.value, b.value),
        )
        return self.terms.any_of(self.terms.all_of(a.null, b.null), both)

    def _count(self, parts: tuple[solver_formula.Formula, ...]) -> Any:
        one, zero = z3.IntVal(1, self.context), z3.IntVal(0, self.context)
        return z3.Sum([zero, zero, *(z3.If(self.formula(p), one, zero) for p in parts)])

    # -- truth values --------------------------------------------------------------------------

    def truth(self, expr: ex.Expr) -> Truth:
        """A Boolean expression as a truth value."""
        entry = self._truths.get(id(expr))
        if entry is None:
            entry = self._truths[id(expr)] = (expr, self._truth(expr))
        return entry[1]

    def _truth(self, expr: ex.Expr) -> Truth:
        match expr:
            case ex.And(args):
                parts = [self.truth(a) for a in args]
                return Truth(
                    self.terms.all_of(*(p.true for p in parts)),
                    self.terms.any_of(*(p.false for p in parts)),
                )
            case ex.Or(args):
                parts = [self.truth(a) for a in args]
                return Truth(
                    self.terms.any_of(*(p.true for p in parts)),
                    self.terms.all_of(*(p.false for p in parts)),
                )
            case ex.Not(arg):
                true, false = self.truth(arg)
                return Truth(false, true)
            case ex.IsNull(arg):
                null = self.value(arg).null
                return Truth(null, self.terms.negated(null))
            case ex.Compare(op, left, right):
                return self._compare(op, left, right)
            case ex.InList(arg, options):
                # SQL's own definition; null options and a null argument follow from it.
                return self.truth(ex.Or(tuple(ex.Compare("=", arg, o) for o in options)))
            case ex.OpaqueCall(identity, (left, right)) if identity == solver_formula.SAME:
                is_same = self.same(left, right)
                return Truth(is_same, self.terms.negated(is_same))
            case _:
                null, value = self.value(expr)
                return Truth(
                    self.terms.all_of(self.terms.negated(null), value),
                    self.terms.all_of(self.terms.negated(null), self.terms.negated(value)),
                )

    def _compare(self, op: str, left: ex.Expr, right: ex.Expr) -> Truth:
        """A comparison with null is null, but `<=>` takes null for a value and is never null."""
        a, b = self.value(left), self.value(right)
        if isinstance(left.type, ty.NullType):
            return (
                Truth(self.terms.yes, self.terms.no)
                if op == "<=>"
                else Truth(self.terms.no, self.terms.no)
            )
        holds = self._related(op, left.type, a.value, b.value)
        both = self.terms.all_of(self.terms.negated(a.null), self.terms.negated(b.null))
        if op == "<=>":
            same = self.terms.any_of(
                self.terms.all_of(a.null, b.null), self.terms.all_of(both, holds)
            )
            return Truth(same, self.terms.negated(same))
        return Truth(
            self.terms.all_of(both, holds), self.terms.all_of(both, self.terms.negated(holds))
        )

    def _related(self, op: str, type_: ty.DataType, a: Any, b: Any) -> Any:
        """Two values that are not null, compared as Spark compares them."""
        if isinstance(type_, ty.FloatType | ty.DoubleType):
            # By rank, as 0.0 = -0.0 and NaN = NaN, the greatest: not by representation.
            a, b = self.literals.rank(type_, a), self.literals.rank(type_, b)
        elif isinstance(type_, ty.BooleanType):
            one, zero = z3.IntVal(1, self.context), z3.IntVal(0, self.context)
            if op in ("=", "<=>"):
                return self.terms.equal(a, b)
            a, b = z3.If(a, one, zero), z3.If(b, one, zero)
        elif not has_ordered_sort(type_):
            if op in ("=", "<=>") and not ty.has_floats(type_):
                return self.terms.equal(a, b)
            # Equality of values with floats inside is not sameness, again for the zeros.
            # A greater-than is a less-than the other way round; nothing else is known.
            if op in (">", ">="):
                op, a, b = {">": "<", ">=": "<="}[op], b, a
            name = "=" if op == "<=>" else op
            return self.terms.apply(("compare", name, str(type_)), (a, b), self.terms.boolean)
        match op:
            case "=" | "<=>":
                return self.terms.equal(a, b)
            case "<":
                return a < b
            case "<=":
                return a <= b
            case ">":
                return a > b
            case _:
                return a >= b

    # -- values --------------------------------------------------------------------------------

    def value(self, expr: ex.Expr) -> Value:
        """An expression as a nullable value."""
        entry = self._values.get(id(expr))
        if entry is None:
            entry = self._values[id(expr)] = (expr, self._value(expr))
        return entry[1]

    def _number(self, expr: ex.Expr) -> Any:
        """The value without its null: what arithmetic computes with, and junk where it is null."""
        return self.value(expr).value

    def _value(self, expr: ex.Expr) -> Value:
        match expr:
            case ex.RowColumn() | ex.Symbol():
                return self._variable(expr)
            case ex.Literal(value, type_):
                return self._literal(value, type_)
            case ex.And() | ex.Or() | ex.Not() | ex.Compare() | ex.IsNull() | ex.InList():
                true, false = self.truth(expr)
                return Value(
                    self.terms.all_of(self.terms.negated(true), self.terms.negated(false)), true
                )
            case ex.Case():
                return self._case(expr)
            case ex.Cast():
                return self._cast(expr)
            case ex.Call():
                return self._call(expr)
            case ex.OpaqueCall():
                return self._opaque(expr)
            case ex.GetField(arg, name):
                return self._uninterpreted(("field", name), (arg,), expr.type, Nulls.PROPAGATE)
            case ex.Column() | ex.OuterColumn() | ex.Exists() | ex.InQuery() | ex.ScalarQuery():
                raise UnsupportedError(f"{type(expr).__name__} is not a value of one row")
            case _:
                assert_never(expr)

    def _case(self, case: ex.Case) -> Value:
        """The first branch whose condition is true: one that is false or null is passed over."""
        otherwise = case.otherwise
        null, value = self.value(otherwise)
        # Junk is not chosen over a value: fewer terms, and no value under a null is ever read.
        is_junk = otherwise == ex.Literal(None, otherwise.type)
        for when, then in reversed(case.branches):
            taken, arm = self.truth(when).true, self.value(then)
            null = z3.If(taken, arm.null, null)
            value = arm.value if is_junk else z3.If(taken, arm.value, value)
            is_junk = is_junk and then == ex.Literal(None, then.type)
        return Value(null, value)

    def _opaque(self, call: ex.OpaqueCall) -> Value:
        """The prover's own functions, and functions of which nothing is known, nulls included."""
        if call.identity == solver_formula.SAME:
            return Value(self.terms.no, self.truth(call).true)
        if call.identity in (solver_formula.ADDED, solver_formula.MULTIPLIED):
            computed = self._arithmetic.exact(call.identity, call.args, call.type)
            return Value(self.terms.no, computed)
        if call.kind in (Kind.CHOICE, Kind.PARTITION):
            raise UnsupportedError(f"{call.identity} is not a function of its arguments")
        value = self._uninterpreted(("opaque", call.identity), call.args, call.type, Nulls.CUSTOM)
        if call.body is not None and function_of(call) in PARTS:
            return Value(self.value(call.args[0]).null, value.value)  # null with its array alone
        return value

    def _variable(self, variable: solver_formula.Variable) -> Value:
        """A free constant, one for each variable of the question."""
        value = self.variables.get(variable)
        if value is None:
            value = self.variables[variable] = self._free_constant(variable)
        return value

    def _free_constant(self, variable: solver_formula.Variable) -> Value:
        name, type_ = show_variable(variable), variable.type
        if name in self._names:
            # Two variables under one name would be one constant: equal, though nothing says so.
            raise UnsupportedError(f"{name} has two types")
        self._names.add(name)
        null = z3.Bool(f"{name} null", self.context) if variable.nullable else self.terms.no
        if isinstance(type_, ty.NullType):
            null = self.terms.yes
        value = self.terms.constant(name, type_)
        if isinstance(type_, ty.DecimalType):
            # A decimal is a whole number of its last digits. Its precision is not asserted here, nor
            # the range of an integer: models may have values that no column has.
            digits = z3.Int(f"{name} digits", self.context)
            self.terms.axioms.append(value * 10**type_.scale == z3.ToReal(digits))
        return Value(null, value)

    def _literal(self, value: Any, type_: ty.DataType) -> Value:
        if value is None:
            return Value(self.terms.yes, self.terms.junk(type_))
        return Value(self.terms.no, self.literals.constant(value, type_))

    # -- functions -----------------------------------------------------------------------------

    def _call(self, call: ex.Call) -> Value:
        """A function of the registry by its meaning to the solver, else some function."""
        function = scalar_function(call.function)
        if function.kind in (Kind.CHOICE, Kind.PARTITION):
            # As a function it would give P and Q the same choice, which no run has to.
            raise UnsupportedError(f"{call.function} is not a function of its arguments")
        value = self._applied(call, function)
        self._arrays.note(call, value)
        for text in self._texts.read_by(call):
            self._texts.note(call, text, self._number(text), value.value)
        return value

    def _applied(self, call: ex.Call, function: ScalarFunction) -> Value:
        meaning = function.solver
        if meaning is SolverMeaning.FIRST_PRESENT:
            return self._first_present(call.args)
        if meaning in EXTREMES and has_ordered_sort(call.type):
            return self._extreme(call.args, greatest=meaning is SolverMeaning.GREATEST)
        if meaning is SolverMeaning.PREFIX and (begins := self._begins(*call.args)) is not None:
            return begins
        computed = self._arithmetic.call(call)
        if computed is None:
            computed = self._calendar.call(call)
        if computed is not None:
            nulls = [self.value(a).null for a in call.args]
            return Value(self.terms.any_of(*nulls), computed)
        value = self._uninterpreted(("call", call.function), call.args, call.type, function.nulls)
        match call:
            case ex.Call("zoned.wall_clock", (instant, ex.Literal(str() as zone))):
                self._clocks.note(zone, self.value(instant).value, value.value)
            case ex.Call("zoned.start_of_day", (day, ex.Literal(str() as zone))):
                self._clocks.note_day(zone, self.value(day).value, value.value)
        if function.evaluation is Evaluation.TRIED_DIVISOR_FIRST:
            value = self._divided(call, value)
        if isinstance(call.type, ty.DoubleType):
            dyadic = self._dyadics.of(call)
            if dyadic is not None:
                # By its rank alone, so that 0.0 is not taken for -0.0.
                exact = self.literals.rank(call.type, value.value) == dyadic.number
                self.terms.axioms.append(z3.Implies(self.terms.all_of(*dyadic.given), exact))
        return value

    def _divided(self, call: ex.Call, value: Value) -> Value:
        """A division that gives null: where the divisor is zero; of decimals perhaps elsewhere."""
        divisor = call.args[1]
        by_zero = self.truth(
            ex.Compare("=", divisor, constant(ex.Cast(ex.Literal(0, ty.INT), divisor.type)))
        )
        if isinstance(call.type, ty.DecimalType) or isinstance(divisor.type, ty.DecimalType):
            return Value(self.terms.any_of(value.null, by_zero.true), value.value)
        nulls = [self.value(a).null for a in call.args]
        return Value(self.terms.any_of(*nulls, by_zero.true), value.value)

    def _begins(self, text: ex.Expr, prefix: ex.Expr) -> Value | None:
        """Texts that begin with a constant are those from it on, and below a next one.

        By their bytes, as Spark compares: 'An' and what follows is below 'Ao'.
        """
        if not isinstance(prefix, ex.Literal) or not isinstance(prefix.type, ty.StringType):
            return None
        if not prefix.value or not " " <= prefix.value[-1] < "~":
            return None
        null, value = self.value(text)
        following = prefix.value[:-1] + chr(ord(prefix.value[-1]) + 1)
        low, high = (self.literals.constant(t, prefix.type) for t in (prefix.value, following))
        return Value(null, self.terms.all_of(value >= low, value < high))

    def _first_present(self, args: Sequence[ex.Expr]) -> Value:
        """The first of the arguments that is not null."""
        null, value = self.value(args[-1])
        for arg in reversed(args[:-1]):
            first = self.value(arg)
            null, value = self.terms.all_of(first.null, null), z3.If(first.null, value, first.value)
        return Value(null, value)

    def _extreme(self, args: Sequence[ex.Expr], *, greatest: bool) -> Value:
        """The greatest or least of the arguments that are not null."""
        null, value = self.value(args[0])
        for arg in args[1:]:
            other = self.value(arg)
            beyond = other.value > value if greatest else other.value < value
            taken = self.terms.all_of(
                self.terms.negated(other.null), self.terms.any_of(null, beyond)
            )
            null, value = self.terms.all_of(null, other.null), z3.If(taken, other.value, value)
        return Value(null, value)

    # -- casts ---------------------------------------------------------------------------------

    def _cast(self, cast: ex.Cast) -> Value:
        """A cast that keeps the number is that number; any other is some function for each mode."""
        given, target = cast.arg.type, cast.type
        null, value = self.value(cast.arg)
        if isinstance(given, ty.NullType):
            return Value(self.terms.yes, self.terms.junk(target))
        if given == target:
            return Value(null, value)
        if keeps_number(cast):
            is_raised = isinstance(given, ty.IntegralType) and isinstance(target, ty.DecimalType)
            return Value(null, z3.ToReal(value) if is_raised else value)
        if isinstance(given, ty.IntegralType) and isinstance(target, ty.IntegralType):
            return self._narrowed(cast, null, value)
        if isinstance(given, ty.BooleanType) and isinstance(target, ty.IntegralType):
            one, zero = z3.IntVal(1, self.context), z3.IntVal(0, self.context)
            return Value(null, z3.If(value, one, zero))
        moment = self._calendar.cast(cast)
        if moment is not None:
            return Value(null, moment)
        fails = cast.mode is ty.CastMode.ANSI and not gives_null(given, target)
        nulls = Nulls.STRICT if fails else Nulls.PROPAGATE
        converted = self._uninterpreted(("cast", cast.mode.value), (cast.arg,), target, nulls)
        if isinstance(given, ty.IntegralType) and isinstance(target, ty.DoubleType):
            # A double holds every integer of 53 bits; larger ones are rounded, somehow.
            small = self.terms.all_of(value >= -EXACT_DOUBLE, value <= EXACT_DOUBLE)
            exact = self.literals.rank(target, converted.value) == z3.ToReal(value)
            self.terms.axioms.append(z3.Implies(small, exact))
            converted = Value(null, converted.value)
        return converted

    def _narrowed(self, cast: ex.Cast, null: Any, value: Any) -> Value:
        """An integer of fewer bits, where it fits.

        Where it does not, TRY_CAST gives null and LEGACY wraps: some number.
        """
        assert isinstance(cast.type, ty.IntegralType)
        target = ty.INTEGER_BITS[cast.type] - 1
        fits = self.terms.all_of(value >= -(2**target), value < 2**target)
        if cast.mode is ty.CastMode.TRY:
            return Value(self.terms.any_of(null, self.terms.negated(fits)), value)
        other = self.terms.apply(
            ("narrowed", cast.mode.value, target), (value,), self.terms.integer
        )
        return Value(null, z3.If(fits, value, other))

    # -- functions of which nothing is known -----------------------------------------------------

    def _uninterpreted(
        self, name: tuple[str, ...], args: tuple[ex.Expr, ...], type_: ty.DataType, nulls: Nulls
    ) -> Value:
        """Some function of the arguments, null as its null rule says."""
        key = (*name, *(str(a.type) for a in args), str(type_))
        given = [self.value(a) for a in args]
        any_null = self.terms.any_of(*(g.null for g in given))
        if nulls in (Nulls.STRICT, Nulls.PROPAGATE):
            # Null wherever an argument is, so what the function makes of junk is never read.
            terms = tuple(g.value for g in given)
        else:
            # Junk under a null must not tell equal arguments apart.
            terms = tuple(
                term
                for g, a in zip(given, args, strict=True)
                for term in (g.null, z3.If(g.null, self.terms.junk(a.type), g.value))
            )
        value = self.terms.apply(("value", *key), terms, self.terms.sort(type_))
        if nulls is Nulls.STRICT:
            return Value(any_null, value)
        if nulls is Nulls.NEVER:
            return Value(self.terms.no, value)
        own = self.terms.apply(("null", *key), terms, self.terms.boolean)
        return Value(self.terms.any_of(any_null, own) if nulls is Nulls.PROPAGATE else own, value)
