"""Random edits of random queries: some keep the meaning, some are likely to change it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.generators.dataflows import Queries
from tests.generators.tables import query_tables
from veer.errors import VeerError
from veer.facts.determinism import expr_kind, operator_kind
from veer.facts.needs import ORDERED, SET, Need, needs
from veer.functions.registry import Kind
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import And, Column, Compare, Expr, IsNull, Literal, Named, Not, Or, SortKey
from veer.ir.ops import (
    Aggregate,
    AnyOperator,
    Filter,
    Join,
    JoinKind,
    Limit,
    Project,
    RowUdf,
    Sort,
    Union,
)
from veer.ir.types import BOOLEAN, IntegralType, has_floats, is_orderable
from veer.ir.walk import columns_read, map_exprs, operator_exprs, parts, transform
from veer.read.sql import read_sql
from veer.verdict import TableSemantics


def random_query(rng: Random) -> Dataflow | None:
    """A random query, None where it is outside what is read."""
    tables = {t.name: t.source for t in query_tables(rng)}
    try:
        return read_sql(Queries(rng).query(), tables)
    except VeerError:
        return None


def inserted(dataflow: Dataflow, link: Link, operator: AnyOperator) -> Dataflow:
    """The dataflow with an operator put on a link."""
    new = f"new_{len(dataflow.operators)}"
    links = [x for x in dataflow.links if x != link]
    links += [Link(link.src, new), Link(new, link.dst, link.port)]
    return Dataflow({**dataflow.operators, new: operator}, links)


def edited(rng: Random, dataflow: Dataflow, edits: int) -> tuple[Dataflow, list[str]] | None:
    """The dataflow under some edits that keep its meaning, with their names; None if none fits."""
    names = []
    for edit in rng.choices(KEEPING, k=edits):
        changed = edit(rng, dataflow)
        if changed is not None:
            dataflow = changed
            names.append(edit.__name__)
    return (dataflow, names) if names else None


# -- edits that keep the meaning -----------------------------------------------------------------


def add_true_filter(rng: Random, dataflow: Dataflow) -> Dataflow:
    return inserted(dataflow, rng.choice(dataflow.links), Filter(Literal(True, BOOLEAN)))


def add_identity(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    link = rng.choice(dataflow.links)
    schema = dataflow.schemas[link.src]
    if not len(schema):
        return None
    columns = tuple(
        Named(f.name, Column(f.name, f.type, schema.occurrence(i))) for i, f in enumerate(schema)
    )
    return inserted(dataflow, link, Project(columns))


def negate_twice(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    filters = [i for i, op in dataflow.operators.items() if isinstance(op, Filter)]
    if not filters:
        return None
    chosen = rng.choice(sorted(filters))
    operator = dataflow.operators[chosen]
    assert isinstance(operator, Filter)
    changed = Filter(Not(Not(operator.predicate)))
    return Dataflow({**dataflow.operators, chosen: changed}, dataflow.links)


def reverse_conjuncts(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    def turned(expr: Expr) -> Expr:
        return And(expr.args[::-1]) if isinstance(expr, And) else expr

    operators = {
        i: map_exprs(op, lambda e: transform(e, turned)) for i, op in dataflow.operators.items()
    }
    return Dataflow(operators, dataflow.links)


def swap_union(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    unions = [i for i, op in dataflow.operators.items() if isinstance(op, Union)]
    if not unions:
        return None
    chosen = rng.choice(sorted(unions))
    last = len(dataflow.inputs[chosen]) - 1
    links = [replace(x, port=last - x.port) if x.dst == chosen else x for x in dataflow.links]
    try:
        return Dataflow(dataflow.operators, links)
    except VeerError:
        return None  # other column names


def split_filter(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """A conjunction becomes two filters."""
    found = [
        i
        for i, op in sorted(dataflow.operators.items())
        if isinstance(op, Filter) and isinstance(op.predicate, And)
    ]
    if not found:
        return None
    chosen = rng.choice(found)
    operator = dataflow.operators[chosen]
    assert isinstance(operator, Filter) and isinstance(operator.predicate, And)
    first, *rest = operator.predicate.args
    changed = Dataflow({**dataflow.operators, chosen: Filter(first)}, dataflow.links)
    other = rest[0] if len(rest) == 1 else And(tuple(rest))
    return _put_above(changed, chosen, Filter(other))


def swap_filters(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """Two filters one above the other change places."""
    found = [
        (x.src, x.dst)
        for x in dataflow.links
        if isinstance(dataflow.operators[x.src], Filter)
        and isinstance(dataflow.operators[x.dst], Filter)
        and len(dataflow.outputs[x.src]) == 1
    ]
    if not found:
        return None
    low, high = rng.choice(found)
    operators = dict(dataflow.operators)
    operators[low], operators[high] = operators[high], operators[low]
    return Dataflow(operators, dataflow.links)


def repeat_filter(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """What a filter asks is asked again further up, perhaps less strictly."""
    found = [i for i, op in sorted(dataflow.operators.items()) if isinstance(op, Filter)]
    if not found:
        return None
    chosen = rng.choice(found)
    operator = dataflow.operators[chosen]
    assert isinstance(operator, Filter)
    predicate = operator.predicate
    if isinstance(predicate, Compare) and rng.random() < 0.5:
        predicate = Or((predicate, IsNull(predicate.left)))
    above = chosen
    while len(dataflow.outputs[above]) == 1 and rng.random() < 0.6:
        consumer = dataflow.outputs[above][0].dst
        if not isinstance(dataflow.operators[consumer], Filter | Sort):
            break
        above = consumer
    return _put_above(dataflow, above, Filter(predicate))


def add_unread_column(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """A computed column that whatever stands above drops without reading it."""
    needed = _needed(dataflow)
    links = [
        x for x in dataflow.links if isinstance(dataflow.operators[x.dst], Project | Aggregate)
    ]
    if not links:
        return None
    link = rng.choice(links)
    schema = dataflow.schemas[link.src]
    if len(set(schema.names)) < len(schema) or not len(schema) or link.src not in needed:
        return None
    columns = [Named(f.name, Column(f.name, f.type)) for f in schema]
    field = rng.choice(list(schema))
    columns.append(Named("unread", IsNull(Column(field.name, field.type))))
    return inserted(dataflow, link, Project(tuple(columns)))


def change_what_nobody_reads(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """A column that is not needed above becomes null."""
    needed = _needed(dataflow)
    places = [
        (i, n)
        for i, op in sorted(dataflow.operators.items())
        if isinstance(op, Project) and i in needed
        for n in range(len(op.columns))
        if n not in needed[i].columns
    ]
    if not places:
        return None
    chosen, place = rng.choice(places)
    operator = dataflow.operators[chosen]
    assert isinstance(operator, Project)
    columns = list(operator.columns)
    columns[place] = Named(columns[place].name, Literal(None, columns[place].expr.type))
    return Dataflow({**dataflow.operators, chosen: Project(tuple(columns))}, dataflow.links)


def sort_where_no_order_counts(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    needed = _needed(dataflow)
    links = [
        x for x in dataflow.links if x.src in needed and needed[x.src].semantics is not ORDERED
    ]
    if not links:
        return None
    link = rng.choice(links)
    schema = dataflow.schemas[link.src]
    keys = [f for f in schema if is_orderable(f.type)]
    if len(set(schema.names)) < len(schema) or not keys:
        return None
    key = rng.choice(keys)
    return inserted(dataflow, link, Sort((SortKey(Column(key.name, key.type)),)))


def distinct_where_duplicates_do_not_count(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    needed = _needed(dataflow)
    links = [x for x in dataflow.links if x.src in needed and needed[x.src].semantics is SET]
    if not links:
        return None
    link = rng.choice(links)
    schema = dataflow.schemas[link.src]
    if len(set(schema.names)) < len(schema) or not len(schema):
        return None
    if any(not is_orderable(f.type) or has_floats(f.type) for f in schema):
        return None
    keys = tuple(Named(f.name, Column(f.name, f.type)) for f in schema)
    return inserted(dataflow, link, Aggregate(keys))


def move_filter_down(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """A filter goes below what it can pass, several operators perhaps."""
    moved = None
    found = [i for i, op in sorted(dataflow.operators.items()) if isinstance(op, Filter)]
    if not found:
        return None
    chosen = rng.choice(found)
    for _ in range(rng.randint(1, 6)):
        lower = _below_next(dataflow, chosen)
        if lower is None:
            break
        moved = dataflow = lower
    return moved


def _below_next(dataflow: Dataflow, id_: str) -> Dataflow | None:
    """A filter below the operator that feeds it."""
    operator = dataflow.operators[id_]
    (below,) = dataflow.inputs[id_]
    passed = dataflow.operators[below]
    if not isinstance(operator, Filter) or len(dataflow.outputs[below]) > 1:
        return None
    if expr_kind(operator.predicate) is not Kind.PURE:
        return None
    read = {(c.name, c.occurrence) for c in columns_read(operator.predicate)}
    ports = dataflow.inputs[below]
    for port, source in enumerate(ports):
        schema = dataflow.schemas[source]
        if any(schema.find(*column) is None for column in read):
            continue
        others = [dataflow.schemas[s] for i, s in enumerate(ports) if i != port]
        if any(other.find(name) is not None for other in others for name, _ in read):
            continue
        if not _lets_pass(passed, port, read):
            continue
        links = [
            x
            for x in dataflow.links
            if x.src != id_ and x.dst != id_ and not (x.dst == below and x.port == port)
        ]
        links += [replace(x, src=below) for x in dataflow.links if x.src == id_]
        links += [Link(source, id_), Link(id_, below, port)]
        try:
            return Dataflow(dataflow.operators, links)
        except VeerError:
            continue
    return None


def _lets_pass(operator: AnyOperator, port: int, read: set[tuple[str, int]]) -> bool:
    """Whether a condition on columns of an input may be asked below an operator instead of above."""
    match operator:
        case Project(columns):
            plain = {(n.name, 0) for n in columns if n.expr == Column(n.name, n.expr.type)}
            once = len({n.name for n in columns}) == len(columns)
            return once and read <= plain
        case RowUdf(adds=adds):
            return not {f.name for f in adds} & {name for name, _ in read}
        case Join(kind=JoinKind.INNER | JoinKind.CROSS):
            return True
        case Join(kind=JoinKind.LEFT | JoinKind.SEMI | JoinKind.ANTI):
            return port == 0
        case Aggregate(keys):
            floats = any(has_floats(k.expr.type) for k in keys)
            return not floats and read <= {
                (k.name, 0) for k in keys if k.expr == Column(k.name, k.expr.type)
            }
        case Filter(predicate):
            return expr_kind(predicate) is Kind.PURE
        case Sort():
            return True
        case _:
            return False


def copy_shared(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """What several operators share is computed once more for one of them."""
    shared = [
        i
        for i in dataflow.order
        if len(dataflow.outputs[i]) > 1
        and all(
            operator_kind(dataflow, a) in (Kind.PURE, Kind.RUN_CONSTANT)
            for a in dataflow.ancestors(i)
        )
    ]
    if not shared:
        return None
    chosen = rng.choice(shared)
    names = {i: f"{i}_again_{len(dataflow.operators)}" for i in sorted(dataflow.ancestors(chosen))}
    link = rng.choice(dataflow.outputs[chosen])
    links = [x for x in dataflow.links if x != link]
    links += [Link(names[x.src], names[x.dst], x.port) for x in dataflow.links if x.dst in names]
    links.append(replace(link, src=names[chosen]))
    copies = {names[i]: dataflow.operators[i] for i in names}
    return Dataflow({**dataflow.operators, **copies}, links)


def _needed(dataflow: Dataflow) -> dict[str, Need]:
    (sink,) = dataflow.sinks
    every = frozenset(range(len(dataflow.schemas[sink])))
    return needs(dataflow, {sink: Need(TableSemantics.BAG, every)})


def _put_above(dataflow: Dataflow, id_: str, operator: AnyOperator) -> Dataflow | None:
    """A new operator between a signal and everything it feeds."""
    new = f"new_{len(dataflow.operators)}"
    links = [replace(x, src=new) if x.src == id_ else x for x in dataflow.links]
    try:
        return Dataflow({**dataflow.operators, new: operator}, [*links, Link(id_, new)])
    except VeerError:
        return None


KEEPING: list[Callable[[Random, Dataflow], Dataflow | None]] = [
    add_true_filter,
    add_identity,
    negate_twice,
    reverse_conjuncts,
    swap_union,
    split_filter,
    swap_filters,
    repeat_filter,
    add_unread_column,
    change_what_nobody_reads,
    sort_where_no_order_counts,
    distinct_where_duplicates_do_not_count,
    move_filter_down,
    copy_shared,
]


# -- edits that break it -------------------------------------------------------------------------


def change_a_constant(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """One integer constant of a comparison becomes another."""
    places = [
        (i, part)
        for i in sorted(dataflow.operators)
        for expr in operator_exprs(dataflow.operators[i])
        for part in parts(expr)
        if isinstance(part, Compare) and isinstance(part.right, Literal)
    ]
    places = [(i, c) for i, c in places if isinstance(c.right.type, IntegralType)]
    if not places:
        return None
    chosen, old = rng.choice(places)
    assert isinstance(old.right, Literal)
    if old.right.value is None or old.right.value > 1000:
        return None
    new = replace(old, right=Literal(old.right.value + 7, old.right.type))
    operator = map_exprs(
        dataflow.operators[chosen], lambda e: transform(e, lambda x: new if x == old else x)
    )
    return Dataflow({**dataflow.operators, chosen: operator}, dataflow.links)


def drop_an_operator(rng: Random, dataflow: Dataflow) -> Dataflow | None:
    """A filter, sort, limit or distinct is gone."""
    gone = [
        i
        for i, op in sorted(dataflow.operators.items())
        if isinstance(op, Filter | Limit | Sort) or (isinstance(op, Aggregate) and not op.calls)
    ]
    if not gone:
        return None
    chosen = rng.choice(gone)
    (below,) = dataflow.inputs[chosen]
    links = [x for x in dataflow.links if x.dst != chosen]
    links = [replace(x, src=below) if x.src == chosen else x for x in links]
    try:
        return Dataflow({i: op for i, op in dataflow.operators.items() if i != chosen}, links)
    except VeerError:
        return None


BREAKING = [change_a_constant, drop_an_operator]
