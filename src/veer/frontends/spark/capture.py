"""Running a user's function without running Spark on anything: what it reads becomes sources,
what it writes or returns becomes sinks, an action whose value it uses stops it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NoReturn, final
from unittest.mock import patch
from uuid import uuid4

from veer.dataflow.dag import Dataflow
from veer.dataflow.ops import APPENDED, OVERWRITTEN, WRITTEN, Operator, Sink, Source, Values
from veer.dataflow.schema import Field
from veer.dataflow.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    IntegralType,
    StringType,
)
from veer.errors import InputError, VeerError
from veer.frontends.python.identity import digest_of
from veer.frontends.spark import read_frames
from veer.frontends.spark.captured_io import Reader, TableWriter, Writer
from veer.frontends.spark.types import type_of
from veer.frontends.sql import read_schema

MOST_CELLS = 1_000
# Values a program may only print: it cannot go on with what nobody computed.
ASKED = ("count", "collect", "first", "head", "take", "tail", "toPandas", "toArrow", "isEmpty",
         "toLocalIterator", "inputFiles")  # fmt: skip
STOPPING = ("foreach", "foreachPartition", "approxQuantile", "corr", "cov", "crosstab", "freqItems",
            "describe", "summary", "transpose", "pandas_api", "mergeInto")  # fmt: skip
WAYS_OUT = {
    "count": "pass the number in as an argument",
    "collect": "pass the values in as an argument, or use a join",
    "pivot": "list the values: pivot(column, [values])",
    "fit": "load a fitted model outside of the function and pass it in",
    "isEmpty": "decide it outside of the function",
    "rdd": "use DataFrame operations",
}
LOGGED = frozenset(
    ["debug", "info", "warning", "warn", "error", "critical", "exception", "log", "print", "write"]
)
PASSED_COMMANDS = frozenset(
    [
        "SetCommand",
        "ResetCommand",
        "CreateViewCommand",
        "CreateView",
        "CacheTable",
        "CacheTableAsSelect",
        "UncacheTable",
        "RefreshTable",
        "SetCatalogAndNamespace",
        "SetNamespaceCommand",
        "CreateNamespace",
        "CreateTable",
        "DropView",
        "DropTable",
        "DropTempView",
        "CreateFunction",
        "CreateUserDefinedFunction",
        "DescribeRelation",
        "ShowTables",
        "ExplainCommand",
        "ShowNamespaces",
    ]
)
IGNORED_COMMANDS = frozenset(
    ["AnalyzeTable", "AnalyzeTables", "AnalyzeColumn", "RepairTable", "OptimizeTable"]
)


class Stopped(BaseException):
    """A program that wants to know what was not computed; no `except Exception` catches it."""


@final
@dataclass(frozen=True)
class Written:
    """A result of the job."""

    sink: Sink
    frame: Any
    site: str


class Capture:
    """Intercepts PySpark while it is entered; `schema` is DDL of what the job reads."""

    def __init__(self, spark: Any, schema: str, root: Path, data: Path) -> None:
        self.spark = spark
        self.root = root
        self.data = data
        self.tables: dict[str, Source] = dict(read_schema(schema)) if schema else {}
        self.stubs: dict[int, Operator] = {}  # by the number of the RDD that stands for them
        self.written: list[Written] = []
        self.stopped: Stopped | None = None
        self._stack = ExitStack()
        self._create = spark.createDataFrame
        for name, source in self.tables.items():
            self._declare(name, source)

    # -- tables --------------------------------------------------------------------------------

    def _declare(self, name: str, source: Source) -> None:
        """A table of the catalog, so that SQL finds it too; paths are for readers only."""
        parts = name.split(".")
        if "/" in name or len(parts) > 2:
            return
        try:
            if len(parts) == 2:
                self.spark.sql(f"CREATE DATABASE IF NOT EXISTS {_quoted(parts[:1])}")
            self.spark.sql(f"CREATE TABLE {_quoted(parts)} ({_ddl(source.fields)}) USING parquet")
        except Exception as error:
            raise InputError(f"--schema: table {name}: {_first_line(error)}") from None

    def close(self) -> None:
        """Take the declared tables out of the catalog again."""
        for name in self.tables:
            if "/" not in name and name.count(".") < 2:
                self.spark.sql(f"DROP TABLE IF EXISTS {_quoted(name.split('.'))}")

    def table(self, name: str) -> Any:
        """A table by name: what the job wrote there, what the schema declares, or a view."""
        for found in self.written:
            if found.sink.target == name:
                return self._reread(found)
        parts = name.replace("`", "").split(".")
        key = next((k for k in (".".join(parts), ".".join(parts[-2:])) if k in self.tables), None)
        if key is not None and (len(parts) > 2 or "/" in key):
            return self.stub(self.tables[key])
        try:
            return self._plain_table(name)
        except Exception as error:
            raise InputError(f"{_first_line(error)}{self.hint(error)}") from None

    def stub(self, operator: Operator) -> Any:
        """An empty frame that stands for a source."""
        from pyspark.sql.types import StructField, StructType, _parse_datatype_string

        assert isinstance(operator, Source | Values)
        columns = [
            StructField(f.name, _parse_datatype_string(str(f.type)), f.nullable)
            for f in operator.fields
        ]
        empty = self.spark.sparkContext.emptyRDD()
        frame = self._create(empty, StructType(columns))
        self.stubs[_rdd_number(frame)] = operator
        return frame

    def _reread(self, found: Written) -> Any:
        if "append" in found.sink.kind or found.sink.kind == APPENDED:
            self.stop(f"{found.sink.target} is read after it was appended to", "")
        return found.frame

    def source(self, node: Any) -> Operator | None:
        """What a leaf of a plan stands for, if it is one of the stubs."""
        if node.kind == "LogicalRDD":
            return self.stubs.get(int(node.jvm.rdd().id()))
        if node.kind == "LogicalRelation" and node.jvm.catalogTable().isDefined():
            name = str(node.jvm.catalogTable().get().identifier().unquotedString())
            parts = name.split(".")[-2:]
            key = ".".join(parts)
            short = parts[-1] if parts[0] == "default" else key
            return self.tables.get(key) or self.tables.get(short)
        return None

    # -- while the job runs --------------------------------------------------------------------

    def __enter__(self) -> Capture:
        from pyspark.sql import DataFrame, GroupedData, SparkSession
        from pyspark.sql.catalog import Catalog
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        self._plain_sql, self._plain_table = self.spark.sql, self.spark.table
        self._plain_pivot = GroupedData.pivot
        here = self
        session: dict[str, Any] = {
            "read": property(lambda _: Reader(here)),
            "readStream": property(lambda _: here.stop("a stream is read", "")),
            "table": lambda _, name: here.table(name),
            "sql": lambda _, text, args=None, **more: here.sql(text, args, more),
            "createDataFrame": lambda _, *args, **named: here.create(*args, **named),
            "stop": lambda _: None,
        }
        frame: dict[str, Any] = {
            "write": property(lambda df: Writer(here, df)),
            "writeTo": lambda df, name: TableWriter(here, df, name),
            "writeStream": property(lambda _: here.stop("a stream is written", "")),
            "rdd": property(lambda _: here.stop("an RDD is made of a DataFrame", "rdd")),
            "show": lambda *_, **__: None,
            "checkpoint": lambda df, *_, **__: df,
            "localCheckpoint": lambda df, *_, **__: df,
            **{name: _unknown(here, name) for name in ASKED},
            **{name: _stopping(here, name) for name in STOPPING},
        }
        for owner, table in ((SparkSession, session), (Classic, frame), (DataFrame, frame)):
            for name, made in table.items():
                if hasattr(owner, name):
                    self._stack.enter_context(patch.object(owner, name, made))
        self._stack.enter_context(patch.object(GroupedData, "pivot", self._pivot()))
        self._stack.enter_context(
            patch.object(Catalog, "tableExists", lambda _, name, *__: here.exists(name))
        )
        self._patch_learning()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def _patch_learning(self) -> None:
        try:
            from pyspark.ml.base import Estimator
        except ImportError:  # it needs packages of its own
            return
        self._stack.enter_context(patch.object(Estimator, "fit", _stopping(self, "fit")))

    def _pivot(self) -> Callable[..., Any]:
        here = self

        def pivot(grouped: Any, column: Any, values: Any = None) -> Any:
            if values is None:
                here.stop("pivot without values asks Spark for them", "pivot")
            return here._plain_pivot(grouped, column, values)

        return pivot

    def stop(self, what: str, way: str) -> NoReturn:
        """Stop the program, naming file and line and the way out."""
        out = f"; {WAYS_OUT[way]}" if way in WAYS_OUT else ""
        stopped = Stopped(f"{self.site()}: {what}, and nothing runs while a job is loaded{out}")
        self.stopped = self.stopped or stopped
        raise stopped

    def site(self) -> str:
        """The file and line of the project that is being run."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(self.root) and "site-packages" not in path.parts:
                return f"{path.relative_to(self.root)}:{frame.f_lineno}"
            frame = frame.f_back
        return "the job"

    def exists(self, name: str) -> bool:
        """Whether a table exists: only declared ones are known."""
        known = name.replace("`", "")
        if known in self.tables or any(w.sink.target == known for w in self.written):
            return True
        self.stop(f"whether the table {name} exists is asked", "isEmpty")

    def sql(self, text: str, args: Any, more: Mapping[str, Any]) -> Any:
        """A query, or a command: what writes becomes a sink."""
        try:
            plan = self.spark._jsparkSession.sessionState().sqlParser().parsePlan(text)
            kind = str(plan.getClass().getSimpleName())
        except Exception:  # a template, or no SQL: Spark says so itself
            return self._plain_sql(text, args, **more)
        if kind in ("InsertIntoStatement", "CreateTableAsSelect", "ReplaceTableAsSelect"):
            return self._write_by_sql(plan, kind)
        if kind in IGNORED_COMMANDS:
            return self._plain_sql("SELECT 1")
        is_command = "Command" in kind or any(
            "Command" in str(c.getSimpleName()) for c in plan.getClass().getInterfaces()
        )
        if is_command and kind not in PASSED_COMMANDS:
            self.stop(f"the command {kind} is given", "")
        return self._plain_sql(text, args, **more)

    def _write_by_sql(self, plan: Any, kind: str) -> Any:
        from pyspark.sql.classic.dataframe import DataFrame

        datasets = self.spark._jvm.org.apache.spark.sql.classic.Dataset
        jvm_frame = datasets.ofRows(self.spark._jsparkSession, plan.query())
        frame = DataFrame(jvm_frame, self.spark)
        if kind == "InsertIntoStatement":
            target = ".".join(_sequence(plan.table().multipartIdentifier()))
            if plan.partitionSpec().size() or plan.userSpecifiedCols().size():
                self.stop("INSERT with partitions or columns", "")
            by = OVERWRITTEN if plan.overwrite() else APPENDED
            self.write(Sink(target, by, target, (), True), frame)
        else:
            target = ".".join(_sequence(plan.name().nameParts()))
            self.write(Sink(target, f"{WRITTEN}table, created", target), frame)
        return self._plain_sql("SELECT 1").limit(0)

    def create(self, data: Any, schema: Any = None, *args: Any, **named: Any) -> Any:
        """Rows given in the program."""
        if type(data).__module__.startswith("pyspark.core.rdd"):
            self.stop("a DataFrame is made of an RDD", "rdd")
        if schema is not None:
            named["schema"] = schema
        frame = self._create(data, *args, **named)
        rows = data
        if type(data).__module__.startswith("pandas"):
            rows = [data.columns.tolist(), [str(t) for t in data.dtypes], data.values.tolist()]
        elif not isinstance(data, list | tuple):
            rows = None
        known = digest_of(rows) if rows is not None else None
        types = [(f.name, type_of(f.dataType.jsonValue()), f.nullable) for f in frame.schema.fields]
        fields = tuple(Field(*t) for t in types)
        values = _values(data, fields) if rows is data else None
        name = f"rows_{(known or uuid4().hex)[:16]}"
        return self.stub(values or Source(name, fields, format="local"))

    # -- results -------------------------------------------------------------------------------

    def write(self, sink: Sink, frame: Any) -> None:
        """A result, written or returned."""
        for other in self.written:
            if other.sink.name == sink.name:
                places = f"{other.site} and {self.site()}"
                raise InputError(f"two sinks of one name, {sink.name!r}: {places}")
        self.written.append(Written(sink, frame, self.site()))

    def returned(self, result: Any, name: str) -> None:
        """What the function gave back: a frame, several, several by name, or nothing."""
        if isinstance(result, Mapping):
            named = {str(k): v for k, v in result.items()}
        elif isinstance(result, list | tuple):
            named = {f"result_{i}": v for i, v in enumerate(result, 1)}
        else:
            named = {} if result is None else {"result": result}
        frames = {k: v for k, v in named.items() if hasattr(v, "sparkSession")}
        if named and not frames and not self.written:
            raise InputError(f"{name} returns a {type(result).__name__}, not a DataFrame")
        for key, frame in frames.items():
            self.write(Sink(key), frame)
        if not self.written:
            raise InputError(f"{name} returns nothing and writes nothing")

    def dataflows(self) -> tuple[Dataflow, Dataflow | None]:
        """All results as one dataflow; and as Spark's optimizer has them, if that can be read."""
        found = read_frames([(w.frame, w.sink) for w in self.written], self.source, self.root)
        try:
            optimized = read_frames(
                [(w.frame, w.sink) for w in self.written], self.source, self.root, optimized=True
            )
        except VeerError:
            optimized = None
        return found, optimized

    def hint(self, error: BaseException) -> str:
        """What a user can do about an error of Spark's."""
        text = str(error)
        if "TABLE_OR_VIEW_NOT_FOUND" in text or "SCHEMA_NOT_FOUND" in text:
            return "; declare it: --schema 'CREATE TABLE name (column type, ...)'"
        return ""


