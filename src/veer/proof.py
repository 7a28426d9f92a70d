"""Proofs: claims that two signals are equal, steps that establish them, and their checker.

Every operator output is a signal. A claim pairs a signal of P with one of Q; a proof is an
ordered list of steps, each using earlier claims only. The checker knows neither search nor
solver: what it accepts is EQUIVALENT, nothing else is. It builds the query pair of a step closed by
a verifier itself, and asks that verifier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from veer.dataflow.dag import Dataflow
from veer.dataflow.determinism import expr_kind, keys_relied_on, operator_kind
from veer.dataflow.fingerprint import identity
from veer.dataflow.functions.registry import Kind, aggregate_function
from veer.dataflow.ops import (
    Aggregate,
    ExceptAll,
    Filter,
    GlobalAggregate,
    IntersectAll,
    Join,
    Limit,
    Operator,
    Project,
    RowUdf,
    Sink,
    Sort,
    Source,
    TableUdf,
    Union,
    Unnest,
    Values,
)
from veer.dataflow.pprint import show_operator
from veer.dataflow.query_pair import LEAF_TABLE, QueryPair, unfold
from veer.dataflow.schema import Field
from veer.dataflow.types import same_by_value
from veer.dataflow.walk import operator_exprs
from veer.verdict import Answer, Assumption, TableSemantics, Verdict

# Operators that give equal sets on inputs equal as sets.
KEEP_SETS = (Source, Values, Filter, Project, Join, Union, Sort, Unnest, RowUdf)
# Operators whose output has an order of their own making, or none; others may pass one on.
GIVE_NO_ORDER = (
    Sort,
    Values,
    Join,
    Union,
    Aggregate,
    GlobalAggregate,
    IntersectAll,
    ExceptAll,
)
CONGRUENCE = "congruence"
SINK = "sink"
BY_EV = "ev"


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """The output of operator `p` of P equals the output of operator `q` of Q.

    `columns` pairs positions of P's columns with positions of Q's; None for all, in order.
    """

    p: str
    q: str
    semantics: TableSemantics
    columns: tuple[tuple[int, int], ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class Step:
    """A claim, the earlier claims it rests on, and the rule that closes it.

    `congruence`: the same operator on the same inputs. `sink`: a sink shows what feeds it. `ev`:
    the verifier `ev` shows it of the operators between the leaves and the claim.
    """

    claim: Claim
    leaves: tuple[Claim, ...]
    rule: str
    ev: str = ""


@final
@dataclass(frozen=True, slots=True)
class Proof:
    """Steps in order; the last one claims the sinks equal."""

    steps: tuple[Step, ...]


class ProofError(Exception):
    """Why something is not a proof."""


Ask: TypeAlias = Callable[[str, QueryPair], Answer]


def ask_nobody(ev: str, pair: QueryPair) -> Answer:
    """No verifier: only proofs by congruence are accepted."""
    del pair
    return Answer(Verdict.UNKNOWN, f"there is no verifier {ev!r} to ask")


def check(
    proof: Proof,
    p: Dataflow,
    q: Dataflow,
    goal: Claim,
    ask: Ask = ask_nobody,
    choices: dict[str, str] | None = None,
) -> tuple[Assumption, ...]:
    """Accept a proof of `goal`, giving the assumptions it rests on, or raise `ProofError`.

    `ask` gives the answer of a verifier, by name, on a query pair. `choices` are those paired by
    proofs of other sinks, and grow: what is one choice for one sink is one for all.
    """
    if not proof.steps:
        raise ProofError("a proof has a step")
    cones = (p.ancestors(goal.p), q.ancestors(goal.q))
    proven: set[Claim] = set()
    assumptions: list[Assumption] = []
    chosen = dict(choices or {})
    for step in proof.steps:
        claim = step.claim
        if claim.p not in cones[0] or claim.q not in cones[1]:
            raise ProofError(f"{claim.p!r} ~ {claim.q!r} is outside what the sinks depend on")
        for leaf in step.leaves:
            if leaf not in proven:
                raise ProofError(f"{leaf.p!r} ~ {leaf.q!r} is used before it is proven")
        match step.rule:
            case "congruence":
                assumptions += _check_congruence(step, p, q, chosen)
            case "sink":
                _check_sink(step, p, q)
            case "ev":
                assumptions += _check_ev(step, p, q, ask)
            case other:
                raise ProofError(f"there is no rule {other!r}")
        proven.add(claim)
    if not any(implies(step.claim, goal) for step in proof.steps):
        raise ProofError("no step claims what is to be shown")
    if choices is not None:
        choices.update(chosen)
    return tuple(dict.fromkeys(assumptions))


def implies(claim: Claim, goal: Claim) -> bool:
    """Whether one claim gives another about the same signals."""
    same = (claim.p, claim.q) == (goal.p, goal.q)
    strong = claim.semantics.implies(goal.semantics)
    if claim.columns is None:
        wide = goal.columns is None or all(a == b for a, b in goal.columns)
    else:
        wide = goal.columns is not None and set(goal.columns) == set(claim.columns)
        if claim.semantics is TableSemantics.SET and goal.columns is not None:
            wide = set(goal.columns) <= set(claim.columns)
    return same and strong and wide


def same_operator(p: Dataflow, a: str, q: Dataflow, b: str) -> bool:
    """Whether two operators do the same to inputs of the same types, columns by position."""
    ours = [p.schemas[i] for i in p.inputs[a]]
    theirs = [q.schemas[i] for i in q.inputs[b]]
    same = identity(p.operators[a], ours) == identity(q.operators[b], theirs)
    return same and [s.types for s in ours] == [s.types for s in theirs]


def _check_congruence(
    step: Step, p: Dataflow, q: Dataflow, chosen: dict[str, str]
) -> Iterable[Assumption]:
    """The same operator on inputs proven equal; a choice must be the same choice."""
    claim = step.claim
    if claim.columns is not None:
        raise ProofError("congruence claims all columns")
    below_p, below_q = p.inputs[claim.p], q.inputs[claim.q]
    if identity(p.operators[claim.p], [p.schemas[i] for i in below_p]) != identity(
        q.operators[claim.q], [q.schemas[i] for i in below_q]
    ):
        raise ProofError(f"{claim.p!r} and {claim.q!r} are different operators")
    if len(below_p) != len(below_q):
        raise ProofError(f"{claim.p!r} and {claim.q!r} have different numbers of inputs")
    if [p.schemas[i].types for i in below_p] != [q.schemas[i].types for i in below_q]:
        raise ProofError(f"{claim.p!r} and {claim.q!r} read other types")
    kind = operator_kind(p, claim.p)
    needed = needed_inputs(p.operators[claim.p], kind, claim.semantics)
    for a, b in zip(below_p, below_q, strict=True):
        found = [c for c in step.leaves if (c.p, c.q) == (a, b)]
        if not any(implies(c, Claim(a, b, needed)) for c in found):
            raise ProofError(f"nothing shows {a!r} ~ {b!r} as {needed.value}")
    if kind != operator_kind(q, claim.q):
        raise ProofError(f"{claim.p!r} and {claim.q!r} differ in determinism")
    if kind is Kind.PARTITION:
        raise ProofError(f"{claim.p!r} depends on how rows are partitioned")
    if kind is Kind.CHOICE:
        # One choice of P is one choice of Q: two samples are never merged into one.
        if chosen.setdefault(f"p:{claim.p}", claim.q) != claim.q:
            raise ProofError(f"{claim.p!r} makes a choice and is paired twice")
        if chosen.setdefault(f"q:{claim.q}", claim.p) != claim.p:
            raise ProofError(f"{claim.q!r} makes a choice and is paired twice")
        where = f"{claim.p!r} ({show_operator(p.operators[claim.p])})"
        return [Assumption(f"same choice at {where}")]
    return [
        Assumption(f"{', '.join(key)} is a key of {table}")
        for side, id_ in ((p, claim.p), (q, claim.q))
        for table, key in keys_relied_on(side, id_)
    ]


def needed_inputs(operator: Operator, kind: Kind, claimed: TableSemantics) -> TableSemantics:
    """What inputs must be equal as: what may see the order of rows needs that order."""
    if isinstance(operator, Limit | TableUdf) or (kind is Kind.CHOICE and not _rounds(operator)):
        return TableSemantics.ORDERED_BAG
    keeps_sets = isinstance(operator, KEEP_SETS) or (
        isinstance(operator, Aggregate) and not operator.calls
    )
    if isinstance(operator, Sort) and claimed is TableSemantics.ORDERED_BAG:
        return TableSemantics.BAG  # whatever order rows come in, it is this one afterwards
    if claimed is TableSemantics.SET and (kind is Kind.CHOICE or not keeps_sets):
        return TableSemantics.BAG  # counting, ranking and choosing see duplicates
    return claimed


def _rounds(operator: Operator) -> bool:
    """Whether an operator's only choice is how floats are rounded: no order of rows shows more."""
    if not isinstance(operator, Aggregate | GlobalAggregate):
        return False
    exprs = [expr_kind(e) for e in operator_exprs(operator)]
    functions = [named.call.function for named in operator.calls]
    return Kind.CHOICE not in exprs and all(
        aggregate_function(f).kind is Kind.PURE or f in ROUNDING for f in functions
    )


