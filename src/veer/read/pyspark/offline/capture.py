"""Jobs loaded in a session without a server: plans of the Connect client, read by Veer itself."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self
from unittest.mock import patch

from veer.errors import InputError, ParseError, UnsupportedError
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.ops import AnyOperator
from veer.ir.schema import Schema, close_names
from veer.read.pyspark import layout
from veer.read.pyspark.capture.capture import Capture, Written, first_line
from veer.read.pyspark.capture.stopping import NeedsJvm, StoppedForJvm
from veer.read.pyspark.connect.reading import GrowingPlans, read_relations
from veer.read.pyspark.connect.schema_nulls import Nulls
from veer.read.pyspark.offline.classic_api import classic_replacements, pivot_over_any
from veer.read.pyspark.offline.client import Client, ContextStandIn
from veer.read.pyspark.offline.functions import Functions
from veer.read.pyspark.offline.older_client import is_older_client, older_replacements
from veer.read.pyspark.offline.schema_answers import Answers
from veer.read.pyspark.offline.statements import run_statement
from veer.read.pyspark.offline.surroundings import JobSurroundings
from veer.read.pyspark.offline.types import columns_of, struct_type
from veer.read.pyspark.plans.python_rows import rows_from_python
from veer.read.pyspark.setting_rows import OF_WRITES
from veer.read.session_settings import (
    check_settings,
    deciding_settings,
    session_settings,
    spark_asked_for,
)
from veer.read.sql.tables import files_at, path_of
from veer.read.zoned_expressions import with_zone
from veer.settings import SessionSettings, name_key, under

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation

    from veer.read.pyspark.offline.client import Client


STAND_IN = "veer stands for source"  # begins names of tables that no program reads
# What only objects of a classic session have.
SESSION = ("_jvm", "_jsc", "_jconf", "_jsparkSession", "_sc")
FRAME = ("_jdf", "_jseq", "_jmap", "_jcols", "sql_ctx")
COLUMN = ("_jc",)
LACKING = ("NOT_IMPLEMENTED", "JVM_ATTRIBUTE_NOT_SUPPORTED", "UNSUPPORTED_OPERATION")
CLIENT = "/pyspark/sql/connect/"  # an exception from in there that is not meant for programs
IGNORED_CATALOG_CALLS = ("cacheTable", "uncacheTable", "refreshTable", "refreshByPath")
DATAFRAME_ROWS = ("pandas", "numpy", "pyarrow")
ARROW = "spark.sql.execution.arrow.pyspark.enabled"


class OfflineCapture(Capture):
    """Intercepts a session that has no server, and stands for its server."""

    def __init__(
        self, schema: str, root: Path, data: Path, conf: Mapping[str, str], spark: str = ""
    ) -> None:
        self.spark_version = spark_asked_for(spark)
        self.client = Client(self, conf)
        self._read_under: SessionSettings | None = None  # of the first plan
        self._first_told: dict[str, str] = {}
        super().__init__(connect_session(self.client), schema, root, data)
        self.functions = Functions()
        self.surroundings = JobSurroundings(self)
        self._plans = GrowingPlans(self.surroundings)
        self._answers = Answers(self.stop_for_jvm)
        self.stubs: dict[str, ops.AnyOperator] = {}  # by the names that stand for them
        self.views: dict[str, Callable[[], Any]] = {}  # what gives plans of views, by `_key`
        self.database = "default"
        self.reads_names = False  # whether a plan has names of tables, which are looked up later
        self._refers_out = False  # whether a column of a plan around its own was named

    # -- tables --------------------------------------------------------------------------------

    def declared(self, parts: Sequence[str]) -> ops.Source | None:
        """The table of the schema that a name means."""
        lower = [part.lower() for part in parts]
        if len(lower) == 3 and lower[0] == "spark_catalog":
            lower = lower[1:]
        if len(lower) == 1 and self.database != "default":
            lower = [self.database, *lower]
        names = [".".join(lower), ".".join(lower[-2:])]
        if len(lower) == 2 and lower[0] == "default":
            names.append(lower[1])
        if (path := path_of(parts)) and (files := self._files_at(parts, path)) is not None:
            return files
        found = next((n for n in names if n in self.tables), None)
        if found is None:
            return None
        # Tables of two catalogs are two tables, though the schema may tell the columns of both.
        other = len(lower) > 2 and found == names[1] != names[0]
        return replace(self.tables[found], table=".".join(parts)) if other else self.tables[found]

    def _files_at(self, parts: Sequence[str], path: str) -> ops.Source | None:
        """The files that SQL names by their format, as a reader would name them."""
        tables = {self.path(name): source for name, source in self.tables.items()}
        return files_at([parts[0], self.path(path)], tables)

    def declared_table(self, name: str) -> ops.Source | None:
        """The table of the schema that a reader names."""
        return self.declared(name.replace("`", "").split("."))

    def writes(self, table: str) -> bool:
        """Whether the job has written a table, by any of its names."""
        targets = (w.sink.target for w in self.written)
        return any(table.lower() in (t.lower(), self._name_of(t)) for t in targets if t)

    def _name_of(self, target: str) -> str:
        declared = self.declared(target.split("."))
        return declared.table.lower() if declared is not None else ""

    # -- frames --------------------------------------------------------------------------------

    def frame_of(self, plan: Any) -> Any:
        """A DataFrame of a plan."""
        return layout.connect_frame(plan, self.spark)

    def stub(self, operator: ops.AnyOperator) -> Any:
        """A frame that stands for a source."""
        return self.frame_of(self._stand_in(operator))

    def _stand_in(self, operator: ops.AnyOperator) -> Any:
        from pyspark.sql.connect.plan import Read

        name = f"`{STAND_IN} {len(self.stubs)}`"
        self.stubs[name] = operator
        return Read(name)

    def is_view(self, name: str) -> bool:
        """Whether there is a temporary view of that name."""
        return self._key(name) in self.views

    def known_table(self, name: str) -> Any:
        """A table that the schema declares, or a view; stops the job if there is none."""
        from pyspark.sql.connect.plan import SubqueryAlias

        plain = name.replace("`", "")
        last = plain.split(".")[-1]
        if self.is_view(plain):
            return self.frame_of(SubqueryAlias(self.view(plain), last))
        declared = self.tables.get(plain) if "/" in plain else self.declared(plain.split("."))
        if declared is None:
            self.stop_unknown(plain.split("."))
        return self.frame_of(SubqueryAlias(self._stand_in(declared), last))

    def stop_unknown(self, parts: Sequence[str], columns: Sequence[str] = ()) -> NoReturn:
        """Stop at a table that is not declared, with the words of Spark."""
        quoted = ".".join(f"`{part}`" for part in parts)
        text = f"[TABLE_OR_VIEW_NOT_FOUND] The table or view {quoted} cannot be found."
        close = close_names(".".join(parts), self.tables)
        meant = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
        how = self.how_to_declare(parts, columns)
        table = ".".join(parts)
        self.stop(f"{text}{meant}; {how}", says_what_to_do=True, undeclared_table=table)

    def create_view(self, name: str, plan: Callable[[], Any], *, replace: bool) -> None:
        """Give a name that SQL and `spark.table` know to what gives a plan whenever it is read."""
        if self._key(name) in self.views and not replace:
            raise self._analysis_error(f"the temporary view {name} already exists")
        self.views[self._key(name)] = plan

    def _key(self, name: str) -> str:
        """What names of one view share."""
        with under(self._settings_now()):
            return name_key(name)

    def view(self, name: str) -> Any | None:
        """The plan of a temporary view as it is now, if there is one of that name."""
        plan = self.views.get(self._key(name))
        return None if plan is None else plan()

    def drop_view(self, name: str) -> bool:
        """Take a name away; whether there was one."""
        return self.views.pop(self._key(name), None) is not None

    def sql(self, text: str, args: Any, more: Mapping[str, Any]) -> Any:
        """A query, or a command: what writes becomes a sink, and nothing else is run."""
        return run_statement(self, text, args, more)

    def create(self, data: Any, schema: Any = None, *args: Any, **named: Any) -> Any:
        """Rows given in the program."""
        if layout.is_rdd(data):
            self.stop("a DataFrame is made of an RDD", "rdd")
        if type(data).__module__.partition(".")[0] in DATAFRAME_ROWS:
            if self.client.settings.get(ARROW).lower() != "true":
                self.stop_for_jvm("rows of pandas are given, which come without Arrow")
            return self._create(data, schema)
        verify = args[1] if len(args) > 1 else named.get("verifySchema", True)
        return self.stub(self.reading(lambda: rows_of(self.spark, data, schema, bool(verify))))

    def column_text(self, column: Any) -> str:
        """What tells a column that says how something is written."""
        if not isinstance(column, str):
            self.stop_for_jvm("a column says how something is written")
        return column

    # -- reading -------------------------------------------------------------------------------

    def reading(self, read: Callable[[], Any]) -> Any:
        """What Veer makes of a plan; an error of the program's as Spark would raise it."""
        return self._reading(self._settings, read)

    def parsing(self, read: Callable[[], Any]) -> Any:
        """As `reading`, of a text that may be a command: it may yet change the settings."""
        return self._reading(self._settings_now, read)

    def _reading(self, settings: Callable[[], SessionSettings], read: Callable[[], Any]) -> Any:
        try:
            with under(settings()):
                return read()
        except (UnsupportedError, ParseError) as error:
            self.stop_for_jvm(str(error))
        except InputError as error:
            raise self._analysis_error(str(error)) from None

    def _settings(self) -> SessionSettings:
        """What the session decides of the meaning of plans: the same for all of them."""
        settings, told = self._settings_now(), self._told()
        if self._read_under is None:
            self._read_under, self._first_told = settings, told
        if settings != self._read_under:
            changed = {n for n, _ in told.items() ^ self._first_told.items()}
            self.stop_for_jvm(
                f"{' and '.join(sorted(changed))}, which decides plans, is changed after "
                "DataFrames were made"
            )
        return settings

    def _told(self) -> dict[str, str]:
        return deciding_settings(self.client.settings.all())

    def _settings_now(self) -> SessionSettings:
        return session_settings(self._told(), self.spark_version)

    def _analysis_error(self, text: str) -> Exception:
        from pyspark.errors import AnalysisException

        return AnalysisException(text)

    def schema_of(self, relation: Relation) -> Schema:
        """The columns of a plan, as the program asks for them."""
        schema: Schema = self.reading(lambda: self._plans.schema_of(relation))
        return schema

    def check(self, frame: Any) -> Any | None:
        """Analyze a frame when it is made, as a classic session does; gives its columns, if known."""
        self.reading(lambda: None)  # settings that decide plans are the same for all of them
        relation = frame._plan.plan(self.client)
        try:
            schema = self.schema_of(relation)
        except Exception:
            if self._refers_out:  # only the plan around it can tell
                return None
            raise
        return self.reading(lambda: self.answered(relation, schema))

    def answered(self, relation: Relation, schema: Schema) -> Any:
        """Columns as PySpark describes them; whether they may be null is answered when asked."""

        @cache
        def known() -> Sequence[Nulls]:
            return self.reading(lambda: self._plans.nulls_of(relation))  # type: ignore[no-any-return]

        return self._answers.completed(struct_type(schema), known)

    def write_settings(self) -> Mapping[str, str]:
        """The settings of the session that decide a write; others must be at their defaults."""
        told = self.client.settings.all()
        return check_settings(self.spark, OF_WRITES, self._default_setting, told)

    def _default_setting(self, name: str) -> str:
        default = self.client.settings.default(name)
        if default is None:
            self.stop_for_jvm(f"the session sets {name}")
        return default

    def dataflows(self) -> tuple[Dataflow, Dataflow | None]:
        """All results as one dataflow."""
        try:
            self.write_settings()
        except StoppedForJvm as stopped:
            raise stopped.error() from None
        for name in self.client.settings.deciding:  # set back by now, but plans were made
            raise NeedsJvm(f"the job changes the setting {name}")
        try:
            results = [(self._relation(w), w.sink) for w in self.written]
            settings = self._settings()
            with under(settings):
                dataflow = read_relations(results, self.surroundings)
            return with_zone(dataflow, settings.zone), None
        except StoppedForJvm as stopped:
            raise stopped.error() from None
        except (UnsupportedError, ParseError) as error:
            raise NeedsJvm(str(error)) from None

    def _relation(self, written: Written) -> Any:
        return written.frame._plan.plan(self.client)

    # -- stopping ------------------------------------------------------------------------------

    def stop_for_jvm(self, what: str) -> NoReturn:
        """Stop the program: it is read by a JVM, or not at all."""
        stopped = StoppedForJvm(f"{self.site()}: {what}")
        self.stopped = self.stopped or stopped
        raise stopped

    def lacks(self, error: BaseException) -> str:
        """What of PySpark the Connect client does not have, or does in another way."""
        from pyspark.errors import PySparkException

        if isinstance(error, PySparkException):
            is_lacking = layout.error_condition(error) in LACKING
        else:
            frames = traceback.extract_tb(error.__traceback__)
            is_lacking = bool(frames) and CLIENT in Path(frames[-1].filename).as_posix()
        return first_line(error) if is_lacking else ""

    # -- while the job runs --------------------------------------------------------------------

    def replacements(self) -> list[tuple[Any, dict[str, Any]]]:
        """The classes of PySpark that are intercepted, each with its methods."""
        from pyspark.sql import SparkSession as Parent
        from pyspark.sql.connect.catalog import Catalog
        from pyspark.sql.connect.column import Column
        from pyspark.sql.connect.dataframe import DataFrame
        from pyspark.sql.connect.group import GroupedData
        from pyspark.sql.connect.session import SparkSession

        self._create = SparkSession.createDataFrame.__get__(self.spark)
        observation = layout.connect_observation()
        return [
            (SparkSession, self.session_methods()),
            (DataFrame, self.frame_methods()),
            *self._checked_frames(DataFrame),
            (DataFrame, {**self._view_methods(), "printSchema": lambda *_, **__: None}),
            (Column, {"outer": lambda column: self._outer(column)}),
            (GroupedData, self.pivot(pivot_over_any(GroupedData.pivot))),
            (Catalog, {**self._catalog_answers(), **self.catalog_methods()}),
            *([(observation, self.observation_methods())] if observation else []),
            (Parent.Builder, replaced_builder(self)),
            *classic_replacements(self.stop_for_jvm, self.spark_version),
            *self.functions.replacements(),
            *self._gateways(),
        ]

    def __enter__(self) -> Self:
        from pyspark.sql.connect.column import Column
        from pyspark.sql.connect.dataframe import DataFrame

        def refused(name: str) -> property:
            return property(lambda _: self.stop_for_jvm(f"{name} is used"))

        session = type(self.spark)
        for owner, names in ((session, SESSION), (DataFrame, FRAME), (Column, COLUMN)):
            for name in names:
                self._add(owner, name, refused(name))
        self._add(session, "sparkContext", property(lambda _: ContextStandIn(self)))
        for owner, name, flag in self._answers.replacements():
            self._add(owner, name, flag)
        return super().__enter__()

    def _add(self, owner: Any, name: str, value: Any) -> None:
        self._stack.enter_context(patch.object(owner, name, value, create=True))

    def _checked_frames(self, frame: Any) -> list[tuple[Any, dict[str, Any]]]:
        """What makes frames, analyzing them."""
        if is_older_client():
            return older_replacements(self)
        return [(frame, {"__init__": self._checked_init(frame.__init__)})]

    def _checked_init(self, original: Callable[..., None]) -> Callable[..., None]:
        def __init__(frame: Any, *args: Any, **named: Any) -> None:
            original(frame, *args, **named)
            frame._cached_schema = self.check(frame)

        return __init__

    def _outer(self, column: Any) -> Any:
        self._refers_out = True
        return column

    def _view_methods(self) -> dict[str, Any]:
        def made(name: str, replace: bool, prefix: str = "") -> Callable[[Any, str], None]:
            def create(frame: Any, name: str) -> None:
                plan = frame._plan
                self.create_view(f"{prefix}{name}", lambda: plan, replace=replace)

            create.__name__ = name
            return create

        return {
            "createTempView": made("createTempView", False),
            "createOrReplaceTempView": made("createOrReplaceTempView", True),
            "createGlobalTempView": made("createGlobalTempView", False, "global_temp."),
            "createOrReplaceGlobalTempView": made(
                "createOrReplaceGlobalTempView", True, "global_temp."
            ),
        }

    def _catalog_answers(self) -> dict[str, Any]:
        return {
            **{name: lambda *_, **__: None for name in IGNORED_CATALOG_CALLS},
            "_execute_and_fetch": lambda *_: self.stop_for_jvm("the catalog is asked"),
            "currentDatabase": lambda _: self.database,
            "currentCatalog": lambda _: "spark_catalog",
            "setCurrentDatabase": lambda _, name: self.use(name),
            "dropTempView": lambda _, name: self.drop_view(name),
            "dropGlobalTempView": lambda _, name: self.drop_view(f"global_temp.{name}"),
        }

    def use(self, database: str) -> None:
        """Take unqualified names for tables of a database."""
        known = {"default", *(n.split(".")[-2] for n in self.tables if "." in n)}
        if database.lower() not in known:
            self.stop_for_jvm(f"the database {database} is used")
        if self.reads_names and database.lower() != self.database:
            self.stop_for_jvm("the database is changed after tables were read")
        self.database = database.lower()

    def imported(self) -> None:
        """Intercept what the job has imported by now: estimators, which most jobs do not."""
        module = sys.modules.get("pyspark.ml.base")
        if module is not None:
            for name, replacement in self.learning_methods().items():
                self._add(module.Estimator, name, replacement)

    def _gateways(self) -> list[tuple[Any, dict[str, Any]]]:
        """What would start a JVM."""
        try:
            from pyspark import SparkContext, java_gateway
        except ImportError:  # a PySpark of clients alone
            return []
        refuse = lambda *_, **__: self.stop_for_jvm("a SparkContext is made")  # noqa: E731
        return [
            (java_gateway, {"launch_gateway": refuse}),
            (layout.context_module(), {"launch_gateway": refuse}),
            (SparkContext, {"__init__": refuse, "getOrCreate": refuse}),
        ]


