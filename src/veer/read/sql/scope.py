"""Names in scope: which column a reference means, by Spark's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from sqlglot import exp

from veer.errors import IllFormedError, UnknownNameError, UnsupportedError
from veer.ir import expr as ex, types as ty
from veer.ir.schema import Schema, listing
from veer.read import coercion
from veer.read.sql.parse import position
from veer.settings import name_key, same_name


@dataclass(frozen=True)
class ScopeColumn:
    """What a column of the current rows may be called.

    `hidden` columns (the other side's key of a USING join) are not part of `*` and are only found
    with their qualifier. `number` stays with a column wherever it is passed on unchanged; what is
    computed has a number of its own.
    """

    qualifier: str | None
    name: str
    hidden: bool = False
    number: int = field(default_factory=count().__next__, compare=False)


@dataclass(frozen=True)
class Plan:
    """An operator being built upon, and what its columns are called."""

    id: str
    schema: Schema
    columns: tuple[ScopeColumn, ...]

    def renamed(self, qualifier: str | None, names: Sequence[str] | None = None) -> Plan:
        """The same rows under an alias; hidden columns are gone from sight."""
        shown = self.schema.names if names is None else tuple(names)
        if not self.columns:
            return replace(self, columns=tuple(ScopeColumn(qualifier, n) for n in shown))
        return replace(
            self,
            columns=tuple(
                replace(c, qualifier=qualifier, name=n, hidden=False)
                for c, n in zip(self.columns, shown, strict=True)
            ),
        )

    def column(self, index: int) -> ex.Column:
        """A reference to the column at a position."""
        f = self.schema.fields[index]
        return ex.Column(f.name, f.type, self.schema.occurrence(index))

    def find(self, parts: Sequence[str]) -> ex.Expr | None:
        """The column or struct field a dotted name means; None if there is none."""
        keys = [name_key(p) for p in parts]
        # `a.b` is column b of table a if there is one, else field b of column a.
        for length in range(len(parts), 0, -1):
            qualifier, name = keys[: length - 1], keys[length - 1]
            matching = [i for i, c in enumerate(self.columns) if _matches(c, qualifier, name)]
            if len(matching) > 1:
                raise IllFormedError(f"column {'.'.join(parts)!r} is ambiguous")
            if matching:
                if length > 2:
                    self._check_reading(parts, length)
                return fields_of(self.column(matching[0]), parts[length:])
        return None

    def _check_reading(self, parts: Sequence[str], length: int) -> None:
        """Refuse a name that means a column of a table in a database, or a field: `t.t.a`.

        The database of a table is not known here, and decides.
        """
        keys = [name_key(p) for p in parts]
        for shorter in range(length - 1, 0, -1):
            qualifier, name = keys[: shorter - 1], keys[shorter - 1]
            if any(_matches(c, qualifier, name) for c in self.columns):
                raise UnsupportedError(
                    f"{'.'.join(parts)!r}, a column of a table or a field of a column,"
                )

    def star(self, qualifier: str | None = None) -> list[int]:
        """Positions that `*` or `qualifier.*` stands for."""
        wanted = None if qualifier is None else name_key(qualifier)
        shown = [
            i
            for i, c in enumerate(self.columns)
            if not c.hidden and (wanted is None or name_key(c.qualifier or "") == wanted)
        ]
        if not shown and wanted is not None:
            raise IllFormedError(f"no table {qualifier!r} for {qualifier}.*")
        if wanted is not None and any(
            c.hidden and name_key(c.qualifier or "") == wanted for c in self.columns
        ):
            raise UnsupportedError(f"{qualifier}.* of a table joined with USING")
        return shown

    def visible_names(self) -> tuple[str, ...]:
        """The names of the columns that `*` stands for."""
        return tuple(c.name for c in self.columns if not c.hidden)


def _matches(column: ScopeColumn, qualifier: Sequence[str], name: str) -> bool:
    """Whether a name, perhaps qualified, may mean a column; only the last qualifier counts."""
    if name_key(column.name) != name:
        return False
    if not qualifier:
        return not column.hidden
    return name_key(column.qualifier or "") == qualifier[-1]


def fields_of(expr: ex.Expr, names: Sequence[str]) -> ex.Expr | None:
    """A field inside of nested structs and maps; None where something else is asked."""
    for name in names:
        if isinstance(expr.type, ty.MapType) and expr.type.key == ty.STRING:
            expr = coercion.call("item", expr, ex.Literal(name, ty.STRING))
            continue
        if isinstance(expr.type, ty.ArrayType) and isinstance(expr.type.element, ty.StructType):
            expr = fields_of_items(expr, name)
            continue
        if not isinstance(expr.type, ty.StructType):
            return None
        exact = [n for n, _ in expr.type.fields if same_name(n, name)]
        if len(exact) != 1:
            raise IllFormedError(f"no field {name!r} in {expr.type}")
        expr = ex.GetField(expr, exact[0])
    return expr


def fields_of_items(array: ex.Expr, name: str) -> ex.Expr:
    """The array of a field of each struct of an array."""
    assert isinstance(array.type, ty.ArrayType) and isinstance(array.type.element, ty.StructType)
    matching = [(n, t) for n, t in array.type.element.fields if same_name(n, name)]
    if len(matching) != 1:
        raise IllFormedError(f"no field {name!r} in {array.type}")
    ((field, type_),) = matching
    return ex.OpaqueCall(f"field {field} of each item", (array,), ty.ArrayType(type_))


def unknown_column(parts: Sequence[str], plan: Plan | None) -> UnknownNameError:
    """The error for an unknown name."""
    there = listing(plan.visible_names()) if plan is not None and plan.columns else "no columns"
    return UnknownNameError(f"unknown column {'.'.join(parts)!r}; there are {there}", tuple(parts))


def ordinal(node: exp.Expr, width: int) -> int:
    """The column a position in ORDER BY or GROUP BY means."""
    if not str(node.this).isdigit() or not 1 <= int(node.this) <= width:
        raise IllFormedError(f"{position(node)}position {node.this} is not in the select list")
    return int(node.this) - 1


def default_names(function: str, type_: ty.DataType) -> tuple[str, ...]:
    """Spark's names for the columns of a generator."""
    position_name = ("pos",) if "pos" in function else ()
    match type_:
        case ty.MapType():
            return (*position_name, "key", "value")
        case ty.ArrayType(ty.StructType(fields)) if "inline" in function:
            return (*position_name, *(n for n, _ in fields))
        case _:
            return (*position_name, "col")
