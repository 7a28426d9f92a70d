"""Random expressions and queries that mix types: text beside numbers, dates, booleans, and extremes.

What they mean is decided by implicit casts, by what overflows and by what cannot be converted:
here sessions without ANSI, and one Spark and the next, differ most.
"""

from __future__ import annotations

import re
from random import Random

from tests.generators.expressions import COLUMNS, CONSTANTS, TYPES
from tests.generators.tables import Table, make_table

OPERATORS = ("=", "=", "<", "<=", ">", ">=", "<>", "<=>")
ARITHMETIC = ("+", "-", "*", "/", "%", "div")
SCALARS = (
    "int", "int", "num", "flt", "dec", "dec", "str", "str", "str", "bool", "date", "ts", "bin",
)  # fmt: skip
TEXTS = (
    "'1'", "'01'", "'1.0'", "' 1 '", "'1.5'", "'1e0'", "'-0'", "'0'", "'true'", "'yes'", "'f'", "'x'", "''",
    "'2020-02-29'", "'2020-2-29'", "'2021-02-30'", "'2020-02-29 12:34:56'", "'2020-02-29T00:00:00'",
    "'2147483648'", "'9223372036854775808'", "'128'", "'1.00'", "'NaN'", "'Infinity'", "'1970-01-01'",
    "'99999999999999999999999999999999999999'", "'0.000000001'", "'1L'", "'5.'", "'.5'", "NULL",
)  # fmt: skip
NESTED = (
    "ARRAY<INT>", "ARRAY<STRING>", "ARRAY<BIGINT>", "ARRAY<DECIMAL(5,2)>", "ARRAY<DATE>", "ARRAY<BOOLEAN>",
    "ARRAY<TINYINT>", "ARRAY<DOUBLE>", "ARRAY<TIMESTAMP>",
)  # fmt: skip
MAPS = (
    "MAP<STRING,STRING>", "MAP<STRING,TINYINT>", "MAP<STRING,DECIMAL(3,1)>", "MAP<STRING,DOUBLE>",
    "MAP<STRING,DATE>", "MAP<STRING,BOOLEAN>", "MAP<INT,INT>", "MAP<BINARY,BIGINT>", "STRING",
)  # fmt: skip
STRUCTS = (
    "STRUCT<x:STRING,y:INT>", "STRUCT<x:TINYINT,y:DATE>", "STRUCT<p:DECIMAL(4,2),q:DOUBLE>",
    "STRUCT<x:BOOLEAN,y:BOOLEAN>", "STRING",
)  # fmt: skip

