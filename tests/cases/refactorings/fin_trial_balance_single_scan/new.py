# title: Debit and credit totals from one conditional aggregation instead of two aggregations and a full join
# expect: equivalent
# kind: one aggregation
from pyspark.sql import functions as F

FISCAL_YEAR = 2024
EXCLUDED_SOURCES = ("OPENING", "CLOSING")


def _total(flag):
    return F.sum(F.when(F.col("dc_flag") == flag, F.col("amount")).otherwise(0))


def build(spark, fiscal_year=FISCAL_YEAR):
    accounts = spark.table("accounts").selectExpr(
        "account_code",
        "initcap(trim(account_name)) AS account_name",
        "category",
    )
    totals = (
        spark.table("gl_entries")
        .where(F.col("posting_date").between(f"{fiscal_year}-01-01", f"{fiscal_year}-12-31"))
        .where(~F.coalesce(F.col("source"), F.lit("?")).isin(*EXCLUDED_SOURCES))
        .where(F.col("dc_flag").isin("D", "C"))
        .groupBy("account_code")
        .agg(
            _total("D").alias("debit_total"),
            _total("C").alias("credit_total"),
            F.count(F.lit(1)).alias("lines"),
        )
    )
    return totals.join(F.broadcast(accounts), on="account_code", how="left").select(
        "account_code",
        "account_name",
        F.coalesce(F.col("category"), F.lit("UNMAPPED")).alias("category"),
        "debit_total",
        "credit_total",
        (F.col("debit_total") - F.col("credit_total")).alias("balance"),
        "lines",
    )
