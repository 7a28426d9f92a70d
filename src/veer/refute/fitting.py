"""Values that pass: what filters and joins ask of source columns, followed down to the sources.

Chance rarely passes many joins and filters. Columns that joins equate get the same value, chosen
to satisfy most of the conditions anybody puts on them; only a guess at what reaches the sinks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import InvalidOperation
from functools import partial
from typing import Any, TypeAlias, final

from veer.errors import InputError
from veer.expressions.comparisons import MIRRORED
from veer.expressions.constant_folding import COMPARISONS
from veer.facts.lineage import column_sources, followed
from veer.functions.registry import Failure
from veer.functions.traits import TextUse
from veer.interpreter.expressions import Compiled, compile_expr
from veer.ir import expr as ex, ops, types as ty, walk
from veer.ir.dag import Dataflow
from veer.ir.schema import Field, Schema
from veer.refute.pools import fits
from veer.refute.texts import looks_into_texts, telling_texts, text_use

SourceColumn: TypeAlias = tuple[str, int]  # a table and a column of it
Origins: TypeAlias = tuple[SourceColumn | None, ...]
# What the columns of a signal compute of source columns; None where that is not followed.
Composition: TypeAlias = tuple[ex.Expr | None, ...]
MOST_PARTS = 40


@final
@dataclass(frozen=True, slots=True)
class _Test:
    """A condition on one column of a type."""

    type: ty.DataType
    compiled: Compiled

    def holds(self, value: Any) -> bool:
        """Whether a value passes; one of an equated column of another type does not."""
        try:
            return fits(value, self.type) and self.compiled((value,), ()) is True
        except (Failure, InputError):
            return False


class Conditions:
    """What is asked of each source column, columns that are equated together."""

    def __init__(self, dataflows: Iterable[Dataflow]) -> None:
        self._leader: dict[SourceColumn, SourceColumn] = {}
        self._asked: dict[SourceColumn, list[tuple[str, Any]]] = {}
        self._table_numbers: dict[str, int] = {}  # the tuple variables of `_composition`
        self._tests: dict[
            SourceColumn, dict[ex.Expr, _Test]
        ] = {}  # conditions on nothing but a column
        self.read: set[SourceColumn] = set()  # columns that do more than pass through
        self.folded: set[SourceColumn] = set()  # columns that aggregates read
        for dataflow in dataflows:
            self._read(dataflow)
        merged: dict[SourceColumn, list[tuple[str, Any]]] = {}
        for column, asked in self._asked.items():
            merged.setdefault(self.leader(column), []).extend(asked)
        self._asked = merged
        tests: dict[SourceColumn, dict[ex.Expr, _Test]] = {}
        for column, conditions in self._tests.items():
            tests.setdefault(self.leader(column), {}).update(conditions)
        self._tests = tests

    def leader(self, column: SourceColumn) -> SourceColumn:
        """The column that stands for all columns equated with one."""
        while (above := self._leader.get(column, column)) != column:
            column = above
        return column

    def asked(self, column: SourceColumn) -> Sequence[tuple[str, Any]]:
        """The comparisons with constants that a column meets somewhere."""
        return self._asked.get(self.leader(column), ())

    def constants(self, column: SourceColumn) -> list[Any]:
        """The constants a column is compared with, or computed with before it is."""
        constants = [c for _, c in self.asked(column)]
        tests = self._tests.get(self.leader(column), {})
        for test in tests:
            constants += [part.value for part in walk.parts(test) if isinstance(part, ex.Literal)]
            constants += [moment_of(part) for part in walk.parts(test) if isinstance(part, ex.Cast)]
        constants += telling_texts(filter(looks_into_texts, tests))
        return [c for c in constants if c is not None]

    def best(self, column: SourceColumn, values: Iterable[Any]) -> list[Any]:
        """The values that pass most of these comparisons and conditions."""
        asked = self.asked(column)
        tests = list(self._tests.get(self.leader(column), {}).values())
        passed = {
            v: sum(_passes(v, op, c) for op, c in asked) + sum(test.holds(v) for test in tests)
            for v in values
        }
        most = max(passed.values())
        return [v for v, count in passed.items() if count == most]

    def _read(self, dataflow: Dataflow) -> None:
        origins: dict[str, Origins] = {}
        composed: dict[str, Composition] = {}
        for id_ in dataflow.order:
            operator, below = dataflow.operators[id_], dataflow.inputs[id_]
            rows = Schema(tuple(f for i in below for f in dataflow.schemas[i]))
            given = tuple(origin for i in below for origin in origins[i])
            values = tuple(expr for i in below for expr in composed[i])
            match operator:
                case ops.Source(table, fields):
                    origins[id_] = tuple((table, i) for i in range(len(fields)))
                    row = self._table_numbers.setdefault(table, len(self._table_numbers))
                    composed[id_] = tuple(
                        ex.RowColumn(row, i, f.type, f.nullable) for i, f in enumerate(fields)
                    )
                    for check in operator.checks:
                        self._note_test(check, Schema(fields), composed[id_])
                    continue
                case ops.Filter(condition) | ops.Join(condition=condition) if condition is not None:
                    self._note_test(condition, rows, values)
                    self._note(condition, rows, given)
            sources = column_sources(dataflow, id_)
            originates = partial(_origin, schema=rows, origins=given)
            composes: Callable[[ex.Expr], ex.Expr | None] = partial(
                _composed, rows=rows, composition=values
            )
            origins[id_] = tuple(followed(s, given, originates) for s in sources)
            of_several = isinstance(operator, ops.Union)
            composed[id_] = tuple(
                None if of_several else followed(s, values, composes) for s in sources
            )
            self._read_columns(operator, given, rows)

    def _read_columns(self, reader: ops.AnyOperator, origins: Origins, rows: Schema) -> None:
        for expr in walk.operator_exprs(reader):
            if isinstance(reader, ops.Project | ops.Sink) and isinstance(expr, ex.Column):
                continue
            for column in walk.columns_read(expr):
                origin = origins[rows.place(column.name, column.occurrence)]
                if origin is not None:
                    self.read.add(origin)
                    if isinstance(reader, ops.Aggregate | ops.GlobalAggregate):
                        self.folded.add(origin)
        if isinstance(reader, ops.Aggregate):
            keys = {_origin(k.expr, rows, origins) for k in reader.keys}
            self.folded -= {column for column in keys if column is not None}

    def _note_test(self, condition: ex.Expr, rows: Schema, composition: Composition) -> None:
        """Keep the parts of a condition that read one source column and nothing else."""
        for part in condition.args if isinstance(condition, ex.And) else (condition,):
            composed = _composed(part, rows, composition)
            if composed is None:
                continue
            read = {node for node in walk.parts(composed) if isinstance(node, ex.RowColumn)}
            if len(read) != 1:
                continue
            (column,) = read
            (table,) = (t for t, n in self._table_numbers.items() if n == column.variable)
            try:
                test = compile_expr(
                    walk.transform(composed, _as_value), (_value_schema(column.type),)
                )
            except (InputError, RecursionError):
                continue
            self._tests.setdefault((table, column.index), {})[composed] = _Test(column.type, test)

    def _note(self, condition: ex.Expr, schema: Schema, origins: Origins) -> None:
        """Note which constants columns are compared with, and which columns are equated."""
        for op, left, right in _comparisons(condition):
            column = _origin(left, schema, origins)
            if column is None:
                continue
            if isinstance(right, ex.Literal):
                self._asked.setdefault(column, []).append((op, right.value))
            elif op in ("=", "<=>"):
                other = _origin(right, schema, origins)
                if other is not None:
                    self._leader[self.leader(other)] = self.leader(column)


def moment_of(expr: ex.Cast) -> Any:
    """The date or timestamp that a constant text is read as, if it is read as one."""
    if not isinstance(expr.arg, ex.Literal):
        return None
    if not isinstance(expr.type, ty.DateType | ty.TimestampType | ty.TimestampNtzType):
        return None
    try:
        return compile_expr(expr, (Schema(()),))((), ())
    except (Failure, InputError):
        return None


def _as_value(node: ex.Expr) -> ex.Expr:
    return ex.Column("value", node.type) if isinstance(node, ex.RowColumn) else node


def _value_schema(type_: ty.DataType) -> Schema:
    """Rows of a single value: those on which conditions over one column are tried."""
    return Schema((Field("value", type_),))


def _composed(expr: ex.Expr, rows: Schema, composition: Composition) -> ex.Expr | None:
    """An expression over what its columns compute; None if that is not of one row, or too long."""
    if sum(1 for _ in walk.parts(expr)) > MOST_PARTS:
        return None
    unfit = (ex.Exists, ex.InQuery, ex.ScalarQuery, ex.OuterColumn, ex.OpaqueCall)
    if any(isinstance(part, unfit) for part in walk.parts(expr)):
        return None
    columns = {c: composition[rows.place(c.name, c.occurrence)] for c in walk.columns_read(expr)}
    if not columns or any(value is None or value.type != c.type for c, value in columns.items()):
        return None
    composed = walk.substitute_columns(expr, lambda c: columns[c] or c)
    return composed if sum(1 for _ in walk.parts(composed)) <= MOST_PARTS else None


def _origin(expr: ex.Expr, schema: Schema, origins: Origins) -> SourceColumn | None:
    """The source column an expression passes on, perhaps cast."""
    while isinstance(expr, ex.Cast):
        expr = expr.arg
    return (
        origins[schema.place(expr.name, expr.occurrence)] if isinstance(expr, ex.Column) else None
    )


def _comparisons(condition: ex.Expr) -> Iterator[tuple[str, ex.Expr, ex.Expr]]:
    """Comparisons that make a condition true; of alternatives the first."""
    stack = [condition]
    while stack:
        part = stack.pop()
        match part:
            case ex.And(args):
                stack.extend(args)
            case ex.Or(args):
                stack.append(args[0])
            case ex.Compare(op, ex.Literal() as left, right):
                yield MIRRORED.get(op, op), right, left
            case ex.Compare(op, left, right):
                yield op, left, right
            case ex.Call(_, (text, pattern, *_)) if text_use(part) in (TextUse.PART, TextUse.LIKE):
                # What passes for one text of the right kind.
                literal = _in_any_letter_case(pattern)
                if isinstance(literal, ex.Literal) and isinstance(literal.value, str):
                    plain = literal.value.replace("%", "").replace("_", "a")
                    yield "=", _in_any_letter_case(text), ex.Literal(plain, literal.type)
            case ex.InList(arg, options) if options:
                yield "=", arg, options[0]
            case ex.Not(ex.IsNull(arg)):
                yield "<>", arg, ex.Literal(None, arg.type)
            case ex.IsNull(arg):
                yield "<=>", arg, ex.Literal(None, arg.type)


def _in_any_letter_case(expr: ex.Expr) -> ex.Expr:
    """The expression without changes of letter case."""
    while isinstance(expr, ex.Call) and text_use(expr) is TextUse.LETTER_CASE:
        expr = expr.args[0]
    return expr


def _passes(value: Any, op: str, constant: Any) -> bool:
    if value is None or constant is None:
        return (value is None) == (op == "<=>" and constant is None)
    try:
        return COMPARISONS[op](value, constant)
    except (TypeError, KeyError, InvalidOperation):  # a number against a text, or NaN
        return False
