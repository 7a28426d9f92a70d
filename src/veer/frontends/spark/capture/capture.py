"""Running a user's function without running Spark on anything: what it reads becomes sources,
what it writes or returns becomes sinks, an action whose value it uses stops it.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NoReturn, final
from unittest.mock import patch

from veer.analysis.determinism import expr_kind
from veer.errors import InputError, UnsupportedError, VeerError
from veer.frontends.spark import read_frames
from veer.frontends.spark.capture.actions import UnknownValue, is_only_shown
from veer.frontends.spark.capture.readers_writers import (
    CapturedReader,
    CapturedTableWriter,
    CapturedWriter,
)
from veer.frontends.spark.plans.python_rows import rows_from_python
from veer.frontends.spark.plans.sources import source_of
from veer.frontends.spark.plans.time_zones import is_utc
from veer.frontends.spark.plans.tree import plan_of, scala_items
from veer.frontends.spark.plans.types import type_of
from veer.frontends.spark.settings import WRITING, check_settings
from veer.frontends.sql import read_schema
from veer.functions.registry import Kind
from veer.model.dag import Dataflow
from veer.model.ops import (
    AnyOperator,
    Sink,
    Source,
    Values,
)
from veer.model.pprint import show_kind
from veer.model.schema import Field, close_names
from veer.model.walk import operator_exprs
from veer.model.writes import Insert, Write

# Values a program may only print: it cannot go on with what nobody computed.
PRINTABLE_ACTIONS = ("count", "collect", "first", "head", "take", "tail", "toPandas", "toArrow", "isEmpty",
         "toLocalIterator", "inputFiles")  # fmt: skip
REFUSED_CATALOG_CALLS = ("listTables", "listDatabases", "listColumns", "listCatalogs", "getTable", "getDatabase",
           "databaseExists", "functionExists", "createTable", "createExternalTable",
           "listFunctions", "recoverPartitions")  # fmt: skip
REFUSED_CONTEXT_CALLS = ("textFile", "wholeTextFiles", "runJob", "binaryFiles", "sequenceFile", "pickleFile",
           "hadoopFile", "newAPIHadoopFile")  # fmt: skip
# Written like this, without options of any kind, it holds these rows and no others.
REREAD_FORMATS = ("parquet", "orc", "delta", "table")
REREAD_MODES = ("overwrite", "error", "created", "replaced", "created or replaced")
READERS = ("read", "table", "createDataFrame")
REFUSED_ACTIONS = ("foreach", "foreachPartition", "approxQuantile", "corr", "cov", "crosstab", "freqItems",
            "describe", "summary", "transpose", "pandas_api", "mergeInto", "toJSON")  # fmt: skip
WAYS_OUT = {
    "count": "pass the number in as an argument",
    "collect": "pass the values in as an argument, or use a join",
    "pivot": "list the values: pivot(column, [values])",
    "fit": "load a fitted model outside of the function and pass it in",
    "isEmpty": "decide it outside of the function",
    "rdd": "use DataFrame operations",
}
# Commands that change nothing but names and settings of the session.
PASSED_COMMANDS = frozenset(
    {"SetCommand", "ResetCommand", "CreateViewCommand", "CreateView", "SetCatalogAndNamespace"}
    | {"SetNamespaceCommand", "DropView", "DropTempView", "CreateFunction", "ExplainCommand"}
    | {"CreateUserDefinedFunction", "CreateFunctionCommand", "DescribeRelation", "UncacheTable"}
)
# Commands that change no result, and need not be run.
IGNORED_COMMANDS = frozenset(
    {"AnalyzeTable", "AnalyzeTables", "AnalyzeColumn", "RepairTable", "OptimizeTable"}
    | {"CacheTable", "RefreshTable", "CreateNamespace", "CreateTable", "DropTable"}
)
WRITING_PLANS = ("InsertIntoStatement", "CreateTableAsSelect", "ReplaceTableAsSelect")
EAGER_PLANS = (
    "InsertIntoDir",
    "ExecuteImmediateQuery",
    "UnresolvedExecuteImmediate",
    "CompoundBody",
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

    live = False  # or what it reads is really read

    def __init__(self, spark: Any, schema: str, root: Path, data: Path) -> None:
        self.spark = spark
        self.root = root
        self.data = data
        self.tables: dict[str, Source] = dict(read_schema(schema)) if schema else {}
        self.stubs: dict[int, AnyOperator] = {}  # by the number of the RDD that stands for them
        self.written: list[Written] = []
        self.stopped: Stopped | None = None
        self.keep = False  # whether PySpark stays intercepted: the process ends anyway
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
        plain = name.replace("`", "")
        temporary = self.spark._jsparkSession.sessionState().catalog().getTempView(plain)
        for written in self.written if not temporary.isDefined() else ():
            if written.sink.target == plain:
                return self.reread(written)
        parts = plain.split(".")
        key = next((k for k in (".".join(parts), ".".join(parts[-2:])) if k in self.tables), None)
        if key is not None and (len(parts) > 2 or "/" in key):
            return self.stub(self.tables[key])
        try:
            return self._original_table(name)
        except Exception as error:
            hint = self.hint(error)
            self.stop(f"{_first_line(error)}{hint}", says_what_to_do=bool(hint))

    def stub(self, operator: AnyOperator) -> Any:
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

    def path(self, path: str) -> str:
        """A path as it is compared: without the place of the checkout and other spellings."""
        shown = re.sub(r"^file:(//)?(?=/)", "", path)
        shown = shown.removeprefix(f"{self.root}/")
        scheme, separator, rest = shown.rpartition("://")
        return f"{scheme}{separator}{posixpath.normpath(rest)}" if rest else shown

    def reread(self, written: Written) -> Any:
        """What was written, if that is all there can be."""
        match written.sink.write:
            case Write(format_, mode, (), ()) if format_ in REREAD_FORMATS and mode in REREAD_MODES:
                return written.frame
            case _:
                how = show_kind(written.sink)
                self.stop(f"{written.sink.target} is read after it was written as {how}")

    def source(self, node: Any) -> AnyOperator | None:
        """What a leaf of a plan stands for, if it is one of the stubs."""
        if node.kind == "LogicalRDD":
            return self.stubs.get(int(node.jvm.rdd().id()))
        if node.kind == "LogicalRelation" and node.jvm.catalogTable().isDefined():
            name = str(node.jvm.catalogTable().get().identifier().unquotedString())
            parts = name.split(".")[-2:]
            key = ".".join(parts)
            short = parts[-1] if parts[0] == "default" else key
            if any(w.sink.target in (key, short) for w in self.written):
                raise UnsupportedError(f"the table {short} is read and written by one job")
            return self.tables.get(key) or self.tables.get(short)
        return None

    # -- while the job runs --------------------------------------------------------------------

    def __enter__(self) -> Capture:
        from pyspark.sql import GroupedData

        self._original_sql, self._original_table = self.spark.sql, self.spark.table
        self._original_pivot = GroupedData.pivot
        for owner, table in self._replacements():
            for name, replacement in table.items():
                if hasattr(owner, name):
                    self._stack.enter_context(patch.object(owner, name, replacement))
        self._patch_learning()
        return self

    def _replacements(self) -> list[tuple[Any, dict[str, Any]]]:
        """The classes of PySpark that are intercepted, each with its methods."""
        from pyspark import SparkContext
        from pyspark.sql import DataFrame, GroupedData, Observation, SparkSession
        from pyspark.sql.catalog import Catalog
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        here = self
        frame = self._frame_methods()
        catalog = {
            **{name: _refused_action(here, name) for name in REFUSED_CATALOG_CALLS},
            "tableExists": lambda _, name, *__: here.exists(name),
        }
        context = {name: _refused_action(here, name) for name in REFUSED_CONTEXT_CALLS}
        watched = {"get": property(lambda _: here.stop("what was observed is asked", "count"))}
        return [
            (SparkSession, self._session_methods()),
            (Classic, frame),
            (DataFrame, frame),
            (GroupedData, {"pivot": self._pivot()}),
            (Catalog, catalog),
            (SparkContext, context),
            (Observation, watched),
        ]

    def _session_methods(self) -> dict[str, Any]:
        here = self
        session: dict[str, Any] = {
            "read": property(lambda _: CapturedReader(here)),
            "readStream": property(lambda _: here.stop("a stream is read")),
            "table": lambda _, name: here.table(name),
            "sql": lambda _, text, args=None, **more: here.sql(text, args, more),
            "createDataFrame": lambda _, *args, **named: here.create(*args, **named),
            "stop": lambda _: None,
            "newSession": lambda _: here.stop("another session is made"),
        }
        return {k: v for k, v in session.items() if not self.live or k not in READERS}

    def _frame_methods(self) -> dict[str, Any]:
        here = self
        return {
            "write": property(lambda df: CapturedWriter(here, df)),
            "writeTo": lambda df, name: CapturedTableWriter(here, df, name),
            "writeStream": property(lambda _: here.stop("a stream is written")),
            "rdd": property(lambda _: here.stop("an RDD is made of a DataFrame", "rdd")),
            "show": lambda *_, **__: None,
            "checkpoint": lambda df, *_, **__: df,
            "localCheckpoint": lambda df, *_, **__: df,
            **{name: _printable_action(here, name) for name in PRINTABLE_ACTIONS},
            **{name: _refused_action(here, name) for name in REFUSED_ACTIONS},
        }

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self.keep:
            self._stack.close()

    def _patch_learning(self) -> None:
        try:
            from pyspark.ml.base import Estimator
        except ImportError:  # it needs packages of its own
            return
        self._stack.enter_context(patch.object(Estimator, "fit", _refused_action(self, "fit")))

    def _pivot(self) -> Callable[..., Any]:
        here = self

        def pivot(grouped: Any, column: Any, values: Any = None) -> Any:
            if values is None:
                here.stop("pivot without values asks Spark for them", "pivot")
            return here._original_pivot(grouped, column, values)

        return pivot

    def stop(self, what: str, action: str = "", *, says_what_to_do: bool = False) -> NoReturn:
        """Stop the program, naming file and line and the way out of an action.

        `says_what_to_do` where `what` itself tells the user how to go on.
        """
        out = f"; {WAYS_OUT[action]}" if action in WAYS_OUT else ""
        why = "" if says_what_to_do else ", and nothing runs while a job is loaded"
        stopped = Stopped(f"{self.site()}: {what}{why}{out}")
        self.stopped = self.stopped or stopped
        raise stopped

    def frame(self) -> FrameType | None:
        """The call of the project that is being run."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.is_relative_to(self.root) and "site-packages" not in path.parts:
                return frame
            frame = frame.f_back
        return None

    def site(self) -> str:
        """The file and line of the project that is being run."""
        frame = self.frame()
        if frame is None:
            return "the job"
        return f"{Path(frame.f_code.co_filename).relative_to(self.root)}:{frame.f_lineno}"

    def exists(self, name: str) -> bool:
        """Whether a table exists: only declared ones are known."""
        table = name.replace("`", "")
        if table in self.tables or any(w.sink.target == table for w in self.written):
            return True
        self.stop(f"whether the table {name} exists is asked", "isEmpty")

    def sql(self, text: str, args: Any, more: Mapping[str, Any]) -> Any:
        """A query, or a command: what writes becomes a sink, and nothing else is run."""
        from pyspark.sql.sql_formatter import SQLStringFormatter

        formatter = SQLStringFormatter(self.spark)
        try:
            text = formatter.format(text, **more) if more else text
            try:
                plan = self.spark._jsparkSession.sessionState().sqlParser().parsePlan(text)
            except Exception:  # no SQL: Spark says so itself, before it does anything
                return self._run_query(text, args)
            kind = str(plan.getClass().getSimpleName())
            if kind in WRITING_PLANS:
                if args:
                    self.stop("a writing command with parameters is given")
                return self._write_by_sql(plan, kind)
            if kind in IGNORED_COMMANDS:
                return self._original_sql("SELECT 1")
            running = next(self._executing_parts(plan), None)
            if running is not None and (running != kind or kind not in PASSED_COMMANDS):
                self.stop(f"the command {running} is given")
            return self._run_query(text, args)
        finally:
            formatter.clear()

    def _run_query(self, text: str, args: Any) -> Any:
        try:
            return self._original_sql(text, args) if args else self._original_sql(text)
        except Exception as error:
            hint = self.hint(error)
            if hint:
                self.stop(f"{_first_line(error)}{hint}", says_what_to_do=True)
            raise

    def _executing_parts(self, plan: Any) -> Iterator[str]:
        """The parts of a parsed text that do something."""
        classes = self.spark._jvm.java.lang.Class
        package = "org.apache.spark.sql.catalyst.plans.logical"
        doing = [classes.forName(f"{package}.{n}") for n in ("Command", "ParsedStatement")]
        waiting = [plan]
        while waiting:
            node = waiting.pop()
            kind = str(node.getClass().getSimpleName())
            if kind in EAGER_PLANS or any(c.isInstance(node) for c in doing):
                yield kind
            waiting += scala_items(node.children())

    def _write_by_sql(self, plan: Any, kind: str) -> Any:
        from pyspark.sql.classic.dataframe import DataFrame

        if next(self._executing_parts(plan.query()), None) is not None:
            self.stop("a command inside of another is given")
        datasets = self.spark._jvm.org.apache.spark.sql.classic.Dataset
        jvm_frame = datasets.ofRows(self.spark._jsparkSession, plan.query())
        frame = DataFrame(jvm_frame, self.spark)
        if kind == "InsertIntoStatement":
            target = ".".join(map(str, scala_items(plan.table().multipartIdentifier())))
            if plan.partitionSpec().size() or plan.userSpecifiedCols().size():
                self.stop("INSERT with partitions or columns")
            write = Insert(bool(plan.overwrite()), bool(plan.byName()))
            positional = not write.by_name
            self.write(Sink(target, target=target, positional=positional, write=write), frame)
        else:
            target = ".".join(map(str, scala_items(plan.name().nameParts())))
            how = [
                str(plan.productElement(i).toString())
                for i in range(plan.productArity())
                if str(plan.productElementName(i)) in ("partitioning", "tableSpec")
            ]
            may = str(plan.ignoreIfExists()) if kind == "CreateTableAsSelect" else "replace"
            created = Write("table", "created", (may, " ".join(how)))
            self.write(Sink(target, target=target, write=created), frame)
        return self._original_sql("SELECT 1").limit(0)

    def create(self, data: Any, schema: Any = None, *args: Any, **named: Any) -> Any:
        """Rows given in the program."""
        if type(data).__module__.startswith("pyspark.core.rdd"):
            self.stop("a DataFrame is made of an RDD", "rdd")
        if schema is not None:
            named["schema"] = schema
        frame = self._create(data, *args, **named)
        # Rows that Spark holds in the plan are read from there, as Spark converted them.
        source = source_of(plan_of(frame._jdf.queryExecution().analyzed()))
        if isinstance(source, Values):
            return self.stub(source)
        fields = tuple(
            Field(f.name, type_of(f.dataType.jsonValue()), f.nullable) for f in frame.schema.fields
        )
        return self.stub(rows_from_python(data, fields))

    # -- results -------------------------------------------------------------------------------

    def write(self, sink: Sink, frame: Any) -> None:
        """A result, written or returned."""
        for other in self.written:
            if other.sink.name == sink.name:
                self.stop(f"two sinks of one name, {sink.name!r}: the other at {other.site}")
        zone = self.spark.conf.get("spark.sql.session.timeZone")
        if not is_utc(zone):
            self.stop(f"the time zone is {zone}, and jobs are read with UTC")
        if sink.write is not None:
            settings = (*sink.write.settings, *check_settings(self.spark, WRITING).items())
            sink = replace(sink, write=replace(sink.write, settings=settings))
        self.written.append(Written(sink, frame, self.site()))

    def returned(self, result: Any, name: str) -> None:
        """What the function gave back: a frame, several, several by name, or nothing."""
        if isinstance(result, Mapping):
            named = {str(k): v for k, v in result.items()}
            if len(named) < len(result):
                raise InputError(f"{name} returns two results of one name")
        elif isinstance(result, list | tuple):
            named = {f"result_{i}": v for i, v in enumerate(result, 1)}
        else:
            named = {} if result is None else {"result": result}
        frames = {k: v for k, v in named.items() if hasattr(v, "sparkSession")}
        odd = [v for v in named.values() if not hasattr(v, "sparkSession")]
        if any(not isinstance(v, bool | int | float | str | None) for v in odd) or (
            named and not frames and not self.written
        ):
            raise InputError(f"{name} returns a {type(odd[0]).__name__}, not a DataFrame")
        for key, frame in frames.items():
            self.write(Sink(key), frame)
        if not self.written:
            raise InputError(f"{name} returns nothing and writes nothing")

    def dataflows(self) -> tuple[Dataflow, Dataflow | None]:
        """All results as one dataflow; and as Spark's optimizer has them, if that can be read."""
        dataflow = read_frames([(w.frame, w.sink) for w in self.written], self.source, self.root)
        kinds = (expr_kind(e) for o in dataflow.operators.values() for e in operator_exprs(o))
        if any(kind is not Kind.PURE for kind in kinds):
            return dataflow, None  # the optimizer replaces `current_date()` by today's
        try:
            optimized = read_frames(
                [(w.frame, w.sink) for w in self.written], self.source, self.root, optimized=True
            )
        except VeerError:
            optimized = None
        return dataflow, optimized

    def hint(self, error: BaseException) -> str:
        """What a user can do about an error of Spark's."""
        text = str(error)
        if "TABLE_OR_VIEW_NOT_FOUND" in text or "SCHEMA_NOT_FOUND" in text:
            asked = re.search(r"The table or view (\S+) cannot", text)
            name = asked[1].replace("`", "") if asked else ""
            close = close_names(name, self.tables) if name else []
            meant = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
            return f"{meant}; declare it: --schema 'CREATE TABLE name (column type, ...)'"
        return ""


def _printable_action(capture: Capture, action: str) -> Callable[..., Any]:
    """An action whose value may be shown, if that is all the program does with it."""

    def called(*_: Any, **__: Any) -> UnknownValue:
        what = f"the value of {action}() is used"
        frame = capture.frame()
        if frame is None or not is_only_shown(frame, action):
            capture.stop(what, action)
        return UnknownValue(lambda: capture.stop(what, action))

    return called


def _refused_action(capture: Capture, action: str) -> Callable[..., Any]:
    return lambda *_, **__: capture.stop(f"{action}() runs a query", action)


def _rdd_number(frame: Any) -> int:
    return int(frame._jdf.queryExecution().analyzed().rdd().id())


def _quoted(parts: Sequence[str]) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def _ddl(fields: Sequence[Field]) -> str:
    return ", ".join(
        f"{_quoted([f.name])} {f.type}{'' if f.nullable else ' NOT NULL'}" for f in fields
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


__all__ = ["Capture", "Stopped"]
