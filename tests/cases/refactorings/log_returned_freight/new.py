# title: computed in one pass with a left join to returns and conditional aggregates, but returns are not distinct per shipment: a shipment returned twice is counted twice
# expect: inequivalent
# kind: duplicate rows
from pyspark.sql import functions as F


def build(spark):
    marked = spark.table("returns").select("shipment_id", F.lit(True).alias("is_returned"))
    rows = (
        spark.table("shipments")
        .join(spark.table("carriers"), "carrier_id", "left")
        .join(marked, "shipment_id", "left")
    )
    return rows.groupBy("carrier_name").agg(
        F.count("*").alias("shipments"),
        F.sum("freight").alias("freight"),
        F.count("is_returned").alias("returned"),
        F.coalesce(
            F.sum(F.when(F.col("is_returned"), F.col("freight"))),
            F.lit(0).cast("decimal(20,2)"),
        ).alias("returned_freight"),
    )
