"""Two versions with the mapping between them, and the edits it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

from veer.ir.dag import Dataflow, Link
from veer.verification.versions import edits as versions_edits
from veer.verification.versions.mapping import EditMapping, best_mapping


@final
@dataclass(frozen=True)
class VersionPair:
    """Versions P and Q and an edit mapping.

    Edits speak of Q's operators by the ids of P where they are mapped (`names`), so that applying
    them to P gives Q under those names.
    """

    p: Dataflow
    q: Dataflow
    mapping: EditMapping

    @classmethod
    def of(cls, p: Dataflow, q: Dataflow, *, stable_ids: bool) -> VersionPair:
        """The pair under its best mapping."""
        return cls(p, q, best_mapping(p, q, stable_ids=stable_ids))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """For each operator of Q its name among P's: the mapped one's, or its own if free."""
        names: dict[str, str] = dict(self.mapping.to_p)
        for b in self.q.order:
            if b not in names:
                name = b
                while name in self.p.operators:
                    name += "'"
                names[b] = name
        return names

    @cached_property
    def renamed_q(self) -> Dataflow:
        """Q with its operators under their names."""
        return Dataflow(
            {self.names[b]: op for b, op in self.q.operators.items()},
            [self.renamed_link(link) for link in self.q.links],
        )

    def renamed_link(self, link: Link) -> Link:
        """A link of Q between the names of its operators."""
        return Link(self.names[link.src], self.names[link.dst], link.port)

    @cached_property
    def edits(self) -> versions_edits.Transformation:
        """The edits that make Q of P: links removed, operators changed, links added."""
        edits: list[versions_edits.Edit] = []
        q_links = {self.renamed_link(link) for link in self.q.links}
        edits += [versions_edits.RemoveLink(link) for link in self.p.links if link not in q_links]
        edits += [
            versions_edits.DeleteOperator(a) for a in self.p.order if a not in self.mapping.to_q
        ]
        for a in self.p.order:
            b = self.mapping.to_q.get(a)
            if b is not None and self.p.operators[a] != self.q.operators[b]:
                edits.append(versions_edits.ModifyOperator(a, self.q.operators[b]))
        for b in self.q.order:
            if b not in self.mapping.to_p:
                edits.append(versions_edits.AddOperator(self.names[b], self.q.operators[b]))
        edits += [versions_edits.AddLink(link) for link in sorted(q_links - set(self.p.links))]
        return tuple(edits)