ROUNDING = ("stddev_pop", "stddev_samp", "var_pop", "var_samp")


def _check_ev(step: Step, p: Dataflow, q: Dataflow, ask: Ask) -> Sequence[Assumption]:
    """The verifier says so of the query pair between the leaves and the claim."""
    pair = query_pair(step, p, q)
    if step.claim.semantics is TableSemantics.ORDERED_BAG:
        for side, start, leaves in (
            (p, step.claim.p, {leaf.p for leaf in step.leaves}),
            (q, step.claim.q, {leaf.q for leaf in step.leaves}),
        ):
            if not _order_is_inside(side, start, leaves):
                raise ProofError(f"the order of {start!r} comes from below the step")
    for name, side in (("P", pair.p), ("Q", pair.q)):
        for id_ in side.order:
            if operator_kind(side, id_) in (Kind.CHOICE, Kind.PARTITION):
                raise ProofError(f"operator {id_!r} of {name} makes a choice inside a step")
    answer = ask(step.ev, pair)
    if answer.verdict is not Verdict.EQUIVALENT:
        raise ProofError(f"{step.ev} does not show it: {answer.reason}")
    return answer.assumptions


def _order_is_inside(dataflow: Dataflow, start: str, leaves: set[str]) -> bool:
    """Whether the order of a signal, or that it has none, shows between leaves and claim.

    A leaf is a bag to the verifier: equal bags of rows taken from equally ordered leaves need
    not be equally ordered.
    """
    id_ = start
    while isinstance(dataflow.operators[id_], Filter | Project | Limit):
        if id_ in leaves:
            return False
        id_ = dataflow.inputs[id_][0]
    operator = dataflow.operators[id_]
    if isinstance(operator, Source):
        return True
    return id_ not in leaves and isinstance(operator, GIVE_NO_ORDER)


