from pyspark.sql import functions as F


def build(spark):
    cards = (
        spark.table("card_payments")
        .withColumn("booked_on", F.to_date("paid_at"))
        .withColumn("amount", F.col("amount").cast("decimal(14,2)"))
        .withColumn("channel", F.lit("card"))
        .withColumn("account", F.regexp_replace("account", " ", ""))
        .filter(F.col("account").isNotNull())
        .select("payment_id", "account", "booked_on", "channel", "amount")
    )
    wires = (
        spark.table("wire_payments")
        .withColumnRenamed("wire_id", "payment_id")
        .withColumnRenamed("iban", "account")
        .withColumnRenamed("value_date", "booked_on")
        .withColumn("amount", F.col("amount").cast("decimal(14,2)"))
        .withColumn("channel", F.lit("wire"))
        .withColumn("account", F.regexp_replace("account", " ", ""))
        .filter(F.col("account").isNotNull())
        .select("payment_id", "account", "booked_on", "channel", "amount")
    )
    chargebacks = (
        spark.table("chargebacks")
        .withColumnRenamed("chargeback_id", "payment_id")
        .withColumn("amount", (-F.col("amount")).cast("decimal(14,2)"))
        .withColumn("channel", F.lit("chargeback"))
        .withColumn("account", F.regexp_replace("account", " ", ""))
        .filter(F.col("account").isNotNull())
        .select("payment_id", "account", "booked_on", "channel", "amount")
    )
    ledger = cards.unionByName(wires).unionByName(chargebacks)
    balances = ledger.groupBy("account").agg(
        F.sum("amount").alias("balance"), F.count("*").alias("entries")
    )
    daily = ledger.groupBy("booked_on", "channel").agg(F.sum("amount").alias("turnover"))
    return {"ledger": ledger, "balances": balances, "daily": daily}
