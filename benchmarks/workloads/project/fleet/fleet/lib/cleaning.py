"""Cleaning helpers shared by the staging jobs."""

from typing import List

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

CANCELLED_CODES = ("CANCELLED", "CANCELED", "CNL")
COMPLETED_CODES = ("COMPLETED", "DONE", "FINISHED")


def trim_to_null(name: str) -> Column:
    """Trim a text column; blank text becomes null."""
    trimmed = F.trim(F.col(name))
    return F.when(trimmed == "", F.lit(None)).otherwise(trimmed)


def normalise_code(name: str) -> Column:
    """Codes are compared in upper case and without blanks around them."""
    return F.upper(F.trim(F.col(name)))


def canonical_status(name: str) -> Column:
    """Map the many spellings of a trip status to one."""
    code = normalise_code(name)
    return (
        F.when(code.isin(*CANCELLED_CODES), F.lit("CANCELLED"))
        .when(code.isin(*COMPLETED_CODES), F.lit("COMPLETED"))
        .when(code.isNull(), F.lit("UNKNOWN"))
        .otherwise(code)
    )


def latest_by(df: DataFrame, keys: List[str], order_column: str) -> DataFrame:
    """Keep the row with the greatest `order_column` of each key."""
    newest_first = Window.partitionBy(*keys).orderBy(F.col(order_column).desc())
    ranked = df.withColumn("_rn", F.row_number().over(newest_first))
    return ranked.where(F.col("_rn") == 1).drop("_rn")


def flag(name: str) -> Column:
    """A boolean column where null counts as false."""
    return F.coalesce(F.col(name), F.lit(False))
