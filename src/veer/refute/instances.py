"""Random tiny instances: values from the literals and their neighbours, constraints kept.

Numbers, texts and dates that the versions mention decide which branch a row takes, so they and
the values right beside them are drawn most; nulls, duplicates and empty tables come often.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from veer.dataflow.dag import Dataflow
from veer.dataflow.expr import Call, Cast, Literal
from veer.dataflow.functions.arithmetic import NAN, fit_decimal, to_float32
from veer.dataflow.functions.registry import Failure
from veer.dataflow.ops import ForeignKey, Source
from veer.dataflow.types import (
    FLOAT,
    INTEGER_BITS,
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    IntegralType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
)
from veer.dataflow.walk import operator_exprs, parts, subqueries
from veer.refute.fitting import Conditions, Place

CASING = frozenset({"upper", "lower", "initcap", "title", "capitalize", "casefold"})
TRIMMING = frozenset({"trim", "ltrim", "rtrim", "strip", "lstrip", "rstrip"})
Tables = dict[str, list[tuple[Any, ...]]]
NULL_SHARE = 0.2
SIZES = (1, 2, 3, 2, 0, 4, 1, 3)
PLAIN_NUMBERS = (0, 1, 2, 3, -1, 10)
PLAIN_TEXTS = ("", "a", "b", "A", "1", "x y")


def all_sources(dataflows: Iterable[Dataflow]) -> dict[str, Source]:
    """The source tables that dataflows read anywhere, subqueries included.

    What any of them declares of a table counts: all keys, never null where one says so.
    """
    found: dict[str, Source] = {}
    for source in _sources(dataflows):
        known = found.get(source.table)
        found[source.table] = source if known is None else _merged(known, source)
    return dict(sorted(found.items()))


def _sources(dataflows: Iterable[Dataflow]) -> Iterator[Source]:
    for dataflow in dataflows:
        for id_ in dataflow.order:
            operator = dataflow.operators[id_]
            if isinstance(operator, Source):
                yield operator
            yield from _sources(subqueries(operator))


def _merged(one: Source, two: Source) -> Source:
    if one == two or _columns(one) != _columns(two):
        return one
    fields = tuple(
        replace(f, nullable=f.nullable and g.nullable)
        for f, g in zip(one.fields, two.fields, strict=True)
    )
    return replace(
        one,
        fields=fields,
        keys=tuple(dict.fromkeys(one.keys + two.keys)),
        foreign_keys=tuple(dict.fromkeys(one.foreign_keys + two.foreign_keys)),
        lengths=tuple(dict.fromkeys(one.lengths + two.lengths)),
    )


def _columns(source: Source) -> list[tuple[str, DataType]]:
    return [(f.name, f.type) for f in source.fields]


def conflict(dataflows: Sequence[Dataflow]) -> str:
    """A table that is declared with other columns in one place than in another, or spelled otherwise.

    No rows can be given for it that both mean.
    """
    known: dict[str, Source] = {}
    for source in _sources(dataflows):
        other = known.setdefault(source.table.lower(), source)
        if other.table != source.table or _columns(other) != _columns(source):
            return f"table {source.table!r} is declared in two ways"
    return ""


def constants(dataflows: Iterable[Dataflow]) -> list[Any]:
    """The literal values of dataflows, in order of appearance; texts of numbers as numbers too."""
    found: dict[str, Any] = {}
    for dataflow in dataflows:
        for key, value in _constants(dataflow).items():
            found.setdefault(key, value)
    return list(found.values())


def _constants(dataflow: Dataflow) -> Mapping[str, Any]:
    """The literal values of one dataflow by their text, kept with it."""
    known: dict[str, Any] | None = dataflow.__dict__.get("_constants")
    if known is None:
        known, called = {}, set()
        for id_ in dataflow.order:
            operator = dataflow.operators[id_]
            exprs = list(operator_exprs(operator))
            for expr in exprs:
                for part in parts(expr):
                    literal = part.arg if isinstance(part, Cast) else part
                    if isinstance(literal, Literal) and literal.value is not None:
                        known.setdefault(repr(literal.value), literal.value)
                    elif isinstance(part, Call):
                        called.add(part.function.removeprefix("python."))
            for query in subqueries(operator):
                for key, value in _constants(query).items():
                    known.setdefault(key, value)
        for text in _variants([v for v in known.values() if isinstance(v, str)], called):
            known.setdefault(repr(text), text)
        dataflow.__dict__["_constants"] = known
    return known


def _variants(texts: Sequence[str], called: Collection[str]) -> list[str]:
    """Texts on which functions of texts show what they do: in other letter case, with spaces."""
    few = [*texts[:8], "a"]
    found = [t.swapcase() for t in few] if CASING & set(called) else []
    return found + [f" {t} " for t in few] if TRIMMING & set(called) else found


class Instances:
    """A stream of instances for the sources of two versions, the same for the same seed."""

    def __init__(self, dataflows: Sequence[Dataflow], seed: int = 0) -> None:
        self.sources = all_sources(dataflows)
        self.conflict = conflict(dataflows)
        self.constants = constants(dataflows)
        self.seed = seed
        self.pools: dict[DataType, list[Any]] = {}
        self.conditions = Conditions(dataflows)
        self._best: dict[Place, list[Any]] = {}

    def make(self, number: int) -> Tables:
        """The instance of that number; every other one is made to pass most conditions."""
        rng = random.Random(f"{self.seed} {number}")
        if number % 2:
            return self._passing(rng, number // 2)
        tables: Tables = {}
        for source in self._parents_first():
            size = SIZES[(number + rng.randrange(2)) % len(SIZES)]
            tables[source.table] = self._rows(rng, source, size, tables)
        return tables

    def _passing(self, rng: random.Random, turn: int) -> Tables:
        """In each table a row that passes whatever it can, and some that are nearly the same."""
        strayed = rng.choice((0.0, 0.0, 0.1, 0.3))
        chosen: dict[Place, Any] = {}
        tables: Tables = {}
        for source in self._parents_first():
            best = [
                self._passing_value(rng, source, i, chosen, strayed)
                for i in range(len(source.fields))
            ]
            rows: list[tuple[Any, ...]] = []
            telling = self._telling(source)
            for number in range(rng.choice((1, 2, 4, 4))):
                row = list(best)
                # First all that aggregates read, so that rows of one group differ.
                others = self._folded(source) if number == 1 else []
                if number > 1 or (number and not others):
                    others = [telling[(3 * turn + number) % len(telling)]]
                for place in others:
                    field = source.fields[place]
                    row[place] = self._value(rng, field.type, field.nullable)
                if self._refer(rng, source, row, tables, rows, to_first=not number):
                    rows.append(tuple(row))
            tables[source.table] = distinct_on_keys(source, rows)
        return tables

    def _telling(self, source: Source) -> list[int]:
        """The columns that make a difference: those somebody reads, or else all."""
        every = range(len(source.fields))
        return [i for i in every if (source.table, i) in self.conditions.read] or list(every)

    def _folded(self, source: Source) -> list[int]:
        every = range(len(source.fields))
        return [i for i in every if (source.table, i) in self.conditions.folded]

    def _passing_value(
        self,
        rng: random.Random,
        source: Source,
        index: int,
        chosen: dict[Place, Any],
        strayed: float,
    ) -> Any:
        """One of the values that pass most, the same for columns that are equated."""
        field = source.fields[index]
        place = (source.table, index)
        leader = self.conditions.leader(place)
        if leader in chosen and _is_value(chosen[leader], field.type, field.nullable):
            return chosen[leader]
        if place not in self._best:
            asked = [c for _, c in self.conditions.asked(place) if c is not None]
            near = dict.fromkeys(pool(field.type, asked) or [None])
            self._best[place] = self.conditions.best(place, near)
        if rng.random() < strayed:
            return self._value(rng, field.type, field.nullable)
        chosen[leader] = rng.choice(self._best[place])
        return chosen[leader]

    def _parents_first(self) -> list[Source]:
        """Tables after those their foreign keys refer to, as far as there is no circle."""
        order: list[Source] = []
        waiting = list(self.sources.values())
        names = {s.table.lower() for s in waiting}
        while waiting:
            placed = {s.table.lower() for s in order}
            free = [
                s
                for s in waiting
                if all(
                    f.parent.lower() in placed
                    or f.parent.lower() not in names
                    or f.parent.lower() == s.table.lower()
                    for f in s.foreign_keys
                )
            ]
            chosen = (free or waiting)[0]
            waiting.remove(chosen)
            order.append(chosen)
        return order

    def _rows(
        self, rng: random.Random, source: Source, size: int, tables: Tables
    ) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for _ in range(size):
            if rows and rng.random() < 0.25:
                row = list(rng.choice(rows))  # a duplicate, perhaps changed in one place
                if rng.random() < 0.5:
                    place = rng.randrange(len(row))
                    row[place] = self._value(
                        rng, source.fields[place].type, source.fields[place].nullable
                    )
            else:
                row = [self._value(rng, f.type, f.nullable) for f in source.fields]
            if self._refer(rng, source, row, tables, rows):
                rows.append(tuple(row))
        return distinct_on_keys(source, rows)

    def _refer(
        self,
        rng: random.Random,
        source: Source,
        row: list[Any],
        tables: Tables,
        own: list[tuple[Any, ...]],
        *,
        to_first: bool = False,
    ) -> bool:
        """Make foreign keys point to parents; False if there is none to point to."""
        names = [f.name for f in source.fields]
        for foreign in source.foreign_keys:
            parent = self._find(foreign.parent)
            if parent is None:
                continue
            places = [names.index(c) for c in foreign.columns]
            if not _refers(source, places, parent, foreign):
                continue
            rows = own if parent.table == source.table else tables.get(parent.table, [])
            nullable = [p for p in places if source.fields[p].nullable]
            if rows and (to_first or not nullable or rng.random() < 0.8):
                chosen = rows[0] if to_first else rng.choice(rows)
                for place, target in zip(places, _targets(parent, foreign), strict=False):
                    row[place] = chosen[target]
            elif nullable:
                row[nullable[0]] = None
            else:
                return False
        return True

    def _find(self, name: str) -> Source | None:
        return next((s for n, s in self.sources.items() if n.lower() == name.lower()), None)

    def _value(self, rng: random.Random, type_: DataType, nullable: bool) -> Any:
        if nullable and rng.random() < NULL_SHARE:
            return None
        if type_ not in self.pools:
            self.pools[type_] = pool(type_, self.constants)
        return rng.choice(self.pools[type_]) if self.pools[type_] else None


def _targets(parent: Source, foreign: ForeignKey) -> list[int]:
    """Where the columns a foreign key refers to stand in the parent; its first key by default."""
    names = [f.name.lower() for f in parent.fields]
    wanted = foreign.parent_columns or (parent.keys[0] if parent.keys else ())
    return [names.index(name.lower()) for name in wanted if name.lower() in names]


def _refers(source: Source, places: Sequence[int], parent: Source, foreign: ForeignKey) -> bool:
    """Whether a foreign key can be kept: as many columns, of the same types."""
    ours = [source.fields[i].type for i in places]
    return ours == [parent.fields[i].type for i in _targets(parent, foreign)]


def distinct_on_keys(source: Source, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows without those that repeat a key."""
    names = [f.name for f in source.fields]
    for key in source.keys:
        places = [names.index(n) for n in key]
        rows = list({tuple(row[p] for p in places): row for row in reversed(rows)}.values())[::-1]
    return rows


