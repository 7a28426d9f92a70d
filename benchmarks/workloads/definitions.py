"""All flows, under the paths of their files."""

from __future__ import annotations

from functools import lru_cache

from benchmarks.workloads import films, retail, tweets
from benchmarks.workloads.flow import Flow

MAKERS = {
    "w1": retail.w1,
    "w2": retail.w2,
    "w3": retail.w3,
    "w4": retail.w4,
    "w5": films.w5,
    "w6": films.w6,
    "w7": tweets.w7,
    "w8": tweets.w8,
}


@lru_cache(maxsize=1)
def flows() -> dict[str, Flow]:
    """Every version of every workload, by its path."""
    return {f"{n}/{v}.yaml": flow for n, make in MAKERS.items() for v, flow in make().items()}


def files() -> dict[str, str]:
    """The text of every file."""
    return {path: flow.text() for path, flow in flows().items()}
