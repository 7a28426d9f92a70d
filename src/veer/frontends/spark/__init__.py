"""PySpark: DataFrames of a session (`frames`, from `plans`), and jobs in files (`capture`)."""

from veer.frontends.spark.frames import read_dataframe, read_frames

__all__ = ["read_dataframe", "read_frames"]