def query_pair(step: Step, p: Dataflow, q: Dataflow) -> QueryPair:
    """What a step asks its verifier: both sides between leaves and claim, leaves as sources.

    A source needs no claim: equal sources are the same table.
    """
    leaves_p, leaves_q = _leaf_sources(step.leaves, p, q)
    sides = unfold(p, step.claim.p, leaves_p), unfold(q, step.claim.q, leaves_q)
    columns = step.claim.columns
    if columns is None:
        widths = [len(side.result_schema) for side in sides]
        if widths[0] != widths[1]:
            raise ProofError(f"{widths[0]} columns in P, {widths[1]} in Q")
        columns = tuple((i, i) for i in range(widths[0]))
    types = [side.result_schema.types for side in sides]
    for i, j in columns:
        one, two = types[0][i], types[1][j]
        # Only what a sink compares by value may differ in width: nothing stands above it.
        if one != two and (step.claim.columns is None or not same_by_value(one, two)):
            raise ProofError(f"a column is {one} in P, {two} in Q")
    return QueryPair(*sides, step.claim.semantics, columns)


def _leaf_sources(
    leaves: Sequence[Claim], p: Dataflow, q: Dataflow
) -> tuple[dict[str, Source], dict[str, Source]]:
    """One source for each class of signals the leaves claim equal.

    Of its rows only what both sides declare is known.
    """
    classes: list[set[tuple[int, str]]] = []
    for leaf in leaves:
        if leaf.columns is not None or not leaf.semantics.implies(TableSemantics.BAG):
            raise ProofError(f"{leaf.p!r} ~ {leaf.q!r} is too weak to stand for a table")
        joined = {(0, leaf.p), (1, leaf.q)}
        for other in [c for c in classes if c & joined]:
            classes.remove(other)
            joined |= other
        classes.append(joined)
    found: tuple[dict[str, Source], dict[str, Source]] = ({}, {})
    for number, members in enumerate(classes):
        source = _leaf_source(number, sorted(members), (p, q))
        for side, id_ in members:
            found[side][id_] = source
    return found


