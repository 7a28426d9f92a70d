"""Normal forms of queries that put conditions, subqueries and joins elsewhere: the same, or not."""

from __future__ import annotations

from random import Random

import pytest

from tests.properties.test_normalize import attack
from tests.support import Case, load_cases
from veer.facts.fingerprint import fingerprint
from veer.read.sql import read_sql
from veer.rewrite.normalize import normalized

SCHEMA = """
CREATE TABLE t (a INT, b INT, s STRING, d DOUBLE);
CREATE TABLE u (k INT NOT NULL, a INT, c INT);
CREATE TABLE v (a INT, b INT, c INT)
"""


@pytest.mark.parametrize("case", load_cases("placing.cases"), ids=lambda c: c.title)
def test_normal_forms(case: Case) -> None:
    p, q = (read_sql(text, SCHEMA) for text in case.texts)
    same = fingerprint(normalized(p)) == fingerprint(normalized(q))
    assert same == (case.options["expect"] == "same")
    for side in (p, q):
        assert attack(Random(7), side, case.title)
