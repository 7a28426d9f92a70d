"""Window functions are computed as low as they can be, those on the same rows together.

    Over(rank() AS r) <- Over(sum(a) AS s) <- t   =>   Over(sum(a) AS s, rank() AS r) <- t

Those of the kept side of a join in which every row has one partner at most are computed below it.
Those that nothing reads are left out. Sound where neither reads what the other adds, and both are
functions of their input: otherwise ties could be broken in another way when they are computed together.
Where that rests on declared keys, the keys are noted. Calls have one spelling (`canonical_windows`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.facts.keys import has_one_partner
from veer.ir import expr as ex, ops
from veer.ir.json import is_alike
from veer.ir.types import LONG
from veer.ir.walk import exprs_in
from veer.rewrite.builder import may_be_ordered
from veer.rewrite.columns import by_place, column_at, places_read
from veer.rewrite.expressions import is_random
from veer.rewrite.operators.canonical_windows import give_one_result, in_place_order
from veer.rewrite.rewriting import Rewriting, View

# Stands for window functions that nothing reads, where they take an order away.
ROWS_OVER = ops.NamedOver("row", ex.OverCall("count", (), LONG))


def merge_window_functions(
    rewriting: Rewriting, id_: str, operator: ops.AnyOperator, below: Sequence[View]
) -> View | None:
    """The window functions that are read, among those below if they are independent."""
    if not isinstance(operator, ops.Over):
        return None
    (view,) = below
    width = len(rewriting.old.schemas[rewriting.old.inputs[id_][0]])
    read = sorted(i for i in rewriting.needed[id_] if i >= width)
    # Left out if nothing reads them, unless they take away an order of the rows below.
    if not read and not may_be_ordered(rewriting, view.base):
        return view
    calls = {
        i: _plain(
            rewriting, id_, view.base, rewriting.rewritten(operator.calls[i - width], id_, below)
        )
        for i in read
    } or {width: ROWS_OVER}
    return _placed(rewriting, id_, view, calls)


def with_functions(
    rewriting: Rewriting, id_: str, view: View, calls: Mapping[int, ops.NamedOver]
) -> View:
    """A view with further window functions over what it is placed on, at these places."""
    plain = {i: _plain(rewriting, id_, view.base, named) for i, named in calls.items()}
    return _placed(rewriting, id_, view, plain) if plain else view


def _placed(rewriting: Rewriting, id_: str, view: View, calls: Mapping[int, ops.NamedOver]) -> View:
    if not give_one_result(rewriting, id_, view.base, (n.call for n in calls.values())):
        first = len(rewriting.schemas[view.base])
        rewriting.put(id_, ops.Over(tuple(calls.values())), (view.base,))
        added = {i: rewriting.column(id_, first + at) for at, i in enumerate(calls)}
        return View(id_, {**view.columns, **added})
    below_join = _below_join(rewriting, id_, view, calls)
    if below_join is not None:
        return below_join
    return _Stack.below(rewriting, id_, view.base).with_calls(view, calls)


def _below_join(
    rewriting: Rewriting, id_: str, view: View, calls: Mapping[int, ops.NamedOver]
) -> View | None:
    """Functions of the kept side of a join in which every row has one partner at most."""
    join = rewriting.operators[view.base]
    if not isinstance(join, ops.Join) or not _keeps_rows(rewriting, id_, view.base, join):
        return None
    left, right = rewriting.inputs[view.base]
    width = len(rewriting.schemas[left])
    both = rewriting.schemas[view.base]

    exprs = (e for named in calls.values() for e in exprs_in(named))
    if any(at >= width for e in exprs for at in places_read(e, both)):
        return None
    moved = {
        width + i: by_place(named, both, lambda at: rewriting.column(left, at))
        for i, named in enumerate(calls.values())
    }
    kept = rewriting.whole(left)
    rows = _below_join(rewriting, id_, kept, moved)
    if rows is None:
        rows = _Stack.below(rewriting, id_, left).with_calls(kept, moved)
    new_width = len(rewriting.schemas[rows.base])
    wider = rewriting.schemas[rows.base] + rewriting.schemas[right]

    def shown(at: int) -> ex.Expr:
        return rows.columns[at] if at < width else column_at(wider, new_width + at - width)

    condition = by_place(join.condition, both, shown)
    top = rewriting.add(view.base, replace(join, condition=condition), (rows.base, right))
    columns = {i: by_place(e, both, shown) for i, e in view.columns.items()}
    added = {i: rows.columns[width + at] for at, i in enumerate(calls)}
    return View(top, {**columns, **added})


def _keeps_rows(rewriting: Rewriting, id_: str, base: str, join: ops.Join) -> bool:
    """Whether every row of the left comes once out of a join; keys that rests on are noted."""
    left, right = rewriting.inputs[base]
    if isinstance(rewriting.operators[right], ops.GlobalAggregate) and join.condition is None:
        return join.kind in (ops.JoinKind.INNER, ops.JoinKind.LEFT, ops.JoinKind.CROSS)
    if join.kind != ops.JoinKind.LEFT or join.condition is None or is_random(join.condition):
        return False
    schemas = [rewriting.schemas[i] for i in (left, right)]
    if not has_one_partner(join, schemas, rewriting.unique(right)):
        return False
    rewriting.note_keys(id_)
    return True


def _plain(rewriting: Rewriting, id_: str, base: str, named: ops.NamedOver) -> ops.NamedOver:
    call = named.call
    for step in rewriting.laws.of_windows:
        call = step(rewriting, id_, base, call)
    return replace(named, call=call)


@final
@dataclass(frozen=True)
class _Stack:
    """Window functions upon window functions, all functions of their input, over a signal.

    `levels` are the operators, the lowest first; their columns come behind those of the signal.
    """

    rewriting: Rewriting
    id: str  # of the operator being written
    base: str
    levels: tuple[str, ...]

    @staticmethod
    def below(rewriting: Rewriting, id_: str, base: str) -> _Stack:
        """The stack that ends in a placed signal, perhaps of no level."""
        levels: list[str] = []
        while isinstance(over := rewriting.operators[base], ops.Over):
            (under,) = rewriting.inputs[base]
            if not give_one_result(rewriting, id_, under, (n.call for n in over.calls)):
                break
            levels.insert(0, base)
            base = under
        return _Stack(rewriting, id_, base, tuple(levels))

    def with_calls(self, view: View, calls: Mapping[int, ops.NamedOver]) -> View:
        """A view of the stack, and of further calls placed where all is there that they read."""
        schema = self.rewriting.schemas[view.base]
        named = [*self._calls_placed(), *calls.values()]
        levels: list[list[int]] = [[] for _ in (*self.levels, self.id)]
        first = len(self.rewriting.schemas[self.base])
        for at, call in enumerate(named):
            levels[self._level(call)].append(first + at)
        top, places = self._placed({first + at: call for at, call in enumerate(named)}, levels)

        def moved(at: int) -> ex.Expr:
            return self.rewriting.column(top, places[at])

        columns = {i: by_place(e, schema, moved) for i, e in view.columns.items()}
        added = {i: moved(len(schema) + at) for at, i in enumerate(calls)}
        return View(top, {**columns, **added})

    def _calls_placed(self) -> list[ops.NamedOver]:
        calls: list[ops.NamedOver] = []
        for level in self.levels:
            over = self.rewriting.operators[level]
            assert isinstance(over, ops.Over)
            calls += over.calls
        return calls

    def _level(self, named: ops.NamedOver) -> int:
        """The lowest level whose input has all columns a call reads."""
        schemas = [self.rewriting.schemas[i] for i in (self.base, *self.levels)]
        places = (at for e in exprs_in(named) for at in places_read(e, schemas[-1]))
        needed = max(places, default=-1)
        return next(level for level, schema in enumerate(schemas) if needed < len(schema))

    def _placed(
        self, calls: Mapping[int, ops.NamedOver], levels: Sequence[Sequence[int]]
    ) -> tuple[str, dict[int, int]]:
        """The levels written anew, each call once and sorted; where each column stands then."""
        rewriting, below = self.rewriting, self.base
        before = rewriting.schemas[(self.base, *self.levels)[-1]]
        places = {i: i for i in range(len(rewriting.schemas[self.base]))}

        def moved(at: int) -> ex.Expr:
            return rewriting.column(below, places[at])

        for old, level in zip((*self.levels, None), levels, strict=True):
            if not level:
                continue
            schema, together = rewriting.schemas[below], list[ops.NamedOver]()
            written = {i: by_place(calls[i], before, moved) for i in level}
            for i in sorted(level, key=lambda i: in_place_order(written[i].call, schema)):
                if not (together and is_alike(together[-1].call, written[i].call)):
                    together.append(written[i])
                places[i] = len(schema) + len(together) - 1
            below = self._put(ops.Over(tuple(together)), below, old)
        return below, places

    def _put(self, over: ops.Over, below: str, old: str | None) -> str:
        """Place a level: the old one if nothing changed."""
        rewriting = self.rewriting
        if old is None:
            rewriting.put(self.id, over, (below,))
            return self.id
        if rewriting.operators[old] == over and rewriting.inputs[old] == (below,):
            return old
        return rewriting.add(old, over, (below,))
