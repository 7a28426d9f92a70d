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
from veer.ir import expr as ex, ops, walk
from veer.ir.conditions import conjuncts
from veer.ir.dag import Dataflow
from veer.ir.schema import Schema
from veer.ir.traits import RowOrder

LATER = ("coalesce", "nanvl")  # functions that may leave an argument alone
CONSTANT = (
    ex.Literal
    | ex.Cast
    | ex.Compare
    | ex.InList
    | ex.Case
    | ex.And
    | ex.Or
    | ex.Not
    | ex.IsNull
    | ex.GetField
)
Constants = Mapping[int, ex.Expr]  # columns that are computed of constants, by their places


def failing_constant(dataflow: Dataflow) -> ex.Expr | None:
    """A part of a dataflow that is computed of constants and fails; None if there is none."""
    return dataflow.cached("failing constant", lambda: next(_failing(dataflow), None))


def _failing(dataflow: Dataflow) -> Iterator[ex.Expr]:
    constants: dict[str, Constants] = {}
    for id_ in dataflow.order:
        operator, inputs = dataflow.operators[id_], dataflow.inputs[id_]
        schemas = [dataflow.schemas[i] for i in inputs]
        rows = Schema(tuple(f for schema in schemas for f in schema))
        known: dict[int, ex.Expr] = {}
        for place, i in enumerate(inputs):
            offset = sum(map(len, schemas[:place]))
            known |= {offset + at: expr for at, expr in constants[i].items()}
        constants[id_] = {}

        def constant(column: ex.Column, rows: Schema = rows, known: Constants = known) -> ex.Expr:
            return known.get(rows.place(column.name, column.occurrence), column)

        exprs = list(walk.operator_exprs(operator))
        if known:
            exprs = [_replaced(expr, constant) for expr in exprs]
        if isinstance(operator, ops.Filter | ops.Join):
            exprs += [e for expr in exprs for e in _propagated(expr)]
        for expr in exprs:
            yield from failing_parts(expr)
        for query in walk.subqueries(operator):
            if (inner := failing_constant(query)) is not None:
                yield inner
        if isinstance(operator, ops.Project):
            constants[id_] = {i: e for i, e in enumerate(exprs) if _is_constant(e)}
        elif len(inputs) == 1 and dataflow.schemas[id_] == schemas[0]:
            if isinstance(operator, ops.Filter) or operator.traits.order is RowOrder.KEPT:
                constants[id_] = known


def _replaced(expr: ex.Expr, change: Callable[[ex.Column], ex.Expr]) -> ex.Expr:
    try:
        return walk.substitute_columns(expr, change)
    except VeerError:  # a subquery reads the column
        return expr


def _propagated(condition: ex.Expr) -> Iterator[ex.Expr]:
    """A condition with the constants that its parts say columns are equal to."""
    said = {
        part.left: part.right
        for part in conjuncts(condition)
        if isinstance(part, ex.Compare) and part.op in ("=", "<=>")
        and isinstance(part.left, ex.Column) and isinstance(part.right, ex.Literal)
    }  # fmt: skip
    if said:
        yield _replaced(condition, lambda column: said.get(column, column))


def failing_parts(expr: ex.Expr) -> Iterator[ex.Expr]:
    """The parts of an expression that Spark computes as it plans, and that fail."""
    if _is_constant(expr):
        if _fails(expr):
            yield expr
        return
    if isinstance(expr, ex.Case) or (isinstance(expr, ex.Call) and expr.function in LATER):
        return
    for part in walk.children(expr):
        yield from failing_parts(part)


def _is_constant(expr: ex.Expr) -> bool:
    """Whether an expression consists of constants and functions that always give the same."""
    return not isinstance(expr, ex.Literal) and all(
        isinstance(part, CONSTANT)
        or (isinstance(part, ex.Call) and scalar_function(part.function).kind is Kind.PURE)
        for part in walk.parts(expr)
    )


def _fails(expr: ex.Expr) -> bool:
    try:
        compile_expr(expr, (Schema(()),))((), (Run({}),))
    except Failure:
        return True
    except VeerError:
        pass
    return False
