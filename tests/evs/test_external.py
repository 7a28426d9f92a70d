"""An EV from outside: the example of docs/adding-an-ev.md, installed and asked."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from veer.api import Comparison, Version, verify
from veer.batch.pairs import decide
from veer.cli.main import application, run
from veer.ir.query_pair import QueryPair
from veer.prove.verifiers import registry
from veer.prove.verifiers.base import EV
from veer.read.sql import read_sql
from veer.reasons import ProofRefuted
from veer.show.wording import reason_text
from veer.verdict import Answer, Report, TableSemantics, Verdict
from veer.verification.search.attempts import Attempts
from veer.verification.search.simulation import Simulation

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "adding-an-ev.md").read_text(encoding="utf-8")
DDL = "CREATE TABLE t (a INT, b INT)"


def installed(folder: Path, code: str, target: str) -> dict[str, str]:
    """An environment in which a package with one entry point is installed."""
    (folder / "shuffled_conditions.py").write_text(code)
    info = folder / "shuffled_conditions-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: shuffled-conditions\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(f"[veer.evs]\n{target}\n")
    return {**os.environ, "PYTHONPATH": str(folder)}


def veer(environment: dict[str, str], *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "veer", *args],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (target,) = re.findall(r"^shuffled = \"(.*)\"$", PAGE, re.MULTILINE)
    for name, text in {
        "p": "SELECT a FROM t WHERE a > 1 AND b < 2",
        "q": "SELECT a FROM t WHERE b < 2 AND a > 1",
        "r": "SELECT a FROM t WHERE b + b < 4 AND a > 1",
    }.items():
        (tmp_path / f"{name}.sql").write_text(f"{DDL}; {text}")
    return installed(tmp_path, code, f"shuffled = {target}")


def test_the_example_of_the_page_is_asked(environment: dict[str, str], tmp_path: Path) -> None:
    p, q, r = (str(tmp_path / f"{name}.sql") for name in "pqr")
    done = veer(environment, "verify", p, q, "--ev", "shuffled", "--format", "json")
    assert done.returncode == 0, done.stderr
    (sink,) = json.loads(done.stdout)["sinks"]
    assert sink["reason"] == "proven by shuffled"
    assert [w["ev"] for w in sink["windows"]] == ["shuffled"]
    done = veer(environment, "verify", p, r, "--ev", "shuffled")
    assert done.returncode == 2, done.stderr
    assert veer(environment, "verify", p, r).returncode == 0  # Veer's own know better


def test_doctor_lists_it(environment: dict[str, str]) -> None:
    assert "shuffled" in veer(environment, "doctor").stdout


def test_a_verifier_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    environment = installed(tmp_path, "1 / 0", "shuffled = shuffled_conditions:Nothing")
    (tmp_path / "p.sql").write_text(f"{DDL}; SELECT a FROM t")
    (tmp_path / "q.sql").write_text(f"{DDL}; SELECT a FROM t WHERE true")
    files = [str(tmp_path / f"{name}.sql") for name in "pq"]
    done = veer(environment, "verify", *files, "--ev", "shuffled")
    assert done.returncode == 64
    assert "verifier 'shuffled' cannot be loaded" in done.stderr


class Liar(EV):
    """Says yes to everything."""

    name = "liar"
    semantics = TableSemantics.ORDERED_BAG

    def decide(self, pair: QueryPair) -> Answer:
        return Answer(Verdict.EQUIVALENT)


def lied_about(monkeypatch: pytest.MonkeyPatch) -> Report:
    """A verdict on two different versions by a liar alone; opaque, so that nothing refutes it."""
    monkeypatch.setattr(registry, "get", lambda name: Liar())
    texts = ("SELECT hash(a) AS h FROM t", "SELECT hash(a + 1) AS h FROM t")
    p, q = (Version(text, read_sql(text, DDL), False) for text in texts)
    return verify(p, q, Comparison(evs=("algebra",)))


def test_a_lying_verifier_is_not_even_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    report = lied_about(monkeypatch)
    assert report.verdict is Verdict.UNKNOWN
    assert "the two sides differ on a small instance" in reason_text(report.sinks[0].reason)


@pytest.fixture
def nothing_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the guard runs the versions."""
    monkeypatch.setattr(Attempts, "differ", lambda self, pair: False)
    monkeypatch.setattr(Simulation, "agree", lambda self, claim: True)


@pytest.mark.usefixtures("nothing_simulated")
def test_a_lie_is_caught_by_the_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    report = lied_about(monkeypatch)
    assert report.verdict is Verdict.UNKNOWN
    assert isinstance(report.sinks[0].reason, ProofRefuted)


@pytest.mark.usefixtures("nothing_simulated")
def test_a_proof_that_is_refuted_is_an_unknown_that_asks_for_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "get", lambda name: Liar())
    for name, value in {"p": "a", "q": "a + 1"}.items():
        (tmp_path / f"{name}.sql").write_text(f"{DDL}; SELECT hash({value}) AS h FROM t")
    asked = ["verify", *(str(tmp_path / f"{name}.sql") for name in "pq"), "--ev", "algebra"]
    with pytest.raises(SystemExit) as ended:
        run(lambda: application().main(asked, standalone_mode=False))
    assert ended.value.code == Verdict.UNKNOWN.exit_status == 2
    shown = " ".join(capsys.readouterr().out.split())
    assert "unknown" in shown.lower()
    assert "a defect of Veer" in shown and "please report this with both versions" in shown
    pair = {"id": "1", "p": "SELECT hash(a) AS h FROM t", "q": "SELECT hash(a + 1) AS h FROM t"}
    line = decide(pair, Comparison(evs=("algebra",)), DDL)
    assert line["verdict"] == "unknown" and "a defect of Veer" in line["reason"]
