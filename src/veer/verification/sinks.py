"""The verdicts on all pairs of sinks: a schema difference, a checked proof, a witness, or a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from veer import verdict
from veer.caveats import Caveat
from veer.errors import TimeLimitReached
from veer.facts.determinism import expr_kind
from veer.facts.sink_assumptions import columns_as_used
from veer.functions.moments import RUN_TIME
from veer.functions.registry import Kind
from veer.ir.dag import Dataflow
from veer.ir.ops import OTHER_COLUMNS
from veer.ir.walk import operator_exprs
from veer.options import Optimization
from veer.prove.verifiers import registry
from veer.prove.verifiers.base import EV
from veer.reasons import DiffersOn, Reason, SinkAdded, SinkRemoved, TimeLimit, several
from veer.refute import Refutation, find_witness, witness_on
from veer.verification.columns import Mismatch, match_columns
from veer.verification.comparison import Comparison
from veer.verification.evidence import Evidence
from veer.verification.guard import ProofGuard
from veer.verification.proof import Claim, Proof
from veer.verification.questions import AskedQuestions
from veer.verification.search import congruence
from veer.verification.search.answer_cache import AnswerCache
from veer.verification.search.attempts import Attempts
from veer.verification.search.catalyst import prove_by_catalyst
from veer.verification.search.paper.decomposition import WalkCounts
from veer.verification.search.simulation import Simulation
from veer.verification.search.sink_prover import Plan, SinkProver
from veer.verification.search.sweep import Sweep
from veer.verification.search.whole import top_claim
from veer.verification.versions import VersionPair
from veer.verification.versions.mapping import sink_pairs

QUICK_INSTANCES = 100  # tried before verifiers are asked much: most differences show early


class Verifiers:
    """The verifiers asked for, made when the first is needed."""

    def __init__(self, names: Sequence[str]) -> None:
        registry.check_names(names)
        self.names = names

    @cached_property
    def all(self) -> list[EV]:
        """The verifiers in the order in which they are asked."""
        return [registry.get(name) for name in self.names or registry.usual()]


@dataclass
class PairSearch:
    """What all pairs of sinks share."""

    pair: VersionPair
    semantics: verdict.TableSemantics
    evs: Verifiers
    plan: Plan
    walk_counts: WalkCounts
    answers: AnswerCache
    progress: Callable[[str], None]
    choices: dict[str, str] = field(default_factory=dict)  # paired by the proofs so far
    optimized: tuple[Dataflow, Dataflow] | None = None  # what Spark makes of both
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # that may be run
    # What verifiers were asked, by pairs of sinks.
    questions: dict[tuple[str, str], AskedQuestions] = field(default_factory=dict)
    # What verdicts rest on, by pairs of sinks.
    proofs: dict[tuple[str, str], Proof] = field(default_factory=dict)
    refutations: dict[tuple[str, str], Refutation] = field(default_factory=dict)

    @cached_property
    def sweep(self) -> Sweep:
        """What simulation and obligations say of the pair."""
        return Sweep(self.pair, self.semantics, self.evs.all)


def sink_reports(
    search: PairSearch, asked: Comparison
) -> tuple[tuple[verdict.SinkReport, ...], float]:
    """The verdicts on all sinks; and the time limit, if it stopped the search for some."""
    p, q = search.pair.p, search.pair.q
    pairs = sorted(sink_pairs(p, q))
    reports: list[verdict.SinkReport] = []
    seconds = 0.0
    try:
        for a, b in pairs:
            reports.append(verify_sinks(search, a, b, asked))
    except TimeLimitReached as limit:
        seconds = limit.seconds
        for a, b in pairs[len(reports) :]:
            reports.append(verdict.SinkReport(a, b, verdict.Verdict.UNKNOWN, TimeLimit(seconds)))
    for a in sorted(set(p.sinks) - {a for a, _ in pairs}):
        reports.append(verdict.SinkReport(a, "", verdict.Verdict.UNKNOWN, SinkRemoved(a)))
    for b in sorted(set(q.sinks) - {b for _, b in pairs}):
        reports.append(verdict.SinkReport("", b, verdict.Verdict.UNKNOWN, SinkAdded(b)))
    return tuple(reports), seconds


def verify_sinks(search: PairSearch, a: str, b: str, asked: Comparison) -> verdict.SinkReport:
    """The verdict on one pair of sinks: a schema difference, a checked proof, a witness."""
    p, q = search.pair.p, search.pair.q
    columns = match_columns(p, q, a, b, asked)
    if isinstance(columns, Mismatch):
        return _mismatched(a, b, columns)
    goal = Claim(a, b, asked.semantics, columns.pairs)
    functions = search.functions
    # Of columns nobody knows there may be none: a difference must show in others.
    told = tuple((i, j) for i, j in columns.pairs if p.schemas[a].names[i] != OTHER_COLUMNS)
    refutation = Refutation.of(p, q, a, b, told, asked.semantics, functions)
    questions = search.questions[a, b] = AskedQuestions(search.answers)
    attempts = Attempts(questions, search.plan.budget)
    checked = ProofGuard(
        p, q, refutation, goal, attempts, columns.caveats, asked.errors, search.choices
    )
    if asked.evidence or asked.recheck:
        checked.evidence = Evidence(
            search.evs.all,
            attempts.answer,
            asked.recheck,
            lambda text: search.progress(f"{goal.p}: {text}"),
        )
    reasons: list[Reason] = []
    for step in _steps(search, refutation, goal, attempts, asked):
        outcome = step()
        if isinstance(outcome, verdict.Witness):
            search.refutations[a, b] = refutation
            return _refuted(refutation, outcome, columns.caveats, attempts)
        report = checked.report(outcome) if isinstance(outcome, Proof) else outcome
        if isinstance(report, verdict.SinkReport):
            if isinstance(outcome, Proof) and report.verdict is verdict.Verdict.EQUIVALENT:
                search.proofs[a, b] = outcome
            return report
        reasons += [] if report is None else [report]
    windows, reason = tuple(attempts.windows), several(reasons)
    return verdict.SinkReport(a, b, verdict.Verdict.UNKNOWN, reason, (), columns.caveats, windows)


def _mismatched(a: str, b: str, mismatch: Mismatch) -> verdict.SinkReport:
    """INEQUIVALENT by the schemas alone, if the difference is certain."""
    reason, caveats = mismatch.reason, mismatch.caveats
    if not mismatch.certain:
        return verdict.SinkReport(a, b, verdict.Verdict.UNKNOWN, reason, (), caveats)
    witness = verdict.Witness(verdict.WitnessKind.SCHEMA, difference=reason)
    return verdict.SinkReport(
        a, b, verdict.Verdict.INEQUIVALENT, reason, (), caveats, witness=witness
    )


def _steps(
    search: PairSearch, refutation: Refutation, goal: Claim, attempts: Attempts, asked: Comparison
) -> Iterator[Callable[[], Proof | verdict.Witness | Reason | None]]:
    """What is tried about one pair of sinks, one after the other, until something is found."""
    yield lambda: congruence.prove(search.pair.p, search.pair.q, goal)
    search.progress(f"{goal.p}: simulating")
    sweep = search.sweep
    if Optimization.QUICK not in asked.without:
        yield lambda: _by_simulation(sweep.candidates.simulation, refutation, goal)
    prover = SinkProver(
        search.pair,
        goal,
        search.evs.all,
        search.plan,
        attempts,
        search.walk_counts,
        sweep,
        lambda text: search.progress(f"{goal.p}: {text}"),
    )
    yield prover.prove
    budget = search.plan.budget
    if asked.witnesses:
        yield lambda: _quick_witness(refutation, budget)
    yield prover.prove_from_sources
    if not asked.witnesses:
        return
    yield lambda: find_witness(refutation, budget, first=QUICK_INSTANCES)
    yield prover.prove_at_last
    if search.optimized is not None:
        p, q, optimized = search.pair.p, search.pair.q, search.optimized
        yield lambda: prove_by_catalyst(p, q, goal, optimized, attempts)


def _quick_witness(refutation: Refutation, budget: int) -> verdict.Witness | None:
    """A witness among the first instances."""
    witness = find_witness(refutation, budget, last=QUICK_INSTANCES)
    return witness if isinstance(witness, verdict.Witness) else None


def _by_simulation(
    simulation: Simulation, refutation: Refutation, goal: Claim
) -> verdict.Witness | None:
    """A witness among the instances both versions were run on."""
    for tables in simulation.differing(top_claim(simulation.p, simulation.q, goal)):
        witness = witness_on(refutation, tables)
        if witness is not None:
            return witness
    return None


def _refuted(
    refutation: Refutation,
    witness: verdict.Witness,
    caveats: tuple[Caveat, ...],
    attempts: Attempts,
) -> verdict.SinkReport:
    """INEQUIVALENT with a witness."""
    a, b = refutation.p_sink, refutation.q_sink
    rows = sum(len(table["rows"]) for table in witness.tables.values())
    only_order = sorted(map(repr, witness.p_rows)) == sorted(map(repr, witness.q_rows))
    operators = (*refutation.p.operators.values(), *refutation.q.operators.values())
    exprs = (e for operator in operators for e in operator_exprs(operator))
    timed = any(expr_kind(e) is Kind.RUN_CONSTANT for e in exprs)
    reason = DiffersOn(rows, only_order, RUN_TIME if timed else None)
    windows = tuple(attempts.windows)
    used = columns_as_used((refutation.p, a), (refutation.q, b))
    return verdict.SinkReport(
        a, b, verdict.Verdict.INEQUIVALENT, reason, used, caveats, windows, witness
    )
