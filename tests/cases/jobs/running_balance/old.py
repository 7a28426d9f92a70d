from pyspark.sql import Window, functions as F


def build(spark):
    entries = (
        spark.table("entries")
        .filter(F.col("kind") != "memo")
        .withColumn("amount", F.coalesce(F.col("amount"), F.lit(0)))
        .withColumn(
            "signed", F.when(F.col("kind") == "debit", -F.col("amount")).otherwise(F.col("amount"))
        )
    )
    in_order = Window.partitionBy("account").orderBy("booked_on", "entry_id")
    so_far = in_order.rowsBetween(Window.unboundedPreceding, Window.currentRow)

    balances = (
        entries.withColumn("entry_no", F.row_number().over(in_order))
        .withColumn("previous", F.lag("booked_on").over(in_order))
        .withColumn("balance", F.sum("signed").over(so_far))
        .withColumn("gap_days", F.datediff("booked_on", "previous"))
    )
    lines = spark.table("credit_lines").fillna(0, subset=["credit_line"])
    return (
        balances.join(lines, "account", "left")
        .withColumn("credit_line", F.coalesce(F.col("credit_line"), F.lit(0)))
        .withColumn("overdrawn", F.col("balance") + F.col("credit_line") < 0)
        .select("account", "entry_id", "entry_no", "booked_on", "gap_days", "balance", "overdrawn")
    )
