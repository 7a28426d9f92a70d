"""GROUP BY with ROLLUP, CUBE and GROUPING SETS.

Grouping sets are lowered as Spark runs them: the rows once per set, keys outside the set
replaced by null, a number telling which, and one aggregate over it all. So an empty input gives
no row, not even for the empty set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from veer.errors import IllFormedError, UnsupportedError
from veer.ir import expr as ex, types as ty
from veer.ir.ops import Union
from veer.ir.walk import map_children, outer_columns, parts, substitute_in_query
from veer.read import coercion
from veer.read.sql.expressions import ExprReader
from veer.read.sql.parse import only, position, refuse
from veer.read.sql.placeholders import Placeholder, SetAside, has_placeholder, placeholder
from veer.read.sql.scope import Plan, ScopeColumn, ordinal
from veer.settings import SPARK_4_2, current, same_name

if TYPE_CHECKING:
    from veer.read.sql.query import QueryReader

MAX_SETS = 256
MAX_KEYS = 63
Element = list[tuple[ex.Expr, ...]]  # the alternatives one part of GROUP BY contributes


@dataclass(frozen=True)
class Grouping:
    """The keys, and for each grouping set which of them it keeps; one full set if plain."""

    keys: tuple[ex.Expr, ...]
    sets: tuple[frozenset[int], ...]
    uses_sets: bool

    def call(self, function: str, args: Sequence[ex.Expr]) -> ex.Expr:
        """GROUPING(key) and GROUPING_ID()."""
        if not self.uses_sets or not self.keys:
            raise IllFormedError(f"{function} needs ROLLUP, CUBE or GROUPING SETS")
        if function == "grouping":
            if len(args) != 1:
                raise IllFormedError(f"grouping: {len(args)} arguments, expected 1")
            return self.flag(args[0])
        if not args or tuple(args) == self.keys:
            return self.id
        total: ex.Expr = ex.Literal(0, ty.LONG)
        for arg in args:
            doubled = coercion.call("*", total, ex.Literal(2, ty.LONG))
            total = coercion.call("+", doubled, coercion.cast(self.flag(arg), ty.LONG))
        return total

    def flag(self, arg: ex.Expr) -> ex.Expr:
        """GROUPING(key): 1 where the key is left out, 0 where it is grouped by."""
        if arg not in self.keys:
            raise IllFormedError("GROUPING of something that is not a grouping key")
        place = len(self.keys) - 1 - self.keys.index(arg)
        return ex.Call("getbit", (self.id, ex.Literal(place, ty.INT)), ty.BYTE)

    @property
    def id(self) -> ex.Expr:
        """A number with a bit for each key, the last key's the lowest: 1 where it is left out."""
        return Placeholder(SetAside.GROUPING, len(self.keys)).expr(ty.LONG)


@dataclass(frozen=True)
class GroupedRows:
    """The rows of an aggregate, and how expressions over the rows below it are read from them."""

    plan: Plan  # a column per key, then one per aggregate call
    keys: tuple[ex.Expr, ...]  # what the first columns hold, as written over the rows below
    first_call: int  # the place of the first call's column
    uses_sets: bool = False

    def rewrite(self, expr: ex.Expr) -> ex.Expr:
        """An expression of the select list, HAVING or ORDER BY over the grouped rows.

        The largest part that is a key becomes that key's column: after GROUP BY a + 1, the
        value (a + 1) * 2 may be selected though a alone may not.
        """
        column = self._column(expr)
        if column is not None:
            return column
        if isinstance(expr, ex.Column):
            return self._key(expr)
        if self.uses_sets:
            self._check_reading(expr)
        if isinstance(expr, ex.Exists | ex.InQuery | ex.ScalarQuery):
            # What the subquery reads of these rows must be keys too.
            expr = replace(expr, query=substitute_in_query(expr.query, self._key, 1))
        return map_children(expr, self.rewrite)

    def _check_reading(self, expr: ex.Expr) -> None:
        """Refuse what Spark takes for a key though it is written otherwise, and what it does not run.

        With one set of keys both are of the same value; else a key is null where it is left out.
        """
        for key in self.keys:
            if may_be_same(expr, key):
                raise UnsupportedError(
                    "a grouping key that the query writes differently in other places"
                )
        if isinstance(expr, ex.Exists | ex.InQuery | ex.ScalarQuery) and any(
            outer.depth == 1 for outer in outer_columns(expr.query)
        ):
            raise UnsupportedError("a correlated subquery over grouping sets")

    def _column(self, expr: ex.Expr) -> ex.Column | None:
        """The column that holds just this: a call set aside, the grouping id, or a key."""
        match placeholder(expr):
            case Placeholder(kind=SetAside.AGGREGATE, number=number):
                return self.plan.column(self.first_call + number)
            case Placeholder(kind=SetAside.GROUPING, number=number):
                return self.plan.column(number)
        return self.plan.column(self.keys.index(expr)) if expr in self.keys else None

    def _key(self, column: ex.Column) -> ex.Column:
        if column not in self.keys:
            raise IllFormedError(
                f"column {column.name!r} is neither grouped nor inside an aggregate function"
            )
        return self.plan.column(self.keys.index(column))


