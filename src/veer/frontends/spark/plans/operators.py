"""Logical plans as dataflows: every node exactly, or refused by name.

Columns are known by Spark's numbers (`exprId`); a signal says which number stands at which place.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from veer.errors import IllFormedError, UnsupportedError
from veer.frontends.builder import FlowBuilder
from veer.frontends.coercion import conjunction
from veer.frontends.python.purity.traits import TABLES
from veer.frontends.spark.plans.aggregates import aggregate_call, over_call
from veer.frontends.spark.plans.call_sites import site_of
from veer.frontends.spark.plans.expressions import Expressions, VisibleColumns
from veer.frontends.spark.plans.functions import python_function
from veer.frontends.spark.plans.grouping import (
    GroupPart,
    PivotedCall,
    collect_calls,
    expression_text,
    with_columns,
)
from veer.frontends.spark.plans.kinds import kind_of_tree
from veer.frontends.spark.plans.opaque_identity import OpaqueIdentity
from veer.frontends.spark.plans.tree import Node, expression_of, scala_items
from veer.frontends.spark.plans.types import type_of
from veer.functions.registry import Kind, scalar_function
from veer.model.dag import Dataflow
from veer.model.digests import json_digest
from veer.model.expr import Call, Column, Compare, Expr, Literal, Named, arguments
from veer.model.ops import (
    COMPUTED,
    LOCAL,
    Aggregate,
    AnyOperator,
    Deduplicate,
    ExceptAll,
    Filter,
    GlobalAggregate,
    IntersectAll,
    Join,
    Limit,
    NamedCall,
    NamedOver,
    Over,
    Project,
    Sample,
    Sink,
    Sort,
    Source,
    TableUdf,
    Union,
    Unnest,
    Values,
)
from veer.model.schema import Field, Schema
from veer.model.traits import RowOrder
from veer.model.types import STRING, ArrayType, is_orderable

JOINS = {
    "Inner": "inner",
    "Cross": "cross",
    "LeftOuter": "left",
    "FullOuter": "full",
    "LeftSemi": "semi",
    "LeftAnti": "anti",
}
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
SESSION_WINDOW = '"spark.sessionWindow"'  # in the metadata of a column: rows of it are merged later


@final
@dataclass(frozen=True)
class PlanSignal:
    """The output of an operator; `expr_ids` are Spark's for its columns, in order."""

    id: str
    schema: Schema
    expr_ids: tuple[int, ...]

    def column(self, expr_id: int) -> Column | None:
        """The column of that number."""
        if expr_id not in self.expr_ids:
            return None
        return self.at(self.expr_ids.index(expr_id))

    def at(self, position: int) -> Column:
        """The column at a place."""
        f = self.schema.fields[position]
        return Column(f.name, f.type, self.schema.occurrence(position))


