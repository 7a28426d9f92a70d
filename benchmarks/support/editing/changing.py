"""Edits that change what is asked, as in the iterations of TPC-DS and of the real dataflows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from benchmarks.support.editing.keeping import Maker
from benchmarks.support.editing.predicates import (
    KEYWORDS,
    conjuncts,
    new_predicates,
    other_constants,
)
from benchmarks.support.editing.view import Edit, View, put_after, put_before, take_out
from benchmarks.workloads.flow import Flow, Spec
from veer.ir.types import ArrayType, NumericType

CALL = re.compile(r"(sum|avg|min|max|count)\((.+)\)")
FUNCTIONS = ("sum", "avg", "min", "max", "count")
LIMITS = (3, 5, 10, 20, 50, 100)
# Stand-ins for models that somebody trained: the words that make a text related.
MODELS: Mapping[str, tuple[str, ...]] = {
    "tobacco-topic-1": ("quit", "taxes", "cheap"),
    "tobacco-topic-2": ("quit", "taxes"),
    "tobacco-topic-3": ("quit", "taxes", "cheap", "grew"),
}
WORDS = ("store", "runner", "reader", "family")  # of descriptions, for dictionaries
NAMES = ("alex", "ana", "jose", "john")


# -- filters -----------------------------------------------------------------------------------


def change_constant(view: View) -> Iterator[Edit]:
    """Another constant in a filter, or another keyword."""
    for id_ in view.of_type("filter"):
        for text in other_constants(view.spec(id_)["predicate"], view.types(id_)):
            change = partial(Flow.change, id_=id_, predicate=text)
            yield Edit(f"`{id_}`: another constant, {text}", id_, change)
    for id_ in view.of_type("keyword"):
        old = view.spec(id_)["keyword"]
        known = next((w for w, others in KEYWORDS.items() if old in (w, *others)), old)
        for word in (known, *KEYWORDS.get(known, ())):
            if word != old:
                change = partial(Flow.change, id_=id_, keyword=word)
                yield Edit(f"`{id_}`: another keyword, {word}", id_, change)


def add_filter(view: View) -> Iterator[Edit]:
    """A new condition, as an operator of its own."""
    for above, below, _ in view.flow.links:
        for name, type_ in view.types(above).items():
            for predicate in new_predicates(name, type_):
                spec: Spec = {"type": "filter", "predicate": predicate}
                new = view.fresh("only")
                change = partial(put_before, id_=new, spec=spec, above=above, below=below)
                about = f"a filter `{new}`, {predicate}, between `{above}` and `{below}`"
                yield Edit(about, below, change)


def remove_filter(view: View) -> Iterator[Edit]:
    """A filter taken out, or one of its conjuncts."""
    for id_ in view.of_type("filter"):
        yield Edit(f"`{id_}` removed", id_, partial(take_out, id_=id_))
        parts = conjuncts(view.spec(id_)["predicate"])
        for part in parts if len(parts) > 1 else ():
            rest = " AND ".join(f"({p})" for p in parts if p != part)
            if rest:
                change = partial(Flow.change, id_=id_, predicate=rest)
                yield Edit(f"`{id_}`: {part} taken away", id_, change)


# -- aggregates, sorts, limits -----------------------------------------------------------------


def change_aggregate(view: View) -> Iterator[Edit]:
    """Another aggregate function of the same column."""
    for id_ in view.of_type("aggregate"):
        calls = view.spec(id_)["calls"]
        for name, call in calls.items():
            for written in _other_calls(call):
                change = partial(Flow.change, id_=id_, calls={**calls, name: written})
                yield Edit(f"`{id_}`: {name} is {written}", id_, change)


def _other_calls(call: str) -> Iterator[str]:
    parsed = CALL.fullmatch(call)
    if parsed is not None and parsed[2] not in ("*", "1"):
        yield from (f"{f}({parsed[2]})" for f in FUNCTIONS if f != parsed[1])


def add_aggregate(view: View) -> Iterator[Edit]:
    """A further aggregate in the output."""
    for id_ in view.of_type("aggregate"):
        calls = view.spec(id_)["calls"]
        for column, type_ in view.types(view.input(id_)).items():
            if isinstance(type_, NumericType) and not column.endswith("_sk"):
                for function in ("min", "max"):
                    name = f"{function}_{column}"
                    change = partial(
                        Flow.change, id_=id_, calls={**calls, name: f"{function}({column})"}
                    )
                    if name not in view.schema(id_).names:
                        yield Edit(f"`{id_}` also gives {name}", id_, change)


def change_sort(view: View) -> Iterator[Edit]:
    """Another order: a key turned around, or another key first.

    The set of keys stays: where it decided between all rows, a limit below is still no choice.
    """
    for id_ in view.of_type("sort"):
        keys = view.spec(id_)["by"]
        for place, key in enumerate(keys):
            name, *_ = key.split()
            turned = name if " desc" in key else f"{name} desc"
            by = [*keys[:place], turned, *keys[place + 1 :]]
            yield Edit(f"`{id_}`: by {', '.join(by)}", id_, partial(Flow.change, id_=id_, by=by))
            if place:
                first = [key, *keys[:place], *keys[place + 1 :]]
                change = partial(Flow.change, id_=id_, by=first)
                yield Edit(f"`{id_}`: by {', '.join(first)}", id_, change)


def change_limit(view: View) -> Iterator[Edit]:
    """Another limit, or a first one after a sort by all columns that make groups."""
    for id_ in view.of_type("limit"):
        for count in LIMITS:
            if count != view.spec(id_)["count"]:
                change = partial(Flow.change, id_=id_, count=count)
                yield Edit(f"`{id_}`: {count} rows", id_, change)
    for id_ in view.of_type("sort"):
        groups = view.spec(view.input(id_)).get("by", [])
        keys = {key.split()[0] for key in view.spec(id_)["by"]}
        names = {g if isinstance(g, str) else g["name"] for g in groups}
        follows = [view.spec(below)["type"] for below in view.outputs(id_)]
        is_decided = view.spec(view.input(id_))["type"] == "aggregate" and names <= keys
        if is_decided and "limit" not in follows:
            new = view.fresh("top")
            for count in LIMITS:
                spec: Spec = {"type": "limit", "count": count}
                change = partial(put_after, id_=new, spec=spec, above=id_)
                yield Edit(f"a limit `{new}` of {count} rows after `{id_}`", id_, change)


# -- what is shown -----------------------------------------------------------------------------


def show_other_columns(view: View) -> Iterator[Edit]:
    """A column more in a projection, one less, or one instead of another."""
    for id_ in view.of_type("project"):
        items = view.spec(id_)["columns"]
        if not isinstance(items, list) or items == ["*"]:
            continue
        there = set(view.schema(id_).names)
        types = view.types(view.input(id_))
        new = [n for n, t in types.items() if n not in there and not isinstance(t, ArrayType)]
        for name in new:
            yield _project(id_, [*items, name], f"also shows {name}")
        for place, item in enumerate(items):
            shown = item if isinstance(item, str) else item["name"]
            rest = [*items[:place], *items[place + 1 :]]
            if len(rest) > 1:
                yield _project(id_, rest, f"no longer shows {shown}")
            for name in new:
                instead = [*items[:place], name, *items[place + 1 :]]
                yield _project(id_, instead, f"shows {name} instead of {shown}")


def _project(id_: str, columns: list[Any], about: str) -> Edit:
    return Edit(f"`{id_}` {about}", id_, partial(Flow.change, id_=id_, columns=columns))


def change_computed(view: View) -> Iterator[Edit]:
    """Another constant inside a computed column."""
    for id_ in view.of_type("project"):
        items = view.spec(id_)["columns"]
        types = view.types(view.input(id_))
        for place, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                for text in other_constants(item["expression"], types):
                    new = [*items[:place], {**item, "expression": text}, *items[place + 1 :]]
                    yield _project(id_, new, f"computes {item['name']} as {text}")


def change_chart(view: View) -> Iterator[Edit]:
    """Another column on an axis of a chart."""
    for id_ in view.of_type("chart"):
        for axis in ("x", "y"):
            for name, type_ in view.types(view.input(id_)).items():
                if isinstance(type_, NumericType) and name != view.spec(id_)[axis]:
                    properties: dict[str, Any] = {axis: name}
                    change = partial(Flow.change, id_=id_, **properties)
                    yield Edit(f"`{id_}` shows {name} as {axis}", id_, change)


# -- functions ---------------------------------------------------------------------------------


def change_function(view: View) -> Iterator[Edit]:
    """Another model, another word of a dictionary, another constant in a function's code."""
    for id_ in view.of_type("classifier"):
        for model in MODELS:
            if model != view.spec(id_)["model"]:
                yield Edit(f"`{id_}`: {model}", id_, partial(Flow.change, id_=id_, model=model))
    for id_ in view.of_type("dictionary_matcher"):
        dictionary = view.spec(id_)["dictionary"]
        for entry, words in dictionary.items():
            if isinstance(words, list):
                for about, new in _other_words(words, WORDS):
                    change = partial(
                        Flow.change, id_=id_, dictionary={**dictionary, entry: list(new)}
                    )
                    yield Edit(f"`{id_}`: {about}", id_, change)
    for id_ in view.of_type("udf"):
        for about, code in _other_code(view.spec(id_).get("code", "")):
            yield Edit(f"`{id_}`: {about}", id_, partial(Flow.change, id_=id_, code=code))


