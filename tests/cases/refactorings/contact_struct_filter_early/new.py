# title: The contactable filter moved into the left-joined profile side and a null-struct test used: patients without contact are no longer removed.
# expect: inequivalent
# kind: filter in wrong place
from pyspark.sql import functions as F


def reachable(df):
    return df.where("contact.phone IS NOT NULL OR contact.email IS NOT NULL")


def build(spark):
    prof = reachable(spark.table("patient_profiles")).select(
        "patient_id", F.expr("map_contains_key(flags, 'vip')").alias("vip_flag")
    )
    pcp = spark.table("providers").selectExpr("provider_id AS pcp_id", "provider_name")
    return (
        spark.table("patients")
        .join(prof, "patient_id", "left")
        .join(pcp, "pcp_id", "left")
        .selectExpr(
            "patient_id",
            "concat_ws(', ', last_name, first_name) AS display_name",
            "provider_name",
            "coalesce(vip_flag, false) AS is_vip",
        )
    )
