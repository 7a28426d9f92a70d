"""MERGE: the rows of a table afterwards, and whether the statement stops.

What MERGE INTO t USING s ON c leaves is the union of

    t JOIN s ON c       by the first WHEN MATCHED whose condition is true, else as the row was
    t ANTI JOIN s ON c  by the first WHEN NOT MATCHED BY SOURCE, else as the row was
    s ANTI JOIN t ON c  by the first WHEN NOT MATCHED, else nothing

Spark stops a MERGE if a row of t has several partners in s, whether or not a clause acts on them. Not so
if the only WHEN MATCHED is a DELETE without condition, which deletes such a row, or if there is none. So a
MERGE has two sinks: one that holds a row if it stops, and that of the table, which holds nothing then.
With WHEN NOT MATCHED BY SOURCE and no WHEN MATCHED Spark leaves a row once for each of its partners (seen, in tables
that replace whole groups of rows), and other tables leave it once: refused unless there is one partner at
most, whatever the data.

Why that is sound. If both sinks are equal on all data, both versions stop on the same data; on any other
each row of t has one partner at most, and the union is what MERGE leaves. If the sinks of the table
differ on some data, one version stops and the other does not, or they leave other rows: where both stop,
both are empty. If the sinks that tell stopping differ, one version stops. A sink that only one version has
makes the verdict unknown.

Whether a row has several partners is up to the columns that ON reads of t; each of their values is looked
at once. Those must be types of which equal values are the same value: -0.0 and 0.0 are grouped, but
need not have the same partners.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from sqlglot import exp

from veer.errors import IllFormedError
from veer.facts.keys import has_one_partner, uniqueness
from veer.ir import expr as ex, ops, types as ty
from veer.ir.sources import map_sources, undeclared
from veer.ir.walk import columns_read, parts, query_of, substitute_columns
from veer.read import coercion
from veer.read.sql import changes
from veer.read.sql.parse import only, position, refuse
from veer.read.sql.query import QueryReader
from veer.read.sql.scope import Plan, ScopeColumn
from veer.settings import same_name

STATEMENTS = (exp.Update, exp.Delete, exp.Merge)
GROUPED = (
    ty.STRING,
    ty.BOOLEAN,
    ty.DATE,
    ty.TIMESTAMP,
)  # and exact numbers: equal values are the same value
STOPS = "stops"


def changed(
    reader: QueryReader, node: exp.Expr, before: Plan, declared: ops.Source
) -> changes.Changed:
    """What UPDATE, DELETE or MERGE makes of a table that holds `before`."""
    target = changes.Target(reader, before, declared, node)
    match node:
        case exp.Update():
            return changes.Changed(changes.update(node, target))
        case exp.Delete():
            return changes.Changed(changes.delete(node, target))
        case exp.Merge():
            only(node, "this", "using", "on", "whens")
            return _Merge(target, node).changed()
        case _:
            refuse(node, f"statement {node.key}")


@final
@dataclass(frozen=True)
class _Clause:
    """A WHEN clause: what a row that meets the condition becomes; None if it is deleted."""

    condition: ex.Expr
    values: changes.Values | None


DELETES_ALL = _Clause(changes.TRUE, None)


class _Merge:
    """A MERGE statement over its two inputs."""

    def __init__(self, target: changes.Target, node: exp.Expr) -> None:
        self.target, self.node, self.reader = target, node, target.reader
        self.source = self.reader.visible(self.reader.relation(node.args["using"]))
        both = target.plan.schema + self.source.schema
        self.both = Plan("", both, target.plan.columns + self.source.columns)
        self.width = len(target.plan.schema)
        self.on = self.condition(node.args["on"], self.both)
        self.whens = node.args["whens"].expressions
        for when in self.whens:
            only(when, "matched", "source", "condition", "then")

    def changed(self) -> changes.Changed:
        """The rows of the table afterwards, and whether the statement stops."""
        matched = [self.clause(w, self.both) for w in self.whens if w.args.get("matched")]
        unmatched = [
            self.clause(w, self.target.plan)
            for w in self.whens
            if w.args.get("source") and not w.args.get("matched")
        ]
        if unmatched and not matched and not self.has_one_partner():
            refuse(
                self.node,
                "MERGE with NOT MATCHED BY SOURCE and no MATCHED, where a row may match several rows,",
            )
        plans = [*self.kept_rows(matched, unmatched), *self.inserted_rows()]
        if not plans:
            plans = [self.reader.filter(self.target.plan, changes.FALSE)]
        rows = plans[0]
        if len(plans) > 1:
            rows = self.reader.add(ops.Union(), *(p.id for p in plans), columns=self.target.scope)
        if not changes.may_stop(self.node):
            return changes.Changed(rows)
        twice = self.matched_twice()
        rows = self.reader.add(
            ops.Join(ops.JoinKind.ANTI, changes.TRUE), rows.id, twice.id, columns=rows.columns
        )
        shown = self.reader.project(
            twice, [ex.Named(STOPS, changes.TRUE)], [ScopeColumn(None, STOPS)]
        )
        return changes.Changed(rows, self.reader.distinct(shown))

    # -- clauses -------------------------------------------------------------------------------

    def condition(self, node: exp.Expr | None, plan: Plan) -> ex.Expr:
        """ON, or what stands after AND in a clause."""
        if node is None:
            return changes.TRUE
        condition = self.target.condition(node, plan)
        if any(query_of(part) is not None for part in parts(condition)):
            refuse(node, "a subquery in a condition of MERGE")
        return condition

    def clause(self, when: exp.Expr, plan: Plan) -> _Clause:
        """UPDATE or DELETE of rows of the table; `plan` is what the clause may read."""
        condition, then = self.condition(when.args.get("condition"), plan), when.args["then"]
        if isinstance(then, exp.Var) and then.name.upper() == "DELETE":
            return _Clause(condition, None)
        if not isinstance(then, exp.Update):
            refuse(when, "this WHEN clause")
        only(then, "expressions")
        if not any(isinstance(e, exp.Star) for e in then.expressions):
            return _Clause(condition, self.target.assignments(then.expressions, plan))
        if plan is not self.both or len(then.expressions) > 1:
            refuse(when, "UPDATE SET * here")
        return _Clause(condition, self.all_columns(when, plan, self.width))

    def insertion(self, when: exp.Expr) -> tuple[ex.Expr, changes.Values]:
        """INSERT: its condition, and a value for each column of the table."""
        condition = self.condition(when.args.get("condition"), self.source)
        then = when.args["then"]
        if not isinstance(then, exp.Insert):
            refuse(when, "this WHEN clause")
        only(then, "this", "expression")
        if isinstance(then.this, exp.Star):
            return condition, self.all_columns(when, self.source, 0)
        return condition, self.inserted_values(then)

    def inserted_values(self, then: exp.Expr) -> changes.Values:
        """What INSERT (columns) VALUES (...) stores; a column it leaves out gets its default."""
        if not isinstance(then.this, exp.Tuple) or not isinstance(then.expression, exp.Tuple):
            refuse(then, "INSERT without columns and values")
        named, given = then.this.expressions, then.expression.expressions
        if len(named) != len(given):
            raise IllFormedError(f"{position(then)}{len(given)} values for {len(named)} columns")
        values: changes.Values = {}
        for column, node in zip(named, given, strict=True):
            self.target.assign(values, column, node, self.source)
        for place, field in enumerate(self.target.plan.schema):
            # Nobody has told which value that is: the same for both versions.
            name = f"default of {self.target.declared.table}.{field.name}"
            values.setdefault(place, ex.OpaqueCall(name, (), field.type))
        return values

    def all_columns(self, when: exp.Expr, plan: Plan, start: int) -> changes.Values:
        """What `*` stores: for each column of the table the one of the source of its name."""
        values: changes.Values = {}
        for place, field in enumerate(self.target.plan.schema):
            places = [
                i
                for i, c in enumerate(plan.columns)
                if same_name(c.name, field.name) and i >= start
            ]
            if len(places) != 1:
                raise IllFormedError(
                    f"{position(when)}* needs one column {field.name!r} of the source"
                )
            values[place] = self.target.stored(when, plan.column(places[0]), place, plan)
        return values

    # -- rows ----------------------------------------------------------------------------------

    def kept_rows(self, matched: Sequence[_Clause], unmatched: Sequence[_Clause]) -> list[Plan]:
        """What becomes of the rows of the table: those with a partner, and those without."""
        if not matched and not unmatched:
            return [self.target.plan]
        plans = []
        if not matched:
            plans.append(self.joined(ops.JoinKind.SEMI))
        elif matched[0] != DELETES_ALL:
            plans.append(self.acted_on(self.joined(ops.JoinKind.INNER), matched))
        if not unmatched or unmatched[0] != DELETES_ALL:
            plans.append(self.acted_on(self.joined(ops.JoinKind.ANTI), unmatched))
        return plans

    def joined(self, kind: ops.JoinKind) -> Plan:
        """The rows of the table with or without partners."""
        columns = self.both.columns if kind == ops.JoinKind.INNER else self.target.plan.columns
        inputs = self.target.plan.id, self.source.id
        return self.reader.add(ops.Join(kind, self.on), *inputs, columns=columns)

    def acted_on(self, plan: Plan, clauses: Sequence[_Clause]) -> Plan:
        """Rows that begin with those of the table, as clauses leave them."""
        gone = changes.first_met(
            [(c.condition, changes.TRUE if c.values is None else changes.FALSE) for c in clauses],
            changes.FALSE,
        )
        if gone != changes.FALSE:
            plan = self.reader.filter(plan, ex.Not(gone))
        return self.target.projected(plan, [(c.condition, c.values or {}) for c in clauses])

    def inserted_rows(self) -> list[Plan]:
        """The rows of the source that are put into the table."""
        clauses = [
            self.insertion(w)
            for w in self.whens
            if not w.args.get("matched") and not w.args.get("source")
        ]
        if not clauses:
            return []
        turned = Plan("", self.source.schema + self.target.plan.schema, ())
        width = len(self.source.schema)
        on = self.moved_on(
            lambda place: turned.column(
                place - self.width if place >= self.width else width + place
            )
        )
        inputs = self.source.id, self.target.plan.id
        plan = self.reader.add(
            ops.Join(ops.JoinKind.ANTI, on), *inputs, columns=self.source.columns
        )
        conditions = [condition for condition, _ in clauses]
        if changes.TRUE not in conditions:
            plan = self.reader.filter(plan, coercion.disjunction(conditions))
        columns = []
        for place, field in enumerate(self.target.plan.schema):
            branches = [(when, values[place]) for when, values in clauses]
            columns.append(ex.Named(field.name, changes.first_met(branches[:-1], branches[-1][1])))
        return [self.reader.project(plan, columns, self.target.scope)]

    def has_one_partner(self) -> bool:
        """Whether no row of the table has several partners, whatever is declared of the sources."""
        if self.on == changes.FALSE:
            return True
        probe = self.reader.builder.probe(self.source.id)
        unique = uniqueness(map_sources(probe, undeclared), self.source.id)
        schemas = self.target.plan.schema, self.source.schema
        return has_one_partner(ops.Join(ops.JoinKind.INNER, self.on), schemas, unique)

    def matched_twice(self) -> Plan:
        """What ON reads of the table, of rows that have several partners."""
        places = {self.both.schema.place(c.name, c.occurrence) for c in columns_read(self.on)}
        own = sorted(place for place in places if place < self.width)
        table = self.target.plan
        if not own:
            refuse(self.node.args["on"], "ON without a column of the table that is changed")
        for field in (table.schema.fields[place] for place in own):
            if not isinstance(field.type, ty.EXACT_NUMBERS) and field.type not in GROUPED:
                refuse(self.node.args["on"], f"ON over {field.name}, of type {field.type},")
        columns = [ex.Named(table.schema.names[i], table.column(i)) for i in own]
        read = self.reader.project(table, columns, [table.columns[i] for i in own])
        keys = self.reader.distinct(read)
        both = Plan("", keys.schema + self.source.schema, keys.columns + self.source.columns)
        on = self.moved_on(
            lambda place: both.column(
                own.index(place) if place < self.width else len(own) + place - self.width
            )
        )
        inputs = keys.id, self.source.id
        pairs = self.reader.add(ops.Join(ops.JoinKind.INNER, on), *inputs, columns=both.columns)
        groups = tuple(ex.Named(n, pairs.column(i)) for i, n in enumerate(keys.schema.names))
        count = ops.NamedCall("partners", coercion.aggregate_call("count", [ex.Literal(1, ty.INT)]))
        counted = self.reader.add(
            ops.Aggregate(groups, (count,)),
            pairs.id,
            columns=[*keys.columns, ScopeColumn(None, "partners")],
        )
        several = ex.Compare(">", counted.column(len(own)), ex.Literal(1, ty.LONG))
        return self.reader.filter(counted, several)

    def moved_on(self, column: Callable[[int], ex.Column]) -> ex.Expr:
        """ON over other rows; `column` gives the column at a place of both inputs."""
        schema = self.both.schema
        return substitute_columns(self.on, lambda c: column(schema.place(c.name, c.occurrence)))
