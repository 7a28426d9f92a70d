"""The normal form, pass by pass: every rewrite, in the order in which it runs. Read this first.

A pass is given a dataflow and gives an equal one, or the same object if it has nothing to change.
`PASSES` run one after the other (`normalize`). One of them is the sweep, which runs again whenever the
passes before it have changed something: it goes from the sources to the sinks and writes each operator
anew by the first of `RULES` that is for it (`sweep`). The rules for aggregates and for window functions
take steps of their own, `AGGREGATE_STEPS` and `WINDOW_STEPS`. All of them put the expressions that they
write into normal form (`expressions`).

A law says what is rewritten, `<-` being read as *over*; what makes it sound stands in the module of the
pass. Every pass has a case and a near miss in `tests/cases/passes.cases`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from functools import wraps
from typing import Any, Generic, TypeAlias, TypeVar, final

from veer.ir.dag import Dataflow
from veer.rewrite.dataflows.bits_to_flags import bits_to_flags
from veer.rewrite.dataflows.coalesce_into_sums import coalesce_into_sums
from veer.rewrite.dataflows.count_collected import count_collected
from veer.rewrite.dataflows.distinct_counts_to_extremes import distinct_counts_to_extremes
from veer.rewrite.dataflows.order_joins import order_joins
from veer.rewrite.dataflows.partition_totals_to_joins import partition_totals_to_joins
from veer.rewrite.dataflows.project_aggregate_inputs import project_aggregate_inputs
from veer.rewrite.dataflows.push_predicates import push_predicates
from veer.rewrite.dataflows.remove_inner_distincts import remove_inner_distincts
from veer.rewrite.dataflows.semi_joins_to_exists import semi_joins_to_exists
from veer.rewrite.dataflows.subqueries_to_joins import subqueries_to_joins
from veer.rewrite.expressions import Normalize
from veer.rewrite.operators.argmax import spell_argmax
from veer.rewrite.operators.canonical_windows import number_by_keys, rank_by_key, spell_window
from veer.rewrite.operators.deduplicate_to_group import deduplicate_to_group
from veer.rewrite.operators.first_row_to_group import first_row_to_group
from veer.rewrite.operators.inline_into_joins import inline_into_join
from veer.rewrite.operators.inline_into_readers import inline_into_reader
from veer.rewrite.operators.inline_projections import inline_projection
from veer.rewrite.operators.join_constants_to_case import join_constants_to_case
from veer.rewrite.operators.merge_aggregate_calls import (
    distinct_by_key,
    merge_aggregate_calls,
    spell_calls,
)
from veer.rewrite.operators.merge_filters import merge_filters
from veer.rewrite.operators.merge_joined_aggregates import merge_joined_aggregates
from veer.rewrite.operators.merge_nested_aggregates import merge_nested_aggregates
from veer.rewrite.operators.merge_unions import merge_unions
from veer.rewrite.operators.merge_window_functions import merge_window_functions
from veer.rewrite.operators.project_results import project_result
from veer.rewrite.operators.remove_self_joins import remove_self_join
from veer.rewrite.operators.self_join_to_lag import self_join_to_lag
from veer.rewrite.operators.split_sums import split_sums
from veer.rewrite.operators.unnest_to_array_functions import (
    unnested_group_to_array,
    unnested_join_to_array,
)
from veer.rewrite.operators.unnest_to_union import unnest_to_union
from veer.rewrite.rewriting import AggregateStep, Laws, Rule, WindowStep
from veer.rewrite.sweep import Sweeps, last_sweep, sweep

Whole: TypeAlias = Callable[[Dataflow, Sweeps], Dataflow]
R = TypeVar("R", bound=Callable[..., Any])


class Fact(Enum):
    """What a pass relies on besides the operators that it rewrites."""

    KEYS = "declared keys"  # which are noted: a proof lists them as assumptions
    NOT_NULL = "columns that are never null"


@final
@dataclass(frozen=True)
class Pass(Generic[R]):
    """A rewrite: its law, the function that does it, what it relies on, the rewrites inside of it."""

    law: str
    run: R
    relies_on: tuple[Fact, ...] = ()
    parts: tuple[Pass[Any], ...] = ()
    is_costly: bool = False  # left out where there are very many operators

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(self.run.__name__)


def _whole(law: str, run: Normalize, *relies_on: Fact) -> Pass[Whole]:
    """A costly pass over a whole dataflow that needs no sweep meanwhile."""

    @wraps(run)
    def whole(dataflow: Dataflow, _: Sweeps) -> Dataflow:
        return run(dataflow)

    return Pass(law, whole, relies_on, is_costly=True)


KEYS, NOT_NULL = (Fact.KEYS,), (Fact.NOT_NULL,)
BOTH = KEYS + NOT_NULL

AGGREGATE_STEPS: tuple[Pass[AggregateStep], ...] = (
    Pass("sum(if(c, 1, 0))  =>  count(CASE WHEN c THEN 1 END)", spell_calls, NOT_NULL),
    Pass("sum(a - b)  =>  sum(a) - sum(b), a and b never null", split_sums, NOT_NULL),
    Pass("sum of sums of smaller groups  =>  sum(x)", merge_nested_aggregates, BOTH),
    Pass("max(struct(id, x)).x  =>  max_by(x, id), id a key", spell_argmax, BOTH),
    Pass("count(DISTINCT id)  =>  count(id), id a key", distinct_by_key, KEYS),
)

WINDOW_STEPS: tuple[Pass[WindowStep], ...] = (
    Pass("ORDER BY n  =>  ORDER BY id, n being the row number by id", number_by_keys),
    Pass("rank() OVER (ORDER BY id)  =>  row_number(), id a key", rank_by_key, KEYS),
    Pass("lead(x) OVER (ORDER BY a)  =>  lag(x) OVER (ORDER BY a DESC)", spell_window, KEYS),
)

RULES: tuple[Pass[Rule], ...] = (
    Pass("Filter(c > 1) <- Project(b + 1 AS c)  =>  Filter(b + 1 > 1)", inline_projection),
    Pass("Filter(row_number = 1)  =>  Aggregate(a; min_by(x, id))", first_row_to_group, BOTH),
    Pass("Filter(b) <- Filter(a)  =>  Filter(a AND b)", merge_filters, NOT_NULL),
    Pass("Unnest(array(a, b))  =>  Union <- Project(a), Project(b)", unnest_to_union),
    Pass("Sort(c) <- Project(b + 1 AS c)  =>  Sort(b + 1)", inline_into_reader),
    Pass("Over(r) <- Over(s)  =>  Over(r, s)", merge_window_functions, KEYS, WINDOW_STEPS),
    Pass("Aggregate(count(*)) <- Unnest(xs)  =>  size(xs)", unnested_group_to_array, KEYS),
    Pass("Aggregate(a, a; x, x)  =>  Aggregate(a; x)", merge_aggregate_calls, (), AGGREGATE_STEPS),
    Pass("Join left <- t, Values  =>  Project(CASE ...) <- t", join_constants_to_case),
    Pass("Join semi <- t, Unnest(xs)  =>  Filter(size(xs) >= 1)", unnested_join_to_array),
    Pass("Join (n = n + 1) <- r, r  =>  Over(lead(x)) <- r", self_join_to_lag, BOTH),
    Pass("Join (id = id) <- t, t  =>  t, id a key", remove_self_join, KEYS),
    Pass("Join <- Aggregate(a; x), Aggregate(a; y)  =>  (a; x, y)", merge_joined_aggregates, BOTH),
    Pass("Join (x = y) <- Project(a + 1 AS x)  =>  Join (a + 1 = y)", inline_into_join),
    Pass("Union <- (Union <- t, u), v  =>  Union <- t, u, v", merge_unions),
    Pass("Limit <- t(a, b)  =>  Limit <- Project(a) <- t, b not read", project_result),
    Pass("Project(a) <- Deduplicate(a)  =>  Aggregate(a)", deduplicate_to_group),
)

SWEEP: Pass[Whole] = Pass("every operator by the first rule that is for it", sweep, (), RULES)
LAST: Pass[Whole] = Pass("the same; sums are split, subqueries normalized", last_sweep, (), RULES)
COUNT = replace(
    _whole("size(collect_set(x))  =>  count(DISTINCT x)", count_collected), is_costly=False
)
BITS = replace(
    _whole("bit_or(x) & 4 = 0  =>  NOT bool_or(x & 4 <> 0)", bits_to_flags), is_costly=False
)
PUSH = _whole(
    "Filter(a = b AND b > 3) <- t, u  =>  Join (a = b) <- Filter(a > 3), Filter(b > 3)",
    push_predicates,
)

PASSES: tuple[Pass[Whole], ...] = (
    COUNT,
    SWEEP,
    COUNT,
    BITS,
    _whole("Join semi (a = b) <- t, u  =>  Filter(EXISTS (u WHERE b = t.a))", semi_joins_to_exists),
    SWEEP,
    PUSH,
    SWEEP,
    Pass(
        "Filter(a IN (SELECT b FROM u))  =>  Join semi (a = b)", subqueries_to_joins, (), (), True
    ),
    SWEEP,
    _whole(
        "sum(x) OVER (PARTITION BY a)  =>  Join with Aggregate(a; sum(x))",
        partition_totals_to_joins,
        Fact.NOT_NULL,
    ),
    SWEEP,
    PUSH,
    _whole("count(DISTINCT b) = 1  =>  min(b) = max(b)", distinct_counts_to_extremes),
    _whole("Aggregate(a) <- Aggregate(a) <- t  =>  Aggregate(a) <- t", remove_inner_distincts),
    LAST,
    Pass(
        "joins in the order they are written  =>  an order of their own", order_joins, (), (), True
    ),
    _whole("coalesce(sum(x), 0)  =>  sum(coalesce(x, 0)), of groups", coalesce_into_sums),
    _whole("Aggregate(a + 1)  =>  Aggregate(x) <- Project(a + 1 AS x)", project_aggregate_inputs),
)


def every_pass() -> list[Pass[Any]]:
    """Every pass once, the rules of a sweep behind the first sweep, steps behind their rule."""
    rules = [part for rule in RULES for part in (rule, *rule.parts)]
    flat = [part for each in PASSES for part in (each, *(rules if each is SWEEP else ()))]
    return list({each.name: each for each in flat}.values())


def laws(rules: tuple[Pass[Rule], ...] = RULES) -> Laws:
    """What a sweep applies: some rules, with the steps that they have."""
    steps = {part.name for rule in rules for part in rule.parts}
    return Laws(
        tuple(rule.run for rule in rules),
        tuple(step.run for step in AGGREGATE_STEPS if step.name in steps),
        tuple(step.run for step in WINDOW_STEPS if step.name in steps),
    )
