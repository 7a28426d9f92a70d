"""Veer verifies whether two versions of a dataflow produce the same results.

>>> import veer
>>> veer.verify("examples/tobacco/v1.yaml", "examples/tobacco/v1.yaml").verdict.value
'equivalent'
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = [
    "Comparison",
    "Report",
    "Verdict",
    "Version",
    "assert_equivalent",
    "diff",
    "load",
    "run",
    "verify",
]
_ELSEWHERE = {"run": "veer.execution.live", "Report": "veer.verdict", "Verdict": "veer.verdict"}


def __getattr__(name: str) -> Any:
    """Names of the API, imported when first used."""
    if name in __all__:
        return getattr(import_module(_ELSEWHERE.get(name, "veer.api")), name)
    raise AttributeError(f"module 'veer' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The API, whether it was imported already or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
