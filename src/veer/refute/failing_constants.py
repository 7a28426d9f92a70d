"""Constants that fail a run of Spark, whatever the rows hold: a witness beside one would not run.

    SELECT name FROM t WHERE year = ''   =>   CAST('' AS DOUBLE), which Spark computes as it plans

Spark computes what consists of constants alone before it reads a row. Only inside of CASE, COALESCE
and NANVL it leaves what fails for later. Constants are followed through projections, and from one part
of a condition into the others, as Spark does. What is found is refused: where Spark happens to drop
such a part beforehand, a witness is lost, not a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from veer.errors import VeerError
from veer.functions.registry import Failure, Kind, scalar_function
from veer.interpreter.expressions import compile_expr
from veer.interpreter.run import Run
from veer.model.conditions import conjuncts
from veer.model.dag import Dataflow
from veer.model.expr import (
    And,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Expr,
    GetField,
    InList,
    IsNull,
    Literal,
    Not,
    Or,
)
from veer.model.ops import Filter, Join, Project
from veer.model.schema import Schema
from veer.model.traits import RowOrder
from veer.model.walk import children, operator_exprs, parts, subqueries, substitute_columns

LATER = ("coalesce", "nanvl")  # functions that may leave an argument alone
CONSTANT = Literal | Cast | Compare | InList | Case | And | Or | Not | IsNull | GetField
Constants = Mapping[int, Expr]  # columns that are computed of constants, by their places


def failing_constant(dataflow: Dataflow) -> Expr | None:
    """A part of a dataflow that is computed of constants and fails; None if there is none."""
    return dataflow.cached("failing constant", lambda: next(_failing(dataflow), None))


def _failing(dataflow: Dataflow) -> Iterator[Expr]:
    constants: dict[str, Constants] = {}
    for id_ in dataflow.order:
        operator, inputs = dataflow.operators[id_], dataflow.inputs[id_]
        schemas = [dataflow.schemas[i] for i in inputs]
        rows = Schema(tuple(f for schema in schemas for f in schema))
        known: dict[int, Expr] = {}
        for place, i in enumerate(inputs):
            offset = sum(map(len, schemas[:place]))
            known |= {offset + at: expr for at, expr in constants[i].items()}
        constants[id_] = {}

        def constant(column: Column, rows: Schema = rows, known: Constants = known) -> Expr:
            return known.get(rows.place(column.name, column.occurrence), column)

        exprs = list(operator_exprs(operator))
        if known:
            exprs = [_replaced(expr, constant) for expr in exprs]
        if isinstance(operator, Filter | Join):
            exprs += [e for expr in exprs for e in _propagated(expr)]
        for expr in exprs:
            yield from failing_parts(expr)
        for query in subqueries(operator):
            if (inner := failing_constant(query)) is not None:
                yield inner
        if isinstance(operator, Project):
            constants[id_] = {i: e for i, e in enumerate(exprs) if _is_constant(e)}
        elif len(inputs) == 1 and dataflow.schemas[id_] == schemas[0]:
            if isinstance(operator, Filter) or operator.traits.order is RowOrder.KEPT:
                constants[id_] = known


def _replaced(expr: Expr, change: Callable[[Column], Expr]) -> Expr:
    try:
        return substitute_columns(expr, change)
    except VeerError:  # a subquery reads the column
        return expr


def _propagated(condition: Expr) -> Iterator[Expr]:
    """A condition with the constants that its parts say columns are equal to."""
    said = {
        part.left: part.right
        for part in conjuncts(condition)
        if isinstance(part, Compare) and part.op in ("=", "<=>")
        and isinstance(part.left, Column) and isinstance(part.right, Literal)
    }  # fmt: skip
    if said:
        yield _replaced(condition, lambda column: said.get(column, column))


def failing_parts(expr: Expr) -> Iterator[Expr]:
    """The parts of an expression that Spark computes as it plans, and that fail."""
    if _is_constant(expr):
        if _fails(expr):
            yield expr
        return
    if isinstance(expr, Case) or (isinstance(expr, Call) and expr.function in LATER):
        return
    for part in children(expr):
        yield from failing_parts(part)


def _is_constant(expr: Expr) -> bool:
    """Whether an expression consists of constants and functions that always give the same."""
    return not isinstance(expr, Literal) and all(
        isinstance(part, CONSTANT)
        or (isinstance(part, Call) and scalar_function(part.function).kind is Kind.PURE)
        for part in parts(expr)
    )


def _fails(expr: Expr) -> bool:
    try:
        compile_expr(expr, (Schema(()),))((), (Run({}),))
    except Failure:
        return True
    except VeerError:
        pass
    return False
