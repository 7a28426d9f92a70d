"""Run by the Python that has SQLMesh: the rendered models of a project as JSON.

    python export_sqlmesh.py PROJECT OUT.json

It imports nothing of Veer: that Python need not have it. Macros of the project run, as `sqlmesh render`
runs them; no connection is opened.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main() -> None:
    """Write what SQLMesh knows of each model."""
    from sqlmesh import Context

    context = Context(paths=[sys.argv[1]])
    models = [_model(model) for _, model in sorted(context.models.items())]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({"veer_sqlmesh": 1, "models": models}, file)


def _model(model: Any) -> dict[str, Any]:
    kind = str(model.kind.name.value if hasattr(model.kind.name, "value") else model.kind.name)
    told: dict[str, Any] = {
        "name": model.name,
        "table": model.fqn.replace('"', ""),
        "kind": kind,
        "dialect": model.dialect or "",
        "file": str(model._path or ""),
        "reads": sorted(table.replace('"', "") for table in model.depends_on),
        "query": "",
        "error": "",
        "columns": {},
        "digest": str(model.data_hash),
        "statements": bool(
            getattr(model, "pre_statements", None)
            or getattr(model, "post_statements", None)
            or getattr(model, "on_virtual_update", None)
        ),
    }
    columns = model.columns_to_types
    if columns and not any(t.is_type("unknown") for t in columns.values()):
        told["columns"] = {name: t.sql(dialect="spark") for name, t in columns.items()}
    if model.is_sql:
        try:
            query = model.render_query(optimize=False)
            told["query"] = "" if query is None else query.sql(dialect=model.dialect)
        except Exception as error:
            told["error"] = str(error)
    elif kind not in ("EXTERNAL", "SEED"):
        told["error"] = "a Python model"
    return told


if __name__ == "__main__":
    main()
