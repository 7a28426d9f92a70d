"""Edits in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veer.ir.dag import Dataflow
from veer.ir.pprint import brief
from veer.verdict import EditReport
from veer.verification.versions import edits
from veer.verification.versions.differences import contrast
from veer.verification.versions.pair import VersionPair


def describe_edits(pair: VersionPair) -> tuple[EditReport, ...]:
    """The edits of a pair, operators first, then links, each with where it happens."""
    reports = list(_operator_edits(pair))
    for edit in pair.edits:
        match edit:
            case edits.RemoveLink(link):
                reports.append(
                    EditReport(
                        "remove link", link.dst, f"{link.src} -> {link.dst}{_port(link.port)}"
                    )
                )
            case edits.AddLink(link):
                reports.append(
                    EditReport("add link", link.dst, f"{link.src} -> {link.dst}{_port(link.port)}")
                )
            case _:
                pass
    return tuple(reports)


SITE = re.compile(r".*@(?P<file>[^@]+):(?P<line>[0-9]+)'*")


def _operator_edits(pair: VersionPair) -> Iterator[EditReport]:
    theirs = {name: b for b, name in pair.names.items()}
    for edit in pair.edits:
        match edit:
            case edits.DeleteOperator(id_):
                shown = brief(pair.p.operators[id_])
                yield EditReport("delete operator", id_, f"{shown}{_between(pair.p, id_)}")
            case edits.ModifyOperator(id_, operator):
                shown = contrast(pair.p.operators[id_], operator)
                yield EditReport("modify operator", id_, shown, *site_of(theirs[id_]))
            case edits.AddOperator(id_, operator):
                shown = f"{brief(operator)}{_between(pair.renamed_q, id_)}"
                yield EditReport("add operator", id_, shown, *site_of(theirs[id_]))
            case _:
                pass


def site_of(id_: str) -> tuple[int, str]:
    """Line and file an operator comes from, where its id tells; else 0 and nothing."""
    site = SITE.fullmatch(id_)
    return (int(site["line"]), site["file"]) if site else (0, "")


def _between(dataflow: Dataflow, id_: str) -> str:
    """Where an operator stands: after what feeds it, before what it feeds."""
    above = ", ".join(sorted({link.dst for link in dataflow.outputs[id_]}))
    below = ", ".join(dict.fromkeys(dataflow.inputs[id_]))
    return (f" after {below}" if below else "") + (f" before {above}" if above else "")


def _port(port: int) -> str:
    return f" (port {port})" if port else ""
