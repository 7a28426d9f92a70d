"""Evidence as a folder: the proof, its questions to the solver, and how to check them.

README.md             how to check
proof.json            verdicts, steps with their questions, assumptions, witnesses, versions
p.txt, q.txt          both versions as Veer reads them; p-normalized.txt, q-normalized.txt those normalized
questions/0001.smt2   every question once
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from veer import __version__
from veer.errors import InputError, UsageError
from veer.ir.pprint import show_dataflow
from veer.rewrite.normalize import normalized
from veer.show.as_json import report_json
from veer.show.wording import RULES
from veer.verdict import Report, Rule, StepReport
from veer.verification.versions.version import Version

TITLE = "# Evidence of a verdict by Veer"
README = f"""{TITLE}

`proof.json` has the verdict on every sink. For an `equivalent` it lists the steps of the proof in order. Each step claims that the
output of operator `x` of the version before equals the output of operator `y` of the version after (`x ~ y`), and uses only claims
proven in earlier steps. `p.txt` and `q.txt` are the versions before and after as Veer reads them; `p-normalized.txt` and
`q-normalized.txt` are their normalized forms, if a proof uses them. For an `inequivalent` it has the witness.

A step that a verifier proves lists its questions to the solver. `questions/` has them in SMT-LIB 2, each with its meaning in
words; the answer to each must be `unsat`. `t5.2` is column 2 of row variable 5. `?3` stands for an aggregate or a subquery: the
question gives what is known about it. A name that ends in `!` is never null. You can ask any solver:

    for f in questions/*.smt2; do echo "$f: $(z3 "$f")"; done
    for f in questions/*.smt2; do echo "$f: $(cvc5 "$f")"; done

A verifier may have asked more questions than its proof needs. A step without questions needs no solver. The solver cannot
check that these are the right questions: Veer brings both sides into a normal form and pairs their terms, and then tests the
result on small instances.
"""
WRITTEN = ("proof.json", "p.txt", "q.txt", "p-normalized.txt", "q-normalized.txt", "README.md")


def check_folder(folder: Path) -> None:
    """Refuse what is neither new, nor empty, nor evidence written earlier."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"--evidence {folder}: not a directory")
    if any(folder.iterdir()) and not _is_evidence(folder):
        raise UsageError(f"--evidence {folder}: the directory holds something else")


def write_evidence(report: Report, p: Version, q: Version, folder: Path) -> int | None:
    """Write what stands behind a report; how many questions, or None if there is nothing.

    Evidence of an earlier run goes.
    """
    check_folder(folder)
    steps = [step for sink in report.sinks for step in sink.steps]
    try:
        _clear(folder)
        if not steps and not any(sink.witness for sink in report.sinks):
            return None
        (folder / "questions").mkdir(parents=True, exist_ok=True)
        _write(folder / "README.md", README)
        for name, side in (("p", p), ("q", q)):
            _write(folder / f"{name}.txt", show_dataflow(side.dataflow))
            if any(step.rule is Rule.NORMALIZE for step in steps):
                _write(folder / f"{name}-normalized.txt", show_dataflow(normalized(side.dataflow)))
        texts = dict.fromkeys(q for step in steps for q in step.all_questions)
        numbers = {text: f"{number:04}" for number, text in enumerate(texts, 1)}
        for text, number in numbers.items():
            _write(folder / "questions" / f"{number}.smt2", text)
        proof = json.dumps(_proof(report, numbers), indent=1, ensure_ascii=False, default=str)
        _write(folder / "proof.json", proof + "\n")
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from None
    return len(numbers)


def _proof(report: Report, numbers: dict[str, str]) -> dict[str, Any]:
    shown = report_json(report)
    return {
        **{name: shown[name] for name in ("p", "q", "verdict", "semantics")},
        "tools": {"veer": __version__, "z3": version("z3-solver")},
        "sinks": [
            {
                **{name: value for name, value in one.items() if name != "windows"},
                "steps": [_step(step, numbers) for step in sink.steps],
            }
            for one, sink in zip(shown["sinks"], report.sinks, strict=True)
        ],
        "questions": _questions(report, numbers),
    }


def _step(step: StepReport, numbers: dict[str, str]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "claim": step.claim,
        "from": list(step.leaves),
        "rule": step.rule.value,
        "why": RULES[step.rule],
    }
    if step.rule is Rule.VERIFIER:
        asked = list(dict.fromkeys(numbers[text] for text in step.questions))
        shown |= {"ev": step.ev, "p": list(step.shown[0]), "q": list(step.shown[1])}
        shown |= {"questions": asked}
        if not asked:
            shown["why"] += ", without a question to the solver"
    if step.inner:
        shown["inner"] = [_step(each, numbers) for each in step.inner]
    return shown


def _questions(report: Report, numbers: dict[str, str]) -> dict[str, Any]:
    """Every question with its file, and what the second solver said of it."""
    shown = {number: {"file": f"questions/{number}.smt2"} for number in numbers.values()}
    for sink in report.sinks:
        for text, (answer, words) in sink.recheck.answers.items() if sink.recheck else ():
            shown[numbers[text]] |= {"recheck": answer.value, "said": words}
    return shown


def _is_evidence(folder: Path) -> bool:
    try:
        return (folder / "README.md").read_text(encoding="utf-8").startswith(TITLE)
    except (OSError, UnicodeDecodeError):
        return False


def _clear(folder: Path) -> None:
    """Remove what an earlier run wrote, and nothing else; the README last."""
    questions = folder / "questions"
    for path in sorted(questions.glob("[0-9]*.smt2")):
        path.unlink()
    if questions.is_dir() and not any(questions.iterdir()):
        questions.rmdir()
    for name in WRITTEN:
        (folder / name).unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
