from pyspark.sql import Window, functions as F

PEAK_START, PEAK_END = 8, 20


def build(spark):
    calls = (
        spark.table("cdrs")
        .filter(F.col("cell_id").isNotNull())
        .filter(F.col("duration_sec") > 0)
        .withColumn("hour_ts", F.date_trunc("hour", "started_at"))
        .withColumn(
            "is_peak", (F.hour("started_at") >= PEAK_START) & (F.hour("started_at") < PEAK_END)
        )
    )
    hourly = calls.groupBy("cell_id", "hour_ts", "is_peak").agg(
        F.count("*").alias("n_calls"), F.sum("duration_sec").alias("traffic_sec")
    )
    cells = (
        spark.table("cells")
        .withColumn("technology", F.upper("technology"))
        .withColumn("region", F.coalesce("region", F.lit("UNKNOWN")))
    )
    busy = Window.partitionBy("cell_id").orderBy(F.col("traffic_sec").desc(), F.col("hour_ts"))
    busy_hour = (
        hourly.withColumn("rn", F.row_number().over(busy))
        .filter("rn = 1")
        .select(
            "cell_id", F.col("hour_ts").alias("busy_hour"), F.col("traffic_sec").alias("busy_sec")
        )
    )
    totals = hourly.groupBy("cell_id").agg(
        F.sum("n_calls").alias("n_calls"),
        F.sum("traffic_sec").alias("traffic_sec"),
        F.sum(F.when(F.col("is_peak"), F.col("traffic_sec")).otherwise(0)).alias("peak_sec"),
    )
    return (
        cells.join(totals, "cell_id", "left")
        .join(busy_hour, "cell_id", "left")
        .na.fill(0, subset=["n_calls", "traffic_sec", "peak_sec"])
        .select(
            "cell_id",
            "region",
            "technology",
            "n_calls",
            "traffic_sec",
            "peak_sec",
            "busy_hour",
            "busy_sec",
        )
    )