def pool(type_: DataType, values: Sequence[Any]) -> list[Any]:
    """Values of a type worth trying, those near the constants twice."""
    match type_:
        case BooleanType():
            return [True, False]
        case IntegralType():
            limit = 1 << (INTEGER_BITS[type_] - 1)
            near = [int(v) + d for v in _numbers(values) for d in (0, 1, -1)]
            return [v for v in (*near, *near, *PLAIN_NUMBERS) if -limit <= v < limit]
        case DecimalType():
            unit = Decimal(1).scaleb(-type_.scale)
            near_decimals = [Decimal(v) + d * unit for v in _numbers(values) for d in (0, 1, -1)]
            return _fitting([*near_decimals, *map(Decimal, PLAIN_NUMBERS), unit], type_)
        case FractionalType():
            near_floats = [float(v) + d for v in _numbers(values) for d in (0.0, 0.5, -1.0)]
            floats = [*near_floats, *map(float, PLAIN_NUMBERS), -0.0, 0.5, NAN]
            return [to_float32(v) for v in floats] if type_ == FLOAT else floats
        case StringType():
            texts = [v for v in values if isinstance(v, str)]
            shown = [
                str(v) for v in values if isinstance(v, int | Decimal) and not isinstance(v, bool)
            ]
            return [*texts, *texts, *(t + "a" for t in texts), *shown, *PLAIN_TEXTS]
        case BinaryType():
            return [b"", b"a", b"b"]
        case DateType():
            days = [
                v if not isinstance(v, datetime) else v.date()
                for v in values
                if isinstance(v, date)
            ]
            near_days = [
                d + timedelta(days=n) for d in days for n in (0, 1, -1) if date.min < d < date.max
            ]
            return [*near_days, date(2000, 1, 31), date(2000, 2, 29), date(1999, 12, 31)]
        case TimestampType() | TimestampNtzType():
            moments = [
                v if isinstance(v, datetime) else datetime(v.year, v.month, v.day)
                for v in values
                if isinstance(v, date)
            ]
            near_moments = [m + timedelta(seconds=n) for m in moments for n in (0, 1)]
            return [*near_moments, datetime(2000, 1, 31, 12), datetime(1999, 12, 31, 23, 59, 59)]
        case ArrayType(element):
            inner = [*pool(element, values)[:3], None]
            return [(), tuple(inner[:1]), tuple(inner[:2]), tuple(inner)]
        case StructType(fields):
            columns = [pool(t, values) or [None] for _, t in fields]
            return [tuple(c[i % len(c)] for c in columns) for i in range(3)]
        case MapType(key, value):
            keys, held = pool(key, values), pool(value, values) or [None]
            return [(), *(((k, held[0]),) for k in keys[:2])]
        case _:
            return []


