"""PySpark: DataFrames of a session (`frames`), and jobs in files (`jobs`)."""

from veer.frontends.spark.frames import read_dataframe, read_frames

__all__ = ["read_dataframe", "read_frames"]
