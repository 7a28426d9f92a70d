# title: the session break now also happens when the gap is exactly 30 minutes (>= instead of >)
# expect: inequivalent
# kind: sessionization
from pyspark.sql import Window, functions as F

GAP_MINUTES = 30


def build(spark, metric="temp"):
    w = Window.partitionBy("device_id").orderBy("ts")
    gap = F.unix_timestamp("ts") - F.lag(F.unix_timestamp("ts")).over(w)
    return (
        spark.table("readings")
        .where(f"metric = '{metric}'")
        .withColumn("gap", gap)
        .withColumn(
            "session_no",
            F.sum(F.when(F.col("gap") < GAP_MINUTES * 60, 0).otherwise(1)).over(w),
        )
        .groupBy("device_id", "session_no")
        .agg(
            F.min("ts").alias("started_at"),
            F.max("ts").alias("ended_at"),
            F.count("device_id").alias("n"),
            F.sum("value").alias("total"),
        )
    )
