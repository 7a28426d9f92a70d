"""Which files decide a job: whatever cannot be told makes it depend on everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.projects.repositories import write
from veer.projects.reach import reach_of_function

TREE = {
    "pkg/__init__.py": "from pkg import constants\n",
    "pkg/constants.py": "X = 1\n",
    "pkg/helpers.py": "from . import deep\n",
    "pkg/deep/__init__.py": "",
    "pkg/deep/inner.py": "Y = 2\n",
    "other.py": "Z = 3\n",
    "src/inside.py": "",
}


def reach(tmp_path: Path, code: str) -> set[str]:
    """The files, or everything."""
    write(tmp_path, {**TREE, "job.py": code})
    found = reach_of_function.__wrapped__(tmp_path, tmp_path / "job.py")
    return {"everything"} if found.anything else set(found.files)


@pytest.mark.parametrize(
    ("code", "files"),
    [
        ("from pyspark.sql import functions as F", {"job.py"}),
        ("import os\nx = os.environ.get('A')\ny = os.path.join('a', 'b')", {"job.py"}),
        ("import pandas as pd\ndef f(s: pd.Series): return pd.Series(s)", {"job.py"}),
        ("import other", {"job.py", "other.py"}),
        ("from pkg.constants import X", {"job.py", "pkg/__init__.py", "pkg/constants.py"}),
        (
            "def f():\n    from pkg import helpers",
            {
                "job.py",
                "pkg/__init__.py",
                "pkg/constants.py",
                "pkg/helpers.py",
                "pkg/deep/__init__.py",
            },
        ),
        ("import inside", {"job.py", "src/inside.py"}),
        ("def f(df):\n    return df.select('a').code.signal", {"job.py"}),
    ],
)
def test_imports_are_followed(tmp_path: Path, code: str, files: set[str]) -> None:
    assert reach(tmp_path, code) == files


def test_everything_of_a_package_that_is_imported_by_a_star(tmp_path: Path) -> None:
    found = reach(tmp_path, "from pkg.deep import *")
    assert "pkg/deep/inner.py" in found


@pytest.mark.parametrize(
    "code",
    [
        "x = open('a.sql').read()",
        "from pathlib import Path",
        "import importlib",
        "__import__('other')",
        "exec('import other')",
        "import os\nos.listdir('.')",
        "import os\nf = os\nf.listdir('.')",
        "from os import listdir",
        "import os.path as p\np.exists('x')",
        "import pandas as pd\npd.read_csv('x.csv')",
        "import yaml",
        "import sys\nsys.path.append('lib')",
        "import pyspark.pandas",
        "from pyspark import pandas",
        "def f(): pass\nf.__globals__['x']",
        "getattr(__builtins__, 'op' + 'en')",
        "import logging\nlogging.os.listdir('.')",
        "from logging import os",
        "import argparse\nargparse.FileType('r')",
        "import inspect",
        "this is no Python",
    ],
)
def test_what_cannot_be_told_is_everything(tmp_path: Path, code: str) -> None:
    assert reach(tmp_path, code) == {"everything"}


def test_data_is_covered_and_prose_is_not(tmp_path: Path) -> None:
    write(tmp_path, {"job.py": "import other", "other.py": ""})
    found = reach_of_function.__wrapped__(tmp_path, tmp_path / "job.py")
    assert found.covers("data/x.csv") and found.covers("data/part-0") and found.covers("other.py")
    assert not found.covers("README.md") and not found.covers("unrelated.py")
