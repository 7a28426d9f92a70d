from pyspark.sql import functions as F


def build(spark, slow_ms: int = 500):
    logs = (
        spark.table("app_logs")
        .filter(F.col("service").isNotNull())
        .withColumn("level", F.upper(F.col("level")))
        .filter(
            (F.col("level") == "INFO")
            | (F.col("level") == "WARN")
            | (F.col("level") == "ERROR")
            | (F.col("level") == "FATAL")
        )
        .withColumn("hour", F.date_trunc("hour", F.col("logged_at")))
        .withColumn("short_host", F.split(F.col("host"), r"\.").getItem(0))
    )

    rates = (
        logs.groupBy("service", "hour")
        .agg(
            F.count("*").alias("lines"),
            F.countDistinct("short_host").alias("hosts"),
            F.sum(F.when(F.col("level").isin("ERROR", "FATAL"), 1).otherwise(0)).alias("errors"),
            F.sum(F.when(F.col("level") == "WARN", 1).otherwise(0)).alias("warnings"),
            F.sum(F.when(F.col("response_ms") > slow_ms, 1).otherwise(0)).alias("slow"),
            F.max("response_ms").alias("slowest_ms"),
        )
        .withColumn("error_rate", F.round(F.col("errors") / F.col("lines"), 4))
        .withColumn("slow_rate", F.round(F.col("slow") / F.col("lines"), 4))
    )
    noisy = rates.filter((F.col("error_rate") > 0.05) | (F.col("warnings") >= 3))
    return {"rates": rates, "noisy_services": noisy.select("service").distinct()}
