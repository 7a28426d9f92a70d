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
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from typing import Any, Generic, TypeAlias, TypeVar, final

from veer.model.dag import Dataflow
from veer.normalize.dataflows.bits_to_flags import bits_to_flags
from veer.normalize.dataflows.coalesce_into_sums import coalesce_into_sums
from veer.normalize.dataflows.count_collected import count_collected
from veer.normalize.dataflows.distinct_counts_to_extremes import distinct_counts_to_extremes
from veer.normalize.dataflows.order_joins import order_joins
from veer.normalize.dataflows.partition_totals_to_joins import partition_totals_to_joins
from veer.normalize.dataflows.project_aggregate_inputs import project_aggregate_inputs
from veer.normalize.dataflows.push_predicates import push_predicates
from veer.normalize.dataflows.remove_inner_distincts import remove_inner_distincts
from veer.normalize.dataflows.semi_joins_to_exists import semi_joins_to_exists
from veer.normalize.dataflows.subqueries_to_joins import subqueries_to_joins
from veer.normalize.expressions import Normalize
from veer.normalize.operators.argmax import spell_argmax
from veer.normalize.operators.canonical_windows import number_by_keys, rank_by_key, spell_window
from veer.normalize.operators.deduplicate_to_group import deduplicate_to_group
from veer.normalize.operators.first_row_to_group import first_row_to_group
from veer.normalize.operators.inline_into_joins import inline_into_join
from veer.normalize.operators.inline_into_readers import inline_into_reader
from veer.normalize.operators.inline_projections import inline_projection
from veer.normalize.operators.join_constants_to_case import join_constants_to_case
from veer.normalize.operators.merge_aggregate_calls import (
    distinct_by_key,
    merge_aggregate_calls,
    spell_calls,
)
from veer.normalize.operators.merge_filters import merge_filters
from veer.normalize.operators.merge_joined_aggregates import merge_joined_aggregates
from veer.normalize.operators.merge_nested_aggregates import merge_nested_aggregates
from veer.normalize.operators.merge_unions import merge_unions
from veer.normalize.operators.merge_window_functions import merge_window_functions
from veer.normalize.operators.project_results import project_result
from veer.normalize.operators.remove_self_joins import remove_self_join
from veer.normalize.operators.self_join_to_lag import self_join_to_lag
from veer.normalize.operators.split_sums import split_sums
from veer.normalize.operators.unnest_to_array_functions import (
    unnested_group_to_array,
    unnested_join_to_array,
)
from veer.normalize.operators.unnest_to_union import unnest_to_union
from veer.normalize.rewriting import AggregateStep, Laws, Rule, WindowStep
from veer.normalize.sweep import Sweeps, last_sweep, sweep

Whole: TypeAlias = Callable[[Dataflow, Sweeps], Dataflow]
R = TypeVar("R", bound=Callable[..., Any])


class Fact(Enum):
    """What a pass relies on besides the operators that it rewrites."""

    KEYS = "declared keys"  # which are noted: a proof lists them as assumptions
    NOT_NULL = "columns that are never null"


KEYS, NOT_NULL = Fact.KEYS, Fact.NOT_NULL


@final
@dataclass(frozen=True)
class Pass(Generic[R]):
    """A rewrite: its law, the function that does it, what it relies on, the rewrites inside of it."""

    law: str
    run: R
    relies_on: frozenset[Fact] = frozenset()
    parts: tuple[Pass[Any], ...] = ()
    is_costly: bool = False  # left out where there are very many operators

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(self.run.__name__)


def _by_itself(run: Normalize) -> Whole:
    """A pass over a whole dataflow that needs no sweep meanwhile."""

    @wraps(run)
    def whole(dataflow: Dataflow, _: Sweeps) -> Dataflow:
        return run(dataflow)

    return whole


def _step(law: str, run: R, *relies_on: Fact) -> Pass[R]:
    return Pass(law, run, frozenset(relies_on))


def _costly(law: str, run: Normalize, *relies_on: Fact) -> Pass[Whole]:
    return Pass(law, _by_itself(run), frozenset(relies_on), is_costly=True)


