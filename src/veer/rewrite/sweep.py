"""A sweep over a dataflow: every operator is written anew by the first rule that is for it.

    Project(a, c) <- Filter(c > 1) <- Project(a, b + 1 AS c) <- t
        =>   Project(a, b + 1) <- Filter(b + 1 > 1) <- t

Inputs come before what they feed. A projection is not placed but remembered as a view, and written
into what stands above it. It is placed where a result, a union, a limit or the padded side of a join
sees its columns, and then with only those columns that something above reads. Subqueries are swept too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from veer.assumptions import KeyAssumption, in_order
from veer.errors import UnsupportedError
from veer.ir.dag import Dataflow
from veer.ir.ops import AnyOperator
from veer.rewrite.builder import or_alike
from veer.rewrite.expressions import Normalize
from veer.rewrite.rewriting import Laws, Rewriting, View


@final
@dataclass(frozen=True)
class Normalization:
    """An equal dataflow, and the declared keys without which it would not be equal."""

    result: Dataflow
    relied: tuple[KeyAssumption, ...]


@final
class Sweeps:
    """The sweeps that normalize one dataflow; `relied` are the declared keys they rest on so far.

    Without `shows_columns` only the number of rows counts. `of_query` and `of_rows` normalize the
    subqueries that are left in the last sweep; `of_rows` those whose number of rows alone counts.
    """

    def __init__(
        self,
        laws: Laws,
        of_query: Callable[[Dataflow], Normalization],
        of_rows: Callable[[Dataflow], Normalization],
        *,
        shows_columns: bool,
    ) -> None:
        self.laws, self.of_query, self.of_rows = laws, of_query, of_rows
        self.shows_columns = shows_columns
        self.relied: set[KeyAssumption] = set()
        self.settled: Dataflow | None = None  # in which a sweep changes nothing

    def inline(self, dataflow: Dataflow, *, shows_columns: bool = True) -> Dataflow:
        """A dataflow after one sweep."""

        def make() -> Normalization:
            own = Sweeps(self.laws, self.of_query, self.of_rows, shows_columns=shows_columns)
            inner = own.inline, lambda query: own.inline(query, shows_columns=False)
            rewriting = swept(dataflow, self.laws, inner, shows_columns=shows_columns)
            relied = in_order(own.relied | rewriting.relied)
            return Normalization(rewriting.dataflow(), tuple(relied))

        return self.noted(dataflow.cached(("inlining", shows_columns), make))

    def noted(self, normalization: Normalization) -> Dataflow:
        """An equal dataflow, the keys that it rests on being noted."""
        self.relied.update(normalization.relied)
        return normalization.result


def sweep(dataflow: Dataflow, sweeps: Sweeps) -> Dataflow:
    """Every operator written anew by the first rule that is for it."""
    if dataflow is sweeps.settled:
        return dataflow
    result = or_alike(dataflow, sweeps.inline(dataflow, shows_columns=sweeps.shows_columns))
    sweeps.settled = result if result is dataflow else sweeps.settled
    return result


def last_sweep(dataflow: Dataflow, sweeps: Sweeps) -> Dataflow:
    """Every operator written anew where it will stand."""
    inner = (
        lambda query: sweeps.noted(sweeps.of_query(query)),
        lambda query: sweeps.noted(sweeps.of_rows(query)),
    )
    shown = sweeps.shows_columns
    rewriting = swept(dataflow, sweeps.laws, inner, shows_columns=shown, is_last=True)
    sweeps.relied |= rewriting.relied
    return rewriting.dataflow()


def swept(
    dataflow: Dataflow,
    laws: Laws,
    of_queries: tuple[Normalize, Normalize],
    *,
    shows_columns: bool,
    is_last: bool = False,
) -> Rewriting:
    """All operators written anew, inputs before what they feed."""
    rewriting = Rewriting(dataflow, laws, of_queries, shows_columns=shows_columns, is_last=is_last)
    for id_ in dataflow.order:
        inputs = dataflow.inputs[id_]
        try:
            view = _rewritten(rewriting, id_, [rewriting.views[i] for i in inputs])
        except UnsupportedError:  # a subquery reads what is computed below
            view = _rewritten(rewriting, id_, [rewriting.view_placed(i) for i in inputs])
        rewriting.views[id_] = view
    return rewriting


def _rewritten(rewriting: Rewriting, id_: str, below: Sequence[View]) -> View:
    operator = rewriting.old.operators[id_]
    views = (rule(rewriting, id_, operator, below) for rule in rewriting.laws.rules)
    return next((view for view in views if view is not None), None) or _kept(
        rewriting, id_, operator
    )


def _kept(rewriting: Rewriting, id_: str, operator: AnyOperator) -> View:
    """An operator that no rule is for stays as it is, over its inputs with all columns and names.

    Opaque operators may look at every column and every name; sources and constant rows have no input.
    """
    inputs = [rewriting.placed_as_before(i) for i in rewriting.old.inputs[id_]]
    return rewriting.put(id_, operator, inputs, range(len(rewriting.old.schemas[id_])))
