"""Random SQL expressions over the wide table, from templates with typed holes.

A hole `{num}` is filled with an expression of that kind. Now and then it is filled with another
kind on purpose: Spark then casts implicitly or refuses, and Veer must do the same.
"""

from __future__ import annotations

import re
from random import Random

COLUMNS = {
    "num": ("id", "ti", "si", "i", "j", "l", "f", "d", "e", "n52", "n100", "n205", "n38"),
    "int": ("id", "ti", "si", "i", "j", "l"),
    "flt": ("d", "e", "f"),
    "dec": ("n52", "n100", "n205", "n38"),
    "str": ("s", "t"),
    "bool": ("bo", "b2"),
    "date": ("dt", "du"),
    "ts": ("ts", "tn"),
    "bin": ("bi",),
    "arr": ("ai", "at", "ad"),
    "map": ("m",),
    "st": ("st",),
}
SCALARS = ("num", "int", "flt", "dec", "str", "bool", "date", "ts", "bin")

CONSTANTS = {
    "num": (
        "0", "1", "-1", "2", "3", "7", "100", "127", "2147483647", "-2147483648", "2147483648L",
        "9223372036854775807", "0.5", "1.50", "-2.345", "12345.678", "0.001", "1e0", "-(0.0D)",
        "1.5e3", "1.5F", "CAST('NaN' AS DOUBLE)", "CAST('inf' AS DOUBLE)", "5Y", "7S", "9L",
        "99999999999999999999", "1.23456789BD", "NULL",
    ),
    "int": ("0", "1", "-1", "2", "3", "5", "10", "-3", "100", "2147483647", "4L", "2Y"),
    "flt": ("0.0D", "1.5D", "-2.5D", "1e10", "CAST('NaN' AS DOUBLE)", "0.1F"),
    "dec": ("0.5", "1.00", "-2.345", "12345678.9", "0.00001", "99999999999999999999.9"),
    "str": (
        "''", "' '", "'a'", "'b'", "'ab'", "'abc'", "'A'", "'1'", "'-7'", "'1.5'", "'x'", "','",
        "'2020-02-29'", "'2021-12-31 23:59:59'", "'true'", "'ÄÖ'", "'日'", "'%'", "'foo'", "NULL",
    ),
    "bool": ("true", "false", "CAST(NULL AS BOOLEAN)", "(1 = 1)"),
    "date": (
        "DATE '2020-02-29'", "DATE '2021-12-31'", "DATE '1970-01-01'", "DATE '2020-01-31'",
    ),
    "ts": (
        "TIMESTAMP '2020-02-29 12:34:56'", "TIMESTAMP '1969-12-31 23:59:59.5'",
        "TIMESTAMP_NTZ '2021-03-31 00:00:01'",
    ),
    "bin": ("X'61'", "X''", "CAST('abc' AS BINARY)"),
    "arr": (
        "array(1, 2, NULL)", "array()", "array('a', NULL, 'b')", "array(1.5D, CAST('NaN' AS DOUBLE), 0.0D, -(0.0D))",
        "array(DATE '2020-01-01')", "array(array(1), array(2, 3))", "array(true, false)",
    ),
    "map": ("map('b', NULL)", "map()", "map('x', 5)"),
    "st": ("named_struct('x', 1, 'y', 'a')", "struct(i, s)"),
}  # fmt: skip

TYPES = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(5,2)",
    "DECIMAL(10,0)", "DECIMAL(20,5)", "DECIMAL(38,10)", "DECIMAL(38,0)", "DECIMAL(3,3)", "STRING", "BINARY", "DATE",
    "TIMESTAMP", "TIMESTAMP_NTZ",
)  # fmt: skip
KIND_OF_TYPE = {
    "BOOLEAN": "bool", "STRING": "str", "BINARY": "bin", "DATE": "date", "TIMESTAMP": "ts",
    "TIMESTAMP_NTZ": "ts",
}  # fmt: skip

