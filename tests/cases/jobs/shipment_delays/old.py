from pyspark.sql import functions as F


def build(spark, since: str = "2024-02-01"):
    shipments = spark.table("shipments")
    events = spark.table("route_events")
    carriers = spark.table("carriers")

    disrupted = (
        events.filter(F.col("event").isin("strike", "flood", "closure"))
        .filter(F.col("event_date") >= F.lit(since).cast("date"))
        .select("route_id")
        .distinct()
    )
    late = (
        shipments.filter(F.col("promised") >= F.lit(since).cast("date"))
        .filter(F.datediff("delivered", "promised") > 0)
        .withColumn("delay_days", F.datediff("delivered", "promised"))
        .withColumn(
            "delay_class",
            F.when(F.datediff("delivered", "promised") <= 2, "minor")
            .when(F.datediff("delivered", "promised") <= 7, "major")
            .otherwise("severe"),
        )
        .join(disrupted, "route_id", "inner")
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
