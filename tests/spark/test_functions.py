"""Every function of the registry against Spark, on chosen arguments with nulls and edge cases."""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.generators.tables import Table, wide_table
from tests.recorded import RecordedSpark
from tests.spark.batches import Tally, compare_expressions
from tests.spark.compare import collect, register, same_rows
from tests.spark.flows import FlowTally, compare_query
from veer.errors import IllFormedError, VeerError
from veer.execution.compiler import Compiler
from veer.facts.determinism import expr_kind
from veer.functions.registry import AGGREGATE, ALIASES, OPAQUE, OVER, SCALAR, Failure, Kind
from veer.functions.sessions import is_legacy, require_function, since
from veer.interpreter import run_dataflow
from veer.ir.walk import operator_exprs
from veer.read.coercion import ABBREVIATIONS
from veer.read.function_bodies import Bodies
from veer.read.sql import read_sql
from veer.read.sql.expressions import GENERATORS
from veer.settings import current

pytestmark = pytest.mark.spark

NUMBERS = ("ti", "i", "l", "f", "d", "n52", "n38")
PAIRS = (
    "ti, ti",
    "i, j",
    "l, i",
    "d, e",
    "f, d",
    "n52, n100",
    "n38, n205",
    "n205, i",
    "i, s",
    "n52, d",
)


