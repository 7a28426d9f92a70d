"""Jobs loaded in a classic session: Spark analyzes, Veer reads its plans, nothing is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from veer.errors import InputError, UnsupportedError, VeerError
from veer.facts.determinism import expr_kind
from veer.functions.registry import Kind
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.schema import Field
from veer.ir.walk import operator_exprs
from veer.ir.writes import Insert, Write
from veer.read.pyspark.capture.capture import Capture, first_line
from veer.read.pyspark.capture.session import OF_MACHINE, is_of_loading
from veer.read.pyspark.frames import read_frames
from veer.read.pyspark.layout import classic_frame_class, datasets, is_rdd
from veer.read.pyspark.plans.python_rows import rows_from_python
from veer.read.pyspark.plans.sources import source_of
from veer.read.pyspark.plans.tree import parameter_names, plan_of, scala_items
from veer.read.pyspark.plans.types import type_of
from veer.read.pyspark.setting_rows import OF_WRITES, spark_default
from veer.read.session_settings import check_settings
from veer.settings import spark_version

REFUSED_CONTEXT_CALLS = ("textFile", "wholeTextFiles", "runJob", "binaryFiles", "sequenceFile", "pickleFile",
           "hadoopFile", "newAPIHadoopFile")  # fmt: skip
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
OF_WRITES_PLANS = ("InsertIntoStatement", "CreateTableAsSelect", "ReplaceTableAsSelect")
EAGER_PLANS = (
    "InsertIntoDir",
    "ExecuteImmediateQuery",
    "UnresolvedExecuteImmediate",
    "CompoundBody",
)


class ClassicCapture(Capture):
    """Intercepts a classic session."""

    def __init__(
        self,
        spark: Any,
        schema: str,
        root: Path,
        data: Path,
        given_settings: Iterable[str] = (),
    ) -> None:
        super().__init__(spark, schema, root, data)
        self.given_settings = given_settings  # by the user
        self.stubs: dict[int, ops.AnyOperator] = {}  # by the number of the RDD that stands for them
        self._create = spark.createDataFrame
        for name, source in self.tables.items():
            self._declare(name, source)

    # -- tables --------------------------------------------------------------------------------

    def _declare(self, name: str, source: ops.Source) -> None:
        """A table of the catalog, so that SQL finds it too; paths are for readers only."""
        parts = name.split(".")
        if "/" in name or len(parts) > 2:
            return
        try:
            if len(parts) == 2:
                self.spark.sql(f"CREATE DATABASE IF NOT EXISTS {_quoted(parts[:1])}")
            self.spark.sql(f"CREATE TABLE {_quoted(parts)} ({_ddl(source.fields)}) USING parquet")
        except Exception as error:
            raise InputError(f"--schema: table {name}: {first_line(error)}") from None

    def close(self) -> None:
        """Take the declared tables out of the catalog again."""
        for name in self.tables:
            if "/" not in name and name.count(".") < 2:
                self.spark.sql(f"DROP TABLE IF EXISTS {_quoted(name.split('.'))}")

    def is_view(self, name: str) -> bool:
        """Whether there is a temporary view of that name."""
        catalog = self.spark._jsparkSession.sessionState().catalog()
        return bool(catalog.getTempView(name).isDefined())

    def known_table(self, name: str) -> Any:
        """A table that the schema declares, or a view; stops the job if there is none."""
        parts = name.replace("`", "").split(".")
        key = next((k for k in (".".join(parts), ".".join(parts[-2:])) if k in self.tables), None)
        if key is not None and (len(parts) > 2 or "/" in key):
            table = self.tables[key]
            # Tables of two catalogs are two tables, though the schema may tell the columns of both.
            other = key != ".".join(parts) and parts[0].lower() != "spark_catalog"
            return self.stub(replace(table, table=".".join(parts)) if other else table)
        try:
            return self._original_table(name)
        except Exception as error:
            hint = self.hint(error)
            self.stop(f"{first_line(error)}{hint}", says_what_to_do=bool(hint))

    def stub(self, operator: ops.AnyOperator) -> Any:
        """An empty frame that stands for a source."""
        from pyspark.sql.types import StructField, StructType, _parse_datatype_string

        assert isinstance(operator, ops.Source | ops.Values)
        columns = [
            StructField(f.name, _parse_datatype_string(str(f.type)), f.nullable)
            for f in operator.fields
        ]
        empty = self.spark.sparkContext.emptyRDD()
        frame = self._create(empty, StructType(columns))
        self.stubs[_rdd_number(frame)] = operator
        return frame

    def source(self, node: Any) -> ops.AnyOperator | None:
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

    def replacements(self) -> list[tuple[Any, dict[str, Any]]]:
        """The classes of PySpark that are intercepted, each with its methods."""
        from pyspark import SparkContext
        from pyspark.sql import DataFrame, GroupedData, Observation, SparkSession
        from pyspark.sql.catalog import Catalog

        self._original_sql, self._original_table = self.spark.sql, self.spark.table
        frame = self.frame_methods()
        return [
            (SparkSession, self.session_methods()),
            (classic_frame_class(), frame),
            (DataFrame, frame),
            (GroupedData, self.pivot(GroupedData.pivot)),
            (Catalog, self.catalog_methods()),
            (SparkContext, {name: self.refused(name) for name in REFUSED_CONTEXT_CALLS}),
            (SparkContext, self._context_methods(SparkContext)),
            (type(self.spark.conf), self._conf_methods(type(self.spark.conf))),
            (Observation, self.observation_methods()),
            *self._learning(),
        ]

    def _context_methods(self, context: Any) -> dict[str, Any]:
        """What a context says of the session in which jobs are loaded: nothing, to a program."""

        def told(name: str) -> property:
            original = vars(context).get(name)

            def get(of: Any) -> Any:
                if self.program_asks() or original is None:
                    return self.world_value(f"sparkContext.{name}")
                return original.fget(of)

            return property(get, lambda of, value: vars(of).__setitem__(name, value))

        names = [n for n in OF_MACHINE if isinstance(vars(context).get(n), property)]
        original_conf = context.getConf

        def conf(of: Any) -> Any:
            if self.program_asks():
                self.stop("the settings of the context are asked")
            return original_conf(of)

        return {**{name: told(name) for name in names}, "getConf": conf}

    def _conf_methods(self, conf: Any) -> dict[str, Any]:
        """Settings as programs ask for them: those of loading itself are not told."""
        original_get, original_set, given = conf.get, conf.set, set[str]()

        def get(of: Any, key: str, *default: Any) -> Any:
            if key in given or not (self.program_asks() and is_of_loading(key)):
                return original_get(of, key, *default)
            if default and key.startswith("spark.sql."):
                return default[0]
            usual = spark_default(key, spark_version(str(self.spark.version)))
            if usual is None:
                self.stop(
                    f"the setting {key} is asked, which is not set; give --conf {key}=VALUE",
                    says_what_to_do=True,
                )
            return usual

        def set_(of: Any, key: str, value: Any) -> None:
            original_set(of, key, value)
            given.add(key)

        def everything(of: Any) -> Any:
            if self.program_asks():
                self.stop("all settings of the session are asked")
            return original_all(of)

        given.update(self.given_settings)
        methods = {"get": get, "set": set_}
        if isinstance(vars(conf).get("getAll"), property):
            original_all = vars(conf)["getAll"].fget
            methods["getAll"] = property(everything)  # type: ignore[assignment]
        return methods

    def _learning(self) -> list[tuple[Any, dict[str, Any]]]:
        try:
            from pyspark.ml.base import Estimator
        except ImportError:  # it needs packages of its own
            return []
        return [(Estimator, self.learning_methods())]

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
            if kind in OF_WRITES_PLANS:
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
                self.stop(f"{first_line(error)}{hint}", says_what_to_do=True)
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
        if next(self._executing_parts(plan.query()), None) is not None:
            self.stop("a command inside of another is given")
        jvm_frame = datasets(self.spark).ofRows(self.spark._jsparkSession, plan.query())
        frame = classic_frame_class()(jvm_frame, self.spark)
        if kind == "InsertIntoStatement":
            target = ".".join(map(str, scala_items(plan.table().multipartIdentifier())))
            if plan.partitionSpec().size() or plan.userSpecifiedCols().size():
                self.stop("INSERT with partitions or columns")
            write = Insert(bool(plan.overwrite()), bool(plan.byName()))
            positional = not write.by_name
            self.write(ops.Sink(target, target=target, positional=positional, write=write), frame)
        else:
            target = ".".join(map(str, scala_items(plan.name().nameParts())))
            how = [
                str(plan.productElement(i).toString())
                for i, name in enumerate(parameter_names(plan))
                if name in ("partitioning", "tableSpec")
            ]
            may = str(plan.ignoreIfExists()) if kind == "CreateTableAsSelect" else "replace"
            created = Write("table", "created", (may, " ".join(how)))
            self.write(ops.Sink(target, target=target, write=created), frame)
        return self._original_sql("SELECT 1").limit(0)

    def create(self, data: Any, schema: Any = None, *args: Any, **named: Any) -> Any:
        """Rows given in the program."""
        if is_rdd(data):
            self.stop("a DataFrame is made of an RDD", "rdd")
        if schema is not None:
            named["schema"] = schema
        frame = self._create(data, *args, **named)
        # Rows that Spark holds in the plan are read from there, as Spark converted them.
        source = source_of(plan_of(frame._jdf.queryExecution().analyzed()))
        if isinstance(source, ops.Values):
            return self.stub(source)
        fields = tuple(
            Field(f.name, type_of(f.dataType.jsonValue()), f.nullable) for f in frame.schema.fields
        )
        return self.stub(rows_from_python(data, fields))

    def column_text(self, column: Any) -> str:
        """What tells a column that says how something is written."""
        return str(column)

    # -- results -------------------------------------------------------------------------------

    def write_settings(self) -> Mapping[str, str]:
        """The settings of the session that decide a write; others must be at their defaults."""
        return check_settings(self.spark, OF_WRITES)

    def dataflows(self) -> tuple[Dataflow, Dataflow | None]:
        """All results as one dataflow; and as Spark's optimizer has them, if that can be read."""
        self.check_zone()
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


def _rdd_number(frame: Any) -> int:
    return int(frame._jdf.queryExecution().analyzed().rdd().id())


def _quoted(parts: Sequence[str]) -> str:
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


def _ddl(fields: Sequence[Field]) -> str:
    return ", ".join(
        f"{_quoted([f.name])} {f.type}{'' if f.nullable else ' NOT NULL'}" for f in fields
    )
