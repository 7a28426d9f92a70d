"""Column cleaning helpers."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

COUNTRY_ALIASES = {"UK": "GB", "EN": "GB", "D": "DE"}


def trim_lower(name: str) -> Column:
    return F.lower(F.trim(F.col(name)))


def blank_to_null(name: str) -> Column:
    trimmed = F.trim(F.col(name))
    return F.when(trimmed != "", trimmed)


def normalise_country(name: str) -> Column:
    """Upper-case ISO code; known aliases are mapped, unknown becomes ZZ."""
    code = F.upper(F.trim(F.col(name)))
    result = code
    for alias, iso in COUNTRY_ALIASES.items():
        result = F.when(code == alias, iso).otherwise(result)
    return F.coalesce(result, F.lit("ZZ"))


def non_negative(col: Column) -> Column:
    """Negative values and nulls become 0."""
    return F.greatest(col, F.lit(0))


def latest_per_key(df: DataFrame, keys: list, order_by: list) -> DataFrame:
    """Keep the first row of every key in the given order."""
    w = Window.partitionBy(*keys).orderBy(*order_by)
    ranked = df.withColumn("_rn", F.row_number().over(w))
    return ranked.filter(F.col("_rn") == 1).drop("_rn")
