"""What a comparison may import: an allow-list, so that a new import is a decision.

Each in a process of its own, on files in another folder, with the status it ends with.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT

SHOWN = """
import atexit, json, sys
packages = set(sys.argv.pop(1).split())
def show():
    parts = [m.split(".") for m in sys.modules if m.partition(".")[0] == "veer"]
    finer = ("read", "gui", "execution", "projects", "prove")
    rooms = {".".join(p[: 3 if p[1:2] and p[1] in finer else 2]) for p in parts}
    outside = {m.partition(".")[0] for m in sys.modules} & packages
    late = {m for m in sys.modules if m in ("veer.refute.symbolic", "veer.verification.search.paper.strategies")}
    with open("imported.json", "w") as file:
        json.dump(sorted(rooms | outside | late), file)
atexit.register(show)
from veer.cli.main import run
run()
"""
NEEDED = """
veer veer.api veer.assumptions veer.caveats veer.cli veer.errors veer.expressions veer.facts veer.functions veer.hints
veer.interpreter veer.ir veer.options veer.own_code veer.plugins veer.reasons veer.refute veer.rewrite veer.settings veer.show
veer.verdict veer.verification veer.visible
veer.prove veer.prove.algebra veer.prove.solver veer.prove.verifiers
veer.read veer.read.function_bodies veer.read.builder veer.read.checkout veer.read.coercion veer.read.inputs veer.read.inputs
veer.read.json_text veer.read.spec veer.read.inputs veer.read.pyspark veer.read.registry veer.read.session_settings
veer.read.spec veer.read.sql veer.read.zoned_expressions
veer.execution veer.execution.front_ends veer.execution.stored veer.gui veer.gui.front_ends
sqlglot z3 rich click
"""
PACKAGES = (
    "click cvc5 defusedxml google grpc lark numpy pandas pyarrow pydantic pyspark rich sqlalchemy "
    "sqlglot starlette typer uvicorn yaml z3"
)
PAIRS = {
    "SQL": ("p.sql", "q.sql", ""),
    "jobs": ("p.py:job", "q.py:job", "veer.java"),
    "KNIME": (
        f"{ROOT}/examples/knime/orders",
        f"{ROOT}/examples/knime/orders",
        "veer.gui.knime veer.gui.declared veer.gui.documents veer.gui.files veer.gui.graph "
        "veer.gui.reading veer.gui.rows lark defusedxml",
    ),
}
FILES = {
    "p.sql": "SELECT id, total FROM orders WHERE total > 10 AND id > 5",
    "q.sql": "SELECT id, total FROM (SELECT * FROM orders WHERE id > 5) WHERE total > 10",
    "p.py": "def job(spark):\n    o = spark.table('orders')\n    return o.where('id > 5').where('total > 10')\n",
    "q.py": "def job(spark):\n    o = spark.table('orders')\n    return o.filter((o.total > 10) & (o.id > 5))\n",
    "tables.ddl": "CREATE TABLE orders (id INT, total DOUBLE);",
}


def imported(folder: Path, *words: str) -> set[str]:
    """The rooms of Veer and the packages that a command had imported when it ended."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", SHOWN, PACKAGES, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads((folder / "imported.json").read_text()))


@pytest.mark.parametrize("kind", PAIRS)
def test_a_comparison_imports_only_what_it_needs(kind: str, tmp_path: Path) -> None:
    p, q, also = PAIRS[kind]
    schema = f"{ROOT}/examples/knime/tables.ddl" if kind == "KNIME" else "tables.ddl"
    assert imported(tmp_path, "verify", p, q, "--schema", schema) <= {
        *NEEDED.split(),
        *also.split(),
    }


def test_the_solver_is_loaded_with_the_first_question(tmp_path: Path) -> None:
    assert "z3" in imported(tmp_path, "verify", "p.sql", "q.sql", "--schema", "tables.ddl")
    assert "z3" not in imported(tmp_path, "verify", "p.sql", "p.sql", "--schema", "tables.ddl")


def test_help_imports_no_part_that_works(tmp_path: Path) -> None:
    rooms = imported(tmp_path, "verify", "--help")
    assert not rooms & {
        "sqlglot",
        "z3",
        "rich",
        "veer.ir",
        "veer.prove.algebra",
        "veer.interpreter",
    }
