"""A dataflow in a form in which it does not show where projections stand.

    Project(a, c) <- Filter(c > 1) <- Project(a, b + 1 AS c) <- t
        =>   Project(a, b + 1) <- Filter(b + 1 > 1) <- t

A projection is not placed but remembered, and written into what stands above it. It is placed
where a result, a union, a limit or the padded side of a join sees its columns, and then with those
columns only that somebody above reads. Subqueries are made tidy too.

The sinks have the same possible results, in the same order, whatever choices are made: operators
that choose keep their ids, none is doubled, and what is random is never written elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar, final

from veer.analysis.congruence import columns_needed
from veer.analysis.constants import folded
from veer.analysis.determinism import (
    call_kind,
    expr_kind,
    has_key,
    keys_relied_on,
    operator_kind,
)
from veer.assumptions import KeyAssumption, in_order
from veer.errors import UnsupportedError
from veer.functions.registry import Kind
from veer.model.dag import Dataflow, Link
from veer.model.expr import (
    AggregateCall,
    And,
    Column,
    Exists,
    Expr,
    InQuery,
    Literal,
    Named,
    Or,
    OverCall,
    ScalarQuery,
)
from veer.model.json import is_alike
from veer.model.ops import (
    Aggregate,
    AnyOperator,
    Filter,
    GlobalAggregate,
    Join,
    Limit,
    NamedCall,
    NamedOver,
    Over,
    Project,
    Sink,
    Sort,
    Source,
    Union,
    Unnest,
    Values,
)
from veer.model.schema import Schema
from veer.model.sources import declared_key
from veer.model.types import INT, LONG, has_floats
from veer.model.walk import (
    columns_read,
    exprs_in,
    map_exprs,
    parts,
    subqueries,
    substitute_columns,
    transform,
)

LARGEST = 400  # parts of the expressions of a projection that is not placed
MOST_BRANCHES = 64  # of a union that becomes part of another
# Where nobody reads a column there still is one.
ONE = Literal(1, INT)
ROWS = NamedCall("row", AggregateCall("count", (), LONG))
ROWS_OVER = NamedOver("row", OverCall("count", (), LONG))
# Operators whose rows come in no order.
UNORDERED = (Source, Values, Join, Union, Aggregate, GlobalAggregate, Over)
T = TypeVar("T")
Change: TypeAlias = Callable[[Column], Expr]


def normalized(dataflow: Dataflow) -> Dataflow:
    """The tidy form; kept with the dataflow."""
    return _normalization(dataflow).result


def keys_relied_on_by_normalizing(dataflow: Dataflow) -> list[KeyAssumption]:
    """The declared keys without which the tidy form would not mean the same."""
    found = list(_normalization(dataflow).relied)
    for operator in dataflow.operators.values():
        for query in subqueries(operator):
            found += keys_relied_on_by_normalizing(query)
    return list(dict.fromkeys(found))


@final
@dataclass(frozen=True)
class _Normalization:
    """The normal form of a dataflow, and the declared keys without which it means another."""

    result: Dataflow
    relied: tuple[KeyAssumption, ...]


def _normalization(dataflow: Dataflow) -> _Normalization:
    def make() -> _Normalization:
        normalizer = _Normalizer(dataflow)
        result = normalizer.dataflow()
        made = _Normalization(result, tuple(in_order(normalizer.relied)))
        return result.cached("normalization", lambda: made)  # it is its own normal form

    return dataflow.cached("normalization", make)


@final
@dataclass(frozen=True)
class _View:
    """A signal as columns, by their places, computed from those of a placed operator."""

    base: str
    columns: Mapping[int, Expr]


class _Normalizer:
    """One dataflow being made tidy; `shows` is false where only the number of rows counts."""

    def __init__(self, old: Dataflow, *, shows: bool = True) -> None:
        self.old = old
        self.shows = shows
        self.wanted = self._wanted()
        self.operators: dict[str, AnyOperator] = {}
        self.inputs: dict[str, tuple[str, ...]] = {}
        self.schemas: dict[str, Schema] = {}
        self.views: dict[str, _View] = {}
        self.relied: set[KeyAssumption] = set()  # declared keys

    def dataflow(self) -> Dataflow:
        """Everything placed that a sink depends on."""
        for id_ in self.old.order:
            below = [self.views[i] for i in self.old.inputs[id_]]
            operator = self.old.operators[id_]
            try:
                self.views[id_] = self._read(id_, operator, below)
            except UnsupportedError:  # a subquery reads what is computed below
                self.views[id_] = self._read(id_, operator, self._all_placed(id_))
        needed = dict.fromkeys(self.old.sinks)
        waiting = list(needed)
        for id_ in waiting:  # grows meanwhile
            new = dict.fromkeys(i for i in self.inputs[id_] if i not in needed)
            needed |= new
            waiting += new
        return Dataflow(
            {i: self.operators[i] for i in self.operators if i in needed},
            [Link(b, i, port) for i in needed for port, b in enumerate(self.inputs[i])],
        )

    # -- which columns are read --------------------------------------------------------------------

    def _wanted(self) -> dict[str, dict[int, None]]:
        """For each signal the columns that are read, in the order in which they are."""
        old = self.old
        found: dict[str, dict[int, None]] = {i: {} for i in old.operators}
        for id_ in reversed(old.order):
            below = [old.schemas[i] for i in old.inputs[id_]]
            for source, read in zip(old.inputs[id_], self._reads(id_, below, found), strict=True):
                found[source].update(dict.fromkeys(read))
        return found

    def _reads(
        self, id_: str, below: Sequence[Schema], wanted: Mapping[str, Mapping[int, None]]
    ) -> list[list[int]]:
        operator, own = self.old.operators[id_], wanted[id_]
        match operator:
            case Sink(columns=()) if not self.shows:
                return [[]]
            case Project(columns):
                read = (c for i in own for c in columns_read(columns[i].expr))
                return [[below[0].place(c.name, c.occurrence) for c in read]]
            case Union():
                return [list(own) for _ in below]
            case Filter() | Sort() | Limit() | Over() | Unnest():
                kept = [i for i in own if i < len(below[0])]
                return [[*kept, *sorted(columns_needed(operator, below, own, in_order=True)[0])]]
            case Join() | Aggregate() | GlobalAggregate():
                return [sorted(read) for read in columns_needed(operator, below, own)]
            case _:
                return [list(range(len(schema))) for schema in below]

    # -- operators -----------------------------------------------------------------------------

    def _read(self, id_: str, operator: AnyOperator, below: Sequence[_View]) -> _View:
        own = list(self.wanted[id_])
        below_id = next(iter(self.old.inputs[id_]), "")
        match operator:
            case Source() | Values():
                return self._put(id_, operator, (), range(len(self.old.schemas[id_])))
            case Project(columns):
                return self._projected(id_, columns, below[0])
            case Filter(predicate):
                return self._filtered(id_, predicate, below[0])
            case Sort(keys):
                changed = self._changed(keys, self._under(id_, below))
                self._put(id_, Sort(changed), (below[0].base,))
                return replace(below[0], base=id_)
            case Limit():
                return self._put(id_, operator, (self._placed(below_id, own),), own)
            case Over(calls):
                return self._ranked(id_, calls, below[0])
            case Unnest():
                return self._unnested(id_, operator, below[0])
            case Aggregate(keys, calls):
                return self._grouped(id_, keys, calls, below)
            case GlobalAggregate(calls):
                return self._grouped(id_, (), calls, below)
            case Join():
                return self._joined(id_, operator, below)
            case Union():
                branches = [b for i in self.old.inputs[id_] for b in self._branches(i, own)]
                return self._put(id_, operator, branches, own)
            case Sink(columns=()) if self.shows:
                every = range(len(self.old.schemas[id_]))
                return self._put(id_, operator, (self._placed(below_id, every),))
            case Sink(columns=()):
                # Nobody sees a column: any one will do.
                (view,) = below
                columns = (Named("row", ONE),)
                row = self._add(f"{id_} columns", Project(columns), (view.base,))
                return self._put(id_, operator, (row,))
            case _:
                names = [self._as_it_was(i) for i in self.old.inputs[id_]]
                return self._put(id_, operator, names, range(len(self.old.schemas[id_])))

    def _projected(self, id_: str, columns: Sequence[Named], below: _View) -> _View:
        under = self._under(id_, [below])
        made = {i: self._changed(columns[i].expr, under) for i in self.wanted[id_]}
        random = any(_is_chosen(e) for e in made.values())
        if not random and sum(_size(e) for e in made.values()) <= LARGEST:
            return _View(below.base, made)
        placed = Project(tuple(Named(columns[i].name, e) for i, e in made.items()))
        return self._put(id_, placed, (below.base,), list(made))

    def _filtered(self, id_: str, predicate: Expr, below: _View) -> _View:
        changed = self._changed(predicate, self._under(id_, [below]))
        base = below.base
        lower = self.operators[base]
        if (
            isinstance(lower, Filter)
            and not _is_chosen(changed)
            and not _is_chosen(lower.predicate)
        ):
            changed = _flat(And((lower.predicate, changed)))
            (base,) = self.inputs[base]
        self._put(id_, Filter(changed), (base,))
        return replace(below, base=id_)

    def _ranked(self, id_: str, calls: Sequence[NamedOver], below: _View) -> _View:
        """Window functions, with those just below if they are independent of each other."""
        width = len(self.old.schemas[self.old.inputs[id_][0]])
        under = self._under(id_, [below])
        own = sorted(i for i in self.wanted[id_] if i >= width)
        if not own and not self._is_ordered(below.base):
            return below
        changed = {i: self._changed(calls[i - width], under) for i in own}
        read = {i: self._unranked(id_, below.base, n) for i, n in changed.items()}
        read = read or {width: ROWS_OVER}
        base, lower = below.base, self.operators[below.base]
        together: list[NamedOver] = []
        if isinstance(lower, Over) and self._is_steady(id_) and self._is_steady(base):
            before = len(self.schemas[self.inputs[base][0]])
            at = self.schemas[base].place
            reads = (c for n in read.values() for e in exprs_in(n) for c in columns_read(e))
            if all(at(c.name, c.occurrence) < before for c in reads):
                (base,), together = self.inputs[base], list(lower.calls)
        places: dict[int, int] = {}
        for i, named in read.items():
            places[i] = next(
                (j for j, n in enumerate(together) if is_alike(n.call, named.call)), -1
            )
            if places[i] < 0 or not self._is_steady(id_):
                places[i] = len(together)
                together.append(named)
        first = len(self.schemas[base])
        self._put(id_, Over(tuple(together)), (base,))
        added = {i: self._column(id_, first + place) for i, place in places.items()}
        return _View(id_, {**below.columns, **added})

    def _is_ordered(self, id_: str) -> bool:
        """Whether a placed signal may have an order, which window functions take away."""
        while isinstance(self.operators[id_], Filter | Project | Limit):
            (id_,) = self.inputs[id_]
        return not isinstance(self.operators[id_], UNORDERED)

    def _is_steady(self, id_: str) -> bool:
        """Whether an operator is a function of its input, without relying on declared keys."""
        kind = operator_kind(self.old, id_)
        return kind not in (Kind.CHOICE, Kind.PARTITION) and not keys_relied_on(self.old, id_)

    def _unnested(self, id_: str, operator: Unnest, below: _View) -> _View:
        changed = self._changed(operator.generator, self._under(id_, [below]))
        before = len(self.schemas[below.base])
        width = len(self.old.schemas[self.old.inputs[id_][0]])
        self._put(id_, replace(operator, generator=changed), (below.base,))
        added = {width + i: self._column(id_, before + i) for i in range(len(operator.names))}
        return _View(id_, {**below.columns, **added})

    def _grouped(
        self, id_: str, keys: Sequence[Named], calls: Sequence[NamedCall], below: Sequence[_View]
    ) -> _View:
        """Keys and calls that say the same are one; calls nobody reads are gone."""
        under = self._under(id_, below)
        made: list[Named] = []
        places: dict[int, int] = {}
        for i, key in enumerate(keys):
            changed = self._changed(key, under)
            at = next((j for j, k in enumerate(made) if is_alike(k.expr, changed.expr)), len(made))
            if at == len(made) or _is_chosen(changed.expr):
                at = len(made)
                made.append(changed)
            places[i] = at
        folded: list[NamedCall] = []
        read = [i for i in self.wanted[id_] if i >= len(keys)]
        for i in read:
            changed_call = self._changed(calls[i - len(keys)], under)
            call = self._without_distinct(id_, below[0].base, made, changed_call)
            at = next((j for j, c in enumerate(folded) if is_alike(c.call, call.call)), len(folded))
            if at == len(folded) or call_kind(call.call) is not Kind.PURE or _chooses(call):
                at = len(folded)
                folded.append(call)
            places[i] = len(made) + at
        operator: AnyOperator = GlobalAggregate(tuple(folded or [ROWS]))
        if keys:
            operator = Aggregate(tuple(made), tuple(folded))
        self._put(id_, operator, (below[0].base,))
        return _View(id_, {i: self._column(id_, place) for i, place in places.items()})

    def _without_distinct(
        self, id_: str, base: str, keys: Sequence[Named], named: NamedCall
    ) -> NamedCall:
        """A call of distinct values that are distinct anyway, by a key."""
        exprs = [*(k.expr for k in keys), *named.call.args]
        if not named.call.distinct or not self._are_unique(id_, base, exprs):
            return named
        return replace(named, call=replace(named.call, distinct=False))

    def _unranked(self, id_: str, base: str, named: NamedOver) -> NamedOver:
        """A rank without ties is a number."""
        exprs = [*named.call.partition, *(k.expr for k in named.call.order)]
        if named.call.function not in ("rank", "dense_rank"):
            return named
        if not self._are_unique(id_, base, exprs):
            return named
        return replace(named, call=replace(named.call, function="row_number"))

    def _are_unique(self, id_: str, base: str, exprs: Sequence[Expr]) -> bool:
        """Whether no two rows of a placed signal agree on these; declared keys are noted."""
        names = {(e.name, e.occurrence) for e in exprs if isinstance(e, Column)}
        if any(has_floats(e.type) for e in exprs) or not has_key(self, base, names):
            return False
        below = self.old.ancestors(id_)
        for i, source in self.old.sources.items():
            if i in below:
                self.relied |= {declared_key(source, key) for key in source.keys}
        return True

    def _joined(self, id_: str, join: Join, below: Sequence[_View]) -> _View:
        """The padded side of an outer join is placed: what is computed of a row is null there."""
        left, right = below
        sides = self.old.inputs[id_]
        if join.kind in ("left", "full") and not _is_plain(right):
            right = self._view_placed(sides[1])
        if join.kind == "full" and not _is_plain(left):
            left = self._view_placed(sides[0])
        condition = self._changed(join.condition, self._under(id_, [left, right]))
        kept = [left] if join.kind in ("semi", "anti") else [left, right]
        columns = self._side_by_side(id_, kept)
        self._put(id_, replace(join, condition=condition), (left.base, right.base))
        return _View(id_, columns)

    def _branches(self, id_: str, own: Sequence[int]) -> list[str]:
        """What a union is made of below an input: the branches of unions there are its own."""
        view = self.views[id_]
        lower = self.operators[view.base]
        if not isinstance(lower, Union) or len(self.inputs[view.base]) > MOST_BRANCHES:
            return [self._placed(id_, own)]
        schema = self.schemas[view.base]
        found = []
        for number, branch in enumerate(self.inputs[view.base]):
            at = self._inside(branch)

            def moved(column: Column, at: _View = at) -> Expr:
                return at.columns[schema.place(column.name, column.occurrence)]

            try:
                columns = {i: self._changed(view.columns[i], moved) for i in own}
            except UnsupportedError:
                return [self._placed(id_, own)]
            if sum(map(_size, columns.values())) > LARGEST:
                return [self._placed(id_, own)]
            name = f"{id_} columns {number}"
            found.append(self._place(name, _View(at.base, columns), list(columns)))
        return found

    def _inside(self, id_: str) -> _View:
        """A placed signal over what its projection stands on, if it is one."""
        operator = self.operators[id_]
        if isinstance(operator, Project) and not any(_is_chosen(n.expr) for n in operator.columns):
            exprs = (n.expr for n in operator.columns)
            return _View(self.inputs[id_][0], dict(enumerate(exprs)))
        return _View(id_, {i: self._column(id_, i) for i in range(len(self.schemas[id_]))})

    # -- placing ---------------------------------------------------------------------------------

    def _add(self, id_: str, operator: AnyOperator, below: Sequence[str]) -> str:
        while id_ in self.operators or id_ in self.old.operators:
            id_ += "'"
        self._write(id_, operator, below)
        return id_

    def _write(self, id_: str, operator: AnyOperator, below: Sequence[str]) -> None:
        self.operators[id_], self.inputs[id_] = operator, tuple(below)
        self.schemas[id_] = operator.output([self.schemas[i] for i in below])

    def _put(
        self, id_: str, operator: AnyOperator, below: Sequence[str], places: Iterable[int] = ()
    ) -> _View:
        """Place an operator under its own id; its columns are those at `places` of the old one."""
        self._write(id_, operator, below)
        return _View(id_, {i: self._column(id_, at) for at, i in enumerate(places)})

    def _column(self, id_: str, place: int) -> Column:
        schema = self.schemas[id_]
        field = schema.fields[place]
        return Column(field.name, field.type, schema.occurrence(place))

    def _placed(self, id_: str, places: Sequence[int]) -> str:
        """Some columns of a signal, placed."""
        return self._place(f"{id_} columns", self.views[id_], places)

    def _place(self, name: str, view: _View, places: Sequence[int]) -> str:
        exprs = [view.columns[i] for i in places]
        width = len(self.schemas[view.base])
        if width and exprs == [self._column(view.base, i) for i in range(width)]:
            return view.base
        columns = tuple(Named(f"c{i}", e) for i, e in zip(places, exprs, strict=True))
        return self._add(name, Project(columns or (Named("row", ONE),)), (view.base,))

    def _view_placed(self, id_: str) -> _View:
        places = list(self.wanted[id_])
        base = self._placed(id_, places)
        return _View(base, {i: self._column(base, at) for at, i in enumerate(places)})

    def _all_placed(self, id_: str) -> list[_View]:
        return [self._view_placed(i) for i in self.old.inputs[id_]]

    def _as_it_was(self, id_: str) -> str:
        """A signal with all its columns under their names, placed."""
        view, schema = self.views[id_], self.old.schemas[id_]
        exprs = [view.columns[i] for i in range(len(schema))]
        base = self.schemas[view.base]
        every = [self._column(view.base, i) for i in range(len(base))]
        if exprs == every and base.names == schema.names:
            return view.base
        columns = tuple(map(Named, schema.names, exprs))
        return self._add(f"{id_} columns", Project(columns), (view.base,))

    # -- expressions -----------------------------------------------------------------------------

    def _under(self, id_: str, below: Sequence[_View]) -> Change:
        """How the columns an operator reads are written over what is placed below."""
        schemas = [self.old.schemas[i] for i in self.old.inputs[id_]]
        rows = schemas[0] if len(schemas) == 1 else schemas[0] + schemas[1]
        columns = self._side_by_side(id_, below)
        return lambda c: columns[rows.place(c.name, c.occurrence)]

    def _side_by_side(self, id_: str, below: Sequence[_View]) -> dict[int, Expr]:
        """The columns of the inputs of a join, over both of what is placed below."""
        found = dict(below[0].columns)
        if len(below) == 1:
            return found
        width = len(self.old.schemas[self.old.inputs[id_][0]])
        left, right = (self.schemas[view.base] for view in below)
        both = left + right

        def moved(column: Column) -> Column:
            place = len(left) + right.place(column.name, column.occurrence)
            return replace(column, occurrence=both.occurrence(place))

        for i, expr in below[1].columns.items():
            found[width + i] = substitute_columns(expr, moved)
        return found

    def _changed(self, part: T, change: Change) -> T:
        """A part of an operator over other columns, its constants and subqueries made tidy."""
        return map_exprs(part, lambda e: transform(substitute_columns(e, change), _tidy_part))


def _tidy_part(expr: Expr) -> Expr:
    """One node of an expression; the nodes below it are tidy."""
    match expr:
        case Exists(query):
            return replace(expr, query=_rows_only(query))
        case InQuery(query=query) | ScalarQuery(query):
            return replace(expr, query=normalized(query))
        case And() | Or():
            return _flat(expr)
        case _:
            return folded(expr)


def _rows_only(query: Dataflow) -> Dataflow:
    """The tidy form of a query of which only counts how many rows there are."""

    def make() -> Dataflow:
        result = _Normalizer(query, shows=False).dataflow()
        return result.cached("normalized rows", lambda: result)  # it is its own normal form

    return query.cached("normalized rows", make)


def _flat(expr: And | Or) -> And | Or:
    made = type(expr)
    inner = (a.args if isinstance(a, And | Or) and type(a) is made else (a,) for a in expr.args)
    return made(tuple(part for args in inner for part in args))


def _is_plain(view: _View) -> bool:
    return all(isinstance(e, Column) for e in view.columns.values())


def _is_chosen(expr: Expr) -> bool:
    return expr_kind(expr) in (Kind.CHOICE, Kind.PARTITION)


def _chooses(call: NamedCall) -> bool:
    return any(map(_is_chosen, exprs_in(call)))


def _size(expr: Expr) -> int:
    return sum(1 for _ in parts(expr))
