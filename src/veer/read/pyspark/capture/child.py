"""The process that loads one version of a job: `python -m veer.read.pyspark.capture.child`.

The request comes as JSON on standard input; the answer goes to the file it names.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from veer.errors import UnsupportedError
from veer.read.pyspark.capture.classic import ClassicCapture
from veer.read.pyspark.capture.loading import Loaded, answer, load_captured
from veer.read.pyspark.capture.session import local_session


def main() -> None:
    """Answer one request."""
    request = json.loads(sys.stdin.read())
    given = answer(lambda: _load(request))
    Path(request["answer"]).write_text(json.dumps(given), encoding="utf-8")
    sys.stderr.flush()
    os._exit(0)  # not even threads of the user's code keep the answer waiting


def _load(request: Mapping[str, Any]) -> Loaded:
    spark = local_session(request["scratch"], request["conf"], request["spark"])
    return load_function(spark, request)


def load_function(spark: Any, request: Mapping[str, Any]) -> Loaded:
    """The dataflow of what a function returns and writes; and as the optimizer leaves it."""
    folders = Path(request["root"]), Path(request["data"])
    capture = ClassicCapture(spark, request["schema"], *folders, request.get("conf", ()))
    tracker = spark.sparkContext._jsc.sc().statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    try:
        loaded = load_captured(capture, request, has_jvm=True)
    finally:
        capture.close()
    # Nothing may run on data while a job is loaded; whatever slipped through is refused here.
    if set(tracker.getJobIdsForGroup(None)) != before:
        raise UnsupportedError("a Spark job ran while the job was loaded: something escaped Veer")
    return loaded


if __name__ == "__main__":
    main()
