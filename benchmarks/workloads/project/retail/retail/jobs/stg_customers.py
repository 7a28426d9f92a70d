"""Staging: one clean row per customer."""

import logging

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from retail.common.cleaning import blank_to_null, normalise_country, trim_lower
from retail.common.constants import TEST_EMAIL_DOMAIN

log = logging.getLogger(__name__)


def build(spark: SparkSession) -> DataFrame:
    customers = spark.table("raw_customers")

    cleaned = (
        customers.withColumn("email", trim_lower("email"))
        .withColumn("first_name", blank_to_null("first_name"))
        .withColumn("last_name", blank_to_null("last_name"))
        .withColumn("country", normalise_country("country"))
        .withColumn("opted_in", F.coalesce(F.col("marketing_opt_in"), F.lit(False)))
    )

    # internal test accounts never reach reporting
    real = cleaned.filter(
        F.col("email").isNull() | ~F.col("email").endswith(TEST_EMAIL_DOMAIN)
    )

    df = real.select(
        F.col("id").alias("customer_id"),
        "email",
        F.concat_ws(" ", "first_name", "last_name").alias("full_name"),
        "country",
        "birth_date",
        F.to_date("created_at").alias("signup_date"),
        "opted_in",
    )
    log.info("writing staged customers")
    df.write.mode("overwrite").saveAsTable("retail_stg_customers")
    return df
