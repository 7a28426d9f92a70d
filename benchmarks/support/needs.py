"""What a pair that is neither proven nor refuted would need: by pair, by reason, by feature.

`NAMED` is checked: an entry whose pair is decided is stale. The others are general; the first
that fits is told.
"""

from __future__ import annotations

import re
from collections.abc import Collection

NAMED = {
    "calcite": {
        "097:testSortJoinTranspose1": "an order that decides which rows the limit keeps: ties are "
        "broken differently, so the two may differ",
        "116:testCastInAggregateReduceFunctions": "deviations and variances as sums of squares; "
        "equal for real numbers, not for rounded ones",
        "127:testReduceAverage": "AVG as SUM over COUNT: Spark adds up doubles for AVG and "
        "integers for SUM, which differ once a sum passes 2^53",
        "139:testPushSumNullConstantThroughUnion": "that a sum of nothing but nulls is null "
        "whatever the order; a float sum counts as a choice, as it depends on the order of rows",
    },
    "traps": {
        "rand": "nothing: random numbers drawn twice are other numbers, and no instance shows it",
        "mul_assoc_real": "nothing: addition of doubles is not associative, but no small instance "
        "shows it",
    },
}

BY_REASON = (
    ("draws random numbers", "nothing: random numbers drawn twice are other numbers"),
    (
        "calls an unknown function",
        "the meaning of the function: without it calls on different arguments are neither equal "
        "nor different",
    ),
    (
        "sorted differently",
        "orders compared as orders: constant keys, keys after a key, increasing expressions",
    ),
    (
        r"\[Limit [^\]]*\] can give different results",
        "an order that decides which rows the limit keeps",
    ),
    (
        r"collect_\w+\(.*can give different results",
        "collections compared whatever the order of their elements",
    ),
    (
        "can give different results",
        "nothing, or the same choice at the same place: the result may vary",
    ),
    ("the budget ran out", "more questions than the budget allows: `--budget`"),
)

BY_FEATURES = (
    ({"grouping sets"}, "more cases: grouping sets are taken apart up to four at a time"),
    (
        {"INTERSECT ALL, EXCEPT ALL"},
        "more of the arithmetic of multiplicities: minimum and difference of sums of counts",
    ),
    ({"LIMIT, OFFSET"}, "counting rows that tie: how many of them a limit keeps"),
    (
        {"window function"},
        "LAG, LEAD, NTILE and frames of ROWS under ties said row by row; now they are functions of "
        "their inputs",
    ),
    ({"ORDER BY"}, "orders compared as orders, not key by key"),
    (
        {"floating point"},
        "laws of floating point; most of those of real numbers do not hold in it",
    ),
    ({"scalar subquery"}, "that a subquery that gives one row at most is a left join"),
    (
        {"aggregate by groups", "left or right join"},
        "groups pushed below the join: sums and counts of partners",
    ),
    (
        {"aggregate by groups"},
        "laws of aggregates: extremes of monotone functions, sums of sums, HAVING on an extreme, "
        "keys that determine each other",
    ),
    (
        {"aggregate without groups"},
        "laws of aggregates: extremes of monotone functions, counts of what is distinct",
    ),
    (
        {"DISTINCT", "left or right join"},
        "that each row of the left side survives a left join, where multiplicities do not count",
    ),
    ({"DISTINCT"}, "that distinct rows stay distinct: keys of results, injective functions"),
    (
        {"EXISTS, IN subquery"},
        "equalities used across nested subqueries: more rows tried for the inner ones",
    ),
    (
        {"left or right join"},
        "that each row of the left side survives a left join, where multiplicities do not count",
    ),
    ({"inner join"}, "one row of P found for two of Q, where multiplicities do not count"),
    ({"other function"}, "laws of functions of texts, dates and collections"),
    ({"cast"}, "laws of casts: to text and back, to numbers, TRY_CAST"),
)


def needed(group: str, id_: str, reason: str, features: Collection[str]) -> str | None:
    """What a pair would need; None if it is not listed."""
    named = NAMED.get(group, {}).get(id_)
    if named is not None:
        return named
    for pattern, text in BY_REASON:
        if re.search(pattern, reason):
            return text
    for wanted, text in BY_FEATURES:
        if wanted <= set(features):
            return text
    return None
