# title: on_time computed as shipments minus late, which counts the undelivered and those without a promised date as on time
# expect: inequivalent
# kind: conditional count
from pyspark.sql import functions as F


def build(spark):
    carriers = spark.table("carriers").select("carrier_id", "carrier_name")
    return (
        spark.table("shipments")
        .join(carriers, "carrier_id", "left")
        .groupBy(F.expr("coalesce(carrier_name, 'unassigned')").alias("carrier_name"))
        .agg(
            F.count("shipment_id").alias("shipments"),
            F.count_if(F.expr("delivered_on > promised_on")).alias("late"),
            F.sum("freight").alias("freight"),
        )
        .selectExpr(
            "carrier_name",
            "shipments",
            "shipments - late AS on_time",
            "late",
            "late > 0 AS any_late",
            "freight",
        )
    )
