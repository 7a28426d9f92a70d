"""What must be equal below for a signal to be equal: the weakest semantics, the fewest columns.

An operator on equal inputs gives equal outputs; these are the smallest inputs it needs for that,
and, computed backwards, what a result needs of every signal it depends on.

    Sink as a bag <- Aggregate(a; max(b)) <- Sort(c) <- t(a, b, c, d)
        =>   of the Sort and of t: a and b, as a set

Equal as a set: the same rows, however often. As a bag: each as often. As an ordered bag: in the same
order too. Asking for more than is needed costs proofs, asking for less would make wrong ones: what an
operator is not known to ignore, it needs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never, final

from veer.facts.congruence import columns_needed
from veer.facts.determinism import expr_kind, operator_kind
from veer.functions.registry import Kind, aggregate_function
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.types import has_floats
from veer.ir.walk import operator_exprs
from veer.verdict import TableSemantics

SET, BAG, ORDERED = TableSemantics.SET, TableSemantics.BAG, TableSemantics.ORDERED_BAG


@final
@dataclass(frozen=True, slots=True)
class Need:
    """How a signal must be equal: in which sense, and in which columns."""

    semantics: TableSemantics
    columns: frozenset[int]

    def __or__(self, other: Need) -> Need:
        """Enough for both."""
        return Need(self.semantics | other.semantics, self.columns | other.columns)

    def __le__(self, other: Need) -> bool:
        """Whether the other is enough for this one."""
        return other.semantics.implies(self.semantics) and self.columns <= other.columns


def sees_everything(operator: ops.AnyOperator, kind: Kind) -> bool:
    """Whether an operator may look at every column and at the order: it makes a choice."""
    return kind in (Kind.CHOICE, Kind.PARTITION) and not rounds(operator)


def semantics_needed(
    operator: ops.AnyOperator,
    port: int,
    kind: Kind,
    wanted: TableSemantics,
    columns: Collection[int],
) -> TableSemantics:
    """How an input must be equal for some columns of the output to be equal as wanted."""
    # A choice is the same choice only on inputs that are the same in every respect.
    if operator.traits.sees_order or sees_everything(operator, kind):
        return ORDERED
    if wanted is ORDERED:
        # Whatever order rows come in, a sort gives its own and a join none.
        wanted = BAG if operator.traits.order.ignores_inputs else ORDERED
    match operator:
        case ops.Join(kind=ops.JoinKind.SEMI | ops.JoinKind.ANTI) if port == 1:
            return SET  # whether there is a partner, not how many
        case ops.Aggregate(keys, calls):
            return _counted(calls, columns, len(keys))
        case ops.GlobalAggregate(calls):
            return _counted(calls, columns, 0)
        case _ if wanted is SET and (kind is Kind.CHOICE or not operator.traits.keeps_sets):
            return BAG  # counting, ranking and choosing see duplicates
        case _:
            return wanted  # as the traits say


def _counted(
    calls: Collection[ops.NamedCall], columns: Collection[int], keys: int
) -> TableSemantics:
    """Sets will do where no aggregate that is looked at sees duplicates: DISTINCT, MIN, MAX.

    Groups are the same either way, and so is whether the only group of all rows is empty. Of rows
    that come several times nothing is known to be a key, without which some calls make a choice.
    """
    read = [n.call for i, n in enumerate(calls, keys) if i in columns]
    ignored = (c.distinct or aggregate_function(c.function).ignores_duplicates for c in read)
    rests_on_keys = any(aggregate_function(c.function).kind is Kind.CHOICE for c in read)
    return SET if all(ignored) and not rests_on_keys else BAG


def rounds(operator: ops.AnyOperator) -> bool:
    """Whether an operator's only choice is how floats are rounded: no order of rows shows more."""
    if not isinstance(operator, ops.Aggregate | ops.GlobalAggregate):
        return False
    kinds = {expr_kind(e) for e in operator_exprs(operator)}
    functions = [aggregate_function(named.call.function) for named in operator.calls]
    return kinds.isdisjoint((Kind.CHOICE, Kind.PARTITION)) and all(
        f.kind is Kind.PURE or f.chooses_by_rounding for f in functions
    )


