"""A dataflow being normalized: what is placed already, and how each old signal is computed of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar, final

from veer.assumptions import KeyAssumption
from veer.facts.call_kinds import call_kind
from veer.facts.determinism import grouped_kind
from veer.facts.keys import Uniqueness, derive, places_of
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.nullability import is_nullable
from veer.ir.schema import Schema
from veer.ir.sources import declared_key
from veer.ir.walk import map_exprs, substitute_columns
from veer.rewrite.builder import dataflow_of
from veer.rewrite.columns import by_place, column_at, columns_needed_above
from veer.rewrite.dataflows.implied_predicates import refined_schema
from veer.rewrite.expressions import Normalize, normalized_expr
from veer.rewrite.plain_calls import Spelling, composed

LARGEST = 400  # nodes of the expressions of a projection that is not placed
# The column of a projection no column of which is read.
ROW_MARK = ex.Named("row", ex.Literal(1, ty.INT))
T = TypeVar("T")
Change: TypeAlias = Callable[[ex.Column], ex.Expr]


@final
@dataclass(frozen=True)
class View:
    """An old signal as columns, by their old places, computed from those of a placed operator."""

    base: str
    columns: Mapping[int, ex.Expr]


@final
@dataclass(frozen=True)
class Laws:
    """What a sweep applies: the first rule that gives a view of an operator, and steps inside of rules."""

    rules: tuple[Rule, ...]
    of_aggregates: tuple[AggregateStep, ...]
    of_windows: tuple[WindowStep, ...]


@final
class Rewriting:
    """The operators placed so far, with a view for each signal of the old dataflow.

    `operators`, `inputs` and `schemas` are those of the new dataflow; `relied` are declared keys
    without which it would not mean the same.
    """

    def __init__(
        self,
        old: Dataflow,
        laws: Laws,
        of_queries: tuple[Normalize, Normalize],
        *,
        shows_columns: bool,
        is_last: bool = False,
    ) -> None:
        self.old, self.laws = old, laws
        self.is_last = is_last  # whether everything stands already where it will stand
        self.shows_columns = shows_columns  # otherwise only the number of rows counts
        self.needed = columns_needed_above(old, shows_columns=shows_columns)
        self.operators: dict[str, ops.AnyOperator] = {}
        self.inputs: dict[str, tuple[str, ...]] = {}
        self.schemas: dict[str, Schema] = {}
        self.views: dict[str, View] = {}
        self.relied: set[KeyAssumption] = set()
        self._of_query, self._of_rows = of_queries
        self._unique: dict[str, Uniqueness] = {}  # of placed operators, as far as asked for
        self._present: dict[str, Schema] = {}  # the same

    def dataflow(self) -> Dataflow:
        """Everything placed that a sink depends on."""
        return dataflow_of(self.operators, self.inputs, self.old.sinks)

    # -- placing ---------------------------------------------------------------------------------

    def put(
        self, id_: str, operator: ops.AnyOperator, below: Sequence[str], places: Iterable[int] = ()
    ) -> View:
        """Place an operator under its own id; its columns are those at `places` of the old one."""
        self._write(id_, operator, below)
        return View(id_, {i: self.column(id_, at) for at, i in enumerate(places)})

    def add(self, id_: str, operator: ops.AnyOperator, below: Sequence[str]) -> str:
        """Place an operator that the old dataflow does not have; the id it gets."""
        while id_ in self.operators or id_ in self.old.operators:
            id_ += "'"
        self._write(id_, operator, below)
        return id_

    def _write(self, id_: str, operator: ops.AnyOperator, below: Sequence[str]) -> None:
        self.operators[id_], self.inputs[id_] = operator, tuple(below)
        self.schemas[id_] = operator.output([self.schemas[i] for i in below])
        self._unique.pop(id_, None)
        self._present.pop(id_, None)

    def column(self, id_: str, place: int) -> ex.Column:
        """A column of a placed operator."""
        return column_at(self.schemas[id_], place)

    def placed(self, id_: str, places: Sequence[int]) -> str:
        """Some columns of an old signal, placed; the id that has them."""
        return self.place(f"{id_.removesuffix(' columns')} columns", self.views[id_], places)

    def place(
        self, name: str, view: View, places: Sequence[int], names: Sequence[str] | None = None
    ) -> str:
        """Some columns of a view, placed: by a projection called `name` unless they are all."""
        exprs, base = [view.columns[i] for i in places], self.schemas[view.base]
        if exprs == [column_at(base, i) for i in range(len(base))] and (
            names == base.names or (names is None and exprs)
        ):
            return view.base
        shown = names or [f"c{i}" for i in places]
        columns = tuple(map(ex.Named, shown, exprs))
        return self.add(name, ops.Project(columns or (ROW_MARK,)), (view.base,))

    def whole(self, id_: str) -> View:
        """A placed signal as it is."""
        return View(id_, {i: self.column(id_, i) for i in range(len(self.schemas[id_]))})

    def view_placed(self, id_: str) -> View:
        """An old signal placed, with the columns that are read."""
        places = list(self.needed[id_])
        base = self.placed(id_, places)
        return View(base, {i: self.column(base, at) for at, i in enumerate(places)})

    def placed_as_before(self, id_: str) -> str:
        """An old signal placed, with all its columns under their names."""
        schema = self.old.schemas[id_]
        return self.place(f"{id_} columns", self.views[id_], range(len(schema)), schema.names)

    # -- expressions -----------------------------------------------------------------------------

    def rewritten(self, part: T, id_: str, below: Sequence[View]) -> T:
        """A part of an old operator over what is placed below it, in normal form."""
        schemas = [self.old.schemas[i] for i in self.old.inputs[id_]]
        rows = schemas[0] if len(schemas) == 1 else schemas[0] + schemas[1]
        columns = self.side_by_side(id_, below)
        return self.changed(part, lambda c: columns[rows.place(c.name, c.occurrence)])

    def changed(self, part: T, change: Change) -> T:
        """A part of an operator over other columns, in normal form."""

        def normal(expr: ex.Expr) -> ex.Expr:
            moved = substitute_columns(expr, change)
            return normalized_expr(moved, self._of_query, self._of_rows)

        return map_exprs(part, normal)

    def side_by_side(self, id_: str, below: Sequence[View]) -> dict[int, ex.Expr]:
        """The columns of the inputs of an operator, one or two, over what is placed below."""
        columns = dict(below[0].columns)
        if len(below) == 1:
            return columns
        width = len(self.old.schemas[self.old.inputs[id_][0]])
        left, right = (self.schemas[view.base] for view in below)
        both, start = left + right, len(left)
        for i, expr in below[1].columns.items():
            columns[width + i] = by_place(expr, right, lambda at: column_at(both, start + at))
        return columns

    # -- keys ------------------------------------------------------------------------------------

    def are_unique(self, id_: str, base: str, exprs: Sequence[ex.Expr]) -> bool:
        """Whether no two rows of a placed signal agree on these, as the old operator reads it.

        The declared keys below are then noted: without them the answer might be another.
        """
        # Rows that tie on 0.0 and -0.0 do not agree, so a key would not tell them apart in groups.
        if any(ty.has_floats(e.type) for e in exprs):
            return False
        places = places_of((e for e in exprs if isinstance(e, ex.Column)), self.schemas[base])
        if not self.unique(base).tells_apart(places):
            return False
        self.note_keys(id_)
        return True

    def unique(self, base: str) -> Uniqueness:
        """The keys and constant columns of a placed signal."""
        return derive(self, base, self._unique)

    def give_one_result(self, operator: ops.Aggregate, rows: str) -> bool:
        """Whether the calls of an aggregate over a placed signal give one result, with the keys it has."""
        keys = [named.expr for named in operator.keys]
        kinds = (
            grouped_kind(named.call, keys, self.schemas[rows], self.unique(rows))
            for named in operator.calls
        )
        return all(kind is Kind.PURE for kind in kinds)

    def gives_one_result(
        self, id_: str, groups: ops.Aggregate, rows: str, call: ex.AggregateCall
    ) -> bool:
        """Whether a call over groups of a placed signal gives one result; keys it rests on are noted."""
        if call_kind(call) is Kind.PURE:
            return True
        keys = [named.expr for named in groups.keys]
        if grouped_kind(call, keys, self.schemas[rows], self.unique(rows)) is not Kind.PURE:
            return False
        self.note_keys(id_)
        return True

    def note_keys(self, id_: str) -> None:
        """Say that what is written rests on declared keys below an old operator."""
        below = self.old.ancestors(id_)
        for i, source in self.old.sources.items():
            if i in below:
                self.relied |= {declared_key(source, key) for key in source.keys}

    def refined_schema(self, base: str) -> Schema:
        """The columns of a placed signal, not null where a predicate below rejects nulls."""
        return refined_schema(self, base, self._present)

    def can_be_null(self, base: str, expr: ex.Expr) -> bool:
        """Whether an expression may be null on a row of a placed signal, given the predicates below."""
        return is_nullable(expr, self.refined_schema(base))

    def is_constant(self, base: str, expr: ex.Expr) -> bool:
        """Whether an expression has the same value on all rows of a placed signal."""
        if isinstance(expr, ex.Column):
            place = self.schemas[base].place(expr.name, expr.occurrence)
            return place in self.unique(base).constants
        return isinstance(expr, ex.Literal)


@final
@dataclass(frozen=True)
class Grouping:
    """An aggregate while it is written: what it is over, its keys, the values it gives by old places."""

    rewriting: Rewriting
    id: str  # of the old operator
    base: str
    keys: tuple[ex.Named, ...]
    values: Mapping[int, Spelling]

    @property
    def is_global(self) -> bool:
        """Whether it may be over no rows."""
        return not self.keys

    def each(self, change: Callable[[ex.AggregateCall], Spelling]) -> Grouping:
        """The same with every call changed; the same object if no call is."""
        changed = {i: self._changed(value, change) for i, value in self.values.items()}
        same = all(changed[i] is value for i, value in self.values.items())
        return self if same else replace(self, values=changed)

    @staticmethod
    def _changed(value: Spelling, change: Callable[[ex.AggregateCall], Spelling]) -> Spelling:
        parts = [change(call) for call in value.calls]
        same = all(p.call is c for p, c in zip(parts, value.calls, strict=True))
        return value if same else composed(value, parts)


# Each gives the view of the operators it is for, None for others.
Rule: TypeAlias = Callable[[Rewriting, str, ops.AnyOperator, Sequence[View]], View | None]
AggregateStep: TypeAlias = Callable[[Grouping], Grouping]
# Of a call of an old operator over a placed signal.
WindowStep: TypeAlias = Callable[[Rewriting, str, str, ex.OverCall], ex.OverCall]
