"""Queries to operators: WITH, FROM, set operations, ORDER BY and LIMIT.

SELECT is in `select`, joins are in `joins`, PIVOT is in `pivot`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from veer.errors import IllFormedError, InputError, UnknownNameError, UnsupportedError
from veer.facts.determinism import expr_kind
from veer.functions.registry import Kind
from veer.functions.typing import common_type
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.schema import Field, Schema, close_names, listing
from veer.read import coercion
from veer.read.builder import FlowBuilder
from veer.read.sql.correlation import check_rows_uncorrelated, check_uncorrelated
from veer.read.sql.expressions import GENERATORS, ExprReader
from veer.read.sql.joins import read_join
from veer.read.sql.parse import only, position, refuse
from veer.read.sql.pivot import pivot, unpivot
from veer.read.sql.scope import Plan, ScopeColumn, default_names, ordinal
from veer.read.sql.select import read_select
from veer.read.sql.tables import (
    HOW,
    at_version,
    columns_used,
    declaration,
    files_at,
    version_option,
)
from veer.settings import name_key

MAX_RANGE = 1000


@dataclass
class View:
    """A named query: a view or a common table expression, read where it is used."""

    node: exp.Expr
    names: tuple[str, ...]
    views: dict[str, View]
    outer: tuple[Plan, ...] = ()  # the rows around a WITH inside a subquery
    is_cte: bool = False
    chosen: int = 0  # uses so far, if every use chooses for itself
    once: bool = False  # evaluated when written, not where it is read
    built: dict[FlowBuilder, Plan] = field(default_factory=dict)  # shared within a dataflow


class QueryReader:
    """Reads queries into one builder; `outer` are the rows of the enclosing queries."""

    def __init__(
        self,
        catalog: dict[str, ops.Source],
        views: dict[str, View],
        builder: FlowBuilder,
        outer: tuple[Plan, ...] = (),
    ) -> None:
        self.catalog = catalog
        self.views = views
        self.builder = builder
        self.outer = outer

    def inside(
        self, views: dict[str, View], builder: FlowBuilder, outer: tuple[Plan, ...]
    ) -> QueryReader:
        """A reader of the same kind for a query inside of this one."""
        return QueryReader(self.catalog, views, builder, outer)

    # -- entry points --------------------------------------------------------------------------

    def subquery(self, node: exp.Expr, plan: Plan) -> Dataflow:
        """A query inside an expression over the rows of `plan`: a dataflow of its own."""
        inner = self.inside(self.views, FlowBuilder(), (plan, *self.outer))
        result = inner.query(node)
        inner.builder.add(ops.Sink("result"), inner.visible(result).id, id_="result")
        return inner.builder.finish()

    def query(self, node: exp.Expr) -> Plan:
        """A SELECT, set operation, VALUES or parenthesized query."""
        if node.args.get("with_") is not None:
            reader = self.with_views(node.args["with_"])
            plan = reader.query(_without_with(node))
            reader.check_unused([cte.alias for cte in node.args["with_"].expressions])
            return plan
        match node:
            case exp.Select():
                return read_select(self, node)
            case exp.SetOperation():
                return self.set_operation(node)
            case exp.Subquery():
                return self.subquery_relation(node)
            case exp.Values():
                return self.values(node)
            case exp.Table():
                return self.relation(node)
            case _:
                refuse(node, node.key)

    def with_views(self, node: exp.Expr) -> QueryReader:
        """The reader inside a WITH: each common table expression sees the earlier ones."""
        only(node, "expressions")
        reader = self.inside(dict(self.views), self.builder, self.outer)
        taken: set[str] = set()
        for cte in node.expressions:
            only(cte, "this", "alias")
            names = tuple(c.name for c in cte.args["alias"].columns)
            if cte.alias.lower() in taken:
                raise IllFormedError(f"WITH defines {cte.alias!r} twice")
            taken.add(cte.alias.lower())  # twice in any case, whatever the session says
            view = View(cte.this, names, dict(reader.views), self.outer, is_cte=True)
            reader.views[name_key(cte.alias)] = view
        return reader

    def check_unused(self, names: Sequence[str]) -> None:
        """Common table expressions that nothing reads must be queries, too; they are read aside."""
        for view in (self.views[name_key(name)] for name in names):
            if not view.built and not view.chosen:
                try:
                    self.inside(view.views, FlowBuilder(), view.outer).view(view)
                except UnknownNameError as error:
                    missing = error.undeclared_table
                    if not missing or name_key(missing) in map(name_key, names):  # read too early
                        raise
                except InputError:  # it may be a query
                    pass

    # -- building blocks -----------------------------------------------------------------------

    def add(self, operator: ops.AnyOperator, *inputs: str, columns: Sequence[ScopeColumn]) -> Plan:
        """Add an operator; the scope names its columns."""
        id_ = self.builder.add(operator, *inputs)
        return Plan(id_, self.builder.schemas[id_], tuple(columns))

    def filter(self, plan: Plan, predicate: ex.Expr) -> Plan:
        """The rows on which a condition is true."""
        return self.add(ops.Filter(predicate), plan.id, columns=plan.columns)

    def project(
        self, plan: Plan, columns: Sequence[ex.Named], names: Sequence[ScopeColumn]
    ) -> Plan:
        """The computed columns; the rows themselves where nothing changes."""
        kept = [ex.Named(f.name, plan.column(i)) for i, f in enumerate(plan.schema)]
        if kept and list(columns) == kept:
            return Plan(plan.id, plan.schema, tuple(names))
        return self.add(ops.Project(tuple(columns)), plan.id, columns=names)

    def visible(self, plan: Plan) -> Plan:
        """The plan without hidden columns, under the names in scope."""
        kept = plan.star()
        same = len(kept) == len(plan.columns) and plan.schema.names == plan.visible_names()
        if same:
            return plan
        names = [plan.columns[i] for i in kept]
        return self.project(
            plan, [ex.Named(plan.columns[i].name, plan.column(i)) for i in kept], names
        )

    def reader(self, plan: Plan) -> ExprReader:
        """A reader of scalar expressions over the rows of a plan."""
        return ExprReader(plan, self.outer, self)

    def session_function(self, name: str) -> Callable[[Sequence[ex.Expr]], ex.Expr] | None:
        """SQL by itself knows Spark's own functions only."""
        return None

    # -- FROM ----------------------------------------------------------------------------------

    def relation(self, node: exp.Expr) -> Plan:
        """One item of a FROM clause."""
        match node:
            case exp.Table(this=exp.Anonymous()):
                return self.table_function(node)
            case exp.Table():
                plan = self.table(node)
            case exp.Subquery():
                return self.subquery_relation(node)
            case exp.Values():
                return self.values(node)
            case _:
                refuse(node, f"{node.key} in FROM")
        return plan

    def table(self, node: exp.Expr) -> Plan:
        """A table or view in FROM with its alias, sample, pivots and joins."""
        only(node, "this", "db", "catalog", "alias", "joins", "pivots", "sample", "laterals",
             "version")  # fmt: skip
        parts = [p.name for p in node.parts]  # type: ignore[attr-defined]
        plan = self.versioned(parts, node) if node.args.get("version") else self.named(parts, node)
        plan = plan.renamed(node.alias_or_name, None)
        plan = self.sampled(plan, node.args.get("sample"))
        plan = self.pivoted(plan, node)
        return self.joined(self.aliased(plan, node), node)

    def named(self, parts: list[str], node: exp.Expr) -> Plan:
        """A table or view by name."""
        view = self.views.get(name_key(".".join(parts)))
        if view is not None:
            return self.view(view)
        source = self.source_named(parts)
        if source is not None:
            return self.source_rows(source).renamed(parts[-1])
        raise self.unknown_table(parts, node)

    def source_named(self, parts: Sequence[str]) -> ops.AnyOperator | None:
        """The table, or the files, that a name means."""
        return files_at(parts, self.catalog) or self.catalog.get(".".join(parts).lower())

    def source_rows(self, source: ops.AnyOperator) -> Plan:
        """The rows of a source."""
        id_ = self.builder.add(source)
        return Plan(id_, self.builder.schemas[id_], ())

    def is_query(self, name: str) -> bool:
        """Whether a name is that of a view or common table expression."""
        return name_key(name) in self.views

    def versioned(self, parts: list[str], node: exp.Expr) -> Plan:
        """A table as it was: VERSION AS OF, TIMESTAMP AS OF."""
        option = version_option(node.args["version"])
        if self.is_query(".".join(parts)):
            refuse(node, "a version of a view, or of a table that was written before,")
        source = self.source_named(parts)
        if source is None:
            raise self.unknown_table(parts, node)
        if not isinstance(source, ops.Source):
            refuse(node, "a version of something that is not a table")
        return self.source_rows(at_version(source, option)).renamed(parts[-1])

    def unknown_table(self, parts: Sequence[str], node: exp.Expr) -> UnknownNameError:
        """The error for an unknown table: similar names, and how to declare it."""
        tables = sorted([*self.catalog, *self.views])
        name = ".".join(parts)
        close = close_names(name, tables)
        there = f"; there are {listing(tuple(tables))}" if tables else ""
        if close:
            there = f"; did you mean {' or '.join(map(repr, close))}?"
        table = node if isinstance(node, exp.Table) else node.this
        statement = declaration(parts, columns_used(table))
        declare = f"{'or ' if close else ''}declare it, in the file or with --schema: {statement}"
        error = UnknownNameError(f"{position(node)}unknown table {name!r}{there}; {declare}; {HOW}")
        error.undeclared_table = name
        return error

    def view(self, view: View) -> Plan:
        """The rows of a view or common table expression; built once unless it makes a choice."""
        key = self.builder
        if key not in view.built:
            if view.once and isinstance(view.node, exp.DML):
                raise UnsupportedError("a subquery reads a table after it was changed")
            if view.once and self.chooses(view):
                raise UnsupportedError(
                    "a subquery reads a table that may have other rows in each run"
                )
            # A view sees no enclosing rows; a WITH inside a subquery sees those of the subquery,
            # but none of the queries between it and its use.
            between = len(self.outer) - len(view.outer)
            outer = (*(Plan("", Schema(()), ()) for _ in range(between)), *view.outer)
            inner = self.inside(view.views, self.builder, outer)
            plan = inner.visible(inner.query(view.node))
            if view.names:
                plan = inner.relabeled(plan, view.names)
            if self.builder.makes_a_choice(plan.id):
                view.chosen += 1
                if view.chosen > 1 and view.is_cte and self.builder.is_random(plan.id):
                    raise UnsupportedError("a random common table expression is used twice")
                return plan  # every use chooses for itself
            view.built[key] = plan
        return view.built[key]

    def chooses(self, view: View) -> bool:
        """Whether the rows of a written table were chosen."""
        (builder, plan), *_ = view.built.items()
        return builder.makes_a_choice(plan.id)

    def relabeled(self, plan: Plan, names: Sequence[str]) -> Plan:
        """The rows with other column names."""
        if len(names) != len(plan.schema):
            raise IllFormedError(f"{len(names)} names for {len(plan.schema)} columns")
        if plan.schema.names == tuple(names):
            return plan.renamed(None)
        columns = [ex.Named(n, plan.column(i)) for i, n in enumerate(names)]
        return self.project(plan, columns, [ScopeColumn(None, n) for n in names])

    def aliased(self, plan: Plan, node: exp.Expr) -> Plan:
        """The rows under the alias of a node, if it has one; hidden columns are gone then."""
        alias = node.args.get("alias")
        if alias is None:
            return plan
        only(alias, "this", "columns")
        plan = self.visible(plan)
        names = [c.name for c in alias.columns] or None
        if names is not None and len(names) != len(plan.columns):
            raise IllFormedError(
                f"{position(node)}{len(names)} names for the {len(plan.columns)} columns of {alias.name}"
            )
        qualifier = alias.name or None
        shown = names or [c.name for c in plan.columns]
        return plan.renamed(qualifier, shown)

    def subquery_relation(self, node: exp.Expr) -> Plan:
        """A query in parentheses in FROM, with all that may follow it."""
        only(
            node,
            "this",
            "alias",
            "joins",
            "laterals",
            "pivots",
            "sample",
            "order",
            "limit",
            "offset",
        )
        inner = node.this
        named = isinstance(inner, exp.Subquery) and (inner.alias or inner.args.get("joins"))
        if isinstance(inner, exp.Table) or named:  # parentheses around relations with names
            plan = self.relation(inner)
        else:
            plan = self.visible(self.query(inner))
            plan = plan.renamed(None)
        plan = self.ordered(plan, node)
        plan = self.sampled(plan, node.args.get("sample"))
        plan = self.pivoted(plan, node)
        return self.joined(self.aliased(plan, node), node)

    def values(self, node: exp.Expr) -> Plan:
        """VALUES: constants where they are, else one row of computed columns each."""
        only(node, "expressions", "alias", "joins", "laterals", "order", "limit", "offset")
        one = self.one_row()
        rows = [[self.reader(one).read(e) for e in _row(r)] for r in node.expressions]
        if any(expr_kind(e) is Kind.CHOICE for row in rows for e in row):
            raise IllFormedError(f"{position(node)}VALUES with random values")
        check_uncorrelated((e for row in rows for e in row), f"{position(node)}VALUES")
        width = len(rows[0])
        if any(len(row) != width for row in rows):
            raise IllFormedError(f"{position(node)}VALUES with rows of different lengths")
        types = [common_type(ex.arguments(tuple(row[i] for row in rows))) for i in range(width)]
        cast = [[coercion.implicit(e, t) for e, t in zip(row, types, strict=True)] for row in rows]
        names = [f"col{i + 1}" for i in range(width)]
        plan = self.constant_rows(names, types, cast)
        return self.ordered(self.joined(self.aliased(plan, node), node), node)

    def constant_rows(
        self, names: list[str], types: list[ty.DataType], rows: list[list[ex.Expr]]
    ) -> Plan:
        """Rows of given values: a constant table if all are constants."""
        scope = [ScopeColumn(None, n) for n in names]
        if all(isinstance(e, ex.Literal) for row in rows for e in row):
            values = tuple(tuple(e.value for e in row if isinstance(e, ex.Literal)) for row in rows)
            fields = tuple(
                Field(n, t, any(row[i] is None for row in values))
                for i, (n, t) in enumerate(zip(names, types, strict=True))
            )
            return self.add(ops.Values(fields, values), columns=scope)
        one = self.one_row()
        parts = [
            self.project(one, [ex.Named(n, e) for n, e in zip(names, row, strict=True)], scope)
            for row in rows
        ]
        if len(parts) == 1:
            return parts[0]
        return self.add(ops.Union(), *(p.id for p in parts), columns=scope)

    def one_row(self) -> Plan:
        """The single row without columns that SELECT without FROM reads."""
        if self.builder.one_row is None:
            self.builder.one_row = self.builder.add(ops.Values((), ((),)), id_="one_row")
        return Plan(self.builder.one_row, Schema(()), ())

    def table_function(self, node: exp.Expr) -> Plan:
        """RANGE of constants, or a generator called over a single row."""
        only(node, "this", "alias")
        call = node.this
        if call.name.lower() != "range":
            if call.name.lower() in GENERATORS:
                plan = self.generated(self.one_row(), call, None, ())
                return self.aliased(plan, node)
            refuse(node, f"table function {call.name}")
        args = [self.reader(self.one_row()).read(e) for e in call.expressions]
        numbers = [a.value for a in args if isinstance(a, ex.Literal) and isinstance(a.value, int)]
        if len(numbers) != len(args) or not 1 <= len(args) <= 3:
            refuse(node, "range with anything but integer constants")
        if len(numbers) == 3 and numbers[2] == 0:
            raise IllFormedError(f"{position(node)}range with a step of zero")
        numbered = range(*numbers)  # Spark's, too, leaves its end out
        if numbered[MAX_RANGE:]:
            refuse(node, f"range of more than {MAX_RANGE} rows")
        values = ops.Values((Field("id", ty.LONG, False),), tuple((n,) for n in numbered))
        plan = self.add(values, columns=[ScopeColumn(call.name, "id")])
        return self.aliased(plan, node)

    def sampled(self, plan: Plan, node: exp.Expr | None) -> Plan:
        """TABLESAMPLE: a share of the rows; a number of rows is a limit, as in Spark."""
        if node is None:
            return plan
        only(node, "percent", "size", "rows", "seed")
        seed = node.args.get("seed")
        amounts = [node.args[k] for k in ("percent", "size", "rows", "seed") if node.args.get(k)]
        if not all(isinstance(a, exp.Literal) and not a.is_string for a in amounts):
            refuse(node, "a sample whose size is not a number")
        whole = [node.args[k] for k in ("size", "rows", "seed") if node.args.get(k)]
        if not all(re.fullmatch("[0-9]+", a.name) for a in whole):
            refuse(node, "a sample whose size or seed is not a whole number")
        if node.args.get("percent") is not None:
            share = float(node.args["percent"].name) / 100
            check_rows_uncorrelated(self.builder, plan.id, "what is sampled")
            operator: ops.AnyOperator = ops.Sample(share, None if seed is None else int(seed.name))
        else:
            size = node.args.get("size") or node.args.get("rows")
            operator = (
                ops.Limit(int(size.name)) if size is not None else refuse(node, "this sample")
            )
        return self.add(operator, plan.id, columns=plan.columns)

    def pivoted(self, plan: Plan, node: exp.Expr) -> Plan:
        """The rows with the PIVOT and UNPIVOT clauses of a node applied."""
        for item in node.args.get("pivots") or ():
            plan = (
                unpivot(self, plan, item) if item.args.get("unpivot") else pivot(self, plan, item)
            )
        return plan

    # -- joins ---------------------------------------------------------------------------------

    def joined(self, plan: Plan, node: exp.Expr) -> Plan:
        """The rows with the joins and lateral views that hang on a node."""
        for join in node.args.get("joins") or ():
            plan = read_join(self, plan, join)
        for lateral in node.args.get("laterals") or ():
            plan = self.lateral_view(plan, lateral)
        return plan

    def lateral_view(self, plan: Plan, node: exp.Expr) -> Plan:
        """LATERAL VIEW of a generator."""
        only(node, "this", "view", "outer", "alias")
        alias = node.args.get("alias")
        names = tuple(c.name for c in alias.columns) if alias is not None else ()
        if not isinstance(node.this, exp.Anonymous):
            refuse(node, "this lateral view")
        return self.generated(
            plan, node.this, node.alias or None, names, outer=bool(node.args.get("outer"))
        )

    def generated(
        self,
        plan: Plan,
        call: exp.Expr,
        qualifier: str | None,
        names: tuple[str, ...],
        outer: bool = False,
    ) -> Plan:
        """The rows with the columns of a generator such as explode."""
        function = call.name.lower()
        if function not in GENERATORS:
            refuse(call, f"generator {call.name}")
        generator = self.reader(plan).generated(call, function, list(call.expressions))
        return self.unnested(plan, *generator, qualifier, names, outer)

    def unnested(
        self,
        plan: Plan,
        function: str,
        value: ex.Expr,
        qualifier: str | None,
        names: tuple[str, ...],
        outer: bool = False,
    ) -> Plan:
        """The rows once per element of `value`, with the generator's columns appended."""
        if len(plan.schema):
            check_uncorrelated([value], f"{function} beside columns of rows")
        flags: dict[str, bool] = dict(GENERATORS[function])
        flags["outer"] = outer or flags.get("outer", False)
        shown = names or default_names(function, value.type)
        operator = ops.Unnest(value, shown, **flags)
        columns = [*plan.columns, *(ScopeColumn(qualifier, n) for n in shown)]
        return self.add(operator, plan.id, columns=columns)

    # -- set operations ------------------------------------------------------------------------

    def set_operation(self, node: exp.Expr) -> Plan:
        """UNION, INTERSECT and EXCEPT, ALL or distinct."""
        only(node, "this", "expression", "distinct", "order", "limit", "offset", "by_name")
        if node.args.get("by_name"):
            refuse(node, "BY NAME")
        branches = self.branches(node)
        try:
            plans = self.aligned_in_turn([self.visible(self.query(b)) for b in branches], node.key)
        except IllFormedError as error:
            raise error.told(f"{position(node)}{error}") from None
        plan = self.combined(node.key, plans, bool(node.args.get("distinct")))
        return self.ordered(plan.renamed(None), node)

    def combined(self, kind: str, plans: Sequence[Plan], distinct: bool) -> Plan:
        """UNION, INTERSECT or EXCEPT of rows of the same types; the columns are the first one's."""
        scope = plans[0].columns
        ids = [p.id for p in plans]
        match kind:
            case "union":
                plan = self.add(ops.Union(), *ids, columns=scope)
                return self.distinct(plan) if distinct else plan
            case "intersect" if not distinct:
                return self.add(ops.IntersectAll(), *ids, columns=scope)
            case "except" if not distinct:
                return self.add(ops.ExceptAll(), *ids, columns=scope)
            case _:
                return self.matched(
                    plans, ops.JoinKind.SEMI if kind == "intersect" else ops.JoinKind.ANTI
                )

    def branches(self, node: exp.Expr) -> list[exp.Expr]:
        """The operands; a chain of UNION ALL is one operator."""
        if not isinstance(node, exp.Union) or node.args.get("distinct"):
            return [node.this, node.expression]
        operands: list[exp.Expr] = [node.expression]
        at = node.this
        while isinstance(at, exp.Union) and not any(
            at.args.get(k) for k in ("distinct", "order", "limit", "offset", "with_", "by_name")
        ):
            operands.append(at.expression)
            at = at.this
        return [at, *reversed(operands)]

    def aligned_in_turn(self, plans: Sequence[Plan], kind: str) -> list[Plan]:
        """As `aligned`, each with those before it: numbers that become text may have been cast before."""
        out = list(plans[:1])
        for plan in plans[1:]:
            out = self.aligned([*out, plan], kind)
        return out

    def aligned(self, plans: Sequence[Plan], kind: str) -> list[Plan]:
        """The inputs with their columns cast to common types."""
        width = len(plans[0].schema)
        if any(len(p.schema) != width for p in plans):
            widths = " and ".join(str(len(p.schema)) for p in plans)
            raise IllFormedError(f"{kind} of {widths} columns")
        types = []
        for i in range(width):
            column = tuple(p.column(i) for p in plans)
            try:
                types.append(common_type(ex.arguments(column)))
            except InputError as error:
                raise IllFormedError(f"column {i + 1} of {kind}: {error}") from None
        out = []
        for plan in plans:
            if list(plan.schema.types) == types:
                out.append(plan)
                continue
            columns = [
                ex.Named(f.name, coercion.implicit(plan.column(i), t))
                for i, (f, t) in enumerate(zip(plan.schema, types, strict=True))
            ]
            scope = [
                c if f.type == t else ScopeColumn(None, c.name)
                for c, f, t in zip(plan.columns, plan.schema, types, strict=True)
            ]
            out.append(self.project(plan, columns, scope))
        return out

    def distinct(self, plan: Plan) -> Plan:
        """Each row once: groups by all columns."""
        keys = tuple(ex.Named(f.name, plan.column(i)) for i, f in enumerate(plan.schema))
        return self.add(ops.Aggregate(keys), plan.id, columns=plan.columns)

    def matched(self, plans: Sequence[Plan], kind: ops.JoinKind) -> Plan:
        """INTERSECT and EXCEPT: distinct left rows with or without an equal right row."""
        left, right = plans
        both = Plan("", left.schema + right.schema, left.columns + right.columns)
        width = len(left.schema)
        condition = coercion.conjunction(
            # Rows with nulls in the same places are equal here.
            [ex.Compare("<=>", both.column(i), both.column(width + i)) for i in range(width)]
        )
        joined = self.add(ops.Join(kind, condition), left.id, right.id, columns=left.columns)
        return self.distinct(joined)  # of rows that are alike, all or none are kept

    # -- ORDER BY, LIMIT -----------------------------------------------------------------------

    def ordered(self, plan: Plan, node: exp.Expr) -> Plan:
        """ORDER BY over the output columns of a query, LIMIT and OFFSET."""
        order = node.args.get("order")
        if order is not None:
            only(order, "expressions")
            keys = tuple(self.output_key(plan, item) for item in order.expressions)
            plan = self.add(ops.Sort(keys), plan.id, columns=plan.columns)
        return self.limited(plan, node)

    def output_key(self, plan: Plan, item: exp.Expr) -> ex.SortKey:
        """A sort key of ORDER BY after a query; a number means a column."""
        key = self.reader(plan).sort_key(item)
        if isinstance(item.this, exp.Literal) and not item.this.is_string:
            index = ordinal(item.this, len(plan.schema))
            return ex.SortKey(plan.column(index), key.ascending, key.nulls_first)
        check_uncorrelated([key.expr], f"{position(item)}ORDER BY")
        return key

    def limited(self, plan: Plan, node: exp.Expr) -> Plan:
        """The rows with the LIMIT and OFFSET of a node."""
        limit, offset = node.args.get("limit"), node.args.get("offset")
        count = None if limit is None else constant(limit.expression, self)
        skip = 0 if offset is None else constant(offset.expression, self) or 0
        if count is None and not skip:
            return plan
        return self.add(ops.Limit(count, skip), plan.id, columns=plan.columns)


def _without_with(node: exp.Expr) -> exp.Expr:
    copy = node.copy()
    copy.set("with_", None)
    return copy


def _row(node: exp.Expr) -> list[exp.Expr]:
    """The values of one row of VALUES; a row of one needs no parentheses."""
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    return [node.this if isinstance(node, exp.Paren) else node]


def constant(node: exp.Expr, reader: QueryReader) -> int | None:
    """The number of a LIMIT; None for ALL."""
    if isinstance(node, exp.Var | exp.Column) and node.name.upper() == "ALL":
        return None
    value = reader.reader(reader.one_row()).read(node)
    if not isinstance(value, ex.Literal) or not isinstance(value.type, ty.IntegralType):
        refuse(node, "a limit that is not a constant number")
    if value.value is None:
        raise IllFormedError(f"{position(node)}a limit that is null")
    return int(value.value)
