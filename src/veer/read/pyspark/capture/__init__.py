"""PySpark jobs: their code runs, Spark does not.

`jobs` has each version of a job loaded in a process of its own, by `child` in a classic session or
by `veer.read.pyspark.offline`; `loading` calls the function. `capture` has the rules of the
session that a job is given, `readers_writers` and `actions` what that session's frames offer.
"""
