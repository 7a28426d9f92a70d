from pyspark.sql import Window, functions as F


def build(spark, n=2):
    lanes = (
        spark.table("shipments")
        .filter(F.col("freight").isNotNull())
        .withColumn(
            "place",
            F.rank().over(Window.partitionBy("origin").orderBy(F.col("freight").desc())),
        )
        .filter(F.col("place") <= n)
    )
    rated = lanes.join(spark.table("lane_rates"), ["origin", "destination"], "left").withColumn(
        "above_rate", F.col("freight") - F.col("rate")
    )
    per_origin = rated.groupBy("origin").agg(
        F.count("*").alias("n"),
        F.sum("freight").alias("freight"),
        F.sum("above_rate").alias("above"),
    )
    return {
        "rated": rated.select(
            "origin", "destination", "shipment_id", "place", "freight", "above_rate"
        ),
        "per_origin": per_origin,
    }
