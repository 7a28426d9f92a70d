"""Mart: RFM segments for marketing."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from retail.common.scoring import score_by_thresholds, segment_name

FREQUENCY_STEPS = [2, 4, 8]
MONETARY_STEPS = [100, 500, 2000]


def recency_score(name: str):
    """4 = bought within a month, 1 = long ago or never."""
    days = F.col(name)
    return (
        F.when(days <= 30, 4)
        .when(days <= 90, 3)
        .when(days <= 365, 2)
        .otherwise(1)
    )


def build(spark: SparkSession) -> DataFrame:
    customers = spark.table("retail_customer_orders")
    buyers = customers.filter(F.col("is_buyer"))

    scored = (
        buyers.withColumn("recency", recency_score("days_since_order"))
        .withColumn("frequency", score_by_thresholds("order_count", FREQUENCY_STEPS))
        .withColumn("monetary", score_by_thresholds("lifetime_amount", MONETARY_STEPS))
    )

    segment = F.udf(segment_name, StringType())
    df = scored.withColumn(
        "segment", segment(F.col("recency"), F.col("frequency"), F.col("monetary"))
    ).select(
        "customer_id",
        "country",
        "recency",
        "frequency",
        "monetary",
        "segment",
        F.when(F.col("opted_in"), "email").otherwise("none").alias("contact_channel"),
    )
    df.write.mode("overwrite").saveAsTable("retail_customer_segments")
    return df
