# title: Patients seen by exactly one provider: NOT EXISTS another provider (provider_id IS NOT NULL) against HAVING COUNT(DISTINCT provider_id) = 1.
# expect: equivalent
# kind: not exists vs count
from pyspark.sql import functions as F


def build(spark):
    loyal = (
        spark.table("encounters")
        .groupBy("patient_id")
        .agg(
            F.countDistinct("provider_id").alias("n_providers"),
            F.min("provider_id").alias("provider_id"),
        )
        .filter("n_providers = 1")
        .drop("n_providers")
    )
    return (
        spark.table("patients")
        .join(loyal, "patient_id")
        .join(spark.table("providers"), "provider_id", "left")
        .select("patient_id", "state", "provider_id", "specialty")
    )
