"""Tools that show messages while a workflow runs."""

from __future__ import annotations

from veer.gui import rows as gui_rows
from veer.gui.alteryx.config import config_of
from veer.gui.alteryx.numbers import SYSTEM
from veer.gui.alteryx.preparation import meaning_of
from veer.gui.reading import Outputs, Step
from veer.ir import types as ty
from veer.ir.digests import json_digest
from veer.ir.expr import Literal
from veer.read import coercion


def test(step: Step) -> Outputs:
    """Test: what it tells of the number of records that arrive; other tests are not looked into."""
    config = config_of(step.node.settings)
    results: list[gui_rows.Rows] = []
    for one in config.all("Tests", "Test"):
        gui_rows.require(
            one.text_of("Type") == "RecCountValue", f"a test of {one.text_of('Type')!r}"
        )
        rows = _connected(step, one.text_of("Connection"))
        counted = rows.group([], [("n", coercion.aggregate_call("count", [Literal(1, ty.LONG)]))])
        how = f"test {json_digest(one.json)}"
        passed = gui_rows.unknown_call(SYSTEM, how, counted.column("n"), type_=ty.BOOLEAN)
        name = gui_rows.constant(one.text_of("Name"), ty.STRING)
        results.append(counted.select([("test", name), ("passed", passed)]))
    gui_rows.require(bool(results), "no test")
    step.sink(results[0].union(*results[1:]) if len(results) > 1 else results[0], kind="Test")
    return {}


def _connected(step: Step, name: str) -> gui_rows.Rows:
    """The table that arrives by a connection; the only one needs no name."""
    found = [rows for port, rows in step.inputs if port.partition(" ")[2] == name]
    if not found and len(step.inputs) == 1:
        found = [step.inputs[0][1]]
    gui_rows.require(len(found) == 1, f"no connection {name!r}")
    return found[0]


def message(step: Step) -> Outputs:
    """Message: the messages about rows on which a condition holds; the rows pass on."""
    rows, config = step.input(), config_of(step.node.settings)
    when = config.text_of("When")
    gui_rows.require(when == "Filter", f"a message of {when!r}")
    meaning = meaning_of(step, rows)
    condition = meaning.condition_of(config.text_of("Filter"))
    text = meaning.of(config.text_of("MessageExpression"))
    kept = [c.json for c in config.children() if c.tag not in ("Filter", "MessageExpression")]
    told = gui_rows.Value(Literal(json_digest(kept), ty.STRING))
    step.port("messages")
    step.sink(rows.filter(condition).select([("message", text), ("kind", told)]), kind="Message")
    return dict.fromkeys(step.node.outputs, rows)