class PlanReader(FlowBuilder):
    """Reads one analyzed plan; subqueries are read by readers of their own."""

    def __init__(
        self, sources: Callable[[Node], AnyOperator], udf: Any, root: Path | None = None
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
        self._signals_by_node: dict[int, PlanSignal] = {}  # of nodes, by identity

    def result(self, plan: Node, sink: Sink) -> None:
        """Add a plan, closed by a sink."""
        self.add(sink, self.read(plan).id, id_=sink.name)

    def read(self, node: Node) -> PlanSignal:
        """The signal of a plan node."""
        around, self.site = self.site, site_of(node, self.root)
        signal = self._read(node)
        self.site = around
        self.nodes.setdefault(signal.id, (node, signal))
        self._signals_by_node[id(node)] = signal
        return signal

    def _read(self, node: Node) -> PlanSignal:
        read = NODES.get(node.kind)
        if read is not None:
            try:
                signal = read(self, node)
            except (UnsupportedError, IllFormedError):
                if not self._has_incomparable_types(node):
                    raise
                return self._opaque_node(node)
            return signal
        if node.kind in REPARTITIONING:
            return self._unordered(self.read(node.children[0]))
        if node.kind in TRANSPARENT:
            return self.read(node.children[0])
        if not node.children:
            return self._leaf(node)
        raise UnsupportedError(f"the plan node {node.kind}")

    def _add_signal(
        self, operator: AnyOperator, expr_ids: Sequence[int], *inputs: PlanSignal
    ) -> PlanSignal:
        id_ = self.add(operator, *(i.id for i in inputs))
        return PlanSignal(id_, self.schemas[id_], tuple(expr_ids))

    def _unordered(self, below: PlanSignal) -> PlanSignal:
        """The rows without the order they may come in: a union of one."""
        id_ = below.id
        while self.operators[id_].traits.order is RowOrder.KEPT:
            id_ = next(link.src for link in self.links if link.dst == id_)
        if self.operators[id_].traits.order is not RowOrder.OWN:
            return below
        return self._add_signal(Union(), below.expr_ids, below)

    def _scope(self, *inputs: PlanSignal) -> VisibleColumns:
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
        inner.result(plan, Sink("query"))
        return inner.finish()

    # -- one input -----------------------------------------------------------------------------

    def _read_project(self, node: Node) -> PlanSignal:
        return self._project(self.read(node.children[0]), node.expressions("projectList"))

    def _project(self, below: PlanSignal, columns: Sequence[Node]) -> PlanSignal:
        scope = self._scope(below)
        named = tuple(
            Named(str(c.fields["name"]), self.expressions.read(c, scope)) for c in columns
        )
        return self._add_signal(Project(named), [_expr_id(c) for c in columns], below)

    def _read_filter(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        predicate = self.expressions.condition(node.expression("condition"), self._scope(below))
        return self._add_signal(Filter(predicate), below.expr_ids, below)

    def _read_sort(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        if not node.fields["global"]:
            return self._unordered(below)  # sorted within partitions only
        scope = self._scope(below)
        keys = tuple(self.expressions.sort_key(k, scope) for k in node.expressions("order"))
        return self._add_signal(Sort(keys), below.expr_ids, below)

    def _read_limit(self, node: Node) -> PlanSignal:
        inner = node.children[0]
        count = self._count(node, "limitExpr")
        if inner.kind == "LocalLimit":
            inner = inner.children[0]
        if inner.kind == "Offset":
            below = self.read(inner.children[0])
            skipped = self._count(inner, "offsetExpr")
            return self._add_signal(Limit(count, skipped), below.expr_ids, below)
        below = self.read(inner)
        return self._add_signal(Limit(count), below.expr_ids, below)

    def _read_offset(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        return self._add_signal(Limit(None, self._count(node, "offsetExpr")), below.expr_ids, below)

    def _count(self, node: Node, name: str) -> int:
        count = self.expressions.read(
            node.expression(name), VisibleColumns(PlanSignal("", Schema(()), ()))
        )
        if not isinstance(count, Literal) or not isinstance(count.value, int):
            raise UnsupportedError(f"a {node.kind} of other than a constant")
        return count.value

    def _read_distinct(self, node: Node) -> PlanSignal:
        return self._distinct(self.read(node.children[0]))

    def _distinct(self, below: PlanSignal) -> PlanSignal:
        keys = tuple(Named(f.name, below.at(i)) for i, f in enumerate(below.schema))
        return self._add_signal(Aggregate(keys), below.expr_ids, below)

    def _read_deduplicate(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        expr_ids = [_expr_id(k) for k in node.expressions("keys")]
        if set(expr_ids) == set(below.expr_ids):
            return self._distinct(below)
        keys = tuple(c for n in expr_ids if (c := below.column(n)) is not None)
        if len(keys) != len(expr_ids):
            raise UnsupportedError("dropDuplicates of a column that is not there")
        if not all(is_orderable(k.type) for k in keys):
            raise UnsupportedError("dropDuplicates of values that cannot be compared")
        return self._add_signal(Deduplicate(keys), below.expr_ids, below)

    def _read_sample(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        if node.fields["lowerBound"] != 0.0:
            bounds = " ".join(str(node.fields.get(n)) for n in ("lowerBound", "upperBound", "seed"))
            split = TableUdf(f"split {bounds}", below.schema.fields, deterministic=False)
            return self._add_signal(split, below.expr_ids, below)
        fraction, seed = float(node.fields["upperBound"]), node.fields.get("seed")
        sample = Sample(
            fraction, None if seed is None else int(seed), bool(node.fields["withReplacement"])
        )
        return self._add_signal(sample, below.expr_ids, below)

    def _read_aggregate(self, node: Node) -> PlanSignal:
        """Keys and calls first, then what is computed from them."""
        below = self.read(node.children[0])
        if SESSION_WINDOW in str(node.jvm.child().schema().json()):
            raise UnsupportedError("session_window, which joins windows that overlap")
        scope = self._scope(below)
        groups = node.expressions("groupingExpressions")
        outputs = node.expressions("aggregateExpressions")
        keys: dict[str, Expr] = {
            expression_text(g): self.expressions.read(g, scope) for g in groups
        }
        calls: dict[GroupPart, Any] = {}
        try:
            for output in outputs:
                collect_calls(
                    output, keys, calls, lambda n: aggregate_call(self.expressions, n, scope)
                )
        except (UnsupportedError, IllFormedError):
            return self._opaque_table(
                node, [below], [*groups, *outputs], outputs, deterministic=False
            )
        named = tuple(Named(f"_key{i}", k) for i, k in enumerate(keys.values()))
        named_calls = tuple(NamedCall(f"_call{i}", c) for i, c in enumerate(calls.values()))
        operator = Aggregate(named, named_calls) if groups else GlobalAggregate(named_calls)
        if not groups and not named_calls:
            raise UnsupportedError("an aggregate without keys and calls")
        # Ids of their own for keys and calls; Spark's are never negative.
        grouped = self._add_signal(operator, [-1 - i for i in range(len(keys) + len(calls))], below)
        positions: dict[GroupPart, int] = {part: i for i, part in enumerate((*keys, *calls))}
        columns = tuple(
            Named(str(o.fields["name"]), self._over_groups(o, positions, grouped)) for o in outputs
        )
        return self._add_signal(Project(columns), [_expr_id(o) for o in outputs], grouped)

    def _over_groups(
        self, node: Node, positions: Mapping[GroupPart, int], grouped: PlanSignal
    ) -> Expr:
        """An output of an aggregate over its keys and calls."""
        text = expression_text(node)
        position = positions.get(text)
        if position is not None:
            return grouped.at(position)
        pivoted = [
            grouped.at(i)
            for call, i in positions.items()
            if isinstance(call, PivotedCall) and call.text == text
        ]
        if pivoted:
            return Call("array", tuple(pivoted), ArrayType(pivoted[0].type))
        replaced = with_columns(node, positions, grouped)
        return self.expressions.read(replaced, self._scope(grouped))

    def _read_window(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        scope = self._scope(below)
        columns = node.expressions("windowExpressions")
        calls = []
        for column in columns:
            if column.kind != "Alias" or column.children[0].kind != "WindowExpression":
                raise UnsupportedError("a window function inside of an expression")
            call = over_call(self.expressions, column.children[0], scope)
            calls.append(NamedOver(str(column.fields["name"]), call))
        expr_ids = (*below.expr_ids, *(_expr_id(c) for c in columns))
        return self._add_signal(Over(tuple(calls)), expr_ids, below)

    def _read_generate(self, node: Node) -> PlanSignal:
        below = self.read(node.children[0])
        generator = node.expression("generator")
        if generator.kind == "Stack":
            return self._stacked(node, generator, below)
        kinds = {"Explode": (False, False), "PosExplode": (True, False), "Inline": (False, True)}
        if generator.kind not in kinds:
            generated = node.expressions("generatorOutput")
            kept = [expression_of(a) for a in scala_items(node.jvm.child().output())]
            deterministic = kind_of_tree(generator) is Kind.PURE
            return self._opaque_table(
                node, [below], [generator], [*kept, *generated], deterministic
            )
        position, inline = kinds[generator.kind]
        arg = self.expressions.read(generator.children[0], self._scope(below))
        outputs = node.expressions("generatorOutput")
        names = tuple(str(o.fields["name"]) for o in outputs)
        return self._unnested(
            node, below, Unnest(arg, names, bool(node.fields["outer"]), position, inline)
        )

    def _stacked(self, node: Node, generator: Node, below: PlanSignal) -> PlanSignal:
        """`stack(n, ...)`: n rows made of the arguments, one after the other."""
        scope = self._scope(below)
        first, *cells = (self.expressions.read(c, scope) for c in generator.children)
        outputs = node.expressions("generatorOutput")
        if not isinstance(first, Literal) or not isinstance(first.value, int):
            raise UnsupportedError("a stack of other than a constant number of rows")
        names = tuple(str(o.fields["name"]) for o in outputs)
        if len(cells) != first.value * len(names) or len(set(names)) < len(names):
            raise UnsupportedError("a stack whose last row is not full")
        rows = []
        for start in range(0, len(cells), len(names)):
            inner: list[Expr] = []
            for name, cell in zip(names, cells[start : start + len(names)], strict=True):
                inner += [Literal(name, STRING), cell]
            rows.append(_function("named_struct", inner))
        return self._unnested(
            node,
            below,
            Unnest(_function("array", rows), names, bool(node.fields["outer"]), False, True),
        )

    def _unnested(self, node: Node, below: PlanSignal, unnest: Unnest) -> PlanSignal:
        outputs = node.expressions("generatorOutput")
        unnested = self._add_signal(unnest, (*below.expr_ids, *map(_expr_id, outputs)), below)
        dropped = {below.expr_ids[i] for i in node.fields.get("unrequiredChildIndex") or ()}
        if not dropped:
            return unnested
        kept = [i for i, n in enumerate(unnested.expr_ids) if n not in dropped]
        columns = tuple(Named(unnested.schema.names[i], unnested.at(i)) for i in kept)
        return self._add_signal(Project(columns), [unnested.expr_ids[i] for i in kept], unnested)

    def _has_incomparable_types(self, node: Node) -> bool:
        """Whether a node has to do with columns that Veer cannot compare, all its inputs being read."""
        inputs = [self._signals_by_node.get(id(child)) for child in node.children]
        produced = (
            type_of(json.loads(o.dataType().json())) for o in scala_items(node.jvm.output())
        )
        types = [*produced, *(t for i in inputs if i is not None for t in i.schema.types)]
        return all(i is not None for i in inputs) and not all(map(is_orderable, types))

    def _opaque_node(self, node: Node) -> PlanSignal:
        """An operator over columns that Veer cannot compare: some function of its inputs."""
        inputs = [self._signals_by_node[id(child)] for child in node.children]
        expressions = [expression_of(e) for e in scala_items(node.jvm.expressions())]
        outputs = [expression_of(a) for a in scala_items(node.jvm.output())]
        return self._opaque_table(node, inputs, expressions, outputs, deterministic=False)

    def _opaque_table(
        self,
        node: Node,
        inputs: Sequence[PlanSignal],
        expressions: Sequence[Node],
        outputs: Sequence[Node],
        deterministic: bool,
    ) -> PlanSignal:
        """An operator known by what it says of itself; what it reads, by place."""
        positions = {n: i for i, n in enumerate(n for signal in inputs for n in signal.expr_ids)}

        def position_of(read: Node) -> int:
            expr_id = _expr_id(read)
            if expr_id not in positions:
                raise UnsupportedError(f"column {read.fields['name']!r} comes from nowhere")
            return positions[expr_id]

        texts = [OpaqueIdentity(position_of).text(n) for n in expressions]
        flags: dict[str, Any] = {k: v for k, v in node.fields.items() if isinstance(v, bool)}
        if "joinType" in node.fields:
            flags["joinType"] = node.object_name("joinType")
        names = [str(o.fields["name"]) for o in outputs]
        identity = f"spark {node.kind} {json_digest([texts, flags, names], 16)}"
        types = [type_of(json.loads(o.jvm.dataType().json())) for o in outputs]
        fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
        udf = TableUdf(identity, fields, "table", (), deterministic, node.kind)
        return self._add_signal(udf, _expr_ids(outputs), *inputs)

    # -- Python functions of tables ------------------------------------------------------------

    def _table_function(self, node: Node, scope: str) -> PlanSignal:
        """A function of batches, groups or whole tables, known by its code."""
        inputs = [self.read(child) for child in node.children]
        function = node.expression("functionExpr")
        _, identity = python_function(function.jvm.func(), TABLES)
        # What keeps state between groups is never the same choice twice.
        keeps = identity.kind is Kind.PARTITION
        identity_parts = [
            uuid.uuid4().hex if keeps else identity.digest,
            function.fields["evalType"],
        ]
        keys: tuple[Column, ...] = ()
        if scope == "group":
            expr_ids = [_expr_id(g) for g in node.expressions("groupingAttributes")]
            keys = tuple(c for n in expr_ids if (c := inputs[0].column(n)) is not None)
            if len(keys) != len(expr_ids) or not keys:
                raise UnsupportedError("a function of groups by expressions")
        elif scope == "table":
            identity_parts += [node.fields["leftGroupingLen"], node.fields["rightGroupingLen"]]
            identity_parts += [i.schema.names for i in inputs]
        deterministic = identity.kind is Kind.PURE and bool(function.fields["udfDeterministic"])
        outputs = node.expressions("output")
        fields = tuple(Field(str(o.fields["name"]), type_of(o.fields["dataType"])) for o in outputs)
        text = f"python {function.fields['name']} {json.dumps(identity_parts, default=str)}"
        operator = TableUdf(text, fields, scope, keys, deterministic)
        return self._add_signal(operator, _expr_ids(outputs), *inputs)

    def _read_expand(self, node: Node) -> PlanSignal:
        """Grouping sets: the rows once for each list of columns."""
        below = self.read(node.children[0])
        scope = self._scope(below)
        outputs = node.expressions("output")
        branches = []
        rows = node.jvm.projections()
        for row in (rows.apply(i) for i in range(rows.size())):
            columns = [expression_of(row.apply(i)) for i in range(row.size())]
            named = tuple(
                Named(
                    str(o.fields["name"]),
                    _null_of_type(self.expressions.read(c, scope), type_of(o.fields["dataType"])),
                )
                for o, c in zip(outputs, columns, strict=True)
            )
            branches.append(self._add_signal(Project(named), [], below))
        return self._add_signal(Union(), [_expr_id(o) for o in outputs], *branches)

    # -- several inputs ------------------------------------------------------------------------

    def _read_join(self, node: Node) -> PlanSignal:
        left, right = (self.read(child) for child in node.children)
        kind = node.object_name("joinType")
        condition = node.optional("condition")
        if kind == "RightOuter":
            return self._right_join(left, right, condition)
        if kind not in JOINS:
            raise UnsupportedError(f"a {kind or 'strange'} join")
        predicate = None
        if condition is not None:
            predicate = self.expressions.condition(condition, self._scope(left, right))
        name = JOINS[kind]
        if name in ("inner", "cross"):
            name = "cross" if predicate is None else "inner"
        expr_ids = left.expr_ids if name in ("semi", "anti") else left.expr_ids + right.expr_ids
        return self._add_signal(Join(name, predicate), expr_ids, left, right)

    def _right_join(
        self, left: PlanSignal, right: PlanSignal, condition: Node | None
    ) -> PlanSignal:
        """A left join the other way round, its columns put back in order."""
        predicate = None
        if condition is not None:
            predicate = self.expressions.condition(condition, self._scope(right, left))
        turned = self._add_signal(
            Join("left", predicate), right.expr_ids + left.expr_ids, right, left
        )
        positions = [turned.expr_ids.index(n) for n in left.expr_ids + right.expr_ids]
        columns = tuple(Named(turned.schema.names[i], turned.at(i)) for i in positions)
        return self._add_signal(Project(columns), left.expr_ids + right.expr_ids, turned)

    def _read_union(self, node: Node) -> PlanSignal:
        inputs = [self.read(child) for child in node.children]
        if node.fields.get("byName"):
            raise UnsupportedError("a union by name that is not resolved")
        return self._add_signal(Union(), inputs[0].expr_ids, *inputs)

    def _read_intersect(self, node: Node) -> PlanSignal:
        return self._set_operation(node, IntersectAll(), "semi")

    def _read_except(self, node: Node) -> PlanSignal:
        return self._set_operation(node, ExceptAll(), "anti")

    def _set_operation(self, node: Node, operator: AnyOperator, kind: str) -> PlanSignal:
        left, right = (self.read(child) for child in node.children)
        if node.fields["isAll"]:
            return self._add_signal(operator, left.expr_ids, left, right)
        both = Schema((*left.schema, *right.schema))
        width = len(left.schema)
        columns = [Column(f.name, f.type, both.occurrence(i)) for i, f in enumerate(both)]
        same = [Compare("<=>", columns[i], columns[i + width]) for i in range(width)]
        return self._distinct(
            self._add_signal(Join(kind, conjunction(same)), left.expr_ids, left, right)
        )

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
        expr_ids = tuple(_expr_id(o) for o in node.expressions("output"))
        return PlanSignal(definition.id, definition.schema, expr_ids)

    def _read_view(self, node: Node) -> PlanSignal:
        """A view shows what its query gives, perhaps cast to its declared columns."""
        return self.read(node.children[0])

    # -- leaves --------------------------------------------------------------------------------

    def _read_one_row(self, node: Node) -> PlanSignal:
        return self._add_signal(Values((), ((),)), [])

    def _read_range(self, node: Node) -> PlanSignal:
        start, end, step = (int(node.fields[n]) for n in ("start", "end", "step"))
        output = node.expressions("output")
        fields = tuple(Field(str(o.fields["name"]), type_of("long"), False) for o in output)
        rows = tuple((n,) for n in range(start, end, step)[: MOST_VALUES + 1])
        if len(rows) > MOST_VALUES:
            rows_given = Source(f"range({start}, {end}, {step})", fields, format=LOCAL)
            return self._add_signal(rows_given, _expr_ids(output))
        return self._add_signal(Values(fields, rows), _expr_ids(output))

    def _leaf(self, node: Node) -> PlanSignal:
        source = self.source(node)
        signal = self._add_signal(source, _expr_ids(node.expressions("output")))
        if isinstance(source, Source) and source.format == COMPUTED:
            computed = TableUdf(source.table, source.fields, deterministic=False, kind="RDD")
            return self._add_signal(computed, signal.expr_ids, signal)
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
    "Aggregate": PlanReader._read_aggregate,
    "Expand": PlanReader._read_expand,
    "Window": PlanReader._read_window,
    "Generate": PlanReader._read_generate,
    "Join": PlanReader._read_join,
    "Union": PlanReader._read_union,
    "Intersect": PlanReader._read_intersect,
    "Except": PlanReader._read_except,
    "WithCTE": PlanReader._read_with,
    "CTERelationRef": PlanReader._read_with_reference,
    "View": PlanReader._read_view,
    "OneRowRelation": PlanReader._read_one_row,
    "Range": PlanReader._read_range,
    "MapInPandas": lambda reader, node: reader._table_function(node, "batch"),
    "MapInArrow": lambda reader, node: reader._table_function(node, "batch"),
    "PythonMapInArrow": lambda reader, node: reader._table_function(node, "batch"),
    "FlatMapGroupsInPandas": lambda reader, node: reader._table_function(node, "group"),
    "FlatMapGroupsInArrow": lambda reader, node: reader._table_function(node, "group"),
    "FlatMapCoGroupsInPandas": lambda reader, node: reader._table_function(node, "table"),
    "FlatMapCoGroupsInArrow": lambda reader, node: reader._table_function(node, "table"),
}


def fields_of(node: Node) -> tuple[Field, ...]:
    """The columns a leaf gives."""
    return tuple(
        Field(str(o.fields["name"]), type_of(o.fields["dataType"]), bool(o.fields["nullable"]))
        for o in node.expressions("output")
    )


def _expr_id(node: Node) -> int:
    return int(node.fields["exprId"]["id"])


def _expr_ids(nodes: Sequence[Node]) -> list[int]:
    return [_expr_id(n) for n in nodes]


def _function(name: str, args: Sequence[Expr]) -> Expr:
    """A function of the registry applied to what needs no cast."""
    signature = scalar_function(name).resolve(arguments(tuple(args)))
    if signature.arguments != tuple(a.type for a in args):
        raise UnsupportedError(f"{name} of values of several types")
    return Call(name, tuple(args), signature.result)


def _null_of_type(expr: Expr, type_: Any) -> Expr:
    """A null of a grouping set has the type of its column."""
    if isinstance(expr, Literal) and expr.value is None:
        return Literal(None, type_)
    return expr
