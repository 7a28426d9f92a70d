"""Operators that change each row on its own; multiplicities and further sort keys stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from veer.ir import expr as ex, ops
from veer.prove.algebra.lowering.base import ExpressionLowering, OperatorInput
from veer.prove.algebra.terms import Atom, Bag, Opaque, Term


def lower_filter(lowering: ExpressionLowering, operator: ops.Filter, given: OperatorInput) -> Bag:
    """A condition more: a term keeps rows on which its conditions are true, not null."""
    read = _reader(lowering, given)
    return tuple(
        replace(t, conditions=(*t.conditions, read(operator.predicate, t))) for t in given.bag
    )


def lower_project(lowering: ExpressionLowering, operator: ops.Project, given: OperatorInput) -> Bag:
    """Other outputs; sort keys behind them stay."""
    read, width = _reader(lowering, given), len(given.schema)
    return tuple(
        replace(t, outputs=(*(read(n.expr, t) for n in operator.columns), *t.outputs[width:]))
        for t in given.bag
    )


def lower_sort(lowering: ExpressionLowering, operator: ops.Sort, given: OperatorInput) -> Bag:
    """The sort keys as further outputs, in the place of those of an earlier order."""
    read, width = _reader(lowering, given), len(given.schema)
    return tuple(
        replace(t, outputs=(*t.outputs[:width], *(read(k.expr, t) for k in operator.keys)))
        for t in given.bag
    )


def lower_sink(operator: ops.Sink, given: OperatorInput) -> Bag:
    """The columns a sink shows; sort keys behind them stay."""
    if not operator.columns:
        return given.bag
    schema = given.schema
    places = [schema.place(c.name, c.occurrence) for c in operator.columns]
    return tuple(
        replace(t, outputs=(*(t.outputs[i] for i in places), *t.outputs[len(schema) :]))
        for t in given.bag
    )


def lower_row_udf(operator: ops.RowUdf, given: OperatorInput) -> Bag:
    """Each column a function adds is some function of the columns it reads.

    Lowering refuses choices before, so the same arguments give the same in P and in Q.
    """

    def added(term: Term) -> tuple[ex.Expr, ...]:
        places = (given.schema.place(c.name, c.occurrence) for c in operator.reads)
        args = tuple(term.outputs[place] for place in places)
        return tuple(
            ex.OpaqueCall(f"{operator.identity}#{i}", args, f.type)
            for i, f in enumerate(operator.adds)
        )

    return tuple(replace(t, outputs=t.outputs + added(t)) for t in given.bag)


def lower_unnest(lowering: ExpressionLowering, operator: ops.Unnest, given: OperatorInput) -> Bag:
    """Elements of an array as the rows of a relation that depends on the array.

    How many there are, and which, is some function of the array: the same for the same array.
    """
    read = _reader(lowering, given)
    types = operator.generated_types()
    identity = (
        f"unnest outer={operator.outer} position={operator.position} inline={operator.inline}"
    )
    terms = []
    for term in given.bag:
        array = read(operator.generator, term)
        relation = Opaque(identity, (), (array,), types, (True,) * len(types))
        atom = Atom(lowering.context.fresh(), relation)
        terms.append(Term((*term.atoms, atom), term.conditions, term.outputs + atom.columns))
    return tuple(terms)


def _reader(
    lowering: ExpressionLowering, given: OperatorInput
) -> Callable[[ex.Expr, Term], ex.Expr]:
    schema = given.schema
    return lambda expr, term: lowering.expr(expr, schema, term, given.outer)
