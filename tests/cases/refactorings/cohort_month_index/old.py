from pyspark.sql import functions as F


def build(spark):
    subs = (
        spark.table("subscriptions")
        .filter(F.col("started_on").isNotNull())
        .select("sub_id", "started_on", F.lower("plan").alias("plan"))
    )
    inv = (
        spark.table("invoices")
        .filter(~(F.lower("state") == "void"))
        .select("sub_id", "issued_on", "amount")
    )
    j = inv.join(subs, "sub_id").filter(F.col("issued_on") >= F.col("started_on"))
    j = j.withColumn("cohort", F.trunc("started_on", "MM"))
    j = j.withColumn(
        "month_no",
        (F.year("issued_on") - F.year("started_on")) * 12
        + (F.month("issued_on") - F.month("started_on")),
    )
    return j.groupBy("cohort", "plan", "month_no").agg(
        F.countDistinct("sub_id").alias("subs"), F.sum("amount").alias("amount")
    )
