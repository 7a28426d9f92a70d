"""Tools that tell people something while a workflow runs."""

from __future__ import annotations

from veer.frontends import coercion
from veer.frontends.alteryx.config import config_of
from veer.frontends.alteryx.numbers import SYSTEM
from veer.frontends.alteryx.preparation import meaning_of
from veer.frontends.gui.reading import Outputs, Step
from veer.frontends.gui.rows import Rows, Value, constant, require, unknown_call
from veer.model.digests import json_digest
from veer.model.expr import Literal
from veer.model.types import BOOLEAN, LONG, STRING


def test(step: Step) -> Outputs:
    """Test: what it tells of the number of records that arrive; other tests are not looked into."""
    config = config_of(step.node.settings)
    results: list[Rows] = []
    for one in config.all("Tests", "Test"):
        require(one.text_of("Type") == "RecCountValue", f"a test of {one.text_of('Type')!r}")
        rows = _connected(step, one.text_of("Connection"))
        counted = rows.group([], [("n", coercion.aggregate_call("count", [Literal(1, LONG)]))])
        how = f"test {json_digest(one.json)}"
        passed = unknown_call(SYSTEM, how, counted.column("n"), type_=BOOLEAN)
        name = constant(one.text_of("Name"), STRING)
        results.append(counted.select([("test", name), ("passed", passed)]))
    require(bool(results), "no test")
    step.sink(results[0].union(*results[1:]) if len(results) > 1 else results[0], kind="Test")
    return {}


def _connected(step: Step, name: str) -> Rows:
    """The table that arrives by a connection; the only one needs no name."""
    found = [rows for port, rows in step.inputs if port.partition(" ")[2] == name]
    if not found and len(step.inputs) == 1:
        found = [step.inputs[0][1]]
    require(len(found) == 1, f"no connection {name!r}")
    return found[0]


def message(step: Step) -> Outputs:
    """Message: the messages about rows on which a condition holds; the rows pass on."""
    rows, config = step.input(), config_of(step.node.settings)
    when = config.text_of("When")
    require(when == "Filter", f"a message of {when!r}")
    meaning = meaning_of(step, rows)
    condition = meaning.condition_of(config.text_of("Filter"))
    text = meaning.of(config.text_of("MessageExpression"))
    kept = [c.json for c in config.children() if c.tag not in ("Filter", "MessageExpression")]
    told = Value(Literal(json_digest(kept), STRING))
    step.port("messages")
    step.sink(rows.filter(condition).select([("message", text), ("kind", told)]), kind="Message")
    return dict.fromkeys(step.node.outputs, rows)
