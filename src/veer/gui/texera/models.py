"""The meaning of Texera's operators, taken from their source; operators without an exact meaning stay opaque.

Types: integer, long, double, string, boolean, timestamp, binary. A file scan does not tell the types
of its columns; a TypeCasting operator, or the output columns of a UDF, do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veer.gui import reading, rows as gui_rows
from veer.gui.graph import Node
from veer.gui.texera import terms
from veer.gui.texera.aggregates import aggregate
from veer.gui.texera.filters import condition
from veer.ir import ops, types as ty
from veer.ir.expr import SortKey
from veer.ir.schema import Field
from veer.read import coercion

LEFT, RIGHT = "0", "1"
ONLY = "0"  # the port of an operator with one output


def _one(rows: gui_rows.Rows) -> reading.Outputs:
    return {ONLY: rows}


def _input(step: reading.Step) -> gui_rows.Rows:
    """The only input of an operator that works on several machines: no order of rows outlives it."""
    rows = step.input()
    return rows.unordered() if rows.is_sorted else rows


# -- sources -----------------------------------------------------------------------------------


def _scan(format_: str) -> reading.Model:
    def scan(step: reading.Step) -> reading.Outputs:
        settings = step.node.settings
        name = terms.text(settings, "fileName")
        # All of them count: types are inferred of the rows within `limit`.
        told = {k: str(v) for k, v in settings.items() if k != "fileName" and v is not None}
        told["scan"] = step.node.kind  # each with a parser of its own
        delimiter = settings.get("customDelimiter") or ","
        has_names = format_ == "csv" and settings.get("hasHeader") is True
        rows = step.flow.table(
            name,
            format_=format_,
            location=name,
            options=told,
            delimiter=delimiter if has_names and isinstance(delimiter, str) else "",
        )
        return _one(rows)

    return scan


def _count(value: Any) -> int:
    gui_rows.require(
        isinstance(value, int) and not isinstance(value, bool) and value >= 0, "no number of rows"
    )
    return int(value)


def _text_input(step: reading.Step) -> reading.Outputs:
    """The lines of a text, each a row."""
    settings = step.node.settings
    gui_rows.require(
        settings.get("attributeType", "string") == "string", "a text of another type than string"
    )
    lines = terms.text(settings, "textInput").split("\n")
    gui_rows.require(
        not any(c in line for line in lines for c in "\r\f"), "lines that end otherwise"
    )
    if lines[-1] == "":
        del lines[-1]
    for key in ("limitHideable", "offsetHideable", "fileScanLimit", "fileScanOffset"):
        gui_rows.require(settings.get(key) in (None, ""), "a part of a text")
    name = settings.get("attributeName") or "line"
    gui_rows.require(isinstance(name, str), "a column without a name")
    return _one(step.flow.values([Field(name, ty.STRING, False)], [(line,) for line in lines]))


# -- one input ---------------------------------------------------------------------------------


def _filter(step: reading.Step) -> reading.Outputs:
    """Rows on which one of the predicates holds: they are joined by OR."""
    rows = _input(step)
    predicates = terms.items(step.node.settings, "predicates")
    return _one(rows.filter(gui_rows.any_of([condition(rows, p) for p in predicates])))


def _opaque_filter(*attributes: str) -> reading.Model:
    """Rows on which an opaque function of one column holds, identified by its settings."""

    def kept(step: reading.Step) -> reading.Outputs:
        rows, settings = _input(step), step.node.settings
        name = next((settings[a] for a in attributes if isinstance(settings.get(a), str)), None)
        if name is None:
            raise gui_rows.NotModelled("no attribute")
        rest = {k: v for k, v in sorted(settings.items()) if k not in attributes}
        passes = gui_rows.unknown_call(
            terms.NAME, f"{step.node.kind} {rest}", rows.column(name), type_=terms.TYPES["boolean"]
        )
        return _one(rows.filter(passes.expr))

    return kept


def _regex(step: reading.Step) -> reading.Outputs:
    """Rows whose text has a part that a regular expression matches; one without text has none."""
    rows, settings = _input(step), step.node.settings
    column = rows.column(terms.text(settings, "attribute"))
    if not column.known or column.type != ty.STRING:
        return _opaque_filter("attribute")(step)
    flag = settings.get("caseInsensitive", False)
    gui_rows.require(isinstance(flag, bool), "no truth value")
    pattern = gui_rows.constant(("(?i)" if flag else "") + terms.text(settings, "regex"), ty.STRING)
    return _one(rows.filter(coercion.call("rlike", column.expr, pattern.expr)))


def _projection(step: reading.Step) -> reading.Outputs:
    rows, settings = _input(step), step.node.settings
    units = terms.items(settings, "attributes")
    gui_rows.require(bool(units), "no attributes")
    names = [terms.text(unit, "originalAttribute") for unit in units]
    if settings.get("isDrop") is True:
        return _one(rows.drop(names))
    aliases = [unit.get("alias") or name for unit, name in zip(units, names, strict=True)]
    gui_rows.require(
        all(isinstance(alias, str) for alias in aliases), "an alias that is not a text"
    )
    return _one(rows.select([(a, rows.column(n)) for a, n in zip(aliases, names, strict=True)]))


def _type_casting(step: reading.Step) -> reading.Outputs:
    rows = _input(step)
    casts = {}
    for unit in terms.items(step.node.settings, "typeCastingUnits"):
        name = terms.text(unit, "attribute")
        gui_rows.require(name not in casts, "a column that is cast twice")
        casts[name] = _cast(rows.column(name), terms.type_of(unit.get("resultType")))
    return _one(rows.with_columns(casts))


def _cast(value: gui_rows.Value, type_: ty.DataType) -> gui_rows.Value:
    """A value as another type: numbers exactly, all else by Texera's own parser."""
    if value.known and value.type == type_:
        return value
    if value.known and (value.type, type_) in (
        (ty.INT, ty.LONG),
        (ty.INT, ty.DOUBLE),
        (ty.INT, ty.STRING),
        (ty.LONG, ty.STRING),
    ):
        return gui_rows.Value(coercion.cast(value.expr, type_))
    return gui_rows.unknown_call(terms.NAME, f"cast to {type_}", value, type_=type_)


