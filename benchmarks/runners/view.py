"""How long a browser takes to show HTML reports: first paint, and the graph drawn.

python -m benchmarks view [--rounds N] [--operators 1000,5000]

The reports are made by the command: the tobacco pair, a job of sixty operators, and generated workflows.
A browser that Playwright can drive opens each in a new context and counts the milliseconds itself. Fails
if a median is above what the view is made for: one second for sixty operators, three for a thousand.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases" / "view"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
LITTLE = ("--budget", "20000", "--timeout", "90")  # the graph counts here, not the verdicts
LIMITS = {"orders": 1000.0, "1000 operators": 3000.0}  # milliseconds
DRAWN = "performance.getEntriesByName('veer-graph-drawn').map(e => e.startTime)[0] ?? null"
PAINTED = "performance.getEntriesByName('first-contentful-paint').map(e => e.startTime)[0] ?? null"


def main(argv: list[str]) -> int:
    """Print a line for each report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks view")
    parser.add_argument("--rounds", type=int, default=5, help="times each report is opened")
    parser.add_argument("--operators", default="1000", help="sizes of generated workflows")
    asked = parser.parse_args(argv)
    late = []
    print(
        f"{'report':16} {'bytes':>10} {'written':>9} {'first paint':>12} {'graph':>9} {'boxes':>6}"
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, NAMES)), None)
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for name, page, seconds in _reports(Path(folder), asked.operators.split(",")):
            opened = [_opened(browser, page) for _ in range(asked.rounds)]
            paint, drawn = (statistics.median(o[i] for o in opened) for i in (0, 1))
            size = page.stat().st_size
            print(
                f"{name:16} {size:>10,} {seconds:>7.1f} s {paint:>9.0f} ms {drawn:>6.0f} ms "
                f"{opened[0][2]:>6}",
                flush=True,
            )
            if max(paint, drawn) > LIMITS.get(name, float("inf")):
                late.append(name)
        browser.close()
    for name in late:
        print(f"{name}: later than {LIMITS[name]:g} ms")
    return int(bool(late))


def _reports(folder: Path, sizes: list[str]) -> Iterator[tuple[str, Path, float]]:
    """Reports by name, each with the seconds the command took."""
    tobacco = [str(ROOT / "examples" / "tobacco" / f"{v}.yaml") for v in ("v1", "v2")]
    yield "tobacco", *_report(folder, "tobacco", *tobacco)
    orders = CASES / "orders"
    versions = [str(orders / f"{v}.sql") for v in ("v1", "v2")]
    schema = str(orders / "tables.ddl")
    yield "orders", *_report(folder, "orders", *versions, "--schema", schema)
    for size in sizes:
        large = folder / size
        large.mkdir()
        generate = [sys.executable, str(CASES / "generate_large.py"), size, str(large)]
        subprocess.run(generate, check=True)
        versions = [str(large / f"{v}.yaml") for v in ("v1", "v2")]
        yield f"{size} operators", *_report(folder, size, *versions, *LITTLE)


def _report(folder: Path, name: str, *args: str) -> tuple[Path, float]:
    page = folder / f"{name}.html"
    command = [sys.executable, "-m", "veer", "verify", *args, "--format", "html"]
    start = time.perf_counter()
    done = subprocess.run([*command, "--out", str(page)], capture_output=True, text=True)
    if done.returncode not in (0, 1, 2):
        raise SystemExit(done.stderr)
    return page, time.perf_counter() - start


def _opened(browser: Browser, report: Path) -> tuple[float, float, int]:
    """Milliseconds to the first paint and to the graph, and the boxes that are drawn."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(report.as_uri())
    drawn: Any = None
    end = time.monotonic() + 120
    while drawn is None and time.monotonic() < end:
        drawn = page.evaluate(DRAWN)
        time.sleep(0.02)
    painted = page.evaluate(PAINTED)
    boxes = page.locator(".react-flow__node-operator, .react-flow__node-box").count()
    context.close()
    if drawn is None or painted is None:
        raise SystemExit(f"{report.name}: no graph was drawn")
    return painted, drawn, boxes