def each(function: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """A call for every list of arguments."""
    return tuple(f"{function}({a})" for a in arguments)


def infix(operator: str, arguments: tuple[str, ...] = PAIRS) -> tuple[str, ...]:
    """An operation for every pair of operands."""
    return tuple("(" + f" {operator} ".join(a.split(", ")) + ")" for a in arguments)


INTEGERS = ("ti, ti", "i, j", "l, i", "si, ti", "l, 255")
TEXTS = ("s", "t", "''", "NULL", "'日本語'", "' a B c '", "i", "dt")
MOMENTS = ("dt", "ts", "tn", "'2020-02-29'", "NULL", "DATE '0001-01-01'", "DATE '9999-12-31'")
TEXT_PAIRS = ("s, t", "s, 'a'", "s, ''", "'', s", "NULL, s", "s, NULL", "'aXbX', 'X'")
ROUNDED = ("i", "l, -1", "ti, -1", "d", "d, 1", "d, -1", "f, 2", "n52", "n52, 1", "n52, -1", "n38, 3",
           "n205, 7", "2.5", "-2.5D", "1.005D, 2", "NULL", "s")  # fmt: skip

SCALAR_CASES: dict[str, tuple[str, ...]] = {
    "+": (*infix("+"), "dt + 1", "NULL + 1"),
    "-": (*infix("-"), "1.5 - n52"),
    "*": infix("*"),
    "/": (*infix("/"), "1 / 3", "1.0 / 3", "n52 / 0.7"),
    "%": (*infix("%"), "-7 % 3", "7.5 % -2", "-(0.0D) % 1"),
    "div": infix("div", ("i, j", "l, i", "n52, n100", "n38, n205", "i, '2'", "7, -2", "-7, 2")),
    "pmod": each("pmod", (*PAIRS, "-7, 3", "-7, -3", "7.5, -2")),
    "negative": each("negative", NUMBERS),
    "positive": each("positive", NUMBERS),
    "abs": each("abs", (*NUMBERS, "-2147483648", "'-1.5'")),
    "sign": each("sign", (*NUMBERS, "-(0.0D)")),
    "sqrt": each("sqrt", (*NUMBERS, "-1")),
    "exp": each("exp", ("i % 10", "0", "1", "NULL", "1000", "CAST('NaN' AS DOUBLE)", "-1e10")),
    "ln": each("ln", NUMBERS),
    "log10": each("log10", NUMBERS),
    "log2": each("log2", NUMBERS),
    "power": each("power", ("i, 2", "d, e", "2, -1", "0, -1", "-1, 0.5", "NULL, 1", "d, 0", "1, e")),
    "isnan": each("isnan", ("d", "f", "i", "NULL", "'NaN'")),
    "nanvl": each("nanvl", ("d, e", "f, f", "f, d", "d, NULL", "NULL, d", "i, 1")),
    "round": each("round", ROUNDED),
    "bround": each("bround", ROUNDED),
    "ceil": each("ceil", (*NUMBERS, "'2.5'", "-0.5D", "NULL")),
    "floor": each("floor", (*NUMBERS, "'2.5'", "-0.5D", "NULL")),
    "try_add": each("try_add", (*PAIRS, "2147483647, 1", "127Y, 1Y")),
    "try_subtract": each("try_subtract", (*PAIRS, "-2147483648, 1")),
    "try_multiply": each("try_multiply", (*PAIRS, "2147483647, 2")),
    "try_divide": each("try_divide", (*PAIRS, "1, 0", "0, 0")),
    "try_mod": each("try_mod", (*PAIRS, "1, 0")),
    "getbit": (*each("getbit", ("ti, 7", "si, 15", "i, 31", "l, 63", "l, 0", "i, j", "ti, 8", "NULL, 1", "i, NULL", "-1, 5", "l, ti", "d, 1")), "bit_get(l, 3)"),
    "&": infix("&", INTEGERS),
    "|": infix("|", INTEGERS),
    "^": infix("^", INTEGERS),
    "hex": each("hex", ("i", "l", "s", "bi", "-1", "d", "NULL")),
    "coalesce": each("coalesce", ("i, j", "NULL, d", "i, l, n52", "f, i", "'1', i, n52", "dt, ts", "NULL")),
    "greatest": each("greatest", ("i, j", "d, e", "d, NULL", "f, i", "s, t", "dt, ts", "n52, i", "ad, ad", "0.0D, -(0.0D)", "-(0.0D), 0.0D")),
    "least": each("least", ("i, j", "d, e", "d, NULL", "f, i", "s, t", "dt, ts", "n52, i", "0.0D, -(0.0D)", "-(0.0D), 0.0D")),
    "current_user": ("current_user() IS NULL",),
    "rand": ("rand() BETWEEN 0 AND 1", "rand(5) IS NULL"),
    "randn": ("randn(1) IS NULL",),
    "uuid": ("length(uuid())",),
    "monotonically_increasing_id": ("monotonically_increasing_id() IS NULL",),
    "spark_partition_id": ("spark_partition_id()",),
    "input_file_name": ("input_file_name()",),
    "substring": each("substring", ("s, 1, 2", "s, 0, 2", "s, -2", "s, -5, 4", "s, 2", "s, i, j", "bi, 1, 1", "s, NULL", "'abc', 2147483647", "s, 1, -1", "'abc', -2147483648, 5", "i, 1, 1")),
    "left": each("left", ("s, 2", "s, -1", "bi, 1", "NULL, 1", "s, i")),
    "right": each("right", ("s, 2", "s, -1", "s, 0", "NULL, 1", "s, i", "s, 100")),
    "length": each("length", (*TEXTS, "bi")),
    "split_part": each("split_part", ("s, ',', 1", "s, ',', -1", "s, '', 1", "s, t, 2", "'a.b.c', '.', 2", "s, 'a', 100", "'a', 'b', 0")),
    "upper": each("upper", TEXTS),
    "lower": each("lower", (*TEXTS, "'İ'")),
    "initcap": each("initcap", (*TEXTS, "'aB-cD eF'", "'a\tb'")),
    "trim": (*each("trim", TEXTS), "trim(BOTH 'a' FROM s)", "trim(BOTH '' FROM s)", "trim(BOTH t FROM s)"),
    "ltrim": (*each("ltrim", TEXTS), "trim(LEADING 'ab' FROM s)"),
    "rtrim": (*each("rtrim", TEXTS), "trim(TRAILING 'cb' FROM s)"),
    "lpad": each("lpad", ("s, 5", "s, 5, 'xy'", "s, 2, 'x'", "s, -1, 'x'", "s, 5, ''", "s, i % 9, t", "'日', 3, '本'")),
    "rpad": each("rpad", ("s, 5", "s, 5, 'xy'", "s, 2, 'x'", "s, -1, 'x'", "s, 5, ''", "s, i % 9, t")),
    "repeat": each("repeat", ("s, 2", "s, 0", "s, -1", "s, NULL", "s, i % 5")),
    "space": each("space", ("2", "0", "-1", "NULL", "i % 5")),
    "translate": each("translate", ("s, 'abc', 'xy'", "s, 'aa', 'xy'", "s, '', 'x'", "s, t, s", "s, 'a', ''")),
    "replace": each("replace", ("s, 'a', 'xx'", "s, 'a'", "s, '', 'x'", "s, t, 'b'", "'aaa', 'aa', 'b'")),
    "ascii": each("ascii", (*TEXTS, "'😀'")),
    "concat": each("concat", ("s, t", "s", "i, s", "bi, bi", "bi, s", "ai, ai", "ai, ad", "NULL, s", "d, dt", "bo, ts")),
    "concat_ws": each("concat_ws", ("',', s, t", "s, t, 'x'", "NULL, s", "','", "',', at, s", "',', ai", "'-', i, d, dt")),
    "contains": each("contains", TEXT_PAIRS),
    "startswith": each("startswith", TEXT_PAIRS),
    "endswith": each("endswith", TEXT_PAIRS),
    "instr": each("instr", TEXT_PAIRS),
    "locate": each("locate", ("'a', s", "t, s, 2", "'', s", "'', s, 10", "'a', s, 0", "'a', s, NULL", "NULL, s, NULL", "'b', 'abab', 3", "'', '', 1")),
    "like": ("s LIKE '%a%'", "s LIKE t", "s LIKE '_'", "s LIKE ''", "s LIKE 'a\\\\%b'", "s LIKE 'a/_b' ESCAPE '/'", "s LIKE NULL", "'a\nb' LIKE 'a%b'"),
    "ilike": ("s ILIKE 'A%'", "s ILIKE t", "'ÄB' ILIKE 'äb'", "s ILIKE NULL"),
    "rlike": ("s RLIKE 'a+'", "s RLIKE ''", "s RLIKE '^[a-z ]*$'", "s RLIKE '\\\\d'", "s RLIKE NULL", "rlike(s, 'b|c')", "'a\n' RLIKE 'a$'", "'a\nb' RLIKE 'a.b'"),
    "regexp_replace": each("regexp_replace", ("s, 'a', 'b'", "s, '(a)(b)', '$2$1'", "s, '', '-'", "s, '[^a]', ''", "s, 'a', 'x', 2", "s, 'a', '\\\\$'", "s, 'x*', '-'")),
    "regexp_extract": each("regexp_extract", ("s, '(a)(b)?', 2", "s, 'a', 0", "s, '([a-z]+)'", "s, '(\\\\w+)', 1", "s, 'a', 5")),
    "split": each("split", ("s, ','", "s, ''", "s, 'a'", "s, ',', 2", "s, ',', 0", "s, ',', -1", "s, '', 2", "s, '[ab]'", "'', ','", "',', ','", "'aXbX', 'X', 1", "s, 'x*'", "s, '(?=b)'")),
    "md5": each("md5", ("s", "bi", "NULL")),
    "sha1": each("sha1", ("s", "bi", "NULL")),
    "sha2": each("sha2", ("s, 256", "s, 0", "s, 224", "bi, 512", "s, 384", "s, 1", "s, NULL")),
    "reverse": each("reverse", ("s", "ai", "at", "bi", "i", "NULL")),
    "date_add": each("date_add", ("dt, 1", "dt, ti", "ts, 1", "'2020-02-28', 1", "dt, '3'", "dt, NULL")),
    "date_sub": each("date_sub", ("dt, 1", "dt, ti", "DATE '2020-03-01', 1", "NULL, 1")),
    "datediff": each("datediff", ("dt, du", "ts, dt", "'2020-01-01', dt", "dt, NULL")),
    "add_months": each("add_months", ("dt, 1", "dt, -1", "DATE '2020-01-31', 1", "DATE '2020-02-29', 12", "dt, ti", "ts, 1")),
    "months_between": each("months_between", ("dt, du", "ts, dt", "ts, tn, false", "DATE '2020-02-29', DATE '2020-01-31'", "ts, NULL")),
    "last_day": each("last_day", MOMENTS),
    "next_day": each("next_day", ("dt, 'MON'", "dt, 'su'", "dt, 'Friday'", "dt, NULL", "dt, 'x'", "dt, t")),
    "make_date": each("make_date", ("2020, 2, 29", "2021, 2, 29", "2020, 13, 1", "2020 + ti % 5, 1, 1", "NULL, 1, 1")),
    "add_interval": ("dt + INTERVAL 1 MONTH", "dt - INTERVAL 1 YEAR", "dt + INTERVAL 1 DAY", "dt + INTERVAL 5 HOUR", "ts + INTERVAL 1 MONTH", "tn - INTERVAL 90 MINUTE", "DATE '2020-01-31' + INTERVAL 1 MONTH"),
    "subtract_moments": ("dt - du", "ts - dt", "tn - tn", "ts - tn", "dt - NULL", "dt - '2020-01-01'"),
    **{part: each(part, MOMENTS) for part in ("year", "quarter", "month", "day", "dayofweek", "weekday", "dayofyear", "weekofyear")},
    **{part: each(part, ("ts", "tn", "dt", "'2020-01-01 10:11:12'", "NULL")) for part in ("hour", "minute", "second")},
    "trunc": each("trunc", ("dt, 'YEAR'", "dt, 'yy'", "dt, 'quarter'", "dt, 'MM'", "dt, 'mon'", "dt, 'WEEK'", "dt, 'day'", "dt, NULL", "ts, 'month'", "dt, t")),
    "date_trunc": each("date_trunc", ("'YEAR', ts", "'quarter', ts", "'MM', tn", "'week', dt", "'DD', ts", "'hour', ts", "'MINUTE', ts", "'second', ts", "'x', ts", "NULL, ts", "'millisecond', ts", "'MICROSECOND', ts")),
    "date_format": each("date_format", ("dt, 'yyyy-MM-dd'", "ts, 'HH:mm:ss.SSSSSS'", "ts, 'd/M/y H:m:s'", "ts, 'MMM MMMM'", "ts, 'EEE EEEE'", "ts, 'DDD hh a'", "ts, '''q'' yyyy'", "NULL, 'yyyy'", "ts, NULL")),
    "to_date_by": each("to_date", ("s, 'yyyy-MM-dd'", "'2020-02-29', 'yyyy-MM-dd'", "'29/02/2020', 'dd/MM/yyyy'", "'2020', 'yyyy'", "'5/1/2020', 'd/M/y'", "'2021-02-30', 'yyyy-MM-dd'", "NULL, 'yyyy'")),
    "to_timestamp_by": each("to_timestamp", ("s, 'yyyy-MM-dd HH:mm:ss'", "'2020-02-29 10:11:12.5', 'yyyy-MM-dd HH:mm:ss.S'", "'10:11', 'HH:mm'", "NULL, 'yyyy'")),
    "unix_timestamp": each("unix_timestamp", ("ts", "tn", "dt", "'2020-01-01 00:00:00'", "'2020-01-01', 'yyyy-MM-dd'", "s", "NULL")),
    "from_unixtime": each("from_unixtime", ("i % 100000", "0", "-1", "l % 1000000, 'yyyy'", "NULL", "'5'")),
    "timestamp_seconds": each("timestamp_seconds", ("ti", "i", "1.5", "1.1234567", "d % 1000", "n52", "NULL")),
    "current_date": ("current_date() IS NULL",),
    "current_timestamp": ("current_timestamp() IS NULL", "now() IS NULL"),
    "array": each("array", ("", "i, j", "1, 1.5", "NULL", "'1', i", "f, i", "dt, ts")),
    "named_struct": ("named_struct('a', i, 'b', s)", "struct(i, s)", "named_struct('a', NULL)"),
    "map": each("map", ("", "1, 'a'", "1.5, NULL", "NULL, 1", "1, 2, 1, 3", "0.0D, 1, -(0.0D), 2")),
    "size": each("size", ("ai", "at", "m", "NULL", "array()")),
    "array_size": each("array_size", ("ai", "at", "array()")),
    "array_contains": each("array_contains", ("ai, 1", "ai, l", "at, 'a'", "ad, 0.0D", "ad, CAST('NaN' AS DOUBLE)", "array(1, NULL), 2", "array(-(0.0D)), 0.0D")),
    "element_at": each("element_at", ("ai, 1", "ai, -1", "ai, 0", "ai, i", "m, 'a'", "m, s", "map(0.0D, 1), -(0.0D)", "map(CAST('NaN' AS DOUBLE), 1), CAST('NaN' AS DOUBLE)")),
    "item": ("ai[0]", "ai[-1]", "ai[i]", "m['a']", "m[s]", "ai[NULL]", "at[1]", "map(0.0D, 1)[-(0.0D)]"),
    "sort_array": each("sort_array", ("ai", "ai, false", "at", "ad", "ad, false", "array(0.0D, -(0.0D), NULL)", "array(array(2), NULL, array(1, 2), array(1))")),
    "array_distinct": each("array_distinct", ("ai", "at", "ad", "array(0.0D, -(0.0D), 0.0D)", "array(NULL, 1, NULL)", "array(array(1), array(1))", "array(CAST('NaN' AS DOUBLE), CAST('NaN' AS DOUBLE))")),
    "array_join": each("array_join", ("at, ','", "at, ',', '?'", "ai, '-'", "at, NULL", "at, ',', NULL", "array(), ','")),
    "array_max": each("array_max", ("ai", "at", "ad", "array()", "array(NULL, 3)")),
    "array_min": each("array_min", ("ai", "at", "ad", "array(NULL, 3, 1)")),
    "slice": each("slice", ("ai, 1, 2", "ai, -1, 1", "ai, 0, 1", "ai, 2, -1", "at, 5, 2", "ai, -9, 3", "at, 1, 0")),
    "array_sort": each("array_sort", ("ai", "at", "ad", "array(NULL, 3, NULL, 1)", "array(0.0D, -(0.0D), CAST('NaN' AS DOUBLE))", "array()")),
    "flatten": each("flatten", ("array(ai, ai)", "array(at, NULL)", "array(array(1, NULL), array())", "array(ad)", "CAST(NULL AS ARRAY<ARRAY<INT>>)", "array(array(array(1)), array(NULL))")),
    "map_contains_key": each("map_contains_key", ("m, 'a'", "m, s", "map(1, 2), 1", "map(1, 2), 3")),
    "sequence": each("sequence", ("1, 5", "5, 1", "ti, 3Y", "1, 10, 3", "10, 1, -4", "1, 5, -1", "1, 1, 0", "1, 2, 0", "i % 5, 3", "dt, DATE '2020-03-01', INTERVAL 30 YEAR", "DATE '2020-02-27', DATE '2020-03-02'", "DATE '2020-03-02', DATE '2020-02-27'", "dt, dt", "dt, date_add(dt, 3)", "DATE '2020-01-01', DATE '2020-01-09', INTERVAL 3 DAY", "DATE '2020-01-09', DATE '2020-01-01', INTERVAL '-3' DAY", "DATE '2020-01-01', DATE '2020-01-09', INTERVAL '-3' DAY", "dt, dt, INTERVAL 0 DAY", "DATE '2020-01-31', DATE '2020-05-31', INTERVAL 1 MONTH", "DATE '2020-01-31', DATE '2020-05-30', INTERVAL 1 MONTH", "DATE '2020-05-31', DATE '2020-01-01', INTERVAL '-1' MONTH", "dt, dt, INTERVAL 0 MONTH", "dt, dt, INTERVAL 1 MONTH", "NULL, dt", "dt, NULL, INTERVAL 1 DAY")),
    "substring_index": each("substring_index", ("s, 'a', 1", "s, 'a', -1", "'a.b.c', '.', 2", "'a.b.c', '.', -2", "'a.b.c', '.', 9", "'a.b.c', '.', -9", "'a.b.c', '', 1", "'a.b.c', '.', 0", "'aaaa', 'aa', 2", "'aaaa', 'aa', 3", "'aaaa', 'aa', -2", "'aaaa', 'aa', -4", "'日本日本', '本', 1", "'x', 'longer', -1", "'.a', '.', 1", "'a.', '.', -1", "'', '.', 1", "s, t, i % 3", "NULL, 'a', 1", "s, NULL, 1")),
    "format_string": each("format_string", ("'%s-%d', s, i", "'%05d', i", "'%5d|%-5d|', i, ti", "'%s', l", "'%8s|%-8s|', s, t", "'100%%'", "'%d%%', ti", "'%03d', -7", "'%02d', 12345", "'INV-%05d', CAST(NULL AS INT)", "'%s', CAST(NULL AS STRING)", "'%-6s|', CAST(NULL AS STRING)", "'日%s', s", "'%5s', '日本語'", "'%-4s|', '😀x'")),
    "map_keys": each("map_keys", ("m", "map()", "map(1, 2)")),
    "map_values": each("map_values", ("m", "map()", "map(1, NULL)")),
}  # fmt: skip

AGGREGATE_CASES: dict[str, tuple[str, ...]] = {
    "count": ("count(*)", "count(i)", "count(1)", "count(i, s)", "count(DISTINCT d)", "count(DISTINCT i, s)"),
    "count_if": ("count_if(bo)", "count_if(i > 1)"),
    "sum": ("sum(ti)", "sum(i)", "sum(l % 1000)", "sum(n52)", "sum(n205)", "sum(d)", "sum(f)", "sum(DISTINCT i)", "sum(l)"),
    "avg": ("avg(ti)", "avg(i)", "avg(n52)", "avg(n205)", "avg(d)", "avg(DISTINCT i)", "avg(l)"),
    "stddev_samp": ("stddev_samp(i)", "stddev(ti)", "std(n52)"),
    "stddev_pop": ("stddev_pop(i)", "stddev_pop(ti)"),
    "var_samp": ("var_samp(ti)", "variance(i)"),
    "var_pop": ("var_pop(ti)", "var_pop(i)"),
    "skewness": ("skewness(ti)", "skewness(n52)", "avg(ti)"),
    "kurtosis": ("kurtosis(ti)", "kurtosis(n52)", "kurtosis(ti % 3)", "avg(ti)"),
    "covar_pop": ("covar_pop(ti, n52)", "covar_pop(ti, 1)", "covar_pop(DISTINCT ti, si)"),
    "covar_samp": ("covar_samp(ti, n52)", "covar_samp(ti, ti)", "covar_samp(ti, NULL)"),
    "corr": ("corr(ti, n52)", "corr(ti, ti)", "corr(ti, 1)", "corr(ti, i) FILTER (WHERE bo)", "avg(ti)"),
    "min": ("min(i)", "min(d)", "min(s)", "min(dt)", "min(bo)", "min(n38)", "min(ad)", "min(st)"),
    "max": ("max(i)", "max(d)", "max(s)", "max(ts)", "max(bo)", "max(n38)", "max(ad)", "max(bi)"),
    "max_by": ("max_by(id, id)", "max_by(s, id)", "max_by(1, d)"),
    "min_by": ("min_by(id, id)", "min_by(s, id)", "min_by(1, d)"),
    "bool_and": ("bool_and(bo)", "every(i > -1000)"),
    "bool_or": ("bool_or(bo)", "any(i > 3)", "some(b2)"),
    "first": ("first(1)", "any_value('a')", "first(NULL, true)"),
    "last": ("last(1)", "last('a', true)"),
    "collect_list": ("sort_array(collect_list(i))", "size(collect_list(s))", "sort_array(array_agg(s))"),
    "collect_set": ("sort_array(collect_set(i))", "sort_array(collect_set(s))", "sort_array(collect_set(d))"),
    "median": ("median(i)", "median(d)", "median(n52)"),
    "percentile": ("percentile(i, 0.25)", "percentile(d, 0.9)", "percentile(n52, 0.5D)", "percentile(ti, 0)", "percentile(ti, 1, 1)", "percentile(ti, 0.1)", "percentile(DISTINCT ti, 0.75)"),
    "mode": ("mode(bo, true)", "mode(s, true)", "mode(ti % 3, true)", "mode(dt, true)", "mode(1)", "mode(n52, true)"),
    "bit_and": ("bit_and(i)", "bit_and(l)", "bit_and(ti)", "bit_and(si)"),
    "bit_or": ("bit_or(i)", "bit_or(l)", "bit_or(ti)", "bit_or(DISTINCT i)"),
    "bit_xor": ("bit_xor(i)", "bit_xor(l)", "bit_xor(ti)", "bit_xor(DISTINCT i)"),
}  # fmt: skip

OVER_CASES: dict[str, tuple[str, ...]] = {
    "row_number": ("row_number() OVER (ORDER BY id)", "row_number() OVER (PARTITION BY bo ORDER BY id DESC)"),
    "rank": ("rank() OVER (ORDER BY d)", "rank() OVER (PARTITION BY d ORDER BY s DESC)"),
    "dense_rank": ("dense_rank() OVER (ORDER BY d DESC)", "dense_rank() OVER (ORDER BY s, d NULLS LAST)"),
    "percent_rank": ("percent_rank() OVER (ORDER BY i)", "percent_rank() OVER (PARTITION BY id ORDER BY i)"),
    "cume_dist": ("cume_dist() OVER (ORDER BY d)", "cume_dist() OVER (PARTITION BY bo ORDER BY s)"),
    "ntile": ("ntile(3) OVER (ORDER BY id)", "ntile(100) OVER (ORDER BY id)", "ntile(5) OVER (PARTITION BY b2 ORDER BY id)"),
    "lag": ("lag(s) OVER (ORDER BY id)", "lag(i, 2) OVER (ORDER BY id)", "lag(i, 1, 0) OVER (PARTITION BY bo ORDER BY id)", "lag(i) IGNORE NULLS OVER (ORDER BY id)", "lag(s, 0) OVER (ORDER BY id)", "lag(i, -1) OVER (ORDER BY id)"),
    "nth_value": ("nth_value(i, 2) OVER (PARTITION BY bo ORDER BY id)", "nth_value(s, 1) OVER (ORDER BY id DESC)", "nth_value(i, 2) IGNORE NULLS OVER (PARTITION BY bo ORDER BY id)", "nth_value(i, 3) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING)", "nth_value(d, 2) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)", "nth_value(s, 40) OVER (ORDER BY id)", "nth_value(bo, 1) OVER (ORDER BY bo)"),
    "lead": ("lead(s) OVER (ORDER BY id DESC)", "lead(i, 2, -1) OVER (ORDER BY id)", "lead(i, 2) IGNORE NULLS OVER (ORDER BY id)", "lead(d, 1, 5) OVER (ORDER BY id)"),
}  # fmt: skip


def test_every_function_has_a_row() -> None:
    # Python's own functions are tried by running UDFs, those of sessions without ANSI in such, those
    # of older Sparks on them, those of time zones in sessions of such.
    others = ("python.", "older.", "zoned.")
    own = {name for name in SCALAR if not name.startswith(others) and not is_legacy(name)}
    assert set(SCALAR_CASES) == own
    assert set(AGGREGATE_CASES) == {name for name in AGGREGATE if not is_legacy(name)}
    assert set(OVER_CASES) == set(OVER)


# What front ends build of syntax, or under names of theirs: no functions of SQL.
UNNAMED = {
    "add", "add_interval", "bitwise_not", "iff", "item", "subtract_moments", "to_date_by", "to_timestamp_by",
}  # fmt: skip


def test_functions_are_those_of_the_installed_spark(spark: SparkSession) -> None:
    """What Veer reads under the meaning of some Spark is what that Spark has."""
    there = {row[0].lower() for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    names = {*SCALAR, *AGGREGATE, *OVER, *OPAQUE, *ALIASES, *ABBREVIATIONS, *GENERATORS} - UNNAMED
    assert {"try_mod", "quote", "zeroifnull"} <= {name for name in names if since(name) is not None}
    for name in sorted(name for name in names if "." not in name):
        try:
            require_function(name, current().spark)
        except IllFormedError as error:
            assert name not in there, name
            assert str(current().spark) in str(error)
        else:
            assert name in there, name


@pytest.mark.parametrize("seed", [1])
def test_scalar_functions(recorded: RecordedSpark, seed: int) -> None:
    table = wide_table(Random(f"functions {seed}"), 16)
    register(recorded, [table])
    tally = Tally()
    texts = [text for cases in SCALAR_CASES.values() for text in cases]
    compare_expressions(recorded, table, texts, tally, batch=150)
    assert not tally.differences, "\n".join(tally.differences)


def test_scalar_functions_written_back(spark: SparkSession) -> None:
    """What the interpreter computes of a call, Spark computes of the SQL written for it."""
    table = wide_table(Random("written"), 8)
    register(spark, [table])
    cases = [text for cases in SCALAR_CASES.values() for text in cases]
    computed = [text for text in cases if _is_computed(f"SELECT {text} AS x FROM w", table)]
    assert len(computed) > len(cases) // 3
    for start in range(0, len(computed), 40):
        batch = computed[start : start + 40]
        columns = ", ".join(f"{text} AS c{n}" for n, text in enumerate(batch))
        flow = read_sql(f"SELECT {columns} FROM w", {table.name: table.source})
        ours = run_dataflow(flow, {table.name: table.rows})["result"]
        compiler = Compiler(spark, flow, lambda s: spark.table(s.table), Bodies())
        theirs = collect(compiler.frame(flow.sinks[0]), ours.types)
        for n, text in enumerate(batch):
            here, there = ([(row[n],) for row in rows] for rows in (ours.rows, theirs))
            types = ours.types[n : n + 1]
            same = same_rows(here, there, types, ordered=True, tolerance=1e-9)
            assert same, f"{text}\n    interpreter {here}\n    Spark {there}"


def _is_computed(query: str, table: Table) -> bool:
    """Whether a query is read, fails on no row and gives the same in every run."""
    try:
        flow = read_sql(query, {table.name: table.source})
        run_dataflow(flow, {table.name: table.rows})
    except (VeerError, Failure):
        return False
    exprs = (e for operator in flow.operators.values() for e in operator_exprs(operator))
    return all(expr_kind(e) is Kind.PURE for e in exprs)


def _can_stand_over_a_window(call: str) -> bool:
    name = call.split("(")[0]
    return name in AGGREGATE and name not in ("median", "mode") and "DISTINCT" not in call


@pytest.mark.parametrize("size", [0, 16])
def test_aggregate_functions(recorded: RecordedSpark, size: int) -> None:
    table = wide_table(Random("aggregates"), size)
    register(recorded, [table])
    tally = FlowTally()
    for cases in AGGREGATE_CASES.values():
        columns = ", ".join(f"{c} AS c{n}" for n, c in enumerate(cases))
        texts = [f"SELECT {columns} FROM w", f"SELECT bo, {columns} FROM w GROUP BY bo"]
        windowed = [c for c in cases if _can_stand_over_a_window(c)]
        if windowed:
            over = (
                f"{c} OVER (PARTITION BY bo ORDER BY id) AS c{n}" for n, c in enumerate(windowed)
            )
            texts.append(f"SELECT id, {', '.join(over)} FROM w")
        for text in texts:
            compare_query(recorded, text, [table], False, tally)
    assert not tally.differences, "\n".join(tally.differences)


@pytest.mark.parametrize("size", [0, 16])
def test_window_functions(recorded: RecordedSpark, size: int) -> None:
    table = wide_table(Random("windows"), size)
    register(recorded, [table])
    tally = FlowTally()
    for cases in OVER_CASES.values():
        columns = ", ".join(f"{c} AS c{n}" for n, c in enumerate(cases))
        compare_query(recorded, f"SELECT id, {columns} FROM w", [table], False, tally)
    assert not tally.differences, "\n".join(tally.differences)
