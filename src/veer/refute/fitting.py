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

from veer.analysis.lineage import column_sources, followed
from veer.errors import InputError
from veer.expressions.comparisons import MIRRORED
from veer.expressions.constant_folding import COMPARISONS
from veer.functions.registry import Failure
from veer.functions.traits import TextUse
from veer.interpreter.expressions import Compiled, compile_expr
from veer.model.dag import Dataflow
from veer.model.expr import (
    And,
    Call,
    Cast,
    Column,
    Compare,
    Exists,
    Expr,
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
)
from veer.model.ops import (
    Aggregate,
    AnyOperator,
    Filter,
    GlobalAggregate,
    Join,
    Project,
    Sink,
    Source,
    Union,
)
from veer.model.schema import Field, Schema
from veer.model.types import DataType, DateType, TimestampNtzType, TimestampType
from veer.model.walk import columns_read, operator_exprs, parts, substitute_columns, transform
from veer.refute.pools import fits
from veer.refute.texts import looks_into_texts, telling_texts, text_use

SourceColumn: TypeAlias = tuple[str, int]  # a table and a column of it
Origins: TypeAlias = tuple[SourceColumn | None, ...]
# What the columns of a signal compute of source columns; None where that is not followed.
Composition: TypeAlias = tuple[Expr | None, ...]
MOST_PARTS = 40


@final
@dataclass(frozen=True, slots=True)
class _Test:
    """A condition on one column of a type."""

    type: DataType
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
            SourceColumn, dict[Expr, _Test]
        ] = {}  # conditions on nothing but a column
        self.read: set[SourceColumn] = set()  # columns that do more than pass through
        self.folded: set[SourceColumn] = set()  # columns that aggregates read
        for dataflow in dataflows:
            self._read(dataflow)
        merged: dict[SourceColumn, list[tuple[str, Any]]] = {}
        for column, asked in self._asked.items():
            merged.setdefault(self.leader(column), []).extend(asked)
        self._asked = merged
        tests: dict[SourceColumn, dict[Expr, _Test]] = {}
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
            constants += [part.value for part in parts(test) if isinstance(part, Literal)]
            constants += [moment_of(part) for part in parts(test) if isinstance(part, Cast)]
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
                case Source(table, fields):
                    origins[id_] = tuple((table, i) for i in range(len(fields)))
                    row = self._table_numbers.setdefault(table, len(self._table_numbers))
                    composed[id_] = tuple(
                        RowColumn(row, i, f.type, f.nullable) for i, f in enumerate(fields)
                    )
                    for check in operator.checks:
                        self._note_test(check, Schema(fields), composed[id_])
                    continue
                case Filter(condition) | Join(condition=condition) if condition is not None:
                    self._note_test(condition, rows, values)
                    self._note(condition, rows, given)
            sources = column_sources(dataflow, id_)
            originates = partial(_origin, schema=rows, origins=given)
            composes: Callable[[Expr], Expr | None] = partial(
                _composed, rows=rows, composition=values
            )
            origins[id_] = tuple(followed(s, given, originates) for s in sources)
            of_several = isinstance(operator, Union)
            composed[id_] = tuple(
                None if of_several else followed(s, values, composes) for s in sources
            )
            self._read_columns(operator, given, rows)

    def _read_columns(self, reader: AnyOperator, origins: Origins, rows: Schema) -> None:
        for expr in operator_exprs(reader):
            if isinstance(reader, Project | Sink) and isinstance(expr, Column):
                continue
            for column in columns_read(expr):
                origin = origins[rows.place(column.name, column.occurrence)]
                if origin is not None:
                    self.read.add(origin)
                    if isinstance(reader, Aggregate | GlobalAggregate):
                        self.folded.add(origin)
        if isinstance(reader, Aggregate):
            keys = {_origin(k.expr, rows, origins) for k in reader.keys}
            self.folded -= {column for column in keys if column is not None}

    def _note_test(self, condition: Expr, rows: Schema, composition: Composition) -> None:
        """Keep the parts of a condition that read one source column and nothing else."""
        for part in condition.args if isinstance(condition, And) else (condition,):
            composed = _composed(part, rows, composition)
            if composed is None:
                continue
            read = {node for node in parts(composed) if isinstance(node, RowColumn)}
            if len(read) != 1:
                continue
            (column,) = read
            (table,) = (t for t, n in self._table_numbers.items() if n == column.variable)
            try:
                test = compile_expr(transform(composed, _as_value), (_value_schema(column.type),))
            except (InputError, RecursionError):
                continue
            self._tests.setdefault((table, column.index), {})[composed] = _Test(column.type, test)

    def _note(self, condition: Expr, schema: Schema, origins: Origins) -> None:
        """Note which constants columns are compared with, and which columns are equated."""
        for op, left, right in _comparisons(condition):
            column = _origin(left, schema, origins)
            if column is None:
                continue
            if isinstance(right, Literal):
                self._asked.setdefault(column, []).append((op, right.value))
            elif op in ("=", "<=>"):
                other = _origin(right, schema, origins)
                if other is not None:
                    self._leader[self.leader(other)] = self.leader(column)


