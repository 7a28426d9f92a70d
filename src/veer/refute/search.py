"""Looking for a witness: an instance on which two sinks differ, whatever order rows come in.

A witness satisfies the declared constraints, runs without failure in both versions, and differs
under every choice either of them may make, so that no order of rows explains it. Differences of
float rounding are none. What contains opaque functions, random numbers or anything that depends
on partitions is not refuted: nobody knows what it really gives.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product, starmap
from typing import Any

from veer.dataflow.dag import Dataflow
from veer.dataflow.determinism import dataflow_kind, expr_kind, operator_kind
from veer.dataflow.expr import OpaqueCall
from veer.dataflow.functions.registry import Failure, Kind
from veer.dataflow.ops import COMPUTED, LOCAL, RowUdf, Sample, Source, TableUdf
from veer.dataflow.pprint import function_name
from veer.dataflow.sharing import sharing
from veer.dataflow.types import has_floats
from veer.dataflow.walk import operator_exprs, parts, subqueries
from veer.dataflow.walk import size as dataflow_size
from veer.errors import InputError
from veer.interpreter import Result, TooManyChoicesError, program, same_result
from veer.refute.instances import Instances, Tables, conflict, constants, constraints_hold
from veer.refute.shrink import shrink
from veer.refute.symbolic import symbolic_instances
from veer.verdict import TableSemantics, Witness

INSTANCES = 400
BUDGET = 1_000_000
MOST_CHOICES = 150
LARGE = 24  # operators of both versions from which on the solver is asked early
LARGEST = 100  # from which on it is asked about single rows only


@dataclass(frozen=True)
class Refutation:
    """Two sinks to compare: cones of the versions, the pairing of columns, the semantics."""

    p: Dataflow
    q: Dataflow
    p_sink: str
    q_sink: str
    columns: tuple[tuple[int, int], ...]
    semantics: TableSemantics

    @classmethod
    def of(
        cls,
        p: Dataflow,
        q: Dataflow,
        p_sink: str,
        q_sink: str,
        columns: tuple[tuple[int, int], ...],
        semantics: TableSemantics,
    ) -> Refutation:
        """The comparison, restricted to what the sinks depend on."""
        return cls(
            p.restrict(p.ancestors(p_sink)),
            q.restrict(q.ancestors(q_sink)),
            p_sink,
            q_sink,
            columns,
            semantics,
        )

    def results(self, tables: Tables) -> tuple[Result, Result] | None:
        """Both results with paired columns, None where a run fails."""
        try:
            left = program(self.p).run(tables, likely=self._likely)[self.p_sink]
            right = program(self.q).run(tables, likely=self._likely)[self.q_sink]
        except (Failure, InputError, RecursionError):
            return None
        return (
            _projected(left, [i for i, _ in self.columns]),
            _projected(right, [j for _, j in self.columns]),
        )

    @cached_property
    def _likely(self) -> list[Any]:
        return constants((self.p, self.q))

    def differ(self, tables: Tables) -> bool:
        """Whether the sinks differ on an instance, whatever choices either version makes."""
        found = self.results(tables)
        if found is None or self.same(*found):
            return False
        if not self.is_order_sensitive:
            return True
        outcomes = self._all_outcomes(tables)
        return outcomes is not None and not any(starmap(self.same, product(*outcomes)))

    def contradict(self, tables: Tables) -> bool:
        """Whether an instance shows that the sinks are not equal, their choices being the same.

        Ties may be broken by the order rows happen to come in: then what counts is that each
        version can give whatever the other can.
        """
        found = self.results(tables)
        if found is None or self.same(*found):
            return False
        if not self.is_order_sensitive:
            return True
        outcomes = self._all_outcomes(tables)
        if outcomes is None:
            return False
        ours, theirs = outcomes
        return not all(
            any(self.same(one, two) for two in others)
            for some, others in ((ours, theirs), (theirs, ours))
            for one in some
        )

    def _all_outcomes(self, tables: Tables) -> tuple[list[Result], list[Result]] | None:
        """What either version may give; None where a run fails or chooses too much."""
        try:
            return (
                self._outcomes(self.p, self.p_sink, [i for i, _ in self.columns], tables),
                self._outcomes(self.q, self.q_sink, [j for _, j in self.columns], tables),
            )
        except (Failure, InputError, TooManyChoicesError):
            return None

    def _outcomes(
        self, dataflow: Dataflow, sink: str, places: list[int], tables: Tables
    ) -> list[Result]:
        runs = program(dataflow).outcomes(tables, MOST_CHOICES)
        return [_projected(results[sink], places) for results in runs]

    def same(self, one: Result, two: Result) -> bool:
        """Equal results, floats up to rounding."""
        if same_result(one, two, self.semantics):
            return True
        if not any(map(has_floats, (*one.types, *two.types))):
            return False
        return same_result(_rounded(one), _rounded(two), self.semantics)

    @cached_property
    def is_order_sensitive(self) -> bool:
        """Whether some operator chooses by the order of rows."""
        return Kind.CHOICE in (dataflow_kind(self.p), dataflow_kind(self.q))


def find_witness(
    refutation: Refutation, budget: int = BUDGET, seed: int = 0, *, first: int = 0, last: int = 0
) -> Witness | str:
    """A shrunk witness, or why there is none; `budget` counts operators run.

    Instances are numbered: those from `first` up to `last` are tried, if `last` is given.
    """
    reason = _unfit(refutation)
    if reason is not None:
        return reason
    size = dataflow_size(refutation.p) + dataflow_size(refutation.q)
    instances = max(1, min(last or INSTANCES, budget // size))
    stream = Instances((refutation.p, refutation.q), seed)
    for number in range(first, instances):
        tables = stream.make(number)
        if refutation.differ(tables) and constraints_hold(stream.sources, tables):
            return _shrunk(refutation, stream, tables)
    # Chance rarely passes many joins and filters: there the solver is asked at once.
    if not last or size >= LARGE:
        for solved in symbolic_instances(
            refutation.p,
            refutation.q,
            refutation.columns,
            refutation.semantics,
            single_rows=bool(last) or size > LARGEST,
        ):
            if constraints_hold(stream.sources, solved) and refutation.differ(solved):
                return _shrunk(refutation, stream, solved)
    return f"no difference on {instances} small instances"


def witness_on(refutation: Refutation, tables: Tables) -> Witness | None:
    """A shrunk witness from an instance, if the sinks really differ on it."""
    if _unfit(refutation) is not None:
        return None
    stream = Instances((refutation.p, refutation.q))
    known = {name: tables[name] for name in stream.sources}
    if refutation.differ(known) and constraints_hold(stream.sources, known):
        return _shrunk(refutation, stream, known)
    return None


def _shrunk(refutation: Refutation, stream: Instances, tables: Tables) -> Witness:
    small = shrink(tables, lambda t: constraints_hold(stream.sources, t) and refutation.differ(t))
    return _witness(refutation, stream, small)


def first_difference(refutation: Refutation, instances: int, seed: int = 1) -> Tables | None:
    """For the guard: an instance on which sinks proven equal differ, also with opaque functions."""
    stream = Instances((refutation.p, refutation.q), seed)
    for number in range(0 if stream.conflict else instances):
        tables = stream.make(number)
        if refutation.contradict(tables):
            return tables
    return None


def _witness(refutation: Refutation, stream: Instances, tables: Tables) -> Witness:
    found = refutation.results(tables)
    assert found is not None
    one, two = found
    shown = {
        name: {"columns": [f.name for f in source.fields], "rows": [list(r) for r in tables[name]]}
        for name, source in stream.sources.items()
    }
    return Witness("rows", shown, tuple(one.rows), tuple(two.rows), ", ".join(one.names))


def _unfit(refutation: Refutation) -> str | None:
    """Why a difference in the interpreter would not be one in Spark."""
    for dataflow in (refutation.p, refutation.q):
        for reason in _unfit_parts(dataflow):
            return reason
    both = (refutation.p, refutation.q)
    return conflict(both) or sharing(both) or None


def _unfit_parts(dataflow: Dataflow) -> Iterator[str]:
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        exprs = list(operator_exprs(operator))
        if isinstance(operator, Source) and operator.format in (LOCAL, COMPUTED):
            yield f"the rows of {id_!r} are given, not any rows"
        if isinstance(operator, RowUdf | TableUdf):
            yield f"what {id_!r} ({operator.kind}) really gives is not known"
        for call in (part for e in exprs for part in parts(e) if isinstance(part, OpaqueCall)):
            name = function_name(call.identity)
            yield f"operator {id_!r} calls a function that is not known: {name}"
        random = isinstance(operator, Sample) or any(expr_kind(e) is Kind.CHOICE for e in exprs)
        if random:
            yield f"operator {id_!r} draws random numbers"
        if operator_kind(dataflow, id_) is Kind.PARTITION:
            yield f"operator {id_!r} depends on how rows are partitioned"
        for query in subqueries(operator):
            yield from _unfit_parts(query)


def _projected(result: Result, places: Sequence[int]) -> Result:
    if list(places) == list(range(len(result.names))):
        return result
    rows = [tuple(row[p] for p in places) for row in result.rows]
    return Result(
        tuple(result.names[p] for p in places),
        tuple(result.types[p] for p in places),
        rows,
        result.peers,
    )


def _rounded(result: Result) -> Result:
    return Result(
        result.names, result.types, [tuple(map(rounded, r)) for r in result.rows], result.peers
    )


def rounded(value: Any) -> Any:
    """The value, floats up to rounding."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.9g}")
    return tuple(map(rounded, value)) if isinstance(value, tuple) else value
