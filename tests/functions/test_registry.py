"""The registry: every name once, and what traits claim held against the Python meaning."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from veer.errors import IllFormedError, InputError, UnsupportedError
from veer.functions import registry
from veer.functions.registry import (
    AGGREGATE,
    ALIASES,
    OPAQUE,
    OVER,
    PARTIAL,
    PLAIN,
    SCALAR,
    SPARK_CLASSES,
    STRICT,
    TOTAL,
    AggregateFunction,
    Argument,
    Failure,
    Function,
    Kind,
    OverFunction,
    ScalarFunction,
    attempt_of,
)
from veer.functions.sessions import ABBREVIATIONS_SINCE
from veer.functions.traits import (
    Adding,
    Called,
    Claim,
    Evaluation,
    Folding,
    FoldMeaning,
    OverMeaning,
    PythonOnly,
    SolverMeaning,
)
from veer.functions.typing import signature
from veer.ir.ops import Source
from veer.ir.schema import Field
from veer.ir.types import BOOLEAN, DOUBLE, INT, LONG, STRING, ArrayType, DataType, MapType
from veer.read import coercion
from veer.read.pyspark.plans import kinds
from veer.read.sql import read_sql

# -- names -----------------------------------------------------------------------------------------


def test_every_name_means_one_thing() -> None:
    # A scalar function that has no meaning of some arguments is opaque there.
    opaque = [name for name in OPAQUE if name not in SCALAR]
    names = [*SCALAR, *AGGREGATE, *OVER, *opaque, *ALIASES]
    twice = [name for name, times in Counter(names).items() if times > 1]
    assert not twice
    assert not set(coercion.ABBREVIATIONS) & set(names)


def test_every_class_of_spark_means_one_function() -> None:
    functions = (*SCALAR.values(), *AGGREGATE.values(), *OVER.values())
    classes = Counter(c for f in functions for c in f.spark)
    assert [c for c, times in classes.items() if times > 1] == []
    assert set(classes) == set(SPARK_CLASSES)


def test_what_the_registry_reads_is_not_listed_again() -> None:
    listed = kinds.LISTED_PURE | kinds.LISTED_RUN_CONSTANT | kinds.LISTED_PARTITION
    assert sorted(listed & set(SPARK_CLASSES)) == []


def test_kinds_of_classes_are_those_of_their_functions() -> None:
    assert {"Upper", "Add"} <= kinds.PURE
    assert "CurrentDate" in kinds.RUN_CONSTANT and "CurrentDate" not in kinds.PURE
    assert "SparkPartitionID" in kinds.PARTITION


# -- what is not said is not claimed ---------------------------------------------------------------


def test_a_scalar_function_claims_nothing_by_itself() -> None:
    registry.scalar("some_new", "", signature(INT, INT), abs)(Kind.PURE, STRICT, PARTIAL)
    entry = SCALAR.pop("some_new")
    assert entry.solver is SolverMeaning.UNINTERPRETED and not entry.solver.is_linear
    assert entry.folding is Folding.NEVER
    assert not entry.ignores_zero_sign and not entry.keeps_values
    assert entry.can_fail and entry.evaluation is Evaluation.IN_ORDER
    assert (entry.spark, entry.aliases, entry.texts) == ((), (), None)
    assert entry.sql == Called("some_new")


def test_kind_null_rule_and_domain_must_be_said() -> None:
    with pytest.raises(TypeError):
        ScalarFunction(name="f", rule=signature(INT), meaning=lambda *_: abs)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        AggregateFunction(name="f", rule=signature(INT), meaning=lambda *_: sum)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="domain"):
        registry.scalar("f", "", signature(INT), abs)(Kind.PURE, STRICT)
    with pytest.raises(TypeError, match="kind"):
        registry.aggregate("f", "", signature(INT), lambda *_: sum)()
    assert "f" not in SCALAR and "f" not in AGGREGATE


def test_a_row_says_nothing_twice() -> None:
    with pytest.raises(TypeError, match="says its domain twice"):
        registry.scalar("f", "", signature(INT), abs)(Kind.PURE, STRICT, PARTIAL, TOTAL)
    with pytest.raises(TypeError, match="chooses_by_rounding"):  # a claim about aggregates
        registry.scalar("f", "", signature(INT), abs)(*PLAIN, Claim.CHOOSES_BY_ROUNDING)
    assert "f" not in SCALAR


def test_other_functions_claim_nothing_by_themselves() -> None:
    rule = signature(INT, INT)
    fold = AggregateFunction(name="f", rule=rule, meaning=lambda *_: sum, kind=Kind.PURE)
    assert not (fold.ignores_duplicates or fold.ignores_order or fold.ignores_nulls)
    assert not fold.chooses_by_rounding and fold.empty_is_null
    assert (fold.adding, fold.prover) == (Adding.DOUBLES, FoldMeaning.UNINTERPRETED)
    rank = OverFunction(name="f", rule=rule, meaning=lambda *_: sum, kind=Kind.PURE)
    assert rank.is_nullable and rank.needs_order
    assert rank.prover is OverMeaning.UNINTERPRETED


FUNCTIONS = [*SCALAR.values(), *AGGREGATE.values(), *OVER.values()]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)
def test_another_number_of_arguments_is_an_error_of_ours(function: Function) -> None:
    for count in range(5) if function.name != "python.raise" else (1,):
        for type_ in (INT, STRING, ArrayType(INT), MapType(STRING, INT)):
            with suppress(IllFormedError, UnsupportedError):
                function.resolve([Argument(type_)] * count)


def test_calls_without_arguments_are_refused_by_name() -> None:
    schema = {"t": Source("t", (Field("a", INT),))}
    for name in ("map_keys", "array_compact", "map_concat", "shiftleft"):
        with pytest.raises(InputError, match=name):
            read_sql(f"SELECT {name}() AS x FROM t", schema)
    read_sql("SELECT map_keys(map(a, a)) AS x, shiftleft(a, 1) AS y FROM t", schema)


# -- what is said holds ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n, f in SCALAR.items() if f.folding is not Folding.NEVER])
def test_what_is_computed_beforehand_is_a_function_of_its_arguments(name: str) -> None:
    assert SCALAR[name].kind is Kind.PURE


def test_attempts_never_fail_and_try_what_can() -> None:
    for function in SCALAR.values():
        if function.attempt_of is not None:
            assert SCALAR[function.attempt_of].can_fail and not function.can_fail
            assert attempt_of(function.attempt_of) == function.name
    assert attempt_of("upper") is None


def of_doubles(function: ScalarFunction) -> tuple[DataType, ...] | None:
    """Argument types, if the function takes one or two doubles just as they are."""
    for count in (1, 2):
        try:
            resolved = function.resolve([Argument(DOUBLE)] * count)
        except (IllFormedError, UnsupportedError):
            continue
        if resolved.arguments == (DOUBLE,) * count:
            return resolved.arguments
    return None


OF_DOUBLES = [n for n, f in SCALAR.items() if of_doubles(f) is not None]


def value(function: ScalarFunction, args: tuple[Any, ...]) -> Any:
    types = (DOUBLE,) * len(args)
    result = function.resolve([Argument(t) for t in types]).result
    try:
        return function.meaning(types, result)(*args)
    except Failure as failure:
        return str(failure)


def tells_zeros_apart(function: ScalarFunction) -> bool:
    """Whether the sign of a zero shows in more than the sign of a zero that comes out."""
    types = of_doubles(function)
    assert types is not None
    others = [(), (0.0,), (-0.0,), (1.5,), (-2.0,), (float("inf"),)] if len(types) == 2 else [()]
    for rest in others:
        for place in range(len(types)):
            if len(rest) + 1 != len(types):
                continue
            seen = [value(function, (*rest[:place], zero, *rest[place:])) for zero in (0.0, -0.0)]
            if seen[0] != seen[1] and not all(v != v for v in seen):
                return True
    return False


@pytest.mark.parametrize("name", [n for n in OF_DOUBLES if SCALAR[n].ignores_zero_sign])
def test_zeros_that_are_said_to_be_alike_are(name: str) -> None:
    assert not tells_zeros_apart(SCALAR[name])


@pytest.mark.parametrize("name", ["power", "python.float_text"])
def test_others_tell_them_apart(name: str) -> None:
    """0.0 ** -1 and (-0.0) ** -1 are infinities of either sign."""
    function = SCALAR[name]
    assert not function.ignores_zero_sign
    if name == "power":
        assert value(function, (0.0, -1.0)) != value(function, (-0.0, -1.0))
    else:
        assert tells_zeros_apart(function)


PURE_FOLDS = [n for n, f in AGGREGATE.items() if f.kind is Kind.PURE]


def folded(name: str, column: list[Any], type_: DataType) -> Any:
    function = AGGREGATE[name]
    share = [Argument(DOUBLE, True, 0.25)] if name == "percentile" else []
    resolved = function.resolve([Argument(type_), *share])
    values = [float(v) if v is not None and resolved.arguments[0] == DOUBLE else v for v in column]
    rows = [(v, *(a.value for a in share)) for v in values]
    return function.meaning(resolved.arguments, resolved.result)(rows)


def column_of(name: str) -> tuple[list[Any], DataType]:
    booleans = name in ("bool_and", "bool_or", "count_if")
    return ([True, None, False, True], BOOLEAN) if booleans else ([3, None, -1, 3], LONG)


@pytest.mark.parametrize("name", PURE_FOLDS)
def test_claims_of_aggregate_functions_hold(name: str) -> None:
    function = AGGREGATE[name]
    column, type_ = column_of(name)
    wanted = folded(name, column, type_)
    if function.ignores_order:
        assert {folded(name, list(p), type_) for p in permutations(column)} == {wanted}
    if function.ignores_nulls:
        assert folded(name, [v for v in column if v is not None], type_) == wanted
    if function.ignores_duplicates:
        assert folded(name, column + column, type_) == wanted
    empty = folded(name, [], type_)
    assert (empty is None) == function.empty_is_null


def test_near_misses_of_these_claims() -> None:
    assert not AGGREGATE["sum"].ignores_duplicates and not AGGREGATE["first"].ignores_order
    assert not AGGREGATE["first"].ignores_nulls and AGGREGATE["count"].empty_is_null is False
    assert not AGGREGATE["collect_list"].ignores_order


def test_python_alone_has_functions_that_cannot_be_written() -> None:
    written = {n for n, f in SCALAR.items() if isinstance(f.sql, PythonOnly)}
    assert written == {n for n in SCALAR if n.startswith("python.")}


# -- versions of Spark -----------------------------------------------------------------------------


def test_every_change_between_sparks_is_on_its_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    functions: list[Function] = [*SCALAR.values(), *AGGREGATE.values(), *OVER.values()]
    changes = {
        *ABBREVIATIONS_SINCE.items(),
        *((f.name, o.before) for f in functions for o in f.older),
    }
    changes |= {(f.name, f.since) for f in functions if f.since is not None}
    changes |= {(f.name, f.since) for f in OPAQUE.values() if f.since is not None}
    assert len(changes) > 15
    for name, version in sorted(changes):
        rows = [row for row in page.splitlines() if row.startswith(f"| {version} | *function*")]
        assert any(f"`{name}`" in row or f"`{name}(" in row for row in rows), (name, version)
