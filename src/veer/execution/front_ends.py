"""The front end of versions that a run recorded in a store."""

from __future__ import annotations

from veer.execution.stored import PREFIX
from veer.read.registry import FrontEnd

FRONT_ENDS = (
    FrontEnd(
        "stored",
        "a stored version (store:NAME@NUMBER)",
        "veer.execution.stored:read",
        prefix=PREFIX,
        has_models=False,
        counterpart="veer.execution.stored:as_stored",
        description="veer.execution.cli.store:show_stored",
    ),
)
