"""Aggregates whose result depends on the order of rows: by rounding, or by signs of zeros.

Adding floats is not associative: 1e16 + 1 - 1e16 is 0 or 1, as the rows come. Spark adds in the order
in which they arrive from a shuffle, so a sum of floats is a choice though nobody chooses.
"""

from __future__ import annotations

from veer.functions.registry import AGGREGATE, Kind
from veer.functions.traits import Adding
from veer.ir import expr as ex, types as ty


def call_kind(call: ex.AggregateCall) -> Kind:
    """The kind of an aggregate call, its arguments apart: float sums depend on the order."""
    function = AGGREGATE[call.function]
    if function.settled_by_flag and call.args[-1] == ex.Literal(True, ty.BOOLEAN):
        return Kind.PURE
    if function.kind is not Kind.PURE:
        return function.kind
    if function.ignores_duplicates:
        # MIN and MAX choose between 0.0 and -0.0.
        return Kind.CHOICE if any(ty.has_floats(a.type) for a in call.args) else Kind.PURE
    return Kind.CHOICE if adds_floats(call) else Kind.PURE


def adds_floats(call: ex.AggregateCall | ex.OverCall) -> bool:
    """Whether the order of rows shows: in rounding, or in which of 0.0 and -0.0 is the median."""
    adding = AGGREGATE[call.function].adding
    if adding is Adding.MIDDLE and all(
        isinstance(a, ex.Cast) and not ty.has_floats(a.arg.type) for a in call.args[:1]
    ):
        return False
    if any(isinstance(a, ex.Cast) and isinstance(a.arg.type, ty.NullType) for a in call.args):
        return False  # of nulls alone
    if adds_in_double(call):
        return True
    return adding is not Adding.NOTHING and any(ty.has_floats(a.type) for a in call.args)


def adds_in_double(call: ex.AggregateCall | ex.OverCall) -> bool:
    """Whether Spark adds whole numbers as doubles, which rounds beyond 53 bits.

    Numbers of 16 bits would need more rows than any table has.
    """
    wide = (ty.IntegerType, ty.LongType)
    function = AGGREGATE.get(call.function)
    adds = function is not None and function.adding is Adding.DOUBLES
    return adds and any(isinstance(a.type, wide) for a in call.args)
