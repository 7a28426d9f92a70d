"""Functions about null, choice among arguments, identity of the run, and randomness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from veer.errors import IllFormedError
from veer.functions.ordering import sort_key
from veer.functions.registry import (
    ANY_ZERO,
    CHOICE,
    KEEPS_VALUES,
    NOT_NULLABLE,
    PARTITION,
    PURE,
    RUN_CONSTANT,
    SETTLED,
    STRICT,
    TOTAL,
    TYPED,
    Argument,
    Nulls,
    Resolved,
    scalar,
)
from veer.functions.traits import Evaluation, SchemaNulls, Shown, SolverMeaning, ZoneUse
from veer.functions.typing import same_type, signature
from veer.ir import types as ty


def _coalesce(*values: Any) -> Any:
    return next((v for v in values if v is not None), None)


scalar("coalesce", "Coalesce", same_type(), _coalesce)(
    (PURE, Nulls.CUSTOM, TOTAL, SchemaNulls.ALL, ANY_ZERO, KEEPS_VALUES, ZoneUse.SAME),
    (SolverMeaning.FIRST_PRESENT, Evaluation.UNTIL_PRESENT),
)


def _extreme(choose: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    """Nulls are skipped, unlike in a comparison; NaN is the greatest, the first of equal zeros is kept."""

    def meaning(_types: Sequence[ty.DataType], result: ty.DataType) -> Callable[..., Any]:
        key = sort_key(result)

        def extreme(*values: Any) -> Any:
            present = [v for v in values if v is not None]
            return choose(present, key=key) if present else None

        return extreme

    return meaning


_comparable = same_type(least=2, orderable=True, promote=False)
CHOSEN = PURE, Nulls.CUSTOM, TOTAL, SchemaNulls.ALL, SETTLED, TYPED, ANY_ZERO, ZoneUse.SAME
scalar("greatest", "Greatest", _comparable, _extreme(max))(CHOSEN, SolverMeaning.GREATEST)
scalar("least", "Least", _comparable, _extreme(min))(CHOSEN, SolverMeaning.LEAST)
scalar("current_user user", "CurrentUser", signature(ty.STRING), lambda: "user")(
    RUN_CONSTANT, STRICT, TOTAL
)


def _optional_seed(result: ty.DataType) -> Callable[[Sequence[Argument]], Resolved]:
    rule = signature(result, (ty.INT, ty.LONG), optional=1)

    def seeded(args: Sequence[Argument]) -> Resolved:
        if any(a.type not in (ty.INT, ty.LONG, ty.NULL) for a in args):
            raise IllFormedError(f"a seed of type {args[0].type}")
        return rule(args)

    return seeded


# A fixed member of the allowed results: the interpreter only needs one choice.
NEVER_NULL = STRICT, TOTAL, NOT_NULLABLE
ZERO_UUID = "00000000-0000-4000-8000-000000000000"
scalar("rand random", "", _optional_seed(ty.DOUBLE), lambda seed=0: 0.5)(CHOICE, NEVER_NULL)
scalar("randn", "", _optional_seed(ty.DOUBLE), lambda seed=0: 0.0)(CHOICE, NEVER_NULL)
scalar("uuid", "", signature(ty.STRING), lambda: ZERO_UUID)(CHOICE, NEVER_NULL)
scalar("monotonically_increasing_id", "MonotonicallyIncreasingID", signature(ty.LONG), lambda: 0)(
    PARTITION, *NEVER_NULL
)
scalar("spark_partition_id", "SparkPartitionID", signature(ty.INT), lambda: 0)(
    PARTITION, NEVER_NULL, Shown(capitals=("spark_partition_id",))
)
scalar("input_file_name", "InputFileName", signature(ty.STRING), lambda: "")(PARTITION, NEVER_NULL)
