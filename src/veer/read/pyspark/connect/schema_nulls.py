"""The nullability that Spark's schemas give columns of frames that are read, where it is known.

Whether Spark calls a column nullable follows rules of its own (`SchemaNulls`), which say
neither more nor less than what values there can be. What is not known is None here: a job that asks
for it is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, final

from veer.functions.registry import aggregate_schema_nulls, schema_nulls
from veer.functions.traits import SchemaNulls
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Link
from veer.ir.schema import Schema
from veer.settings import NEWEST, current

ALWAYS = ex.Literal(True, ty.BOOLEAN)
TABLE = "table"  # the format of a source that is nothing else
DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}  # of decimals without a fraction


@final
@dataclass(frozen=True)
class Nulls:
    """Whether a value may be null by its schema, and what is inside of it; None where unknown.

    Inside of an array are its elements, of a map its keys and values, of a struct its fields.
    """

    nullable: bool | None
    inside: tuple[Nulls, ...] | None = ()

    def outer(self) -> Nulls:
        """The same in rows that may be padded."""
        return replace(self, nullable=True)


def declared(type_: ty.DataType, nullable: bool | None = True) -> Nulls:
    """A type in which all parts may be null, except keys of maps."""
    match type_:
        case ty.ArrayType(element):
            return Nulls(nullable, (declared(element),))
        case ty.MapType(key, value):
            return Nulls(nullable, (declared(key, False), declared(value)))
        case ty.StructType(fields):
            return Nulls(nullable, tuple(declared(t) for _, t in fields))
        case _:
            return Nulls(nullable)


def unknown(type_: ty.DataType, nullable: bool | None = None) -> Nulls:
    """A type that is unknown, or has an unknown part."""
    is_whole = not isinstance(type_, ty.ArrayType | ty.MapType | ty.StructType)
    return Nulls(nullable, () if is_whole else None)


def _either(several: Sequence[Nulls]) -> Nulls:
    """A value that may come from any of several places."""
    inside = [n.inside for n in several]
    parts = tuple(_either(p) for p in zip(*(i or () for i in inside), strict=False))
    same = None not in inside and len({len(i or ()) for i in inside}) == 1
    return Nulls(_any([n.nullable for n in several]), parts if same else None)


def _any(several: Sequence[bool | None]) -> bool | None:
    return True if True in several else None if None in several else False


def _all(several: Sequence[bool | None]) -> bool | None:
    return False if False in several else None if None in several else True


def _is_of_nulls(condition: ex.Expr | None) -> bool:
    """Whether a join takes null for equal to null, as set operations do."""
    tests = condition.args if isinstance(condition, ex.And) else (condition,)
    return any(isinstance(test, ex.Compare) and test.op == "<=>" for test in tests)


def _of_both(left: Nulls, right: Sequence[Nulls]) -> Nulls:
    """A column of the left side of a join that may be an INTERSECT."""
    same = left.nullable is False or all(r.nullable for r in right)
    return left if same else replace(left, nullable=None)


Columns: TypeAlias = Sequence[Nulls]


@final
class NullsOfSchemas:
    """Answers for the signals of a dataflow that is being built; each is computed once."""

    def __init__(
        self,
        operators: Mapping[str, ops.AnyOperator],
        links: Sequence[Link],
        schemas: Mapping[str, Schema],
        of_python: Callable[[ex.Expr], bool],
    ) -> None:
        self._operators, self._schemas, self._of_python = operators, schemas, of_python
        self._inputs: dict[str, list[str]] = {}
        for link in sorted(links, key=lambda link: link.port):
            self._inputs.setdefault(link.dst, []).append(link.src)

    def of(self, id_: str) -> Columns:
        """What the schema of a signal says of its columns."""
        known: dict[str, Columns] = {}
        waiting = [id_]
        while waiting:
            here = waiting[-1]
            inputs = self._inputs.get(here, [])
            missing = [i for i in inputs if i not in known]
            waiting += missing
            if not missing:
                known[here] = self._output(here, [known[i] for i in inputs])
                waiting.pop()
        return known[id_]

    def _output(self, id_: str, inputs: Sequence[Columns]) -> Columns:
        operator, schema = self._operators[id_], self._schemas[id_]
        below = [self._schemas[i] for i in self._inputs.get(id_, [])]
        match operator:
            case ops.Source(table, format=format_):
                if format_ == ops.LOCAL:
                    return [unknown(f.type, f.nullable) for f in schema]
                # Files may be read as nullable whatever is declared of them.
                is_table = format_ == TABLE and "/" not in table
                return [
                    declared(f.type, f.nullable if is_table else f.nullable or None) for f in schema
                ]
            case ops.Values():
                return [unknown(f.type, f.nullable) for f in schema]
            case ops.Filter() | ops.Sort() | ops.Limit() | ops.Deduplicate() | ops.Sample():
                return inputs[0]
            case ops.ExceptAll():
                return inputs[0]
            case ops.IntersectAll():
                return [
                    replace(_either(pair), nullable=_all([n.nullable for n in pair]))
                    for pair in zip(*inputs, strict=True)
                ]
            case ops.Union():
                return [_either(several) for several in zip(*inputs, strict=True)]
            case ops.Project(columns):
                return [self._expr(c.expr, below[0], inputs[0]) for c in columns]
            case ops.Join(kind):
                left, right = inputs
                match kind:
                    case ops.JoinKind.SEMI if _is_of_nulls(operator.condition):
                        # Perhaps an INTERSECT, whose columns are null where both sides' may be.
                        return [_of_both(n, right[i : i + 1]) for i, n in enumerate(left)]
                    case ops.JoinKind.SEMI | ops.JoinKind.ANTI:
                        return left
                    case ops.JoinKind.LEFT:
                        return [*left, *(n.outer() for n in right)]
                    case ops.JoinKind.FULL:
                        return [n.outer() for n in (*left, *right)]
                    case _:
                        return [*left, *right]
            case ops.Aggregate(keys, calls):
                grouped = [self._expr(k.expr, below[0], inputs[0]) for k in keys]
                return [*grouped, *(self._call(c.call, below[0], inputs[0]) for c in calls)]
            case ops.GlobalAggregate(calls):
                return [self._call(c.call, below[0], inputs[0]) for c in calls]
            case ops.Over(named):
                return [*inputs[0], *(self._call(c.call, below[0], inputs[0]) for c in named)]
            case ops.Unnest():
                return [*inputs[0], *self._unnested(operator, below[0], inputs[0])]
            case _:
                return [unknown(f.type) for f in schema]

    def _unnested(self, unnest: ops.Unnest, rows: Schema, columns: Columns) -> Columns:
        added = self._expr(unnest.generator, rows, columns).inside
        if added is not None and unnest.inline:
            (struct,) = added
            fields = struct.inside
            is_null = struct.nullable
            added = fields and tuple(
                replace(f, nullable=_any([f.nullable, is_null])) for f in fields
            )
        if added is None:
            types = unnest.generated_types()
            added = tuple(unknown(t) for t in types[int(unnest.position) :])
        given = ([Nulls(False)] if unnest.position else []) + list(added)
        return [n.outer() for n in given] if unnest.outer else given

    # -- expressions ---------------------------------------------------------------------------

    def _expr(self, expr: ex.Expr, rows: Schema, columns: Columns) -> Nulls:
        found = self._native(expr, rows, columns)
        if not self._of_python(expr) or found.nullable:
            return found
        # What a Python function gives is nullable; of one that was read, this may be another use.
        return unknown(expr.type, True if isinstance(expr, ex.OpaqueCall) else None)

    def _native(self, expr: ex.Expr, rows: Schema, columns: Columns) -> Nulls:
        def of(*exprs: ex.Expr) -> list[Nulls]:
            return [self._expr(e, rows, columns) for e in exprs]

        def flags(*exprs: ex.Expr) -> list[bool | None]:
            return [n.nullable for n in of(*exprs)]

        match expr:
            case ex.Column(name, _, occurrence):
                return columns[rows.place(name, occurrence)]
            case ex.Literal(value):
                return unknown(expr.type, value is None)
            case ex.And(args) | ex.Or(args):
                return Nulls(_any(flags(*args)))
            case ex.Not(arg):
                return Nulls(_any(flags(arg)))
            case ex.Compare(op, left, right):
                return Nulls(False if op == "<=>" else _any(flags(left, right)))
            case ex.IsNull() | ex.Exists():
                return Nulls(False)
            case ex.InList(arg, options):
                return Nulls(_any(flags(arg, *options)))
            case ex.Case(branches, otherwise):
                # What stands behind a branch that is always taken is not looked at.
                taken = [i for i, (when, _) in enumerate(branches) if when == ALWAYS]
                values = [then for _, then in branches]
                seen = values[: taken[0] + 1] if taken else [*values, otherwise]
                return _either(of(*seen))
            case ex.GetField(arg, name) if isinstance(arg.type, ty.StructType):
                (struct,) = of(arg)
                if struct.inside is None:
                    return unknown(expr.type, struct.nullable or None)
                field = struct.inside[[n for n, _ in arg.type.fields].index(name)]
                return replace(field, nullable=_any([struct.nullable, field.nullable]))
            case ex.Cast() | ex.Call() | ex.OpaqueCall() if not _has_known_rules():
                return unknown(expr.type)
            case ex.Cast(arg, type_, mode):
                (given,) = of(arg)
                if given.nullable or _is_forced(arg.type, type_, mode):
                    return unknown(type_, True)
                return unknown(type_, None if mode is ty.CastMode.TRY else given.nullable)
            case ex.Call(args=args) if any(isinstance(a, ex.InQuery) for a in args):
                return unknown(expr.type)  # where its nulls do not matter, they are read as false
            case ex.ScalarQuery():
                return unknown(expr.type, True)
            case ex.OpaqueCall(function, args):
                return self._by_rule(function, expr.type, flags(*args))
            case ex.Call(function, args):
                return self._of_call(function, expr.type, of(*args))
            case _:
                return unknown(expr.type)

    def _of_call(self, function: str, type_: ty.DataType, args: Sequence[Nulls]) -> Nulls:
        flags = [n.nullable for n in args]
        match function:
            case "coalesce" | "greatest" | "least":
                return replace(_either(args), nullable=_all(flags))
            case "locate":
                return Nulls(_any(flags[:2]))
            case "item" | "element_at":
                return self._item(type_, args)
            case "array_contains":
                return Nulls(_any([*flags, _element(args[0])]))
            case "flatten":
                flags.append(_element(args[0]))
        known = self._by_rule(function, type_, flags)
        return replace(known, inside=_made_inside(function, args, known.inside))

    def _item(self, type_: ty.DataType, args: Sequence[Nulls]) -> Nulls:
        """A part of an array may be one that is null; which, Spark finds out of some alone."""
        if True in (n.nullable for n in args) or len(args[0].inside or ()) == 2:
            return unknown(type_, True)
        return unknown(type_)

    def _by_rule(self, function: str, type_: ty.DataType, flags: Sequence[bool | None]) -> Nulls:
        match schema_nulls(function):
            case SchemaNulls.ANY:
                return unknown(type_, _any(flags))
            case SchemaNulls.ALL:
                return unknown(type_, _all(flags))
            case SchemaNulls.FIRST:
                return unknown(type_, flags[0])
            case SchemaNulls.ALWAYS:
                return unknown(type_, True)
            case SchemaNulls.NEVER:
                return unknown(type_, False)
            case None:
                return unknown(type_)

    def _call(self, call: ex.AggregateCall | ex.OverCall, rows: Schema, columns: Columns) -> Nulls:
        if not _has_known_rules():
            return unknown(call.type)
        args = [self._expr(a, rows, columns) for a in call.args]
        match call.function:
            case "collect_list" | "collect_set":
                return Nulls(False, (replace(args[0], nullable=False),))
            case "lag" | "lead":
                default = args[2].nullable if len(args) > 2 else True
                return unknown(call.type, _any([args[0].nullable, default]))
            case "first" | "last" | "min" | "max" | "max_by" | "min_by":
                return args[0].outer()
        rule = aggregate_schema_nulls(call.function)
        return unknown(call.type, None if rule is None else rule is SchemaNulls.ALWAYS)


def _element(array: Nulls) -> bool | None:
    """Whether elements of an array may be null."""
    return array.inside[0].nullable if array.inside else None


def _made_inside(
    function: str, args: Sequence[Nulls], otherwise: tuple[Nulls, ...] | None
) -> tuple[Nulls, ...] | None:
    """What is inside of the arrays, maps and structs that a function makes."""
    inside = args[0].inside if args else ()
    match function:
        case "array":
            return (_either(args) if args else Nulls(False),)
        case "map" if args:
            return replace(_either(args[0::2]), nullable=False), _either(args[1::2])
        case "named_struct":
            return tuple(args[1::2])
        case "split" | "sequence":
            return (Nulls(False),)
        case "array_distinct" | "array_sort" | "reverse" | "slice" | "sort_array":
            return inside
        case "concat":
            return _either(args).inside
        case "flatten":
            return inside and inside[0].inside
        case "map_keys":
            return inside and (inside[0].outer(),)
        case "map_values":
            return inside and (inside[1],)
        case _:
            return otherwise


def _has_known_rules() -> bool:
    """Whether the rules are those of the session that is read: others have some of their own."""
    return current().ansi and current().spark >= NEWEST


def _is_forced(given: ty.DataType, target: ty.DataType, mode: ty.CastMode) -> bool:
    """Whether Spark calls a cast nullable whatever it casts: some values have none of the type."""
    if given == target or isinstance(given, ty.NullType):
        return False
    if isinstance(given, ty.StringType):
        return not isinstance(target, ty.StringType | ty.BinaryType)
    if mode is ty.CastMode.TRY:
        return False
    if isinstance(target, ty.StringType) or not isinstance(given, ty.AtomicType):
        return False
    match given, target:
        case ty.TimestampType(), ty.IntegralType():
            return str(target) != "bigint"
        case ((ty.FloatType() | ty.DoubleType()), ty.TimestampType()):
            return True
        case ty.TimestampType(), ty.DateType():
            return False
        case _, ty.DateType():
            return True
        case ty.DateType(), ty.TimestampType():
            return False
        case ty.DateType(), _:
            return True
        case _, ty.DecimalType():
            return not _fits(given, target)
        case ((ty.FloatType() | ty.DoubleType() | ty.DecimalType()), ty.IntegralType()):
            return True
        case _:
            return False


def _fits(given: ty.DataType, target: ty.DecimalType) -> bool:
    """Whether Spark knows that every value of a type is a decimal of another."""
    match given:
        case ty.BooleanType() | ty.IntegralType():
            digits = 1 if isinstance(given, ty.BooleanType) else DIGITS[str(given)]
            return target.precision - target.scale >= digits
        case ty.DecimalType(precision, scale):
            more = target.precision - target.scale - (precision - scale)
            return more > 0 or (more == 0 and target.scale >= scale)
        case _:
            return False


__all__ = ["Columns", "Nulls", "NullsOfSchemas"]
