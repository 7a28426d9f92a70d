from pyspark.sql import functions as F
from pyspark.sql.types import LongType

LIST_PRICE = {"trial": 0, "basic": 9, "pro": 29, "enterprise": 199}


def list_price(plan):
    if plan is None:
        return -1
    if plan.lower() in LIST_PRICE:
        return LIST_PRICE[plan.lower()]
    return -1


list_price_udf = F.udf(list_price, LongType())


def build(spark):
    subs = spark.table("subscriptions").withColumn("list_price", list_price_udf("plan"))
    subs = subs.withColumn(
        "price_state",
        F.when(F.col("list_price") < 0, "unknown")
        .when(F.col("list_price") == 0, "free")
        .otherwise("paid"),
    )
    out = subs.join(spark.table("accounts"), "account_id", "left")
    return out.groupBy(F.coalesce("country", F.lit("-")).alias("country"), "price_state").agg(
        F.count("*").alias("subs"), F.sum("list_price").alias("list_total")
    )
