"""Large dataflows with edits that keep their meaning, spread over them.

A dataflow is made of branches: filters, computed columns, joins with small tables, an opaque
function here and there, aggregates; branches start from tables or from other branches and are
united in groups until one is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from veer.ir.dag import Dataflow, Link
from veer.ir.expr import (
    AggregateCall,
    And,
    Call,
    Column,
    Compare,
    Expr,
    Literal,
    Named,
    Not,
    SortKey,
)
from veer.ir.ops import (
    Aggregate,
    AnyOperator,
    Filter,
    Join,
    JoinKind,
    NamedCall,
    Project,
    RowUdf,
    Sink,
    Sort,
    Source,
    Union,
)
from veer.ir.schema import Field
from veer.ir.types import INT, STRING, DataType
from veer.verification.versions.version import Version

COLUMNS: Sequence[tuple[str, DataType]] = (
    ("id", INT),
    ("a", INT),
    ("b", INT),
    ("c", INT),
    ("s", STRING),
)
FACTS, SMALL = 6, 4


def column(name: str) -> Column:
    """A column of the facts."""
    return Column(name, dict(COLUMNS).get(name, INT))


def compared(name: str, op: str, value: int) -> Expr:
    """A column compared with a number."""
    return Compare(op, column(name), Literal(value, INT))


@dataclass
class Flow:
    """A dataflow while it is made."""

    rng: Random
    operators: dict[str, AnyOperator] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)

    def add(self, operator: AnyOperator, *inputs: str) -> str:
        """Add an operator over others and give its id."""
        id_ = f"{type(operator).__name__.lower()}_{len(self.operators)}"
        self.operators[id_] = operator
        self.links += [Link(below, id_, port) for port, below in enumerate(inputs)]
        return id_

    def sources(self) -> tuple[list[str], list[str]]:
        """Add the tables: facts, and small ones with a key."""
        fields = tuple(Field(name, type_) for name, type_ in COLUMNS)
        facts = [self.add(Source(f"facts_{n}", fields)) for n in range(FACTS)]
        small = [
            self.add(
                Source(f"small_{n}", (Field("k", INT, False), Field("v", INT)), keys=(("k",),))
            )
            for n in range(SMALL)
        ]
        return facts, small

    def branch(self, start: str, small: Sequence[str]) -> str:
        """Ten to twelve operators on top of a signal, of the same columns."""
        rng = self.rng
        low = rng.randrange(4)
        at = self.add(Filter(And((compared("a", ">", low), compared("b", "<=", low + 9)))), start)
        at = self.add(self.projection(c=Call("+", (column("a"), column("c")), INT)), at)
        at = self.add(Filter(Not(compared("c", "=", rng.randrange(20)))), at)
        at = self.add(
            Join(JoinKind.INNER, Compare("=", column("b"), column("k"))),
            at,
            rng.choice(list(small)),
        )
        at = self.add(Filter(compared("v", ">=", rng.randrange(3))), at)
        at = self.add(self.projection(b=column("v")), at)
        if rng.random() < 0.3:
            adds = (Field("score", INT),)
            at = self.add(RowUdf(f"score-{rng.randrange(3)}", (column("s"),), adds), at)
            at = self.add(self.projection(c=Column("score", INT)), at)
        at = self.add(Filter(compared("c", "<", rng.randrange(50, 90))), at)
        at = self.add(self.grouped(), at)
        at = self.add(self.projection(), at)
        return self.add(Filter(compared("id", ">=", -5)), at)

    def projection(self, **changed: Expr) -> Project:
        """All columns, some of them computed anew."""
        names = [name for name, _ in COLUMNS]
        return Project(tuple(Named(name, changed.get(name, column(name))) for name in names))

    def grouped(self) -> Aggregate:
        """A grouping that keeps the names of the columns."""
        keys = tuple(Named(name, column(name)) for name in ("id", "a", "s"))
        calls = (
            NamedCall("b", AggregateCall("min", (column("b"),), INT)),
            NamedCall("c", AggregateCall("max", (column("c"),), INT)),
        )
        return Aggregate(keys, calls)


def base(operators: int, seed: int = 1) -> Dataflow:
    """A dataflow of about that many operators with one sink."""
    flow = Flow(Random(seed))
    facts, small = flow.sources()
    waiting: list[str] = []
    ends: list[str] = list(facts)
    while len(flow.operators) < operators - 3 or not waiting:
        start = flow.rng.choice(ends[-30:] if flow.rng.random() < 0.3 else facts)
        end = flow.branch(start, small)
        ends.append(end)
        waiting.append(end)
        if len(waiting) >= 4:
            united = flow.add(Union(), *waiting)
            waiting = [flow.add(flow.projection(), flow.add(flow.grouped(), united))]
            ends.append(waiting[0])
    united = flow.add(Union(), *waiting) if len(waiting) > 1 else waiting[0]
    flow.add(Sink("result"), flow.add(flow.projection(), united))
    used = {link.src for link in flow.links}
    keep = {i for i, o in flow.operators.items() if i in used or isinstance(o, Sink)}
    return Dataflow(
        {i: o for i, o in flow.operators.items() if i in keep},
        [x for x in flow.links if x.src in keep and x.dst in keep],
    )


@dataclass
class Edited:
    """A dataflow under edits."""

    operators: dict[str, AnyOperator]
    links: list[Link]
    count: int = 0

    def put_above(self, id_: str, operator: AnyOperator) -> str:
        """A new operator between a signal and everything it feeds."""
        self.count += 1
        new = f"new_{self.count}"
        self.operators[new] = operator
        self.links = [Link(new, x.dst, x.port) if x.src == id_ else x for x in self.links]
        self.links.append(Link(id_, new))
        return new


def turn_conjuncts(flow: Edited, id_: str) -> None:
    """Write the conjuncts of a filter in the other order."""
    operator = flow.operators[id_]
    assert isinstance(operator, Filter) and isinstance(operator.predicate, And)
    flow.operators[id_] = Filter(And(operator.predicate.args[::-1]))


def split(flow: Edited, id_: str) -> None:
    """Make two filters of a conjunction."""
    operator = flow.operators[id_]
    assert isinstance(operator, Filter) and isinstance(operator.predicate, And)
    first, second = operator.predicate.args
    flow.operators[id_] = Filter(first)
    flow.put_above(id_, Filter(second))


def add_what_holds(flow: Edited, id_: str) -> None:
    """`a > 3` has been asked: `a > 1` changes nothing."""
    flow.put_above(id_, Filter(compared("a", ">", -1)))


def sort_before(flow: Edited, id_: str) -> None:
    """Sort above an operator, where no order is asked for."""
    flow.put_above(id_, Sort((SortKey(column("b")),)))


def add_unread_column(flow: Edited, id_: str) -> None:
    """A column that the projection above forgets."""
    names = [Named(name, column(name)) for name, _ in COLUMNS]
    more = Named("more", Call("+", (column("a"), column("b")), INT))
    new = flow.put_above(id_, Project((*names, more)))
    flow.put_above(new, Project(tuple(names)))


EDITS: tuple[Callable[[Edited, str], None], ...] = (
    turn_conjuncts,
    split,
    add_what_holds,
    sort_before,
    add_unread_column,
)


def edited(dataflow: Dataflow, edits: int) -> Dataflow:
    """The dataflow with that many edits, spread evenly over its first filters of branches."""
    places = [
        i
        for i in dataflow.order
        if isinstance(o := dataflow.operators[i], Filter) and isinstance(o.predicate, And)
    ]
    flow = Edited(dict(dataflow.operators), list(dataflow.links))
    step = len(places) / edits
    for number in range(edits):
        EDITS[number % len(EDITS)](flow, places[int(number * step)])
    return Dataflow(flow.operators, flow.links)


def pair(operators: int, edits: int) -> tuple[Version, Version]:
    """A version and an equivalent one."""
    p = base(operators)
    return Version("P", p, True), Version("Q", edited(p, edits), True)
