"""Logical plans as dataflows: every node exactly, or refused by name.

Columns are known by Spark's numbers (`exprId`); a signal says which number stands at which place.
`NODES` says how each node is read; those of some size are in `grouping`, `generators`, `joins` and
`opaque_tables`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from veer.errors import IllFormedError, UnsupportedError
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.ops import Aggregate, Deduplicate, Filter, Project, Sample, Sort
from veer.ir.schema import Field, Schema
from veer.ir.types import is_orderable
from veer.read.builder import FlowBuilder
from veer.read.pyspark.plans.aggregates import over_call
from veer.read.pyspark.plans.call_sites import site_of
from veer.read.pyspark.plans.expressions import Expressions, VisibleColumns
from veer.read.pyspark.plans.generators import read_generate
from veer.read.pyspark.plans.grouping import expression_text, read_aggregate, read_expand
from veer.read.pyspark.plans.joins import read_except, read_intersect, read_join, read_union
from veer.read.pyspark.plans.opaque_tables import (
    has_incomparable_types,
    opaque_node,
    table_function,
)
from veer.read.pyspark.plans.signals import PlanSignal, expr_id, expr_ids_of
from veer.read.pyspark.plans.tree import Node, expression_of, plan_of, scala_items
from veer.read.pyspark.plans.types import type_of
from veer.settings import SPARK_4_0, current

# -- window functions of plans, and groups limited to their first rows by the optimizer ----------

GROUP_LIMIT = "WindowGroupLimit"
RANKS = frozenset({"Rank", "DenseRank", "RowNumber"})


def read_window(reader: PlanReader, node: Node) -> PlanSignal:
    """Window functions over all rows; over the first rows of each group, see `_first_of_groups`."""
    (child,) = node.children
    if child.kind == GROUP_LIMIT:
        return _first_of_groups(reader, node, child)
    return _over(reader, node.expressions("windowExpressions"), reader.read(child))


def _over(reader: PlanReader, columns: Sequence[Node], below: PlanSignal) -> PlanSignal:
    scope = reader.scope(below)
    calls = []
    for column in columns:
        if column.kind != "Alias" or column.children[0].kind != "WindowExpression":
            raise UnsupportedError("a window function inside of an expression")
        call = over_call(reader.expressions, column.children[0], scope)
        calls.append(ops.NamedOver(str(column.fields["name"]), call))
    expr_ids = (*below.expr_ids, *(expr_id(c) for c in columns))
    return reader.add_signal(ops.Over(tuple(calls)), expr_ids, below)


def _first_of_groups(reader: PlanReader, node: Node, limit: Node) -> PlanSignal:
    """Ranks of the rows whose rank is not above a number: a filter above the window functions.

    The rows that are kept come before all others of their group, so they have the ranks that they
    have among all rows; of other functions that is not so.
    """
    columns = node.expressions("windowExpressions")
    kinds = [c.children[0].children[0].kind if c.children else "" for c in columns]
    wanted = limit.expression("rankLikeFunction").kind
    if not RANKS.issuperset(kinds) or wanted not in kinds or _order(node) != _order(limit):
        raise UnsupportedError("window functions over the first rows of groups")
    every = _over(reader, columns, reader.read(limit.children[0]))
    rank = every.at(len(every.schema) - len(columns) + kinds.index(wanted))
    most = ex.Literal(int(limit.fields["limit"]), rank.type)
    return reader.add_signal(ops.Filter(ex.Compare("<=", rank, most)), every.expr_ids, every)


def _order(node: Node) -> list[list[str]]:
    """What makes the groups and what orders them."""
    specs = [node.expressions(name) for name in ("partitionSpec", "orderSpec")]
    return [[expression_text(n) for n in spec] for spec in specs]


# Nodes that change nothing of their only child.
TRANSPARENT = frozenset(
    {
        "SubqueryAlias",
        "ResolvedHint",
        "UnresolvedHint",
        "CollectMetrics",
        "EventTimeWatermark",
    }
)
# Nodes that spread rows anew, which leaves no order among them.
REPARTITIONING = frozenset({"Repartition", "RepartitionByExpression", "RebalancePartitions"})
MOST_VALUES = 1_000


class PlanReader(FlowBuilder):
    """Reads one analyzed plan; subqueries are read by readers of their own."""

    def __init__(
        self, sources: Callable[[Node], ops.AnyOperator], udf: Any, root: Path | None = None
    ) -> None:
        super().__init__()
        self.source = sources
        self.root = root
        self.udf = udf
        self.expressions = Expressions(self._subquery, udf)
        self.definitions: dict[int, Node] = {}  # of common table expressions
        self.ctes: dict[int, PlanSignal] = {}
        self.outer: VisibleColumns | None = None
        self.nodes: dict[str, tuple[Node, PlanSignal]] = {}  # where in the plan a signal comes from
        self.signals_by_node: dict[int, PlanSignal] = {}  # of nodes, by identity

    def result(self, plan: Node, sink: ops.Sink) -> None:
        """Add a plan, closed by a sink."""
        self.add(sink, self.read(plan).id, id_=sink.name)

    def read(self, node: Node) -> PlanSignal:
        """The signal of a plan node."""
        around, self.site = self.site, site_of(node, self.root)
        signal = self._read(node)
        self.site = around
        self.nodes.setdefault(signal.id, (node, signal))
        self.signals_by_node[id(node)] = signal
        return signal

    def _read(self, node: Node) -> PlanSignal:
        read = NODES.get(node.kind)
        if read is not None:
            try:
                signal = read(self, node)
            except (UnsupportedError, IllFormedError):
                # Over values that have no order or equality in the model (maps, variants) the
                # operator is kept as one that nothing is known of.
                if not has_incomparable_types(self, node):
                    raise
                return opaque_node(self, node)
            return signal
        if node.kind in REPARTITIONING:
            return self._unordered(self.read(node.children[0]))
        if node.kind in TRANSPARENT:
            return self.read(node.children[0])
        if not node.children:
            return self._leaf(node)
        raise UnsupportedError(f"the plan node {node.kind}")

    def add_signal(
        self, operator: ops.AnyOperator, expr_ids: Sequence[int], *inputs: PlanSignal
    ) -> PlanSignal:
        """Add an operator over signals; `expr_ids` are Spark's numbers of its columns."""
        id_ = self.add(operator, *(i.id for i in inputs))
        return PlanSignal(id_, self.schemas[id_], tuple(expr_ids))

    def _unordered(self, below: PlanSignal) -> PlanSignal:
        """The rows without the order they may come in."""
        id_ = self.unordered(below.id)
        return PlanSignal(id_, self.schemas[id_], below.expr_ids)

    def scope(self, *inputs: PlanSignal) -> VisibleColumns:
        """The columns that expressions over these inputs may read."""
        if len(inputs) == 1:
            return VisibleColumns(inputs[0], self.outer)
        schema = Schema(tuple(f for i in inputs for f in i.schema))
        return VisibleColumns(
            PlanSignal("", schema, tuple(n for i in inputs for n in i.expr_ids)), self.outer
        )

    def _subquery(self, plan: Node, scope: VisibleColumns) -> Dataflow:
        inner = PlanReader(self.source, self.udf, self.root)
        inner.outer = scope
        inner.definitions = dict(self.definitions)
        inner.result(plan, ops.Sink("query"))
        return inner.finish()

    def matches(self, plan: Node, condition: Node | None, around: PlanSignal) -> Dataflow:
        """The rows of a plan for which a condition holds that reads a row around it as well."""
        inner = PlanReader(self.source, self.udf, self.root)
        inner.definitions = dict(self.definitions)
        rows = inner.read(plan)
        inner.outer = self.scope(around)
        if condition is not None:
            scope = replace(inner.scope(rows), is_joined=True)
            predicate = inner.expressions.condition(condition, scope)
            rows = inner.add_signal(Filter(predicate), rows.expr_ids, rows)
        inner.add(ops.Sink("query"), rows.id, id_="query")
        return inner.finish()

    # -- one input -----------------------------------------------------------------------------

    def _read_project(self, node: Node) -> PlanSignal:
        return self._project(self.read(node.children[0]), node.expressions("projectList"))

    def _project(self, below: PlanSignal, columns: Sequence[Node]) -> PlanSignal:
        scope = self.scope(below)
        named = tuple(
            ex.Named(str(c.fields["name"]), self.expressions.read(c, scope)) for c in columns
        )
        return self.add_signal(Project(named), [expr_id(c) for c in columns], below)

    def _read_filter(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        predicate = self.expressions.condition(node.expression("condition"), self.scope(below))
        return self.add_signal(Filter(predicate), below.expr_ids, below)

    def _read_sort(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        if not node.fields["global"]:
            return self._unordered(below)  # sorted within partitions only
        scope = self.scope(below)
        keys = tuple(self.expressions.sort_key(k, scope) for k in node.expressions("order"))
        return self.add_signal(Sort(keys), below.expr_ids, below)

    def _read_limit(self, node: Node) -> PlanSignal:
        inner = node.children[0]
        count = self._count(node, "limitExpr")
        # LIMIT is a GlobalLimit over a LocalLimit, which cuts each partition as short.
        if inner.kind == "LocalLimit":
            inner = inner.children[0]
        if inner.kind == "Offset":
            below = self.read(inner.children[0])
            skipped = self._count(inner, "offsetExpr")
            return self.add_signal(ops.Limit(count, skipped), below.expr_ids, below)
        below = self.read(inner)
        return self.add_signal(ops.Limit(count), below.expr_ids, below)

    def _read_offset(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        return self.add_signal(
            ops.Limit(None, self._count(node, "offsetExpr")), below.expr_ids, below
        )

    def _count(self, node: Node, name: str) -> int:
        count = self.expressions.read(
            node.expression(name), VisibleColumns(PlanSignal("", Schema(()), ()))
        )
        if not isinstance(count, ex.Literal) or not isinstance(count.value, int):
            raise UnsupportedError(f"a {node.kind} with an argument that is not a constant")
        return count.value

    def _read_distinct(self, node: Node) -> PlanSignal:
        return self.distinct(self.read(node.children[0]))

    def distinct(self, below: PlanSignal) -> PlanSignal:
        """Each row once: grouped by all columns, where nulls are equal."""
        keys = tuple(ex.Named(f.name, below.at(i)) for i, f in enumerate(below.schema))
        return self.add_signal(Aggregate(keys), below.expr_ids, below)

    def _read_deduplicate(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        expr_ids = [expr_id(k) for k in node.expressions("keys")]
        # By all columns it is DISTINCT; by some, any row of each group may stay.
        if set(expr_ids) == set(below.expr_ids):
            return self.distinct(below)
        keys = tuple(c for n in expr_ids if (c := below.column(n)) is not None)
        if len(keys) != len(expr_ids):
            raise UnsupportedError("dropDuplicates of a column that does not exist")
        if not all(is_orderable(k.type) for k in keys):
            raise UnsupportedError("dropDuplicates of values that cannot be compared")
        return self.add_signal(Deduplicate(keys), below.expr_ids, below)

    def _read_sample(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        # `randomSplit` samples ranges of the same random numbers after a sort within partitions: a
        # part of a split is no sample by itself.
        if node.fields["lowerBound"] != 0.0:
            bounds = " ".join(str(node.fields.get(n)) for n in ("lowerBound", "upperBound", "seed"))
            split = ops.TableUdf(f"split {bounds}", below.schema.fields, deterministic=False)
            return self.add_signal(split, below.expr_ids, below)
        fraction, seed = float(node.fields["upperBound"]), node.fields.get("seed")
        sample = Sample(
            fraction, None if seed is None else int(seed), bool(node.fields["withReplacement"])
        )
        return self.add_signal(sample, below.expr_ids, below)

    def _read_python_columns(self, node: Node) -> PlanSignal:
        """Python functions that the optimizer took out of expressions: columns of their own."""
        below = self.read(node.children[0])
        scope = self.scope(below)
        results = node.expressions("resultAttrs")
        columns = [ex.Named(f.name, below.at(i)) for i, f in enumerate(below.schema)]
        for result, function in zip(results, node.expressions("udfs"), strict=True):
            columns.append(
                ex.Named(str(result.fields["name"]), self.expressions.read(function, scope))
            )
        expr_ids = (*below.expr_ids, *expr_ids_of(results))
        return self.add_signal(Project(tuple(columns)), expr_ids, below)

    # -- common table expressions --------------------------------------------------------------

    def _read_with(self, node: Node) -> PlanSignal:
        *definitions, plan = node.children
        for definition in definitions:
            self.definitions[int(definition.fields["id"])] = definition
        return self.read(plan)

    def _read_with_reference(self, node: Node) -> PlanSignal:
        number = int(node.fields["cteId"])
        if number not in self.definitions or node.fields.get("recursive"):
            raise UnsupportedError("a recursive common table expression")
        definition = self.ctes.get(number) or self.read(self.definitions[number].children[0])
        # Spark evaluates a definition that is random once, any other anew for each use: there each
        # use makes its own choice.
        if self.is_random(definition.id) or not self.makes_a_choice(definition.id):
            self.ctes[number] = definition
        expr_ids = tuple(expr_id(o) for o in node.expressions("output"))
        return PlanSignal(definition.id, definition.schema, expr_ids)

    def _read_view(self, node: Node) -> PlanSignal:
        """A view shows what its query gives, perhaps cast to its declared columns."""
        return self.read(node.children[0])

    def _read_cached(self, node: Node) -> PlanSignal:
        """What is cached gives the rows of its plan."""
        if current().spark < SPARK_4_0:
            raise UnsupportedError("cached rows: Spark shows their plan only since 4.0")
        plan = self.read(plan_of(node.jvm.cacheBuilder().logicalPlan()))
        outputs = [expression_of(a) for a in scala_items(node.jvm.output())]
        types = tuple(type_of(json.loads(o.jvm.dataType().json())) for o in outputs)
        if types != plan.schema.types:
            raise UnsupportedError("cached rows of other columns")
        return PlanSignal(plan.id, plan.schema, tuple(expr_ids_of(outputs)))

    # -- leaves --------------------------------------------------------------------------------

    def _read_one_row(self, node: Node) -> PlanSignal:
        return self.add_signal(ops.Values((), ((),)), [])

    def _read_range(self, node: Node) -> PlanSignal:
        start, end, step = (int(node.fields[n]) for n in ("start", "end", "step"))
        output = node.expressions("output")
        fields = tuple(Field(str(o.fields["name"]), type_of("long"), False) for o in output)
        # A short range is its rows, a long one a table known by its bounds.
        rows = tuple((n,) for n in range(start, end, step)[: MOST_VALUES + 1])
        if len(rows) > MOST_VALUES:
            rows_given = ops.Source(f"range({start}, {end}, {step})", fields, format=ops.LOCAL)
            return self.add_signal(rows_given, expr_ids_of(output))
        return self.add_signal(ops.Values(fields, rows), expr_ids_of(output))

    def _leaf(self, node: Node) -> PlanSignal:
        source = self.source(node)
        signal = self.add_signal(source, expr_ids_of(node.expressions("output")))
        # What an RDD computes may differ each time that it is used.
        if isinstance(source, ops.Source) and source.format == ops.COMPUTED:
            computed = ops.TableUdf(source.table, source.fields, deterministic=False, kind="RDD")
            return self.add_signal(computed, signal.expr_ids, signal)
        return signal


# How each node of a plan is read, by the name of its class in Spark.
NODES: dict[str, Callable[[PlanReader, Node], PlanSignal]] = {
    "Project": PlanReader._read_project,
    "Filter": PlanReader._read_filter,
    "Sort": PlanReader._read_sort,
    "GlobalLimit": PlanReader._read_limit,
    "Offset": PlanReader._read_offset,
    "Distinct": PlanReader._read_distinct,
    "Deduplicate": PlanReader._read_deduplicate,
    "Sample": PlanReader._read_sample,
    "Aggregate": read_aggregate,
    "Expand": read_expand,
    "Window": read_window,
    "Generate": read_generate,
    "Join": read_join,
    "Union": read_union,
    "Intersect": read_intersect,
    "Except": read_except,
    "WithCTE": PlanReader._read_with,
    "CTERelationRef": PlanReader._read_with_reference,
    "View": PlanReader._read_view,
    "OneRowRelation": PlanReader._read_one_row,
    "Range": PlanReader._read_range,
    "InMemoryRelation": PlanReader._read_cached,
    "ArrowEvalPython": PlanReader._read_python_columns,
    "BatchEvalPython": PlanReader._read_python_columns,
    "MapInPandas": lambda reader, node: table_function(reader, node, "batch"),
    "MapInArrow": lambda reader, node: table_function(reader, node, "batch"),
    "PythonMapInArrow": lambda reader, node: table_function(reader, node, "batch"),
    "FlatMapGroupsInPandas": lambda reader, node: table_function(reader, node, "group"),
    "FlatMapGroupsInArrow": lambda reader, node: table_function(reader, node, "group"),
    "FlatMapCoGroupsInPandas": lambda reader, node: table_function(reader, node, "table"),
    "FlatMapCoGroupsInArrow": lambda reader, node: table_function(reader, node, "table"),
}