# `{x}` is a scalar of any kind, `{op}` a comparison, `{ar}` an operator of arithmetic, `{type}` a type.
TEMPLATES = (
    *("({x} {op} {x})",) * 6, "({str} {op} {x})", "({bool} {op} {num})", "({dec} {op} {str})",
    "({x} {op} {text})", "({x} {op} {text})", "({num} {op} {text})", "({date} {op} {text})",
    "({ts} {op} {text})", "({bool} {op} {text})", "({bool} {op} {dec})", "({dec} {op} {dec})",
    "({x} IN ({x}, {x}))", "({x} NOT IN ({x}, NULL, {x}))", "({x} IN ({text}, {x}))", "({num} IN ({text}, {text}))",
    "({x} BETWEEN {x} AND {x})", "({x} NOT BETWEEN {text} AND {x})",
    "CASE WHEN {bool} THEN {x} ELSE {x} END", "CASE WHEN {bool} THEN {x} WHEN {bool} THEN {x} ELSE {x} END",
    "CASE {x} WHEN {x} THEN {x} ELSE {x} END", "coalesce({x}, {x})", "coalesce({x}, {x}, {x})", "nullif({x}, {x})",
    "greatest({x}, {x})", "least({x}, {x}, {x})", "greatest({num}, {num}, {dec})", "nvl({x}, {x})",
    "nvl2({x}, {x}, {x})", "if({bool}, {x}, {x})", "if({x}, 1, 2)", "CASE WHEN {x} THEN 1 ELSE 0 END",
    *("({x} {ar} {x})",) * 3, *("({num} {ar} {num})",) * 3, "({num} {ar} {text})", "({text} {ar} {x})", "({dec} {ar} {dec})",
    "({dec} {ar} {num})", "(({int} {ar} {int}) {ar} {int})", "(({dec} * {dec}) {ar} {dec})", "(-{x})", "abs({x})",
    "pmod({x}, {x})", "try_add({x}, {x})", "try_multiply({num}, {num})", "try_divide({x}, {x})", "try_subtract({dec}, {dec})",
    "({x} AND {x})", "(NOT {x})", "({x} OR {bool})", "({int} & {x})", "({x} | {int})",
    "array({x}, {x})", "array({x}, {x}, {x})[{int}]", "array_contains(array({x}, {x}), {x})", "array_contains({arr}, {x})",
    "ai[{x}]", "at[{int}]", "m[{x}]", "element_at(ai, {int})", "element_at(m, {x})", "element_at(at, {text})",
    "element_at(array({x}, {x}), {int})", "map('a', {x}, '1', {x})[{x}]", "split({x}, {x})[{int}]", "(array({x}) {op} array({x}))",
    "(struct({x}, {x}) {op} struct({x}, {x}))", "(ai {op} at)", "(ad {op} ai)", "coalesce(ai, ad)", "coalesce(at, ai)",
    "concat(ai, at)", "sort_array(array({x}, {x}))", "array_distinct(array({x}, {x}, {x}))", "array_join(array({x}, {x}), {x})",
    *("CAST({x} AS {type})",) * 4, *("CAST(CAST({x} AS {type}) AS {type})",) * 4, "TRY_CAST(CAST({x} AS {type}) AS {type})",
    "CAST(({num} {ar} {num}) AS {type})", "(CAST({x} AS {type}) {ar} {num})", "(CAST({text} AS {type}) {op} {x})",
    "(CAST({x} AS INT) {ar} CAST({x} AS BIGINT))", "CAST(({dec} {ar} {dec}) AS STRING)", "CAST({arr} AS {nested})",
    "CAST(ai AS {nested})", "CAST(at AS {nested})", "CAST(ad AS {nested})", "CAST(m AS {map})", "CAST(map({text}, {x}) AS {map})",
    "CAST(st AS {struct})", "CAST(array(n52, n205) AS STRING)", "CAST(map('a', {dec}) AS STRING)", "CAST(struct({x}, {x}) AS STRING)",
    "date_add({x}, {x})", "date_sub({x}, {int} % 100)", "datediff({x}, {x})", "add_months({x}, {int} % 50)", "last_day({x})",
    "next_day({x}, {text})", "next_day({date}, 'MON')", "year({x})", "month({x})", "dayofweek({x})", "hour({x})", "second({x})",
    "to_date({x})", "to_date({str}, 'yyyy-MM-dd')", "to_timestamp({x})", "to_timestamp({str}, 'yyyy-MM-dd HH:mm:ss')",
    "date({x})", "unix_timestamp({x})", "unix_timestamp({str}, 'yyyy-MM-dd')", "from_unixtime({x})", "months_between({x}, {x})",
    "date_format({x}, 'yyyy-MM')", "trunc({x}, 'MM')", "date_trunc('DAY', {x})", "make_date({x}, {int}, {int})",
    "make_date({int} % 3000, {int} % 14, {int} % 33)", "timestamp_seconds({x})", "({x} + INTERVAL 1 DAY)", "({x} - {date})",
    "({x} - INTERVAL 1 MONTH)", "({date} + {x})", "({date} - {x})", "weekofyear({text})", "quarter({text})",
    "concat({x}, {x})", "({x} || {x})", "substring({x}, {x}, {int})", "length({x})", "upper({x})", "lpad({x}, {int} % 5, {x})",
    "repeat({x}, {int} % 4)", "({x} LIKE {x})", "contains({x}, {x})", "startswith({x}, {x})", "replace({x}, {x}, {x})",
    "instr({x}, {x})", "concat_ws({x}, {x}, {x})", "left({x}, {int})", "hex({x})", "ascii({x})", "trim({x})", "translate({x}, {x}, {x})",
    "md5({x})", "sha2({x}, 256)", "split_part({x}, {x}, {int})", "initcap({x})", "reverse({x})",
    "round({x}, {small})", "bround({x}, {small})", "round({dec}, {small})", "round({int}, {small})", "ceil({x})", "floor({x})",
    "sign({x})", "sqrt({x})", "power({x}, 2)", "isnan({x})", "nanvl({x}, {x})", "size({x})", "size({arr})",
    "({x} IS NULL)", "({x} <=> NULL)", "typeof({x} {ar} {x})", "typeof(coalesce({x}, {x}))", "typeof(CASE WHEN true THEN {x} ELSE {x} END)",
    "({int} + {int} + {int})", "sequence({int} % 5, {x})", "slice({arr}, {int}, {int})", "flatten(array(ai, array({int})))",
    "exists(ai, v -> v {op} {x})", "filter(at, v -> v {op} {num})", "transform(ai, v -> v {ar} {x})", "transform(at, v -> CAST(v AS {type}))",
)  # fmt: skip
_HOLE = re.compile(r"\{(\w+)\}")