__all__ = ["OfflineCapture"]

# -- sessions of PySpark's Connect client with a client that does not contact a server -----------


def connect_session(client: Client) -> Any:
    """The session of this process; functions of PySpark build plans for it from now on."""
    # `pyspark.sql.functions` asks the environment which kind of column to build; names of columns
    # are looked up when they are given, as in a classic session.
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    os.environ["PYSPARK_VALIDATE_COLUMN_NAME_LEGACY"] = "1"
    from pyspark.sql import SparkSession as Parent
    from pyspark.sql.connect.session import SparkSession

    class OfflineSession(SparkSession, Parent):  # type: ignore[misc]
        """Both kinds of session, for programs that look at its class."""

        def __init__(self, client: Any) -> None:
            self._client = client
            self._session_id = client._session_id
            self.release_session_on_close = False

    session = OfflineSession(client)
    SparkSession._default_session = session
    SparkSession._active_session.session = session
    return session


def replaced_builder(capture: OfflineCapture) -> dict[str, Any]:
    """What `SparkSession.builder` gives: always the session there is."""

    def get_or_create(builder: Any) -> Any:
        capture.client.settings.configure(dict(builder._options))
        return capture.spark

    return {
        "getOrCreate": get_or_create,
        "create": lambda _: capture.stop("another session is made"),
    }


