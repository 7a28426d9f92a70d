"""Which node is read by which model."""

from __future__ import annotations

from collections.abc import Mapping

from veer.gui.knime import columns, filters, formulas, sources, tables
from veer.gui.knime.columns import free_name, model_of
from veer.gui.knime.config import names, text
from veer.gui.knime.rules import outcome, parse_rules
from veer.gui.reading import Model, Outputs, Step
from veer.gui.rows import require
from veer.ir.types import BOOLEAN

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


def filter_by_rules(step: Step) -> Outputs:
    """Rule-based Row Filter and Splitter: rows for which the first rule that holds says TRUE."""
    model, rows = model_of(step), step.input("1")
    value = outcome(parse_rules(rows, names(model, "rules")))
    require(value.type == BOOLEAN, "an outcome that is neither TRUE nor FALSE")
    include = model.get("include")
    require(isinstance(include, bool), "neither included nor excluded")
    return filters.split(step, rows, value.expr, include=include is True)


def _choosing(model: Model) -> Model:
    return tables.or_same_columns(model, "1", "2")


UNKNOWN_ROWS = tables.same_columns("1", "2", reason="which rows are chosen is not known")

MODELS: Mapping[str, Model] = {
    # readers
    f"{BASE}io.filehandling.csv.reader.CSVTableReaderNodeFactory": sources.read_new_reader("csv"),
    f"{BASE}io.filehandling.csv.reader.FileReaderNodeFactory": sources.read_new_reader("csv"),
    "org.knime.ext.poi3.node.io.filehandling.excel.reader.ExcelTableReaderNodeFactory": (
        sources.read_new_reader("excel")
    ),
    f"{BASE}io.csvreader.CSVReaderNodeFactory": sources.read_old_csv,
    f"{BASE}io.filereader.FileReaderNodeFactory": sources.read_file_reader,
    f"{BASE}io.tablecreator.TableCreator2NodeFactory": sources.read_table_creator,
    # writers and views
    f"{BASE}io.filehandling.csv.writer.CSVWriter2NodeFactory": columns.write_csv,
    f"{BASE}io.csvwriter.CSVWriterNodeFactory": columns.write_csv_of_old,
    # columns
    f"{BASE}preproc.filter.column.DataColumnSpecFilterNodeFactory": columns.filter_columns,
    f"{BASE}preproc.filter.column.FilterColumnNodeFactory": columns.filter_columns_of_old,
    f"{BASE}preproc.column.renamer.ColumnRenamerNodeFactory": columns.rename_columns,
    f"{BASE}preproc.rename.RenameNodeFactory": columns.rename_columns_of_old,
    f"{BASE}preproc.columnresorter.ColumnResorterNodeFactory": columns.arrange_columns,
    f"{BASE}preproc.constantvalue.ConstantValueColumnNodeFactory": columns.add_constant,
    f"{BASE}preproc.pmml.missingval.compute.MissingValueHandlerNodeFactory": (
        tables.fill_otherwise(columns.fill_missing)
    ),
    # rows
    f"{BASE}preproc.filter.row.RowFilterNodeFactory": _choosing(filters.filter_rows_of_old),
    f"{BASE}preproc.filter.row.RowFilter2PortNodeFactory": _choosing(filters.filter_rows_of_old),
    f"{BASE}preproc.filter.row3.RowFilterNodeFactory": _choosing(filters.filter_rows),
    f"{BASE}preproc.filter.row3.RowSplitterNodeFactory": _choosing(filters.filter_rows),
    f"{BASE}preproc.filter.row2.RowFilterNodeFactory": UNKNOWN_ROWS,
    f"{BASE}preproc.filter.row2.RowSplitterNodeFactory": UNKNOWN_ROWS,
    f"{BASE}preproc.filter.rowref.RowFilterRefNodeFactory": UNKNOWN_ROWS,
    f"{BASE}preproc.filter.rowref.RowSplitRefNodeFactory": UNKNOWN_ROWS,
    f"{BASE}rules.engine.RuleFilterNodeFactory": _choosing(filter_by_rules),
    f"{BASE}rules.engine.RuleSplitterNodeFactory": _choosing(filter_by_rules),
    f"{BASE}preproc.partition.PartitionNodeFactory": UNKNOWN_ROWS,
    f"{BASE}preproc.sample.SamplingNodeFactory": UNKNOWN_ROWS,
    f"{BASE}preproc.equalsizesampling.EqualSizeSamplingNodeFactory": UNKNOWN_ROWS,
    f"{BASE}preproc.shuffle.ShuffleNodeFactory": UNKNOWN_ROWS,
    # values
    f"{BASE}rules.engine.RuleEngineNodeFactory": apply_rules,
    "org.knime.ext.jep.JEPNodeFactory": formulas.compute,
    f"{BASE}preproc.stringmanipulation.StringManipulationNodeFactory": formulas.manipulate,
    f"{BASE}preproc.colconvert.stringtonumber2.StringToNumber2NodeFactory": formulas.parse_numbers,
    f"{BASE}preproc.colconvert.stringtonumber.StringToNumberNodeFactory": formulas.parse_numbers,
    f"{BASE}preproc.colconvert.numbertostring2.NumberToString2NodeFactory": formulas.write_numbers,
    f"{BASE}preproc.colconvert.numbertostring.NumberToStringNodeFactory": formulas.write_numbers,
    f"{BASE}preproc.normalize3.Normalizer3NodeFactory": tables.normalize,
    # tables
    f"{BASE}preproc.append.row.AppendedRowsNodeFactory": tables.concatenate,
    f"{BASE}preproc.append.row.AppendedRowsWithOptionalInNodeFactory": tables.concatenate,
    f"{BASE}preproc.joiner3.Joiner3NodeFactory": tables.join_tables,
    f"{BASE}preproc.crossjoin.CrossJoinerNodeFactory": tables.cross_join,
    f"{BASE}preproc.groupby.GroupByNodeFactory": tables.group_rows,
    f"{BASE}preproc.sorter.SorterNodeFactory": tables.sort_rows,
    # only columns are known
    f"{BASE}preproc.columnappend2.ColumnAppender2NodeFactory": tables.append_columns,
    f"{BASE}preproc.valuelookup.ValueLookupNodeFactory": tables.look_up,
    f"{BASE}preproc.rowkey2.RowKeyNodeFactory2": tables.change_row_ids,
    f"{BASE}viz.property.color.ColorManager2NodeFactory": tables.same_table,
}
