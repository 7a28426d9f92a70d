from pyspark.sql import functions as F


def build(spark):
    s = (
        spark.table("shipments")
        .join(spark.table("carriers"), "carrier_id", "left")
        .withColumn("carrier_name", F.coalesce("carrier_name", F.lit("unassigned")))
    )
    return (
        s.groupBy("carrier_name")
        .agg(
            F.count("*").alias("shipments"),
            F.count(F.when(F.col("delivered_on") > F.col("promised_on"), 1)).alias("late"),
            F.count(F.when(F.col("delivered_on") <= F.col("promised_on"), 1)).alias("on_time"),
            F.sum("freight").alias("freight"),
        )
        .withColumn("any_late", F.col("late") > 0)
        .select("carrier_name", "shipments", "on_time", "late", "any_late", "freight")
    )
