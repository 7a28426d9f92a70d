"""Keys of signals: what is derived holds in the interpreter, and near misses are not derived.

VEER_SEED picks the dataflows, VEER_ROUNDS how many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random

import pytest

from tests.generators.stacks import Stacks, columns_of
from veer.assumptions import KeyHolds
from veer.errors import VeerError
from veer.facts import keys
from veer.facts.determinism import dataflow_kind
from veer.facts.keys import MOST_KEYS, Key, Uniqueness, uniqueness
from veer.functions.registry import Failure, Kind
from veer.interpreter import Program, Run, Signal
from veer.ir.dag import Dataflow
from veer.ir.expr import And, Call, Column, Compare, Expr, Literal, Named, SortKey
from veer.ir.ops import AnyOperator, Join, JoinKind, Limit, Project, Sink, Sort, Source
from veer.ir.schema import Field, Schema
from veer.ir.types import INT
from veer.read.builder import FlowBuilder
from veer.read.sql import read_schema, read_sql
from veer.refute.instances import Instances

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "8"))
PER_ROUND = 40

DDL = """
    CREATE TABLE t (a INT, b INT, c STRING, d DOUBLE);
    CREATE TABLE k (id INT NOT NULL, v INT, w INT NOT NULL, PRIMARY KEY (id));
    CREATE TABLE m (id INT NOT NULL, no INT NOT NULL, x INT, PRIMARY KEY (id, no));
    CREATE TABLE n (id INT UNIQUE, v INT);
    CREATE TABLE f (d DOUBLE NOT NULL, v INT, PRIMARY KEY (d));
