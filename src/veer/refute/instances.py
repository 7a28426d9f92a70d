"""Random tiny instances: values from the literals and their neighbours, constraints kept.

Numbers, texts and dates that the versions mention decide which branch a row takes, so they and
the values right beside them are drawn most; nulls, duplicates and empty tables come often.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from veer.errors import InputError
from veer.facts.determinism import expr_kind
from veer.functions.ordering import group_key
from veer.functions.registry import Failure, Kind, scalar_function
from veer.functions.traits import TextUse
from veer.interpreter.expressions import Compiled, compile_expr
from veer.ir import expr as ex, ops, sources as ir_sources, types as ty
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.walk import operator_exprs, parts, subqueries
from veer.refute import pools
from veer.refute.counting import telling_counts
from veer.refute.fitting import Conditions, SourceColumn, moment_of
from veer.refute.perturbing import Perturbing
from veer.refute.texts import looks_into_texts, telling_texts, variants

Tables = dict[str, list[tuple[Any, ...]]]
NULL_SHARE = 0.2
STEP_SHARE = 0.7  # of the values beside others
KEY_TRIES = 6
SIZES = (1, 2, 3, 2, 0, 4, 1, 3)
EARLY = 16  # instances that every pair is run on: few of them may be large
SAME, BUT_FEW, DIFFERENT, GROUPED, ANY = "same", "all but few", "different", "grouped", "any"
STYLES = (SAME, SAME, BUT_FEW, DIFFERENT, GROUPED, ANY)
MOST_ROWS = 132  # in a table
MOST_COMBINED = 2_000  # rows of all tables that are read, each with each


def conflict(dataflows: Sequence[Dataflow]) -> str:
    """A table that is declared with other columns in one place than in another, or spelled otherwise.

    No rows can be given for it that both mean.
    """
    first: dict[str, ops.Source] = {}
    for source in chain.from_iterable(map(ir_sources.sources_of, dataflows)):
        other = first.setdefault(source.table.lower(), source)
        if other.table != source.table or not ir_sources.have_same_columns(other, source):
            return f"table {source.table!r} is declared in two ways"
    return ""


def constants(dataflows: Iterable[Dataflow]) -> list[Any]:
    """The literal values of dataflows, in order of appearance; texts of numbers as numbers too."""
    values: dict[str, Any] = {}
    for dataflow in dataflows:
        for key, value in _constants(dataflow).items():
            values.setdefault(key, value)
    return list(values.values())


def _constants(dataflow: Dataflow) -> Mapping[str, Any]:
    """The literal values of one dataflow by their text, kept with it."""
    return dataflow.cached("constants", lambda: _collect_constants(dataflow))


def _collect_constants(dataflow: Dataflow) -> Mapping[str, Any]:
    """By text and not by value: 1, 1.0 and True are equal, and three constants."""
    by_text: dict[str, Any] = {}
    uses: set[TextUse] = set()
    for id_ in dataflow.order:
        operator = dataflow.operators[id_]
        for expr in operator_exprs(operator):
            for part in parts(expr):
                literal = part.arg if isinstance(part, ex.Cast) else part
                if isinstance(literal, ex.Literal) and literal.value is not None:
                    by_text.setdefault(repr(literal.value), literal.value)
                    if isinstance(part, ex.Cast) and (moment := moment_of(part)) is not None:
                        by_text.setdefault(repr(moment), moment)
                elif (value := _folded_value(part)) is not None:
                    by_text.setdefault(repr(value), value)
                elif isinstance(part, ex.Call):
                    use = scalar_function(part.function).texts
                    uses |= set() if use is None else {use}
        for query in subqueries(operator):
            for key, value in _constants(query).items():
                by_text.setdefault(key, value)
    for text in variants([v for v in by_text.values() if isinstance(v, str)], uses):
        by_text.setdefault(repr(text), text)
    return by_text


def _text_exprs(dataflow: Dataflow) -> list[ex.Expr]:
    """The expressions that look into texts, kept with the dataflow."""
    return dataflow.cached("text expressions", lambda: _collect_text_exprs(dataflow))


def _collect_text_exprs(dataflow: Dataflow) -> list[ex.Expr]:
    exprs: list[ex.Expr] = []
    for operator in dataflow.operators.values():
        exprs += filter(looks_into_texts, operator_exprs(operator))
        for query in subqueries(operator):
            exprs += _text_exprs(query)
    return exprs


def _readers(dataflows: Iterable[Dataflow]) -> Counter[str]:
    """How many operators of a dataflow read each table, subqueries included; the most of several."""
    readers: Counter[str] = Counter()
    for dataflow in dataflows:
        read: Counter[str] = Counter()
        for id_, operator in dataflow.operators.items():
            if isinstance(operator, ops.Source):
                read[operator.table] += len(dataflow.outputs[id_])
            for query in subqueries(operator):
                read += _readers((query,))
        readers |= read
    return readers


class Instances:
    """A stream of instances for the sources of two versions, the same for the same seed."""

    def __init__(
        self, dataflows: Sequence[Dataflow], seed: int = 0, samples: Sequence[str] = ()
    ) -> None:
        self.sources = ir_sources.tables_read(dataflows)
        self.conflict = conflict(dataflows)
        self.constants = constants(dataflows)
        self.constants += samples
        self.constants += telling_texts(e for d in dataflows for e in _text_exprs(d))
        self.counts = telling_counts(dataflows)
        self.readers = _readers(dataflows) if self.counts else Counter()
        self.seed = seed
        self.pools: dict[ty.DataType, list[Any]] = {}
        self.conditions = Conditions(dataflows)
        self._best: dict[SourceColumn, list[Any]] = {}
        self.distances = pools.distances(self.constants)
        self.perturbing = Perturbing(
            self.sources,
            {source.table: self._telling(source) for source in self.sources.values()},
            self.conditions.leader,
            lambda tables: constraints_hold(self.sources, tables),
        )

    def make(self, number: int) -> Tables:
        """The instance of that number; every other one is made to pass most conditions.

        Where rows are counted, some of these have as many as it takes.
        """
        rng = random.Random(f"{self.seed} {number}")
        if self.counts and number % 4 == 1 and (number % 8 == 5 or number >= EARLY):
            return self._grown(rng, number // 4)
        if number % 2:
            return self._passing(rng, number // 2)
        if number >= EARLY and number % 8 == 6:
            return self._crowded(rng)
        if number % 8 == 2 or (number >= EARLY and number % 8 == 4):
            return self._perturbed(rng)
        tables: Tables = {}
        for source in self._parents_first():
            size = SIZES[(number + rng.randrange(2)) % len(SIZES)]
            tables[source.table] = self._rows(rng, source, size, tables)
        return tables

    def _passing(self, rng: random.Random, turn: int) -> Tables:
        """In each table a row that passes whatever it can, and some that are nearly the same."""
        strayed = rng.choice((0.0, 0.0, 0.1, 0.3))
        chosen: dict[SourceColumn, Any] = {}
        tables: Tables = {}
        for source in self._parents_first():
            best = [
                self._passing_value(rng, source, i, chosen, strayed)
                for i in range(len(source.fields))
            ]
            rows: list[tuple[Any, ...]] = []
            telling = self._telling(source)
            hollow = turn % 8 == 3  # nothing but nulls to be folded
            for place in self._folded(source) if hollow else ():
                best[place] = None if source.fields[place].nullable else best[place]
            for number in range(rng.choice((1, 2, 4, 4))):
                row = list(best)
                # First all that aggregates read, so that rows of one group differ.
                others = self._folded(source) if number == 1 and not hollow else []
                if number > 1 or (number and not others):
                    others = [telling[(3 * turn + number) % len(telling)]]
                for place in others:
                    field = source.fields[place]
                    row[place] = self._value(rng, field.type, field.nullable)
                self._renew_keys(rng, source, row, rows)
                if self._refer(rng, source, row, tables, rows, parent=None if number else 0):
                    rows.append(tuple(row))
            tables[source.table] = lawful_rows(source, rows)
        return tables

    def _perturbed(self, rng: random.Random) -> Tables:
        """A row in each table that passes whatever it can, and rows a small step beside it."""
        chosen: dict[SourceColumn, Any] = {}
        tables: Tables = {}
        for source in self._parents_first():
            every = range(len(source.fields))
            row = [self._passing_value(rng, source, i, chosen, 0.0) for i in every]
            meets = self._refer(rng, source, row, tables, [], parent=0)
            tables[source.table] = lawful_rows(source, [tuple(row)] if meets else [])

        def step(source: ops.Source, place: int, value: Any) -> Any:
            field = source.fields[place]
            if value is not None and rng.random() < STEP_SHARE:
                distance = rng.choice(self.distances) * rng.choice((1, -1))
                value = pools.stepped(field.type, value, distance)
                if value is not None:
                    return value
            return self._value(rng, field.type, field.nullable)

        return self.perturbing.perturbed(rng, tables, step)

    def _crowded(self, rng: random.Random) -> Tables:
        """More rows of fewer values: they meet in long chains, and repeat."""
        few: dict[SourceColumn, list[Any]] = {}
        tables: Tables = {}
        for source in self._parents_first():
            rows: list[tuple[Any, ...]] = []
            for _ in range(rng.randrange(3, 8)):
                row = []
                for index, field in enumerate(source.fields):
                    leader = self.conditions.leader((source.table, index))
                    if leader not in few:
                        crowd = [self._value(rng, field.type, False) for _ in range(3)]
                        few[leader] = [*crowd, *([None] if rng.random() < NULL_SHARE else [])]
                    value = rng.choice(few[leader])
                    if not pools.is_value(value, field.type, field.nullable):
                        value = self._value(rng, field.type, field.nullable)
                    row.append(value)
                if self._refer(rng, source, row, tables, rows):
                    rows.append(tuple(row))
            tables[source.table] = lawful_rows(source, rows)
        return tables

    def _grown(self, rng: random.Random, turn: int) -> Tables:
        """As many rows as it takes, in all tables or, where that is too much, in one."""
        chosen: dict[SourceColumn, Any] = {}
        tables: Tables = {}
        grown = sorted(self.counts)
        sizes = {table: self._grown_size(rng, table) for table in grown}
        if math.prod(n ** self.readers[t] for t, n in sizes.items()) > MOST_COMBINED:
            alone = grown[turn % len(grown)]
            most = int(MOST_COMBINED ** (1 / self.readers[alone]))
            sizes = {alone: min(sizes[alone], most)}
        for source in self._parents_first():
            best = [
                self._passing_value(rng, source, i, chosen, 0.1) for i in range(len(source.fields))
            ]
            size = sizes.get(source.table) or rng.randrange(1, 4)
            tables[source.table] = self._alike_rows(rng, source, best, size, tables)
        return tables

    def _grown_size(self, rng: random.Random, table: str) -> int:
        """One of the numbers rows are counted against or a little more; some groups of that many."""
        counts = self.counts[table]
        size = rng.choice((*counts, counts[-1], sum(counts), counts[0] * counts[-1]))
        return min(MOST_ROWS, size + rng.randrange(3))

    def _alike_rows(
        self, rng: random.Random, source: ops.Source, best: list[Any], size: int, tables: Tables
    ) -> list[tuple[Any, ...]]:
        """Rows like the one given: in each column the same or not, as its style says."""
        styles = [rng.choice(STYLES) for _ in source.fields]
        names = [f.name for f in source.fields]
        for key in (*source.keys, *source.unique):
            styles[names.index(key[-1])] = DIFFERENT
        step, spread = rng.choice((1, -1)), rng.choice((0, 1, None))
        width, few = (
            rng.choice((2, 3, *self.counts.get(source.table, ()))),
            rng.choice((1, 1, 2, 3)),
        )
        rows: list[tuple[Any, ...]] = []
        for number in range(size):
            row = list(best)
            for place, (field, style) in enumerate(zip(source.fields, styles, strict=True)):
                if style in (DIFFERENT, GROUPED):
                    other = number if style == DIFFERENT else number // width
                    row[place] = pools.numbered(field.type, best[place], step * other)
                strays = style == ANY or (style == BUT_FEW and number >= size - few)
                if strays or (row[place] is None and not field.nullable):
                    row[place] = self._value(rng, field.type, field.nullable)
            parent = None if spread is None else spread * number
            if self._refer(rng, source, row, tables, rows, parent=parent):
                rows.append(tuple(row))
        return lawful_rows(source, rows)

    def _renew_keys(
        self,
        rng: random.Random,
        source: ops.Source,
        row: list[Any],
        rows: Sequence[tuple[Any, ...]],
    ) -> None:
        """Another key for a row that only repeats one, if one is soon found."""
        names = [f.name for f in source.fields]
        for key in (*source.keys, *source.unique):
            places = [names.index(n) for n in key]
            taken = {tuple(r[p] for p in places) for r in rows}
            last = source.fields[places[-1]]
            for _ in range(KEY_TRIES):
                value = tuple(row[p] for p in places)
                if value not in taken or None in value:
                    break
                row[places[-1]] = self._value(rng, last.type, last.nullable)

    def _telling(self, source: ops.Source) -> list[int]:
        """The columns that make a difference: those somebody reads, or else all."""
        every = range(len(source.fields))
        return [i for i in every if (source.table, i) in self.conditions.read] or list(every)

    def _folded(self, source: ops.Source) -> list[int]:
        """The columns that aggregates read."""
        every = range(len(source.fields))
        return [i for i in every if (source.table, i) in self.conditions.folded]

    def _passing_value(
        self,
        rng: random.Random,
        source: ops.Source,
        index: int,
        chosen: dict[SourceColumn, Any],
        strayed: float,
    ) -> Any:
        """One of the values that pass most, the same for columns that are equated."""
        field = source.fields[index]
        column = (source.table, index)
        leader = self.conditions.leader(column)
        if leader in chosen and pools.is_value(chosen[leader], field.type, field.nullable):
            return chosen[leader]
        if column not in self._best:
            near = dict.fromkeys(
                pools.pool(field.type, self.conditions.constants(column)) or [None]
            )
            self._best[column] = self.conditions.best(column, near)
        if rng.random() < strayed:
            return self._value(rng, field.type, field.nullable)
        chosen[leader] = rng.choice(self._best[column])
        return chosen[leader]

    def _parents_first(self) -> list[ops.Source]:
        """Tables after those their foreign keys refer to, as far as there is no circle."""
        order: list[ops.Source] = []
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
        self, rng: random.Random, source: ops.Source, size: int, tables: Tables
    ) -> list[tuple[Any, ...]]:
        """Random rows, some of them duplicates; fewer where constraints forbid them."""
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
        return lawful_rows(source, rows)

    def _refer(
        self,
        rng: random.Random,
        source: ops.Source,
        row: list[Any],
        tables: Tables,
        own: list[tuple[Any, ...]],
        *,
        parent: int | None = None,
    ) -> bool:
        """Make foreign keys point to parents, or to that one; False if there is none."""
        names = [f.name for f in source.fields]
        for foreign in source.foreign_keys:
            referred = ir_sources.parent_of(foreign, self.sources.values())
            places = [names.index(c) for c in foreign.columns]
            if referred is None or not refers(source, places, referred, foreign):
                continue
            targets = ir_sources.target_places(referred, foreign)
            every = own if referred.table == source.table else tables.get(referred.table, [])
            types = [source.fields[p].type for p in places]
            rows = [
                other
                for other in every
                if all(
                    pools.is_value(other[t], k, False) for t, k in zip(targets, types, strict=True)
                )
            ]
            nullable = [p for p in places if source.fields[p].nullable]
            if rows and (parent is not None or not nullable or rng.random() < 0.8):
                chosen = rng.choice(rows) if parent is None else rows[parent % len(rows)]
                for place, target in zip(places, targets, strict=True):
                    row[place] = chosen[target]
            elif nullable:
                row[nullable[0]] = None
            else:
                return False
        return True

    def _value(self, rng: random.Random, type_: ty.DataType, nullable: bool) -> Any:
        if nullable and rng.random() < NULL_SHARE:
            return None
        if type_ not in self.pools:
            self.pools[type_] = pools.pool(type_, self.constants)
        return rng.choice(self.pools[type_]) if self.pools[type_] else None


def refers(
    source: ops.Source, places: Sequence[int], parent: ops.Source, foreign: ops.ForeignKey
) -> bool:
    """Whether a foreign key can be kept: as many columns, of the same types or whole numbers."""
    targets = ir_sources.target_places(parent, foreign)
    if len(places) != len(targets) or not places:
        return False
    ours, theirs = (
        [s.fields[i].type for i in at] for s, at in ((source, places), (parent, targets))
    )
    return all(
        a == b or (isinstance(a, ty.IntegralType) and isinstance(b, ty.IntegralType))
        for a, b in zip(ours, theirs, strict=True)
    )


def unkept(dataflows: Iterable[Dataflow], unread: Iterable[ops.Source]) -> str:
    """A foreign key that instances do not keep, since its columns are compared in another way."""
    read = ir_sources.tables_read(dataflows)
    declared = (*read.values(), *unread)
    for source in read.values():
        names = [f.name for f in source.fields]
        for foreign in source.foreign_keys:
            parent = ir_sources.parent_of(foreign, declared)
            places = [names.index(c) for c in foreign.columns]
            if parent is None:
                broken = any(_last_part(s.table) == _last_part(foreign.parent) for s in declared)
            else:
                broken = not refers(source, places, parent, foreign)
            if broken:
                columns = ", ".join(foreign.columns)
                return f"rows of {source.table} might break its foreign key ({columns})"
    return ""


def _last_part(table: str) -> str:
    """A table's name without catalog and schema."""
    return table.lower().rpartition(".")[2]


