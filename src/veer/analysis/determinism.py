"""Which operators are functions of their inputs, and which make a choice.

A Limit is a function of its input if the order below it decides which rows stay; a window
function if ties cannot show. `unique_columns` supplies the keys this needs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Protocol

from veer.assumptions import KeyAssumption
from veer.errors import UnsupportedError
from veer.functions.registry import (
    AGGREGATE,
    OVER,
    Kind,
    scalar_function,
)
from veer.functions.traits import Adding
from veer.model.dag import Dataflow
from veer.model.expr import (
    AggregateCall,
    And,
    Call,
    Cast,
    Column,
    Compare,
    Exists,
    Expr,
    IsNull,
    Literal,
    OpaqueCall,
    OuterColumn,
    OverCall,
    SortKey,
)
from veer.model.json import is_alike
from veer.model.ops import (
    Aggregate,
    AnyOperator,
    Deduplicate,
    Filter,
    GlobalAggregate,
    Join,
    Lateral,
    Limit,
    Over,
    Project,
    RowUdf,
    Sample,
    Sink,
    Sort,
    Source,
    TableUdf,
    Union,
    Values,
)
from veer.model.schema import Schema
from veer.model.sources import declared_key
from veer.model.types import (
    CastMode,
    DateType,
    IntegerType,
    IntegralType,
    LongType,
    NullType,
    StringType,
    TimestampNtzType,
    TimestampType,
    has_floats,
)
from veer.model.walk import (
    children,
    columns_read,
    exprs_in,
    operator_exprs,
    parts,
    query_of,
    replace_down,
    subqueries,
)


class Signals(Protocol):
    """Operators with what feeds them and what comes out: a dataflow, or one in the making."""

    @property
    def operators(self) -> Mapping[str, AnyOperator]: ...
    @property
    def inputs(self) -> Mapping[str, Sequence[str]]: ...
    @property
    def schemas(self) -> Mapping[str, Schema]: ...


WITH_A_YEAR = re.compile(r"[+-]?\d{4,}(-|$)")
OF_THE_RUN = ("now", "today", "yesterday", "tomorrow", "current_", "epoch")
DEEPEST = 300  # how far below an operator keys and orders are looked for
MOST_KEYS = 16  # how many of a projection are looked at: each column may be kept several times
_WORSE = {Kind.PURE: 0, Kind.RUN_CONSTANT: 1, Kind.CHOICE: 2, Kind.PARTITION: 3}


def worst(*kinds: Kind) -> Kind:
    """The least deterministic of several kinds."""
    return max(kinds, key=_WORSE.__getitem__, default=Kind.PURE)


def expr_kind(expr: Expr) -> Kind:
    """The kind of an expression: the worst of its functions and subqueries."""
    kind = Kind.PURE
    for node in parts(expr):
        if isinstance(node, Call):
            kind = worst(kind, scalar_function(node.function).kind)
        elif isinstance(node, OpaqueCall):
            kind = worst(kind, node.kind)
        elif isinstance(node, Cast) and _may_mean_now(node):
            kind = worst(kind, Kind.RUN_CONSTANT)
        elif isinstance(node, Exists):
            kind = worst(kind, _presence_kind(node.query))
        elif (query := query_of(node)) is not None:
            kind = worst(kind, dataflow_kind(query))
    return kind


def _presence_kind(query: Dataflow) -> Kind:
    """The kind of whether a query has rows: which ones its topmost limits keep does not show.

    How many rows a Limit keeps depends on how many there are alone, and Project and Sort keep all.
    """
    counted: set[str] = set()
    (id_,) = query.sinks
    while isinstance(query.operators[id_], Sink | Project | Sort | Limit):
        counted.add(id_)
        (id_,) = query.inputs[id_]
    kinds = [operator_kind(query, i) for i in query.operators if i not in counted]
    inside = (e for i in counted for e in operator_exprs(query.operators[i]))
    return worst(*kinds, *map(expr_kind, inside))


def _may_mean_now(cast: Cast) -> bool:
    """Whether a constant text is cast to a time of the run: 'now', 'today', or 12:30 of today."""
    if not isinstance(cast.type, DateType | TimestampType | TimestampNtzType):
        return False
    if not isinstance(cast.arg.type, StringType) or next(columns_read(cast.arg), None) is not None:
        return False
    if isinstance(cast.arg, Literal):
        text = str(cast.arg.value).strip().lower()
        is_time = isinstance(cast.type, TimestampType) and (":" in text or text.startswith("t"))
        return text.startswith(OF_THE_RUN) or (is_time and not WITH_A_YEAR.match(text))
    return not any(isinstance(part, OuterColumn) for part in parts(cast.arg))


def may_be_of_today(expr: Expr) -> bool:
    """Whether a text is made a timestamp: a time without a date is one of the day of the run."""
    return (
        isinstance(expr, Cast | OpaqueCall)
        and isinstance(expr.type, TimestampType)
        and any(
            isinstance(a.type, StringType) and not isinstance(a, Literal) for a in children(expr)
        )
    )


def require_plain(cast: Cast) -> Cast:
    """The cast, unless it gives null for some words of which Spark makes dates in constants."""
    if cast.mode is not CastMode.ANSI and _may_mean_now(cast):
        raise UnsupportedError("a constant that may be a word for a date, cast without failing")
    return cast


def require_repeatable(expr: Expr, what: str) -> Expr:
    """The expression, unless evaluating it twice may give two values: then it is refused."""
    if expr_kind(expr) in (Kind.CHOICE, Kind.PARTITION):
        raise UnsupportedError(f"{what} would evaluate a nondeterministic expression twice")
    return expr


def dataflow_kind(dataflow: Dataflow) -> Kind:
    """The worst kind of any operator of a dataflow."""
    return worst(*(operator_kind(dataflow, id_) for id_ in dataflow.operators))


def is_repeatable(call: AggregateCall | OverCall) -> bool:
    """Whether two calls written alike are one: nothing inside them chooses."""
    kinds = {expr_kind(e) for e in exprs_in(call)}
    return kinds <= {Kind.PURE, Kind.RUN_CONSTANT}


def keys_relied_on(dataflow: Dataflow, id_: str) -> list[KeyAssumption]:
    """The declared keys of the sources below, if without them the operator would be a choice.

    Those its subqueries rely on too.
    """
    operator = dataflow.operators[id_]
    if not isinstance(operator, Limit | Deduplicate | Over):
        return [
            found
            for query in subqueries(operator)
            for inner in query.order
            for found in keys_relied_on(query, inner)
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
    kind = worst(*(expr_kind(e) for e in operator_exprs(operator)))
    match operator:
        case Limit(0):
            pass
        case Limit(count, offset):
            below = dataflow.inputs[id_][0]
            rows = most_rows(dataflow, below)
            takes_all = rows <= 1 or (offset == 0 and count is not None and rows <= count)
            if not takes_all and not _order_decides(dataflow, below):
                kind = worst(kind, Kind.CHOICE)
        case Sample():
            kind = worst(kind, Kind.CHOICE)
        case Deduplicate(keys):
            names = {(c.name, c.occurrence) for c in keys}
            if not has_key(dataflow, dataflow.inputs[id_][0], names):
                kind = worst(kind, Kind.CHOICE)
        case Aggregate(calls=calls) | GlobalAggregate(calls):
            kind = worst(kind, *(call_kind(named.call) for named in calls))
        case Over(calls):
            source = dataflow.inputs[id_][0]
            kind = worst(kind, *(_over_kind(dataflow, source, n.call) for n in calls))
        case TableUdf(scope="batch"):
            kind = Kind.PARTITION
        case TableUdf(deterministic=False):
            kind = worst(kind, Kind.CHOICE)
        case Lateral(query):
            kind = worst(kind, dataflow_kind(query))
        case _:
            pass
    return kind


def call_kind(call: AggregateCall) -> Kind:
    """The kind of an aggregate call; float sums depend on the order of addition."""
    function = AGGREGATE[call.function]
    if function.kind == Kind.PURE and not function.ignores_duplicates:
        return Kind.CHOICE if _adds_floats(call) else Kind.PURE
    if function.ignores_duplicates and function.kind == Kind.PURE:
        # MIN and MAX choose between 0.0 and -0.0.
        return Kind.CHOICE if any(has_floats(a.type) for a in call.args) else Kind.PURE
    return function.kind


def _adds_floats(call: AggregateCall | OverCall) -> bool:
    """Whether the order of rows shows: in rounding, or in which of 0.0 and -0.0 is the median."""
    adding = AGGREGATE[call.function].adding
    if adding is Adding.MIDDLE and all(
        isinstance(a, Cast) and not has_floats(a.arg.type) for a in call.args
    ):
        return False
    if any(isinstance(a, Cast) and isinstance(a.arg.type, NullType) for a in call.args):
        return False  # of nulls alone
    if adds_in_double(call):
        return True
    return adding is not Adding.NOTHING and any(has_floats(a.type) for a in call.args)


def adds_in_double(call: AggregateCall | OverCall) -> bool:
    """Whether Spark adds whole numbers as doubles, which rounds beyond 53 bits.

    Numbers of 16 bits would need more rows than any table has.
    """
    wide = (IntegerType, LongType)
    function = AGGREGATE.get(call.function)
    adds = function is not None and function.adding is Adding.DOUBLES
    return adds and any(isinstance(a.type, wide) for a in call.args)


def _over_kind(dataflow: Dataflow, source: str, call: OverCall) -> Kind:
    ranked = OVER.get(call.function)
    whole = call.frame.start is None and call.frame.end is None
    if ranked is not None:
        tie_free = ranked.kind == Kind.PURE
    else:
        aggregate = AGGREGATE[call.function]
        # A RANGE frame takes peers together; a ROWS frame cuts between them.
        frame_is_function = call.frame.unit == "range" or whole
        tie_free = aggregate.ignores_order and aggregate.kind == Kind.PURE and frame_is_function
        if _adds_floats(call) or any(has_floats(a.type) for a in call.args):
            return Kind.CHOICE
    if tie_free:
        return Kind.PURE
    names = _told_by((*call.partition, *(k.expr for k in call.order)))
    return Kind.PURE if has_key(dataflow, source, names) else Kind.CHOICE


def _told_by(exprs: Iterable[Expr]) -> set[tuple[str, int]]:
    """Columns on which rows agree that agree on some expressions."""
    bare = map(_bare, exprs)
    return {(e.name, e.occurrence) for e in bare if isinstance(e, Column)}


def _bare(expr: Expr) -> Expr:
    """The integer an expression is a one-to-one function of: itself, or x of c * x + d.

    Overflow fails the run, so that no two values are taken for one.
    """
    while isinstance(expr.type, IntegralType):
        match expr:
            case Call("negative" | "positive", (arg,)):
                expr = arg
            case Call("+" | "-", (arg, Literal(value=int()))):
                expr = arg
            case Call("+" | "-", (Literal(value=int()), arg)):
                expr = arg
            case Call("*", (arg, Literal(value=int() as factor))) if factor != 0:
                expr = arg
            case Call("*", (Literal(value=int() as factor), arg)) if factor != 0:
                expr = arg
            case Cast(arg, mode=CastMode.ANSI) if isinstance(arg.type, IntegralType):
                expr = arg
            case _:
                break
    return expr


def most_rows(dataflow: Dataflow, id_: str, depth: int = 0) -> float:
    """How many rows an operator gives at most; infinity if nothing says."""
    known: dict[str, float] = dataflow.cached("most rows", dict)
    if id_ not in known:
        if depth > DEEPEST:
            return math.inf
        known[id_] = _most_rows(dataflow, id_, depth)
    return known[id_]


def _most_rows(dataflow: Dataflow, id_: str, depth: int) -> float:
    below = dataflow.inputs[id_]
    rows = [most_rows(dataflow, i, depth + 1) for i in below]
    match dataflow.operators[id_]:
        case Values(_, values):
            return len(values)
        case GlobalAggregate():
            return 1
        case Filter(predicate) if has_key(dataflow, below[0], set(_fixed_by(predicate))):
            return min(1, rows[0])
        case Limit(int() as count):
            return min(count, rows[0])
        case Filter() | Limit() | Project() | Sort() | Over() | RowUdf():
            return rows[0]
        case Aggregate() | Deduplicate() | Sink() | Join(kind="semi" | "anti"):
            return rows[0]
        case Union():
            return sum(rows)
        case Join(kind="inner" | "cross"):
            return 0 if 0 in rows else rows[0] * rows[1]
        case _:
            return math.inf


def _order_decides(dataflow: Dataflow, id_: str) -> bool:
    """Whether the rows arrive in an order without ties between different rows."""
    operator = dataflow.operators[id_]
    fixed: frozenset[tuple[str, int]] = frozenset()  # by conditions above the sort
    for _ in range(DEEPEST):
        if not isinstance(operator, Filter | Limit):
            break
        fixed |= _fixed_by(operator.predicate) if isinstance(operator, Filter) else frozenset()
        id_ = dataflow.inputs[id_][0]
        operator = dataflow.operators[id_]
    if isinstance(operator, Project):
        if all(_is_sorted_by(named.expr, ()) for named in operator.columns):
            return True  # all rows are alike
        below = dataflow.inputs[id_][0]
        sort = dataflow.operators[below]
        return isinstance(sort, Sort) and (
            all(_is_sorted_by(named.expr, sort.keys) for named in operator.columns)
            or _order_decides(dataflow, below)
        )
    if not isinstance(operator, Sort):
        return False
    names = _told_by(k.expr for k in operator.keys)
    if any(has_floats(k.expr.type) for k in operator.keys):
        return has_key(dataflow, dataflow.inputs[id_][0], names | fixed)
    every = dataflow.schemas[id_]
    all_sorted = len(names) == len(every) and len(names) == len(operator.keys)
    return all_sorted or has_key(dataflow, dataflow.inputs[id_][0], names | fixed)


def _is_sorted_by(expr: Expr, keys: Sequence[SortKey]) -> bool:
    """Whether rows that tie under some keys agree on an expression."""
    known = [k.expr for k in keys if not has_floats(k.expr.type)]

    def fixed(part: Expr) -> Expr | None:
        return Literal(None, part.type) if any(is_alike(part, k) for k in known) else None

    rest = replace_down(expr, fixed)
    return expr_kind(expr) is Kind.PURE and next(columns_read(rest), None) is None


def _joined_keys(
    dataflow: Signals, id_: str, condition: Expr, depth: int
) -> list[frozenset[tuple[str, int]]]:
    """Keys of one side are keys still if each of its rows meets at most one of the other side."""
    left, right = dataflow.inputs[id_]
    schemas = dataflow.schemas[left], dataflow.schemas[right]
    both, width = schemas[0] + schemas[1], len(schemas[0])
    met: tuple[set[tuple[str, int]], set[tuple[str, int]]] = (set(), set())
    for part in condition.args if isinstance(condition, And) else (condition,):
        match part:
            case Compare("=" | "<=>", Column() as one, Column() as two):
                places = sorted(both.place(c.name, c.occurrence) for c in (one, two))
                if places[0] < width <= places[1] and not has_floats(one.type):
                    met[0].add(_named(schemas[0], places[0]))
                    met[1].add(_named(schemas[1], places[1] - width))
    ours = unique_columns(dataflow, left, depth + 1)
    theirs = unique_columns(dataflow, right, depth + 1)
    found = list(ours) if any(key <= met[1] for key in theirs) else []
    operator = dataflow.operators[id_]
    if isinstance(operator, Join) and operator.kind == "inner" and any(k <= met[0] for k in ours):
        moved = {_named(schemas[1], i): _named(both, width + i) for i in range(len(schemas[1]))}
        found += [frozenset(moved[c] for c in key) for key in theirs]
    return found


def _named(schema: Schema, place: int) -> tuple[str, int]:
    return schema.fields[place].name, schema.occurrence(place)


def fixed_columns(dataflow: Signals, id_: str, depth: int = 0) -> frozenset[tuple[str, int]]:
    """Columns of a signal that have the same value in all its rows."""
    operator, below = dataflow.operators[id_], dataflow.inputs[id_]
    if depth > DEEPEST:
        return frozenset()
    match operator:
        case Filter(predicate):
            return _fixed_by(predicate) | fixed_columns(dataflow, below[0], depth + 1)
        case Sort() | Limit() | Over() | Deduplicate() | RowUdf():
            return fixed_columns(dataflow, below[0], depth + 1)
        case Join(kind="inner" | "left" | "semi" | "anti"):
            # Columns of the left input come first: they keep their names and occurrences.
            return fixed_columns(dataflow, below[0], depth + 1)
        case Project(made) | Aggregate(made):
            fixed, schema = fixed_columns(dataflow, below[0], depth + 1), dataflow.schemas[id_]
            return frozenset(
                (named.name, schema.occurrence(i))
                for i, named in enumerate(made)
                if isinstance(named.expr, Literal)
                or (
                    isinstance(named.expr, Column)
                    and (named.expr.name, named.expr.occurrence) in fixed
                )
            )
        case _:
            return frozenset()


def _fixed_by(predicate: Expr) -> frozenset[tuple[str, int]]:
    """Columns that have the same value in every row a condition lets pass."""
    found = set()
    for part in predicate.args if isinstance(predicate, And) else (predicate,):
        match part:
            case Compare("=" | "<=>", Column() as column, Literal()):
                found.add(column)
            case Compare("=" | "<=>", Literal(), Column() as column):
                found.add(column)
            case IsNull(Column() as column):
                found.add(column)
    return frozenset((c.name, c.occurrence) for c in found if not has_floats(c.type))


def has_key(dataflow: Signals, id_: str, names: set[tuple[str, int]]) -> bool:
    """Whether no two rows of the signal agree on these columns."""
    fixed = fixed_columns(dataflow, id_)
    return any(key - fixed <= names for key in unique_columns(dataflow, id_))


def unique_columns(dataflow: Signals, id_: str, depth: int = 0) -> list[frozenset[tuple[str, int]]]:
    """Column sets on which no two rows of a signal agree (null counted as equal to null)."""
    operator = dataflow.operators[id_]
    below = dataflow.inputs[id_]
    if depth > DEEPEST:
        return []
    match operator:
        case Source(keys=keys):
            return [frozenset((name, 0) for name in key) for key in keys]
        case Filter() | Sort() | Limit() | Over():
            return unique_columns(dataflow, below[0], depth + 1)
        case Join(kind="semi" | "anti"):
            return unique_columns(dataflow, below[0], depth + 1)
        case Join(kind="inner" | "left", condition=condition) if condition is not None:
            return _joined_keys(dataflow, id_, condition, depth)
        case Deduplicate(keys):
            here = frozenset((c.name, c.occurrence) for c in keys)
            return [here, *unique_columns(dataflow, below[0], depth + 1)]
        case GlobalAggregate():
            return [frozenset()]
        case Aggregate(keys):
            schema = dataflow.schemas[id_]
            return [frozenset((k.name, schema.occurrence(i)) for i, k in enumerate(keys))]
        case Project(columns):
            schema = dataflow.schemas[id_]
            kept: dict[tuple[str, int], list[tuple[str, int]]] = {}
            for index, named in enumerate(columns):
                for place in _told_by((named.expr,)):
                    kept.setdefault(place, []).append((named.name, schema.occurrence(index)))
            return [
                frozenset(chosen)
                for key in unique_columns(dataflow, below[0], depth + 1)
                for chosen in islice(product(*(kept.get(c, ()) for c in sorted(key))), MOST_KEYS)
            ][:MOST_KEYS]
        case _:
            return []
