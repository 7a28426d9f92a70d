"""Edits of Alteryx workflows that change results, or might, and must not be taken for the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import veer
from tests.gui.alteryx.alteryx_files import (
    browse,
    computed,
    document,
    join,
    select,
    source,
    tool,
    where,
)
from veer.gui.alteryx.front_end import read_pair
from veer.gui.alteryx.graph import read_graph as read_file_graph
from veer.read.inputs import Input, ReadOptions
from veer.show.wording import assumption_text
from veer.verdict import Report

COLUMNS = [("a", "Int32"), ("b", "Int32"), ("d", "V_String")]


def pair(tmp_path: Path, p: bytes, q: bytes) -> Report:
    """The verdict on two documents."""
    inputs = []
    for name, data in (("p", p), ("q", q)):
        file = tmp_path / f"{name}.yxmd"
        file.write_bytes(data)
        inputs.append(Input(str(file), str(file)))
    versions = read_pair(inputs[0], inputs[1], ReadOptions())
    report: Report = veer.verify(*versions)
    return report


def chain(*tools: str) -> bytes:
    """Tools 1, 2, 3 ..., one after the other; a Browse at the end."""
    wires = [f"{i}.{_out(tools[i - 1])} > {i + 1}.Input" for i in range(1, len(tools) + 1)]
    return document([*tools, browse(len(tools) + 1)], wires)


def _out(text: str) -> str:
    return "True" if "Gui.Filter.Filter" in text else "Output"


T = source(1, "t.csv", COLUMNS)


def verdict(tmp_path: Path, p: bytes, q: bytes) -> str:
    return pair(tmp_path, p, q).verdict.value


def assumed(report: Report) -> list[str]:
    """What a verdict rests on, in words."""
    return [assumption_text(a) for sink in report.sinks for a in sink.assumptions]


# -- formulas --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "q", "same"),
    [
        ("[a] = 1 OR [a] = 2 AND [b] = 3", "[a] = 1 OR ([a] = 2 AND [b] = 3)", False),
        ("[a] = 1 || [a] = 2 && [b] = 3", "([a] = 1 OR [a] = 2) AND [b] = 3", False),
        ("[a] = 1 AND [a] = 2 OR [b] = 3", "([a] = 1 && [a] = 2) || [b] = 3", True),
        ("[a] = 1 OR [a] = 2 AND [b] = 3", "1 = [a] || 2 = [a] && 3 = [b]", True),
    ],
)
def test_and_after_or_is_not_known(tmp_path: Path, p: str, q: str, same: bool) -> None:
    found = verdict(tmp_path, chain(T, where(2, p)), chain(T, where(2, q)))
    assert found == ("equivalent" if same else "unknown")


def test_the_words_true_and_false_are_not_taken_for_columns(tmp_path: Path) -> None:
    t = source(1, "t.csv")
    p, q = where(2, "[a] = True"), where(2, "[a] = [True]")
    assert verdict(tmp_path, chain(t, p), chain(t, q)) == "unknown"
    assert verdict(tmp_path, chain(t, p), chain(t, p)) == "equivalent"


def simple(expression: str, operand: str) -> str:
    chosen = (
        f"<Operator>=</Operator><Field>a</Field><Operands><Operand>{operand}</Operand></Operands>"
    )
    return tool(
        2,
        "Filter",
        f"<Expression>{expression}</Expression><Mode>Simple</Mode><Simple>{chosen}</Simple>",
    )


@pytest.mark.parametrize("columns", [COLUMNS, []])
def test_a_stale_formula_of_a_simple_filter(tmp_path: Path, columns: list[tuple[str, str]]) -> None:
    t = source(1, "t.csv", columns)
    stale, true = simple("[a] = 1", "2"), simple("[a] = 1", "1")
    assert verdict(tmp_path, chain(t, stale), chain(t, true)) == "unknown"
    assert verdict(tmp_path, chain(t, true), chain(t, where(2, "[a] = 1"))) == "equivalent"


# -- columns ---------------------------------------------------------------------------------------


def test_columns_of_the_last_run_are_assumed(tmp_path: Path) -> None:
    fields = [f'field="{name}" selected="True"' for name, _ in COLUMNS]
    chosen = tool(2, "AlteryxSelect", select(*fields, 'field="*Unknown" selected="False"'))
    report = pair(tmp_path, document([T, browse(9)], ["1.Output > 9.Input"]), _ending(T, chosen))
    assert report.verdict.value == "equivalent"
    assert assumed(report) == ["t.csv has the columns of the last run (a, b, d)"]


def _ending(*tools: str) -> bytes:
    """Tools one after the other, with a Browse that has the same number in all versions."""
    wires = [f"{i}.{_out(tools[i - 1])} > {i + 1}.Input" for i in range(1, len(tools))]
    last = f"{len(tools)}.{_out(tools[-1])} > 9.Input"
    return document([*tools, browse(9)], [*wires, last])


# -- order -----------------------------------------------------------------------------------------

NUMBERED = tool(4, "RecordID", "<FieldName>id</FieldName><FieldType>Int32</FieldType>")
FIRST = tool(4, "Sample", "<Mode>First</Mode><N>1</N>")
BY_A = tool(4, "Unique", '<UniqueFields><Field field="a" /></UniqueFields>')


def united(last: str, order: str = "", names: Sequence[str] = ("#1", "#2")) -> bytes:
    union = tool(3, "Union", f"<Mode>ByName</Mode>{order}")
    wires = [f"1.Output > 3.Input {names[0]}", f"2.Output > 3.Input {names[1]}"]
    port = "Unique" if last == BY_A else "Output"
    tools = [T, source(2, "u.csv", COLUMNS), union, last, browse(9)]
    return document(tools, [*wires, "3.Output > 4.Input", f"4.{port} > 9.Input"])


@pytest.mark.parametrize("last", [NUMBERED, FIRST, BY_A])
def test_the_order_of_a_union(tmp_path: Path, last: str) -> None:
    told = (
        '<SetOutputOrder value="True" /><OutputOrder><Connection>#2</Connection>'
        "<Connection>#1</Connection></OutputOrder>"
    )
    plain = united(last)
    for other in (united(last, told), united(last, names=("#2", "#1"))):
        report = pair(tmp_path, plain, other)
        assert report.verdict.value == "unknown" or "same result" in " ".join(assumed(report))


# -- choices ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "free",
    [
        tool(2, "MultiFieldFormula", "<Expression>Rand()</Expression>"),
        tool(2, "MultiRowFormula", '<UpdateField value="True" /><Expression>Rand()</Expression>'),
        tool(2, "R", "<RScript>runif(1)</RScript>").replace("BasePluginsGui", "RPluginGui"),
        tool(2, "JupyterCode", "<code>random()</code>"),
        where(2, "NOT [a] = Rand()"),
        computed(2, ("x", "Double", "8", "RandomItem(1, 2)")),
    ],
)
def test_what_may_choose_is_listed(tmp_path: Path, free: str) -> None:
    report = pair(tmp_path, chain(T, free), chain(T, free))
    assert report.verdict.value == "unknown" or any("same" in text for text in assumed(report))


# -- files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["out", "out.csv", "out.yxdb"])
def test_the_format_of_an_output(tmp_path: Path, path: str) -> None:
    def written(format_: str) -> bytes:
        out = tool(9, "DbFileOutput", f'<File FileFormat="{format_}">{path}</File>')
        return document([T, out], ["1.Output > 9.Input"])

    assert verdict(tmp_path, written("0"), written("19")) != "equivalent"
    assert verdict(tmp_path, written("0"), written("0")) == "equivalent"


def test_macros_inside_of_closed_macros_count(tmp_path: Path) -> None:
    outer = document(
        [tool(1, "MacroInput", "<Name>In</Name>"), tool(2, "", macro="inner.yxmc")],
        ["1.Output > 2.In"],
    )
    used = [T, tool(2, "", macro="outer.yxmc"), browse(9)]
    flow = document(used, ["1.Output > 2.In", "2.Out > 9.Input"])
    digests = set()
    for inner in (None, b"<AlteryxDocument />", b"<AlteryxDocument></AlteryxDocument>"):
        if inner is not None:
            (tmp_path / "inner.yxmc").write_bytes(inner)
        (tmp_path / "outer.yxmc").write_bytes(outer)
        (tmp_path / "flow.yxmd").write_bytes(flow)
        file = str(tmp_path / "flow.yxmd")
        graph = read_file_graph(Input(file, file), ReadOptions())
        digests.add(graph.nodes["2"].settings["content"])
    assert len(digests) == 3


# -- case of texts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "q", "same"),
    [
        ('[d] = "x" OR [d] = "X"', 'Uppercase([d]) = "X"', False),
        ('[d] IN ("x", "X")', '[d] = "x"', False),
        ('[d] = "x"', 'Lowercase([d]) = "x"', False),
        ('[d] != "x"', '!([d] = "x")', True),
        ('[d] IN ("1", "2")', '[d] = "1" OR [d] = "2"', True),
    ],
)
def test_texts_that_differ_in_case_alone(tmp_path: Path, p: str, q: str, same: bool) -> None:
    found = verdict(tmp_path, chain(T, where(2, p)), chain(T, where(2, q)))
    assert found == ("equivalent" if same else "unknown")


# -- sizes of columns ------------------------------------------------------------------------------

REPLACED = (
    '<Field>x</Field><RegExExpression value="a" /><CaseInsensitve value="True" />'
    '<Method>Replace</Method><Replace expression="abcdef"><CopyUnmatched value="True" /></Replace>'
)
LATER = {
    "formula": computed(3, ("x", "V_String", "100", '[x] + [x] + [x] + "!"')),
    "regex": tool(3, "RegEx", REPLACED),
    "opaque": tool(3, "MultiFieldFormula", "<Expression>[x] + [x]</Expression>"),
    "rows": tool(
        3, "MultiRowFormula", '<UpdateField value="True" /><UpdateField_Name>x</UpdateField_Name>'
    ),
}


@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("between", [False, True])
def test_the_size_of_a_column_cuts_what_is_stored_later(
    tmp_path: Path, later: str, between: bool
) -> None:
    def flow(size: str) -> bytes:
        made = computed(2, ("x", "V_String", size, '"ab"'))
        fields = ['field="x" selected="True" rename="x"', 'field="*Unknown" selected="True"']
        kept = tool(4, "AlteryxSelect", select(*fields))
        wires = ["1.Output > 2.Input", "3.Output > 9.Input"]
        wires += ["2.Output > 4.Input", "4.Output > 3.Input"] if between else ["2.Output > 3.Input"]
        return document(
            [T, made, kept, LATER[later], browse(9)]
            if between
            else [T, made, LATER[later], browse(9)],
            wires,
        )

    assert verdict(tmp_path, flow("4"), flow("100")) != "equivalent"
    assert verdict(tmp_path, flow("4"), flow("4")) == "equivalent"


def test_a_size_that_a_select_tells_counts_later(tmp_path: Path) -> None:
    def flow(size: str) -> bytes:
        made = computed(2, ("x", "V_String", "50", '"ab"'))
        said = f'field="x" selected="True" type="V_String" size="{size}"'
        kept = tool(3, "AlteryxSelect", select(said, 'field="*Unknown" selected="True"'))
        return chain(T, made, kept, computed(4, ("x", "V_String", "50", '[x] + "cdefgh"')))

    assert verdict(tmp_path, flow("4"), flow("50")) != "equivalent"
    assert verdict(tmp_path, flow("50"), flow("50")) == "equivalent"


def test_a_column_whose_size_nobody_tells(tmp_path: Path) -> None:
    t = source(1, "t.csv")
    long = computed(
        2, ("d", "V_String", "100", '"abcdefgh"'), ("d", "V_String", "100", "Right([d], 4)")
    )
    short = computed(2, ("d", "V_String", "100", '"efgh"'))
    used = where(3, '[d] != ""')
    assert (
        verdict(
            tmp_path,
            chain(t, where(2, "IsNull([d])"), long.replace('ToolID="2"', 'ToolID="3"')),
            chain(t, where(2, "IsNull([d])"), short.replace('ToolID="2"', 'ToolID="3"')),
        )
        == "unknown"
    )
    assert verdict(tmp_path, chain(t, short, used), chain(t, short, used)) == "equivalent"


def test_whether_texts_of_other_case_join_is_not_known(tmp_path: Path) -> None:
    def flow(formula: str) -> bytes:
        other = source(2, "u.csv", [("d", "V_String"), ("a", "Int32")])
        fields = 'field="Right_d" selected="True" rename="e" input="Right_"'
        chosen = join(
            4,
            "d",
            "d",
            'field="Right_a" selected="False"',
            fields,
            'field="*Unknown" selected="True"',
        )
        tools = [T, other, chosen, where(5, formula), browse(9)]
        wires = ["1.Output > 4.Left", "2.Output > 4.Right", "4.Join > 5.Input", "5.True > 9.Input"]
        return document(tools, wires)

    p, q = flow("Length([d]) > 1"), flow('Length([d]) > 1 AND Contains([e], "b", 0)')
    assert verdict(tmp_path, p, p) == "equivalent"
    upper = flow('Contains([d], "b", 0)'), flow('Contains([e], "b", 0)')
    assert verdict(tmp_path, *upper) != "equivalent"
    assert verdict(tmp_path, p, q) != "equivalent"


def test_a_union_of_columns_of_different_sizes(tmp_path: Path) -> None:
    def flow(size: str) -> bytes:
        tools = [T, computed(2, ("x", "V_String", "4", '"ab"'))]
        tools += [computed(3, ("x", "V_String", size, '"abcdefgh"'))]
        tools += [tool(4, "Union", "<Mode>ByName</Mode>"), browse(9)]
        wires = ["1.Output > 2.Input", "1.Output > 3.Input", "4.Output > 9.Input"]
        return document(tools, [*wires, "2.Output > 4.Input #1", "3.Output > 4.Input #2"])

    assert verdict(tmp_path, flow("100"), flow("200")) == "unknown"
    assert verdict(tmp_path, flow("100"), flow("100")) == "equivalent"
