"""Random expressions over the columns of a DataFrame, said in Python or in SQL.

An expression is made once, as a tree, and can be written either way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

INTEGRAL, FRACTION, DECIMAL, TEXT = "integral", "fraction", "decimal", "text"
DATE, TIME, BOOL, ARRAY, OTHER = "date", "time", "bool", "array", "other"
NUMBERS = (INTEGRAL, FRACTION, DECIMAL)
PLAIN = (INTEGRAL, FRACTION, DECIMAL, TEXT, DATE, BOOL)
KIND_OF_TYPE = {
    "tinyint": INTEGRAL, "smallint": INTEGRAL, "int": INTEGRAL, "bigint": INTEGRAL,
    "float": FRACTION, "double": FRACTION, "string": TEXT, "date": DATE, "timestamp": TIME,
    "boolean": BOOL, "array<string>": ARRAY,
}  # fmt: skip


def kind_of(type_: str) -> str:
    """The kind of values of a type, by its DDL."""
    return DECIMAL if type_.startswith("decimal") else KIND_OF_TYPE.get(type_, OTHER)


@dataclass(frozen=True)
class Tree:
    """A part of an expression: `python` and `sql` are patterns for its parts."""

    python: str
    sql: str
    parts: tuple[Tree, ...] = ()
    column: str = ""

    def to_sql(self) -> str:
        """The expression as SQL text."""
        return self.sql.format(*(p.to_sql() for p in self.parts)) if self.parts else self.sql

    def to_python(self, reference: Callable[[str], str]) -> str:
        """The expression as Python; `reference` says how a column is named."""
        if self.column:
            return reference(self.column)
        if not self.parts:
            return self.python
        return self.python.format(*(p.to_python(reference) for p in self.parts))


@dataclass(frozen=True)
class Form:
    """A way to make a value of `kind` of values of other kinds."""

    kind: str
    python: str
    sql: str
    takes: tuple[str, ...]


FORMS = (
    Form(INTEGRAL, "({} + 1)", "({} + 1)", (INTEGRAL,)),
    Form(INTEGRAL, "({} - {})", "({} - {})", (INTEGRAL, INTEGRAL)),
    Form(INTEGRAL, "({} * 2)", "({} * 2)", (INTEGRAL,)),
    Form(INTEGRAL, "({} % 3)", "({} % 3)", (INTEGRAL,)),
    Form(INTEGRAL, "(-{})", "(-{})", (INTEGRAL,)),
    Form(INTEGRAL, "F.coalesce({}, F.lit(0))", "coalesce({}, 0)", (INTEGRAL,)),
    Form(INTEGRAL, "F.length({})", "length({})", (TEXT,)),
    Form(INTEGRAL, "F.year({})", "year({})", (DATE,)),
    Form(INTEGRAL, "F.month({})", "month({})", (TIME,)),
    Form(INTEGRAL, "F.datediff({}, {})", "datediff({}, {})", (DATE, DATE)),
    Form(INTEGRAL, "F.size({})", "size({})", (ARRAY,)),
    Form(INTEGRAL, '{}.cast("int")', "CAST({} AS INT)", (DECIMAL,)),
    Form(INTEGRAL, '{}.cast("bigint")', "CAST({} AS BIGINT)", (INTEGRAL,)),
    Form(INTEGRAL, "F.greatest({}, {})", "greatest({}, {})", (INTEGRAL, INTEGRAL)),
    Form(INTEGRAL, "F.abs({})", "abs({})", (INTEGRAL,)),
    Form(INTEGRAL, "F.floor({})", "floor({})", (FRACTION,)),
    Form(INTEGRAL, "F.when({}, 1).otherwise(0)", "CASE WHEN {} THEN 1 ELSE 0 END", (BOOL,)),
    Form(INTEGRAL, "F.when({}, {})", "CASE WHEN {} THEN {} END", (BOOL, INTEGRAL)),
    Form(FRACTION, "({} / 2)", "({} / 2)", (INTEGRAL,)),
    Form(FRACTION, "({} * 0.5D)", "({} * 0.5D)", (FRACTION,)),
    Form(FRACTION, "({} + {})", "({} + {})", (FRACTION, INTEGRAL)),
    Form(FRACTION, '{}.cast("double")', "CAST({} AS DOUBLE)", (DECIMAL,)),
    Form(FRACTION, "F.round({}, 1)", "round({}, 1)", (FRACTION,)),
    Form(FRACTION, "F.coalesce({}, {})", "coalesce({}, {})", (FRACTION, INTEGRAL)),
    Form(DECIMAL, "({} * 2)", "({} * 2)", (DECIMAL,)),
    Form(DECIMAL, "({} + {})", "({} + {})", (DECIMAL, DECIMAL)),
    Form(DECIMAL, "({} - 1)", "({} - 1)", (DECIMAL,)),
    Form(DECIMAL, "({} / 4)", "({} / 4)", (DECIMAL,)),
    Form(DECIMAL, "F.round({}, 1)", "round({}, 1)", (DECIMAL,)),
    Form(DECIMAL, '{}.cast("decimal(12,2)")', "CAST({} AS DECIMAL(12,2))", (INTEGRAL,)),
    Form(DECIMAL, "F.coalesce({}, F.lit(0))", "coalesce({}, 0)", (DECIMAL,)),
    Form(TEXT, "F.upper({})", "upper({})", (TEXT,)),
    Form(TEXT, "F.lower(F.trim({}))", "lower(trim({}))", (TEXT,)),
    Form(TEXT, "F.concat({}, {})", "concat({}, {})", (TEXT, TEXT)),
    Form(TEXT, 'F.concat({}, F.lit("-"), {})', "concat({}, '-', {})", (TEXT, INTEGRAL)),
    Form(TEXT, 'F.concat_ws(",", {}, {})', "concat_ws(',', {}, {})", (TEXT, TEXT)),
    Form(TEXT, "F.substring({}, 1, 2)", "substring({}, 1, 2)", (TEXT,)),
    Form(TEXT, '{}.cast("string")', "CAST({} AS STRING)", (INTEGRAL,)),
    Form(TEXT, '{}.cast("string")', "CAST({} AS STRING)", (DATE,)),
    Form(TEXT, 'F.coalesce({}, F.lit("?"))', "coalesce({}, '?')", (TEXT,)),
    Form(TEXT, 'F.when({}, "yes").otherwise("no")', "IF({}, 'yes', 'no')", (BOOL,)),
    Form(TEXT, 'F.when({}, {}).otherwise(F.lit("x"))', "IF({}, {}, 'x')", (BOOL, TEXT)),
    Form(TEXT, 'F.regexp_replace({}, "a", "b")', "regexp_replace({}, 'a', 'b')", (TEXT,)),
    Form(TEXT, 'F.date_format({}, "yyyy")', "date_format({}, 'yyyy')", (DATE,)),
    Form(DATE, "F.date_add({}, 1)", "date_add({}, 1)", (DATE,)),
    Form(DATE, "F.to_date({})", "to_date({})", (TIME,)),
    Form(DATE, "F.last_day({})", "last_day({})", (DATE,)),
    Form(DATE, "F.coalesce({}, {})", "coalesce({}, {})", (DATE, DATE)),
    Form(TIME, '{}.cast("timestamp")', "CAST({} AS TIMESTAMP)", (DATE,)),
    Form(BOOL, "({} > 1)", "({} > 1)", (INTEGRAL,)),
    Form(BOOL, "({} <= {})", "({} <= {})", (INTEGRAL, FRACTION)),
    Form(BOOL, "({} == {})", "({} = {})", (INTEGRAL, INTEGRAL)),
    Form(BOOL, "({} != {})", "({} <> {})", (TEXT, TEXT)),
    Form(BOOL, '({} == "a")', "({} = 'a')", (TEXT,)),
    Form(BOOL, '{}.eqNullSafe("a")', "({} <=> 'a')", (TEXT,)),
    Form(BOOL, '{}.isin("a", "b")', "({} IN ('a', 'b'))", (TEXT,)),
    Form(BOOL, "{}.isin([1, 2])", "({} IN (1, 2))", (INTEGRAL,)),
    Form(BOOL, "{}.between(0, 5)", "({} BETWEEN 0 AND 5)", (INTEGRAL,)),
    Form(BOOL, "{}.isNull()", "({} IS NULL)", (TEXT,)),
    Form(BOOL, "{}.isNotNull()", "({} IS NOT NULL)", (INTEGRAL,)),
    Form(BOOL, '{}.like("a%")', "({} LIKE 'a%')", (TEXT,)),
    Form(BOOL, '{}.contains("a")', "contains({}, 'a')", (TEXT,)),
    Form(BOOL, '{}.startswith("a")', "startswith({}, 'a')", (TEXT,)),
    Form(BOOL, '({} > "2024-01-01")', "({} > '2024-01-01')", (DATE,)),
    Form(BOOL, "({} < {})", "({} < {})", (DATE, TIME)),
    Form(BOOL, "({} > 1)", "({} > 1)", (DECIMAL,)),
    Form(BOOL, "({} & {})", "({} AND {})", (BOOL, BOOL)),
    Form(BOOL, "({} | {})", "({} OR {})", (BOOL, BOOL)),
    Form(BOOL, "(~{})", "(NOT {})", (BOOL,)),
    Form(BOOL, 'F.array_contains({}, "a")', "array_contains({}, 'a')", (ARRAY,)),
    Form(ARRAY, "F.array_distinct({})", "array_distinct({})", (ARRAY,)),
    Form(ARRAY, 'F.split({}, " ")', "split({}, ' ')", (TEXT,)),
    Form(ARRAY, "F.array({}, {})", "array({}, {})", (TEXT, TEXT)),
    Form(ARRAY, "F.sort_array({})", "sort_array({})", (ARRAY,)),
    Form(ARRAY, "F.transform({}, lambda x: F.upper(x))", "transform({}, x -> upper(x))", (ARRAY,)),
    Form(ARRAY, 'F.filter({}, lambda x: x != "a")', "filter({}, x -> x <> 'a')", (ARRAY,)),
)  # fmt: skip
# A number with a fraction is not written alike in both: 0.5 is a decimal in SQL, a double in Python.
PYTHON_ONLY = {"({} * 0.5D)": "({} * 0.5)"}
LITERALS = {
    INTEGRAL: (("F.lit(1)", "1"), ("F.lit(0)", "0"), ("F.lit(7)", "7")),
    FRACTION: (("F.lit(1.5)", "1.5D"), ("F.lit(0.0)", "0.0D")),
    DECIMAL: (('F.lit("1.25").cast("decimal(5,2)")', "CAST('1.25' AS DECIMAL(5,2))"),),
    TEXT: (('F.lit("a")', "'a'"), ('F.lit("")', "''"), ('F.lit("x y")', "'x y'")),
    DATE: (('F.to_date(F.lit("2024-01-05"))', "DATE '2024-01-05'"),),
    TIME: (('F.lit("2024-01-05 10:00:00").cast("timestamp")', "TIMESTAMP '2024-01-05 10:00:00'"),),
    BOOL: (("F.lit(True)", "TRUE"), ("F.lit(False)", "FALSE")),
    ARRAY: (('F.array(F.lit("a"), F.lit("b"))', "array('a', 'b')"),),
}
# Aggregates: the kind of the result, None for that of the argument.
AGGREGATES: tuple[tuple[str, str, tuple[str, ...], str | None], ...] = (
    ("F.sum({})", "sum({})", NUMBERS, None),
    ("F.avg({})", "avg({})", (INTEGRAL, FRACTION), FRACTION),
    ("F.max({})", "max({})", PLAIN, None),
    ("F.min({})", "min({})", PLAIN, None),
    ("F.count({})", "count({})", PLAIN, INTEGRAL),
    ("F.countDistinct({})", "count(DISTINCT {})", PLAIN, INTEGRAL),
    ("F.sum_distinct({})", "sum(DISTINCT {})", (INTEGRAL,), None),
    ("F.first({})", "first({})", PLAIN, None),
    ("F.sort_array(F.collect_set({}))", "sort_array(collect_set({}))", (TEXT,), ARRAY),
    ("F.bool_or({})", "bool_or({})", (BOOL,), BOOL),
)


class Expressions:
    """Random trees over columns of known kinds."""

    def __init__(self, rng: Random, columns: Mapping[str, str]) -> None:
        self.rng, self.columns = rng, columns

    def of_kind(self, kind: str, depth: int = 2) -> Tree | None:
        """A tree of this kind, None where there is no way to make one."""
        named = [n for n, k in self.columns.items() if k == kind]
        forms = [f for f in FORMS if f.kind == kind]
        chance = self.rng.random()
        if named and (depth == 0 or chance < 0.3):
            return column(self.rng.choice(named))
        if depth > 0 and forms and chance < 0.93:
            for form in self.rng.sample(forms, len(forms)):
                parts = [self.of_kind(k, depth - 1) for k in form.takes]
                if all(parts) and any(p.column or p.parts for p in parts if p):
                    python = PYTHON_ONLY.get(form.python, form.python)
                    return Tree(python, form.sql, tuple(p for p in parts if p))
        if named:
            return column(self.rng.choice(named))
        if kind in LITERALS:
            python, sql = self.rng.choice(LITERALS[kind])
            return Tree(python, sql)
        return None

    def any(self, kinds: Sequence[str] = PLAIN, depth: int = 2) -> tuple[str, Tree]:
        """A kind and a tree of it."""
        for kind in self.rng.sample(list(kinds), len(kinds)):
            tree = self.of_kind(kind, depth)
            if tree is not None:
                return kind, tree
        return INTEGRAL, Tree("F.lit(1)", "1")

    def aggregate(self) -> tuple[str, Tree]:
        """An aggregate and the kind of its value."""
        if self.rng.random() < 0.15:
            return INTEGRAL, Tree('F.count("*")', "count(*)")
        python, sql, takes, gives = self.rng.choice(AGGREGATES)
        kind, tree = self.any([k for k in takes if k in self.columns.values()] or takes, depth=1)
        return gives or kind, Tree(python, sql, (tree,))


def column(name: str) -> Tree:
    """A column of the frame."""
    return Tree("", name if name.isidentifier() else f"`{name}`", (), name)
