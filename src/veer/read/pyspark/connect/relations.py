"""Relations of the protocol to operators: every one exactly, or refused by name.

Names are resolved as Spark's analyzer does: by the columns in sight, by the number of a plan, and
for filters and orders also among columns that were left out below. `RELATIONS` says how each is
read; those of some size are in `selecting`, `grouping`, `cleaning`, `combining` and `leaves`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from veer.errors import InputError, UnknownNameError, UnsupportedError
from veer.ir import expr as ex, ops
from veer.ir.dag import Dataflow
from veer.ir.ops import TableUdf
from veer.ir.schema import Field
from veer.ir.types import is_orderable
from veer.read.builder import FlowBuilder
from veer.read.pyspark.connect import (
    cleaning,
    combining,
    frames as connect_frames,
    grouping,
    leaves,
    selecting,
)
from veer.read.pyspark.connect.expressions import tree_of, trees_of
from veer.read.pyspark.connect.messages import tells
from veer.read.pyspark.connect.nodes import FramePlan, LongName, PlanColumn, parts_of
from veer.read.pyspark.connect.plans_with_relations import kind_of, node_of
from veer.read.pyspark.connect.surroundings import RegisteredFunction, Surroundings
from veer.read.pyspark.connect.types import parse_type_text, read_type, require_struct
from veer.read.pyspark.plans.call_sites import shown_site
from veer.read.pyspark.plans.types import type_of
from veer.read.python.in_plans import python_call, python_table
from veer.read.sql.expressions import ExprReader
from veer.read.sql.placeholders import outward
from veer.read.sql.query import QueryReader, View
from veer.read.sql.scope import Plan, ScopeColumn, unknown_column
from veer.read.sql.select import Select
from veer.settings import current, name_key

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.expressions_pb2 import CommonInlineUserDefinedFunction
    from pyspark.sql.connect.proto.relations_pb2 import Relation


class RelationReader(QueryReader):
    """Reads relations into one builder; subqueries are read by readers of their own."""

    def __init__(
        self,
        around: Surroundings,
        builder: FlowBuilder,
        views: dict[str, View] | None = None,
        outer: tuple[Plan, ...] = (),
    ) -> None:
        super().__init__({}, views or {}, builder, outer)
        self.around = around
        self.tags: connect_frames.Tags = {}  # of the inputs of the relation being read
        self.outer_tags: tuple[connect_frames.Tags, ...] = ()
        self.references: dict[int, Relation] = {}  # plans that subqueries name by number
        self.named_plans: dict[str, Relation] = {}  # plans that SQL text names, as views

    def inside(
        self, views: dict[str, View], builder: FlowBuilder, outer: tuple[Plan, ...]
    ) -> RelationReader:
        """A reader of the same kind for a query inside of this one."""
        inner = RelationReader(self.around, builder, views, outer)
        inner.references, inner.named_plans = self.references, self.named_plans
        # Inside of a subquery the rows around it are those read here, one level further out.
        deeper = len(outer) > len(self.outer)
        inner.outer_tags = (self.tags, *self.outer_tags) if deeper else self.outer_tags
        return inner

    # -- entry points --------------------------------------------------------------------------

    def result(self, relation: Relation, sink: ops.Sink) -> None:
        """Add a relation, closed by a sink."""
        self.builder.add(sink, self.visible(self.read(relation).plan).id, id_=sink.name)

    def read(self, relation: Relation) -> connect_frames.Frame:
        """The rows of a relation."""
        kind = kind_of(relation)
        read = RELATIONS.get(kind)
        if read is None:
            raise UnsupportedError(f"{SPOKEN.get(kind, kind)} of a DataFrame")
        around, self.builder.site = self.builder.site, site_of(relation, self.around.root)
        tags = self.tags
        try:
            frame = read(self, node_of(relation, kind))
        except UnknownNameError as error:
            if self._is_known_below(error.name):
                raise UnsupportedError(f"{error}; the job dropped it before") from None
            raise
        finally:
            self.builder.site, self.tags = around, tags
        common = relation.common
        return frame.tagged(common.plan_id if common.HasField("plan_id") else None)

    def _is_known_below(self, name: Sequence[str]) -> bool:
        """Whether a name that is not in sight means something to a plan below, or to the files.

        Spark finds some of those: columns that a filter brings back, keys of USING, `_metadata`.
        """
        if name and name[0].lower() == "_metadata":
            return True
        try:
            return any(p.find(name) for plans in self.tags.values() for p in plans if name)
        except InputError:  # there are several
            return True

    def inputs(self, *relations: Relation) -> list[connect_frames.Frame]:
        """The frames of a relation's inputs; expressions read from now on are over them."""
        frames = [self.read(relation) for relation in relations]
        self.tags = connect_frames.merged_tags([frame.tags for frame in frames])
        return frames

    def input(self, relation: Relation) -> connect_frames.Frame:
        """The frame of a relation's only input."""
        (frame,) = self.inputs(relation)
        return frame

    def frame(self, plan: Plan, *inputs: connect_frames.Frame) -> connect_frames.Frame:
        """A frame over others; plans above cannot use columns that were dropped."""
        return connect_frames.Frame(plan, connect_frames.merged_tags([i.tags for i in inputs]))

    # -- queries -------------------------------------------------------------------------------

    def query(self, node: exp.Expr) -> Plan:
        """A query of SQL, or one given as a DataFrame."""
        if isinstance(node, FramePlan):
            if node.plan_id not in self.references:
                raise UnsupportedError("a subquery with a DataFrame that is not in the plan")
            return self.visible(self.read(self.references[node.plan_id]).plan)
        return super().query(node)

    def named(self, parts: list[str], node: exp.Expr) -> Plan:
        """A table or view that SQL text names."""
        name = name_key(".".join(parts))
        if name in self.views:
            return super().named(parts, node)
        if name in self.named_plans:
            outside = RelationReader(self.around, self.builder)
            outside.references = self.references
            return outside.visible(outside.read(self.named_plans[name]).plan).renamed(parts[-1])
        return super().named(parts, node)

    def source_named(self, parts: Sequence[str]) -> ops.AnyOperator | None:
        """The table, or the files, that a name means."""
        return self.around.table(parts)

    def source_rows(self, source: ops.AnyOperator) -> Plan:
        """The rows of a source."""
        return leaves.source_plan(self, source)

    def is_query(self, name: str) -> bool:
        """Whether a name is that of a view or common table expression."""
        return super().is_query(name) or name_key(name) in self.named_plans

    # -- columns -------------------------------------------------------------------------------

    def column_of_plan(self, reader: ExprReader, plan_id: int, names: Sequence[str]) -> ex.Expr:
        """The column that a name means in the plan of a number, as the rows here have it."""
        found = self.of_plan(self.tags, reader.plan, plan_id, names)
        if found is not None:
            return found
        for depth, (plan, tags) in enumerate(zip(self.outer, self.outer_tags, strict=False), 1):
            found = self.of_plan(tags, plan, plan_id, names)
            if found is not None:
                return outward(found, depth)
        if not any(plan.find(names) for plan in self.tags.get(plan_id, ())):
            known = next(iter(self.tags.get(plan_id, ())), None)
            if known is not None:
                raise unknown_column(names, known)
        raise UnsupportedError(
            f"column {'.'.join(names)!r} of another DataFrame, which is not part of this one"
        )

    def of_plan(
        self, tags: connect_frames.Tags, plan: Plan, plan_id: int, names: Sequence[str]
    ) -> ex.Expr | None:
        """The column of one of the tagged plans of a number, if it is among those of `plan`."""
        places: dict[int, ex.Expr] = {}
        for tagged in tags.get(plan_id, ()):
            expr = tagged.find(names)
            place = (
                None
                if expr is None
                else connect_frames.place_of(plan, connect_frames.number_of(tagged, expr))
            )
            if expr is not None and place is not None:
                places[place] = connect_frames.over(expr, plan.column(place))
        if len(places) > 1:
            # Spark takes the nearest of them or fails; which is not for us to guess.
            raise UnsupportedError(f"column {'.'.join(names)!r} of a DataFrame that is used twice")
        return next(iter(places.values()), None)

    def numbers_left_out(self, frame: connect_frames.Frame, trees: Sequence[exp.Expr]) -> list[int]:
        """The columns that trees read, which are not in sight but can be carried from below."""
        numbers: list[int] = []
        for node in (n for tree in trees for n in tree.walk()):
            match node:
                case PlanColumn():
                    asked = self._numbers_of_plan(node)
                case exp.Column() | LongName() if not isinstance(node.this, exp.Star):
                    asked = self._numbers_by_name(frame, parts_of(node))
                case _:
                    continue
            if asked and all(frame.place(n) is None for n in asked):
                numbers += [n for n in asked if frame.reaches(n)][:1]
        return list(dict.fromkeys(numbers))

    def _numbers_of_plan(self, node: PlanColumn) -> list[int]:
        plans = [(p, p.find(node.names)) for p in self.tags.get(node.plan_id, ())]
        return [connect_frames.number_of(plan, expr) for plan, expr in plans if expr is not None]

    def _numbers_by_name(self, frame: connect_frames.Frame, parts: list[str]) -> list[int]:
        if frame.plan.find(parts) is not None:
            return []
        at = frame.below if frame.again is not None else None
        while at is not None:
            expr = at.plan.find(parts)
            if expr is not None:
                return [connect_frames.number_of(at.plan, expr)]
            at = at.below if at.again is not None else None
        return []

    def wide_reader(
        self, frame: connect_frames.Frame, below: connect_frames.Frame | None
    ) -> ExprReader:
        """A reader over a frame that carries columns of the frames below, also by name."""
        reader = self.reader(frame.plan)

        def carried(parts: list[str]) -> ex.Expr | None:
            at = below
            while at is not None:
                expr = at.plan.find(parts)
                if expr is not None:
                    place = frame.place(connect_frames.number_of(at.plan, expr))
                    return (
                        None
                        if place is None
                        else connect_frames.over(expr, frame.plan.column(place))
                    )
                at = at.below
            return None

        reader.after = carried
        return reader

    # -- functions -----------------------------------------------------------------------------

    def python_call(self, function: Any, args: Sequence[tuple[str, ex.Expr]]) -> ex.Expr:
        """The call of a Python function that came with the plan."""
        return self._of_python(inline_call(function, args, self.around))

    def _of_python(self, expr: ex.Expr) -> ex.Expr:
        self.builder.of_python.add(expr)
        return expr

    def session_function(self, name: str) -> Callable[[Sequence[ex.Expr]], ex.Expr] | None:
        """What calls the function that the session knows by a name; None if it knows none."""
        function = self.around.registered(name.lower())
        if function is not None:
            return lambda args: self._of_python(registered_call(function, args))
        return partial(parsed_text, name.lower()) if name.lower() in PARSERS else None

    # -- select and its like -------------------------------------------------------------------

    def selected(
        self, frame: connect_frames.Frame, trees: Sequence[exp.Expr]
    ) -> connect_frames.Frame:
        """The computed columns; those left out stay within reach."""

        def again(below: connect_frames.Frame, carried: Sequence[int]) -> Plan:
            node = exp.Select(expressions=[tree.copy() for tree in trees])
            return Select(self, below.plan, node, carried).read()

        return connect_frames.Frame(again(frame, ()), frame.tags, frame, again)

    # -- rows ----------------------------------------------------------------------------------

    def over_rows(
        self,
        frame: connect_frames.Frame,
        trees: Sequence[exp.Expr],
        build: Callable[[ExprReader, Plan], Plan],
    ) -> connect_frames.Frame:
        """An operator that keeps columns; its expressions may read columns that were left out."""

        def again(below: connect_frames.Frame, carried: Sequence[int]) -> Plan:
            return build(self.wide_reader(below, below.below), below.plan)

        left_out = tuple(self.numbers_left_out(frame, trees))
        plan = again(frame.carrying(left_out), ())
        return connect_frames.Frame(plan, frame.tags, frame, again, left_out)

    def _filter(self, node: Any) -> connect_frames.Frame:
        tree = tree_of(node.condition)
        return self.over_rows(
            self.input(node.input),
            [tree],
            lambda reader, plan: self.filter(plan, reader.condition(tree)),
        )

    def _sort(self, node: Any) -> connect_frames.Frame:
        frame = self.input(node.input)
        if not node.is_global:
            return self.unordered(frame)
        from pyspark.sql.connect.proto.expressions_pb2 import Expression

        trees = [tree_of(Expression(sort_order=key)) for key in node.order]

        def build(reader: ExprReader, plan: Plan) -> Plan:
            keys = tuple(reader.sort_key(tree) for tree in trees)
            if any(isinstance(key.expr, ex.Literal) for key in keys):
                raise UnsupportedError(
                    "an order by a constant, which may mean the position of a column"
                )
            return self.add(ops.Sort(keys), plan.id, columns=plan.columns)

        return self.over_rows(frame, trees, build)

    def unordered(self, frame: connect_frames.Frame) -> connect_frames.Frame:
        """The rows without the order they may come in."""
        id_ = self.builder.unordered(frame.plan.id)
        return replace(frame, plan=replace(frame.plan, id=id_), again=None)

    def _limit(self, node: Any) -> connect_frames.Frame:
        inner, skipped = node.input, 0
        if inner.WhichOneof("rel_type") == "offset":
            inner, skipped = inner.offset.input, inner.offset.offset
        return self._limited(self.input(inner), node.limit, skipped)

    def _offset(self, node: Any) -> connect_frames.Frame:
        return self._limited(self.input(node.input), None, node.offset)

    def _limited(
        self, frame: connect_frames.Frame, count: int | None, skipped: int
    ) -> connect_frames.Frame:
        def build(_: ExprReader, plan: Plan) -> Plan:
            return self.add(ops.Limit(count, skipped), plan.id, columns=plan.columns)

        return self.over_rows(frame, [], build)

    def _deduplicate(self, node: Any) -> connect_frames.Frame:
        frame = self.input(node.input)
        if node.within_watermark:
            raise UnsupportedError("dropDuplicatesWithinWatermark")
        plan = self.visible(frame.plan)
        names = {name_key(name) for name in node.column_names}
        places = [i for i, c in enumerate(plan.columns) if name_key(c.name) in names]
        if not node.all_columns_as_keys and len(places) < len(plan.columns):
            if len({name_key(plan.columns[i].name) for i in places}) < len(names):
                raise UnsupportedError("dropDuplicates of a column that does not exist")
            keys = tuple(plan.column(i) for i in places)
            if not all(is_orderable(k.type) for k in keys):
                raise UnsupportedError("dropDuplicates of values that cannot be compared")
            kept = self.add(ops.Deduplicate(keys), plan.id, columns=plan.columns)
            return self.frame(kept, frame)
        return self.frame(self.distinct(plan), frame)

    def _sample(self, node: Any) -> connect_frames.Frame:
        frame = self.input(node.input)
        plan = self.visible(frame.plan)
        seed = node.seed if node.HasField("seed") else None
        sample: ops.Sample | ops.TableUdf = ops.Sample(
            node.upper_bound - node.lower_bound, seed, node.with_replacement
        )
        # A part of `randomSplit` samples a range of random numbers after a sort: no plain sample.
        if node.deterministic_order or node.lower_bound != 0.0:
            bounds = f"{node.lower_bound} {node.upper_bound} {seed}"
            sample = ops.TableUdf(f"split {bounds}", plan.schema.fields, deterministic=False)
        return self.frame(self.add(sample, plan.id, columns=plan.columns), frame)

    def _alias(self, node: Any) -> connect_frames.Frame:
        frame = self.input(node.input)
        plan = self.visible(frame.plan)
        return self.frame(plan.renamed(node.alias, [c.name for c in plan.columns]), frame)

    def _same(self, node: Any) -> connect_frames.Frame:
        """What changes nothing of its only input."""
        return self.input(node.input)

    def _spread(self, node: Any) -> connect_frames.Frame:
        """What spreads rows anew, which leaves no order among them."""
        return self.unordered(self.input(node.input))

    # -- Python functions of tables ------------------------------------------------------------

    def _map_partitions(self, node: Any) -> connect_frames.Frame:
        frame = self.input(node.input)
        return self.python_rows(inline_table(node.func, self.around, "batch"), [frame])

    def _group_map(self, node: Any) -> connect_frames.Frame:
        frame = self.input(node.input)
        # An allow-list: what else a function of groups is given (state, modes of time) would be lost.
        if {f.name for f, _ in node.ListFields()} - {"input", "grouping_expressions", "func"}:
            raise UnsupportedError("a function of groups with state or an order")
        plan = self.visible(frame.plan)
        keys = self.grouping_columns(plan, node.grouping_expressions)
        if not keys:
            raise UnsupportedError("a function of groups without grouping columns")
        udf = inline_table(node.func, self.around, "group", keys)
        return self.python_rows(udf, [frame])

    def _co_group_map(self, node: Any) -> connect_frames.Frame:
        left, right = self.inputs(node.input, node.other)
        if len(node.input_sorting_expressions) or len(node.other_sorting_expressions):
            raise UnsupportedError("a cogroup with an order")
        plans = [self.visible(f.plan) for f in (left, right)]
        groups = (node.input_grouping_expressions, node.other_grouping_expressions)
        keys = [self.grouping_columns(p, g) for p, g in zip(plans, groups, strict=True)]
        shown = [
            [p.schema.place(c.name, c.occurrence) for c in k]
            for p, k in zip(plans, keys, strict=True)
        ]
        more = [shown, *(p.schema.names for p in plans)]  # the function may look at the names
        return self.python_rows(
            inline_table(node.func, self.around, "table", (), more), [left, right]
        )

    def grouping_columns(self, plan: Plan, expressions: Sequence[Any]) -> tuple[ex.Column, ...]:
        """Keys that are plain columns."""
        keys = [self.reader(plan).read(tree) for tree in trees_of(expressions)]
        columns = tuple(k for k in keys if isinstance(k, ex.Column))
        if len(columns) < len(keys):
            raise UnsupportedError("a function of groups by expressions")
        return columns

    def python_rows(
        self, udf: ops.TableUdf, frames: Sequence[connect_frames.Frame]
    ) -> connect_frames.Frame:
        """The rows that a function of tables gives."""
        names = [ScopeColumn(None, f.name) for f in udf.fields]
        ids = [self.visible(f.plan).id for f in frames]
        return self.frame(self.add(udf, *ids, columns=names), *frames)

    # -- subqueries and SQL --------------------------------------------------------------------

    def relation_query(self, relation: Relation, plan: Plan) -> Dataflow:
        """A relation that depends on the rows of `plan`: a dataflow of its own."""
        inner = self.inside({}, FlowBuilder(), (plan, *self.outer))
        inner.result(relation, ops.Sink("result"))
        return inner.builder.finish()

    def _with_relations(self, node: Any) -> connect_frames.Frame:
        references, named = self.references, self.named_plans
        self.references, self.named_plans = dict(references), dict(named)
        for relation in node.references:
            if relation.WhichOneof("rel_type") == "subquery_alias":
                alias = relation.subquery_alias
                name = name_key(".".join([*alias.qualifier, alias.alias]))
                self.named_plans[name] = alias.input
            if relation.common.HasField("plan_id"):
                self.references[relation.common.plan_id] = relation
        try:
            return self.read(node.root)
        finally:
            self.references, self.named_plans = references, named