# -- rows given to `createDataFrame`, checked and typed as in a classic session ------------------


def rows_of(session: Any, data: Any, schema: Any, verify: bool) -> AnyOperator:
    """The rows of a list and their columns."""
    if isinstance(schema, str):
        schema = session.client.parsed_ddl(schema)
    kind = type(data).__module__.partition(".")[0]
    if kind in ("pandas", "numpy", "pyarrow"):
        raise UnsupportedError(f"rows of {kind} are given to createDataFrame()")
    rows = data if isinstance(data, list) else list(data)
    struct = _checked(session, rows, schema, verify)
    return rows_from_python(data, columns_of(struct))


def _checked(session: Any, rows: list[Any], schema: Any, verify: bool) -> Any:
    """The columns of rows; an error of PySpark's if they do not fit."""
    from pyspark.errors import PySparkTypeError
    from pyspark.sql.types import DataType, StructType, _create_converter, _make_type_verifier

    if isinstance(schema, DataType) and not isinstance(schema, StructType):
        check: Any = _make_type_verifier(schema, name="field value")
        for row in rows if verify else ():
            check(row)
        return StructType().add("value", schema)
    if isinstance(schema, StructType):
        check = _make_type_verifier(schema)
        for row in rows if verify else ():
            check(row)
        struct = schema
    elif schema is None or isinstance(schema, list | tuple):
        names = None if schema is None else list(schema)
        struct = _inferred(session, rows, names)
        _check_types_known(struct)
        for i, name in enumerate(names or ()):
            struct.fields[i].name = struct.names[i] = name
    else:
        shown = type(schema).__name__
        raise PySparkTypeError(f"schema should be a list, None or StructType, got {shown}")
    convert = _create_converter(struct)
    for row in rows:
        struct.toInternal(convert(row))
    return struct


def _check_types_known(struct: Any) -> None:
    from pyspark.errors import PySparkValueError
    from pyspark.sql.types import _has_nulltype

    if _has_nulltype(struct):
        raise PySparkValueError("Some of types cannot be determined after inferring.")


def _inferred(session: Any, rows: list[Any], names: list[str] | None) -> Any:
    """The columns of rows by their values; PySpark 3.5 and 4.0 look up settings themselves."""
    infer = session._inferSchemaFromList
    takes_settings = len(signature(infer).parameters) > 2
    return infer(rows, names, _inference(session)) if takes_settings else infer(rows, names)


def _inference(session: Any) -> Any:
    return session.client.get_config_dict(
        "spark.sql.pyspark.inferNestedDictAsStruct.enabled",
        "spark.sql.pyspark.legacy.inferArrayTypeFromFirstElement.enabled",
        "spark.sql.pyspark.legacy.inferMapTypeFromFirstPair.enabled",
        "spark.sql.timestampType",
    )
