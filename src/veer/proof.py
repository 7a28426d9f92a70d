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

from veer.dataflow.alike import Pairs, everything, pairs_needed
from veer.dataflow.dag import Dataflow
from veer.dataflow.determinism import keys_relied_on, operator_kind
from veer.dataflow.expr import Column, Expr
from veer.dataflow.facts import Facts, facts, is_never_null, place_name
from veer.dataflow.fingerprint import identity
from veer.dataflow.functions.registry import Kind
from veer.dataflow.needs import (
    GIVE_NO_ORDER,
    Need,
    needs,
    passed_through,
    sees_everything,
    semantics_needed,
)
from veer.dataflow.ops import Filter, Limit, Project, Sink, Source, TableUdf
from veer.dataflow.pprint import show_operator
from veer.dataflow.query_pair import LEAF_TABLE, Leaf, QueryPair, unfold
from veer.dataflow.schema import Field
from veer.dataflow.types import INT, same_by_value
from veer.dataflow.walk import columns_read, operator_exprs
from veer.verdict import Answer, Assumption, TableSemantics, Verdict

CONGRUENCE = "congruence"
WIRE = "wire"
SINK = "sink"
BY_EV = "ev"
MOST_NAMES = 6  # shown of a claim's columns


@final
@dataclass(frozen=True, slots=True)
class Claim:
    """The output of operator `p` of P equals the output of operator `q` of Q.

    `columns` pairs positions of P's columns with positions of Q's; None for all, in order, of
    the same types.
    """

    p: str
    q: str
    semantics: TableSemantics
    columns: tuple[tuple[int, int], ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class Step:
    """A claim, the earlier claims it rests on, and the rule that closes it.

    `congruence`: the same operator on the same inputs. `wire`: an operator of one side changes
    nothing of what is claimed. `sink`: a sink shows what feeds it. `ev`: the verifier `ev` shows
    it of the operators between the leaves and the claim.
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
    proven: dict[tuple[str, str], list[Claim]] = {}
    assumptions: list[Assumption] = []
    chosen = dict(choices or {})
    for step in proof.steps:
        claim = step.claim
        if claim.p not in cones[0] or claim.q not in cones[1]:
            raise ProofError(f"{claim.p!r} ~ {claim.q!r} is outside what the sinks depend on")
        for leaf in step.leaves:
            if not any(implies(known, leaf) for known in proven.get((leaf.p, leaf.q), ())):
                raise ProofError(f"{leaf.p!r} ~ {leaf.q!r} is used before it is proven")
        match step.rule:
            case "congruence":
                assumptions += _check_congruence(step, p, q, chosen)
            case "wire":
                _check_wire(step, p, q)
            case "sink":
                _check_sink(step, p, q)
            case "ev":
                assumptions += _check_ev(step, p, q, ask)
            case other:
                raise ProofError(f"there is no rule {other!r}")
        proven.setdefault((claim.p, claim.q), []).append(claim)
    if not any(implies(step.claim, goal) for step in proof.steps):
        raise ProofError("no step claims what is to be shown")
    if choices is not None:
        choices.update(chosen)
    return tuple(dict.fromkeys(assumptions))


def implies(claim: Claim, goal: Claim) -> bool:
    """Whether one claim gives another about the same signals: as strong, on all of its columns."""
    if (claim.p, claim.q) != (goal.p, goal.q) or not claim.semantics.implies(goal.semantics):
        return False
    if claim.columns is None:
        return goal.columns is None or all(i == j for i, j in goal.columns)
    return goal.columns is not None and set(goal.columns) <= set(claim.columns)


def show_claim(claim: Claim, p: Dataflow) -> str:
    """A claim in words, its columns by their names in P."""
    shown = f"{claim.p} ~ {claim.q} as {claim.semantics.value}"
    if claim.columns is None:
        return shown
    every = p.schemas[claim.p].names
    names = list(dict.fromkeys(every[i] for i, _ in claim.columns))
    if len(names) > MOST_NAMES:
        return f"{shown} on {len(names)} of {len(every)} columns"
    return f"{shown} on {', '.join(names) or 'no column'}"


def is_unseen_edit(step: Step, p: Dataflow, q: Dataflow) -> bool:
    """Whether a step passes over an edit that changes nothing of what is claimed."""
    if step.rule == WIRE:
        return True
    return step.rule == CONGRUENCE and step.claim.columns is not None and not _are_alike(step, p, q)


def _are_alike(step: Step, p: Dataflow, q: Dataflow) -> bool:
    """Whether two operators are the same but for the places of columns."""
    return p.operators[step.claim.p] == q.operators[step.claim.q]


def claim_on(
    p: Dataflow, a: str, q: Dataflow, b: str, semantics: TableSemantics, pairs: Pairs
) -> Claim:
    """The claim about these columns, None where they are all."""
    every = pairs == everything(p.schemas[a], q.schemas[b])
    return Claim(a, b, semantics, None if every else tuple(sorted(pairs)))


def pairs_of(claim: Claim, p: Dataflow, q: Dataflow) -> Pairs:
    """The columns a claim is about."""
    if claim.columns is not None:
        return frozenset(claim.columns)
    found = everything(p.schemas[claim.p], q.schemas[claim.q])
    if found is None:
        raise ProofError(f"{claim.p!r} and {claim.q!r} have other columns")
    return found


def same_operator(p: Dataflow, a: str, q: Dataflow, b: str) -> bool:
    """Whether two operators do the same to inputs of the same types, columns by position."""
    ours = [p.schemas[i] for i in p.inputs[a]]
    theirs = [q.schemas[i] for i in q.inputs[b]]
    same = identity(p.operators[a], ours) == identity(q.operators[b], theirs)
    return same and [s.types for s in ours] == [s.types for s in theirs]


def by_congruence(p: Dataflow, q: Dataflow, claim: Claim) -> tuple[Claim, ...]:
    """What must hold of the inputs of two operators that do the same, for a claim on their outputs.

    Raises `ProofError` if they do different things as far as the claim is concerned.
    """
    one, two = p.operators[claim.p], q.operators[claim.q]
    below = p.inputs[claim.p], q.inputs[claim.q]
    kind = operator_kind(p, claim.p)
    if kind != operator_kind(q, claim.q):
        raise ProofError(f"{claim.p!r} and {claim.q!r} differ in determinism")
    if kind is Kind.PARTITION:
        raise ProofError(f"{claim.p!r} depends on how rows are partitioned")
    wanted = pairs_of(claim, p, q)
    ours, theirs = ([d.schemas[i] for i in ids] for d, ids in zip((p, q), below, strict=True))
    needed: Sequence[Pairs | None] | None
    if sees_everything(one, kind):
        same = same_operator(p, claim.p, q, claim.q) and all(i == j for i, j in wanted)
        needed = [everything(*pair) for pair in zip(ours, theirs, strict=False)] if same else None
    else:
        in_order = claim.semantics is TableSemantics.ORDERED_BAG
        needed = pairs_needed(one, ours, two, theirs, wanted, in_order=in_order)
    if needed is None:
        raise ProofError(f"{claim.p!r} and {claim.q!r} are different operators")
    found = []
    for port, (a, b, pairs) in enumerate(zip(*below, needed, strict=True)):
        assert pairs is not None
        read = {i for i, _ in wanted}
        semantics = semantics_needed(one, port, kind, claim.semantics, read)
        found.append(claim_on(p, a, q, b, semantics, pairs))
    return tuple(found)


def by_wire(p: Dataflow, q: Dataflow, claim: Claim, *, in_p: bool) -> Claim:
    """What must hold below an operator of one side that changes nothing of what is claimed.

    Raises `ProofError` if it may change something.
    """
    pairs = pairs_of(claim, p, q)
    side, id_ = (p, claim.p) if in_p else (q, claim.q)
    need = Need(claim.semantics, frozenset(i if in_p else j for i, j in pairs))
    places = passed_through(side, id_, need)
    if places is None:
        raise ProofError(f"{id_!r} may change what is claimed")
    (below,) = side.inputs[id_]
    if in_p:
        moved = frozenset((places[i], j) for i, j in pairs)
        return claim_on(p, below, q, claim.q, claim.semantics, moved)
    moved = frozenset((i, places[j]) for i, j in pairs)
    return claim_on(p, claim.p, q, below, claim.semantics, moved)


def _check_congruence(
    step: Step, p: Dataflow, q: Dataflow, chosen: dict[str, str]
) -> Iterable[Assumption]:
    """The same operator on inputs proven equal; a choice must be the same choice."""
    claim = step.claim
    for needed in by_congruence(p, q, claim):
        _require(step, needed)
    if operator_kind(p, claim.p) is Kind.CHOICE:
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


def _check_wire(step: Step, p: Dataflow, q: Dataflow) -> None:
    """What is claimed of an operator's output is proven of its input."""
    in_p = bool(step.leaves) and step.leaves[0].q == step.claim.q
    _require(step, by_wire(p, q, step.claim, in_p=in_p))


def _require(step: Step, needed: Claim) -> None:
    if not any(implies(leaf, needed) for leaf in step.leaves):
        raise ProofError(f"nothing shows {needed.p!r} ~ {needed.q!r} as {needed.semantics.value}")


def _check_ev(step: Step, p: Dataflow, q: Dataflow, ask: Ask) -> Sequence[Assumption]:
    """The verifier says so of the query pair between the leaves and the claim."""
    pair = query_pair(step, p, q)
    for name, side in (("P", pair.p), ("Q", pair.q)):
        for id_ in side.order:
            if operator_kind(side, id_) in (Kind.CHOICE, Kind.PARTITION):
                raise ProofError(f"operator {id_!r} of {name} makes a choice inside a step")
    answer = ask(step.ev, pair)
    if answer.verdict is not Verdict.EQUIVALENT:
        raise ProofError(f"{step.ev} does not show it: {answer.reason}")
    declared = [a for a in answer.assumptions if LEAF_TABLE not in a.text]
    if len(declared) < len(answer.assumptions):
        # A key of a leaf follows from declared ones, or from none.
        declared += [
            Assumption(text)
            for leaf in step.leaves
            for known in (facts(p, leaf.p), facts(q, leaf.q))
            for key in known.keys
            for text in sorted(key.relied)
        ]
    return declared


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

    A source needs no claim: equal sources are the same table. A leaf claimed on some columns
    only, or as a set, must be enough for everything above it. Kept with P.
    """
    kept: dict[tuple[Claim, tuple[Claim, ...]], tuple[Dataflow, QueryPair]]
    kept = p.__dict__.setdefault("_query_pairs", {})
    known = kept.get((step.claim, step.leaves))
    if known is None or known[0] is not q:
        known = kept[step.claim, step.leaves] = (q, _query_pair(step, p, q))
    return known[1]


def _query_pair(step: Step, p: Dataflow, q: Dataflow) -> QueryPair:
    leaves_p, leaves_q = _leaves(step, p, q)
    sides = unfold(p, step.claim.p, leaves_p), unfold(q, step.claim.q, leaves_q)
    for side, whole, start, leaves in (
        (sides[0], p, step.claim.p, {leaf.p for leaf in step.leaves}),
        (sides[1], q, step.claim.q, {leaf.q for leaf in step.leaves}),
    ):
        ordered = [start] if step.claim.semantics is TableSemantics.ORDERED_BAG else []
        for id_ in side.order:
            if isinstance(side.operators[id_], TableUdf):
                ordered += whole.inputs[id_]  # it may see the order of rows
        for id_ in ordered:
            if not _order_is_inside(whole, id_, leaves):
                raise ProofError(f"the order of {id_!r} comes from below the step")
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
    pair = QueryPair(*sides, step.claim.semantics, columns)
    _require_tolerance(step, pair)
    return pair


def _require_tolerance(step: Step, pair: QueryPair) -> None:
    """Nothing above a leaf sees more of it than is claimed."""
    weak = [leaf for leaf in step.leaves if not _is_full(leaf)]
    if not weak:
        return
    for place, side in enumerate((pair.p, pair.q)):
        wanted = Need(pair.semantics, frozenset(c[place] for c in pair.columns))
        needed = needs(side, {side.sinks[0]: wanted})
        for leaf in weak:
            id_ = leaf.q if place else leaf.p
            columns = leaf.columns
            if columns is None:
                columns = tuple((i, i) for i in range(len(side.schemas[id_])))
            claimed = Need(leaf.semantics, frozenset(c[place] for c in columns))
            if id_ in needed and not needed[id_] <= claimed:
                raise ProofError(f"{leaf.p!r} ~ {leaf.q!r} is too weak for what stands above it")


def _is_full(leaf: Claim) -> bool:
    return leaf.columns is None and leaf.semantics.implies(TableSemantics.BAG)


def _leaves(step: Step, p: Dataflow, q: Dataflow) -> tuple[dict[str, Leaf], dict[str, Leaf]]:
    """One source for each class of signals the leaves claim equal."""
    read = _names_read(step, p, q)
    classes: list[set[tuple[int, str]]] = []
    found: tuple[dict[str, Leaf], dict[str, Leaf]] = ({}, {})
    number = 0
    for leaf in step.leaves:
        if _is_full(leaf):
            pairs_of(leaf, p, q)
            joined = {(0, leaf.p), (1, leaf.q)}
            for other in [c for c in classes if c & joined]:
                classes.remove(other)
                joined |= other
            classes.append(joined)
    for members in classes:
        operators = {(p, q)[side].operators[id_] for side, id_ in members}
        if len(operators) == 1 and isinstance(next(iter(operators)), Source):
            continue  # the same table
        width = len(p.schemas[next(id_ for side, id_ in sorted(members) if not side)])
        places = {member: {i: i for i in range(width)} for member in sorted(members)}
        _put_leaf(found, number, places, (p, q), read, counts=True)
        number += 1
    for leaf in step.leaves:
        if _is_full(leaf):
            continue
        if leaf.p in found[0] or leaf.q in found[1]:
            raise ProofError(f"{leaf.p!r} ~ {leaf.q!r} is one of several claims about a leaf")
        counts = leaf.semantics.implies(TableSemantics.BAG)
        pairs = sorted(pairs_of(leaf, p, q))
        places = {(0, leaf.p): {}, (1, leaf.q): {}}
        for place, (i, j) in enumerate(pairs):
            if p.schemas[leaf.p].types[i] != q.schemas[leaf.q].types[j]:
                raise ProofError("a leaf has other column types in P than in Q")
            places[0, leaf.p].setdefault(i, place)
            places[1, leaf.q].setdefault(j, place)
        _put_leaf(found, number, places, (p, q), read, counts=counts)
        number += 1
    return found


def _put_leaf(
    found: tuple[dict[str, Leaf], dict[str, Leaf]],
    number: int,
    places: dict[tuple[int, str], dict[int, int]],
    sides: tuple[Dataflow, Dataflow],
    read: set[str],
    *,
    counts: bool,
) -> None:
    """One source for some signals; `places` says where their columns stand in it.

    Of its rows is known what follows of each of the signals alone, about these columns.
    """
    (side, id_), own = next(iter(places.items()))
    types = {own[i]: sides[side].schemas[id_].types[i] for i in own}
    nullable = dict.fromkeys(types, False)
    known: list[Facts] = []
    for (side, id_), own in places.items():
        schema = sides[side].schemas[id_]
        if any(types.get(place) != schema.types[i] for i, place in own.items()):
            raise ProofError("a leaf has other column types in P than in Q")
        for i, place in own.items():
            nullable[place] |= schema.fields[i].nullable
        known.append(facts(sides[side], id_).moved(own))
    shown = {
        own[i]
        for (side, id_), own in places.items()
        for i in own
        if sides[side].schemas[id_].fields[i].name in read
    }
    names = {place_name(i) for i in shown}
    shared = tuple(
        c
        for c in known[0].conditions
        if all(c in other.conditions for other in known)
        and names >= {n.name for n in columns_read(c)}
    )
    keys: tuple[tuple[str, ...], ...] = ()
    for i in types:
        nullable[i] = nullable[i] and not is_never_null(i, shared)
    if counts:
        alike = [{k.places for k in other.keys} for other in known]
        keys = tuple(
            tuple(place_name(i) for i in sorted(key))
            for key in dict.fromkeys(k.places for k in known[0].keys)
            if all(key in other for other in alike) and not any(nullable[i] for i in key)
        )
    fields = tuple(Field(place_name(i), types[i], nullable[i]) for i in sorted(types))
    # No table of a user has this name; a leaf nobody reads a column of still has rows.
    source = Source(f"{LEAF_TABLE} {number}", fields or (Field("row", INT),), keys)
    for (side, id_), own in places.items():
        width = len(sides[side].schemas[id_])
        found[side][id_] = Leaf(source, tuple(own.get(i) for i in range(width)), shared)


def _names_read(step: Step, p: Dataflow, q: Dataflow) -> set[str]:
    """The names of columns that the operators of a step read: facts about others do not matter."""
    found: set[str] = set()
    for side, start, ends in (
        (p, step.claim.p, {leaf.p for leaf in step.leaves}),
        (q, step.claim.q, {leaf.q for leaf in step.leaves}),
    ):
        stack, seen = [start], set(ends)
        while stack:
            id_ = stack.pop()
            if id_ not in seen:
                seen.add(id_)
                stack.extend(side.inputs[id_])
                found |= {c.name for e in _computed(side, id_) for c in columns_read(e)}
    return found


def _computed(dataflow: Dataflow, id_: str) -> Iterable[Expr]:
    """The expressions of an operator that do more than pass a column on."""
    operator = dataflow.operators[id_]
    for expr in operator_exprs(operator):
        if not (isinstance(operator, Project) and isinstance(expr, Column)):
            yield expr


def _check_sink(step: Step, p: Dataflow, q: Dataflow) -> None:
    """Two sinks show the same rows if what they show of their inputs is proven equal."""
    claim = step.claim
    sinks = (p.operators[claim.p], q.operators[claim.q])
    if not all(isinstance(sink, Sink) for sink in sinks):
        raise ProofError(f"{claim.p!r} ~ {claim.q!r} are not sinks")
    places_p, places_q = (
        sink.places(side.schemas[side.inputs[id_][0]])
        for sink, side, id_ in zip(sinks, (p, q), (claim.p, claim.q), strict=True)
        if isinstance(sink, Sink)
    )
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
