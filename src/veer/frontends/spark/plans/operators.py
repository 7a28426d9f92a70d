"""Logical plans as dataflows: every node exactly, or refused by name.

Columns are known by Spark's numbers (`exprId`); a signal says which number stands at which place.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from veer.errors import IllFormedError, UnsupportedError
from veer.frontends.builder import FlowBuilder
from veer.frontends.coercion import conjunction
from veer.frontends.python.purity.traits import TABLES
from veer.frontends.spark.plans.call_sites import site_of
from veer.frontends.spark.plans.expressions import Expressions, Scope, is_aggregate
from veer.frontends.spark.plans.functions import python_function
from veer.frontends.spark.plans.kinds import kind_of_tree
from veer.frontends.spark.plans.opaque_identity import Said
from veer.frontends.spark.plans.tree import Node, each, expression_of
from veer.frontends.spark.plans.types import type_of
from veer.functions.registry import Kind, scalar_function
from veer.model.dag import Dataflow
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
PASSED = frozenset(
    {
        "SubqueryAlias",
        "ResolvedHint",
        "UnresolvedHint",
        "CollectMetrics",
        "EventTimeWatermark",
    }
)
# Nodes that spread rows anew, which leaves no order among them.
SPREADING = frozenset({"Repartition", "RepartitionByExpression", "RebalancePartitions"})
MOST_VALUES = 1_000
SESSION_WINDOW = '"spark.sessionWindow"'  # in the metadata of a column: rows of it are merged later


@final
@dataclass(frozen=True)
class Signal:
    """The output of an operator; `numbers` are Spark's for its columns, in order."""

    id: str
    schema: Schema
    numbers: tuple[int, ...]

    def column(self, number: int) -> Column | None:
        """The column of that number."""
        if number not in self.numbers:
            return None
        return self.at(self.numbers.index(number))

    def at(self, place: int) -> Column:
        """The column at a place."""
        f = self.schema.fields[place]
        return Column(f.name, f.type, self.schema.occurrence(place))


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
        self.ctes: dict[int, Signal] = {}
        self.outer: Scope | None = None
        self.nodes: dict[str, tuple[Node, Signal]] = {}  # where in the plan a signal comes from
        self._latest: dict[int, Signal] = {}  # of nodes, by identity

    def result(self, plan: Node, sink: Sink) -> None:
        """Add a plan, closed by a sink."""
        self.add(sink, self.read(plan).id, id_=sink.name)

    def read(self, node: Node) -> Signal:
        """The signal of a plan node."""
        around, self.site = self.site, site_of(node, self.root)
        found = self._read(node)
        self.site = around
        self.nodes.setdefault(found.id, (node, found))
        self._latest[id(node)] = found
        return found

    def _read(self, node: Node) -> Signal:
        reader = getattr(self, f"_read_{node.kind.lower()}", None)
        if reader is not None:
            try:
                found: Signal = reader(node)
            except (UnsupportedError, IllFormedError):
                if not self._reads_odd_types(node):
                    raise
                return self._opaque_node(node)
            return found
        if node.kind in SPREADING:
            return self._unordered(self.read(node.children[0]))
        if node.kind in PASSED:
            return self.read(node.children[0])
        if not node.children:
            return self._leaf(node)
        raise UnsupportedError(f"the plan node {node.kind}")

    def _put(self, operator: AnyOperator, numbers: Sequence[int], *inputs: Signal) -> Signal:
        id_ = self.add(operator, *(i.id for i in inputs))
        return Signal(id_, self.schemas[id_], tuple(numbers))

    def _unordered(self, below: Signal) -> Signal:
        """The rows without the order they may come in: a union of one."""
        id_ = below.id
        while self.operators[id_].traits.order is RowOrder.KEPT:
            id_ = next(link.src for link in self.links if link.dst == id_)
        if self.operators[id_].traits.order is not RowOrder.OWN:
            return below
        return self._put(Union(), below.numbers, below)

    def _scope(self, *inputs: Signal) -> Scope:
        if len(inputs) == 1:
            return Scope(inputs[0], self.outer)
        schema = Schema(tuple(f for i in inputs for f in i.schema))
        return Scope(Signal("", schema, tuple(n for i in inputs for n in i.numbers)), self.outer)

    def _subquery(self, plan: Node, scope: Scope) -> Dataflow:
        inner = PlanReader(self.source, self.udf, self.root)
        inner.outer = scope
        inner.definitions = dict(self.definitions)
        inner.result(plan, Sink("query"))
        return inner.finish()

    # -- one input -----------------------------------------------------------------------------

    def _read_project(self, node: Node) -> Signal:
        return self._project(self.read(node.children[0]), node.expressions("projectList"))

    def _project(self, below: Signal, columns: Sequence[Node]) -> Signal:
        scope = self._scope(below)
        named = tuple(
            Named(str(c.fields["name"]), self.expressions.read(c, scope)) for c in columns
        )
        return self._put(Project(named), [_number(c) for c in columns], below)

    def _read_filter(self, node: Node) -> Signal:
        below = self.read(node.children[0])
        predicate = self.expressions.condition(node.expression("condition"), self._scope(below))
        return self._put(Filter(predicate), below.numbers, below)

    def _read_sort(self, node: Node) -> Signal:
        below = self.read(node.children[0])
        if not node.fields["global"]:
            return self._unordered(below)  # sorted within partitions only
        scope = self._scope(below)
        keys = tuple(self.expressions.sort_key(k, scope) for k in node.expressions("order"))
        return self._put(Sort(keys), below.numbers, below)

    def _read_globallimit(self, node: Node) -> Signal:
        inner = node.children[0]
        count = self._count(node, "limitExpr")
        if inner.kind == "LocalLimit":
            inner = inner.children[0]
        if inner.kind == "Offset":
            below = self.read(inner.children[0])
            skipped = self._count(inner, "offsetExpr")
            return self._put(Limit(count, skipped), below.numbers, below)
        below = self.read(inner)
        return self._put(Limit(count), below.numbers, below)

    def _read_offset(self, node: Node) -> Signal:
        below = self.read(node.children[0])
        return self._put(Limit(None, self._count(node, "offsetExpr")), below.numbers, below)

    def _count(self, node: Node, name: str) -> int:
        found = self.expressions.read(node.expression(name), Scope(Signal("", Schema(()), ())))
        if not isinstance(found, Literal) or not isinstance(found.value, int):
            raise UnsupportedError(f"a {node.kind} of other than a constant")
        return found.value

    def _read_distinct(self, node: Node) -> Signal:
        return self._distinct(self.read(node.children[0]))

    def _distinct(self, below: Signal) -> Signal:
        keys = tuple(Named(f.name, below.at(i)) for i, f in enumerate(below.schema))
        return self._put(Aggregate(keys), below.numbers, below)

    def _read_deduplicate(self, node: Node) -> Signal:
        below = self.read(node.children[0])
        numbers = [_number(k) for k in node.expressions("keys")]
        if set(numbers) == set(below.numbers):
            return self._distinct(below)
        keys = tuple(c for n in numbers if (c := below.column(n)) is not None)
        if len(keys) != len(numbers):
            raise UnsupportedError("dropDuplicates of a column that is not there")
        if not all(is_orderable(k.type) for k in keys):
            raise UnsupportedError("dropDuplicates of values that cannot be compared")
        return self._put(Deduplicate(keys), below.numbers, below)

    def _read_sample(self, node: Node) -> Signal:
        below = self.read(node.children[0])
        if node.fields["lowerBound"] != 0.0:
            bounds = " ".join(str(node.fields.get(n)) for n in ("lowerBound", "upperBound", "seed"))
            split = TableUdf(f"split {bounds}", below.schema.fields, deterministic=False)
            return self._put(split, below.numbers, below)
        fraction, seed = float(node.fields["upperBound"]), node.fields.get("seed")
        sample = Sample(
            fraction, None if seed is None else int(seed), bool(node.fields["withReplacement"])
        )
        return self._put(sample, below.numbers, below)

    def _read_aggregate(self, node: Node) -> Signal:
        """Keys and calls first, then what is computed from them."""
        below = self.read(node.children[0])
        if SESSION_WINDOW in str(node.jvm.child().schema().json()):
            raise UnsupportedError("session_window, which joins windows that overlap")
        scope = self._scope(below)
        groups = node.expressions("groupingExpressions")
        outputs = node.expressions("aggregateExpressions")
        keys: dict[str, Expr] = {_text(g): self.expressions.read(g, scope) for g in groups}
        calls: dict[str, Any] = {}
        try:
            for output in outputs:
                _collect(output, keys, calls, lambda n: self.expressions.aggregate(n, scope))
        except (UnsupportedError, IllFormedError):
            return self._opaque_table(node, [below], [*groups, *outputs], outputs, steady=False)
        named = tuple(Named(f"_key{i}", k) for i, k in enumerate(keys.values()))
        made = tuple(NamedCall(f"_call{i}", c) for i, c in enumerate(calls.values()))
        operator = Aggregate(named, made) if groups else GlobalAggregate(made)
        if not groups and not made:
            raise UnsupportedError("an aggregate without keys and calls")
        # Numbers of their own for keys and calls; Spark's are never negative.
        grouped = self._put(operator, [-1 - i for i in range(len(keys) + len(calls))], below)
        places = {text: i for i, text in enumerate((*keys, *calls))}
        columns = tuple(
            Named(str(o.fields["name"]), self._above(o, places, grouped)) for o in outputs
        )
        return self._put(Project(columns), [_number(o) for o in outputs], grouped)

    def _above(self, node: Node, places: dict[str, int], grouped: Signal) -> Expr:
        """An output of an aggregate over its keys and calls."""
        text = _text(node)
        place = places.get(text)
        if place is not None:
            return grouped.at(place)
        pivoted = [grouped.at(i) for t, i in places.items() if t.startswith(f"{text} = ")]
        if pivoted:
            return Call("array", tuple(pivoted), ArrayType(pivoted[0].type))
        replaced = _with_columns(node, places, grouped)
        return self.expressions.read(replaced, self._scope(grouped))

    def _read_window(self, node: Node) -> Signal:
        below = self.read(node.children[0])
        scope = self._scope(below)
        columns = node.expressions("windowExpressions")
        calls = []
        for column in columns:
            if column.kind != "Alias" or column.children[0].kind != "WindowExpression":
                raise UnsupportedError("a window function inside of an expression")
            call = self.expressions.over(column.children[0], scope)
            calls.append(NamedOver(str(column.fields["name"]), call))
        numbers = (*below.numbers, *(_number(c) for c in columns))
        return self._put(Over(tuple(calls)), numbers, below)

    def _read_generate(self, node: Node) -> Signal:
        below = self.read(node.children[0])
        generator = node.expression("generator")
        if generator.kind == "Stack":
            return self._stacked(node, generator, below)
        kinds = {"Explode": (False, False), "PosExplode": (True, False), "Inline": (False, True)}
        if generator.kind not in kinds:
            made = node.expressions("generatorOutput")
            kept = [expression_of(a) for a in each(node.jvm.child().output())]
            steady = kind_of_tree(generator) is Kind.PURE
            return self._opaque_table(node, [below], [generator], [*kept, *made], steady)
        position, inline = kinds[generator.kind]
        arg = self.expressions.read(generator.children[0], self._scope(below))
        outputs = node.expressions("generatorOutput")
        names = tuple(str(o.fields["name"]) for o in outputs)
        return self._unnested(
            node, below, Unnest(arg, names, bool(node.fields["outer"]), position, inline)
        )

    def _stacked(self, node: Node, generator: Node, below: Signal) -> Signal:
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
        for place in range(0, len(cells), len(names)):
            inner: list[Expr] = []
            for name, cell in zip(names, cells[place : place + len(names)], strict=True):
                inner += [Literal(name, STRING), cell]
            rows.append(_function("named_struct", inner))
        return self._unnested(
            node,
            below,
            Unnest(_function("array", rows), names, bool(node.fields["outer"]), False, True),
        )

    def _unnested(self, node: Node, below: Signal, made: Unnest) -> Signal:
        outputs = node.expressions("generatorOutput")
        found = self._put(made, (*below.numbers, *map(_number, outputs)), below)
        dropped = {below.numbers[i] for i in node.fields.get("unrequiredChildIndex") or ()}
        if not dropped:
            return found
        kept = [i for i, n in enumerate(found.numbers) if n not in dropped]
        columns = tuple(Named(found.schema.names[i], found.at(i)) for i in kept)
        return self._put(Project(columns), [found.numbers[i] for i in kept], found)

    def _reads_odd_types(self, node: Node) -> bool:
        """Whether a node has to do with columns that Veer cannot compare, all its inputs being read."""
        inputs = [self._latest.get(id(child)) for child in node.children]
        made = (type_of(json.loads(o.dataType().json())) for o in each(node.jvm.output()))
        types = [*made, *(t for i in inputs if i is not None for t in i.schema.types)]
        return all(i is not None for i in inputs) and not all(map(is_orderable, types))

    def _opaque_node(self, node: Node) -> Signal:
        """An operator over columns that Veer cannot compare: some function of its inputs."""
        inputs = [self._latest[id(child)] for child in node.children]
        said = [expression_of(e) for e in each(node.jvm.expressions())]
        outputs = [expression_of(a) for a in each(node.jvm.output())]
        return self._opaque_table(node, inputs, said, outputs, steady=False)

    def _opaque_table(
        self,
        node: Node,
        inputs: Sequence[Signal],
        said: Sequence[Node],
        outputs: Sequence[Node],
        steady: bool,
    ) -> Signal:
        """An operator known by what it says of itself; what it reads, by place."""
        places = {n: i for i, n in enumerate(n for signal in inputs for n in signal.numbers)}

        def place(read: Node) -> int:
            number = _number(read)
            if number not in places:
                raise UnsupportedError(f"column {read.fields['name']!r} comes from nowhere")
            return places[number]

        texts = [Said(place).text(n) for n in said]
        flags: dict[str, Any] = {k: v for k, v in node.fields.items() if isinstance(v, bool)}
        if "joinType" in node.fields:
            flags["joinType"] = node.object_name("joinType")
        names = [str(o.fields["name"]) for o in outputs]
        identity = f"spark {node.kind} {digest([texts, flags, names])}"
        types = [type_of(json.loads(o.jvm.dataType().json())) for o in outputs]
        fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
        udf = TableUdf(identity, fields, "table", (), steady, node.kind)
        return self._put(udf, _numbers(outputs), *inputs)

    # -- Python functions of tables ------------------------------------------------------------

    def _read_mapinpandas(self, node: Node) -> Signal:
        return self._table_function(node, "batch")

    _read_mapinarrow = _read_pythonmapinarrow = _read_mapinpandas

    def _read_flatmapgroupsinpandas(self, node: Node) -> Signal:
        return self._table_function(node, "group")

    _read_flatmapgroupsinarrow = _read_flatmapgroupsinpandas

    def _read_flatmapcogroupsinpandas(self, node: Node) -> Signal:
        return self._table_function(node, "table")

    _read_flatmapcogroupsinarrow = _read_flatmapcogroupsinpandas

    def _table_function(self, node: Node, scope: str) -> Signal:
        """A function of batches, groups or whole tables, known by its code."""
        inputs = [self.read(child) for child in node.children]
        function = node.expression("functionExpr")
        _, identity = python_function(function.jvm.func(), TABLES)
        # What keeps state between groups is never the same choice twice.
        keeps = identity.kind is Kind.PARTITION
        said = [uuid.uuid4().hex if keeps else identity.digest, function.fields["evalType"]]
        keys: tuple[Column, ...] = ()
        if scope == "group":
            numbers = [_number(g) for g in node.expressions("groupingAttributes")]
            keys = tuple(c for n in numbers if (c := inputs[0].column(n)) is not None)
            if len(keys) != len(numbers) or not keys:
                raise UnsupportedError("a function of groups by expressions")
        elif scope == "table":
            said += [node.fields["leftGroupingLen"], node.fields["rightGroupingLen"]]
            said += [i.schema.names for i in inputs]
        steady = identity.kind is Kind.PURE and bool(function.fields["udfDeterministic"])
        outputs = node.expressions("output")
        fields = tuple(Field(str(o.fields["name"]), type_of(o.fields["dataType"])) for o in outputs)
        text = f"python {function.fields['name']} {json.dumps(said, default=str)}"
        made = TableUdf(text, fields, scope, keys, steady)
        return self._put(made, _numbers(outputs), *inputs)

    def _read_expand(self, node: Node) -> Signal:
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
                    _typed(self.expressions.read(c, scope), type_of(o.fields["dataType"])),
                )
                for o, c in zip(outputs, columns, strict=True)
            )
            branches.append(self._put(Project(named), [], below))
        return self._put(Union(), [_number(o) for o in outputs], *branches)

    # -- several inputs ------------------------------------------------------------------------

    def _read_join(self, node: Node) -> Signal:
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
        numbers = left.numbers if name in ("semi", "anti") else left.numbers + right.numbers
        return self._put(Join(name, predicate), numbers, left, right)

    def _right_join(self, left: Signal, right: Signal, condition: Node | None) -> Signal:
        """A left join the other way round, its columns put back in order."""
        predicate = None
        if condition is not None:
            predicate = self.expressions.condition(condition, self._scope(right, left))
        turned = self._put(Join("left", predicate), right.numbers + left.numbers, right, left)
        places = [turned.numbers.index(n) for n in left.numbers + right.numbers]
        columns = tuple(Named(turned.schema.names[i], turned.at(i)) for i in places)
        return self._put(Project(columns), left.numbers + right.numbers, turned)

    def _read_union(self, node: Node) -> Signal:
        inputs = [self.read(child) for child in node.children]
        if node.fields.get("byName"):
            raise UnsupportedError("a union by name that is not resolved")
        return self._put(Union(), inputs[0].numbers, *inputs)

    def _read_intersect(self, node: Node) -> Signal:
        return self._matched(node, IntersectAll(), "semi")

    def _read_except(self, node: Node) -> Signal:
        return self._matched(node, ExceptAll(), "anti")

    def _matched(self, node: Node, operator: AnyOperator, kind: str) -> Signal:
        left, right = (self.read(child) for child in node.children)
        if node.fields["isAll"]:
            return self._put(operator, left.numbers, left, right)
        both = Schema((*left.schema, *right.schema))
        width = len(left.schema)
        columns = [Column(f.name, f.type, both.occurrence(i)) for i, f in enumerate(both)]
        same = [Compare("<=>", columns[i], columns[i + width]) for i in range(width)]
        return self._distinct(self._put(Join(kind, conjunction(same)), left.numbers, left, right))

    # -- common table expressions --------------------------------------------------------------

    def _read_withcte(self, node: Node) -> Signal:
        *definitions, plan = node.children
        for definition in definitions:
            self.definitions[int(definition.fields["id"])] = definition
        return self.read(plan)

    def _read_cterelationref(self, node: Node) -> Signal:
        number = int(node.fields["cteId"])
        if number not in self.definitions or node.fields.get("recursive"):
            raise UnsupportedError("a recursive common table expression")
        found = self.ctes.get(number) or self.read(self.definitions[number].children[0])
        if self.is_random(found.id) or not self.makes_a_choice(found.id):
            self.ctes[number] = found  # else every use chooses for itself
        numbers = tuple(_number(o) for o in node.expressions("output"))
        return Signal(found.id, found.schema, numbers)

    def _read_view(self, node: Node) -> Signal:
        """A view shows what its query gives, perhaps cast to its declared columns."""
        return self.read(node.children[0])

    # -- leaves --------------------------------------------------------------------------------

    def _read_onerowrelation(self, node: Node) -> Signal:
        return self._put(Values((), ((),)), [])

    def _read_range(self, node: Node) -> Signal:
        start, end, step = (int(node.fields[n]) for n in ("start", "end", "step"))
        output = node.expressions("output")
        fields = tuple(Field(str(o.fields["name"]), type_of("long"), False) for o in output)
        rows = tuple((n,) for n in range(start, end, step)[: MOST_VALUES + 1])
        if len(rows) > MOST_VALUES:
            rows_given = Source(f"range({start}, {end}, {step})", fields, format=LOCAL)
            return self._put(rows_given, _numbers(output))
        return self._put(Values(fields, rows), _numbers(output))

    def _leaf(self, node: Node) -> Signal:
        source = self.source(node)
        found = self._put(source, _numbers(node.expressions("output")))
        if isinstance(source, Source) and source.format == COMPUTED:
            computed = TableUdf(source.table, source.fields, deterministic=False, kind="RDD")
            return self._put(computed, found.numbers, found)
        return found