def _values(data: Sequence[Any], fields: Sequence[Field]) -> Values | None:
    """Few plain rows as what they are."""
    if len(data) * len(fields) > MOST_CELLS or not fields:
        return None
    rows = []
    for row in data:
        if type(row) is not tuple and type(row) is not list:
            return None
        if len(row) != len(fields):
            return None
        cells = [_cell(v, f) for v, f in zip(row, fields, strict=True)]
        if any(c is _ODD for c in cells):
            return None
        rows.append(tuple(cells))
    return Values(tuple(fields), tuple(rows))


_ODD = object()


def _cell(value: Any, field: Field) -> Any:
    """A value as the model has it; `_ODD` if that is not plain to see."""
    if value is None:
        return None
    match field.type:
        case BooleanType() if type(value) is bool:
            return value
        case IntegralType() if type(value) is int:
            return value
        case DoubleType() if type(value) is float and value == value:
            return value
        case StringType() if type(value) is str:
            return value
        case DateType() if type(value) is date and not isinstance(value, datetime):
            return value
        case DecimalType() as type_ if type(value) is Decimal:
            exact = value.quantize(Decimal(1).scaleb(-type_.scale))
            return (
                exact
                if exact == value and abs(value) < 10 ** (type_.precision - type_.scale)
                else _ODD
            )
        case _:
            return _ODD


