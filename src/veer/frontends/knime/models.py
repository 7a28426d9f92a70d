"""Which node is read by which model."""

from __future__ import annotations

from collections.abc import Mapping

from veer.frontends.gui.reading import Model, Outputs, Step
from veer.frontends.gui.rows import require
from veer.frontends.knime import columns, filters, sources
from veer.frontends.knime.columns import free_name, model_of
from veer.frontends.knime.config import names, text
from veer.frontends.knime.rules import outcome, parse_rules

BASE = "org.knime.base.node."


def apply_rules(step: Step) -> Outputs:
    """Rule Engine: a column by rules."""
    model, rows = model_of(step), step.input("1")
    value = outcome(parse_rules(rows, names(model, "rules")))
    if model.get("append-column") is True:
        return {"1": rows.with_columns({free_name(rows, text(model, "new-column-name")): value})}
    replaced = text(model, "replace-column-name")
    require(bool(replaced), "no column to replace")
    rows.column(replaced)
    return {"1": rows.with_columns({replaced: value})}


MODELS: Mapping[str, Model] = {
    f"{BASE}io.filehandling.csv.reader.CSVTableReaderNodeFactory": sources.read_new_reader("csv"),
    f"{BASE}io.filehandling.csv.reader.FileReaderNodeFactory": sources.read_new_reader("csv"),
    "org.knime.ext.poi3.node.io.filehandling.excel.reader.ExcelTableReaderNodeFactory": (
        sources.read_new_reader("excel")
    ),
    f"{BASE}io.csvreader.CSVReaderNodeFactory": sources.read_old_csv,
    f"{BASE}io.filereader.FileReaderNodeFactory": sources.read_file_reader,
    f"{BASE}io.tablecreator.TableCreator2NodeFactory": sources.read_table_creator,
    f"{BASE}preproc.filter.column.DataColumnSpecFilterNodeFactory": columns.filter_columns,
    f"{BASE}preproc.filter.column.FilterColumnNodeFactory": columns.filter_columns_of_old,
    f"{BASE}preproc.column.renamer.ColumnRenamerNodeFactory": columns.rename_columns,
    f"{BASE}preproc.rename.RenameNodeFactory": columns.rename_columns_of_old,
    f"{BASE}preproc.constantvalue.ConstantValueColumnNodeFactory": columns.add_constant,
    f"{BASE}preproc.pmml.missingval.compute.MissingValueHandlerNodeFactory": columns.fill_missing,
    f"{BASE}io.filehandling.csv.writer.CSVWriter2NodeFactory": columns.write_csv,
    f"{BASE}io.csvwriter.CSVWriterNodeFactory": columns.write_csv_of_old,
    f"{BASE}preproc.filter.row.RowFilterNodeFactory": filters.filter_rows_of_old,
    f"{BASE}preproc.filter.row.RowFilter2PortNodeFactory": filters.filter_rows_of_old,
    f"{BASE}preproc.filter.row3.RowFilterNodeFactory": filters.filter_rows,
    f"{BASE}preproc.filter.row3.RowSplitterNodeFactory": filters.filter_rows,
    f"{BASE}preproc.filter.rowref.RowFilterRefNodeFactory": filters.filter_by_reference,
    f"{BASE}preproc.filter.rowref.RowSplitRefNodeFactory": filters.filter_by_reference,
    f"{BASE}rules.engine.RuleEngineNodeFactory": apply_rules,
}
