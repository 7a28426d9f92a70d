"""The prover core: bags in sum-normal form, compared term by term with one question each.

    dataflow -> lowering (groups and limits kept whole, then spelled out) -> matching

The equivalence verifiers are profiles of it: their own restrictions, semantics and rules.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from veer.assumptions import in_order
from veer.errors import UnsupportedError
from veer.ir import expr as ex, types as ty
from veer.ir.dag import Dataflow
from veer.ir.expr import Expr
from veer.ir.ops import Join, JoinKind
from veer.ir.query_pair import QueryPair
from veer.ir.types import DataType
from veer.prove.algebra import existence, folds, totals
from veer.prove.algebra.context import Context, TooLargeError
from veer.prove.algebra.lowering.dataflows import Lowering
from veer.prove.algebra.lowering.groups import Groups
from veer.prove.algebra.matching.matcher import Matcher
from veer.prove.algebra.matching.surroundings import NOTHING_AROUND
from veer.prove.algebra.terms import Bag, Term
from veer.prove.algebra.wrapped_sums import with_exact_sums
from veer.prove.solver import Solver
from veer.prove.solver.solve import Answers
from veer.reasons import Cause, QuestionsAsked, TooLarge, Unsupported
from veer.verdict import Answer, TableSemantics, Verdict

MANY = 2  # left joins, of which pairs and rows without partner would be many terms


@final
@dataclass(frozen=True)
class ProverOptions:
    """What a profile may do beyond pairing terms one to one."""

    count_terms: bool = True  # OR against UNION ALL, and other sums of several terms
    contain: bool = True  # sets by containment both ways; else as bags
    interpret: bool = True  # arithmetic, order and CASE; else functions nobody knows
    work: int = 400_000  # solver work per question
    questions: int = 200


def prove(pair: QueryPair, options: ProverOptions) -> Answer:
    """EQUIVALENT if the core shows it, else UNKNOWN with what stopped it."""
    pair = replace(pair, p=with_exact_sums(pair.p), q=with_exact_sums(pair.q))
    types = _compared_as(pair)
    if types is None:
        return Answer(Verdict.UNKNOWN, Cause.DIFFERENT_TYPES)
    left_joins = max(_left_joins(pair.p), _left_joins(pair.q))
    # Whichever way is likelier to be small first: the answer is the same, or one does not know.
    ways = [False] if not left_joins else [False, True] if left_joins < MANY else [True, False]
    answer: Answer | None = None
    for joins_partners in ways:
        attempt = _attempt(pair, options, types, joins_partners=joins_partners)
        if attempt is not None and attempt.verdict is Verdict.EQUIVALENT:
            return attempt
        answer = answer or attempt
    assert answer is not None
    return answer


def _left_joins(dataflow: Dataflow) -> int:
    operators = dataflow.operators.values()
    return sum(isinstance(o, Join) and o.kind == JoinKind.LEFT for o in operators)


def _attempt(
    pair: QueryPair, options: ProverOptions, types: Sequence[ty.DataType], *, joins_partners: bool
) -> Answer | None:
    """What the core shows; None if left joins were to be kept as one term and none could be."""
    solver = Solver(options.work, options.questions, answers=_answers(pair))
    context = Algebra(solver)
    matcher = Matcher(context, options.count_terms)
    lowering = Lowering(context, Groups(context, matcher), joins_partners)
    try:
        bags = _compared_bags(pair, lowering, types)
        if joins_partners and not lowering.partnered:
            return None
        if bags is None:
            return Answer(Verdict.UNKNOWN, Cause.SORTED_DIFFERENTLY)
        is_proven = matcher.same_bags(*bags, NOTHING_AROUND)
        if not is_proven and pair.semantics is TableSemantics.SET and options.contain:
            is_proven = matcher.same_sets(*bags, NOTHING_AROUND)
    except UnsupportedError as error:
        return Answer(Verdict.UNKNOWN, Unsupported(str(error), error.operator))
    except TooLargeError as error:
        return Answer(Verdict.UNKNOWN, TooLarge(str(error), error.operator))
    except RecursionError:
        return Answer(Verdict.UNKNOWN, Cause.NESTED_TOO_DEEPLY)
    if not is_proven:
        reason = Cause.SOLVER_BUDGET if solver.gave_up else Cause.NO_PROOF_FOUND
        return Answer(Verdict.UNKNOWN, reason)
    relied = in_order(context.keys_used | lowering.assumptions)
    return Answer(Verdict.EQUIVALENT, QuestionsAsked(solver.asked), tuple(relied))


def _compared_bags(
    pair: QueryPair, lowering: Lowering, types: Sequence[ty.DataType]
) -> tuple[Bag, Bag] | None:
    """Both results with the columns that are compared; None if they are ordered differently.

    Of an ordered result the sort keys are compared too, as far as they show: equal bags of rows
    with their keys, sorted in the same directions, are the same weak order.
    """
    (p, p_order), (q, q_order) = lowering.result(pair.p), lowering.result(pair.q)
    widths = len(pair.p.result_schema), len(pair.q.result_schema)
    places = [i for i, _ in pair.columns], [j for _, j in pair.columns]
    keys = (0, 0)  # how many are compared
    if pair.semantics is TableSemantics.ORDERED_BAG:
        keys = (
            _visible_keys(p, places[0], widths[0], len(p_order)),
            _visible_keys(q, places[1], widths[1], len(q_order)),
        )
        if p_order[: keys[0]] != q_order[: keys[1]]:
            return None
    return (
        lowering.groups.expanded(_shown(p, places[0], types, widths[0], keys[0])),
        lowering.groups.expanded(_shown(q, places[1], types, widths[1], keys[1])),
    )


_recent: OrderedDict[tuple[Dataflow, Dataflow], Answers] = OrderedDict()
RECENT = 4


def _answers(pair: QueryPair) -> Answers:
    """Answers already given about a pair: profiles ask the same questions in the same words."""
    key = (pair.p, pair.q)
    answers = _recent.pop(key, None)
    _recent[key] = {} if answers is None else answers
    if len(_recent) > RECENT:
        _recent.popitem(last=False)
    return _recent[key]


def _compared_as(pair: QueryPair) -> list[ty.DataType] | None:
    """For each pair of columns a type that holds the values of both; None if one has none.

    Where types differ both sides are compared in it: a value one of them cannot have is a
    difference, not a value to be left out.
    """
    ours, theirs = pair.p.result_schema.types, pair.q.result_schema.types
    types = [ty.holding_both(ours[i], theirs[j]) for i, j in pair.columns]
    return None if None in types else [t for t in types if t is not None]


def _visible_keys(bag: Bag, places: list[int], width: int, keys: int) -> int:
    """How many of the sort keys show: rows that tie on the first few may agree on all columns.

    SELECT a ORDER BY a, b   =>   1: which of several equal rows comes first nobody sees
    """
    for count in range(keys):
        first_keys = range(width, width + count)
        if all(
            any(all(t.outputs[k] == t.outputs[i] for t in bag) for k in first_keys)
            and not any(ty.has_floats(t.outputs[i].type) for t in bag)
            for i in places
        ):
            return count
    return keys


def _shown(bag: Bag, places: list[int], types: Sequence[ty.DataType], width: int, keys: int) -> Bag:
    """The compared columns in their types, and so many sort keys."""
    return tuple(
        replace(
            t,
            outputs=(
                *(_as(t.outputs[i], type_) for i, type_ in zip(places, types, strict=True)),
                *t.outputs[width : width + keys],
            ),
        )
        for t in bag
    )


def _as(output: ex.Expr, type_: ty.DataType) -> ex.Expr:
    """An output in a type that holds all its values: the cast changes none and never fails."""
    return output if output.type == type_ else ex.Cast(output, type_, ty.CastMode.ANSI)


# -- the context with everything it needs: how symbols are made is put together here -------------


@final
@dataclass
class Algebra(Context):
    """The context of one query pair.

    Making a symbol simplifies its definition, simplifying substitutes, and substituting makes the
    symbols anew: the three know each other through this class alone.
    """

    def exists(self, bag: Bag) -> Expr:
        """The condition that some term of a bag has a row."""
        return existence.exists(self, bag)

    def fold(self, function: str, type_: DataType, distinct: bool, bag: Bag) -> Expr:
        """The value of an aggregate function over a bag of argument rows."""
        return folds.fold(self, function, type_, distinct, bag)

    def total(self, term: Term, type_: DataType) -> Expr:
        """The only output of a term, never null where its conditions hold, added up."""
        return totals.total(self, term, type_)
