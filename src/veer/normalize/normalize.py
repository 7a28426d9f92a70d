"""The normal form of a dataflow: one in which it does not show where projections stand.

    Project(a, c) <- Filter(c > 1) <- Project(a, b + 1 AS c) <- t
        =>   Project(a, b + 1) <- Filter(b + 1 > 1) <- t

Operators are taken with what feeds them first, and each is written anew by the first rule of
`RULES` that is for it, over what was written below. A projection is not placed but remembered, and
written into what stands above it. It is placed where a result, a union, a limit or the padded side
of a join sees its columns, and then with those columns only that somebody above reads. Subqueries
are normalized too. That is the first half; in the second (`placing`) subqueries become joins, and
conditions and inner joins are put where they stand in every dataflow that means the same by them.

The sinks have the same possible results, in the same order, whatever choices are made: operators
that choose keep their ids, none is doubled, and what is random is never written elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from veer.assumptions import KeyAssumption, in_order
from veer.errors import UnsupportedError
from veer.model.dag import Dataflow
from veer.model.ops import AnyOperator
from veer.model.walk import subqueries
from veer.normalize.expressions import Normalize
from veer.normalize.first_rows import first_rows
from veer.normalize.group_duplicates import group_duplicates
from veer.normalize.inline_projections import inline_projection
from veer.normalize.item_groups import group_items, join_items
from veer.normalize.join_constants import join_constants
from veer.normalize.join_groups import join_groups
from veer.normalize.join_views import join_views
from veer.normalize.keep_operators import keep_operator
from veer.normalize.merge_calls import merge_calls
from veer.normalize.merge_filters import merge_filters
from veer.normalize.merge_unions import merge_unions
from veer.normalize.merge_window_functions import merge_window_functions
from veer.normalize.neighbour_rows import neighbour_rows
from veer.normalize.place_results import place_result
from veer.normalize.placing.arguments import compute_arguments
from veer.normalize.placing.bits import bits_as_flags
from veer.normalize.placing.collected import count_collected
from veer.normalize.placing.inner_distincts import leave_out_inner_distincts
from veer.normalize.placing.order_joins import order_joins
from veer.normalize.placing.partition_totals import partition_totals
from veer.normalize.placing.push import push_conditions
from veer.normalize.placing.semi_joins import semi_joins_as_conditions
from veer.normalize.placing.single_values import single_values
from veer.normalize.placing.subqueries import subqueries_as_joins
from veer.normalize.placing.sums_or_zero import sums_or_zero
from veer.normalize.rewrite_readers import rewrite_reader
from veer.normalize.rewriting import Rewriting, View
from veer.normalize.self_joins import join_itself
from veer.normalize.unnest_items import unnest_items

Rule: TypeAlias = Callable[[Rewriting, str, AnyOperator, Sequence[View]], View | None]
# Each gives the view of the operators it is for, None for others. The last is for all that are left.
RULES: tuple[Rule, ...] = (
    inline_projection,
    first_rows,
    merge_filters,
    unnest_items,
    rewrite_reader,
    merge_window_functions,
    group_items,
    merge_calls,
    join_constants,
    join_items,
    neighbour_rows,
    join_itself,
    join_groups,
    join_views,
    merge_unions,
    place_result,
    group_duplicates,
    keep_operator,
)

MOST_OPERATORS = 500  # of a dataflow whose conditions are placed


def normalized(dataflow: Dataflow) -> Dataflow:
    """The normal form; kept with the dataflow."""
    return _normalization(dataflow).result


def keys_relied_on_by_normalizing(dataflow: Dataflow) -> list[KeyAssumption]:
    """The declared keys without which the normal form would not mean the same."""
    relied = list(_normalization(dataflow).relied)
    for operator in dataflow.operators.values():
        for query in subqueries(operator):
            relied += keys_relied_on_by_normalizing(query)
    return list(dict.fromkeys(relied))


@final
@dataclass(frozen=True)
class _Normalization:
    """The normal form of a dataflow, and the declared keys without which it means another."""

    result: Dataflow
    relied: tuple[KeyAssumption, ...]


def _normalization(dataflow: Dataflow) -> _Normalization:
    def make() -> _Normalization:
        normalization = _placed(dataflow, shows_columns=True)
        return normalization.result.cached("normalization", lambda: normalization)  # of itself too

    return dataflow.cached("normalization", make)


def _normalized_for_rows(query: Dataflow) -> Dataflow:
    """The normal form of a query of which only counts how many rows there are."""

    def make() -> Dataflow:
        result = _placed(query, shows_columns=False).result
        return result.cached("normalization for rows", lambda: result)  # of itself too

    return query.cached("normalization for rows", make)


def _placed(dataflow: Dataflow, *, shows_columns: bool) -> _Normalization:
    """Projections inlined, subqueries joined, conditions pushed, what that leaves inlined again."""
    relied: set[KeyAssumption] = set()

    def inline(given: Dataflow) -> Dataflow:
        first = _inlining(given, shows_columns=shows_columns)
        relied.update(first.relied)
        return first.result

    def finish(given: Dataflow) -> Dataflow:
        last = _rewritten(
            given, normalized, _normalized_for_rows, shows_columns=shows_columns, is_last=True
        )
        relied.update(last.relied)
        for operator in given.operators.values():
            for query in subqueries(operator):
                if _declares_keys(query):
                    relied.update(keys_relied_on_by_normalizing(query))
        return last.dataflow()

    result = inline(count_collected(dataflow))
    counted = bits_as_flags(count_collected(result))
    result = result if counted is result else inline(counted)
    if len(result.operators) > MOST_OPERATORS:
        return _Normalization(finish(result), tuple(in_order(relied)))
    conditions = push_conditions(inline(semi_joins_as_conditions(result)))
    joined = subqueries_as_joins(inline(conditions), inlined)
    joined = partition_totals(inline(joined))
    pushed = leave_out_inner_distincts(single_values(push_conditions(inline(joined))))
    result = compute_arguments(sums_or_zero(order_joins(finish(pushed), finish)))
    return _Normalization(result, tuple(in_order(relied)))


def _declares_keys(query: Dataflow) -> bool:
    """Whether there is a key among the tables of a query that something could rely on."""
    inner = (q for o in query.operators.values() for q in subqueries(o))
    return any(source.keys for source in query.sources.values()) or any(map(_declares_keys, inner))


def inlined(query: Dataflow) -> Dataflow:
    """The first half of the normal form, in which conditions stand where they stood."""
    return _inlining(query, shows_columns=True).result


def _inlined_for_rows(query: Dataflow) -> Dataflow:
    return _inlining(query, shows_columns=False).result


def _inlining(dataflow: Dataflow, *, shows_columns: bool) -> _Normalization:
    def make() -> _Normalization:
        first = _rewritten(dataflow, inlined, _inlined_for_rows, shows_columns=shows_columns)
        return _Normalization(first.dataflow(), tuple(in_order(first.relied)))

    return dataflow.cached(("inlining", shows_columns), make)


def _rewritten(
    dataflow: Dataflow,
    of_query: Normalize,
    of_rows: Normalize,
    *,
    shows_columns: bool,
    is_last: bool = False,
) -> Rewriting:
    """All operators written anew, inputs before what they feed."""
    rewriting = Rewriting(dataflow, of_query, of_rows, shows_columns=shows_columns, is_last=is_last)
    for id_ in dataflow.order:
        inputs = dataflow.inputs[id_]
        try:
            view = _rewrite(rewriting, id_, [rewriting.views[i] for i in inputs])
        except UnsupportedError:  # a subquery reads what is computed below
            view = _rewrite(rewriting, id_, [rewriting.view_placed(i) for i in inputs])
        rewriting.views[id_] = view
    return rewriting


def _rewrite(rewriting: Rewriting, id_: str, below: Sequence[View]) -> View:
    operator = rewriting.old.operators[id_]
    for rule in RULES:
        view = rule(rewriting, id_, operator, below)
        if view is not None:
            return view
    raise AssertionError("the last rule is for every operator")
