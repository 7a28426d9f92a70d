"""Which tests `make check` runs for a change."""

from __future__ import annotations

import subprocess
import sys

from tools.affected import affected
from tools.imports import ROOT


def test_a_module_affects_what_imports_it_nearest_first() -> None:
    tests = affected(["src/veer/rewrite/dataflows/count_collected.py"])
    nearest = {"tests/rewrite/test_normalize.py", "tests/properties/test_passes.py"}
    assert nearest <= set(tests[: len(nearest) + 1])
    assert tests.index("tests/rewrite/test_placing.py") < tests.index("tests/test_readme.py")


def test_a_plug_in_does_not_affect_what_never_imports_it() -> None:
    tests = affected(["src/veer/gui/texera/filters.py"])
    assert tests[0] == "tests/gui/texera/test_texera.py"
    assert "tests/read/test_python_purity.py" not in tests


def test_what_commands_import_affects_the_tests_of_commands() -> None:
    assert "tests/cli/test_cli.py" in affected(["src/veer/show/as_text.py"])


def test_a_file_of_cases_affects_the_tests_that_name_it() -> None:
    tests = affected(["tests/cases/placing.cases"])
    assert "tests/rewrite/test_placing.py" in tests
    assert "tests/store/test_crashes.py" not in tests


def test_nothing_changed_affects_nothing() -> None:
    assert affected([]) == []


def test_what_there_is_no_time_for_is_skipped_and_says_so() -> None:
    command = [sys.executable, "-m", "pytest", "--within", "-1", "tests/tools/test_ranges.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "left out after -1 s" in done.stdout
    assert "passed" not in done.stdout
