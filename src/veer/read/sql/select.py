"""SELECT: from FROM to the select list, in the order the clauses take effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from veer.errors import IllFormedError, UnsupportedError
from veer.facts.determinism import require_repeatable
from veer.functions.registry import AGGREGATE, canonical_name
from veer.ir import expr as ex, ops, types as ty
from veer.ir.walk import exprs_in, map_exprs, outer_columns, parts, replace_down
from veer.read.sql import grouping, placeholders
from veer.read.sql.correlation import check_rows_uncorrelated, check_uncorrelated
from veer.read.sql.embedded import Embedded
from veer.read.sql.expressions import GENERATORS, ExprReader
from veer.read.sql.names import output_name
from veer.read.sql.parse import only, position, refuse
from veer.read.sql.refusals import check_hints
from veer.read.sql.scope import Plan, ScopeColumn, default_names, ordinal
from veer.settings import name_key, same_name

if TYPE_CHECKING:
    from veer.read.sql.query import QueryReader

HANDLED = (
    "expressions",
    "from_",
    "joins",
    "laterals",
    "where",
    "group",
    "having",
    "distinct",
    "order",
    "limit",
    "offset",
    "windows",
    "hint",
    "sort",
    "distribute",
    "cluster",
    "kind",
)


@dataclass
class Item:
    """A column of the select list: over the rows before projection, with placeholders."""

    name: str
    expr: ex.Expr
    source: ScopeColumn | None = None  # the column it passes on
    qualifier: str | None = None
    hidden: bool = False
    reads_alias: bool = False  # of an item before it

    @property
    def column(self) -> ScopeColumn:
        """What the item is called in the rows that the SELECT gives."""
        if self.source is None:
            return ScopeColumn(self.qualifier, self.name, self.hidden)
        return replace(self.source, qualifier=self.qualifier, name=self.name, hidden=self.hidden)


def read_select(reader: QueryReader, node: exp.Expr) -> Plan:
    """The operators of one SELECT."""
    only(node, *HANDLED)
    check_hints(node)
    if node.args.get("kind"):
        refuse(node, f"SELECT {node.args['kind']}")
    plan = read_from(reader, node)
    if node.args.get("where") is not None:
        plan = reader.filter(plan, reader.reader(plan).condition(node.args["where"].this))
    return Select(reader, plan, node).read()


def read_from(reader: QueryReader, node: exp.Expr) -> Plan:
    """FROM with its joins and lateral views."""
    start = node.args.get("from_")
    plan = reader.one_row() if start is None else reader.relation(start.this)
    return reader.joined(plan, node)


class Select:
    """The part of a SELECT above WHERE."""

    def __init__(
        self, queries: QueryReader, plan: Plan, node: exp.Expr, carried: Sequence[int] = ()
    ) -> None:
        self.queries = queries
        self.carried = carried  # numbers of columns that are passed on out of sight
        self.plan = plan  # the rows expressions are read over
        self.node = node
        self.collected = placeholders.Collected()
        self.grouping: grouping.Grouping | None = None
        self.asks_grouping = False
        self.items: list[Item] = []
        written = node.args.get("windows") or ()
        windows = {name_key(w.this.name): w for w in written}
        if len(windows) < len(written):
            raise IllFormedError(f"{position(node)}two windows of one name")
        self.reader = ExprReader(
            plan, queries.outer, queries, self.collected, windows, self.grouping_call
        )

    def read(self) -> Plan:
        """The operators, clause by clause in the order of their effect."""
        node = self.node
        self.reader.after = self.any_item  # an alias of the select list, where no column is meant
        self.read_items()
        group = node.args.get("group")
        if group is not None:
            self.reader.after = self.grouped_item
            self.grouping = grouping.read_grouping(self.reader, group, self.items, node.expressions)
            self.reader.after = self.any_item
            if self.grouping.uses_sets:
                self.asks_grouping = False
                self.reread_items()
        if self.asks_grouping:
            raise IllFormedError("GROUPING needs ROLLUP, CUBE or GROUPING SETS")
        having = self.read_having()
        order = self.read_order()
        plan = self.plan
        if self.grouping is not None or self.collected.aggregates or having is not None:
            grouped = self.aggregated()
            plan = grouped.plan
            self.rewrite(grouped.rewrite)
            order = [map_exprs(key, grouped.rewrite) for key in order]
            if having is not None:
                condition = grouped.rewrite(having)
                if placeholders.has_placeholder(condition):  # computed above the groups
                    raise UnsupportedError("HAVING of a generator or a window function")
                plan = self.queries.filter(plan, condition)
        # Generators multiply what is there. Window functions see what they give, and the groups, not
        # the rows below.
        if self.collected.generators and self.collected.overs:
            self.check_generator_below_overs(order, is_grouped=plan is not self.plan)
        plan, order = self.with_generators(plan, order)
        plan, order = self.with_overs(plan, order)
        return self.finished(plan, order)

    # -- the select list -----------------------------------------------------------------------

    def read_items(self) -> None:
        """Read the select list into items."""
        for item in self.node.expressions:
            if isinstance(item, exp.Star) or (
                isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
            ):
                self.items += self.star_items(item)
            elif isinstance(item, exp.Aliases):
                self.items += self.generator_items(item.this, [e.name for e in item.expressions])
            else:
                self.items += self.plain_item(item)
        for place, column in enumerate(self.plan.columns):
            if column.number in self.carried:
                self.items.append(
                    Item(column.name, self.plan.column(place), column, column.qualifier, True)
                )

    def reread_items(self) -> None:
        """Once grouping sets are known, GROUPING() can be read."""
        self.items, self.collected.overs, self.collected.aggregates = [], [], []
        self.collected.generators = []
        self.read_items()

    def plain_item(self, item: exp.Expr) -> list[Item]:
        """The columns of one item: one, unless it is a generator."""
        inner = item.this if isinstance(item, exp.Alias) else item
        aliases_read = self.reader.aliases_read
        expr = self.reader.read(inner)
        reads_alias = self.reader.aliases_read > aliases_read
        number = placeholders.number_of(placeholders.SetAside.GENERATOR, expr)
        if number is not None:
            return self.generator_columns(
                number, [item.alias] if isinstance(item, exp.Alias) else []
            )
        if placeholders.has_placeholder(expr, placeholders.SetAside.GENERATOR):
            refuse(item, "a generator inside an expression")
        if isinstance(item, exp.Alias):
            return [Item(item.alias, expr, reads_alias=reads_alias)]
        source = self.passed_on(expr)
        qualifier = None if source is None else source.qualifier
        if isinstance(inner, exp.Column):
            qualifier = inner.table or qualifier
            return [Item(inner.name, expr, source, qualifier, reads_alias=reads_alias)]
        if isinstance(inner, Embedded) and inner.column_name is not None:
            return [Item(inner.column_name, expr, source, qualifier)]
        return [Item(output_name(inner), expr, reads_alias=reads_alias)]

    def passed_on(self, expr: ex.Expr) -> ScopeColumn | None:
        """The column that an item without alias passes on; its table stays its qualifier."""
        if isinstance(expr, ex.Column):
            return self.plan.columns[self.plan.schema.place(expr.name, expr.occurrence)]
        return None

    def star_items(self, item: exp.Expr) -> list[Item]:
        """The columns that `*` or `table.*` stands for, without those of EXCEPT."""
        star = item if isinstance(item, exp.Star) else item.this
        only(star, "except_")
        qualifier = item.table if isinstance(item, exp.Column) else None
        dropped = {name_key(c.name) for c in star.args.get("except_") or ()}
        if len(dropped) < len(star.args.get("except_") or ()):
            raise IllFormedError(f"{position(item)}EXCEPT names a column twice")
        if any(isinstance(c, exp.Column) and c.table for c in star.args.get("except_") or ()):
            refuse(item, "EXCEPT of a qualified column")
        struct = None if qualifier is None else self.struct_column(item)
        if struct is not None and not dropped:
            assert isinstance(struct.type, ty.StructType)
            return [Item(n, ex.GetField(struct, n)) for n, _ in struct.type.fields]
        places = self.plan.star(qualifier)
        shown = [name_key(self.plan.columns[i].name) for i in places]
        names = set(shown)
        for name in sorted(dropped):
            if shown.count(name) > 1:
                raise IllFormedError(f"{position(item)}column {name!r} is ambiguous")
        if dropped - names:
            raise IllFormedError(
                f"{position(item)}EXCEPT names no column: {sorted(dropped - names)[0]!r}"
            )
        return [
            Item(column.name, self.plan.column(i), column, column.qualifier)
            for i, column in ((i, self.plan.columns[i]) for i in places)
            if name_key(column.name) not in dropped
        ]

    def struct_column(self, item: exp.Expr) -> ex.Expr | None:
        """The struct whose fields `name.*` means, if no table has that name."""
        parts = [p.name for p in item.parts[:-1]]  # type: ignore[attr-defined]
        if any(same_name(c.qualifier or "", parts[-1]) for c in self.plan.columns):
            return None
        struct = self.plan.find(parts)
        if struct is None or not isinstance(struct.type, ty.StructType):
            return None
        names = [n for n, _ in struct.type.fields]
        if len(set(names)) < len(names):
            refuse(item, "a struct with two fields of one name")
        return struct

    def generator_items(self, node: exp.Expr, names: list[str]) -> list[Item]:
        """`generator AS (a, b)`."""
        number = placeholders.number_of(placeholders.SetAside.GENERATOR, self.reader.read(node))
        if number is None:
            refuse(node, "several names for one column")
        return self.generator_columns(number, names)

    def generator_columns(self, number: int, names: list[str]) -> list[Item]:
        """An item for each column of a generator, under Spark's names if none are given."""
        function, value = self.collected.generators[number]
        shown = tuple(names) or default_names(function, value.type)
        flags: dict[str, bool] = dict(GENERATORS[function])
        types = ops.Unnest(value, shown, **flags).generated_types()
        if len(types) != len(shown):
            raise IllFormedError(f"{len(shown)} names for {len(types)} generated columns")
        return [
            Item(name, placeholders.Placeholder(placeholders.SetAside.GENERATED, index).expr(type_))
            for index, (name, type_) in enumerate(zip(shown, types, strict=True))
        ]

    # -- names defined by the select list ------------------------------------------------------

    def any_item(self, parts: list[str]) -> ex.Expr | None:
        """The select item an unqualified name means as an alias."""
        named = [i for i in self.items if len(parts) == 1 and same_name(i.name, parts[0])]
        if _are_several(named):
            raise IllFormedError(f"column {parts[0]!r} is ambiguous")
        return self._aliased(parts, named)

    def sorted_item(self, parts: list[str]) -> ex.Expr | None:
        """As `any_item` in ORDER BY, where a name of several items means the column below them."""
        named = [i for i in self.items if len(parts) == 1 and same_name(i.name, parts[0])]
        if _are_several(named) and self.plan.find(parts) is not None:
            return None
        return self.any_item(parts)

    def grouped_item(self, parts: list[str]) -> ex.Expr | None:
        """As `any_item` in GROUP BY, where of two names for one expression Spark takes either."""
        named = [i for i in self.items if len(parts) == 1 and same_name(i.name, parts[0])]
        for item in named:
            grouping.check_key(item)
        return self._aliased(parts, named)

    def _aliased(self, parts: list[str], named: Sequence[Item]) -> ex.Expr | None:
        if not named:
            return None
        if any(i.expr != named[0].expr for i in named):
            raise IllFormedError(f"column {parts[0]!r} is ambiguous")
        return require_repeatable(named[0].expr, f"the alias {parts[0]!r}")

    # -- GROUP BY, HAVING ----------------------------------------------------------------------

    def grouping_call(self, function: str, args: list[ex.Expr]) -> ex.Expr:
        """GROUPING(key) or GROUPING_ID()."""
        if self.grouping is None:
            self.asks_grouping = True
            if self.node.args.get("group") is None:
                raise IllFormedError(f"{function} needs ROLLUP, CUBE or GROUPING SETS")
            return ex.Literal(None, ty.LONG)  # read again once the grouping is known
        return self.grouping.call(function, args)

    def read_having(self) -> ex.Expr | None:
        """The condition of HAVING, which may name keys, aliases and aggregates."""
        having = self.node.args.get("having")
        if having is None:
            return None
        self.reader.before = self.key_or_item
        try:
            return self.reader.condition(having.this)
        finally:
            self.reader.before = None

    def key_or_item(self, parts: list[str]) -> ex.Expr | None:
        """In HAVING a grouping key wins over an alias of the select list."""
        column = self.plan.find(parts)
        if column is not None and self.grouping is not None and column in self.grouping.keys:
            return column
        item = self.any_item(parts)
        if column is not None and item is not None and not _alike(column.type, item.type):
            # Spark inserts the casts of the hidden column before it finds the alias.
            raise UnsupportedError(
                f"the alias {parts[0]!r} in HAVING hides a column of another type"
            )
        return item

    def check_grouped(self) -> None:
        """Refuse what Spark does in a SELECT with groups or aggregates.

        Only HAVING may read the row around a subquery, and no item the column of a generator.
        """
        keys = () if self.grouping is None else self.grouping.keys
        calls = (e for call in self.collected.aggregates for e in exprs_in(call))
        items = (item.expr for item in self.items)
        check_uncorrelated((*keys, *calls, *items), "a SELECT with groups or aggregates")
        if any(
            i.reads_alias and placeholders.has_placeholder(i.expr, placeholders.SetAside.GENERATED)
            for i in self.items
        ):
            raise IllFormedError("a name of a generator's column in a SELECT with groups")

    def aggregated(self) -> grouping.GroupedRows:
        """The rows that GROUP BY and the aggregate calls of the whole SELECT give."""
        self.check_grouped()
        plan = self.plan
        keys: list[ex.Expr] = []
        if self.grouping is not None:
            if self.grouping.uses_sets:
                builder = self.queries.builder
                check_rows_uncorrelated(builder, plan.id, "a SELECT with grouping sets")
            plan, keys = grouping.expand(self.queries, self.plan, self.grouping)
        calls = tuple(
            ops.NamedCall(self.call_name(i), call)
            for i, call in enumerate(self.collected.aggregates)
        )
        operator: ops.Aggregate | ops.GlobalAggregate
        if keys:
            operator = ops.Aggregate(
                tuple(ex.Named(_key_name(k, i), k) for i, k in enumerate(keys)), calls
            )
        else:
            operator = ops.GlobalAggregate(calls)  # gives its one row over no rows too
        grouped = self.queries.add(operator, plan.id, columns=[])
        names = tuple(ScopeColumn(None, n) for n in grouped.schema.names)
        written = () if self.grouping is None else self.grouping.keys
        uses_sets = self.grouping is not None and self.grouping.uses_sets
        return grouping.GroupedRows(replace(grouped, columns=names), written, len(keys), uses_sets)

    def call_name(self, number: int) -> str:
        """An aggregate's column is called like the select item that is just this aggregate."""
        for item in self.items:
            if placeholders.number_of(placeholders.SetAside.AGGREGATE, item.expr) == number:
                return item.name
        return f"_aggregate{number}"

    def rewrite(self, rewrite: Callable[[ex.Expr], ex.Expr]) -> None:
        """Read items and all that is set aside over other rows."""
        for item in self.items:
            item.expr = rewrite(item.expr)
        self.collected.overs = [map_exprs(call, rewrite) for call in self.collected.overs]
        self.collected.generators = [(f, rewrite(e)) for f, e in self.collected.generators]

    # -- window functions, generators ----------------------------------------------------------

    def check_generator_below_overs(self, order: Sequence[ex.SortKey], *, is_grouped: bool) -> None:
        """Refuse what Spark refuses, or computes in another order, beside window functions."""
        if is_grouped:
            raise UnsupportedError("a generator together with a window function over groups")
        if any(
            placeholders.has_placeholder(value, placeholders.SetAside.OVER)
            for _, value in self.collected.generators
        ):
            raise IllFormedError("a window function inside a generator")
        items = [item.expr for item in self.items]
        if any(
            k.expr not in items and placeholders.has_placeholder(k.expr, placeholders.SetAside.OVER)
            for k in order
        ):
            raise IllFormedError("ORDER BY a window function beside a generator")

    def with_overs(self, plan: Plan, order: list[ex.SortKey]) -> tuple[Plan, list[ex.SortKey]]:
        """The rows with a column for each window function."""
        calls = self.collected.overs
        if not calls:
            return plan, order
        width = len(plan.schema)
        names = [f"_over{i}" for i in range(len(calls))]
        for call in calls:
            read = (*call.args, *call.partition, *(k.expr for k in call.order))
            # Other expressions are computed in a projection below, as Spark does.
            bare = (e for e in read if isinstance(e, ex.OuterColumn))
            check_uncorrelated(bare, "a window function")
            for expr in read:
                if any(
                    placeholders.has_placeholder(expr, kind)
                    for kind in (placeholders.SetAside.OVER, placeholders.SetAside.GENERATED)
                ):
                    raise IllFormedError("a window function or generator inside a window function")
        operator = ops.Over(tuple(ops.NamedOver(n, c) for n, c in zip(names, calls, strict=True)))
        wider = self.queries.add(
            operator, plan.id, columns=[*plan.columns, *(ScopeColumn(None, n) for n in names)]
        )
        return wider, self.replace_everywhere(placeholders.SetAside.OVER, wider, width, order)

    def with_generators(self, plan: Plan, order: list[ex.SortKey]) -> tuple[Plan, list[ex.SortKey]]:
        """The rows once per element that the generator of the select list gives."""
        generators = self.collected.generators
        if not generators:
            return plan, order
        if len(generators) > 1:
            raise IllFormedError("only one generator is allowed in a select list")
        ((function, value),) = generators
        width = len(plan.schema)
        wider = self.queries.unnested(plan, function, value, None, ())
        return wider, self.replace_everywhere(placeholders.SetAside.GENERATED, wider, width, order)

    def replace_everywhere(
        self, kind: placeholders.SetAside, plan: Plan, first: int, order: list[ex.SortKey]
    ) -> list[ex.SortKey]:
        """Put columns, from place `first` on, where their placeholders are: the new sort keys."""

        def replaced(expr: ex.Expr) -> ex.Expr | None:
            number = placeholders.number_of(kind, expr)
            return None if number is None else plan.column(first + number)

        for item in self.items:
            item.expr = replace_down(item.expr, replaced)
        return [map_exprs(key, lambda e: replace_down(e, replaced)) for key in order]

    # -- ORDER BY, projection, DISTINCT, LIMIT -------------------------------------------------

    def read_order(self) -> list[ex.SortKey]:
        """Sort keys over the rows before projection; names of the select list win."""
        order = self.node.args.get("order") or self.node.args.get("sort")
        if order is None:
            return []
        if self.node.args.get("sort") is not None and self.node.args.get("limit") is not None:
            refuse(order, "SORT BY, which sorts partitions, under LIMIT")
        only(order, "expressions")
        keys = []
        self.reader.before = self.sorted_item
        try:
            for item in order.expressions:
                keys.append(self.named_key(item) or self.computed_key(item))
        finally:
            self.reader.before = None
        # SORT BY gives no order of all rows.
        return keys if self.node.args.get("order") is not None else []

    def computed_key(self, item: exp.Expr) -> ex.SortKey:
        """A key that is an expression; an aggregate in it reads grouping keys as they are left out."""
        outer_read = self.reader.outer_read
        key = self.reader.sort_key(item)
        if self.reader.outer_read > outer_read:  # by itself, not by an alias of the select list
            raise IllFormedError(f"{position(item)}ORDER BY reads a column of the query around")
        keys = () if self.grouping is None else self.grouping.keys
        if key.expr not in keys and key.expr not in [i.expr for i in self.items]:
            _check_sorted_by(item, key.expr)
        if self.collected.overs and _calls_aggregate(item):
            raise IllFormedError(
                f"{position(item)}ORDER BY of an aggregate beside window functions"
            )
        if self.grouping is None or not self.grouping.uses_sets:
            return key
        numbers = [
            placeholders.number_of(placeholders.SetAside.AGGREGATE, part)
            for part in parts(key.expr)
        ]
        calls = [self.collected.aggregates[n] for n in numbers if n is not None]
        read = {part for call in calls for arg in exprs_in(call) for part in parts(arg)}
        if read & set(keys):
            refuse(item, "ORDER BY of an aggregate of a grouping key")
        return key

    def named_key(self, item: exp.Expr) -> ex.SortKey | None:
        """A key that is just a select item, by position or by name."""
        if isinstance(item.this, exp.Neg) and isinstance(item.this.this, exp.Literal):
            raise IllFormedError(
                f"{position(item)}position -{item.this.this} is not in the select list"
            )
        if isinstance(item.this, exp.Literal) and not item.this.is_string:
            named = [self.items[ordinal(item.this, len(self.items))]]
        elif isinstance(item.this, exp.Column) and not item.this.table:
            named = [i for i in self.items if same_name(i.name, item.this.name)]
        else:
            return None
        if len(named) != 1:
            return None
        only(item, "this", "desc", "nulls_first")
        ascending = not item.args.get("desc")
        nulls_first = item.args.get("nulls_first")
        return ex.SortKey(
            named[0].expr, ascending, ascending if nulls_first is None else bool(nulls_first)
        )

    def finished(self, plan: Plan, order: list[ex.SortKey]) -> Plan:
        """Projection, DISTINCT, ORDER BY and LIMIT."""
        queries, node = self.queries, self.node
        names = [i.column for i in self.items]
        columns = [ex.Named(i.name, i.expr) for i in self.items]
        distinct = node.args.get("distinct")
        hidden = self.hidden_keys(order)
        if distinct is not None:
            only(distinct)
            if hidden:
                raise IllFormedError("ORDER BY of SELECT DISTINCT names a column not selected")
        shown = [*columns, *(ex.Named(f"_sort{i}", e) for i, e in enumerate(hidden))]
        projected = queries.project(
            plan,
            shown,
            [*names, *(ScopeColumn(None, f"_sort{i}", True) for i in range(len(hidden)))],
        )
        if distinct is not None:
            projected = queries.distinct(projected)
        if order:
            keys = tuple(
                ex.SortKey(
                    self.sorted_column(projected, k.expr, hidden), k.ascending, k.nulls_first
                )
                for k in order
            )
            projected = queries.add(ops.Sort(keys), projected.id, columns=projected.columns)
        projected = queries.limited(projected, node)
        return queries.visible(projected) if hidden else projected

    def hidden_keys(self, order: Sequence[ex.SortKey]) -> list[ex.Expr]:
        """Sort keys that are no select items: computed beside them and dropped in the end."""
        selected = [i.expr for i in self.items]
        hidden: list[ex.Expr] = []
        for key in order:
            # A constant puts no row before another.
            if (
                key.expr not in selected
                and key.expr not in hidden
                and not isinstance(key.expr, ex.Literal)
            ):
                hidden.append(key.expr)
        return hidden

    def sorted_column(self, plan: Plan, expr: ex.Expr, hidden: list[ex.Expr]) -> ex.Expr:
        """A sort key as a column of the projected rows."""
        selected = [i.expr for i in self.items]
        if expr in selected:
            return plan.column(selected.index(expr))
        if isinstance(expr, ex.Literal):
            return expr
        return plan.column(len(selected) + hidden.index(expr))


