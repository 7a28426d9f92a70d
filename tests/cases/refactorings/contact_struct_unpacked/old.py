from pyspark.sql import functions as F


def build(spark):
    packed = spark.table("patient_profiles").select(
        "patient_id",
        F.struct(
            F.col("contact.phone").alias("phone"),
            F.lower(F.trim(F.col("contact.email"))).alias("email"),
            F.col("flags")["risk"].alias("risk"),
        ).alias("info"),
    )
    people = spark.table("patients").join(packed, "patient_id", "left")
    people = people.join(
        spark.table("providers").withColumnRenamed("provider_id", "pcp_id"), "pcp_id", "left"
    )
    return people.filter(
        F.col("info.phone").isNotNull() | F.col("info.email").isNotNull() | (F.col("state") == "CA")
    ).select("patient_id", "last_name", "provider_name", "info.phone", "info.email", "info.risk")