AGGREGATE_STEPS: tuple[Pass[AggregateStep], ...] = (
    _step(
        "sum(CASE WHEN c THEN 1 ELSE 0 END)  =>  count(CASE WHEN c THEN 1 END)",
        spell_calls,
        NOT_NULL,
    ),
    _step("sum(a - b)  =>  sum(a) - sum(b), a and b never null", split_sums, NOT_NULL),
    _step(
        "Aggregate(a; sum(s)) <- Aggregate(a, b; sum(x) AS s)  =>  Aggregate(a; sum(x))",
        merge_nested_aggregates,
        KEYS,
        NOT_NULL,
    ),
    _step(
        "max(struct(d, id, x)).x  =>  max_by(x, struct(d, id)), id a key",
        spell_argmax,
        KEYS,
        NOT_NULL,
    ),
    _step("count(DISTINCT id)  =>  count(id), id a key", distinct_by_key, KEYS),
)

WINDOW_STEPS: tuple[Pass[WindowStep], ...] = (
    _step(
        "OVER (ORDER BY n)  =>  OVER (ORDER BY id), n being row_number() OVER (ORDER BY id)",
        number_by_keys,
    ),
    _step(
        "rank() OVER (ORDER BY id)  =>  row_number() OVER (ORDER BY id), id a key",
        rank_by_key,
        KEYS,
    ),
    _step(
        "lead(x) OVER (ORDER BY id)  =>  lag(x, 1, NULL) OVER (ORDER BY id DESC)",
        spell_window,
        KEYS,
    ),
)

RULES: tuple[Pass[Rule], ...] = (
    _step("Filter(c > 1) <- Project(b + 1 AS c)  =>  Filter(b + 1 > 1)", inline_projection),
    _step(
        "Filter(n = 1) <- Over(row_number() OVER (PARTITION BY a ORDER BY id) AS n)"
        "  =>  Aggregate(a; min_by(b, id)), id a key",
        first_row_to_group,
        KEYS,
        NOT_NULL,
    ),
    _step("Filter(b) <- Filter(a)  =>  Filter(a AND b)", merge_filters, NOT_NULL),
    _step(
        "Unnest(array(a, b) AS x)  =>  Union <- Project(a AS x), Project(b AS x)", unnest_to_union
    ),
    _step("Sort(c) <- Project(b + 1 AS c)  =>  Sort(b + 1)", inline_into_reader),
    Pass(
        "Over(rank() AS r) <- Over(sum(a) AS s)  =>  Over(sum(a) AS s, rank() AS r)",
        merge_window_functions,
        frozenset({KEYS}),
        WINDOW_STEPS,
    ),
    _step(
        "Aggregate(k; count(*)) <- Unnest(xs)  =>  Project(k, size(xs)) <- Filter(size(xs) >= 1), k a key",
        unnested_group_to_array,
        KEYS,
    ),
    Pass(
        "Aggregate(a, a AS b; sum(x), sum(x) AS y)  =>  Aggregate(a; sum(x))",
        merge_aggregate_calls,
        parts=AGGREGATE_STEPS,
    ),
    _step(
        "Join left (k = c) <- t, Values(c, r) (1, 'x')  =>  Project(CASE WHEN k = 1 THEN 'x' END AS r) <- t",
        join_constants_to_case,
    ),
    _step(
        "Join semi (a = k) <- s, Unnest(xs)  =>  Join semi (a = k) <- s, Filter(size(xs) >= 1)",
        unnested_join_to_array,
    ),
    _step(
        "Join (a = a AND n = n + 1) <- r, r  =>  Over(lead(x) OVER (PARTITION BY a ORDER BY id)) <- r,"
        " n being the row number",
        self_join_to_lag,
        KEYS,
        NOT_NULL,
    ),
    _step("Join (id = id) <- t, t  =>  t, id a key", remove_self_join, KEYS),
    _step(
        "Join (a = a) <- Aggregate(a; sum(x)) <- t, Aggregate(a; max(y)) <- t"
        "  =>  Aggregate(a; sum(x), max(y)) <- t",
        merge_joined_aggregates,
        KEYS,
        NOT_NULL,
    ),
    _step(
        "Join (x = y) <- Project(a + 1 AS x) <- t, u  =>  Join (a + 1 = y) <- t, u",
        inline_into_join,
    ),
    _step("Union <- (Union <- t, u), v  =>  Union <- t, u, v", merge_unions),
    _step("Limit(3) <- t(a, b)  =>  Limit(3) <- Project(a) <- t, b not read", project_result),
    _step("Project(a) <- Deduplicate(a)  =>  Aggregate(a)", deduplicate_to_group),
)

