"""A file of Spark's SQL tests read statement by statement: its settings, tables and views."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlglot import exp

from benchmarks.support.golden_files import GoldenFile, Rows, Statement
from benchmarks.support.golden_text import plain, schema_text, shown_rows
from veer.errors import VeerError
from veer.facts.determinism import expr_kind
from veer.functions.casts import cast_function
from veer.functions.registry import Failure, Kind
from veer.interpreter import Result
from veer.interpreter.choices import TooManyChoicesError
from veer.interpreter.run import program
from veer.ir.dag import Dataflow
from veer.ir.expr import OpaqueCall
from veer.ir.ops import Aggregate, GlobalAggregate, Over, Sample, Source
from veer.ir.types import CastMode
from veer.ir.walk import operator_exprs, parts, query_of
from veer.read.session_settings import session_settings
from veer.read.sql import read_schema, read_sql
from veer.read.sql.commands import SetValue, read_command
from veer.read.sql.parse import VeerSpark, parse_statements
from veer.rewrite.normalize import normalized
from veer.settings import NEWEST, under

QUERY = re.compile(r"\(*\s*(select|with|values|from|table)\b", re.IGNORECASE)
MOST_CHOICES = 200
ADDING = (Aggregate, GlobalAggregate, Over)
# A setting of the suite's PostgreSQL tests, of texts and types of intervals only.
OLD_INTERVALS = "spark.sql.legacy.interval.enabled"


class Slow(BaseException):
    """A query took longer than it may."""


@dataclass(frozen=True)
class Outcome:
    """What became of a query."""

    kind: str
    detail: str = ""


@dataclass
class GoldenSession:
    """What the statements so far have left."""

    file: GoldenFile
    catalog: dict[str, Source]
    rows: dict[str, Rows]
    seconds: float
    conf: dict[str, str] = field(default_factory=dict)
    views: dict[str, str] = field(default_factory=dict)
    conf_of: dict[str, dict[str, str]] = field(default_factory=dict)  # when a view was made
    unknown: set[str] = field(default_factory=set)  # tables whose content is not known

    def __post_init__(self) -> None:
        self.conf = dict(self.file.conf)

    def outcomes(self) -> Iterator[tuple[Statement, Outcome]]:
        """What becomes of each query of the file."""
        for statement in self.file.statements:
            text = _uncommented(statement.text)
            is_command = statement.schema == "struct<>" and not statement.error
            if QUERY.match(text) and not is_command:
                yield statement, self.judged(statement)
            elif not statement.error:
                self.take(text)

    # -- statements that leave something ---------------------------------------------------------

    def take(self, text: str) -> None:
        """Do what a statement does; what it makes is not known where it cannot be read."""
        name = _target(text)
        try:
            with _limited(self.seconds), self.settings():
                self.do(text, name)
        except (Exception, Slow):  # whatever the reason, queries of it are not compared
            self.lose(name)

    def do(self, text: str, name: str) -> None:
        """Do what a statement does."""
        words = text.upper().split(None, 2)[:2]
        match words:
            case ["SET", *_]:
                self.set(text)
            case ["RESET", *_]:
                self.conf = dict(self.file.conf)
            case ["CREATE", *_] if re.match(r"CREATE\s+[\w\s]*?VIEW\b", text, re.IGNORECASE):
                self.forget(name)
                self.conf_of[name] = dict(self.conf)
                if re.search(r"\b(GLOBAL|USING)\b", text.split("(")[0], re.IGNORECASE):
                    raise VeerError("a view of another kind")
                self.views[name] = text.rstrip(";")
            case ["CREATE", *_] if re.match(r"CREATE\s+[\w\s]*?TABLE\b", text, re.IGNORECASE):
                self.forget(name)
                self.create(text, name)
            case ["INSERT", *_]:
                self.insert(text, name)
            case ["DROP", *_]:
                self.forget(name)
            case ["TRUNCATE", *_]:
                self.rows[self.catalog[name].table] = []
            case ["ALTER" | "CACHE" | "UPDATE" | "DELETE" | "MERGE", *_]:
                raise VeerError("what changes a table otherwise")
            case ["DESCRIBE" | "DESC" | "EXPLAIN" | "SHOW" | "ANALYZE" | "REFRESH" | "UNCACHE", *_]:
                pass
            case _:  # USE, EXECUTE IMMEDIATE, WITH ... INSERT: they may change any table
                for known in [*self.rows, *self.views]:
                    self.lose(known)

    def set(self, text: str) -> None:
        """SET of a setting."""
        plain_set = re.fullmatch(
            r"SET\s+([\w.]+)\s*=\s*(.*?)\s*;?", text, re.IGNORECASE | re.DOTALL
        )
        if plain_set is not None and not re.match(r"SET\s+VAR", text, re.IGNORECASE):
            self.conf[plain_set[1]] = plain_set[2]
            return
        command = read_command(text)
        assert isinstance(command, SetValue)
        self.conf[command.name] = command.value

    def lose(self, name: str) -> None:
        """What is called so may be anything."""
        self.forget(name)
        if name:
            self.unknown.add(name)

    def forget(self, name: str) -> None:
        """There is nothing of a name; what Spark makes of views of it then is left out."""
        self.unknown.discard(name)
        was_there = name in self.views or name in self.catalog
        named = [v for v, t in self.views.items() if was_there and v != name and name in _words(t)]
        for view in named:
            self.lose(view)
        for known in (self.views, self.catalog, self.rows):
            known.pop(name, None)

    def create(self, text: str, name: str) -> None:
        """CREATE TABLE, empty or of a query."""
        (node,) = parse_statements(text)
        query = node.args.get("expression")
        if query is None:
            self.catalog |= read_schema(text)
            self.rows[self.catalog[name].table] = []
            return
        result = self.run(query.sql(VeerSpark))
        columns = ", ".join(f"`{n}` {t}" for n, t in zip(result.names, result.types, strict=True))
        self.catalog |= read_schema(f"CREATE TABLE {name} ({columns})")
        self.rows[name] = list(result.rows)

    def insert(self, text: str, name: str) -> None:
        """INSERT of a query, all columns of the table or those listed."""
        (node,) = parse_statements(text)
        if any(node.args.get(k) for k in ("partition", "by_name", "where")):
            raise VeerError("this INSERT")
        source, listed = self.catalog[name], list[str]()
        if isinstance(node.this, exp.Schema):
            listed = [e.name.lower() for e in node.this.expressions]
        result = self.run(node.args["expression"].sql(VeerSpark))
        fields = {f.name.lower(): f for f in source.fields}
        targets = [fields[n] for n in listed] if listed else list(source.fields)
        converts = [
            cast_function(t, f.type, CastMode.ANSI)
            for t, f in zip(result.types, targets, strict=True)
        ]
        places = {f.name: i for i, f in enumerate(targets)}
        rows: Rows = [] if node.args.get("overwrite") else self.rows[source.table]
        for row in result.rows:
            values = [None if v is None else c(v) for c, v in zip(converts, row, strict=True)]
            rows.append(
                tuple(values[places[f.name]] if f.name in places else None for f in source.fields)
            )
        self.rows[source.table] = rows

    # -- queries ---------------------------------------------------------------------------------

    @contextmanager
    def settings(self) -> Iterator[None]:
        """Read under the settings of now."""
        conf = {n: v for n, v in self.conf.items() if n != OLD_INTERVALS}
        with under(session_settings(conf, NEWEST)):
            yield

    def read(self, text: str) -> Dataflow:
        """A query with the views it needs."""
        return read_sql(";\n".join([*self.needed(text), text]), dict(self.catalog))

    def needed(self, text: str) -> list[str]:
        """The statements of the views that a text names, and of those that they name."""
        names, waiting = set[str](), [text]
        while waiting:
            for name in (_words(waiting.pop()) & set(self.views)) - names:
                if self.conf_of[name] != self.conf:
                    raise VeerError("a view made under other settings")
                names.add(name)
                waiting.append(self.views[name])
        ordered: list[str] = []
        while len(ordered) < len(names):
            free = [
                n
                for n in self.views
                if n in names
                and n not in ordered
                and not (_words(self.views[n]) & names) - {n, *ordered}
            ]
            ordered += free or [n for n in self.views if n in names and n not in ordered]
        return [self.views[n] for n in ordered]

    def run(self, text: str) -> Result:
        """The rows of a query, if they are certain."""
        flow = self.read(text)
        if self.reads_unknown(flow) or program(flow).choosing or _is_opaque(flow):
            raise VeerError("rows that are not known")
        return program(flow).run(self.rows)["result"]

    def reads_unknown(self, flow: Dataflow) -> bool:
        """Whether a dataflow reads a table whose content is not known."""
        return any(
            isinstance(o, Source) and o.table not in self.rows for o in flow.operators.values()
        )

    def judged(self, statement: Statement) -> Outcome:
        """What becomes of a query."""
        try:
            with _limited(self.seconds), self.settings():
                return self._judged(statement)
        except Slow:
            return Outcome("too slow")
        except VeerError as error:
            return self._refused(statement, error)
        except Exception as error:
            return Outcome("crashed", f"{type(error).__name__}: {error}")

    def _refused(self, statement: Statement, error: VeerError) -> Outcome:
        if statement.is_refused:
            return Outcome("refused by both")
        named = getattr(error, "undeclared_table", None)
        if named and named.lower() in self.unknown:
            return Outcome("skipped", "a table or view that Veer cannot hold")
        if statement.error:
            return Outcome("refused, fails in Spark")
        return Outcome("refused", _reason(str(error)))

    def _judged(self, statement: Statement) -> Outcome:
        flow = self.read(statement.text)
        if statement.is_refused:
            fails = not self.reads_unknown(flow) and any(
                isinstance(r, Failure) for r in islice(self._found(flow), 1)
            )
            return Outcome("fails in both" if fails else "Spark refuses", statement.output[:500])
        if "postgreSQL/" in self.file.name and re.search(":interval[,>]", statement.schema):
            return Outcome("skipped", "intervals of the old kind")
        schema = flow.result_schema
        if not statement.error and not _same_types(statement.schema, schema.types):
            return Outcome("other types", f"{schema_text(schema.names, schema.types)}")
        try:
            normalized(flow)
        except VeerError as error:
            return Outcome("crashed", f"{type(error).__name__} in normalizing: {error}")
        if self.reads_unknown(flow):
            return Outcome("skipped", "a table or view that Veer cannot hold")
        if _is_opaque(flow):
            return Outcome("types alone", "a function known by name only, or a time of the run")
        try:
            found = list(self._found(flow))
        except (VeerError, TooManyChoicesError) as error:
            return Outcome("types alone", f"not run: {_reason(str(error))}")
        zone = self.conf["spark.sql.session.timeZone"]
        adds = any(isinstance(o, ADDING) for o in flow.operators.values())
        return _compared(statement, found, zone, adds)

    def _found(self, flow: Dataflow) -> Iterator[Result | Failure]:
        """All results that choices allow."""
        compiled = program(flow)
        try:
            if not compiled.choosing:
                yield compiled.run(self.rows)["result"]
                return
            for results in compiled.outcomes(self.rows, MOST_CHOICES):
                yield results["result"]
        except Failure as error:
            yield error


def _compared(statement: Statement, found: list[Any], zone: str, adds: bool) -> Outcome:
    """Whether some result is what Spark gave; the order of what it adds up decides last digits."""
    details = []
    for result in found:
        if isinstance(result, Failure) or statement.error:
            if isinstance(result, Failure) and statement.error:
                return Outcome("fails in both")
            details.append(str(result) if isinstance(result, Failure) else "rows, Spark fails")
            continue
        ours = shown_rows(result, zone)
        if _same_rows(statement.output, ours, result.peers):
            names = schema_text(result.names, result.types) == statement.schema
            return Outcome("equal" if names else "equal but for names", str(result.names))
        if adds and _same_but_for_digits(statement.output, ours):
            return Outcome("equal but for digits")
        details.append("\n".join(ours)[:2000])
    return Outcome("other rows", details[0] if details else "no result")


def _same_rows(golden: str, ours: list[str], peers: list[int] | None) -> bool:
    """Whether rows are those of the output, in an order that the query allows."""
    theirs = _lines(golden)
    if sorted(theirs) != sorted(_lines("\n".join(ours))):
        return False
    if peers is None or any("\n" in row for row in ours) or theirs == sorted(theirs):
        return True
    layers: dict[int, list[str]] = {}
    for row, layer in zip(ours, peers, strict=True):
        layers.setdefault(layer, []).append(row.rstrip())
    at, rows = 0, [r.rstrip() for r in theirs]
    for layer in sorted(layers):
        width = len(layers[layer])
        if sorted(rows[at : at + width]) != sorted(layers[layer]):
            return False
        at += width
    return True


def _same_but_for_digits(golden: str, ours: list[str]) -> bool:
    """Whether rows are alike up to the last digits of floating point numbers."""

    def rounded(line: str) -> str:
        return re.sub(r"\d+\.\d+(E-?\d+)?", lambda m: f"{float(m[0]):.11g}", line)

    return sorted(map(rounded, _lines(golden))) == sorted(map(rounded, _lines("\n".join(ours))))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _lines(text: str) -> list[str]:
    """The lines of a result, with what Spark's tests take for numbers of expressions left out."""
    lines = [line.rstrip() for line in re.sub(r"#\d+", "#x", text).rstrip().split("\n")]
    return [line for line in lines if line]


