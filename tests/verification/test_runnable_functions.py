"""Opaque functions that may be run take part in witnesses with what they really give."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import veer
from tests.command import veer as run_command
from veer.api import load_pair
from veer.read.function_bodies import Bodies, own_functions
from veer.verdict import Verdict

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "tobacco"
SOURCE = """
veer: 1
name: flow
operators:
  a: {type: source, table: t, columns: {id: bigint not null, s: string, n: bigint}, keys: [id]}
"""


def workflow(folder: Path, name: str, operators: str, links: str) -> str:
    """A file with a source `a`, more operators and a sink `z`."""
    path = folder / f"{name}.yaml"
    path.write_text(f"{SOURCE}{operators}\n  z: {{type: sink}}\nlinks: {links}\n", "utf-8")
    return str(path)


def pair(folder: Path, operator: str, p_filter: str, q_filter: str) -> tuple[str, str]:
    """Two workflows: an operator `b` that adds a column, then a filter."""
    links = "[[a, b], [b, c], [c, z]]"
    p, q = (
        workflow(
            folder, name, f'  b: {operator}\n  c: {{type: filter, predicate: "{text}"}}', links
        )
        for name, text in (("p", p_filter), ("q", q_filter))
    )
    return p, q


def test_the_sink_i_of_the_tobacco_example_differs() -> None:
    report = veer.verify(str(EXAMPLE / "v1.yaml"), str(EXAMPLE / "v2.yaml"))
    assert {s.p: s.verdict for s in report.sinks} == {
        "i": Verdict.INEQUIVALENT,
        "p": Verdict.EQUIVALENT,
    }


def test_without_its_model_nobody_knows_what_a_classifier_gives(tmp_path: Path) -> None:
    for name in ("v1.yaml", "v2.yaml"):
        shutil.copy(EXAMPLE / name, tmp_path)
    report = veer.verify(str(tmp_path / "v1.yaml"), str(tmp_path / "v2.yaml"))
    assert [s.verdict for s in report.sinks] == [Verdict.UNKNOWN, Verdict.EQUIVALENT]


def test_two_models_of_one_name_take_no_part(tmp_path: Path) -> None:
    files = []
    for name, words in (("v1", {"quit": 1.0}), ("v2", {"stop": 1.0})):
        models = tmp_path / name / "models"
        models.mkdir(parents=True)
        classes = {"related": {"words": words, "bias": -0.5}, "non-related": {"words": {}}}
        (models / "tobacco-topic-1.json").write_text(json.dumps({"classes": classes}))
        files.append(str(shutil.copy(EXAMPLE / f"{name}.yaml", tmp_path / name)))
    assert veer.verify(*files).sinks[0].verdict is Verdict.UNKNOWN


DICTIONARY = (
    "{type: dictionary_matcher, column: s, dictionary: {pet: [cat, dog], otherwise: no}, output: k}"
)


def test_a_dictionary_is_asked_with_its_words(tmp_path: Path) -> None:
    report = veer.verify(*pair(tmp_path, DICTIONARY, "k = 'pet'", "k = 'pet' AND s <> 'dog'"))
    (sink,) = report.sinks
    assert sink.verdict is Verdict.INEQUIVALENT and sink.witness is not None
    assert [row[1] for row in sink.witness.tables["t"]["rows"]] == ["dog"]


def test_what_a_dictionary_never_gives_is_no_witness(tmp_path: Path) -> None:
    report = veer.verify(*pair(tmp_path, DICTIONARY, "k = 'pet'", "k = 'pet' OR k = 'car'"))
    assert report.verdict is Verdict.UNKNOWN


def test_the_sentiment_of_texts_is_known(tmp_path: Path) -> None:
    operator = "{type: sentiment, column: s, output: mood}"
    files = pair(tmp_path, operator, "mood = 'neutral'", "mood <> 'positive'")
    assert veer.verify(*files).verdict in (Verdict.INEQUIVALENT, Verdict.UNKNOWN)
    files = pair(tmp_path, operator, "mood = 'neutral'", "mood IS NOT NULL AND n = 1")
    assert veer.verify(*files).verdict is Verdict.INEQUIVALENT


CODE = """{{type: udf, function: mark, reads: [n], adds: {{m: bigint}}, code: "{body}"}}"""
EVIL = CODE.format(
    body="def mark(n):\\n    open('{path}', 'w').close()\\n    return [k for k in (n,)][0]"
)
PURE = CODE.format(
    body="def mark(n):\\n    return None if n is None else divmod(n, 7)[1] if n < 100 else 0"
)


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return run_command(*words)


def test_code_of_a_file_is_never_run_without_trust(tmp_path: Path) -> None:
    target = tmp_path / "written"
    operator = EVIL.replace("{path}", str(target))
    files = pair(tmp_path, operator, "m = 1", "m = 1 AND n = 2")
    assert command("verify", *files).returncode == 2
    assert not target.exists()


def test_trusted_code_takes_part(tmp_path: Path) -> None:
    files = pair(tmp_path, PURE, "m = 1", "m = 1 AND n <> 1")
    assert command("verify", *files).returncode == 2
    done = command("verify", *files, "--trust-code", "--format", "json")
    assert done.returncode == 1
    (sink,) = json.loads(done.stdout)["sinks"]
    assert sink["witness"]["tables"]["t"]["rows"][0][2] == 1


OWN = "{type: udf, function: mark, reads: [n], adds: {m: bigint}}"


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("return n % 7 if n else 0", Verdict.INEQUIVALENT),
        ("return float(n or 0)", Verdict.UNKNOWN),  # no bigint: null on Spark
        ("raise ValueError", Verdict.UNKNOWN),
        ("return random.randrange(3)", Verdict.UNKNOWN),
        ("seen.append(n)\n    return len(seen) % 2", Verdict.UNKNOWN),
    ],
)
def test_functions_of_the_user(tmp_path: Path, body: str, verdict: Verdict) -> None:
    own = tmp_path / "own.py"
    own.write_text(f"import random\nseen = []\ndef mark(n):\n    {body}\n")
    files = pair(tmp_path, OWN, "m = 1", "m = 1 AND n <> 1")
    assert veer.verify(*files).verdict is Verdict.UNKNOWN
    bodies = Bodies(Path(), own_functions(str(own)))
    assert veer.verify(*load_pair(*files, bodies=bodies)).verdict is verdict


def test_a_proof_does_not_rest_on_what_a_function_gives(tmp_path: Path) -> None:
    """The function gives 0 for all rows tried, and yet the filters differ for others."""
    own = tmp_path / "own.py"
    own.write_text("def mark(n):\n    return 0 if n is None or abs(n) < 10**15 else n\n")
    files = pair(tmp_path, OWN, "m = 0", "m < 10")
    bodies = Bodies(Path(), own_functions(str(own)))
    assert veer.verify(*load_pair(*files, bodies=bodies)).verdict is not Verdict.EQUIVALENT
