from pyspark.sql import functions as F

FISCAL_YEAR = 2024
EXCLUDED_SOURCES = ["OPENING", "CLOSING"]


def _side(gl, flag, prefix):
    return (
        gl.filter(F.col("dc_flag") == flag)
        .groupBy("account_code")
        .agg(F.sum("amount").alias(f"{prefix}_total"), F.count("*").alias(f"{prefix}_lines"))
    )


def build(spark):
    gl = (
        spark.table("gl_entries")
        .filter(F.year("posting_date") == FISCAL_YEAR)
        .filter(F.col("source").isNull() | ~F.col("source").isin(EXCLUDED_SOURCES))
    )
    debit = _side(gl, "D", "debit")
    credit = _side(gl, "C", "credit")
    accounts = spark.table("accounts").select("account_code", "account_name", "category")
    tb = debit.join(credit, "account_code", "full_outer")
    for c in ["debit_total", "credit_total", "debit_lines", "credit_lines"]:
        tb = tb.withColumn(c, F.coalesce(F.col(c), F.lit(0)))
    return (
        tb.join(accounts, "account_code", "left")
        .withColumn("category", F.coalesce("category", F.lit("UNMAPPED")))
        .withColumn("account_name", F.initcap(F.trim("account_name")))
        .withColumn("balance", F.col("debit_total") - F.col("credit_total"))
        .withColumn("lines", F.col("debit_lines") + F.col("credit_lines"))
        .select(
            "account_code",
            "account_name",
            "category",
            "debit_total",
            "credit_total",
            "balance",
            "lines",
        )
    )
