"""A join of numbered rows with the next ones, or those before, reads them with lead or lag.

    Join inner (a = a AND n = n + 1) <- r, r,   r = Over(row_number() OVER (PARTITION BY a ORDER BY k) AS n)
        =>   Filter(lead(x) IS NOT NULL) <- Over(lead(x) OVER (PARTITION BY a ORDER BY k)) <- r

Sound because the rows of a partition have the numbers from one on, each once, in their order: a row meets
that which stands so many rows after it, if there is one. A left join keeps rows without one, whose
values are null then; what else it asks makes them null too. Columns of the partition are never null, or
rows of it would not meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from veer.facts.call_kinds import call_kind
from veer.facts.determinism import over_kind
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops, types as ty
from veer.ir.conditions import conjunction, conjuncts
from veer.ir.json import is_alike
from veer.ir.schema import Schema
from veer.ir.walk import columns_read, operator_exprs, substitute_columns
from veer.rewrite.dataflows.implied_predicates import has_query, rejects_nulls_of
from veer.rewrite.expressions import is_random
from veer.rewrite.operators.canonical_windows import row_number
from veer.rewrite.operators.merge_window_functions import with_functions
from veer.rewrite.rewriting import Rewriting, View

UP_TO_ROW = ex.Frame("rows", None, 0)


def self_join_to_lag(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """A join of numbered rows with themselves, by partition and number."""
    if not isinstance(operator, ops.Join) or operator.kind not in (
        ops.JoinKind.INNER,
        ops.JoinKind.LEFT,
    ):
        return None
    left, right = below
    if not isinstance(rewriting.operators[left.base], ops.Over) or operator.condition is None:
        return None
    if not _are_the_same(rewriting, left.base, right.base):
        return None
    condition = rewriting.rewritten(operator.condition, id_, below)
    if is_random(condition) or has_query(condition):
        return None
    meeting = _meeting(rewriting, left.base, condition)
    if meeting is None:
        return None
    columns = rewriting.side_by_side(id_, below)
    shown = {i: columns[i] for i in rewriting.needed[id_]}
    if any(is_random(e) or has_query(e) for e in shown.values()):
        return None
    if operator.kind == ops.JoinKind.INNER and meeting.reads_right_more(list(shown.values())):
        meeting = meeting.turned()
    return meeting.placed(id_, shown, is_left=operator.kind == ops.JoinKind.LEFT)


def _are_the_same(rewriting: Rewriting, one: str, two: str) -> bool:
    """Whether two placed signals are one, or computed alike without any choice."""
    if one == two:
        return True
    operator = rewriting.operators[one]
    if not is_alike(operator, rewriting.operators[two]):
        return False
    match operator:
        case ops.Source() | ops.Filter() | ops.Project() | ops.Join() | ops.Union():
            is_function = True
        case ops.Over(calls):
            (rows,) = rewriting.inputs[one]
            schema, unique = rewriting.schemas[rows], rewriting.unique(rows)
            is_function = all(over_kind(n.call, schema, unique) is Kind.PURE for n in calls)
        case ops.Aggregate(calls=calls):
            is_function = all(call_kind(n.call) is Kind.PURE for n in calls)
        case _:
            is_function = False
    if not is_function or any(map(is_random, operator_exprs(operator))):
        return False
    inputs = zip(rewriting.inputs[one], rewriting.inputs[two], strict=True)
    return all(_are_the_same(rewriting, a, b) for a, b in inputs)


@final
@dataclass(frozen=True)
class _Meeting:
    """Rows that meet those `offset` rows after them, if these meet a condition.

    Columns are those of two rows side by side; `kept` is the side of the row that is kept, 0 or 1.
    """

    rewriting: Rewriting
    base: str
    call: ex.OverCall  # that numbers the rows
    offset: int
    rest: tuple[ex.Expr, ...]
    kept: int = 0

    @property
    def width(self) -> int:
        """How many columns a row has."""
        return len(self.rewriting.schemas[self.base])

    def place(self, column: ex.Column) -> int:
        """Where a column of two rows stands."""
        schema = self.rewriting.schemas[self.base]
        return (schema + schema).place(column.name, column.occurrence)

    def turned(self) -> _Meeting:
        """The same from the other row."""
        return _Meeting(self.rewriting, self.base, self.call, -self.offset, self.rest, 1)

    def reads_right_more(self, exprs: Sequence[ex.Expr]) -> bool:
        """Whether more different columns of the right row are read than of the left."""
        fixed = self._partition()
        places = {self.place(c) for e in (*exprs, *self.rest) for c in columns_read(e)}
        right = {i for i in places if i >= self.width and i - self.width not in fixed}
        return len(right) > len({i for i in places if i < self.width and i not in fixed})

    def placed(self, id_: str, shown: Mapping[int, ex.Expr], *, is_left: bool) -> View:
        """Each row with the values of the row that it meets; without one it is filtered out, or has nulls."""
        rewriting, width = self.rewriting, self.width
        read = {self.place(c) for e in (*shown.values(), *self.rest) for c in columns_read(e)}
        # Rows that meet agree on the partition; one without a partner has none.
        alike = set[int]() if is_left else self._partition()
        partner = {i % width for i in read if i // width != self.kept}
        others = sorted(partner - alike)
        asks_for_row = not is_left and not self._implies_row()
        marker = self._marker(others)
        if asks_for_row and marker not in others:
            others.append(marker)
        calls = {width + at: self._value(place) for at, place in enumerate(others)}
        beside = with_functions(rewriting, id_, rewriting.whole(self.base), calls)
        at_place = {place: beside.columns[width + at] for at, place in enumerate(others)}

        def moved(column: ex.Column) -> ex.Expr:
            place = self.place(column)
            own = place // width == self.kept or place % width in alike
            return beside.columns[place % width] if own else at_place[place % width]

        asked = [substitute_columns(part, moved) for part in self.rest]
        if not is_left:
            if asks_for_row:
                asked.append(ex.Not(ex.IsNull(at_place[marker])))
            base = beside.base
            if asked:
                met = rewriting.changed(conjunction(asked), lambda c: c)
                base = rewriting.add(f"{id_} met", ops.Filter(met), (base,))
            columns = {i: substitute_columns(e, moved) for i, e in shown.items()}
            return View(base, columns)
        condition = conjunction(asked)

        def if_met(column: ex.Column) -> ex.Expr:
            value = moved(column)
            if not asked or self.place(column) // width == self.kept:
                return value
            return ex.Case(((condition, value),), ex.Literal(None, value.type))

        return View(beside.base, {i: substitute_columns(e, if_met) for i, e in shown.items()})

    def _partition(self) -> set[int]:
        """The places of what rows are partitioned by."""
        return {self.place(c) for c in self.call.partition if isinstance(c, ex.Column)}

    def _implies_row(self) -> bool:
        """Whether what else is asked is not true without another row."""
        rejected = {self.place(c) for part in self.rest for c in rejects_nulls_of(part)}
        return any(place // self.width != self.kept for place in rejected)

    def _marker(self, others: Sequence[int]) -> int:
        """A column that is never null in a row: where it is null there is no row."""
        rewriting = self.rewriting
        places: list[int] = [*others, *range(self.width)]
        for place in places:
            if not rewriting.can_be_null(self.base, rewriting.column(self.base, place)):
                return place
        raise AssertionError("the number of a row is never null")

    def _value(self, place: int) -> ops.NamedOver:
        column = self.rewriting.column(self.base, place)
        function = "lead" if self.offset > 0 else "lag"
        args = (column, ex.Literal(abs(self.offset), ty.INT))
        call = ex.OverCall(
            function, args, column.type, self.call.partition, self.call.order, UP_TO_ROW
        )
        return ops.NamedOver(f"_beside{place}", call)


def _meeting(rewriting: Rewriting, base: str, condition: ex.Expr) -> _Meeting | None:
    """How rows of a signal meet its own rows; None if not by their numbers in a partition."""
    schema = rewriting.schemas[base]
    equal: dict[int, ex.Expr] = {}  # places at which rows that meet are equal
    rest: list[ex.Expr] = []
    number: tuple[ex.OverCall, int] | None = None
    for part in conjuncts(condition):
        place, offset = _shift(part, schema) or (-1, 0)
        call = row_number(rewriting, base, rewriting.column(base, place)) if offset else None
        if call is not None and number is None:
            number = call, offset
        elif place >= 0 and not offset and place not in equal:
            equal[place] = part
        else:
            rest.append(part)
    if number is None:
        return None
    partition = [_place_in(schema, e) for e in number[0].partition]
    if not all(_is_met(rewriting, base, i, equal) for i in partition):
        return None
    rest += [part for i, part in equal.items() if i not in partition]
    return _Meeting(rewriting, base, *number, tuple(rest))


def _place_in(schema: Schema, expr: ex.Expr) -> int:
    return schema.place(expr.name, expr.occurrence) if isinstance(expr, ex.Column) else -1


def _is_met(rewriting: Rewriting, base: str, place: int, equal: Mapping[int, ex.Expr]) -> bool:
    """Whether rows that are alike at a place meet there, and no others."""
    part = equal.get(place)
    if not isinstance(part, ex.Compare):
        return False
    return part.op == "<=>" or not rewriting.can_be_null(base, rewriting.column(base, place))


def _shift(part: ex.Expr, schema: Schema) -> tuple[int, int] | None:
    """The place at which the right of two rows has so much more than the left, if that is asked."""
    if not isinstance(part, ex.Compare) or part.op not in ("=", "<=>"):
        return None
    both, width = schema + schema, len(schema)
    match part.left, part.right:
        case ex.Column() as one, ex.Column() as two:
            low, high = sorted(both.place(c.name, c.occurrence) for c in (one, two))
            return (low, 0) if high == low + width and not ty.has_floats(one.type) else None
    ours, theirs = _linear(part.left, both), _linear(part.right, both)
    if ours is None or theirs is None:
        return None
    factors = {i: ours[0].get(i, 0) - theirs[0].get(i, 0) for i in ours[0] | theirs[0]}
    places = sorted(i for i, factor in factors.items() if factor)
    if len(places) != 2 or places[1] != places[0] + width:
        return None
    factor = factors[places[0]]
    if factor not in (1, -1) or factors[places[1]] != -factor:
        return None
    return places[0], factor * (ours[1] - theirs[1])


def _linear(expr: ex.Expr, schema: Schema) -> tuple[dict[int, int], int] | None:
    """Factors of columns and a constant, of a sum or difference of whole numbers."""
    match expr:
        case ex.Column() if isinstance(expr.type, ty.IntegralType):
            return {schema.place(expr.name, expr.occurrence): 1}, 0
        case ex.Literal(int() as value, ty.IntegralType()):
            return {}, value
        case ex.Cast(arg) if isinstance(expr.type, ty.IntegralType):
            return (
                _linear(arg, schema) if ty.holding_both(arg.type, expr.type) == expr.type else None
            )
        case ex.Call("+" | "-" as function, (one, two)):
            left, right = _linear(one, schema), _linear(two, schema)
            if left is None or right is None:
                return None
            sign = 1 if function == "+" else -1
            places = left[0] | right[0]
            factors = {i: left[0].get(i, 0) + sign * right[0].get(i, 0) for i in places}
            return factors, left[1] + sign * right[1]
    return None
