from pyspark.sql import functions as F


def build(spark):
    prof = spark.table("patient_profiles").select(
        "patient_id",
        F.struct("contact.phone", "contact.email").alias("reach"),
        F.map_keys("flags").alias("flag_names"),
    )
    return (
        spark.table("patients")
        .join(prof, "patient_id", "left")
        .filter(F.coalesce("reach.phone", "reach.email").isNotNull())
        .join(
            spark.table("providers").select(F.col("provider_id").alias("pcp_id"), "provider_name"),
            "pcp_id",
            "left",
        )
        .select(
            "patient_id",
            F.concat_ws(", ", "last_name", "first_name").alias("display_name"),
            "provider_name",
            F.coalesce(F.array_contains("flag_names", "vip"), F.lit(False)).alias("is_vip"),
        )
    )
