"""What the server of `veer ui` answers, and whom: the command in a new process, asked over HTTP."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.web.shop import HOSTILE, make_store, veer_ui

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server, and its token."""
    folder = tmp_path_factory.mktemp("shop")
    make_store(folder / ".veer")
    with veer_ui(folder) as address:
        parts = urlsplit(address)
        yield f"http://{parts.netloc}", parse_qs(parts.query)["token"][0]


@pytest.fixture
def asking(server: tuple[str, str]) -> Iterator[httpx.Client]:
    address, token = server
    with httpx.Client(base_url=address, headers={"x-veer-token": token}) as client:
        yield client


def test_nobody_without_the_token_is_answered(server: tuple[str, str]) -> None:
    address, token = server
    for path in ("/", "/api/store", "/api/events", "/api/version/tobacco/1", "/api/plot/x"):
        assert httpx.get(address + path).status_code == 403
        assert httpx.get(f"{address}{path}?token={token[:-1]}").status_code == 403
    assert httpx.get(f"{address}/?token={token}").status_code == 200
    # Scripts and styles are the same for everybody.
    assert httpx.get(f"{address}/built/view.js").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:80"},
        {"host": "127.0.0.1"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_pages_and_names_are_refused(asking: httpx.Client, headers: dict[str, str]) -> None:
    assert asking.get("/api/store").status_code == 200
    assert asking.get("/api/store", headers=headers).status_code == 403
    assert asking.get("/built/view.js", headers=headers).status_code == 403


def test_answers_tell_browsers_to_be_strict(asking: httpx.Client) -> None:
    for path in ("/", "/api/store", "/built/view.js", "/nowhere"):
        answer = asking.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


def test_versions_and_runs(asking: httpx.Client) -> None:
    told = asking.get("/api/store").json()
    assert [(v["name"], v["number"]) for v in told["versions"]] == [("tobacco", 1), ("tobacco", 2)]
    assert {s["sink"]: s["how"] for s in told["versions"][1]["sinks"]} == {
        "i": "computed",
        "p": "reused",
    }
    assert [run["state"] for run in told["runs"]] == ["failed", "done", "done"]
    details = asking.get("/api/version/tobacco/2").json()
    assert "Join" in details["dataflow"] and details["edits"]
    assert asking.get("/api/version/tobacco/9").status_code == 404


def test_rows_of_results(asking: httpx.Client) -> None:
    sink = asking.get("/api/store").json()["versions"][0]["sinks"][0]
    rows = asking.get(f"/api/result/{sink['result']}").json()
    assert (
        rows["count"] == 4 and rows["rows"][0][0] == f"a {HOSTILE}" and rows["rows"][3][0] is None
    )
    assert asking.get("/api/result/nothing").status_code == 404
    assert asking.get("/api/result/..%2F..%2Fveer.db").status_code == 404


def test_plots_and_nothing_else(asking: httpx.Client) -> None:
    answer = asking.get("/api/plot/tobacco_2/influencers.html")
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert "sandbox" in policy and "script-src" not in policy and "default-src 'none'" in policy
    for path in (
        "../secret.html",
        "..%2fsecret.html",
        "%2fetc%2fpasswd",
        "tobacco_2/../../veer.db",
    ):
        assert asking.get(f"/api/plot/{path}").status_code == 404


def test_comparison_in_the_background(asking: httpx.Client) -> None:
    asked = {"p": "tobacco@1", "q": "tobacco@2"}
    state: dict[str, Any] = {}
    for _ in range(300):
        state = asking.post("/api/comparisons", json=asked).json()
        if state["state"] in ("done", "failed"):
            break
        time.sleep(0.1)
    assert state["state"] == "done", state
    report = state["data"]["report"]
    assert {s["p"]: s["verdict"] for s in report["sinks"]}["p"] == "equivalent"
    assert state["data"]["view"]["operators"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "application/json", 400),
        (b"[" * 5000, "application/json", 400),
        (b'{"p": "tobacco@1", "q": "../x"}', "application/json", 422),
        (b'{"p": "tobacco@1", "q": "tobacco@2"}', "text/plain", 415),
        (b" " * 20_000, "application/json", 413),
    ],
)
def test_questions_that_make_no_sense(
    asking: httpx.Client, body: bytes, kind: str, status: int
) -> None:
    answer = asking.post("/api/comparisons", content=body, headers={"content-type": kind})
    assert answer.status_code == status
    assert answer.json()["error"]


def test_version_that_is_not_there_fails_with_a_reason(asking: httpx.Client) -> None:
    for _ in range(300):
        state = asking.post("/api/comparisons", json={"p": "tobacco@1", "q": "x@7"}).json()
        if state["state"] == "failed":
            assert "store" in state["progress"]
            return
        time.sleep(0.1)
    raise AssertionError(state)


def test_errors_of_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "veer", "ui", "--no-open"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 65 and "there is no store" in done.stderr
    make_store(tmp_path / ".veer")
    done = subprocess.run(
        [*command, "--check", "missing.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 64 and "no such file" in done.stderr
