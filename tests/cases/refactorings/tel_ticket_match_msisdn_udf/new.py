# title: Null join keys removed before a left join for skew: tickets without a usable number are no longer counted
# expect: inequivalent
# kind: left join rows
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
    subs = spark.table("subscribers").select("msisdn", "segment", "plan_code")
    tickets = spark.table("tickets").select(
        norm_msisdn("contact_number").alias("msisdn"),
        F.expr("coalesce(upper(category), 'OTHER')").alias("category"),
        F.expr("floor((unix_timestamp(closed_at) - unix_timestamp(opened_at)) / 3600)").alias(
            "open_hours"
        ),
        "closed_at",
    )
    return (
        tickets.where("msisdn IS NOT NULL")
        .join(F.broadcast(subs), "msisdn", "left")
        .groupBy("category", "segment")
        .agg(
            F.count("*").alias("n_tickets"),
            F.count_if(F.col("closed_at").isNull()).alias("n_open"),
            F.count_if(F.expr("coalesce(segment, plan_code) IS NOT NULL")).alias("n_matched"),
            F.max("open_hours").alias("max_open_hours"),
        )
    )
