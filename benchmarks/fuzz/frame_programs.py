"""Random DataFrame programs as Python source: one function, five to fifteen calls over declared tables.

Types are kept track of, so that Spark accepts most programs. Columns are named in all the ways
people name them; frames are joined with others of the same parent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from benchmarks.fuzz.column_expressions import (
    ARRAY,
    BOOL,
    DATE,
    DECIMAL,
    FRACTION,
    INTEGRAL,
    PLAIN,
    TEXT,
    Expressions,
    Tree,
    column,
    kind_of,
)
from veer.read.sql import read_schema

HEAD = """from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col

"""
ATTRIBUTES = frozenset({"count", "sample", "replace", "value", "name", "first", "schema", "at"})
GROUPED_KINDS = (INTEGRAL, TEXT, BOOL, DATE)


@dataclass
class Frame:
    """A variable that holds a DataFrame, and what is known of its columns."""

    name: str
    columns: dict[str, str]  # kinds by name
    same: dict[str, list[str]] = field(default_factory=dict)  # frames that had the same column
    alias: str = ""
    hidden: bool = False  # whether it has columns whose names are not known, or twice
    tables: frozenset[str] = frozenset()
    parent: Frame | None = None

    def of_kind(self, *kinds: str) -> list[str]:
        """The columns of these kinds."""
        return [n for n, k in self.columns.items() if k in kinds]


class Writer:
    """Writes one program."""

    def __init__(self, rng: Random, tables: Mapping[str, Mapping[str, str]]) -> None:
        self.rng, self.tables = rng, tables
        self.lines: list[str] = []
        self.numbered = 0
        self.frames: list[Frame] = []

    def write(self, name: str) -> str:
        """The source of a function of this name."""
        current = self.table()
        for _ in range(self.rng.randint(4, 12)):
            made = self.rng.choices(*zip(*STEPS, strict=True))[0](self, current)
            if made is not None and made.columns:
                self.frames.append(made)
                current = made
        body = "\n".join(f"    {line}" for line in self.lines)
        return f"def {name}(spark):\n{body}\n    return {current.name}\n"

    # -- parts ---------------------------------------------------------------------------------

    def fresh(self, stem: str) -> str:
        """A name that is not used yet."""
        self.numbered += 1
        return f"{stem}{self.numbered}"

    def table(self) -> Frame:
        """A variable for a table."""
        table = self.rng.choice(list(self.tables))
        name = self.fresh("df")
        way = self.rng.choice(
            (
                f'spark.table("{table}")',
                f'spark.table("{table}")',
                f'spark.sql("SELECT * FROM {table}")',
            )
        )
        self.lines.append(f"{name} = {way}")
        columns = dict(self.tables[table])
        frame = Frame(name, columns, {c: [] for c in columns}, tables=frozenset({table}))
        self.frames.append(frame)
        return frame

    def made(self, frame: Frame, call: str, columns: Mapping[str, str] | None = None) -> Frame:
        """The frame a call gives; columns that it keeps are those of its ancestors too."""
        name = self.fresh("df")
        self.lines.append(f"{name} = {frame.name}{call}")
        kept = dict(frame.columns if columns is None else columns)
        same = {c: [*frame.same[c], frame.name] for c in kept if c in frame.same}
        return Frame(name, kept, same, frame.alias, frame.hidden, frame.tables, frame)

    def replaced(self, made: Frame, *names: str) -> Frame:
        """A frame some of whose columns are new."""
        for name in names:
            made.same[name] = []
        return made

    def reference(self, frame: Frame) -> Callable[[str], str]:
        """How the columns of a frame are named, one way after the other."""

        def named(name: str) -> str:
            ways = [f'F.col("{name}")', f'col("{name}")', f'{frame.name}["{name}"]']
            if name.isidentifier() and name not in ATTRIBUTES:
                ways.append(f"{frame.name}.{name}")
            if frame.alias:
                ways.append(f'col("{frame.alias}.{name}")')
            if frame.same.get(name):
                ways.append(f'{self.rng.choice(frame.same[name])}["{name}"]')
            if self.rng.random() < 0.03:
                ways = [f'F.col("{name.upper()}")']
            return self.rng.choice(ways)

        return named

    def python(self, frame: Frame, tree: Tree) -> str:
        """A tree as a Column of a frame; sometimes as SQL text."""
        if not tree.column and self.rng.random() < 0.15:
            return f"F.expr({tree.to_sql()!r})"
        return tree.to_python(self.reference(frame))

    def expressions(self, frame: Frame) -> Expressions:
        """Expressions over a frame."""
        return Expressions(self.rng, frame.columns)

    def few(self, names: list[str], most: int) -> list[str]:
        """Some of the names."""
        return self.rng.sample(names, min(len(names), self.rng.randint(1, most)))

    def keys(self, frame: Frame, names: list[str]) -> str:
        """Columns as the arguments of a call."""
        reference = self.reference(frame)
        return ", ".join(f'"{n}"' if self.rng.random() < 0.6 else reference(n) for n in names)

    # -- rows ----------------------------------------------------------------------------------

    def filter(self, frame: Frame) -> Frame | None:
        """Keep some rows."""
        tree = self.expressions(frame).of_kind(BOOL)
        if tree is None:
            return None
        call = self.rng.choice(("filter", "where"))
        if self.rng.random() < 0.35:
            return self.made(frame, f".{call}({tree.to_sql()!r})")
        return self.made(frame, f".{call}({self.python(frame, tree)})")

    def beyond(self, frame: Frame) -> Frame | None:
        """Rows filtered or sorted by a column that only the parent had."""
        if frame.parent is None:
            return None
        gone = [c for c in frame.parent.of_kind(INTEGRAL) if c not in frame.columns]
        if not gone:
            return None
        name = self.rng.choice(gone)
        named = self.rng.choice((f'F.col("{name}")', f'{frame.parent.name}["{name}"]'))
        call = self.rng.choice((".filter({} > 1)", ".where({}.isNull())", ".orderBy({}.desc())"))
        return self.made(frame, call.format(named))

    def distinct(self, frame: Frame) -> Frame | None:
        """No row twice."""
        names = frame.of_kind(*GROUPED_KINDS)
        if names and self.rng.random() < 0.5:
            return self.made(frame, f".dropDuplicates({self.few(names, 2)!r})")
        if set(frame.columns.values()) <= set(PLAIN) and not frame.hidden:
            return self.made(frame, ".distinct()")
        return None

    def order(self, frame: Frame) -> Frame | None:
        """Sorted, and the first rows."""
        names = self.few(frame.of_kind(*PLAIN), 2)
        if not names:
            return None
        reference = self.reference(frame)
        keys = []
        for name in names:
            way = self.rng.choice(("{0}", "{1}.desc()", "{1}.asc_nulls_last()", "F.desc({0})"))
            keys.append(way.format(f'"{name}"', reference(name)))
        tail = self.rng.choice(("", "", f".limit({self.rng.randint(0, 5)})", ".offset(1)"))
        return self.made(frame, f".{self.rng.choice(('orderBy', 'sort'))}({', '.join(keys)}){tail}")

    def union(self, frame: Frame) -> Frame | None:
        """With the rows of a frame that has the same columns, or some of them."""
        if frame.hidden:
            return None
        others = [f for f in self.frames if f.columns == frame.columns and not f.hidden]
        names = list(frame.columns)
        if others and self.rng.random() < 0.6:
            other = self.rng.choice(others).name
            call = self.rng.choice(("union", "unionAll", "unionByName", "unionByName"))
            made = self.made(frame, f".{call}({other})")
        else:
            kept = self.few(names, 4)
            call = f".unionByName({frame.name}.select({self.keys(frame, kept)}), allowMissingColumns=True)"
            made = self.made(frame, call)
        return self.replaced(made, *names)

    def sets(self, frame: Frame) -> Frame | None:
        """Intersection or difference with rows of the same frame."""
        if frame.hidden or not set(frame.columns.values()) <= set(PLAIN):
            return None
        tree = self.expressions(frame).of_kind(BOOL, 1)
        call = self.rng.choice(("intersect", "subtract", "exceptAll", "intersectAll"))
        where = f".filter({tree.to_sql()!r})" if tree else ""
        made = self.made(frame, f".{call}({frame.name}{where})")
        return self.replaced(made, *frame.columns)

    def nulls(self, frame: Frame) -> Frame | None:
        """Nulls filled, dropped or values replaced."""
        numbers, texts = frame.of_kind(INTEGRAL, FRACTION), frame.of_kind(TEXT)
        ways = [".dropna()"] if set(frame.columns.values()) <= set(PLAIN) else []
        if numbers:
            name = self.rng.choice(numbers)
            ways += [
                ".fillna(0)",
                f'.fillna(0, subset=["{name}"])',
                f'.na.fill({{"{name}": 1}})',
                f'.dropna(subset=["{name}"])',
                f'.replace(1, 2, subset=["{name}"])',
            ]
        if texts:
            name = self.rng.choice(texts)
            ways += [
                f'.fillna("?", subset=["{name}"])',
                f'.replace({{"a": "b"}}, subset=["{name}"])',
                f'.na.replace("", None, "{name}")',
                f'.dropna(how="all", subset={self.few(texts, 2)!r})',
            ]
        if not ways or frame.hidden:
            return None
        made = self.made(frame, self.rng.choice(ways))
        return self.replaced(made, *frame.columns)

    # -- columns -------------------------------------------------------------------------------

    def select(self, frame: Frame) -> Frame | None:
        """Some columns and expressions, with and without names."""
        made: dict[str, str] = {}
        items, hidden = [], False
        for name in self.few(list(frame.columns), 4):
            items.append(f'"{name}"' if self.rng.random() < 0.6 else self.reference(frame)(name))
            made[name] = frame.columns[name]
        for _ in range(self.rng.randint(0, 2)):
            kind, tree = self.expressions(frame).any()
            if self.rng.random() < 0.7 or tree.column:
                name = self.fresh("c")
                items.append(f'{self.python(frame, tree)}.alias("{name}")')
                made[name] = kind
            else:
                items.append(self.python(frame, tree))
                hidden = True
        if self.rng.random() < 0.12:
            items.insert(0, '"*"')
            made = {**frame.columns, **made}
            hidden = True
        self.rng.shuffle(items)
        shown = f"[{', '.join(items)}]" if self.rng.random() < 0.2 else ", ".join(items)
        found = self.made(frame, f".select({shown})", made)
        found.hidden = found.hidden or hidden
        return self.without_twice(found, items)

    def without_twice(self, frame: Frame, items: list[str]) -> Frame:
        """After `select("*", "x")` the name x is there twice."""
        if '"*"' in items:
            twice = [
                c for c in frame.columns if any(f'"{c}"' in i or i.endswith(f".{c}") for i in items)
            ]
            for name in twice:
                del frame.columns[name]
        return frame

    def select_text(self, frame: Frame) -> Frame | None:
        """Columns by SQL text."""
        made: dict[str, str] = {}
        items = []
        for name in self.few(list(frame.columns), 3):
            items.append(column(name).sql)
            made[name] = frame.columns[name]
        for _ in range(self.rng.randint(1, 2)):
            kind, tree = self.expressions(frame).any()
            name = self.fresh("c")
            items.append(f"{tree.to_sql()} AS {name}")
            made[name] = kind
        return self.made(frame, f".selectExpr({', '.join(map(repr, items))})", made)

    def with_column(self, frame: Frame) -> Frame | None:
        """A column more, or another in its place."""
        kind, tree = self.expressions(frame).any((*PLAIN, ARRAY))
        name = self.rng.choice(list(frame.columns)) if self.rng.random() < 0.3 else self.fresh("c")
        call = f'.withColumn("{name}", {self.python(frame, tree)})'
        return self.replaced(self.made(frame, call, {**frame.columns, name: kind}), name)

    def with_columns(self, frame: Frame) -> Frame | None:
        """Several columns at once."""
        made, items = dict(frame.columns), []
        names = [self.fresh("c") for _ in range(2)]
        for name in names:
            made[name], tree = self.expressions(frame).any()
            items.append(f'"{name}": {self.python(frame, tree)}')
        call = f".withColumns({{{', '.join(items)}}})"
        return self.replaced(self.made(frame, call, made), *names)

    def rename(self, frame: Frame) -> Frame | None:
        """Other names."""
        names = self.few(list(frame.columns), 2)
        new = {name: self.fresh("r") for name in names}
        if len(new) == 1:
            (old,) = new
            call = f'.withColumnRenamed("{old}", "{new[old]}")'
        else:
            call = f".withColumnsRenamed({new!r})"
        columns = {new.get(c, c): k for c, k in frame.columns.items()}
        return self.replaced(self.made(frame, call, columns), *new.values())

    def all_renamed(self, frame: Frame) -> Frame | None:
        """Other names for all columns."""
        if frame.hidden:
            return None
        names = [self.fresh("t") for _ in frame.columns]
        columns = dict(zip(names, frame.columns.values(), strict=True))
        made = self.made(frame, f".toDF({', '.join(map(repr, names))})", columns)
        return self.replaced(made, *names)

    def drop(self, frame: Frame) -> Frame | None:
        """Fewer columns."""
        if len(frame.columns) < 2:
            return None
        names = self.few(list(frame.columns), 2)
        columns = {c: k for c, k in frame.columns.items() if c not in names}
        if not columns:
            return None
        if self.rng.random() < 0.6:
            return self.made(frame, f".drop({', '.join(map(repr, names))})", columns)
        reference = self.reference(frame)
        return self.made(frame, f".drop({', '.join(reference(n) for n in names)})", columns)

    def alias(self, frame: Frame) -> Frame | None:
        """The frame under a name for its columns."""
        name = self.fresh("a")
        made = self.made(frame, f'.alias("{name}")')
        made.alias = name
        return made

    def nothing(self, frame: Frame) -> Frame | None:
        """What changes no row."""
        calls = (
            ".cache()",
            ".repartition(2)",
            ".coalesce(1)",
            '.hint("broadcast")',
            ".transform(lambda d: d)",
            f'.select("{frame.alias}.*")' if frame.alias and not frame.hidden else '.select("*")',
            f'.select({frame.name}["*"])' if not frame.hidden else ".persist()",
        )
        return self.made(frame, self.rng.choice(calls))

    def view(self, frame: Frame) -> Frame | None:
        """SQL over a view of the frame."""
        name = self.fresh("v")
        self.lines.append(f'{frame.name}.createOrReplaceTempView("{name}")')
        shown, columns = "*", dict(frame.columns)
        if self.rng.random() < 0.6 or frame.hidden:
            kept = self.few(list(frame.columns), 4)
            kind, tree = self.expressions(frame).any()
            extra = self.fresh("c")
            shown = ", ".join([*(column(c).sql for c in kept), f"{tree.to_sql()} AS {extra}"])
            columns = {**{c: frame.columns[c] for c in kept}, extra: kind}
        tree = self.expressions(frame).of_kind(BOOL, 1) or Tree("", "TRUE")
        made = self.fresh("df")
        text = f"SELECT {shown} FROM {name} WHERE {tree.to_sql()}"
        self.lines.append(f"{made} = spark.sql({text!r})")
        return Frame(made, columns, {c: [] for c in columns}, "", False, frame.tables)

    # -- groups and windows --------------------------------------------------------------------

    def group(self, frame: Frame) -> Frame | None:
        """Groups and their aggregates."""
        keys = self.few(frame.of_kind(*GROUPED_KINDS), 2)
        if not keys:
            return None
        columns = {k: frame.columns[k] for k in keys}
        how = self.rng.choices(("groupBy", "groupby", "rollup", "cube"), (8, 1, 1, 1))[0]
        call = f".{how}({self.keys(frame, keys)})"
        if self.rng.random() < 0.12:
            made = self.made(frame, f"{call}.count()", {**columns, "count": INTEGRAL})
        else:
            items, hidden = [], False
            for _ in range(self.rng.randint(1, 3)):
                kind, tree = self.expressions(frame).aggregate()
                if self.rng.random() < 0.75:
                    name = self.fresh("g")
                    items.append(f'{self.python(frame, tree)}.alias("{name}")')
                    columns[name] = kind
                else:
                    items.append(self.python(frame, tree))
                    hidden = True
            made = self.made(frame, f"{call}.agg({', '.join(items)})", columns)
            made.hidden = hidden
        made.alias = ""
        return self.replaced(
            made, *(columns if how in ("rollup", "cube") else set(columns) - set(keys))
        )

    def whole(self, frame: Frame) -> Frame | None:
        """One group of all rows."""
        columns, items = {}, []
        for _ in range(self.rng.randint(1, 3)):
            name = self.fresh("g")
            columns[name], tree = self.expressions(frame).aggregate()
            items.append(f'{self.python(frame, tree)}.alias("{name}")')
        call = self.rng.choice((".agg({})", ".select({})", ".groupBy().agg({})"))
        made = self.made(frame, call.format(", ".join(items)), columns)
        made.alias, made.hidden = "", False
        return self.replaced(made, *columns)

    def pivot(self, frame: Frame) -> Frame | None:
        """A column for each value."""
        texts, keys = frame.of_kind(TEXT), frame.of_kind(INTEGRAL, DATE)
        numbers = frame.of_kind(INTEGRAL, DECIMAL)
        if not texts or not keys or not numbers:
            return None
        key, number = self.rng.choice(keys), self.rng.choice(numbers)
        call = (
            f'.groupBy("{key}").pivot("{self.rng.choice(texts)}", ["a", "b"])'
            f'.agg(F.{self.rng.choice(("sum", "max"))}("{number}"))'
        )
        kind = frame.columns[number]
        made = self.made(frame, call, {key: frame.columns[key], "a": kind, "b": kind})
        made.alias, made.hidden = "", False
        return self.replaced(made, "a", "b")

    def window(self, frame: Frame) -> Frame | None:
        """A column of a window."""
        keys, order = frame.of_kind(*GROUPED_KINDS), frame.of_kind(*PLAIN)
        if not order:
            return None
        name, reference = self.fresh("w"), self.reference(frame)
        sorting = ", ".join(
            self.rng.choice((f'"{c}"', f"{reference(c)}.desc()", f'F.asc("{c}")'))
            for c in self.few(order, 2)
        )
        spec = f"Window.partitionBy({self.keys(frame, self.few(keys, 2)) if keys else ''})"
        ranked = self.rng.random() < 0.5
        kind, over = self.ranking(frame, order) if ranked else self.summed(frame)
        frames = ("", "", ".rowsBetween(-1, 1)", ".rowsBetween(Window.unboundedPreceding, 0)")
        rows = "" if ranked else self.rng.choice(frames)
        if ranked or rows or self.rng.random() < 0.6:
            spec += f".orderBy({sorting}){rows}"
        new = self.fresh("c")
        self.lines.append(f"{name} = {spec}")
        call = f'.withColumn("{new}", {over}.over({name}))'
        return self.replaced(self.made(frame, call, {**frame.columns, new: kind}), new)

    def ranking(self, frame: Frame, order: list[str]) -> tuple[str, str]:
        """A function of the place of a row."""
        name = self.rng.choice(order)
        kind = frame.columns[name]
        return self.rng.choice(
            (
                (INTEGRAL, "F.row_number()"),
                (INTEGRAL, "F.rank()"),
                (INTEGRAL, "F.dense_rank()"),
                (INTEGRAL, "F.ntile(2)"),
                (kind, f'F.lag("{name}")'),
                (kind, f'F.lead("{name}", 2)'),
            )
        )

    def summed(self, frame: Frame) -> tuple[str, str]:
        """An aggregate over a frame of rows."""
        numbers = frame.of_kind(INTEGRAL, FRACTION, DECIMAL)
        if not numbers:
            return INTEGRAL, 'F.count("*")'
        name = self.rng.choice(numbers)
        call = self.rng.choice(("sum", "max", "min", "count"))
        return (INTEGRAL if call == "count" else frame.columns[name]), f'F.{call}("{name}")'

    # -- more rows -----------------------------------------------------------------------------

    def explode(self, frame: Frame) -> Frame | None:
        """A row for each item of an array."""
        tree = self.expressions(frame).of_kind(ARRAY, 1)
        if tree is None:
            return None
        name = self.fresh("e")
        call = self.rng.choice(("explode", "explode_outer"))
        item = f"F.{call}({self.python(frame, tree)})"
        columns = {**frame.columns, name: TEXT}
        if self.rng.random() < 0.5:
            return self.replaced(self.made(frame, f'.withColumn("{name}", {item})', columns), name)
        kept = self.few(list(frame.columns), 3)
        columns = {**{c: frame.columns[c] for c in kept}, name: TEXT}
        call = f'.select({self.keys(frame, kept)}, {item}.alias("{name}"))'
        made = self.replaced(self.made(frame, call, columns), name)
        made.hidden = False
        return made

    def unpivot(self, frame: Frame) -> Frame | None:
        """A row for each of some columns."""
        keys, numbers = frame.of_kind(TEXT, DATE), frame.of_kind(INTEGRAL)
        if not keys or len(numbers) < 2:
            return None
        key, values = self.rng.choice(keys), self.rng.sample(numbers, 2)
        name, value = self.fresh("k"), self.fresh("u")
        call = f'.unpivot("{key}", {values!r}, "{name}", "{value}")'
        columns = {key: frame.columns[key], name: TEXT, value: INTEGRAL}
        made = self.made(frame, call, columns)
        made.hidden = False
        return self.replaced(made, *columns)

    def join(self, frame: Frame) -> Frame | None:
        """With another table or an earlier frame, by names, a condition or aliases."""
        other = self.table() if self.rng.random() < 0.5 else self.rng.choice(self.frames)
        if (frame.tables & other.tables and self.rng.random() < 0.9) or self.rng.random() < 0.5:
            return self.join_using(frame, other) or self.join_aliases(frame, other)
        return self.join_condition(frame, other)

    def join_using(self, frame: Frame, other: Frame) -> Frame | None:
        """By names both have; the rest of the other gets other names."""
        if frame.hidden or other.hidden:
            return None
        both = [c for c, k in other.columns.items() if frame.columns.get(c) == k in GROUPED_KINDS]
        if not both:
            return None
        keys = self.few(both, 2)
        rest = self.few([c for c in other.columns if c not in keys] or keys, 3)
        new = {c: self.fresh("j") for c in rest if c not in keys}
        picked = [
            *(f'"{k}"' for k in keys),
            *(f'F.col("{c}").alias("{n}")' for c, n in new.items()),
        ]
        how = self.how()
        on = f'"{keys[0]}"' if len(keys) == 1 and self.rng.random() < 0.7 else repr(keys)
        side = f"{other.name}.select({', '.join(picked)})"
        call = f'.join({side}, {on}, "{how}")'
        columns = {k: frame.columns[k] for k in keys}
        columns |= frame.columns
        if how not in ("left_semi", "left_anti"):
            columns |= {n: other.columns[c] for c, n in new.items()}
        made = self.made(frame, call, columns)
        made.tables = frame.tables | other.tables
        return self.replaced(made, *(keys if how in ("right", "full") else ()), *new.values())

    def join_condition(self, frame: Frame, other: Frame) -> Frame | None:
        """By a condition on columns of the two frames."""
        pairs = [
            (a, b)
            for a, k in frame.columns.items()
            for b, m in other.columns.items()
            if k == m and k in GROUPED_KINDS
        ]
        if not pairs or frame.hidden or other.hidden:
            return None
        a, b = self.rng.choice(pairs)
        how = self.how()
        condition = f'{frame.name}["{a}"] == {other.name}["{b}"]'
        if self.rng.random() < 0.3:
            c, d = self.rng.choice(pairs)
            condition = f'({condition}) & ({frame.name}["{c}"] <= {other.name}["{d}"])'
        call = f'.join({other.name}, {condition}, "{how}")'
        if how in ("left_semi", "left_anti"):
            return self.made(frame, call)
        made = self.made(frame, call, {**frame.columns, **other.columns})
        twice = set(frame.columns) & set(other.columns)
        made.same |= {c: [*other.same.get(c, []), other.name] for c in other.columns}
        made.tables = frame.tables | other.tables
        return self.settled(made, frame, other, sorted(twice))

    def settled(self, made: Frame, frame: Frame, other: Frame, twice: list[str]) -> Frame:
        """Names that both sides have are told apart, dropped, or not used any more."""
        if not twice:
            return made
        way = self.rng.random()
        if way < 0.35:
            dropped = self.made(made, "".join(f'.drop({other.name}["{c}"])' for c in twice))
            dropped.same |= {c: [frame.name] for c in twice}
            return dropped
        if way < 0.7:
            new = {c: self.fresh("s") for c in twice}
            items = [f'{frame.name}["{c}"]' for c in frame.columns]
            items += [f'{other.name}["{c}"].alias("{n}")' for c, n in new.items()]
            columns = {**frame.columns, **{n: other.columns[c] for c, n in new.items()}}
            picked = self.made(made, f".select({', '.join(items)})", columns)
            picked.same |= {c: [frame.name] for c in frame.columns}
            return self.replaced(picked, *new.values())
        made.columns = {c: k for c, k in made.columns.items() if c not in twice}
        made.hidden = True
        return made

    def join_aliases(self, frame: Frame, other: Frame) -> Frame | None:
        """By aliases, as frames of one parent are joined."""
        pairs = [
            (a, b)
            for a, k in frame.columns.items()
            for b, m in other.columns.items()
            if k == m and k in GROUPED_KINDS
        ]
        if not pairs:
            return None
        a, b = self.rng.choice(pairs)
        left, right = self.fresh("l"), self.fresh("r")
        how = self.rng.choice(("inner", "left", "right", "full"))
        condition = self.rng.choice(
            (
                f'F.col("{left}.{a}") == F.col("{right}.{b}")',
                f'F.expr("{left}.{a} = {right}.{b}")',
                f'col("{left}.{a}").eqNullSafe(col("{right}.{b}"))',
            )
        )
        new = {c: self.fresh("s") for c in self.few(list(other.columns), 2)}
        kept = self.few(list(frame.columns), 3)
        items = [f'"{left}.{c}"' for c in kept]
        items += [f'col("{right}.{c}").alias("{n}")' for c, n in new.items()]
        call = (
            f'.alias("{left}").join({other.name}.alias("{right}"), {condition}, "{how}")'
            f".select({', '.join(items)})"
        )
        columns = {c: frame.columns[c] for c in kept} | {
            n: other.columns[c] for c, n in new.items()
        }
        made = self.made(frame, call, columns)
        made.hidden, made.alias = False, ""
        made.tables = frame.tables | other.tables
        return self.replaced(made, *columns)

    def how(self) -> str:
        """A kind of join."""
        kinds = ("inner", "left", "right", "full", "left_semi", "left_anti")
        return self.rng.choices(kinds, (5, 5, 2, 2, 1, 1))[0]


STEPS: tuple[tuple[Callable[[Writer, Frame], Frame | None], int], ...] = (
    (Writer.filter, 9),
    (Writer.beyond, 2),
    (Writer.select, 9),
    (Writer.with_column, 10),
    (Writer.with_columns, 3),
    (Writer.select_text, 3),
    (Writer.rename, 4),
    (Writer.all_renamed, 1),
    (Writer.drop, 4),
    (Writer.alias, 3),
    (Writer.nothing, 2),
    (Writer.view, 3),
    (Writer.join, 9),
    (Writer.group, 7),
    (Writer.whole, 1),
    (Writer.pivot, 1),
    (Writer.window, 5),
    (Writer.union, 4),
    (Writer.sets, 1),
    (Writer.distinct, 3),
    (Writer.order, 4),
    (Writer.nulls, 4),
    (Writer.explode, 3),
    (Writer.unpivot, 1),
)  # fmt: skip


def columns_of_tables(schema: str) -> dict[str, dict[str, str]]:
    """The kinds of the columns of declared tables."""
    return {
        name: {f.name: kind_of(str(f.type)) for f in source.fields}
        for name, source in read_schema(schema).items()
    }


def frame_program(seed: str, tables: Mapping[str, Mapping[str, str]], name: str = "build") -> str:
    """The source of a random function of a session that gives a DataFrame."""
    return Writer(Random(seed), tables).write(name)


def frame_module(seed: int, first: int, count: int, schema: str) -> str:
    """The source of a module of random functions `program_N`."""
    tables = columns_of_tables(schema)
    functions = (
        frame_program(f"frame programs {seed} {n}", tables, f"program_{n}")
        for n in range(first, first + count)
    )
    return HEAD + "".join(f"\n{function}\n" for function in functions)
