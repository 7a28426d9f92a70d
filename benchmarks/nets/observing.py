"""Seeing every application of every rewrite of the normal form, while dataflows are normalized.

The functions of `normalize` are replaced by ones that do the same and tell; nothing of it is
written for that. What is told: passes over a whole dataflow, the rules that write an operator
anew, and functions from an expression to another.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from veer.expressions import cases
from veer.expressions.law import Law, Simplify
from veer.expressions.laws import normal_node
from veer.model.dag import Dataflow
from veer.model.expr import Expr
from veer.model.ops import AnyOperator
from veer.normalize import normalize
from veer.normalize.rewriting import Rewriting, View

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


Seen = Passed | Written | Spelled


def passes() -> list[str]:
    """The names of the passes that `normalize` puts together: from a dataflow to another."""
    return [
        name
        for name, value in vars(normalize).items()
        if inspect.isfunction(value)
        and value.__module__ != normalize.__name__
        and inspect.signature(value).return_annotation == "Dataflow"
    ]


def rules() -> list[str]:
    """The names of the rules that write one operator anew."""
    return [rule.__name__ for rule in normalize.RULES]


@contextmanager
def watched(tell: Callable[[Seen], None]) -> Iterator[None]:
    """While this lasts, `tell` is called with every application of a rewrite."""
    replaced: list[tuple[Any, str, Any]] = []
    told_by: list[dict[str, str]] = []  # the dataflows being written, from the outside in

    def put(module: Any, name: str, value: Any) -> None:
        replaced.append((module, name, getattr(module, name)))
        setattr(module, name, value)

    def telling_pass(name: str, make: Callable[..., Dataflow]) -> Callable[..., Dataflow]:
        def told(before: Dataflow, *rest: Any) -> Dataflow:
            after = make(before, *rest)
            tell(Passed(name, before, after))
            return after

        return told

    def telling_rule(rule: normalize.Rule) -> normalize.Rule:
        def told(
            rewriting: Rewriting, id_: str, operator: AnyOperator, below: Sequence[View]
        ) -> View | None:
            view = rule(rewriting, id_, operator, below)
            if view is not None:
                told_by[-1][id_] = rule.__name__
            return view

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

    def rewritten(dataflow: Dataflow, *given: Any, **named: Any) -> Rewriting:
        told_by.append({})
        try:
            rewriting = write(dataflow, *given, **named)
        finally:
            by = told_by.pop()
        tell(Written(rewriting, by))
        tell(Passed("_rewritten", dataflow, rewriting.dataflow(), not named["shows_columns"]))
        return rewriting

    def placed(dataflow: Dataflow, *, shows_columns: bool) -> Any:
        normalization = place(dataflow, shows_columns=shows_columns)
        tell(Passed("normalized", dataflow, normalization.result, not shows_columns))
        return normalization

    write, place = normalize._rewritten, normalize._placed
    try:
        for name in passes():
            put(normalize, name, telling_pass(name, getattr(normalize, name)))
        put(normalize, "RULES", tuple(map(telling_rule, normalize.RULES)))
        put(normalize, "_rewritten", rewritten)
        put(normalize, "_placed", placed)
        put(cases, TRUE_ALIKE, telling_spelling(TRUE_ALIKE, getattr(cases, TRUE_ALIKE)))
        put(normal_node, "laws", tuple(map(telling_law, normal_node.laws)))
        put(normal_node, "_by_node", {})
        yield
    finally:
        for module, name, value in reversed(replaced):
            setattr(module, name, value)
