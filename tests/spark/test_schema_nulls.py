"""What schemas say of nulls: over the whole registry and on columns of both kinds as Spark's do.

A function without a rule is not answered; `UNANSWERED` counts the expressions that are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.generators.tables import wide_table
from tests.recorded import RecordedSpark
from tests.spark.compare import first_line
from tests.spark.test_functions import AGGREGATE_CASES, OVER_CASES, SCALAR_CASES
from veer.errors import VeerError
from veer.ir.ops import Source
from veer.ir.schema import Field
from veer.ir.types import ArrayType, DataType, MapType, StructType
from veer.read.pyspark.connect.schema_nulls import Nulls, NullsOfSchemas
from veer.read.sql import read_sql
from veer.settings import NEWEST, SPARK_4_2, SessionSettings, under

pytestmark = pytest.mark.spark

WIDE = wide_table(Random("schema"), 0)
TABLES = {"w": True, "v": False}  # whether their columns may be null
FORMS = (
    "CASE WHEN bo THEN i END", "CASE WHEN bo THEN i ELSE j END", "CASE WHEN true THEN i ELSE NULL END", "if(bo, i, NULL)",
    "i IN (1, 2)", "i IN (1, NULL)", "i <=> j", "bo AND b2", "bo OR NULL", "NOT bo", "i BETWEEN 1 AND 2", "nullif(i, j)", "nvl(i, 1)", "nvl2(i, j, 1)",
    "st.x", "struct(st, i).st.y", "named_struct('a', i).a", "m['a']", "ai[0]", "array(i, j)", "array(i, j)[0]", "array(ai, array(1))", "collect_list(ai)",
    "split(s, ',')", "struct(i, s)", "map('a', i)", "EXISTS (SELECT 1)", "(SELECT 1)", "i IN (SELECT 1)", "1", "NULL", "'x'", "DATE '2020-01-01'",
    "max(i) OVER (ORDER BY j)", "lag(i) OVER (ORDER BY j)", "lag(i, 1, 0) OVER (ORDER BY j)", "lead(i, 1, j) OVER (ORDER BY j)",
    "explode(ai)", "posexplode(ai)", "explode_outer(ai)", "explode(split(s, ','))", "explode(m)", "inline(array(st))", "transform(ai, x -> x + 1)",
)  # fmt: skip
CASTED = ("bo", "ti", "i", "l", "f", "d", "n52", "n205", "s", "dt", "ts", "tn")
TARGETS = ("boolean", "tinyint", "int", "bigint", "float", "double", "decimal(5,2)", "decimal(6,1)", "decimal(25,5)", "string", "date", "timestamp", "timestamp_ntz")  # fmt: skip
CASTS = [f"{how}(CAST_OF AS {t})".replace("CAST_OF", c) for how in ("CAST", "TRY_CAST") for c in CASTED for t in TARGETS]  # fmt: skip
UNANSWERED = 120  # at most


def texts() -> list[str]:
    cases = [t for table in (SCALAR_CASES, AGGREGATE_CASES, OVER_CASES) for c in table.values() for t in c]  # fmt: skip
    return list(dict.fromkeys([*cases, *FORMS, *CASTS]))


def answers_in(settings: SessionSettings, text: str) -> list[str]:
    with under(settings):
        return next(shown for name, asked, shown in answers([text]) if name == "v")


def test_other_sessions_have_other_rules() -> None:
    for text in ("make_date(i, 1, 1)", "CAST(i AS BIGINT)", "max(i)"):
        assert answers_in(SessionSettings(spark=NEWEST), text) != ["?"]
        assert answers_in(SessionSettings(spark=NEWEST, ansi=False), text) == ["?"]
        assert answers_in(SessionSettings(spark=SPARK_4_2), text) == ["?"]
    assert answers_in(SessionSettings(spark=SPARK_4_2), "i") == ["f"]


def answers(asked: Sequence[str] = ()) -> Iterator[tuple[str, str, list[str]]]:
    """Each expression over each table, and what is known of its columns."""
    for name, nullable in TABLES.items():
        fields = tuple(Field(n, t, nullable) for n, t in zip(WIDE.names, WIDE.types, strict=True))
        catalog = {name: Source(name, fields)}
        for text in asked or texts():
            try:
                flow = read_sql(f"SELECT {text} FROM {name}", catalog)
            except VeerError:
                continue
            (sink,) = flow.sinks
            nulls = NullsOfSchemas(flow.operators, flow.links, flow.schemas, lambda _: False)
            of_sink = nulls.of(next(link.src for link in flow.links if link.dst == sink))
            shown = [_shown(n, t) for n, t in zip(of_sink, flow.schemas[sink].types, strict=True)]
            yield name, text, shown


def _shown(nulls: Nulls, type_: DataType) -> str:
    """The answers for a column and what is inside of it: true, false, or ? where there is none."""
    own = {True: "t", False: "f", None: "?"}[nulls.nullable]
    match type_:
        case ArrayType(element):
            types: tuple[DataType, ...] = (element,)
        case MapType(key, value):
            types = (key, value)
        case StructType(fields):
            types = tuple(t for _, t in fields)
        case _:
            return own
    if nulls.inside is None:
        return f"{own}(?)"
    return f"{own}({''.join(map(_shown, nulls.inside, types))})"


def _of_spark(json: object, nullable: bool) -> str:
    own = "t" if nullable else "f"
    if not isinstance(json, dict):
        return own
    match json["type"]:
        case "array":
            inside = _of_spark(json["elementType"], json["containsNull"])
        case "map":
            inside = "f" + _of_spark(json["valueType"], json["valueContainsNull"])
        case _:
            inside = "".join(_of_spark(f["type"], f["nullable"]) for f in json["fields"])
    return f"{own}({inside})"


def _agree(ours: str, theirs: str) -> bool:
    """Whether all that is answered is right; `(?)` answers nothing of a whole type."""
    if "(?)" in ours:
        return ours[0] in ("?", theirs[0])
    return len(ours) == len(theirs) and all(
        a in ("?", b) for a, b in zip(ours, theirs, strict=True)
    )


def test_answers(recorded: RecordedSpark) -> None:
    asked = list(answers())
    assert len(asked) > 1500
    unanswered = [
        f"{t}: {', '.join(s)}" for name, t, s in asked if name == "v" and "?" in "".join(s)
    ]
    assert len(unanswered) <= UNANSWERED, "\n".join(unanswered)

    def compare(session: SparkSession) -> list[str]:
        wrong = []
        for name, nullable in TABLES.items():
            null = "" if nullable else " NOT NULL"
            columns = ", ".join(
                f"{n} {t}{null}" for n, t in zip(WIDE.names, WIDE.types, strict=True)
            )
            session.createDataFrame([], columns).createOrReplaceTempView(name)
        for name, text, ours in asked:
            try:
                schema = session.sql(f"SELECT {text} FROM {name}").schema
            except Exception as error:
                wrong.append(f"{text}: {first_line(error)}") if "?" not in "".join(ours) else None
                continue
            theirs = [_of_spark(f.dataType.jsonValue(), f.nullable) for f in schema]
            if len(ours) != len(theirs) or not all(map(_agree, ours, theirs)):
                wrong.append(f"{text} over {name}: {ours} here, {theirs} in Spark")
        return wrong

    wrong = recorded.differences((TABLES, WIDE.names, WIDE.types, asked), compare)
    assert not wrong, "\n".join(wrong)
