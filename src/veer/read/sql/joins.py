"""Joins of a FROM clause: on a condition, USING and NATURAL, RIGHT, LATERAL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from veer.errors import IllFormedError
from veer.facts.determinism import expr_kind
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops
from veer.ir.walk import operator_exprs, outer_columns, parts
from veer.read import coercion
from veer.read.sql.correlation import check_rows_uncorrelated
from veer.read.sql.parse import only, position, refuse
from veer.read.sql.scope import Plan, ScopeColumn
from veer.settings import name_key, same_name

if TYPE_CHECKING:
    from veer.read.sql.query import QueryReader


def read_join(queries: QueryReader, left: Plan, node: exp.Expr) -> Plan:
    """One join of a FROM clause."""
    only(node, "this", "side", "kind", "on", "using", "method", "hint")
    if isinstance(node.this, exp.Lateral):
        return _lateral_join(queries, left, node)
    return joined(queries, left, queries.relation(node.this), node)


def joined(queries: QueryReader, left: Plan, right: Plan, node: exp.Expr) -> Plan:
    """The rows of two inputs joined as a node says; what it joins with is not looked at."""
    kind = _join_kind(node)
    # Sides whose rows are only looked up, or filled up with nulls.
    unfit = {"left": (right,), "semi": (right,), "anti": (right,), "right": (left,)}
    for side in (left, right) if kind == "full" else unfit.get(kind, ()):
        check_rows_uncorrelated(queries.builder, side.id, f"a side of a {kind} join")
    if kind == "right":
        return _right_join(queries, left, right, node)
    if node.args.get("using") or node.args.get("method"):
        return _using_join(queries, left, right, node, kind)
    return _plain_join(queries, left, right, kind, node.args.get("on"))


def _plain_join(
    queries: QueryReader, left: Plan, right: Plan, kind: str, on: exp.Expr | None
) -> Plan:
    """A join on a condition or on none."""
    columns = left.columns + right.columns
    both = Plan("", left.schema + right.schema, columns)
    condition = None if on is None else queries.reader(both).condition(on)
    if kind != "inner" and on is not None and _takes_value_of_in(condition):
        refuse(on, "NOT IN, or IN as a value, with a subquery in the condition of an outer join")
    if on is not None:
        _check_correlation(both, len(left.schema), condition, on)
    if kind == "inner" and condition is None:
        kind = "cross"
    shown = left.columns if kind in ("semi", "anti") else columns
    return queries.add(ops.Join(ops.JoinKind(kind), condition), left.id, right.id, columns=shown)


def _right_join(queries: QueryReader, left: Plan, right: Plan, node: exp.Expr) -> Plan:
    """A left join of the swapped inputs, columns put back in order."""
    if node.args.get("using") or node.args.get("method"):
        return _using_join(queries, right, left, node, "left", swapped=True)
    turned = _plain_join(queries, right, left, "left", node.args.get("on"))
    width = len(right.schema)
    return _picked(queries, turned, [*range(width, len(turned.schema)), *range(width)])


def _picked(queries: QueryReader, plan: Plan, places: Sequence[int]) -> Plan:
    """The columns at these places, in this order."""
    columns = [ex.Named(plan.schema.names[i], plan.column(i)) for i in places]
    return queries.project(plan, columns, [plan.columns[i] for i in places])


def _using_join(
    queries: QueryReader, left: Plan, right: Plan, node: exp.Expr, kind: str, swapped: bool = False
) -> Plan:
    """USING and NATURAL: shared columns once, first; with `swapped`, `right` comes first."""
    first, second = (right, left) if swapped else (left, right)
    names = _shared_names(first, second, node)
    pairs = [(_visible(left, n), _visible(right, n)) for n in names]
    width = len(left.schema)
    both = Plan("", left.schema + right.schema, left.columns + right.columns)
    condition = coercion.conjunction(
        [coercion.compare("=", both.column(i), both.column(width + j)) for i, j in pairs]
    )
    join = (
        ops.Join(ops.JoinKind.CROSS, None)
        if kind == "inner" and not pairs
        else ops.Join(ops.JoinKind(kind), condition)
    )
    if kind in ("semi", "anti"):
        kept = queries.add(join, left.id, right.id, columns=left.columns)
        shared = [i for i, _ in pairs]
        return _picked(queries, kept, [*shared, *(i for i in range(width) if i not in shared)])
    paired = queries.add(join, left.id, right.id, columns=both.columns)
    order = [*range(len(both.schema))]
    order = [*order[width:], *order[:width]] if swapped else order
    return _shared_once(queries, paired, [(i, width + j) for i, j in pairs], order, kind)


def _shared_once(
    queries: QueryReader, rows: Plan, pairs: list[tuple[int, int]], order: list[int], kind: str
) -> Plan:
    """The rows of a USING join: a column for each pair of equal ones, then the others.

    The columns of a pair that are not shown stay reachable by their qualifier. Where every row has
    a left side, the left one is shown; in a full join either may be missing, so the one shown is
    whichever is there.
    """
    columns: list[tuple[ex.Named, ScopeColumn]] = []
    hidden: list[int] = []
    for i, j in pairs:
        scope = rows.columns[i]
        key: ex.Expr = rows.column(i)
        if kind == "full":
            key = coercion.call("coalesce", rows.column(i), rows.column(j))
            scope = ScopeColumn(None, scope.name)
            hidden.append(i)
        columns.append((ex.Named(scope.name, key), scope))
        hidden.append(j)
    in_pairs = {place for pair in pairs for place in pair}
    names = rows.schema.names
    for i in (i for i in order if i not in in_pairs):
        columns.append((ex.Named(names[i], rows.column(i)), rows.columns[i]))
    for i in hidden:
        scope = replace(rows.columns[i], hidden=True)
        columns.append((ex.Named(names[i], rows.column(i)), scope))
    return queries.project(rows, [n for n, _ in columns], [c for _, c in columns])


def _lateral_join(queries: QueryReader, left: Plan, node: exp.Expr) -> Plan:
    """JOIN LATERAL of a generator or of a subquery that reads the left row."""
    lateral = node.this
    only(lateral, "this", "alias", "outer")
    kind = _join_kind(node)
    if node.args.get("using") or node.args.get("method"):
        raise IllFormedError(f"{position(node)}USING or NATURAL of a LATERAL join")
    on = node.args.get("on")
    trivial = on is None or (isinstance(on, exp.Boolean) and bool(on.this))
    if kind not in ("inner", "cross", "left") or not trivial:
        refuse(node, "this LATERAL join")
    alias = lateral.args.get("alias")
    names = tuple(c.name for c in alias.columns) if alias is not None else ()
    qualifier = lateral.alias or None
    if isinstance(lateral.this, exp.Anonymous):
        return queries.generated(left, lateral.this, qualifier, names, outer=kind == "left")
    query = queries.subquery(_unwrapped(lateral.this), left)
    exprs = (e for o in query.operators.values() for e in operator_exprs(o))
    if any(expr_kind(e) is Kind.CHOICE for e in exprs):
        refuse(node, "a LATERAL query with random values")
    added = [ScopeColumn(qualifier, n) for n in names or query.result_schema.names]
    operator = ops.Lateral(query, outer=kind == "left")
    return queries.add(operator, left.id, columns=[*left.columns, *added])


def _join_kind(node: exp.Expr) -> str:
    """inner, cross, left, right, full, semi or anti."""
    side, kind = str(node.args.get("side") or "").lower(), str(node.args.get("kind") or "").lower()
    if kind in ("semi", "anti"):
        if side not in ("", "left"):
            refuse(node, f"{side} {kind} join")
        return kind
    if kind not in ("", "inner", "outer", "cross"):
        refuse(node, f"{kind} join")
    if side:
        return side
    return "cross" if kind == "cross" else "inner"


def _takes_value_of_in(condition: ex.Expr | None) -> bool:
    """Whether IN with a subquery stands below anything but AND and OR, where null and false differ."""
    match condition:
        case None | ex.InQuery():
            return False
        case ex.And(args) | ex.Or(args):
            return any(map(_takes_value_of_in, args))
        case _:
            return any(isinstance(part, ex.InQuery) for part in parts(condition))


def _check_correlation(both: Plan, width: int, condition: ex.Expr | None, on: exp.Expr) -> None:
    """A subquery in a join condition reads rows of one side only, as Spark wants it."""
    for part in parts(condition) if condition is not None else ():
        if isinstance(part, ex.Exists | ex.InQuery | ex.ScalarQuery):
            outer = (o for o in outer_columns(part.query) if o.depth == 1)
            sides = {both.schema.place(o.name, o.occurrence) < width for o in outer}
            if len(sides) > 1:
                raise IllFormedError(f"{position(on)}a subquery that reads both sides of a join")


def _shared_names(first: Plan, second: Plan, node: exp.Expr) -> list[str]:
    """The columns that USING names; of a NATURAL join those that both inputs have."""
    if not node.args.get("method"):
        return [u.name for u in node.args.get("using") or ()]
    if str(node.args["method"]).upper() != "NATURAL":
        refuse(node, f"{node.args['method']} join")
    others = {name_key(n) for n in second.visible_names()}
    return [n for n in first.visible_names() if name_key(n) in others]


def _visible(plan: Plan, name: str) -> int:
    """The place of the one column that a USING name means."""
    matching = [i for i, c in enumerate(plan.columns) if not c.hidden and same_name(c.name, name)]
    if len(matching) != 1:
        raise IllFormedError(f"USING column {name!r} is {'ambiguous' if matching else 'unknown'}")
    return matching[0]


def _unwrapped(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Subquery) else node
