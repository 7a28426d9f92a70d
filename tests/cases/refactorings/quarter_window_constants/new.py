# title: date arithmetic on constants computed by hand: 90 days before 2024-03-31 is 2024-01-01, 30 days before 2024-04-01 is 2024-03-02; a null end date means still running
# expect: equivalent
# kind: constants computed
from pyspark.sql import functions as F


def build(spark):
    orders = spark.table("orders").where(
        "order_ts >= timestamp'2024-01-01 00:00:00' and order_ts < timestamp'2024-04-01 00:00:00'"
    )
    by_status = orders.groupBy("status").agg(
        F.count(F.lit(1)).alias("n"), F.sum("amount").alias("amount")
    )
    recent = orders.where("order_ts >= timestamp'2024-03-02 00:00:00'").select(
        "order_id", "order_ts"
    )
    subs = spark.sql("""
        SELECT sub_id, last_day(date'2024-03-01') AS report_date,
               datediff(date'2024-03-31', started_on) AS age_days
        FROM subscriptions
        WHERE started_on < date_add(date'2024-03-31', 1)
          AND coalesce(ended_on, date'9999-12-31') >= add_months(date'2024-03-01', 1)
    """)
    return {"by_status": by_status, "recent": recent, "subs": subs}
