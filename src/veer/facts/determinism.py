"""Which expressions and operators are functions of their inputs, and which make a choice.

A Limit is a function of its input if the order below it decides which rows stay (`orders`); a
window function if ties cannot show (`keys`); an aggregate if it neither rounds nor sees the order
(`call_kinds`). Expressions and operators are judged together: one holds the other in subqueries.

    PURE           the same result whenever it is given the same rows, in whatever order
    RUN_CONSTANT   one value in a run, another in the next: current_date()
    CHOICE         several results are right, and Spark may give any of them: LIMIT without order
    PARTITION      the result depends on how rows are distributed over machines

PURE is claimed only where it is shown; what is in doubt is a CHOICE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from veer.assumptions import KeyAssumption
from veer.errors import UnsupportedError
from veer.facts import keys as facts_keys
from veer.facts.call_kinds import adds_floats, call_kind
from veer.facts.orders import order_decides
from veer.facts.row_counts import most_rows
from veer.facts.run_times import may_mean_now
from veer.functions.registry import (
    AGGREGATE,
    OVER,
    Kind,
    scalar_function,
)
from veer.ir import expr as ex, ops, walk
from veer.ir.dag import Dataflow
from veer.ir.json import is_alike
from veer.ir.schema import Schema
from veer.ir.sources import declared_key
from veer.ir.types import (
    has_floats,
)

_WORSE = {Kind.PURE: 0, Kind.RUN_CONSTANT: 1, Kind.CHOICE: 2, Kind.PARTITION: 3}


def worst(*kinds: Kind) -> Kind:
    """The least deterministic of several kinds."""
    return max(kinds, key=_WORSE.__getitem__, default=Kind.PURE)


def expr_kind(expr: ex.Expr) -> Kind:
    """The kind of an expression: the worst of its functions and subqueries."""
    kind = Kind.PURE
    for node in walk.parts(expr):
        if may_mean_now(node):
            kind = worst(kind, Kind.RUN_CONSTANT)
        elif isinstance(node, ex.Call):
            kind = worst(kind, scalar_function(node.function).kind)
        elif isinstance(node, ex.OpaqueCall):
            kind = worst(kind, node.kind)
        elif isinstance(node, ex.Exists):
            kind = worst(kind, _presence_kind(node.query))
        elif (query := walk.query_of(node)) is not None:
            kind = worst(kind, dataflow_kind(query))
    return kind


def is_pure(expr: ex.Expr) -> bool:
    """Whether an expression is a function of its row alone."""
    return expr_kind(expr) is Kind.PURE


def is_random(expr: ex.Expr) -> bool:
    """Whether evaluating an expression twice may give two values: it stays where it is, once."""
    return expr_kind(expr) in (Kind.CHOICE, Kind.PARTITION)


def _presence_kind(query: Dataflow) -> Kind:
    """The kind of whether a query has rows: which ones its topmost limits keep does not show.

    How many rows a Limit keeps depends on how many there are alone, and Project and Sort keep all.
    """
    counted: set[str] = set()
    (id_,) = query.sinks
    while isinstance(query.operators[id_], ops.Sink | ops.Project | ops.Sort | ops.Limit):
        counted.add(id_)
        (id_,) = query.inputs[id_]
    kinds = [operator_kind(query, i) for i in query.operators if i not in counted]
    inside = (e for i in counted for e in walk.operator_exprs(query.operators[i]))
    return worst(*kinds, *map(expr_kind, inside))


def require_repeatable(expr: ex.Expr, what: str) -> ex.Expr:
    """The expression, unless evaluating it twice may give two values: then it is refused."""
    if is_random(expr):
        raise UnsupportedError(f"{what} would evaluate a nondeterministic expression twice")
    return expr


def dataflow_kind(dataflow: Dataflow) -> Kind:
    """The worst kind of any operator of a dataflow."""
    return worst(*(operator_kind(dataflow, id_) for id_ in dataflow.operators))


def resting_on(dataflow: Dataflow, *kinds: Kind) -> frozenset[str]:
    """The signals of operators of these kinds, and all that depend on them; kept with the dataflow."""

    def make() -> frozenset[str]:
        found: set[str] = set()
        for id_ in dataflow.order:
            if operator_kind(dataflow, id_) in kinds or not found.isdisjoint(dataflow.inputs[id_]):
                found.add(id_)
        return frozenset(found)

    return dataflow.cached(("resting on", *kinds), make)


def is_repeatable(call: ex.AggregateCall | ex.OverCall) -> bool:
    """Whether two calls written alike are one: nothing inside them chooses."""
    kinds = {expr_kind(e) for e in walk.exprs_in(call)}
    return kinds <= {Kind.PURE, Kind.RUN_CONSTANT}


def keys_relied_on(dataflow: Dataflow, id_: str) -> list[KeyAssumption]:
    """The declared keys of the sources below, if without them the operator would be a choice.

    All of them are named, though one may suffice: an assumption too many is no harm, one too few is
    a proof that hides what it rests on. Those its subqueries rely on too.
    """
    operator = dataflow.operators[id_]
    if not operator.traits.relies_on_keys:
        return [
            key
            for query in walk.subqueries(operator)
            for inner in query.order
            for key in keys_relied_on(query, inner)
        ]
    if not any(source.keys for source in dataflow.sources.values()):
        return []
    if operator_kind(dataflow, id_) == operator_kind(_without_keys(dataflow), id_):
        return []
    below = dataflow.ancestors(id_)
    sources = (s for i, s in dataflow.sources.items() if i in below)
    return [declared_key(source, key) for source in sources for key in source.keys]


def _without_keys(dataflow: Dataflow) -> Dataflow:
    """The dataflow as if no key were declared, kept with it."""

    def make() -> Dataflow:
        keyless = {i: replace(source, keys=()) for i, source in dataflow.sources.items()}
        return Dataflow({**dataflow.operators, **keyless}, dataflow.links)

    return dataflow.cached("without keys", make)


def operator_kind(dataflow: Dataflow, id_: str) -> Kind:
    """Whether an operator is a function of its inputs where it stands; kept with the dataflow."""
    return dataflow.cached(("operator kind", id_), lambda: _operator_kind(dataflow, id_))


def _operator_kind(dataflow: Dataflow, id_: str) -> Kind:
    operator = dataflow.operators[id_]
    exprs = (expr_kind(e) for e in walk.operator_exprs(operator))
    return worst(*exprs, _own_kind(dataflow, id_, operator))


def _own_kind(dataflow: Dataflow, id_: str, operator: ops.AnyOperator) -> Kind:
    """The kind of an operator, its expressions apart."""
    match operator:
        case ops.Limit():
            return _limit_kind(dataflow, dataflow.inputs[id_][0], operator)
        case ops.Deduplicate(keys):
            # Groups of one row each leave nothing to choose.
            (below,) = dataflow.inputs[id_]
            places = facts_keys.places_of(keys, dataflow.schemas[below])
            return (
                Kind.PURE
                if facts_keys.uniqueness(dataflow, below).tells_apart(places)
                else Kind.CHOICE
            )
        case ops.Aggregate(calls=calls) | ops.GlobalAggregate(calls):
            (below,) = dataflow.inputs[id_]
            schema, unique = dataflow.schemas[below], facts_keys.uniqueness(dataflow, below)
            by = [n.expr for n in operator.keys] if isinstance(operator, ops.Aggregate) else []
            return worst(*(grouped_kind(named.call, by, schema, unique) for named in calls))
        case ops.Over(calls):
            (below,) = dataflow.inputs[id_]
            schema, unique = dataflow.schemas[below], facts_keys.uniqueness(dataflow, below)
            return worst(*(over_kind(named.call, schema, unique) for named in calls))
        case ops.Lateral(query):
            return dataflow_kind(query)
        case ops.Sample():
            return (
                Kind.CHOICE
            )  # with a seed too: which rows it draws depends on how they are spread
        case ops.TableUdf(batched=True):
            return Kind.CHOICE
        case ops.TableUdf(scope="batch"):
            return Kind.PARTITION
        case ops.TableUdf(deterministic=deterministic):
            return Kind.PURE if deterministic else Kind.CHOICE
        case (
            ops.Source()
            | ops.Values()
            | ops.Filter()
            | ops.Project()
            | ops.Join()
            | ops.Union()
            | ops.Unnest()
            | ops.RowUdf()
        ):
            return Kind.PURE  # functions of the bag of rows
        case ops.IntersectAll() | ops.ExceptAll() | ops.Sort() | ops.Sink():
            # A Sort too: that rows tied in its order come in any order is no result of its own, but
            # a matter of what stands above it (`orders`).
            return Kind.PURE
        case _:
            assert_never(operator)


def _limit_kind(dataflow: Dataflow, below: str, limit: ops.Limit) -> Kind:
    """Whether a limit of a signal makes a choice: not if it takes all rows, or its order decides."""
    if limit.count == 0:
        return Kind.PURE
    rows = most_rows(dataflow, below)
    takes_all = limit.offset == 0 and limit.count is not None and rows <= limit.count
    if rows <= 1 or takes_all or order_decides(dataflow, below, is_pure):
        return Kind.PURE
    return Kind.CHOICE


def grouped_kind(
    call: ex.AggregateCall, keys: Sequence[ex.Expr], schema: Schema, unique: facts_keys.Uniqueness
) -> Kind:
    """The kind of an aggregate over groups of rows with such keys, its arguments apart.

    The value at the greatest of something is one if no two rows of a group agree on that, or if it
    is part of that itself.
    """
    kind = call_kind(call)
    if kind is Kind.CHOICE and call.function in ("max_by", "min_by"):
        value, place = call.args
        conditions = [] if call.where is None else [call.where]
        match place:
            case ex.Case(
                ((when, then),), ex.Literal(None)
            ):  # rows without anything to go by are skipped
                conditions.append(when)
                place = then
        gone_by = walk.struct_parts(place)
        if any(is_alike(value, part) for part in gone_by) and not has_floats(value.type):
            return Kind.PURE
        exprs = (e for e in (*keys, *gone_by) if not has_floats(e.type))
        fixed = (facts_keys.constants_where(condition, schema) for condition in conditions)
        if unique.tells_apart(facts_keys.places_determined_by(exprs, schema).union(*fixed)):
            return Kind.PURE
    return kind


def over_kind(call: ex.OverCall, schema: Schema, unique: facts_keys.Uniqueness) -> Kind:
    """The kind of a window function over rows with such keys, its arguments apart."""
    ranked = OVER.get(call.function)
    if ranked is not None:
        ignores_ties = ranked.kind is Kind.PURE
    else:
        if adds_floats(call) or any(has_floats(a.type) for a in call.args):
            return Kind.CHOICE  # rounding, or 0.0 against -0.0, even without ties
        aggregate = AGGREGATE[call.function]
        is_whole = call.frame.start is None and call.frame.end is None
        # A RANGE frame takes peers together; a ROWS frame cuts between them.
        takes_peers = call.frame.unit == "range" or is_whole
        ignores_ties = aggregate.ignores_order and aggregate.kind is Kind.PURE and takes_peers
    if ignores_ties:
        return Kind.PURE
    exprs = (*call.partition, *(k.expr for k in call.order))
    # Rows that differ in the sign of a zero alone tie all the same.
    places = facts_keys.places_determined_by((e for e in exprs if not has_floats(e.type)), schema)
    # Without two rows that agree on partition and order there are no ties.
    return Kind.PURE if unique.tells_apart(places) else Kind.CHOICE


# -- functions of batches of rows: pandas UDFs, mapInPandas, applyInPandas and their kin ------------


def has_batched(operator: ops.AnyOperator) -> bool:
    """Whether an operator runs a function of batches."""
    if isinstance(operator, ops.TableUdf):
        return operator.batched
    return any(
        isinstance(part, ex.OpaqueCall) and part.batched
        for expr in walk.operator_exprs(operator)
        for part in walk.parts(expr)
    )


def chooses_by_batches(dataflow: Dataflow, id_: str) -> bool:
    """Whether an operator makes no other choice than its functions of batches do."""
    operator = dataflow.operators[id_]
    if not has_batched(operator):
        return False
    if isinstance(operator, ops.TableUdf):
        return True
    settled: ops.AnyOperator = walk.map_exprs(operator, lambda e: walk.transform(e, _settled))
    changed = Dataflow({**dataflow.operators, id_: settled}, dataflow.links)
    return operator_kind(changed, id_) is Kind.PURE


def _settled(expr: ex.Expr) -> ex.Expr:
    if isinstance(expr, ex.OpaqueCall) and expr.batched:
        return replace(expr, kind=Kind.PURE, batched=False)
    return expr
