from pyspark.sql import Window, functions as F

GAP_SECONDS = 30 * 60


def sessionize(df, gap=GAP_SECONDS):
    w = Window.partitionBy("device_id", "metric").orderBy("ts")
    flagged = df.withColumn("prev_ts", F.lag("ts").over(w)).withColumn(
        "is_start",
        F.when(
            F.col("prev_ts").isNull()
            | (F.col("ts").cast("long") - F.col("prev_ts").cast("long") > gap),
            1,
        ).otherwise(0),
    )
    return flagged.withColumn("session_no", F.sum("is_start").over(w))


def build(spark):
    sessions = (
        sessionize(spark.table("readings"))
        .groupBy("device_id", "metric", "session_no")
        .agg(
            F.min("ts").alias("started_at"),
            F.max("ts").alias("ended_at"),
            F.count("*").alias("n_readings"),
            F.count("value").alias("n_values"),
            F.max("value").alias("peak"),
        )
    )
    with_model = sessions.join(
        spark.table("devices").select("device_id", "model"), "device_id", "left"
    )
    per_model = (
        with_model.groupBy("model", "metric")
        .agg(F.count("*").alias("sessions"), F.sum("n_readings").alias("readings"))
        .filter(F.col("readings") > 1)
    )
    return {"sessions": with_model, "per_model": per_model}