def needs_below(dataflow: Dataflow, id_: str, need: Need) -> tuple[Need, ...]:
    """What an operator needs of its inputs."""
    operator = dataflow.operators[id_]
    below = [dataflow.schemas[i] for i in dataflow.inputs[id_]]
    if isinstance(operator, ops.Sink):
        places = operator.places(below[0])
        return (Need(need.semantics, frozenset(places[i] for i in need.columns)),)
    kind = operator_kind(dataflow, id_)
    columns = (
        tuple(frozenset(range(len(schema))) for schema in below)
        if sees_everything(operator, kind)
        else columns_needed(operator, below, need.columns, in_order=need.semantics is ORDERED)
    )
    return tuple(
        Need(semantics_needed(operator, port, kind, need.semantics, need.columns), read)
        for port, read in enumerate(columns)
    )


def needs(
    dataflow: Dataflow, wanted: Mapping[str, Need], stop: Collection[str] = ()
) -> dict[str, Need]:
    """What some signals need of every signal they depend on, down to where to stop.

    A signal that several read must be enough for all of them. Readers come before what they read:
    when a signal's turn comes, everything asked of it is known.
    """
    needed = dict(wanted)
    below = {i for i in wanted if i not in stop}
    stack = list(below)
    while stack:
        for source in dataflow.inputs[stack.pop()]:
            if source not in below and source not in stop:
                below.add(source)
                stack.append(source)
    for id_ in sorted(below, key=dataflow.position.__getitem__, reverse=True):
        inputs = dataflow.inputs[id_]
        for source, one in zip(inputs, needs_below(dataflow, id_, needed[id_]), strict=True):
            other = needed.get(source)  # of another reader
            needed[source] = one if other is None else other | one
    return needed


def passed_through(dataflow: Dataflow, id_: str, need: Need) -> dict[int, int] | None:
    """Where the needed columns stand in the only input, if the operator changes nothing of them.

        Project(a, b + 1 AS c), only a needed   =>   {0: place of a}

    A projection keeps rows and order, a sort rows, a distinct the set of rows. None otherwise.
    Whatever else the operator computes may be random: nobody needs it.
    """
    operator = dataflow.operators[id_]
    if len(dataflow.inputs[id_]) != 1:
        return None
    below = dataflow.schemas[dataflow.inputs[id_][0]]
    unordered = need.semantics is not ORDERED
    match operator:
        case ops.Project(columns):
            return _plain([n.expr for n in columns], need, below)
        case ops.Aggregate(keys) if need.semantics is SET:
            places = _plain([k.expr for k in keys], need, below)
            # Grouping takes -0.0 for 0.0.
            floats = any(has_floats(keys[i].expr.type) for i in places or ())
            return None if floats else places
        case ops.Sort() | ops.Over() | ops.RowUdf() if unordered:
            kept = all(i < len(below) for i in need.columns)
            return {i: i for i in need.columns} if kept else None
        case ops.Limit(None, 0):
            return {i: i for i in need.columns}
        case ops.Aggregate() | ops.Sort() | ops.Over() | ops.RowUdf() | ops.Limit():
            return None  # it changes what is needed
        case (
            ops.Filter()
            | ops.Deduplicate()
            | ops.Sample()
            | ops.Unnest()
            | ops.Lateral()
            | ops.GlobalAggregate()
        ):
            return None  # rows go, or are repeated
        case (
            ops.Source()
            | ops.Values()
            | ops.Join()
            | ops.Union()
            | ops.IntersectAll()
            | ops.ExceptAll()
            | ops.TableUdf()
        ):
            return None  # not the rows of one input, or nobody knows
        case ops.Sink():
            return None  # it may show columns in other places: see `needs_below`
        case _:
            assert_never(operator)


def _plain(exprs: Sequence[ex.Expr], need: Need, below: Schema) -> dict[int, int] | None:
    """Where the needed outputs stand below, if they are plain columns."""
    places: dict[int, int] = {}
    for i in sorted(need.columns):
        expr = exprs[i] if i < len(exprs) else None
        if not isinstance(expr, ex.Column):
            return None
        places[i] = below.place(expr.name, expr.occurrence)
    return places
