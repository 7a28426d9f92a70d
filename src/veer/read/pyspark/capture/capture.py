"""Running a user's function without running Spark on anything: what it reads becomes sources,
what it writes or returns becomes sinks, an action whose value it uses stops it.

The rules are here. How frames are made and read is up to the session: a classic one (`classic`), or
one without a server (`veer.read.pyspark.offline`).
"""

from __future__ import annotations

import posixpath
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NoReturn, Self, final
from unittest.mock import patch

from veer.errors import InputError
from veer.ir import ops
from veer.ir.dag import Dataflow
from veer.ir.pprint import show_kind
from veer.ir.schema import close_names
from veer.ir.writes import Insert, Write
from veer.read.pyspark.capture.actions import UnknownValue, is_only_shown
from veer.read.pyspark.capture.readers_writers import (
    CapturedReader,
    CapturedTableWriter,
    CapturedWriter,
)
from veer.read.pyspark.capture.stopping import Stopped
from veer.read.sql import read_schema
from veer.read.sql.tables import HOW, declaration

# Values a program may only print: it cannot go on with what nobody computed.
PRINTABLE_ACTIONS = ("count", "collect", "first", "head", "take", "tail", "toPandas", "toArrow", "isEmpty",
         "toLocalIterator", "inputFiles")  # fmt: skip
REFUSED_CATALOG_CALLS = ("listTables", "listDatabases", "listColumns", "listCatalogs", "getTable", "getDatabase",
           "databaseExists", "functionExists", "createTable", "createExternalTable",
           "listFunctions", "recoverPartitions")  # fmt: skip
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


@final
@dataclass(frozen=True)
class Written:
    """A result of the job."""

    sink: ops.Sink
    frame: Any
    site: str


