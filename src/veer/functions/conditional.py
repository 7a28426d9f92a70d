"""Functions about null, choice among arguments, identity of the run, and randomness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from veer.errors import IllFormedError
from veer.functions.ordering import sort_key
from veer.functions.registry import (
    PURE,
    STRICT,
    TOTAL,
    Argument,
    Kind,
    Nulls,
    Resolved,
    scalar,
)
from veer.functions.traits import Evaluation, Folding, SolverMeaning
from veer.functions.typing import same_type, signature
from veer.model.types import DOUBLE, INT, LONG, NULL, STRING, DataType


def _coalesce(*values: Any) -> Any:
    return next((v for v in values if v is not None), None)


scalar(
    "coalesce",
    same_type(),
    _coalesce,
    PURE,
    Nulls.CUSTOM,
    TOTAL,
    spark=("Coalesce",),
    solver=SolverMeaning.FIRST_PRESENT,
    evaluation=Evaluation.UNTIL_PRESENT,
    ignores_zero_sign=True,
    keeps_values=True,
)


def _extreme(choose: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    """Nulls are skipped, unlike in a comparison; NaN is the greatest, the first of equal zeros is kept."""

    def meaning(_types: Sequence[DataType], result: DataType) -> Callable[..., Any]:
        key = sort_key(result)

        def extreme(*values: Any) -> Any:
            present = [v for v in values if v is not None]
            return choose(present, key=key) if present else None

        return extreme

    return meaning


_comparable = same_type(least=2, orderable=True, promote=False)
scalar(
    "greatest",
    _comparable,
    _extreme(max),
    PURE,
    Nulls.CUSTOM,
    TOTAL,
    typed=True,
    spark=("Greatest",),
    solver=SolverMeaning.GREATEST,
    ignores_zero_sign=True,
    folding=Folding.SETTLED,
)
scalar(
    "least",
    _comparable,
    _extreme(min),
    PURE,
    Nulls.CUSTOM,
    TOTAL,
    typed=True,
    spark=("Least",),
    solver=SolverMeaning.LEAST,
    ignores_zero_sign=True,
    folding=Folding.SETTLED,
)

scalar(
    "current_user",
    signature(STRING),
    lambda: "user",
    Kind.RUN_CONSTANT,
    STRICT,
    TOTAL,
    aliases=("user",),
    spark=("CurrentUser",),
)


def _optional_seed(result: DataType) -> Callable[[Sequence[Argument]], Resolved]:
    rule = signature(result, (INT, LONG), optional=1)

    def seeded(args: Sequence[Argument]) -> Resolved:
        if any(a.type not in (INT, LONG, NULL) for a in args):
            raise IllFormedError(f"a seed of type {args[0].type}")
        return rule(args)

    return seeded


# A fixed member of the allowed results: the interpreter only needs one choice.
scalar(
    "rand",
    _optional_seed(DOUBLE),
    lambda seed=0: 0.5,
    Kind.CHOICE,
    STRICT,
    TOTAL,
    aliases=("random",),
)
scalar("randn", _optional_seed(DOUBLE), lambda seed=0: 0.0, Kind.CHOICE, STRICT, TOTAL)
scalar(
    "uuid",
    signature(STRING),
    lambda: "00000000-0000-4000-8000-000000000000",
    Kind.CHOICE,
    STRICT,
    TOTAL,
)
scalar(
    "monotonically_increasing_id",
    signature(LONG),
    lambda: 0,
    Kind.PARTITION,
    STRICT,
    TOTAL,
    spark=("MonotonicallyIncreasingID",),
)
scalar(
    "spark_partition_id",
    signature(INT),
    lambda: 0,
    Kind.PARTITION,
    STRICT,
    TOTAL,
    spark=("SparkPartitionID",),
)
scalar(
    "input_file_name",
    signature(STRING),
    lambda: "",
    Kind.PARTITION,
    STRICT,
    TOTAL,
    spark=("InputFileName",),
)
