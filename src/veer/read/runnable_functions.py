"""What opaque functions of a version really give, for the refuter: those that may run, and no other.

A library operator is Veer's own code over the words or the model that a file names; functions of a
user's file and code of a workflow file run where the user said so. Whatever is not a function of
its arguments alone takes no part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from veer.errors import InputError
from veer.functions.registry import Failure
from veer.ir import types as ty
from veer.ir.dag import Dataflow
from veer.ir.ops import RowUdf
from veer.ir.schema import Field
from veer.ir.walk import subqueries
from veer.read.function_bodies import Bodies

PLAIN: tuple[tuple[ty.DataType, type], ...] = (
    (ty.STRING, str),
    (ty.BOOLEAN, bool),
    (ty.DOUBLE, float),
)


def real_functions(dataflow: Dataflow, bodies: Bodies) -> Mapping[str, Callable[..., Any]]:
    """The functions of rows that can be run, by identity."""
    functions: dict[str, Callable[..., Any]] = {}
    for operator in dataflow.operators.values():
        if isinstance(operator, RowUdf) and _is_plain(operator):
            try:
                body = bodies.of(operator)
            except InputError:
                continue  # nobody knows what it does, or it may not be run
            if body.digest is not None:
                functions[operator.identity] = RealFunction(
                    body.function, operator.adds, body.digest
                )
        for query in subqueries(operator):
            functions.update(real_functions(query, bodies))
    return functions


def _is_plain(operator: RowUdf) -> bool:
    """Whether values go to the function and back as they are."""
    types = [*(c.type for c in operator.reads), *(f.type for f in operator.adds)]
    plain = [type_ for type_, _ in PLAIN]
    return all(t in plain or isinstance(t, ty.IntegralType) for t in types)


@final
class RealFunction:
    """A function as Spark runs it; a value that is not of its declared type is not guessed at.

    Two are equal if what their values depend on is.
    """

    def __init__(self, function: Callable[..., Any], adds: Sequence[Field], digest: str) -> None:
        self.function = function
        self.adds = adds
        self.digest = digest
        self.samples: Sequence[str] = getattr(function, "samples", ())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RealFunction) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __call__(self, *args: Any) -> Any:
        try:
            value = self.function(*args)
        except Exception as error:
            raise Failure(f"{type(error).__name__} in a Python function") from None
        values = (value,) if len(self.adds) == 1 else value
        if not isinstance(values, tuple | list) or len(values) != len(self.adds):
            raise Failure("a Python function gave another number of values")
        for one, field in zip(values, self.adds, strict=True):
            if not _fits(one, field):
                raise Failure("a Python function gave a value of another type than declared")
        return tuple(values)


def _fits(value: Any, field: Field) -> bool:
    """Whether a value is one of the declared type, which is then handed on as it is."""
    if value is None:
        return field.nullable
    if isinstance(field.type, ty.IntegralType):
        half = 1 << (ty.INTEGER_BITS[field.type] - 1)
        return type(value) is int and -half <= value < half
    return any(type(value) is python and field.type == type_ for type_, python in PLAIN)
