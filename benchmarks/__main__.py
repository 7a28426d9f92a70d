"""`python -m benchmarks NAME [options]`; without a name, what there is."""

from __future__ import annotations

import sys
from importlib import import_module

from benchmarks.catalog import RUNNERS, listing

USAGE = "usage: python -m benchmarks NAME [options]"


def main() -> int:
    """Run the named benchmark with the rest of the arguments."""
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(
            f"{USAGE}\n\n{listing()}\n\n`NAME --help` tells the options; benchmarks/README.md how long each takes."
        )
        return 0
    name = sys.argv[1]
    if name not in {runner.name for runner in RUNNERS}:
        print(f"no benchmark is called {name!r}\n{USAGE}\n\n{listing()}", file=sys.stderr)
        return 64
    return int(import_module(f"benchmarks.runners.{name}").main(sys.argv[2:]) or 0)


sys.exit(main())
