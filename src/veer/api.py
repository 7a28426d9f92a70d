"""The whole path in one file: load two versions, compare them, report.

load -> VersionPair -> per pair of sinks: proof, checked and guarded, or witness -> Report
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, final

from veer.dataflow.dag import Dataflow
from veer.dataflow.determinism import expr_kind
from veer.dataflow.failures import may_fail, only_in
from veer.dataflow.functions.dates import RUN_TIME
from veer.dataflow.functions.registry import Kind
from veer.dataflow.json import to_json
from veer.dataflow.ops import APPENDED, BY_NAME, OVERWRITTEN, WRITTEN, Sink
from veer.dataflow.schema import listing
from veer.dataflow.types import same_by_value
from veer.dataflow.walk import operator_exprs
from veer.dataflow.zeros import shown_zero_sign
from veer.errors import DefectError, TimeLimitReached
from veer.evidence.collect import Evidence
from veer.evs import registry
from veer.evs.base import EV
from veer.frontends.spec import Version, load, load_pair, version_of
from veer.proof import TIDY, Claim, Proof, ProofError, check, is_unseen_edit
from veer.refute import Refutation, find_witness, first_difference, witness_on
from veer.search import congruence
from veer.search.attempts import Attempts
from veer.search.catalyst import CATALYST, prove_by_catalyst
from veer.search.decomposition import Tally
from veer.search.prove import Hunt, Plan
from veer.search.simulation import Simulation
from veer.search.sweep import Sweep
from veer.search.verdicts import Verdicts, verdicts
from veer.search.whole import top_claim
from veer.smt.second import second_solver
from veer.verdict import (
    OBLIGATIONS,
    Caveat,
    Counts,
    Report,
    SinkReport,
    TableSemantics,
    Verdict,
    Witness,
)
from veer.versions import VersionPair
from veer.versions.describe import describe_edits
from veer.versions.mapping import sink_pairs
from veer.visible import visible


@final
@dataclass(frozen=True)
class Comparison:
    """What counts as the same result."""

    semantics: TableSemantics = TableSemantics.BAG
    columns: str = "name"  # or "position"
    types: str = "exact"  # or "value": integers and decimals of any width, and NULL, by value
    budget: int = 1_000_000  # operators the refuter may run
    evs: tuple[str, ...] = ()  # verifiers to ask, in this order; all by default
    errors: str = "ignore"  # or "strict": what may fail in one version only is not equivalent
    strategy: str = "sweep"  # or "plus", "baseline"
    without: tuple[str, ...] = ()  # "segment", "prune", "rank", "quick" switched off
    cache: str = ""  # a file in which answers of verifiers are kept
    witnesses: bool = True  # or only look for proofs: what is not proven is unknown
    evidence: bool = False  # the steps of proofs, with the solver's questions, in the report
    recheck: str = ""  # "cvc5": a second solver is asked these questions too


@final
@dataclass(frozen=True)
class Doubt:
    """A difference that may only be one of generated names."""

    reason: str


GUARD_INSTANCES = 8
QUICK_INSTANCES = 16  # tried before a verifier is asked: most differences show at once
MOST_CAVEATS = 4
MOST_NAMES = 5  # of columns in a reason
ALL_SINKS = "all sinks"
GIVEN = re.compile(r"[A-Za-z_]\w*")  # what a name given by a person looks like


def diff(p: Version, q: Version) -> VersionPair:
    """The two versions under their best edit mapping."""
    return VersionPair.of(p.dataflow, q.dataflow, stable_ids=p.stable_ids and q.stable_ids)


def verify(
    p: Version | str | Any,
    q: Version | str | Any,
    comparison: Comparison | None = None,
    *,
    schema: str = "",
    progress: Callable[[str], None] = lambda _: None,
) -> Report:
    """Whether both versions produce the same results, sink by sink.

    They are given loaded, as SPECs, or as DataFrames of a classic Spark session. `progress` is
    told what is going on.
    """
    asked = comparison or Comparison()
    if asked.recheck:
        second_solver(asked.recheck)
    p, q = (version_of(v, name, schema) for v, name in ((p, "P"), (q, "Q")))
    start = time.perf_counter()
    try:
        return _report(p, q, asked, start, progress)
    except TimeLimitReached as limit:
        return replace(
            stopped(p.name, q.name, asked, limit),
            seconds=time.perf_counter() - start,
            place=q.place,
        )


def stopped(p: str, q: str, asked: Comparison, limit: TimeLimitReached) -> Report:
    """The report on a pair about which nothing was found in time."""
    sink = SinkReport(ALL_SINKS, ALL_SINKS, Verdict.UNKNOWN, str(limit))
    return Report(p, q, asked.semantics, (), (sink,), seconds=limit.seconds, limit=limit.seconds)


def _report(
    p: Version, q: Version, asked: Comparison, start: float, progress: Callable[[str], None]
) -> Report:
    pair = diff(p, q)
    plan = Plan(asked.strategy, asked.without, asked.budget, p.stable_ids and q.stable_ids)
    known = verdicts(asked.cache)
    search = _Search(pair, asked.semantics, _Evs(asked.evs), plan, Tally(), known, progress)
    if p.optimized is not None and q.optimized is not None and not asked.evs:
        search.optimized = p.optimized, q.optimized
    remembered, edits = known.remembered, describe_edits(pair)
    sinks, limit = _sink_reports(search, asked)
    windows = [window for sink in sinks for window in sink.windows]
    calls = sum(window.ev != OBLIGATIONS for window in windows)
    return Report(
        p.name,
        q.name,
        asked.semantics,
        edits,
        sinks,
        Counts(len(windows), search.tally.decompositions, calls, known.remembered - remembered),
        time.perf_counter() - start,
        q.place,
        limit,
    )


def assert_equivalent(
    p: Version | str | Any,
    q: Version | str | Any,
    comparison: Comparison | None = None,
    *,
    schema: str = "",
) -> Report:
    """For tests: the report, or an AssertionError that shows it with its witnesses."""
    report = verify(p, q, comparison, schema=schema)
    wrong = [s for s in report.sinks if s.verdict is not Verdict.EQUIVALENT]
    if wrong:
        lines = (visible(f"  {s.p or s.q}: {s.verdict.value}: {s.reason}") for s in wrong)
        head = visible(f"{report.p} and {report.q} are not known to be equivalent:")
        raise AssertionError("\n".join([head, *lines, "", str(report)]))
    return report


class _Evs:
    """The verifiers asked for, made when the first is needed."""

    def __init__(self, names: Sequence[str]) -> None:
        registry.check_names(names)
        self.names = names

    @cached_property
    def all(self) -> list[EV]:
        return [registry.get(name) for name in self.names or registry.usual()]


@dataclass
class _Search:
    """What all pairs of sinks share."""

    pair: VersionPair
    semantics: TableSemantics
    evs: _Evs
    plan: Plan
    tally: Tally
    verdicts: Verdicts
    progress: Callable[[str], None]
    choices: dict[str, str] = field(default_factory=dict)  # paired by the proofs so far
    optimized: tuple[Dataflow, Dataflow] | None = None  # what Spark makes of both

    @cached_property
    def sweep(self) -> Sweep:
        """What simulation and obligations say of the pair."""
        return Sweep(self.pair, self.semantics, self.evs.all)


def _sink_reports(search: _Search, asked: Comparison) -> tuple[tuple[SinkReport, ...], float]:
    """The verdicts on all sinks; and the time limit, if it stopped the search for some."""
    p, q = search.pair.p, search.pair.q
    pairs = sorted(sink_pairs(p, q))
    found: list[SinkReport] = []
    seconds = 0.0
    try:
        for a, b in pairs:
            found.append(_verify_sinks(search, a, b, asked))
    except TimeLimitReached as limit:
        seconds = limit.seconds
        for a, b in pairs[len(found) :]:
            found.append(SinkReport(a, b, Verdict.UNKNOWN, str(limit)))
    for a in sorted(set(p.sinks) - {a for a, _ in pairs}):
        found.append(SinkReport(a, "", Verdict.UNKNOWN, f"sink {a!r} was removed"))
    for b in sorted(set(q.sinks) - {b for _, b in pairs}):
        found.append(SinkReport("", b, Verdict.UNKNOWN, f"sink {b!r} was added"))
    return tuple(found), seconds


def _verify_sinks(search: _Search, a: str, b: str, asked: Comparison) -> SinkReport:
    """The verdict on one pair of sinks: a schema difference, a checked proof, a witness."""
    p, q = search.pair.p, search.pair.q
    caveats: list[Caveat] = []
    columns = _match_columns(p, q, a, b, asked, caveats)
    if isinstance(columns, Doubt):
        return SinkReport(a, b, Verdict.UNKNOWN, columns.reason, (), tuple(caveats))
    if isinstance(columns, str):
        witness = Witness("schema", detail=columns)
        return SinkReport(a, b, Verdict.INEQUIVALENT, columns, (), tuple(caveats), (), witness)
    goal = Claim(a, b, asked.semantics, columns)
    refutation = Refutation.of(p, q, a, b, columns, asked.semantics)
    attempts = Attempts(search.verdicts, asked.budget)
    checked = _Checked(refutation, goal, attempts, tuple(caveats), asked.errors, search.choices)
    if asked.evidence or asked.recheck:
        checked.evidence = Evidence(
            search.evs.all,
            attempts.answer,
            asked.recheck,
            lambda text: search.progress(f"{goal.p}: {text}"),
        )
    reasons: list[str] = []
    for step in _steps(search, refutation, goal, attempts, asked):
        found = step()
        if isinstance(found, Witness):
            return _refuted(refutation, found, tuple(caveats), attempts)
        report = checked.report(found) if isinstance(found, Proof) else found
        if isinstance(report, SinkReport):
            return report
        reasons += [report] if report else []
    windows, reason = tuple(attempts.windows), "; ".join(dict.fromkeys(reasons))
    return SinkReport(a, b, Verdict.UNKNOWN, reason, (), tuple(caveats), windows)


def _steps(
    search: _Search, refutation: Refutation, goal: Claim, attempts: Attempts, asked: Comparison
) -> Iterator[Callable[[], Proof | Witness | str | None]]:
    """What is tried about one pair of sinks, one after the other, until something is found."""
    yield lambda: congruence.prove(search.pair.p, search.pair.q, goal)
    search.progress(f"{goal.p}: simulating")
    sweep = search.sweep
    if "quick" not in asked.without:
        yield lambda: _by_simulation(sweep.simulation, refutation, goal)
    hunt = Hunt(
        search.pair,
        goal,
        search.evs.all,
        search.plan,
        attempts,
        search.tally,
        sweep,
        lambda text: search.progress(f"{goal.p}: {text}"),
    )
    yield hunt.prove
    if not asked.witnesses:
        return
    yield lambda: _quick_witness(refutation, asked.budget)
    yield hunt.prove_at_last
    if search.optimized is not None:
        p, q, optimized = search.pair.p, search.pair.q, search.optimized
        yield lambda: prove_by_catalyst(p, q, goal, optimized, attempts)
    yield lambda: find_witness(refutation, asked.budget, first=QUICK_INSTANCES)


def _quick_witness(refutation: Refutation, budget: int) -> Witness | None:
    """A witness among the first instances."""
    found = find_witness(refutation, budget, last=QUICK_INSTANCES)
    return found if isinstance(found, Witness) else None


def _by_simulation(simulation: Simulation, refutation: Refutation, goal: Claim) -> Witness | None:
    """A witness among the instances both versions were run on."""
    for tables in simulation.differing(top_claim(simulation.p, simulation.q, goal)):
        found = witness_on(refutation, tables)
        if found is not None:
            return found
    return None


@dataclass
class _Checked:
    """What makes a proof of one pair of sinks an EQUIVALENT."""

    refutation: Refutation
    goal: Claim
    attempts: Attempts
    caveats: tuple[Caveat, ...]
    errors: str
    choices: dict[str, str]
    evidence: Evidence | None = None

    def report(self, proof: Proof) -> SinkReport | str:
        """The verdict a proof gives, with its evidence if asked for; or why it is none."""
        found = self._report(proof)
        if self.evidence is None or isinstance(found, str):
            return found
        if found.verdict is not Verdict.EQUIVALENT:
            return found
        return self.evidence.added_to(found, proof, self.refutation.p, self.refutation.q)

    def _report(self, proof: Proof) -> SinkReport | str:
        """EQUIVALENT, if the checker accepts the proof and simulation agrees; else why not."""
        p, q, a, b = self.refutation.p, self.refutation.q, self.goal.p, self.goal.q
        ask = self.attempts.answer if self.evidence is None else self.evidence.ask
        try:
            assumptions = check(proof, p, q, self.goal, ask, self.choices)
        except ProofError as error:
            return str(error)
        evs = [step.ev for step in proof.steps if step.ev]
        try:
            _guard(self.refutation)
        except DefectError:
            if evs != [CATALYST]:
                raise
            return "catalyst: Spark's optimizer knows more than holds for every source"
        tidy = any(step.rule == TIDY for step in proof.steps)
        unseen = sum(is_unseen_edit(step, p, q) for step in proof.steps if step.rule != TIDY)
        if not evs and not unseen and not tidy:
            reason = f"the same {len(proof.steps) - 1} operators on the same sources"
            return SinkReport(a, b, Verdict.EQUIVALENT, reason, assumptions, self.caveats)
        for side in (p, q):
            if shown := shown_zero_sign(side):
                return (
                    f"{shown} tells 0.0 from -0.0 of a float that is compared or grouped by: "
                    "which of them Spark gives depends on its plan"
                )
        windows = self.attempts.used(proof, p, q)
        failures = _failures(self.refutation)
        if failures and self.errors == "strict":
            reason = f"the results are the same, but {failures[0].text}"
            return SinkReport(a, b, Verdict.UNKNOWN, reason, assumptions, self.caveats, windows)
        reasons = []
        if evs:
            count = f" in {len(evs)} windows" if len(evs) > 1 else ""
            reasons.append(f"proven by {' and '.join(dict.fromkeys(evs))}{count}")
        if tidy:
            reasons.append("columns are computed elsewhere, to the same effect")
        if unseen:
            verb = "edit changes" if unseen == 1 else "edits change"
            reasons.append(f"{unseen} {verb} nothing that is needed")
        caveats = (*self.caveats, *failures)
        reason = "; ".join(reasons)
        return SinkReport(a, b, Verdict.EQUIVALENT, reason, assumptions, caveats, windows)


def _failures(refutation: Refutation) -> list[Caveat]:
    """What may fail a run of one version but not of the other."""
    ours = may_fail(refutation.p, refutation.p_sink)
    theirs = may_fail(refutation.q, refutation.q_sink)
    found = [f"P may fail where Q does not: {x}" for x in only_in(ours, theirs)]
    found += [f"Q may fail where P does not: {x}" for x in only_in(theirs, ours)]
    if len(found) > MOST_CAVEATS:
        more = len(found) - MOST_CAVEATS
        found = [*found[:MOST_CAVEATS], f"{more} more expressions may fail in one version only"]
    return [Caveat(text) for text in found]


def _refuted(
    refutation: Refutation, witness: Witness, caveats: tuple[Caveat, ...], attempts: Attempts
) -> SinkReport:
    """INEQUIVALENT with a witness."""
    a, b = refutation.p_sink, refutation.q_sink
    rows = sum(len(table["rows"]) for table in witness.tables.values())
    instance = f"an instance of {rows} row{'' if rows == 1 else 's'}"
    reason = f"they differ on {instance}"
    if sorted(map(repr, witness.p_rows)) == sorted(map(repr, witness.q_rows)):
        reason = f"they give the same rows in another order on {instance}"
    operators = (*refutation.p.operators.values(), *refutation.q.operators.values())
    if any(expr_kind(e) is Kind.RUN_CONSTANT for o in operators for e in operator_exprs(o)):
        reason += f", in a run on {RUN_TIME:%Y-%m-%d at %H:%M:%S}"
    windows = tuple(attempts.windows)
    return SinkReport(a, b, Verdict.INEQUIVALENT, reason, (), caveats, windows, witness)


def _guard(refutation: Refutation) -> None:
    """Simulation must agree before EQUIVALENT is given out; else Veer itself is wrong."""
    tables = first_difference(refutation, GUARD_INSTANCES)
    if tables is not None:
        evidence = {
            "p": to_json(refutation.p),
            "q": to_json(refutation.q),
            "tables": {name: repr(rows) for name, rows in tables.items()},
        }
        raise DefectError(
            f"sinks {refutation.p_sink!r} and {refutation.q_sink!r} are proven equal but differ on "
            f"{tables}; please report this with both versions",
            evidence,
        )


def _match_columns(
    p: Dataflow, q: Dataflow, a: str, b: str, asked: Comparison, caveats: list[Caveat]
) -> tuple[tuple[int, int], ...] | str | Doubt:
    """Which columns of the sinks belong together, or how their schemas differ."""
    left, right = p.schemas[a], q.schemas[b]
    sinks = p.operators[a], q.operators[b]
    assert isinstance(sinks[0], Sink) and isinstance(sinks[1], Sink)
    kinds = sinks[0].kind, sinks[1].kind
    inserts = [k.partition(",")[0] in (APPENDED, OVERWRITTEN) and BY_NAME not in k for k in kinds]
    if kinds[0] != kinds[1]:
        if any(k.startswith((WRITTEN, APPENDED, OVERWRITTEN)) for k in kinds):
            return Doubt(f"written as {sinks[0].kind} in P, as {sinks[1].kind} in Q")
        caveats.append(Caveat(f"shown as {sinks[0].kind} in P, as {sinks[1].kind} in Q"))
    if len(left) != len(right):
        return f"{len(left)} columns in P, {len(right)} in Q: {_changed(left.names, right.names)}"
    pairs = tuple((i, i) for i in range(len(left)))
    if all(inserts):
        if left.names != right.names:
            caveats.append(Caveat("other column names; the table goes by position"))
    elif asked.columns == "name" and left.names != right.names:
        # Spark resolves names without regard to case, unless told otherwise.
        names, others = ([n.lower() for n in schema.names] for schema in (left, right))
        if sorted(left.names) != sorted(right.names) and sorted(names) == sorted(others):
            caveats.append(Caveat("column names differ in letter case"))
        if names != others:
            if len(set(names)) < len(names) or set(names) != set(others):
                return _name_difference(left.names, right.names)
            if sinks[0].positional or sinks[1].positional:
                return "the columns come in another order, and the sink goes by position"
            caveats.append(Caveat("the columns come in another order"))
            pairs = tuple((i, others.index(name)) for i, name in enumerate(names))
    for i, j in pairs:
        f, g = left.fields[i], right.fields[j]
        alike = f.type == g.type if asked.types == "exact" else same_by_value(f.type, g.type)
        if not alike:
            text = f"column {f.name!r} is {f.type} in P, {g.type} in Q"
            return Doubt(f"{text}; the table written decides") if all(inserts) else text
    generated = [n for n in left.names if not GIVEN.fullmatch(n)]
    if asked.columns == "name" and generated and not any(inserts):
        caveats.append(Caveat(f"the name {generated[0]!r} is generated; an alias makes it certain"))
    return pairs


def _name_difference(left: Sequence[str], right: Sequence[str]) -> str | Doubt:
    """A difference of names; a doubt where Spark made up a name and ours is a guess at it."""
    text = f"different columns: {_changed(left, right)}"
    odd = [n for n in {*left, *right} if (n in left) != (n in right) and not GIVEN.fullmatch(n)]
    if odd:
        return Doubt(f"{text}; give {sorted(odd)[0]!r} an alias to be sure of its name")
    return text


def _changed(left: Sequence[str], right: Sequence[str]) -> str:
    gone = [n for n in left if n not in right]
    new = [n for n in right if n not in left]
    parts = [f"only in P: {listing(tuple(gone), MOST_NAMES)}"] if gone else []
    parts += [f"only in Q: {listing(tuple(new), MOST_NAMES)}"] if new else []
    return "; ".join(parts) or "repeated names"


__all__ = ["Comparison", "Version", "assert_equivalent", "diff", "load", "load_pair", "verify"]