def fields_of(node: Node) -> tuple[Field, ...]:
    """The columns a leaf gives."""
    return tuple(
        Field(str(o.fields["name"]), type_of(o.fields["dataType"]), bool(o.fields["nullable"]))
        for o in node.expressions("output")
    )


def digest(data: object) -> str:
    """A short name for what is too long to say."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def _number(node: Node) -> int:
    return int(node.fields["exprId"]["id"])


def _numbers(nodes: Sequence[Node]) -> list[int]:
    return [_number(n) for n in nodes]


def _text(node: Node) -> str:
    """What an expression says, without names of its own making."""
    node = node.children[0] if node.kind == "Alias" else node
    hidden = ("qualifier", "resultId", "metadata", "name", "nullable")
    fields = {k: v for k, v in node.fields.items() if k not in hidden}
    if node.kind != "AttributeReference":
        fields = {k: node.dropped[k] if v is None else v for k, v in fields.items()}
    inner = [_text(child) for child in node.children]
    return json.dumps([node.kind, fields, inner], sort_keys=True)


def _collect(
    node: Node,
    keys: dict[str, Expr],
    calls: dict[str, Any],
    read: Callable[[Node], Any],
) -> None:
    """The aggregate calls below an output, each once."""
    text = _text(node)
    if text in keys or text in calls:
        return
    if is_aggregate(node):
        if node.children[0].kind == "PivotFirst":
            calls.update(_pivoted(node, text, read))
        else:
            calls[text] = read(node)
        return
    for child in node.children:
        _collect(child, keys, calls, read)


def _pivoted(node: Node, text: str, read: Callable[[Node], Any]) -> dict[str, Any]:
    """The value of the only row of each pivoted value: the greatest of those that have it."""
    pivot, value = node.children[0].children
    if "dataType" not in pivot.fields:
        raise UnsupportedError("a pivot over an expression")
    found = {}
    for place in range(node.children[0].jvm.pivotColumnValues().size()):
        wanted = node.children[0].jvm.pivotColumnValues().apply(place)
        is_null = wanted is None
        if isinstance(wanted, float) and wanted != wanted:
            raise UnsupportedError("a pivot over NaN")
        literal = {"value": None if is_null else str(wanted), "dataType": pivot.fields["dataType"]}
        constant = Node("Literal", literal, lambda: None)
        same = Node("EqualNullSafe", {}, lambda: None, [pivot, constant])
        greatest = Node("Max", {"child": 0}, _NamedMax, [value])
        call = Node("AggregateExpression", {"isDistinct": False}, node.find, [greatest, same])
        found[f"{text} = {place}"] = read(call)
    return found


@final
class _NamedMax:
    """Stands for the JVM's function in a call that is not Spark's own."""

    def prettyName(self) -> str:
        return "max"


def _with_columns(node: Node, places: dict[str, int], grouped: Signal) -> Node:
    """The expression with keys and calls as columns of the aggregate below."""
    place = places.get(_text(node))
    if place is not None:
        column = grouped.at(place)
        fields = {
            "name": column.name,
            "dataType": str(column.type),
            "exprId": {"id": grouped.numbers[place]},
        }
        return Node("AttributeReference", fields, node.find)
    children = [_with_columns(child, places, grouped) for child in node.children]
    if all(new is old for new, old in zip(children, node.children, strict=True)):
        return node
    return Node(node.kind, node.fields, node.find, children)


def _function(name: str, args: Sequence[Expr]) -> Expr:
    """A function of the registry applied to what needs no cast."""
    found = scalar_function(name).resolve(arguments(tuple(args)))
    if found.arguments != tuple(a.type for a in args):
        raise UnsupportedError(f"{name} of values of several types")
    return Call(name, tuple(args), found.result)


def _typed(expr: Expr, type_: Any) -> Expr:
    """A null of a grouping set has the type of its column."""
    if isinstance(expr, Literal) and expr.value is None:
        return Literal(None, type_)
    return expr
