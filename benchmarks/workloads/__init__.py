"""The paper's workloads: eight dataflows, their versions, and the pairs each experiment compares.

`python -m benchmarks.workloads` writes the workflow files from `retail`, `films` and `tweets`.
Every file can be read on its own; operators keep their ids from version to version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.workloads.data import FUNCTIONS, rows_for
from veer.read.spec import load
from veer.verification.versions.version import Version

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Pair:
    """Two versions to compare; `sinks` are the compared ones, all by default."""

    base: str
    version: str
    equivalent: bool
    sinks: tuple[str, ...] = ()

    def load(self) -> tuple[Version, Version]:
        """Both versions."""
        return load_version(self.base), load_version(self.version)


@dataclass(frozen=True)
class Experiment:
    """Pairs that vary one parameter of the paper's evaluation."""

    name: str
    parameter: str
    pairs: Mapping[int, Pair]


@dataclass(frozen=True)
class Workload:
    """One row of the paper's table: counts are those of the base version, and of all versions."""

    name: str
    description: str
    kinds: Mapping[str, int]  # how many operators of the kinds the table mentions
    operators: int
    links: int
    versions: int
    experiments: tuple[Experiment, ...] = ()
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """The path of the first version."""
        return f"{self.name.lower()}/v1.yaml"

    @property
    def equivalent(self) -> tuple[Pair, ...]:
        """The base with each version made by two rewrites."""
        return tuple(self._pair(n, True) for n in range(2, self.versions))

    @property
    def inequivalent(self) -> tuple[Pair, ...]:
        """The base with the last version, made by two edits of what is asked."""
        return (self._pair(self.versions, False),)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, those of experiments included."""
        varied = (pair for e in self.experiments for pair in e.pairs.values())
        return (*self.equivalent, *self.inequivalent, *varied)

    def _pair(self, number: int, equivalent: bool) -> Pair:
        return Pair(self.base, f"{self.name.lower()}/v{number}.yaml", equivalent)


def load_version(path: str) -> Version:
    """A version by its path in this folder."""
    return load(str(HERE / path))


def generate(name: str, rows: int = 60, seed: int = 0) -> dict[str, list[tuple[Any, ...]]]:
    """Random tables for a workload, or for a version by its path: `rows` of facts, keys kept."""
    path = name if name.endswith(".yaml") else f"{name.lower()}/v1.yaml"
    return rows_for(load_version(path).dataflow, rows, seed)


CHANGES = Experiment(
    "changes",
    "number of changes",
    {n: Pair("w1/v1.yaml", f"w1/changes_{n}.yaml", True) for n in (1, 2, 3, 4)},
)
HOPS = Experiment(
    "hops",
    "operators between the edits",
    {n: Pair("w2/v1.yaml", f"w2/hops_{n}.yaml", True) for n in (0, 1, 2, 3)},
)
SIZES = tuple(
    Experiment(
        f"{kind}_operators",
        f"operators, those added {kind} by the paper's verifier",
        {
            n: Pair(f"w2/{kind}_{n}_base.yaml", f"w2/{kind}_{n}.yaml", True)
            for n in (22, 23, 24, 25)
        },
    )
    for kind in ("supported", "unsupported")
)
OPTIMIZATIONS = Experiment(
    "optimizations", "number of edits", {3: Pair("w3/v1.yaml", "w3/three_edits.yaml", True)}
)
RUNNING_EXAMPLE = Experiment(
    "running_example",
    "number of edits",
    {2: Pair("w7/running_v1.yaml", "w7/running_v2.yaml", True, ("p",))},
)
WORKLOADS = (
    Workload(
        "W1",
        "TPC-DS Q40",
        {"join": 4, "outer join": 1, "aggregate": 1},
        *(17, 16, 5),
        experiments=(CHANGES,),
    ),
    Workload(
        "W2", "TPC-DS Q18", {"join": 5, "aggregate": 1}, *(20, 20, 9), experiments=(HOPS, *SIZES)
    ),
    Workload(
        "W3",
        "TPC-DS Q71",
        {"replicate": 1, "union": 1, "join": 5, "aggregate": 1},
        *(23, 23, 4),
        experiments=(OPTIMIZATIONS,),
    ),
    Workload(
        "W4",
        "TPC-DS Q33",
        {"replicate": 3, "union": 1, "join": 9, "aggregate": 4},
        *(28, 34, 3),
    ),
    Workload(
        "W5",
        "IMDB ratio of non-original to original movie titles",
        {"replicate": 1, "join": 2, "aggregate": 2},
        *(12, 12, 3),
    ),
    Workload(
        "W6",
        "IMDB all movies of directors with certain criteria",
        {"replicate": 2, "join": 4, "unnest": 2},
        *(18, 20, 3),
    ),
    Workload(
        "W7",
        "Tobacco Twitter analysis",
        {"outer join": 1, "join": 1, "aggregate": 1, "classifier": 1},
        *(14, 13, 3),
        experiments=(RUNNING_EXAMPLE,),
        functions=FUNCTIONS,
    ),
    Workload(
        "W8",
        "Wildfire Twitter analysis",
        {"join": 1, "udf": 1},
        *(13, 12, 3),
    ),
)
