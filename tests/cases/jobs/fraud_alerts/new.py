# title: The semi join becomes an inner join, so a card listed twice doubles its alerts.
# expect: inequivalent

from pyspark.sql import functions as F


def build(spark, min_amount: int = 50):
    txns = (
        spark.table("card_txns")
        .filter(F.col("amount") >= min_amount)
        .withColumn("txn_date", F.to_date("txn_at"))
        .withColumn("card", F.regexp_replace("card", "-", ""))
    )
    reported = (
        spark.table("reported_cards")
        .filter(F.col("source").isin("bank", "police"))
        .withColumn("card", F.regexp_replace("card", "-", ""))
        .select("card")
    )
    merchants = spark.table("merchants").filter(F.col("mcc") != 6011)

    alerts = (
        txns.join(reported, on="card", how="inner")
        .join(merchants, "merchant", "left")
        .withColumn("risk_level", F.coalesce(F.col("risk_level"), F.lit(5)))
        .where("risk_level >= 3")
        .persist()
    )
    per_card = alerts.groupBy("card").agg(
        F.count("*").alias("alerts"),
        F.sum("amount").alias("amount"),
        F.max("risk_level").alias("risk_level"),
        F.max("txn_date").alias("last_alert"),
    )
    per_card.write.mode("overwrite").saveAsTable("fraud.card_alerts")
    alerts.select("txn_id", "card", "merchant", "amount").write.mode("overwrite").parquet(
        "out/alerts"
    )
