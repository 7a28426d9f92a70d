"""What Orange knows of columns beside their values: their kinds of variables, and their roles.

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

from veer.frontends import coercion
from veer.frontends.gui.rows import NotModelled, Rows, Value, constant, unknown_call
from veer.model.expr import And, Case, Expr, IsNull, Literal, Not
from veer.model.types import (
    BOOLEAN,
    BYTE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    DataType,
    DecimalType,
)

SYSTEM = "Orange"
DISCRETE, CONTINUOUS, TEXT, TIME = 1, 2, 3, 4  # kinds of variables, as contexts number them
TYPES: Mapping[int, DataType | None] = MappingProxyType(
    {DISCRETE: STRING, CONTINUOUS: DOUBLE, TEXT: STRING, TIME: None}
)
_ROLES = "(roles) "
_ORDER = "(order)"  # the column of tables that were put under each other: which one a row is of
TRUE, FALSE = Literal(True, BOOLEAN), Literal(False, BOOLEAN)


# -- roles -----------------------------------------------------------------------------------------


def roles_of(rows: Rows) -> dict[str, str]:
    """The roles that widgets have set; of all other columns they are those of the source."""
    for name in rows.names:
        if name.startswith(_ROLES):
            roles: dict[str, str] = json.loads(name.removeprefix(_ROLES))
            return roles
    return {}


def shown(rows: Rows) -> Rows:
    """The table without what only stands for its roles."""
    hidden = [name for name in rows.names if _is_hidden(name)]
    return rows.drop(hidden) if hidden else rows


def without_order(rows: Rows) -> Rows:
    """The table without what only stands for the order of its rows."""
    return rows.drop([_ORDER]) if _ORDER in rows.names else rows


def _is_hidden(name: str) -> bool:
    return name == _ORDER or name.startswith(_ROLES)


def refuse_hidden(names: Iterable[str]) -> None:
    """Refuse columns of people that are called like those nobody is shown."""
    for name in names:
        if _is_hidden(name):
            raise NotModelled(f"a column that is called {name!r}")


def numbered(rows: Rows, place: int) -> Rows:
    """A table that is about to be put under others, for all that sees the order of rows.

    Rows that are opaque to Veer have an order in Orange: two tables put under each other the other
    way round are another table to a learner, though they show the same rows.
    """
    number = Literal(f"{place}.", STRING)
    if _ORDER in rows.names:
        earlier = coercion.call("concat", number, rows.column(_ORDER).expr)
        return rows.with_columns({_ORDER: Value(earlier)})
    return rows.with_columns({_ORDER: Value(number)})


def columns_of(rows: Rows) -> list[tuple[str, Value]]:
    """The columns that people see, in order."""
    return [(name, value) for name, value in rows.items() if not _is_hidden(name)]


def with_roles(
    rows: Rows,
    columns: Sequence[tuple[str, Value]],
    roles: Mapping[str, str],
    *,
    others: bool = True,
) -> Rows:
    """Just these columns, in these roles as far as they are known."""
    names = [name for name, _ in columns]
    refuse_hidden(names)
    told = {name: roles[name] for name in names if name in roles}
    added = [(_ROLES + json.dumps(told, ensure_ascii=False), constant("", STRING))] if told else []
    if _ORDER in rows.names:
        added.append((_ORDER, rows.column(_ORDER)))
    return rows.select([*columns, *added], others=others)


# -- values ----------------------------------------------------------------------------------------

_NUMBERS = (BYTE, SHORT, INT, LONG, FLOAT, DOUBLE)


def is_number(type_: DataType) -> bool:
    """Whether values of a type are numbers to Orange."""
    return type_ in _NUMBERS or isinstance(type_, DecimalType)


def number(value: Value) -> Expr:
    """A numeric column as a DOUBLE without NaN: Orange has one missing value, which is NaN itself."""
    if not value.known:
        call = unknown_call(SYSTEM, "number", value, type_=DOUBLE).expr
        return Case(((IsNull(value.expr), Literal(None, DOUBLE)),), call)
    if not is_number(value.type):
        raise NotModelled(f"a column of type {value.type} as a number")
    return without_nan(coercion.cast(value.expr, DOUBLE), value.type)


def without_nan(expr: Expr, type_: DataType = DOUBLE) -> Expr:
    """Null in the place of NaN."""
    if type_ not in (DOUBLE, FLOAT):
        return expr
    return Case(((coercion.call("isnan", expr), Literal(None, DOUBLE)),), expr)


def text(value: Value) -> Expr:
    """A column of text or of categories; null, and with `is_given` the empty text, is missing."""
    if not value.known:
        call = unknown_call(SYSTEM, "text", value, type_=STRING).expr
        return Case(((IsNull(value.expr), Literal(None, STRING)),), call)
    if value.type != STRING:
        raise NotModelled(f"a column of type {value.type} as text")
    return value.expr


def is_given(expr: Expr) -> Expr:
    """Whether a text is not missing."""
    empty = coercion.compare("=", expr, Literal("", STRING))
    return And((Not(IsNull(expr)), Not(empty)))


def surely(condition: Expr) -> Expr:
    """A condition that is false where it would be null."""
    return Case(((condition, TRUE),), FALSE)


# -- contexts --------------------------------------------------------------------------------------


def only_context(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The context that is used; with several, the columns that arrive decide, which nobody knows."""
    contexts = settings.get("context_settings", [])
    if not isinstance(contexts, list) or not all(isinstance(c, Mapping) for c in contexts):
        raise NotModelled("contexts that are not understood")
    if len(contexts) != 1:
        count = len(contexts) or "no"
        raise NotModelled(f"{count} saved contexts; which one is used depends on the data")
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
            raise NotModelled("a context that does not tell its columns")
        for name, kind in part.items():
            domain[name] = kind if isinstance(kind, int) else DISCRETE
    return domain


def typed(rows: Rows, name: str, kind: Any) -> Value:
    """A column, of which the workflow tells the kind of variable."""
    refuse_hidden([name])
    type_ = TYPES.get(kind) if isinstance(kind, int) else None
    value = rows.column(name, type_)
    if kind == CONTINUOUS and value.known:
        number(value)
    elif kind in (DISCRETE, TEXT) and value.known:
        text(value)
    return value