def _sort(step: reading.Step) -> reading.Outputs:
    rows = step.input()
    keys = []
    for unit in terms.items(step.node.settings, "attributes"):
        column = rows.column(terms.text(unit, "attribute"))
        way = unit.get("sortPreference")
        gui_rows.require(way in ("ASC", "DESC"), f"the order {way!r}")
        if not column.known or column.type not in (ty.INT, ty.LONG, ty.STRING):
            column = gui_rows.unknown_call(terms.NAME, "sort key", column)
        keys.append(SortKey(column.expr, ascending=way == "ASC", nulls_first=False))
    gui_rows.require(bool(keys), "no attributes")
    return _one(rows.sort(keys))


def _limit(step: reading.Step) -> reading.Outputs:
    return _one(step.input().limit(_count(step.node.settings.get("limit"))))


def _distinct(step: reading.Step) -> reading.Outputs:
    rows = step.input()
    _require_plain_equality(rows)
    return _one(rows.distinct())


def _require_plain_equality(rows: gui_rows.Rows) -> None:
    """Texera tells 0.0 from -0.0 where it compares whole rows or keys, Spark does not."""
    gui_rows.require(ty.DOUBLE not in [v.type for _, v in rows.items()], "equality of doubles")


def _udf(step: reading.Step) -> reading.Outputs:
    """A program: whatever it gives, in the columns that are declared."""
    settings = step.node.settings
    added: list[tuple[str, ty.DataType | None]] = [
        (terms.text(column, "attributeName"), terms.type_of(column.get("attributeType")))
        for column in terms.items(settings, "columns" if "columns" in settings else "outputColumns")
    ]
    fields: reading.Fields | None = added
    if settings.get("retainInputColumns") is True:
        gui_rows.require(len(step.inputs) > 0, "no input")
        rows = step.inputs[0][1]
        kept = [(n, v.type if v.known else None) for n, v in rows.items()]
        names = {name for name, _ in kept}
        gui_rows.require(
            not any(name in names for name, _ in added), "a column that is there already"
        )
        fields = None if rows.is_open else [*kept, *added]
    return {port: step.opaque(port, fields or None, free=True) for port in step.node.outputs}


