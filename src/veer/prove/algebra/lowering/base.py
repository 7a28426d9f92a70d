"""What the parts of lowering share: the context, an operator's input, resolved expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NoReturn, final

from veer.errors import UnsupportedError
from veer.facts.determinism import is_random
from veer.ir.dag import Dataflow
from veer.ir.expr import Expr
from veer.ir.ops import AnyOperator
from veer.ir.schema import Schema
from veer.ir.walk import EnclosingRows, ResolvedRow, resolve
from veer.prove.algebra.context import Context
from veer.prove.algebra.lowering.groups import Groups
from veer.prove.algebra.simplify import simplify_node
from veer.prove.algebra.terms import Bag, Term


@final
@dataclass(frozen=True, slots=True)
class OperatorInput:
    """An operator in its dataflow, with the bags below it and the rows around its query."""

    dataflow: Dataflow
    id: str
    bags: tuple[Bag, ...]
    outer: EnclosingRows

    @property
    def operator(self) -> AnyOperator:
        """The operator itself."""
        return self.dataflow.operators[self.id]

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """The schemas of its inputs."""
        return tuple(self.dataflow.schemas[i] for i in self.dataflow.inputs[self.id])

    @property
    def bag(self) -> Bag:
        """The bag of its first input."""
        return self.bags[0]

    @property
    def schema(self) -> Schema:
        """The schema of its first input."""
        return self.schemas[0]

    def refuse(self, reason: str) -> NoReturn:
        """Say why the operator cannot be lowered; the answer is then UNKNOWN."""
        raise UnsupportedError(f"operator {self.id!r} {reason}", operator=self.id)


@dataclass
class ExpressionLowering(ABC):
    """Expressions over inputs as expressions over tuple variables.

    Reading the subqueries inside them is left to `Lowering`, which knows all operators.
    """

    context: Context
    groups: Groups
    joins_partners: bool = False  # left joins with one partner at most are kept as one term
    partnered: int = 0  # how many were

    def expr(self, expr: Expr, schema: Schema, term: Term, outer: EnclosingRows) -> Expr:
        """An expression over rows with a schema, which are the outputs of a term."""
        if is_random(expr):
            raise UnsupportedError("an expression draws random numbers")
        rows = (ResolvedRow(schema, term.outputs), *outer)
        return resolve(expr, rows, self, lambda node: simplify_node(self.context, node))

    @abstractmethod
    def query(self, dataflow: Dataflow, rows: EnclosingRows) -> Bag:
        """The result of a subquery that may read the rows around it."""

    @abstractmethod
    def exists(self, query: Dataflow, rows: EnclosingRows) -> Expr:
        """Whether a subquery has a row."""

    @abstractmethod
    def contains(self, args: tuple[Expr, ...], query: Dataflow, rows: EnclosingRows) -> Expr:
        """Whether a subquery has a row equal to the arguments, in three-valued logic."""

    @abstractmethod
    def scalar(self, query: Dataflow, rows: EnclosingRows) -> Expr:
        """The single value of a subquery."""
