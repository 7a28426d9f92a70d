"""Unit conversions. Distances are kept in km with three decimals."""

from pyspark.sql import Column
from pyspark.sql import functions as F

METRES_PER_KM = 1000
SECONDS_PER_MINUTE = 60


def metres_to_km(name: str) -> Column:
    """Metres (INT) to km as DECIMAL(12,3)."""
    metres = F.col(name).cast("decimal(13,3)")
    return (metres / F.lit(METRES_PER_KM)).cast("decimal(12,3)")


def minutes_between(start: str, end: str) -> Column:
    """Whole minutes from start to end; null when one of them is missing."""
    seconds = F.unix_timestamp(F.col(end)) - F.unix_timestamp(F.col(start))
    return F.floor(seconds / F.lit(SECONDS_PER_MINUTE))


def month_of(name: str) -> Column:
    """First day of the month."""
    return F.trunc(F.col(name), "MM")


def speed_band(name: str) -> Column:
    """Rough band of a speed in km/h."""
    speed = F.col(name)
    return (
        F.when(speed.isNull(), "unknown")
        .when(speed < 30, "slow")
        .when(speed < 80, "normal")
        .otherwise("fast")
    )


def ratio_pct(part: Column, whole: Column) -> Column:
    """part / whole in percent, null where the whole is null or zero."""
    safe_whole = F.when(whole != 0, whole)
    return F.round(part * 100 / safe_whole, 1).cast("decimal(9,1)")
