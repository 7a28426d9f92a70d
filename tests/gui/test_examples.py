"""The examples of importers: each command of their READMEs, in a new process, gives what is written there."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.command import veer as command

EXAMPLES = Path(__file__).parents[2] / "examples"
STATUS = {"equivalent": 0, "inequivalent": 1, "unknown": 2}
COMMANDS = [
    (readme.parent.name, words, verdict)
    for readme in sorted(EXAMPLES.glob("*/README.md"))
    for words, verdict in re.findall(
        r"^    veer (verify .*?)\s+# (\w+)$", readme.read_text("utf-8"), re.MULTILINE
    )
]


def test_there_are_examples() -> None:
    verdicts = {verdict for _, _, verdict in COMMANDS}
    assert {"equivalent", "inequivalent"} <= verdicts


@pytest.mark.parametrize(("example", "words", "verdict"), COMMANDS)
def test_what_a_readme_says_is_so(example: str, words: str, verdict: str, tmp_path: Path) -> None:
    folder = tmp_path / "copied"
    shutil.copytree(EXAMPLES / example, folder)
    done = command(*shlex.split(words), "--jvm", "never", cwd=folder)
    assert done.returncode == STATUS[verdict], done.stdout + done.stderr
