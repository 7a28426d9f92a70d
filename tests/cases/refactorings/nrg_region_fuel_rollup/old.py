from pyspark.sql import functions as F

ALL = "(all)"
UNKNOWN = "(unknown)"


def build(spark, year=2024):
    facts = (
        spark.table("generation")
        .filter(F.year("hour_ts") == year)
        .join(spark.table("plants"), "plant_id")
        .withColumn("net", F.col("mwh") - F.col("curtailed"))
    )
    rolled = (
        facts.rollup("region", "fuel")
        .agg(
            F.grouping_id().alias("gid"),
            F.sum("net").alias("net_mwh"),
            F.count("*").alias("hours"),
            F.countDistinct("plant_id").alias("plants"),
        )
        .filter(F.col("gid") < 3)
    )
    return rolled.select(
        F.coalesce("region", F.lit(UNKNOWN)).alias("region"),
        F.when(F.col("gid") == 1, ALL).otherwise(F.coalesce("fuel", F.lit(UNKNOWN))).alias("fuel"),
        "net_mwh",
        "hours",
        "plants",
    )