"""
# A query, columns of its result, and whether no two rows agree on them.
CASES = (
    ("SELECT id, v FROM k", "id", True),
    ("SELECT id, v FROM k", "v", False),
    ("SELECT v FROM k", "v", False),
    ("SELECT id, no FROM m", "id no", True),
    ("SELECT id, no FROM m", "id", False),
    ("SELECT no FROM m WHERE id = 3", "no", True),
    ("SELECT no FROM m WHERE id <=> 3", "no", True),
    ("SELECT no FROM m WHERE id = 3 OR no = 1", "no", False),
    ("SELECT no FROM m WHERE id > 3", "no", False),
    # Two rows may both be null in what is unique, and null is the same as null.
    ("SELECT id, v FROM n", "id", False),
    ("SELECT k.id, n.v FROM k JOIN n ON k.id = n.id", "id", False),
    # One to one of a key, or not.
    ("SELECT 2 * id + 1 AS i FROM k", "i", True),
    ("SELECT id % 2 AS i FROM k", "i", False),
    ("SELECT id + v AS i FROM k", "i", False),
    ("SELECT 0 * id AS i FROM k", "i", False),
    ("SELECT id AS i, id AS j FROM k", "j", True),
    ("SELECT coalesce(id, 0) AS i FROM k", "i", False),
    # Groups and rows without duplicates.
    ("SELECT a, b, count(*) AS n FROM t GROUP BY a, b", "a b", True),
    ("SELECT a, b, count(*) AS n FROM t GROUP BY a, b", "a", False),
    ("SELECT a, b, count(*) AS n FROM t GROUP BY a, b", "a n", False),
    ("SELECT a, 1 AS one FROM t GROUP BY a, 1", "a", True),
    ("SELECT DISTINCT a, c FROM t", "a c", True),
    ("SELECT DISTINCT a, c FROM t", "c", False),
    ("SELECT count(*) AS n FROM t", "", True),
    ("SELECT count(*) AS n FROM t GROUP BY a", "n", False),
    # A row meets one row at most, or several.
    ("SELECT m.id, m.no FROM m JOIN k ON m.x = k.id", "id no", True),
    ("SELECT m.id, m.no FROM m LEFT JOIN k ON m.x = k.id", "id no", True),
    ("SELECT m.id, m.no FROM m JOIN k ON m.x = k.v", "id no", False),
    ("SELECT m.id, m.no FROM m JOIN k ON m.x < k.id", "id no", False),
    ("SELECT m.id, m.no, k.id AS i FROM m JOIN k ON m.x = k.v", "id no i", True),
    ("SELECT m.id, m.no, k.id AS i FROM m LEFT JOIN k ON m.x = k.v", "id no i", True),
    ("SELECT m.id, m.no, k.id AS i FROM m CROSS JOIN k", "id no i", True),
    ("SELECT m.id, m.no, k.id AS i FROM m CROSS JOIN k", "id no", False),
    ("SELECT m.id, m.no FROM m CROSS JOIN (SELECT count(*) AS n FROM t)", "id no", True),
    ("SELECT a.id, b.v FROM k a JOIN k b ON a.id = b.id", "id", True),
    ("SELECT b.id FROM k a JOIN k b ON a.id = b.id", "id", True),
    ("SELECT b.id FROM m a JOIN k b ON a.id = b.id", "id", False),
    ("SELECT b.id FROM k a JOIN k b ON a.id = a.v", "id", False),
    ("SELECT a.id FROM k a JOIN k b ON b.id = b.v", "id", False),
    ("SELECT id, no FROM m LEFT SEMI JOIN t ON m.x = t.a", "id no", True),
    ("SELECT id, no FROM m LEFT ANTI JOIN t ON m.x = t.a", "id no", True),
    # Rows without partner are null in the columns of the other side, all of them.
    ("SELECT b.id FROM k a LEFT JOIN k b ON a.id = b.id", "id", False),
    ("SELECT a.id FROM k a FULL JOIN k b ON a.id = b.id", "id", False),
    ("SELECT a.id, b.id AS j FROM k a FULL JOIN k b ON a.id = b.v", "id j", False),
    ("SELECT u.a, m.no FROM (SELECT DISTINCT a FROM t) u LEFT JOIN"
     " (SELECT * FROM m WHERE id = 1) m ON u.a = m.x", "a no", True),
    ("SELECT m.no, m.x FROM (SELECT a FROM t) u LEFT JOIN"
     " (SELECT * FROM m WHERE id = 1) m ON u.a = m.no", "no", False),
    # 0.0 meets -0.0.
    ("SELECT k.id FROM k JOIN f ON CAST(k.v AS DOUBLE) = f.d", "id", False),
    ("SELECT f.v, f.d, g.d AS e FROM f JOIN f g ON f.d = g.d", "d", False),
    ("SELECT a, d FROM (SELECT DISTINCT a, d FROM t) WHERE d = 0.0D", "a", False),
    # Of a key of both sides of a join goes what the row of the other side determines.
    ("SELECT k.id, m.no FROM k JOIN m ON m.id = k.v", "id no", True),
    ("SELECT k.id, m.no FROM k LEFT JOIN m ON m.id = coalesce(k.v, 0) + 1", "id no", True),
    ("SELECT k.id, m.no FROM k JOIN m ON m.id = k.v + m.x", "id no", False),
    ("SELECT k.id, m.no FROM k JOIN m ON m.id >= k.v", "id no", False),
    ("SELECT k.id, m.no FROM k FULL JOIN m ON m.id = k.v", "id no", False),
    ("SELECT k.v, m.no FROM k JOIN m ON m.id = k.v", "v no", False),
    ("SELECT k.id, m.id AS n, m.no FROM m LEFT JOIN k ON k.id = m.x", "id no", False),
    # Rows of several inputs, or one row repeated.
    ("SELECT id FROM k UNION ALL SELECT id FROM k", "id", False),
    ("SELECT id FROM k UNION SELECT id FROM k", "id", True),
    ("SELECT id, explode(array(v, w)) AS e FROM k", "id", False),
    ("SELECT id, v, max(v) OVER (PARTITION BY w) AS x FROM k ORDER BY v LIMIT 3", "id", True),
    ("SELECT id, rank() OVER (ORDER BY v) AS r FROM k", "r", False),
)  # fmt: skip


@pytest.mark.parametrize(("text", "columns", "expected"), CASES)
def test_keys_and_near_misses(text: str, columns: str, expected: bool) -> None:
    dataflow = read_sql(text, read_schema(DDL))
    (sink,) = dataflow.sinks
    (top,) = dataflow.inputs[sink]
    places = map(dataflow.schemas[top].place, columns.split())
    assert uniqueness(dataflow, top).tells_apart(places) is expected


class KeyedStacks(Stacks):
    """Dataflows over tables with keys, in which joins compare columns and columns are kept."""

    def dataflow(self, steps: int, width: int = 0) -> Dataflow:
        self.signals = [self.builder.add(source) for source in self.sources()]
        for _ in range(steps):
            self.signals.append(self.step())
        self.builder.add(Sink("result"), self.signals[-1], id_="result")
        return self.builder.finish()

    def sources(self) -> Iterator[Source]:
        for number in range(3):
            fields = tuple(Field(name, INT, self.rng.random() < 0.3) for name in ("a", "b", "c"))
            present = [f.name for f in fields if not f.nullable]
            key = tuple(name for name in present if self.rng.random() < 0.6)
            unique = ((self.rng.choice("abc"),),) if self.rng.random() < 0.5 else ()
            yield Source(f"t{number}", fields, (key,) if key else (), unique=unique)

    def of(self, rows: Schema, depth: int = 2) -> Expr:
        column = self.rng.choice(columns_of(rows))
        match self.rng.randrange(12):
            case 0:
                return Call("*", (Call("-", (Literal(1, INT), column), INT), Literal(2, INT)), INT)
            case 1:
                return Literal(self.rng.choice((None, 1)), INT)
            case 2:
                return super().of(rows, depth)
            case _:
                return column

    def over_rows(self, rows: Schema) -> Expr:
        return And(tuple(self.comparison(rows) for _ in range(self.rng.choice((2, 2, 3)))))

    def comparison(self, rows: Schema) -> Expr:
        other: Expr = self.rng.choice(columns_of(rows))
        if self.rng.random() < 0.2:
            other = Literal(self.rng.choice((0, 1)), INT)
        elif self.rng.random() < 0.3:
            other = Call("+", (other, self.rng.choice((Literal(1, INT), other))), INT)
        op = self.rng.choice(("=", "=", "=", "<=>", "<"))
        return Compare(op, self.rng.choice(columns_of(rows)), other)


def runs(rng: Random) -> Iterator[tuple[Dataflow, dict[str, Signal]]]:
    """Random dataflows with all their signals, on tables that keep what is declared."""
    for _ in range(PER_ROUND):
        dataflow = KeyedStacks(rng, chooses=True).dataflow(rng.randint(1, 6))
        program = Program(dataflow, every_signal=True)
        tables = Instances((dataflow,), rng.randrange(1000))
        for number in range(6):
            try:
                yield dataflow, program.evaluate((Run(tables.make(number)),))
            except (Failure, VeerError):
                continue


@pytest.mark.parametrize("number", range(ROUNDS))
def test_derived_keys_hold_in_the_interpreter(number: int) -> None:
    rng = Random(f"keys {SEED} {number}")
    derived = telling = 0
    for dataflow, signals in runs(rng):
        for id_ in dataflow.order:
            known, rows = uniqueness(dataflow, id_), signals[id_].rows
            for key in known.keys:
                values = [tuple(row[i] for i in sorted(key.places)) for row in rows]
                assert len(set(values)) == len(values), (SEED, number, id_, key)
                derived += not isinstance(dataflow.operators[id_], Source)
                telling += len(values) > 1 and len(key.places) < len(dataflow.schemas[id_])
            for place in known.constants:
                assert len({row[place] for row in rows}) <= 1, (SEED, number, id_, place)
    assert derived > 100 and telling > 50  # the test has seen keys that could have failed


# -- what a key follows from ---------------------------------------------------------------------


def test_a_key_names_the_declared_keys_it_follows_from() -> None:
    text = "SELECT m.id, m.no, t.a FROM m JOIN k ON m.x = k.id JOIN (SELECT DISTINCT a FROM t) t ON t.a = k.v"
    dataflow = read_sql(text, read_schema(DDL))
    (top,) = dataflow.inputs[dataflow.sinks[0]]
    (key,) = uniqueness(dataflow, top).keys
    assert key.places == {0, 1}
    assert key.relied == {KeyHolds("k", ("id",)), KeyHolds("m", ("id", "no"))}
    grouped = read_sql("SELECT id, count(*) AS n FROM k GROUP BY id", read_schema(DDL))
    (top,) = grouped.inputs[grouped.sinks[0]]
    assert uniqueness(grouped, top).keys == (Key(frozenset({0})),)


def test_a_key_that_relies_on_less_is_kept_beside_a_smaller_one() -> None:
    text = "SELECT DISTINCT id, v FROM k"
    dataflow = read_sql(f"SELECT u.id, u.v FROM ({text}) u JOIN k ON u.id = k.id", read_schema(DDL))
    (top,) = dataflow.inputs[dataflow.sinks[0]]
    relied = {key.places: key.relied for key in uniqueness(dataflow, top).keys}
    assert relied == {frozenset({0, 1}): frozenset({KeyHolds("k", ("id",))})}
    assert not Key(frozenset({0}), frozenset({KeyHolds("k", ("id",))})).implies(
        Key(frozenset({0, 1}))
    )
    assert Key(frozenset({0})).implies(Key(frozenset({0, 1}), frozenset({KeyHolds("k", ("id",))})))


# -- work ------------------------------------------------------------------------------------------


def chained_self_joins(count: int) -> Dataflow:
    """Each join reads the one below it twice; the rows are kept narrow."""
    builder = FlowBuilder()
    source = Source("k", (Field("id", INT, False), Field("v", INT)), (("id",),))
    top = builder.add(source)
    for _ in range(count):
        rows = builder.schemas[top]
        both = rows + rows
        equal = Compare("=", Column("id", INT), Column("id", INT, 1))
        assert both.place("id", 1) == len(rows)
        joined = builder.add(Join(JoinKind.INNER, equal), top, top)
        columns = (Named("id", Column("id", INT)), Named("v", Column("v", INT, 1)))
        top = builder.add(Project(columns), joined)
    top = builder.add(Sort((SortKey(Column("id", INT)),)), top)
    top = builder.add(Limit(3), top)
    builder.add(Sink("result"), top, id_="result")
    return builder.finish()


def counted(monkeypatch: pytest.MonkeyPatch, dataflow: Dataflow) -> int:
    """How often keys of an operator are derived from those of its inputs to judge a dataflow."""
    calls = 0
    derive_one = keys.uniqueness_above

    def counting(
        operator: AnyOperator, schemas: list[Schema], inputs: list[Uniqueness]
    ) -> Uniqueness:
        nonlocal calls
        calls += 1
        return derive_one(operator, schemas, inputs)

    with monkeypatch.context() as patch:
        patch.setattr(keys, "uniqueness_above", counting)
        assert dataflow_kind(dataflow) is Kind.PURE
    return calls


def test_every_signal_is_looked_at_once_however_many_read_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for count in (4, 16, 64):
        dataflow = chained_self_joins(count)
        assert counted(monkeypatch, dataflow) <= len(dataflow.operators)


def test_the_number_of_keys_is_bounded() -> None:
    builder = FlowBuilder()
    source = Source("k", (Field("id", INT, False), Field("v", INT)), (("id",),))
    top = builder.add(source)
    for _ in range(8):  # all columns are kept: twice as many keys with every join
        equal = Compare("=", Column("id", INT), Column("id", INT, len(builder.schemas[top]) // 2))
        top = builder.add(Join(JoinKind.INNER, equal), top, top)
    builder.add(Sink("result"), top, id_="result")
    dataflow = builder.finish()
    derived = uniqueness(dataflow, top).keys
    assert len(derived) == MOST_KEYS
    assert all(len(key.places) == 1 for key in derived)
