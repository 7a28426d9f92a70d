"""Dataflows as Spark DataFrames.

dataflow -> SQL over views of sources, stored results and what SQL cannot say -> DataFrame
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, assert_never, final
from uuid import uuid4

from veer.errors import InputError, UnsupportedError
from veer.execution.functions import ExpressionFunction
from veer.execution.signals import with_subqueries
from veer.execution.sql import FrameOperator, SqlWriter, places_read
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.expr import Expr
from veer.ir.schema import Schema
from veer.ir.types import quote_name
from veer.read.function_bodies import Bodies
from veer.read.pyspark.plans.types import type_of
from veer.read.session_settings import settings_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@final
class Compiler:
    """Makes DataFrames of the signals of one dataflow; `read` gives the rows of a source."""

    def __init__(
        self,
        spark: SparkSession,
        dataflow: Dataflow,
        read: Callable[[ops.Source], DataFrame],
        bodies: Bodies,
    ) -> None:
        self.spark, self.dataflow, self.read, self.bodies = spark, dataflow, read, bodies
        self._tag = f"veer_{uuid4().hex[:12]}"
        self._names_given = 0

    def frame(self, id_: str, stored: Mapping[str, DataFrame] | None = None) -> DataFrame:
        """The rows of a signal, under its names; `stored` signals are read, not computed."""
        ready = dict(stored or {})  # signals that a view can hold
        cone = self.dataflow.ancestors(id_, stop=ready)
        for below in self.dataflow.order:
            operator = self.dataflow.operators[below]
            if below in cone and below not in ready and isinstance(operator, FrameOperator):
                ready[below] = self._on_frames(below, operator, ready)
        with ExitStack() as stack:
            read = dict.fromkeys(
                inner
                for i in sorted(cone - ready.keys())
                for inner in with_subqueries(self.dataflow.operators[i])
                if isinstance(inner, ops.Source)
            )
            sources = {source: self._view(self.read(source), stack) for source in read}
            views = {i: self._view(f, stack) for i, f in ready.items() if i in cone}
            writer = SqlWriter(
                self.dataflow,
                sources,
                views,
                lambda e, s: self._function(e, s, stack),
                settings_of(self.spark),
            )
            statement = writer.statement(id_)
            try:
                frame = self.spark.sql(statement)
            except Exception as error:
                first = (str(error).strip().splitlines() or [type(error).__name__])[0]
                raise UnsupportedError(f"operator {id_!r}: Spark refuses it: {first}") from None
        return _named(frame, self.dataflow.schemas[id_], id_)

    def _view(self, frame: DataFrame, stack: ExitStack) -> str:
        """The name of a view of a frame, columns by place, for as long as the statement is read.

        Afterwards the frame that Spark made of the statement holds the plan of the view itself.
        """
        self._names_given += 1
        name = f"{self._tag}_{self._names_given}"
        frame.toDF(*(f"c{i}" for i in range(len(frame.columns)))).createOrReplaceTempView(name)
        stack.callback(self.spark.catalog.dropTempView, name)
        return name

    def _function(self, what: Expr | ops.RowUdf, schema: Schema, stack: ExitStack) -> str:
        """A Python function of the session, for as long as the statement is read."""
        from pyspark.sql import functions
        from pyspark.sql.types import StructField, StructType as SparkStruct, _parse_datatype_string

        self._names_given += 1
        name = f"{self._tag}_f{self._names_given}"
        body: Callable[..., Any]
        if isinstance(what, ops.RowUdf):
            body = self.bodies.of(what).function
            types = [_parse_datatype_string(str(f.type)) for f in what.adds]
            many = SparkStruct([StructField(f"c{i}", t) for i, t in enumerate(types)])
            udf = functions.udf(body, types[0] if len(types) == 1 else many, useArrow=False)
        else:
            body = ExpressionFunction(what, schema, places_read(what, schema))
            udf = functions.udf(body, _parse_datatype_string(str(what.type)), useArrow=False)
        self.spark.udf.register(name, udf)
        stack.callback(self.spark.sql, f"DROP TEMPORARY FUNCTION IF EXISTS {name}")
        return name

    def _on_frames(
        self, id_: str, operator: FrameOperator, ready: Mapping[str, DataFrame]
    ) -> DataFrame:
        """The rows of an operator that SQL cannot say."""
        below = self.dataflow.inputs[id_]
        frames = [self.frame(i, ready) for i in below]
        match operator:
            case ops.Sample(fraction, seed, replacement):
                return frames[0].sample(replacement, fraction, seed)
            case ops.TableUdf(fields=fields, scope=scope, keys=keys):
                if len(frames) != 1:
                    raise UnsupportedError(f"operator {id_!r}: a function of several tables")
                ddl = ", ".join(f"{quote_name(f.name)} {f.type}" for f in fields)
                function = self.bodies.of(operator).function
                names = self.dataflow.schemas[below[0]].names
                if len({n.lower() for n in names}) < len(names):
                    raise UnsupportedError(f"operator {id_!r}: its input names a column twice")
                if scope == "batch":
                    return frames[0].mapInPandas(function, ddl)
                by = [quote_name(k.name) for k in keys]
                return frames[0].groupBy(*by).applyInPandas(function, ddl)
            case _:
                assert_never(operator)


def _named(frame: DataFrame, schema: Schema, id_: str) -> DataFrame:
    """The frame under the names of the signal, if Spark agrees on its types."""
    if not len(schema):
        return frame.select()
    theirs = [str(type_of(f.dataType.jsonValue())) for f in frame.schema.fields]
    ours = [str(t) for t in schema.types]
    if theirs != ours:
        wrong = [(f.name, a, b) for f, a, b in zip(schema, ours, theirs, strict=True) if a != b]
        name, mine, spark = wrong[0]
        raise InputError(f"operator {id_!r}: column {name!r} is {spark} in Spark, not {mine}")
    return frame.toDF(*schema.names)


__all__ = ["Compiler"]
