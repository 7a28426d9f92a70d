# title: Aggregation per municipality first: the regional rate becomes an unweighted average of municipal averages
# expect: inequivalent
# kind: avg of avgs
from pyspark.sql import functions as F

LABOUR_FORCE = ("EMPLOYED", "UNEMPLOYED")


def build(spark, min_age=15, max_age=74, ref_year=2024):
    mun = spark.table("municipalities").select("municipality_code", "region_code")
    by_municipality = (
        spark.table("persons")
        .filter(F.col("employment_status").isin(*LABOUR_FORCE))
        .filter((F.lit(ref_year) - F.year("birth_date")).between(min_age, max_age))
        .withColumn(
            "unemployed_pct", F.when(F.col("employment_status") == "UNEMPLOYED", 100).otherwise(0)
        )
        .groupBy("municipality_code")
        .agg(F.count("*").alias("labour_force"), F.avg("unemployed_pct").alias("rate"))
    )
    return (
        by_municipality.join(F.broadcast(mun), "municipality_code")
        .groupBy("region_code")
        .agg(
            F.sum("labour_force").alias("labour_force"),
            F.count("municipality_code").alias("municipalities"),
            F.round(F.avg("rate"), 1).alias("unemployment_rate"),
        )
    )
