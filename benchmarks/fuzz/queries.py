"""Random queries over a schema, well typed by construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random

from benchmarks.fuzz.schemas import Schema, Table
from benchmarks.fuzz.tree import (
    Derived,
    Exploded,
    Expr,
    Item,
    Join,
    Query,
    Scan,
    Select,
    SetQuery,
    Source,
    both,
    call,
    column,
    columns_of,
    compared,
    either,
    is_null,
    literal,
    negated,
)

WHOLE = ("INT", "BIGINT")
FLOATS = ("DOUBLE", "FLOAT")
COMPARISONS = ("=", "=", "<", "<=", ">", ">=", "<>", "<=>")
LITERALS: dict[str, tuple[str, ...]] = {
    "INT": ("0", "1", "2", "3", "5", "-1"),
    "BIGINT": ("0L", "1L", "2L", "3L", "9007199254740993L"),
    "DOUBLE": ("0.0D", "1.0D", "0.5D", "-(0.0D)", "1.5D", "CAST('NaN' AS DOUBLE)"),
    "FLOAT": ("CAST(0.0 AS FLOAT)", "CAST(1.0 AS FLOAT)", "CAST(0.5 AS FLOAT)"),
    "STRING": ("''", "'a'", "'b'", "' '", "'a '", "'1'", "'A'", "'ab'"),
    "DATE": ("DATE'2024-01-01'", "DATE'2024-02-29'", "DATE'1970-01-01'"),
    "TIMESTAMP": ("TIMESTAMP'2024-01-01 00:00:00'", "TIMESTAMP'1970-01-01 00:00:00'"),
    "BOOLEAN": ("TRUE", "FALSE"),
}


def is_decimal(type_: str) -> bool:
    """Whether a type is a decimal."""
    return type_.startswith("DECIMAL")


def is_number(type_: str) -> bool:
    """Whether a type is one of numbers."""
    return type_ in WHOLE or type_ in FLOATS or is_decimal(type_)


class Generator:
    """Makes queries; aliases are never used twice."""

    def __init__(self, rng: Random, schema: Schema) -> None:
        self.rng, self.schema, self.number = rng, schema, 0
        self.scanned: dict[str, str] = {}  # tables by alias

    def alias(self, letter: str = "x") -> str:
        """A name not used so far."""
        self.number += 1
        return f"{letter}{self.number}"

    # -- queries -------------------------------------------------------------------------------

    def query(self, depth: int = 2) -> Query:
        """Any query; its columns are named c1, c2, ..."""
        rng = self.rng
        if depth > 0 and rng.random() < 0.12:
            left = self.select(depth - 1)
            right = self.select(depth - 1, types=[t for _, t in columns_of(left)])
            ops = ("UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL")
            return SetQuery(rng.choice((*ops, "INTERSECT ALL")), left, right)
        return self.select(depth)

    def select(self, depth: int, types: Sequence[str] | None = None) -> Select:
        """A SELECT, of the given column types if they are given."""
        rng = self.rng
        source, scope = self.source(depth)
        where = tuple(self.predicate(scope, depth) for _ in range(rng.choice((0, 1, 1, 2))))
        shape = rng.random()
        if shape < 0.35:
            return self.grouped(source, scope, where, types, depth)
        items = [self.scalar(t, scope, depth) for t in types or self._types(scope)]
        if types is None and shape > 0.9:
            items.append(self.window(scope))
        query = Select(_items(items), source, where)
        if shape < 0.5:
            return replace(query, distinct=True)
        if shape < 0.56 and types is None:
            return self._limited(query)
        return query

    def _types(self, scope: Sequence[Expr]) -> list[str]:
        rng = self.rng
        return [rng.choice(scope).type for _ in range(rng.randint(1, 3))]

    def _limited(self, select: Select) -> Select:
        """A limit whose order covers every column, so that ties are equal rows."""
        ways = ("ASC", "DESC", "ASC NULLS LAST", "DESC NULLS FIRST")
        order = tuple(f"{i.name} {self.rng.choice(ways)}" for i in select.items)
        return replace(select, order=order, limit=self.rng.choice((0, 1, 2, 5)))

    def grouped(
        self,
        source: Source,
        scope: Sequence[Expr],
        where: tuple[Expr, ...],
        types: Sequence[str] | None,
        depth: int,
    ) -> Select:
        """Groups, or one group of everything."""
        rng = self.rng
        keys = rng.sample(list(scope), min(len(scope), rng.choice((0, 1, 1, 1, 2))))
        keys = [k if rng.random() < 0.85 else self.scalar(k.type, scope, 0) for k in keys]
        keys = [k for k in keys if any(part.op == "column" for part in _parts(k))]
        items: list[Expr] = []
        for type_ in types or [""] * (len(keys) + rng.choice((0, 1, 1, 2)) or 1):
            if type_ == "" and len(items) < len(keys):
                items.append(keys[len(items)])
            else:
                items.append(self.aggregate(scope, type_, keys))
        having: tuple[Expr, ...] = ()
        if rng.random() < 0.25:
            aggregated = self.aggregate(scope, "", keys)
            having = (
                compared(rng.choice(COMPARISONS), aggregated, self.constant(aggregated.type)),
            )
        grouping = rng.choice(("ROLLUP", "CUBE")) if len(keys) > 1 and rng.random() < 0.08 else ""
        if grouping and any(k.op != "column" for k in keys):
            grouping = ""
        return Select(_items(items), source, where, tuple(keys), having, grouping=grouping)

    # -- sources -------------------------------------------------------------------------------

    def source(self, depth: int) -> tuple[Source, list[Expr]]:
        """What stands in FROM, and the columns it offers."""
        rng = self.rng
        source, scope = self.leaf(depth)
        for _ in range(rng.choice((0, 0, 1, 1, 2)) if depth > 0 else rng.choice((0, 0, 1))):
            right, more = self.leaf(depth - 1)
            kinds = ("INNER", "INNER", "LEFT", "LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI")
            kind = rng.choice((*kinds, "CROSS"))
            on: tuple[Expr, ...] = ()
            if kind != "CROSS":
                on = (self.join_condition(source, scope, right, more),)
                if rng.random() < 0.2:
                    on += (self.predicate([*scope, *more], 0),)
            source = Join(kind, source, right, on)
            scope = scope if kind in ("LEFT SEMI", "LEFT ANTI") else [*scope, *more]
        if rng.random() < 0.04:
            alias, first = self.alias("v"), rng.choice(scope)
            same = [e for e in scope if e.type == first.type]
            source = Exploded(source, (first, rng.choice(same)), alias, "e")
            scope = [*scope, column(f"{alias}.e", first.type)]
        return source, scope

    def leaf(self, depth: int) -> tuple[Source, list[Expr]]:
        """A table or a subquery."""
        rng = self.rng
        if depth > 0 and rng.random() < 0.25:
            query, alias = self.query(depth - 1), self.alias("s")
            scope = [column(f"{alias}.{name}", type_) for name, type_ in columns_of(query)]
            return Derived(query, alias, rng.random() < 0.3), scope
        table = rng.choice(self.schema.tables)
        return self.scan(table.name)

    def scan(self, name: str) -> tuple[Scan, list[Expr]]:
        """A table under a new alias."""
        alias = self.alias()
        table = self.schema.table(name)
        self.scanned[alias] = name
        return Scan(name, alias), [column(f"{alias}.{c.name}", c.type) for c in table.columns]

    def join_condition(
        self, left: Source, scope: Sequence[Expr], right: Source, more: Sequence[Expr]
    ) -> Expr:
        """Columns of both sides that agree; often a foreign key or a key."""
        rng = self.rng
        if isinstance(right, Scan):
            for child, parent in self._links(scope, right):
                if rng.random() < 0.7:
                    pairs = [compared("=", a, b) for a, b in zip(child, parent, strict=True)]
                    condition = pairs[0]
                    for pair in pairs[1:] if rng.random() < 0.9 else []:
                        condition = both(condition, pair)
                    return condition
        mixed = rng.random() < 0.05
        pairs_of = [
            (a, b)
            for a in scope
            for b in more
            if a.type == b.type or (mixed and is_number(a.type) == is_number(b.type))
        ]
        if not pairs_of:
            return self.predicate([*scope, *more], 0)
        op = "=" if rng.random() < 0.8 else rng.choice(COMPARISONS)
        return compared(op, *rng.choice(pairs_of))

    def _links(self, scope: Sequence[Expr], right: Scan) -> list[tuple[list[Expr], list[Expr]]]:
        """References between the tables in scope and a table, both ways."""
        links = []
        other = self.schema.table(right.table)
        for alias in dict.fromkeys(e.text.partition(".")[0] for e in scope):
            if alias not in self.scanned:
                continue
            table = self.schema.table(self.scanned[alias])
            for ref in table.references:
                if ref.parent == other.name:
                    ours, theirs = (
                        (table, alias, ref.columns),
                        (other, right.alias, ref.parent_columns),
                    )
                    links.append((_named(*ours), _named(*theirs)))
            for ref in other.references:
                if ref.parent == table.name:
                    ours, theirs = (
                        (other, right.alias, ref.columns),
                        (table, alias, ref.parent_columns),
                    )
                    links.append((_named(*ours), _named(*theirs)))
            if table.name == other.name and table.keys:
                key = self.rng.choice(table.keys)
                links.append((_named(table, alias, key), _named(other, right.alias, key)))
        return links

    # -- predicates ----------------------------------------------------------------------------

    def predicate(self, scope: Sequence[Expr], depth: int) -> Expr:
        """A condition on columns in scope."""
        rng = self.rng
        kind = rng.random()
        if depth > 0 and kind < 0.15:
            return self.subquery_predicate(scope, depth - 1)
        if depth > 0 and kind < 0.3:
            parts = self.predicate(scope, depth - 1), self.predicate(scope, depth - 1)
            return (both if rng.random() < 0.5 else either)(*parts)
        if kind < 0.37:
            return negated(self.predicate(scope, max(0, depth - 1)))
        expr = rng.choice(scope) if rng.random() < 0.7 else self.scalar("", scope, 1)
        if kind < 0.48:
            return is_null(expr)
        if kind < 0.56 and expr.type != "BOOLEAN":
            low, high = self.constant(expr.type), self.constant(expr.type)
            return call("between", "BOOLEAN", "({0} BETWEEN {1} AND {2})", expr, low, high)
        if kind < 0.64:
            values = [self.constant(expr.type) for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.15:
                values.append(literal("NULL", expr.type))
            places = ", ".join(f"{{{i + 1}}}" for i in range(len(values)))
            return call("in", "BOOLEAN", f"({{0}} IN ({places}))", expr, *values)
        if expr.type == "STRING" and kind < 0.75:
            pattern = literal(rng.choice(("'a%'", "'%b'", "'_'", "'%'", "'a'", "''")), "STRING")
            return call("like", "BOOLEAN", "({0} LIKE {1})", expr, pattern)
        same = [e for e in scope if e.type == expr.type]
        other = rng.choice(same) if same and rng.random() < 0.35 else self.constant(expr.type)
        return compared(rng.choice(COMPARISONS), expr, other)

    def subquery_predicate(self, scope: Sequence[Expr], depth: int) -> Expr:
        """EXISTS, IN, or a comparison with a scalar subquery, correlated or not."""
        rng = self.rng
        source, inner = self.leaf(0)
        pairs = [(a, b) for a in scope for b in inner if a.type == b.type]
        if not pairs:
            return is_null(rng.choice(scope))
        outer, own = rng.choice(pairs)
        where: tuple[Expr, ...] = ()
        if rng.random() < 0.5:
            where += (self.predicate(inner, 0),)
        kind = rng.random()
        if kind < 0.4:
            where += (compared("=" if rng.random() < 0.8 else "<=>", own, outer),)
            query = Select((Item(literal("1", "INT"), "one"),), source, where)
            text = "EXISTS ({q})" if rng.random() < 0.6 else "(NOT EXISTS ({q}))"
            return Expr("exists", "BOOLEAN", text, (), query)
        if kind < 0.8:
            text = "({0} IN ({q}))" if rng.random() < 0.6 else "({0} NOT IN ({q}))"
            query = Select((Item(own, "own"),), source, where, distinct=rng.random() < 0.2)
            return Expr("insub", "BOOLEAN", text, (outer,), query)
        aggregated = self.aggregate(inner, "", ())
        same = [(a, b) for a, b in pairs if rng.random() < 0.5]
        where += tuple(compared("=", b, a) for a, b in same[:1])
        query = Select((Item(aggregated, "one"),), source, where, ())
        scalar = Expr("scalar", aggregated.type, "({q})", (), query)
        mine = [e for e in scope if e.type == aggregated.type]
        return compared(
            rng.choice(COMPARISONS),
            rng.choice(mine) if mine else self.constant(aggregated.type),
            scalar,
        )

    # -- expressions ---------------------------------------------------------------------------

    def constant(self, type_: str) -> Expr:
        """A literal of a type."""
        if is_decimal(type_):
            text = self.rng.choice(("0", "1", "1.5", "0.25", "2"))
            return literal(f"CAST({text} AS {type_})", type_)
        return literal(self.rng.choice(LITERALS[type_]), type_)

    def scalar(self, type_: str, scope: Sequence[Expr], depth: int) -> Expr:
        """An expression of a type, of any if it is empty."""
        rng = self.rng
        type_ = type_ or rng.choice(scope).type
        same = [e for e in scope if e.type == type_]
        if depth <= 0 or rng.random() < 0.6:
            return rng.choice(same) if same and rng.random() < 0.9 else self.constant(type_)
        again = partial(self.scalar, type_, scope, depth - 1)
        general = rng.random()
        if general < 0.12:
            return call("coalesce", type_, "coalesce({0}, {1})", again(), again())
        if general < 0.24:
            condition = self.predicate(scope, 0)
            text = "CASE WHEN {0} THEN {1} ELSE {2} END"
            if rng.random() < 0.3:
                return call("case1", type_, "CASE WHEN {0} THEN {1} END", condition, again())
            return call("case", type_, text, condition, again(), again())
        if general < 0.28:
            return call("nullif", type_, "nullif({0}, {1})", again(), again())
        if general < 0.32 and type_ != "BOOLEAN":
            name = rng.choice(("greatest", "least"))
            return call(name, type_, name + "({0}, {1})", again(), again())
        return self._typed(type_, scope, depth, again)

    def _typed(
        self, type_: str, scope: Sequence[Expr], depth: int, again: Callable[[], Expr]
    ) -> Expr:
        """An expression by a function of its type."""
        rng = self.rng
        texts = [e for e in scope if e.type == "STRING"]
        moments = [e for e in scope if e.type in ("DATE", "TIMESTAMP")]
        if type_ in WHOLE or type_ in FLOATS:
            if type_ == "INT" and texts and rng.random() < 0.2:
                return call("length", "INT", "length({0})", rng.choice(texts))
            if type_ == "INT" and moments and rng.random() < 0.4:
                part = rng.choice(("year", "month", "day", "quarter", "dayofweek"))
                return call(part, "INT", part + "({0})", rng.choice(moments))
            if rng.random() < 0.15:
                others = [e for e in scope if is_number(e.type) and e.type != type_]
                if others:
                    return call("cast", type_, f"CAST({{0}} AS {type_})", rng.choice(others))
            if rng.random() < 0.15:
                name = rng.choice(("abs", "negative"))
                return call(name, type_, name + "({0})", again())
            if type_ == "BIGINT" and rng.random() < 0.15:
                return call("div", type_, "({0} div {1})", again(), self.constant(type_))
            if type_ == "DOUBLE" and rng.random() < 0.2:
                return call("/", type_, "({0} / {1})", again(), again())
            if type_ in WHOLE and rng.random() < 0.15:
                return call("%", type_, "({0} % {1})", again(), literal("3", type_))
            op = rng.choice(("+", "-", "*"))
            return call(op, type_, f"({{0}} {op} {{1}})", again(), again())
        if is_decimal(type_):
            op = rng.choice(("+", "-", "*"))
            return call("cast", type_, f"CAST(({{0}} {op} {{1}}) AS {type_})", again(), again())
        if type_ == "STRING":
            return self._text(scope, again)
        if type_ == "DATE":
            days = literal(rng.choice(("1", "-1", "30")), "INT")
            ways = ("date_add({0}, {1})", "date_sub({0}, {1})", "add_months({0}, {1})")
            return call("date", type_, rng.choice(ways), again(), days)
        if type_ == "TIMESTAMP":
            ways = (
                "date_trunc('MONTH', {0})",
                "({0} + INTERVAL '1' DAY)",
                "date_trunc('DAY', {0})",
            )
            return call("moment", type_, rng.choice(ways), again())
        return self.predicate(scope, depth - 1)

    def _text(self, scope: Sequence[Expr], again: Callable[[], Expr]) -> Expr:
        rng = self.rng
        name = rng.choice(
            ("upper", "lower", "trim", "rtrim", "ltrim", "concat", "substring", "cast")
        )
        if name == "concat":
            return call("concat", "STRING", "concat({0}, {1})", again(), again())
        if name == "substring":
            start, length = rng.choice(("1", "2", "0", "-1")), rng.choice(("0", "1", "2"))
            return call("substring", "STRING", f"substring({{0}}, {start}, {length})", again())
        if name == "cast":
            other = rng.choice(scope)
            return call("cast", "STRING", "CAST({0} AS STRING)", other)
        return call(name, "STRING", name + "({0})", again())

    def aggregate(self, scope: Sequence[Expr], type_: str, keys: Sequence[Expr]) -> Expr:
        """An aggregate, of a type if one is given."""
        rng = self.rng
        if type_:
            matching = [k for k in keys if k.type == type_]
            if matching and rng.random() < 0.6:
                return rng.choice(matching)
            arg = self.scalar(type_, scope, 1)
            name = rng.choice(("max", "min"))
            return call(f"agg:{name}", type_, name + "({0})", arg)
        arg = rng.choice(scope) if rng.random() < 0.7 else self.scalar("", scope, 1)
        kind = rng.random()
        if kind < 0.15:
            return call("agg:count*", "BIGINT", "count(*)")
        if kind < 0.3:
            return call("agg:count", "BIGINT", "count({0})", arg)
        if kind < 0.38:
            return call("agg:countd", "BIGINT", "count(DISTINCT {0})", arg)
        if kind < 0.45:
            condition = self.predicate(scope, 0)
            return call("agg:countf", "BIGINT", "count({0}) FILTER (WHERE {1})", arg, condition)
        if is_number(arg.type) and kind < 0.75:
            return _sum(arg, rng.choice(("sum", "sum", "avg", "sumd")))
        if arg.type == "BOOLEAN" and kind < 0.75:
            name = rng.choice(("bool_or", "bool_and", "every"))
            return call(f"agg:{name}", "BOOLEAN", name + "({0})", arg)
        name = rng.choice(("max", "min"))
        return call(f"agg:{name}", arg.type, name + "({0})", arg)

    def window(self, scope: Sequence[Expr]) -> Expr:
        """A window function whose value does not depend on how ties are broken."""
        rng = self.rng
        part, order = rng.choice(scope), rng.choice(scope)
        way = rng.choice(("", " DESC", " NULLS LAST"))
        over = f"OVER (PARTITION BY {{0}} ORDER BY {{1}}{way})"
        kind = rng.random()
        if kind < 0.4:
            name = rng.choice(("rank", "dense_rank"))
            return call(f"window:{name}", "INT", f"{name}() {over}", part, order)
        arg = rng.choice(scope)
        if kind < 0.7:
            name = rng.choice(("max", "min"))
            return call(f"window:{name}", arg.type, f"{name}({{2}}) {over}", part, order, arg)
        if kind < 0.85:
            text = "count({2}) OVER (PARTITION BY {0})"
            return call("window:count", "BIGINT", text, part, order, arg)
        every = ", ".join(f"{{{i + 1}}}" for i in range(len(scope)))
        text = f"row_number() OVER (PARTITION BY {{0}} ORDER BY {every})"
        return call("window:row_number", "INT", text, part, *scope)


def _named(table: Table, alias: str, names: Sequence[str]) -> list[Expr]:
    """Columns of a table under an alias."""
    return [column(f"{alias}.{n}", table.column(n).type) for n in names]


def _parts(expr: Expr) -> list[Expr]:
    return [expr, *(part for arg in expr.args for part in _parts(arg))]


def _items(exprs: Sequence[Expr]) -> tuple[Item, ...]:
    return tuple(Item(e, f"c{i + 1}") for i, e in enumerate(exprs))


def _sum(arg: Expr, name: str) -> Expr:
    """A sum or average with the type Spark gives it."""
    if name == "avg":
        type_ = "DOUBLE"
        if is_decimal(arg.type):
            precision, scale = map(int, arg.type[8:-1].split(","))
            type_ = f"DECIMAL({min(38, precision + 4)},{min(scale + 4, 38)})"
        return call("agg:avg", type_, "avg({0})", arg)
    type_ = "BIGINT" if arg.type in WHOLE else "DOUBLE"
    if is_decimal(arg.type):
        precision, scale = map(int, arg.type[8:-1].split(","))
        type_ = f"DECIMAL({min(38, precision + 10)},{scale})"
    text = "sum(DISTINCT {0})" if name == "sumd" else "sum({0})"
    return call("agg:sumd" if name == "sumd" else "agg:sum", type_, text, arg)
