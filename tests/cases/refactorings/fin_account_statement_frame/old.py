from pyspark.sql import Window, functions as F


def build(spark, account_category="ASSET"):
    accounts = spark.table("accounts").filter(F.col("category") == account_category)
    lines = (
        spark.table("gl_entries")
        .join(accounts.select("account_code", "account_name"), "account_code")
        .withColumn(
            "movement", F.when(F.col("dc_flag") == "C", -F.col("amount")).otherwise(F.col("amount"))
        )
    )
    w = (
        Window.partitionBy("account_code")
        .orderBy("posting_date", "entry_id")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    return (
        lines.withColumn(
            "line_no",
            F.row_number().over(
                Window.partitionBy("account_code").orderBy("posting_date", "entry_id")
            ),
        )
        .withColumn("balance", F.sum("movement").over(w))
        .withColumn("opening", F.col("balance") - F.col("movement"))
        .withColumn("in_credit", F.col("balance") < 0)
        .select(
            "account_code",
            "account_name",
            "line_no",
            "posting_date",
            "opening",
            "movement",
            "balance",
            "in_credit",
        )
    )
