"""Seeing every application of every rewrite of the normal form, while dataflows are normalized.

The functions of `normalize` are replaced by ones that do the same and tell; nothing of it is
written for that. What is told: passes over a whole dataflow, the rules that write an operator
anew and the steps of these, and functions from an expression to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

from veer.expressions import cases
from veer.expressions.law import Law, Simplify
from veer.expressions.laws import normal_node
from veer.ir.dag import Dataflow
from veer.ir.expr import Expr
from veer.ir.ops import AnyOperator
from veer.rewrite import normalize, sweep
from veer.rewrite.passes import (
    AGGREGATE_STEPS,
    PASSES,
    RULES,
    WINDOW_STEPS,
    Pass,
    Whole,
    laws as laws_of,
)
from veer.rewrite.rewriting import Laws, Rewriting, Rule, View

TRUE_ALIKE = "where_true"  # that is true where the other is


@dataclass(frozen=True)
class Passed:
    """A pass over a dataflow; `counted` if only the number of rows is to stay."""

    name: str
    before: Dataflow
    after: Dataflow
    counted: bool = False


@dataclass(frozen=True)
class Written:
    """All operators of a dataflow written anew, and the rule that wrote each."""

    rewriting: Rewriting
    rules: dict[str, str]


@dataclass(frozen=True)
class Spelled:
    """An expression written in another way."""

    name: str
    before: Expr
    after: Expr


@dataclass(frozen=True)
class Stepped:
    """A step inside of a rule, and whether it changed something."""

    name: str
    changed: bool


Seen = Passed | Written | Spelled | Stepped


@contextmanager
def watched(tell: Callable[[Seen], None]) -> Iterator[None]:
    """While this lasts, `tell` is called with every application of a rewrite."""
    replaced: list[tuple[Any, str, Any]] = []
    told_by: list[dict[str, str]] = []  # the dataflows being written, from the outside in

    def put(module: Any, name: str, value: Any) -> None:
        replaced.append((module, name, getattr(module, name)))
        setattr(module, name, value)

    def telling_pass(each: Pass[Whole]) -> Pass[Whole]:
        @wraps(each.run)
        def told(before: Dataflow, sweeps: sweep.Sweeps) -> Dataflow:
            after = each.run(before, sweeps)
            tell(Passed(each.name, before, after))
            return after

        return each if each.parts else replace(each, run=told)

    def telling_rule(each: Pass[Rule]) -> Pass[Rule]:
        @wraps(each.run)
        def told(
            rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
        ) -> View | None:
            view = each.run(rewriting, id_, operator, below)
            if view is not None:
                told_by[-1][id_] = each.name
            return view

        return replace(each, run=told)

    def telling_step(each: Pass[Any]) -> Callable[..., Any]:
        def told(*given: Any) -> Any:
            after = each.run(*given)
            tell(Stepped(each.name, after != given[-1]))
            return after

        return told

    def telling_law(law: Law) -> Law:
        def told(before: Expr, simplify: Simplify) -> Expr | None:
            after = law.rewrite(before, simplify)
            if after is not None and after != before:
                tell(Spelled(law.name, before, after))
            return after

        return replace(law, rewrite=told)

    def telling_spelling(name: str, make: Callable[..., Expr]) -> Callable[..., Expr]:
        def told(before: Expr, *rest: Any) -> Expr:
            after = make(before, *rest)
            if after is not before:
                tell(Spelled(name, before, after))
            return after

        return told

    def swept(dataflow: Dataflow, *given: Any, **named: Any) -> Rewriting:
        told_by.append({})
        try:
            rewriting = write(dataflow, *given, **named)
        finally:
            by = told_by.pop()
        tell(Written(rewriting, by))
        name = "last_sweep" if named.get("is_last") else "sweep"
        tell(Passed(name, dataflow, rewriting.dataflow(), not named["shows_columns"]))
        return rewriting

    def passed(dataflow: Dataflow, sweeps: sweep.Sweeps) -> sweep.Normalization:
        normalization = run(dataflow, sweeps)
        tell(Passed("normalized", dataflow, normalization.result, not sweeps.shows_columns))
        return normalization

    write, run = sweep.swept, normalize._passed
    try:
        put(normalize, "PASSES", tuple(map(telling_pass, PASSES)))
        laws = Laws(
            laws_of(tuple(map(telling_rule, RULES))).rules,
            tuple(map(telling_step, AGGREGATE_STEPS)),
            tuple(map(telling_step, WINDOW_STEPS)),
        )
        put(normalize, "LAWS", laws)
        put(normalize, "_passed", passed)
        put(sweep, "swept", swept)
        put(cases, TRUE_ALIKE, telling_spelling(TRUE_ALIKE, getattr(cases, TRUE_ALIKE)))
        put(normal_node, "laws", tuple(map(telling_law, normal_node.laws)))
        put(normal_node, "_by_node", {})
        yield
    finally:
        for module, name, value in reversed(replaced):
            setattr(module, name, value)
