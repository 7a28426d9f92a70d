from pyspark.sql import Window, functions as F

CUTOFF_PCT = 80


def build(spark, start="2024-05-01", end="2024-06-01"):
    scrap = (
        spark.table("scrap_log")
        .filter((F.col("logged_at") >= start) & (F.col("logged_at") < end))
        .withColumn("reason_code", F.upper(F.trim("reason_code")))
        .withColumn("reason_code", F.coalesce("reason_code", F.lit("NONE")))
        .withColumn("qty", F.coalesce("qty", F.lit(0)))
    )
    by_reason = scrap.groupBy("reason_code").agg(
        F.sum("qty").alias("qty"), F.count("*").alias("n_logs")
    )
    total = by_reason.agg(F.sum("qty").alias("total_qty"))
    ranked = Window.orderBy(F.col("qty").desc(), F.col("reason_code"))
    pareto = (
        by_reason.crossJoin(total)
        .withColumn("rank", F.row_number().over(ranked))
        .withColumn("cum_qty", F.sum("qty").over(ranked.rowsBetween(Window.unboundedPreceding, 0)))
        .withColumn("before_qty", F.col("cum_qty") - F.col("qty"))
        .withColumn(
            "class",
            F.when(F.col("before_qty") * 100 < F.col("total_qty") * CUTOFF_PCT, "A").otherwise("B"),
        )
        .select("rank", "reason_code", "qty", "n_logs", "cum_qty", "total_qty", "class")
    )
    a_reasons = pareto.filter(F.col("class") == "A").select("reason_code")
    orders = spark.table("work_orders").select("wo_id", "line_id")
    line_scrap = (
        scrap.join(a_reasons, "reason_code", "left_semi")
        .join(orders, "wo_id", "left")
        .groupBy("line_id", "reason_code")
        .agg(F.sum("qty").alias("qty"))
    )
    return {"pareto": pareto, "line_scrap": line_scrap}
