"""The normal form of a dataflow: two versions that mean the same are often equal in it.

    Project(a, c) <- Filter(c > 1) <- Project(a, b + 1 AS c) <- t
        =>   Project(a, b + 1) <- Filter(b + 1 > 1) <- t

It is what `passes.PASSES` make of it, one after the other. The sinks have the same possible results, in
the same order, whatever choices are made: operators that choose keep their ids, none is doubled, and
what is random is never written elsewhere.
"""

from __future__ import annotations

from veer.assumptions import KeyAssumption, in_order
from veer.ir.dag import Dataflow
from veer.ir.walk import subqueries
from veer.rewrite.passes import PASSES, laws
from veer.rewrite.sweep import Normalization, Sweeps

MOST_OPERATORS = 500  # of a dataflow that costly passes are for
LAWS = laws()


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


def inlined(dataflow: Dataflow) -> Dataflow:
    """The dataflow after one sweep, in which conditions stand where they stood."""
    return _sweeps(shows_columns=True).inline(dataflow)


def _normalization(dataflow: Dataflow) -> Normalization:
    return _kept(dataflow, shows_columns=True)


def _normalization_for_rows(query: Dataflow) -> Normalization:
    """The normal form of a query whose number of rows alone counts."""
    return _kept(query, shows_columns=False)


def _kept(dataflow: Dataflow, *, shows_columns: bool) -> Normalization:
    """The normal form, kept with the dataflow; it is also that of itself."""
    key = ("normalization", shows_columns)

    def make() -> Normalization:
        made = _passed(dataflow, _sweeps(shows_columns=shows_columns))
        return made.result.cached(key, lambda: made)

    return dataflow.cached(key, make)


def _sweeps(*, shows_columns: bool) -> Sweeps:
    return Sweeps(LAWS, _normalization, _normalization_for_rows, shows_columns=shows_columns)


def _passed(dataflow: Dataflow, sweeps: Sweeps) -> Normalization:
    """What all passes make of a dataflow."""
    is_large: bool | None = None
    for each in PASSES:
        if each.is_costly and is_large is None:
            is_large = len(dataflow.operators) > MOST_OPERATORS
        if not (each.is_costly and is_large):
            dataflow = each.run(dataflow, sweeps)
    return Normalization(dataflow, tuple(in_order(sweeps.relied)))
