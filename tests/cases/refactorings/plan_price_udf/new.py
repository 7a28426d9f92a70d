# title: UDF shortened to d.get(x) or -1, which turns the price 0 of the trial plan into -1
# expect: inequivalent
# kind: UDF refactored
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

LIST_PRICE = {"trial": 0, "basic": 9, "pro": 29, "enterprise": 199}
UNKNOWN = -1


@F.udf(returnType=LongType())
def list_price(plan):
    return LIST_PRICE.get((plan or "").lower()) or UNKNOWN


def build(spark):
    accounts = spark.table("accounts").select("account_id", "country")
    return (
        spark.table("subscriptions")
        .select("account_id", list_price(F.col("plan")).alias("list_price"))
        .join(accounts, "account_id", "left")
        .withColumn("country", F.coalesce(F.col("country"), F.lit("-")))
        .withColumn(
            "price_state",
            F.expr(
                "case when list_price < 0 then 'unknown' when list_price = 0 then 'free' else 'paid' end"
            ),
        )
        .groupBy("country", "price_state")
        .agg(F.count(F.lit(1)).alias("subs"), F.sum("list_price").alias("list_total"))
    )
