"""Workflow files: every operator's documented example, the JSON Schema, and bad input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from veer.api import Version, verify
from veer.errors import InputError
from veer.ir.dag import Dataflow
from veer.ir.ops import Filter, Join, RowUdf, Sink, Source
from veer.ir.pprint import show_dataflow
from veer.read.workflow.reader import SCHEMA, read_workflow
from veer.read.workflow.schema import OPERATORS
from veer.verdict import Verdict

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = (ROOT / "docs" / "workflow-files.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"### (\w+)\n.*?```yaml\n(.*?)```", DOCUMENT, re.DOTALL))
TWO_INPUTS = ("join",)
T = {"type": "source", "columns": {"a": "int", "b": "int", "s": "string", "tags": "array<string>"}}
U = {"type": "source", "columns": {"a": "int", "c": "string"}}


def around(name: str, spec: dict[str, Any]) -> dict[str, Any]:
    """A whole workflow with the example as operator x."""
    operators: dict[str, Any] = {"x": spec}
    links: list[list[Any]] = []
    if name != "source":
        operators["t"] = T
        links.append(["t", "x"])
    if name in TWO_INPUTS:
        operators["u"] = U
        links.append(["u", "x", "right"])
    return {"operators": operators, "links": links}


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_has_an_example_that_is_read(name: str) -> None:
    workflow = around(name, yaml.safe_load(EXAMPLES[name].replace(" on:", ' "on":'))["x"])
    jsonschema.validate(workflow, SCHEMA)
    dataflow = read_workflow(json.dumps(workflow))
    assert "x" in dataflow.operators
    as_yaml = read_workflow(yaml.safe_dump(workflow, sort_keys=False), yaml=True)
    assert as_yaml == dataflow


def test_the_first_example_of_the_document_is_read() -> None:
    text = re.search(r"```yaml\n(veer: 1.*?)```", DOCUMENT, re.DOTALL)
    assert text is not None
    assert read_workflow(text[1], yaml=True).sinks == ("out",)


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_tobacco_example_is_valid(version: str) -> None:
    text = (ROOT / "examples" / "tobacco" / f"{version}.yaml").read_text(encoding="utf-8")
    dataflow = read_workflow(text, yaml=True)
    assert dataflow.sinks == ("i", "p")
    assert isinstance(dataflow.operators["b"], RowUdf)
    plain = yaml.safe_load(re.sub(r"\bon:", '"on":', text))
    jsonschema.validate(plain, SCHEMA)


def test_unfinished_branches_show_their_result() -> None:
    dataflow = read_workflow(
        json.dumps(
            {
                "operators": {"t": T, "f": {"type": "filter", "predicate": "a > 1"}},
                "links": [["t", "f"]],
            }
        )
    )
    assert dataflow.sinks == ("f.result",)
    sink = dataflow.operators["f.result"]
    assert isinstance(sink, Sink) and sink.name == "f"


def test_two_sources_of_one_table_stay_two_operators() -> None:
    join = {"type": "join", "kind": "cross"}
    dataflow = read_workflow(
        json.dumps({"operators": {"x": T, "y": T, "j": join}, "links": [["x", "j"], ["y", "j"]]})
    )
    assert len([op for op in dataflow.operators.values() if isinstance(op, Source)]) == 2


def test_yaml_words_stay_words() -> None:
    text = """
operators:
  yes: {type: source, table: no, columns: {a: int, b: int}}
  on: {type: filter, predicate: a > 1}
