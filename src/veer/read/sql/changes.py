"""UPDATE, DELETE and MERGE: the rows of a table afterwards, as a query over those before.

The sink of a changed table holds all of its rows:

    UPDATE t SET c = e WHERE p   each row of t, c being e where p is true (not where it is null)
    DELETE FROM t WHERE p        the rows of t on which p is false or null

MERGE is in `merges`. What is stored must fit its column: casts are those of Spark's store assignment
policy ANSI, which fail on overflow whatever the session says, and null fails in a column that is
NOT NULL; a run that fails is no witness. Nested fields, DEFAULT, texts of bounded length, tables with
CHECK and values that differ from call to call are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from sqlglot import exp

from veer.errors import IllFormedError, UnknownNameError
from veer.facts.determinism import expr_kind
from veer.functions.registry import Kind
from veer.ir import expr as ex, types as ty
from veer.ir.nullability import is_nullable
from veer.ir.ops import Source
from veer.ir.schema import Field, listing
from veer.read import coercion
from veer.read.sql.parse import only, position, refuse
from veer.read.sql.query import QueryReader
from veer.read.sql.scope import Plan, ScopeColumn

Values: TypeAlias = dict[int, ex.Expr]  # what is stored, by the places of columns
TRUE, FALSE = ex.Literal(True, ty.BOOLEAN), ex.Literal(False, ty.BOOLEAN)
NULL_STORED = "null in a column that is NOT NULL"


@final
@dataclass(frozen=True)
class Changed:
    """What a statement leaves: the rows of its table; and, of some, a row if the statement stops."""

    rows: Plan
    stops: Plan | None = None


def target_of(node: exp.Expr) -> tuple[str, ...]:
    """The name of the table that a statement changes."""
    table = node.this
    if not isinstance(table, exp.Table):
        refuse(node, f"{node.key.upper()} of anything but a table")
    only(table, "this", "db", "catalog", "alias")
    if table.args.get("alias") is not None:
        only(table.args["alias"], "this")
    return tuple(part.name for part in table.parts)


def may_stop(node: exp.Expr) -> bool:
    """Whether a statement is stopped by rows that have several partners (`merges`)."""
    if not isinstance(node, exp.Merge):
        return False
    matched = [when for when in node.args["whens"].expressions if when.args.get("matched")]
    # `WHEN MATCHED AND true` is checked too.
    only_deletes = len(matched) == 1 and not matched[0].args.get("condition")
    return bool(matched) and not (only_deletes and isinstance(matched[0].args["then"], exp.Var))


def update(node: exp.Expr, target: Target) -> Plan:
    """The rows after UPDATE."""
    only(node, "this", "expressions", "where")
    values = target.assignments(node.expressions, target.plan)
    return target.projected(target.plan, [(_where(node, target), values)])


def delete(node: exp.Expr, target: Target) -> Plan:
    """The rows after DELETE."""
    only(node, "this", "where")
    condition = _where(node, target)
    if condition == TRUE:
        return target.reader.filter(target.plan, FALSE)
    kept = ex.Not(coercion.call("coalesce", condition, FALSE))
    return target.reader.filter(target.plan, kept)


def _where(node: exp.Expr, target: Target) -> ex.Expr:
    where = node.args.get("where")
    return TRUE if where is None else target.condition(where.this, target.plan)


class Target:
    """The table that is changed: the rows it holds before, and what is declared of it."""

    def __init__(self, reader: QueryReader, before: Plan, declared: Source, node: exp.Expr) -> None:
        self.reader, self.declared = reader, declared
        self.plan = before.renamed(node.this.alias_or_name)
        self.lengths = {name.lower(): length for name, length in declared.lengths}

    @property
    def scope(self) -> tuple[ScopeColumn, ...]:
        """The columns of the table, by their names alone."""
        return tuple(ScopeColumn(None, name) for name in self.plan.schema.names)

    def condition(self, node: exp.Expr, plan: Plan) -> ex.Expr:
        """A condition over rows, used only for where it is true."""
        return _repeatable(node, self.reader.reader(plan).condition(node))

    def assignments(self, listed: Sequence[exp.Expr], plan: Plan) -> Values:
        """What SET stores, read over the rows of a plan."""
        values: Values = {}
        for item in listed:
            if not isinstance(item, exp.EQ) or not isinstance(item.this, exp.Column):
                refuse(item, "this assignment after SET")
            self.assign(values, item.this, item.expression, plan)
        return values

    def assign(self, values: Values, column: exp.Expr, node: exp.Expr, plan: Plan) -> None:
        """Take in what one column is given, as it takes it."""
        place = self.place(column)
        if place in values:
            raise IllFormedError(f"{position(column)}two values for column {column.name!r}")
        if isinstance(node, exp.Column) and node.name.upper() == "DEFAULT":
            refuse(node, "the DEFAULT of a column")
        values[place] = self.stored(node, self.reader.reader(plan).read(node), place, plan)

    def place(self, column: exp.Expr) -> int:
        """The column of the table that is written."""
        named = self.plan.find([part.name for part in column.parts])  # type: ignore[attr-defined]
        if named is None:
            there = listing(self.plan.schema.names)
            raise UnknownNameError(
                f"{position(column)}unknown column {column.sql()!r}; there are {there}"
            )
        if not isinstance(named, ex.Column):
            refuse(column, "writing a field of a column")
        return self.plan.schema.place(named.name, named.occurrence)

    def stored(self, node: exp.Expr, value: ex.Expr, place: int, plan: Plan) -> ex.Expr:
        """A value of the rows of a plan as the column at a place takes it."""
        field = self.plan.schema.fields[place]
        if self.declared.checks:
            refuse(node, f"a change of {self.declared.table}, which has a CHECK,")
        if _repeatable(node, value) == self.plan.column(place):
            return value
        value = stored_as(node, value, field.type)
        self.check_length(node, field, value)
        declared = next((f for f in self.declared.fields if f.name == field.name), field)
        if declared.nullable or not is_nullable(value, plan.schema):
            return value
        return ex.Case(((ex.IsNull(value), _failing(node, field.type)),), value)

    def check_length(self, node: exp.Expr, field: Field, value: ex.Expr) -> None:
        """Refuse a text that may be too long: Spark would cut spaces, or fail."""
        most = self.lengths.get(field.name.lower())
        if most is None or (isinstance(value, ex.Literal) and value.value is None):
            return
        text = value.value if isinstance(value, ex.Literal) else None
        if not isinstance(text, str) or not text.isascii() or len(text) > most:
            refuse(node, f"writing {field.name}, a text of bounded length,")

    def projected(self, plan: Plan, clauses: Sequence[tuple[ex.Expr, Values]]) -> Plan:
        """Rows that begin with those of the table, with what the first clause that is met stores."""
        columns = []
        for place, field in enumerate(self.plan.schema):
            old = plan.column(place)
            branches = [(when, values.get(place, old)) for when, values in clauses]
            columns.append(ex.Named(field.name, first_met(branches, old)))
        return self.reader.project(plan, columns, self.scope)


def first_met(branches: Sequence[tuple[ex.Expr, ex.Expr]], otherwise: ex.Expr) -> ex.Expr:
    """The value of the first branch whose condition is true; all are of one type."""
    kept: list[tuple[ex.Expr, ex.Expr]] = []
    for when, then in branches:
        if when == TRUE:
            otherwise = then
            break
        kept.append((when, then))
    while kept and kept[-1][1] == otherwise:
        kept.pop()
    return ex.Case(tuple(kept), otherwise) if kept else otherwise


def stored_as(node: exp.Expr, value: ex.Expr, type_: ty.DataType) -> ex.Expr:
    """A value cast by the store assignment policy ANSI; what is not allowed there is refused."""
    given = value.type
    numbers = isinstance(given, ty.NumericType) and isinstance(type_, ty.NumericType)
    text = type_ == ty.STRING and (
        isinstance(given, ty.EXACT_NUMBERS) or given in (ty.DATE, ty.BOOLEAN)
    )
    if not (
        numbers or text or given in (type_, ty.NULL) or (given, type_) == (ty.DATE, ty.TIMESTAMP)
    ):
        refuse(node, f"storing {given} in a column of {type_}")
    return coercion.cast(value, type_, ty.CastMode.ANSI)


def _repeatable(node: exp.Expr, expr: ex.Expr) -> ex.Expr:
    """The expression, which Veer evaluates more often than Spark."""
    if expr_kind(expr) not in (Kind.PURE, Kind.RUN_CONSTANT):
        refuse(node, "a value that differs from call to call, in a change of a table,")
    return expr


def _failing(node: exp.Expr, type_: ty.DataType) -> ex.Expr:
    """An expression of a type that always fails."""
    text = ex.Literal(NULL_STORED, ty.STRING)
    if type_ == ty.STRING:
        return ex.Cast(ex.Cast(text, ty.INT, ty.CastMode.ANSI), ty.STRING, ty.CastMode.ANSI)
    if isinstance(type_, ty.NumericType) or type_ in (ty.BOOLEAN, ty.DATE, ty.TIMESTAMP):
        return ex.Cast(text, type_, ty.CastMode.ANSI)
    refuse(node, f"a value that may be null in a column of {type_} that is NOT NULL")
