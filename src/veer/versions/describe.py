"""Edits in words."""

from __future__ import annotations

from collections.abc import Iterator

from veer.dataflow.dag import Dataflow
from veer.dataflow.pprint import show_operator
from veer.verdict import EditReport
from veer.versions.edits import (
    AddLink,
    AddOperator,
    DeleteOperator,
    ModifyOperator,
    RemoveLink,
)
from veer.versions.pair import VersionPair


def describe_edits(pair: VersionPair) -> tuple[EditReport, ...]:
    """The edits of a pair, operators first, then links, each with where it happens."""
    reports = list(_operator_edits(pair))
    for edit in pair.edits:
        match edit:
            case RemoveLink(link):
                reports.append(
                    EditReport(
                        "remove link", link.dst, f"{link.src} -> {link.dst}{_port(link.port)}"
                    )
                )
            case AddLink(link):
                reports.append(
                    EditReport("add link", link.dst, f"{link.src} -> {link.dst}{_port(link.port)}")
                )
            case _:
                pass
    return tuple(reports)


def _operator_edits(pair: VersionPair) -> Iterator[EditReport]:
    for edit in pair.edits:
        match edit:
            case DeleteOperator(id_):
                shown = show_operator(pair.p.operators[id_])
                yield EditReport("delete operator", id_, f"{shown}{_between(pair.p, id_)}")
            case ModifyOperator(id_, operator):
                before, after = show_operator(pair.p.operators[id_]), show_operator(operator)
                yield EditReport("modify operator", id_, f"{before}  =>  {after}")
            case AddOperator(id_, operator):
                between = _between(pair.renamed_q, id_)
                yield EditReport("add operator", id_, f"{show_operator(operator)}{between}")
            case _:
                pass


def _between(dataflow: Dataflow, id_: str) -> str:
    above = ", ".join(sorted({link.dst for link in dataflow.outputs[id_]}))
    below = ", ".join(dict.fromkeys(dataflow.inputs[id_]))
    return (f" after {below}" if below else "") + (f" before {above}" if above else "")


def _port(port: int) -> str:
    return f" (port {port})" if port else ""
