# title: Reversed entries and inactive accounts removed by left_anti joins before the aggregation
# expect: equivalent
# kind: anti join
from pyspark.sql import functions as F


def build(spark, period_start="2024-01-01", period_end="2024-12-31"):
    entries = spark.table("gl_entries")
    reversals = entries.select(F.col("reversal_of").alias("entry_id"))
    live = (
        entries.where(
            f"posting_date >= DATE'{period_start}' AND posting_date <= DATE'{period_end}'"
        )
        .where("reversal_of IS NULL")
        .join(reversals, "entry_id", "left_anti")
    )
    inactive = spark.table("accounts").where("NOT is_active").select("account_code")
    names = spark.table("accounts").select("account_code", "account_name")
    return (
        live.join(inactive, "account_code", "left_anti")
        .groupBy("account_code", "cost_center")
        .agg(
            F.expr(
                "sum(CASE dc_flag WHEN 'D' THEN amount WHEN 'C' THEN amount * -1 ELSE 0 END)"
            ).alias("net_amount"),
            F.max("posting_date").alias("last_posting"),
        )
        .join(F.broadcast(names), "account_code", "left")
        .select("account_code", "account_name", "cost_center", "net_amount", "last_posting")
    )
