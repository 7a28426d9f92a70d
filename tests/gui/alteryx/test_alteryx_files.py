"""Alteryx documents: what is read of them, hostile ones, and the command."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.command import veer as command
from tests.gui.alteryx.alteryx_files import (
    browse,
    computed,
    document,
    source,
    text_input,
    tool,
    totals,
    where,
)
from veer.errors import InputError
from veer.gui.alteryx.front_end import SYSTEM, agree, read_pair
from veer.gui.alteryx.graph import graph_of_document, read_graph as read_file_graph
from veer.gui.reading import read_graph
from veer.ir.ops import OTHER_COLUMNS, Source
from veer.read.inputs import Input, ReadOptions

COLUMNS = [("id", "Int32"), ("name", "V_String")]
FLOW = [source(1, r"data\t.csv", COLUMNS), where(2, "[id] > 1"), browse(3)]
WIRES = ["1.Output > 2.Input", "2.True > 3.Input"]


def container(id_: int, *children: str, off: bool = False) -> str:
    config = f'<Caption>Step</Caption><Disabled value="{off}" />'
    return tool(id_, "ToolContainer", config, children=children)


def nodes(data: bytes) -> list[str]:
    return list(graph_of_document(data).nodes)


def test_containers_are_opened() -> None:
    inside = container(9, container(8, FLOW[1]), FLOW[2])
    assert nodes(document([FLOW[0], inside], WIRES)) == ["1", "2", "3"]


def test_what_is_disabled_is_left_out_with_what_it_feeds() -> None:
    data = document(
        [FLOW[0], container(9, FLOW[1], off=True), FLOW[2], browse(4)],
        [*WIRES, "1.Output > 4.Input"],
    )
    assert nodes(data) == ["1", "4"]


def test_a_union_goes_on_without_a_disabled_input() -> None:
    union = tool(5, "Union", "<Mode>ByName</Mode>")
    tools = [FLOW[0], container(9, source(2, "u.csv"), off=True), union, browse(3)]
    wires = ["1.Output > 5.Input #1", "2.Output > 5.Input #2", "5.Output > 3.Input"]
    graph = graph_of_document(document(tools, wires))
    assert [port for port, _ in graph.nodes["5"].inputs] == ["Input #1"]


def test_comments_positions_and_runs_are_not_settings() -> None:
    box = '<Node ToolID="7"><GuiSettings Plugin="AlteryxGuiToolkit.TextBox.TextBox" /></Node>'
    other = [source(1, r"data\t.csv"), FLOW[1], browse(3), box]
    noted = document([*other, tool(4, "Sort", annotation="by name")], WIRES)
    plain = document([*FLOW, tool(4, "Sort")], WIRES)
    given, told = graph_of_document(plain).nodes, graph_of_document(noted).nodes
    assert {i: n.settings for i, n in given.items()} == {i: n.settings for i, n in told.items()}


def test_constants_of_the_user_are_put_in() -> None:
    constant = (
        "<Constants><Constant><Namespace>User</Namespace><Name>least</Name><Value>5</Value>"
        '<IsNumeric value="True" /></Constant></Constants>'
    )
    tools = [source(1, r"%User.least%\t.csv", COLUMNS), where(2, "[id] > [User.least]"), browse(3)]
    (graph,) = agree([graph_of_document(document(tools, WIRES, constant))])
    flow = read_graph(SYSTEM, graph, {}, {}).dataflow
    assert flow.operators["DbFileInput (1)"].table == "5/t.csv"  # type: ignore[union-attr]
    assert "Literal(value=5" in repr(flow.operators["Filter (2).True"])


def test_tools_that_actions_change_are_opaque() -> None:
    tools = [*FLOW, tool(8, "Question"), tool(9, "Action", '<Destination value="2/Expression" />')]
    wires = [*WIRES, "8.Question > 9.Question", "9.Action > 2.Action"]
    (graph,) = agree([graph_of_document(document(tools, wires))])
    read = read_graph(SYSTEM, graph, {}, {})
    assert read.opaque == {"Filter (2)": "it is changed by an action of the interface"}


def test_an_action_on_a_container_is_refused() -> None:
    tools = [FLOW[0], container(7, FLOW[1]), FLOW[2], tool(9, "Action")]
    with pytest.raises(InputError, match=r"Action \(9\) switches a container"):
        graph_of_document(document(tools, [*WIRES, "9.Action > 7.Action"]))


def test_the_last_run_tells_columns_and_types() -> None:
    (graph,) = agree([graph_of_document(document(FLOW, WIRES))])
    flow = read_graph(SYSTEM, graph, {}, {}).dataflow
    fields = flow.schemas["DbFileInput (1)"]
    assert [(f.name, str(f.type)) for f in fields] == [("id", "int"), ("name", "string")]


def source_of(tmp_path: Path, *memories: list[tuple[str, str]]) -> list[Source]:
    files = []
    for number, columns in enumerate(memories):
        file = tmp_path / f"{number}.yxmd"
        file.write_bytes(document([source(1, "t.csv", columns), *FLOW[1:]], WIRES))
        files.append(Input(str(file), str(file)))
    versions = read_pair(files[0], files[1], ReadOptions())
    operators = [v.dataflow.operators["DbFileInput (1)"] for v in versions]
    return [op for op in operators if isinstance(op, Source)]


def test_memories_of_two_runs_that_differ(tmp_path: Path) -> None:
    p, q = source_of(tmp_path, COLUMNS, [("id", "Int64"), ("name", "V_String")])
    assert p == q and [str(f.type) for f in p.fields] == ["string", "string"]
    p, q = source_of(tmp_path, COLUMNS, [*COLUMNS, ("more", "Int64")])
    assert p == q and [f.name for f in p.fields] == ["id", OTHER_COLUMNS]
    p, q = source_of(tmp_path, COLUMNS, [])
    assert p == q and [f.name for f in p.fields] == ["id", "name"]


# -- hostile files ---------------------------------------------------------------------------------

TOOLS = [*FLOW, computed(4, ("x", "Int32", "4", "[id] + 1")), text_input(5, ["a"], [["1"]])]
GOOD = document(
    [*TOOLS, container(9, totals(6, ("id", "GroupBy", "id")))], [*WIRES, "4.Output > 6.Input"]
)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<AlteryxDocument>",
        b"<Other />",
        b"<AlteryxDocument />",
        b'<!DOCTYPE a [<!ENTITY b "c">]><AlteryxDocument>&b;</AlteryxDocument>',
        b"<AlteryxDocument><Nodes><Node /></Nodes></AlteryxDocument>",
        b'<AlteryxDocument><Nodes><Node ToolID="1" /></Nodes></AlteryxDocument>',
        document([FLOW[0], FLOW[0]], []),
        document([FLOW[0]], ["1.Output > 2.Input"]),
        document([where(1, "1"), where(2, "1")], ["1.True > 2.Input", "2.True > 1.Input"]),
        b"<AlteryxDocument><Nodes>"
        + b"<a>" * 5000
        + b"</a>" * 5000
        + b"</Nodes></AlteryxDocument>",
    ],
)
def test_nonsense_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(InputError) as refused:
        (graph,) = agree([graph_of_document(data)])
        read_graph(SYSTEM, graph, {}, {})
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("seed", range(60))
def test_damaged_files_are_read_or_refused(seed: int) -> None:
    random, data = Random(seed), bytearray(GOOD)
    for _ in range(random.randrange(1, 6)):
        place = random.randrange(len(data))
        match random.randrange(4):
            case 0:
                data[place] = random.randrange(256)
            case 1:
                del data[place : place + random.randrange(1, 40)]
            case 2:
                data[place:place] = data[place - 30 : place]
            case _:
                data[place:place] = random.choice([b"(", b"[", b"&lt;", b"&amp;&quot;", b"9" * 30])
    try:
        (graph,) = agree([graph_of_document(bytes(data))])
        read_graph(SYSTEM, graph, {}, {})
    except InputError:
        pass


@pytest.mark.parametrize(
    "formula",
    ["(" * 5000 + "1" + ")" * 5000, "+".join(["1"] * 5000), "!" * 3000 + "[id]", "1" * 9999],
)
def test_deep_formulas_leave_the_tool_opaque(formula: str) -> None:
    data = document([FLOW[0], where(2, formula), browse(3)], WIRES)
    (graph,) = agree([graph_of_document(data)])
    read_graph(SYSTEM, graph, {}, {})


# -- the command -----------------------------------------------------------------------------------


def test_the_command(tmp_path: Path) -> None:
    both = [source(1, "t.csv", COLUMNS), where(2, '[id] > 1 AND [name] != "x"'), browse(3)]
    one_by_one = [
        source(1, "t.csv", COLUMNS),
        where(2, "1 < [id]"),
        where(4, '[name] != "x"'),
        browse(3),
    ]
    later = [*WIRES[:1], "2.True > 4.Input", "4.True > 3.Input"]
    files = {
        "a.yxmd": document(both, WIRES),
        "b.yxmd": document(one_by_one, later),
        "c.yxmd": document([both[0], where(2, '[id] > 1 AND [name] = "y"'), both[2]], WIRES),
        "bad.yxmd": b"<AlteryxDocument><Nodes>",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    same = command("verify", "a.yxmd", "b.yxmd", cwd=tmp_path)
    assert same.returncode == 0, same.stdout + same.stderr
    different = command("verify", "a.yxmd", "c.yxmd", cwd=tmp_path)
    assert different.returncode == 1 and "witness" in different.stdout
    shown = command("show", "a.yxmd", cwd=tmp_path)
    assert shown.returncode == 0 and "Filter (2).True" in shown.stdout
    edits = command("diff", "a.yxmd", "c.yxmd", cwd=tmp_path)
    assert "Filter (2).True" in edits.stdout
    refused = command("show", "bad.yxmd", cwd=tmp_path)
    assert refused.returncode == 65 and len(refused.stderr.strip().splitlines()) == 1


# -- macros ----------------------------------------------------------------------------------------

MACRO_INPUT = tool(1, "MacroInput", "<Name>Input1</Name>")
MACRO_OUTPUT = tool(4, "MacroOutput", "<Name>Output4</Name>")
PLAIN = "<RuntimeProperties><ModuleType>Macro</ModuleType></RuntimeProperties>"
INSIDE = ["1.Output > 2.Input", "2.True > 4.Input", "2.False > 3.Input"]


def using(tmp_path: Path, macro: bytes, name: str = "kept.yxmc") -> list[str]:
    """The operators of a workflow that uses a macro."""
    (tmp_path / "kept.yxmc").write_bytes(macro)
    tools = [source(1, "t.csv", COLUMNS), tool(2, "", macro=name), browse(3)]
    flow = tmp_path / "flow.yxmd"
    flow.write_bytes(document(tools, ["1.Output > 2.Input1", "2.Output4 > 3.Input"]))
    (graph,) = agree([read_file_graph(Input(str(flow), str(flow)), ReadOptions())])
    return list(read_graph(SYSTEM, graph, {}, {}).dataflow.operators)


def test_a_macro_beside_the_file_is_opened(tmp_path: Path) -> None:
    macro = document([MACRO_INPUT, FLOW[1], browse(3), MACRO_OUTPUT], INSIDE, PLAIN)
    assert using(tmp_path, macro)[1] == "Filter (2/2).True"
    assert using(tmp_path, macro, "else.yxmc")[1] == "else.yxmc (2)"


@pytest.mark.parametrize(
    ("tools", "kind"),
    [
        ([FLOW[1], MACRO_OUTPUT], "BatchMacro"),
        ([FLOW[1], MACRO_OUTPUT, tool(9, "Question")], "Macro"),
        ([FLOW[1], tool(4, "MacroOutput", "<Name>Other</Name>")], "Macro"),
        ([tool(2, "", macro="kept.yxmc"), MACRO_OUTPUT], "Macro"),  # a macro inside of itself
    ],
)
def test_other_macros_stay_closed(tmp_path: Path, tools: list[str], kind: str) -> None:
    wires = ["1.Output > 2.Input", "2.True > 4.Input"]
    macro = document([MACRO_INPUT, *tools], wires, PLAIN.replace("Macro<", f"{kind}<"))
    assert using(tmp_path, macro)[1].startswith("kept.yxmc (2")


def test_a_memory_that_lacks_a_column_is_not_trusted() -> None:
    config = '<SelectFields><SelectField field="new" selected="True" /></SelectFields>'
    for second in (where(2, "[new] = 1"), tool(2, "AlteryxSelect", config)):
        tools = [source(1, "t.csv", COLUMNS), second]
        (graph,) = agree([graph_of_document(document(tools, ["1.Output > 2.Input"]))])
        flow = read_graph(SYSTEM, graph, {}, {}).dataflow
        assert flow.schemas["DbFileInput (1)"].names == ("new", OTHER_COLUMNS)
