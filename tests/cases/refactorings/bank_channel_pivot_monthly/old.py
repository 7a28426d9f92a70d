from pyspark.sql import functions as F

CHANNELS = ["web", "atm", "branch", "mobile"]


def build(spark, channels=CHANNELS):
    txns = spark.table("transactions").withColumn("month", F.date_trunc("month", "booked_at"))
    pivoted = (
        txns.groupBy("account_id", "month")
        .pivot("channel", channels)
        .agg(F.sum("amount"))
        .fillna(0, subset=channels)
    )
    for c in channels:
        pivoted = pivoted.withColumnRenamed(c, f"{c}_amount")

    totals = txns.groupBy("account_id", "month").agg(
        F.sum("amount").alias("total"), F.count("*").alias("n_txn")
    )
    monthly = totals.join(pivoted, ["account_id", "month"]).filter(F.col("n_txn") >= 1)
    named = sum((F.col(f"{c}_amount") for c in channels[1:]), F.col(f"{channels[0]}_amount"))
    monthly = monthly.withColumn("other_amount", (F.col("total") - named).cast("decimal(22,2)"))

    per_product = (
        monthly.join(spark.table("accounts").select("account_id", "product"), "account_id")
        .groupBy("product")
        .agg(*[F.max(f"{c}_amount").alias(f"max_{c}") for c in channels])
    )
    return {"monthly": monthly, "per_product": per_product}
