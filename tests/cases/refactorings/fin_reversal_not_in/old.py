from pyspark.sql import functions as F


def build(spark, period_start="2024-01-01", period_end="2024-12-31"):
    gl = spark.table("gl_entries").filter(F.col("posting_date").between(period_start, period_end))
    reversals = (
        spark.table("gl_entries")
        .filter(F.col("reversal_of").isNotNull())
        .select(F.col("reversal_of").alias("reversed_id"))
        .distinct()
    )
    live = (
        gl.filter(F.col("reversal_of").isNull())
        .join(reversals, gl["entry_id"] == F.col("reversed_id"), "left")
        .filter(F.col("reversed_id").isNull())
        .drop("reversed_id", "reversal_of")
    )
    signed = live.withColumn(
        "net",
        F.when(F.col("dc_flag") == "D", F.col("amount"))
        .when(F.col("dc_flag") == "C", F.col("amount") * F.lit(-1))
        .otherwise(F.lit(0)),
    )
    by_account = signed.groupBy("account_code", "cost_center").agg(
        F.sum("net").alias("net_amount"), F.max("posting_date").alias("last_posting")
    )
    return (
        by_account.join(spark.table("accounts"), "account_code", "left")
        .where("is_active IS NULL OR is_active")
        .select("account_code", "account_name", "cost_center", "net_amount", "last_posting")
    )
