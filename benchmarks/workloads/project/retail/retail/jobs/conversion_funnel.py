"""Mart: daily funnel of the web shop."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.dates import is_weekend
from retail.common.scoring import share_of


def build(spark: SparkSession) -> DataFrame:
    sessions = spark.table("retail_sessions")

    daily = sessions.groupBy("session_date").agg(
        F.count("session_id").alias("sessions"),
        F.sum(F.when(F.col("views") > 0, 1).otherwise(0)).alias("with_view"),
        F.sum(F.when(F.col("carts") > 0, 1).otherwise(0)).alias("with_cart"),
        F.sum(F.when(F.col("checkouts") > 0, 1).otherwise(0)).alias("with_checkout"),
        F.sum(F.when(F.col("converted"), 1).otherwise(0)).alias("with_purchase"),
        F.sum(F.when(F.col("bounced"), 1).otherwise(0)).alias("bounces"),
        F.max("duration_seconds").alias("longest_session"),
    )

    return daily.select(
        "session_date",
        is_weekend("session_date").alias("is_weekend"),
        "sessions",
        "with_view",
        "with_cart",
        "with_checkout",
        "with_purchase",
        share_of("with_purchase", "sessions").alias("conversion_rate"),
        share_of("bounces", "sessions").alias("bounce_rate"),
        "longest_session",
    )
