"""`python -m benchmarks NAME [options]`."""

from __future__ import annotations

import sys
from importlib import import_module

NAMES = (
    "reading",
    "startup",
    "interpreter",
    "proving",
    "recheck",
    "coverage",
    "paper",
    "sweep",
    "plans",
    "pyspark",
    "commands",
    "reuse",
    "fuzz",
)


def main() -> int:
    """Run the named benchmark with the rest of the arguments."""
    if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
        print(f"usage: python -m benchmarks {{{','.join(NAMES)}}} [options]", file=sys.stderr)
        return 64
    return int(import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:]) or 0)


sys.exit(main())
