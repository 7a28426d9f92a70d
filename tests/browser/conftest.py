"""A real browser, and pages made by the command in a new process.

Every page is watched: an error of a script, a violation of the page's policy, a dialog or a request to
anywhere but where the page came from fails the test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests import command

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases" / "view"
TOBACCO = ROOT / "examples" / "tobacco"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 390, "height": 844}
PICTURES = ROOT / "docs" / "pictures"

OpenPage = Callable[..., Page]


def veer(*args: str, cwd: Path, ok: tuple[int, ...] = (0, 1, 2)) -> str:
    """The command; what it says."""
    done = command.veer(*args, cwd=cwd, seconds=300)
    assert done.returncode in ok, done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        chromium = playwright.chromium
        if path is None and not Path(chromium.executable_path).exists():
            pytest.skip("there is no browser; scripts/install-browser installs one")
        browser = chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens an address in a page that is watched until the test ends."""
    problems: list[str] = []
    contexts = []

    def opened(
        address: str | Path, size: dict[str, int] = WIDE, expected: str = "", **options: Any
    ) -> Page:
        url = address.as_uri() if isinstance(address, Path) else address
        home = url.split("?")[0].split("#")[0] if url.startswith("http") else "file://"
        context = browser.new_context(viewport=size, reduced_motion="reduce", **options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))

        def said(message: Any) -> None:
            is_expected = expected and expected in message.text
            if message.type in ("error", "warning") and not is_expected:
                problems.append(f"{message.type}: {message.text}")

        def asked(request: Any) -> None:
            if not request.url.startswith((home, "blob:", "data:", "file://")):
                problems.append(f"a request to {request.url}")

        page.on("console", said)
        page.on("request", asked)
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not problems, problems


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """HTML reports by name, each made once, by the command in another folder."""
    folder = tmp_path_factory.mktemp("reports")
    made: dict[str, Path] = {}

    def report(name: str) -> Path:
        if name not in made:
            made[name] = folder / f"{name}.html"
            veer(*_versions(name, folder), "--format", "html", "--out", f"{name}.html", cwd=folder)
        return made[name]

    return report


def _versions(name: str, folder: Path) -> list[str]:
    """What to give to `veer verify` for each report."""
    match name:
        case "tobacco":
            shutil.copytree(TOBACCO, folder, dirs_exist_ok=True)  # with its models
            return ["verify", "v1.yaml", "v2.yaml"]
        case "orders":
            shutil.copytree(CASES / "orders", folder / "orders")
            return ["verify", "orders/v1.sql", "orders/v2.sql", "--schema", "orders/tables.ddl"]
        case "hostile":
            shutil.copytree(CASES / "hostile", folder / "hostile")
            return ["verify", "hostile/p.yaml", "hostile/q.yaml"]
        case "large":
            (folder / "large").mkdir()
            generate = [sys.executable, str(CASES / "generate_large.py"), "1000", "large"]
            subprocess.run(generate, cwd=folder, check=True)
            # Little work: what is looked at is the graph.
            return ["verify", "large/v1.yaml", "large/v2.yaml", "--budget", "20000"]
        case "job":
            (folder / "job").mkdir()
            for version, day in (("old", "2024-01-01"), ("new", "2024-02-01")):
                (folder / "job" / f"{version}.py").write_text(JOB.format(day=day))
            (folder / "job" / "tables.ddl").write_text(
                "CREATE TABLE sales (id BIGINT NOT NULL, day DATE, amount INT, PRIMARY KEY (id));"
            )
            return [
                "verify",
                "job/old.py:build",
                "job/new.py:build",
                "--schema",
                "job/tables.ddl",
            ]
        case _:
            raise ValueError(name)


JOB = """from pyspark.sql import DataFrame, SparkSession, functions as F


def build(spark: SparkSession) -> DataFrame:
    sales = spark.table("sales")
    recent = sales.filter(F.col("day") >= F.to_date(F.lit("{day}")))
    return recent.groupBy("day").agg(F.sum("amount").alias("total"))
"""


@pytest.fixture
def picture() -> Callable[[Page, str], None]:
    """Takes a picture for the documentation, if asked to (`make pictures`)."""

    def take(page: Page, name: str) -> None:
        if os.environ.get("VEER_PICTURES"):
            PICTURES.mkdir(exist_ok=True)
            page.wait_for_timeout(300)
            page.screenshot(path=PICTURES / f"{name}.png")

    return take
