"""`veer ui` while `veer run` goes on: both commands, on one store, seen in a browser."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, veer
from tests.web.shop import veer_ui

pytestmark = [pytest.mark.spark, pytest.mark.slow]
FLOW = """
operators:
  t: {{type: source, table: t, columns: {{k: bigint, v: bigint}}, format: csv, location: t.csv}}
  f: {{type: filter, predicate: "{}"}}
  out: {{type: sink}}
links: [[t, f], [f, out]]
"""


def test_a_run_is_seen_while_it_goes_on(tmp_path: Path, open_page: OpenPage) -> None:
    (tmp_path / "t.csv").write_text("k,v\n1,10\n2,20\n")
    (tmp_path / "v1.yaml").write_text(FLOW.format("v > 5"))
    (tmp_path / "v2.yaml").write_text(FLOW.format("5 < v"))
    veer("run", "v1.yaml", "--name", "shop", cwd=tmp_path, ok=(0,))
    with veer_ui(tmp_path) as address:
        page = open_page(address)
        expect(page.get_by_role("link", name="shop@1", exact=True)).to_be_visible()
        again = [sys.executable, "-m", "veer", "run", "v2.yaml", "--name", "shop", "--no-reuse"]
        process = subprocess.Popen(again, cwd=tmp_path, stdout=subprocess.DEVNULL)
        # which of its stages is seen depends on the machine
        going_on = re.compile(r"shop is running for \d+ s: [a-z]+")
        expect(page.locator(".running")).to_contain_text(going_on, timeout=60_000)
        assert process.wait(120) == 0
        expect(page.get_by_role("link", name="shop@2", exact=True)).to_be_visible(timeout=20_000)
        expect(page.locator(".running")).to_have_count(0)
        page.get_by_role("link", name="compare with 1").click()
        expect(page.locator(".title .chip")).to_have_text("= equivalent", timeout=60_000)
        page.close()  # before the server, which it listens to
