"""How long commands take to start, and how long imports take: medians over fresh processes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "veer --version": [sys.executable, "-m", "veer", "--version"],
    "veer --help": [sys.executable, "-m", "veer", "--help"],
    "veer verify --help": [sys.executable, "-m", "veer", "verify", "--help"],
    "veer verify, tobacco": [
        sys.executable,
        "-m",
        "veer",
        "verify",
        "examples/tobacco/v1.yaml",
        "examples/tobacco/v2.yaml",
    ],
    "import veer": [sys.executable, "-c", "import veer"],
    "import veer.api": [sys.executable, "-c", "import veer.api"],
    "import veer.interpreter": [sys.executable, "-c", "import veer.interpreter"],
    "import veer.frontends.sql": [sys.executable, "-c", "import veer.frontends.sql"],
}


def main(argv: list[str]) -> int:
    """Print the median of nine runs of each."""
    del argv
    for name, command in COMMANDS.items():
        times = []
        for _ in range(9):
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=False)
            times.append(time.perf_counter() - start)
        print(f"{name:<28} {statistics.median(times) * 1000:7.0f} ms")
    return 0
