"""From a dataflow to sum-normal form, operator by operator; exact, or refused with a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from veer.analysis.call_kinds import call_kind
from veer.analysis.determinism import expr_kind, keys_relied_on, operator_kind
from veer.analysis.fingerprint import identity
from veer.analysis.row_counts import most_rows
from veer.assumptions import KeyAssumption
from veer.errors import UnsupportedError
from veer.functions.registry import AGGREGATE, OVER, Kind, aggregate_function
from veer.functions.traits import FoldMeaning, OverMeaning
from veer.model.dag import Dataflow
from veer.model.expr import (
    RUNNING,
    WHOLE,
    AggregateCall,
    And,
    Case,
    Column,
    Compare,
    Expr,
    Frame,
    IsNull,
    Literal,
    Not,
    OpaqueCall,
    OuterColumn,
    OverCall,
    SortKey,
)
from veer.model.ops import (
    Aggregate,
    AnyOperator,
    Deduplicate,
    ExceptAll,
    Filter,
    GlobalAggregate,
    IntersectAll,
    Join,
    Lateral,
    Limit,
    NamedCall,
    NamedOver,
    Over,
    Project,
    RowUdf,
    Sample,
    Sink,
    Sort,
    Source,
    TableUdf,
    Union,
    Unnest,
    Values,
)
from veer.model.pprint import brief
from veer.model.resolve import EnclosingRows, ResolvedRow, resolve
from veer.model.schema import Schema
from veer.model.traits import RowOrder
from veer.model.types import BOOLEAN, INT, LONG, DataType, has_floats, is_orderable
from veer.model.walk import operator_exprs, parts
from veer.prover.conditions import can_be_null
from veer.prover.context import Context, TooLargeError
from veer.prover.folds import distinct_count, sum_or_zero
from veer.prover.groups import Groups
from veer.prover.keys import is_one_row
from veer.prover.matching.matcher import Matcher
from veer.prover.order import Ordered, comes_before, in_common, ties
from veer.prover.simplify import simplify_node
from veer.prover.sums import added, shifted, shifted_back
from veer.prover.terms import (
    FALSE,
    TRUE,
    Atom,
    Bag,
    Direction,
    Fold,
    Group,
    Opaque,
    Table,
    Term,
    Top,
)
from veer.smt.formula import NORMALIZED

AS_EXTREME = {FoldMeaning.ANY: "max", FoldMeaning.ALL: "min"}  # false comes before true
RANKS = (OverMeaning.ROW_NUMBER, OverMeaning.RANK, OverMeaning.DENSE_RANK)
MOST_TERMS = 48
MOST_ATOMS = 14
MOST_ROWS = 24


@dataclass
class Lowering:
    """Lowers the dataflows of one query pair into bags over shared context."""

    context: Context
    matcher: Matcher

    def __post_init__(self) -> None:
        self.groups = Groups(self.context, self.matcher)
        self.assumptions: set[KeyAssumption] = set()

    def result(self, dataflow: Dataflow) -> tuple[Bag, tuple[tuple[bool, bool], ...]]:
        """What the only sink shows, its sort keys as further outputs, and their directions."""
        (sink,) = dataflow.sinks
        return self._lower(dataflow, sink, ())

    def query(self, dataflow: Dataflow, rows: EnclosingRows) -> Bag:
        """The result of a subquery that may read the rows around it, groups expanded."""
        (sink,) = dataflow.sinks
        bag, _ = self._lower(dataflow, sink, rows)
        width = len(dataflow.schemas[sink])
        bag = tuple(replace(t, outputs=t.outputs[:width]) for t in bag)
        return self.groups.expanded(bag)

    def _lower(
        self, dataflow: Dataflow, goal: str, rows: EnclosingRows
    ) -> tuple[Bag, tuple[tuple[bool, bool], ...]]:
        """The bag of one operator; orders are kept through Filter, Project and Limit."""
        bags: dict[str, Bag] = {}
        orders: dict[str, tuple[tuple[bool, bool], ...]] = {}
        needed = dataflow.ancestors(goal)
        for id_ in dataflow.order:
            if id_ not in needed:
                continue
            below = dataflow.inputs[id_]
            inputs = [tuple(self.context.freshened(t) for t in bags[i]) for i in below]
            order = orders[below[0]] if len(below) == 1 else ()
            operator = dataflow.operators[id_]
            if operator.traits.order in (RowOrder.NONE, RowOrder.UNKNOWN):
                width = [len(dataflow.schemas[i]) for i in below]
                inputs = [
                    tuple(replace(t, outputs=t.outputs[:w]) for t in bag)
                    for bag, w in zip(inputs, width, strict=True)
                ]
                order = ()
            if isinstance(operator, Sort):
                order = tuple((k.ascending, k.nulls_first) for k in operator.keys)
            bags[id_] = self._operator(dataflow, id_, inputs, rows)
            orders[id_] = order
            if len(bags[id_]) > MOST_TERMS or any(len(t.atoms) > MOST_ATOMS for t in bags[id_]):
                raise TooLargeError(f"operator {id_!r} has too many cases to compare", operator=id_)
        return bags[goal], orders[goal]

    def _operator(
        self, dataflow: Dataflow, id_: str, inputs: Sequence[Bag], rows: EnclosingRows
    ) -> Bag:
        operator = dataflow.operators[id_]
        below = [dataflow.schemas[i] for i in dataflow.inputs[id_]]
        if operator_kind(dataflow, id_) in (Kind.CHOICE, Kind.PARTITION):
            shown = brief(operator)
            raise UnsupportedError(f"operator {id_!r} ({shown}) makes a choice", operator=id_)
        self.assumptions.update(keys_relied_on(dataflow, id_))
        schema = below[0] if below else Schema(())
        if isinstance(operator, TableUdf) and any(
            isinstance(dataflow.operators[i], Sort) for i in dataflow.ancestors(id_)
        ):
            raise UnsupportedError(f"operator {id_!r} may see the order of its input", operator=id_)
        match operator:
            case Source():
                atom = Atom(self.context.fresh(), Table(operator))
                return (Term((atom,), (), atom.columns),)
            case Values(fields, values):
                if len(values) > MOST_ROWS:
                    raise TooLargeError(f"operator {id_!r} has {len(values)} rows", operator=id_)
                types = [f.type for f in fields]
                return tuple(Term((), (), tuple(map(Literal, row, types))) for row in values)
            case Filter(predicate):
                return tuple(
                    replace(t, conditions=(*t.conditions, self.expr(predicate, schema, t, rows)))
                    for t in inputs[0]
                )
            case Project(named):
                width = len(schema)
                return tuple(
                    replace(
                        t,
                        outputs=(
                            *(self.expr(n.expr, schema, t, rows) for n in named),
                            *t.outputs[width:],
                        ),
                    )
                    for t in inputs[0]
                )
            case Sort(keys):
                width = len(schema)
                return tuple(
                    replace(
                        t,
                        outputs=(
                            *t.outputs[:width],
                            *(self.expr(k.expr, schema, t, rows) for k in keys),
                        ),
                    )
                    for t in inputs[0]
                )
            case Sink(columns=visible):
                if not visible:
                    return inputs[0]
                width = len(schema)
                places = [schema.place(c.name, c.occurrence) for c in visible]
                return tuple(
                    replace(t, outputs=(*(t.outputs[i] for i in places), *t.outputs[width:]))
                    for t in inputs[0]
                )
            case Join():
                return self._join(operator, inputs, below, rows)
            case Aggregate(keys, calls):
                return self._aggregate(
                    inputs[0], schema, [k.expr for k in keys], calls, rows, is_global=False
                )
            case GlobalAggregate(calls):
                return self._aggregate(inputs[0], schema, [], calls, rows, is_global=True)
            case Union():
                return tuple(t for bag in inputs for t in bag)
            case Lateral(query, outer):
                return self._lateral(query, outer, inputs[0], schema, rows)
            case RowUdf(name, reads, adds):
                return tuple(self._row_udf(name, reads, adds, schema, t) for t in inputs[0])
            case Unnest():
                return tuple(self._unnest(operator, schema, t, rows) for t in inputs[0])
            case Limit(0):
                return ()
            case Limit(None, 0):
                return inputs[0]
            case Deduplicate(named_keys):
                if any(has_floats(k.type) for k in named_keys):
                    raise UnsupportedError(f"operator {id_!r} takes -0.0 for 0.0", operator=id_)
                return inputs[0]  # no choice, so a key is among its columns
            case Limit(count, offset) if (
                offset == 0
                and count is not None
                and (most_rows(dataflow, dataflow.inputs[id_][0]) <= count)
            ):
                return inputs[0]
            case Limit(count, offset):
                directions = _order_below(dataflow, id_)
                top = Top(inputs[0], len(schema), directions, count, offset)
                return Ordered(self.context).merged(top)
            case Over(calls):
                found = self._windows(inputs[0], calls, schema, rows)
                if found is None:
                    looking_back = Over(tuple(map(_looking_back, calls)))
                    return self._opaque(dataflow, id_, looking_back, inputs, below, rows)
                return found
            case IntersectAll() | ExceptAll():
                bags = [self.groups.expanded(bag) for bag in inputs]
                if not any(bags):
                    return ()
                common = in_common(self.context, bags, without=isinstance(operator, ExceptAll))
                if common is None:
                    return self._opaque(dataflow, id_, operator, inputs, below, rows)
                return (common,)
            case TableUdf():
                return self._opaque(dataflow, id_, operator, inputs, below, rows)
            case Sample():
                raise UnsupportedError(f"operator {id_!r} draws a sample", operator=id_)
            case _:
                assert_never(operator)

    # -- joins ---------------------------------------------------------------------------------

    def _join(
        self, join: Join, inputs: Sequence[Bag], below: Sequence[Schema], rows: EnclosingRows
    ) -> Bag:
        left, right = inputs
        schema = below[0] + below[1]
        paired = tuple(
            self._paired(a, b, join.condition, schema, rows) for a in left for b in right
        )
        match join.kind:
            case "inner" | "cross":
                return paired
            case "semi" | "anti":
                return tuple(
                    self._partnered(t, right, join, schema, rows, has=join.kind == "semi")
                    for t in left
                )
        padded = [Literal(None, t) for t in below[1].types]
        alone = tuple(
            replace(t, outputs=(*t.outputs, *padded))
            for t in (self._partnered(t, right, join, schema, rows, has=False) for t in left)
        )
        if join.kind == "left":
            return paired + alone
        before = [Literal(None, t) for t in below[0].types]
        others = tuple(
            replace(t, outputs=(*before, *t.outputs))
            for t in (
                self._partnered(t, left, join, schema, rows, has=False, swapped=True) for t in right
            )
        )
        return paired + alone + others

    def _paired(
        self, a: Term, b: Term, condition: Expr | None, schema: Schema, rows: EnclosingRows
    ) -> Term:
        b = self.context.freshened(b)
        joined = Term(a.atoms + b.atoms, a.conditions + b.conditions, a.outputs + b.outputs)
        if condition is None:
            return joined
        made = self.expr(condition, schema, joined, rows)
        return replace(joined, conditions=(*joined.conditions, made))

    def _partnered(
        self,
        term: Term,
        others: Bag,
        join: Join,
        schema: Schema,
        rows: EnclosingRows,
        *,
        has: bool,
        swapped: bool = False,
    ) -> Term:
        """The rows of a term that have (or do not have) a partner among others."""
        bodies = []
        for other in others:
            other = self.context.freshened(other)
            conditions = other.conditions
            if join.condition is not None:
                one, two = (other, term) if swapped else (term, other)
                both = Term((), (), one.outputs + two.outputs)
                conditions += (self.expr(join.condition, schema, both, rows),)
            bodies.append(Term(other.atoms, conditions, ()))
        found = self.context.exists(self.groups.expanded(tuple(bodies)))
        return replace(term, conditions=(*term.conditions, found if has else Not(found)))

    def _lateral(
        self, query: Dataflow, outer: bool, bag: Bag, schema: Schema, rows: EnclosingRows
    ) -> Bag:
        found: list[Term] = []
        for term in bag:
            inner = self.query(query, (ResolvedRow(schema, term.outputs), *rows))
            found += [
                Term(
                    term.atoms + t.atoms,
                    term.conditions + t.conditions,
                    term.outputs + t.outputs,
                )
                for t in inner
            ]
            if outer:
                empty = self.context.exists(tuple(self.context.freshened(t) for t in inner))
                padded = tuple(Literal(None, t) for t in query.result_schema.types)
                found.append(
                    Term(term.atoms, (*term.conditions, Not(empty)), term.outputs + padded)
                )
        return tuple(found)

    # -- groups --------------------------------------------------------------------------------

    def _aggregate(
        self,
        bag: Bag,
        schema: Schema,
        keys: Sequence[Expr],
        calls: Sequence[NamedCall],
        rows: EnclosingRows,
        *,
        is_global: bool,
    ) -> Bag:
        folds: list[Fold] = []
        args: list[Expr] = []
        for named in calls:
            made, given = _fold(named.call, len(keys) + len(args), is_global)
            folds.append(made)
            args += given
        terms = []
        for t in bag:
            outputs = [_grouped(self.expr(k, schema, t, rows)) for k in keys]
            outputs += [self.expr(a, schema, t, rows) for a in args]
            terms.append(replace(t, outputs=tuple(outputs)))
        if not terms and not is_global:
            return ()
        return self._by_plain_keys(Group(tuple(terms), len(keys), tuple(folds), is_global))

    def _by_plain_keys(self, group: Group) -> Bag:
        """Groups by `c * x + d` are groups by `x`: that is the same partition.

        Keys of other types, and those that differ among the terms, stay as they are.
        """
        ways = []
        terms = list(group.bag)
        for place in range(group.keys):
            found = [shifted(t.outputs[place]) for t in terms]
            factor, first, offset = found[0]
            type_ = terms[0].outputs[place].type
            same_way = all((f, e.type, o) == (factor, first.type, offset) for f, e, o in found)
            if same_way and first != terms[0].outputs[place]:
                terms = [
                    replace(t, outputs=(*t.outputs[:place], e, *t.outputs[place + 1 :]))
                    for t, (_, e, _) in zip(terms, found, strict=True)
                ]
                ways.append((place, factor, offset, type_))
        made = self.groups.grouped(replace(group, bag=tuple(terms)))
        for place, factor, offset, type_ in ways:
            made = tuple(
                replace(
                    t,
                    outputs=(
                        *t.outputs[:place],
                        shifted_back(t.outputs[place], factor, offset, type_),
                        *t.outputs[place + 1 :],
                    ),
                )
                for t in made
            )
        return made

    # -- windows -------------------------------------------------------------------------------

    def _windows(
        self, bag: Bag, calls: Sequence[NamedOver], schema: Schema, rows: EnclosingRows
    ) -> Bag | None:
        """Window functions as folds over the rows around each; None if one is not such a fold."""
        if not all(_is_told(named.call) for named in calls):
            return None
        bag = self.groups.expanded(bag)
        found = []
        for term in bag:
            values = []
            for named in calls:
                value = self._over(named.call, term, bag, schema, rows)
                if value is None:
                    return None
                values.append(value)
            found.append(replace(term, outputs=(*term.outputs, *values)))
        return tuple(found)

    def _over(
        self, call: OverCall, row: Term, bag: Bag, schema: Schema, rows: EnclosingRows
    ) -> Expr | None:
        """The value of a window function on one row."""
        directions = tuple((k.ascending, k.nulls_first) for k in call.order)
        sorts = [k.expr for k in call.order]

        def read(exprs: Sequence[Expr], term: Term) -> list[Expr]:
            return [self.expr(e, schema, term, rows) for e in exprs]

        ours = read(sorts, row)
        rank = _rank(call)
        by_rows = rank is OverMeaning.ROW_NUMBER or (
            rank is None and call.frame == Frame("rows", None, 0)
        )
        if by_rows and not self.groups.tells_apart(bag, read([*call.partition, *sorts], row)):
            return None
        around = []
        for other in bag:
            frames: tuple[Callable[[list[Expr]], Expr], ...] = (lambda _: TRUE,)
            if rank is not None:
                frames = (lambda theirs: comes_before(theirs, ours, directions),)
            elif call.frame.end == 0 and directions:
                frames = (
                    lambda theirs: comes_before(theirs, ours, directions),
                    lambda theirs: ties(theirs, ours),
                )
            for frame in frames:
                mate = self.context.freshened(other)
                theirs = read(sorts, mate)
                alike = ties(read(call.partition, mate), read(call.partition, row))
                tests = (alike, frame(theirs))
                around.append((replace(mate, conditions=(*mate.conditions, *tests)), theirs))
        if rank is OverMeaning.DENSE_RANK:
            if any(has_floats(e.type) for e in sorts):
                return None
            ahead = tuple(replace(t, outputs=tuple(keys)) for t, keys in around)
            return _one_more(distinct_count(self.context, ahead, LONG), call)
        if rank is not None:
            one = (Literal(1, LONG),)
            ahead = tuple(replace(t, outputs=one) for t, _ in around)
            return _one_more(sum_or_zero(self.context, LONG, ahead), call)
        aggregate = AggregateCall(call.function, call.args, call.type, where=call.where)
        fold, args = _fold(aggregate, 0, is_global=True)
        members = tuple(replace(t, outputs=tuple(read(args, t))) for t, _ in around)
        if fold.or_zero:
            return sum_or_zero(self.context, fold.type, members)
        return self.context.fold(fold.function, fold.type, fold.distinct, members)

    # -- rows ----------------------------------------------------------------------------------

    def _row_udf(
        self,
        name: str,
        reads: Sequence[Column],
        adds: Sequence[object],
        schema: Schema,
        term: Term,
    ) -> Term:
        args = tuple(term.outputs[schema.place(c.name, c.occurrence)] for c in reads)
        types: list[DataType] = [f.type for f in adds]  # type: ignore[attr-defined]
        made = tuple(OpaqueCall(f"{name}#{i}", args, type_) for i, type_ in enumerate(types))
        return replace(term, outputs=term.outputs + made)

    def _unnest(self, unnest: Unnest, schema: Schema, term: Term, rows: EnclosingRows) -> Term:
        """Elements of an array as the rows of a relation that depends on the array."""
        given = self.expr(unnest.generator, schema, term, rows)
        types = unnest.generated_types()
        name = f"unnest outer={unnest.outer} position={unnest.position} inline={unnest.inline}"
        relation = Opaque(name, (), (given,), types, (True,) * len(types))
        atom = Atom(self.context.fresh(), relation)
        return Term((*term.atoms, atom), term.conditions, term.outputs + atom.columns)

    def _opaque(
        self,
        dataflow: Dataflow,
        id_: str,
        operator: AnyOperator,
        inputs: Sequence[Bag],
        below: Sequence[Schema],
        rows: EnclosingRows,
    ) -> Bag:
        """An operator that is some function of its whole inputs."""
        if rows and any(True for _ in _outer_reads(operator)):
            raise UnsupportedError(
                f"operator {id_!r} reads the rows around its subquery", operator=id_
            )
        schema = dataflow.schemas[id_]
        name = identity(operator, below)
        bags = tuple(self.groups.expanded(bag) for bag in inputs)
        types, nullable = schema.types, tuple(f.nullable for f in schema)
        relation = Opaque(name, bags, (), types, nullable)
        atom = Atom(self.context.fresh(), relation)
        return (Term((atom,), (), atom.columns),)

    # -- expressions ---------------------------------------------------------------------------

    def expr(self, expr: Expr, schema: Schema, term: Term, rows: EnclosingRows) -> Expr:
        """An expression over an operator's input as one over tuple variables."""
        if expr_kind(expr) in (Kind.CHOICE, Kind.PARTITION):
            raise UnsupportedError("an expression draws random numbers")
        row = ResolvedRow(schema, term.outputs)
        return resolve(expr, (row, *rows), self, self._simplify_node)

    def _simplify_node(self, expr: Expr) -> Expr:
        return simplify_node(self.context, expr)

    def exists(self, query: Dataflow, rows: EnclosingRows) -> Expr:
        """Whether a query has a row: columns, orders and limits at its top say nothing of that."""
        (goal,) = query.sinks
        while True:
            operator = query.operators[goal]
            match operator:
                case Sink() | Project() | Sort() | Limit(None, 0):
                    pass
                case Limit(int() as count, 0) if count > 0:
                    pass
                case Limit() | Filter() | Deduplicate() | Sample() | Over() | Unnest() | Lateral():
                    break
                case Source() | Values() | Join() | Aggregate() | GlobalAggregate() | Union():
                    break
                case IntersectAll() | ExceptAll() | RowUdf() | TableUdf():
                    break
                case _:
                    assert_never(operator)
            (goal,) = query.inputs[goal]
        bag, _ = self._lower(query, goal, rows)
        return self.context.exists(self.groups.expanded(bag))

    def contains(self, args: tuple[Expr, ...], query: Dataflow, rows: EnclosingRows) -> Expr:
        """True if a row compares equal; else null if one cannot be compared; else false."""
        bag = self.query(query, rows)
        yes, maybe = [], []
        nullable = False
        for term in bag:
            compared = [Compare("=", a, o) for a, o in zip(args, term.outputs, strict=True)]
            equal: Expr = compared[0] if len(compared) == 1 else And(tuple(compared))
            yes.append(Term(term.atoms, (*term.conditions, equal), ()))
            not_false = Not(Case(((Not(equal), TRUE),), FALSE))
            maybe.append(Term(term.atoms, (*term.conditions, not_false), ()))
            nullable = nullable or can_be_null(equal)
        found = self.context.exists(tuple(map(self.context.freshened, yes)))
        if not nullable:
            return found
        unsure = self.context.exists(tuple(map(self.context.freshened, maybe)))
        return Case(((found, TRUE), (unsure, Literal(None, BOOLEAN))), FALSE)

    def scalar(self, query: Dataflow, rows: EnclosingRows) -> Expr:
        """The value of a single row; a global aggregate always has one."""
        bag = self.query(query, rows)
        if len(bag) == 1 and not bag[0].atoms and not bag[0].conditions:
            return bag[0].outputs[0]
        type_ = query.result_schema.types[0]
        single = most_rows(query, query.sinks[0]) <= 1 or (
            len(bag) == 1 and is_one_row(self.context, bag[0])
        )
        if single and is_orderable(type_) and not has_floats(type_):
            return self.context.fold("max", type_, False, bag)  # of one value
        return self.context.fold("scalar", type_, False, bag)


