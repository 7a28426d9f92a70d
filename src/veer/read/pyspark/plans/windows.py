"""Window functions of plans, and groups limited to their first rows by the optimizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veer.errors import UnsupportedError
from veer.ir import expr as ex, ops
from veer.read.pyspark.plans.aggregates import over_call
from veer.read.pyspark.plans.grouping import expression_text
from veer.read.pyspark.plans.signals import PlanSignal, expr_id
from veer.read.pyspark.plans.tree import Node

if TYPE_CHECKING:
    from veer.read.pyspark.plans.operators import PlanReader

GROUP_LIMIT = "WindowGroupLimit"
RANKS = frozenset({"Rank", "DenseRank", "RowNumber"})


def read_window(reader: PlanReader, node: Node) -> PlanSignal:
    """Window functions over all rows; over the first rows of each group, see `_first_of_groups`."""
    (child,) = node.children
    if child.kind == GROUP_LIMIT:
        return _first_of_groups(reader, node, child)
    return _over(reader, node.expressions("windowExpressions"), reader.read(child))


def _over(reader: PlanReader, columns: Sequence[Node], below: PlanSignal) -> PlanSignal:
    scope = reader.scope(below)
    calls = []
    for column in columns:
        if column.kind != "Alias" or column.children[0].kind != "WindowExpression":
            raise UnsupportedError("a window function inside of an expression")
        call = over_call(reader.expressions, column.children[0], scope)
        calls.append(ops.NamedOver(str(column.fields["name"]), call))
    expr_ids = (*below.expr_ids, *(expr_id(c) for c in columns))
    return reader.add_signal(ops.Over(tuple(calls)), expr_ids, below)


def _first_of_groups(reader: PlanReader, node: Node, limit: Node) -> PlanSignal:
    """Ranks of the rows whose rank is not above a number: a filter above the window functions.

    The rows that are kept come before all others of their group, so they have the ranks that they
    have among all rows; of other functions that is not so.
    """
    columns = node.expressions("windowExpressions")
    kinds = [c.children[0].children[0].kind if c.children else "" for c in columns]
    wanted = limit.expression("rankLikeFunction").kind
    if not RANKS.issuperset(kinds) or wanted not in kinds or _order(node) != _order(limit):
        raise UnsupportedError("window functions over the first rows of groups")
    every = _over(reader, columns, reader.read(limit.children[0]))
    rank = every.at(len(every.schema) - len(columns) + kinds.index(wanted))
    most = ex.Literal(int(limit.fields["limit"]), rank.type)
    return reader.add_signal(ops.Filter(ex.Compare("<=", rank, most)), every.expr_ids, every)


def _order(node: Node) -> list[list[str]]:
    """What makes the groups and what orders them."""
    specs = [node.expressions(name) for name in ("partitionSpec", "orderSpec")]
    return [[expression_text(n) for n in spec] for spec in specs]
