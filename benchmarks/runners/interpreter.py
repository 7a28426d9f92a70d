"""How long a pair of ten-operator dataflows takes in the interpreter, on five-row tables."""

from __future__ import annotations

import random
import statistics
import time

from benchmarks.support.beside_spark import random_tables
from veer.interpreter import program
from veer.read.sql import read_schema, read_sql

SCHEMA = """
CREATE TABLE emp (empno INT NOT NULL, name STRING, sal INT, deptno INT, PRIMARY KEY (empno));
CREATE TABLE dept (deptno INT NOT NULL, dname STRING, PRIMARY KEY (deptno))
"""
QUERY = """
SELECT dname, n, total FROM (
  SELECT d.dname, COUNT(*) AS n, SUM(e.sal) AS total
  FROM (SELECT * FROM emp WHERE sal > 1) AS e
  LEFT JOIN (SELECT deptno, UPPER(dname) AS dname FROM dept) AS d ON e.deptno = d.deptno
  WHERE e.sal < 900 OR e.name LIKE 'A%' GROUP BY d.dname) AS g
WHERE n > 0 ORDER BY total DESC, dname LIMIT 5
"""


def main(argv: list[str]) -> int:
    """Print the median and the 99th percentile of a thousand runs of both versions."""
    del argv
    catalog = read_schema(SCHEMA)
    versions = [read_sql(t, catalog) for t in (QUERY, QUERY.replace("n > 0", "n >= 1"))]
    programs = [program(v) for v in versions]
    times = []
    for _ in range(1000):
        tables = random_tables(catalog, random.randrange(10**6), 5)
        start = time.perf_counter()
        for each in programs:
            each.run(tables)
        times.append((time.perf_counter() - start) * 1000)
    times.sort()
    operators = [len(v.operators) for v in versions]
    print(f"{operators[0]} and {operators[1]} operators, five-row tables, both versions:")
    print(f"median {statistics.median(times):.3f} ms, 99th percentile {times[989]:.3f} ms")
    return 0
