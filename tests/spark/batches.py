"""Comparing many expressions in few Spark jobs.

The interpreter goes first and says for every expression on which rows it fails. One Spark query
then evaluates all expressions guarded by `id IN (rows that succeed)`; rows expected to fail are
checked one by one with Catalyst's own interpreter.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession

from tests.generators.tables import Table
from tests.spark.compare import (
    AnySpark,
    Failed,
    Outcome,
    Refused,
    Unsupported,
    collect,
    differences,
    first_line,
    run_spark,
    same_value,
)
from veer.errors import InputError, UnsupportedError
from veer.functions.registry import Failure
from veer.interpreter.expressions import compile_expr
from veer.interpreter.run import Run
from veer.ir.schema import Field, Schema
from veer.ir.types import DataType
from veer.read.sql import ExpressionReader

logging.getLogger("SQLQueryContextLogger").disabled = True
WRONG_TYPE = "type"


@dataclass
class Tally:
    """What a comparison of expressions found."""

    compared: int = 0
    values: int = 0
    failures: int = 0
    refused: int = 0
    unsupported: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Evaluated:
    """An expression with its value or failure on every row."""

    text: str
    type: DataType
    values: list[Any]  # a value, Failed or Unsupported


def evaluate(text: str, table: Table) -> Evaluated | Refused | Unsupported:
    """The interpreter's column of the expression."""
    fields = tuple(Field(n, t) for n, t in zip(table.names, table.types, strict=True))
    schema = Schema(fields)
    try:
        expr = ExpressionReader([(table.name, schema)]).read(text)
        compiled = compile_expr(expr, (schema,))
        scope = (Run({}),)
        values: list[Any] = []
        for row in table.rows:
            try:
                values.append(compiled(row, scope))
            except Failure as error:
                values.append(Failed(str(error)))
            except UnsupportedError as error:
                values.append(Unsupported(str(error)))
        if all(isinstance(v, Unsupported) for v in values):
            return Unsupported(values[0].reason if values else "no rows")
        return Evaluated(text, expr.type, values)
    except UnsupportedError as error:
        return Unsupported(str(error))
    except InputError as error:
        return Refused(f"{type(error).__name__}: {error}")


def compare_expressions(
    spark: AnySpark,
    table: Table,
    texts: Sequence[str],
    tally: Tally,
    batch: int = 100,
    most_failures: int = 2,
) -> None:
    """Compare all expressions on all rows; the table must be registered and have an `id`.

    Of the rows on which an expression is expected to fail, `most_failures` are tried in Spark.
    """
    good: list[Evaluated] = []
    refused: list[tuple[str, str]] = []
    for text in texts:
        tally.compared += 1
        try:
            outcome = evaluate(text, table)
        except Exception as error:
            tally.differences.append(f"Veer crashes: {text}\n    {error!r}")
            continue
        match outcome:
            case Evaluated() as evaluated:
                good.append(evaluated)
            case Unsupported(reason):
                tally.unsupported[reason] = tally.unsupported.get(reason, 0) + 1
            case Refused(reason):
                tally.refused += 1
                refused.append((text, reason))

    def compare(session: SparkSession) -> list[str]:
        found = Tally()
        for text, reason in refused:
            _check_refused(session, table, text, reason, found)
        for at in range(0, len(good), batch):
            _compare_batch(session, table, good[at : at + batch], found, most_failures)
        tally.values += found.values
        tally.failures += found.failures
        return found.differences

    question = (table.name, [text for text, _ in refused], good, most_failures)
    tally.differences += differences(spark, question, compare)


def _check_refused(spark: SparkSession, table: Table, text: str, reason: str, tally: Tally) -> None:
    theirs = _analyze(spark, f"SELECT {text} AS c FROM {table.name}")
    if not isinstance(theirs, Refused):
        tally.differences.append(f"refused by Veer only: {text}\n    {reason}\n    Spark: {theirs}")


def _analyze(spark: SparkSession, text: str) -> Refused | str:
    """Spark's result types, or why it refuses."""
    try:
        return ", ".join(f.dataType.simpleString() for f in spark.sql(text).schema)
    except Exception as error:
        return Refused(first_line(error))


def _guarded(e: Evaluated, ids: Sequence[int]) -> str:
    good = [
        str(i)
        for i, v in zip(ids, e.values, strict=True)
        if not isinstance(v, Failed | Unsupported)
    ]
    if len(good) == len(e.values):
        return e.text
    return f"IF(id IN ({', '.join(good) or 'NULL'}), {e.text}, NULL)"


