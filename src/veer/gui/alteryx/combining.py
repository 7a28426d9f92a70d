"""Tools that combine tables."""

from __future__ import annotations

from collections.abc import Sequence

from veer.gui import rows as gui_rows
from veer.gui.alteryx.columns import column, has_column, name_of
from veer.gui.alteryx.config import Config, config_of
from veer.gui.alteryx.meaning import TRUE
from veer.gui.alteryx.numbers import SYSTEM
from veer.gui.alteryx.selecting import selection
from veer.gui.alteryx.storing import declared_as
from veer.gui.reading import Outputs, Step
from veer.ir import expr as ex, ops, types as ty
from veer.ir.digests import json_digest
from veer.ir.nullability import is_nullable
from veer.ir.ops import Join, JoinKind
from veer.read import coercion

ORDER = ("SetOutputOrder", "OutputOrder")  # of the inputs of a Union
MOST_APPENDED = 16  # records that Append Fields takes without a complaint


def join(step: Step) -> Outputs:
    """Join: pairs of rows that are equal in some columns, and the rows of each side without one."""
    config = config_of(step.node.settings)
    gui_rows.require(
        config.attributes.get("joinByRecordPos", "False") == "False", "joined by position"
    )
    left, right = step.input("Left"), step.input("Right")
    pairs = list(zip(_keys(config, "Left", left), _keys(config, "Right", right), strict=False))
    sizes = {len(_keys(config, side, rows)) for side, rows in (("Left", left), ("Right", right))}
    gui_rows.require(len(sizes) == 1 and bool(pairs), "columns to join by")
    step.port("Join")
    paired = _paired(step, left, right, JoinKind.INNER, pairs)
    outputs = {"Join": _selected(config, paired, ("Left_", "Right_"))}
    step.port("Left")
    outputs["Left"] = _paired(step, left, right, JoinKind.ANTI, pairs).rows()
    step.port("Right")
    back = [(theirs, mine) for mine, theirs in pairs]
    outputs["Right"] = _paired(step, right, left, JoinKind.ANTI, back, turned=True).rows()
    return outputs


def _keys(config: Config, side: str, rows: gui_rows.Rows) -> list[str]:
    for info in config.children("JoinInfo"):
        if info.get("connection") == side:
            return [name_of(rows, field.get("field")) for field in info.children("Field")]
    return []


def _unknown_equality(a: gui_rows.Value, b: gui_rows.Value, turned: bool) -> ex.Expr:
    """Whether values of different types, or fractions, are equal to a join."""
    sides = (b, a) if turned else (a, b)
    return ex.Compare(
        "<=>", gui_rows.unknown_call(SYSTEM, "joins", *sides, type_=ty.BOOLEAN).expr, TRUE
    )


def _paired(
    step: Step,
    left: gui_rows.Rows,
    right: gui_rows.Rows,
    kind: JoinKind,
    pairs: Sequence[tuple[str, str]],
    *,
    turned: bool = False,
) -> gui_rows.Joined:
    """Rows equal in pairs of columns; whether null is equal to null there is left open."""
    both = gui_rows.Joined(step.flow, "", left, right)
    conditions = []
    for mine, theirs in pairs:
        a, b = both.of_left(mine), both.of_right(theirs)
        if a.known is not b.known or a.type != b.type or a.type in (ty.DOUBLE, ty.FLOAT):
            conditions.append(_unknown_equality(a, b, turned))
            continue
        nullable = is_nullable(column(left, mine).expr, left.schema) and is_nullable(
            column(right, theirs).expr, right.schema
        )
        condition = _equal(a.expr, b.expr, nullable)
        if a.type == ty.STRING:
            condition = ex.Or((condition, _equal_but_for_case(a, b, turned)))
        conditions.append(condition)
    operator = Join(kind, coercion.conjunction(conditions))
    return gui_rows.Joined(step.flow, step.flow.add(operator, left.id, right.id), left, right)


def _equal_but_for_case(a: gui_rows.Value, b: gui_rows.Value, turned: bool) -> ex.Expr:
    """Whether texts join that differ, in case at least, is not known; of unknown types all may do."""
    differ = [ex.Not(ex.Compare("=", a.expr, b.expr)), _unknown_equality(a, b, turned)]
    if a.known:
        lower = (coercion.call("lower", value.expr) for value in (a, b))
        differ.insert(0, ex.Compare("=", *lower))
    return ex.And(tuple(differ))


def _equal(a: ex.Expr, b: ex.Expr, nullable: bool) -> ex.Expr:
    equal = ex.Compare("=", a, b)
    if not nullable:
        return equal
    match = ex.Compare(
        "<=>", gui_rows.unknown_call(SYSTEM, "null joins null", type_=TRUE.type).expr, TRUE
    )
    return ex.Or((equal, ex.And((ex.IsNull(a), ex.IsNull(b), match))))


def _selected(config: Config, paired: gui_rows.Joined, prefixes: tuple[str, str]) -> gui_rows.Rows:
    """The columns of both sides that a configuration lets pass, under their prefixes in its list."""
    parts = list(config.all("SelectConfiguration", "Configuration"))
    gui_rows.require(len(parts) == 1, "columns of several outputs are chosen")
    chosen = selection(parts[0])
    left, right = paired.left, paired.right
    for one in chosen.listed:
        for prefix, rows in zip(prefixes, (left, right), strict=True):
            if one.field.lower().startswith(prefix.lower()):
                has_column(rows, one.field[len(prefix) :])
    columns = [
        *((prefixes[0] + name, name, paired.of_left(name)) for name in left.names),
        *((prefixes[1] + name, name, paired.of_right(name)) for name in right.names),
    ]
    passing = chosen.apply(columns)
    result = paired.select(passing, others=(left.is_open or right.is_open) and chosen.others)
    return chosen.declared(result, columns)