# Properties of charts that name columns; nothing else of a table do they read.
CHARTS: Mapping[str, Sequence[str]] = {
    "BarChart": ("value", "fields", "categoryColumn", "pattern"),
    "PieChart": ("value", "name"),
    "Scatterplot": ("xColumn", "yColumn", "colorColumn", "hoverName"),
    "Histogram": ("value", "color", "separateBy", "pattern"),
    "WordCloud": ("textColumn",),
    "ScatterMatrixChart": ("Selected Attributes", "Color"),
}
LOOKS = (
    "title",
    "topN",
    "xLogScale",
    "yLogScale",
    "alpha",
    "horizontalOrientation",
    "orientation",
    "marginal",
)


def _chart(step: reading.Step) -> reading.Outputs:
    """A picture of some columns, drawn by opaque code."""
    rows, named = step.input(), list[str]()
    for name, value in step.node.settings.items():
        if name in CHARTS[step.node.kind] and value not in (None, "", "No Selection"):
            named += value if isinstance(value, list) else [value]
        gui_rows.require(name in (*CHARTS[step.node.kind], *LOOKS), f"the property {name!r}")
    gui_rows.require(bool(named) and all(isinstance(name, str) for name in named), "no columns")
    used = dict.fromkeys(named)
    shown = rows.select([(name, rows.column(name)) for name in used])
    pictured = step.flow.opaque(
        step.identity(ONLY), step.node.kind, [shown], [("html-content", ty.STRING)]
    )
    return _one(pictured)


# -- several inputs ----------------------------------------------------------------------------


def _union(step: reading.Step) -> reading.Outputs:
    first, *others = [rows for _, rows in step.inputs] or [step.input()]
    return _one(first.union(*others))


def _both(step: reading.Step) -> tuple[gui_rows.Rows, gui_rows.Rows]:
    """The two inputs of an operator on sets; all columns count, in their order."""
    left, right = step.input(LEFT), step.input(RIGHT)
    for rows in (left, right):
        rows.require_known()
        _require_plain_equality(rows)
    gui_rows.require(
        left.names == right.names and left.schema.types == right.schema.types, "different columns"
    )
    gui_rows.require(left.unknown == right.unknown, "columns of different types")
    return left, right


def _on_all(left: gui_rows.Rows, right: gui_rows.Rows, kind: ops.JoinKind) -> gui_rows.Rows:
    pairs = [(name, name) for name in left.names]
    return left.join(right, kind, pairs, null_matches=True).rows()


def _intersect(step: reading.Step) -> reading.Outputs:
    left, right = _both(step)
    return _one(_on_all(left.distinct(), right, ops.JoinKind.SEMI))


def _difference(step: reading.Step) -> reading.Outputs:
    left, right = _both(step)
    return _one(_on_all(left.distinct(), right, ops.JoinKind.ANTI))


def _symmetric_difference(step: reading.Step) -> reading.Outputs:
    left, right = _both(step)
    only_left, only_right = (
        _on_all(left.distinct(), right, ops.JoinKind.ANTI),
        _on_all(right.distinct(), left, ops.JoinKind.ANTI),
    )
    return _one(only_left.union(only_right))


KINDS = {"inner": ops.JoinKind.INNER, "left outer": ops.JoinKind.LEFT}


