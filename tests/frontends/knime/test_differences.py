"""Differences of settings that show in results, or in what opaque nodes below give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.frontends.knime.building import (
    BASE,
    CSV_READER,
    CSV_WRITER,
    ROW_FILTER,
    RULES,
    Flow,
    criteria,
    csv_reader,
    csv_writer,
    reading,
    rules,
)
from tests.frontends.knime.test_graph import verdict
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
        usual = {"skip_empty_columns": False, "enforce_types": True}
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
        more = {"view": {"xAxis": axis}, "view_variables": {"tree": over}}
        return table(a="int", b="int").add(2, plot, {}, 1, ports=0, **more)

    require_different(tmp_path, flow("a"), flow("b"), flow("a"))
    require_different(tmp_path, flow("a", "v"), flow("a", "w"), flow("a", "v"))
