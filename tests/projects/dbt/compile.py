"""Manifests of copies of a dbt project, in one process: `python compile.py PROJECT TARGET...`.

Run by the Python that has dbt. Each TARGET is a folder to put a copy into, with edits applied that
stand as JSON beside it (`TARGET.json`). dbt asks the warehouse which relations there are, to know whether
a model is built for the first time; here there are none, so no Spark is started.
"""

import json
import os
import shutil
import sys
from pathlib import Path

os.environ.update(
    DBT_SEND_ANONYMOUS_USAGE_STATS="false", DBT_VERSION_CHECK="false", DO_NOT_TRACK="1"
)

from dbt.adapters.spark.impl import SparkAdapter
from dbt.cli.main import dbtRunner

SparkAdapter.list_relations_without_caching = lambda self, schema_relation: []


def main() -> None:
    project, targets = Path(sys.argv[1]), [Path(target) for target in sys.argv[2:]]
    for target in targets:
        shutil.copytree(project, target)
        for edit in json.loads(target.with_suffix(".json").read_text()):
            file = target / edit["file"]
            text = file.read_text()
            assert text.count(edit["find"]) == 1, (target, edit)
            file.write_text(text.replace(edit["find"], edit["replace"]))
        words = ["--no-use-colors", "--quiet", "compile", "--no-populate-cache", "--full-refresh"]
        words += ["--no-partial-parse", "--threads", "1"]
        result = dbtRunner().invoke(
            [*words, "--project-dir", str(target), "--profiles-dir", str(target)]
        )
        if not result.success:
            sys.exit(f"{target}: {result.exception}")


if __name__ == "__main__":
    main()
