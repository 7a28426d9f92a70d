import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql.functions import pandas_udf


@pandas_udf("string")
def clean_name(s: pd.Series) -> pd.Series:
    return s.str.replace(r"\s+", " ", regex=True).str.strip().str.title()


def build(spark):
    mun = spark.table("municipalities").withColumn("name", clean_name(F.col("municipality_name")))
    persons = spark.table("persons").join(mun, "municipality_code")
    pop = persons.groupBy("municipality_code", "name", "region_code", "area_km2").agg(
        F.count("*").alias("population"),
        F.sum(F.when(F.col("employment_status") == "UNEMPLOYED", 1).otherwise(0)).alias(
            "unemployed"
        ),
        F.sum(
            F.when(F.col("employment_status").isin("UNEMPLOYED", "EMPLOYED"), 1).otherwise(0)
        ).alias("labour_force"),
    )
    return (
        pop.filter(F.col("region_code").isNotNull())
        .filter(F.col("area_km2") > 0)
        .withColumn("density", F.round(F.col("population") / F.col("area_km2"), 2))
        .withColumn("has_labour_force", F.col("labour_force") > 0)
        .select(
            "municipality_code",
            "name",
            "region_code",
            "population",
            "density",
            "unemployed",
            "labour_force",
            "has_labour_force",
        )
    )
