"""Looking for a witness: an instance on which two sinks differ, whatever order rows come in.

A witness satisfies the declared constraints, runs without failure in both versions, and differs
under every choice either of them may make, so that no order of rows explains it. Differences of
float rounding are none. What contains random numbers or anything that depends on partitions is not
refuted, and opaque functions only where they are run: nobody knows what the others really give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from itertools import product, starmap
from typing import Any, TypeAlias

from veer import interpreter
from veer.errors import InputError
from veer.facts.determinism import dataflow_kind, expr_kind, operator_kind
from veer.facts.sharing import sharing
from veer.facts.signed_zeros import has_negative_zeros, may_show_zero_signs, without_zero_signs
from veer.functions.registry import Failure, Kind
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.pprint import function_name, show_expr
from veer.ir.sources import tables_read
from veer.ir.walk import children, operator_exprs, size as dataflow_size, subqueries
from veer.reasons import CannotRefute, NoDifference
from veer.refute import instances as refute_instances
from veer.refute.failing_constants import failing_constant
from veer.refute.instances import Tables
from veer.refute.parents import with_parents
from veer.refute.shown_instants import shown_row, zone_asked
from veer.verdict import TableSemantics, Witness, WitnessKind

Functions: TypeAlias = Mapping[str, Callable[..., Any]]  # by identity
NO_FUNCTIONS: Functions = {}
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
    unread: tuple[ops.Source, ...] = ()  # tables that are declared, but not read by these sinks
    functions: Functions = field(default_factory=dict, hash=False)  # what opaque ones really give

    @classmethod
    def of(
        cls,
        p: Dataflow,
        q: Dataflow,
        p_sink: str,
        q_sink: str,
        columns: tuple[tuple[int, int], ...],
        semantics: TableSemantics,
        functions: Functions = NO_FUNCTIONS,
    ) -> Refutation:
        """The comparison, restricted to what the sinks depend on."""
        ours, theirs = p.restrict(p.ancestors(p_sink)), q.restrict(q.ancestors(q_sink))
        read = {source.table.lower() for source in tables_read((ours, theirs)).values()}
        declared = (*tables_read((p, q)).values(), *p.declared, *q.declared)
        unread = {s.table.lower(): s for s in declared if s.table.lower() not in read}
        legal = tuple(unread.values())
        return cls(ours, theirs, p_sink, q_sink, columns, semantics, legal, functions)

    def completed(
        self, sources: Mapping[str, ops.Source], tables: refute_instances.Tables
    ) -> refute_instances.Tables | None:
        """The instance with rows of unread tables that foreign keys lead to; None if not legal."""
        if not self.unread or not any(source.foreign_keys for source in sources.values()):
            return tables if refute_instances.constraints_hold(sources, tables) else None
        return with_parents(sources, self.unread, tables)

    def results(
        self, tables: refute_instances.Tables
    ) -> tuple[interpreter.Result, interpreter.Result] | None:
        """Both results with paired columns, None where a run fails."""
        try:
            left = interpreter.program(self.p).run(tables, self.functions, self._likely)[
                self.p_sink
            ]
            right = interpreter.program(self.q).run(tables, self.functions, self._likely)[
                self.q_sink
            ]
        except (Failure, InputError, RecursionError, NotKnown):
            return None
        return (
            projected(left, [i for i, _ in self.columns]),
            projected(right, [j for _, j in self.columns]),
        )

    @cached_property
    def samples(self) -> list[str]:
        """Texts on which the functions that are run show what they do."""
        return [s for f in self.functions.values() for s in getattr(f, "samples", ())]

    @cached_property
    def _likely(self) -> list[Any]:
        return refute_instances.constants((self.p, self.q))

    def differ(self, tables: refute_instances.Tables) -> bool:
        """Whether the sinks differ on an instance, whatever choices either version makes.

        A difference that rests on the sign of a zero is none: which one there is depends on
        Spark's plan.
        """
        if not self._differ(tables):
            return False
        if not self._shows_zero_signs:
            return True
        return (
            not has_negative_zeros(tables)
            and self._without_zero_signs is not None
            and self._without_zero_signs._differ(tables)
        )

    @cached_property
    def _shows_zero_signs(self) -> bool:
        return may_show_zero_signs(self.p) or may_show_zero_signs(self.q)

    @cached_property
    def _without_zero_signs(self) -> Refutation | None:
        """The comparison in which nothing tells 0.0 from -0.0, if there is one."""
        p, q = without_zero_signs(self.p), without_zero_signs(self.q)
        return None if p is None or q is None else replace(self, p=p, q=q)

    def _differ(self, tables: refute_instances.Tables) -> bool:
        results = self.results(tables)
        if results is None or self.same(*results):
            return False
        if not self.is_order_sensitive:
            return True
        # However both choose: an outcome of P that Q can give too leaves room for equal runs.
        outcomes = self._all_outcomes(tables)
        return outcomes is not None and not any(starmap(self.same, product(*outcomes)))

    def contradict(self, tables: refute_instances.Tables) -> bool:
        """Whether an instance shows that the sinks are not equal, their choices being the same.

        Ties may be broken by the order rows happen to come in: then what counts is that each
        version can give whatever the other can.
        """
        results = self.results(tables)
        if results is None or self.same(*results):
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

    def _all_outcomes(
        self, tables: refute_instances.Tables
    ) -> tuple[list[interpreter.Result], list[interpreter.Result]] | None:
        """What either version may give; None where a run fails or chooses too much."""
        try:
            return (
                self._outcomes(self.p, self.p_sink, [i for i, _ in self.columns], tables),
                self._outcomes(self.q, self.q_sink, [j for _, j in self.columns], tables),
            )
        except (Failure, InputError, interpreter.TooManyChoicesError, NotKnown):
            return None

    def _outcomes(
        self, dataflow: Dataflow, sink: str, places: list[int], tables: refute_instances.Tables
    ) -> list[interpreter.Result]:
        runs = interpreter.program(dataflow).outcomes(tables, MOST_CHOICES, self.functions)
        return [projected(results[sink], places) for results in runs]

    def same(self, one: interpreter.Result, two: interpreter.Result) -> bool:
        """Equal results, floats up to rounding and the sign of zero."""
        if interpreter.same_result(one, two, self.semantics):
            return True
        if not any(map(ty.has_floats, (*one.types, *two.types))):
            return False
        return interpreter.same_result(_rounded(one), _rounded(two), self.semantics)

    @cached_property
    def is_order_sensitive(self) -> bool:
        """Whether some operator chooses by the order of rows."""
        return Kind.CHOICE in (dataflow_kind(self.p), dataflow_kind(self.q))


def find_witness(
    refutation: Refutation, budget: int = BUDGET, seed: int = 0, *, first: int = 0, last: int = 0
) -> Witness | NoDifference | CannotRefute:
    """A shrunk witness, or why there is none; `budget` counts operators run.

    Instances are numbered: those from `first` up to `last` are tried, if `last` is given.
    """
    unfit = _unfit(refutation)
    if unfit is not None:
        return CannotRefute(unfit)
    refutation = calling_nothing_unknown(refutation)
    size = dataflow_size(refutation.p) + dataflow_size(refutation.q)
    instances = max(1, min(last or INSTANCES, budget // size))
    stream = refute_instances.Instances((refutation.p, refutation.q), seed, refutation.samples)
    for number in range(first, instances):
        tables = stream.make(number)
        if refutation.differ(tables) and _is_legal(refutation, stream, tables):
            return _shrunk(refutation, stream, tables)
    # Chance rarely passes many joins and filters: there the solver is asked at once.
    if not last or size >= LARGE:
        from veer.refute.symbolic import symbolic_instances

        for solved in symbolic_instances(
            refutation.p,
            refutation.q,
            refutation.columns,
            refutation.semantics,
            single_rows=bool(last) or size > LARGEST,
        ):
            if _is_legal(refutation, stream, solved) and refutation.differ(solved):
                return _shrunk(refutation, stream, solved)
    return NoDifference(instances)


def witness_on(refutation: Refutation, tables: refute_instances.Tables) -> Witness | None:
    """A shrunk witness from an instance, if the sinks really differ on it."""
    if _unfit(refutation) is not None:
        return None
    refutation = calling_nothing_unknown(refutation)
    stream = refute_instances.Instances((refutation.p, refutation.q))
    read = {name: tables[name] for name in stream.sources}
    if refutation.differ(read) and _is_legal(refutation, stream, read):
        return _shrunk(refutation, stream, read)
    return None


def _is_legal(
    refutation: Refutation, stream: refute_instances.Instances, tables: refute_instances.Tables
) -> bool:
    """Whether a database that keeps all declared constraints can hold these tables."""
    return refutation.completed(stream.sources, tables) is not None


def _shrunk(
    refutation: Refutation, stream: refute_instances.Instances, tables: refute_instances.Tables
) -> Witness:
    """The witness an instance shrinks to; every smaller one is legal and tells the sinks apart."""
    small = shrink(tables, lambda t: _is_legal(refutation, stream, t) and refutation.differ(t))
    return _witness(refutation, stream, small)


def first_difference(
    refutation: Refutation, instances: int, seed: int = 1
) -> refute_instances.Tables | None:
    """For the guard: an instance on which sinks proven equal differ, also with opaque functions."""
    refutation = replace(refutation, functions=NO_FUNCTIONS)  # proofs hold for any functions
    stream = refute_instances.Instances((refutation.p, refutation.q), seed)
    for number in range(0 if stream.conflict else instances):
        tables = stream.make(number)
        if refutation.contradict(tables):
            return tables
    return None


def _witness(
    refutation: Refutation, stream: refute_instances.Instances, tables: refute_instances.Tables
) -> Witness:
    results = refutation.results(tables)
    assert results is not None
    one, two = results
    legal = refutation.completed(stream.sources, tables)
    assert legal is not None
    declared = {**{s.table: s for s in refutation.unread}, **stream.sources}
    shown = {
        name: {"columns": [f.name for f in declared[name].fields], "rows": [list(r) for r in rows]}
        for name, rows in legal.items()
    }
    p_rows, q_rows = one.rows, two.rows
    if refutation.semantics is TableSemantics.ORDERED_BAG:
        p_rows, q_rows = interpreter.differing_sequences(one, two)
    witness = Witness(WitnessKind.ROWS, shown, tuple(p_rows), tuple(q_rows), columns=one.names)
    zone = zone_asked(refutation.p, refutation.q)
    if zone is None:
        return witness
    tables_there = {
        name: {**shown[name], "rows": [shown_row(r, _types(declared[name]), zone) for r in rows]}
        for name, rows in legal.items()
    }
    rows_there = (
        tuple(shown_row(r, one.types, zone) for r in p_rows),
        tuple(shown_row(r, two.types, zone) for r in q_rows),
    )
    return replace(witness, shown_tables=tables_there, shown_rows=rows_there)


def _types(source: ops.Source) -> list[ty.DataType]:
    return [field.type for field in source.fields]


def _unfit(refutation: Refutation) -> str | None:
    """Why a difference in the interpreter would not be one in Spark."""
    for dataflow in (refutation.p, refutation.q):
        constant = failing_constant(dataflow)
        if constant is not None:
            return f"{show_expr(constant)} fails in Spark on all tables"
        for reason in _unfit_parts(dataflow, refutation.functions):
            return reason
    both = (refutation.p, refutation.q)
    return (
        refute_instances.conflict(both)
        or sharing(both)
        or refute_instances.unkept(both, refutation.unread)
        or None
    )


def _unfit_parts(dataflow: Dataflow, functions: Functions) -> Iterator[str]:
    """Operators of which nobody knows what they give on an instance, in subqueries too."""
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        exprs = list(operator_exprs(operator))
        if isinstance(operator, ops.Source) and operator.format in (ops.LOCAL, ops.COMPUTED):
            yield f"the rows of {id_!r} are fixed"
        if isinstance(operator, ops.Source) and refute_instances.has_unknown_checks(operator):
            yield f"a CHECK of table {operator.table!r} cannot be read, so rows might violate it"
        is_run = isinstance(operator, ops.RowUdf) and operator.identity in functions
        if isinstance(operator, ops.AnyUdf) and not is_run:
            yield f"the results of {id_!r} ({operator.kind}) are not known"
        for call in (call for e in exprs for call in _always_called(e)):
            name = function_name(call.identity)
            yield f"operator {id_!r} calls an unknown function: {name}"
        random = isinstance(operator, ops.Sample) or any(expr_kind(e) is Kind.CHOICE for e in exprs)
        if random:
            yield f"operator {id_!r} draws random numbers"
        if operator_kind(dataflow, id_) is Kind.PARTITION:
            yield f"operator {id_!r} depends on how rows are partitioned"
        for query in subqueries(operator):
            yield from _unfit_parts(query, functions)


class NotKnown(Exception):
    """A run calls a function of which nobody knows what it gives."""


class _OnlyKnown(dict[str, Callable[..., Any]]):
    """Functions by identity, of which those that are missing, wherever they are called, end the run."""

    def __bool__(self) -> bool:
        return True  # also where none is known

    def get(self, identity: str, default: Any = None) -> Any:
        """The function, or one that nobody knows."""
        del default
        return super().get(identity, _not_known)


def _not_known(*_: Any) -> Any:
    raise NotKnown


def calling_nothing_unknown(refutation: Refutation) -> Refutation:
    """The comparison on instances on which no function is called that nobody knows."""
    return replace(refutation, functions=_OnlyKnown(refutation.functions))


def _always_called(expr: ex.Expr) -> Iterator[ex.OpaqueCall]:
    """Unknown functions that are called on every row; not those behind a condition."""
    match expr:
        case ex.OpaqueCall(body=None):
            yield expr
        case ex.Case(branches):
            yield from _always_called(branches[0][0])
        case ex.And(args) | ex.Or(args):
            yield from _always_called(args[0])
        case _:
            for child in children(expr):
                yield from _always_called(child)


def projected(result: interpreter.Result, places: Sequence[int]) -> interpreter.Result:
    """The result with these columns only, in this order."""
    if list(places) == list(range(len(result.names))):
        return result
    rows = [tuple(row[p] for p in places) for row in result.rows]
    return interpreter.Result(
        tuple(result.names[p] for p in places),
        tuple(result.types[p] for p in places),
        rows,
        result.peers,
    )


def _rounded(result: interpreter.Result) -> interpreter.Result:
    return interpreter.Result(
        result.names, result.types, [tuple(map(rounded, r)) for r in result.rows], result.peers
    )


def rounded(value: Any) -> Any:
    """The value, floats up to rounding and the sign of zero."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.9g}") + 0.0
    return tuple(map(rounded, value)) if isinstance(value, tuple) else value


