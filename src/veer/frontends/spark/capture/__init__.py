"""PySpark jobs: their code runs, Spark does not.

`jobs` starts a process per version of a job, `child` is what runs in it, `capture` the session
that a job is given, `readers_writers` and `actions` what that session's frames offer.
"""
