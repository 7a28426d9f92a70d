"""What the dataflow means: plain Python over lists of rows, tested against Spark."""

from veer.interpreter.compare import difference, same_result
from veer.interpreter.run import Program, Result, program, run_dataflow

__all__ = ["Program", "Result", "difference", "program", "run_dataflow", "same_result"]
