"""Expressions of the Connect client that SQL does not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast, final

from sqlglot import exp

from veer.errors import UnsupportedError
from veer.ir import expr as ex, types as ty
from veer.read import coercion
from veer.read.pyspark.connect import literals
from veer.read.sql.embedded import Embedded
from veer.read.sql.names import pretty
from veer.read.sql.scope import fields_of_items
from veer.settings import same_name

if TYPE_CHECKING:
    from veer.read.pyspark.connect.surroundings import Surroundings
    from veer.read.sql.expressions import ExprReader


class PlanReading(Protocol):
    """What reads the plan that an expression is part of: see `relations.RelationReader`."""

    around: Surroundings

    def column_of_plan(self, reader: ExprReader, plan_id: int, names: Sequence[str]) -> ex.Expr:
        """The column that a name means in the plan of a number, as the rows here have it."""

    def python_call(self, function: Any, args: Sequence[tuple[str, ex.Expr]]) -> ex.Expr:
        """The call of a Python function that came with the plan."""


def relations(reader: ExprReader) -> PlanReading:
    """What reads the plan that an expression is part of."""
    return cast(PlanReading, reader.queries)


@final
class Constant(Embedded):
    """A constant of a given type."""

    @property
    def literal(self) -> ex.Literal:
        """The constant itself."""
        literal: ex.Literal = self.args["literal"]
        return literal

    def read_by(self, reader: ExprReader) -> ex.Expr:
        stated = self.args.get("stated")
        if stated is not None and relations(reader).around.is_server:
            return literals.as_stated(self.literal, stated)
        return self.literal

    def shown(self) -> str:
        return literals.shown(self.literal)


@final
class PlanColumn(Embedded):
    """A column of a given plan, `df["x"]`, which may stand anywhere below."""

    @property
    def plan_id(self) -> int:
        """The number of the plan."""
        return int(self.args["plan_id"])

    @property
    def names(self) -> tuple[str, ...]:
        """The dotted name; a lone `*` means all columns."""
        return tuple(self.args["names"])

    def read_by(self, reader: ExprReader) -> ex.Expr:
        return relations(reader).column_of_plan(reader, self.plan_id, self.names)

    def shown(self) -> str:
        return self.names[-1]

    @property
    def column_name(self) -> str:
        return self.names[-1]


@final
class LongName(Embedded):
    """A name of more parts than SQL's columns have: fields inside of fields."""

    def read_by(self, reader: ExprReader) -> ex.Expr:
        return reader.resolve(list(self.args["names"]))

    def shown(self) -> str:
        return ".".join(self.args["names"])

    @property
    def column_name(self) -> str:
        return str(self.args["names"][-1])


@final
class Part(Embedded):
    """`value[key]`: a field of a struct, an item of an array or of a map."""

    def read_by(self, reader: ExprReader) -> ex.Expr:
        value, key = (reader.value(part) for part in self.expressions)
        self.set("is_field", isinstance(value.type, ty.StructType))
        if not isinstance(value.type, ty.StructType):
            if (
                isinstance(value.type, ty.ArrayType)
                and isinstance(key, ex.Literal)
                and key.type == ty.STRING
            ):
                self.set("is_field", True)
                return fields_of_items(value, str(key.value))
            return coercion.call("item", value, key)
        if not isinstance(key, ex.Literal) or not isinstance(key.value, str):
            raise UnsupportedError("a field of a struct that is not named by a constant")
        return field_of(value, key.value)

    def shown(self) -> str:
        value, key = map(pretty, self.expressions)
        return f"{value}.{key}" if self.args.get("is_field") else f"{value}[{key}]"


def field_of(value: ex.Expr, name: str) -> ex.Expr:
    """A field of a struct by its name."""
    assert isinstance(value.type, ty.StructType)
    matching = [n for n, _ in value.type.fields if same_name(n, name)]
    if len(matching) != 1:
        raise UnsupportedError(f"the field {name!r} of {value.type}")
    return ex.GetField(value, matching[0])


@final
class Updated(Embedded):
    """A struct with a field set, or taken away if there is no value."""

    def read_by(self, reader: ExprReader) -> ex.Expr:
        struct, *values = (reader.value(part) for part in self.expressions)
        field = str(self.args["field"])
        if "." in field or not isinstance(struct.type, ty.StructType):
            raise UnsupportedError(f"the field {field!r} of {struct.type} is changed")
        fields: dict[str, ex.Expr] = {n: ex.GetField(struct, n) for n, _ in struct.type.fields}
        same = [n for n in fields if same_name(n, field)]
        if len(fields) < len(struct.type.fields) or len(same) > 1:
            raise UnsupportedError("a struct with two fields of one name is changed")
        if values:
            # In the place of the old field, under the name as it is written now.
            fields = {field if n in same else n: e for n, e in fields.items()}
            fields[field] = values[0]
        else:
            for name in same:
                del fields[name]
        if not fields:
            raise UnsupportedError("all fields of a struct are dropped")
        parts = [p for n, e in fields.items() for p in (ex.Literal(n, ty.STRING), e)]
        changed = coercion.call("named_struct", *parts)
        return coercion.case([(ex.IsNull(struct), ex.Literal(None, changed.type))], changed)

    def shown(self) -> str:
        raise UnsupportedError("a changed struct without an alias")


@final
class PythonCall(Embedded):
    """A call of a Python function; arguments may be named."""

    def read_by(self, reader: ExprReader) -> ex.Expr:
        args = [reader.value(part) for part in self.expressions]
        named = list(zip(self.args["keywords"], args, strict=True))
        return relations(reader).python_call(self.args["function"], named)

    def shown(self) -> str:
        shown = ", ".join(map(pretty, self.expressions))
        return f"{self.args['function'].function_name}({shown})"


@final
class FramePlan(Embedded):
    """A query given as a DataFrame; stands where SQL has a query."""

    @property
    def plan_id(self) -> int:
        """The number of the plan."""
        return int(self.args["plan_id"])

    def read_by(self, reader: ExprReader) -> ex.Expr:
        raise UnsupportedError("a DataFrame where a value is wanted")

    def shown(self) -> str:
        return "..."


def parts_of(node: exp.Expr) -> list[str]:
    """The parts of a column's name."""
    if isinstance(node, LongName):
        return list(node.args["names"])
    return [part.name for part in node.parts]  # type: ignore[attr-defined]


__all__ = [
    "Constant",
    "FramePlan",
    "LongName",
    "Part",
    "PlanColumn",
    "PythonCall",
    "Updated",
    "parts_of",
]
