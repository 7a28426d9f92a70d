from pyspark.sql import Window, functions as F

GAP_MINUTES = 30


def build(spark, metric="temp"):
    w = Window.partitionBy("device_id").orderBy("ts")
    r = spark.table("readings").filter(F.col("metric") == metric)
    flagged = r.withColumn("prev_ts", F.lag("ts").over(w)).withColumn(
        "new_session",
        F.col("prev_ts").isNull()
        | (F.col("ts") > F.col("prev_ts") + F.expr(f"INTERVAL {GAP_MINUTES} MINUTES")),
    )
    numbered = flagged.withColumn(
        "session_no",
        F.sum(F.col("new_session").cast("int")).over(w.rowsBetween(Window.unboundedPreceding, 0)),
    )
    return numbered.groupBy("device_id", "session_no").agg(
        F.min("ts").alias("started_at"),
        F.max("ts").alias("ended_at"),
        F.count("*").alias("n"),
        F.sum("value").alias("total"),
    )
