"""Nodes of plans are read by the names of Spark's classes: no name is misspelled."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from veer.read.pyspark.plans.operators import NODES, REPARTITIONING, TRANSPARENT

OLDER = {"PythonMapInArrow"}  # of Spark before 4


# Where the classes of plans are: cached tables are nodes of logical plans too.
PACKAGES = {"spark-catalyst_*.jar": "/plans/logical/", "spark-sql_*.jar": "/execution/columnar/"}


@pytest.fixture(scope="module")
def classes() -> set[str]:
    pyspark = pytest.importorskip("pyspark")
    names: list[str] = []
    for pattern, package in PACKAGES.items():
        (jar,) = Path(pyspark.__file__).parent.glob(f"jars/{pattern}")
        with zipfile.ZipFile(jar) as opened:
            names += [n for n in opened.namelist() if package in n and n.endswith(".class")]
    return {name.rpartition("/")[2].removesuffix(".class") for name in names}


def test_every_node_that_is_read_is_a_class_of_spark(classes: set[str]) -> None:
    read = NODES.keys() | REPARTITIONING | TRANSPARENT
    assert read - classes <= OLDER


def test_a_node_is_read_in_one_way() -> None:
    assert not NODES.keys() & (REPARTITIONING | TRANSPARENT)
