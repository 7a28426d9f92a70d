from pyspark.sql import Window, functions as F


def build(spark, cap_per_kw=1):
    reads = spark.table("meter_reads").withColumn("month", F.date_format("read_at", "yyyy-MM"))
    w = Window.partitionBy("meter_id", "month").orderBy("read_at")
    running = (
        reads.withColumn("used", F.sum("kwh").over(w))
        .withColumn("read_no", F.row_number().over(w))
        .withColumn("prev_kwh", F.lag("kwh", 1, 0).over(w))
    )
    joined = running.join(spark.table("meters"), "meter_id").withColumn(
        "over_cap", F.col("used") > F.col("capacity_kw") * cap_per_kw
    )
    summary = joined.groupBy("zone", "month").agg(
        F.count(F.when(F.col("over_cap"), 1)).alias("reads_over_cap"),
        F.max("used").alias("max_used"),
        F.max("read_no").alias("max_reads"),
    )
    return {
        "running": joined.select(
            "meter_id", "read_at", "month", "kwh", "prev_kwh", "used", "over_cap"
        ),
        "summary": summary,
    }
