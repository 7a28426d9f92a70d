"""Edits that keep the results of all sinks: those of the Calcite rules the paper uses, and kin.

Each maker looks for every place where its edit is right. What makers cannot see is checked once
the edit is made, by `keeps_shapes`: nothing that goes by position may find other columns there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.support.editing.predicates import (
    columns,
    conjunction,
    conjuncts,
    equal_forms,
    renamed,
)
from benchmarks.support.editing.view import Edit, View, put_after, put_before, take_out
from benchmarks.workloads.flow import Flow, Spec
from veer.facts.needs import Need, needs
from veer.ir.ops import Sink
from veer.ir.types import StringType
from veer.verdict import TableSemantics

Maker = Callable[[View], Iterator[Edit]]


def keeps_shapes(before: View, after: View) -> bool:
    """Whether sinks and unions are given the columns they were given."""
    return before.shapes() == after.shapes()


# -- filters -----------------------------------------------------------------------------------


def write_filter_otherwise(view: View) -> Iterator[Edit]:
    """Another text of a predicate, true on the same rows."""
    for id_ in view.of_type("filter"):
        text = view.spec(id_)["predicate"]
        for about, written in equal_forms(text, view.types(id_)):
            change = partial(Flow.change, id_=id_, predicate=written)
            yield Edit(f"`{id_}`, {about}: {written}", id_, change)


def write_join_otherwise(view: View) -> Iterator[Edit]:
    """Another text of a join's condition."""
    for id_ in view.of_type("join"):
        if "on" in view.spec(id_):
            types = view.types(*view.inputs(id_))
            for about, written in equal_forms(view.spec(id_)["on"], types):
                if "implied" not in about and "NOT" not in about:
                    yield Edit(
                        f"`{id_}`, {about}: {written}",
                        id_,
                        partial(Flow.change, id_=id_, on=written),
                    )


def split_filter(view: View) -> Iterator[Edit]:
    """A conjunction as two filters."""
    for id_ in view.of_type("filter"):
        parts = conjuncts(view.spec(id_)["predicate"])
        if len(parts) < 2:
            continue
        first = {"type": "filter", "predicate": parts[0]}
        new = view.fresh("part")

        def split(flow: Flow, id_: str, first: Spec, rest: str, new: str, above: str) -> None:
            put_before(flow, new, first, above, id_)
            flow.change(id_, predicate=rest)

        change = partial(
            split, id_=id_, first=first, rest=conjunction(parts[1:]), new=new, above=view.input(id_)
        )
        yield Edit(f"`{id_}` split: {parts[0]} goes to `{new}`", id_, change)


def merge_filters(view: View) -> Iterator[Edit]:
    """Two filters in a row as one (testMergeFilter)."""
    for id_ in view.of_type("filter"):
        above = view.input(id_)
        if view.spec(above)["type"] != "filter" or view.outputs(above) != [id_]:
            continue
        both = [p for f in (above, id_) for p in conjuncts(view.spec(f)["predicate"])]

        def merge(flow: Flow, id_: str, above: str, predicate: str) -> None:
            take_out(flow, above)
            flow.change(id_, predicate=predicate)

        change = partial(merge, id_=id_, above=above, predicate=conjunction(both))
        yield Edit(f"`{above}` merged into `{id_}`", id_, change)


def push_filter(view: View) -> Iterator[Edit]:
    """A filter moved before the operator that feeds it (testPushFilterPastJoin, PastAgg)."""
    for id_ in view.of_type("filter"):
        crossed = view.input(id_)
        if view.outputs(crossed) != [id_]:
            continue
        predicate = view.spec(id_)["predicate"]
        for port, above in enumerate(view.inputs(crossed)):
            names = {after: before for before, after in view.passed(crossed, port)}
            if columns(predicate) <= set(names):
                spec = {**view.spec(id_), "predicate": renamed(predicate, names)}
                change = partial(_move_before, id_=id_, spec=spec, above=above, below=crossed)
                yield Edit(f"`{id_}` moved before `{crossed}`", id_, change)


def pull_filter(view: View) -> Iterator[Edit]:
    """A filter moved after the operator it feeds."""
    for id_ in view.of_type("filter"):
        if len(view.outputs(id_)) != 1:
            continue
        (crossed,) = view.outputs(id_)
        if isinstance(view.operator(crossed), Sink):
            continue
        predicate = view.spec(id_)["predicate"]
        names = dict(view.passed(crossed, view.inputs(crossed).index(id_)))
        if columns(predicate) <= set(names):
            spec = {**view.spec(id_), "predicate": renamed(predicate, names)}
            change = partial(_move_after, id_=id_, spec=spec, above=crossed)
            yield Edit(f"`{id_}` moved after `{crossed}`", id_, change)


def _move_before(flow: Flow, id_: str, spec: Spec, above: str, below: str) -> None:
    take_out(flow, id_)
    put_before(flow, id_, spec, above, below)


def _move_after(flow: Flow, id_: str, spec: Spec, above: str) -> None:
    take_out(flow, id_)
    put_after(flow, id_, spec, above)


# -- other operators ---------------------------------------------------------------------------


def swap_join(view: View) -> Iterator[Edit]:
    """The inputs of an inner join exchanged (testSwapJoin)."""
    for id_ in view.of_type("join"):
        names = [name for i in view.inputs(id_) for name in view.schema(i).names]
        if view.spec(id_).get("kind", "inner") == "inner" and len(set(names)) == len(names):
            yield Edit(f"inputs of `{id_}` exchanged", id_, partial(Flow.swap, id_=id_))


