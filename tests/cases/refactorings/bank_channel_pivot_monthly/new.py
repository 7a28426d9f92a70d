# title: pivot over the channel list (zeros filled) and the totals joined to it are replaced by conditional sums in one group by
# expect: equivalent
# kind: pivot conditional
from pyspark.sql import functions as F

CHANNELS = ["web", "atm", "branch", "mobile"]
ZERO = "CAST(0 AS DECIMAL(22,2))"


def channel_sum(c):
    return F.expr(f"coalesce(sum(CASE WHEN channel = '{c}' THEN amount END), {ZERO})").alias(
        f"{c}_amount"
    )


def build(spark, channels=CHANNELS):
    quoted = ", ".join(f"'{c}'" for c in channels)
    monthly = (
        spark.table("transactions")
        .groupBy("account_id", F.date_trunc("month", "booked_at").alias("month"))
        .agg(
            F.sum("amount").alias("total"),
            F.count(F.lit(1)).alias("n_txn"),
            *[channel_sum(c) for c in channels],
            F.expr(
                f"CAST(coalesce(sum(amount) FILTER (WHERE channel IS NULL OR channel NOT IN ({quoted})), {ZERO}) AS DECIMAL(22,2))"
            ).alias("other_amount"),
        )
    )
    products = spark.table("accounts").select("account_id", "product")
    per_product = (
        monthly.join(products, "account_id", "inner")
        .groupBy("product")
        .agg(*(F.max(f"{c}_amount").alias(f"max_{c}") for c in channels))
    )
    return {"monthly": monthly, "per_product": per_product}
