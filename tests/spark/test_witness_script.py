"""Witness scripts run on Spark and show the difference."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import veer
from veer.java import ensure_java

pytestmark = pytest.mark.spark

P = """CREATE TABLE t (a INT, d DECIMAL(7,2), day DATE, arr ARRAY<INT>);
CREATE VIEW v AS SELECT a, d FROM t WHERE day >= DATE '2020-02-29';
INSERT INTO x SELECT a, SUM(d) AS s FROM v GROUP BY a;
SELECT explode(arr) AS e FROM t"""


def test_the_script_shows_both_results(tmp_path: Path) -> None:
    (tmp_path / "p.sql").write_text(P)
    (tmp_path / "q.sql").write_text(P.replace(">=", ">").replace("explode(", "explode_outer("))
    done = veer("verify", "p.sql", "q.sql", "--witness-out", "w", cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    scripts = sorted((tmp_path / "w").iterdir())
    assert [s.name for s in scripts] == ["result.py", "x.py"]
    ensure_java()
    for script in scripts:
        run = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=120
        )
        assert run.returncode == 0, run.stderr[-2000:]
        one, two = (
            part.partition(":")[2]
            for part in re.split(r"(?m)^result of .* (?:before|after) \(", run.stdout)[1:]
        )
        assert one.strip() != two.strip()
