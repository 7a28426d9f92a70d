"""A test of one bit of `bit_or` or `bit_and` is made before the aggregate.

    Project((m & 4) = 0) <- Aggregate(a; bit_or(x) AS m) <- t
        =>   Project(NOT b) <- Aggregate(a; bool_or((x & 4) <> 0) AS b) <- t

Sound because a bit of `bit_or` is set where some number has it, one of `bit_and` where all have it;
both skip nulls, and so do the truth values, which are null where their number is.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.types import BOOLEAN
from veer.ir.walk import exprs_in, map_exprs, parts, replace_down
from veer.rewrite.builder import with_operators
from veer.rewrite.columns import column_at

SEEN_AS = {"bit_or": "bool_or", "bit_and": "bool_and"}


def bits_to_flags(dataflow: Dataflow) -> Dataflow:
    """The dataflow with truth values in place of bits that projections test."""
    changed: dict[str, ops.AnyOperator] = {}
    for id_, operator in dataflow.operators.items():
        if isinstance(operator, ops.Aggregate | ops.GlobalAggregate):
            changed |= _with_flags(dataflow, id_, operator)
    return with_operators(dataflow, {**dataflow.operators, **changed})


def _with_flags(
    dataflow: Dataflow, id_: str, operator: ops.Aggregate | ops.GlobalAggregate
) -> dict[str, ops.AnyOperator]:
    """An aggregate with truth values added to its numbers, and its readers; nothing if there is none."""
    readers = {link.dst: dataflow.operators[link.dst] for link in dataflow.outputs[id_]}
    if not all(isinstance(reader, ops.Project) for reader in readers.values()):
        return {}
    schema = dataflow.schemas[id_]
    first = len(schema) - len(operator.calls)
    flags: dict[tuple[int, int], ops.NamedCall] = {}
    numbers: dict[ex.Column, tuple[int, ex.AggregateCall]] = {}
    for i, named in enumerate(operator.calls):
        if named.call.function in SEEN_AS and named.call.where is None:
            numbers[column_at(schema, first + i)] = (i, named.call)
    for column, bit in _bits_tested(readers.values(), numbers):
        i, call = numbers[column]
        name = f"_bit{i}_{bit}"
        if schema.find(name) is None:
            flags[i, bit] = ops.NamedCall(name, _flag(call, bit))

    def tested(expr: ex.Expr) -> ex.Expr | None:
        found = _bit_test(expr)
        if found is None or not isinstance(found[0], ex.Column) or found[0] not in numbers:
            return None
        flag = flags.get((numbers[found[0]][0], found[1]))
        if flag is None:
            return None
        is_set = ex.Column(flag.name, BOOLEAN)
        return ex.Not(is_set) if found[2] else is_set

    if not flags:
        return {}
    written = {i: map_exprs(r, lambda e: replace_down(e, tested)) for i, r in readers.items()}
    return {**written, id_: replace(operator, calls=(*operator.calls, *flags.values()))}


def _bits_tested(
    readers: Iterable[ops.AnyOperator], numbers: Container[ex.Column]
) -> Iterator[tuple[ex.Column, int]]:
    for expr in (e for reader in readers for e in exprs_in(reader)):
        for part in parts(expr):
            found = _bit_test(part)
            if found is not None and isinstance(found[0], ex.Column) and found[0] in numbers:
                yield found[0], found[1]


def _bit_test(expr: ex.Expr) -> tuple[ex.Expr, int, bool] | None:
    """The number whose single bit is tested, the bit, and whether it is tested to be unset."""
    match expr:
        case ex.Compare(
            "=" | ">=" as op, ex.Call("&", (number, ex.Literal(int() as bit))), ex.Literal(least)
        ):
            pass
        case ex.Compare(
            "=" | ">=" as op, ex.Call("&", (ex.Literal(int() as bit), number)), ex.Literal(least)
        ):
            pass
        case _:
            return None
    if bit <= 0 or bit & (bit - 1):
        return None
    if op == "=" and least in (0, bit):
        return number, bit, least == 0
    return (number, bit, False) if op == ">=" and least in (1, bit) else None


def _flag(call: ex.AggregateCall, bit: int) -> ex.AggregateCall:
    """Whether some or all numbers have a bit."""
    (number,) = call.args
    tested = ex.Call("&", (number, ex.Literal(bit, number.type)), number.type)
    is_set = ex.Not(ex.Compare("=", tested, ex.Literal(0, number.type)))
    return ex.AggregateCall(SEEN_AS[call.function], (is_set,), BOOLEAN)
