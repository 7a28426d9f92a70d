"""A dataflow as Spark SQL for people: a query as somebody might have written it.

    orders -> Filter(amount > 10) -> Aggregate by customer: count(*) AS n

    SELECT customer, count(*) AS n
    FROM orders
    WHERE amount > 10
    GROUP BY customer

Each operator adds a clause to the query of its input where SQL has a place for it; else that query
becomes a common table expression with the operator's id. The text is read, never run: for text that
Spark runs see `execution.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never, final

from veer.ir import expr as ex, ops, sql_select
from veer.ir.conditions import conjuncts
from veer.ir.dag import Dataflow
from veer.ir.pprint import function_name, show_value
from veer.ir.schema import Schema
from veer.ir.secrets import without_secrets
from veer.ir.sql_expressions import Binding, Scope, SqlExpressions, VisibleRows
from veer.ir.types import quote_name
from veer.ir.walk import outer_columns, subqueries

JOINED = {
    ops.JoinKind.INNER: "JOIN",
    ops.JoinKind.LEFT: "LEFT JOIN",
    ops.JoinKind.FULL: "FULL JOIN",
    ops.JoinKind.SEMI: "LEFT SEMI JOIN",
    ops.JoinKind.ANTI: "LEFT ANTI JOIN",
    ops.JoinKind.CROSS: "CROSS JOIN",
}


def sql_text(dataflow: Dataflow, tables: Mapping[str, str] | None = None) -> str:
    """The query of the only sink of a dataflow; `tables` names signals that stand for themselves."""
    return "\n".join(_Writer(dataflow, tables or {}, ()).statement())


@final
class _Writer:
    """Writes the query of one dataflow; a subquery has a writer of its own."""

    def __init__(self, dataflow: Dataflow, tables: Mapping[str, str], outer: Scope) -> None:
        self.dataflow, self.tables, self.outer = dataflow, tables, outer
        self.definitions: dict[str, list[str]] = {}
        self.qualified = bool(outer) or _has_outer_columns(dataflow)

    def statement(self) -> list[str]:
        """The lines of the whole query, its common table expressions first."""
        (sink,) = self.dataflow.sinks
        needed = self.dataflow.ancestors(sink, stop=self.tables)
        queries: dict[str, sql_select.Select] = {}
        for id_ in (i for i in self.dataflow.order if i in needed):
            inputs = () if id_ in self.tables else self.dataflow.inputs[id_]
            query = self._signal(id_, [queries[i] for i in inputs])
            if len(self.dataflow.outputs[id_]) > 1 and not query.is_table:
                query = self._defined(id_, query)
            queries[id_] = query
        lines = queries[sink].lines()
        if not self.definitions:
            return lines
        definitions = list(self.definitions.items())
        heads = [
            f"{'WITH ' if n == 0 else ''}{name} AS (" for n, (name, _) in enumerate(definitions)
        ]
        ends = ["),"] * (len(definitions) - 1) + [")"]
        written: list[str] = []
        for head, (_, body), end in zip(heads, definitions, ends, strict=True):
            written += [head, *(f"  {line}" for line in body), end]
        return [*written, *lines]

    def _defined(self, id_: str, query: sql_select.Select) -> sql_select.Select:
        """A query as a common table expression of its own, under the id of its operator."""
        name = _unused(_identifier(id_), self.definitions)
        self.definitions[name] = query.lines()
        return self._table(name, self.dataflow.schemas[id_])

    def _table(self, name: str, schema: Schema, shown: str = "") -> sql_select.Select:
        """All of a table that stands in FROM as `shown`."""
        alias = name.rpartition(".")[2]
        taken = {alias for rows in self.outer for alias in _qualifiers(rows)}
        unused = _unused(alias, taken)
        text = shown or name
        text = text if unused == alias else f"{text} AS {unused}"
        prefix = f"{unused}." if self.qualified else ""
        return sql_select.Select(_names(schema, prefix), (unused,), (text,))

    def _over(self, query: sql_select.Select, schema: Schema) -> SqlExpressions:
        rows = VisibleRows(schema, query.names)
        return SqlExpressions((rows, *self.outer), self._subquery)

    def _subquery(self, query: Dataflow, scope: Scope) -> str:
        return " ".join(line.strip() for line in _Writer(query, {}, scope).statement())

    # -- operators -----------------------------------------------------------------------------

    def _signal(self, id_: str, inputs: Sequence[sql_select.Select]) -> sql_select.Select:
        operator, schema = self.dataflow.operators[id_], self.dataflow.schemas[id_]
        if id_ in self.tables:
            return self._table(self.tables[id_], schema)
        if isinstance(operator, ops.Source):
            return self._table(_table_name(operator), schema)
        if isinstance(operator, ops.Join):
            return self._join(id_, operator, inputs)
        if isinstance(operator, ops.Union | ops.IntersectAll | ops.ExceptAll | ops.TableUdf):
            return self._several(id_, operator, inputs)
        if isinstance(operator, ops.Values):
            if not operator.fields and len(operator.rows) == 1:
                return sql_select.Select(())  # SELECT without FROM
            rows = (show_value(row) for row in operator.rows)
            columns = ", ".join(map(quote_name, schema.names))
            lines = sql_select.clause("VALUES", list(rows), ",")
            return self._table("v", schema, f"({' '.join(lines)}) AS v({columns})")
        return self._above(id_, operator, inputs[0])

    def _input(
        self, id_: str, query: sql_select.Select, fits: bool
    ) -> tuple[sql_select.Select, SqlExpressions]:
        """The query an operator adds its clause to: that of its input, or one that reads it."""
        below = self.dataflow.inputs[id_][0]
        schema = self.dataflow.schemas[below]
        if not fits:
            query = self._defined(below, query)
        return query, self._over(query, schema)

    def _above(
        self, id_: str, operator: ops.AnyOperator, query: sql_select.Select
    ) -> sql_select.Select:
        """An operator with one input."""
        match operator:
            case ops.Filter(predicate):
                return self._filter(id_, predicate, query)
            case ops.Project() | ops.Sink():
                return self._project(id_, operator, query)
            case ops.Aggregate() | ops.GlobalAggregate():
                return self._aggregate(id_, operator, sql_select.without_plain_list(query))
            case ops.Deduplicate(keys):
                query, text = self._input(id_, query, query.is_open and query.group is None)
                by = text.listed(keys)
                numbered = f"row_number() OVER (PARTITION BY {by} ORDER BY {by})"
                inner = self._extended(id_, query, [sql_select.Shown(numbered, "n")])
                lines = ["SELECT * EXCEPT (n)", "FROM (", *(f"  {x}" for x in inner.lines()), ")"]
                return self._finished(id_, [*lines, "WHERE n = 1"])
            case ops.Sort(keys):
                fits = not (query.order or query.limit or query.finished)
                query, _ = self._input(id_, query, fits)
                text = self._over(
                    replace(query, names=query.shown_names), self.dataflow.schemas[id_]
                )
                return replace(query, order=tuple(map(text.sort_key, keys)))
            case ops.Limit(count, offset):
                query, _ = self._input(id_, query, not (query.limit or query.finished))
                limit = [] if count is None else [f"LIMIT {count}"]
                return replace(
                    query, limit=" ".join([*limit, *([f"OFFSET {offset}"] if offset else [])])
                )
            case ops.Over(calls):
                query, text = self._input(id_, query, query.is_open)
                added = (sql_select.Shown(text.over(named.call), named.name) for named in calls)
                return self._extended(id_, query, list(added))
            case ops.RowUdf(identity, reads, adds):
                query, text = self._input(id_, query, query.is_open)
                called = f"{function_name(identity)}({text.listed(reads)})"
                parts_of = [called] if len(adds) == 1 else [f"{called}.{f.name}" for f in adds]
                columns = zip(parts_of, (f.name for f in adds), strict=True)
                return self._extended(id_, query, [sql_select.Shown(*column) for column in columns])
            case ops.Unnest() | ops.Lateral() | ops.Sample():
                return self._beside(id_, operator, query)
            case (
                ops.Source()
                | ops.Values()
                | ops.Join()
                | ops.Union()
                | ops.IntersectAll()
                | ops.ExceptAll()
                | ops.TableUdf()
            ):
                raise TypeError(f"{type(operator).__name__} has not one input")
            case _:
                assert_never(operator)

    def _filter(self, id_: str, predicate: ex.Expr, query: sql_select.Select) -> sql_select.Select:
        query = sql_select.without_plain_list(query)
        if query.is_grouped and query.columns is not None:
            texts = tuple(
                f"({c.text})" if c.text in (query.group or ()) and " " in c.text else c.text
                for c in query.columns
            )
            (below,) = self.dataflow.inputs[id_]
            text = self._over(replace(query, names=texts), self.dataflow.schemas[below])
            return replace(query, having=(*query.having, *_conditions(text, predicate)))
        query, text = self._input(id_, query, query.is_open)
        return replace(query, where=(*query.where, *_conditions(text, predicate)))

    def _project(
        self, id_: str, operator: ops.Project | ops.Sink, query: sql_select.Select
    ) -> sql_select.Select:
        """A select list; one of plain columns picks from the select list of its input."""
        schema = self.dataflow.schemas[id_]
        exprs: Sequence[ex.Expr] = (
            [named.expr for named in operator.columns]
            if isinstance(operator, ops.Project)
            else operator.columns
        )
        if isinstance(operator, ops.Sink) and not operator.columns:
            return query
        if query.columns is not None and not (query.order or query.limit or query.distinct):
            (below,) = self.dataflow.inputs[id_]
            fields = self.dataflow.schemas[below]
            if len(query.columns) == len(fields) and all(isinstance(e, ex.Column) for e in exprs):
                places = [
                    fields.place(e.name, e.occurrence) for e in exprs if isinstance(e, ex.Column)
                ]
                picked = zip((query.columns[i].text for i in places), schema.names, strict=True)
                return replace(query, columns=tuple(sql_select.Shown(*column) for column in picked))
        query, text = self._input(id_, query, _takes_list(query, exprs, schema))
        columns = zip(map(text.text, exprs), schema.names, strict=True)
        return replace(query, columns=tuple(sql_select.Shown(*column) for column in columns))

    def _aggregate(
        self, id_: str, operator: ops.Aggregate | ops.GlobalAggregate, query: sql_select.Select
    ) -> sql_select.Select:
        query, text = self._input(id_, query, query.is_open)
        keys = operator.keys if isinstance(operator, ops.Aggregate) else ()
        by = [sql_select.Shown(text.text(key.expr), key.name) for key in keys]
        calls = [
            sql_select.Shown(text.aggregate(named.call), named.name) for named in operator.calls
        ]
        if not calls:
            return replace(query, columns=tuple(by), distinct=True)
        return replace(query, columns=(*by, *calls), group=tuple(key.text for key in by))

    def _extended(
        self, id_: str, query: sql_select.Select, added: Sequence[sql_select.Shown]
    ) -> sql_select.Select:
        """All columns of a query and some more."""
        (below,) = self.dataflow.inputs[id_]
        kept = zip(query.names, self.dataflow.schemas[below].names, strict=True)
        return replace(query, columns=(*(sql_select.Shown(*column) for column in kept), *added))

    def _join(
        self, id_: str, join: ops.Join, inputs: Sequence[sql_select.Select]
    ) -> sql_select.Select:
        left_id, right_id = self.dataflow.inputs[id_]
        schemas = self.dataflow.schemas[left_id], self.dataflow.schemas[right_id]
        left, right = map(sql_select.without_plain_list, inputs)
        if not (left.is_open and not left.where):
            left = self._defined(left_id, left)
        if not right.is_table:
            right = self._defined(right_id, right)
        alias = _unused(right.tables[0], left.tables)
        table = right.source[0] if alias == right.tables[0] else f"{right.tables[0]} AS {alias}"
        if len(left.tables) == 1:
            left = replace(left, names=left.qualified(left.tables[0]))
        names = left.names + right.qualified(alias)
        rows = VisibleRows(schemas[0] + schemas[1], names)
        text = SqlExpressions((rows, *self.outer), self._subquery)
        condition = [] if join.condition is None else _conditions(text, join.condition)
        lines = [f"{JOINED[join.kind]} {table}", *sql_select.clause("ON", condition, " AND")]
        kept = left.names if join.kind in (ops.JoinKind.SEMI, ops.JoinKind.ANTI) else names
        return replace(
            left,
            names=kept,
            tables=(*left.tables, alias),
            source=(*left.source, *sql_select.on_one_line(lines)),
        )

    def _several(
        self,
        id_: str,
        operator: ops.Union | ops.IntersectAll | ops.ExceptAll | ops.TableUdf,
        inputs: Sequence[sql_select.Select],
    ) -> sql_select.Select:
        if isinstance(operator, ops.TableUdf):
            names = [
                (query if query.is_table else self._defined(below, query)).source[0]
                for below, query in zip(self.dataflow.inputs[id_], inputs, strict=True)
            ]
            tables = ", ".join(f"TABLE({name})" for name in names)
            by = ", ".join(quote_name(key.name) for key in operator.keys)
            called = f"{function_name(operator.identity)}({tables}{by and f' PARTITION BY {by}'})"
            return self._finished(id_, ["SELECT *", f"FROM {called}"])
        word = {
            ops.Union: "UNION ALL",
            ops.IntersectAll: "INTERSECT ALL",
            ops.ExceptAll: "EXCEPT ALL",
        }
        lines: list[str] = []
        for query in inputs:
            part = query.lines()
            if query.order or query.limit or query.finished:
                part = ["(", *(f"  {line}" for line in part), ")"]
            lines += [*([word[type(operator)]] if lines else []), *part]
        return self._finished(id_, lines)

    def _beside(
        self, id_: str, operator: ops.Unnest | ops.Lateral | ops.Sample, query: sql_select.Select
    ) -> sql_select.Select:
        """What stands in FROM beside the rows of its input."""
        query, text = self._input(id_, query, query.is_open and not query.where)
        schema = self.dataflow.schemas[id_]
        match operator:
            case ops.Sample(fraction):
                line = f"TABLESAMPLE ({fraction * 100:g} PERCENT)"
            case ops.Unnest(generator, names, outer, position, inline):
                word = "inline" if inline else "posexplode" if position else "explode"
                view = f"LATERAL VIEW {'OUTER ' if outer else ''}{word}({text.text(generator)})"
                line = f"{view} AS {', '.join(map(quote_name, names))}"
            case ops.Lateral(inner, outer):
                word = "LEFT JOIN" if outer else "JOIN"
                line = f"{word} LATERAL ({self._subquery(inner, text.scope)})"
            case _:
                assert_never(operator)
        added = tuple(quote_name(name) for name in schema.names[len(query.names) :])
        return replace(query, names=query.names + added, source=(*query.source, line))

    def _finished(self, id_: str, lines: Sequence[str]) -> sql_select.Select:
        names = _names(self.dataflow.schemas[id_], "")
        return sql_select.Select(names, finished=tuple(lines))


def _takes_list(query: sql_select.Select, exprs: Sequence[ex.Expr], schema: Schema) -> bool:
    """Whether a query takes a select list: in an order, none of its names is another there."""
    if query.columns is not None or query.finished:
        return False
    new = {
        quote_name(name)
        for expr, name in zip(exprs, schema.names, strict=True)
        if not (isinstance(expr, ex.Column) and expr.name == name)
    }
    return not query.order or not new & set(query.names)


def _conditions(text: SqlExpressions, condition: ex.Expr) -> list[str]:
    """The parts of a condition that are joined by AND."""
    return [text.text(part, Binding.NOT) for part in conjuncts(condition)]


def _names(schema: Schema, prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}{quote_name(name)}" for name in schema.names)


def _qualifiers(rows: VisibleRows) -> set[str]:
    return {name.rpartition(".")[0] for name in rows.names if "." in name}


def _table_name(source: ops.Source) -> str:
    """A table by its name; rows read from files by their place."""
    name = without_secrets(source.table)
    return name if re.fullmatch(r"[\w.]+", name) else quote_name(name)


def _identifier(id_: str) -> str:
    """An operator's id as a name that needs no quotes."""
    name = re.sub(r"\W+", "_", id_).strip("_")
    return name if name and not name[0].isdigit() else f"step_{name}"


def _unused(name: str, taken: Sequence[str] | set[str] | Mapping[str, object]) -> str:
    """The name, or with a number that makes it another than those taken."""
    number, unused = 1, name
    while unused in taken:
        number += 1
        unused = f"{name}_{number}"
    return unused


def _has_outer_columns(dataflow: Dataflow) -> bool:
    """Whether a subquery reads columns of the rows around it."""
    queries = (query for operator in dataflow.operators.values() for query in subqueries(operator))
    return any(True for query in queries for _ in outer_columns(query))
