"""What the nodes that are modelled do with rows, with missing values and duplicates among them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tests.gui.knime.building import (
    COLUMN_FILTER,
    CONCATENATE,
    CONCATENATION,
    CONSTANT,
    CROSS_JOINER,
    CSV_READER,
    CSV_WRITER,
    GROUP_BY,
    JOINER,
    MATH,
    MISSING,
    OLD_RENAMER,
    OLD_ROW_FILTER,
    RENAMER,
    ROW_FILTER,
    RULE_FILTER,
    RULES,
    SORTER,
    TABLE_CREATOR,
    TEXTS,
    Flow,
    criteria,
    csv_reader,
    csv_writer,
    exclude,
    include,
    joiner,
    reading,
    results,
    rules,
)
from veer.interpreter import run_dataflow

NAN, INF = math.nan, math.inf
Rows = list[tuple[Any, ...]]


def one_node(factory: str, model: dict[str, Any], **columns: str) -> Flow:
    """A reader of t.csv, a node, a writer."""
    flow = Flow().add(1, CSV_READER, csv_reader("t.csv", columns))
    flow.add(2, factory, model, 1)
    return flow.add(3, CSV_WRITER, csv_writer("out.csv"), 2, ports=0)


def run(tmp_path: Path, factory: str, model: dict[str, Any], rows: Rows, **columns: str) -> Rows:
    return results(one_node(factory, model, **columns), tmp_path, t=rows)


PEOPLE: Rows = [(1, "Ann"), (2, "bob"), (None, "x"), (3, None), (2, "bob")]


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        (criteria(("a", "GT", "int", 1)), [(2, "bob"), (2, "bob"), (3, None)]),
        (criteria(("a", "EQ", "int", 2)), [(2, "bob"), (2, "bob")]),
        (criteria(("a", "NEQ", "int", 2)), [(1, "Ann"), (3, None)]),
        (criteria(("a", "NEQ_MISS", "int", 2)), [(1, "Ann"), (3, None), (None, "x")]),
        (criteria(("a", "IS_MISSING")), [(None, "x")]),
        (criteria(("a", "IS_NOT_MISSING"), ("b", "IS_MISSING")), [(3, None)]),
        (
            criteria(("a", "LT", "int", 2), ("b", "EQ", "string", "x"), match="OR"),
            [(1, "Ann"), (None, "x")],
        ),
        (criteria(("a", "GTE", "int", 2), mode="NON_MATCHING"), [(1, "Ann"), (None, "x")]),
        (criteria(("b", "WILDCARD", "string", "?o*")), [(2, "bob"), (2, "bob")]),
    ],
)
def test_row_filter(tmp_path: Path, model: dict[str, Any], kept: Rows) -> None:
    assert run(tmp_path, ROW_FILTER, model, PEOPLE, a="int", b="string") == kept
    assert run(tmp_path, ROW_FILTER, model, [], a="int", b="string") == []


def test_regular_expression_is_that_of_java(tmp_path: Path) -> None:
    flow = one_node(ROW_FILTER, criteria(("b", "REGEX", "string", "[A-Z].*")), a="int", b="string")
    assert not reading(flow, tmp_path).opaque


def old_filter(kind: str, column: str, **settings: Any) -> dict[str, Any]:
    told = {"RowFilter_TypeID": kind, "ColumnName": column, "deepFiltering": False, **settings}
    return {"rowFilter": told}


def cell(value: int) -> dict[str, Any]:
    name = "org.knime.core.data.def.IntCell"
    return {"datacell": name, name: {"IntCell": value}}


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        (
            old_filter(
                "RangeVal_RowFilter",
                "a",
                include=True,
                lowerBound=cell(2),
                upperBound={"datacell": None},
            ),
            [(2, "bob"), (2, "bob"), (3, None)],
        ),
        (
            old_filter(
                "RangeVal_RowFilter", "a", include=False, lowerBound=cell(2), upperBound=cell(2)
            ),
            [(1, "Ann"), (3, None), (None, "x")],
        ),
        (old_filter("MissingVal_RowFilter", "b", include=False), [r for r in PEOPLE if r[1]]),
        (
            old_filter(
                "StringComp_RowFilter",
                "b",
                include=True,
                Pattern="bob",
                CaseSensitive=True,
                hasWildCards=False,
                isRegExpr=False,
            ),
            [(2, "bob"), (2, "bob")],
        ),
        (
            old_filter(
                "StringComp_RowFilter",
                "a",
                include=False,
                Pattern="2",
                CaseSensitive=True,
                hasWildCards=False,
                isRegExpr=False,
            ),
            [(1, "Ann"), (3, None), (None, "x")],
        ),
    ],
)
def test_row_filter_of_old(tmp_path: Path, model: dict[str, Any], kept: Rows) -> None:
    assert run(tmp_path, OLD_ROW_FILTER, model, PEOPLE, a="int", b="string") == sorted(
        kept, key=repr
    )


def test_columns(tmp_path: Path) -> None:
    rows: Rows = [(1, "x", 2.5), (None, None, None)]
    columns = {"a": "int", "b": "string", "c": "double"}
    assert run(tmp_path, COLUMN_FILTER, include("c", "a", "gone"), rows, **columns) == [
        (1, 2.5),
        (None, None),
    ]
    assert run(tmp_path, COLUMN_FILTER, exclude("b"), rows, **columns) == [(1, 2.5), (None, None)]
    renamed = {"renamings": {"0": {"oldName": "a", "newName": "n"}}}
    read = reading(one_node(RENAMER, renamed, **columns), tmp_path)
    (result,) = run_dataflow(read.dataflow, {"t.csv": rows}).values()
    assert result.names == ("n", "b", "c")
    old = {
        "all_columns": {"0": {"old_column_name": "a", "new_column_name": "n", "new_column_type": 0}}
    }
    read = reading(one_node(OLD_RENAMER, old, **columns), tmp_path)
    (result,) = run_dataflow(read.dataflow, {"t.csv": rows}).values()
    assert result.names == ("n", "b", "c")


def test_constant_column_gets_a_free_name(tmp_path: Path) -> None:
    model = {
        "replaced-column": None,
        "column-value": "7",
        "new-column-name": "a",
        "column-type": "INT",
    }
    read = reading(one_node(CONSTANT, model, a="int"), tmp_path)
    (result,) = run_dataflow(read.dataflow, {"t.csv": [(1,)]}).values()
    assert (result.names, result.rows) == (("a", "a (#1)"), [(1, 7)])


@pytest.mark.parametrize(
    ("lines", "given"),
    [
        (('$a$ > 1 => "many"', 'TRUE => "few"'), ["few", "few", "many", "many", "many"]),
        (("// nothing", '$a$ > 1 => "many"'), ["many", "many", "many", None, None]),
        (('NOT $a$ > 1 => "few"',), ["few", "few", None, None, None]),
        (('MISSING $a$ => "?"', "TRUE => $b$"), ["?", "Ann", "bob", "bob", None]),
        (('$b$ IN ("bob", "x") AND $a$ <= 2 => "in"',), ["in", "in", None, None, None]),
        (('$b$ LIKE "*b" OR $a$ = 1 => "y"',), ["y", "y", "y", None, None]),
        (('$a$ = 1 XOR $b$ = "Ann" => "one"', 'TRUE => "both"'), ["both"] * 5),
    ],
)
def test_rules(tmp_path: Path, lines: tuple[str, ...], given: list[Any]) -> None:
    flow = one_node(RULES, rules(*lines, append="r"), a="int", b="string")
    flow.add(2, RULES, rules(*lines, append="r"))
    flow.add(4, COLUMN_FILTER, include("r"), 2)
    flow.links = [(1, 1, 2, 1), (2, 1, 4, 1), (4, 1, 3, 1)]
    expected = sorted(((v,) for v in given), key=repr)
    assert results(flow, tmp_path, t=PEOPLE) == expected


def test_rules_of_doubles(tmp_path: Path) -> None:
    """NaN compares with nothing, and -0.0 comes before 0."""
    model = rules("$x$ > 0 => 1", "$x$ < 0 => -1", "$x$ = 0 => 0", replace="x")
    rows: Rows = [(1.5,), (NAN,), (None,), (0.0,), (-0.0,), (-2.0,)]
    assert run(tmp_path, RULES, model, rows, x="double") == sorted(
        [(1,), (None,), (None,), (0,), (-1,), (-1,)], key=repr
    )


def test_rule_filter(tmp_path: Path) -> None:
    model = {"rules": ["$a$ > 1 => FALSE", "NOT MISSING $a$ => TRUE"], "include": True}
    assert run(tmp_path, RULE_FILTER, model, PEOPLE, a="int", b="string") == [(1, "Ann")]
    others = {**model, "include": False}
    assert len(run(tmp_path, RULE_FILTER, others, PEOPLE, a="int", b="string")) == 4


def test_formula(tmp_path: Path) -> None:
    model = {"expression": "($a$ + 1) / $b$", "append_column": True, "replaced_column": "b"}
    rows: Rows = [(1, 2.0), (1, 0.0), (-1, 0.0), (None, 1.0), (3, None), (1, NAN), (1, INF)]
    assert run(tmp_path, MATH, model, rows, a="int", b="double") == sorted(
        [(1, 1.0), (1, None), (-1, None), (None, None), (3, None), (1, None), (1, 0.0)], key=repr
    )


def test_formula_in_a_new_column(tmp_path: Path) -> None:
    """The setting that is called `append_column` is true where a column is replaced."""
    model = {"expression": "$a$ * 2", "append_column": False, "replaced_column": "twice"}
    read = reading(one_node(MATH, model, a="int"), tmp_path)
    (result,) = run_dataflow(read.dataflow, {"t.csv": [(4,)]}).values()
    assert (result.names, result.rows) == (("a", "twice"), [(4, 8.0)])


def test_missing_values(tmp_path: Path) -> None:
    handlers = "org.knime.base.node.preproc.pmml.missingval.handlers."
    model = {
        "columnSettings": {},
        "dataTypeSettings": {
            "org.knime.core.data.def.IntCell": {
                "factoryID": f"{handlers}FixedIntegerValueMissingCellHandlerFactory",
                "settings": {"fixIntegerValue": 0},
            },
            "org.knime.core.data.def.StringCell": {
                "factoryID": f"{handlers}DoNothingMissingCellHandlerFactory",
                "settings": {},
            },
        },
    }
    assert run(tmp_path, MISSING, model, [(None, None), (1, "x")], a="int", b="string") == [
        (0, None),
        (1, "x"),
    ]


def test_numbers_as_text(tmp_path: Path) -> None:
    model = include("a", key="include")
    assert run(tmp_path, TEXTS, model, [(1,), (None,), (-5,)], a="int") == sorted(
        [("1",), (None,), ("-5",)], key=repr
    )


def two_nodes(factory: str, model: dict[str, Any], q: dict[str, str]) -> Flow:
    flow = Flow().add(1, CSV_READER, csv_reader("p.csv", {"a": "int", "b": "string"}))
    flow.add(2, CSV_READER, csv_reader("q.csv", q))
    flow.add(3, factory, model, 1, 2)
    return flow.add(4, CSV_WRITER, csv_writer("out.csv"), 3, ports=0)


def test_concatenate(tmp_path: Path) -> None:
    flow = two_nodes(CONCATENATE, CONCATENATION, {"b": "string", "c": "int"})
    assert results(flow, tmp_path, p=[(1, "x"), (1, "x")], q=[("y", 5)]) == [
        (1, "x", None),
        (1, "x", None),
        (None, "y", 5),
    ]
    common = {**CONCATENATION, "intersection_of_columns": True}
    flow = two_nodes(CONCATENATE, common, {"b": "string", "c": "int"})
    assert results(flow, tmp_path, p=[(1, "x")], q=[(None, 5)]) == [("x",), (None,)]


LEFT: Rows = [(1, "x"), (None, "n"), (2, "y"), (2, "y")]
RIGHT: Rows = [(2, 20), (None, 0), (2, 21), (9, 90)]


@pytest.mark.parametrize(("kind", "count"), [("inner", 4), ("left", 6), ("right", 6), ("full", 8)])
def test_join(tmp_path: Path, kind: str, count: int) -> None:
    """Missing values meet nothing; rows of either side stay if asked for."""
    flow = two_nodes(JOINER, joiner(("a", "a"), kind), {"a": "int", "c": "int"})
    rows = results(flow, tmp_path, p=LEFT, q=RIGHT)
    assert len(rows) == count
    assert rows.count((2, "y", 2, 20)) == 2
    assert ((None, "n", None, None) in rows) is (kind in ("left", "full"))
    assert ((None, None, None, 0) in rows) is (kind in ("right", "full"))


def test_join_with_merged_columns(tmp_path: Path) -> None:
    model = joiner(("a", "a"), "full", mergeJoinColumns=True)
    flow = two_nodes(JOINER, model, {"a": "int", "c": "int"})
    rows = results(flow, tmp_path, p=[(1, "x")], q=[(9, 90), (1, 10)])
    assert rows == [(1, "x", 10), (9, None, 90)]


def test_cross_join(tmp_path: Path) -> None:
    model = {"rigthSuffix": " (#1)", "CFG_SHOW_FIRST": False, "CFG_SHOW_SECOND": False}
    flow = two_nodes(CROSS_JOINER, model, {"b": "string"})
    assert results(flow, tmp_path, p=[(1, "x")], q=[("y",), (None,)]) == [
        (1, "x", "y"),
        (1, "x", None),
    ]


def grouping(*columns: tuple[str, str, bool]) -> dict[str, Any]:
    return {
        "grouByColumns": {
            "InclList": ["b"],
            "ExclList": ["a"],
            "keep_all_columns_selected": False,
        },
        "aggregationColumn": {
            "columnNames": [c for c, _, _ in columns],
            "aggregationMethod": [m for _, m, _ in columns],
            "inclMissingVals": [i for _, _, i in columns],
        },
        "columnNamePolicy": "Keep original name(s)",
        "inMemory": False,
    }


@pytest.mark.parametrize(
    ("method", "with_missing", "given"),
    [
        ("Sum_V2.5.2", False, [(None, None), ("x", 3), ("y", None)]),
        ("Count", True, [(None, 1), ("x", 3), ("y", 2)]),
        ("Count", False, [(None, 0), ("x", 2), ("y", 2)]),
        ("Maximum", False, [(None, None), ("x", 2), ("y", 2147483647)]),
    ],
)
def test_groups(tmp_path: Path, method: str, with_missing: bool, given: Rows) -> None:
    """A sum that no integer holds is missing."""
    rows: Rows = [(1, "x"), (2, "x"), (None, "x"), (2147483647, "y"), (1, "y"), (None, None)]
    model = grouping(("a", method, with_missing))
    result = run(tmp_path, GROUP_BY, model, rows, a="int", b="string")
    assert result == sorted(given, key=repr)
    assert run(tmp_path, GROUP_BY, model, [], a="int", b="string") == []


def test_groups_alone(tmp_path: Path) -> None:
    assert run(tmp_path, GROUP_BY, grouping(), [(1, "x"), (2, "x")], a="int", b="string") == [
        ("x",)
    ]


def test_sort_keeps_all_rows(tmp_path: Path) -> None:
    model = {"incllist": ["a"], "sortOrder": [False], "missingToEnd": False}
    assert run(tmp_path, SORTER, model, PEOPLE, a="int", b="string") == sorted(PEOPLE, key=repr)


def test_table_creator(tmp_path: Path) -> None:
    def column(name: str, cell: str) -> dict[str, Any]:
        return {
            "MissValuePattern": "",
            "FormatParameter": None,
            "SkipThisColumn": False,
            "ColumnName": name,
            "ColumnClass": {"cell_class": f"org.knime.core.data.def.{cell}"},
        }

    model = {
        "rowIndices": [0, 1, 1],
        "columnIndices": [0, 0, 1],
        "values": ["1", "2", "x"],
        "columnProperties": {"0": column("a", "IntCell"), "1": column("b", "StringCell")},
    }
    flow = Flow().add(1, TABLE_CREATOR, model)
    assert results(flow, tmp_path) == [(1, None), (2, "x")]
