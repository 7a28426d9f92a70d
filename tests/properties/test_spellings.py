"""CASEs by ranges, conditions by where they are true, texts and constant rows: what normal forms make
of them means what it meant.

VEER_SEED picks the queries, VEER_ROUNDS how many.
"""

from __future__ import annotations

import os
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from veer.errors import VeerError
from veer.functions.registry import Failure
from veer.interpreter import run_dataflow
from veer.ir.dag import Dataflow
from veer.read.sql import read_sql
from veer.rewrite.normalize import normalized

SEED = os.environ.get("VEER_SEED", "1")
ROUNDS = int(os.environ.get("VEER_ROUNDS", "3"))
QUERIES = 60
SCHEMA = "CREATE TABLE t (n INT, m INT, s STRING, b BOOLEAN, d DECIMAL(4, 1))"
TEXTS = ["", " ", "a", "A", "a ", " a", "b|c", "|", "@", "ab@", "x|", "É", "a|b|c", "3", "abc"]


class Queries:
    """Random queries about ranges, conditions, texts and constant rows."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def any(self) -> str:
        make = self.random.choice([self.filtered, self.computed, self.computed, self.joined])
        return make()

    def filtered(self) -> str:
        return f"SELECT n, m, s FROM t WHERE {self.condition(3)}"

    def computed(self) -> str:
        value = self.random.choice([self.case, self.text, self.flag])(3)
        return f"SELECT n, {value} AS x FROM t"

    def joined(self) -> str:
        kind = self.random.choice(["LEFT", "INNER", "LEFT SEMI", "LEFT ANTI", "CROSS"])
        shown = "t.n, t.s" + ("" if "SEMI" in kind or "ANTI" in kind else ", v.c, v.k")
        on = "" if kind == "CROSS" else f" ON {self.meeting()}"
        rows = ", ".join(self.constant_row() for _ in range(self.random.randint(1, 3)))
        return f"SELECT {shown} FROM t {kind} JOIN (VALUES {rows}) AS v(c, k, h){on}"

    def meeting(self) -> str:
        return self.random.choice(
            [
                "t.n = v.k",
                "t.n >= v.k AND t.n <= v.h",
                "t.n >= v.k AND (t.n < v.h OR v.h IS NULL)",
                "lower(t.s) = v.c",
                "t.s = v.c AND t.n > v.k",
                "t.n <=> v.k",
                "coalesce(t.n = v.k, FALSE)",
            ]
        )

    def constant_row(self) -> str:
        text = self.random.choice(["'a'", "'b|c'", "''", "'A'", "CAST(NULL AS STRING)"])
        low = self.random.choice(["0", "1", "2", "-1", "CAST(NULL AS INT)"])
        high = self.random.choice(["0", "2", "3", "CAST(NULL AS INT)"])
        return f"({text}, {low}, {high})"

    def condition(self, depth: int) -> str:
        if depth == 0:
            return self.atom()
        inner = self.condition(depth - 1)
        other = self.condition(depth - 1)
        return self.random.choice(
            [
                self.atom(),
                f"NOT ({inner})",
                f"({inner} AND {other})",
                f"({inner} OR {other})",
                f"coalesce({inner}, {self.random.choice(['TRUE', 'FALSE'])})",
                f"({inner}) <=> {self.random.choice(['TRUE', 'FALSE'])}",
                f"({inner}) = {self.random.choice(['TRUE', 'FALSE'])}",
                f"CASE WHEN {inner} THEN {other} ELSE {self.truth()} END",
                f"CASE WHEN {inner} THEN {self.truth()} ELSE {other} END",
                f"({self.case(1)}) = 1",
            ]
        )

    def truth(self) -> str:
        return self.random.choice(["TRUE", "FALSE", "NULL"])

    def flag(self, depth: int) -> str:
        return self.condition(depth)

    def atom(self) -> str:
        number, op = (
            self.random.randint(-1, 3),
            self.random.choice(["<", "<=", ">", ">=", "=", "<>", "<=>"]),
        )
        return self.random.choice(
            [
                f"n {op} {number}",
                f"d {op} {number}.5",
                f"n IN ({number}, {number + 1})",
                f"n NOT IN ({number}, 0, NULL)",
                "n IS NULL",
                "b",
                "m = n",
                f"{self.text(1)} = {self.word()}",
                f"contains({self.text(1)}, {self.word()})",
                f"startswith({self.text(1)}, '@')",
            ]
        )

    def case(self, depth: int) -> str:
        column = self.random.choice(["n", "n", "s", "d"])
        branches = " ".join(
            f"WHEN {self.about(column)} THEN {self.random.choice(['1', '2', 'm', 'NULL'])}"
            for _ in range(self.random.randint(1, 4))
        )
        whole = f"CASE {branches} ELSE {self.random.choice(['0', '1', 'm', 'NULL'])} END"
        return f"coalesce({whole}, 7)" if self.random.random() < 0.3 else whole

    def about(self, column: str) -> str:
        constant = self.word() if column == "s" else str(self.random.randint(-1, 4))
        op = self.random.choice(["<", "<=", ">", ">=", "=", "=", "<=>"])
        simple = f"{column} {op} {constant}"
        other = f"{column} {self.random.choice(['<', '>='])} {constant}"
        return self.random.choice(
            [
                simple,
                simple,
                f"({simple} AND {other})",
                f"NOT ({simple})",
                f"{column} IS NULL",
                f"({simple} OR {other})",
                f"{column} IN ({constant}, NULL)",
            ]
        )

    def word(self) -> str:
        return f"'{self.random.choice(TEXTS)}'"

    def text(self, depth: int) -> str:
        if depth == 0:
            return "s"
        inner = self.text(depth - 1)
        one = self.random.choice(["lower", "upper", "initcap", "trim", "ltrim", "rtrim"])
        return self.random.choice(
            [
                f"{one}({inner})",
                f"{one}({inner})",
                f"coalesce({inner}, {self.word()})",
                f"CASE WHEN n > 0 THEN {inner} ELSE {self.word()} END",
                f"left({inner}, {self.random.randint(-1, 3)})",
                f"right({inner}, {self.random.randint(-1, 3)})",
                f"substring({inner}, {self.random.randint(-3, 3)}, {self.random.randint(0, 3)})",
                f"split_part({inner}, '|', {self.random.choice([1, -1])})",
                f"split({inner}, '[|]')[0]",
                f"element_at(split({inner}, '\\\\|'), -1)",
                f"format_string('<%s>', {inner})",
                f"concat({inner}, {self.word()})",
            ]
        )


def rows(random: Random, number: int) -> list[tuple[Any, ...]]:
    def one() -> tuple[Any, ...]:
        return (
            random.choice([None, -2, -1, 0, 1, 2, 3, 4, 5]),
            random.choice([None, 0, 1, 2]),
            random.choice([None, *TEXTS]),
            random.choice([None, True, False]),
            random.choice(
                [
                    None,
                    Decimal("0.0"),
                    Decimal("0.5"),
                    Decimal("1.0"),
                    Decimal("2.5"),
                    Decimal("-1.0"),
                ]
            ),
        )

    return [one() for _ in range(number)]


def result(dataflow: Dataflow, row: tuple[Any, ...]) -> str | None:
    """What a query gives on one row; None where it fails or is not interpreted."""
    try:
        return repr(sorted(map(repr, run_dataflow(dataflow, {"t": [row]})["result"].rows)))
    except (Failure, VeerError):
        return None


@pytest.mark.parametrize("number", range(ROUNDS))
def test_normal_forms_mean_the_same(number: int) -> None:
    random = Random(f"spellings {SEED} {number}")
    queries, compared = Queries(random), 0
    for _ in range(QUERIES):
        text = queries.any()
        try:
            dataflow = read_sql(text, SCHEMA)
        except VeerError:
            continue
        other = normalized(dataflow)
        for row in rows(random, 12):
            before = result(dataflow, row)
            if before is not None:
                compared += 1
                assert before == result(other, row), (text, row)
    assert compared > QUERIES
