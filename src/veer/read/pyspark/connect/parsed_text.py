"""Functions that parse texts into structs; a schema gives the columns."""

from __future__ import annotations

import json
from collections.abc import Sequence

from veer.errors import UnsupportedError
from veer.ir import expr as ex
from veer.read.pyspark.connect.types import parse_type_text
from veer.read.pyspark.plans.types import type_of
from veer.settings import current

PARSERS = frozenset({"from_json", "from_csv"})


def parsed_text(function: str, args: Sequence[ex.Expr]) -> ex.Expr:
    """A text read by a schema, a constant of DDL or JSON: a function of the text."""
    if len(args) not in (2, 3) or not isinstance(args[1], ex.Literal):
        raise UnsupportedError(f"{function} by a schema that is not a constant")
    schema = str(args[1].value)
    is_json = schema.lstrip().startswith(("{", '"'))
    type_ = type_of(json.loads(schema)) if is_json else parse_type_text(schema)
    return ex.OpaqueCall(current().identity(function), tuple(args), type_)
