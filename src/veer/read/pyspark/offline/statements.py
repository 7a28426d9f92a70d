"""Texts given to `spark.sql` in a session without a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

from veer.errors import UnsupportedError
from veer.ir.ops import Sink
from veer.ir.writes import Change, Insert, Write
from veer.read.pyspark.connect.leaves import STOPS
from veer.read.pyspark.connect.plans_with_relations import refer
from veer.read.pyspark.layout import connect_formatter, connect_functions
from veer.read.sql import commands
from veer.read.sql.tables import path_of
from veer.settings import name_key

if TYPE_CHECKING:
    from veer.read.pyspark.offline.capture import OfflineCapture


STORE_ASSIGNMENT = "spark.sql.storeAssignmentPolicy"


def run_statement(capture: OfflineCapture, text: str, args: Any, more: Mapping[str, Any]) -> Any:
    """What a text gives: the frame of a query, an empty one for a command."""
    formatted: list[tuple[str, Any]] = []
    if more:
        formatter = connect_formatter(capture.spark)
        if formatter is None:
            capture.stop_for_jvm("frames or values are put into SQL text")
        text = formatter.format(text, **more)
        for number, (frame, name) in enumerate(formatter._temp_views):
            # PySpark's names are random; plans of one text shall agree.
            text = text.replace(name, f"frame_of_program_{number}")
            formatted.append((f"frame_of_program_{number}", frame._plan))
    statement = _Statement(capture, args, formatted)
    return statement.run(capture.parsing(lambda: commands.read_command(text)))


def frame_with_names(frame: Any, names: Sequence[str]) -> Any:
    """The frame with distinct names for its columns."""
    if len({name_key(name) for name in names}) < len(names) or len(names) != len(frame.columns):
        raise UnsupportedError(
            "INSERT with a list of columns that is not the list of columns of its rows"
        )
    return frame.toDF(*names)


class _Statement:
    """One statement with what it was given."""

    def __init__(
        self, capture: OfflineCapture, args: Any, formatted: list[tuple[str, Any]]
    ) -> None:
        self.capture, self.args = capture, args
        self.formatted = dict(formatted)

    def run(self, command: Any) -> Any:
        match command:
            case commands.Query():
                return self.query(command)
            case commands.InsertRows() | commands.CreateTable() if self.args:
                self.capture.stop("a writing command with parameters is given")
            case commands.InsertRows():
                self.insert(command)
            case commands.ChangeRows():
                self.change(command)
            case commands.CreateTable():
                self.create_table(command)
            case commands.CreateView():
                self.create_view(command)
            case commands.DropView(name, if_exists):
                if not self.capture.drop_view(".".join(name)) and not if_exists:
                    self.capture.stop_for_jvm(f"the view {'.'.join(name)} is dropped")
            case commands.SetValue(name, value):
                self.capture.client.settings.set(name, value)
            case commands.Reset():
                self.capture.client.settings.reset()
            case commands.Use(database):
                self.capture.use(database)
            case commands.Harmless():
                pass
        return self.query(commands.Query("SELECT 1", frozenset())).limit(0)

    def query(self, query: commands.Query, more: Mapping[str, Any] | None = None) -> Any:
        """The frame of a query; the plans of the views it names travel inside of its own."""
        from pyspark.sql.connect.plan import SubqueryAlias

        views = []
        for name in sorted(query.tables):
            if len(name) == 1 and (plan := self.view(name[0])) is not None:
                views.append(SubqueryAlias(plan, name[0]))
            elif name[0].lower() == "global_temp":
                self.capture.stop_for_jvm("SQL reads a global view")
            elif self.capture.declared(name) is None:
                self.capture.stop_unknown(name, commands.columns_read(query.text, name))
            else:
                self.capture.reads_names = True
        return self.capture.frame_of(query_plan(query.text, self.args, views, more or {}))

    def view(self, name: str) -> Any | None:
        return self.formatted.get(name) or self.capture.view(name)

    def insert(self, command: commands.InsertRows) -> None:
        """INSERT: a sink."""
        frame = self.query(command.query)
        if not command.plain or (command.columns and command.by_name):
            self.capture.stop("INSERT with partitions")
        if command.columns:  # as BY NAME of columns that are called so
            frame = self.capture.reading(lambda: frame_with_names(frame, command.columns))
        target, by_name = ".".join(command.target), command.by_name or bool(command.columns)
        sink = Sink(
            target,
            target=target,
            positional=not by_name,
            write=Insert(command.overwrite, by_name),
        )
        self.capture.write(sink, frame)

    def change(self, command: commands.ChangeRows) -> None:
        """UPDATE, DELETE, MERGE: a sink of all rows of the table; and of MERGE one that tells if it stops."""
        path = path_of(command.target)
        target = self.capture.path(path) if path else ".".join(command.target)
        policy = self.capture.client.settings.get(STORE_ASSIGNMENT)
        if policy.upper() != "ANSI":
            self.capture.stop(f"{target} is changed under {STORE_ASSIGNMENT}={policy}")
        if self.view(target) is not None:
            self.capture.stop(f"the view {target} is changed")
        frame = self.query(command.query)
        if command.may_stop:
            stops = self.query(command.query, {STOPS: True})
            self.capture.write(Sink(f"{target}: MERGE stops"), stops)
        self.capture.write(
            Sink(target, target=target, write=Change(may_stop=command.may_stop)), frame
        )

    def create_table(self, command: commands.CreateTable) -> None:
        """CREATE TABLE AS: a sink, its layout told in Spark's words."""
        frame = self.query(command.query)
        target = ".".join(command.target)
        may = "replace" if command.replace else str(command.if_not_exists)
        parts = ", ".join(f"identity({name})" for name in command.partitions)
        provider = f"Some({command.provider})" if command.provider else "None"
        table = f"unresolvedtablespec({provider}, optionlist(), None, None, None, None, false)"
        write = Write("table", "created", (may, f"List({parts}) {table}"))
        self.capture.write(Sink(target, target=target, write=write), frame)

    def create_view(self, command: commands.CreateView) -> None:
        """CREATE VIEW: a name for the text of a query, which is read anew with every use."""
        if len(command.name) != 1 or command.if_not_exists:
            self.capture.stop_for_jvm("a view is made in a database, or only if there is none")
        if not command.is_temporary and self.capture.declared(command.name) is not None:
            self.capture.stop_for_jvm(f"a view is made where there is a table {command.name[0]}")
        if self.formatted:
            self.capture.stop_for_jvm("a view is made of a frame in its text, which is gone later")

        def frame() -> Any:
            made = self.query(command.query)
            return made.toDF(*command.columns) if command.columns else made

        first, name = frame(), command.name[0]
        reading: list[bool] = []

        def plan() -> Any:
            if reading:
                self.capture.stop_for_jvm(f"the view {name} is made of itself")
            reading.append(True)
            try:
                now = frame()
            finally:
                reading.pop()
            if now.dtypes != first.dtypes:  # Spark goes by name, and casts some
                self.capture.stop_for_jvm(f"what the view {name} reads has other columns by now")
            return now._plan

        self.capture.create_view(name, plan, replace=command.replace)
        plan()


