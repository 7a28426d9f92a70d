"""When two operators do the same: which columns of their inputs must correspond for that.

    Project(a, b + 1) and Project(x, y + 1), both outputs wanted   =>   a ~ x, b ~ y

Columns are pairs of positions, one in P and one in Q. What nobody wants of the output is not
looked at, so an added column changes nothing for those who do not read it. An operator compared
with itself tells which columns it needs.

What is claimed: if the inputs are equal on the pairs given here, as the bags or sets of rows that
`needs.semantics_needed` asks for, then the outputs are equal on the wanted pairs. The pairs of one
input are meant together: the rows cut down to these columns are equal, not each column for itself.
Whether the operator is a function of its input at all is a question to `determinism`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, TypeAlias, assert_never, final

from veer.facts.fingerprint import identity, part_identity
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.json import encode
from veer.ir.schema import Schema
from veer.ir.walk import columns_read, exprs_in

Pair: TypeAlias = tuple[int, int]
Pairs: TypeAlias = frozenset[Pair]
_Read: TypeAlias = list[tuple[int, Pair]]  # ports with pairs of columns


def everything(p: Schema, q: Schema) -> Pairs | None:
    """All columns in order, if there are as many and of the same types."""
    return frozenset((i, i) for i in range(len(p))) if p.types == q.types else None


def pairs_needed(
    p: ops.AnyOperator,
    p_inputs: Sequence[Schema],
    q: ops.AnyOperator,
    q_inputs: Sequence[Schema],
    wanted: Collection[Pair],
    *,
    in_order: bool = False,
) -> tuple[Pairs, ...] | None:
    """Per input the columns that must correspond for the wanted outputs to correspond.

    None if the operators do different things. `in_order` if the order of rows counts too.
    """
    if type(p) is not type(q) or len(p_inputs) != len(q_inputs):
        return None
    comparison = _Comparison(p_inputs, q_inputs)
    try:
        read = comparison.operators(p, q, sorted(wanted), in_order)
    except _DifferentError:
        return None
    by_port: list[set[Pair]] = [set() for _ in p_inputs]
    for port, pair in read:
        by_port[port].add(pair)
    return tuple(map(frozenset, by_port))


def columns_needed(
    operator: ops.AnyOperator,
    inputs: Sequence[Schema],
    wanted: Iterable[int],
    *,
    in_order: bool = False,
) -> tuple[frozenset[int], ...]:
    """Per input the columns an operator needs for some of its outputs."""
    needed = pairs_needed(
        operator, inputs, operator, inputs, [(i, i) for i in wanted], in_order=in_order
    )
    assert needed is not None, "an operator is like itself"
    return tuple(frozenset(i for i, _ in pairs) for pairs in needed)


class _DifferentError(Exception):
    """The operators do different things; never escapes this module."""


@final
@dataclass
class _Comparison:
    """Two operators over inputs of these schemas; `p_rows` and `q_rows` are theirs side by side."""

    p_inputs: Sequence[Schema]
    q_inputs: Sequence[Schema]

    def __post_init__(self) -> None:
        self.p_rows, self.q_rows = (
            inputs[0] if len(inputs) == 1 else Schema(tuple(f for s in inputs for f in s))
            for inputs in (self.p_inputs, self.q_inputs)
        )

    def operators(
        self, p: ops.AnyOperator, q: ops.AnyOperator, wanted: Sequence[Pair], in_order: bool
    ) -> _Read:
        """What two operators must be given alike; raises `_DifferentError` if they are unlike."""
        match p, q:
            case ops.Filter(one), ops.Filter(two):
                # Also the columns of the condition: they decide which rows stay.
                return self.passed(wanted) + self.parts(one, two)
            case ops.Project(ours), ops.Project(theirs):
                return [r for i, j in wanted for r in self.parts(ours[i], theirs[j])]
            case ops.Join(), ops.Join():
                return self._joins(p, q, wanted)
            case ops.Aggregate(ours, our_calls), ops.Aggregate(theirs, their_calls):
                of_keys = self._keys([k.expr for k in ours], [k.expr for k in theirs], wanted)
                widths = len(ours), len(theirs)
                return of_keys + self._after(widths, our_calls, their_calls, wanted)
            case ops.GlobalAggregate(our_calls), ops.GlobalAggregate(their_calls):
                return self._after((0, 0), our_calls, their_calls, wanted)
            case ops.Union(), ops.Union():
                # Columns are met by position, so an output is the same column of every input.
                return [(port, pair) for port in range(len(self.p_inputs)) for pair in wanted]
            case ops.Sort(ours), ops.Sort(theirs):
                # It keeps all rows: its keys count for those alone who look at the order.
                return self.passed(wanted) + (self.parts(ours, theirs) if in_order else [])
            case ops.Limit(), ops.Limit():
                return self.passed(wanted) + self.parts((p.count, p.offset), (q.count, q.offset))
            case ops.Deduplicate(our_keys), ops.Deduplicate(their_keys):
                # Proofs get here only where a key leaves it no choice; else it sees everything
                # (`needs.sees_everything`).
                return self.passed(wanted) + self._keys(our_keys, their_keys, ())
            case ops.Over(our_overs), ops.Over(their_overs):
                return self._extended(our_overs, their_overs, wanted)
            case ops.RowUdf(), ops.RowUdf():
                return self._row_udfs(p, q, wanted)
            case ops.Unnest(), ops.Unnest():
                return self._unnests(p, q, wanted)
            case _:
                return self._others(p, q, wanted)

    def _others(self, p: ops.AnyOperator, q: ops.AnyOperator, wanted: Sequence[Pair]) -> _Read:
        """Operators that are not taken apart, or are of different classes."""
        match p:
            case (
                ops.Source()
                | ops.Values()
                | ops.IntersectAll()
                | ops.ExceptAll()
                | ops.Sample()
                | ops.Sink()
            ):
                return self._whole(p, q, wanted)
            case ops.Lateral() | ops.TableUdf():
                return self._whole(p, q, wanted)
            case (
                ops.Filter()
                | ops.Project()
                | ops.Join()
                | ops.Aggregate()
                | ops.GlobalAggregate()
                | ops.Union()
            ):
                raise _DifferentError
            case (
                ops.Sort()
                | ops.Limit()
                | ops.Deduplicate()
                | ops.Over()
                | ops.RowUdf()
                | ops.Unnest()
            ):
                raise _DifferentError
            case _:
                assert_never(p)

    def passed(self, wanted: Iterable[Pair]) -> _Read:
        """Outputs that are columns of the only input."""
        return [(0, pair) for pair in wanted]

    def _joins(self, p: ops.Join, q: ops.Join, wanted: Sequence[Pair]) -> _Read:
        """Joins of one kind: the wanted columns, and those the condition reads of both inputs.

        Which rows meet, and so which are padded, follows from the condition's columns alone.
        """
        if p.kind != q.kind:
            raise _DifferentError
        read = [self._located(i, j) for i, j in wanted]
        return read + self.parts(p.condition, q.condition)

    def _keys(
        self, ours: Sequence[ex.Expr], theirs: Sequence[ex.Expr], wanted: Sequence[Pair]
    ) -> _Read:
        """The same keys in any order: wanted pairs as they are wanted, others by name or place.

        Keys nobody wants still make the groups, so every key of one side needs its own counterpart
        on the other: a key left over would split groups that the other side keeps together.
        """
        left = set(range(len(theirs)))
        read: _Read = []
        asked = {i: j for i, j in wanted if i < len(ours) and j < len(theirs)}
        for i, j in asked.items():
            read += self.parts(ours[i], theirs[j])
            left.discard(j)
        for i, key in enumerate(ours):
            if i in asked:
                continue
            for j in sorted(left, key=lambda j: (theirs[j] != key, j != i)):
                try:
                    read += self.parts(key, theirs[j])
                except _DifferentError:
                    continue
                left.discard(j)
                break
            else:
                raise _DifferentError
        if left:
            raise _DifferentError
        if {(i, j) for i, j in wanted if i < len(ours)} - set(asked.items()):
            raise _DifferentError  # one key wanted as two
        return read

    def _after(
        self, widths: Pair, ours: Sequence[Any], theirs: Sequence[Any], wanted: Sequence[Pair]
    ) -> _Read:
        """Wanted outputs after the first columns of each side, one for each part."""
        read: _Read = []
        for i, j in wanted:
            if (i < widths[0]) != (j < widths[1]):
                raise _DifferentError
            if i >= widths[0]:
                read += self.parts(ours[i - widths[0]], theirs[j - widths[1]])
        return read

    def _extended(
        self, ours: Sequence[Any], theirs: Sequence[Any], wanted: Sequence[Pair]
    ) -> _Read:
        """The input's columns, then one for each part."""
        widths = len(self.p_rows), len(self.q_rows)
        kept = self.passed((i, j) for i, j in wanted if i < widths[0])
        return kept + self._after(widths, ours, theirs, wanted)

    def _row_udfs(self, p: ops.RowUdf, q: ops.RowUdf, wanted: Sequence[Pair]) -> _Read:
        """The same function; what it reads counts only if a column it adds is wanted."""
        gives = [[f.type for f in udf.adds] for udf in (p, q)]
        if p.identity != q.identity or gives[0] != gives[1]:
            raise _DifferentError
        width = range(len(p.adds))
        read = self._extended(width, width, wanted)
        if any(i >= len(self.p_rows) for i, _ in wanted):
            read += self.parts(p.reads, q.reads)
        return read

    def _unnests(self, p: ops.Unnest, q: ops.Unnest, wanted: Sequence[Pair]) -> _Read:
        """The same generator, wanted or not: it says how often each row is repeated."""
        if (p.outer, p.position, p.inline) != (q.outer, q.position, q.inline):
            raise _DifferentError
        width = range(len(p.names))
        read = self._extended(width, range(len(q.names)), wanted)
        return read + self.parts(p.generator, q.generator)

    def _whole(self, p: ops.AnyOperator, q: ops.AnyOperator, wanted: Sequence[Pair]) -> _Read:
        """Operators that may look at everything: the same text on inputs the same throughout."""
        if identity(p, self.p_inputs) != identity(q, self.q_inputs):
            raise _DifferentError
        if any(i != j for i, j in wanted):
            raise _DifferentError
        read: _Read = []
        for port, (one, two) in enumerate(zip(self.p_inputs, self.q_inputs, strict=True)):
            pairs = everything(one, two)
            if pairs is None:
                raise _DifferentError
            read += [(port, pair) for pair in sorted(pairs)]
        return read

    def _located(self, i: int, j: int) -> tuple[int, Pair]:
        """The input two columns of the joined row come from, and where they stand in it."""
        port_p, at_p = _port(self.p_inputs, i)
        port_q, at_q = _port(self.q_inputs, j)
        if port_p != port_q:
            raise _DifferentError
        return port_p, (at_p, at_q)

    def parts(self, a: Any, b: Any) -> _Read:
        """The columns read where two parts of operators say the same; else they are different."""
        if a is b and self.p_inputs is self.q_inputs:
            return [self._columns(c, c) for e in exprs_in(a) for c in columns_read(e)]
        if type(a) is not type(b):
            raise _DifferentError
        match a:
            case ex.Column():
                return [self._columns(a, b)]
            case ex.Named():
                return self.parts(a.expr, b.expr)
            case ops.NamedCall() | ops.NamedOver():
                return self.parts(a.call, b.call)
            case tuple():
                if len(a) != len(b):
                    raise _DifferentError
                return [r for x, y in zip(a, b, strict=True) for r in self.parts(x, y)]
            case ex.Exists() | ex.InQuery() | ex.ScalarQuery():
                return self._queries(a, b)
            case Enum() | Dataflow():
                if a is not b:
                    raise _DifferentError
                return []
            case _ if isinstance(a, ex.EXPR_PARTS):
                return [
                    r for f in fields(a) for r in self.parts(getattr(a, f.name), getattr(b, f.name))
                ]
            case _:
                # As text, since `==` takes 0.0 for -0.0, and NaN for nothing, not even itself.
                if json.dumps(encode(a)) != json.dumps(encode(b)):
                    raise _DifferentError
                return []

    def _columns(self, a: ex.Column, b: ex.Column) -> tuple[int, Pair]:
        """The pair two columns are; of the same type, else the same text may mean another function."""
        if a.type != b.type:
            raise _DifferentError
        return self._located(
            self.p_rows.place(a.name, a.occurrence), self.q_rows.place(b.name, b.occurrence)
        )

    def _queries(self, a: ex.Expr, b: ex.Expr) -> _Read:
        """Subqueries of the same text; what they read of the rows around them stands alike."""
        if part_identity(a, self.p_rows) != part_identity(b, self.q_rows):
            raise _DifferentError
        places = {self.p_rows.place(c.name, c.occurrence) for c in columns_read(a)}
        types = [(self.p_rows.fields[i].type, self.q_rows.fields[i].type) for i in places]
        if any(one != two for one, two in types):
            raise _DifferentError
        return [self._located(i, i) for i in sorted(places)]


def _port(inputs: Sequence[Schema], place: int) -> tuple[int, int]:
    """The input a column of the inputs side by side belongs to, and its place in there."""
    for port, schema in enumerate(inputs):
        if place < len(schema):
            return port, place
        place -= len(schema)
    raise _DifferentError
