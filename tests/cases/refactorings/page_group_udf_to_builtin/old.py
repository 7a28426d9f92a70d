from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StringType


@F.udf(StringType())
def page_group(url):
    if not url:
        return "unknown"
    if url.startswith("/p/") or "/p/" in url:
        return "product"
    if "/checkout" in url:
        return "checkout"
    return "other"


@F.udf(IntegerType())
def minutes(seconds, offset):
    if seconds is None:
        return None
    return (seconds - offset) // 60


def build(spark):
    e = spark.table("events").withColumn("page_group", page_group("url"))
    s = spark.table("sessions").withColumn("minutes", minutes("duration_s", F.lit(30)))
    joined = e.join(s.select("session_id", "minutes", "device"), "session_id")
    return joined.groupBy("page_group", F.lower("device").alias("device")).agg(
        F.count("*").alias("events"),
        F.sum("minutes").alias("minutes"),
        F.min("minutes").alias("shortest"),
    )
