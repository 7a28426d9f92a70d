"""EVs state semantics and restrictions as data; what they cannot take is UNKNOWN with a reason."""

from __future__ import annotations

from typing import ClassVar

import pytest

from veer.ir.ops import Aggregate, Filter, Join, Project, Source
from veer.ir.query_pair import QueryPair
from veer.prove.verifiers.base import EV, OnlyOperators, Restriction, SameCount
from veer.read.sql import read_sql
from veer.reasons import Message, Restricted
from veer.verdict import Answer, TableSemantics, Verdict

SCHEMA = "CREATE TABLE t (a INT, b INT)"
BAG, SET, ORDERED = TableSemantics.BAG, TableSemantics.SET, TableSemantics.ORDERED_BAG


class Believer(EV):
    """An EV that answers what it is told to."""

    name = "believer"
    semantics = SET
    restrictions: ClassVar[tuple[Restriction, ...]] = (
        OnlyOperators((Source, Filter, Project, Join, Aggregate)),
        SameCount(Aggregate),
    )

    def __init__(self, answer: Verdict = Verdict.EQUIVALENT) -> None:
        self.answer = answer

    def decide(self, pair: QueryPair) -> Answer:
        return Answer(self.answer, Message("believed"))


def pair(p: str, q: str, semantics: TableSemantics = SET) -> QueryPair:
    return QueryPair(read_sql(p, SCHEMA), read_sql(q, SCHEMA), semantics, ((0, 0),))


PLAIN = "SELECT a FROM t WHERE b > 1"


def test_a_valid_pair_is_decided() -> None:
    assert Believer().is_valid(pair(PLAIN, PLAIN))
    assert Believer().verify(pair(PLAIN, PLAIN)).verdict is Verdict.EQUIVALENT


@pytest.mark.parametrize(
    ("p", "q", "semantics", "reason"),
    [
        (PLAIN, PLAIN, BAG, "believer proves set, bag is needed"),
        (PLAIN, "SELECT a FROM t LIMIT 1", SET, "operator 'limit_1' (after) is a Limit"),
        (PLAIN, "SELECT DISTINCT a FROM t", SET, "0 Aggregate before but 1 after"),
    ],
)
def test_an_invalid_pair_is_unknown_with_its_reason(
    p: str, q: str, semantics: TableSemantics, reason: str
) -> None:
    answer = Believer().verify(pair(p, q, semantics))
    assert answer == Answer(Verdict.UNKNOWN, Restricted(reason))


def test_an_ev_never_refutes() -> None:
    answer = Believer(Verdict.INEQUIVALENT).verify(pair(PLAIN, PLAIN))
    assert answer.verdict is Verdict.UNKNOWN


def test_monotonicity_is_derived() -> None:
    class Monotonic(Believer):
        restrictions = (OnlyOperators((Source, Filter)),)

    assert not Believer().monotonic
    assert Monotonic().monotonic


def test_stronger_semantics_prove_weaker_ones() -> None:
    order = [SET, BAG, ORDERED]
    for i, strong in enumerate(order):
        for j, weak in enumerate(order):
            assert strong.implies(weak) == (i >= j)
