"""Alteryx's tools and formulas against rows, and what stays opaque."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from tests.gui.alteryx.alteryx_files import (
    browse,
    computed,
    document,
    join,
    select,
    source,
    text_input,
    tool,
    totals,
    where,
)
from veer.gui.alteryx.front_end import SYSTEM, agree
from veer.gui.alteryx.graph import graph_of_document
from veer.gui.reading import Reading, read_graph
from veer.interpreter import run_dataflow
from veer.ir.ops import Source, TableUdf
from veer.read.sql import read_schema

DDL = """CREATE TABLE t (k STRING, n INT, b BIGINT, d DOUBLE, p BOOLEAN, day DATE, e DECIMAL(10,2));
CREATE TABLE u (k STRING, m INT);
CREATE TABLE solid (k STRING NOT NULL, n INT NOT NULL, w BIGINT NOT NULL)"""
DAY = datetime.date(2020, 1, 31)
ROWS: list[Any] = [
    ("a", 1, 10, 1.5, True, DAY, Decimal("0.13")),
    ("a", None, 20, 4.0, None, None, None),
    ("b", 3, None, -2.0, False, datetime.date(2021, 5, 5), Decimal("7.00")),
    (None, 7, 5, None, True, DAY, Decimal("0.10")),
]
PARTNERS = [("a", 100), ("a", 200), (None, 300), ("c", 400)]
SOLID = [("x", 1, 5), ("x", 2, 6), ("y", 5, 7)]
TABLES = {"t": ROWS, "u": PARTNERS, "solid": SOLID}


def reading(tools: Sequence[str], wires: Sequence[str], ddl: str = DDL) -> Reading:
    (graph,) = agree([graph_of_document(document(tools, wires))])
    return read_graph(SYSTEM, graph, {}, read_schema(ddl) if ddl else {})


def results(
    tools: Sequence[str], wires: Sequence[str], **tables: list[Any]
) -> dict[str, list[Any]]:
    """The rows of all results by the name of the tool; every tool is modelled."""
    read = reading(tools, wires)
    assert not read.opaque, read.opaque
    flow = read.dataflow
    named = {op.table for op in flow.operators.values() if isinstance(op, Source)}
    given = {name: tables.get(name, rows) for name, rows in TABLES.items() if name in named}
    found = run_dataflow(flow, given)
    return {id_.partition(":")[0]: list(result.rows) for id_, result in found.items()}


def one(tools: Sequence[str], wires: Sequence[str], **tables: list[Any]) -> list[Any]:
    """The rows of the only result."""
    (rows,) = results(tools, wires, **tables).values()
    return rows


def kept(formula: str) -> list[int]:
    """Which rows of the table a condition keeps; the others come out at the other end."""
    tools = [source(1, "t.csv"), where(2, formula), browse(3), browse(4)]
    wires = ["1.Output > 2.Input", "2.True > 3.Input", "2.False > 4.Input"]
    found = results(tools, wires)
    passing = [i for i, row in enumerate(ROWS) if row in found["BrowseV2 (3)"]]
    others = [i for i, row in enumerate(ROWS) if row in found["BrowseV2 (4)"]]
    assert sorted(passing + others) == list(range(len(ROWS)))
    return passing


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ('[k] = "a"', [0, 1]),
        ('[k] != "a"', [2, 3]),  # null differs from a text
        ("[K] == 'b' // case of names does not count", [2]),
        ("[n] > 1", [2, 3]),  # nothing is greater than null
        ("1 < [n]", [2, 3]),
        ("[n] != 3", [0, 1, 3]),
        ("!([n] > 1)", [0, 1]),
        ("NOT ([n] > 1) AND [b] < 15", [0]),
        ("[n] <= Null()", [1]),  # null is as much as null
        ("[n] < Null()", []),
        ("[n] = Null()", [1]),
        ("IsNull([k]) OR [n] = 1", [0, 3]),
        ("IsEmpty([k])", [3]),
        ('[k] IN ("a", "z")', [0, 1]),
        ('[k] NOT IN ("a", "z")', [2, 3]),
        ("[n] in (1, 7)", [0, 3]),
        ("[d] > 1", [0, 1]),
        ("[d] = 4", [1]),
        ("[e] > 0.1", [0, 2]),
        ("[e] = 0.13", [0]),
        ("[n] + 1 = 4", [2]),
        ("[n] * 2 - 1 > [b]", [3]),
        ("[b] + 1 = 11", [0]),
        ("[b] * [b] > 99", [0, 1]),
        ("[n] / 2 = 1.5", [2]),
        ("-[n] < -1", [2, 3]),
        ('[day] > "2020-12-31"', [2]),
        ("IF [n] > 2 THEN [n] < 5 ELSEIF [n] > 0 THEN [k] = 'a' ELSE IsNull([n]) ENDIF", [0, 1, 2]),
        ("IIF([n] = 1, 10, 20) = 10", [0]),
        ("Switch([k], 0, 'a', 1, 'b', 2) = 2", [2]),
        ('[k] + "!" = "a!"', [0, 1]),
        ('[k] + "!" = "!"', [3]),  # a text with null is the text
        ("[n] + Null() = Null() /* of a number it is null */", None),
        ('Contains([k] + "x", "ax", 0)', [0, 1]),
        ('Replace([k] + "-", "a", "b") = "b-"', [0, 1, 2]),
        ('Uppercase([k] + "") = "A"', [0, 1]),
        ('Length([k] + "xy") = 3', [0, 1, 2]),
        ('Left([k] + "xy", 2) = "ax"', [0, 1]),
        ('ToString(12) = "12"', [0, 1, 2, 3]),
    ],
)
def test_conditions(formula: str, expected: list[int] | None) -> None:
    if expected is None:  # a constant of no type: not looked into
        assert reading([source(1, "t.csv"), where(2, formula)], ["1.Output > 2.Input"]).modelled
        return
    assert kept(formula) == expected


@pytest.mark.parametrize(
    "formula",
    [
        '[k] < "b"',  # the order of texts
        "[n] / [b] > 1",  # on rows with a divisor of zero
        "ToNumber([k]) = 1",
        'Contains([k], "A")',  # without regard to case
        "[n] = [k]",
        "Round([d], 1) = 2",
    ],
)
def test_conditions_that_are_not_known_stay_functions(formula: str) -> None:
    read = reading([source(1, "t.csv"), where(2, formula)], ["1.Output > 2.Input"])
    assert not read.opaque
    assert "OpaqueCall" in repr(read.dataflow.operators["Filter (2).True"])


@pytest.mark.parametrize(
    "formula", ["[n] >", "NOT [n] = 1", "[nowhere] = 1", "[User.x] = 1", "((((1", "IF 1 THEN 2"]
)
def test_conditions_that_leave_the_tool_opaque(formula: str) -> None:
    read = reading([source(1, "t.csv"), where(2, formula)], ["1.Output > 2.Input"])
    assert list(read.opaque) == ["Filter (2)"]


def formula_values(type_: str, size: str, formula: str) -> list[Any]:
    tools = [source(1, "t.csv"), computed(2, ("x", type_, size, formula)), browse(3)]
    rows = one(tools, ["1.Output > 2.Input", "2.Output > 3.Input"])
    return [row[-1] for row in rows]


@pytest.mark.parametrize(
    ("type_", "size", "formula", "expected"),
    [
        ("Int32", "4", "[n] + 1", [2, None, 4, 8]),
        ("Int64", "8", "[n] * [n]", [1, None, 9, 49]),
        ("Double", "8", "[n] / 2", [0.5, None, 1.5, 3.5]),
        ("Int32", "4", "[d] * 2", [3, 8, -4, None]),
        ("Double", "8", "[n]", [1.0, None, 3.0, 7.0]),
        ("V_WString", "1073741823", "[k] + '-' + [k]", ["a-a", "a-a", "b-b", "-"]),
        ("V_String", "10", "IIF([n] > 1, 'big', 'small')", ["small", "small", "big", "big"]),
        ("String", "3", "[k]", ["a", "a", "b", None]),
        ("Bool", "1", "[n] > 1", [False, False, True, True]),
        ("Date", "10", "[day]", [DAY, None, datetime.date(2021, 5, 5), DAY]),
        ("Int32", "4", "Null()", [None] * 4),
        ("Byte", "1", "7", [7] * 4),
    ],
)
def test_formulas(type_: str, size: str, formula: str, expected: list[Any]) -> None:
    assert formula_values(type_, size, formula) == expected


@pytest.mark.parametrize(
    ("type_", "size", "formula"),
    [
        ("Int32", "4", "[n] / 2"),  # how 0.5 is rounded
        ("Byte", "1", "[n] - 2"),  # -1 is no Byte
        ("V_String", "1", "[k] + [k]"),  # cut
        ("Int32", "4", "ToNumber([k])"),
    ],
)
def test_conversions_that_are_not_known_stay_functions(type_: str, size: str, formula: str) -> None:
    tools = [source(1, "t.csv"), computed(2, ("x", type_, size, formula))]
    read = reading(tools, ["1.Output > 2.Input"])
    assert not read.opaque
    assert f"as_{type_}_{size}" in repr(read.dataflow.operators["Formula (2)"])


def test_formulas_see_those_before_them() -> None:
    fields = ("n", "Int32", "4", "[n] + 1"), ("x", "Int32", "4", "[n] * 10")
    tools = [source(1, "t.csv"), computed(2, *fields), browse(3)]
    rows = one(tools, ["1.Output > 2.Input", "2.Output > 3.Input"])
    assert [(row[1], row[-1]) for row in rows] == [(2, 20), (None, None), (4, 40), (8, 80)]


@pytest.mark.parametrize(
    ("simple", "expected"),
    [
        ("<Operator>IsNotNull</Operator><Field>n</Field>", [0, 2, 3]),
        ("<Operator>IsEmpty</Operator><Field>k</Field>", [3]),
        (
            "<Operator>!=</Operator><Field>k</Field><Operands><Operand>a</Operand></Operands>",
            [2, 3],
        ),
        (
            "<Operator>&gt;=</Operator><Field>n</Field><Operands><Operand>3</Operand></Operands>",
            [2, 3],
        ),
        (
            "<Operator>&lt;=</Operator><Field>day</Field><Operands><DateType>fixed</DateType>"
            "<Operand>2020-12-31</Operand></Operands>",
            [0, 3],
        ),
    ],
)
def test_simple_filters(simple: str, expected: list[int]) -> None:
    config = f"<Mode>Simple</Mode><Simple>{simple}</Simple>"
    tools = [source(1, "t.csv"), tool(2, "Filter", config), browse(3)]
    rows = one(tools, ["1.Output > 2.Input", "2.True > 3.Input"])
    assert rows == [ROWS[i] for i in expected]


def test_select_renames_drops_converts_and_orders() -> None:
    config = select(
        'field="n" selected="True" rename="count" type="Int64" size="8"',
        'field="gone" selected="True"',
        'field="*Unknown" selected="False"',
        'field="k" selected="True"',
        order=True,
    )
    tools = [source(1, "t.csv"), tool(2, "AlteryxSelect", config), browse(3)]
    read = reading(tools, ["1.Output > 2.Input", "2.Output > 3.Input"])
    assert [(f.name, str(f.type)) for f in read.dataflow.schemas["AlteryxSelect (2)"]] == [
        ("count", "bigint"),
        ("k", "string"),
    ]
    assert one(tools, ["1.Output > 2.Input", "2.Output > 3.Input"])[0] == (1, "a")


def test_select_keeps_what_is_not_listed_where_it_says_so() -> None:
    config = select('field="b" selected="False"', 'field="*Unknown" selected="True"')
    tools = [source(1, "t.csv"), tool(2, "AlteryxSelect", config), browse(3)]
    rows = one(tools, ["1.Output > 2.Input", "2.Output > 3.Input"])
    assert rows[0] == ("a", 1, 1.5, True, DAY, Decimal("0.13"))


JOINED = (
    'field="Right_k" selected="True" rename="Right_k" input="Right_"',
    'field="*Unknown" selected="True"',
)


def test_join_has_three_outputs() -> None:
    tools = [source(1, "solid.csv"), source(2, "u.csv"), join(3, "k", "k", *JOINED)]
    tools += [browse(4), browse(5), browse(6)]
    wires = ["1.Output > 3.Left", "2.Output > 3.Right", "3.Left > 4.Input", "3.Join > 5.Input"]
    found = results(
        tools,
        [*wires, "3.Right > 6.Input"],
        solid=[("a", 1, 2), ("z", 3, 4)],
    )
    assert found["BrowseV2 (4)"] == [("z", 3, 4)]
    assert sorted(found["BrowseV2 (5)"]) == [("a", 1, 2, "a", 100), ("a", 1, 2, "a", 200)]
    assert found["BrowseV2 (6)"] == [(None, 300), ("c", 400)]


def test_whether_null_joins_null_is_left_open() -> None:
    tools = [source(1, "t.csv"), source(2, "u.csv"), join(3, "k", "k", *JOINED)]
    read = reading(tools, ["1.Output > 3.Left", "2.Output > 3.Right"])
    assert "null_joins_null" in repr(read.dataflow.operators["Join (3).Join"])


def test_join_of_different_types_is_not_compared() -> None:
    tools = [source(1, "t.csv"), source(2, "u.csv"), join(3, "k", "m", *JOINED)]
    read = reading(tools, ["1.Output > 3.Left", "2.Output > 3.Right"])
    assert "OpaqueCall" in repr(read.dataflow.operators["Join (3).Join"])


UNION = "<ByName_ErrorMode>Warning</ByName_ErrorMode><ByName_OutputMode>{}</ByName_OutputMode><Mode>{}</Mode>"


@pytest.mark.parametrize(
    ("output", "mode", "expected"),
    [
        ("All", "ByName", [("a", 100, None, None), ("x", None, 1, 5)]),
        ("Subset", "ByName", [("a",), ("x",)]),
    ],
)
def test_union(output: str, mode: str, expected: list[Any]) -> None:
    tools = [source(1, "u.csv"), source(2, "solid.csv")]
    tools += [tool(3, "Union", UNION.format(output, mode)), browse(4)]
    wires = ["1.Output > 3.Input #1", "2.Output > 3.Input #2", "3.Output > 4.Input"]
    assert sorted(one(tools, wires, u=PARTNERS[:1], solid=SOLID[:1])) == expected


def test_union_by_position_takes_the_names_of_the_first() -> None:
    tools = [source(1, "u.csv"), source(2, "u.csv"), tool(3, "Union", "<Mode>ByPos</Mode>")]
    wires = ["1.Output > 3.Input #1", "2.Output > 3.Input #2", "3.Output > 4.Input"]
    assert len(one([*tools, browse(4)], wires)) == 8


@pytest.mark.parametrize("mode", ["Manual", "ByPos"])
def test_other_unions_are_opaque(mode: str) -> None:
    tools = [source(1, "u.csv"), source(2, "solid.csv"), tool(3, "Union", f"<Mode>{mode}</Mode>")]
    read = reading(tools, ["1.Output > 3.Input #1", "2.Output > 3.Input #2"])
    assert list(read.opaque) == ["Union (3)"]


def test_summarize_groups() -> None:
    fields = [
        ("k", "GroupBy", "key"),
        ("n", "Count", "rows"),
        ("n", "Sum", "total"),
        ("n", "Max", "most"),
        ("n", "Avg", "mean"),
        ("w", "Sum", "wide"),
        ("w", "CountDistinctNonNull", "different"),
    ]
    tools = [source(1, "solid.csv"), totals(2, *fields), browse(3)]
    wires = ["1.Output > 2.Input", "2.Output > 3.Input"]
    assert sorted(one(tools, wires)) == [
        ("x", 2, 3, 2, 1.5, 11, 2),
        ("y", 1, 5, 5, 5.0, 7, 1),
    ]
    assert one(tools, wires, solid=[]) == []


def test_a_group_of_null_counts() -> None:
    tools = [source(1, "u.csv"), totals(2, ("k", "GroupBy", "k"), ("m", "CountNonNull", "n"))]
    rows = one([*tools, browse(3)], ["1.Output > 2.Input", "2.Output > 3.Input"])
    assert sorted(rows, key=repr) == [("a", 2), ("c", 1), (None, 1)]


@pytest.mark.parametrize(
    "fields",
    [
        [("n", "Sum", "total")],  # what comes of no rows
        [("k", "GroupBy", "k"), ("n", "First", "first")],
        [("k", "GroupBy", "k"), ("e", "Sum", "total")],
        [("d", "GroupBy", "d"), ("n", "Count", "n")],
    ],
)
def test_totals_that_are_not_looked_into_tell_their_columns(fields: list[Any]) -> None:
    tools = [source(1, "t.csv"), totals(2, *fields)]
    read = reading(tools, ["1.Output > 2.Input"])
    assert isinstance(read.dataflow.operators["Summarize (2)"], TableUdf)
    assert list(read.dataflow.schemas["Summarize (2)"].names) == [name for _, _, name in fields]


def test_sort_and_first_rows() -> None:
    order = '<SortInfo locale="1033"><Field field="n" order="Descending" /></SortInfo>'
    first = '<Mode>First</Mode><N>2</N><GroupFields orderChanged="False" />'
    tools = [source(1, "solid.csv"), tool(2, "Sort", order), tool(3, "Sample", first), browse(4)]
    wires = ["1.Output > 2.Input", "2.Output > 3.Input", "3.Output > 4.Input"]
    assert sorted(one(tools, wires)) == [("x", 2, 6), ("y", 5, 7)]


def test_texts_are_sorted_in_an_order_nobody_looks_into() -> None:
    order = '<SortInfo locale="1033"><Field field="k" order="Ascending" /></SortInfo>'
    read = reading([source(1, "solid.csv"), tool(2, "Sort", order)], ["1.Output > 2.Input"])
    assert "OpaqueCall" in repr(read.dataflow.operators["Sort (2)"])


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("Sample", '<Mode>First</Mode><N>1</N><GroupFields><Field name="k" /></GroupFields>'),
        ("Unique", '<UniqueFields><Field field="k" /></UniqueFields>'),
        ("RecordID", "<FieldName>id</FieldName><FieldType>Int32</FieldType>"),
    ],
)
def test_what_depends_on_the_order_of_rows_is_not_looked_into(kind: str, config: str) -> None:
    read = reading([source(1, "t.csv"), tool(2, kind, config)], ["1.Output > 2.Input"])
    udfs = [op for op in read.dataflow.operators.values() if isinstance(op, TableUdf)]
    assert udfs and all(len(udf.fields) >= 7 for udf in udfs)


def test_a_random_sample_is_free() -> None:
    config = "<Mode>Random</Mode><N>10</N>"
    read = reading([source(1, "t.csv"), tool(2, "Sample", config)], ["1.Output > 2.Input"])
    udf = read.dataflow.operators["Sample (2)"]
    assert isinstance(udf, TableUdf) and not udf.deterministic


def test_unique_rows_by_all_columns() -> None:
    config = '<UniqueFields><Field field="m" /><Field field="N" /></UniqueFields>'
    kept = tool(2, "AlteryxSelect", select('field="k" selected="False"', UNKNOWN))
    made = computed(3, ("n", "Int32", "4", "[m]"))
    tools = [source(1, "u.csv"), kept, made, tool(4, "Unique", config), browse(5)]
    wires = ["1.Output > 2.Input", "2.Output > 3.Input", "3.Output > 4.Input", "4.Unique > 5.Input"]
    rows = one(tools, wires, u=[("a", 1), ("a", 1), (None, None)])
    assert sorted(rows, key=repr) == [(1, 1), (None, None)]


def test_unique_rows_with_texts_are_not_looked_into() -> None:
    config = '<UniqueFields><Field field="m" /><Field field="k" /></UniqueFields>'
    read = reading([source(1, "u.csv"), tool(2, "Unique", config)], ["1.Output > 2.Input"])
    assert isinstance(read.dataflow.operators["Unique (2).Unique"], TableUdf)


def test_transpose() -> None:
    config = (
        '<KeyFields><Field field="k" /></KeyFields><DataFields><Field field="k" selected="False" />'
        '<Field field="m" selected="True" /><Field field="*Unknown" selected="True" /></DataFields>'
    )
    tools = [source(1, "u.csv"), tool(2, "Transpose", config), browse(3)]
    rows = one(tools, ["1.Output > 2.Input", "2.Output > 3.Input"], u=[("a", 1), (None, None)])
    assert sorted(rows, key=repr) == [("a", "m", 1), (None, "m", None)]


def test_append_fields_of_rows_that_are_there() -> None:
    config = (
        "<CartesianMode>Error</CartesianMode><SelectConfiguration>"
        f'<Configuration outputConnection="Output">{select(UNKNOWN)}</Configuration>'
        "</SelectConfiguration>"
    )
    tools = [source(1, "u.csv"), text_input(2, ["x"], [["1"], ["2"]])]
    tools += [tool(3, "AppendFields", config), browse(4)]
    wires = ["1.Output > 3.Targets", "2.Output > 3.Source", "3.Output > 4.Input"]
    assert sorted(one(tools, wires, u=[("a", 9)])) == [("a", 9, 1), ("a", 9, 2)]
    many = [source(1, "u.csv"), source(2, "solid.csv"), *tools[2:]]
    assert list(reading(many, wires).opaque) == ["AppendFields (3)"]


UNKNOWN = 'field="*Unknown" selected="True"'


def test_text_input_finds_types() -> None:
    tools = [text_input(1, ["n", "s"], [["1", "x"], ["", "7"], ["40000", "y z"]]), browse(2)]
    assert one(tools, ["1.Output > 2.Input"]) == [(1, "x"), (None, "7"), (40000, "y z")]


def test_cells_of_which_nobody_knows_the_type_are_functions() -> None:
    tools = [text_input(1, ["d", "s"], [["2020-01-01", "x"], ["2020-01-02", ""]]), browse(2)]
    read = reading(tools, ["1.Output > 2.Input"])
    assert repr(read.dataflow.operators["TextInput (1).2"]).count("OpaqueCall") == 2


def test_texts_are_taken_apart_row_by_row() -> None:
    regex = (
        '<Field>k</Field><RegExExpression value="(a)(b)" /><CaseInsensitve value="True" />'
        "<Method>ParseComplex</Method><ParseComplex>"
        '<Field field="one" type="V_String" size="9" /><Field field="two" type="Int32" size="4" />'
        "</ParseComplex>"
    )
    split = (
        '<Field>k</Field><RootName>part</RootName><Delimeters value="," /><NumFields value="2" />'
    )
    tools = [source(1, "u.csv"), tool(2, "RegEx", regex), tool(3, "TextToColumns", split)]
    read = reading(tools, ["1.Output > 2.Input", "2.Output > 3.Input"])
    assert not read.opaque
    names = read.dataflow.schemas["TextToColumns (3)"].names
    assert names == ("k", "m", "one", "two", "part1", "part2")


def test_tests_of_the_number_of_records() -> None:
    told = "<Name>Empty</Name><Connection>#1</Connection><Type>RecCountValue</Type><Value>0</Value>"
    config = f"<Tests><Test>{told}</Test></Tests>"
    tools = [source(1, "t.csv"), where(2, "[n] > 1"), tool(3, "Test", config)]
    read = reading(tools, ["1.Output > 2.Input", "2.True > 3.Input #1"])
    assert not read.opaque
    assert "count" in repr(read.dataflow.operators["Test (3)"])
    other = tool(3, "Test", config.replace("RecCountValue", "Expression"))
    read = reading([*tools[:2], other], ["1.Output > 2.Input", "2.True > 3.Input #1"])
    assert list(read.opaque) == ["Test (3)"]


def test_messages_about_rows() -> None:
    config = (
        "<When>Filter</When><Filter>[n] &gt; 1</Filter><Type>Message</Type>"
        '<MessageExpression>[k] + "!"</MessageExpression>'
    )
    tools = [source(1, "t.csv"), tool(2, "Message", config)]
    rows = one(tools, ["1.Output > 2.Input"])
    assert [row[0] for row in rows] == ["b!", "!"]