class Capture(ABC):
    """Intercepts PySpark while it is entered; `schema` is DDL of what the job reads."""

    live = False  # or what it reads is really read

    def __init__(self, spark: Any, schema: str, root: Path, data: Path) -> None:
        self.spark = spark
        self.root = root
        self.data = data
        self.tables: dict[str, ops.Source] = dict(read_schema(schema)) if schema else {}
        self.written: list[Written] = []
        self.stopped: Stopped | None = None
        self.zone = ""  # in which results are written
        self.world_value: Callable[[str], Any] = self._unguarded
        self.program_asks: Callable[[], bool] = lambda: False
        self.keep = False  # whether PySpark stays intercepted: the process ends anyway
        self._stack = ExitStack()

    def _unguarded(self, what: str) -> NoReturn:
        self.stop(f"{what} is asked")

    # -- what is up to the session -------------------------------------------------------------

    @abstractmethod
    def stub(self, operator: ops.AnyOperator) -> Any:
        """A frame that stands for a source."""

    @abstractmethod
    def is_view(self, name: str) -> bool:
        """Whether there is a temporary view of that name."""

    @abstractmethod
    def known_table(self, name: str) -> Any:
        """A table that the schema declares, or a view; stops the job if there is none."""

    @abstractmethod
    def sql(self, text: str, args: Any, more: Mapping[str, Any]) -> Any:
        """A query, or a command: what writes becomes a sink, and nothing else is run."""

    @abstractmethod
    def create(self, data: Any, schema: Any = None, *args: Any, **named: Any) -> Any:
        """Rows given in the program."""

    @abstractmethod
    def column_text(self, column: Any) -> str:
        """What tells a column that says how something is written."""

    @abstractmethod
    def write_settings(self) -> Mapping[str, str]:
        """The settings of the session that decide a write; others must be at their defaults."""

    @abstractmethod
    def dataflows(self) -> tuple[Dataflow, Dataflow | None]:
        """All results as one dataflow; and as Spark's optimizer has them, if that can be read."""

    @abstractmethod
    def replacements(self) -> list[tuple[Any, dict[str, Any]]]:
        """The classes of PySpark that are intercepted, each with its methods."""

    def imported(self) -> None:
        """Take note that the module of the job is imported."""
        return

    def lacks(self, error: BaseException) -> str:
        """What of PySpark the session does not have, if that is why an exception was raised."""
        return ""

    # -- tables --------------------------------------------------------------------------------

    def table(self, name: str) -> Any:
        """A table by name: what the job wrote there, what the schema declares, or a view."""
        plain = name.replace("`", "")
        for written in self.written if not self.is_view(plain) else ():
            if written.sink.target == plain:
                return self.reread(written)
        return self.known_table(name)

    def declared_table(self, name: str) -> ops.Source | None:
        """The table of the schema that a reader names."""
        return self.tables.get(name.replace("`", "").lower())

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

    def exists(self, name: str) -> bool:
        """Whether a table exists: only declared ones are known."""
        table = name.replace("`", "")
        if table in self.tables or any(w.sink.target == table for w in self.written):
            return True
        self.stop(f"whether the table {name} exists is asked", "isEmpty")

    # -- while the job runs --------------------------------------------------------------------

    def __enter__(self) -> Self:
        for owner, table in self.replacements():
            for name, replacement in table.items():
                if hasattr(owner, name):
                    self._stack.enter_context(patch.object(owner, name, replacement))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self.keep:
            self._stack.close()

    def session_methods(self) -> dict[str, Any]:
        """What a session offers."""
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

    def frame_methods(self) -> dict[str, Any]:
        """What a DataFrame offers that would run something."""
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
            **{name: self.refused(name) for name in REFUSED_ACTIONS},
        }

    def catalog_methods(self) -> dict[str, Any]:
        """What a catalog is asked."""
        return {
            **{name: self.refused(name) for name in REFUSED_CATALOG_CALLS},
            "tableExists": lambda _, name, *__: self.exists(name),
        }

    def observation_methods(self) -> dict[str, Any]:
        """What an observation offers."""
        return {"get": property(lambda _: self.stop("what was observed is asked", "count"))}

    def pivot(self, original: Callable[..., Any]) -> dict[str, Any]:
        """Pivoting, which must say the values."""

        def pivot(grouped: Any, column: Any, values: Any = None) -> Any:
            if values is None:
                self.stop("pivot without values asks Spark for them", "pivot")
            return original(grouped, column, values)

        return {"pivot": pivot}

    def refused(self, action: str) -> Callable[..., Any]:
        """A method that stops the job."""
        return lambda *_, **__: self.stop(f"{action}() runs a query", action)

    def learning_methods(self) -> dict[str, Any]:
        """What an estimator offers."""
        return {"fit": self.refused("fit")}

    # -- stopping ------------------------------------------------------------------------------

    def stop(
        self,
        what: str,
        action: str = "",
        *,
        says_what_to_do: bool = False,
        undeclared_table: str = "",
    ) -> NoReturn:
        """Stop the program, naming file and line and the way out of an action.

        `says_what_to_do` where `what` itself tells the user how to go on; `undeclared_table` is the
        table whose columns are missing.
        """
        out = f"; {WAYS_OUT[action]}" if action in WAYS_OUT else ""
        why = "" if says_what_to_do else ", and nothing runs while a job is loaded"
        stopped = Stopped(f"{self.site()}: {what}{why}{out}")
        stopped.undeclared_table = undeclared_table
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

    # -- results -------------------------------------------------------------------------------

    def write(self, sink: ops.Sink, frame: Any) -> None:
        """A result, written or returned."""
        self.check_zone()
        if sink.write is not None:
            settings = (*sink.write.settings, *self.write_settings().items())
            sink = replace(sink, write=replace(sink.write, settings=settings))
        for place, other in enumerate(self.written):
            if other.sink == sink and _adds(sink) and other.frame.dtypes == frame.dtypes:
                # Appended one after the other: nothing reads the target in between.
                both = other.frame.union(frame)
                self.written[place] = Written(sink, both, other.site)
                return
            if other.sink.name == sink.name:
                self.stop(f"two sinks of one name, {sink.name!r}: the other at {other.site}")
        self.written.append(Written(sink, frame, self.site()))

    def check_zone(self) -> None:
        """Stop where the time zone is another one than that of an earlier result."""
        zone = str(self.spark.conf.get("spark.sql.session.timeZone"))
        self.zone = self.zone or zone
        if zone != self.zone:
            self.stop(f"the time zone is {zone}, and {self.zone} when another result was written")

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
            self.write(ops.Sink(key), frame)
        if not self.written:
            raise InputError(f"{name} returns nothing and writes nothing")

    def hint(self, error: BaseException) -> str:
        """What a user can do about an error of Spark's."""
        text = str(error)
        if "TABLE_OR_VIEW_NOT_FOUND" in text or "SCHEMA_NOT_FOUND" in text:
            asked = re.search(r"The table or view (\S+) cannot", text)
            name = asked[1].replace("`", "") if asked else ""
            close = close_names(name, self.tables) if name else []
            meant = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
            return f"{meant}; {self.how_to_declare((name or 'name').split('.'))}"
        return ""

    def how_to_declare(self, parts: Sequence[str], columns: Sequence[str] = ()) -> str:
        """What a user can do about a table whose columns are not known."""
        return f"declare it: --schema '{declaration(parts, columns)}'; {HOW}"


def _printable_action(capture: Capture, action: str) -> Callable[..., Any]:
    """An action whose value may be shown, if that is all the program does with it."""

    def called(*_: Any, **__: Any) -> UnknownValue:
        what = f"the value of {action}() is used"
        frame = capture.frame()
        if frame is None or not is_only_shown(frame, action):
            capture.stop(what, action)
        return UnknownValue(lambda: capture.stop(what, action))

    return called


def _adds(sink: ops.Sink) -> bool:
    """Whether a sink adds rows to those that are there."""
    match sink.write:
        case Write(mode=mode):
            return mode == "append"
        case Insert(overwrite=overwrite):
            return not overwrite
        case _:
            return False


def first_line(error: BaseException) -> str:
    """The first line of what an exception says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


__all__ = ["Capture", "Stopped", "Written", "first_line"]
