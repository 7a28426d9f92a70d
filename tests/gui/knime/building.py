"""Workflows in KNIME's format, made for tests."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from veer.gui.knime.graph import read_graph as read_knime
from veer.gui.knime.system import SYSTEM
from veer.gui.reading import Reading, read_graph
from veer.interpreter import run_dataflow
from veer.read.inputs import Input, ReadOptions
from veer.read.sql import read_schema

BASE = "org.knime.base.node."
TABLE_CREATOR = f"{BASE}io.tablecreator.TableCreator2NodeFactory"
CSV_READER = f"{BASE}io.filehandling.csv.reader.CSVTableReaderNodeFactory"
CSV_WRITER = f"{BASE}io.filehandling.csv.writer.CSVWriter2NodeFactory"
COLUMN_FILTER = f"{BASE}preproc.filter.column.DataColumnSpecFilterNodeFactory"
ROW_FILTER = f"{BASE}preproc.filter.row3.RowFilterNodeFactory"
ROW_SPLITTER = f"{BASE}preproc.filter.row3.RowSplitterNodeFactory"
OLD_ROW_FILTER = f"{BASE}preproc.filter.row.RowFilterNodeFactory"
RULES = f"{BASE}rules.engine.RuleEngineNodeFactory"
RULE_FILTER = f"{BASE}rules.engine.RuleFilterNodeFactory"
CONCATENATE = f"{BASE}preproc.append.row.AppendedRowsNodeFactory"
JOINER = f"{BASE}preproc.joiner3.Joiner3NodeFactory"
CROSS_JOINER = f"{BASE}preproc.crossjoin.CrossJoinerNodeFactory"
GROUP_BY = f"{BASE}preproc.groupby.GroupByNodeFactory"
SORTER = f"{BASE}preproc.sorter.SorterNodeFactory"
MISSING = f"{BASE}preproc.pmml.missingval.compute.MissingValueHandlerNodeFactory"
MATH = "org.knime.ext.jep.JEPNodeFactory"
TEXT = f"{BASE}preproc.stringmanipulation.StringManipulationNodeFactory"
RENAMER = f"{BASE}preproc.column.renamer.ColumnRenamerNodeFactory"
OLD_RENAMER = f"{BASE}preproc.rename.RenameNodeFactory"
CONSTANT = f"{BASE}preproc.constantvalue.ConstantValueColumnNodeFactory"
NUMBERS = f"{BASE}preproc.colconvert.stringtonumber2.StringToNumber2NodeFactory"
TEXTS = f"{BASE}preproc.colconvert.numbertostring2.NumberToString2NodeFactory"
CELLS = {"int": "IntCell", "bigint": "LongCell", "double": "DoubleCell", "string": "StringCell"}
NAMESPACE = "http://www.knime.org/2008/09/XMLConfig"


def xml(key: str, config: Mapping[str, Any]) -> str:
    """A file of settings."""
    body = "".join(_entry(k, v) for k, v in config.items())
    return f'<?xml version="1.0"?><config xmlns="{NAMESPACE}" key="{key}">{body}</config>'


def _entry(key: str, value: Any) -> str:
    named = quoteattr(key)
    match value:
        case dict():
            inner = "".join(_entry(k, v) for k, v in value.items())
            return f"<config key={named}>{inner}</config>"
        case list():
            return _entry(
                key, {"array-size": len(value), **{str(i): v for i, v in enumerate(value)}}
            )
        case None:
            return f'<entry key={named} type="xstring" isnull="true" value=""/>'
        case bool():
            return f'<entry key={named} type="xboolean" value="{str(value).lower()}"/>'
        case int():
            return f'<entry key={named} type="xint" value="{value}"/>'
        case float():
            return f'<entry key={named} type="xdouble" value="{value}"/>'
        case _:
            return f'<entry key={named} type="xstring" value={quoteattr(str(value))}/>'


@dataclass
class Flow:
    """A workflow, or the inside of a metanode, that is being built."""

    nodes: dict[int, tuple[str, str, dict[str, Any]]] = field(default_factory=dict)
    inner: dict[int, tuple[Flow, dict[str, Any] | None]] = field(default_factory=dict)
    links: list[tuple[int, int, int, int]] = field(default_factory=list)
    variables: dict[str, Any] = field(default_factory=dict)

    def add(
        self,
        id_: int,
        factory: str,
        model: Mapping[str, Any] | None = None,
        *inputs: int | tuple[int, int],
        ports: int = 1,
        name: str = "",
        **more: Any,
    ) -> Flow:
        """A node, fed at its ports 1, 2, ... by nodes (port 1) or ports of nodes."""
        title = name or factory.rpartition(".")[2].removesuffix("NodeFactory")
        config = {
            "model": dict(model or {}),
            "factory": factory,
            "node-name": title,
            "ports": {f"port_{i}": {"index": i} for i in range(1, ports + 1)},
            **more,
        }
        self.nodes[id_] = (title, factory, config)
        for port, source in enumerate(inputs, 1):
            node, at = source if isinstance(source, tuple) else (source, 1)
            self.link(node, at, id_, port)
        return self

    def link(self, source: int, source_port: int, dest: int, dest_port: int) -> Flow:
        """A connection."""
        self.links.append((source, source_port, dest, dest_port))
        return self

    def metanode(self, id_: int, inside: Flow) -> Flow:
        """A metanode."""
        self.inner[id_] = (inside, None)
        return self

    def component(self, id_: int, inside: Flow, first: int, last: int) -> Flow:
        """A component; its ports are two nodes inside."""
        self.inner[id_] = (inside, {"virtual-in-ID": first, "virtual-out-ID": last})
        return self

    def files(self) -> dict[str, str]:
        """The files of the workflow, by their paths."""
        files: dict[str, str] = {}
        nodes: dict[str, Any] = {}
        for id_, (title, _, config) in self.nodes.items():
            path = f"{title} (#{id_})/settings.xml"
            nodes[f"node_{id_}"] = {
                "id": id_,
                "node_settings_file": path,
                "node_type": "NativeNode",
            }
            files[path] = xml("settings.xml", config)
        for id_, (inside, settings) in self.inner.items():
            folder = f"Part (#{id_})"
            file = "settings.xml" if settings else "workflow.knime"
            kind = "SubNode" if settings else "MetaNode"
            nodes[f"node_{id_}"] = {
                "id": id_,
                "node_settings_file": f"{folder}/{file}",
                "node_type": kind,
            }
            files.update({f"{folder}/{path}": text for path, text in inside.files().items()})
            if settings:
                files[f"{folder}/settings.xml"] = xml("settings.xml", settings)
        keys = ("sourceID", "sourcePort", "destID", "destPort")
        connections = {
            f"connection_{i}": dict(zip(keys, link, strict=True))
            for i, link in enumerate(self.links)
        }
        top = {
            "version": "5.1.0",
            "workflow_variables": {
                f"Var_{i}": {"name": name, "class": "STRING", "value": value}
                for i, (name, value) in enumerate(self.variables.items())
            },
            "nodes": nodes,
            "connections": connections,
        }
        return {**files, "workflow.knime": xml("workflow.knime", top)}

    def save(self, path: Path) -> Path:
        """An archive of the workflow."""
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in self.files().items():
                archive.writestr(f"flow/{name}", text)
        return path


# -- settings of nodes -------------------------------------------------------------------------------


def csv_reader(path: str, columns: Mapping[str, str], **settings: Any) -> dict[str, Any]:
    """Settings of a CSV Reader, with the specification of its table."""
    spec = {
        str(place): {
            "external_spec": {"name": name},
            "name": name,
            "keep": True,
            "position": place,
            "production_path": {"_converter": f"org.knime.core.data.def.{CELLS[type_]}$Factory"},
        }
        for place, (name, type_) in enumerate(columns.items())
    }
    return {
        "settings": {
            "file_selection": {
                "path": {
                    "file_system_type": "RELATIVE",
                    "file_system_specifier": "knime.workflow",
                    "path": path,
                },
                "filter_mode": {"filter_mode": "FILE"},
            },
            "has_column_header": True,
        },
        "table_spec_config_Internals": {"table_transformation": {"columns": spec}},
        **settings,
    }


def csv_writer(path: str, **settings: Any) -> dict[str, Any]:
    """Settings of a CSV Writer."""
    chosen = {"path": {"path": path}}
    return {"settings": {"file_chooser_settings": chosen, "write_row_header": False, **settings}}


def include(*names: str, key: str = "column-filter") -> dict[str, Any]:
    """A choice of just these columns; what is left out is noise."""
    return {key: _choice(list(names), ["whatever"], "EnforceInclusion")}


def exclude(*names: str, key: str = "column-filter") -> dict[str, Any]:
    """A choice of all columns but these."""
    return {key: _choice(["whatever"], list(names), "EnforceExclusion")}


def _choice(included: list[str], excluded: list[str], enforce: str) -> dict[str, Any]:
    return {
        "filter-type": "STANDARD",
        "included_names": included,
        "excluded_names": excluded,
        "enforce_option": enforce,
    }


def criteria(
    *listed: tuple[Any, ...], match: str = "AND", mode: str = "MATCHING"
) -> dict[str, Any]:
    """Settings of a Row Filter: (column, operator, type of the value, value)."""
    predicates = {}
    for place, (column, operator, *value) in enumerate(listed):
        entry: dict[str, Any] = {"column": {"selected": column}, "operator": operator}
        if value:
            type_, given = value
            cell = f"org.knime.core.data.def.{CELLS[type_]}"
            told: dict[str, Any] = {"typeIdentifier": {"cell_class": cell}, "value": given}
            if type_ == "string":
                told["stringCaseMatching"] = {"caseMatching": "CASESENSITIVE"}
            entry["predicateValues"] = {"values": {"0": told}}
        predicates[str(place)] = entry
    return {"outputMode": mode, "matchCriteria": match, "predicates": predicates}


def rules(*lines: str, append: str = "", replace: str = "") -> dict[str, Any]:
    """Settings of a Rule Engine."""
    return {
        "rules": list(lines),
        "new-column-name": append,
        "replace-column-name": replace,
        "append-column": bool(append),
    }


CONCATENATION = {
    "fail_on_duplicates": False,
    "append_suffix": True,
    "intersection_of_columns": False,
    "suffix": "_dup",
}


def joiner(pair: tuple[str, str], kind: str = "inner", **settings: Any) -> dict[str, Any]:
    """Settings of a Joiner that keeps all columns."""
    chosen: dict[str, Any] = {
        "mode": "MANUAL",
        "manualFilter": {
            "manuallySelected": [],
            "manuallyDeselected": [],
            "includeUnknownColumns": True,
        },
    }
    return {
        "matchingCriteria": {"0": {"leftTableColumn": pair[0], "rightTableColumn": pair[1]}},
        "compositionMode": "MATCH_ALL",
        "dataCellComparisonMode": "STRICT",
        "includeMatchesInOutput": True,
        "includeLeftUnmatchedInOutput": kind in ("left", "full"),
        "includeRightUnmatchedInOutput": kind in ("right", "full"),
        "outputUnmatchedRowsToSeparatePorts": False,
        "mergeJoinColumns": False,
        "duplicateHandling": "APPEND_SUFFIX",
        "suffix": " (right)",
        "leftColumnSelectionConfigV2": chosen,
        "rightColumnSelectionConfigV2": chosen,
        **settings,
    }


# -- reading and running -------------------------------------------------------------------------------


def reading(flow: Flow, path: Path, schema: str = "") -> Reading:
    """What is read of a workflow."""
    file = str(flow.save(path / "flow.knwf"))
    graph = read_knime(Input(file, file), ReadOptions())
    return read_graph(SYSTEM, graph, {}, read_schema(schema) if schema else {})


def results(flow: Flow, path: Path, **tables: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows of the only sink, sorted; every node must be modelled."""
    read = reading(flow, path)
    assert not read.opaque
    given = {f"{name}.csv": list(rows) for name, rows in tables.items()}
    (result,) = run_dataflow(read.dataflow, given).values()
    return sorted(result.rows, key=repr)
