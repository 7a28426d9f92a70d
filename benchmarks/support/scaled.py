"""Large Parquet tables for the sources of a workload: columns made as arrays, a million rows at once.

Values are those of `workloads.data`, where versions compare them with constants, among others
around them: a filter of the base versions keeps 5 to 60 percent of its rows. Keys, foreign keys
and NOT NULL hold by construction: a key is the number of a row, or a function of it, so that
other tables can name it without looking.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.workloads.data import NULLS, POINTS_TO, RETURNS, SALES, VALUES
from benchmarks.workloads.definitions import flows
from veer.ir.ops import Source
from veer.ir.schema import Field
from veer.ir.types import ArrayType, DataType, DateType, DecimalType, StringType
from veer.read.workflow.reader import build_workflow

Numbers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]
PART = 1_000_000  # rows of a file
SPREAD = 2_654_435_761  # multiplies row numbers to mix them (Knuth)
FIRST_DAY = 2_450_815  # the first d_date_sk, large as in TPC-DS
# Rows of tables that others refer to: a part of the facts, but so many at least and at most.
SIZES: Mapping[str, tuple[int, int, int]] = {
    "warehouse": (1000, 6, 20),
    "date_dim": (1, 306, 306),
    "time_dim": (1, 1440, 1440),
    "item": (200, 50, 100_000),
    "customer": (20, 50, 5_000_000),
    "customer_address": (40, 50, 2_500_000),
    "customer_demographics": (20, 50, 1_900_000),
    "catalog_returns": (10, 20, 100_000_000),
    "title_basics": (4, 20, 10_000_000),
    "users": (10, 20, 100_000_000),
}


def write_tables(workload: str, folder: Path, rows: int, seed: int = 0) -> None:
    """Write `folder/<table>/part-*.parquet` for every table; `rows` of facts, fewer of others."""
    tables = sources(workload)
    counts = {table: _count(table, rows) for table in tables}
    for table, source in tables.items():
        (folder / table).mkdir(parents=True, exist_ok=True)
        for part, start in enumerate(range(0, counts[table], PART)):
            numbers = np.arange(start, min(start + PART, counts[table]), dtype=np.int64)
            rng = np.random.default_rng([seed, crc32(table.encode()), part])
            pq.write_table(
                _Part(source, numbers, counts, rng).table(),
                folder / table / f"part-{part:05}.parquet",
                store_decimal_as_integer=True,  # as Spark writes them
            )


def sources(workload: str) -> dict[str, Source]:
    """The tables a workload reads, by name."""
    dataflow = build_workflow(flows()[f"{workload.lower()}/v1.yaml"].data())
    return {s.table: s for s in dataflow.operators.values() if isinstance(s, Source)}


def bound(flow_data: dict[str, Any], folder: Path | str) -> dict[str, Any]:
    """The workflow reading the written tables; `flow_data` stays as it is."""
    data = deepcopy(flow_data)
    for id_, spec in data["operators"].items():
        if spec["type"] == "source":
            table = spec.get("table", id_)
            spec |= {"table": table, "format": "parquet", "location": f"{folder}/{table}"}
    return data


def arrow_schema(source: Source) -> pa.Schema:
    """The declared columns as those of a Parquet file."""
    return pa.schema([pa.field(f.name, _arrow(f.type), f.nullable) for f in source.fields])


def _arrow(type_: DataType) -> pa.DataType:
    match type_:
        case DecimalType(precision, scale):
            return pa.decimal128(precision, scale)
        case ArrayType(element):
            return pa.list_(_arrow(element))
        case DateType():
            return pa.date32()
        case StringType():
            return pa.string()
        case _:
            return {"int": pa.int32(), "bigint": pa.int64()}[str(type_)]


def _count(table: str, rows: int) -> int:
    part, least, most = SIZES.get(table, (1, 1, rows))
    return min(max(rows // part, least), most)


@dataclass(frozen=True)
class _Part:
    """Some rows of a table."""

    source: Source
    numbers: Numbers
    counts: Mapping[str, int]
    rng: np.random.Generator

    def table(self) -> pa.Table:
        schema = arrow_schema(self.source)
        make = TOGETHER.get(self.source.table)
        fixed = make(self) if make is not None else {}
        columns = []
        for declared, field in zip(self.source.fields, schema, strict=True):
            values = fixed[field.name] if field.name in fixed else self._values(declared)
            if not isinstance(values, pa.Array | pa.ChunkedArray):
                values = pa.array(values)
            if declared.nullable and declared.name not in NEVER_NULL:
                missing = pa.array(self.rng.random(len(self)) < NULLS)
                values = pc.if_else(missing, pa.scalar(None, values.type), values)
            columns.append(values.cast(field.type))
        return pa.table(columns, schema=schema)

    def __len__(self) -> int:
        return len(self.numbers)

    def _values(self, field: Field) -> pa.Array | Numbers:
        parents = {f.columns[0]: f.parent for f in self.source.foreign_keys} | POINTS_TO
        parent = parents.get(field.name, "")
        if parent in self.counts and parent != self.source.table:
            return self._references(field, parent)
        if field.name in self.source.keys[0]:
            return key(field.name, field.type, self.numbers)
        if field.name in MADE:
            return MADE[field.name](self)
        match field.type:
            case DecimalType(_, scale):
                return decimals(self.whole(-300, 3000), field.type, scale)
            case StringType():
                return numbered(f"{field.name} ", self.whole(0, 200))
            case _:
                return self.whole(0, 30)

    def _references(self, field: Field, parent: str) -> pa.Array | Numbers:
        """Keys of another table; authors write more the smaller their number."""
        name = sources_key(parent)
        if isinstance(field.type, ArrayType):
            lengths = self.whole(0, 5)
            ends = np.concatenate([[0], np.cumsum(lengths)])
            drawn = self.rng.integers(0, self.counts[parent], int(ends[-1]))
            values = key(name, field.type.element, drawn)
            return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), values)
        chances = self.rng.random(len(self)) ** (3 if field.name == "author_id" else 1)
        return key(name, field.type, (chances * self.counts[parent]).astype(np.int64))

    def whole(self, low: int, high: int) -> Numbers:
        """Random whole numbers, the upper end left out."""
        return self.rng.integers(low, high, len(self))

    def some(self, *options: Any, first: float | None = None) -> pa.Array:
        """Random ones of some values, the first with its own chance."""
        chances = None
        if first is not None:
            chances = [first, *[(1 - first) / (len(options) - 1)] * (len(options) - 1)]
        drawn = self.rng.choice(len(options), len(self), p=chances)
        return pa.array(options).take(pa.array(drawn))

    def decaying(self, chance: float) -> Numbers:
        """Numbers from 0, small ones more often."""
        return self.rng.geometric(chance, len(self)) - 1


# -- keys --------------------------------------------------------------------------------------

OFFSETS = {"d_date_sk": FIRST_DAY}


def sources_key(table: str) -> str:
    """The column other tables refer to."""
    return {
        "title_basics": "tconst",
        "users": "user_id",
        "date_dim": "d_date_sk",
    }.get(table, table)


def key(name: str, type_: DataType, numbers: Numbers) -> pa.Array | Numbers:
    """The keys of the rows with these numbers."""
    if isinstance(type_, StringType):
        return numbered(name[0], numbers)
    return numbers + OFFSETS.get(name, 0)


def _sales_keys(prefix: str, last: str) -> Callable[[_Part], dict[str, Any]]:
    def made(part: _Part) -> dict[str, Any]:
        return {
            f"{prefix}_item_sk": _item_sold(part.numbers, part.counts["item"]),
            f"{prefix}_{last}": part.numbers,
        }

    return made


def _item_sold(orders: Numbers, items: int) -> Numbers:
    """The item of an order: others compute it instead of reading the sales."""
    return ((orders * SPREAD) >> 16) % items


def _returns_keys(part: _Part) -> dict[str, Any]:
    """Seven of ten returns are of a sale, each of another one; the rest of sales not there."""
    sales = part.counts[SALES]
    every = max(1, sales // part.counts[RETURNS])
    orders = part.numbers * every
    of_sale = (part.numbers % 10 < 7) & (orders < sales)
    orders = np.where(of_sale, orders, orders + sales * every)
    return {
        "cr_item_sk": _item_sold(orders, part.counts["item"]),
        "cr_order_number": orders,
    }


def _aka_keys(part: _Part) -> dict[str, Any]:
    """Titles have four names each, numbered from 1."""
    each = -(-part.counts["title_akas"] // part.counts["title_basics"])
    return {
        "titleId": numbered("t", part.numbers // each),
        "ordering": part.numbers % each + 1,
    }


def _dates(part: _Part) -> dict[str, Any]:
    """Days from November 1999, or August to December of two years."""
    names = {f.name for f in part.source.fields}
    if "d_date" in names:
        first = (date(1999, 11, 1) - date(1970, 1, 1)).days
        return {"d_date": pa.array(part.numbers + first, pa.int32()).cast(pa.date32())}
    return {"d_year": 1999 + part.numbers // 153, "d_moy": 8 + part.numbers % 153 // 31}


def _times(part: _Part) -> dict[str, Any]:
    """The minutes of a day."""
    meals = np.array([*[None] * 6, *["breakfast"] * 3, None, None, *["lunch"] * 3, None, None])
    hours = part.numbers // 60 % 24
    names = np.concatenate([meals, [None, "dinner", "dinner", "dinner"], [None] * 4])
    return {
        "t_hour": hours,
        "t_minute": part.numbers % 60,
        "t_meal_time": pa.array(names.tolist()).take(pa.array(hours)),
    }


def _items(part: _Part) -> dict[str, Any]:
    """A manufacturer makes things of one category; brands have one name each."""
    makers = part.whole(0, 40)
    brands = part.whole(0, 6)
    return {
        "i_manufact_id": makers + 1,
        "i_category": pa.array(CATEGORIES).take(pa.array(makers % len(CATEGORIES))),
        "i_brand_id": brands + 1001,
        "i_brand": pa.array(BRANDS).take(pa.array(brands)),
    }


# Columns of a table that are made together.
TOGETHER: Mapping[str, Callable[[_Part], dict[str, Any]]] = {
    "catalog_sales": _sales_keys("cs", "order_number"),
    "web_sales": _sales_keys("ws", "order_number"),
    "store_sales": _sales_keys("ss", "ticket_number"),
    RETURNS: _returns_keys,
    "title_akas": _aka_keys,
    "date_dim": _dates,
    "time_dim": _times,
    "item": _items,
}
NEVER_NULL = ("t_meal_time", "d_date", "d_year", "d_moy")

# -- values ------------------------------------------------------------------------------------

CATEGORIES = ("Electronics", "Books", "Music", "Home", "Sports")
BRANDS = (*VALUES["i_brand"], "exporti #3", "scholar #4", "import #5", "corp #6")
STATES = (*VALUES["ca_state"], "TX", "NY", "WA", "OH", "GA", "MI", "AZ")
PROFESSIONS: tuple[list[str], ...] = (
    ["actor"],
    ["actor", "writer"],
    ["actress"],
    ["director"],
    ["director", "writer"],
    ["producer"],
    ["producer", "director"],
    ["composer"],
    ["editor"],
    [],
)
FIRST_NAMES = ("Maria", "John", "Alex", "mary", "Jose", "Ana", "Wei", "Fatima", "Olu", "Ivan")
WORDS = (
    "and the of a to in we they saw heard today morning street city people friends music coffee "
    "garden river game story summer weather work school train photo dinner weekend light long "
    "never always maybe about after before with without some many really quite green blue old new"
)
FRAGMENTS = 4000
PHRASES = 0.6  # of texts that hold one


def decimals(units: Numbers, type_: DecimalType, scale: int) -> pa.Array:
    """Decimals of so many smallest units."""
    whole = np.empty((len(units), 2), dtype=np.int64)
    whole[:, 0], whole[:, 1] = units, units >> 63
    arrow_type = pa.decimal128(type_.precision, scale)
    return pa.Array.from_buffers(arrow_type, len(units), [None, pa.py_buffer(whole)])


def numbered(prefix: str, numbers: Numbers) -> pa.Array:
    """Texts that end in numbers."""
    return pc.binary_join_element_wise(prefix, pa.array(numbers).cast(pa.string()), "")


def _prices(part: _Part) -> pa.Array:
    return decimals(part.whole(50, 200), DecimalType(7, 2), 2)


def _offsets(part: _Part) -> pa.Array:
    return part.some(*map(Decimal, ("-5.00", "-6.00", "-7.00", "-8.00")), first=0.4)


def _days(part: _Part) -> Numbers:
    return part.whole(2_450_700, 2_451_300)


def _names(part: _Part) -> pa.Array:
    first = part.some(*FIRST_NAMES)
    return pc.binary_join_element_wise(first, numbered("Name", part.whole(0, 5000)), " ")


def _fragments(seed: int) -> pa.Array:
    """Pieces of sentences of 50 to 85 characters, without the words anybody looks for."""
    rng = random.Random(seed)
    words = WORDS.split()
    texts = []
    for _ in range(FRAGMENTS):
        text = rng.choice(words)
        wanted = rng.randrange(50, 78)
        while len(text) < wanted:
            text += " " + rng.choice(words)
        texts.append(text)
    return pa.array(texts)


def _texts(part: _Part) -> pa.Array:
    """Texts of 100 to 200 characters, many with a phrase in the middle."""
    pieces = _fragments(1)
    phrases = part.some("", *VALUES["text"], first=1 - PHRASES)
    first, last = (pieces.take(pa.array(part.whole(0, FRAGMENTS))) for _ in range(2))
    return pc.binary_join_element_wise(first, phrases, last, " ")


def _descriptions(part: _Part) -> pa.Array:
    pieces = _fragments(2)
    phrase = part.some(*VALUES["description"])
    return pc.binary_join_element_wise(phrase, pieces.take(pa.array(part.whole(0, FRAGMENTS))), " ")


MADE: Mapping[str, Callable[[_Part], pa.Array | Numbers]] = {
    "i_current_price": _prices,
    "i_manager_id": lambda p: p.some(1, 2, 3, 4, first=0.4),
    "w_state": lambda p: p.some("TN", "SD", "AL", "GA", "OH"),
    "cs_sold_date_sk": _days,
    "ss_sold_date_sk": _days,
    "ws_sold_date_sk": _days,
    "cs_quantity": lambda p: p.whole(-1, 30),
    "cd_gender": lambda p: p.some("F", "M"),
    "cd_education_status": lambda p: p.some(
        "Unknown", "College", "Primary", "Secondary", first=0.3
    ),
    "cd_dep_count": lambda p: p.whole(0, 7),
    "c_birth_month": lambda p: p.whole(1, 13),
    "c_birth_year": lambda p: p.whole(1930, 1990),
    "ca_state": lambda p: p.some(*STATES),
    "ca_country": lambda p: p.some("United States"),
    "ca_county": lambda p: p.some(*VALUES["ca_county"], "Bexar County", "Kent County"),
    "ca_gmt_offset": _offsets,
    "titleType": lambda p: p.some("movie", "tvEpisode", "short", "tvSeries", first=0.4),
    "primaryTitle": lambda p: numbered("A Title of ", p.numbers),
    "title": lambda p: numbered("Known as ", p.numbers),
    "startYear": lambda p: p.whole(1970, 2024),
    "runtimeMinutes": lambda p: p.whole(30, 180),
    "region": lambda p: p.some("US", "DE", "IN", "FR", "JP", "BR"),
    "isOriginalTitle": lambda p: p.some(1, 0, first=0.3),
    "primaryName": _names,
    "birthYear": lambda p: p.whole(1900, 2006),
    "primaryProfession": lambda p: p.some(*PROFESSIONS),
    "text": _texts,
    "lang": lambda p: p.some("en", "de", "es", "pt", first=0.55),
    "likes": lambda p: p.decaying(0.25),
    "retweets": lambda p: p.decaying(0.5),
    "followers": lambda p: p.decaying(0.08),
    "name": _names,
    "description": _descriptions,
    "location": lambda p: p.some("California", "Oregon", "Texas", "Ohio"),
}