def _numbers(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, bool):
            continue
        if isinstance(value, int | Decimal) or (
            isinstance(value, float) and value == value and abs(value) < 1e15
        ):
            yield value
        elif isinstance(value, str) and value.strip("-").isdigit() and len(value) < 15:
            yield int(value)


def _fitting(values: Iterable[Decimal], type_: DecimalType) -> list[Any]:
    found = []
    for value in values:
        try:
            found.append(fit_decimal(value, type_))
        except Failure:
            continue
    return found


def _is_value(value: Any, type_: DataType, nullable: bool) -> bool:
    """Whether a column of a type can hold a value chosen for another."""
    return nullable if value is None else _fits(value, type_)


def _fits(value: Any, type_: DataType) -> bool:
    """Whether a value is one of its type, written as Spark would hold it."""
    if value is None:
        return True
    like = pool(type_, ())
    if not like or type(value) is not type(like[0]):
        return False
    match type_:
        case IntegralType():
            limit = 1 << (INTEGER_BITS[type_] - 1)
            return bool(-limit <= value < limit)
        case DecimalType(precision, scale):
            digits = value.scaleb(scale)
            return bool(value.as_tuple().exponent == -scale and abs(digits) < 10**precision)
        case _ if type_ == FLOAT:
            return bool(value != value or to_float32(value) == value)
        case _:
            return True


def constraints_hold(sources: Mapping[str, Source], tables: Tables) -> bool:
    """Whether rows keep their types, NOT NULL, keys and foreign keys."""
    for source in sources.values():
        rows = tables[source.table]
        names = [f.name for f in source.fields]
        for place, f in enumerate(source.fields):
            if not f.nullable and any(row[place] is None for row in rows):
                return False
            if not all(_fits(row[place], f.type) for row in rows):
                return False
        for name, most in source.lengths:
            texts = (row[names.index(name)] for row in rows)
            if any(isinstance(text, str) and len(text) > most for text in texts):
                return False
        if len(distinct_on_keys(source, rows)) < len(rows):
            return False
        for foreign in source.foreign_keys:
            parent = next(
                (s for s in sources.values() if s.table.lower() == foreign.parent.lower()), None
            )
            places = [names.index(c) for c in foreign.columns]
            if parent is None or not _refers(source, places, parent, foreign):
                continue
            targets = _targets(parent, foreign)
            known = {tuple(row[i] for i in targets) for row in tables[parent.table]}
            for row in rows:
                value = tuple(row[i] for i in places)
                if None not in value and value not in known:
                    return False
    return True
