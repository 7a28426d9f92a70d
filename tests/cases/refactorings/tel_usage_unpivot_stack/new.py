# title: Three filtered unions replaced by one stack unpivot with a null filter
# expect: equivalent
# kind: unpivot rewrite
from pyspark.sql import functions as F


def build(spark, month="2024-05"):
    segments = spark.table("subscribers").select("msisdn", "segment")
    long = (
        spark.table("data_usage")
        .where(f"usage_date BETWEEN DATE'{month}-01' AND last_day(DATE'{month}-01')")
        .select(
            "msisdn",
            F.expr(
                "stack(3, 'home', home_mb, 'roaming', roaming_mb, 'tethering', tether_mb) AS (kind, mb)"
            ),
        )
        .where("mb IS NOT NULL")
    )
    return (
        long.join(F.broadcast(segments), "msisdn", "left")
        .groupBy(F.expr("coalesce(segment, 'UNSEGMENTED')").alias("segment"), "kind")
        .agg(
            F.sum("mb").alias("mb"),
            F.count(F.lit(1)).alias("n_days"),
            F.countDistinct("msisdn").alias("n_lines"),
        )
        .withColumn("mb_per_day", F.expr("round(mb / n_days, 1)"))
    )
