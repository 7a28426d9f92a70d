"""Near misses asked again, with nothing that attacks: each rule stands on its proof alone.

Guard, refuter and simulation catch most wrong proofs before anybody sees one, and hide that a rule
is unsound. Here the sources are filtered by a function that nobody can run: to the prover any
function of the row, one that is always true among them; to the interpreter a failure, so that no
instance says anything. What is proven so holds also where the filter lets every row pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import veer.verification.search.simulation
from benchmarks.nets.corpora import Pair
from veer.api import Comparison, Version, verify
from veer.errors import VeerError
from veer.functions.registry import Failure
from veer.interpreter import Program
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Column, Exists, Expr, InQuery, OpaqueCall, ScalarQuery
from veer.ir.ops import Filter, Source
from veer.ir.query_pair import QueryPair
from veer.ir.types import BOOLEAN
from veer.ir.walk import map_exprs, transform
from veer.options import ColumnMatching
from veer.prove.verifiers import registry
from veer.settings import under
from veer.verdict import TableSemantics, Verdict

ALWAYS_TRUE = "always true"  # the function of the filters
BUDGET = 300_000


@contextmanager
def unattacked() -> Iterator[None]:
    """While this lasts, no dataflow runs: neither guard nor refuter nor simulation sees anything."""

    def fail(*_: object) -> None:
        raise Failure("nothing is run")

    run, simulated = Program.evaluate, veer.verification.search.simulation._signals
    try:
        Program.evaluate = fail  # type: ignore[method-assign, assignment]
        veer.verification.search.simulation._signals = lambda *_: {}
        yield
    finally:
        Program.evaluate = run  # type: ignore[method-assign]
        veer.verification.search.simulation._signals = simulated


def filtered(dataflow: Dataflow) -> Dataflow:
    """The dataflow with a filter above each source, in subqueries too, of which nothing is known."""

    def inner(expr: Expr) -> Expr:
        if isinstance(expr, Exists | InQuery | ScalarQuery):
            return replace(expr, query=filtered(expr.query))
        return expr

    operators = {
        i: map_exprs(o, lambda e: transform(e, inner)) for i, o in dataflow.operators.items()
    }
    links = list(dataflow.links)
    for id_, operator in dataflow.operators.items():
        if isinstance(operator, Source):
            above = f"{id_} passed"
            columns = tuple(Column(f.name, f.type) for f in operator.fields[:1])
            call = OpaqueCall(f"{ALWAYS_TRUE} {operator.table}", columns, BOOLEAN)
            operators[above] = Filter(call)
            links = [replace(link, src=above) if link.src == id_ else link for link in links]
            links.append(Link(id_, above))
    return Dataflow(operators, links, dataflow.declared)


def proven(pair: Pair, *, behind_filters: bool) -> str:
    """By what a pair is proven when nothing is run; empty if it is not."""
    sides = pair.read()
    if len(sides) < 2:
        return ""
    with under(pair.settings):
        p, q = map(filtered, sides) if behind_filters else sides
        # Where Spark's plan decides, verifiers are right to prove it, and Veer not to say it.
        verifiers = pair.expect != "unknown"
        return proven_dataflows(p, q, pair.semantics, columns=pair.columns, verifiers=verifiers)


def proven_dataflows(
    p: Dataflow,
    q: Dataflow,
    semantics: TableSemantics,
    *,
    columns: ColumnMatching = ColumnMatching.POSITION,
    verifiers: bool = True,
) -> str:
    """By what two dataflows are proven when nothing is run; empty if they are not.

    Asked are Veer and, of single results compared by place, each verifier by itself.
    """
    asked = Comparison(semantics, columns=columns, budget=BUDGET, hints=False, witnesses=False)
    with unattacked():
        try:
            report = verify(Version("p", p, False), Version("q", q, False), asked)
            if report.verdict is Verdict.EQUIVALENT:
                return "Veer"
            ours, theirs = ([d.schemas[sink].types for sink in d.sinks] for d in (p, q))
            # Verifiers look at rows: names, and what a sink does with rows, are asked before.
            if not verifiers or columns is ColumnMatching.NAME or len(ours) > 1 or ours != theirs:
                return ""
            places = tuple((i, i) for i in range(len(ours[0])))
            pair = QueryPair(p, q, semantics, places)
            answers = ((name, registry.get(name).verify(pair)) for name in registry.names())
            return next((n for n, a in answers if a.verdict is Verdict.EQUIVALENT), "")
        except VeerError:
            return ""
