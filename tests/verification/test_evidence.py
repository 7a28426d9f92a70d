"""Evidence: the steps of a proof with their questions, in a folder anybody can check."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
import z3

from tests import command
from veer.api import Comparison, Version, verify
from veer.errors import UsageError
from veer.options import SecondSolver
from veer.prove.solver import second_solver
from veer.read.sql import read_sql
from veer.show.evidence_folder import check_folder, write_evidence
from veer.show.wording import reason_text
from veer.verdict import Report, SecondAnswer, Verdict
from veer.verification import evidence

ROOT = Path(__file__).parent.parent.parent
SCHEMA = "CREATE TABLE t (a INT, b INT, `odd |\n näme` STRING); CREATE TABLE u (k INT NOT NULL, c INT, PRIMARY KEY (k))"
P = "SELECT x.a FROM t AS x JOIN t AS y ON x.a = y.a WHERE y.a > 1 AND x.`odd |\n näme` > 'it\\'s | \"é\\n'"
Q = "SELECT x.a FROM (SELECT * FROM t WHERE a > 1 AND `odd |\n näme` > 'it\\'s | \"é\\n') AS x JOIN t AS y ON y.a = x.a"
OTHER = "SELECT x.a FROM t AS x JOIN t AS y ON x.a = y.a"
UNPROVEN = ("SELECT a FROM t WHERE b > 1", "SELECT a FROM t WHERE b > 0 AND b * b > 1")


def version(name: str, text: str) -> Version:
    return Version(name, read_sql(text, SCHEMA), False)


def written(folder: Path, p: str, q: str, **options: Any) -> tuple[Report, int | None]:
    """Verify, and write the evidence."""
    one, two = version("P", p), version("Q", q)
    report = verify(one, two, Comparison(evidence=True, **options))
    return report, write_evidence(report, one, two, folder)


def proof_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "proof.json").read_text(encoding="utf-8"))
    return found


def disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = (SecondAnswer.DISAGREED, "sat")
    monkeypatch.setattr(evidence, "ask_again", lambda question: answer)


def test_a_proof_comes_with_its_questions(tmp_path: Path) -> None:
    report, count = written(tmp_path / "new" / "evidence", P, Q, recheck=SecondSolver.CVC5)
    folder = tmp_path / "new" / "evidence"
    assert report.verdict is Verdict.EQUIVALENT
    found = proof_in(folder)
    (sink,) = found["sinks"]
    assert found["tools"]["z3"] and found["tools"]["veer"]
    assert [s["rule"] for s in sink["steps"]] == ["congruence", "ev", "congruence", "sink"]
    assert "needs no solver" in sink["steps"][0]["why"]
    (step,) = [s for s in sink["steps"] if s["rule"] == "ev"]
    assert step["ev"] == "spes" and step["p"] and step["q"] and step["from"]
    assert step["questions"] == sorted(found["questions"]) and len(step["questions"]) == count
    assert sink["recheck"]["agreed"] == count
    for number, question in found["questions"].items():
        path = folder / question["file"]
        assert path.name == f"{number}.smt2" and question["recheck"] == "agreed"
        solver = z3.Solver(ctx=z3.Context())
        solver.from_file(str(path))
        assert str(solver.check()) == "unsat"
        assert second_solver.ask_again(path.read_text(encoding="utf-8"))[0] is SecondAnswer.AGREED
    assert "Join inner" in (folder / "p.txt").read_text(encoding="utf-8")
    assert "questions/*.smt2" in (folder / "README.md").read_text(encoding="utf-8")


def test_the_same_pair_gives_the_same_evidence(tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(tmp_path / name, P, Q)
    one, two = (
        {str(f.relative_to(tmp_path / n)): f.read_bytes() for f in (tmp_path / n).rglob("*.*")}
        for n in ("one", "two")
    )
    assert one == two


def test_a_proof_without_questions_says_so(tmp_path: Path) -> None:
    report, count = written(tmp_path, P, P, recheck=SecondSolver.CVC5)
    assert count == 0 and report.verdict is Verdict.EQUIVALENT
    (sink,) = proof_in(tmp_path)["sinks"]
    assert all("needs no solver" in step["why"] for step in sink["steps"])
    assert sink["recheck"]["questions"] == 0


def test_assumptions_are_listed(tmp_path: Path) -> None:
    report, _ = written(tmp_path, "SELECT DISTINCT k, c FROM u", "SELECT k, c FROM u")
    assert report.verdict is Verdict.EQUIVALENT
    assert proof_in(tmp_path)["sinks"][0]["assumptions"] == ["k is a key of u"]


def test_steps_about_normalized_versions_are_inside(tmp_path: Path) -> None:
    p = "SELECT a FROM (SELECT a, b, a + b AS k FROM t ORDER BY k LIMIT 5) AS x"
    q = "SELECT a FROM t ORDER BY a + b LIMIT 5"
    report, _ = written(tmp_path, p, q)
    assert report.verdict is Verdict.EQUIVALENT
    steps = proof_in(tmp_path)["sinks"][0]["steps"]
    assert [s["rule"] for s in steps] == ["normalize"] and steps[0]["inner"]
    assert (tmp_path / "p-normalized.txt").exists()


def test_a_difference_comes_with_its_witness(tmp_path: Path) -> None:
    report, count = written(tmp_path, P, OTHER)
    assert report.verdict is Verdict.INEQUIVALENT and count == 0
    (sink,) = proof_in(tmp_path)["sinks"]
    assert sink["witness"]["kind"] == "rows" and sink["witness"]["tables"]["t"]["rows"]
    assert sink["steps"] == []


def test_nothing_is_written_of_what_is_not_known(tmp_path: Path) -> None:
    report, count = written(tmp_path / "evidence", *UNPROVEN)
    assert report.verdict is Verdict.UNKNOWN and count is None
    assert not (tmp_path / "evidence").exists()


def test_evidence_of_an_earlier_run_goes(tmp_path: Path) -> None:
    written(tmp_path, P, Q)
    assert list((tmp_path / "questions").iterdir())
    assert written(tmp_path, P, P)[1] == 0
    assert not list((tmp_path / "questions").iterdir())
    assert written(tmp_path, *UNPROVEN)[1] is None
    assert not list(tmp_path.iterdir())
    written(tmp_path, P, Q)
    (tmp_path / "notes.txt").write_text("mine")
    assert written(tmp_path, *UNPROVEN)[1] is None
    assert [f.name for f in tmp_path.iterdir()] == ["notes.txt"]


def test_what_holds_something_else_is_refused(tmp_path: Path) -> None:
    check_folder(tmp_path / "new")
    check_folder(tmp_path)
    (tmp_path / "README.md").write_text("# Another project\n")
    with pytest.raises(UsageError, match="holds something else"):
        written(tmp_path, P, Q)
    assert [f.name for f in tmp_path.iterdir()] == ["README.md"]
    with pytest.raises(UsageError, match="not a directory"):
        check_folder(tmp_path / "README.md")


def test_a_contradiction_makes_the_verdict_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disagree(monkeypatch)
    report, count = written(tmp_path, P, Q, recheck=SecondSolver.CVC5)
    assert report.verdict is Verdict.UNKNOWN
    assert "cvc5 contradicts 1 of the solver's answers" in reason_text(report.sinks[0].reason)
    assert len(report.disagreements) == count == 1
    (question,) = proof_in(tmp_path)["questions"].values()
    assert question["recheck"] == "disagreed"


def test_not_knowing_is_no_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = (SecondAnswer.NOT_RECHECKED, "unknown (RESOURCEOUT)")
    monkeypatch.setattr(evidence, "ask_again", lambda question: answer)
    report = verify(version("P", P), version("Q", Q), Comparison(recheck=SecondSolver.CVC5))
    assert report.verdict is Verdict.EQUIVALENT and not report.disagreements
    recheck = report.sinks[0].recheck
    assert recheck is not None and len(recheck.having(SecondAnswer.NOT_RECHECKED)) == 1


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(second_solver, "version", missing)
    with pytest.raises(UsageError, match=r"pip install 'veer-spark\[recheck\]'"):
        verify(version("P", P), version("Q", Q), Comparison(recheck=SecondSolver.CVC5))


def test_without_being_asked_nothing_is_collected() -> None:
    (sink,) = verify(version("P", P), version("Q", Q)).sinks
    assert sink.steps == () and sink.recheck is None


# -- the command -------------------------------------------------------------------------------


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    for name, text in (("p", P), ("q", Q), ("u1", UNPROVEN[0]), ("u2", UNPROVEN[1])):
        (tmp_path / f"{name}.sql").write_text(f"{SCHEMA};\n{text}", encoding="utf-8")
    return tmp_path


def veer(cwd: Path, *args: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """The command, after some lines of Python."""
    if not before:
        return command.veer(*args, cwd=cwd, columns="200")
    code = f"import sys\n{before}\nfrom veer.cli.main import run\nsys.argv[0] = 'veer'\nrun()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env=environment,
        check=False,
        timeout=120,
    )


def test_the_command_writes_and_rechecks(queries: Path) -> None:
    arguments = ("verify", "p.sql", "q.sql", "--recheck", "cvc5")
    done = veer(queries, *arguments, "--evidence", "e")
    assert done.returncode == 0, done.stderr
    assert "agrees on 1 of 1 questions" in done.stdout
    assert "wrote e with 1 question" in done.stderr
    assert (queries / "e" / "questions" / "0001.smt2").exists()
    alone = veer(queries, *arguments, "--format", "json")
    (sink,) = json.loads(alone.stdout)["sinks"]
    assert sink["recheck"].pop("solver").startswith("cvc5 ")
    assert sink["recheck"] == {"questions": 1, "agreed": 1, "not_rechecked": 0, "disagreed": 0}


def test_the_command_says_that_there_is_nothing_to_write(queries: Path) -> None:
    done = veer(queries, "verify", "u1.sql", "u2.sql", "--evidence", "e")
    assert done.returncode == 2
    assert "nothing to write into e" in done.stderr
    assert not (queries / "e").exists()


def test_the_command_cries_out_at_a_contradiction(queries: Path) -> None:
    before = (
        "from veer.verification import evidence\nfrom veer.verdict import SecondAnswer\n"
        "evidence.ask_again = lambda question: (SecondAnswer.DISAGREED, 'sat')"
    )
    done = veer(queries, "verify", "p.sql", "q.sql", "--recheck", "cvc5", before=before)
    assert done.returncode == 70
    assert "? unknown" in done.stdout and "= equivalent" not in done.stdout
    assert "IT CONTRADICTS 1" in done.stdout
    assert "veer: DEFECT: cvc5" in done.stderr
    (kept,) = queries.glob("veer-defect-*.smt2")
    assert "(check-sat)" in kept.read_text(encoding="utf-8")


def test_the_command_names_the_missing_package(queries: Path) -> None:
    before = (
        "from importlib.metadata import PackageNotFoundError\nfrom veer.prove.solver import second_solver\n"
        "def missing(name): raise PackageNotFoundError(name)\nsecond_solver.version = missing"
    )
    done = veer(queries, "verify", "p.sql", "q.sql", "--recheck", "cvc5", before=before)
    assert done.returncode == 64
    assert done.stderr.strip().count("\n") == 0
    assert "pip install 'veer-spark[recheck]'" in done.stderr
