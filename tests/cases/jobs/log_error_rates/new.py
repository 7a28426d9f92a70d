# title: Conditional sums become conditional counts and the level filter reads a set of constants.
# expect: equivalent

from pyspark.sql import functions as F

ERROR_LEVELS = ("ERROR", "FATAL")


def count_if(condition):
    return F.count(F.when(condition, F.lit(1)))


def build(spark, slow_ms: int = 500):
    logs = (
        spark.table("app_logs")
        .filter(F.col("service").isNotNull())
        .withColumn("level", F.upper(F.col("level")))
        .filter(F.col("level").isin("INFO", "WARN", *ERROR_LEVELS))
        .withColumn("hour", F.date_trunc("hour", F.col("logged_at")))
        .withColumn("short_host", F.split(F.col("host"), r"\.").getItem(0))
    )

    rates = (
        logs.groupBy("service", "hour")
        .agg(
            F.count("*").alias("lines"),
            F.countDistinct("short_host").alias("hosts"),
            count_if(F.col("level").isin(*ERROR_LEVELS)).alias("errors"),
            count_if(F.col("level") == "WARN").alias("warnings"),
            count_if(F.col("response_ms") > slow_ms).alias("slow"),
            F.max("response_ms").alias("slowest_ms"),
        )
        .withColumn("error_rate", F.round(F.col("errors") / F.col("lines"), 4))
        .withColumn("slow_rate", F.round(F.col("slow") / F.col("lines"), 4))
    )
    noisy = rates.filter((F.col("error_rate") > 0.05) | (F.col("warnings") >= 3))
    return {"rates": rates, "noisy_services": noisy.select("service").distinct()}
