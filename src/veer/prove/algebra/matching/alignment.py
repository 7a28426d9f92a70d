"""Terms over the same variables: the atoms of one term renamed to those of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations, product
from typing import TypeAlias, final

from veer.ir import expr as ex
from veer.prove.algebra.context import Context
from veer.prove.algebra.terms import Atom, Opaque, Term
from veer.prove.solver import Formula, Same

MOST_ALIGNMENTS = 120  # looked at
OTHER_ALIGNMENTS = 24  # where rows shown at the same places are not the same rows
Mates: TypeAlias = tuple[list[Atom], list[Atom]]  # atoms of P, and as many alike of Q


@final
@dataclass(frozen=True, slots=True)
class Alignment:
    """A term over the variables of another.

    Their atoms hold the same rows provided the `obligations`: arguments of opaque relations are
    the same.
    """

    term: Term
    obligations: tuple[Formula, ...] = ()


def alignments(
    context: Context, p: Term, q: Term, are_alike: Callable[[Atom, Atom], bool]
) -> Iterator[Alignment]:
    """The term `q` over the variables of `p`, in every way, the likeliest first.

    Any way of pairing atoms that hold the same rows is sound: a term is a sum over all
    combinations of rows, whatever its variables are called.
    """
    if len(p.atoms) != len(q.atoms) or len(p.outputs) != len(q.outputs):
        return
    groups: list[Mates] = []
    remaining = list(q.atoms)
    for atom in p.atoms:
        group = next((g for g in groups if are_alike(g[0][0], atom)), None)
        if group is not None:
            group[0].append(atom)
            continue
        mates = [b for b in remaining if are_alike(atom, b)]
        remaining = [b for b in remaining if b not in mates]
        groups.append(([atom], mates))
    if remaining or any(len(a) != len(b) for a, b in groups):
        return
    by_outputs = [_by_outputs(p, q, *group) for group in groups]
    if all(by_outputs) and by_outputs != [[group] for group in groups]:
        likely = [mates for parts in by_outputs for mates in parts]
        yield from _renamings(context, p, q, likely, MOST_ALIGNMENTS)
        yield from _renamings(context, p, q, groups, OTHER_ALIGNMENTS)
    else:
        yield from _renamings(context, p, q, groups, MOST_ALIGNMENTS)


def _by_outputs(p: Term, q: Term, ours: list[Atom], mates: list[Atom]) -> list[Mates]:
    """Atoms grouped by the places at which their columns are shown; nothing if these differ."""

    def shown(term: Term, atom: Atom) -> tuple[tuple[int, int], ...]:
        return tuple(
            (place, output.index)
            for place, output in enumerate(term.outputs)
            if isinstance(output, ex.RowColumn) and output in atom.columns
        )

    groups: dict[tuple[tuple[int, int], ...], Mates] = {}
    for term, atoms, side in ((p, ours, 0), (q, mates, 1)):
        for atom in atoms:
            groups.setdefault(shown(term, atom), ([], []))[side].append(atom)
    return list(groups.values()) if all(len(a) == len(b) for a, b in groups.values()) else []


def _renamings(
    context: Context, p: Term, q: Term, groups: Sequence[Mates], most: int
) -> list[Alignment]:
    """The term `q` over the variables of `p`, atoms paired within their groups."""
    aligned = []
    # `product` holds all of each: twelve tables alike have 479 million orders.
    ways = product(*(islice(permutations(b), most) for _, b in groups))
    for way in islice(ways, most):
        pairs = [
            (a, b)
            for (ours, _), mates in zip(groups, way, strict=True)
            for a, b in zip(ours, mates, strict=True)
        ]
        if not _moves_inputs(context, pairs):
            aligned.append(_renamed(context, q, pairs))
    wanted = set(p.conditions)
    aligned.sort(
        key=lambda item: (
            -2 * sum(c in wanted for c in item.term.conditions)
            - sum(a == b for a, b in zip(item.term.outputs, p.outputs, strict=True))
        )
    )
    return aligned


def _moves_inputs(context: Context, pairs: Sequence[tuple[Atom, Atom]]) -> bool:
    """Whether renaming would change what the bags of an opaque relation read."""
    moved = {c for a, b in pairs if a.var != b.var for c in b.columns}
    return any(
        not moved.isdisjoint(context.bag_free(bag))
        for _, b in pairs
        if isinstance(b.relation, Opaque)
        for bag in b.relation.bags
    )


def _renamed(context: Context, q: Term, pairs: Sequence[tuple[Atom, Atom]]) -> Alignment:
    table: dict[ex.RowColumn, ex.Expr] = {}
    for ours, theirs in pairs:
        table.update(zip(theirs.columns, ours.columns, strict=True))
    renamed = context.substitute_term(Term((), q.conditions, q.outputs), table)
    obligations: list[Formula] = []
    for ours, theirs in pairs:
        if isinstance(ours.relation, Opaque) and isinstance(theirs.relation, Opaque):
            args = (context.substitute(a, table) for a in theirs.relation.args)
            obligations += [
                Same(a, b) for a, b in zip(ours.relation.args, args, strict=True) if a != b
            ]
    atoms = tuple(ours for ours, _ in pairs)
    return Alignment(replace(renamed, atoms=atoms), tuple(obligations))
