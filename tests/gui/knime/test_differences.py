"""Differences of settings that show in results, or in what opaque nodes below give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.gui.knime.building import (
    BASE,
    CONCATENATE,
    CONCATENATION,
    CSV_READER,
    CSV_WRITER,
    GROUP_BY,
    JOINER,
    OLD_ROW_FILTER,
    ROW_FILTER,
    RULES,
    SORTER,
    TABLE_CREATOR,
    TEXT,
    Flow,
    criteria,
    csv_reader,
    csv_writer,
    joiner,
    reading,
    rules,
)
from tests.gui.knime.test_graph import used, verdict
from veer.errors import UnsupportedError
from veer.ir.ops import TableUdf
from veer.verdict import Verdict

CONNECTOR = "org.example.ssh.SshConnectorNodeFactory"


def require_different(tmp_path: Path, p: Flow, q: Flow, same: Flow) -> None:
    """Nobody takes one for the other, but each for itself."""
    assert verdict(tmp_path, p, q) is not Verdict.EQUIVALENT
    assert verdict(tmp_path, p, same) is Verdict.EQUIVALENT


def table(**columns: str) -> Flow:
    return Flow().add(1, CSV_READER, csv_reader("t.csv", columns))


def written(flow: Flow, source: int) -> Flow:
    return flow.add(99, CSV_WRITER, csv_writer("out.csv"), source, ports=0)


# -- writers -----------------------------------------------------------------------------------------


def test_writer_with_a_connection(tmp_path: Path) -> None:
    """The table arrives at the second port."""

    def flow(bound: int) -> Flow:
        made = table(a="int").add(2, ROW_FILTER, criteria(("a", "GT", "int", bound)), 1)
        made.add(5, CONNECTOR, {"host": "h"})
        return made.add(99, CSV_WRITER, csv_writer("out.csv"), 5, 2, ports=0)

    require_different(tmp_path, flow(1), flow(2), flow(1))


@pytest.mark.parametrize(
    ("chooser", "path"),
    [
        ({"if_path_exists": "append"}, {}),
        ({"if_path_exists": "fail"}, {}),
        ({}, {"file_system_type": "LOCAL"}),
        ({}, {"file_system_type": "RELATIVE", "file_system_specifier": "knime.mountpoint"}),
    ],
)
def test_how_and_where_a_file_is_written(
    tmp_path: Path, chooser: dict[str, Any], path: dict[str, Any]
) -> None:
    def flow(chooser: dict[str, Any], path: dict[str, Any]) -> Flow:
        model = csv_writer("out.csv")
        given = model["settings"]["file_chooser_settings"]
        given["if_path_exists"] = "overwrite"
        given |= chooser
        given["path"] |= {"file_system_type": "RELATIVE", "file_system_specifier": "knime.workflow"}
        given["path"] |= path
        return table(a="int").add(99, CSV_WRITER, model, 1, ports=0)

    require_different(tmp_path, flow({}, {}), flow(chooser, path), flow({}, {}))
    assert verdict(tmp_path, flow(chooser, path), flow(chooser, path)) is Verdict.EQUIVALENT


def test_writer_of_old_may_append(tmp_path: Path) -> None:
    def flow(policy: str) -> Flow:
        model = {"filename": "out.csv", "fileOverwritePolicy": policy}
        factory = f"{BASE}io.csvwriter.CSVWriterNodeFactory"
        return table(a="int").add(99, factory, model, 1, ports=0)

    require_different(tmp_path, flow("Overwrite"), flow("Append"), flow("Overwrite"))


# -- names -------------------------------------------------------------------------------------------


def test_new_name_that_ends_with_a_number(tmp_path: Path) -> None:
    flow = Flow().add(1, CSV_READER, csv_reader("t.csv", {"a (#1)": "int"}))
    flow.add(2, RULES, rules("TRUE => 1", append="a (#1)"), 1)
    assert "Rule" in str(reading(written(flow, 2), tmp_path).opaque)


# -- readers and views -------------------------------------------------------------------------------


def read_with(converter: str = "x.LocalTimeCellFactory", **transformation: Any) -> Flow:
    """A reader of a column of a type without counterpart."""
    model = csv_reader("t.csv", {"a": "int"})
    told = model["table_spec_config_Internals"]["table_transformation"]
    told |= transformation
    told["columns"]["1"] = {
        "external_spec": {"name": "c"},
        "name": "c",
        "keep": True,
        "position": 1,
        "production_path": {"_converter": converter},
    }
    return written(Flow().add(1, CSV_READER, model), 1)


def test_types_without_counterpart(tmp_path: Path) -> None:
    require_different(tmp_path, read_with(), read_with("x.XMLCellFactory"), read_with())


def test_what_becomes_of_columns_when_they_are_read(tmp_path: Path) -> None:
    for other in ({"skip_empty_columns": True}, {"enforce_types": False}):
        usual: dict[str, Any] = {"skip_empty_columns": False, "enforce_types": True}
        changed = read_with(**{**usual, **other})
        require_different(tmp_path, read_with(**usual), changed, read_with(**usual))


def test_part_of_a_declared_table(tmp_path: Path) -> None:
    column = {"ColumnName": "a", "ColumnClass": {"cell_class": "org.knime.core.data.def.IntCell"}}
    old = f"{BASE}io.filereader.FileReaderNodeFactory"
    excel = "org.knime.ext.poi3.node.io.filehandling.excel.reader.ExcelTableReaderNodeFactory"
    properties = {"DataURL": "t.csv", "ColumnProperties": {"0": column}}
    sheet = csv_reader("t.xlsx", {"a": "int"})
    for factory, model, is_read in (
        (old, {**properties, "MaxNumOfRows": -1}, True),
        (old, {**properties, "MaxNumOfRows": 10}, False),
        (old, {**properties, "SkipFirstLines": 2}, False),
        (excel, {**sheet, "read_area": {"sheet_area": "ENTIRE"}}, True),
        (excel, {**sheet, "read_area": {"sheet_area": "PARTIAL"}}, False),
    ):
        flow = written(Flow().add(1, factory, model), 1)
        read = reading(flow, tmp_path, "CREATE TABLE t (a INT)")
        assert bool(read.opaque) is not is_read, model


def test_settings_of_views(tmp_path: Path) -> None:
    def flow(axis: str, variable: str | None = None) -> Flow:
        plot = f"{BASE.replace('node.', '')}views.node.scatterplot.ScatterPlotNodeFactory"
        over = {"xAxis": {"used_variable": variable, "exposed_variable": None}}
        more: dict[str, Any] = {"view": {"xAxis": axis}, "view_variables": {"tree": over}}
        return table(a="int", b="int").add(2, plot, {}, 1, ports=0, **more)

    require_different(tmp_path, flow("a"), flow("b"), flow("a"))
    require_different(tmp_path, flow("a", "v"), flow("a", "w"), flow("a", "v"))


# -- what opaque nodes see beside rows and columns -----------------------------------------------------


def seen(flow: Flow, source: int) -> Flow:
    """A node that may look at anything, below another."""
    return written(flow.add(50, "org.example.LearnerNodeFactory", {"k": 1}, source), 50)


def grouped(**settings: Any) -> Flow:
    columns = {"InclList": ["a"], "ExclList": [], "keep_all_columns_selected": False}
    calls: dict[str, Any] = {"columnNames": [], "aggregationMethod": [], "inclMissingVals": []}
    model = {"grouByColumns": columns, "aggregationColumn": calls, "inMemory": False, **settings}
    return seen(table(a="int").add(2, GROUP_BY, model, 1), 2)


def concatenated(**settings: Any) -> Flow:
    flow = table(a="int").add(2, CSV_READER, csv_reader("u.csv", {"a": "int"}))
    return seen(flow.add(3, CONCATENATE, {**CONCATENATION, **settings}, 1, 2), 3)


def joined(**settings: Any) -> Flow:
    flow = table(a="int").add(2, CSV_READER, csv_reader("u.csv", {"k": "int"}))
    return seen(flow.add(3, JOINER, joiner(("a", "k"), **settings), 1, 2), 3)


def created(count: int = 2, **settings: Any) -> Flow:
    column = {"ColumnName": "a", "ColumnClass": {"cell_class": "org.knime.core.data.def.IntCell"}}
    rows = list(range(count))
    model = {
        "columnProperties": {"0": {**column, "MissValuePattern": None}},
        "rowIndices": rows,
        "columnIndices": [0] * count,
        "values": [str(row) for row in rows],
        **settings,
    }
    return seen(Flow().add(1, TABLE_CREATOR, model), 1)


def ordered(**settings: Any) -> Flow:
    model = {"incllist": ["b"], "sortOrder": [True], "missingToEnd": False, **settings}
    return seen(table(b="string").add(2, SORTER, model, 1), 2)


def coloured(**settings: Any) -> Flow:
    colours = f"{BASE}viz.property.color.ColorManager2NodeFactory"
    return seen(table(a="int").add(2, colours, settings, 1), 2)


def chosen(**settings: Any) -> Flow:
    model = {**criteria(("a", "GT", "int", 1)), **settings}
    return seen(table(a="int").add(2, ROW_FILTER, model, 1), 2)


@pytest.mark.parametrize(
    ("flow", "one", "two"),
    [
        (grouped, {"retainOrder": True}, {"retainOrder": False}),
        (concatenated, {"suffix": "_dup"}, {"suffix": "_x"}),
        (concatenated, {}, {"create_new_rowids": True}),
        (joined, {"rowKeyFactory": "CONCATENATE"}, {"rowKeyFactory": "CREATE_NEW"}),
        (joined, {"rowKeySeparator": "_"}, {"rowKeySeparator": "+"}),
        (joined, {"outputRowOrder": "ARBITRARY"}, {"outputRowOrder": "LEFT_RIGHT"}),
        (created, {"rowIdPrefix": "Row"}, {"rowIdPrefix": "X"}),
        (created, {"count": 600, "rowIdPrefix": "Row"}, {"count": 600, "rowIdPrefix": "X"}),
        (ordered, {"alphaNumStringComp": [True]}, {"alphaNumStringComp": [False]}),
        (coloured, {"colour": 1}, {"colour": 2}),
        (chosen, {"domains": "RETAIN"}, {"domains": "COMPUTE"}),
    ],
)
def test_order_row_ids_colours_and_domains(
    tmp_path: Path, flow: Callable[..., Flow], one: dict[str, Any], two: dict[str, Any]
) -> None:
    require_different(tmp_path, flow(**one), flow(**two), flow(**one))


def test_domain_of_a_computed_column(tmp_path: Path) -> None:
    """A column that is computed has the values of its rows, one that is passed on those it had."""

    def flow(computed: bool) -> Flow:
        made = table(a="int").add(2, ROW_FILTER, criteria(("a", "GT", "int", 1)), 1)
        made.add(3, RULES, rules("TRUE => $a$", replace="a"), 2)
        return seen(made, 3 if computed else 2)

    p, q = flow(True), flow(False)
    del q.nodes[3]
    q.links = [link for link in q.links if link[2] != 3]
    require_different(tmp_path, p, q, flow(True))


# -- components --------------------------------------------------------------------------------------

VIRTUAL = "org.knime.core.node.workflow.virtual.subnode.VirtualSubNode"
DIALOG = "org.knime.js.base.node.configuration.input.string.StringDialogNodeFactory"
CREATOR = f"{BASE}flowvariable.variablecreator.VariableCreatorNodeFactory"
OVERRIDDEN = ("predicates", "0", "predicateValues", "values", "0", "value")


def component(
    dialog: str = "x", override: str | None = None, created: str = "", passed: str = "all"
) -> Flow:
    """A filter inside of a component by a variable that its dialog sets."""
    inside = Flow().add(1, f"{VIRTUAL}InputNodeFactory", {"variable-filter": passed})
    inside.add(2, DIALOG, {"defaultValue": {"string": "d"}, "flowvariablename": "v"}, ports=0)
    by_variable = used("v", *OVERRIDDEN)
    inside.add(3, ROW_FILTER, criteria(("b", "EQ", "string", "d")), 1, variables=by_variable)
    inside.link(2, 1, 3, 0).add(4, f"{VIRTUAL}OutputNodeFactory", {}, 3)
    settings: dict[str, Any] = {"virtual-in-ID": 1, "virtual-out-ID": 4}
    settings["model"] = {"string-input-2": {"string": dialog}}
    if override is not None:
        settings["variables"] = used(override, "string-input-2", "string")
    flow = table(a="int", b="string").add(6, CREATOR, {"w": created})
    flow.inner[7] = (inside, settings)
    return written(flow.link(1, 1, 7, 1).link(6, 1, 7, 0), 7)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"dialog": "x"}, {"dialog": "y"}),
        ({"override": "w", "created": "1"}, {"override": "w", "created": "2"}),
        ({"override": "w"}, {"override": "u"}),
        ({"passed": "all"}, {"passed": "none"}),
    ],
)
def test_settings_of_a_component(tmp_path: Path, one: dict[str, Any], two: dict[str, Any]) -> None:
    require_different(tmp_path, component(**one), component(**two), component(**one))


def test_component_that_makes_variables_is_refused(tmp_path: Path) -> None:
    flow = component()
    exposed = {"tree": {"string": {"used_variable": None, "exposed_variable": "e"}}}
    flow.inner[7] = (flow.inner[7][0], {**(flow.inner[7][1] or {}), "variables": exposed})
    with pytest.raises(UnsupportedError, match="component"):
        reading(flow, tmp_path)


# -- flow variables ------------------------------------------------------------------------------------


def two_ways(near: int, far: int) -> Flow:
    """Two nodes set one variable: what comes by the port of variables, and what comes with the table."""
    flow = table(a="int", b="string").add(6, CREATOR, {"v": "1"}).add(7, CREATOR, {"v": "2"})
    by_variable = used("v", *OVERRIDDEN)
    flow.add(3, ROW_FILTER, criteria(("b", "EQ", "string", "d")), 1, variables=by_variable)
    return written(flow.link(far, 1, 1, 0).link(near, 1, 3, 0), 3)


def test_of_two_variables_of_one_name_the_way_decides(tmp_path: Path) -> None:
    require_different(tmp_path, two_ways(6, 7), two_ways(7, 6), two_ways(6, 7))


# -- any order -----------------------------------------------------------------------------------------


def test_join_in_any_order(tmp_path: Path) -> None:
    """The first row of what a join gives in any order may be another one each time."""
    first = {"RowFilter_TypeID": "RowNumber_RowFilter", "RowRangeStart": 0, "RowRangeEnd": 0}

    def assumed(order: str) -> bool:
        flow = table(a="int").add(2, CSV_READER, csv_reader("u.csv", {"k": "int"}))
        flow.add(3, JOINER, joiner(("a", "k"), outputRowOrder=order), 1, 2)
        flow.add(4, OLD_ROW_FILTER, {"rowFilter": first}, 3)
        operators = reading(written(flow, 4), tmp_path).dataflow.operators.values()
        (node,) = (op for op in operators if isinstance(op, TableUdf))
        return not node.deterministic

    assert assumed("ARBITRARY") and not assumed("LEFT_RIGHT")


# -- types of results ----------------------------------------------------------------------------------


def test_text_that_is_made_a_number(tmp_path: Path) -> None:
    for formula, returned, is_known in (
        ("upperCase($b$)", "java.lang.String", True),
        ("upperCase($b$)", "java.lang.Integer", False),
        ("toInt($b$)", "java.lang.String", False),
        ("$a$", "java.lang.String", False),
        ("$a$", "java.lang.Integer", True),
    ):
        model = {"expression": formula, "replaced_column": "n", "append_column": False}
        flow = table(a="int", b="string").add(2, TEXT, {**model, "return_type": returned}, 1)
        assert bool(reading(written(flow, 2), tmp_path).opaque) is not is_known, formula
