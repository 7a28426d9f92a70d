"""SQL pairs: generated, verified, judged on Spark block by block.

The pairs of a block have one schema, so that its databases are loaded once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random
from signal import ITIMER_PROF
from typing import Any

from benchmarks.fuzz import expression_rules, query_rules  # noqa: F401  (they register rules)
from benchmarks.fuzz.databases import DATABASES, Database, Row, broken_constraints, database
from benchmarks.fuzz.judge import Judge, Outcome
from benchmarks.fuzz.queries import Generator
from benchmarks.fuzz.rewriting import rewritten
from benchmarks.fuzz.schemas import Schema, random_schema
from benchmarks.fuzz.tree import Select
from benchmarks.fuzz.verdicts import (
    CRASH,
    ILLEGAL_WITNESS,
    OTHER_ROWS,
    WRONG_INEQUIVALENT,
    Answer,
    Finding,
    asked,
    judged_equal,
    judged_schema,
    judged_witness,
    same_rows,
)
from veer.api import Comparison, Version, verify
from veer.options import ColumnMatching, TypeMatching
from veer.read.sql import read_schema, read_sql
from veer.show.wording import reason_text
from veer.verdict import Report, TableSemantics, WitnessKind

BLOCK = 20  # pairs with the same schema
SECONDS = 30.0  # of processor time for one verification


@dataclass(frozen=True)
class Pair:
    """Two queries over a schema, and how they are to be compared."""

    id: str
    schema: Schema
    p: str
    q: str
    rewrites: tuple[str, ...] = ()
    semantics: str = "bag"
    columns: str = "name"
    types: str = "exact"

    def shown(self) -> dict[str, Any]:
        """For a file."""
        return {
            "id": self.id,
            "schema": self.schema.ddl(),
            "tables declared": [asdict(t) for t in self.schema.tables],
            "p": self.p,
            "q": self.q,
            "rewrites": self.rewrites,
            "semantics": self.semantics,
            "columns": self.columns,
            "types": self.types,
        }


def block_of(seed: int, block: int, size: int = BLOCK) -> tuple[Schema, list[Pair]]:
    """The pairs of a block; the same numbers give the same pairs."""
    schema = random_schema(Random(f"schema {seed} {block}"))
    return schema, [_pair(schema, seed, block, k) for k in range(size)]


def _pair(schema: Schema, seed: int, block: int, number: int) -> Pair:
    rng = Random(f"pair {seed} {block} {number}")
    make = Generator(rng, schema)
    p = make.query(rng.choice((1, 2, 2)))
    q, names = rewritten(rng, schema, make, p)
    pair = Pair(f"sql-{seed}-{block}-{number}", schema, str(p), str(q), tuple(names))
    kind = rng.random()
    if kind < 0.4:
        pair = replace(pair, columns="position", types="value")
    ordered = all(isinstance(x, Select) and x.order for x in (p, q))
    if ordered and rng.random() < 0.5:
        pair = replace(pair, semantics="ordered")
    elif kind > 0.93:
        pair = replace(pair, semantics="set")
    return pair


def verified(pair: Pair) -> Answer:
    """What Veer says of a pair."""

    def ask() -> Report:
        catalog = read_schema(pair.schema.ddl())
        p, q = (
            Version(name, read_sql(text, catalog), False)
            for name, text in (("P", pair.p), ("Q", pair.q))
        )
        comparison = Comparison(
            TableSemantics(pair.semantics),
            ColumnMatching(pair.columns),
            TypeMatching(pair.types),
            hints=False,
        )
        return verify(p, q, comparison)

    return asked(ask, SECONDS, ITIMER_PROF)


def judged(
    judge: Judge, schema: Schema, decided: Sequence[tuple[Pair, Answer]], rng: Random
) -> Iterator[tuple[Pair, Finding]]:
    """What is wrong in a block."""
    for pair, answer in decided:
        if answer.verdict == "crash":
            yield pair, Finding(CRASH, answer.reason)
        elif answer.verdict == "inequivalent":
            yield from ((pair, finding) for finding in _judge_witness(judge, pair, answer))
    equal = [(pair, answer) for pair, answer in decided if answer.verdict == "equivalent"]
    for kind in DATABASES if equal else ():
        rows = database(rng, schema, kind)
        judge.load(schema, rows)
        outcomes = _outcomes(judge, [pair for pair, _ in equal])
        for (pair, answer), (p, q) in zip(equal, outcomes, strict=True):
            finding = judged_equal(answer, p, q, pair.semantics, pair.columns)
            if finding is not None:
                yield pair, replace(finding, details=_details(rows, p, q))


def _outcomes(judge: Judge, pairs: Sequence[Pair]) -> list[tuple[Outcome, Outcome]]:
    """What both versions of pairs give; each apart where the order of rows counts."""
    bags = [pair for pair in pairs if pair.semantics != "ordered"]
    told = dict(zip(bags, judge.run_pairs([(pair.p, pair.q) for pair in bags]), strict=True))
    for pair in pairs:
        if pair not in told:
            p, q = judge.run([pair.p, pair.q])
            told[pair] = p, q
    return [told[pair] for pair in pairs]


def _judge_witness(judge: Judge, pair: Pair, answer: Answer) -> Iterator[Finding]:
    witness = answer.witness
    if witness.kind is not WitnessKind.ROWS:
        judge.load(pair.schema, {}, [pair.p, pair.q])
        p, q = judge.run([pair.p, pair.q])
        finding = judged_schema(p, q, pair.columns)
        if finding is not None:
            yield replace(finding, why=f"{finding.why}: {reason_text(witness.difference)}")
        return
    rows: Database = {name: list(table["rows"]) for name, table in witness.tables.items()}
    broken = broken_constraints(pair.schema, rows)
    if broken:
        yield Finding(ILLEGAL_WITNESS, "; ".join(broken), {"tables": _texts(rows)})
    judge.load(pair.schema, rows, [pair.p, pair.q])
    ((p, q),) = _outcomes(judge, [pair])
    finding = judged_witness(p, q, pair.semantics, pair.columns)
    if finding is None and _depends_on_order(pair):
        finding = _judge_turned(judge, pair, rows, p, q)
    if finding is not None:
        yield replace(finding, details=_details(rows, p, q))
    elif not p.error and len(p.rows) != len(witness.p_rows):
        yield Finding(OTHER_ROWS, "Spark gives other rows for P", _details(rows, p, q))


def _depends_on_order(pair: Pair) -> bool:
    return any(word in text for text in (pair.p, pair.q) for word in ("LIMIT", "sum(", "avg("))


def _judge_turned(
    judge: Judge, pair: Pair, rows: Mapping[str, Sequence[Row]], p: Outcome, q: Outcome
) -> Finding | None:
    """The witness with its rows the other way round: no result of P may be one of Q."""
    turned = {name: list(reversed(content)) for name, content in rows.items()}
    judge.load(pair.schema, turned, [pair.p, pair.q])
    ((turned_p, turned_q),) = _outcomes(judge, [pair])
    for a, b in ((turned_p, turned_q), (p, turned_q), (turned_p, q)):
        if not (a.error or b.error) and same_rows(a, b, pair.semantics, pair.columns):
            why = "the results on the witness may be the same, if its rows come in another order"
            return Finding(WRONG_INEQUIVALENT, why)
    return None


def _details(rows: Mapping[str, Sequence[Row]], p: Outcome, q: Outcome) -> dict[str, Any]:
    return {"tables": _texts(rows), "spark p": p.shown(), "spark q": q.shown()}


def _texts(rows: Mapping[str, Sequence[Row]]) -> dict[str, list[list[str]]]:
    return {name: [list(map(repr, row)) for row in content] for name, content in rows.items()}
