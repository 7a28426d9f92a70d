"""From a dataflow to sum-normal form, operator by operator; exact, or refused with a reason."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never, final

from veer.assumptions import KeyAssumption
from veer.facts.determinism import keys_relied_on, operator_kind
from veer.facts.fingerprint import identity
from veer.facts.row_counts import most_rows
from veer.functions.registry import Kind
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.pprint import brief
from veer.ir.traits import RowOrder
from veer.ir.walk import EnclosingRows, operator_exprs, parts
from veer.prove.algebra import terms
from veer.prove.algebra.conditions import can_be_null
from veer.prove.algebra.context import TooLargeError
from veer.prove.algebra.definitions import SCALAR
from veer.prove.algebra.keys import is_one_row
from veer.prove.algebra.lowering import rows as lowering_rows
from veer.prove.algebra.lowering.aggregates import lower_aggregate
from veer.prove.algebra.lowering.base import ExpressionLowering, OperatorInput
from veer.prove.algebra.lowering.joins import lower_join, lower_lateral
from veer.prove.algebra.lowering.order import Ordered, in_common
from veer.prove.algebra.lowering.windows import looking_back, lower_over

# Beyond these an operator is refused: the work on its terms grows with their product.
MOST_TERMS = 48
MOST_ATOMS = 14
MOST_ROWS = 24

Directions: TypeAlias = tuple[terms.Direction, ...]


@final
@dataclass
class Lowering(ExpressionLowering):
    """Lowers the dataflows of one query pair into bags over shared symbols."""

    assumptions: set[KeyAssumption] = field(default_factory=set)

    def result(self, dataflow: Dataflow) -> tuple[terms.Bag, Directions]:
        """What the only sink shows, its sort keys as further outputs, and their directions."""
        (sink,) = dataflow.sinks
        return self._lower(dataflow, sink, ())

    def query(self, dataflow: Dataflow, rows: EnclosingRows) -> terms.Bag:
        """The result of a subquery that may read the rows around it, groups expanded."""
        (sink,) = dataflow.sinks
        bag, _ = self._lower(dataflow, sink, rows)
        return self.groups.expanded(_without_sort_keys(bag, len(dataflow.schemas[sink])))

    def _lower(
        self, dataflow: Dataflow, goal: str, rows: EnclosingRows
    ) -> tuple[terms.Bag, Directions]:
        """The bag of one operator; orders are kept through Filter, Project and Limit."""
        bags: dict[str, terms.Bag] = {}
        orders: dict[str, Directions] = {}
        needed = dataflow.ancestors(goal)
        for id_ in dataflow.order:
            if id_ not in needed:
                continue
            below = dataflow.inputs[id_]
            # An output that is read twice, as in a self-join, ranges over its rows twice.
            inputs = [tuple(map(self.context.freshened, bags[i])) for i in below]
            order = orders[below[0]] if len(below) == 1 else ()
            operator = dataflow.operators[id_]
            # Above such an operator nobody sees the order, so the keys of it are no part of the rows.
            if operator.traits.order in (RowOrder.NONE, RowOrder.UNKNOWN):
                widths = [len(dataflow.schemas[i]) for i in below]
                inputs = list(map(_without_sort_keys, inputs, widths))
                order = ()
            if isinstance(operator, ops.Sort):
                order = _directions(operator)
            bag = self._operator(OperatorInput(dataflow, id_, tuple(inputs), rows))
            if len(bag) > MOST_TERMS or any(len(t.atoms) > MOST_ATOMS for t in bag):
                raise TooLargeError(f"operator {id_!r} has too many cases to compare", operator=id_)
            bags[id_], orders[id_] = bag, order
        return bags[goal], orders[goal]

    def _operator(self, given: OperatorInput) -> terms.Bag:
        """The bag of an operator over the bags of its inputs: exactly its rows, or refused."""
        self._require_function(given)
        operator = given.operator
        match operator:
            case ops.Source():
                return _single(terms.Atom(self.context.fresh(), terms.Table(operator)))
            case ops.Values():
                return _constant_rows(operator, given)
            case ops.Filter():
                return lowering_rows.lower_filter(self, operator, given)
            case ops.Project():
                return lowering_rows.lower_project(self, operator, given)
            case ops.Sort():
                return lowering_rows.lower_sort(self, operator, given)
            case ops.Sink():
                return lowering_rows.lower_sink(operator, given)
            case ops.Join():
                return lower_join(self, operator, given)
            case ops.Aggregate(keys, calls):
                exprs = [k.expr for k in keys]
                return lower_aggregate(self, exprs, calls, given, is_global=False)
            case ops.GlobalAggregate(calls):
                return lower_aggregate(self, [], calls, given, is_global=True)
            case ops.Union():
                return tuple(t for bag in given.bags for t in bag)  # UNION ALL: rows add up
            case ops.Lateral():
                return lower_lateral(self, operator, given)
            case ops.RowUdf():
                return lowering_rows.lower_row_udf(operator, given)
            case ops.Unnest():
                return lowering_rows.lower_unnest(self, operator, given)
            case ops.Limit():
                return self._limit(operator, given)
            case ops.Deduplicate(keys=named_keys):
                if any(ty.has_floats(k.type) for k in named_keys):
                    given.refuse("takes -0.0 for 0.0")
                return given.bag  # no choice, so a key is among its columns
            case ops.Over():
                backwards = looking_back(operator)
                bag = lower_over(self, backwards, given)
                return self._opaque(backwards, given) if bag is None else bag
            case ops.IntersectAll() | ops.ExceptAll():
                return self._counted_rows(operator, given)
            case ops.TableUdf():
                return self._opaque(operator, given)
            case ops.Sample():
                return given.refuse("draws a sample")
            case _:
                assert_never(operator)

    def _require_function(self, given: OperatorInput) -> None:
        """An operator is lowered only if its output is a function of the bags below it."""
        dataflow, id_ = given.dataflow, given.id
        if operator_kind(dataflow, id_) in (Kind.CHOICE, Kind.PARTITION):
            given.refuse(f"[{brief(given.operator)}] can give different results on the same input")
        self.assumptions.update(keys_relied_on(dataflow, id_))
        if isinstance(given.operator, ops.TableUdf) and any(
            isinstance(dataflow.operators[i], ops.Sort) for i in dataflow.ancestors(id_)
        ):
            given.refuse("may see the order of its input")

    def _limit(self, limit: ops.Limit, given: OperatorInput) -> terms.Bag:
        """The first rows in the order below; all of them where there are never more."""
        dataflow, id_ = given.dataflow, given.id
        if limit.count == 0:
            return ()
        # Where ties leave a choice of rows, `_require_function` has refused the operator.
        if limit.offset == 0:
            below = dataflow.inputs[id_][0]
            if limit.count is None or most_rows(dataflow, below) <= limit.count:
                return given.bag
        order = _order_below(dataflow, id_)
        top = terms.Top(given.bag, len(given.schema), order, limit.count, limit.offset)
        return Ordered(self.context).merged(top)

    def _counted_rows(
        self, operator: ops.IntersectAll | ops.ExceptAll, given: OperatorInput
    ) -> terms.Bag:
        """INTERSECT ALL and EXCEPT ALL by how often a row comes in each input."""
        bags = [self.groups.expanded(bag) for bag in given.bags]
        if not any(bags):
            return ()
        term = in_common(self.context, bags, without=isinstance(operator, ops.ExceptAll))
        return self._opaque(operator, given) if term is None else (term,)

    def _opaque(self, operator: ops.AnyOperator, given: OperatorInput) -> terms.Bag:
        """An operator that is some function of its whole inputs.

        The same identity over equal bags gives equal rows; nothing else is assumed of it.
        """
        if given.outer and _reads_outer_rows(operator):
            given.refuse("reads the rows around its subquery")
        schema = given.dataflow.schemas[given.id]
        bags = tuple(self.groups.expanded(bag) for bag in given.bags)
        nullable = tuple(f.nullable for f in schema)
        relation = terms.Opaque(identity(operator, given.schemas), bags, (), schema.types, nullable)
        return _single(terms.Atom(self.context.fresh(), relation))

    # -- subqueries ----------------------------------------------------------------------------

    def exists(self, query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """Whether a query has a row: columns, orders and limits at its top say nothing of that."""
        (goal,) = query.sinks
        while _keeps_emptiness(query.operators[goal]):
            (goal,) = query.inputs[goal]
        bag, _ = self._lower(query, goal, rows)
        return self.context.exists(self.groups.expanded(bag))

    def contains(self, args: tuple[ex.Expr, ...], query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """True if a row compares equal; else null if one cannot be compared; else false."""
        equal_rows: list[terms.Term] = []
        not_unequal_rows: list[terms.Term] = []
        nullable = False
        for term in self.query(query, rows):
            compared = [ex.Compare("=", a, o) for a, o in zip(args, term.outputs, strict=True)]
            equal: ex.Expr = compared[0] if len(compared) == 1 else ex.And(tuple(compared))
            not_false = ex.Not(ex.Case(((ex.Not(equal), terms.TRUE),), terms.FALSE))
            equal_rows.append(terms.Term(term.atoms, (*term.conditions, equal), ()))
            not_unequal_rows.append(terms.Term(term.atoms, (*term.conditions, not_false), ()))
            nullable = nullable or can_be_null(equal)
        is_in = self.context.exists(tuple(map(self.context.freshened, equal_rows)))
        if not nullable:
            return is_in
        is_unsure = self.context.exists(tuple(map(self.context.freshened, not_unequal_rows)))
        return ex.Case(
            ((is_in, terms.TRUE), (is_unsure, ex.Literal(None, ty.BOOLEAN))), terms.FALSE
        )

    def scalar(self, query: Dataflow, rows: EnclosingRows) -> ex.Expr:
        """The value of a single row, which a global aggregate always has; null without one.

        Of at most one value the greatest is that value; where there may be several rows Spark
        fails, and the symbol stands for some value, the same for the same bag.
        """
        bag = self.query(query, rows)
        if len(bag) == 1 and not bag[0].atoms and not bag[0].conditions:
            return bag[0].outputs[0]
        type_ = query.result_schema.types[0]
        single = most_rows(query, query.sinks[0]) <= 1 or (
            len(bag) == 1 and is_one_row(self.context, bag[0])
        )
        if single and ty.is_orderable(type_) and not ty.has_floats(type_):
            return self.context.fold("max", type_, False, bag)
        return self.context.fold(SCALAR, type_, False, bag)


def _single(atom: terms.Atom) -> terms.Bag:
    """The rows of one relation."""
    return (terms.Term((atom,), (), atom.columns),)


def _constant_rows(operator: ops.Values, given: OperatorInput) -> terms.Bag:
    """A term without atoms for each row: it gives its outputs once."""
    if len(operator.rows) > MOST_ROWS:
        size = len(operator.rows)
        raise TooLargeError(f"operator {given.id!r} has {size} rows", operator=given.id)
    types = [f.type for f in operator.fields]
    return tuple(terms.Term((), (), tuple(map(ex.Literal, row, types))) for row in operator.rows)


def _without_sort_keys(bag: terms.Bag, width: int) -> terms.Bag:
    """The columns of the rows, without the sort keys that stand behind them."""
    return tuple(replace(t, outputs=t.outputs[:width]) for t in bag)


def _keeps_emptiness(operator: ops.AnyOperator) -> bool:
    """Whether an operator has a row exactly if its only input has one."""
    match operator:
        case ops.Sink() | ops.Project() | ops.Sort() | ops.Limit(None, 0):
            return True
        case ops.Limit(int() as count, 0):
            return count > 0
        case (
            ops.Limit()
            | ops.Filter()
            | ops.Deduplicate()
            | ops.Sample()
            | ops.Over()
            | ops.Unnest()
            | ops.Lateral()
        ):
            return False
        case (
            ops.Source()
            | ops.Values()
            | ops.Join()
            | ops.Aggregate()
            | ops.GlobalAggregate()
            | ops.Union()
        ):
            return False
        case ops.IntersectAll() | ops.ExceptAll() | ops.RowUdf() | ops.TableUdf():
            return False
        case _:
            assert_never(operator)


def _reads_outer_rows(operator: ops.AnyOperator) -> bool:
    return any(isinstance(n, ex.OuterColumn) for e in operator_exprs(operator) for n in parts(e))


def _order_below(dataflow: Dataflow, id_: str) -> Directions:
    """The directions of the order a limit follows."""
    while not isinstance(dataflow.operators[id_], ops.Sort):
        if dataflow.operators[id_].traits.order is not RowOrder.KEPT:
            return ()
        id_ = dataflow.inputs[id_][0]
    sort = dataflow.operators[id_]
    assert isinstance(sort, ops.Sort)
    return _directions(sort)


def _directions(sort: ops.Sort) -> Directions:
    return tuple((k.ascending, k.nulls_first) for k in sort.keys)
