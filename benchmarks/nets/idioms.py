"""Random queries of the shapes that rewrites look for: what few random queries have by chance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from tests.properties.test_arrays import SCHEMA as ARRAYS, Queries

SCHEMA = f"""{ARRAYS.strip()};
CREATE TABLE r (k INT NOT NULL, g INT, h INT NOT NULL, x INT, y INT, d DOUBLE, s STRING, n DECIMAL(5,2), m BIGINT,
                xs ARRAY<INT>, PRIMARY KEY (k));
CREATE TABLE q (k INT NOT NULL, g INT, x INT, z INT NOT NULL, s STRING, PRIMARY KEY (k), UNIQUE (g))
"""
# What stands for `{name}`; those with a number are the same wherever they stand in a query.
PARTS: dict[str, tuple[str, ...]] = {
    "v": ("x", "y", "h", "x + y", "x - h", "d", "n", "s", "m", "coalesce(x, 0)", "CASE WHEN y > 1 THEN x END", "k"),
    "i": ("x", "y", "h", "k", "m", "x + 1", "CASE WHEN x > 1 THEN y ELSE 0 END", "CASE WHEN s = 'a' THEN x END"),
    "c": ("x > 1", "y = 1", "s = 'a'", "x IS NULL", "x > y", "d = 0", "NOT (x < 2)", "h <> 1", "x IN (1, 2)", "g = 1"),
    "g": ("g", "h", "g", "h", "s", "d", "x % 2", "coalesce(g, 0)"),
    "o": ("k", "x", "k DESC", "x DESC, k", "d, k", "x NULLS LAST, k DESC", "h, x", "s, k"),
    "f": ("sum", "max", "min", "count", "count", "sum", "avg", "bit_or", "bit_and", "collect_set"),
    "e": ("max", "min"),
    "j": ("JOIN", "LEFT JOIN", "JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"),
    "l": ("JOIN", "LEFT JOIN"),
    "=": ("=", "<=>", "="),
    "n": ("0", "1", "2", "3", "-1"),
    "p": ("=", ">=", ">", "<", "<>", "<="),
    "w": ("", "WHERE {c}", "WHERE {c} AND {c}"),
    "a": ("{f}({i})", "{f}({i}) FILTER (WHERE {c})", "count(*)", "{e}({v})", "sum(CASE WHEN {c} THEN {i} END)",
          "sum(coalesce({i}, 0))", "count(DISTINCT {v})", "sum(CASE WHEN {c} THEN 1 ELSE 0 END)", "bool_or({c})",
          "bool_and({c})", "{e}_by({v}, {i})", "{e}(struct({i}, k, {v}))", "count_if({c})"),
    "u": ("sum", "max", "min", "count", "avg"),
}  # fmt: skip
IDIOMS = (
    # rows before and after
    "SELECT a.k, b.{v1} AS v FROM (SELECT *, row_number() OVER (PARTITION BY {g1} ORDER BY {o1}) AS rn FROM r {w1}) a"
    " {l} (SELECT *, row_number() OVER (PARTITION BY {g1} ORDER BY {o1}) AS rn FROM r {w1}) b"
    " ON a.h {=} b.h AND a.rn = b.rn + {n}",
    "SELECT a.k, b.k AS other FROM (SELECT k, h, row_number() OVER (PARTITION BY h ORDER BY k) AS rn FROM r) a"
    " {l} (SELECT k, h, row_number() OVER (PARTITION BY h ORDER BY k) AS rn FROM r) b"
    " ON a.h = b.h AND a.rn + {n} = b.rn",
    # first rows
    "SELECT k, {v} AS v FROM (SELECT *, {t}() OVER (PARTITION BY {g} ORDER BY {o}) AS rn FROM r {w}) WHERE rn {p} {n}",
    "SELECT {g1} AS g, {e}_by({v}, {i}) AS v, {e}(struct({i}, k, {v})) AS w FROM r {w} GROUP BY {g1}",
    "SELECT {g1} AS g, {e}(struct({i}, k, {v1})).k AS v FROM r {w} GROUP BY {g1}",
    "SELECT r.* FROM r JOIN (SELECT {g1} AS gg, {e}({i1}) AS b FROM r GROUP BY {g1}) y ON {g1} {=} y.gg AND {i1} = y.b",
    "SELECT k FROM r WHERE {i1} {p} (SELECT {e}({i1}) FROM r AS r2 WHERE r2.g {=} r.g)",
    # totals of partitions
    "SELECT k, {u}({i}) OVER (PARTITION BY {g}) AS v, {u}({i}) OVER () AS w FROM r {w}",
    "SELECT r.k, r.x, y.b FROM r {j} (SELECT {g1} AS gg, {a} AS b FROM r {w} GROUP BY {g1}) y ON {g1} {=} y.gg",
    # one value, several values
    "SELECT {g1} AS g FROM r {w} GROUP BY {g1} HAVING count(DISTINCT {v}) {p} {n}",
    "SELECT {g1} AS g, count(DISTINCT {v1}) AS b, {e}({v1}) AS c FROM r GROUP BY {g1} HAVING count(DISTINCT {v1}) {p} {n}",
    # zeros for nulls
    "SELECT g, coalesce(b, 0) AS b FROM (SELECT {g1} AS g, sum({i}) AS b FROM r {w} GROUP BY {g1})",
    "SELECT q.k, coalesce(y.b, 0) AS b, coalesce(y.c, 0) AS c FROM q LEFT JOIN"
    " (SELECT {g1} AS gg, sum({i}) AS b, count({v}) AS c FROM r {w} GROUP BY {g1}) y ON q.g = y.gg",
    "SELECT {g1} AS g, {a} AS b, {a} AS c, {a} AS e FROM r {w} GROUP BY {g1}",
    "SELECT {a} AS b, {a} AS c FROM r {w}",
    # what is collected
    "SELECT {g1} AS g, array_contains(collect_{k}(x), {n}) AS b, size(collect_{k}(y)) AS c FROM r {w} GROUP BY {g1}",
    "SELECT g, size(b) AS b FROM (SELECT {g1} AS g, collect_{k}({i}) AS b FROM r {w} GROUP BY {g1}) WHERE size(b) {p} {n}",
    "SELECT q.k, array_contains(y.b, {n}) AS b FROM q {l} (SELECT g, collect_{k}(x) AS b FROM r GROUP BY g) y ON q.g {=} y.g",
    # bits
    "SELECT {g1} AS g, (bit_or({i}) & 4) {p} 0 AS b, (bit_and({i}) & 1) <> 0 AS c FROM r {w} GROUP BY {g1}",
    "SELECT {g1} AS g, bit_or(CASE WHEN {c} THEN 2 ELSE 0 END) & 2 = 2 AS b FROM r GROUP BY {g1}",
    "SELECT {g1} AS g, (bit_or({i1}) & {n}) = {n} AS b, getbit(bit_or({i1}), 1) AS c FROM r GROUP BY {g1}",
    # groups joined
    "SELECT a.gg, a.b, c.b AS e FROM (SELECT {g1} AS gg, {a} AS b FROM r {w1} GROUP BY {g1}) a"
    " {j2} (SELECT {g1} AS gg, {a} AS b FROM r {w1} GROUP BY {g1}) c ON a.gg {=} c.gg",
    "SELECT q.k, a.b, c.b AS e FROM q LEFT JOIN (SELECT h AS gg, {a} AS b FROM r {w1} GROUP BY h) a ON q.z = a.gg"
    " LEFT JOIN (SELECT h AS gg, {a} AS b FROM r {w1} GROUP BY h) c ON q.z = c.gg",
    # looked up
    "SELECT r.k, a.x AS b, c.z AS c FROM r {l} q a ON r.h = a.k {l} q c ON r.h = c.k",
    "SELECT r.k, a.z FROM r {l} q a ON r.g {=} a.g WHERE a.z {p} {n}",
    "SELECT a.k, b.{v1} AS v FROM r a {l} r b ON a.k = b.k AND b.h {p} {n}",
    "SELECT a.k FROM r a {j2} (SELECT k FROM r {w}) b ON a.k = b.k",
    "SELECT r.k, c.rate FROM r {l} (VALUES (1, 'a'), (2, 'b'), (3, NULL)) AS c(code, rate) ON r.x {=} c.code",
    "SELECT r.k FROM r {j2} (VALUES (1), (2)) AS c(code) ON r.x {=} c.code",
    "SELECT r.k, c.f FROM r {l} (VALUES (0, 1), (2, 5)) AS c(f, t) ON r.x >= c.f AND r.x < c.t",
    # items
    "SELECT k, {u}(z) AS b, count(*) AS c FROM r LATERAL VIEW {outer} explode(xs) AS z {w} GROUP BY k",
    "SELECT h, {u}(z) AS b FROM r LATERAL VIEW {outer} explode(xs) AS z {w} GROUP BY h",
    "SELECT q.k, y.b FROM q {l} (SELECT k, {u}(z) AS b FROM r LATERAL VIEW {outer} explode(xs) AS z GROUP BY k) y ON q.k = y.k",
    "SELECT k FROM r WHERE {not} EXISTS (SELECT 1 FROM explode(r.xs) AS e(z) WHERE z {p} {n} AND {c})",
    # duplicates, counts, sets
    "SELECT DISTINCT g, b FROM (SELECT {g1} AS g, {a} AS b FROM r {w} GROUP BY {g1})",
    "SELECT count(*) AS b FROM (SELECT DISTINCT {v1} AS v FROM r {w})",
    "SELECT {g1} AS g, max(b) AS b FROM (SELECT {g1} AS {g1a}, {v1} AS b FROM r GROUP BY {g1}, {v1}) GROUP BY 1",
    "SELECT k FROM r WHERE {not} {i1} IN (SELECT {i} FROM q {wq})",
    "SELECT k, (SELECT {e}(q.x) FROM q WHERE q.g {=} r.g AND q.z {p} r.h) AS b FROM r {w}",
    "SELECT k, (SELECT count(*) FROM q WHERE q.g {=} r.g) AS b FROM r",
    "SELECT g FROM r {w} INTERSECT SELECT g FROM q",
    "SELECT g, x FROM r {w} EXCEPT ALL SELECT g, x FROM q",
    "SELECT {v1} AS v, k FROM r {w} ORDER BY {o} LIMIT 2",
    "SELECT sum(b) AS b FROM (SELECT {g1} AS g, sum({i}) AS b FROM r {w} GROUP BY {g1} UNION ALL SELECT g, x FROM q)",
    "SELECT {g1} AS g, sum({i} - {i}) AS b, sum(CASE WHEN {c} THEN {i} + {i} END) AS c FROM r {w} GROUP BY {g1}",
)  # fmt: skip
MORE = {
    "t": ("row_number", "rank", "dense_rank"),
    "k": ("set", "list"),
    "outer": ("", "OUTER"),
    "not": ("", "NOT"),
    "wq": ("", "WHERE z > 1", "WHERE g IS NOT NULL"),
    "g1a": ("g",),
    "j2": ("JOIN", "LEFT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"),
}
PLACE = re.compile(r"\{([a-z=]+[0-9]?a?)\}")


class Idioms:
    """Makes queries, the same for the same random numbers."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.arrays = Queries(rng)

    def query(self) -> str:
        """A query over the tables of `SCHEMA`."""
        if self.rng.random() < 0.15:
            return self.rng.choice((self.arrays.computed, self.arrays.grouped))()
        return _Filling(self.rng).text()

    def near(self) -> tuple[str, str]:
        """Two queries that were made alike but for one choice."""
        first = _Filling(self.rng)
        text = first.text()
        picked = list(first.picked)
        picked[self.rng.randrange(1, len(picked))] = self.rng.randrange(100)
        return text, _Filling(self.rng, picked).text()


class _Filling:
    """One query: `picked` are the choices made for it, or to be made while there are any."""

    def __init__(self, rng: Random, picked: Sequence[int] = ()) -> None:
        self.rng = rng
        self.given = picked
        self.picked: list[int] = []
        self.same: dict[str, str] = {}

    def text(self) -> str:
        text = self._choice(IDIOMS)
        while (place := PLACE.search(text)) is not None:
            text = text[: place.start()] + self._part(place[1]) + text[place.end() :]
        return text

    def _part(self, name: str) -> str:
        if name in MORE:
            return self._choice(MORE[name])
        if name[-1].isdigit():
            if name not in self.same:
                self.same[name] = self._choice(PARTS[name[:-1]])
            return self.same[name]
        return self._choice(PARTS[name])

    def _choice(self, options: Sequence[str]) -> str:
        at = len(self.picked)
        pick = self.given[at] if at < len(self.given) else self.rng.randrange(len(options))
        self.picked.append(pick % len(options))
        return options[self.picked[-1]]
