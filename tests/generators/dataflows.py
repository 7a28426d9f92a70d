"""Random whole queries in Spark SQL over the tables of `tables.query_tables`.

Every query is deterministic: LIMIT comes only over a total order, window functions that depend
on the order of ties get one, and no query depends on the order of addition of floats except
where sums are compared with a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

COLUMNS = {
    "r": {"a": "int", "b": "int", "s": "str", "d": "flt", "n": "dec", "dt": "date", "xs": "arr"},
    "q": {"a": "int", "c": "int", "s": "str", "d": "flt", "dt": "date", "p": "bool"},
    "z": {"a": "int", "s": "str", "d": "flt"},
}
CONSTANTS = {
    "int": ("0", "1", "2", "3", "-1", "NULL"),
    "str": ("''", "'a'", "'b'", "'abc'", "'1'"),
    "flt": ("0.0D", "1.5D", "CAST('NaN' AS DOUBLE)", "1e10"),
    "dec": ("0.50", "1.25", "-3.1", "0"),
    "date": ("DATE '2020-02-29'", "DATE '2020-01-31'", "DATE '2021-12-31'"),
    "bool": ("true", "false", "CAST(NULL AS BOOLEAN)"),
}
JOINS = (
    "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN",
)  # fmt: skip


@dataclass(frozen=True)
class Col:
    """A column in scope: how it is written and its kind."""

    text: str
    kind: str


class Queries:
    """A stream of random queries; `ordered` says whether the last one fixes the order of rows."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ordered = False

    def query(self) -> str:
        """A query of a random shape."""
        self.ordered = False
        shapes: tuple[Callable[[], str], ...] = (
            self.select, self.join, self.join, self.group, self.group, self.totals, self.distinct,
            self.set_operation, self.set_operation, self.top, self.window, self.window,
            self.exploded, self.membership, self.membership, self.scalar, self.grouping_sets,
            self.nested, self.with_view, self.union_types, self.having, self.multi_join,
        )  # fmt: skip
        return self.random.choice(shapes)()

    # -- expressions -------------------------------------------------------------------------

    def table(self) -> str:
        return self.random.choices(("r", "q", "z"), (5, 4, 2))[0]

    def columns(self, table: str, alias: str) -> list[Col]:
        return [Col(f"{alias}.{c}", k) for c, k in COLUMNS[table].items()]

    def of(self, kind: str, scope: list[Col]) -> str:
        found = [c.text for c in scope if c.kind == kind]
        if found and self.random.random() < 0.8:
            return self.random.choice(found)
        return self.random.choice(CONSTANTS[kind])

    def value(self, kind: str, scope: list[Col], depth: int = 1) -> str:
        """A scalar expression of the kind that rarely fails."""
        random = self.random
        if depth == 0 or random.random() < 0.5:
            return self.of(kind, scope)

        def v(k: str) -> str:
            return self.value(k, scope, depth - 1)

        made: tuple[str, ...]
        match kind:
            case "int":
                made = (
                    f"{v('int')} % 5 + 1", f"abs({v('int')} % 7)", f"length({v('str')})",
                    f"coalesce({v('int')}, 0)", f"CASE WHEN {self.condition(scope, 0)} THEN {v('int')} ELSE 7 END",
                    f"try_add({v('int')}, {v('int')})", f"year({v('date')})", f"nullif({v('int')}, 1)",
                )  # fmt: skip
            case "str":
                made = (
                    f"upper({v('str')})", f"concat({v('str')}, 'x')", f"substring({v('str')}, 1, 1)",
                    f"coalesce({v('str')}, 'none')", f"CAST({v('int')} AS STRING)", f"trim({v('str')})",
                )  # fmt: skip
            case "flt":
                made = (
                    f"-({v('flt')})",
                    f"abs({v('flt')})",
                    f"{v('flt')} + 1.0D",
                    f"CAST({v('int')} AS DOUBLE)",
                )
            case "dec":
                made = (
                    f"{v('dec')} * 2",
                    f"{v('dec')} / 4",
                    f"round({v('dec')}, 1)",
                    f"abs({v('dec')})",
                )
            case "date":
                made = (
                    f"last_day({v('date')})",
                    f"trunc({v('date')}, 'MM')",
                    f"coalesce({v('date')}, DATE '2020-02-29')",
                )
            case _:
                return f"({self.condition(scope, depth - 1)})"
        return random.choice(made)

    def condition(self, scope: list[Col], depth: int = 1) -> str:
        random = self.random
        kind = random.choice(("int", "int", "str", "flt", "dec", "date"))

        def v(kind: str) -> str:
            return self.value(kind, scope, max(depth - 1, 0))

        if depth and random.random() < 0.4:
            a, b = (self.condition(scope, depth - 1) for _ in range(2))
            return random.choice((f"{a} AND {b}", f"({a} OR {b})", f"NOT ({a})"))
        op = random.choice(("=", "=", "<", "<=", ">", ">=", "<>", "<=>"))
        made = [
            f"{v(kind)} {op} {v(kind)}", f"{v(kind)} {op} {v(kind)}", f"{v(kind)} IS NULL",
            f"{v(kind)} IS NOT NULL", f"{v('int')} IN (1, {v('int')}, NULL)", f"{v('int')} NOT IN (1, 2)",
            f"{v('int')} BETWEEN 0 AND {v('int')}", f"{v('str')} LIKE '%a%'", f"{v('flt')} {op} {v('int')}",
            f"{v('dec')} {op} {v('int')}",
        ]  # fmt: skip
        return random.choice(made)

    def outputs(self, scope: list[Col], count: int | None = None) -> list[str]:
        kinds = sorted({c.kind for c in scope if c.kind != "arr"})
        number = count or self.random.randrange(1, 5)
        return [self.value(self.random.choice(kinds), scope) for _ in range(number)]

    def named(self, values: list[str]) -> str:
        return ", ".join(f"{v} AS c{n}" for n, v in enumerate(values))

    def where(self, scope: list[Col], share: float = 0.6) -> str:
        return f" WHERE {self.condition(scope)}" if self.random.random() < share else ""

    # -- shapes ------------------------------------------------------------------------------

    def select(self) -> str:
        t = self.table()
        scope = self.columns(t, "x")
        if self.random.random() < 0.3:
            return f"SELECT * FROM {t} x{self.where(scope)}"
        return f"SELECT {self.named(self.outputs(scope))} FROM {t} x{self.where(scope)}"

    def on(self, left: list[Col], right: list[Col]) -> str:
        kind = self.random.choice(("int", "int", "str", "flt", "date"))
        pairs = [(a, b) for a in left for b in right if a.kind == b.kind == kind]
        both = left + right
        if not pairs:
            return self.condition(both)
        a, b = self.random.choice(pairs)
        op = self.random.choices(("=", "<=>", "<", ">="), (6, 2, 1, 1))[0]
        extra = f" AND {self.condition(both, 0)}" if self.random.random() < 0.4 else ""
        return f"{a.text} {op} {b.text}{extra}"

    def join(self) -> str:
        t, u = self.table(), self.table()
        left, right = self.columns(t, "x"), self.columns(u, "y")
        kind = self.random.choice(JOINS)
        on = f" ON {self.on(left, right)}"
        if self.random.random() < 0.08:
            kind, on = "CROSS JOIN", ""
        scope = left if "SEMI" in kind or "ANTI" in kind else left + right
        columns = "*" if self.random.random() < 0.25 else self.named(self.outputs(scope))
        return f"SELECT {columns} FROM {t} x {kind} {u} y{on}{self.where(scope, 0.4)}"

    def multi_join(self) -> str:
        a, b, c = self.columns("r", "x"), self.columns("q", "y"), self.columns("r", "w")
        kinds = [self.random.choice(JOINS[:4]) for _ in range(2)]
        if self.random.random() < 0.4:
            test = f"{self.on(a, b)} AND {self.on(b, c)}"
            return f"SELECT {self.named(self.outputs(a + b + c))} FROM r x, q y, r w WHERE {test}"
        return (
            f"SELECT {self.named(self.outputs(a + b + c))} FROM r x {kinds[0]} q y ON {self.on(a, b)}"
            f" {kinds[1]} r w ON {self.on(b, c)}{self.where(a + b + c, 0.3)}"
        )

    def aggregate(self, scope: list[Col]) -> str:
        random = self.random
        i, s, d, n, dt = (self.value(k, scope) for k in ("int", "str", "flt", "dec", "date"))
        call = random.choice((
            "count(*)", f"count({i})", f"count(DISTINCT {s})", f"count(DISTINCT {d})", f"sum({i})",
            f"sum({n})", f"avg({n})", f"avg({i})", f"min({d})", f"max({d})", f"min({s})", f"max({dt})",
            f"sum(DISTINCT {i})", f"count(DISTINCT {i}, {s})", f"bool_and({i} > 0)", f"bool_or({i} > 1)",
            f"count_if({i} = 1)", f"stddev_samp({i})", f"var_pop({i})", f"sum({d})", f"avg({d})",
            f"size(collect_list({i}))", f"sort_array(collect_set({i}))", f"sort_array(collect_list({s}))",
            f"median({i})", f"max({i})", f"min({n})", f"stddev({d})", f"avg(DISTINCT {n})",
            f"sort_array(collect_set({d}))", f"var_samp({i})", f"stddev_pop({i})", "any_value(1)",
            f"max_by(1, {i})", f"min_by('x', {s})", "first(5)", "last(true)", f"median({d})",
        ))  # fmt: skip
        if random.random() < 0.2 and "DISTINCT" not in call:
            inner, close = (call, "") if not call.startswith(("size(", "sort_array(")) else ("", "")
            if inner:
                return f"{inner} FILTER (WHERE {self.condition(scope, 0)}){close}"
        return call

    def group(self) -> str:
        t = self.table()
        scope = self.columns(t, "x")
        keys = self.outputs(scope, self.random.randrange(1, 3))
        calls = [self.aggregate(scope) for _ in range(self.random.randrange(1, 4))]
        names = [f"{k} AS k{n}" for n, k in enumerate(keys)]
        names += [f"{c} AS c{n}" for n, c in enumerate(calls)]
        by = ", ".join(str(n + 1) for n in range(len(keys)))
        return f"SELECT {', '.join(names)} FROM {t} x{self.where(scope, 0.3)} GROUP BY {by}"

    def having(self) -> str:
        t = self.table()
        call = self.aggregate(self.columns(t, "x"))
        return f"SELECT x.a, {call} AS c FROM {t} x GROUP BY x.a HAVING count(*) > 1 OR max(x.s) >= 'a'"

    def totals(self) -> str:
        t = self.table()
        scope = self.columns(t, "x")
        calls = [self.aggregate(scope) for _ in range(self.random.randrange(1, 5))]
        return f"SELECT {self.named(calls)} FROM {t} x{self.where(scope)}"

    def distinct(self) -> str:
        t = self.table()
        scope = self.columns(t, "x")
        return f"SELECT DISTINCT {self.named(self.outputs(scope))} FROM {t} x{self.where(scope)}"

    def set_operation(self) -> str:
        t, u = self.table(), self.table()
        kinds = [
            self.random.choice(("int", "str", "flt")) for _ in range(self.random.randrange(1, 3))
        ]
        parts = [
            "SELECT " + self.named([self.value(k, self.columns(x, "x")) for k in kinds])
            + f" FROM {x} x{self.where(self.columns(x, 'x'), 0.3)}"
            for x in (t, u)
        ]  # fmt: skip
        op = self.random.choice(
            ("UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL")
        )
        return f"{parts[0]} {op} {parts[1]}"

    def union_types(self) -> str:
        kinds = ("int", "flt", "dec", "str", "date")
        left, right = (self.random.choice(kinds) for _ in range(2))
        op = self.random.choice(("UNION ALL", "UNION", "EXCEPT", "INTERSECT"))
        return (
            f"SELECT {self.of(left, self.columns('r', 'x'))} AS c0 FROM r x {op} "
            f"SELECT {self.of(right, self.columns('r', 'y'))} FROM r y"
        )

    def top(self) -> str:
        """ORDER BY every output column, so that ties are equal rows."""
        self.ordered = True
        t = self.table()
        scope = [c for c in self.columns(t, "x") if c.kind != "flt"]
        outputs = self.outputs(scope)
        order = [
            f"c{n} {self.random.choice(('', 'ASC', 'DESC'))} "
            f"{self.random.choice(('', '', 'NULLS FIRST', 'NULLS LAST'))}"
            for n in range(len(outputs))
        ]
        self.random.shuffle(order)
        tail = self.random.choice(("", " LIMIT 3", " LIMIT 0", " LIMIT 2 OFFSET 1", " OFFSET 2"))
        return f"SELECT {self.named(outputs)} FROM {t} x ORDER BY {', '.join(order)}{tail}"

    def window(self) -> str:
        t = self.table()
        scope = self.columns(t, "x")
        random = self.random
        kind = random.choice(("int", "int", "flt", "date", "str", "dec"))
        key = self.of(kind, scope)
        if key in CONSTANTS[kind]:
            key, kind = "x.a", "int"
        direction = random.choice(("", " DESC", " NULLS LAST", " DESC NULLS FIRST"))
        partition = random.choice(
            ("", "", "PARTITION BY x.a ", "PARTITION BY x.d ", "PARTITION BY x.s, x.a ")
        )
        i, d, s = (self.value(k, scope) for k in ("int", "flt", "str"))
        ranking = ("rank()", "dense_rank()", "percent_rank()", "cume_dist()")
        peers = (
            "count(*)", f"count({i})", f"sum({i})", f"min({d})", f"max({s})", f"avg({i})", f"max({d})",
            f"sum({i}) FILTER (WHERE {i} > 0)", f"min({s})", f"count({d})",
        )  # fmt: skip
        total = ", ".join(
            f"{c.text}{random.choice(('', ' DESC'))}" for c in scope if c.kind != "arr"
        )
        shape = random.randrange(6)
        if shape == 0:
            over = f"{random.choice(ranking)} OVER ({partition}ORDER BY {key}{direction})"
        elif shape == 1:
            over = f"{random.choice(peers)} OVER ({partition}ORDER BY {key}{direction})"
        elif shape == 2:
            over = f"{random.choice(peers)} OVER ({partition.strip()})"
        elif shape == 3 and kind in ("int", "date", "flt", "dec"):
            unit = {"flt": "1.5D"}.get(kind, "1")
            low = random.choice(
                ("UNBOUNDED PRECEDING", "1 PRECEDING", "CURRENT ROW", "2 PRECEDING", "1 FOLLOWING")
            )
            high = random.choice(("UNBOUNDED FOLLOWING", "2 FOLLOWING", "1 FOLLOWING"))
            if low != "1 FOLLOWING":
                high = random.choice((high, "CURRENT ROW"))
            del unit
            over = f"{random.choice(peers)} OVER ({partition}ORDER BY {key}{direction} RANGE BETWEEN {low} AND {high})"
        elif shape == 4:
            low = random.choice(
                ("UNBOUNDED PRECEDING", "1 PRECEDING", "CURRENT ROW", "2 PRECEDING")
            )
            high = random.choice(("UNBOUNDED FOLLOWING", "CURRENT ROW", "1 FOLLOWING"))
            over = f"{random.choice(peers)} OVER ({partition}ORDER BY {total} ROWS BETWEEN {low} AND {high})"
        else:
            function = random.choice((
                f"lag({i})", f"lead({s}, 2)", f"lag({i}, 1, 9)", f"lead({d})", f"first_value({i})",
                f"last_value({s})", "ntile(3)", f"lag({i}, 0)", f"lead({i}, -1)", f"first({s})",
            ))  # fmt: skip
            over = f"{function} OVER ({partition}ORDER BY {total})"
        return f"SELECT x.a, x.s, {over} AS c FROM {t} x{self.where(scope, 0.2)}"

    def exploded(self) -> str:
        return self.random.choice((
            "SELECT a, explode(xs) AS e FROM r",
            "SELECT a, posexplode(xs) FROM r",
            "SELECT a, explode_outer(xs) AS e FROM r",
            "SELECT r.a, v.e FROM r LATERAL VIEW explode(r.xs) v AS e WHERE v.e > 0",
            "SELECT r.a, v.e FROM r LATERAL VIEW OUTER explode(r.xs) v AS e",
            "SELECT r.a, v.p, v.e FROM r LATERAL VIEW posexplode(r.xs) v AS p, e",
            "SELECT e, count(*) AS c FROM (SELECT explode(xs) AS e FROM r) GROUP BY e",
        ))  # fmt: skip

    def membership(self) -> str:
        t, u = self.table(), self.table()
        scope, inner = self.columns(t, "x"), self.columns(u, "y")
        kind = self.random.choice(("int", "str", "flt"))
        a = self.of(kind, scope)
        b = self.of(kind, inner)
        correlated = f" WHERE {self.on(scope, inner)}" if self.random.random() < 0.6 else ""
        simple = " WHERE y.a = x.a" if correlated else self.where(inner, 0.4)
        test = self.random.choice((
            f"EXISTS (SELECT 1 FROM {u} y{correlated or self.where(inner)})",
            f"NOT EXISTS (SELECT 1 FROM {u} y{correlated or self.where(inner)})",
            f"{a} IN (SELECT {b} FROM {u} y{simple})",
            f"{a} NOT IN (SELECT {b} FROM {u} y{simple})",
            f"{a} IN (SELECT {b} FROM {u} y)", f"{a} NOT IN (SELECT {b} FROM {u} y)",
            f"(x.a, x.s) IN (SELECT y.a, y.s FROM {u} y)", f"(x.a, x.s) NOT IN (SELECT y.a, y.s FROM {u} y)",
            f"({a} IN (SELECT {b} FROM {u} y) OR {self.condition(scope, 0)})",
        ))  # fmt: skip
        return f"SELECT x.a, x.s, x.d FROM {t} x WHERE {test}"

    def scalar(self) -> str:
        t, u = self.table(), self.table()
        call = self.random.choice(
            ("max(y.a)", "count(*)", "min(y.s)", "sum(y.a)", "avg(y.a)", "max(y.d)", "count(y.s)")
        )
        on = self.random.choice(
            (" WHERE y.a = x.a", " WHERE y.s = x.s", "", " WHERE y.d = x.d AND y.a > 0")
        )
        subquery = f"(SELECT {call} FROM {u} y{on})"
        if self.random.random() < 0.5:
            return f"SELECT x.a, x.s, {subquery} AS c FROM {t} x"
        return f"SELECT x.a, x.s FROM {t} x WHERE coalesce(CAST({subquery} AS STRING), '0') > '0'"

    def grouping_sets(self) -> str:
        t = self.table()
        call = self.random.choice(("count(*)", "max(d)", "min(s)", "sum(a)"))
        by = self.random.choice((
            "ROLLUP (a, s)", "CUBE (a, s)", "GROUPING SETS ((a, s), (a), ())", "a, s WITH ROLLUP",
            "ROLLUP (a, s)", "GROUPING SETS ((s), (a))",
        ))  # fmt: skip
        mark = self.random.choice(("", ", grouping(a) AS g", ", grouping_id() AS g"))
        return f"SELECT a, s, {call} AS c{mark} FROM {t} GROUP BY {by}"

    def nested(self) -> str:
        inner = self.random.choice(
            (self.group, self.join, self.select, self.distinct, self.set_operation)
        )()
        return self.random.choice((
            f"SELECT count(*) AS n FROM ({inner}) v",
            f"SELECT DISTINCT * FROM ({inner}) v",
            f"SELECT * FROM ({inner}) v UNION ALL SELECT * FROM ({inner}) u",
        ))  # fmt: skip

    def with_view(self) -> str:
        inner = self.random.choice((self.group, self.distinct, self.set_operation))()
        return f"WITH v AS ({inner}) SELECT x.*, y.* FROM v x JOIN v y ON true WHERE 1 = 1"