def _compare_batch(
    spark: SparkSession, table: Table, items: Sequence[Evaluated], tally: Tally, most: int
) -> None:
    at = table.names.index("id")
    ids = [row[at] for row in table.rows]
    columns = ", ".join(f"{_guarded(e, ids)} AS c{n}" for n, e in enumerate(items))
    text = f"SELECT {columns} FROM {table.name}"
    try:
        frame = spark.sql(text)
        theirs = [f.dataType.simpleString() for f in frame.schema]
        if theirs == [str(e.type) for e in items]:
            rows = collect(frame, [e.type for e in items])
        else:
            rows = []
    except Exception as error:
        if len(items) == 1 and "unhashable" in str(error):
            return  # a map with arrays as keys does not arrive in Python
        if len(items) == 1 and "out of bounds for length" in str(error):
            return  # before 4.3 the least index there is reads some other memory: `split_part`
        if len(items) == 1 and len(_failing(items[0])) == len(ids):
            # Before 4.0 a constant that fails did so even where a condition guards it.
            _fails_in_job(spark, table, items[0], tally)
        elif len(items) == 1:
            tally.differences.append(
                f"fails in Spark only: {items[0].text}\n    {first_line(error)}"
            )
        else:
            half = len(items) // 2
            _compare_batch(spark, table, items[:half], tally, most)
            _compare_batch(spark, table, items[half:], tally, most)
        return
    if not rows and len(items) > 1 and ids:
        same = [e for e, t in zip(items, theirs, strict=True) if str(e.type) == t]
        for e, t in zip(items, theirs, strict=True):
            if str(e.type) != t:
                tally.differences.append(f"type: {e.text}\n    Veer {e.type}, Spark {t}")
        if same:
            _compare_batch(spark, table, same, tally, most)
        return
    if not rows:
        if theirs != [str(e.type) for e in items]:
            tally.differences.append(
                f"type: {items[0].text}\n    Veer {items[0].type}, Spark {theirs}"
            )
        return
    for n, e in enumerate(items):
        _compare_column(e, ids, [row[n] for row in rows], table, tally)
    _check_failures(spark, table, [e for e in items if _failing(e)], tally, most)


def _failing(e: Evaluated) -> list[int]:
    return [n for n, v in enumerate(e.values) if isinstance(v, Failed)]


# Math functions whose last digit may differ between the C and the Java library.
MOST_SHOWN = 4  # rows per expression
INEXACT = ("exp(", "ln(", "log10(", "log2(", "power(")


def _compare_column(
    e: Evaluated, ids: Sequence[int], column: Sequence[Any], table: Table, tally: Tally
) -> None:
    tolerance = 1e-12 if any(f in e.text for f in INEXACT) else 0.0
    shown = 0
    for n, (ours, theirs) in enumerate(zip(e.values, column, strict=True)):
        if isinstance(ours, Failed | Unsupported):
            continue
        tally.values += 1
        if not same_value(ours, theirs, e.type, tolerance):
            tally.differences.append(
                f"value: {e.text}\n    Veer {ours!r}, Spark {theirs!r}, row {_read(e, table, n)}"
            )
            shown += 1
            if shown == MOST_SHOWN:
                return


def _reads(e: Evaluated, column: str) -> bool:
    return re.search(rf"\b{column}\b", e.text) is not None


def _check_failures(
    spark: SparkSession, table: Table, items: Sequence[Evaluated], tally: Tally, most: int
) -> None:
    """Check that Spark fails where the interpreter does, on the first rows where it does."""
    if not items:
        return
    texts = ", ".join(f"{e.text} AS c{n}" for n, e in enumerate(items))
    try:
        frame = spark.sql(f"SELECT {texts} FROM {table.name}")
        plan = frame._jdf.queryExecution().optimizedPlan()
        listed = plan.projectList()
    except Exception:  # folding a constant may fail already; then ask one by one
        if len(items) > 1:
            for item in items:
                _check_failures(spark, table, [item], tally, most)
        else:
            _fails_in_job(spark, table, items[0], tally)
        return
    assert spark._jvm is not None
    jvm = spark._jvm.org.apache.spark.sql.catalyst.expressions
    attributes = getattr(jvm, "package$AttributeSeq")(plan.child().output())
    names = [a.name() for a in _sequence(plan.child().output())]
    if not set(names) <= set(table.names):  # the optimizer computes common parts first
        for item in items:
            _fails_in_job(spark, table, item, tally)
        return
    inputs = spark.sql(f"SELECT {', '.join(names)} FROM {table.name}")
    rows = inputs._jdf.queryExecution().executedPlan().executeCollect()
    for n, e in enumerate(items):
        try:
            bound = jvm.BindReferences.bindReference(listed.apply(n), attributes, False)
        except Exception:
            _fails_in_job(spark, table, e, tally)
            continue
        for place in _failing(e)[:most]:
            tally.failures += 1
            try:
                bound.eval(rows[place])
            except Exception:
                continue
            if bound.child().foldable():
                break  # the optimizer knows the value without computing the part that fails
            _fails_in_job(spark, table, e, tally, place)


def _sequence(seq: Any) -> list[Any]:
    return [seq.apply(i) for i in range(seq.size())]


def _fails_in_job(
    spark: SparkSession, table: Table, e: Evaluated, tally: Tally, place: int | None = None
) -> None:
    """Check with a whole Spark job that an expression fails on a row."""
    at = table.names.index("id")
    place = _failing(e)[0] if place is None else place
    tally.failures += 1
    where = f"id = {table.rows[place][at]}"
    theirs: Outcome = run_spark(spark, f"SELECT {e.text} AS c FROM {table.name} WHERE {where}")
    if not isinstance(theirs, Failed | Refused | Unsupported):
        reason = e.values[place].reason
        tally.differences.append(
            f"fails in Veer only ({reason}): {e.text}\n    Spark {theirs.rows}, row {_read(e, table, place)}"
        )


def _read(e: Evaluated, table: Table, place: int) -> dict[str, Any]:
    pairs = zip(table.names, table.rows[place], strict=True)
    return {name: value for name, value in pairs if _reads(e, name)}
