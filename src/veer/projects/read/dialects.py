"""SQL of other systems, read as Spark SQL where that means the same.

A query is translated by sqlglot, translated back, and must be what it was; and it may hold only what
means the same everywhere: a list of what is known, not of what is not.
"""

from __future__ import annotations

from sqlglot import exp, parse
from sqlglot.errors import SqlglotError

from veer.errors import ParseError, UnsupportedError

# Systems in which texts are compared letter by letter and NaN equals itself, as in Spark.
DIALECTS = frozenset(["duckdb", "postgres", "snowflake"])
ORDER = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
# What means the same in all of them, on numbers, texts and dates that no operation changes the type of.
SAME_EVERYWHERE: tuple[type[exp.Expr], ...] = (
    exp.Add,
    exp.Alias,
    exp.And,
    exp.Between,
    exp.Boolean,
    exp.CTE,
    exp.Case,
    exp.Coalesce,
    exp.Column,
    exp.Count,
    exp.Distinct,
    exp.EQ,
    exp.Except,
    exp.Exists,
    exp.From,
    exp.GT,
    exp.GTE,
    exp.Group,
    exp.Having,
    exp.Identifier,
    exp.If,
    exp.In,
    exp.Intersect,
    exp.Is,
    exp.Join,
    exp.LT,
    exp.LTE,
    exp.Literal,
    exp.Max,
    exp.Min,
    exp.Mul,
    exp.NEQ,
    exp.Not,
    exp.Null,
    exp.Or,
    exp.Paren,
    exp.Select,
    exp.Star,
    exp.Sub,
    exp.Subquery,
    exp.Sum,
    exp.Table,
    exp.TableAlias,
    exp.Tuple,
    exp.Union,
    exp.Where,
    exp.With,
)


def spark_query(text: str, dialect: str) -> str:
    """A query of another dialect as Spark SQL; what may mean something else there is refused."""
    if dialect not in DIALECTS:
        raise UnsupportedError(f"SQL of the adapter {dialect!r} is not read")
    try:
        trees = [tree for tree in parse(text, read=dialect) if tree is not None]
        if len(trees) != 1:
            raise UnsupportedError(f"{len(trees)} statements: a model must have one")
        (tree,) = trees
        for node in tree.walk():
            if not isinstance(node, SAME_EVERYWHERE) or _differs(node):
                raise UnsupportedError(
                    f"{node.key} may mean something else in {dialect} than in Spark"
                )
        spark = tree.sql(dialect="spark")
        back = [t for t in parse(spark, read="spark") if t is not None]
        if [t.sql(dialect=dialect) for t in back] != [tree.sql(dialect=dialect)]:
            raise UnsupportedError(
                f"the query changes when it is translated from {dialect} to Spark and back"
            )
    except SqlglotError as error:
        raise ParseError(f"not SQL of {dialect}: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise ParseError("SQL nested too deeply") from None
    return spark


def _differs(node: exp.Expr) -> bool:
    """Whether what is known in general differs here: orders of texts, types of fractions."""
    if isinstance(node, ORDER):
        return any(isinstance(n, exp.Literal) and n.is_string for n in node.find_all(exp.Literal))
    return isinstance(node, exp.Literal) and not node.is_string and not node.name.isdigit()
