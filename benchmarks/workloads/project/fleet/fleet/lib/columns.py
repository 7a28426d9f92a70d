"""Small helpers on whole DataFrames."""

from typing import Dict

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def rename_columns(df: DataFrame, names: Dict[str, str]) -> DataFrame:
    """Rename several columns, keeping their order."""
    for old, new in names.items():
        df = df.withColumnRenamed(old, new)
    return df


def with_month(df: DataFrame, date_column: str) -> DataFrame:
    """Add `month`, the first day of the month of a date column."""
    return df.withColumn("month", F.trunc(F.col(date_column), "MM"))


def fill_counts(df: DataFrame, *names: str) -> DataFrame:
    """After a left join: counts of nothing are zero, not null."""
    for name in names:
        df = df.withColumn(name, F.coalesce(F.col(name), F.lit(0)))
    return df
