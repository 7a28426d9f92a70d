"""What several tests need: case files, random instances, random dataflows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.generators.values import random_value
from veer.ir.dag import Dataflow
from veer.ir.ops import Source
from veer.ir.sources import tables_read
from veer.ir.types import IntegralType

CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """One case of a `.cases` file: options, and the texts between semicolons at line ends."""

    title: str
    options: dict[str, str] = field(hash=False)
    texts: tuple[str, ...] = ()


def load_cases(name: str) -> list[Case]:
    """The cases of a file: `# key: value` lines, then statements ending in `;`."""
    found: list[Case] = []
    options: dict[str, str] = {}
    body: list[str] = []

    def finish() -> None:
        if options:
            texts = tuple(t.strip() for t in "\n".join(body).split(";\n") if t.strip())
            found.append(Case(options.pop("title"), dict(options), texts))
            options.clear()
            body.clear()

    for line in (CASES / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# title:"):
            finish()
        if line.startswith("# ") and ": " in line:
            key, value = line[2:].split(": ", 1)
            options[key] = value
        elif line.strip():
            body.append(line)
    finish()
    return found


def instances(dataflow: Dataflow, count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Random small tables for the sources of a dataflow, subqueries included; constraints kept."""
    sources = tables_read([dataflow]).values()
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        size = number % 5
        yield {s.table: random_table(rng, s, size) for s in sources}


def random_table(rng: random.Random, source: Source, size: int) -> list[tuple[Any, ...]]:
    """Rows with small values, nulls and duplicates; keys are numbered."""
    keys = {name for key in source.keys for name in key}
    rows = []
    for number in range(size):
        row: list[Any] = []
        for f in source.fields:
            if f.name in keys and isinstance(f.type, IntegralType):
                row.append(number + 1)
            elif isinstance(f.type, IntegralType):
                row.append(None if f.nullable and rng.random() < 0.25 else rng.randint(-1, 3))
            else:
                row.append(random_value(rng, f.type, 0.25 if f.nullable else 0.0))
        rows.append(tuple(row))
    return rows
