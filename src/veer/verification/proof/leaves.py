"""What a step asks its verifier: the operators above its leaves, each leaf a source of its own.

    P: Filter(a > 1) <- x,  Q: Filter(1 < a) <- y,  leaf x ~ y   =>   both filters over one table

If both sides are equal whatever rows the table holds, they are equal on the rows that x and y have
in common by the leaf's claim. The table has the columns the leaf is claimed on, and of its rows is
known what follows on both sides. Where a claim says less than that the signals are equal in all
columns and as often, nothing above may look at the rest (`_require_tolerance`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from veer.facts.facts import Facts, facts, is_never_null, place_name
from veer.facts.needs import Need, needs
from veer.ir import expr as ex, ops, types as ty
from veer.ir.dag import Dataflow
from veer.ir.query_pair import LEAF_TABLE, Leaf, QueryPair, unfold
from veer.ir.schema import Field
from veer.ir.traits import RowOrder
from veer.ir.walk import columns_read, operator_exprs
from veer.verdict import TableSemantics
from veer.verification.proof.claims import Claim, ProofError, VerifierStep, pairs_of

_Member: TypeAlias = tuple[int, str]  # a signal: of P (0) or of Q (1), and its id
# For each signal of a leaf where its columns stand in the leaf's source.
_Layout: TypeAlias = dict[_Member, dict[int, int]]


def _order_is_inside(dataflow: Dataflow, start: str, leaves: set[str]) -> bool:
    """Whether the order of a signal, or that it has none, shows between leaves and claim.

    A leaf is a bag to the verifier: equal bags of rows taken from equally ordered leaves need
    not be equally ordered.
    """
    id_ = start
    while dataflow.operators[id_].traits.order is RowOrder.KEPT:
        if id_ in leaves:
            return False
        id_ = dataflow.inputs[id_][0]
    operator = dataflow.operators[id_]
    if isinstance(operator, ops.Source):
        return True
    return id_ not in leaves and operator.traits.order.ignores_inputs


def query_pair(step: VerifierStep, p: Dataflow, q: Dataflow) -> QueryPair:
    """What a step asks its verifier: both sides between leaves and claim, leaves as sources.

    A source needs no claim: equal sources are the same table. A leaf claimed on some columns
    only, or as a set, must be enough for everything above it. Kept with P.
    """
    kept: dict[tuple[Claim, tuple[Claim, ...]], tuple[Dataflow, QueryPair]]
    kept = p.cached("query pairs", dict)
    earlier = kept.get((step.claim, step.leaves))
    if earlier is None or earlier[0] is not q:
        earlier = kept[step.claim, step.leaves] = (q, _query_pair(step, p, q))
    return earlier[1]


def _query_pair(step: VerifierStep, p: Dataflow, q: Dataflow) -> QueryPair:
    leaves_p, leaves_q = _leaves(step, p, q)
    sides = unfold(p, step.claim.p, leaves_p), unfold(q, step.claim.q, leaves_q)
    for side, whole, start, leaves in (
        (sides[0], p, step.claim.p, {leaf.p for leaf in step.leaves}),
        (sides[1], q, step.claim.q, {leaf.q for leaf in step.leaves}),
    ):
        ordered = [start] if step.claim.semantics is TableSemantics.ORDERED_BAG else []
        for id_ in side.order:
            if isinstance(side.operators[id_], ops.TableUdf):
                ordered += whole.inputs[id_]  # it may see the order of rows
        for id_ in ordered:
            if not _order_is_inside(whole, id_, leaves):
                raise ProofError(f"the order of {id_!r} comes from below the step")
    columns = step.claim.columns
    if columns is None:
        widths = [len(side.result_schema) for side in sides]
        if widths[0] != widths[1]:
            raise ProofError(f"{widths[0]} columns before, {widths[1]} after")
        columns = tuple((i, i) for i in range(widths[0]))
    types = [side.result_schema.types for side in sides]
    for i, j in columns:
        one, two = types[0][i], types[1][j]
        # Only what a sink compares by value may differ in width: nothing stands above it.
        if one != two and (step.claim.columns is None or not ty.same_by_value(one, two)):
            raise ProofError(f"a column is {one} before, {two} after")
    pair = QueryPair(*sides, step.claim.semantics, columns)
    _require_tolerance(step, pair)
    return pair


def _require_tolerance(step: VerifierStep, pair: QueryPair) -> None:
    """Nothing above a leaf sees more of it than is claimed.

    The verifier is shown one table for both sides. Columns not claimed are null in it, and a leaf
    claimed as a set has the same copies in both: what stands above must not tell the difference.
    """
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
    """Whether a claim says that two signals are one table: all columns, each row as often."""
    return leaf.columns is None and leaf.semantics.implies(TableSemantics.BAG)


def _leaves(
    step: VerifierStep, p: Dataflow, q: Dataflow
) -> tuple[dict[str, Leaf], dict[str, Leaf]]:
    """For P and for Q the leaf each signal is cut down to, by the signal's id.

    Signals that the leaves claim fully equal share one source; the others have one for each claim.
    """
    read = _names_read(step, p, q)
    leaves: tuple[dict[str, Leaf], dict[str, Leaf]] = ({}, {})
    number = 0
    for members in _classes(step, p, q):
        if _is_one_table(members, (p, q)):
            continue
        width = len(p.schemas[next(id_ for side, id_ in sorted(members) if not side)])
        layout = {member: {i: i for i in range(width)} for member in sorted(members)}
        _put_leaf(leaves, number, layout, (p, q), read, counts=True)
        number += 1
    for leaf in step.leaves:
        if _is_full(leaf):
            continue
        if leaf.p in leaves[0] or leaf.q in leaves[1]:
            raise ProofError(f"{leaf.p!r} ~ {leaf.q!r} is one of several claims about a leaf")
        counts = leaf.semantics.implies(TableSemantics.BAG)
        _put_leaf(leaves, number, _layout(leaf, p, q), (p, q), read, counts=counts)
        number += 1
    return leaves


def _classes(step: VerifierStep, p: Dataflow, q: Dataflow) -> list[set[_Member]]:
    """The signals that the leaves claim fully equal, put together: equality is transitive."""
    classes: list[set[_Member]] = []
    for leaf in step.leaves:
        if _is_full(leaf):
            pairs_of(leaf, p, q)
            joined = {(0, leaf.p), (1, leaf.q)}
            for other in [c for c in classes if c & joined]:
                classes.remove(other)
                joined |= other
            classes.append(joined)
    return classes


def _is_one_table(members: set[_Member], sides: tuple[Dataflow, Dataflow]) -> bool:
    """Whether all members are the same source: that stands for itself, with all it declares."""
    operators = {sides[side].operators[id_] for side, id_ in members}
    return len(operators) == 1 and isinstance(next(iter(operators)), ops.Source)


def _layout(leaf: Claim, p: Dataflow, q: Dataflow) -> _Layout:
    """A column of the source for each pair of columns the leaf claims equal.

    A column claimed equal to two of the other side is read from the first.
    """
    layout: _Layout = {(0, leaf.p): {}, (1, leaf.q): {}}
    for place, (i, j) in enumerate(sorted(pairs_of(leaf, p, q))):
        if p.schemas[leaf.p].types[i] != q.schemas[leaf.q].types[j]:
            raise ProofError("a leaf has different column types before and after")
        layout[0, leaf.p].setdefault(i, place)
        layout[1, leaf.q].setdefault(j, place)
    return layout


def _put_leaf(
    leaves: tuple[dict[str, Leaf], dict[str, Leaf]],
    number: int,
    layout: _Layout,
    sides: tuple[Dataflow, Dataflow],
    read: set[str],
    *,
    counts: bool,
) -> None:
    """One source for some signals, with what is known of its rows.

    That is what follows of each of the signals by itself. Being equal they share what follows of
    one, but so the question to a verifier needs no claim to justify it. Keys are known only where
    copies count: signals equal as sets may have a row once and twice.
    """
    types, nullable = _column_types(layout, sides)
    derived = [facts(sides[side], id_).moved(own) for (side, id_), own in layout.items()]
    conditions = _shared_conditions(derived, _places_read(layout, sides, read))
    for i in types:
        nullable[i] = nullable[i] and not is_never_null(i, conditions)
    keys: tuple[tuple[str, ...], ...] = ()
    if counts:
        keys = tuple(
            tuple(place_name(i) for i in sorted(key)) for key in _shared_keys(derived, nullable)
        )
    fields = tuple(Field(place_name(i), types[i], nullable[i]) for i in sorted(types))
    # No table of a user has this name; a leaf nobody reads a column of still has rows.
    source = ops.Source(
        f"{LEAF_TABLE} {number}", fields or (Field("row", ty.INT),), keys, leaf=True
    )
    for (side, id_), own in layout.items():
        width = len(sides[side].schemas[id_])
        leaves[side][id_] = Leaf(source, tuple(own.get(i) for i in range(width)), conditions)


def _column_types(
    layout: _Layout, sides: tuple[Dataflow, Dataflow]
) -> tuple[dict[int, ty.DataType], dict[int, bool]]:
    """The type of each column of a leaf's source, and whether one of its signals may be null there."""
    (side, id_), own = next(iter(layout.items()))
    types = {own[i]: sides[side].schemas[id_].types[i] for i in own}
    nullable = dict.fromkeys(types, False)
    for (side, id_), own in layout.items():
        schema = sides[side].schemas[id_]
        if any(types.get(place) != schema.types[i] for i, place in own.items()):
            raise ProofError("a leaf has different column types before and after")
        for i, place in own.items():
            nullable[place] |= schema.fields[i].nullable
    return types, nullable