def read_grouping(
    reader: ExprReader, node: exp.Expr, items: Sequence[Any], select: list[exp.Expr]
) -> Grouping:
    """The GROUP BY clause; positions and aliases mean select items."""
    only(node, "expressions", "rollup", "cube", "all", "totals")
    if node.args.get("totals"):
        refuse(node, "WITH TOTALS")
    if node.args.get("all"):
        if reader.plan.find(["all"]) is not None:
            refuse(node, "GROUP BY ALL together with a column called all")
        called = [i for i in items if same_name(i.name, "all")]  # an alias wins over the keyword
        keys = [i for i in called or items if not has_placeholder(i.expr)]
        for item in keys:
            check_key(item)
        return _plain([item.expr for item in keys])
    if any(e.is_star for e in select) and any(map(_is_position, node.expressions)):
        raise IllFormedError(f"{position(node)}GROUP BY a position beside *")
    plain = [_element(reader, e, items) for e in node.expressions]
    suffix = [k for k in ("rollup", "cube") if node.args.get(k)]
    special = any(isinstance(e, exp.Rollup | exp.Cube | exp.GroupingSets) for e in node.expressions)
    if suffix:
        extra = node.args[suffix[0]][0]
        if special or len(suffix) > 1 or extra.expressions:
            refuse(node, "this combination of grouping sets")
        keys = [element[0] for element in plain]
        plain = [_rolled(keys) if suffix[0] == "rollup" else _cubed(keys)]
        special = True
    if not special:
        return _plain([e for element in plain for e in element[0]])
    groups = [tuple(e for part in choice for e in part) for choice in product(*plain)]
    if groups == [()] and current().spark >= SPARK_4_2:
        return _plain([])  # since then Spark gives a row over no rows too
    if len(groups) > MAX_SETS:
        refuse(node, f"more than {MAX_SETS} grouping sets")
    distinct_keys: list[ex.Expr] = []
    for group in groups:
        distinct_keys += [e for e in group if e not in distinct_keys]
    if len(distinct_keys) > MAX_KEYS:
        refuse(node, f"grouping sets of more than {MAX_KEYS} keys")
    for one, other in combinations(distinct_keys, 2):
        if may_be_same(one, other):
            refuse(node, "grouping sets that write one key in two ways")
    order = _written_order(plain, distinct_keys)
    sets = tuple(frozenset(order.index(e) for e in group) for group in groups)
    return Grouping(tuple(order), sets, True)


def may_be_same(one: ex.Expr, other: ex.Expr) -> bool:
    """Whether Spark may take two expressions that are written differently for one, as a + b and b + a."""
    return (
        one != other and not isinstance(one, ex.Column) and _ingredients(one) == _ingredients(other)
    )


def _ingredients(expr: ex.Expr) -> Counter[object]:
    """What an expression is made of, without the order, and without what turns with comparisons."""

    def turns(part: ex.Expr) -> bool:
        opposite = isinstance(part, ex.Not) and isinstance(part.arg, ex.Compare)
        return opposite or isinstance(part, ex.Compare | ex.And | ex.Or)

    return Counter(
        part
        if isinstance(part, ex.Column | ex.Literal)
        else (type(part), getattr(part, "function", ""))
        for part in parts(expr)
        if not turns(part)
    )


def _written_order(elements: list[Element], keys: list[ex.Expr]) -> list[ex.Expr]:
    """Keys in the order they are written, which GROUPING_ID counts by."""
    order: list[ex.Expr] = []
    for element in elements:
        for group in element:
            order += [e for e in group if e not in order]
    return order + [e for e in keys if e not in order]


