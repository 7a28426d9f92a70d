from pyspark.sql import functions as F


def build(spark):
    b = spark.table("purchases").filter(F.coalesce("status", F.lit("?")) != "VOID").alias("b")
    pr = spark.table("item_prices").alias("pr")
    priced = b.join(
        pr,
        (F.col("b.item_id") == F.col("pr.item_id"))
        & (F.col("b.purchased_at") >= F.col("pr.price_from"))
        & (F.col("pr.price_to").isNull() | (F.col("b.purchased_at") < F.col("pr.price_to"))),
        "left",
    ).select("b.*", "pr.list_price")
    return (
        priced.join(spark.table("items"), "item_id", "left")
        .join(spark.table("players"), "player_id", "left_semi")
        .withColumn("gross", F.coalesce(F.col("list_price") * F.col("quantity"), F.col("amount")))
        .groupBy("category")
        .agg(F.count("*").alias("purchases"), F.sum("gross").alias("gross"))
    )
