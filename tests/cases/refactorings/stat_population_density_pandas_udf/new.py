# title: Aggregate persons before joining the municipality dimension, filters pushed below the pandas UDF
# expect: equivalent
# kind: aggregate before join
import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf

LABOUR_FORCE = ["EMPLOYED", "UNEMPLOYED"]


@pandas_udf("string")
def clean_name(s: pd.Series) -> pd.Series:
    return s.str.replace(r"\s+", " ", regex=True).str.strip().str.title()


def build(spark):
    pop = (
        spark.table("persons")
        .where("municipality_code IS NOT NULL")
        .groupBy("municipality_code")
        .agg(
            F.count(F.lit(1)).alias("population"),
            F.count(F.when(F.col("employment_status") == "UNEMPLOYED", 1)).alias("unemployed"),
            F.count(F.when(F.col("employment_status").isin(LABOUR_FORCE), 1)).alias("labour_force"),
        )
    )
    mun = (
        spark.table("municipalities")
        .where("region_code IS NOT NULL AND area_km2 > 0")
        .select(
            "municipality_code",
            clean_name("municipality_name").alias("name"),
            "region_code",
            "area_km2",
        )
    )
    return pop.join(F.broadcast(mun), "municipality_code").select(
        "municipality_code",
        "name",
        "region_code",
        "population",
        F.round(F.col("population") / F.col("area_km2"), 2).alias("density"),
        "unemployed",
        "labour_force",
        (F.col("labour_force") > 0).alias("has_labour_force"),
    )