def moment_of(expr: Cast) -> Any:
    """The date or timestamp that a constant text is read as, if it is read as one."""
    if not isinstance(expr.arg, Literal):
        return None
    if not isinstance(expr.type, DateType | TimestampType | TimestampNtzType):
        return None
    try:
        return compile_expr(expr, (Schema(()),))((), ())
    except (Failure, InputError):
        return None


def _as_value(node: Expr) -> Expr:
    return Column("value", node.type) if isinstance(node, RowColumn) else node


def _value_schema(type_: DataType) -> Schema:
    """Rows of a single value: those on which conditions over one column are tried."""
    return Schema((Field("value", type_),))


def _composed(expr: Expr, rows: Schema, composition: Composition) -> Expr | None:
    """An expression over what its columns compute; None if that is not of one row, or too long."""
    if sum(1 for _ in parts(expr)) > MOST_PARTS:
        return None
    unfit = (Exists, InQuery, ScalarQuery, OuterColumn, OpaqueCall)
    if any(isinstance(part, unfit) for part in parts(expr)):
        return None
    columns = {c: composition[rows.place(c.name, c.occurrence)] for c in columns_read(expr)}
    if not columns or any(value is None or value.type != c.type for c, value in columns.items()):
        return None
    composed = substitute_columns(expr, lambda c: columns[c] or c)
    return composed if sum(1 for _ in parts(composed)) <= MOST_PARTS else None


def _origin(expr: Expr, schema: Schema, origins: Origins) -> SourceColumn | None:
    """The source column an expression passes on, perhaps cast."""
    while isinstance(expr, Cast):
        expr = expr.arg
    return origins[schema.place(expr.name, expr.occurrence)] if isinstance(expr, Column) else None


def _comparisons(condition: Expr) -> Iterator[tuple[str, Expr, Expr]]:
    """Comparisons that make a condition true; of alternatives the first."""
    stack = [condition]
    while stack:
        part = stack.pop()
        match part:
            case And(args):
                stack.extend(args)
            case Or(args):
                stack.append(args[0])
            case Compare(op, Literal() as left, right):
                yield MIRRORED.get(op, op), right, left
            case Compare(op, left, right):
                yield op, left, right
            case Call(_, (text, pattern, *_)) if text_use(part) in (TextUse.PART, TextUse.LIKE):
                # What passes for one text of the right kind.
                literal = _in_any_letter_case(pattern)
                if isinstance(literal, Literal) and isinstance(literal.value, str):
                    plain = literal.value.replace("%", "").replace("_", "a")
                    yield "=", _in_any_letter_case(text), Literal(plain, literal.type)
            case InList(arg, options) if options:
                yield "=", arg, options[0]
            case Not(IsNull(arg)):
                yield "<>", arg, Literal(None, arg.type)
            case IsNull(arg):
                yield "<=>", arg, Literal(None, arg.type)


def _in_any_letter_case(expr: Expr) -> Expr:
    """The expression without changes of letter case."""
    while isinstance(expr, Call) and text_use(expr) is TextUse.LETTER_CASE:
        expr = expr.args[0]
    return expr


def _passes(value: Any, op: str, constant: Any) -> bool:
    if value is None or constant is None:
        return (value is None) == (op == "<=>" and constant is None)
    try:
        return COMPARISONS[op](value, constant)
    except (TypeError, KeyError, InvalidOperation):  # a number against a text, or NaN
        return False
