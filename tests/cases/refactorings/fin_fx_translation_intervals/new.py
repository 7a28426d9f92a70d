# title: As-of rate through validity intervals; valid_to is the next rate's own date and between includes it, so entries on a rate date match twice
# expect: inequivalent
# kind: interval bounds
from pyspark.sql import Window, functions as F

REPORTING_CURRENCY = "EUR"
OPEN_END = "9999-12-31"


def build(spark, fiscal_year=2024):
    gl = (
        spark.table("gl_entries")
        .filter(F.year("posting_date") == fiscal_year)
        .filter("source IS NULL OR source <> 'CLOSING'")
        .selectExpr(
            "entry_id",
            "account_code",
            "cost_center",
            "posting_date",
            f"coalesce(upper(trim(currency)), '{REPORTING_CURRENCY}') AS currency",
            "CASE WHEN dc_flag = 'C' THEN -amount ELSE amount END AS signed",
        )
    )

    w = Window.partitionBy("currency").orderBy("rate_date")
    fx = (
        spark.table("fx_rates")
        .where("rate > 0")
        .withColumn("valid_to", F.lead("rate_date").over(w))
        .withColumn("valid_to", F.coalesce("valid_to", F.to_date(F.lit(OPEN_END))))
        .withColumnRenamed("currency", "fx_currency")
    )
    rated = gl.join(
        fx,
        (F.col("currency") == F.col("fx_currency"))
        & F.col("posting_date").between(F.col("rate_date"), F.col("valid_to")),
        "left",
    ).drop("fx_currency", "rate_date", "valid_to")

    translated = rated.withColumn(
        "rate",
        F.expr(
            f"CASE WHEN currency = '{REPORTING_CURRENCY}' THEN CAST(1 AS DECIMAL(12,6)) ELSE rate END"
        ),
    ).withColumn("amount_eur", F.round(F.col("signed") * F.col("rate"), 2))

    accounts = spark.table("accounts").select("account_code", "category")
    centers = spark.table("cost_centers").select("cost_center", "region")
    enriched = (
        translated.join(F.broadcast(accounts), "account_code", "left")
        .join(F.broadcast(centers), "cost_center", "left")
        .fillna({"category": "UNMAPPED", "region": "HQ"})
        .withColumn("period", F.date_format("posting_date", "yyyy-MM"))
    )
    enriched.createOrReplaceTempView("enriched_entries")
    pnl = spark.sql(
        """
        SELECT period, region, category,
               COALESCE(SUM(amount_eur), 0) AS amount_eur,
               COUNT(1) AS n_entries,
               SUM(CASE WHEN rate IS NULL THEN 1 ELSE 0 END) AS n_unrated,
               SUM(CASE WHEN rate IS NULL THEN 1 ELSE 0 END) = 0 AS complete
        FROM enriched_entries
        GROUP BY period, region, category
        """
    )
    unrated = spark.sql(
        "SELECT entry_id, currency, posting_date, signed AS amount_local "
        "FROM enriched_entries WHERE rate IS NULL"
    )
    return {"translated_pnl": pnl, "unrated_entries": unrated}
