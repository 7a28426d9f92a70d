# title: The union takes its parts in another order and the shared preparation becomes a function.
# expect: equivalent

from pyspark.sql import DataFrame, functions as F


def entries(df: DataFrame, key: str, account: str, day, channel: str, sign: int = 1) -> DataFrame:
    amount = -F.col("amount") if sign < 0 else F.col("amount")
    return df.filter(F.col(account).isNotNull()).select(
        F.col(key).alias("payment_id"),
        F.regexp_replace(account, " ", "").alias("account"),
        day.alias("booked_on"),
        F.lit(channel).alias("channel"),
        amount.cast("decimal(14,2)").alias("amount"),
    )


def build(spark):
    chargebacks = entries(
        spark.table("chargebacks"), "chargeback_id", "account", F.col("booked_on"), "chargeback", -1
    )
    cards = entries(
        spark.table("card_payments"), "payment_id", "account", F.to_date("paid_at"), "card"
    )
    wires = entries(spark.table("wire_payments"), "wire_id", "iban", F.col("value_date"), "wire")

    ledger = chargebacks.union(cards).union(wires)
    balances = ledger.groupBy("account").agg(
        F.sum("amount").alias("balance"), F.count("*").alias("entries")
    )
    daily = ledger.groupBy("booked_on", "channel").agg(F.sum("amount").alias("turnover"))
    return {"ledger": ledger, "balances": balances, "daily": daily}
