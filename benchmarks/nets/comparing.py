"""Whether what a rewrite gives means what it was given, to the interpreter on adversarial tables.

Tables have nulls, duplicates, no rows, constants of the query and their neighbours, extremes, NaN
and -0.0. What fails before a rewrite says nothing of it. Where operators choose, each of the two
must be able to give what the other can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from benchmarks.nets.observing import TRUE_ALIKE, Passed, Seen, Spelled, Stepped, Written
from tests.generators.values import random_value
from veer.errors import VeerError
from veer.facts.determinism import dataflow_kind, expr_kind
from veer.facts.signed_zeros import has_negative_zeros
from veer.functions.ordering import exact_key
from veer.functions.registry import Failure, Kind
from veer.interpreter import Program, Run
from veer.interpreter.compare import row_key
from veer.interpreter.expressions import Row, compile_expr
from veer.ir.dag import Dataflow, Link
from veer.ir.expr import Column, Expr, Literal, Named, OpaqueCall, OuterColumn
from veer.ir.ops import Project, Sink
from veer.ir.pprint import show_dataflow, show_expr
from veer.ir.schema import Field, Schema
from veer.ir.sources import tables_read
from veer.ir.types import DataType
from veer.ir.walk import outer_columns, parts, query_of, replace_down
from veer.refute import Refutation
from veer.refute.instances import Instances, Tables, constraints_hold, lawful_rows
from veer.refute.pools import pool
from veer.refute.search import rounded
from veer.rewrite.rewriting import ROW_MARK, Rewriting
from veer.verdict import TableSemantics

FEW = 3  # rows of a table where operators choose
ROWS = 14  # on which two expressions are compared
NOT_RUN = (Failure, VeerError, RecursionError, OverflowError)


def difference(seen: Seen, tables: int, seed: int) -> str:
    """What a rewrite changed, in words; nothing if the interpreter sees no difference."""
    match seen:
        case Passed():
            return _pass_difference(seen, tables, seed)
        case Written():
            return _rule_difference(seen, tables, seed)
        case Spelled():
            return _spelling_difference(seen, seed)
        case Stepped():
            return ""  # the rule is compared


def adversarial(dataflow: Dataflow, count: int, seed: int) -> Iterator[Tables]:
    """Tables that keep what is declared: those of the refuter, and ones of extremes."""
    stream = Instances((dataflow,), seed)
    if stream.conflict:
        return
    few = FEW if dataflow_kind(dataflow) is Kind.CHOICE else 99
    for number in range(count):
        yield {name: rows[:few] for name, rows in stream.make(number).items()}
        rng = Random(f"{seed} {number}")
        odd = {}
        for name, source in tables_read([dataflow]).items():
            nulls = rng.choice((0.0, 0.2, 0.9))
            try:
                rows = [
                    tuple(
                        random_value(rng, f.type, nulls if f.nullable else 0.0)
                        for f in source.fields
                    )
                    for _ in range(rng.choice((0, 1, 2, 4)))
                ]
            except NotImplementedError:
                break
            odd[name] = lawful_rows(source, (rows + rows[:1])[:few])
        else:
            if constraints_hold(tables_read([dataflow]), odd):
                yield odd


# -- passes ----------------------------------------------------------------------------------------


def _pass_difference(seen: Passed, tables: int, seed: int) -> str:
    before, after = seen.before, seen.after
    if before == after or any(outer_columns(before)):
        return ""  # the query around is compared with the one around
    if set(before.sinks) != set(after.sinks):
        return f"{seen.name}: other results"
    for sink in before.sinks:
        ours, theirs = before.schemas[sink].types, after.schemas[sink].types
        if not seen.counted and ours != theirs:
            return f"{seen.name}: other types"
        columns = () if seen.counted else tuple((i, i) for i in range(len(ours)))
        semantics = TableSemantics.BAG if seen.counted else TableSemantics.ORDERED_BAG
        refutation = Refutation.of(before, after, sink, sink, columns, semantics)
        for given in adversarial(before, tables, seed):
            if _contradict(refutation, given):
                return _told(seen.name, before, after, given)
    return ""


def _contradict(refutation: Refutation, tables: Tables) -> bool:
    try:
        return refutation.contradict(tables) and not (
            refutation._shows_zero_signs and has_negative_zeros(tables)
        )
    except NOT_RUN:
        return False


def _told(name: str, before: Dataflow, after: Dataflow, tables: Mapping[str, Any]) -> str:
    return f"{name}: on {dict(tables)}\n{show_dataflow(before)}\n=>\n{show_dataflow(after)}"


# -- rules -----------------------------------------------------------------------------------------


def _rule_difference(seen: Written, tables: int, seed: int) -> str:
    """The first operator whose view does not give what the operator gave, in the columns wanted."""
    rewriting, old = seen.rewriting, seen.rewriting.old
    if any(outer_columns(old)) or dataflow_kind(old) is not Kind.PURE:
        return ""
    viewed = _views(rewriting)
    ours, theirs = Program(old, every_signal=True), Program(viewed, every_signal=True)
    for given in adversarial(old, tables, seed):
        try:
            before = ours.evaluate((Run(given),))
            after = theirs.evaluate((Run(given),))
        except NOT_RUN:
            continue
        for id_ in old.order:
            if f"view {id_}" not in after:
                continue
            places = sorted(rewriting.needed[id_])
            types = [old.schemas[id_].types[i] for i in places]
            rows = [tuple(row[i] for i in places) for row in before[id_].rows]
            other = [row[: len(places)] for row in after[f"view {id_}"].rows]
            if _bag(rows, types) != _bag(other, types):
                return _told(f"{seen.rules.get(id_)} at {id_}", old, viewed, given)
    return ""


def _views(rewriting: Rewriting) -> Dataflow:
    """What is placed, and every signal of the old dataflow as it is seen there."""
    operators = dict(rewriting.operators)
    links = [
        Link(b, i, port) for i, below in rewriting.inputs.items() for port, b in enumerate(below)
    ]
    for id_, view in rewriting.views.items():
        if isinstance(rewriting.old.operators[id_], Sink):
            continue
        columns = tuple(Named(f"c{i}", view.columns[i]) for i in sorted(rewriting.needed[id_]))
        operators[f"view {id_}"] = Project(columns or (ROW_MARK,))
        operators[f"shown {id_}"] = Sink(f"shown {id_}")
        links += [Link(view.base, f"view {id_}"), Link(f"view {id_}", f"shown {id_}")]
    read = {link.src for link in links}
    for id_ in set(operators) - read:
        if not isinstance(operators[id_], Sink):
            operators[f"end {id_}"] = Sink(f"end {id_}")
            links.append(Link(id_, f"end {id_}"))
    return Dataflow(operators, links)


def _bag(rows: Sequence[Row], types: Sequence[DataType]) -> Counter[Any]:
    """The rows, floats up to rounding and the sign of zero."""
    key = row_key(types)
    return Counter(key(tuple(map(rounded, row))) for row in rows)


# -- expressions -----------------------------------------------------------------------------------


def _spelling_difference(seen: Spelled, seed: int) -> str:
    before, after = seen.before, seen.after
    if seen.name != TRUE_ALIKE and before.type != after.type:
        return (
            f"{seen.name}: {show_expr(before)} is {before.type}, {show_expr(after)} is {after.type}"
        )
    if any(query_of(part) is not None for e in (before, after) for part in parts(e)):
        return ""
    if expr_kind(before) in (Kind.CHOICE, Kind.PARTITION):
        return ""
    one, two, schema = _closed(before, after)
    key = exact_key(before.type)
    rng = Random(f"{seed} {show_expr(before)}")
    known = [part.value for part in parts(before) if isinstance(part, Literal)]
    known = [value for value in known if value is not None]
    env = (Run({}),)
    try:
        ours, theirs = compile_expr(one, (schema,)), compile_expr(two, (schema,))
        tried = {f.type: pool(f.type, known) for f in schema.fields}
        rows = [
            tuple(_value(rng, f.type, tried[f.type]) for f in schema.fields) for _ in range(ROWS)
        ]
    except (*NOT_RUN, NotImplementedError):
        return ""
    for row in rows:
        try:
            was = ours(row, env)
            new = theirs(row, env)
        except NOT_RUN:
            continue
        same = (was is True) == (new is True) if seen.name == TRUE_ALIKE else key(was) == key(new)
        if not same:
            return (
                f"{seen.name}: {show_expr(before)} => {show_expr(after)} on {row}: {was!r}, {new!r}"
            )
    return ""


def _value(rng: Random, type_: Any, tried: list[Any]) -> Any:
    if rng.random() < 0.2:
        return None
    return rng.choice(tried) if tried and rng.random() < 0.7 else random_value(rng, type_, 0.1)


def _closed(*exprs: Expr) -> tuple[Any, ...]:
    """Expressions over columns of one table, which stand for whatever they read."""
    found: dict[Expr, Column] = {}

    def column(expr: Expr) -> Expr | None:
        is_free = isinstance(expr, OpaqueCall) and expr.identity.startswith("lambda ")
        if not isinstance(expr, Column | OuterColumn) and not is_free:
            return None
        return found.setdefault(expr, Column(f"c{len(found)}", expr.type))

    closed = [replace_down(e, column) for e in exprs]
    fields = tuple(Field(c.name, c.type) for c in found.values())
    return (*closed, Schema(fields))