SWEEP: Pass[Whole] = Pass("every operator by the first rule that is for it", sweep, parts=RULES)
COUNT: Pass[Whole] = Pass(
    "size(collect_set(x))  =>  count(DISTINCT x)", _by_itself(count_collected)
)
PUSH = _costly(
    "Filter(a = b AND b > 3) <- t, u  =>  Join (a = b) <- Filter(a > 3) <- t, Filter(b > 3) <- u",
    push_predicates,
)

PASSES: tuple[Pass[Whole], ...] = (
    COUNT,
    SWEEP,
    COUNT,
    Pass("bit_or(x) & 4 = 0  =>  NOT bool_or(x & 4 <> 0)", _by_itself(bits_to_flags)),
    _costly(
        "Join semi (a = b) <- t, u  =>  Filter(EXISTS (u WHERE b = t.a)) <- t", semi_joins_to_exists
    ),
    SWEEP,
    PUSH,
    SWEEP,
    Pass(
        "Filter(a IN (SELECT b FROM u)) <- t  =>  Join semi (a = b) <- t, u",
        subqueries_to_joins,
        is_costly=True,
    ),
    SWEEP,
    _costly(
        "Over(sum(x) OVER (PARTITION BY a)) <- t  =>  Join (a = a) <- t, Aggregate(a; sum(x)) <- t",
        partition_totals_to_joins,
        NOT_NULL,
    ),
    SWEEP,
    PUSH,
    _costly(
        "Filter(n = 1) <- Aggregate(count(DISTINCT b) AS n)"
        "  =>  Filter(low = high) <- Aggregate(min(b) AS low, max(b) AS high)",
        distinct_counts_to_extremes,
    ),
    _costly(
        "Aggregate(a) <- Union <- Aggregate(a) <- t, u  =>  Aggregate(a) <- Union <- t, u",
        remove_inner_distincts,
    ),
    Pass(
        "the last sweep, in which sums are split and subqueries normalized",
        last_sweep,
        parts=RULES,
    ),
    Pass(
        "Join (b = c) <- (Join (a = b) <- t, u), v  =>  the same inputs in an order of their own",
        order_joins,
        is_costly=True,
    ),
    _costly("coalesce(sum(x), 0)  =>  sum(coalesce(x, 0)), of groups", coalesce_into_sums),
    _costly(
        "Aggregate(a + 1; sum(b * c))  =>  Aggregate(x; sum(y)) <- Project(a + 1 AS x, b * c AS y)",
        project_aggregate_inputs,
    ),
)


def every_pass() -> list[Pass[Any]]:
    """Every pass once, the rules of a sweep behind the first sweep, steps behind their rule."""
    rules = [part for rule in RULES for part in (rule, *rule.parts)]
    inside = {SWEEP.name: [SWEEP, *rules]}
    flat = [part for each in PASSES for part in inside.get(each.name, [each])]
    return list({each.name: each for each in flat}.values())


def laws(rules: tuple[Pass[Rule], ...] = RULES) -> Laws:
    """What a sweep applies: some rules, with the steps that they have."""
    steps = {part.name for rule in rules for part in rule.parts}
    return Laws(
        tuple(rule.run for rule in rules),
        tuple(step.run for step in AGGREGATE_STEPS if step.name in steps),
        tuple(step.run for step in WINDOW_STEPS if step.name in steps),
    )
