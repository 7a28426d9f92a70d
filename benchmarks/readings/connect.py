"""The reading of Connect plans, in a process of its own: `python -m benchmarks.readings.connect`.

PySpark is either classic or Connect in one process. A program comes as a line of JSON on standard
input, its reading goes out as one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.readings.sides import READ, Program, Reading, columns_of, refusal, request_line

ROOT = Path(__file__).parents[2]
# The settings of the classic sessions with which readings are compared, whatever Spark it is.
AS_CLASSIC = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
}


class ConnectReader:
    """Reads programs in another process, while this is entered."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> ConnectReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()

    def read(self, program: Program) -> Reading:
        """What Veer reads of the plans the Connect client makes."""
        process = self._running()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(request_line(program) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            self._process = None
            return Reading("failed", f"the process ended with status {process.wait()}")
        return Reading.of(json.loads(answer))

    def read_all(self, programs: Sequence[Program]) -> list[Reading]:
        """The readings of several programs, in their order."""
        return [self.read(program) for program in programs]

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            paths = [str(ROOT), *filter(None, sys.path)]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.readings.connect"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))},
            )
        return self._process


def read_here(request: dict[str, Any]) -> Reading:
    """The reading of one program, in this process."""
    from veer.read.pyspark.capture.loading import load_captured
    from veer.read.pyspark.capture.stopping import Stopped
    from veer.read.pyspark.offline.capture import OfflineCapture

    file, schema = Path(request["file"]), Path(request["schema"]).read_text(encoding="utf-8")
    asked = {
        "root": str(file.parent),
        "file": str(file),
        "function": request["function"],
        "args": {},
    }
    try:
        capture = OfflineCapture(schema, file.parent, file.parent, AS_CLASSIC)
        dataflow = load_captured(capture, asked).dataflow
    except (Exception, Stopped) as error:
        return refusal(error)
    return Reading(READ, "", columns_of(dataflow), dataflow)


def main() -> None:
    """Answer until there is nothing more to read."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what programs print is no answer
    for line in sys.stdin:
        answers.write(json.dumps(read_here(json.loads(line)).shown()) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