links: [[yes, on]]
"""
    dataflow = read_workflow(text, yaml=True)
    assert isinstance(dataflow.operators["on"], Filter)


BAD = [
    ("{", "line 1, column 2"),
    ("[]", "a workflow is an object"),
    ("{}", "'operators' must be an object"),
    ('{"operators": {"a": {}}}', "operator 'a' has no type"),
    ('{"operators": {"a": {"type": "magic"}}}', "operator 'a': unknown type 'magic'"),
    (
        '{"operators": {"a": {"type": "source"}}}',
        "operator 'a' (source): property 'columns' is missing",
    ),
    (
        '{"operators": {"a": {"type": "source", "columns": {"x": "integr"}}}}',
        "column 'x': unknown type 'integr'",
    ),
    (
        '{"operators": {"a": {"type": "source", "columns": {"x": "int"}, "colour": 1}}}',
        "unknown property 'colour'",
    ),
    (
        '{"operators": {"a": {"type": "source", "columns": {"x": "int"}}, "a": {"type": "union"}}}',
        "'a' is given twice",
    ),
    (
        '{"operators": {"a": {"type": "source", "columns": {"x": "int"}}}, "links": [["a", "b"]]}',
        "no operator 'b'",
    ),
    (
        '{"operators": {"a": {"type": "source", "columns": {"x": "int"}}}, "links": [["a"]]}',
        "link 1",
    ),
    (
        '{"operators": {"a": {"type": "source", "columns": {"x": "int"}}}, "edges": []}',
        "unknown entry 'edges'",
    ),
]
SOURCE = '"t": {"type": "source", "columns": {"a": "int", "s": "string"}}'
BAD += [
    (
        f'{{"operators": {{{SOURCE}, "f": {{"type": "filter", "predicate": "zz > 1"}}}}, "links": [["t", "f"]]}}',
        "operator 'f' (filter): predicate 'zz > 1': line 1, column 1: unknown column 'zz'; there are a, s",
    ),
    (
        f'{{"operators": {{{SOURCE}, "f": {{"type": "filter", "predicate": "a + 1"}}}}, "links": [["t", "f"]]}}',
        "must be boolean, got int",
    ),
    (
        f'{{"operators": {{{SOURCE}, "f": {{"type": "filter", "predicate": "a >"}}}}, "links": [["t", "f"]]}}',
        "operator 'f' (filter): predicate 'a >'",
    ),
    (
        f'{{"operators": {{{SOURCE}, "f": {{"type": "filter", "predicate": "a > (SELECT 1)"}}}}, "links": [["t", "f"]]}}',
        "a subquery here is not supported",
    ),
    (
        f'{{"operators": {{{SOURCE}, "f": {{"type": "filter", "predicate": "a > 1"}}}}, "links": []}}',
        "0 inputs, expected 1",
    ),
    (
        f'{{"operators": {{{SOURCE}, "l": {{"type": "limit", "count": "x"}}}}, "links": [["t", "l"]]}}',
        "property 'count' must be a whole number",
    ),
    (
        f'{{"operators": {{{SOURCE}, "g": {{"type": "aggregate", "calls": {{"n": "a + 1"}}}}}}, "links": [["t", "g"]]}}',
        "'a + 1' is not an aggregate function",
    ),
    (
        f'{{"operators": {{{SOURCE}, "l": {{"type": "limit", "count": 1}}}}, "links": [["t", "l", 0], ["t", "l", 0]]}}',
        "port 0 of operator 'l' has two producers",
    ),
    (
        '{"operators": {"x": {"type": "limit", "count": 1}, "y": {"type": "limit", "count": 1}}, "links": [["x", "y"], ["y", "x"]]}',
        "the links form a cycle",
    ),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[m for _, m in BAD])
def test_bad_workflows_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_workflow(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [1]\nb: *x",
        "operators: [",
        "!!python/object/apply:os.system ['true']",
        "a: 1\na: 2",
        ": :",
        "? [1]\n: 2",
    ],
)
def test_bad_yaml_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_workflow(text, yaml=True)
    assert "\n" not in str(caught.value)


def test_nesting_does_not_exhaust_the_stack() -> None:
    for text, yaml_ in (("[" * 200_000, False), ('{"a":' * 100_000, False), ("[" * 5_000, True)):
        with pytest.raises(InputError):
            read_workflow(text, yaml=yaml_)


def chain(size: int) -> str:
    operators: dict[str, Any] = {"t": T}
    links = []
    last = "t"
    for number in range(size):
        operators[f"f{number}"] = {"type": "limit", "count": number}
        links.append([last, f"f{number}"])
        last = f"f{number}"
    return json.dumps({"operators": operators, "links": links})


@pytest.mark.slow
def test_fifty_thousand_operators_are_read_and_verified() -> None:
    dataflow = read_workflow(chain(50_000))
    assert len(dataflow.operators) == 50_002
    version = Version("v", dataflow, True)
    assert verify(version, version).verdict is Verdict.EQUIVALENT


def test_long_chains_do_not_recurse() -> None:
    dataflow = read_workflow(chain(3_000))
    assert len(show_dataflow(dataflow).splitlines()) == 3_002


def test_join_ports_are_named() -> None:
    spec = {
        "operators": {"t": T, "u": U, "j": {"type": "join", "kind": "left", "on": "u.a = t.a"}},
        "links": [["t", "j", "right"], {"from": "u", "to": "j", "port": "left"}],
    }
    dataflow: Dataflow = read_workflow(json.dumps(spec))
    assert dataflow.inputs["j"] == ("u", "t")
    assert isinstance(dataflow.operators["j"], Join)


def test_the_axes_of_a_chart_are_not_exchanged() -> None:
    spec = {
        "operators": {"t": T, "c": {"type": "chart", "x": "a", "y": "b"}},
        "links": [["t", "c"]],
    }
    sink = read_workflow(json.dumps(spec)).operators["c"]
    assert isinstance(sink, Sink) and sink.positional


def test_a_random_function_of_rows_is_refused() -> None:
    udf = {"type": "udf", "function": "f", "reads": ["a"], "adds": {"z": "int"}}
    spec = {"operators": {"t": T, "f": {**udf, "nondeterministic": True}}, "links": [["t", "f"]]}
    with pytest.raises(InputError, match="nondeterministic"):
        read_workflow(json.dumps(spec))


@pytest.mark.parametrize(
    "change",
    [
        {"keys": [5]},
        {"keys": [None]},
        {"keys": [[["a"]]]},
        {"foreign_keys": [{"columns": 5, "table": "u", "references": ["k"]}]},
        {"foreign_keys": [{"columns": [["a"]], "table": "u", "references": ["k"]}]},
        {"foreign_keys": [{"columns": ["a"], "table": "u", "references": None}]},
    ],
)
def test_keys_of_other_shapes_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        read_workflow(json.dumps({"operators": {"t": {**T, **change}}}))
