"""Random Python functions: what is read of them gives what Python gives."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from tests.generators.functions import Functions
from veer.errors import UnsupportedError
from veer.functions.registry import Failure
from veer.interpreter.expressions import compile_expr
from veer.ir.expr import Column
from veer.ir.schema import Field, Schema
from veer.ir.types import parse_type
from veer.read.python.reading import NotRead, read_source

COLUMNS = {"x": "bigint", "y": "int", "s": "string", "d": "double", "b": "boolean"}
SCHEMA = Schema(tuple(Field(name, parse_type(t)) for name, t in COLUMNS.items()))
ARGUMENTS = [Column(f.name, f.type) for f in SCHEMA]
VALUES: dict[str, list[Any]] = {
    "x": [None, 0, 1, 2, -3, 7, 5, 10**12],
    "y": [None, 0, 1, 3, -2, 2**31 - 1],
    "s": [None, "", "a", "B c", " ab ", "3"],
    "d": [None, 0.0, -0.0, 0.5, 2.0, math.nan, math.inf, 1e300],
    "b": [None, True, False],
}
FITTING: dict[str, type[Any]] = {"bigint": int, "double": float, "string": str, "boolean": bool}
ROWS = 60


def shown(value: Any, type_: str) -> Any:
    """What a pickled function's value becomes as a type, None where that is null."""
    if type(value) is not FITTING[type_] or (type_ == "bigint" and not -(2**63) <= value < 2**63):
        return None
    return value


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("seed", range(12))
def test_what_is_read_gives_what_python_gives(seed: int) -> None:
    made, read, compared = Functions(seed), 0, 0
    rng = random.Random(seed)
    for _ in range(80):
        text = made.make()
        scope: dict[str, Any] = {}
        exec(text, scope)  # made here, of harmless parts
        for type_ in ("bigint", "double", "boolean"):
            try:
                expr = read_source(text, ARGUMENTS, parse_type(type_))
            except NotRead:
                continue
            read += 1
            run = compile_expr(expr, (SCHEMA,))
            for _ in range(ROWS):
                row = tuple(rng.choice(VALUES[name]) for name in COLUMNS)
                try:
                    theirs = shown(scope["f"](*row), type_)
                except Exception:
                    with pytest.raises((Failure, UnsupportedError)):
                        run(row, ())
                    continue
                try:
                    ours = run(row, ())
                except (Failure, UnsupportedError):
                    continue  # numbers of more than 64 bits on the way
                compared += 1
                assert repr(ours) == repr(theirs), f"{text}\n{type_}{row}: {ours!r}, {theirs!r}"
    assert read > 30 and compared > 500