def insert_empty_project(view: View) -> Iterator[Edit]:
    """A projection that keeps all columns (testEmptyProject)."""
    spec: Spec = {"type": "project", "columns": ["*"]}
    for above, below, _ in view.flow.links:
        yield _inserted(view, "all", spec, above, below, "an empty projection")


def insert_needed(view: View) -> Iterator[Edit]:
    """A projection to what is needed later (testPushProjectPastFilter)."""
    wanted = {
        sink: Need(TableSemantics.ORDERED_BAG, frozenset(range(len(view.schema(sink)))))
        for sink in view.dataflow.sinks
    }
    needed = needs(view.dataflow, wanted)
    for above, below, _ in view.flow.links:
        if view.spec(below)["type"] == "project":
            continue
        names = view.schema(above).names
        kept = [name for i, name in enumerate(names) if i in needed[above].columns]
        if 0 < len(kept) < len(names) and len(set(names)) == len(names):
            spec: Spec = {"type": "project", "columns": kept}
            yield _inserted(view, "needed", spec, above, below, "a projection to what is needed")


def insert_unread_column(view: View) -> Iterator[Edit]:
    """A column computed that nobody reads."""
    extra = view.fresh("extra")
    for above, below, _ in view.flow.links:
        for name, type_ in view.types(above).items():
            text = f"upper({name})" if isinstance(type_, StringType) else f"{name} IS NULL"
            spec: Spec = {"type": "compute", "columns": {extra: text}}
            yield _inserted(view, "computed", spec, above, below, f"an unread column {text}")
            break


def insert_sort(view: View) -> Iterator[Edit]:
    """Rows sorted before an operator that does not see their order."""
    for below in view.of_type("aggregate", "sort"):
        above = view.input(below)
        names = [f.name for f in view.schema(above) if f.name in view.types(above)]
        spec: Spec = {"type": "sort", "by": names[:1]}
        yield _inserted(view, "sorted", spec, above, below, f"a sort by {names[0]}")


def _inserted(view: View, stem: str, spec: Spec, above: str, below: str, about: str) -> Edit:
    id_ = view.fresh(stem)
    change = partial(put_before, id_=id_, spec=spec, above=above, below=below)
    return Edit(f"{about}, `{id_}`, between `{above}` and `{below}`", below, change)


def remove_needless(view: View) -> Iterator[Edit]:
    """An empty projection, or a sort whose order nobody sees, taken out."""
    for id_ in view.of_type("project", "sort"):
        empty = view.spec(id_).get("columns") == ["*"]
        unseen = view.spec(id_)["type"] == "sort" and all(
            view.spec(b)["type"] in ("aggregate", "sort", "join", "union")
            for b in view.outputs(id_)
        )
        if empty or unseen:
            yield Edit(f"`{id_}` removed: it does nothing", id_, partial(take_out, id_=id_))


def write_count_otherwise(view: View) -> Iterator[Edit]:
    """`count(*)` as the count of a constant, and back."""
    for id_ in view.of_type("aggregate"):
        calls = view.spec(id_)["calls"]
        for name, call in calls.items():
            written = {"count(*)": "count(1)", "count(1)": "count(*)"}.get(call)
            if written is not None:
                change = partial(Flow.change, id_=id_, calls={**calls, name: written})
                yield Edit(f"`{id_}`: {call} written {written}", id_, change)


def write_computed_otherwise(view: View) -> Iterator[Edit]:
    """Comparisons inside a computed column written in another way."""
    for id_ in view.of_type("project"):
        items = view.spec(id_)["columns"]
        types = view.types(view.input(id_))
        if not isinstance(items, list):
            continue
        for place, item in enumerate(items):
            if not isinstance(item, dict):
                continue
            for about, written in equal_forms(item["expression"], types):
                if "implied" not in about:
                    new = [*items[:place], {**item, "expression": written}, *items[place + 1 :]]
                    change = partial(Flow.change, id_=id_, columns=new)
                    yield Edit(f"`{id_}`, {item['name']}, {about}: {written}", id_, change)


def rewrite_code(view: View) -> Iterator[Edit]:
    """A local variable of a function's code renamed."""
    for id_ in view.of_type("udf"):
        tree = ast.parse(view.spec(id_).get("code", ""))
        locals_ = sorted(
            {
                node.id
                for function in tree.body
                if isinstance(function, ast.FunctionDef)
                for node in ast.walk(function)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
        )
        for name in locals_:
            new = f"{name.rstrip('0123456789_')}_{view.number}"
            for node in ast.walk(tree):
                if isinstance(node, ast.Name) and node.id == name:
                    node.id = new
            change = partial(Flow.change, id_=id_, code=ast.unparse(tree) + "\n")
            yield Edit(f"`{id_}`: the variable {name} is called {new}", id_, change)


# How often each is drawn; the paper gives no shares of rewrites, moves of filters are its example.
KEEPING: dict[Maker, float] = {
    write_filter_otherwise: 3,
    write_join_otherwise: 0.7,
    write_computed_otherwise: 1,
    write_count_otherwise: 1,
    split_filter: 1.5,
    merge_filters: 1.5,
    push_filter: 3,
    pull_filter: 2,
    swap_join: 1.5,
    insert_empty_project: 1,
    insert_needed: 1.5,
    insert_unread_column: 1,
    insert_sort: 0.7,
    remove_needless: 1,
    rewrite_code: 4,
}
