"""`docs/rewrites.md`: the passes of the normal form, in order, each with its law."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import unwrap
from typing import Any

from veer.rewrite.passes import AGGREGATE_STEPS, PASSES, RULES, WINDOW_STEPS, Pass

INTRODUCTION = """# Rewrites

Made by `python -m tools pages` from `rewrite/passes.py`; not to be edited. Two versions are compared in *normal form* where they
do not agree operator by operator ([search-for-proofs.md](search-for-proofs.md)). The normal form of a dataflow is what these passes
make of it. `<-` is to be read as *over*; what makes a law sound stands in the module of its function. A pass that rests on declared
keys notes them, and the report lists them as assumptions. Every pass has a case and a near miss in `tests/cases/passes.cases`.
"""
SECTIONS: tuple[tuple[str, str, Iterable[Pass[Any]]], ...] = (
    ("Passes", "Each runs over the whole dataflow, in this order.", PASSES),
    (
        "Rules of a sweep",
        "A sweep takes the operators from the sources to the sinks; the first rule that is for an operator"
        " writes it anew.",
        RULES,
    ),
    ("Steps for aggregates", "`merge_aggregate_calls` takes them in this order.", AGGREGATE_STEPS),
    (
        "Steps for window functions",
        "`merge_window_functions` takes them in this order.",
        WINDOW_STEPS,
    ),
)


def page() -> str:
    """The whole page."""
    sections = [INTRODUCTION]
    for title, about, passes in SECTIONS:
        head = "| pass | what it rewrites | relies on |\n| --- | --- | --- |"
        rows = "\n".join(map(_row, passes))
        sections.append(f"## {title}\n\n{about}\n\n{head}\n{rows}\n")
    return "\n".join(sections)


def _row(each: Pass[Any]) -> str:
    module = unwrap(each.run).__module__.replace(".", "/")
    law = f"`{each.law}`" if "=>" in each.law else each.law
    relies = ", ".join(fact.value for fact in each.relies_on)
    return f"| `{each.name}` (`{module.removeprefix('veer/')}.py`) | {law} | {relies} |"