SPOKEN = {
    "summary": "summary()",
    "describe": "describe()",
    "approx_quantile": "approxQuantile()",
    "freq_items": "freqItems()",
    "sample_by": "sampleBy()",
    "to_schema": "to(schema)",
    "tail": "tail()",
    "as_of_join": "an as-of join",
    "ml_relation": "a transformer of pyspark.ml",
    "parse": "reading CSV or JSON from a DataFrame",
}

RELATIONS: dict[str, Callable[[RelationReader, Any], connect_frames.Frame]] = {
    "filter": RelationReader._filter,
    "sort": RelationReader._sort,
    "limit": RelationReader._limit,
    "offset": RelationReader._offset,
    "deduplicate": RelationReader._deduplicate,
    "sample": RelationReader._sample,
    "subquery_alias": RelationReader._alias,
    "hint": RelationReader._same,
    "collect_metrics": RelationReader._same,
    "with_watermark": RelationReader._same,
    "repartition": RelationReader._spread,
    "repartition_by_expression": RelationReader._spread,
    "map_partitions": RelationReader._map_partitions,
    "group_map": RelationReader._group_map,
    "co_group_map": RelationReader._co_group_map,
    "with_relations": RelationReader._with_relations,
    **selecting.RELATIONS,
    **grouping.RELATIONS,
    **cleaning.RELATIONS,
    **combining.RELATIONS,
    **leaves.RELATIONS,
}

