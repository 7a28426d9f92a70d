"""The view in Firefox, driven through WebDriver BiDi."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

UI = Path(__file__).parents[2] / "ui"
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
NODE = shutil.which("node")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed"),
    pytest.mark.skipif(NODE is None, reason="node is not installed"),
]


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_report_in_firefox(reports: Callable[[str], Path], width: int, height: int) -> None:
    assert FIREFOX and NODE
    address = reports("tobacco").as_uri()
    command = [NODE, "firefox.mjs", FIREFOX, address, str(width), str(height)]
    done = subprocess.run(command, cwd=UI, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen == {"count": 16, "operator": "Filter h", "overflows": False, "problems": []}
