"""Figures about a tree, on a small one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.budgets import exceeded, import_share, open_matches, small_modules
from tools.house import figures, table

MODULE = '''"""A module.

Of two lines.
"""

from veer.low import thing  # why


def seen(found):
    made = thing(found)
    return made


class Shown:
    """Documented."""

    def _hidden(self):
        return 1
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {
        "high/mod.py": MODULE,
        "low/__init__.py": "import veer.high.mod\nthing = 1\n",
    }.items():
        path = tmp_path / "src" / "veer" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_figures(root: Path) -> None:
    counted = figures(root)
    assert counted.lines == MODULE.count("\n") + 2
    assert sorted(counted.functions) == [(2, "high/mod.py:_hidden"), (3, "high/mod.py:seen")]
    assert counted.words == {"found": 1, "made": 1}
    assert counted.documented == 0.5
    full = sum(bool(line.strip()) for line in MODULE.splitlines()) + 2
    assert counted.docstrings == pytest.approx(3 / full)
    assert counted.comments == pytest.approx(1 / full)
    assert (counted.packages, counted.edges) == (2, 2)
    assert counted.mutual == [("high", "low")]


def test_trees_stand_side_by_side(root: Path) -> None:
    lines = table([root, root], longest=2).splitlines()
    assert lines[0] == f"|  | {root.name} | {root.name} |"
    assert "| variables called `found` | 1 | 1 |" in lines
    assert "| packages that import each other | high and low | high and low |" in lines


def test_budgets_are_held_and_what_exceeds_them_is_named(tmp_path: Path) -> None:
    assert list(exceeded()) == []
    module = tmp_path / "new.py"
    module.write_text(
        "import os\nimport re\n\n\ndef f(x):\n    match x:\n        case 1:\n            return 2\n"
        "        case _:\n            return os, re\n"
    )
    files = {"veer.rewrite.new": module, "veer.facts.new": module}
    assert import_share(files) == pytest.approx(0.2)
    assert small_modules(files) == ["facts.new"]  # a pass may stand alone
    assert open_matches(files) == 2
    assert [line.partition(":")[0] for line in exceeded(files)] == [
        "imports are 20.0% of all lines, 7% are allowed"
    ]
    many = {"veer.somewhere.new": module}
    assert "somewhere: 10 lines, 0 are allowed" in list(exceeded(many))
