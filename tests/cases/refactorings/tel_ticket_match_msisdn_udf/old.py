import re

from pyspark.sql import functions as F
from pyspark.sql.types import StringType


def _norm(number):
    if number is None:
        return None
    digits = re.sub(r"\D", "", number)
    if digits.startswith("00"):
        digits = digits[2:]
    return digits if len(digits) >= 6 else None


norm_msisdn = F.udf(_norm, StringType())


def build(spark):
    tickets = (
        spark.table("tickets")
        .withColumn("msisdn", norm_msisdn("contact_number"))
        .withColumn("category", F.upper("category"))
        .withColumn(
            "open_hours",
            F.floor((F.unix_timestamp("closed_at") - F.unix_timestamp("opened_at")) / 3600),
        )
        .withColumn("is_open", F.col("closed_at").isNull())
    )
    subs = spark.table("subscribers").select("msisdn", "segment", "plan_code")
    matched = tickets.join(subs, "msisdn", "left").withColumn(
        "matched", F.col("segment").isNotNull() | F.col("plan_code").isNotNull()
    )
    return matched.groupBy(F.coalesce("category", F.lit("OTHER")).alias("category"), "segment").agg(
        F.count("*").alias("n_tickets"),
        F.sum(F.col("is_open").cast("int")).alias("n_open"),
        F.sum(F.col("matched").cast("int")).alias("n_matched"),
        F.max("open_hours").alias("max_open_hours"),
    )