class _Unknown:
    """The value of an action that did not run: it may be printed, and nothing else."""

    def __init__(self, capture: Capture, action: str) -> None:
        self.__dict__["_said"] = (capture, action, capture.site())

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        capture, action, site = self.__dict__["_said"]
        stopping: Capture = capture
        stopping.stop(f"the value of {action}() at {site} is used", action)

    def __str__(self) -> str:
        if not _is_printed(sys._getframe(1)):
            self._refused()
        return "?"

    __repr__ = __str__

    def __format__(self, _: str) -> str:
        if not _is_printed(sys._getframe(1)):
            self._refused()
        return "?"

    __getattr__ = __bool__ = __iter__ = __len__ = __getitem__ = __call__ = __hash__ = _refused
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _refused
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _refused
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = _refused
    __int__ = __float__ = __index__ = __next__ = __enter__ = __setattr__ = _refused


def _is_printed(frame: FrameType) -> bool:
    """Whether a text is made for a log or the screen, where nothing reads it again."""
    if frame.f_globals.get("__name__", "").startswith("logging"):
        return True
    statement = _statement(frame.f_code.co_filename, frame.f_lineno)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    called = statement.value.func
    name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
    if isinstance(called, ast.Name):
        return name == "print"
    return name in LOGGED - {"print", "write"}


@cache
def _statement(path: str, line: int) -> ast.stmt | None:
    """The innermost statement around a line."""
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return None
    around = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)
    ]
    return max(around, key=lambda n: (n.lineno, -(n.end_lineno or 0)), default=None)


def _unknown(capture: Capture, action: str) -> Callable[..., Any]:
    return lambda *_, **__: _Unknown(capture, action)


def _stopping(capture: Capture, action: str) -> Callable[..., Any]:
    return lambda *_, **__: capture.stop(f"{action}() runs a query", action)


def _rdd_number(frame: Any) -> int:
    return int(frame._jdf.queryExecution().analyzed().rdd().id())


def _sequence(found: Any) -> list[str]:
    return [str(found.apply(i)) for i in range(found.size())]


def _quoted(parts: Sequence[str]) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def _ddl(fields: Sequence[Field]) -> str:
    return ", ".join(
        f"{_quoted([f.name])} {f.type}{'' if f.nullable else ' NOT NULL'}" for f in fields
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


__all__ = ["Capture", "Stopped"]
