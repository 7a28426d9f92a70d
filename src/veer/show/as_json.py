"""A report as JSON: the format every other one is made from (`docs/report-format.md`)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from veer import verdict
from veer.hints import Declare, Hint
from veer.show.hint_wording import declarations_json, hint_text, suggestion_text
from veer.show.wording import answer_text, assumption_text, caveat_text, reason_text
from veer.visible import json_text


def report_json(report: verdict.Report) -> dict[str, Any]:
    """The report as JSON data."""
    return {
        "p": report.p,
        "q": report.q,
        "verdict": report.verdict.value,
        "semantics": report.semantics.value,
        "edits": edits_json(report.edits),
        "sinks": [_sink(s) for s in report.sinks],
        "counts": {
            "windows": report.counts.windows,
            "decompositions": report.counts.decompositions,
            "ev_calls": report.counts.ev_calls,
            "remembered": report.counts.remembered,
        },
        "seconds": round(report.seconds, 6),
        "limit": report.limit,
        "place": None if report.place is None else asdict(report.place),
    }


def viewed_json(report: verdict.Report) -> dict[str, Any]:
    """The report as JSON data, together with what the interactive view shows (`docs/view-format.md`)."""
    view = None if report.compared is None else report.compared.data(report.sinks)
    return {**report_json(report), "view": view}


def json_document(report: dict[str, Any]) -> str:
    """JSON data as a document."""
    return json_text(report) + "\n"


def edits_json(edits: Iterable[verdict.EditReport]) -> list[dict[str, Any]]:
    """Edits as JSON data."""
    return [asdict(edit) for edit in edits]


def _sink(sink: verdict.SinkReport) -> dict[str, Any]:
    return {
        "p": sink.p,
        "q": sink.q,
        "verdict": sink.verdict.value,
        "reason": reason_text(sink.reason),
        "reason_kind": sink.reason.kind,
        "assumptions": [assumption_text(a) for a in sink.assumptions],
        "assumption_kinds": [a.kind for a in sink.assumptions],
        "caveats": [caveat_text(c) for c in sink.caveats],
        "caveat_kinds": [c.kind for c in sink.caveats],
        "windows": [
            {
                "p": list(w.p),
                "q": list(w.q),
                "ev": w.ev,
                "verdict": w.answer.verdict.value,
                "answer": answer_text(w.answer),
                "answer_kind": None if w.answer.reason is None else w.answer.reason.kind,
                "seconds": round(w.seconds, 6),
                "used": w.used,
                "shown": {"p": list(w.shown[0]), "q": list(w.shown[1])},
                "claim": w.claim,
            }
            for w in sink.windows
        ],
        "witness": None if sink.witness is None else _witness(sink.witness),
        "recheck": None if sink.recheck is None else _recheck(sink.recheck),
        "resisted": None if sink.resisted is None else _resisted(sink.resisted),
        "hints": [_hint(hint) for hint in sink.hints],
        "suggestion": None if sink.suggestion is None else _suggestion(sink.suggestion, sink),
    }


def _resisted(resisted: verdict.Resisted) -> dict[str, Any]:
    given = [dict(zip(("name", "p", "q"), names, strict=True)) for names in resisted.given]
    return {
        "p": resisted.p,
        "q": resisted.q,
        "p_sql": resisted.p_sql,
        "q_sql": resisted.q_sql,
        "given": given,
        "agrees": resisted.agrees,
    }


def _hint(hint: Hint) -> dict[str, Any]:
    declarations = hint.declarations if isinstance(hint, Declare) else ()
    return {
        "kind": hint.kind,
        "text": hint_text(hint),
        "declarations": declarations_json(declarations),
    }


def _suggestion(suggestion: verdict.Suggestion, sink: verdict.SinkReport) -> dict[str, Any]:
    return {
        "text": suggestion_text(suggestion, sink.verdict),
        "declarations": declarations_json(suggestion.declarations),
        "tried": suggestion.tried,
        "at_most": suggestion.at_most.value,
    }


def _recheck(recheck: verdict.Recheck) -> dict[str, Any]:
    return {
        "solver": recheck.solver,
        "questions": len(recheck.answers),
        "agreed": len(recheck.having(verdict.SecondAnswer.AGREED)),
        "not_rechecked": len(recheck.having(verdict.SecondAnswer.NOT_RECHECKED)),
        "disagreed": len(recheck.having(verdict.SecondAnswer.DISAGREED)),
    }


def recheck_text(recheck: dict[str, Any]) -> str:
    """What a second solver said, in words."""
    solver, questions = recheck["solver"], recheck["questions"]
    if not questions:
        return f"nothing for {solver} to re-check: no question was asked"
    text = f"{solver} agrees on {recheck['agreed']} of {questions} questions"
    if recheck["not_rechecked"]:
        text += f"; {recheck['not_rechecked']} not re-checked"
    if recheck["disagreed"]:
        text += f"; IT CONTRADICTS {recheck['disagreed']}: this is a defect of Veer or of a solver"
    return text


def _witness(witness: verdict.Witness) -> dict[str, Any]:
    p_rows, q_rows = witness.shown_rows or (witness.p_rows, witness.q_rows)
    return {
        "kind": witness.kind.value,
        "detail": reason_text(witness.difference) or ", ".join(witness.columns),
        "columns": list(witness.columns),
        "tables": {
            name: {"columns": table["columns"], "rows": [plain(r) for r in table["rows"]]}
            for name, table in (witness.shown_tables or witness.tables).items()
        },
        "p_rows": [plain(r) for r in p_rows],
        "q_rows": [plain(r) for r in q_rows],
    }


def has_rows(sink: dict[str, Any]) -> bool:
    """Whether a sink of the JSON report has a witness of rows."""
    return sink["witness"] is not None and sink["witness"]["kind"] == verdict.WitnessKind.ROWS.value


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers, texts, booleans, null and lists; the rest as text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case bytes():
            return value.hex()
        case tuple() | list():
            return [plain(v) for v in value]
        case _:
            return str(value)
