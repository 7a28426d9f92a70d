from pyspark.sql import Window, functions as F

REPORTING_CURRENCY = "EUR"


def _asof_rate(gl, fx):
    w = Window.partitionBy("entry_id").orderBy(F.col("rate_date").desc())
    return (
        gl.join(
            fx.withColumnRenamed("currency", "fx_currency"),
            (F.col("currency") == F.col("fx_currency"))
            & (F.col("rate_date") <= F.col("posting_date")),
            "left",
        )
        .withColumn("rn", F.row_number().over(w))
        .filter("rn = 1")
        .drop("rn", "fx_currency", "rate_date")
    )


def build(spark, fiscal_year=2024):
    gl = (
        spark.table("gl_entries")
        .withColumn("currency", F.upper(F.trim("currency")))
        .withColumn("currency", F.coalesce("currency", F.lit(REPORTING_CURRENCY)))
        .filter(F.year("posting_date") == fiscal_year)
        .filter(F.coalesce(F.col("source"), F.lit("MANUAL")) != "CLOSING")
        .withColumn(
            "signed", F.when(F.col("dc_flag") == "C", -F.col("amount")).otherwise(F.col("amount"))
        )
        .select("entry_id", "account_code", "cost_center", "posting_date", "currency", "signed")
    )
    fx = spark.table("fx_rates").filter(F.col("rate") > 0).select("currency", "rate_date", "rate")
    translated = (
        _asof_rate(gl, fx)
        .withColumn(
            "rate",
            F.when(
                F.col("currency") == REPORTING_CURRENCY, F.lit(1).cast("decimal(12,6)")
            ).otherwise(F.col("rate")),
        )
        .withColumn("amount_eur", F.round(F.col("signed") * F.col("rate"), 2))
        .withColumn("missing_rate", F.col("rate").isNull())
    )
    accounts = spark.table("accounts").select("account_code", "category")
    centers = spark.table("cost_centers").select("cost_center", "region")
    enriched = (
        translated.join(accounts, "account_code", "left")
        .join(centers, "cost_center", "left")
        .withColumn("category", F.coalesce("category", F.lit("UNMAPPED")))
        .withColumn("region", F.coalesce("region", F.lit("HQ")))
        .withColumn("period", F.date_format("posting_date", "yyyy-MM"))
    )
    pnl = (
        enriched.groupBy("period", "region", "category")
        .agg(
            F.sum("amount_eur").alias("amount_eur"),
            F.count("*").alias("n_entries"),
            F.sum(F.col("missing_rate").cast("int")).alias("n_unrated"),
        )
        .withColumn("complete", F.col("n_unrated") == 0)
        .withColumn("amount_eur", F.coalesce("amount_eur", F.lit(0)))
    )
    unrated = (
        enriched.filter("missing_rate")
        .select("entry_id", "currency", "posting_date", "signed")
        .withColumnRenamed("signed", "amount_local")
    )
    return {"translated_pnl": pnl, "unrated_entries": unrated}