# `same` is any scalar kind, the same one throughout a template; `any` is any kind.
TEMPLATES: dict[str, tuple[str, ...]] = {
    "num": (
        "({num} + {num})", "({num} - {num})", "({num} * {num})", "({num} / {num})",
        "({num} % {num})", "({dec} + {dec})", "({dec} * {dec})", "({dec} / {dec})",
        "({dec} - {int})", "({int} + {int})", "({int} * {int})", "({flt} / {flt})",
        "(-{num})", "(- {dec})", "abs({num})", "sign({num})", "sqrt({num})", "exp({flt})",
        "round({num})", "round({num}, 1)", "round({num}, -1)", "bround({num}, 1)", "bround({num})",
        "round({dec}, 3)", "round({flt}, 2)", "ceil({num})", "floor({num})", "positive({num})",
        "negative({num})", "nanvl({flt}, {flt})", "try_add({num}, {num})",
        "try_subtract({num}, {num})", "try_multiply({num}, {num})", "try_divide({num}, {num})",
        "try_mod({num}, {num})", "pmod({num}, {num})", "mod({num}, {num})", "ln({num})",
        "log10({num})", "log2({num})", "power({num}, {num})", "months_between({ts}, {ts})",
        "months_between({date}, {date})", "greatest({num}, {num}, {num})", "least({num}, {num})",
        "coalesce({num}, {num})", "nullif({num}, {num})", "nvl({num}, {num})",
        "if({bool}, {num}, {num})", "nvl2({any}, {num}, {num})",
        "CASE WHEN {bool} THEN {num} WHEN {bool} THEN {num} ELSE {num} END",
        "CASE {num} WHEN {num} THEN {num} WHEN 1 THEN {num} END",
        "{int}", "{flt}", "{dec}", "element_at(ad, {int})", "ad[{int}]",
        "coalesce({num}, {str})", "least({str}, {num})", "({num} + {str})", "({str} * {num})",
    ),
    "int": (
        "({int} div {int})", "({num} div {num})", "({int} & {int})", "({int} | {int})",
        "({int} ^ {int})", "length({str})", "length({bin})", "ascii({str})", "instr({str}, {str})",
        "locate({str}, {str})", "locate({str}, {str}, {int})", "datediff({date}, {date})",
        "year({date})", "quarter({date})", "month({date})", "day({date})", "dayofmonth({ts})",
        "dayofweek({date})", "weekday({date})", "dayofyear({date})", "weekofyear({date})",
        "hour({ts})", "minute({ts})", "second({ts})", "year({ts})", "unix_timestamp({ts})",
        "unix_timestamp({date})", "unix_timestamp({str}, 'yyyy-MM-dd')", "size({arr})",
        "size(m)", "array_size({arr})", "cardinality({arr})", "element_at({ai}, {int})",
        "ai[{int}]", "m[{str}]", "element_at(m, {str})", "st.x", "position({str}, {str})",
        "extract(year FROM {date})", "extract(week FROM {date})", "char_length({str})", "map_values(m)[0]",
        "({int} % {int})", "({int} - {int})", "abs({int})", "pmod({int}, {int})",
    ),
    "flt": (
        "({flt} + {flt})", "({flt} * {flt})", "({flt} - {flt})", "({flt} % {flt})", "abs({flt})",
        "(-{flt})", "nanvl({flt}, {flt})", "sqrt({flt})", "power({flt}, {flt})",
    ),
    "dec": (
        "({dec} + {dec})", "({dec} * {dec})", "({dec} - {dec})", "({dec} % {dec})", "({dec} / {int})",
        "abs({dec})", "(-{dec})", "ceil({dec})", "floor({dec})", "round({dec}, 1)", "round({dec}, -2)", "bround({dec})",
        "coalesce({dec}, {int})", "greatest({dec}, {dec})",
    ),
    "str": (
        "substring({str}, {int}, {int})", "substring({str}, {int})", "substr({str}, 2, 1)",
        "left({str}, {int})", "right({str}, {int})", "split_part({str}, {str}, {int})",
        "split_part({str}, ',', 2)", "upper({str})", "lower({str})", "initcap({str})",
        "trim({str})", "ltrim({str})", "rtrim({str})", "trim(BOTH {str} FROM {str})",
        "trim(LEADING 'a' FROM {str})", "trim(TRAILING {str} FROM {str})", "btrim({str})", "lpad({str}, {int} % 9, {str})",
        "rpad({str}, {int} % 9, {str})", "lpad({str}, 5)", "rpad({str}, 3, 'xy')",
        "repeat({str}, 2)", "repeat({str}, {int} % 4)", "space({int} % 5)", "translate({str}, {str}, {str})",
        "translate({str}, 'ab', '1')", "replace({str}, {str}, {str})", "replace({str}, 'a')",
        "concat({str}, {str})", "({str} || {str})", "concat({any}, {str})", "concat({num}, {date})",
        "concat_ws(',', {str}, {str})", "concat_ws({str}, at, {str})", "concat_ws('-', {any})",
        "regexp_replace({str}, '[a-c]+', 'X')", "regexp_replace({str}, '(.)b', '$1-')",
        "regexp_replace({str}, 'a', {str}, 2)", "regexp_replace({str}, '', '-')",
        "regexp_extract({str}, '([a-z]+)', 1)", "regexp_extract({str}, '(\\\\d+)-(\\\\d+)', 2)",
        "regexp_extract({str}, '(x)?b', 1)", "regexp_extract({str}, 'a', 0)", "md5({str})",
        "md5({bin})", "sha1({str})", "sha2({str}, 256)", "sha2({bin}, {int})", "reverse({str})",
        "hex({int})", "hex({str})", "hex({bin})", "date_format({ts}, 'yyyy-MM-dd HH:mm:ss')", "date_format({date}, 'yyyy/M/d')",
        "date_format({ts}, 'HH:mm:ss.SSS')", "date_format({date}, 'MMM EEE')", "date_format({ts}, 'DDD a hh')",
        "from_unixtime({int} % 100000)", "from_unixtime({int}, 'yyyy-MM-dd')", "array_join(at, {str})",
        "array_join(at, ',', {str})", "st.y", "element_at({at}, {int})", "at[{int}]",
        "coalesce({str}, {str})", "nullif({str}, {str})", "greatest({str}, {str})",
        "least({str}, {str}, {str})", "if({bool}, {str}, {str})", "nvl({str}, {any})",
        "CASE WHEN {bool} THEN {str} END", "CAST({any} AS STRING)", "typeof({any})",
        "substring({bin}, 1, 2)", "split({str}, ',')[0]", "map_keys(m)[0]", "initcap({str})",
    ),
    "bool": (
        "({same} = {same})", "({same} < {same})", "({same} <= {same})", "({same} > {same})",
        "({same} >= {same})", "({same} != {same})", "({same} <=> {same})", "({num} < {num})",
        "({num} = {str})", "({date} < {ts})", "({date} = {str})", "({dec} = {int})",
        "({dec} > {flt})", "({any} = {any})", "({ai} = ai)", "(ad < ad)", "(st = st)",
        "({bool} AND {bool})", "({bool} OR {bool})", "(NOT {bool})", "({bool} AND {bool} OR {bool})",
        "({any} IS NULL)", "({any} IS NOT NULL)", "({bool} IS TRUE)", "({bool} IS NOT FALSE)",
        "({same} IN ({same}, {same}))", "({same} NOT IN ({same}, NULL))", "({num} IN (1, {num}, {str}))",
        "({num} BETWEEN {num} AND {num})", "({date} NOT BETWEEN {date} AND {date})",
        "({str} LIKE '%a%')", "({str} LIKE 'a_')", "({str} NOT LIKE {str})", "({str} LIKE 'a\\\\%b')",
        "({str} LIKE '%/_b' ESCAPE '/')", "({str} ILIKE 'A%')", "({str} RLIKE '^a.*b')",
        "({str} RLIKE '[0-9]+$')", "rlike({str}, 'a|b')", "regexp_like({str}, '\\\\s')",
        "contains({str}, {str})", "startswith({str}, {str})", "endswith({str}, {str})",
        "isnan({num})", "isnull({any})", "isnotnull({any})", "array_contains(ai, {int})",
        "array_contains(at, {str})", "array_contains(ad, {flt})", "coalesce({bool}, {bool})",
        "nullif({bool}, {bool})", "if({bool}, {bool}, {bool})", "CASE WHEN {bool} THEN {bool} ELSE {bool} END",
        "({same} IS DISTINCT FROM {same})", "ilike({str}, {str})", "like({str}, {str})",
        "equal_null({same}, {same})", "array_contains({arr}, {any})",
    ),
    "date": (
        "date_add({date}, {int} % 1000)", "date_sub({date}, {int} % 1000)", "date_add({date}, {int})", "({date} + 1)",
        "({date} - {int} % 100)", "add_months({date}, {int} % 100)", "last_day({date})", "next_day({date}, 'MON')",
        "next_day({date}, {str})", "make_date({int}, {int}, {int})", "make_date(2020 + {int} % 3, 2, 29)",
        "trunc({date}, 'MONTH')", "trunc({date}, 'week')", "trunc({date}, 'QUARTER')", "trunc({date}, {str})",
        "to_date({str})", "to_date({str}, 'yyyy-MM-dd')", "to_date({ts})", "date({ts})", "CAST({str} AS DATE)",
        "({date} + INTERVAL 1 MONTH)", "({date} - INTERVAL '2' YEAR)", "({date} + INTERVAL 3 DAYS)",
        "coalesce({date}, {date})", "greatest({date}, {date})", "if({bool}, {date}, {date})",
        "nullif({date}, {date})", "least({date}, {str})",
    ),
    "ts": (
        "date_trunc('HOUR', {ts})", "date_trunc('week', {ts})", "date_trunc('QUARTER', {date})", "date_trunc({str}, {ts})",
        "to_timestamp({str})", "to_timestamp({str}, 'yyyy-MM-dd')", "to_timestamp({date})",
        "CAST({date} AS TIMESTAMP)", "({ts} + INTERVAL 1 HOUR)", "({date} + INTERVAL 90 MINUTES)",
        "({ts} - INTERVAL 1 MONTH)", "timestamp_seconds({int} % 100000)", "timestamp_seconds({num})",
        "coalesce({ts}, {ts})", "coalesce({ts}, {date})", "greatest({ts}, {ts})", "if({bool}, {ts}, {date})",
        "to_timestamp({str}, 'yyyy-MM-dd HH:mm:ss')", "date_trunc('day', {ts})", "date_trunc('MINUTE', {ts})",
    ),
    "bin": ("substring({bin}, {int}, {int})", "concat({bin}, {bin})", "CAST({str} AS BINARY)", "coalesce({bin}, {bin})"),
    "arr": (
        "split({str}, ',')", "split({str}, '')", "split({str}, '[ab]')", "split({str}, 'a', 2)",
        "split({str}, ',', 0)", "split({str}, {str}, {int} % 4)", "sort_array({arr})", "sort_array({arr}, false)", "array_distinct({arr})",
        "reverse({arr})", "concat({arr}, {arr})", "array({same}, {same})", "array({num}, {num})",
        "map_keys({map})", "map_values({map})", "coalesce({arr}, {arr})", "array({any}, {any})",
        "array(st, {st})", "greatest({ai}, ai)",
    ),
    "ai": ("ai", "array({int}, {int})", "sort_array(ai)", "array_distinct(ai)", "reverse(ai)", "concat(ai, ai)"),
    "at": ("at", "array({str}, {str})", "split({str}, 'a')", "sort_array(at)"),
    "map": ("map({str}, {int})", "map({str}, {num})", "coalesce({map}, m)"),
    "st": ("named_struct('x', {int}, 'y', {str})", "coalesce(st, {st})", "if({bool}, st, {st})"),
    "other": (
        "({date} - {date})", "({ts} - {ts})", "({ts} - {date})", "(INTERVAL 1 DAY + INTERVAL 2 HOUR)",
        "struct({any}, {any})", "(-INTERVAL 3 MONTH)", "abs(INTERVAL -3 DAY)", "current_date() IS NULL",
        "current_timestamp() IS NULL", "current_user() IS NULL", "rand() < 0", "randn(1) IS NULL",
        "uuid() IS NULL", "monotonically_increasing_id() IS NULL", "spark_partition_id()", "input_file_name()",
        "(({date} - {date}) + {date})", "(({ts} - {ts}) + {ts})", "(({date} - {date}) = ({date} - {date}))",
    ),
}  # fmt: skip

