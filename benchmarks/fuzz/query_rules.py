"""Rewrites of queries: filters and joins moved, subqueries, set operations, groups."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from benchmarks.fuzz.queries import WHOLE
from benchmarks.fuzz.rewriting import Context, rule
from benchmarks.fuzz.tree import (
    Derived,
    Expr,
    Item,
    Join,
    Node,
    Query,
    Scan,
    Select,
    SetQuery,
    Source,
    aggregates,
    call,
    column,
    column_texts,
    columns_of,
    compared,
    is_null,
    literal,
    negated,
    replaced,
    sources,
    substituted,
    windows,
)


def _offered(source: Source | None) -> set[str]:
    """Aliases of a FROM."""
    return {s.alias for s in sources(source) if hasattr(s, "alias")}


def _reads(expr: Expr) -> set[str]:
    """Aliases an expression reads."""
    return {text.partition(".")[0] for text in column_texts(expr)}


def _wrapped(context: Context, query: Query, cte: bool = False) -> Select:
    """SELECT all columns FROM (query)."""
    alias = context.make.alias("s")
    items = tuple(Item(column(f"{alias}.{n}", t), n) for n, t in columns_of(query))
    return Select(items, Derived(query, alias, cte))


# -- the whole query ---------------------------------------------------------------------------


@rule(Query)
def wrap(context: Context, node: Node) -> Node | None:
    """A query as a subquery, or a common table expression."""
    return _wrapped(context, cast(Query, node), context.rng.random() < 0.5)


@rule(Query)
def filter_outside(context: Context, node: Node) -> Node | None:
    """The last condition moved out of a SELECT whose columns show what it reads."""
    if not isinstance(node, Select) or not node.where or node.limit is not None:
        return None
    if node.grouping or (node.group is not None and not node.group):
        return None
    last = node.where[-1]
    shown = {i.expr.text: i for i in node.items if i.expr.op == "column"}
    if not column_texts(last) <= set(shown):
        return None
    outer = _wrapped(context, replace(node, where=node.where[:-1]))
    values = {text: outer.items[node.items.index(item)].expr for text, item in shown.items()}
    return replace(outer, where=(substituted(last, values),))


@rule(Query)
def split_by_condition(context: Context, node: Node) -> Node | None:
    """A filter as a union of two, nulls now and then forgotten."""
    if not isinstance(node, Select) or not node.plain or node.source is None:
        return None
    scope = [e for i in node.items for e in [i.expr] if e.op == "column"]
    if not scope:
        return None
    condition = context.make.predicate(scope, 0)
    others = negated(condition)
    if context.rng.random() < 0.7:
        others = call("or", "BOOLEAN", "({0} OR {1})", others, is_null(condition))
    left, right = (replace(node, where=(*node.where, c)) for c in (condition, others))
    return SetQuery("UNION ALL", left, right)


@rule(Query)
def sum_in_parts(context: Context, node: Node) -> Node | None:
    """Aggregates over finer groups, then over these."""
    if not isinstance(node, Select) or node.group is None or node.having or node.grouping:
        return None
    if node.source is None or node.distinct or node.limit is not None:
        return None
    again = {"agg:sum": "sum", "agg:max": "max", "agg:min": "min", "agg:count": "sum"}
    again |= {"agg:count*": "sum", "agg:avg": "avg"}
    keys = [i for i in node.items if not aggregates(i.expr)]
    if any(i.expr not in node.group for i in keys):
        return None
    if any(aggregates(i.expr) and i.expr.op not in again for i in node.items):
        return None
    finer = context.make.scalar("", _columns(node), 0)
    alias = context.make.alias("s")
    inner = [Item(k, f"k{n}") for n, k in enumerate(node.group)]
    parts = [Item(i.expr, f"p{n}") for n, i in enumerate(node.items)]
    inner += [p for p in parts if aggregates(p.expr)]
    group = (*node.group, *((finer,) if finer.op == "column" else ()))
    below = Select(tuple(inner), node.source, node.where, group)
    names = {k: f"{alias}.k{n}" for n, k in enumerate(node.group)}
    items = []
    for n, item in enumerate(node.items):
        if aggregates(item.expr):
            text = again[item.expr.op] + "({0})"
            if item.expr.op.startswith("agg:count") and context.rng.random() < 0.8:
                text = "coalesce(sum({0}), 0)"
            part = column(f"{alias}.p{n}", item.expr.type)
            items.append(Item(call("agg:parts", item.expr.type, text, part), item.name))
        else:
            items.append(Item(column(names[item.expr], item.expr.type), item.name))
    outer = tuple(column(names[k], k.type) for k in node.group)
    return Select(tuple(items), Derived(below, alias), (), outer)


def _columns(node: Select) -> list[Expr]:
    columns = [e for i in node.items for e in _all_columns(i.expr)]
    return columns or [literal("1", "INT")]


def _all_columns(expr: Expr) -> list[Expr]:
    if expr.op == "column":
        return [expr]
    return [c for a in expr.args for c in _all_columns(a)]


@rule(Query)
def distinct_as_group(context: Context, node: Node) -> Node | None:
    """SELECT DISTINCT as GROUP BY all columns."""
    if not isinstance(node, Select) or not node.distinct or node.limit is not None:
        return None
    if node.group is not None or any(windows(i.expr) or aggregates(i.expr) for i in node.items):
        return None
    if any(not column_texts(i.expr) for i in node.items):
        return None
    return replace(node, distinct=False, group=tuple(i.expr for i in node.items))


@rule(Query)
def toggle_distinct(context: Context, node: Node) -> Node | None:
    """DISTINCT where there was none, and the other way round."""
    if isinstance(node, Select) and node.limit is None:
        return replace(node, distinct=not node.distinct)
    return None


@rule(Query)
def having_outside(context: Context, node: Node) -> Node | None:
    """HAVING as a filter on a further column of a subquery."""
    if not isinstance(node, Select) or not node.having or node.limit is not None:
        return None
    (condition, *rest) = node.having
    if condition.op not in ("=", "<", "<=", ">", ">=", "<>", "<=>"):
        return None
    extra = Item(condition.args[0], "h")
    alias = context.make.alias("s")
    below = replace(node, items=(*node.items, extra), having=tuple(rest), distinct=False)
    items = tuple(Item(column(f"{alias}.{i.name}", i.expr.type), i.name) for i in node.items)
    kept = compared(condition.op, column(f"{alias}.h", extra.expr.type), condition.args[1])
    return Select(items, Derived(below, alias), (kept,), distinct=node.distinct)


@rule(Query)
def limit_otherwise(context: Context, node: Node) -> Node | None:
    """A limit whose order has fewer columns, another limit, or none at all."""
    if not isinstance(node, Select) or node.limit is None:
        return None
    kind = context.rng.random()
    if kind < 0.4 and len(node.order) > 1:
        return replace(node, order=node.order[:-1])
    if kind < 0.6:
        return replace(node, limit=node.limit + 1)
    return _wrapped(context, replace(node, order=node.order, limit=node.limit))


@rule(Query)
def set_operation_otherwise(context: Context, node: Node) -> Node | None:
    """A set operation with its sides turned, with or without ALL, or by EXISTS."""
    if not isinstance(node, SetQuery):
        return None
    kind = context.rng.random()
    if kind < 0.3 and not node.op.startswith("EXCEPT"):
        if [n for n, _ in columns_of(node.left)] == [n for n, _ in columns_of(node.right)]:
            return replace(node, left=node.right, right=node.left)
    if kind < 0.55:
        other = node.op.removesuffix(" ALL") if node.op.endswith("ALL") else node.op + " ALL"
        return replace(node, op=other)
    if node.op == "UNION":
        outer = _wrapped(context, replace(node, op="UNION ALL"))
        return replace(outer, distinct=True)
    if node.op in ("INTERSECT", "EXCEPT"):
        return _by_exists(context, node)
    return None


def _by_exists(context: Context, node: SetQuery) -> Select:
    """INTERSECT and EXCEPT by a subquery; with = instead of <=> nulls are lost."""
    outer, alias = _wrapped(context, node.left), context.make.alias("s")
    op = context.rng.choice(("<=>", "<=>", "="))
    where = tuple(
        compared(op, column(f"{alias}.{n}", t), i.expr)
        for (n, t), i in zip(columns_of(node.right), outer.items, strict=True)
    )
    one = Select((Item(literal("1", "INT"), "one"),), Derived(node.right, alias), where)
    text = "EXISTS ({q})" if node.op == "INTERSECT" else "(NOT EXISTS ({q}))"
    exists = Expr("exists", "BOOLEAN", text, (), one)
    return replace(outer, where=(exists,), distinct=True)


@rule(Query)
def union_with_nothing(context: Context, node: Node) -> Node | None:
    """A query and no rows."""
    if not isinstance(node, Select) or node.limit is not None or node.source is None:
        return None
    nothing = literal(context.rng.choice(("FALSE", "1 = 0", "CAST(NULL AS BOOLEAN)")), "BOOLEAN")
    empty = replace(node, where=(nothing,))
    return SetQuery("UNION ALL", node, empty)


@rule(Query)
def self_union(context: Context, node: Node) -> Node | None:
    """A query with itself: UNION drops duplicates, INTERSECT ALL does not."""
    if not isinstance(node, Select) or node.limit is not None:
        return None
    return SetQuery(context.rng.choice(("UNION", "INTERSECT", "INTERSECT ALL")), node, node)


# -- filters -----------------------------------------------------------------------------------


@rule(Select)
def drop_condition(context: Context, node: Node) -> Node | None:
    """A condition less."""
    s = cast(Select, node)
    if not s.where:
        return None
    place = context.rng.randrange(len(s.where))
    return replace(s, where=(*s.where[:place], *s.where[place + 1 :]))


@rule(Select)
def add_condition(context: Context, node: Node) -> Node | None:
    """One that is implied, often: a comparison is true of no null."""
    s = cast(Select, node)
    if s.source is None or not s.where:
        return None
    condition = context.rng.choice(s.where)
    read = _all_columns(condition)
    if not read:
        return None
    more = negated(is_null(context.rng.choice(read)))
    if context.rng.random() < 0.3:
        more = condition
    return replace(s, where=(more, *s.where))


@rule(Select)
def shuffle_conditions(context: Context, node: Node) -> Node | None:
    """Conditions in another order."""
    s = cast(Select, node)
    if len(s.where) < 2:
        return None
    return replace(s, where=tuple(context.rng.sample(s.where, len(s.where))))


@rule(Select)
def split_conjunction(context: Context, node: Node) -> Node | None:
    """a AND b as two conditions."""
    s = cast(Select, node)
    for place, condition in enumerate(s.where):
        if condition.op == "and":
            return replace(s, where=(*s.where[:place], *condition.args, *s.where[place + 1 :]))
    return None


@rule(Select)
def push_filter(context: Context, node: Node) -> Node | None:
    """A condition on one subquery moved into it, also below groups, windows and limits."""
    s = cast(Select, node)
    for condition in s.where:
        if condition.query is not None:
            continue
        for source in sources(s.source):
            if not isinstance(source, Derived) or _reads(condition) != {source.alias}:
                continue
            inner = source.query
            if not isinstance(inner, Select) or (
                inner.limit is not None and context.rng.random() < 0.7
            ):
                continue
            values = {f"{source.alias}.{i.name}": i.expr for i in inner.items}
            if any(aggregates(e) or windows(e) for e in values.values()):
                values = {t: e for t, e in values.items() if not (aggregates(e) or windows(e))}
            if not column_texts(condition) <= set(values):
                continue
            moved = replace(inner, where=(*inner.where, substituted(condition, values)))
            where = tuple(c for c in s.where if c is not condition)
            new = replaced(cast(Source, s.source), source, replace(source, query=moved))
            return replace(s, where=where, source=new)
    return None


@rule(Select)
def push_filter_below_join(context: Context, node: Node) -> Node | None:
    """A condition on one table moved into a subquery of it, also across outer joins."""
    s = cast(Select, node)
    for condition in s.where:
        if condition.query is not None or not isinstance(s.source, Join):
            continue
        for source in sources(s.source):
            if isinstance(source, Scan) and _reads(condition) == {source.alias}:
                inner = context.make.alias()
                columns = context.schema.table(source.table).columns
                items = tuple(Item(column(f"{inner}.{c.name}", c.type), c.name) for c in columns)
                values = {
                    f"{source.alias}.{c.name}": column(f"{inner}.{c.name}", c.type) for c in columns
                }
                below = Select(items, Scan(source.table, inner), (substituted(condition, values),))
                new = replaced(s.source, source, Derived(below, source.alias))
                where = tuple(c for c in s.where if c is not condition)
                return replace(s, where=where, source=new)
    return None


@rule(Select)
def inline(context: Context, node: Node) -> Node | None:
    """A plain subquery merged into its SELECT, if it is all of FROM."""
    s = cast(Select, node)
    if not isinstance(s.source, Derived) or not isinstance(s.source.query, Select):
        return None
    inner = s.source.query
    if not inner.plain:
        return None
    values = {f"{s.source.alias}.{i.name}": i.expr for i in inner.items}
    moved = substituted(replace(s, source=None), values)
    return replace(moved, source=inner.source, where=(*inner.where, *moved.where))


@rule(Select)
def where_to_having(context: Context, node: Node) -> Node | None:
    """A condition on keys moved from WHERE to HAVING."""
    s = cast(Select, node)
    if not s.group or not s.where or s.grouping:
        return None
    keys = {k.text for k in s.group if k.op == "column"}
    for condition in s.where:
        if column_texts(condition) <= keys and condition.query is None:
            where = tuple(c for c in s.where if c is not condition)
            return replace(s, where=where, having=(*s.having, condition))
    return None


@rule(Select)
def drop_item(context: Context, node: Node) -> Node | None:
    """A GROUP BY key less, or one more that a key decides."""
    s = cast(Select, node)
    if not s.group or s.grouping:
        return None
    if context.rng.random() < 0.3 and len(s.group) > 1:
        shown = {i.expr for i in s.items}
        for key in s.group:
            if key not in shown and not any(key in i.expr.args for i in s.items):
                return replace(s, group=tuple(k for k in s.group if k is not key))
    more = [
        column(f"{scan.alias}.{c.name}", c.type)
        for scan in sources(s.source)
        if isinstance(scan, Scan)
        for c in context.schema.table(scan.table).columns
    ]
    if _has_semi(s.source) or not more:
        return None
    return replace(s, group=(*s.group, context.rng.choice(more)))


def _has_semi(source: Source | None) -> bool:
    if isinstance(source, Join):
        return (
            source.kind in ("LEFT SEMI", "LEFT ANTI")
            or _has_semi(source.left)
            or _has_semi(source.right)
        )
    return False


@rule(Scan)
def split_scan(context: Context, node: Node) -> Node | None:
    """A table as the union of its rows of one kind and of the others."""
    scan = cast(Scan, node)
    halves = []
    inner, scope = context.make.scan(scan.table)
    condition = context.make.predicate(scope, 0)
    for kept in (
        condition,
        negated(call("coalesce", "BOOLEAN", "coalesce({0}, FALSE)", condition)),
    ):
        items = tuple(Item(e, e.text.partition(".")[2]) for e in scope)
        halves.append(Select(items, inner, (kept,)))
    return Derived(SetQuery("UNION ALL", *halves), scan.alias)


@rule(Scan)
def scan_as_subquery(context: Context, node: Node) -> Node | None:
    """A table as a subquery of all its columns; DISTINCT keeps a table with a key as it is."""
    scan = cast(Scan, node)
    inner, scope = context.make.scan(scan.table)
    items = tuple(Item(e, e.text.partition(".")[2]) for e in scope)
    query = Select(items, inner, distinct=context.rng.random() < 0.5)
    return Derived(query, scan.alias, context.rng.random() < 0.3)


# -- joins -------------------------------------------------------------------------------------

MIRRORED = {"INNER": "INNER", "LEFT": "RIGHT", "RIGHT": "LEFT", "FULL": "FULL", "CROSS": "CROSS"}


@rule(Join)
def swap_join(context: Context, node: Node) -> Node | None:
    """A join the other way round."""
    j = cast(Join, node)
    if j.kind not in MIRRORED or isinstance(j.right, Join):
        return None
    return Join(MIRRORED[j.kind], j.right, j.left, j.on)


@rule(Join)
def other_join(context: Context, node: Node) -> Node | None:
    """A join of another type."""
    j = cast(Join, node)
    if j.kind not in ("INNER", "LEFT", "RIGHT", "FULL"):
        return None
    return replace(j, kind=context.rng.choice(("INNER", "LEFT", "RIGHT", "FULL")))


@rule(Join)
def regroup_join(context: Context, node: Node) -> Node | None:
    """(a join b) join c as a join (b join c)."""
    j = cast(Join, node)
    if not isinstance(j.left, Join) or j.kind not in ("INNER", "LEFT") or j.left.kind != j.kind:
        return None
    below = _offered(j.left.right) | _offered(j.right)
    if any(not _reads(c) <= below or c.query is not None for c in j.on):
        return None
    return Join(j.kind, j.left.left, Join(j.kind, j.left.right, j.right, j.on), j.left.on)


@rule(Select)
def on_to_where(context: Context, node: Node) -> Node | None:
    """A condition of a join moved to WHERE, also of an outer join."""
    s = cast(Select, node)
    if not isinstance(s.source, Join) or not s.source.on:
        return None
    j = s.source
    if j.kind == "INNER" or (j.kind in ("LEFT", "RIGHT", "FULL") and context.rng.random() < 0.4):
        kind = "CROSS" if j.kind == "INNER" and len(j.on) == 1 else j.kind
        on = () if kind == "CROSS" else j.on[:-1]
        moved = j.on if kind == "CROSS" else j.on[-1:]
        return replace(s, source=replace(j, kind=kind, on=on), where=(*moved, *s.where))
    return None


@rule(Select)
def where_to_on(context: Context, node: Node) -> Node | None:
    """A condition moved from WHERE to a join, also an outer one."""
    s = cast(Select, node)
    if not isinstance(s.source, Join) or not s.where or s.where[-1].query is not None:
        return None
    if s.source.kind in ("CROSS", "LEFT SEMI", "LEFT ANTI"):
        return None
    joined = replace(s.source, on=(*s.source.on, s.where[-1]))
    return replace(s, source=joined, where=s.where[:-1])


@rule(Select)
def semi_as_exists(context: Context, node: Node) -> Node | None:
    """A semi or anti join as EXISTS, or as a join with the distinct keys."""
    s = cast(Select, node)
    if not isinstance(s.source, Join) or s.source.kind not in ("LEFT SEMI", "LEFT ANTI"):
        return None
    j = s.source
    if j.kind == "LEFT SEMI" and context.rng.random() < 0.3:
        return replace(s, source=replace(j, kind="INNER"))
    one = Select((Item(literal("1", "INT"), "one"),), j.right, j.on)
    text = "EXISTS ({q})" if j.kind == "LEFT SEMI" else "(NOT EXISTS ({q}))"
    return replace(s, source=j.left, where=(Expr("exists", "BOOLEAN", text, (), one), *s.where))


@rule(Select)
def subquery_as_join(context: Context, node: Node) -> Node | None:
    """IN (SELECT ...) as a join; rows repeat unless the values are distinct or a key."""
    s = cast(Select, node)
    for condition in s.where:
        if condition.op != "insub" or not isinstance(condition.query, Select) or s.source is None:
            continue
        alias, inner = context.make.alias("s"), condition.query
        anti = " NOT IN " in condition.text
        query = replace(inner, distinct=inner.distinct or context.rng.random() < 0.6)
        own = column(f"{alias}.{inner.items[0].name}", inner.items[0].expr.type)
        on = (compared("=", condition.args[0], own),)
        kind = "LEFT ANTI" if anti else context.rng.choice(("INNER", "LEFT SEMI"))
        source = Join(kind, s.source, Derived(query, alias), on)
        return replace(s, source=source, where=tuple(c for c in s.where if c is not condition))
    return None


@rule(Select)
def join_parent(context: Context, node: Node) -> Node | None:
    """A join with the parent of a foreign key, or with the table itself by its key."""
    s = cast(Select, node)
    if s.source is None or _has_semi(s.source):
        return None
    for scan in sources(s.source):
        if not isinstance(scan, Scan):
            continue
        table = context.schema.table(scan.table)
        links = [(r.columns, r.parent, r.parent_columns) for r in table.references]
        links += [(k, table.name, k) for k in table.keys]
        if not links:
            continue
        ours, parent, theirs = context.rng.choice(links)
        right, scope = context.make.scan(parent)
        by_name = {e.text.partition(".")[2]: e for e in scope}
        on = tuple(
            compared("=", column(f"{scan.alias}.{a}", table.column(a).type), by_name[b])
            for a, b in zip(ours, theirs, strict=True)
        )
        kind = context.rng.choice(("INNER", "LEFT", "LEFT SEMI", "LEFT"))
        return replace(s, source=Join(kind, s.source, right, on))
    return None


@rule(Select)
def drop_join(context: Context, node: Node) -> Node | None:
    """A join whose right side nothing reads."""
    s = cast(Select, node)
    if not isinstance(s.source, Join):
        return None
    read = column_texts(replace(s, source=None))
    gone = _offered(s.source.right)
    if any(text.partition(".")[0] in gone for text in read):
        return None
    return replace(s, source=s.source.left)


@rule(Derived)
def toggle_cte(context: Context, node: Node) -> Node | None:
    """A subquery as a common table expression, and back."""
    d = cast(Derived, node)
    return replace(d, cte=not d.cte)


@rule(Select)
def window_as_join(context: Context, node: Node) -> Node | None:
    """count(x) OVER (PARTITION BY k) as a scalar subquery of the same table."""
    s = cast(Select, node)
    if not isinstance(s.source, Scan) or s.where:
        return None
    for item in s.items:
        if item.expr.op != "window:count":
            continue
        key, _, arg = item.expr.args
        scan, scope = context.make.scan(s.source.table)
        again = {f"{s.source.alias}.{e.text.partition('.')[2]}": e for e in scope}
        count = call("agg:count", "BIGINT", "count({0})", substituted(arg, again))
        op = context.rng.choice(("<=>", "="))
        on = (compared(op, substituted(key, again), key),)
        query = Select((Item(count, "one"),), scan, on, ())
        new = Item(Expr("scalar", "BIGINT", "({q})", (), query), item.name)
        return replace(s, items=tuple(new if i is item else i for i in s.items))
    return None


@rule(Select)
def shown_constant(context: Context, node: Node) -> Node | None:
    """A column that a condition holds to a constant, as that constant."""
    s = cast(Select, node)
    for condition in s.where:
        if condition.op in ("=", "<=>") and condition.args[1].op == "literal":
            values = {condition.args[0].text: condition.args[1]}
            if condition.args[0].op == "column" and not (s.group or s.grouping):
                items = tuple(replace(i, expr=substituted(i.expr, values)) for i in s.items)
                if items != s.items:
                    return replace(s, items=items)
    return None


@rule(Select)
def distinct_whole_numbers(context: Context, node: Node) -> Node | None:
    """GROUP BY an expression of a key instead of the key."""
    s = cast(Select, node)
    if not s.group or s.grouping:
        return None
    for place, key in enumerate(s.group):
        if key.type in WHOLE and key.op == "column":
            more = call("+", key.type, "({0} + 1)", key)
            return replace(s, group=(*s.group[:place], key, more, *s.group[place + 1 :]))
    return None
