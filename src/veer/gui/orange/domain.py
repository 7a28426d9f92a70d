"""What Orange knows about columns in addition to their values: kinds of variables, and roles.

A column is a feature, a target or a meta attribute, and what learns from a table goes by that. The
roles that a widget sets stand in the name of a column of their own, which nobody is shown: two
tables that differ in roles are two tables to all that is opaque, even without rows.

    Select Columns(iris: class)   =>   Project(..., '' AS `(roles) {"iris": "class"}`)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from veer.gui import rows as gui_rows
from veer.ir import expr as ex, types as ty
from veer.read import coercion

SYSTEM = "Orange"
DISCRETE, CONTINUOUS, TEXT, TIME = 1, 2, 3, 4  # kinds of variables, as contexts number them
TYPES: Mapping[int, ty.DataType | None] = MappingProxyType(
    {DISCRETE: ty.STRING, CONTINUOUS: ty.DOUBLE, TEXT: ty.STRING, TIME: None}
)
_ROLES = "(roles) "
_ORDER = "(order)"  # the column of tables that were put under each other: which one a row is of
TRUE, FALSE = ex.Literal(True, ty.BOOLEAN), ex.Literal(False, ty.BOOLEAN)


# -- roles -----------------------------------------------------------------------------------------


def roles_of(rows: gui_rows.Rows) -> dict[str, str]:
    """The roles that widgets have set; of all other columns they are those of the source."""
    for name in rows.names:
        if name.startswith(_ROLES):
            roles: dict[str, str] = json.loads(name.removeprefix(_ROLES))
            return roles
    return {}


def shown(rows: gui_rows.Rows) -> gui_rows.Rows:
    """The table without what only stands for its roles."""
    hidden = [name for name in rows.names if _is_hidden(name)]
    return rows.drop(hidden) if hidden else rows


def without_order(rows: gui_rows.Rows) -> gui_rows.Rows:
    """The table without what only stands for the order of its rows."""
    return rows.drop([_ORDER]) if _ORDER in rows.names else rows


def _is_hidden(name: str) -> bool:
    return name == _ORDER or name.startswith(_ROLES)


def refuse_hidden(names: Iterable[str]) -> None:
    """Refuse user columns with the name of a hidden column."""
    for name in names:
        if _is_hidden(name):
            raise gui_rows.NotModelled(f"a column that is called {name!r}")


def numbered(rows: gui_rows.Rows, place: int) -> gui_rows.Rows:
    """A table that is about to be put under others, for all that sees the order of rows.

    Rows that are opaque to Veer have an order in Orange: two tables put under each other the other
    way round are another table to a learner, though they show the same rows.
    """
    number = ex.Literal(f"{place}.", ty.STRING)
    if _ORDER in rows.names:
        earlier = coercion.call("concat", number, rows.column(_ORDER).expr)
        return rows.with_columns({_ORDER: gui_rows.Value(earlier)})
    return rows.with_columns({_ORDER: gui_rows.Value(number)})


def columns_of(rows: gui_rows.Rows) -> list[tuple[str, gui_rows.Value]]:
    """The columns that people see, in order."""
    return [(name, value) for name, value in rows.items() if not _is_hidden(name)]


def with_roles(
    rows: gui_rows.Rows,
    columns: Sequence[tuple[str, gui_rows.Value]],
    roles: Mapping[str, str],
    *,
    others: bool = True,
) -> gui_rows.Rows:
    """Just these columns, in these roles as far as they are known."""
    names = [name for name, _ in columns]
    refuse_hidden(names)
    told = {name: roles[name] for name in names if name in roles}
    added = (
        [(_ROLES + json.dumps(told, ensure_ascii=False), gui_rows.constant("", ty.STRING))]
        if told
        else []
    )
    if _ORDER in rows.names:
        added.append((_ORDER, rows.column(_ORDER)))
    return rows.select([*columns, *added], others=others)


# -- values ----------------------------------------------------------------------------------------

_NUMBERS = (ty.BYTE, ty.SHORT, ty.INT, ty.LONG, ty.FLOAT, ty.DOUBLE)


def is_number(type_: ty.DataType) -> bool:
    """Whether values of a type are numbers to Orange."""
    return type_ in _NUMBERS or isinstance(type_, ty.DecimalType)


def number(value: gui_rows.Value) -> ex.Expr:
    """A numeric column as a DOUBLE without NaN: Orange has one missing value, which is NaN itself."""
    if not value.known:
        call = gui_rows.unknown_call(SYSTEM, "number", value, type_=ty.DOUBLE).expr
        return ex.Case(((ex.IsNull(value.expr), ex.Literal(None, ty.DOUBLE)),), call)
    if not is_number(value.type):
        raise gui_rows.NotModelled(f"a column of type {value.type} as a number")
    return without_nan(coercion.cast(value.expr, ty.DOUBLE), value.type)


def without_nan(expr: ex.Expr, type_: ty.DataType = ty.DOUBLE) -> ex.Expr:
    """Null in the place of NaN."""
    if type_ not in (ty.DOUBLE, ty.FLOAT):
        return expr
    return ex.Case(((coercion.call("isnan", expr), ex.Literal(None, ty.DOUBLE)),), expr)


def text(value: gui_rows.Value) -> ex.Expr:
    """A column of text or of categories; null, and with `is_given` the empty text, is missing."""
    if not value.known:
        call = gui_rows.unknown_call(SYSTEM, "text", value, type_=ty.STRING).expr
        return ex.Case(((ex.IsNull(value.expr), ex.Literal(None, ty.STRING)),), call)
    if value.type != ty.STRING:
        raise gui_rows.NotModelled(f"a column of type {value.type} as text")
    return value.expr


def is_given(expr: ex.Expr) -> ex.Expr:
    """Whether a text is not missing."""
    empty = coercion.compare("=", expr, ex.Literal("", ty.STRING))
    return ex.And((ex.Not(ex.IsNull(expr)), ex.Not(empty)))


def surely(condition: ex.Expr) -> ex.Expr:
    """A condition that is false where it would be null."""
    return ex.Case(((condition, TRUE),), FALSE)


# -- contexts --------------------------------------------------------------------------------------


def only_context(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The context that is used; with several contexts it depends on unknown columns."""
    contexts = settings.get("context_settings", [])
    if not isinstance(contexts, list) or not all(isinstance(c, Mapping) for c in contexts):
        raise gui_rows.NotModelled("contexts that are not understood")
    if len(contexts) != 1:
        count = len(contexts) or "no"
        raise gui_rows.NotModelled(f"{count} saved contexts; which one is used depends on the data")
    context: Mapping[str, Any] = contexts[0]
    return context


def value_of(context: Mapping[str, Any], name: str) -> Any:
    """A setting of a context, without the code of its kind."""
    values = context.get("values")
    value = values.get(name) if isinstance(values, Mapping) else None
    match value:
        case [inner, int(code)] if code < 0 and not isinstance(code, bool):
            return inner
        case _:
            return value


def domain_of(context: Mapping[str, Any]) -> dict[str, int]:
    """The kinds of variables of the table for which a context was saved, by name."""
    domain: dict[str, int] = {}
    for part in (context.get("attributes"), context.get("metas")):
        if not isinstance(part, Mapping):
            raise gui_rows.NotModelled("a context that does not tell its columns")
        for name, kind in part.items():
            domain[name] = kind if isinstance(kind, int) else DISCRETE
    return domain


def typed(rows: gui_rows.Rows, name: str, kind: Any) -> gui_rows.Value:
    """A column whose kind of variable the workflow gives."""
    refuse_hidden([name])
    type_ = TYPES.get(kind) if isinstance(kind, int) else None
    value = rows.column(name, type_)
    if kind == CONTINUOUS and value.known:
        number(value)
    elif kind in (DISCRETE, TEXT) and value.known:
        text(value)
    return value