class MixedExpressions:
    """A stream of random expressions over the wide table."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def any(self, depth: int = 1) -> str:
        """One expression; `depth` says how many calls may stand in one another."""
        template = self.random.choice(TEMPLATES)
        return _HOLE.sub(lambda hole: self._filled(hole[1], depth), template)

    def _filled(self, kind: str, depth: int) -> str:
        choose = self.random.choice
        match kind:
            case "op":
                return choose(OPERATORS)
            case "ar":
                return choose(ARITHMETIC)
            case "type":
                return choose(TYPES)
            case "nested":
                return choose(NESTED)
            case "map":
                return choose(MAPS)
            case "struct":
                return choose(STRUCTS)
            case "text":
                return choose(TEXTS)
            case "small":
                return choose(("0", "1", "2", "-1", "-2", "5", "-9", "12"))
            case "x":
                return self.value(choose(SCALARS), depth)
            case _:
                return self.value(kind, depth)

    def value(self, kind: str, depth: int) -> str:
        """A column, a constant, or now and then another expression of any kind."""
        if depth > 0 and self.random.random() < 0.25:
            return self.any(depth - 1)
        if self.random.random() < 0.7:
            return self.random.choice(COLUMNS[kind])
        if kind == "str":
            return self.random.choice(TEXTS)
        return self.random.choice(CONSTANTS[kind])


# -- queries -----------------------------------------------------------------------------------

LEFT = {
    "k": "int",
    "a": "int",
    "l": "bigint",
    "s": "string",
    "d": "double",
    "n": "decimal(7,2)",
    "g": "decimal(38,10)",
    "w": "decimal(38,0)",
    "h": "decimal(28,4)",
    "dt": "date",
    "ts": "timestamp",
    "p": "boolean",
    "xs": "array<int>",
    "ss": "array<string>",
    "m": "map<string,int>",
}
RIGHT = {
    "k": "string",
    "a": "bigint",
    "l": "smallint",
    "s": "string",
    "d": "float",
    "n": "decimal(20,5)",
    "dt": "timestamp",
    "p": "string",
}
KEYS = (None, "0", "1", "01", "1.0", "2", "2.5", "-1", "x", "", "true", "2020-02-29", "2147483648")
COLUMNS_OF = {
    "u": [c for c in LEFT if c not in ("xs", "ss", "m")],
    "v": list(RIGHT),
}
JOINS = ("JOIN", "LEFT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")


def mixed_tables(random: Random) -> list[Table]:
    """Two tables whose columns of one name have different types, with texts that are numbers."""
    tables = [
        make_table(random, "u", LEFT, random.randrange(4, 10)),
        make_table(random, "v", RIGHT, random.randrange(3, 8)),
    ]
    return [_with_keys(random, table) for table in tables]


def _with_keys(random: Random, table: Table) -> Table:
    rows = []
    for row in table.rows:
        values = list(row)
        for n, name in enumerate(table.names):
            text = str(table.types[n]) == "string"
            if text and random.random() < 0.7:
                values[n] = random.choice(KEYS)
            elif name in "ka" and values[n] is not None and not text:
                values[n] = random.randrange(-1, 4)
        rows.append(tuple(values))
    return Table(table.name, table.names, table.types, rows)


class MixedQueries:
    """A stream of random queries over `u` and `v`; none depends on an order that is not total."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ordered = False

    def query(self) -> str:
        """A query of a random shape."""
        shapes = (
            self.join, self.join, self.set_operation, self.set_operation, self.totals, self.totals, self.totals,
            self.group, self.group, self.membership, self.scalar, self.access, self.window, self.select, self.exploded,
        )  # fmt: skip
        return self.random.choice(shapes)()

    def column(self, alias: str) -> str:
        table = "u" if alias == "x" else "v"
        return f"{alias}.{self.random.choice(COLUMNS_OF[table])}"

    def constant(self) -> str:
        pool = (
            "0",
            "1",
            "2",
            "2.5",
            "1.00",
            "1e0",
            "true",
            "DATE '2020-02-29'",
            "9223372036854775807",
            "NULL",
        )
        return self.random.choice((*pool, *TEXTS))  # fmt: skip

    def value(self, alias: str) -> str:
        choose, col = self.random.choice, self.column(alias)
        if self.random.random() < 0.55:
            return col
        other = choose((self.column(alias), self.constant()))
        return choose((
            f"coalesce({col}, {other})", f"({col} {choose(ARITHMETIC)} {other})", f"CAST({col} AS {choose(TYPES)})",
            f"CASE WHEN {self.condition(alias)} THEN {col} ELSE {other} END", f"nullif({col}, {other})",
            f"greatest({col}, {other})", f"-({col})", f"abs({col})",
        ))  # fmt: skip

    def condition(self, alias: str) -> str:
        choose = self.random.choice
        a, b = self.column(alias), choose((self.column(alias), self.constant()))
        return choose((
            f"{a} {choose(OPERATORS)} {b}", f"{a} {choose(OPERATORS)} {b}", f"{a} IN ({b}, {self.constant()})",
            f"{a} BETWEEN {b} AND {self.constant()}", f"NOT ({a} = {b})", f"CAST({a} AS {choose(TYPES)}) IS NULL",
            f"{a} NOT IN ({b})",
        ))  # fmt: skip

    def where(self, alias: str, share: float = 0.4) -> str:
        return f" WHERE {self.condition(alias)}" if self.random.random() < share else ""

    def select(self) -> str:
        alias = self.random.choice("xy")
        table = "u" if alias == "x" else "v"
        columns = ", ".join(f"{self.value(alias)} AS c{n}" for n in range(3))
        distinct = self.random.choice(("", "DISTINCT "))
        return f"SELECT {distinct}{columns} FROM {table} {alias}{self.where(alias, 0.8)}"

    def join(self) -> str:
        choose = self.random.choice
        op = choose(("=", "=", "=", "<=>", "<"))
        on = f"{choose((self.column('x'), self.value('x')))} {op} {self.column('y')}"
        if self.random.random() < 0.25:
            join = f"u x {choose(JOINS)} v y USING ({choose(('k', 'a', 's', 'dt', 'p', 'n'))})"
            return (
                f"SELECT * FROM {join}" if choose((True, False)) else f"SELECT x.l AS c FROM {join}"
            )
        kind = choose(JOINS)
        right = "" if "SEMI" in kind or "ANTI" in kind else f", {self.column('y')} AS c1"
        return f"SELECT {self.column('x')} AS c0{right} FROM u x {kind} v y ON {on}{self.where('x', 0.2)}"

    def set_operation(self) -> str:
        op = self.random.choice(
            ("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL")
        )
        count = self.random.randrange(1, 3)
        sides = []
        for alias, table in (("x", "u"), ("y", "v")):
            columns = ", ".join(f"{self.value(alias)} AS c{n}" for n in range(count))
            sides.append(f"SELECT {columns} FROM {table} {alias}")
        if self.random.random() < 0.3:
            sides.append("SELECT " + ", ".join(f"{self.constant()} AS c{n}" for n in range(count)))
        self.random.shuffle(sides)
        return f" {op} ".join(sides[:2]) + "".join(f" UNION ALL {s}" for s in sides[2:])

    def aggregate(self, alias: str) -> str:
        choose = self.random.choice
        col = choose((self.column(alias), self.column(alias), self.value(alias)))
        call = choose((
            "sum({0})", "sum({0})", "avg({0})", "avg({0})", "min({0})", "max({0})", "count({0})", "sum(DISTINCT {0})",
            "avg(DISTINCT {0})", "sum({0} * 2)", "sum(-{0})", "sum({0}) + 1", "sum({0}) / count(*)", "sum({0} + {0})",
            "sort_array(collect_list({0}))", "sort_array(collect_set({0}))", "bool_and({0} > 0)", "count_if({0} = '1')",
            "max_by(1, {0})", "stddev_pop({0})", "median({0})", "sum(CAST({0} AS BIGINT))", "sum(CAST({0} AS DECIMAL(38,2)))",
            "avg(CAST({0} AS DECIMAL(38,18)))", "sum(coalesce({0}, '1'))", "coalesce(sum({0}), 0)", "sum({0}) > '1'",
            "bit_or({0})", "sum(CASE WHEN {0} = 1 THEN {0} ELSE 0 END)", "CAST(sum({0}) AS INT)",
        )).format(col)  # fmt: skip
        return call

    def totals(self) -> str:
        alias = self.random.choice("xxy")
        table = "u" if alias == "x" else "v"
        calls = ", ".join(f"{self.aggregate(alias)} AS c{n}" for n in range(2))
        return f"SELECT {calls} FROM {table} {alias}{self.where(alias, 0.3)}"

    def group(self) -> str:
        alias = self.random.choice("xxy")
        table = "u" if alias == "x" else "v"
        key = self.value(alias)
        having = self.random.choice(
            ("", "", f" HAVING {self.aggregate(alias)} > {self.constant()}")
        )
        return f"SELECT {key} AS k0, {self.aggregate(alias)} AS c FROM {table} {alias} GROUP BY 1{having}"

    def membership(self) -> str:
        choose = self.random.choice
        a, b = self.value("x"), self.value("y")
        test = choose((f"{a} IN (SELECT {b} FROM v y)", f"{a} NOT IN (SELECT {b} FROM v y)",
                       f"EXISTS (SELECT 1 FROM v y WHERE {self.column('x')} = {self.column('y')})",
                       "(x.k, x.a) IN (SELECT y.k, y.l FROM v y)"))  # fmt: skip
        return f"SELECT x.k, x.l FROM u x WHERE {test}"

    def scalar(self) -> str:
        choose = self.random.choice
        call = choose(("max", "min", "sum", "avg", "count"))
        inner = f"(SELECT {call}({self.column('y')}) FROM v y{choose(('', ' WHERE y.k = x.k', ' WHERE y.a = x.a'))})"
        if choose((True, False)):
            return f"SELECT x.k, {inner} AS c FROM u x"
        return f"SELECT x.k FROM u x WHERE {self.column('x')} {choose(OPERATORS)} {inner}"

    def access(self) -> str:
        col, choose = self.column("x"), self.random.choice
        item = choose((
            f"x.xs[{col}]", "x.xs[x.a]", "x.ss[x.k]", "element_at(x.xs, x.a)", "element_at(x.ss, -1)", "x.m[x.s]",
            "element_at(x.m, x.s)", f"x.m[{col}]", "x.xs[10]", f"array_contains(x.ss, {col})", f"array_contains(x.xs, {col})",
        ))  # fmt: skip
        other = choose(
            (
                "x.k",
                f"{item} {choose(OPERATORS)} {self.constant()}",
                f"coalesce({item}, {self.constant()})",
            )
        )
        return f"SELECT {item} AS c0, {other} AS c1 FROM u x{self.where('x', 0.2)}"

    def window(self) -> str:
        col, choose = self.column("x"), self.random.choice
        partition = choose(("", "PARTITION BY x.k", f"PARTITION BY {self.value('x')}"))
        call = choose(
            (
                f"sum({col})",
                f"avg({col})",
                f"max({col})",
                f"count({col})",
                f"min({self.value('x')})",
            )
        )
        order = choose(
            ("", " ORDER BY x.k", " ORDER BY x.k RANGE BETWEEN 1 PRECEDING AND CURRENT ROW")
        )
        return f"SELECT x.k, {call} OVER ({partition}{order}) AS c FROM u x"

    def exploded(self) -> str:
        col, choose = self.column("x"), self.random.choice
        array = choose((f"array({col}, {self.value('x')})", "x.xs", "x.ss"))
        test = choose(("", f" WHERE e {choose(OPERATORS)} {self.constant()}"))
        return f"SELECT * FROM (SELECT x.k, explode({array}) AS e FROM u x) t{test}"
