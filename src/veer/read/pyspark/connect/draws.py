"""Seeds that a program leaves to Spark: a classic session draws one where the call is made.

Whatever comes of one call has one seed. A dataflow draws anew at every operator, so that a plan
in which one call stands at several places is refused; at one place it is a choice like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from veer.errors import UnsupportedError
from veer.read.pyspark.connect.messages import messages_in
from veer.read.pyspark.connect.plans_with_relations import KIND, kind_of, node_of

if TYPE_CHECKING:
    from pyspark.sql.connect.proto.relations_pb2 import Relation

DRAWN = "veer stands for seed"  # called with the number of the call: the seed drawn for it
HIDING = ("uuid", "shuffle")  # functions whose seed is not in the name of their column


def is_drawn(argument: Any) -> bool:
    """Whether an argument in a plan stands for a seed that Spark draws."""
    return bool(argument.unresolved_function.function_name == DRAWN)


def require_separate_draws(relation: Relation) -> None:
    """Refuse a plan in which one drawn seed decides at several places."""
    if any(count > 1 for count in _draws(relation).values()):
        raise UnsupportedError(
            "random numbers without a seed that one plan uses at several places: Spark draws one "
            "seed for all of them, which a seed in the program would tell"
        )


def _draws(message: Any) -> Counter[Hashable]:
    """How often each drawn seed stands in a plan, with the plans that it refers to."""
    draws: Counter[Hashable] = Counter()
    for part in messages_in(message):
        match part.DESCRIPTOR.name:
            case "UnresolvedFunction" if part.function_name == DRAWN:
                draws[part.arguments[0].SerializeToString()] += 1
            case "Relation" if kind_of(part) == "sample" and not part.sample.HasField("seed"):
                # The parts of one `randomSplit` share their input and their seed.
                is_split = part.sample.deterministic_order
                sampled = part.sample.input if is_split else part
                draws[is_split, sampled.common.plan_id] += 1
            case "Relation" if kind_of(part) == KIND:
                draws += _of_references(node_of(part, KIND))
    return draws


def _of_references(node: Any) -> Counter[Hashable]:
    """What plans that are named more than once draw more than once."""
    more: Counter[Hashable] = Counter()
    for reference in node.references:
        uses = _uses(node, reference)
        if uses > 1:
            more += Counter({draw: n * (uses - 1) for draw, n in _draws(reference).items()})
    return more


def _uses(node: Any, reference: Relation) -> int:
    """How often a plan is named, or more: a name in SQL may be a column's, too."""
    name = reference.subquery_alias.alias.lower()
    uses = 0
    for part in messages_in(node):
        match part.DESCRIPTOR.name:
            case "SQL" if name:
                uses += part.query.lower().count(name)
            case "SubqueryExpression":
                uses += part.plan_id == reference.common.plan_id
    return uses
