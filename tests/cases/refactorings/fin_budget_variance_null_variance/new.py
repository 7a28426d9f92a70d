# title: SQL to DataFrame API, but variance is computed before the nulls of the full join are replaced by 0
# expect: inequivalent
# kind: null before coalesce
from pyspark.sql import Window, functions as F

TOLERANCE = "0.10"
DETAIL_COLS = [
    "account_code",
    "account_name",
    "category",
    "fiscal_month",
    "actual",
    "budget",
    "variance",
    "actual_ytd",
    "budget_ytd",
    "n_lines",
    "status",
]


def _status():
    return (
        F.when(F.col("budget") == 0, "UNBUDGETED")
        .when(F.expr(f"abs(variance) > abs(budget) * {TOLERANCE}"), "ALERT")
        .otherwise("OK")
    )


def build(spark, fiscal_year=2024):
    signed = F.when(F.col("dc_flag") == "C", -F.col("amount")).otherwise(F.col("amount"))
    actuals = (
        spark.table("gl_entries")
        .filter(F.year("posting_date") == fiscal_year)
        .filter(F.col("source").isNull() | (F.col("source") != "CLOSING"))
        .groupBy("account_code", F.month("posting_date").alias("fiscal_month"))
        .agg(F.sum(signed).alias("actual"), F.count("*").alias("n_lines"))
    )
    budget = spark.table("budgets").filter(F.col("fiscal_year") == fiscal_year).drop("fiscal_year")

    merged = (
        actuals.join(budget, ["account_code", "fiscal_month"], "full")
        .withColumn("variance", F.col("actual") - F.col("budget"))
        .withColumn("actual", F.coalesce("actual", F.lit(0)))
        .withColumn("budget", F.coalesce("budget", F.lit(0)))
        .withColumn("n_lines", F.coalesce("n_lines", F.lit(0)))
    )

    ytd = Window.partitionBy("account_code").orderBy("fiscal_month")
    accounts = spark.table("accounts").select("account_code", "account_name", "category")
    detail = (
        merged.withColumn("actual_ytd", F.sum("actual").over(ytd))
        .withColumn("budget_ytd", F.sum("budget").over(ytd))
        .join(F.broadcast(accounts), "account_code", "left")
        .fillna("UNMAPPED", subset=["category"])
        .withColumn("status", _status())
        .select(*DETAIL_COLS)
    )
    summary = detail.groupBy("category").agg(
        F.countDistinct("account_code").alias("n_accounts"),
        F.sum("actual").alias("actual"),
        F.sum("budget").alias("budget"),
        F.count(F.when(F.col("status") == "ALERT", 1)).alias("n_alerts"),
    )
    worst_first = Window.partitionBy("category").orderBy(
        F.abs("variance").desc(), "account_code", "fiscal_month"
    )
    worst = (
        detail.filter(F.col("status").isin("ALERT", "UNBUDGETED"))
        .withColumn("rnk", F.row_number().over(worst_first))
        .filter(F.col("rnk") < 3)
        .select("category", "account_code", "fiscal_month", "variance", "rnk")
    )
    return {"variance_detail": detail, "category_summary": summary, "worst_variances": worst}
