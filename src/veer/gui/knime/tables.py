"""Nodes that put tables together, group and arrange rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from veer.gui import rows as gui_rows
from veer.gui.knime.cells import SYSTEM
from veer.gui.knime.columns import chosen, model_of
from veer.gui.knime.config import Config, names, table, text
from veer.gui.reading import Model, Outputs, Step
from veer.ir import expr as ex, ops, types as ty
from veer.read import coercion

Fields = Sequence[tuple[str, ty.DataType | None]]
OLD_ROW_IDS = ("<row-keys>", "$RowID$", "ROW_ID", "<row-id>", "$ROWID$")


# -- one table below another -----------------------------------------------------------------------


def concatenate(step: Step) -> Outputs:
    """Concatenate: all rows, columns by name; a column that a table lacks is missing there."""
    model = model_of(step)
    tables = [rows for port, rows in step.inputs if port != "0"]
    if model.get("create_new_rowids") is not True and model.get("create-new-rowids") is not True:
        gui_rows.require(model.get("fail_on_duplicates") is False, "equal RowIDs make it fail")
        gui_rows.require(model.get("append_suffix") is True, "rows with equal RowIDs are left out")
    gui_rows.require(len(tables) > 1, "nothing to concatenate")
    for rows in tables:
        rows.require_known()
    every = list(dict.fromkeys(name for rows in tables for name in rows.names))
    if model.get("intersection_of_columns") is True:
        every = [name for name in every if all(name in rows.names for rows in tables)]
    gui_rows.require(bool(every), "no column in common")
    types = {name: _common_type(name, tables) for name in every}
    aligned = []
    for rows in tables:
        if list(rows.names) == every:
            aligned.append(rows)
            continue
        columns = [
            (name, rows.column(name) if name in rows.names else types[name]) for name in every
        ]
        aligned.append(rows.select(columns))
    first, *others = aligned
    return {"1": first.union(*others)}


def _common_type(name: str, tables: Sequence[gui_rows.Rows]) -> gui_rows.Value:
    """A missing value of the type that a column has in all tables."""
    values = [rows.column(name) for rows in tables if name in rows.names]
    first = values[0]
    for value in values[1:]:
        gui_rows.require(
            value.known is first.known and value.type == first.type,
            f"{name!r} is of different types",
        )
    return gui_rows.Value(ex.Literal(None, first.type), first.known)


# -- joins -----------------------------------------------------------------------------------------


def join_tables(step: Step) -> Outputs:
    """Joiner: rows with equal values; missing values are equal to nothing."""
    model = model_of(step)
    left, right = step.input("1"), step.input("2")
    left.require_known()
    right.require_known()
    pairs = _criteria(model)
    gui_rows.require(text(model, "compositionMode") in ("MATCH_ALL", ""), "any one of the criteria")
    gui_rows.require(
        text(model, "dataCellComparisonMode") in ("STRICT", ""), "how values are compared"
    )
    gui_rows.require(model.get("outputUnmatchedRowsToSeparatePorts") is not True, "three outputs")
    for mine, theirs in pairs:
        a, b = left.column(mine), right.column(theirs)
        gui_rows.require(a.type != ty.DOUBLE and b.type != ty.DOUBLE, "doubles are compared")
    joined = [_selected(model, side, rows) for side, rows in (("left", left), ("right", right))]
    both = tuple(model.get(f"include{which}InOutput") is True for which in UNMATCHED)
    matter = pairs if model.get("mergeJoinColumns") is True else []
    return {"1": _joined(left, right, pairs, matter, joined, both, _suffix(model))}


UNMATCHED = ("Matches", "LeftUnmatched", "RightUnmatched")


def _criteria(model: Config) -> list[tuple[str, str]]:
    listed = model.get("matchingCriteria")
    if listed is None:
        lefts = names(model, "leftTableJoinPredicate")
        pairs = list(zip(lefts, names(model, "rightTableJoinPredicate"), strict=False))
    else:
        entries = listed if isinstance(listed, list) else list(table(listed).values())
        pairs = [
            (_criterion(entry, "leftTableColumn"), _criterion(entry, "rightTableColumn"))
            for entry in entries
            if isinstance(entry, dict)
        ]
    gui_rows.require(bool(pairs), "no criteria")
    for name in (name for pair in pairs for name in pair):
        gui_rows.require(bool(name) and name not in OLD_ROW_IDS, "RowIDs are compared")
    gui_rows.require(
        len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs), "a column twice"
    )
    return pairs


def _criterion(entry: Config, key: str) -> str:
    return text(entry, key) or text(entry, f"{key}V2", "regularChoice")


def _selected(model: Config, side: str, rows: gui_rows.Rows) -> list[str]:
    for key in (f"{side}ColumnSelectionConfigV2", f"{side}ColumnSelectionConfig"):
        if key in model:
            return chosen(rows, model[key])
    raise gui_rows.NotModelled("which columns are kept is not told")


def _suffix(model: Config) -> str:
    match text(model, "duplicateHandling"):
        case "APPEND_SUFFIX" | "AppendSuffix":
            return text(model, "suffix")
        case "APPEND_SUFFIX_AUTOMATIC" | "AppendSuffixAutomatic":
            return " (#1)"
        case "DO_NOT_EXECUTE" | "DontExecute":
            return ""
        case other:
            raise gui_rows.NotModelled(f"how columns of one name are called: {other!r}")


def _joined(
    left: gui_rows.Rows,
    right: gui_rows.Rows,
    pairs: list[tuple[str, str]],
    merged: list[tuple[str, str]],
    kept: Sequence[list[str]],
    which: tuple[bool, ...],
    suffix: str,
) -> gui_rows.Rows:
    """The rows that match, and those of either side that do not, as is asked for."""
    matches, of_left, of_right = which
    gui_rows.require(matches, "no rows that match")
    swapped = of_right and not of_left
    first, second = (right, left) if swapped else (left, right)
    turned = [(b, a) for a, b in pairs] if swapped else pairs
    kind = (
        ops.JoinKind.FULL
        if of_left and of_right
        else ops.JoinKind.LEFT
        if of_left or of_right
        else ops.JoinKind.INNER
    )
    join = first.join(second, kind, turned, null_matches=False)
    mine = join.of_right if swapped else join.of_left
    theirs = join.of_left if swapped else join.of_right
    partner = dict(merged)
    taken = {b for _, b in merged}
    for a, b in merged:
        gui_rows.require(a in kept[0] and b in kept[1], "a column of the criteria is left out")
    columns: list[tuple[str, gui_rows.Value]] = []
    for name in kept[0]:
        if name in partner:
            both = coercion.call("coalesce", mine(name).expr, theirs(partner[name]).expr)
            label = name if partner[name] == name else f"{name}={partner[name]}"
            columns.append((label, gui_rows.Value(both, mine(name).known)))
        else:
            columns.append((name, mine(name)))
    used = {name for name, _ in columns}
    for name in kept[1]:
        if name in taken:
            continue
        label = name
        if label in used:
            gui_rows.require(bool(suffix), "two columns of one name")
            label = f"{name}{suffix}"
        gui_rows.require(label not in used, "two columns of one name")
        used.add(label)
        columns.append((label, theirs(name)))
    return join.select(columns)


def cross_join(step: Step) -> Outputs:
    """Cross Joiner: each row of one table with each of the other."""
    model, left, right = model_of(step), step.input("1"), step.input("2")
    left.require_known()
    right.require_known()
    for key in ("CFG_SHOW_FIRST", "CFG_SHOW_SECOND"):
        gui_rows.require(model.get(key) is False, "RowIDs become columns")
    suffix = text(model, "rigthSuffix")
    join = left.join(right, ops.JoinKind.CROSS, [], null_matches=False)
    columns = [(name, join.of_left(name)) for name in left.names]
    for name in right.names:
        label = name if name not in left.names else f"{name}{suffix}"
        gui_rows.require(label not in {n for n, _ in columns}, "two columns of one name")
        columns.append((label, join.of_right(name)))
    return {"1": join.select(columns)}


# -- groups and order --------------------------------------------------------------------------------


def group_rows(step: Step) -> Outputs:
    """GroupBy, as far as its results are exact: sums of whole numbers, counts, extremes."""
    model, rows = model_of(step), step.input("1")
    keys = names(table(model, "grouByColumns"), "include")
    gui_rows.require(bool(keys), "no columns to group by")
    gui_rows.require(model.get("inMemory") is not True, "groups are made in memory")
    for name in keys:
        value = rows.column(name)
        gui_rows.require(not (value.known and value.type == ty.DOUBLE), "groups of doubles")
    for key in ("patternAggregators", "dataTypeAggregators"):
        gui_rows.require(not table(model, key), "columns are aggregated by their names or types")
    aggregators = table(model, "aggregationColumn")
    columns, methods = names(aggregators, "columnNames"), names(aggregators, "aggregationMethod")
    included = aggregators.get("inclMissingVals")
    gui_rows.require(len(columns) == len(methods), "columns without methods")
    gui_rows.require(not columns or isinstance(included, list), "missing values are not told of")
    policy = text(model, "columnNamePolicy")
    if columns:
        gui_rows.require(policy == "Keep original name(s)", f"columns are named by {policy!r}")
    calls: list[tuple[str, ex.AggregateCall]] = []
    for place, (name, method) in enumerate(zip(columns, methods, strict=True)):
        with_missing = isinstance(included, list) and included[place : place + 1] == [True]
        calls.append((name, _aggregate(rows.column(name), method, with_missing)))
    grouped = rows.group([(name, rows.column(name)) for name in keys], calls)
    return {"1": _narrowed(grouped, columns, methods, rows)}


def _aggregate(value: gui_rows.Value, method: str, with_missing: bool) -> ex.AggregateCall:
    whole = value.known and value.type in (ty.INT, ty.LONG)
    match method:
        case "Sum_V2.5.2" if value.known and value.type in (ty.INT, ty.DOUBLE):
            return coercion.aggregate_call("sum", [value.expr])
        case "Count":
            counted = ex.Literal(1, ty.INT) if with_missing else value.expr
            return coercion.aggregate_call("count", [counted])
        case "Minimum" | "Maximum" if whole or value.type in (ty.DATE, ty.TIMESTAMP_NTZ):
            return coercion.aggregate_call("min" if method == "Minimum" else "max", [value.expr])
        case _:
            raise gui_rows.NotModelled(f"aggregated by {method}")


def _narrowed(
    grouped: gui_rows.Rows, columns: list[str], methods: list[str], rows: gui_rows.Rows
) -> gui_rows.Rows:
    """Sums and counts as the integers they are in KNIME; a sum that is too large is missing."""
    narrow: dict[str, gui_rows.Value] = {}
    for name, method in zip(columns, methods, strict=True):
        total = grouped.column(name)
        if method == "Count":
            narrow[name] = gui_rows.Value(coercion.cast(total.expr, ty.INT))
        elif method == "Sum_V2.5.2" and rows.column(name).type == ty.INT:
            least, most = ex.Literal(-(1 << 31), ty.LONG), ex.Literal((1 << 31) - 1, ty.LONG)
            narrow[name] = gui_rows.Value(
                ex.Case(
                    (
                        (coercion.compare(">", total.expr, most), ex.Literal(None, ty.INT)),
                        (coercion.compare("<", total.expr, least), ex.Literal(-(1 << 31), ty.INT)),
                    ),
                    coercion.cast(total.expr, ty.INT),
                )
            )
    return grouped.with_columns(narrow) if narrow else grouped


def sort_rows(step: Step) -> Outputs:
    """The Sorter of old: missing values first when ascending, or always last."""
    model, rows = model_of(step), step.input("1")
    by, ascending = names(model, "incllist"), model.get("sortOrder")
    to_end = model.get("missingToEnd", False)
    if not isinstance(ascending, list) or len(ascending) != len(by) or not by:
        raise gui_rows.NotModelled("no order that is understood")
    gui_rows.require(isinstance(to_end, bool), "where missing values come")
    keys = []
    for name, up in zip(by, ascending, strict=True):
        gui_rows.require(
            name not in ("-ROWKEY -", *OLD_ROW_IDS) and isinstance(up, bool), "by RowIDs"
        )
        value = rows.column(name)
        ordered = value
        if not value.known or value.type not in (ty.INT, ty.LONG, ty.DATE, ty.TIMESTAMP_NTZ):
            # Java's order of text and doubles is not quite Spark's.
            ordered = gui_rows.unknown_call(SYSTEM, "order", value, type_=value.type)
        nulls_first = False if to_end else up
        keys.append(ex.SortKey(ordered.expr, ascending=up, nulls_first=nulls_first))
    return {"1": rows.sort(keys)}


# -- nodes of which only the columns are known ---------------------------------------------------------


def same_table(step: Step) -> Outputs:
    """A node that gives its table as it is, with colours and the like."""
    return {"1": step.input("1")}


def same_columns(*ports: str, reason: str) -> Model:
    """The model of a node that gives some unknown rows of its table."""

    def read(step: Step) -> Outputs:
        fields = step.input("1").fields()
        raise gui_rows.NotModelled(reason, dict.fromkeys(ports, fields) if fields else None)

    return read


def or_same_columns(model: Callable[[Step], Outputs], *ports: str) -> Model:
    """A model of a node that chooses rows: where it does not know which, it knows the columns."""

    def read(step: Step) -> Outputs:
        try:
            return model(step)
        except gui_rows.NotModelled as reason:
            fields = step.input("1").fields()
            raise gui_rows.NotModelled(
                str(reason), dict.fromkeys(ports, fields) if fields else None
            ) from None

    return read


def normalize(step: Step) -> Outputs:
    """Normalizer: numbers by what all rows have, so that only the columns are known."""
    model, rows = model_of(step), step.input("1")
    if rows.is_open:
        raise gui_rows.NotModelled("numbers are normalized")
    taken = chosen(rows, model.get("data-column-filter"))
    changed: dict[str, ty.DataType | None] = {
        name: ty.DOUBLE
        for name in taken
        if rows.column(name).known and rows.column(name).type in (ty.INT, ty.LONG, ty.DOUBLE)
    }
    fields = rows.fields(changed)
    raise gui_rows.NotModelled("numbers are normalized", {"1": fields} if fields else None)


def fill_otherwise(model: Callable[[Step], Outputs]) -> Model:
    """Missing Value with means and the like: the columns stay, their types may change."""

    def read(step: Step) -> Outputs:
        try:
            return model(step)
        except gui_rows.NotModelled as reason:
            rows = step.input("1")
            fields: Fields | None = None
            if not rows.is_open:
                fields = [
                    (n, v.type if v.known and v.type == ty.STRING else None)
                    for n, v in rows.items()
                ]
            raise gui_rows.NotModelled(str(reason), {"1": fields} if fields else None) from None

    return read


def append_columns(step: Step) -> Outputs:
    """Column Appender: which rows meet depends on RowIDs and places; the columns are those of all."""
    tables = [rows.fields() for port, rows in step.inputs if port != "0"]
    fields = [field for told in tables for field in told or ()]
    known = all(tables) and len({name for name, _ in fields}) == len(fields)
    raise gui_rows.NotModelled("rows meet by RowIDs or places", {"1": fields} if known else None)


def look_up(step: Step) -> Outputs:
    """Value Lookup: the first or last match depends on the order; the columns are known."""
    model, reason = model_of(step), "which row of the dictionary matches first"
    rows, dictionary = step.input("1"), step.input("2")
    kept = text(model, "lookupColumnOutput") == "RETAIN" and model.get("createFoundCol") is False
    if not kept or rows.is_open or dictionary.is_open:
        raise gui_rows.NotModelled(reason)
    added = chosen(dictionary, model.get("dictValueCols"))
    told = dict(dictionary.fields() or ())
    fields = [*(rows.fields() or ()), *((name, told[name]) for name in added)]
    known = len({name for name, _ in fields}) == len(fields)
    raise gui_rows.NotModelled(reason, {"1": fields} if known else None)


def change_row_ids(step: Step) -> Outputs:
    """RowID: what it does to RowIDs shows in the nodes below; of the table the columns are known."""
    model, rows = model_of(step), step.input("1")
    reason = "RowIDs are read or changed"
    fields = list(rows.fields() or ())
    if not fields or model.get("appendRowKeyCol") is not False:
        raise gui_rows.NotModelled(reason)
    if model.get("replaceRowKey") is True and model.get("removeRowKeyCol") is True:
        gone = text(model, "newRowKeyColumnName")
        fields = [field for field in fields if field[0] != gone]
    raise gui_rows.NotModelled(reason, {"1": fields} if fields else None)