def _leaf_source(
    number: int, members: Sequence[tuple[int, str]], sides: tuple[Dataflow, Dataflow]
) -> Source:
    operators = {sides[side].operators[id_] for side, id_ in members}
    if len(operators) == 1 and isinstance(only := next(iter(operators)), Source):
        return only
    schemas = [sides[side].schemas[id_] for side, id_ in members]
    if len({schema.types for schema in schemas}) != 1:
        raise ProofError("a leaf has other column types in P than in Q")
    fields = tuple(
        Field(f"c{i}", f.type, any(s.fields[i].nullable for s in schemas))
        for i, f in enumerate(schemas[0])
    )
    # No table of a user has this name.
    return Source(f"{LEAF_TABLE} {number}", fields)


def _check_sink(step: Step, p: Dataflow, q: Dataflow) -> None:
    """Two sinks show the same rows if what they show of their inputs is proven equal."""
    claim = step.claim
    sinks = (p.operators[claim.p], q.operators[claim.q])
    if not all(isinstance(sink, Sink) for sink in sinks):
        raise ProofError(f"{claim.p!r} ~ {claim.q!r} are not sinks")
    places_p, places_q = _shown(p, claim.p), _shown(q, claim.q)
    if claim.columns is None:
        if len(places_p) != len(places_q):
            raise ProofError("the sinks show different numbers of columns")
        columns = tuple((i, i) for i in range(len(places_p)))
    else:
        columns = claim.columns
        every = [list(range(len(places))) for places in (places_p, places_q)]
        if [sorted(i for i, _ in columns), sorted(j for _, j in columns)] != every:
            raise ProofError("a column of a sink is not claimed, or twice")
    below = tuple(sorted((places_p[i], places_q[j]) for i, j in columns))
    (a,), (b,) = p.inputs[claim.p], q.inputs[claim.q]
    for leaf in step.leaves:
        if (leaf.p, leaf.q) != (a, b):
            continue
        if not leaf.semantics.implies(claim.semantics):
            continue
        if leaf.columns is None and all(i == j for i, j in below):
            return
        if leaf.columns is not None and set(below) <= set(leaf.columns):
            return
    raise ProofError(f"nothing shows {a!r} ~ {b!r} on the columns of the sinks")


def _shown(dataflow: Dataflow, sink: str) -> list[int]:
    """Positions of the input columns a sink shows."""
    operator = dataflow.operators[sink]
    assert isinstance(operator, Sink)
    (below,) = dataflow.inputs[sink]
    schema = dataflow.schemas[below]
    if not operator.columns:
        return list(range(len(schema)))
    return [schema.place(c.name, c.occurrence) for c in operator.columns]