# -- shrinking an instance: fewer rows, plainer values, as long as it still does its work --------

MOST_TRIES = 400
MANY = 8  # rows from which on half of them are left out at once


def shrink(tables: Tables, still: Callable[[Tables], bool]) -> Tables:
    """The instance made smaller step by step; `still` says whether it still is a witness."""
    tries = 0
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(tables):
            tries += 1
            if tries > MOST_TRIES:
                return tables
            if still(smaller):
                tables, changed = smaller, True
                break
    return tables


def _smaller(tables: Tables) -> Iterator[Tables]:
    """Instances one step smaller: half the rows of a table, a row less, then one value plainer."""
    for name, rows in tables.items():
        if len(rows) >= MANY:
            half = len(rows) // 2
            yield {**tables, name: rows[:half]}
            yield {**tables, name: rows[half:]}
    for name, rows in tables.items():
        for place in range(len(rows)):
            yield {**tables, name: rows[:place] + rows[place + 1 :]}
    for name, rows in tables.items():
        for place, row in enumerate(rows):
            for column, value in enumerate(row):
                for plain in _plainer(value):
                    changed = (*row[:column], plain, *row[column + 1 :])
                    yield {**tables, name: [*rows[:place], changed, *rows[place + 1 :]]}


def _plainer(value: Any) -> Iterator[Any]:
    """Plainer values of the same type, plainest first; each strictly plainer than the value."""
    match value:
        case None | bool():
            return
        case int():
            if value not in (0, 1):
                yield 0
            if value > 1 or value < 0:
                yield 1
        case Decimal():
            if value:
                yield value * 0
        case float():
            if value != 0.0 or str(value) == "-0.0":
                yield 0.0
        case str():
            if value:
                yield ""
            if len(value) > 1:
                yield value[:1]
        case _:
            return