# -- where in the user's files a relation comes from: the client notes it on expressions ---------

EXPRESSIONS = ("expressions", "condition", "join_condition", "aliases", "aggregate_expressions")
EXPRESSIONS_AFTER = ("grouping_expressions", "order")


def site_of(relation: Relation, root: Path | None) -> str:
    """`file:line` of a relation, or nothing if it is not known."""
    kind = relation.WhichOneof("rel_type")
    node = getattr(relation, kind) if kind else None
    names = {f.name for f in node.DESCRIPTOR.fields} if node is not None else set()
    for name in (n for n in (*EXPRESSIONS, *EXPRESSIONS_AFTER) if n in names):
        value = getattr(node, name)
        # The last are those the user added: columns taken over stand before them.
        several = list(value)[::-1] if hasattr(value, "__len__") else [value]
        for expression in several[:3]:
            site = _recorded_site(_inner(expression))
            if site:
                return shown_site(site, root)
    return ""


def _inner(node: Any) -> Any:
    """The expression inside of an alias of `withColumns` or of a sort key."""
    for name in ("expr", "child"):
        if node.DESCRIPTOR.name in ("Alias", "SortOrder") and hasattr(node, name):
            return getattr(node, name)
    return node


def _recorded_site(expression: Any) -> str:
    if expression.DESCRIPTOR.name != "Expression" or not tells(expression, "common"):
        return ""
    return str(expression.common.origin.python_origin.call_site)


