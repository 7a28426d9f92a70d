"""Relations that choose, compute, rename and drop columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from veer.errors import UnsupportedError
from veer.ir.expr import Column
from veer.read.pyspark.connect.expressions import named, tree_of, trees_of
from veer.read.pyspark.connect.frames import Frame, place_of
from veer.read.pyspark.connect.messages import told
from veer.read.pyspark.connect.nodes import PlanColumn, parts_of
from veer.read.sql.embedded import At
from veer.settings import name_key, same_name

if TYPE_CHECKING:
    from veer.read.pyspark.connect.relations import RelationReader


def project(reader: RelationReader, node: Any) -> Frame:
    """`select`: the computed columns."""
    frame = reader.input(node.input) if node.HasField("input") else Frame(reader.one_row())
    trees = [t for e in node.expressions for t in _expanded(reader, frame, e)]
    return reader.selected(frame, trees)


def _expanded(reader: RelationReader, frame: Frame, expression: Any) -> list[exp.Expr]:
    """The columns an item stands for where that is more than one by the plan alone."""
    if expression.WhichOneof("expr_type") == "unresolved_regex":
        return [At(place=i) for i in _matching(frame, expression.unresolved_regex)]
    tree = tree_of(expression)
    if isinstance(tree, PlanColumn) and tree.names == ("*",):
        return [At(place=i) for i in _star_of_plan(reader, frame, tree.plan_id)]
    return [tree]


def _matching(frame: Frame, node: Any) -> list[int]:
    """The places of the columns whose names a pattern matches."""
    pattern = node.col_name.strip()
    if not re.fullmatch(r"`[\w.*+?|()\[\]^$!=<:,-]*`", pattern):
        raise UnsupportedError(f"the pattern of columns {pattern}")
    compiled = re.compile(pattern[1:-1], re.IGNORECASE)
    return [i for i in frame.plan.star() if compiled.fullmatch(frame.plan.columns[i].name)]


def _star_of_plan(reader: RelationReader, frame: Frame, plan_id: int) -> list[int]:
    plans = reader.tags.get(plan_id, ())
    if len(plans) != 1:
        raise UnsupportedError("all columns of a DataFrame that is not used just once")
    (tagged,) = plans
    places = [place_of(frame.plan, tagged.columns[i].number) for i in tagged.star()]
    if any(place is None for place in places):
        raise UnsupportedError("all columns of a DataFrame without some of its columns")
    return [place for place in places if place is not None]


def with_columns(reader: RelationReader, node: Any) -> Frame:
    """`withColumns`: columns of the same name are replaced, others added."""
    frame = reader.input(node.input)
    new: dict[str, exp.Expr] = {}
    for alias in node.aliases:
        if len(alias.name) != 1:
            raise UnsupportedError("withColumn with several names")
        new[alias.name[0]] = named(tree_of(alias.expr), alias.name[0])
    if len({name_key(n) for n in new}) < len(node.aliases):
        raise UnsupportedError("withColumns with one name twice")
    by_key = {name_key(n): t for n, t in new.items()}
    names = [name_key(frame.plan.columns[i].name) for i in frame.plan.star()]
    trees = [
        by_key[name].copy() if name in by_key else At(place=i)
        for name, i in zip(names, frame.plan.star(), strict=True)
    ]
    trees += [tree for name, tree in by_key.items() if name not in names]
    return reader.selected(frame, trees)


def rename(reader: RelationReader, node: Any) -> Frame:
    """`withColumnsRenamed`: one renaming after the other."""
    frame = reader.input(node.input)
    renames = [(r.col_name, r.new_col_name) for r in told(node, "renames") or ()]
    renames = renames or _renames_in_any_order(node.rename_columns_map)
    places = frame.plan.star()
    names = [frame.plan.columns[i].name for i in places]
    for old, new in renames:
        names = [new if same_name(name, old) else name for name in names]
    return reader.selected(frame, _named_places(frame, places, names))


def _renames_in_any_order(renames: Mapping[str, str]) -> list[tuple[str, str]]:
    """Renames of the protocol before Spark 4.0, which has no order for them."""
    given = {new.lower() for old, new in renames.items() if old.lower() != new.lower()}
    old_names = [old.lower() for old in renames]
    if len({*old_names}) < len(old_names) or given & {*old_names}:
        raise UnsupportedError(
            "withColumnsRenamed with names that depend on each other, before Spark 4.0"
        )
    return list(renames.items())


def to_df(reader: RelationReader, node: Any) -> Frame:
    """`toDF`: other names for all columns."""
    frame = reader.input(node.input)
    places, names = frame.plan.star(), list(node.column_names)
    if len(names) != len(places):
        raise UnsupportedError(f"toDF with {len(names)} names for {len(places)} columns")
    return reader.selected(frame, _named_places(frame, places, names))


def drop(reader: RelationReader, node: Any) -> Frame:
    """`drop`: by name all that have it, by column just that one; what is not there stays so."""
    frame = reader.input(node.input)
    gone = {name_key(name) for name in node.column_names}
    dropped: set[int] = set()
    for tree in trees_of(node.columns):
        dropped |= _dropped(reader, frame, tree)
    kept = [
        At(place=i)
        for i in frame.plan.star()
        if i not in dropped and name_key(frame.plan.columns[i].name) not in gone
    ]
    if not kept:
        raise UnsupportedError("a DataFrame without columns")
    return reader.selected(frame, kept)


def _dropped(reader: RelationReader, frame: Frame, tree: exp.Expr) -> set[int]:
    """The places of a column that is dropped by what it is; of one that is not there, none."""
    if isinstance(tree, PlanColumn):
        expr = reader.of_plan(reader.tags, frame.plan, tree.plan_id, tree.names)
    elif isinstance(tree, exp.Column):
        expr = frame.plan.find(parts_of(tree))
    else:
        raise UnsupportedError("drop of something that is not a column")
    if expr is None:
        return set()
    if not isinstance(expr, Column):
        raise UnsupportedError("drop of a field")
    return {frame.plan.schema.place(expr.name, expr.occurrence)}


def _named_places(frame: Frame, places: Sequence[int], names: Sequence[str]) -> list[exp.Expr]:
    """The columns at these places, those renamed under their new names."""
    return [
        At(place=i) if frame.plan.columns[i].name == name else named(At(place=i), name)
        for i, name in zip(places, names, strict=True)
    ]


RELATIONS: dict[str, Callable[[RelationReader, Any], Frame]] = {
    "project": project,
    "with_columns": with_columns,
    "with_columns_renamed": rename,
    "to_df": to_df,
    "drop": drop,
}