def _fold(call: AggregateCall, place: int, is_global: bool) -> tuple[Fold, list[Expr]]:
    """A call as a fold and its arguments; FILTER and COUNT are put into the arguments."""
    if call_kind(call) is not Kind.PURE:
        raise UnsupportedError(f"{call.function} depends on the order of rows")
    args = list(call.args)
    if call.function == "count" and not call.distinct:
        seen: list[Expr] = [Not(IsNull(a)) for a in args if not _is_known(a)]
        if call.where is not None:
            seen.append(call.where)
        one: Expr = Literal(1, INT)
        if seen:
            when = seen[0] if len(seen) == 1 else And(tuple(seen))
            one = Case(((when, one),), Literal(0, INT))
        return Fold("sum", (place,), call.type, or_zero=is_global), [one]
    if call.function == "count_if" and not call.distinct:
        when = args[0] if call.where is None else And((*args, call.where))
        one = Case(((when, Literal(1, INT)),), Literal(0, INT))
        return Fold("sum", (place,), call.type, or_zero=is_global), [one]
    if call.where is not None:
        if call.function not in ("sum", "min", "max", "avg", "count"):
            raise UnsupportedError(f"{call.function} with FILTER")
        args = [Case(((call.where, a),), Literal(None, a.type)) for a in args]
    places = tuple(place + i for i in range(len(args)))
    function = AS_EXTREME.get(aggregate_function(call.function).prover, call.function)
    return Fold(function, places, call.type, call.distinct), args


