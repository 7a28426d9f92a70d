"""Metanodes, components, flow variables, loops and switches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import veer
from tests.gui.knime.building import (
    BASE,
    COLUMN_FILTER,
    CONCATENATE,
    CONCATENATION,
    CSV_READER,
    CSV_WRITER,
    ROW_FILTER,
    ROW_SPLITTER,
    RULES,
    Flow,
    criteria,
    csv_reader,
    csv_writer,
    exclude,
    include,
    reading,
    results,
    rules,
)
from veer.verdict import Report, Verdict

COLUMNS = {"a": "int", "b": "string"}
LOOP_START = f"{BASE}meta.looper.group.GroupLoopStartNodeFactory"
LOOP_END = f"{BASE}meta.looper.LoopEndNodeFactory"
SWITCH = f"{BASE}switches.ifswitch.IFSwitchNodeFactory"
SWITCH_END = f"{BASE}switches.endif.EndIFNodeFactory"
LEARNER = "org.example.LearnerNodeFactory"
VARIABLE = f"{BASE}flowvariable.variablecreator.VariableCreatorNodeFactory"


def verdict(tmp_path: Path, p: Flow, q: Flow) -> Verdict:
    paths = [str(flow.save(tmp_path / f"{name}.knwf")) for name, flow in (("p", p), ("q", q))]
    report: Report = veer.verify(*(veer.load(path) for path in paths))
    return report.verdict


def reader(flow: Flow, id_: int = 1, path: str = "t.csv") -> Flow:
    return flow.add(id_, CSV_READER, csv_reader(path, COLUMNS))


def writer(flow: Flow, source: int | tuple[int, int], id_: int = 9) -> Flow:
    return flow.add(id_, CSV_WRITER, csv_writer("out.csv"), source, ports=0)


def test_metanode_is_inlined(tmp_path: Path) -> None:
    inside = Flow().add(1, ROW_FILTER, criteria(("a", "GT", "int", 1)))
    inside.link(-1, 0, 1, 1).link(1, 1, -1, 0)
    flow = writer(reader(Flow()).metanode(5, inside).link(1, 1, 5, 0), (5, 0))
    read = reading(flow, tmp_path)
    assert "RowFilter (#5:1)" in read.modelled
    assert results(flow, tmp_path, t=[(1, "x"), (2, "y")]) == [(2, "y")]


def test_component_is_inlined(tmp_path: Path) -> None:
    virtual = "org.knime.core.node.workflow.virtual.subnode.VirtualSubNode"
    inside = Flow().add(1, f"{virtual}InputNodeFactory")
    inside.add(2, ROW_FILTER, criteria(("a", "GT", "int", 1)), 1)
    inside.add(3, f"{virtual}OutputNodeFactory", {}, 2)
    flow = writer(reader(Flow()).component(5, inside, 1, 3).link(1, 1, 5, 1), (5, 1))
    assert results(flow, tmp_path, t=[(1, "x"), (2, "y")]) == [(2, "y")]


def test_splitter_has_two_outputs(tmp_path: Path) -> None:
    flow = reader(Flow())
    flow.add(2, ROW_SPLITTER, criteria(("a", "GT", "int", 1)), 1, ports=2)
    writer(flow, (2, 2))
    assert results(flow, tmp_path, t=[(1, "x"), (2, "y"), (None, "z")]) == [(1, "x"), (None, "z")]


def test_what_is_left_out_of_a_choice_does_not_count(tmp_path: Path) -> None:
    p = writer(reader(Flow()).add(2, COLUMN_FILTER, include("a"), 1), 2)
    model = include("a")
    model["column-filter"]["excluded_names"] = ["b", "new"]
    q = writer(reader(Flow()).add(2, COLUMN_FILTER, model, 1), 2)
    assert verdict(tmp_path, p, q) is Verdict.EQUIVALENT


def test_filters_change_places(tmp_path: Path) -> None:
    def flow(first: dict[str, Any], second: dict[str, Any]) -> Flow:
        made = reader(Flow()).add(2, ROW_FILTER, first, 1).add(3, ROW_FILTER, second, 2)
        return writer(made.add(4, LEARNER, {"k": 1}, 3), 4)

    a, b = criteria(("a", "GT", "int", 1)), criteria(("b", "EQ", "string", "x"))
    assert verdict(tmp_path, flow(a, b), flow(b, a)) is Verdict.EQUIVALENT


def test_order_of_rows_matters_to_opaque_nodes(tmp_path: Path) -> None:
    def flow(first: int, second: int) -> Flow:
        made = reader(reader(Flow()), 2, "u.csv")
        made.add(3, CONCATENATE, CONCATENATION, first, second)
        return writer(made.add(4, LEARNER, {"k": 1}, 3), 4)

    assert verdict(tmp_path, flow(1, 2), flow(1, 2)) is Verdict.EQUIVALENT
    assert verdict(tmp_path, flow(1, 2), flow(2, 1)) is Verdict.UNKNOWN


def used(variable: str, *path: str) -> dict[str, Any]:
    tree: dict[str, Any] = {"used_variable": variable, "exposed_variable": None}
    for key in reversed(path):
        tree = {key: tree}
    return {"tree": tree}


def overridden(value: str, constant: str | None) -> Flow:
    """A filter whose constant comes from a variable: of the workflow, or of a node."""
    model = criteria(("b", "EQ", "string", "from the settings"))
    path = ("predicates", "0", "predicateValues", "values", "0", "value")
    flow = reader(Flow(variables={"wanted": value} if constant is None else {}))
    flow.add(2, ROW_FILTER, model, 1, variables=used("wanted", *path))
    if constant is not None:
        flow.add(7, VARIABLE, {"wanted": constant}, ports=1).link(7, 1, 2, 0)
    return writer(flow, 2)


def test_variable_of_the_workflow_is_a_constant(tmp_path: Path) -> None:
    assert results(overridden("x", None), tmp_path, t=[(1, "x"), (2, "y")]) == [(1, "x")]


def test_variable_of_a_node_is_an_input(tmp_path: Path) -> None:
    read = reading(overridden("", "x"), tmp_path)
    assert read.opaque["RowFilter (#2)"] == "flow variables override settings"
    same = verdict(tmp_path, overridden("", "x"), overridden("", "x"))
    other = verdict(tmp_path, overridden("", "x"), overridden("", "y"))
    assert (same, other) == (Verdict.EQUIVALENT, Verdict.UNKNOWN)


def test_variable_travels_along_tables(tmp_path: Path) -> None:
    """It is set two nodes above the one that reads it, and comes through a table."""

    def flow(value: str) -> Flow:
        made = overridden("", value)
        made.links.remove((7, 1, 2, 0))
        made.add(8, COLUMN_FILTER, exclude(), 1).link(7, 1, 8, 0)
        made.links.remove((1, 1, 2, 1))
        return made.link(8, 1, 2, 1)

    assert verdict(tmp_path, flow("x"), flow("x")) is Verdict.EQUIVALENT
    assert verdict(tmp_path, flow("x"), flow("y")) is Verdict.UNKNOWN


def looped(start: str, end: str, bound: int) -> Flow:
    flow = reader(Flow()).add(2, start, {"by": "b"}, 1)
    flow.add(3, ROW_FILTER, criteria(("a", "GT", "int", bound)), 2)
    return writer(flow.add(4, end, {}, 3), 4)


def test_loop_is_one_opaque_node(tmp_path: Path) -> None:
    for start, end in ((LOOP_START, LOOP_END), (SWITCH, SWITCH_END)):
        read = reading(looped(start, end, 1), tmp_path)
        assert not [name for name in (*read.modelled, *read.opaque) if "RowFilter" in name]
        same = verdict(tmp_path, looped(start, end, 1), looped(start, end, 1))
        other = verdict(tmp_path, looped(start, end, 1), looped(start, end, 2))
        assert (same, other) == (Verdict.EQUIVALENT, Verdict.UNKNOWN)


def test_writer_in_a_loop_is_a_result(tmp_path: Path) -> None:
    def flow(bound: int) -> Flow:
        made = looped(LOOP_START, LOOP_END, 1)
        made.add(5, ROW_FILTER, criteria(("a", "LT", "int", bound)), 2)
        return made.add(6, CSV_WRITER, csv_writer("part.csv"), 5, ports=0)

    assert verdict(tmp_path, flow(5), flow(6)) is not Verdict.EQUIVALENT


def test_near_misses_stay_opaque(tmp_path: Path) -> None:
    """Settings that read RowIDs, places of rows, or more than one row."""
    near = [
        (ROW_FILTER, criteria((None, "EQ", "string", "Row1"))),
        (ROW_FILTER, criteria(("b", "LAST_N_ROWS", "string", "x"))),
        (RULES, rules('$$ROWINDEX$$ > 3 => "x"', append="r")),
        (RULES, rules('$a$ > 1 => "x"', "TRUE => 1", append="r")),
        (RULES, rules('$a$ > "x" => "x"', append="r")),
        ("org.knime.ext.jep.JEPNodeFactory", math("COL_MEAN($a$)")),
        ("org.knime.ext.jep.JEPNodeFactory", math("1 / (1 / $a$)")),
        (f"{BASE}preproc.columnappend2.ColumnAppender2NodeFactory", {}),
        (CONCATENATE, {**CONCATENATION, "append_suffix": False}),
    ]
    for factory, model in near:
        flow = writer(reader(Flow()).add(2, factory, model, 1), 2)
        if factory == CONCATENATE:
            flow.link(1, 1, 2, 2)
        assert any("(#2)" in name for name in reading(flow, tmp_path).opaque), model


def test_columns_of_opaque_nodes(tmp_path: Path) -> None:
    """Below a node that is opaque its columns are known where the node keeps them."""
    appender = f"{BASE}preproc.columnappend2.ColumnAppender2NodeFactory"
    flow = reader(Flow()).add(2, CSV_READER, csv_reader("u.csv", {"c": "double"}))
    flow.add(3, appender, {}, 1, 2)
    row_id = {"replaceRowKey": True, "newRowKeyColumnName": "b", "removeRowKeyCol": True}
    flow.add(
        4, f"{BASE}preproc.rowkey2.RowKeyNodeFactory2", {**row_id, "appendRowKeyCol": False}, 3
    )
    read = reading(writer(flow, 4), tmp_path)
    assert set(read.opaque) == {"ColumnAppender2 (#3)", "RowKeyNodeFactory2 (#4)"}
    schema = read.dataflow.schemas["RowKeyNodeFactory2 (#4)"]
    assert [str(field.type) for field in schema] == ["int", "double"]
    assert schema.names == ("a", "c")


def math(expression: str) -> dict[str, Any]:
    return {"expression": expression, "append_column": True, "replaced_column": "a"}
