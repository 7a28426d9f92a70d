# title: the status filter moved below the window along with the filter on the partition key: latest live subscription instead of latest one if live
# expect: inequivalent
# kind: filter through window
from pyspark.sql import Window, functions as F

LIVE = ["active", "past_due"]


def build(spark):
    w = Window.partitionBy("account_id").orderBy(
        F.col("started_on").desc_nulls_last(), F.col("sub_id").desc()
    )
    live = (
        spark.table("subscriptions")
        .where("account_id < 50")
        .where(F.lower("status").isin(LIVE))
        .withColumn("rn", F.row_number().over(w))
        .where(F.col("rn") == 1)
        .select("account_id", "sub_id", F.upper("plan").alias("plan"), "mrr")
    )
    return (
        spark.table("accounts")
        .selectExpr("account_id", "trim(company) as company")
        .join(live, ["account_id"], "left")
        .withColumn("mrr", F.coalesce("mrr", F.lit(0)))
    )