def _same_types(schema: str, types: Any) -> bool:
    inside = ",".join(f".*?:{re.escape(plain(t))}" for t in types)
    return re.fullmatch(f"struct<{inside}>", schema, re.DOTALL) is not None


def _is_opaque(flow: Dataflow) -> bool:
    """Whether rows are not determined by the tables: unknown functions, times of the run."""
    if any(isinstance(o, Sample) for o in flow.operators.values()):
        return True
    exprs = [e for o in flow.operators.values() for e in operator_exprs(o)]
    return any(expr_kind(expr) is not Kind.PURE for expr in exprs) or any(
        (isinstance(part, OpaqueCall) and part.body is None)
        or ((inner := query_of(part)) is not None and _is_opaque(inner))
        for expr in exprs
        for part in parts(expr)
    )


def _reason(message: str) -> str:
    """A message without its place and its names."""
    text = re.sub(r"^(line \d+, column \d+: )+", "", message).split("\n")[0]
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "...", text.split(" is not supported:")[0])
    return re.sub(r"; (there are|did you mean|declare it).*", "", re.sub(r"\d+", "N", text))[:70]


def _uncommented(text: str) -> str:
    return re.sub(r"^\s*(--[^\n]*(\n|$)\s*|/\*.*?\*/\s*)*", "", text, flags=re.DOTALL)


def _target(text: str) -> str:
    """The name of the table or view that a statement makes, fills or drops."""
    found = re.match(
        r"(?:CREATE|INSERT|DROP|ALTER|TRUNCATE|CACHE|UPDATE|DELETE|MERGE)\s+"
        r"(?:(?:OR|REPLACE|GLOBAL|TEMP|TEMPORARY|EXTERNAL|INTO|OVERWRITE|TABLE|VIEW|IF|NOT|EXISTS|FROM)\s+)*"
        r"([\w.`]+)",
        text,
        re.IGNORECASE,
    )
    return found[1].replace("`", "").lower() if found else ""


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Slow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