def _plain(keys: list[ex.Expr]) -> Grouping:
    unique: list[ex.Expr] = []
    for key in keys:
        if has_placeholder(key):
            raise IllFormedError("an aggregate function in GROUP BY")
        if key not in unique:
            unique.append(key)
    return Grouping(tuple(unique), (frozenset(range(len(unique))),), False)


def _element(reader: ExprReader, node: exp.Expr, items: Sequence[Any]) -> Element:
    match node:
        case exp.Rollup() | exp.Cube() if any(
            isinstance(e, exp.Tuple) and not e.expressions for e in node.expressions
        ):
            raise IllFormedError(f"{position(node)}an empty set of keys in {node.key}")
        case exp.Rollup():
            return _rolled([_tuple(reader, e, items) for e in node.expressions])
        case exp.Cube():
            return _cubed([_tuple(reader, e, items) for e in node.expressions])
        case exp.GroupingSets():
            return [
                s
                for e in node.expressions
                for s in (
                    _element(reader, e, items)
                    if isinstance(e, exp.Rollup | exp.Cube | exp.GroupingSets)
                    else [_tuple(reader, e, items)]
                )
            ]
        case _:
            return [(_key(reader, node, items),)]


def _tuple(reader: ExprReader, node: exp.Expr, items: Sequence[Any]) -> tuple[ex.Expr, ...]:
    if isinstance(node, exp.Tuple):
        return tuple(_key(reader, e, items) for e in node.expressions)
    return (_key(reader, node.this if isinstance(node, exp.Paren) else node, items),)


def _key(reader: ExprReader, node: exp.Expr, items: Sequence[Any]) -> ex.Expr:
    if _is_position(node):
        item = items[ordinal(node, len(items))]
        check_key(item)
        expr: ex.Expr = item.expr
        if has_placeholder(expr):
            raise IllFormedError(f"{position(node)}GROUP BY {node.this} is an aggregate function")
        return expr
    return reader.read(node)


def check_key(item: Any) -> None:
    """Refuse to group by a select item that reads the alias of another, as Spark does."""
    if item.reads_alias:
        raise IllFormedError(f"GROUP BY {item.name!r}, which reads another alias")


def _is_position(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and not node.is_string and str(node.this).isdigit()


def _rolled(keys: Sequence[tuple[ex.Expr, ...]]) -> Element:
    return [tuple(e for k in keys[:n] for e in k) for n in range(len(keys), -1, -1)]


def _cubed(keys: Sequence[tuple[ex.Expr, ...]]) -> Element:
    return [
        tuple(e for k in chosen for e in k)
        for n in range(len(keys), -1, -1)
        for chosen in combinations(keys, n)
    ]


def expand(queries: QueryReader, plan: Plan, grouping: Grouping) -> tuple[Plan, list[ex.Expr]]:
    """The rows to aggregate and the keys to group by."""
    if not grouping.uses_sets:
        return plan, list(grouping.keys)
    twice = len(set(grouping.sets)) < len(grouping.sets) or not grouping.keys
    branches = [
        _branch(queries, plan, grouping, number, kept, twice)
        for number, kept in enumerate(grouping.sets)
    ]
    merged = branches[0]
    if len(branches) > 1:
        merged = queries.add(Union(), *(b.id for b in branches), columns=branches[0].columns)
    width = len(plan.schema)
    return merged, [merged.column(i) for i in range(width, len(merged.schema))]


def _branch(
    queries: QueryReader,
    plan: Plan,
    grouping: Grouping,
    number: int,
    kept: frozenset[int],
    twice: bool,
) -> Plan:
    """All columns, then the keys of one set, which they are, and the set's number if needed."""
    columns = [ex.Named(f.name, plan.column(i)) for i, f in enumerate(plan.schema)]
    for i, key in enumerate(grouping.keys):
        name = f"_key{i}" if not isinstance(key, ex.Column) else f"_key_{key.name}"
        columns.append(ex.Named(name, key if i in kept else ex.Literal(None, key.type)))
    width = len(grouping.keys)
    left_out = sum(1 << (width - 1 - i) for i in range(width) if i not in kept)
    columns.append(ex.Named("_grouping_id", ex.Literal(left_out, ty.LONG)))
    if twice:
        columns.append(ex.Named("_set", ex.Literal(number, ty.INT)))
    return queries.project(plan, columns, [ScopeColumn(None, c.name) for c in columns])
