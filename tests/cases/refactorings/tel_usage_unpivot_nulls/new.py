# title: DataFrame.unpivot keeps rows with null mb, so days and lines without a value are counted
# expect: inequivalent
# kind: null rows kept
from pyspark.sql import functions as F

KIND_COLS = {"home_mb": "home", "roaming_mb": "roaming", "tether_mb": "tethering"}


def build(spark, month="2024-05"):
    segments = spark.table("subscribers").select("msisdn", "segment")
    kinds = spark.createDataFrame(list(KIND_COLS.items()), "source_col string, kind string")
    long = (
        spark.table("data_usage")
        .where(F.col("usage_date").between(f"{month}-01", f"{month}-31"))
        .unpivot(["msisdn", "usage_date"], list(KIND_COLS), "source_col", "mb")
        .join(F.broadcast(kinds), "source_col")
        .drop("source_col")
    )
    return (
        long.join(F.broadcast(segments), "msisdn", "left")
        .fillna({"segment": "UNSEGMENTED"})
        .groupBy("segment", "kind")
        .agg(
            F.sum("mb").alias("mb"),
            F.count("*").alias("n_days"),
            F.countDistinct("msisdn").alias("n_lines"),
        )
        .withColumn("mb_per_day", F.round(F.col("mb") / F.col("n_days"), 1))
    )
