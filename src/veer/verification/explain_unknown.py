"""Explanation of an unknown: the smallest parts not proven equal, and what would settle it."""

from __future__ import annotations

from dataclasses import replace

from veer.caveats import Side
from veer.errors import TimeLimitReached, VeerError
from veer.facts.fingerprint import fingerprints
from veer.hints import Declare, Hint
from veer.ir.dag import Dataflow
from veer.ir.query_pair import QueryPair, unfold
from veer.ir.sql_text import sql_text
from veer.ir.walk import size
from veer.options import ColumnMatching, TypeMatching
from veer.reasons import DifferentComputation, ProofRefuted, Reason
from veer.rewrite.normalize import normalized
from veer.verdict import Resisted, SinkReport, Verdict
from veer.verification import hinting
from veer.verification.comparison import Comparison
from veer.verification.declaration_search import Trials, only_proofs, suggest
from veer.verification.declarations import candidates
from veer.verification.questions import compared, resisted, signals
from veer.verification.search.paper.decomposition import WalkCounts
from veer.verification.search.sink_prover import Plan
from veer.verification.sinks import PairSearch, verify_sinks
from veer.verification.versions import VersionPair

HINT_BUDGET = 20_000  # work for one verification of a part that resisted
HINT_TRIALS = 12  # of them
LARGEST_TRIED = 80  # operators of such a part
SUGGESTION_TRIALS = 60  # verifications of a whole pair of sinks


def settled(search: PairSearch, sink: SinkReport, asked: Comparison) -> SinkReport:
    """The report on a pair of sinks with what would settle it, where that is worth a look."""
    try:
        wanted = asked.hints and asked.witnesses  # else nothing but a proof is asked for
        is_open = sink.verdict is Verdict.UNKNOWN and not isinstance(sink.reason, ProofRefuted)
        if wanted and sink.p and sink.q and is_open:
            sink = _explained(search, sink, asked)
        if asked.suggest_keys and sink.p and sink.q and sink.verdict is not Verdict.EQUIVALENT:
            search.progress(f"{sink.p}: looking for declarations")
            sink = replace(
                sink, suggestion=suggest(_whole_trials(search, sink, asked), sink.witness)
            )
    except TimeLimitReached:
        pass  # the verdict stands
    return sink


def stopped_hints(_: PairSearch, sink: SinkReport, __: Comparison) -> SinkReport:
    """The report on a pair of sinks after the time was over: nothing more is tried."""
    is_open = sink.verdict is Verdict.UNKNOWN
    return replace(sink, hints=tuple(hinting.limits(sink.reason))) if is_open else sink


def _explained(search: PairSearch, sink: SinkReport, asked: Comparison) -> SinkReport:
    """What resisted, and hints about it."""
    questions = search.questions.get((sink.p, sink.q))
    pair = None if questions is None else questions.smallest()
    stopped = hinting.limits(sink.reason)
    if pair is None:
        parted = _where_they_part(search.pair.p, search.pair.q, sink.reason)
        if parted is None:
            return replace(sink, hints=tuple(stopped))
        ends = (
            hinting.Part(Side.P, search.pair.p, (parted.p,)),
            hinting.Part(Side.Q, search.pair.q, (parted.q,)),
        )
        return replace(sink, resisted=parted, hints=(*hinting.hints(*ends), *stopped))
    broken = hinting.ties(pair, lambda changed: _is_proven(search, changed))
    found: list[Hint] = [tie for tie in broken if tie.proven]
    found = found or [*_tried(search, pair, asked)]
    if not found:
        found = [*broken, *hinting.hints(*hinting.parts_between(pair))]
    shown = resisted(pair, search.pair.p, search.pair.q)
    return replace(sink, resisted=shown, hints=(*found, *stopped))


def _is_proven(search: PairSearch, pair: QueryPair) -> bool:
    """Whether a verifier shows a question."""
    try:
        answers = (search.answers.ask(ev, pair) for ev in search.evs.all)
        return any(answer.verdict is Verdict.EQUIVALENT for answer in answers)
    except VeerError:
        return False


