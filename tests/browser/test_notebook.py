"""A report in a notebook: the same view in a frame, and a static report where frames are taken out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import TOBACCO, OpenPage
from veer.api import verify

pytestmark = pytest.mark.slow
# What a notebook puts around the output of a cell.
NOTEBOOK = (
    "<!doctype html><html lang='en'><title>notebook</title><body><h1>cell</h1>{}</body></html>"
)


@pytest.fixture(scope="module")
def output() -> str:
    with contextlib.chdir(TOBACCO):
        return verify("v1.yaml", "v2.yaml")._repr_html_()


def test_view_in_a_frame_of_bounded_height(
    output: str, tmp_path: Path, open_page: OpenPage, picture: Callable[[Page, str], None]
) -> None:
    (tmp_path / "cell.html").write_text(NOTEBOOK.format(output), encoding="utf-8")
    page = open_page(tmp_path / "cell.html")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".react-flow__node-operator").first).to_be_visible()
    box = page.locator("iframe").bounding_box()
    assert box and box["height"] <= 0.8 * 800 + 2
    frame.get_by_role("button", name="Overview", exact=True).click()
    expect(frame.locator(".sink").first).to_be_visible()
    page.get_by_text("The same as text").click()
    expect(page.locator("details table").first).to_be_visible()
    picture(page, "notebook")


def test_static_report_where_frames_are_taken_out(
    output: str, tmp_path: Path, open_page: OpenPage
) -> None:
    bare = re.sub(r"<iframe.*?</iframe>", "", output, flags=re.S)
    (tmp_path / "cell.html").write_text(NOTEBOOK.format(bare), encoding="utf-8")
    page = open_page(tmp_path / "cell.html", java_script_enabled=False)
    expect(page.get_by_text("unknown").or_(page.get_by_text("inequivalent")).first).to_be_visible()
    assert "veer-view" not in bare and len(bare) < 40_000