# -- plans of SQL text with its parameters, and with the plans of the views it names -------------


def query_plan(text: str, args: Any, views: Sequence[Any], more: Mapping[str, Any]) -> Any:
    """The plan of a query; `views` are plans under the names by which the text knows them.

    `args` are the parameters of the text, by name or by place; `more` are some by name besides.
    """
    named = {**(args if isinstance(args, Mapping) else {}), **more}
    placed = [] if isinstance(args, Mapping) else list(args or ())
    from pyspark.sql.connect.plan import SQL

    make: Any = SQL
    if "views" in signature(make).parameters:
        lit = connect_functions().lit
        columns = {str(k): lit(v) for k, v in named.items()}
        return make(text, [lit(v) for v in placed], columns, views)
    if placed and named:
        raise UnsupportedError("a statement with positional parameters that may fail")
    plan = make(text, named or placed)
    return _with_views(plan, views) if views else plan


def _with_views(query: Any, views: Sequence[Any]) -> Any:
    """A query of a PySpark whose queries cannot carry views."""
    from pyspark.sql.connect.plan import LogicalPlan

    class QueryWithViews(LogicalPlan):
        """The plan of the query, and those of the views it names."""

        def plan(self, session: Any) -> Any:
            """The message of both."""
            relation = self._create_proto_relation()
            refer(relation, query.plan(session), [view.plan(session) for view in views])
            return relation

    return QueryWithViews(None)


__all__ = ["query_plan"]
