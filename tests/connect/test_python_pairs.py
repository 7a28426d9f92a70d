"""Python functions as people rewrite them, in pairs: `tests/cases/python_pairs.txt`.

A pair is a line `=== name | verdict | arguments | type of the result`, the old function `f` with
what it needs, `---`, the new one. All pairs are sinks of one job.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import veer
from tests.support import CASES
from veer.verdict import Verdict

pytest.importorskip("grpc")

SCHEMA = (
    "CREATE TABLE t (id BIGINT NOT NULL, s STRING, u STRING, w STRING NOT NULL, n BIGINT, m INT,"
    " b BOOLEAN, x DOUBLE, p DECIMAL(10,2), d DATE, PRIMARY KEY (id));"
)
# Functions that stay opaque, or that no rule relates: unknown, and never wrong.
UNDECIDED = {"cents", "modulo", "vat", "yes_no"} | {
    "words_gathered_behind_others",
    "the_last_word_read_after_the_loop",
}
PAIR = re.compile(r"^=== (.+)\n((?s:.*?))^---\n((?s:.*?))(?=^=== |\Z)", re.M)


def pairs() -> tuple[str, list[list[str]]]:
    """What all functions may use; name, verdict, arguments, type, old and new function of each."""
    text = (CASES / "python_pairs.txt").read_text(encoding="utf-8")
    head = text[: text.index("=== ")]
    return head, [[*re.split(r"\s*\|\s*", m[1]), m[2], m[3]] for m in PAIR.finditer(text)]


def named(body: str, prefix: str) -> str:
    """A text whose top-level names begin with a prefix, so that texts can stand beside others."""
    top = re.findall(r"^(?:def|class) (\w+)|^(\w+)(?:, (\w+))*\s*(?::[^=\n]+)?=", body, re.M)
    for name in sorted({n for names in top for n in names if n}, key=len, reverse=True):
        body = re.sub(rf"(?<![\w.\"']){name}\b(?![\"'])", f"{prefix}_{name}", body)
    return body


def job(column: int) -> str:
    """A job with a sink for each pair."""
    head, all_pairs = pairs()
    sinks = "".join(
        f"        '{name}': t.select('id', udf({name}_f, '{type_}')"
        f"({', '.join(repr(a.strip()) for a in args.split(','))}).alias('r')),\n"
        for name, _, args, type_, *_ in all_pairs
    )
    bodies = "\n\n".join(named(pair[column], pair[0]) for pair in all_pairs)
    build = f"def build(spark):\n    t = spark.table('t')\n    return {{\n{sinks}    }}\n"
    return f"{head}\n{bodies}\n\n{build}"


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    folder: Path = tmp_path_factory.mktemp("python_pairs")
    for name, column in (("old", 4), ("new", 5)):
        (folder / f"{name}.py").write_text(job(column), encoding="utf-8")
    files = [f"{folder / name}.py:build" for name in ("old", "new")]
    report = veer.verify(*files, schema=SCHEMA)
    return {str(sink.p): sink.verdict for sink in report.sinks}


@pytest.mark.parametrize("pair", pairs()[1], ids=lambda pair: pair[0])
def test_rewritten_functions(verdicts: dict[str, Verdict], pair: list[str]) -> None:
    name, expected, *_ = pair
    if name in UNDECIDED:
        assert verdicts[name] is Verdict.UNKNOWN
    else:
        assert verdicts[name].value == expected
