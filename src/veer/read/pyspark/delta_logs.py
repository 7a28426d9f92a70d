"""The schema of a Delta table, from its log: the last `metaData` of its commits, or of a checkpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from veer.errors import InputError, ParseError

LOG = "_delta_log"


def is_delta(path: Path) -> bool:
    """Whether a folder is a Delta table."""
    return (path / LOG).is_dir()


def delta_schema(path: Path) -> dict[str, Any]:
    """The columns of a Delta table as a schema of Spark in JSON, those of partitions among them."""
    log = path / LOG
    commits = sorted(f for f in log.glob("*.json") if f.stem.isdigit())
    checkpoints = sorted(log.glob("*.checkpoint*.parquet"))
    told = next(filter(None, map(_of_commit, reversed(commits))), None)
    if told is None and checkpoints:
        told = _of_checkpoint([c for c in checkpoints if _number(c) == _number(checkpoints[-1])])
    if told is None:
        raise InputError(f"{path}: its {LOG} has no schema")
    try:
        schema = json.loads(told)
    except json.JSONDecodeError:
        raise ParseError(f"{path}: its {LOG} holds a schema that is not JSON") from None
    if not isinstance(schema, dict):
        raise ParseError(f"{path}: its {LOG} holds a schema that is not a schema of Spark")
    return schema


def _number(checkpoint: Path) -> str:
    return checkpoint.name.partition(".")[0]


def _of_commit(file: Path) -> str | None:
    """The schema that a commit sets, if it sets one."""
    told = None
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            action = json.loads(line)
        except json.JSONDecodeError:
            raise ParseError(f"{file}: a line that is not JSON") from None
        if isinstance(action, dict) and isinstance(action.get("metaData"), dict):
            told = str(action["metaData"].get("schemaString"))
    return told


def _of_checkpoint(files: list[Path]) -> str | None:
    """The schema that a checkpoint holds, which may be of several files."""
    import pyarrow.parquet

    for file in files:
        try:
            rows = pyarrow.parquet.read_table(file, columns=["metaData"])["metaData"].to_pylist()
        except (pyarrow.ArrowException, OSError, KeyError) as error:
            first = str(error).splitlines()[0]
            raise InputError(f"{file}: no checkpoint: {first}") from None
        for row in rows:
            if row and row.get("schemaString"):
                return str(row["schemaString"])
    return None
