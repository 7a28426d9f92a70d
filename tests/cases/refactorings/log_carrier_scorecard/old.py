from pyspark.sql import functions as F


def build(spark, min_shipments=1):
    s = spark.table("shipments")
    late = F.col("delivered_on") > F.col("promised_on")
    score = (
        s.groupBy("carrier_id")
        .agg(
            F.count("*").alias("shipments"),
            F.count("delivered_on").alias("delivered"),
            F.sum(F.when(late, 1).otherwise(0)).alias("late"),
            F.sum(F.when(~late, 1).otherwise(0)).alias("on_time"),
            F.avg("weight_kg").alias("avg_kg"),
            F.countDistinct("origin", "destination").alias("lanes"),
        )
        .filter(F.col("shipments") > min_shipments)
    )
    return (
        spark.table("carriers")
        .join(score, "carrier_id")
        .withColumn("late_pct", (F.col("late") * 100).cast("double") / F.col("shipments"))
        .select(
            "carrier_name",
            "mode",
            "shipments",
            "delivered",
            "late",
            "on_time",
            "lanes",
            "avg_kg",
            "late_pct",
        )
    )