def _where_they_part(p: Dataflow, q: Dataflow, reason: Reason) -> Resisted | None:
    """The operators at which congruence ended, over what feeds them."""
    for part in hinting.reasons_in(reason):
        if isinstance(part, DifferentComputation):
            ours, theirs = (part.p, *p.inputs[part.p]), (part.q, *q.inputs[part.q])
            alike = {fingerprints(p)[i]: i for i in reversed(ours)}
            shared = {i: alike[fingerprints(q)[i]] for i in theirs if fingerprints(q)[i] in alike}
            fed = {i: i for i in ours[1:]} | {i: i for i in shared.values()}
            texts = (
                sql_text(unfold(p, part.p, {}), fed),
                sql_text(unfold(q, part.q, {}), {i: i for i in theirs[1:]} | shared),
            )
            given = tuple((name, name, i) for i, name in shared.items())
            return Resisted(part.p, part.q, *texts, given, agrees=False)
    return None


# -- trials ------------------------------------------------------------------------------------


def _tried(search: PairSearch, pair: QueryPair, asked: Comparison) -> list[Declare]:
    """Declarations under which the part that resisted is proven."""
    if asked.suggest_keys:
        return []  # those of the whole pair are looked for
    sides = _down_to_sources(search.pair, pair)
    if sides is None or size(sides[0]) + size(sides[1]) > LARGEST_TRIED:
        return []
    comparison = replace(
        only_proofs(asked),
        budget=HINT_BUDGET,
        semantics=pair.semantics,
        columns=ColumnMatching.POSITION,
        types=TypeMatching.VALUE,
    )

    def verify(p: Dataflow, q: Dataflow, comparison: Comparison) -> SinkReport:
        pair = VersionPair.of(p, q, stable_ids=False)
        inner = _inner(search, pair, replace(search.plan, budget=HINT_BUDGET), comparison)
        return verify_sinks(inner, p.sinks[0], q.sinks[0], comparison)

    trials = Trials(*sides, comparison, verify, HINT_TRIALS)
    if not trials.proves([declaration for declaration, _ in candidates(*sides)]):
        return []
    suggestion = suggest(trials)
    return [Declare(suggestion.declarations)] if suggestion.declarations else []


def _down_to_sources(versions: VersionPair, pair: QueryPair) -> tuple[Dataflow, Dataflow] | None:
    """Both signals of a question with everything below them, columns compared by place."""
    goal_p, goal_q = signals(pair)
    sides = []
    for place, (version, goal, asked) in enumerate(
        ((versions.p, goal_p, pair.p), (versions.q, goal_q, pair.q))
    ):
        # A question may be about normal forms, whose operators have ids of the version.
        for dataflow in (version, normalized(version)):
            if dataflow.operators.get(goal) != asked.operators[goal]:
                continue
            # The same operator may stand over other columns there.
            if dataflow.schemas[goal].names == asked.schemas[goal].names:
                whole = unfold(dataflow, goal, {})
                sides.append(compared(whole, [columns[place] for columns in pair.columns]))
                break
    return (sides[0], sides[1]) if len(sides) == 2 else None


def _whole_trials(search: PairSearch, sink: SinkReport, asked: Comparison) -> Trials:
    """The pair of sinks again, with as much work as it had."""

    def verify(p: Dataflow, q: Dataflow, comparison: Comparison) -> SinkReport:
        pair = VersionPair(p, q, search.pair.mapping)
        inner = _inner(search, pair, search.plan, comparison)
        return verify_sinks(inner, sink.p, sink.q, comparison)

    p, q = search.pair.p, search.pair.q
    return Trials(p, q, only_proofs(asked), verify, SUGGESTION_TRIALS)


def _inner(search: PairSearch, pair: VersionPair, plan: Plan, comparison: Comparison) -> PairSearch:
    """A search of its own, which shares the answers of verifiers."""
    return PairSearch(
        pair,
        comparison.semantics,
        search.evs,
        plan,
        WalkCounts(),
        search.answers,
        lambda _: None,
        functions=search.functions,
    )