def _calls_aggregate(item: exp.Expr) -> bool:
    """Whether an aggregate function is called, not as a window function."""
    return any(
        canonical_name(call.name) in AGGREGATE and call.find_ancestor(exp.Window) is None
        for call in item.find_all(exp.Anonymous)
    )


def _check_sorted_by(item: exp.Expr, key: ex.Expr) -> None:
    """Refuse what Spark computes in a select list, and not for ORDER BY alone."""
    if placeholders.has_placeholder(key, placeholders.SetAside.GENERATOR):
        raise IllFormedError(f"{position(item)}a generator in ORDER BY")
    for part in parts(key):
        outer = outer_columns(part.query) if isinstance(part, ex.ScalarQuery) else ()
        if isinstance(part, ex.Exists | ex.InQuery) or any(o.depth == 1 for o in outer):
            raise IllFormedError(f"{position(item)}ORDER BY of IN, EXISTS or a correlated subquery")


def _are_several(named: Sequence[Item]) -> bool:
    """Whether items of one name are more than one column that is passed on twice."""
    return len(named) > 1 and not all(item.source for item in named)


def _alike(a: ty.DataType, b: ty.DataType) -> bool:
    return a == b or (isinstance(a, ty.NumericType) and isinstance(b, ty.NumericType))


def _key_name(key: ex.Expr, place: int) -> str:
    return key.name if isinstance(key, ex.Column) else f"_key{place}"