def lawful_rows(source: ops.Source, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows without those that fail a check or repeat a key, or what is unique and not null."""
    if source.checks:
        rows = [row for row in rows if passes_checks(source, row)]
    names = [f.name for f in source.fields]
    for key in (*source.keys, *source.unique):
        places = [names.index(n) for n in key]
        key_of = [group_key(source.fields[p].type) for p in places]
        kept: list[tuple[Any, ...]] = []
        taken: set[Any] = set()
        for row in rows:
            # As Spark groups: 0.0 repeats -0.0. A null repeats nothing; keys have none anyway.
            value = tuple(key(row[p]) for key, p in zip(key_of, places, strict=True))
            if value not in taken or any(row[p] is None for p in places):
                kept.append(row)
            taken.add(value)
        rows = kept
    return rows


def passes_checks(source: ops.Source, row: tuple[Any, ...]) -> bool:
    """Whether no declared condition on the row of a table is false, or fails."""
    try:
        # As in SQL, a condition that is null is not violated.
        return all(check(row, ()) is not False for check in _compiled_checks(source))
    except Failure:
        return False


def has_unknown_checks(source: ops.Source) -> bool:
    """Whether some declared condition on the rows of a table is not understood."""
    return any(isinstance(part, ex.OpaqueCall) for check in source.checks for part in parts(check))


@lru_cache(maxsize=256)
def _compiled_checks(source: ops.Source) -> list[Compiled]:
    """The conditions that can be evaluated; where there are others, nothing is refuted."""
    schemas = (Schema(source.fields),)
    clear = (c for c in source.checks if not any(isinstance(p, ex.OpaqueCall) for p in parts(c)))
    return [compile_expr(check, schemas) for check in clear]


def _folded_value(expr: ex.Expr) -> Any:
    """The value of a call without columns, such as a day some days before another."""
    if not isinstance(expr, ex.Call) or not expr.args:
        return None
    if not all(isinstance(p, ex.Call | ex.Cast | ex.Literal) for p in parts(expr)):
        return None
    if expr_kind(expr) is not Kind.PURE:
        return None
    try:
        return compile_expr(expr, (Schema(()),))((), ())
    except (Failure, InputError):
        return None


def constraints_hold(sources: Mapping[str, ops.Source], tables: Tables) -> bool:
    """Whether rows keep their types, NOT NULL, checks, keys and foreign keys."""
    for source in sources.values():
        rows = tables[source.table]
        names = [f.name for f in source.fields]
        for place, f in enumerate(source.fields):
            if not f.nullable and any(row[place] is None for row in rows):
                return False
            if not all(pools.fits(row[place], f.type) for row in rows):
                return False
        for name, most in source.lengths:
            texts = (row[names.index(name)] for row in rows)
            if any(isinstance(text, str) and len(text) > most for text in texts):
                return False
        if len(lawful_rows(source, rows)) < len(rows):
            return False
        for foreign in source.foreign_keys:
            parent = ir_sources.parent_of(foreign, sources.values())
            places = [names.index(c) for c in foreign.columns]
            if parent is None or not refers(source, places, parent, foreign):
                continue
            targets = ir_sources.target_places(parent, foreign)
            present = {tuple(row[i] for i in targets) for row in tables[parent.table]}
            for row in rows:
                value = tuple(row[i] for i in places)
                # As in SQL: with a null among its columns a foreign key refers to nothing.
                if None not in value and value not in present:
                    return False
    return True