def _hash_join(step: reading.Step) -> reading.Outputs:
    """Rows with equal keys, where null equals null; the key of the right side is left out."""
    settings = step.node.settings
    left, right = step.input(LEFT), step.input(RIGHT)
    build, probe = (
        terms.text(settings, "buildAttributeName"),
        terms.text(settings, "probeAttributeName"),
    )
    kind = KINDS.get(str(settings.get("joinType", "inner")))
    if kind is None:
        raise gui_rows.NotModelled(
            f"a join that keeps rows of the right side: {settings.get('joinType')}"
        )
    gui_rows.require(left.column(build).type != ty.DOUBLE, "equality of doubles")
    joined = left.join(right, kind, [(build, probe)], null_matches=True)
    return _one(_side_by_side(joined, without=probe))


def _cartesian_product(step: reading.Step) -> reading.Outputs:
    left, right = step.input(LEFT), step.input(RIGHT)
    return _one(_side_by_side(left.join(right, ops.JoinKind.CROSS, [], null_matches=True)))


def _side_by_side(joined: gui_rows.Joined, without: str | None = None) -> gui_rows.Rows:
    """The columns of both sides; those of the right that are called like one before get `#@1`."""
    columns = [(name, joined.of_left(name)) for name in joined.left.names]
    for name in joined.right.names:
        if name == without:
            continue
        taken, free = {n.lower() for n, _ in columns}, name
        gui_rows.require("#@" not in name, "a column that was renamed before")
        if free.lower() in taken:
            free = f"{name}#@1"
            gui_rows.require(free.lower() not in taken, "columns of one name, thrice")
        columns.append((free, joined.of_right(name)))
    return joined.select(columns)


# -- the system --------------------------------------------------------------------------------

MODELS: Mapping[str, reading.Model] = {
    "CSVFileScan": _scan("csv"),
    "CSVOldFileScan": _scan("csv"),
    "ParallelCSVFileScan": _scan("csv"),
    "JSONLFileScan": _scan("jsonl"),
    "FileScan": _scan("file"),
    "ArrowSource": _scan("arrow"),
    "TextInput": _text_input,
    "Filter": _filter,
    "KeywordSearch": _opaque_filter("attribute"),
    "SubstringSearch": _opaque_filter("attribute"),
    "Regex": _regex,
    "Projection": _projection,
    "TypeCasting": _type_casting,
    "Sort": _sort,
    "Limit": _limit,
    "Distinct": _distinct,
    "Aggregate": lambda step: _one(aggregate(step)),
    "Union": _union,
    "Intersect": _intersect,
    "Difference": _difference,
    "SymmetricDifference": _symmetric_difference,
    "HashJoin": _hash_join,
    "CartesianProduct": _cartesian_product,
    **dict.fromkeys(
        ("PythonUDFV2", "PythonUDF", "PythonUDFSourceV2", "DualInputPortsPythonUDFV2"), _udf
    ),
    **dict.fromkeys(
        ("ScalaUDF", "ScalaUDFSource", "JavaUDF", "RUDF", "RUDFSource", "PythonLambdaFunction"),
        _udf,
    ),
}


def _simple_sink(step: reading.Step) -> reading.Outputs:
    step.sink(step.input())
    return {}


def _columns(node: Node, port: str) -> Sequence[tuple[str, ty.DataType | None]] | None:
    """What is told of the columns of an operator that stays opaque."""
    del port
    if node.kind != "Aggregate":
        return None
    keys = [key for key in node.settings.get("groupByKeys") or [] if isinstance(key, str)]
    made = [unit.get("result attribute") for unit in terms.items(node.settings, "aggregations")]
    named = [*keys, *(name for name in made if isinstance(name, str))]
    return [(name, None) for name in named] if len(set(named)) == len(named) else None


SYSTEM = reading.System(
    terms.NAME,
    {**MODELS, **dict.fromkeys(CHARTS, _chart), "SimpleSink": _simple_sink},
    _columns,
    shown=lambda node: node.title,
    is_free=lambda node: MODELS.get(node.kind) is _udf,
    ignores_case=True,
)
