"""The view of a comparison in a real browser, every action once, on a page that the command wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, OpenPage
from tests.browser.looking import (
    accessible,
    boxes,
    overflows,
    show_sink,
    unfolded,
    wait_for_graph,
    wait_until,
)

pytestmark = pytest.mark.slow
Reports = Callable[[str], Path]
Picture = Callable[[Page, str], None]


def opened(open_page: OpenPage, path: Path, **options: object) -> Page:
    page = open_page(path, **options)
    wait_for_graph(page)
    return page


def test_page_holds_everything(reports: Reports, open_page: OpenPage) -> None:
    text = reports("tobacco").read_text(encoding="utf-8")
    assert len(text.encode()) < 1_500_000
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy and "default-src &#x27;none&#x27;" in policy[1]
    assert "unsafe" not in policy[1] and "http" not in policy[1]
    assert not re.findall(r"<(?:link|img|iframe)\b|<script[^>]*\bsrc=", text.split("<script")[0])
    page = opened(open_page, reports("tobacco"))
    expect(page.locator("h1")).to_have_text("v1.yaml → v2.yaml")
    assert boxes(page) == 16  # 13 of both versions, one of v1 alone, two of v2 alone


def test_states_are_marked_by_shape_too(
    reports: Reports, open_page: OpenPage, picture: Picture
) -> None:
    page = opened(open_page, reports("tobacco"))
    picture(page, "graph")
    page.keyboard.press("0")
    for name, mark in (("added", "+"), ("removed", "−")):
        box = page.locator(f".react-flow__node-operator .edit-{name}").first
        expect(box.locator(".edit-mark")).to_have_text(mark)
    assert page.locator(".op.edit-added").first.evaluate(
        "e => getComputedStyle(e).borderRadius"
    ) != page.locator(".op.edit-removed").first.evaluate("e => getComputedStyle(e).borderRadius")
    label = page.get_by_label("Filter h: added, not known to be equal")
    expect(label.first).to_be_attached()
    expect(page.locator(".op.equal-congruence").first).to_be_visible()


def test_zoom_by_keys_buttons_and_minimap(reports: Reports, open_page: OpenPage) -> None:
    page = opened(open_page, reports("tobacco"))

    def zoom() -> float:
        shown: str = page.locator(".react-flow__viewport").evaluate("e => e.style.transform")
        return float(shown.split("scale(")[1].rstrip(")"))

    before = zoom()
    page.keyboard.press("+")
    page.wait_for_timeout(300)
    assert zoom() > before
    page.keyboard.press("0")
    page.wait_for_timeout(300)
    assert zoom() < before
    everything = zoom()
    page.get_by_role("button", name="Zoom In").click()
    page.wait_for_timeout(300)
    assert zoom() > everything
    expect(page.locator(".react-flow__minimap")).to_be_visible()
    assert page.locator(".react-flow__minimap .mini").count() >= 16


def test_searching_and_an_operator(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("orders"))
    page.keyboard.press("/")
    page.keyboard.type("changed filter status")
    expect(page.locator(".found li").first).to_contain_text("Filter")
    page.keyboard.press("Enter")
    panel = page.get_by_role("article")
    expect(panel.locator("h2")).to_contain_text("Filter")
    expect(panel.locator(".chip").first).to_have_text("Δ changed")
    # Words that differ are marked on both sides.
    expect(panel.locator("dt", has_text="predicate")).to_be_visible()
    assert panel.locator("del").count() and panel.locator("ins").count()
    expect(panel.locator(".schema tbody tr").first).to_be_visible()
    expect(panel.get_by_text("What the sinks need of it")).to_be_visible()
    expect(panel.get_by_role("heading", name="Facts")).to_be_visible()
    expect(page.locator(".op.chosen")).to_be_visible()
    picture(page, "operator")
    accessible(page)
    page.keyboard.press("/")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("no such operator anywhere")
    expect(page.get_by_text("nothing found")).to_be_visible()


def test_call_site(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("job"))
    page.keyboard.press("n")  # the next edit
    panel = page.get_by_role("article")
    expect(panel.get_by_text("P: job/old.py:6")).to_be_visible()
    expect(panel.get_by_text("Q: job/new.py:6")).to_be_visible()
    picture(page, "job")


def test_folding(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("orders"))
    picture(page, "orders")
    fold = page.get_by_role("combobox", name="fold")
    assert fold.input_value() == "equal"  # by itself, where there are many operators
    folded = boxes(page)
    unfolded(page)
    wait_until(lambda: boxes(page) > folded)
    page.keyboard.press("f")
    wait_until(lambda: boxes(page) <= folded)
    assert fold.input_value() == "equal"
    box = page.locator(".op.folded").first
    count = int(re.findall(r"\d+", box.inner_text())[0])
    assert count > 1
    page.keyboard.press("0")
    box.click()
    wait_until(lambda: boxes(page) > folded)


def test_proof_step_by_step(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("orders"))
    show_sink(page, "product_returns")
    panel = page.get_by_role("article")
    expect(panel.locator(".chip").first).to_have_text("= equivalent")
    expect(panel.get_by_text("product_id is a key of products")).to_be_visible()
    steps = panel.locator(".steps li")
    total = steps.count()
    assert total > 3
    # Each step by a verifier highlights its window, which says who showed it and how long it took.
    seen = set()
    for number in range(total):
        page.keyboard.press("]")
        expect(panel.get_by_text(f"step {number + 1} of {total}")).to_be_visible()
        if page.locator(".region.strong").count():
            label = page.locator(".region-label:not(.dim)").first.inner_text()
            seen.add(label)
            assert page.locator(".op.on").count() and page.locator(".op.off").count()
            if "spes" in label and len(seen) == 2:
                picture(page, "proof")
    assert any(re.fullmatch(r"spes · .*(ms|s)", label) for label in seen), seen
    expect(page.locator(".cut-point").first).to_be_attached()
    expect(panel.get_by_role("table").first).to_contain_text("verifier")
    accessible(page)
    page.keyboard.press("[")
    expect(panel.get_by_text(f"step {total - 1} of {total}")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".op.off")).to_have_count(0)


def test_unknown_shows_what_resisted(
    reports: Reports, open_page: OpenPage, picture: Picture
) -> None:
    page = opened(open_page, reports("orders"))
    show_sink(page, "customer_value")
    panel = page.get_by_role("article")
    expect(panel.locator(".chip").first).to_have_text("? unknown")
    expect(panel.locator("code.text").first).to_contain_text("SELECT")
    expect(page.locator(".region-label").first).to_have_text("resisted")
    picture(page, "unknown")
    accessible(page)


def test_witness_on_its_way(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("tobacco"))
    show_sink(page, "i")
    panel = page.get_by_role("article")
    expect(panel.locator(".chip").first).to_have_text("≠ inequivalent")
    expect(panel.get_by_text("Source rows")).to_be_visible()
    expect(panel.locator("figcaption", has_text="users")).to_be_visible()
    expect(panel.locator("tr.alone").first).to_be_visible()
    picture(page, "witness")
    accessible(page)
    panel.get_by_role("button", name="Go there").click()
    expect(panel.get_by_text("≠ here the tables part")).to_be_visible()
    expect(page.locator(".op.parted")).to_have_count(1)
    expect(page.locator(".op.parted")).to_contain_text("Filter")
    picture(page, "parted")
    # Before it every table is the same in both versions, operator by operator.
    place = re.search(r"operator (\d+) of (\d+)", panel.inner_text())
    assert place
    for _ in range(int(place[1]) - 1):
        page.keyboard.press("[")
        expect(panel.locator("tr.alone")).to_have_count(0)
    expect(panel.get_by_text(f"operator 1 of {place[2]}")).to_be_visible()
    assert page.locator(".op-rows").count()


def test_thousand_operators(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("large"))
    assert reports("large").stat().st_size < 1_500_000
    assert 5 < boxes(page) < 150  # folded
    picture(page, "large")
    show_sink(page, "mart_003_0207")
    expect(page.get_by_role("article").locator(".chip").first).to_have_text("≠ inequivalent")
    page.get_by_role("button", name="Go there").click()
    expect(page.locator(".op.parted")).to_be_visible()
    unfolded(page)
    wait_until(lambda: page.locator(".react-flow__minimap .mini").count() >= 990)
    assert boxes(page) < 990  # only what is in sight is drawn
    page.keyboard.press("/")
    page.keyboard.type("mart_018")
    page.keyboard.press("Enter")
    expect(page.locator(".op.chosen")).to_be_visible()


def test_dark_and_paper(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("tobacco"), color_scheme="dark")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(13, 17, 23)"
    picture(page, "dark")
    accessible(page)
    page.emulate_media(media="print")
    expect(page.locator("#veer")).to_be_hidden()
    expect(page.locator("#veer-static")).to_be_visible()
    expect(page.locator("#veer-static")).to_contain_text("a difference, with these tables")


@pytest.mark.parametrize("name", ["tobacco", "orders"])
def test_small_screen(reports: Reports, open_page: OpenPage, picture: Picture, name: str) -> None:
    page = opened(open_page, reports(name), size=NARROW)
    assert not overflows(page)
    page.get_by_role("button", name="Overview", exact=True).click()
    expect(page.locator(".sink").first).to_be_visible()
    page.locator(".sink").first.click()
    assert not overflows(page)
    if name == "tobacco":
        picture(page, "small")
    accessible(page)


def test_by_keyboard_alone(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("tobacco"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    picture(page, "help")
    accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("0")
    page.locator(".react-flow__node-operator").nth(5).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("article").locator("h2")).to_be_visible()
    expect(page.locator(".op.chosen")).to_have_count(1)
    page.keyboard.press("n")
    expect(page.get_by_role("article").locator(".chip").first).to_contain_text("added")
    page.keyboard.press("Escape")
    expect(page.get_by_role("article", name="overview")).to_be_visible()


def test_without_scripts(reports: Reports, open_page: OpenPage) -> None:
    page = open_page(reports("tobacco"), java_script_enabled=False)
    expect(page.locator("#veer-static")).to_contain_text("inequivalent")
    expect(page.locator("#veer-static table").first).to_be_visible()


def test_hostile_names_and_values(reports: Reports, open_page: OpenPage, picture: Picture) -> None:
    page = opened(open_page, reports("hostile"))  # a dialog would fail the test
    page.keyboard.press("0")
    assert page.locator("#veer script, #veer img, #veer-static script").count() == 0
    operators = page.locator(".react-flow__node-operator")
    for number in range(operators.count()):
        operators.nth(number).focus()
        page.keyboard.press("Enter")
        assert not overflows(page)
    expect(page.get_by_role("article").locator("h2")).to_be_visible()
    for name in page.locator(".sink b").all_inner_texts():
        show_sink(page, name)
    page.get_by_role("button", name="Overview", exact=True).click()
    page.locator(".sink.verdict-inequivalent").first.click()
    page.get_by_role("button", name="Go there").click()
    expect(page.get_by_role("article")).to_contain_text("<script>alert(1)</script>")
    picture(page, "hostile")
    shown = page.locator("body").inner_text()
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x08]", shown)  # as escapes
