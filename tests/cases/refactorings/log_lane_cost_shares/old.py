from pyspark.sql import functions as F

LANE = ["origin", "destination"]
NO_FREIGHT = "0.00"


def cleaned(spark):
    return (
        spark.table("shipments")
        .withColumn("freight", F.coalesce("freight", F.lit(NO_FREIGHT).cast("decimal(10,2)")))
        .join(spark.table("carriers"), "carrier_id", "left")
        .withColumn("mode", F.coalesce("mode", F.lit("other")))
        .drop("order_ref", "promised_on")
    )


def lane_totals(df):
    return df.groupBy(*LANE).agg(
        F.sum("freight").alias("lane_freight"),
        F.count("*").alias("lane_shipments"),
        F.max("created_on").alias("last_created"),
        F.countDistinct("mode").alias("lane_modes"),
    )


def build(spark):
    rows = cleaned(spark)
    totals = lane_totals(rows)
    by_mode = rows.groupBy(*LANE, "mode").agg(
        F.sum("freight").alias("freight"), F.count("*").alias("n")
    )
    shares = (
        by_mode.join(totals, LANE)
        .filter(F.col("lane_freight") > 0)
        .withColumn("share", (F.col("freight") / F.col("lane_freight")).cast("decimal(10,4)"))
        .select(*LANE, "mode", "n", "freight", "lane_freight", "lane_modes", "share")
    )
    overpriced = (
        rows.join(spark.table("lane_rates"), LANE)
        .filter(F.col("freight") > F.col("rate"))
        .join(totals.select(*LANE, "lane_shipments"), LANE)
        .select("shipment_id", *LANE, "freight", "rate", "lane_shipments")
    )
    lanes = (
        totals.join(spark.table("lane_rates"), LANE, "full")
        .withColumn("lane_shipments", F.coalesce("lane_shipments", F.lit(0)))
        .withColumn(
            "expected",
            F.col("rate") * F.col("lane_shipments").cast("decimal(10,0)"),
        )
        .select(*LANE, "lane_shipments", "lane_freight", "expected", "last_created")
    )
    return {"shares": shares, "overpriced": overpriced, "lanes": lanes}