def append_fields(step: Step) -> Outputs:
    """Append Fields: each row with each of a few others, at least one."""
    targets, source = step.input("Targets"), step.input("Source")
    # What comes of no rows at all to append is not known, more than 16 are an error.
    gui_rows.require(_has_few_rows(step, source), "how many records are appended is not told")
    id_ = step.flow.add(Join(ops.JoinKind.CROSS), targets.id, source.id)
    paired = gui_rows.Joined(step.flow, id_, targets, source)
    config = config_of(step.node.settings)
    return {"Output": _selected(config, paired, ("Target_", "Source_"))}


def _has_few_rows(step: Step, rows: gui_rows.Rows) -> bool:
    """Whether a table surely has from 1 to 16 rows."""
    operators, feeding = step.flow.builder.operators, step.flow.builder.links
    here = rows.id
    while isinstance(operators[here], ops.Project | ops.Sort):
        here = next(link.src for link in feeding if link.dst == here)
    operator = operators[here]
    return isinstance(operator, ops.Values) and 1 <= len(operator.rows) <= MOST_APPENDED


def union(step: Step) -> Outputs:
    """Union: all rows, columns by name or by position; a column that is missing is null."""
    outputs = _union(step)
    # The order of its inputs counts to tools below that look at the order of rows.
    config, united = config_of(step.node.settings), outputs["Output"]
    order = [part.json for tag in ORDER for part in config.children(tag)]
    told = json_digest([order, [port for port, _ in step.inputs]])
    if len(step.inputs) > 1:
        step.flow.orders[united.id] = told
    return outputs


def _union(step: Step) -> Outputs:
    config = config_of(step.node.settings)
    tables = [rows for _, rows in step.inputs]
    gui_rows.require(bool(tables), "no input")
    if len(tables) == 1:
        return {"Output": tables[0]}
    first = tables[0]
    alike = all(
        (t.names, t.origins, t.unknown) == (first.names, first.origins, first.unknown)
        for t in tables
    )
    if config.text_of("Mode") == "ByName" and alike and len(first.origins) == 1:
        return {"Output": first.union(*tables[1:])}
    for rows in tables:
        rows.require_known()
    match config.text_of("Mode"):
        case "ByName":
            return {"Output": _by_name(config, tables)}
        case "ByPos":
            return {"Output": _by_position(tables)}
        case mode:
            raise gui_rows.NotModelled(f"a union of the mode {mode!r}")


def _by_position(tables: Sequence[gui_rows.Rows]) -> gui_rows.Rows:
    first = tables[0]
    renamed = []
    for rows in tables:
        gui_rows.require(len(rows.names) == len(first.names), "tables of different columns")
        named = zip(first.names, (value for _, value in rows.items()), strict=True)
        renamed.append(rows.select(list(named)))
    return _united(renamed)


def _by_name(config: Config, tables: Sequence[gui_rows.Rows]) -> gui_rows.Rows:
    names: dict[str, tuple[str, gui_rows.Value]] = {}  # by name in lower case, as it is first met
    for rows in tables:
        for name, value in rows.items():
            names.setdefault(name.lower(), (name, value))
    everywhere = [k for k in names if all(k in _lower(rows) for rows in tables)]
    if len(everywhere) < len(names):
        gui_rows.require(
            config.text_of("ByName_ErrorMode") != "Error", "it stops if a column is missing"
        )
        if config.text_of("ByName_OutputMode") != "All":
            names = {key: names[key] for key in everywhere}
    gui_rows.require(bool(names), "no column in common")
    aligned = []
    for rows in tables:
        own = {name.lower(): value for name, value in rows.items()}
        columns = [(n, own.get(key) or _missing(v)) for key, (n, v) in names.items()]
        aligned.append(rows.select(columns))
    return _united(aligned)


def _united(tables: Sequence[gui_rows.Rows]) -> gui_rows.Rows:
    """Tables of the same columns, one after the other; which of two sizes a column gets is not known."""
    told = [tuple(declared_as(rows, name) for rows in tables) for name in tables[0].names]
    unsure = {
        name: json_digest(sizes)
        for name, sizes in zip(tables[0].names, told, strict=True)
        if len(set(sizes) - {None}) > 1
    }
    if not unsure:
        return tables[0].union(*tables[1:])
    fitted = []
    for rows in tables:
        values = {name: _fitted(rows.column(name), how) for name, how in unsure.items()}
        fitted.append(rows.with_columns(values))
    return fitted[0].union(*fitted[1:])


def _fitted(value: gui_rows.Value, how: str) -> gui_rows.Value:
    type_ = value.type if value.known else None
    return gui_rows.unknown_call(SYSTEM, f"united {how}", value, type_=type_)


def _lower(rows: gui_rows.Rows) -> set[str]:
    return {name.lower() for name in rows.names}


def _missing(like: gui_rows.Value) -> gui_rows.Value:
    return gui_rows.Value(ex.Literal(None, like.type), like.known)
