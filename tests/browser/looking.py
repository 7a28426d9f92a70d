"""What tests of pages look at."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"


def boxes(page: Page) -> int:
    """How many operators and folded boxes the graph has in sight."""
    return page.locator(".react-flow__node-operator, .react-flow__node-box").count()


def wait_for_graph(page: Page) -> None:
    page.wait_for_selector(".react-flow__node")
    drawn = "performance.getEntriesByName('veer-graph-drawn').length"
    wait_until(lambda: page.evaluate(drawn) > 0)


def wait_until(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Wait until something holds; the policy of a page does not let the driver wait inside of it."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def unfolded(page: Page) -> None:
    """Draw every operator."""
    page.get_by_role("combobox", name="fold").select_option("nothing")


def show_sink(page: Page, name: str) -> None:
    """Open the panel of a sink."""
    page.get_by_role("button", name="Overview", exact=True).click()
    page.locator(".sink", has=page.get_by_text(name, exact=True)).click()


def accessible(page: Page) -> None:
    """No rule of axe is violated."""
    if not AXE.exists():
        pytest.skip("axe is not installed; `npm ci` in ui/ does")
    # A script of the test's own: evaluated by the driver, so the page's policy stays as it is.
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate(
        "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})"
    )
    told = [
        f"{v['id']}: {v['help']}: {[n['html'][:160] for n in v['nodes']][:3]}"
        for v in found["violations"]
    ]
    assert not told, "\n".join(told)


def overflows(page: Page) -> bool:
    """Whether the page is wider than the window."""
    wide: bool = page.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth + 1"
    )
    return wide
