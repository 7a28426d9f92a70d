from pyspark.sql import functions as F


def build(spark):
    returned_ids = (
        spark.table("returns")
        .filter(F.col("shipment_id").isNotNull())
        .select("shipment_id")
        .distinct()
    )
    shipments = spark.table("shipments").join(
        spark.table("carriers").select("carrier_id", "carrier_name"), "carrier_id", "left"
    )
    returned = (
        shipments.join(returned_ids, "shipment_id")
        .groupBy("carrier_name")
        .agg(F.count("*").alias("returned"), F.sum("freight").alias("returned_freight"))
    )
    totals = shipments.groupBy("carrier_name").agg(
        F.count("*").alias("shipments"), F.sum("freight").alias("freight")
    )
    return (
        totals.alias("t")
        .join(
            returned.alias("r"),
            F.expr("t.carrier_name <=> r.carrier_name"),
            "left",
        )
        .select(
            F.col("t.carrier_name"),
            "shipments",
            "freight",
            F.coalesce("returned", F.lit(0)).alias("returned"),
            F.coalesce("returned_freight", F.lit(0).cast("decimal(20,2)")).alias(
                "returned_freight"
            ),
        )
    )
