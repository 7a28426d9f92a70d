"""Workflow files: Veer's own JSON or YAML for GUI-like dataflows.

    operators: {a: {type: source, ...}, b: {type: filter, predicate: age > 24}}
    links: [[a, b]]

Every operator has a stable id; properties hold expressions in Spark SQL; links name the port
they feed. `docs/workflow-files.md` shows every operator; `SCHEMA` is the published JSON Schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from veer.errors import IllFormedError, InputError, ParseError, UnsupportedError
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow, topological_order
from veer.ir.schema import Field, Schema
from veer.read import coercion
from veer.read.builder import FlowBuilder
from veer.read.json_text import check_data, read_json, without_repeats
from veer.read.python.reading import NotRead, read_source, source_digest
from veer.read.sql import ExpressionReader
from veer.read.sql.placeholders import SetAside, number_of
from veer.read.workflow.schema import LIBRARY, OPERATORS, SCHEMA, OperatorSpec

MAX_OPERATORS = 100_000
MAX_BYTES = 64_000_000
MOST_SHARE = 1_000  # a sample with replacement may hold rows several times


def read_workflow(text: str, *, yaml: bool = False) -> Dataflow:
    """The dataflow of a workflow file's text."""
    return build_workflow(_parse(text, yaml))


def read_workflow_with_code(text: str, *, yaml: bool = False) -> tuple[Dataflow, dict[str, str]]:
    """The dataflow, and the code of its functions that were not read, by their identity."""
    data = _parse(text, yaml)
    dataflow = build_workflow(data)
    code = {}
    for spec in data["operators"].values():
        if spec["type"] == "udf" and "code" in spec:
            code[_identity(spec["function"], spec["code"])] = spec["code"]
    used = {op.identity for op in dataflow.operators.values() if isinstance(op, ops.RowUdf)}
    return dataflow, {identity: text for identity, text in code.items() if identity in used}


def _parse(text: str, yaml: bool) -> Any:
    if len(text) > MAX_BYTES:
        raise ParseError(f"workflow of {len(text):,} characters; at most {MAX_BYTES:,} are read")
    try:
        return _parse_yaml(text) if yaml else read_json(text)
    except RecursionError:
        raise ParseError("nested too deeply") from None


_SCALARS = (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
)


