"""The normal form of a dataflow: one in which it does not show where projections stand.

    Project(a, c) <- Filter(c > 1) <- Project(a, b + 1 AS c) <- t
        =>   Project(a, b + 1) <- Filter(b + 1 > 1) <- t

Operators are taken with what feeds them first, and each is written anew by the first rule of
`RULES` that is for it, over what was written below. A projection is not placed but remembered, and
written into what stands above it. It is placed where a result, a union, a limit or the padded side
of a join sees its columns, and then with those columns only that somebody above reads. Subqueries
are normalized too.

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
from veer.normalize.first_rows import first_rows
from veer.normalize.inline_projections import inline_projection
from veer.normalize.join_groups import join_groups
from veer.normalize.join_views import join_views
from veer.normalize.keep_operators import keep_operator
from veer.normalize.merge_calls import merge_calls
from veer.normalize.merge_filters import merge_filters
from veer.normalize.merge_unions import merge_unions
from veer.normalize.merge_window_functions import merge_window_functions
from veer.normalize.place_results import place_result
from veer.normalize.rewrite_readers import rewrite_reader
from veer.normalize.rewriting import Rewriting, View

Rule: TypeAlias = Callable[[Rewriting, str, AnyOperator, Sequence[View]], View | None]
# Each gives the view of the operators it is for, None for others. The last is for all that are left.
RULES: tuple[Rule, ...] = (
    inline_projection,
    first_rows,
    merge_filters,
    rewrite_reader,
    merge_window_functions,
    merge_calls,
    join_groups,
    join_views,
    merge_unions,
    place_result,
    keep_operator,
)


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
        rewriting = _rewritten(dataflow, shows_columns=True)
        result = rewriting.dataflow()
        normalization = _Normalization(result, tuple(in_order(rewriting.relied)))
        return result.cached("normalization", lambda: normalization)  # of itself too

    return dataflow.cached("normalization", make)


def _normalized_for_rows(query: Dataflow) -> Dataflow:
    """The normal form of a query of which only counts how many rows there are."""

    def make() -> Dataflow:
        result = _rewritten(query, shows_columns=False).dataflow()
        return result.cached("normalization for rows", lambda: result)  # of itself too

    return query.cached("normalization for rows", make)


def _rewritten(dataflow: Dataflow, *, shows_columns: bool) -> Rewriting:
    """All operators written anew, inputs before what they feed."""
    rewriting = Rewriting(dataflow, normalized, _normalized_for_rows, shows_columns=shows_columns)
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
