# title: The inner join on distinct keys becomes a semi join; the delay is computed once.
# expect: equivalent

from pyspark.sql import functions as F


def build(spark, since: str = "2024-02-01"):
    shipments = spark.table("shipments")
    events = spark.table("route_events")
    carriers = spark.table("carriers")

    disrupted = events.filter(F.col("event").isin("strike", "flood", "closure")).filter(
        F.col("event_date") >= F.lit(since).cast("date")
    )
    late = (
        shipments.filter(F.col("promised") >= F.lit(since).cast("date"))
        .withColumn("delay_days", F.datediff("delivered", "promised"))
        .filter(F.col("delay_days") > 0)
        .withColumn(
            "delay_class",
            F.when(F.col("delay_days") <= 2, "minor")
            .when(F.col("delay_days") <= 7, "major")
            .otherwise("severe"),
        )
        .join(disrupted, "route_id", "left_semi")
        .join(carriers, "carrier", "left")
        .withColumn("tier", F.coalesce(F.col("tier"), F.lit(9)))
    )
    return (
        late.groupBy("route_id", "tier", "delay_class")
        .agg(
            F.count("*").alias("shipments"),
            F.sum("weight_kg").alias("weight_kg"),
            F.max("delay_days").alias("worst_delay"),
        )
        .filter(F.col("shipments") > 1)
    )