def _places_read(layout: _Layout, sides: tuple[Dataflow, Dataflow], read: set[str]) -> set[int]:
    """The columns of a leaf's source whose names are read above one of its signals."""
    return {
        own[i]
        for (side, id_), own in layout.items()
        for i in own
        if sides[side].schemas[id_].fields[i].name in read
    }


def _shared_conditions(derived: Sequence[Facts], read: set[int]) -> tuple[ex.Expr, ...]:
    """The conditions that hold on each of some signals, if all their columns are read."""
    names = {place_name(i) for i in read}
    return tuple(
        c
        for c in derived[0].conditions
        if all(c in other.conditions for other in derived)
        and names >= {n.name for n in columns_read(c)}
    )


def _shared_keys(
    derived: Sequence[Facts], nullable: Mapping[int, bool]
) -> Iterator[frozenset[int]]:
    """The keys that follow for each of some signals: more columns than those of a key are one too.

    Only those without nulls, as the keys of a source are declared.
    """
    places = dict.fromkeys(key.places for facts_ in derived for key in facts_.keys)
    for own in places:
        if own and not any(nullable[i] for i in own):
            if all(any(key.places <= own for key in facts_.keys) for facts_ in derived):
                yield own


def _names_read(step: VerifierStep, p: Dataflow, q: Dataflow) -> set[str]:
    """The names of columns that the operators of a step read: facts about others do not matter."""
    names: set[str] = set()
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
                names |= {c.name for e in _computed(side, id_) for c in columns_read(e)}
    return names


def _computed(dataflow: Dataflow, id_: str) -> Iterable[ex.Expr]:
    """The expressions of an operator that do more than pass a column on."""
    operator = dataflow.operators[id_]
    for expr in operator_exprs(operator):
        if not (isinstance(operator, ops.Project) and isinstance(expr, ex.Column)):
            yield expr