def _other_words(words: Sequence[str], known: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """A word more or less."""
    for word in known:
        if word not in words:
            yield f"{word} added", [*words, word]
    for word in words:
        if len(words) > 1:
            yield f"{word} taken away", [w for w in words if w != word]


def _other_code(code: str) -> Iterator[tuple[str, str]]:
    """The code with a word more or less in one of its lists."""
    count = sum(isinstance(node, ast.Tuple) for node in ast.walk(ast.parse(code)))
    for number in range(count):
        words = _words(_tuples(ast.parse(code))[number])
        for about, new in _other_words(words, NAMES) if words else ():
            tree = ast.parse(code)
            _tuples(tree)[number].elts = [ast.Constant(word) for word in new]
            yield about, ast.unparse(tree) + "\n"


def _tuples(tree: ast.Module) -> list[ast.Tuple]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Tuple)]


def _words(node: ast.Tuple) -> list[str]:
    words = [e.value for e in node.elts if isinstance(e, ast.Constant)]
    return [w for w in words if isinstance(w, str)] if len(words) == len(node.elts) else []


# How often each is drawn; functions weigh most where there are any, as in the paper's dataflows.
CHANGING: dict[Maker, float] = {
    change_function: 3.5,
    show_other_columns: 2,
    change_constant: 2.5,
    add_filter: 2,
    remove_filter: 0.8,
    change_aggregate: 1.5,
    add_aggregate: 1,
    change_sort: 1,
    change_limit: 1,
    change_chart: 1,
    change_computed: 1,
}