# -- functions that parse texts into structs; a schema gives the columns -------------------------

PARSERS = frozenset({"from_json", "from_csv"})


def parsed_text(function: str, args: Sequence[ex.Expr]) -> ex.Expr:
    """A text read by a schema, a constant of DDL or JSON: a function of the text."""
    if len(args) not in (2, 3) or not isinstance(args[1], ex.Literal):
        raise UnsupportedError(f"{function} by a schema that is not a constant")
    schema = str(args[1].value)
    is_json = schema.lstrip().startswith(("{", '"'))
    type_ = type_of(json.loads(schema)) if is_json else parse_type_text(schema)
    return ex.OpaqueCall(current().identity(function), tuple(args), type_)


# -- python functions inside of plans of the protocol --------------------------------------------


def inline_call(
    call: CommonInlineUserDefinedFunction, args: Sequence[tuple[str, ex.Expr]], around: Surroundings
) -> ex.Expr:
    """The call of a function that came with the plan."""
    udf = call.python_udf
    function = _callable(around.python(udf.command))
    type_ = read_type(udf.output_type)
    return python_call(function, call.function_name, args, type_, udf.eval_type, call.deterministic)


def registered_call(function: RegisteredFunction, args: Sequence[ex.Expr]) -> ex.Expr:
    """The call of a function that the session knows by name."""
    return python_call(
        function.function,
        function.name,
        [("", arg) for arg in args],
        function.type,
        function.eval_type,
        function.deterministic,
    )


def inline_table(
    call: CommonInlineUserDefinedFunction,
    around: Surroundings,
    scope: str,
    keys: tuple[ex.Column, ...] = (),
    more: Sequence[Any] = (),
) -> TableUdf:
    """A function of batches, groups or tables that came with the plan."""
    if call.WhichOneof("function") != "python_udf":
        raise UnsupportedError(f"the function {call.function_name}, which is not Python's")
    udf = call.python_udf
    function = _callable(around.python(udf.command))
    columns = require_struct(read_type(udf.output_type), "a function of tables")
    fields = tuple(Field(name, type_) for name, type_ in columns.fields)
    name, steady = call.function_name, call.deterministic
    return python_table(function, name, udf.eval_type, steady, scope, keys, fields, more)


def _callable(command: Any | None) -> Any | None:
    """The function of a command, which may come together with its type."""
    function = command[0] if isinstance(command, tuple) else command
    return function if callable(function) else None
