"""Edits of a dataflow (the paper's section 2) and applying them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, assert_never, final

from veer.errors import IllFormedError
from veer.ir.dag import Dataflow, Link
from veer.ir.ops import AnyOperator


@final
@dataclass(frozen=True, slots=True)
class AddOperator:
    """A new operator under a new id."""

    id: str
    operator: AnyOperator


@final
@dataclass(frozen=True, slots=True)
class DeleteOperator:
    """An operator that is gone; its links are removed by edits of their own."""

    id: str


@final
@dataclass(frozen=True, slots=True)
class ModifyOperator:
    """An operator with other properties in the same place."""

    id: str
    operator: AnyOperator


@final
@dataclass(frozen=True, slots=True)
class AddLink:
    """A new link."""

    link: Link


@final
@dataclass(frozen=True, slots=True)
class RemoveLink:
    """A link that is gone."""

    link: Link


Edit: TypeAlias = AddOperator | DeleteOperator | ModifyOperator | AddLink | RemoveLink
Transformation: TypeAlias = tuple[Edit, ...]


def apply(dataflow: Dataflow, edits: Transformation) -> Dataflow:
    """The version that results from edits; only the result as a whole must be well-formed."""
    # In between, links may lead nowhere; the constructor below checks what comes out.
    operators = dict(dataflow.operators)
    links = set(dataflow.links)
    for edit in edits:
        match edit:
            case AddOperator(id_, operator):
                if id_ in operators:
                    raise IllFormedError(f"cannot add {id_!r}: there is such an operator")
                operators[id_] = operator
            case ModifyOperator(id_, operator):
                if id_ not in operators:
                    raise IllFormedError(f"cannot modify {id_!r}: there is no such operator")
                operators[id_] = operator
            case DeleteOperator(id_):
                if operators.pop(id_, None) is None:
                    raise IllFormedError(f"cannot delete {id_!r}: there is no such operator")
            case AddLink(link):
                links.add(link)
            case RemoveLink(link):
                if link not in links:
                    raise IllFormedError(f"cannot remove {link}: there is no such link")
                links.remove(link)
            case _:
                assert_never(edit)
    return Dataflow(operators, links)
