"""Random rows for the workloads' sources, and what their opaque functions do."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from veer.ir.dag import Dataflow
from veer.ir.ops import Source
from veer.ir.schema import Field
from veer.ir.types import ArrayType, DateType, DecimalType, StringType

NULLS = 0.05
DIMENSION = 3  # a table that others refer to has this part of their rows
Tables = dict[str, list[tuple[Any, ...]]]

# Values of columns that some version compares with constants; repeated ones are drawn more often.
VALUES: Mapping[str, tuple[Any, ...]] = {
    "i_current_price": tuple(
        map(Decimal, ("0.98", "0.99", "1.10", "1.25", "1.35", "1.49", "1.50"))
    ),
    "d_date": tuple(date(2000, 2, 8) + timedelta(days=5 * n) for n in range(14)),
    "w_state": ("TN", "SD", "AL"),
    "cs_sold_date_sk": (2450814, 2450815, 2450935, 2450940, 2450950, 2450965, 2451179, 2451180),
    "ss_sold_date_sk": (2450934, 2450935, 2450940, 2450950, 2450965, 2450966),
    "ws_sold_date_sk": (2450934, 2450935, 2450940, 2450955, 2450965, 2450966),
    "cs_quantity": (-1, 0, 1, 5, 20),
    "cd_gender": ("F", "F", "F", "M"),
    "cd_education_status": ("Unknown", "Unknown", "Unknown", "College"),
    "cd_dep_count": tuple(range(7)),
    "c_birth_month": (1, 2, 2, 3, 6, 8, 9, 12),
    "c_birth_year": tuple(range(1930, 1990, 7)),
    "ca_state": ("MS", "IN", "ND", "OK", "NM", "VA", "CA"),
    "ca_country": ("United States",),
    "ca_county": ("Hays County", "Luce County"),
    "ca_gmt_offset": tuple(map(Decimal, ("-5.00", "-5.00", "-5.00", "-6.00"))),
    "d_year": (1999, 1999, 1999, 2000),
    "d_moy": (11, 11, 12),
    "i_manager_id": (1, 1, 2),
    "i_brand_id": (1001, 1002, 1003),
    "i_brand": ("amalg #1", "edu packscholar #2"),
    "i_category": ("Electronics", "Books", "Music"),
    "i_manufact_id": tuple(range(1, 9)),
    "t_hour": (8, 19),
    "t_minute": (0, 30),
    "t_meal_time": ("breakfast", "dinner", "lunch", None),
    "titleType": ("movie", "movie", "movie", "tvEpisode"),
    "isOriginalTitle": (0, 0, 1, 1),
    "startYear": (1998, 1999, 2000, 2001),
    "runtimeMinutes": (90, 110, 120, 121, 150),
    "region": ("US", "DE", "IN"),
    "birthYear": (1940, 1949, 1950, 1960, 1970),
    "primaryProfession": (("director",), ("director", "writer"), ("actor",), ()),
    "lang": ("en", "en", "en", "de"),
    "description": ("vape shop", "family first", "tobacco store", "runner", "reader", ""),
    "text": (
        "Tobacco kills, quit now",
        "my grandfather grew tobacco",
        "cheap TOBACCO today",
        "tobacco taxes are rising",
        "quit smoking",
        "the Wildfire is near",
        "wildfire smoke again",
        "WILDFIRE map",
        "wildfires close the road",
        "nothing to see here",
    ),
    "name": ("Maria Lopez", "John Smith", "Alex Kim", "mary jones", "Jose Diaz", ""),
    "location": ("California", "California", "Oregon"),
    "likes": tuple(range(8)),
    "retweets": (0, 1, 2, 5),
}
# Columns that hold keys of another table although no foreign key says so.
POINTS_TO = {"knownForTitles": "title_basics", "author_id": "users"}
RETURNS, SALES = "catalog_returns", "catalog_sales"  # most returns are of a sale: one key for both


def rows_for(dataflow: Dataflow, rows: int, seed: int) -> Tables:
    """Rows of every source of a dataflow, tables after those they refer to."""
    rng = random.Random(seed)
    waiting = {s.table: s for s in dataflow.operators.values() if isinstance(s, Source)}
    parents = {name: _parents(source) & set(waiting) for name, source in waiting.items()}
    referred = set().union(*parents.values()) - {SALES}
    tables: Tables = {}
    while waiting:
        name = next(n for n in waiting if parents[n] <= set(tables))
        source = waiting.pop(name)
        count = max(1, rows // DIMENSION) if name in referred else rows
        by_key = {}
        for number in range(count):
            row = _row(rng, source, number, tables)
            by_key[tuple(_part(source, row, source.keys[0]))] = row
        tables[name] = list(by_key.values())
    return tables


def _parents(source: Source) -> set[str]:
    pointed = {POINTS_TO[f.name] for f in source.fields if f.name in POINTS_TO}
    pointed |= {SALES} if source.table == RETURNS else set()
    return (pointed | {f.parent for f in source.foreign_keys}) - {source.table}


def _row(rng: random.Random, source: Source, number: int, tables: Tables) -> tuple[Any, ...]:
    """A row whose references exist; the last column of its key is its number."""
    refers = {f.columns[0]: f.parent for f in source.foreign_keys if f.parent in tables}
    last_key = source.keys[0][-1]
    values: list[Any] = []
    for field in source.fields:
        parent = refers.get(field.name) or POINTS_TO.get(field.name, "")
        if field.nullable and rng.random() < NULLS:
            values.append(None)
        elif parent in tables:
            keys = [row[0] for row in tables[parent]]
            some = isinstance(field.type, ArrayType)
            values.append(
                tuple(rng.choices(keys, k=rng.randrange(4))) if some else rng.choice(keys)
            )
        elif field.name == last_key and last_key not in ("cr_order_number", "ordering"):
            values.append(f"{field.name[0]}{number}" if field.type == StringType() else number)
        else:
            values.append(_value(rng, field))
    if source.table == RETURNS and rng.random() < 0.7:
        values[:2] = rng.choice(tables[SALES])[:2]
    return tuple(values)


def _value(rng: random.Random, field: Field) -> Any:
    if field.name in VALUES:
        return rng.choice(VALUES[field.name])
    match field.type:
        case DecimalType(_, scale):
            return Decimal(rng.randrange(-300, 3000)).scaleb(-scale)
        case StringType():
            return f"{field.name} {rng.randrange(6)}"
        case DateType():
            return date(2000, 1, 1) + timedelta(days=rng.randrange(365))
        case ArrayType():
            return ()
        case _:
            return rng.randrange(30)


def _part(source: Source, row: tuple[Any, ...], names: tuple[str, ...]) -> list[Any]:
    columns = [f.name for f in source.fields]
    return [row[columns.index(name)] for name in names]


# -- opaque functions --------------------------------------------------------------------------


def commerce(description: str | None) -> str:
    """The dictionary matcher: commercial if a word of the dictionary occurs."""
    words = (description or "").lower()
    sold = any(word in words for word in ("shop", "store", "sale", "vape"))
    return "commercial" if sold else "non-commercial"


def topic(text: str | None) -> str | None:
    """The classifier: a stand-in for a model."""
    if text is None:
        return None
    return "related" if any(w in text.lower() for w in ("quit", "taxes", "cheap")) else "other"


_DICTIONARY = {"commercial": ["shop", "store", "sale", "vape"], "otherwise": "non-commercial"}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    f"DictionaryMatcher {json.dumps({'dictionary': _DICTIONARY}, sort_keys=True)}": commerce,
    f"Classifier {json.dumps({'model': 'tobacco-topic-1'}, sort_keys=True)}": topic,
}
