"""PySpark: DataFrames of a session (`frames`, from `plans`), and jobs in files (`capture`).

A job is read without a JVM (`offline`) where that is possible.
"""
