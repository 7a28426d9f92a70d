from functools import reduce

from pyspark.sql import functions as F

MODES = ["sea", "rail", "road"]


def build(spark, n=2):
    joined = (
        spark.table("shipments")
        .join(spark.table("carriers"), "carrier_id")
        .filter(F.col("weight_kg").isNotNull())
        .select(
            "mode", "carrier_name", "shipment_id", "origin", "destination", "weight_kg", "freight"
        )
    )
    parts = [
        joined.filter(F.col("mode") == m)
        .orderBy(F.col("weight_kg").desc(), F.col("shipment_id").asc())
        .limit(n)
        for m in MODES
    ]
    heaviest = reduce(lambda a, b: a.unionByName(b), parts)
    summary = heaviest.groupBy("mode").agg(
        F.count("*").alias("n"),
        F.sum("weight_kg").alias("kg"),
        F.sum("freight").alias("freight"),
    )
    return {"heaviest": heaviest, "summary": summary}
