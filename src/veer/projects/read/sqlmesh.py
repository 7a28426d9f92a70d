"""SQLMesh projects: the models that SQLMesh itself renders, in a process of the Python that has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import final

from veer.errors import InputError, ParseError, UnsupportedError, UsageError
from veer.ir.types import quote_name
from veer.projects.read.dialects import spark_query
from veer.projects.read.sql_models import model_version
from veer.settings import SessionSettings
from veer.verification.versions.version import Version

EXPORTER = Path(__file__).parent / "outside" / "export_sqlmesh.py"
SECONDS = 600
EXACT = ("spark", "spark2", "databricks")
COMPARED = ("FULL", "VIEW", "EMBEDDED")
EXTERNAL = "EXTERNAL"
LEFT_OUT = shutil.ignore_patterns(".git", ".cache", ".venv", "node_modules", "logs")
MOST_BYTES = 1 << 28


@final
@dataclass(frozen=True)
class SqlmeshModel:
    """A model as SQLMesh renders it."""

    name: str
    table: str
    kind: str
    dialect: str
    query: str
    reads: tuple[str, ...]
    columns: Mapping[str, str]
    error: str
    digest: str  # SQLMesh's own, of all that decides the data of a model
    statements: bool  # that run before or after its query

    @property
    def content(self) -> tuple[str, ...]:
        """What decides its rows, but for what it reads."""
        return (self.table, self.kind, self.dialect, self.query, self.error, self.digest)

    def differs_only_by_digest(self, other: SqlmeshModel) -> bool:
        """Whether something of a model is another that is not seen here."""
        return self.content[:-1] == other.content[:-1] and self.digest != other.digest

    def refused(self) -> str:
        """Why it is not compared; empty if it is."""
        if self.error:
            return self.error
        if self.statements:
            return "statements run before or after its query, which are not read"
        if self.kind not in COMPARED:
            return f"a model of kind {self.kind}: its table holds rows that its query does not tell"
        return "" if self.query else "it has no query"

    def load(self, ddl: str, settings: SessionSettings, called: str) -> Version:
        """Its version over tables that `ddl` declares."""
        if self.refused():
            raise UnsupportedError(self.refused())
        exact = self.dialect in EXACT
        query = self.query if exact else spark_query(self.query, self.dialect)
        return model_version(called, query, self.table, ddl, settings)


def sqlmesh_models(folder: Path, python: str) -> dict[str, SqlmeshModel]:
    """The models of a project by name; its macros run, in a copy of its folder."""
    with tempfile.TemporaryDirectory(prefix="veer-") as scratch:
        copy, out = Path(scratch) / "project", Path(scratch) / "models.json"
        try:
            shutil.copytree(folder, copy, ignore=LEFT_OUT, symlinks=True)
            done = subprocess.run(
                [python, str(EXPORTER), str(copy), str(out)],
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
                cwd=copy,
                env={**os.environ, "SQLMESH__DISABLE_ANONYMIZED_ANALYTICS": "true"},
            )
        except (OSError, shutil.Error, subprocess.TimeoutExpired) as error:
            raise InputError(f"{folder}: SQLMesh cannot be run: {error}") from None
        if done.returncode != 0 or not out.is_file():
            last = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            raise InputError(f"{folder.name}: SQLMesh: {last[-1] if last else 'no answer'}")
        if out.stat().st_size > MOST_BYTES:
            raise ParseError(f"{folder.name}: more than {MOST_BYTES >> 20} MiB of models")
        data = json.loads(out.read_text(encoding="utf-8"))
    return {told["name"]: _model(told) for told in data["models"]}


def _model(told: Mapping[str, object]) -> SqlmeshModel:
    reads, columns = told["reads"], told["columns"]
    assert isinstance(reads, list) and isinstance(columns, dict)
    texts = {key: str(told[key]) for key in ("name", "table", "kind", "dialect", "query")}
    return SqlmeshModel(
        **texts,
        reads=tuple(map(str, reads)),
        columns=columns,
        error=str(told["error"]),
        digest=str(told["digest"]),
        statements=bool(told["statements"]),
    )


def external_tables(models: Mapping[str, SqlmeshModel]) -> str:
    """CREATE TABLE statements of what SQLMesh knows of tables it does not fill."""
    statements = []
    for model in models.values():
        if model.kind == EXTERNAL and model.columns:
            name = ".".join(map(quote_name, model.table.split(".")))
            columns = ", ".join(f"{quote_name(c)} {t}" for c, t in model.columns.items())
            statements.append(f"CREATE TABLE {name} ({columns})")
    return ";\n".join(statements)


def sqlmesh_python(given: str) -> str:
    """The Python that has SQLMesh: one that is given, this one, or that of the command `sqlmesh`."""
    if given:
        return given
    if find_spec("sqlmesh") is not None:
        return sys.executable
    command = shutil.which("sqlmesh")
    if command is not None:
        with open(command, "rb") as file:
            first = file.readline(1000).decode(errors="replace").strip()
        if first.startswith("#!"):
            return first[2:].strip().split(" ")[0]
    raise UsageError(
        "SQLMesh is not installed here: give the Python that has it with --sqlmesh-python"
    )
