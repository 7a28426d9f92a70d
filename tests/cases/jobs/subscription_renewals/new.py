# title: The reminder window starts one day later.
# expect: inequivalent

from pyspark.sql import functions as F


def build(spark, run_date: str = "2024-08-01"):
    today = F.lit(run_date).cast("date")
    due = (
        spark.table("subscriptions")
        .filter(F.col("ends_on") >= today)
        .filter(F.col("ends_on") <= F.date_add(today, 14))
        .withColumn("auto_renew", F.coalesce(F.col("auto_renew"), F.lit(False)))
        .withColumn("plan", F.lower("plan"))
        .filter(F.col("plan") != "trial")
    )
    recently_reminded = (
        spark.table("reminders")
        .filter(F.col("sent_on") > F.date_sub(today, 7))
        .filter(F.col("channel").isin("email", "sms"))
        .select("subscription_id")
    )

    to_remind = due.join(recently_reminded, "subscription_id", "left_anti").withColumn(
        "days_left", F.datediff("ends_on", today)
    )
    by_plan = to_remind.groupBy("plan", "auto_renew").agg(
        F.count("*").alias("subscriptions"),
        F.countDistinct("customer_id").alias("customers"),
        F.min("days_left").alias("soonest"),
    )
    return {"to_remind": to_remind, "by_plan": by_plan}
