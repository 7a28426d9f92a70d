"""Python functions inside of plans of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from veer.errors import UnsupportedError
from veer.ir import expr as ex
from veer.ir.ops import TableUdf
from veer.ir.schema import Field
from veer.read.pyspark.connect.surroundings import RegisteredFunction, Surroundings
from veer.read.pyspark.connect.types import read_type, require_struct
from veer.read.python.in_plans import python_call, python_table

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.expressions_pb2 import CommonInlineUserDefinedFunction


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
