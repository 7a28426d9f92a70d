"""Rewrites of expressions: what people do, and what they think is the same."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from benchmarks.fuzz.queries import FLOATS, WHOLE, is_decimal, is_number
from benchmarks.fuzz.rewriting import Context, rule
from benchmarks.fuzz.tree import (
    Expr,
    Item,
    Node,
    Select,
    both,
    call,
    compared,
    either,
    is_null,
    literal,
    negated,
)

TURNED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<=", "<=>": "<=>"}
OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
NEAR = {"=": "<=>", "<=>": "=", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "<>": "<"}
TRUE, FALSE = literal("TRUE", "BOOLEAN"), literal("FALSE", "BOOLEAN")


# -- conditions --------------------------------------------------------------------------------


@rule(Expr)
def turn_comparison(context: Context, node: Node) -> Node | None:
    """a < b as b > a."""
    e = cast(Expr, node)
    return compared(TURNED[e.op], e.args[1], e.args[0]) if e.op in TURNED else None


@rule(Expr)
def negate_opposite(context: Context, node: Node) -> Node | None:
    """a < b as NOT a >= b; with NaN, still so in Spark."""
    e = cast(Expr, node)
    return negated(compared(OPPOSITE[e.op], *e.args)) if e.op in OPPOSITE else None


@rule(Expr)
def near_comparison(context: Context, node: Node) -> Node | None:
    """A comparison as one that differs at the edge: a < b as a <= b, a = b as a <=> b."""
    e = cast(Expr, node)
    return compared(NEAR[e.op], *e.args) if e.op in NEAR else None


@rule(Expr)
def next_whole_number(context: Context, node: Node) -> Node | None:
    """a > 2 as a >= 3, also where the column is no whole number."""
    e = cast(Expr, node)
    if e.op in (">", "<=") and e.args[1].op == "literal" and is_number(e.args[1].type):
        more = call("+", e.args[1].type, "({0} + 1)", e.args[1])
        if e.args[1].type == "INT" and e.args[1].text.lstrip("-").isdigit():
            more = literal(str(int(e.args[1].text) + 1), "INT")
        return compared(">=" if e.op == ">" else "<", e.args[0], more)
    return None


@rule(Expr)
def de_morgan(context: Context, node: Node) -> Node | None:
    """a AND b as NOT (NOT a OR NOT b)."""
    e = cast(Expr, node)
    if e.op not in ("and", "or"):
        return None
    other = either if e.op == "and" else both
    return negated(other(negated(e.args[0]), negated(e.args[1])))


@rule(Expr)
def push_not(context: Context, node: Node) -> Node | None:
    """NOT (a AND b) as NOT a OR NOT b, NOT a < b as a >= b."""
    e = cast(Expr, node)
    if e.op != "not":
        return None
    (inner,) = e.args
    if inner.op in ("and", "or"):
        return (either if inner.op == "and" else both)(*map(negated, inner.args))
    if inner.op in OPPOSITE:
        return compared(OPPOSITE[inner.op], *inner.args)
    return inner.args[0] if inner.op == "not" else None


@rule(Expr)
def distribute(context: Context, node: Node) -> Node | None:
    """a AND (b OR c) as a AND b OR a AND c."""
    e = cast(Expr, node)
    if e.op == "and" and e.args[1].op == "or":
        a, (b, c) = e.args[0], e.args[1].args
        return either(both(a, b), both(a, c))
    if e.op == "or" and e.args[1].op == "and":
        a, (b, c) = e.args[0], e.args[1].args
        return both(either(a, b), either(a, c))
    return None


@rule(Expr)
def swap_connective(context: Context, node: Node) -> Node | None:
    """a AND b as b AND a, and so for what commutes."""
    e = cast(Expr, node)
    if e.op not in ("and", "or", "+", "*", "greatest", "least") or len(e.args) != 2:
        return None
    return replace(e, args=(e.args[1], e.args[0]))


@rule(Expr)
def confuse_connective(context: Context, node: Node) -> Node | None:
    """a AND b as a OR b."""
    e = cast(Expr, node)
    if e.op not in ("and", "or"):
        return None
    return (either if e.op == "and" else both)(*e.args)


@rule(Expr)
def between_as_comparisons(context: Context, node: Node) -> Node | None:
    """a BETWEEN b AND c as two comparisons, the last at times strict."""
    e = cast(Expr, node)
    if e.op != "between":
        return None
    last = context.rng.choice(("<=", "<=", "<"))
    return both(compared(">=", e.args[0], e.args[1]), compared(last, e.args[0], e.args[2]))


@rule(Expr)
def in_as_or(context: Context, node: Node) -> Node | None:
    """a IN (b, c) as a = b OR a = c."""
    e = cast(Expr, node)
    if e.op != "in":
        return None
    alternatives = compared("=", e.args[0], e.args[1])
    for value in e.args[2:]:
        alternatives = either(alternatives, compared("=", e.args[0], value))
    return alternatives


@rule(Expr)
def spelled_out_null_safe(context: Context, node: Node) -> Node | None:
    """a <=> b by IS NULL and =."""
    e = cast(Expr, node)
    if e.op != "<=>":
        return None
    a, b = e.args
    return either(
        both(is_null(a), is_null(b)),
        both(both(negated(is_null(a)), negated(is_null(b))), compared("=", a, b)),
    )


@rule(Expr)
def null_as_false(context: Context, node: Node) -> Node | None:
    """A condition as one that is false, or null all the same, where it was null."""
    e = cast(Expr, node)
    if e.type != "BOOLEAN" or e.op in ("literal", "column"):
        return None
    ways = (
        call("coalesce", "BOOLEAN", "coalesce({0}, {1})", e, FALSE),
        call("case", "BOOLEAN", "CASE WHEN {0} THEN {1} ELSE {2} END", e, TRUE, FALSE),
        call("<=>", "BOOLEAN", "({0} <=> {1})", e, TRUE),
        both(e, TRUE),
        either(e, FALSE),
        either(e, both(e, context.make.predicate(e.args, 0))) if e.args else e,
    )
    return context.rng.choice(ways)


@rule(Expr)
def is_null_otherwise(context: Context, node: Node) -> Node | None:
    """IS NULL in other words; of NaN and of nulls inside, not all the same."""
    e = cast(Expr, node)
    if e.op != "isnull":
        return None
    ways = (
        "(isnull({0}))",
        "(NOT ({0} IS NOT NULL))",
        "({0} <=> NULL)",
        "(NOT coalesce({0} = {0}, FALSE))",
        "(coalesce({0}, NULL) IS NULL)",
    )
    return replace(e, text=context.rng.choice(ways), op="isnull?")


@rule(Expr)
def like_as_function(context: Context, node: Node) -> Node | None:
    """LIKE of a prefix or suffix as a function, without wildcards as =."""
    e = cast(Expr, node)
    if e.op != "like":
        return None
    pattern = e.args[1].text.strip("'")
    if pattern.endswith("%") and "_" not in pattern and "%" not in pattern[:-1]:
        return call("startswith", "BOOLEAN", f"startswith({{0}}, '{pattern[:-1]}')", e.args[0])
    if pattern.startswith("%") and "_" not in pattern and "%" not in pattern[1:]:
        return call("endswith", "BOOLEAN", f"endswith({{0}}, '{pattern[1:]}')", e.args[0])
    if not set(pattern) & {"%", "_"}:
        return compared("=", *e.args)
    return None


@rule(Expr)
def compare_trimmed(context: Context, node: Node) -> Node | None:
    """a = b as trim(a) = b, or in lower case."""
    e = cast(Expr, node)
    if e.op == "=" and e.args[0].type == "STRING":
        name = context.rng.choice(("trim", "rtrim", "lower"))
        return compared("=", call(name, "STRING", name + "({0})", e.args[0]), e.args[1])
    return None


@rule(Expr)
def not_in_as_not_exists(context: Context, node: Node) -> Node | None:
    """IN as EXISTS and back; NOT IN as NOT EXISTS loses the nulls."""
    e = cast(Expr, node)
    if e.op != "insub" or not isinstance(e.query, Select) or e.query.group is not None:
        return None
    if e.query.limit is not None:
        return None
    own = e.query.items[0].expr
    where = (*e.query.where, compared("=", own, e.args[0]))
    query = Select((Item(literal("1", "INT"), "one"),), e.query.source, where)
    text = "(NOT EXISTS ({q}))" if " NOT IN " in e.text else "EXISTS ({q})"
    return Expr("exists", "BOOLEAN", text, (), query)


@rule(Expr)
def exists_as_count(context: Context, node: Node) -> Node | None:
    """EXISTS as a count above 0."""
    e = cast(Expr, node)
    if e.op != "exists" or not isinstance(e.query, Select):
        return None
    count = Item(call("agg:count*", "BIGINT", "count(*)"), "one")
    scalar = Expr("scalar", "BIGINT", "({q})", (), replace(e.query, items=(count,), group=()))
    op = "=" if "NOT" in e.text else ">"
    return compared(op, scalar, literal("0", "INT"))


# -- values ------------------------------------------------------------------------------------


@rule(Expr)
def coalesce_otherwise(context: Context, node: Node) -> Node | None:
    """coalesce(a, b) in other words, or the other way round."""
    e = cast(Expr, node)
    if e.op != "coalesce" or len(e.args) != 2:
        return None
    ways = (
        "CASE WHEN {0} IS NULL THEN {1} ELSE {0} END",
        "CASE WHEN {0} IS NOT NULL THEN {0} ELSE {1} END",
        "ifnull({0}, {1})",
        "nvl({0}, {1})",
        "if(isnull({0}), {1}, {0})",
        "nvl2({0}, {0}, {1})",
        "coalesce({0}, {1}, NULL)",
        "coalesce({1}, {0})",
    )
    return replace(e, text=context.rng.choice(ways), op="coalesce?")


@rule(Expr)
def case_otherwise(context: Context, node: Node) -> Node | None:
    """CASE in other words; negated, null goes the other way."""
    e = cast(Expr, node)
    if e.op != "case":
        return None
    ways = (
        "if({0}, {1}, {2})",
        "CASE WHEN NOT {0} THEN {2} ELSE {1} END",
        "CASE WHEN coalesce(NOT {0}, TRUE) THEN {2} ELSE {1} END",
        "CASE {0} WHEN TRUE THEN {1} ELSE {2} END",
        "CASE WHEN {0} THEN {1} WHEN {0} IS NULL THEN {2} ELSE {2} END",
    )
    return replace(e, text=context.rng.choice(ways), op="case?")


@rule(Expr)
def nullif_otherwise(context: Context, node: Node) -> Node | None:
    """nullif(a, b) in other words."""
    e = cast(Expr, node)
    if e.op != "nullif":
        return None
    ways = (
        "CASE WHEN {0} = {1} THEN NULL ELSE {0} END",
        "CASE WHEN {0} <> {1} THEN {0} END",
        "if({0} <=> {1}, NULL, {0})",
    )
    return replace(e, text=context.rng.choice(ways), op="nullif?")


@rule(Expr)
def greatest_otherwise(context: Context, node: Node) -> Node | None:
    """greatest and least as CASE, which minds nulls otherwise."""
    e = cast(Expr, node)
    if e.op not in ("greatest", "least"):
        return None
    op = context.rng.choice((">", ">=")) if e.op == "greatest" else "<"
    ways = (
        f"CASE WHEN {{0}} {op} {{1}} THEN {{0}} ELSE {{1}} END",
        f"CASE WHEN {{1}} IS NULL OR {{0}} {op} {{1}} THEN {{0}} ELSE {{1}} END",
    )
    return replace(e, text=context.rng.choice(ways), op="greatest?")


@rule(Expr)
def regroup(context: Context, node: Node) -> Node | None:
    """(a + b) + c as a + (b + c); in floats, and near overflow, another thing."""
    e = cast(Expr, node)
    if e.op in ("+", "*") and e.args[0].op == e.op and len(e.args) == 2 == len(e.args[0].args):
        (a, b), c = e.args[0].args, e.args[1]
        return replace(e, args=(a, replace(e, args=(b, c))))
    if e.op == "concat" and e.args[0].op == "concat":
        (a, b), c = e.args[0].args, e.args[1]
        return replace(e, args=(a, replace(e, args=(b, c))))
    return None


@rule(Expr)
def arithmetic_otherwise(context: Context, node: Node) -> Node | None:
    """a + b in other words, which may overflow where it did not."""
    e = cast(Expr, node)
    if e.op not in ("+", "-", "*") or not is_number(e.type) or len(e.args) != 2:
        return None
    ways = {
        "+": ("({0} - (-{1}))", "({1} + {0})", "({0} + {1} + 0)", "({0} + 1 + {1} - 1)"),
        "-": ("({0} + (-{1}))", "(-({1} - {0}))", "({0} - {1} - 0)"),
        "*": ("({1} * {0})", "({0} * {1} * 1)", "(-{0} * -{1})"),
    }
    return replace(e, text=context.rng.choice(ways[e.op]), op="arithmetic?")


# What changes nothing, for most values of a type.
NEUTRAL: dict[str, tuple[str, ...]] = {
    "STRING": (
        *("concat({0}, '')", "trim({0})", "rtrim({0})", "CAST({0} AS STRING)"),
        *("substring({0}, 1, 100)", "substring({0}, 1, 1)", "concat_ws('', {0})", "lower({0})"),
        *("nullif({0}, '')", "reverse(reverse({0}))", "replace({0}, ' ', '')", "left({0}, 2)"),
    ),
    "DATE": (
        "date_add({0}, 0)",
        "CAST(CAST({0} AS TIMESTAMP) AS DATE)",
        "date_add(date_sub({0}, 1), 1)",
        "CAST(CAST({0} AS STRING) AS DATE)",
        "add_months(add_months({0}, 1), -1)",
        "trunc({0}, 'MONTH')",
    ),
    "TIMESTAMP": (
        "CAST(CAST({0} AS STRING) AS TIMESTAMP)",
        "date_trunc('SECOND', {0})",
        "CAST(CAST({0} AS DATE) AS TIMESTAMP)",
        "({0} + INTERVAL '0' DAY)",
    ),
    "BOOLEAN": (
        "(NOT NOT {0})",
        "({0} = TRUE)",
        "({0} IS TRUE)",
        "CAST(CAST({0} AS INT) AS BOOLEAN)",
    ),
}


@rule(Expr)
def neutral(context: Context, node: Node) -> Node | None:
    """Something that changes nothing, for most values."""
    e = cast(Expr, node)
    if e.op == "literal" or e.op.startswith(("agg:", "window:")):
        return None
    ways = ["coalesce({0}, {0})", "CASE WHEN TRUE THEN {0} END", "if({0} IS NULL, NULL, {0})"]
    ways += _neutral_of_numbers(e.type)
    ways += NEUTRAL.get(e.type, ())
    return call("neutral", e.type, context.rng.choice(ways), e)


def _neutral_of_numbers(type_: str) -> list[str]:
    """The same for numbers: there and back through another type, zero added."""

    def through(other: str) -> str:
        return f"CAST(CAST({{0}} AS {other}) AS {type_})"

    itself = f"CAST({{0}} AS {type_})"
    if type_ in WHOLE:
        ways = ["({0} + 0)", "({0} * 1)", "(-(-{0}))", itself]
        return [*ways, through("STRING"), through("DOUBLE")]
    if type_ in FLOATS:
        zero = "0.0D" if type_ == "DOUBLE" else "CAST(0.0 AS FLOAT)"
        ways = [f"({{0}} + {zero})", f"({{0}} - {zero})", "(-(-{0}))", itself]
        return [*ways, through("FLOAT"), through("STRING")]
    if is_decimal(type_):
        return [itself, through("DECIMAL(5,1)"), through("DOUBLE"), through("STRING")]
    return []


@rule(Expr)
def other_literal(context: Context, node: Node) -> Node | None:
    """A constant computed, or another constant."""
    e = cast(Expr, node)
    if e.op != "literal" or e.text == "NULL":
        return None
    folded = {
        "1": "(2 - 1)",
        "2": "(1 + 1)",
        "0": "(5 % 5)",
        "'a'": "lower('A')",
        "''": "trim(' ')",
    }
    if e.text in folded and context.rng.random() < 0.5:
        return literal(folded[e.text], e.type)
    return context.make.constant(e.type)


@rule(Expr)
def division_otherwise(context: Context, node: Node) -> Node | None:
    """Division and remainder in other words, rounded otherwise."""
    e = cast(Expr, node)
    if e.op == "/":
        return replace(e, text="({0} * (1.0D / {1}))", op="/?")
    if e.op == "div":
        ways = ("CAST({0} / {1} AS BIGINT)", "floor({0} / {1})", "CAST(floor({0} / {1}) AS BIGINT)")
        return replace(e, text=context.rng.choice(ways), op="div?")
    if e.op == "%":
        return replace(e, text=context.rng.choice(("mod({0}, {1})", "pmod({0}, {1})")), op="%?")
    return None


@rule(Expr)
def text_otherwise(context: Context, node: Node) -> Node | None:
    """Functions of texts in other words; concat_ws leaves out nulls."""
    e = cast(Expr, node)
    if e.op == "concat":
        ways: tuple[str, ...] = ("({0} || {1})", "concat_ws('', {0}, {1})", "concat({0}, '', {1})")
        return replace(e, text=context.rng.choice(ways), op="concat?")
    if e.op in ("upper", "lower", "trim", "ltrim", "rtrim"):
        other = context.rng.choice(("upper", "lower", "trim", "ltrim", "rtrim"))
        return call("text?", "STRING", f"{other}({e.op}({{0}}))", e.args[0])
    if e.op == "length":
        ways = ("char_length({0})", "length(trim({0}))", "octet_length({0})", "length(rtrim({0}))")
        return replace(e, text=context.rng.choice(ways), op="length?")
    if e.op == "substring" and ", 1, " in e.text:
        return replace(
            e, text=e.text.replace("substring", "left").replace(", 1, ", ", "), op="left"
        )
    return None


@rule(Expr)
def date_otherwise(context: Context, node: Node) -> Node | None:
    """Functions of dates in other words; comparing years is not comparing dates."""
    e = cast(Expr, node)
    if e.op == "date":
        ways = (
            "({0} + {1})",
            "date_add({0}, {1})",
            "date_sub({0}, -({1}))",
            "dateadd(DAY, {1}, {0})",
        )
        return replace(e, text=context.rng.choice(ways), op="date?")
    if e.op in ("year", "month", "day", "quarter"):
        parts: tuple[str, ...] = (
            f"extract({e.op} FROM {{0}})",
            f"CAST(date_part('{e.op}', {{0}}) AS INT)",
        )
        if e.op == "year":
            parts += (
                "CAST(date_format({0}, 'yyyy') AS INT)",
                "CAST(left(CAST({0} AS STRING), 4) AS INT)",
            )
        return replace(e, text=context.rng.choice(parts), op="part?")
    if e.op in (">=", "<", "=") and e.args[0].type in ("DATE", "TIMESTAMP"):
        return compared(e.op, *(call("year", "INT", "year({0})", a) for a in e.args))
    return None


# -- aggregates --------------------------------------------------------------------------------


@rule(Expr)
def count_otherwise(context: Context, node: Node) -> Node | None:
    """A count in other words: with nulls, duplicates or no rows another one."""
    e = cast(Expr, node)
    ways: tuple[str, ...] = ()
    if e.op == "agg:count*":
        ways = ("count(1)", "sum(1)", "coalesce(sum(1), 0L)", "count(NULL)")
    elif e.op == "agg:count":
        ways = ("count(*)", "sum(CASE WHEN {0} IS NULL THEN 0 ELSE 1 END)", "count(DISTINCT {0})")
        ways += ("count_if({0} IS NOT NULL)", "coalesce(sum(if({0} IS NULL, 0, 1)), 0L)")
        ways += ("count(1) FILTER (WHERE {0} IS NOT NULL)",)
    elif e.op == "agg:countd":
        ways = ("count({0})", "size(collect_set({0}))", "count(DISTINCT {0}, {0})")
        ways += ("count(DISTINCT coalesce({0}, {0}))",)
    elif e.op == "agg:countf":
        ways = (
            "count(CASE WHEN {1} THEN {0} END)",
            "count({0})",
            "count_if({1} AND {0} IS NOT NULL)",
        )
        ways += ("sum(CASE WHEN {1} AND {0} IS NOT NULL THEN 1 ELSE 0 END)", "count_if({1})")
    if not ways:
        return None
    return replace(e, text=context.rng.choice(ways), op="agg:count?")


@rule(Expr)
def sum_otherwise(context: Context, node: Node) -> Node | None:
    """SUM, AVG, MIN, MAX and their like in other words, many of them wrong."""
    e = cast(Expr, node)
    ways: tuple[str, ...] = ()
    if e.op == "agg:sum":
        ways = ("sum(DISTINCT {0})", "sum(coalesce({0}, 0))", "coalesce(sum({0}), 0)", "-sum(-{0})")
        ways += (
            "sum({0}) FILTER (WHERE {0} IS NOT NULL)",
            "(avg({0}) * count({0}))",
            "sum({0} + 0)",
        )
        ways += ("(sum({0} + 1) - count({0}))", "(sum({0} * 2) / 2)", "(2 * sum({0}) - sum({0}))")
    elif e.op == "agg:avg":
        ways = (
            "(sum({0}) / count({0}))",
            "avg(DISTINCT {0})",
            "(sum({0}) / count(*))",
            "mean({0})",
        )
        ways += ("avg(coalesce({0}, 0))", "avg(CAST({0} AS DOUBLE))")
    elif e.op == "agg:sumd":
        ways = ("sum({0})", "sum(DISTINCT coalesce({0}, {0}))")
    elif e.op in ("agg:max", "agg:min"):
        name = e.op[4:]
        ways = (name + "(DISTINCT {0})", ("min" if name == "max" else "max") + "({0})")
        ways += (name + "({0}) FILTER (WHERE {0} IS NOT NULL)",)
        if e.type in WHOLE:
            ways += (f"(-{'min' if name == 'max' else 'max'}(-{{0}}))",)
        ways += (name + "(coalesce({0}, {0}))", name + "_by({0}, {0})")
    elif e.op in ("agg:bool_or", "agg:bool_and", "agg:every"):
        word = "max" if e.op == "agg:bool_or" else "min"
        ways = (word + "({0})", "any({0})", "(count_if({0}) > 0)", "(count_if(NOT {0}) = 0)")
    if not ways:
        return None
    text = context.rng.choice(ways)
    if e.type not in ("DOUBLE", "FLOAT") and e.op in ("agg:sum",) and "/" in text:
        text = f"CAST({text} AS {e.type})"
    return replace(e, text=text, op="agg:sum?")
