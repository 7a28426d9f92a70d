"""Texera's workflows in small, as its editor exports them."""

from __future__ import annotations

import json
from typing import Any

SCAN: dict[str, Any] = {
    "fileEncoding": "UTF_8",
    "customDelimiter": ",",
    "hasHeader": True,
    "limit": None,
    "offset": None,
}


def operator(id_: str, kind: str, name: str = "", **properties: Any) -> dict[str, Any]:
    """An operator with its ports as the editor writes them."""
    return {
        "operatorID": f"{kind}-operator-{id_}",
        "operatorType": kind,
        "operatorVersion": "N/A",
        "operatorProperties": properties,
        "inputPorts": [{"portID": "input-0", "displayName": "", "allowMultiInputs": False}],
        "outputPorts": [{"portID": "output-0", "displayName": "", "allowMultiInputs": False}],
        "showAdvanced": False,
        "isDisabled": False,
        "customDisplayName": name or kind,
    }


def scan(file: str = "data/t.csv", id_: str = "scan") -> dict[str, Any]:
    return operator(id_, "CSVFileScan", fileName=file, **SCAN)


def where(id_: str, *predicates: tuple[str, str, str], name: str = "") -> dict[str, Any]:
    asked = [{"attribute": a, "condition": c, "value": v} for a, c, v in predicates]
    return operator(id_, "Filter", name, predicates=asked)


def workflow(*operators: dict[str, Any], links: list[tuple[int, int, int]] | None = None) -> str:
    """Operators, one feeding the next unless links are given: from, to, input port."""
    ends = [(i, i + 1, 0) for i in range(len(operators) - 1)] if links is None else links
    return json.dumps(
        {
            "operators": operators,
            "operatorPositions": {o["operatorID"]: {"x": 7, "y": 8} for o in operators},
            "links": [
                {
                    "linkID": f"link-{number}",
                    "source": {"operatorID": operators[a]["operatorID"], "portID": "output-0"},
                    "target": {"operatorID": operators[b]["operatorID"], "portID": f"input-{port}"},
                }
                for number, (a, b, port) in enumerate(ends)
            ],
            "commentBoxes": [],
            "settings": {"dataTransferBatchSize": 400},
        }
    )
