# title: calendar month difference replaced with months_between cast to int, one too low when the day of the month is earlier
# expect: inequivalent
# kind: off-by-one month
from pyspark.sql import functions as F


def build(spark):
    subs = (
        spark.table("subscriptions")
        .where("started_on is not null")
        .selectExpr("sub_id", "started_on", "lower(plan) as plan")
    )
    inv = spark.table("invoices").where("lower(state) <> 'void'")
    return (
        inv.join(subs, ["sub_id"])
        .where("issued_on >= started_on")
        .selectExpr(
            "sub_id",
            "amount",
            "plan",
            "to_date(date_format(started_on, 'yyyy-MM-01')) as cohort",
            "cast(months_between(issued_on, started_on) as int) as month_no",
        )
        .groupBy("cohort", "plan", "month_no")
        .agg(F.countDistinct("sub_id").alias("subs"), F.sum("amount").alias("amount"))
    )
