"""Random dataflows put together operator by operator: shapes no query text has.

Columns are whole numbers that may be null, names repeat, signals are shared.
"""

from __future__ import annotations

from random import Random

from veer.ir.dag import Dataflow
from veer.ir.expr import (
    And,
    Call,
    Case,
    Column,
    Compare,
    Exists,
    Expr,
    Frame,
    InQuery,
    IsNull,
    Literal,
    Named,
    Not,
    OuterColumn,
    OverCall,
    ScalarQuery,
    SortKey,
)
from veer.ir.ops import (
    Aggregate,
    Deduplicate,
    ExceptAll,
    Filter,
    GlobalAggregate,
    IntersectAll,
    Join,
    JoinKind,
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
)
from veer.ir.schema import Field, Schema
from veer.ir.types import INT, ArrayType
from veer.read import coercion
from veer.read.builder import FlowBuilder

NAMES = ("a", "b", "c")
SOURCES = (
    Source("t", (Field("a", INT), Field("b", INT), Field("c", INT))),
    Source("u", (Field("a", INT, False), Field("x", INT)), (("a",),)),
)
CHOOSING = ("limit", "deduplicate", "number")


class Stacks:
    """A stream of dataflows; without `chooses` every operator is a function of its inputs."""

    def __init__(self, rng: Random, *, chooses: bool = False, outer: Schema | None = None) -> None:
        self.rng = rng
        self.chooses = chooses
        self.outer = outer
        self.builder = FlowBuilder()
        self.signals: list[str] = []

    def dataflow(self, steps: int, width: int = 0) -> Dataflow:
        """Some operators on top of each other, closed by a sink; of one column if asked."""
        self.signals = [self.builder.add(source) for source in SOURCES]
        for _ in range(steps):
            self.signals.append(self.step())
        top = self.signals[-1]
        if width:
            top = self.builder.add(Project(self.named(top, width)), top)
        self.builder.add(Sink("result"), top, id_="result")
        return self.builder.finish()

    def step(self) -> str:
        rng = self.rng
        kinds = ["project", "project", "filter", "sort", "over", "aggregate", "join", "join"]
        kinds += ["union", "total", "unnest", "set"]
        kinds += CHOOSING if self.chooses else ()
        # Mostly on top of the last one, sometimes on one that others stand on too.
        below = self.signals[-1] if rng.random() < 0.8 else rng.choice(self.signals)
        found: str = getattr(self, rng.choice(kinds))(below)
        return found

    # -- operators -----------------------------------------------------------------------------

    def named(self, below: str, width: int = 0) -> tuple[Named, ...]:
        count = width or self.rng.randint(1, 4)
        return tuple(Named(self.rng.choice(NAMES), self.value(below)) for _ in range(count))

    def project(self, below: str) -> str:
        return self.builder.add(Project(self.named(below)), below)

    def filter(self, below: str) -> str:
        return self.builder.add(Filter(self.condition(below)), below)

    def sort(self, below: str) -> str:
        return self.builder.add(Sort(self.keys(below)), below)

    def limit(self, below: str) -> str:
        if self.rng.random() < 0.7:
            below = self.sort(below)
        if self.rng.random() < 0.5:
            below = self.project(below)
        return self.builder.add(Limit(self.rng.randint(1, 2), self.rng.choice((0, 0, 1))), below)

    def deduplicate(self, below: str) -> str:
        """One row for each value of a column, of which perhaps only that column is read."""
        key = self.rng.choice(self.columns(below))
        kept = self.builder.add(Deduplicate((key,)), below)
        return (
            kept
            if self.rng.random() < 0.7
            else self.builder.add(Project((Named(key.name, key),)), kept)
        )

    def number(self, below: str) -> str:
        """Row numbers, which ties make a choice."""
        call = OverCall("row_number", (), INT, (), self.keys(below), Frame("rows", None, 0))
        return self.builder.add(Over((NamedOver("n", call),)), below)

    def over(self, below: str) -> str:
        calls = []
        for _ in range(self.rng.randint(1, 2)):
            partition = (self.value(below),) if self.rng.random() < 0.6 else ()
            if self.rng.random() < 0.5:
                order = self.keys(below)
                call = OverCall("rank", (), INT, partition, order, Frame("rows", None, 0))
            else:
                call = OverCall("max", (self.value(below),), INT, partition)
            calls.append(NamedOver(self.rng.choice(("a", "w")), call))
        return self.builder.add(Over(tuple(calls)), below)

    def aggregate(self, below: str) -> str:
        keys = self.named(below, self.rng.randint(1, 2))
        return self.builder.add(Aggregate(keys, self.calls(below)), below)

    def total(self, below: str) -> str:
        return self.builder.add(GlobalAggregate(self.calls(below) or self.calls(below, 1)), below)

    def calls(self, below: str, count: int | None = None) -> tuple[NamedCall, ...]:
        made = []
        for _ in range(self.rng.randint(0, 2) if count is None else count):
            function = self.rng.choice(("min", "max"))
            where = self.condition(below) if self.rng.random() < 0.2 else None
            call = coercion.aggregate_call(function, [self.value(below)], where=where)
            made.append(NamedCall(self.rng.choice(NAMES), call))
        return tuple(made)

    def unnest(self, below: str) -> str:
        values = (self.value(below), self.value(below))
        array = Call("array", values, ArrayType(INT))
        return self.builder.add(Unnest(array, ("e",)), below)

    def join(self, left: str) -> str:
        right = self.rng.choice(self.signals)
        kind = self.rng.choice(
            (
                JoinKind.INNER,
                JoinKind.LEFT,
                JoinKind.LEFT,
                JoinKind.FULL,
                JoinKind.SEMI,
                JoinKind.ANTI,
                JoinKind.CROSS,
            )
        )
        both = self.builder.schemas[left] + self.builder.schemas[right]
        condition = None if kind == JoinKind.CROSS else self.over_rows(both)
        return self.builder.add(Join(kind, condition), left, right)

    def over_rows(self, rows: Schema) -> Expr:
        return Compare(self.rng.choice(("=", "<=>", "<")), self.of(rows), self.of(rows))

    def union(self, below: str) -> str:
        width = self.rng.randint(1, 3)
        inputs = [below, *(self.rng.choice(self.signals) for _ in range(self.rng.randint(1, 2)))]
        return self.builder.add(
            Union(), *(self.builder.add(Project(self.named(i, width)), i) for i in inputs)
        )

    def set(self, below: str) -> str:
        other = self.rng.choice(self.signals)
        inputs = [self.builder.add(Project(self.named(i, 2)), i) for i in (below, other)]
        return self.builder.add(self.rng.choice((IntersectAll(), ExceptAll())), *inputs)

    # -- expressions -----------------------------------------------------------------------------

    def keys(self, below: str) -> tuple[SortKey, ...]:
        rng = self.rng
        return tuple(
            SortKey(self.value(below), rng.random() < 0.5, rng.random() < 0.5)
            for _ in range(rng.randint(1, 2))
        )

    def columns(self, below: str) -> list[Column]:
        return columns_of(self.builder.schemas[below])

    def value(self, below: str) -> Expr:
        return self.of(self.builder.schemas[below])

    def of(self, rows: Schema, depth: int = 2) -> Expr:
        """A number computed from a row."""
        rng = self.rng
        if depth == 0 or rng.random() < 0.5:
            if self.outer is not None and rng.random() < 0.3:
                column = rng.choice(columns_of(self.outer))
                return OuterColumn(column.name, INT, column.occurrence)
            if rng.random() < 0.8:
                return rng.choice(columns_of(rows))
            return Literal(rng.choice((None, 0, 1, 2)), INT)
        one, two = self.of(rows, depth - 1), self.of(rows, depth - 1)
        match rng.randrange(4):
            case 0:
                return Call("coalesce", (one, two), INT)
            case 1:
                return Case(((IsNull(one), two),), one)
            case 2 if self.outer is None and rng.random() < 0.4:
                return ScalarQuery(self.query(rows, total=True))
            case _:
                # Stays small, however often it is computed from itself.
                return Call("%", (Call("+", (one, two), INT), Literal(3, INT)), INT)

    def condition(self, below: str) -> Expr:
        rows = self.builder.schemas[below]
        rng = self.rng
        match rng.randrange(5):
            case 0:
                return Not(IsNull(self.of(rows)))
            case 1:
                return And((self.over_rows(rows), self.over_rows(rows)))
            case 2 if self.outer is None:
                return Exists(self.query(rows))
            case 3 if self.outer is None:
                return InQuery((self.of(rows),), self.query(rows, width=1))
            case _:
                return self.over_rows(rows)

    def query(self, rows: Schema, *, width: int = 0, total: bool = False) -> Dataflow:
        """A query that may read the row around it; of one row if asked."""
        inner = Stacks(self.rng, outer=rows)
        if not total:
            return inner.dataflow(self.rng.randint(0, 2), width)
        inner.signals = [inner.builder.add(SOURCES[0])]
        top = inner.builder.add(GlobalAggregate(inner.calls(inner.signals[0], 1)), *inner.signals)
        inner.builder.add(Sink("result"), top, id_="result")
        return inner.builder.finish()


def columns_of(rows: Schema) -> list[Column]:
    """All columns of a row."""
    return [Column(f.name, f.type, rows.occurrence(i)) for i, f in enumerate(rows)]
