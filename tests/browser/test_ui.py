"""`veer ui` in a real browser: every page once, on a store as runs leave it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, OpenPage
from tests.browser.looking import accessible, overflows, wait_for_graph
from tests.web.shop import HOSTILE, TOBACCO, make_store, veer_ui
from veer.execution.store import Store
from veer.execution.store.runs import RunLog

pytestmark = pytest.mark.slow
Picture = Callable[[Page, str], None]
CHECK = {
    "veer_check": 1,
    "base": {"name": "main", "commit": "0"},
    "verdict": "changed",
    "jobs": [
        {
            "job": "daily",
            "verdict": "changed",
            "why": HOSTILE,
            "seconds": 0.5,
            "sinks": [
                {
                    "sink": "report",
                    "verdict": "changed",
                    "reason": "they differ on an instance of 1 row",
                    "witness": {
                        "kind": "rows",
                        "detail": "",
                        "columns": ["a"],
                        "tables": {"t": {"columns": ["a"], "rows": [[HOSTILE], [None]]}},
                        "p_rows": [[1]],
                        "q_rows": [],
                    },
                }
            ],
        },
        {"job": "weekly", "verdict": "unchanged", "why": "", "seconds": 0, "sinks": []},
    ],
    "recompute": ["report"],
    "keep": [],
    "notes": ["a note"],
    "seconds": 1.5,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    make_store(folder / ".veer")
    shutil.copytree(TOBACCO / "models", folder / "models")
    (folder / "check.json").write_text(json.dumps(CHECK))
    (folder / "broken.json").write_text("{")
    return folder


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with veer_ui(store, "--check", "check.json", "--check", "broken.json") as address:
        yield address


def test_versions_as_a_tree(address: str, open_page: OpenPage, picture: Picture) -> None:
    page = open_page(address)
    expect(page.get_by_role("link", name="tobacco@2", exact=True)).to_be_visible()
    version = page.locator(".version").first
    expect(version.locator(".chip")).to_have_text(["⚙ computed", "↺ reused"])
    expect(version).to_contain_text("proven by spes in 2 windows")
    expect(version).to_contain_text("saved 3.5 s")
    picture(page, "versions")
    accessible(page)


def test_two_versions_compared(address: str, open_page: OpenPage, picture: Picture) -> None:
    page = open_page(address)
    page.get_by_label("compare tobacco@2").check()
    page.get_by_label("compare tobacco@1").check()
    page.get_by_role("link", name="compare tobacco@1 with tobacco@2").click()
    expect(page.get_by_role("status").last).to_contain_text(re.compile("comparing|"))
    wait_for_graph(page)
    expect(page.locator("h1")).to_have_text("store:tobacco@1 → store:tobacco@2")
    expect(page.locator(".op.edit-added").first).to_be_attached()
    expect(page.locator(".title .chip")).to_have_text("≠ inequivalent")
    picture(page, "compare")
    accessible(page)
    page.go_back()
    expect(page.get_by_role("heading", name="Versions")).to_be_visible()


def test_one_version(address: str, open_page: OpenPage, picture: Picture) -> None:
    page = open_page(address, expected="Blocked script execution")  # of the plot, which is hostile
    page.get_by_role("link", name="tobacco@2", exact=True).click()
    expect(page.get_by_role("heading", name="tobacco@2")).to_be_visible()
    page.get_by_role("button", name="▸ i").click()
    expect(page.get_by_text(f"a {HOSTILE}").first).to_be_visible()
    expect(page.get_by_text("the first 4 of 4 rows")).to_be_visible()
    plot = page.frame_locator("iframe[title='plot of influencers']")
    expect(plot.get_by_text("a plot")).to_be_visible()
    expect(page.get_by_role("heading", name="Edits since the version before")).to_be_visible()
    expect(page.locator("pre.operators")).to_contain_text("Join")
    picture(page, "version")
    accessible(page)


def test_timeline_and_reuse(address: str, open_page: OpenPage, picture: Picture) -> None:
    page = open_page(address)
    page.get_by_role("link", name="Timeline").click()
    rows = page.locator(".timeline tbody tr")
    expect(rows.first).to_contain_text("tobacco")
    expect(page.get_by_text("1 of 2 sinks reused")).to_be_visible()
    picture(page, "timeline")
    accessible(page)
    page.get_by_role("link", name="Reuse").click()
    expect(page.locator(".figures dd").first).to_have_text("25 %")  # one of four
    expect(page.locator("svg.days")).to_be_visible()
    picture(page, "reuse")
    accessible(page)


def test_checks_of_a_project(address: str, open_page: OpenPage, picture: Picture) -> None:
    page = open_page(address)
    page.get_by_role("link", name="Checks").click()
    expect(page.get_by_text("daily")).to_be_visible()
    expect(page.get_by_text("2 jobs, 1 job unchanged")).to_be_visible()
    expect(page.locator(".job").get_by_text(HOSTILE).first).to_be_visible()
    expect(page.locator(".problem")).to_contain_text("broken.json")
    picture(page, "checks")
    accessible(page)


def test_search(address: str, open_page: OpenPage) -> None:
    page = open_page(address, expected="Blocked script execution")  # of the plot
    page.get_by_role("searchbox", name="search versions").fill("spes")
    expect(page.get_by_role("heading", name="1 found")).to_be_visible()
    page.get_by_role("link", name="tobacco@2").click()
    expect(page.get_by_role("heading", name="tobacco@2")).to_be_visible()


def test_live_while_a_run_goes_on(
    address: str, store: Path, open_page: OpenPage, picture: Picture
) -> None:
    page = open_page(address)
    expect(page.locator(".running")).to_have_count(0)
    with Store(str(store / ".veer"), must_exist=True) as opened:
        log = RunLog(opened.runs, "nightly", "jobs/nightly.sql")
        log.stage("computing report")
        expect(page.locator(".running")).to_contain_text("nightly is running")
        expect(page.locator(".running")).to_contain_text("computing report")
        picture(page, "running")
        log.stage("computing totals")
        expect(page.locator(".running")).to_contain_text("computing totals")
        log.failed("InputError")
    expect(page.locator(".running")).to_have_count(0)


def test_small_screen(address: str, open_page: OpenPage, picture: Picture) -> None:
    page = open_page(address, size=NARROW)
    for name in ("Timeline", "Reuse", "Checks", "Versions"):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", name=name)).to_be_visible()
        assert not overflows(page)
    picture(page, "versions-small")
    accessible(page)


def test_dark(address: str, open_page: OpenPage) -> None:
    page = open_page(address, color_scheme="dark")
    expect(page.get_by_role("heading", name="Versions")).to_be_visible()
    accessible(page)


def test_without_a_token_there_is_nothing(address: str, open_page: OpenPage) -> None:
    page = open_page("about:blank")
    answer = page.context.request.get(address.split("?")[0])
    assert answer.status == 403
