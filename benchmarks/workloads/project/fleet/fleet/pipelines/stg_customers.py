"""Staging of customers."""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from fleet.lib.cleaning import flag, normalise_code, trim_to_null


def mail_domain(address):
    """The part behind the @, or None when there is none."""
    if address is None or "@" not in address:
        return None
    return address.rsplit("@", 1)[1].lower()


mail_domain_udf = F.udf(mail_domain, StringType())


def run(spark: SparkSession) -> DataFrame:
    customers = spark.table("src_customers")
    segment = F.coalesce(normalise_code("segment"), F.lit("SMB"))
    discount = F.coalesce(F.col("discount_pct"), F.lit(0).cast("decimal(5,2)"))

    df = customers.select(
        "customer_id",
        trim_to_null("customer_name").alias("customer_name"),
        segment.alias("segment"),
        normalise_code("country").alias("country"),
        mail_domain_udf(F.col("email")).alias("mail_domain"),
        F.when(discount > 50, F.lit(50).cast("decimal(5,2)")).otherwise(discount).alias("discount_pct"),
        F.to_date("created_at").alias("customer_since"),
        flag("is_active").alias("is_active"),
    )
    # internal test accounts
    df = df.where(~F.col("segment").isin("TEST", "DEMO"))
    df.write.mode("overwrite").saveAsTable("fleet_stg_customers")
    return df
