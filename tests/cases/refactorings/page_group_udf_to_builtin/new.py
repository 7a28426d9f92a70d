# title: Python UDFs replaced by built-ins, but floor division // became div, which truncates towards zero for sessions under 30 seconds
# expect: inequivalent
# kind: UDF to built-in
from pyspark.sql import functions as F


def build(spark, offset=30):
    e = spark.table("events").select(
        "session_id",
        F.when(F.col("url").isNull() | (F.col("url") == ""), "unknown")
        .when(F.col("url").contains("/p/"), "product")
        .when(F.col("url").contains("/checkout"), "checkout")
        .otherwise("other")
        .alias("page_group"),
    )
    s = spark.table("sessions").selectExpr(
        "session_id",
        "lower(device) as device",
        f"cast((duration_s - {offset}) div 60 as int) as minutes",
    )
    return (
        e.join(s, "session_id")
        .groupBy("page_group", "device")
        .agg(
            F.count("*").alias("events"),
            F.sum("minutes").alias("minutes"),
            F.min("minutes").alias("shortest"),
        )
    )
