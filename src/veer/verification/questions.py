"""The questions asked about a pair of sinks, and the smallest one that no verifier could answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow, Link
from veer.ir.query_pair import QueryPair, operators_between
from veer.ir.schema import Schema
from veer.ir.sql_text import sql_text
from veer.ir.walk import size
from veer.prove.verifiers.base import EV
from veer.verdict import Answer, Resisted, Verdict
from veer.verification.search.answer_cache import AnswerCache


@final
@dataclass
class AskedQuestions(AnswerCache):
    """Answers of verifiers, with the questions about each pair of signals."""

    answers: AnswerCache
    proven: set[tuple[str, str]] = field(default_factory=set)
    open: dict[QueryPair, None] = field(default_factory=dict)

    def ask(self, ev: EV, pair: QueryPair) -> Answer:
        """What the verifier says."""
        answer = self.answers.ask(ev, pair)
        if answer.verdict is Verdict.EQUIVALENT:
            self.proven.add(signals(pair))
        else:
            self.open[pair] = None
        return answer

    def smallest(self) -> QueryPair | None:
        """The smallest question about signals that no question shows to be equal.

        Best of signals without a mate: of one that is proven equal to another signal it does not
        matter what else it might be equal to.
        """
        mated = {p for p, _ in self.proven}, {q for _, q in self.proven}

        def rank(pair: QueryPair) -> tuple[int, int, int]:
            p, q = signals(pair)
            return (p in mated[0]) + (q in mated[1]), *_weight(pair)

        resisting = [pair for pair in self.open if signals(pair) not in self.proven]
        return min(resisting, key=rank, default=None)


def signals(pair: QueryPair) -> tuple[str, str]:
    """The signals that a question is about, by their ids in both versions."""
    p, q = (side.inputs[side.sinks[0]][0] for side in (pair.p, pair.q))
    return p, q


def _weight(pair: QueryPair) -> tuple[int, int]:
    """How many operators a question is about; then how many with those of subqueries."""
    between = len(operators_between(pair.p)) + len(operators_between(pair.q))
    return between, size(pair.p) + size(pair.q)


def resisted(pair: QueryPair, p: Dataflow, q: Dataflow) -> Resisted:
    """A question about two versions as SQL, its leaves as tables of the same name on both sides."""
    ours, theirs = _leaves(pair.p), _leaves(pair.q)
    names = {table: _name(id_, q) for id_, table in reversed(theirs.items())}
    names |= {table: _name(id_, p) for id_, table in reversed(ours.items())}
    given = tuple(
        (names[table], _having(ours, table), _having(theirs, table))
        for table in sorted(names)
        if not isinstance(p.operators.get(_having(ours, table)), ops.Source)
    )
    p_sql, q_sql = (
        sql_text(
            compared(side, [columns[place] for columns in pair.columns]),
            {id_: names[table] for id_, table in leaves.items()},
        )
        for place, (side, leaves) in enumerate(((pair.p, ours), (pair.q, theirs)))
    )
    return Resisted(*signals(pair), p_sql, q_sql, given)


def _name(id_: str, version: Dataflow) -> str:
    """A signal by its id, a table by its name."""
    operator = version.operators.get(id_)
    return operator.table if isinstance(operator, ops.Source) else id_


def _having(leaves: Mapping[str, str], table: str) -> str:
    return next((id_ for id_, leaf in leaves.items() if leaf == table), "")


def _leaves(side: Dataflow) -> dict[str, str]:
    """The signals that a side takes for given, each with the table that stands for it."""
    leaves: dict[str, str] = {}
    tables = {id_: source.table for id_, source in side.sources.items() if source.leaf}
    for id_ in side.order:
        below = next((tables[i] for i in side.inputs[id_] if i in tables), None)
        if below is None or id_ in side.sources:
            continue
        # Above the table perhaps a filter of facts, then the signal under its own id.
        if isinstance(side.operators[id_], ops.Project):
            leaves[id_] = below
        else:
            tables[id_] = below
    return leaves


def compared(side: Dataflow, places: list[int]) -> Dataflow:
    """A side that shows nothing but the columns which are compared."""
    (sink,) = side.sinks
    (below,) = side.inputs[sink]
    schema = side.schemas[below]
    if places == list(range(len(schema))):
        return side
    columns = tuple(ex.Named(schema.names[i], _column(schema, i)) for i in places)
    links = [link for link in side.links if link.dst != sink]
    shown = f"{below} shown"
    return Dataflow(
        {**side.operators, shown: ops.Project(columns)},
        [*links, Link(below, shown), Link(shown, sink)],
    )


def _column(schema: Schema, place: int) -> ex.Column:
    field_ = schema.fields[place]
    return ex.Column(field_.name, field_.type, schema.occurrence(place))
