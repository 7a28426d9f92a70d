# title: Peak hours as BETWEEN 8 AND 20 include the hour from 20:00 which was off-peak
# expect: inequivalent
# kind: between bounds
from pyspark.sql import functions as F

PEAK_HOURS = "BETWEEN 8 AND 20"
KPI_COLS = ["n_calls", "traffic_sec", "peak_sec"]


def hourly_load(spark):
    return (
        spark.table("cdrs")
        .where("cell_id IS NOT NULL AND duration_sec > 0")
        .groupBy("cell_id", F.expr("date_trunc('HOUR', started_at)").alias("hour_ts"))
        .agg(F.count(F.lit(1)).alias("n_calls"), F.sum("duration_sec").alias("traffic_sec"))
        .withColumn("is_peak", F.expr(f"hour(hour_ts) {PEAK_HOURS}"))
    )


def build(spark):
    kpis = (
        hourly_load(spark)
        .groupBy("cell_id")
        .agg(
            F.sum("n_calls").alias("n_calls"),
            F.sum("traffic_sec").alias("traffic_sec"),
            F.sum(F.expr("IF(is_peak, traffic_sec, 0)")).alias("peak_sec"),
            F.min(F.struct((-F.col("traffic_sec")).alias("neg_sec"), F.col("hour_ts"))).alias(
                "busiest"
            ),
        )
        .select(
            "cell_id",
            *KPI_COLS,
            F.col("busiest.hour_ts").alias("busy_hour"),
            F.expr("-busiest.neg_sec").alias("busy_sec"),
        )
    )
    cells = spark.table("cells").selectExpr(
        "cell_id", "coalesce(region, 'UNKNOWN') AS region", "upper(technology) AS technology"
    )
    return (
        cells.join(kpis, "cell_id", "left")
        .fillna(0, subset=KPI_COLS)
        .select("cell_id", "region", "technology", *KPI_COLS, "busy_hour", "busy_sec")
    )
