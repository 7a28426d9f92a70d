"""Core: one row per web session."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.dates import seconds_between


def count_of(event_type: str):
    """Number of events of one type."""
    return F.count(F.when(F.col("event_type") == event_type, True))


def build(spark: SparkSession) -> DataFrame:
    events = spark.table("retail_stg_web_events")

    sessions = events.groupBy("session_id").agg(
        F.max("customer_id").alias("customer_id"),
        F.min("event_ts").alias("started_at"),
        F.max("event_ts").alias("ended_at"),
        F.count("*").alias("event_count"),
        count_of("view").alias("views"),
        count_of("add_to_cart").alias("carts"),
        count_of("checkout").alias("checkouts"),
        count_of("purchase").alias("purchases"),
    )

    with_flags = sessions.withColumn("converted", F.col("purchases") > 0).withColumn(
        "bounced", F.col("event_count") == 1
    )

    df = with_flags.select(
        "session_id",
        "customer_id",
        F.to_date("started_at").alias("session_date"),
        "started_at",
        "ended_at",
        seconds_between("started_at", "ended_at").alias("duration_seconds"),
        "event_count",
        "views",
        "carts",
        "checkouts",
        "purchases",
        "converted",
        "bounced",
    )
    df.write.mode("overwrite").saveAsTable("retail_sessions")
    return df
