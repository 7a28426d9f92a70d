"""`python -m tools pages [--check] | house [--check] [ROOT ...] | affected [--base REV]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from random import randrange

from tools import affected, budgets, house, pages
from tools.imports import ROOT


def main(argv: list[str]) -> int:
    """Run a command; 1 if `--check` has something to say."""
    parser = argparse.ArgumentParser(prog="python -m tools", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    page = commands.add_parser("pages", help="write the pages that are made from the code")
    page.add_argument("--check", action="store_true", help="only tell which are out of date")
    figures = commands.add_parser("house", help="figures about the code of one or more trees")
    figures.add_argument("--check", action="store_true", help="only tell which budget is exceeded")
    figures.add_argument("roots", nargs="*", type=Path, default=[ROOT], metavar="ROOT")
    tests = commands.add_parser("affected", help="run the tests that a change can affect")
    tests.add_argument("--base", help="the revision before; the last one upstream by default")
    tests.add_argument("--seconds", type=float, default=35, help="after which the rest is left out")
    tests.add_argument("--seed", type=int, default=randrange(1000), help="of the others that run")
    asked = parser.parse_args(argv)
    if asked.command == "affected":
        return affected.run(asked.seconds, asked.seed, asked.base)
    if asked.command == "house" and asked.check:
        exceeded = list(budgets.exceeded())
        print("\n".join(exceeded) or "all budgets are kept")
        return int(bool(exceeded))
    if asked.command == "house":
        print(house.table(asked.roots))
        return 0
    if asked.check:
        stale = [name for name in pages.PAGES if not pages.is_current(name)]
    else:
        stale = pages.write()
    for name in stale:
        print(f"{name} {'is out of date' if asked.check else 'written'}")
    return int(asked.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
