"""Pairs of large workflow files: python generate_large.py OPERATORS FOLDER.

Sources are cleaned in a staging layer; each result is a mart of several branches, which reads staged
tables and parts of earlier marts. The second version has a dozen edits.
"""

from __future__ import annotations

import copy
import random
import sys
from pathlib import Path
from typing import Any

import yaml

Document = dict[str, Any]

SYSTEMS = ("web", "store", "partner", "legacy", "mobile")
SUBJECTS = (
    "orders",
    "refunds",
    "invoices",
    "shipments",
    "payments",
    "claims",
    "quotes",
    "visits",
    "stock",
    "leads",
)
COLUMNS = ("account", "status", "id", "amount", "quantity")
DEPTH = 3  # how many marts may be built upon one another


class Builder:
    """A workflow that grows; every operator but sinks and lookups gives the same five columns."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.operators: dict[str, Document] = {}
        self.links: list[list[str]] = []

    def add(self, name: str, operator: Document, *inputs: str) -> str:
        """A new operator under a name with its number, behind its inputs."""
        key = f"{name}_{len(self.operators) + 1:04}"
        self.operators[key] = operator
        ports = ("left", "right") if operator["type"] == "join" else ("", "")
        for place, source in enumerate(inputs):
            port = ports[place] if place < len(ports) else ""
            self.links.append([source, key, port] if port else [source, key])
        return key

    def source(self, table: str) -> str:
        types = ("bigint", "string", "bigint not null", "bigint", "bigint")
        columns = dict(zip(COLUMNS, types, strict=True))
        return self.add(
            table, {"type": "source", "table": table, "columns": columns, "keys": ["id"]}
        )

    def filter(self, name: str, below: str) -> str:
        """Bounds that never exclude one another: below 51 from below, over 99 from above."""
        rng = self.rng
        predicate = rng.choice(
            (
                f"amount > {rng.randint(0, 50)}",
                f"amount > {rng.randint(0, 50)}",
                f"quantity > {rng.randint(0, 50)}",
                f"amount <= {rng.randint(100, 999)}",
                f"status <> '{rng.choice(('cancelled', 'test', 'deleted'))}'",
                f"account IS NOT NULL AND quantity <> {rng.randint(60, 90)}",
            )
        )
        return self.add(f"{name}_where", {"type": "filter", "predicate": predicate}, below)

    def compute(self, name: str, below: str) -> str:
        column, expression = self.rng.choice(
            (
                ("amount", f"amount + {self.rng.randint(1, 9)}"),
                ("amount", "coalesce(amount, 0)"),
                ("quantity", "CASE WHEN quantity < 0 THEN 0 ELSE quantity END"),
                ("status", "coalesce(status, 'none')"),
            )
        )
        operator = {"type": "compute", "columns": {column: expression}}
        return self.add(f"{name}_set", operator, below)

    def project(self, name: str, below: str) -> str:
        columns: list[Any] = list(COLUMNS[:4])
        columns.append({"name": "quantity", "expression": f"quantity + {self.rng.randint(1, 9)}"})
        return self.add(f"{name}_select", {"type": "project", "columns": columns}, below)

    def aggregate(self, name: str, below: str) -> str:
        calls = {"id": "max(id)", "amount": "sum(amount)", "quantity": "max(quantity)"}
        operator = {"type": "aggregate", "by": ["account", "status"], "calls": calls}
        return self.add(f"{name}_by", operator, below)

    def step(self, name: str, below: str) -> str:
        """One operator more of a chain."""
        kinds = (self.filter, self.compute, self.project)
        return self.rng.choices(kinds, (6, 3, 2))[0](name, below)

    def merge(self, name: str, left: str, right: str) -> str:
        """A union, a semi join or anti join, or a join with a lookup."""
        kind = self.rng.choice(("union", "semi", "anti", "inner", "inner", "left"))
        if kind == "union":
            return self.add(f"{name}_all", {"type": "union"}, left, right)
        if kind in ("semi", "anti"):
            on = f"{left}.account = {right}.account"
            return self.add(f"{name}_{kind}", {"type": "join", "kind": kind, "on": on}, left, right)
        renamed = {"type": "project", "columns": {"key": "account", "other": "amount"}}
        lookup = self.add(f"{name}_lookup", renamed, right)
        operator = {"type": "join", "kind": kind, "on": "account = key"}
        joined = self.add(f"{name}_join", operator, left, lookup)
        columns: list[Any] = list(COLUMNS[:4])
        columns.append({"name": "quantity", "expression": "coalesce(other, quantity)"})
        return self.add(f"{name}_select", {"type": "project", "columns": columns}, joined)


def workflow(operators: int, seed: int) -> tuple[Document, Document]:
    """Two versions of a workflow of about so many operators."""
    rng = random.Random(seed)
    builder = Builder(rng)
    names = [f"{system}_{subject}" for system in SYSTEMS for subject in SUBJECTS]
    tables = rng.sample(names, min(50, max(2, min(20, operators // 20), operators // 40)))
    staged: list[str] = []
    for table in tables:
        below = builder.source(table)
        for grow in (builder.filter, builder.filter, builder.compute):
            below = grow(f"stg_{table}", below)
        staged.append(below)

    unread = list(staged)
    shared: list[tuple[int, str]] = []
    marts = max(1, round(operators / 40))
    for number in range(marts):
        size = (operators - len(builder.operators)) // (marts - number)
        inputs: list[str] = []
        level = 0
        for _ in range(max(3, -(-len(unread) // (marts - number)))):
            if shared and not unread and rng.random() < 0.4:
                depth, below = rng.choice(shared)
                level = max(level, depth)
            else:
                below = unread.pop(0) if unread else rng.choice(staged)
            if below not in inputs:
                inputs.append(below)
        _mart(builder, f"mart_{number + 1:03}", inputs, size, level, shared)

    first: Document = {
        "veer": 1,
        "name": "warehouse",
        "operators": builder.operators,
        "links": builder.links,
    }
    second = copy.deepcopy(first)
    _edit(second, rng)
    return first, second


def _mart(
    builder: Builder,
    name: str,
    inputs: list[str],
    size: int,
    level: int,
    shared: list[tuple[int, str]],
) -> None:
    """A chain on each input, merged and grouped, and a sink; later marts may read the first merge."""
    end = len(builder.operators) + size
    length = max(1, (size - 4 * len(inputs)) // (2 * len(inputs)))
    below = ""
    for place, start in enumerate(inputs):
        branch = start
        for _ in range(length):
            branch = builder.step(name, branch)
        if builder.rng.random() < 0.3:
            branch = builder.aggregate(name, branch)
        below = builder.merge(name, below, branch) if place else branch
        if place == 1 and level < DEPTH:
            shared.append((level + 1, below))
    while len(builder.operators) < end - 5:
        below = builder.step(name, below)
    below = builder.aggregate(name, below)
    for _ in range(2):
        below = builder.step(name, below)
    if builder.rng.random() < 0.3:
        below = builder.add(f"{name}_order", {"type": "sort", "by": ["amount desc", "id"]}, below)
    builder.add(name, {"type": "sink", "name": name}, below)


def _edit(document: Document, rng: random.Random) -> None:
    """Twelve edits in place. What changes the meaning is done to marts, not to the staging layer."""
    operators, links = document["operators"], document["links"]
    filters = [key for key, operator in operators.items() if operator["type"] == "filter"]
    rng.shuffle(filters)
    bounds = [key for key in filters if operators[key]["predicate"].startswith("amount > ")]
    changed = [key for key in bounds if key.startswith("mart")][:3]
    rewritten = [key for key in bounds if key not in changed][:4]
    used = {*changed, *rewritten}

    for place, key in enumerate(rewritten):
        bound = int(operators[key]["predicate"].removeprefix("amount > "))
        operators[key]["predicate"] = f"{bound} < amount" if place % 2 else f"amount >= {bound + 1}"
    for key in changed:
        operators[key]["predicate"] = f"amount > {rng.randint(51, 59)}"

    free = [key for key in filters if key not in used]
    pairs = _neighbours(free, links)
    for lower, upper in pairs[:2]:
        _swap(document, lower, upper)
        used |= {lower, upper}

    spare = [key for key in free if key not in used and key.startswith("mart")]
    for key in spare[:1]:
        _remove(document, key)
    for key in spare[1:2]:
        _insert(document, key, "added_where", f"quantity <> {rng.randint(91, 99)}")
    for key in spare[2:3]:  # once more what holds already
        _insert(document, key, "guard_where", operators[key]["predicate"])


def _neighbours(keys: list[str], links: list[list[str]]) -> list[tuple[str, str]]:
    """Pairs of filters, no key twice, the upper one being all that reads the lower one."""
    found: list[tuple[str, str]] = []
    taken: set[str] = set()
    known = set(keys)
    for lower in keys:
        readers = [link[1] for link in links if link[0] == lower]
        if len(readers) == 1 and readers[0] in known and not taken & {lower, readers[0]}:
            found.append((lower, readers[0]))
            taken |= {lower, readers[0]}
    return found


def _swap(document: Document, lower: str, upper: str) -> None:
    """Put the lower filter behind the upper one."""
    _redirect(document, upper, lower)
    for link in document["links"]:
        if link[:2] == [lower, upper]:
            link[:2] = [upper, lower]
        elif link[1] == lower:
            link[1] = upper


def _remove(document: Document, key: str) -> None:
    """Take out an operator with one input; what read it reads that."""
    links = document["links"]
    below = next(link[0] for link in links if link[1] == key)
    document["links"] = [link for link in links if link[1] != key]
    _redirect(document, key, below)
    del document["operators"][key]


def _insert(document: Document, below: str, key: str, predicate: str) -> None:
    """Put a filter between an operator and all that read it."""
    _redirect(document, below, key)
    document["operators"][key] = {"type": "filter", "predicate": predicate}
    document["links"].append([below, key])


def _redirect(document: Document, old: str, new: str) -> None:
    """Let all that read one operator read another, in links and in conditions of joins."""
    for link in document["links"]:
        if link[0] == old:
            link[0] = new
            condition = document["operators"][link[1]]
            if "on" in condition:
                condition["on"] = condition["on"].replace(f"{old}.", f"{new}.")


def main(arguments: list[str]) -> int:
    """Write FOLDER/v1.yaml and FOLDER/v2.yaml."""
    if len(arguments) != 2 or not arguments[0].isdecimal():
        print("usage: python generate_large.py OPERATORS FOLDER", file=sys.stderr)
        return 64
    folder = Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in zip(("v1", "v2"), workflow(int(arguments[0]), 1), strict=True):
        text = yaml.safe_dump(document, sort_keys=False, width=100)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
