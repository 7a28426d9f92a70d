"""Date helpers."""

from pyspark.sql import Column
from pyspark.sql import functions as F

from retail.common.constants import REPORTING_START, SNAPSHOT_DATE


def month_start(name: str) -> Column:
    """First day of the month of a date column."""
    return F.trunc(F.col(name), "month")


def is_weekend(name: str) -> Column:
    # dayofweek: 1 = Sunday ... 7 = Saturday
    return F.dayofweek(F.col(name)).isin(1, 7)


def days_since(name: str) -> Column:
    """Days from the column's date to the snapshot date."""
    return F.datediff(F.lit(SNAPSHOT_DATE).cast("date"), F.col(name))


def in_reporting_period(name: str) -> Column:
    start = F.lit(REPORTING_START).cast("date")
    return F.col(name) >= start


def seconds_between(start: str, end: str) -> Column:
    return F.unix_timestamp(F.col(end)) - F.unix_timestamp(F.col(start))
