"""What the dataflow means: plain Python over lists of rows, tested against Spark."""

from veer.interpreter.choices import TooManyChoicesError
from veer.interpreter.compare import difference, differing_sequences, same_result
from veer.interpreter.run import Program, Result, Run, program, run_dataflow
from veer.interpreter.steps import Signal

__all__ = [
    "Program",
    "Result",
    "Run",
    "Signal",
    "TooManyChoicesError",
    "difference",
    "differing_sequences",
    "program",
    "run_dataflow",
    "same_result",
]
