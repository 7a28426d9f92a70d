"""Functions that make structs of texts: the columns are said by a schema."""

from __future__ import annotations

import json
from collections.abc import Sequence

from veer.errors import UnsupportedError
from veer.frontends.connect.types import parse_type_text
from veer.frontends.spark.plans.types import type_of
from veer.model.expr import Expr, Literal, OpaqueCall
from veer.settings import current

PARSERS = frozenset({"from_json", "from_csv"})


def parsed_text(function: str, args: Sequence[Expr]) -> Expr:
    """A text read by a schema, a constant of DDL or JSON: a function of the text."""
    if len(args) not in (2, 3) or not isinstance(args[1], Literal):
        raise UnsupportedError(f"{function} by a schema that is no constant")
    schema = str(args[1].value)
    is_json = schema.lstrip().startswith(("{", '"'))
    type_ = type_of(json.loads(schema)) if is_json else parse_type_text(schema)
    return OpaqueCall(current().identity(function), tuple(args), type_)