KINDS = (
    "num",
    "int",
    "flt",
    "dec",
    "str",
    "bool",
    "date",
    "ts",
    "bin",
    "arr",
    "map",
    "st",
    "other",
)
WEIGHTS = (6, 4, 2, 4, 6, 6, 4, 3, 1, 3, 1, 1, 1)
_HOLE = re.compile(r"\{(\w+)\}")


class Expressions:
    """A stream of random expressions."""

    def __init__(self, random: Random, *, wrong: float = 0.04, constants: float = 0.35) -> None:
        self.random = random
        self.wrong = wrong
        self.constants = constants

    def any(self, depth: int = 2) -> str:
        """An expression of a random kind."""
        return self.of(self.random.choices(KINDS, WEIGHTS)[0], depth, whole=True)

    def of(self, kind: str, depth: int, *, whole: bool = False) -> str:
        """An expression of the kind; a `whole` one is never just a column."""
        random = self.random
        if kind == "any":
            kind = random.choices(KINDS[:-1], WEIGHTS[:-1])[0]
        if not whole and random.random() < self.wrong:
            kind = random.choice(KINDS[:-1])
        if not whole and (depth <= 0 or random.random() < 0.35):
            return self.leaf(kind)
        if random.random() < 0.12 and kind in SCALARS:
            return self.cast(kind, depth - 1)
        return self.fill(random.choice(TEMPLATES[kind]), depth - 1)

    def leaf(self, kind: str) -> str:
        """A column or a constant."""
        columns = COLUMNS.get({"ai": "arr", "at": "arr"}.get(kind, kind), ())
        if kind in ("ai", "at"):
            return kind
        if columns and (kind not in CONSTANTS or self.random.random() < 1 - self.constants):
            return self.random.choice(columns)
        return self.random.choice(CONSTANTS[kind])

    def cast(self, kind: str, depth: int) -> str:
        """A cast from anything to a type of the kind."""
        targets = [t for t in TYPES if KIND_OF_TYPE.get(t, "num") == kind]
        target = self.random.choice(targets or TYPES)
        given = self.of(self.random.choice(SCALARS), depth)
        return f"{self.random.choice(('CAST', 'CAST', 'TRY_CAST'))}({given} AS {target})"

    def fill(self, template: str, depth: int) -> str:
        """The template with every hole filled."""
        same = self.random.choice(SCALARS)

        def hole(match: re.Match[str]) -> str:
            return self.of(same if match[1] == "same" else match[1], depth)

        return _HOLE.sub(hole, template)


def templates_once(random: Random) -> list[str]:
    """Every template filled once with columns and constants."""
    made = Expressions(random, wrong=0.0)
    return [made.fill(t, 0) for group in TEMPLATES.values() for t in group if "{" in t or "(" in t]


def all_casts() -> list[str]:
    """Every column cast to every type, both ways of casting."""
    columns = sorted({c for k in SCALARS for c in COLUMNS[k]})
    return [f"{how}({c} AS {t})" for c in columns for t in TYPES for how in ("CAST", "TRY_CAST")]
