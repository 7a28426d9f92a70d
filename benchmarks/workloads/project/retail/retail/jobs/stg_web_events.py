"""Staging: deduplicated funnel events of the web shop."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.cleaning import trim_lower
from retail.common.constants import FUNNEL_EVENTS


def build(spark: SparkSession) -> DataFrame:
    events = spark.table("raw_web_events")

    typed = events.select(
        "event_id",
        "customer_id",
        "session_id",
        trim_lower("event_type").alias("event_type"),
        "product_id",
        "event_ts",
    )

    # the collector delivers at least once, so equal rows are repeats
    unique = typed.dropDuplicates()

    df = (
        unique.filter(F.col("session_id").isNotNull())
        .filter(F.col("event_ts").isNotNull())
        .filter(F.col("event_type").isin(FUNNEL_EVENTS))
        .withColumn("event_date", F.to_date("event_ts"))
        .withColumn("is_known_customer", F.col("customer_id").isNotNull())
    )
    df.write.mode("overwrite").saveAsTable("retail_stg_web_events")
    return df
