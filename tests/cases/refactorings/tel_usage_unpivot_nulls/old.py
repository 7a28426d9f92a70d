from pyspark.sql import functions as F

KINDS = {"home": "home_mb", "roaming": "roaming_mb", "tethering": "tether_mb"}


def build(spark, month="2024-05"):
    usage = spark.table("data_usage").filter(F.date_format("usage_date", "yyyy-MM") == month)
    long = None
    for kind, col in KINDS.items():
        part = usage.filter(F.col(col).isNotNull()).select(
            "msisdn", "usage_date", F.lit(kind).alias("kind"), F.col(col).alias("mb")
        )
        long = part if long is None else long.union(part)
    subs = spark.table("subscribers").select("msisdn", "segment")
    by_kind = (
        long.join(subs, "msisdn", "left")
        .withColumn("segment", F.coalesce("segment", F.lit("UNSEGMENTED")))
        .groupBy("segment", "kind")
        .agg(
            F.sum("mb").alias("mb"),
            F.count("*").alias("n_days"),
            F.countDistinct("msisdn").alias("n_lines"),
        )
    )
    return by_kind.withColumn("mb_per_day", F.round(F.col("mb") / F.col("n_days"), 1))