def _looking_back(named: NamedOver) -> NamedOver:
    """The rows that follow are those before in the opposite order."""
    call = named.call
    if call.function != "lead" or not call.order:
        return named
    order = tuple(SortKey(k.expr, not k.ascending, not k.nulls_first) for k in call.order)
    return replace(named, call=replace(call, function="lag", order=order))


def _one_more(count: Expr, call: OverCall) -> Expr:
    return added([count, Literal(1, LONG)], call.type)


def _is_known(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value is not None


def _grouped(key: Expr) -> Expr:
    """Grouping takes 0.0 for -0.0 and shows one of them: the key is the normalized value."""
    return OpaqueCall(NORMALIZED, (key,), key.type) if has_floats(key.type) else key


def _outer_reads(operator: AnyOperator) -> list[OuterColumn]:
    return [n for e in operator_exprs(operator) for n in parts(e) if isinstance(n, OuterColumn)]


def _order_below(dataflow: Dataflow, id_: str) -> tuple[Direction, ...]:
    """The directions of the order a limit follows."""
    while not isinstance(dataflow.operators[id_], Sort):
        if dataflow.operators[id_].traits.order is not RowOrder.KEPT:
            return ()
        id_ = dataflow.inputs[id_][0]
    sort = dataflow.operators[id_]
    assert isinstance(sort, Sort)
    return tuple((k.ascending, k.nulls_first) for k in sort.keys)


def _rank(call: OverCall) -> OverMeaning | None:
    """Which rank a window function gives, if it gives one."""
    function = OVER.get(call.function)
    return function.prover if function is not None and function.prover in RANKS else None


def _is_told(call: OverCall) -> bool:
    """Whether a window function is a fold over rows before and alike, or their number."""
    if call.ignore_nulls or any(has_floats(a.type) for a in call.args):
        return False
    if _rank(call) is not None:
        return True
    folded = AGGREGATE.get(call.function)
    if folded is None or folded.prover is FoldMeaning.UNINTERPRETED:
        return False
    return call.frame in (WHOLE, RUNNING, Frame("range", None, None), Frame("rows", None, 0))