def _parse_yaml(text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """Safe loading without aliases, which can blow up memory, and without double keys."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            """The next node, as of the class above, unless it is an alias."""
            if self.check_event(yaml.AliasEvent):
                raise ParseError("YAML aliases are not read")
            return super().compose_node(parent, index)

    def mapping(loader: Any, node: Any) -> dict[str, Any]:
        return without_repeats(
            [
                (loader.construct_object(k), loader.construct_object(v, deep=True))
                for k, v in node.value
            ]
        )

    # YAML 1.2's scalars: `on` and `yes` are words, 2020-01-01 is text.
    Loader.yaml_implicit_resolvers = {}
    for tag, pattern, first in _SCALARS:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first))
    Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    try:
        data = yaml.load(text, Loader)
        check_data(data)
        return data
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
        raise ParseError(f"{where}{getattr(error, 'problem', None) or 'not YAML'}") from None
    except (TypeError, ValueError) as error:
        raise ParseError(f"not a workflow: {error}") from None


# -- building ----------------------------------------------------------------------------------


def build_workflow(data: Any) -> Dataflow:
    """The dataflow of parsed workflow data."""
    if not isinstance(data, Mapping):
        raise ParseError("a workflow is an object with operators and links")
    unknown = set(data) - {"veer", "name", "operators", "links", "description"}
    if unknown:
        raise ParseError(f"unknown entry {sorted(map(str, unknown))[0]!r} in the workflow")
    operators = _operators(data.get("operators"))
    inputs = _links(data.get("links", []), operators)
    builder = FlowBuilder()
    for id_ in topological_order(inputs):
        spec = operators[id_]
        below = inputs[id_]
        schemas = [builder.schemas[i] for i in below]
        try:
            operator = _Properties(id_, spec, list(zip(below, schemas, strict=True))).operator()
            _add(builder, operator, id_, below)
        except InputError as error:
            text = str(error)
            if not text.startswith(f"operator {id_!r}"):
                text = f"operator {id_!r} ({spec['type']}): {text}"
            raise type(error)(text) from None
    fed = {i for sources in inputs.values() for i in sources}
    for id_ in operators:
        if id_ not in fed and not isinstance(builder.operators[id_], ops.Sink):
            # An operator that feeds nothing shows its result: the paper's notion of a sink.
            builder.add(ops.Sink(id_), id_, id_=f"{id_}.result")
    return builder.finish()


def _add(builder: FlowBuilder, operator: ops.AnyOperator, id_: str, inputs: Sequence[str]) -> None:
    """Add an operator under its own id; Source operators are never merged here."""
    schema = operator.output([builder.schemas[i] for i in inputs])
    builder.place(id_, operator, schema, inputs)


def _operators(data: Any) -> dict[str, Mapping[str, Any]]:
    if not isinstance(data, Mapping) or not data:
        raise ParseError("'operators' must be an object from ids to operators")
    if len(data) > MAX_OPERATORS:
        raise ParseError(f"{len(data):,} operators; at most {MAX_OPERATORS:,} are read")
    operators = {}
    for id_, spec in data.items():
        if not isinstance(id_, str):
            raise ParseError(f"operator id {id_!r} is not a text")
        if not isinstance(spec, Mapping) or not isinstance(spec.get("type"), str):
            raise ParseError(f"operator {id_!r} has no type")
        if spec["type"] not in OPERATORS:
            raise ParseError(
                f"operator {id_!r}: unknown type {spec['type']!r}, expected one of {', '.join(OPERATORS)}"
            )
        operators[id_] = spec
    return operators


def _links(data: Any, operators: Mapping[str, Any]) -> dict[str, list[str]]:
    """The inputs of every operator in port order."""
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise ParseError("'links' must be a list")
    ports: dict[str, dict[int, str]] = {i: {} for i in operators}
    for number, link in enumerate(data, 1):
        src, dst, port = _link(link, number)
        for end in (src, dst):
            if end not in operators:
                raise IllFormedError(f"link {number} ({src!r} -> {dst!r}): no operator {end!r}")
        if port is None:
            port = 0
            while port in ports[dst]:
                port += 1
        if port in ports[dst]:
            raise IllFormedError(
                f"port {port} of operator {dst!r} has two producers: {ports[dst][port]!r} and {src!r}"
            )
        ports[dst][port] = src
    for id_, inputs in ports.items():
        if sorted(inputs) != list(range(len(inputs))):
            missing = next(n for n in range(len(inputs) + 1) if n not in inputs)
            raise IllFormedError(f"operator {id_!r}: nothing feeds port {missing}")
    return {id_: [inputs[n] for n in sorted(inputs)] for id_, inputs in ports.items()}


def _link(link: Any, number: int) -> tuple[str, str, int | None]:
    if isinstance(link, Sequence) and not isinstance(link, str) and len(link) in (2, 3):
        src, dst, port = (*link, None)[:3]
    elif isinstance(link, Mapping) and {"from", "to"} <= set(link) <= {"from", "to", "port"}:
        src, dst, port = link["from"], link["to"], link.get("port")
    else:
        raise ParseError(
            f"link {number} is neither [from, to, port] nor an object with from and to"
        )
    if not isinstance(src, str) or not isinstance(dst, str):
        raise ParseError(f"link {number} does not name two operators")
    if port is None:
        return src, dst, None
    names = {"left": 0, "right": 1}
    place = names.get(port, port) if isinstance(port, str) else port
    if not isinstance(place, int) or isinstance(place, bool) or place < 0:
        raise ParseError(f"link {number}: port {port!r} is not a number, left or right")
    return src, dst, place


class _Properties:
    """The properties of one operator, read over the columns of its inputs."""

    def __init__(self, id_: str, spec: Mapping[str, Any], inputs: list[tuple[str, Schema]]) -> None:
        self.id = id_
        self.spec = spec
        self.inputs = inputs
        self.kind: str = spec["type"]
        self._check(OPERATORS[self.kind])

    def _check(self, kind: OperatorSpec) -> None:
        """Refuse unknown properties, a wrong number of inputs, and missing properties."""
        allowed = {"type", "description", "position", *kind.properties}
        for name in self.spec:
            if name not in allowed:
                there = ", ".join(kind.properties) or "none"
                raise ParseError(f"unknown property {name!r}; there are {there}")
        count = len(self.inputs)
        if count != kind.inputs and (kind.inputs is not None or not count):
            expected = "at least 1" if kind.inputs is None else str(kind.inputs)
            raise IllFormedError(f"{count} inputs, expected {expected}")
        for name in kind.required:
            if name not in self.spec:
                raise ParseError(f"property {name!r} is missing")

    def operator(self) -> ops.AnyOperator:
        """The operator that the properties describe."""
        return _BUILDERS[self.kind](self)

    # -- values --------------------------------------------------------------------------------

    def text(self, name: str, default: str | None = None) -> str:
        """A property that must be text."""
        value = self.spec.get(name, default)
        if not isinstance(value, str):
            raise ParseError(f"property {name!r} must be text")
        return value

    def integer(self, name: str, default: int | None = None) -> int | None:
        """A property that must be a whole number, if it is there."""
        value = self.spec.get(name, default)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise ParseError(f"property {name!r} must be a whole number")
        return value

    def flag(self, name: str) -> bool:
        """A property that is true or false; false if it is not there."""
        value = self.spec.get(name, False)
        if not isinstance(value, bool):
            raise ParseError(f"property {name!r} must be true or false")
        return value

    def items(self, name: str) -> list[Any]:
        """A property that is a list; a text alone is a list of one."""
        value = self.spec.get(name, [])
        if isinstance(value, str):
            return [value]
        if not isinstance(value, Sequence):
            raise ParseError(f"property {name!r} must be a list")
        return list(value)

    def table(self, name: str) -> Mapping[str, Any]:
        """A property that is an object; empty if it is not there."""
        value = self.spec.get(name, {})
        if not isinstance(value, Mapping):
            raise ParseError(f"property {name!r} must be an object")
        return value

    def fields(self, name: str) -> tuple[Field, ...]:
        """Columns as {name: type}; "not null" after the type."""
        columns = []
        for column, type_ in self.table(name).items():
            if not isinstance(type_, str):
                raise ParseError(f"column {column!r} has no type")
            lowered = type_.strip().lower()
            required = lowered.endswith("not null")
            try:
                parsed = ty.parse_type(type_.strip()[: -len("not null")] if required else type_)
            except ParseError as error:
                raise ParseError(f"column {column!r}: {error}") from None
            columns.append(Field(str(column), parsed, not required))
        return tuple(columns)

    # -- expressions ---------------------------------------------------------------------------

    def reader(self) -> ExpressionReader:
        """A reader of expressions, whose columns may be qualified by the ids of the inputs."""
        return ExpressionReader(self.inputs)

    def expression(self, name: str, text: Any) -> ex.Expr:
        """An expression in SQL; a number or truth value of JSON is a constant."""
        if not isinstance(text, str):
            text = json.dumps(text)
        try:
            return self.reader().read(text)
        except InputError as error:
            raise type(error)(f"{name} {text!r}: {error}") from None

    def condition(self, name: str) -> ex.Expr:
        """A property that holds a condition."""
        text = self.text(name)
        try:
            expr = self.reader().condition(text)
        except InputError as error:
            raise type(error)(f"{name} {text!r}: {error}") from None
        if expr.type != ty.BOOLEAN:
            raise IllFormedError(f"{name} {text!r} must be boolean, got {expr.type}")
        return expr

    def column(self, name: str, text: Any) -> ex.Column:
        """A column of the inputs by its name."""
        expr = self.expression(name, text)
        if not isinstance(expr, ex.Column):
            raise IllFormedError(f"{name}: {text!r} is not a column")
        return expr

    def columns(self, name: str) -> tuple[ex.Column, ...]:
        """A property that is a list of columns."""
        return tuple(self.column(name, c) for c in self.items(name))

    def named(self, name: str) -> tuple[ex.Named, ...]:
        """Columns to compute: names of columns, `expression AS name`, or {name: expression}."""
        value = self.spec.get(name, [])
        if isinstance(value, Mapping):
            return tuple(ex.Named(str(n), self.expression(name, e)) for n, e in value.items())
        out: list[ex.Named] = []
        for item in self.items(name):
            if item == "*":
                (rows,) = [schema for _, schema in self.inputs]
                out += [
                    ex.Named(f.name, ex.Column(f.name, f.type, rows.occurrence(i)))
                    for i, f in enumerate(rows)
                ]
            elif isinstance(item, Mapping) and set(item) == {"name", "expression"}:
                out.append(ex.Named(str(item["name"]), self.expression(name, item["expression"])))
            else:
                expr = self.expression(name, item)
                if not isinstance(expr, ex.Column):
                    raise IllFormedError(
                        f"{name}: {item!r} needs a name: {{name: ..., expression: ...}}"
                    )
                out.append(ex.Named(expr.name, expr))
        return tuple(out)

    def sort_keys(self, name: str) -> tuple[ex.SortKey, ...]:
        """`expression [asc|desc] [nulls first|last]`, each."""
        keys = []
        for item in self.items(name):
            if not isinstance(item, str):
                raise ParseError(f"property {name!r} must be a list of texts")
            text, ascending, nulls_first = item.strip(), True, None
            for suffix, value in ((" nulls first", True), (" nulls last", False)):
                if text.lower().endswith(suffix):
                    text, nulls_first = text[: -len(suffix)].rstrip(), value
            for suffix, value in ((" asc", True), (" desc", False)):
                if text.lower().endswith(suffix):
                    text, ascending = text[: -len(suffix)].rstrip(), value
            keys.append(
                ex.SortKey(
                    self.expression(name, text),
                    ascending,
                    ascending if nulls_first is None else nulls_first,
                )
            )
        return tuple(keys)

    def calls(self, name: str) -> tuple[ops.NamedCall, ...]:
        """Aggregates as {name: call}."""
        out = []
        for column, text in self.table(name).items():
            reader = self.reader()
            try:
                number = number_of(SetAside.AGGREGATE, reader.aggregate(str(text)))
            except InputError as error:
                raise type(error)(f"{name} {text!r}: {error}") from None
            if number is None:
                raise IllFormedError(f"{name}: {text!r} is not an aggregate function")
            out.append(ops.NamedCall(str(column), reader.collected.aggregates[number]))
        return tuple(out)


def _source(p: _Properties) -> ops.AnyOperator:
    keys = tuple(_column_names("a key", k) for k in p.items("keys"))
    foreign = []
    for item in p.items("foreign_keys"):
        if not isinstance(item, Mapping) or set(item) != {"columns", "table", "references"}:
            raise ParseError("a foreign key has columns, table and references")
        foreign.append(
            ops.ForeignKey(
                _column_names("a foreign key", item["columns"]),
                str(item["table"]),
                _column_names("a foreign key", item["references"]),
            )
        )
    fields = p.fields("columns")
    in_keys = {n for k in keys for n in k}  # a key is never null, whatever its type says
    fields = tuple(Field(f.name, f.type, f.nullable and f.name not in in_keys) for f in fields)
    options = tuple(sorted((str(k), str(v)) for k, v in p.table("options").items()))
    table = p.text("table", p.text("location", "") or p.id)
    return ops.Source(
        table,
        fields,
        keys,
        tuple(foreign),
        p.text("format", "table"),
        p.text("location", ""),
        options,
        unique=tuple(_column_names("what is unique", k) for k in p.items("unique")),
    )


def _column_names(what: str, value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise ParseError(f"{what} is a list of column names")
    return tuple(names)


def _aggregate(p: _Properties) -> ops.AnyOperator:
    keys, calls = p.named("by"), p.calls("calls")
    return ops.Aggregate(keys, calls) if keys else ops.GlobalAggregate(calls)


def _distinct(p: _Properties) -> ops.AnyOperator:
    (rows,) = [schema for _, schema in p.inputs] or [Schema(())]
    return ops.Aggregate(
        tuple(
            ex.Named(f.name, ex.Column(f.name, f.type, rows.occurrence(i)))
            for i, f in enumerate(rows)
        )
    )


def _project(p: _Properties) -> ops.AnyOperator:
    return ops.Project(p.named("columns"))


def _compute(p: _Properties) -> ops.AnyOperator:
    """All columns, those named replaced in place or appended."""
    (rows,) = [schema for _, schema in p.inputs] or [Schema(())]
    computed = {n.name: n for n in p.named("columns")}
    columns = [
        computed.pop(f.name, ex.Named(f.name, ex.Column(f.name, f.type, rows.occurrence(i))))
        for i, f in enumerate(rows)
    ]
    return ops.Project((*columns, *computed.values()))


def _join(p: _Properties) -> ops.AnyOperator:
    given = p.text("kind", "inner")
    try:
        kind = ops.JoinKind(given)
    except ValueError:
        expected = ", ".join(ops.JoinKind)
        raise IllFormedError(f"unknown join kind {given!r}, expected {expected}") from None
    return ops.Join(kind, p.condition("on") if "on" in p.spec else None)


def _over(p: _Properties) -> ops.AnyOperator:
    calls = []
    for name, text in p.table("calls").items():
        reader = p.reader()
        number = number_of(SetAside.OVER, reader.aggregate(str(text)))
        if number is None:
            raise IllFormedError(f"calls: {text!r} is not a window function")
        calls.append(ops.NamedOver(str(name), reader.collected.overs[number]))
    return ops.Over(tuple(calls))


def _unnest(p: _Properties) -> ops.AnyOperator:
    names = tuple(map(str, p.items("names")))
    generator = p.expression("generator", p.text("generator"))
    return ops.Unnest(generator, names, p.flag("outer"), p.flag("positions"), p.flag("inline"))


def _sample(p: _Properties) -> ops.AnyOperator:
    share = p.spec["fraction"]
    if not isinstance(share, int | float):
        raise ParseError("property 'fraction' must be a number")
    if isinstance(share, bool) or not 0 <= share <= MOST_SHARE:
        raise ParseError(f"property 'fraction' must be from 0 to {MOST_SHARE}")
    return ops.Sample(float(share), p.integer("seed"), p.flag("replacement"))


def _udf(p: _Properties) -> ops.AnyOperator:
    scope = p.text("scope", "row")
    if scope == "row":
        if p.flag("nondeterministic") or p.items("by"):
            raise UnsupportedError("a function of rows that is nondeterministic or has keys")
        return _row_udf(p)
    if "code" in p.spec:
        raise UnsupportedError("code of other than a function of rows")
    return ops.TableUdf(
        p.text("function"), p.fields("adds"), scope, p.columns("by"), not p.flag("nondeterministic")
    )


def _row_udf(p: _Properties) -> ops.AnyOperator:
    """A function of rows: what its code computes, or one known by name and code. It never runs."""
    reads, adds = p.columns("reads"), p.fields("adds")
    if "code" not in p.spec:
        return ops.RowUdf(p.text("function"), reads, adds)
    code = p.text("code")
    try:
        if len(adds) != 1:
            raise NotRead("several columns")
        computed = ex.Named(adds[0].name, read_source(code, reads, adds[0].type))
    except NotRead:
        return ops.RowUdf(_identity(p.text("function"), code), reads, adds)
    ((_, rows),) = p.inputs
    kept = [
        ex.Named(f.name, ex.Column(f.name, f.type, rows.occurrence(i)))
        for i, f in enumerate(rows.fields)
    ]
    return ops.Project((*kept, computed))


def _identity(function: str, code: str) -> str:
    return f"{function} {source_digest(code)}"


def _library(p: _Properties) -> ops.AnyOperator:
    """A library operator: a row function whose identity is its kind and its properties."""
    kind = OPERATORS[p.kind]
    settings = {n: p.spec[n] for n in kind.settings if n in p.spec}
    # Sorted: the order in which a file lists the settings is no difference.
    identity = f"{kind.title} {json.dumps(settings, sort_keys=True)}"
    reads = (p.column("column", p.text("column")),)
    output = p.text("output", kind.output)
    return ops.RowUdf(identity, reads, (Field(output, ty.STRING),), kind.title)


def _sink(p: _Properties) -> ops.AnyOperator:
    return ops.Sink(
        p.text("name", p.id),
        "table",
        p.text("target", ""),
        p.columns("columns"),
        p.flag("positional"),
    )


def _chart(p: _Properties) -> ops.AnyOperator:
    reads = [p.column(axis, p.text(axis)) for axis in ("x", "y", "color") if axis in p.spec]
    return ops.Sink(
        p.text("name", p.id), p.text("chart", "scatterplot"), "", tuple(reads), positional=True
    )


def _keyword(p: _Properties) -> ops.AnyOperator:
    """Rows whose text column contains a keyword."""
    column = p.column("column", p.text("column"))
    keyword = ex.Literal(p.text("keyword"), ty.STRING)
    return ops.Filter(
        coercion.call("contains", coercion.call("lower", column), coercion.call("lower", keyword))
    )


_BUILDERS: dict[str, Callable[[_Properties], ops.AnyOperator]] = {
    "source": _source,
    "filter": lambda p: ops.Filter(p.condition("predicate")),
    "keyword": _keyword,
    "project": _project,
    "compute": _compute,
    "join": _join,
    "aggregate": _aggregate,
    "distinct": _distinct,
    "deduplicate": lambda p: ops.Deduplicate(p.columns("columns")),
    "union": lambda p: ops.Union(),
    "sort": lambda p: ops.Sort(p.sort_keys("by")),
    "limit": lambda p: ops.Limit(p.integer("count"), p.integer("offset", 0) or 0),
    "over": _over,
    "unnest": _unnest,
    "sample": _sample,
    "udf": _udf,
    **dict.fromkeys(LIBRARY, _library),
    "sink": _sink,
    "chart": _chart,
}

__all__ = ["SCHEMA", "read_workflow"]
